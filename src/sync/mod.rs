//! Locks with a rank. A thread may only acquire locks of rising rank. Debug builds check that and fail
//! loudly; release builds have no overhead.
//!
//! Rules beyond the ranks: no lock is held across user callbacks, waits for the device, child processes,
//! dlopen or file I/O, nor when the last reference of an API object may be dropped.

mod rank;

pub use rank::Rank;

use rank::Held;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

/// A mutual exclusion lock with a rank.
pub struct Mutex<T> {
    rank: Rank,
    inner: parking_lot::Mutex<T>,
}

/// Access to the data of a [`Mutex`].
pub struct MutexGuard<'a, T> {
    // Fields are dropped in this order: the lock is released, then its rank.
    inner: parking_lot::MutexGuard<'a, T>,
    _held: Held,
}

impl<T> Mutex<T> {
    /// A lock of the given rank.
    pub const fn new(rank: Rank, value: T) -> Self {
        Mutex { rank, inner: parking_lot::Mutex::new(value) }
    }
    /// Waits for the lock.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        let held = Held::acquire(self.rank);
        MutexGuard { inner: self.inner.lock(), _held: held }
    }
    /// The data of a lock that is not shared.
    pub fn get_mut(&mut self) -> &mut T {
        self.inner.get_mut()
    }
    /// The data.
    pub fn into_inner(self) -> T {
        self.inner.into_inner()
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.inner
    }
}

/// A readers-writer lock with a rank.
pub struct RwLock<T> {
    rank: Rank,
    inner: parking_lot::RwLock<T>,
}

/// Shared access to the data of an [`RwLock`].
pub struct ReadGuard<'a, T> {
    inner: parking_lot::RwLockReadGuard<'a, T>,
    _held: Held,
}

/// Exclusive access to the data of an [`RwLock`].
pub struct WriteGuard<'a, T> {
    inner: parking_lot::RwLockWriteGuard<'a, T>,
    _held: Held,
}

impl<T> RwLock<T> {
    /// A lock of the given rank.
    pub const fn new(rank: Rank, value: T) -> Self {
        RwLock { rank, inner: parking_lot::RwLock::new(value) }
    }
    /// Waits for shared access.
    pub fn read(&self) -> ReadGuard<'_, T> {
        let held = Held::acquire(self.rank);
        ReadGuard { inner: self.inner.read(), _held: held }
    }
    /// Waits for exclusive access.
    pub fn write(&self) -> WriteGuard<'_, T> {
        let held = Held::acquire(self.rank);
        WriteGuard { inner: self.inner.write(), _held: held }
    }
}

impl<T> Deref for ReadGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T> Deref for WriteGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T> DerefMut for WriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.inner
    }
}

/// A condition variable for [`Mutex`].
#[derive(Default)]
pub struct Condvar(parking_lot::Condvar);

impl Condvar {
    /// A condition variable.
    pub const fn new() -> Self {
        Condvar(parking_lot::Condvar::new())
    }
    /// Releases the lock and waits for a notification; may wake without one.
    pub fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
        self.0.wait(&mut guard.inner);
    }
    /// Like [`Condvar::wait`], with a time limit; true if it expired.
    pub fn wait_for<T>(&self, guard: &mut MutexGuard<'_, T>, timeout: Duration) -> bool {
        self.0.wait_for(&mut guard.inner, timeout).timed_out()
    }
    /// Wakes one waiter.
    pub(crate) fn notify_one(&self) {
        self.0.notify_one();
    }
    /// Wakes every waiter.
    pub(crate) fn notify_all(&self) {
        self.0.notify_all();
    }
}
