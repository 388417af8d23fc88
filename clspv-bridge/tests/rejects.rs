//! Wrong programs and the diagnostics of the built-in front end: the files of `filetests/reject`.
//!
//! A file holds many programs of a few lines. Each begins with `//--- NAME`, or `//--- NAME | OPTIONS`; the
//! line `options: OPTIONS` at the top of a file is for all its programs. Below a line are its errors and
//! warnings:
//!
//! ```text
//! //--- undeclared identifier
//! kernel void k(global int *p) { *p = x; }
//! //                                  ^ error: use of undeclared identifier 'x'
//! ```
//!
//! `//@5 error: TEXT` stands for a caret in column 5, `//@2:5 error: TEXT` for one in line 2 of the program.
//! These lines are not part of the program. All errors and warnings are listed, notes are not. A program
//! whose name begins with `correct:` has no errors, and is compiled to IR.
//!
//! `PYROCLAST_BLESS=1` writes the diagnostics into the files: read the difference before you commit it.
//!
//! Options are those of clBuildProgram, and `no:NAME` for an extension or feature that the device lacks,
//! `no-images`, and `clang:accepts` or `clang:rejects` where clang's verdict differs (`clang_agrees`).

use clspv_bridge::CompileError;
use clspv_bridge::front::c::check::check;
use clspv_bridge::front::{c, clang};
use clspv_bridge::options::{CompileRequest, FrontConfig, Options};
use std::collections::HashSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Fewest programs with an error.
const WRONG_PROGRAMS: usize = 600;

/// Extensions and features of the device.
const EXTENSIONS: &[&str] = &[
    "__opencl_c_3d_image_writes",
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_device_enqueue",
    "__opencl_c_fp64",
    "__opencl_c_generic_address_space",
    "__opencl_c_images",
    "__opencl_c_int64",
    "__opencl_c_pipes",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_read_write_images",
    "__opencl_c_subgroups",
    "__opencl_c_work_group_collective_functions",
    "cl_khr_3d_image_writes",
    "cl_khr_byte_addressable_store",
    "cl_khr_depth_images",
    "cl_khr_fp16",
    "cl_khr_fp64",
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_subgroups",
];

/// A file: what precedes the first program, and the programs.
struct File {
    path: PathBuf,
    head: String,
    programs: Vec<Program>,
}

/// A program with its expected diagnostics.
struct Program {
    /// The line `//--- ...`.
    title: String,
    /// Options of the file and of the program.
    words: Vec<String>,
    lines: Vec<String>,
    expected: Vec<Remark>,
}

/// An error or warning.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Remark {
    /// Line of the program, from 1.
    line: usize,
    /// Name of the file, empty for the program itself.
    file: String,
    column: usize,
    /// Severity and text.
    text: String,
}

impl Program {
    fn name(&self) -> &str {
        let title = self.title.trim_start_matches("//---");
        title.split(" | ").next().unwrap_or_default().trim()
    }

    fn is_correct(&self) -> bool {
        self.name().starts_with("correct:")
    }

    fn source(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }

    fn options(&self) -> (Options, FrontConfig) {
        let mut options = Options::default();
        let mut config = FrontConfig {
            extensions: EXTENSIONS.iter().map(|e| (*e).to_owned()).collect(),
            image_support: true,
            opencl_version: 310,
            ..FrontConfig::default()
        };
        for word in &self.words {
            match word.as_str() {
                "-w" => options.warnings_off = true,
                "-Werror" => options.warnings_are_errors = true,
                "-Wno-error" => options.warnings_are_errors = false,
                "no-images" => config.image_support = false,
                "clang:accepts" | "clang:rejects" => {}
                word => match (word.strip_prefix("-W"), word.strip_prefix("-cl-std=")) {
                    (Some(warning), _) => options.warnings.push(warning.to_owned()),
                    (_, Some(std)) => options.std = std.to_owned(),
                    _ if word.starts_with("-D") => options.preprocessor.push(word.to_owned()),
                    _ => {
                        let name = word.strip_prefix("no:").expect("an option of this file");
                        let count = config.extensions.len();
                        config.extensions.retain(|e| e != name);
                        assert!(config.extensions.len() < count, "{name} is not enabled");
                    }
                },
            }
        }
        (options, config)
    }

    /// The diagnostics that the front end gives.
    fn found(&self) -> Vec<Remark> {
        let (options, config) = self.options();
        let source = self.source();
        remarks(&check(&CompileRequest::new(&source, &options, &config)).session.render())
    }

    /// The program with diagnostics below its lines.
    fn written(&self, remarks: &[Remark]) -> String {
        let mut text = format!("{}\n", self.title);
        let mut rest: Vec<&Remark> = remarks.iter().collect();
        for (index, line) in self.lines.iter().enumerate() {
            let _ = writeln!(text, "{line}");
            let is_here = |remark: &&Remark| remark.file.is_empty() && remark.line == index + 1;
            let (here, others) = rest.into_iter().partition(is_here);
            rest = others;
            for Remark { column, text: what, .. } in here {
                let _ = match column {
                    0..=2 => writeln!(text, "//@{column} {what}"),
                    _ => writeln!(text, "//{}^ {what}", " ".repeat(column - 3)),
                };
            }
        }
        for Remark { line, file, column, text: what } in rest {
            let file = if file.is_empty() { String::new() } else { format!("{file}:") };
            let _ = writeln!(text, "//@{file}{line}:{column} {what}");
        }
        text
    }
}

