//! Output of printf in kernels: each case runs in a child process, whose standard output is read.

use super::raw::*;
use super::{Context, Outcome, Sink};
use std::process::{Command, Stdio};
use std::ptr::{null, null_mut};
use test_support::cl::Api;

/// Expected output.
enum Expected {
    Text(&'static str),
    /// Lines in any order.
    Lines(fn() -> Vec<String>),
    /// A predicate on the text.
    Holds(fn(&str) -> bool),
}

impl Expected {
    fn check(&self, text: &str) -> Result<(), String> {
        match self {
            Expected::Text(want) if text == *want => Ok(()),
            Expected::Text(want) => Err(format!("printed '{text}', expected '{want}'")),
            Expected::Lines(want) => {
                let (mut lines, mut want) = (text.lines().map(str::to_owned).collect::<Vec<_>>(), want());
                lines.sort_unstable();
                want.sort_unstable();
                let at = (0..lines.len().max(want.len())).find(|i| lines.get(*i) != want.get(*i));
                at.map_or(Ok(()), |i| {
                    let (got, want) = (lines.get(i), want.get(i));
                    Err(format!("{} lines; in their order one is {got:?}, expected {want:?}", lines.len()))
                })
            }
            Expected::Holds(holds) if holds(text) => Ok(()),
            Expected::Holds(_) => Err(format!("printed '{text}'")),
        }
    }
}

/// A case: a program whose kernel `k` is launched once for each of some offsets with `items` work-items, its
/// requirements, and its output.
struct Print {
    name: &'static str,
    needs: &'static str,
    launches: usize,
    items: usize,
    source: &'static str,
    expected: Expected,
}

/// A case of one work-item.
const fn print(name: &'static str, source: &'static str, expected: &'static str) -> Print {
    Print { name, needs: "", launches: 1, items: 1, source, expected: Expected::Text(expected) }
}

const PRINTS: &[Print] = &[
    print(
        "integers",
        r#"kernel void k() { printf("%d %i %5d|%-5d|%05d|%+d %u %o %x %X\n", -1, 2, 3, 4, 5, 6, 4294967295u, 8, 255, 255); }"#,
        "-1 2     3|4    |00005|+6 4294967295 10 ff FF\n",
    ),
    print(
        "flags and precision of integers",
        r##"kernel void k() { printf("% d|%.3d|%6.3d|%-6.2x|%#x|%#X|%#o|%+.0d|%06d\n", 7, 8, -9, 10, 255, 255, 8, 1, -42); }"##,
        " 7|008|  -009|0a    |0xff|0XFF|010|+1|-00042\n",
    ),
    print(
        "lengths",
        r#"kernel void k() { printf("%hhd %hd %ld %lx\n", (char)-3, (short)-4, -5000000000L, 0x123456789abcdefUL); }"#,
        "-3 -4 -5000000000 123456789abcdef\n",
    ),
    print(
        "lengths of unsigned integers",
        r#"kernel void k() { printf("%hhu %hu %lu %hhx %ho\n", (uchar)250, (ushort)65535, 18446744073709551615UL, (uchar)171, (ushort)9); }"#,
        "250 65535 18446744073709551615 ab 11\n",
    ),
    print(
        "floating-point numbers",
        r#"kernel void k() { printf("%f %.2f %e %g %8.3f|%-8.1f|%08.2f\n", 1.5f, 2.25f, 12345.678f, 100000.0f, 3.14159f, 2.5f, -1.25f); }"#,
        "1.500000 2.25 1.234568e+04 100000    3.142|2.5     |-0001.25\n",
    ),
    print(
        "forms of floating-point numbers",
        r##"kernel void k() { printf("%E %G %G|%+f|% f|%#.0f|%.0e|%g %g\n", 1e-5f, 1e-10f, 0.5f, 1.0f, 1.0f, 3.0f, 5e10f, 1e-5f, 123456789.0f); }"##,
        "1.000000E-05 1E-10 0.5|+1.000000| 1.000000|3.|5e+10|1e-05 1.23457e+08\n",
    ),
    print(
        "infinities",
        r#"kernel void k() { printf("%f %e %F\n", INFINITY, -INFINITY, INFINITY); }"#,
        "inf -inf INF\n",
    ),
    print(
        "numbers that are none",
        r#"kernel void k() { printf("%f %F %g\n", NAN, NAN, NAN); }"#,
        "nan NAN nan\n",
    ),
    Print {
        needs: "cl_khr_fp64",
        ..print(
            "double precision",
            r#"
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void k() { printf("%.15f %.17g %e\n", 0.1, 1.0 / 3.0, 1e300); printf("%v2lf\n", (double2)(0.25, -1e10)); }"#,
            "0.100000000000000 0.33333333333333331 1.000000e+300\n0.250000,-10000000000.000000\n",
        )
    },
    Print {
        needs: "cl_khr_fp16",
        ..print(
            "half precision",
            r#"
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k() { printf("%v4hf|%v2hg\n", (half4)(0.5h, 1, -2, 1000), (half2)(0.25h, 65504)); }"#,
            "0.500000,1.000000,-2.000000,1000.000000|0.25,65504\n",
        )
    },
    print(
        "characters and strings",
        r#"kernel void k() { printf("%c%3c|%-3c|%% %s|%5s|%-5s|%.2s\n", 'a', 'b', 'c', "str", "s", "t", "cut"); }"#,
        "a  b|c  |% str|    s|t    |cu\n",
    ),
    print(
        "vectors",
        r#"kernel void k() { printf("%v4d %v2hlx %v4hlf\n", (int4)(1, -2, 3, 4), (uint2)(10, 255), (float4)(0.5f, 1, 2, 3)); }"#,
        "1,-2,3,4 a,ff 0.500000,1.000000,2.000000,3.000000\n",
    ),
    print(
        "vectors of integers of every size",
        r#"kernel void k() {
            printf("%v4hhd|%v3hd|%v2hld|%v2ld\n", (char4)(-1, 0, 1, 127), (short3)(-5, 6, 7), (int2)(-8, 9), (long2)(-1, 1L << 40));
            printf("%v8hhu|%v2hx|%v16hlu|%3v2lu\n", (uchar8)(1, 2, 3, 4, 5, 6, 7, 250), (ushort2)(255, 65535), (uint16)(4), (ulong2)(1, 2));
        }"#,
        "-1,0,1,127|-5,6,7|-8,9|-1,1099511627776\n1,2,3,4,5,6,7,250|ff,ffff|4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4|  1,  2\n",
    ),
    print("no operands", r#"kernel void k() { printf("text only\n"); printf(""); }"#, "text only\n"),
    print("loops", r#"kernel void k() { for (int i = 0; i < 3; i++) printf("%d\n", i * i); }"#, "0\n1\n4\n"),
    print(
        "the value of a call",
        r#"kernel void k() { int r = printf("%d\n", 1); printf("%d\n", r); }"#,
        "1\n0\n",
    ),
    print(
        "calls in functions",
        r#"int half_of(int x) { printf("half of %d\n", x); return x / 2; }
           void down(int x) { while (x > 3) x = half_of(x); printf("ends at %d\n", x); }
           kernel void k() { down(20); }"#,
        "half of 20\nhalf of 10\nhalf of 5\nends at 2\n",
    ),
    print(
        "many operands",
        r#"kernel void k() {
            printf("%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %ld %f %s\n",
                   1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17L, 18.0f, "end");
        }"#,
        "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18.000000 end\n",
    ),
    Print {
        name: "every work-item",
        needs: "",
        launches: 1,
        items: 1000,
        source: r#"kernel void k() { printf("item %d, %5.1f of %s\n", (int)get_global_id(0), get_global_id(0) * 0.5f, "1000"); }"#,
        expected: Expected::Lines(|| {
            (0..1000).map(|i| format!("item {i}, {:5.1} of 1000", f64::from(i) * 0.5)).collect()
        }),
    },
    Print {
        name: "some work-items",
        needs: "",
        launches: 1,
        items: 300,
        source: r#"kernel void k() {
            int i = get_global_id(0);
            if (i % 3 == 1) printf("one %d\n", i);
            else if (i % 3 == 2) for (int n = 0; n < i % 5; n++) printf("two %d %d\n", i, n);
        }"#,
        expected: Expected::Lines(|| {
            let two = |i: u32| (0..if i % 3 == 2 { i % 5 } else { 0 }).map(move |n| format!("two {i} {n}"));
            (0..300)
                .filter(|i| i % 3 == 1)
                .map(|i| format!("one {i}"))
                .chain((0..300).flat_map(two))
                .collect()
        }),
    },
    Print {
        name: "launches in order",
        needs: "",
        launches: 5,
        items: 1,
        source: r#"kernel void k() { printf("launch %d\n", (int)get_global_id(0)); }"#,
        expected: Expected::Text("launch 0\nlaunch 1\nlaunch 2\nlaunch 3\nlaunch 4\n"),
    },
    Print {
        name: "pointers",
        needs: "",
        launches: 1,
        items: 1,
        source: r#"kernel void k() {
            local int words[2];
            printf("%p\n", words); printf("%p\n", words + 1); printf("%p\n", &words[0]);
        }"#,
        // The format of pointers is implementation-defined; equal pointers print alike, different ones
        // differ.
        expected: Expected::Holds(|text| match *text.lines().collect::<Vec<_>>() {
            [a, b, c] => !a.is_empty() && a == c && a != b,
            _ => false,
        }),
    },
];

