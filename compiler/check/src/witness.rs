//! `ctrc check --witness`: sessions that keep a library and exercise a tool or a contract.
//!
//! A tool is exercised where it is called, a contract where what it waits for happens; one that waits for nothing, where an
//! event of the kind and tool of one of its patterns does. Contracts of other components may owe something in every
//! session: what they owe is added at the end, so that the session keeps all contracts.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ctr_front::diagnostic::Diagnostic;
use ctr_front::ir::Library;
use ctr_logic::Formula;
use ctr_runtime::decision::ContractOutcome;
use ctr_runtime::format::Library as Artifact;
use ctr_runtime::format::model::Model;
use ctr_runtime::session::Plan;

use crate::engine::{Answer, Expected, is_expected};
use crate::kinds::{self, Subject, dead_tool};
use crate::problem::Leaf;
use crate::replay::{Concrete, is_kept};
use crate::universe::{Class, Group, ToolName, watches};
use crate::{Options, component};

/// What a session is to exercise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exercise {
    /// A tool: `name` or `server.name`.
    Tool(String),
    /// A contract, by its name.
    Contract(String),
}

/// A session, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// A session, replayed by the runtime.
    Session {
        /// Lines of the native trace format.
        lines: Vec<String>,
        /// How many events.
        events: usize,
        /// Whether it is proven that none is shorter.
        shortest: bool,
    },
    /// No session does it.
    Never {
        /// These contracts rule it out; none where no event fits.
        contracts: Vec<String>,
        /// That is what they are for: a tool that is forbidden in so many words, or a contract that rules out its own events.
        forbidden: bool,
    },
    /// It is not known.
    Open(String),
}

/// A session for each thing that was asked for.
#[derive(Clone, Debug)]
pub struct Witness {
    /// What it exercises.
    pub of: Exercise,
    /// The session.
    pub shown: Shown,
}

/// What `--witness` tells.
#[derive(Clone, Debug, Default)]
pub struct Witnesses {
    /// Why no session keeps the library, where none does; then there are no sessions.
    pub findings: Vec<Diagnostic>,
    /// Tools first, then contracts, in order of the library.
    pub sessions: Vec<Witness>,
}

/// How long it may take to show that no session is shorter than one that was found.
const PROOF: Duration = Duration::from_millis(500);

/// The components of a library, with what is the same for all questions.
pub(crate) struct House<'l> {
    pub(crate) library: &'l Library,
    pub(crate) subjects: Vec<Subject<'l>>,
    keys: &'l [Vec<u32>],
    artifact: &'l Artifact<'l>,
    plan: Arc<Plan>,
    until: Instant,
}

/// A session of a component.
pub(crate) enum Found {
    /// This, and whether it is proven that none is shorter.
    Session(Concrete, bool),
    Never,
    Open(String),
}

impl<'l> House<'l> {
    pub(crate) fn new(
        library: &'l Library,
        model: &Model,
        keys: &'l [Vec<u32>],
        artifact: &'l Artifact<'l>,
        options: &Options,
    ) -> Self {
        let neutral = component::neutral(library, model);
        let groups = component::components(library, &neutral);
        let until = Instant::now() + options.timeout;
        Self::of(library, model, keys, artifact, until, &groups)
    }

    /// With these groups of contracts for components.
    pub(crate) fn of(
        library: &'l Library,
        model: &Model,
        keys: &'l [Vec<u32>],
        artifact: &'l Artifact<'l>,
        until: Instant,
        groups: &[Vec<usize>],
    ) -> Self {
        let plan = Arc::new(Plan::new(artifact));
        let neutral = component::neutral(library, model);
        let subjects = groups
            .iter()
            .map(|contracts| {
                let plan = Arc::clone(&plan);
                let mut subject =
                    Subject::new(library, keys, &neutral, contracts, artifact, plan, until);
                subject.engine.natural = true;
                subject
            })
            .collect();
        Self {
            library,
            subjects,
            keys,
            artifact,
            plan,
            until,
        }
    }

