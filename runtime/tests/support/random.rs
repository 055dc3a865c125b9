//! Arbitrary valid models, arbitrary events, and sessions driven by them, from a seed or from bytes (of
//! a fuzzer). The same source gives the same of each.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use super::{Builder, Line, read, record_of};
use ctr_runtime::decimal::Decimal;
use ctr_runtime::decision::Verb;
use ctr_runtime::event::{Event, EventKind};
use ctr_runtime::format::model::{
    Action, Coerce, CompareOp, Const, EventKind as Kind, Expr, Function, Label, MessagePart, Model,
    RegisterKind, Root, Side, Status, Step, Tools,
};
use ctr_runtime::format::{ExprRef, Library, StepRef};
use ctr_runtime::limits::Limits;
use ctr_runtime::session::{Host, Session, gate};
use ctr_runtime::value::Value;

/// Where choices come from.
pub enum Dice<'b> {
    /// xorshift64* (Vigna 2016).
    Seed(u64),
    /// Bytes; zeros after their end.
    Bytes(&'b [u8]),
}

impl Dice<'_> {
    pub fn seed(seed: u64) -> Self {
        let mixed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x2545_F491_4F6C_DD1D;
        Self::Seed(mixed.max(1))
    }

    pub fn bits(&mut self) -> u64 {
        match self {
            Self::Seed(x) => {
                *x ^= *x >> 12;
                *x ^= *x << 25;
                *x ^= *x >> 27;
                x.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
            }
            Self::Bytes(bytes) => match bytes.split_first() {
                Some((first, rest)) => {
                    *bytes = rest;
                    u64::from(*first)
                }
                None => 0,
            },
        }
    }

    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Bytes([]))
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n.max(1) as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

const TOOLS: [&str; 5] = ["ta", "tb", "tc", "shop.ta", "mail.tb"];
const FIELDS: [&str; 6] = ["k", "v", "list", "text", "time", "deep"];
const WORDS: [&str; 8] = ["a", "b", "ab", "", "A b", "é", "yes", "10"];
const KINDS: [Kind; 8] = [
    Kind::Call,
    Kind::Return(None),
    Kind::Return(Some(Status::Success)),
    Kind::Return(Some(Status::Failure)),
    Kind::Return(Some(Status::Unknown)),
    Kind::Input,
    Kind::Output,
    Kind::Declared(0),
];

/// What an expression may read.
#[derive(Clone, Copy)]
struct Scope<'r> {
    keys: u32,
    vars: u32,
    /// Registers that may be read: index and number of keys.
    registers: &'r [(u32, RegisterKind, u32)],
}

fn constant(d: &mut Dice<'_>, b: &mut Builder) -> u32 {
    let constant = match d.below(6) {
        0 => Const::Null,
        1 => Const::Bool(d.chance(50)),
        2 | 3 => Const::Number(Decimal::from(d.below(12) as i64 - 2)),
        4 => Const::Str(d.pick(&WORDS).into()),
        _ if d.chance(50) => Const::Duration(d.below(100) as i64 * 1_000_000_000),
        _ => Const::Timestamp(d.below(100) as i64 * 1_000_000_000),
    };
    b.expr(Expr::Const(constant))
}

fn path(d: &mut Dice<'_>, b: &mut Builder, s: Scope<'_>) -> u32 {
    let root = match d.below(14) {
        0..=4 => Root::Args,
        5 | 6 => Root::Result,
        7 => Root::Fields,
        8 => Root::Context,
        9 if s.keys > 0 => Root::Key(d.below(s.keys as usize) as u32),
        10 if s.vars > 0 => Root::Var(d.below(s.vars as usize) as u32),
        11 => d.pick(&[Root::Text, Root::Agent, Root::Server]),
        12 => d.pick(&[Root::Time, Root::Turn, Root::Depth, Root::Tokens]),
        _ => Root::Args,
    };
    let base = b.root(root);
    let scalar = matches!(root, Root::Text | Root::Agent | Root::Server | Root::Time);
    if scalar || d.chance(10) {
        return base;
    }
    let steps = (0..1 + d.below(2))
        .map(|_| match d.below(8) {
            0 => Step::All,
            1 => Step::Index(d.below(3) as u32),
            _ => Step::Field(d.pick(&FIELDS).into()),
        })
        .collect();
    let coerce = d.pick(&[
        Coerce::None,
        Coerce::None,
        Coerce::Number,
        Coerce::Timestamp,
        Coerce::Duration,
    ]);
    b.expr(Expr::Path {
        base,
        steps,
        coerce,
    })
}

