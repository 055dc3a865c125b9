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

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use ctr_front::diagnostic::{Diagnostic, Proof};
use ctr_front::ir::{Contract, Library, Place, Side};
use ctr_logic::{CoreOptions, Formula, Limits, Satisfiability, Traces, cores};
use ctr_runtime::format::Library as Artifact;
use ctr_runtime::format::model::Model;
use ctr_runtime::session::Plan;

pub(crate) use undecided::{Open, findings as undecided};

use crate::Options;
use crate::engine::{Answer, Engine, Expected};
use crate::problem::{Part, Problem};
use crate::replay::Concrete;

/// A library, for questions that are not about whole components.
pub(crate) struct Given<'l> {
    pub(crate) library: &'l Library,
    pub(crate) model: &'l Model,
    pub(crate) keys: &'l [Vec<u32>],
    pub(crate) neutral: &'l [bool],
    pub(crate) artifact: &'l Artifact<'l>,
    pub(crate) plan: &'l Arc<Plan>,
    pub(crate) until: Instant,
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
}

impl<'l> Subject<'l> {
    pub(crate) fn new(
        library: &'l Library,
        keys: &'l [Vec<u32>],
        neutral: &[bool],
        contracts: &[usize],
        artifact: &'l Artifact<'l>,
        plan: Arc<Plan>,
        until: Instant,
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
        let parts: Vec<Formula> = self
            .parts
            .iter()
            .filter(|part| part.contract == contract && side.is_none_or(|side| part.side == side))
            .map(|part| part.formula)
            .collect();
        self.engine.problem.arena.and(&parts)
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
    /// has no instances that nothing is known of.
    pub(crate) fn ask(&mut self, members: &[Formula], expected: &Expected) -> Answer {
        if !self.one_key.is_empty() {
            let mut narrow = members.to_vec();
            narrow.extend(&self.one_key);
            if let Answer::Session(session) = self.engine.ask(&narrow, expected) {
                return Answer::Session(session);
            }
        }
        self.engine.ask(members, expected)
    }

    /// Minimal subsets of members that exclude each other together with `always`, by position; smaller ones first. Without
    /// one, the members that the engine named.
    pub(crate) fn cores(
        &mut self,
        members: &[Formula],
        always: &[Formula],
        limit: usize,
    ) -> Vec<Vec<usize>> {
        let options = CoreOptions {
            limit,
            satisfiability: Satisfiability {
                traces: Traces::Any,
                engine: None,
            },
        };
        let over = self.engine.over();
        let limits = Limits {
            cancel: Some(&over),
            ..Limits::default()
        };
        // What is learned on the way from the sessions of subsets makes cores smaller.
        let mut last = Vec::new();
        for _ in 0..20 {
            let mut given = always.to_vec();
            given.extend(&self.engine.learned);
            let arena = &mut self.engine.problem.arena;
            let whole: Vec<Formula> = members
                .iter()
                .map(|member| {
                    let mut all = given.clone();
                    all.push(*member);
                    arena.and(&all)
                })
                .collect();
            let Ok(found) = cores(&self.engine.problem.arena, &whole, &options, &limits) else {
                return last;
            };
            let before = self.engine.learned.len();
            last = found
                .cores
                .iter()
                .map(|core| core.members.clone())
                .collect();
            for core in &last {
                for member in core {
                    let rest: Vec<Formula> = core
                        .iter()
                        .filter(|other| *other != member)
                        .filter_map(|other| members.get(*other).copied())
                        .chain(always.iter().copied())
                        .collect();
                    let answer = self.engine.ask(&rest, &Expected::default());
                    if matches!(answer, Answer::Never) {
                        break;
                    }
                }
            }
            if self.engine.learned.len() == before {
                return last;
            }
        }
        last
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

/// What else is to be said of it: of contracts that no session keeps, nothing.
pub(crate) fn rest(subject: &mut Subject<'_>, undetermined: &[bool]) -> Vec<Diagnostic> {
    if subject.hopeless {
        return Vec::new();
    }
    let (dead, mut findings) = dead_tool::findings(subject);
    let (vacuous, found) = vacuous::findings(subject);
    findings.extend(found);
    findings.extend(redundant::findings(subject, &vacuous, undetermined, &dead));
    findings.extend(dead_end::findings(subject, &dead));
    findings
}
