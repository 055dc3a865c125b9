//! Values and conditions in English.
//!
//! What is said of a value ends by itself (`the length of ...`), or stands in parentheses where it is a part of
//! something; a condition inside another one stands in parentheses unless it is one comparison. So no sentence
//! can be taken in two ways, whatever its parts are.

use ctr_front::ir::{
    CompareOp, Const, EventKind, Expr, ExprId, Function, Library, PatternId, RegisterId,
    RegisterKind, Root, Step, Tools,
};

use ctr_grammar::written;

use crate::text::Phrase;

/// Says things about one contract of a library.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Speaker<'l> {
    pub(crate) library: &'l Library,
    /// The names of the contract's keys.
    pub(crate) keys: &'l [String],
}

/// What names without a root mean where something is said.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct View {
    /// The kind of the event whose fields they are.
    pub(crate) kind: Option<EventKind>,
    /// How many elements of lists have been named.
    pub(crate) elements: u32,
}

impl View {
    pub(crate) fn of(kind: EventKind) -> Self {
        Self {
            kind: Some(kind),
            elements: 0,
        }
    }

    fn deeper(self) -> Self {
        Self {
            elements: self.elements + 1,
            ..self
        }
    }
}

/// What a field's name alone would be taken for something else than.
const TAKEN: [&str; 9] = [
    "args", "result", "text", "fields", "event", "ctx", "true", "false", "null",
];

/// A duration in the largest unit that divides it.
#[must_use]
pub fn duration(nanos: i64) -> String {
    const UNITS: [(i64, &str); 6] = [
        (86_400_000_000_000, "day"),
        (3_600_000_000_000, "hour"),
        (60_000_000_000, "minute"),
        (1_000_000_000, "second"),
        (1_000_000, "millisecond"),
        (1, "nanosecond"),
    ];
    let unit = UNITS
        .iter()
        .find(|(size, _)| nanos != 0 && nanos % size == 0)
        .unwrap_or(&(1_000_000_000, "second"));
    let count = nanos / unit.0;
    let plural = if count.abs() == 1 { "" } else { "s" };
    format!("{count} {}{plural}", unit.1)
}

fn constant(value: &Const) -> Phrase {
    match value {
        Const::Null => Phrase::code("null"),
        Const::Bool(value) => Phrase::code(value.to_string()),
        Const::Number(text) => Phrase::code(text.clone()),
        Const::Str(text) => Phrase::code(written::string(text)),
        Const::Duration(nanos) => Phrase::words(&duration(*nanos)),
        Const::Timestamp(nanos) => Phrase::code(ctr_runtime::time::format_rfc3339(*nanos)),
    }
}

