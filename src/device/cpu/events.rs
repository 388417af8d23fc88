//! Events of device-side enqueue. They live as long as the command.
//!
//! An event is reference-counted: by retains of kernels, by its own kernel until that is complete, and by
//! kernels that wait for it.

/// Status of an event. Of several events, the greatest decides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Status {
    Complete,
    Pending,
    Failed,
}

/// Times of a kernel in nanoseconds: from its start to its end, and until its children were complete.
pub type Spent = [u64; 2];

struct ChildEvent {
    users: u32,
    status: Status,
    is_user: bool,
    spent: Option<Spent>,
    /// Addresses where kernels requested the times.
    wanted: Vec<u64>,
}

/// An event handle in kernels: the slot's index, and in the high half the slot's reuse count. Never 0 or all
/// ones.
pub type Word = u64;

/// The events of a command.
#[derive(Default)]
pub struct Events {
    slots: Vec<(u32, Option<ChildEvent>)>,
    free: Vec<u32>,
}

impl Events {
    /// Creates an event with one reference; `None` if there are `most` already.
    pub fn create(&mut self, is_user: bool, most: usize) -> Option<Word> {
        let event =
            ChildEvent { users: 1, status: Status::Pending, is_user, spent: None, wanted: Vec::new() };
        let at = match self.free.pop() {
            Some(at) => at,
            None if self.slots.len() < most => {
                self.slots.push((0, None));
                self.slots.len() as u32 - 1
            }
            None => return None,
        };
        let slot = self.slots.get_mut(at as usize)?;
        slot.1 = Some(event);
        Some(u64::from(slot.0) << 32 | u64::from(at + 1))
    }

    fn get(&mut self, word: Word) -> Option<&mut ChildEvent> {
        let at = (word as u32).checked_sub(1)? as usize;
        let (turn, event) = self.slots.get_mut(at)?;
        event.as_mut().filter(|_| u64::from(*turn) == word >> 32)
    }

    /// Whether the handle is valid.
    pub fn is_valid(&mut self, word: Word) -> bool {
        self.get(word).is_some()
    }

    /// Status of the event; a released one has failed.
    pub fn status(&mut self, word: Word) -> Status {
        self.get(word).map_or(Status::Failed, |e| e.status)
    }

    /// Adds a reference.
    pub fn retain(&mut self, word: Word) {
        if let Some(event) = self.get(word) {
            event.users = event.users.saturating_add(1);
        }
    }

    /// Drops a reference; the last one frees the event.
    pub fn release(&mut self, word: Word) {
        let Some(event) = self.get(word) else { return };
        event.users -= 1;
        if event.users > 0 {
            return;
        }
        let at = word as u32 - 1;
        if let Some((turn, event)) = self.slots.get_mut(at as usize) {
            *event = None;
            // A slot whose handles are used up is not reused.
            if let Some(next) = turn.checked_add(1).filter(|next| *next != u32::MAX) {
                *turn = next;
                self.free.push(at);
            }
        }
    }

    /// Sets the status of a user event; false if it is not a user event or already set.
    pub fn set(&mut self, word: Word, status: Status) -> bool {
        let event = self.get(word).filter(|e| e.is_user && e.status == Status::Pending);
        event.map(|e| e.status = status).is_some()
    }

    /// Completes the event of a kernel. Returns the addresses where its times are requested.
    pub fn complete(&mut self, word: Word, status: Status, spent: Spent) -> Vec<u64> {
        let Some(event) = self.get(word) else { return Vec::new() };
        (event.status, event.spent) = (status, Some(spent));
        std::mem::take(&mut event.wanted)
    }

    /// Requests the times of the event's kernel at an address. Returns them if they are known. User events
    /// have none.
    pub fn capture(&mut self, word: Word, address: u64) -> Option<Spent> {
        let event = self.get(word).filter(|e| !e.is_user)?;
        if event.spent.is_none() {
            event.wanted.push(address);
        }
        event.spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_ends_with_its_last_user() {
        let mut events = Events::default();
        let first = events.create(true, 1).unwrap();
        assert!(events.create(true, 1).is_none());
        events.retain(first);
        events.release(first);
        assert!(events.is_valid(first));
        events.release(first);
        assert!(!events.is_valid(first));
        let second = events.create(false, 1).unwrap();
        assert!(second != first && events.is_valid(second) && !events.is_valid(first));
        for word in [0, u64::MAX, second + 1] {
            assert!(!events.is_valid(word));
            events.release(word);
        }
        assert_eq!(events.status(first), Status::Failed);
    }

    #[test]
    fn only_user_events_are_set_and_once() {
        let mut events = Events::default();
        let (user, own) = (events.create(true, 9).unwrap(), events.create(false, 9).unwrap());
        assert!(
            events.set(user, Status::Complete)
                && !events.set(user, Status::Failed)
                && !events.set(own, Status::Complete)
        );
        assert_eq!((events.status(user), events.status(own)), (Status::Complete, Status::Pending));
    }

    #[test]
    fn times_go_where_they_are_wanted() {
        let mut events = Events::default();
        let (user, own) = (events.create(true, 9).unwrap(), events.create(false, 9).unwrap());
        assert_eq!(events.capture(user, 8), None);
        assert_eq!(events.capture(own, 16), None);
        assert_eq!(events.complete(own, Status::Complete, [1, 2]), [16]);
        assert_eq!(events.capture(own, 24), Some([1, 2]));
    }
}
