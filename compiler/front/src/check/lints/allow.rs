//! Conditions that decide what is allowed, and hold of more than they seem to.
//!
//! A condition *permits* where its being true can only make a guarantee hold: after `only if`, in what
//! must come first, under `not` in what must not happen. There a test that looks at a part of the text
//! lets through what was never meant. Where it forbids, the same test is on the safe side.

use std::collections::{HashMap, HashSet};

use ctr_grammar::Span;
use ctr_grammar::ast::{self, BinaryOp, ClauseKind, Expr, ExprKind, Form, TimesCmp, UnaryOp};

use super::super::names::Callee;
use super::super::scope::Src;
use super::super::{Checker, text};
use super::literal::Literal;
use super::shape::Open;
use super::{bare, shape, warning};
use crate::diagnostic::Fix;

/// How many predicates are followed into each other.
const MOST_FOLLOWED: u32 = 8;

/// Fields that hold what somebody wrote: words are looked for in them.
const FREE_TEXT: [&str; 18] = [
    "text",
    "body",
    "message",
    "content",
    "contents",
    "comment",
    "note",
    "notes",
    "description",
    "summary",
    "subject",
    "title",
    "reason",
    "query",
    "prompt",
    "question",
    "answer",
    "html",
];

/// Fields in which a part that looks right says nothing of the rest.
const WHOLE_VALUES: [&str; 9] = [
    "command",
    "cmd",
    "url",
    "uri",
    "host",
    "hostname",
    "domain",
    "email",
    "recipient",
];

/// What the names of fields with paths hold.
const PATHS: [&str; 12] = [
    "path", "file", "dir", "folder", "src", "dst", "source", "dest", "target", "location",
    "endpoint", "route",
];

/// What follows for a guarantee from an expression being true.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Effect {
    /// It can only help.
    Permits,
    /// It can only harm.
    Forbids,
}

impl Effect {
    fn turned(self) -> Self {
        match self {
            Self::Permits => Self::Forbids,
            Self::Forbids => Self::Permits,
        }
    }
}

/// What is known around an expression.
struct Around<'a> {
    src: Src<'a>,
    lets: HashMap<&'a str, &'a Expr>,
    followed: u32,
    /// The `let`s and predicates that were followed, with their effects.
    seen: HashSet<(usize, Span, Effect)>,
}

impl<'a> Checker<'a> {
    /// The conditions of a contract's guarantees.
    pub(super) fn allowed(&mut self, contract: &'a ast::Contract, src: Src<'a>) {
        let mut around = Around {
            src,
            lets: HashMap::new(),
            followed: 0,
            seen: HashSet::new(),
        };
        for clause in &contract.clauses {
            match &clause.kind {
                ClauseKind::Let(name, value) => {
                    around.lets.insert(&name.name, value);
                }
                ClauseKind::Guarantee(formula) => {
                    self.effect(formula, Effect::Permits, &mut around);
                }
                _ => {}
            }
        }
    }

