//! More habits of other languages: whole phrases that are written otherwise here, each with the change
//! that makes it so.

use crate::actions::Unexpected;
use crate::error::{SyntaxError, quote};
use crate::expected::takes;
use crate::layout::head_index;
use crate::parse::ParsedItem;
use crate::slips::{as_name, unit};
use crate::span::Span;
use crate::token::{NOT_FIRST, Tok, Token};

/// Words that begin a clause elsewhere, and what does here.
const CLAUSES: &[(&str, &str)] = &[
    ("const", "let"),
    ("var", "let"),
    ("val", "let"),
    ("def", "let"),
    ("define", "let"),
    ("ensures", "guarantee"),
    ("ensure", "guarantee"),
    ("require", "guarantee"),
    ("requires", "guarantee"),
    ("invariant", "guarantee"),
    ("assert", "guarantee"),
    ("must", "guarantee"),
    ("assumes", "assume"),
    ("assuming", "assume"),
    ("given", "assume"),
    ("else", "otherwise"),
];

/// Words that begin an expectation elsewhere.
const EXPECTS: &[&str] = &[
    "assert", "verify", "check", "should", "then", "ensure", "must",
];

/// Names of types, where one of them stands before a name.
const TYPES: &[&str] = &[
    "string",
    "str",
    "int",
    "integer",
    "number",
    "float",
    "bool",
    "boolean",
    "any",
    "timestamp",
    "duration",
];

/// The tokens of an item around the unexpected one.
pub(crate) struct Around<'t, 's> {
    item: &'t ParsedItem<'s>,
    pub(crate) at: usize,
    pub(crate) here: Token,
    expected: &'t [String],
    /// What was expected and found.
    message: &'t str,
}

impl ParsedItem<'_> {
    /// The error about an unexpected token where a phrase of another language stands.
    pub(crate) fn habit(
        &self,
        unexpected: &Unexpected,
        at: usize,
        message: &str,
    ) -> Option<SyntaxError> {
        let around = Around {
            item: self,
            at,
            here: *self.tokens.get(at)?,
            expected: &unexpected.expected,
            message,
        };
        let head = self.tokens.get(head_index(&self.tokens)).map(|t| t.tok);
        if let Some(idiom) = around.idiom(head) {
            return Some(idiom);
        }
        match head {
            Some(Tok::Test) => around.in_a_test(),
            Some(Tok::Tool | Tok::Event | Tok::Context | Tok::Lookup) => around.in_a_declaration(),
            _ => None,
        }
        .or_else(|| around.in_a_clause())
        .or_else(|| around.in_a_pattern())
        .or_else(|| around.in_a_formula())
        .or_else(|| around.in_a_count())
    }
}

impl Around<'_, '_> {
    pub(crate) fn source(&self) -> &str {
        self.item.source
    }

    pub(crate) fn token(&self, at: usize) -> Option<&Token> {
        self.item.tokens.get(at)
    }

    pub(crate) fn back(&self, n: usize) -> Option<&Token> {
        self.at.checked_sub(n).and_then(|i| self.token(i))
    }

    pub(crate) fn tok(&self, at: usize) -> Option<Tok> {
        self.token(at).map(|t| t.tok)
    }

    pub(crate) fn tok_back(&self, n: usize) -> Option<Tok> {
        self.back(n).map(|t| t.tok)
    }

    pub(crate) fn text(&self, token: &Token) -> &str {
        token.span.text(self.item.source)
    }

    pub(crate) fn text_back(&self, n: usize) -> &str {
        self.back(n).map_or("", |t| self.text(t))
    }

    pub(crate) fn text_at(&self, at: usize) -> &str {
        self.token(at).map_or("", |t| self.text(t))
    }

    pub(crate) fn wants(&self, name: &str) -> bool {
        takes(self.expected, name)
    }

    pub(crate) fn error(&self) -> SyntaxError {
        SyntaxError::new("E0040", self.here.span, self.message)
    }

    /// "`written` is written `meant`", with the change.
    pub(crate) fn instead(&self, span: Span, meant: &str) -> SyntaxError {
        let written = span.text(self.item.source);
        SyntaxError::new(
            "E0040",
            span,
            format!("{} is written `{meant}` in this language", quote(written)),
        )
        .fix(span, meant)
    }

