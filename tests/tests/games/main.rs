//! `unenforceable` and `loop_redirect` against brute force: small random contracts, and the game of agent and environment played out move by
//! move on the runtime itself, without automata.
//!
//! The agent may act twice before each move of the environment, and the environment has a few moves: enough for formulas of this size.
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

mod play;
mod redirects;

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;

use ctr_runtime::decision::{Reason, Verb};
use ctr_runtime::format::Library;
use ctr_runtime::session::{Plan, Session};
use ctr_tests::rng::{Rng, count, seed};

use play::{Act, Status3, check, event, found};

/// So many plays are looked at for one contract; with more it is passed over.
const MOST: usize = 12_000;

const PATTERNS: &[&str] = &[
    "call a",
    "call a(fast)",
    "call b",
    "success a",
    "success a(ok)",
    "success a(args.fast, ok)",
    "failure a",
    "return a",
    "return b",
    "success b",
    "success b(ok)",
    "input",
    "alarm",
    "alarm(loud)",
    "output",
];

fn clause(rng: &mut Rng, patterns: &[&str]) -> String {
    let (p, q) = (*rng.pick(patterns), *rng.pick(patterns));
    match rng.below(14) {
        0 | 1 => format!("never {p}"),
        2 => format!("{p} only after {q}"),
        3 => format!("never {p} after {q}"),
        4 => format!("{p} only before {q}"),
        5 => format!("{p} leads to {q}"),
        6 => format!("{p} immediately leads to {q}"),
        7 => format!("{p} at most 1 time"),
        8 => format!("{p} at most 2 times"),
        9 => format!("{p} leads to {q} within 1 step"),
        10 | 11 => format!("{p} leads to {q} within 10s"),
        12 => format!("(not {p}) until {q}"),
        _ => format!("{p} only while once {q}"),
    }
}

fn policy(rng: &mut Rng) -> String {
    let mut text = "event alarm(loud: bool)\ncontract c {\n".to_owned();
    if rng.chance(25) {
        let theirs: Vec<&str> = PATTERNS
            .iter()
            .copied()
            .filter(|p| !p.starts_with("call") && *p != "output")
            .collect();
        text.push_str(&format!("  assume {}\n", clause(rng, &theirs)));
    }
    for _ in 0..if rng.chance(20) { 2 } else { 1 } {
        text.push_str(&format!("  guarantee {}\n", clause(rng, PATTERNS)));
    }
    text.push_str("}\n");
    text
}

/// What became of a play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    /// Nothing is violated.
    Fine,
    /// The last event was refused, or would break the assumption.
    Left,
    /// The last event violates the guarantee.
    Lost,
}

struct Table<'l> {
    library: &'l Library<'l>,
    plan: Arc<Plan>,
    agent: Vec<Act>,
    environment: Vec<Act>,
    seen: HashMap<Vec<Act>, Said>,
    lost: HashMap<(Vec<Act>, usize), bool>,
    work: Cell<usize>,
}

impl<'l> Table<'l> {
    fn session(&self, play: &[Act]) -> Session<'l> {
        let mut session = Session::with_plan(self.library, Arc::clone(&self.plan));
        for at in 0..play.len() {
            event(play, at, false, |event| {
                session.record(event, &mut ()).unwrap();
            });
        }
        session
    }

    /// Whether it would take too long.
    fn is_long(&self) -> bool {
        self.work.get() > MOST
    }

    /// What the last event of a play does, all others being fine.
    fn said(&mut self, play: &[Act]) -> Said {
        if let Some(said) = self.seen.get(play) {
            return *said;
        }
        self.work.set(self.work.get() + 1);
        let at = play.len() - 1;
        let mut session = self.session(&play[..at]);
        let agent = matches!(play[at], Act::Call(..) | Act::Output);
        let said = event(play, at, false, |event| {
            let decision = session.propose(event, &mut ()).unwrap();
            if agent && decision.verb != Verb::Allow || decision.verb == Verb::Suppress {
                return Said::Left;
            }
            let report = session.record(event, &mut ()).unwrap();
            match report.violations.is_empty() {
                true => Said::Fine,
                false => Said::Lost,
            }
        });
        self.seen.insert(play.to_vec(), said);
        said
    }

    /// Whether time alone violates the guarantee.
    fn expires(&self, play: &[Act]) -> bool {
        let mut session = self.session(play);
        let mut later = play.to_vec();
        later.push(Act::Input);
        event(&later, play.len(), true, |event| {
            let report = session.record(event, &mut ()).unwrap();
            report
                .violations
                .iter()
                .any(|violation| violation.reason == Reason::Deadline)
                && report.assumptions.is_empty()
        })
    }

    /// What the environment can do next.
    fn replies(&self, play: &[Act]) -> Vec<Act> {
        let mut out = self.environment.clone();
        for (at, act) in play.iter().enumerate() {
            let answered = |act: &Act| matches!(act, Act::Return(call, ..) if *call == at);
            if matches!(act, Act::Call(..)) && !play.iter().any(answered) {
                for ok in [false, true] {
                    out.push(Act::Return(at, Status3::Success, ok));
                }
                out.push(Act::Return(at, Status3::Failure, false));
            }
        }
        out
    }

    /// Whether the environment wins in so many moves, the agent being next.
    fn is_lost(&mut self, play: &[Act], moves: usize) -> bool {
        if self.is_long() {
            return false;
        }
        if let Some(known) = self.lost.get(&(play.to_vec(), moves)) {
            return *known;
        }
        let mut ways = vec![play.to_vec()];
        for _ in 0..2 {
            let last: Vec<Vec<Act>> = ways.clone();
            for way in last.iter().filter(|way| way.len() < play.len() + 2) {
                for act in self.agent.clone() {
                    let mut longer = way.clone();
                    longer.push(act);
                    if !ways.contains(&longer) && self.said(&longer) == Said::Fine {
                        ways.push(longer);
                    }
                }
            }
        }
        let lost = ways.iter().all(|way| self.is_won(way, moves));
        self.lost.insert((play.to_vec(), moves), lost);
        lost
    }

    /// The same, the environment being next.
    fn is_won(&mut self, play: &[Act], moves: usize) -> bool {
        if moves == 0 {
            return false;
        }
        if self.expires(play) {
            return true;
        }
        let mut open = Vec::new();
        for reply in self.replies(play) {
            let mut longer = play.to_vec();
            longer.push(reply);
            match self.said(&longer) {
                Said::Lost => return true,
                Said::Left => {}
                Said::Fine => open.push(longer),
            }
        }
        open.iter().any(|longer| self.is_lost(longer, moves - 1))
    }

    /// Whether a tool can be called, and whether every call of it loses; plays of up to `depth` events before it.
    fn is_doomed(&mut self, tool: &str, depth: usize, moves: usize) -> bool {
        let mut layer: Vec<Vec<Act>> = vec![Vec::new()];
        let mut called = false;
        for _ in 0..=depth {
            let mut longer = Vec::new();
            for play in &layer {
                let mut next = self.agent.clone();
                next.extend(self.replies(play));
                for act in next {
                    let mut play = play.clone();
                    play.push(act);
                    if self.said(&play) != Said::Fine {
                        continue;
                    }
                    let lost = self.is_lost(&play, moves);
                    if matches!(act, Act::Call(name, _) if name == tool) {
                        called = true;
                        if !lost {
                            return false;
                        }
                    }
                    if !lost {
                        longer.push(play);
                    }
                }
            }
            layer = longer;
        }
        called
    }
}

