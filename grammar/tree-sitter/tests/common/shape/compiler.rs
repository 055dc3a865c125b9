//! The shape of the compiler's tree.

use ctr_grammar::Span;
use ctr_grammar::ast::*;

use super::Shape;

fn shape(kind: impl Into<String>, span: Span, parts: Vec<Shape>) -> Shape {
    Shape {
        kind: kind.into(),
        start: span.start as usize,
        end: span.end as usize,
        parts,
    }
}

pub fn of_file(text: &str, file: &File) -> Shape {
    let items = file.items.iter().map(|i| item(text, i)).collect();
    let end = u32::try_from(text.len()).unwrap();
    shape("file", Span::new(0, end), items)
}

fn name(kind: &str, ident: &Ident) -> Shape {
    shape(format!("{kind} {}", ident.name), ident.span, Vec::new())
}

fn path(kind: &str, path: &Path) -> Shape {
    let parts: Vec<&str> = path.parts.iter().map(|p| p.name.as_str()).collect();
    shape(format!("{kind} {}", parts.join(".")), path.span, Vec::new())
}

fn string(kind: &str, literal: &StrLit) -> Shape {
    shape(kind, literal.span, Vec::new())
}

fn target(target: &ModuleRef) -> Shape {
    match target {
        ModuleRef::Name(p) => path("target", p),
        ModuleRef::File(s) => string("target", s),
    }
}

fn item(text: &str, item: &Item) -> Shape {
    let mut parts: Vec<Shape> = item
        .attributes
        .iter()
        .map(|a| {
            let mut parts = vec![name("name", &a.name)];
            parts.extend(a.args.iter().map(|e| expr(text, e)));
            shape("attribute", a.span, parts)
        })
        .collect();
    let kind = match &item.kind {
        ItemKind::Module(p) => {
            parts.push(path("name", p));
            "module"
        }
        ItemKind::Import(i) => {
            parts.push(target(&i.target));
            parts.extend(i.alias.iter().map(|a| name("alias", a)));
            "import"
        }
        ItemKind::Include(i) => {
            parts.push(target(&i.target));
            parts.extend(i.only.iter().flatten().map(|n| name("contract", n)));
            "include"
        }
        ItemKind::ToolsFrom(t) => {
            parts.push(string("file", &t.file));
            parts.extend(t.server.iter().map(|s| name("server", s)));
            "tools"
        }
        ItemKind::Tool(t) => {
            parts.push(path("name", &t.name));
            parts.extend(t.params.iter().map(field));
            parts.extend(t.result.iter().map(type_of));
            "tool"
        }
        ItemKind::Group(g) => {
            parts.push(name("name", &g.name));
            match &g.members {
                GroupMembers::List(list) => parts.extend(list.iter().map(|p| path("member", p))),
                GroupMembers::Where(e) => parts.push(expr(text, e)),
            }
            "group"
        }
        ItemKind::Event(e) => {
            parts.push(name("name", &e.name));
            parts.extend(e.fields.iter().map(field));
            "event"
        }
        ItemKind::Context(c) => {
            parts.push(name("name", &c.name));
            parts.push(type_of(&c.ty));
            "context"
        }
        ItemKind::Lookup(l) => {
            parts.push(name("name", &l.name));
            parts.extend(l.params.iter().map(field));
            parts.push(type_of(&l.result));
            "lookup"
        }
        ItemKind::Predicate(p) => {
            parts.push(name("name", &p.name));
            parts.extend(p.params.iter().map(field));
            parts.push(expr(text, &p.body));
            "predicate"
        }
        ItemKind::Contract(c) => {
            parts.push(name("name", &c.name));
            parts.extend(c.keys.iter().map(|k| name("key", k)));
            parts.extend(c.clauses.iter().map(|c| clause(text, c)));
            "contract"
        }
        ItemKind::Test(t) => {
            parts.push(string("name", &t.name));
            parts.extend(t.contracts.iter().map(|p| path("contract", p)));
            parts.extend(t.steps.iter().map(|s| step(text, s)));
            "test"
        }
        ItemKind::Error => "ERROR",
    };
    shape(kind, item.span, parts)
}

/// The compiler's tree has no place for a field as a whole.
fn field(field: &FieldDecl) -> Shape {
    let kind = if field.optional { "field?" } else { "field" };
    let span = field.name.span.to(field.ty.span);
    shape(kind, span, vec![type_of(&field.ty)])
}

fn type_of(ty: &Type) -> Shape {
    let (kind, parts) = match &ty.kind {
        TypeKind::Name(n) => (format!("type {n}"), Vec::new()),
        TypeKind::Enum(values) => (
            "enum".to_owned(),
            values.iter().map(|s| string("value", s)).collect(),
        ),
        TypeKind::List(t) => ("list".to_owned(), vec![type_of(t)]),
        TypeKind::Map(t) => ("map".to_owned(), vec![type_of(t)]),
        TypeKind::Record(fields) => ("record type".to_owned(), fields.iter().map(field).collect()),
        TypeKind::Union(list) => ("union".to_owned(), list.iter().map(type_of).collect()),
        TypeKind::Error => ("ERROR".to_owned(), Vec::new()),
    };
    shape(kind, ty.span, parts)
}

