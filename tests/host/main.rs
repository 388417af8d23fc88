//! The driver in unusual hosts. Each case runs in a child process, so that it can ignore signals, close
//! descriptors, fork and exhaust resources. It succeeds if the child exits with 0 in time.
//!
//! Every case compiles its programs anew (no cache), so that it covers the compiler's child process.

#![allow(clippy::unwrap_used, clippy::panic)]

mod compiler;
mod images;
mod svm;

use compiler::build_fails;
use libloading::{Library, Symbol};
use libtest_mimic::{Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use test_support::api::rig::*;
use test_support::api::supervised::{
    self, Case, as_is, memory_settles, no_children, open_descriptors, resident, threads,
};
use test_support::api::*;

/// Lists the software device twice. Without a software device the case finds a single device and skips.
fn twice_the_device(command: &mut Command, folder: &Path) {
    let found = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"]
        .into_iter()
        .flat_map(std::fs::read_dir)
        .flatten()
        .flatten();
    let lavapipe =
        found.map(|e| e.path()).find(|p| p.file_name().unwrap().to_string_lossy().starts_with("lvp"));
    if let Some(manifest) = lavapipe {
        let copies = ["a.json", "b.json"].map(|name| folder.join(name));
        copies.iter().for_each(|copy| assert!(std::fs::copy(&manifest, copy).is_ok()));
        command.env("VK_ICD_FILENAMES", format!("{}:{}", copies[0].display(), copies[1].display()));
    }
}

/// The devices that are listed by default.
fn default_devices(command: &mut Command, _: &Path) {
    command.env("PYROCLAST_DEVICES", "");
}

fn without_vulkan_driver(command: &mut Command, folder: &Path) {
    default_devices(command, folder);
    command.env("VK_ICD_FILENAMES", "/nonexistent").env("VK_DRIVER_FILES", "/nonexistent");
}

const CASES: &[Case] = &[
    Case { name: "sigchld_is_ignored", run: sigchld_is_ignored, prepare: as_is },
    Case { name: "every_child_is_reaped_by_the_host", run: every_child_is_reaped, prepare: as_is },
    Case { name: "standard_descriptors_are_closed", run: standard_descriptors_are_closed, prepare: as_is },
    Case {
        name: "the_environment_is_empty",
        run: works,
        prepare: |command, _| {
            command.env_clear();
            command.env("PYROCLAST_NO_CACHE", "1");
        },
    },
    Case {
        name: "path_leads_nowhere",
        run: works,
        prepare: |command, _| {
            command.env("PATH", "/nonexistent").env("HOME", "/nonexistent").env("LC_ALL", "xx_YY");
        },
    },
    Case { name: "the_working_directory_is_gone", run: the_working_directory_is_gone, prepare: as_is },
    Case {
        name: "a_hundred_thousand_launches_take_no_memory",
        run: launches_ahead_of_the_device,
        // The validation layer keeps a record of each object.
        prepare: |command, _| {
            command.env("PYROCLAST_VALIDATE", "");
        },
    },
    Case { name: "two_hundred_threads", run: two_hundred_threads, prepare: as_is },
    Case { name: "threads_have_small_stacks", run: threads_have_small_stacks, prepare: as_is },
    Case { name: "another_driver_is_in_the_process", run: another_driver, prepare: as_is },
    Case {
        name: "the_library_is_used_directly",
        run: || {
            without_loader();
            works();
        },
        prepare: as_is,
    },
    Case { name: "a_program_links_to_the_library", run: a_program_links, prepare: as_is },
    Case { name: "the_library_is_closed_and_opened_again", run: closed_and_opened_again, prepare: as_is },
    Case { name: "the_process_forks_after_use", run: forks_after_use, prepare: as_is },
    Case { name: "the_process_forks_before_use", run: forks_before_use, prepare: as_is },
    Case {
        name: "there_is_no_vulkan_driver",
        run: no_device,
        prepare: |command, folder| {
            without_vulkan_driver(command, folder);
            command.env("PYROCLAST_DEVICES", "vulkan");
        },
    },
    Case {
        name: "the_processor_serves_where_there_is_no_vulkan_driver",
        run: works,
        prepare: without_vulkan_driver,
    },
    Case {
        name: "the_processor_is_not_listed_through_vulkan_too",
        run: processor_once,
        prepare: default_devices,
    },
    Case {
        name: "the_processor_is_listed_through_vulkan_where_its_compiler_is_missing",
        run: processor_through_vulkan,
        prepare: |command, folder| {
            default_devices(command, folder);
            command.env("PYROCLAST_CLANG", "/nonexistent");
            command.env("PYROCLAST_CPU_CODE", "optimized");
        },
    },
    Case {
        name: "the_processor_needs_no_compiler",
        run: works,
        prepare: |command, _| {
            command.env("PYROCLAST_DEVICES", "cpu").env("PYROCLAST_CLANG", "/nonexistent");
            command.env_remove("PYROCLAST_CPU_CODE");
        },
    },
    Case {
        name: "there_is_no_vulkan_loader",
        run: no_device,
        prepare: |command, folder| {
            // The dynamic linker finds this file first, and cannot load it.
            std::fs::write(folder.join("libvulkan.so.1"), "no library").unwrap();
            std::fs::write(folder.join("libvulkan.so"), "no library").unwrap();
            let own = std::env::var("LD_LIBRARY_PATH").unwrap_or_default();
            command.env("LD_LIBRARY_PATH", format!("{}:{own}", folder.display()));
            command.env("PYROCLAST_DEVICES", "vulkan");
        },
    },
    Case {
        name: "nothing_leaks_in_a_thousand_rounds",
        run: nothing_leaks,
        prepare: |command, folder| {
            command.env("PYROCLAST_CACHE_DIR", folder.join("cache")).env_remove("PYROCLAST_NO_CACHE");
            // The validation layer keeps records of its own.
            command.env("PYROCLAST_VALIDATE", "none");
        },
    },
    Case { name: "a_context_has_two_devices", run: a_context_has_two_devices, prepare: twice_the_device },
    Case {
        name: "a_context_has_two_graphics_cards",
        run: a_context_has_two_devices,
        prepare: |command, folder| {
            twice_the_device(command, folder);
            command.env("PYROCLAST_FEATURES", "-mapped_buffers,-host_import");
        },
    },
    Case {
        name: "threads_sleep_while_there_is_nothing_to_do",
        run: threads_sleep,
        prepare: with_the_processor,
    },
    Case {
        name: "a_context_has_two_kinds_of_devices",
        run: two_kinds_of_devices,
        prepare: with_the_processor,
    },
    Case {
        name: "a_context_has_a_graphics_card_and_the_processor",
        run: two_kinds_of_devices,
        prepare: |command, folder| {
            with_the_processor(command, folder);
            command.env("PYROCLAST_FEATURES", "-mapped_buffers,-host_import");
        },
    },
];

/// Builds a program, runs it and checks the result.
fn works() {
    builds_and_runs();
    no_children();
}

fn builds_and_runs() {
    let rig = Rig::new("kernel void twice(global uint *p) { p[get_global_id(0)] *= 2; }");
    runs(&rig);
    rig.program.release();
    rig.context.release();
}

fn runs(rig: &Rig) {
    let (queue, kernel) = (rig.queue(0), rig.kernel("twice"));
    let data: Vec<u32> = (0..1000).collect();
    let mem = rig.buffer(&data);
    set(kernel, 0, mem);
    launch(queue, kernel, 1000, &[]).release();
    let doubled: Vec<u32> = data.iter().map(|v| v * 2).collect();
    assert_eq!(read::<u32>(queue, mem, 1000), doubled);
    mem.release();
    kernel.release();
    queue.release();
}

fn sigchld_is_ignored() {
    // SAFETY: a standard signal and disposition.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
    works();
    // A failed build has its log, although the compiler's exit status is unknown.
    build_fails("undeclared identifier");
}

static REAP: AtomicBool = AtomicBool::new(true);

fn every_child_is_reaped() {
    let reaper = std::thread::spawn(|| {
        while REAP.load(Ordering::Relaxed) {
            // SAFETY: the status pointer may be NULL.
            if unsafe { libc::waitpid(-1, null_mut(), 0) } < 0 {
                std::thread::sleep(Duration::from_micros(50));
            }
        }
    });
    for _ in 0..5 {
        works();
        build_fails("undeclared identifier");
    }
    REAP.store(false, Ordering::Relaxed);
    reaper.join().unwrap();
}

fn standard_descriptors_are_closed() {
    // SAFETY: no other code uses them.
    unsafe {
        libc::close(0);
        libc::close(1);
        libc::close(2);
    }
    works();
    build_fails("undeclared identifier");
}

fn the_working_directory_is_gone() {
    let folder = std::env::temp_dir().join(format!("pyroclast-gone-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    std::env::set_current_dir(&folder).unwrap();
    std::fs::remove_dir(&folder).unwrap();
    works();
}

fn two_hundred_threads() {
    let rig = Rig::new("kernel void twice(global uint *p) { p[get_global_id(0)] *= 2; }");
    let start = std::sync::Barrier::new(200);
    std::thread::scope(|scope| {
        for i in 0..200 {
            let start = &start;
            scope.spawn(move || {
                start.wait();
                if i % 25 == 0 {
                    builds_and_runs();
                }
                runs(&rig);
            });
        }
    });
    no_children();
}

fn threads_have_small_stacks() {
    // Stack sizes of Go, Java and musl programs.
    let small = std::thread::Builder::new().stack_size(128 << 10);
    small.spawn(works).unwrap().join().unwrap();
}

fn vendor_of(platform: cl_platform_id) -> String {
    text(&platform_info(platform, CL_PLATFORM_NAME).unwrap())
}

fn another_driver() {
    let vendors = std::env::temp_dir().join(format!("pyroclast-both-{}", std::process::id()));
    std::fs::create_dir_all(&vendors).unwrap();
    let driver = std::env::current_exe().unwrap().with_file_name("libpyroclast.so");
    std::fs::write(vendors.join("pyroclast.icd"), format!("{}\n", driver.display())).unwrap();
    let found = std::fs::copy("/etc/OpenCL/vendors/pocl.icd", vendors.join("pocl.icd"));
    if found.is_err() {
        let _ = std::fs::remove_dir_all(&vendors);
        eprintln!("PoCL is not installed: nothing tested");
        return;
    }
    validation::watch();
    with_vendors(&vendors);
    let mut list = [null_mut(); 8];
    let mut count = 0;
    // SAFETY: room for as many as said.
    ok(unsafe { clGetPlatformIDs(8, list.as_mut_ptr(), &mut count) });
    let _ = std::fs::remove_dir_all(&vendors);
    let mut rigs = Vec::new();
    for platform in &list[..count as usize] {
        let (mut device, mut code) = (null_mut(), 1);
        // SAFETY: room for one device.
        ok(unsafe { clGetDeviceIDs(*platform, CL_DEVICE_TYPE_ALL, 1, &mut device, null_mut()) });
        // SAFETY: one device.
        let context = unsafe { clCreateContext(null(), 1, &device, None, null_mut(), &mut code) };
        ok(code);
        let program =
            build(context, device, "kernel void twice(global uint *p) { p[get_global_id(0)] *= 2; }");
        rigs.push((vendor_of(*platform), Rig { device, context, program }));
    }
    assert!(rigs.len() >= 2, "{:?}", rigs.iter().map(|r| &r.0).collect::<Vec<_>>());
    for _ in 0..3 {
        rigs.iter().for_each(|(_, rig)| runs(rig));
    }
    std::thread::scope(|scope| {
        for (_, rig) in rigs.iter().chain(&rigs) {
            scope.spawn(move || runs(rig));
        }
    });
}

/// A C program that links the library as its OpenCL library.
const LINKED: &str = r#"
#include <stdio.h>
#include <stddef.h>
extern int clGetPlatformIDs(unsigned, void **, unsigned *);
extern int clGetDeviceIDs(void *, unsigned long, unsigned, void **, unsigned *);
extern void *clCreateContext(const long *, unsigned, void *const *, void *, void *, int *);
extern void *clCreateProgramWithSource(void *, unsigned, const char **, const size_t *, int *);
extern int clBuildProgram(void *, unsigned, void *const *, const char *, void *, void *);
extern void *clCreateKernel(void *, const char *, int *);
extern int clReleaseContext(void *);
int main(void) {
    void *platform, *device;
    int code = 1;
    const char *source = "kernel void k(global int *p) { *p = 3; }";
    if (clGetPlatformIDs(1, &platform, 0) || clGetDeviceIDs(platform, 0xffffffff, 1, &device, 0)) return 2;
    void *context = clCreateContext(0, 1, &device, 0, 0, &code);
    void *program = clCreateProgramWithSource(context, 1, &source, 0, &code);
    if (code || clBuildProgram(program, 0, 0, "", 0, 0)) return 3;
    if (!clCreateKernel(program, "k", &code) || code) return 4;
    return clReleaseContext(context);
}
"#;

fn a_program_links() {
    let folder = std::env::temp_dir().join(format!("pyroclast-link-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("main.c"), LINKED).unwrap();
    // Packages install it under its soname, by which the program finds it.
    let driver = folder.join("libpyroclast.so.1");
    let built = std::env::current_exe().unwrap().with_file_name("libpyroclast.so");
    std::os::unix::fs::symlink(built, &driver).unwrap();
    let mut cc = Command::new("cc");
    cc.arg("-o").arg(folder.join("main")).arg(folder.join("main.c")).arg(&driver);
    cc.arg(format!("-Wl,-rpath,{}", folder.display()));
    assert!(cc.status().expect("a C compiler (cargo needs one too)").success());
    let status = Command::new(folder.join("main")).status().unwrap();
    let _ = std::fs::remove_dir_all(&folder);
    assert_eq!(status.code(), Some(0));
}

type GetPlatformIds = unsafe extern "C" fn(cl_uint, *mut cl_platform_id, *mut cl_uint) -> cl_int;
type GetDeviceIds =
    unsafe extern "C" fn(cl_platform_id, cl_device_type, cl_uint, *mut cl_device_id, *mut cl_uint) -> cl_int;

fn closed_and_opened_again() {
    let driver = std::env::current_exe().unwrap().with_file_name("libpyroclast.so");
    for _ in 0..3 {
        // SAFETY: the driver does nothing when loaded, and functions of those names have those types.
        unsafe {
            let library = Library::new(&driver).unwrap();
            let platforms: Symbol<GetPlatformIds> = library.get(b"clGetPlatformIDs\0").unwrap();
            let devices: Symbol<GetDeviceIds> = library.get(b"clGetDeviceIDs\0").unwrap();
            let (mut platform, mut device) = (null_mut(), null_mut());
            ok(platforms(1, &mut platform, null_mut()));
            ok(devices(platform, CL_DEVICE_TYPE_ALL, 1, &mut device, null_mut()));
            library.close().unwrap();
        }
    }
    without_loader();
    works();
    // Background work outlives the last dlclose.
    // SAFETY: the handle is the library's own; closing it more often than opened is refused at worst.
    unsafe {
        let library = Library::new(&driver).unwrap();
        library.close().unwrap();
    }
    works();
}

/// Forks. The child runs `work`; its exit status says whether `work` returned.
fn in_forked_child(exit: unsafe extern "C" fn(i32) -> !, work: impl Fn() -> bool) -> Option<i32> {
    // SAFETY: the child calls the driver and nothing that needs the parent's other threads.
    unsafe {
        let pid = libc::fork();
        assert!(pid >= 0);
        if pid == 0 {
            let fine = std::panic::catch_unwind(std::panic::AssertUnwindSafe(&work)).unwrap_or(false);
            exit(if fine { 0 } else { 1 });
        }
        let status = std::cell::Cell::new(0);
        if !eventually(|| libc::waitpid(pid, status.as_ptr(), libc::WNOHANG) != 0) {
            libc::kill(pid, libc::SIGKILL);
            libc::waitpid(pid, status.as_ptr(), 0);
            return None;
        }
        let status = status.get();
        if libc::WIFEXITED(status) { Some(libc::WEXITSTATUS(status)) } else { Some(-libc::WTERMSIG(status)) }
    }
}

fn forks_after_use() {
    let rig = Rig::new("kernel void twice(global uint *p) { p[get_global_id(0)] *= 2; }");
    runs(&rig);
    let (queue, kernel, mem) = (rig.queue(0), rig.kernel("twice"), rig.buffer(&[1u32; 64]));
    set(kernel, 0, mem);
    let event = launch(queue, kernel, 64, &[]);
    let refused = || {
        let (mut code, mut word) = (1, 0u32);
        // SAFETY: the objects are the parent's; every call is refused.
        unsafe {
            let one: *const usize = &64;
            let launched =
                clEnqueueNDRangeKernel(queue, kernel, 1, null(), one, null(), 0, null(), null_mut());
            let read =
                clEnqueueReadBuffer(queue, mem, 1, 0, 4, (&raw mut word).cast(), 0, null(), null_mut());
            let finished = clFinish(queue);
            let waited = clWaitForEvents(1, &event);
            let context = clCreateContext(null(), 1, &rig.device, None, null_mut(), &mut code);
            let buffer = clCreateBuffer(rig.context, 0, 64, null_mut(), &mut code);
            let released = clReleaseMemObject(mem);
            let listed = clGetDeviceIDs(null_mut(), CL_DEVICE_TYPE_ALL, 0, null_mut(), &mut 0);
            [launched, read, finished, waited, released, listed, code].iter().all(|c| *c < 0)
                && context.is_null()
                && buffer.is_null()
        }
    };
    assert_eq!(in_forked_child(libc::_exit, refused), Some(0));
    assert_eq!(in_forked_child(libc::exit, refused), Some(0), "the child with exit()");
    // A child that executes another program is not affected.
    assert!(Command::new("/bin/true").status().unwrap().success());
    // The parent continues to use the driver.
    ok(wait(&[event]));
    assert_eq!(read::<u32>(queue, mem, 64), [2; 64]);
    runs(&rig);
    // Fork while other threads are inside the driver.
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    runs(&rig);
                }
            });
        }
        for _ in 0..20 {
            assert_eq!(in_forked_child(libc::_exit, refused), Some(0));
        }
        stop.store(true, Ordering::Relaxed);
    });
}

