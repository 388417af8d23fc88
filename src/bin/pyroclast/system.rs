//! The OpenCL installation of this machine, as `pyroclast info` and `install` describe it: what is there,
//! what is missing, and what to do about it.

use super::install;
use super::install::platform::{Layout, Package, install_command};
use super::install::target::{State, Target};
use super::loader_probe::{self, LoaderReport};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Folders with the descriptions of Vulkan drivers.
const VULKAN_DRIVERS: &[&str] =
    &["/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"];

/// An .icd file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VendorFile {
    pub file: PathBuf,
    pub library: String,
}

/// An installation of this driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Installation {
    /// Options of `pyroclast install` that select it.
    pub place: String,
    pub state: &'static str,
    /// Folder of its .icd file.
    pub vendors: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Facts about the machine.
#[derive(Clone, Debug, Serialize)]
pub struct Survey {
    pub installations: Vec<Installation>,
    /// The folder (or file) from which loaders take the drivers.
    pub vendors: PathBuf,
    pub vendor_files: Vec<VendorFile>,
    pub loader: Option<LoaderReport>,
    pub vulkan_loader: bool,
    pub vulkan_drivers: bool,
    #[serde(skip)]
    os_release: String,
}

impl Survey {
    /// Examines this machine.
    pub fn new() -> Survey {
        let vendors = ["OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"].iter().find_map(std::env::var_os);
        let vendors = vendors.map_or_else(|| "/etc/OpenCL/vendors".into(), PathBuf::from);
        let has_json = |folder: &&str| {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            entries.map(|e| e.path()).any(|p| p.extension().is_some_and(|e| e == "json"))
        };
        let named = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].iter().any(|v| std::env::var_os(v).is_some());
        let loader = Layout::here().map_or("libOpenCL.so.1", |(layout, _)| layout.loader);
        Survey {
            installations: install::targets().iter().filter_map(installation).collect(),
            vendor_files: vendor_files(&vendors),
            vendors,
            loader: loader_probe::probe(loader),
            vulkan_loader: ash_loads(),
            vulkan_drivers: named || VULKAN_DRIVERS.iter().any(has_json),
            os_release: std::fs::read_to_string("/etc/os-release").unwrap_or_default(),
        }
    }

    /// Whether the loader lists this driver.
    pub fn is_listed(&self) -> bool {
        self.loader.as_ref().is_some_and(|l| l.platforms.iter().any(|p| p.version.contains("Pyroclast")))
    }
}

/// Whether the Vulkan loader can be opened.
fn ash_loads() -> bool {
    // SAFETY: the system's Vulkan loader is as trusted as in any Vulkan program.
    unsafe { libloading::Library::new("libvulkan.so.1") }.is_ok()
}

fn installation(target: &Target) -> Option<Installation> {
    let (state, version, problem) = match target.state() {
        State::Absent => return None,
        State::Installed(version) => ("installed", Some(version.to_string()), None),
        State::Package => ("package", None, None),
        State::Broken(why) => ("broken", None, Some(why)),
    };
    let links = target.missing_links();
    let problem = problem.or_else(|| {
        let first = links.first()?.display();
        Some(format!(
            "{first} was installed later and is not among this user's drivers; run `pyroclast install {}`",
            target.options()
        ))
    });
    let vendors = target.places.vendors.clone();
    Some(Installation { place: target.options(), state, vendors, version, problem })
}

/// The .icd files of a folder, or the file itself.
fn vendor_files(vendors: &Path) -> Vec<VendorFile> {
    let entries = std::fs::read_dir(vendors).into_iter().flatten().flatten().map(|e| e.path());
    let mut files: Vec<PathBuf> = entries.collect();
    if vendors.is_file() {
        files.push(vendors.to_path_buf());
    }
    files.retain(|p| p.extension().is_some_and(|e| e == "icd"));
    files.sort();
    let library = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        text.lines().next().unwrap_or_default().trim().to_string()
    };
    files.into_iter().map(|file| VendorFile { library: library(&file), file }).collect()
}

