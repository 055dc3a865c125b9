//! The kinds of finding, a file each.

mod conflict;
mod contract;
mod dead_end;
pub(crate) mod dead_tool;
pub(crate) mod loop_redirect;
mod redundant;
mod undecided;
pub(crate) mod unenforceable;
mod vacuous;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use ctr_front::diagnostic::{Diagnostic, Proof};
use ctr_front::ir::{Contract, Library, Place, Side};
use ctr_logic::Formula;
use ctr_runtime::format::Library as Artifact;
use ctr_runtime::format::model::Model;
use ctr_runtime::session::Plan;

pub(crate) use undecided::{Open, findings as undecided};

use crate::Options;
use crate::deadline::Deadline;
use crate::engine::{Answer, Engine, Expected};
use crate::problem::{Part, Problem};
use crate::replay::Concrete;

/// How many sets of contracts are looked at for further cores.
const HITTING_SETS: usize = 400;

/// How often a session for many goals is looked for.
const SWEEPS: usize = 16;
/// How many sessions are varied, the newest first.
const VARIED: usize = 16;

/// A library, for questions that are not about whole components.
pub(crate) struct Given<'l> {
    pub(crate) library: &'l Library,
    pub(crate) model: &'l Model,
    pub(crate) keys: &'l [Vec<u32>],
    pub(crate) neutral: &'l [bool],
    pub(crate) artifact: &'l Artifact<'l>,
    pub(crate) plan: &'l Arc<Plan>,
    pub(crate) until: Deadline,
}

/// A component, and what is known of it so far.
pub(crate) struct Subject<'l> {
    pub(crate) library: &'l Library,
    pub(crate) contracts: Vec<usize>,
    pub(crate) engine: Engine<'l>,
    /// The clauses of all contracts.
    pub(crate) parts: Vec<Part>,
    /// Sessions that keep all contracts.
    pub(crate) sessions: Vec<Concrete>,
    /// What stayed open: kind of question, reason, contracts, tool.
    pub(crate) open: Vec<Open>,
    /// No session keeps all contracts.
    pub(crate) hopeless: bool,
    /// The groups of keys of each contract of the library.
    key_groups: &'l [Vec<u32>],
    /// The contracts that events leave as they are which fit none of their patterns.
    neutral: BTreeSet<usize>,
    /// For each contract that binds keys: that all events bind its one key.
    pub(crate) one_key: Vec<Formula>,
    /// Which value of each key is looked at where a question leaves it open.
    pub(crate) keys: Vec<Formula>,
    /// Both sides of each contract.
    whole: BTreeMap<usize, Formula>,
    /// What has been decided, with the members to blame.
    answers: HashMap<Question, (Answer, Vec<usize>)>,
    /// Members that no session satisfies together, with those to blame.
    never: HashMap<Vec<Formula>, Vec<usize>>,
    /// Why others are open.
    reasons: HashMap<Question, String>,
}

/// Members, and what a session must come to.
pub(crate) type Question = (Vec<Formula>, Expected);

impl<'l> Subject<'l> {
    pub(crate) fn new(
        library: &'l Library,
        keys: &'l [Vec<u32>],
        neutral: &[bool],
        contracts: &[usize],
        artifact: &'l Artifact<'l>,
        plan: Arc<Plan>,
        until: Deadline,
    ) -> Self {
        let problem = Problem::new(library, keys, contracts, neutral, false);
        Self::of_problem(problem, keys, neutral, contracts, |problem| {
            Engine::new(problem, artifact, plan, until)
        })
    }

    /// Some contracts of the component by themselves, over events that also tell apart which calls are in flight
    /// ([`crate::universe::Universe::new`]) if `all_returns`.
    pub(crate) fn part(&self, contracts: &[usize], all_returns: bool) -> Self {
        let keys = self.key_groups;
        let neutral: Vec<bool> = (0..self.library.contracts.len())
            .map(|contract| self.neutral.contains(&contract))
            .collect();
        let problem = Problem::new(self.library, keys, contracts, &neutral, all_returns);
        let mut new = Self::of_problem(problem, keys, &neutral, contracts, |problem| {
            self.engine.sibling(problem)
        });
        new.engine.ignored = self.others_of(contracts);
        new
    }

