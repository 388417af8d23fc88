//! Modules of OpenCL-CTS: a binary with arguments, and its sub-tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A binary of the suite with arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    /// The binary's name without `test_`, and the arguments.
    pub name: String,
    pub binary: PathBuf,
    pub arguments: Vec<String>,
    /// Selected sub-tests, `*` at the end for any suffix; all if empty.
    patterns: Vec<String>,
}

/// Arguments of modules in the wimpy mode and in the full one. Modules of images take hours with images of
/// all sizes.
const USUAL: &[(&str, &str, &str)] = &[
    ("thread_dimensions", "quick*", "full*"),
    ("cl_copy_images", "small_images", ""),
    ("cl_fill_images", "small_images", ""),
    ("cl_get_info", "small_images", ""),
    ("cl_read_write_images", "small_images", ""),
    ("image_streams", "small_images", ""),
    ("kernel_image_methods", "small_images", ""),
    ("samplerless_reads", "small_images", ""),
];

/// Modules that need the device's memory or time to themselves.
const ALONE: &[&str] = &["allocations", "device_timer", "profiling"];

/// Modules that iterate over the device types themselves and do not accept CL_DEVICE_TYPE_ALL.
const OF_ALL_TYPES: &[&str] = &["computeinfo"];

/// Modules that take their first argument for the name of the program.
const SHIFTED: &[&str] = &["non_uniform_work_group"];

impl Module {
    /// A module with words that are arguments or patterns of sub-tests.
    fn new(short: &str, binary: &Path, words: impl IntoIterator<Item = impl Into<String>>) -> Module {
        let words = words.into_iter().map(Into::into);
        let (patterns, arguments): (Vec<String>, Vec<String>) = words.partition(|w| w.ends_with('*'));
        let name: Vec<&str> = [short].into_iter().chain(arguments.iter().map(String::as_str)).collect();
        Module { name: name.join(" "), binary: binary.into(), arguments, patterns }
    }

    /// The binary's name without `test_`.
    fn short(&self) -> &str {
        self.name.split(' ').next().unwrap_or_default()
    }

    pub fn is_alone(&self) -> bool {
        ALONE.contains(&self.short())
    }

    /// Whether the module takes the device type from the environment.
    pub fn takes_type(&self) -> bool {
        !OF_ALL_TYPES.contains(&self.short())
    }

    /// Prefix of the names of sub-tests.
    pub fn ahead(&self) -> Option<&str> {
        SHIFTED.contains(&self.short()).then_some("-")
    }

    /// Names of the module's selected sub-tests.
    pub fn tests(&self) -> Result<Vec<String>, String> {
        let mut command = Command::new(&self.binary);
        command
            .arg("--list")
            .stdin(Stdio::null())
            .current_dir(self.binary.parent().unwrap_or(Path::new("/")));
        let output = command.output().map_err(|e| format!("{}: {e}", self.binary.display()))?;
        let listed = names(&String::from_utf8_lossy(&output.stdout));
        let fits = |name: &str, pattern: &str| {
            pattern.strip_suffix('*').map_or(name == pattern, |p| name.starts_with(p))
        };
        for pattern in &self.patterns {
            if !listed.iter().any(|name| fits(name, pattern)) {
                return Err(format!("{} has no test {pattern}", self.name));
            }
        }
        let wanted = |name: &String| self.patterns.is_empty() || self.patterns.iter().any(|p| fits(name, p));
        Ok(listed.into_iter().filter(wanted).collect())
    }
}

/// Names that `--list` prints: a line each, with a tab before.
fn names(text: &str) -> Vec<String> {
    let indented = text.lines().filter_map(|line| line.strip_prefix('\t'));
    indented.map(str::trim).filter(|n| !n.is_empty() && !n.contains(' ')).map(str::to_owned).collect()
}

/// Binaries below a build folder by their names without `test_`.
pub fn find(root: &Path) -> BTreeMap<String, PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let Ok(data) = entry.metadata() else { continue };
            if data.is_dir() {
                folders.push(path);
            } else if let Some(short) = name.to_str().and_then(|n| n.strip_prefix("test_"))
                && data.is_file()
                && data.permissions().mode() & 0o111 != 0
            {
                found.insert(short.to_owned(), path);
            }
        }
    }
    found
}

