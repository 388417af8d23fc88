//! Planted faults, each named by its line, and correct kernels, about which nothing is said.

use super::super::super::batch::{ArgValue, BufferRange, Launch, Reach};
use super::super::super::traits::*;
use super::super::device::CpuDevice;
use super::super::exec;
use super::super::pool::Pool;
use super::report::{Fault, Finding, Reports};
use super::{Checker, Checks};
use clspv_bridge::driver::{self, FrontConfig, Options};
use std::sync::Arc;

const ALL: Checks = Checks { memory: true, race: true, uninit: true };
const READ: Fault = Fault::OutOfBounds { write: false };
const WRITE: Fault = Fault::OutOfBounds { write: true };
const UNSET: Fault = Fault::Uninitialised;
const WW: Fault = Fault::Race { write: true, other_write: true };

/// Launches a kernel with 64 work-items in groups of 32 on two buffers of 64 words: one that nobody wrote, one with numbers, and
/// 32 words of local memory. Gives what was found, and the first buffer.
fn run(source: &str) -> (Vec<Finding>, Vec<u32>) {
    let device = CpuDevice::new(Checker::new(ALL, Reports::default()));
    let extensions = ["cl_khr_fp64", "__opencl_c_int64", "__opencl_c_fp64", "__opencl_c_work_group_collective_functions"];
    let extensions = extensions.map(String::from).to_vec();
    let config = FrontConfig { extensions, opencl_version: 300, checked: true, ..FrontConfig::default() };
    let options = Options { std: "CL3.0".into(), ..Options::default() };
    let library = driver::compile_program(source, &[], &options, &config).unwrap_or_else(|e| panic!("{e}"));
    let program = driver::build(&[&library], &options, &Vec::new(), device.target()).unwrap_or_else(|e| panic!("{e}"));
    let kernel = device.load(Arc::new(program)).unwrap().kernel("test").unwrap();
    let buffer = || device.alloc_buffer(&BufferDesc { size: 256, host_visible: true, name: "test" }).unwrap();
    let (out, numbers) = (buffer(), buffer());
    let words = |m: &Arc<dyn DeviceMemory>| m.host_ptr().unwrap().as_ptr().cast::<u32>();
    for n in 0..64 {
        // SAFETY: the buffer has 64 words.
        unsafe { words(&numbers).add(n as usize).write(n) };
    }
    let all = |memory: &Arc<dyn DeviceMemory>| ArgValue::Buffer(BufferRange { memory: memory.clone(), offset: 0, size: 256 });
    let mut args = vec![all(&out), all(&numbers), ArgValue::Local(128), ArgValue::NullBuffer];
    args.truncate(kernel.info().args.len());
    let (args, reach) = (Arc::new(args), Reach::default());
    let launch = Launch {
        kernel: kernel.clone(),
        args,
        dims: 1,
        offset: [0; 3],
        global: [64, 1, 1],
        local: [32, 1, 1],
        reach,
        default_queue: None,
    };
    let pool = Pool::new(2);
    let host = exec::Host { print_bytes: PRINT_BYTES, print: &|_| {}, pool: &pool, checker: device.checker() };
    exec::launch_and_print(&launch, &host).unwrap();
    // SAFETY: the buffer has 64 words.
    let result = (0..64).map(|n| unsafe { words(&out).add(n).read() }).collect();
    (device.checker().told(), result)
}

/// Runs the body of a kernel, which begins in line 2, and asks for what is found.
fn expect(body: &str, expected: &[(Fault, u32, &str)]) {
    let head = "kernel void test(global int *out, global int *in, local int *shared, global int *none) {\n";
    let (found, _) = run(&format!("{head}int i = get_global_id(0), j = get_local_id(0);\n{body}\n}}"));
    let told: Vec<(Fault, u32)> = found.iter().map(|f| (f.fault, f.line)).collect();
    let wanted: Vec<(Fault, u32)> = expected.iter().map(|(fault, line, _)| (*fault, *line)).collect();
    assert_eq!(told, wanted, "{body}\n{found:#?}");
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
    let bounds: Vec<&Finding> = found.iter().filter(|f| matches!(f.fault, Fault::OutOfBounds { .. })).collect();
    let [write, read] = bounds.as_slice() else { panic!("{found:#?}") };
    assert_eq!((write.fault, write.line, write.offset, write.size, write.count), (WRITE, 4, 256, 256, 1));
    assert_eq!((write.global_id, write.local_id, write.group_id), ([63, 0, 0], [31, 0, 0], [1, 0, 0]));
    assert_eq!((read.fault, read.line, read.offset, read.global_id), (READ, 5, -4, [0, 0, 0]));
    assert!(write.memory.contains("argument 1 'in'"), "{write:?}");
    assert_eq!(out[0], 7);
}

#[test]
fn other_memory_has_bounds_too() {
    expect("shared[j] = i;\nbarrier(CLK_LOCAL_MEM_FENCE);\nout[i] = shared[j + 1];", &[(READ, 5, "argument 2 'shared'")]);
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
    expect("local int t;\nt = j;\nout[i] = 1;", &[(WW, 4, "local variable 'test.t'")]);
    let missing = "shared[j] = i;\nout[i] = shared[31 - j];";
    let (wr, rw) = (Fault::Race { write: true, other_write: false }, Fault::Race { write: false, other_write: true });
    expect(missing, &[(wr, 3, "'shared'"), (rw, 4, "'shared'"), (UNSET, 4, "'shared'")]);
}

#[test]
fn what_nobody_wrote_is_named() {
    expect("in[i] = out[i];", &[(UNSET, 3, "argument 0 'out'")]);
    expect("out[i] = shared[j];", &[(UNSET, 3, "argument 2 'shared'")]);
    // The variable lies before the argument.
    expect("local int t[32];\nt[j] = i;\nout[i] = shared[j & 1] + t[j];", &[(UNSET, 5, "argument 2 'shared'")]);
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

#[test]
fn included_checks_only() {
    let words = ["race", "uninit", "speed"].map(String::from);
    let (checks, unknown) = Checks::named(&words);
    assert_eq!((checks, unknown), (Checks { memory: false, race: true, uninit: true }, vec!["speed"]));
    assert!(Checks::named(&["all".into()]).0 == ALL && !Checks::named(&[]).0.any());
}
