//! Formulas to minimal automata: directly, a formula a state, or part by part.

mod compose;
mod direct;
mod memory;
mod propositional;

use crate::automaton::Automaton;
use crate::dfa::Dfa;
use crate::formula::{Arena, Formula, Id};
use crate::limits::{Error, Limits};
use crate::satisfiability;
use rustc_hash::FxHashMap;

/// How to translate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Strategy {
    /// Directly within a small budget, then part by part, then directly with all that is left; if
    /// that is not enough, a search for a trace that satisfies the formula, and one that violates
    /// it, may still show that its automaton is a constant.
    #[default]
    Portfolio,
    /// Directly: a state is what is left of the formula.
    Direct,
    /// Part by part wherever the main operator is Boolean.
    Compositional,
}

/// The minimal automaton of `f`. Its diagrams test the atoms of `order` first, in that order, then
/// the others in the order in which the arena first saw them; the same formula and order give the
/// same automaton, number for number.
///
/// # Errors
///
/// A limit is reached, the work is cancelled, or `f` has a future operator under a past one.
pub fn translate(
    arena: &mut Arena,
    f: Formula,
    order: &[u32],
    limits: &Limits<'_>,
) -> Result<Dfa, Error> {
    translate_with(arena, f, order, limits, Strategy::Portfolio)
}

/// [`translate`] with a strategy of choice; the automaton is the same for all.
///
/// # Errors
///
/// As for [`translate`].
pub fn translate_with(
    arena: &mut Arena,
    f: Formula,
    order: &[u32],
    limits: &Limits<'_>,
    strategy: Strategy,
) -> Result<Dfa, Error> {
    if arena.has_past(f.id())
        && let Some((past, future)) = arena.future_under_past(f)
    {
        return Err(Error::FutureUnderPast { past, future });
    }
    limits.check_cancelled()?;
    let levels = Levels::new(arena, f.id(), order)?;
    let automaton = compose::Composer::new(arena, &levels, limits, strategy).translate(f.id());
    let automaton = match automaton {
        // What is too large on the way may be nothing in the end.
        Err(error) if error.is_limit() && strategy == Strategy::Portfolio => {
            let constant = satisfiability::constant(arena, f, limits)?.ok_or(error)?;
            Automaton::constant(constant)
        }
        done => done?,
    };
    Dfa::from_automaton(&automaton, &levels.atoms, f.holds_on_empty_trace())
}

/// The minimal transition-accepting automaton of `f` over levels that it shares with others. `f` has
/// no future operator under a past one.
pub(crate) fn automaton(
    arena: &mut Arena,
    f: Id,
    levels: &Levels,
    limits: &Limits<'_>,
) -> Result<Automaton, Error> {
    limits.check_cancelled()?;
    compose::Composer::new(arena, levels, limits, Strategy::Portfolio).translate(f)
}

/// The place of each atom in the diagrams.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    atoms: Vec<u32>,
    of_atom: FxHashMap<u32, u32>,
}

impl Levels {
    fn new(arena: &Arena, id: Id, order: &[u32]) -> Result<Self, Error> {
        let mentioned = arena.atoms_of([id]);
        if mentioned.len() > Limits::ATOMS {
            return Err(Error::TooManyAtoms {
                limit: Limits::ATOMS,
            });
        }
        if order.is_empty() {
            return Ok(Self::in_order(mentioned));
        }
        let wanted: rustc_hash::FxHashSet<u32> = mentioned.iter().copied().collect();
        let mut levels = Self {
            atoms: Vec::new(),
            of_atom: FxHashMap::default(),
        };
        for &atom in order
            .iter()
            .filter(|atom| wanted.contains(atom))
            .chain(&mentioned)
        {
            let next = levels.atoms.len() as u32;
            if *levels.of_atom.entry(atom).or_insert(next) == next {
                levels.atoms.push(atom);
            }
        }
        Ok(levels)
    }

    /// Levels for several formulas together, in the order in which the arena first saw their atoms;
    /// however many there are.
    pub(crate) fn joint(arena: &Arena, formulas: impl IntoIterator<Item = Id>) -> Self {
        Self::in_order(arena.atoms_of(formulas))
    }

    /// No levels.
    pub(crate) fn none() -> Self {
        Self::in_order(Vec::new())
    }

    /// Levels for the arena's atoms from this node on, below those that there are.
    pub(crate) fn extend(&mut self, arena: &Arena, from: usize) {
        for atom in arena.atoms_from(from) {
            let next = self.atoms.len() as u32;
            if *self.of_atom.entry(atom).or_insert(next) == next {
                self.atoms.push(atom);
            }
        }
    }

    fn in_order(atoms: Vec<u32>) -> Self {
        let of_atom = atoms.iter().copied().zip(0..).collect();
        Self { atoms, of_atom }
    }

    /// The atom of a level.
    pub(crate) fn atom(&self, level: u32) -> Option<u32> {
        self.atoms.get(level as usize).copied()
    }

    pub(crate) fn of(&self, atom: u32) -> u32 {
        // Every atom of the formula has a level, and subformulas have no others.
        self.of_atom.get(&atom).copied().unwrap_or(0)
    }
}
