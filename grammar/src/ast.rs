//! The syntax tree: what was written, every node with its byte span.
//!
//! Nothing is resolved here: whether `approval(by == "lead")` is a declared event, a template or a
//! lookup, and whether an expression is a formula or a condition, is decided by `ctr-front`. A tree
//! is always complete; where the text could not be read, an `Error` node stands and the parser has
//! reported why.

use crate::resolve::{COMPARISON, precedence};
use crate::span::Span;

/// A name as written, without the back-ticks of a quoted one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub name: String,
    /// Where it stands (back-ticks included).
    pub span: Span,
}

/// A dotted name: `a.b.c`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Its parts; at least one.
    pub parts: Vec<Ident>,
    /// All of it.
    pub span: Span,
}

/// A string literal with its escapes resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrLit {
    /// The value.
    pub value: String,
    /// Where it stands, quotes included.
    pub span: Span,
}

/// A file: its items in order of the text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct File {
    /// `//!` lines at the head, without the marker, joined by line ends.
    pub doc: Option<String>,
    /// The items.
    pub items: Vec<Item>,
}

/// An item with what stands before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// `///` lines before the item, without the marker, joined by line ends.
    pub doc: Option<String>,
    /// `@name(args)` before the item.
    pub attributes: Vec<Attribute>,
    /// The item itself.
    pub kind: ItemKind,
    /// From the first attribute (documentation apart) to the end.
    pub span: Span,
}

/// `@severity(high)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// The name after `@`.
    pub name: Ident,
    /// The arguments: string literals, numbers or bare names.
    pub args: Vec<Expr>,
    /// All of it.
    pub span: Span,
}

/// What an item is.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemKind {
    /// `module a.b`
    Module(Path),
    /// `import std.declare`, `import "common.ctr" as common`
    Import(Import),
    /// `include "common.ctr" { a, b }`
    Include(Include),
    /// `tools from "file.json" as server`
    ToolsFrom(ToolsFrom),
    /// `tool name(field: type) -> type`
    Tool(Tool),
    /// `group name = { a, b }` or `= tools where destructive`
    Group(Group),
    /// `event name(field: type)`
    Event(EventDecl),
    /// `context name: type`
    Context(ContextDecl),
    /// `lookup name(param: type) -> type`
    Lookup(LookupDecl),
    /// `predicate name(a: event) = formula`
    Predicate(Predicate),
    /// `contract name for each k { ... }`
    Contract(Contract),
    /// `test "name" for c { ... }`
    Test(Test),
    /// Text that could not be read as an item.
    Error,
}

/// What an import or include names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModuleRef {
    /// A module by name: `std.declare`.
    Name(Path),
    /// A file, relative to the importing one.
    File(StrLit),
}

/// `import target as alias`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// What is imported.
    pub target: ModuleRef,
    /// The local name; the last part of the module's name where absent.
    pub alias: Option<Ident>,
}

/// `include "file" { names }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Include {
    /// What is included.
    pub target: ModuleRef,
    /// The contracts to load; all where absent.
    pub only: Option<Vec<Ident>>,
}

/// `tools from "file.json" as server`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolsFrom {
    /// The JSON file, relative to this one.
    pub file: StrLit,
    /// The server that the tools belong to.
    pub server: Option<Ident>,
}

/// A field of a tool, event or record type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldDecl {
    /// Its name.
    pub name: Ident,
    /// Whether it may be missing (`name?: type`).
    pub optional: bool,
    /// Its type.
    pub ty: Type,
}

/// A type as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    /// What it is.
    pub kind: TypeKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of a type (language reference, section 7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeKind {
    /// `string int number bool timestamp duration null any`, the parameter type `event`, or an
    /// unknown name.
    Name(String),
    /// `enum("a", "b")`
    Enum(Vec<StrLit>),
    /// `list<T>`
    List(Box<Type>),
    /// `map<T>`
    Map(Box<Type>),
    /// `{ field: T, other?: T }`
    Record(Vec<FieldDecl>),
    /// `T | U`
    Union(Vec<Type>),
    /// Could not be read.
    Error,
}

/// `tool server.name(field: type) -> type`
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// The tool's name, by its server where given.
    pub name: Path,
    /// Its arguments.
    pub params: Vec<FieldDecl>,
    /// The type of its result.
    pub result: Option<Type>,
}

