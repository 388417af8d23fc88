//! `cts`: runs binaries of OpenCL-CTS (test_conformance/SUITE/test_SUITE) on the driver through the system's loader,
//! with a time limit, and counts sub-tests by what the harness prints ("NAME passed", "NAME FAILED", "NAME skipped").

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Arguments of `cts`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Build folder of OpenCL-CTS
    #[arg(long, value_name = "DIR")]
    cts: PathBuf,
    /// The driver; by default libpyroclast.so beside this tool
    #[arg(long, value_name = "FILE")]
    driver: Option<PathBuf>,
    /// Seconds for one suite
    #[arg(long, default_value_t = 600)]
    limit: u64,
    /// Where the suites' output goes
    #[arg(long, value_name = "DIR")]
    logs: Option<PathBuf>,
    /// SUITE or SUITE:SUBTEST[,SUBTEST...]
    #[arg(default_values_t = ["basic", "api", "events", "buffers", "profiling", "computeinfo", "thread_dimensions"].map(String::from))]
    tests: Vec<String>,
}

/// Runs the suites; false if a sub-test failed or a suite crashed.
pub fn run(arguments: &Arguments) -> Result<bool, String> {
    let driver = match &arguments.driver {
        Some(path) => path.clone(),
        None => {
            let own = std::env::current_exe().map_err(|e| e.to_string())?;
            own.with_file_name("libpyroclast.so")
        }
    };
    let driver = driver.canonicalize().map_err(|e| format!("{}: {e}", driver.display()))?;
    let scratch = std::env::temp_dir().join(format!("pyroclast-cts-{}", std::process::id()));
    let vendors = scratch.join("vendors");
    std::fs::create_dir_all(&vendors).map_err(|e| format!("{}: {e}", vendors.display()))?;
    std::fs::write(vendors.join("pyroclast.icd"), format!("{}\n", driver.display())).map_err(|e| e.to_string())?;
    let logs = arguments.logs.clone().unwrap_or_else(|| scratch.clone());
    std::fs::create_dir_all(&logs).map_err(|e| format!("{}: {e}", logs.display()))?;
    let mut total = Counts::default();
    let mut good = true;
    println!("{:<32} {:>6} {:>6} {:>6}  ended", "suite", "pass", "fail", "skip");
    for test in &arguments.tests {
        let (suite, subtests) = test.split_once(':').unwrap_or((test, ""));
        let Some(binary) = find(&arguments.cts, suite) else {
            println!("{suite:<32} no test_{suite} below {}", arguments.cts.display());
            good = false;
            continue;
        };
        let log = logs.join(format!("{suite}.log"));
        let file = std::fs::File::create(&log).map_err(|e| format!("{}: {e}", log.display()))?;
        let errors = file.try_clone().map_err(|e| e.to_string())?;
        let mut command = Command::new(&binary);
        command.args(subtests.split(',').filter(|s| !s.is_empty())).stdin(Stdio::null()).stdout(file).stderr(errors);
        command.env("OCL_ICD_VENDORS", &vendors).env_remove("OCL_ICD_FILENAMES");
        command.current_dir(binary.parent().unwrap_or(Path::new("/")));
        let ended = run_limited(&mut command, Duration::from_secs(arguments.limit)).map_err(|e| format!("{suite}: {e}"))?;
        let text = String::from_utf8_lossy(&std::fs::read(&log).unwrap_or_default()).into_owned();
        let counts = count(&text);
        let how = match ended {
            None => format!("stopped after {} s", arguments.limit),
            Some(status) => status.to_string(),
        };
        println!("{suite:<32} {:>6} {:>6} {:>6}  {how}", counts.passed, counts.failed.len(), counts.skipped);
        for name in &counts.failed {
            println!("    failed: {name}");
        }
        // A suite that failed has an exit status; one that crashed has none.
        good &= counts.failed.is_empty() && ended.is_some_and(|s| s.code().is_some());
        total.passed += counts.passed;
        total.skipped += counts.skipped;
        total.failed.extend(counts.failed);
    }
    println!("{:<32} {:>6} {:>6} {:>6}", "total", total.passed, total.failed.len(), total.skipped);
    if arguments.logs.is_some() {
        println!("logs in {}", logs.display());
    }
    let _ = std::fs::remove_dir_all(&scratch);
    Ok(good)
}

/// Results of sub-tests.
#[derive(Default, Debug, PartialEq, Eq)]
struct Counts {
    passed: usize,
    failed: Vec<String>,
    skipped: usize,
}

/// Counts the verdict lines of a suite's output.
fn count(text: &str) -> Counts {
    let mut counts = Counts::default();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let (Some(name), Some(verdict), None) = (words.next(), words.next(), words.next()) else { continue };
        match verdict {
            "passed" => counts.passed += 1,
            "FAILED" => counts.failed.push(name.to_owned()),
            "skipped" => counts.skipped += 1,
            _ => {}
        }
    }
    counts
}

/// The suite's binary, wherever below the build folder it is.
fn find(root: &Path, suite: &str) -> Option<PathBuf> {
    let name = format!("test_{suite}");
    let usual = root.join("test_conformance").join(suite).join(&name);
    if usual.is_file() {
        return Some(usual);
    }
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                Ok(kind) if kind.is_file() && entry.file_name() == *name => return Some(path),
                _ => {}
            }
        }
    }
    None
}

/// Runs a command to its end; `None` if it had to be stopped.
pub fn run_limited(command: &mut Command, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    let mut child: Child = command.spawn()?;
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_counted() {
        let text = "hostptr...\nhostptr passed\nfpmath FAILED\nimages skipped\nPASSED sub-test.\nPASSED 1 of 3 tests.\n";
        let want = Counts { passed: 1, failed: vec!["fpmath".into()], skipped: 1 };
        assert_eq!(count(text), want);
    }

    #[test]
    fn commands_are_stopped() {
        let slow = run_limited(Command::new("sleep").arg("1000"), Duration::from_millis(20));
        assert!(matches!(slow, Ok(None)));
        let quick = run_limited(&mut Command::new("true"), Duration::from_secs(300));
        assert!(matches!(quick, Ok(Some(status)) if status.success()));
    }
}
