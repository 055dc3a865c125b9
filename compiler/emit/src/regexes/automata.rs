//! From expressions to automata over bytes.

use rustc_hash::FxHashMap as HashMap;

use ctr_runtime::regex::program::{Gap, Stage};
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_automata::{Anchored, Input, MatchKind};
use regex_syntax::hir::Hir;

use super::table::{DEAD, Kind, MATCH, Row, Rows};

/// The memory for building one.
const MAX_BUILD_BYTES: usize = 4 << 20;
/// The largest NFA from which a DFA is tried, in bytes.
const MAX_NFA_BYTES: usize = 1 << 20;
/// The most rows before equal ones are joined.
const MAX_ROWS: usize = 1 << 15;

fn dense(hirs: &[Hir], kind: StartKind, matches: MatchKind) -> Option<dense::DFA<Vec<u32>>> {
    let nfa = thompson::Compiler::new()
        .configure(
            thompson::Config::new()
                .shrink(false)
                .nfa_size_limit(Some(MAX_NFA_BYTES)),
        )
        .build_many_from_hir(hirs)
        .ok()?;
    dense::Builder::new()
        .configure(
            dense::Config::new()
                .start_kind(kind)
                .match_kind(matches)
                // Only asked for where what is not ASCII is never searched.
                .unicode_word_boundary(true)
                .dfa_size_limit(Some(MAX_BUILD_BYTES))
                .determinize_size_limit(Some(MAX_BUILD_BYTES)),
        )
        .build_from_nfa(&nfa)
        .ok()
}

/// The table that finds an expression anywhere in a text; `None` where it would be too large.
pub(super) fn anywhere(hir: &Hir) -> Option<Stage> {
    let dfa = dense(
        std::slice::from_ref(hir),
        StartKind::Unanchored,
        MatchKind::LeftmostFirst,
    )?;
    let start = dfa.start_state_forward(&Input::new("")).ok()?;
    let classes = classes(&dfa);
    let bytes = firsts(&classes);
    let mut states = Numbers::default();
    states.number(start);
    let mut next = Vec::new();
    while let Some(state) = states.following() {
        for byte in &bytes {
            let to = dfa.next_state(state, *byte);
            next.push(if dfa.is_match_state(to) {
                MATCH
            } else if dfa.is_dead_state(to) || dfa.is_quit_state(to) {
                DEAD
            } else {
                states.number(to)
            });
        }
        let end = dfa.is_match_state(dfa.next_eoi_state(state));
        next.push(if end { MATCH } else { DEAD });
        if states.all.len() > MAX_ROWS {
            return None;
        }
    }
    let kinds = vec![Kind::Busy; states.all.len()];
    Rows {
        classes,
        columns: bytes.len() + 1,
        last: true,
        gap: None,
        next,
        kinds,
        marks: Vec::new(),
    }
    .least()
}

/// A table of a first stage that finds all ends of many expressions, and of which each of its rows with ends has some,
/// a bit each; `None` where it would be too large.
pub(super) fn ends(hirs: &[Hir]) -> Option<(Stage, Vec<u64>)> {
    let dfa = dense(hirs, StartKind::Unanchored, MatchKind::All)?;
    let start = dfa.start_state_forward(&Input::new("")).ok()?;
    let classes = classes(&dfa);
    let bytes = firsts(&classes);
    let mut states = Numbers::default();
    states.number(start);
    let (mut next, mut kinds, mut marks) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(state) = states.following() {
        let found = match dfa.is_match_state(state) {
            true => dfa.match_len(state),
            false => 0,
        };
        let bit = |n| 1_u64 << dfa.match_pattern(state, n).as_usize().min(63);
        let found = (0..found).fold(0, |all, n| all | bit(n));
        marks.push(found);
        kinds.push(if found == 0 { Kind::Busy } else { Kind::Ended });
        for byte in &bytes {
            next.push(states.number(dfa.next_state(state, *byte)));
        }
        next.push(states.number(dfa.next_eoi_state(state)));
        if states.all.len() > MAX_ROWS {
            return None;
        }
    }
    Rows {
        classes,
        columns: bytes.len() + 1,
        last: false,
        gap: None,
        next,
        kinds,
        marks,
    }
    .least_marked()
}

fn classes(dfa: &dense::DFA<Vec<u32>>) -> [u8; 256] {
    let mut classes = [0; 256];
    for (byte, class) in (0..=u8::MAX).zip(&mut classes) {
        *class = dfa.byte_classes().get(byte);
    }
    classes
}