fn value(d: &mut Dice<'_>, b: &mut Builder, s: Scope<'_>, depth: usize) -> u32 {
    if depth == 0 || d.chance(30) {
        return match d.chance(35) {
            true => constant(d, b),
            false => path(d, b, s),
        };
    }
    let sub = |d: &mut Dice<'_>, b: &mut Builder| value(d, b, s, depth - 1);
    let expr = match d.below(10) {
        0 => Expr::List((0..d.below(4)).map(|_| sub(d, b)).collect()),
        1 => Expr::Coalesce(sub(d, b), sub(d, b)),
        2 => Expr::Add(sub(d, b), sub(d, b)),
        3 => Expr::Sub(sub(d, b), sub(d, b)),
        4 => Expr::Mul(sub(d, b), sub(d, b)),
        5 => Expr::Neg(sub(d, b)),
        6 => {
            let function = d.pick(&[
                Function::Len,
                Function::Text,
                Function::Lower,
                Function::Upper,
                Function::Trim,
                Function::Number,
                Function::Host,
                Function::Abs,
                Function::Keys,
                Function::Timestamp,
                Function::Duration,
            ]);
            Expr::Call(function, vec![sub(d, b)])
        }
        7 => Expr::Lookup(0, vec![sub(d, b)]),
        8 | 9 => {
            let readable: Vec<_> = s
                .registers
                .iter()
                .filter(|(_, kind, keys)| *kind != RegisterKind::Texts && *keys <= s.keys)
                .collect();
            if readable.is_empty() {
                return path(d, b, s);
            }
            Expr::Read {
                register: d.pick(&readable).0,
                earlier: d.chance(50),
            }
        }
        _ => unreachable!(),
    };
    b.expr(expr)
}

fn condition(d: &mut Dice<'_>, b: &mut Builder, s: Scope<'_>, depth: usize) -> u32 {
    let v = |d: &mut Dice<'_>, b: &mut Builder| value(d, b, s, depth.min(2));
    let expr = if depth == 0 || d.chance(45) {
        match d.below(13) {
            0..=4 => {
                let op = d.pick(&[
                    CompareOp::Eq,
                    CompareOp::Ne,
                    CompareOp::Lt,
                    CompareOp::Le,
                    CompareOp::Gt,
                    CompareOp::Ge,
                ]);
                Expr::Compare(op, v(d, b), v(d, b))
            }
            5 => Expr::In(v(d, b), v(d, b)),
            6 => Expr::Has(v(d, b)),
            7 => Expr::Contains(v(d, b), v(d, b)),
            8 => Expr::StartsWith(v(d, b), v(d, b)),
            9 => Expr::Like(v(d, b), v(d, b)),
            10 => Expr::Inside(v(d, b), v(d, b)),
            11 => Expr::Matches(v(d, b), d.below(b.model.regexes.len()) as u32),
            _ => {
                let of = |wanted: RegisterKind| {
                    move |(_, kind, keys): &&(u32, RegisterKind, u32)| {
                        *kind == wanted && *keys <= s.keys
                    }
                };
                let texts = s.registers.iter().find(of(RegisterKind::Texts));
                let elapsed = s.registers.iter().find(of(RegisterKind::Elapsed));
                match (texts, elapsed) {
                    (Some((register, ..)), _) if d.chance(60) => Expr::Mentioned {
                        register: *register,
                        value: v(d, b),
                        earlier: d.chance(50),
                    },
                    (_, Some((register, ..))) => Expr::Fresh {
                        register: *register,
                        within: d.below(60) as i64 * 1_000_000_000,
                    },
                    _ => Expr::Has(v(d, b)),
                }
            }
        }
    } else {
        let c = |d: &mut Dice<'_>, b: &mut Builder| condition(d, b, s, depth - 1);
        match d.below(6) {
            0 => Expr::Not(c(d, b)),
            1 => Expr::And(vec![c(d, b), c(d, b)]),
            2 => Expr::Or(vec![c(d, b), c(d, b)]),
            3 => Expr::Iff(c(d, b), c(d, b)),
            every => {
                let list = value(d, b, s, 1);
                let inner = Scope {
                    vars: s.vars + 1,
                    ..s
                };
                let body = condition(d, b, inner, depth - 1);
                match every {
                    4 => Expr::Every(list, body),
                    _ => Expr::Some(list, body),
                }
            }
        }
    };
    b.expr(expr)
}

