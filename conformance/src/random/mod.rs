//! Random sources whose results must be equal bit for bit on two devices, with both front ends, or with quick
//! and optimized code.
//!
//! There are kernels ([`generator`]), made for comparing devices, and whole programs ([`program`]), made for
//! comparing front ends. They run in a child process for each side, so that crashes and hangs are results.
//! A source that differs is reduced, statement by statement, as long as it still differs, and printed with
//! its seed. Devices are named by a part of their platform's name, as the OpenCL loader finds them.

mod batch;
mod generator;
mod program;
mod runner;
mod tree;

use crate::front_end::facts::variable;
use cl::{Api, Arg, Device, Program as Built, Session};
use clspv_bridge::options::FrontEnd;
use generator::{Kernel, Xorshift};
use program::Program;
use runner::{CLANG_ARGS, Runner, SeedCounts, Side, Subject};
use std::path::PathBuf;
use test_support::cl;

/// Arguments of `conformance random`.
#[derive(clap::Args)]
pub struct RandomArgs {
    /// First seed
    #[arg(long, default_value_t = 1)]
    first: u64,
    /// Number of kernels or programs
    #[arg(long, default_value_t = 100)]
    count: u64,
    /// Generate whole programs instead of kernels
    #[arg(long)]
    programs: bool,
    /// Compare the built-in front end with clang, on the first of the platforms
    #[arg(long)]
    front_ends: bool,
    /// Compare two kinds of code of the CPU device, e.g. quick,optimized, on the first of the platforms; the
    /// second is trusted
    #[arg(long, value_name = "KIND,KIND", conflicts_with = "front_ends")]
    codes: Option<String>,
    /// Programs that are built at once
    #[arg(long, default_value_t = 16)]
    batch: usize,
    /// Batches of programs at a time
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Parts of the names of two platforms, separated by a comma; the second is trusted
    #[arg(long, default_value = "Pyroclast,Portable")]
    platforms: String,
    /// Build options of kernels
    #[arg(long, default_value = "-cl-std=CL1.2 -w", allow_hyphen_values = true)]
    options: String,
    /// Seconds of processor time that one run may take
    #[arg(long, default_value_t = 60)]
    limit: u64,
    /// Do not make sources that differ smaller
    #[arg(long)]
    whole: bool,
    /// Only print the first source
    #[arg(long)]
    print: bool,
}

/// Arguments of `conformance one-random`.
#[derive(clap::Args)]
pub struct OneRandomArgs {
    platform: String,
    file: PathBuf,
    #[arg(allow_hyphen_values = true)]
    options: String,
    /// Kernels of programs; if there are none, the kernel `k`
    kernels: Vec<String>,
}

/// Size of a launch and of its buffers.
struct Launch {
    items: usize,
    group: usize,
    /// Result words of one work-item.
    results: usize,
    inputs: usize,
    /// Arguments by value after the two buffers.
    values: Vec<Vec<u8>>,
}

impl Launch {
    fn of_kernel() -> Launch {
        use generator::{GROUP, INPUTS, ITEMS, RESULTS};
        Launch { items: ITEMS, group: GROUP, results: RESULTS, inputs: INPUTS, values: Vec::new() }
    }

    fn of_program() -> Launch {
        use program::{GROUP, INPUTS, ITEMS, RESULTS};
        let vector = [-300i16, 77, 32767, 0].iter().flat_map(|x| x.to_le_bytes()).collect();
        let values = vec![vec![201], vector, (-0x1234_5678_9abc_i64).to_le_bytes().to_vec()];
        Launch { items: ITEMS, group: GROUP, results: RESULTS, inputs: INPUTS, values }
    }
}

/// The result words of a kernel, a text for each work-item.
fn launch(
    session: &Session<'_>,
    program: &Built<'_>,
    name: &str,
    size: &Launch,
) -> Result<Vec<String>, String> {
    let kernel = program.kernel(name)?;
    let mut random = Xorshift::new(99);
    let input: Vec<u32> = (0..size.inputs).map(|i| random.next() as u32 >> (i % 4 * 8)).collect();
    let mut results = vec![0u32; size.items * size.results];
    let (out, inputs) = (session.buffer(results.len() * 4)?, session.buffer(size.inputs * 4)?);
    session.write(&inputs, &input)?;
    session.write(&out, &results)?;
    let mut arguments = vec![Arg::Buffer(&out), Arg::Buffer(&inputs)];
    arguments.extend(size.values.iter().map(|bytes| Arg::Bytes(bytes)));
    kernel.set(&arguments)?;
    kernel.launch(&[size.items], Some(&[size.group]))?;
    session.finish()?;
    session.read(&out, &mut results)?;
    let words = |item: &[u32]| item.iter().map(|x| format!("{x:08x}")).collect::<Vec<_>>().join(" ");
    Ok(results.chunks(size.results).map(words).collect())
}

