//! External handle types of semaphores and memory, and their OpenCL names.

use crate::cl::*;
use std::os::fd::RawFd;

/// Whether a number from the application is an open file descriptor of this process.
pub(crate) fn is_open(fd: RawFd) -> bool {
    // SAFETY: the call reads the descriptor's flags, whatever the number is.
    fd >= 0 && unsafe { libc::fcntl(fd, libc::F_GETFD) } != -1
}

/// External handle types of semaphores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SemaphoreHandle {
    OpaqueFd,
    /// A Linux sync file: copies the payload. -1 is an already signalled one.
    SyncFd,
}

/// External handle types of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryHandle {
    OpaqueFd,
    DmaBuf,
}

impl SemaphoreHandle {
    /// CL_SEMAPHORE_HANDLE_*
    pub fn value(self) -> cl_external_semaphore_handle_type_khr {
        match self {
            SemaphoreHandle::OpaqueFd => CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
            SemaphoreHandle::SyncFd => CL_SEMAPHORE_HANDLE_SYNC_FD_KHR,
        }
    }

    /// The handle type of an OpenCL value.
    pub fn of(value: u64) -> Option<SemaphoreHandle> {
        [SemaphoreHandle::OpaqueFd, SemaphoreHandle::SyncFd]
            .into_iter()
            .find(|h| u64::from(h.value()) == value)
    }
}

impl MemoryHandle {
    /// CL_EXTERNAL_MEMORY_HANDLE_*
    pub fn value(self) -> cl_external_memory_handle_type_khr {
        match self {
            MemoryHandle::OpaqueFd => CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
            MemoryHandle::DmaBuf => CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR,
        }
    }

    /// The handle type of an OpenCL value.
    pub fn of(value: u64) -> Option<MemoryHandle> {
        [MemoryHandle::OpaqueFd, MemoryHandle::DmaBuf].into_iter().find(|h| u64::from(h.value()) == value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;

    #[test]
    fn descriptors_are_distinguished_from_other_numbers() {
        let file = std::fs::File::open("/dev/null").unwrap();
        assert!(is_open(file.as_raw_fd()));
        assert!(!is_open(-1) && !is_open(RawFd::MIN) && !is_open(RawFd::MAX));
    }
}
