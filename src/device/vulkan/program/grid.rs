//! The dispatches of a grid: one, plus one for each slab of smaller groups where the local size does not
//! divide the global size, plus more where a dimension exceeds maxComputeWorkGroupCount.

use crate::device::traits::{DeviceError, DeviceResult};
use smallvec::SmallVec;

/// One vkCmdDispatch of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GridDispatch {
    pub first_group: [u32; 3],
    pub groups: [u32; 3],
    pub local: [u32; 3],
}

/// The dispatches of a launch, usually one.
pub type Dispatches = SmallVec<[GridDispatch; 1]>;

/// Numbers of groups of a grid.
pub fn count_groups(global: [u64; 3], local: [u32; 3]) -> DeviceResult<[u32; 3]> {
    if local.contains(&0) {
        return Err(DeviceError::Unexpected("empty work-group".into()));
    }
    let mut counts = [0; 3];
    for d in 0..3 {
        counts[d] = u32::try_from(global[d].div_ceil(u64::from(local[d])))
            .map_err(|_| DeviceError::Unsupported("more than 2^32 work-groups".into()))?;
    }
    Ok(counts)
}

/// The dispatches of a grid.
pub fn split_grid(global: [u64; 3], local: [u32; 3], max: [u32; 3]) -> DeviceResult<Dispatches> {
    let num_groups = count_groups(global, local)?;
    let mut parts: [SmallVec<[(u32, u32, u32); 2]>; 3] = Default::default();
    for d in 0..3 {
        let rest = (global[d] % u64::from(local[d])) as u32;
        let full = num_groups[d] - u32::from(rest != 0);
        let mut first = 0;
        while first < full {
            let count = (full - first).min(max[d].max(1));
            parts[d].push((first, count, local[d]));
            first += count;
        }
        if rest != 0 {
            parts[d].push((full, 1, rest));
        }
    }
    let mut list = Dispatches::new();
    for z in &parts[2] {
        for y in &parts[1] {
            for x in &parts[0] {
                list.push(GridDispatch {
                    first_group: [x.0, y.0, z.0],
                    groups: [x.1, y.1, z.1],
                    local: [x.2, y.2, z.2],
                });
            }
        }
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_split_at_limits_and_remainders() {
        let one = split_grid([64, 4, 1], [16, 2, 1], [65535; 3]).unwrap();
        assert_eq!(one[..], [GridDispatch { first_group: [0; 3], groups: [4, 2, 1], local: [16, 2, 1] }]);
        assert_eq!(count_groups([64, 4, 1], [16, 2, 1]).unwrap(), [4, 2, 1]);
        // 10 = 2 * 4 + 2, 3 = 1 * 2 + 1: full, right, bottom and corner.
        let four = split_grid([10, 3, 1], [4, 2, 1], [65535; 3]).unwrap();
        assert_eq!(count_groups([10, 3, 1], [4, 2, 1]).unwrap(), [3, 2, 1]);
        assert_eq!(four.len(), 4);
        assert_eq!(four[3], GridDispatch { first_group: [2, 1, 0], groups: [1, 1, 1], local: [2, 1, 1] });
        let items: u64 =
            four.iter().map(|d| (0..3).map(|i| u64::from(d.groups[i] * d.local[i])).product::<u64>()).sum();
        assert_eq!(items, 30);
        let many = split_grid([25, 1, 1], [1, 1, 1], [10, 10, 10]).unwrap();
        assert_eq!(many.iter().map(|d| d.groups[0]).collect::<Vec<_>>(), [10, 10, 5]);
        assert!(split_grid([0, 1, 1], [1, 1, 1], [10; 3]).unwrap().is_empty());
        assert!(split_grid([1 << 40, 1, 1], [1, 1, 1], [10; 3]).is_err());
        assert!(split_grid([1, 1, 1], [0, 1, 1], [10; 3]).is_err());
    }
}
