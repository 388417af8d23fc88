//! Arithmetic of three-dimensional regions in linear memory: pitches, bounds and overlap (the rules of
//! clEnqueue*BufferRect). Pure: numbers in, an offset and pitches or an error code out.

use crate::cl::*;
use crate::error::{Error, Result};

/// A three-dimensional region in a linear layout: byte offset of its origin, and pitches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RectLayout {
    pub offset: u64,
    pub row_pitch: u64,
    pub slice_pitch: u64,
}

/// Size in bytes, rows and slices.
pub type Region = [u64; 3];

impl RectLayout {
    /// Layout of contiguous bytes: of a region of one row.
    pub const LINEAR: RectLayout = RectLayout { offset: 0, row_pitch: 0, slice_pitch: 0 };

    /// The layout of a region without gaps.
    pub fn packed(region: Region) -> RectLayout {
        RectLayout { offset: 0, row_pitch: region[0], slice_pitch: region[0] * region[1] }
    }
}

/// Number of bytes of a region.
pub fn byte_count(region: Region) -> u64 {
    region.iter().fold(1u64, |n, r| n.saturating_mul(*r))
}

/// Checks that no element of `region` is zero.
pub fn validate_region(region: Region) -> Result<()> {
    if region.contains(&0) {
        return Err(Error::with(CL_INVALID_VALUE, "a region element is zero"));
    }
    Ok(())
}

/// Resolves zero pitches, checks others, and computes the byte offset of `origin`.
pub fn layout(origin: [u64; 3], region: Region, row_pitch: u64, slice_pitch: u64) -> Result<RectLayout> {
    if row_pitch != 0 && row_pitch < region[0] {
        return Err(Error::with(CL_INVALID_VALUE, "the row pitch is less than a row"));
    }
    let row_pitch = if row_pitch == 0 { region[0] } else { row_pitch };
    let overflow = || Error::with(CL_INVALID_VALUE, "the region overflows");
    let plane = region[1].checked_mul(row_pitch).ok_or_else(overflow)?;
    if slice_pitch != 0 && (slice_pitch < plane || !slice_pitch.is_multiple_of(row_pitch)) {
        return Err(Error::with(
            CL_INVALID_VALUE,
            "the slice pitch is less than a slice or not a multiple of the row pitch",
        ));
    }
    let slice_pitch = if slice_pitch == 0 { plane } else { slice_pitch };
    let offset = origin[2]
        .checked_mul(slice_pitch)
        .and_then(|z| origin[1].checked_mul(row_pitch).and_then(|y| z.checked_add(y)))
        .and_then(|o| o.checked_add(origin[0]))
        .ok_or_else(overflow)?;
    // The end must be representable, too.
    end(offset, region, row_pitch, slice_pitch).ok_or_else(overflow)?;
    Ok(RectLayout { offset, row_pitch, slice_pitch })
}

fn end(offset: u64, region: Region, row_pitch: u64, slice_pitch: u64) -> Option<u64> {
    let z = region[2].checked_sub(1)?.checked_mul(slice_pitch)?;
    let y = region[1].checked_sub(1)?.checked_mul(row_pitch)?;
    offset.checked_add(z)?.checked_add(y)?.checked_add(region[0])
}

/// One past the last byte that the region touches.
pub fn region_end(layout: &RectLayout, region: Region) -> u64 {
    end(layout.offset, region, layout.row_pitch, layout.slice_pitch).unwrap_or(u64::MAX)
}

/// Checks that the region ends within `size` bytes.
pub fn validate_bounds(layout: &RectLayout, region: Region, size: u64) -> Result<()> {
    if region_end(layout, region) > size {
        return Err(Error::with(CL_INVALID_VALUE, "the region is out of bounds"));
    }
    Ok(())
}

/// Checks `offset..offset + size` against a length.
pub fn validate_range(offset: u64, size: u64, len: u64) -> Result<()> {
    match offset.checked_add(size) {
        Some(end) if end <= len => Ok(()),
        _ => Err(Error::with(CL_INVALID_VALUE, "the range is out of bounds")),
    }
}

/// Whether two linear ranges share a byte.
pub fn ranges_overlap(a: u64, b: u64, size: u64) -> bool {
    size != 0 && a < b.saturating_add(size) && b < a.saturating_add(size)
}

