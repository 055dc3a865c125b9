//! Formulas in contracts, compiled and walked by the runtime, against the definitions: the verdict of
//! every prefix of every short session, whether it is for good, and since when it is open.
//!
//! The definitions are those of the logic's own tests; the contracts are texts, so that parser, type
//! checker, automata, tables and runtime all stand between. `CTRC_LOGIC_PAIRS=1000000` tries so many
//! pairs of a contract and a session; with `--nocapture` the figures are printed.
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

use common::{NAMES, Random, Trace, Tree, all_traces};
use ctr_emit::Artifact;
use ctr_front::world::MemoryWorld;
use ctr_logic::{Arena, Dfa, Limits, translate};
use ctr_runtime::decision::{Reason, Value3, Verb};
use ctr_runtime::event::{Event, EventKind, Meta};
use ctr_runtime::format::Library;
use ctr_runtime::format::model::{Automaton, Label, Model, NodeRef};
use ctr_runtime::session::{Session, gate};
use ctr_runtime::value::{Record, Value};
use std::collections::HashMap;
use std::time::Instant;

/// What the atoms of a library's formulas are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leaves {
    /// Patterns of calls: the agent decides.
    Calls,
    /// Conditions over the context, asked at outputs: contracts without patterns watch all events, and
    /// an output, unlike a call, has no return that the gate would anticipate as one more step.
    Conditions,
    /// The first atom is a pattern of outputs, the others are conditions.
    Mixed,
    /// Patterns of a declared event: the environment decides.
    Declared,
}

const LEAVES: [Leaves; 4] = [
    Leaves::Calls,
    Leaves::Conditions,
    Leaves::Mixed,
    Leaves::Declared,
];

impl Leaves {
    fn text(self, atom: u32) -> String {
        let name = NAMES[atom as usize];
        match self {
            Self::Calls => format!("call step({name})"),
            Self::Mixed if atom == 0 => format!("output(text == \"{name}\")"),
            Self::Conditions | Self::Mixed => format!("{{ctx.{name}}}"),
            Self::Declared => format!("happened({name})"),
        }
    }
}

/// The formula in the contract language, with all parentheses. What the language does not have is
/// written by what it is defined by.
fn text(tree: &Tree, leaves: Leaves) -> String {
    let one = |f: &Tree| format!("({})", text(f, leaves));
    let two = |word: &str, f: &Tree, g: &Tree| format!("{} {word} {}", one(f), one(g));
    let dual =
        |word: &str, f: &Tree, g: &Tree| format!("not ((not {}) {word} (not {}))", one(f), one(g));
    match tree {
        Tree::True => "true".to_owned(),
        Tree::False => "false".to_owned(),
        Tree::Atom(a) => leaves.text(*a),
        Tree::Not(f) => format!("not {}", one(f)),
        Tree::Next(f) => format!("next {}", one(f)),
        Tree::WeakNext(f) => format!("weak next {}", one(f)),
        Tree::Always(f) => format!("always {}", one(f)),
        Tree::Eventually(f) => format!("eventually {}", one(f)),
        Tree::Previously(f) => format!("previously {}", one(f)),
        Tree::WeakPreviously(f) => format!("weak previously {}", one(f)),
        Tree::Once(f) => format!("once {}", one(f)),
        Tree::Historically(f) => format!("historically {}", one(f)),
        Tree::And(f, g) => two("and", f, g),
        Tree::Or(f, g) => two("or", f, g),
        Tree::Implies(f, g) => two("implies", f, g),
        Tree::Iff(f, g) => two("iff", f, g),
        Tree::Xor(f, g) => format!("not ({})", two("iff", f, g)),
        Tree::Until(f, g) => two("until", f, g),
        Tree::Unless(f, g) => two("unless", f, g),
        Tree::Release(f, g) => two("release", f, g),
        Tree::StrongRelease(f, g) => dual("unless", f, g),
        Tree::Since(f, g) => two("since", f, g),
        Tree::Triggered(f, g) => dual("since", f, g),
    }
}

fn policy(trees: &[Tree], leaves: Leaves, atoms: u32) -> String {
    let fields: Vec<String> = (0..atoms as usize)
        .map(|atom| format!("{}: bool", NAMES[atom]))
        .collect();
    let mut policy = format!(
        "module test\ntool step({0}) -> {{ ok: bool }}\nevent happened({0})\n",
        fields.join(", ")
    );
    for field in &fields {
        policy += &format!("context {field}\n");
    }
    // A clause that always holds names the kind of event, so that formulas without atoms watch no other.
    let watch = match leaves {
        Leaves::Calls => " guarantee (call any or not (call any))",
        Leaves::Declared => " guarantee (happened or not (happened))",
        Leaves::Conditions | Leaves::Mixed => "",
    };
    for (i, tree) in trees.iter().enumerate() {
        policy += &format!(
            "contract c{i} {{ guarantee {}{watch} }}\n",
            text(tree, leaves)
        );
    }
    policy
}

