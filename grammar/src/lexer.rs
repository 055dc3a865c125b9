//! The lexer: text to tokens and comments.
//!
//! It never fails. What it cannot read it reports, and gives the token that was most likely meant
//! (`&&` is reported and read as `and`), so that one slip is one error and the rest is still read.

use std::collections::HashMap;

use logos::Logos;

use crate::error::{SyntaxError, is_bidi, is_invisible, quote};
use crate::keywords::suggest;
use crate::literal::{Numeral, NumeralError, classify_number, decode_string, scan_delimited};
use crate::lookalike::{bidi, full_width, hidden_text, lone_cr, look_alike, mixed};
use crate::span::Span;
use crate::token::{NOT_FIRST, Tok, Token, word};

/// The largest file that is read, in bytes.
pub const MAX_FILE_BYTES: usize = 16 * 1024 * 1024;

/// After so many errors of the lexer the rest are only counted.
pub const MAX_ERRORS: usize = 100;

/// What kind of comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CommentKind {
    /// `// text`
    Line,
    /// `/* text */`
    Block,
    /// `/// text`: documentation of the item that follows.
    Doc,
    /// `//! text`: documentation of the file.
    FileDoc,
}

/// A comment and where it stands, marker included, line end excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Its kind.
    pub kind: CommentKind,
    /// Its bytes.
    pub span: Span,
}

/// What the lexer gives.
#[derive(Debug, Default)]
pub(crate) struct Lexed {
    /// Tokens in order; words are not yet joined to operators of two words.
    pub tokens: Vec<Token>,
    /// Comments in order.
    pub comments: Vec<Comment>,
    /// Errors in order.
    pub errors: Vec<SyntaxError>,
    /// Names that were written with look-alike letters, by their start: what was meant.
    pub names: HashMap<u32, String>,
    /// Names in back-ticks that mix ASCII letters with others that look like them, and what they seem to be.
    pub mixed: Vec<(Span, String)>,
}

#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"(\r\n|[ \t\n\f])+")]
enum Raw {
    #[regex("[A-Za-z_][A-Za-z0-9_]*")]
    Word,
    #[regex(r"[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?[0-9A-Za-z_]*")]
    Number,
    #[token("//")]
    LineComment,
    #[token("/*")]
    BlockComment,
    #[token("/")]
    Slash,
    #[token("\"")]
    Quote,
    #[token("'")]
    SingleQuote,
    #[token("`")]
    Backtick,
    #[token("\r")]
    LoneCr,
    #[token("(")]
    LParen,
    #[token(")")]
    RParen,
    #[token("{")]
    LBrace,
    #[token("}")]
    RBrace,
    #[token("[")]
    LBracket,
    #[token("]")]
    RBracket,
    #[token(",")]
    Comma,
    #[token(".")]
    Dot,
    #[token(":")]
    Colon,
    #[token("?")]
    Question,
    #[token("|")]
    Pipe,
    #[token("@")]
    At,
    #[token("=")]
    Assign,
    #[token("==")]
    EqEq,
    #[token("!=")]
    Ne,
    #[token("<")]
    Lt,
    #[token("<=")]
    Le,
    #[token(">")]
    Gt,
    #[token(">=")]
    Ge,
    #[token("??")]
    Coalesce,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("->")]
    Arrow,
    #[token("&&")]
    AndAnd,
    #[token("||")]
    OrOr,
    #[token("!")]
    Bang,
    #[token(";")]
    Semicolon,
    #[token("=>")]
    FatArrow,
    #[token("===")]
    Same,
    #[token("!==")]
    NotSame,
    #[token("<>")]
    Differs,
    #[token("<=>")]
    #[token("<->")]
    Equivalent,
    #[token(":=")]
    Becomes,
    #[token("=~")]
    Fits,
    #[token("::")]
    Path,
    #[token("&")]
    And,
    #[token("#")]
    Hash,
    #[token("--")]
    Dashes,
    #[token("|||||||")]
    Base,
    #[regex(r"[^\x00-\x7F]")]
    Other,
}

/// Reads `source` from `from` to `to`; spans count from the start of `source`.
pub(crate) fn lex(source: &str, from: usize, to: usize) -> Lexed {
    let text = source.get(from..to).unwrap_or("");
    let bom = if from == 0 && text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    let base = from + bom;
    let text = text.get(bom..).unwrap_or("");
    let mut lexer = Lexer {
        source,
        base,
        raw: Raw::lexer(text),
        out: Lexed::default(),
        last_end: base,
        first: true,
        column: 0,
        suppressed: 0,
    };
    lexer.run();
    lexer.out
}

