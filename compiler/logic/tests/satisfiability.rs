//! Verdicts, shortest traces and minimal cores against brute force over traces and subsets.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod common;

use common::{Random, Tree, all_traces};
use ctr_logic::{
    Arena, CoreOptions, Engine, Error, Formula, Letter, Limits, Satisfiability, Traces, Verdict,
    cores, satisfiable, translate,
};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The length of a shortest trace for each subset of the members (a bit set).
struct Oracle {
    shortest: Vec<Option<usize>>,
}

impl Oracle {
    /// Traces up to four steps by trying all; longer ones by the automaton of the conjunction.
    fn new(trees: &[Tree], any: bool) -> Self {
        let mut shortest: Vec<Option<usize>> = vec![None; 1 << trees.len()];
        for trace in all_traces(2, 4) {
            if trace.is_empty() && !any {
                continue;
            }
            let holds = |(i, tree): (usize, &Tree)| u32::from(tree.holds(&trace)) << i;
            let satisfied: u32 = trees.iter().enumerate().map(holds).sum();
            for (subset, length) in shortest.iter_mut().enumerate() {
                if subset as u32 & !satisfied == 0 && length.is_none() {
                    *length = Some(trace.len());
                }
            }
        }
        for (subset, length) in shortest.iter_mut().enumerate() {
            if length.is_none() {
                let mut arena = Arena::new();
                let all: Vec<Formula> = members(subset, trees.len())
                    .iter()
                    .map(|&i| trees[i].build(&mut arena))
                    .collect();
                let f = arena.and(&all);
                let dfa = translate(&mut arena, f, &[], &Limits::default()).unwrap();
                *length = dfa.shortest_accepted_with_a_step().map(|t| t.len());
                assert!(length.is_none_or(|length| length > 4));
            }
        }
        Self { shortest }
    }

    fn minimal_cores(&self) -> Vec<usize> {
        let unsat = |subset: usize| self.shortest[subset].is_none();
        (0..self.shortest.len())
            .filter(|&subset| {
                unsat(subset)
                    && (0..usize::BITS)
                        .filter(|bit| subset >> bit & 1 == 1)
                        .all(|bit| !unsat(subset & !(1 << bit)))
            })
            .collect()
    }
}

fn members(subset: usize, n: usize) -> Vec<usize> {
    (0..n).filter(|i| subset >> i & 1 == 1).collect()
}

fn subset(members: &[usize]) -> usize {
    members.iter().map(|&m| 1 << m).sum()
}

fn sets(seed: u64, count: usize) -> impl Iterator<Item = Vec<Tree>> {
    let mut random = Random::new(seed);
    (0..count).map(move |round| {
        (0..2 + round % 4)
            .map(|_| {
                let depth = 1 + random.below(3);
                random.tree(2, depth, true)
            })
            .collect()
    })
}

fn kinds() -> [(Traces, bool); 2] {
    [(Traces::NonEmpty, false), (Traces::Any, true)]
}

#[test]
fn verdicts_and_shortest_traces() {
    for trees in sets(11, 300) {
        let mut arena = Arena::new();
        let formulas: Vec<Formula> = trees.iter().map(|tree| tree.build(&mut arena)).collect();
        for (traces, any) in kinds() {
            let oracle = Oracle::new(&trees, any);
            let options = Satisfiability {
                traces,
                ..Satisfiability::default()
            };
            let answer = satisfiable(&arena, &formulas, &options, &Limits::default()).unwrap();
            let again = satisfiable(&arena, &formulas, &options, &Limits::default()).unwrap();
            assert_eq!(answer, again);
            match (answer.verdict, oracle.shortest.last().unwrap()) {
                (Verdict::Satisfiable { trace }, Some(length)) => {
                    assert_eq!(trace.len(), *length, "{trees:?}");
                    assert!(formulas.iter().all(|&f| arena.holds(f, &trace)));
                }
                (Verdict::Unsatisfiable { core }, None) => {
                    assert_eq!(oracle.shortest[subset(&core)], None, "{trees:?}");
                }
                (verdict, expected) => panic!("{trees:?}: {verdict:?}, not {expected:?}"),
            }
        }
    }
}

