//! Time from the source of a program to its first and its tenth launch, on every device of our driver and of
//! every other OpenCL installed, in one run.
//!
//! `bench_launch [--driver libpyroclast.so] [--runs 3] [--limit 300] [FILE[:OPTIONS[:KERNEL]]]...`. Files are
//! built in their own folder; the kernel is the first of the program on the first device, unless it is
//! named. Its arguments are zeros, so that the times are those of code generation and of launches.
//!
//! Each device and program is measured by fresh processes, which load only the OpenCL of the device. A cold
//! one starts with empty caches and a new build option, a warm one builds the same with the caches of the
//! cold one. Times are milliseconds, the best of several runs in which the devices alternate: wall time, and
//! processor time of all threads and of ended child processes. A process that hangs is ended after `--limit`
//! seconds.

#![allow(clippy::print_stdout)] // a program that prints

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use test_support::cl::{self, Api, GenericLaunch, Progress, Session};
use test_support::{generated, usage};

/// First argument of the child processes.
const CHILD: &str = "--child";
/// Prefix of a child's lines for its parent; drivers print, too.
const ANSWER: &str = "answer: ";
/// Variables that move the caches of OpenCL and Vulkan drivers.
const CACHES: [&str; 6] = [
    "PYROCLAST_CACHE_DIR",
    "POCL_CACHE_DIR",
    "XDG_CACHE_HOME",
    "MESA_SHADER_CACHE_DIR",
    "CUDA_CACHE_PATH",
    "__GL_SHADER_DISK_CACHE_PATH",
];
/// Titles of the columns after the device.
const TITLES: [&str; 6] =
    ["cold build", "cold first", "cold tenth", "warm build", "warm first", "warm tenth"];

/// Milliseconds of an action.
#[derive(Clone, Copy)]
struct Cost {
    wall: f64,
    processor: f64,
}

/// Costs of the build, of the first launch, and of the tenth.
type Costs = [Cost; 3];

impl Cost {
    const NONE: Cost = Cost { wall: f64::INFINITY, processor: f64::INFINITY };
    /// Width of [`Cost::cell`].
    const CELL: usize = 18;

    /// Runs an action.
    fn of<T>(action: impl FnOnce() -> Result<T, String>) -> Result<(Cost, T), String> {
        let (start, processor) = (Instant::now(), usage::processor_ms());
        let result = action()?;
        let wall = start.elapsed().as_secs_f64() * 1e3;
        Ok((Cost { wall, processor: usage::processor_ms() - processor }, result))
    }

    fn best(self, other: Cost) -> Cost {
        Cost { wall: self.wall.min(other.wall), processor: self.processor.min(other.processor) }
    }

    fn cell(self) -> String {
        let number = |ms: f64| if ms < 10.0 { format!("{ms:.3}") } else { format!("{ms:.1}") };
        format!("{:>8} /{:>8}", number(self.wall), number(self.processor))
    }
}

fn parse_costs(text: &str) -> Option<Costs> {
    let numbers: Vec<f64> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    let pairs: Vec<Cost> =
        numbers.chunks_exact(2).map(|pair| Cost { wall: pair[0], processor: pair[1] }).collect();
    pairs.try_into().ok()
}

/// A program to measure.
struct Case {
    name: String,
    file: PathBuf,
    options: String,
    kernel: Option<String>,
    lines: usize,
}

impl Case {
    /// From an argument of the command line.
    fn named(text: &str) -> Result<Case, String> {
        let mut parts = text.splitn(3, ':');
        let file = parts.next().unwrap_or_default();
        let options = parts.next().unwrap_or_default().to_owned();
        let kernel = parts.next().filter(|name| !name.is_empty()).map(str::to_owned);
        let error = |e: std::io::Error| format!("{file}: {e}");
        let path = fs::canonicalize(file).map_err(error)?;
        let lines = String::from_utf8_lossy(&fs::read(&path).map_err(error)?).lines().count();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Case { name, file: path, options, kernel, lines })
    }

    /// The generated programs.
    fn generated(scratch: &Path) -> Result<Vec<Case>, String> {
        let case = |(name, source): (&str, String)| {
            let file = scratch.join(format!("{}.cl", name.replace(' ', "_")));
            fs::write(&file, &source).map_err(|e| e.to_string())?;
            let (name, lines) = (name.to_owned(), source.lines().count());
            Ok(Case { name, file, options: String::new(), kernel: None, lines })
        };
        generated::programs().into_iter().map(case).collect()
    }
}

