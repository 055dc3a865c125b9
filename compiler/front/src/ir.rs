//! The core IR: what a library means, with nothing left of how it was written.
//!
//! Templates and readable forms are expanded, names are resolved, types have been checked. All
//! tables are shared by the whole library and hold each equal entry once, so that a pattern, a
//! condition or a register that several contracts use is evaluated once an event. Ids are indices
//! into the tables; an expression's children stand before it in the table.

use ctr_grammar::Span;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
    };
}

id!(/// Index into [`Library::sources`].
    SourceId);
id!(/// Index into [`Library::tools`].
    ToolId);
id!(/// Index into [`Library::events`].
    EventId);
id!(/// Index into [`Library::lookups`].
    LookupId);
id!(/// Index into [`Library::regexes`].
    RegexId);
id!(/// Index into [`Library::exprs`].
    ExprId);
id!(/// Index into [`Library::patterns`].
    PatternId);
id!(/// Index into [`Library::registers`].
    RegisterId);
id!(/// Index into [`Library::atoms`].
    AtomId);

/// A place in a source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The file.
    pub source: SourceId,
    /// The bytes.
    pub span: Span,
}

/// A compiled library, before its formulas become automata.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Library {
    /// The files it came from, in load order, the root first.
    pub sources: Vec<Source>,
    /// Every tool that a pattern, group or redirect names.
    pub tools: Vec<Tool>,
    /// Every tool that a file of the library declares or imports, in order of the files.
    pub declared: Vec<DeclaredTool>,
    /// The groups of tools that the files declare, in order of the files.
    pub groups: Vec<Group>,
    /// Declared events.
    pub events: Vec<EventDecl>,
    /// Declared lookups.
    pub lookups: Vec<Lookup>,
    /// Regular expressions.
    pub regexes: Vec<Regex>,
    /// Expressions; children before parents.
    pub exprs: Vec<Expr>,
    /// Event patterns.
    pub patterns: Vec<Pattern>,
    /// What aggregates remember.
    pub registers: Vec<Register>,
    /// The atoms of formulas.
    pub atoms: Vec<Atom>,
    /// The contracts that are loaded, in order of the text.
    pub contracts: Vec<Contract>,
    /// The test blocks of the root files.
    pub tests: Vec<Test>,
}

/// A source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The path as the user gave it, or as written in the import, with `/`.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// A tool that the library speaks of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tool {
    /// Its server; `None` where the policy does not say.
    pub server: Option<String>,
    /// Its name on that server.
    pub name: String,
}

/// A group of tools, for people: patterns list the tools themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// Its tools, as it lists or selects them.
    pub tools: Vec<Tool>,
}

/// A tool with its arguments as declared.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredTool {
    /// Its server, where declared.
    pub server: Option<String>,
    /// Its name on that server.
    pub name: String,
    /// The type of its arguments.
    pub args: crate::types::Type,
}

/// A declared event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventDecl {
    /// Its name.
    pub name: String,
}

/// A declared lookup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// Its name.
    pub name: String,
    /// How many arguments it takes.
    pub arity: u32,
}

/// A regular expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Regex {
    /// In the syntax of the `regex` crate, flags folded in as `(?i)`.
    pub pattern: String,
}

/// An exact constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Const {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number as JSON text.
    Number(String),
    /// A string.
    Str(String),
    /// Nanoseconds.
    Duration(i64),
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    Timestamp(i64),
}

/// Where a path starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Root {
    /// The arguments of the call, also in its return.
    Args,
    /// The result of a return.
    Result,
    /// The text of an input or output.
    Text,
    /// The fields of a declared event.
    Fields,
    /// `event.agent`
    Agent,
    /// `event.server`
    Server,
    /// `event.time`
    Time,
    /// `event.turn`
    Turn,
    /// `event.depth`
    Depth,
    /// `event.tokens`
    Tokens,
    /// The session's context.
    Context,
    /// The contract's n-th key.
    Key(u32),
    /// A variable of `every`/`some`, by the number of quantifiers between (0: innermost).
    Var(u32),
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A field of a record.
    Field(String),
    /// An element of a list.
    Index(u32),
    /// Every element of a list.
    All,
}

