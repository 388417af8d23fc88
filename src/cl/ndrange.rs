//! An index space and its validation (clEnqueueNDRangeKernel). Pure: limits and attributes come in as plain
//! numbers.

use crate::cl::*;
use crate::error::{Error, Result};

/// An index space as passed by the application; unused dimensions are 1 (offset 0).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NdRange {
    pub dims: u32,
    pub offset: [u64; 3],
    pub global: [u64; 3],
    pub local: Option<[u64; 3]>,
}

/// Limits of an index space.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Largest work-group of this kernel on this device.
    pub max_group: u64,
    pub max_item_sizes: [u64; 3],
    /// Bits of the device's size_t.
    pub address_bits: u32,
    pub reqd_work_group_size: Option<[u32; 3]>,
    /// Sub-groups that each work-group must have.
    pub sub_groups: Option<SubGroups>,
    /// Whether the last group of a dimension may be smaller.
    pub non_uniform: bool,
}

/// Number of sub-groups, and the work-items of all but the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SubGroups {
    pub count: u64,
    pub size: u64,
}

impl SubGroups {
    /// A local size of `count` sub-groups; one that divides the global size if possible.
    pub(crate) fn local_size(self, global: [u64; 3]) -> [u64; 3] {
        let most = self.count.saturating_mul(self.size).max(1);
        let least = most.saturating_sub(self.size) + 1;
        let fitting = (least..=most).rev().find(|n| global[0].is_multiple_of(*n));
        [fitting.unwrap_or(most), 1, 1]
    }
}

impl NdRange {
    /// Reads the arrays of clEnqueueNDRangeKernel.
    pub fn new(
        dims: u32,
        offset: Option<&[usize]>,
        global: Option<&[usize]>,
        local: Option<&[usize]>,
    ) -> Result<NdRange> {
        // CL_INVALID_WORK_DIMENSION: not one to three dimensions.
        if !(1..=3).contains(&dims) {
            return Err(Error::new(CL_INVALID_WORK_DIMENSION));
        }
        let read = |src: &[usize], fill: u64| {
            let mut out = [fill; 3];
            for (o, &s) in out.iter_mut().zip(src.iter().take(dims as usize)) {
                *o = s as u64;
            }
            out
        };
        Ok(NdRange {
            dims,
            offset: offset.map_or([0; 3], |o| read(o, 0)),
            // Without a global size the kernel has no work-items, as with a zero in any dimension.
            global: global.map_or([0; 3], |g| read(g, 1)),
            local: local.map(|l| read(l, 1)),
        })
    }

    /// Whether there are no work-items.
    pub fn is_empty(&self) -> bool {
        self.global.contains(&0)
    }

    /// Whether the local size, if given, divides the global size.
    pub fn divides(&self) -> bool {
        self.local.is_none_or(|l| (0..3).all(|d| l[d] != 0 && self.global[d].is_multiple_of(l[d])))
    }

