//! Input of a compilation and result of its front half: options, configuration, headers, libraries.

use crate::error::Result;
use crate::front;
use crate::ir::Module;
use crate::ir::lazy::LazyModule;
use crate::metadata::KernelArgInfo;
use std::borrow::Cow;
use std::path::PathBuf;

/// Options of a compilation that concern the compiler (already parsed from the OpenCL option string).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// -cl-std=..., e.g. "CL1.2"; empty for the default.
    pub std: String,
    /// -D, -I, -U in order, as clang takes them ("-DX=1", "-I/dir with spaces").
    pub preprocessor: Vec<String>,
    pub opt_disable: bool,
    pub mad_enable: bool,
    pub no_signed_zeros: bool,
    pub unsafe_math: bool,
    pub finite_math: bool,
    pub fast_relaxed_math: bool,
    pub denorms_are_zero: bool,
    pub single_precision_constant: bool,
    pub correctly_rounded_divide_sqrt: bool,
    /// Whether work-group sizes must divide launches evenly: -cl-uniform-work-group-size, or the language's
    /// rule ([`Options::has_uniform_groups`]).
    pub uniform_work_group_size: bool,
    pub kernel_arg_info: bool,
    pub warnings_off: bool,
    pub warnings_are_errors: bool,
    /// Other options about warnings in order, without "-W": "no-unused-value", "error=unused-value".
    pub warnings: Vec<String>,
    /// -g
    pub debug_info: bool,
    /// Whether local and private memory are zero when a kernel begins (a property of the context:
    /// cl_khr_initialize_memory).
    pub initialize_local: bool,
    pub initialize_private: bool,
}

impl Options {
    /// Whether work-group sizes must divide launches evenly: before OpenCL C 2.0 always, afterwards if the
    /// build options state it. Source without -cl-std is OpenCL C 1.2; an intermediate language has no such
    /// default.
    pub fn has_uniform_groups(&self, from_source: bool) -> bool {
        self.uniform_work_group_size || self.is_before_2_0() && from_source
    }

    /// Whether source is OpenCL C of a version before 2.0, as without -cl-std.
    pub(crate) fn is_before_2_0(&self) -> bool {
        matches!(self.std.as_str(), "" | "CL" | "CL1.0" | "CL1.1" | "CL1.2")
    }
}

/// Extent of a translation unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Extent {
    /// Other modules may be linked to it, so every function is kept.
    Part,
    /// Nothing else is linked to it: only kernels are kept, which is faster.
    Program,
}

/// Compiler of OpenCL C to a library.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum FrontEnd {
    /// clang in a child process ([`crate::front::clang`]).
    #[default]
    Clang,
    /// In this process ([`crate::front::c`]).
    BuiltIn,
}

/// Configuration of the front end: version, extensions and features that the device advertises.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FrontConfig {
    /// Compiler of OpenCL C; C++ for OpenCL is compiled by clang.
    pub front_end: FrontEnd,
    /// Path of clang; if empty, [`crate::front::clang::find`] searches for it.
    pub clang: String,
    /// More arguments for clang, after all others.
    pub clang_args: Vec<String>,
    /// Extension and feature macros to enable, e.g. "cl_khr_fp64", "__opencl_c_int64".
    pub extensions: Vec<String>,
    /// CL_DEVICE_ADDRESS_BITS is always 64; endianness always little.
    pub image_support: bool,
    /// The device has the embedded profile (__EMBEDDED_PROFILE__).
    pub embedded_profile: bool,
    /// Value of __OPENCL_VERSION__, e.g. 310.
    pub opencl_version: u32,
    /// For instrumented code ([`crate::target::CpuTarget::instrumented`]): compiles without LLVM's passes,
    /// and records line numbers.
    pub instrumented: bool,
}

/// A translation unit to compile to library SPIR-V.
#[derive(Clone, Copy, Debug)]
pub struct CompileRequest<'a> {
    pub source: &'a str,
    pub headers: &'a [Header],
    pub options: &'a Options,
    pub config: &'a FrontConfig,
    pub extent: Extent,
    /// Whether to list the files that are read ([`CompiledSource::dependencies`]).
    pub list_dependencies: bool,
}

