//! Hybrid polling: a thread that waits for long sleeps until shortly before the device is expected to be
//! done, and polls from then on. It starts its next work 0.15 ms earlier than a thread that an interrupt
//! wakes (NVIDIA 580 on an H200, launches of 5.6 ms).
//!
//! Programs mostly wait in loops: a wait is expected to take as long as one of the last ones, as Linux
//! expects it of block devices (io_poll_delay).

use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// Number of waits to remember: loops whose rounds have several waits.
const COUNT: usize = 4;
/// A wait may end a thirty-second earlier or later than expected, ...
const DEVIATION: u32 = 32;
/// ... within these limits. The lower one is what timers of the operating system need.
const DEVIATIONS: (Duration, Duration) = (Duration::from_micros(100), Duration::from_micros(250));

/// Lengths of the last waits for which threads slept, in nanoseconds; 0 for none.
#[derive(Default)]
pub struct RecentWaits {
    lengths: [AtomicU64; COUNT],
    next: AtomicUsize,
}

impl RecentWaits {
    /// Notes the length of a wait.
    pub fn note(&self, length: Duration) {
        let at = self.next.fetch_add(1, Ordering::Relaxed) % COUNT;
        self.lengths[at].store(length.as_nanos().try_into().unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// When to poll next in a wait that has taken `elapsed`, from its start on. The range contains `elapsed`
    /// if it is time to poll; `None` if the wait has taken longer than all others.
    pub fn polling(&self, elapsed: Duration) -> Option<Range<Duration>> {
        let lengths = self.lengths.iter().map(|length| Duration::from_nanos(length.load(Ordering::Relaxed)));
        let ranges = lengths.filter(|length| !length.is_zero()).map(|length| {
            let deviation = (length / DEVIATION).clamp(DEVIATIONS.0, DEVIATIONS.1);
            length.saturating_sub(deviation)..length.saturating_add(deviation)
        });
        ranges.filter(|range| elapsed < range.end).min_by_key(|range| range.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn us(n: u64) -> Duration {
        Duration::from_micros(n)
    }

    #[test]
    fn threads_poll_when_a_wait_of_a_loop_should_end() {
        let waits = RecentWaits::default();
        assert_eq!(waits.polling(us(10)), None);
        waits.note(us(6400));
        assert_eq!(waits.polling(us(1000)), Some(us(6200)..us(6600)));
        assert_eq!(waits.polling(us(6300)), Some(us(6200)..us(6600)));
        assert_eq!(waits.polling(us(6600)), None);
    }

    #[test]
    fn waits_of_different_lengths_are_expected_in_turn() {
        let waits = RecentWaits::default();
        for length in [us(90_000), us(1_600), us(6_400), us(3_200), us(64_000)] {
            waits.note(length);
        }
        let starts = [0, 1_700, 3_300, 6_600, 64_250].map(|at| waits.polling(us(at)).map(|r| r.start));
        assert_eq!(starts, [Some(us(1_500)), Some(us(3_100)), Some(us(6_200)), Some(us(63_750)), None]);
    }
}
