//! Questions about a component, decided by refinement.
//!
//! `satisfiable` is asked for a shortest abstract session. Each of its letters is put to the theory; one that no event can have
//! is forbidden with the literals to blame, and so is the beginning of a session that has no values. What comes to an
//! end without a session is a proof, since the abstraction allows more sessions than there are. A session counts
//! only once the runtime has replayed it and says what was expected; else the question stays open.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use ctr_front::ir::Root;
use ctr_logic::{Effort, Error, Formula, Letter as Word, Limits, Prover, Verdict};
use ctr_runtime::decision::{ContractOutcome, Value3};
use ctr_runtime::format::Library as Artifact;
use ctr_runtime::session::Plan;

use crate::Theory;
use crate::deadline::Deadline;
use crate::gate::Gate;
use crate::problem::{Leaf, Problem};
use crate::replay::{Concrete, is_kept};
use crate::texts::Texts;
use crate::theory::{Found, Letter, Path, START, Step, Values};
use crate::universe::{Class, FIRST_LEAF};
use crate::walk;

/// How many abstract sessions are looked at for one question.
const ROUNDS: usize = 400;
/// How many of them may turn out to have no values, or to be replayed otherwise than expected.
const PATHS: usize = 24;
/// The longest session that values are looked for, and the longest without conditions.
pub(crate) const LONGEST: usize = 120;
const LONGEST_PLAIN: usize = 4_000;
/// More literals that were left open are not looked at.
const MANY_FREE: usize = 64;
/// How many variations of known sessions are looked at.
const VARIATIONS: usize = 6_000;

/// Why a question was not looked at to its end.
const OVER: &str = "the time limit is reached";
/// Why there are no values.
pub(crate) const NO_VALUES: &str = "no session was found whose values can be worked out (sums, sets, texts or times that are not compared with constants)";

/// An answer.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// No session.
    Never,
    /// This session, which the runtime has replayed.
    Session(Concrete),
    /// It is not known.
    Open(String),
}

/// What a session must come to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Expected {
    /// These contracts are kept.
    pub(crate) kept: Vec<usize>,
    /// This one is not.
    pub(crate) broken: Option<usize>,
    /// What is asked of other contracts.
    pub(crate) verdicts: Vec<(usize, Verdict3)>,
    /// Where a group has several kinds and tools: the one to take.
    pub(crate) prefer: Option<Class>,
    /// What the gate answers to its last event.
    pub(crate) gate: Option<Gate>,
    /// Any session will do, not only a shortest one: one that is known already is taken.
    pub(crate) any: bool,
    /// It matters only if it is found soon.
    pub(crate) soon: bool,
}

/// What can be asked of a contract's verdict besides that it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Verdict3 {
    /// It has not failed: it is kept, or idle.
    Allowed,
    /// It has failed.
    Failed,
    /// Its assumption holds.
    Assumed,
    /// Its assumption does not hold.
    Idle,
}

impl Verdict3 {
    fn is_of(self, said: Said) -> bool {
        match self {
            Self::Allowed => !said.failed,
            Self::Failed => said.failed,
            Self::Assumed => !said.idle,
            Self::Idle => said.idle,
        }
    }
}

/// What the runtime said of a contract after a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Said {
    kept: bool,
    failed: bool,
    /// With several keys, one value may fail while another is idle.
    idle: bool,
}

impl Said {
    /// Of a contract that the session does not touch.
    const UNTOUCHED: Self = Self {
        kept: true,
        failed: false,
        idle: false,
    };

    fn of(outcome: &ContractOutcome) -> Self {
        Self {
            kept: is_kept(outcome),
            failed: outcome.value == Value3::Fail,
            idle: outcome.value == Value3::Idle || outcome.assumption.is_some(),
        }
    }
}

/// What the runtime said of all contracts. A session touches few of many, and only those take room.
#[derive(Debug)]
pub(crate) struct Verdicts {
    contracts: usize,
    touched: BTreeMap<usize, Said>,
}

impl Verdicts {
    pub(crate) fn of(outcomes: &[ContractOutcome]) -> Self {
        Self {
            contracts: outcomes.len(),
            touched: outcomes
                .iter()
                .map(Said::of)
                .enumerate()
                .filter(|(_, said)| *said != Said::UNTOUCHED)
                .collect(),
        }
    }

