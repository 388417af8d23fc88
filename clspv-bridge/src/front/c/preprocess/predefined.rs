//! Predefined macros: those of the language version, of the device's extensions and of the options.
//!
//! The texts are read when a macro is first used; until then only its name is known.

use super::super::source::{ExpansionId, Loc, Pos};
use super::super::token::{Token, TokenKind};
use super::macros::{Macro, MacroId, MacroKind};
use super::search::SearchPosition;
use super::state::{OpenFile, Preprocessor};
use crate::options::{CompileRequest, FrontConfig, Options};
use std::fmt::Write;

/// Macros of every version.
const BASE: &str = include_str!("predefined/base.h");

/// Macros from OpenCL C 2.0 on.
const OPENCL_2_0: &str = include_str!("predefined/opencl_2_0.h");

/// Macros of cl_khr_fp16.
const HALF: &str = include_str!("predefined/half.h");

/// Extensions and features that have macros, with the first version that defines them.
const EXTENSIONS: &[(&str, u32)] = &[
    ("__opencl_c_3d_image_writes", 300),
    ("__opencl_c_atomic_order_acq_rel", 200),
    ("__opencl_c_atomic_order_seq_cst", 200),
    ("__opencl_c_atomic_scope_all_devices", 200),
    ("__opencl_c_atomic_scope_device", 200),
    ("__opencl_c_device_enqueue", 200),
    ("__opencl_c_ext_fp16_global_atomic_add", 200),
    ("__opencl_c_ext_fp16_global_atomic_load_store", 200),
    ("__opencl_c_ext_fp16_global_atomic_min_max", 200),
    ("__opencl_c_ext_fp16_local_atomic_add", 200),
    ("__opencl_c_ext_fp16_local_atomic_load_store", 200),
    ("__opencl_c_ext_fp16_local_atomic_min_max", 200),
    ("__opencl_c_ext_fp32_global_atomic_add", 200),
    ("__opencl_c_ext_fp32_global_atomic_min_max", 200),
    ("__opencl_c_ext_fp32_local_atomic_add", 200),
    ("__opencl_c_ext_fp32_local_atomic_min_max", 200),
    ("__opencl_c_ext_fp64_global_atomic_add", 200),
    ("__opencl_c_ext_fp64_global_atomic_min_max", 200),
    ("__opencl_c_ext_fp64_local_atomic_add", 200),
    ("__opencl_c_ext_fp64_local_atomic_min_max", 200),
    ("__opencl_c_ext_image_unorm_int_2_101010", 100),
    ("__opencl_c_fp64", 300),
    ("__opencl_c_generic_address_space", 200),
    ("__opencl_c_images", 200),
    ("__opencl_c_integer_dot_product_input_4x8bit", 200),
    ("__opencl_c_integer_dot_product_input_4x8bit_packed", 200),
    ("__opencl_c_kernel_clock_scope_device", 200),
    ("__opencl_c_kernel_clock_scope_sub_group", 200),
    ("__opencl_c_kernel_clock_scope_work_group", 200),
    ("__opencl_c_pipes", 200),
    ("__opencl_c_program_scope_global_variables", 200),
    ("__opencl_c_read_write_images", 200),
    ("__opencl_c_subgroups", 300),
    ("__opencl_c_work_group_collective_functions", 200),
    ("cl_ext_float_atomics", 200),
    ("cl_intel_required_subgroup_size", 100),
    ("cl_intel_subgroups", 120),
    ("cl_intel_subgroups_char", 100),
    ("cl_intel_subgroups_long", 100),
    ("cl_intel_subgroups_short", 120),
    ("cl_khr_3d_image_writes", 100),
    ("cl_khr_async_work_group_copy_fence", 100),
    ("cl_khr_byte_addressable_store", 100),
    ("cl_khr_depth_images", 120),
    ("cl_khr_expect_assume", 100),
    ("cl_khr_extended_async_copies", 100),
    ("cl_khr_extended_bit_ops", 100),
    ("cl_khr_fp16", 100),
    ("cl_khr_fp64", 100),
    ("cl_khr_gl_msaa_sharing", 100),
    ("cl_khr_global_int32_base_atomics", 100),
    ("cl_khr_global_int32_extended_atomics", 100),
    ("cl_khr_int64_base_atomics", 100),
    ("cl_khr_int64_extended_atomics", 100),
    ("cl_khr_integer_dot_product", 100),
    ("cl_khr_kernel_clock", 100),
    ("cl_khr_local_int32_base_atomics", 100),
    ("cl_khr_local_int32_extended_atomics", 100),
    ("cl_khr_mipmap_image", 200),
    ("cl_khr_mipmap_image_writes", 200),
    ("cl_khr_srgb_image_writes", 200),
    ("cl_khr_subgroup_ballot", 100),
    ("cl_khr_subgroup_clustered_reduce", 100),
    ("cl_khr_subgroup_extended_types", 100),
    ("cl_khr_subgroup_named_barrier", 200),
    ("cl_khr_subgroup_non_uniform_arithmetic", 100),
    ("cl_khr_subgroup_non_uniform_vote", 100),
    ("cl_khr_subgroup_rotate", 100),
    ("cl_khr_subgroup_shuffle", 100),
    ("cl_khr_subgroup_shuffle_relative", 100),
    ("cl_khr_subgroups", 200),
    ("cl_khr_work_group_uniform_arithmetic", 100),
    ("cles_khr_int64", 110),
];

