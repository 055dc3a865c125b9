//! What an event of a kind and tool can do, worked out ahead: the contracts that it concerns, and their
//! diagrams without the questions that kind and tool answer.
//!
//! Most steps of most contracts are decided by that alone, so that judging one is a look into a table.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use once_cell::race::OnceBox;

use super::plan::{ContractPlan, Plan};
use super::resolve::trimmed;
use crate::decimal::Decimal;
use crate::decision::Seen;
use crate::eval::datum::Truth;
use crate::eval::frame::{Frame, FrameKind, ToolFit};
use crate::event::{self, Event, Status};
use crate::format::model::{Coerce, CompareOp, EventKind, Label as StateLabel, NodeRef, Root};
use crate::format::{ConstRef, ContractRef, ExprRef, KindClass, Library, StepRef};
use crate::regex::together::Searches;
use crate::table::{Table, hash};
use crate::value::Value;

/// How many places of tables are made; contracts beyond it are judged by their diagrams.
const MAX_ROOTS: usize = 1 << 20;
/// An automaton of more states gets no tables.
const MAX_STATES: u32 = 256;
/// How names begin that hold their server.
pub(crate) const WIRED: &str = "mcp__";
/// No table.
const NONE: u32 = u32::MAX;
/// Marks a node among states.
const NODE: u32 = 1 << 31;
/// Marks a state that is violated for good.
const VIOLATED: u32 = 1 << 30;
/// How many nodes are looked at in all.
const MAX_WORK: usize = 1 << 22;

/// A contract that an event concerns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) contract: u32,
    /// Whether its steps are in tables: it has no keys, deadlines or agents of its own.
    pub(crate) quick: bool,
    /// Where the tables begin in [`Steps::roots`]; [`NONE`] where that side is true.
    assume: u32,
    guarantee: u32,
    /// For calls where kind and tool alone decide what the guarantee's atoms are: where what refusals tell begins
    /// in [`Steps::advice`], a place for each state; else [`NONE`].
    advice: u32,
}

/// What a refusal tells where kind and tool of the call and the contract's state decide it: worked out at the
/// first one.
#[derive(Debug)]
pub(crate) struct Advice {
    pub(crate) seen: Vec<Seen>,
    pub(crate) accepted: Vec<String>,
    /// The patterns that the events begin with which would help.
    pub(crate) first: Vec<u32>,
    /// How many nodes of diagrams were visited for it.
    pub(crate) steps: u64,
}

/// What events of a kind (with its status) and tool concern.
#[derive(Debug, Default)]
pub(crate) struct Concern {
    /// Whether no registers or deadlines name it, and all its steps are in tables.
    pub(crate) plain: bool,
    /// Whether contracts have to be asked about the returns of calls in flight: there are `asked` or
    /// `bystanders`.
    pub(crate) foresees: bool,
    /// Contracts whose patterns name it, ascending.
    pub(crate) steps: Box<[Step]>,
    /// Those that it could move, where it is plain.
    pub(crate) moving: Box<[Step]>,
    pub(crate) registers: Box<[u32]>,
    /// The contracts of deadlines that name it, ascending.
    pub(crate) deadlines: Box<[u32]>,
    /// For calls: contracts that have to be asked about the returns of calls in flight, and those that only
    /// their return concerns; both ascending and without those that no returns can violate.
    pub(crate) asked: Box<[u32]>,
    pub(crate) bystanders: Box<[u32]>,
}

/// What a tool's name stands for, and what its events concern.
#[derive(Debug, Default)]
pub(crate) struct Fit {
    pub(crate) tools: ToolFit,
    /// Whether a return may ask for the arguments of its call.
    pub(crate) keeps_args: bool,
    pub(crate) call: Concern,
    /// By status.
    returns: [Concern; 3],
    /// Contracts without keys that a return could violate, ascending.
    pub(crate) endangered: Box<[u32]>,
}

