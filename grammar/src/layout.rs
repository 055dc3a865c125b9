//! From tokens to items: brackets are balanced, the file is cut into items, and words that are
//! keywords only in some places are told apart from names.
//!
//! All of it works on tokens alone, in one pass each, so that neither deep nesting nor a missing
//! bracket can hurt the parser: it is given one item at a time, with brackets that match.

use crate::error::SyntaxError;
use crate::span::Span;
use crate::token::{NOT_FIRST, Tok, Token};

/// The deepest nesting of brackets that is read.
pub const MAX_NESTING: usize = 128;

/// The tokens of one item, brackets balanced.
#[derive(Debug, Default)]
pub(crate) struct RawItem {
    pub tokens: Vec<Token>,
}

struct Open {
    tok: Tok,
    span: Span,
    /// Column of the line's first token, where the bracket stands.
    indent: u32,
}

struct Layout<'s> {
    source: &'s str,
    tokens: &'s [Token],
    items: Vec<RawItem>,
    item: Vec<Token>,
    stack: Vec<Open>,
    errors: Vec<SyntaxError>,
    /// An inner bracket whose closer stands further left than its line.
    suspect: Option<Span>,
    indent: u32,
    /// The item that is being read is too deep, and this has been reported.
    too_deep: bool,
    /// The item's own keyword, once its attributes are over.
    head: Option<Tok>,
    /// The item's braces have been opened.
    opened: bool,
}

/// Cuts the tokens into items.
pub(crate) fn layout(source: &str, tokens: &[Token]) -> (Vec<RawItem>, Vec<SyntaxError>) {
    let mut layout = Layout {
        source,
        tokens,
        items: Vec::new(),
        item: Vec::new(),
        stack: Vec::new(),
        errors: Vec::new(),
        suspect: None,
        indent: 0,
        too_deep: false,
        head: None,
        opened: false,
    };
    layout.run();
    (layout.items, layout.errors)
}

