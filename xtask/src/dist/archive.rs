//! Archives that run from any folder, and the archive of the debug files.

use super::build::Product;
use super::files::{FileSet, xz};
use super::{Release, templates};

fn name(release: &Release) -> String {
    format!("pyroclast-{}-linux-{}", release.version, std::env::consts::ARCH)
}

/// The relocatable archive: `bin/pyroclast run` works where it lies, `bin/pyroclast install` installs it.
pub fn driver(release: &Release, product: &Product) -> Result<(String, Vec<u8>), String> {
    let mut files = FileSet::default();
    files.add("lib/pyroclast/libpyroclast.so.1", product.driver.clone());
    files.add_program("bin/pyroclast", product.tool.clone());
    files.extend(product.manual.clone());
    files.add("THIRD-PARTY-LICENCES.txt", product.licences.clone());
    for file in ["LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md"] {
        files.add(file, templates::read(release, file)?);
    }
    files.add("README.md", templates::filled(release, "packaging/archive.md.in", &[])?);
    let name = name(release);
    Ok((format!("{name}.tar.xz"), xz(&files.tar(&format!("{name}/"), release.epoch)?)?))
}

/// Debug files, to be unpacked in `/usr/lib/debug`.
pub fn debug_files(release: &Release, product: &Product) -> Result<(String, Vec<u8>), String> {
    let name = format!("{}-debug.tar.xz", name(release));
    Ok((name, xz(&product.debug.tar("", release.epoch)?)?))
}
