//! Launches of compiled kernels, with sizes that are multiples of the vector width and sizes that are not.

use super::super::batch::{ArgValue, BufferRange, IndirectAccesses, Launch};
use super::super::compiler::{CpuGenerators, cpu_generators};
use super::super::traits::*;
use super::check::report::Reports;
use super::check::{Checker, Checks};
use super::device::CpuDevice;
use super::exec;
use super::kernel::{CpuKernel, CpuProgram};
use super::loaded::{LaunchFacts, LoadedKernel};
use super::pool::Pool;
use clspv_bridge::abi::CompiledProgram;
use clspv_bridge::driver;
use clspv_bridge::options::{CompileRequest, Extent, FrontConfig, FrontEnd, Kernels, Library, Options};
use clspv_bridge::target::{Code, CodeGenerator};
use clspv_bridge::{CompileError, Target};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

fn unchecked() -> Checker {
    Checker::new(Checks::default(), Reports::default())
}

fn library(source: &str) -> Library {
    let extensions =
        ["cl_khr_fp64", "__opencl_c_int64", "__opencl_c_fp64", "__opencl_c_program_scope_global_variables"]
            .map(String::from)
            .to_vec();
    let config = FrontConfig {
        front_end: FrontEnd::BuiltIn,
        extensions,
        opencl_version: 300,
        ..FrontConfig::default()
    };
    let options = Options { std: "CL3.0".into(), ..Options::default() };
    let request =
        CompileRequest { extent: Extent::Program, ..CompileRequest::new(source, &options, &config) };
    driver::compile(&request).unwrap().library
}

/// A program with code.
fn compiled(device: &CpuDevice, source: &str) -> CompiledProgram {
    compiled_for(&device.targets().first, source)
}

/// A program with code for vectors as wide as the processor's, whose stores fill cache lines.
fn compiled_wide(device: &CpuDevice, source: &str) -> CompiledProgram {
    let mut target = device.targets().first.clone().with_generator(CodeGenerator::Cranelift);
    if let Code::Native(cpu) = &mut target.code {
        cpu.vector_width = cpu.width;
    }
    compiled_for(&target, source)
}

fn compiled_for(target: &Target, source: &str) -> CompiledProgram {
    let built = driver::build(&[&library(source)], &Options::default(), &Vec::new(), target);
    built.unwrap_or_else(|e| panic!("{e}"))
}

/// A device for each code generator that is available.
fn devices() -> Vec<CpuDevice> {
    let available = cpu_generators().expect("a code generator");
    let generators = [available.first].into_iter().chain(available.hot.iter().copied());
    generators.map(|first| CpuDevice::new(unchecked(), &[], CpuGenerators { first, hot: &[] })).collect()
}

/// Launches a kernel on buffers of 32-bit words, with code of every generator. Results must be the same.
fn run(source: &str, buffers: &mut [Vec<u32>], global: [u64; 3], local: [u32; 3]) {
    let mut results = Vec::new();
    for device in devices() {
        let program = device.load(Arc::new(compiled(&device, source))).unwrap();
        let kernel = program.kernel("test").unwrap();
        let mut own = buffers.to_vec();
        launch(&device, &kernel, &mut own, &[], global, local);
        results.push(own);
    }
    assert!(results.iter().all(|result| *result == results[0]));
    buffers.clone_from_slice(&results[0]);
}