impl Layout<'_> {
    fn at(&self, i: usize) -> Option<Tok> {
        self.tokens.get(i).map(|t| t.tok)
    }

    fn run(&mut self) {
        let mut i = 0;
        while let Some(&token) = self.tokens.get(i) {
            if token.column != NOT_FIRST {
                self.indent = token.column;
            }
            if self.begins_item(i) {
                self.finish_item();
            }
            if self.lacks_brace(i) {
                self.open_missing(i);
            }
            if self.ends_clause(i) || self.ends_step(i) {
                while self.stack.len() > 1 {
                    self.close_missing();
                }
            }
            if token.tok.opens() {
                if self.stack.len() >= MAX_NESTING {
                    i = self.skip_deep(i);
                    continue;
                }
                self.note_head(token.tok);
                self.opened |= token.tok == Tok::LBrace && self.stack.is_empty();
                self.stack.push(Open {
                    tok: token.tok,
                    span: token.span,
                    indent: self.indent,
                });
                self.item.push(token);
            } else if token.tok.closes() {
                self.close(i, token);
            } else {
                self.note_head(token.tok);
                self.item.push(token);
            }
            i += 1;
        }
        self.finish_item();
    }

    /// Sees whether a token that is about to be pushed is the first after the attributes.
    fn note_head(&mut self, tok: Tok) {
        if self.head.is_some() || !self.stack.is_empty() {
            return;
        }
        let last = |n: usize| {
            let at = self.item.len().checked_sub(n)?;
            self.item.get(at).map(|t| t.tok)
        };
        let attribute = tok == Tok::At
            || last(1) == Some(Tok::At)
            || (tok == Tok::LParen && last(2) == Some(Tok::At));
        if !attribute {
            self.head = Some(tok);
        }
    }

    /// A bracket one level too deep: all of it, up to where it closes, becomes one error token.
    fn skip_deep(&mut self, from: usize) -> usize {
        let mut depth = 0usize;
        let mut i = from;
        while let Some(token) = self.tokens.get(i) {
            if token.tok.opens() {
                depth += 1;
            } else if token.tok.closes() {
                depth -= 1;
            }
            i += 1;
            if depth == 0 {
                break;
            }
            if self.begins_item(i) && self.tokens.get(i).is_some_and(|t| t.column == 0) {
                break;
            }
        }
        let Some(first) = self.tokens.get(from) else {
            return i;
        };
        if !self.too_deep {
            self.errors.push(
                SyntaxError::new(
                    "E0032",
                    first.span,
                    format!("brackets are nested more than {MAX_NESTING} deep"),
                )
                .help("name the inner parts with `let` or `predicate`"),
            );
            self.too_deep = true;
        }
        self.item.push(Token {
            tok: Tok::Error,
            ..*first
        });
        i
    }

    fn close(&mut self, i: usize, token: Token) {
        let matches = |open: &Open| open.tok.closer() == token.tok;
        let Some(top) = self.stack.last() else {
            self.stray(token);
            return;
        };
        if matches(top) {
            if self.stack.len() == 1 && self.closes_too_early(i) {
                self.errors.push(
                    SyntaxError::new("E0031", token.span, "this `}` closes the block too early")
                        .help("a clause or step of the block follows it")
                        .fix(token.span, "")
                        .stray(),
                );
                return;
            }
            if token.column != NOT_FIRST && token.column < top.indent {
                self.suspect.get_or_insert(top.span);
            }
            self.stack.pop();
            self.item.push(token);
            return;
        }
        if self.stack.iter().any(matches) {
            while self.stack.last().is_some_and(|open| !matches(open)) {
                self.close_missing();
            }
            self.stack.pop();
            self.item.push(token);
            return;
        }
        let wanted = top.tok.closer();
        let open = top.span;
        if token.column != NOT_FIRST
            || !self.one_line(open, token.span)
            || self.closed_later(i, wanted)
        {
            self.stray(token);
            return;
        }
        let text = token.span.text(self.source);
        let opener = open.text(self.source);
        self.errors.push(
            SyntaxError::new(
                "E0031",
                token.span,
                format!("`{text}` cannot close `{opener}`"),
            )
            .label(open, "opened here")
            .fix(token.span, closer_text(wanted)),
        );
        self.stack.pop();
        self.item.push(Token {
            tok: wanted,
            ..token
        });
    }

    /// A closing bracket without an opening one.
    fn stray(&mut self, token: Token) {
        let text = token.span.text(self.source);
        self.errors.push(
            SyntaxError::new("E0031", token.span, format!("`{text}` closes nothing"))
                .fix(token.span, "")
                .stray(),
        );
    }

    /// Whether the innermost bracket is closed after this token, on the same line.
    fn closed_later(&self, i: usize, wanted: Tok) -> bool {
        let mut depth = 0usize;
        for token in self.tokens.iter().skip(i + 1) {
            if token.column != NOT_FIRST {
                return false;
            }
            match token.tok {
                tok if tok.opens() => depth += 1,
                tok if tok.closes() && depth > 0 => depth -= 1,
                tok if tok.closes() => return tok == wanted,
                _ => {}
            }
        }
        false
    }

    /// A brace that closes a contract or test although more of it follows, and another brace.
    fn closes_too_early(&self, i: usize) -> bool {
        let goes_on = match self.head {
            Some(Tok::Contract) => self.at(i + 1).is_some_and(Tok::starts_clause),
            Some(Tok::Test) => self.begins_step(i + 1),
            _ => false,
        };
        goes_on && self.is_closed(i + 1)
    }

    /// A word that begins a step of a test, or what is expected of one.
    fn begins_step(&self, i: usize) -> bool {
        let Some(token) = self.tokens.get(i) else {
            return false;
        };
        let next = self.at(i + 1);
        match token.tok {
            Tok::Input | Tok::Output => next == Some(Tok::Str),
            Tok::After => next == Some(Tok::Duration),
            Tok::Event | Tok::Context | Tok::Lookup => {
                token.column != NOT_FIRST
                    && token.column > 0
                    && next.is_some_and(Tok::is_word)
                    && self.at(i + 2) != Some(Tok::Colon)
            }
            Tok::Ident => {
                token.span.text(self.source) == "expect" && next.is_some_and(Tok::is_word)
            }
            tok => tok.takes_tool() && next.is_some_and(Tok::is_word),
        }
    }

    /// A clause or step where the braces of its contract or test have not been opened.
    fn lacks_brace(&self, i: usize) -> bool {
        // The keyword and the name stand before it.
        if self.opened || !self.stack.is_empty() || self.item.len() < 2 {
            return false;
        }
        match self.head {
            Some(Tok::Contract) => {
                self.item.last().is_some_and(|t| t.tok != Tok::Contract)
                    && self.at(i).is_some_and(Tok::starts_clause)
                    && !self.names_field(i)
            }
            Some(Tok::Test) => self.begins_step(i),
            _ => false,
        }
    }

    /// Opens the braces that nobody opened before the token `i`.
    fn open_missing(&mut self, i: usize) {
        let end = self.last_end();
        let here = Span::new(end, end);
        self.opened = true;
        self.stack.push(Open {
            tok: Tok::LBrace,
            span: here,
            indent: self.indent,
        });
        self.item.push(Token {
            tok: Tok::LBrace,
            span: here,
            column: NOT_FIRST,
            inserted: true,
        });
        let error = SyntaxError::new("E0068", here, "missing opening `{`");
        let colon = self
            .item
            .iter()
            .rev()
            .nth(1)
            .filter(|t| t.tok == Tok::Colon);
        self.errors.push(match (self.is_closed(i), colon) {
            (false, _) => error.help(
                "the clauses of a contract and the steps of a test stand in braces: `contract a { ... }`",
            ),
            (true, Some(colon)) => error.fix(colon.span, " {"),
            (true, None) => error.fix(here, " {"),
        });
    }

    /// Whether a `}` closes what is open here, before another contract or test begins.
    fn is_closed(&self, i: usize) -> bool {
        const FAR: usize = 4_000;
        let mut depth = 0usize;
        for token in self.tokens.iter().skip(i).take(FAR) {
            match token.tok {
                tok if tok.opens() => depth += 1,
                Tok::RBrace if depth == 0 => return true,
                tok if tok.closes() => depth = depth.saturating_sub(1),
                Tok::Contract | Tok::Test if depth == 0 => return false,
                _ => {}
            }
        }
        false
    }

    fn one_line(&self, from: Span, to: Span) -> bool {
        !Span::new(from.start, to.end)
            .text(self.source)
            .contains('\n')
    }

    fn last_end(&self) -> u32 {
        self.item.last().map_or(0, |t| t.span.end)
    }

    /// Closes the innermost bracket, which nobody closed; the first of an item is reported.
    fn close_missing(&mut self) {
        let Some(open) = self.stack.pop() else {
            return;
        };
        let end = self.last_end();
        let here = Span::new(end, end);
        self.item.push(Token {
            tok: open.tok.closer(),
            span: here,
            column: NOT_FIRST,
            inserted: true,
        });
        if !self.too_deep {
            let text = closer_text(open.tok.closer());
            let culprit = match self.suspect {
                Some(span) if open.tok == Tok::LBrace => span,
                _ => open.span,
            };
            let error = SyntaxError::new("E0030", here, format!("missing closing `{text}`"))
                .label(culprit, "opened here");
            let error = if culprit == open.span {
                error.fix(here, text)
            } else {
                error.help(format!(
                    "by its indentation, the `{{` above is the one without `{text}`"
                ))
            };
            self.errors.push(error);
            // One missing bracket is one error, whatever it leaves open.
            self.too_deep = self.stack.len() > 1;
        }
    }

    fn finish_item(&mut self) {
        // The outermost bracket is the one that the reader misses.
        if self.stack.len() > 1 && !self.too_deep {
            let inner: Vec<Open> = self.stack.drain(1..).collect();
            let all_parens = inner.iter().all(|o| o.tok != Tok::LBrace);
            let end = self.last_end();
            for open in inner.iter().rev() {
                self.item.push(Token {
                    tok: open.tok.closer(),
                    span: Span::new(end, end),
                    column: NOT_FIRST,
                    inserted: true,
                });
            }
            if !all_parens && let Some(open) = inner.first() {
                self.suspect.get_or_insert(open.span);
            }
        }
        while !self.stack.is_empty() {
            self.close_missing();
        }
        if !self.item.is_empty() {
            self.items.push(RawItem {
                tokens: std::mem::take(&mut self.item),
            });
        }
        self.suspect = None;
        self.too_deep = false;
        self.head = None;
        self.opened = false;
    }

    /// What cannot stand inside the brackets of a test's step: they should have been closed.
    fn ends_step(&self, i: usize) -> bool {
        let Some(token) = self.tokens.get(i) else {
            return false;
        };
        if self.head != Some(Tok::Test) || self.stack.len() < 2 || self.names_field(i) {
            return false;
        }
        let before = i.checked_sub(1).and_then(|j| self.at(j));
        match token.tok {
            Tok::Arrow => true,
            Tok::Ident => self.begins_step(i) && before != Some(Tok::Comma),
            _ => token.column != NOT_FIRST && self.begins_step(i) && before != Some(Tok::Arrow),
        }
    }

    /// A clause keyword inside brackets of a contract: what was open before it stays open by
    /// mistake.
    fn ends_clause(&self, i: usize) -> bool {
        let Some(tok) = self.at(i) else {
            return false;
        };
        tok.starts_clause()
            && self.stack.len() > 1
            && self.head == Some(Tok::Contract)
            && !self.names_field(i)
    }

    /// After a dot, before a colon, or compared with something: a name whatever the word.
    fn names_field(&self, i: usize) -> bool {
        let before = i.checked_sub(1).and_then(|j| self.at(j));
        let after = self.at(i + 1);
        before == Some(Tok::Dot)
            || after == Some(Tok::Colon)
            || (after == Some(Tok::Question) && self.at(i + 2) == Some(Tok::Colon))
            || after.is_some_and(|t| t.compares() || t == Tok::Assign || t == Tok::Dot)
    }

    fn begins_item(&self, i: usize) -> bool {
        let Some(token) = self.tokens.get(i) else {
            return false;
        };
        let first = token.column != NOT_FIRST;
        let tok = token.tok;
        let word = |j: usize| self.at(j).is_some_and(Tok::is_word);
        if let Some(outer) = self.stack.first() {
            // An item inside brackets: some bracket before it was not closed.
            let in_test = self.head == Some(Tok::Test);
            let left = first && token.column <= outer.indent;
            return match tok {
                Tok::Contract => {
                    let body = matches!(self.at(i + 2), Some(Tok::LBrace | Tok::ForEach));
                    word(i + 1) && body && (first || self.ended())
                }
                Tok::Test => self.at(i + 1) == Some(Tok::Str) && (first || self.ended()),
                Tok::At => left && word(i + 1) && self.ended(),
                Tok::ToolsFrom => left && self.at(i + 1) == Some(Tok::Str),
                Tok::Import | Tok::Include => {
                    left && (word(i + 1) || self.at(i + 1) == Some(Tok::Str))
                }
                Tok::Module => left && word(i + 1),
                Tok::Predicate | Tok::Tool => {
                    left && word(i + 1) && matches!(self.at(i + 2), Some(Tok::LParen | Tok::Dot))
                }
                Tok::Event | Tok::Lookup => {
                    left && !in_test && word(i + 1) && self.at(i + 2) == Some(Tok::LParen)
                }
                Tok::Context => left && word(i + 1) && self.at(i + 2) == Some(Tok::Colon),
                Tok::Group => left && word(i + 1) && self.at(i + 2) == Some(Tok::Assign),
                _ => false,
            };
        }
        let Some(last) = self.item.last() else {
            return false;
        };
        // Attributes belong to the item that follows them.
        if self.head.is_none() {
            return false;
        }
        let after_dot = last.tok == Tok::Dot;
        match tok {
            Tok::At => !after_dot,
            // A step of a test whose braces have not been opened.
            _ if self.lacks_brace(i) => false,
            tok if tok.starts_item() => {
                if after_dot || self.at(i + 1) == Some(Tok::Dot) && last.tok != Tok::RBrace {
                    return false;
                }
                let named = self.item.len() > 1;
                let plausible = word(i + 1) || self.at(i + 1) == Some(Tok::Str);
                (self.ended() && named && (plausible || first || last.tok == Tok::RBrace))
                    || (first && token.column == 0 && plausible)
            }
            tok if tok.starts_clause() => first && last.tok == Tok::RBrace,
            // Another keyword in the place of `contract` or `test`.
            tok if tok.is_word()
                && tok != Tok::Ident
                && first
                && token.column == 0
                && last.tok == Tok::RBrace
                && (word(i + 1) || self.at(i + 1) == Some(Tok::Str))
                && matches!(self.at(i + 2), Some(Tok::LBrace | Tok::ForEach | Tok::For)) =>
            {
                true
            }
            // A word that starts nothing known, where the item before it is complete.
            tok if tok.is_word() => {
                matches!(tok, Tok::Ident | Tok::Tools)
                    && self.ended()
                    && self.item.len() > 1
                    && (first || last.tok == Tok::RBrace)
                    && !matches!(last.tok, Tok::Ident if !first)
                    && !self.word_continues(i)
            }
            _ => false,
        }
    }

    /// `as server` and its like, on a line of its own.
    fn word_continues(&self, i: usize) -> bool {
        let text = |t: &Token| t.span.text(self.source);
        let Some(here) = self.tokens.get(i) else {
            return false;
        };
        let last = self.item.last();
        // `at most 3` and its `times` on the next line.
        let counts = matches!(
            text(here),
            "time" | "times" | "consecutive" | "step" | "steps"
        );
        text(here) == "as"
            || last.is_some_and(|t| text(t) == "as")
            || counts && last.is_some_and(|t| t.tok == Tok::Number || text(t) == "consecutive")
    }

    fn ended(&self) -> bool {
        let Some(last) = self.item.last() else {
            return true;
        };
        if last.tok.ends_operand() {
            return true;
        }
        // `list<int>` ends a declaration.
        if last.tok == Tok::Gt && matches!(self.head, Some(Tok::Tool | Tok::Context | Tok::Lookup))
        {
            return true;
        }
        // A keyword that stands as a name: the second word of the item, or after a dot.
        let before = self
            .item
            .len()
            .checked_sub(2)
            .and_then(|j| self.item.get(j));
        last.tok.is_word() && before.is_some_and(|b| b.tok == Tok::Dot || b.tok.starts_item())
    }
}