impl Concern {
    /// A contract's steps, where they are in tables.
    pub(crate) fn step(&self, contract: u32) -> Option<&Step> {
        if cfg!(feature = "small") {
            return None;
        }
        let at = self
            .steps
            .binary_search_by_key(&contract, |step| step.contract)
            .ok()?;
        self.steps.get(at).filter(|step| step.quick)
    }
}

impl Fit {
    pub(crate) fn returned(&self, status: Status) -> &Concern {
        let [success, failure, unknown] = &self.returns;
        match status {
            Status::Success => success,
            Status::Failure => failure,
            Status::Unknown => unknown,
        }
    }
}

/// What one name of a tool stands for, by the server that is recorded with it.
#[derive(Debug)]
struct Name {
    name: Box<str>,
    /// Without a server.
    alone: u32,
    /// With a server of which no tool of that name is known.
    elsewhere: u32,
    servers: Vec<(Box<str>, u32)>,
    /// Whether it begins as names do that hold their server.
    wired: bool,
}

impl Name {
    #[inline(always)]
    fn fit(&self, server: Option<&str>) -> u32 {
        match server {
            None => self.alone,
            Some(server) => self
                .servers
                .iter()
                .find(|(s, _)| &**s == server)
                .map_or(self.elsewhere, |(_, fit)| *fit),
        }
    }
}

/// A tool's name as it stands, without white space around it or a server in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain {
    /// Its number among the names that the library knows; [`UNNAMED`] for others.
    pub(crate) name: u32,
    pub(crate) fit: u32,
}

/// The number of names that the library does not know.
pub(crate) const UNNAMED: u32 = u32::MAX;
/// The number of what no tool of the library fits.
pub(crate) const UNFIT: u32 = u32::MAX;

/// How a state is labelled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StateFacts {
    pub(crate) satisfied: bool,
    pub(crate) violated: bool,
    pub(crate) idle: bool,
}

/// All steps of a library.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    names: Vec<Name>,
    table: Table,
    fits: Vec<Arc<Fit>>,
    unknown: Arc<Fit>,
    pub(crate) input: Concern,
    pub(crate) output: Concern,
    events: Vec<Concern>,
    /// For each state of a table its next state, or a node.
    roots: Vec<u32>,
    nodes: Vec<(u32, u32, u32)>,
    /// By automaton, then state.
    states: Vec<Box<[StateFacts]>>,
    /// By atom.
    simple: Vec<Option<Simple>>,
    advice: Vec<OnceBox<Advice>>,
}

/// Marks a node's atom whose condition is [`Simple`], of a pattern whose kind and tool fit.
const SIMPLE: u32 = 1 << 31;

/// A condition that is asked of nearly every event of its kind: read straight off the event. What it cannot
/// say, because a value is missing or of another type, the evaluator says.
#[derive(Debug)]
pub(crate) enum Simple {
    /// A top-level argument of a call compared with a number; the last: whether it is negated.
    Number(Box<str>, CompareOp, Decimal, bool),
    /// A top-level argument of a call compared for equality with a text; whether it shall be equal.
    Text(Box<str>, Box<str>, bool),
    /// A message searched for a regular expression; whether it shall be found.
    Matches(u32, bool),
}