/// Like [`run`], with additional values after the buffers.
fn launch(
    device: &CpuDevice,
    kernel: &Arc<dyn DeviceKernel>,
    buffers: &mut [Vec<u32>],
    numbers: &[u32],
    global: [u64; 3],
    local: [u32; 3],
) {
    let memory: Vec<Arc<dyn DeviceMemory>> = buffers
        .iter()
        .map(|b| {
            device
                .alloc_buffer(&BufferDesc {
                    size: b.len() as u64 * 4,
                    host_visible: true,
                    read_only: false,
                    name: "test",
                })
                .unwrap()
        })
        .collect();
    let words = |m: &Arc<dyn DeviceMemory>| m.host_ptr().unwrap().as_ptr().cast::<u32>();
    for (m, b) in memory.iter().zip(buffers.iter()) {
        // SAFETY: the buffer has that size.
        unsafe { std::ptr::copy_nonoverlapping(b.as_ptr(), words(m), b.len()) };
    }
    let numbers = numbers.iter().map(|n| ArgValue::Bytes(n.to_le_bytes().as_slice().into()));
    let whole = |m: &Arc<dyn DeviceMemory>| {
        ArgValue::Buffer(BufferRange { memory: m.clone(), offset: 0, size: m.size() })
    };
    let args: Vec<ArgValue> = memory.iter().map(whole).chain(numbers).collect();
    let (args, indirect) = (Arc::new(args), IndirectAccesses::default());
    let launch = Launch {
        kernel: kernel.clone(),
        args,
        dims: 3,
        offset: [0; 3],
        global,
        local,
        indirect,
        default_queue: None,
    };
    let (pool, checker) = (Pool::new(2), unchecked());
    let host = exec::Host { print_bytes: PRINT_BYTES, print: &|_| {}, pool: &pool, checker: &checker };
    exec::launch_and_print(&launch, &host).unwrap();
    for (m, b) in memory.iter().zip(buffers.iter_mut()) {
        // SAFETY: as above.
        unsafe { std::ptr::copy_nonoverlapping(words(m), b.as_mut_ptr(), b.len()) };
    }
}

#[test]
fn divergent_loops_keep_each_work_items_result() {
    let source = "kernel void test(global uint *out, global const uint *in) {
        uint i = get_global_id(0), n = in[i], steps = 0;
        while (n != 1) { if (n % 2) n = 3 * n + 1; else n /= 2; if (++steps > 50) break; }
        out[i] = steps; }";
    let collatz = |mut n: u32| {
        let mut steps = 0;
        while n != 1 {
            n = if n % 2 == 1 { 3 * n + 1 } else { n / 2 };
            steps += 1;
            if steps > 50 {
                break;
            }
        }
        steps
    };
    for size in [1u32, 5, 16, 37, 64] {
        let mut buffers = [vec![9; size as usize], (1..=size).collect()];
        run(source, &mut buffers, [u64::from(size), 1, 1], [size, 1, 1]);
        let expected: Vec<u32> = (1..=size).map(collatz).collect();
        assert_eq!(buffers[0], expected, "{size}");
    }
}

#[test]
fn barriers_in_loops() {
    let source = "kernel void test(global uint *out, global const uint *in) {
        local uint t[64]; uint i = get_local_id(0), n = get_local_size(0), x = in[get_global_id(0)];
        for (uint d = 1; d < n; d *= 2) {
            t[i] = x; barrier(CLK_LOCAL_MEM_FENCE);
            if (i >= d) x += t[i - d];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        out[get_global_id(0)] = x; }";
    for local in [1u32, 16, 21, 64] {
        let size = (local * 3) as usize;
        let mut buffers = [vec![0; size], (0..size as u32).map(|i| i * 7 % 5).collect()];
        run(source, &mut buffers, [size as u64, 1, 1], [local, 1, 1]);
        for (g, group) in buffers[1].chunks(local as usize).enumerate() {
            let mut sum = 0;
            for (i, x) in group.iter().enumerate() {
                sum += x;
                assert_eq!(buffers[0][g * local as usize + i], sum, "{local} {g} {i}");
            }
        }
    }
}

