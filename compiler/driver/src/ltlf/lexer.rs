//! Tokens of the bare syntaxes.

use super::Kind;
use super::parser::SyntaxError;

/// An operator before its operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Prefix {
    Not,
    Next,
    WeakNext,
    Eventually,
    Always,
    Previously,
    WeakPreviously,
    Once,
    Historically,
}

/// An operator between its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binary {
    Iff,
    Implies,
    Or,
    And,
    Until,
    Release,
    WeakUntil,
    StrongRelease,
    Since,
    Triggered,
}

/// Which way a temporal operator looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Time {
    Past,
    Future,
}

impl Prefix {
    /// Which way it looks; `None` for negation.
    pub(super) fn time(self) -> Option<Time> {
        match self {
            Self::Not => None,
            Self::Next | Self::WeakNext | Self::Eventually | Self::Always => Some(Time::Future),
            Self::Previously | Self::WeakPreviously | Self::Once | Self::Historically => {
                Some(Time::Past)
            }
        }
    }
}

impl Binary {
    /// Which way it looks; `None` for Boolean operators.
    pub(super) fn time(self) -> Option<Time> {
        match self {
            Self::Iff | Self::Implies | Self::Or | Self::And => None,
            Self::Until | Self::Release | Self::WeakUntil | Self::StrongRelease => {
                Some(Time::Future)
            }
            Self::Since | Self::Triggered => Some(Time::Past),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    Prefix(Prefix),
    Binary(Binary),
    True,
    False,
    Atom(&'a str),
    Open,
    Close,
    Assign,
    /// The end of a named formula: `;`, or in `.conj` the end of its line.
    End,
}

/// The tokens of a text with the byte offset of each.
pub(super) struct Lexer<'a> {
    text: &'a str,
    kind: Kind,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, kind: Kind) -> Self {
        Self { text, kind, at: 0 }
    }

    /// Where the last token ends.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// What only stands between tokens: the end of a line is one of its own in `.conj`.
    fn blank(&self) -> impl Fn(char) -> bool + use<> {
        let lines_count = self.kind == Kind::Conj;
        move |c| c.is_whitespace() && !(lines_count && c == '\n')
    }

    /// The next token and where it starts; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<(usize, Token<'a>)>, SyntaxError> {
        loop {
            let rest = self.rest();
            let Some(c) = rest.chars().next() else {
                return Ok(None);
            };
            let start = self.at;
            if c == '\n' && self.kind == Kind::Conj {
                self.at += 1;
                return Ok(Some((start, Token::End)));
            }
            if self.blank()(c) {
                self.at += c.len_utf8();
                continue;
            }
            if c == '#' {
                self.at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            if let Some((text, token)) = SYMBOLS.iter().find(|(text, _)| rest.starts_with(text)) {
                self.at += text.len();
                return Ok(Some((start, *token)));
            }
            if c == '"' {
                let inside = rest.get(1..).unwrap_or("");
                let Some(end) = inside.find('"') else {
                    return Err(SyntaxError::new(
                        self.text,
                        start,
                        "this quoted atom has no end",
                    ));
                };
                self.at += end + 2;
                return Ok(Some((start, Token::Atom(inside.get(..end).unwrap_or("")))));
            }
            if begins_word(c) {
                let len = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                let word = rest.get(..len).unwrap_or("");
                self.at += len;
                let mut token = self.word(word);
                if token == Token::Prefix(Prefix::WeakNext)
                    && word == "X"
                    && let Some(after) = self
                        .rest()
                        .trim_start_matches(self.blank())
                        .strip_prefix("[!]")
                {
                    self.at = self.text.len() - after.len();
                    token = Token::Prefix(Prefix::Next);
                }
                return Ok(Some((start, token)));
            }
            if c.is_ascii_digit() {
                let message = "an atom begins with a letter; truth is written `true` and `false`";
                return Err(SyntaxError::new(self.text, start, message));
            }
            // What cannot be seen is told by its code.
            let shown = match c {
                '\'' | '\\' => c.to_string(),
                c => c.escape_debug().to_string(),
            };
            return Err(SyntaxError::new(
                self.text,
                start,
                format!("`{shown}` means nothing here"),
            ));
        }
    }

    fn word(&self, word: &'a str) -> Token<'a> {
        token_of(word, self.kind)
    }
}

/// What a word without quotes is.
pub(super) fn token_of(word: &str, kind: Kind) -> Token<'_> {
    match word {
        "true" | "True" | "TRUE" => return Token::True,
        "false" | "False" | "FALSE" => return Token::False,
        "F" => return Token::Prefix(Prefix::Eventually),
        "G" => return Token::Prefix(Prefix::Always),
        "U" => return Token::Binary(Binary::Until),
        "R" => return Token::Binary(Binary::Release),
        "W" => return Token::Binary(Binary::WeakUntil),
        _ => {}
    }
    match (kind, word) {
        (Kind::Ltlf | Kind::Conj, "X") => Token::Prefix(Prefix::WeakNext),
        (Kind::Pltl | Kind::AaltafUc, "X") => Token::Prefix(Prefix::Next),
        (Kind::Pltl, "wX") | (Kind::AaltafUc, "N") => Token::Prefix(Prefix::WeakNext),
        (Kind::AaltafUc, "V") => Token::Binary(Binary::Release),
        (Kind::AaltafUc, other) => Token::Atom(other),
        (_, "M") => Token::Binary(Binary::StrongRelease),
        (_, "S") => Token::Binary(Binary::Since),
        (_, "T") => Token::Binary(Binary::Triggered),
        (_, "Y") => Token::Prefix(Prefix::Previously),
        (_, "Z") => Token::Prefix(Prefix::WeakPreviously),
        (_, "O") => Token::Prefix(Prefix::Once),
        (_, "H") => Token::Prefix(Prefix::Historically),
        (_, other) => Token::Atom(other),
    }
}

/// Whether an atom may begin so without quotes.
fn begins_word(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}

/// Whether a name can be told from what stands around it without quotes.
pub(super) fn is_plain(name: &str) -> bool {
    name.starts_with(begins_word) && name.chars().all(is_word)
}

/// Longer ones before their beginnings.
const SYMBOLS: [(&str, Token<'static>); 12] = [
    ("<->", Token::Binary(Binary::Iff)),
    ("->", Token::Binary(Binary::Implies)),
    (":=", Token::Assign),
    ("||", Token::Binary(Binary::Or)),
    ("&&", Token::Binary(Binary::And)),
    ("|", Token::Binary(Binary::Or)),
    ("&", Token::Binary(Binary::And)),
    ("!", Token::Prefix(Prefix::Not)),
    ("~", Token::Prefix(Prefix::Not)),
    ("(", Token::Open),
    (")", Token::Close),
    (";", Token::End),
];