/// A device, found by its number among those of the only OpenCL in a folder of ICD files.
struct MeasuredDevice {
    /// Names of the platform and the device.
    label: String,
    vendors: PathBuf,
    index: usize,
}

/// Command line of the parent.
struct Settings {
    runs: usize,
    limit: Duration,
    programs: Vec<String>,
}

impl Settings {
    fn read() -> Result<Settings, String> {
        let mut settings = Settings { runs: 3, limit: Duration::from_secs(300), programs: Vec::new() };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut number = || -> Result<u32, String> {
                let value = arguments.next().ok_or_else(|| format!("{argument} needs a number"))?;
                value.parse().map_err(|e| format!("{argument} {value}: {e}"))
            };
            match argument.as_str() {
                "--runs" => settings.runs = number()?.max(1) as usize,
                "--limit" => settings.limit = Duration::from_secs(number()?.into()),
                // Read by `offer_driver`.
                "--driver" => _ = arguments.next(),
                _ if argument.starts_with("--") => return Err(format!("unknown option {argument}")),
                _ => settings.programs.push(argument),
            }
        }
        Ok(settings)
    }
}

/// Starts child processes. Their caches and what they print are below the folder.
struct Runner {
    scratch: PathBuf,
    limit: Duration,
}

impl Runner {
    /// Runs a child and returns its answers, a line each.
    fn answer(&self, vendors: &Path, folder: &Path, arguments: &[&str]) -> Result<String, String> {
        let own = std::env::current_exe().map_err(|e| e.to_string())?;
        let (stdout, stderr) = (self.scratch.join("stdout"), self.scratch.join("stderr"));
        let create = |path: &Path| File::create(path).map_err(|e| format!("{}: {e}", path.display()));
        let mut command = Command::new(own);
        command.arg(CHILD).args(arguments).current_dir(folder);
        command.envs(CACHES.map(|name| (name, self.cache()))).env("OCL_ICD_VENDORS", vendors);
        command.stdout(create(&stdout)?).stderr(create(&stderr)?);
        let status = wait(command.spawn().map_err(|e| e.to_string())?, self.limit)?;
        let read = |path: &Path| String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned();
        let said = read(&stdout);
        let answers: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix(ANSWER)).collect();
        // A driver may crash in its destructors, after the measurement.
        if answers.is_empty() { Err(reason(status, &read(&stderr))) } else { Ok(answers.join("\n")) }
    }

    fn cache(&self) -> PathBuf {
        self.scratch.join("cache")
    }

    fn clear_caches(&self) -> Result<(), String> {
        let _ = fs::remove_dir_all(self.cache());
        fs::create_dir_all(self.cache()).map_err(|e| e.to_string())
    }

    /// Runs a child that builds the program of a case for a device.
    fn on(
        &self,
        device: &MeasuredDevice,
        case: &Case,
        task: &str,
        more: [&str; 2],
    ) -> Result<String, String> {
        let (index, file) = (device.index.to_string(), case.file.to_string_lossy());
        // Included files lie in the same folder.
        let folder = case.file.parent().unwrap_or(Path::new("/"));
        self.answer(&device.vendors, folder, &[task, &index, &file, more[0], more[1]])
    }

    /// The devices of each ICD file. An OpenCL without devices is reported.
    fn devices(&self) -> Result<Vec<MeasuredDevice>, String> {
        let vendors = cl::vendors();
        let entries = fs::read_dir(&vendors).map_err(|e| format!("{}: {e}", vendors.display()))?;
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|path| path.extension().is_some_and(|e| e == "icd"));
        files.sort();
        let mut devices = Vec::new();
        for (i, file) in files.iter().enumerate() {
            let alone = self.scratch.join(format!("vendors-{i}"));
            fs::create_dir_all(&alone).map_err(|e| e.to_string())?;
            fs::copy(file, alone.join("only.icd")).map_err(|e| format!("{}: {e}", file.display()))?;
            match self.answer(&alone, &self.scratch, &["list"]) {
                Ok(names) => devices.extend(names.lines().enumerate().map(|(index, name)| MeasuredDevice {
                    label: name.to_owned(),
                    vendors: alone.clone(),
                    index,
                })),
                Err(error) => println!("{}: {error}", file.display()),
            }
        }
        Ok(devices)
    }
}

