//! `pyroclast install` and `uninstall` in scratch folders that stand for the root of the file system:
//! repeated, interrupted and broken installations, other drivers, other versions.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const ICD: &str = "etc/OpenCL/vendors/pyroclast.icd";
const LIBRARY: &str = "usr/local/lib/pyroclast/libpyroclast.so.1";
const TOOL: &str = "usr/local/bin/pyroclast";
const RECORD: &str = "usr/local/lib/pyroclast/installed.json";

/// A scratch root, removed at the end.
struct Root(PathBuf);

impl Root {
    fn new(name: &str) -> Root {
        let folder = std::env::temp_dir().join(format!("pyroclast-install-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("etc/OpenCL/vendors")).unwrap();
        fs::write(folder.join("etc/OpenCL/vendors/pocl.icd"), "libpocl.so.2\n").unwrap();
        Root(folder)
    }
    fn at(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }
    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap()
    }
    fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), bytes).unwrap();
        self.at(path)
    }
    /// A file that the tool takes for a driver of this version.
    fn driver(&self, version: &str) -> PathBuf {
        self.write(&format!("drivers/{version}.so"), library(version, 2))
    }
    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pyroclast"));
        command.args(arguments).arg("--root").arg(&self.0);
        command.env("HOME", "/home/user").env_remove("XDG_CONFIG_HOME").env("PYROCLAST_CONFIG", "none");
        command.output().unwrap()
    }
    fn install(&self, version: &str, more: &[&str]) -> Output {
        let driver = self.driver(version);
        let place: &[&str] =
            if more.iter().any(|a| ["--user", "--prefix"].contains(a)) { &[] } else { &["--system"] };
        self.run(&[&["install", "--driver", driver.to_str().unwrap()], place, more].concat())
    }
    /// All files and folders, except for the drivers to install.
    fn listing(&self) -> Vec<PathBuf> {
        fn walk(folder: &Path, out: &mut Vec<PathBuf>) {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                out.push(entry.path());
                if entry.file_type().unwrap().is_dir() {
                    walk(&entry.path(), out);
                }
            }
        }
        let mut list = Vec::new();
        walk(&self.0, &mut list);
        list.retain(|p| !p.starts_with(self.at("drivers")));
        list.sort();
        list
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The bytes that matter: an ELF header of this processor (class 1: 32 bits, 2: 64 bits) and the version.
fn library(version: &str, class: u8) -> Vec<u8> {
    let mut bytes = vec![0; 64];
    bytes[..5].copy_from_slice(&[0x7f, b'E', b'L', b'F', class]);
    let own = fs::read(env!("CARGO_BIN_EXE_pyroclast")).unwrap();
    bytes[18..20].copy_from_slice(&own[18..20]);
    bytes.extend_from_slice(format!("pyroclast-driver-version={version}\n").as_bytes());
    bytes
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[track_caller]
fn succeeds(output: Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    stdout(&output)
}

#[track_caller]
fn fails_with(output: Output, text: &str) {
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && error.contains(text), "{error}");
}

#[test]
fn an_installation_is_complete_repeatable_and_undone_completely() {
    let root = Root::new("whole");
    let before = root.listing();
    succeeds(root.install("0.1.0", &[]));
    assert_eq!(root.read(ICD), "/usr/local/lib/pyroclast/libpyroclast.so.1\n");
    assert_eq!(fs::read(root.at(LIBRARY)).unwrap(), library("0.1.0", 2));
    assert_eq!(fs::metadata(root.at(TOOL)).unwrap().permissions().mode() & 0o777, 0o755);
    let installed = root.listing();
    let again = succeeds(root.install("0.1.0", &[]));
    assert!(!again.contains("create") && !again.contains("replace"), "{again}");
    assert_eq!(root.listing(), installed);
    assert_eq!(root.read("etc/OpenCL/vendors/pocl.icd"), "libpocl.so.2\n");
    succeeds(root.run(&["uninstall", "--system"]));
    assert_eq!(root.listing(), before);
    let nothing = succeeds(root.run(&["uninstall", "--system"]));
    assert!(nothing.contains("nothing of Pyroclast"), "{nothing}");
}

