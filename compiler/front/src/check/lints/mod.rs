//! Warnings about what is allowed and hardly meant, one subject a file.
//!
//! Most are read off the trees of the user's files, once for each expression as it is written,
//! whatever templates and tools make of it. Those that need types, formulas or contracts are called
//! from where these are known. Files with errors and those of the standard library are left alone.

mod actions;
mod allow;
mod decided;
mod duplicates;
mod fields;
mod formulas;
mod literal;
mod logic;
mod pattern;
mod regex;
mod shape;
mod test_blocks;
mod unused;

use ctr_grammar::Span;
use ctr_grammar::ast::{BinaryOp, ClauseKind, Expr, ExprKind, GroupMembers, Item, ItemKind};
use rustc_hash::FxHashSet;

use super::memory::Remembered;
use super::scope::Src;
use super::{At, Checker, Read};
use crate::diagnostic::{Diagnostic, Fix, Severity};
use crate::ir::SourceId;
use crate::load::Unit;
use ctr_grammar::walk::children;

impl<'a> Checker<'a> {
    /// The warnings that whole files, and their expressions as they are written, give rise to.
    /// `contracts` are what became of `loaded`, `found` what was found before.
    pub(super) fn lints(
        &mut self,
        loaded: &[At],
        contracts: &[Read],
        found: &[Diagnostic],
        mut memory: Option<&mut Remembered<'_, '_>>,
    ) {
        let graph = self.graph;
        let failing: FxHashSet<SourceId> = found
            .iter()
            .filter(|d| d.severity == Severity::Error)
            .map(|d| d.primary.place.source)
            .collect();
        // What is wrong, or was not found, may be what uses a name.
        let whole =
            |unit: &Unit| !unit.has_errors && unit.missing.is_empty() && !unit.includes_incomplete;
        if failing.is_empty() && graph.units.iter().all(whole) {
            self.unused_names(found);
        }
        self.equal_ids(loaded, contracts);
        // Contracts whose items are done with here.
        let mut done: FxHashSet<At> = FxHashSet::default();
        for (at, read) in loaded.iter().zip(contracts) {
            let Some(unit) = graph.units.get(at.unit) else {
                continue;
            };
            if unit.library || unit.has_errors || failing.contains(&unit.source) {
                continue;
            }
            let known = memory.as_mut().and_then(|memory| memory.known(*at));
            let is_known = known.is_some();
            if known.is_some_and(|known| known.linted) {
                done.insert(*at);
                continue;
            }
            let before = self.diagnostics.len();
            match &read.contract {
                Some(contract) => self.message_fields(*at, contract),
                // Nothing was found in it while the file had errors.
                None if is_known => {
                    if let (Some(contract), _) = self.apart(|checker| checker.contract(*at)) {
                        self.message_fields(*at, &contract);
                    }
                }
                None => {}
            }
            if let Some(item) = unit.file.items.get(at.item) {
                self.item(item, self.src(at.unit));
            }
            done.insert(*at);
            if self.diagnostics.len() == before
                && let Some(known) = memory.as_mut().and_then(|memory| memory.known(*at))
            {
                known.linted = true;
            }
        }
        for (index, unit) in graph.units.iter().enumerate() {
            if unit.library || unit.has_errors || failing.contains(&unit.source) {
                continue;
            }
            let src = self.src(index);
            self.repeated_files(index);
            self.equal_tests(&unit.file.items, src);
            for (item, tree) in unit.file.items.iter().enumerate() {
                let at = At { unit: index, item };
                if !done.contains(&at) {
                    self.item(tree, src);
                }
            }
        }
    }