    /// What the runtime says of each contract; nothing where it cannot play the session.
    pub(crate) fn replay(&self, session: &mut Concrete) -> Vec<ContractOutcome> {
        let said = session.replay(self.library, self.artifact, &self.plan);
        said.unwrap_or_default()
    }

    /// The session, if the runtime says what was expected.
    pub(crate) fn said(&self, mut session: Concrete, expected: &Expected) -> Option<Concrete> {
        is_expected(&self.replay(&mut session), expected).then_some(session)
    }

    /// A component of no contract, whose only event is the call of a tool.
    fn bare(&self, tool: ToolName) -> Subject<'l> {
        let plan = Arc::clone(&self.plan);
        let mut subject = Subject::new(
            self.library,
            self.keys,
            &[],
            &[],
            self.artifact,
            plan,
            self.until,
        );
        let universe = &mut subject.engine.problem.universe;
        universe.tools = vec![tool];
        universe.groups = vec![Group {
            classes: vec![Class::Call(0)],
            code: Vec::new(),
        }];
        subject
    }

    /// Adds to a session of one component what others owe: `owe` gives a shortest session that they are content with. The
    /// runtime must say of the whole what was expected.
    pub(crate) fn complete(
        &mut self,
        session: Concrete,
        content: &dyn Fn(&ContractOutcome, usize) -> bool,
        expected: &Expected,
        owe: &mut dyn FnMut(&mut Subject<'l>) -> Found,
    ) -> Found {
        let (library, artifact) = (self.library, self.artifact);
        let mut session = session;
        let Some(said) = session.replay(library, artifact, &self.plan) else {
            return Found::Open("the session cannot be replayed".to_owned());
        };
        let mut shortest = true;
        let mut rest = Vec::new();
        for subject in &mut self.subjects {
            let owes = subject
                .contracts
                .iter()
                .any(|c| said.get(*c).is_some_and(|said| !content(said, *c)));
            if !owes {
                continue;
            }
            match owe(subject) {
                Found::Session(more, is) => {
                    shortest &= is;
                    rest.push(more);
                }
                other => return other,
            }
        }
        let after = rest.iter().fold(session.clone(), Concrete::then);
        let before = rest
            .iter()
            .fold(Concrete::default(), Concrete::then)
            .then(&session);
        for mut whole in [after, before] {
            let said = whole.replay(library, artifact, &self.plan);
            let fine = said.is_some_and(|said| {
                is_expected(&said, expected)
                    && said.iter().enumerate().all(|(c, said)| content(said, c))
            });
            if fine {
                return Found::Session(whole, shortest);
            }
        }
        Found::Open("the sessions of contracts that share no event do not go together".to_owned())
    }
}

