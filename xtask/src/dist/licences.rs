//! Licences of the packages that are linked into driver and tool, from the packages' own files.

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package, PackageId};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// Packages that are shipped.
const SHIPPED: [&str; 2] = ["pyroclast", "pyroclast-icd"];
/// Beginnings of the names of files with licences.
const FILES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "COPYRIGHT"];

/// A text that lists all packages with their licences, then each licence once.
pub fn texts(root: &Path) -> Result<String, String> {
    let mut command = MetadataCommand::new();
    command.manifest_path(root.join("Cargo.toml")).other_options(vec![
        "--locked".into(),
        "--filter-platform".into(),
        format!("{}-unknown-linux-gnu", std::env::consts::ARCH),
    ]);
    let metadata = command.exec().map_err(|e| format!("cargo metadata: {e}"))?;
    let own = |name: &str| std::fs::read_to_string(root.join(name)).map_err(|e| format!("{name}: {e}"));
    let (mit, apache) = (own("LICENSE-MIT")?, own("LICENSE-APACHE")?);
    let mut out = String::from("Pyroclast contains the following packages.\n\n");
    // Texts, each with the packages under it.
    let mut by_text: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in linked(&metadata)? {
        let name = format!("{} {}", package.name, package.version);
        let licence = package.license.clone().unwrap_or_else(|| "its own licence".into());
        let _ = writeln!(out, "* {name}: {licence}");
        let mut found = licence_files(package)?;
        if found.is_empty() {
            // Published without its texts: the standard ones that it names.
            found.extend(licence.contains("Apache-2.0").then(|| apache.clone()));
            found.extend(licence.contains("MIT").then(|| mit.clone()));
        }
        if found.is_empty() {
            return Err(format!("{name} has no licence text ({licence})"));
        }
        for text in found {
            by_text.entry(text).or_default().insert(name.clone());
        }
    }
    for (text, packages) in by_text {
        let names: Vec<String> = packages.into_iter().collect();
        let _ = write!(out, "\n{}\n{}\n\n{}\n", "=".repeat(80), names.join(", "), text.trim_end());
    }
    Ok(out)
}

/// Packages of others that the shipped ones need at run time, in the order of their names.
fn linked(metadata: &Metadata) -> Result<Vec<&Package>, String> {
    let resolve = metadata.resolve.as_ref().ok_or("cargo metadata resolved nothing")?;
    let is_shipped = |p: &&Package| SHIPPED.contains(&p.name.as_str());
    let mut open: Vec<&PackageId> = metadata.packages.iter().filter(is_shipped).map(|p| &p.id).collect();
    let mut seen: BTreeSet<&PackageId> = open.iter().copied().collect();
    while let Some(id) = open.pop() {
        let node = resolve.nodes.iter().find(|n| n.id == *id).ok_or("a package is not resolved")?;
        for dependency in &node.deps {
            let normal = dependency.dep_kinds.iter().any(|k| k.kind == DependencyKind::Normal);
            if normal && seen.insert(&dependency.pkg) {
                open.push(&dependency.pkg);
            }
        }
    }
    let mut packages: Vec<&Package> = seen.into_iter().map(|id| &metadata[id]).collect();
    packages.retain(|p| p.source.is_some());
    packages.sort_by(|a, b| (a.name.as_str(), &a.version).cmp(&(b.name.as_str(), &b.version)));
    Ok(packages)
}

/// Texts of the licences in a package's folder.
fn licence_files(package: &Package) -> Result<Vec<String>, String> {
    let folder = package.manifest_path.parent().ok_or("a manifest without a folder")?;
    let explain = |e: std::io::Error| format!("{folder}: {e}");
    let mut texts = BTreeMap::new();
    for entry in std::fs::read_dir(folder).map_err(explain)? {
        let entry = entry.map_err(explain)?;
        let name = entry.file_name().to_string_lossy().to_uppercase();
        if FILES.iter().any(|f| name.starts_with(f)) && entry.path().is_file() {
            let bytes = std::fs::read(entry.path()).map_err(explain)?;
            texts.insert(name, String::from_utf8_lossy(&bytes).replace("\r\n", "\n"));
        }
    }
    Ok(texts.into_values().collect())
}
