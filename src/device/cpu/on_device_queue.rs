//! On-device queues: the numbers that identify them in kernels, and their capacity.
//!
//! A number is never reused, so that a stale one finds no queue. A lock guards the table of numbers.

use super::super::traits::OnDeviceQueue;
use super::pool::Pool;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// Maximum bytes of a kernel that every queue has room for.
const ONE: u64 = 128 << 10;

/// An on-device queue.
pub struct CpuOnDeviceQueue {
    word: u64,
    /// The pool whose kernels may use the queue.
    pool: Arc<Pool>,
    size: u64,
    /// Bytes of commands that are enqueued and have not started.
    used: AtomicU64,
}

static QUEUES: Mutex<BTreeMap<u64, Weak<CpuOnDeviceQueue>>> = Mutex::new(BTreeMap::new());

impl CpuOnDeviceQueue {
    /// Creates a queue for kernels that run on this pool.
    pub fn create(pool: &Arc<Pool>, size: u32) -> Arc<CpuOnDeviceQueue> {
        static COUNT: AtomicU64 = AtomicU64::new(1);
        let word = COUNT.fetch_add(1, Ordering::Relaxed);
        let queue = Arc::new(CpuOnDeviceQueue {
            word,
            pool: pool.clone(),
            size: u64::from(size),
            used: AtomicU64::new(0),
        });
        QUEUES.lock().insert(word, Arc::downgrade(&queue));
        queue
    }

    /// The queue with this number, for kernels on this pool.
    pub fn find(word: u64, pool: &Pool) -> Option<Arc<CpuOnDeviceQueue>> {
        let queue = QUEUES.lock().get(&word).and_then(Weak::upgrade)?;
        std::ptr::eq(&*queue.pool, pool).then_some(queue)
    }

    /// Reserves `bytes`, if available. A queue of any size has room for one kernel.
    pub fn take(self: &Arc<Self>, bytes: u64) -> Option<Room> {
        let size = |used: u64| if used == 0 { self.size.max(ONE) } else { self.size };
        let more = |used: u64| used.checked_add(bytes).filter(|all| *all <= size(used));
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Room { queue: self.clone(), bytes })
    }
}

impl Drop for CpuOnDeviceQueue {
    fn drop(&mut self) {
        QUEUES.lock().remove(&self.word);
    }
}

impl OnDeviceQueue for CpuOnDeviceQueue {
    fn word(&self) -> u64 {
        self.word
    }
}

/// A reservation in a queue, released on drop.
pub struct Room {
    queue: Arc<CpuOnDeviceQueue>,
    bytes: u64,
}

impl Room {
    /// Whether the reservation is in this queue.
    pub fn is_on(&self, queue: &Arc<CpuOnDeviceQueue>) -> bool {
        Arc::ptr_eq(&self.queue, queue)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.queue.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_are_found_by_their_own_device_while_they_live() {
        let (pool, other) = (Arc::new(Pool::new(1)), Pool::new(1));
        let queue = CpuOnDeviceQueue::create(&pool, 100);
        let word = queue.word();
        assert!(CpuOnDeviceQueue::find(word, &pool).is_some_and(|q| Arc::ptr_eq(&q, &queue)));
        assert!(CpuOnDeviceQueue::find(word, &other).is_none());
        drop(queue);
        assert!(CpuOnDeviceQueue::find(word, &pool).is_none());
    }

    #[test]
    fn room_is_given_back() {
        let queue = CpuOnDeviceQueue::create(&Arc::new(Pool::new(1)), 100);
        let room = queue.take(60).unwrap();
        assert!(queue.take(41).is_none());
        assert!(queue.take(40).is_some());
        drop(room);
        assert!(queue.take(100).is_some());
        assert!(queue.take(u64::MAX).is_none());
    }

    #[test]
    fn the_smallest_queue_holds_one_kernel() {
        let queue = CpuOnDeviceQueue::create(&Arc::new(Pool::new(1)), 1);
        for _ in 0..2 {
            let _room = queue.take(300).unwrap();
            assert!(queue.take(1).is_none());
        }
    }
}