impl Subject<'_> {
    /// A shortest session that satisfies all members.
    pub(crate) fn shortest(&mut self, members: &[Formula], expected: &Expected) -> Found {
        let mut best = match self.ask(members, expected) {
            Answer::Session(session) => session,
            Answer::Never => return Found::Never,
            Answer::Open(reason) => return Found::Open(reason),
        };
        // Sessions that were left out on the way may have been shorter.
        while let Some(fewer) = best.len().checked_sub(1) {
            let mut all = members.to_vec();
            all.push(self.at_most(fewer));
            match self
                .engine
                .within(PROOF, |engine| engine.ask(&all, expected))
            {
                Answer::Session(session) if session.len() < best.len() => best = session,
                Answer::Never => return Found::Session(best, true),
                _ => return Found::Session(best, false),
            }
        }
        Found::Session(best, true)
    }

    /// That a session has at most so many events.
    fn at_most(&mut self, events: usize) -> Formula {
        let arena = &mut self.engine.problem.arena;
        let mut more = arena.tt();
        for _ in 0..events {
            more = arena.next(more);
        }
        let more = arena.eventually(more);
        arena.not(more)
    }

    /// A shortest session that keeps all contracts of the component.
    fn owed(&mut self) -> Found {
        let contracts = self.contracts.clone();
        let members = self.of_all(&contracts);
        let expected = Expected {
            kept: contracts,
            ..Expected::default()
        };
        self.shortest(&members, &expected)
    }

    /// The contracts to blame that no session keeps all and does this.
    fn blamed(&mut self, members: &[Formula], goal: Formula) -> Vec<usize> {
        let contracts = self.contracts.clone();
        match self.cores(members, &[goal], 1).into_iter().next() {
            Some(core) => core
                .iter()
                .filter_map(|at| contracts.get(*at).copied())
                .collect(),
            None => contracts,
        }
    }

    /// That a contract is exercised.
    pub(crate) fn exercised(&mut self, index: usize) -> Formula {
        let own: Vec<_> = self.parts.iter().filter(|p| p.contract == index).collect();
        let triggers: Vec<Formula> = own.iter().flat_map(|p| p.triggers.clone()).collect();
        let waits = own.iter().all(|part| !part.triggers.is_empty()) && !own.is_empty();
        let Some(contract) = self.library.contracts.get(index) else {
            return self.engine.problem.arena.tt();
        };
        let problem = &mut self.engine.problem;
        if waits {
            return problem.arena.or(&triggers);
        }
        let keys = problem.keys.get(index).cloned().unwrap_or_default();
        let mut any = Vec::new();
        for id in &contract.patterns {
            let Some(pattern) = self.library.patterns.get(id.0 as usize) else {
                continue;
            };
            let groups = problem.universe.of_pattern(self.library, pattern);
            let mut all = vec![problem.universe.formula(&mut problem.arena, &groups)];
            for (path, key) in pattern.keys.iter().zip(&keys) {
                all.push(problem.leaf(Leaf::Key(*path, *key), &groups));
            }
            any.push(problem.arena.and(&all));
        }
        if contract.patterns.is_empty() {
            let groups = problem
                .universe
                .where_class(|class| watches(contract, class));
            if groups.is_empty() {
                return problem.arena.tt();
            }
            any.push(problem.universe.formula(&mut problem.arena, &groups));
        }
        let any = problem.arena.or(&any);
        problem.arena.eventually(any)
    }
}

/// A shortest session for each tool and each contract of a library, or for one of them.
///
/// `model` and `bytes` are what `ctr_emit` built from the library. A tool or contract that the library does not have gives nothing.
///
/// # Errors
///
/// Where the bytes are no artifact.
pub fn witnesses(
    library: &Library,
    model: &Model,
    bytes: &[u8],
    options: &Options,
    only: Option<&Exercise>,
) -> Result<Witnesses, String> {
    let artifact = Artifact::load(bytes).map_err(|error| error.to_string())?;
    let keys = component::keys(library);
    let mut house = House::new(library, model, &keys, &artifact, options);
    let mut out = Witnesses::default();
    let mut open = Vec::new();
    for subject in &mut house.subjects {
        out.findings.extend(kinds::first(subject, options));
        open.append(&mut subject.open);
    }
    if !out.findings.is_empty() {
        out.findings.extend(kinds::undecided(library, open));
        return Ok(out);
    }
    for tool in tools(library) {
        let of = Exercise::Tool(shown_name(&tool));
        if only.is_none_or(|only| is_asked(only, &tool)) {
            let shown = of_tool(&mut house, tool);
            out.sessions.push(Witness { of, shown });
        }
    }
    for (index, contract) in library.contracts.iter().enumerate() {
        let of = Exercise::Contract(contract.name.clone());
        if only.is_none_or(|only| *only == of) {
            let shown = of_contract(&mut house, index);
            out.sessions.push(Witness { of, shown });
        }
    }
    Ok(out)
}

fn is_asked(only: &Exercise, tool: &ToolName) -> bool {
    matches!(only, Exercise::Tool(name) if *name == shown_name(tool) || Some(name) == tool.name.as_ref())
}

fn shown_name(tool: &ToolName) -> String {
    let name = tool.name.as_deref().unwrap_or_default();
    match &tool.server {
        Some(server) => format!("{server}.{name}"),
        None => name.to_owned(),
    }
}