fn forks_before_use() {
    // The child initialises the driver anew.
    let works_there = || {
        works();
        true
    };
    assert_eq!(in_forked_child(libc::_exit, works_there), Some(0));
    works();
}

fn no_device() {
    let mut count = 7;
    // SAFETY: a query of the count.
    unsafe {
        assert_eq!(
            clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, 0, null_mut(), &mut count),
            CL_DEVICE_NOT_FOUND
        );
        let mut code = 1;
        let context = clCreateContextFromType(null(), CL_DEVICE_TYPE_ALL, None, null_mut(), &mut code);
        assert!(context.is_null());
        assert_eq!(code, CL_DEVICE_NOT_FOUND);
    }
    assert_eq!(vendor_of(platform()), "Pyroclast");
    platform_info(platform(), CL_PLATFORM_EXTENSIONS).unwrap();
}

/// `LEAK_ROUNDS=10000 cargo test --test host -- nothing_leaks` sets the rounds per block of work.
fn nothing_leaks() {
    let at_a_time: usize = std::env::var("LEAK_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(500);
    let mut rounds = 0usize..;
    let mut round = || {
        let i = rounds.next().unwrap();
        // Now and then a new program, which starts the compiler.
        let variant = if i.is_multiple_of(50) { i } else { 1 };
        let source = format!(
            "kernel void twice(global uint *p) {{ p[get_global_id(0)] *= 2; }} constant int variant = {variant};"
        );
        let rig = Rig::new(&source);
        runs(&rig);
        rig.program.release();
        rig.context.release();
    };
    (0..200).for_each(|_| round());
    let before = (open_descriptors(), threads());
    memory_settles(12, || (0..at_a_time).for_each(|_| round()));
    assert!(
        eventually(|| open_descriptors() <= before.0 + 2),
        "descriptors: {} before, {} after",
        before.0,
        open_descriptors()
    );
    assert!(eventually(|| threads() <= before.1 + 2), "threads: {} before, {} after", before.1, threads());
    no_children();
}

fn a_context_has_two_devices() {
    let devices = devices();
    if devices.len() < 2 {
        eprintln!("{} device: nothing tested", devices.len());
        return;
    }
    let mut code = 1;
    // SAFETY: two devices.
    let context = unsafe { clCreateContext(null(), 2, devices.as_ptr(), None, null_mut(), &mut code) };
    ok(code);
    let source = "kernel void step(global uint *p, uint factor, uint addend) {
        size_t i = get_global_id(0);
        p[i] = p[i] * factor + addend;
    }";
    let program = build(context, devices[0], &format!("{source}\n{}", images::SOURCE));
    let rigs = [0, 1].map(|i| Rig { device: devices[i], context, program });
    for properties in [0, OUT_OF_ORDER] {
        let queues = rigs.map(|rig| rig.queue(properties));
        let kernel = rigs[0].kernel("step");
        let mut expected: Vec<u32> = (0..500).collect();
        let mem = rigs[0].buffer(&expected);
        set(kernel, 0, mem);
        let mut last: Option<cl_event> = None;
        let mut random = Random(5);
        for i in 0..200u32 {
            set(kernel, 1, 5u32);
            set(kernel, 2, i);
            let event = launch(queues[random.below(2)], kernel, 500, last.as_slice());
            expected.iter_mut().for_each(|v| *v = v.wrapping_mul(5).wrapping_add(i));
            release(last.replace(event));
        }
        ok(wait(last.as_slice()));
        release(last);
        assert_eq!(read::<u32>(queues[0], mem, 500), expected);
        assert_eq!(read::<u32>(queues[1], mem, 500), expected);
        mem.release();
        kernel.release();
        sub_buffers_of_two_devices(&rigs, queues);
        images::images_of_two_devices(&rigs, queues);
        release(queues);
    }
    program.release();
    context.release();
}