#[test]
fn a_dry_run_changes_nothing() {
    let root = Root::new("dry");
    let before = root.listing();
    let text = succeeds(root.install("0.1.0", &["--dry-run"]));
    assert!(text.contains("would create  /etc/OpenCL/vendors/pyroclast.icd"), "{text}");
    assert_eq!(root.listing(), before);
    succeeds(root.install("0.1.0", &[]));
    let installed = root.listing();
    let text = succeeds(root.run(&["uninstall", "--system", "--dry-run"]));
    assert!(text.contains("would remove  /etc/OpenCL/vendors/pyroclast.icd"), "{text}");
    assert_eq!(root.listing(), installed);
}

#[test]
fn versions_go_up_only() {
    let root = Root::new("versions");
    succeeds(root.install("0.1.0", &[]));
    succeeds(root.install("0.2.0-rc.1", &[]));
    fails_with(root.install("0.1.9", &[]), "version 0.2.0-rc.1 is installed, newer than this 0.1.9");
    assert_eq!(fs::read(root.at(LIBRARY)).unwrap(), library("0.2.0-rc.1", 2));
    succeeds(root.install("0.2.0", &[]));
    succeeds(root.run(&["uninstall", "--system"]));
    succeeds(root.install("0.1.9", &[]));
    // A newer driver that was registered by hand counts, an older one is replaced.
    root.write("opt/libpyroclast.so", library("0.3.0", 2));
    root.write(ICD, "/opt/libpyroclast.so\n");
    fails_with(root.install("0.2.0", &[]), "newer");
    root.write("opt/libpyroclast.so", library("0.1.5", 2));
    succeeds(root.install("0.2.0", &[]));
    assert!(root.read(ICD).contains("/usr/local"));
}

#[test]
fn files_of_others_stay() {
    let root = Root::new("others");
    for text in ["libpocl.so.2\n", "/opt/vendor/libvendor.so\n", "\n"] {
        root.write(ICD, text);
        fails_with(root.install("0.1.0", &[]), "is not ours");
        succeeds(root.run(&["uninstall", "--system"]));
        assert_eq!(root.read(ICD), text);
    }
    root.write(ICD, "libpyroclast.so.1\n");
    fails_with(root.install("0.1.0", &[]), "is of a package");
    let text = succeeds(root.run(&["uninstall", "--system"]));
    assert!(text.contains("package manager") && root.at(ICD).exists(), "{text}");
    fs::remove_file(root.at(ICD)).unwrap();
    symlink("/opt/vendor.icd", root.at(ICD)).unwrap();
    fails_with(root.install("0.1.0", &[]), "a symbolic link");
    fs::remove_file(root.at(ICD)).unwrap();
    for (path, text) in [(TOOL, "#!/bin/sh\n"), (LIBRARY, "another")] {
        let path = root.write(path, text);
        fails_with(root.install("0.1.0", &[]), "is not ours and stays");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        fs::remove_file(path).unwrap();
    }
    fs::create_dir_all(root.at(LIBRARY)).unwrap();
    fails_with(root.install("0.1.0", &[]), "is a folder");
    assert!(!root.at(ICD).exists());
}

