//! Flat sequences of operands and operators to trees (language reference, section 4).
//!
//! Precedence, from loose to tight: `every x in l:`, `iff`, `implies` (right), `or`, `and`,
//! `since/until/unless/release`, the temporal prefix operators, `not`, comparisons, `??`,
//! `+ -`, `*`, unary `-`. A sequence that readers take in two ways is an error that shows the
//! readings. A readable form is the whole of its sequence.

use crate::actions::{Cx, E, Elem, Infix, MAX_DEPTH, Prefix, Suffix};
use crate::ast::{BinaryOp, Expr, ExprKind, PatternKind, ToolSelKind, UnaryOp};
use crate::error::{SyntaxError, one_line, quote};
use crate::forms::is_form;
use crate::span::Span;

/// So many operands of `and` or `or` in a row make a chain that leans to the left; more are
/// halved, so that the tree stays shallow.
const LONGEST_CHAIN: usize = 64;

const NOT: u8 = 7;
const TEMPORAL_PREFIX: u8 = 6;
/// How close comparisons bind, which all have the same place.
pub(crate) const COMPARISON: u8 = 8;
const NEGATION: u8 = 12;

pub(crate) fn precedence(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Iff => 1,
        BinaryOp::Implies => 2,
        BinaryOp::Or => 3,
        BinaryOp::And => 4,
        BinaryOp::Until | BinaryOp::Unless | BinaryOp::Release | BinaryOp::Since => 5,
        BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge
        | BinaryOp::In
        | BinaryOp::NotIn
        | BinaryOp::Matches
        | BinaryOp::Like
        | BinaryOp::Contains
        | BinaryOp::StartsWith
        | BinaryOp::EndsWith
        | BinaryOp::Inside => COMPARISON,
        BinaryOp::Coalesce => 9,
        BinaryOp::Add | BinaryOp::Sub => 10,
        BinaryOp::Mul => 11,
    }
}

pub(crate) fn is_connective(op: BinaryOp) -> bool {
    precedence(op) <= 4
}

pub(crate) fn is_temporal(op: BinaryOp) -> bool {
    precedence(op) == 5
}

/// A resolved part and what its outside looks like.
struct Node {
    e: E,
    /// Where it is written; parentheses are part of it.
    span: Span,
    /// A temporal prefix operator whose operand ends this part: the first and last operator of
    /// its run.
    open: Option<(Span, Span)>,
    /// The operator at the top, with its span and the spans of its operands, unless in parentheses.
    top: Option<Top>,
}

#[derive(Clone, Copy)]
struct Top {
    op: BinaryOp,
    left: Span,
    right: Span,
}

impl Node {
    fn leaf(e: E) -> Self {
        Self {
            span: e.expr.span,
            e,
            open: None,
            top: None,
        }
    }
}

pub(crate) fn cover(elems: &[Elem]) -> Span {
    match (elems.first(), elems.last()) {
        (Some(a), Some(b)) => a.span().to(b.span()),
        _ => Span::default(),
    }
}

