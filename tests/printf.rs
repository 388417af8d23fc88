//! printf in kernels. Each case runs in a child process, whose standard output the parent reads and compares.
//! The cases run again on devices that lack storage-buffer bindings, mapped device memory or double
//! precision.

#![allow(clippy::unwrap_used, clippy::panic)]

use libtest_mimic::{Arguments, Failed, Trial};
use std::ffi::{CString, c_char, c_void};
use std::process::{Command, ExitCode, Stdio};
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use test_support::api::command_buffer::*;
use test_support::api::rig::*;
use test_support::api::*;

/// Environment variable that names the child's case.
const CASE: &str = "PRINTF_CASE";

struct Case {
    name: &'static str,
    /// Runs in the child.
    run: fn(),
    /// Compares the child's output; returns the difference.
    check: fn(&str) -> Result<(), String>,
}

const CASES: &[Case] = &[
    Case { name: "conversions", run: conversions, check: |t| same(t, CONVERSIONS) },
    Case { name: "vectors", run: vectors, check: |t| same(t, VECTORS) },
    Case { name: "strings", run: strings, check: |t| same(t, STRINGS) },
    Case { name: "values_are_those_of_the_call", run: values, check: |t| same(t, VALUES) },
    Case { name: "divergent_flow", run: divergent, check: check_divergent },
    Case { name: "records_of_many_work_items_are_whole", run: many_items, check: check_many_items },
    Case { name: "kernels_print_in_order", run: in_order, check: check_in_order },
    Case { name: "output_comes_before_completion", run: before_completion, check: check_before_completion },
    Case { name: "several_queues_with_events", run: several_queues, check: check_several_queues },
    Case { name: "a_full_buffer_drops_whole_records", run: full_buffer, check: check_full_buffer },
    Case { name: "two_dimensions_and_offsets", run: offsets, check: check_offsets },
    Case {
        name: "the_applications_own_output_keeps_its_order",
        run: own_output,
        check: |t| same(t, "one\ntwo\nthree\nfour\n"),
    },
    Case { name: "standard_output_is_closed", run: closed_output, check: |t| same(t, "") },
    Case { name: "the_stream_is_closed", run: closed_stream, check: |t| same(t, "") },
    Case { name: "nobody_reads_the_output", run: broken_pipe, check: |t| same(t, "") },
    Case { name: "a_callback_takes_the_output", run: callback, check: |t| same(t, "") },
    Case { name: "programs_from_binaries_print", run: binaries, check: |t| same(t, "7 text\n7 text\n") },
    Case {
        name: "command_buffers_print_at_each_replay",
        run: command_buffer,
        check: |t| same(t, "1 1\n2\n1 1\n2\n3\n"),
    },
    Case { name: "odd_formats_are_survived", run: odd_formats, check: |t| same(t, "end\n") },
];

fn same(text: &str, expected: &str) -> Result<(), String> {
    if text == expected { Ok(()) } else { Err(format!("printed:\n{text}\nexpected:\n{expected}")) }
}

/// Runs the kernel `k` of a program once.
fn print(source: &str, items: usize) {
    let rig = Rig::new(source);
    let (queue, kernel) = (rig.queue(0), rig.kernel("k"));
    launch(queue, kernel, items, &[]).release();
    finish(queue);
}

fn conversions() {
    print(
        r#"kernel void k() {
            printf("%d %i %5d|%-5d|%05d|%+d|% d|%.3d\n", -1, 2, 3, 4, 5, 6, 7, 8);
            printf("%u %o %#o %x %#X %hhd %hd %hhu %ld %lx\n", 4294967295u, 8, 8, 255, 255, (char)-3, (short)-4, (uchar)250,
                   -5000000000L, 0x123456789abcdefUL);
            printf("%f %.2f %F %e %.0E %g %G %a|%8.3f|%-8.1f|%08.2f|%+g\n", 1.5f, 2.345f, -0.5f, 12345.678f, 3e20f, 1e-5f, 100000.0f,
                   1.0f, 3.14159f, 2.5f, -1.25f, 7.0f);
            printf("%f %e %g %a %F %E %G\n", INFINITY, -INFINITY, NAN, INFINITY, INFINITY, -INFINITY, NAN);
            printf("%c%3c|%-3c|%% %s|%5s|%-5s|%.2s\n", 'a', 'b', 'c', "str", "s", "t", "cut");
            printf("no operands\n");
            printf("");
        }"#,
        1,
    );
}