/// How the declared type of a field lets its value be read (language reference, sections 6, 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Coerce {
    /// As it is.
    #[default]
    None,
    /// Declared numeric: a string that is exactly a JSON number is that number.
    Number,
    /// Declared a timestamp: RFC 3339 text, or seconds as a number.
    Timestamp,
    /// Declared a duration: text like `30s`, or seconds as a number.
    Duration,
}

/// An expression. Boolean ones have three values; see the language reference, section 6.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A constant.
    Const(Const),
    /// A list of values.
    List(Vec<ExprId>),
    /// A root's value.
    Root(Root),
    /// A part of a value. `coerce` is applied to the value reached (to each element after `All`).
    Path {
        /// The value.
        base: ExprId,
        /// The steps.
        steps: Vec<Step>,
        /// How to read what is found.
        coerce: Coerce,
    },
    /// `not`
    Not(ExprId),
    /// Kleene conjunction.
    And(Vec<ExprId>),
    /// Kleene disjunction.
    Or(Vec<ExprId>),
    /// Kleene equivalence.
    Iff(ExprId, ExprId),
    /// A comparison.
    Compare(CompareOp, ExprId, ExprId),
    /// `a in b`: an element of a list, a key of a record, a member of an aggregate's set.
    In(ExprId, ExprId),
    /// `a matches /re/`: search.
    Matches(ExprId, RegexId),
    /// `a like b`: the whole value; `*` is any run.
    Like(ExprId, ExprId),
    /// `a contains b`: a substring, or an element of a list.
    Contains(ExprId, ExprId),
    /// `a starts with b`
    StartsWith(ExprId, ExprId),
    /// `a ends with b`
    EndsWith(ExprId, ExprId),
    /// `path inside dir`
    Inside(ExprId, ExprId),
    /// `has(path)`: never undefined.
    Has(ExprId),
    /// `a ?? b`
    Coalesce(ExprId, ExprId),
    /// `every x in list: body`
    Every(ExprId, ExprId),
    /// `some x in list: body`
    Some(ExprId, ExprId),
    /// `a + b`: numbers, or a timestamp or duration and a duration.
    Add(ExprId, ExprId),
    /// `a - b`
    Sub(ExprId, ExprId),
    /// `a * b`, one of them constant.
    Mul(ExprId, ExprId),
    /// `-a`
    Neg(ExprId),
    /// A function of one or more values.
    Call(Function, Vec<ExprId>),
    /// The host's answer.
    Lookup(LookupId, Vec<ExprId>),
    /// The value of an aggregate, with this event or (`earlier`) without it.
    Read {
        /// The register.
        register: RegisterId,
        /// Leave this event out.
        earlier: bool,
    },
    /// `mentioned(P, value)`
    Mentioned {
        /// A register of kind [`RegisterKind::Texts`].
        register: RegisterId,
        /// The value, of this event.
        value: ExprId,
        /// Leave this event out.
        earlier: bool,
    },
    /// Whether the latest earlier match of a register of kind [`RegisterKind::Elapsed`] is at most so many
    /// nanoseconds old; false where there is none (`P only after Q within d`).
    Fresh {
        /// The register.
        register: RegisterId,
        /// Nanoseconds.
        within: i64,
    },
    /// Whether this event fits a pattern: in registers, deadlines and pattern atoms.
    Pattern(PatternId),
}

/// Comparison operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOp {
    /// `==`: any two values; unlike types are unequal.
    Eq,
    /// `!=`
    Ne,
    /// `<`: numbers, strings (by code point), timestamps, durations.
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

/// Built-in functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// Characters of a string, elements of a list, fields of a record.
    Len,
    /// A string itself; canonical JSON of anything else.
    Text,
    /// Lower case.
    Lower,
    /// Upper case.
    Upper,
    /// Without white space at the ends.
    Trim,
    /// The number that a string is (exactly a JSON number), or a number itself.
    Number,
    /// The host of a URL or of an e-mail address, in lower case.
    Host,
    /// The absolute value.
    Abs,
    /// The names of a record's fields, sorted.
    Keys,
    /// The timestamp of an RFC 3339 text or of seconds.
    Timestamp,
    /// The duration of a text like `30s` or of seconds.
    Duration,
}