fn clause(text: &str, clause: &Clause) -> Shape {
    let (kind, parts) = match &clause.kind {
        ClauseKind::Let(n, e) => ("let", vec![name("name", n), expr(text, e)]),
        ClauseKind::Assume(e) => ("assume", vec![expr(text, e)]),
        ClauseKind::Guarantee(e) => ("guarantee", vec![expr(text, e)]),
        ClauseKind::Otherwise(a) => ("otherwise", action(text, a)),
        ClauseKind::Error => ("ERROR", Vec::new()),
    };
    shape(kind, clause.span, parts)
}

fn message(text: &str, literal: &StrLit) -> Shape {
    let parts = ctr_grammar::message_parts(text, literal).0;
    let values = parts.iter().filter_map(|p| match p {
        ctr_grammar::MessagePart::Expr(e) => Some(expr(text, e)),
        ctr_grammar::MessagePart::Text(_) => None,
    });
    shape("message", literal.span, values.collect())
}

fn action(text: &str, action: &Action) -> Vec<Shape> {
    match action {
        Action::Block(m) | Action::Warn(m) | Action::Escalate(m) | Action::Repair(m) => {
            m.iter().map(|m| message(text, m)).collect()
        }
        Action::Redirect {
            tool,
            args,
            message: m,
        } => {
            let mut parts = vec![path("tool", tool)];
            parts.extend(args.iter().map(|a| argument(text, a)));
            parts.extend(m.iter().map(|m| message(text, m)));
            parts
        }
    }
}

fn argument(text: &str, (name, value): &(Ident, Expr)) -> Shape {
    let span = name.span.to(value.span);
    shape(
        format!("argument {}", name.name),
        span,
        vec![expr(text, value)],
    )
}

fn step(text: &str, step: &TestStep) -> Shape {
    let mut parts = Vec::new();
    let kind = match &step.kind {
        TestStepKind::Context(p, e) => {
            parts.extend([path("name", p), expr(text, e)]);
            "context"
        }
        TestStepKind::Lookup {
            name: n,
            args,
            value,
        } => {
            parts.push(name("name", n));
            parts.extend(args.iter().map(|e| expr(text, e)));
            parts.push(expr(text, value));
            "lookup"
        }
        TestStepKind::After(_) => "after",
        TestStepKind::Input(s) => {
            parts.push(string("text", s));
            "input"
        }
        TestStepKind::Output(s) => {
            parts.push(string("text", s));
            "output"
        }
        TestStepKind::Event(n, args) => {
            parts.push(name("name", n));
            parts.extend(args.iter().map(|a| argument(text, a)));
            "event"
        }
        TestStepKind::Call {
            tool,
            args,
            outcome,
        } => {
            parts.push(path("tool", tool));
            parts.extend(args.iter().map(|a| argument(text, a)));
            parts.extend(outcome.iter().map(|o| self::outcome(text, o)));
            "call"
        }
        TestStepKind::Return(tool, outcome) => {
            parts.extend([path("tool", tool), self::outcome(text, outcome)]);
            "return"
        }
        TestStepKind::End => "end",
        TestStepKind::Error => "ERROR",
    };
    for expect in &step.expect {
        let mut inner = vec![name("what", &expect.what)];
        inner.extend(expect.by.iter().map(|p| path("contract", p)));
        parts.push(shape("expectation", expect.span, inner));
    }
    for (fact, value) in &step.meta {
        parts.push(shape(
            format!("fact {}", fact.name),
            value.span,
            vec![expr(text, value)],
        ));
    }
    shape(kind, step.span, parts)
}

/// The compiler's tree has no place for a failure: it is left out.
fn outcome(text: &str, outcome: &Outcome) -> Shape {
    match outcome {
        Outcome::Success(e) => expr(text, e),
        Outcome::Failure(_) => shape("failure", Span::default(), Vec::new()),
        Outcome::Unknown => shape("unknown", Span::default(), Vec::new()),
    }
}

fn all(text: &str, list: &[Expr]) -> Vec<Shape> {
    list.iter().map(|e| expr(text, e)).collect()
}

/// The words between two parts, without comments.
fn between(text: &str, from: u32, to: u32) -> String {
    let text = &text[from as usize..to as usize];
    let tokens = ctr_grammar::lexemes(text).tokens;
    let words: Vec<&str> = tokens.iter().map(|t| t.text(text)).collect();
    words.join(" ")
}