#[test]
fn the_evaluator_against_the_definitions() {
    let mut random = Random::new(12);
    for _ in 0..300 {
        let depth = 1 + random.below(4);
        let tree = random.tree(3, depth, true);
        let mut arena = Arena::new();
        let f = tree.build(&mut arena);
        for _ in 0..10 {
            let length = random.below(7) as usize;
            let trace = random.trace(3, length);
            let letters: Vec<Letter> = trace
                .iter()
                .map(|letter| (0..3).map(|a| (a, letter >> a & 1 == 1)).collect())
                .collect();
            assert_eq!(arena.holds(f, &letters), tree.holds(&trace), "{tree:?}");
        }
    }
}

#[test]
fn a_core_is_minimal_and_each_removal_has_a_shortest_trace() {
    for trees in sets(13, 300) {
        let mut arena = Arena::new();
        let formulas: Vec<Formula> = trees.iter().map(|tree| tree.build(&mut arena)).collect();
        for (traces, any) in kinds() {
            let oracle = Oracle::new(&trees, any);
            let options = CoreOptions {
                limit: 1,
                satisfiability: Satisfiability {
                    traces,
                    ..Satisfiability::default()
                },
            };
            let found = cores(&arena, &formulas, &options, &Limits::default()).unwrap();
            let expected = oracle.minimal_cores();
            assert_eq!(found.cores.is_empty(), expected.is_empty(), "{trees:?}");
            for core in &found.cores {
                assert!(expected.contains(&subset(&core.members)), "{trees:?}");
                for (&member, trace) in core.members.iter().zip(&core.without) {
                    let rest = subset(&core.members) & !(1 << member);
                    assert_eq!(Some(trace.len()), oracle.shortest[rest]);
                    for i in members(rest, trees.len()) {
                        assert!(arena.holds(formulas[i], trace));
                    }
                }
            }
        }
    }
}

#[test]
fn all_minimal_cores_smallest_first() {
    for trees in sets(15, 300) {
        let mut arena = Arena::new();
        let formulas: Vec<Formula> = trees.iter().map(|tree| tree.build(&mut arena)).collect();
        for (traces, any) in kinds() {
            let mut expected = Oracle::new(&trees, any).minimal_cores();
            let satisfiability = Satisfiability {
                traces,
                ..Satisfiability::default()
            };
            for limit in [2, 3, 100] {
                let options = CoreOptions {
                    limit,
                    satisfiability,
                };
                let found = cores(&arena, &formulas, &options, &Limits::default()).unwrap();
                let mut subsets: Vec<usize> =
                    found.cores.iter().map(|c| subset(&c.members)).collect();
                let sizes: Vec<u32> = subsets.iter().map(|s| s.count_ones()).collect();
                assert!(sizes.is_sorted());
                assert_eq!(subsets.len(), limit.min(expected.len()), "{trees:?}");
                subsets.sort_unstable();
                expected.sort_unstable();
                assert!(found.stopped.is_none());
                if found.complete {
                    assert_eq!(subsets, expected, "{trees:?}");
                } else {
                    let others = expected.iter().filter(|s| !subsets.contains(s));
                    for other in others {
                        assert!(other.count_ones() as usize >= found.others_have);
                        assert!(other.count_ones() >= *sizes.last().unwrap());
                    }
                }
                assert!(found.complete || limit <= expected.len());
            }
        }
    }
}

#[test]
fn every_engine_agrees_where_it_ends() {
    for trees in sets(16, 200) {
        let mut arena = Arena::new();
        let formulas: Vec<Formula> = trees.iter().map(|tree| tree.build(&mut arena)).collect();
        let expected = Oracle::new(&trees, false).shortest.last().copied().unwrap();
        for engine in [Engine::Automata, Engine::Bounded, Engine::Reachability] {
            let options = Satisfiability {
                engine: Some(engine),
                ..Satisfiability::default()
            };
            let answer = satisfiable(&arena, &formulas, &options, &Limits::default()).unwrap();
            assert_eq!(answer.engine, engine);
            let found = match answer.verdict {
                Verdict::Satisfiable { trace } => Some(trace.len()),
                Verdict::Unsatisfiable { .. } => None,
            };
            assert_eq!(found, expected, "{engine:?} on {trees:?}");
        }
    }
}

#[test]
fn conjuncts_are_the_formula() {
    let traces = all_traces(2, 3);
    let mut random = Random::new(14);
    for _ in 0..200 {
        let tree = random.tree(2, 4, true);
        let mut arena = Arena::new();
        let f = tree.build(&mut arena);
        let conjuncts = arena.conjuncts(f);
        for trace in &traces {
            let letters: Vec<Letter> = trace
                .iter()
                .map(|letter| (0..2).map(|a| (a, letter >> a & 1 == 1)).collect())
                .collect();
            let all = conjuncts.iter().all(|&part| arena.holds(part, &letters));
            assert_eq!(all, tree.holds(trace) || conjuncts.is_empty(), "{tree:?}");
        }
    }
}

