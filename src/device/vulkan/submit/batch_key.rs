//! Keys of batches, which are equal if one command buffer serves them.

use super::by_host::HostTransfer;
use super::command_key::CommandKey;
use crate::device::batch::BatchItem;

/// Limit of commands in a batch that has a key.
const MOST_COMMANDS: usize = 64;

/// The keys of the commands of a batch.
#[derive(Default, PartialEq)]
pub struct BatchKey(CommandKey);

impl BatchKey {
    /// Makes the key equal to no batch's.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Replaces the key by that of a batch. Returns false if the batch has none: its commands depend on more
    /// than their operands, or the host may execute the first ones itself.
    pub fn describe(&mut self, items: &[BatchItem]) -> bool {
        self.0.clear();
        items.first().is_some_and(|item| matches!(HostTransfer::of(&item.command), Ok(None)))
            && items.len() <= MOST_COMMANDS
            && items.iter().all(|item| self.0.add(item))
    }
}
