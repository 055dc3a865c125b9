//! Libraries made by hand, and sessions from native trace lines.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use ctr_runtime::decimal::Decimal;
use ctr_runtime::event::{Event, EventKind, Meta};
use ctr_runtime::format::model::{
    Action, Atom, Automaton, Clause, Coerce, CompareOp, Const, Contract, Deadline,
    EventKind as Kind, Expr, Label, Lookup, MessagePart, Model, Node, NodeRef, Pattern, Regex,
    Register, RegisterKind, Root, Side, State, Status, Step, Tool, Tools, Watch,
};
use ctr_runtime::format::{Library, encode};
use ctr_runtime::json;
use ctr_runtime::value::{Record, Value};

pub mod mutate;
pub mod random;
pub mod seal;

pub const CALL: Kind = Kind::Call;
pub const RETURN: Kind = Kind::Return(None);
pub const SUCCESS: Kind = Kind::Return(Some(Status::Success));
pub const INPUT: Kind = Kind::Input;

/// Builds a model.
#[derive(Default)]
pub struct Builder {
    pub model: Model,
}

impl Builder {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn expr(&mut self, expr: Expr) -> u32 {
        if let Some(n) = self.model.exprs.iter().position(|e| *e == expr) {
            return n as u32;
        }
        self.model.exprs.push(expr);
        self.model.exprs.len() as u32 - 1
    }

    pub fn num(&mut self, text: &str) -> u32 {
        let n = Decimal::parse(text).unwrap();
        self.expr(Expr::Const(Const::Number(n)))
    }

    pub fn str(&mut self, text: &str) -> u32 {
        self.expr(Expr::Const(Const::Str(text.into())))
    }

    pub fn dur(&mut self, seconds: i64) -> u32 {
        self.expr(Expr::Const(Const::Duration(seconds * 1_000_000_000)))
    }

    pub fn path(&mut self, root: Root, path: &str, coerce: Coerce) -> u32 {
        let base = self.expr(Expr::Root(root));
        let steps = path
            .split('.')
            .map(|step| match step {
                "*" => Step::All,
                name => Step::Field(name.into()),
            })
            .collect();
        self.expr(Expr::Path {
            base,
            steps,
            coerce,
        })
    }

    pub fn arg(&mut self, path: &str) -> u32 {
        self.path(Root::Args, path, Coerce::None)
    }

    pub fn number_arg(&mut self, path: &str) -> u32 {
        self.path(Root::Args, path, Coerce::Number)
    }

    pub fn result(&mut self, path: &str) -> u32 {
        self.path(Root::Result, path, Coerce::None)
    }

    pub fn root(&mut self, root: Root) -> u32 {
        self.expr(Expr::Root(root))
    }

    pub fn cmp(&mut self, op: CompareOp, a: u32, b: u32) -> u32 {
        self.expr(Expr::Compare(op, a, b))
    }

    pub fn regex(&mut self, pattern: &str) -> u32 {
        self.model.regexes.push(Regex {
            pattern: pattern.into(),
            program: Vec::new(),
            ecma: None,
        });
        self.model.regexes.len() as u32 - 1
    }

    pub fn text_matches(&mut self, root: Root, pattern: &str) -> u32 {
        let value = self.root(root);
        let text = self.expr(Expr::Call(
            ctr_runtime::format::model::Function::Text,
            vec![value],
        ));
        let regex = self.regex(pattern);
        self.expr(Expr::Matches(text, regex))
    }

    pub fn tool(&mut self, name: &str) -> u32 {
        let (server, name) = match name.split_once('.') {
            Some((s, n)) => (Some(s.to_string()), n),
            None => (None, name),
        };
        let tool = Tool {
            server,
            name: name.into(),
        };
        if let Some(n) = self.model.tools.iter().position(|t| *t == tool) {
            return n as u32;
        }
        self.model.tools.push(tool);
        self.model.tools.len() as u32 - 1
    }

    /// Tools by name: empty for any.
    pub fn tools(&mut self, names: &[&str]) -> Tools {
        if names.is_empty() {
            return Tools::Any;
        }
        let mut ids: Vec<u32> = names.iter().map(|n| self.tool(n)).collect();
        ids.sort_unstable();
        Tools::OneOf(ids)
    }

