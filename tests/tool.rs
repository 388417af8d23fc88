//! The command-line tool.

#![allow(clippy::unwrap_used)]

use std::process::{Command, Output};

/// Runs `pyroclast compile` on a file with this text.
fn compile(name: &str, source: &str) -> (Output, std::path::PathBuf) {
    let file = std::env::temp_dir().join(format!("pyroclast-tool-{}-{name}.cl", std::process::id()));
    std::fs::write(&file, source).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_pyroclast"))
        .args(["compile", "-e", "info"])
        .arg(&file)
        .output()
        .unwrap();
    std::fs::remove_file(&file).unwrap();
    (output, file)
}

#[test]
fn diagnostics_name_the_file() {
    let wrong = "kernel void k(global int *p)\n{\n    *p = nothing;\n}\n";
    let (output, file) = compile("error", wrong);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success());
    assert!(
        text.contains(&format!("{}:3:10: error:", file.display())) && !text.contains("<stdin>"),
        "{text}"
    );
    let (output, file) = compile(
        "warning",
        "kernel void k(global int *p) { int unused = 1 ? *p = 2 : 3; if (*p = 1) *p = 2; }",
    );
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success());
    assert!(text.contains(&format!("{}:1:", file.display())) && !text.contains("<stdin>"), "{text}");
}

/// A folder of a test, removed at the end.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("pyroclast-tool-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs the tool with a folder as its home, on the CPU device.
fn tool(home: &Folder, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pyroclast"));
    command.args(arguments).env("HOME", &home.0).env("PYROCLAST_DEVICES", "cpu");
    for variable in ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "PYROCLAST_CONFIG", "PYROCLAST_CACHE_DIR"] {
        command.env_remove(variable);
    }
    command.output().unwrap()
}

#[test]
fn info_has_settings_with_their_origin_and_mistakes_as_json() {
    let home = Folder::new("info");
    let file = home.0.join(".config/pyroclast/config.toml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let text = "cache_size = 7\nlgo = 'warn'\n[program.pyroclast]\nfeatures = '-fp16'\n";
    std::fs::write(&file, text).unwrap();
    let output = tool(&home, &["info", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["cache"]["limit"], 7 << 20);
    let settings = report["configuration"]["settings"].as_array().unwrap();
    let origin = |name: &str| settings.iter().find(|s| s["name"] == name).map(|s| s["origin"].clone());
    assert_eq!(origin("PYROCLAST_CACHE_SIZE").unwrap(), format!("{}:1", file.display()));
    assert_eq!(origin("PYROCLAST_FEATURES").unwrap(), format!("{}:4", file.display()));
    assert_eq!(origin("PYROCLAST_DEVICES").unwrap(), "environment");
    let problems = report["problems"].to_string();
    assert!(problems.contains(":2: 'lgo' is not an option of Pyroclast"), "{problems}");
}

#[test]
fn the_cache_is_counted_and_cleared() {
    let home = Folder::new("cache");
    let store = pyroclast_runtime::store::Store::at(home.0.join(".cache/pyroclast"));
    for n in 0..3u64 {
        store.write(blake3::hash(&n.to_le_bytes()), 1, &[0; 1000]);
    }
    let stats = tool(&home, &["cache", "stats", "--json"]);
    let stats: serde_json::Value = serde_json::from_slice(&stats.stdout).unwrap();
    assert_eq!(stats["entries"], 3);
    assert!(stats["bytes"].as_u64().unwrap() > 3000);
    let cleared = String::from_utf8(tool(&home, &["cache", "clear"]).stdout).unwrap();
    assert!(cleared.contains("3 entries deleted"), "{cleared}");
    assert_eq!(store.usage().entries, 0);
}

#[test]
fn every_subcommand_has_a_manual_page() {
    let folder = Folder::new("manual");
    assert!(tool(&folder, &["manual", folder.0.to_str().unwrap()]).status.success());
    let page = |name: &str| std::fs::read_to_string(folder.0.join("share/man/man1").join(name)).unwrap();
    let help = String::from_utf8(tool(&folder, &["--help"]).stdout).unwrap();
    let commands = help.split_once("Commands:\n").unwrap().1.lines().take_while(|l| !l.is_empty());
    let mut count = 0;
    for command in commands.filter_map(|l| l.split_whitespace().next()).filter(|c| *c != "help") {
        assert!(page(&format!("pyroclast-{command}.1")).contains(".SH SYNOPSIS"), "{command}");
        count += 1;
    }
    assert!(count >= 7 && page("pyroclast.1").contains("uninstall"));
    assert!(!page("pyroclast.1").contains("probe"), "hidden commands have no page");
    assert!(folder.0.join("share/bash-completion/completions/pyroclast").exists());
}

#[test]
fn folders_are_compiled() {
    let folder = std::env::temp_dir().join(format!("pyroclast-tool-{}-folder", std::process::id()));
    let (sources, out) = (folder.join("sources"), folder.join("out"));
    std::fs::create_dir_all(sources.join("inner")).unwrap();
    std::fs::write(sources.join("good.cl"), "kernel void a(global int *p) { *p = 1; }\n").unwrap();
    std::fs::write(sources.join("inner/two.cl"), "kernel void b() {}\nkernel void c() {}\n").unwrap();
    std::fs::write(sources.join("not.txt"), "").unwrap();
    let run = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pyroclast"));
        let output = command.arg("compile").arg(&sources).arg("-o").arg(&out).output().unwrap();
        (output.status.success(), String::from_utf8(output.stderr).unwrap())
    };
    let (is_good, text) = run();
    assert!(is_good && text.contains("2 files, 0 with errors"), "{text}");
    // No terminal, no progress line.
    assert!(!text.contains('\r'), "{text:?}");
    for module in ["good/a.spv", "inner/two/b.spv", "inner/two/c.spv"] {
        assert!(out.join(module).is_file(), "{module}");
    }
    std::fs::write(sources.join("inner/bad.cl"), "kernel void d() { x; }\n").unwrap();
    let (is_good, text) = run();
    assert!(!is_good && text.contains("3 files, 1 with errors"), "{text}");
    assert!(text.contains("inner/bad.cl: the source has errors"), "{text}");
    std::fs::remove_dir_all(&folder).unwrap();
}
