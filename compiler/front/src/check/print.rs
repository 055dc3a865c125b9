//! The core IR as short texts, for tests.

#![allow(clippy::indexing_slicing, reason = "tests")]

use crate::ir::{
    Action, ActionKind, CompareOp, Const, EventKind, Expr, ExprId, Formula, Library, MessagePart,
    PatternId, RegisterId, Root, Status, Step, Tools,
};

/// Writes parts of a library.
pub(super) struct Printer<'l>(pub(super) &'l Library);

impl Printer<'_> {
    pub(super) fn formula(&self, formula: &Formula) -> String {
        let one = |op: &str, f: &Formula| format!("{op}({})", self.formula(f));
        let two = |op: &str, a: &Formula, b: &Formula| {
            format!("({} {op} {})", self.formula(a), self.formula(b))
        };
        let many = |op: &str, fs: &[Formula]| {
            let parts: Vec<String> = fs.iter().map(|f| self.formula(f)).collect();
            format!("({})", parts.join(op))
        };
        match formula {
            Formula::True => "true".to_owned(),
            Formula::False => "false".to_owned(),
            Formula::Atom(id) => self.expr(self.0.atoms[id.0 as usize].expr),
            Formula::Not(f) => format!("!{}", self.formula(f)),
            Formula::And(fs) => many(" & ", fs),
            Formula::Or(fs) => many(" | ", fs),
            Formula::Implies(a, b) => two("->", a, b),
            Formula::Iff(a, b) => two("<->", a, b),
            Formula::Next(f) => one("X", f),
            Formula::WeakNext(f) => one("WX", f),
            Formula::Always(f) => one("G", f),
            Formula::Eventually(f) => one("F", f),
            Formula::Until(a, b) => two("U", a, b),
            Formula::Unless(a, b) => two("W", a, b),
            Formula::Release(a, b) => two("R", a, b),
            Formula::Previously(f) => one("Y", f),
            Formula::WeakPreviously(f) => one("WY", f),
            Formula::Once(f) => one("O", f),
            Formula::Historically(f) => one("H", f),
            Formula::Since(a, b) => two("S", a, b),
        }
    }

    pub(super) fn pattern(&self, id: PatternId) -> String {
        let pattern = &self.0.patterns[id.0 as usize];
        let kind = match pattern.kind {
            EventKind::Call => "call".to_owned(),
            EventKind::Return(None) => "return".to_owned(),
            EventKind::Return(Some(Status::Success)) => "success".to_owned(),
            EventKind::Return(Some(Status::Failure)) => "failure".to_owned(),
            EventKind::Return(Some(Status::Unknown)) => "unknown".to_owned(),
            EventKind::Input => "input".to_owned(),
            EventKind::Output => "output".to_owned(),
            EventKind::Declared(id) => self.0.events[id.0 as usize].name.clone(),
        };
        let names = |ids: &[crate::ir::ToolId]| {
            ids.iter()
                .map(|id| {
                    let tool = &self.0.tools[id.0 as usize];
                    match &tool.server {
                        Some(server) => format!("{server}.{}", tool.name),
                        None => tool.name.clone(),
                    }
                })
                .collect::<Vec<_>>()
                .join("|")
        };
        let tools = match &pattern.tools {
            Tools::Any => String::new(),
            Tools::OneOf(ids) => format!(" {}", names(ids)),
            Tools::Except(ids) => format!(" -{}", names(ids)),
        };
        let mut parts: Vec<String> = pattern
            .keys
            .iter()
            .enumerate()
            .map(|(n, k)| format!("k{n}={}", self.expr(*k)))
            .collect();
        parts.extend(pattern.condition.map(|c| self.expr(c)));
        if parts.is_empty() {
            format!("<{kind}{tools}>")
        } else {
            format!("<{kind}{tools} [{}]>", parts.join("; "))
        }
    }

    pub(super) fn register(&self, id: RegisterId) -> String {
        let register = &self.0.registers[id.0 as usize];
        let mut text = format!("{:?}{{{}", register.kind, self.expr(register.member));
        if let Some(value) = register.value {
            text.push_str(&format!(", {}", self.expr(value)));
        }
        if let Some(window) = register.window {
            text.push_str(&format!(", within {}s", window / 1_000_000_000));
        }
        if register.keys > 0 {
            text.push_str(&format!(", keys {}", register.keys));
        }
        text.push('}');
        text
    }

    pub(super) fn expr(&self, id: ExprId) -> String {
        let e = |id: &ExprId| self.expr(*id);
        let many = |op: &str, ids: &[ExprId]| {
            format!("({})", ids.iter().map(e).collect::<Vec<_>>().join(op))
        };
        let two = |op: &str, a: &ExprId, b: &ExprId| format!("({} {op} {})", e(a), e(b));
        match &self.0.exprs[id.0 as usize] {
            Expr::Const(c) => match c {
                Const::Null => "null".to_owned(),
                Const::Bool(b) => b.to_string(),
                Const::Number(n) => n.clone(),
                Const::Str(s) => format!("{s:?}"),
                Const::Duration(n) => format!("{}ms", n / 1_000_000),
                Const::Timestamp(n) => format!("@{}", n / 1_000_000_000),
            },
            Expr::List(ids) => format!("[{}]", ids.iter().map(e).collect::<Vec<_>>().join(", ")),
            Expr::Root(root) => match root {
                Root::Args => "args".to_owned(),
                Root::Result => "result".to_owned(),
                Root::Text => "text".to_owned(),
                Root::Fields => "fields".to_owned(),
                Root::Agent => "event.agent".to_owned(),
                Root::Server => "event.server".to_owned(),
                Root::Time => "event.time".to_owned(),
                Root::Turn => "event.turn".to_owned(),
                Root::Depth => "event.depth".to_owned(),
                Root::Tokens => "event.tokens".to_owned(),
                Root::Context => "ctx".to_owned(),
                Root::Key(n) => format!("key{n}"),
                Root::Var(n) => format!("var{n}"),
            },
            Expr::Path {
                base,
                steps,
                coerce,
            } => {
                let mut text = e(base);
                for step in steps {
                    match step {
                        Step::Field(name) => text.push_str(&format!(".{name}")),
                        Step::Index(n) => text.push_str(&format!("[{n}]")),
                        Step::All => text.push_str("[*]"),
                    }
                }
                match coerce {
                    crate::ir::Coerce::None => text,
                    other => format!("{text}:{other:?}"),
                }
            }
            Expr::Not(a) => format!("!{}", e(a)),
            Expr::And(ids) => many(" & ", ids),
            Expr::Or(ids) => many(" | ", ids),
            Expr::Iff(a, b) => two("<->", a, b),
            Expr::Compare(op, a, b) => two(
                match op {
                    CompareOp::Eq => "==",
                    CompareOp::Ne => "!=",
                    CompareOp::Lt => "<",
                    CompareOp::Le => "<=",
                    CompareOp::Gt => ">",
                    CompareOp::Ge => ">=",
                },
                a,
                b,
            ),
            Expr::In(a, b) => two("in", a, b),
            Expr::Matches(a, regex) => {
                format!(
                    "({} ~ /{}/)",
                    e(a),
                    self.0.regexes[regex.0 as usize].pattern
                )
            }
            Expr::Like(a, b) => two("like", a, b),
            Expr::Contains(a, b) => two("contains", a, b),
            Expr::StartsWith(a, b) => two("starts", a, b),
            Expr::EndsWith(a, b) => two("ends", a, b),
            Expr::Inside(a, b) => two("inside", a, b),
            Expr::Has(a) => format!("has({})", e(a)),
            Expr::Coalesce(a, b) => two("??", a, b),
            Expr::Every(a, b) => format!("every({}: {})", e(a), e(b)),
            Expr::Some(a, b) => format!("some({}: {})", e(a), e(b)),
            Expr::Add(a, b) => two("+", a, b),
            Expr::Sub(a, b) => two("-", a, b),
            Expr::Mul(a, b) => two("*", a, b),
            Expr::Neg(a) => format!("-{}", e(a)),
            Expr::Call(function, ids) => {
                format!("{function:?}{}", many(", ", ids))
            }
            Expr::Lookup(id, ids) => {
                format!("{}{}", self.0.lookups[id.0 as usize].name, many(", ", ids))
            }
            Expr::Read { register, earlier } => format!(
                "{}{}",
                if *earlier { "earlier " } else { "" },
                self.register(*register)
            ),
            Expr::Mentioned {
                register,
                value,
                earlier,
            } => format!(
                "{}{} mentions {}",
                if *earlier { "earlier " } else { "" },
                self.register(*register),
                e(value)
            ),
            Expr::Fresh { register, within } => {
                format!(
                    "fresh({}, {}s)",
                    self.register(*register),
                    within / 1_000_000_000
                )
            }
            Expr::Pattern(id) => self.pattern(*id),
        }
    }

    pub(super) fn action(&self, action: &Action) -> String {
        let kind = match &action.kind {
            ActionKind::Block => "block".to_owned(),
            ActionKind::Warn => "warn".to_owned(),
            ActionKind::Escalate => "escalate".to_owned(),
            ActionKind::Repair => "repair".to_owned(),
            ActionKind::Redirect { tool, args } => {
                let args: Vec<String> = args
                    .iter()
                    .map(|(n, e)| format!("{n}: {}", self.expr(*e)))
                    .collect();
                format!(
                    "redirect {}({})",
                    self.0.tools[tool.0 as usize].name,
                    args.join(", ")
                )
            }
        };
        let message: String = action
            .message
            .iter()
            .map(|part| match part {
                MessagePart::Text(text) => text.clone(),
                MessagePart::Expr(id) => format!("{{{}}}", self.expr(*id)),
            })
            .collect();
        format!("{kind} {message:?}")
    }
}
