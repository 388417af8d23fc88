//! Choice of the local size where the application specifies none.
//!
//! Sizes divide the global size, so that kernels written for uniform groups see uniform groups. Only where a
//! dimension has no useful divisor (a large prime) does the choice leave a smaller last group.

/// Group sizes that suit a device.
#[derive(Clone, Copy, Debug)]
pub struct GroupPreferences {
    /// Target number of work-items per group.
    pub target: u32,
    /// Work-items that run in lockstep.
    pub wave: u32,
    /// Preferred size of x in two- and three-dimensional grids.
    pub row: u32,
    pub max: [u32; 3],
}

/// The local size for a grid of `dims` dimensions; unused dimensions are 1.
pub fn suggest(global: [u64; 3], dims: u32, shape: &GroupPreferences) -> [u32; 3] {
    let mut local = [1u32; 3];
    let dims = (dims as usize).clamp(1, 3);
    let mut left = shape.target.max(1);
    for d in 0..dims {
        let later = global[d + 1..dims].iter().any(|&g| g > 1);
        let cap = if d == 0 && later { shape.row.min(left) } else { left };
        let wave = if d == 0 { shape.wave } else { 1 };
        local[d] = pick(global[d], cap.min(shape.max[d]).max(1), wave);
        left = (left / local[d]).max(1);
    }
    local
}

/// The best divisor of `n` up to `cap`: a multiple of `wave` if there is one.
fn pick(n: u64, cap: u32, wave: u32) -> u32 {
    if n == 0 {
        return 1;
    }
    let divides = |c: &u32| n.is_multiple_of(u64::from(*c));
    let most = u32::try_from(n).map_or(cap, |n| n.min(cap));
    let best = (1..=most).rev().find(divides).unwrap_or(1);
    let whole_waves = (1..=most / wave).rev().map(|k| k * wave).find(divides);
    match whole_waves {
        Some(size) if size * 2 >= best => size,
        _ if best * 4 < cap.min(wave) && n >= 1024 => cap - cap % wave.min(cap),
        _ => best,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GPU: GroupPreferences = GroupPreferences { target: 256, wave: 32, row: 32, max: [1024, 1024, 64] };

    #[test]
    fn sizes_divide_the_grid() {
        assert_eq!(suggest([1 << 20, 1, 1], 1, &GPU), [256, 1, 1]);
        assert_eq!(suggest([1024, 1024, 1], 2, &GPU), [32, 8, 1]);
        assert_eq!(suggest([1000, 1, 1], 1, &GPU), [250, 1, 1]);
        assert_eq!(suggest([7, 1, 1], 1, &GPU), [7, 1, 1]);
        assert_eq!(suggest([64, 64, 64], 3, &GPU), [32, 8, 1]);
        assert_eq!(suggest([1, 4096, 1], 2, &GPU), [1, 256, 1]);
        assert_eq!(suggest([0, 1, 1], 1, &GPU), [1, 1, 1]);
    }

    #[test]
    fn large_primes_get_a_ragged_edge() {
        assert_eq!(suggest([1_000_003, 1, 1], 1, &GPU), [256, 1, 1]);
        assert_eq!(suggest([13, 1, 1], 1, &GPU), [13, 1, 1]);
    }

    #[test]
    fn limits_hold() {
        let tight = GroupPreferences { target: 256, wave: 8, row: 64, max: [4, 2, 1] };
        assert_eq!(suggest([64, 64, 64], 3, &tight), [4, 2, 1]);
    }
}
