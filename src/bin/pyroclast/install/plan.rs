//! Steps of an installation and its removal: planned without changing anything, then executed in an order
//! that leaves a usable or a repairable state wherever it is interrupted.
//!
//! The record is written first, the .icd file last: a loader sees a driver only when it is complete. Removal
//! goes the other way.

use super::files::{self, Content, Record};
use super::platform::Scope;
use super::target::{IcdOwner, Target};
use std::fs;
use std::path::{Path, PathBuf};

/// One step; paths are without the root folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    Folder(PathBuf),
    Write {
        path: PathBuf,
        content: Content,
        replaces: bool,
    },
    Keep(PathBuf),
    Remove(PathBuf),
    /// Removes a folder if it is empty.
    RemoveFolder(PathBuf),
}

impl Step {
    /// A line for the user.
    pub fn text(&self) -> String {
        match self {
            Step::Folder(path) => format!("create  {}/", path.display()),
            Step::Write { path, replaces: false, .. } => format!("create  {}", path.display()),
            Step::Write { path, .. } => format!("replace {}", path.display()),
            Step::Keep(path) => format!("keep    {}", path.display()),
            Step::Remove(path) => format!("remove  {}", path.display()),
            Step::RemoveFolder(path) => format!("remove  {}/", path.display()),
        }
    }
}

/// Files that are installed, with the one that makes the driver visible at the end.
fn wanted(target: &Target, driver: &Path, tool: Option<&Path>) -> Vec<(PathBuf, Content)> {
    let places = &target.places;
    let copy = |source: &Path, executable| Content::Copy { source: source.to_path_buf(), executable };
    let mut files = vec![(places.library.clone(), copy(driver, false))];
    files.extend(tool.map(|tool| (places.tool.clone(), copy(tool, true))));
    if target.scope == Scope::User {
        for icd in target.system_icds() {
            let link = places.vendors.join(icd.file_name().unwrap_or_default());
            // A file of that name that the user made takes precedence over the system's.
            let at = target.at(&link);
            if at.symlink_metadata().is_err() || fs::read_link(at).is_ok_and(|t| t == icd) {
                files.push((link, Content::Link(icd)));
            }
        }
    }
    if let Some(path) = &places.environment {
        let text = format!(
            "# Lets OpenCL loaders find the drivers of this user. Written by `pyroclast install --user`.\n\
             OCL_ICD_VENDORS=\"{}\"\n",
            places.vendors.display()
        );
        files.push((path.clone(), Content::Text(text)));
    }
    files.push((places.icd.clone(), Content::Text(format!("{}\n", places.library.display()))));
    files
}

/// Plans an installation. Fails, saying what to do, if it would overwrite a file of others, a package's, or
/// a newer version.
pub fn install(target: &Target, driver: &Path, tool: Option<&Path>) -> Result<Vec<Step>, String> {
    let new = files::examine(driver)?;
    let record = target.record().unwrap_or_default();
    let files = wanted(target, driver, tool);
    check_icd(target, &new.version)?;
    for (path, content) in &files {
        check_file(target, path, content, &record, &new.version)?;
    }
    // Folders that both widths need are in both records: the last one removed removes them.
    let sibling = Record::read(&target.at(&target.places.sibling)).unwrap_or_default();
    let mut folders = record.folders.clone();
    folders.extend(sibling.folders.into_iter().filter(|f| files.iter().any(|(path, _)| path.starts_with(f))));
    folders.retain(|f| target.at(f).is_dir());
    let mut new_folders = Vec::new();
    for folder in files.iter().filter_map(|(p, _)| p.parent()) {
        for folder in missing_folders(target, folder) {
            if !folders.contains(&folder) {
                folders.push(folder.clone());
                new_folders.push(folder);
            }
        }
    }
    folders.sort();
    folders.dedup();
    // The folder of the record and its parents, the record, then everything that it names.
    let (mut steps, later): (Vec<Step>, Vec<Step>) = new_folders
        .into_iter()
        .map(Step::Folder)
        .partition(|s| matches!(s, Step::Folder(f) if target.places.folder.starts_with(f)));
    let paths: Vec<PathBuf> = files.iter().map(|(path, _)| path.clone()).collect();
    let stale: Vec<PathBuf> = record.files.iter().filter(|f| !paths.contains(f)).cloned().collect();
    let text = Record { version: new.version.to_string(), files: paths.clone(), folders }.text()?;
    let write = |(path, content): (PathBuf, Content)| match content.is_at(&target.at(&path)) {
        true => Step::Keep(path),
        false => Step::Write { replaces: target.at(&path).symlink_metadata().is_ok(), path, content },
    };
    steps.push(write((Record::path(&target.places.folder), Content::Text(text))));
    steps.extend(later);
    steps.extend(files.into_iter().map(write));
    let leftovers = paths.iter().filter_map(|p| leftover(target, p));
    let stale = stale.into_iter().filter(|p| target.at(p).symlink_metadata().is_ok());
    steps.extend(stale.chain(leftovers).map(Step::Remove));
    Ok(steps)
}

