//! Regular expressions that hardly mean what they say.

use ctr_grammar::Span;
use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::ast::{
    AssertionKind, Ast, ClassBracketed, ClassSet, ClassSetItem, Literal, LiteralKind,
    RepetitionKind,
};

use super::super::Checker;
use super::super::scope::Src;
use super::{shape, warning};
use crate::diagnostic::Fix;

/// How deeply an expression may be nested to be looked at.
const NEST_LIMIT: u32 = 100;

/// Ends of host names, and of file names, after which an unescaped dot is a slip. Endings that are words of
/// their own are left out: `api.key` is also a way to find `api-key`.
const ENDINGS: [&str; 29] = [
    "com", "org", "net", "edu", "gov", "io", "dev", "uk", "de", "eu", "internal", "json", "txt",
    "md", "pdf", "csv", "py", "js", "pem", "exe", "yaml", "yml", "toml", "xml", "html", "zip",
    "docx", "xlsx", "png",
];

/// A regular expression as it stands in a text.
struct Written<'a> {
    src: Src<'a>,
    span: Span,
    /// Whether the text between the strokes is the pattern, letter by letter.
    exact: bool,
    /// Whether `^` and `$` may stand for the ends of lines.
    lines: bool,
}

impl Written<'_> {
    /// The place of a part of the pattern, or that of the whole expression.
    fn place(&self, start: usize, end: usize) -> Span {
        if !self.exact {
            return self.span;
        }
        let at = |n: usize| {
            let n = u32::try_from(n).unwrap_or(0);
            (self.span.start + 1 + n).min(self.span.end)
        };
        Span::new(at(start), at(end))
    }

    fn part(&self, span: &regex_syntax::ast::Span) -> Span {
        self.place(span.start.offset, span.end.offset)
    }
}

impl<'a> Checker<'a> {
    /// A regular expression.
    pub(super) fn regex_lints(&mut self, pattern: &'a str, flags: &str, span: Span, src: Src<'a>) {
        let parsed = ParserBuilder::new()
            .nest_limit(NEST_LIMIT)
            .ignore_whitespace(flags.contains('x'))
            .build()
            .parse(pattern);
        let (Ok(ast), Some(hir)) = (parsed, shape::parse(pattern, flags)) else {
            return;
        };
        let exact = span
            .text(src.text)
            .strip_prefix('/')
            .is_some_and(|rest| rest.starts_with(pattern));
        let inline = pattern.split("(?").skip(1).any(|rest| {
            rest.chars()
                .take_while(|c| c.is_ascii_alphabetic() || *c == '-')
                .any(|c| c == 'm')
        });
        let written = Written {
            src,
            span,
            exact,
            lines: flags.contains('m') || inline,
        };
        if shape::fits_everywhere(&hir) {
            let diagnostic = warning(
                "W0424",
                "the regular expression fits the empty text, so that it is found in every text",
                span,
                "always found",
                src,
            )
            .with_help("`matches` searches: write `+` for `*` where something must be there, or anchors, `/^(...)$/`, where the whole text is meant")
            .with_help("whether a field is there is asked with `has(field)`");
            self.diagnostics.push(diagnostic);
        } else {
            self.idle_ends(&ast, &written);
        }
        self.regex_part(&ast, &written);
    }