impl Speaker<'_> {
    pub(crate) fn expr(&self, id: ExprId) -> &Expr {
        const NULL: Expr = Expr::Const(Const::Null);
        self.library.exprs.get(id.0 as usize).unwrap_or(&NULL)
    }

    /// A value.
    pub(crate) fn value(&self, id: ExprId, view: View) -> Phrase {
        let one = |text: &str, id: &ExprId| {
            let mut out = Phrase::words(text);
            out.add(self.part(*id, view));
            out
        };
        let two = |a: &ExprId, word: &str, b: &ExprId| {
            let mut out = self.part(*a, view);
            out.say(word).add(self.part(*b, view));
            out
        };
        match self.expr(id) {
            Expr::Const(value) => constant(value),
            Expr::List(items) if items.is_empty() => Phrase::words("the empty list"),
            Expr::List(items) => {
                let items: Vec<Phrase> = items.iter().map(|item| self.part(*item, view)).collect();
                let mut out = Phrase::words("the list of");
                out.add(Phrase::list(items, "and").between("(", ")"));
                out
            }
            Expr::Root(root) => self.root(*root, view),
            Expr::Path { base, steps, .. } => self.path(*base, steps, view),
            Expr::Coalesce(a, b) => {
                let mut out = self.part(*a, view);
                out.say("(or, where that is undefined,")
                    .add(self.part(*b, view))
                    .say(")");
                out
            }
            Expr::Add(a, b) => two(a, "plus", b),
            Expr::Sub(a, b) => two(a, "minus", b),
            Expr::Mul(a, b) => two(a, "times", b),
            Expr::Neg(a) => one("minus", a),
            Expr::Call(function, args) => {
                let text = match function {
                    Function::Len => "the length of",
                    Function::Text => "the text of",
                    Function::Lower => "the lower-case form of",
                    Function::Upper => "the upper-case form of",
                    Function::Trim => "the trimmed text of",
                    Function::Number => "the number written in",
                    Function::Host => "the host of",
                    Function::Abs => "the absolute value of",
                    Function::Keys => "the field names of",
                    Function::Timestamp => "the time written in",
                    Function::Duration => "the duration written in",
                };
                let mut out = Phrase::words(text);
                let args = args.iter().map(|arg| self.part(*arg, view)).collect();
                out.add(Phrase::list(args, "and"));
                out
            }
            Expr::Lookup(lookup, args) => {
                let name = self
                    .library
                    .lookups
                    .get(lookup.0 as usize)
                    .map_or("?", |lookup| lookup.name.as_str());
                let mut out = Phrase::words("what the host answers for");
                out.add(Phrase::code(name));
                if !args.is_empty() {
                    let args = args.iter().map(|arg| self.part(*arg, view)).collect();
                    out.say("of").add(Phrase::list(args, "with"));
                }
                out
            }
            Expr::Read { register, earlier } => self.aggregate(*register, *earlier, view),
            Expr::Not(_)
            | Expr::And(_)
            | Expr::Or(_)
            | Expr::Iff(..)
            | Expr::Compare(..)
            | Expr::In(..)
            | Expr::Matches(..)
            | Expr::Like(..)
            | Expr::Contains(..)
            | Expr::StartsWith(..)
            | Expr::EndsWith(..)
            | Expr::Inside(..)
            | Expr::Has(_)
            | Expr::Every(..)
            | Expr::Some(..)
            | Expr::Mentioned { .. }
            | Expr::Fresh { .. }
            | Expr::Pattern(_) => {
                let mut out = Phrase::words("whether");
                out.add(self.condition(id, view));
                out
            }
        }
    }

    /// A value as a part of something.
    pub(crate) fn value_part(&self, id: ExprId, view: View) -> Phrase {
        self.part(id, view)
    }

    fn part(&self, id: ExprId, view: View) -> Phrase {
        let ends_by_itself = matches!(
            self.expr(id),
            Expr::Const(_) | Expr::List(_) | Expr::Root(_) | Expr::Path { .. } | Expr::Read { .. }
        ) || matches!(self.expr(id), Expr::Call(_, args) if args.len() == 1);
        let phrase = self.value(id, view);
        if ends_by_itself {
            phrase
        } else {
            phrase.between("(", ")")
        }
    }

    fn root(&self, root: Root, view: View) -> Phrase {
        Phrase::code(match root {
            Root::Args => "args",
            Root::Result => "result",
            Root::Text => "text",
            Root::Fields => "fields",
            Root::Agent => "event.agent",
            Root::Server => "event.server",
            Root::Time => "event.time",
            Root::Turn => "event.turn",
            Root::Depth => "event.depth",
            Root::Tokens => "event.tokens",
            Root::Context => "ctx",
            Root::Key(at) => {
                let mut out = Phrase::words("this");
                let name = self.keys.get(at as usize).map_or("key", String::as_str);
                out.add(Phrase::name(name));
                return out;
            }
            Root::Var(between) => {
                let depth = view.elements.saturating_sub(between + 1);
                return Phrase::name(element(depth));
            }
        })
    }

    /// A part of a value, as the language writes it where the value is one of an event.
    fn path(&self, base: ExprId, steps: &[Step], view: View) -> Phrase {
        let root = match self.expr(base) {
            Expr::Root(Root::Args) => Some(("args", matches!(view.kind, Some(EventKind::Call)))),
            Expr::Root(Root::Result) => {
                Some(("result", matches!(view.kind, Some(EventKind::Return(_)))))
            }
            Expr::Root(Root::Fields) => {
                Some(("fields", matches!(view.kind, Some(EventKind::Declared(_)))))
            }
            Expr::Root(Root::Context) => Some(("ctx", false)),
            _ => None,
        };
        let bare = match steps.first() {
            Some(Step::Field(name)) => {
                written::is_identifier(name) && !TAKEN.contains(&name.as_str())
            }
            _ => false,
        };
        let mut text = match root {
            Some((_, true)) if bare => String::new(),
            Some((root, _)) => root.to_owned(),
            None => String::new(),
        };
        for step in steps {
            match step {
                Step::Field(name) if written::is_identifier(name) => {
                    if !text.is_empty() {
                        text.push('.');
                    }
                    text.push_str(name);
                }
                Step::Field(name) => text.push_str(&format!("[{}]", written::string(name))),
                Step::Index(at) => text.push_str(&format!("[{at}]")),
                Step::All => text.push_str("[*]"),
            }
        }
        let mut out = Phrase::code(text);
        if root.is_none() {
            out.say("of").add(self.part(base, view));
        }
        out
    }

    /// The value of an aggregate.
    fn aggregate(&self, register: RegisterId, earlier: bool, view: View) -> Phrase {
        let Some(entry) = self.library.registers.get(register.0 as usize) else {
            return Phrase::default();
        };
        // Names in an aggregate mean the remembered event.
        let inner = View {
            kind: self.kind_of(entry.member),
            elements: view.elements,
        };
        let taken = |text: &str, of: &str| {
            let mut out = Phrase::words(text);
            if let Some(value) = entry.value {
                out.add(match self.expr(value) {
                    Expr::Path { .. } | Expr::Root(_) | Expr::Const(_) => self.value(value, inner),
                    _ => self.value(value, inner).between("(", ")"),
                });
            }
            out.say(of);
            out
        };
        let mut out = match entry.kind {
            RegisterKind::Count => Phrase::words("the number of"),
            RegisterKind::Streak => Phrase::words("the length of the current run of"),
            RegisterKind::Sum => taken("the sum of", "over"),
            RegisterKind::Min => taken("the least", "over"),
            RegisterKind::Max => taken("the greatest", "over"),
            RegisterKind::Latest => taken("the latest", "from"),
            RegisterKind::First => taken("the first", "from"),
            RegisterKind::Values => taken("the set of all", "from"),
            RegisterKind::Elapsed => Phrase::words("the time since the latest of"),
            RegisterKind::Texts => Phrase::words("the texts of"),
        };
        out.add(self.members(entry.member));
        out.add(scope(entry.window, earlier));
        out
    }

    /// The kind of the first pattern of an aggregate's events.
    fn kind_of(&self, member: ExprId) -> Option<EventKind> {
        match self.expr(member) {
            Expr::Pattern(id) => self.library.patterns.get(id.0 as usize).map(|p| p.kind),
            Expr::Not(part) => self.kind_of(*part),
            Expr::And(parts) | Expr::Or(parts) => parts.iter().find_map(|part| self.kind_of(*part)),
            Expr::Iff(a, b) => self.kind_of(*a).or_else(|| self.kind_of(*b)),
            _ => None,
        }
    }

    /// The events of an aggregate or deadline, in the plural.
    pub(crate) fn members(&self, member: ExprId) -> Phrase {
        match self.expr(member) {
            Expr::Pattern(id) => self.event(*id, Form::Plural),
            Expr::Or(parts)
                if parts
                    .iter()
                    .all(|part| matches!(self.expr(*part), Expr::Pattern(_))) =>
            {
                let parts: Vec<Phrase> = parts.iter().map(|part| self.members(*part)).collect();
                Phrase::list(parts, "and").between("(", ")")
            }
            _ => {
                let mut out = Phrase::words("events that are");
                out.add(self.fits(member).between("(", ")"));
                out
            }
        }
    }

    /// That an event fits a Boolean combination of patterns: what it is.
    pub(crate) fn fits(&self, member: ExprId) -> Phrase {
        let part = |id: &ExprId| {
            let phrase = self.fits(*id);
            match self.expr(*id) {
                Expr::Pattern(_) | Expr::Not(_) | Expr::Const(_) => phrase,
                _ => phrase.between("(", ")"),
            }
        };
        match self.expr(member) {
            Expr::Pattern(id) => self.event(*id, Form::One),
            Expr::Not(inner) => {
                let mut out = Phrase::words("not");
                out.add(part(inner));
                out
            }
            Expr::And(parts) => joined(parts.iter().map(part).collect(), "and"),
            Expr::Or(parts) => joined(parts.iter().map(part).collect(), "or"),
            Expr::Iff(a, b) => joined(vec![part(a), part(b)], "exactly if"),
            Expr::Const(Const::Bool(true)) => Phrase::words("anything"),
            Expr::Const(_) => Phrase::words("nothing"),
            _ => self.condition(member, View::default()).between("(", ")"),
        }
    }

    /// A condition as a part of another one.
    fn operand(&self, id: ExprId, view: View) -> Phrase {
        let phrase = self.condition(id, view);
        if self.is_one_comparison(id) {
            phrase
        } else {
            phrase.between("(", ")")
        }
    }

    /// Whether a condition is said as one comparison.
    pub(crate) fn is_one_comparison(&self, id: ExprId) -> bool {
        match self.expr(id) {
            Expr::And(_) | Expr::Or(_) | Expr::Iff(..) | Expr::Every(..) | Expr::Some(..) => false,
            Expr::Not(inner) => {
                self.is_one_comparison(*inner) && !matches!(self.expr(*inner), Expr::Not(_))
            }
            _ => true,
        }
    }

    /// A condition.
    pub(crate) fn condition(&self, id: ExprId, view: View) -> Phrase {
        match self.expr(id) {
            Expr::Not(inner)
                if self.is_one_comparison(*inner) && !matches!(self.expr(*inner), Expr::Not(_)) =>
            {
                self.comparison(*inner, true, view)
            }
            Expr::Not(inner) => {
                let mut out = Phrase::words("it is not so that");
                out.add(self.condition(*inner, view).between("(", ")"));
                out
            }
            Expr::And(parts) => joined(
                parts.iter().map(|p| self.operand(*p, view)).collect(),
                "and",
            ),
            Expr::Or(parts) => joined(parts.iter().map(|p| self.operand(*p, view)).collect(), "or"),
            Expr::Iff(a, b) => joined(
                vec![self.operand(*a, view), self.operand(*b, view)],
                "exactly if",
            ),
            Expr::Every(list, body) => self.quantified("for every", *list, *body, view),
            Expr::Some(list, body) => self.quantified("for some", *list, *body, view),
            _ => self.comparison(id, false, view),
        }
    }

    fn quantified(&self, word: &str, list: ExprId, body: ExprId, view: View) -> Phrase {
        let mut out = Phrase::words(word);
        out.add(Phrase::name(element(view.elements)));
        out.say("of").add(self.part(list, view)).say(",");
        out.add(self.condition(body, view.deeper()));
        out
    }

    /// One comparison, or its contrary.
    fn comparison(&self, id: ExprId, not: bool, view: View) -> Phrase {
        let two = |a: &ExprId, yes: &str, no: &str, b: Phrase| {
            let mut out = self.part(*a, view);
            out.say(if not { no } else { yes }).add(b);
            out
        };
        let part = |id: &ExprId| self.part(*id, view);
        match self.expr(id) {
            Expr::Compare(op, a, b) => {
                let (yes, no) = match op {
                    CompareOp::Eq => ("is", "is not"),
                    CompareOp::Ne => ("is not", "is"),
                    CompareOp::Lt => ("is less than", "is not less than"),
                    CompareOp::Le => ("is at most", "is not at most"),
                    CompareOp::Gt => ("is more than", "is not more than"),
                    CompareOp::Ge => ("is at least", "is not at least"),
                };
                two(a, yes, no, part(b))
            }
            Expr::In(a, list) => match self.expr(*list) {
                Expr::List(items) if !items.is_empty() => {
                    let items: Vec<Phrase> = items.iter().map(part).collect();
                    let (yes, no) = match items.len() {
                        1 => ("is the one of", "is not the one of"),
                        _ => ("is one of", "is none of"),
                    };
                    two(a, yes, no, Phrase::list(items, ",").between("(", ")"))
                }
                _ => two(a, "is in", "is not in", part(list)),
            },
            Expr::Matches(a, regex) => {
                let regex = self
                    .library
                    .regexes
                    .get(regex.0 as usize)
                    .map_or("", |regex| regex.pattern.as_str());
                let text = Phrase::code(written_regex(regex));
                two(a, "matches", "does not match", text)
            }
            Expr::Like(a, b) => two(a, "fits", "does not fit", part(b)),
            Expr::Contains(a, b) => two(a, "contains", "does not contain", part(b)),
            Expr::StartsWith(a, b) => two(a, "starts with", "does not start with", part(b)),
            Expr::EndsWith(a, b) => two(a, "ends with", "does not end with", part(b)),
            Expr::Inside(a, b) => two(a, "lies inside", "does not lie inside", part(b)),
            Expr::Has(a) => two(a, "is present", "is missing", Phrase::default()),
            Expr::Mentioned {
                register,
                value,
                earlier,
            } => {
                let Some(entry) = self.library.registers.get(register.0 as usize) else {
                    return Phrase::default();
                };
                let mut events = self.members(entry.member);
                events.add(scope(entry.window, *earlier));
                two(value, "is mentioned in", "is not mentioned in", events)
            }
            Expr::Fresh { register, within } => {
                let Some(entry) = self.library.registers.get(register.0 as usize) else {
                    return Phrase::default();
                };
                let mut out = Phrase::words(if not {
                    "it is not so that the latest of"
                } else {
                    "the latest of"
                });
                out.add(self.members(entry.member))
                    .say("before this event is at most")
                    .say(&duration(*within))
                    .say("old (and there is one)");
                out
            }
            Expr::Pattern(id) => {
                let mut out = Phrase::words(if not {
                    "the event is not"
                } else {
                    "the event is"
                });
                out.add(self.event(*id, Form::One));
                out
            }
            // A Boolean value that stands alone.
            Expr::Const(Const::Bool(value)) => Phrase::words(if *value == not {
                "the impossible holds"
            } else {
                "no matter what"
            }),
            Expr::Const(_)
            | Expr::List(_)
            | Expr::Root(_)
            | Expr::Path { .. }
            | Expr::Coalesce(..)
            | Expr::Add(..)
            | Expr::Sub(..)
            | Expr::Mul(..)
            | Expr::Neg(_)
            | Expr::Call(..)
            | Expr::Lookup(..)
            | Expr::Read { .. } => {
                let mut out = self.part(id, view);
                out.say(if not { "is false" } else { "is true" });
                out
            }
            Expr::Not(_)
            | Expr::And(_)
            | Expr::Or(_)
            | Expr::Iff(..)
            | Expr::Every(..)
            | Expr::Some(..) => {
                let mut out = Phrase::words(if not { "it is not so that" } else { "" });
                out.add(self.condition(id, view).between("(", ")"));
                out
            }
        }
    }
}