/// Which events, by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// A call.
    Call,
    /// A return with the given status, or any.
    Return(Option<Status>),
    /// A message to the agent.
    Input,
    /// A message from the model.
    Output,
    /// A declared event.
    Declared(EventId),
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// It worked.
    Success,
    /// It did not.
    Failure,
    /// Nobody knows.
    Unknown,
}

/// Which tools.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Tools {
    /// Any (and for events without a tool).
    Any,
    /// These, sorted and distinct.
    OneOf(Vec<ToolId>),
    /// All but these, sorted and distinct.
    Except(Vec<ToolId>),
}

/// An event pattern. It is true of an event of its kind and tools whose keys have the instance's
/// values and that meets its condition; false of events of other kinds or tools; otherwise as
/// Kleene's `and` of key comparisons and condition says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    /// The kind.
    pub kind: EventKind,
    /// The tools.
    pub tools: Tools,
    /// One expression a key of the contract, in the contract's order; or none.
    pub keys: Vec<ExprId>,
    /// The other conditions.
    pub condition: Option<ExprId>,
    /// As a reader of messages should see it, for example `success verify_identity(verified)`.
    pub text: String,
}

/// What an aggregate remembers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Register {
    /// What of it.
    pub kind: RegisterKind,
    /// Whether an event belongs to it: a Boolean combination of [`Expr::Pattern`].
    pub member: ExprId,
    /// The value taken from a member, where the kind needs one (read in the member's scope).
    pub value: Option<ExprId>,
    /// Only members at most so many nanoseconds old.
    pub window: Option<i64>,
    /// One value for each combination of so many keys; 0: one for the session.
    pub keys: u32,
}

/// The kinds of register (language reference, section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegisterKind {
    /// How many members.
    Count,
    /// The length of the current run, over the events of the kinds that the member's patterns name
    /// (for a keyed register: those of them that bind its key).
    Streak,
    /// Exact sum of the values.
    Sum,
    /// Least value.
    Min,
    /// Greatest value.
    Max,
    /// Value of the latest member.
    Latest,
    /// Value of the first member.
    First,
    /// The set of all values; lists are spread.
    Values,
    /// Time of the latest member; read as the time since.
    Elapsed,
    /// Texts of members, for `mentioned`.
    Texts,
}

/// An atom of a formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Atom {
    /// [`Expr::Pattern`] for a pattern; any other Boolean expression is a condition that is
    /// evaluated at each step that asks for it.
    pub expr: ExprId,
    /// As a reader should see it.
    pub text: String,
    /// What has to hold for it to be false, where the policy says so itself: the condition of
    /// `P only if condition`.
    pub remedy: Option<String>,
}

/// A formula over atoms: LTLf with past (language reference, section 4).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// Always true.
    True,
    /// Never true.
    False,
    /// An atom.
    Atom(AtomId),
    /// Negation.
    Not(Box<Formula>),
    /// Conjunction.
    And(Vec<Formula>),
    /// Disjunction.
    Or(Vec<Formula>),
    /// Implication.
    Implies(Box<Formula>, Box<Formula>),
    /// Equivalence.
    Iff(Box<Formula>, Box<Formula>),
    /// Strong next.
    Next(Box<Formula>),
    /// Weak next.
    WeakNext(Box<Formula>),
    /// Always from here.
    Always(Box<Formula>),
    /// Eventually from here.
    Eventually(Box<Formula>),
    /// Strong until.
    Until(Box<Formula>, Box<Formula>),
    /// Weak until.
    Unless(Box<Formula>, Box<Formula>),
    /// Release.
    Release(Box<Formula>, Box<Formula>),
    /// Strong previous.
    Previously(Box<Formula>),
    /// Weak previous.
    WeakPreviously(Box<Formula>),
    /// At some step up to here.
    Once(Box<Formula>),
    /// At every step up to here.
    Historically(Box<Formula>),
    /// Strong since.
    Since(Box<Formula>, Box<Formula>),
}