impl Cx<'_> {
    /// The tree of a sequence.
    pub(crate) fn resolve(&mut self, mut elems: Vec<Elem>) -> E {
        if elems.len() == 1
            && let Some(Elem::Operand(_)) = elems.first()
            && let Some(Elem::Operand(e)) = elems.pop()
        {
            return e;
        }
        if let Some(marker) = elems.iter().position(is_form) {
            return self.form(elems, marker);
        }
        self.operators(elems)
    }

    pub(crate) fn error_at(&mut self, span: Span) -> E {
        self.leaf(span.start, span.end, ExprKind::Error)
    }

    pub(crate) fn words(&self, l: u32, r: u32) -> String {
        one_line(self.text(l, r))
    }

    pub(crate) fn words_of(&self, span: Span) -> String {
        self.words(span.start, span.end)
    }

    // ------------------------------------------------------------------------------ operators

    pub(crate) fn operators(&mut self, elems: Vec<Elem>) -> E {
        let span = cover(&elems);
        let count = elems.len();
        let within = matches!(elems.last(), Some(Elem::Suffix(Suffix::Within(_), _)));
        let lone = count == 2
            || (count == 3 && matches!(elems.first(), Some(Elem::Prefix(Prefix::Earlier, _))));
        if within && !lone {
            let at = elems.last().map_or(span, Elem::span);
            self.errors.push(
                SyntaxError::new(
                    "E0057",
                    at,
                    "`within` stands after a pattern or a readable form",
                )
                .help(
                    "as in `count(call pay within 10min)` or `call a leads to call b within 30s`",
                ),
            );
        }
        let mut parser = Pratt {
            cx: self,
            elems: elems.into_iter().peekable(),
            reported: false,
        };
        match parser.parse(0, 0) {
            Some(node) => node.e,
            None => self.error_at(span),
        }
    }

    /// An error that shows how the text `whole` can be meant.
    pub(crate) fn readings(
        &mut self,
        code: &'static str,
        at: Span,
        message: &str,
        whole: Span,
        list: &[String],
    ) {
        let mut error = SyntaxError::new(code, at, message);
        let list = list.iter().map(|r| r.trim().to_owned()).collect();
        error.readings = Some((whole, list));
        self.errors.push(error);
    }
}

// ---------------------------------------------------------------------------------- operators

struct Pratt<'a, 's> {
    cx: &'a mut Cx<'s>,
    elems: std::iter::Peekable<std::vec::IntoIter<Elem>>,
    /// One error of scope for each sequence.
    reported: bool,
}

impl Pratt<'_, '_> {
    fn parse(&mut self, least: u8, level: u32) -> Option<Node> {
        if level > MAX_DEPTH {
            let span = self.elems.peek().map_or(Span::default(), Elem::span);
            self.cx.deep(span);
            // The rest is not read.
            while self.elems.next().is_some() {}
            return None;
        }
        let left = self.unit(level)?;
        self.infixes(left, least, level)
    }

    /// Goes on after an operand with the operators that bind at least so tightly.
    fn infixes(&mut self, mut left: Node, least: u8, level: u32) -> Option<Node> {
        while let Some(Elem::Infix(infix, at)) = self.elems.peek() {
            let (infix, at) = (*infix, *at);
            let op = match infix {
                Infix::Binary(op) => op,
                Infix::Assign => BinaryOp::Eq,
                Infix::Arrow => BinaryOp::Implies,
                _ => return Some(left),
            };
            let power = precedence(op);
            if power < least {
                break;
            }
            // Of `:=` the lexer has told.
            if infix == Infix::Assign && at.text(self.cx.source) == "=" {
                self.cx.errors.push(
                    SyntaxError::new("E0023", at, "`=` does not compare")
                        .help("write `==`")
                        .fix(at, "==")
                        .sure(),
                );
            } else if infix == Infix::Arrow {
                self.cx.errors.push(
                    SyntaxError::new("E0022", at, "`->` is written `implies` in this language")
                        .fix(at, "implies"),
                );
            }
            if matches!(op, BinaryOp::And | BinaryOp::Or) {
                left = self.chain(left, op, level)?;
                continue;
            }
            self.elems.next();
            let right_power = if op == BinaryOp::Implies {
                power
            } else {
                power + 1
            };
            let right = self.parse(right_power, level + 1)?;
            self.check_scope(&left, op, at, &right);
            left = self.combine(left, op, at, right);
        }
        Some(left)
    }

    /// `a and b and c ...`
    fn chain(&mut self, first: Node, op: BinaryOp, level: u32) -> Option<Node> {
        let power = precedence(op);
        let mut nodes = vec![first];
        while let Some(Elem::Infix(Infix::Binary(next), at)) = self.elems.peek() {
            let at = *at;
            if *next != op {
                break;
            }
            self.elems.next();
            let right = self.parse(power + 1, level + 1)?;
            if let Some(left) = nodes.last() {
                self.check_scope(left, op, at, &right);
            }
            nodes.push(right);
        }
        let balanced = nodes.len() > LONGEST_CHAIN;
        while nodes.len() > 1 {
            if balanced {
                let mut halved = Vec::with_capacity(nodes.len().div_ceil(2));
                let mut rest = nodes.into_iter();
                while let Some(a) = rest.next() {
                    halved.push(match rest.next() {
                        Some(b) => self.combine(a, op, Span::default(), b),
                        None => a,
                    });
                }
                nodes = halved;
            } else {
                let mut rest = nodes.into_iter();
                let mut left = rest.next()?;
                for right in rest {
                    left = self.combine(left, op, Span::default(), right);
                }
                nodes = vec![left];
            }
        }
        nodes.pop()
    }