    fn of_problem(
        mut problem: Problem<'l>,
        keys: &'l [Vec<u32>],
        neutral: &[bool],
        contracts: &[usize],
        engine: impl FnOnce(Problem<'l>) -> Engine<'l>,
    ) -> Self {
        let mut parts = Vec::new();
        let mut one_key = Vec::new();
        for &index in contracts {
            parts.extend(problem.parts(index, neutral.get(index).copied().unwrap_or(false)));
            one_key.extend(problem.one_key(index));
        }
        let first_keys = problem.first_keys(contracts);
        Self {
            library: problem.library,
            keys: first_keys,
            contracts: contracts.to_vec(),
            engine: engine(problem),
            parts,
            sessions: Vec::new(),
            open: Vec::new(),
            hopeless: false,
            key_groups: keys,
            neutral: contracts
                .iter()
                .copied()
                .filter(|contract| neutral.get(*contract).copied().unwrap_or(false))
                .collect(),
            one_key,
            whole: BTreeMap::new(),
            answers: HashMap::new(),
            never: HashMap::new(),
            reasons: HashMap::new(),
        }
    }

    pub(crate) fn contract(&self, index: usize) -> Option<&'l Contract> {
        self.library.contracts.get(index)
    }

    pub(crate) fn name(&self, index: usize) -> String {
        self.contract(index)
            .map(|c| c.name.clone())
            .unwrap_or_default()
    }

    pub(crate) fn names(&self, contracts: &[usize]) -> Vec<String> {
        contracts.iter().map(|c| self.name(*c)).collect()
    }

    /// Both sides of a contract, or one.
    pub(crate) fn of(&mut self, contract: usize, side: Option<Side>) -> Formula {
        if side.is_none()
            && let Some(whole) = self.whole.get(&contract)
        {
            return *whole;
        }
        let parts: Vec<Formula> = self
            .parts
            .iter()
            .filter(|part| part.contract == contract && side.is_none_or(|side| part.side == side))
            .map(|part| part.formula)
            .collect();
        let formula = self.engine.problem.arena.and(&parts);
        if side.is_none() {
            self.whole.insert(contract, formula);
        }
        formula
    }

    /// A side of a contract as the runtime sees it ([`Problem::as_run`]).
    pub(crate) fn as_run(&mut self, contract: usize, side: Side) -> (Formula, Formula) {
        let neutral = self.neutral.contains(&contract);
        self.engine.problem.as_run(contract, neutral, side)
    }

    /// The contracts of the component without one.
    pub(crate) fn others(&self, contract: usize) -> Vec<usize> {
        let others = self.contracts.iter().copied();
        others.filter(|c| *c != contract).collect()
    }

    /// The contracts of the component that are not among these.
    pub(crate) fn others_of(&self, set: &[usize]) -> Vec<usize> {
        let others = self.contracts.iter().copied();
        others.filter(|c| !set.contains(c)).collect()
    }

    /// Both sides of each of these contracts.
    pub(crate) fn of_all(&mut self, contracts: &[usize]) -> Vec<Formula> {
        contracts.iter().map(|c| self.of(*c, None)).collect()
    }

    /// Whether some session satisfies all members. One with a single value of each key is looked for first: it
    /// has no instances that nothing is known of. What has been decided is not asked again.
    pub(crate) fn ask(&mut self, members: &[Formula], expected: &Expected) -> Answer {
        let question = (members.to_vec(), expected.clone());
        if let Some((answer, blame)) = self.answers.get(&question) {
            self.engine.blame.clone_from(blame);
            return answer.clone();
        }
        // Of a question that was looked at before the time was up, the reason of that time says more.
        if self.engine.is_over()
            && let Some(reason) = self.reasons.get(&question)
        {
            return Answer::Open(reason.clone());
        }
        let answer = self.decide(members, expected);
        let blame = self.engine.blame.clone();
        match &answer {
            Answer::Open(reason) => {
                self.reasons.insert(question, reason.clone());
                return answer;
            }
            Answer::Never => {
                self.never.insert(question.0.clone(), blame.clone());
            }
            Answer::Session(_) => {}
        }
        self.answers.insert(question, (answer.clone(), blame));
        answer
    }

    /// Asks some questions within a small share of the time each: those that are easy do not wait for those that are
    /// hard.
    fn prime(&mut self, questions: &[Question]) {
        for (members, expected) in questions {
            if self.engine.is_over() {
                return;
            }
            self.ask(members, expected);
        }
    }

    fn decide(&mut self, members: &[Formula], expected: &Expected) -> Answer {
        if !self.one_key.is_empty() {
            let mut narrow = members.to_vec();
            narrow.extend(&self.one_key);
            if let Answer::Session(session) = self.engine.ask(&narrow, expected) {
                return Answer::Session(session);
            }
        }
        self.engine.ask(members, expected)
    }