fn build(policy: &str) -> Artifact {
    let world = MemoryWorld::new().with("test.ctr", policy);
    let compiled = ctr_front::compile(&world, &["test.ctr".to_owned()]);
    let library = compiled
        .library
        .unwrap_or_else(|| panic!("{policy}\n{:?}", compiled.diagnostics));
    ctr_emit::build(&library, "test", &Limits::default()).unwrap()
}

/// The truth of a formula on all traces up to some length, by the definitions, and from it what
/// continuations up to that length can still do.
struct Meaning {
    now: HashMap<Trace, bool>,
    can: HashMap<Trace, (bool, bool)>,
}

impl Meaning {
    fn new(tree: &Tree, traces: &[Trace]) -> Self {
        let now: HashMap<Trace, bool> = traces.iter().map(|t| (t.clone(), tree.holds(t))).collect();
        let mut can: HashMap<Trace, (bool, bool)> = HashMap::new();
        // Longer traces come later in the list, so that its end is done first.
        for trace in traces.iter().rev() {
            let holds = now[trace];
            let entry = can.entry(trace.clone()).or_default();
            *entry = (entry.0 || holds, entry.1 || !holds);
            let own = *entry;
            if let Some((_, prefix)) = trace.split_last() {
                let above = can.entry(prefix.to_vec()).or_default();
                *above = (above.0 || own.0, above.1 || own.1);
            }
        }
        Self { now, can }
    }
}

/// A contract under test, with its tables.
struct Case<'m> {
    tree: Tree,
    meaning: Meaning,
    /// None where the compiler saw that the formula always holds.
    table: Option<&'m Automaton>,
    /// The atom of the formula for each atom of the library.
    atoms: Vec<Option<u32>>,
    /// For witnesses of more steps than the meaning was tried on.
    dfa: Dfa,
}

impl Case<'_> {
    fn step(&self, state: u32, letter: u32) -> u32 {
        let Some(table) = self.table else {
            return state;
        };
        let mut at = table.states[state as usize].root;
        loop {
            match at {
                NodeRef::State(state) => return state,
                NodeRef::Node(index) => {
                    let node = table.nodes[index as usize];
                    let atom = self.atoms[node.atom as usize].expect("an atom of the formula");
                    at = if letter >> atom & 1 == 1 {
                        node.high
                    } else {
                        node.low
                    };
                }
            }
        }
    }

    /// Whether the label of the table's state says what the definitions say.
    fn judge(&self, state: u32, trace: &[u32]) -> Result<(), String> {
        let now = self.meaning.now[trace];
        let (can_hold, can_fail) = self.meaning.can[trace];
        let label = self.table.map_or(Label::SatisfiedForGood, |table| {
            table.states[state as usize].label
        });
        let (satisfied, for_good) = match label {
            Label::SatisfiedForGood => (true, true),
            Label::Satisfied => (true, false),
            Label::Pending => (false, false),
            Label::ViolatedForGood => (false, true),
        };
        let told = || format!("{} on {trace:?} is {label:?}", self.tree);
        if satisfied != now {
            return Err(told());
        }
        let can_change = if now { can_fail } else { can_hold };
        if for_good && can_change {
            return Err(format!("{}, and a continuation differs", told()));
        }
        if !for_good && !can_change {
            // The continuation that differs is longer than those tried: find it, and ask the
            // definitions about it.
            let at = common::run(&self.dfa, trace);
            let more = self
                .dfa
                .shortest_from(at, |s| self.dfa.accepting(s) != now)
                .ok_or_else(|| format!("{}, and no continuation differs", told()))?;
            let mut whole = trace.to_vec();
            whole.extend(more.iter().map(|letter| {
                letter
                    .iter()
                    .fold(0, |bits, &(atom, value)| bits | u32::from(value) << atom)
            }));
            if self.tree.holds(&whole) == now {
                return Err(format!("{}, and {whole:?} is no witness", told()));
            }
        }
        Ok(())
    }
}

/// What the model knows of a contract while a session runs.
#[derive(Clone, Debug, Default)]
struct Progress {
    /// The steps that the automaton has taken: those that violated for good are left out.
    steps: Trace,
    /// The number of the event of each step.
    events: Vec<u64>,
    failed: bool,
}

