//! Whole sources: kernels of real programs are accepted.

use super::check::check;
use super::compile::compile;
use crate::options::{CompileRequest, FrontConfig, LibraryCode, Options};
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
    let checked = check(&CompileRequest::new(&source, options, &config));
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

/// The initial bytes of a variable of static storage.
fn contents(source: &str, name: &str) -> Vec<u8> {
    let (config, options) = (config(), options("CL1.2", ""));
    let compiled = compile(&CompileRequest::new(source, &options, &config)).unwrap();
    let LibraryCode::Ir(module) = compiled.library.code else { panic!("no IR") };
    let module = module.module().unwrap();
    let global = module.globals.values().find(|g| g.name == name).expect("a variable");
    global.init.clone().unwrap_or_default()
}

#[test]
fn initializers_choose_by_constants() {
    let source = "constant int three = 3;
        constant uchar t[10] = { 2 || 3L, 0 && 1 / 0, 0 || 0.0f, 1 && three, 1 ? 7 : 8, 'a' ? 9 : 2.5,
            three > 3 ? 1 : three == 3 ? 11 : 2, !(0 || 1) + 12, (uchar4)(1 && 1, 13, 14, 15).y, sizeof(int) || 0 };
        kernel void k(global int *o) { o[0] = t[o[1]]; }";
    assert_eq!(contents(source, "t"), [1, 0, 0, 1, 7, 9, 11, 12, 13, 1]);
}

#[test]
fn truth_values_become_lanes() {
    // A vector literal has ones, a cast has all bits.
    let source = "constant bool yes = 2;
        constant short2 t[2] = { (short2)(yes), (short2)yes };
        kernel void k(global short2 *o) { o[0] = t[o[1].x]; }";
    assert_eq!(contents(source, "t"), [1, 0, 1, 0, 255, 255, 255, 255]);
}

#[test]
fn bit_fields_of_the_width_of_int_promote() {
    let source = "#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
        struct s { ulong a : 31; ulong b : 32; ulong c : 33; };
        #define SIZE(m) sizeof(((constant struct s *)0)->m + 0)
        constant uchar t[3] = { SIZE(a), SIZE(b), SIZE(c) };
        kernel void k(global uchar *o) { o[0] = t[o[1]]; }";
    assert_eq!(contents(source, "t"), [4, 4, 8]);
}
