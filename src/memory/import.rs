//! Buffers of memory of the application (cl_arm_import_memory): pages of the process, or a dma_buf.
//!
//! The devices of the context that can import use the memory directly; nothing is ever copied, so commands of
//! the other devices fail. An import of pages covers whole units of the devices' import granularity; the
//! buffer begins in the first.

use super::MemObject;
use super::residency::Residency;
use crate::cl::flags::MemFlags;
use crate::cl::*;
use crate::context::Context;
use crate::device::Device;
use crate::device::features::{imports_dma_buf, imports_host};
use crate::device::share::MemoryHandle;
use crate::device::traits::{BufferDesc, DeviceError, DeviceMemory, HostRange};
use crate::err;
use crate::error::{Error, Result};
use crate::host_ptr::{self, HostPtr};
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd};
use std::sync::Arc;

/// CL_IMPORT_TYPE_*.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImportKind {
    Host,
    DmaBuf,
}

/// Memory to import.
pub enum Source {
    Host(HostPtr),
    /// A descriptor owned by the runtime.
    DmaBuf {
        fd: OwnedFd,
        writable: bool,
    },
}

/// On these machines the processors' caches are coherent with device accesses, so there is nothing to manage.
const COHERENT: bool = cfg!(target_arch = "x86_64");

/// Parses a list of properties.
pub fn kind(
    context: &Context,
    list: &[(cl_import_properties_arm, cl_import_properties_arm)],
) -> Result<ImportKind> {
    const TYPE: cl_uint = CL_IMPORT_TYPE_ARM;
    const CONSISTENCY: cl_uint = CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM;
    const HOST: cl_uint = CL_IMPORT_TYPE_HOST_ARM;
    const DMA_BUF: cl_uint = CL_IMPORT_TYPE_DMA_BUF_ARM;
    let offered =
        |has: fn(&crate::device::info::DeviceInfo) -> bool| context.devices().iter().any(|d| has(d.info()));
    let (mut kind, mut consistency) = (None, None);
    for (name, value) in list {
        let invalid = || err!(CL_INVALID_PROPERTY, "import property {name:#x}, value {value:#x}");
        let (name, value) = (
            cl_uint::try_from(*name).map_err(|_| invalid())?,
            cl_uint::try_from(*value).map_err(|_| invalid())?,
        );
        // CL_INVALID_PROPERTY: a property of an extension that is not reported, an invalid value, or one that
        // is given twice.
        match (name, value) {
            (TYPE, HOST) if kind.is_none() && offered(imports_host) => kind = Some(ImportKind::Host),
            (TYPE, DMA_BUF) if kind.is_none() && offered(imports_dma_buf) => kind = Some(ImportKind::DmaBuf),
            (CONSISTENCY, CL_FALSE) if consistency.is_none() => consistency = Some(false),
            (CONSISTENCY, CL_TRUE) if consistency.is_none() && COHERENT => consistency = Some(true),
            _ => return Err(invalid()),
        }
    }
    // CL_INVALID_PROPERTY: consistency only applies to dma_bufs.
    if consistency.is_some() && kind != Some(ImportKind::DmaBuf) {
        return Err(err!(CL_INVALID_PROPERTY, "consistency with the host of memory that is not a dma_buf"));
    }
    Ok(kind.unwrap_or(ImportKind::Host))
}

/// clImportMemoryARM with a `memory` that is not NULL.
pub fn create(
    context: &Arc<Context>,
    source: Source,
    flags: cl_mem_flags,
    size: usize,
) -> Result<Arc<MemObject>> {
    let flags = MemFlags::for_import(flags)?;
    // CL_INVALID_BUFFER_SIZE: zero, or more than any device can allocate.
    let largest = context.devices().iter().map(|d| d.info().max_alloc_size).max().unwrap_or(0);
    if size == 0 || size as u64 > largest {
        return Err(err!(CL_INVALID_BUFFER_SIZE, "{size} bytes; at most {largest} can be allocated"));
    }
    let size = size as u64;
    match source {
        Source::Host(ptr) => of_pages(context, ptr, flags, size),
        Source::DmaBuf { fd, writable } => {
            of_dma_buf(context, fd, if writable { flags } else { flags.read_only() }, size)
        }
    }
}

