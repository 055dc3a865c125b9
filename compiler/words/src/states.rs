//! The four states that a side of a contract can be in, told for that contract: which there are, and how a session comes
//! to each.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use ctr_front::ir::{AtomId, Contract, EventKind, Formula, Side};
use ctr_logic::{Dfa, Label, Limits, NodeRef};

use crate::logic;
use crate::text::Phrase;
use crate::values::{Form, Speaker};

/// The most ways through the diagram of a state that are looked at.
const MAX_WAYS: usize = 512;

/// More events than so many that a step is not are not told one by one.
const MANY: usize = 2;

/// A state, as of RV-LTL (Bauer, Leucker, Schallhart, "Comparing LTL semantics for runtime verification", 2010).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StateKind {
    /// Nothing can break it any more.
    SatisfiedForGood,
    /// Kept if the session ends here.
    SatisfiedSoFar,
    /// Something is owed.
    Pending,
    /// Broken, whatever follows.
    ViolatedForGood,
}

impl StateKind {
    /// All of them, from best to worst.
    pub const ALL: [Self; 4] = [
        Self::SatisfiedForGood,
        Self::SatisfiedSoFar,
        Self::Pending,
        Self::ViolatedForGood,
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SatisfiedForGood => "satisfied for good",
            Self::SatisfiedSoFar => "satisfied so far",
            Self::Pending => "pending",
            Self::ViolatedForGood => "violated for good",
        }
    }

    /// What it means of any contract.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::SatisfiedForGood => "nothing that follows can break it",
            Self::SatisfiedSoFar => "kept if the session ends here, but it can still be broken",
            Self::Pending => {
                "something is owed: broken if the session ends here, but it can still be kept"
            }
            Self::ViolatedForGood => "broken, whatever follows",
        }
    }

    fn of(label: Label) -> Self {
        match label {
            Label::SatisfiedForGood => Self::SatisfiedForGood,
            Label::Satisfied => Self::SatisfiedSoFar,
            Label::Pending => Self::Pending,
            Label::ViolatedForGood => Self::ViolatedForGood,
        }
    }
}

/// How a session comes to a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// It is the state before the first step.
    Start,
    /// For example by these steps, as few as possible.
    After(Vec<Phrase>),
    /// No session comes to it.
    Never,
}

/// A state told for a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateWords {
    /// Which.
    pub kind: StateKind,
    /// How a session comes to it.
    pub way: Way,
    /// Of a pending state: the steps, as few as possible, by which what is owed is done.
    pub done_by: Option<Vec<Phrase>>,
}

/// Values of the atoms that a way through a diagram asks for.
type Letter = Vec<(u32, bool)>;

/// The most states of an automaton that is told.
pub(crate) const MAX_STATES: usize = 2_000;

/// A side of a contract with its automaton.
#[derive(Debug)]
pub(crate) struct Machine<'l> {
    speaker: Speaker<'l>,
    automaton: Dfa,
}

impl<'l> Machine<'l> {
    /// The automaton of a side; `None` where nothing untimed is owed, or where it is too large.
    pub(crate) fn of(
        speaker: Speaker<'l>,
        contract: &Contract,
        side: Side,
        limits: &Limits<'_>,
    ) -> Option<Self> {
        let clauses: Vec<Formula> = contract
            .clauses
            .iter()
            .filter(|clause| clause.side == side && clause.formula != Formula::True)
            .map(|clause| clause.formula.clone())
            .collect();
        if clauses.is_empty() {
            return None;
        }
        let whole = Formula::And(clauses);
        let mut atoms = Vec::new();
        logic::atoms(&whole, &mut atoms);
        // Patterns are asked first, as the runtime does.
        let (mut order, conditions): (Vec<AtomId>, Vec<AtomId>) = atoms
            .into_iter()
            .partition(|atom| speaker.pattern_of(*atom).is_some());
        order.extend(conditions);
        let automaton = logic::automaton(&whole, &order, limits)?;
        Some(Self { speaker, automaton })
    }

    /// How many states it has.
    pub(crate) fn size(&self) -> usize {
        self.automaton.states()
    }

