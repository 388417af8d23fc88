//! Recording of lists.

use super::list::{List, Recorded, prints};
use super::pools::SubmitPools;
use super::record::Recorder;
use crate::device::batch::{Access, Endpoint, ListItem};
use crate::device::traits::{DeviceError, DeviceResult};
use parking_lot::Mutex;

/// Records the commands of a list.
pub fn record(pools: &'static SubmitPools, items: Vec<ListItem>) -> DeviceResult<List> {
    let is_host = |(side, _): (&Endpoint, Access)| matches!(side, Endpoint::Host(..));
    if items.iter().any(|item| item.command.endpoints().any(is_host)) {
        return Err(DeviceError::Unexpected("a recorded command with host memory".into()));
    }
    let prints = items.iter().any(|item| prints(&item.command) > 0);
    let recorded = if prints { None } else { Some(record_once(pools, &items)?) };
    Ok(List::new(pools, items, recorded))
}

fn record_once(pools: &'static SubmitPools, items: &[ListItem]) -> DeviceResult<Recorded> {
    let mut recorder = Recorder::begin_list(pools)?;
    for item in items {
        if let Err(e) = recorder.command(&item.command, item.ordered) {
            recorder.abandon();
            return Err(e);
        }
    }
    let (allocator, accesses, transfers) = recorder.end_list()?;
    Ok(Recorded { cmd: allocator.cmd, allocator: Mutex::new(allocator), accesses, transfers })
}
