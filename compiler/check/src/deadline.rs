//! When an analysis ends: at its time, or as soon as another thread says so.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Lets another thread end an analysis early: its answer is then of no use. One serves one analysis at a time.
///
/// A question that Z3 is at work on is interrupted. Z3 cannot be used in that thread afterwards: the thread has to end.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Option<Arc<Shared>>);

#[derive(Debug, Default)]
struct Shared {
    cancelled: AtomicBool,
    work: Mutex<Work>,
    changed: Condvar,
}

/// What the thread of the analysis is at.
#[cfg_attr(
    not(feature = "z3"),
    expect(dead_code, reason = "there is no solver to wait for")
)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Work {
    #[default]
    Thinking,
    /// Waiting for the solver.
    Solving,
    /// Done.
    Ended,
}

impl Shared {
    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(feature = "z3")]
    fn set(&self, work: Work) {
        *self.work() = work;
        self.changed.notify_all();
    }
}

impl Cancel {
    /// One that never ends anything.
    pub const NEVER: Self = Self(None);

    /// One that can be used; [`Cancel::NEVER`] ends nothing.
    #[must_use]
    pub fn new() -> Self {
        Self(Some(Arc::default()))
    }

    /// Ends the analysis.
    pub fn cancel(&self) {
        if let Some(shared) = &self.0 {
            shared.cancelled.store(true, Ordering::Relaxed);
            // Whoever waits must see it: it is told under the lock.
            let _work = shared.work();
            shared.changed.notify_all();
        }
    }

    /// Whether it was ended.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0
            .as_ref()
            .is_some_and(|shared| shared.cancelled.load(Ordering::Relaxed))
    }

    /// Whether it can be ended at all.
    #[cfg(feature = "z3")]
    pub(crate) fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// Asks the solver.
    #[cfg(feature = "z3")]
    pub(crate) fn solving<T>(&self, ask: impl FnOnce() -> T) -> T {
        let Some(shared) = &self.0 else {
            return ask();
        };
        shared.set(Work::Solving);
        let _back = Back(shared, Work::Thinking);
        ask()
    }

    /// Does the work of an analysis; [`Cancel::watch`] ends with it.
    #[cfg(feature = "z3")]
    pub(crate) fn ending<T>(&self, work: impl FnOnce() -> T) -> T {
        let Some(shared) = &self.0 else {
            return work();
        };
        let _back = Back(shared, Work::Ended);
        work()
    }

    /// Waits until the analysis has ended; interrupts each question to the solver once it is cancelled.
    #[cfg(feature = "z3")]
    pub(crate) fn watch(&self, interrupt: impl Fn()) {
        let Some(shared) = &self.0 else {
            return;
        };
        let mut work = shared.work();
        loop {
            match *work {
                Work::Ended => return,
                Work::Solving if self.is_cancelled() => interrupt(),
                Work::Solving | Work::Thinking => {}
            }
            work = shared
                .changed
                .wait(work)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Begins a new analysis.
    #[cfg(feature = "z3")]
    pub(crate) fn begin(&self) {
        if let Some(shared) = &self.0 {
            *shared.work() = Work::Thinking;
        }
    }
}

/// Notes on its way out, also by a panic, what the thread is at.
#[cfg(feature = "z3")]
struct Back<'s>(&'s Shared, Work);

#[cfg(feature = "z3")]
impl Drop for Back<'_> {
    fn drop(&mut self) {
        self.0.set(self.1);
    }
}

/// A time at which work ends, unless it is ended before.
#[derive(Clone, Debug)]
pub(crate) struct Deadline {
    at: Instant,
    pub(crate) cancel: Cancel,
}

impl Deadline {
    /// In so long from now.
    pub(crate) fn new(timeout: Duration, cancel: &Cancel) -> Self {
        let now = Instant::now();
        // Beyond what a clock can show is as good as an age.
        let at = now
            .checked_add(timeout)
            .unwrap_or_else(|| now + Duration::from_secs(1 << 30));
        Self {
            at,
            cancel: cancel.clone(),
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.cancel.is_cancelled() || Instant::now() >= self.at
    }

    /// What is left.
    pub(crate) fn left(&self) -> Duration {
        if self.cancel.is_cancelled() {
            return Duration::ZERO;
        }
        self.at.saturating_duration_since(Instant::now())
    }

    /// The same, or in so long from now, whichever comes first.
    pub(crate) fn within(&self, part: Duration) -> Self {
        let at = Instant::now().checked_add(part);
        Self {
            at: at.map_or(self.at, |at| at.min(self.at)),
            cancel: self.cancel.clone(),
        }
    }
}