    /// Tells the states, best first.
    pub(crate) fn states(&self) -> Vec<StateWords> {
        let from_start = self.nearest(self.automaton.initial());
        StateKind::ALL
            .into_iter()
            .map(|kind| {
                let found = from_start.get(&kind);
                let way = match found {
                    None => Way::Never,
                    Some((_, letters)) if letters.is_empty() => Way::Start,
                    Some((_, letters)) => Way::After(self.say(letters)),
                };
                let done_by = match (kind, found) {
                    (StateKind::Pending, Some((state, _))) => {
                        let ahead = self.nearest(*state);
                        let good = ahead.get(&StateKind::SatisfiedForGood);
                        let kept = ahead.get(&StateKind::SatisfiedSoFar);
                        [kept, good]
                            .into_iter()
                            .flatten()
                            .min_by_key(|(_, letters)| letters.len())
                            .map(|(_, letters)| self.say(letters))
                    }
                    _ => None,
                };
                StateWords { kind, way, done_by }
            })
            .collect()
    }

    /// Whether something can be owed at the end of a session.
    pub(crate) fn has_pending(&self) -> bool {
        (0..u32::try_from(self.automaton.states()).unwrap_or(u32::MAX))
            .any(|state| self.kind(state) == StateKind::Pending)
    }

    /// The kinds of the events that can break it for good; `None` for steps that no pattern names.
    pub(crate) fn breakers(&self) -> Vec<Option<EventKind>> {
        let mut out = Vec::new();
        for state in 0..u32::try_from(self.automaton.states()).unwrap_or(u32::MAX) {
            if self.kind(state) == StateKind::ViolatedForGood {
                continue;
            }
            self.ways(state, &mut |next, letter| {
                if self.kind(next) != StateKind::ViolatedForGood {
                    return;
                }
                let kind = self.true_events(letter).first().and_then(|atom| {
                    let id = self.speaker.pattern_of(*atom)?;
                    let pattern = self.speaker.library.patterns.get(id.0 as usize)?;
                    Some(pattern.kind)
                });
                if !out.contains(&kind) {
                    out.push(kind);
                }
            });
        }
        out
    }

    fn kind(&self, state: u32) -> StateKind {
        StateKind::of(self.automaton.label(state))
    }

    /// For each kind that can be reached: the nearest state of it, and the letters on the way.
    fn nearest(&self, from: u32) -> BTreeMap<StateKind, (u32, Vec<Letter>)> {
        let mut out: BTreeMap<StateKind, (u32, Vec<Letter>)> = BTreeMap::new();
        let mut seen = vec![from];
        let mut open = VecDeque::from([(from, Vec::new())]);
        while let Some((state, letters)) = open.pop_front() {
            let kind = self.kind(state);
            out.entry(kind).or_insert_with(|| (state, letters.clone()));
            if out.len() == StateKind::ALL.len() {
                break;
            }
            for (next, letter) in self.successors(state) {
                if !seen.contains(&next) {
                    seen.push(next);
                    let mut letters = letters.clone();
                    letters.push(letter);
                    open.push_back((next, letters));
                }
            }
        }
        out
    }

    /// The next states, each with the plainest letter that leads to it.
    fn successors(&self, state: u32) -> Vec<(u32, Letter)> {
        let mut found: BTreeMap<u32, Letter> = BTreeMap::new();
        self.ways(state, &mut |next, letter| {
            let plainer = found
                .get(&next)
                .is_none_or(|old| self.cost(letter) < self.cost(old));
            if plainer {
                found.insert(next, letter.clone());
            }
        });
        let mut out: Vec<(u32, Letter)> = found
            .into_iter()
            .map(|(next, letter)| (next, self.least(state, &letter, next)))
            .collect();
        out.sort_by_key(|(state, letter)| (self.cost(letter), *state));
        out
    }

    /// What of a letter is needed for the state that it leads to; its events stay.
    fn least(&self, state: u32, letter: &Letter, to: u32) -> Letter {
        let mut kept = letter.clone();
        for literal in letter {
            if literal.1 && self.is_event(literal.0) {
                continue;
            }
            let without: Letter = kept
                .iter()
                .copied()
                .filter(|other| other != literal)
                .collect();
            if self.leads_only_to(state, &without, to) {
                kept = without;
            }
        }
        kept
    }

