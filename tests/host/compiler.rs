//! Compilers that are missing, crash, hang or write nonsense: the build fails without further damage.

use std::path::Path;
use std::process::Command;
use std::ptr::{null, null_mut};
use test_support::api::rig::{Release, build_log, program_of};
use test_support::api::supervised::{Case, no_children};
use test_support::api::*;

fn clang_script(command: &mut Command, folder: &Path, text: &str) {
    let script = folder.join("clang");
    std::fs::write(&script, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    command.env("PYROCLAST_CLANG", script).env("PYROCLAST_FRONT_END", "clang");
}

pub const CASES: &[Case] = &[
    Case {
        name: "there_is_no_compiler",
        run: no_compiler,
        prepare: |command, _| {
            command.env("PYROCLAST_CLANG", "/nonexistent").env("PYROCLAST_FRONT_END", "clang");
            command.env_remove("PYROCLAST_CPU_CODE");
        },
    },
    Case {
        name: "the_built_in_front_end_needs_no_compiler",
        run: without_compiler,
        prepare: |command, _| {
            command.env("PYROCLAST_CLANG", "/nonexistent").env_remove("PYROCLAST_FRONT_END");
            command.env_remove("PYROCLAST_CPU_CODE");
        },
    },
    Case {
        name: "the_compiler_crashes",
        run: || build_fails("failed on this program"),
        prepare: |command, folder| clang_script(command, folder, "cat > /dev/null; kill -SEGV $$"),
    },
    Case {
        name: "the_compiler_crashes_before_it_reads",
        run: || build_fails("failed on this program"),
        prepare: |command, folder| clang_script(command, folder, "kill -ABRT $$"),
    },
    Case {
        name: "the_compiler_hangs",
        run: || build_fails("did nothing for 1 s"),
        prepare: |command, folder| {
            clang_script(command, folder, "exec sleep 1000");
            command.env("PYROCLAST_CLANG_TIMEOUT", "1");
        },
    },
    Case {
        name: "the_compiler_does_not_end",
        run: || build_fails("used more than 1 s of processor time"),
        prepare: |command, folder| {
            clang_script(command, folder, "while :; do :; done");
            command.env("PYROCLAST_CLANG_TIMEOUT", "1");
        },
    },
    Case {
        name: "the_compiler_takes_all_memory",
        run: || build_fails(""),
        prepare: |command, folder| {
            clang_script(
                command,
                folder,
                "x=$(tr '\\000' x < /dev/zero); echo $x > /dev/null; exec sleep 1000",
            );
            command.env("PYROCLAST_CLANG_MEMORY", "200");
        },
    },
    Case {
        name: "the_compiler_fails_without_a_word",
        run: || build_fails("the OpenCL C compiler failed"),
        prepare: |command, folder| clang_script(command, folder, "exit 1"),
    },
    Case {
        name: "the_compiler_writes_nonsense",
        run: || build_fails("failed on this program"),
        prepare: |command, folder| clang_script(command, folder, "cat > /dev/null; echo nonsense"),
    },
    Case {
        name: "the_compiler_writes_a_truncated_module",
        run: || build_fails("invalid SPIR-V"),
        prepare: |command, folder| {
            let script =
                "cat > /dev/null; printf '\\003\\002\\043\\007\\000\\005\\001\\000aaaabbbbccccddddeeee'";
            clang_script(command, folder, script);
        },
    },
    Case {
        name: "the_compiler_cannot_be_run",
        run: || build_fails("cannot start"),
        prepare: |command, folder| {
            std::fs::write(folder.join("clang"), "not a program").unwrap();
            command.env("PYROCLAST_CLANG", folder.join("clang")).env("PYROCLAST_FRONT_END", "clang");
        },
    },
    Case {
        name: "the_compiler_crashes_where_broken_pipes_kill",
        run: || {
            // SAFETY: the default of programs that are not written in Rust.
            unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
            build_fails("failed on this program")
        },
        prepare: |command, folder| clang_script(command, folder, "kill -ABRT $$"),
    },
];

fn no_compiler() {
    assert_eq!(number(&device_info(device(), CL_DEVICE_COMPILER_AVAILABLE).unwrap()), 0);
    let context = context();
    let program = program_of(context, "kernel void k() {}");
    // SAFETY: live handles.
    unsafe {
        assert_eq!(clBuildProgram(program, 0, null(), null(), None, null_mut()), CL_COMPILER_NOT_AVAILABLE);
        let code = clCompileProgram(program, 0, null(), null(), 0, null(), null_mut(), None, null_mut());
        assert_eq!(code, CL_COMPILER_NOT_AVAILABLE);
    }
    program.release();
    context.release();
}

/// OpenCL C is compiled in the process; C++ for OpenCL is refused with the reason.
fn without_compiler() {
    assert_eq!(number(&device_info(device(), CL_DEVICE_COMPILER_AVAILABLE).unwrap()), 1);
    super::works();
    build_fails("use of undeclared identifier 'missing'");
    let context = context();
    let program = program_of(context, "kernel void k() {}");
    // SAFETY: live handles.
    let code = unsafe { clBuildProgram(program, 0, null(), c"-cl-std=CLC++2021".as_ptr(), None, null_mut()) };
    assert_ne!(code, CL_SUCCESS);
    let log = build_log(program, device());
    assert!(log.contains("set PYROCLAST_CLANG"), "{log}");
    program.release();
    context.release();
    no_children();
}

/// Requires that a build fails with a log that contains `reason`. The program has an error that a working
/// compiler finds.
pub fn build_fails(reason: &str) {
    let context = context();
    let source = format!("{}kernel void k(global int *p) {{ *p = missing; }}", "// padding\n".repeat(20000));
    let program = program_of(context, &source);
    // SAFETY: live handles.
    let code = unsafe { clBuildProgram(program, 0, null(), null(), None, null_mut()) };
    assert_eq!(code, CL_BUILD_PROGRAM_FAILURE);
    let log = build_log(program, device());
    assert!(log.contains(reason), "expected '{reason}' in the log: {log}");
    program.release();
    context.release();
    no_children();
}