/// Defects of the machine, each with one thing to do; the most important first.
pub fn problems(survey: &Survey) -> Vec<String> {
    let mut problems: Vec<String> = survey.installations.iter().filter_map(|i| i.problem.clone()).collect();
    let install = |package, otherwise: &str| {
        let command = install_command(&survey.os_release, package);
        command.map_or_else(|| otherwise.to_string(), |c| format!("run `{c}`"))
    };
    if survey.loader.is_none() {
        let what = install(Package::OpenClLoader, "install the package of ocl-icd");
        problems
            .push(format!("There is no OpenCL loader (libOpenCL.so.1), which OpenCL programs need; {what}"));
    }
    if let Some(problem) = survey.loader.as_ref().and_then(|l| l.problem.as_ref()) {
        problems.push(format!(
            "The OpenCL loader cannot list its drivers: {problem}; `pyroclast run -- PROGRAM` leaves the \
             others out"
        ));
    }
    if survey.installations.is_empty() && !survey.is_listed() {
        problems.push(
            "Pyroclast is not installed; run `pyroclast install`, or start programs by \
             `pyroclast run -- PROGRAM`"
                .to_string(),
        );
    }
    if !survey.vulkan_loader {
        let what = install(Package::VulkanLoader, "install the Vulkan loader");
        problems.push(format!("There is no Vulkan loader (libvulkan.so.1), so GPUs cannot be used; {what}"));
    } else if !survey.vulkan_drivers {
        let what = install(Package::VulkanDriver, "install your GPU's Vulkan driver");
        problems.push(format!("There is no Vulkan driver, so GPUs cannot be used; {what}"));
    }
    problems
}

/// The remedy if the driver is installed and the loader does not list it.
pub fn not_listed(survey: &Survey) -> Option<String> {
    let answers = survey.loader.as_ref().is_some_and(|l| l.problem.is_none());
    let whole = survey.installations.iter().find(|i| i.state != "broken")?;
    if !answers || survey.is_listed() {
        return None;
    }
    let read = survey.vendors.display();
    let remedy = match survey.vendors == whole.vendors {
        true => "run `PYROCLAST_LOG=debug clinfo -l` to see why it does not start".to_string(),
        false => format!("run `export OCL_ICD_VENDORS={}`, or log in anew", whole.vendors.display()),
    };
    Some(format!("The OpenCL loader does not list Pyroclast: it takes its drivers from {read}; {remedy}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survey() -> Survey {
        let platform = loader_probe::PlatformReport {
            name: "Pyroclast".into(),
            version: "OpenCL 3.1 Pyroclast 0.1.0".into(),
            devices: 1,
        };
        Survey {
            installations: vec![Installation {
                place: "--system".into(),
                state: "installed",
                vendors: "/etc/OpenCL/vendors".into(),
                version: Some("0.1.0".into()),
                problem: None,
            }],
            vendors: "/etc/OpenCL/vendors".into(),
            vendor_files: Vec::new(),
            loader: Some(LoaderReport { platforms: vec![platform], ..LoaderReport::default() }),
            vulkan_loader: true,
            vulkan_drivers: true,
            os_release: "ID=debian".into(),
        }
    }

    #[test]
    fn a_complete_machine_has_no_problems() {
        assert_eq!(problems(&survey()), Vec::<String>::new());
    }

    #[test]
    fn each_defect_has_its_remedy() {
        let text = |change: fn(&mut Survey)| {
            let mut survey = survey();
            change(&mut survey);
            problems(&survey).join("\n")
        };
        assert!(text(|s| s.loader = None).contains("sudo apt install ocl-icd-libopencl1"));
        assert!(text(|s| s.vulkan_loader = false).contains("sudo apt install libvulkan1"));
        assert!(text(|s| s.vulkan_drivers = false).contains("mesa-vulkan-drivers"));
        let unlisted = |change: fn(&mut Survey)| {
            let mut survey = Survey { loader: Some(LoaderReport::default()), ..survey() };
            change(&mut survey);
            not_listed(&survey).unwrap_or_default()
        };
        assert!(unlisted(|_| ()).contains("clinfo"));
        assert!(unlisted(|s| s.vendors = "/x".into()).contains("export OCL_ICD_VENDORS=/etc/OpenCL/vendors"));
        assert_eq!(unlisted(|s| s.installations.clear()), "");
        assert_eq!(not_listed(&survey()), None);
        let absent = |s: &mut Survey| {
            s.installations.clear();
            s.loader = Some(LoaderReport::default());
        };
        assert!(text(absent).contains("pyroclast install"));
        let crash = |s: &mut Survey| {
            let loader = s.loader.get_or_insert_default();
            loader.problem = Some("a driver ended".into());
        };
        assert!(text(crash).contains("cannot list its drivers"));
    }
}
