//! Where everything stands in the bytes. All numbers are little-endian.
//!
//! | bytes | header |
//! | --- | --- |
//! | 0..4 | `CTRB` |
//! | 4..8 | byte order: 0x01020304 |
//! | 8..12 | format version |
//! | 12..16 | number of sections |
//! | 16..24 | length of the artifact in bytes |
//! | 24..32 | XXH64 of all bytes from 32 on |
//! | 32.. | for each section its start and its length in bytes |
//!
//! The sections follow in the order of [`Section`], without gaps but zero bytes up to a multiple of
//! four. A section of records holds records of equally many 32-bit words. Lists stand in the section
//! `lists`, and a record has their first word's index and the number of words. A text is an index
//! into `text starts`; an optional index is one more than the index, or 0.

use super::model::{Coerce, CompareOp, Function, Label, RegisterKind, Side, Status};

pub const MAGIC: [u8; 4] = *b"CTRB";
pub const BYTE_ORDER: u32 = 0x0102_0304;
/// Raised by each change of the format: an artifact is a build product and is rebuilt.
pub const VERSION: u32 = 3;
pub const HEADER: usize = 32;
/// Bytes of a section's entry in the section table.
pub const ENTRY: usize = 8;
pub const WORD: usize = 4;

/// The sections, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Compiler (text).
    Artifact,
    /// Path (text), SHA-256 (8 words), line starts (list).
    Sources,
    /// Server (optional text), name (text).
    Tools,
    /// Server (optional text), name (text), schema of the arguments (optional text).
    Declared,
    /// Name (text).
    Events,
    /// Name (text), arity.
    Lookups,
    /// Pattern (text), first byte and length in `regex automata`, ECMA 262 twin (optional text).
    Regexes,
    /// 0 for messages to the agent, 1 for those of the model; regular expressions (list); first byte and length in
    /// `regex automata`, behind those of [`Self::Regexes`].
    Together,
    /// Code and small operand in bytes 0 and 1 of the first word; three operands.
    Expressions,
    /// Kind and status in bytes 0 and 1, declared event; tools' kind, list; keys (list); condition
    /// (optional); text.
    Patterns,
    /// Kind, member, value (optional), whether there is a window, window (2 words), keys.
    Registers,
    /// Expression, text.
    Atoms,
    /// First state, number of states, initial state, first node, number of nodes.
    Automata,
    /// Label and idle in bytes 0 and 1; root.
    States,
    /// Atom, low, high.
    Nodes,
    /// See [`contract`].
    Contracts,
    /// Side, text, place (3 words).
    Clauses,
    /// Contract, side, trigger, response, within (2 words), text.
    Deadlines,
    /// Words.
    Lists,
    /// Offsets in `texts`, and the end of the last one.
    TextStarts,
    /// Bytes.
    RegexAutomata,
    /// UTF-8.
    Texts,
}

impl Section {
    pub const ALL: [Self; 22] = [
        Self::Artifact,
        Self::Sources,
        Self::Tools,
        Self::Declared,
        Self::Events,
        Self::Lookups,
        Self::Regexes,
        Self::Together,
        Self::Expressions,
        Self::Patterns,
        Self::Registers,
        Self::Atoms,
        Self::Automata,
        Self::States,
        Self::Nodes,
        Self::Contracts,
        Self::Clauses,
        Self::Deadlines,
        Self::Lists,
        Self::TextStarts,
        Self::RegexAutomata,
        Self::Texts,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Artifact => "artifact",
            Self::Sources => "sources",
            Self::Tools => "tools",
            Self::Declared => "declared tools",
            Self::Events => "events",
            Self::Lookups => "lookups",
            Self::Regexes => "regexes",
            Self::Together => "regexes together",
            Self::Expressions => "expressions",
            Self::Patterns => "patterns",
            Self::Registers => "registers",
            Self::Atoms => "atoms",
            Self::Automata => "automata",
            Self::States => "states",
            Self::Nodes => "nodes",
            Self::Contracts => "contracts",
            Self::Clauses => "clauses",
            Self::Deadlines => "deadlines",
            Self::Lists => "lists",
            Self::TextStarts => "text starts",
            Self::RegexAutomata => "regex automata",
            Self::Texts => "texts",
        }
    }

    /// Words of a record; 0 for bytes.
    pub const fn words(self) -> usize {
        match self {
            Self::RegexAutomata | Self::Texts => 0,
            Self::Artifact | Self::Events | Self::Lists | Self::TextStarts => 1,
            Self::Tools | Self::Lookups | Self::States => 2,
            Self::Atoms | Self::Declared | Self::Nodes => 3,
            Self::Expressions | Self::Regexes => 4,
            Self::Automata | Self::Clauses | Self::Together => 5,
            Self::Registers | Self::Deadlines => 7,
            Self::Patterns => 9,
            Self::Sources => 11,
            Self::Contracts => contract::WORDS,
        }
    }
}