fn closer_text(tok: Tok) -> &'static str {
    match tok {
        Tok::RParen => ")",
        Tok::RBrace => "}",
        _ => "]",
    }
}

/// Tells names from keywords, by what stands around a word. `head` is the index of the item's
/// own keyword, after its attributes.
pub(crate) fn contextualise(source: &str, tokens: &[Token]) -> Vec<Token> {
    let head = head_index(tokens);
    let head_tok = tokens.get(head).map(|t| t.tok);
    let in_test = head_tok == Some(Tok::Test);
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut depth = 0usize;
    // In a step's expectations, where `and` and `,` go on with them.
    let mut expecting = false;
    for (i, token) in tokens.iter().enumerate() {
        let mut tok = token.tok;
        if tok.opens() {
            depth += 1;
        } else if tok.closes() {
            depth = depth.saturating_sub(1);
        }
        if tok.is_word() {
            let place = Place {
                source,
                tokens,
                out: &out,
                i,
                head,
                head_tok,
                step: in_test && depth == 1,
                clause_level: head_tok == Some(Tok::Contract)
                    && depth == 1
                    && out.last().is_none_or(|t| t.tok != Tok::Dot),
                expecting,
            };
            tok = place.kind(tok);
        }
        if in_test && depth == 1 {
            if tok == Tok::Expect {
                expecting = true;
            } else if tok.starts_step() || tok == Tok::With {
                expecting = false;
            }
        }
        out.push(Token { tok, ..*token });
    }
    out
}

