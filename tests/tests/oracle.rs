//! Random contracts and sessions against the definitions of the language reference.
//!
//! `CTRC_ORACLE_SEED` and `CTRC_ORACLE_COUNT` (batches of each test) change what is tried.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

use ctr_tests::binary::run;
use ctr_tests::cases::decisions;
use ctr_tests::oracle::check::{Comparison, Judges, by_futures, by_truth, policy, replay};
use ctr_tests::oracle::contract::{Atom, Contract};
use ctr_tests::oracle::formula::F;
use ctr_tests::oracle::gated::{Gate, decide};
use ctr_tests::oracle::generate::{
    Shape, Style, aggregated, clock, contract, every_event, guarded, pair, possible_letters,
    session, timed,
};
use ctr_tests::oracle::model::{Line, Session, Status};
use ctr_tests::oracle::residual::{Judge, both};
use ctr_tests::oracle::timed::by_clock;
use ctr_tests::rng::{Rng, count, seed};
use serde_json::json;
use std::fs;
use std::time::Duration;

const SEED: u64 = 20_261_130;

const PLAIN: Shape = Shape {
    length: 14,
    holes: 0,
    keys: true,
};

fn contracts(
    rng: &mut Rng,
    n: usize,
    make: &mut dyn FnMut(&mut Rng, &str) -> Contract,
) -> Vec<Contract> {
    let mut all = Vec::new();
    while all.len() < n {
        let name = format!("c{}", all.len());
        let contract = make(rng, &name);
        if !contract.used().is_empty() {
            all.push(contract);
        }
    }
    all
}

fn sessions(rng: &mut Rng, n: usize, shape: Shape) -> Vec<Session> {
    (0..n).map(|_| session(rng, shape)).collect()
}

/// Without the binary: two independent ways to judge a formula agree on every trace.
#[test]
fn the_definitions_agree_with_each_other() {
    let mut rng = Rng::new(seed(SEED) ^ 1);
    for _ in 0..3000 {
        let f: F = ctr_tests::oracle::generate::formula(&mut rng, &[0, 1], 3);
        for _ in 0..6 {
            let table: Vec<Vec<bool>> = (0..rng.below(6))
                .map(|_| vec![rng.chance(50), rng.chance(50)])
                .collect();
            if let Some((walked, closed)) = both(std::slice::from_ref(&f), &table) {
                assert_eq!(walked, closed, "{f:?} on {table:?}");
            }
        }
    }
}

/// Without the binary: what the futures say of small formulas is what anyone says.
#[test]
fn the_futures_of_known_formulas() {
    use ctr_tests::oracle::formula::{Binary, Unary};
    let atom = |n| Box::new(F::Leaf(n));
    let contract = |f| {
        use ctr_tests::oracle::cond::{Pattern, Verb};
        let atoms = vec![
            Atom::Pattern(Pattern::of(Verb::Call, "ta")),
            Atom::Pattern(Pattern::of(Verb::Call, "tb")),
        ];
        Contract::simple("c", atoms, f)
    };
    let a = vec![true, false];
    let b = vec![false, true];
    let pool = every_event();
    let judge = |f| {
        let c = contract(f);
        Judge::new(&c, &possible_letters(&c, &pool)).unwrap()
    };
    let precedence = judge(F::Bin(Binary::OnlyAfter, atom(0), atom(1)));
    assert_eq!(precedence.bad(&[]), Some(false));
    assert_eq!(precedence.bad(std::slice::from_ref(&a)), Some(true));
    assert_eq!(precedence.bad(&[b.clone(), a.clone()]), Some(false));
    let duty = judge(F::Bin(Binary::LeadsTo, atom(0), atom(1)));
    assert_eq!(duty.bad(&[a.clone(), a.clone()]), Some(false));
    assert_eq!(duty.alike(&[], &[a.clone(), b.clone()]), Some(false));
    assert_eq!(
        duty.alike(std::slice::from_ref(&a), &[a.clone(), vec![false, false]]),
        Some(true)
    );
    let now = judge(F::Bin(Binary::LeadsNow, atom(0), atom(1)));
    assert_eq!(now.bad(&[a.clone(), a.clone()]), Some(true));
    // Both at once is possible for free atoms, never for these calls.
    let never_both = F::Un(Unary::Next, Box::new(F::Bin(Binary::And, atom(0), atom(1))));
    assert_eq!(judge(never_both).bad(&[a]), None);
}

