//! Where operating systems keep OpenCL drivers: one [`Layout`] each, and the paths of an installation.
//!
//! Sources: Khronos' "OpenCL ICD Installation Guidelines" and the loaders' documentation.

use std::path::{Path, PathBuf};

/// How the OpenCL loader of an operating system finds drivers.
pub struct Layout {
    /// Name as in [`std::env::consts::OS`].
    pub os: &'static str,
    /// File name of the installed driver.
    pub library: &'static str,
    /// File name of the loader.
    pub loader: &'static str,
    /// Registration of a driver.
    pub registration: Registration,
}

/// Registration of a driver with the loader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Registration {
    /// A folder of .icd files; each holds the path or soname of one driver.
    VendorFiles { folder: &'static str },
    /// Values of a registry key: the name is the path of a driver, the value the DWORD 0. 32-bit drivers on
    /// 64-bit systems have a key of their own.
    RegistryValues { key: &'static str, key_32: &'static str },
    /// The driver takes the loader's place, in one folder for each width.
    LoaderFile { folder_64: &'static str, folder_32: &'static str },
}

/// All layouts.
const LAYOUTS: &[Layout] = &[
    Layout {
        os: "linux",
        library: "libpyroclast.so.1",
        loader: "libOpenCL.so.1",
        registration: Registration::VendorFiles { folder: "/etc/OpenCL/vendors" },
    },
    Layout {
        os: "android",
        library: "libOpenCL.so",
        loader: "libOpenCL.so",
        registration: Registration::LoaderFile { folder_64: "/vendor/lib64", folder_32: "/vendor/lib" },
    },
    Layout {
        os: "windows",
        library: "pyroclast.dll",
        loader: "OpenCL.dll",
        registration: Registration::RegistryValues {
            key: r"HKLM\SOFTWARE\Khronos\OpenCL\Vendors",
            key_32: r"HKLM\SOFTWARE\WOW6432Node\Khronos\OpenCL\Vendors",
        },
    },
];

impl Layout {
    /// The layout of an operating system.
    pub fn of(os: &str) -> Option<&'static Layout> {
        LAYOUTS.iter().find(|l| l.os == os)
    }

    /// The layout of this machine, whose loader reads .icd files: others have no installer yet.
    pub fn here() -> Result<(&'static Layout, &'static str), String> {
        let os = std::env::consts::OS;
        match Layout::of(os).map(|l| (l, l.registration)) {
            Some((layout, Registration::VendorFiles { folder })) => Ok((layout, folder)),
            Some((layout, Registration::RegistryValues { key, key_32 })) => Err(format!(
                "there is no installer for {os} yet: add the path of {} to {key} (32-bit: {key_32})",
                layout.library
            )),
            Some((layout, Registration::LoaderFile { folder_64, folder_32 })) => Err(format!(
                "there is no installer for {os} yet: the driver belongs into {folder_64} (32-bit: \
                 {folder_32}) as {}",
                layout.library
            )),
            None => Err(format!("there is no installer for {os}: use `pyroclast run -- PROGRAM`")),
        }
    }
}

/// For whom the driver is installed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Everyone, in /usr/local.
    System,
    /// This user, in the home folder.
    User,
    /// Everyone, in this folder.
    Prefix(PathBuf),
}

/// Width of the code in a driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    Bits64,
    Bits32,
}

/// Paths of one installation, as programs will see them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Places {
    /// Folder of the driver and of the record of the installation. Nothing else is in it.
    pub folder: PathBuf,
    /// `folder` of the other width.
    pub sibling: PathBuf,
    pub library: PathBuf,
    /// The command-line tool.
    pub tool: PathBuf,
    /// Folder of .icd files.
    pub vendors: PathBuf,
    pub icd: PathBuf,
    /// File of environment variables, for loaders that would not look into `vendors`.
    pub environment: Option<PathBuf>,
}

impl Places {
    /// The paths for a scope. `None` if the home folder is unknown.
    pub fn new(scope: &Scope, width: Width, layout: &Layout, vendors: &str) -> Option<Places> {
        let system_vendors = PathBuf::from(vendors);
        let (prefix, vendors, environment) = match scope {
            Scope::System => (PathBuf::from("/usr/local"), system_vendors, None),
            Scope::Prefix(prefix) if is_standard(prefix) => (prefix.clone(), system_vendors, None),
            Scope::Prefix(prefix) => (prefix.clone(), prefix.join("etc/OpenCL/vendors"), None),
            Scope::User => {
                let home = absolute("HOME")?;
                let config = absolute("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
                let environment = config.join("environment.d/60-pyroclast.conf");
                (home.join(".local"), config.join("OpenCL/vendors"), Some(environment))
            }
        };
        const FOLDER_64: &str = "lib/pyroclast";
        const FOLDER_32: &str = "lib/pyroclast32";
        let (folder, sibling, icd) = match width {
            Width::Bits64 => (FOLDER_64, FOLDER_32, "pyroclast.icd"),
            Width::Bits32 => (FOLDER_32, FOLDER_64, "pyroclast32.icd"),
        };
        let folder = prefix.join(folder);
        Some(Places {
            library: folder.join(layout.library),
            tool: prefix.join("bin/pyroclast"),
            icd: vendors.join(icd),
            folder,
            sibling: prefix.join(sibling),
            vendors,
            environment,
        })
    }
}

/// Prefixes whose configuration lies in /etc.
fn is_standard(prefix: &Path) -> bool {
    prefix == Path::new("/usr") || prefix == Path::new("/usr/local")
}

/// An absolute path in an environment variable.
fn absolute(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|p| p.is_absolute())
}