impl Simple {
    fn new(library: &Library<'_>, atom: u32) -> Option<Self> {
        let ExprRef::Pattern(p) = library.expr(library.atom(atom).expr) else {
            return None;
        };
        let p = library.pattern(p);
        let mut expr = p.condition.filter(|_| p.keys.is_empty())?;
        let mut plain = true;
        while let ExprRef::Not(inner) = library.expr(expr) {
            plain = !plain;
            expr = inner;
        }
        let field = |expr: u32, number: bool| match library.expr(expr) {
            ExprRef::Path {
                base,
                steps,
                coerce,
            } if steps.len() == 1
                // A text in a field of numbers is read as one.
                && (coerce == Coerce::None || number && coerce == Coerce::Number)
                && p.kind == EventKind::Call
                && matches!(library.expr(base), ExprRef::Root(Root::Args)) =>
            {
                match steps.get(0) {
                    Some(StepRef::Field(name)) => Some(Box::<str>::from(name)),
                    _ => None,
                }
            }
            _ => None,
        };
        match library.expr(expr) {
            ExprRef::Compare(op, a, b) => match library.expr(b) {
                ExprRef::Const(ConstRef::Number(n)) => {
                    Some(Self::Number(field(a, true)?, op, n, plain))
                }
                ExprRef::Const(ConstRef::Str(text)) => match op {
                    CompareOp::Eq => Some(Self::Text(field(a, false)?, text.into(), plain)),
                    CompareOp::Ne => Some(Self::Text(field(a, false)?, text.into(), !plain)),
                    _ => None,
                },
                _ => None,
            },
            ExprRef::Matches(a, regex)
                if matches!(library.expr(a), ExprRef::Root(Root::Text))
                    && matches!(p.kind, EventKind::Input | EventKind::Output) =>
            {
                Some(Self::Matches(regex, plain))
            }
            _ => None,
        }
    }

    /// Its value, where it is quickly told.
    pub(crate) fn value(
        &self,
        library: &Library<'_>,
        event: &Event<'_>,
        searches: &mut Searches,
    ) -> Option<bool> {
        let argument = |name: &str| match event.kind {
            event::EventKind::Call { args, .. } => args.get(name),
            _ => None,
        };
        match self {
            Self::Number(name, op, number, plain) => match argument(name)? {
                Value::Number(n) => {
                    let order = n.cmp(number);
                    let holds = match op {
                        CompareOp::Eq => order.is_eq(),
                        CompareOp::Ne => order.is_ne(),
                        CompareOp::Lt => order.is_lt(),
                        CompareOp::Le => order.is_le(),
                        CompareOp::Gt => order.is_gt(),
                        CompareOp::Ge => order.is_ge(),
                    };
                    Some(holds == *plain)
                }
                _ => None,
            },
            Self::Text(name, text, plain) => match argument(name)? {
                Value::Str(found) => Some((**found == **text) == *plain),
                _ => None,
            },
            Self::Matches(regex, plain) => match event.kind {
                event::EventKind::Input { text } | event::EventKind::Output { text } => {
                    let output = matches!(event.kind, event::EventKind::Output { .. });
                    let found = searches.is_match(library, output, *regex, text)?;
                    Some(found == *plain)
                }
                _ => None,
            },
        }
    }
}

/// Where a table leads.
#[derive(Clone, Copy)]
pub(crate) enum Next {
    /// To a state, whatever the event holds.
    State(u32),
    /// To a state that is violated for good.
    Violated,
    /// It depends on a condition.
    Asks(u32),
}

impl Steps {
    pub(crate) fn new(library: &Library<'_>, plan: &Plan) -> Self {
        let mut maker = Maker {
            library,
            plan,
            steps: Self {
                names: Vec::new(),
                table: Table::default(),
                fits: Vec::new(),
                unknown: Arc::default(),
                input: Concern::default(),
                output: Concern::default(),
                events: Vec::new(),
                roots: Vec::new(),
                nodes: Vec::new(),
                states: (0..library.automaton_count())
                    .map(|a| library.automaton(a).states().map(facts).collect())
                    .collect(),
                simple: (0..if cfg!(feature = "small") {
                    0
                } else {
                    library.atom_count()
                })
                    .map(|atom| Simple::new(library, atom))
                    .collect(),
                advice: Vec::new(),
            },
            done: Vec::new(),
            work: MAX_WORK,
        };
        maker.steps.input = maker.concern(FrameKind::Input, &ToolFit::default());
        maker.steps.output = maker.concern(FrameKind::Output, &ToolFit::default());
        maker.steps.events = (0..library.event_count())
            .map(|id| maker.concern(FrameKind::Declared(Some(id)), &ToolFit::default()))
            .collect();
        maker.steps.unknown = Arc::new(maker.fit(ToolFit::default()));
        for id in 0..library.tool_count() {
            maker.name(library.tool(id).name);
        }
        maker.steps
    }

