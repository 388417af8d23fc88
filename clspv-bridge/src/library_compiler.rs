//! Compiles the built-in library from its sources in `clspv-bridge/builtins` to the encoded form of
//! [`crate::builtin_library`], with the front end for OpenCL C.
//!
//! Each exported function is optimised with the internal functions that it calls. Calls of exported functions
//! remain, as [`crate::passes::link`] takes functions one by one.

use crate::builtin_library::encode;
use crate::error::{CompileError, Result};
use crate::front;
use crate::options::{CompileRequest, Extent, FrontConfig, FrontEnd, Header, Options};
use crate::passes::PassContext;
use crate::pipeline;
use crate::target::Target;

/// Source files, without their extension, in the order of the translation unit.
const SOURCES: &[&str] = &[
    "exp",
    "log",
    "pow",
    "trig",
    "trig_inverse",
    "relaxed",
    "hyperbolic",
    "algebra",
    "rounding",
    "hardware",
    "erf",
    "gamma",
    "half",
    "double_exp",
    "double_trig",
    "double_misc",
    "double_exact",
    "hardware_double",
    "atomics",
    "async",
    "groups",
    "pipe",
    "image",
    "texels",
];

/// Headers of the sources.
const HEADERS: &[&str] = &["common.h", "double.h", "image_texels.h"];

/// Extensions and features of the language that the sources use.
const FEATURES: &[&str] = &[
    "cl_khr_fp64",
    "__opencl_c_fp64",
    "cl_khr_fp16",
    "__opencl_c_fp16",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_byte_addressable_store",
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_subgroups",
    "__opencl_c_work_group_collective_functions",
    "cl_khr_subgroup_non_uniform_arithmetic",
    "__opencl_c_images",
    "cl_khr_mipmap_image",
];

/// Compiles the library. `read` returns the text of a file of the sources' folder.
pub fn compile(read: impl Fn(&str) -> Result<String>) -> Result<Vec<u8>> {
    let header = |name: &&str| Ok(Header { name: (*name).to_owned(), text: read(name)? });
    let headers = HEADERS.iter().map(header).collect::<Result<Vec<Header>>>()?;
    let mut source = String::from("#pragma OPENCL FP_CONTRACT OFF\n");
    for name in SOURCES {
        let file = format!("{name}.cl");
        source.push_str(&format!("#line 1 \"{file}\"\n{}\n", read(&file)?));
    }
    let config = FrontConfig {
        front_end: FrontEnd::BuiltIn,
        extensions: FEATURES.iter().map(|f| (*f).to_owned()).collect(),
        image_support: true,
        opencl_version: 300,
        ..FrontConfig::default()
    };
    let options = Options { std: "CL3.0".into(), ..Options::default() };
    let request = CompileRequest { headers: &headers, ..CompileRequest::new(&source, &options, &config) };
    let library = front::c::compile(&request)?.library;
    if !library.log.is_empty() {
        return Err(CompileError::Diagnostics(library.log));
    }
    let mut module = library.module(&[], Extent::Part)?;
    let target = Target::generic();
    pipeline::run(&mut module, pipeline::LIBRARY, &mut PassContext::new(&target, &options))?;
    for func in module.functions.values_mut() {
        *func = func.compacted();
        // Diagnostics about a kernel name the line of its call.
        func.insts.values_mut().for_each(|inst| inst.line = 0);
    }
    encode(module)
}