/// `group name = ...`
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Its name.
    pub name: Ident,
    /// Its members.
    pub members: GroupMembers,
}

/// The members of a group.
#[derive(Clone, Debug, PartialEq)]
pub enum GroupMembers {
    /// `{ a, b.c }`
    List(Vec<Path>),
    /// `tools where destructive and not read_only`: a Boolean expression over annotation names.
    Where(Expr),
}

/// `event name(field: type)`
#[derive(Clone, Debug, PartialEq)]
pub struct EventDecl {
    /// Its name.
    pub name: Ident,
    /// Its fields.
    pub fields: Vec<FieldDecl>,
}

/// `context name: type`
#[derive(Clone, Debug, PartialEq)]
pub struct ContextDecl {
    /// Its name, read as `ctx.name`.
    pub name: Ident,
    /// Its type.
    pub ty: Type,
}

/// `lookup name(param: type) -> type`
#[derive(Clone, Debug, PartialEq)]
pub struct LookupDecl {
    /// Its name.
    pub name: Ident,
    /// Its parameters.
    pub params: Vec<FieldDecl>,
    /// What it answers.
    pub result: Type,
}

/// `predicate name(a: event, n: number) = body`
#[derive(Clone, Debug, PartialEq)]
pub struct Predicate {
    /// Its name.
    pub name: Ident,
    /// Its parameters: `event` for a pattern or formula, or the type of a value.
    pub params: Vec<FieldDecl>,
    /// What it stands for.
    pub body: Expr,
}

/// `contract name for each (k, l) { clauses }`
#[derive(Clone, Debug, PartialEq)]
pub struct Contract {
    /// Its name.
    pub name: Ident,
    /// Its keys; empty where it has one instance.
    pub keys: Vec<Ident>,
    /// What stands in its braces.
    pub clauses: Vec<Clause>,
}

/// A clause of a contract.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// What it is.
    pub kind: ClauseKind,
    /// All of it.
    pub span: Span,
}

/// The clauses of a contract.
#[derive(Clone, Debug, PartialEq)]
pub enum ClauseKind {
    /// `let name = expr`
    Let(Ident, Expr),
    /// `assume formula`
    Assume(Expr),
    /// `guarantee formula`
    Guarantee(Expr),
    /// `otherwise action`
    Otherwise(Action),
    /// Could not be read.
    Error,
}

/// What happens where a guarantee would be violated (language reference, section 5).
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// `block "message"`
    Block(Option<StrLit>),
    /// `warn "message"`
    Warn(Option<StrLit>),
    /// `escalate "message"`
    Escalate(Option<StrLit>),
    /// `redirect tool(field: expr) "message"`
    Redirect {
        /// The tool to call instead.
        tool: Path,
        /// Its arguments.
        args: Vec<(Ident, Expr)>,
        /// What the agent is told.
        message: Option<StrLit>,
    },
    /// `repair "message"`
    Repair(Option<StrLit>),
}

