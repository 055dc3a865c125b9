//! Trees in a compact form.

use crate::ast::*;

fn path(p: &Path) -> String {
    let parts: Vec<&str> = p.parts.iter().map(|i| i.name.as_str()).collect();
    parts.join(".")
}

fn bound(b: &Bound) -> String {
    match b {
        Bound::Time { nanos, .. } => format!("{nanos}ns"),
        Bound::Steps { count, .. } => format!("{count}steps"),
    }
}

fn all(list: &[Expr]) -> String {
    list.iter().map(|e| format!(" {}", expr(e))).collect()
}

fn fields(list: &[(Ident, Expr)]) -> String {
    list.iter()
        .map(|(n, e)| format!(" {}:{}", n.name, expr(e)))
        .collect()
}

pub(crate) fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Error => "ERROR".into(),
        ExprKind::Null => "null".into(),
        ExprKind::Bool(b) => b.to_string(),
        ExprKind::Number(n) => n.clone(),
        ExprKind::Duration(n) => format!("{n}ns"),
        ExprKind::Str(s) => format!("{s:?}"),
        ExprKind::Regex { pattern, flags } => format!("/{pattern}/{flags}"),
        ExprKind::List(l) => format!("[{}]", all(l).trim()),
        ExprKind::Record(f) => format!("{{{}}}", fields(f).trim()),
        ExprKind::Name(n) => n.name.clone(),
        ExprKind::Field(b, n) => format!("{}.{}", expr(b), n.name),
        ExprKind::Index(b, n) => format!("{}[{n}]", expr(b)),
        ExprKind::All(b) => format!("{}[*]", expr(b)),
        ExprKind::Call(p, args) => format!("({}!{})", path(p), all(args)),
        ExprKind::Pattern(p) => pattern(p),
        ExprKind::State(e) => format!("(state {})", expr(e)),
        ExprKind::Paren(e) => format!("<{}>", expr(e)),
        ExprKind::Unary(op, e) => format!("({op:?} {})", expr(e)),
        ExprKind::Binary(op, a, b) => format!("({op:?} {} {})", expr(a), expr(b)),
        ExprKind::Quantified {
            all,
            var,
            list,
            body,
        } => format!(
            "({} {} {} {})",
            if *all { "every" } else { "some" },
            var.name,
            expr(list),
            expr(body)
        ),
        ExprKind::Earlier(e) => format!("(earlier {})", expr(e)),
        ExprKind::Within(e, b) => format!("(within {} {})", expr(e), bound(b)),
        ExprKind::Form(f) => form(f),
    }
}

fn pattern(p: &Pattern) -> String {
    let tools = match p.tools.as_ref().map(|t| &t.kind) {
        None => String::new(),
        Some(ToolSelKind::Any) => " any".into(),
        Some(ToolSelKind::Except(l)) => {
            format!(" !{}", l.iter().map(path).collect::<Vec<_>>().join("|"))
        }
        Some(ToolSelKind::OneOf(l)) => {
            format!(" {}", l.iter().map(path).collect::<Vec<_>>().join("|"))
        }
        Some(ToolSelKind::Error) => " ERROR".into(),
    };
    format!("({:?}{tools}{})", p.kind, all(&p.conditions))
}

fn opt(b: &Option<Bound>) -> String {
    b.as_ref()
        .map_or_else(String::new, |b| format!(" {}", bound(b)))
}

fn form(f: &Form) -> String {
    match f {
        Form::Never(p) => format!("(never {})", expr(p)),
        Form::NeverAfter { p, q, only_before } => {
            let name = if *only_before {
                "only-before"
            } else {
                "never-after"
            };
            format!("({name} {} {})", expr(p), expr(q))
        }
        Form::OnlyAfter {
            p,
            q,
            never_before,
            within,
        } => {
            let name = if *never_before {
                "never-before"
            } else {
                "only-after"
            };
            format!("({name} {} {}{})", expr(p), expr(q), opt(within))
        }
        Form::OnlyIf { p, cond } => format!("(only-if {} {})", expr(p), expr(cond)),
        Form::OnlyWhile { p, f } => format!("(only-while {} {})", expr(p), expr(f)),
        Form::LeadsTo { p, q, within } => {
            format!("(leads-to {} {}{})", expr(p), expr(q), opt(within))
        }
        Form::ImmediatelyLeadsTo { p, q } => format!("(next-leads-to {} {})", expr(p), expr(q)),
        Form::Times {
            p,
            cmp,
            count,
            consecutive,
            within,
        } => format!(
            "(times {cmp:?} {count}{} {}{})",
            if *consecutive { " consecutive" } else { "" },
            expr(p),
            opt(within)
        ),
    }
}

pub(crate) fn step(s: &TestStep) -> String {
    let what = match &s.kind {
        TestStepKind::Context(p, e) => format!("context {} {}", path(p), expr(e)),
        TestStepKind::Lookup { name, args, value } => {
            format!("lookup {}{} = {}", name.name, all(args), expr(value))
        }
        TestStepKind::After(n) => format!("after {n}ns"),
        TestStepKind::Input(t) => format!("input {:?}", t.value),
        TestStepKind::Output(t) => format!("output {:?}", t.value),
        TestStepKind::Event(n, f) => format!("event {}{}", n.name, fields(f)),
        TestStepKind::Call {
            tool,
            args,
            outcome,
        } => format!(
            "call {}{}{}",
            path(tool),
            fields(args),
            outcome.as_ref().map_or_else(String::new, self::outcome)
        ),
        TestStepKind::Return(p, o) => format!("return {}{}", path(p), outcome(o)),
        TestStepKind::End => "end".into(),
        TestStepKind::Error => "ERROR".into(),
    };
    let expects: String = s
        .expect
        .iter()
        .map(|e| {
            let by: Vec<String> = e.by.iter().map(path).collect();
            format!(" ?{}[{}]", e.what.name, by.join(","))
        })
        .collect();
    let meta: String = s
        .meta
        .iter()
        .map(|(n, e)| format!(" @{}={}", n.name, expr(e)))
        .collect();
    format!("{what}{expects}{meta}")
}

fn outcome(o: &Outcome) -> String {
    match o {
        Outcome::Success(e) => format!(" -> {}", expr(e)),
        Outcome::Failure(t) => format!(
            " -> failure{}",
            t.as_ref()
                .map_or_else(String::new, |t| format!(" {:?}", t.value))
        ),
        Outcome::Unknown => " -> unknown".into(),
    }
}
