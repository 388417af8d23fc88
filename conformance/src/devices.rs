//! The devices that the loader finds, as seen by child processes of this tool: this process never opens a
//! device.

use crate::suite::{AREAS, Context, Sink, raw};
use indexmap::IndexMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use test_support::cl::{Api, Device};

/// Folder of an ICD file, removed on drop.
pub struct Vendors(PathBuf);

impl Drop for Vendors {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Restricts child processes started from now on to the named driver.
pub fn offer(driver: &Path) -> Result<Vendors, String> {
    let driver = driver.canonicalize().map_err(|e| format!("{}: {e}", driver.display()))?;
    let folder = std::env::temp_dir().join(format!("pyroclast-conformance-vendors-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let vendors = Vendors(folder);
    std::fs::write(vendors.0.join("driver.icd"), format!("{}\n", driver.display()))
        .map_err(|e| e.to_string())?;
    // SAFETY: no other thread runs yet. Two loaders, two variables.
    unsafe {
        std::env::set_var("OCL_ICD_VENDORS", &vendors.0);
        std::env::set_var("OCL_ICD_FILENAMES", &driver);
    }
    Ok(vendors)
}

/// A device of the loader.
#[derive(Clone, Debug)]
pub struct Found {
    /// Number of the device, counted over all platforms.
    pub index: usize,
    /// Number of its platform, and its number there.
    pub loader_index: (usize, usize),
    pub name: String,
    pub platform: String,
}

/// A child process's report of a device: all devices, the facts of this one, and its tests.
pub struct Listing {
    pub devices: Vec<Found>,
    pub facts: IndexMap<String, String>,
    /// Areas and names.
    pub tests: Vec<(String, String)>,
}

impl Listing {
    /// Listing of a device chosen by number or by a part of the name of device or platform.
    pub fn of(chosen: &str, full: bool) -> Result<(usize, Listing), String> {
        let first = Listing::ask(0, full)?;
        let fits = |d: &&Found| {
            d.index.to_string() == chosen || d.name.contains(chosen) || d.platform.contains(chosen)
        };
        let index =
            first.devices.iter().find(fits).ok_or_else(|| format!("no device fits '{chosen}'"))?.index;
        Ok((index, if index == 0 { first } else { Listing::ask(index, full)? }))
    }

    pub fn ask(device: usize, full: bool) -> Result<Listing, String> {
        let mut command = Command::new(std::env::current_exe().map_err(|e| e.to_string())?);
        command.args(["run-area", &device.to_string()]).stdin(Stdio::null());
        if full {
            command.arg("--full");
        }
        let output = command.output().map_err(|e| e.to_string())?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr);
            return Err(format!("no device could be used ({}): {text}", output.status));
        }
        Ok(Listing::parse(&String::from_utf8_lossy(&output.stdout)))
    }

    fn parse(text: &str) -> Listing {
        let mut listing = Listing { devices: Vec::new(), facts: IndexMap::new(), tests: Vec::new() };
        for line in text.lines() {
            match *line.split('\t').collect::<Vec<_>>() {
                ["device", platform_index, in_platform, name, platform] => listing.devices.push(Found {
                    index: listing.devices.len(),
                    loader_index: (platform_index.parse().unwrap_or(0), in_platform.parse().unwrap_or(0)),
                    name: name.into(),
                    platform: platform.into(),
                }),
                ["fact", name, value] => _ = listing.facts.insert(name.into(), value.into()),
                ["test", area, name] => listing.tests.push((area.into(), name.into())),
                _ => {}
            }
        }
        listing
    }

    /// Facts for the report: device, this tool, and the compiler if the driver is ours.
    pub fn facts(&self, mode: &str) -> IndexMap<String, String> {
        let mut facts = self.facts.clone();
        facts.insert("mode".into(), mode.into());
        facts.insert("date".into(), today());
        let tool = concat!("conformance ", env!("CARGO_PKG_VERSION"), " at ", env!("CONFORMANCE_COMMIT"));
        facts.insert("tool".into(), tool.into());
        if facts.get("platform").is_some_and(|p| p == "Pyroclast") {
            facts.extend(compiler().map(|text| ("compiler".to_owned(), text)));
        }
        facts
    }
}

/// In a child process: prints the text that [`Listing`] parses.
pub fn list(devices: &[Device], context: &Context<'_>) {
    let one_line = |text: &str| text.replace(['\t', '\n'], " ");
    let platforms = raw::platforms();
    let mut seen = vec![0; platforms.len() + 1];
    for d in devices {
        let of = raw::device_number(d.id, raw::CL_DEVICE_PLATFORM) as usize;
        let platform = platforms.iter().position(|p| *p as usize == of).unwrap_or(platforms.len());
        println!("device\t{platform}\t{}\t{}\t{}", seen[platform], one_line(&d.name), one_line(&d.platform));
        seen[platform] += 1;
    }
    let device = context.device;
    let text = |name| raw::device_text(device.id, name);
    let number = |name| raw::device_number(device.id, name).to_string();
    for (name, value) in [
        ("device", device.name.clone()),
        ("platform", device.platform.clone()),
        ("vendor", text(raw::CL_DEVICE_VENDOR)),
        ("device version", text(raw::CL_DEVICE_VERSION)),
        ("driver version", text(raw::CL_DRIVER_VERSION)),
        ("OpenCL C", text(raw::CL_DEVICE_OPENCL_C_VERSION)),
        ("intermediate languages", text(raw::CL_DEVICE_IL_VERSION)),
        ("compute units", number(raw::CL_DEVICE_MAX_COMPUTE_UNITS)),
        ("largest work-group", number(raw::CL_DEVICE_MAX_WORK_GROUP_SIZE)),
        (
            "global memory, MiB",
            (raw::device_number(device.id, raw::CL_DEVICE_GLOBAL_MEM_SIZE) >> 20).to_string(),
        ),
        ("extensions", text(raw::CL_DEVICE_EXTENSIONS)),
    ] {
        println!("fact\t{name}\t{}", one_line(&value));
    }
    for (area, tests) in AREAS {
        let mut sink = Sink::listing();
        tests(context, &mut sink);
        sink.names.iter().for_each(|name| println!("test\t{area}\t{name}"));
    }
}

/// In a child process: the loader and one of its devices.
pub fn in_child<R>(index: usize, use_it: impl FnOnce(&Api, &[Device], &Device) -> R) -> Result<R, String> {
    let api = Api::load()?;
    let devices = api.devices()?;
    let device = devices.get(index).ok_or("no such device")?;
    Ok(use_it(&api, &devices, device))
}

/// Today, by the calendar: days since 1970 as year, month and day.
fn today() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH);
    let days = since.map_or(0, |d| d.as_secs() / 86400) as i64;
    // Years that begin in March: the day that leap years add is the last.
    let z = days + 719_468;
    let (era, day) = (z.div_euclid(146_097), z.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let rest = day - (365 * year + year / 4 - year / 100);
    let month = (5 * rest + 2) / 153;
    let date = rest - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    format!("{:04}-{month:02}-{date:02}", era * 400 + year + i64::from(month <= 2))
}

/// The front end's version, which our driver's results depend on.
fn compiler() -> Option<String> {
    let clang = clspv_bridge::front::clang::find(&clspv_bridge::options::FrontConfig::default())?;
    let output = Command::new(clang).arg("--version").output().ok()?;
    String::from_utf8_lossy(&output.stdout).lines().next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listings_are_read() {
        let text = "noise\ndevice\t0\t0\tA\tP\ndevice\t1\t0\tB\tQ\nfact\tdevice\tA\ntest\tapi\tone two\n";
        let listing = Listing::parse(text);
        assert_eq!(
            listing.devices.iter().map(|d| (d.index, d.loader_index)).collect::<Vec<_>>(),
            [(0, (0, 0)), (1, (1, 0))]
        );
        assert_eq!((listing.devices[1].name.as_str(), listing.devices[1].platform.as_str()), ("B", "Q"));
        assert_eq!((listing.facts["device"].as_str(), listing.tests[0].1.as_str()), ("A", "one two"));
    }

    #[test]
    fn dates() {
        assert!(today().as_str() > "2025-01-01" && today().len() == 10);
    }
}
