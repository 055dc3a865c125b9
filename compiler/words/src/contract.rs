//! A whole contract in English: who owes what, what its steps are, what happens where it is not kept.

use std::collections::BTreeSet;

use ctr_front::ir::{
    ActionKind, Contract, EventKind, Expr, ExprId, Formula, Library, MessagePart, PatternId, Place,
    RegisterKind, Root, Side, Status, Tools,
};
use ctr_logic::Limits;

use crate::states::{MAX_STATES, Machine, StateWords};
use crate::text::{Item, Phrase, Piece};
use crate::values::{Form, Speaker, View, duration, group_tools, written_tool};

/// A clause in English.
#[derive(Clone, Debug)]
pub struct ClauseWords {
    /// Who owes it.
    pub side: Side,
    /// Its untimed part; `None` where it is a deadline alone.
    pub item: Option<Item>,
    /// Its deadlines, a sentence each.
    pub deadlines: Vec<Item>,
    /// The clause as written.
    pub source: String,
    /// Where it stands.
    pub place: Place,
}

/// A group of tools that the words name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupWords {
    /// Its name.
    pub name: String,
    /// Its tools, sorted.
    pub tools: Vec<String>,
}

/// A contract in English.
#[derive(Clone, Debug)]
pub struct ContractWords {
    /// Its name.
    pub name: String,
    /// Its `///` lines.
    pub doc: String,
    /// For whom it is judged apart; `None` without keys.
    pub keys: Option<Phrase>,
    /// What its steps are.
    pub steps: Phrase,
    /// The clauses in order.
    pub clauses: Vec<ClauseWords>,
    /// What happens where they are not kept, a sentence each.
    pub consequences: Vec<Phrase>,
    /// What is told then, `{...}` standing for values.
    pub message: Option<String>,
    /// The states of what the environment owes; none where it owes nothing, or where its automaton is too large to be told.
    pub assumed: Vec<StateWords>,
    /// The states of what the agent owes, deadlines apart; none where it owes nothing, or where its automaton is too large to be
    /// told.
    pub guaranteed: Vec<StateWords>,
    /// How many states the automata of both sides have, assumption first; none where a side owes nothing untimed, or where its
    /// automaton is too large to be told.
    pub sizes: [Option<usize>; 2],
    /// What is judged where something that is read is missing; `None` where nothing is read that can be.
    pub undefined: Option<Phrase>,
    /// The groups of tools that are named.
    pub groups: Vec<GroupWords>,
    /// The tools that it is about, sorted. A pattern of any tool names none.
    pub tools: Vec<String>,
    /// Whether it depends on when events happen.
    pub timed: bool,
}

/// Says a contract of a library.
#[must_use]
pub fn contract(library: &Library, contract: &Contract) -> ContractWords {
    let limits = Limits {
        states: MAX_STATES,
        ..Limits::default()
    };
    contract_within(library, contract, &limits)
}

/// Says a contract of a library; what only its automata tell is left out where they need more than the limits allow.
#[must_use]
pub fn contract_within(
    library: &Library,
    contract: &Contract,
    limits: &Limits<'_>,
) -> ContractWords {
    let speaker = Speaker {
        library,
        keys: &contract.keys,
    };
    let clauses: Vec<ClauseWords> = contract
        .clauses
        .iter()
        .map(|clause| ClauseWords {
            side: clause.side,
            item: (clause.formula != Formula::True || clause.deadlines.is_empty())
                .then(|| speaker.clause(&clause.formula)),
            deadlines: clause
                .deadlines
                .iter()
                .map(|deadline| {
                    let mut phrase = Phrase::words("whenever there is");
                    phrase
                        .add(speaker.deadline_side(deadline.trigger))
                        .say(", there is")
                        .add(speaker.deadline_side(deadline.response))
                        .say("at most")
                        .say(&duration(deadline.within))
                        .say("later");
                    Item {
                        phrase,
                        ..Item::default()
                    }
                })
                .collect(),
            source: clause.text.clone(),
            place: clause.place,
        })
        .collect();
    let assume = Machine::of(speaker, contract, Side::Assume, limits);
    let guarantee = Machine::of(speaker, contract, Side::Guarantee, limits);
    let mut words = ContractWords {
        name: contract.name.clone(),
        doc: contract.doc.clone(),
        keys: keys(contract),
        steps: speaker.steps(contract),
        clauses,
        consequences: speaker.consequences(contract, guarantee.as_ref()),
        message: speaker.message(contract),
        assumed: assume.as_ref().map(Machine::states).unwrap_or_default(),
        guaranteed: guarantee.as_ref().map(Machine::states).unwrap_or_default(),
        sizes: [&assume, &guarantee].map(|side| side.as_ref().map(Machine::size)),
        undefined: speaker.undefined(contract),
        groups: Vec::new(),
        tools: Vec::new(),
        timed: contract.clauses.iter().any(|c| !c.deadlines.is_empty()),
    };
    let about = speaker.about(contract);
    words.tools = about.tools.into_iter().collect();
    words.timed |= about.timed;
    words.groups = named_groups(library, &words);
    words
}