fn pattern(d: &mut Dice<'_>, b: &mut Builder, s: Scope<'_>, keyed: bool) -> u32 {
    let kind = match d.chance(60) {
        true => d.pick(&KINDS[..3]),
        false => d.pick(&KINDS),
    };
    let has_tools = matches!(kind, Kind::Call | Kind::Return(_));
    let tools = match (has_tools, d.below(8)) {
        (false, _) | (true, 0) => Tools::Any,
        (true, n) => {
            let mut list: Vec<u32> = (0..1 + d.below(2))
                .map(|_| b.tool(d.pick(&TOOLS)))
                .collect();
            list.sort_unstable();
            list.dedup();
            if n == 1 {
                Tools::Except(list)
            } else {
                Tools::OneOf(list)
            }
        }
    };
    let keys: Vec<u32> = match keyed {
        true => (0..s.keys)
            .map(|n| {
                let root = match kind {
                    Kind::Declared(_) => Root::Fields,
                    _ => Root::Args,
                };
                b.path(root, FIELDS[n as usize], Coerce::None)
            })
            .collect(),
        false => Vec::new(),
    };
    let condition = d.chance(40).then(|| condition(d, b, s, 2));
    b.pattern_of(kind, tools, &keys, condition)
}

/// A model that can be encoded; nearly all that are made can.
pub fn model(d: &mut Dice<'_>) -> Model {
    let mut b = Builder::new();
    b.model.events = vec!["ev".into(), "other".into()];
    b.model.lookups.push(ctr_runtime::format::model::Lookup {
        name: "owner".into(),
        arity: 1,
    });
    b.regex("a+b?");
    b.regex(r"^[0-9]+$");
    for name in TOOLS {
        b.tool(name);
    }
    for n in 0..1 + d.below(3) {
        let keys = d.pick(&[0_u32, 0, 1, 1, 2]);
        let mut registers: Vec<(u32, RegisterKind, u32)> = Vec::new();
        for _ in 0..d.below(3) {
            let s = Scope {
                keys,
                vars: 0,
                registers: &[],
            };
            let keyed = keys > 0 && d.chance(70);
            let p = pattern(d, &mut b, s_of(s, keyed), keyed);
            let mut member = b.expr(Expr::Pattern(p));
            if d.chance(25) {
                let other = pattern(d, &mut b, s_of(s, false), false);
                let other = b.expr(Expr::Pattern(other));
                let not = b.expr(Expr::Not(other));
                member = b.expr(match d.below(3) {
                    0 => Expr::Or(vec![member, other]),
                    1 => Expr::And(vec![member, not]),
                    _ => Expr::Iff(member, other),
                });
            }
            let kind = d.pick(&[
                RegisterKind::Count,
                RegisterKind::Streak,
                RegisterKind::Sum,
                RegisterKind::Min,
                RegisterKind::Max,
                RegisterKind::Latest,
                RegisterKind::First,
                RegisterKind::Values,
                RegisterKind::Elapsed,
                RegisterKind::Texts,
            ]);
            let takes = !matches!(
                kind,
                RegisterKind::Count
                    | RegisterKind::Streak
                    | RegisterKind::Elapsed
                    | RegisterKind::Texts
            );
            let taken = takes.then(|| {
                value(
                    d,
                    &mut b,
                    Scope {
                        keys: 0,
                        vars: 0,
                        registers: &[],
                    },
                    1,
                )
            });
            let keys = if keyed { keys } else { 0 };
            b.model
                .registers
                .push(ctr_runtime::format::model::Register {
                    kind,
                    member,
                    value: taken,
                    window: d.chance(35).then(|| d.below(40) as i64 * 1_000_000_000),
                    keys,
                });
            registers.push((b.model.registers.len() as u32 - 1, kind, keys));
        }
        let s = Scope {
            keys,
            vars: 0,
            registers: &registers,
        };
        let mut patterns = Vec::new();
        let mut automaton = |d: &mut Dice<'_>, b: &mut Builder| {
            let atoms: Vec<u32> = (0..1 + d.below(3))
                .map(|_| match d.chance(75) {
                    true => {
                        let keyed = keys > 0 && d.chance(75);
                        let p = pattern(d, b, s, keyed);
                        patterns.push(p);
                        b.atom(p)
                    }
                    false => {
                        let c = condition(d, b, s, 2);
                        b.cond(c, "a condition")
                    }
                })
                .collect();
            let states = 1 + d.below(5) as u32;
            let labels: Vec<Label> = (0..states)
                .map(|_| {
                    d.pick(&[
                        Label::Satisfied,
                        Label::Satisfied,
                        Label::Pending,
                        Label::Pending,
                        Label::SatisfiedForGood,
                        Label::ViolatedForGood,
                    ])
                })
                .collect();
            let table: Vec<u32> = (0..states << atoms.len())
                .map(|_| d.below(states as usize) as u32)
                .collect();
            // What is for good stays, as the compiler would have it; mostly.
            let lawful = d.chance(90);
            let good = |l: Label| matches!(l, Label::SatisfiedForGood | Label::ViolatedForGood);
            let width = atoms.len();
            b.dfa(
                &atoms,
                states,
                |state| labels[state as usize],
                |state, bits| {
                    if lawful && good(labels[state as usize]) {
                        return state;
                    }
                    let letter = bits.iter().fold(0, |n, bit| n << 1 | usize::from(*bit));
                    table[(state as usize) << width | letter]
                },
            )
        };
        let guarantee = Some(automaton(d, &mut b));
        let assume = d.chance(30).then(|| automaton(d, &mut b));
        let mut deadlines = Vec::new();
        for _ in 0..d.below(2) + usize::from(d.chance(20)) {
            let keyed = keys > 0 && d.chance(70);
            let (p, q) = (pattern(d, &mut b, s, keyed), pattern(d, &mut b, s, keyed));
            let mut deadline = b.deadline(p, q, d.below(30) as i64);
            if d.chance(30) {
                deadline.side = Side::Assume;
            }
            deadlines.push(deadline);
        }
        let names = ["k1", "k2"];
        let c = b.full(
            &format!("c{n}"),
            &names[..keys as usize],
            assume,
            guarantee,
            deadlines,
        );
        let action = match d.below(8) {
            0 => Action::Warn,
            1 => Action::Escalate,
            2 => Action::Repair,
            3 => Action::Redirect {
                tool: d.below(TOOLS.len()) as u32,
                args: vec![("v".into(), value(d, &mut b, s, 1))],
            },
            _ => Action::Block,
        };
        b.act(c, action, "");
        if d.chance(50) {
            let shown = value(d, &mut b, s, 1);
            b.model.contracts[c].message =
                vec![MessagePart::Text("m ".into()), MessagePart::Expr(shown)];
        }
        if d.chance(15) {
            b.model.contracts[c].agents = vec!["main*".into()];
        }
    }
    b.model
}

