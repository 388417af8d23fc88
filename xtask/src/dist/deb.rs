//! Debian packages: the driver with its tool, and the debug files.

use super::build::Product;
use super::files::{FileSet, gzip, xz};
use super::{Release, templates};
use std::fmt::Write;

const PACKAGE: &str = "pyroclast-opencl-icd";

/// Debian's names of this processor: architecture and folder of libraries.
fn architecture() -> (&'static str, &'static str) {
    match std::env::consts::ARCH {
        "aarch64" => ("arm64", "aarch64-linux-gnu"),
        "riscv64" => ("riscv64", "riscv64-linux-gnu"),
        _ => ("amd64", "x86_64-linux-gnu"),
    }
}

/// Debian's form of a version; a package of this recipe has the revision 1.
fn version(release: &Release) -> String {
    format!("{}-1", release.version.replacen('-', "~", 1))
}

/// The package of driver and tool.
pub fn driver(release: &Release, product: &Product) -> Result<(String, Vec<u8>), String> {
    let (_, multiarch) = architecture();
    let doc = format!("usr/share/doc/{PACKAGE}");
    let mut files = FileSet::default();
    files.add(&format!("usr/lib/{multiarch}/libpyroclast.so.1"), product.driver.clone());
    files.add("etc/OpenCL/vendors/pyroclast.icd", "libpyroclast.so.1\n");
    files.add_program("usr/bin/pyroclast", product.tool.clone());
    for (path, entry) in product.manual.iter() {
        let path = path.replace("zsh/site-functions", "zsh/vendor-completions");
        if path.contains("/man/") {
            files.add(&format!("usr/{path}.gz"), gzip(entry.bytes())?);
        } else {
            files.add(&format!("usr/{path}"), entry.bytes());
        }
    }
    files.add(&format!("{doc}/copyright"), copyright(release, product)?);
    files.add(&format!("{doc}/THIRD-PARTY-LICENCES.gz"), gzip(product.licences.as_bytes())?);
    files.add(&format!("{doc}/changelog.gz"), gzip(templates::read(release, "CHANGELOG.md")?.as_bytes())?);
    files.add(&format!("{doc}/changelog.Debian.gz"), gzip(changelog(release)?.as_bytes())?);
    files.add(
        &format!("usr/share/lintian/overrides/{PACKAGE}"),
        templates::read(release, "packaging/debian/lintian-overrides")?,
    );
    let mut control = FileSet::default();
    control.add("control", control_file(release, product, "packaging/debian/control.in", &files)?);
    control.add("conffiles", "/etc/OpenCL/vendors/pyroclast.icd\n");
    control.add("shlibs", format!("libpyroclast 1 {PACKAGE} (>= {})\n", version(release)));
    control.add("triggers", "activate-noawait ldconfig\n");
    package(release, PACKAGE, control, &files)
}

/// The package of the debug files.
pub fn debug_files(release: &Release, product: &Product) -> Result<(String, Vec<u8>), String> {
    let name = format!("{PACKAGE}-dbgsym");
    let mut files = FileSet::default();
    files.extend_below("usr/lib/debug", &product.debug);
    files.add_link(&format!("usr/share/doc/{name}"), PACKAGE);
    let mut control = FileSet::default();
    let template = "packaging/debian/control-dbgsym.in";
    control.add("control", control_file(release, product, template, &files)?);
    package(release, &name, control, &files)
}

fn control_file(
    release: &Release,
    product: &Product,
    template: &str,
    files: &FileSet,
) -> Result<String, String> {
    let kib: usize = files.iter().map(|(_, e)| e.len().div_ceil(1024)).sum();
    let (major, minor) = product.glibc;
    let glibc = format!("{major}.{minor}");
    let values = [
        ("DEB_VERSION", version(release)),
        ("ARCHITECTURE", architecture().0.to_string()),
        ("INSTALLED_SIZE", kib.to_string()),
        ("GLIBC", glibc),
    ];
    let values: Vec<(&str, &str)> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
    templates::filled(release, template, &values)
}

fn changelog(release: &Release) -> Result<String, String> {
    let (version, date) = (version(release), templates::mail_date(release.epoch)?);
    let values = [("DEB_VERSION", version.as_str()), ("DATE", date.as_str())];
    templates::filled(release, "packaging/debian/changelog.in", &values)
}

/// The machine-readable copyright file, with the packages of others as comments.
fn copyright(release: &Release, product: &Product) -> Result<String, String> {
    let mut text = templates::filled(release, "packaging/debian/copyright.in", &[])?;
    let mit = templates::read(release, "LICENSE-MIT")?;
    text.push_str("\nLicense: MIT\n");
    // Without the title and the holders, which the paragraph above names.
    for line in mit.lines().skip_while(|l| !l.starts_with("Permission")) {
        let _ = writeln!(text, " {}", if line.is_empty() { "." } else { line });
    }
    let list = product.licences.lines().filter(|l| l.starts_with("* "));
    text.push_str("\nComment: Packages in the driver; THIRD-PARTY-LICENCES.gz has their texts:\n");
    list.for_each(|line| {
        let _ = writeln!(text, " {line}");
    });
    Ok(text)
}

/// Puts a package together.
fn package(
    release: &Release,
    name: &str,
    mut control: FileSet,
    files: &FileSet,
) -> Result<(String, Vec<u8>), String> {
    let sums = files.iter().filter(|(_, e)| e.len() > 0 || !matches!(e, super::files::Entry::Link(_)));
    let line = |(path, entry): (&String, &super::files::Entry)| format!("{}  {path}\n", md5(entry.bytes()));
    control.add("md5sums", sums.map(line).collect::<String>());
    let mut builder = ar::Builder::new(Vec::new());
    for (name, bytes) in [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.xz", xz(&control.tar("./", release.epoch)?)?),
        ("data.tar.xz", xz(&files.tar("./", release.epoch)?)?),
    ] {
        let mut header = ar::Header::new(name.into(), bytes.len() as u64);
        header.set_mode(0o100_644);
        header.set_mtime(release.epoch);
        builder.append(&header, &bytes[..]).map_err(|e| format!("{name}: {e}"))?;
    }
    let bytes = builder.into_inner().map_err(|e| format!("{name}: {e}"))?;
    Ok((format!("{name}_{}_{}.deb", version(release), architecture().0), bytes))
}

/// MD5 in hexadecimal digits: what `md5sums` of Debian packages hold.
fn md5(bytes: &[u8]) -> String {
    use md5::{Digest, Md5};
    Md5::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}
