//! Shared virtual memory, printf, and programs in SPIR-V.

use super::raw::*;
use super::{Context, Outcome, Sink, expect};
use crate::cl::Api;
use std::process::{Command, Stdio};
use std::ptr::{null, null_mut};

/// Kernels in SPIR-V 1.x with physical addresses of 64 bits; the source is beside.
const IL: &[u8] = include_bytes!("../../../tests/svm/kernels.spv");
const SOURCE: &str = include_str!("../../../tests/svm/kernels.cl");
const ITEMS: usize = 256;

fn ok(what: &str, code: cl_int) -> Result<(), String> {
    if code == CL_SUCCESS { Ok(()) } else { Err(format!("{what} gives {code}")) }
}

#[repr(C)]
struct Node {
    next: *mut Node,
    value: u64,
}

/// A list that the host writes and the device walks.
fn list(rig: &Rig, fine: bool) -> Result<(), String> {
    const NODES: usize = 100;
    let flags = CL_MEM_READ_WRITE | if fine { CL_MEM_SVM_FINE_GRAIN_BUFFER } else { 0 };
    // SAFETY: the memory is mapped while the host uses it, and freed after the last command.
    unsafe {
        let nodes = clSVMAlloc(rig.context, flags, NODES * size_of::<Node>(), 0).cast::<Node>();
        if nodes.is_null() {
            return Err("clSVMAlloc gives NULL".into());
        }
        if !fine {
            let code =
                clEnqueueSVMMap(rig.queue, 1, CL_MAP_WRITE, nodes.cast(), NODES * size_of::<Node>(), 0, null(), null_mut());
            ok("clEnqueueSVMMap", code)?;
        }
        for i in 0..NODES {
            let next = if i + 1 < NODES { nodes.add(i + 1) } else { null_mut() };
            nodes.add(i).write(Node { next, value: i as u64 });
        }
        if !fine {
            ok("clEnqueueSVMUnmap", clEnqueueSVMUnmap(rig.queue, nodes.cast(), 0, null(), null_mut()))?;
        }
        let (kernel, one) = (rig.kernel("walk"), 1usize);
        ok("clSetKernelArgSVMPointer", clSetKernelArgSVMPointer(kernel, 0, nodes.cast()))?;
        ok("clSetKernelArg", clSetKernelArg(kernel, 1, size_of::<cl_mem>(), (&raw const rig.buffer).cast()))?;
        let code = clEnqueueNDRangeKernel(rig.queue, kernel, 1, null(), &one, null(), 0, null(), null_mut());
        ok("clEnqueueNDRangeKernel", code)?;
        let out = rig.read(4)?;
        clReleaseKernel(kernel);
        clSVMFree(rig.context, nodes.cast());
        if out == [4950, 0, 100, 0] { Ok(()) } else { Err(format!("sum and count are {out:?}")) }
    }
}

fn copies(rig: &Rig) -> Result<(), String> {
    // SAFETY: as above.
    unsafe {
        let ptr = clSVMAlloc(rig.context, CL_MEM_READ_WRITE, 4096, 0).cast::<u32>();
        if ptr.is_null() {
            return Err("clSVMAlloc gives NULL".into());
        }
        let (pattern, own) = (7u32, [9u32; 16]);
        let fill = clEnqueueSVMMemFill(rig.queue, ptr.cast(), (&raw const pattern).cast(), 4, 4096, 0, null(), null_mut());
        ok("clEnqueueSVMMemFill", fill)?;
        let copy = clEnqueueSVMMemcpy(rig.queue, 1, ptr.add(100).cast(), own.as_ptr().cast(), 64, 0, null(), null_mut());
        ok("clEnqueueSVMMemcpy", copy)?;
        ok("clEnqueueSVMMap", clEnqueueSVMMap(rig.queue, 1, CL_MAP_READ, ptr.cast(), 4096, 0, null(), null_mut()))?;
        let wrong = (0..1024).find(|i| *ptr.add(*i) != if (100..116).contains(i) { 9 } else { 7 });
        ok("clEnqueueSVMUnmap", clEnqueueSVMUnmap(rig.queue, ptr.cast(), 0, null(), null_mut()))?;
        clFinish(rig.queue);
        clSVMFree(rig.context, ptr.cast());
        wrong.map_or(Ok(()), |i| Err(format!("element {i} is wrong")))
    }
}

