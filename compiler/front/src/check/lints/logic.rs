//! Connectives whose operands say nothing new.

use std::collections::HashMap;

use ctr_grammar::Span;
use ctr_grammar::ast::{BinaryOp, Expr, ExprKind, Form, TimesCmp, UnaryOp};

use super::super::scope::Src;
use super::super::{Checker, text};
use super::literal::Literal;
use super::{bare, text_of, warning};
use crate::diagnostic::Fix;

/// How many comparisons with one field are better said as a list.
const LISTED: usize = 3;

/// The operands of a chain of one connective, in order of the text.
fn flatten<'e>(op: BinaryOp, expr: &'e Expr, parts: &mut Vec<&'e Expr>) {
    match &expr.kind {
        ExprKind::Binary(other, a, b) if *other == op => {
            flatten(op, a, parts);
            flatten(op, b, parts);
        }
        _ => parts.push(expr),
    }
}

/// A comparison of something with a value that is written out: the operator, what is compared, its
/// text, and the value.
struct Equality<'e> {
    op: BinaryOp,
    left: &'e str,
    right: &'e Expr,
    value: Literal<'e>,
    span: Span,
}

impl<'e> Equality<'e> {
    fn of(expr: &'e Expr, src: Src<'e>) -> Option<Self> {
        let ExprKind::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, b) = &bare(expr).kind else {
            return None;
        };
        let (left, right) = match (Literal::of(a), Literal::of(b)) {
            (None, Some(_)) => (a, b),
            (Some(_), None) => (b, a),
            _ => return None,
        };
        Some(Self {
            op: *op,
            left: text_of(left, src),
            right,
            value: Literal::of(right)?,
            span: expr.span,
        })
    }
}

impl<'a> Checker<'a> {
    /// A chain of `and` or `or`.
    pub(super) fn chain(&mut self, op: BinaryOp, expr: &'a Expr, src: Src<'a>) {
        let mut parts = Vec::new();
        flatten(op, expr, &mut parts);
        self.operands(op, &parts, src);
    }

    /// The conditions of a pattern, joined by `and`.
    pub(super) fn conditions_of(&mut self, conditions: &'a [Expr], src: Src<'a>) {
        let mut parts = Vec::new();
        for condition in conditions {
            flatten(BinaryOp::And, condition, &mut parts);
        }
        self.operands(BinaryOp::And, &parts, src);
    }

