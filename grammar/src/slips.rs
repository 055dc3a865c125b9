//! What people write from habits of other languages where the parser expects something else, and what
//! it is here.

use crate::actions::Unexpected;
use crate::error::{SyntaxError, quote};
use crate::expected::takes;
use crate::parse::ParsedItem;
use crate::span::Span;
use crate::token::{NOT_FIRST, Tok, Token};
use crate::written;

/// Numbers as words, as far as people write them out.
const NUMBERS: [&str; 11] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
];

/// The unit of a duration that a word stands for.
pub(crate) fn unit(word: &str) -> Option<&'static str> {
    Some(match word {
        "ms" | "msec" | "millis" | "millisecond" | "milliseconds" => "ms",
        "s" | "sec" | "secs" | "second" | "seconds" => "s",
        "min" | "mins" | "minute" | "minutes" => "min",
        "h" | "hr" | "hrs" | "hour" | "hours" => "h",
        "d" | "day" | "days" => "d",
        _ => return None,
    })
}

/// A name as it is written where a name is expected, in which place most reserved words are names, too.
pub(crate) fn as_name(text: &str) -> String {
    if written::is_identifier(text) {
        text.to_owned()
    } else {
        format!("`{text}`")
    }
}

/// An unexpected token and its neighbours.
struct Near<'t> {
    before: Option<&'t Token>,
    here: &'t Token,
    after: Option<&'t Token>,
}

