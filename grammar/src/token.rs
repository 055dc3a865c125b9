//! Tokens of the language, as the parser sees them.

use crate::span::Span;

/// The kinds of token. They carry no text: a token's text is read from the source by its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is named after the text it stands for")]
pub enum Tok {
    Ident,
    Number,
    Duration,
    Str,
    Regex,
    /// Text that could not be read; the lexer has reported it.
    Error,

    LParen,
    RParen,
    LBrace,
    RBrace,
    LBracket,
    RBracket,
    Comma,
    Dot,
    Colon,
    Question,
    Pipe,
    At,
    Assign,
    EqEq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Coalesce,
    Plus,
    Minus,
    Star,
    Arrow,

    Module,
    Import,
    Include,
    Tool,
    Tools,
    ToolsFrom,
    ToolsWhere,
    Group,
    Event,
    Context,
    Lookup,
    Predicate,
    Contract,
    Test,
    As,
    For,
    ForEach,

    Let,
    Assume,
    Guarantee,
    Otherwise,
    Block,
    Warn,
    Escalate,
    Redirect,
    Repair,

    Call,
    Return,
    Success,
    Failure,
    Unknown,
    Input,
    Output,
    Any,
    AnyExcept,

    And,
    Or,
    Implies,
    Iff,
    Not,
    Always,
    Eventually,
    Next,
    WeakNext,
    Until,
    Unless,
    Release,
    Previously,
    WeakPreviously,
    Once,
    Historically,
    Since,

    Never,
    After,
    Before,
    OnlyAfter,
    OnlyBefore,
    OnlyIf,
    OnlyWhile,
    LeadsTo,
    ImmediatelyLeadsTo,
    AtMost,
    AtLeast,
    Exactly,
    Within,
    Times,
    Consecutive,
    Steps,

    In,
    NotIn,
    Matches,
    Like,
    Contains,
    StartsWith,
    EndsWith,
    Inside,
    Every,
    Some,
    Earlier,
    True,
    False,
    Null,

    Expect,
    By,
    /// The word after `expect` where contracts follow it without `by`.
    WhatOf,
    With,
    AtWord,
    End,
    /// `after 30s` as a step of a test.
    AfterStep,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its kind.
    pub tok: Tok,
    /// Its bytes.
    pub span: Span,
    /// Its column in bytes where it is the first token of its line, else [`NOT_FIRST`].
    pub column: u32,
    /// Put in by the parser to close a bracket; it stands for no text.
    pub inserted: bool,
}

/// The column of a token that is not the first of its line.
pub const NOT_FIRST: u32 = u32::MAX;

/// The kind of a single word, an identifier where it is no keyword.
#[must_use]
pub fn word(text: &str) -> Tok {
    match text {
        "module" => Tok::Module,
        "import" => Tok::Import,
        "include" => Tok::Include,
        "tool" => Tok::Tool,
        "tools" => Tok::Tools,
        "group" => Tok::Group,
        "event" => Tok::Event,
        "context" => Tok::Context,
        "lookup" => Tok::Lookup,
        "predicate" => Tok::Predicate,
        "contract" => Tok::Contract,
        "test" => Tok::Test,
        "for" => Tok::For,
        "let" => Tok::Let,
        "assume" => Tok::Assume,
        "guarantee" => Tok::Guarantee,
        "otherwise" => Tok::Otherwise,
        "call" => Tok::Call,
        "return" => Tok::Return,
        "success" => Tok::Success,
        "failure" => Tok::Failure,
        "unknown" => Tok::Unknown,
        "input" => Tok::Input,
        "output" => Tok::Output,
        "any" => Tok::Any,
        "and" => Tok::And,
        "or" => Tok::Or,
        "implies" => Tok::Implies,
        "iff" => Tok::Iff,
        "not" => Tok::Not,
        "always" => Tok::Always,
        "eventually" => Tok::Eventually,
        "next" => Tok::Next,
        "until" => Tok::Until,
        "unless" => Tok::Unless,
        "release" => Tok::Release,
        "previously" => Tok::Previously,
        "once" => Tok::Once,
        "historically" => Tok::Historically,
        "since" => Tok::Since,
        "never" => Tok::Never,
        "after" => Tok::After,
        "before" => Tok::Before,
        "exactly" => Tok::Exactly,
        "within" => Tok::Within,
        "in" => Tok::In,
        "matches" => Tok::Matches,
        "like" => Tok::Like,
        "contains" => Tok::Contains,
        "inside" => Tok::Inside,
        "every" => Tok::Every,
        "some" => Tok::Some,
        "earlier" => Tok::Earlier,
        "true" => Tok::True,
        "false" => Tok::False,
        "null" => Tok::Null,
        _ => Tok::Ident,
    }
}