impl Expr {
    /// The expressions that an expression is made of, those of patterns and aggregates left out.
    #[must_use]
    pub fn children(&self) -> Vec<ExprId> {
        match self {
            Self::Const(_)
            | Self::Root(_)
            | Self::Read { .. }
            | Self::Fresh { .. }
            | Self::Pattern(_) => Vec::new(),
            Self::List(items) | Self::And(items) | Self::Or(items) => items.clone(),
            Self::Call(_, items) | Self::Lookup(_, items) => items.clone(),
            Self::Path { base: a, .. }
            | Self::Not(a)
            | Self::Has(a)
            | Self::Neg(a)
            | Self::Matches(a, _)
            | Self::Mentioned { value: a, .. } => vec![*a],
            Self::Iff(a, b)
            | Self::Compare(_, a, b)
            | Self::In(a, b)
            | Self::Like(a, b)
            | Self::Contains(a, b)
            | Self::StartsWith(a, b)
            | Self::EndsWith(a, b)
            | Self::Inside(a, b)
            | Self::Coalesce(a, b)
            | Self::Every(a, b)
            | Self::Some(a, b)
            | Self::Add(a, b)
            | Self::Sub(a, b)
            | Self::Mul(a, b) => vec![*a, *b],
        }
    }
}

impl Formula {
    /// The formulas that it is made of, in order of the text.
    #[must_use]
    pub fn parts(&self) -> Vec<&Self> {
        match self {
            Self::True | Self::False | Self::Atom(_) => Vec::new(),
            Self::Not(f)
            | Self::Next(f)
            | Self::WeakNext(f)
            | Self::Always(f)
            | Self::Eventually(f)
            | Self::Previously(f)
            | Self::WeakPreviously(f)
            | Self::Once(f)
            | Self::Historically(f) => vec![f],
            Self::And(fs) | Self::Or(fs) => fs.iter().collect(),
            Self::Implies(a, b)
            | Self::Iff(a, b)
            | Self::Until(a, b)
            | Self::Unless(a, b)
            | Self::Release(a, b)
            | Self::Since(a, b) => vec![a, b],
        }
    }
}

/// `assume` or `guarantee`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// What the environment owes.
    Assume,
    /// What the agent owes.
    Guarantee,
}

/// A clause of a contract.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// Which side.
    pub side: Side,
    /// Its untimed part; [`Formula::True`] where the clause is a deadline alone.
    pub formula: Formula,
    /// `P leads to Q within 30s`: its deadlines.
    pub deadlines: Vec<Deadline>,
    /// The clause as written, white space folded.
    pub text: String,
    /// Where.
    pub place: Place,
}

/// After each trigger, a response at most `within` later (the edge included). The language
/// reference's `P leads to Q within 30s` at the top level of a clause.
#[derive(Clone, Debug, PartialEq)]
pub struct Deadline {
    /// A Boolean combination of [`Expr::Pattern`].
    pub trigger: ExprId,
    /// A Boolean combination of [`Expr::Pattern`].
    pub response: ExprId,
    /// Nanoseconds.
    pub within: i64,
    /// As written.
    pub text: String,
}

/// The events that are steps of a contract.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// Calls.
    pub calls: bool,
    /// Returns.
    pub returns: bool,
    /// Inputs.
    pub inputs: bool,
    /// Outputs.
    pub outputs: bool,
    /// Declared events, sorted. All of them where the contract names no pattern at all.
    pub events: Vec<EventId>,
}

