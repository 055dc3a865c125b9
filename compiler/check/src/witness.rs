//! `ctrc check --witness`: sessions that keep a library and exercise a tool or a contract.
//!
//! A tool is exercised where it is called, a contract where what it waits for happens; one that waits for nothing, where an
//! event of the kind and tool of one of its patterns does.
//!
//! Contracts are taken into a question when a session that was found is not to their content: a proof that there is none holds whatever the
//! others say, and a shortest session that all are content with is a shortest one.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use ctr_front::diagnostic::Diagnostic;
use ctr_front::ir::Library;
use ctr_logic::Formula;
use ctr_runtime::decision::ContractOutcome;
use ctr_runtime::format::Library as Artifact;
use ctr_runtime::format::model::Model;
use ctr_runtime::session::Plan;

use crate::deadline::Deadline;
use crate::engine::{Answer, Expected, Verdicts, is_expected};
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
/// The least that a question may take, should there be so much time.
const LEAST: Duration = Duration::from_millis(300);

/// A library with what is the same for all questions.
pub(crate) struct House<'l> {
    pub(crate) library: &'l Library,
    pub(crate) keys: &'l [Vec<u32>],
    neutral: Vec<bool>,
    artifact: &'l Artifact<'l>,
    plan: Arc<Plan>,
    /// The end of all questions.
    until: Deadline,
    /// How many questions are to come.
    pub(crate) questions: usize,
}