    /// Looks for one session that satisfies `always` and as many of the goals as possible: it speaks for all of them later.
    pub(crate) fn sweep(&mut self, always: &[Formula], goals: &[Formula], expected: &Expected) {
        let expected = Expected {
            any: true,
            soon: true,
            ..expected.clone()
        };
        let mut goals = goals.to_vec();
        goals.sort_unstable();
        goals.dedup();
        for _ in 0..SWEEPS {
            if goals.len() < 2 {
                return;
            }
            let mut all = goals.clone();
            all.extend(always);
            if !matches!(self.ask(&all, &expected), Answer::Never) {
                return;
            }
            // Some goal cannot be reached: without those to blame it is tried again.
            let blame = self.engine.blame.clone();
            let before = goals.len();
            let mut at = 0;
            goals.retain(|_| {
                at += 1;
                !blame.contains(&(at - 1))
            });
            if goals.len() == before {
                return;
            }
        }
    }

    /// Minimal subsets of members that exclude each other together with `always`, by position; smaller ones first. Each is
    /// shown to be one: without any of its members the others have a session that was replayed, or the question stayed
    /// open.
    ///
    /// All of them are found by Reiter's tree of hitting sets ("A theory of diagnosis from first principles", AIJ 1987):
    /// a core that is left after taking members away is another one, and where nothing is left that excludes itself,
    /// there is none.
    pub(crate) fn cores(
        &mut self,
        members: &[Formula],
        always: &[Formula],
        limit: usize,
    ) -> Vec<Vec<usize>> {
        let all: Vec<usize> = (0..members.len()).collect();
        let Some(first) = self.core(members, &all, always) else {
            return Vec::new();
        };
        let mut found = vec![first];
        // Sets of members without which nothing is known to exclude itself.
        let mut done: Vec<BTreeSet<usize>> = Vec::new();
        let mut seen: BTreeSet<BTreeSet<usize>> = BTreeSet::new();
        let mut queue = VecDeque::from([BTreeSet::new()]);
        let mut asked = 0;
        // A few more than are wanted, so that the smallest come first.
        while found.len() < limit.saturating_mul(2).max(limit)
            && limit > 1
            && asked < HITTING_SETS
            && let Some(gone) = queue.pop_front()
        {
            if done.iter().any(|done| done.is_subset(&gone)) {
                continue;
            }
            let known = found
                .iter()
                .find(|core| core.iter().all(|m| !gone.contains(m)));
            let core = match known {
                Some(core) => core.clone(),
                None => {
                    asked += 1;
                    let rest: Vec<usize> =
                        all.iter().copied().filter(|m| !gone.contains(m)).collect();
                    match self.core(members, &rest, always) {
                        Some(core) => {
                            found.push(core.clone());
                            core
                        }
                        None => {
                            done.push(gone);
                            continue;
                        }
                    }
                }
            };
            for member in core {
                let mut more = gone.clone();
                more.insert(member);
                if seen.insert(more.clone()) {
                    queue.push_back(more);
                }
            }
        }
        found.sort_by_key(|core| (core.len(), core.clone()));
        found.truncate(limit);
        found
    }

    /// A minimal core of some of the members, ascending; `None` where nothing shows that they exclude each other.
    fn core(
        &mut self,
        members: &[Formula],
        of: &[usize],
        always: &[Formula],
    ) -> Option<Vec<usize>> {
        let expected = Expected {
            any: true,
            ..Expected::default()
        };
        let mut core = self.excluded(members, of, always, &expected)?;
        // Often one is enough, and to see that takes little.
        if core.len() > 2 {
            for member in core.clone() {
                if let Some(one) = self.excluded(members, &[member], always, &expected) {
                    return Some(one);
                }
            }
        }
        let mut needed: BTreeSet<usize> = BTreeSet::new();
        // Of a chain written from its start, the last link gives the longest session, whose variations speak for others.
        while let Some(member) = core.iter().rev().copied().find(|m| !needed.contains(m)) {
            let rest: Vec<usize> = core.iter().copied().filter(|m| *m != member).collect();
            if let Some(smaller) = self.excluded(members, &rest, always, &expected) {
                core = smaller;
                continue;
            }
            needed.insert(member);
            if core.len() > needed.len() + 4 {
                let formulas: Vec<Formula> = core
                    .iter()
                    .filter_map(|m| members.get(*m).copied())
                    .collect();
                for (at, trace) in self.engine.variations(&formulas, always, 1) {
                    let Some(one) = core.get(at).filter(|one| !needed.contains(one)) else {
                        continue;
                    };
                    let mut rest = formulas.clone();
                    rest.remove(at);
                    rest.extend(always);
                    if self.engine.tried(&trace, &rest, &expected) {
                        needed.insert(*one);
                    }
                }
            }
        }
        Some(core)
    }

