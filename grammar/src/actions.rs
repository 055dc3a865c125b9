//! What the grammar's productions do: they make nodes, and report what only they can see.

use std::cell::Cell;
use std::collections::HashMap;
use std::convert::Infallible;
use std::rc::Rc;

use lalrpop_util::{ErrorRecovery, ParseError};

use crate::ast::{
    Attribute, BinaryOp, Bound, ClauseKind, Expect, Expr, ExprKind, FieldDecl, Ident, ItemKind,
    Path, Pattern, PatternKind, StrLit, TestStep, TestStepKind, TimesCmp, ToolSel, Type, TypeKind,
    UnaryOp,
};
use crate::error::{SyntaxError, quote};
use crate::keywords::{self, KeywordKind};
use crate::literal::{Numeral, classify_number, decode_string};
use crate::span::Span;
use crate::token::Tok;

/// The deepest tree of an expression or type, in nodes. What is deeper is an error, so that
/// nothing that walks a tree runs out of stack.
pub const MAX_DEPTH: u32 = 256;

/// An expression and the depth of its tree.
#[derive(Debug)]
pub(crate) struct E {
    pub expr: Expr,
    pub depth: u32,
}

/// A type and the depth of its tree.
#[derive(Debug)]
pub(crate) struct T {
    pub ty: Type,
    pub depth: u32,
}

/// An element of a flat sequence of operands and operators.
#[derive(Debug)]
pub(crate) enum Elem {
    Prefix(Prefix, Span),
    Infix(Infix, Span),
    Suffix(Suffix, Span),
    Operand(E),
}

impl Elem {
    pub(crate) fn span(&self) -> Span {
        match self {
            Elem::Prefix(_, s) | Elem::Infix(_, s) | Elem::Suffix(_, s) => *s,
            Elem::Operand(e) => e.expr.span,
        }
    }
}

#[derive(Debug)]
pub(crate) enum Prefix {
    Unary(UnaryOp),
    Never,
    Earlier,
    Quantifier { all: bool, var: Ident, list: E },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Infix {
    Binary(BinaryOp),
    OnlyAfter,
    OnlyBefore,
    OnlyIf,
    OnlyWhile,
    LeadsTo,
    ImmediatelyLeadsTo,
    After,
    Before,
    Assign,
    Arrow,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Suffix {
    Times {
        cmp: TimesCmp,
        count: u64,
        consecutive: bool,
    },
    Within(Bound),
}

/// What follows the deed of a step.
#[derive(Debug)]
pub(crate) enum StepTail {
    Expect(Expect),
    Meta(Vec<(Ident, Expr)>),
}

/// An item as the grammar gives it.
#[derive(Debug)]
pub(crate) struct ItemOut {
    pub attributes: Vec<Attribute>,
    pub kind: ItemKind,
    pub span: Span,
}

/// A token that the parser did not expect.
#[derive(Debug)]
pub(crate) struct Unexpected {
    /// `None` at the end of the item.
    pub tok: Option<Tok>,
    pub span: Span,
    pub expected: Vec<String>,
}

/// What the productions share.
#[derive(Debug)]
pub(crate) struct Cx<'s> {
    pub source: &'s str,
    pub names: &'s HashMap<u32, String>,
    pub errors: Vec<SyntaxError>,
    pub unexpected: Vec<Unexpected>,
    /// How many tokens were unexpected, for the token stream to see.
    pub seen: Rc<Cell<usize>>,
    too_deep: bool,
}

impl<'s> Cx<'s> {
    pub(crate) fn new(source: &'s str, names: &'s HashMap<u32, String>) -> Self {
        Self {
            source,
            names,
            errors: Vec::new(),
            unexpected: Vec::new(),
            seen: Rc::default(),
            too_deep: false,
        }
    }

    pub(crate) fn text(&self, l: u32, r: u32) -> &'s str {
        Span::new(l, r).text(self.source)
    }

    pub(crate) fn recovered(&mut self, e: ErrorRecovery<u32, Tok, Infallible>) {
        self.unexpected(e.error);
    }

    pub(crate) fn unexpected(&mut self, error: ParseError<u32, Tok, Infallible>) {
        let unexpected = match error {
            ParseError::InvalidToken { location } => Unexpected {
                tok: None,
                span: Span::new(location, location),
                expected: Vec::new(),
            },
            ParseError::UnrecognizedEof { location, expected } => Unexpected {
                tok: None,
                span: Span::new(location, location),
                expected,
            },
            ParseError::UnrecognizedToken {
                token: (l, tok, r),
                expected,
            } => Unexpected {
                tok: Some(tok),
                span: Span::new(l, r),
                expected,
            },
            ParseError::ExtraToken { token: (l, tok, r) } => Unexpected {
                tok: Some(tok),
                span: Span::new(l, r),
                expected: Vec::new(),
            },
            ParseError::User { error } => match error {},
        };
        self.seen.set(self.seen.get() + 1);
        self.unexpected.push(unexpected);
    }