impl<'a> CompileRequest<'a> {
    /// A source without headers, to which others may be linked.
    pub fn new(source: &'a str, options: &'a Options, config: &'a FrontConfig) -> CompileRequest<'a> {
        CompileRequest {
            source,
            headers: &[],
            options,
            config,
            extent: Extent::Part,
            list_dependencies: false,
        }
    }
}

/// Result of compiling a translation unit.
#[derive(Clone, Debug)]
pub struct CompiledSource {
    pub library: Library,
    /// Files that the preprocessor read, except the headers of the request and the source itself; `None` if
    /// not requested or not available.
    pub dependencies: Option<Vec<PathBuf>>,
}

/// A header of clCompileProgram: include name and text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Header {
    pub name: String,
    pub text: String,
}

/// Compiled code of a translation unit, before linking.
#[derive(Clone, Debug)]
pub enum LibraryCode {
    /// OpenCL SPIR-V.
    Spirv(Vec<u32>),
    /// IR in phase Imported.
    Ir(LazyModule),
}

impl Default for LibraryCode {
    fn default() -> Self {
        LibraryCode::Spirv(Vec::new())
    }
}

impl LibraryCode {
    /// The code as bytes: little-endian SPIR-V, or the binary form of the IR.
    pub fn to_bytes(&self) -> Result<Cow<'_, [u8]>> {
        match self {
            LibraryCode::Spirv(words) => {
                Ok(words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>().into())
            }
            LibraryCode::Ir(module) => module.bytes().map(Cow::Borrowed),
        }
    }

    /// Whether IR can be decoded and obeys the verifier. SPIR-V is checked when it is read.
    pub fn is_valid(&self) -> bool {
        match self {
            LibraryCode::Spirv(_) => true,
            LibraryCode::Ir(module) => module.module().is_ok(),
        }
    }

    /// The words of SPIR-V; empty for IR.
    pub fn spirv(&self) -> &[u32] {
        match self {
            LibraryCode::Spirv(words) => words,
            LibraryCode::Ir(_) => &[],
        }
    }
}

/// Code of one translation unit with the log of warnings.
#[derive(Clone, Debug, Default)]
pub struct Library {
    pub code: LibraryCode,
    /// Diagnostics (warnings), possibly empty.
    pub log: String,
    /// Argument information taken from the source, by kernel (empty if not needed).
    pub arg_info: Vec<KernelArgInfo>,
}

impl Library {
    /// A library of SPIR-V without a log.
    pub fn from_spirv(words: Vec<u32>) -> Library {
        Library { code: LibraryCode::Spirv(words), ..Library::default() }
    }

    /// The module in phase Imported. `extent` tells whether other modules may call its kernels.
    pub fn module(&self, specs: &SpecConstants, extent: Extent) -> Result<Module> {
        match (&self.code, extent) {
            (LibraryCode::Spirv(words), Extent::Part) => front::spirv::read_part(words, specs),
            (LibraryCode::Spirv(words), Extent::Program) => front::spirv::read(words, specs),
            (LibraryCode::Ir(module), _) => Ok(Module::clone(&*module.module()?)),
        }
    }
}

/// A specialisation constant set by clSetProgramSpecializationConstant: SpecId and little-endian bytes.
pub type SpecConstants = [(u32, Vec<u8>)];

/// The kernels of a program to compile.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kernels {
    /// All; one that cannot be compiled fails the program.
    Every,
    /// Those that the target supports; `CompiledProgram::absent` lists the others. These include kernels
    /// whose trip counts may exceed the target's limit, which `Every` accepts: most such kernels stay below.
    Possible,
    /// The kernels of these names; one that cannot be compiled fails the program.
    Named(Vec<String>),
}

impl Kernels {
    pub(crate) fn has(&self, name: &str) -> bool {
        match self {
            Kernels::Named(names) => names.iter().any(|n| n == name),
            Kernels::Every | Kernels::Possible => true,
        }
    }
}