fn expr(text: &str, e: &Expr) -> Shape {
    let one = |e: &Expr| vec![expr(text, e)];
    let (kind, parts): (String, Vec<Shape>) = match &e.kind {
        ExprKind::Error => ("ERROR".into(), Vec::new()),
        ExprKind::Null => ("null".into(), Vec::new()),
        ExprKind::Bool(_) => ("boolean".into(), Vec::new()),
        ExprKind::Number(_) => ("number".into(), Vec::new()),
        ExprKind::Duration(_) => ("duration".into(), Vec::new()),
        ExprKind::Str(_) => ("string".into(), Vec::new()),
        ExprKind::Regex { .. } => ("regex".into(), Vec::new()),
        ExprKind::List(l) => ("list".into(), all(text, l)),
        ExprKind::Record(fields) => (
            "record".into(),
            fields.iter().map(|f| argument(text, f)).collect(),
        ),
        ExprKind::Name(n) => (format!("name {}", n.name), Vec::new()),
        ExprKind::Field(base, n) => (format!("field {}", n.name), one(base)),
        ExprKind::Index(base, n) => (format!("index {n}"), one(base)),
        ExprKind::All(base) => ("all".into(), one(base)),
        ExprKind::Call(p, args) => {
            let parts: Vec<&str> = p.parts.iter().map(|p| p.name.as_str()).collect();
            (format!("call {}", parts.join(".")), all(text, args))
        }
        ExprKind::Pattern(p) => {
            let mut parts = Vec::new();
            if let Some(tools) = &p.tools {
                parts.push(shape(
                    "tools",
                    tools.span,
                    match &tools.kind {
                        ToolSelKind::Any | ToolSelKind::Error => Vec::new(),
                        ToolSelKind::Except(list) | ToolSelKind::OneOf(list) => {
                            list.iter().map(|p| path("tool", p)).collect()
                        }
                    },
                ));
            }
            parts.extend(all(text, &p.conditions));
            (format!("pattern {:?}", p.kind).to_lowercase(), parts)
        }
        ExprKind::State(inner) => ("state".into(), one(inner)),
        ExprKind::Paren(inner) => ("paren".into(), one(inner)),
        ExprKind::Unary(_, inner) => (
            format!("unary {}", between(text, e.span.start, inner.span.start)),
            one(inner),
        ),
        ExprKind::Binary(_, a, b) => (
            format!("binary {}", between(text, a.span.end, b.span.start)),
            vec![expr(text, a), expr(text, b)],
        ),
        ExprKind::Quantified {
            all,
            var,
            list,
            body,
        } => (
            if *all { "every" } else { "some" }.into(),
            vec![name("variable", var), expr(text, list), expr(text, body)],
        ),
        ExprKind::Earlier(inner) => ("earlier".into(), one(inner)),
        ExprKind::Within(inner, b) => ("within".into(), vec![expr(text, inner), bound(b)]),
        ExprKind::Form(f) => form(text, f),
    };
    shape(kind, e.span, parts)
}

fn bound(b: &Bound) -> Shape {
    match b {
        Bound::Time { .. } => shape("time", Span::default(), Vec::new()),
        Bound::Steps { .. } => shape("steps", Span::default(), Vec::new()),
    }
}

fn form(text: &str, form: &Form) -> (String, Vec<Shape>) {
    let two = |kind: &str, p: &Expr, q: &Expr, within: &Option<Bound>| {
        let mut parts = vec![expr(text, p), expr(text, q)];
        parts.extend(within.iter().map(bound));
        (kind.to_owned(), parts)
    };
    match form {
        Form::Never(p) => ("never".into(), vec![expr(text, p)]),
        Form::NeverAfter { p, q, only_before } => {
            let kind = if *only_before {
                "only before"
            } else {
                "never after"
            };
            two(kind, p, q, &None)
        }
        Form::OnlyAfter {
            p,
            q,
            never_before,
            within,
        } => {
            let kind = if *never_before {
                "never before"
            } else {
                "only after"
            };
            two(kind, p, q, within)
        }
        Form::OnlyIf { p, cond } => two("only if", p, cond, &None),
        Form::OnlyWhile { p, f } => two("only while", p, f, &None),
        Form::LeadsTo { p, q, within } => two("leads to", p, q, within),
        Form::ImmediatelyLeadsTo { p, q } => two("immediately leads to", p, q, &None),
        Form::Times {
            p,
            cmp,
            count,
            consecutive,
            within,
        } => {
            let cmp = match cmp {
                TimesCmp::AtMost => "at most",
                TimesCmp::AtLeast => "at least",
                TimesCmp::Exactly => "exactly",
            };
            let consecutive = if *consecutive { " consecutive" } else { "" };
            let mut parts = vec![expr(text, p)];
            parts.extend(within.iter().map(bound));
            (format!("{cmp} {count}{consecutive}"), parts)
        }
    }
}