fn with_the_processor(command: &mut Command, _: &Path) {
    command.env("PYROCLAST_DEVICES", "vulkan:0,cpu");
}

fn two_kinds_of_devices() {
    let devices = devices();
    assert_eq!(devices.len(), 2, "a Vulkan device and the processor");
    assert_eq!(number(&device_info(devices[1], CL_DEVICE_TYPE).unwrap()), CL_DEVICE_TYPE_CPU);
    a_context_has_two_devices();
    svm::counted_by_both(&devices);
}

/// With queues of both kinds of devices, whose threads have worked.
fn threads_sleep() {
    let source = "kernel void busy(global uint *p) {
        uint x = get_global_id(0);
        for (uint i = 0; i < 2000; i++) x = x * 1664525u + p[i % 16];
        p[get_global_id(0)] = x;
    }";
    let mut code = 1;
    let list = devices();
    // SAFETY: as many devices as are said.
    let context =
        unsafe { clCreateContext(null(), list.len() as u32, list.as_ptr(), None, null_mut(), &mut code) };
    ok(code);
    let program = build(context, list[0], source);
    let mut kept = Vec::new();
    for device in list {
        let rig = Rig { device, context, program };
        for properties in [0, OUT_OF_ORDER, CL_QUEUE_PROFILING_ENABLE] {
            let (queue, kernel, mem) =
                (rig.queue(properties), rig.kernel("busy"), rig.buffer(&[1u32; 1 << 16]));
            set(kernel, 0, mem);
            let event = launch(queue, kernel, 1 << 16, &[]);
            ok(wait(&[launch(queue, kernel, 1 << 16, &[event])]));
            kept.push((queue, kernel, mem));
        }
    }
    let used = || {
        // SAFETY: numbers, all of which are written.
        let mut time: libc::timespec = unsafe { std::mem::zeroed() };
        // SAFETY: room for the time.
        unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    };
    let sleeps = || {
        let before = used();
        std::thread::sleep(Duration::from_millis(200));
        used() - before < Duration::from_millis(20)
    };
    assert!(eventually(sleeps), "threads are busy");
}