    fn regex_part(&mut self, ast: &Ast, written: &Written<'a>) {
        match ast {
            Ast::ClassBracketed(class) => self.class(class, written),
            Ast::Repetition(repetition) => {
                if let Ast::Literal(literal) = &*repetition.ast
                    && literal.c == '.'
                    && repetition.op.kind == RepetitionKind::ZeroOrMore
                {
                    let place = written.part(&repetition.span);
                    let mut diagnostic = warning(
                        "W0427",
                        "`\\.*` is any number of dots",
                        place,
                        "dots, or none",
                        written.src,
                    )
                    .with_help("for any characters write `.*`, for one dot `\\.`");
                    if written.exact {
                        diagnostic = diagnostic.with_fix(Fix {
                            title: "write `.*`".to_owned(),
                            edits: vec![(written.src.place(place), ".*".to_owned())],
                            safe: false,
                        });
                    }
                    self.diagnostics.push(diagnostic);
                }
                self.regex_part(&repetition.ast, written);
            }
            Ast::Group(group) => self.regex_part(&group.ast, written),
            Ast::Alternation(alternation) => {
                for part in &alternation.asts {
                    if let Ast::Empty(span) = part {
                        let diagnostic = warning(
                            "W0425",
                            "an alternative of the regular expression is empty",
                            written.place(span.start.offset, span.end.offset),
                            "nothing stands here",
                            written.src,
                        )
                        .with_help("where the others may be left out write `(...)?`");
                        self.diagnostics.push(diagnostic);
                    }
                    self.regex_part(part, written);
                }
            }
            Ast::Concat(concat) => {
                self.dots(&concat.asts, written);
                self.inner_anchors(&concat.asts, written);
                for part in &concat.asts {
                    self.regex_part(part, written);
                }
            }
            _ => {}
        }
    }

    /// Classes in brackets that hold what was meant to stand in parentheses.
    fn class(&mut self, class: &ClassBracketed, written: &Written<'a>) {
        let place = written.part(&class.span);
        let ClassSet::Item(item) = &class.kind else {
            return;
        };
        let items = match item {
            ClassSetItem::Union(union) => union.items.as_slice(),
            other => std::slice::from_ref(other),
        };
        for item in items {
            if let ClassSetItem::Range(range) = item
                && range.start.c.is_ascii_uppercase()
                && range.end.c.is_ascii_lowercase()
            {
                let here = written.part(&range.span);
                let (from, to) = (range.start.c, range.end.c);
                let mended = format!("{from}-Z{}-{to}", 'a');
                let mut diagnostic = warning(
                    "W0425",
                    format!(
                        "`{from}-{to}` holds six signs besides letters: `[`, `\\`, `]`, `^`, `_` and a back-tick"
                    ),
                    here,
                    "more than letters",
                    written.src,
                )
                .with_help(format!("for letters write `{mended}`"));
                if written.exact {
                    diagnostic = diagnostic.with_fix(Fix {
                        title: format!("write `{mended}`"),
                        edits: vec![(written.src.place(here), mended)],
                        safe: false,
                    });
                }
                self.diagnostics.push(diagnostic);
            }
        }
        let shown = place.text(written.src.text);
        let shown = if written.exact { shown } else { "[...]" };
        let verbatim = |item: &ClassSetItem| match item {
            ClassSetItem::Literal(literal) if literal.kind == LiteralKind::Verbatim => {
                Some(literal.c)
            }
            _ => None,
        };
        let strokes = items.iter().filter(|i| verbatim(i) == Some('|')).count();
        let inner_strokes = items
            .iter()
            .skip(1)
            .rev()
            .skip(1)
            .filter(|i| verbatim(i) == Some('|'))
            .count();
        let words = items.iter().all(|item| match item {
            ClassSetItem::Range(range) => range.start.c.is_ascii_alphanumeric(),
            item => verbatim(item).is_some_and(|c| c.is_ascii_alphanumeric() || c == '|'),
        });
        if strokes > 0 && strokes == inner_strokes && words {
            let diagnostic = warning(
                "W0425",
                format!("`{shown}` is one character, and `|` is one of those that it may be"),
                place,
                "one character",
                written.src,
            )
            .with_help("alternatives stand in parentheses, `(a|b)`; in brackets the characters stand side by side, `[ab]`");
            self.diagnostics.push(diagnostic);
            return;
        }
        let letters: Option<Vec<char>> = items.iter().map(verbatim).collect();
        let Some(letters) = letters else { return };
        if !is_word(&letters, class.negated) {
            return;
        }
        let word: String = letters.iter().collect();
        let help = if class.negated {
            format!("whether a text has a word in it is asked with `matches /{word}/` and `not`")
        } else {
            format!("for the word write `{word}` without brackets")
        };
        let diagnostic = warning(
            "W0425",
            format!("`{shown}` is one character, not a word"),
            place,
            "one character",
            written.src,
        )
        .with_help(help);
        self.diagnostics.push(diagnostic);
    }

