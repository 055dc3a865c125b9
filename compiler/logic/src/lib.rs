//! Linear temporal logic on finite traces, with past, to minimal deterministic automata.
//!
//! A formula is built in an [`Arena`] over atoms that are plain numbers, and [`translate`] turns it
//! into its minimal [`Dfa`], whose transitions are decision diagrams over the atoms: a letter is a
//! valuation of the atoms, and no letter is ever written out. [`satisfiable`] and [`cores`] decide
//! sets of formulas without their common automaton. The crate has no syntax, no input and no
//! output; what the atoms mean is the business of its callers.
//!
//! # The logic
//!
//! A trace is a finite sequence of steps. At a step `i` of a trace with `n` steps:
//!
//! * `next f` (strong): step `i + 1` exists and `f` holds there; `weak next f`: if it exists, `f`
//!   holds there;
//! * `f until g`: `g` holds at some step `j >= i`, and `f` at all steps from `i` to `j - 1`;
//!   `release` is its dual, `unless` the weak until, `strong release` the dual of `unless`;
//! * `always`, `eventually`: at every, at some step from `i` on;
//! * `previously f` (strong), `weak previously f`, `since`, `triggered`, `once`, `historically`:
//!   the mirror images towards the start of the trace.
//!
//! Past operators may stand under future ones; a future operator under a past one is
//! [`Error::FutureUnderPast`]. A trace satisfies a formula if its first step does. The empty trace
//! has no first step; it satisfies `always`, `weak next`, `weak previously`, `release`, `unless`,
//! `historically`, `triggered` and none of the strong operators nor any atom, and Boolean
//! connectives are as usual (language reference, section 4).
//!
//! ```
//! use ctr_logic::{Arena, Label, Limits, translate};
//!
//! let mut arena = Arena::new();
//! let (request, answer) = (arena.atom(0), arena.atom(1));
//! let answered = arena.eventually(answer);
//! let responds = arena.implies(request, answered);
//! let formula = arena.always(responds);
//! let dfa = translate(&mut arena, formula, &[], &Limits::default())?;
//! assert_eq!(dfa.states(), 2);
//! let state = dfa.step(dfa.initial(), |atom| atom == 0);
//! assert_eq!(dfa.label(state), Label::Pending);
//! # Ok::<(), ctr_logic::Error>(())
//! ```
//!
//! # How it works
//!
//! * [`Arena`]: hash-consed formulas with complement in the handle, folded by sound rules while
//!   they are built, among them a deep syntactic implication.
//! * `diagram`: multi-terminal decision diagrams in one vector, with a unique table and an apply
//!   cache.
//! * `translate`: a state is a formula (what is left to satisfy) and, for the past, one bit of
//!   memory for each past operator that the formula still contains. Its successors are one diagram
//!   whose leaves are pairs (next state, may the trace stop here), after Duret-Lutz et al.,
//!   "Engineering an LTLf Synthesis Tool" (CIAA 2025); conjunctions that are too big for that are
//!   translated part by part and multiplied.
//! * `automaton`: the transition-accepting automata in between, their products, and minimisation by
//!   refinement of fingerprints, in rounds and then from what changed, checked exactly in the end.
//! * `search`: satisfiability without automata, by SAT: traces unrolled to a given length, and property
//!   directed reachability from both ends.
//! * [`Dfa`]: the result, state-accepting, canonically numbered, with products, inclusion and
//!   witnesses.
//! * `evaluate`: [`Arena::holds`], from the definitions alone; it checks every trace that the next
//!   ones give.
//! * `satisfiability`: the automata engine (lazy conjunction refinement) and the race of all three; [`Prover`] for many
//!   questions about the same formulas.
//! * `cores`: minimal cores by deletion and QuickXplain, all of them by MARCO, smallest first.

// The tests share files that know the crate by its name.
#[cfg(test)]
extern crate self as ctr_logic;

mod automaton;
mod cores;
mod dfa;
mod diagram;
mod evaluate;
mod formula;
mod implication;
mod limits;
mod ops;
mod print;
mod satisfiability;
mod search;
mod translate;

pub use cores::{Core, CoreOptions, Cores, cores};
pub use dfa::{Dfa, Label, Node, NodeRef, StateId};
pub use formula::{Arena, Formula};
pub use limits::{Error, Limits};
pub use ops::{BooleanOp, Letter};
pub use satisfiability::{
    Answer, Effort, Engine, Prover, Satisfiability, Traces, Verdict, satisfiable,
};
pub use translate::{Strategy, translate, translate_with};
