//! The one thread that runs the application's callbacks, in the order they were posted and with no lock held.
//!
//! The thread starts with the first callback and is never joined. A panic in a callback is contained.
//! Locks: none of its own; the channel may be posted to with any lock held.

use crossbeam_channel::{Sender, unbounded};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

/// A callback with everything it needs.
pub type Callback = Box<dyn FnOnce() + Send>;

static SENDER: OnceLock<Option<Sender<Callback>>> = OnceLock::new();

fn start() -> Option<Sender<Callback>> {
    let (sender, receiver) = unbounded::<Callback>();
    let spawned = std::thread::Builder::new().name("pyroclast-callback".into()).spawn(move || {
        for callback in receiver {
            run(callback);
        }
    });
    match spawned {
        Ok(_) => Some(sender),
        Err(error) => {
            tracing::error!(%error, "cannot start the callback thread; callbacks run where they are posted");
            None
        }
    }
}

fn run(callback: Callback) {
    if catch_unwind(AssertUnwindSafe(callback)).is_err() {
        tracing::error!("a callback panicked");
    }
}

/// Runs `callback` on the callback thread, after those posted before it.
pub fn post(callback: Callback) {
    match SENDER.get_or_init(start) {
        Some(sender) => {
            if let Err(unsent) = sender.send(callback) {
                run(unsent.into_inner());
            }
        }
        None => run(callback),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callbacks_run_in_order_and_survive_a_panic() {
        let (sender, receiver) = unbounded();
        for i in 0..100 {
            let sender = sender.clone();
            post(Box::new(move || {
                assert!(i != 50, "contained");
                let _ = sender.send(i);
            }));
        }
        drop(sender);
        let seen: Vec<i32> = receiver.iter().collect();
        let expected: Vec<i32> = (0..100).filter(|i| *i != 50).collect();
        assert_eq!(seen, expected);
    }
}