/// A scope for a register's pattern: unkeyed ones read no key.
fn s_of<'r>(s: Scope<'r>, keyed: bool) -> Scope<'r> {
    Scope {
        keys: if keyed { s.keys } else { 0 },
        ..s
    }
}

/// The names that a library asks for, and a few others.
pub struct Names {
    tools: Vec<(Option<String>, String)>,
    fields: Vec<String>,
    texts: Vec<String>,
    events: Vec<String>,
}

impl Names {
    pub fn of(library: &Library<'_>) -> Self {
        let some = |items: &[&str]| items.iter().map(|s| (*s).to_owned()).collect();
        let mut names = Self {
            tools: vec![(None, "unknown".into()), (Some("shop".into()), "ta".into())],
            fields: some(&FIELDS),
            texts: some(&WORDS),
            events: some(&["ev", "other", "unheard"]),
        };
        for id in 0..library.tool_count() {
            let tool = library.tool(id);
            names
                .tools
                .push((tool.server.map(Into::into), tool.name.into()));
        }
        for id in 0..library.expr_count() {
            match library.expr(id) {
                ExprRef::Path { steps, .. } => {
                    for step in steps.iter() {
                        if let StepRef::Field(name) = step
                            && names.fields.len() < 200
                        {
                            names.fields.push(name.to_owned());
                        }
                    }
                }
                ExprRef::Const(ctr_runtime::format::ConstRef::Str(text))
                    if names.texts.len() < 200 =>
                {
                    names.texts.push(text.to_owned());
                }
                _ => {}
            }
        }
        for id in 0..library.event_count() {
            names.events.push(library.event_name(id).to_owned());
        }
        names.fields.sort();
        names.fields.dedup();
        names
    }
}