    pub fn pattern_of(&mut self, kind: Kind, tools: Tools, keys: &[u32], cond: Option<u32>) -> u32 {
        let word = match kind {
            Kind::Call => "call",
            Kind::Return(None) => "return",
            Kind::Return(Some(Status::Success)) => "success",
            Kind::Return(Some(Status::Failure)) => "failure",
            Kind::Return(Some(Status::Unknown)) => "unknown",
            Kind::Input => "input",
            Kind::Output => "output",
            Kind::Declared(_) => "event",
        };
        let names: Vec<String> = match &tools {
            Tools::OneOf(ids) | Tools::Except(ids) => ids
                .iter()
                .map(|id| self.model.tools[*id as usize].name.clone())
                .collect(),
            Tools::Any => vec![],
        };
        let text = format!("{word} {}#{}", names.join(" | "), self.model.patterns.len());
        let pattern = Pattern {
            kind,
            tools,
            keys: keys.to_vec(),
            condition: cond,
            text,
        };
        let same = |p: &Pattern| {
            p.kind == pattern.kind
                && p.tools == pattern.tools
                && p.keys == pattern.keys
                && p.condition == pattern.condition
        };
        if let Some(n) = self.model.patterns.iter().position(same) {
            return n as u32;
        }
        self.model.patterns.push(pattern);
        self.model.patterns.len() as u32 - 1
    }

    pub fn pat(&mut self, kind: Kind, tool: &str, keys: &[u32], cond: Option<u32>) -> u32 {
        let tools = match tool {
            "" => Tools::Any,
            name => self.tools(&[name]),
        };
        self.pattern_of(kind, tools, keys, cond)
    }

    /// An atom that is a pattern.
    pub fn atom(&mut self, pattern: u32) -> u32 {
        let expr = self.expr(Expr::Pattern(pattern));
        let text = self.model.patterns[pattern as usize].text.clone();
        self.put_atom(expr, text)
    }

    /// An atom that is a condition.
    pub fn cond(&mut self, expr: u32, text: &str) -> u32 {
        self.put_atom(expr, text.into())
    }

    fn put_atom(&mut self, expr: u32, text: String) -> u32 {
        let atom = Atom {
            expr,
            text,
            remedy: None,
        };
        if let Some(n) = self.model.atoms.iter().position(|a| *a == atom) {
            return n as u32;
        }
        self.model.atoms.push(atom);
        self.model.atoms.len() as u32 - 1
    }

    pub fn register(
        &mut self,
        kind: RegisterKind,
        pattern: u32,
        value: Option<u32>,
        window: Option<i64>,
    ) -> u32 {
        let member = self.expr(Expr::Pattern(pattern));
        let keys = self.model.patterns[pattern as usize].keys.len() as u32;
        self.model.registers.push(Register {
            kind,
            member,
            value,
            window: window.map(|s| s * 1_000_000_000),
            keys,
        });
        self.model.registers.len() as u32 - 1
    }

    pub fn read(&mut self, register: u32) -> u32 {
        self.expr(Expr::Read {
            register,
            earlier: false,
        })
    }

    /// An automaton over atoms, given as a function from a state and the atoms' values.
    pub fn dfa(
        &mut self,
        atoms: &[u32],
        states: u32,
        label: impl Fn(u32) -> Label,
        next: impl Fn(u32, &[bool]) -> u32,
    ) -> u32 {
        let mut nodes: Vec<Node> = Vec::new();
        let pattern: Vec<bool> = atoms
            .iter()
            .map(|a| {
                let expr = self.model.atoms[*a as usize].expr;
                matches!(self.model.exprs[expr as usize], Expr::Pattern(_))
            })
            .collect();
        let mut made = Vec::new();
        for state in 0..states {
            let idle = (0..1_u32 << atoms.len()).all(|letter| {
                let bits: Vec<bool> = (0..atoms.len()).map(|i| letter >> i & 1 == 1).collect();
                bits.iter().zip(&pattern).any(|(b, p)| *b && *p) || next(state, &bits) == state
            });
            let root = build(&mut nodes, atoms, &mut Vec::new(), &|bits| {
                next(state, bits)
            });
            made.push(State {
                label: label(state),
                idle,
                root,
            });
        }
        self.model.automata.push(Automaton {
            states: made,
            initial: 0,
            nodes,
        });
        self.model.automata.len() as u32 - 1
    }

    pub fn never(&mut self, p: u32) -> u32 {
        let p = self.atom(p);
        self.dfa(&[p], 2, bad(1), |s, b| u32::from(s == 1 || b[0]))
    }

    /// `p only if cond`, as `p` without and with the condition.
    pub fn only_if(&mut self, p: u32, q: u32) -> u32 {
        let (p, q) = (self.atom(p), self.atom(q));
        self.dfa(&[p, q], 2, bad(1), |s, b| {
            u32::from(s == 1 || b[0] && !b[1])
        })
    }

    pub fn only_while(&mut self, p: u32, cond: u32) -> u32 {
        let p = self.atom(p);
        self.dfa(&[p, cond], 2, bad(1), |s, b| {
            u32::from(s == 1 || b[0] && !b[1])
        })
    }

