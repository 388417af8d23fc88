//! Bit sets of the API as types, with the checks of flag combinations. Pure.

use crate::cl::*;
use crate::error::{Error, Result};

const ACCESS: cl_mem_flags = (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY) as cl_mem_flags;
const HOST_PTR: cl_mem_flags =
    (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR) as cl_mem_flags;
const HOST_ACCESS: cl_mem_flags =
    (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS) as cl_mem_flags;

const IMMUTABLE: cl_mem_flags = CL_MEM_IMMUTABLE_EXT as cl_mem_flags;

/// Flags of a memory object.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MemFlags(pub cl_mem_flags);

impl MemFlags {
    /// Whether any bit of `bits` is set.
    pub fn has(self, bits: cl_mem_flags) -> bool {
        self.0 & bits != 0
    }

    /// Checks memory flags that all kinds of creation share; without an access flag an object is read-write.
    pub fn of_any(flags: cl_mem_flags) -> Result<MemFlags> {
        // CL_INVALID_VALUE: undefined bits; CL_MEM_KERNEL_READ_AND_WRITE is for format queries only.
        if flags & !(ACCESS | HOST_PTR | HOST_ACCESS | IMMUTABLE) != 0 {
            return Err(Error::with(CL_INVALID_VALUE, "undefined memory flags"));
        }
        check_exclusive(flags)?;
        let is_default = flags & (ACCESS | IMMUTABLE) == 0;
        Ok(MemFlags(if is_default { flags | CL_MEM_READ_WRITE as cl_mem_flags } else { flags }))
    }

    /// Checks the flags of clCreateBuffer.
    pub fn for_buffer(flags: cl_mem_flags) -> Result<MemFlags> {
        let checked = MemFlags::of_any(flags)?;
        // CL_INVALID_VALUE: CL_MEM_IMMUTABLE_EXT requires a host pointer with the contents.
        if checked.is_immutable() && !checked.needs_host_ptr() {
            return Err(Error::with(CL_INVALID_VALUE, "an immutable object without contents"));
        }
        Ok(checked)
    }

