//! What an artifact says, as owned values: the input of the encoder and the output of the decoder.
//!
//! The runtime itself does not build a model: it reads the validated bytes. The model serves the
//! compiler's back end, `inspect` and tests. All ids are indices into the model's tables; an
//! expression's children have lower ids than itself. Children are also what it reaches through a
//! pattern (its keys and condition) or a register (its member and value), so that nothing refers to
//! itself; and a register reads only registers of lower id. Lists of tools and of watched events are
//! strictly ascending. A contract without a place in a source has the default place.

use alloc::string::String;
use alloc::vec::Vec;

use crate::decimal::Decimal;

/// An artifact's content.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// The compiler's name and version.
    pub compiler: String,
    /// The source files.
    pub sources: Vec<Source>,
    /// The tools that the policy names.
    pub tools: Vec<Tool>,
    /// The tools that the policy declares or imports, whether it names them or not.
    pub declared: Vec<Declared>,
    /// The names of declared events.
    pub events: Vec<String>,
    /// The lookups.
    pub lookups: Vec<Lookup>,
    /// The regular expressions.
    pub regexes: Vec<Regex>,
    /// Regular expressions that are searched for in one pass.
    pub together: Vec<Together>,
    /// The expressions.
    pub exprs: Vec<Expr>,
    /// The event patterns.
    pub patterns: Vec<Pattern>,
    /// The registers.
    pub registers: Vec<Register>,
    /// The atoms.
    pub atoms: Vec<Atom>,
    /// The automata.
    pub automata: Vec<Automaton>,
    /// The contracts, in order of the text.
    pub contracts: Vec<Contract>,
}

/// A source file of the policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its path, with `/`.
    pub path: String,
    /// SHA-256 of its text.
    pub sha256: [u8; 32],
    /// Offsets of its line starts in bytes, ascending, the first 0, so that a span has a line.
    pub lines: Vec<u32>,
}

/// A place in a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Index into [`Model::sources`].
    pub source: u32,
    /// First byte.
    pub start: u32,
    /// After the last byte.
    pub end: u32,
}

/// A tool's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its server, where the policy says.
    pub server: Option<String>,
    /// Its name.
    pub name: String,
}

/// A declared tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// Its server, where declared.
    pub server: Option<String>,
    /// Its name.
    pub name: String,
    /// The JSON Schema of its arguments as JSON text, by the declared types; descriptions are left out.
    pub input: Option<String>,
}

/// A lookup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// Its name.
    pub name: String,
    /// Number of arguments.
    pub arity: u32,
}

/// Regular expressions that are asked of the same messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Together {
    /// Whether the messages are those of the model; otherwise they are those to the agent. There is one of each at most.
    pub output: bool,
    /// Indices into [`Model::regexes`], ascending.
    pub regexes: Vec<u32>,
    /// How they are searched for ([`crate::regex::together`]).
    pub table: Vec<u8>,
}

/// A regular expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regex {
    /// Its text, for people and for the fallback engine.
    pub pattern: String,
    /// How it is searched: [`crate::regex::program::Program`] as bytes. Empty where none could be made within
    /// the limits: then the pattern is compiled when the artifact is loaded.
    pub program: Vec<u8>,
    /// The same as a regular expression of ECMA 262 with the flag `u`, for JSON Schema; absent where
    /// that language has no equal.
    pub ecma: Option<String>,
}

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Const {
    /// `null`
    Null,
    /// A Boolean.
    Bool(bool),
    /// A number.
    Number(Decimal),
    /// A string.
    Str(String),
    /// Nanoseconds.
    Duration(i64),
    /// Nanoseconds since the epoch.
    Timestamp(i64),
}

/// Where a path starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// The call's arguments.
    Args,
    /// The return's result.
    Result,
    /// The message's text.
    Text,
    /// The declared event's fields.
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
    /// The n-th key of the instance.
    Key(u32),
    /// A quantifier's variable, 0 the innermost.
    Var(u32),
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A record's field.
    Field(String),
    /// A list's element.
    Index(u32),
    /// All elements of a list.
    All,
}