    /// An operand with the prefix operators before it. A run of them is no recursion.
    fn unit(&mut self, level: u32) -> Option<Node> {
        let mut run: Vec<(UnaryOp, Span)> = Vec::new();
        while let Some(Elem::Prefix(Prefix::Unary(op), at)) = self.elems.peek() {
            run.push((*op, *at));
            self.elems.next();
        }
        let mut node = self.operand(level)?;
        for (op, at) in run.into_iter().rev() {
            let power = match op {
                UnaryOp::Not => NOT,
                UnaryOp::Neg => NEGATION,
                _ => TEMPORAL_PREFIX,
            };
            let inner = self.infixes(node, power, level)?;
            node = self.unary(op, at, inner);
        }
        Some(node)
    }

    fn operand(&mut self, level: u32) -> Option<Node> {
        match self.elems.next()? {
            Elem::Operand(e) => Some(self.suffixes(Node::leaf(e))),
            Elem::Prefix(Prefix::Earlier, at) => {
                let inner = self.unit_without_suffix(level)?;
                let span = at.to(inner.span);
                let below = inner.e.depth;
                let kind = ExprKind::Earlier(Box::new(inner.e.expr));
                let e = self.cx.node(span.start, span.end, kind, below);
                Some(self.suffixes(Node::leaf(e)))
            }
            Elem::Prefix(Prefix::Quantifier { all, var, list }, at) => {
                let body = self.parse(0, level + 1)?;
                let span = at.to(body.span);
                let below = list.depth.max(body.e.depth);
                let kind = ExprKind::Quantified {
                    all,
                    var,
                    list: Box::new(list.expr),
                    body: Box::new(body.e.expr),
                };
                Some(Node::leaf(self.cx.node(span.start, span.end, kind, below)))
            }
            // Forms are taken before; an infix or suffix does not begin a sequence.
            Elem::Prefix(_, at) | Elem::Infix(_, at) | Elem::Suffix(_, at) => {
                let e = self.cx.leaf(at.start, at.end, ExprKind::Error);
                Some(Node::leaf(e))
            }
        }
    }

    fn unit_without_suffix(&mut self, level: u32) -> Option<Node> {
        match self.elems.peek() {
            Some(Elem::Operand(_)) => match self.elems.next() {
                Some(Elem::Operand(e)) => Some(Node::leaf(e)),
                _ => None,
            },
            _ => self.parse(NEGATION, level + 1),
        }
    }

    fn suffixes(&mut self, mut node: Node) -> Node {
        while let Some(Elem::Suffix(_, _)) = self.elems.peek() {
            let Some(Elem::Suffix(suffix, at)) = self.elems.next() else {
                break;
            };
            if let Suffix::Within(bound) = suffix {
                let span = node.span.to(at);
                let below = node.e.depth;
                let kind = ExprKind::Within(Box::new(node.e.expr), bound);
                node = Node::leaf(self.cx.node(span.start, span.end, kind, below));
            }
        }
        node
    }

    fn unary(&mut self, op: UnaryOp, at: Span, inner: Node) -> Node {
        let span = at.to(inner.span);
        // `always not eventually`: one run of operators, read from its first to its last.
        let directly = inner
            .open
            .filter(|(first, _)| first.start == inner.span.start);
        let open = match op {
            UnaryOp::Neg => None,
            UnaryOp::Not => inner.open.map(|(first, last)| {
                if directly.is_some() {
                    (at, last)
                } else {
                    (first, last)
                }
            }),
            _ => Some((at, directly.map_or(at, |(_, last)| last))),
        };
        let below = inner.e.depth;
        let kind = ExprKind::Unary(op, Box::new(inner.e.expr));
        Node {
            e: self.cx.node(span.start, span.end, kind, below),
            span,
            open,
            top: None,
        }
    }