/// Whether each is found by both or by neither; how many were found.
fn compare(policy: &str, tally: &mut [usize; 4]) -> Result<(), String> {
    let Some((findings, bytes)) = check(policy) else {
        return Ok(());
    };
    let (finding, open) = found(&findings, "unenforceable", "c");
    // Of contracts that no session keeps nothing else is told.
    if findings.iter().any(|f| matches!(f.code, "E0701" | "E0702")) {
        return Ok(());
    }
    if open {
        tally[3] += 1;
        return Ok(());
    }
    let library = Library::load(&bytes).unwrap();
    let plan = Arc::new(Plan::new(&library));
    let names = |word: &str| policy.lines().skip(2).any(|line| line.contains(word));
    let mut agent = Vec::new();
    for tool in ["a", "b"] {
        if ["call", "success", "failure", "return"]
            .iter()
            .any(|kind| names(&format!("{kind} {tool}")))
        {
            agent.push(Act::Call(tool, false));
            if tool == "a" && names("fast") {
                agent.push(Act::Call(tool, true));
            }
        }
    }
    if names("output") {
        agent.push(Act::Output);
    }
    let mut environment = Vec::new();
    if names("input") {
        environment.push(Act::Input);
    }
    if names("alarm") {
        environment.push(Act::Alarm(true));
        environment.push(Act::Alarm(false));
    }
    let mut table = Table {
        library: &library,
        plan,
        agent,
        environment,
        seen: HashMap::new(),
        lost: HashMap::new(),
        work: Cell::new(0),
    };
    let moves = 3;
    let always = table.is_lost(&[], moves);
    if table.is_long() {
        return Ok(());
    }
    let told = finding.map(|finding| {
        let proof = finding.proof.as_ref().unwrap();
        (proof.tool.clone(), proof.witness.clone())
    });
    let shown = || format!("{policy}{:#?}", finding.map(|f| &f.message));
    let two = policy.matches("guarantee").count() > 1;
    match (&told, always) {
        (None, true) => return Err(format!("lost from the start, and not found:\n{policy}")),
        (Some((None, _)), false) => return Err(format!("not lost from the start:\n{}", shown())),
        // Of two clauses one alone may be lost otherwise.
        (Some((None, _)), true) => tally[0] += 1,
        (Some((Some(_), _)), true) if !two => {
            return Err(format!("lost from the start:\n{}", shown()));
        }
        (Some((Some(tool), _)), false) => {
            tally[1] += 1;
            if !two && !table.is_doomed(tool, 1, moves) && !table.is_long() {
                return Err(format!("`{tool}` can be called:\n{}", shown()));
            }
        }
        (Some(_), true) => {}
        (None, false) => {
            tally[2] += 1;
            for tool in ["a", "b"] {
                if table.is_doomed(tool, 2, moves) && !table.is_long() {
                    return Err(format!("`{tool}` can never be called:\n{policy}"));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn the_environment_wins_where_it_is_said_to() {
    let mut rng = Rng::new(seed(70_801));
    // From the start, by a tool, not at all, undecided.
    let mut tally = [0; 4];
    let mut faults = Vec::new();
    for _ in 0..count(24) {
        let policy = policy(&mut rng);
        if let Err(fault) = compare(&policy, &mut tally) {
            faults.push(fault);
        }
    }
    eprintln!("{tally:?}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(tally[0] > 1 && tally[1] > 1 && tally[2] > 5, "{tally:?}");
    assert!(tally[3] * 10 <= tally.iter().sum(), "{tally:?}");
}
