//! `cargo xtask dist`: release packages from one build: a Debian package, a Python wheel, a relocatable
//! archive, their debug files, and recipes for other distributions.
//!
//! The same tree gives the same bytes: times are those of the last commit (or SOURCE_DATE_EPOCH), orders are
//! fixed, and paths of the machine are removed from the code.

mod archive;
mod build;
mod deb;
mod elf;
mod files;
mod licences;
mod templates;
mod wheel;

use build::Product;
use clap::Parser;
use files::FileSet;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Address of the project, name and address of the maintainer: placeholders until a release has its own, by
/// `--url` and the variables of Debian's tools.
const URL: &str = "https://pyroclast.invalid";
const MAINTAINER: [(&str, &str); 2] =
    [("DEBFULLNAME", "Pyroclast maintainers"), ("DEBEMAIL", "maintainers@pyroclast.invalid")];

/// Arguments of `cargo xtask dist`.
#[derive(Parser)]
#[command(name = "cargo xtask dist")]
struct Arguments {
    /// Folder of the packages
    #[arg(long, value_name = "DIR", default_value = "target/dist/packages")]
    output: PathBuf,
    /// Package the programs in this folder instead of building them
    #[arg(long, value_name = "DIR")]
    prebuilt: Option<PathBuf>,
    /// Version to put on the packages instead of that of the sources, to test upgrades
    #[arg(long)]
    package_version: Option<String>,
    /// Address of the project in the packages' metadata
    #[arg(long, default_value = URL)]
    url: String,
}

/// Facts that all packages share.
pub struct Release {
    pub version: String,
    /// Seconds since 1970 that every file has.
    pub epoch: u64,
    pub url: String,
    /// `NAME <ADDRESS>`
    pub maintainer: String,
    /// Root of the repository.
    pub root: PathBuf,
}

/// Writes all packages and their checksums.
pub fn run(arguments: &[String]) -> Result<(), String> {
    let name = "cargo xtask dist".to_string();
    let arguments = Arguments::try_parse_from(std::iter::once(&name).chain(arguments));
    let arguments = match arguments {
        Ok(arguments) => arguments,
        Err(error) => error.exit(),
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let root = root.canonicalize().map_err(|e| format!("the repository: {e}"))?;
    let release = Release {
        version: arguments.package_version.clone().unwrap_or_else(|| env!("CARGO_PKG_VERSION").to_string()),
        epoch: epoch(&root)?,
        url: arguments.url.clone(),
        maintainer: maintainer(),
        root,
    };
    let output = release.root.join(&arguments.output);
    if output.exists() {
        std::fs::remove_dir_all(&output).map_err(|e| format!("{}: {e}", output.display()))?;
    }
    let product = Product::new(&release, arguments.prebuilt.as_deref())?;
    let mut packages = FileSet::default();
    for (name, bytes) in [
        deb::driver(&release, &product)?,
        deb::debug_files(&release, &product)?,
        wheel::wheel(&release, &product)?,
        archive::driver(&release, &product)?,
        archive::debug_files(&release, &product)?,
    ] {
        packages.add(&name, bytes);
    }
    packages.extend(templates::recipes(&release)?);
    packages.add("THIRD-PARTY-LICENCES.txt", product.licences.clone());
    packages.add("SHA256SUMS", checksums(&packages));
    packages.write_to(&output)?;
    for (path, entry) in packages.iter() {
        println!("{:>9}  {}", entry.len(), output.join(path).display());
    }
    Ok(())
}

/// Who makes the packages.
fn maintainer() -> String {
    let [name, address] = MAINTAINER.map(|(name, default)| std::env::var(name).unwrap_or(default.into()));
    format!("{name} <{address}>")
}

/// SOURCE_DATE_EPOCH, or the time of the last commit.
fn epoch(root: &Path) -> Result<u64, String> {
    let text = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => text,
        Err(_) => build::output_of("git", &["log", "-1", "--format=%ct"], root)
            .map_err(|e| format!("set SOURCE_DATE_EPOCH, or run this in a git repository: {e}"))?,
    };
    text.trim().parse().map_err(|_| format!("'{text}' is not a number of seconds"))
}

fn checksums(packages: &FileSet) -> Vec<u8> {
    let line = |(path, bytes): (&String, &files::Entry)| format!("{}  {path}\n", sha256(bytes.bytes()));
    packages.iter().map(line).collect::<String>().into_bytes()
}

/// SHA-256 in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}