/// A test, the capabilities that it needs, and what it does.
type SvmTest = (&'static str, u64, fn(&Rig) -> Result<(), String>);

pub fn svm(context: &Context<'_>, sink: &mut Sink) {
    let tests: [SvmTest; 3] = [
        ("a list in coarse-grained memory", CL_DEVICE_SVM_COARSE_GRAIN_BUFFER, |r| list(r, false)),
        ("a list in fine-grained memory", CL_DEVICE_SVM_FINE_GRAIN_BUFFER, |r| list(r, true)),
        ("fills and copies", CL_DEVICE_SVM_COARSE_GRAIN_BUFFER, copies),
    ];
    for (name, needs, run) in tests {
        sink.test(name, || {
            if device_number(context.device.id, CL_DEVICE_SVM_CAPABILITIES) & needs == 0 {
                return Outcome::Skip("the device does not offer it".into());
            }
            Rig::new(context.device.id, 0, SOURCE).and_then(|rig| run(&rig)).into()
        });
    }
}

/// What kernels print: name, body of a kernel of one work-item, text.
const PRINTS: &[(&str, &str, &str)] = &[
    (
        "integers",
        r#"printf("%d %i %5d|%-5d|%05d|%+d %u %o %x %X\n", -1, 2, 3, 4, 5, 6, 4294967295u, 8, 255, 255);"#,
        "-1 2     3|4    |00005|+6 4294967295 10 ff FF\n",
    ),
    (
        "lengths",
        r#"printf("%hhd %hd %ld %lx\n", (char)-3, (short)-4, -5000000000L, 0x123456789abcdefUL);"#,
        "-3 -4 -5000000000 123456789abcdef\n",
    ),
    (
        "floating-point numbers",
        r#"printf("%f %.2f %e %g %8.3f|%-8.1f|%08.2f\n", 1.5f, 2.25f, 12345.678f, 100000.0f, 3.14159f, 2.5f, -1.25f);"#,
        "1.500000 2.25 1.234568e+04 100000    3.142|2.5     |-0001.25\n",
    ),
    ("infinities", r#"printf("%f %e %F\n", INFINITY, -INFINITY, INFINITY);"#, "inf -inf INF\n"),
    (
        "characters and strings",
        r#"printf("%c%3c|%-3c|%% %s|%5s|%-5s|%.2s\n", 'a', 'b', 'c', "str", "s", "t", "cut");"#,
        "a  b|c  |% str|    s|t    |cu\n",
    ),
    (
        "vectors",
        r#"printf("%v4d %v2hlx %v4hlf\n", (int4)(1, -2, 3, 4), (uint2)(10, 255), (float4)(0.5f, 1, 2, 3));"#,
        "1,-2,3,4 a,ff 0.500000,1.000000,2.000000,3.000000\n",
    ),
    ("no operands", r#"printf("text only\n"); printf("");"#, "text only\n"),
    ("loops", r#"for (int i = 0; i < 3; i++) printf("%d\n", i * i);"#, "0\n1\n4\n"),
];

/// Prints a case in this process: what `printf` starts as a child.
pub fn print_one(device: usize, case: usize) -> Result<(), String> {
    let api = Api::load()?;
    let devices = api.devices()?;
    let device = devices.get(device).ok_or("no such device")?;
    let (_, body, _) = PRINTS.get(case).ok_or("no such case")?;
    let rig = Rig::new(device.id, 0, &format!("kernel void k(void) {{ {body} }}"))?;
    let (kernel, one) = (rig.kernel("k"), 1usize);
    // SAFETY: live handles.
    unsafe {
        ok("clEnqueueNDRangeKernel", clEnqueueNDRangeKernel(rig.queue, kernel, 1, null(), &one, null(), 0, null(), null_mut()))?;
        ok("clFinish", clFinish(rig.queue))?;
        clReleaseKernel(kernel);
    }
    Ok(())
}

pub fn printf(context: &Context<'_>, sink: &mut Sink) {
    for (case, (name, _, expected)) in PRINTS.iter().enumerate() {
        sink.test(*name, || {
            let run = || -> Result<(), String> {
                let index = context.api.devices()?.iter().position(|d| d.id == context.device.id).unwrap_or(0);
                let own = std::env::current_exe().map_err(|e| e.to_string())?;
                let mut command = Command::new(own);
                command.args(["print-one", &index.to_string(), &case.to_string()]).stdin(Stdio::null()).stderr(Stdio::null());
                let output = command.output().map_err(|e| e.to_string())?;
                let text = String::from_utf8_lossy(&output.stdout);
                if !output.status.success() {
                    return Err(format!("ended with {}", output.status));
                }
                if text == *expected { Ok(()) } else { Err(format!("printed '{text}', expected '{expected}'")) }
            };
            run().into()
        });
    }
}

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

pub fn il(context: &Context<'_>, sink: &mut Sink) {
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
