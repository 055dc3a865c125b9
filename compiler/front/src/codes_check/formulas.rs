//! Formulas, readable forms and templates.

use crate::diagnostic::CodeDoc;

/// The codes.
pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "E0420",
        title: "condition without braces",
        meaning: r"A condition about the session's state that stands in a formula goes into braces, so that a reader can tell
what is judged at a step from what orders steps.",
        why: "",
        fix: "",
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
        meaning: r"A condition is judged at one event. Operators of time and readable forms order events: they belong into
the formula. What a condition can ask of the past is in aggregates: `count(call t) > 0`.",
        why: "",
        fix: "",
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
        meaning: "An event pattern is a formula. A condition compares values; it can count events, `count(call t) > 0`.",
        why: "",
        fix: "",
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
        meaning: r"Arguments, results and fields belong to an event, and only inside the pattern of an event is it clear to
which. A condition in braces reads `ctx.`, `event.`, aggregates, lookups, keys and `let`s.",
        why: "",
        fix: "",
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
        meaning: "When a call is proposed its result is not known. Put the obligation on the return.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee never call read(result.secret == true) }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee never success read(secret == true) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0425",
        title: "no such part of this event",
        meaning: r"Calls have `args.`, returns `args.` and `result.`, inputs and outputs `text`, declared events their fields.
All have `event.`.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee never input(args.x == 1) }
",
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee never input(text contains "x") }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0426",
        title: "future under past",
        meaning: r"Operators that look back are judged from what is known; under them nothing can look ahead. Past operators
may stand under future ones.",
        why: "",
        fix: "",
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
        meaning: r"An assumption is what the environment owes. Calls, outputs and aggregates over them are the agent's: what
follows from them belongs into the guarantee.",
        why: "",
        fix: "",
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
        meaning: r"The condition after `only if` reads the fields of the event before it. That is a pattern, or several
patterns of one kind in parentheses.",
        why: "",
        fix: "",
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
        meaning: r"A response within a time is watched by the clock, not by the automaton of the formula. It stands at the
top of a clause or in a conjunction there. Within a number of steps it may stand anywhere.",
        why: "",
        fix: "",
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
        why: "",
        fix: "",
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
        meaning: r"`at most n times` and `within n steps` are written out as formulas, whose automata grow with n. Larger
numbers are counted by an aggregate, which costs nothing.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call pay at most 5000 times }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call pay only if count(call pay) <= 5000 }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0432",
        title: "combination without meaning",
        meaning: r"`consecutive` goes with `at most`; a window of time with `at most`, since a window ends at each event, the
first too.",
        why: "",
        fix: "",
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
        meaning: r"Formulas are made of patterns, conditions in braces and operators. A number, a text, a key or a field is a
value.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee always 5 }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee always {ctx.level == 5} }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0434",
        title: "nested too deeply",
        meaning: r"Expressions are nested more than 120 deep, predicates and `let`s expanded. The bound keeps the compiler and
what it makes safe on any machine. Split the expression into several clauses or `let`s.",
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "E0435",
        title: "contract too large",
        meaning: r"Predicates and `let`s expand to more than 200000 expressions in one contract, most likely because
predicates that use their parameters twice are nested. Split the contract.",
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "E0446",
        title: "bound in time on what does not happen",
        meaning: r"A bound in time (`at most n times within`, `only after .. within`, `leads to .. within`) counts events. `not call b`
holds at every event that is no call of b, returns and inputs among them. Say which events count.",
        why: "",
        fix: "",
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
