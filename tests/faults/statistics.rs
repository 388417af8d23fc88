//! The driver's statistics on compiled kernels, which the loader emulates, in the output of the tool and in
//! the log.

use super::{FOLDER, loss::with_reports};
use std::path::Path;
use std::process::Command;
use test_support::api::rig::*;
use test_support::api::supervised::Case;
use test_support::api::{PATIENCE, within};

const SOURCE: &str = "kernel void doubled(global uint *p) { p[get_global_id(0)] *= 2; }
__attribute__((reqd_work_group_size(8, 2, 1))) kernel void other(global uint *p, local uint *l) {
    l[get_local_id(0)] = p[0]; p[get_global_id(0)] = l[0]; }";
const STATISTICS: &str = "sub-group size 32, Register Count 40, Spills no";

fn the_tool_prints_them() {
    let folder = std::env::var_os(FOLDER).unwrap();
    let file = Path::new(&folder).join("k.cl");
    std::fs::write(&file, SOURCE).unwrap();
    let tool = |more: &[&str]| {
        let mut tool = Command::new(env!("CARGO_BIN_EXE_pyroclast"));
        let output = tool.args(["compile", "-e", "info"]).args(more).arg(&file).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let text = tool(&["--device", "0"]);
    let lines = |name: &str, local: &str| {
        let end = format!("local size {local}: {STATISTICS}");
        assert!(text.lines().any(|l| l.starts_with(name) && l.ends_with(&end)), "no {end} in {text}");
    };
    lines("doubled, ", "128x1x1");
    lines("other, ", "8x2x1");
    assert!(!tool(&["--device", "0", "-k", "other"]).contains("128x1x1"));
    assert!(!tool(&[]).contains("Register Count"));
}

fn the_log_has_them() {
    let rig = Rig::new(SOURCE);
    let (queue, kernel, buffer) = (rig.queue(0), rig.kernel("doubled"), rig.buffer(&[1u32; 64]));
    set(kernel, 0, buffer);
    launch(queue, kernel, 64, &[]).release();
    finish(queue);
    let log = Path::new(&std::env::var_os(FOLDER).unwrap()).join("stderr");
    let found = |l: &str| l.contains("pipeline of doubled, local size [") && l.contains(STATISTICS);
    // A thread may create the pipeline while another one runs the kernel.
    assert!(within(PATIENCE, || std::fs::read_to_string(&log).unwrap().lines().any(found)));
}

fn with_log(command: &mut Command, folder: &Path) {
    with_reports(command, folder);
    command.env("PYROCLAST_LOG", "debug");
}

pub const CASES: &[Case] = &[
    Case { name: "the_tool_has_the_drivers_statistics", run: the_tool_prints_them, prepare: with_reports },
    Case { name: "the_log_has_the_drivers_statistics", run: the_log_has_them, prepare: with_log },
];