const CONVERSIONS: &str = "-1 2     3|4    |00005|+6| 7|008\n\
    4294967295 10 010 ff 0XFF -3 -4 250 -5000000000 123456789abcdef\n\
    1.500000 2.35 -0.500000 1.234568e+04 3E+20 1e-05 100000 0x1p+0|   3.142|2.5     |-0001.25|+7\n\
    inf -inf nan inf INF -INF NAN\n\
    a  b|c  |% str|    s|t    |cu\n\
    no operands\n";

fn vectors() {
    print(
        r#"kernel void k() {
            printf("%v4hld|%v2hlu|%v3hlx\n", (int4)(1, -2, 3, -4), (uint2)(5, 4294967295u), (int3)(10, 11, 12));
            printf("%v4hhd|%#v2hhx|%v8hho\n", (char4)(-1, 0, 1, 127), (uchar2)(0xfa, 0xfb), (uchar8)(1, 2, 3, 4, 5, 6, 7, 8));
            printf("%v2hd|%v4hx|%v2ld|%v3lx\n", (short2)(-5, 6), (ushort4)(65535), (long2)(-1, 1L << 40), (ulong3)(1, 2, 3));
            printf("%v4hlf|%5.1v2hlf|%v3hle\n", (float4)(1, 2.5f, -3, 4), (float2)(1.25f, -7), (float3)(1, 10, 100));
            printf("%v16hld\n", (int16)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16));
            printf("%s %v2hld %d\n", "mixed", (int2)(8, 9), 10);
        }"#,
        1,
    );
}

const VECTORS: &str = "1,-2,3,-4|5,4294967295|a,b,c\n-1,0,1,127|0xfa,0xfb|1,2,3,4,5,6,7,10\n-5,6|ffff,ffff,ffff,ffff|-1,1099511627776|1,2,3\n\
    1.000000,2.500000,-3.000000,4.000000|  1.2, -7.0|1.000000e+00,1.000000e+01,1.000000e+02\n\
    1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16\nmixed 8,9 10\n";

fn strings() {
    let rig = Rig::new(
        r#"constant char greeting[] = "hello";
        constant char *constant words[3] = { "zero", "one", "two" };
        void say(constant char *format, constant char *word, int x) { printf(format, word, x); }
        kernel void k(global int *p, constant char *text, global char *more) {
            say("%s %d\n", greeting, p[0]);
            say("%d: %s\n" + 4, "tail", 1);
            printf(p[1] ? "yes %d\n" : "no %d\n", p[1]);
            printf("%s|%s\n", p[1] ? "chosen" : "not", p[0] ? "not" : "also");
            for (int i = 0; i < 3; i++) printf("%s,", words[p[i]]);
            printf("\n%s from a buffer, %s\n", text, (constant char *)0);
            printf("%.3s|%8s|%s\n", "cut off", "right", "in\0side");
        }"#,
    );
    let (queue, kernel) = (rig.queue(0), rig.kernel("k"));
    let more = rig.buffer(b"xx\0");
    for (i, mem) in [rig.buffer(&[0, 1, 2]), rig.buffer(b"ztext\0"), more].into_iter().enumerate() {
        set(kernel, i as u32, mem);
    }
    launch(queue, kernel, 1, &[]).release();
    finish(queue);
}

const STRINGS: &str =
    "hello 0\ntail\nyes 1\nchosen|also\nzero,one,two,\nztext from a buffer, (null)\ncut|   right|in\n";

