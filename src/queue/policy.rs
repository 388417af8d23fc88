//! When the open batch of a queue goes to the device. Pure.
//!
//! A command starts at once while the device queue is short, so that work begins early; behind that, commands gather
//! until the batch is full, somebody wants them (flush, wait, blocking call), or a completion shortens the queue.

/// Commands in a batch at most.
pub const MAX_BATCH: usize = 64;
/// Batches on the device queue before commands gather: one that runs and one behind it, so that the device does not
/// idle between two.
pub const MAX_EAGER: u64 = 2;

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
    s.open > 0 && (s.open >= MAX_BATCH || s.first_seq <= s.wanted_seq || s.batches_in_flight < MAX_EAGER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_gather_only_behind_a_busy_device() {
        let s = Situation { open: 1, first_seq: 10, wanted_seq: 9, batches_in_flight: 0 };
        assert!(should_submit(s));
        assert!(!should_submit(Situation { batches_in_flight: MAX_EAGER, ..s }));
        assert!(should_submit(Situation { batches_in_flight: MAX_EAGER, wanted_seq: 10, ..s }));
        assert!(should_submit(Situation { batches_in_flight: MAX_EAGER, open: MAX_BATCH, ..s }));
        assert!(!should_submit(Situation { open: 0, ..s }));
    }
}