/// Waits for the end of a process, or ends it.
fn wait(mut child: Child, limit: Duration) -> Result<ExitStatus, String> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            return Ok(status);
        }
        if start.elapsed() > limit {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("not done after {} s", limit.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// One line that tells why a process failed: its message, with the first error of a build log.
fn reason(status: ExitStatus, stderr: &str) -> String {
    let Some((_, message)) = stderr.split_once(ANSWER) else {
        return format!("{status} {}", stderr.lines().last().unwrap_or_default());
    };
    let mut lines = message.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let log: Vec<&str> = lines.collect();
    let detail = log.iter().find(|line| line.contains("error")).or(log.first()).unwrap_or(&"");
    format!("{first} {detail}").trim().chars().take(160).collect()
}

/// Costs on a device: with empty caches, and with those of such a run.
struct Row<'a> {
    device: &'a MeasuredDevice,
    cold: Result<Costs, String>,
    warm: Result<Costs, String>,
}

impl Row<'_> {
    fn new(device: &MeasuredDevice) -> Row<'_> {
        Row { device, cold: Ok([Cost::NONE; 3]), warm: Ok([Cost::NONE; 3]) }
    }

    /// Adds a run, unless an earlier one has failed.
    fn measure(&mut self, runner: &Runner, case: &Case, launch: &str) -> Result<(), String> {
        runner.clear_caches()?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|e| e.to_string())?;
        let options = format!("{} -DBENCH_LAUNCH_SALT={}", case.options, now.as_nanos());
        for costs in [&mut self.cold, &mut self.warm] {
            let Ok(best) = costs else { break };
            let answer = runner.on(self.device, case, "times", [options.trim_start(), launch]);
            *costs = answer.and_then(|text| {
                let new = parse_costs(&text).ok_or_else(|| format!("unexpected answer: {text}"))?;
                Ok(std::array::from_fn(|i| best[i].best(new[i])))
            });
        }
        Ok(())
    }

    fn print(&self, number: usize) {
        let cells = |costs: &Costs| costs.map(Cost::cell).concat();
        let text = match (&self.cold, &self.warm) {
            (Ok(cold), Ok(warm)) => cells(cold) + &cells(warm),
            (Ok(cold), Err(error)) => format!("{}  {error}", cells(cold)),
            (Err(error), _) => format!("  {error}"),
        };
        println!("{:<36}{text}", self.device.short(number));
    }
}

impl MeasuredDevice {
    fn short(&self, number: usize) -> String {
        format!("({number}) {}", self.label).chars().take(35).collect()
    }
}

/// The launch of a program, as the first device describes it that can.
fn launch_of(runner: &Runner, case: &Case, devices: &[MeasuredDevice]) -> Result<GenericLaunch, String> {
    let mut errors = Vec::new();
    for (i, device) in devices.iter().enumerate() {
        runner.clear_caches()?;
        let options = format!("{} -cl-kernel-arg-info", case.options);
        let kernel = case.kernel.as_deref().unwrap_or_default();
        let answer = runner.on(device, case, "launch", [options.trim_start(), kernel]);
        match answer.and_then(|text| text.parse()) {
            Ok(launch) => return Ok(launch),
            Err(error) => errors.push(format!("{:<36}  {error}", device.short(i + 1))),
        }
    }
    Err(errors.join("\n"))
}

/// Measures a program and prints its table.
fn table(
    runner: &Runner,
    case: &Case,
    devices: &[MeasuredDevice],
    runs: usize,
    progress: &Progress,
) -> Result<(), String> {
    println!("\n{} (lines: {})", case.name, case.lines);
    let launch = match launch_of(runner, case, devices) {
        Ok(launch) => launch,
        Err(error) => {
            println!("{error}");
            return Ok(());
        }
    };
    println!("kernel {}", launch.kernel);
    let titles: String = TITLES.iter().map(|title| format!("{title:>width$}", width = Cost::CELL)).collect();
    println!("{:<36}{titles}", "wall / processor time, ms");
    let mut rows: Vec<Row<'_>> = devices.iter().map(Row::new).collect();
    for run in 0..runs {
        progress.begins(&format!("{}, run {} of {runs}", case.name, run + 1));
        for row in rows.iter_mut().filter(|row| row.cold.is_ok()) {
            row.measure(runner, case, &launch.to_string())?;
        }
    }
    progress.clear();
    for (i, row) in rows.iter().enumerate() {
        row.print(i + 1);
    }
    Ok(())
}

