//! Values for words of a product.
//!
//! The edges of a [`crate::product::Product`] say of each event its group and the conditions that matter. This turns
//! such a word into a session that the runtime's gate judges, or learns why there is none.

use std::collections::BTreeSet;

use ctr_logic::Letter as Word;

use crate::engine::{Engine, LONGEST, NO_VALUES, one_after_the_other};
use crate::product::Literal;
use crate::replay::Concrete;
use crate::theory::{Found, Letter, Path, Step};
use crate::universe::FIRST_LEAF;

/// The longest session without conditions that is written down.
const LONGEST_PLAIN: usize = 400;

/// What became of a word.
#[derive(Clone, Debug)]
pub(crate) enum Realised {
    /// This session; the gate refused nothing in it, and nothing is violated by it yet.
    Session(Concrete),
    /// There is no such session. Something was learned that excludes it.
    Learned,
    /// The gate refuses the event at this position, or it violates something: these contracts are to blame.
    Refused(usize, Vec<usize>),
    /// It is not known.
    Open(String),
}

impl Engine<'_> {
    /// An event of a group with some conditions, by itself.
    pub(crate) fn step(&mut self, group: usize, literals: &[Literal]) -> Option<Step> {
        let class = *self.problem.universe.groups.get(group)?.classes.first()?;
        let mut step = Step {
            group,
            class,
            literals: literals.to_vec(),
            owner: 0,
            apart: Vec::new(),
        };
        step.apart = self.apart(&step);
        Some(step)
    }

    /// The atoms of a letter with their values.
    pub(crate) fn word(&self, group: usize, literals: &[Literal]) -> Word {
        let code = self
            .problem
            .universe
            .groups
            .get(group)
            .map(|g| g.code.clone());
        let mut out = code.unwrap_or_default();
        out.extend(
            literals
                .iter()
                .map(|(leaf, value)| (FIRST_LEAF + leaf, *value)),
        );
        out
    }

    /// A session with these events.
    pub(crate) fn realise(&mut self, events: &[(usize, Vec<Literal>)]) -> Realised {
        let plain = events.iter().all(|(_, literals)| literals.is_empty());
        let longest = if plain { LONGEST_PLAIN } else { LONGEST };
        if events.len() > longest {
            return Realised::Open(format!(
                "the shortest session has more than {longest} events"
            ));
        }
        let trace: Vec<Word> = events
            .iter()
            .map(|(group, l)| self.word(*group, l))
            .collect();
        let mut path = Path::default();
        // What decides which events are members of aggregates is said of each.
        self.members(&mut path, &trace);
        let mut deciding = BTreeSet::new();
        for (register, keys) in path.members.keys() {
            let member = self.problem.member(*register, keys);
            deciding.extend(self.problem.arena.atoms(member));
        }
        let before = self.learned.len();
        let mut unknown = None;
        for (at, (group, literals)) in events.iter().enumerate() {
            let mut literals = literals.clone();
            for atom in deciding.iter().filter(|atom| **atom >= FIRST_LEAF) {
                let leaf = atom - FIRST_LEAF;
                let used = self.problem.used_in.get(leaf as usize);
                if used.is_some_and(|used| used.contains(group))
                    && literals.iter().all(|(other, _)| *other != leaf)
                {
                    literals.push((leaf, false));
                }
            }
            literals.sort_unstable();
            let Some(mut step) = self.step(*group, &literals) else {
                return Realised::Open("a group without events".to_owned());
            };
            match self.letter(&step) {
                Letter::Possible => {}
                Letter::Unknown(reason) => unknown = Some(reason),
                Letter::Impossible(core) => {
                    self.forbid(&step, &core);
                }
            }
            step.owner = at;
            path.steps.push(step);
        }
        if self.learned.len() > before {
            return Realised::Learned;
        }
        let guessed = match self.pair(&mut path) {
            Ok(guessed) => guessed,
            Err(at) => {
                self.more_calls(&path, at);
                if self.learned.len() > before {
                    return Realised::Learned;
                }
                return Realised::Open("no call was found for a return".to_owned());
            }
        };
        self.choose_texts(&mut path);
        let found = if path.steps.iter().all(|step| step.literals.is_empty()) {
            Found::Values(one_after_the_other(path.steps.len()))
        } else {
            let limit = self.limit();
            self.theory.path(&self.problem, &path, limit)
        };
        match found {
            Found::Values(values) => {
                let Some(mut session) = Concrete::new(&self.problem, &path, values) else {
                    return Realised::Open(NO_VALUES.to_owned());
                };
                match session.objection(
                    self.problem.library,
                    self.artifact,
                    &self.plan,
                    &self.ignored,
                ) {
                    None => Realised::Open(NO_VALUES.to_owned()),
                    Some(None) => Realised::Session(session),
                    Some(Some((at, contracts))) => Realised::Refused(at, contracts),
                }
            }
            Found::Impossible if guessed => {
                Realised::Open("several calls could be the one that a return answers".to_owned())
            }
            Found::Impossible => {
                let clause = self.block(&path);
                self.learned.push(clause);
                Realised::Learned
            }
            Found::Unknown(reason) => Realised::Open(unknown.unwrap_or(reason)),
        }
    }
}
