//! `pyroclast doctor` on the software device, and on one whose driver fails to compile modules with a
//! capability (`tests/vulkan_faults`).

#![allow(clippy::unwrap_used, clippy::panic)]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Capabilities of SPIR-V.
const FLOAT16: u32 = 9;
const INT8: u32 = 39;
const GROUP_NON_UNIFORM_SHUFFLE: u32 = 65;

/// A home folder with a faulty Vulkan loader.
struct Home(PathBuf);

impl Home {
    fn new(name: &str) -> Home {
        let folder = std::env::temp_dir().join(format!("pyroclast-doctor-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let loader = std::env::current_exe().unwrap().with_file_name("libvulkan_faults.so");
        std::os::unix::fs::symlink(loader, folder.join("libvulkan.so.1")).unwrap();
        Home(folder)
    }

    /// The report of the tool, and whether it found nothing. `fault` is the value of VULKAN_FAULTS_MODULES.
    fn doctor(&self, fault: &str, arguments: &[&str]) -> (Value, bool) {
        self.doctor_with(&[("VULKAN_FAULTS_MODULES", fault)], arguments)
    }

    fn doctor_with(&self, faults: &[(&str, &str)], arguments: &[&str]) -> (Value, bool) {
        let path = std::env::var("LD_LIBRARY_PATH").unwrap_or_default();
        let mut command = Command::new(env!("CARGO_BIN_EXE_pyroclast"));
        command
            .args(["doctor", "--json"])
            .args(arguments)
            .env("HOME", &self.0)
            .env("LD_LIBRARY_PATH", format!("{}:{path}", self.0.display()))
            .env("VULKAN_FAULTS_REAL", real_loader())
            .envs(faults.iter().copied())
            .env("PYROCLAST_DEVICES", "vulkan");
        for variable in ["XDG_CONFIG_HOME", "PYROCLAST_CONFIG", "PYROCLAST_FEATURES", "PYROCLAST_VALIDATE"] {
            command.env_remove(variable);
        }
        let output = command.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let report = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {errors}"));
        (report, output.status.success())
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The path of the Vulkan loader of this machine.
fn real_loader() -> PathBuf {
    // SAFETY: the Vulkan loader does nothing when loaded.
    let _library = unsafe { libloading::Library::new("libvulkan.so.1") }.unwrap();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let path =
        maps.lines().find_map(|l| l.find('/').map(|at| &l[at..]).filter(|p| p.contains("/libvulkan.so")));
    Path::new(path.unwrap()).to_owned()
}

/// The group of that name on the first device.
fn group<'r>(report: &'r Value, name: &str) -> &'r Value {
    let groups = report["devices"][0]["groups"].as_array().unwrap();
    groups.iter().find(|g| g["name"] == name).unwrap()
}

#[test]
fn nothing_is_found_on_a_good_device() {
    let home = Home::new("good");
    let (report, good) = home.doctor("", &["--write"]);
    let groups = report["devices"][0]["groups"].as_array().unwrap();
    assert!(good && groups.len() > 20, "{report:#}");
    let passed: u64 = groups.iter().map(|g| g["passed"].as_u64().unwrap()).sum();
    assert!(passed > 250, "{passed}");
    assert!(!home.0.join(".config").exists(), "there is nothing to write");
}

#[test]
fn wrong_results_are_found_and_their_feature_is_hidden_from_then_on() {
    let home = Home::new("wrong");
    let fault = format!("{INT8} wrong");
    let (report, good) = home.doctor(&fault, &["--only", "integers,printf", "--write"]);
    assert!(!good);
    let found = group(&report, "integers");
    let wrong = found["findings"].as_array().unwrap();
    assert!(wrong.iter().any(|f| f["check"] == "char add" && f["failure"] == "wrong"), "{found:#}");
    assert!(wrong.iter().all(|f| !f["check"].as_str().unwrap().contains("int ")), "{found:#}");
    assert_eq!(found["helps"], serde_json::json!(["int8"]));
    let device = &report["devices"][0];
    assert_eq!(device["hide"], serde_json::json!(["int8"]));
    assert_eq!(device["remaining"], serde_json::json!([]));
    let text = std::fs::read_to_string(home.0.join(".config/pyroclast/config.toml")).unwrap();
    let section = format!("[device.\"{}\"]\nfeatures = \"-int8\"\n", device["name"].as_str().unwrap());
    assert!(text.contains(&section), "{text}");
    // The driver reads the file.
    let (report, good) = home.doctor(&fault, &["--only", "integers"]);
    assert!(good, "{report:#}");
    assert_eq!(report["devices"][0]["hidden"], serde_json::json!(["int8"]));
}

#[test]
fn crashes_are_found() {
    let home = Home::new("crash");
    let only = ["--only", "sub-groups"];
    let (report, good) = home.doctor(&format!("{GROUP_NON_UNIFORM_SHUFFLE} crash"), &only);
    assert!(!good);
    let found = group(&report, "sub-groups");
    assert_eq!(found["findings"][0]["failure"], "crash", "{found:#}");
    assert_eq!(found["helps"], serde_json::json!(["subgroups"]), "{found:#}");
}

#[test]
fn hangs_are_found() {
    let home = Home::new("hang");
    let (report, good) = home.doctor(&format!("{FLOAT16} hang"), &["--only", "halves", "--limit", "4"]);
    assert!(!good);
    let found = group(&report, "halves");
    assert_eq!(found["findings"][0]["failure"], "hang", "{found:#}");
    assert_eq!(found["helps"], serde_json::json!(["float16"]), "{found:#}");
}

#[test]
fn devices_that_cannot_be_opened_with_a_feature_are_found() {
    let home = Home::new("open");
    // VkPhysicalDeviceSynchronization2Features.
    let faults = [("VULKAN_FAULTS_OPEN", "1000314007")];
    let (report, good) = home.doctor_with(&faults, &["--only", "printf", "--write"]);
    assert!(!good);
    assert_eq!(report["opening"]["findings"][0]["failure"], "crash", "{report:#}");
    assert_eq!(report["opening"]["helps"], serde_json::json!(["synchronization2"]));
    assert_eq!(report["devices"][0]["hide"], serde_json::json!(["synchronization2"]));
    assert_eq!(report["devices"][0]["remaining"], serde_json::json!([]), "{report:#}");
    assert!(group(&report, "printf")["passed"].as_u64() > Some(0), "{report:#}");
    let (report, good) = home.doctor_with(&faults, &["--only", "printf"]);
    assert!(good, "{report:#}");
}

#[test]
fn wrong_arguments_are_refused() {
    let tool = || Command::new(env!("CARGO_BIN_EXE_pyroclast"));
    let output = tool().args(["doctor", "--only", "nonsense"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && text.contains("there are integers, longs"), "{text}");
    assert!(!tool().args(["doctor", "--device", "99"]).output().unwrap().status.success());
}