    fn operands(&mut self, op: BinaryOp, parts: &[&'a Expr], src: Src<'a>) {
        let mut first: HashMap<&str, Span> = HashMap::new();
        for (at, part) in parts.iter().enumerate() {
            if let ExprKind::Bool(value) = bare(part).kind {
                self.constant_operand(value, (op == BinaryOp::Or) == value, part.span, src);
                continue;
            }
            let text = text_of(part, src);
            let Some(before) = first.get(text) else {
                first.insert(text, part.span);
                continue;
            };
            let mut diagnostic = warning(
                "W0434",
                format!("`{}` is said twice", text::fold(text)),
                part.span,
                "the same again",
                src,
            )
            .with_label(src.place(*before), "said here")
            .with_help("leave it out, or write what was meant instead");
            if let Some(previous) = at.checked_sub(1).and_then(|at| parts.get(at)) {
                diagnostic = diagnostic.with_fix(Fix {
                    title: "leave the second one out".to_owned(),
                    edits: vec![(
                        src.place(Span::new(previous.span.end, part.span.end)),
                        String::new(),
                    )],
                    safe: true,
                });
            }
            self.diagnostics.push(diagnostic);
        }
        self.equalities(op, parts, src);
    }

    /// What the comparisons in a chain say together.
    fn equalities(&mut self, op: BinaryOp, parts: &[&'a Expr], src: Src<'a>) {
        let found: Vec<Option<Equality<'a>>> =
            parts.iter().map(|part| Equality::of(part, src)).collect();
        let excluding = if op == BinaryOp::And {
            BinaryOp::Eq
        } else {
            BinaryOp::Ne
        };
        let mut first: HashMap<&str, &Equality<'a>> = HashMap::new();
        for one in found.iter().flatten().filter(|e| e.op == excluding) {
            let Some(before) = first.get(one.left) else {
                first.insert(one.left, one);
                continue;
            };
            if before.value == one.value {
                continue;
            }
            let left = text::fold(one.left);
            let (message, help) = if op == BinaryOp::And {
                (
                    format!("`{left}` is never equal to both"),
                    format!("for one of them write `or`, or `{left} in [...]`"),
                )
            } else {
                (
                    format!("`{left}` is always unlike one of them, so that this always holds"),
                    format!("for none of them write `and`, or `{left} not in [...]`"),
                )
            };
            let diagnostic = warning("W0436", message, one.span, "and this", src)
                .with_label(src.place(before.span), "this")
                .with_help(help);
            self.diagnostics.push(diagnostic);
            return;
        }
        self.listable(op, &found, src);
    }

    /// `x == a or x == b or x == c` (`!=` with `and`), one after the other.
    fn listable(&mut self, op: BinaryOp, found: &[Option<Equality<'a>>], src: Src<'a>) {
        let (wanted, word) = if op == BinaryOp::Or {
            (BinaryOp::Eq, "in")
        } else {
            (BinaryOp::Ne, "not in")
        };
        let mut run: Vec<&Equality<'a>> = Vec::new();
        let mut runs: Vec<Vec<&Equality<'a>>> = Vec::new();
        for one in found {
            let one = one.as_ref().filter(|e| e.op == wanted);
            let goes_on = one.is_some_and(|e| run.last().is_none_or(|last| last.left == e.left));
            if !goes_on {
                runs.push(std::mem::take(&mut run));
            }
            run.extend(one);
        }
        runs.push(run);
        for run in runs {
            if run.len() < LISTED {
                continue;
            }
            let (Some(start), Some(end)) = (run.first(), run.last()) else {
                continue;
            };
            let span = start.span.to(end.span);
            let values: Vec<&str> = run.iter().map(|e| text_of(e.right, src)).collect();
            let mended = format!("{} {word} [{}]", start.left, values.join(", "));
            let diagnostic = warning(
                "W0439",
                format!(
                    "`{}` is compared with {} values one by one",
                    text::fold(start.left),
                    run.len()
                ),
                span,
                "a list in many words",
                src,
            )
            .with_help(format!("write `{}`", text::fold(&mended)))
            .with_fix(Fix {
                title: format!("write `{word}` and a list"),
                edits: vec![(src.place(span), mended)],
                safe: true,
            });
            self.diagnostics.push(diagnostic);
        }
    }

    /// `implies` or `iff`.
    pub(super) fn implication(
        &mut self,
        op: BinaryOp,
        a: &'a Expr,
        b: &'a Expr,
        whole: &'a Expr,
        src: Src<'a>,
    ) {
        let word = if op == BinaryOp::Implies {
            "implies"
        } else {
            "iff"
        };
        for (side, left) in [(a, true), (b, false)] {
            if let ExprKind::Bool(value) = bare(side).kind {
                let decides = op == BinaryOp::Implies && value != left;
                self.constant_operand(value, decides, side.span, src);
                return;
            }
        }
        if text_of(a, src) != text_of(b, src) {
            return;
        }
        let diagnostic = warning(
            "W0434",
            format!("both sides of `{word}` are the same, so that this always holds"),
            whole.span,
            "the same on both sides",
            src,
        )
        .with_help("write what was meant on one of the sides");
        self.diagnostics.push(diagnostic);
    }

    fn constant_operand(&mut self, value: bool, decides: bool, span: Span, src: Src<'a>) {
        let message = if decides {
            format!("`{value}` decides the whole condition, whatever stands beside it")
        } else {
            format!("`{value}` is no condition: it adds nothing to what stands beside it")
        };
        let diagnostic = warning("W0435", message, span, "always the same", src)
            .with_help("leave it out, or write the condition that was meant");
        self.diagnostics.push(diagnostic);
    }

    /// A prefix operator: `not not`.
    pub(super) fn prefixed(&mut self, op: UnaryOp, inner: &'a Expr, whole: &'a Expr, src: Src<'a>) {
        if op != UnaryOp::Not {
            return;
        }
        let ExprKind::Unary(UnaryOp::Not, twice) = &bare(inner).kind else {
            return;
        };
        let mended = twice.span.text(src.text);
        let diagnostic = warning(
            "W0433",
            "two `not` in a row cancel each other",
            whole.span,
            "not not",
            src,
        )
        .with_help(format!("write `{}`", text::fold(mended)))
        .with_fix(Fix {
            title: "leave both out".to_owned(),
            edits: vec![(src.place(whole.span), mended.to_owned())],
            safe: true,
        });
        self.diagnostics.push(diagnostic);
    }

    /// A readable form: `never not P`, `P only if true`, `P at least 0 times`.
    pub(super) fn form_of(&mut self, form: &'a Form, whole: &'a Expr, src: Src<'a>) {
        match form {
            Form::Never(p) => {
                let ExprKind::Unary(UnaryOp::Not, inner) = &bare(p).kind else {
                    return;
                };
                let mended = format!("always {}", inner.span.text(src.text));
                let diagnostic = warning(
                    "W0433",
                    "`never not` asks for this at every step",
                    Span::new(whole.span.start, inner.span.start),
                    "never not",
                    src,
                )
                .with_help(format!("write `{}`", text::fold(&mended)))
                .with_fix(Fix {
                    title: "write `always`".to_owned(),
                    edits: vec![(src.place(whole.span), mended)],
                    safe: true,
                });
                self.diagnostics.push(diagnostic);
            }
            Form::OnlyIf { p, cond: f } | Form::OnlyWhile { p, f } => {
                let condition = match &bare(f).kind {
                    ExprKind::State(inner) => bare(inner),
                    _ => bare(f),
                };
                let ExprKind::Bool(value) = condition.kind else {
                    return;
                };
                let p = text::fold(p.span.text(src.text));
                let (message, help) = if value {
                    (
                        "`true` is no condition: this allows everything".to_owned(),
                        "write the condition that was meant, or leave the clause out".to_owned(),
                    )
                } else {
                    (
                        format!("`false` is no condition: `{p}` is never allowed"),
                        format!("write `never {p}`"),
                    )
                };
                let diagnostic =
                    warning("W0435", message, f.span, "always the same", src).with_help(help);
                self.diagnostics.push(diagnostic);
            }
            Form::Times {
                p,
                cmp: TimesCmp::AtLeast,
                count: 0,
                ..
            } => {
                let diagnostic = warning(
                    "W0431",
                    "`at least 0 times` always holds",
                    Span::new(p.span.end, whole.span.end),
                    "always so",
                    src,
                )
                .with_help("write the number that was meant, or leave the clause out");
                self.diagnostics.push(diagnostic);
            }
            _ => {}
        }
    }
}