/// How to read the value that a path reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Coerce {
    /// As it is.
    #[default]
    None,
    /// A string that is exactly a JSON number is that number.
    Number,
    /// RFC 3339 text or seconds are a timestamp.
    Timestamp,
    /// Text like `30s` or seconds are a duration.
    Duration,
}

/// An expression; ids are indices into [`Model::exprs`].
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A constant.
    Const(Const),
    /// A list.
    List(Vec<u32>),
    /// A root.
    Root(Root),
    /// A part of a value.
    Path {
        /// The value.
        base: u32,
        /// The steps.
        steps: Vec<Step>,
        /// How to read it.
        coerce: Coerce,
    },
    /// Kleene `not`.
    Not(u32),
    /// Kleene `and`.
    And(Vec<u32>),
    /// Kleene `or`.
    Or(Vec<u32>),
    /// Kleene `iff`.
    Iff(u32, u32),
    /// A comparison.
    Compare(CompareOp, u32, u32),
    /// `in`
    In(u32, u32),
    /// `matches`; the second is an index into [`Model::regexes`].
    Matches(u32, u32),
    /// `like`
    Like(u32, u32),
    /// `contains`
    Contains(u32, u32),
    /// `starts with`
    StartsWith(u32, u32),
    /// `ends with`
    EndsWith(u32, u32),
    /// `inside`
    Inside(u32, u32),
    /// `has`
    Has(u32),
    /// `??`
    Coalesce(u32, u32),
    /// `every`
    Every(u32, u32),
    /// `some`
    Some(u32, u32),
    /// `+`
    Add(u32, u32),
    /// `-`
    Sub(u32, u32),
    /// `*`
    Mul(u32, u32),
    /// Unary `-`.
    Neg(u32),
    /// A function.
    Call(Function, Vec<u32>),
    /// A lookup; the first is an index into [`Model::lookups`].
    Lookup(u32, Vec<u32>),
    /// A register's value.
    Read {
        /// Index into [`Model::registers`].
        register: u32,
        /// Without this event.
        earlier: bool,
    },
    /// `mentioned`
    Mentioned {
        /// Index into [`Model::registers`], of kind [`RegisterKind::Texts`].
        register: u32,
        /// The value.
        value: u32,
        /// Without this event.
        earlier: bool,
    },
    /// Whether the latest *earlier* member of an `Elapsed` register is at most `within` ns old; false
    /// where there is none.
    Fresh {
        /// Index into [`Model::registers`].
        register: u32,
        /// Nanoseconds.
        within: i64,
    },
    /// Whether the event fits a pattern.
    Pattern(u32),
}

/// Comparison operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say all")]
pub enum CompareOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Built-in functions (language reference, section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say all")]
pub enum Function {
    Len,
    Text,
    Lower,
    Upper,
    Trim,
    Number,
    Host,
    Abs,
    Keys,
    Timestamp,
    Duration,
}

/// Kinds of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A call.
    Call,
    /// A return of that status, or of any.
    Return(Option<Status>),
    /// A message to the agent.
    Input,
    /// A message from the model.
    Output,
    /// A declared event, by index.
    Declared(u32),
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// It worked.
    Success,
    /// It did not.
    Failure,
    /// Nobody knows: it may have happened.
    Unknown,
}

/// Which tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tools {
    /// Any, and events without a tool.
    Any,
    /// These.
    OneOf(Vec<u32>),
    /// All others.
    Except(Vec<u32>),
}

/// An event pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// The kind.
    pub kind: EventKind,
    /// The tools.
    pub tools: Tools,
    /// One expression a key, or none.
    pub keys: Vec<u32>,
    /// The other conditions.
    pub condition: Option<u32>,
    /// For people.
    pub text: String,
}

/// What an aggregate remembers.
#[derive(Clone, Debug, PartialEq)]
pub struct Register {
    /// What of it.
    pub kind: RegisterKind,
    /// A Boolean combination of [`Expr::Pattern`].
    pub member: u32,
    /// The value taken of a member.
    pub value: Option<u32>,
    /// Only members at most so many nanoseconds old.
    pub window: Option<i64>,
    /// Number of keys.
    pub keys: u32,
}

