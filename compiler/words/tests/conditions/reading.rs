//! Reads the words of events and conditions, from the meaning of the words, into S-expressions; and what the core IR
//! says as S-expressions of the same kind. What the declared type of a field says of how it is read is no part of the words.

use std::collections::BTreeMap;

use ctr_front::ir::{
    CompareOp, Const, EventKind, Expr, ExprId, Function, Library, PatternId, RegisterId,
    RegisterKind, Root, Status, Step, Tools,
};
use ctr_words::Piece;

fn negated(text: &str) -> String {
    match text {
        "true" => return "false".to_owned(),
        "false" => return "true".to_owned(),
        _ => {}
    }
    match text.strip_prefix("(not ").and_then(|t| t.strip_suffix(')')) {
        Some(inner) => inner.to_owned(),
        None => format!("(not {text})"),
    }
}

/// The core IR.
pub struct Said<'l> {
    pub library: &'l Library,
    pub keys: &'l [String],
}

impl Said<'_> {
    fn tool(&self, id: ctr_front::ir::ToolId) -> String {
        let tool = &self.library.tools[id.0 as usize];
        match &tool.server {
            Some(server) => format!("{server}.{}", tool.name),
            None => tool.name.clone(),
        }
    }

    fn tools(&self, ids: &[ctr_front::ir::ToolId]) -> String {
        let mut names: Vec<String> = ids.iter().map(|id| self.tool(*id)).collect();
        names.sort();
        names.dedup();
        names.join("|")
    }

    pub fn pattern(&self, id: PatternId) -> String {
        let pattern = &self.library.patterns[id.0 as usize];
        let kind = match pattern.kind {
            EventKind::Call => "call".to_owned(),
            EventKind::Return(None) => "return".to_owned(),
            EventKind::Return(Some(Status::Success)) => "success".to_owned(),
            EventKind::Return(Some(Status::Failure)) => "failure".to_owned(),
            EventKind::Return(Some(Status::Unknown)) => "unknown".to_owned(),
            EventKind::Input => "input".to_owned(),
            EventKind::Output => "output".to_owned(),
            EventKind::Declared(id) => format!("event:{}", self.library.events[id.0 as usize].name),
        };
        let tools = match (&pattern.kind, &pattern.tools) {
            (EventKind::Call | EventKind::Return(_), Tools::Any) => "*".to_owned(),
            (_, Tools::Any) => String::new(),
            (_, Tools::OneOf(ids)) => self.tools(ids),
            (_, Tools::Except(ids)) => format!("-{}", self.tools(ids)),
        };
        let mut out = format!("<{kind} {tools}");
        for (name, key) in self.keys.iter().zip(&pattern.keys) {
            out.push_str(&format!(" {name}={}", self.expr(*key, 0)));
        }
        if let Some(condition) = pattern.condition {
            out.push_str(&format!(" {}", self.expr(condition, 0)));
        }
        out + ">"
    }

    fn register(&self, id: RegisterId, earlier: bool, depth: u32) -> String {
        let register = &self.library.registers[id.0 as usize];
        let kind = match register.kind {
            RegisterKind::Count => "count",
            RegisterKind::Streak => "streak",
            RegisterKind::Sum => "sum",
            RegisterKind::Min => "min",
            RegisterKind::Max => "max",
            RegisterKind::Latest => "latest",
            RegisterKind::First => "first",
            RegisterKind::Values => "values",
            RegisterKind::Elapsed => "elapsed",
            RegisterKind::Texts => "texts",
        };
        let value = register
            .value
            .map(|value| format!(" {}", self.expr(value, depth)))
            .unwrap_or_default();
        let window = register.window.map(|w| format!(" {w}")).unwrap_or_default();
        format!(
            "({kind}{value} {}{window} {earlier})",
            self.expr(register.member, depth)
        )
    }

    /// `depth`: how many elements have been named around.
    pub fn expr(&self, id: ExprId, depth: u32) -> String {
        let e = |id: &ExprId| self.expr(*id, depth);
        let two = |op: &str, a: &ExprId, b: &ExprId| format!("({op} {} {})", e(a), e(b));
        let many = |op: &str, ids: &[ExprId]| {
            let parts: Vec<String> = ids.iter().map(e).collect();
            match parts.as_slice() {
                [one] if op == "and" || op == "or" => one.clone(),
                _ => format!("({op} {})", parts.join(" ")).replace(" )", ")"),
            }
        };
        match &self.library.exprs[id.0 as usize] {
            Expr::Const(value) => match value {
                Const::Null => "null".to_owned(),
                Const::Bool(value) => value.to_string(),
                Const::Number(text) => format!("#{text}"),
                Const::Str(text) => format!("{text:?}"),
                Const::Duration(n) => format!("d{n}"),
                Const::Timestamp(n) => format!("t{}", ctr_runtime::time::format_rfc3339(*n)),
            },
            Expr::List(ids) => many("list", ids),
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
                Root::Key(at) => format!("key:{}", self.keys[*at as usize]),
                Root::Var(between) => format!("var:{}", depth - between - 1),
            },
            Expr::Path { base, steps, .. } => {
                let mut out = e(base);
                for step in steps {
                    match step {
                        Step::Field(name) => out = format!("(. {out} {name:?})"),
                        Step::Index(at) => out = format!("(. {out} {at})"),
                        Step::All => out = format!("(. {out} *)"),
                    }
                }
                out
            }
            Expr::Not(a) => negated(&e(a)),
            Expr::And(ids) => many("and", ids),
            Expr::Or(ids) => many("or", ids),
            Expr::Iff(a, b) => two("iff", a, b),
            Expr::Compare(op, a, b) => match op {
                CompareOp::Eq => two("is", a, b),
                CompareOp::Ne => negated(&two("is", a, b)),
                CompareOp::Lt => two("<", a, b),
                CompareOp::Le => two("<=", a, b),
                CompareOp::Gt => two(">", a, b),
                CompareOp::Ge => two(">=", a, b),
            },
            Expr::In(a, b) => two("in", a, b),
            Expr::Matches(a, regex) => {
                format!(
                    "(matches {} {:?})",
                    e(a),
                    self.library.regexes[regex.0 as usize].pattern
                )
            }
            Expr::Like(a, b) => two("like", a, b),
            Expr::Contains(a, b) => two("contains", a, b),
            Expr::StartsWith(a, b) => two("starts", a, b),
            Expr::EndsWith(a, b) => two("ends", a, b),
            Expr::Inside(a, b) => two("inside", a, b),
            Expr::Has(a) => format!("(has {})", e(a)),
            Expr::Coalesce(a, b) => two("??", a, b),
            Expr::Every(list, body) => {
                format!("(every {} {})", e(list), self.expr(*body, depth + 1))
            }
            Expr::Some(list, body) => format!("(some {} {})", e(list), self.expr(*body, depth + 1)),
            Expr::Add(a, b) => two("+", a, b),
            Expr::Sub(a, b) => two("-", a, b),
            Expr::Mul(a, b) => two("*", a, b),
            Expr::Neg(a) => format!("(- {})", e(a)),
            Expr::Call(function, ids) => many(
                match function {
                    Function::Len => "length",
                    Function::Text => "text-of",
                    Function::Lower => "lower",
                    Function::Upper => "upper",
                    Function::Trim => "trim",
                    Function::Number => "number",
                    Function::Host => "host",
                    Function::Abs => "abs",
                    Function::Keys => "keys",
                    Function::Timestamp => "timestamp",
                    Function::Duration => "duration",
                },
                ids,
            ),
            Expr::Lookup(id, ids) => many(
                &format!("lookup:{}", self.library.lookups[id.0 as usize].name),
                ids,
            ),
            Expr::Read { register, earlier } => self.register(*register, *earlier, depth),
            Expr::Mentioned {
                register,
                value,
                earlier,
            } => format!(
                "(mentioned {} {})",
                e(value),
                self.register(*register, *earlier, depth)
            ),
            Expr::Fresh { register, within } => {
                let member = self.library.registers[register.0 as usize].member;
                format!("(fresh {} {within})", self.expr(member, depth))
            }
            Expr::Pattern(id) => self.pattern(*id),
        }
    }
}