/// Imports the memory as a buffer of each device that can.
fn import(
    context: &Context,
    can: impl Fn(&Device) -> bool,
    make: impl Fn(&Device) -> std::result::Result<Arc<dyn DeviceMemory>, DeviceError>,
) -> Result<Vec<Option<Arc<dyn DeviceMemory>>>> {
    let mut copies: Vec<_> = context.devices().iter().map(|_| None).collect();
    for (copy, device) in copies.iter_mut().zip(context.devices()).filter(|(_, device)| can(device)) {
        *copy = Some(make(device).map_err(|e| err!(CL_MEM_OBJECT_ALLOCATION_FAILURE, "{e}"))?);
    }
    Ok(copies)
}

fn of_pages(context: &Arc<Context>, ptr: HostPtr, flags: MemFlags, size: u64) -> Result<Arc<MemObject>> {
    let can = |d: &Device| imports_host(d.info());
    let users = context.devices().iter().filter(|d| can(d));
    let unit = users.map(|d| d.info().host_import_alignment).max();
    let unit = unit.ok_or_else(|| err!(CL_INVALID_OPERATION, "no device imports memory of the process"))?;
    if !host_ptr::is_mapped(ptr, size) {
        return Err(err!(CL_INVALID_OPERATION, "nothing is mapped at some of {size} bytes from {ptr:?} on"));
    }
    // Not checked: whether another import contains part of the same unit; devices here can have any number of
    // such imports.
    let skipped = ptr.addr() as u64 % unit;
    let start = HostPtr::new(ptr.as_ptr().wrapping_sub(skipped as usize));
    let whole = (skipped + size).next_multiple_of(unit);
    let desc = BufferDesc { size: whole, host_visible: true, read_only: false, name: "import" };
    let copies = import(context, can, |d| d.ops().import_host(HostRange { ptr: start, size: whole }, &desc))?;
    let residency = Arc::new(Residency::of_imports(whole, copies));
    Ok(Arc::new(MemObject::new(context, flags, size, residency, skipped)))
}