    pub fn only_after(&mut self, p: u32, q: u32) -> u32 {
        let (p, q) = (self.atom(p), self.atom(q));
        self.dfa(&[p, q], 3, bad(2), |s, b| match (s, b[0], b[1]) {
            (0, _, true) => 1,
            (0, true, false) => 2,
            (s, _, _) => s,
        })
    }

    pub fn never_after(&mut self, p: u32, q: u32) -> u32 {
        let (p, q) = (self.atom(p), self.atom(q));
        self.dfa(&[p, q], 3, bad(2), |s, b| match (s, b[0], b[1]) {
            (0, _, true) => 1,
            (1, true, _) => 2,
            (s, _, _) => s,
        })
    }

    pub fn leads_to(&mut self, p: u32, q: u32) -> u32 {
        let (p, q) = (self.atom(p), self.atom(q));
        self.dfa(
            &[p, q],
            2,
            |s| {
                if s == 1 {
                    Label::Pending
                } else {
                    Label::Satisfied
                }
            },
            |s, b| u32::from((s == 1 || b[0]) && !b[1]),
        )
    }

    pub fn next(&mut self, p: u32, q: u32) -> u32 {
        let (p, q) = (self.atom(p), self.atom(q));
        self.dfa(
            &[p, q],
            3,
            |s| [Label::Satisfied, Label::Pending, Label::ViolatedForGood][s as usize],
            |s, b| match s {
                1 if !b[1] => 2,
                0 | 1 => u32::from(b[0]),
                s => s,
            },
        )
    }

    pub fn within_steps(&mut self, p: u32, q: u32, n: u32) -> u32 {
        let (p, q) = (self.atom(p), self.atom(q));
        self.dfa(
            &[p, q],
            n + 2,
            move |s| match s {
                0 => Label::Satisfied,
                s if s == n + 1 => Label::ViolatedForGood,
                _ => Label::Pending,
            },
            move |s, b| match s {
                s if s == n + 1 => s,
                0 => u32::from(b[0]),
                _ if b[1] => u32::from(b[0]),
                s => s + 1,
            },
        )
    }

    pub fn at_most(&mut self, p: u32, n: u32) -> u32 {
        let p = self.atom(p);
        self.dfa(&[p], n + 2, bad(n + 1), move |s, b| {
            (s + u32::from(b[0])).min(n + 1)
        })
    }

    pub fn consecutive(&mut self, p: u32, n: u32) -> u32 {
        let p = self.atom(p);
        self.dfa(&[p], n + 2, bad(n + 1), move |s, b| match (s, b[0]) {
            (s, _) if s == n + 1 => s,
            (s, true) => s + 1,
            (_, false) => 0,
        })
    }

    /// A contract with a guarantee; its patterns are those of its automata and `extra`.
    pub fn contract(&mut self, name: &str, keys: &[&str], guarantee: Option<u32>) -> usize {
        self.full(name, keys, None, guarantee, vec![])
    }

    pub fn full(
        &mut self,
        name: &str,
        keys: &[&str],
        assume: Option<u32>,
        guarantee: Option<u32>,
        deadlines: Vec<Deadline>,
    ) -> usize {
        let mut patterns: Vec<u32> = Vec::new();
        for automaton in assume.iter().chain(&guarantee) {
            for node in &self.model.automata[*automaton as usize].nodes {
                let expr = self.model.atoms[node.atom as usize].expr;
                if let Expr::Pattern(p) = self.model.exprs[expr as usize] {
                    patterns.push(p);
                }
            }
        }
        for d in &deadlines {
            for e in [d.trigger, d.response] {
                if let Expr::Pattern(p) = self.model.exprs[e as usize] {
                    patterns.push(p);
                }
            }
        }
        patterns.sort_unstable();
        patterns.dedup();
        let mut watch = Watch::default();
        for p in &patterns {
            match self.model.patterns[*p as usize].kind {
                Kind::Call => watch.calls = true,
                Kind::Return(_) => watch.returns = true,
                Kind::Input => watch.inputs = true,
                Kind::Output => watch.outputs = true,
                Kind::Declared(e) => watch.events.push(e),
            }
        }
        watch.events.sort_unstable();
        watch.events.dedup();
        if patterns.is_empty() {
            watch = Watch {
                calls: true,
                returns: true,
                inputs: true,
                outputs: true,
                events: (0..self.model.events.len() as u32).collect(),
            };
        }
        self.model.contracts.push(Contract {
            name: name.into(),
            module: String::new(),
            doc: String::new(),
            place: Default::default(),
            keys: keys.iter().map(|k| (*k).into()).collect(),
            watch,
            patterns,
            clauses: vec![Clause {
                side: Side::Guarantee,
                text: format!("the guarantee of {name}"),
                place: Default::default(),
            }],
            deadlines,
            assume,
            guarantee,
            action: Action::Block,
            message: vec![],
            id: None,
            severity: None,
            source: None,
            tags: vec![],
            agents: vec![],
        });
        self.model.contracts.len() - 1
    }