#[test]
fn groups_of_few_work_items_run_as_larger_ones_where_nothing_tells() {
    let size = |body: &str, global: [u64; 3], local: [u32; 3]| {
        let source = format!("kernel void test(global uint *out) {{ {body} }}");
        let device = &devices()[0];
        let program = device.load(Arc::new(compiled(device, &source))).unwrap();
        let kernel = program.kernel("test").unwrap();
        let loaded = kernel.as_any().downcast_ref::<CpuKernel>().unwrap().loaded().unwrap();
        loaded.efficient_local_size(global, 2, local)
    };
    let items = |size: [u32; 3]| size.iter().product::<u32>();
    let ids = "out[get_global_id(0)] = get_global_linear_id() + get_global_offset(0);";
    let line = [1 << 20, 1, 1];
    assert!(items(size(ids, line, [1, 1, 1])) >= 64);
    assert!(items(size(ids, [1024, 1024, 1], [4, 4, 1])) >= 64);
    assert_eq!(size(ids, line, [64, 1, 1]), [64, 1, 1]);
    assert_eq!(size(ids, [1_000_003, 1, 1], [1, 1, 1]), [1, 1, 1]);
    for body in [
        "out[get_group_id(0)] = 1;",
        "out[get_global_id(0)] = get_enqueued_local_size(0);",
        "out[get_global_id(0)] = get_num_groups(0);",
        "local uint n; n = out[0]; out[get_global_id(0)] = n;",
        "out[get_global_id(0)] = 1; barrier(CLK_GLOBAL_MEM_FENCE); out[get_global_id(0) ^ 1] += 1;",
        "out[get_global_id(0)] = get_local_id(1);",
    ] {
        assert_eq!(size(body, line, [2, 1, 1]), [2, 1, 1], "{body}");
    }
    let mut buffers = [vec![0; 4096]];
    run(
        "kernel void test(global uint *out) { out[get_global_id(0)] = get_global_id(0); }",
        &mut buffers,
        [4096, 1, 1],
        [1, 1, 1],
    );
    assert!((0..4096).eq(buffers[0].iter().copied()));
}

#[test]
fn the_last_groups_may_be_smaller() {
    let source = "kernel void test(global uint *out) {
        uint x = get_global_id(0), y = get_global_id(1);
        out[y * 35 + x] = get_local_size(0) * 100 + get_local_size(1) * 10 + get_group_id(0); }";
    let mut buffers = [vec![0; 35 * 5]];
    run(source, &mut buffers, [35, 5, 1], [16, 2, 1]);
    for y in 0..5 {
        for x in 0..35 {
            let (w, h) = (if x < 32 { 16 } else { 3 }, if y < 4 { 2 } else { 1 });
            assert_eq!(buffers[0][y * 35 + x] as usize, w * 100 + h * 10 + x / 16, "{x} {y}");
        }
    }
}

#[test]
fn the_last_groups_of_a_required_size_may_be_whole_vectors() {
    let source = "kernel __attribute__((reqd_work_group_size(64, 1, 1))) void test(global uint *out) {
        local uint n; if (get_local_id(0) == 0) n = get_local_size(0);
        barrier(CLK_LOCAL_MEM_FENCE); out[get_global_id(0)] = n; }";
    let mut buffers = [vec![0; 96]];
    run(source, &mut buffers, [96, 1, 1], [64, 1, 1]);
    assert!(
        buffers[0][..64].iter().all(|n| *n == 64) && buffers[0][64..].iter().all(|n| *n == 32),
        "{:?}",
        buffers[0]
    );
}

/// Launches of code with streaming stores, all of which bypass the caches.
#[test]
fn streams_arrive_whatever_their_sizes_and_offsets() {
    devices().iter().for_each(streams_arrive);
}

fn streams_arrive(device: &CpuDevice) {
    let source =
        "kernel void test(global uint *a, global uint4 *b, global const uint *in, uint first, uint n) {
        uint i = get_global_id(0); if (i >= n) return; uint x = in[i];
        a[first + i] = x * 3; b[i] = (uint4)(x, x + 1, x + 2, x + 3); }";
    let (program, sizes) = (compiled_wide(device, source), [1u64, 16, 64, 1000, 4096]);
    assert_eq!(program.native().unwrap().kernels[0].stream_bytes, 0, "the return makes masks");
    let source = source.replace("if (i >= n) return;", "");
    let program = compiled_wide(device, &source);
    assert_eq!(program.native().unwrap().kernels[0].stream_bytes, 20);
    let facts = LaunchFacts { threads: 2, sub_group: 4, stream_from: 0 };
    let program = CpuProgram::new(&Arc::new(program), facts, device.targets()).unwrap();
    let kernel = program.kernel("test").unwrap();
    for (global, first) in sizes.into_iter().flat_map(|n| [0u32, 1, 16, 24].map(|first| (n, first))) {
        let n = global as usize;
        let mut buffers = [vec![9; n + 32], vec![9; 4 * n], (0..n as u32).map(|i| i * 7).collect()];
        let local = if n.is_multiple_of(16) { 16 } else { n as u32 };
        launch(device, &kernel, &mut buffers, &[first, global as u32], [global, 1, 1], [local, 1, 1]);
        for (i, x) in buffers[2].iter().enumerate() {
            assert_eq!(buffers[0][first as usize + i], x * 3, "{global} {first} {i}");
            assert_eq!(buffers[1][4 * i..4 * i + 4], [*x, x + 1, x + 2, x + 3], "{global} {first} {i}");
        }
        assert!(
            buffers[0][..first as usize].iter().chain(&buffers[0][first as usize + n..]).all(|x| *x == 9)
        );
    }
}