/// The words of a contract's record.
pub mod contract {
    pub const NAME: usize = 0;
    pub const MODULE: usize = 1;
    pub const DOC: usize = 2;
    /// Source, start, end.
    pub const PLACE: usize = 3;
    /// List of texts.
    pub const KEYS: usize = 6;
    /// Bits: calls, returns, inputs, outputs.
    pub const WATCH: usize = 8;
    /// List.
    pub const WATCH_EVENTS: usize = 9;
    /// List.
    pub const PATTERNS: usize = 11;
    /// First, number.
    pub const CLAUSES: usize = 13;
    /// First, number.
    pub const DEADLINES: usize = 15;
    /// Optional.
    pub const ASSUME: usize = 17;
    /// Optional.
    pub const GUARANTEE: usize = 18;
    pub const ACTION: usize = 19;
    pub const REDIRECT_TOOL: usize = 20;
    /// List of pairs: name (text), expression.
    pub const REDIRECT_ARGS: usize = 21;
    /// List of pairs: 0 and a text, or 1 and an expression.
    pub const MESSAGE: usize = 23;
    /// Optional text.
    pub const ID: usize = 25;
    /// Optional text.
    pub const SEVERITY: usize = 26;
    /// Two optional texts.
    pub const SOURCE: usize = 27;
    /// List of texts.
    pub const TAGS: usize = 29;
    /// List of texts.
    pub const AGENTS: usize = 31;
    pub const WORDS: usize = 33;
}

/// The codes of expressions; 0 with all operands 0 is the constant `null`.
pub mod op {
    pub const CONST: u8 = 0;
    pub const LIST: u8 = 1;
    pub const ROOT: u8 = 2;
    pub const PATH: u8 = 3;
    pub const NOT: u8 = 4;
    pub const AND: u8 = 5;
    pub const OR: u8 = 6;
    pub const IFF: u8 = 7;
    pub const COMPARE: u8 = 8;
    pub const IN: u8 = 9;
    pub const MATCHES: u8 = 10;
    pub const LIKE: u8 = 11;
    pub const CONTAINS: u8 = 12;
    pub const STARTS_WITH: u8 = 13;
    pub const ENDS_WITH: u8 = 14;
    pub const INSIDE: u8 = 15;
    pub const HAS: u8 = 16;
    pub const COALESCE: u8 = 17;
    pub const EVERY: u8 = 18;
    pub const SOME: u8 = 19;
    pub const ADD: u8 = 20;
    pub const SUB: u8 = 21;
    pub const MUL: u8 = 22;
    pub const NEG: u8 = 23;
    pub const CALL: u8 = 24;
    pub const LOOKUP: u8 = 25;
    pub const READ: u8 = 26;
    pub const MENTIONED: u8 = 27;
    pub const FRESH: u8 = 28;
    pub const PATTERN: u8 = 29;
}