fn compare(settings: &Settings, scratch: &Path) -> Result<(), String> {
    let mut cases = Case::generated(scratch)?;
    for program in &settings.programs {
        cases.push(Case::named(program)?);
    }
    let runner = Runner { scratch: scratch.to_owned(), limit: settings.limit };
    runner.clear_caches()?;
    let devices = runner.devices()?;
    for (i, device) in devices.iter().enumerate() {
        println!("({}) {}", i + 1, device.label);
    }
    if devices.is_empty() {
        return Err("no OpenCL device found".into());
    }
    let items = cases.iter().map(|case| (case.name.clone(), None));
    let progress = Progress::new(false, "programs", 1, items);
    for case in &cases {
        let start = Instant::now();
        table(&runner, case, &devices, settings.runs, &progress)?;
        progress.done(&case.name, start.elapsed().as_secs_f64(), false);
        progress.clear();
    }
    Ok(())
}

/// The parent: prints a table for each program.
fn parent() -> Result<(), String> {
    let settings = Settings::read()?;
    let vendors = cl::offer_driver()?;
    let scratch = std::env::temp_dir().join(format!("pyroclast-bench-launch-{}", std::process::id()));
    fs::create_dir_all(&scratch).map_err(|e| format!("{}: {e}", scratch.display()))?;
    let result = compare(&settings, &scratch);
    for folder in [Some(scratch), vendors].into_iter().flatten() {
        let _ = fs::remove_dir_all(folder);
    }
    result
}

/// A child: `list`, `launch DEVICE FILE OPTIONS KERNEL` or `times DEVICE FILE OPTIONS LAUNCH`.
fn child(arguments: &[String]) -> Result<(), String> {
    let api = Api::load()?;
    let devices = api.devices()?;
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if arguments == ["list"] {
        for device in &devices {
            println!("{ANSWER}{}: {}", device.platform, device.name);
        }
        return Ok(());
    }
    let [task, device, file, options, what] = *arguments else { return Err("wrong arguments".into()) };
    let device = device.parse().ok().and_then(|i: usize| devices.get(i)).ok_or("no such device")?;
    let source = fs::read(file).map_err(|e| format!("{file}: {e}"))?;
    let (source, session) = (String::from_utf8_lossy(&source), Session::new(&api, device)?);
    match task {
        "launch" => {
            let program = session.build(&source, options)?;
            let launch = GenericLaunch::of(&program, (!what.is_empty()).then_some(what))?;
            println!("{ANSWER}{launch}");
        }
        _ => {
            let costs = measure(&session, &source, options, &what.parse()?)?;
            let numbers = costs.map(|cost| format!("{} {}", cost.wall, cost.processor));
            println!("{ANSWER}{}", numbers.join(" "));
        }
    }
    Ok(())
}

/// Costs of a program that this process has not built before.
fn measure(
    session: &Session<'_>,
    source: &str,
    options: &str,
    launch: &GenericLaunch,
) -> Result<Costs, String> {
    let arguments = launch.make_arguments(session)?;
    let (build, program) = Cost::of(|| session.build(source, options))?;
    let (first, kernel) = Cost::of(|| {
        let kernel = program.kernel(&launch.kernel)?;
        kernel.set(&arguments.list())?;
        launch.enqueue(&kernel)?;
        session.finish()?;
        Ok(kernel)
    })?;
    let again = || {
        launch.enqueue(&kernel)?;
        session.finish()
    };
    (2..10).try_for_each(|_| again())?;
    let (tenth, ()) = Cost::of(again)?;
    Ok([build, first, tenth])
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (prefix, result) = match arguments.split_first() {
        Some((first, rest)) if first == CHILD => (ANSWER, child(rest)),
        _ => ("", parent()),
    };
    if let Err(error) = &result {
        eprintln!("{prefix}{error}");
    }
    if result.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