    fn get(&self, contract: usize) -> Option<Said> {
        let untouched = (contract < self.contracts).then_some(Said::UNTOUCHED);
        self.touched.get(&contract).copied().or(untouched)
    }
}

/// A component with what has been learned of it.
pub(crate) struct Engine<'l> {
    pub(crate) problem: Problem<'l>,
    pub(crate) artifact: &'l Artifact<'l>,
    pub(crate) plan: Arc<Plan>,
    pub(crate) theory: Theory,
    pub(crate) texts: Texts,
    /// What all sessions satisfy.
    pub(crate) learned: Vec<Formula>,
    /// Contracts whose objections do not count.
    pub(crate) ignored: Vec<usize>,
    /// What holds at every event, of what was learned.
    pub(crate) impossible: Vec<Formula>,
    letters: BTreeMap<(usize, Vec<(u32, bool)>), Letter>,
    /// The values that each leaf reads.
    values: BTreeMap<u32, BTreeSet<Value>>,
    prover: Prover,
    /// The sessions that the runtime has replayed, as the prover numbers them, with what it said of each contract.
    replayed: Vec<Replayed>,
    /// Of the last question that was answered with [`Answer::Never`]: the members that exclude each other, by position.
    pub(crate) blame: Vec<usize>,
    until: Deadline,
    /// The most time for one question.
    share: Duration,
    /// When the question at hand is given up.
    ends: Deadline,
    /// Sessions are for people to read.
    pub(crate) natural: bool,
}

/// A session that was replayed.
struct Replayed {
    trace: Vec<Word>,
    /// What it satisfies whatever the literals are that were left open.
    shown: HashSet<Formula>,
    /// Literals that were left open, turned round, with their steps.
    free: Vec<(usize, (u32, bool))>,
    session: Concrete,
    said: Verdicts,
}

/// What became of an abstract session.
enum Tried {
    Done(Concrete),
    Learned,
    Failed(String),
    /// Other sessions will not do better.
    Hopeless(String),
}

impl<'l> Engine<'l> {
    pub(crate) fn new(
        problem: Problem<'l>,
        artifact: &'l Artifact<'l>,
        plan: Arc<Plan>,
        until: Deadline,
    ) -> Self {
        let mut new = Self {
            problem,
            artifact,
            plan,
            theory: Theory::new(&until.cancel),
            texts: Texts::default(),
            learned: Vec::new(),
            ignored: Vec::new(),
            impossible: Vec::new(),
            letters: BTreeMap::new(),
            values: BTreeMap::new(),
            prover: Prover::new(),
            replayed: Vec::new(),
            blame: Vec::new(),
            until: until.clone(),
            share: Duration::MAX,
            ends: until.clone(),
            natural: false,
        };
        new.prepare();
        new.returns();
        // A session takes a state for every contract of the library, and a library has many components.
        if !until.is_over() {
            new.replayed(&[], &Path::default(), &[], Concrete::default());
        }
        new
    }

    /// Another engine over the same library, which has learned nothing yet.
    pub(crate) fn sibling(&self, problem: Problem<'l>) -> Self {
        Self::new(
            problem,
            self.artifact,
            Arc::clone(&self.plan),
            self.until.clone(),
        )
    }

    /// Makes the leaves of the members of all aggregates that are read.
    fn prepare(&mut self) {
        let mut path = Path::default();
        self.members(&mut path, &[]);
    }

    /// How many questions the solver was asked.
    pub(crate) fn asked(&self) -> usize {
        self.theory.asked
    }

    /// A return answers an earlier call of its tool, with the same arguments.
    pub(crate) fn returns(&mut self) {
        let universe = self.problem.universe.clone();
        for (index, group) in universe.groups.iter().enumerate() {
            let tools: BTreeSet<usize> = group
                .classes
                .iter()
                .filter_map(|class| match class {
                    Class::Return(tool, _) => Some(*tool),
                    _ => None,
                })
                .collect();
            if tools.is_empty() {
                continue;
            }
            let calls: BTreeSet<usize> = (0..universe.groups.len())
                .filter(|at| {
                    universe.groups.get(*at).is_some_and(|group| {
                        group
                            .classes
                            .iter()
                            .any(|class| matches!(class, Class::Call(tool) if tools.contains(tool)))
                    })
                })
                .collect();
            let called = universe.formula(&mut self.problem.arena, &calls);
            let returned = universe.formula(&mut self.problem.arena, &BTreeSet::from([index]));
            self.follows(&[returned], &[called]);
            for leaf in self.arguments() {
                if !self
                    .problem
                    .used_in
                    .get(leaf as usize)
                    .is_some_and(|used| used.contains(&index))
                {
                    continue;
                }
                // What the answer says of the arguments is asked of the call as well, beside what contracts ask there.
                if let Some(used) = self.problem.used_in.get_mut(leaf as usize) {
                    used.extend(&calls);
                }
                let yes = self.problem.arena.atom(FIRST_LEAF + leaf);
                let no = self.problem.arena.not(yes);
                self.follows(&[returned, yes], &[called, yes]);
                self.follows(&[returned, no], &[called, no]);
            }
        }
    }