/// Builds a source in this process, runs its kernels and prints their results.
pub fn one(arguments: &OneRandomArgs) -> Result<bool, String> {
    let source = std::fs::read_to_string(&arguments.file).map_err(|e| e.to_string())?;
    let api = Api::load()?;
    let devices: Vec<Device> = api.devices()?;
    let device =
        devices.iter().find(|d| d.platform.contains(&arguments.platform)).ok_or("no such platform")?;
    let session = Session::new(&api, device)?;
    let program = session.build(&source, &arguments.options)?;
    if arguments.kernels.is_empty() {
        for item in launch(&session, &program, "k", &Launch::of_kernel())? {
            println!("{item}");
        }
    }
    for kernel in &arguments.kernels {
        match launch(&session, &program, kernel, &Launch::of_program()) {
            Ok(items) => println!("{kernel} {}", items.join(" | ")),
            Err(error) => println!("{kernel} {}", error.replace('\n', " ")),
        }
    }
    Ok(true)
}

/// The two sides of a comparison.
fn sides(arguments: &RandomArgs) -> Result<(Side, Side), String> {
    let (first, second) = arguments.platforms.split_once(',').ok_or("two platforms are needed")?;
    let side = |platform: &str, variables: &[(&'static str, &str)]| {
        let variables = variables.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        Side { platform: platform.into(), variables }
    };
    let code = |kind| side(first, &[("PYROCLAST_DEVICES", "cpu"), ("PYROCLAST_CPU_CODE", kind)]);
    let front_end = |which| side(first, &[variable(which)]);
    Ok(match &arguments.codes {
        Some(kinds) => {
            let (tested, trusted) = kinds.split_once(',').ok_or("two kinds of code are needed")?;
            (code(tested), code(trusted))
        }
        None if arguments.front_ends => (front_end(FrontEnd::BuiltIn), front_end(FrontEnd::Clang)),
        None => (side(first, &[]), side(second, &[])),
    })
}

/// Runs kernels or programs on both sides. Returns true if they agree on all.
pub fn run(arguments: &RandomArgs) -> Result<bool, String> {
    if arguments.print {
        let job = match arguments.programs {
            true => Program::new(arguments.first).job(&arguments.options),
            false => Kernel::new(arguments.first).job(&arguments.options),
        };
        print!("{}", job.source);
        return Ok(true);
    }
    let folder = std::env::temp_dir().join(format!("pyroclast-random-{}", std::process::id()));
    let runner = |worker: usize| {
        let folder = folder.join(worker.to_string());
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let (tested, trusted) = sides(arguments)?;
        let unoptimized = arguments.front_ends.then(|| {
            let clang_args =
                ("PYROCLAST_CLANG_ARGS", format!("{CLANG_ARGS},-O0,-Xclang,-disable-O0-optnone"));
            let variables = trusted.variables.iter().cloned().chain([clang_args]).collect();
            Side { platform: trusted.platform.clone(), variables }
        });
        let (limit, options) = (arguments.limit, arguments.options.clone());
        Ok(Runner { folder, tested, trusted, unoptimized, limit, options })
    };
    let seeds = (arguments.first, arguments.count);
    let counts = if arguments.programs {
        batch::run(seeds, arguments.batch, arguments.jobs, arguments.whole, runner)?
    } else {
        let runner = runner(0)?;
        let mut counts = SeedCounts::default();
        for seed in seeds.0..seeds.0.saturating_add(seeds.1) {
            let (verdict, report) = runner.judge(seed, Kernel::new(seed), arguments.whole)?;
            print!("{report}");
            counts.add(verdict);
        }
        counts
    };
    let _ = std::fs::remove_dir_all(&folder);
    let what = if arguments.programs { "programs" } else { "kernels" };
    println!("{} {what} agree, {} differ, {} skipped", counts.same, counts.different, counts.skipped);
    Ok(counts.different == 0 && counts.same > 0)
}