fn values() {
    // A call's output is a snapshot, and pointers print the value that the kernel sees.
    let rig = Rig::new(
        r#"kernel void k(global int *p, global ulong *q, local int *l) {
            int x = p[0];
            printf("%d\n", x);
            p[0] = x + 1;
            printf("%d\n", p[0]);
            l[0] = 5;
            printf("%d\n", l[0]);
            l[0] = 6;
            q[0] = printf("%p\n", q) == 0 ? (ulong)q : 0;
        }"#,
    );
    let (queue, kernel) = (rig.queue(0), rig.kernel("k"));
    let (p, q) = (rig.buffer(&[41]), rig.buffer(&[0u64]));
    set(kernel, 0, p);
    set(kernel, 1, q);
    // SAFETY: a local argument.
    ok(unsafe { clSetKernelArg(kernel, 2, 16, null()) });
    let mut out = Vec::new();
    for _ in 0..2 {
        launch(queue, kernel, 1, &[]).release();
        out = read::<u64>(queue, q, 1);
    }
    // The parent prints the address, which varies from run to run.
    let captured = format!("{:#x}\n", out[0]);
    libc_print(&format!("{}\n", captured.len() > 4));
    std::process::exit(i32::from(read::<i32>(queue, p, 1) != [43]));
}

const VALUES: &str = "41\n42\n5\n<p>\n42\n43\n5\n<p>\ntrue\n";

fn divergent() {
    print(
        r#"kernel void k() {
            int i = get_global_id(0);
            for (int j = 0; j < i % 5; j++) {
                if (i & 1) {
                    printf("odd %d %d\n", i, j);
                    if (j == 2) break;
                } else switch (j) {
                    case 0: printf("even %d first\n", i); break;
                    case 3: printf("even %d last\n", i); continue;
                    default: if (printf("even %d %d\n", i, j) != 0) return;
                }
            }
        }"#,
        100,
    );
}

fn check_divergent(text: &str) -> Result<(), String> {
    let mut expected: Vec<String> = Vec::new();
    for i in 0..100 {
        for j in 0..i % 5 {
            expected.push(match (i % 2, j) {
                (1, _) => format!("odd {i} {j}"),
                (_, 0) => format!("even {i} first"),
                (_, 3) => format!("even {i} last"),
                _ => format!("even {i} {j}"),
            });
            if i % 2 == 1 && j == 2 {
                break;
            }
        }
    }
    // Each work-item's lines are in order.
    let lines: Vec<&str> = text.lines().collect();
    for i in 0..100 {
        let of = |l: &&str| l.split(' ').nth(1) == Some(&i.to_string());
        let own: Vec<&str> = lines.iter().copied().filter(of).collect();
        let wanted: Vec<&str> = expected.iter().map(String::as_str).filter(of).collect();
        if own != wanted {
            return Err(format!("work-item {i}: {own:?}, expected {wanted:?}"));
        }
    }
    if lines.len() == expected.len() {
        Ok(())
    } else {
        Err(format!("{} lines, expected {}", lines.len(), expected.len()))
    }
}

fn many_items() {
    print(
        r#"kernel void k() { uint i = get_global_id(0); printf("item %u of %s: %v2hlu\n", i, "many", (uint2)(i, ~i)); }"#,
        50_000,
    );
}

fn check_many_items(text: &str) -> Result<(), String> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    let mut expected: Vec<String> = (0..50_000u32).map(|i| format!("item {i} of many: {i},{}", !i)).collect();
    expected.sort_unstable();
    if lines == expected {
        Ok(())
    } else {
        Err(format!("{} lines, expected {}", lines.len(), expected.len()))
    }
}

fn in_order() {
    let rig = Rig::new(
        r#"kernel void a(int n) { printf("a %d\n", n); }
        kernel void b(int n, global int *p) { printf("b %d %d\n", n, p[0]++); }
        kernel void silent(global int *p) { p[0] += 1; }"#,
    );
    let queue = rig.queue(0);
    let (a, b, silent) = (rig.kernel("a"), rig.kernel("b"), rig.kernel("silent"));
    let p = rig.buffer(&[0]);
    set(b, 1, p);
    set(silent, 0, p);
    for n in 0..200 {
        set(a, 0, n);
        set(b, 0, n);
        for kernel in [a, b, silent] {
            launch(queue, kernel, 1, &[]).release();
        }
    }
    finish(queue);
}

fn check_in_order(text: &str) -> Result<(), String> {
    same(text, &(0..200).map(|n| format!("a {n}\nb {n} {}\n", 2 * n)).collect::<String>())
}

unsafe extern "C" {
    static stdout: *mut libc::FILE;
}