    /// Where all of the first hold at a step, all of the second did at one before.
    fn follows(&mut self, now: &[Formula], before: &[Formula]) {
        let arena = &mut self.problem.arena;
        let (now, before) = (arena.and(now), arena.and(before));
        let once = arena.once(before);
        let once = arena.previously(once);
        let clause = arena.implies(now, once);
        let clause = arena.always(clause);
        self.learned.push(clause);
    }

    /// The leaves that say something of the arguments alone.
    pub(crate) fn arguments(&self) -> Vec<u32> {
        let library = self.problem.library;
        let mut out = Vec::new();
        for (number, leaf) in (0..).zip(&self.problem.leaves) {
            let exprs = match leaf {
                Leaf::Condition(expr, keys) if keys.is_empty() => vec![*expr],
                Leaf::Compare(_, a, b, keys) if keys.is_empty() => vec![*a, *b],
                Leaf::Key(path, _) => vec![*path],
                _ => continue,
            };
            let mut roots = Vec::new();
            for expr in &exprs {
                walk::roots(library, *expr, &mut roots);
            }
            let args = roots.iter().all(|root| matches!(root, Root::Args));
            if args && !roots.is_empty() && exprs.iter().all(|expr| walk::is_local(library, *expr))
            {
                out.push(number);
            }
        }
        out
    }

    /// Whether the time for all questions is up.
    pub(crate) fn is_over(&self) -> bool {
        self.until.is_over()
    }

    /// Gives every question from now on at most this much time.
    pub(crate) fn share(&mut self, share: Duration) {
        self.share = share;
    }

    /// Whether some session satisfies all members.
    pub(crate) fn ask(&mut self, members: &[Formula], expected: &Expected) -> Answer {
        self.ends = self.until.within(self.share);
        self.blame.clear();
        if self.is_over() {
            return Answer::Open(OVER.to_owned());
        }
        if expected.any
            && expected.gate.is_none()
            && let Some(session) = self.known(members, expected)
        {
            return Answer::Session(session);
        }
        let answer = self.search(members, expected);
        self.ends = self.until.clone();
        answer
    }

    /// A session that was replayed for another question.
    fn known(&mut self, members: &[Formula], expected: &Expected) -> Option<Concrete> {
        let mut all = members.to_vec();
        all.extend(&self.learned);
        let hand = self.prover.at_hand(&mut self.problem.arena, &all).ok()?;
        for index in hand.into_iter().rev() {
            let found = self.replayed.get(index)?;
            let prefers = |class| found.session.has(class);
            if !is_expected(&found.said, expected) || !expected.prefer.is_none_or(prefers) {
                continue;
            }
            let new: Vec<Formula> = all
                .iter()
                .copied()
                .filter(|member| !found.shown.contains(member))
                .collect();
            let atoms: BTreeSet<u32> = new
                .iter()
                .flat_map(|member| self.problem.arena.atoms(*member))
                .collect();
            // What was left open may have come out either way.
            let free = found
                .free
                .iter()
                .filter(|(_, (atom, _))| atoms.contains(atom));
            let free: Vec<(usize, (u32, bool))> = free.take(MANY_FREE).copied().collect();
            if free.len() == MANY_FREE {
                continue;
            }
            let mut turned = Vec::new();
            let mut both = found.trace.clone();
            for (at, literal) in &free {
                let mut one = found.trace.clone();
                for trace in [&mut one, &mut both] {
                    if let Some(letter) = trace.get_mut(*at) {
                        letter.push(*literal);
                    }
                }
                turned.push(one);
            }
            if !free.is_empty() {
                turned.push(both);
            }
            let arena = &self.problem.arena;
            if turned
                .iter()
                .all(|trace| new.iter().all(|member| arena.holds(*member, trace)))
            {
                return Some(found.session.clone());
            }
        }
        None
    }

