//! Stopping one engine and not the others.

use crate::limits::Limits;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What an engine asks, beside the caller's own cancellation, whether to go on.
#[derive(Debug)]
pub(crate) struct Gate {
    shut: AtomicBool,
    /// How many more times the engine may ask. Engines ask after fixed amounts of work, so this is
    /// a measure of effort that does not depend on time.
    asks: AtomicUsize,
}

impl Default for Gate {
    fn default() -> Self {
        Self {
            shut: AtomicBool::new(false),
            asks: AtomicUsize::new(usize::MAX),
        }
    }
}

impl Gate {
    /// Lets the engine work until it has asked this many times.
    pub(crate) fn open_for(&self, asks: usize) {
        self.asks.store(asks, Ordering::Relaxed);
        self.shut.store(false, Ordering::Relaxed);
    }

    /// Lets the engine work.
    pub(crate) fn open(&self) {
        self.open_for(usize::MAX);
    }

    /// Stops the engine.
    pub(crate) fn shut(&self) {
        self.shut.store(true, Ordering::Relaxed);
    }

    /// Whether the engine is to stop, asked by the engine.
    fn ask(&self) -> bool {
        if self.shut.load(Ordering::Relaxed) {
            return true;
        }
        let left = self.asks.load(Ordering::Relaxed);
        if left == 0 {
            self.shut();
        } else if left != usize::MAX {
            // One engine asks one gate: nobody else counts in between.
            self.asks.store(left - 1, Ordering::Relaxed);
        }
        left == 0
    }

    /// Whether the engine was stopped here.
    pub(crate) fn is_shut(&self) -> bool {
        self.shut.load(Ordering::Relaxed)
    }
}

/// A gate for each engine.
#[derive(Debug, Default)]
pub(crate) struct Gates {
    pub(crate) automata: Gate,
    pub(crate) bounded: Gate,
    pub(crate) reachability: Gate,
}

impl Gates {
    pub(crate) fn shut(&self) {
        self.automata.shut();
        self.bounded.shut();
        self.reachability.shut();
    }

    pub(crate) fn open(&self) {
        self.automata.open();
        self.bounded.open();
        self.reachability.open();
    }
}

/// The limits of each engine: those of the caller, with a gate for cancellation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gated<'l> {
    pub(crate) gates: &'l Gates,
    pub(crate) caller: Limits<'l>,
    pub(crate) automata: Limits<'l>,
    pub(crate) bounded: Limits<'l>,
    pub(crate) reachability: Limits<'l>,
}

/// Does `work` with gated limits.
pub(crate) fn gated<R>(limits: &Limits<'_>, work: impl FnOnce(Gated<'_>) -> R) -> R {
    let gates = Gates::default();
    let cancelled = || limits.cancel.is_some_and(|cancelled| cancelled());
    let automata = || gates.automata.ask() || cancelled();
    let bounded = || gates.bounded.ask() || cancelled();
    let reachability = || gates.reachability.ask() || cancelled();
    work(Gated {
        gates: &gates,
        caller: *limits,
        automata: Limits {
            cancel: Some(&automata),
            ..*limits
        },
        bounded: Limits {
            cancel: Some(&bounded),
            ..*limits
        },
        reachability: Limits {
            cancel: Some(&reachability),
            ..*limits
        },
    })
}

#[cfg(test)]
mod tests {
    #![allow(missing_docs, reason = "tests")]

    use super::*;

    #[test]
    fn a_gate_counts_and_stays_shut() {
        let gate = Gate::default();
        assert!(!gate.ask());
        gate.open_for(2);
        assert!(!gate.ask() && !gate.ask() && !gate.is_shut());
        assert!(gate.ask() && gate.is_shut() && gate.ask());
        gate.open();
        assert!(!gate.ask());
        gate.shut();
        assert!(gate.ask());
    }
}
