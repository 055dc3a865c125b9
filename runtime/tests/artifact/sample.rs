//! Models to write.

use ctr_runtime::decimal::Decimal;
use ctr_runtime::format::model::*;
use ctr_runtime::format::{Library, LoadError, encode};

pub fn program(pattern: &str) -> Vec<u8> {
    crate::tables::program(pattern).unwrap()
}

/// A model in which everything occurs.
pub fn sample() -> Model {
    let mut model = Model {
        compiler: "ctrc 0.1.0".into(),
        sources: vec![Source {
            path: "policies/refund.ctr".into(),
            sha256: core::array::from_fn(|n| n as u8),
            lines: vec![0, 10, 25, 26],
        }],
        tools: vec![
            Tool {
                server: Some("shop".into()),
                name: "pay".into(),
            },
            Tool {
                server: None,
                name: "pay".into(),
            },
            Tool {
                server: Some("mail".into()),
                name: "send-mail".into(),
            },
        ],
        declared: vec![
            Declared {
                server: Some("shop".into()),
                name: "pay".into(),
                input: Some(r#"{"type":"object"}"#.into()),
            },
            Declared {
                server: None,
                name: "browse".into(),
                input: None,
            },
        ],
        events: vec!["approval".into(), "alarm".into()],
        lookups: vec![Lookup {
            name: "owner".into(),
            arity: 2,
        }],
        regexes: vec![
            Regex {
                pattern: "BEGIN [A-Z ]*KEY".into(),
                program: program("BEGIN [A-Z ]*KEY"),
                ecma: Some("BEGIN [A-Z ]*KEY".into()),
            },
            Regex {
                pattern: r"\bé\b".into(),
                program: if cfg!(feature = "full-regex") {
                    Vec::new()
                } else {
                    program("é")
                },
                ecma: None,
            },
        ],
        ..Model::default()
    };
    let mut exprs: Vec<Expr> = Vec::new();
    let mut add = |expr: Expr| {
        exprs.push(expr);
        u32::try_from(exprs.len() - 1).unwrap()
    };
    let null = add(Expr::Const(Const::Null));
    let yes = add(Expr::Const(Const::Bool(true)));
    let number = add(Expr::Const(Const::Number(
        Decimal::parse("-12345678901234567890123456789.5e-3").unwrap(),
    )));
    let text = add(Expr::Const(Const::Str("é*".into())));
    let duration = add(Expr::Const(Const::Duration(-5)));
    let stamp = add(Expr::Const(Const::Timestamp(i64::MAX)));
    let list = add(Expr::List(vec![null, yes, number, text, duration, stamp]));
    let mut roots = Vec::new();
    for root in [
        Root::Args,
        Root::Result,
        Root::Text,
        Root::Fields,
        Root::Agent,
        Root::Server,
        Root::Time,
        Root::Turn,
        Root::Depth,
        Root::Tokens,
        Root::Context,
        Root::Key(0),
        Root::Var(0),
    ] {
        roots.push(add(Expr::Root(root)));
    }
    let (args, var) = (roots[0], roots[12]);
    for coerce in [
        Coerce::None,
        Coerce::Number,
        Coerce::Timestamp,
        Coerce::Duration,
    ] {
        add(Expr::Path {
            base: args,
            steps: vec![Step::Field("order".into()), Step::Index(3), Step::All],
            coerce,
        });
    }
    let amount = add(Expr::Path {
        base: args,
        steps: vec![Step::Field("amount".into())],
        coerce: Coerce::Number,
    });
    let mut conditions = Vec::new();
    for op in [
        CompareOp::Eq,
        CompareOp::Ne,
        CompareOp::Lt,
        CompareOp::Le,
        CompareOp::Gt,
        CompareOp::Ge,
    ] {
        conditions.push(add(Expr::Compare(op, amount, number)));
    }
    let about_var = add(Expr::Compare(CompareOp::Eq, var, text));
    for expr in [
        Expr::In(amount, list),
        Expr::Matches(amount, 0),
        Expr::Matches(amount, 1),
        Expr::Like(amount, text),
        Expr::Contains(amount, text),
        Expr::StartsWith(amount, text),
        Expr::EndsWith(amount, text),
        Expr::Inside(amount, text),
        Expr::Has(amount),
        Expr::Every(list, about_var),
        Expr::Some(list, about_var),
        Expr::Iff(yes, yes),
        Expr::Not(yes),
    ] {
        conditions.push(add(expr));
    }
    for expr in [
        Expr::Coalesce(amount, number),
        Expr::Add(amount, number),
        Expr::Sub(amount, number),
        Expr::Mul(amount, number),
        Expr::Neg(amount),
        Expr::Lookup(0, vec![amount, text]),
    ] {
        add(expr);
    }
    for function in [
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
    ] {
        add(Expr::Call(function, vec![amount]));
    }
    let and = add(Expr::And(conditions.clone()));
    let or = add(Expr::Or(conditions));

    let pattern = |kind, tools, keys: &[u32], condition, text: &str| Pattern {
        kind,
        tools,
        keys: keys.to_vec(),
        condition,
        text: text.into(),
    };
    model.patterns = vec![
        pattern(
            EventKind::Call,
            Tools::OneOf(vec![0, 1]),
            &[amount],
            Some(and),
            "call pay",
        ),
        pattern(
            EventKind::Return(Some(Status::Success)),
            Tools::OneOf(vec![2]),
            &[amount],
            Some(or),
            "success send-mail",
        ),
        pattern(
            EventKind::Return(None),
            Tools::Except(vec![0]),
            &[],
            None,
            "return any except pay",
        ),
        pattern(
            EventKind::Return(Some(Status::Failure)),
            Tools::Any,
            &[],
            None,
            "failure any",
        ),
        pattern(
            EventKind::Return(Some(Status::Unknown)),
            Tools::Any,
            &[],
            None,
            "unknown any",
        ),
        pattern(EventKind::Input, Tools::Any, &[], None, "input"),
        pattern(EventKind::Output, Tools::Any, &[], None, "output"),
        pattern(EventKind::Declared(1), Tools::Any, &[], None, "alarm"),
    ];
    let fits: Vec<u32> = (0..8).map(|n| add(Expr::Pattern(n))).collect();
    let either = add(Expr::Or(vec![fits[0], fits[1]]));
    let other = add(Expr::Not(fits[5]));
    for (n, kind) in [
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
    ]
    .into_iter()
    .enumerate()
    {
        model.registers.push(Register {
            kind,
            member: either,
            value: (2..8).contains(&n).then_some(amount),
            window: (n % 3 == 0).then_some(600_000_000_000),
            keys: 1,
        });
    }
    model.registers.push(Register {
        kind: RegisterKind::Count,
        member: other,
        value: None,
        window: None,
        keys: 0,
    });
    let mut reads = Vec::new();
    for register in [0, 1, 2, 3, 4, 5, 6, 7, 8, 10] {
        reads.push(add(Expr::Read {
            register,
            earlier: register % 2 == 0,
        }));
    }
    let mentioned = add(Expr::Mentioned {
        register: 9,
        value: text,
        earlier: true,
    });
    let fresh = add(Expr::Fresh {
        register: 8,
        within: 5,
    });
    let cap = add(Expr::Compare(CompareOp::Le, reads[0], number));
    model.exprs = exprs;
    for (n, expr) in fits.iter().chain(&[cap, mentioned, fresh]).enumerate() {
        model.atoms.push(Atom {
            expr: *expr,
            text: format!("atom {n}"),
            remedy: (n % 2 == 1).then(|| format!("remedy {n}")),
        });
    }
    let state = |label, idle, root| State { label, idle, root };
    model.automata = vec![
        Automaton {
            states: vec![
                state(Label::Satisfied, true, NodeRef::Node(1)),
                state(Label::Pending, false, NodeRef::Node(0)),
                state(Label::ViolatedForGood, true, NodeRef::State(2)),
                state(Label::SatisfiedForGood, true, NodeRef::State(3)),
            ],
            initial: 1,
            nodes: vec![
                Node {
                    atom: 0,
                    low: NodeRef::State(0),
                    high: NodeRef::State(2),
                },
                Node {
                    atom: 8,
                    low: NodeRef::Node(0),
                    high: NodeRef::State(3),
                },
            ],
        },
        Automaton {
            states: vec![state(Label::Satisfied, true, NodeRef::State(0))],
            initial: 0,
            nodes: Vec::new(),
        },
    ];
    let place = Place {
        source: 0,
        start: 10,
        end: 25,
    };
    let contract = Contract {
        name: "pay_once".into(),
        module: "refund".into(),
        doc: "At most once.".into(),
        place,
        keys: vec!["order".into()],
        watch: Watch {
            calls: true,
            returns: true,
            inputs: false,
            outputs: true,
            events: vec![1],
        },
        patterns: vec![0, 1, 7],
        clauses: vec![
            Clause {
                side: Side::Assume,
                text: "true".into(),
                place,
            },
            Clause {
                side: Side::Guarantee,
                text: "call pay at most 1 time".into(),
                place,
            },
        ],
        deadlines: vec![Deadline {
            side: Side::Guarantee,
            trigger: fits[0],
            response: fits[1],
            within: 30_000_000_000,
            text: "call pay leads to success send-mail within 30s".into(),
        }],
        assume: Some(1),
        guarantee: Some(0),
        action: Action::Redirect {
            tool: 2,
            args: vec![("to".into(), amount), ("text".into(), text)],
        },
        message: vec![
            MessagePart::Text("Not ".into()),
            MessagePart::Expr(amount),
            MessagePart::Text("!".into()),
        ],
        id: Some("R-12".into()),
        severity: Some("high".into()),
        source: Some(("policy.md".into(), Some("Refunds".into()))),
        tags: vec!["owasp:asi02".into(), "money".into()],
        agents: vec!["billing-*".into()],
    };
    let plain = |name: &str, action: Action| Contract {
        name: name.into(),
        action,
        keys: Vec::new(),
        watch: Watch::default(),
        patterns: vec![2, 3, 4, 5, 6],
        clauses: Vec::new(),
        deadlines: vec![Deadline {
            side: Side::Assume,
            trigger: fits[5],
            response: fits[6],
            within: 0,
            text: String::new(),
        }],
        assume: None,
        guarantee: None,
        message: Vec::new(),
        id: None,
        severity: None,
        source: Some(("policy.md".into(), None)),
        tags: Vec::new(),
        agents: Vec::new(),
        place: Place::default(),
        ..contract.clone()
    };
    model.contracts = vec![
        plain("blocks", Action::Block),
        contract.clone(),
        plain("warns", Action::Warn),
        plain("escalates", Action::Escalate),
        plain("repairs", Action::Repair),
    ];
    model.contracts[4].source = None;
    model
}

/// The sample's bytes without the regular expression that is compiled when it is loaded, which
/// takes longer than all the rest.
pub fn quick() -> Vec<u8> {
    let mut model = sample();
    model.regexes[0].program = program("(?-u)a");
    model.regexes[1].program = program("(?-u)b+");
    encode(&model).unwrap()
}

pub fn load(bytes: &[u8]) -> Result<Library<'_>, LoadError> {
    Library::load(bytes)
}