    /// Remembers a session, and gives what the runtime says of each contract.
    fn replayed(
        &mut self,
        trace: &[Word],
        path: &Path,
        members: &[Formula],
        mut session: Concrete,
    ) -> Option<(Concrete, &Verdicts)> {
        let said = session.replay(self.problem.library, self.artifact, &self.plan)?;
        let mut free = Vec::new();
        for (at, step) in path.steps.iter().enumerate() {
            let letter = trace.get(at).cloned().unwrap_or_default();
            for (leaf, value) in self.literals(step.group, &letter) {
                if !step.literals.contains(&(leaf, value)) {
                    free.push((at, (FIRST_LEAF + leaf, !value)));
                }
            }
        }
        self.prover.remember(trace);
        self.replayed.push(Replayed {
            trace: trace.to_vec(),
            shown: members.iter().copied().collect(),
            free,
            session: session.clone(),
            said: Verdicts::of(&said),
        });
        let last = self.replayed.last()?;
        Some((session, &last.said))
    }

    fn search(&mut self, members: &[Formula], expected: &Expected) -> Answer {
        let mut blocked: Vec<Formula> = Vec::new();
        let mut why = String::new();
        let mut paths = 0;
        let effort = match (expected.any, expected.soon) {
            (_, true) => Effort::Soon,
            (true, _) => Effort::Any,
            _ => Effort::Shortest,
        };
        for _ in 0..ROUNDS {
            let mut all = members.to_vec();
            all.extend(&self.learned);
            all.extend(&blocked);
            let trace = match self.satisfiable(&all, effort) {
                Err(error) => return Answer::Open(error),
                Ok(Verdict::Satisfiable { trace }) => trace,
                Ok(Verdict::Unsatisfiable { core }) => {
                    let safe = members.len() + self.learned.len();
                    if blocked.is_empty() || core.iter().all(|member| *member < safe) {
                        self.blame = core;
                        self.blame.retain(|member| *member < members.len());
                        return Answer::Never;
                    }
                    return Answer::Open(why);
                }
            };
            let before = self.learned.len();
            let tried = self.try_trace(&trace, &all, expected);
            match tried {
                Tried::Done(session) => return Answer::Session(session),
                Tried::Learned if self.learned.len() > before => {}
                Tried::Hopeless(reason) => return Answer::Open(reason),
                other => {
                    why = match other {
                        Tried::Failed(reason) => reason,
                        _ => "no call was found for a return".to_owned(),
                    };
                    paths += 1;
                    if paths >= PATHS || trace.is_empty() {
                        return Answer::Open(why);
                    }
                    let path = self.plain_path(&trace);
                    let clause = self.block(&path);
                    blocked.push(clause);
                }
            }
        }
        Answer::Open("too many abstract sessions have no counterpart".to_owned())
    }

    /// The prover's verdict, or why there is none.
    fn satisfiable(&mut self, all: &[Formula], effort: Effort) -> Result<Verdict, String> {
        let over = self.over();
        let limits = Limits {
            cancel: Some(&over),
            ..Limits::default()
        };
        let arena = &mut self.problem.arena;
        self.prover
            .decide(arena, all, effort, &limits)
            .map_err(|error| match error {
                Error::Cancelled if self.until.is_over() => OVER.to_owned(),
                Error::Cancelled => "its share of the time limit is used up".to_owned(),
                other => other.to_string(),
            })
    }

    /// Works on something within a part of what is left of the time.
    pub(crate) fn within<T>(&mut self, part: Duration, work: impl FnOnce(&mut Self) -> T) -> T {
        let until = self.until.clone();
        self.until = until.within(part);
        let answer = work(self);
        self.until = until.clone();
        self.ends = until;
        answer
    }