/// A JSON value; wild ones are nested, long, or numbers that do not fit.
pub fn json(d: &mut Dice<'_>, names: &Names, depth: usize) -> Value {
    match d.below(if depth == 0 { 7 } else { 10 }) {
        0 => Value::Null,
        1 => Value::Bool(d.chance(50)),
        2 | 3 => Value::Number(Decimal::from(d.below(8) as i64 - 1)),
        4 => match d.below(8) {
            0 => ctr_runtime::json::parse(&"9".repeat(1 + d.below(60))).unwrap(),
            1 => ctr_runtime::json::parse("1e999999999").unwrap(),
            2 => ctr_runtime::json::parse("-0.000000000001").unwrap(),
            3 => Value::from("x".repeat(d.below(3000)).as_str()),
            4 => Value::from("{\"k\":1,\"v\":[1,2]}"),
            5 => Value::from("2026-11-30T06:00:00Z"),
            6 => Value::from("\u{0}\u{10ffff}ς\n"),
            _ => Value::from("https://example.com:80/a/../b"),
        },
        5 | 6 => Value::from(names.texts[d.below(names.texts.len())].as_str()),
        7 => Value::List((0..d.below(5)).map(|_| json(d, names, depth - 1)).collect()),
        _ => fields(d, names, depth - 1),
    }
}

fn fields(d: &mut Dice<'_>, names: &Names, depth: usize) -> Value {
    let count = 1 + d.below(5);
    let list: Vec<(String, Value)> = (0..count)
        .map(|n| {
            // The keys of most contracts, often.
            let name = match n {
                0 if d.chance(70) => "k".to_owned(),
                1 if d.chance(50) => "v".to_owned(),
                _ => names.fields[d.below(names.fields.len())].clone(),
            };
            (name, json(d, names, depth))
        })
        .collect();
    let list: Vec<(&str, Value)> = list.iter().map(|(n, v)| (n.as_str(), v.clone())).collect();
    record_of(&list)
}

/// A line of a trace, and the event's time.
pub struct Made {
    line: Value,
    time: Option<i64>,
}

impl Made {
    pub fn with<T>(&self, run: impl FnOnce(&Event<'_>) -> T) -> Option<T> {
        match read(&self.line) {
            Line::Event(mut event) => {
                event.meta.time = self.time;
                Some(run(&event))
            }
            Line::Context(_) => None,
        }
    }

    pub fn context(&self) -> Option<&Value> {
        match read(&self.line) {
            Line::Context(fields) => Some(fields),
            Line::Event(_) => None,
        }
    }

    /// For logs, which borrow.
    pub fn owned(&self) -> Self {
        Self {
            line: self.line.clone(),
            time: self.time,
        }
    }

    pub fn event(&self) -> Option<Event<'_>> {
        match read(&self.line) {
            Line::Event(mut event) => {
                event.meta.time = self.time;
                Some(event)
            }
            Line::Context(_) => None,
        }
    }

    pub fn text(&self) -> String {
        let mut line = self.line.clone();
        if let (Value::Record(record), Some(time)) = (&mut line, self.time) {
            record.insert("time", Value::Number(Decimal::from(time / 1_000_000_000)));
        }
        ctr_runtime::json::to_string(&line)
    }
}

