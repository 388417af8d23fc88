//! Whole sources: kernels of real programs are accepted, and mutated ones are read without a panic.

use super::check::check;
use super::session::Input;
use crate::options::{FrontConfig, Options};
use std::path::{Path, PathBuf};

/// Extensions and features that kernels use.
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
];

fn config() -> FrontConfig {
    FrontConfig {
        extensions: EXTENSIONS.iter().map(|e| (*e).to_owned()).collect(),
        image_support: true,
        opencl_version: 310,
        ..FrontConfig::default()
    }
}

/// Options of a command line: the language version and those of the preprocessor.
fn options(std: &str, words: &str) -> Options {
    let mut options = Options { std: std.into(), ..Options::default() };
    let mut words = words.split_whitespace();
    while let Some(word) = words.next() {
        if let Some(std) = word.strip_prefix("-cl-std=") {
            options.std = std.into();
        } else if matches!(word, "-D" | "-I" | "-U") {
            options.preprocessor.push(format!("{word}{}", words.next().unwrap_or_default()));
        } else if ["-D", "-I", "-U"].iter().any(|o| word.starts_with(o)) {
            options.preprocessor.push(word.into());
        }
    }
    options
}

/// The errors of a source; empty if it is accepted.
fn errors(path: &Path, options: &Options) -> String {
    let source = std::fs::read_to_string(path).unwrap();
    let config = config();
    let checked = check(&Input { source: &source, headers: &[], options, config: &config });
    if checked.has_errors() {
        format!("{}\n{}", path.display(), checked.session.render())
    } else {
        String::new()
    }
}

/// The corpus beside the repository, if it is there.
fn corpus() -> Option<PathBuf> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    repository.ancestors().map(|a| a.join("shared/corpus")).find(|c| c.join("MANIFEST.tsv").is_file())
}

/// Every tenth entry of the corpus, or all with PYROCLAST_CORPUS=all.
#[test]
fn corpus_is_accepted() {
    let Some(folder) = corpus() else {
        eprintln!("skipped: no corpus beside the repository");
        return;
    };
    let manifest = std::fs::read_to_string(folder.join("MANIFEST.tsv")).unwrap();
    let step = if std::env::var("PYROCLAST_CORPUS").is_ok_and(|v| v == "all") { 1 } else { 10 };
    let entries = manifest.lines().filter(|line| !line.starts_with('#')).step_by(step);
    let mut wrong = String::new();
    for entry in entries {
        let mut fields = entry.split('\t');
        let path = folder.join(fields.next().unwrap());
        let (std, words) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
        wrong += &errors(&path, &options(std, &words.replace("{CORPUS}", &folder.display().to_string())));
    }
    assert_eq!(wrong, "");
}

fn exec_kernels() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/exec");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "cl"));
    paths.sort();
    paths
}

/// Mutated kernels of the tests.
#[test]
fn mutated_kernels_are_read_without_panic() {
    let words = [
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ";",
        ",",
        "*",
        "&",
        "struct",
        "union {",
        "enum {",
        "typedef",
        "global",
        "local",
        "constant",
        "0",
        "1",
        "=",
        ".",
        "...",
        "__attribute__((",
        "aligned(",
        "case",
        "default:",
        "switch",
        "for(",
        "if(",
        "goto",
        "sizeof",
        "typeof",
        "(float4)",
        "int",
        "x",
        "^",
        "({",
        "})",
        "?",
        ":",
        "static",
        "-1",
        "\"s\"",
        "0xffffffffffffffff",
        "~",
        "!",
        "++",
        "<<",
        "%",
        "_Atomic",
        "pipe",
        "image2d_t",
        "unsigned",
        "half",
        "void",
        "kernel",
        "\n#pragma unroll\n",
        "->",
        "s0",
        "return",
        "ext_vector_type(",
    ];
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut below = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % limit.max(1)
    };
    let paths = exec_kernels();
    let config = config();
    for _ in 0..300 {
        let text = std::fs::read_to_string(&paths[below(paths.len())]).unwrap();
        let mut parts: Vec<&str> = text.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_').collect();
        for _ in 0..=below(5) {
            let at = below(parts.len());
            match below(4) {
                0 => drop(parts.drain(at..(at + 1 + below(8)).min(parts.len()))),
                1 => parts.insert(at, parts[below(parts.len())]),
                _ => parts.splice(at..at, [" ", words[below(words.len())], " "]).for_each(drop),
            }
            if parts.is_empty() {
                parts.push("");
            }
        }
        let options = options(["", "CL1.0", "CL2.0", "CL3.0"][below(4)], "");
        let source = parts.concat();
        let checked = check(&Input { source: &source, headers: &[], options: &options, config: &config });
        checked.session.render();
    }
}
