//! When the open batch of a queue goes to the device. Pure.
//!
//! A command starts at once while the device queue is short, so that work begins early; behind that, commands gather
//! until the batch is full, somebody wants them (flush, wait, blocking call), or a completion shortens the queue.

/// Commands in a batch at most.
pub const MAX_BATCH: usize = 64;
/// Commands that are worth a batch behind one that runs, so that the device does not idle between the two.
pub const SECOND_BATCH: usize = 8;

/// What the decision depends on.
#[derive(Clone, Copy, Debug)]
pub struct Situation {
    /// Commands in the open batch.
    pub open: usize,
    /// Position of its earliest command in the queue.
    pub first_seq: u64,
    /// Every command up to here is wanted.
    pub wanted_seq: u64,
    pub batches_in_flight: u64,
}

/// Whether to submit the open batch now.
pub fn should_submit(s: Situation) -> bool {
    let enough = match s.batches_in_flight {
        0 => 1,
        1 => SECOND_BATCH,
        _ => MAX_BATCH,
    };
    s.open > 0 && (s.open >= enough || s.first_seq <= s.wanted_seq)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_gather_only_behind_a_busy_device() {
        let s = Situation { open: 1, first_seq: 10, wanted_seq: 9, batches_in_flight: 0 };
        assert!(should_submit(s));
        assert!(!should_submit(Situation { batches_in_flight: 1, ..s }));
        assert!(should_submit(Situation { batches_in_flight: 1, open: SECOND_BATCH, ..s }));
        assert!(!should_submit(Situation { batches_in_flight: 2, open: SECOND_BATCH, ..s }));
        assert!(should_submit(Situation { batches_in_flight: 2, wanted_seq: 10, ..s }));
        assert!(should_submit(Situation { batches_in_flight: 2, open: MAX_BATCH, ..s }));
        assert!(!should_submit(Situation { open: 0, ..s }));
    }
}
