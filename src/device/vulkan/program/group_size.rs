//! The local size with which a launch runs, if its kernel gives the same results with others
//! ([`LocalSizes`]).
//!
//! Two rules save pipelines, whose creation takes the driver up to seconds. Large grids with a local size
//! that suits no device run with one that does ([`efficient`]). A launch whose pipeline does not exist runs
//! with an existing one of another local size, until its own was created in the background
//! ([`stand_in`](super::pipeline::Pipelines::stand_in)).

use crate::device::localsize::{self, GroupPreferences};
use clspv_bridge::abi::LocalSizes;

/// Number of groups, or of waves, that keeps any device busy.
const MANY: u64 = 1024;

/// The local size for a large grid that was enqueued with one that suits the device less: fewer work-items
/// than a wave leave lanes idle, and in larger groups of a line than the target, registers limit the number
/// of resident work-items more. (Waves with idle lanes are no loss where the others would not fill the
/// device.)
pub fn efficient(
    sizes: LocalSizes,
    global: [u64; 3],
    dims: u32,
    local: [u32; 3],
    shape: &GroupPreferences,
) -> [u32; 3] {
    let shape = match sizes {
        LocalSizes::Own => return local,
        LocalSizes::Lines(most) if local[1..] != [1, 1] || local[0] > most => return local,
        LocalSizes::Lines(most) => &GroupPreferences {
            target: shape.target.min(most),
            wave: shape.wave.min(most),
            max: [shape.max[0].min(most), 1, 1],
            ..*shape
        },
        LocalSizes::Any => shape,
    };
    let (wave, target) = (u64::from(shape.wave.max(1)), u64::from(shape.target));
    let total = global.iter().fold(1u64, |n, size| n.saturating_mul(*size));
    let is_line = global[1..] == [1, 1] && global[0].is_multiple_of(target);
    let is_wide = is_line && items(local) > target && total / MANY >= target;
    let is_narrow = items(local) < wave && total / MANY >= wave;
    if !is_wide && !is_narrow {
        return local;
    }
    let target = (total / MANY).clamp(wave, target.max(wave));
    let shape = GroupPreferences { target: u32::try_from(target).unwrap_or(shape.target), ..*shape };
    let suitable = localsize::suggest(global, dims, &shape);
    let divides = (0..3).all(|d| global[d].is_multiple_of(u64::from(suitable[d])));
    if divides && items(suitable).is_multiple_of(wave) { suitable } else { local }
}

/// Work-items of a group.
fn items(local: [u32; 3]) -> u64 {
    local.iter().fold(1, |n, size| n.saturating_mul(u64::from(*size)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GPU: GroupPreferences = GroupPreferences { target: 256, wave: 32, row: 32, max: [1024, 1024, 64] };

    fn of(global: [u64; 3], local: [u32; 3]) -> [u32; 3] {
        among(LocalSizes::Any, global, local)
    }

    fn among(sizes: LocalSizes, global: [u64; 3], local: [u32; 3]) -> [u32; 3] {
        let dims = (0..3).rev().find(|d| global[*d] > 1).map_or(1, |d| d as u32 + 1);
        efficient(sizes, global, dims, local, &GPU)
    }

    #[test]
    fn wide_groups_of_long_lines_get_the_target_size() {
        assert_eq!(of([1 << 20, 1, 1], [1024, 1, 1]), [256, 1, 1]);
        // As good as the target; too few groups; a remainder; two dimensions.
        for local in [32, 64, 256] {
            assert_eq!(of([1 << 20, 1, 1], [local, 1, 1]), [local, 1, 1]);
        }
        assert_eq!(of([1 << 17, 1, 1], [1024, 1, 1]), [1024, 1, 1]);
        assert_eq!(of([(1 << 20) + 64, 1, 1], [512, 1, 1]), [512, 1, 1]);
        assert_eq!(of([1 << 10, 1 << 10, 1], [32, 32, 1]), [32, 32, 1]);
    }

    #[test]
    fn narrow_groups_of_large_grids_become_whole_waves() {
        assert_eq!(of([1 << 17, 1, 1], [1, 1, 1]), [128, 1, 1]);
        assert_eq!(of([(1 << 20) + 64, 1, 1], [16, 1, 1]), [160, 1, 1]);
        assert_eq!(of([640, 480, 1], [8, 1, 1]), [32, 8, 1]);
        // A grid too small to replace its local size; one without a suitable divisor; an empty one.
        assert_eq!(of([1024, 1, 1], [1, 1, 1]), [1, 1, 1]);
        assert_eq!(of([1_000_003, 1, 1], [1, 1, 1]), [1, 1, 1]);
        assert_eq!(of([0, 1, 1], [1, 1, 1]), [1, 1, 1]);
    }

    #[test]
    fn lines_are_replaced_by_allowed_ones() {
        let (line, plane) = ([1 << 20, 1, 1], [1 << 10, 1 << 10, 1]);
        assert_eq!(among(LocalSizes::Own, line, [8, 1, 1]), [8, 1, 1]);
        assert_eq!(among(LocalSizes::Lines(32), line, [8, 1, 1]), [32, 1, 1]);
        assert_eq!(among(LocalSizes::Lines(32), plane, [8, 1, 1]), [32, 1, 1]);
        assert_eq!(among(LocalSizes::Lines(64), line, [8, 1, 1]), [64, 1, 1]);
        // Less than a wave, but more than before.
        assert_eq!(among(LocalSizes::Lines(16), line, [8, 1, 1]), [16, 1, 1]);
        // As large as allowed; larger; no line.
        for local in [[32, 1, 1], [64, 1, 1], [1, 8, 1], [8, 2, 1]] {
            assert_eq!(among(LocalSizes::Lines(32), plane, local), local);
        }
        assert_eq!(among(LocalSizes::Lines(256), line, [512, 1, 1]), [512, 1, 1]);
    }
}