/// `judged apart for each *order*`
fn keys(contract: &Contract) -> Option<Phrase> {
    if contract.keys.is_empty() {
        return None;
    }
    let mut out = Phrase::words("this is judged apart for each");
    let names = contract.keys.iter().map(Phrase::name).collect();
    out.add(Phrase::list(names, "and"));
    if contract.keys.len() > 1 {
        out.say("together");
    }
    Some(out)
}

/// The groups whose names the words use.
fn named_groups(library: &Library, words: &ContractWords) -> Vec<GroupWords> {
    fn pieces<'w>(item: &'w Item, into: &mut BTreeSet<&'w str>) {
        mark(&item.phrase, into);
        for point in &item.points {
            pieces(point, into);
        }
    }
    fn mark<'w>(phrase: &'w Phrase, into: &mut BTreeSet<&'w str>) {
        let mut before: [&str; 2] = ["", ""];
        for piece in &phrase.0 {
            match piece {
                Piece::Code(name)
                    if before[1] == "of" && matches!(before[0], "tool" | "tools" | "those") =>
                {
                    into.insert(name);
                    before = ["", ""];
                }
                Piece::Word(word) => before = [before[1], word],
                _ => before = ["", ""],
            }
        }
    }
    let mut named = BTreeSet::new();
    for clause in &words.clauses {
        for item in clause.item.iter().chain(&clause.deadlines) {
            pieces(item, &mut named);
        }
    }
    mark(&words.steps, &mut named);
    let mut seen = BTreeSet::new();
    library
        .groups
        .iter()
        .filter(|group| named.contains(group.name.as_str()) && seen.insert(group.name.as_str()))
        .map(|group| GroupWords {
            name: group.name.clone(),
            tools: group_tools(group),
        })
        .collect()
}

