//! Arbitrary bytes as OpenCL C: from source text to IR, without and with errors. The first byte selects the
//! language version and the device. The front end must not panic, and ends within the limits of `fuzz/run`.

#![no_main]

use clspv_bridge::CompileError;
use clspv_bridge::front::c;
use clspv_bridge::options::{CompileRequest, FrontConfig, Options};
use libfuzzer_sys::fuzz_target;

const STANDARDS: [&str; 6] = ["CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0", "CL3.1"];

const EXTENSIONS: [&str; 16] = [
    "__opencl_c_3d_image_writes",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_device_enqueue",
    "__opencl_c_fp64",
    "__opencl_c_generic_address_space",
    "__opencl_c_images",
    "__opencl_c_int64",
    "__opencl_c_pipes",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_read_write_images",
    "__opencl_c_subgroups",
    "__opencl_c_work_group_collective_functions",
    "cl_khr_depth_images",
    "cl_khr_fp16",
    "cl_khr_fp64",
];

fuzz_target!(|data: &[u8]| {
    let Some((choice, text)) = data.split_first() else { return };
    let source = String::from_utf8_lossy(text);
    let options = Options {
        std: STANDARDS[usize::from(choice % 6)].into(),
        kernel_arg_info: choice & 64 != 0,
        debug_info: choice & 64 != 0,
        warnings_are_errors: choice & 128 != 0,
        ..Options::default()
    };
    // A third of the inputs are for a device without optional features.
    let count = if choice.is_multiple_of(3) { 0 } else { EXTENSIONS.len() };
    let config = FrontConfig {
        extensions: EXTENSIONS.iter().take(count).map(|e| (*e).to_owned()).collect(),
        image_support: count > 0,
        opencl_version: 310,
        ..FrontConfig::default()
    };
    if let Err(error) = c::compile(&CompileRequest::new(&source, &options, &config)) {
        assert!(!matches!(error, CompileError::Internal(_)), "{error}");
    }
});