fn processor_through_vulkan() {
    let version = |d: &cl_device_id| text(&device_info(*d, CL_DRIVER_VERSION).unwrap());
    assert!(!devices().is_empty() && !devices().iter().any(|d| version(d).contains("native code")));
}

fn processor_once() {
    let list = devices();
    let text = |d: &cl_device_id| text(&device_info(*d, CL_DRIVER_VERSION).unwrap());
    let native = list.iter().position(|d| text(d).contains("native code")).unwrap();
    let software = |d: &cl_device_id| number(&device_info(*d, CL_DEVICE_TYPE).unwrap()) == CL_DEVICE_TYPE_CPU;
    // Earlier devices are not processors, and the same processor is not listed through Vulkan.
    assert!(!list[..native].iter().any(software) && native + 1 == list.len());
    let (mut default, mut count) = (std::ptr::null_mut(), 0);
    // SAFETY: room for one device.
    ok(unsafe { clGetDeviceIDs(platform(), CL_DEVICE_TYPE_DEFAULT, 1, &mut default, &mut count) });
    assert_eq!((default, count), (list[0], 1));
}

/// Each device works in its own part of a buffer, at the same time; then they exchange parts.
fn sub_buffers_of_two_devices(rigs: &[Rig; 2], queues: [cl_command_queue; 2]) {
    const PART: usize = 16384;
    let mut expected = vec![3u32; 2 * PART];
    let whole = rigs[0].buffer(&expected);
    let parts = [0, 1].map(|i| {
        let (region, mut code) = (cl_buffer_region { origin: i * PART * 4, size: PART * 4 }, 1);
        // SAFETY: a region of a live buffer.
        let part = unsafe {
            clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast(), &mut code)
        };
        ok(code);
        part
    });
    let kernels = rigs.map(|rig| rig.kernel("step"));
    for round in 0..12u32 {
        let events = [0, 1].map(|i| {
            let part = (i + round as usize) % 2;
            set(kernels[i], 0, parts[part]);
            set(kernels[i], 1, 3u32);
            set(kernels[i], 2, round + part as u32);
            let list = &mut expected[part * PART..(part + 1) * PART];
            list.iter_mut().for_each(|v| *v = v.wrapping_mul(3).wrapping_add(round + part as u32));
            launch(queues[i], kernels[i], PART, &[])
        });
        if round % 3 == 1 {
            let mut moved = null_mut();
            let (hint, queue) =
                (if round == 4 { CL_MIGRATE_MEM_OBJECT_HOST } else { 0 }, queues[round as usize % 2]);
            // SAFETY: live handles.
            ok(unsafe { clEnqueueMigrateMemObjects(queue, 1, &whole, hint, 2, events.as_ptr(), &mut moved) });
            ok(wait(&[moved]));
            moved.release();
        }
        ok(wait(&events));
        release(events);
        if round % 4 == 2 {
            // Through a mapping, by the device that owns only half of it. At the end both own all, and the
            // other device unmaps.
            let last = round == 10;
            (0..2 * usize::from(last))
                .for_each(|i| assert_eq!(read::<u32>(queues[i % 2], whole, 2 * PART), expected));
            let (mut code, size) = (1, 2 * PART * 4);
            let flags = CL_MAP_READ | CL_MAP_WRITE;
            // SAFETY: live handles; the mapping has the size and is unmapped.
            unsafe {
                let ptr =
                    clEnqueueMapBuffer(queues[0], whole, 1, flags, 0, size, 0, null(), null_mut(), &mut code);
                ok(code);
                let list = std::slice::from_raw_parts_mut(ptr.cast::<u32>(), 2 * PART);
                assert_eq!(list, expected);
                list[PART] = 99;
                expected[PART] = 99;
                ok(clEnqueueUnmapMemObject(queues[usize::from(last)], whole, ptr, 0, null(), null_mut()));
            }
            queues.iter().for_each(|q| finish(*q));
        }
    }
    for queue in queues {
        assert_eq!(read::<u32>(queue, whole, 2 * PART), expected);
    }
    release(kernels);
    release(parts);
    whole.release();
}

