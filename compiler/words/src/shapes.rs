//! The readable form of a formula, where it has the meaning of one.
//!
//! `not eventually (a and not b)` says what `always (a implies b)` says. For small formulas of one or two atoms the
//! readable forms are tried: where one has the same minimal automaton, that one is said.

use ctr_front::ir::{AtomId, Formula};

use crate::logic;
use crate::values::Speaker;

/// The most parts of a formula that the readable forms are tried for.
const MAX_PARTS: usize = 24;
/// The most states of its automaton.
const MAX_STATES: usize = 64;
/// The highest count that is tried.
const MAX_COUNT: usize = 3;

fn boxed(f: Formula) -> Box<Formula> {
    Box::new(f)
}

fn size(formula: &Formula) -> usize {
    1 + formula.parts().into_iter().map(size).sum::<usize>()
}

fn is_temporal(formula: &Formula) -> bool {
    use Formula as F;
    match formula {
        F::True | F::False | F::Atom(_) => false,
        F::Not(_) | F::And(_) | F::Or(_) | F::Implies(..) | F::Iff(..) => {
            formula.parts().into_iter().any(is_temporal)
        }
        F::Next(_)
        | F::WeakNext(_)
        | F::Always(_)
        | F::Eventually(_)
        | F::Until(..)
        | F::Unless(..)
        | F::Release(..)
        | F::Previously(_)
        | F::WeakPreviously(_)
        | F::Once(_)
        | F::Historically(_)
        | F::Since(..) => true,
    }
}

/// `P` at `n` steps or more.
fn at_least(p: &Formula, n: usize) -> Formula {
    let mut out = Formula::Eventually(boxed(p.clone()));
    for _ in 1..n {
        out = Formula::Eventually(boxed(Formula::And(vec![
            p.clone(),
            Formula::Next(boxed(out)),
        ])));
    }
    out
}

/// The readable forms of one formula.
fn of_one(p: &Formula) -> Vec<Formula> {
    use Formula as F;
    let not = |f: F| F::Not(boxed(f));
    let mut out = vec![
        F::Always(boxed(not(p.clone()))),
        F::Eventually(boxed(p.clone())),
        F::Always(boxed(p.clone())),
    ];
    for n in 1..=MAX_COUNT {
        if n > 1 {
            out.push(at_least(p, n));
        }
        out.push(not(at_least(p, n + 1)));
        out.push(F::And(vec![not(at_least(p, n + 1)), at_least(p, n)]));
        let mut run = p.clone();
        for _ in 0..n {
            run = F::And(vec![p.clone(), F::Next(boxed(run))]);
        }
        out.push(F::Always(boxed(not(run))));
    }
    out
}

/// The readable forms of two formulas.
fn of_two(p: &Formula, q: &Formula) -> Vec<Formula> {
    use Formula as F;
    let not = |f: &F| F::Not(boxed(f.clone()));
    let whenever = |r: F| F::Always(boxed(F::Implies(boxed(p.clone()), boxed(r))));
    let mut out = vec![
        F::Unless(boxed(not(p)), boxed(q.clone())),
        whenever(F::WeakNext(boxed(F::Always(boxed(not(q)))))),
        whenever(F::Eventually(boxed(q.clone()))),
        whenever(F::Next(boxed(q.clone()))),
        whenever(q.clone()),
        whenever(not(q)),
        F::Until(boxed(not(p)), boxed(q.clone())),
    ];
    let mut ahead = F::Next(boxed(q.clone()));
    for _ in 1..MAX_COUNT {
        ahead = F::Next(boxed(F::Or(vec![q.clone(), ahead])));
        out.push(whenever(ahead.clone()));
    }
    out
}

/// The readable form that a formula has the meaning of, or the formula.
pub(crate) fn readable(speaker: &Speaker<'_>, formula: &Formula) -> Formula {
    use Formula as F;
    if let F::And(parts) = formula
        && !of_shape(speaker, formula)
    {
        return F::And(parts.iter().map(|part| readable(speaker, part)).collect());
    }
    if size(formula) > MAX_PARTS || of_shape(speaker, formula) || !is_temporal(formula) {
        return formula.clone();
    }
    let mut atoms = Vec::new();
    logic::atoms(formula, &mut atoms);
    let leaf = |atom: &AtomId| Formula::Atom(*atom);
    let candidates = match atoms.as_slice() {
        [a] => of_one(&leaf(a)),
        [a, b] => {
            let (a, b) = (leaf(a), leaf(b));
            let mut out = of_two(&a, &b);
            out.extend(of_two(&b, &a));
            out.extend(of_one(&F::Or(vec![a, b])));
            out
        }
        _ => return formula.clone(),
    };
    let limits = ctr_logic::Limits {
        states: MAX_STATES,
        ..ctr_logic::Limits::default()
    };
    let Some(own) = logic::automaton(formula, &atoms, &limits) else {
        return formula.clone();
    };
    candidates
        .into_iter()
        .find(|candidate| {
            logic::automaton(candidate, &atoms, &limits).is_some_and(|other| {
                other.states() == own.states()
                    && own.equivalent(&other, &ctr_logic::Limits::default()) == Ok(true)
            })
        })
        .unwrap_or_else(|| formula.clone())
}

/// Whether a formula is a readable form as it stands.
fn of_shape(_: &Speaker<'_>, formula: &Formula) -> bool {
    let mut atoms = Vec::new();
    logic::atoms(formula, &mut atoms);
    match atoms.as_slice() {
        [a] => of_one(&Formula::Atom(*a)).contains(formula),
        [a, b] => {
            let (a, b) = (Formula::Atom(*a), Formula::Atom(*b));
            of_two(&a, &b).contains(formula) || of_two(&b, &a).contains(formula)
        }
        _ => false,
    }
}