/// A chain that obliges each step to name the next atom, and never ends: all members are needed.
fn unsatisfiable_chain(arena: &mut Arena, n: u32) -> Vec<Formula> {
    let atoms: Vec<Formula> = (0..n).map(|i| arena.atom(i)).collect();
    let mut chain = vec![arena.eventually(atoms[0])];
    for i in 0..n as usize {
        let next = arena.next(atoms[(i + 1) % n as usize]);
        let then = arena.implies(atoms[i], next);
        chain.push(arena.always(then));
    }
    chain
}

#[test]
fn a_long_chain_is_its_only_core() {
    let mut arena = Arena::new();
    let chain = unsatisfiable_chain(&mut arena, 24);
    let options = CoreOptions {
        limit: 10,
        ..CoreOptions::default()
    };
    let found = cores(&arena, &chain, &options, &Limits::default()).unwrap();
    assert!(found.complete);
    let [core] = found.cores.as_slice() else {
        panic!("{} cores", found.cores.len());
    };
    assert_eq!(core.members, (0..chain.len()).collect::<Vec<_>>());
    // Without the link from step i on, i + 1 steps are enough; without the start, one is.
    let lengths: Vec<usize> = core.without.iter().map(Vec::len).collect();
    assert_eq!(lengths, [&[1][..], &(1..=24).collect::<Vec<_>>()].concat());
}

#[test]
fn an_automaton_too_large_on_the_way_may_be_a_constant() {
    let mut arena = Arena::new();
    let chain = unsatisfiable_chain(&mut arena, 30);
    let f = arena.and(&chain);
    let small = Limits {
        states: 600,
        nodes: 60_000,
        ..Limits::default()
    };
    let dfa = translate(&mut arena, f, &[], &small).unwrap();
    assert!(dfa.is_empty() && dfa.states() == 1);
    let not_f = arena.not(f);
    assert!(
        translate(&mut arena, not_f, &[], &small)
            .unwrap()
            .is_universal()
    );
    // One that is no constant stays too large.
    let possible = arena.and(&chain[1..]);
    let error = translate(&mut arena, possible, &[], &small).unwrap_err();
    assert!(error.is_limit());
}

/// A counter that starts at 0 and is to reach its last value.
fn counter(arena: &mut Arena, bits: u32) -> Vec<Formula> {
    let atoms: Vec<Formula> = (0..bits).map(|i| arena.atom(i)).collect();
    let mut members: Vec<Formula> = atoms.iter().map(|&bit| arena.not(bit)).collect();
    let tt = arena.tt();
    let more = arena.next(tt);
    for i in 0..bits as usize {
        let carry = arena.and(&atoms[..i]);
        let flipped = arena.xor(atoms[i], carry);
        let next = arena.next(atoms[i]);
        let step = arena.iff(next, flipped);
        let step = arena.implies(more, step);
        members.push(arena.always(step));
    }
    let all = arena.and(&atoms);
    members.push(arena.eventually(all));
    members
}

#[test]
fn the_race_decides_what_first_attempts_do_not() {
    let bits = 8;
    let mut arena = Arena::new();
    let mut members = counter(&mut arena, bits);
    let options = Satisfiability::default();
    let answer = satisfiable(&arena, &members, &options, &Limits::default()).unwrap();
    let Verdict::Satisfiable { trace } = answer.verdict else {
        panic!("unsatisfiable");
    };
    assert_eq!(trace.len(), 1 << bits);
    let last = *members.last().unwrap();
    members.push(arena.not(last));
    let found = cores(
        &arena,
        &members,
        &CoreOptions::default(),
        &Limits::default(),
    )
    .unwrap();
    assert_eq!(found.cores[0].members.len(), 2);
}

#[test]
fn a_race_can_be_cancelled() {
    // Far more steps than any engine takes in a test.
    let mut arena = Arena::new();
    let members = counter(&mut arena, 40);
    let asked = AtomicUsize::new(0);
    let later = || asked.fetch_add(1, Ordering::Relaxed) >= 3_000;
    let limits = Limits {
        cancel: Some(&later),
        ..Limits::default()
    };
    let options = Satisfiability::default();
    assert_eq!(
        satisfiable(&arena, &members, &options, &limits),
        Err(Error::Cancelled)
    );
    // And ends by itself where all engines are at their limits.
    let small = Limits {
        states: 200,
        nodes: 20_000,
        ..Limits::default()
    };
    let error = satisfiable(&arena, &members, &options, &small).unwrap_err();
    assert!(error.is_limit(), "{error:?}");
}

