//! Planted faults, each reported with its line, and correct kernels without reports.

use super::super::super::batch::{ArgValue, BufferRange, IndirectAccesses, Launch};
use super::super::super::compiler::cpu_generators;
use super::super::super::traits::*;
use super::super::device::CpuDevice;
use super::super::exec;
use super::super::pool::Pool;
use super::report::{Fault, Finding, Reports};
use super::{Checker, Checks};
use clspv_bridge::driver;
use clspv_bridge::options::{CompileRequest, Extent, FrontConfig, FrontEnd, Options};
use std::sync::Arc;

const ALL: Checks = Checks { memory: true, race: true, uninit: true };
const READ: Fault = Fault::OutOfBounds { write: false };
const WRITE: Fault = Fault::OutOfBounds { write: true };
const UNSET: Fault = Fault::Uninitialised;
const WW: Fault = Fault::Race { write: true, other_write: true };

/// Launches a kernel with 64 work-items in groups of 32 on an uninitialised buffer and an initialised one, of
/// 64 words each, and 32 words of local memory. Returns the findings and the first buffer.
fn run(source: &str) -> (Vec<Finding>, Vec<u32>) {
    let device = CpuDevice::new(
        Checker::new(ALL, Reports::default()),
        &[],
        cpu_generators().expect("a code generator"),
    );
    let extensions =
        ["cl_khr_fp64", "__opencl_c_int64", "__opencl_c_fp64", "__opencl_c_work_group_collective_functions"];
    let extensions = extensions.map(String::from).to_vec();
    let config = FrontConfig {
        front_end: FrontEnd::BuiltIn,
        extensions,
        opencl_version: 300,
        instrumented: true,
        ..FrontConfig::default()
    };
    let options = Options { std: "CL3.0".into(), ..Options::default() };
    let request =
        CompileRequest { extent: Extent::Program, ..CompileRequest::new(source, &options, &config) };
    let library = driver::compile(&request).unwrap_or_else(|e| panic!("{e}")).library;
    let program = driver::build(&[&library], &options, &Vec::new(), &device.targets().first)
        .unwrap_or_else(|e| panic!("{e}"));
    let kernel = device.load(Arc::new(program)).unwrap().kernel("test").unwrap();
    let buffer = || {
        device
            .alloc_buffer(&BufferDesc { size: 256, host_visible: true, read_only: false, name: "test" })
            .unwrap()
    };
    let (out, numbers) = (buffer(), buffer());
    let words = |m: &Arc<dyn DeviceMemory>| m.host_ptr().unwrap().as_ptr().cast::<u32>();
    for n in 0..64 {
        // SAFETY: the buffer has 64 words.
        unsafe { words(&numbers).add(n as usize).write(n) };
    }
    let all = |memory: &Arc<dyn DeviceMemory>| {
        ArgValue::Buffer(BufferRange { memory: memory.clone(), offset: 0, size: 256 })
    };
    let mut args = vec![all(&out), all(&numbers), ArgValue::Local(128), ArgValue::NullBuffer];
    args.truncate(kernel.info().args.len());
    let (args, indirect) = (Arc::new(args), IndirectAccesses::default());
    let launch = Launch {
        kernel: kernel.clone(),
        args,
        dims: 1,
        offset: [0; 3],
        global: [64, 1, 1],
        local: [32, 1, 1],
        indirect,
        default_queue: None,
    };
    let pool = Pool::new(2);
    let host =
        exec::Host { print_bytes: PRINT_BYTES, print: &|_| {}, pool: &pool, checker: device.checker() };
    exec::launch_and_print(&launch, &host).unwrap();
    // SAFETY: the buffer has 64 words.
    let result = (0..64).map(|n| unsafe { words(&out).add(n).read() }).collect();
    (device.checker().reported(), result)
}

/// Runs the body of a kernel, which begins in line 2, and compares the findings.
fn expect(body: &str, expected: &[(Fault, u32, &str)]) {
    let head = "kernel void test(global int *out, global int *in, local int *shared, global int *none) {\n";
    let (found, _) = run(&format!("{head}int i = get_global_id(0), j = get_local_id(0);\n{body}\n}}"));
    let reported: Vec<(Fault, u32)> = found.iter().map(|f| (f.fault, f.line)).collect();
    let wanted: Vec<(Fault, u32)> = expected.iter().map(|(fault, line, _)| (*fault, *line)).collect();
    assert_eq!(reported, wanted, "{body}\n{found:#?}");
    for (f, (.., memory)) in found.iter().zip(expected) {
        assert!(f.memory.contains(memory), "{f:?}");
    }
}

