//! Comparisons of the built-in front end with clang: sources of a folder, and random programs. A pair that
//! differs must be found.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder for one test, removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = Folder(std::env::temp_dir().join(format!("pyroclast-{name}-{}", std::process::id())));
        std::fs::create_dir_all(&folder.0).expect("a folder");
        folder
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The tool on the CPU device; `clang_args` are for clang only.
fn tool(arguments: &[&str], clang_args: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_conformance"))
        .args(arguments)
        .env("PYROCLAST_DEVICES", "cpu")
        .env("PYROCLAST_CLANG_ARGS", clang_args)
        .output()
        .expect("the tool runs")
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The driver that is built with the tests. The one beside the tool may be of an earlier build.
fn driver() -> PathBuf {
    std::env::current_exe().expect("path of the test program").with_file_name("libpyroclast.so")
}

fn compare(folder: &Path, clang_args: &str) -> Output {
    let (folder, driver) = (folder.to_string_lossy(), driver());
    tool(&["front-end", &folder, "--execute", "--quiet", "--driver", &driver.to_string_lossy()], clang_args)
}

#[test]
fn differences_between_front_ends_are_found() {
    if test_support::clang::is_missing() {
        return;
    }
    let folder = Folder::new("front-ends");
    // With `WRONG` clang sees other attributes, another result, or an error.
    folder.write(
        "attributes.cl",
        "#ifdef WRONG\n#define SIZE 8\n#else\n#define SIZE 4\n#endif\n\
         kernel __attribute__((reqd_work_group_size(SIZE, 1, 1))) void k(global float4 *restrict p, local int *q) {\n\
         p[get_global_id(0)] += 1.0f; }",
    );
    folder.write(
        "nested/result.cl",
        "// options: -DSTEP=3\n#ifdef WRONG\n#undef STEP\n#define STEP 4\n#endif\n\
         kernel void k(global int *p) { p[get_global_id(0)] += STEP; }",
    );
    folder
        .write("error.cl", "#ifdef WRONG\n#error wrong\n#endif\nkernel void k(global int *p) { p[0] = 1; }");
    folder.write("rejected.cl", "kernel int k(void) { return 1; }");

    let same = compare(&folder.0, "");
    let report = text(&same);
    assert!(same.status.success(), "{report}");
    assert!(report.contains("4 sources: 3 accepted, 1 rejected by both front ends; 0 differ"), "{report}");
    assert!(report.contains("3 kernels ran: 3 equal bit for bit, 0 differ"), "{report}");

    let different = compare(&folder.0, "-DWRONG");
    let report = text(&different);
    assert_eq!(different.status.code(), Some(1), "{report}");
    for expected in [
        "attributes.cl: kernel k, reqd_work_group_size: built-in 'Some([4, 1, 1])', clang 'Some([8, 1, 1])'",
        "error.cl: built-in accepted; clang rejected (<stdin>:2:2: error: wrong)",
        "DIFFERS      nested/result.cl",
        "2 accepted, 1 rejected by both front ends; 2 differ",
    ] {
        assert!(report.contains(expected), "{expected}\n{report}");
    }
}

/// Compares random programs.
fn random(first: u64, count: u64) {
    let folder = Folder::new(&format!("vendors-{first}"));
    folder.write("driver.icd", &format!("{}\n", driver().display()));
    let output = Command::new(env!("CARGO_BIN_EXE_conformance"))
        .args(["random", "--programs", "--front-ends", "--limit", "1800", "--whole"])
        .args(["--first", &first.to_string(), "--count", &count.to_string()])
        .env("OCL_ICD_VENDORS", &folder.0)
        .env("PYROCLAST_DEVICES", "cpu")
        .output()
        .expect("the tool runs");
    let report = text(&output);
    assert!(output.status.success(), "{report}");
    assert!(report.contains(&format!("{count} programs agree, 0 differ, 0 skipped")), "{report}");
}

#[test]
fn random_programs_agree() {
    if test_support::clang::is_missing() {
        return;
    }
    random(1, 12);
}
