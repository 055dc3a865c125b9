//! Our automata against MONA's: the same language on all traces with a step, and as many states.
//!
//! MONA (Debian's package `mona`) reads a first-order formula that owes nothing to our engine but the reader of
//! the text, and gives its automaton in its external format. Where it is not installed, the tests say
//! that they were skipped. `CTRC_BENCH_LTLF=DIR` compares all formulas of a folder and the folders in it,
//! `CTRC_LOGIC_MONA=N` so many random formulas; with `--nocapture` the figures are printed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "tests"
)]

#[path = "../../compiler/logic/tests/common/mod.rs"]
mod common;

use common::{Random, Tree};
use ctr_logic::{Dfa, Limits, NodeRef, translate};
use ctrc::ltlf;
use std::collections::HashSet;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Time for one run of MONA on the fixtures.
const SHORT: Duration = Duration::from_millis(700);

/// Time for one run of MONA on a folder that the environment names.
const LONG: Duration = Duration::from_secs(2);

/// Whether MONA can be run; says so where not.
fn installed(test: &str) -> bool {
    let found = Command::new("mona")
        .arg("-v")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok();
    if !found {
        // Past the capture of passing tests' output, so that it is seen.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED {test}: `mona` is not on the PATH (Debian: apt-get install mona)"
        );
    }
    found
}

/// An automaton in MONA's external format: diagrams over tracks, `1` accepting, `-1` rejecting, `0` for
/// strings that MONA leaves open (those too short to be one).
#[derive(Debug)]
struct Mona {
    variables: Vec<String>,
    initial: usize,
    finals: Vec<i8>,
    /// The root of each state's diagram.
    roots: Vec<usize>,
    /// Leaves are `(-1, state, 0)`, decisions `(track, low, high)`.
    nodes: Vec<(i32, usize, usize)>,
}

impl Mona {
    fn parse(text: &str) -> Self {
        let mut lines = text.lines();
        let field = |name: &str, lines: &mut std::str::Lines<'_>| -> Vec<String> {
            let line = lines.next().unwrap_or_default();
            let rest = line
                .strip_prefix(name)
                .unwrap_or_else(|| panic!("{name} expected, not {line}"));
            rest.split_whitespace().map(str::to_owned).collect()
        };
        assert_eq!(lines.next(), Some("MONA DFA"));
        field("number of variables:", &mut lines);
        let variables = field("variables:", &mut lines);
        field("orders:", &mut lines);
        let states: usize = field("states:", &mut lines)[0].parse().unwrap();
        let initial = field("initial:", &mut lines)[0].parse().unwrap();
        let count: usize = field("bdd nodes:", &mut lines)[0].parse().unwrap();
        let finals: Vec<i8> = field("final:", &mut lines)
            .iter()
            .map(|f| f.parse().unwrap())
            .collect();
        let roots: Vec<usize> = field("behaviour:", &mut lines)
            .iter()
            .map(|f| f.parse().unwrap())
            .collect();
        assert_eq!(lines.next(), Some("bdd:"));
        let nodes: Vec<(i32, usize, usize)> = lines
            .by_ref()
            .take(count)
            .map(|line| {
                let fields: Vec<i64> = line
                    .split_whitespace()
                    .map(|f| f.parse().unwrap())
                    .collect();
                (
                    i32::try_from(fields[0]).unwrap(),
                    usize::try_from(fields[1]).unwrap(),
                    usize::try_from(fields[2]).unwrap(),
                )
            })
            .collect();
        assert_eq!(lines.next(), Some("end"));
        assert_eq!((finals.len(), roots.len()), (states, states));
        Self {
            variables,
            initial,
            finals,
            roots,
            nodes,
        }
    }

    /// The states after one letter from a state.
    fn successors(&self, state: usize) -> Vec<usize> {
        let (mut seen, mut found) = (HashSet::new(), Vec::new());
        let mut stack = vec![self.roots[state]];
        while let Some(node) = stack.pop() {
            if seen.insert(node) {
                match self.nodes[node] {
                    (-1, state, _) => found.push(state),
                    (_, low, high) => stack.extend([high, low]),
                }
            }
        }
        found
    }

    /// The state before the first step: MONA reads the values of Boolean variables, of which there are
    /// none, as a letter before it.
    fn start(&self) -> usize {
        let after = self.successors(self.initial);
        assert_eq!(after.len(), 1, "no Boolean variables");
        after[0]
    }

    /// How many states some trace with a step leads to.
    fn states_with_a_step(&self) -> usize {
        let mut seen = HashSet::new();
        let mut stack = self.successors(self.start());
        while let Some(state) = stack.pop() {
            if seen.insert(state) {
                stack.extend(self.successors(state));
            }
        }
        seen.len()
    }
}

/// How many states of ours some trace with a step leads to.
fn states_with_a_step(dfa: &Dfa) -> usize {
    let again = (0..dfa.states() as u32).any(|s| dfa.successors(s).contains(&dfa.initial()));
    dfa.states() - usize::from(!again)
}

