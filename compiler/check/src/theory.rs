//! What a solver is asked about events, and what it answers.

use std::collections::BTreeMap;

use ctr_front::ir::{ExprId, RegisterId};
use ctr_runtime::value::Value;

use crate::universe::Class;

/// When sessions begin: 2026-01-01T00:00:00Z, in nanoseconds.
pub(crate) const START: i64 = 1_767_225_600_000_000_000;

/// A part of a path that stands for an element of a list.
pub(crate) const ELEMENT: &str = "[*]";

/// A step of an abstract session.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// Its group.
    pub(crate) group: usize,
    /// Its kind and tool.
    pub(crate) class: Class,
    /// The leaves that matter at it, with their values.
    pub(crate) literals: Vec<(u32, bool)>,
    /// The step whose arguments it carries: its own, or that of the call that it answers.
    pub(crate) owner: usize,
    /// Positions of literals that are decided apart ([`crate::texts`]).
    pub(crate) apart: Vec<usize>,
}

/// An abstract session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    /// Its steps.
    pub(crate) steps: Vec<Step>,
    /// For each aggregate that a leaf reads, and the keys in whose name, which steps are members.
    pub(crate) members: BTreeMap<(RegisterId, Vec<u32>), Vec<bool>>,
    /// Texts that the conditions on them allow: a step, an expression, and what it may be there.
    pub(crate) texts: Vec<(usize, ExprId, String)>,
    /// The values are for people to read.
    #[cfg_attr(
        not(feature = "z3"),
        expect(dead_code, reason = "only a solver chooses values")
    )]
    pub(crate) natural: bool,
}

/// Whether an event with some literals can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Letter {
    /// There is one, as far as is known.
    Possible,
    /// There is none: these literals (by their position) exclude each other.
    Impossible(Vec<usize>),
    /// The solver does not know.
    Unknown(String),
}

/// Whether a session with some letters can be.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    /// These are the values of its events.
    Values(Vec<Values>),
    /// No values give these letters: no session begins like this.
    #[cfg_attr(
        not(feature = "z3"),
        expect(dead_code, reason = "only a solver shows it")
    )]
    Impossible,
    /// The solver does not know.
    Unknown(String),
}

/// The values of an event: paths of fields with what is there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values {
    /// Arguments.
    pub(crate) args: Vec<(Vec<String>, Value)>,
    /// Result.
    pub(crate) result: Vec<(Vec<String>, Value)>,
    /// Fields of a declared event.
    pub(crate) fields: Vec<(Vec<String>, Value)>,
    /// Context.
    pub(crate) context: Vec<(Vec<String>, Value)>,
    /// Answers of lookups, by their number.
    pub(crate) lookups: Vec<(u32, Value)>,
    /// The text of a message.
    pub(crate) text: Option<String>,
    /// `event.*`
    pub(crate) agent: Option<String>,
    /// `event.server`
    pub(crate) server: Option<String>,
    /// Nanoseconds.
    pub(crate) time: Option<i64>,
    /// `event.turn`
    pub(crate) turn: Option<i64>,
    /// `event.depth`
    pub(crate) depth: Option<i64>,
    /// `event.tokens`
    pub(crate) tokens: Option<i64>,
}