/// A contract.
#[derive(Clone, Debug, PartialEq)]
pub struct Contract {
    /// Its name.
    pub name: String,
    /// The module that it stands in; empty for the root file without a module line.
    pub module: String,
    /// `///` lines.
    pub doc: String,
    /// Where it stands, all of it.
    pub place: Place,
    /// Where its name stands.
    pub name_place: Place,
    /// The names of its keys.
    pub keys: Vec<String>,
    /// What it watches.
    pub watch: Watch,
    /// The patterns of its formulas and deadlines, sorted and distinct (those in aggregates not).
    pub patterns: Vec<PatternId>,
    /// Its clauses in order.
    pub clauses: Vec<Clause>,
    /// What happens where the guarantee would be violated.
    pub action: Action,
    /// `@id`
    pub id: Option<String>,
    /// `@severity`
    pub severity: Option<String>,
    /// `@source(document, section)`
    pub source: Option<(String, Option<String>)>,
    /// `@tags`
    pub tags: Vec<String>,
    /// `@agents`: globs; empty for all.
    pub agents: Vec<String>,
}

/// An action with its message.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// Which.
    pub kind: ActionKind,
    /// What is told, in parts.
    pub message: Vec<MessagePart>,
}

/// The kinds of action.
#[derive(Clone, Debug, PartialEq)]
pub enum ActionKind {
    /// Refuse.
    Block,
    /// Record and tell.
    Warn,
    /// Hold for the host.
    Escalate,
    /// Another call instead.
    Redirect {
        /// The tool.
        tool: ToolId,
        /// Its arguments.
        args: Vec<(String, ExprId)>,
    },
    /// Change arguments where exactly one change complies.
    Repair,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum MessagePart {
    /// As it stands.
    Text(String),
    /// `{expr}`: its text, or `?` where undefined.
    Expr(ExprId),
}

/// A test block.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// Where.
    pub place: Place,
    /// The contracts that it is limited to, as indices into [`Library::contracts`]: those after `for`
    /// and those that its expectations name. Empty, without `for`, for all.
    pub contracts: Vec<u32>,
    /// The steps.
    pub steps: Vec<TestStep>,
}

/// A JSON value written in a policy.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// A Boolean.
    Bool(bool),
    /// A number as JSON text.
    Number(String),
    /// A string.
    Str(String),
    /// A list.
    List(Vec<Json>),
    /// A record in order of the text.
    Record(Vec<(String, Json)>),
}

/// A step of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct TestStep {
    /// What happens.
    pub kind: TestStepKind,
    /// `event.*` facts.
    pub meta: Vec<(String, Json)>,
    /// What is expected; where empty the step must be allowed.
    pub expect: Vec<Expect>,
    /// Where.
    pub place: Place,
}

/// The steps of a test.
#[derive(Clone, Debug, PartialEq)]
pub enum TestStepKind {
    /// Set a context field.
    Context(Vec<String>, Json),
    /// Answer a lookup from now on.
    Lookup(LookupId, Vec<Json>, Json),
    /// Move the clock, nanoseconds.
    After(i64),
    /// A message to the agent.
    Input(String),
    /// A message from the model.
    Output(String),
    /// A declared event.
    Event(EventId, Vec<(String, Json)>),
    /// A call and perhaps its return.
    Call(Tool, Json, Option<Outcome>),
    /// The return of the oldest open call of that tool.
    Return(Tool, Outcome),
    /// The session's end.
    End,
}

/// How a call of a test ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// With a value.
    Success(Json),
    /// With a text.
    Failure(String),
    /// Lost.
    Unknown,
}

/// An expectation.
#[derive(Clone, Debug, PartialEq)]
pub struct Expect {
    /// What.
    pub what: Expected,
    /// By these contracts among others (indices into [`Library::contracts`]); by any where empty.
    pub by: Vec<u32>,
    /// Where.
    pub place: Place,
}

/// What a test can expect of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The event is let through without a word.
    Allow,
    /// It is refused.
    Block,
    /// It is let through with a warning.
    Warn,
    /// It is held.
    Escalate,
    /// Another call is made instead.
    Redirect,
    /// Its arguments are changed.
    Repair,
    /// It is withheld from the agent.
    Suppress,
    /// It is recorded and a contract has failed.
    Violation,
    /// At `end`: an obligation is open.
    Pending,
    /// At `end`: nothing is open.
    Satisfied,
}