/// What MONA says to a program: its automaton, or nothing within the time or memory.
fn run(program: &str, limit: Duration) -> Option<Mona> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("formula.mona");
    std::fs::write(&file, program).unwrap();
    let mut child = Command::new("mona")
        .arg("-xw")
        .arg(&file)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        out.read_to_string(&mut text).map(|_| text)
    });
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break Some(status);
        }
        if start.elapsed() > limit {
            child.kill().unwrap();
            child.wait().unwrap();
            break None;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let text = reader.join().unwrap().unwrap();
    let status = status?;
    // Large formulas overflow its stack or its tables.
    if status.code().is_none() || text.contains("too large") || text.contains("out of memory") {
        return None;
    }
    assert!(
        status.success() && text.starts_with("MONA DFA"),
        "{status}: {text}\n{program}"
    );
    Some(Mona::parse(&text))
}

/// Walks both automata at once, diagram beside diagram (ours has MONA's order of atoms), and says how
/// the languages differ on traces with a step.
fn difference(dfa: &Dfa, mona: &Mona) -> Option<String> {
    // The track of each atom. A variable that MONA leaves out does not matter to it.
    let track = |atom: u32| i64::from(atom);
    let mut pairs = HashSet::new();
    let mut nodes = HashSet::new();
    let mut stack = vec![(dfa.root(dfa.initial()), mona.roots[mona.start()])];
    while let Some((ours, theirs)) = stack.pop() {
        if !nodes.insert((ours, theirs)) {
            continue;
        }
        let (their_track, low, high) = mona.nodes[theirs];
        match (ours, their_track) {
            (NodeRef::Leaf(state), -1) => {
                if mona.finals[low] == 0 {
                    return Some(format!("MONA leaves open what leads to its state {low}"));
                }
                if dfa.accepting(state) != (mona.finals[low] == 1) {
                    return Some(format!(
                        "a trace leads to state {state} of ours, which is {}, and to {low} of MONA's",
                        dfa.accepting(state)
                    ));
                }
                if pairs.insert((state, low)) {
                    stack.push((dfa.root(state), mona.roots[low]));
                }
            }
            (NodeRef::Leaf(_), _) => stack.extend([(ours, low), (ours, high)]),
            (NodeRef::Inner(index), _) => {
                let node = dfa.node(index);
                let atom = track(node.atom);
                if their_track == -1 || atom < i64::from(their_track) {
                    stack.extend([(node.low, theirs), (node.high, theirs)]);
                } else if atom > i64::from(their_track) {
                    stack.extend([(ours, low), (ours, high)]);
                } else {
                    stack.extend([(node.low, low), (node.high, high)]);
                }
            }
        }
    }
    None
}

enum Compared {
    Same {
        states: usize,
    },
    /// MONA did not finish.
    Unfinished,
    /// We did not, within the limits.
    Ours,
}

/// Compares one text; the atoms of ours are ordered as MONA's tracks.
fn compare(name: &str, text: &str, kind: ltlf::Kind, limit: Duration) -> Compared {
    let written = ltlf::mona(text, kind).unwrap();
    let Some(mona) = run(&written.program, limit) else {
        return Compared::Unfinished;
    };
    assert_eq!(mona.variables, written.variables, "{name}");
    let mut problem = ltlf::parse(text, kind).unwrap();
    let formula = problem.conjunction();
    let order: Vec<u32> = (0..written.variables.len() as u32).collect();
    let limits = Limits {
        states: 200_000,
        ..Limits::default()
    };
    let dfa = match translate(&mut problem.arena, formula, &order, &limits) {
        Ok(dfa) => dfa,
        Err(error) => {
            assert!(error.is_limit(), "{name}: {error}");
            return Compared::Ours;
        }
    };
    if let Some(difference) = difference(&dfa, &mona) {
        panic!("{name}: {difference}\n{text}\n{}", written.program);
    }
    // Both are minimal: a state for each class of traces with a step.
    assert_eq!(
        states_with_a_step(&dfa),
        mona.states_with_a_step(),
        "{name}: states"
    );
    Compared::Same {
        states: dfa.states(),
    }
}

fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, into);
        } else if ltlf::Kind::of_path(&path).is_some() {
            into.push(path);
        }
    }
}

fn folder(folder: &Path, limit: Duration) -> (usize, usize) {
    let mut paths = Vec::new();
    files(folder, &mut paths);
    let start = Instant::now();
    let (mut same, mut unfinished, mut ours, mut largest) = (0, 0, Vec::new(), 0);
    for path in &paths {
        let text = std::fs::read_to_string(path).unwrap();
        let name = path.display().to_string();
        match compare(&name, &text, ltlf::Kind::of_path(path).unwrap(), limit) {
            Compared::Same { states } => {
                same += 1;
                largest = largest.max(states);
            }
            Compared::Unfinished => unfinished += 1,
            Compared::Ours => ours.push(name),
        }
    }
    println!(
        "{}: {} formulas; on {same} MONA's automaton is the same (up to {largest} states), on {unfinished} \
         MONA needs more than {limit:?} or gives up, {:.1} s",
        folder.display(),
        paths.len(),
        start.elapsed().as_secs_f64()
    );
    assert!(ours.is_empty(), "MONA finishes and we do not: {ours:?}");
    (same, unfinished)
}