#[test]
fn accesses_behind_and_before_buffers_are_named_and_not_made() {
    let source = "kernel void test(global int *out, global int *in) {
        int i = get_global_id(0);
        out[i] = 7;
        in[i + 1] = 1;
        out[i] += in[i - 1];
    }";
    let (found, out) = run(source);
    let bounds: Vec<&Finding> =
        found.iter().filter(|f| matches!(f.fault, Fault::OutOfBounds { .. })).collect();
    let [write, read] = bounds.as_slice() else { panic!("{found:#?}") };
    assert_eq!((write.fault, write.line, write.offset, write.size, write.count), (WRITE, 4, 256, 256, 1));
    assert_eq!((write.global_id, write.local_id, write.group_id), ([63, 0, 0], [31, 0, 0], [1, 0, 0]));
    assert_eq!((read.fault, read.line, read.offset, read.global_id), (READ, 5, -4, [0, 0, 0]));
    assert!(write.memory.contains("argument 1 'in'"), "{write:?}");
    assert_eq!(out[0], 7);
}

#[test]
fn other_memory_has_bounds_too() {
    expect(
        "shared[j] = i;\nbarrier(CLK_LOCAL_MEM_FENCE);\nout[i] = shared[j + 1];",
        &[(READ, 5, "argument 2 'shared'")],
    );
}

#[test]
fn null_and_private_memory() {
    expect("if (i == 3) none[2] = 1;", &[(WRITE, 3, "null")]);
    expect("int own[4] = {1, 2, 3, 4};\nout[i] = own[i < 63 ? i & 3 : 4];", &[(READ, 4, "private")]);
    expect("int own[4];\nown[i == 5 ? -1 : i & 3] = 1;\nout[i] = 0;", &[(WRITE, 4, "private")]);
}

#[test]
fn races_are_found_between_groups_and_in_groups() {
    expect("in[j] = i;", &[(WW, 3, "'in'")]);
    expect("local int t;\nt = j;\nout[i] = 1;", &[(WW, 4, "local variable 't'")]);
    let missing = "shared[j] = i;\nout[i] = shared[31 - j];";
    let (wr, rw) =
        (Fault::Race { write: true, other_write: false }, Fault::Race { write: false, other_write: true });
    expect(missing, &[(wr, 3, "'shared'"), (rw, 4, "'shared'"), (UNSET, 4, "'shared'")]);
}

#[test]
fn what_nobody_wrote_is_named() {
    expect("in[i] = out[i];", &[(UNSET, 3, "argument 0 'out'")]);
    expect("out[i] = shared[j];", &[(UNSET, 3, "argument 2 'shared'")]);
    // The variable precedes the argument in memory.
    expect(
        "local int t[32];\nt[j] = i;\nout[i] = shared[j & 1] + t[j];",
        &[(UNSET, 5, "argument 2 'shared'")],
    );
    expect("int x;\nif (i != 9)\n    x = 2;\nout[i] = x;", &[(UNSET, 6, "private")]);
    expect("float4 v;\nv.x = i;\nv.y = 1;\nout[i] = v.x + v.z;", &[(UNSET, 6, "private")]);
    expect("struct { int a, b; } s, t;\ns.a = i;\nt = s;\nout[i] = t.a;", &[]);
}

#[test]
fn nothing_is_said_of_correct_kernels() {
    expect("shared[j] = i;\nbarrier(CLK_LOCAL_MEM_FENCE);\nout[i] = shared[31 - j];", &[]);
    expect("in[0] = 5;\natomic_inc(in + 1);\nout[i] = 0;", &[]);
    expect("float4 v;\nv.x = i;\nv.y = 1;\nv.zw = (float2)(2, 3);\nout[i] = v.x + v.z;", &[]);
    expect("float3 v = (float3)(i, 1, 2), w[2];\nw[i & 1] = v;\nout[i] = w[i & 1].y + dot(v, v);", &[]);
    expect(
        "int sum = 0;\nfor (int k = 0; k <= i; k++)\n    sum += in[k];\nout[i] = sum + popcount(i) + (int)sin((float)i);",
        &[],
    );
    expect(
        "out[i] = work_group_reduce_add(in[i]);\nevent_t e = async_work_group_copy(shared, in, 32, 0);\nwait_group_events(1, &e);\nout[i] += shared[31 - j];",
        &[],
    );
}

/// A kernel with non-inlined functions: `mix`, and the functions in the text that use `MANY`, which computes
/// a thousand instructions from `x`. The text begins in line 3.
fn with_functions(text: &str) -> String {
    let [step, ten] = ["x = x * 5u + 3u; ", "STEP "].map(|s| s.repeat(10));
    let defines = format!("#define STEP {step}\n#define MANY {ten}");
    let mix = "uint mix(uint x) { MANY return x; }";
    let calls = "x = mix(x); ".repeat(16);
    format!("{defines}\n{text}\n{mix}\nuint many(uint x) {{ {calls} return x; }}\n")
        + "kernel void test(global int *out, global int *in, local int *shared) {
            int i = get_global_id(0), j = get_local_id(0);
            body(out, in, shared, i, j);
            out[i] += many(i);
        }"
}