    fn effect(&mut self, expr: &'a Expr, effect: Effect, around: &mut Around<'a>) {
        match &expr.kind {
            ExprKind::Paren(inner) | ExprKind::State(inner) => self.effect(inner, effect, around),
            ExprKind::Unary(UnaryOp::Not, inner) => self.effect(inner, effect.turned(), around),
            ExprKind::Unary(UnaryOp::Neg, _) => {}
            ExprKind::Unary(_, inner) => self.effect(inner, effect, around),
            ExprKind::Pattern(pattern) => {
                for condition in &pattern.conditions {
                    self.effect(condition, effect, around);
                }
            }
            ExprKind::Binary(op, a, b) => match op {
                BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Until
                | BinaryOp::Unless
                | BinaryOp::Release
                | BinaryOp::Since => {
                    self.effect(a, effect, around);
                    self.effect(b, effect, around);
                }
                BinaryOp::Implies => {
                    self.effect(a, effect.turned(), around);
                    self.effect(b, effect, around);
                }
                BinaryOp::Coalesce => self.effect(a, effect, around),
                BinaryOp::Matches if effect == Effect::Permits => self.searched(a, b, around),
                BinaryOp::StartsWith | BinaryOp::EndsWith | BinaryOp::Contains | BinaryOp::Like
                    if effect == Effect::Permits =>
                {
                    self.part_of_address(*op, a, b, expr, around);
                }
                _ => {}
            },
            ExprKind::Quantified { all, var, body, .. } => {
                if !all && effect == Effect::Permits {
                    self.some_unlike(&var.name, expr, body, around);
                }
                self.effect(body, effect, around);
            }
            ExprKind::Form(form) => self.effect_of_form(form, effect, around),
            ExprKind::Name(name) => {
                if let Some(value) = around.lets.get(name.name.as_str()).copied()
                    && around.seen.insert((around.src.unit, value.span, effect))
                {
                    self.effect(value, effect, around);
                }
            }
            ExprKind::Call(path, args) => {
                let names = self.names;
                match names.callee(around.src.unit, &path.parts) {
                    Callee::Event(_) => {
                        for condition in args {
                            self.effect(condition, effect, around);
                        }
                    }
                    Callee::Predicate(predicate) => {
                        let library = self
                            .graph
                            .units
                            .get(predicate.unit)
                            .is_none_or(|u| u.library || u.has_errors);
                        let body = &predicate.ast.body;
                        let key = (predicate.unit, body.span, effect);
                        if library || around.followed >= MOST_FOLLOWED || !around.seen.insert(key) {
                            return;
                        }
                        // What is given for parameters is read where it is given.
                        let outer = around.src;
                        let lets = std::mem::take(&mut around.lets);
                        around.src = self.src(predicate.unit);
                        around.followed += 1;
                        self.effect(body, effect, around);
                        around.followed -= 1;
                        around.src = outer;
                        around.lets = lets;
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn effect_of_form(&mut self, form: &'a Form, effect: Effect, around: &mut Around<'a>) {
        let turned = effect.turned();
        match form {
            Form::Never(p) => self.effect(p, turned, around),
            Form::NeverAfter { p, q, .. } => {
                self.effect(p, turned, around);
                self.effect(q, turned, around);
            }
            Form::OnlyAfter { p, q, .. }
            | Form::LeadsTo { p, q, .. }
            | Form::ImmediatelyLeadsTo { p, q } => {
                self.effect(p, turned, around);
                self.effect(q, effect, around);
            }
            Form::OnlyIf { p, cond: f } | Form::OnlyWhile { p, f } => {
                self.effect(p, turned, around);
                self.effect(f, effect, around);
            }
            Form::Times { p, cmp, .. } => match cmp {
                TimesCmp::AtMost => self.effect(p, turned, around),
                TimesCmp::AtLeast => self.effect(p, effect, around),
                TimesCmp::Exactly => {}
            },
        }
    }

    /// A regular expression that is searched for in a value.
    fn searched(&mut self, a: &'a Expr, b: &'a Expr, around: &Around<'a>) {
        let ExprKind::Regex { pattern, flags } = &bare(b).kind else {
            return;
        };
        if is_free_text(a) {
            return;
        }
        // Letters of both cases have the form of letters of one.
        let flags = flags.replace('i', "");
        let whole = last_name(a).is_some_and(|name| WHOLE_VALUES.contains(&name));
        let Some(open) =
            shape::parse(pattern, &flags).and_then(|hir| shape::left_open(&hir, whole))
        else {
            return;
        };
        let src = around.src;
        let span = bare(b).span;
        let written = span.text(src.text);
        let value = text::fold(a.span.text(src.text));
        let (message, label, anchored) = match open {
            Open::Both => (
                format!("`{value}` may have anything before and after what this allows"),
                "not anchored",
                Some(("^(?:", ")$")),
            ),
            Open::End => (
                format!("`{value}` may go on after what this allows"),
                "no `$` at its end",
                Some(("", "$")),
            ),
            Open::Start => (
                format!("`{value}` may have anything before what this allows"),
                "no `^` at its beginning",
                Some(("^", "")),
            ),
            Open::Alternatives => (
                "`^` belongs to the first alternative alone, and `$` to the last".to_owned(),
                "anchored in part",
                None,
            ),
        };
        let mut diagnostic = warning("W0428", message, span, label, src);
        diagnostic = match open {
            Open::Alternatives => {
                diagnostic.with_help("put the alternatives into parentheses: `/^(?:a|b)$/`")
            }
            _ => diagnostic.with_help("`matches` searches: write `^` and `$` for the whole value"),
        };
        if let Some((before, after)) = anchored
            && let Some(end) = written.rfind('/').filter(|end| *end > 0)
            && let (Some(head), Some(tail)) = (written.get(1..end), written.get(end..))
        {
            let (before, after) = if head.contains('|') || !before.contains('(') {
                (before, after)
            } else {
                ("^", "$")
            };
            diagnostic = diagnostic.with_fix(Fix {
                title: "anchor it".to_owned(),
                edits: vec![(src.place(span), format!("/{before}{head}{after}{tail}"))],
                safe: false,
            });
        }
        self.diagnostics.push(diagnostic);
    }

    /// A part of a URL, an address or a path in place of its host or its folder.
    fn part_of_address(
        &mut self,
        op: BinaryOp,
        a: &'a Expr,
        b: &'a Expr,
        whole: &'a Expr,
        around: &Around<'a>,
    ) {
        let ExprKind::Str(part) = &bare(b).kind else {
            return;
        };
        if is_free_text(a) || !is_field(a) {
            return;
        }
        let src = around.src;
        let value = text::fold(a.span.text(src.text));
        let is_path = last_name(a)
            .map(str::to_lowercase)
            .is_some_and(|name| name.len() == 1 || PATHS.iter().any(|p| name.contains(p)));
        let folder = is_path
            && part.len() > 1
            && part.starts_with('/')
            && !part.starts_with("//")
            && !part.contains(['?', '*', ' ']);
        if op == BinaryOp::StartsWith && folder {
            let directory = part.trim_end_matches('/');
            if directory.is_empty() {
                return;
            }
            let mended = format!("{} inside {directory:?}", a.span.text(src.text));
            let beside = if part.ends_with('/') {
                format!("{part}../x")
            } else {
                format!("{part}_x")
            };
            let diagnostic = warning(
                "W0438",
                format!("`{value}` is allowed to be `{beside}` too"),
                whole.span,
                "letters, not folders",
                src,
            )
            .with_help(format!(
                "`inside` compares paths part by part: write `{}`",
                text::fold(&mended)
            ))
            .with_fix(Fix {
                title: "write `inside`".to_owned(),
                edits: vec![(src.place(whole.span), mended)],
                safe: false,
            });
            self.diagnostics.push(diagnostic);
            return;
        }
        let Some((host, other)) = host_in(op, part) else {
            return;
        };
        let diagnostic = warning(
            "W0438",
            format!("`{value}` is allowed to be `{other}` too"),
            whole.span,
            "letters, not a host",
            src,
        )
        .with_help(format!(
            "the host of a URL or an e-mail address is `host(value)`: write `host({value}) == {host:?}`"
        ))
        .with_help(format!(
            "for the hosts below it write `host({value}) ends with {:?}`",
            format!(".{host}")
        ));
        self.diagnostics.push(diagnostic);
    }

    /// `some x in list: x != value` where it permits: one other element is enough.
    fn some_unlike(&mut self, var: &str, whole: &'a Expr, body: &'a Expr, around: &Around<'a>) {
        let unlike = match &bare(body).kind {
            ExprKind::Binary(BinaryOp::Ne, a, b) => {
                let is_var = |e: &Expr| matches!(&bare(e).kind, ExprKind::Name(n) if n.name == var);
                (is_var(a) && Literal::of(b).is_some()) || (is_var(b) && Literal::of(a).is_some())
            }
            ExprKind::Binary(BinaryOp::NotIn, a, _) => {
                matches!(&bare(a).kind, ExprKind::Name(n) if n.name == var)
            }
            _ => false,
        };
        if !unlike {
            return;
        }
        let src = around.src;
        let start = whole.span.start;
        let word = Span::new(start, start + 4);
        let mut diagnostic = warning(
            "W0440",
            "one element that is unlike it is enough here, whatever the others are",
            whole.span,
            "holds of some",
            src,
        )
        .with_help("where none may be like it write `every`");
        if word.text(src.text) == "some" {
            diagnostic = diagnostic.with_fix(Fix {
                title: "write `every`".to_owned(),
                edits: vec![(src.place(word), "every".to_owned())],
                safe: false,
            });
        }
        self.diagnostics.push(diagnostic);
    }
}

/// The name of the field that an expression reads, perhaps in another case.
fn last_name(expr: &Expr) -> Option<&str> {
    match &bare(expr).kind {
        ExprKind::Name(name) | ExprKind::Field(_, name) => Some(&name.name),
        ExprKind::Index(base, _) | ExprKind::All(base) => last_name(base),
        ExprKind::Binary(BinaryOp::Coalesce, a, _) => last_name(a),
        ExprKind::Call(path, args) => match (path.parts.as_slice(), args.as_slice()) {
            ([name], [arg]) if matches!(name.name.as_str(), "lower" | "upper" | "trim") => {
                last_name(arg)
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether an expression reads a field, perhaps in another case.
fn is_field(expr: &Expr) -> bool {
    match &bare(expr).kind {
        ExprKind::Name(_) => true,
        ExprKind::Field(base, _) | ExprKind::Index(base, _) | ExprKind::All(base) => is_field(base),
        ExprKind::Binary(BinaryOp::Coalesce, a, _) => is_field(a),
        ExprKind::Call(path, args) => match (path.parts.as_slice(), args.as_slice()) {
            ([name], [arg]) => {
                matches!(name.name.as_str(), "lower" | "upper" | "trim") && is_field(arg)
            }
            _ => false,
        },
        _ => false,
    }
}

/// Whether an expression reads what somebody wrote: a message, a comment, the text of something.
fn is_free_text(expr: &Expr) -> bool {
    match &bare(expr).kind {
        ExprKind::Name(name) | ExprKind::Field(_, name) => {
            FREE_TEXT.contains(&name.name.as_str()) || name.name == "result"
        }
        ExprKind::Binary(BinaryOp::Coalesce, a, _) => is_free_text(a),
        ExprKind::Index(base, _) | ExprKind::All(base) => is_free_text(base),
        ExprKind::Call(path, args) => match (path.parts.as_slice(), args.as_slice()) {
            ([name], [_]) if name.name == "text" => true,
            ([name], [arg]) => {
                matches!(name.name.as_str(), "lower" | "upper" | "trim") && is_free_text(arg)
            }
            _ => false,
        },
        _ => false,
    }
}

/// The host that a part of a URL or an address is meant to ask for, and another that has that part too.
fn host_in(op: BinaryOp, part: &str) -> Option<(String, String)> {
    let is_host = |text: &str| {
        let last = text.rsplit('.').next().unwrap_or("");
        text.contains('.')
            && last.len() >= 2
            && last.bytes().all(|b| b.is_ascii_alphabetic())
            && text
                .split('.')
                .all(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'))
    };
    match op {
        BinaryOp::StartsWith => {
            let (scheme, rest) = part.split_once("://")?;
            is_host(rest).then(|| (rest.to_lowercase(), format!("{scheme}://{rest}.evil.net")))
        }
        BinaryOp::EndsWith => is_host(part).then(|| (part.to_lowercase(), format!("evil{part}"))),
        BinaryOp::Contains => {
            let host = part.split_once("://").map_or(part, |(_, rest)| rest);
            let host = host.trim_start_matches(['@', '.']);
            is_host(host).then(|| (host.to_lowercase(), format!("{part}.evil.net")))
        }
        BinaryOp::Like => {
            let inner = part.trim_matches('*');
            if !part.starts_with('*') || inner.contains('*') {
                return None;
            }
            is_host(inner).then(|| (inner.to_lowercase(), format!("evil{inner}")))
        }
        _ => None,
    }
}
