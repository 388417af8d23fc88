//! File descriptors of a host that may have closed its standard ones.

use std::fs::File;

/// Occupies those of the descriptors 0 to 2 that the host has closed, until a child is started.
pub fn reserve_standard_descriptors() -> Vec<File> {
    #[cfg(unix)]
    {
        use std::os::fd::AsRawFd;
        let mut held = Vec::new();
        while let Ok(file) = File::open("/dev/null") {
            if file.as_raw_fd() > 2 {
                break;
            }
            held.push(file);
        }
        held
    }
    #[cfg(not(unix))]
    Vec::new()
}