    pub fn deadline(&mut self, p: u32, q: u32, seconds: i64) -> Deadline {
        Deadline {
            side: Side::Guarantee,
            trigger: self.expr(Expr::Pattern(p)),
            response: self.expr(Expr::Pattern(q)),
            within: seconds * 1_000_000_000,
            text: "leads to within".into(),
        }
    }

    pub fn act(&mut self, contract: usize, action: Action, message: &str) {
        self.model.contracts[contract].action = action;
        if !message.is_empty() {
            self.model.contracts[contract].message = vec![MessagePart::Text(message.into())];
        }
    }

    pub fn lookup(&mut self, name: &str, args: &[u32]) -> u32 {
        self.model.lookups.push(Lookup {
            name: name.into(),
            arity: args.len() as u32,
        });
        let id = self.model.lookups.len() as u32 - 1;
        self.expr(Expr::Lookup(id, args.to_vec()))
    }

    pub fn library(&self) -> Library<'static> {
        let bytes = encode(&self.model).expect("a model that can be written");
        Library::load(bytes).expect("bytes that can be read")
    }
}

/// The label of a safety automaton with one violated state.
pub fn bad(state: u32) -> impl Fn(u32) -> Label {
    move |s| {
        if s == state {
            Label::ViolatedForGood
        } else {
            Label::Satisfied
        }
    }
}

fn build(
    nodes: &mut Vec<Node>,
    atoms: &[u32],
    bits: &mut Vec<bool>,
    next: &dyn Fn(&[bool]) -> u32,
) -> NodeRef {
    if bits.len() == atoms.len() {
        return NodeRef::State(next(bits));
    }
    let atom = atoms[bits.len()];
    bits.push(false);
    let low = build(nodes, atoms, bits, next);
    bits.pop();
    bits.push(true);
    let high = build(nodes, atoms, bits, next);
    bits.pop();
    if low == high {
        return low;
    }
    let node = Node { atom, low, high };
    if let Some(n) = nodes.iter().position(|m| *m == node) {
        return NodeRef::Node(n as u32);
    }
    nodes.push(node);
    NodeRef::Node(nodes.len() as u32 - 1)
}

/// A line of a native trace.
pub fn line(text: &str) -> Value {
    json::parse(text).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

/// The event of a line, or the fields of a context line.
pub enum Line<'v> {
    Event(Event<'v>),
    Context(&'v Value),
}

pub fn read(line: &Value) -> Line<'_> {
    static NONE: Value = Value::Null;
    let field = |name: &str| line.get(name);
    let text = |name: &str| field(name).and_then(Value::as_str);
    let int = |name: &str| {
        field(name)
            .and_then(Value::as_number)
            .and_then(Decimal::to_i64)
    };
    let meta = Meta {
        agent: text("agent"),
        server: text("server"),
        time: field("time")
            .and_then(Value::as_number)
            .and_then(Decimal::seconds_to_nanos),
        turn: int("turn"),
        depth: int("depth"),
        tokens: int("tokens"),
    };
    let kind = match text("kind").unwrap() {
        "context" => return Line::Context(field("set").unwrap()),
        "call" => EventKind::Call {
            id: text("id"),
            tool: text("tool").unwrap(),
            args: field("args").unwrap_or(&NONE),
        },
        "return" => EventKind::Return {
            id: text("id"),
            tool: text("tool"),
            status: match text("status").unwrap() {
                "success" => Status::Success,
                "failure" => Status::Failure,
                _ => Status::Unknown,
            },
            result: field("result"),
            error: text("error"),
        },
        "input" => EventKind::Input {
            text: text("text").unwrap(),
        },
        "output" => EventKind::Output {
            text: text("text").unwrap(),
        },
        "event" => EventKind::Declared {
            name: text("name").unwrap(),
            fields: field("fields").unwrap_or(&NONE),
        },
        other => panic!("{other}"),
    };
    Line::Event(Event { kind, meta })
}

pub fn call(id: &str, tool: &str, args: &str) -> String {
    format!(r#"{{"kind":"call","id":"{id}","tool":"{tool}","args":{args}}}"#)
}

pub fn ret(id: &str, result: &str) -> String {
    format!(r#"{{"kind":"return","id":"{id}","status":"success","result":{result}}}"#)
}

pub fn record_of(fields: &[(&str, Value)]) -> Value {
    let mut record = Record::new();
    for (k, v) in fields {
        record.insert(*k, v.clone());
    }
    Value::Record(record)
}
