//! The quick mode of `conformance run` on our devices, compared with the expectations of each: areas of the
//! API completely, and a sample of the others, which have tests of their own beside the driver.

use std::path::{Path, PathBuf};
use std::process::Command;

const WHOLE: &str = "api,events,atomics,memory-model,groups,svm,printf,il,vector-memory";
const SAMPLED: &str = "integers,vectors,vector-values,language,conversions,math,images,sub-groups,pipes";

/// The driver built with these tests.
fn driver() -> PathBuf {
    let library =
        std::env::current_exe().expect("path of the test program").with_file_name("libpyroclast.so");
    assert!(library.is_file(), "{} is missing", library.display());
    library
}

fn check(device: &str, expectations: &str, choice: &[&str]) {
    check_without(device, "", expectations, choice);
}

/// Like [`check`], on a device that lacks the features `hidden`.
fn check_without(device: &str, hidden: &str, expectations: &str, choice: &[&str]) {
    let name = format!("quick-{device}{hidden}-{}-{}", choice.len(), std::process::id());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let output = Command::new(env!("CARGO_BIN_EXE_conformance"))
        .args(["run", "--quiet", "--jobs", "1", "--limit", "1800"])
        .args(choice)
        .arg("--driver")
        .arg(driver())
        .arg("--expect")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("expected").join(expectations))
        .arg("--output")
        .arg(&folder)
        .env("PYROCLAST_DEVICES", device)
        .env("PYROCLAST_FEATURES", hidden)
        .output()
        .expect("the tool runs");
    let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}\n{errors}");
    assert!(!out.contains("although expected to fail"), "{out}");
    for name in ["report.json", "report.md", "report.html"] {
        let text = std::fs::read_to_string(folder.join(name)).expect("a report");
        assert!(text.contains("Pyroclast"), "{name}: {text}");
    }
    // The pages follow from the report.
    std::fs::remove_file(folder.join("report.html")).expect("a page");
    let pages = Command::new(env!("CARGO_BIN_EXE_conformance"))
        .arg("pages")
        .arg(&folder)
        .output()
        .expect("the tool runs");
    assert!(
        pages.status.success() && folder.join("report.html").is_file(),
        "{}",
        String::from_utf8_lossy(&pages.stderr)
    );
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn vulkan_device() {
    check("vulkan", "lavapipe.txt", &["--areas", WHOLE]);
}

#[test]
fn vulkan_device_samples() {
    check("vulkan", "lavapipe.txt", &["--areas", SAMPLED, "--every", "12"]);
}

#[test]
fn cpu_device() {
    check("cpu", "cpu.txt", &["--areas", WHOLE]);
}

#[test]
fn cpu_device_samples() {
    check("cpu", "cpu.txt", &["--areas", SAMPLED, "--every", "12"]);
}

/// Native code for processors with vectors of 256 and of 128 bits.
#[test]
fn cpu_device_with_narrow_vectors() {
    for hidden in ["-avx512f", "-avx512f,-avx2"] {
        check_without("cpu", hidden, "cpu.txt", &["--areas", "vector-memory,vector-values", "--every", "4"]);
    }
}