/// What a row of a stage remembers: where an occurrence that begins now would start, which depends on the byte
/// before; those that have begun; and whether one has just ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Set {
    fresh: StateID,
    begun: Vec<StateID>,
    ended: bool,
}

/// A stage of a chain: finds each end of an expression (the last stage: whether there is one) that begins
/// anywhere, or with a gap where the counter says that it may.
pub(super) fn stage(hir: &Hir, gap: Option<Gap>, last: bool) -> Option<Stage> {
    let dfa = dense(
        std::slice::from_ref(hir),
        StartKind::Anchored,
        MatchKind::All,
    )?;
    let fresh = |byte: Option<u8>| {
        let config = start::Config::new()
            .anchored(Anchored::Yes)
            .look_behind(byte);
        dfa.start_state(&config).ok()
    };
    // Bytes that lead to the same states, and behind which the same begins.
    let mut kinds: HashMap<(u8, Option<StateID>), u8> = HashMap::default();
    let mut classes = [0; 256];
    for (byte, class) in (0..=u8::MAX).zip(&mut classes) {
        let key = (dfa.byte_classes().get(byte), fresh(Some(byte)));
        let number = u8::try_from(kinds.len()).unwrap_or(u8::MAX);
        *class = *kinds.entry(key).or_insert(number);
    }
    let bytes = firsts(&classes);
    let idle = |fresh: StateID, ended: bool| Set {
        fresh,
        begun: Vec::new(),
        ended,
    };
    let start = fresh(None)?;
    let mut sets = Numbers::default();
    sets.number(idle(start, false));
    let mut next = Vec::new();
    while let Some(set) = sets.following() {
        let gates: &[bool] = if gap.is_some() {
            &[false, true]
        } else {
            &[true]
        };
        for open in gates {
            let from = || set.begun.iter().chain(open.then_some(&set.fresh)).copied();
            let mut to = |mut set: Set| -> Row {
                if last && set.ended {
                    return MATCH;
                }
                set.begun
                    .retain(|s| !dfa.is_dead_state(*s) && !dfa.is_quit_state(*s));
                set.begun.sort_unstable();
                set.begun.dedup();
                sets.number(set)
            };
            for byte in &bytes {
                // A byte that the automaton was not made for begins nothing.
                let fresh = fresh(Some(*byte)).unwrap_or(start);
                let begun: Vec<StateID> = from().map(|s| dfa.next_state(s, *byte)).collect();
                let ended = begun.iter().any(|s| dfa.is_match_state(*s));
                next.push(to(Set {
                    fresh,
                    begun,
                    ended,
                }));
            }
            let ended = from().any(|s| dfa.is_match_state(dfa.next_eoi_state(s)));
            next.push(match (last, ended) {
                (true, true) => MATCH,
                (true, false) => DEAD,
                (false, ended) => to(idle(start, ended)),
            });
        }
        if sets.all.len() > MAX_ROWS {
            return None;
        }
    }
    let kinds = sets
        .all
        .iter()
        .map(|set| match (set.ended, set.begun.is_empty()) {
            (true, _) => Kind::Ended,
            (false, true) => Kind::Idle,
            (false, false) => Kind::Busy,
        })
        .collect();
    Rows {
        classes,
        columns: bytes.len() + 1,
        last,
        gap,
        next,
        kinds,
        marks: Vec::new(),
    }
    .least()
}

/// The first byte of each class, in their order.
fn firsts(classes: &[u8; 256]) -> Vec<u8> {
    let count = classes
        .iter()
        .max()
        .map_or(0, |most| usize::from(*most) + 1);
    (0..count)
        .filter_map(|n| classes.iter().position(|class| usize::from(*class) == n))
        .filter_map(|byte| u8::try_from(byte).ok())
        .collect()
}

/// What has been found, numbered.
struct Numbers<T> {
    all: Vec<T>,
    numbers: HashMap<T, Row>,
    at: usize,
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            numbers: HashMap::default(),
            at: 0,
        }
    }
}

impl<T: Clone + Eq + std::hash::Hash> Numbers<T> {
    fn number(&mut self, one: T) -> Row {
        let fresh = self.all.len() as Row;
        *self.numbers.entry(one).or_insert_with_key(|one| {
            self.all.push(one.clone());
            fresh
        })
    }

    fn following(&mut self) -> Option<T> {
        let one = self.all.get(self.at).cloned();
        self.at += 1;
        one
    }
}