/// An expression: a formula or a condition, told apart after parsing.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// The forms of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// Could not be read; reported by the parser.
    Error,
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number as written (never negative; see [`UnaryOp::Neg`]).
    Number(String),
    /// A duration in nanoseconds, from `500ms`, `30s`, `10min`, `2h`, `1d`.
    Duration(i64),
    /// A string.
    Str(String),
    /// `/pattern/flags`
    Regex {
        /// The pattern as written, `\/` read as `/`.
        pattern: String,
        /// The flags as written.
        flags: String,
    },
    /// `[a, b]`
    List(Vec<Expr>),
    /// `{ field: expr }`: a record value, in tests.
    Record(Vec<(Ident, Expr)>),
    /// A bare name.
    Name(Ident),
    /// `base.field`
    Field(Box<Expr>, Ident),
    /// `base[0]`
    Index(Box<Expr>, u32),
    /// `base[*]`
    All(Box<Expr>),
    /// `callee(args)`: a function, aggregate, lookup, template or declared event.
    Call(Path, Vec<Expr>),
    /// An event pattern.
    Pattern(Pattern),
    /// `{ condition }` used as a formula.
    State(Box<Expr>),
    /// `( expr )`
    Paren(Box<Expr>),
    /// A prefix operator.
    Unary(UnaryOp, Box<Expr>),
    /// An infix operator.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `every x in list: cond` (`all`) or `some x in list: cond`.
    Quantified {
        /// `every` rather than `some`.
        all: bool,
        /// The variable.
        var: Ident,
        /// The list.
        list: Box<Expr>,
        /// The condition.
        body: Box<Expr>,
    },
    /// `earlier P`, inside an aggregate.
    Earlier(Box<Expr>),
    /// `P within 10min`, inside an aggregate; nanoseconds.
    Within(Box<Expr>, Bound),
    /// A readable form.
    Form(Box<Form>),
}

/// A bound after `within`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// A duration in nanoseconds.
    Time {
        /// Nanoseconds.
        nanos: i64,
        /// Where it stands.
        span: Span,
    },
    /// A number of watched steps.
    Steps {
        /// How many.
        count: u64,
        /// Where it stands.
        span: Span,
    },
}

/// An event pattern: `call T | U(cond, cond)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// The kind of event.
    pub kind: PatternKind,
    /// Which tools; `None` for `input` and `output`.
    pub tools: Option<ToolSel>,
    /// The conditions in parentheses, joined by `and`; empty where there are none.
    pub conditions: Vec<Expr>,
}

/// The kinds of event that a keyword names; declared events are [`ExprKind::Call`] or a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PatternKind {
    /// A proposed call.
    Call,
    /// A return of any status.
    Return,
    /// A return that succeeded.
    Success,
    /// A return that failed.
    Failure,
    /// A return whose outcome nobody knows.
    Unknown,
    /// A message that reaches the agent.
    Input,
    /// A message that the model writes.
    Output,
}

/// Which tools a pattern names.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSel {
    /// What is selected.
    pub kind: ToolSelKind,
    /// Where it stands.
    pub span: Span,
}

/// Forms of a tool selection.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolSelKind {
    /// `any`
    Any,
    /// `any except A | B`
    Except(Vec<Path>),
    /// `A | B`: tools (perhaps by server) or groups.
    OneOf(Vec<Path>),
    /// Could not be read.
    Error,
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `not`
    Not,
    /// `-`
    Neg,
    /// `next`
    Next,
    /// `weak next`
    WeakNext,
    /// `always`
    Always,
    /// `eventually`
    Eventually,
    /// `previously`
    Previously,
    /// `weak previously`
    WeakPreviously,
    /// `once`
    Once,
    /// `historically`
    Historically,
}

/// Infix operators, from formulas and conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `and`
    And,
    /// `or`
    Or,
    /// `implies`
    Implies,
    /// `iff`
    Iff,
    /// `until`
    Until,
    /// `unless`
    Unless,
    /// `release`
    Release,
    /// `since`
    Since,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `in`
    In,
    /// `not in`
    NotIn,
    /// `matches`
    Matches,
    /// `like`
    Like,
    /// `contains`
    Contains,
    /// `starts with`
    StartsWith,
    /// `ends with`
    EndsWith,
    /// `inside`
    Inside,
    /// `??`
    Coalesce,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
}

impl BinaryOp {
    /// Whether it compares two values: what it makes of them is true, false or undefined.
    #[must_use]
    pub fn is_comparison(self) -> bool {
        precedence(self) == COMPARISON
    }
}

