//! Offers the driver built with a test program to the OpenCL loader.

use crate::api::validation;
use std::path::PathBuf;

/// Points the loader at the library built with these tests. Returns the folder to remove at the end.
pub fn offer() -> Option<PathBuf> {
    if let Ok(vendors) = std::env::var("PYROCLAST_EXEC_VENDORS") {
        // SAFETY: no other thread runs yet.
        unsafe { std::env::set_var("OCL_ICD_VENDORS", vendors) };
        return None;
    }
    validation::watch();
    let exe = std::env::current_exe().ok()?;
    let library = exe.parent()?.join("libpyroclast.so");
    let folder = std::env::temp_dir().join(format!("pyroclast-exec-{}", std::process::id()));
    std::fs::create_dir_all(&folder).ok()?;
    std::fs::write(folder.join("pyroclast.icd"), format!("{}\n", library.display())).ok()?;
    // SAFETY: no other thread runs yet.
    unsafe {
        std::env::set_var("OCL_ICD_VENDORS", &folder);
        std::env::set_var("OCL_ICD_FILENAMES", &library);
    }
    Some(folder)
}