    /// Sessions close to those that were replayed which satisfy `always` and all members but one: by the position of
    /// that one. Of so many of them, the newest first.
    pub(crate) fn variations(
        &mut self,
        members: &[Formula],
        always: &[Formula],
        newest: usize,
    ) -> BTreeMap<usize, Vec<Word>> {
        let mut found = BTreeMap::new();
        let mut all = members.to_vec();
        all.extend(always);
        all.extend(&self.learned);
        let mut left = VARIATIONS;
        let traces: Vec<Vec<Word>> = self.replayed.iter().map(|r| r.trace.clone()).collect();
        for trace in traces.iter().rev().take(newest) {
            for varied in varied(trace) {
                if found.len() == members.len() {
                    return found;
                }
                if left == 0 || self.until.is_over() {
                    return found;
                }
                left -= 1;
                let holds = self
                    .prover
                    .satisfied(&mut self.problem.arena, &all, &varied);
                let holds = holds.unwrap_or_default();
                let mut violated = holds.iter().enumerate().filter(|(_, holds)| !**holds);
                if let (Some((only, _)), None) = (violated.next(), violated.next())
                    && only < members.len()
                {
                    found.entry(only).or_insert(varied);
                }
            }
        }
        found
    }

    /// For each atom the conjuncts of these members that read it.
    pub(crate) fn readers(&mut self, members: &[Formula]) -> HashMap<u32, Vec<usize>> {
        let arena = &mut self.problem.arena;
        self.prover.readers(arena, members).unwrap_or_default()
    }

    /// Whether a trace satisfies all of some conjuncts.
    pub(crate) fn hold(&mut self, conjuncts: &[usize], trace: &[Word]) -> bool {
        let arena = &self.problem.arena;
        conjuncts
            .iter()
            .all(|at| self.prover.holds(arena, *at, trace))
    }

    /// Whether an abstract session that satisfies these members has a counterpart that is as expected.
    pub(crate) fn tried(
        &mut self,
        trace: &[Word],
        members: &[Formula],
        expected: &Expected,
    ) -> bool {
        let mut all = members.to_vec();
        all.extend(&self.learned);
        matches!(self.try_trace(trace, &all, expected), Tried::Done(_))
    }

    /// Whether the time is up, for the engines to ask.
    pub(crate) fn over(&self) -> impl Fn() -> bool + Sync + use<> {
        let until = self.ends.clone();
        move || until.is_over()
    }

    pub(crate) fn limit(&self) -> Duration {
        // No question to the solver takes all the time: most that take long have no answer in the end.
        let left = self.ends.left();
        (left / 4).min(Duration::from_secs(2))
    }

    /// The leaves that matter at a letter, with their values.
    pub(crate) fn literals(&self, group: usize, letter: &Word) -> Vec<(u32, bool)> {
        (0..)
            .zip(&self.problem.used_in)
            .filter(|(_, used)| used.contains(&group))
            .map(|(leaf, _)| {
                let atom = FIRST_LEAF + leaf;
                let value = letter
                    .iter()
                    .rev()
                    .find(|(other, _)| *other == atom)
                    .is_some_and(|(_, value)| *value);
                (leaf, value)
            })
            .collect()
    }