fn fields(letter: u32, atoms: u32) -> Value {
    let mut record = Record::new();
    for atom in 0..atoms {
        record.insert(NAMES[atom as usize], Value::from(letter >> atom & 1 == 1));
    }
    Value::Record(record)
}

fn event<'a>(leaves: Leaves, fields: &'a Value) -> Event<'a> {
    let kind = match leaves {
        Leaves::Declared => EventKind::Declared {
            name: "happened",
            fields,
        },
        Leaves::Conditions | Leaves::Mixed => EventKind::Output {
            text: if fields.get("a") == Some(&Value::from(true)) {
                "a"
            } else {
                "-"
            },
        },
        Leaves::Calls => EventKind::Call {
            id: None,
            tool: "step",
            args: fields,
        },
    };
    Event {
        kind,
        meta: Meta::default(),
    }
}

fn cases<'m>(trees: &[Tree], leaves: Leaves, model: &'m Model, traces: &[Trace]) -> Vec<Case<'m>> {
    let names: HashMap<String, u32> = (0..4).map(|a| (leaves.text(a), a)).collect();
    let atoms: Vec<Option<u32>> = model
        .atoms
        .iter()
        .map(|atom| {
            let bare = atom.text.trim_matches(['{', '}', ' ']);
            names
                .iter()
                .find(|(text, _)| text.trim_matches(['{', '}', ' ']) == bare)
                .map(|(_, atom)| *atom)
        })
        .collect();
    trees
        .iter()
        .zip(&model.contracts)
        .map(|(tree, contract)| {
            let mut arena = Arena::new();
            let formula = tree.build(&mut arena);
            Case {
                tree: tree.clone(),
                meaning: Meaning::new(tree, traces),
                table: contract.guarantee.map(|id| &model.automata[id as usize]),
                atoms: atoms.clone(),
                dfa: translate(&mut arena, formula, &[], &Limits::default()).unwrap(),
            }
        })
        .collect()
}

/// The recorded view of all sessions below this one.
struct Walk<'m> {
    cases: &'m [Case<'m>],
    leaves: Leaves,
    longest: usize,
    pairs: usize,
    violations: usize,
}

impl Walk<'_> {
    fn below(
        &mut self,
        session: &Session<'_>,
        progress: &[Progress],
        tables: &[u32],
        past: &[u32],
    ) {
        self.verdicts(session, progress, past);
        for (case, &state) in self.cases.iter().zip(tables) {
            case.judge(state, past).unwrap();
        }
        if past.len() == self.longest {
            return;
        }
        for letter in 0..4 {
            let mut session = session.clone();
            let fields = fields(letter, 2);
            session.set_context(&fields);
            let recorded = session
                .record(&event(self.leaves, &fields), &mut ())
                .unwrap();
            let mut progress = progress.to_vec();
            let mut expected = Vec::new();
            for (i, (progress, case)) in progress.iter_mut().zip(self.cases).enumerate() {
                progress.steps.push(letter);
                if case.is_violated(&progress.steps) {
                    progress.steps.pop();
                    expected.push(i as u32);
                    progress.failed = true;
                } else {
                    progress.events.push(recorded.event);
                }
            }
            let told: Vec<u32> = recorded.violations.iter().map(|v| v.contract).collect();
            let missed: Vec<String> = expected
                .iter()
                .filter(|i| !told.contains(i))
                .chain(told.iter().filter(|i| !expected.contains(i)))
                .map(|&i| self.cases[i as usize].tree.to_string())
                .collect();
            assert_eq!(told, expected, "{past:?} then {letter}: {missed:?}");
            assert!(
                recorded
                    .violations
                    .iter()
                    .all(|v| v.reason == Reason::Violated)
            );
            self.violations += expected.len();
            let tables: Vec<u32> = self
                .cases
                .iter()
                .zip(tables)
                .map(|(case, &state)| case.step(state, letter))
                .collect();
            self.below(&session, &progress, &tables, &[past, &[letter]].concat());
        }
    }

    fn verdicts(&mut self, session: &Session<'_>, progress: &[Progress], past: &[u32]) {
        let outcome = session.finish();
        assert_eq!(outcome.events, past.len() as u64);
        for ((contract, progress), case) in outcome.contracts.iter().zip(progress).zip(self.cases) {
            let now = case.meaning.now[&progress.steps];
            let told = || format!("{} on {past:?}: {contract:?}", case.tree);
            let expected = if now && !progress.failed {
                Value3::Active
            } else {
                Value3::Fail
            };
            assert_eq!(contract.value, expected, "{}", told());
            // What is not satisfied and not violated for good is pending, since the step at which it
            // was last satisfied. What no session satisfies was violated by no event: it is told so too.
            let pending = !now && (!case.is_violated(&progress.steps) || case.is_violated(&[]));
            assert_eq!(contract.pending.len(), usize::from(pending), "{}", told());
            if let Some(open) = contract.pending.first() {
                let held = (0..=progress.steps.len())
                    .rev()
                    .find(|&len| case.meaning.now[&progress.steps[..len]]);
                let since = held.map(|len| progress.events[len]);
                assert_eq!(open.event, since, "{}", told());
            }
            self.pairs += 1;
        }
    }
}

