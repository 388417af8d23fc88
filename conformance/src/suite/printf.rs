//! What kernels print: each case in a child process, whose standard output is read.

use super::raw::*;
use super::{Context, Sink};
use crate::cl::Api;
use std::process::{Command, Stdio};
use std::ptr::{null, null_mut};

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

pub fn tests(context: &Context<'_>, sink: &mut Sink) {
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