/// Without the binary: a contract has failed where some prefix of the session is violated for
/// good or the end finds it pending, exactly if its formula is false on the whole session.
#[test]
fn violations_and_truth_agree() {
    let mut rng = Rng::new(seed(SEED) ^ 16);
    let pool = every_event();
    let possible = |c: &Contract| possible_letters(c, &pool);
    let judges = Judges::new(&possible);
    let mut compared = 0;
    for keyed in [0, 2] {
        let style = Style {
            keyed,
            states: true,
            ..Style::default()
        };
        let list = contracts(&mut rng, 40, &mut |rng, name| {
            contract(rng, name, style, 3, 2)
        });
        for session in sessions(&mut rng, 8, PLAIN) {
            for c in &list {
                let (truth, futures) = (by_truth(c, &session), by_futures(c, &judges, &session));
                if let (Some(truth), Some(futures)) = (truth, futures) {
                    compared += 1;
                    assert_eq!(truth.value, futures.value, "{}{}", c.text(), session.text());
                }
            }
        }
    }
    assert!(compared > 300, "only {compared} pairs");
}

/// Without the binary: the definitions give what the conformance cases state.
#[test]
fn the_definitions_give_the_known_decisions() {
    use ctr_tests::oracle::cond::{Pattern, Verb};
    use ctr_tests::oracle::formula::{Binary, Counted};
    let pool = every_event();
    let call = |id: &str, tool: &str| Line::Call(id.to_owned(), tool.to_owned(), json!({}));
    let ret = |id: &str, status| Line::Return(id.to_owned(), status, Some(json!({})));
    let refused = |f: F, verbs: &[(Verb, &str)], lines: Vec<Line>| -> Vec<u64> {
        let atoms = verbs
            .iter()
            .map(|(verb, tool)| Atom::Pattern(Pattern::of(verb.clone(), tool)))
            .collect();
        let c = Contract::simple("c", atoms, f);
        let possible = possible_letters(&c, &pool);
        let gate = Gate::new(c, &possible).unwrap();
        let session = Session {
            lines,
            ..Session::default()
        };
        let decisions = decide(&[gate], &session);
        decisions.list.into_iter().map(|d| d.0).collect()
    };
    let leaf = |n| Box::new(F::Leaf(n));
    // One success at most: a call waits for the one in flight.
    let lines = vec![
        call("1", "ta"),
        call("2", "ta"),
        ret("1", Status::Failure),
        call("3", "ta"),
        ret("3", Status::Success),
        call("4", "ta"),
    ];
    let once = F::Count(Counted::AtMost, leaf(0), 1);
    assert_eq!(
        refused(once.clone(), &[(Verb::Success, "ta")], lines),
        [1, 5]
    );
    // A call whose outcome stays unknown counts for ever.
    let lines = vec![call("1", "ta"), ret("1", Status::Unknown), call("2", "ta")];
    assert_eq!(refused(once, &[(Verb::Success, "ta")], lines), [2]);
    // A success still under way does not satisfy `only after success`.
    let lines = vec![
        call("1", "ta"),
        call("2", "tb"),
        ret("1", Status::Success),
        call("3", "tb"),
    ];
    let after = F::Bin(Binary::OnlyAfter, leaf(0), leaf(1));
    let verbs = [(Verb::Call, "tb"), (Verb::Success, "ta")];
    assert_eq!(refused(after, &verbs, lines), [1]);
    // Nor does one of unknown outcome, for what a later call achieves.
    let lines = vec![
        call("1", "ta"),
        call("2", "tb"),
        ret("2", Status::Failure),
        ret("1", Status::Unknown),
        call("3", "tb"),
    ];
    let after = F::Bin(Binary::OnlyAfter, leaf(0), leaf(1));
    let verbs = [(Verb::Success, "tb"), (Verb::Success, "ta")];
    assert_eq!(refused(after, &verbs, lines), [4]);
    // The very next call.
    let lines = vec![
        call("1", "ta"),
        ret("1", Status::Success),
        call("2", "tc"),
        call("3", "tb"),
    ];
    let next = F::Bin(Binary::LeadsNow, leaf(0), leaf(1));
    let verbs = [(Verb::Call, "ta"), (Verb::Call, "tb")];
    assert_eq!(refused(next, &verbs, lines), [2]);
}