impl Case<'_> {
    /// Violated for good: no continuation satisfies it.
    fn is_violated(&self, steps: &[u32]) -> bool {
        if self.meaning.can[steps].0 {
            return false;
        }
        // None of those tried does. A longer one counts only if the definitions confirm it.
        let at = common::run(&self.dfa, steps);
        match self.dfa.shortest_from(at, |s| self.dfa.accepting(s)) {
            None => true,
            Some(more) => {
                let mut whole = steps.to_vec();
                whole.extend(more.iter().map(|letter| {
                    letter
                        .iter()
                        .fold(0, |bits, &(atom, value)| bits | u32::from(value) << atom)
                }));
                assert!(self.tree.holds(&whole), "{} on {whole:?}", self.tree);
                false
            }
        }
    }
}

fn pairs(otherwise: usize) -> usize {
    std::env::var("CTRC_LOGIC_PAIRS").map_or(otherwise, |text| text.parse().unwrap())
}

#[test]
fn recorded_sessions() {
    let wanted = pairs(60_000);
    let longest = if wanted > 100_000 { 5 } else { 4 };
    let traces = all_traces(2, longest + 1);
    let mut random = Random::new(31);
    let start = Instant::now();
    let (mut done, mut contracts, mut violations) = (0, 0, 0);
    let mut round = 0;
    while done < wanted {
        let leaves = LEAVES[round % LEAVES.len()];
        let trees: Vec<Tree> = (0..24).map(|i| random.tree(2, 1 + i % 4, true)).collect();
        let artifact = build(&policy(&trees, leaves, 2));
        let library = Library::load(artifact.bytes.as_slice()).unwrap();
        let cases = cases(&trees, leaves, &artifact.model, &traces);
        let mut walk = Walk {
            cases: &cases,
            leaves,
            longest,
            pairs: 0,
            violations: 0,
        };
        let progress = vec![Progress::default(); trees.len()];
        let tables: Vec<u32> = cases
            .iter()
            .map(|case| case.table.map_or(0, |t| t.initial))
            .collect();
        walk.below(&Session::new(&library), &progress, &tables, &[]);
        done += walk.pairs;
        violations += walk.violations;
        contracts += trees.len();
        round += 1;
    }
    println!(
        "{contracts} contracts on all sessions of up to {longest} steps over two atoms: {done} pairs \
         agree in verdict, for good, and since when ({violations} violations), {:.1} s",
        start.elapsed().as_secs_f64()
    );
    assert!(violations > done / 100);
}