#[test]
fn what_is_read_ordered_or_written_more_than_once_is_no_stream() {
    let device = &devices()[0];
    let bytes = |body: &str| {
        let source = format!(
            "kernel void test(global uint *a, global uint *b) {{ uint i = get_global_id(0); {body} }}"
        );
        compiled_wide(device, &source).native().unwrap().kernels[0].stream_bytes
    };
    assert_eq!(bytes("a[i] = b[i];"), 4);
    assert_eq!(bytes("a[i] = b[i]; b[i] = i;"), 4);
    assert_eq!(bytes("a[i] += b[i];"), 0);
    assert_eq!(bytes("for (uint k = 0; k < b[0]; k++) a[i] = b[i + k];"), 0);
    assert_eq!(bytes("a[i] = b[i]; atomic_inc(b);"), 0);
    assert_eq!(bytes("a[i] = b[i]; mem_fence(CLK_GLOBAL_MEM_FENCE); b[i] = 1;"), 0);
    assert_eq!(bytes("*(volatile global uint *)(a + i) = b[i];"), 0);
    assert_eq!(bytes("global uint *p = b[0] ? a : b; p[i] = 7;"), 0);
    assert_eq!(bytes("a[b[i]] = i;"), 0);
}

#[test]
fn unsigned_indices_wrap_around() {
    // Work-item 0 reads the last element, by an index that wraps in 32 bits and is truncated to the buffer.
    let source = "kernel void test(global uint *out, global const uint *in) {
        uint i = get_global_id(0); uint before = i - 1u;
        out[i] = before < 64u ? in[before] : 77u; }";
    let mut buffers = [vec![0; 64], (100..164).collect()];
    run(source, &mut buffers, [64, 1, 1], [64, 1, 1]);
    let expected: Vec<u32> = std::iter::once(77).chain(100..163).collect();
    assert_eq!(buffers[0], expected);
}

/// Compiles kernels of a source, and counts them.
struct Compiler {
    library: Library,
    /// The disk cache has the optimized code.
    has_cache: bool,
    /// The code in the disk cache cannot be loaded.
    is_damaged: bool,
    /// Numbers of the compilations that succeed.
    good: Range<u32>,
    compiled: AtomicU32,
}

impl KernelCompiler for Compiler {
    fn cached(&self, kernel: &str, target: &Target) -> Option<LoadableCode> {
        let named = if self.is_damaged { "other" } else { kernel };
        self.has_cache.then(|| self.build(Kernels::Named(vec![named.into()]), target).into())
    }
    fn compile(&self, kernel: &str, target: &Target) -> Result<LoadableCode, CompileError> {
        match self.good.contains(&self.compiled.fetch_add(1, Ordering::Relaxed)) {
            true => Ok(self.build(Kernels::Named(vec![kernel.into()]), target).into()),
            false => Err(CompileError::internal("no code")),
        }
    }
}

impl Compiler {
    fn new(source: &str) -> Compiler {
        let (library, compiled) = (library(source), AtomicU32::new(0));
        Compiler { library, has_cache: false, is_damaged: false, good: 0..u32::MAX, compiled }
    }
    fn build(&self, kernels: Kernels, target: &Target) -> Arc<CompiledProgram> {
        let built = driver::build_kernels(&kernels, &[&self.library], &Options::default(), &[], target, None);
        Arc::new(built.unwrap())
    }
    fn count(&self) -> u32 {
        self.compiled.load(Ordering::Relaxed)
    }
}

/// The second kernel of a program, and its device.
fn tiered(compiler: &Arc<Compiler>) -> (CpuDevice, Arc<dyn DeviceKernel>) {
    with_tiers(compiler, &[CodeGenerator::Cranelift])
}

