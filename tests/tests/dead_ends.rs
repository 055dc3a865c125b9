//! Dead ends against brute force: random policies of a few forms, whose automata are written out here by hand, and all
//! sessions of calls and returns with few calls in flight.
//!
//! Whether there is a dead end, and how long the shortest way into one is, must be the same.
//! `CTRC_ORACLE_SEED` and `CTRC_ORACLE_COUNT` change what is tried.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    missing_docs,
    reason = "tests"
)]

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::fmt::Write as _;
use std::time::Duration;

use ctr_front::world::MemoryWorld;
use ctr_tests::rng::{Rng, count, seed};

const TOOLS: [&str; 4] = ["a", "b", "c", "other"];
/// Calls in flight on the way into a dead end.
const IN_FLIGHT: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Call(usize),
    Success(usize),
    Failure(usize),
}

/// `call t` or `success t`.
type Pattern = Event;

fn text(pattern: Pattern) -> String {
    match pattern {
        Event::Call(tool) => format!("call {}", TOOLS[tool]),
        Event::Success(tool) => format!("success {}", TOOLS[tool]),
        Event::Failure(tool) => format!("failure {}", TOOLS[tool]),
    }
}

#[derive(Clone, Copy, Debug)]
enum Form {
    LeadsTo(Pattern, Pattern),
    Immediately(Pattern, Pattern),
    NeverAfter(Pattern, Pattern),
    OnlyAfter(Pattern, Pattern),
    AtMost(Pattern, u8),
    AtLeast(Pattern, u8),
    /// No second P without a Q between.
    Alternate(Pattern, Pattern),
}

const DEAD: u8 = u8::MAX;

impl Form {
    fn text(self) -> String {
        match self {
            Self::LeadsTo(p, q) => format!("{} leads to {}", text(p), text(q)),
            Self::Immediately(p, q) => format!("{} immediately leads to {}", text(p), text(q)),
            Self::NeverAfter(p, q) => format!("never {} after {}", text(p), text(q)),
            Self::OnlyAfter(p, q) => format!("{} only after {}", text(p), text(q)),
            Self::AtMost(p, n) => format!("{} at most {n} times", text(p)),
            Self::AtLeast(p, n) => format!("{} at least {n} times", text(p)),
            Self::Alternate(p, q) => format!(
                "always ({p} implies (weak next ((not {p}) unless {q})))",
                p = text(p),
                q = text(q)
            ),
        }
    }

    fn patterns(self) -> Vec<Pattern> {
        match self {
            Self::LeadsTo(p, q)
            | Self::Immediately(p, q)
            | Self::NeverAfter(p, q)
            | Self::OnlyAfter(p, q)
            | Self::Alternate(p, q) => vec![p, q],
            Self::AtMost(p, _) | Self::AtLeast(p, _) => vec![p],
        }
    }

    fn watches(self, event: Event) -> bool {
        let call = |event: &Event| matches!(event, Event::Call(_));
        self.patterns().iter().any(|p| call(p) == call(&event))
    }

    fn step(self, state: u8, event: Event) -> u8 {
        if state == DEAD || !self.watches(event) {
            return state;
        }
        let is = |pattern: Pattern| pattern == event;
        match self {
            Self::LeadsTo(p, q) => u8::from((state == 1 || is(p)) && !is(q)),
            Self::Immediately(p, q) => {
                if state == 1 && !is(q) {
                    DEAD
                } else {
                    u8::from(is(p))
                }
            }
            Self::NeverAfter(p, q) => {
                if state == 1 && is(p) {
                    DEAD
                } else {
                    u8::from(state == 1 || is(q))
                }
            }
            Self::OnlyAfter(p, q) => {
                if state == 0 && is(p) {
                    DEAD
                } else {
                    u8::from(state == 1 || is(q))
                }
            }
            Self::AtMost(p, n) => match state + u8::from(is(p)) {
                more if more > n => DEAD,
                fine => fine,
            },
            Self::AtLeast(p, n) => (state + u8::from(is(p))).min(n),
            Self::Alternate(p, q) => {
                if is(p) {
                    if state == 1 { DEAD } else { 1 }
                } else {
                    u8::from(state == 1 && !is(q))
                }
            }
        }
    }