/// The token of an operator of two words, by its words.
#[must_use]
pub fn two_words(first: &str, second: &str) -> Option<Tok> {
    Some(match (first, second) {
        ("leads", "to") => Tok::LeadsTo,
        ("only", "after") => Tok::OnlyAfter,
        ("only", "before") => Tok::OnlyBefore,
        ("only", "if") => Tok::OnlyIf,
        ("only", "while") => Tok::OnlyWhile,
        ("at", "most") => Tok::AtMost,
        ("at", "least") => Tok::AtLeast,
        ("weak", "next") => Tok::WeakNext,
        ("weak", "previously") => Tok::WeakPreviously,
        ("starts", "with") => Tok::StartsWith,
        ("ends", "with") => Tok::EndsWith,
        ("not", "in") => Tok::NotIn,
        ("for", "each") => Tok::ForEach,
        ("any", "except") => Tok::AnyExcept,
        ("tools", "from") => Tok::ToolsFrom,
        ("tools", "where") => Tok::ToolsWhere,
        _ => return None,
    })
}

impl Tok {
    /// Starts an item of a file.
    #[must_use]
    pub fn starts_item(self) -> bool {
        matches!(
            self,
            Tok::Module
                | Tok::Import
                | Tok::Include
                | Tok::Tool
                | Tok::ToolsFrom
                | Tok::Group
                | Tok::Event
                | Tok::Context
                | Tok::Lookup
                | Tok::Predicate
                | Tok::Contract
                | Tok::Test
        )
    }

    /// Starts a clause of a contract.
    #[must_use]
    pub fn starts_clause(self) -> bool {
        matches!(
            self,
            Tok::Let | Tok::Assume | Tok::Guarantee | Tok::Otherwise
        )
    }

    /// A keyword before a tool in a pattern.
    #[must_use]
    pub fn takes_tool(self) -> bool {
        matches!(
            self,
            Tok::Call | Tok::Return | Tok::Success | Tok::Failure | Tok::Unknown
        )
    }

    /// Starts a step of a test.
    #[must_use]
    pub fn starts_step(self) -> bool {
        matches!(
            self,
            Tok::Call
                | Tok::Return
                | Tok::Input
                | Tok::Output
                | Tok::AfterStep
                | Tok::End
                | Tok::Context
                | Tok::Lookup
                | Tok::Event
        )
    }

    /// A comparison of two values.
    #[must_use]
    pub fn compares(self) -> bool {
        matches!(
            self,
            Tok::EqEq
                | Tok::Ne
                | Tok::Lt
                | Tok::Le
                | Tok::Gt
                | Tok::Ge
                | Tok::Coalesce
                | Tok::In
                | Tok::NotIn
                | Tok::Matches
                | Tok::Like
                | Tok::Contains
                | Tok::StartsWith
                | Tok::EndsWith
                | Tok::Inside
        )
    }

    /// An opening bracket.
    #[must_use]
    pub fn opens(self) -> bool {
        matches!(self, Tok::LParen | Tok::LBrace | Tok::LBracket)
    }

    /// A closing bracket.
    #[must_use]
    pub fn closes(self) -> bool {
        matches!(self, Tok::RParen | Tok::RBrace | Tok::RBracket)
    }

    /// The closing bracket of an opening one.
    #[must_use]
    pub fn closer(self) -> Tok {
        match self {
            Tok::LParen => Tok::RParen,
            Tok::LBrace => Tok::RBrace,
            _ => Tok::RBracket,
        }
    }

    /// Can be the last token of an item or of an operand.
    #[must_use]
    pub fn ends_operand(self) -> bool {
        matches!(
            self,
            Tok::Ident
                | Tok::Number
                | Tok::Duration
                | Tok::Str
                | Tok::Regex
                | Tok::Error
                | Tok::RParen
                | Tok::RBrace
                | Tok::RBracket
                | Tok::True
                | Tok::False
                | Tok::Null
                | Tok::Input
                | Tok::Output
                | Tok::Any
                | Tok::Times
                | Tok::Steps
        )
    }

    /// Text made of letters: an identifier or a keyword.
    #[must_use]
    pub fn is_word(self) -> bool {
        self == Tok::Ident
            || !matches!(
                self,
                Tok::Number
                    | Tok::Duration
                    | Tok::Str
                    | Tok::Regex
                    | Tok::Error
                    | Tok::LParen
                    | Tok::RParen
                    | Tok::LBrace
                    | Tok::RBrace
                    | Tok::LBracket
                    | Tok::RBracket
                    | Tok::Comma
                    | Tok::Dot
                    | Tok::Colon
                    | Tok::Question
                    | Tok::Pipe
                    | Tok::At
                    | Tok::Assign
                    | Tok::EqEq
                    | Tok::Ne
                    | Tok::Lt
                    | Tok::Le
                    | Tok::Gt
                    | Tok::Ge
                    | Tok::Coalesce
                    | Tok::Plus
                    | Tok::Minus
                    | Tok::Star
                    | Tok::Arrow
            )
    }
}