#[test]
fn formulas() {
    let seed = seed(SEED) ^ 2;
    let mut rng = Rng::new(seed);
    let mut all = Comparison::new("formulas", seed);
    for _ in 0..count(5) {
        let list = contracts(&mut rng, 40, &mut |rng, name| {
            let style = Style {
                states: true,
                ..Style::default()
            };
            let atoms = 2 + rng.below(2);
            let depth = 2 + rng.below(2);
            contract(rng, name, style, atoms, depth)
        });
        let sessions = sessions(&mut rng, 24, PLAIN);
        all.batch(&list, &sessions, &by_truth);
    }
    all.finish(1000);
}

#[test]
fn conditions_with_aggregates() {
    let seed = seed(SEED) ^ 3;
    let mut rng = Rng::new(seed);
    let mut all = Comparison::new("conditions_with_aggregates", seed);
    for _ in 0..count(3) {
        let list = contracts(&mut rng, 40, &mut |rng, name| {
            let style = Style {
                states: true,
                aggregates: true,
                ..Style::default()
            };
            contract(rng, name, style, 3, 2)
        });
        let sessions = sessions(&mut rng, 20, PLAIN);
        all.batch(&list, &sessions, &by_truth);
    }
    all.finish(500);
}

#[test]
fn templates() {
    let seed = seed(SEED) ^ 4;
    let mut rng = Rng::new(seed);
    let mut all = Comparison::new("templates", seed);
    for _ in 0..count(2) {
        let list = contracts(&mut rng, 40, &mut |rng, name| {
            let depth = 2 + rng.below(2);
            let mut c = contract(rng, name, Style::default(), 2, depth);
            c.template = true;
            c
        });
        let sessions = sessions(&mut rng, 20, PLAIN);
        all.batch(&list, &sessions, &by_truth);
    }
    all.finish(500);
}

/// A keyed contract of which some pattern binds the key: without one it has no instances, which is
/// an error.
fn keyed_contract(rng: &mut Rng, name: &str, style: Style, depth: usize) -> Contract {
    loop {
        let c = contract(rng, name, style, 3, depth);
        let bound = c.used().iter().any(|n| match &c.atoms[*n] {
            Atom::Pattern(p) => p.key.is_some(),
            _ => false,
        });
        if bound {
            return c;
        }
    }
}

#[test]
fn keyed_contracts() {
    let seed = seed(SEED) ^ 5;
    let mut rng = Rng::new(seed);
    let mut all = Comparison::new("keyed_contracts", seed);
    for _ in 0..count(4) {
        let list = contracts(&mut rng, 40, &mut |rng, name| {
            let style = Style {
                keyed: 1,
                states: true,
                ..Style::default()
            };
            let depth = 2 + rng.below(2);
            keyed_contract(rng, name, style, depth)
        });
        let sessions = sessions(&mut rng, 20, PLAIN);
        all.batch(&list, &sessions, &by_truth);
    }
    all.finish(500);
}

