//! Anticipated outcomes against a plain simulation of sets of states.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod support;

use std::collections::BTreeSet;

use ctr_runtime::decision::Verb;
use ctr_runtime::format::Library;
use ctr_runtime::format::model::{CompareOp, Label};
use ctr_runtime::session::{Session, gate};
use proptest::prelude::*;
use support::{Builder, CALL, Line, SUCCESS, call, line, read};

const TOOLS: [&str; 4] = ["a", "b", "u", "other"];
const VIOLATED: u32 = 3;

/// What happens next: a call, or the return of one of the open calls.
#[derive(Clone, Copy, Debug)]
enum Do {
    Call { tool: usize, key: u8 },
    Return { pick: usize, how: u8, x: u8 },
}

fn todo() -> impl Strategy<Value = Do> {
    prop_oneof![
        3 => (0..4_usize, 1..3_u8).prop_map(|(tool, key)| Do::Call { tool, key }),
        2 => (0..8_usize, 0..4_u8, 0..2_u8).prop_map(|(pick, how, x)| Do::Return { pick, how, x }),
    ]
}

fn table() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop_oneof![5 => 0..3_u8, 2 => 3..4_u8], 96)
}

fn step(table: &[u8], state: u32, letter: usize) -> u32 {
    match state {
        VIOLATED => VIOLATED,
        _ => u32::from(table[state as usize * 32 + letter]),
    }
}

/// Atoms: `call a(k)`, `success a(k)`, `success b(k, result.x == 1)`, `success u`, `call u`; without
/// keys the same on all.
fn library(table: &[u8], keyed: bool) -> Library<'static> {
    let mut b = Builder::new();
    let k = b.arg("k");
    let keys: Vec<u32> = if keyed { vec![k] } else { vec![] };
    let x = b.result("x");
    let one = b.num("1");
    let ok = b.cmp(CompareOp::Eq, x, one);
    let patterns = [
        b.pat(CALL, "a", &keys, None),
        b.pat(SUCCESS, "a", &keys, None),
        b.pat(SUCCESS, "b", &keys, Some(ok)),
        b.pat(SUCCESS, "u", &[], None),
        b.pat(CALL, "u", &[], None),
    ];
    let atoms: Vec<u32> = patterns.iter().map(|p| b.atom(*p)).collect();
    let table = table.to_vec();
    let g = b.dfa(&atoms, 4, support::bad(VIOLATED), move |s, bits| {
        let letter = bits
            .iter()
            .enumerate()
            .fold(0, |n, (i, b)| n | usize::from(*b) << i);
        step(&table, s, letter)
    });
    let c = b.contract("c", if keyed { &["k"] } else { &[] }, Some(g));
    let mut all = patterns.to_vec();
    all.sort_unstable();
    let contract = &mut b.model.contracts[c];
    contract.patterns = all;
    contract.watch.calls = true;
    contract.watch.returns = true;
    b.library()
}

/// The letters that an event can be for an instance; none where it does not see it.
fn letters(keyed: bool, tool: usize, key: u8, instance: u8, event: What) -> Vec<usize> {
    let bound = !keyed || key == instance;
    // Kind and tool that some pattern names, or everything without keys.
    let seen = match (event, tool) {
        (_, 2) => true,
        (What::Call | What::Success(_) | What::Other, 0) => bound,
        (What::Success(_) | What::Other, 1) => bound,
        _ => !keyed,
    };
    if !seen {
        return vec![];
    }
    match (event, tool) {
        (What::Call, 0) => vec![1],
        (What::Call, 2) => vec![16],
        (What::Success(_), 0) => vec![2],
        (What::Success(x), 1) => match x {
            Some(1) => vec![4],
            Some(_) => vec![0],
            None => vec![0, 4],
        },
        (What::Success(_), 2) => vec![8],
        _ => vec![0],
    }
}