#[test]
fn families() {
    if !installed("families") {
        return;
    }
    let fixtures =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../compiler/driver/tests/ltlf/fixtures");
    let (same, _) = folder(&fixtures, SHORT);
    assert!(same >= 15, "only {same} were compared");
    if let Ok(all) = std::env::var("CTRC_BENCH_LTLF") {
        folder(Path::new(&all), LONG);
    }
}

/// The text of a tree is read as that tree.
fn as_meant(tree: &Tree, text: &str, random: &mut Random) {
    let mut problem = ltlf::parse(text, ltlf::Kind::Ltlf).unwrap();
    let read = problem.conjunction();
    let dfa = translate(&mut problem.arena, read, &[], &Limits::default()).unwrap();
    // The reader numbers atoms by their first mention.
    let atoms = ltlf::mona(text, ltlf::Kind::Ltlf).unwrap().atoms;
    let places: Vec<usize> = atoms
        .iter()
        .map(|atom| common::NAMES.iter().position(|name| name == atom).unwrap())
        .collect();
    for _ in 0..40 {
        let len = random.below(7) as usize;
        let trace = random.trace(3, len);
        let state = trace.iter().fold(dfa.initial(), |state, step| {
            dfa.step(state, |atom| step >> places[atom as usize] & 1 == 1)
        });
        assert_eq!(
            dfa.accepting(state),
            tree.holds(&trace),
            "{text} on {trace:?}"
        );
    }
}

#[test]
fn random_formulas_with_past() {
    if !installed("random_formulas_with_past") {
        return;
    }
    let rounds: usize = std::env::var("CTRC_LOGIC_MONA").map_or(100, |text| text.parse().unwrap());
    let mut random = Random::new(41);
    let start = Instant::now();
    let (mut same, mut past, mut largest) = (0, 0, 0);
    for round in 0..rounds {
        let tree: Tree = random.tree(3, 2 + round as u32 % 4, true);
        let text = tree.to_string();
        // What was read is what was meant, so that MONA speaks of the formula and not of its text.
        as_meant(&tree, &text, &mut random);
        if let Compared::Same { states } = compare(&text, &text, ltlf::Kind::Ltlf, LONG) {
            same += 1;
            past += usize::from(tree.has_past());
            largest = largest.max(states);
        }
    }
    println!(
        "MONA: {same} of {rounds} random formulas, {past} with past operators, up to {largest} states, have \
         the same automaton, {:.1} s",
        start.elapsed().as_secs_f64()
    );
    assert!(same * 10 > rounds * 9 && past * 3 > rounds);
}

/// The comparison itself would notice: MONA's automaton of one formula beside ours of another.
#[test]
fn different_formulas_are_told_apart() {
    if !installed("different_formulas_are_told_apart") {
        return;
    }
    let different = [
        ("X a", "X[!] a"),
        ("a U b", "a W b"),
        ("a R b", "a M b"),
        ("Z a", "Y a"),
        ("G(a -> O b)", "G(a -> Y O b)"),
        ("G(a S b)", "G(a T b)"),
        ("G(b -> (a S b))", "G(b -> Y(a S b))"),
        ("F a", "a"),
    ];
    for (left, right) in different {
        for (one, other) in [(left, right), (right, left)] {
            let written = ltlf::mona(one, ltlf::Kind::Ltlf).unwrap();
            let mona = run(&written.program, 10 * LONG).unwrap();
            let numbers: Vec<u32> = (0..written.atoms.len() as u32).collect();
            let mut problem = ltlf::parse(other, ltlf::Kind::Ltlf).unwrap();
            let formula = problem.conjunction();
            let dfa = translate(&mut problem.arena, formula, &numbers, &Limits::default()).unwrap();
            assert!(difference(&dfa, &mona).is_some(), "{one} and {other}");
        }
    }
}

/// MONA's strings may be empty, and its automaton says of the empty one whatever the program happens to
/// say. Here the program excludes it: no state before the first step accepts, also where our formula
/// holds of the empty trace.
#[test]
fn the_empty_string() {
    if !installed("the_empty_string") {
        return;
    }
    for (text, holds) in [
        ("G a", true),
        ("X a", true),
        ("true", true),
        ("H a", true),
        ("a R b", true),
        ("F a", false),
        ("X[!] a", false),
        ("a S b", false),
        ("false", false),
    ] {
        let written = ltlf::mona(text, ltlf::Kind::Ltlf).unwrap();
        let mona = run(&written.program, 10 * LONG).unwrap();
        assert_ne!(mona.finals[mona.initial], 1, "{text}");
        assert_ne!(mona.finals[mona.start()], 1, "{text}");
        let mut problem = ltlf::parse(text, ltlf::Kind::Ltlf).unwrap();
        let formula = problem.conjunction();
        let numbers: Vec<u32> = (0..written.atoms.len() as u32).collect();
        let dfa = translate(&mut problem.arena, formula, &numbers, &Limits::default()).unwrap();
        assert_eq!(dfa.accepting(dfa.initial()), holds, "{text}");
        assert_eq!(difference(&dfa, &mona), None, "{text}");
    }
}
