//! Budgets, cancellation, and the errors of the engine.

use crate::Formula;
use std::fmt;

/// What a translation, a product or a search may use before it gives up with an error.
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    /// States of any one automaton, also of those in between.
    pub states: usize,
    /// Nodes of any one diagram table, and of any one product before it is reduced; for an engine on
    /// a SAT solver variables, clauses and learned clauses together, with a thousand propagated
    /// literals for each.
    pub nodes: usize,
    /// Asked now and then; `true` stops the work with [`Error::Cancelled`].
    ///
    /// It may be asked from several threads at once: engines race.
    pub cancel: Option<&'a (dyn Fn() -> bool + Sync)>,
}

impl Limits<'_> {
    /// The default number of states.
    pub const STATES: usize = 20_000;
    /// The default number of diagram nodes.
    pub const NODES: usize = 4_000_000;
    /// The largest number of atoms in one formula or product: diagrams are walked by recursion over
    /// their atoms.
    pub const ATOMS: usize = 1_000;

    pub(crate) fn check_cancelled(&self) -> Result<(), Error> {
        match self.cancel {
            Some(cancelled) if cancelled() => Err(Error::Cancelled),
            _ => Ok(()),
        }
    }
}

/// Counts the steps of work on diagrams that need not make nodes, so that they too are bounded and
/// can be cancelled.
pub(crate) struct Meter<'a> {
    limits: &'a Limits<'a>,
    steps: usize,
    limit: usize,
}

impl<'a> Meter<'a> {
    /// Steps for each node of the budget.
    const STEPS: usize = 4;

    pub(crate) fn new(limits: &'a Limits<'a>) -> Self {
        Self {
            limits,
            steps: 0,
            limit: limits.nodes.saturating_mul(Self::STEPS),
        }
    }

    /// One more step.
    pub(crate) fn step(&mut self) -> Result<(), Error> {
        self.steps += 1;
        if self.steps.is_multiple_of(1 << 14) {
            self.limits.check_cancelled()?;
        }
        if self.steps > self.limit {
            Err(Error::TooManyNodes {
                limit: self.limits.nodes,
            })
        } else {
            Ok(())
        }
    }
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Self {
            states: Self::STATES,
            nodes: Self::NODES,
            cancel: None,
        }
    }
}

impl fmt::Debug for Limits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limits")
            .field("states", &self.states)
            .field("nodes", &self.nodes)
            .field("cancel", &self.cancel.is_some())
            .finish()
    }
}

/// Why there is no automaton, or no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// An automaton needed more states than the limit.
    TooManyStates {
        /// The limit that was reached.
        limit: usize,
    },
    /// A table of diagrams needed more nodes than the limit.
    TooManyNodes {
        /// The limit that was reached.
        limit: usize,
    },
    /// An engine on a SAT solver needed more than the limit on nodes allows.
    SearchTooLarge {
        /// The limit that was reached.
        limit: usize,
    },
    /// The formula, or both automata of a product together, have more atoms than [`Limits::ATOMS`].
    TooManyAtoms {
        /// The limit that was reached.
        limit: usize,
    },
    /// A future operator stands under a past one. Both formulas are given without regard to
    /// negation: compare them with [`Formula::same_up_to_negation`].
    FutureUnderPast {
        /// The subformula whose main operator is of the past.
        past: Formula,
        /// The subformula under it whose main operator is of the future.
        future: Formula,
    },
    /// [`Limits::cancel`] said so.
    Cancelled,
    /// Two parts of the crate contradict each other, such as an engine that gives a trace which the
    /// evaluator rejects. A bug: no answer is given rather than a wrong one.
    Contradiction(&'static str),
}

impl Error {
    /// Whether a larger budget might have led to an automaton or an answer.
    pub fn is_limit(&self) -> bool {
        matches!(
            self,
            Self::TooManyStates { .. }
                | Self::TooManyNodes { .. }
                | Self::SearchTooLarge { .. }
                | Self::TooManyAtoms { .. }
        )
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyStates { limit } => {
                write!(f, "the automaton needs more than {limit} states")
            }
            Self::TooManyNodes { limit } => {
                write!(f, "the automaton's diagrams need more than {limit} nodes")
            }
            Self::SearchTooLarge { limit } => {
                write!(
                    f,
                    "the search needs more than a limit of {limit} nodes allows"
                )
            }
            Self::TooManyAtoms { limit } => write!(f, "there are more than {limit} atoms"),
            Self::FutureUnderPast { .. } => {
                f.write_str("a future operator stands under a past operator")
            }
            Self::Cancelled => f.write_str("cancelled"),
            Self::Contradiction(what) => write!(f, "internal error: {what}"),
        }
    }
}

impl std::error::Error for Error {}
