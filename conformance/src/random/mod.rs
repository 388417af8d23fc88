//! Random kernels on two devices, whose results must be equal bit for bit.
//!
//! Each kernel ([`generator`]) runs in a child process for each device, so that crashes and hangs are
//! results. A kernel that differs is reduced, statement by statement, as long as it still differs, and
//! printed with its seed. Devices are named by a part of their platform's name, as the OpenCL loader finds
//! them.

mod generator;

use cl::{Api, Arg, Session};
use generator::{GROUP, INPUTS, ITEMS, Kernel, RESULTS, Xorshift};
use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use test_support::cl;

/// Arguments of `conformance random`.
#[derive(clap::Args)]
pub struct RandomArgs {
    /// First seed
    #[arg(long, default_value_t = 1)]
    first: u64,
    /// Number of kernels
    #[arg(long, default_value_t = 100)]
    count: u64,
    /// Parts of the names of two platforms, separated by a comma; the second is trusted
    #[arg(long, default_value = "Pyroclast,Portable")]
    platforms: String,
    /// Build options
    #[arg(long, default_value = "-cl-std=CL1.2 -w", allow_hyphen_values = true)]
    options: String,
    /// Seconds that one run may take
    #[arg(long, default_value_t = 60)]
    limit: u64,
    /// Do not make kernels that differ smaller
    #[arg(long)]
    whole: bool,
    /// Only print the source of the first kernel
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
}

/// Runs one kernel in this process and prints its results.
pub fn one(arguments: &OneRandomArgs) -> Result<bool, String> {
    let source = std::fs::read_to_string(&arguments.file).map_err(|e| e.to_string())?;
    let api = Api::load()?;
    let devices = api.devices()?;
    let device =
        devices.iter().find(|d| d.platform.contains(&arguments.platform)).ok_or("no such platform")?;
    let session = Session::new(&api, device)?;
    let program = session.build(&source, &arguments.options)?;
    let kernel = program.kernel("k")?;
    let mut random = Xorshift::new(99);
    let input: Vec<u32> = (0..INPUTS).map(|i| random.next() as u32 >> (i % 4 * 8)).collect();
    let mut results = vec![0u32; ITEMS * RESULTS];
    let (out, inputs) = (session.buffer(results.len() * 4)?, session.buffer(INPUTS * 4)?);
    session.write(&inputs, &input)?;
    session.write(&out, &results)?;
    kernel.set(&[Arg::Buffer(&out), Arg::Buffer(&inputs)])?;
    kernel.launch(&[ITEMS], Some(&[GROUP]))?;
    session.finish()?;
    session.read(&out, &mut results)?;
    for item in results.chunks(RESULTS) {
        let text: Vec<String> = item.iter().map(|x| format!("{x:08x}")).collect();
        println!("{}", text.join(" "));
    }
    Ok(true)
}

/// Outcome of one run.
#[derive(Clone, PartialEq, Eq)]
enum Outcome {
    Results(String),
    Failed(String),
    /// The run exceeded the time limit.
    Slow,
}

struct Runner<'a> {
    arguments: &'a RandomArgs,
    folder: PathBuf,
}