    /// The expression, or an error node where its tree is too deep.
    pub(crate) fn limit(&mut self, expr: Expr, depth: u32) -> E {
        if depth <= MAX_DEPTH {
            return E { expr, depth };
        }
        self.deep(expr.span);
        E {
            expr: Expr {
                kind: ExprKind::Error,
                span: expr.span,
            },
            depth: 1,
        }
    }

    /// Reports once an item that it is too deep.
    pub(crate) fn deep(&mut self, span: Span) {
        if self.too_deep {
            return;
        }
        self.too_deep = true;
        self.errors.push(
            SyntaxError::new(
                "E0032",
                Span::new(span.start, span.start.saturating_add(1).min(span.end)),
                format!("this is nested more than {MAX_DEPTH} deep"),
            )
            .help("name the inner parts with `let` or `predicate`"),
        );
    }

    pub(crate) fn node(&mut self, l: u32, r: u32, kind: ExprKind, below: u32) -> E {
        let span = Span::new(l, r);
        self.limit(Expr { kind, span }, below.saturating_add(1))
    }

    pub(crate) fn leaf(&mut self, l: u32, r: u32, kind: ExprKind) -> E {
        self.node(l, r, kind, 0)
    }

    // ------------------------------------------------------------------------------ words

    pub(crate) fn ident(&mut self, l: u32, r: u32) -> Ident {
        let text = self.text(l, r);
        let name = match (self.names.get(&l), text.strip_prefix('`')) {
            (Some(name), _) => name.clone(),
            (None, Some(quoted)) => quoted.strip_suffix('`').unwrap_or(quoted).trim().to_owned(),
            (None, None) => text.to_owned(),
        };
        Ident {
            name,
            span: Span::new(l, r),
        }
    }

    pub(crate) fn string(&mut self, l: u32, r: u32) -> StrLit {
        StrLit {
            value: decode_string(self.text(l, r), l as usize, None),
            span: Span::new(l, r),
        }
    }

    pub(crate) fn nanos(&mut self, l: u32, r: u32) -> i64 {
        match classify_number(self.text(l, r)) {
            Ok(Numeral::Duration(nanos)) => nanos,
            // Reported by the lexer.
            _ => 0,
        }
    }

    pub(crate) fn count(&mut self, l: u32, r: u32) -> u64 {
        let text = self.text(l, r);
        if let Ok(count) = text.parse::<u64>() {
            return count;
        }
        if matches!(classify_number(text), Ok(Numeral::Number)) {
            let whole = text.bytes().all(|b| b.is_ascii_digit());
            let message = if whole {
                format!("{} is too large to count to", quote(text))
            } else {
                format!("{} is no whole number", quote(text))
            };
            self.errors.push(
                SyntaxError::new("E0062", Span::new(l, r), message)
                    .help("events and steps are counted in whole numbers"),
            );
        }
        0
    }

    // ------------------------------------------------------------------------------ values

    pub(crate) fn number(&mut self, l: u32, r: u32) -> E {
        let text = self.text(l, r).to_owned();
        self.leaf(l, r, ExprKind::Number(text))
    }

    pub(crate) fn duration(&mut self, l: u32, r: u32) -> E {
        let nanos = self.nanos(l, r);
        self.leaf(l, r, ExprKind::Duration(nanos))
    }

    pub(crate) fn string_expr(&mut self, l: u32, r: u32) -> E {
        let value = self.string(l, r).value;
        self.leaf(l, r, ExprKind::Str(value))
    }

    pub(crate) fn regex(&mut self, l: u32, r: u32) -> E {
        let text = self.text(l, r);
        let inner = text.strip_prefix('/').unwrap_or(text);
        let (pattern, flags) = inner.rsplit_once('/').unwrap_or((inner, ""));
        let pattern = unescape_slash(pattern);
        let flags = flags.to_owned();
        self.leaf(l, r, ExprKind::Regex { pattern, flags })
    }

    pub(crate) fn negative(&mut self, l: u32, r: u32, e: E) -> E {
        let below = e.depth;
        self.node(l, r, ExprKind::Unary(UnaryOp::Neg, Box::new(e.expr)), below)
    }

    pub(crate) fn paren(&mut self, l: u32, r: u32, e: E) -> E {
        let below = e.depth;
        self.node(l, r, ExprKind::Paren(Box::new(e.expr)), below)
    }

    pub(crate) fn state(&mut self, l: u32, r: u32, e: E) -> E {
        let below = e.depth;
        self.node(l, r, ExprKind::State(Box::new(e.expr)), below)
    }

