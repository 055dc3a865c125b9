//! Expressions and reasons in plain words, for messages.

use alloc::format;
use alloc::string::{String, ToString};

use super::datum::{Why, WhyKind};
use crate::format::model::{CompareOp, Function, RegisterKind, Root};
use crate::format::{ConstRef, ExprRef, Ids, Library, StepRef, Steps};

/// How deep the texts of expressions go; deeper parts are shown as dots.
const MAX_TEXT_DEPTH: u32 = 12;

/// Renders expressions of a library; keys bear the names that the contract gives them.
#[derive(Clone, Copy)]
pub struct Words<'l> {
    library: &'l Library<'l>,
    contract: Option<u32>,
}

impl<'l> Words<'l> {
    /// In the eyes of a contract, or of none.
    #[must_use]
    pub fn new(library: &'l Library<'l>, contract: Option<u32>) -> Self {
        Self { library, contract }
    }

    /// A reason in plain words: `` `args.amount` is missing ``.
    #[must_use]
    pub fn why(self, why: Why) -> String {
        let whole = || match why.expr {
            u32::MAX => "a value".to_string(),
            expr => format!("`{}`", self.expr(expr)),
        };
        let part = |steps: u16| {
            if steps == u16::MAX || why.expr == u32::MAX {
                return whole();
            }
            match self.library.expr(why.expr) {
                ExprRef::Path {
                    base, steps: all, ..
                } => {
                    let mut out = self.expr(base);
                    write_steps(all, usize::from(steps), &mut out);
                    format!("`{out}`")
                }
                _ => whole(),
            }
        };
        match why.kind {
            WhyKind::Missing(steps) => format!("{} is missing", part(steps)),
            WhyKind::NotA {
                steps,
                wanted,
                found,
            } => format!(
                "{} is not {} (it is {})",
                part(steps),
                wanted.words(),
                found.words()
            ),
            WhyKind::Unreadable(wanted) => {
                format!("{} cannot be read as {}", whole(), wanted.words())
            }
            WhyKind::TooLarge => format!("{} is a number too large to be exact", whole()),
            WhyKind::RelativePath => {
                format!("{} is a relative path, and no base is given", whole())
            }
            WhyKind::NoAnswer => match self.lookup_name(why.expr) {
                Some(name) => format!("lookup `{name}` gave no answer"),
                None => format!("{} gave no answer", whole()),
            },
            WhyKind::NoTime => "the time of the event was not recorded".to_string(),
            WhyKind::NothingYet => format!("{} has no value yet", whole()),
            WhyKind::UncertainMember => {
                format!(
                    "whether an earlier event counts for {} is undefined",
                    whole()
                )
            }
            WhyKind::NoKey => format!("{} is missing, so there is no key", whole()),
            WhyKind::UncertainTool => {
                "the server of the tool was not recorded, and several have a tool of that name"
                    .to_string()
            }
            WhyKind::Limit => format!("{} is beyond a limit of the runtime", whole()),
            WhyKind::LateKey => {
                "an event before the first one of this key depended on the key".to_string()
            }
        }
    }