/// The tools that a library declares or names, each once.
fn tools(library: &Library) -> Vec<ToolName> {
    let declared = library.declared.iter().map(|t| (&t.server, &t.name));
    let named = library.tools.iter().map(|t| (&t.server, &t.name));
    let mut all: Vec<ToolName> = Vec::new();
    for (server, name) in declared.chain(named) {
        let tool = ToolName {
            server: server.clone(),
            name: Some(name.clone()),
        };
        if !all.contains(&tool) {
            all.push(tool);
        }
    }
    // What is said of a tool without its server is said of the one that has a server.
    let with_server: BTreeSet<String> = all
        .iter()
        .filter(|tool| tool.server.is_some())
        .filter_map(|tool| tool.name.clone())
        .collect();
    all.retain(|tool| {
        tool.server.is_some()
            || !tool
                .name
                .as_ref()
                .is_some_and(|name| with_server.contains(name))
    });
    all
}

/// A session that calls a tool.
fn of_tool(house: &mut House<'_>, tool: ToolName) -> Shown {
    let found = house.subjects.iter().enumerate().find_map(|(at, subject)| {
        let universe = &subject.engine.problem.universe;
        let number = universe.tools.iter().position(|other| {
            other.name == tool.name && (other.server == tool.server || other.server.is_none())
        })?;
        let called = |group: &Group| group.classes.contains(&Class::Call(number));
        universe.groups.iter().any(called).then_some((at, number))
    });
    let Some((at, number)) = found else {
        let mut subject = house.bare(tool);
        let goal = dead_tool::goal(&mut subject, &[], 0);
        let goals: Vec<Formula> = goal.into_iter().collect();
        let found = subject.shortest(&goals, &Expected::default());
        return told(house, found, &Expected::default());
    };
    let Some(subject) = house.subjects.get_mut(at) else {
        return Shown::Open(String::new());
    };
    let contracts = subject.contracts.clone();
    let members = subject.of_all(&contracts);
    let Some(goal) = dead_tool::goal(subject, &contracts, number) else {
        return Shown::Open("the tool has no calls".to_owned());
    };
    let expected = Expected {
        kept: contracts.clone(),
        prefer: Some(Class::Call(number)),
        ..Expected::default()
    };
    let mut all = members.clone();
    all.push(goal);
    let found = subject.shortest(&all, &expected);
    if matches!(found, Found::Never) {
        let core = subject.blamed(&members, goal);
        return Shown::Never {
            forbidden: core.iter().any(|c| dead_tool::forbids(subject, *c, number)),
            contracts: subject.names(&core),
        };
    }
    told(house, found, &expected)
}

/// A session in which what a contract waits for happens.
fn of_contract(house: &mut House<'_>, index: usize) -> Shown {
    let with = |subject: &Subject<'_>| subject.contracts.contains(&index);
    let Some(subject) = house.subjects.iter_mut().find(|subject| with(subject)) else {
        return Shown::Open("the contract has no events".to_owned());
    };
    let contracts = subject.contracts.clone();
    let members = subject.of_all(&contracts);
    let goal = subject.exercised(index);
    let expected = Expected {
        kept: contracts,
        ..Expected::default()
    };
    let mut all = members.clone();
    all.push(goal);
    let found = subject.shortest(&all, &expected);
    if matches!(found, Found::Never) {
        let core = subject.blamed(&members, goal);
        return Shown::Never {
            forbidden: core == [index],
            contracts: subject.names(&core),
        };
    }
    told(house, found, &expected)
}

/// A session of a component with what the others owe, as lines.
fn told(house: &mut House<'_>, found: Found, expected: &Expected) -> Shown {
    let (session, shortest) = match found {
        Found::Session(session, shortest) => (session, shortest),
        Found::Open(reason) => return Shown::Open(reason),
        Found::Never => {
            return Shown::Never {
                contracts: Vec::new(),
                forbidden: false,
            };
        }
    };
    let kept = |said: &ContractOutcome, _: usize| is_kept(said);
    match house.complete(session, &kept, expected, &mut |subject| subject.owed()) {
        Found::Session(whole, all) => Shown::Session {
            lines: whole.lines(),
            events: whole.len(),
            shortest: shortest && all,
        },
        Found::Open(reason) => Shown::Open(reason),
        Found::Never => Shown::Open("other contracts cannot be kept".to_owned()),
    }
}