/// How an event is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `a call of ...`
    One,
    /// `call of ...`, after `no`.
    Bare,
    /// `calls of ...`
    Plural,
}

/// Phrases joined by a word that is said between any two.
fn joined(parts: Vec<Phrase>, word: &str) -> Phrase {
    let mut out = Phrase::default();
    for (at, part) in parts.into_iter().enumerate() {
        if at > 0 {
            out.say(word);
        }
        out.add(part);
    }
    out
}

/// The name of an element of a list, by how many lists are around it.
fn element(depth: u32) -> String {
    match depth {
        0 => "element".to_owned(),
        depth => format!("element{}", depth + 1),
    }
}

/// Which events an aggregate is over, in time.
fn scope(window: Option<i64>, earlier: bool) -> Phrase {
    let mut out = Phrase::default();
    if let Some(window) = window {
        out.say("in the last").say(&duration(window));
    }
    out.say(if earlier {
        "before this event"
    } else {
        "up to now"
    });
    out
}

/// A regular expression as the language writes it: flags behind it.
fn written_regex(pattern: &str) -> String {
    let (flags, body) = pattern
        .strip_prefix("(?")
        .and_then(|rest| rest.split_once(')'))
        .filter(|(flags, _)| !flags.is_empty() && flags.chars().all(|c| c.is_ascii_lowercase()))
        .unwrap_or(("", pattern));
    format!(
        "/{}/{flags}",
        body.replace('/', "\\/").replace("\\\\/", "\\/")
    )
}