    fn lookup_name(self, expr: u32) -> Option<&'l str> {
        if expr == u32::MAX {
            return None;
        }
        match self.library.expr(expr) {
            ExprRef::Lookup(id, _) => Some(self.library.lookup(id).name),
            _ => None,
        }
    }

    /// An expression as a policy would write it.
    #[must_use]
    pub fn expr(self, expr: u32) -> String {
        let mut out = String::new();
        self.write(expr, 0, &mut out);
        out
    }

    fn write(self, expr: u32, depth: u32, out: &mut String) {
        if depth > MAX_TEXT_DEPTH {
            out.push_str("...");
            return;
        }
        let infix = |a: u32, operator: &str, b: u32, out: &mut String| {
            self.write_operand(a, depth, out);
            out.push(' ');
            out.push_str(operator);
            out.push(' ');
            self.write_operand(b, depth, out);
        };
        match self.library.expr(expr) {
            ExprRef::Const(constant) => write_const(constant, out),
            ExprRef::List(items) => {
                out.push('[');
                self.write_list(items, ", ", depth, out);
                out.push(']');
            }
            ExprRef::Root(root) => out.push_str(&self.root(root)),
            ExprRef::Path { base, steps, .. } => {
                self.write_operand(base, depth, out);
                write_steps(steps, steps.len(), out);
            }
            ExprRef::Not(a) => {
                out.push_str("not ");
                self.write_operand(a, depth, out);
            }
            ExprRef::And(parts) => self.write_operands(parts, " and ", depth, out),
            ExprRef::Or(parts) => self.write_operands(parts, " or ", depth, out),
            ExprRef::Iff(a, b) => infix(a, "iff", b, out),
            ExprRef::Compare(op, a, b) => infix(a, operator(op), b, out),
            ExprRef::In(a, b) => infix(a, "in", b, out),
            ExprRef::Matches(a, regex) => {
                self.write_operand(a, depth, out);
                out.push_str(" matches /");
                out.push_str(self.library.regex_text(regex));
                out.push('/');
            }
            ExprRef::Like(a, b) => infix(a, "like", b, out),
            ExprRef::Contains(a, b) => infix(a, "contains", b, out),
            ExprRef::StartsWith(a, b) => infix(a, "starts with", b, out),
            ExprRef::EndsWith(a, b) => infix(a, "ends with", b, out),
            ExprRef::Inside(a, b) => infix(a, "inside", b, out),
            ExprRef::Has(a) => self.write_call("has", &[a], depth, out),
            ExprRef::Coalesce(a, b) => infix(a, "??", b, out),
            ExprRef::Every(list, body) | ExprRef::Some(list, body) => {
                let every = matches!(self.library.expr(expr), ExprRef::Every(..));
                out.push_str(if every { "every x in " } else { "some x in " });
                self.write_operand(list, depth, out);
                out.push_str(": ");
                self.write(body, depth + 1, out);
            }
            ExprRef::Add(a, b) => infix(a, "+", b, out),
            ExprRef::Sub(a, b) => infix(a, "-", b, out),
            ExprRef::Mul(a, b) => infix(a, "*", b, out),
            ExprRef::Neg(a) => {
                out.push('-');
                self.write_operand(a, depth, out);
            }
            ExprRef::Call(function, args) => {
                out.push_str(function_name(function));
                out.push('(');
                self.write_list(args, ", ", depth, out);
                out.push(')');
            }
            ExprRef::Lookup(lookup, args) => {
                out.push_str(self.library.lookup(lookup).name);
                out.push('(');
                self.write_list(args, ", ", depth, out);
                out.push(')');
            }
            ExprRef::Read { register, earlier } => {
                self.write_register(register, earlier, None, depth, out);
            }
            ExprRef::Mentioned {
                register,
                value,
                earlier,
            } => self.write_register(register, earlier, Some(value), depth, out),
            ExprRef::Fresh { register, within } => {
                self.write_register(register, true, None, depth, out);
                out.push_str(" <= ");
                out.push_str(&crate::time::format_duration(within));
            }
            ExprRef::Pattern(pattern) => out.push_str(self.library.pattern(pattern).text()),
        }
    }

    fn write_register(
        self,
        register: u32,
        earlier: bool,
        value: Option<u32>,
        depth: u32,
        out: &mut String,
    ) {
        let r = self.library.register(register);
        out.push_str(match r.kind {
            RegisterKind::Count => "count(",
            RegisterKind::Streak => "streak(",
            RegisterKind::Sum => "sum(",
            RegisterKind::Min => "min(",
            RegisterKind::Max => "max(",
            RegisterKind::Latest => "latest(",
            RegisterKind::First => "first(",
            RegisterKind::Values => "values(",
            RegisterKind::Elapsed => "elapsed(",
            RegisterKind::Texts => "mentioned(",
        });
        if earlier {
            out.push_str("earlier ");
        }
        self.write(r.member, depth + 1, out);
        if let Some(window) = r.window {
            out.push_str(" within ");
            out.push_str(&crate::time::format_duration(window));
        }
        if let Some(value) = value.or(r.value) {
            out.push_str(", ");
            self.write(value, depth + 1, out);
        }
        out.push(')');
    }

    fn write_operand(self, expr: u32, depth: u32, out: &mut String) {
        let simple = matches!(
            self.library.expr(expr),
            ExprRef::Const(_)
                | ExprRef::List(_)
                | ExprRef::Root(_)
                | ExprRef::Path { .. }
                | ExprRef::Has(_)
                | ExprRef::Call(..)
                | ExprRef::Lookup(..)
                | ExprRef::Read { .. }
                | ExprRef::Mentioned { .. }
                | ExprRef::Pattern(_)
        );
        if simple {
            self.write(expr, depth + 1, out);
        } else {
            out.push('(');
            self.write(expr, depth + 1, out);
            out.push(')');
        }
    }

    fn write_operands(self, parts: Ids<'_>, between: &str, depth: u32, out: &mut String) {
        for (n, part) in parts.iter().enumerate() {
            if n > 0 {
                out.push_str(between);
            }
            self.write_operand(part, depth, out);
        }
    }

    fn write_list(self, parts: Ids<'_>, between: &str, depth: u32, out: &mut String) {
        for (n, part) in parts.iter().enumerate() {
            if n > 0 {
                out.push_str(between);
            }
            self.write(part, depth + 1, out);
        }
    }

    fn write_call(self, name: &str, args: &[u32], depth: u32, out: &mut String) {
        out.push_str(name);
        out.push('(');
        for (n, arg) in args.iter().enumerate() {
            if n > 0 {
                out.push_str(", ");
            }
            self.write(*arg, depth + 1, out);
        }
        out.push(')');
    }

    fn root(self, root: Root) -> String {
        match root {
            Root::Args => "args".to_string(),
            Root::Result => "result".to_string(),
            Root::Text => "text".to_string(),
            Root::Fields => "fields".to_string(),
            Root::Agent => "event.agent".to_string(),
            Root::Server => "event.server".to_string(),
            Root::Time => "event.time".to_string(),
            Root::Turn => "event.turn".to_string(),
            Root::Depth => "event.depth".to_string(),
            Root::Tokens => "event.tokens".to_string(),
            Root::Context => "ctx".to_string(),
            Root::Key(n) => self
                .contract
                .and_then(|c| {
                    let n = usize::try_from(n).ok()?;
                    self.library.contract(c).keys().get(n)
                })
                .unwrap_or("key")
                .to_string(),
            Root::Var(_) => "x".to_string(),
        }
    }
}

