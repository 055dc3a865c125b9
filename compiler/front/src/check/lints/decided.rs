//! Comparisons that are decided before anything happens.

use std::cmp::Ordering;

use ctr_grammar::Span;
use ctr_grammar::ast::{BinaryOp, Expr, ExprKind};

use super::super::scope::{Scope, Src};
use super::super::value::Val;
use super::super::{Checker, text};
use super::literal::Literal;
use super::{bare, shape, text_of, warning};
use crate::diagnostic::{Diagnostic, Fix};
use crate::ir::{CompareOp, Const, Expr as IrExpr, ExprId};
use crate::types::Type;

/// The word for a comparison that never, or always, holds.
fn ever(holds: bool) -> &'static str {
    if holds { "always" } else { "never" }
}

/// The function that an expression calls, and its argument.
fn call(expr: &Expr) -> Option<(&str, &[Expr])> {
    match &bare(expr).kind {
        ExprKind::Call(path, args) => match path.parts.as_slice() {
            [name] => Some((name.name.as_str(), args.as_slice())),
            _ => None,
        },
        _ => None,
    }
}

/// The comparison with its sides exchanged.
fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        other => other,
    }
}

impl<'a> Checker<'a> {
    /// `path inside "relative"`: undefined for every path.
    pub(in crate::check) fn relative_directory(
        &mut self,
        directory: ExprId,
        span: Span,
        scope: &Scope<'a>,
    ) {
        let Some(IrExpr::Const(Const::Str(text))) = self.tables.get_expr(directory) else {
            return;
        };
        if text.starts_with('/') {
            return;
        }
        let message = format!("`{text}` is no absolute path, and `inside` of it is never defined");
        let diagnostic =
            Diagnostic::warning("W0410", message, scope.place(span), "a relative path")
                .with_help("write the directory from the root, as in `\"/srv/data\"`");
        self.report(diagnostic, scope);
    }