    /// Unescaped dots in host and file names.
    fn dots(&mut self, asts: &[Ast], written: &Written<'a>) {
        let mut at = 0;
        while at < asts.len() {
            let rest = asts.get(at..).unwrap_or(&[]);
            let name: Vec<&Ast> = rest.iter().take_while(|a| in_name(a)).collect();
            // What is repeated is no part of a name.
            let length = name.len();
            at += length.max(1);
            let mut dots = Vec::new();
            let mut ending = String::new();
            let mut words = 0;
            for part in &name {
                match part {
                    Ast::Dot(span) => {
                        words += usize::from(!ending.is_empty());
                        ending.clear();
                        dots.push(**span);
                    }
                    Ast::Literal(literal) if is_escaped_dot(literal) => {
                        words += usize::from(!ending.is_empty());
                        ending.clear();
                    }
                    Ast::Literal(literal) => ending.push(literal.c),
                    _ => {}
                }
            }
            let begins_with_dot = matches!(name.first(), Some(Ast::Dot(_)));
            let known = ENDINGS.contains(&ending.to_lowercase().as_str());
            if dots.is_empty() || !known || words == 0 || begins_with_dot {
                continue;
            }
            let places: Vec<Span> = dots.iter().map(|span| written.part(span)).collect();
            let Some(first) = places.first() else {
                continue;
            };
            let whole = match (name.first(), name.last()) {
                (Some(a), Some(b)) => written.place(a.span().start.offset, b.span().end.offset),
                _ => *first,
            };
            let shown = if written.exact {
                whole.text(written.src.text)
            } else {
                "the name"
            };
            let mut diagnostic = warning(
                "W0426",
                format!("the `.` in `{shown}` is any character"),
                *first,
                "any character",
                written.src,
            )
            .with_help("for a dot write `\\.`");
            if written.exact {
                diagnostic = diagnostic.with_fix(Fix {
                    title: "write `\\.`".to_owned(),
                    edits: places
                        .iter()
                        .map(|p| (written.src.place(*p), "\\.".to_owned()))
                        .collect(),
                    safe: false,
                });
            }
            self.diagnostics.push(diagnostic);
        }
    }

    /// `$` before and `^` after what takes a character: no text is like that.
    fn inner_anchors(&mut self, asts: &[Ast], written: &Written<'a>) {
        if written.lines {
            return;
        }
        for (at, part) in asts.iter().enumerate() {
            let Ast::Assertion(assertion) = part else {
                continue;
            };
            let (beside, sign, mended) = match assertion.kind {
                AssertionKind::StartLine => (asts.get(..at), "^", "\\^"),
                AssertionKind::EndLine => (asts.get(at + 1..), "$", "\\$"),
                _ => continue,
            };
            if !beside.unwrap_or(&[]).iter().any(takes_a_character) {
                continue;
            }
            let end = if sign == "^" { "beginning" } else { "end" };
            let place = written.part(&assertion.span);
            let mut diagnostic = warning(
                "W0427",
                format!(
                    "`{sign}` is the {end} of the text, and stands inside the regular expression"
                ),
                place,
                "never so",
                written.src,
            )
            .with_help(format!(
                "for the sign itself write `{mended}`; for the ends of lines the flag is `m`"
            ));
            if written.exact {
                diagnostic = diagnostic.with_fix(Fix {
                    title: format!("write `{mended}`"),
                    edits: vec![(written.src.place(place), mended.to_owned())],
                    safe: false,
                });
            }
            self.diagnostics.push(diagnostic);
        }
    }