/// Many contracts, as a large policy has them.
pub fn large(count: u32) -> Model {
    let one = sample();
    let mut model = Model {
        sources: one.sources.clone(),
        ..Model::default()
    };
    for n in 0..count {
        let expr = u32::try_from(model.exprs.len()).unwrap();
        model.tools.push(Tool {
            server: None,
            name: format!("tool_{n}"),
        });
        model.exprs.extend([
            Expr::Root(Root::Args),
            Expr::Path {
                base: expr,
                steps: vec![Step::Field(format!("field_{}", n % 40))],
                coerce: Coerce::None,
            },
            Expr::Const(Const::Number(Decimal::from(n))),
            Expr::Compare(CompareOp::Le, expr + 1, expr + 2),
            Expr::Pattern(2 * n),
            Expr::Pattern(2 * n + 1),
        ]);
        for kind in [EventKind::Call, EventKind::Return(Some(Status::Success))] {
            model.patterns.push(Pattern {
                kind,
                tools: Tools::OneOf(vec![n]),
                keys: vec![],
                condition: Some(expr + 3),
                text: format!("call tool_{n}(field <= {n})"),
            });
        }
        for at in [4, 5] {
            model.atoms.push(Atom {
                expr: expr + at,
                text: format!("call tool_{n}"),
                remedy: None,
            });
        }
        let mut automaton = one.automata[0].clone();
        automaton.nodes[0].atom = 2 * n;
        automaton.nodes[1].atom = 2 * n + 1;
        model.automata.push(automaton);
        let mut contract = one.contracts[1].clone();
        contract.name = format!("contract_{n}");
        contract.doc = format!("What tool {n} may do, in a sentence or two of ordinary length.");
        contract.keys.clear();
        contract.watch.events.clear();
        contract.patterns = vec![2 * n, 2 * n + 1];
        contract.deadlines.clear();
        contract.action = Action::Block;
        contract.message = vec![MessagePart::Text(format!("Tool {n} is not allowed now."))];
        contract.assume = None;
        contract.guarantee = Some(n);
        model.contracts.push(contract);
    }
    model
}