    /// Whether a letter leads to a state whatever the atoms are that it says nothing of.
    fn leads_only_to(&self, state: u32, letter: &Letter, to: u32) -> bool {
        let events = self.true_events(letter);
        let mut seen = BTreeSet::new();
        let mut open = vec![self.automaton.root(state)];
        while let Some(node) = open.pop() {
            match node {
                NodeRef::Leaf(next) if next != to => return false,
                NodeRef::Leaf(_) => {}
                NodeRef::Inner(index) => {
                    let Some(node) = self.automaton.nodes().get(index as usize) else {
                        return false;
                    };
                    if !seen.insert(index) {
                        continue;
                    }
                    let said = letter.iter().find(|(atom, _)| *atom == node.atom);
                    let excluded = self.is_event(node.atom)
                        && events
                            .iter()
                            .any(|event| self.speaker.disjoint(*event, AtomId(node.atom)));
                    let known = said.map(|(_, value)| *value).or(excluded.then_some(false));
                    if known != Some(false) {
                        open.push(node.high);
                    }
                    if known != Some(true) {
                        open.push(node.low);
                    }
                }
            }
        }
        true
    }

    /// The ways through the diagram of a state that one event can take.
    fn ways(&self, state: u32, see: &mut dyn FnMut(u32, &Letter)) {
        let mut ways = 0;
        let mut open: Vec<(NodeRef, Letter)> = vec![(self.automaton.root(state), Vec::new())];
        while let Some((node, letter)) = open.pop() {
            match node {
                NodeRef::Leaf(next) => {
                    see(next, &letter);
                    ways += 1;
                    if ways >= MAX_WAYS {
                        return;
                    }
                }
                NodeRef::Inner(index) => {
                    let Some(node) = self.automaton.nodes().get(index as usize) else {
                        continue;
                    };
                    for (value, next) in [(true, node.high), (false, node.low)] {
                        let mut letter = letter.clone();
                        letter.push((node.atom, value));
                        if self.is_possible(&letter) {
                            open.push((next, letter));
                        }
                    }
                }
            }
        }
    }

    /// One event fits all patterns that are true of it.
    fn is_possible(&self, letter: &Letter) -> bool {
        let events: Vec<AtomId> = self.true_events(letter);
        !events.iter().enumerate().any(|(at, a)| {
            events
                .iter()
                .skip(at + 1)
                .any(|b| self.speaker.disjoint(*a, *b))
        })
    }

    fn is_event(&self, atom: u32) -> bool {
        self.speaker.pattern_of(AtomId(atom)).is_some()
    }

    fn true_events(&self, letter: &Letter) -> Vec<AtomId> {
        letter
            .iter()
            .filter(|(atom, value)| *value && self.is_event(*atom))
            .map(|(atom, _)| AtomId(*atom))
            .collect()
    }

    /// How much there is to say of a letter.
    fn cost(&self, letter: &Letter) -> usize {
        let events = self.true_events(letter).len();
        let others = letter.iter().filter(|(atom, _)| !self.is_event(*atom));
        // One event is the plainest; none needs "anything but".
        let base = match events {
            1 => 0,
            0 => 2,
            n => 3 * n,
        };
        base + others.count()
    }

    fn say(&self, letters: &[Letter]) -> Vec<Phrase> {
        letters.iter().map(|letter| self.letter(letter)).collect()
    }

    /// A step in words.
    fn letter(&self, letter: &Letter) -> Phrase {
        let events = self.true_events(letter);
        let mut out = Phrase::default();
        for (at, atom) in events.iter().enumerate() {
            if at > 0 {
                out.say("that is also");
            }
            if let Some(pattern) = self.speaker.pattern_of(*atom) {
                out.add(self.speaker.event(pattern, Form::One));
            }
        }
        let mut others: Vec<Phrase> = Vec::new();
        for (atom, _) in letter
            .iter()
            .filter(|(a, value)| !*value && self.is_event(*a))
        {
            let atom = AtomId(*atom);
            let excluded = events
                .iter()
                .any(|event| self.speaker.disjoint(*event, atom));
            if !excluded && let Some(pattern) = self.speaker.pattern_of(atom) {
                others.push(self.speaker.event(pattern, Form::One));
            }
        }
        if events.is_empty() {
            out.say(if others.is_empty() {
                "any step"
            } else {
                "a step that is not"
            });
        } else if others.len() > MANY {
            out.say("but none of the other events that the clauses name");
            others.clear();
        } else if !others.is_empty() {
            out.say("but not");
        }
        out.add(Phrase::list(others, "or"));
        let mut joint = "while";
        for (atom, value) in letter.iter().filter(|(atom, _)| !self.is_event(*atom)) {
            let condition = self.speaker.condition_atom(AtomId(*atom));
            out.say(joint);
            joint = "and";
            if *value {
                out.add(condition);
            } else {
                out.say("it is not so that")
                    .add(condition.between("(", ")"));
            }
        }
        out
    }
}