#[test]
fn a_search_that_is_cut_short_gives_what_it_has() {
    // Two ways from each atom to the next: 2^n cores.
    let n = 12;
    let mut arena = Arena::new();
    let eventually: Vec<Formula> = (0..=n)
        .map(|i| {
            let atom = arena.atom(i);
            arena.eventually(atom)
        })
        .collect();
    let mut members = vec![eventually[0]];
    for i in 0..n as usize {
        members.push(arena.implies(eventually[i], eventually[i + 1]));
        let atom = arena.atom(i as u32);
        let then = arena.implies(atom, eventually[i + 1]);
        members.push(arena.always(then));
    }
    let last = arena.not(eventually[n as usize]);
    members.push(last);
    let asked = AtomicUsize::new(0);
    let later = || asked.fetch_add(1, Ordering::Relaxed) >= 20_000;
    let limits = Limits {
        cancel: Some(&later),
        ..Limits::default()
    };
    let options = CoreOptions {
        limit: usize::MAX,
        ..CoreOptions::default()
    };
    let found = cores(&arena, &members, &options, &limits).unwrap();
    assert_eq!(found.stopped, Some(Error::Cancelled));
    assert!(!found.complete && !found.cores.is_empty());
    assert!(found.cores.iter().all(|core| core.members.len() == 14));
    assert!(found.others_have <= 14);
}

#[test]
fn cancellation_and_limits_say_what_was_reached() {
    let mut arena = Arena::new();
    let chain = unsatisfiable_chain(&mut arena, 40);
    let cancelled = Limits {
        cancel: Some(&|| true),
        ..Limits::default()
    };
    let options = Satisfiability::default();
    assert_eq!(
        satisfiable(&arena, &chain, &options, &cancelled),
        Err(Error::Cancelled)
    );
    let asked = AtomicUsize::new(0);
    let soon = || asked.fetch_add(1, Ordering::Relaxed) >= 20;
    let cancelled = Limits {
        cancel: Some(&soon),
        ..Limits::default()
    };
    assert_eq!(
        cores(&arena, &chain, &CoreOptions::default(), &cancelled),
        Err(Error::Cancelled)
    );
    let a = arena.atom(0);
    let next = arena.next(a);
    let past = arena.once(next);
    assert!(matches!(
        satisfiable(&arena, &[past], &options, &Limits::default()),
        Err(Error::FutureUnderPast { .. })
    ));
}

/// Wherever a search for cores is cut short, what it has is true: each core is one, the conflict is
/// unsatisfiable, and the smaller cores are all there.
#[test]
fn cores_cut_short_anywhere() {
    let mut arena = Arena::new();
    let (a, b) = (arena.atom(0), arena.atom(1));
    let (not_a, not_b) = (arena.not(a), arena.not(b));
    let then_b = arena.implies(a, b);
    // {0, 1, 2}, {0, 1, 3} and {0, 4}.
    let members = [
        arena.eventually(a),
        arena.always(then_b),
        arena.always(not_b),
        arena.always(not_b),
        arena.always(not_a),
    ];
    let all = [vec![0, 4], vec![0, 1, 2], vec![0, 1, 3]];
    let limit = usize::MAX;
    let (mut undecided, mut no_core, mut some, mut complete) = (0, 0, 0, 0);
    for most in 0..500 {
        let asked = AtomicUsize::new(0);
        let later = || asked.fetch_add(1, Ordering::Relaxed) >= most;
        let limits = Limits {
            cancel: Some(&later),
            ..Limits::default()
        };
        let options = CoreOptions {
            limit,
            ..CoreOptions::default()
        };
        let found = match cores(&arena, &members, &options, &limits) {
            Ok(found) => found,
            Err(error) => {
                assert_eq!(error, Error::Cancelled);
                undecided += 1;
                continue;
            }
        };
        assert!(!found.satisfiable());
        let conflict = &found.conflict;
        let within = |core: &Vec<usize>| core.iter().all(|member| conflict.contains(member));
        assert!(all.iter().any(within), "{found:?}");
        assert_eq!(found.stopped.is_none(), found.complete);
        for core in &found.cores {
            assert!(all.contains(&core.members), "{found:?}");
            assert_eq!(core.members.len(), core.without.len());
        }
        let given: Vec<&Vec<usize>> = found.cores.iter().map(|core| &core.members).collect();
        let smaller = all.iter().filter(|core| core.len() < found.others_have);
        assert!(smaller.into_iter().all(|core| given.contains(&core)));
        match found.cores.len() {
            3 if found.complete => complete += 1,
            0 => no_core += 1,
            _ => some += 1,
        }
    }
    let each = [undecided, no_core, some, complete];
    assert!(each.iter().all(|&count| count > 0), "{each:?}");
}

