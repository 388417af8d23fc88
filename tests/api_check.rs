//! `PYROCLAST_CHECK` in applications: memory counts as initialised whatever command wrote it, and faults go
//! to the log.

#![allow(clippy::unwrap_used)]

use std::ptr::null_mut;
use test_support::api::rig::*;
use test_support::api::*;

const SOURCE: &str = "kernel void sum(global int *out, global const int *in, int n) {
    int i = get_global_id(0);
    out[i] = in[i] + n;
}";
const N: usize = 64;

/// The only test of this program: settings are read once.
#[test]
fn faults_are_appended_to_the_log() {
    let log = std::env::temp_dir().join(format!("pyroclast-api-check-{}.jsonl", std::process::id()));
    // SAFETY: no other thread of this program looks at the environment yet.
    unsafe {
        std::env::set_var("PYROCLAST_CHECK", "all");
        std::env::set_var("PYROCLAST_CHECK_LOG", &log);
        std::env::set_var("PYROCLAST_DEVICES", "cpu");
    }
    let rig = Rig::new(SOURCE);
    let (queue, kernel) = (rig.queue(0), rig.kernel("sum"));
    let plain = || {
        let mut code = 1;
        // SAFETY: a live context.
        let mem = unsafe { clCreateBuffer(rig.context, CL_MEM_READ_WRITE, N * 4, null_mut(), &mut code) };
        ok(code);
        mem
    };
    let reported = || std::fs::read_to_string(&log).unwrap_or_default();
    let run = |input: cl_mem, size: usize| {
        let out = plain();
        set(kernel, 0, out);
        set(kernel, 1, input);
        set(kernel, 2, 5i32);
        ok(wait(&[launch(queue, kernel, size, &[])]));
        read::<i32>(queue, out, N)
    };
    // Three ways to write a buffer.
    let numbers: Vec<i32> = (0..N as i32).collect();
    let expected: Vec<i32> = numbers.iter().map(|n| n + 5).collect();
    assert_eq!(run(rig.buffer(&numbers), N), expected);
    let (written, filled, unset) = (plain(), plain(), plain());
    let seven = 7i32;
    // SAFETY: the content has the size, and the fill's pattern too.
    unsafe {
        ok(clEnqueueWriteBuffer(
            queue,
            written,
            CL_TRUE,
            0,
            N * 4,
            numbers.as_ptr().cast(),
            0,
            std::ptr::null(),
            null_mut(),
        ));
        ok(clEnqueueFillBuffer(
            queue,
            filled,
            (&raw const seven).cast(),
            4,
            0,
            N * 4,
            0,
            std::ptr::null(),
            null_mut(),
        ));
    }
    assert_eq!(run(written, N), expected);
    assert_eq!(run(filled, N), [12; N]);
    assert_eq!(reported(), "");
    // Never written.
    run(unset, N);
    let text = reported();
    assert!(
        text.lines().count() == 1
            && text.contains("\"read of uninitialised memory\",\"kernel\":\"sum\",\"line\":3,\"count\":64,"),
        "{text}"
    );
    // One work-item too many; the results of the others are right.
    assert_eq!(run(written, N + 1), expected);
    let text = reported();
    for kind in ["read", "write"] {
        assert!(
            text.contains(&format!(
                "\"out-of-bounds {kind}\",\"kernel\":\"sum\",\"line\":3,\"count\":1,\"bytes\":4,\"global_id\":[64,0,0]"
            )),
            "{text}"
        );
    }
    assert!(text.contains("\"memory\":\"argument 1 'in'\",\"size\":256,\"offset\":256}"), "{text}");
    assert!(
        text.lines().count() == 3
            && text.contains("\"memory\":\"argument 0 'out'\",\"size\":256,\"offset\":256}"),
        "{text}"
    );
    std::fs::remove_file(log).unwrap();
}