    fn try_trace(&mut self, trace: &[Word], all: &[Formula], expected: &Expected) -> Tried {
        if trace.len() > LONGEST_PLAIN {
            return Tried::Hopeless(format!(
                "the shortest session has more than {LONGEST_PLAIN} events"
            ));
        }
        let mut path = Path {
            natural: self.natural,
            ..Path::default()
        };
        let mut learned = false;
        let mut unknown: Option<String> = None;
        for (at, letter) in trace.iter().enumerate() {
            let Some(group) = self.problem.universe.group_of(letter) else {
                return Tried::Failed("a letter without an event".to_owned());
            };
            let classes = self
                .problem
                .universe
                .groups
                .get(group)
                .map(|g| g.classes.clone())
                .unwrap_or_default();
            let class = expected
                .prefer
                .filter(|class| classes.contains(class))
                .or_else(|| classes.first().copied());
            let Some(class) = class else {
                return Tried::Failed("a group without events".to_owned());
            };
            let mut step = Step {
                group,
                class,
                literals: self.literals(group, letter),
                owner: at,
                apart: Vec::new(),
            };
            step.apart = self.apart(&step);
            match self.letter(&step) {
                Letter::Possible => {}
                Letter::Unknown(reason) => unknown = Some(reason),
                Letter::Impossible(core) => {
                    learned |= self.forbid(&step, &core);
                }
            }
            path.steps.push(step);
        }
        if learned {
            return Tried::Learned;
        }
        let guessed = match self.pair(&mut path) {
            Ok(guessed) => guessed,
            Err(at) => {
                self.more_calls(&path, at);
                return Tried::Learned;
            }
        };
        let plain = path.steps.iter().all(|step| step.literals.is_empty());
        if !plain && trace.len() > LONGEST {
            return Tried::Hopeless(format!(
                "the shortest session has more than {LONGEST} events, of which some have conditions"
            ));
        }
        self.members(&mut path, trace);
        // Most literals do not matter where they stand: with those alone that do, an answer says more.
        let mut paths = Vec::new();
        if !plain {
            paths.push(self.reduced(&path, trace, all));
        }
        paths.push(path);
        let mut why = None;
        for mut path in paths {
            self.choose_texts(&mut path);
            let limit = self.limit();
            let found = if path.steps.iter().all(|step| step.literals.is_empty()) {
                Found::Values(one_after_the_other(path.steps.len()))
            } else {
                self.theory.path(&self.problem, &path, limit)
            };
            match found {
                Found::Values(values) => {
                    let Some(mut session) = Concrete::new(&self.problem, &path, values) else {
                        why = unknown.clone().or_else(|| Some(NO_VALUES.to_owned()));
                        continue;
                    };
                    if let Some(gate) = &expected.gate {
                        let library = self.problem.library;
                        if session.comes_to(library, self.artifact, &self.plan, gate) {
                            return Tried::Done(session);
                        }
                        why = unknown.clone().or_else(|| Some(NO_VALUES.to_owned()));
                        continue;
                    }
                    if let Some((session, said)) = self.replayed(trace, &path, all, session)
                        && is_expected(said, expected)
                    {
                        return Tried::Done(session);
                    }
                    why = unknown.clone().or_else(|| Some(NO_VALUES.to_owned()));
                }
                Found::Impossible if guessed => {
                    why = Some("several calls could be the one that a return answers".to_owned());
                }
                Found::Impossible => {
                    if self.learned.len() > ROUNDS {
                        return Tried::Failed(
                            "the values of aggregates exclude every session that was tried"
                                .to_owned(),
                        );
                    }
                    let clause = self.block(&path);
                    self.learned.push(clause);
                    return Tried::Learned;
                }
                Found::Unknown(reason) => why = Some(reason),
            }
        }
        Tried::Failed(why.unwrap_or_default())
    }

    /// Whether an event can have the literals of a step. Those that speak of different values are asked about apart, so that
    /// few questions answer for many letters.
    pub(crate) fn letter(&mut self, step: &Step) -> Letter {
        let key = (step.group, step.literals.clone());
        if let Some(found) = self.letters.get(&key) {
            return found.clone();
        }
        let parts = self.apart_by_value(&step.literals);
        let mut open = Vec::new();
        let mut answer = Letter::Possible;
        for positions in &parts {
            let part = restricted(step, positions);
            match self.letters.get(&(part.group, part.literals)) {
                Some(Letter::Possible) => {}
                Some(Letter::Unknown(reason)) => answer = Letter::Unknown(reason.clone()),
                Some(Letter::Impossible(core)) => {
                    let core = core.iter().filter_map(|at| positions.get(*at).copied());
                    answer = Letter::Impossible(core.collect());
                    open.clear();
                    break;
                }
                None => open.push(positions),
            }
        }
        if !open.is_empty() {
            let mut positions: Vec<usize> = open.iter().flat_map(|at| at.iter().copied()).collect();
            positions.sort_unstable();
            match self.part_of_letter(&restricted(step, &positions)) {
                Letter::Possible => {
                    for positions in open {
                        let part = restricted(step, positions);
                        let key = (part.group, part.literals);
                        self.letters.insert(key, Letter::Possible);
                    }
                }
                Letter::Unknown(reason) => answer = Letter::Unknown(reason),
                Letter::Impossible(core) => {
                    let core = core.iter().filter_map(|at| positions.get(*at).copied());
                    answer = Letter::Impossible(core.collect());
                }
            }
        }
        self.letters.insert(key, answer.clone());
        answer
    }

    fn part_of_letter(&mut self, step: &Step) -> Letter {
        let key = (step.group, step.literals.clone());
        if let Some(found) = self.letters.get(&key) {
            return found.clone();
        }
        let limit = self.limit();
        let answer = match self.exclude(step) {
            Some(core) => Letter::Impossible(core),
            None => self.theory.letter(&self.problem, step, limit),
        };
        self.letters.insert(key, answer.clone());
        answer
    }

