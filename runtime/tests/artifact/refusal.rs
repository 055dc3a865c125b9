//! Models that break the rules.

use ctr_runtime::format::model::*;
use ctr_runtime::format::{MAX_DEPTH, encode};

use crate::sample::{load, sample};

fn refused(change: impl FnOnce(&mut Model)) -> String {
    let mut model = sample();
    change(&mut model);
    encode(&model).unwrap_err().to_string()
}

#[test]
fn broken_models_are_refused() {
    let last = |model: &Model| u32::try_from(model.exprs.len()).unwrap();
    type Change = Box<dyn FnOnce(&mut Model)>;
    let cases: Vec<(&str, Change)> = vec![
        ("not below", Box::new(|m| m.exprs[0] = Expr::Not(0))),
        ("not below", Box::new(|m| m.exprs[0] = Expr::And(vec![1]))),
        (
            "no regular",
            Box::new(move |m| m.exprs.push(Expr::Matches(0, 2))),
        ),
        (
            "no register",
            Box::new(|m| {
                m.exprs.push(Expr::Read {
                    register: 99,
                    earlier: false,
                })
            }),
        ),
        (
            "texts are asked",
            Box::new(|m| {
                m.exprs.push(Expr::Read {
                    register: 9,
                    earlier: false,
                })
            }),
        ),
        (
            "only texts",
            Box::new(|m| {
                m.exprs.push(Expr::Mentioned {
                    register: 0,
                    value: 0,
                    earlier: false,
                });
            }),
        ),
        (
            "has an age",
            Box::new(|m| {
                m.exprs.push(Expr::Fresh {
                    register: 0,
                    within: 1,
                })
            }),
        ),
        ("no pattern", Box::new(|m| m.exprs.push(Expr::Pattern(8)))),
        (
            "number of arguments",
            Box::new(|m| m.exprs.push(Expr::Lookup(0, vec![0]))),
        ),
        (
            "one argument",
            Box::new(|m| m.exprs.push(Expr::Call(Function::Len, vec![]))),
        ),
        // A pattern whose condition asks for the pattern itself.
        (
            "not below",
            Box::new(|m| {
                let fits = m.atoms[5].expr;
                m.patterns[5].condition = Some(fits);
            }),
        ),
        // A register whose member reads the register itself.
        (
            "not below",
            Box::new(move |m| {
                let cap = m.atoms[8].expr;
                m.patterns[5].condition = Some(cap);
                m.exprs.push(Expr::Pattern(5));
                m.registers[0].member = last(m) - 1;
            }),
        ),
        // A register that reads one above it.
        (
            "not below it",
            Box::new(move |m| {
                let n = last(m);
                m.exprs.push(Expr::Read {
                    register: 12,
                    earlier: false,
                });
                m.exprs.push(Expr::Compare(CompareOp::Eq, n, 0));
                m.exprs.push(Expr::Pattern(8));
                m.patterns.push(Pattern {
                    kind: EventKind::Input,
                    tools: Tools::Any,
                    keys: vec![],
                    condition: Some(n + 1),
                    text: String::new(),
                });
                m.registers.push(m.registers[10].clone());
                m.registers.push(m.registers[10].clone());
                m.registers[11].member = n + 2;
            }),
        ),
        // Keys of one length would be looked up among keys of another.
        (
            "binds some of its keys",
            Box::new(|m| m.registers[0].keys = 2),
        ),
        (
            "Boolean combination",
            Box::new(|m| m.registers[10].member = 0),
        ),
        (
            "Boolean combination",
            Box::new(|m| m.contracts[1].deadlines[0].trigger = 0),
        ),
        (
            "takes no value",
            Box::new(|m| m.registers[0].value = Some(0)),
        ),
        ("takes no value", Box::new(|m| m.registers[2].value = None)),
        ("window", Box::new(|m| m.registers[0].window = Some(-1))),
        (
            "outside of its quantifier",
            Box::new(|m| m.atoms[0].expr = 19),
        ),
        (
            "keys that it does not have",
            Box::new(|m| m.contracts[0].guarantee = Some(0)),
        ),
        (
            "binds some",
            Box::new(|m| m.contracts[0].patterns = vec![0]),
        ),
        (
            "no automaton",
            Box::new(|m| m.contracts[0].guarantee = Some(2)),
        ),
        ("no states", Box::new(|m| m.automata[1].states.clear())),
        ("no state 4", Box::new(|m| m.automata[0].initial = 4)),
        (
            "no state 4",
            Box::new(|m| m.automata[0].states[0].root = NodeRef::State(4)),
        ),
        (
            "not below",
            Box::new(|m| m.automata[0].states[0].root = NodeRef::Node(2)),
        ),
        (
            "not below",
            Box::new(|m| m.automata[0].nodes[0].low = NodeRef::Node(0)),
        ),
        ("no atom", Box::new(|m| m.automata[0].nodes[0].atom = 11)),
        (
            "tools are not ascending",
            Box::new(|m| {
                m.patterns[0].tools = Tools::OneOf(vec![1, 0]);
            }),
        ),
        (
            "tools are not ascending",
            Box::new(|m| {
                m.patterns[0].tools = Tools::Except(vec![1, 1]);
            }),
        ),
        (
            "no tool",
            Box::new(|m| m.patterns[0].tools = Tools::OneOf(vec![3])),
        ),
        (
            "not those of its kind",
            Box::new(|m| m.patterns[5].tools = Tools::OneOf(vec![0])),
        ),
        (
            "no event",
            Box::new(|m| m.patterns[7].kind = EventKind::Declared(2)),
        ),
        (
            "events are not ascending",
            Box::new(|m| m.contracts[1].watch.events = vec![1, 0]),
        ),
        ("no source", Box::new(|m| m.contracts[1].place.source = 1)),
        ("ends before", Box::new(|m| m.contracts[1].place.start = 99)),
        (
            "not ascending",
            Box::new(|m| m.sources[0].lines = vec![0, 5, 5]),
        ),
        ("not start at 0", Box::new(|m| m.sources[0].lines = vec![1])),
        (
            "no tool",
            Box::new(|m| {
                m.contracts[1].action = Action::Redirect {
                    tool: 9,
                    args: vec![],
                };
            }),
        ),
        (
            "no expression",
            Box::new(|m| {
                m.contracts[1].message.push(MessagePart::Expr(9999));
            }),
        ),
    ];
    for (n, (what, change)) in cases.into_iter().enumerate() {
        let error = refused(change);
        assert!(error.contains(what), "case {n}, `{what}`: {error}");
    }
}