/// Prints a case in this process, a child of the area `printf`.
pub fn print_one(device: usize, case: usize) -> Result<(), String> {
    let api = Api::load()?;
    let devices = api.devices()?;
    let device = devices.get(device).ok_or("no such device")?;
    let case = PRINTS.get(case).ok_or("no such case")?;
    let rig = Rig::new(device.id, 0, case.source)?;
    let kernel = rig.kernel("k");
    // SAFETY: live handles.
    unsafe {
        for offset in 0..case.launches {
            let code = clEnqueueNDRangeKernel(
                rig.queue,
                kernel,
                1,
                &offset,
                &case.items,
                null(),
                0,
                null(),
                null_mut(),
            );
            ok("clEnqueueNDRangeKernel", code)?;
        }
        ok("clFinish", clFinish(rig.queue))?;
        clReleaseKernel(kernel);
    }
    Ok(())
}

pub fn tests(context: &Context<'_>, sink: &mut Sink<'_>) {
    for (number, case) in PRINTS.iter().enumerate() {
        sink.test(case.name, || {
            let run = || -> Result<Outcome, String> {
                if !case.needs.is_empty() && !context.session()?.offers().has(case.needs) {
                    return Ok(Outcome::Skip(format!("needs {}", case.needs)));
                }
                let index =
                    context.api.devices()?.iter().position(|d| d.id == context.device.id).unwrap_or(0);
                let own = std::env::current_exe().map_err(|e| e.to_string())?;
                let mut command = Command::new(own);
                command
                    .args(["print-one", &index.to_string(), &number.to_string()])
                    .stdin(Stdio::null())
                    .stderr(Stdio::null());
                let output = command.output().map_err(|e| e.to_string())?;
                let text = String::from_utf8_lossy(&output.stdout);
                if !output.status.success() {
                    return Err(format!("ended with {}", output.status));
                }
                case.expected.check(&text).map(|()| Outcome::Pass)
            };
            run().unwrap_or_else(Outcome::Fail)
        });
    }
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn texts_are_judged() {
        assert!(Expected::Text("a\n").check("a\n").is_ok() && Expected::Text("a\n").check("a").is_err());
        let lines = Expected::Lines(|| vec!["b".into(), "a".into()]);
        assert!(
            lines.check("a\nb\n").is_ok() && lines.check("a\n").is_err() && lines.check("a\nb\nb\n").is_err()
        );
    }
}
