//! Formulas, readable forms and templates.

use crate::diagnostic::CodeDoc;

/// The codes.
pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "E0420",
        title: "condition without braces",
        meaning: "A condition about the session's state that stands in a formula goes into braces.",
        why: "A reader can tell what is judged at a step from what orders steps.",
        fix: "Put the condition into braces.",
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee call pay only while ctx.role == "admin" }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee call pay only while {ctx.role == "admin"} }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0421",
        title: "temporal operator in a condition",
        meaning: "A condition is judged at one event. Operators of time and readable forms order events.",
        why: "Inside a condition they would have no session to look at.",
        fix: "Write the operator into the formula. What a condition can ask of the past is in aggregates: `count(call t) > 0`.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call pay only if eventually amount > 5 }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call pay only if amount > 5 }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0422",
        title: "event in a condition",
        meaning: "An event pattern is a formula. A condition compares values.",
        why: "Whether the event has to happen now or have happened before is not said.",
        fix: "Count events: `count(call t) > 0`. Or write a formula: `call pay only after call login`.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call pay only if call login }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call pay only if count(call login) > 0 }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0423",
        title: "field outside a pattern",
        meaning: r"Arguments, results and fields belong to an event, and only inside the pattern of an event is it clear to which. A condition in braces reads
`ctx.`, `event.`, aggregates, lookups, keys and `let`s.",
        why: "At a step that is another event the field is missing, and what is undefined is refused.",
        fix: "Move the condition into the pattern, or after `only if`.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call pay only while {args.amount <= 5} }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call pay only if amount <= 5 }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0424",
        title: "result of a call",
        meaning: "When a call is proposed its result is not known.",
        why: "The condition would be undefined at every call.",
        fix: "Put the obligation on the return: `never success read(...)`.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call read(result.secret == true) leads to call log }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee success read(secret == true) leads to call log }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0425",
        title: "no such part of this event",
        meaning: "Calls have `args.`, returns `args.` and `result.`, inputs and outputs `text`, declared events their fields. All have `event.`.",
        why: "A part that the event never has is undefined at every such event.",
        fix: "Read a part that the event has.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee input(args.x == 1) leads to call log }
",
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee input(text contains "x") leads to call log }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0426",
        title: "future under past",
        meaning: "Operators that look back are judged from what is known; under them nothing can look ahead.",
        why: "Whether the formula holds at a past step would only be known later, when the decision is long made.",
        fix: "Turn the nesting round: past operators may stand under future ones.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee always (call pay implies once (next call log)) }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee always (call pay implies next (once call log)) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0427",
        title: "assumption about the agent",
        meaning: "An assumption is what the environment owes. Calls, outputs and aggregates over them are the agent's.",
        why: "An agent that breaks an assumption would free itself of the guarantee.",
        fix: "Write what follows from the agent's own events into the guarantee.",
        wrong: &[(
            "policy.ctr",
            r"contract c {
  assume never call debug
  guarantee never call pay
}
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c {
  guarantee (never call debug) implies (never call pay)
}
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0428",
        title: "`only if` without one kind of event",
        meaning: "The condition after `only if` reads the fields of the event before it. That is a pattern, or several patterns of one kind in parentheses.",
        why: "A call and a return have different fields, so that it would be unclear which are meant.",
        fix: "Write one clause for each kind of event.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee (call pay or success pay) only if amount < 5 }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee (call pay or call transfer) only if amount < 5 }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0429",
        title: "deadline inside a formula",
        meaning: r"A response within a time is watched by the clock, not by the automaton of the formula. It stands at the top of a clause or in a conjunction
there. Within a number of steps it may stand anywhere.",
        why: "Under another operator it could not be said when the deadline runs, and whether missing it breaks the clause.",
        fix: "Move it to the top of a clause of its own.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee (call page leads to call ack within 30s) or (never call page) }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call page leads to call ack within 30s }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0430",
        title: "bound in time on a formula",
        meaning: "What is bounded in time must be seen at one event: a pattern, or patterns joined by `and`, `or` and `not`.",
        why: "When a formula about several steps happened is not one moment.",
        fix: "Bound a pattern in time, and say the order in another clause.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call page leads to (next call ack) within 30s }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call page leads to (call ack or call resolve) within 30s }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0431",
        title: "number too large",
        meaning: "`at most n times` and `within n steps` are written out as formulas, and n is at most 1024 in them.",
        why: "Their automata grow with n.",
        fix: "Count with an aggregate, which costs nothing: `call pay only if count(call pay) <= 5000`.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call pay at most 5000 times }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call pay only if count(call pay) <= 20 }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0432",
        title: "combination without meaning",
        meaning: "`consecutive` goes with `at most`; a window of time with `at most`.",
        why: "A window ends at each event, the first too: `at least 2 times within 10min` would be broken as soon as it began.",
        fix: "Say `at most`, or leave the window out.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call pay at least 2 times within 10min }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call pay at most 2 times within 10min }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0433",
        title: "value where a formula is needed",
        meaning: "Formulas are made of patterns, conditions in braces and operators. A number, a text, a key or a field is a value.",
        why: "A value is neither kept nor broken.",
        fix: "Compare the value with another one, in braces.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee always 5 }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call pay only while {ctx.level == 5} }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0434",
        title: "nested too deeply",
        meaning: "Expressions are nested more than 120 deep, predicates and `let`s expanded.",
        why: "The bound keeps the compiler and what it makes safe on any machine.",
        fix: "Split the expression into several clauses. For `next next next ...` say how long with `within n steps`.",
        wrong: &[(
            "policy.ctr",
            r"contract c {
  guarantee eventually (next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next next call a)
}
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call b leads to call a within 125 steps }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0435",
        title: "contract too large",
        meaning: "Predicates and `let`s expand to more than 200000 expressions in one contract.",
        why: "Predicates that use their parameters twice double the size with each level.",
        fix: "Split the contract, or use parameters once.",
        wrong: &[(
            "policy.ctr",
            r"predicate p0(a: event) = eventually a
predicate p1(a: event) = p0(a) or p0((next a))
predicate p2(a: event) = p1(a) or p1((next a))
predicate p3(a: event) = p2(a) or p2((next a))
predicate p4(a: event) = p3(a) or p3((next a))
predicate p5(a: event) = p4(a) or p4((next a))
predicate p6(a: event) = p5(a) or p5((next a))
predicate p7(a: event) = p6(a) or p6((next a))
predicate p8(a: event) = p7(a) or p7((next a))
predicate p9(a: event) = p8(a) or p8((next a))
predicate p10(a: event) = p9(a) or p9((next a))
predicate p11(a: event) = p10(a) or p10((next a))
predicate p12(a: event) = p11(a) or p11((next a))
predicate p13(a: event) = p12(a) or p12((next a))
predicate p14(a: event) = p13(a) or p13((next a))
predicate p15(a: event) = p14(a) or p14((next a))
predicate p16(a: event) = p15(a) or p15((next a))
predicate p17(a: event) = p16(a) or p16((next a))
contract c { guarantee p17(call pay) }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee eventually call pay }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0446",
        title: "bound in time on what does not happen",
        meaning: r"A bound in time (`at most n times within`, `only after .. within`, `leads to .. within`) counts events. `not call b` holds at every event that is no call of `b`,
returns and inputs among them.",
        why: "Every message of the user would count, and use up the bound.",
        fix: "Say which events count: `call any except b`.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee (not call b) at most 2 times within 10s }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee (call any except b) at most 2 times within 10s }
",
        )],
        exempt: None,
    },
];
