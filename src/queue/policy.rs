//! Policy for submitting the open batch of a queue. Pure.
//!
//! A command is submitted at once while the device queue is short, so that work begins early. After that,
//! commands gather until the batch is full, they are requested (flush, wait, blocking call), or a completion
//! shortens the queue.

/// Limit of commands in a batch.
pub const MAX_BATCH: usize = 64;
/// Number of commands that are submitted as a second batch while one runs, so that the device does not idle
/// between them.
pub const SECOND_BATCH: usize = 8;

/// Inputs of the decision.
#[derive(Clone, Copy, Debug)]
pub struct Situation {
    /// Commands in the open batch.
    pub open: usize,
    /// Position of its earliest command in the queue.
    pub first_seq: u64,
    /// Commands up to this position were requested to be submitted.
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