    #[inline(always)]
    fn find(&self, name: &str) -> Option<(u32, &Name)> {
        let known = |n: u32| self.names.get(n as usize);
        let found = self.table.find(hash(name.as_bytes()), |n| {
            known(n).is_some_and(|known| &*known.name == name)
        })?;
        Some((found, known(found)?))
    }

    /// What a tool's name stands for that [`wire_name`](crate::eval::frame::wire_name) has taken apart.
    pub(crate) fn named(&self, server: Option<&str>, name: &str) -> u32 {
        self.find(name)
            .map_or(UNFIT, |(_, found)| found.fit(server))
    }

    /// What a tool's name stands for as the host gave it, with the recorded server; `None` where it has to
    /// be taken apart first.
    #[inline(always)]
    pub(crate) fn plain(&self, server: Option<&str>, name: &str) -> Option<Plain> {
        match self.find(name) {
            Some((_, found)) if found.wired => None,
            Some((number, found)) => {
                let server = server.map(str::trim).filter(|server| !server.is_empty());
                Some(Plain {
                    name: number,
                    fit: found.fit(server),
                })
            }
            None => {
                let plain = trimmed(name).len() == name.len() && !name.starts_with(WIRED);
                plain.then_some(Plain {
                    name: UNNAMED,
                    fit: UNFIT,
                })
            }
        }
    }

    /// The number of a name; [`UNNAMED`] where the library does not know it.
    pub(crate) fn number(&self, name: &str) -> u32 {
        self.find(name).map_or(UNNAMED, |(number, _)| number)
    }

    /// A name that the library knows.
    pub(crate) fn name(&self, number: u32) -> Option<&str> {
        self.names.get(number as usize).map(|name| &*name.name)
    }

    /// What stands under a number; what no tool of the library fits where there is none.
    #[inline]
    pub(crate) fn fit(&self, number: u32) -> &Arc<Fit> {
        self.fits.get(number as usize).unwrap_or(&self.unknown)
    }

    pub(crate) fn event(&self, id: u32) -> Option<&Concern> {
        self.events.get(id as usize)
    }

    pub(crate) fn state(&self, automaton: u32, state: u32) -> Option<StateFacts> {
        self.states
            .get(automaton as usize)?
            .get(state as usize)
            .copied()
    }

    /// Where the assumption's table, or the guarantee's, leads from a state; `None` where that side is
    /// true.
    #[inline(always)]
    pub(crate) fn next(&self, step: &Step, assume: bool, state: u32) -> Option<Next> {
        let first = if assume { step.assume } else { step.guarantee };
        if first == NONE {
            return None;
        }
        let root = self.roots.get((first + state) as usize).copied();
        Some(next(root.unwrap_or(0)))
    }

    /// Where is kept what a refusal in a state of the guarantee tells.
    pub(crate) fn advice(&self, step: &Step, state: u32) -> Option<&OnceBox<Advice>> {
        match step.advice {
            NONE => None,
            first => self.advice.get((first + state) as usize),
        }
    }

    /// A node's atom, and where it leads where that does not hold and where it does.
    pub(crate) fn node(&self, node: u32) -> (u32, Next, Next) {
        let (atom, low, high) = self.nodes.get(node as usize).copied().unwrap_or_default();
        (atom & !SIMPLE, next(low), next(high))
    }

    /// Where a node leads, where its condition is quickly told.
    pub(crate) fn simple(
        &self,
        library: &Library<'_>,
        event: &Event<'_>,
        node: u32,
        searches: &mut Searches,
    ) -> Option<Next> {
        let (atom, low, high) = self.nodes.get(node as usize).copied()?;
        if atom & SIMPLE == 0 {
            return None;
        }
        let simple = self.simple.get((atom & !SIMPLE) as usize)?.as_ref()?;
        Some(next(match simple.value(library, event, searches)? {
            true => high,
            false => low,
        }))
    }
}