/// Modules of words `MODULE` or `MODULE:TEST,TEST...`; all that were found if there are no words.
pub fn of_words(
    found: &BTreeMap<String, PathBuf>,
    words: &[String],
    wimpy: bool,
) -> Result<Vec<Module>, String> {
    let all: Vec<String>;
    let words = if words.is_empty() {
        all = found.keys().cloned().collect();
        &all
    } else {
        words
    };
    let module = |word: &String| {
        let (short, tests) = word.split_once(':').unwrap_or((word, ""));
        let binary = found.get(short).ok_or_else(|| format!("there is no test_{short}"))?;
        let usual = USUAL.iter().find(|u| u.0 == short).map_or("", |u| if wimpy { u.1 } else { u.2 });
        let mut module = Module::new(short, binary, usual.split_whitespace());
        if !tests.is_empty() {
            module.patterns = tests.split(',').map(str::to_owned).collect();
        }
        Ok(module)
    };
    words.iter().map(module).collect()
}

/// Modules of one of the suite's own lists (`opencl_conformance_tests_*.csv`): lines `TITLE, FOLDER/test_NAME
/// ARGUMENTS`, some preceded by a device type. Includes modules without a binary.
pub fn of_list(found: &BTreeMap<String, PathBuf>, text: &str) -> (Vec<Module>, Vec<String>) {
    let (mut modules, mut missing) = (Vec::new(), Vec::new());
    for line in text.lines().filter(|l| !l.trim_start().starts_with('#')) {
        let Some(command) = line.rsplit(',').next().map(str::trim).filter(|c| c.contains("test_")) else {
            continue;
        };
        let mut words = command.split_whitespace();
        let short = words
            .next()
            .and_then(|w| w.rsplit('/').next())
            .and_then(|n| n.strip_prefix("test_"))
            .unwrap_or_default();
        match found.get(short) {
            Some(binary) => modules.push(Module::new(short, binary, words)),
            None => missing.push(short.to_owned()),
        }
    }
    (modules, missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found() -> BTreeMap<String, PathBuf> {
        [
            ("basic", "/c/basic/test_basic"),
            ("cl_copy_images", "/c/i/test_cl_copy_images"),
            ("thread_dimensions", "/c/t"),
        ]
        .into_iter()
        .map(|(name, path)| (name.to_owned(), path.into()))
        .collect()
    }

    #[test]
    fn words_choose_modules_and_tests() {
        let of = |words: &[&str], wimpy| {
            of_words(&found(), &words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>(), wimpy)
        };
        let all = of(&[], true).expect("modules");
        assert_eq!(
            all.iter().map(|m| m.name.as_str()).collect::<Vec<_>>(),
            ["basic", "cl_copy_images small_images", "thread_dimensions"]
        );
        assert_eq!(all[2].patterns, ["quick*"]);
        let some = of(&["basic:a,b*", "cl_copy_images"], false).expect("modules");
        assert_eq!((some[0].patterns.join(" "), some[1].name.as_str()), ("a b*".into(), "cl_copy_images"));
        assert!(of(&["none"], false).is_err());
    }

    #[test]
    fn lists_of_the_suite_are_read() {
        let text = "#\n# list\n\nBasic,basic/test_basic\nCL_DEVICE_TYPE_CPU, Copy (max),i/test_cl_copy_images max_images\n\
                    Threads,t/test_thread_dimensions full*\nGL,gl/test_gl\n";
        let (modules, missing) = of_list(&found(), text);
        assert_eq!(
            modules.iter().map(|m| m.name.as_str()).collect::<Vec<_>>(),
            ["basic", "cl_copy_images max_images", "thread_dimensions"]
        );
        assert_eq!((modules[2].patterns.join(""), missing), ("full*".into(), vec!["gl".to_owned()]));
    }

    #[test]
    fn listed_names() {
        assert_eq!(names("some words\n\tone\n\ttwo_2\n\n\tnot a name\n"), ["one", "two_2"]);
    }
}