/// Errors and warnings of a build log, by line.
fn remarks(log: &str) -> Vec<Remark> {
    let mut all: Vec<Remark> = log.lines().filter_map(remark).collect();
    all.sort();
    all
}

fn remark(line: &str) -> Option<Remark> {
    let kinds = [": error: ", ": warning: ", ": fatal error: "];
    let at = kinds.iter().filter_map(|kind| line.find(kind)).min()?;
    let (position, text) = (line.get(..at)?, line.get(at + 2..)?);
    let mut parts = position.rsplitn(3, ':');
    let column = parts.next()?.parse().ok()?;
    let line = parts.next()?.parse().ok()?;
    let file = parts.next()?.replace("<stdin>", "");
    Some(Remark { line, file, column, text: text.to_owned() })
}

/// A line of an expected diagnostic below line `line` of its program.
fn expectation(text: &str, line: usize) -> Option<Remark> {
    if let Some(rest) = text.strip_prefix("//@") {
        let (position, text) = rest.split_once(' ')?;
        let mut parts = position.rsplitn(3, ':');
        let column = parts.next()?.parse().ok()?;
        let line = parts.next().map_or(Some(line), |l| l.parse().ok())?;
        let file = parts.next().unwrap_or_default().to_owned();
        return Some(Remark { line, file, column, text: text.to_owned() });
    }
    let rest = text.strip_prefix("//")?;
    let column = rest.find('^')? + 3;
    let (blank, text) = rest.split_once('^')?;
    blank.trim().is_empty().then(|| Remark {
        line,
        file: String::new(),
        column,
        text: text.trim().to_owned(),
    })
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split_whitespace().map(str::to_owned)
}

fn read(path: &Path) -> File {
    let text = std::fs::read_to_string(path).expect("a file of programs");
    let mut file = File { path: path.to_owned(), head: String::new(), programs: Vec::new() };
    let mut common = Vec::new();
    for line in text.lines() {
        if line.starts_with("//---") {
            let own = line.split_once(" | ").map_or("", |(_, options)| options);
            let words = common.iter().cloned().chain(words(own)).collect();
            let program = Program { title: line.to_owned(), words, lines: Vec::new(), expected: Vec::new() };
            file.programs.push(program);
            continue;
        }
        let Some(program) = file.programs.last_mut() else {
            common.extend(line.split_once("options:").into_iter().flat_map(|(_, options)| words(options)));
            file.head += &format!("{line}\n");
            continue;
        };
        match expectation(line, program.lines.len()) {
            Some(remark) => program.expected.push(remark),
            None => program.lines.push(line.to_owned()),
        }
    }
    file.programs.iter_mut().for_each(|program| program.expected.sort());
    file
}

fn files() -> Vec<File> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests/reject");
    let entries = std::fs::read_dir(folder).expect("filetests/reject");
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}

#[test]
fn diagnostics_are_as_written() {
    let is_blessed = std::env::var_os("PYROCLAST_BLESS").is_some();
    let (mut failures, mut wrong) = (String::new(), 0);
    for file in files() {
        let mut text = file.head.clone();
        let mut names = HashSet::new();
        for program in &file.programs {
            let found = program.found();
            let is_wrong = found.iter().any(|r| r.text.contains("error: "));
            wrong += usize::from(is_wrong);
            text += &program.written(&found);
            let name = program.name();
            assert!(names.insert(name), "{}: {name} twice", file.path.display());
            assert!(!(program.is_correct() && is_wrong), "{}: {name}\n{found:#?}", file.path.display());
            if found != program.expected && !is_blessed {
                let (is, was) = (program.written(&found), program.written(&program.expected));
                failures += &format!("{}\nexpected:\n{was}found:\n{is}\n", file.path.display());
            }
        }
        if is_blessed {
            std::fs::write(&file.path, text).expect("a file of programs");
        }
    }
    assert!(failures.is_empty(), "{failures}");
    assert!(wrong >= WRONG_PROGRAMS, "only {wrong} programs are wrong");
}

#[test]
fn correct_programs_compile() {
    for file in files() {
        for program in file.programs.iter().filter(|program| program.is_correct()) {
            let (options, config) = program.options();
            let source = program.source();
            let done = c::compile(&CompileRequest::new(&source, &options, &config));
            assert!(done.is_ok(), "{}: {}", program.name(), done.err().unwrap());
        }
    }
}

/// Compares the verdicts with clang's, which takes a minute or two.
#[test]
#[ignore = "needs clang, and a minute"]
fn clang_agrees() {
    let mut failures = String::new();
    for file in files() {
        for program in &file.programs {
            let (options, config) = program.options();
            let source = program.source();
            let done = clang::compile(&CompileRequest::new(&source, &options, &config));
            if let Err(CompileError::ToolMissing(what)) = &done {
                eprintln!("skipped: {what}");
                return;
            }
            let is_accepted = !matches!(done, Err(CompileError::Diagnostics(_)));
            let is_own = !program.expected.iter().any(|r| r.text.contains("error: "));
            let verdict = if is_accepted { "clang:accepts" } else { "clang:rejects" };
            let is_marked = program.words.iter().any(|word| word.starts_with("clang:"));
            let is_expected = program.words.iter().any(|word| word == verdict);
            if is_expected == (is_accepted == is_own) || is_marked != is_expected {
                failures += &format!("{}: {}: {verdict}\n", file.path.display(), program.name());
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