fn next(word: u32) -> Next {
    if word & NODE != 0 {
        Next::Asks(word & !NODE)
    } else if word & VIOLATED != 0 {
        Next::Violated
    } else {
        Next::State(word)
    }
}

fn facts(state: crate::format::model::State) -> StateFacts {
    StateFacts {
        satisfied: super::judge::is_satisfied(state.label),
        violated: state.label == StateLabel::ViolatedForGood,
        idle: state.idle,
    }
}

struct Maker<'m, 'l> {
    library: &'m Library<'l>,
    plan: &'m Plan,
    steps: Steps,
    /// For the nodes of the automaton at hand, what has become of them.
    done: Vec<u32>,
    /// How many nodes may still be looked at.
    work: usize,
}

impl Maker<'_, '_> {
    fn name(&mut self, name: &str) {
        let hashed = hash(name.as_bytes());
        let names = &self.steps.names;
        let same = |n: u32| names.get(n as usize).is_some_and(|n| &*n.name == name);
        if self.steps.table.find(hashed, same).is_some() {
            return;
        }
        let mut servers: Vec<&str> = self
            .library
            .tools_named(name)
            .iter()
            .filter_map(|id| self.library.tool(*id).server)
            .collect();
        crate::order::sort(&mut servers);
        servers.dedup();
        let resolve = |server| ToolFit::of(self.library, server, name);
        let alone = self.share(resolve(None), UNFIT);
        let with: Vec<_> = servers
            .iter()
            .map(|server| ((*server).into(), self.share(resolve(Some(server)), alone)))
            .collect();
        // No tool has a server without a name.
        let elsewhere = self.share(resolve(Some("")), alone);
        let number = self.steps.names.len() as u32;
        self.steps.table.insert(hashed, number);
        self.steps.names.push(Name {
            name: name.into(),
            alone,
            elsewhere,
            servers: with,
            wired: name.starts_with(WIRED),
        });
    }

    fn share(&mut self, tools: ToolFit, with: u32) -> u32 {
        if with != UNFIT && tools == self.steps.fit(with).tools {
            return with;
        }
        let number = self.steps.fits.len() as u32;
        let fit = self.fit(tools);
        self.steps.fits.push(Arc::new(fit));
        number
    }

    fn fit(&mut self, tools: ToolFit) -> Fit {
        let call = self.concern(FrameKind::Call, &tools);
        let returns = [Status::Success, Status::Failure, Status::Unknown]
            .map(|status| self.concern(FrameKind::Return(status), &tools));
        let dispatch = self.library.dispatch(KindClass::Return, &tools.all);
        let endangered = dispatch
            .contracts()
            .filter(|c| self.library.contract(*c).key_count() == 0)
            .filter(|c| self.can_be_violated(*c, None))
            .collect();
        Fit {
            keeps_args: self.plan.keeps_args(self.library, &tools.all),
            call,
            returns,
            endangered,
            tools,
        }
    }

    /// Whether returns can violate a contract, that of the given call among them or not.
    fn can_be_violated(&self, contract: u32, call: Option<&ToolFit>) -> bool {
        let Some(facts) = self.plan.of(contract) else {
            return true;
        };
        let Some(foresight) = &facts.foresight else {
            return false;
        };
        !(foresight.all_calm
            && foresight.patterns_only
            && call.is_none_or(|tools| self.is_plain(facts, tools)))
    }

    /// Whether what the call's own return means for a contract depends on no condition and no key.
    fn is_plain(&self, facts: &ContractPlan, tools: &ToolFit) -> bool {
        let frame = |kind| Frame {
            kind,
            tools: Some(tools),
            ..Frame::blank()
        };
        let (call, own) = (
            frame(FrameKind::Call),
            frame(FrameKind::Return(Status::Success)),
        );
        let names = |frame: &Frame<'_>, p: &u32| frame.named_by(self.library.pattern(*p));
        let conditional = || facts.conditional.iter().any(|p| names(&own, p));
        let keyed = || {
            !facts.keyed.is_empty()
                && (facts
                    .keyed
                    .iter()
                    .chain(&facts.unkeyed)
                    .any(|p| names(&own, p))
                    || facts.unkeyed.iter().any(|p| names(&call, p)))
        };
        tools.maybe.is_empty() && !conditional() && !keyed()
    }

