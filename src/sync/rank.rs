//! The table of lock ranks and the check that a thread acquires them in rising order (debug builds only).

/// Rank of a lock: a thread that holds one may only acquire higher ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Rank {
    Platform = 1,
    /// The signals and waits of semaphores.
    Semaphore = 2,
    /// Command buffers and their recordings, never two at a time.
    CommandBuffer = 3,
    Context = 4,
    Program = 5,
    KernelArgs = 6,
    /// Residency of memory objects and mappings.
    Residency = 7,
    /// The copies that a paired device has of memory, acquired while residency is brought up to date.
    PairedMemory = 8,
    QueueGraph = 9,
    Event = 10,
    /// The deferred batches of a paired device's queue.
    PairedQueue = 11,
    DeviceReap = 12,
    VkQueue = 13,
    /// Pools and descriptors.
    Pools = 14,
    Allocator = 15,
    CallbackChannel = 16,
    /// Handle pages and quarantine: highest, since objects publish and retire their handles anywhere.
    Handles = 17,
}

#[cfg(debug_assertions)]
mod check {
    use super::Rank;
    use std::cell::RefCell;

    thread_local! {
        static STACK: RefCell<Vec<Rank>> = const { RefCell::new(Vec::new()) };
    }

    /// Marks a lock as held by this thread until dropped.
    pub struct Held(Rank);

    impl Held {
        pub fn acquire(rank: Rank) -> Held {
            // A thread that is being torn down has no stack any more: it is not checked.
            let _ = STACK.try_with(|stack| {
                let mut stack = stack.borrow_mut();
                let highest = stack.iter().max().copied();
                assert!(
                    highest.is_none_or(|h| h < rank),
                    "lock order: {rank:?} acquired while holding {highest:?}"
                );
                stack.push(rank);
            });
            Held(rank)
        }
    }

    impl Drop for Held {
        fn drop(&mut self) {
            let _ = STACK.try_with(|stack| {
                let mut stack = stack.borrow_mut();
                if let Some(at) = stack.iter().rposition(|r| *r == self.0) {
                    stack.remove(at);
                }
            });
        }
    }
}

#[cfg(not(debug_assertions))]
mod check {
    use super::Rank;

    /// Empty in release builds.
    pub struct Held;

    impl Held {
        #[inline]
        pub fn acquire(_rank: Rank) -> Held {
            Held
        }
    }
}

pub(super) use check::Held;

#[cfg(test)]
mod tests {
    use super::super::Mutex;
    use super::Rank;

    #[test]
    fn rising_order_is_allowed_again_and_again() {
        let (a, b) = (Mutex::new(Rank::Context, ()), Mutex::new(Rank::Event, ()));
        for _ in 0..2 {
            let first = a.lock();
            let second = b.lock();
            drop(first);
            drop(second);
        }
    }

    #[test]
    #[cfg(debug_assertions)]
    fn falling_order_is_caught() {
        let caught = std::thread::spawn(|| {
            let (a, b) = (Mutex::new(Rank::Context, ()), Mutex::new(Rank::Event, ()));
            let _second = b.lock();
            let _first = a.lock();
        });
        assert!(caught.join().is_err());
    }
}