impl ParsedItem<'_> {
    /// The error about an unexpected token that is a known slip; `message` says what was expected.
    pub(crate) fn slip(
        &self,
        unexpected: &Unexpected,
        position: usize,
        message: &str,
    ) -> Option<SyntaxError> {
        let near = Near {
            before: position.checked_sub(1).and_then(|i| self.tokens.get(i)),
            here: self.tokens.get(position)?,
            after: self.tokens.get(position + 1),
        };
        let wants = |name: &str| takes(&unexpected.expected, name);
        let plain = || SyntaxError::new("E0040", unexpected.span, message);
        if wants("number")
            && let Some(slip) = self.number(&near, plain)
        {
            return Some(slip);
        }
        if wants("steps")
            && let Some(before) = near.before
            && before.tok == Tok::Number
        {
            return Some(self.without_unit(before, near.here));
        }
        if wants("==") {
            return self.in_a_formula(&near, plain);
        }
        self.in_a_declaration(&near, position, &wants, plain)
    }

    fn text(&self, token: &Token) -> &str {
        token.span.text(self.source)
    }

    fn number(&self, near: &Near<'_>, plain: impl Fn() -> SyntaxError) -> Option<SyntaxError> {
        let text = self.text(near.here);
        if near.here.tok == Tok::Minus
            && let Some(number) = near.after.filter(|t| t.tok == Tok::Number)
        {
            let at = near.here.span.to(number.span);
            return Some(
                SyntaxError::new(
                    "E0062",
                    at,
                    format!(
                        "{} is no whole number from 0 up",
                        quote(at.text(self.source))
                    ),
                )
                .help("`never P` says at no time, `P at most 1 time` once at most"),
            );
        }
        let value = NUMBERS.iter().position(|n| n.eq_ignore_ascii_case(text))?;
        Some(
            plain()
                .help(format!("write `{value}`"))
                .fix(near.here.span, value.to_string()),
        )
    }

    /// `within 5`, `within 30 sec`
    fn without_unit(&self, number: &Token, here: &Token) -> SyntaxError {
        let digits = self.text(number);
        if let Some(unit) = unit(self.text(here)) {
            let both = number.span.to(here.span);
            let joined = format!("{digits}{unit}");
            return SyntaxError::new(
                "E0040",
                here.span,
                format!(
                    "{} is written as one word with its unit",
                    quote(both.text(self.source))
                ),
            )
            .help(format!("write `{joined}`"))
            .fix(both, joined);
        }
        SyntaxError::new("E0017", number.span, format!("`{digits}` has no unit")).help(format!(
            "write a time such as `{digits}s` or `{digits}min`; after `leads to` it can also be `{digits} steps`"
        ))
    }

    fn in_a_formula(
        &self,
        near: &Near<'_>,
        plain: impl Fn() -> SyntaxError,
    ) -> Option<SyntaxError> {
        let text = self.text(near.here);
        let number_next = near.after.is_some_and(|t| t.tok == Tok::Number);
        match (near.here.tok, text) {
            (Tok::Not, _)
                if near.after.is_some_and(|t| {
                    matches!(
                        t.tok,
                        Tok::Number | Tok::Str | Tok::Duration | Tok::True | Tok::False | Tok::Null
                    )
                }) =>
            {
                Some(plain().help("write `!=`").fix(near.here.span, "!="))
            }
            (Tok::Ident, "max" | "maximum" | "maximally") if number_next => Some(
                plain()
                    .help("write `at most`")
                    .fix(near.here.span, "at most"),
            ),
            (Tok::Ident, "min" | "minimum" | "minimally") if number_next => Some(
                plain()
                    .help("write `at least`")
                    .fix(near.here.span, "at least"),
            ),
            (Tok::Ident, "where" | "when" | "having") => Some(plain().help(
                "conditions on an event stand in its parentheses, as in `call t(amount > 3)`, or after `only if`",
            )),
            (Tok::Ident, "must" | "should" | "shall" | "may" | "can" | "cannot") => Some(plain().help(
                "what must not happen is said with `never P`, what must follow with `P leads to Q`, what must hold with `P only if condition`",
            )),
            (Tok::Never | Tok::Always | Tok::Eventually, _) if near.here.column != NOT_FIRST => {
                let here = Span::new(near.here.span.start, near.here.span.start);
                Some(
                    plain()
                        .help("a formula stands after `guarantee` or `assume`")
                        .fix(here, "guarantee "),
                )
            }
            _ => None,
        }
    }

    fn in_a_declaration(
        &self,
        near: &Near<'_>,
        position: usize,
        wants: &impl Fn(&str) -> bool,
        plain: impl Fn() -> SyntaxError,
    ) -> Option<SyntaxError> {
        let before = near.before?;
        let head = |t: &Token| {
            matches!(
                t.tok,
                Tok::Contract | Tok::Predicate | Tok::Tool | Tok::Event | Tok::Group | Tok::Lookup
            )
        };
        match near.here.tok {
            // `x <= 50` with its signs the other way round.
            Tok::Lt | Tok::Gt
                if before.tok == Tok::Assign && before.span.end == near.here.span.start =>
            {
                let at = before.span.to(near.here.span);
                let meant = if near.here.tok == Tok::Lt { "<=" } else { ">=" };
                let written = at.text(self.source);
                Some(
                    SyntaxError::new(
                        "E0022",
                        at,
                        format!("`{written}` is written `{meant}` in this language"),
                    )
                    .fix(at, meant),
                )
            }
            Tok::Call
            | Tok::Return
            | Tok::Success
            | Tok::Failure
            | Tok::Unknown
            | Tok::Input
            | Tok::Output
                if before.tok == Tok::Pipe =>
            {
                let spaced = before.span.end < near.here.span.start;
                let depth: i64 = self
                    .tokens
                    .iter()
                    .take(position)
                    .map(|t| i64::from(t.tok == Tok::LParen) - i64::from(t.tok == Tok::RParen))
                    .sum();
                let error = plain().help("`|` joins the names of tools; events are joined by `or`");
                // Outside parentheses `or` may be read in two ways.
                Some(if depth > 0 {
                    error.fix(before.span, if spaced { "or" } else { " or " })
                } else {
                    error
                })
            }
            Tok::Minus
                if before.tok == Tok::Ident
                    && position
                        .checked_sub(2)
                        .and_then(|i| self.tokens.get(i))
                        .is_some_and(head) =>
            {
                let mut name = before.span;
                for token in self.tokens.iter().skip(position) {
                    let part =
                        token.tok == Tok::Minus || token.tok == Tok::Number || token.tok.is_word();
                    if token.span.start != name.end || !part {
                        break;
                    }
                    name = name.to(token.span);
                }
                let text = name.text(self.source);
                Some(
                    SyntaxError::new("E0065", name, format!("`{text}` is no plain name"))
                        .help("a name with other characters than letters, digits and `_` stands in back-ticks")
                        .fix(name, format!("`{text}`")),
                )
            }
            Tok::Str if head(before) && wants("name") => {
                let text = self.text(near.here).trim_matches('"');
                let name = as_name(text);
                let shown = if name.contains('`') {
                    name.clone()
                } else {
                    format!("`{name}`")
                };
                let error = plain().help(format!("a name stands without quotes: {shown}"));
                Some(if text.is_empty() || text.contains(['`', '\\']) {
                    error
                } else {
                    error.fix(near.here.span, name)
                })
            }
            Tok::Colon if wants("{") && wants("for each") => Some(
                plain().help("the clauses of a contract stand in braces: `contract a { ... }`"),
            ),
            _ => None,
        }
    }
}
