//! The runner of OpenCL-CTS on a suite of shell scripts that behave as its binaries do: verdicts, time
//! limits, states, lists and expectations.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A test binary that logs its run and ends as its name says.
const BINARY: &str = r#"#!/bin/sh
if [ "$1" = --list ]; then printf 'Tests:\n\tgood\n\tbad\n\tabsent\n\tcrash\n\thang\n'; exit 0; fi
echo "$1 $2 $CL_DEVICE_TYPE $CL_PLATFORM_INDEX $CL_DEVICE_INDEX wimpy=$CL_WIMPY_MODE" >> "$RAN"
verdict() { printf '{ "cmd": "x", "results": { "%s": "%s" } }\n' "$1" "$2" > "$CL_CONFORMANCE_RESULTS_FILENAME"; }
case "$1" in
good) verdict good pass ;;
bad) echo "ERROR: wrong"; verdict bad fail; exit 1 ;;
absent) echo "Nothing to test, skipping."; verdict absent skip ;;
crash) verdict crash pass; kill -SEGV $$ ;;
hang) exec sleep 600 ;;
esac
"#;

struct Suite {
    folder: PathBuf,
    driver: PathBuf,
}

impl Suite {
    fn new(name: &str) -> Suite {
        let folder =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cts-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        for module in ["first", "cl_copy_images"] {
            let binary = folder.join("build/test_conformance").join(module).join(format!("test_{module}"));
            std::fs::create_dir_all(binary.parent().expect("a folder")).expect("a folder");
            std::fs::write(&binary, BINARY).expect("a script");
            std::fs::set_permissions(&binary, std::fs::Permissions::from_mode(0o755))
                .expect("a script to run");
        }
        let driver =
            std::env::current_exe().expect("path of the test program").with_file_name("libpyroclast.so");
        assert!(driver.is_file(), "{} is missing", driver.display());
        Suite { folder, driver }
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_conformance"));
        command.args(["cts", "--quiet", "--jobs", "3", "--cts"]).arg(self.folder.join("build"));
        command
            .arg("--driver")
            .arg(&self.driver)
            .arg("--output")
            .arg(self.folder.join("out"))
            .args(arguments);
        command.env("PYROCLAST_DEVICES", "cpu").env("RAN", self.folder.join("ran"));
        command.output().expect("the tool runs")
    }

    /// Tests that ran since the last call, in order.
    fn ran(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.folder.join("ran")).unwrap_or_default();
        let _ = std::fs::remove_file(self.folder.join("ran"));
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    }

    fn report(&self) -> String {
        std::fs::read_to_string(self.folder.join("out/report.json")).expect("a report")
    }
}

impl Drop for Suite {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn verdicts_and_expectations() {
    let suite = Suite::new("verdicts");
    let output = suite.run(&["first:absent,bad,crash,good"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert_eq!(
        suite.ran(),
        ["absent", "bad", "crash", "good"].map(|n| format!("{n}  CL_DEVICE_TYPE_ALL 0 0 wimpy="))
    );
    // Only sub-tests without a result run.
    let output = suite.run(&["--limit", "1", "first"]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("1 passed, 3 failed (0 of them expected), 1 skipped"), "{said}");
    assert_eq!(suite.ran(), ["hang  CL_DEVICE_TYPE_ALL 0 0 wimpy="]);
    let report = suite.report();
    for part in ["took more than 1 s", "signal: 11", "ERROR: wrong", "Nothing to test, skipping."] {
        assert!(report.contains(part), "{part}: {report}");
    }
    let log = |name: &str| suite.folder.join("out/logs/first").join(format!("{name}.log")).is_file();
    assert_eq!((log("bad"), log("good")), (true, false));

    // Everything has a result: nothing runs, and with the reasons all is as expected.
    let list = suite.folder.join("expected.txt");
    let lines = "first/bad  known\nfirst/crash  known\nfirst/hang  known\nskip first/absent  not offered\n";
    std::fs::write(&list, lines).expect("a file");
    let list = list.to_str().expect("a path");
    let output = suite.run(&["--expect", list, "first"]);
    assert!(output.status.success(), "{}", text(&output));
    assert!(
        text(&output).contains("3 failed (3 of them expected)") && suite.ran().is_empty(),
        "{}",
        text(&output)
    );

    // An unexpected pass is reported; an unexpected skip fails the run.
    std::fs::write(list, "first/good  known\nfirst/*  known\n").expect("a file");
    let output = suite.run(&["--expect", list, "first"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("passed although expected to fail: first/good"), "{}", text(&output));
    assert!(text(&output).contains("skipped, which was not expected: first/absent"), "{}", text(&output));
}

#[test]
fn states_modes_and_lists() {
    let suite = Suite::new("states");
    let list = suite.folder.join("list.csv");
    std::fs::write(
        &list,
        "# list\nFirst,a/test_first g*\nCopies, b/test_cl_copy_images max_images g*\nGone,c/test_gone\n",
    )
    .expect("a list");
    let output = suite.run(&["--list", list.to_str().expect("a path")]);
    assert!(output.status.success(), "{}", text(&output));
    assert!(text(&output).contains("there is no test_gone"));
    assert_eq!(
        suite.ran(),
        ["good  CL_DEVICE_TYPE_ALL 0 0 wimpy=", "good max_images CL_DEVICE_TYPE_ALL 0 0 wimpy="]
    );

    // Of the sub-tests with a result only failures are run again, on request.
    let output = suite.run(&["first:good,bad"]);
    assert_eq!((output.status.code(), suite.ran().len()), (Some(1), 1));
    let output = suite.run(&["--again", "first:good,bad"]);
    assert_eq!((output.status.code(), suite.ran().len()), (Some(1), 1));
    assert!(suite.report().contains("[\"bad\",\"fail\""));

    // The wimpy mode is another run.
    let output = suite.run(&["--wimpy", "cl_copy_images:good"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains("of another run"));
    let output = suite.run(&["--wimpy", "--fresh", "--only", "cl_copy_images small_images/good"]);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(suite.ran(), ["good small_images CL_DEVICE_TYPE_ALL 0 0 wimpy=1"]);

    // Excluded sub-tests do not run.
    let exclusions = suite.folder.join("exclude.txt");
    std::fs::write(&exclusions, "exclude first/h*  it hangs\nexclude first/crash  it crashes\n")
        .expect("a file");
    let output =
        suite.run(&["--wimpy", "--expect", exclusions.to_str().expect("a path"), "first:hang,crash,good"]);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(suite.ran(), ["good  CL_DEVICE_TYPE_ALL 0 0 wimpy=1"]);
    assert!(suite.report().contains("excluded: it hangs"));
}
