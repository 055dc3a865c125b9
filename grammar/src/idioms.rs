//! Shapes that other languages give to declarations, lists, counts and conditions, each with what it is here.

use crate::error::{SyntaxError, quote};
use crate::habits::Around;
use crate::slips::as_name;
use crate::span::Span;
use crate::token::{NOT_FIRST, Tok};

/// Words of other policy languages that refuse an event.
const REFUSALS: &[&str] = &[
    "forbid", "deny", "prohibit", "disallow", "refuse", "reject", "block",
];

/// Words of other policy languages that let an event through.
const PERMISSIONS: &[&str] = &["allow", "permit", "grant"];

impl Around<'_, '_> {
    /// The error about the unexpected token, where it is such a shape.
    pub(crate) fn idiom(&self, head: Option<Tok>) -> Option<SyntaxError> {
        match head {
            Some(Tok::Tool | Tok::Event | Tok::Context | Tok::Lookup) => self
                .strings_as_a_type()
                .or_else(|| self.question_behind_a_type()),
            Some(Tok::Group) => self.group(),
            Some(Tok::Import | Tok::Include) => self.names_of_a_file(),
            Some(Tok::Test) => self.argument_without_a_name(),
            _ => self
                .refusal()
                .or_else(|| self.index_in_quotes())
                .or_else(|| self.not_behind_its_operand())
                .or_else(|| self.range())
                .or_else(|| self.bound())
                .or_else(|| self.part_of_a_name()),
        }
    }

    // ------------------------------------------------------------------------------ declarations

    /// `env: "a" | "b"`, `env: ["a", "b"]`
    fn strings_as_a_type(&self) -> Option<SyntaxError> {
        if !self.wants("{") || !self.wants("null") {
            return None;
        }
        let bracket = self.here.tok == Tok::LBracket;
        let (first, joint) = if bracket {
            (self.at + 1, Tok::Comma)
        } else {
            (self.at, Tok::Pipe)
        };
        let mut values = Vec::new();
        let mut last = first;
        while self.tok(last) == Some(Tok::Str) {
            values.push(self.text_at(last).to_owned());
            if self.tok(last + 1) != Some(joint) || self.tok(last + 2) != Some(Tok::Str) {
                break;
            }
            last += 2;
        }
        if values.is_empty() {
            return None;
        }
        if bracket {
            last += 1;
            if self.tok(last) != Some(Tok::RBracket) {
                return None;
            }
        }
        let whole = self.here.span.to(self.token(last)?.span);
        Some(
            SyntaxError::new("E0040", whole, "certain strings are written `enum(...)`")
                .help("as in `enum(\"a\", \"b\")`")
                .fix(whole, format!("enum({})", values.join(", ")))
                .sure(),
        )
    }

    /// `note: string?`
    fn question_behind_a_type(&self) -> Option<SyntaxError> {
        if self.here.tok != Tok::Question || !self.wants("|") {
            return None;
        }
        let error = self
            .error()
            .help("a field that may be missing has its `?` behind its name, as in `note?: string`");
        let plain = self.tok_back(1) == Some(Tok::Ident) && self.tok_back(2) == Some(Tok::Colon);
        let name = self.back(3).filter(|t| t.tok == Tok::Ident);
        Some(match name {
            Some(name) if plain => {
                let meant = format!("{}?: {}", self.text(name), self.text_back(1));
                error.fix(name.span.to(self.here.span), meant)
            }
            _ => error,
        })
    }

    /// `group w = [a, b]`, `group w { a, b }`
    fn group(&self) -> Option<SyntaxError> {
        let help = "as in `group writes = { pay, refund }`";
        match self.here.tok {
            Tok::LBracket | Tok::LParen if self.wants("{") || self.wants("=") => {
                let close = self.closer(self.at)?;
                let whole = self.here.span.to(self.token(close)?.span);
                let sign = if self.wants("=") { "= " } else { "" };
                let inside = self
                    .between(self.here.span.end, self.token(close)?.span.start)
                    .trim();
                Some(
                    SyntaxError::new("E0040", whole, "the tools of a group stand in braces")
                        .help(help)
                        .fix(whole, format!("{sign}{{ {inside} }}")),
                )
            }
            Tok::LBrace if self.wants("=") => {
                let here = Span::new(self.here.span.start, self.here.span.start);
                Some(self.error().help(help).fix(here, "= "))
            }
            Tok::Colon if self.wants("=") => {
                Some(self.error().help(help).fix(self.here.span, " ="))
            }
            Tok::Ident if self.wants("{") => Some(self.error().help(help)),
            _ => None,
        }
    }