/// So many events; `wild` ones come at any time and in any order.
pub fn events(d: &mut Dice<'_>, names: &Names, count: usize, wild: bool) -> Vec<Made> {
    let mut clock = 0_i64;
    let mut open: Vec<String> = Vec::new();
    (0..count)
        .map(|n| {
            let str = |text: &str| Value::from(text);
            let mut line: Vec<(&str, Value)> = Vec::new();
            let kind = d.below(20);
            let id = match d.below(if wild { 8 } else { 20 }) {
                0 => None,
                1 => Some(String::new()),
                2 => Some(d.pick(&["1", "2"]).to_owned()),
                _ => Some(format!("c{n}")),
            };
            match kind {
                0 => {
                    line.push(("kind", str("context")));
                    line.push(("set", fields(d, names, 1)));
                }
                1 | 2 => {
                    line.push(("kind", str(d.pick(&["input", "output"]))));
                    line.push(("text", str(&names.texts[d.below(names.texts.len())])));
                }
                3 | 4 => {
                    line.push(("kind", str("event")));
                    line.push(("name", str(&names.events[d.below(names.events.len())])));
                    line.push(("fields", fields(d, names, 2)));
                }
                5..=11 => {
                    let (server, tool) = &names.tools[d.below(names.tools.len())];
                    line.push(("kind", str("call")));
                    line.push(("tool", str(tool)));
                    if let Some(server) = server {
                        line.push(("server", str(server)));
                    }
                    let args = match wild && d.chance(5) {
                        true => json(d, names, 1),
                        false => fields(d, names, 2),
                    };
                    line.push(("args", args));
                    if let Some(id) = &id {
                        line.push(("id", str(id)));
                        open.push(id.clone());
                    }
                }
                _ => {
                    line.push(("kind", str("return")));
                    let status = d.pick(&["success", "success", "success", "failure", "unknown"]);
                    line.push(("status", str(status)));
                    let known = (!open.is_empty()).then(|| d.below(open.len()));
                    match known {
                        Some(n) if !wild || d.chance(80) => {
                            line.push(("id", str(&open.remove(n))));
                        }
                        _ => {
                            if let Some(id) = &id {
                                line.push(("id", str(id)));
                            }
                        }
                    }
                    if d.chance(85) {
                        line.push(("result", json(d, names, 3)));
                    } else {
                        line.push(("error", str("it failed")));
                    }
                }
            }
            if d.chance(20) {
                line.push(("agent", str(d.pick(&["main", "main2", "other"]))));
            }
            if d.chance(10) {
                line.push(("turn", Value::Number(Decimal::from(d.below(5) as i64))));
            }
            let time = match d.below(if wild { 12 } else { 40 }) {
                0 => None,
                1 if wild => Some(d.pick(&[i64::MIN, i64::MAX, -1, 0, i64::MAX - 1])),
                _ => {
                    clock += d.below(12) as i64 * 1_000_000_000;
                    Some(clock)
                }
            };
            Made {
                line: record_of(&line),
                time,
            }
        })
        .collect()
}

/// Answers by the arguments alone, so that the same question has the same answer.
pub struct Oracle;

impl Host for Oracle {
    fn lookup(&mut self, _name: &str, args: &[Value]) -> Option<Value> {
        match ctr_runtime::json::to_string(args.first()?).len() % 3 {
            0 => None,
            1 => Some(Value::from("a")),
            _ => Some(Value::Number(Decimal::from(1_i64))),
        }
    }
}

/// Small bounds, so that they are met.
pub fn tight() -> Limits {
    let mut limits = Limits::default();
    limits.keys = 3;
    limits.key_bytes = 2_000;
    limits.window = 3;
    limits.values = 3;
    limits.text = 200;
    limits.remembered = 2_000;
    limits.open_calls = 6;
    limits.open_bytes = 6_000;
    limits.triggers = 2;
    limits.violations = 3;
    limits.violation_bytes = 1_000;
    limits.work = 2_000;
    limits
}

/// Plays events to a session in all the ways a host has; counts the verbs decided.
pub fn drive(session: &mut Session<'_>, d: &mut Dice<'_>, list: &[Made]) -> usize {
    let mut decided = 0;
    for made in list {
        if let Some(fields) = made.context() {
            session.set_context(fields);
            continue;
        }
        let way = d.below(12);
        made.with(|event| match way {
            0 | 1 => {
                let _ = session.record(event, &mut Oracle);
            }
            2 => {
                let decision = session.propose(event, &mut Oracle);
                decided += usize::from(decision.is_ok_and(|d| d.verb != Verb::Allow));
                let _ = session.skip(event, &mut Oracle);
            }
            3 => {
                let _ = session.propose(event, &mut Oracle);
                let _ = session.commit(event, &mut Oracle);
            }
            4 => {
                let _ = session.propose(event, &mut Oracle);
            }
            5 => {
                session.forget_refused();
                let _ = gate(session, event, &mut Oracle);
            }
            _ => {
                if let Ok(gated) = gate(session, event, &mut Oracle) {
                    decided += usize::from(gated.decision.verb != Verb::Allow);
                    assert!(
                        gated.recorded || gated.left_out || gated.decision.verb != Verb::Allow,
                        "allowed and left out"
                    );
                }
            }
        });
        let _ = EventKind::Input { text: "" };
    }
    let outcome = session.finish();
    assert_eq!(
        outcome.contracts.len(),
        session.library().contract_count() as usize
    );
    decided
}