impl Runner<'_> {
    fn run(&self, platform: &str, kernel: &Kernel) -> Result<Outcome, String> {
        let file = self.folder.join("kernel.cl");
        std::fs::write(&file, kernel.source()).map_err(|e| format!("{}: {e}", file.display()))?;
        let mut command = Command::new(std::env::current_exe().map_err(|e| e.to_string())?);
        command.arg("one-random").arg(platform).arg(&file).arg(&self.arguments.options);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| e.to_string())?;
        let (Some(mut out), Some(mut err)) = (child.stdout.take(), child.stderr.take()) else {
            return Err("no pipe".into());
        };
        let drain = std::thread::spawn(move || {
            let mut text = String::new();
            let _ = err.read_to_string(&mut text);
            text
        });
        let results = std::thread::spawn(move || {
            let mut text = String::new();
            let _ = out.read_to_string(&mut text);
            text
        });
        let start = Instant::now();
        let status = loop {
            match child.try_wait().map_err(|e| e.to_string())? {
                Some(status) => break Some(status),
                None if start.elapsed() > Duration::from_secs(self.arguments.limit) => {
                    let _ = child.kill();
                    let _ = child.wait();
                    break None;
                }
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        let (text, log) = (results.join().unwrap_or_default(), drain.join().unwrap_or_default());
        Ok(match status {
            Some(status) if status.success() => Outcome::Results(text),
            Some(status) => Outcome::Failed(format!("{status}\n{log}")),
            None => Outcome::Slow,
        })
    }

    /// `None` if both devices agree, else their outcomes.
    fn differ(&self, kernel: &Kernel) -> Result<Option<(Outcome, Outcome)>, String> {
        let (tested, trusted) = self.arguments.platforms.split_once(',').ok_or("two platforms are needed")?;
        let wanted = self.run(trusted, kernel)?;
        let got = self.run(tested, kernel)?;
        Ok((wanted != got).then_some((got, wanted)))
    }

    /// A smaller kernel that still differs in the same way.
    fn minimise(&self, kernel: Kernel, is_failure: bool) -> Result<Kernel, String> {
        let mut kernel = kernel;
        // Removing statements can make others removable: repeat until nothing changes.
        loop {
            let before = kernel.paths().len();
            let mut i = 0;
            while let Some(path) = kernel.paths().get(i).cloned() {
                let smaller = [false, true].into_iter().filter_map(|unwrap| kernel.without(&path, unwrap));
                let mut found = None;
                for candidate in smaller {
                    let same_kind = |d: &(Outcome, Outcome)| {
                        matches!(d.0, Outcome::Failed(_)) == is_failure && matches!(d.1, Outcome::Results(_))
                    };
                    if self.differ(&candidate)?.as_ref().is_some_and(same_kind) {
                        found = Some(candidate);
                        break;
                    }
                }
                match found {
                    Some(smaller) => kernel = smaller,
                    None => i += 1,
                }
            }
            if kernel.paths().len() == before {
                return Ok(kernel);
            }
        }
    }
}

/// Runs kernels on both devices. Returns true if they agree on all.
pub fn run(arguments: &RandomArgs) -> Result<bool, String> {
    if arguments.print {
        print!("{}", Kernel::new(arguments.first).source());
        return Ok(true);
    }
    let folder = std::env::temp_dir().join(format!("pyroclast-random-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let runner = Runner { arguments, folder: folder.clone() };
    let (mut same, mut different, mut skipped) = (0, 0, 0);
    for seed in arguments.first..arguments.first.saturating_add(arguments.count) {
        let kernel = Kernel::new(seed);
        match runner.differ(&kernel)? {
            None => same += 1,
            // A failure of the trusted device decides nothing.
            Some((_, Outcome::Slow)) => {
                skipped += 1;
                println!("seed {seed}: skipped, the trusted device took too long");
            }
            Some((_, Outcome::Failed(why))) => {
                skipped += 1;
                println!(
                    "seed {seed}: skipped, the trusted device failed: {}",
                    why.lines().take(3).collect::<Vec<_>>().join(" ")
                );
            }
            // Reducing a hanging kernel would take the time limit for every step.
            Some((Outcome::Slow, Outcome::Results(_))) => {
                different += 1;
                println!("seed {seed}: takes more than {} s\n{}", arguments.limit, kernel.source());
            }
            Some((got, Outcome::Results(wanted))) => {
                different += 1;
                let is_failure = matches!(got, Outcome::Failed(_));
                println!("seed {seed}: {}", if is_failure { "fails" } else { "differs" });
                let kernel = if arguments.whole { kernel } else { runner.minimise(kernel, is_failure)? };
                println!("{}", kernel.source());
                let (got, wanted) = match runner.differ(&kernel)? {
                    Some((got, Outcome::Results(wanted))) => (got, wanted),
                    _ => (got, wanted),
                };
                match got {
                    Outcome::Failed(why) => println!("{why}"),
                    Outcome::Slow => println!("took too long"),
                    Outcome::Results(got) => {
                        for (item, (g, w)) in
                            got.lines().zip(wanted.lines()).enumerate().filter(|(_, (g, w))| g != w)
                        {
                            println!("work-item {item}: {g}\n     expected: {w}");
                        }
                    }
                }
            }
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    println!("{same} kernels agree, {different} differ, {skipped} skipped");
    Ok(different == 0)
}