    /// Checks the flags of clImportMemoryARM.
    pub fn for_import(flags: cl_mem_flags) -> Result<MemFlags> {
        // CL_INVALID_VALUE: other host-pointer flags than CL_MEM_USE_HOST_PTR, which is allowed and ignored.
        if flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR) as cl_mem_flags != 0 {
            return Err(Error::with(CL_INVALID_VALUE, "memory flags not allowed for an import"));
        }
        MemFlags::for_buffer(flags & !(CL_MEM_USE_HOST_PTR as cl_mem_flags))
    }

    /// The flags with read-only access by kernels.
    pub fn read_only(self) -> MemFlags {
        MemFlags(self.0 & !ACCESS | CL_MEM_READ_ONLY as cl_mem_flags)
    }

    /// Checks the flags of clCreatePipe. Kernels read and write a pipe and the host does not access it,
    /// whether the flags say so or not.
    pub fn for_pipe(flags: cl_mem_flags) -> Result<MemFlags> {
        let all = (CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS) as cl_mem_flags;
        if flags & !all != 0 {
            return Err(Error::with(CL_INVALID_VALUE, "memory flags not allowed for a pipe"));
        }
        Ok(MemFlags(all))
    }

    /// Checks the flags of clCreateSubBuffer and inherits missing ones from `parent`.
    pub fn for_sub_buffer(flags: cl_mem_flags, parent: MemFlags) -> Result<MemFlags> {
        // CL_INVALID_VALUE: undefined bits, or host-pointer flags, which are inherited.
        if flags & !(ACCESS | HOST_ACCESS | IMMUTABLE) != 0 {
            return Err(Error::with(CL_INVALID_VALUE, "memory flags not allowed for a sub-buffer"));
        }
        // Immutability is inherited.
        let flags = flags | parent.0 & IMMUTABLE;
        check_exclusive(flags)?;
        let (rw, wo, ro) = (
            CL_MEM_READ_WRITE as cl_mem_flags,
            CL_MEM_WRITE_ONLY as cl_mem_flags,
            CL_MEM_READ_ONLY as cl_mem_flags,
        );
        if parent.has(wo) && flags & (rw | ro) != 0 || parent.has(ro) && flags & (rw | wo) != 0 {
            return Err(Error::with(CL_INVALID_VALUE, "the parent forbids this kernel access"));
        }
        let (hwo, hro, hno) = (
            CL_MEM_HOST_WRITE_ONLY as cl_mem_flags,
            CL_MEM_HOST_READ_ONLY as cl_mem_flags,
            CL_MEM_HOST_NO_ACCESS as cl_mem_flags,
        );
        if parent.has(hwo) && flags & hro != 0
            || parent.has(hro) && flags & hwo != 0
            || parent.has(hno) && flags & (hro | hwo) != 0
        {
            return Err(Error::with(CL_INVALID_VALUE, "the parent forbids this host access"));
        }
        let mut all = flags | parent.0 & HOST_PTR;
        if flags & (ACCESS | IMMUTABLE) == 0 || parent.is_immutable() && flags & ACCESS == 0 {
            all |= parent.0 & ACCESS;
        }
        if flags & HOST_ACCESS == 0 {
            all |= parent.0 & HOST_ACCESS;
        }
        Ok(MemFlags(all))
    }

    /// Checks the flags of an image created from another object, and inherits like a sub-buffer.
    pub fn for_image_of(flags: cl_mem_flags, parent: MemFlags) -> Result<MemFlags> {
        // CL_INVALID_VALUE: an image of an immutable object must be immutable by its own flags.
        if parent.is_immutable() && flags & IMMUTABLE == 0 {
            return Err(Error::with(CL_INVALID_VALUE, "the parent is immutable"));
        }
        MemFlags::for_sub_buffer(flags, parent)
    }

    /// CL_MEM_IMMUTABLE_EXT: neither kernels nor commands may write.
    pub fn is_immutable(self) -> bool {
        self.has(IMMUTABLE)
    }

    /// Whether the host may read through clEnqueueRead* or a map for reading.
    pub fn host_readable(self) -> bool {
        !self.has((CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS) as cl_mem_flags)
    }

    /// Whether the host may write through clEnqueueWrite* or a map for writing.
    pub fn host_writable(self) -> bool {
        !self.has((CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS) as cl_mem_flags | IMMUTABLE)
    }

    /// CL_MEM_USE_HOST_PTR.
    pub fn uses_host_ptr(self) -> bool {
        self.has(CL_MEM_USE_HOST_PTR as cl_mem_flags)
    }

    /// Whether creation needs a host pointer.
    pub fn needs_host_ptr(self) -> bool {
        self.has((CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) as cl_mem_flags)
    }

    /// Whether kernels may write the object.
    pub fn kernel_writable(self) -> bool {
        !self.has(CL_MEM_READ_ONLY as cl_mem_flags | IMMUTABLE)
    }
}