struct Lexer<'s> {
    source: &'s str,
    base: usize,
    raw: logos::Lexer<'s, Raw>,
    out: Lexed,
    /// End of the latest token or comment.
    last_end: usize,
    /// No token has been seen on this line.
    first: bool,
    /// Column at which this line's first token stands.
    column: u32,
    suppressed: usize,
}

pub(crate) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

pub(crate) fn span_of(start: usize, end: usize) -> Span {
    Span::new(offset(start), offset(end))
}

impl Lexer<'_> {
    fn run(&mut self) {
        while let Some(raw) = self.raw.next() {
            let start = self.base + self.raw.span().start;
            self.note_lines(start);
            match raw {
                Ok(raw) => self.step(raw, start),
                Err(()) => self.strange(start),
            }
            self.last_end = self.end();
        }
        if self.suppressed > 0 {
            let end = offset(self.source.len());
            self.out.errors.push(SyntaxError::new(
                "E0002",
                Span::new(end, end),
                format!(
                    "errors of this kind that are not shown: {}",
                    self.suppressed
                ),
            ));
        }
    }

    fn end(&self) -> usize {
        self.base + self.raw.span().end
    }

    fn rest(&self) -> &str {
        self.source
            .get(self.end()..self.base + self.raw.source().len())
            .unwrap_or("")
    }

    fn text(&self, start: usize, end: usize) -> &str {
        self.source.get(start..end).unwrap_or("")
    }

    /// Sees whether a line ended between the latest token and `start`.
    fn note_lines(&mut self, start: usize) {
        let gap = self.source.get(self.last_end..start).unwrap_or("");
        if let Some(at) = gap.rfind('\n') {
            self.first = true;
            self.column = offset(gap.len() - at - 1);
        } else if self.last_end == self.base && self.out.tokens.is_empty() {
            self.column = offset(start - self.base);
        }
    }

    fn push(&mut self, tok: Tok, start: usize) {
        let column = if self.first { self.column } else { NOT_FIRST };
        self.first = false;
        let span = span_of(start, self.end());
        self.out.tokens.push(Token {
            tok,
            span,
            column,
            inserted: false,
        });
    }

    fn error(&mut self, error: SyntaxError) {
        if self.out.errors.len() < MAX_ERRORS {
            self.out.errors.push(error);
        } else {
            self.suppressed += 1;
        }
    }

    fn step(&mut self, raw: Raw, start: usize) {
        let marks = matches!(raw, Raw::Lt | Raw::Gt | Raw::Same | Raw::Base);
        if marks && self.conflict_marker(start) {
            return;
        }
        let tok = match raw {
            Raw::Word => return self.word(start),
            Raw::Number => return self.number(start),
            Raw::LineComment => return self.line_comment(start),
            Raw::BlockComment => return self.block_comment(start),
            Raw::Slash => return self.regex(start),
            Raw::Quote => return self.string(start),
            Raw::SingleQuote => return self.single_quoted(start),
            Raw::Backtick => return self.quoted_name(start),
            Raw::Other => return self.other(start),
            Raw::LoneCr => {
                let at = span_of(start, self.end());
                return self.error(lone_cr(at));
            }
            Raw::Semicolon => {
                let at = span_of(start, self.end());
                return self.error(
                    SyntaxError::new("E0022", at, "`;` has no meaning here")
                        .help("clauses and items end by themselves; leave it out")
                        .fix(at, "")
                        .sure(),
                );
            }
            Raw::AndAnd | Raw::And => return self.foreign(start, Tok::And, "and"),
            Raw::Equivalent => return self.foreign(start, Tok::Iff, "iff"),
            Raw::Becomes => return self.foreign(start, Tok::Assign, "="),
            Raw::Fits => return self.foreign(start, Tok::Matches, "matches"),
            Raw::Path => return self.foreign(start, Tok::Dot, "."),
            Raw::Base => return self.foreign(start, Tok::Or, "or"),
            Raw::Hash => return self.foreign_comment(start),
            Raw::Dashes => {
                let spaced =
                    self.rest().is_empty() || self.rest().starts_with([' ', '\t', '\r', '\n']);
                if spaced || self.first_on_line(start) {
                    return self.foreign_comment(start);
                }
                // `- -1` without its space: two signs.
                let column = if self.first { self.column } else { NOT_FIRST };
                self.first = false;
                for at in [start, start + 1] {
                    self.out.tokens.push(Token {
                        tok: Tok::Minus,
                        span: span_of(at, at + 1),
                        column: if at == start { column } else { NOT_FIRST },
                        inserted: false,
                    });
                }
                return;
            }
            Raw::OrOr => return self.foreign(start, Tok::Or, "or"),
            Raw::Bang => return self.foreign(start, Tok::Not, "not"),
            Raw::FatArrow if self.compares() => return self.foreign(start, Tok::Ge, ">="),
            Raw::FatArrow => return self.foreign(start, Tok::Implies, "implies"),
            Raw::Same => return self.foreign(start, Tok::EqEq, "=="),
            Raw::NotSame | Raw::Differs => return self.foreign(start, Tok::Ne, "!="),
            Raw::LParen => Tok::LParen,
            Raw::RParen => Tok::RParen,
            Raw::LBrace => Tok::LBrace,
            Raw::RBrace => Tok::RBrace,
            Raw::LBracket => Tok::LBracket,
            Raw::RBracket => Tok::RBracket,
            Raw::Comma => Tok::Comma,
            Raw::Dot => Tok::Dot,
            Raw::Colon => Tok::Colon,
            Raw::Question => Tok::Question,
            Raw::Pipe => Tok::Pipe,
            Raw::At => Tok::At,
            Raw::Assign => Tok::Assign,
            Raw::EqEq => Tok::EqEq,
            Raw::Ne => Tok::Ne,
            Raw::Lt => Tok::Lt,
            Raw::Le => Tok::Le,
            Raw::Gt => Tok::Gt,
            Raw::Ge => Tok::Ge,
            Raw::Coalesce => Tok::Coalesce,
            Raw::Plus => Tok::Plus,
            Raw::Minus => Tok::Minus,
            Raw::Star => Tok::Star,
            Raw::Arrow => Tok::Arrow,
        };
        self.push(tok, start);
    }

    /// Whether no token has been seen on this line.
    fn first_on_line(&self, start: usize) -> bool {
        self.first
            && self
                .source
                .get(..start)
                .is_some_and(|before| before.trim_end_matches([' ', '\t']).ends_with('\n'))
    }

    /// Whether a number follows a name: `x => 3` is about size.
    fn compares(&self) -> bool {
        let name = self.out.tokens.last().is_some_and(|t| t.tok == Tok::Ident);
        let next = self.rest().trim_start_matches(' ');
        name && next.starts_with(|c: char| c.is_ascii_digit())
    }

    /// `# text`, `-- text`
    fn foreign_comment(&mut self, start: usize) {
        let at = span_of(start, self.end());
        let written = self.text(start, self.end()).to_owned();
        self.error(
            SyntaxError::new(
                "E0069",
                at,
                format!("`{written}` does not begin a comment in this language"),
            )
            .help("a comment begins with `//`")
            .fix(at, "//")
            .sure(),
        );
        self.line_comment(start);
    }

    fn foreign(&mut self, start: usize, tok: Tok, meant: &str) {
        let at = span_of(start, self.end());
        let written = self.text(start, self.end()).to_owned();
        let spaced = if tok == Tok::Not {
            format!("{meant} ")
        } else {
            meant.to_owned()
        };
        let mut error = SyntaxError::new(
            "E0022",
            at,
            format!("`{written}` is written `{meant}` in this language"),
        )
        .fix(at, spaced);
        // `!` binds tighter than `not` does.
        error.safe = matches!(
            tok,
            Tok::And | Tok::Or | Tok::EqEq | Tok::Ne | Tok::Assign | Tok::Dot
        ) || matches!(written.as_str(), "≤" | "≥");
        self.error(error);
        self.push(tok, start);
    }

    /// A run of seven marker characters at the start of a line.
    fn conflict_marker(&mut self, start: usize) -> bool {
        const MARKERS: [&str; 4] = ["<<<<<<<", "=======", ">>>>>>>", "|||||||"];
        if !self.first || self.column != 0 {
            return false;
        }
        let rest = self.source.get(start..).unwrap_or("");
        let Some(marker) = MARKERS.iter().find(|m| rest.starts_with(**m)) else {
            return false;
        };
        // Of the two sides the first is read, so that the conflict is one error.
        let skipped = if matches!(*marker, "=======" | "|||||||") {
            rest.find("\n>>>>>>>").map_or(rest.len(), |at| {
                let tail = rest.get(at + 1..).unwrap_or("");
                at + 1 + tail.find('\n').unwrap_or(tail.len())
            })
        } else {
            rest.find('\n').unwrap_or(rest.len())
        };
        if *marker == "<<<<<<<" || !self.in_conflict() {
            let line = rest.lines().next().unwrap_or("");
            self.error(
                SyntaxError::new(
                    "E0021",
                    span_of(start, start + line.len()),
                    "a merge conflict has not been resolved",
                )
                .help("keep one of the two sides and delete the lines of markers"),
            );
        }
        let done = self.end() - start;
        self.raw
            .bump(skipped.saturating_sub(done).min(self.rest().len()));
        true
    }

    fn in_conflict(&self) -> bool {
        self.out.errors.iter().rev().any(|e| e.code == "E0021")
    }

    fn word(&mut self, start: usize) {
        if self
            .rest()
            .starts_with(|c: char| !c.is_ascii() && c.is_alphanumeric())
        {
            return self.foreign_word(start);
        }
        let tok = word(self.text(start, self.end()));
        self.push(tok, start);
    }

    /// A word with letters outside ASCII.
    fn foreign_word(&mut self, start: usize) {
        let rest = self.rest();
        let more = rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(rest.len());
        self.raw.bump(more);
        let text = self.text(start, self.end());
        let meant: Option<String> = text
            .chars()
            .map(|c| if c.is_ascii() { Some(c) } else { look_alike(c) })
            .collect();
        let at = span_of(start, self.end());
        let error = match &meant {
            Some(meant) => {
                let strange = text.chars().find(|c| !c.is_ascii()).unwrap_or(' ');
                SyntaxError::new(
                    "E0025",
                    at,
                    format!(
                        "{} holds letters that only look like ASCII ones",
                        quote(text)
                    ),
                )
                .help(format!(
                    "`{strange}` is U+{:04X}; write `{meant}`",
                    u32::from(strange)
                ))
                .fix(at, meant.clone())
            }
            None => SyntaxError::new(
                "E0010",
                at,
                format!("{} has letters outside ASCII", quote(text)),
            )
            .help("write a name with such letters in back-ticks")
            .fix(at, format!("`{text}`")),
        };
        let name = meant.unwrap_or_else(|| text.to_owned());
        self.error(error);
        let tok = word(&name);
        if tok == Tok::Ident {
            self.out.names.insert(offset(start), name);
        }
        self.push(tok, start);
    }

    fn number(&mut self, start: usize) {
        if self
            .rest()
            .starts_with(|c: char| !c.is_ascii() && c.is_alphanumeric())
        {
            let rest = self.rest();
            let more = rest
                .find(|c: char| !c.is_alphanumeric())
                .unwrap_or(rest.len());
            self.raw.bump(more);
        }
        let text = self.text(start, self.end());
        let at = span_of(start, self.end());
        let (tok, error) = match classify_number(text) {
            Ok(Numeral::Number) => (Tok::Number, None),
            Ok(Numeral::Duration(_)) => (Tok::Duration, None),
            Err(error) => {
                let tok = if matches!(error, NumeralError::Number(_)) {
                    Tok::Number
                } else {
                    Tok::Duration
                };
                (tok, Some(error.describe(text, at)))
            }
        };
        if let Some(error) = error {
            self.error(error);
        }
        self.push(tok, start);
    }

    fn line_comment(&mut self, start: usize) {
        let rest = self.rest();
        let mut length = rest.find('\n').unwrap_or(rest.len());
        if rest.get(..length).is_some_and(|t| t.ends_with('\r')) {
            length -= 1;
        }
        self.raw.bump(length);
        let text = self.text(start, self.end());
        let kind = if text.starts_with("//!") {
            CommentKind::FileDoc
        } else if text.starts_with("///") && !text.starts_with("////") {
            CommentKind::Doc
        } else {
            CommentKind::Line
        };
        self.comment(kind, start);
    }

    fn block_comment(&mut self, start: usize) {
        let rest = self.rest();
        match rest.find("*/") {
            Some(at) => {
                let nested = rest.get(..at).and_then(|t| t.find("/*"));
                let after = rest.get(at + 2..).unwrap_or("");
                let line = after.find('\n').unwrap_or(after.len());
                let end = after.get(..line).and_then(|t| t.find("*/"));
                self.raw.bump(at + 2);
                if let (Some(inner), Some(end)) = (nested, end) {
                    let inner = start + 2 + inner;
                    self.raw.bump(end + 2);
                    self.error(
                        SyntaxError::new(
                            "E0069",
                            span_of(inner, inner + 2),
                            "a comment inside a comment: comments do not nest",
                        )
                        .help("begin each line with `//` instead"),
                    );
                }
            }
            None => {
                let length = rest.len();
                self.raw.bump(length);
                self.error(
                    SyntaxError::new(
                        "E0012",
                        span_of(start, start + 2),
                        "this comment is not closed",
                    )
                    .help("close it with `*/`"),
                );
            }
        }
        self.comment(CommentKind::Block, start);
    }

    fn comment(&mut self, kind: CommentKind, start: usize) {
        let end = self.end();
        if let Some(error) = hidden_text(self.text(start, end), start, "a comment", false) {
            self.error(error);
        }
        self.out.comments.push(Comment {
            kind,
            span: span_of(start, end),
        });
        // A block comment may hold line ends; what follows it on its last line is no first token,
        // which is as the reader sees it.
    }

    fn string(&mut self, start: usize) {
        let (length, closed) = scan_delimited(self.rest(), '"', false);
        self.raw.bump(length);
        if !closed {
            let end = self.end();
            self.error(
                SyntaxError::new(
                    "E0011",
                    span_of(start, start + 1),
                    "this string is not closed",
                )
                .label(span_of(end, end), "the line ends here")
                .help("close it with `\"`; a line end inside a string is written `\\n`"),
            );
            return self.push(Tok::Str, start);
        }
        self.finish_string(start);
    }

    fn finish_string(&mut self, start: usize) {
        let end = self.end();
        let hidden = hidden_text(self.text(start, end), start, "a string", true);
        if let Some(error) = hidden {
            self.error(error);
        }
        let mut errors = Vec::new();
        decode_string(self.text(start, end), start, Some(&mut errors));
        for error in errors {
            self.error(error);
        }
        self.push(Tok::Str, start);
    }

    fn single_quoted(&mut self, start: usize) {
        let (length, closed) = scan_delimited(self.rest(), '\'', false);
        self.raw.bump(length);
        if !closed {
            let at = span_of(start, start + 1);
            self.error(
                SyntaxError::new("E0010", at, "`'` has no meaning here")
                    .help("strings stand in double quotes"),
            );
            return self.push(Tok::Error, start);
        }
        let at = span_of(start, self.end());
        let inner = self.text(start + 1, self.end() - 1);
        let inner = inner.replace("\\'", "'").replace('"', "\\\"");
        self.error(
            SyntaxError::new("E0024", at, "strings stand in double quotes")
                .fix(at, format!("\"{inner}\"")),
        );
        self.finish_string(start);
    }

    fn smart_quoted(&mut self, start: usize) {
        let rest = self.rest();
        let line = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let text = rest.get(..line).unwrap_or("");
        let Some(at) = text.find(['“', '”', '„', '"', '«', '»']) else {
            return self.strange(start);
        };
        let close = text
            .get(at..)
            .and_then(|t| t.chars().next())
            .map_or(0, char::len_utf8);
        let inner = text.get(..at).unwrap_or("").to_owned();
        self.raw.bump(at + close);
        let whole = span_of(start, self.end());
        self.error(
            SyntaxError::new(
                "E0024",
                whole,
                "these are typographic quotes, strings stand in `\"`",
            )
            .fix(whole, format!("\"{inner}\"")),
        );
        self.finish_string(start);
    }

    fn quoted_name(&mut self, start: usize) {
        let rest = self.rest();
        let line = rest.find(['\n', '\r']).unwrap_or(rest.len());
        match rest.get(..line).and_then(|t| t.find('`')) {
            Some(at) => {
                let empty = rest.get(..at).unwrap_or("").trim().is_empty();
                self.raw.bump(at + 1);
                let end = self.end();
                if empty {
                    self.error(SyntaxError::new(
                        "E0026",
                        span_of(start, end),
                        "a name in back-ticks cannot be empty",
                    ));
                }
                if let Some(error) = hidden_text(self.text(start, end), start, "a name", true) {
                    self.error(error);
                } else if let Some(seems) = mixed(self.text(start, end)) {
                    self.out.mixed.push((span_of(start, end), seems));
                }
            }
            None => {
                // The name most likely ends where a bare word would.
                let more = rest
                    .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-')))
                    .unwrap_or(rest.len());
                self.raw.bump(more);
                self.error(
                    SyntaxError::new(
                        "E0026",
                        span_of(start, start + 1),
                        "this name in back-ticks is not closed",
                    )
                    .help("close it with a back-tick on the same line"),
                );
            }
        }
        self.push(Tok::Ident, start);
    }

    /// Whether a `/` is meant as a division: after a value, and before a number or a space.
    fn divides(&self, start: usize) -> bool {
        let after_value = self.out.tokens.last().is_some_and(|t| match t.tok {
            Tok::Ident => suggest(self.text(t.span.start as usize, t.span.end as usize), |k| {
                k.name == "matches"
            })
            .is_none(),
            tok => matches!(tok, Tok::Number | Tok::RParen | Tok::RBracket),
        });
        let line_end = self.text(self.last_end, start).contains('\n');
        after_value
            && !line_end
            && self
                .rest()
                .starts_with(|c: char| c == ' ' || c.is_ascii_digit())
    }

    /// `mail/send`: a name that wants back-ticks, or a module's path.
    fn slashed_name(&mut self, start: usize) -> bool {
        let adjacent = |t: &Token| t.tok == Tok::Ident && t.span.end as usize == start;
        let count = self.out.tokens.len();
        let before = count
            .checked_sub(2)
            .and_then(|i| self.out.tokens.get(i))
            .map(|t| t.tok);
        if !self.out.tokens.last().is_some_and(adjacent)
            || !self.rest().starts_with(|c: char| c.is_ascii_alphabetic())
        {
            return false;
        }
        let rest = self.rest();
        // A `/` that no name follows is no part of it: it may begin a comment.
        let mut more = 0;
        for part in rest.split('/') {
            let word = part
                .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                .unwrap_or(part.len());
            if word == 0 {
                break;
            }
            more += word + usize::from(more > 0);
            if word < part.len() {
                break;
            }
        }
        self.raw.bump(more);
        let end = self.end();
        let Some(name) = self.out.tokens.last_mut() else {
            return false;
        };
        let module = matches!(before, Some(Tok::Import | Tok::Include));
        let at = span_of(name.span.start as usize, end);
        if !module {
            name.span = at;
        }
        let text = at.text(self.source).to_owned();
        let error = SyntaxError::new("E0065", at, format!("`{text}` is no plain name"));
        if !module {
            self.error(
                error
                    .help("a name with other characters than letters, digits and `_` stands in back-ticks")
                    .fix(at, format!("`{text}`")),
            );
            return true;
        }
        self.error(
            error
                .help("the parts of a module's name are joined by dots")
                .fix(at, text.replace('/', ".")),
        );
        // It is read as if it were written so.
        let mut from = start;
        let path = span_of(start, end).text(self.source);
        for part in path.split('/').skip(1) {
            let token = |tok: Tok, from: usize, to: usize| Token {
                tok,
                span: span_of(from, to),
                column: NOT_FIRST,
                inserted: false,
            };
            let to = from + 1 + part.len();
            self.out.tokens.push(token(Tok::Dot, from, from + 1));
            self.out.tokens.push(token(Tok::Ident, from + 1, to));
            from = to;
        }
        true
    }

    fn regex(&mut self, start: usize) {
        if self.divides(start) {
            self.error(
                SyntaxError::new(
                    "E0010",
                    span_of(start, start + 1),
                    "there is no division in this language",
                )
                .help("multiply the other side instead: `x == 2 * y` for `x / 2 == y`"),
            );
            return self.push(Tok::Error, start);
        }
        if self.slashed_name(start) {
            return;
        }
        let (length, closed) = scan_delimited(self.rest(), '/', true);
        self.raw.bump(length);
        if closed {
            let flags = self
                .rest()
                .find(|c: char| !c.is_ascii_alphabetic())
                .unwrap_or(self.rest().len());
            self.raw.bump(flags);
        } else {
            let end = self.end();
            self.error(
                SyntaxError::new(
                    "E0013",
                    span_of(start, start + 1),
                    "this regular expression is not closed",
                )
                .label(span_of(end, end), "the line ends here")
                .help("close it with `/`; there is no division in this language"),
            );
        }
        let end = self.end();
        if let Some(error) = hidden_text(self.text(start, end), start, "a regular expression", true)
        {
            self.error(error);
        }
        self.push(Tok::Regex, start);
    }

    /// A character outside ASCII, not in a string or comment.
    fn other(&mut self, start: usize) {
        let Some(c) = self.text(start, self.end()).chars().next() else {
            return;
        };
        let at = span_of(start, self.end());
        match c {
            '“' | '”' | '„' | '«' => return self.smart_quoted(start),
            '≤' => return self.foreign(start, Tok::Le, "<="),
            '≥' => return self.foreign(start, Tok::Ge, ">="),
            '≠' => return self.foreign(start, Tok::Ne, "!="),
            '⇔' | '↔' => return self.foreign(start, Tok::Iff, "iff"),
            '→' | '⇒' => return self.foreign(start, Tok::Implies, "implies"),
            '∧' => return self.foreign(start, Tok::And, "and"),
            '∨' => return self.foreign(start, Tok::Or, "or"),
            '¬' => return self.foreign(start, Tok::Not, "not"),
            _ => {}
        }
        if c.is_alphanumeric() {
            return self.foreign_word(start);
        }
        if let Some(ascii) = full_width(c) {
            let tok = match ascii {
                '(' => Some(Tok::LParen),
                ')' => Some(Tok::RParen),
                '{' => Some(Tok::LBrace),
                '}' => Some(Tok::RBrace),
                '[' => Some(Tok::LBracket),
                ']' => Some(Tok::RBracket),
                ',' => Some(Tok::Comma),
                '.' => Some(Tok::Dot),
                ':' => Some(Tok::Colon),
                '=' => Some(Tok::Assign),
                '<' => Some(Tok::Lt),
                '>' => Some(Tok::Gt),
                _ => None,
            };
            self.error(
                SyntaxError::new(
                    "E0025",
                    at,
                    format!("`{c}` only looks like the ASCII `{ascii}`"),
                )
                .fix(at, ascii.to_string()),
            );
            return self.push(tok.unwrap_or(Tok::Error), start);
        }
        if c.is_whitespace() {
            return self.error(
                SyntaxError::new(
                    "E0010",
                    at,
                    format!("U+{:04X} is white space of another kind", u32::from(c)),
                )
                .help("write an ordinary space")
                .fix(at, " "),
            );
        }
        if is_bidi(c) {
            return self.error(bidi(at, c, "the text"));
        }
        if is_invisible(c) {
            return self.error(
                SyntaxError::new(
                    "E0010",
                    at,
                    format!("an invisible character, U+{:04X}", u32::from(c)),
                )
                .fix(at, ""),
            );
        }
        self.strange(start);
    }

    /// Characters that no token begins with: a run of them is one error.
    fn strange(&mut self, start: usize) {
        let at = span_of(start, self.end());
        let text = self.text(start, self.end()).to_owned();
        let nul = text.contains('\0');
        let code = if nul { "E0019" } else { "E0010" };
        let extends = self.last_end == start
            && self
                .out
                .tokens
                .last()
                .is_some_and(|t| t.tok == Tok::Error && t.span.end == at.start);
        if extends {
            if let Some(last) = self.out.tokens.last_mut() {
                last.span.end = at.end;
                let token = last.span;
                if let Some(error) = self.out.errors.last_mut()
                    && error.span.end == at.start
                    && error.span.start == token.start
                {
                    error.span.end = at.end;
                }
            }
            return;
        }
        let message = if nul {
            "the file holds a NUL byte".to_owned()
        } else {
            format!("{} has no meaning here", quote(&text))
        };
        let error = SyntaxError::new(code, at, message);
        let error = match text.as_str() {
            _ if nul => error.help("is this a text file in UTF-8"),
            "€" | "£" | "¥" => error
                .help("a number has no sign behind it; its unit is what the tool takes")
                .fix(at, ""),
            "%" | "^" => error.help("arithmetic has `+`, `-`, and `*` by a constant"),
            "$" if self.rest().starts_with(|c: char| c.is_ascii_digit()) => error
                .help("a number has no sign before it; its unit is what the tool takes")
                .fix(at, ""),
            "$" => error.help("names are written bare, and values of a message as `{name}`"),
            _ => error,
        };
        self.error(error);
        self.push(Tok::Error, start);
    }
}