/// The codes of constants.
pub mod constant {
    pub const NULL: u8 = 0;
    pub const BOOL: u8 = 1;
    /// Five words in `lists`: the exponent, the coefficient from its lowest word.
    pub const NUMBER: u8 = 2;
    pub const STR: u8 = 3;
    pub const DURATION: u8 = 4;
    pub const TIMESTAMP: u8 = 5;
}

/// The codes of roots.
pub mod root {
    pub const ARGS: u8 = 0;
    pub const RESULT: u8 = 1;
    pub const TEXT: u8 = 2;
    pub const FIELDS: u8 = 3;
    pub const AGENT: u8 = 4;
    pub const SERVER: u8 = 5;
    pub const TIME: u8 = 6;
    pub const TURN: u8 = 7;
    pub const DEPTH: u8 = 8;
    pub const TOKENS: u8 = 9;
    pub const CONTEXT: u8 = 10;
    pub const KEY: u8 = 11;
    pub const VAR: u8 = 12;
}

/// The codes of a path's steps.
pub mod step {
    pub const FIELD: u32 = 0;
    pub const INDEX: u32 = 1;
    pub const ALL: u32 = 2;
}

/// The codes of kinds of event.
pub mod kind {
    pub const CALL: u8 = 0;
    pub const RETURN: u8 = 1;
    pub const INPUT: u8 = 2;
    pub const OUTPUT: u8 = 3;
    pub const DECLARED: u8 = 4;
}

/// The codes of choices of tools.
pub mod tools {
    pub const ANY: u32 = 0;
    pub const ONE_OF: u32 = 1;
    pub const EXCEPT: u32 = 2;
}

/// The codes of actions.
pub mod action {
    pub const BLOCK: u32 = 0;
    pub const WARN: u32 = 1;
    pub const ESCALATE: u32 = 2;
    pub const REDIRECT: u32 = 3;
    pub const REPAIR: u32 = 4;
}

/// Set in a reference to a node, not in one to a state.
pub const NODE_BIT: u32 = 1 << 31;

// In the following tables a value's code is its position.

pub const COERCE: [Coerce; 4] = [
    Coerce::None,
    Coerce::Number,
    Coerce::Timestamp,
    Coerce::Duration,
];
pub const COMPARE: [CompareOp; 6] = [
    CompareOp::Eq,
    CompareOp::Ne,
    CompareOp::Lt,
    CompareOp::Le,
    CompareOp::Gt,
    CompareOp::Ge,
];
pub const FUNCTION: [Function; 11] = [
    Function::Len,
    Function::Text,
    Function::Lower,
    Function::Upper,
    Function::Trim,
    Function::Number,
    Function::Host,
    Function::Abs,
    Function::Keys,
    Function::Timestamp,
    Function::Duration,
];
pub const REGISTER: [RegisterKind; 10] = [
    RegisterKind::Count,
    RegisterKind::Streak,
    RegisterKind::Sum,
    RegisterKind::Min,
    RegisterKind::Max,
    RegisterKind::Latest,
    RegisterKind::First,
    RegisterKind::Values,
    RegisterKind::Elapsed,
    RegisterKind::Texts,
];
/// Which returns: of any status, or of one.
pub const STATUS: [Option<Status>; 4] = [
    None,
    Some(Status::Success),
    Some(Status::Failure),
    Some(Status::Unknown),
];
pub const LABEL: [Label; 4] = [
    Label::SatisfiedForGood,
    Label::Satisfied,
    Label::Pending,
    Label::ViolatedForGood,
];
pub const SIDE: [Side; 2] = [Side::Assume, Side::Guarantee];

/// A value's code in its table.
pub fn code<T: PartialEq>(table: &[T], value: &T) -> u32 {
    let at = table.iter().position(|entry| entry == value).unwrap_or(0);
    u32::try_from(at).unwrap_or(0)
}

/// The value of a code in its table.
pub fn value<T: Copy>(table: &[T], code: u32) -> Option<T> {
    table.get(usize::try_from(code).ok()?).copied()
}