/// The command that installs a package on this distribution, from the ids in its os-release.
pub fn install_command(os_release: &str, package: Package) -> Option<String> {
    let value = |key: &str| {
        let line = os_release.lines().find_map(|l| l.strip_prefix(key)?.strip_prefix('='));
        line.unwrap_or_default().trim_matches('"').to_string()
    };
    let ids = format!("{} {}", value("ID"), value("ID_LIKE"));
    let (command, names) = ids.split_whitespace().find_map(|id| {
        let row = DISTRIBUTIONS.iter().find(|(ids, ..)| ids.contains(&id))?;
        Some((row.1, row.2))
    })?;
    Some(format!("{command} {}", names[package as usize]))
}

/// Packages that Pyroclast may lack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Package {
    OpenClLoader,
    VulkanLoader,
    VulkanDriver,
}

/// Ids of distributions, the command that installs packages, and their names in the order of [`Package`].
type Distribution = (&'static [&'static str], &'static str, [&'static str; 3]);
const DISTRIBUTIONS: &[Distribution] = &[
    (&["debian", "ubuntu"], "sudo apt install", ["ocl-icd-libopencl1", "libvulkan1", "mesa-vulkan-drivers"]),
    (&["fedora", "rhel", "centos"], "sudo dnf install", ["ocl-icd", "vulkan-loader", "mesa-vulkan-drivers"]),
    (&["arch"], "sudo pacman -S", ["ocl-icd", "vulkan-icd-loader", "vulkan-swrast"]),
    (&["suse", "opensuse"], "sudo zypper install", ["libOpenCL1", "libvulkan1", "libvulkan_lvp"]),
    (&["alpine"], "doas apk add", ["opencl-icd-loader", "vulkan-loader", "mesa-vulkan-swrast"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_system_has_its_own_rules() {
        let of = |os| Layout::of(os).map(|l| l.registration);
        assert_eq!(of("linux"), Some(Registration::VendorFiles { folder: "/etc/OpenCL/vendors" }));
        assert!(matches!(of("windows"), Some(Registration::RegistryValues { key, key_32 }) if key != key_32));
        assert!(matches!(of("android"), Some(Registration::LoaderFile { folder_32: "/vendor/lib", .. })));
        assert_eq!(of("plan9"), None);
    }

    #[test]
    fn widths_and_prefixes_have_their_own_files() {
        let (layout, vendors) = Layout::here().expect("Linux");
        let places = |scope, width| Places::new(&scope, width, layout, vendors).expect("paths");
        let (wide, narrow) = (places(Scope::System, Width::Bits64), places(Scope::System, Width::Bits32));
        assert_eq!(wide.icd, Path::new("/etc/OpenCL/vendors/pyroclast.icd"));
        assert_eq!(narrow.icd, Path::new("/etc/OpenCL/vendors/pyroclast32.icd"));
        assert!(wide.library != narrow.library && wide.vendors == narrow.vendors);
        assert_eq!(places(Scope::Prefix("/usr".into()), Width::Bits64).vendors, wide.vendors);
        let opt = places(Scope::Prefix("/opt/x".into()), Width::Bits64);
        assert_eq!(opt.icd, Path::new("/opt/x/etc/OpenCL/vendors/pyroclast.icd"));
        assert_eq!(opt.library, Path::new("/opt/x/lib/pyroclast/libpyroclast.so.1"));
    }

    #[test]
    fn distributions_have_their_package_names() {
        let command = |text| install_command(text, Package::OpenClLoader);
        assert_eq!(command("ID=debian\n").as_deref(), Some("sudo apt install ocl-icd-libopencl1"));
        let mint = "NAME=\"Linux Mint\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n";
        assert_eq!(command(mint).as_deref(), Some("sudo apt install ocl-icd-libopencl1"));
        assert_eq!(command("ID=arch").as_deref(), Some("sudo pacman -S ocl-icd"));
        assert_eq!(command("ID=unheard-of"), None);
    }
}