/// What was read and how many pieces on.
type Read = Vec<(String, usize)>;

/// The kinds whose fields bare names can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    Call,
    Return,
    Declared,
    Other,
}

/// Reads words.
pub struct Reader<'p> {
    pub pieces: &'p [Piece],
    /// The tools of each group, sorted, with `|` between.
    pub groups: BTreeMap<String, String>,
}

fn push(into: &mut Read, found: Read) {
    for one in found {
        if !into.contains(&one) {
            into.push(one);
        }
    }
}

impl Reader<'_> {
    fn word(&self, at: usize) -> &str {
        match self.pieces.get(at) {
            Some(Piece::Word(word)) => word,
            _ => "",
        }
    }

    fn code(&self, at: usize) -> Option<&str> {
        match self.pieces.get(at) {
            Some(Piece::Code(text)) => Some(text),
            _ => None,
        }
    }

    fn after(&self, at: usize, words: &str) -> Option<usize> {
        let mut at = at;
        for word in words.split(' ') {
            if self.word(at) != word {
                return None;
            }
            at += 1;
        }
        Some(at)
    }

    fn duration(&self, at: usize) -> Option<(i64, usize)> {
        let count: i64 = self.word(at).parse().ok()?;
        let unit = match self.word(at + 1).trim_end_matches('s') {
            "day" => 86_400_000_000_000,
            "hour" => 3_600_000_000_000,
            "minute" => 60_000_000_000,
            "second" => 1_000_000_000,
            "millisecond" => 1_000_000,
            "nanosecond" => 1,
            _ => return None,
        };
        Some((count * unit, at + 2))
    }

    /// A path in a code span; bare ones start at `start`.
    fn path(text: &str, start: &str) -> Option<String> {
        let mut out = start.to_owned();
        let mut rest = text;
        let mut first = true;
        while !rest.is_empty() {
            if let Some(inner) = rest.strip_prefix("[*]") {
                out = format!("(. {out} *)");
                rest = inner;
            } else if let Some(inner) = rest.strip_prefix("[\"") {
                let mut end = None;
                let mut escaped = false;
                for (at, c) in inner.char_indices() {
                    match c {
                        _ if escaped => escaped = false,
                        '\\' => escaped = true,
                        '"' => {
                            end = Some(at);
                            break;
                        }
                        _ => {}
                    }
                }
                let end = end?;
                let name = unquoted(&inner[..end]);
                out = format!("(. {out} {name:?})");
                rest = inner[end + 1..].strip_prefix(']')?;
            } else if let Some(inner) = rest.strip_prefix('[') {
                let (number, tail) = inner.split_once(']')?;
                let number: u32 = number.parse().ok()?;
                out = format!("(. {out} {number})");
                rest = tail;
            } else {
                let inner = match rest.strip_prefix('.') {
                    Some(inner) if !first => inner,
                    None if first => rest,
                    _ => return None,
                };
                let end = inner.find(['.', '[']).unwrap_or(inner.len());
                let name = &inner[..end];
                if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                    return None;
                }
                out = format!("(. {out} {name:?})");
                rest = &inner[end..];
            }
            first = false;
        }
        Some(out)
    }

    /// What a code span alone is.
    fn of_code(text: &str, view: View) -> Option<String> {
        if let Some(inner) = text.strip_prefix('"') {
            return Some(format!("{:?}", unquoted(inner.strip_suffix('"')?)));
        }
        if matches!(text, "null" | "true" | "false") {
            return Some(text.to_owned());
        }
        if text.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            return Some(if text.contains('T') || text.contains(':') {
                format!("t{text}")
            } else {
                format!("#{text}")
            });
        }
        const ROOTS: [&str; 5] = ["args", "result", "text", "fields", "ctx"];
        if ROOTS.contains(&text) || text.starts_with("event.") {
            return Some(text.to_owned());
        }
        for root in ["args", "result", "fields", "ctx"] {
            if let Some(rest) = text.strip_prefix(root)
                && rest.starts_with(['.', '['])
            {
                return Self::path(rest.strip_prefix('.').unwrap_or(rest), root);
            }
        }
        let start = match view {
            View::Call => "args",
            View::Return => "result",
            View::Declared => "fields",
            View::Other => return None,
        };
        Self::path(text, start)
    }

    fn element(name: &str) -> Option<u32> {
        match name.strip_prefix("element")? {
            "" => Some(0),
            number => number.parse::<u32>().ok()?.checked_sub(1),
        }
    }

    /// A value that ends by itself or stands in parentheses.
    fn part(&self, at: usize, view: View) -> Read {
        let mut out = Vec::new();
        match self.pieces.get(at) {
            Some(Piece::Code(text)) => {
                if let Some(value) = Self::of_code(text, view) {
                    out.push((value, at + 1));
                }
                if self.word(at + 1) == "of" {
                    for (base, end) in self.part(at + 2, view) {
                        if let Some(path) = Self::path(text, &base) {
                            out.push((path, end));
                        }
                    }
                }
            }
            Some(Piece::Name(name)) => {
                if let Some(depth) = Self::element(name) {
                    out.push((format!("var:{depth}"), at + 1));
                }
            }
            _ => {}
        }
        if self.word(at) == "this"
            && let Some(Piece::Name(name)) = self.pieces.get(at + 1)
        {
            out.push((format!("key:{name}"), at + 2));
        }
        if let Some((nanos, end)) = self.duration(at) {
            out.push((format!("d{nanos}"), end));
        }
        if let Some(end) = self.after(at, "the empty list") {
            out.push(("(list)".to_owned(), end));
        }
        if let Some(from) = self.after(at, "the list of (") {
            for (parts, end) in self.series(from, view, "and") {
                if self.word(end) == ")" {
                    out.push((format!("(list {})", parts.join(" ")), end + 1));
                }
            }
        }
        for (words, name) in FUNCTIONS {
            if let Some(from) = self.after(at, words) {
                for (value, end) in self.part(from, view) {
                    out.push((format!("({name} {value})"), end));
                }
            }
        }
        push(&mut out, self.aggregate(at));
        if self.word(at) == "(" {
            for (value, end) in self.value(at + 1, view) {
                if self.word(end) == ")" {
                    push(&mut out, vec![(value, end + 1)]);
                }
            }
        }
        out
    }

    /// `a, b and c`
    fn series(&self, at: usize, view: View, last: &str) -> Vec<(Vec<String>, usize)> {
        let mut out = Vec::new();
        let mut open: Vec<(Vec<String>, usize)> = self
            .part(at, view)
            .into_iter()
            .map(|(value, end)| (vec![value], end))
            .collect();
        while let Some((values, at)) = open.pop() {
            out.push((values.clone(), at));
            if self.word(at) == "," || self.word(at) == last {
                for (value, end) in self.part(at + 1, view) {
                    let mut values = values.clone();
                    values.push(value);
                    open.push((values, end));
                }
            }
        }
        out
    }

    fn value(&self, at: usize, view: View) -> Read {
        let mut out = self.part(at, view);
        for (a, end) in self.part(at, view) {
            for (word, op) in [("plus", "+"), ("minus", "-"), ("times", "*")] {
                if self.word(end) == word {
                    for (b, end) in self.part(end + 1, view) {
                        push(&mut out, vec![(format!("({op} {a} {b})"), end)]);
                    }
                }
            }
            if let Some(from) = self.after(end, "( or , where that is undefined ,") {
                for (b, end) in self.part(from, view) {
                    if self.word(end) == ")" {
                        push(&mut out, vec![(format!("(?? {a} {b})"), end + 1)]);
                    }
                }
            }
        }
        if self.word(at) == "minus" {
            for (a, end) in self.part(at + 1, view) {
                push(&mut out, vec![(format!("(- {a})"), end)]);
            }
        }
        if let Some(from) = self.after(at, "what the host answers for")
            && let Some(name) = self.code(from)
        {
            push(&mut out, vec![(format!("(lookup:{name})"), from + 1)]);
            if self.word(from + 1) == "of" {
                for (parts, end) in self.series(from + 2, view, "with") {
                    push(
                        &mut out,
                        vec![(format!("(lookup:{name} {})", parts.join(" ")), end)],
                    );
                }
            }
        }
        if self.word(at) == "whether" {
            push(&mut out, self.condition(at + 1, view));
        }
        out
    }

    fn scope(&self, at: usize) -> Option<(String, usize)> {
        let (window, at) = match self.after(at, "in the last") {
            Some(from) => {
                let (nanos, end) = self.duration(from)?;
                (format!(" {nanos}"), end)
            }
            None => (String::new(), at),
        };
        if let Some(end) = self.after(at, "before this event") {
            return Some((format!("{window} true"), end));
        }
        Some((format!("{window} false"), self.after(at, "up to now")?))
    }

    fn aggregate(&self, at: usize) -> Read {
        let mut out = Vec::new();
        for (words, name) in [
            ("the number of", "count"),
            ("the length of the current run of", "streak"),
            ("the time since the latest of", "elapsed"),
        ] {
            if let Some(from) = self.after(at, words) {
                for (events, _, end) in self.events(from) {
                    if let Some((scope, end)) = self.scope(end) {
                        out.push((format!("({name} {events}{scope})"), end));
                    }
                }
            }
        }
        for (words, name, of) in [
            ("the sum of", "sum", "over"),
            ("the least", "min", "over"),
            ("the greatest", "max", "over"),
            ("the latest", "latest", "from"),
            ("the first", "first", "from"),
            ("the set of all", "values", "from"),
        ] {
            let Some(from) = self.after(at, words) else {
                continue;
            };
            for view in [View::Call, View::Return, View::Declared, View::Other] {
                for (value, end) in self.part(from, view) {
                    if self.word(end) != of {
                        continue;
                    }
                    for (events, kind, end) in self.events(end + 1) {
                        if kind == view
                            && let Some((scope, end)) = self.scope(end)
                        {
                            push(
                                &mut out,
                                vec![(format!("({name} {value} {events}{scope})"), end)],
                            );
                        }
                    }
                }
            }
        }
        out
    }

    /// Events in the plural, with the kind of the first.
    fn events(&self, at: usize) -> Vec<(String, View, usize)> {
        let mut out = self.event(at, true);
        if self.word(at) == "(" {
            let mut open: Vec<(Vec<String>, View, usize)> = self
                .event(at + 1, true)
                .into_iter()
                .map(|(event, view, end)| (vec![event], view, end))
                .collect();
            while let Some((events, view, at)) = open.pop() {
                if self.word(at) == ")" && events.len() > 1 {
                    out.push((format!("(or {})", events.join(" ")), view, at + 1));
                }
                if matches!(self.word(at), "," | "and") {
                    for (event, _, end) in self.event(at + 1, true) {
                        let mut events = events.clone();
                        events.push(event);
                        open.push((events, view, end));
                    }
                }
            }
        }
        if let Some(from) = self.after(at, "events that are (") {
            for (fits, view, end) in self.fits(from) {
                if self.word(end) == ")" {
                    out.push((fits, view, end + 1));
                }
            }
        }
        out
    }

    pub fn fits(&self, at: usize) -> Vec<(String, View, usize)> {
        let first = self.fit(at);
        let mut out = first.clone();
        for (words, name) in [("and", "and"), ("or", "or"), ("exactly if", "iff")] {
            let mut open: Vec<(Vec<String>, View, usize)> = first
                .iter()
                .map(|(text, view, end)| (vec![text.clone()], *view, *end))
                .collect();
            while let Some((parts, view, at)) = open.pop() {
                if parts.len() > 1 {
                    out.push((format!("({name} {})", parts.join(" ")), view, at));
                }
                if name == "iff" && parts.len() > 1 {
                    continue;
                }
                if let Some(from) = self.after(at, words) {
                    for (part, _, end) in self.fit(from) {
                        let mut parts = parts.clone();
                        parts.push(part);
                        open.push((parts, view, end));
                    }
                }
            }
        }
        out
    }

    fn fit(&self, at: usize) -> Vec<(String, View, usize)> {
        let mut out = self.event(at, false);
        if self.word(at) == "not" {
            for (text, view, end) in self.fit(at + 1) {
                out.push((negated(&text), view, end));
            }
        }
        if self.word(at) == "(" {
            for (text, view, end) in self.fits(at + 1) {
                if self.word(end) == ")" {
                    out.push((text, view, end + 1));
                }
            }
        }
        out
    }

    /// An event: `calls of ...`, or `a call of ...`.
    pub fn event(&self, at: usize, plural: bool) -> Vec<(String, View, usize)> {
        let kinds = [
            ("a call of", "calls of", "call", View::Call),
            ("a return of", "returns of", "return", View::Return),
            (
                "a successful return of",
                "successful returns of",
                "success",
                View::Return,
            ),
            (
                "a failed return of",
                "failed returns of",
                "failure",
                View::Return,
            ),
            (
                "an unknown outcome of",
                "unknown outcomes of",
                "unknown",
                View::Return,
            ),
            (
                "a message to the agent",
                "messages to the agent",
                "input",
                View::Other,
            ),
            (
                "a message by the agent",
                "messages by the agent",
                "output",
                View::Other,
            ),
            ("an event", "events", "event", View::Declared),
        ];
        let mut out = Vec::new();
        for (one, many, kind, view) in kinds {
            let Some(from) = self.after(at, if plural { many } else { one }) else {
                continue;
            };
            let heads: Vec<(String, usize)> = match kind {
                "input" | "output" => vec![(format!("<{kind} "), from)],
                "event" => self
                    .code(from)
                    .map(|name| (format!("<event:{name} "), from + 1))
                    .into_iter()
                    .collect(),
                kind => self
                    .tools(from)
                    .into_iter()
                    .map(|(tools, end)| (format!("<{kind} {tools}"), end))
                    .collect(),
            };
            for (head, end) in heads {
                let mut open = vec![(head.clone(), end)];
                if self.word(end) == "for" && self.word(end + 1) == "this" {
                    let mut keyed = vec![(head, end)];
                    while let Some((head, end)) = keyed.pop() {
                        if !matches!(self.word(end), "for" | "and") || self.word(end + 1) != "this"
                        {
                            continue;
                        }
                        let (Some(Piece::Name(name)), "(") =
                            (self.pieces.get(end + 2), self.word(end + 3))
                        else {
                            continue;
                        };
                        for (value, end) in self.value(end + 4, view) {
                            if self.word(end) == ")" {
                                let head = format!("{head} {name}={value}");
                                open.push((head.clone(), end + 1));
                                keyed.push((head, end + 1));
                            }
                        }
                    }
                }
                for (head, end) in open {
                    out.push((format!("{head}>"), view, end));
                    if let Some(from) = self.after(end, "( where") {
                        for (condition, end) in self.condition(from, view) {
                            if self.word(end) == ")" {
                                out.push((format!("{head} {condition}>"), view, end + 1));
                            }
                        }
                    }
                }
            }
        }
        out.dedup();
        out
    }

    fn tools(&self, at: usize) -> Vec<(String, usize)> {
        let mut out = Vec::new();
        if let Some(end) = self.after(at, "any tool") {
            out.push(("*".to_owned(), end));
            if self.word(end) == "except" {
                if let Some(from) = self.after(end + 1, "those of") {
                    let tools = self.code(from).and_then(|name| self.groups.get(name));
                    out.extend(tools.map(|tools| (format!("-{tools}"), from + 1)));
                }
                for (names, end) in self.names(end + 1, "and") {
                    out.push((format!("-{names}"), end));
                }
            }
        }
        for start in ["a tool of", "tools of"] {
            if let Some(from) = self.after(at, start) {
                let tools = self.code(from).and_then(|name| self.groups.get(name));
                out.extend(tools.map(|tools| (tools.clone(), from + 1)));
            }
        }
        out.extend(self.names(at, "or"));
        out
    }

    fn names(&self, at: usize, last: &str) -> Vec<(String, usize)> {
        let mut out = Vec::new();
        let mut names: Vec<String> = Vec::new();
        let mut at = at;
        while let Some(name) = self.code(at) {
            names.push(name.to_owned());
            at += 1;
            let mut sorted = names.clone();
            sorted.sort();
            sorted.dedup();
            out.push((sorted.join("|"), at));
            if self.word(at) != "," && self.word(at) != last {
                break;
            }
            at += 1;
        }
        out
    }

    pub fn condition(&self, at: usize, view: View) -> Read {
        let mut out = self.comparison(at, view);
        if let Some(from) = self.after(at, "it is not so that (") {
            for (text, end) in self.condition(from, view) {
                if self.word(end) == ")" {
                    push(&mut out, vec![(negated(&text), end + 1)]);
                }
            }
        }
        for (words, name) in [("for every", "every"), ("for some", "some")] {
            if let Some(from) = self.after(at, words)
                && let Some(Piece::Name(_)) = self.pieces.get(from)
                && self.word(from + 1) == "of"
            {
                for (list, end) in self.part(from + 2, view) {
                    if self.word(end) == "," {
                        for (body, end) in self.condition(end + 1, view) {
                            push(&mut out, vec![(format!("({name} {list} {body})"), end)]);
                        }
                    }
                }
            }
        }
        let first = self.operand(at, view);
        for (words, name) in [("and", "and"), ("or", "or"), ("exactly if", "iff")] {
            let mut open: Vec<(Vec<String>, usize)> = first
                .iter()
                .map(|(text, end)| (vec![text.clone()], *end))
                .collect();
            while let Some((parts, at)) = open.pop() {
                if parts.len() > 1 {
                    push(
                        &mut out,
                        vec![(format!("({name} {})", parts.join(" ")), at)],
                    );
                }
                if name == "iff" && parts.len() > 1 {
                    continue;
                }
                if let Some(from) = self.after(at, words) {
                    for (part, end) in self.operand(from, view) {
                        let mut parts = parts.clone();
                        parts.push(part);
                        open.push((parts, end));
                    }
                }
            }
        }
        out
    }

    fn operand(&self, at: usize, view: View) -> Read {
        let mut out = self.comparison(at, view);
        if self.word(at) == "(" {
            for (text, end) in self.condition(at + 1, view) {
                if self.word(end) == ")" {
                    push(&mut out, vec![(text, end + 1)]);
                }
            }
        }
        out
    }

    fn comparison(&self, at: usize, view: View) -> Read {
        let mut out = Vec::new();
        if let Some(end) = self.after(at, "no matter what") {
            out.push(("true".to_owned(), end));
        }
        if let Some(end) = self.after(at, "the impossible holds") {
            out.push(("false".to_owned(), end));
        }
        for (words, no) in [
            ("the latest of", false),
            ("it is not so that the latest of", true),
        ] {
            if let Some(from) = self.after(at, words) {
                for (events, _, end) in self.events(from) {
                    if let Some(from) = self.after(end, "before this event is at most")
                        && let Some((nanos, end)) = self.duration(from)
                        && let Some(end) = self.after(end, "old ( and there is one )")
                    {
                        let text = format!("(fresh {events} {nanos})");
                        out.push((if no { negated(&text) } else { text }, end));
                    }
                }
            }
        }
        for (words, no) in [("the event is", false), ("the event is not", true)] {
            if let Some(from) = self.after(at, words) {
                for (text, _, end) in self.event(from, false) {
                    out.push((if no { negated(&text) } else { text }, end));
                }
            }
        }
        for (a, end) in self.part(at, view) {
            for (words, no, op) in COMPARISONS {
                let Some(from) = self.after(end, words) else {
                    continue;
                };
                let mut say = |text: String, end: usize| {
                    let text = if *no { negated(&text) } else { text };
                    push(&mut out, vec![(text, end)]);
                };
                match *op {
                    "holds" => say(a.clone(), from),
                    "has" => say(format!("(has {a})"), from),
                    "one of" => {
                        for (parts, end) in self.series(from, view, ",") {
                            if self.word(end) == ")" {
                                say(format!("(in {a} (list {}))", parts.join(" ")), end + 1);
                            }
                        }
                    }
                    "matches" => {
                        if let Some(code) = self.code(from)
                            && let Some(regex) = regex(code)
                        {
                            say(format!("(matches {a} {regex:?})"), from + 1);
                        }
                    }
                    "mentioned" => {
                        for (events, _, end) in self.events(from) {
                            if let Some((scope, end)) = self.scope(end) {
                                say(format!("(mentioned {a} (texts {events}{scope}))"), end);
                            }
                        }
                    }
                    op => {
                        for (b, end) in self.part(from, view) {
                            say(format!("({op} {a} {b})"), end);
                        }
                    }
                }
            }
        }
        out
    }
}

