//! Programs in SPIR-V.

use super::raw::*;
use super::{Context, Outcome, Sink, expect, instructions};
use std::ptr::{null, null_mut};

/// Kernels in SPIR-V 1.x with physical addresses of 64 bits; the source is beside.
const IL: &[u8] = include_bytes!("../../../tests/svm/kernels.spv");
const ITEMS: usize = 256;

/// Makes a program of a module, builds it and runs `scale` (p = p * factor + i).
fn module(device: cl_device_id, il: &[u8], run: bool) -> Result<(), String> {
    let rig = Rig::new(device, 0, "kernel void unused(void) { }")?;
    let mut code = 1;
    // SAFETY: the module has its length.
    unsafe {
        let program = clCreateProgramWithIL(rig.context, il.as_ptr().cast(), il.len(), &mut code);
        if !run {
            // clCreateProgramWithIL: the module is no valid one; or the build says so.
            if program.is_null() {
                return expect(code, &[CL_INVALID_VALUE, CL_INVALID_BINARY]);
            }
            let built = clBuildProgram(program, 0, null(), null(), None, null_mut());
            clReleaseProgram(program);
            return expect(built, &[CL_BUILD_PROGRAM_FAILURE, CL_INVALID_BINARY, CL_INVALID_VALUE]);
        }
        ok("clCreateProgramWithIL", code)?;
        ok("clBuildProgram", clBuildProgram(program, 0, null(), null(), None, null_mut()))?;
        let kernel = clCreateKernel(program, c"scale".as_ptr(), &mut code);
        ok("clCreateKernel", code)?;
        let (start, factor) = (vec![5u32; ITEMS], 7u32);
        let from = start.as_ptr().cast();
        ok("clEnqueueWriteBuffer", clEnqueueWriteBuffer(rig.queue, rig.buffer, 1, 0, ITEMS * 4, from, 0, null(), null_mut()))?;
        ok("clSetKernelArg", clSetKernelArg(kernel, 0, size_of::<cl_mem>(), (&raw const rig.buffer).cast()))?;
        ok("clSetKernelArg", clSetKernelArg(kernel, 1, 4, (&raw const factor).cast()))?;
        let code = clEnqueueNDRangeKernel(rig.queue, kernel, 1, null(), &ITEMS, null(), 0, null(), null_mut());
        ok("clEnqueueNDRangeKernel", code)?;
        let out = rig.read(ITEMS)?;
        clReleaseKernel(kernel);
        clReleaseProgram(program);
        let wrong = out.iter().enumerate().find(|(i, v)| **v != 35 + *i as u32);
        wrong.map_or(Ok(()), |(i, v)| Err(format!("element {i} is {v}")))
    }
}

pub fn tests(context: &Context<'_>, sink: &mut Sink) {
    instructions::tests(context, sink);
    let cut = IL.len() / 2 / 4 * 4;
    let tests: [(&str, Vec<u8>, bool); 4] = [
        ("a module runs", IL.to_vec(), true),
        ("bytes that are no module", vec![1; 64], false),
        ("a module that ends early", IL[..cut].to_vec(), false),
        ("a header alone", IL[..20].to_vec(), false),
    ];
    for (name, bytes, run) in tests {
        sink.test(name, || {
            if !device_text(context.device.id, CL_DEVICE_IL_VERSION).contains("SPIR-V") {
                return Outcome::Skip("the device takes no SPIR-V".into());
            }
            module(context.device.id, &bytes, run).into()
        });
    }
}