/// Writes text to the C library's buffer of standard output.
fn libc_print(text: &str) {
    // SAFETY: the text is valid; the stream is open.
    unsafe { libc::fwrite(text.as_ptr().cast(), 1, text.len(), stdout) };
}

/// Flushes the C library's buffers, as the end of `main` does.
fn flush() {
    // SAFETY: flushes all streams.
    unsafe { libc::fflush(null_mut()) };
}

fn before_completion() {
    let rig = Rig::new(r#"kernel void k(int n) { printf("kernel %d\n", n); }"#);
    let kernel = rig.kernel("k");
    for (n, properties) in [0, OUT_OF_ORDER, CL_QUEUE_PROFILING_ENABLE, OUT_OF_ORDER].into_iter().enumerate()
    {
        let queue = rig.queue(properties);
        set(kernel, 0, n as i32);
        let event = launch(queue, kernel, 1, &[]);
        match n {
            0 | 2 => finish(queue),
            1 => ok(wait(&[event])),
            _ => {
                // SAFETY: a live handle.
                ok(unsafe { clFlush(queue) });
                while status(event) != CL_COMPLETE as cl_int {
                    std::thread::yield_now();
                }
            }
        }
        libc_print(&format!("complete {n}\n"));
    }
}

fn check_before_completion(text: &str) -> Result<(), String> {
    same(text, &(0..4).map(|n| format!("kernel {n}\ncomplete {n}\n")).collect::<String>())
}

fn several_queues() {
    let rig = Rig::new(r#"kernel void k(int n) { printf("%d\n", n); }"#);
    let queues = [rig.queue(0), rig.queue(OUT_OF_ORDER), rig.queue(0)];
    let kernel = rig.kernel("k");
    let gate = rig.gate();
    let mut last = gate;
    for n in 0..60 {
        set(kernel, 0, n);
        last = launch(queues[n as usize % 3], kernel, 1, &[last]);
    }
    open_gate(gate, 0);
    ok(wait(&[last]));
}

fn check_several_queues(text: &str) -> Result<(), String> {
    same(text, &(0..60).map(|n| format!("{n}\n")).collect::<String>())
}

fn full_buffer() {
    let rig = Rig::new(
        r#"kernel void k(global int *failed, global uint *out, uint rounds) {
            uint i = get_global_id(0), sum = 0;
            for (uint j = 0; j < rounds; j++) {
                int r = printf("%u %u %v8hlx|\n", i, j, (uint8)(i));
                if (r != 0) { atomic_add(failed, r == -1 ? 1 : 1 << 30); }
                sum += j * i;
            }
            out[i] = sum;
        }"#,
    );
    let (queue, kernel) = (rig.queue(0), rig.kernel("k"));
    let (items, rounds) = (1000usize, 1000u32);
    let (failed, out) = (rig.buffer(&[0]), rig.buffer(&vec![0u32; items]));
    set(kernel, 0, failed);
    set(kernel, 1, out);
    set(kernel, 2, rounds);
    launch(queue, kernel, items, &[]).release();
    finish(queue);
    let failures = read::<i32>(queue, failed, 1)[0];
    let sums = read::<u32>(queue, out, items);
    assert!(sums.iter().enumerate().all(|(i, s)| *s == i as u32 * (rounds * (rounds - 1) / 2)));
    libc_print(&format!("failures {failures}\n"));
    // The next launch has the whole buffer again.
    set(kernel, 2, 1u32);
    launch(queue, kernel, 1, &[]).release();
    finish(queue);
    assert_eq!(read::<i32>(queue, failed, 1)[0], failures);
}

fn check_full_buffer(text: &str) -> Result<(), String> {
    let (records, rest) = text.split_once("failures ").ok_or("no summary")?;
    let (failures, next) = rest.split_once('\n').ok_or("no summary")?;
    let failures: usize = failures.parse().map_err(|_| format!("{failures} failures"))?;
    let mut seen = std::collections::HashSet::new();
    for line in records.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let item: u32 = words[0].parse().map_err(|_| format!("torn record: {line}"))?;
        let lanes = vec![format!("{item:x}"); 8].join(",") + "|";
        if words.len() != 3 || words[2] != lanes || !seen.insert((item, words[1].to_owned())) {
            return Err(format!("torn record: {line}"));
        }
    }
    if failures == 0 || seen.len() + failures != 1_000_000 {
        return Err(format!("{} records and {failures} failures of 1000000", seen.len()));
    }
    same(next, "0 0 0,0,0,0,0,0,0,0|\n")
}