    /// `.*` at an end that is not anchored: a search finds the rest all the same.
    fn idle_ends(&mut self, ast: &Ast, written: &Written<'a>) {
        let Ast::Concat(concat) = ast else { return };
        let idle = |part: Option<&Ast>| match part {
            Some(Ast::Repetition(repetition)) => {
                repetition.op.kind == RepetitionKind::ZeroOrMore
                    && matches!(&*repetition.ast, Ast::Dot(_))
            }
            _ => false,
        };
        let mut spans = Vec::new();
        for part in [concat.asts.first(), concat.asts.last()] {
            if idle(part) {
                spans.extend(part.map(|p| written.part(p.span())));
            }
        }
        let Some(first) = spans.first() else { return };
        let mut diagnostic = warning(
            "W0427",
            "`.*` at the end of a regular expression changes nothing: `matches` searches",
            *first,
            "without effect",
            written.src,
        )
        .with_help("leave it out; where the whole text is meant write anchors, `/^...$/`");
        if written.exact {
            diagnostic = diagnostic.with_fix(Fix {
                title: "leave it out".to_owned(),
                edits: spans
                    .iter()
                    .map(|span| (written.src.place(*span), String::new()))
                    .collect(),
                safe: true,
            });
        }
        self.diagnostics.push(diagnostic);
    }
}

fn is_escaped_dot(literal: &Literal) -> bool {
    literal.c == '.' && literal.kind != LiteralKind::Verbatim
}

/// What names of hosts and files are made of: letters, digits, `-`, `_`, dots.
fn in_name(ast: &Ast) -> bool {
    match ast {
        Ast::Dot(_) => true,
        Ast::Literal(literal) => {
            literal.c.is_ascii_alphanumeric()
                || matches!(literal.c, '-' | '_')
                || is_escaped_dot(literal)
        }
        _ => false,
    }
}

/// Whether something takes at least one character of the text.
fn takes_a_character(ast: &Ast) -> bool {
    match ast {
        Ast::Literal(_)
        | Ast::Dot(_)
        | Ast::ClassUnicode(_)
        | Ast::ClassPerl(_)
        | Ast::ClassBracketed(_) => true,
        Ast::Repetition(repetition) => {
            let some = match &repetition.op.kind {
                RepetitionKind::ZeroOrOne | RepetitionKind::ZeroOrMore => false,
                RepetitionKind::OneOrMore => true,
                RepetitionKind::Range(range) => match range {
                    regex_syntax::ast::RepetitionRange::Exactly(n)
                    | regex_syntax::ast::RepetitionRange::AtLeast(n)
                    | regex_syntax::ast::RepetitionRange::Bounded(n, _) => *n > 0,
                },
            };
            some && takes_a_character(&repetition.ast)
        }
        Ast::Group(group) => takes_a_character(&group.ast),
        Ast::Concat(concat) => concat.asts.iter().any(takes_a_character),
        Ast::Alternation(alternation) => alternation.asts.iter().all(takes_a_character),
        Ast::Empty(_) | Ast::Flags(_) | Ast::Assertion(_) => false,
    }
}

/// Whether the letters of a class spell a word: sets of letters stand in order, and hold none twice.
fn is_word(letters: &[char], negated: bool) -> bool {
    if letters.len() < 4 || !letters.iter().all(char::is_ascii_alphabetic) {
        return false;
    }
    let twice = letters
        .iter()
        .enumerate()
        .any(|(at, c)| letters.iter().take(at).any(|earlier| earlier == c));
    let sorted = letters.is_sorted();
    let vowel = letters
        .iter()
        .any(|c| matches!(c.to_ascii_lowercase(), 'a' | 'e' | 'i' | 'o' | 'u'));
    twice || (!sorted && vowel && (negated || letters.len() > 4))
}

#[cfg(test)]
mod tests {
    use super::is_word;

    #[test]
    fn words_and_sets_of_letters() {
        let letters = |text: &str| text.chars().collect::<Vec<char>>();
        for word in ["password", "admin", "delete"] {
            assert!(is_word(&letters(word), false), "{word}");
        }
        assert!(is_word(&letters("word"), true));
        for set in ["aeiou", "abcdef", "ACGT", "rwx", "smhdw", "gimsuy"] {
            assert!(!is_word(&letters(set), false), "{set}");
            assert!(!is_word(&letters(set), true), "{set}");
        }
    }
}