    fn concern(&mut self, kind: FrameKind, tools: &ToolFit) -> Concern {
        let Some(class) = kind.class() else {
            return Concern::default();
        };
        let frame = Frame {
            kind,
            tools: matches!(kind, FrameKind::Call | FrameKind::Return(_)).then_some(tools),
            ..Frame::blank()
        };
        let library = self.library;
        let dispatch = library.dispatch(class, &tools.all);
        let steps: Box<[Step]> = dispatch
            .contracts()
            .map(|c| self.step(library.contract(c), class, &frame))
            .collect();
        let registers: Box<[u32]> = dispatch.registers().collect();
        let mut deadlines: Vec<u32> = dispatch
            .deadlines()
            .map(|d| library.deadline(d).contract)
            .collect();
        crate::order::sort(&mut deadlines);
        deadlines.dedup();
        let (mut asked, mut bystanders) = (Vec::new(), Vec::new());
        if kind == FrameKind::Call {
            let own = Frame {
                kind: FrameKind::Return(Status::Success),
                tools: Some(tools),
                ..Frame::blank()
            };
            let of_return = library.dispatch(KindClass::Return, &tools.all);
            asked.extend(dispatch.contracts());
            asked.extend(of_return.contracts().filter(|c| {
                library.contract(*c).patterns().iter().any(|p| {
                    let p = library.pattern(p);
                    own.fits_kind(p.kind) && own.named_by(p)
                })
            }));
            crate::order::sort(&mut asked);
            asked.dedup();
            bystanders.extend(
                of_return
                    .contracts()
                    .filter(|c| asked.binary_search(c).is_err()),
            );
            asked.retain(|c| self.can_be_violated(*c, Some(tools)));
            bystanders.retain(|c| self.can_be_violated(*c, Some(tools)));
        }
        Concern {
            moving: steps.iter().copied().filter(|s| !self.rests(s)).collect(),
            foresees: !asked.is_empty() || !bystanders.is_empty(),
            plain: registers.is_empty()
                && deadlines.is_empty()
                && steps.iter().all(|step| step.quick),
            steps,
            registers,
            deadlines: deadlines.into(),
            asked: asked.into(),
            bystanders: bystanders.into(),
        }
    }

    fn step(&mut self, c: ContractRef<'_>, class: KindClass, frame: &Frame<'_>) -> Step {
        let mut step = Step {
            contract: c.id(),
            quick: false,
            assume: NONE,
            guarantee: NONE,
            advice: NONE,
        };
        let small = |a: Option<u32>| {
            a.is_none_or(|a| self.library.automaton(a).state_count() <= MAX_STATES)
        };
        // There are no tables where size counts: they are there for speed alone.
        step.quick = !cfg!(feature = "small")
            && c.key_count() == 0
            && c.deadlines().is_empty()
            && c.agents().is_empty()
            && c.watches(class)
            && small(c.assume())
            && small(c.guarantee())
            && self.steps.roots.len() < MAX_ROOTS
            && self.spend(c);
        if !cfg!(feature = "small") && step.quick {
            let mut table = |a: Option<u32>| a.map_or(NONE, |a| self.table(a, frame));
            step.assume = table(c.assume());
            step.guarantee = table(c.guarantee());
            if let Some(guarantee) = c.guarantee()
                && frame.kind == FrameKind::Call
                && self.is_bare(guarantee)
            {
                step.advice = self.steps.advice.len() as u32;
                let states = self.library.automaton(guarantee).state_count();
                self.steps
                    .advice
                    .extend((0..states).map(|_| OnceBox::new()));
            }
        }
        step
    }