fn offsets() {
    let rig = Rig::new(
        r#"kernel void k() {
            printf("%lu %lu %lu\n", (ulong)get_global_id(0), (ulong)get_global_id(1), (ulong)get_local_size(0));
        }"#,
    );
    let (queue, kernel) = (rig.queue(0), rig.kernel("k"));
    let (offset, global, local) = ([100usize, 7], [10usize, 3], [5usize, 1]);
    // SAFETY: two dimensions everywhere.
    ok(unsafe {
        clEnqueueNDRangeKernel(
            queue,
            kernel,
            2,
            offset.as_ptr(),
            global.as_ptr(),
            local.as_ptr(),
            0,
            null(),
            null_mut(),
        )
    });
    finish(queue);
}

fn check_offsets(text: &str) -> Result<(), String> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    let mut expected: Vec<String> = Vec::new();
    for y in 7..10 {
        expected.extend((0..10).map(|x| format!("{} {y} 5", 100 + x)));
    }
    expected.sort_unstable();
    if lines == expected { Ok(()) } else { Err(text.to_owned()) }
}

const TWO: &str = r#"kernel void k() { printf("two\n"); } kernel void l() { printf("four\n"); }"#;

fn own_output() {
    let rig = Rig::new(TWO);
    let queue = rig.queue(0);
    // The stream is a pipe, and therefore fully buffered.
    libc_print("one\n");
    launch(queue, rig.kernel("k"), 1, &[]).release();
    finish(queue);
    libc_print("three\n");
    launch(queue, rig.kernel("l"), 1, &[]).release();
    finish(queue);
    // The buffer is empty.
    // SAFETY: ends the process at once.
    unsafe { libc::_exit(0) };
}