/// The .icd file may be absent or ours, and must not name a newer version.
fn check_icd(target: &Target, version: &semver::Version) -> Result<(), String> {
    let icd = &target.places.icd;
    match target.icd_owner(icd) {
        IcdOwner::Nobody => Ok(()),
        IcdOwner::Package => Err(format!(
            "{} is of a package of Pyroclast: update or remove it with the package manager, or use \
             `--user` to install this version for yourself",
            icd.display()
        )),
        IcdOwner::Other(why) => Err(format!(
            "{} is not ours ({why}) and stays as it is: move it away if it is not needed, then run this \
             again",
            icd.display()
        )),
        IcdOwner::Ours(library) => check_version(target, &library, version),
    }
}

/// No newer version is overwritten.
fn check_version(target: &Target, library: &Path, version: &semver::Version) -> Result<(), String> {
    match files::examine(&target.at(library)) {
        Ok(old) if old.version > *version => Err(format!(
            "version {} is installed, newer than this {version}: to go back, run `pyroclast uninstall {}` \
             first",
            old.version,
            target.options()
        )),
        _ => Ok(()),
    }
}

/// An existing file is replaced only if it is in the record or known to be ours.
fn check_file(
    target: &Target,
    path: &Path,
    content: &Content,
    record: &Record,
    version: &semver::Version,
) -> Result<(), String> {
    let at = target.at(path);
    let Ok(data) = fs::symlink_metadata(&at) else { return Ok(()) };
    let (at, name) = (at.as_path(), path.display());
    if data.is_dir() {
        return Err(format!("{name} is a folder, where a file must be: move it away, then run this again"));
    }
    if path == target.places.library {
        check_version(target, path, version)?;
    }
    let is_ours = record.files.iter().any(|f| f == path)
        || content.is_at(at)
        || match content {
            Content::Copy { .. } => data.is_file() && files::has_mark(at),
            // The owner of the .icd file has been checked.
            Content::Text(_) => *path == target.places.icd || is_own_text(at),
            Content::Link(_) => false,
        };
    if is_ours {
        return Ok(());
    }
    Err(format!("{name} is not ours and stays as it is: move it away, then run this again"))
}

fn is_own_text(path: &Path) -> bool {
    fs::read_to_string(path).is_ok_and(|t| t.contains("pyroclast install"))
}

/// Folders that must be created for one, outermost first.
fn missing_folders(target: &Target, folder: &Path) -> Vec<PathBuf> {
    let missing = |f: &&Path| target.at(f).symlink_metadata().is_err();
    let mut folders: Vec<PathBuf> = folder.ancestors().take_while(missing).map(Path::to_path_buf).collect();
    folders.retain(|f| !f.as_os_str().is_empty() && f != Path::new("/"));
    folders.reverse();
    folders
}

fn leftover(target: &Target, path: &Path) -> Option<PathBuf> {
    files::leftover_of(&target.at(path))?;
    let name = files::leftover_of(&target.at(path))?.file_name()?.to_os_string();
    Some(path.with_file_name(name))
}

