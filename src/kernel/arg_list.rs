//! Argument lists of launches. Launches between which no argument changes share one. A list without launches
//! is emptied, so that it keeps no memory object alive, and reused for another launch of any kernel.
//!
//! Locks: the kernel's arguments (rank KernelArgs), then the lists for reuse (rank Pools); a list's own (rank
//! KernelArgs) alone. None while a list is emptied.

use super::args::{ArgSnapshot, Args};
use crate::device::batch::ArgValue;
use crate::sync::{Mutex, Rank};
use std::ops::Deref;
use std::sync::Arc;

/// Limit of lists kept for reuse.
const MOST_SPARE: usize = 2048;

static SPARE: Mutex<Vec<Arc<ArgList>>> = Mutex::new(Rank::Pools, Vec::new());

/// Argument values shared by launches, with their lowered form.
pub struct ArgList {
    values: Vec<ArgSnapshot>,
    lowered: Mutex<Lowered>,
}

/// The values in the form of a device.
#[derive(Default)]
struct Lowered {
    args: Option<Arc<Vec<ArgValue>>>,
    /// Index of the device in the context; `None` if the values may differ at the next launch.
    device: Option<usize>,
}

impl ArgList {
    /// Takes an empty list for reuse, or creates one; it has no other references.
    pub(super) fn empty() -> Arc<ArgList> {
        let spare = SPARE.lock().pop();
        spare.unwrap_or_else(|| {
            let lowered = Mutex::new(Rank::KernelArgs, Lowered::default());
            Arc::new(ArgList { values: Vec::new(), lowered })
        })
    }

    /// The values, to be filled.
    pub(super) fn room(&mut self) -> &mut Vec<ArgSnapshot> {
        &mut self.values
    }

    /// Empties a list without other references, and keeps it for reuse.
    pub(super) fn recycle(mut list: Arc<ArgList>) {
        let Some(only) = Arc::get_mut(&mut list) else { return };
        only.values.clear();
        let lowered = only.lowered.get_mut();
        lowered.device = None;
        lowered.args = lowered.args.take().and_then(|mut args| {
            Arc::get_mut(&mut args)?.clear();
            Some(args)
        });
        let mut spare = SPARE.lock();
        if spare.len() < MOST_SPARE {
            spare.push(list);
        }
    }
}

/// A launch's reference to a list.
pub struct ArgsInUse {
    list: Option<Arc<ArgList>>,
    /// The arguments of the list's kernel.
    home: Arc<Mutex<Args>>,
}

impl ArgsInUse {
    pub(super) fn new(list: Arc<ArgList>, home: Arc<Mutex<Args>>) -> ArgsInUse {
        ArgsInUse { list: Some(list), home }
    }

    /// The values for a device of the context. `make` appends them if they are not known yet, and returns
    /// whether they stay valid for later launches.
    pub fn lower<E>(
        &self,
        device: usize,
        make: impl FnOnce(&mut Vec<ArgValue>) -> Result<bool, E>,
    ) -> Result<Arc<Vec<ArgValue>>, E> {
        let room = self.list.as_ref().and_then(|list| {
            let mut lowered = list.lowered.lock();
            match &lowered.args {
                Some(args) if lowered.device == Some(device) => Some(Ok(args.clone())),
                _ if lowered.device.is_none() => lowered.args.take().map(Err),
                _ => None,
            }
        });
        let mut args = match room {
            Some(Ok(known)) => return Ok(known),
            // Room that no launch in flight uses.
            Some(Err(room)) if Arc::strong_count(&room) == 1 => room,
            _ => Arc::default(),
        };
        let values = Arc::make_mut(&mut args);
        values.clear();
        let stay = make(values)?;
        if let Some(list) = &self.list {
            let mut lowered = list.lowered.lock();
            if lowered.device.is_none() {
                *lowered = Lowered { args: Some(args.clone()), device: stay.then_some(device) };
            }
        }
        Ok(args)
    }
}

impl Deref for ArgsInUse {
    type Target = [ArgSnapshot];
    fn deref(&self) -> &[ArgSnapshot] {
        self.list.as_ref().map_or(&[], |list| &list.values)
    }
}

impl Drop for ArgsInUse {
    fn drop(&mut self) {
        let left = self.list.take().and_then(|list| self.home.lock().leave(list));
        if let Some(list) = left {
            ArgList::recycle(list);
        }
    }
}
