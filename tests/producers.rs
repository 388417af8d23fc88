//! SPIR-V of other producers: clang with the Khronos translator (llvm-spirv), whose entry points are wrappers
//! of exported functions, and clang's own back end, at -O0 and -O2. Modules are built and their kernels
//! launched on every device. Without any translator a single ignored test is left.

#![allow(clippy::unwrap_used, clippy::panic)]

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use test_support::api::validation;
use test_support::cl::{Api, Arg, Device, Session};
use test_support::exec::offer;

/// A compiler from OpenCL C to SPIR-V.
#[derive(Clone)]
enum Producer {
    /// clang of a version, then llvm-spirv of the same version.
    Translator(u32),
    /// clang alone.
    Clang(u32),
}

impl Producer {
    fn name(&self) -> String {
        match self {
            Producer::Translator(version) => format!("llvm_spirv_{version}"),
            Producer::Clang(version) => format!("clang_{version}"),
        }
    }

    fn tools(&self) -> Vec<String> {
        match self {
            Producer::Translator(version) => {
                vec![format!("clang-{version}"), format!("llvm-spirv-{version}")]
            }
            Producer::Clang(version) => vec![format!("clang-{version}")],
        }
    }

    fn is_installed(&self) -> bool {
        self.tools()
            .iter()
            .all(|tool| Command::new(tool).arg("--version").output().is_ok_and(|o| o.status.success()))
    }

    /// Words of the compiled module.
    fn module(&self, source: &Path, level: &str, folder: &Path) -> Result<Vec<u32>, String> {
        let stem = format!("{}-{}{level}", source.file_stem().unwrap().to_string_lossy(), self.name());
        let (bitcode, module) = (folder.join(format!("{stem}.bc")), folder.join(format!("{stem}.spv")));
        let tools = self.tools();
        let mut clang = Command::new(&tools[0]);
        clang
            .args(["-cl-std=CL1.2", "-Xclang", "-finclude-default-header", "-w", level, "-c"])
            .arg(source)
            .arg("-o");
        match self {
            Producer::Translator(_) => {
                run(clang.arg(&bitcode).args(["-target", "spir64", "-emit-llvm"]))?;
                run(Command::new(&tools[1])
                    .arg("--spirv-max-version=1.2")
                    .arg(&bitcode)
                    .arg("-o")
                    .arg(&module))?;
            }
            Producer::Clang(_) => run(clang.arg(&module).args(["-target", "spirv64"]))?,
        }
        let bytes = std::fs::read(&module).map_err(|e| e.to_string())?;
        Ok(bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect())
    }
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(()) } else { Err(format!("{command:?}: {text}")) }
}

fn calls(session: &Session<'_>, words: &[u32]) -> Result<(), String> {
    const ITEMS: usize = 64;
    let program = session.build_il(words)?;
    let input: Vec<i32> = (0..ITEMS as i32 + 8).map(|i| i * 5 % 17 - 3).collect();
    let (from, to) = (session.buffer(4 * input.len())?, session.buffer(4 * ITEMS)?);
    session.write(&from, &input)?;
    session.write(&to, &[0i32; ITEMS])?;
    let record: Vec<u8> =
        [&1000i32.to_le_bytes()[..], &[0; 4], &20.0f32.to_le_bytes(), &[0; 8], &[3, 0, 0, 0]].concat();
    let first = program.kernel("calls")?;
    first.set(&[
        Arg::Buffer(&from),
        Arg::Buffer(&to),
        Arg::Bytes(&record),
        Arg::Bytes(&5i32.to_le_bytes()),
    ])?;
    first.launch(&[ITEMS], None)?;
    let second = program.kernel("calls_kernel")?;
    second.set(&[Arg::Buffer(&from), Arg::Buffer(&to), Arg::Bytes(&record)])?;
    second.launch(&[ITEMS], None)?;
    let weighted = |i: usize, n: usize| (0..n).map(|k| input[i + k] * (k as i32 % 4 + 1)).sum::<i32>() + 1023;
    let expected: Vec<i32> = (0..ITEMS).map(|i| weighted(i, 5) + weighted(i, 3)).collect();
    let mut result = vec![0i32; ITEMS];
    session.read(&to, &mut result)?;
    if result != expected {
        return Err(format!("calls: {result:?} instead of {expected:?}"));
    }
    let third = program.kernel("reversed")?;
    third.set(&[Arg::Buffer(&from), Arg::Buffer(&to), Arg::Local(4 * 16)])?;
    third.launch(&[ITEMS], Some(&[16]))?;
    session.read(&to, &mut result)?;
    let expected: Vec<i32> = (0..ITEMS).map(|i| input[i / 16 * 16 + 15 - i % 16] + 7).collect();
    if result == expected { Ok(()) } else { Err(format!("reversed: {result:?} instead of {expected:?}")) }
}

fn images(session: &Session<'_>, words: &[u32]) -> Result<(), String> {
    session.build_il(words)?.kernel("doubled").map(drop)
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    if std::env::var_os("PYROCLAST_DEVICES").is_none() {
        // SAFETY: no other thread runs yet.
        unsafe { std::env::set_var("PYROCLAST_DEVICES", "vulkan,cpu") };
    }
    let folder = offer::offer().unwrap_or_else(std::env::temp_dir);
    let (api, devices) = Api::load().and_then(|api| api.devices().map(|d| (Arc::new(api), d))).unwrap();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/producers");
    let mut producers: Vec<Producer> =
        (14..24).flat_map(|version| [Producer::Translator(version), Producer::Clang(version)]).collect();
    // clang's own back end supports the required features since version 20.
    producers.retain(|p| !matches!(p, Producer::Clang(..20)) && p.is_installed());
    let mut trials = Vec::new();
    for (name, is_there) in [
        ("llvm_spirv", producers.iter().any(|p| matches!(p, Producer::Translator(_)))),
        ("clang", producers.iter().any(|p| matches!(p, Producer::Clang(_)))),
    ] {
        if !is_there {
            trials.push(Trial::test(name, || Ok(())).with_ignored_flag(true));
        }
    }
    for producer in producers {
        for (device, level) in devices.iter().flat_map(|d| ["-O0", "-O2"].map(|level| (d, level))) {
            type Check = fn(&Session<'_>, &[u32]) -> Result<(), String>;
            for (file, check) in [("calls", calls as Check), ("images", images as Check)] {
                let name = format!("{}::{}{level}::{file}", device.name, producer.name());
                let source: PathBuf = sources.join(format!("{file}.cl"));
                let (api, device, folder, producer) =
                    (api.clone(), device.clone(), folder.clone(), producer.clone());
                let run = move || on(&api, &device, &producer, (&source, level), &folder, check);
                trials.push(Trial::test(name, run));
            }
        }
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    let _ = std::fs::remove_dir_all(folder);
    conclusion.exit_code()
}

fn on(
    api: &Api,
    device: &Device,
    producer: &Producer,
    (source, level): (&Path, &str),
    folder: &Path,
    check: fn(&Session<'_>, &[u32]) -> Result<(), String>,
) -> Result<(), Failed> {
    let words = producer.module(source, level, folder)?;
    check(&Session::new(api, device)?, &words)?;
    validation::new_complaints().map_or(Ok(()), |text| Err(Failed::from(format!("validation: {text}"))))
}
