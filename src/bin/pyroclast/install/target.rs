//! One place where the driver is or can be installed: what is there, and whose it is.

use super::files::{self, Record};
use super::platform::{Layout, Places, Scope, Width};
use std::fs;
use std::path::{Path, PathBuf};

/// An installation's paths, below a folder that stands for the root of the file system.
pub struct Target {
    pub scope: Scope,
    pub places: Places,
    root: Option<PathBuf>,
    /// The system's folder of .icd files.
    system_vendors: PathBuf,
}

/// Owner of an .icd file, by what it names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IcdOwner {
    /// The file does not exist.
    Nobody,
    /// This project; installed by hand or by this tool. The path is that of the driver.
    Ours(PathBuf),
    /// A package of this project: the file names the library without a folder.
    Package,
    /// Somebody else; the text is for error messages.
    Other(String),
}

/// State of one installation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum State {
    Absent,
    /// Complete.
    Installed(semver::Version),
    /// Managed by the system's package manager.
    Package,
    /// Incomplete; the text says what is wrong.
    Broken(String),
}

impl Target {
    /// The target for a scope. Fails on systems without an installer, or without a home folder.
    pub fn new(scope: Scope, width: Width, root: Option<PathBuf>) -> Result<Target, String> {
        let (layout, vendors) = Layout::here()?;
        let places = Places::new(&scope, width, layout, vendors)
            .ok_or("HOME is not set to an absolute path, so there is no folder of this user")?;
        Ok(Target { scope, places, root, system_vendors: vendors.into() })
    }

    /// Where a path lies at the moment: below the root folder.
    pub fn at(&self, path: &Path) -> PathBuf {
        match &self.root {
            Some(root) => root.join(path.strip_prefix("/").unwrap_or(path)),
            None => path.to_path_buf(),
        }
    }

    /// The record of the installation.
    pub fn record(&self) -> Option<Record> {
        Record::read(&self.at(&self.places.folder))
    }

    /// Options of this tool that select this target.
    pub fn options(&self) -> String {
        let root = self.root.as_ref().map_or(String::new(), |r| format!(" --root {}", r.display()));
        match &self.scope {
            Scope::System => format!("--system{root}"),
            Scope::User => format!("--user{root}"),
            Scope::Prefix(prefix) => format!("--prefix {}{root}", prefix.display()),
        }
    }

    /// The owner of an .icd file (a path without the root folder).
    pub fn icd_owner(&self, icd: &Path) -> IcdOwner {
        let path = self.at(icd);
        let Ok(data) = fs::symlink_metadata(&path) else { return IcdOwner::Nobody };
        if !data.is_file() {
            let kind = if data.is_symlink() { "a symbolic link" } else { "not a plain file" };
            return IcdOwner::Other(format!("it is {kind}"));
        }
        // An empty file names no driver: an interrupted copy by hand.
        let text = fs::read_to_string(&path).unwrap_or_default();
        let library = text.lines().next().unwrap_or_default().trim();
        let name = Path::new(library).file_name().unwrap_or_default().to_string_lossy();
        match library {
            "" if data.len() == 0 => IcdOwner::Ours(PathBuf::new()),
            _ if !name.starts_with("libpyroclast.so") => IcdOwner::Other(format!("it names '{library}'")),
            _ if library.contains('/') => IcdOwner::Ours(library.into()),
            _ => IcdOwner::Package,
        }
    }

    /// The .icd files of other drivers that everyone uses, without the root folder.
    pub fn system_icds(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.at(&self.system_vendors)).into_iter().flatten().flatten();
        let icds = entries.map(|e| self.system_vendors.join(e.file_name()));
        let mut icds: Vec<PathBuf> = icds.filter(|p| p.extension().is_some_and(|e| e == "icd")).collect();
        icds.retain(|p| matches!(self.icd_owner(p), IcdOwner::Other(_)));
        icds.sort();
        icds
    }

    /// The installation's state.
    pub fn state(&self) -> State {
        let places = &self.places;
        let library = self.at(&places.library);
        let record = self.record();
        let fix = format!("run `pyroclast install {}` to repair it", self.options());
        let broken = |what: String| State::Broken(format!("{what}; {fix}"));
        match self.icd_owner(&places.icd) {
            IcdOwner::Package => State::Package,
            IcdOwner::Nobody | IcdOwner::Other(_) if record.is_none() && !library.exists() => State::Absent,
            IcdOwner::Nobody => broken(format!("{} is missing", places.icd.display())),
            IcdOwner::Other(why) => State::Broken(format!(
                "{} is of another driver ({why}); remove it, or run `pyroclast uninstall {}`",
                places.icd.display(),
                self.options()
            )),
            IcdOwner::Ours(named) if named.as_os_str().is_empty() => {
                broken(format!("{} is empty", places.icd.display()))
            }
            IcdOwner::Ours(named) if named != places.library => match files::examine(&self.at(&named)) {
                Ok(driver) => State::Installed(driver.version),
                Err(why) => broken(format!("{}: {why}", places.icd.display())),
            },
            IcdOwner::Ours(_) => {
                let missing = |r: &Record| {
                    let gone = |f: &&PathBuf| self.at(f).symlink_metadata().is_err();
                    r.files.iter().find(gone).cloned()
                };
                match (files::examine(&library), record.as_ref().and_then(missing)) {
                    (Err(why), _) => broken(why),
                    (Ok(_), Some(file)) => broken(format!("{} is missing", file.display())),
                    (Ok(driver), None) => State::Installed(driver.version),
                }
            }
        }
    }

    /// Links that the .icd files of other drivers need in this user's folder: loaders read one folder only.
    pub fn missing_links(&self) -> Vec<PathBuf> {
        if self.scope != Scope::User {
            return Vec::new();
        }
        let has_link = |icd: &PathBuf| {
            let name = icd.file_name().unwrap_or_default();
            self.at(&self.places.vendors).join(name).symlink_metadata().is_ok()
        };
        self.system_icds().into_iter().filter(|icd| !has_link(icd)).collect()
    }
}