impl Speaker<'_> {
    /// A clause's formula, as of the session's first step.
    pub(crate) fn clause(&self, formula: &Formula) -> Item {
        let formula = crate::shapes::readable(self, formula);
        self.sentence(&formula, true, "")
    }

    fn deadline_side(&self, member: ExprId) -> Phrase {
        let phrase = self.fits(member);
        match self.expr(member) {
            Expr::Pattern(_) => phrase,
            _ => phrase.between("[", "]"),
        }
    }

    /// What the steps of a contract are.
    fn steps(&self, contract: &Contract) -> Phrase {
        let watch = &contract.watch;
        let mut kinds: Vec<Phrase> = [
            (watch.calls, "calls"),
            (watch.returns, "returns"),
            (watch.inputs, "messages to the agent"),
            (watch.outputs, "messages by the agent"),
        ]
        .into_iter()
        .filter(|(watched, _)| *watched)
        .map(|(_, text)| Phrase::words(text))
        .collect();
        for event in &watch.events {
            let mut out = Phrase::words("events");
            let name = self.library.events.get(event.0 as usize);
            out.add(Phrase::code(name.map_or("?", |event| event.name.as_str())));
            kinds.push(out);
        }
        let mut out = Phrase::default();
        if kinds.is_empty() {
            out.say("no event is a step of it");
            return out;
        }
        out.say("its steps are").add(Phrase::list(kinds, "and"));
        if !contract.agents.is_empty() {
            let globs = contract.agents.iter().map(Phrase::code).collect();
            out.say(", those of agents called")
                .add(Phrase::list(globs, "or"));
            out.say("and those whose agent is not recorded");
        }
        if !contract.keys.is_empty() {
            let patterns = contract
                .patterns
                .iter()
                .filter_map(|id| self.library.patterns.get(id.0 as usize).map(|p| (*id, p)));
            let (keyed, open): (Vec<_>, Vec<_>) = patterns.partition(|(_, p)| !p.keys.is_empty());
            out.say("; the steps of one");
            let names = contract.keys.iter().map(Phrase::name).collect();
            out.add(Phrase::list(names, "and"));
            out.say(if contract.keys.len() == 1 {
                "are those that name it"
            } else {
                "are those that name them"
            });
            if keyed.is_empty() {
                out.say("(none does)");
            }
            let mut others: Vec<Phrase> = Vec::new();
            for (id, _) in open {
                let phrase = self.event_with(id, Form::Plural, &[]);
                if !others.contains(&phrase) {
                    others.push(phrase);
                }
            }
            if !others.is_empty() && !keyed.is_empty() {
                out.say(", and all").add(Phrase::list(others, "and"));
            }
        }
        out
    }

    /// The message, `{...}` standing for values.
    fn message(&self, contract: &Contract) -> Option<String> {
        // What is told is told of a refused call.
        let view = View::of(EventKind::Call);
        let mut out = String::new();
        for part in &contract.action.message {
            match part {
                MessagePart::Text(text) => out.push_str(text),
                MessagePart::Expr(id) => match (self.expr(*id), self.value(*id, view).0.as_slice())
                {
                    (Expr::Root(Root::Key(_)), [.., Piece::Name(name)]) => {
                        out.push_str(&format!("{{{name}}}"));
                    }
                    (Expr::Path { .. } | Expr::Root(_), [Piece::Code(text)]) => {
                        out.push_str(&format!("{{{text}}}"));
                    }
                    _ => out.push_str("{…}"),
                },
            }
        }
        (!out.is_empty()).then_some(out)
    }

    /// What the contract's action does to something.
    fn done(&self, contract: &Contract) -> Phrase {
        let mut out = Phrase::default();
        match &contract.action.kind {
            ActionKind::Block => out.say("is refused"),
            ActionKind::Warn => out.say("is let through with a warning"),
            ActionKind::Escalate => out.say("is held until the host approves or denies it"),
            ActionKind::Redirect { tool, args } => {
                out.say("is replaced by a call of")
                    .add(Phrase::code(self.tool(*tool)));
                let view = View::of(EventKind::Call);
                let args: Vec<Phrase> = args
                    .iter()
                    .map(|(name, value)| {
                        let mut out = Phrase::code(name.clone());
                        out.say("set to").add(self.value_part(*value, view));
                        if !matches!(self.expr(*value), Expr::Const(_)) {
                            out.say("of the refused call");
                        }
                        out
                    })
                    .collect();
                if !args.is_empty() {
                    let args = Phrase::list(args, "and").between("(", ")");
                    out.say("with").add(args);
                }
                out.say(", which is itself checked")
            }
            ActionKind::Repair => out.say(
                "has its arguments changed, where exactly one change makes it keep the contract, and is refused where none or several do",
            ),
        };
        out
    }

    /// What happens where a contract is not kept.
    fn consequences(&self, contract: &Contract, guarantee: Option<&Machine<'_>>) -> Vec<Phrase> {
        let mut told = Vec::new();
        let of_side = |side: Side| contract.clauses.iter().filter(move |c| c.side == side);
        if of_side(Side::Assume).next().is_some() {
            told.push(Phrase::words(
                "an event that would break for good what the environment owes is withheld from the agent; in a session that breaks it all the same, the agent owes nothing",
            ));
        }
        if let Some(machine) = guarantee {
            let breakers = machine.breakers();
            let watch = &contract.watch;
            let call = breakers.iter().any(|kind| match kind {
                Some(kind) => *kind == EventKind::Call,
                None => watch.calls,
            });
            let output = breakers.iter().any(|kind| match kind {
                Some(kind) => *kind == EventKind::Output,
                None => watch.outputs,
            });
            let success = breakers
                .iter()
                .any(|kind| matches!(kind, Some(EventKind::Return(None | Some(Status::Success)))));
            let mut environment: Vec<&str> = Vec::new();
            for kind in &breakers {
                let all: &[&str] = match kind {
                    Some(EventKind::Return(_)) => &["a return"],
                    Some(EventKind::Input) => &["a message to the agent"],
                    Some(EventKind::Declared(_)) => &["an event"],
                    Some(EventKind::Call | EventKind::Output) => &[],
                    None => &["a return", "a message to the agent", "an event"],
                };
                for name in all {
                    let watched = match *name {
                        "a return" => watch.returns,
                        "a message to the agent" => watch.inputs,
                        _ => !watch.events.is_empty(),
                    };
                    if watched && !environment.contains(name) {
                        environment.push(name);
                    }
                }
            }
            let mut agent = |what: &str| {
                let mut out = Phrase::words(what);
                out.add(self.done(contract));
                told.push(out);
            };
            match (call, output) {
                (true, true) => {
                    agent("a call or message by the agent that would break this for good")
                }
                (true, false) => agent("a call that would break this for good"),
                (false, true) => agent("a message by the agent that would break this for good"),
                (false, false) => {}
            }
            if success {
                agent("a call whose success would break this for good, whatever its result,");
            }
            if !environment.is_empty() {
                let names = environment.iter().map(|name| Phrase::words(name)).collect();
                let mut out = Phrase::list(names, "or");
                out.say("that breaks this is recorded and reported, and the contract has failed");
                told.push(out);
            }
            if machine.has_pending() {
                told.push(Phrase::words(
                    "what is still owed when the session ends is a violation then",
                ));
            }
        }
        if of_side(Side::Guarantee).any(|clause| !clause.deadlines.is_empty()) {
            told.push(Phrase::words(
                "from the event that a deadline begins with until what it asks for, it is pending",
            ));
            told.push(Phrase::words(
                "a deadline that has passed, or is open when the session ends, is reported, and the contract has failed; nothing is refused for it",
            ));
        }
        told
    }

    /// What is judged where something is missing.
    fn undefined(&self, contract: &Contract) -> Option<Phrase> {
        let mut read: Vec<Phrase> = Vec::new();
        let mut kinds: Vec<EventKind> = Vec::new();
        for id in &contract.patterns {
            let Some(pattern) = self.library.patterns.get(id.0 as usize) else {
                continue;
            };
            let view = View::of(pattern.kind);
            let before = read.len();
            let mut own = Vec::new();
            for id in pattern.keys.iter().chain(&pattern.condition) {
                self.reads(*id, view, &mut own);
            }
            if !own.is_empty() && !kinds.contains(&pattern.kind) {
                kinds.push(pattern.kind);
            }
            read.extend(own);
            let mut at = before;
            while at < read.len() {
                let again = read.iter().take(at).any(|old| Some(old) == read.get(at));
                if again {
                    read.remove(at);
                } else {
                    at += 1;
                }
            }
        }
        let before = read.len();
        for clause in &contract.clauses {
            self.condition_reads(&clause.formula, &mut read);
        }
        if read.is_empty() {
            return None;
        }
        let any = read.len() > before;
        let watch = &contract.watch;
        let mut agent = Vec::new();
        if kinds.contains(&EventKind::Call) || (any && watch.calls) {
            agent.push("a call");
        }
        if kinds.contains(&EventKind::Output) || (any && watch.outputs) {
            agent.push("a message by the agent");
        }
        let environment = kinds
            .iter()
            .any(|kind| !matches!(kind, EventKind::Call | EventKind::Output))
            || (any && (watch.returns || watch.inputs || !watch.events.is_empty()));
        let mut out = Phrase::words("if");
        out.add(Phrase::list(read, "or"));
        out.say("is missing or unreadable, and the outcome hangs on it,");
        if !agent.is_empty() {
            out.say(&agent.join(" or "))
                .say(match contract.action.kind {
                    ActionKind::Warn => "is let through with the warning",
                    ActionKind::Escalate => "is held for the host",
                    ActionKind::Block | ActionKind::Redirect { .. } | ActionKind::Repair => {
                        "is refused"
                    }
                });
        }
        if environment {
            if !agent.is_empty() {
                out.say(", and");
            }
            let assumes = contract.clauses.iter().any(|c| c.side == Side::Assume);
            out.say(if assumes {
                "an event of the environment is withheld where it is owed by the environment, and else fails the contract as undetermined"
            } else {
                "an event of the environment fails the contract as undetermined"
            });
        }
        Some(out)
    }

    fn condition_reads(&self, formula: &Formula, into: &mut Vec<Phrase>) {
        if let Formula::Atom(atom) = formula
            && self.pattern_of(*atom).is_none()
            && let Some(entry) = self.library.atoms.get(atom.0 as usize)
        {
            self.reads(entry.expr, View::default(), into);
        }
        for part in formula.parts() {
            self.condition_reads(part, into);
        }
    }

    /// What a condition reads that can be undefined.
    fn reads(&self, id: ExprId, view: View, into: &mut Vec<Phrase>) {
        let mut note = |phrase: Phrase| {
            if !into.contains(&phrase) {
                into.push(phrase);
            }
        };
        match self.expr(id) {
            Expr::Const(_) | Expr::Has(_) | Expr::Pattern(_) | Expr::Fresh { .. } => {}
            Expr::Root(Root::Key(_) | Root::Var(_) | Root::Args | Root::Result | Root::Text) => {}
            Expr::Root(_) => note(self.value(id, view)),
            Expr::Path { base, .. } => match self.expr(*base) {
                Expr::Root(Root::Var(_) | Root::Key(_)) => {}
                Expr::Root(_) => note(self.value(id, view)),
                _ => self.reads(*base, view, into),
            },
            Expr::Lookup(_, args) => {
                note(self.value(id, view));
                for arg in args {
                    self.reads(*arg, view, into);
                }
            }
            Expr::Read { register, .. } => {
                let kind = self
                    .library
                    .registers
                    .get(register.0 as usize)
                    .map(|r| r.kind);
                if matches!(
                    kind,
                    Some(
                        RegisterKind::Latest
                            | RegisterKind::First
                            | RegisterKind::Min
                            | RegisterKind::Max
                            | RegisterKind::Sum
                            | RegisterKind::Elapsed
                    )
                ) {
                    note(self.value(id, view));
                }
            }
            Expr::Mentioned { value, .. } => self.reads(*value, view, into),
            // The left side is never missed; the right one can be.
            Expr::Coalesce(_, b) => self.reads(*b, view, into),
            Expr::Every(list, body) | Expr::Some(list, body) => {
                self.reads(*list, view, into);
                self.reads(*body, view, into);
            }
            Expr::Not(a) | Expr::Neg(a) | Expr::Matches(a, _) => self.reads(*a, view, into),
            Expr::Compare(_, a, b)
            | Expr::In(a, b)
            | Expr::Like(a, b)
            | Expr::Contains(a, b)
            | Expr::StartsWith(a, b)
            | Expr::EndsWith(a, b)
            | Expr::Inside(a, b)
            | Expr::Iff(a, b)
            | Expr::Add(a, b)
            | Expr::Sub(a, b)
            | Expr::Mul(a, b) => {
                self.reads(*a, view, into);
                self.reads(*b, view, into);
            }
            Expr::And(parts) | Expr::Or(parts) | Expr::List(parts) | Expr::Call(_, parts) => {
                for part in parts {
                    self.reads(*part, view, into);
                }
            }
        }
    }

    /// What the patterns and conditions of a contract are about, those in aggregates included.
    fn about(&self, contract: &Contract) -> About {
        let mut about = About::default();
        for id in &contract.patterns {
            self.about_pattern(*id, &mut about);
        }
        let mut atoms = Vec::new();
        for clause in &contract.clauses {
            crate::logic::atoms(&clause.formula, &mut atoms);
        }
        for atom in atoms {
            if let Some(entry) = self.library.atoms.get(atom.0 as usize) {
                self.about_expr(entry.expr, &mut about);
            }
        }
        about
    }

    fn about_pattern(&self, id: PatternId, about: &mut About) {
        let Some(pattern) = self.library.patterns.get(id.0 as usize) else {
            return;
        };
        if let Tools::OneOf(ids) = &pattern.tools {
            let tools = ids
                .iter()
                .filter_map(|id| self.library.tools.get(id.0 as usize));
            about.tools.extend(tools.map(written_tool));
        }
        for id in pattern.keys.iter().chain(&pattern.condition) {
            self.about_expr(*id, about);
        }
    }

    fn about_expr(&self, id: ExprId, about: &mut About) {
        if !about.seen.insert(id) {
            return;
        }
        let expr = self.expr(id);
        match expr {
            Expr::Pattern(id) => self.about_pattern(*id, about),
            Expr::Root(Root::Time) => about.timed = true,
            Expr::Fresh { register, .. } => {
                about.timed = true;
                self.about_register(register.0, about);
            }
            Expr::Read { register, .. } | Expr::Mentioned { register, .. } => {
                self.about_register(register.0, about);
            }
            _ => {}
        }
        for child in expr.children() {
            self.about_expr(child, about);
        }
    }

    fn about_register(&self, id: u32, about: &mut About) {
        if let Some(register) = self.library.registers.get(id as usize) {
            about.timed |= register.window.is_some() || register.kind == RegisterKind::Elapsed;
            self.about_expr(register.member, about);
            if let Some(value) = register.value {
                self.about_expr(value, about);
            }
        }
    }
}

/// What a contract is about.
#[derive(Debug, Default)]
struct About {
    tools: BTreeSet<String>,
    timed: bool,
    /// The expressions that have been looked at.
    seen: BTreeSet<ExprId>,
}
