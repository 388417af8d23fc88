//! Rectangular regions as lists of contiguous runs.

use crate::device::batch::RectLayout;
use smallvec::SmallVec;

/// A contiguous run: offsets in both layouts, and bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    pub src: u64,
    pub dst: u64,
    pub size: u64,
}

/// Runs, usually one.
pub type Runs = SmallVec<[Run; 1]>;

/// Bytes from the origin to the end of the last row.
pub fn extent(layout: &RectLayout, region: [u64; 3]) -> u64 {
    if region.contains(&0) {
        return 0;
    }
    layout.slice_pitch * (region[2] - 1) + layout.row_pitch * (region[1] - 1) + region[0]
}

/// The runs of a copy; rows and slices that are contiguous in both layouts are merged.
pub fn runs(src: &RectLayout, dst: &RectLayout, region: [u64; 3]) -> Runs {
    if region.contains(&0) {
        return Runs::new();
    }
    let [mut width, mut rows, mut slices] = region;
    if rows == 1 || (src.row_pitch == width && dst.row_pitch == width) {
        width *= rows;
        rows = 1;
        if slices == 1 || (src.slice_pitch == width && dst.slice_pitch == width) {
            width *= slices;
            slices = 1;
        }
    }
    let mut list = Runs::with_capacity((rows * slices) as usize);
    for z in 0..slices {
        for y in 0..rows {
            list.push(Run {
                src: src.offset + z * src.slice_pitch + y * src.row_pitch,
                dst: dst.offset + z * dst.slice_pitch + y * dst.row_pitch,
                size: width,
            });
        }
    }
    list
}

/// Whether source and destination may overlap, if both layouts are of one buffer. True also for some regions
/// whose rows lie between each other's.
pub fn may_overlap(runs: &[Run]) -> bool {
    let span = |start: fn(&Run) -> u64| {
        let ends = runs.iter().map(|run| start(run) + run.size);
        (runs.iter().map(start).min().unwrap_or(0), ends.max().unwrap_or(0))
    };
    let (src, dst) = (span(|run| run.src), span(|run| run.dst));
    src.0 < dst.1 && dst.0 < src.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touching_rows_and_slices_merge() {
        let region = [4, 3, 2];
        let tight = RectLayout::packed(region);
        assert_eq!(runs(&tight, &tight, region)[..], [Run { src: 0, dst: 0, size: 24 }]);
        let rows = RectLayout { offset: 5, row_pitch: 4, slice_pitch: 100 };
        assert_eq!(
            runs(&rows, &tight, region)[..],
            [Run { src: 5, dst: 0, size: 12 }, Run { src: 105, dst: 12, size: 12 }]
        );
        let wide = RectLayout { offset: 0, row_pitch: 10, slice_pitch: 100 };
        let all = runs(&wide, &tight, region);
        assert_eq!(all.len(), 6);
        assert_eq!(all[4], Run { src: 110, dst: 16, size: 4 });
        assert_eq!(extent(&wide, region), 100 + 20 + 4);
        assert!(runs(&wide, &tight, [4, 0, 2]).is_empty() && extent(&wide, [0, 1, 1]) == 0);
    }

    #[test]
    fn spans_that_touch_do_not_overlap() {
        let run = |src, dst| Run { src, dst, size: 8 };
        assert!(may_overlap(&[run(0, 7)]) && may_overlap(&[run(7, 0)]) && may_overlap(&[run(3, 3)]));
        assert!(!may_overlap(&[run(0, 8)]) && !may_overlap(&[run(8, 0)]) && !may_overlap(&[]));
        assert!(may_overlap(&[run(0, 16), run(8, 4)]) && !may_overlap(&[run(0, 16), run(8, 24)]));
    }
}
