//! Copies between the memories of two devices that the host does not see, through host memory that both
//! devices use. Halves of it alternate: one device fills the next while the other empties the last.

use super::batch::{BufferRange, DeviceCommand, Endpoint};
use super::threads;
use super::traits::{BufferDesc, DeviceError, DeviceMemory, DeviceOps, DeviceResult, HostRange};
use crate::host_ptr::HostAllocation;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

/// Bytes of a half.
const HALF: u64 = 8 << 20;
/// Maximum number of relays that are kept.
const KEPT: usize = 2;

/// A range of a device's memory.
pub type Place<'a> = (&'a Arc<dyn DeviceOps>, BufferRange);

/// A relay's memory as a buffer of a device; `None` if the device copies it through memory of its own.
struct Imported {
    device: Arc<dyn DeviceOps>,
    memory: Option<Arc<dyn DeviceMemory>>,
}

/// Host memory with two halves.
struct Relay {
    imported: Vec<Imported>,
    memory: HostAllocation,
}

/// Relays that are not in use.
static RELAYS: Mutex<Vec<Relay>> = Mutex::new(Vec::new());

/// Copies between ranges of one size, which no work in flight uses, and waits for the end.
pub fn copy(from: Place<'_>, to: Place<'_>) -> DeviceResult<()> {
    let relay = RELAYS.lock().pop();
    let mut relay = relay.map_or_else(Relay::new, Ok)?;
    let result = relay.copy(from, to);
    let mut kept = RELAYS.lock();
    if kept.len() < KEPT {
        kept.push(relay);
    }
    result
}

impl Relay {
    fn new() -> DeviceResult<Relay> {
        let memory = HostAllocation::new(2 * HALF).ok_or(DeviceError::OutOfHostMemory)?;
        Ok(Relay { imported: Vec::new(), memory })
    }

    fn copy(&mut self, (from, src): Place<'_>, (to, dst): Place<'_>) -> DeviceResult<()> {
        self.import(from);
        self.import(to);
        let size = src.size.min(dst.size);
        let length = |number: u64| HALF.min(size - number * HALF);
        let range = |all: &BufferRange, number: u64| {
            let (memory, offset) = (all.memory.clone(), all.offset + number * HALF);
            Endpoint::bytes(BufferRange { memory, offset, size: length(number) })
        };
        let fill = |number: u64| {
            let half = self.half(from, number, length(number));
            from.transfer(&DeviceCommand::copy(range(&src, number), half, length(number)))
        };
        let empty = |number: u64| {
            let half = self.half(to, number, length(number));
            to.transfer(&DeviceCommand::copy(half, range(&dst, number), length(number)))
        };
        alternate(size.div_ceil(HALF), &fill, &empty)
    }

    /// Imports the memory into a device where it can be.
    fn import(&mut self, device: &Arc<dyn DeviceOps>) {
        if self.imported_by(device).is_some() {
            return;
        }
        let range = HostRange { ptr: self.memory.ptr(), size: 2 * HALF };
        let desc = BufferDesc { size: 2 * HALF, host_visible: true, read_only: false, name: "relay" };
        let memory = device.import_host(range, &desc).ok();
        self.imported.push(Imported { device: device.clone(), memory });
    }

    fn imported_by(&self, device: &Arc<dyn DeviceOps>) -> Option<&Imported> {
        self.imported.iter().find(|known| Arc::ptr_eq(&known.device, device))
    }

    /// The start of a half, as a device reaches it.
    fn half(&self, device: &Arc<dyn DeviceOps>, number: u64, size: u64) -> Endpoint {
        let offset = number % 2 * HALF;
        match self.imported_by(device).and_then(|known| known.memory.clone()) {
            Some(memory) => Endpoint::bytes(BufferRange { memory, offset, size }),
            None => Endpoint::host(self.memory.ptr().offset(offset)),
        }
    }
}

/// Executes `fill` and `empty` for `0..count`. Another thread empties one half while this one fills the
/// other.
fn alternate(
    count: u64,
    fill: &(dyn Fn(u64) -> DeviceResult<()> + Sync),
    empty: &(dyn Fn(u64) -> DeviceResult<()> + Sync),
) -> DeviceResult<()> {
    let one_by_one = || (0..count).try_for_each(|number| fill(number).and_then(|()| empty(number)));
    if count < 2 {
        return one_by_one();
    }
    std::thread::scope(|scope| {
        // A half was emptied when the next number is received.
        let (sender, receiver) = sync_channel::<u64>(0);
        let body = move || {
            threads::block_signals();
            receiver.into_iter().try_for_each(empty)
        };
        let Ok(other) = std::thread::Builder::new().name("pyroclast-relay".into()).spawn_scoped(scope, body)
        else {
            return one_by_one();
        };
        let mut filled = Ok(());
        for number in 0..count {
            filled = fill(number);
            // Sending fails after an error of the other thread.
            if filled.is_err() || sender.send(number).is_err() {
                break;
            }
        }
        drop(sender);
        let emptied =
            other.join().unwrap_or_else(|_| Err(DeviceError::Unexpected("a relay panicked".into())));
        filled.and(emptied)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers in the order in which they were emptied, from halves that `fill` writes.
    fn emptied(count: u64, fails: Option<u64>) -> (DeviceResult<()>, Vec<u64>) {
        let (halves, seen) = (Mutex::new([u64::MAX; 2]), Mutex::new(Vec::new()));
        let fill = |number: u64| {
            halves.lock()[number as usize % 2] = number;
            Ok(())
        };
        let empty = |number: u64| {
            if fails == Some(number) {
                return Err(DeviceError::Lost);
            }
            seen.lock().push(halves.lock()[number as usize % 2]);
            Ok(())
        };
        let result = alternate(count, &fill, &empty);
        (result, seen.into_inner())
    }

    #[test]
    fn each_half_is_emptied_before_it_is_filled_again() {
        for count in [0, 1, 2, 3, 100] {
            let (result, seen) = emptied(count, None);
            assert!(result.is_ok() && seen == (0..count).collect::<Vec<_>>(), "{count}: {seen:?}");
        }
        for at in [0, 1, 50, 99] {
            let (result, seen) = emptied(100, Some(at));
            assert!(matches!(result, Err(DeviceError::Lost)) && seen == (0..at).collect::<Vec<_>>());
        }
    }
}
