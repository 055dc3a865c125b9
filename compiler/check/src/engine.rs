//! Questions about a component, decided by refinement.
//!
//! `satisfiable` is asked for a shortest abstract session. Each of its letters is put to the theory; one that no event can have
//! is forbidden with the literals to blame, and so is the beginning of a session that has no values. What comes to an
//! end without a session is a proof, since the abstraction allows more sessions than there are. A session counts
//! only once the runtime has replayed it and says what was expected; else the question stays open.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ctr_front::ir::Root;
use ctr_logic::{
    Error, Formula, Letter as Word, Limits, Satisfiability, Traces, Verdict, satisfiable,
};
use ctr_runtime::decision::{ContractOutcome, Value3};
use ctr_runtime::format::Library as Artifact;
use ctr_runtime::session::Plan;

use crate::Theory;
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
/// The longest session that values are looked for.
pub(crate) const LONGEST: usize = 40;

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
#[derive(Clone, Debug, Default)]
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
}

/// What can be asked of a contract's verdict besides that it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    fn is_of(self, said: &ContractOutcome) -> bool {
        // With several keys, one value may fail while another is idle.
        let idle = said.value == Value3::Idle || said.assumption.is_some();
        match self {
            Self::Allowed => said.value != Value3::Fail,
            Self::Failed => said.value == Value3::Fail,
            Self::Assumed => !idle,
            Self::Idle => idle,
        }
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
    until: Instant,
    /// Sessions are for people to read.
    pub(crate) natural: bool,
}

/// What became of an abstract session.
enum Tried {
    Done(Concrete),
    Learned,
    Failed(String),
}

impl<'l> Engine<'l> {
    pub(crate) fn new(
        problem: Problem<'l>,
        artifact: &'l Artifact<'l>,
        plan: Arc<Plan>,
        until: Instant,
    ) -> Self {
        let mut new = Self {
            problem,
            artifact,
            plan,
            theory: Theory::default(),
            texts: Texts::default(),
            learned: Vec::new(),
            ignored: Vec::new(),
            impossible: Vec::new(),
            letters: BTreeMap::new(),
            until,
            natural: false,
        };
        new.prepare();
        new.returns();
        new
    }

    /// Another engine over the same library, which has learned nothing yet.
    pub(crate) fn sibling(&self, problem: Problem<'l>) -> Self {
        Self::new(problem, self.artifact, Arc::clone(&self.plan), self.until)
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

    /// Whether some session satisfies all members.
    pub(crate) fn ask(&mut self, members: &[Formula], expected: &Expected) -> Answer {
        let mut blocked: Vec<Formula> = Vec::new();
        let mut why = String::new();
        let mut paths = 0;
        for _ in 0..ROUNDS {
            let mut all = members.to_vec();
            all.extend(&self.learned);
            all.extend(&blocked);
            let trace = match self.satisfiable(&all) {
                Err(error) => return Answer::Open(error),
                Ok(Verdict::Satisfiable { trace }) => trace,
                Ok(Verdict::Unsatisfiable { core }) => {
                    let safe = members.len() + self.learned.len();
                    if blocked.is_empty() || core.iter().all(|member| *member < safe) {
                        return Answer::Never;
                    }
                    return Answer::Open(why);
                }
            };
            let before = self.learned.len();
            match self.try_trace(&trace, &all, expected) {
                Tried::Done(session) => return Answer::Session(session),
                Tried::Learned if self.learned.len() > before => {}
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

    /// The engine's verdict, or why there is none.
    fn satisfiable(&self, all: &[Formula]) -> Result<Verdict, String> {
        let over = self.over();
        if over() {
            return Err("the time limit is reached".to_owned());
        }
        let limits = Limits {
            cancel: Some(&over),
            ..Limits::default()
        };
        // One engine that gives the same trace on every run; the others only where it gives up.
        let options = |engine| Satisfiability {
            traces: Traces::Any,
            engine,
        };
        let answer = satisfiable(
            &self.problem.arena,
            all,
            &options(Some(ctr_logic::Engine::Automata)),
            &limits,
        );
        let answer = match answer {
            Err(error) if !matches!(error, Error::Cancelled) => {
                satisfiable(&self.problem.arena, all, &options(None), &limits)
            }
            other => other,
        };
        answer
            .map(|answer| answer.verdict)
            .map_err(|error| match error {
                Error::Cancelled => "the time limit is reached".to_owned(),
                other => other.to_string(),
            })
    }

    /// Works on something within a part of what is left of the time.
    pub(crate) fn within<T>(&mut self, part: Duration, work: impl FnOnce(&mut Self) -> T) -> T {
        let until = self.until;
        self.until = until.min(Instant::now() + part);
        let answer = work(self);
        self.until = until;
        answer
    }

    /// Whether the time is up, for the engines to ask.
    pub(crate) fn over(&self) -> impl Fn() -> bool + Sync + use<> {
        let until = self.until;
        move || Instant::now() >= until
    }

    pub(crate) fn limit(&self) -> Duration {
        self.until
            .saturating_duration_since(Instant::now())
            .min(Duration::from_secs(2))
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
        if trace.len() > LONGEST {
            return Tried::Failed(format!(
                "the shortest session has more than {LONGEST} events"
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
        self.members(&mut path, trace);
        // Most literals do not matter where they stand: with those alone that do, an answer says more.
        let reduced = self.reduced(&path, trace, all);
        let mut why = None;
        for mut path in [reduced, path] {
            self.choose_texts(&mut path);
            let limit = self.limit();
            let found = if path.steps.iter().all(|step| step.literals.is_empty()) {
                Found::Values(one_after_the_other(path.steps.len()))
            } else {
                self.theory.path(&self.problem, &path, limit)
            };
            match found {
                Found::Values(values) => {
                    let library = self.problem.library;
                    let mut session = Concrete::new(&self.problem, &path, values);
                    if let Some(gate) = &expected.gate {
                        if let Some(mut session) = session
                            && session.comes_to(library, self.artifact, &self.plan, gate)
                        {
                            return Tried::Done(session);
                        }
                        why = unknown.clone().or_else(|| Some(NO_VALUES.to_owned()));
                        continue;
                    }
                    let said = session
                        .as_mut()
                        .and_then(|s| s.replay(library, self.artifact, &self.plan));
                    if let (Some(session), Some(said)) = (session, said)
                        && is_expected(&said, expected)
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

    /// Whether an event of the step's group can have its literals.
    pub(crate) fn letter(&mut self, step: &Step) -> Letter {
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
pub(crate) fn is_expected(said: &[ContractOutcome], expected: &Expected) -> bool {
    let kept = |c: usize| said.get(c).map(is_kept);
    expected.kept.iter().all(|c| kept(*c) == Some(true))
        && expected.broken.is_none_or(|c| kept(c) == Some(false))
        && expected
            .verdicts
            .iter()
            .all(|(c, verdict)| said.get(*c).is_some_and(|said| verdict.is_of(said)))
}