    /// `import { a } from "x.ctr"`, `import a from "x.ctr"`
    fn names_of_a_file(&self) -> Option<SyntaxError> {
        let braces = self.here.tok == Tok::LBrace && self.wants("name") && self.wants("string");
        let from = self.text(&self.here) == "from" && self.tok(self.at + 1) == Some(Tok::Str);
        (braces || from).then(|| {
            self.error().help(
                "a file is imported whole, `import \"x.ctr\" as x`, and its names are written `x.name`",
            )
        })
    }

    // ------------------------------------------------------------------------------ tests

    /// `call pay("a")`
    fn argument_without_a_name(&self) -> Option<SyntaxError> {
        let begins = |before: Option<Tok>| matches!(before, Some(Tok::LParen | Tok::Comma));
        let ends = matches!(self.here.tok, Tok::RParen | Tok::Comma);
        let value = if ends && self.wants(":") && begins(self.tok_back(2)) {
            self.back(1)
                .filter(|t| matches!(t.tok, Tok::Str | Tok::Ident))?
        } else if begins(self.tok_back(1))
            && self.wants("name")
            && self.wants(")")
            && !self.wants("number")
            && matches!(
                self.here.tok,
                Tok::Number | Tok::Minus | Tok::True | Tok::False | Tok::Null | Tok::LBracket
            )
        {
            &self.here
        } else {
            return None;
        };
        let shown = self.text(value);
        let help = if shown.len() <= 20 && value.tok != Tok::LBracket && value.tok != Tok::Minus {
            format!("as in `call t(field: {shown})`")
        } else {
            "as in `call t(field: 1)`".to_owned()
        };
        Some(
            SyntaxError::new(
                "E0040",
                value.span,
                "arguments are given by name, and this one has none",
            )
            .help(help),
        )
    }

    // ------------------------------------------------------------------------------ clauses

    /// `forbid call pay`
    fn refusal(&self) -> Option<SyntaxError> {
        let first = self.here.column != NOT_FIRST || self.tok_back(1) == Some(Tok::LBrace);
        if !first || !self.wants("guarantee") || self.here.tok != Tok::Ident {
            return None;
        }
        let word = self.text(&self.here);
        let event = matches!(
            self.tok(self.at + 1),
            Some(
                Tok::Call
                    | Tok::Return
                    | Tok::Success
                    | Tok::Failure
                    | Tok::Unknown
                    | Tok::Output
                    | Tok::Input
                    | Tok::LParen
            )
        );
        if !event {
            return None;
        }
        if REFUSALS.contains(&word) {
            return Some(self.instead(self.here.span, "guarantee never"));
        }
        PERMISSIONS.contains(&word).then(|| {
            self.error().help(
                "what no contract refuses is allowed; say when, as in `guarantee call t only if condition`",
            )
        })
    }

    // ------------------------------------------------------------------------------ conditions

    /// `args["amount"]`
    fn index_in_quotes(&self) -> Option<SyntaxError> {
        let index = self.here.tok == Tok::Str
            && self.tok_back(1) == Some(Tok::LBracket)
            && self.tok(self.at + 1) == Some(Tok::RBracket)
            && self.wants("number");
        if !index {
            return None;
        }
        let name = self.text(&self.here).trim_matches('"');
        let whole = self.back(1)?.span.to(self.token(self.at + 1)?.span);
        if name.is_empty() || name.contains(['`', '\\']) {
            return None;
        }
        let meant = format!(".{}", as_name(name));
        Some(if meant.contains('`') {
            SyntaxError::new("E0040", whole, "a field is written behind a dot").fix(whole, meant)
        } else {
            self.instead(whole, &meant)
        })
    }