fn of_dma_buf(context: &Arc<Context>, fd: OwnedFd, flags: MemFlags, size: u64) -> Result<Arc<MemObject>> {
    let mut file = File::from(fd);
    // CL_INVALID_VALUE: the descriptor is not of memory, which has a size.
    let whole =
        file.seek(SeekFrom::End(0)).map_err(|e| Error::with(CL_INVALID_VALUE, format!("no dma_buf: {e}")))?;
    if size > whole {
        return Err(err!(CL_INVALID_BUFFER_SIZE, "{size} bytes of {whole}"));
    }
    let copies = import(
        context,
        |d| imports_dma_buf(d.info()),
        |device| {
            let copy = file.try_clone().map_err(|_| DeviceError::OutOfHostMemory)?;
            let memory = device.ops().import_memory(MemoryHandle::DmaBuf, copy.as_raw_fd(), size)?;
            // The driver owns it now.
            let _ = copy.into_raw_fd();
            Ok(memory)
        },
    )?;
    let residency = Arc::new(Residency::of_imports(size, copies));
    Ok(Arc::new(MemObject::new(context, flags, size, residency, 0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::info::AddressSharing;
    use crate::device::mock::{MockDevice, Mode};

    const TYPE: isize = CL_IMPORT_TYPE_ARM as isize;
    const HOST: isize = CL_IMPORT_TYPE_HOST_ARM as isize;
    const DMA_BUF: isize = CL_IMPORT_TYPE_DMA_BUF_ARM as isize;
    const CONSISTENCY: isize = CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM as isize;
    const PROTECTED: isize = CL_IMPORT_TYPE_PROTECTED_ARM as isize;

    /// A context of devices of which those with `Host` import pages and those with `Concurrent` dma_bufs.
    fn context(sharing: &[AddressSharing]) -> Arc<Context> {
        let mock =
            |s: &AddressSharing| Device::new("mock", MockDevice::with_sharing(Mode::AtOnce, false, true, *s));
        Context::new(sharing.iter().map(mock), Vec::new(), None, Default::default()).unwrap()
    }

    fn memory_file(size: u64, writable: bool) -> (std::path::PathBuf, OwnedFd) {
        let name = format!("pyroclast-import-{}-{size}-{writable}", std::process::id());
        let path = std::env::temp_dir().join(name);
        File::create(&path).unwrap().set_len(size).unwrap();
        let file = File::options().read(true).write(writable).open(&path).unwrap();
        (path, file.into())
    }

    #[test]
    fn properties_are_those_that_a_device_offers() {
        let code = |c: &Context, list: &[(isize, isize)]| kind(c, list).map_err(|e| e.code());
        let invalid = Err(CL_INVALID_PROPERTY);
        let both = context(&[AddressSharing::Host, AddressSharing::Concurrent]);
        assert_eq!(code(&both, &[]), Ok(ImportKind::Host));
        assert_eq!(code(&both, &[(TYPE, HOST)]), Ok(ImportKind::Host));
        assert_eq!(code(&both, &[(TYPE, DMA_BUF)]), Ok(ImportKind::DmaBuf));
        assert_eq!(code(&both, &[(CONSISTENCY, 0), (TYPE, DMA_BUF)]), Ok(ImportKind::DmaBuf));
        assert_eq!(code(&both, &[(TYPE, DMA_BUF), (CONSISTENCY, 1)]).is_ok(), COHERENT);
        for wrong in [
            &[(TYPE, HOST), (TYPE, HOST)][..],
            &[(TYPE, 7)],
            &[(TYPE, -1)],
            &[(7, HOST)],
            &[(TYPE, DMA_BUF), (CONSISTENCY, 2)],
            &[(TYPE, DMA_BUF), (CONSISTENCY, 0), (CONSISTENCY, 0)],
            &[(TYPE, HOST), (CONSISTENCY, 0)],
            &[(CONSISTENCY, 0)],
            &[(TYPE, DMA_BUF), (PROTECTED, 0)],
        ] {
            assert_eq!(code(&both, wrong), invalid, "{wrong:?}");
        }
        assert_eq!(code(&context(&[AddressSharing::Host]), &[(TYPE, DMA_BUF)]), invalid);
        assert_eq!(code(&context(&[AddressSharing::Concurrent]), &[(TYPE, HOST)]), invalid);
    }

    #[test]
    fn a_dma_buf_is_a_buffer_of_the_devices_that_import_it() {
        let context = context(&[AddressSharing::Host, AddressSharing::Concurrent]);
        for writable in [true, false] {
            let (path, fd) = memory_file(8192, writable);
            let make = |size, flags| {
                let fd = fd.try_clone().unwrap();
                create(&context, Source::DmaBuf { fd, writable }, flags, size)
            };
            let mem = make(8192, CL_MEM_READ_WRITE).unwrap();
            // Kernels must not write what the descriptor forbids.
            assert_eq!(mem.flags.kernel_writable(), writable);
            assert!(mem.backing(1).is_ok());
            assert_eq!(mem.backing(0).err().map(|e| e.code()), Some(CL_INVALID_OPERATION));
            let code = |size, flags| make(size, flags).err().map(|e| e.code());
            assert_eq!(code(8193, CL_MEM_READ_WRITE), Some(CL_INVALID_BUFFER_SIZE));
            assert_eq!(code(0, CL_MEM_READ_WRITE), Some(CL_INVALID_BUFFER_SIZE));
            assert_eq!(code(64, CL_MEM_COPY_HOST_PTR), Some(CL_INVALID_VALUE));
            std::fs::remove_file(path).unwrap();
        }
        // A pipe has no size.
        let (end, _other) = std::io::pipe().unwrap();
        let made = create(&context, Source::DmaBuf { fd: end.into(), writable: true }, CL_MEM_READ_WRITE, 64);
        assert_eq!(made.err().map(|e| e.code()), Some(CL_INVALID_VALUE));
    }

    #[test]
    fn pages_are_not_imported_where_no_device_can() {
        let context = context(&[AddressSharing::Concurrent]);
        let mut bytes = [0u8; 64];
        let source = Source::Host(HostPtr::new(bytes.as_mut_ptr()));
        let made = create(&context, source, CL_MEM_READ_WRITE, 64);
        assert_eq!(made.err().map(|e| e.code()), Some(CL_INVALID_OPERATION));
    }
}