    fn combine(&mut self, left: Node, op: BinaryOp, at: Span, right: Node) -> Node {
        let span = left.span.to(right.span);
        let top = Some(Top {
            op,
            left: left.span,
            right: right.span,
        });
        if op == BinaryOp::Matches {
            self.want_regex(&right);
        }
        if precedence(op) >= 10 && self.hyphenated(&left, op, at, &right) {
            let e = self.cx.leaf(span.start, span.end, ExprKind::Error);
            return Node::leaf(e);
        }
        let below = left.e.depth.max(right.e.depth);
        let kind = ExprKind::Binary(op, Box::new(left.e.expr), Box::new(right.e.expr));
        Node {
            e: self.cx.node(span.start, span.end, kind, below),
            span,
            open: right.open,
            top,
        }
    }

    fn want_regex(&mut self, right: &Node) {
        let span = right.span;
        match &right.e.expr.kind {
            ExprKind::Regex { .. } | ExprKind::Error => {}
            ExprKind::Str(value) => {
                let mut pattern = String::with_capacity(value.len() + 2);
                let mut escaped = false;
                let mut chars = value.chars();
                for c in chars.by_ref() {
                    match c {
                        '/' if !escaped => pattern.push_str("\\/"),
                        '\n' => pattern.push_str("\\n"),
                        '\r' => pattern.push_str("\\r"),
                        c => pattern.push(c),
                    }
                    escaped = c == '\\' && !escaped;
                }
                let mut error = SyntaxError::new(
                    "E0056",
                    span,
                    "`matches` takes a regular expression, and this is a string",
                );
                if !pattern.is_empty() && !pattern.starts_with('*') {
                    error = error
                        .help(format!("write {}", quote(&format!("/{pattern}/"))))
                        .fix(span, format!("/{pattern}/"));
                }
                self.cx.errors.push(error);
            }
            _ => {
                let text = quote(self.cx.text(span.start, span.end));
                self.cx.errors.push(
                    SyntaxError::new(
                        "E0056",
                        span,
                        format!("`matches` takes a regular expression, not {text}"),
                    )
                    .help("write it between slashes, as in `matches /^ord-[0-9]+$/`"),
                );
            }
        }
    }

    /// `call create-issue`: a name that wants back-ticks.
    fn hyphenated(&mut self, left: &Node, op: BinaryOp, at: Span, right: &Node) -> bool {
        let ExprKind::Pattern(pattern) = &left.e.expr.kind else {
            return false;
        };
        let adjacent = at.start == left.span.end && at.end == right.span.start;
        if op != BinaryOp::Sub || !adjacent || !pattern.conditions.is_empty() {
            return false;
        }
        let last = match pattern.tools.as_ref().map(|t| &t.kind) {
            Some(ToolSelKind::OneOf(paths) | ToolSelKind::Except(paths)) => {
                paths.last().and_then(|p| p.parts.last())
            }
            _ => None,
        };
        let Some(last) = last else {
            return false;
        };
        let callee = match &right.e.expr.kind {
            ExprKind::Name(name) => name.span,
            ExprKind::Call(path, _) => path.span,
            _ => return false,
        };
        let name = last.span.to(callee);
        let text = self.cx.text(name.start, name.end).to_owned();
        self.cx.errors.push(
            SyntaxError::new(
                "E0065",
                name,
                format!("`{text}` is no plain name"),
            )
            .help("a name with other characters than letters, digits and `_` stands in back-ticks")
            .fix(name, format!("`{text}`")),
        );
        true
    }

