//! The Python wheel `pyroclast-opencl`.
//!
//! PyOpenCL's own wheels bundle a loader that also reads the .icd files in its folder `pyopencl/.libs`; the
//! wheel puts the driver there, as `pocl-binary-distribution` does.

use super::build::Product;
use super::files::FileSet;
use super::{Release, templates};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// Limit of the wheel's size in bytes.
const MAX_SIZE: usize = 8_000_000;

/// The wheel.
pub fn wheel(release: &Release, product: &Product) -> Result<(String, Vec<u8>), String> {
    // A pre-release "0.2.0-rc.1" is "0.2.0rc1" in Python.
    let version = release.version.replacen("-rc.", "rc", 1).replace('-', "+");
    let (major, minor) = product.glibc;
    let tag = format!("py3-none-manylinux_{major}_{minor}_{}", std::env::consts::ARCH);
    let info = format!("pyroclast_opencl-{version}.dist-info");
    let mut files = FileSet::default();
    files.add("pyopencl/.libs/libpyroclast.so.1", product.driver.clone());
    files.add("pyopencl/.libs/pyroclast.icd", "libpyroclast.so.1");
    files.add("pyroclast_opencl/__init__.py", templates::read(release, "packaging/python/__init__.py")?);
    let metadata = [("PYTHON_VERSION", version.as_str())];
    let metadata = templates::filled(release, "packaging/python/METADATA.in", &metadata)?;
    files.add(&format!("{info}/METADATA"), metadata);
    let wheel = format!("Wheel-Version: 1.0\nGenerator: pyroclast\nRoot-Is-Purelib: false\nTag: {tag}\n");
    files.add(&format!("{info}/WHEEL"), wheel);
    files.add(&format!("{info}/licenses/THIRD-PARTY-LICENCES.txt"), product.licences.clone());
    for file in ["LICENSE-MIT", "LICENSE-APACHE"] {
        files.add(&format!("{info}/licenses/{file}"), templates::read(release, file)?);
    }
    let record = format!("{info}/RECORD");
    let mut lines = String::new();
    for (path, entry) in files.iter() {
        let hash = URL_SAFE_NO_PAD.encode(Sha256::digest(entry.bytes()));
        lines.push_str(&format!("{path},sha256={hash},{}\n", entry.len()));
    }
    files.add(&record, format!("{lines}{record},,\n"));
    let bytes = zip(&files).map_err(|e| format!("the wheel: {e}"))?;
    if bytes.len() > MAX_SIZE {
        return Err(format!("the wheel has {} bytes, more than {MAX_SIZE}", bytes.len()));
    }
    Ok((format!("pyroclast_opencl-{version}-{tag}.whl"), bytes))
}

/// A ZIP file; all entries have the first time that the format knows.
fn zip(files: &FileSet) -> zip::result::ZipResult<Vec<u8>> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(9))
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    for (path, entry) in files.iter() {
        writer.start_file(path.as_str(), options)?;
        writer.write_all(entry.bytes())?;
    }
    Ok(writer.finish()?.into_inner())
}