#[test]
fn assumptions() {
    let seed = seed(SEED) ^ 6;
    let mut rng = Rng::new(seed);
    let mut all = Comparison::new("assumptions", seed);
    for _ in 0..count(3) {
        let list = contracts(&mut rng, 40, &mut |rng, name| {
            pair(rng, name, Style::default())
        });
        let sessions = sessions(&mut rng, 20, PLAIN);
        all.batch(&list, &sessions, &by_truth);
    }
    all.finish(500);
}

#[test]
fn aggregates() {
    let seed = seed(SEED) ^ 7;
    let mut rng = Rng::new(seed);
    let mut all = Comparison::new("aggregates", seed);
    // The one atom of such a contract, "a P that breaks the condition", can be true and false.
    let either = |_: &Contract| [vec![true], vec![false]].into_iter().collect();
    let judges = Judges::new(&either);
    for round in 0..count(6) {
        let keyed = round % 2 == 1;
        let holes = if round % 3 == 2 { 15 } else { 0 };
        let list = contracts(&mut rng, 40, &mut |rng, name| {
            aggregated(rng, name, keyed, holes > 0)
        });
        let shape = Shape {
            length: 16,
            holes,
            keys: keyed,
        };
        let sessions = sessions(&mut rng, 20, shape);
        all.batch(&list, &sessions, &|c, s| by_futures(c, &judges, s));
    }
    all.finish(1000);
}

/// `within` a time: windows, deadlines, freshness.
#[test]
fn clocks() {
    let seed = seed(SEED) ^ 12;
    let mut rng = Rng::new(seed);
    let mut all = Comparison::new("clocks", seed);
    for round in 0..count(4) {
        let list: Vec<Contract> = (0..30)
            .map(|i| timed(&mut rng, &format!("c{i}"), round % 2 == 1))
            .collect();
        let mut sessions = sessions(
            &mut rng,
            24,
            Shape {
                length: 18,
                ..PLAIN
            },
        );
        for session in &mut sessions {
            clock(&mut rng, session);
        }
        all.batch(&list, &sessions, &by_clock);
    }
    all.finish(500);
}

/// First and later violations, pending obligations, undefined fields.
#[test]
fn violations() {
    futures("violations", 8, Style::default(), 0);
}

#[test]
fn undefined_fields() {
    let style = Style {
        undefined: true,
        states: true,
        ..Style::default()
    };
    futures("undefined_fields", 9, style, 25);
}

#[test]
fn violations_of_keyed_contracts() {
    let style = Style {
        keyed: 2,
        ..Style::default()
    };
    futures("violations_of_keyed_contracts", 10, style, 0);
}

fn futures(name: &'static str, salt: u64, style: Style, holes: usize) {
    let seed = seed(SEED) ^ salt;
    let mut rng = Rng::new(seed);
    let mut all = Comparison::new(name, seed);
    let pool = every_event();
    let possible = |c: &Contract| possible_letters(c, &pool);
    let judges = Judges::new(&possible);
    for _ in 0..count(3) {
        let list = contracts(&mut rng, 30, &mut |rng, name| {
            let depth = 1 + rng.below(2);
            let atoms = 2 + rng.below(2);
            contract(rng, name, style, atoms, depth)
        });
        let shape = Shape {
            length: 12,
            holes,
            keys: style.keyed > 0,
        };
        let sessions = sessions(&mut rng, 16, shape);
        all.batch(&list, &sessions, &|c, s| by_futures(c, &judges, s));
    }
    all.finish(400);
}