#[test]
fn depth_and_size_are_bounded() {
    let nested = |n: u32| {
        let mut model = Model::default();
        model.exprs.push(Expr::Const(Const::Bool(true)));
        model.exprs.extend((0..n - 1).map(Expr::Not));
        encode(&model)
    };
    assert!(nested(MAX_DEPTH).is_ok());
    assert!(nested(MAX_DEPTH + 1).unwrap_err().what.contains("deeper"));
    let doubled = |n: u32| {
        let mut model = Model::default();
        model.exprs.push(Expr::Const(Const::Bool(true)));
        model
            .exprs
            .extend((0..n).map(|child| Expr::And(vec![child, child])));
        encode(&model)
    };
    assert!(doubled(18).is_ok());
    assert!(doubled(21).unwrap_err().what.contains("visit more"));
}

/// Lists are shared in the bytes, so that a small artifact could ask for much work.
#[test]
fn work_is_bounded() {
    let mut model = Model {
        tools: (0..2000)
            .map(|n| Tool {
                server: None,
                name: format!("t{n}"),
            })
            .collect(),
        ..Model::default()
    };
    model.patterns = vec![
        Pattern {
            kind: EventKind::Call,
            tools: Tools::OneOf((0..2000).collect()),
            keys: vec![],
            condition: None,
            text: String::new(),
        };
        500
    ];
    let mut contract = sample().contracts[2].clone();
    contract.deadlines.clear();
    contract.patterns = (0..500).collect();
    model.contracts = vec![contract; 5];
    let bytes = encode(&model).unwrap();
    assert!(load(&bytes).unwrap_err().what.contains("more tools"));
    model.patterns = vec![model.patterns[0].clone(); 2500];
    model.contracts.clear();
    assert!(encode(&model).unwrap_err().what.contains("entries"));
}