/// The result of `calls` calls of `mix`.
fn mixed(x: u32, calls: u32) -> u32 {
    (0..calls * 100).fold(x, |x, _| x.wrapping_mul(5).wrapping_add(3))
}

#[test]
fn faults_in_functions_have_their_line_and_variable() {
    let body = |text: &str| {
        with_functions(&format!(
            "void body(global int *out, global int *in, local int *shared, int i, int j) {{\n{text}\n}}"
        ))
    };
    let case = |text: &str, wanted: (Fault, u32, u64), memory: &str| {
        let (found, _) = run(&body(text));
        let [f] = found.as_slice() else { panic!("{text}\n{found:#?}") };
        assert_eq!((f.fault, f.line, f.count), wanted, "{text}\n{f:#?}");
        assert!(f.memory.contains(memory), "{f:#?}");
    };
    case("uint x = i; MANY\nin[i + 1] = x;\nout[i] = x;", (WRITE, 5, 1), "argument 1 'in'");
    case("uint x = i; MANY\nin[j] = x + i;\nout[i] = x;", (WW, 5, 32), "argument 1 'in'");
    case(
        "uint x = i; MANY\nint own[4];\nown[i == 5 ? 4 : i & 3] = x;\nout[i] = 0;",
        (WRITE, 6, 1),
        "private",
    );
    case(
        "uint x = i; MANY\nint own[4];\nown[i & 1] = x;\nout[i] = own[i == 7 ? 3 : i & 1];",
        (UNSET, 7, 1),
        "private",
    );
    case("uint x = i; MANY\nout[i] = x + shared[j];", (UNSET, 5, 64), "argument 2 'shared'");
}

#[test]
fn private_variables_of_functions_are_new_in_each_call() {
    let text = "int part(int x, int set) {
        int own[2];
        if (set) own[0] = own[1] = x;
        MANY
        return own[0] + x;
    }
    void write(int *to, int at, int x) {
        MANY
        to[at] = x;
    }
    void body(global int *out, global int *in, local int *shared, int i, int j) {
        int mine[3];
        write(mine, i == 9 ? 3 : 0, i);
        out[i] = part(i, 1) + part(i, i & 1) + mine[0];
    }";
    let (found, _) = run(&with_functions(text));
    let reported: Vec<_> =
        found.iter().map(|f| (f.fault, f.line, f.count, f.global_id[0], f.size, f.offset)).collect();
    // The caller's variable; half of the second calls; what the skipped access left out.
    assert_eq!(
        reported,
        [(UNSET, 7, 32, 0, 8, 0), (WRITE, 11, 1, 9, 12, 12), (UNSET, 16, 1, 9, 12, 0)],
        "{found:#?}"
    );
}

#[test]
fn nothing_is_said_of_correct_functions() {
    let text = "typedef struct { int a[3]; uint b; } pair;
    pair next(pair p, uint x) {
        MANY
        p.a[p.b % 3] = x;
        p.b++;
        return p;
    }
    int turn(global int *counter) {
        uint x = 1;
        MANY
        return atomic_inc(counter) + (x & 3);
    }
    uint part(uint x, int *at, int n) {
        if (n & 1) {
            for (int k = 0; k < n; k++) at[k & 3] = k;
            MANY
        }
        return x;
    }
    void body(global int *out, global int *in, local int *shared, int i, int j) {
        pair p = {{0, 1, 2}, 2};
        p = next(p, i);
        p = next(p, i + 1);
        shared[j] = p.a[2] - p.a[0];
        barrier(CLK_LOCAL_MEM_FENCE);
        int own[4] = {0};
        uint x = part(i, own, j);
        out[i] = x + shared[31 - j] + own[3] + (turn(in) >= 0) - p.a[1];
    }";
    let (found, out) = run(&with_functions(text));
    assert!(found.is_empty(), "{found:#?}");
    let expected = |i: u32| {
        let (j, x) = (i % 32, if i & 1 == 1 { mixed(i, 1) } else { i });
        let own = if j & 1 == 1 && j >= 4 { (j - 4) / 4 * 4 + 3 } else { 0 };
        // The values that `next` stores have gone through a thousand instructions.
        let stored = [mixed(i / 32 * 32 + 31 - j, 1), mixed(i / 32 * 32 + 31 - j + 1, 1)];
        let sum = x.wrapping_add(stored[0].wrapping_sub(stored[1])).wrapping_add(own);
        sum.wrapping_add(1).wrapping_sub(1).wrapping_add(mixed(i, 16))
    };
    assert_eq!(out, (0..64).map(expected).collect::<Vec<_>>());
}

#[test]
fn included_checks_only() {
    let words = ["race", "uninit", "speed"].map(String::from);
    let (checks, unknown) = Checks::named(&words);
    assert_eq!((checks, unknown), (Checks { memory: false, race: true, uninit: true }, vec!["speed"]));
    assert!(Checks::named(&["all".into()]).0 == ALL && !Checks::named(&[]).0.any());
}
