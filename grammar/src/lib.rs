//! The contract language's surface: tokens, syntax tree, parser and formatter.
//!
//! Parsing never fails: [`parse`] gives a tree and all errors of the text.

mod actions;
pub mod ast;
mod classify;
pub mod codes;
mod complete;
mod doubts;
mod error;
mod expected;
mod format;
mod forms;
mod habits;
mod idioms;
pub mod keywords;
mod layout;
mod lexemes;
mod lexer;
mod literal;
mod lookalike;
pub mod meanings;
mod message;
mod parse;
mod readings;
mod resolve;
mod slips;
pub mod span;
mod spots;
#[cfg(test)]
mod tests;
mod token;
pub mod walk;
mod words;
pub mod written;

pub use actions::MAX_DEPTH;
pub use classify::{Lexeme, LexemeKind, classify, classify_expr};
pub use complete::{Compared, Completion, Level, PatternHead, Wanted, Within, complete};
pub use doubts::Doubts;
pub use error::SyntaxError;
pub use format::{FormatError, WIDTH, format, format_within, is_formatted};
pub use layout::MAX_NESTING;
pub use lexemes::{Lexemes, lexemes};
pub use lexer::{Comment, CommentKind, MAX_ERRORS, MAX_FILE_BYTES};
pub use message::{MessagePart, message_parts};
pub use parse::{MAX_REPORTED, Parse, parse, parse_expr};
pub use span::Span;
pub use spots::{Spot, SpotKind, Spots, spots};