#[test]
fn gated_sessions() {
    let rounds = pairs(60_000) / 500;
    let traces = all_traces(2, 6);
    let mut random = Random::new(32);
    let (mut refused, mut allowed, mut reported) = (0, 0, 0);
    for round in 0..rounds.min(2_000) {
        let leaves = LEAVES[round % LEAVES.len()];
        let trees: Vec<Tree> = (0..2)
            .map(|i| random.tree(2, 2 + (i + round as u32) % 3, true))
            .collect();
        let artifact = build(&policy(&trees, leaves, 2));
        let library = Library::load(artifact.bytes.as_slice()).unwrap();
        let cases = cases(&trees, leaves, &artifact.model, &traces);
        for _ in 0..6 {
            let mut session = Session::new(&library);
            let mut progress = vec![Progress::default(); trees.len()];
            for _ in 0..5 {
                let letter = random.below(4);
                let fields = fields(letter, 2);
                session.set_context(&fields);
                let gated = gate(&mut session, &event(leaves, &fields), &mut ()).unwrap();
                session.forget_refused();
                let objects: Vec<bool> = cases
                    .iter()
                    .zip(&progress)
                    .map(|(case, progress)| {
                        let after = [progress.steps.as_slice(), &[letter]].concat();
                        case.is_violated(&after)
                    })
                    .collect();
                let told = || {
                    let texts: Vec<String> = trees.iter().map(Tree::to_string).collect();
                    format!("{texts:?} after {progress:?}, {letter}: {gated:?}")
                };
                let any = objects.contains(&true);
                if leaves == Leaves::Declared {
                    // The environment's events are recorded, and told.
                    assert!(
                        gated.recorded && gated.decision.verb == Verb::Allow,
                        "{}",
                        told()
                    );
                    assert_eq!(gated.report.violations.is_empty(), !any, "{}", told());
                    reported += usize::from(any);
                } else {
                    assert_eq!(gated.decision.verb == Verb::Block, any, "{}", told());
                    assert_eq!(gated.recorded, !any, "{}", told());
                    let by: Vec<bool> = (0..trees.len() as u32)
                        .map(|i| gated.decision.objections.iter().any(|o| o.contract == i))
                        .collect();
                    assert_eq!(by, objects, "{}", told());
                    refused += usize::from(any);
                    allowed += usize::from(!any);
                }
                for (progress, objects) in progress.iter_mut().zip(objects) {
                    if gated.recorded && !objects {
                        progress.steps.push(letter);
                    }
                    progress.failed |= objects && gated.recorded;
                }
            }
            for ((contract, progress), case) in
                session.finish().contracts.iter().zip(&progress).zip(&cases)
            {
                let holds = case.meaning.now[&progress.steps] && !progress.failed;
                assert_eq!(
                    contract.value == Value3::Active,
                    holds,
                    "{} {progress:?}",
                    case.tree
                );
            }
        }
    }
    println!(
        "gated: {refused} events refused, {allowed} allowed, {reported} reported as decided by the environment"
    );
    assert!(refused > 50 && allowed > 50 && reported > 10);
}

#[test]
fn random_longer_sessions() {
    let mut random = Random::new(33);
    let mut done = 0;
    for round in 0..(pairs(60_000) / 3_000).min(400) {
        let leaves = LEAVES[round % LEAVES.len()];
        let trees: Vec<Tree> = (0..16).map(|i| random.tree(4, 2 + i % 4, true)).collect();
        let artifact = build(&policy(&trees, leaves, 4));
        let library = Library::load(artifact.bytes.as_slice()).unwrap();
        for _ in 0..6 {
            let mut session = Session::new(&library);
            let mut trace = Trace::new();
            let mut failed = vec![false; trees.len()];
            for _ in 0..12 {
                let letter = random.below(16);
                trace.push(letter);
                let fields = fields(letter, 4);
                session.set_context(&fields);
                let recorded = session.record(&event(leaves, &fields), &mut ()).unwrap();
                for violation in &recorded.violations {
                    failed[violation.contract as usize] = true;
                }
                for ((contract, tree), failed) in
                    session.finish().contracts.iter().zip(&trees).zip(&failed)
                {
                    // A violation for good means that no session that begins so satisfies it.
                    let holds = tree.holds(&trace);
                    assert!(!(*failed && holds), "{tree} on {trace:?}");
                    if !failed {
                        assert_eq!(
                            contract.value == Value3::Active,
                            holds,
                            "{tree} on {trace:?}"
                        );
                    }
                    done += 1;
                }
            }
        }
    }
    println!("{done} pairs of a contract over four atoms and a longer session agree");
}

#[test]
fn what_no_session_satisfies_objects_to_every_step() {
    // Violated before the first event, with patterns and without: the gate is shut, it does not fail open.
    let a = || Box::new(Tree::Atom(0));
    let trees = [
        Tree::False,
        Tree::Previously(a()),
        Tree::And(a(), Box::new(Tree::Not(a()))),
    ];
    for leaves in LEAVES {
        for tree in &trees {
            let artifact = build(&policy(std::slice::from_ref(tree), leaves, 2));
            assert_eq!(artifact.warnings.len(), 1, "{tree}");
            let library = Library::load(artifact.bytes.as_slice()).unwrap();
            for letter in [0, 3] {
                let mut session = Session::new(&library);
                let fields = fields(letter, 2);
                session.set_context(&fields);
                let gated = gate(&mut session, &event(leaves, &fields), &mut ()).unwrap();
                if leaves == Leaves::Declared {
                    assert_eq!(gated.report.violations.len(), 1, "{tree} {leaves:?}");
                } else {
                    assert_eq!(gated.decision.verb, Verb::Block, "{tree} {leaves:?}");
                }
                assert_eq!(session.finish().agent, Value3::Fail);
            }
        }
    }
}