/// Under any limits an engine says that one is reached, or what is true; never anything else.
#[test]
fn tiny_limits_give_no_wrong_verdicts() {
    let mut random = Random::new(53);
    let traces = all_traces(2, 4);
    let (mut answers, mut errors) = (0, 0);
    for round in 0..40u32 {
        let trees: Vec<Tree> = (0..3)
            .map(|i| random.tree(2, 2 + (round + i) % 3, true))
            .collect();
        let mut arena = Arena::new();
        let formulas: Vec<Formula> = trees.iter().map(|tree| tree.build(&mut arena)).collect();
        let all = arena.and(&formulas);
        let dfa = translate(&mut arena, all, &[], &Limits::default()).unwrap();
        let shortest = dfa.shortest_accepted_with_a_step().map(|trace| trace.len());
        let mut engines = vec![None, Some(Engine::Automata), Some(Engine::Reachability)];
        if shortest.is_some() {
            engines.push(Some(Engine::Bounded));
        }
        for engine in engines {
            let options = Satisfiability {
                traces: Traces::NonEmpty,
                engine,
            };
            let mut judge =
                |limits: &Limits<'_>| match satisfiable(&arena, &formulas, &options, limits) {
                    Ok(answer) => {
                        answers += 1;
                        match answer.verdict {
                            Verdict::Satisfiable { trace } => {
                                assert_eq!(Some(trace.len()), shortest, "{engine:?} {trees:?}");
                                let steps: Vec<u32> = trace
                                    .iter()
                                    .map(|letter| {
                                        letter.iter().fold(0, |bits, &(atom, value)| {
                                            bits | u32::from(value) << atom
                                        })
                                    })
                                    .collect();
                                assert!(trees.iter().all(|tree| tree.holds(&steps)));
                            }
                            Verdict::Unsatisfiable { core } => {
                                assert_eq!(shortest, None, "{engine:?} {trees:?}");
                                for trace in traces.iter().skip(1) {
                                    assert!(!core.iter().all(|&i| trees[i].holds(trace)));
                                }
                            }
                        }
                    }
                    Err(error) => {
                        errors += 1;
                        let told = error.is_limit() || error == Error::Cancelled;
                        assert!(
                            told && !error.to_string().is_empty(),
                            "{engine:?} {error:?}"
                        );
                    }
                };
            for n in [0, 1, 2, 3, 5, 8, 20, 100, 1_000] {
                judge(&Limits {
                    states: n,
                    ..Limits::default()
                });
                judge(&Limits {
                    nodes: n,
                    ..Limits::default()
                });
                let asked = AtomicUsize::new(0);
                let cancel = || asked.fetch_add(1, Ordering::Relaxed) >= n;
                judge(&Limits {
                    cancel: Some(&cancel),
                    ..Limits::default()
                });
            }
        }
    }
    assert!(answers > 500 && errors > 200, "{answers} {errors}");
}

#[test]
fn wide_conjunctions_mean_what_their_members_mean() {
    let mut arena = Arena::new();
    let atoms: Vec<Formula> = (0..700).map(|i| arena.atom(i)).collect();
    // One by one, as a reader makes them, and all at once.
    let mut all = arena.tt();
    for &atom in &atoms {
        all = arena.and(&[all, atom]);
    }
    assert_eq!(all, arena.and(&atoms));
    assert_eq!(arena.conjuncts(all).len(), 700);
    let trace: Letter = (0..700).map(|i| (i, true)).collect();
    assert!(arena.holds(all, std::slice::from_ref(&trace)));
    assert!(!arena.holds(all, &[trace[1..].to_vec()]));
    let contrary = arena.not(atoms[650]);
    let ff = arena.ff();
    assert_eq!(arena.and(&[all, contrary]), ff);
    let clone = arena.clone();
    assert!(clone.holds(all, &[trace]));
}