/// The index of the item's keyword: the first token after the attributes.
pub(crate) fn head_index(tokens: &[Token]) -> usize {
    let mut i = 0;
    while tokens.get(i).is_some_and(|t| t.tok == Tok::At) {
        i += 2;
        if tokens.get(i).is_some_and(|t| t.tok == Tok::LParen) {
            let mut depth = 0usize;
            while let Some(token) = tokens.get(i) {
                i += 1;
                if token.tok.opens() {
                    depth += 1;
                } else if token.tok.closes() {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
            }
        }
    }
    i
}

struct Place<'s> {
    source: &'s str,
    tokens: &'s [Token],
    out: &'s [Token],
    i: usize,
    head: usize,
    head_tok: Option<Tok>,
    /// Between the braces of a test, outside inner brackets.
    step: bool,
    /// Between the braces of a contract, outside inner brackets, and not after a dot.
    clause_level: bool,
    expecting: bool,
}

impl Place<'_> {
    fn next(&self, n: usize) -> Option<Tok> {
        self.tokens.get(self.i + n).map(|t| t.tok)
    }

    fn before(&self, n: usize) -> Option<Tok> {
        self.out
            .len()
            .checked_sub(n)
            .and_then(|j| self.out.get(j))
            .map(|t| t.tok)
    }

    /// The word before this one wants a tool; `-> failure` does not.
    fn wants_tool(&self) -> bool {
        self.before(1).is_some_and(Tok::takes_tool) && self.before(2) != Some(Tok::Arrow)
    }

    fn text(&self) -> &str {
        self.tokens
            .get(self.i)
            .map_or("", |t| t.span.text(self.source))
    }

    fn kind(&self, tok: Tok) -> Tok {
        if self.i == self.head {
            return tok;
        }
        let before = self.before(1);
        let next = self.next(1);
        let next_is_word = next.is_some_and(Tok::is_word);
        // `guarantee: f` is a slip, no field.
        if tok.starts_clause() && self.clause_level && next == Some(Tok::Colon) {
            return tok;
        }
        // Fields may bear any name after a dot or with a colon.
        if before == Some(Tok::Dot)
            || before == Some(Tok::At)
            || next == Some(Tok::Colon)
            || (next == Some(Tok::Question) && self.next(2) == Some(Tok::Colon))
        {
            return Tok::Ident;
        }
        // Names that are declared or bound.
        if self.i == self.head + 1 && self.head_tok.is_some_and(Tok::starts_item) {
            return Tok::Ident;
        }
        let declares = before.is_some_and(|b| {
            matches!(
                b,
                Tok::Let | Tok::As | Tok::ForEach | Tok::Every | Tok::Some
            )
        }) || (self.step
            && matches!(before, Some(Tok::Context | Tok::Lookup | Tok::Event))
            && self.out.len() > self.head + 2)
            || self.lists_names(before);
        if declares && !tok.starts_clause() {
            return Tok::Ident;
        }
        if self.step
            && let Some(tok) = self.test_word(tok, before, next)
        {
            return tok;
        }
        // A tool may bear any name that could not go on the formula.
        if self.wants_tool() || before == Some(Tok::Pipe) {
            let free = !matches!(
                tok,
                Tok::And | Tok::Or | Tok::Not | Tok::Implies | Tok::Iff | Tok::True | Tok::False
            ) && !tok.starts_clause()
                && !tok.takes_tool()
                && !tok.compares()
                && !is_two_words(tok)
                && !matches!(
                    tok,
                    Tok::Since
                        | Tok::Until
                        | Tok::Unless
                        | Tok::After
                        | Tok::Before
                        | Tok::Within
                        | Tok::Exactly
                        | Tok::Any
                );
            if free {
                return Tok::Ident;
            }
        }
        match tok {
            Tok::Any | Tok::AnyExcept => {
                if self.wants_tool() {
                    return tok;
                }
                if tok == Tok::Any {
                    return Tok::Ident;
                }
                return tok;
            }
            Tok::Every | Tok::Some
                if !next_is_word
                    || self.head_tok == Some(Tok::Contract)
                        && next.is_some_and(Tok::starts_clause) =>
            {
                return Tok::Ident;
            }
            Tok::Exactly if next != Some(Tok::Number) => return Tok::Ident,
            Tok::Tools => return Tok::Ident,
            Tok::For
                if !(before == Some(Tok::Str) && self.head_tok == Some(Tok::Test)
                    || self.head_tok == Some(Tok::Contract) && self.out.len() == self.head + 2) =>
            {
                return Tok::Ident;
            }
            tok if tok.starts_item() => return Tok::Ident,
            Tok::And
            | Tok::Or
            | Tok::Not
            | Tok::Implies
            | Tok::Iff
            | Tok::True
            | Tok::False
            | Tok::Null
            | Tok::In => return tok,
            tok if tok != Tok::Ident && !is_two_words(tok) => {
                // `success == true`: a field that bears the name of a keyword.
                let starts = before.is_none_or(|b| !b.ends_operand());
                if starts && !tok.compares() && next.is_some_and(Tok::compares) {
                    return Tok::Ident;
                }
            }
            _ => {}
        }
        if tok == Tok::Ident {
            return self.soft(before);
        }
        tok
    }

    /// Where a list of contracts is read: `test "x" for a, b {`, `expect block by a`,
    /// `include "x" { a, b }`.
    fn lists_names(&self, before: Option<Tok>) -> bool {
        let lists = |opener: Tok| before == Some(opener) || before == Some(Tok::Comma);
        match self.head_tok {
            Some(Tok::Test) if self.step => {
                before == Some(Tok::By) || before == Some(Tok::Comma) && self.expecting
            }
            Some(Tok::Test) => {
                lists(Tok::For)
                    && self.out.len() > self.head + 2
                    && !self.out.iter().any(|t| t.tok == Tok::LBrace)
            }
            Some(Tok::Include) => lists(Tok::LBrace),
            _ => false,
        }
    }

    /// Words that are keywords only where a form expects them.
    fn soft(&self, before: Option<Tok>) -> Tok {
        match (self.text(), before) {
            ("block", Some(Tok::Otherwise)) => Tok::Block,
            ("warn", Some(Tok::Otherwise)) => Tok::Warn,
            ("escalate", Some(Tok::Otherwise)) => Tok::Escalate,
            ("redirect", Some(Tok::Otherwise)) => Tok::Redirect,
            ("repair", Some(Tok::Otherwise)) => Tok::Repair,
            ("times" | "time", Some(Tok::Consecutive)) => Tok::Times,
            ("times" | "time", Some(Tok::Number)) if self.counts() => Tok::Times,
            ("consecutive", Some(Tok::Number)) if self.counts() => Tok::Consecutive,
            ("steps" | "step", Some(Tok::Number)) if self.before(2) == Some(Tok::Within) => {
                Tok::Steps
            }
            ("as", Some(Tok::Str | Tok::Ident))
                if matches!(self.head_tok, Some(Tok::Import | Tok::ToolsFrom)) =>
            {
                Tok::As
            }
            _ => Tok::Ident,
        }
    }

    fn counts(&self) -> bool {
        matches!(
            self.before(2),
            Some(Tok::AtMost | Tok::AtLeast | Tok::Exactly)
        )
    }

    fn test_word(&self, tok: Tok, before: Option<Tok>, next: Option<Tok>) -> Option<Tok> {
        let after_what =
            before == Some(Tok::Expect) || (before == Some(Tok::And) && self.expecting);
        if after_what && self.text() != "expect" {
            return Some(if self.contracts_follow() {
                Tok::WhatOf
            } else {
                Tok::Ident
            });
        }
        if self.wants_tool() || before == Some(Tok::Comma) {
            return None;
        }
        match (self.text(), tok) {
            (_, Tok::After) if next == Some(Tok::Duration) || before != Some(Tok::Arrow) => {
                Some(Tok::AfterStep)
            }
            (_, Tok::Context | Tok::Lookup | Tok::Event) if next.is_some_and(Tok::is_word) => {
                Some(tok)
            }
            ("expect", Tok::Ident) => Some(Tok::Expect),
            ("end", Tok::Ident) if next != Some(Tok::LParen) && before != Some(Tok::Arrow) => {
                Some(Tok::End)
            }
            ("by", Tok::Ident) if self.expecting && before == Some(Tok::Ident) => Some(Tok::By),
            ("with", Tok::Ident)
                if next.is_some_and(Tok::is_word) && self.next(2) == Some(Tok::Assign) =>
            {
                Some(Tok::With)
            }
            ("at", Tok::Ident) if matches!(next, Some(Tok::Str | Tok::Duration | Tok::Number)) => {
                Some(Tok::AtWord)
            }
            _ => None,
        }
    }

    /// After the word of an expectation: names that are no step of their own.
    fn contracts_follow(&self) -> bool {
        let Some(next) = self.tokens.get(self.i + 1) else {
            return false;
        };
        if next.tok != Tok::Ident {
            return false;
        }
        let text = next.span.text(self.source);
        if matches!(text, "by" | "with" | "expect" | "end" | "at") {
            return false;
        }
        let mut j = self.i + 2;
        while self.tokens.get(j).is_some_and(|t| t.tok == Tok::Dot) {
            j += 2;
        }
        self.tokens.get(j).is_none_or(|t| t.tok != Tok::LParen)
    }
}

fn is_two_words(tok: Tok) -> bool {
    matches!(
        tok,
        Tok::LeadsTo
            | Tok::ImmediatelyLeadsTo
            | Tok::OnlyAfter
            | Tok::OnlyBefore
            | Tok::OnlyIf
            | Tok::OnlyWhile
            | Tok::AtMost
            | Tok::AtLeast
            | Tok::WeakNext
            | Tok::WeakPreviously
            | Tok::StartsWith
            | Tok::EndsWith
            | Tok::NotIn
            | Tok::ForEach
            | Tok::AnyExcept
            | Tok::ToolsFrom
            | Tok::ToolsWhere
    )
}