/// Nothing changes when a policy is formatted, when it is compiled first, or when the sessions
/// are given as a folder.
#[test]
fn other_ways_to_the_same_answer() {
    let seed = seed(SEED) ^ 13;
    let mut rng = Rng::new(seed);
    let limit = Duration::from_secs(120);
    for round in 0..count(2) {
        let mut list = contracts(&mut rng, 25, &mut |rng, name| {
            let style = Style {
                states: true,
                aggregates: true,
                undefined: true,
                keyed: if round % 2 == 1 { 2 } else { 0 },
            };
            if style.keyed > 0 {
                keyed_contract(rng, name, style, 3)
            } else {
                contract(rng, name, style, 3, 3)
            }
        });
        for i in 0..10 {
            list.push(aggregated(&mut rng, &format!("g{i}"), i % 2 == 1, true));
        }
        let sessions = sessions(&mut rng, 12, Shape { holes: 15, ..PLAIN });
        let texts: Vec<String> = sessions.iter().map(Session::text).collect();
        let dir = tempfile::tempdir().unwrap();
        let source = policy(&list);
        for view in ["recorded", "gated"] {
            let strip = |mut lines: Vec<serde_json::Value>| {
                for line in &mut lines {
                    line["session"] = json!(null);
                    // Formatting moves contracts to other lines.
                    for decision in line["decisions"].as_array_mut().into_iter().flatten() {
                        for objection in decision["objections"].as_array_mut().into_iter().flatten()
                        {
                            objection["line"] = json!(null);
                            objection["source"] = json!(null);
                        }
                    }
                }
                lines
            };
            let plain = strip(replay(dir.path(), &source, &texts, view).unwrap());

            fs::create_dir_all(dir.path().join("all")).unwrap();
            for (i, text) in texts.iter().enumerate() {
                fs::write(dir.path().join(format!("all/s{i:04}.jsonl")), text).unwrap();
            }
            let lines_of = |library: &str| {
                let args = [
                    "replay", "-l", library, "--format", "json", "--view", view, "all",
                ];
                let got = run(dir.path(), &args, None, limit);
                let mut lines: Vec<serde_json::Value> = got
                    .stdout
                    .lines()
                    .map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{e}: {l}")))
                    .collect();
                lines.sort_by_key(|l| l["session"].to_string());
                assert_eq!(lines.len(), texts.len(), "{library}: {}", got.stderr);
                strip(lines)
            };
            assert_eq!(
                lines_of("policy.ctr"),
                plain,
                "a folder of sessions\n{source}"
            );

            let args = ["build", "policy.ctr", "-o", "policy.ctrb"];
            let got = run(dir.path(), &args, None, limit);
            assert_eq!(got.code, Some(0), "build: {}\n{source}", got.stderr);
            assert_eq!(
                lines_of("policy.ctrb"),
                plain,
                "a compiled policy\n{source}"
            );

            fs::write(dir.path().join("tidy.ctr"), &source).unwrap();
            let got = run(dir.path(), &["fmt", "tidy.ctr"], None, limit);
            assert_eq!(got.code, Some(0), "fmt: {}\n{source}", got.stderr);
            let tidy = fs::read_to_string(dir.path().join("tidy.ctr")).unwrap();
            let got = run(dir.path(), &["fmt", "--check", "tidy.ctr"], None, limit);
            assert_eq!(got.code, Some(0), "fmt twice: {}\n{tidy}", got.stderr);
            assert_eq!(
                lines_of("tidy.ctr"),
                plain,
                "a formatted policy\n{source}\n{tidy}"
            );
        }
    }
}

/// What enforcement refuses, with the outcomes of calls in flight anticipated.
#[test]
fn gated_decisions() {
    gated("gated_decisions", 11, &mut |rng, name| {
        let depth = 1 + rng.below(2);
        contract(rng, name, Style::default(), 2, depth)
    });
}

#[test]
fn gated_decisions_of_keyed_contracts() {
    let style = Style {
        keyed: 2,
        ..Style::default()
    };
    gated(
        "gated_decisions_of_keyed_contracts",
        14,
        &mut |rng, name| contract(rng, name, style, 2, 2),
    );
}

#[test]
fn suppressed_events() {
    gated("suppressed_events", 15, &mut guarded);
}