fn launches_ahead_of_the_device() {
    let rig = Rig::new(
        "kernel void touch(global uint *p, uint n) {
            uint x = 1;
            // llvmpipe of Mesa 22.3 ends loops after 65535 rounds.
            for (uint i = 0; i < n; i++)
                for (uint j = 0; j < 60000; j++)
                    x = x * 1664525u + (x >> 3) + j;
            if (x == 7)
                p[0] = x;
        }",
    );
    let (mem, kernel) = (rig.buffer(&[0u32; 64]), rig.kernel("touch"));
    set(kernel, 0, mem);
    let queue = rig.queue(0);
    let run = |count: usize, flush: bool| {
        let size = 1usize;
        for _ in 0..count {
            // SAFETY: live handles; one dimension.
            unsafe {
                ok(clEnqueueNDRangeKernel(queue, kernel, 1, null(), &size, null(), 0, null(), null_mut()));
                if flush {
                    ok(clFlush(queue));
                }
            }
        }
    };
    let start = resident();
    memory_settles(2, || {
        // The device is held up, so that the maximum number of commands queues up, in small and in large
        // batches.
        for flush in [true, false] {
            set(kernel, 1, 4_000u32);
            let held = launch(queue, kernel, 1, &[]);
            // SAFETY: a live handle.
            ok(unsafe { clFlush(queue) });
            set(kernel, 1, 0u32);
            run(3_000, flush);
            assert_eq!(status(held), CL_COMPLETE, "no thread gets thousands of launches ahead");
            held.release();
        }
        run(50_000, false);
        let most = resident();
        assert!(most <= start + 64, "resident MiB: {start} before, {most} while launches are in flight");
        finish(queue);
    });
    queue.release();
    mem.release();
    kernel.release();
    rig.program.release();
    rig.context.release();
}

/// Only OpenCL functions are exported.
fn exports() -> Result<(), Failed> {
    let driver: PathBuf =
        std::env::current_exe().map_err(|e| e.to_string())?.with_file_name("libpyroclast.so");
    let output = Command::new("nm")
        .args(["-D", "--defined-only"])
        .arg(driver)
        .output()
        .map_err(|e| format!("nm: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let names: Vec<&str> = text.lines().filter_map(|l| l.split_whitespace().last()).collect();
    let other: Vec<&&str> = names.iter().filter(|n| !n.starts_with("cl")).collect();
    if names.len() > 100 && other.is_empty() {
        Ok(())
    } else {
        Err(Failed::from(format!("{} symbols, {other:?}", names.len())))
    }
}

fn main() -> ExitCode {
    supervised::main_with(
        &[CASES, compiler::CASES],
        &[],
        vec![Trial::test("only_opencl_is_exported", exports)],
    )
}