const FUNCTIONS: &[(&str, &str)] = &[
    ("the length of", "length"),
    ("the text of", "text-of"),
    ("the lower-case form of", "lower"),
    ("the upper-case form of", "upper"),
    ("the trimmed text of", "trim"),
    ("the number written in", "number"),
    ("the host of", "host"),
    ("the absolute value of", "abs"),
    ("the field names of", "keys"),
    ("the time written in", "timestamp"),
    ("the duration written in", "duration"),
];

const COMPARISONS: &[(&str, bool, &str)] = &[
    ("is", false, "is"),
    ("is not", true, "is"),
    ("is less than", false, "<"),
    ("is not less than", true, "<"),
    ("is at most", false, "<="),
    ("is not at most", true, "<="),
    ("is more than", false, ">"),
    ("is not more than", true, ">"),
    ("is at least", false, ">="),
    ("is not at least", true, ">="),
    ("is one of (", false, "one of"),
    ("is none of (", true, "one of"),
    ("is the one of (", false, "one of"),
    ("is not the one of (", true, "one of"),
    ("is in", false, "in"),
    ("is not in", true, "in"),
    ("matches", false, "matches"),
    ("does not match", true, "matches"),
    ("fits", false, "like"),
    ("does not fit", true, "like"),
    ("contains", false, "contains"),
    ("does not contain", true, "contains"),
    ("starts with", false, "starts"),
    ("does not start with", true, "starts"),
    ("ends with", false, "ends"),
    ("does not end with", true, "ends"),
    ("lies inside", false, "inside"),
    ("does not lie inside", true, "inside"),
    ("is present", false, "has"),
    ("is missing", true, "has"),
    ("is mentioned in", false, "mentioned"),
    ("is not mentioned in", true, "mentioned"),
    ("is true", false, "holds"),
    ("is false", true, "holds"),
];

/// A string constant without its escapes.
fn unquoted(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some('u') => {
                let digits: String = chars.by_ref().skip(1).take_while(|c| *c != '}').collect();
                out.extend(
                    u32::from_str_radix(&digits, 16)
                        .ok()
                        .and_then(char::from_u32),
                );
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}

/// `/re/flags` in the syntax of the core IR.
fn regex(code: &str) -> Option<String> {
    let inner = code.strip_prefix('/')?;
    let end = inner.rfind('/')?;
    let (body, flags) = (&inner[..end], &inner[end + 1..]);
    let body = body.replace("\\/", "/");
    Some(if flags.is_empty() {
        body
    } else {
        format!("(?{flags}){body}")
    })
}