fn check_exclusive(flags: cl_mem_flags) -> Result<()> {
    if (flags & ACCESS).count_ones() > 1 || (flags & HOST_ACCESS).count_ones() > 1 {
        return Err(Error::with(CL_INVALID_VALUE, "access flags exclude each other"));
    }
    // CL_INVALID_VALUE: CL_MEM_IMMUTABLE_EXT with flags that allow writes.
    let writes = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_HOST_WRITE_ONLY;
    if flags & IMMUTABLE != 0 && flags & writes as cl_mem_flags != 0 {
        return Err(Error::with(CL_INVALID_VALUE, "CL_MEM_IMMUTABLE_EXT excludes flags that allow writes"));
    }
    if flags & CL_MEM_USE_HOST_PTR as cl_mem_flags != 0
        && flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR) as cl_mem_flags != 0
    {
        return Err(Error::with(
            CL_INVALID_VALUE,
            "CL_MEM_USE_HOST_PTR excludes the other host-pointer flags",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    const RO: cl_mem_flags = CL_MEM_READ_ONLY as cl_mem_flags;
    const WO: cl_mem_flags = CL_MEM_WRITE_ONLY as cl_mem_flags;
    const RW: cl_mem_flags = CL_MEM_READ_WRITE as cl_mem_flags;
    const USE: cl_mem_flags = CL_MEM_USE_HOST_PTR as cl_mem_flags;
    const COPY: cl_mem_flags = CL_MEM_COPY_HOST_PTR as cl_mem_flags;
    const NO: cl_mem_flags = CL_MEM_HOST_NO_ACCESS as cl_mem_flags;
    const HRO: cl_mem_flags = CL_MEM_HOST_READ_ONLY as cl_mem_flags;

    #[test]
    fn buffer_flags() {
        assert_eq!(MemFlags::for_buffer(0).unwrap(), MemFlags(RW));
        assert!(MemFlags::for_buffer(RO | WO).is_err());
        assert!(MemFlags::for_buffer(USE | COPY).is_err());
        assert!(MemFlags::for_buffer(NO | HRO).is_err());
        assert!(MemFlags::for_buffer(1 << 40).is_err());
        assert!(MemFlags::for_buffer(CL_MEM_KERNEL_READ_AND_WRITE as cl_mem_flags).is_err());
    }

    #[test]
    fn immutable_flags() {
        const HWO: cl_mem_flags = CL_MEM_HOST_WRITE_ONLY as cl_mem_flags;
        for flags in [IMMUTABLE | COPY, IMMUTABLE | USE, IMMUTABLE | COPY | RO, IMMUTABLE | COPY | HRO] {
            let checked = MemFlags::for_buffer(flags).unwrap();
            assert_eq!(checked, MemFlags(flags));
            assert!(!checked.kernel_writable() && !checked.host_writable() && checked.host_readable());
        }
        for flags in [RW, WO, HWO] {
            assert!(MemFlags::for_buffer(IMMUTABLE | COPY | flags).is_err());
        }
        assert!(MemFlags::for_buffer(IMMUTABLE).is_err() && MemFlags::of_any(IMMUTABLE).is_ok());
        assert!(MemFlags::for_pipe(IMMUTABLE).is_err() && MemFlags::for_import(IMMUTABLE | USE).is_err());

        let parent = MemFlags::for_buffer(IMMUTABLE | COPY).unwrap();
        assert_eq!(MemFlags::for_sub_buffer(0, parent).unwrap(), parent);
        assert_eq!(
            MemFlags::for_sub_buffer(RO | HRO, parent).unwrap(),
            MemFlags(IMMUTABLE | COPY | RO | HRO)
        );
        for flags in [RW, WO, HWO] {
            assert!(MemFlags::for_sub_buffer(flags, parent).is_err());
        }
        assert!(MemFlags::for_image_of(0, parent).is_err());
        assert_eq!(MemFlags::for_image_of(IMMUTABLE, parent).unwrap(), parent);
        let part = MemFlags::for_sub_buffer(IMMUTABLE, MemFlags(RW)).unwrap();
        assert_eq!(part, MemFlags(IMMUTABLE));
    }

    #[test]
    fn import_flags() {
        assert_eq!(MemFlags::for_import(0).unwrap(), MemFlags(RW));
        assert_eq!(MemFlags::for_import(USE | RO).unwrap(), MemFlags(RO));
        assert!(MemFlags::for_import(COPY).is_err());
        assert!(MemFlags::for_import(RO | WO).is_err());
        assert_eq!(MemFlags(WO | NO).read_only(), MemFlags(RO | NO));
    }

    #[test]
    fn sub_buffers_inherit() {
        let parent = MemFlags::for_buffer(RO | NO | USE).unwrap();
        assert_eq!(MemFlags::for_sub_buffer(0, parent).unwrap(), parent);
        assert!(MemFlags::for_sub_buffer(RW, parent).is_err());
        assert!(MemFlags::for_sub_buffer(HRO, parent).is_err());
        assert!(MemFlags::for_sub_buffer(COPY, parent).is_err());
    }
}
