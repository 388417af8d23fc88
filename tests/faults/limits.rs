//! Faults of the system around the driver: the cache on a full, unwritable or damaged disk, many processes
//! and killed ones, exhausted descriptors and address space. Calls fail with OpenCL errors, and work again
//! when resources are available.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::ptr::{null, null_mut};
use std::time::Duration;
use test_support::api::rig::*;
use test_support::api::supervised::{Case, no_children, open_descriptors, thorough};
use test_support::api::*;

const CACHE: &str = "PYROCLAST_CACHE_DIR";

pub const CASES: &[Case] = &[
    Case {
        name: "the_cache_cannot_be_made",
        run: works,
        prepare: |c, _| cache_in(c, Path::new("/proc/pyroclast-cache")),
    },
    Case { name: "the_cache_is_a_device", run: works, prepare: |c, _| cache_in(c, Path::new("/dev/null")) },
    Case { name: "the_cache_belongs_to_others", run: foreign_cache, prepare: own_cache },
    Case { name: "the_disk_is_full", run: disk_is_full, prepare: own_cache },
    Case { name: "the_cache_is_damaged", run: damaged_cache, prepare: own_cache },
    Case { name: "processes_share_the_cache_and_are_killed", run: processes_share, prepare: own_cache },
    Case { name: "descriptors_are_used_up", run: no_descriptors, prepare: no_cache },
    Case { name: "address_space_is_used_up", run: no_address_space, prepare: no_cache },
];

/// Work of the processes that share a cache; not a case of its own.
pub const SHARER: Case = Case { name: "part_sharer", run: sharer, prepare: |_, _| {} };

fn cache_in(command: &mut Command, folder: &Path) {
    command.env_remove("PYROCLAST_NO_CACHE").env(CACHE, folder).env("PYROCLAST_VALIDATE", "none");
}

fn own_cache(command: &mut Command, folder: &Path) {
    cache_in(command, &folder.join("cache"));
}

fn no_cache(command: &mut Command, _: &Path) {
    command.env("PYROCLAST_VALIDATE", "none");
}

fn cache() -> PathBuf {
    std::env::var_os(CACHE).unwrap().into()
}

/// Entries of the cache, including incomplete ones.
fn entries() -> Vec<PathBuf> {
    let shards = std::fs::read_dir(cache()).into_iter().flatten().flatten();
    shards
        .filter(|s| s.path().is_dir())
        .flat_map(|s| std::fs::read_dir(s.path()).unwrap().flatten())
        .map(|f| f.path())
        .collect()
}

fn source(variant: usize) -> String {
    format!(
        "kernel void twice(global uint *p) {{ p[get_global_id(0)] *= 2; }} constant int variant = {variant};"
    )
}

fn works_with(variant: usize) {
    let rig = Rig::new(&source(variant));
    runs(&rig);
    rig.program.release();
    rig.context.release();
}

fn works() {
    works_with(0);
    no_children();
}

fn runs(rig: &Rig) {
    let (queue, kernel) = (rig.queue(0), rig.kernel("twice"));
    let data: Vec<u32> = (0..1000).collect();
    let mem = rig.buffer(&data);
    set(kernel, 0, mem);
    launch(queue, kernel, 1000, &[]).release();
    assert!(read::<u32>(queue, mem, 1000).iter().zip(&data).all(|(r, d)| *r == d * 2));
    mem.release();
    kernel.release();
    queue.release();
}

fn foreign_cache() {
    use std::os::unix::fs::PermissionsExt;
    std::fs::create_dir_all(cache()).unwrap();
    std::fs::set_permissions(cache(), PermissionsExt::from_mode(0o777)).unwrap();
    works();
    assert!(std::fs::read_dir(cache()).unwrap().next().is_none(), "nothing is put where others may write");
    std::fs::set_permissions(cache(), PermissionsExt::from_mode(0o700)).unwrap();
    works();
    assert!(!entries().is_empty());
}

/// Files cannot grow beyond a few bytes, as on a full disk.
fn disk_is_full() {
    let limit = |bytes: u64| {
        let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: a valid structure. Only the soft limit changes.
        unsafe {
            libc::getrlimit(libc::RLIMIT_FSIZE, &mut now);
            now.rlim_cur = bytes.min(now.rlim_max);
            libc::setrlimit(libc::RLIMIT_FSIZE, &now);
        }
    };
    // The device is opened without the limit: software devices back memory by files.
    let context = context();
    let before = entries();
    // SAFETY: a standard signal and disposition; writes fail instead.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    limit(40);
    let program = build(context, device(), &source(1));
    limit(libc::RLIM_INFINITY);
    assert!(entries() == before, "left half written: {:?}", entries());
    runs(&Rig { device: device(), context, program });
    works_with(1);
    assert!(entries().len() > before.len());
}

fn damaged_cache() {
    // The Vulkan driver's compilations are kept only if they take long: their number may vary.
    let rig = Rig::new(&source(0));
    let good = entries();
    assert!(!good.is_empty());
    rig.program.release();
    rig.context.release();
    works();
    for (round, damage) in [0usize, 1, 7, 50, 1000].into_iter().enumerate() {
        for entry in entries() {
            let mut bytes = std::fs::read(&entry).unwrap();
            match round % 3 {
                0 => bytes.iter_mut().skip(damage).step_by(damage + 1).for_each(|b| *b ^= 0x5a),
                1 => bytes.truncate(damage),
                _ => bytes.extend(std::iter::repeat_n(7, damage)),
            }
            std::fs::write(&entry, bytes).unwrap();
        }
        works();
    }
    let again = entries();
    assert!(good.iter().all(|e| again.contains(e)), "damaged entries are made anew");
}