/// A session of some contracts.
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
        Self {
            library,
            keys,
            neutral: component::neutral(library, model),
            artifact,
            plan: Arc::new(Plan::new(artifact)),
            until: Deadline::new(options.timeout, &options.cancel),
            questions: 1,
        }
    }

    /// The end of a question that begins now: it may take up to twice its share of the time.
    fn share(&self) -> Deadline {
        let left = self.until.left();
        let questions = u32::try_from(self.questions.max(1)).unwrap_or(u32::MAX - 1);
        let share = left * 2 / (questions + 1);
        self.until.within(share.max(LEAST))
    }

    /// Some contracts as a component.
    fn subject(&self, contracts: &[usize], until: Deadline) -> Subject<'l> {
        let mut subject = Subject::new(
            self.library,
            self.keys,
            &self.neutral,
            contracts,
            self.artifact,
            Arc::clone(&self.plan),
            until,
        );
        subject.engine.natural = true;
        subject
    }

    /// The call of a tool that no contract is about.
    fn bare_call(&self, tool: &ToolName) -> Option<Concrete> {
        let mut subject = self.subject(&[], self.share());
        let universe = &mut subject.engine.problem.universe;
        universe.tools = vec![tool.clone()].into();
        universe.groups = vec![Group {
            classes: vec![Class::Call(0)],
            code: Vec::new(),
        }];
        let goal = dead_tool::goal(&mut subject, &[], 0)?;
        match subject.shortest(&[goal], &Expected::default()) {
            Found::Session(session, _) => Some(session),
            _ => None,
        }
    }

    /// What the runtime says of each contract; nothing where it cannot play the session.
    pub(crate) fn replay(&self, session: &mut Concrete) -> Vec<ContractOutcome> {
        let said = session.replay(self.library, self.artifact, &self.plan);
        said.unwrap_or_default()
    }

    /// The session, if the runtime says what was expected.
    pub(crate) fn said(&self, mut session: Concrete, expected: &Expected) -> Option<Concrete> {
        is_expected(&Verdicts::of(&self.replay(&mut session)), expected).then_some(session)
    }

    /// Asks a question of some contracts, then also of those that are not content with the session, until all are. With the
    /// contracts of the last question.
    pub(crate) fn ask(
        &mut self,
        first: &[usize],
        content: &dyn Fn(&ContractOutcome, usize) -> bool,
        ask: &mut dyn FnMut(&Self, &mut Subject<'l>) -> Found,
    ) -> (Found, Subject<'l>) {
        let until = self.share();
        self.questions = self.questions.saturating_sub(1);
        let mut asked: BTreeSet<usize> = first.iter().copied().collect();
        loop {
            let contracts: Vec<usize> = asked.iter().copied().collect();
            let mut subject = self.subject(&contracts, until.clone());
            let found = ask(self, &mut subject);
            let Found::Session(mut session, shortest) = found else {
                return (found, subject);
            };
            let said = self.replay(&mut session);
            let others: Vec<usize> = (0..)
                .zip(&said)
                .filter(|(c, said)| !content(said, *c))
                .map(|(c, _)| c)
                .collect();
            if others.is_empty() {
                return (Found::Session(session, shortest), subject);
            }
            let before = asked.len();
            asked.extend(others);
            if asked.len() == before {
                let reason = "the session is not what was asked for".to_owned();
                return (Found::Open(reason), subject);
            }
        }
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

    /// The contracts to blame that no session keeps all and does this.
    fn blamed(&mut self, goal: Formula) -> Vec<usize> {
        let contracts = self.contracts.clone();
        let members = self.of_all(&contracts);
        match self.cores(&members, &[goal], 1).into_iter().next() {
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
    for contracts in component::components(library, &house.neutral) {
        let mut subject = house.subject(&contracts, house.until.clone());
        out.findings.extend(kinds::first(&mut subject, options));
        open.append(&mut subject.open);
    }
    if !out.findings.is_empty() {
        out.findings.extend(kinds::undecided(library, open));
        return Ok(out);
    }
    let mut tools = tools(library);
    tools.retain(|tool| only.is_none_or(|only| is_asked(only, tool)));
    let contracts: Vec<(usize, Exercise)> = library
        .contracts
        .iter()
        .map(|contract| Exercise::Contract(contract.name.clone()))
        .enumerate()
        .filter(|(_, of)| only.is_none_or(|only| only == of))
        .collect();
    house.questions = tools.len() + contracts.len();
    let mut sessions: Vec<Concrete> = Vec::new();
    let mut answers = Vec::new();
    for tool in &tools {
        answers.push((Exercise::Tool(shown_name(tool)), of_tool(&mut house, tool)));
    }
    for (index, of) in contracts {
        answers.push((of, of_contract(&mut house, index)));
    }
    for (_, answer) in &answers {
        if let Answered::Session(session, _) = answer {
            sessions.push(session.clone());
        }
    }
    for (of, answer) in answers {
        let shown = match answer {
            Answered::Session(session, shortest) => shown(&session, shortest),
            Answered::Never {
                contracts,
                forbidden,
            } => Shown::Never {
                contracts,
                forbidden,
            },
            // Another one may call the tool too.
            Answered::Open(reason) => sessions
                .iter()
                .filter(|session| matches!(&of, Exercise::Tool(tool) if calls(session, tool)))
                .min_by_key(|session| session.len())
                .map_or(Shown::Open(reason), |session| shown(session, false)),
        };
        out.sessions.push(Witness { of, shown });
    }
    Ok(out)
}

/// An answer, before it is told.
enum Answered {
    Session(Concrete, bool),
    Never {
        contracts: Vec<String>,
        forbidden: bool,
    },
    Open(String),
}

fn shown(session: &Concrete, shortest: bool) -> Shown {
    Shown::Session {
        lines: session.lines(),
        events: session.len(),
        shortest,
    }
}

fn calls(session: &Concrete, tool: &str) -> bool {
    session.calls().any(|(server, name)| {
        let called = ToolName {
            server: server.clone(),
            name: Some(name.to_owned()),
        };
        shown_name(&called) == tool
    })
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

/// The number of a tool among those of a component.
fn number_of(subject: &Subject<'_>, tool: &ToolName) -> Option<usize> {
    let universe = &subject.engine.problem.universe;
    let number = universe.tools.iter().position(|other| {
        other.name == tool.name && (other.server == tool.server || other.server.is_none())
    })?;
    let called = |group: &Group| group.classes.contains(&Class::Call(number));
    universe.groups.iter().any(called).then_some(number)
}

/// A session that calls a tool.
fn of_tool(house: &mut House<'_>, tool: &ToolName) -> Answered {
    let kept = |said: &ContractOutcome, _: usize| is_kept(said);
    let (found, mut subject) = house.ask(&[], &kept, &mut |house, subject| {
        let contracts = subject.contracts.clone();
        let mut all = subject.of_all(&contracts);
        let Some(number) = number_of(subject, tool) else {
            // No contract so far is about it: the call, and what the contracts owe without it.
            let Some(call) = house.bare_call(tool) else {
                return Found::Open("the tool has no calls".to_owned());
            };
            let expected = Expected {
                kept: contracts,
                ..Expected::default()
            };
            return match subject.shortest(&all, &expected) {
                Found::Session(owed, shortest) => Found::Session(call.then(&owed), shortest),
                other => other,
            };
        };
        let Some(goal) = dead_tool::goal(subject, &contracts, number) else {
            return Found::Open("the tool has no calls".to_owned());
        };
        all.push(goal);
        let expected = Expected {
            kept: contracts,
            prefer: Some(Class::Call(number)),
            ..Expected::default()
        };
        subject.shortest(&all, &expected)
    });
    match found {
        Found::Session(session, shortest) => Answered::Session(session, shortest),
        Found::Open(reason) => Answered::Open(reason),
        Found::Never => {
            let contracts = subject.contracts.clone();
            let Some((number, goal)) = number_of(&subject, tool).and_then(|number| {
                Some((number, dead_tool::goal(&mut subject, &contracts, number)?))
            }) else {
                return Answered::Open("the tool has no calls".to_owned());
            };
            let core = subject.blamed(goal);
            Answered::Never {
                forbidden: core
                    .iter()
                    .any(|c| dead_tool::forbids(&subject, *c, number)),
                contracts: subject.names(&core),
            }
        }
    }
}

/// A session in which what a contract waits for happens.
fn of_contract(house: &mut House<'_>, index: usize) -> Answered {
    let kept = |said: &ContractOutcome, _: usize| is_kept(said);
    let (found, mut subject) = house.ask(&[index], &kept, &mut |_, subject| {
        let contracts = subject.contracts.clone();
        let mut all = subject.of_all(&contracts);
        all.push(subject.exercised(index));
        let expected = Expected {
            kept: contracts,
            ..Expected::default()
        };
        subject.shortest(&all, &expected)
    });
    match found {
        Found::Session(session, shortest) => Answered::Session(session, shortest),
        Found::Open(reason) => Answered::Open(reason),
        Found::Never => {
            let goal = subject.exercised(index);
            let core = subject.blamed(goal);
            Answered::Never {
                forbidden: core == [index],
                contracts: subject.names(&core),
            }
        }
    }
}