/// Plans a removal; nothing to do is an empty plan. Files of others, and of a package, stay.
pub fn uninstall(target: &Target) -> Vec<Step> {
    let places = &target.places;
    let record = target.record();
    let exists = |p: &Path| target.at(p).symlink_metadata().is_ok();
    let mut files = Vec::new();
    match target.icd_owner(&places.icd) {
        // An .icd file that names a driver elsewhere is of another installation, unless that is gone.
        IcdOwner::Ours(library)
            if library == places.library || library.as_os_str().is_empty() || !exists(&library) =>
        {
            files.push(places.icd.clone());
        }
        _ => {}
    }
    let own = |path: &PathBuf| match *path == places.icd {
        true => false,
        false => target.at(path).symlink_metadata().is_ok_and(|d| !d.is_dir()),
    };
    let recorded = record.as_ref().map(|r| r.files.clone()).unwrap_or_default();
    files.extend(recorded.iter().rev().filter(|p| own(p)).cloned());
    for path in [&places.library, &places.tool] {
        // Without a record the tool may be of another installation in the same folder.
        let found = !files.contains(path) && (record.is_none() || *path == places.library);
        if found && exists(&places.folder) && files::has_mark(&target.at(path)) {
            files.push(path.clone());
        }
    }
    if let Some(path) = places.environment.as_ref().filter(|p| !files.contains(p)) {
        files.extend(is_own_text(&target.at(path)).then(|| path.clone()));
    }
    let known = [&places.icd, &places.library, &places.tool].into_iter().chain(&recorded);
    files.extend(known.filter_map(|p| leftover(target, p)));
    let record_path = Record::path(&places.folder);
    files.extend(
        [leftover(target, &record_path), Some(record_path)].into_iter().flatten().filter(|p| exists(p)),
    );
    let mut seen = Vec::new();
    files.retain(|f| !seen.contains(f) && exists(f) && (seen.push(f.clone()), true).1);
    let mut folders = record.map(|r| r.folders).unwrap_or_default();
    if !folders.contains(&places.folder) {
        folders.push(places.folder.clone());
    }
    folders.retain(|f| target.at(f).is_dir());
    let removed: Vec<PathBuf> = files.clone();
    let mut steps: Vec<Step> = files.into_iter().map(Step::Remove).collect();
    let mut empty: Vec<PathBuf> = removed;
    for folder in folders.into_iter().rev() {
        // Only what the steps before leave empty.
        let entries = fs::read_dir(target.at(&folder)).into_iter().flatten().flatten();
        if entries.map(|e| folder.join(e.file_name())).all(|p| empty.contains(&p)) {
            empty.push(folder.clone());
            steps.push(Step::RemoveFolder(folder));
        }
    }
    steps
}

/// Executes the steps. An error says what to do; run again, the same command completes the work.
pub fn execute(target: &Target, steps: &[Step]) -> Result<(), String> {
    for step in steps {
        let (path, result) = match step {
            Step::Keep(_) => continue,
            Step::Folder(path) => (path, files::make_folder(&target.at(path))),
            Step::Write { path, content, .. } => (path, content.write_to(&target.at(path))),
            Step::Remove(path) => (path, gone(fs::remove_file(target.at(path)))),
            // A folder that has been filled meanwhile stays.
            Step::RemoveFolder(path) => {
                let result = fs::remove_dir(target.at(path));
                let filled = |e: &std::io::Error| e.kind() == std::io::ErrorKind::DirectoryNotEmpty;
                (path, if result.as_ref().is_err_and(filled) { Ok(()) } else { gone(result) })
            }
        };
        result.map_err(|e| files::explain(&target.at(path), &e))?;
    }
    Ok(())
}

/// Succeeds if another process has removed the file meanwhile.
fn gone(result: std::io::Result<()>) -> std::io::Result<()> {
    result.or_else(|e| if e.kind() == std::io::ErrorKind::NotFound { Ok(()) } else { Err(e) })
}