    /// Positions of literals, those together that read a value in common.
    fn apart_by_value(&mut self, literals: &[(u32, bool)]) -> Vec<Vec<usize>> {
        let mut parts: Vec<(BTreeSet<Value>, Vec<usize>)> = Vec::new();
        for (position, (leaf, _)) in literals.iter().enumerate() {
            let mut values = self.values_of(*leaf);
            let mut together = vec![position];
            parts.retain(|(others, positions)| {
                let apart = others.is_disjoint(&values);
                if !apart {
                    values.extend(others.iter().cloned());
                    together.extend(positions);
                }
                apart
            });
            together.sort_unstable();
            parts.push((values, together));
        }
        let mut parts: Vec<Vec<usize>> = parts.into_iter().map(|(_, at)| at).collect();
        parts.sort_unstable();
        parts
    }

    /// The values that a leaf reads. Times, turns and aggregates count as one value.
    fn values_of(&mut self, leaf: u32) -> BTreeSet<Value> {
        if let Some(known) = self.values.get(&leaf) {
            return known.clone();
        }
        let library = self.problem.library;
        let mut out = BTreeSet::new();
        if let Some(found) = self.problem.leaves.get(leaf as usize) {
            let exprs = match found {
                Leaf::Condition(expr, keys) => {
                    out.extend(keys.iter().map(|key| Value::Key(*key)));
                    vec![*expr]
                }
                Leaf::Compare(_, a, b, keys) => {
                    out.extend(keys.iter().map(|key| Value::Key(*key)));
                    vec![*a, *b]
                }
                Leaf::Key(path, key) => {
                    out.insert(Value::Key(*key));
                    vec![*path]
                }
                Leaf::Agents(_) => {
                    out.insert(Value::Other);
                    Vec::new()
                }
            };
            for expr in exprs {
                walk::values(library, expr, &mut |field| {
                    out.insert(field.map_or(Value::Other, |(root, name)| Value::Field(root, name)));
                });
            }
        }
        self.values.insert(leaf, out.clone());
        out
    }
}

/// A step with the literals at these positions alone.
fn restricted(step: &Step, positions: &[usize]) -> Step {
    let literals = positions.iter().filter_map(|at| step.literals.get(*at));
    let apart = positions.iter().enumerate();
    let apart = apart.filter(|(_, position)| step.apart.contains(position));
    Step {
        apart: apart.map(|(at, _)| at).collect(),
        literals: literals.copied().collect(),
        ..step.clone()
    }
}

/// A value that literals can have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    /// What stands under a name in the arguments, the result, and so on.
    Field(u8, String),
    Key(u32),
    Other,
}

/// Values of events of which nothing is asked: a second apart.
pub(crate) fn one_after_the_other(steps: usize) -> Vec<Values> {
    (0..)
        .take(steps)
        .map(|n| Values {
            time: Some(START + n * 1_000_000_000),
            ..Values::default()
        })
        .collect()
}

/// Whether the runtime says of the contracts what was expected.
pub(crate) fn is_expected(said: &Verdicts, expected: &Expected) -> bool {
    let kept = |c: usize| said.get(c).map(|said| said.kept);
    expected.kept.iter().all(|c| kept(*c) == Some(true))
        && expected.broken.is_none_or(|c| kept(c) == Some(false))
        && expected
            .verdicts
            .iter()
            .all(|(c, verdict)| said.get(*c).is_some_and(|said| verdict.is_of(said)))
}

/// Traces that differ a little: without an event, cut off, with an event repeated.
fn varied(trace: &[Word]) -> impl Iterator<Item = Vec<Word>> {
    let n = trace.len();
    let without = (0..n).rev().map(|at| {
        let mut varied = trace.to_vec();
        varied.remove(at);
        varied
    });
    let cut = (1..n).map(|at| trace.get(..at).unwrap_or_default().to_vec());
    let late = (1..n).map(|at| trace.get(at..).unwrap_or_default().to_vec());
    let again = (0..n).flat_map(move |at| {
        (1..=3).map(move |times| {
            let mut varied = trace.to_vec();
            if let Some(letter) = trace.get(at) {
                varied.splice(at..at, std::iter::repeat_n(letter.clone(), times));
            }
            varied
        })
    });
    without.chain(late).chain(cut).chain(again)
}
