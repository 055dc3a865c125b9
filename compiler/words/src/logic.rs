//! Formulas of the core IR as formulas of the automata engine: what two of them mean is compared there.

use ctr_front::ir::{AtomId, Formula};
use ctr_logic::{Arena, Dfa, Limits, translate};

/// The atoms of a formula in order of first occurrence.
pub(crate) fn atoms(formula: &Formula, into: &mut Vec<AtomId>) {
    if let Formula::Atom(atom) = formula
        && !into.contains(atom)
    {
        into.push(*atom);
    }
    for part in formula.parts() {
        atoms(part, into);
    }
}

/// A formula in the engine's arena.
pub(crate) fn to_logic(arena: &mut Arena, formula: &Formula) -> ctr_logic::Formula {
    let parts: Vec<ctr_logic::Formula> = formula
        .parts()
        .into_iter()
        .map(|part| to_logic(arena, part))
        .collect();
    let one = parts.first().copied();
    let two = parts.get(1).copied();
    match (formula, one, two) {
        (Formula::True, ..) => arena.tt(),
        (Formula::False, ..) => arena.ff(),
        (Formula::Atom(atom), ..) => arena.atom(atom.0),
        (Formula::And(_), ..) => arena.and(&parts),
        (Formula::Or(_), ..) => arena.or(&parts),
        (Formula::Not(_), Some(a), _) => arena.not(a),
        (Formula::Next(_), Some(a), _) => arena.next(a),
        (Formula::WeakNext(_), Some(a), _) => arena.weak_next(a),
        (Formula::Always(_), Some(a), _) => arena.always(a),
        (Formula::Eventually(_), Some(a), _) => arena.eventually(a),
        (Formula::Previously(_), Some(a), _) => arena.previously(a),
        (Formula::WeakPreviously(_), Some(a), _) => arena.weak_previously(a),
        (Formula::Once(_), Some(a), _) => arena.once(a),
        (Formula::Historically(_), Some(a), _) => arena.historically(a),
        (Formula::Implies(..), Some(a), Some(b)) => arena.implies(a, b),
        (Formula::Iff(..), Some(a), Some(b)) => arena.iff(a, b),
        (Formula::Until(..), Some(a), Some(b)) => arena.until(a, b),
        (Formula::Unless(..), Some(a), Some(b)) => arena.unless(a, b),
        (Formula::Release(..), Some(a), Some(b)) => arena.release(a, b),
        (Formula::Since(..), Some(a), Some(b)) => arena.since(a, b),
        // Every operator has as many parts as it takes.
        (
            Formula::Not(_)
            | Formula::Next(_)
            | Formula::WeakNext(_)
            | Formula::Always(_)
            | Formula::Eventually(_)
            | Formula::Previously(_)
            | Formula::WeakPreviously(_)
            | Formula::Once(_)
            | Formula::Historically(_)
            | Formula::Implies(..)
            | Formula::Iff(..)
            | Formula::Until(..)
            | Formula::Unless(..)
            | Formula::Release(..)
            | Formula::Since(..),
            ..,
        ) => arena.ff(),
    }
}

/// The minimal automaton of a formula, where it is small.
pub(crate) fn automaton(formula: &Formula, order: &[AtomId], limits: &Limits<'_>) -> Option<Dfa> {
    let mut arena = Arena::new();
    let order: Vec<u32> = order.iter().map(|atom| atom.0).collect();
    let whole = to_logic(&mut arena, formula);
    translate(&mut arena, whole, &order, limits).ok()
}

/// Whether two formulas are true of the same sessions; `None` where their automata are too large.
#[must_use]
pub fn equivalent(a: &Formula, b: &Formula) -> Option<bool> {
    let limits = Limits {
        states: 2_000,
        ..Limits::default()
    };
    if a == b {
        return Some(true);
    }
    let mut order = Vec::new();
    atoms(a, &mut order);
    atoms(b, &mut order);
    let (a, b) = (
        automaton(a, &order, &limits)?,
        automaton(b, &order, &limits)?,
    );
    a.equivalent(&b, &Limits::default()).ok()
}