fn write_steps(steps: Steps<'_>, count: usize, out: &mut String) {
    for step in steps.iter().take(count) {
        match step {
            StepRef::Field(name) => {
                out.push('.');
                out.push_str(name);
            }
            StepRef::Index(index) => out.push_str(&format!("[{index}]")),
            StepRef::All => out.push_str("[*]"),
        }
    }
}

fn write_const(constant: ConstRef<'_>, out: &mut String) {
    match constant {
        ConstRef::Null => out.push_str("null"),
        ConstRef::Bool(b) => out.push_str(if b { "true" } else { "false" }),
        ConstRef::Number(n) => n.write(out),
        ConstRef::Str(s) => crate::json::write_str(s, out),
        ConstRef::Duration(d) => out.push_str(&crate::time::format_duration(d)),
        ConstRef::Timestamp(t) => out.push_str(&crate::time::format_rfc3339(t)),
    }
}

fn operator(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "==",
        CompareOp::Ne => "!=",
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Gt => ">",
        CompareOp::Ge => ">=",
    }
}

fn function_name(function: Function) -> &'static str {
    match function {
        Function::Len => "len",
        Function::Text => "text",
        Function::Lower => "lower",
        Function::Upper => "upper",
        Function::Trim => "trim",
        Function::Number => "number",
        Function::Host => "host",
        Function::Abs => "abs",
        Function::Keys => "keys",
        Function::Timestamp => "timestamp",
        Function::Duration => "duration",
    }
}