/// A readable form (language reference, section 4).
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// `never P`
    Never(Expr),
    /// `never P after Q` (and `P only before Q`, with `only_before` set)
    NeverAfter {
        /// What must not happen.
        p: Expr,
        /// After what.
        q: Expr,
        /// Written as `P only before Q`.
        only_before: bool,
    },
    /// `P only after Q` (and `never P before Q`, with `never_before` set)
    OnlyAfter {
        /// What is restricted.
        p: Expr,
        /// What must come first.
        q: Expr,
        /// Written as `never P before Q`.
        never_before: bool,
        /// `within 5min`
        within: Option<Bound>,
    },
    /// `P only if cond`
    OnlyIf {
        /// The pattern.
        p: Expr,
        /// The condition, which may read P's fields.
        cond: Expr,
    },
    /// `P only while f`
    OnlyWhile {
        /// The pattern.
        p: Expr,
        /// The formula.
        f: Expr,
    },
    /// `P leads to Q`, `P leads to Q within B`
    LeadsTo {
        /// The trigger.
        p: Expr,
        /// The response.
        q: Expr,
        /// The deadline.
        within: Option<Bound>,
    },
    /// `P immediately leads to Q`
    ImmediatelyLeadsTo {
        /// The trigger.
        p: Expr,
        /// The response.
        q: Expr,
    },
    /// `P at most 3 times within 10min`, `at least`, `exactly`, `consecutive`
    Times {
        /// What is counted.
        p: Expr,
        /// The comparison.
        cmp: TimesCmp,
        /// The number.
        count: u64,
        /// `consecutive`
        consecutive: bool,
        /// `within 10min`
        within: Option<Bound>,
    },
}

/// The comparison of [`Form::Times`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimesCmp {
    /// `at most`
    AtMost,
    /// `at least`
    AtLeast,
    /// `exactly`
    Exactly,
}

/// `test "name" for a, b { steps }`
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// Its name.
    pub name: StrLit,
    /// The contracts that it is limited to; empty for all.
    pub contracts: Vec<Path>,
    /// The steps.
    pub steps: Vec<TestStep>,
}

/// A step of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct TestStep {
    /// What happens.
    pub kind: TestStepKind,
    /// What is expected of it; where empty the step must be allowed.
    pub expect: Vec<Expect>,
    /// `by`, `at` and other recorded facts: `with agent = "x", time = 3`.
    pub meta: Vec<(Ident, Expr)>,
    /// All of it.
    pub span: Span,
}

/// The steps of a test (language reference, section 9).
#[derive(Clone, Debug, PartialEq)]
pub enum TestStepKind {
    /// `context name = value`
    Context(Path, Expr),
    /// `lookup name(args) = value`
    Lookup {
        /// The lookup.
        name: Ident,
        /// Its arguments.
        args: Vec<Expr>,
        /// The answer.
        value: Expr,
    },
    /// `after 30s`, nanoseconds
    After(i64),
    /// `input "text"`
    Input(StrLit),
    /// `output "text"`
    Output(StrLit),
    /// `event name(field: value)`, or just `name(field: value)`
    Event(Ident, Vec<(Ident, Expr)>),
    /// `call tool(field: value) -> outcome`
    Call {
        /// The tool.
        tool: Path,
        /// Its arguments.
        args: Vec<(Ident, Expr)>,
        /// What came back; `None` where only the call is made.
        outcome: Option<Outcome>,
    },
    /// `return tool -> outcome`: the answer to the oldest open call of that tool.
    Return(Path, Outcome),
    /// `end`
    End,
    /// Could not be read.
    Error,
}

/// What a call of a test gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// `-> value`
    Success(Expr),
    /// `-> failure "text"`
    Failure(Option<StrLit>),
    /// `-> unknown`
    Unknown,
}

/// `expect block by a, b`
#[derive(Clone, Debug, PartialEq)]
pub struct Expect {
    /// `allow block warn escalate redirect repair suppress violation pending satisfied`: checked
    /// by the front.
    pub what: Ident,
    /// The contracts that must be the ones that say so; any where empty.
    pub by: Vec<Path>,
    /// All of it.
    pub span: Span,
}