    /// Whether readers could take `left op right` in two ways.
    fn check_scope(&mut self, left: &Node, op: BinaryOp, at: Span, right: &Node) {
        if self.reported {
            return;
        }
        let whole = left.span.to(right.span);
        if op.is_comparison()
            && let Some(top) = left.top
            && top.op.is_comparison()
        {
            self.reported = true;
            let first = self.cx.words_of(left.span);
            // `x matches a matches b` is about x twice, `a < x < b` about x in the middle.
            let shared = if matches!(
                top.op,
                BinaryOp::Eq
                    | BinaryOp::Ne
                    | BinaryOp::Lt
                    | BinaryOp::Le
                    | BinaryOp::Gt
                    | BinaryOp::Ge
            ) {
                top.right
            } else {
                top.left
            };
            let middle = self.cx.words_of(shared);
            let rest = self.cx.words(at.start, right.span.end);
            self.cx.readings(
                "E0055",
                at,
                "comparisons do not chain",
                whole,
                &[format!("{first} and {middle} {rest}")],
            );
            return;
        }
        if precedence(op) > 5 {
            return;
        }
        if let Some((first, last)) = left.open {
            self.reported = true;
            let start = left.span.start;
            let cx = &mut *self.cx;
            let one = format!(
                "{} ({})",
                cx.words(start, last.end),
                cx.words(last.end, right.span.end)
            );
            let two = format!(
                "{}({}) {}",
                match cx.words(start, first.start) {
                    s if s.is_empty() => s,
                    s => format!("{s} "),
                },
                cx.words(first.start, left.span.end),
                cx.words(at.start, right.span.end)
            );
            let mut list = vec![one, two];
            if op == BinaryOp::Or
                && let (Some(tools), ExprKind::Name(name)) =
                    (last_pattern(&left.e.expr), &right.e.expr.kind)
            {
                list.push(format!(
                    "{} {} | {}",
                    cx.words(start, last.end),
                    tools_text(cx, tools),
                    name.name
                ));
            }
            let word = cx.words_of(first);
            cx.readings(
                "E0050",
                first,
                &format!("how far `{word}` reaches can be read in two ways"),
                whole,
                &list,
            );
            return;
        }
        if is_temporal(op)
            && let Some(top) = left.top
            && is_temporal(top.op)
        {
            self.reported = true;
            let cx = &mut *self.cx;
            let one = format!(
                "({}) {}",
                cx.words_of(left.span),
                cx.words(at.start, right.span.end)
            );
            let two = format!(
                "{} ({})",
                cx.words(left.span.start, top.right.start),
                cx.words(top.right.start, right.span.end)
            );
            let message = format!(
                "`{}` after another operator of time can be read in two ways",
                cx.words_of(at)
            );
            cx.readings("E0051", at, &message, whole, &[one, two]);
            return;
        }
        if !is_connective(op) {
            return;
        }
        let side = |node: &Node| node.top.filter(|t| is_temporal(t.op));
        let (one, two) = if let Some(top) = side(left) {
            (
                format!(
                    "({}) {}",
                    self.cx.words_of(left.span),
                    self.cx.words(at.start, right.span.end)
                ),
                format!(
                    "{} ({})",
                    self.cx.words(left.span.start, top.right.start),
                    self.cx.words(top.right.start, right.span.end)
                ),
            )
        } else if let Some(top) = side(right) {
            (
                format!(
                    "{} ({})",
                    self.cx.words(left.span.start, at.end),
                    self.cx.words_of(right.span)
                ),
                format!(
                    "({}) {}",
                    self.cx.words(left.span.start, top.left.end),
                    self.cx.words(top.left.end, right.span.end)
                ),
            )
        } else {
            return;
        };
        self.reported = true;
        let message = format!(
            "`{}` beside an operator of time can be read in two ways",
            self.cx.words_of(at)
        );
        self.cx.readings("E0052", at, &message, whole, &[one, two]);
    }
}

/// The pattern that ends an expression, where it is a plain one.
fn last_pattern(expr: &Expr) -> Option<Span> {
    let mut at = expr;
    loop {
        match &at.kind {
            ExprKind::Unary(_, inner) => at = inner,
            ExprKind::Pattern(p)
                if p.conditions.is_empty()
                    && p.kind != PatternKind::Input
                    && p.kind != PatternKind::Output =>
            {
                return Some(at.span);
            }
            _ => return None,
        }
    }
}

fn tools_text(cx: &Cx<'_>, span: Span) -> String {
    cx.words_of(span)
}
