//! `loop_redirect` against brute force: small random policies with redirects, and all short sessions that the gate lets through, each
//! followed by every call.

use std::fmt::Write as _;
use std::sync::Arc;

use ctr_runtime::decision::{Decision, Verb};
use ctr_runtime::event::{Event, EventKind};
use ctr_runtime::format::Library;
use ctr_runtime::session::{Plan, Session};
use ctr_tests::rng::{Rng, count, seed};

use crate::play::{Act, Status3, check, event, found};

const TOOLS: [&str; 3] = ["a", "b", "c"];
/// The longest session before the call.
const LONGEST: usize = 3;

fn pattern(rng: &mut Rng) -> String {
    let tool = rng.pick(&TOOLS);
    match rng.below(5) {
        0 => format!("call {tool}(fast)"),
        1 => format!("call {tool}(not fast)"),
        2 => format!("success {tool}"),
        _ => format!("call {tool}"),
    }
}

fn policy(rng: &mut Rng) -> (String, Vec<bool>) {
    let mut text = String::new();
    let mut redirects = Vec::new();
    for n in 0..2 + rng.below(2) {
        let (p, q) = (pattern(rng), pattern(rng));
        let clause = match rng.below(7) {
            0 | 1 => format!("never {p}"),
            2 => format!("{p} only after {q}"),
            3 => format!("{p} only before {q}"),
            4 => format!("never {p} after {q}"),
            5 => format!("{p} at most 1 time"),
            _ => format!("{p} only if {{count({q}) <= 1}}"),
        };
        // Counts stand for state here, not for conditions of the call.
        let clause = clause.replace(" only if {count(", " only while {count(");
        let redirect = n == 0 || rng.chance(50);
        redirects.push(redirect);
        write!(text, "contract c{n} {{\n  guarantee {clause}\n").unwrap();
        if redirect {
            let tool = rng.pick(&TOOLS);
            let fast = rng.pick(&["true", "false", "fast"]);
            writeln!(
                text,
                "  otherwise redirect {tool}(fast: {fast}) \"Instead.\""
            )
            .unwrap();
        }
        text.push_str("}\n");
    }
    (text, redirects)
}

/// For each contract: whether its redirect was asked for, and made.
struct Seen {
    asked: Vec<bool>,
    made: Vec<bool>,
}

fn look(seen: &mut Seen, redirects: &[bool], session: &mut Session<'_>, event: &Event<'_>) {
    let decision: Decision = session.propose(event, &mut ()).unwrap();
    let objects = |n: usize| decision.objections.iter().any(|o| o.contract as usize == n);
    for n in 0..redirects.len() {
        let first = (0..n).all(|other| !redirects[other] || !objects(other));
        let alone = (0..redirects.len()).all(|other| redirects[other] || !objects(other));
        if !(redirects[n] && objects(n) && first && alone) {
            continue;
        }
        // What is undefined is blocked.
        seen.asked[n] = true;
        if let (Verb::Redirect, Some(instead), EventKind::Call { id, .. }) =
            (decision.verb, &decision.instead, event.kind)
        {
            let call = Event {
                kind: EventKind::Call {
                    id,
                    tool: &instead.tool,
                    args: &instead.args,
                },
                meta: event.meta,
            };
            let answer = session.propose(&call, &mut ()).unwrap();
            seen.made[n] |= answer.verb == Verb::Allow;
        }
    }
}

fn brute(library: &Library<'_>, redirects: &[bool]) -> Seen {
    let plan = Arc::new(Plan::new(library));
    let mut seen = Seen {
        asked: vec![false; redirects.len()],
        made: vec![false; redirects.len()],
    };
    let calls: Vec<Act> = TOOLS
        .iter()
        .flat_map(|tool| [Act::Call(tool, false), Act::Call(tool, true)])
        .collect();
    let mut layer: Vec<Vec<Act>> = vec![Vec::new()];
    for length in 0..=LONGEST {
        let mut longer = Vec::new();
        for play in &layer {
            let replay = || {
                let mut session = Session::with_plan(library, Arc::clone(&plan));
                for at in 0..play.len() {
                    event(play, at, false, |event| {
                        session.record(event, &mut ()).unwrap()
                    });
                }
                session
            };
            let mut next = calls.clone();
            for (at, act) in play.iter().enumerate() {
                let answered = |act: &Act| matches!(act, Act::Return(call, ..) if *call == at);
                if matches!(act, Act::Call(..)) && !play.iter().any(answered) {
                    next.push(Act::Return(at, Status3::Success, false));
                }
            }
            for act in next {
                let mut play = play.clone();
                play.push(act);
                let at = play.len() - 1;
                let mut session = replay();
                let allowed = event(&play, at, false, |event| {
                    if matches!(act, Act::Call(..)) {
                        look(&mut seen, redirects, &mut session, event);
                    }
                    let decision = session.propose(event, &mut ()).unwrap();
                    decision.verb == Verb::Allow
                        && session
                            .record(event, &mut ())
                            .unwrap()
                            .violations
                            .is_empty()
                });
                if allowed && length < LONGEST {
                    longer.push(play);
                }
            }
        }
        layer = longer;
    }
    seen
}

#[test]
fn redirects_are_refused_where_it_is_said() {
    let mut rng = Rng::new(seed(70_501));
    // Found, made, never asked for, undecided.
    let mut tally = [0; 4];
    let mut faults = Vec::new();
    for _ in 0..count(24) {
        let (policy, redirects) = policy(&mut rng);
        let Some((findings, bytes)) = check(&policy) else {
            panic!("{policy}");
        };
        // Of contracts that cannot be kept nothing else is told.
        if findings.iter().any(|f| matches!(f.code, "E0701" | "E0703")) {
            continue;
        }
        let library = Library::load(&bytes).unwrap();
        let seen = brute(&library, &redirects);
        for n in (0..redirects.len()).filter(|n| redirects[*n]) {
            let name = format!("c{n}");
            let of_contract: Vec<_> = findings
                .iter()
                .filter(|f| f.code != "E0705" || f.message.contains(&format!("that `{name}`")))
                .cloned()
                .collect();
            let (finding, open) = found(&of_contract, "loop_redirect", &name);
            match (finding, seen.asked[n], seen.made[n]) {
                _ if open => tally[3] += 1,
                (Some(f), _, true) => faults.push(format!("it is made: {}\n{policy}", f.message)),
                (None, true, false) => {
                    faults.push(format!("`{name}` is never made, and not found:\n{policy}"));
                }
                (Some(_), ..) => tally[0] += 1,
                (None, _, true) => tally[1] += 1,
                (None, false, false) => tally[2] += 1,
            }
        }
    }
    eprintln!("{tally:?}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(tally[0] > 3 && tally[1] > 3, "{tally:?}");
    assert!(tally[3] * 10 <= tally.iter().sum(), "{tally:?}");
}