impl Speaker<'_> {
    /// An event that fits a pattern.
    pub(crate) fn event(&self, id: PatternId, form: Form) -> Phrase {
        let Some(pattern) = self.library.patterns.get(id.0 as usize) else {
            return Phrase::default();
        };
        let conditions = self.conjuncts(pattern.condition);
        self.event_with(id, form, &conditions)
    }

    /// The conditions that a pattern's condition is made of.
    pub(crate) fn conjuncts(&self, condition: Option<ExprId>) -> Vec<ExprId> {
        match condition.map(|id| (id, self.expr(id))) {
            None => Vec::new(),
            Some((_, Expr::And(parts))) => parts.clone(),
            Some((id, _)) => vec![id],
        }
    }

    /// The same with only some of its conditions.
    pub(crate) fn event_with(&self, id: PatternId, form: Form, conditions: &[ExprId]) -> Phrase {
        use ctr_front::ir::Status;
        let Some(pattern) = self.library.patterns.get(id.0 as usize) else {
            return Phrase::default();
        };
        let (article, noun, plural, of) = match pattern.kind {
            EventKind::Call => ("a", "call", "calls", true),
            EventKind::Return(None) => ("a", "return", "returns", true),
            EventKind::Return(Some(Status::Success)) => {
                ("a", "successful return", "successful returns", true)
            }
            EventKind::Return(Some(Status::Failure)) => {
                ("a", "failed return", "failed returns", true)
            }
            EventKind::Return(Some(Status::Unknown)) => {
                ("an", "unknown outcome", "unknown outcomes", true)
            }
            EventKind::Input => ("a", "message to the agent", "messages to the agent", false),
            EventKind::Output => ("a", "message by the agent", "messages by the agent", false),
            EventKind::Declared(_) => ("an", "event", "events", false),
        };
        let mut out = Phrase::default();
        match form {
            Form::One => out.say(article).say(noun),
            Form::Bare => out.say(noun),
            Form::Plural => out.say(plural),
        };
        if of {
            out.say("of").add(self.tools(&pattern.tools, form));
        }
        if let EventKind::Declared(event) = pattern.kind {
            let name = self.library.events.get(event.0 as usize);
            out.add(Phrase::code(name.map_or("?", |event| event.name.as_str())));
        }
        let view = View::of(pattern.kind);
        let keys: Vec<Phrase> = (0..)
            .zip(&pattern.keys)
            .map(|(at, key)| {
                let mut out = self.root(Root::Key(at), view);
                out.add(self.value(*key, view).between("(", ")"));
                out
            })
            .collect();
        if !keys.is_empty() {
            out.say("for").add(joined(keys, "and"));
        }
        if !conditions.is_empty() {
            let parts: Vec<Phrase> = match conditions {
                [one] => vec![self.condition(*one, view)],
                many => many.iter().map(|c| self.operand(*c, view)).collect(),
            };
            let mut condition = Phrase::words("where");
            condition.add(joined(parts, "and"));
            out.add(condition.between("(", ")"));
        }
        out
    }

    /// The name of a tool.
    pub(crate) fn tool(&self, id: ctr_front::ir::ToolId) -> String {
        match self.library.tools.get(id.0 as usize) {
            Some(tool) => written_tool(tool),
            None => "?".to_owned(),
        }
    }

    fn tools(&self, tools: &Tools, form: Form) -> Phrase {
        let names = |ids: &[ctr_front::ir::ToolId], last: &str| {
            Phrase::list(
                ids.iter().map(|id| Phrase::code(self.tool(*id))).collect(),
                last,
            )
        };
        match tools {
            Tools::Any => Phrase::words("any tool"),
            Tools::Except(ids) => {
                let mut out = Phrase::words("any tool except");
                match self.group_of(ids) {
                    Some(group) => out.say("those of").add(Phrase::code(group)),
                    None => out.add(names(ids, "and")),
                };
                out
            }
            Tools::OneOf(ids) => match self.group_of(ids) {
                Some(group) => {
                    let mut out = Phrase::words(if form == Form::Plural {
                        "tools of"
                    } else {
                        "a tool of"
                    });
                    out.add(Phrase::code(group));
                    out
                }
                None => names(ids, "or"),
            },
        }
    }

    /// The group that lists exactly these tools, where there are several.
    fn group_of(&self, ids: &[ctr_front::ir::ToolId]) -> Option<String> {
        if ids.len() < 2 {
            return None;
        }
        let mut wanted: Vec<String> = ids.iter().map(|id| self.tool(*id)).collect();
        wanted.sort();
        wanted.dedup();
        let groups = &self.library.groups;
        groups
            .iter()
            .find(|group| {
                // A name that two files give to different groups says nothing.
                group_tools(group) == wanted
                    && groups
                        .iter()
                        .all(|other| other.name != group.name || group_tools(other) == wanted)
            })
            .map(|group| group.name.clone())
    }
}

/// A tool as the language writes it.
pub(crate) fn written_tool(tool: &ctr_front::ir::Tool) -> String {
    match &tool.server {
        Some(server) => format!("{server}.{}", tool.name),
        None => tool.name.clone(),
    }
}

/// The tools of a group by name, each once.
pub(crate) fn group_tools(group: &ctr_front::ir::Group) -> Vec<String> {
    let mut names: Vec<String> = group.tools.iter().map(written_tool).collect();
    names.sort();
    names.dedup();
    names
}