    /// The bracket that closes the one at `from`.
    pub(crate) fn closer(&self, from: usize) -> Option<usize> {
        let mut depth = 0usize;
        for (i, token) in self.item.tokens.iter().enumerate().skip(from) {
            if token.tok.opens() {
                depth += 1;
            } else if token.tok.closes() {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(i);
                }
            }
        }
        None
    }

    /// The innermost bracket that is open before the token.
    fn opener(&self) -> Option<usize> {
        self.opener_before(self.at)
    }

    /// The innermost bracket that is open before an index; before a closing bracket the one that it closes.
    fn opener_before(&self, index: usize) -> Option<usize> {
        let mut depth = 0usize;
        let mut i = index;
        while let Some(before) = i.checked_sub(1) {
            i = before;
            let tok = self.tok(i)?;
            if tok.closes() {
                depth += 1;
            } else if tok.opens() {
                match depth.checked_sub(1) {
                    Some(less) => depth = less,
                    None => return Some(i),
                }
            }
        }
        None
    }

    pub(crate) fn between(&self, from: u32, to: u32) -> &str {
        Span::new(from, to.max(from)).text(self.item.source)
    }

    // ------------------------------------------------------------------------------ clauses

    fn in_a_clause(&self) -> Option<SyntaxError> {
        let text = self.text(&self.here);
        let begins = self.here.column != NOT_FIRST || self.tok_back(1) == Some(Tok::LBrace);
        if begins && self.wants("guarantee") && self.here.tok == Tok::Ident {
            let (_, meant) = CLAUSES.iter().find(|(word, _)| *word == text)?;
            let more = self.tok(self.at + 1)?;
            let begins = more.is_word() || matches!(more, Tok::LParen | Tok::LBrace | Tok::Str);
            if begins && !matches!(self.tok_back(1), Some(Tok::Otherwise)) {
                return Some(self.instead(self.here.span, meant));
            }
        }
        if self.tok_back(2) == Some(Tok::Let) && self.wants("=") {
            let name = self.text_back(1).to_owned();
            let error = self.error().help(format!("as in `let {name} = ...`"));
            return Some(match self.here.tok {
                Tok::EqEq | Tok::Colon => error.fix(self.here.span, "="),
                _ if self.here.tok.starts_clause() || self.here.tok.closes() => error,
                _ => error.fix(Span::new(self.here.span.start, self.here.span.start), "= "),
            });
        }
        // `block("x")`, `block: "x"`
        let action = matches!(
            self.tok_back(1),
            Some(Tok::Block | Tok::Warn | Tok::Escalate | Tok::Repair)
        );
        if action && self.here.tok == Tok::LParen && self.tok(self.at + 1) == Some(Tok::Str) {
            let close = self.closer(self.at)?;
            let whole = self.here.span.to(self.token(close)?.span);
            let message = self.text_at(self.at + 1).to_owned();
            let error = self
                .error()
                .help("the message stands behind the action, without parentheses");
            return Some(if close == self.at + 2 {
                error.fix(whole, format!(" {message}"))
            } else {
                error
            });
        }
        if action && self.here.tok == Tok::Colon {
            return Some(
                self.error()
                    .help("the message stands behind the action")
                    .fix(self.here.span, ""),
            );
        }
        if self.tok_back(1) == Some(Tok::Otherwise) && self.here.tok == Tok::LBrace {
            return Some(self.error().help(
                "an action stands behind `otherwise` without braces: `otherwise block \"...\"`",
            ));
        }
        None
    }

    // ------------------------------------------------------------------------------ patterns

    fn in_a_pattern(&self) -> Option<SyntaxError> {
        if !self.wants("any") {
            return None;
        }
        let kind = self.text_back(1).to_owned();
        match self.here.tok {
            Tok::LParen if self.tok(self.at + 1) == Some(Tok::Ident) => {
                let close = self.closer(self.at)?;
                let (first, last) = (self.token(self.at + 1)?, self.token(close - 1)?);
                let name = self.between(first.span.start, last.span.end).to_owned();
                let plain = (self.at + 1..close)
                    .all(|i| matches!(self.tok(i), Some(Tok::Ident | Tok::Dot | Tok::Pipe)));
                let error = self.error().help(
                    "a tool stands without parentheses; conditions on its arguments follow in them",
                );
                Some(if plain {
                    let whole = self.here.span.to(self.token(close)?.span);
                    let spaced = self.back(1)?.span.end < self.here.span.start;
                    error.fix(whole, format!("{}{name}", if spaced { "" } else { " " }))
                } else {
                    error
                })
            }
            Tok::Str => {
                let text = self.text(&self.here).trim_matches('"');
                if text.is_empty() || text.contains(['`', '\\', '\n']) {
                    return None;
                }
                let name = as_name(text);
                Some(
                    self.error()
                        .help(format!(
                            "a tool stands without quotes: `{kind} {}`",
                            name.trim_matches('`')
                        ))
                        .fix(self.here.span, name),
                )
            }
            Tok::Star => Some(
                self.error()
                    .help(format!("of any tool: `{kind} any`"))
                    .fix(self.here.span, "any"),
            ),
            _ => None,
        }
    }

    // ------------------------------------------------------------------------------ formulas

    fn in_a_formula(&self) -> Option<SyntaxError> {
        let text = self.text(&self.here);
        if self.text_back(1) == "if" && self.tok_back(1) == Some(Tok::Ident) && self.wants("and") {
            return Some(self.if_then());
        }
        match self.here.tok {
            // `a < 3 | b`: `|` joins tools.
            Tok::Pipe if self.wants("or") => Some(self.instead(self.here.span, "or")),
            Tok::Str if self.text_back(1) == "r" && self.tok_back(2) == Some(Tok::Matches) => {
                let whole = self.back(1)?.span.to(self.here.span);
                let pattern = text.trim_matches('"');
                let error = SyntaxError::new(
                    "E0056",
                    whole,
                    "`matches` takes a regular expression between slashes",
                );
                Some(if pattern.contains('/') || pattern.is_empty() {
                    error.help("write it between slashes, as in `matches /^ord-[0-9]+$/`")
                } else {
                    error.fix(whole, format!("/{pattern}/"))
                })
            }
            Tok::Comma => self
                .list_in_other_brackets()
                .or_else(|| self.tools_by_comma()),
            Tok::Question => Some(self.error().help(
                "there is no `? :`; say both cases, as in `(a implies b) and (not a implies c)`",
            )),
            Tok::Ident if text == "else" => Some(
                self.error()
                    .help("say both cases: `(a implies b) and (not a implies c)`"),
            ),
            Tok::Star if self.tok_back(1) == Some(Tok::Dot) => Some(
                self.error()
                    .help("tools are named one by one, as in `call a | b`, or as a `group`"),
            ),
            _ => None,
        }
    }

    /// `if a then b`
    fn if_then(&self) -> SyntaxError {
        let error = self.error().help("`if a then b` is written `a implies b`");
        let Some(start) = self.back(1).map(|t| t.span) else {
            return error;
        };
        let mut depth = 0usize;
        let mut then = None;
        for i in self.at.. {
            let Some(token) = self.token(i) else {
                break;
            };
            if token.tok.opens() {
                depth += 1;
            } else if token.tok.closes() {
                let Some(less) = depth.checked_sub(1) else {
                    break;
                };
                depth = less;
            } else if token.tok.starts_clause() {
                break;
            } else if depth == 0 && token.tok == Tok::Ident {
                match self.text(token) {
                    "then" if then.is_none() => then = Some(token.span),
                    "else" => {
                        return error.help("say both cases: `(a implies b) and (not a implies c)`");
                    }
                    _ => {}
                }
            }
        }
        let Some(then) = then else {
            return error;
        };
        let condition = self.between(start.end, then.start).trim();
        SyntaxError::new(
            "E0040",
            start,
            "`if ... then ...` is written `... implies ...` in this language",
        )
        .label(then, "here `implies` stands")
        .fix(start.to(then), format!("{condition} implies"))
    }

    /// `x in ("a", "b")`, `x in {"a", "b"}`
    fn list_in_other_brackets(&self) -> Option<SyntaxError> {
        let open = self.opener()?;
        let before = open.checked_sub(1).and_then(|i| self.tok(i));
        if !matches!(before, Some(Tok::In | Tok::NotIn)) || self.tok(open) == Some(Tok::LBracket) {
            return None;
        }
        let close = self.closer(open)?;
        let (first, last) = (self.token(open)?.span, self.token(close)?.span);
        let inside = self.between(first.end, last.start).trim().to_owned();
        let whole = first.to(last);
        Some(
            SyntaxError::new("E0040", whole, "a list stands in brackets")
                .help("as in `x in [1, 2]`")
                .fix(whole, format!("[{inside}]")),
        )
    }

    /// `never call a, b`
    fn tools_by_comma(&self) -> Option<SyntaxError> {
        let next = self.token(self.at + 1)?;
        let after = self.tok(self.at + 2)?;
        let tools = self.tok_back(1) == Some(Tok::Ident)
            && self.tok_back(2).is_some_and(Tok::takes_tool)
            && next.tok == Tok::Ident
            && (after.starts_clause() || after.closes());
        tools.then(|| {
            self.error()
                .help("the names of tools are joined by `|`")
                .fix(self.here.span, " |")
        })
    }

    // ------------------------------------------------------------------------------ counts

    fn in_a_count(&self) -> Option<SyntaxError> {
        let text = self.text(&self.here);
        let number = self.tok_back(1) == Some(Tok::Number);
        // `at most 3` and nothing more.
        if self.wants("times") && !self.wants("and") && number && self.here.tok != Tok::Ident {
            let end = self.back(1)?.span.end;
            let here = Span::new(end, end);
            return Some(
                SyntaxError::new(
                    "E0040",
                    self.back(1)?.span,
                    "`times` is missing behind the number",
                )
                .help("as in `at most 3 times`")
                .fix(here, " times"),
            );
        }
        // `<= 3 times`
        if matches!(text, "times" | "time") && number {
            let comparison = self.back(2)?;
            let meant = match comparison.tok {
                Tok::Le => "at most",
                Tok::Ge => "at least",
                Tok::EqEq => "exactly",
                _ => return None,
            };
            return Some(self.instead(comparison.span, meant));
        }
        let next = self.text_at(self.at + 1);
        // `up to 3 times`
        if text == "up" && next == "to" && self.wants("at most") {
            let both = self.here.span.to(self.token(self.at + 1)?.span);
            return Some(self.instead(both, "at most"));
        }
        // `3 times per hour`
        if matches!(text, "per" | "each" | "every" | "a" | "an") && self.wants("within") {
            let unit = unit(next)?;
            let both = self.here.span.to(self.token(self.at + 1)?.span);
            return Some(self.instead(both, &format!("within 1{unit}")));
        }
        None
    }

    // ------------------------------------------------------------------------------ tests

    fn in_a_test(&self) -> Option<SyntaxError> {
        // `pay(amount: 3) -> "ok"`
        if self.here.tok == Tok::Arrow && self.tok_back(1) == Some(Tok::RParen) {
            let opener = self.opener_before(self.at.checked_sub(1)?)?;
            let mut name = opener.checked_sub(1)?;
            while name >= 2 && self.tok(name - 1) == Some(Tok::Dot) {
                name -= 2;
            }
            let begins = name.checked_sub(1).and_then(|i| self.tok(i));
            let token = self.token(name)?;
            if token.tok == Tok::Ident && begins != Some(Tok::Event) {
                let here = Span::new(token.span.start, token.span.start);
                return Some(
                    SyntaxError::new("E0040", token.span, "a call begins with `call`")
                        .fix(here, "call "),
                );
            }
        }
        // `assert block by c`
        if self.tok_back(1) == Some(Tok::Ident) && EXPECTS.contains(&self.text_back(1)) {
            let word = self.back(1)?.span;
            if self.here.tok.is_word() {
                return Some(self.instead(word, "expect"));
            }
        }
        // `call pay({"amount": 3})`
        if self.here.tok == Tok::LBrace && self.tok_back(1) == Some(Tok::LParen) {
            let close = self.closer(self.at)?;
            let (open, end) = (self.here.span, self.token(close)?.span);
            let inside = self.between(open.end, end.start).trim().to_owned();
            let error = self
                .error()
                .help("arguments stand in the parentheses themselves, as in `call t(x: 1)`");
            return Some(if self.tok(close + 1) == Some(Tok::RParen) {
                error.fix(open.to(end), inside)
            } else {
                error
            });
        }
        None
    }

    // ------------------------------------------------------------------------------ declarations

    fn in_a_declaration(&self) -> Option<SyntaxError> {
        let before = self.back(1)?;
        // `name string`, `string name`
        if self.wants(":") && self.here.tok.is_word() && before.tok == Tok::Ident {
            let (first, second) = (
                self.text(before).to_owned(),
                self.text(&self.here).to_owned(),
            );
            let both = before.span.to(self.here.span);
            let meant = if TYPES.contains(&first.as_str()) && !TYPES.contains(&second.as_str()) {
                format!("{second}: {first}")
            } else {
                format!("{first}: {second}")
            };
            return Some(
                self.error()
                    .help(format!("a field is written `{meant}`"))
                    .fix(both, meant),
            );
        }
        // `string[]`
        if self.here.tok == Tok::LBracket
            && before.tok == Tok::Ident
            && self.tok(self.at + 1) == Some(Tok::RBracket)
        {
            let whole = before.span.to(self.token(self.at + 1)?.span);
            let meant = format!("list<{}>", self.text(before));
            return Some(self.instead(whole, &meant));
        }
        None
    }
}