    /// Whether all atoms of an automaton are patterns without conditions and keys.
    fn is_bare(&self, automaton: u32) -> bool {
        let library = self.library;
        let mut nodes = library.automaton(automaton).nodes();
        nodes.all(|node| match library.expr(library.atom(node.atom).expr) {
            ExprRef::Pattern(p) => {
                let p = library.pattern(p);
                p.condition.is_none() && p.keys.is_empty()
            }
            _ => false,
        })
    }

    /// Whether a step leaves its contract in whatever state it is. No contract is in a state that is violated
    /// for good, but for one that starts there.
    fn rests(&self, step: &Step) -> bool {
        let c = self.library.contract(step.contract);
        let stays = |automaton: Option<u32>, first: u32| {
            automaton.is_none_or(|a| {
                let automaton = self.library.automaton(a);
                let start = automaton.initial();
                (0..).zip(automaton.states()).all(|(n, state)| {
                    let root = self.steps.roots.get((first + n) as usize);
                    root == Some(&n) || state.label == StateLabel::ViolatedForGood && n != start
                })
            })
        };
        step.quick && stays(c.assume(), step.assume) && stays(c.guarantee(), step.guarantee)
    }

    /// The automaton's diagrams without what kind and tool decide.
    fn table(&mut self, automaton: u32, frame: &Frame<'_>) -> u32 {
        let automaton = self.library.automaton(automaton);
        self.done.clear();
        let to = |done: &[u32], node| match node {
            NodeRef::State(state) => match automaton.state(state).label {
                StateLabel::ViolatedForGood => state | VIOLATED,
                _ => state,
            },
            NodeRef::Node(n) => done.get(n as usize).copied().unwrap_or(0),
        };
        // The children of a node have lower numbers than it has.
        for node in automaton.nodes() {
            let (low, high) = (to(&self.done, node.low), to(&self.done, node.high));
            let reduced = match self.known(node.atom, frame) {
                Some(true) => high,
                Some(false) => low,
                None if low == high => low,
                None => {
                    let simple = self.fits_surely(node.atom, frame);
                    let mark = if simple { SIMPLE } else { 0 };
                    self.steps.nodes.push((node.atom | mark, low, high));
                    (self.steps.nodes.len() - 1) as u32 | NODE
                }
            };
            self.done.push(reduced);
        }
        let first = self.steps.roots.len() as u32;
        for state in automaton.states() {
            self.steps.roots.push(to(&self.done, state.root));
        }
        first
    }

    /// Whether a contract's nodes may still be looked at.
    fn spend(&mut self, c: ContractRef<'_>) -> bool {
        let nodes = |a: Option<u32>| a.map_or(0, |a| self.library.automaton(a).node_count());
        let nodes = (nodes(c.assume()) as usize) + (nodes(c.guarantee()) as usize);
        let left = self.work.checked_sub(nodes);
        self.work = left.unwrap_or(0);
        left.is_some()
    }

    /// Whether an atom is a pattern of which only the condition is open, and that is quickly told.
    fn fits_surely(&self, atom: u32, frame: &Frame<'_>) -> bool {
        let ExprRef::Pattern(p) = self.library.expr(self.library.atom(atom).expr) else {
            return false;
        };
        let p = self.library.pattern(p);
        let simple = self.steps.simple.get(atom as usize);
        frame.fits_kind(p.kind)
            && frame.fits_tools(p.tools) == Truth::True
            && simple.is_some_and(Option::is_some)
    }

    /// An atom's value where kind and tool decide it.
    fn known(&self, atom: u32, frame: &Frame<'_>) -> Option<bool> {
        let ExprRef::Pattern(p) = self.library.expr(self.library.atom(atom).expr) else {
            return None;
        };
        let p = self.library.pattern(p);
        if !frame.fits_kind(p.kind) {
            return Some(false);
        }
        match frame.fits_tools(p.tools) {
            Truth::False => Some(false),
            Truth::True if p.keys.is_empty() && p.condition.is_none() => Some(true),
            _ => None,
        }
    }
}
