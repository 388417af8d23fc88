//! The CPU device on systems that restrict memory for machine code. Each test starts itself again, or the
//! tool, with a restriction of the kernel: of memory that was writable (`PR_SET_MDWE`), or of system calls
//! (seccomp).

#![cfg(all(target_os = "linux", target_endian = "little"))]
#![allow(clippy::unwrap_used, clippy::panic)]

use std::os::unix::process::CommandExt;
use std::process::{Command, Output};
use test_support::api::rig::{self, Rig};
use test_support::api::*;
use test_support::{clang, skipped};

/// A system call that fails with EACCES if all conditions hold: bits of an argument, and their value.
struct Rule {
    call: libc::c_long,
    conditions: &'static [(u32, libc::c_int, libc::c_int)],
}

/// MAP_DENYWRITE, with which the C library maps shared objects.
const OBJECT: libc::c_int = 0x800;

/// No memory becomes executable, except that of shared objects.
const OBJECTS_ONLY: &[Rule] = &[
    Rule { call: libc::SYS_mmap, conditions: &[(2, libc::PROT_EXEC, libc::PROT_EXEC), (3, OBJECT, 0)] },
    Rule { call: libc::SYS_mprotect, conditions: &[(2, libc::PROT_EXEC, libc::PROT_EXEC)] },
];

/// There are no files in memory, as with `vm.memfd_noexec=2`.
const NO_MEMORY_FILES: &[Rule] = &[Rule { call: libc::SYS_memfd_create, conditions: &[] }];

/// Set in restricted processes.
const RESTRICTED: &str = "PYROCLAST_TEST_RESTRICTED";

/// Restriction of a process.
#[derive(Clone, Copy)]
struct Restriction {
    /// No memory becomes executable that was not so from the beginning.
    no_gain: bool,
    rules: &'static [Rule],
}

/// The program of seccomp's filter.
fn filter(rules: &[Rule]) -> Vec<libc::sock_filter> {
    let (load, and) =
        (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, libc::BPF_ALU | libc::BPF_AND | libc::BPF_K);
    let (equal, ret) = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, libc::BPF_RET | libc::BPF_K);
    let one = |code: u32, k: u32, jf: u8| libc::sock_filter { code: code as u16, jt: 0, jf, k };
    let mut program = Vec::new();
    for rule in rules {
        // Instructions after the first comparison: three for each condition, and the return.
        let mut rest = 3 * rule.conditions.len() as u8 + 1;
        program.extend([one(load, 0, 0), one(equal, rule.call as u32, rest)]);
        for (argument, mask, value) in rule.conditions {
            rest -= 3;
            // The low half of an argument of `seccomp_data`.
            program.extend([one(load, 16 + 8 * argument, 0), one(and, *mask as u32, 0)]);
            program.push(one(equal, *value as u32, rest));
        }
        program.push(one(ret, libc::SECCOMP_RET_ERRNO | libc::EACCES as u32, 0));
    }
    program.push(one(ret, libc::SECCOMP_RET_ALLOW, 0));
    program
}

impl Restriction {
    /// Whether this system has it.
    fn is_missing(self) -> bool {
        let output = self.of(Command::new("true")).output();
        skipped::without("restrictions of memory by the kernel", !output.is_ok_and(|o| o.status.success()))
    }