/// Value of `__OPENCL_C_VERSION__`.
fn version(options: &Options) -> u32 {
    match options.std.as_str() {
        "CL1.0" => 100,
        "CL1.1" => 110,
        "CL2.0" => 200,
        "CL3.0" => 300,
        "CL3.1" => 310,
        _ => 120,
    }
}

/// Definitions of all predefined macros, one a line.
fn definitions(options: &Options, config: &FrontConfig) -> String {
    let version = version(options);
    let has = |name: &str| config.extensions.iter().any(|e| e == name);
    let mut text = String::with_capacity(BASE.len() + OPENCL_2_0.len() + HALF.len() + 4096);
    text.push_str(BASE);
    let mut define = |name: &str, value: u32| {
        let _ = writeln!(text, "#define {name} {value}");
    };
    define("__OPENCL_C_VERSION__", version);
    for number in [100, 110, 120, 200, 300] {
        define(&format!("CL_VERSION_{}_{}", number / 100, number % 100 / 10), number);
    }
    if config.opencl_version != 0 {
        define("__OPENCL_VERSION__", config.opencl_version);
    }
    if config.opencl_version >= 310 {
        define("CL_VERSION_3_1", 310);
    }
    if config.image_support {
        define("__IMAGE_SUPPORT__", 1);
    }
    if config.embedded_profile {
        define("__EMBEDDED_PROFILE__", 1);
    }
    define("__FINITE_MATH_ONLY__", (options.finite_math || options.fast_relaxed_math).into());
    if options.fast_relaxed_math {
        define("__FAST_MATH__", 1);
        define("__FAST_RELAXED_MATH__", 1);
    }
    let has_blocks = version == 200 || version >= 300 && has("__opencl_c_device_enqueue");
    if has_blocks {
        define("__BLOCKS__", 1);
    }
    let defined = EXTENSIONS.iter().filter(|(name, first)| version >= *first && has(name));
    defined.for_each(|(name, _)| define(name, 1));
    if has_blocks {
        text.push_str("#define __block __attribute__((__blocks__(byref)))\n");
    }
    if version >= 200 {
        text.push_str(OPENCL_2_0);
    }
    if version >= 300 {
        text.push_str("#define CLK_UNORM_INT_101010_2 0x10E0\n");
    }
    if has("__opencl_c_ext_image_unorm_int_2_101010") {
        text.push_str("#define CLK_UNORM_INT_2_101010_EXT 0x10E5\n");
    }
    if has("cl_khr_fp16") {
        text.push_str(HALF);
    }
    text
}

/// `-D` and `-U` options as directives.
fn command_line(options: &Options) -> String {
    let mut text = String::new();
    for option in &options.preprocessor {
        if let Some(definition) = option.strip_prefix("-D") {
            let definition = definition.split(['\n', '\r']).next().unwrap_or("");
            let (name, value) = definition.split_once('=').unwrap_or((definition, "1"));
            let _ = writeln!(text, "#define {name} {value}");
        } else if let Some(name) = option.strip_prefix("-U") {
            let _ = writeln!(text, "#undef {}", name.split(['\n', '\r']).next().unwrap_or(""));
        }
    }
    text
}

impl Preprocessor<'_> {
    /// Defines the predefined macros and those of the command line.
    pub(super) fn predefine(&mut self, request: &CompileRequest<'_>) {
        self.define_dynamic();
        let text = definitions(request.options, request.config);
        if self.open("<built-in>".into(), text.as_str().into(), Pos(0), SearchPosition::Source) {
            self.predefined = self.files.pop();
            self.enter_names(&text);
        }
        let text = command_line(request.options);
        if text.is_empty() || !self.open("<command line>".into(), text.into(), Pos(0), SearchPosition::Source)
        {
            return;
        }
        while self.next_of_file().kind != TokenKind::End {}
        self.files.clear();
    }

    /// Enters the names of predefined macros, whose definitions are the lines of a text.
    fn enter_names(&mut self, text: &str) {
        let mut offset = 0;
        for line in text.split_inclusive('\n') {
            let start = offset;
            offset += line.len();
            let Some(rest) = line.strip_prefix("#define ") else { continue };
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let name = self.session.symbols.intern(rest.get(..end).unwrap_or(""));
            let kind = MacroKind::Predefined(start as u32);
            let (params, body, loc) = ((0, 0), (0, 0), Loc::default());
            let (is_variadic, is_plain, is_disabled) = (false, true, false);
            self.macros.define(Macro { name, loc, kind, params, is_variadic, body, is_plain, is_disabled });
        }
    }

    /// Reads the definition of a predefined macro, unless it was read before.
    pub(super) fn read_predefined(&mut self, id: MacroId) {
        let Some(MacroKind::Predefined(offset)) = self.macros.data(id).map(|m| m.kind) else { return };
        let Some(OpenFile { lexer, .. }) = &self.predefined else { return };
        let mut lexer = lexer.clone();
        lexer.go_to(offset as usize + "#define ".len());
        lexer.begin_directive();
        let file = OpenFile { lexer, conditions: Vec::new(), position: SearchPosition::Source };
        self.files.push(file);
        let name: Token = self.next_of_file();
        let data = self.definition(name);
        self.files.pop();
        if let Some(data) = data {
            let loc = Loc { expansion: ExpansionId(0), ..data.loc };
            self.macros.replace(id, Macro { loc, ..data });
        }
    }
}
