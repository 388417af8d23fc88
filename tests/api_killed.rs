//! A process killed in the middle of a build leaves neither compilers nor temporary folders behind.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)] // a failed step is a failed test

use clspv_bridge::options::FrontConfig;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::ptr::{null, null_mut};
use test_support::api::*;

/// Set in the process that is killed.
const ROLE: &str = "KILLED_BUILD";

/// Helper of the other test: builds a program with a header in the process that is killed.
#[test]
fn build_until_killed() {
    if std::env::var_os(ROLE).is_none() {
        return;
    }
    let (context, mut code) = (context(), 1);
    let create = |text: &std::ffi::CStr| {
        let mut code = 1;
        // SAFETY: one terminated string.
        let program = unsafe { clCreateProgramWithSource(context, 1, &mut text.as_ptr(), null(), &mut code) };
        assert_eq!(code, CL_SUCCESS);
        program
    };
    let header = create(c"#define ONE 1\n");
    let program = create(c"#include <one.h>\nkernel void k(global int *p) { *p = ONE; }");
    let name = c"one.h";
    // SAFETY: one header with its name, then one program.
    unsafe {
        let compiled =
            clCompileProgram(program, 0, null(), null(), 1, &header, &mut name.as_ptr(), None, null_mut());
        assert_eq!(compiled, CL_SUCCESS);
        let linked = clLinkProgram(context, 0, null(), null(), 1, &program, None, null_mut(), &mut code);
        assert_eq!(code, CL_SUCCESS);
        // The CPU device makes the code of a kernel when it is created.
        let kernel = clCreateKernel(linked, c"k".as_ptr(), &mut code);
        let (name, mut bytes) = (CL_KERNEL_PRIVATE_MEM_SIZE, 0u64);
        let (size, to) = (size_of::<u64>(), (&raw mut bytes).cast());
        clGetKernelWorkGroupInfo(kernel, null_mut(), name, size, to, null_mut());
    }
    assert_eq!(code, CL_SUCCESS);
}

/// A compiler that records its process id and hangs if called with an option.
fn compiler(folder: &Path, option: &str) -> PathBuf {
    let clang = clspv_bridge::front::clang::find(&FrontConfig::default()).unwrap();
    let path = folder.join("clang");
    // The script waits for a child, as compiler wrappers do.
    let hang =
        format!("echo $$ > '{0}/new' && mv '{0}/new' '{0}/process'; sleep 3600; exit 1", folder.display());
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *\"{option}\"*) {hang};; esac\nexec '{}' \"$@\"\n",
        clang.display()
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// Whether a process of the group is alive. Zombies do not count.
fn is_alive(group: u32) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes.filter_map(|p| fs::read_to_string(p.path().join("stat")).ok()).any(|stat| {
        let fields: Vec<&str> = stat.rsplit_once(") ").map_or("", |(_, rest)| rest).split(' ').collect();
        fields.get(2) == Some(&group.to_string().as_str()) && fields[0] != "Z"
    })
}

/// Kills a process whose build on a device hangs in the compiler called with `option`.
fn kill_a_build(name: &str, device: &str, option: &str, signal: &str) {
    let folder = std::env::temp_dir().join(format!("pyroclast-killed-{name}-{}", std::process::id()));
    let temporary = folder.join("tmp");
    fs::create_dir_all(&temporary).unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "build_until_killed"]).env(ROLE, "1").env("TMPDIR", &temporary);
    command.env("PYROCLAST_DEVICES", device).env("PYROCLAST_CLANG", compiler(&folder, option));
    command
        .env("PYROCLAST_FRONT_END", "clang")
        .env("PYROCLAST_CPU_CODE", "optimized")
        .env("PYROCLAST_NO_CACHE", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    let mut child = command.spawn().unwrap();
    let note = folder.join("process");
    assert!(eventually(|| note.is_file()), "{name}");
    let compiler: u32 = fs::read_to_string(note).unwrap().trim().parse().unwrap();
    let made = |path: &Path| fs::read_dir(path).unwrap().count();
    assert!(is_alive(compiler) && made(&temporary) > 0, "{name}");
    assert!(Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap().success());
    assert!(!child.wait().unwrap().success());
    assert!(eventually(|| !is_alive(compiler)), "{name}: the compiler is alive");
    assert!(eventually(|| made(&temporary) == 0), "{name}: a folder is left");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_killed_process_leaves_nothing_of_the_front_end() {
    if test_support::clang::is_missing() {
        return;
    }
    kill_a_build("front", "vulkan", "-x cl", "KILL");
    kill_a_build("terminated", "vulkan", "-x cl", "TERM");
}

#[test]
fn a_killed_process_leaves_nothing_of_native_code() {
    if test_support::clang::is_missing() {
        return;
    }
    kill_a_build("code", "cpu", "-fPIC", "KILL");
}