/// Sessions in which most successes are lost, and contracts over successes.
#[test]
fn gated_decisions_after_unknown_outcomes() {
    use ctr_tests::oracle::cond::{Pattern, Verb};
    let mut make = |rng: &mut Rng, name: &str| {
        let atoms = ["ta", "tb", "tc"]
            .iter()
            .map(|tool| {
                let verb = match rng.chance(75) {
                    true => Verb::Success,
                    false => Verb::Call,
                };
                Atom::Pattern(Pattern::of(verb, tool))
            })
            .collect();
        let f = ctr_tests::oracle::generate::formula(rng, &[0, 1, 2], 2);
        Contract::simple(name, atoms, f)
    };
    gated_with(
        "gated_decisions_after_unknown_outcomes",
        17,
        true,
        &mut make,
    );
}

fn gated(name: &'static str, salt: u64, make: &mut dyn FnMut(&mut Rng, &str) -> Contract) {
    gated_with(name, salt, false, make);
}

fn gated_with(
    name: &'static str,
    salt: u64,
    lose: bool,
    make: &mut dyn FnMut(&mut Rng, &str) -> Contract,
) {
    let seed = seed(SEED) ^ salt;
    let mut rng = Rng::new(seed);
    let mut all = Comparison::new(name, seed);
    let pool = every_event();
    let dir = tempfile::tempdir().unwrap();
    for _ in 0..count(15) {
        let mut gates: Vec<Gate> = Vec::new();
        while gates.len() < 2 {
            let c = make(&mut rng, &format!("c{}", gates.len()));
            // Results that nobody knows yet are tried as free atoms, so one of them at most.
            if c.used().is_empty() || results(&c) > 1 {
                continue;
            }
            let possible = possible_letters(&c, &pool);
            gates.extend(Gate::new(c, &possible));
        }
        let list: Vec<Contract> = gates.iter().map(|g| g.contract.clone()).collect();
        let mut sessions = sessions(&mut rng, 24, PLAIN);
        for line in sessions.iter_mut().flat_map(|s| &mut s.lines) {
            if let Line::Return(_, status @ Status::Success, result) = line
                && lose
                && rng.chance(60)
            {
                *status = Status::Unknown;
                *result = None;
            }
        }
        let texts: Vec<String> = sessions.iter().map(Session::text).collect();
        let source = policy(&list);
        let lines = match replay(dir.path(), &source, &texts, "gated") {
            Ok(lines) => lines,
            Err(message) => {
                all.fail(|| format!("{source}--- {message}"));
                continue;
            }
        };
        let differs = |session: &Session, list: &serde_json::Value| {
            let expected = decide(&gates, session);
            let mut got = decisions(list);
            got.retain(|(event, ..)| *event < expected.horizon);
            (got != expected.list).then(|| format!("expected {expected:?}, got {got:?}"))
        };
        for (session, line) in sessions.iter().zip(&lines) {
            all.compared += 1;
            let Some(first) = differs(session, &line["decisions"]) else {
                continue;
            };
            all.fail(|| {
                let mut best = (session.clone(), first);
                'again: loop {
                    for i in (0..best.0.lines.len()).rev() {
                        let less = best.0.without(i);
                        let Ok(lines) = replay(dir.path(), &source, &[less.text()], "gated") else {
                            continue;
                        };
                        if let Some(difference) = differs(&less, &lines[0]["decisions"]) {
                            best = (less, difference);
                            continue 'again;
                        }
                    }
                    break;
                }
                format!("{source}--- trace\n{}--- {}", best.0.text(), best.1)
            });
        }
    }
    all.finish(300);
}

/// How many atoms read a result.
fn results(contract: &Contract) -> usize {
    use ctr_tests::oracle::cond::{Pattern, Verb};
    contract
        .used()
        .iter()
        .filter(|n| match &contract.atoms[**n] {
            Atom::Pattern(Pattern { verb, conds, .. }) => {
                *verb == Verb::Success && !conds.is_empty()
            }
            _ => false,
        })
        .count()
}