fn with_tiers(compiler: &Arc<Compiler>, hot: &'static [CodeGenerator]) -> (CpuDevice, Arc<dyn DeviceKernel>) {
    let device = CpuDevice::new(unchecked(), &[], CpuGenerators { first: CodeGenerator::Baseline, hot });
    let mut build = |kernels: Kernels, target: &Target| Ok(compiler.build(kernels, target));
    let program = device.compile_kernels(Kernels::Every, &mut build).unwrap();
    let program = device.load(program).unwrap();
    program.offer_compiler(compiler.clone());
    let kernel = program.kernel("test").unwrap();
    (device, kernel)
}

/// Address of the code that a launch would run.
fn code_of(kernel: &Arc<dyn DeviceKernel>) -> *const LoadedKernel {
    std::ptr::from_ref(kernel.as_any().downcast_ref::<CpuKernel>().unwrap().loaded().unwrap())
}

/// Launches the kernel, which must compute squares.
fn square(device: &CpuDevice, kernel: &Arc<dyn DeviceKernel>) {
    let mut buffers = [vec![0; 4096]];
    launch(device, kernel, &mut buffers, &[], [4096, 1, 1], [64, 1, 1]);
    assert!(buffers[0].iter().zip(0u32..).all(|(x, i)| *x == i * i + 3));
}

const SQUARES: &str = "constant uint table[2] = {1, 3};
    kernel void other(global uint *out) { out[0] = table[get_local_id(0) & 1]; }
    kernel void test(global uint *out) {
        uint i = get_global_id(0), x = 0;
        for (uint k = 0; k < i; k++) x += i;
        out[i] = x + table[1]; }";

#[test]
fn programs_are_built_with_all_errors_and_without_code() {
    let device = devices().swap_remove(0);
    let build = |source: &str| {
        let library = library(source);
        let mut build = |kernels: Kernels, target: &Target| {
            driver::build_kernels(&kernels, &[&library], &Options::default(), &[], target, None).map(Arc::new)
        };
        let program = device.compile_kernels(Kernels::Every, &mut build);
        program.err().map(|e| e.to_string()).unwrap_or_default()
    };
    assert_eq!(build(SQUARES), "");
    assert_eq!(build("int f(int x) { return f(x); } kernel void k(int x) { }"), "");
    for (source, error) in [
        ("int f(int x) { return f(x) + 1; } kernel void k(int x) { f(x); }", "calls itself"),
        ("int f(int x); kernel void k(int x) { f(x); }", "unresolved symbol 'f'"),
    ] {
        assert!(build(source).contains(error), "{source}");
    }
}

#[test]
fn only_kernels_that_are_created_are_compiled() {
    let compiler = Arc::new(Compiler::new(SQUARES));
    let (device, kernel) = with_tiers(&compiler, &[]);
    square(&device, &kernel);
    assert_eq!(compiler.count(), 1);
}

#[test]
fn hot_kernels_get_optimized_code() {
    let compiler = Arc::new(Compiler::new(SQUARES));
    let (device, kernel) = tiered(&compiler);
    let (begin, first) = (Instant::now(), code_of(&kernel));
    while code_of(&kernel) == first {
        square(&device, &kernel);
        assert!(begin.elapsed() < Duration::from_secs(60));
    }
    (0..100).for_each(|_| square(&device, &kernel));
    assert_eq!(compiler.count(), 2);
}

#[test]
fn hot_kernels_go_through_all_tiers() {
    use CodeGenerator::{Baseline, Cranelift};
    // Also if no better code can be made.
    for good in [0..u32::MAX, 0..1] {
        let (compiler, most) = (Arc::new(Compiler { good, ..Compiler::new(SQUARES) }), 4);
        let (device, kernel) = with_tiers(&compiler, &[Cranelift, Baseline, Cranelift]);
        let begin = Instant::now();
        while compiler.count() < most {
            square(&device, &kernel);
            assert!(begin.elapsed() < Duration::from_secs(60));
        }
        (0..100).for_each(|_| square(&device, &kernel));
        assert_eq!(compiler.count(), most);
    }
}

#[test]
fn optimized_code_in_the_cache_is_the_first() {
    let compiler = Arc::new(Compiler { has_cache: true, ..Compiler::new(SQUARES) });
    let (device, kernel) = tiered(&compiler);
    (0..100).for_each(|_| square(&device, &kernel));
    assert_eq!(compiler.count(), 0);
}