    pub(crate) fn list(&mut self, l: u32, r: u32, items: Vec<E>) -> E {
        let below = items.iter().map(|e| e.depth).max().unwrap_or(0);
        let items = items.into_iter().map(|e| e.expr).collect();
        self.node(l, r, ExprKind::List(items), below)
    }

    pub(crate) fn record(&mut self, l: u32, r: u32, fields: Vec<(Ident, E)>) -> E {
        let below = fields.iter().map(|(_, e)| e.depth).max().unwrap_or(0);
        let fields = fields.into_iter().map(|(n, e)| (n, e.expr)).collect();
        self.node(l, r, ExprKind::Record(fields), below)
    }

    pub(crate) fn field(&mut self, l: u32, r: u32, base: E, name: Ident) -> E {
        let below = base.depth;
        self.node(l, r, ExprKind::Field(Box::new(base.expr), name), below)
    }

    pub(crate) fn index(&mut self, l: u32, r: u32, base: E, n: u32, m: u32) -> E {
        let text = self.text(n, m);
        let index = text.parse::<u32>().unwrap_or_else(|_| {
            if matches!(classify_number(text), Ok(Numeral::Number)) {
                self.errors.push(
                    SyntaxError::new(
                        "E0063",
                        Span::new(n, m),
                        format!("{} is no index of a list", quote(text)),
                    )
                    .help("an index is a whole number from 0, or `*` for all elements"),
                );
            }
            0
        });
        let below = base.depth;
        self.node(l, r, ExprKind::Index(Box::new(base.expr), index), below)
    }

    pub(crate) fn all(&mut self, l: u32, r: u32, base: E) -> E {
        let below = base.depth;
        self.node(l, r, ExprKind::All(Box::new(base.expr)), below)
    }

    pub(crate) fn call(&mut self, l: u32, r: u32, callee: E, args: Vec<E>) -> E {
        let below = args.iter().map(|e| e.depth).max().unwrap_or(0);
        let span = callee.expr.span;
        let args: Vec<Expr> = args.into_iter().map(|e| e.expr).collect();
        match dotted(callee.expr) {
            Some(parts) => {
                let path = Path { parts, span };
                self.node(l, r, ExprKind::Call(path, args), below)
            }
            None => {
                self.errors.push(
                    SyntaxError::new(
                        "E0064",
                        span,
                        format!("{} is no function", quote(span.text(self.source))),
                    )
                    .help("only a name, or a dotted name, can be called"),
                );
                self.leaf(l, r, ExprKind::Error)
            }
        }
    }

    pub(crate) fn pattern(
        &mut self,
        l: u32,
        r: u32,
        kind: PatternKind,
        tools: Option<ToolSel>,
        conditions: Vec<E>,
    ) -> E {
        let below = conditions.iter().map(|e| e.depth).max().unwrap_or(0);
        let conditions = conditions.into_iter().map(|e| e.expr).collect();
        let pattern = Pattern {
            kind,
            tools,
            conditions,
        };
        self.node(l, r, ExprKind::Pattern(pattern), below)
    }

    // ------------------------------------------------------------------------------ types

    fn ty(&mut self, l: u32, r: u32, kind: TypeKind, below: u32) -> T {
        let span = Span::new(l, r);
        if below < MAX_DEPTH {
            return T {
                ty: Type { kind, span },
                depth: below + 1,
            };
        }
        self.deep(span);
        self.type_error(l, r)
    }

    pub(crate) fn type_error(&mut self, l: u32, r: u32) -> T {
        T {
            ty: Type {
                kind: TypeKind::Error,
                span: Span::new(l, r),
            },
            depth: 1,
        }
    }

    pub(crate) fn type_name(&mut self, l: u32, r: u32) -> T {
        let name = self.ident(l, r).name;
        self.ty(l, r, TypeKind::Name(name), 0)
    }

    pub(crate) fn type_of(&mut self, l: u32, r: u32, name: Ident, inner: T) -> T {
        let below = inner.depth;
        let inner = Box::new(inner.ty);
        match name.name.as_str() {
            "list" => self.ty(l, r, TypeKind::List(inner), below),
            "map" => self.ty(l, r, TypeKind::Map(inner), below),
            _ => self.bad_type(l, r, &name, "`list<T>` and `map<T>` take a type"),
        }
    }

    pub(crate) fn type_enum(&mut self, l: u32, r: u32, name: Ident, values: Vec<StrLit>) -> T {
        if name.name == "enum" {
            return self.ty(l, r, TypeKind::Enum(values), 0);
        }
        self.bad_type(l, r, &name, "only `enum(\"a\", \"b\")` takes values")
    }