fn sharer() {
    (0..6).for_each(works_with);
}

fn processes_share() {
    let count = if thorough() { 200 } else { 10 };
    let mut random = Random(3);
    let start = |folder: &Path| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.env("HOST_CASE", SHARER.name).env(CACHE, folder).stdin(Stdio::null()).stdout(Stdio::null());
        command.spawn().unwrap()
    };
    let mut children: Vec<_> = (0..count).map(|_| start(&cache())).collect();
    // Some processes are killed at arbitrary times.
    let mut killed = Vec::new();
    for i in (0..count).step_by(3) {
        std::thread::sleep(Duration::from_millis(random.below(60) as u64 * 10 / count as u64 * 10 + 5));
        let _ = children[i].kill();
        killed.push(i);
    }
    for (i, mut child) in children.into_iter().enumerate() {
        let status = child.wait().unwrap();
        assert!(status.success() || killed.contains(&i), "process {i}: {status}");
    }
    // The remaining entries are complete.
    sharer();
}

/// A build that may fail with a proper error.
fn try_to_build(context: cl_context, variant: usize) -> bool {
    let (text, mut code) = (std::ffi::CString::new(source(variant)).unwrap(), 1);
    // SAFETY: a terminated string.
    unsafe {
        let program = clCreateProgramWithSource(context, 1, &mut text.as_ptr(), null(), &mut code);
        assert_eq!(program.is_null(), code != CL_SUCCESS);
        if program.is_null() {
            assert!(matches!(code, CL_OUT_OF_HOST_MEMORY | CL_OUT_OF_RESOURCES), "{code}");
            return false;
        }
        let built = clBuildProgram(program, 0, null(), null(), None, null_mut());
        let codes = [
            CL_SUCCESS,
            CL_OUT_OF_HOST_MEMORY,
            CL_OUT_OF_RESOURCES,
            CL_BUILD_PROGRAM_FAILURE,
            CL_COMPILER_NOT_AVAILABLE,
        ];
        assert!(codes.contains(&built), "{built}");
        if built == CL_BUILD_PROGRAM_FAILURE {
            assert!(build_log(program, device()).len() > 10, "the log says why");
        }
        program.release();
        built == CL_SUCCESS
    }
}

fn no_descriptors() {
    let rig = Rig::new(&source(0));
    runs(&rig);
    let before = open_descriptors();
    let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: a valid structure.
    unsafe {
        libc::getrlimit(libc::RLIMIT_NOFILE, &mut now);
        now.rlim_cur = now.rlim_cur.min(before as u64 + 64);
        assert_eq!(libc::setrlimit(libc::RLIMIT_NOFILE, &now), 0);
    }
    let mut held = Vec::new();
    while let Ok(file) = std::fs::File::open("/dev/null") {
        held.push(file);
    }
    assert!(held.len() > 16);
    // The existing objects work without further descriptors.
    runs(&rig);
    let mut built = 0;
    for variant in 1..24 {
        built += usize::from(try_to_build(rig.context, variant));
        runs(&rig);
        held.pop();
    }
    assert!(built > 0, "with 24 descriptors nothing could be built");
    drop(held);
    works_with(100);
    assert!(eventually(|| open_descriptors() <= before + 1));
    no_children();
}

fn no_address_space() {
    let rig = Rig::new(&source(0));
    runs(&rig);
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|l| l.strip_prefix("VmSize:")).unwrap();
    let used: u64 = line.trim().trim_end_matches(" kB").parse().unwrap();
    let limit = |kib: u64| {
        let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: a valid structure; only the soft limit changes.
        unsafe {
            libc::getrlimit(libc::RLIMIT_AS, &mut now);
            now.rlim_cur = kib.saturating_mul(1024).min(now.rlim_max);
            assert_eq!(libc::setrlimit(libc::RLIMIT_AS, &now), 0);
        }
    };
    // Room for small allocations, but neither for a thread of the compiler nor for a large buffer.
    let built = [60u64, 40, 24, 16].map(|mib| {
        limit(used + (mib << 10));
        try_to_build(rig.context, mib as usize)
    });
    eprintln!("built: {built:?}");
    runs(&rig);
    let queue = rig.queue(0);
    let mut refused = 0;
    for mib in [256usize, 64, 128] {
        let mut code = 1;
        // SAFETY: no host pointer; the pattern has its size.
        unsafe {
            let mem = clCreateBuffer(rig.context, 0, mib << 20, null_mut(), &mut code);
            let mut filled = code;
            if code == CL_SUCCESS {
                let pattern = 5u32;
                filled = clEnqueueFillBuffer(
                    queue,
                    mem,
                    (&raw const pattern).cast(),
                    4,
                    0,
                    mib << 20,
                    0,
                    null(),
                    null_mut(),
                );
                clFinish(queue);
                mem.release();
            }
            let codes =
                [CL_SUCCESS, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY];
            assert!(codes.contains(&filled), "{filled}");
            refused += usize::from(filled != CL_SUCCESS);
        }
    }
    assert!(refused > 0);
    runs(&rig);
    queue.release();
    limit(u64::MAX >> 10);
    works_with(2);
}