fn prints_and_computes() {
    let rig = Rig::new(r#"kernel void k(global int *p) { p[0] = printf("lost %d\n", p[0]) + 5; }"#);
    let (queue, kernel) = (rig.queue(0), rig.kernel("k"));
    let p = rig.buffer(&[1]);
    set(kernel, 0, p);
    for _ in 0..3 {
        launch(queue, kernel, 1, &[]).release();
        finish(queue);
        assert_eq!(read::<i32>(queue, p, 1), [5]);
    }
}

fn closed_output() {
    // SAFETY: no other code uses it.
    unsafe { libc::close(1) };
    prints_and_computes();
}

fn closed_stream() {
    // SAFETY: this process does not use it any more.
    unsafe { libc::fclose(stdout) };
    prints_and_computes();
}

fn broken_pipe() {
    let mut ends = [0; 2];
    // SAFETY: room for two descriptors; the standard output becomes a pipe without a reader. The signal ends
    // the process.
    unsafe {
        assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
        libc::dup2(ends[1], 1);
        libc::close(ends[0]);
        libc::close(ends[1]);
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
    prints_and_computes();
    // No signal is pending either.
    // SAFETY: an empty set is filled in.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigpending(&mut set);
        assert_eq!(libc::sigismember(&set, libc::SIGPIPE), 0);
    }
}

static TAKEN: Mutex<Vec<u8>> = Mutex::new(Vec::new());

unsafe extern "C" fn take(text: *const c_char, length: usize, complete: usize, user_data: *mut c_void) {
    assert!(complete != 0 && user_data as usize == 0x77);
    // SAFETY: the text has that length.
    TAKEN.lock().unwrap().extend_from_slice(unsafe { std::slice::from_raw_parts(text.cast(), length) });
}

fn callback() {
    let device = device();
    assert!(text(&device_info(device, CL_DEVICE_EXTENSIONS).unwrap()).contains("cl_arm_printf"));
    let function: unsafe extern "C" fn(*const c_char, usize, usize, *mut c_void) = take;
    let list: [cl_context_properties; 5] = [
        CL_PRINTF_CALLBACK_ARM as isize,
        function as usize as isize,
        CL_PRINTF_BUFFERSIZE_ARM as isize,
        64 << 20,
        0,
    ];
    let mut code = 1;
    // SAFETY: a terminated list, one device.
    let context = unsafe { clCreateContext(list.as_ptr(), 1, &device, None, 0x77 as *mut c_void, &mut code) };
    ok(code);
    let program = build(
        context,
        device,
        r#"kernel void k(uint n) { for (uint i = 0; i < n; i++) printf("%u %u\n", (uint)get_global_id(0), i); }"#,
    );
    let rig = Rig { device, context, program };
    let (queue, kernel) = (rig.queue(0), rig.kernel("k"));
    // More than the default buffer holds.
    let (items, count) = (128usize, 20_000usize);
    set(kernel, 0, count as u32);
    ok(wait(&[launch(queue, kernel, items, &[])]));
    let text = String::from_utf8(std::mem::take(&mut *TAKEN.lock().unwrap())).unwrap();
    let mut next = vec![0; items];
    for line in text.lines() {
        let (item, n) = line.split_once(' ').unwrap();
        let item: usize = item.parse().unwrap();
        assert_eq!(n.parse(), Ok(next[item]));
        next[item] += 1;
    }
    assert_eq!(next, vec![count; items]);
}

fn binaries() {
    let rig = Rig::new(r#"kernel void k(int x) { printf("%d %s\n", x, "text"); }"#);
    let (mut size, mut code, mut status) = (0usize, 1, 1);
    // SAFETY: room for the answer; a binary of that size.
    let program = unsafe {
        ok(clGetProgramInfo(
            rig.program,
            CL_PROGRAM_BINARY_SIZES,
            size_of::<usize>(),
            (&raw mut size).cast(),
            null_mut(),
        ));
        let mut bytes = vec![0u8; size];
        let mut list = [bytes.as_mut_ptr()];
        ok(clGetProgramInfo(
            rig.program,
            CL_PROGRAM_BINARIES,
            size_of_val(&list),
            list.as_mut_ptr().cast(),
            null_mut(),
        ));
        let mut binary = bytes.as_ptr();
        let program = clCreateProgramWithBinary(
            rig.context,
            1,
            &rig.device,
            &size,
            &mut binary,
            &mut status,
            &mut code,
        );
        ok(code);
        ok(clBuildProgram(program, 0, null(), null(), None, null_mut()));
        program
    };
    for rig in [rig, Rig { program, ..rig }] {
        let (queue, kernel) = (rig.queue(0), rig.kernel("k"));
        set(kernel, 0, 7);
        launch(queue, kernel, 1, &[]).release();
        finish(queue);
    }
}

fn command_buffer() {
    let rig = Rig::new(
        r#"kernel void a(global int *p) { *p += 1; printf("%d ", *p % 2); }
        kernel void k(global int *p, int x) { printf("%d\n", x); }"#,
    );
    let (queue, mem, a, k) = (rig.queue(0), rig.buffer(&[0]), rig.kernel("a"), rig.kernel("k"));
    set(a, 0, mem);
    set(k, 0, mem);
    let (size, mut code) = (1usize, 1);
    let record = |buffer, kernel| {
        let (none, handle) = (null_mut(), null_mut());
        // SAFETY: live handles; the size has one dimension.
        ok(unsafe {
            clCommandNDRangeKernelKHR(
                buffer,
                none,
                null(),
                kernel,
                1,
                null(),
                &size,
                null(),
                0,
                null(),
                null_mut(),
                handle,
            )
        });
    };
    // SAFETY: live handles.
    unsafe {
        let buffer = clCreateCommandBufferKHR(1, &queue, null(), &mut code);
        ok(code);
        record(buffer, a);
        for x in [1, 2] {
            set(k, 1, x);
            record(buffer, k);
        }
        ok(clFinalizeCommandBufferKHR(buffer));
        ok(clEnqueueCommandBufferKHR(0, null(), buffer, 0, null(), null_mut()));
        let add = read::<i32>(queue, mem, 1)[0];
        assert_eq!(add, 1);
        let two = 2i32;
        ok(clEnqueueWriteBuffer(queue, mem, 1, 0, 4, (&raw const two).cast(), 0, null(), null_mut()));
        ok(clEnqueueCommandBufferKHR(0, null(), buffer, 0, null(), null_mut()));
    }
    set(k, 1, 3);
    launch(queue, k, 1, &[]).release();
    finish(queue);
}

/// Formats that do not match their operands: the output is unspecified, but memory is safe.
fn odd_formats() {
    let mut random = Random(3);
    let formats = [
        "%d", "%s", "%f", "%v4hld", "%p", "%c", "%*d", "%.*f", "%ld", "%", "%5", "%v", "%v5d", "%n", "%hhlq",
        "%y", "%99999d",
    ];
    let operands = ["1", "2.5f", "\"text\"", "(int4)(1)", "3L", "(char)4", "p", "(float2)(0)"];
    let mut source = String::from("kernel void k(global int *p) {\n");
    for _ in 0..60 {
        let format: String = (0..1 + random.below(3)).map(|_| formats[random.below(formats.len())]).collect();
        let list: String =
            (0..random.below(4)).map(|_| format!(", {}", operands[random.below(operands.len())])).collect();
        source.push_str(&format!("    printf(\"{format}\"{list});\n"));
    }
    source.push_str("    p[0] = 5;\n}\nkernel void end() { printf(\"end\\n\"); }\n");
    let device = device();
    let function: unsafe extern "C" fn(*const c_char, usize, usize, *mut c_void) = ignore;
    let list: [cl_context_properties; 3] = [CL_PRINTF_CALLBACK_ARM as isize, function as usize as isize, 0];
    let mut code = 1;
    // SAFETY: a terminated list, one device.
    let context = unsafe { clCreateContext(list.as_ptr(), 1, &device, None, null_mut(), &mut code) };
    ok(code);
    let source = CString::new(source).unwrap();
    // SAFETY: terminated strings.
    let program = unsafe {
        let program = clCreateProgramWithSource(context, 1, &mut source.as_ptr(), null(), &mut code);
        ok(code);
        assert_eq!(
            clBuildProgram(program, 0, null(), c"-w".as_ptr(), None, null_mut()),
            0,
            "{}",
            build_log(program, device)
        );
        program
    };
    let rig = Rig { device, context, program };
    let (queue, kernel) = (rig.queue(0), rig.kernel("k"));
    let p = rig.buffer(&[0]);
    set(kernel, 0, p);
    launch(queue, kernel, 3, &[]).release();
    assert_eq!(read::<i32>(queue, p, 1), [5]);
    print(r#"kernel void k() { printf("end\n"); }"#, 1);
}

unsafe extern "C" fn ignore(_: *const c_char, _: usize, _: usize, _: *mut c_void) {}

/// Runs a case in a child process whose device lacks `hidden`.
fn supervise(case: &Case, hidden: &str) -> Result<(), Failed> {
    let mut command = Command::new(std::env::current_exe().map_err(|e| e.to_string())?);
    command.env("RUST_BACKTRACE", "0").env(CASE, case.name).stdin(Stdio::null());
    if !hidden.is_empty() {
        command.env("PYROCLAST_FEATURES", hidden);
    }
    let output = command.output().map_err(|e| e.to_string())?;
    let (text, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        return Err(Failed::from(format!("{}\n{log}", output.status)));
    }
    // Addresses differ from run to run, and some devices have low ones.
    let text: String = text
        .split_inclusive('\n')
        .map(|l| if l.starts_with("0x") && l.trim_end().len() > 7 { "<p>\n" } else { l })
        .collect();
    (case.check)(&text).map_err(Failed::from)
}

fn main() -> ExitCode {
    if let Some(name) = std::env::var_os(CASE) {
        // SAFETY: no other thread runs yet.
        unsafe { std::env::remove_var(CASE) };
        let Some(case) = CASES.iter().find(|c| *c.name == *name) else { return ExitCode::FAILURE };
        (case.run)();
        flush();
        return ExitCode::SUCCESS;
    }
    let mut trials = Vec::new();
    for case in CASES {
        for hidden in [
            "",
            "-bindings",
            "-buffer_device_address",
            "-mapped_buffers,-host_import",
            "-vulkan_memory_model",
            "-float64,-float16",
        ] {
            if hidden.contains("float") && !matches!(case.name, "conversions" | "vectors") {
                continue;
            }
            trials.push(Trial::test(format!("{}{hidden}", case.name), move || supervise(case, hidden)));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
