//! Words before they are written: what is English, what is the policy's own text, and which points are parts of which.

use std::fmt::Write as _;

/// A piece of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Piece {
    /// English: a word, or a mark such as `,` or `(`.
    Word(String),
    /// A piece of the policy: a tool, a field, a constant, a regular expression.
    Code(String),
    /// A name that the words give to a value: a key, an element of a list.
    Name(String),
    /// Another point of the same clause, by its number.
    Point(String),
}

/// A sentence or a part of one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Phrase(pub Vec<Piece>);

/// How words are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// For terminals: names of the policy in back-ticks, its texts and numbers as they are.
    Plain,
    /// Markdown: the policy's text in back-ticks, names in italics.
    Markdown,
}

/// Marks that stand right behind what is before them.
const CLOSING: &str = ",.;:)]";
/// Marks that stand right before what is behind them.
const OPENING: &str = "([";

impl Phrase {
    /// English, split at white space; marks at the ends of words become pieces of their own.
    #[must_use]
    pub fn words(text: &str) -> Self {
        let mut out = Self::default();
        out.say(text);
        out
    }

    /// A piece of the policy.
    #[must_use]
    pub fn code(text: impl Into<String>) -> Self {
        Self(vec![Piece::Code(text.into())])
    }

    /// A name that the words give.
    #[must_use]
    pub fn name(text: impl Into<String>) -> Self {
        Self(vec![Piece::Name(text.into())])
    }

    /// Adds English.
    pub fn say(&mut self, text: &str) -> &mut Self {
        for word in text.split_whitespace() {
            let start = word.trim_start_matches(|c| OPENING.contains(c));
            let opening = word.len() - start.len();
            for mark in word.chars().take(opening) {
                self.0.push(Piece::Word(mark.to_string()));
            }
            let core = start.trim_end_matches(|c| CLOSING.contains(c));
            if !core.is_empty() {
                self.0.push(Piece::Word(core.to_owned()));
            }
            for mark in start.chars().skip(core.chars().count()) {
                self.0.push(Piece::Word(mark.to_string()));
            }
        }
        self
    }

    /// Adds another phrase.
    pub fn add(&mut self, other: Self) -> &mut Self {
        self.0.extend(other.0);
        self
    }

    /// Between two marks.
    #[must_use]
    pub fn between(self, open: &str, close: &str) -> Self {
        let mut out = Self(vec![Piece::Word(open.to_owned())]);
        out.add(self);
        out.0.push(Piece::Word(close.to_owned()));
        out
    }

    /// Several phrases as `a, b or c`.
    #[must_use]
    pub fn list(phrases: Vec<Self>, last: &str) -> Self {
        let mut out = Self::default();
        let count = phrases.len();
        for (at, phrase) in phrases.into_iter().enumerate() {
            if at > 0 {
                out.say(if at + 1 == count { last } else { "," });
            }
            out.add(phrase);
        }
        out
    }

    /// As text.
    #[must_use]
    pub fn write(&self, style: Style) -> String {
        let mut out = String::new();
        let mut glue = true;
        for piece in &self.0 {
            let mark = match piece {
                Piece::Word(word) if word.len() == 1 => word.chars().next(),
                _ => None,
            };
            let closing = mark.is_some_and(|c| CLOSING.contains(c));
            if !glue && !closing {
                out.push(' ');
            }
            glue = mark.is_some_and(|c| OPENING.contains(c));
            match (piece, style) {
                (Piece::Word(word), _) => out.push_str(word),
                (Piece::Code(text), Style::Plain) => out.push_str(&plain(text)),
                (Piece::Name(text), Style::Plain) => out.push_str(text),
                (Piece::Code(text), Style::Markdown) => out.push_str(&code_span(text)),
                (Piece::Name(text), Style::Markdown) => {
                    let _ = write!(out, "*{text}*");
                }
                (Piece::Point(number), _) => {
                    let _ = write!(out, "({number})");
                }
            }
        }
        out
    }

    /// As a sentence: a capital at its start, and a full stop (or the colon that it has) at its end.
    #[must_use]
    pub fn sentence(&self, style: Style) -> String {
        let text = self.write(style);
        let mut out = String::with_capacity(text.len() + 1);
        match self.0.first() {
            Some(Piece::Word(_)) => {
                let mut chars = text.chars();
                out.extend(chars.next().map(|c| c.to_ascii_uppercase()));
                out.push_str(chars.as_str());
            }
            _ => out.push_str(&text),
        }
        if !out.ends_with(':') {
            out.push('.');
        }
        out
    }
}

/// Text without line ends, so that a sentence stays one line.
fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// A piece of the policy on a terminal: in back-ticks, unless it has marks of its own.
fn plain(text: &str) -> String {
    let marked = text.starts_with(['"', '/']) || text.parse::<f64>().is_ok();
    let text = one_line(text);
    if marked { text } else { format!("`{text}`") }
}

/// Text as a code span of CommonMark, whatever back-ticks it has.
#[must_use]
pub fn code_span(text: &str) -> String {
    let text = one_line(text);
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    let pad = if text.is_empty() || text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A sentence with the points that it speaks of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// Its number (`2.1`); empty for a clause itself.
    pub number: String,
    /// What it says; of its points it speaks by their numbers.
    pub phrase: Phrase,
    /// The points.
    pub points: Vec<Item>,
}

impl Item {
    /// As lines: a sentence, then each point further to the right.
    #[must_use]
    pub fn write(&self, style: Style, indent: usize) -> String {
        let mut out = String::new();
        self.lines(style, indent, &mut out);
        out
    }

    fn lines(&self, style: Style, indent: usize, out: &mut String) {
        let pad = " ".repeat(indent);
        let text = if self.number.is_empty() {
            self.phrase.sentence(style)
        } else {
            let text = self.phrase.write(style);
            let end = if text.ends_with(':') { "" } else { ";" };
            format!("{text}{end}")
        };
        let _ = match (style, self.number.as_str()) {
            (_, "") => writeln!(out, "{pad}{text}"),
            (Style::Plain, number) => writeln!(out, "{pad}({number}) {text}"),
            (Style::Markdown, number) => writeln!(out, "{pad}- ({number}) {text}"),
        };
        let deeper = match (style, self.number.is_empty()) {
            (Style::Markdown, true) => indent,
            _ => indent + 2,
        };
        if style == Style::Markdown && self.number.is_empty() && !self.points.is_empty() {
            out.push('\n');
        }
        for point in &self.points {
            point.lines(style, deeper, out);
        }
    }
}