#[test]
fn a_cached_kernel_that_cannot_be_loaded_is_compiled() {
    let compiler = Arc::new(Compiler { has_cache: true, is_damaged: true, ..Compiler::new(SQUARES) });
    let (device, kernel) = tiered(&compiler);
    square(&device, &kernel);
    assert!(compiler.count() >= 1);
}

#[test]
fn kernels_without_optimized_code_keep_their_quick_code() {
    let compiler = Arc::new(Compiler { good: 0..1, ..Compiler::new(SQUARES) });
    let (device, kernel) = tiered(&compiler);
    let (begin, first) = (Instant::now(), code_of(&kernel));
    while compiler.count() < 2 {
        square(&device, &kernel);
        assert!(begin.elapsed() < Duration::from_secs(60));
    }
    (0..100).for_each(|_| square(&device, &kernel));
    assert_eq!((compiler.count(), code_of(&kernel)), (2, first));
}

#[test]
fn kernels_start_with_code_that_can_be_made() {
    let compiler = Arc::new(Compiler { good: 1..2, ..Compiler::new(SQUARES) });
    let (device, kernel) = tiered(&compiler);
    (0..100).for_each(|_| square(&device, &kernel));
    assert_eq!(compiler.count(), 2);
}

/// Code generators have limits, which kernels of ordinary size cannot reach.
#[test]
fn kernels_that_no_generator_takes_are_errors_of_the_build() {
    use CodeGenerator::{Baseline, Cranelift};
    let generators = CpuGenerators { first: Baseline, hot: &[Cranelift] };
    let device = CpuDevice::new(unchecked(), &[], generators);
    let lines = "x = x * x + y;\n".repeat(9000);
    let large = library(&format!(
        "kernel void large(global uchar16 *p) {{ uchar16 x = p[0], y = p[1]; {lines} p[2] = x; }}
         kernel void small(global uchar16 *p) {{ p[0] = 0; }}"
    ));
    // Generators that take the kernel, and the number of attempts to find one.
    let attempts = |takes: &[CodeGenerator]| {
        let mut tried = 0;
        let mut build = |kernels: Kernels, target: &Target| {
            let generator = target.cpu().unwrap().generator;
            if generator != CodeGenerator::Later {
                assert!(matches!(&kernels, Kernels::Named(names) if names == &["large"]));
                tried += 1;
                if !takes.contains(&generator) {
                    let text = format!("error: kernel 'large': too large for {generator:?}\n");
                    return Err(CompileError::Diagnostics(text));
                }
            }
            // Compiling the large kernel would take long.
            let target = target.clone().with_generator(CodeGenerator::Later);
            driver::build_kernels(&kernels, &[&large], &Options::default(), &[], &target, None).map(Arc::new)
        };
        let built = device.compile_kernels(Kernels::Every, &mut build).map(drop);
        (built.map_err(|e| e.to_string()), tried)
    };
    assert_eq!(attempts(&[Baseline]), (Ok(()), 1));
    assert_eq!(attempts(&[Cranelift]), (Ok(()), 2));
    let (refused, tried) = attempts(&[]);
    assert!(refused.unwrap_err().contains("kernel 'large': too large for Baseline") && tried == 2);
}

#[test]
fn kernels_without_code_are_not_launched() {
    let compiler = Arc::new(Compiler { good: 0..0, ..Compiler::new(SQUARES) });
    let (_device, kernel) = tiered(&compiler);
    let kernel = kernel.as_any().downcast_ref::<CpuKernel>().unwrap();
    assert!(kernel.loaded().is_err() && kernel.loaded().is_err());
    assert_eq!(compiler.count(), 2);
    assert_eq!(kernel.private_bytes(), 0);
}

/// The kernels of a program see each other's writes to its variables.
#[test]
fn kernels_that_share_variables_are_compiled_together() {
    let source = &SQUARES.replace("constant uint", "global uint").replace("out[0] =", "table[0] =");
    let compiler = Arc::new(Compiler { good: 0..0, ..Compiler::new(source) });
    let (device, kernel) = tiered(&compiler);
    square(&device, &kernel);
    assert!(kernel.as_any().downcast_ref::<CpuKernel>().unwrap().tiers().is_none());
}
