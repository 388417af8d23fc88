//! Trials that show what a device can do.

use crate::device::traits::{DeviceError, DeviceResult};

/// The trials of a device. One that fails for lack of memory shows nothing about the device.
#[derive(Default)]
pub struct Trials {
    inconclusive: bool,
}

impl Trials {
    /// The result of a trial that succeeded.
    pub fn result<T>(&mut self, tried: DeviceResult<T>) -> Option<T> {
        match tried {
            Ok(result) => Some(result),
            Err(why) => {
                tracing::debug!("{why}");
                self.inconclusive |= !matches!(why, DeviceError::Unsupported(_) | DeviceError::Unexpected(_));
                None
            }
        }
    }

    /// Whether all of them showed something.
    pub fn are_conclusive(&self) -> bool {
        !self.inconclusive
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lack_of_memory_shows_nothing() {
        let mut trials = Trials::default();
        assert_eq!(trials.result(Ok(7)), Some(7));
        assert_eq!(trials.result(Err::<(), _>(DeviceError::Unsupported(String::new()))), None);
        assert!(trials.are_conclusive());
        assert_eq!(trials.result(Err::<(), _>(DeviceError::OutOfDeviceMemory)), None);
        assert!(!trials.are_conclusive());
    }
}