/// After an interruption at any step, installing completes the installation and uninstalling
/// removes it.
#[test]
fn broken_installations_are_repaired_and_removed() {
    type Damage = (&'static str, fn(&Root));
    let breaks: &[Damage] = &[
        ("no library", |r| fs::remove_file(r.at(LIBRARY)).unwrap()),
        ("no registration", |r| fs::remove_file(r.at(ICD)).unwrap()),
        ("no tool", |r| fs::remove_file(r.at(TOOL)).unwrap()),
        ("no record", |r| fs::remove_file(r.at(RECORD)).unwrap()),
        ("damaged record", |r| fs::write(r.at(RECORD), "{").unwrap()),
        ("half a library", |r| fs::write(r.at(LIBRARY), "\x7fELF").unwrap()),
        ("empty registration", |r| fs::write(r.at(ICD), "").unwrap()),
        ("library moved away", |r| fs::write(r.at(ICD), "/gone/libpyroclast.so\n").unwrap()),
        ("temporary files", |r| {
            r.write("usr/local/lib/pyroclast/.libpyroclast.so.1.pyroclast-new", "half");
            r.write("etc/OpenCL/vendors/.pyroclast.icd.pyroclast-new", "half");
        }),
        ("only the record", |r| {
            [LIBRARY, ICD, TOOL].iter().for_each(|p| fs::remove_file(r.at(p)).unwrap());
        }),
    ];
    for (what, damage) in breaks {
        let root = Root::new("broken");
        let before = root.listing();
        succeeds(root.install("0.1.0", &[]));
        let whole = root.listing();
        damage(&root);
        succeeds(root.install("0.1.0", &[]));
        assert_eq!(root.listing(), whole, "{what}");
        assert_eq!(fs::read(root.at(LIBRARY)).unwrap(), library("0.1.0", 2), "{what}");
        assert!(root.read(ICD).contains("/usr/local"), "{what}");
        damage(&root);
        succeeds(root.run(&["uninstall", "--system"]));
        let mut left = root.listing();
        // Without the record it is unknown whether these folders existed before.
        left.retain(|p| {
            !["usr", "usr/local", "usr/local/lib", "usr/local/bin"].iter().any(|f| *p == root.at(f))
        });
        assert_eq!(left, before, "{what}");
    }
}

#[test]
fn a_user_has_links_to_the_other_drivers() {
    let root = Root::new("user");
    let before = root.listing();
    let text = succeeds(root.install("0.1.0", &["--user"]));
    assert!(text.contains("export OCL_ICD_VENDORS=/home/user/.config/OpenCL/vendors"), "{text}");
    let vendors = "home/user/.config/OpenCL/vendors";
    let link = root.at(&format!("{vendors}/pocl.icd"));
    assert_eq!(fs::read_link(&link).unwrap(), Path::new("/etc/OpenCL/vendors/pocl.icd"));
    let environment = root.read("home/user/.config/environment.d/60-pyroclast.conf");
    assert!(environment.contains("OCL_ICD_VENDORS=\"/home/user/.config/OpenCL/vendors\""));
    // A driver that was removed and one that came later.
    root.write("etc/OpenCL/vendors/later.icd", "liblater.so\n");
    fs::remove_file(root.at("etc/OpenCL/vendors/pocl.icd")).unwrap();
    succeeds(root.install("0.1.0", &["--user"]));
    assert!(link.symlink_metadata().is_err() && root.at(&format!("{vendors}/later.icd")).is_symlink());
    succeeds(root.run(&["uninstall", "--user"]));
    fs::remove_file(root.at("etc/OpenCL/vendors/later.icd")).unwrap();
    root.write("etc/OpenCL/vendors/pocl.icd", "libpocl.so.2\n");
    assert_eq!(root.listing(), before);
}

#[test]
fn a_prefix_and_the_other_width_have_their_own_files() {
    let root = Root::new("prefix");
    let before = root.listing();
    succeeds(root.install("0.1.0", &["--prefix", "/opt/pyroclast"]));
    let icd = "opt/pyroclast/etc/OpenCL/vendors/pyroclast.icd";
    assert_eq!(root.read(icd), "/opt/pyroclast/lib/pyroclast/libpyroclast.so.1\n");
    let narrow = root.write("drivers/narrow.so", library("0.1.0", 1));
    let place = ["--prefix", "/opt/pyroclast"];
    succeeds(root.run(&[&["install", "--driver", narrow.to_str().unwrap()][..], &place].concat()));
    assert!(root.at("opt/pyroclast/etc/OpenCL/vendors/pyroclast32.icd").exists() && root.at(icd).exists());
    succeeds(root.run(&[&["uninstall"][..], &place].concat()));
    assert_eq!(root.listing(), before);
}

#[test]
fn files_that_are_no_driver_are_refused() {
    let root = Root::new("none");
    let mut foreign = library("0.1.0", 2);
    foreign[18] = 0x08; // MIPS
    for (bytes, text) in [
        (b"text".to_vec(), "is not a shared library"),
        (library("", 2), "is not Pyroclast's driver"),
        (foreign, "is built for another processor"),
    ] {
        let file = root.write("drivers/x.so", bytes);
        fails_with(root.run(&["install", "--system", "--driver", file.to_str().unwrap()]), text);
    }
    assert!(!root.at(ICD).exists() && !root.at("usr").exists());
}

#[test]
fn the_real_driver_is_installed() {
    let root = Root::new("real");
    let driver = std::env::current_exe().unwrap().with_file_name("libpyroclast.so");
    succeeds(root.run(&["install", "--system", "--driver", driver.to_str().unwrap()]));
    let record = root.read(RECORD);
    assert!(record.contains(&format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"))), "{record}");
}
