//! Joins the steps: source or IL to library SPIR-V, library SPIR-V to an executable program.

use crate::abi::CompiledProgram;
use crate::error::Result;
use crate::target::Target;

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
    pub uniform_work_group_size: bool,
    pub kernel_arg_info: bool,
    pub warnings_off: bool,
    pub warnings_are_errors: bool,
    /// -g
    pub debug_info: bool,
}

/// What clang compiles for: version, extensions and features that the device advertises.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FrontConfig {
    /// Path of clang; found by [`crate::front::clang::find`] if empty.
    pub clang: String,
    /// Extension and feature macros to enable, e.g. "cl_khr_fp64", "__opencl_c_int64".
    pub extensions: Vec<String>,
    /// CL_DEVICE_ADDRESS_BITS is always 64; endianness always little.
    pub image_support: bool,
    /// Value of __OPENCL_VERSION__, e.g. 310.
    pub opencl_version: u32,
}

/// A header of clCompileProgram: include name and text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Header {
    pub name: String,
    pub text: String,
}

/// Library SPIR-V of one translation unit with the log of warnings.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// OpenCL SPIR-V.
    pub spirv: Vec<u32>,
    /// Diagnostics (warnings), possibly empty.
    pub log: String,
    /// Argument information taken from the source, by kernel (empty if not asked for).
    pub arg_info: Vec<crate::front::clang::KernelArgInfo>,
}

/// Compiles OpenCL C (or C++ for OpenCL) to library SPIR-V in a clang child process.
pub fn compile_source(source: &str, headers: &[Header], options: &Options, config: &FrontConfig) -> Result<Library> {
    crate::front::clang::compile(source, headers, options, config)
}

/// A specialisation constant set by clSetProgramSpecializationConstant: SpecId and little-endian bytes.
pub type SpecConstants = [(u32, Vec<u8>)];

/// Links library modules and the built-in library, and compiles every kernel for the target.
pub fn build(_libraries: &[&Library], _options: &Options, _specs: &SpecConstants, _target: &Target) -> Result<CompiledProgram> {
    Err(crate::CompileError::internal("driver::build is not written yet"))
}
