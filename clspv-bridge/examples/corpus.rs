//! Compiles a list of OpenCL C files and validates the result: `corpus <folder> [filter]`.
//!
//! The folder has a MANIFEST.tsv with one compilation a line: path, -cl-std, further options (`{CORPUS}` is the folder).
//! One line per file says OK or the first line of what failed; `-v` prints all of it. Needs clang and spirv-val.

#![allow(clippy::print_stdout)]

use clspv_bridge::Target;
use clspv_bridge::driver::{FrontConfig, Options, build, compile_program};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

fn config() -> FrontConfig {
    let extensions = "cl_khr_fp64 __opencl_c_fp64 cl_khr_fp16 __opencl_c_int64 cl_khr_byte_addressable_store \
        cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics cl_khr_local_int32_base_atomics \
        cl_khr_local_int32_extended_atomics cl_khr_int64_base_atomics cl_khr_int64_extended_atomics \
        __opencl_c_atomic_order_acq_rel __opencl_c_atomic_order_seq_cst __opencl_c_atomic_scope_device \
        __opencl_c_generic_address_space __opencl_c_program_scope_global_variables __opencl_c_images \
        __opencl_c_3d_image_writes cl_khr_3d_image_writes __opencl_c_read_write_images";
    FrontConfig {
        extensions: extensions.split_whitespace().map(str::to_owned).collect(),
        image_support: true,
        opencl_version: 310,
        ..FrontConfig::default()
    }
}

fn options(std: &str, text: &str, corpus: &str) -> Options {
    let mut o = Options { std: std.to_owned(), ..Options::default() };
    for word in text.replace("{CORPUS}", corpus).split_whitespace() {
        match word {
            "-cl-fast-relaxed-math" => o.fast_relaxed_math = true,
            "-cl-mad-enable" => o.mad_enable = true,
            "-cl-unsafe-math-optimizations" => o.unsafe_math = true,
            "-cl-no-signed-zeros" => o.no_signed_zeros = true,
            "-cl-finite-math-only" => o.finite_math = true,
            "-cl-denorms-are-zero" => o.denorms_are_zero = true,
            "-cl-single-precision-constant" => o.single_precision_constant = true,
            "-w" => o.warnings_off = true,
            word => o.preprocessor.push(word.to_owned()),
        }
    }
    o
}

fn compile(source: &Path, options: &Options, out: &Path) -> Result<String, String> {
    let text = String::from_utf8_lossy(&std::fs::read(source).map_err(|e| e.to_string())?).into_owned();
    let start = Instant::now();
    let library = compile_program(&text, &[], options, &config()).map_err(|e| format!("front: {e}"))?;
    let front = start.elapsed().as_millis();
    let mut target = Target::generic();
    target.prefer_bindings = true;
    let start = Instant::now();
    let program = build(&[&library], options, &[], &target).map_err(|e| format!("build: {e}"))?;
    let middle = start.elapsed().as_millis();
    let mut words = 0;
    for (k, kernel) in program.kernels.iter().enumerate() {
        for (v, variant) in kernel.variants.iter().enumerate() {
            words += variant.spirv.len();
            let path = out.join(format!("{k}.{v}.spv"));
            let bytes: Vec<u8> = variant.spirv.iter().flat_map(|w| w.to_le_bytes()).collect();
            std::fs::write(&path, bytes).map_err(|e| e.to_string())?;
            let args = ["--target-env", "vulkan1.3", "--scalar-block-layout"];
            let check = std::process::Command::new("spirv-val").args(args).arg(&path).output().map_err(|e| e.to_string())?;
            if !check.status.success() {
                let text = String::from_utf8_lossy(&check.stderr).into_owned();
                return Err(format!("spirv-val: kernel '{}' ({}): {text}", kernel.info.name, path.display()));
            }
            std::fs::remove_file(&path).map_err(|e| e.to_string())?;
        }
    }
    Ok(format!("{} kernels, {words} words, clang {front} ms, build {middle} ms", program.kernels.len()))
}

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let verbose = args.iter().position(|a| a == "-v").map(|i| args.remove(i)).is_some();
    let Some(folder) = args.first().cloned() else {
        println!("usage: corpus <folder> [filter] [-v]");
        return;
    };
    let filter = args.get(1).cloned().unwrap_or_default();
    let manifest = std::fs::read_to_string(Path::new(&folder).join("MANIFEST.tsv")).unwrap_or_default();
    let lines: Vec<Vec<String>> = manifest
        .lines()
        .filter(|l| !l.starts_with('#') && !l.is_empty())
        .map(|l| l.split('\t').map(str::to_owned).collect::<Vec<_>>())
        .filter(|l| l[0].contains(&filter))
        .collect();
    let next = AtomicUsize::new(0);
    let good = AtomicUsize::new(0);
    let output = Mutex::new(());
    let work = |thread: usize| {
        let out: PathBuf = std::env::temp_dir().join(format!("corpus-{}-{thread}", std::process::id()));
        let _ = std::fs::create_dir_all(&out);
        while let Some(line) = lines.get(next.fetch_add(1, Ordering::Relaxed)) {
            let column = |i: usize| line.get(i).map_or("", String::as_str);
            let options = options(column(1), column(2), &folder);
            let path = Path::new(&folder).join(&line[0]);
            let result = std::panic::catch_unwind(|| compile(&path, &options, &out)).unwrap_or(Err("PANIC".into()));
            let _guard = output.lock();
            match result {
                Ok(text) => {
                    good.fetch_add(1, Ordering::Relaxed);
                    println!("OK   {}: {text}", line[0]);
                }
                Err(text) if verbose => println!("FAIL {}: {text}", line[0]),
                Err(text) => {
                    let first: String = text.lines().take(2).collect::<Vec<_>>().join(" | ").chars().take(220).collect();
                    println!("FAIL {}: {first}", line[0]);
                }
            }
        }
    };
    std::thread::scope(|s| {
        for thread in 0..2 {
            let _ = std::thread::Builder::new().stack_size(256 << 20).spawn_scoped(s, {
                let work = &work;
                move || work(thread)
            });
        }
    });
    println!("{} of {}", good.load(Ordering::Relaxed), lines.len());
}