    fn item(&mut self, item: &'a Item, src: Src<'a>) {
        self.repeated_in_attributes(&item.attributes, src);
        match &item.kind {
            ItemKind::Contract(contract) => {
                for clause in &contract.clauses {
                    match &clause.kind {
                        ClauseKind::Let(_, expr)
                        | ClauseKind::Assume(expr)
                        | ClauseKind::Guarantee(expr) => self.expression(expr, None, src),
                        ClauseKind::Otherwise(_) | ClauseKind::Error => {}
                    }
                }
                self.strong_untils(contract, src);
                self.allowed(contract, src);
            }
            ItemKind::Predicate(predicate) => self.expression(&predicate.body, None, src),
            ItemKind::Group(group) => {
                if let GroupMembers::List(paths) = &group.members {
                    self.repeated_tools(paths, src);
                    self.starred(paths, src);
                }
            }
            ItemKind::Tool(tool) => {
                self.repeated_in_fields(&tool.params, src);
                if let Some(result) = &tool.result {
                    self.repeated_in_type(result, src);
                }
            }
            ItemKind::Event(event) => self.repeated_in_fields(&event.fields, src),
            ItemKind::Context(context) => self.repeated_in_type(&context.ty, src),
            ItemKind::Lookup(lookup) => {
                self.repeated_in_fields(&lookup.params, src);
                self.repeated_in_type(&lookup.result, src);
            }
            ItemKind::Test(test) => self.idle_steps(test, src),
            _ => {}
        }
    }

    /// An expression and all that it is made of; `chain` is the connective that it is an operand of.
    fn expression(&mut self, expr: &'a Expr, chain: Option<BinaryOp>, src: Src<'a>) {
        let mut below = None;
        match &expr.kind {
            ExprKind::Binary(op, a, b) => match op {
                BinaryOp::And | BinaryOp::Or => {
                    below = Some(*op);
                    if chain != below {
                        self.chain(*op, expr, src);
                    }
                }
                BinaryOp::Implies | BinaryOp::Iff => self.implication(*op, a, b, expr, src),
                _ => self.comparison(*op, a, b, expr, src),
            },
            ExprKind::Unary(op, inner) => self.prefixed(*op, inner, expr, src),
            ExprKind::Form(form) => self.form_of(form, expr, src),
            ExprKind::Pattern(pattern) => {
                // Commas mean `and`.
                below = Some(BinaryOp::And);
                self.pattern_as_written(pattern, src);
            }
            ExprKind::Regex { pattern, flags } => self.regex_lints(pattern, flags, expr.span, src),
            _ => {}
        }
        for child in children(expr) {
            self.expression(child, below, src);
        }
    }
}

/// The expression without the parentheses around it.
fn bare(expr: &Expr) -> &Expr {
    let mut at = expr;
    while let ExprKind::Paren(inner) = &at.kind {
        at = inner;
    }
    at
}

/// The text of an expression without the parentheses around it.
fn text_of<'a>(expr: &Expr, src: Src<'a>) -> &'a str {
    bare(expr).span.text(src.text)
}

/// The change that takes a span out of a text; with it its line where nothing else stands there.
fn removal(title: &str, span: Span, src: Src<'_>, safe: bool) -> Fix {
    Fix {
        title: title.to_owned(),
        edits: vec![(src.place(whole_line(span, src.text)), String::new())],
        safe,
    }
}

/// The span, or the lines that it fills with the line end after it.
fn whole_line(span: Span, text: &str) -> Span {
    let (Some(before), Some(after)) = (
        text.get(..span.start as usize),
        text.get(span.end as usize..),
    ) else {
        return span;
    };
    let blank = |part: &str| part.bytes().all(|b| matches!(b, b' ' | b'\t' | b'\r'));
    let head = before.rsplit('\n').next().unwrap_or(before);
    let (tail, line_end) = match after.split_once('\n') {
        Some((tail, _)) => (tail, 1),
        None => (after, 0),
    };
    if !blank(head) || !blank(tail) {
        return span;
    }
    let length = |n: usize| u32::try_from(n).unwrap_or(0);
    Span::new(
        span.start - length(head.len()),
        span.end + length(tail.len() + line_end),
    )
}

/// A finding without labels and help yet.
fn warning(
    code: &'static str,
    message: impl Into<String>,
    span: Span,
    label: impl Into<String>,
    src: Src<'_>,
) -> Diagnostic {
    Diagnostic::warning(code, message, src.place(span), label)
}