    /// Where the path that ends before the token begins: `a`, `args.a`.
    fn path_before(&self) -> Option<usize> {
        let mut start = self.at.checked_sub(1)?;
        if self.tok(start) != Some(Tok::Ident) {
            return None;
        }
        while let Some(earlier) = start.checked_sub(2) {
            if self.tok(start - 1) != Some(Tok::Dot) || self.tok(earlier) != Some(Tok::Ident) {
                break;
            }
            start = earlier;
        }
        // The name of a tool is no operand.
        let tool = start
            .checked_sub(1)
            .and_then(|i| self.tok(i))
            .is_some_and(Tok::takes_tool);
        (!tool).then_some(start)
    }

    /// `to not like "a*"`
    fn not_behind_its_operand(&self) -> Option<SyntaxError> {
        let operator = self.token(self.at + 1).copied()?;
        let compares = matches!(
            operator.tok,
            Tok::Like
                | Tok::Matches
                | Tok::Contains
                | Tok::StartsWith
                | Tok::EndsWith
                | Tok::Inside
        );
        if self.here.tok != Tok::Not || !compares {
            return None;
        }
        let word = self.text(&operator).to_owned();
        let error = self.error().help(format!(
            "`not` stands before the whole: `not (x {word} ...)`"
        ));
        let (Some(start), Some(value)) = (self.path_before(), self.token(self.at + 2)) else {
            return Some(error);
        };
        if !matches!(value.tok, Tok::Str | Tok::Regex) {
            return Some(error);
        }
        let path = self.token(start)?.span.to(self.back(1)?.span);
        let whole = path.to(value.span);
        let meant = format!(
            "not ({} {word} {})",
            path.text(self.source()),
            self.text(value)
        );
        Some(error.fix(whole, meant).sure())
    }

    /// `amount between 1 and 5`
    fn range(&self) -> Option<SyntaxError> {
        if self.here.tok != Tok::Ident || self.text(&self.here) != "between" {
            return None;
        }
        let error = self.error().help("say both ends: `(x >= 1 and x <= 5)`");
        let number = |i: usize| self.token(i).filter(|t| t.tok == Tok::Number);
        let (Some(start), Some(low), Some(high)) =
            (self.path_before(), number(self.at + 1), number(self.at + 3))
        else {
            return Some(error);
        };
        if self.tok(self.at + 2) != Some(Tok::And) {
            return Some(error);
        }
        let path = self.token(start)?.span.to(self.back(1)?.span);
        let x = path.text(self.source());
        let meant = format!("({x} >= {} and {x} <= {})", self.text(low), self.text(high));
        Some(error.fix(path.to(high.span), meant))
    }

    // ------------------------------------------------------------------------------ counts

    /// `at most 3 call pay`, `call pay only once`
    fn bound(&self) -> Option<SyntaxError> {
        let text = self.text(&self.here);
        if text == "only" && self.text_at(self.at + 1) == "once" && self.wants("at most") {
            let both = self.here.span.to(self.token(self.at + 1)?.span);
            return Some(self.instead(both, "at most 1 time"));
        }
        let bound = matches!(self.here.tok, Tok::AtMost | Tok::AtLeast | Tok::Exactly);
        (bound && self.wants("call")).then(|| {
            self.error().help(format!(
                "a bound stands behind what it counts, as in `call t {text} 3 times`"
            ))
        })
    }

    /// `call send_*`
    fn part_of_a_name(&self) -> Option<SyntaxError> {
        let (name, star) = (self.back(2)?, self.back(1)?);
        let joined = star.tok == Tok::Star
            && name.tok == Tok::Ident
            && name.span.end == star.span.start
            && self.tok_back(3).is_some_and(Tok::takes_tool);
        joined.then(|| {
            let whole = name.span.to(star.span);
            SyntaxError::new(
                "E0040",
                whole,
                format!("{} names no tool", quote(whole.text(self.source()))),
            )
            .help("tools are named one by one, as in `call a | b`, or as a `group`")
        })
    }
}