    /// Checks the sizes. Returns the local size that the range or the kernel specifies.
    pub fn validate(&self, limits: &Limits) -> Result<Option<[u32; 3]>> {
        let max = if limits.address_bits >= 64 { u64::MAX } else { (1u64 << limits.address_bits) - 1 };
        for d in 0..3 {
            // CL_INVALID_GLOBAL_WORK_SIZE: a size that the device's size_t cannot represent.
            if self.global[d] > max {
                return Err(Error::new(CL_INVALID_GLOBAL_WORK_SIZE));
            }
            // CL_INVALID_GLOBAL_OFFSET: a global id (offset + size) that it cannot represent.
            if self.offset[d].checked_add(self.global[d]).is_none_or(|end| end > max) {
                return Err(Error::new(CL_INVALID_GLOBAL_OFFSET));
            }
        }
        let local = match (self.local, limits.reqd_work_group_size) {
            (Some(local), Some(reqd)) => {
                if (0..3).any(|d| local[d] != reqd[d] as u64) {
                    return Err(Error::with(
                        CL_INVALID_WORK_GROUP_SIZE,
                        "the kernel requires another work-group size",
                    ));
                }
                local
            }
            (Some(local), None) => local,
            (None, Some(reqd)) => reqd.map(u64::from),
            (None, None) => match limits.sub_groups {
                Some(required) => required.local_size(self.global),
                None => return Ok(None),
            },
        };
        for (&size, max) in local.iter().zip(limits.max_item_sizes) {
            // CL_INVALID_WORK_GROUP_SIZE: a dimension of the local size is zero.
            if size == 0 {
                return Err(Error::new(CL_INVALID_WORK_GROUP_SIZE));
            }
            // CL_INVALID_WORK_ITEM_SIZE: a dimension exceeds its limit.
            if size > max {
                return Err(Error::new(CL_INVALID_WORK_ITEM_SIZE));
            }
        }
        // CL_INVALID_WORK_GROUP_SIZE: more work-items than this kernel allows on this device.
        let items = local.iter().try_fold(1u64, |n, &l| n.checked_mul(l));
        if items.is_none_or(|n| n > limits.max_group) {
            return Err(Error::new(CL_INVALID_WORK_GROUP_SIZE));
        }
        if limits.sub_groups.is_some_and(|r| items.is_some_and(|n| n.div_ceil(r.size.max(1)) != r.count)) {
            return Err(Error::with(
                CL_INVALID_WORK_GROUP_SIZE,
                "the kernel requires another number of sub-groups",
            ));
        }
        if !limits.non_uniform && (0..3).any(|d| !self.global[d].is_multiple_of(local[d])) {
            return Err(Error::with(
                CL_INVALID_WORK_GROUP_SIZE,
                "the local size does not divide the global size",
            ));
        }
        Ok(Some(local.map(|l| l as u32)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        max_group: 256,
        max_item_sizes: [256, 256, 64],
        address_bits: 64,
        reqd_work_group_size: None,
        sub_groups: None,
        non_uniform: false,
    };

    fn code<T: std::fmt::Debug>(r: Result<T>) -> cl_int {
        r.unwrap_err().code.0
    }

    #[test]
    fn dimensions() {
        assert_eq!(code(NdRange::new(0, None, None, None)), CL_INVALID_WORK_DIMENSION);
        assert_eq!(code(NdRange::new(4, None, None, None)), CL_INVALID_WORK_DIMENSION);
        let r = NdRange::new(2, None, Some(&[4, 5]), Some(&[2, 5])).unwrap();
        assert_eq!((r.global, r.local), ([4, 5, 1], Some([2, 5, 1])));
        assert_eq!(r.validate(&LIMITS).unwrap(), Some([2, 5, 1]));
    }

    #[test]
    fn empty_ranges_are_valid() {
        let r = NdRange::new(2, None, Some(&[4, 0]), None).unwrap();
        assert!(r.is_empty());
        assert_eq!(r.validate(&LIMITS).unwrap(), None);
        assert!(NdRange::new(1, None, None, None).unwrap().is_empty());
    }

    #[test]
    fn local_sizes() {
        let with =
            |global: usize, local: usize| NdRange::new(1, None, Some(&[global]), Some(&[local])).unwrap();
        assert_eq!(code(with(8, 0).validate(&LIMITS)), CL_INVALID_WORK_GROUP_SIZE);
        assert_eq!(code(with(1024, 512).validate(&LIMITS)), CL_INVALID_WORK_ITEM_SIZE);
        assert_eq!(code(with(10, 4).validate(&LIMITS)), CL_INVALID_WORK_GROUP_SIZE);
        assert!(with(10, 4).validate(&Limits { non_uniform: true, ..LIMITS }).is_ok());
        let flat = NdRange::new(2, None, Some(&[64, 64]), Some(&[32, 32])).unwrap();
        assert_eq!(code(flat.validate(&LIMITS)), CL_INVALID_WORK_GROUP_SIZE);
    }

    #[test]
    fn required_sub_groups() {
        let limits = Limits { sub_groups: Some(SubGroups { count: 3, size: 8 }), ..LIMITS };
        let with =
            |global: usize, local: Option<&[usize]>| NdRange::new(1, None, Some(&[global]), local).unwrap();
        assert_eq!(with(40, Some(&[20])).validate(&limits).unwrap(), Some([20, 1, 1]));
        assert_eq!(code(with(40, Some(&[8])).validate(&limits)), CL_INVALID_WORK_GROUP_SIZE);
        assert_eq!(with(40, None).validate(&limits).unwrap(), Some([20, 1, 1]));
        assert_eq!(code(with(41, None).validate(&limits)), CL_INVALID_WORK_GROUP_SIZE);
        assert_eq!(
            with(41, None).validate(&Limits { non_uniform: true, ..limits }).unwrap(),
            Some([24, 1, 1])
        );
    }

    #[test]
    fn required_sizes() {
        let limits = Limits { reqd_work_group_size: Some([4, 1, 1]), ..LIMITS };
        let with = |local: Option<&[usize]>| NdRange::new(1, None, Some(&[8]), local).unwrap();
        assert_eq!(with(None).validate(&limits).unwrap(), Some([4, 1, 1]));
        assert_eq!(with(Some(&[4])).validate(&limits).unwrap(), Some([4, 1, 1]));
        assert_eq!(code(with(Some(&[2])).validate(&limits)), CL_INVALID_WORK_GROUP_SIZE);
    }

    #[test]
    fn offsets_and_address_bits() {
        let r = NdRange::new(1, Some(&[usize::MAX]), Some(&[2]), None).unwrap();
        assert_eq!(code(r.validate(&LIMITS)), CL_INVALID_GLOBAL_OFFSET);
        let r = NdRange::new(1, None, Some(&[1 << 33]), None).unwrap();
        assert_eq!(code(r.validate(&Limits { address_bits: 32, ..LIMITS })), CL_INVALID_GLOBAL_WORK_SIZE);
    }
}