    /// Members to blame, of these, where they exclude each other together with `always`.
    fn excluded(
        &mut self,
        members: &[Formula],
        of: &[usize],
        always: &[Formula],
        expected: &Expected,
    ) -> Option<Vec<usize>> {
        let mut all: Vec<Formula> = of.iter().filter_map(|m| members.get(*m).copied()).collect();
        all.extend(always);
        let blame = match self.never.get(&all) {
            Some(blame) => blame.clone(),
            None if matches!(self.engine.ask(&all, expected), Answer::Never) => {
                self.engine.blame.clone()
            }
            None => return None,
        };
        Some(blame.iter().filter_map(|at| of.get(*at).copied()).collect())
    }

    /// The clauses of some contracts that alone are to blame, with their places.
    pub(crate) fn clauses(
        &mut self,
        contracts: &[usize],
        always: &[Formula],
    ) -> Vec<(Place, String)> {
        let parts: Vec<Part> = self
            .parts
            .iter()
            .filter(|part| contracts.contains(&part.contract))
            .cloned()
            .collect();
        let members: Vec<Formula> = parts.iter().map(|part| part.formula).collect();
        let core = self.cores(&members, always, 1).into_iter().next();
        let chosen: Vec<&Part> = match core {
            Some(core) => core.iter().filter_map(|at| parts.get(*at)).collect(),
            None => parts.iter().collect(),
        };
        chosen
            .into_iter()
            .filter_map(|part| {
                let contract = self.library.contracts.get(part.contract)?;
                let clause = contract.clauses.get(part.clause)?;
                Some((clause.place, format!("of `{}`", contract.name)))
            })
            .collect()
    }
}

/// A finding with its places: the first is the primary one.
pub(crate) fn with_places(mut finding: Diagnostic, places: Vec<(Place, String)>) -> Diagnostic {
    for (place, text) in places {
        if place != finding.primary.place {
            finding = finding.with_label(place, text);
        }
    }
    finding
}

/// `a`, `b` and `c` in back-ticks.
pub(crate) fn listed(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

/// What is proven, for programs.
pub(crate) fn proof(kind: &'static str, contracts: Vec<String>) -> Proof {
    Proof {
        kind,
        contracts,
        ..Proof::default()
    }
}

/// Whether the contracts of a component can be kept.
pub(crate) fn first(subject: &mut Subject<'_>, options: &Options) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    let everything = subject.contracts.clone();
    let mut members = subject.of_all(&everything);
    members.extend(subject.keys.clone());
    let expected = Expected {
        kept: everything.clone(),
        any: true,
        ..Expected::default()
    };
    match subject.ask(&members, &expected) {
        Answer::Session(session) => subject.sessions.push(session),
        answer => {
            let (mut broken, mut found) = contract::findings(subject);
            findings.append(&mut found);
            let fine: Vec<usize> = everything
                .iter()
                .copied()
                .filter(|c| !broken.contains(c))
                .collect();
            findings.extend(conflict::findings(
                subject,
                &fine,
                options,
                &answer,
                &mut broken,
            ));
            subject.hopeless = !broken.is_empty();
        }
    }
    findings
}

/// What else is to be said of it: of contracts that no session keeps, nothing. `left`: the time for the component.
pub(crate) fn rest(
    subject: &mut Subject<'_>,
    undetermined: &[bool],
    left: Duration,
) -> Vec<Diagnostic> {
    if subject.hopeless {
        return Vec::new();
    }
    subject.engine.share(left / 20);
    dead_tool::sweep(subject);
    vacuous::sweep(subject);
    let broken = redundant::broken(subject);
    subject.engine.share(left / 200);
    let mut questions = dead_tool::questions(subject);
    questions.extend(vacuous::questions(subject));
    questions.extend(redundant::questions(subject, &broken));
    subject.prime(&questions);
    subject.engine.share(left / 5);
    let mut findings = dead_tool::findings(subject);
    let (vacuous, found) = vacuous::findings(subject);
    findings.extend(found);
    findings.extend(redundant::findings(
        subject,
        &vacuous,
        &broken,
        undetermined,
    ));
    findings.extend(dead_end::findings(subject));
    subject.engine.share(Duration::MAX);
    findings
}