    fn satisfied(self, state: u8) -> bool {
        match self {
            Self::LeadsTo(..) | Self::Immediately(..) => state == 0,
            Self::AtLeast(_, n) => state == n,
            _ => state != DEAD,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct State {
    forms: Vec<u8>,
    /// Tools of the calls in flight, in their order.
    open: Vec<usize>,
}

/// The state after an event; which calls are in flight is forgotten where no contract reads `returns`.
fn step(forms: &[Form], state: &State, event: Event, returns: bool) -> Option<State> {
    let mut next = state.clone();
    match event {
        Event::Call(tool) if returns => next.open.push(tool),
        Event::Call(_) => {}
        Event::Success(tool) | Event::Failure(tool) => {
            let at = next.open.iter().position(|open| *open == tool)?;
            next.open.remove(at);
        }
    }
    for (form, state) in forms.iter().zip(&mut next.forms) {
        *state = form.step(*state, event);
    }
    (!next.forms.contains(&DEAD)).then_some(next)
}

/// Whether the runtime refuses a call: a contract that it or its success concerns is violated if it succeeds, after
/// those in flight.
fn refused(forms: &[Form], state: &State, tool: usize) -> bool {
    forms.iter().zip(&state.forms).any(|(form, before)| {
        let called = form.step(*before, Event::Call(tool));
        let mut after = called;
        for open in &state.open {
            after = form.step(after, Event::Success(*open));
        }
        let done = form.step(after, Event::Success(tool));
        let concerns = called != *before
            || done != after
            || form
                .patterns()
                .iter()
                .any(|p| matches!(p, Event::Call(t) | Event::Success(t) if *t == tool));
        done == DEAD && concerns
    })
}

struct Brute {
    /// A shortest way into a dead end; `None`: there is none.
    shortest: Option<Vec<Event>>,
    /// The beginning is one.
    hopeless: bool,
}

/// `more` calls may be in flight on the way out of what may be a dead end.
fn brute(forms: &[Form], more: usize) -> Brute {
    let used: BTreeSet<usize> = (0..TOOLS.len())
        .filter(|tool| {
            let named = forms
                .iter()
                .flat_map(|f| f.patterns())
                .any(|p| matches!(p, Event::Call(t) | Event::Success(t) if t == *tool));
            // Other events matter to `immediately` alone.
            named || *tool == 3 && forms.iter().any(|f| matches!(f, Form::Immediately(..)))
        })
        .collect();
    let returns = forms
        .iter()
        .flat_map(|f| f.patterns())
        .any(|p| matches!(p, Event::Success(_)));
    let mut events: Vec<Event> = Vec::new();
    for tool in &used {
        events.push(Event::Call(*tool));
        if returns {
            events.extend([Event::Success(*tool), Event::Failure(*tool)]);
        }
    }
    let first = State {
        forms: vec![0; forms.len()],
        open: Vec::new(),
    };
    let mut states = vec![first.clone()];
    let mut index: HashMap<State, usize> = HashMap::from([(first, 0)]);
    let mut edges: Vec<Vec<(Event, usize)>> = Vec::new();
    let mut at = 0;
    while at < states.len() {
        let state = states[at].clone();
        let mut out = Vec::new();
        for event in &events {
            if matches!(event, Event::Call(_)) && state.open.len() >= IN_FLIGHT + more {
                continue;
            }
            if let Some(next) = step(forms, &state, *event, returns) {
                let known = *index.entry(next.clone()).or_insert_with(|| {
                    states.push(next);
                    states.len() - 1
                });
                out.push((*event, known));
            }
        }
        edges.push(out);
        at += 1;
    }
    let satisfied = |state: &State| {
        forms
            .iter()
            .zip(&state.forms)
            .all(|(form, s)| form.satisfied(*s))
    };
    let mut back: Vec<Vec<usize>> = vec![Vec::new(); states.len()];
    for (from, out) in edges.iter().enumerate() {
        for (_, to) in out {
            back[*to].push(from);
        }
    }
    let mut live: Vec<bool> = states.iter().map(satisfied).collect();
    let mut queue: VecDeque<usize> = (0..states.len()).filter(|s| live[*s]).collect();
    while let Some(at) = queue.pop_front() {
        for from in &back[at] {
            if !std::mem::replace(&mut live[*from], true) {
                queue.push_back(*from);
            }
        }
    }
    let mut ways = BTreeMap::from([(0, Vec::new())]);
    let mut queue = VecDeque::from([0]);
    let mut shortest = None;
    while let Some(at) = queue.pop_front() {
        if !live[at] {
            shortest = ways.remove(&at);
            break;
        }
        for (event, to) in &edges[at] {
            if let Event::Call(tool) = event
                && (states[at].open.len() >= IN_FLIGHT || refused(forms, &states[at], *tool))
            {
                continue;
            }
            if !ways.contains_key(to) {
                let mut way: Vec<Event> = ways[&at].clone();
                way.push(*event);
                ways.insert(*to, way);
                queue.push_back(*to);
            }
        }
    }
    Brute {
        shortest,
        hopeless: !live[0],
    }
}

fn form(rng: &mut Rng, returns: bool) -> Form {
    let pattern = |rng: &mut Rng| {
        let tool = rng.below(3);
        if returns && rng.chance(45) {
            Event::Success(tool)
        } else {
            Event::Call(tool)
        }
    };
    let p = pattern(rng);
    let mut q = pattern(rng);
    while q == p {
        q = pattern(rng);
    }
    match rng.below(12) {
        0..=4 => Form::LeadsTo(p, q),
        5 => Form::Immediately(p, q),
        6 | 7 => Form::NeverAfter(p, q),
        8 => Form::OnlyAfter(p, q),
        9 => Form::AtMost(p, 1 + u8::try_from(rng.below(2)).unwrap()),
        10 => Form::Alternate(p, q),
        _ => Form::AtLeast(p, 1),
    }
}

fn run(salt: u64, policies: u64, returns: bool) {
    let mut rng = Rng::new(seed(77_003) ^ salt);
    let (mut with, mut without, mut open) = (0, 0, 0);
    let mut faults = Vec::new();
    for _ in 0..count(policies) {
        let forms: Vec<Form> = (0..2 + rng.below(3))
            .map(|_| form(&mut rng, returns))
            .collect();
        let mut wanted = brute(&forms, 1);
        let mut policy = String::new();
        for (number, form) in forms.iter().enumerate() {
            let _ = writeln!(policy, "contract c{number} {{ guarantee {} }}", form.text());
        }
        let world = MemoryWorld::new().with("p.ctr", &*policy);
        let compiled = ctr_front::compile(&world, &["p.ctr".to_owned()]);
        let Some(library) = compiled.library else {
            panic!("{:#?}\n{policy}", compiled.diagnostics);
        };
        let built = ctr_emit::build(&library, "test", &ctr_logic::Limits::default()).unwrap();
        let options = ctr_check::Options {
            timeout: Duration::from_secs(60),
            ..ctr_check::Options::default()
        };
        let report = ctr_check::check(&library, &built.model, &built.bytes, &options).unwrap();
        let proofs: Vec<_> = report
            .findings
            .iter()
            .filter_map(|f| f.proof.as_deref())
            .collect();
        if wanted.hopeless {
            assert!(
                proofs.iter().all(|p| p.kind != "dead_end"),
                "a dead end of what cannot be kept\n{policy}"
            );
            continue;
        }
        let found = proofs
            .iter()
            .filter(|p| p.kind == "dead_end")
            .map(|p| p.witness.len())
            .min();
        if proofs.iter().any(|p| p.question == Some("dead_end")) {
            open += 1;
            if found.is_none() {
                eprintln!("open, wanted {:?}:\n{policy}", wanted.shortest);
                continue;
            }
        }
        if found != wanted.shortest.as_ref().map(Vec::len) {
            // Perhaps there were too few calls in flight to get out.
            wanted = brute(&forms, 3);
        }
        if found != wanted.shortest.as_ref().map(Vec::len) {
            faults.push(format!(
                "found {found:?}, wanted {:?}\n{policy}",
                wanted.shortest
            ));
        }
        if wanted.shortest.is_some() {
            with += 1;
        } else {
            without += 1;
        }
    }
    eprintln!("{with} with a dead end, {without} without, {open} open");
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
    assert!(with > 0 && without > 0);
    assert!(open * 10 <= with + without, "{open} are open");
}

#[test]
fn of_calls() {
    run(1, 120, false);
}

#[test]
fn of_calls_and_returns() {
    run(2, 120, true);
}