/// Kinds of register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    missing_docs,
    reason = "language reference, section 6, says what each is"
)]
pub enum RegisterKind {
    Count,
    Streak,
    Sum,
    Min,
    Max,
    Latest,
    First,
    Values,
    Elapsed,
    Texts,
}

/// An atom of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atom {
    /// Its expression: [`Expr::Pattern`], or a condition.
    pub expr: u32,
    /// For people.
    pub text: String,
    /// What has to hold for it to be false, where the policy says so itself: the condition of
    /// `P only if condition`.
    pub remedy: Option<String>,
}

/// A reference to a decision: a state, or an inner node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeRef {
    /// The next state.
    State(u32),
    /// Index into [`Automaton::nodes`].
    Node(u32),
}

/// A decision node: which atom to ask, and where to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// Index into [`Model::atoms`].
    pub atom: u32,
    /// Where the atom is false.
    pub low: NodeRef,
    /// Where it is true.
    pub high: NodeRef,
}

/// What a state says of the session so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// Satisfied, whatever follows.
    SatisfiedForGood,
    /// Satisfied if the session ended now.
    Satisfied,
    /// Not satisfied, but still can be.
    Pending,
    /// Violated, whatever follows.
    ViolatedForGood,
}

/// A state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// Its label.
    pub label: Label,
    /// Whether the automaton stays in it on every step on which no pattern atom holds, whatever the
    /// conditions are.
    pub idle: bool,
    /// Where the decision about the next state starts.
    pub root: NodeRef,
}

/// A minimal DFA. Nodes refer only to nodes of lower index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    /// The states.
    pub states: Vec<State>,
    /// The first state.
    pub initial: u32,
    /// The decision nodes.
    pub nodes: Vec<Node>,
}

/// `assume` or `guarantee`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The environment's.
    Assume,
    /// The agent's.
    Guarantee,
}

/// A clause as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Which side.
    pub side: Side,
    /// Its text.
    pub text: String,
    /// Where it stands.
    pub place: Place,
}

/// `P leads to Q within d`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadline {
    /// Which side.
    pub side: Side,
    /// Boolean combination of patterns.
    pub trigger: u32,
    /// Boolean combination of patterns.
    pub response: u32,
    /// Nanoseconds.
    pub within: i64,
    /// As written.
    pub text: String,
}

/// What a contract watches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say all")]
pub struct Watch {
    pub calls: bool,
    pub returns: bool,
    pub inputs: bool,
    pub outputs: bool,
    /// Indices into [`Model::events`].
    pub events: Vec<u32>,
}

/// A contract.
#[derive(Clone, Debug, PartialEq)]
pub struct Contract {
    /// Its name.
    pub name: String,
    /// Its module.
    pub module: String,
    /// Its documentation.
    pub doc: String,
    /// Where it stands.
    pub place: Place,
    /// Its keys' names.
    pub keys: Vec<String>,
    /// What it watches.
    pub watch: Watch,
    /// The patterns of its formulas and deadlines.
    pub patterns: Vec<u32>,
    /// Its clauses.
    pub clauses: Vec<Clause>,
    /// Its deadlines.
    pub deadlines: Vec<Deadline>,
    /// The assumption's automaton; `None`: true.
    pub assume: Option<u32>,
    /// The guarantee's automaton; `None`: true.
    pub guarantee: Option<u32>,
    /// What happens where the guarantee would be violated.
    pub action: Action,
    /// What is told.
    pub message: Vec<MessagePart>,
    /// `@id`
    pub id: Option<String>,
    /// `@severity`
    pub severity: Option<String>,
    /// `@source`
    pub source: Option<(String, Option<String>)>,
    /// `@tags`
    pub tags: Vec<String>,
    /// `@agents`: globs; empty: all.
    pub agents: Vec<String>,
}

/// Actions.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Refuse.
    Block,
    /// Record and tell.
    Warn,
    /// Hold for the host.
    Escalate,
    /// Another call instead.
    Redirect {
        /// Index into [`Model::tools`].
        tool: u32,
        /// Its arguments: name, expression.
        args: Vec<(String, u32)>,
    },
    /// Change arguments where exactly one change complies.
    Repair,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessagePart {
    /// Text.
    Text(String),
    /// The value of an expression.
    Expr(u32),
}