    fn bad_type(&mut self, l: u32, r: u32, name: &Ident, help: &str) -> T {
        let meant = match name.name.as_str() {
            "array" | "Array" | "vec" | "seq" | "sequence" | "set" => Some("list"),
            "dict" | "object" | "record" => Some("map"),
            other => keywords::suggest(other, |k| matches!(k.name, "list" | "map" | "enum"))
                .map(|k| k.name),
        };
        let mut error = SyntaxError::new(
            "E0061",
            name.span,
            format!("{} is no form of type", quote(&name.name)),
        );
        error = match meant {
            Some(meant) => error
                .help(format!("did you mean `{meant}`?"))
                .fix(name.span, meant),
            None => error.help(help),
        };
        self.errors.push(error);
        self.type_error(l, r)
    }

    pub(crate) fn type_record(&mut self, l: u32, r: u32, fields: Vec<(FieldDecl, u32)>) -> T {
        let below = fields.iter().map(|(_, d)| *d).max().unwrap_or(0);
        let fields = fields.into_iter().map(|(f, _)| f).collect();
        self.ty(l, r, TypeKind::Record(fields), below)
    }

    pub(crate) fn union(&mut self, l: u32, r: u32, first: T, rest: Vec<T>) -> T {
        if rest.is_empty() {
            return first;
        }
        let below = rest.iter().map(|t| t.depth).fold(first.depth, u32::max);
        let mut all = vec![first.ty];
        all.extend(rest.into_iter().map(|t| t.ty));
        self.ty(l, r, TypeKind::Union(all), below)
    }

    // ------------------------------------------------------------------------------ slips

    pub(crate) fn unknown_action(&mut self, name: Ident) -> ClauseKind {
        let meant = keywords::suggest(&name.name, |k| k.kind == KeywordKind::Action);
        let meant = meant.map(|k| k.name).or(match name.name.as_str() {
            "deny" | "refuse" | "reject" | "forbid" | "stop" => Some("block"),
            "log" | "alert" | "notify" => Some("warn"),
            "ask" | "approve" | "confirm" | "review" => Some("escalate"),
            "fix" => Some("repair"),
            _ => None,
        });
        let error = SyntaxError::new(
            "E0060",
            name.span,
            format!("{} is no action", quote(&name.name)),
        );
        self.errors.push(match meant {
            Some(k) => error.help(format!("did you mean `{k}`?")).fix(name.span, k),
            None => {
                error.help("the actions are `block`, `warn`, `escalate`, `redirect` and `repair`")
            }
        });
        ClauseKind::Error
    }

    pub(crate) fn missing_action(&mut self, message: StrLit) -> ClauseKind {
        let at = Span::new(message.span.start, message.span.start);
        self.errors.push(
            SyntaxError::new(
                "E0060",
                message.span,
                "the action is missing before the message",
            )
            .help("the actions are `block`, `warn`, `escalate`, `redirect` and `repair`")
            .fix(at, "block "),
        );
        ClauseKind::Error
    }

    pub(crate) fn arg_slip(&mut self, name: Ident, l: u32, r: u32, e: E) -> (Ident, Expr) {
        let at = Span::new(l, r);
        self.errors.push(
            SyntaxError::new("E0066", at, "a value is given to an argument with `:`")
                .help(format!("write `{}: value`", name.name))
                .fix(Span::new(name.span.end, r), ":"),
        );
        (name, e.expr)
    }

    // ------------------------------------------------------------------------------ tests

    pub(crate) fn time_meta(&mut self, l: u32, r: u32, value: E) -> (Ident, Expr) {
        let name = Ident {
            name: "time".to_owned(),
            span: Span::new(l, r),
        };
        (name, value.expr)
    }

    pub(crate) fn step(
        &mut self,
        kind: TestStepKind,
        tails: Vec<StepTail>,
        span: Span,
    ) -> TestStep {
        let mut step = TestStep {
            kind,
            expect: Vec::new(),
            meta: Vec::new(),
            span,
        };
        for tail in tails {
            match tail {
                StepTail::Expect(e) => step.expect.push(e),
                StepTail::Meta(m) => step.meta.extend(m),
            }
        }
        step
    }
}

/// `\/` read as `/`; all other escapes stay as they are.
fn unescape_slash(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('/') => out.push('/'),
            Some(next) => {
                out.push('\\');
                out.push(next);
            }
            None => out.push('\\'),
        }
    }
    out
}

/// The parts of a dotted name.
fn dotted(expr: Expr) -> Option<Vec<Ident>> {
    let mut parts = Vec::new();
    let mut at = expr;
    loop {
        match at.kind {
            ExprKind::Name(name) => {
                parts.push(name);
                parts.reverse();
                return Some(parts);
            }
            ExprKind::Field(base, name) => {
                parts.push(name);
                at = *base;
            }
            _ => return None,
        }
    }
}
