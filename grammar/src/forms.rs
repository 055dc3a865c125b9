//! Readable forms: `never P`, `P only after Q` and their like (language reference, section 4).
//!
//! A form is the whole of a sequence; P and Q are single operands. What could be read in two ways
//! is an error that shows the readings.

use crate::actions::{Cx, E, Elem, Infix, Prefix, Suffix};
use crate::ast::{BinaryOp, Bound, Expr, ExprKind, Form};
use crate::error::{SyntaxError, quote};
use crate::resolve::{cover, is_connective, is_temporal, precedence};
use crate::span::Span;

/// What marks a readable form.
pub(crate) fn is_form(elem: &Elem) -> bool {
    match elem {
        Elem::Prefix(Prefix::Never, _) | Elem::Suffix(Suffix::Times { .. }, _) => true,
        Elem::Infix(i, _) => !matches!(i, Infix::Binary(_) | Infix::Assign | Infix::Arrow),
        _ => false,
    }
}

/// `call create-issue`, which reads as a subtraction.
fn hyphen(elems: &[Elem]) -> bool {
    elems.iter().zip(elems.iter().skip(1)).any(|(a, b)| {
        matches!(a, Elem::Operand(e) if matches!(e.expr.kind, ExprKind::Pattern(_)))
            && matches!(b, Elem::Infix(Infix::Binary(BinaryOp::Sub), at) if at.start == a.span().end)
    })
}