#[derive(Clone, Copy, Debug)]
enum What {
    Call,
    Success(Option<u8>),
    Other,
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn calls_are_refused_where_no_outcome_is_left(
        keyed in any::<bool>(),
        table in table(),
        script in prop::collection::vec(todo(), 0..25),
    ) {
        let library = library(&table, keyed);
        let mut session = Session::new(&library);
        // Open calls that are in flight, and instances with their states.
        // With whether its outcome is unknown.
        let mut flight: Vec<(usize, usize, u8, bool)> = Vec::new();
        let mut waiting: Vec<usize> = Vec::new();
        let mut history: Vec<(usize, u8, What)> = Vec::new();
        let mut known: BTreeSet<u8> = if keyed { BTreeSet::new() } else { BTreeSet::from([0]) };
        for (n, todo) in script.iter().enumerate() {
            let state = |history: &[(usize, u8, What)], instance: u8| {
                history.iter().fold(0, |s, (tool, key, what)| {
                    match letters(keyed, *tool, *key, instance, *what).as_slice() {
                        [] => s,
                        [one] => match step(&table, s, *one) {
                            // The environment's violations leave the state.
                            VIOLATED => s,
                            to => to,
                        },
                        _ => panic!("results are known here"),
                    }
                })
            };
            match *todo {
                Do::Call { tool, key } => {
                    let text = call(&n.to_string(), TOOLS[tool], &format!("{{\"k\":{key}}}"));
                    let l = line(&text);
                    let Line::Event(event) = read(&l) else { unreachable!() };
                    let g = gate(&mut session, &event, &mut ()).unwrap();
                    // Only the call itself makes a key occur: `call a` and, by kind and tool, no other.
                    let mut instances = known.clone();
                    if keyed && tool < 2 {
                        instances.insert(key);
                    }
                    // Keys that the success of a call in flight will make occur are asked as well.
                    if keyed && tool == 2 {
                        instances.extend(flight.iter().filter(|f| f.1 < 2).map(|f| f.2));
                    }
                    let mut refused = false;
                    // A key that the call or its success brings, and that starts with a violation.
                    if keyed && tool < 2 && !known.contains(&key) {
                        let mut at = 0;
                        for (tool, k, what) in &history {
                            for l in letters(keyed, *tool, *k, key, *what) {
                                match step(&table, at, l) {
                                    VIOLATED => refused = true,
                                    to => at = to,
                                }
                            }
                        }
                    }
                    for i in instances {
                        let before = state(&history, i);
                        let now = letters(keyed, tool, key, i, What::Call);
                        let after = now.first().map_or(before, |l| step(&table, before, *l));
                        if after == VIOLATED {
                            // Also for a key that a call in flight will bring.
                            refused = true;
                            continue;
                        }
                        // Whom the call concerns: by its name, by its success, or by moving it.
                        let asked = match tool {
                            2 => true,
                            0 | 1 => !keyed || key == i,
                            _ => after != before,
                        };
                        // Any other return is a step without keys: a call is refused for its own return,
                        // not for what the calls in flight do by themselves.
                        if !asked && keyed {
                            continue;
                        }
                        // A set of states for each choice of what became of unknown calls.
                        let doomed = |calls: &[(usize, usize, u8, bool)]| {
                            let mut choices = BTreeSet::from([BTreeSet::from([after])]);
                            for (_, t, k, unknown) in calls {
                                let ways = letters(keyed, *t, *k, i, What::Success(None));
                                if ways.is_empty() {
                                    continue;
                                }
                                let mut next: BTreeSet<BTreeSet<u32>> = choices
                                    .iter()
                                    .map(|states| {
                                        states
                                            .iter()
                                            .flat_map(|s| ways.iter().map(|l| step(&table, *s, *l)))
                                            .filter(|s| *s != VIOLATED)
                                            .collect()
                                    })
                                    .collect();
                                if *unknown {
                                    next.extend(choices);
                                }
                                choices = next;
                            }
                            choices.iter().any(BTreeSet::is_empty)
                        };
                        let mut all = flight.clone();
                        all.push((n, tool, key, false));
                        refused |= doomed(&all) && (asked || !doomed(&flight));
                    }
                    prop_assert_eq!(g.decision.verb == Verb::Block, refused, "{:?} after {:?}", todo, history);
                    if !refused {
                        if keyed && tool == 0 {
                            known.insert(key);
                        }
                        flight.push((n, tool, key, false));
                        waiting.push(n);
                        history.push((tool, key, What::Call));
                    }
                }
                Do::Return { pick, how, x } => {
                    if waiting.is_empty() {
                        continue;
                    }
                    let id = waiting.remove(pick % waiting.len());
                    let at = flight.iter().position(|(n, ..)| *n == id).unwrap();
                    let (_, tool, key, _) = flight[at];
                    let (status, what) = match how {
                        0 => ("failure", What::Other),
                        1 => ("unknown", What::Other),
                        _ => ("success", What::Success(Some(x))),
                    };
                    if how == 1 {
                        flight[at].3 = true;
                    } else {
                        flight.remove(at);
                    }
                    let text = format!(
                        "{{\"kind\":\"return\",\"id\":\"{id}\",\"status\":\"{status}\",\"result\":{{\"x\":{x}}}}}"
                    );
                    let l = line(&text);
                    let Line::Event(event) = read(&l) else { unreachable!() };
                    let g = gate(&mut session, &event, &mut ()).unwrap();
                    prop_assert_eq!(g.decision.verb, Verb::Allow);
                    if keyed && tool < 2 {
                        known.insert(key);
                    }
                    history.push((tool, key, what));
                }
            }
        }
        let _ = Label::Satisfied;
    }
}