    /// A comparison or test of values as it is written.
    pub(super) fn comparison(
        &mut self,
        op: BinaryOp,
        a: &'a Expr,
        b: &'a Expr,
        whole: &'a Expr,
        src: Src<'a>,
    ) {
        match op {
            BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge => {
                self.same_sides(op, a, b, whole, src);
                self.bounded_below(op, a, b, whole, src);
                self.bounded_below(mirrored(op), b, a, whole, src);
                if matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
                    self.never_given(op, a, b, src);
                    self.never_given(op, b, a, src);
                }
            }
            BinaryOp::In | BinaryOp::NotIn => {
                self.repeated_values(b, src);
                if let ExprKind::List(items) = &bare(b).kind {
                    for item in items {
                        self.never_given(op, a, item, src);
                    }
                }
            }
            BinaryOp::Contains | BinaryOp::StartsWith | BinaryOp::EndsWith | BinaryOp::Like => {
                self.never_given(op, a, b, src);
            }
            BinaryOp::Matches => self.letters_never_given(a, b, src),
            _ => {}
        }
    }

    /// Two values that are written out, or one expression on both sides.
    fn same_sides(
        &mut self,
        op: BinaryOp,
        a: &'a Expr,
        b: &'a Expr,
        whole: &'a Expr,
        src: Src<'a>,
    ) {
        let shown = || text::fold(whole.span.text(src.text));
        if let (Some(x), Some(y)) = (Literal::of(a), Literal::of(b)) {
            let message = match op {
                BinaryOp::Eq => format!("`{}` {} holds", shown(), ever(x == y)),
                BinaryOp::Ne => format!("`{}` {} holds", shown(), ever(x != y)),
                _ => format!("`{}` compares two values that are written out", shown()),
            };
            let diagnostic = warning("W0431", message, whole.span, "decided here", src)
                .with_help("compare with a field, or leave it out");
            self.diagnostics.push(diagnostic);
            return;
        }
        // A bare name may mean a key on one side and a field on the other, which is told elsewhere.
        let plain = matches!(bare(a).kind, ExprKind::Name(_));
        if plain || text_of(a, src) != text_of(b, src) {
            return;
        }
        let holds = matches!(op, BinaryOp::Eq | BinaryOp::Le | BinaryOp::Ge);
        let diagnostic = warning(
            "W0434",
            format!(
                "`{}` is compared with itself: that {} holds",
                text::fold(text_of(a, src)),
                ever(holds)
            ),
            whole.span,
            "the same on both sides",
            src,
        )
        .with_help("write what it was to be compared with");
        self.diagnostics.push(diagnostic);
    }

    /// What is never negative, compared with nothing or less.
    fn bounded_below(
        &mut self,
        op: BinaryOp,
        a: &'a Expr,
        b: &'a Expr,
        whole: &'a Expr,
        src: Src<'a>,
    ) {
        let Some((name, args)) = call(a) else { return };
        let counts = matches!(name, "len" | "count" | "streak");
        if !(counts || matches!(name, "abs" | "elapsed")) || args.is_empty() {
            return;
        }
        let Some(value) = Literal::of(b) else { return };
        let Some(sign) = value.sign() else { return };
        let holds = match (op, sign) {
            (BinaryOp::Ge, Ordering::Less | Ordering::Equal)
            | (BinaryOp::Gt | BinaryOp::Ne, Ordering::Less) => true,
            (BinaryOp::Lt, Ordering::Less | Ordering::Equal)
            | (BinaryOp::Le | BinaryOp::Eq, Ordering::Less) => false,
            (BinaryOp::Eq, _) if counts && value.is_fraction() => false,
            (BinaryOp::Ne, _) if counts && value.is_fraction() => true,
            _ => return,
        };
        let what = if counts && sign == Ordering::Greater {
            format!("`{name}` gives whole numbers")
        } else {
            format!("`{name}` is never negative")
        };
        let diagnostic = warning(
            "W0431",
            format!(
                "`{}` {} holds: {what}",
                text::fold(whole.span.text(src.text)),
                ever(holds)
            ),
            whole.span,
            format!("{} so", ever(holds)),
            src,
        )
        .with_help(if sign == Ordering::Equal {
            "for at least one write `> 0`, for none `== 0`"
        } else {
            "write the bound that was meant, or leave it out"
        });
        self.diagnostics.push(diagnostic);
    }

    /// A text that the function on the other side never gives.
    fn never_given(&mut self, op: BinaryOp, a: &'a Expr, b: &'a Expr, src: Src<'a>) {
        let (Some((function, [_])), ExprKind::Str(text)) = (call(a), &bare(b).kind) else {
            return;
        };
        let whole_value = matches!(
            op,
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::In | BinaryOp::NotIn
        );
        let lowered = text.to_lowercase();
        let raised = text.to_uppercase();
        let trimmed = text.trim();
        let host_parts = lowered
            .split_once("://")
            .map_or(lowered.as_str(), |(_, rest)| rest);
        let host = host_parts.split(['/', '?', '#']).next().unwrap_or("");
        let (why, mended) = match function {
            "lower" if lowered != *text => ("gives no capital letters", lowered.as_str()),
            "upper" if raised != *text => ("gives no small letters", raised.as_str()),
            "trim" if whole_value && trimmed != text => {
                ("gives no white space at the ends", trimmed)
            }
            "host" if whole_value && (text.contains("://") || text.contains('/')) => {
                ("gives the host alone", host)
            }
            "host" if lowered != *text => ("gives no capital letters", lowered.as_str()),
            _ => return,
        };
        let place = src.place(bare(b).span);
        let mut diagnostic = warning(
            "W0437",
            format!("`{function}` {why}, and is compared with `{text:?}`"),
            bare(b).span,
            "never given",
            src,
        );
        // An empty text would be no host either.
        if !mended.is_empty() {
            diagnostic = diagnostic
                .with_help(format!("write `{mended:?}`"))
                .with_fix(Fix {
                    title: format!("write `{mended:?}`"),
                    edits: vec![(place, format!("{mended:?}"))],
                    safe: false,
                });
        }
        self.diagnostics.push(diagnostic);
    }

    /// A regular expression that asks for letters which the function before it never gives.
    fn letters_never_given(&mut self, a: &'a Expr, b: &'a Expr, src: Src<'a>) {
        let (Some((function, [_])), ExprKind::Regex { pattern, flags }) = (call(a), &bare(b).kind)
        else {
            return;
        };
        let (why, lost): (&str, fn(char) -> bool) = match function {
            "lower" | "host" => ("capital letters", char::is_uppercase),
            "upper" => ("small letters", char::is_lowercase),
            _ => return,
        };
        let Some(hir) = shape::parse(pattern, flags) else {
            return;
        };
        if flags.contains('i') || !shape::asks_for(&hir, lost) {
            return;
        }
        let diagnostic = warning(
            "W0437",
            format!("`{function}` gives no {why}, and the regular expression asks for some"),
            bare(b).span,
            "never given",
            src,
        )
        .with_help("write the letters as the function gives them");
        self.diagnostics.push(diagnostic);
    }

    /// `== true` on what is true or false already.
    pub(in crate::check) fn compared_with_truth(
        &mut self,
        op: CompareOp,
        sides: [(&'a Expr, &Val); 2],
        whole: Span,
        scope: &Scope<'a>,
    ) {
        let [left, right] = sides;
        let (value, other) = match (&bare(left.0).kind, &bare(right.0).kind) {
            (ExprKind::Bool(_), ExprKind::Bool(_)) => return,
            (ExprKind::Bool(value), _) => (*value, right),
            (_, ExprKind::Bool(value)) => (*value, left),
            _ => return,
        };
        let plain = match op {
            CompareOp::Eq => value,
            CompareOp::Ne => !value,
            _ => return,
        };
        if other.1.ty != Type::Bool || self.misread(scope) {
            return;
        }
        let shown = other.0.span.text(scope.src.text);
        let mended = if plain {
            shown.to_owned()
        } else {
            format!("not {shown}")
        };
        let diagnostic = Diagnostic::warning(
            "W0432",
            format!("`{}` is true or false itself", text::fold(shown)),
            scope.place(whole),
            "compared with a truth value",
        )
        .with_help(format!("write `{}`", text::fold(&mended)))
        .with_fix(Fix {
            title: format!("write `{}`", text::fold(&mended)),
            edits: vec![(scope.place(whole), mended)],
            safe: true,
        });
        self.report(diagnostic, scope);
    }

    /// A number that a field of the declared type is never equal to.
    pub(in crate::check) fn never_equal(
        &mut self,
        ty: &Type,
        id: ExprId,
        span: Span,
        scope: &Scope<'a>,
    ) {
        let Some(IrExpr::Const(Const::Number(number))) = self.tables.get_expr(id) else {
            return;
        };
        let (Type::Int(range) | Type::Number(range)) = ty else {
            return;
        };
        let fraction = number
            .split_once('.')
            .is_some_and(|(_, digits)| digits.bytes().any(|b| b != b'0') && !digits.contains('e'));
        let why = if matches!(ty, Type::Int(_)) && fraction {
            "the field is a whole number".to_owned()
        } else {
            let value: f64 = number.parse().unwrap_or(f64::NAN);
            let bound = |text: &Option<String>| text.as_ref().and_then(|t| t.parse::<f64>().ok());
            match (bound(&range.min), bound(&range.max)) {
                (Some(min), _) if value < min => {
                    format!("the field is declared to be at least {min}")
                }
                (_, Some(max)) if value > max => {
                    format!("the field is declared to be at most {max}")
                }
                _ => return,
            }
        };
        let diagnostic = Diagnostic::warning(
            "W0431",
            format!("nothing is equal to `{number}` here: {why}"),
            scope.place(span),
            "never so",
        )
        .with_help("write a value that the field can have");
        self.report(diagnostic, scope);
    }
}