/// Whether two rectangles of equal size and pitches in one buffer share a byte, by the rule of the
/// specification's appendix. They are disjoint if their spans are, or their rows modulo the row pitch, or
/// their slices modulo the slice pitch (which is a multiple of the row pitch). Rows and slices may extend
/// past the pitch into the next.
pub fn rects_overlap(src: &RectLayout, dst: &RectLayout, region: Region) -> bool {
    // Whether two pieces of `len` bytes that repeat every `pitch` bytes are disjoint: modulo `pitch`, both
    // gaps hold a piece.
    let apart = |len: u64, pitch: u64| {
        let (s, d) = (src.offset % pitch, dst.offset % pitch);
        let gap = if d >= s { d - s } else { pitch - (s - d) };
        gap >= len && pitch - gap >= len
    };
    let slice = end(0, [region[0], region[1], 1], src.row_pitch, src.slice_pitch).unwrap_or(u64::MAX);
    let spans = src.offset < region_end(dst, region) && dst.offset < region_end(src, region);
    spans && !apart(region[0], src.row_pitch) && !apart(slice, src.slice_pitch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pitches_default_to_tight() {
        let l = layout([1, 2, 3], [4, 5, 6], 0, 0).unwrap();
        assert_eq!(l, RectLayout { offset: 3 * 20 + 2 * 4 + 1, row_pitch: 4, slice_pitch: 20 });
        assert_eq!(region_end(&l, [4, 5, 6]), l.offset + 5 * 20 + 4 * 4 + 4);
    }

    #[test]
    fn bad_pitches_are_refused() {
        assert!(layout([0; 3], [4, 2, 1], 3, 0).is_err());
        assert!(layout([0; 3], [4, 2, 1], 4, 7).is_err());
        assert!(layout([0; 3], [4, 2, 1], 4, 10).is_err());
        assert!(layout([0; 3], [4, 2, 1], 4, 12).is_ok());
    }

    #[test]
    fn overflow_is_an_error() {
        assert!(layout([0, 0, u64::MAX], [4, 2, 2], 0, 0).is_err());
        assert!(layout([0; 3], [u64::MAX, 2, 2], 0, 0).is_err());
        assert!(validate_range(u64::MAX, 2, 10).is_err());
    }

    #[test]
    fn bounds_count_the_last_row_only() {
        let l = layout([0; 3], [4, 2, 1], 10, 0).unwrap();
        assert!(validate_bounds(&l, [4, 2, 1], 14).is_ok());
        assert!(validate_bounds(&l, [4, 2, 1], 13).is_err());
    }

    /// Compares the overlap rule with counting bytes, for every pair of small rectangles, including rows and
    /// slices that wrap.
    #[test]
    fn overlap_matches_brute_force() {
        let (row, slice) = (5u64, 20u64);
        let bytes = |offset: u64, r: Region| {
            let mut set = std::collections::HashSet::new();
            for z in 0..r[2] {
                for y in 0..r[1] {
                    set.extend((0..r[0]).map(|x| offset + z * slice + y * row + x));
                }
            }
            set
        };
        for region in [[1, 1, 1], [2, 2, 1], [3, 1, 2], [5, 2, 2], [2, 4, 1]] {
            let wraps = |o: u64| o % row + region[0] > row || (o % slice) / row + region[1] > slice / row;
            for (a, b) in (0..60).flat_map(|a| (0..60).map(move |b| (a, b))) {
                let at = |offset| RectLayout { offset, row_pitch: row, slice_pitch: slice };
                let expect = !bytes(a, region).is_disjoint(&bytes(b, region));
                let got = rects_overlap(&at(a), &at(b), region);
                // Where something wraps, the rule may report an overlap too many, never one too few.
                assert!(got == expect || (got && (wraps(a) || wraps(b))), "{a} {b} {region:?}");
            }
        }
    }

    /// Origins beyond the row pitch: rows of one rectangle are between the other's.
    #[test]
    fn wrapped_rectangles_that_interleave_are_apart() {
        let region = [44, 9, 27];
        let src = layout([370, 31, 40], region, 44, 44 * 102).unwrap();
        let dst = layout([479, 4, 61], region, 44, 44 * 102).unwrap();
        assert!(!rects_overlap(&src, &dst, region));
        let tight = |o| layout(o, region, 44, 44 * 9).unwrap();
        assert!(rects_overlap(&tight([370, 31, 40]), &tight([479, 4, 61]), region));
    }
}