impl Cx<'_> {
    pub(crate) fn form(&mut self, mut elems: Vec<Elem>, marker: usize) -> E {
        let whole = cover(&elems);
        let never = matches!(elems.first(), Some(Elem::Prefix(Prefix::Never, _)));
        if !never && matches!(elems.get(marker), Some(Elem::Prefix(Prefix::Never, _))) {
            return self.not_alone(&elems);
        }
        // The word between P and Q, if there is one.
        let from = usize::from(never);
        let middle = elems
            .iter()
            .enumerate()
            .skip(from)
            .find(|(_, e)| is_form(e))
            .map(|(i, _)| i);
        let (infix, times) = match middle.and_then(|i| elems.get(i)) {
            Some(Elem::Infix(i, span)) => (Some((*i, *span)), None),
            Some(Elem::Suffix(s @ Suffix::Times { .. }, span)) => (None, Some((s.clone(), *span))),
            None => (None, None),
            Some(_) => return self.not_alone(&elems),
        };
        if never && times.is_some() {
            return self.not_alone(&elems);
        }
        let mut q = match middle {
            Some(i) => elems.split_off(i + 1),
            None => Vec::new(),
        };
        if q.iter().any(is_form) {
            elems.append(&mut q);
            return self.not_alone(&elems);
        }
        if middle.is_some() {
            elems.pop();
        }
        let mut p = elems;
        if never {
            p.remove(0);
        }
        // What `within` says.
        let last = if middle.is_some() { &mut q } else { &mut p };
        let mut within: Option<(Bound, Span)> = None;
        let takes_last = !matches!(
            infix.map(|(i, _)| i),
            Some(Infix::OnlyIf | Infix::OnlyWhile)
        );
        if takes_last && let Some(Elem::Suffix(Suffix::Within(bound), span)) = last.last() {
            within = Some((bound.clone(), *span));
            last.pop();
        }
        if let Some((
            Suffix::Times {
                cmp,
                count,
                consecutive,
            },
            at,
        )) = times
        {
            if let Some(first) = q.first() {
                let after = first.span();
                let form = Span::new(whole.start, within.as_ref().map_or(at.end, |_| at.end));
                return self.form_beside(form, after, whole);
            }
            let within = self.times_bound(within, consecutive);
            let Some(p) = self.form_operand(p, whole, at, true) else {
                return self.error_at(whole);
            };
            return self.made(
                whole,
                p.depth,
                |p| Form::Times {
                    p,
                    cmp,
                    count,
                    consecutive,
                    within,
                },
                p.expr,
            );
        }
        match (never, infix) {
            (true, None) => {
                self.no_bound(&within, "never P");
                let Some(p) = self.never_operand(p, whole) else {
                    return self.error_at(whole);
                };
                self.made(whole, p.depth, Form::Never, p.expr)
            }
            (true, Some((Infix::After, at))) => {
                self.no_bound(&within, "never P after Q");
                self.made2(p, q, whole, at, |p, q| Form::NeverAfter {
                    p,
                    q,
                    only_before: false,
                })
            }
            (true, Some((Infix::Before, at))) => {
                self.no_bound(&within, "never P before Q");
                self.made2(p, q, whole, at, |p, q| Form::OnlyAfter {
                    p,
                    q,
                    never_before: true,
                    within: None,
                })
            }
            (true, Some((_, at))) => {
                let text = format!(
                    "{} {} {}",
                    self.side(&p),
                    self.words_of(at),
                    self.words(at.end, whole.end)
                );
                let word = self.words_of(at);
                let message = format!("`never` and `{word}` are two readable forms");
                let list = [format!("never ({text})"), text];
                self.readings("E0053", at, &message, whole, &list);
                self.error_at(whole)
            }
            (false, Some((Infix::After, at))) => self.bare_after(&p, at, whole, "after"),
            (false, Some((Infix::Before, at))) => self.bare_after(&p, at, whole, "before"),
            (false, Some((Infix::OnlyBefore, at))) => {
                self.no_bound(&within, "P only before Q");
                self.made2(p, q, whole, at, |p, q| Form::NeverAfter {
                    p,
                    q,
                    only_before: true,
                })
            }
            (false, Some((Infix::OnlyAfter, at))) => {
                let within = self.time_only(within, "P only after Q");
                self.made2(p, q, whole, at, |p, q| Form::OnlyAfter {
                    p,
                    q,
                    never_before: false,
                    within,
                })
            }
            (false, Some((Infix::LeadsTo, at))) => {
                let within = within.map(|(b, _)| b);
                self.made2(p, q, whole, at, |p, q| Form::LeadsTo { p, q, within })
            }
            (false, Some((Infix::ImmediatelyLeadsTo, at))) => {
                self.no_bound(&within, "P immediately leads to Q");
                self.made2(p, q, whole, at, |p, q| Form::ImmediatelyLeadsTo { p, q })
            }
            (false, Some((op @ (Infix::OnlyIf | Infix::OnlyWhile), at))) => {
                let Some(p) = self.form_operand(p, whole, at, true) else {
                    return self.error_at(whole);
                };
                let q = self.resolve(q);
                let depth = p.depth.max(q.depth);
                let (p, q) = (p.expr, q.expr);
                let form = if op == Infix::OnlyIf {
                    Form::OnlyIf { p, cond: q }
                } else {
                    Form::OnlyWhile { p, f: q }
                };
                self.node(
                    whole.start,
                    whole.end,
                    ExprKind::Form(Box::new(form)),
                    depth,
                )
            }
            (false, _) => self.error_at(whole),
        }
    }

    /// P of a form in a help text: in parentheses where it is more than one operand.
    fn side(&self, elems: &[Elem]) -> String {
        let text = self.words_of(cover(elems));
        if elems.len() > 1 {
            format!("({text})")
        } else {
            text
        }
    }

    fn made(&mut self, whole: Span, depth: u32, form: impl FnOnce(Expr) -> Form, p: Expr) -> E {
        let form = Box::new(form(p));
        self.node(whole.start, whole.end, ExprKind::Form(form), depth)
    }

    fn made2(
        &mut self,
        p: Vec<Elem>,
        q: Vec<Elem>,
        whole: Span,
        at: Span,
        form: impl FnOnce(Expr, Expr) -> Form,
    ) -> E {
        let p = self.form_operand(p, whole, at, true);
        let quiet = p.is_none();
        let q = self.form_operand(q, whole, at, !quiet);
        let (Some(p), Some(q)) = (p, q) else {
            return self.error_at(whole);
        };
        let depth = p.depth.max(q.depth);
        let form = Box::new(form(p.expr, q.expr));
        self.node(whole.start, whole.end, ExprKind::Form(form), depth)
    }

    /// P or Q of a form: one operand, or the error that shows how it can be read.
    fn form_operand(
        &mut self,
        mut elems: Vec<Elem>,
        whole: Span,
        at: Span,
        report: bool,
    ) -> Option<E> {
        if elems.len() == 1
            && let Some(Elem::Operand(e)) = elems.pop()
        {
            return Some(e);
        }
        if elems.is_empty() || !report {
            return None;
        }
        let span = cover(&elems);
        let is_left = span.end <= at.start;
        let text = self.words_of(span);
        let values = elems.iter().any(|e| {
            matches!(e, Elem::Infix(Infix::Binary(op), _) if precedence(*op) >= 8)
                || matches!(e, Elem::Prefix(Prefix::Quantifier { .. }, _))
        });
        let splits = elems
            .iter()
            .any(|e| matches!(e, Elem::Infix(Infix::Binary(op), _) if precedence(*op) < 8));
        if hyphen(&elems) {
            // `call create-issue`: reported where the operators are resolved.
            self.operators(elems);
            return None;
        }
        if values && !splits {
            self.errors.push(
                SyntaxError::new(
                    "E0054",
                    span,
                    format!("the condition {} stands in braces here", quote(&text)),
                )
                .help(format!("write `{{{text}}}`"))
                .fix(span, format!("{{{}}}", self.text(span.start, span.end))),
            );
            return None;
        }
        let left_prefix = is_left && matches!(elems.first(), Some(Elem::Prefix(..)));
        if !splits && !left_prefix {
            self.errors.push(
                SyntaxError::new(
                    "E0054",
                    span,
                    format!("{} wants parentheses here", quote(&text)),
                )
                .help(format!("write `({text})`"))
                .fix(span, format!("({})", self.text(span.start, span.end))),
            );
            return None;
        }
        // Two readings: the form takes all of this side, or only the nearest operand.
        let (one, two) = if is_left {
            let near = elems.last().map_or(span, Elem::span);
            (
                format!("({text}) {}", self.words(at.start, whole.end)),
                format!(
                    "{} ({})",
                    self.words(whole.start, near.start),
                    self.words(near.start, whole.end)
                ),
            )
        } else {
            let near = match elems.first() {
                Some(Elem::Operand(e)) => e.expr.span,
                _ => span,
            };
            let tail = self.words(span.end, whole.end);
            let tail = if tail.is_empty() {
                tail
            } else {
                format!(" {tail}")
            };
            (
                format!("{} ({text}){tail}", self.words(whole.start, span.start)),
                format!(
                    "({}) {}",
                    self.words(whole.start, near.end),
                    self.words(near.end, whole.end)
                ),
            )
        };
        self.readings(
            "E0053",
            at,
            "a readable form stands alone or in parentheses",
            whole,
            &[one, two],
        );
        None
    }

    fn never_operand(&mut self, mut elems: Vec<Elem>, whole: Span) -> Option<E> {
        if elems.len() == 1
            && let Some(Elem::Operand(e)) = elems.pop()
        {
            return Some(e);
        }
        if hyphen(&elems) {
            self.operators(elems);
            return None;
        }
        let span = cover(&elems);
        let text = self.words_of(span);
        match elems.first() {
            Some(Elem::Operand(first)) => {
                let near = first.expr.span;
                let readings = [
                    format!("never ({text})"),
                    format!(
                        "({}) {}",
                        self.words(whole.start, near.end),
                        self.words(near.end, whole.end)
                    ),
                ];
                let values = elems.iter().any(
                    |e| matches!(e, Elem::Infix(Infix::Binary(op), _) if precedence(*op) >= 8),
                );
                if values {
                    self.errors.push(
                        SyntaxError::new(
                            "E0054",
                            span,
                            format!("the condition {} stands in braces here", quote(&text)),
                        )
                        .help(format!("write `never {{{text}}}`"))
                        .fix(span, format!("{{{}}}", self.text(span.start, span.end))),
                    );
                } else {
                    self.readings(
                        "E0053",
                        Span::new(whole.start, near.end),
                        "a readable form stands alone or in parentheses",
                        whole,
                        &readings,
                    );
                }
            }
            _ => self.errors.push(
                SyntaxError::new(
                    "E0054",
                    span,
                    format!("{} wants parentheses here", quote(&text)),
                )
                .help(format!("write `never ({text})`"))
                .fix(span, format!("({})", self.text(span.start, span.end))),
            ),
        }
        None
    }

    /// Something follows a form that is complete.
    fn form_beside(&mut self, form: Span, after: Span, whole: Span) -> E {
        let text = format!(
            "({}) {}",
            self.words_of(form),
            self.words(after.start, whole.end)
        );
        self.readings(
            "E0053",
            after,
            "a readable form stands alone or in parentheses",
            whole,
            &[text],
        );
        self.error_at(whole)
    }

    /// Several forms in one sequence.
    fn not_alone(&mut self, elems: &[Elem]) -> E {
        let whole = cover(elems);
        let connective = |e: &Elem| matches!(e, Elem::Infix(Infix::Binary(op), _) if is_connective(*op) || is_temporal(*op));
        let at = elems
            .iter()
            .filter(|e| is_form(e))
            .nth(1)
            .or_else(|| elems.iter().find(|e| is_form(e)))
            .map_or(whole, Elem::span);
        let message = "a readable form stands alone or in parentheses";
        let parts: Vec<&[Elem]> = elems.split(connective).collect();
        if parts.len() > 1
            && parts
                .iter()
                .all(|p| p.iter().filter(|e| is_form(e)).count() <= 2)
        {
            let mut text = String::new();
            let mut end = whole.start;
            for part in parts {
                let span = cover(part);
                if part.is_empty() {
                    continue;
                }
                // As it is written here, whatever was written.
                let gap = match self.words(end, span.start).as_str() {
                    "&&" => "and".to_owned(),
                    "||" => "or".to_owned(),
                    "->" | "=>" => "implies".to_owned(),
                    gap => gap.to_owned(),
                };
                if !gap.is_empty() {
                    text.push_str(&format!(" {gap} "));
                }
                if part.iter().any(is_form) {
                    text.push_str(&format!("({})", self.words_of(span)));
                } else {
                    text.push_str(&self.words_of(span));
                }
                end = span.end;
            }
            self.readings("E0053", at, message, whole, &[text]);
            return self.error_at(whole);
        }
        let markers: Vec<Span> = elems
            .iter()
            .filter(|e| is_form(e))
            .map(Elem::span)
            .collect();
        let readings = match (markers.first(), markers.get(1), elems.first()) {
            // `always never P`
            (Some(first), _, Some(Elem::Prefix(..))) if first.start > whole.start => vec![format!(
                "{} ({})",
                self.words(whole.start, first.start),
                self.words(first.start, whole.end)
            )],
            (Some(first), Some(second), _) => {
                let mut list = vec![format!(
                    "({}) {}",
                    self.words(whole.start, second.start),
                    self.words(second.start, whole.end)
                )];
                // What stands after `only if` and `only while` holds no form.
                let no_form = elems.iter().any(|e| {
                    e.span() == *first
                        && matches!(e, Elem::Infix(Infix::OnlyIf | Infix::OnlyWhile, _))
                });
                if !no_form {
                    list.push(format!(
                        "{} ({})",
                        self.words(whole.start, first.end),
                        self.words(first.end, whole.end)
                    ));
                }
                list
            }
            _ => vec![format!("({})", self.words_of(whole))],
        };
        self.readings("E0053", at, message, whole, &readings);
        self.error_at(whole)
    }

    fn bare_after(&mut self, p: &[Elem], at: Span, whole: Span, word: &str) -> E {
        let p = self.side(p);
        let q = self.words(at.end, whole.end);
        let message = format!("`{word}` stands in `never P {word} Q` or in `P only {word} Q`");
        let list = [
            format!("{p} only {word} {q}"),
            format!("never {p} {word} {q}"),
        ];
        self.readings("E0053", at, &message, whole, &list);
        self.error_at(whole)
    }

    fn no_bound(&mut self, within: &Option<(Bound, Span)>, form: &str) {
        if let Some((_, span)) = within {
            self.errors.push(
                SyntaxError::new("E0057", *span, format!("`{form}` takes no `within`")).help(
                    "`within` goes with `only after`, `leads to`, `at most`, `at least` and `exactly`",
                ),
            );
        }
    }

    fn time_only(&mut self, within: Option<(Bound, Span)>, form: &str) -> Option<Bound> {
        let (bound, span) = within?;
        if matches!(bound, Bound::Steps { .. }) {
            self.errors.push(
                SyntaxError::new("E0058", span, format!("`{form} within` takes a duration"))
                    .help("such as `within 5min`"),
            );
            return None;
        }
        Some(bound)
    }

    fn times_bound(&mut self, within: Option<(Bound, Span)>, consecutive: bool) -> Option<Bound> {
        if consecutive {
            self.no_bound(&within, "P at most N consecutive times");
            return None;
        }
        self.time_only(within, "P at most N times")
    }
}