    /// Restricts a process and its children.
    fn of(self, mut command: Command) -> Command {
        let mut program = filter(self.rules);
        let restrict = move || {
            let prctl = |option, value: libc::c_ulong, pointer: *const libc::sock_fprog| {
                // SAFETY: the options take numbers, or a filter program, which is read only.
                match unsafe { libc::prctl(option, value, pointer, 0, 0) } {
                    0 => Ok(()),
                    _ => Err(std::io::Error::last_os_error()),
                }
            };
            /// PR_SET_MDWE and PR_MDWE_REFUSE_EXEC_GAIN
            const MEMORY_DENY_WRITE_EXECUTE: (libc::c_int, libc::c_ulong) = (65, 1);
            if self.no_gain {
                let (option, value) = MEMORY_DENY_WRITE_EXECUTE;
                prctl(option, value, std::ptr::null())?;
            }
            let list = libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
            prctl(libc::PR_SET_NO_NEW_PRIVS, 1, std::ptr::null())?;
            prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER.into(), &list)
        };
        // SAFETY: the function makes system calls only.
        unsafe { command.pre_exec(restrict) };
        command
    }

    /// The line of `pyroclast info` about the CPU device's code.
    fn info(self, variables: &[(&str, &str)]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pyroclast"));
        command.arg("info").envs(variables.iter().copied()).env("PYROCLAST_DEVICES", "cpu");
        let text = String::from_utf8(self.of(command).output().unwrap().stdout).unwrap();
        let line = text.lines().find_map(|line| line.trim().strip_prefix("code of the CPU"));
        line.unwrap_or_else(|| panic!("{text}")).trim().to_owned()
    }

    /// Runs a test of this program in a process of its own.
    fn run(self, test: &str, variables: &[(&str, &str)]) {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", test]).env(RESTRICTED, "1");
        command
            .envs(variables.iter().copied())
            .env("PYROCLAST_DEVICES", "cpu")
            .env("PYROCLAST_NO_CACHE", "1");
        let Output { status, stdout, stderr } = self.of(command).output().unwrap();
        let text = [stdout, stderr].map(|t| String::from_utf8_lossy(&t).into_owned()).concat();
        assert!(status.success() && text.contains("1 passed"), "{variables:?}: {text}");
    }
}

const QUICK: (&str, &str) = ("PYROCLAST_CPU_CODE", "quick");
const OPTIMIZED: (&str, &str) = ("PYROCLAST_CPU_CODE", "optimized");
const AUTO: (&str, &str) = ("PYROCLAST_CPU_CODE", "auto");
const NO_CLANG: (&str, &str) = ("PYROCLAST_CLANG", "none");

#[test]
fn kernels_run() {
    let rig = Rig::new("kernel void squares(global int *p) { int i = get_global_id(0); p[i] = i * i; }");
    let (queue, kernel, mem) = (rig.queue(0), rig.kernel("squares"), rig.buffer(&[0i32; 64]));
    rig::set(kernel, 0, mem);
    rig::release([rig::launch(queue, kernel, 64, &[])]);
    let squares: Vec<i32> = (0..64).map(|i| i * i).collect();
    assert_eq!(rig::read::<i32>(queue, mem, 64), squares);
}

#[test]
fn there_is_no_device() {
    if std::env::var_os(RESTRICTED).is_none() {
        return;
    }
    let mut count = 0;
    // SAFETY: only the number of devices is queried.
    let code = unsafe { clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, 0, std::ptr::null_mut(), &mut count) };
    assert_eq!(code, CL_DEVICE_NOT_FOUND);
}

#[test]
fn memory_that_was_written_never_becomes_executable() {
    let restriction = Restriction { no_gain: true, rules: &[] };
    if !restriction.is_missing() {
        assert_eq!(restriction.info(&[QUICK]), "quick code, by Cranelift");
        restriction.run("kernels_run", &[QUICK]);
    }
}

#[test]
fn there_are_no_files_in_memory() {
    let restriction = Restriction { no_gain: false, rules: NO_MEMORY_FILES };
    if restriction.is_missing() {
        return;
    }
    if !clang::is_missing() {
        restriction.run("kernels_run", &[OPTIMIZED]);
    }
    let both = Restriction { no_gain: true, ..restriction };
    if !both.is_missing() {
        both.run("kernels_run", &[QUICK]);
    }
}

#[test]
fn only_shared_objects_are_executable() {
    let restriction = Restriction { no_gain: false, rules: OBJECTS_ONLY };
    if restriction.is_missing() {
        return;
    }
    const REFUSED: &str = "; the system permits no executable memory";
    if !clang::is_missing() {
        assert_eq!(restriction.info(&[AUTO]), format!("optimized code, by clang{REFUSED}"));
        restriction.run("kernels_run", &[AUTO]);
    }
    let none = format!("none: the CPU device is not used{REFUSED}");
    assert!(restriction.info(&[QUICK]).starts_with(&none));
    restriction.run("there_is_no_device", &[QUICK]);
    assert_eq!(restriction.info(&[AUTO, NO_CLANG]), format!("{none}, clang was not found"));
    restriction.run("there_is_no_device", &[AUTO, NO_CLANG]);
}
