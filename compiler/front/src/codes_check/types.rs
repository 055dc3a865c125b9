//! Fields, values and conditions.

use crate::diagnostic::CodeDoc;

/// The codes.
pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "E0500",
        title: "comparison of unlike types",
        meaning: r#"Values of unlike types are never equal and have no order, so that the comparison says nothing. Strings are
never read as numbers; a moment is written `timestamp("...")`; a duration has a unit."#,
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r#"tool pay(amount: number)
contract c { guarantee never call pay(amount == "5") }
"#,
        )],
        right: &[(
            "policy.ctr",
            r"tool pay(amount: number)
contract c { guarantee never call pay(amount == 5) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0501",
        title: "unknown field",
        meaning: r"The declared type has no such field. JSON Schemas that do not mention additional properties count as closed
here: a name that no property has is a slip.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"tool pay(amount: number)
contract c { guarantee never call pay(amout > 5) }
",
        )],
        right: &[(
            "policy.ctr",
            r"tool pay(amount: number)
contract c { guarantee never call pay(amount > 5) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0502",
        title: "unknown value",
        meaning: "The field has known values, and this is none of them, so that the comparison is the same for every event.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r#"tool pay(mode: enum("card", "cash"))
contract c { guarantee never call pay(mode == "crad") }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"tool pay(mode: enum("card", "cash"))
contract c { guarantee never call pay(mode == "card") }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0503",
        title: "unreadable regular expression",
        meaning: "Regular expressions have the syntax of the Rust crate `regex`, and the flags i, m, s, x, U and u.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee never call bash(command matches /rm (/) }
",
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee never call bash(command matches /rm \(/i) }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0504",
        title: "look-around or back-reference",
        meaning: r"Regular expressions are searched in linear time, whatever the text, so that nobody can stall the guard.
Look-around and back-references do not allow that. Two conditions do the work of a look-around.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee never call bash(command matches /rm(?! -i)/) }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee never call bash(command matches /rm/ and not command matches /rm -i/) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0505",
        title: "regular expression out of place",
        meaning: "`matches` takes a regular expression between strokes, and nothing else does.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee never call bash(command == /rm/) }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee never call bash(command matches /rm/) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0506",
        title: "product of two unknowns",
        meaning: r"Arithmetic is linear: one factor of `*` is a constant, so that the compiler can decide whether contracts
contradict each other.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee never call buy(price * quantity > 100) }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee never call buy(price * 3 > 100) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0507",
        title: "no number",
        meaning: "`+`, `-`, `*`, `sum`, `min` and `max` take numbers (and durations and timestamps where that has a meaning).",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"tool pay(note: string)
contract c { guarantee never call pay(note + 1 > 5) }
",
        )],
        right: &[(
            "policy.ctr",
            r"tool pay(note: string)
contract c { guarantee never call pay(number(note) + 1 > 5) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0508",
        title: "no list",
        meaning: "`every`, `some`, `[*]` and `[0]` go into lists.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r#"tool pay(to: string)
contract c { guarantee never call pay(some x in to: x == "a") }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"tool pay(to: list<string>)
contract c { guarantee never call pay(some x in to: x == "a") }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0509",
        title: "wrong operand",
        meaning: r"The operator is not for values of that type: `matches`, `like`, `starts with`, `ends with` and `inside` take
strings, `in` a list, `contains` a string or a list.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r#"tool pay(amount: number)
contract c { guarantee never call pay(amount like "5*") }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"tool pay(amount: number)
contract c { guarantee never call pay(text(amount) like "5*") }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0510",
        title: "no condition",
        meaning: "A condition is true or false. Only a field declared `bool` can stand alone.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"tool pay(amount: number, urgent: bool)
contract c { guarantee never call pay(amount) }
",
        )],
        right: &[(
            "policy.ctr",
            r"tool pay(amount: number, urgent: bool)
contract c { guarantee never call pay(urgent) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0511",
        title: "wrong type of argument",
        meaning: "A function, lookup or predicate takes a value of another type.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r#"tool pay(amount: number)
contract c { guarantee never call pay(lower(amount) == "x") }
"#,
        )],
        right: &[(
            "policy.ctr",
            r"tool pay(amount: number)
contract c { guarantee never call pay(abs(amount) == 3) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0512",
        title: "unreadable time",
        meaning: r"A moment is written as RFC 3339 has it, with its offset: `2026-11-30T10:00:00Z`. A duration has one of the
units ms, s, min, h and d.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee never call pay(event.time > timestamp("30.11.2026")) }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee never call pay(event.time > timestamp("2026-11-30T10:00:00Z")) }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0513",
        title: "`has` of no field",
        meaning: "`has` asks whether a field is there.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee never call pay(has(amount + 1)) }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee never call pay(has(amount)) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0514",
        title: "unknown context field",
        meaning: r"The file declares what the host supplies, and this field is not among it. A file without `context` lines is
not checked; in a file without tools it is a warning (W0405).",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r#"tool pay(amount: number)
context role: string
contract c { guarantee call pay only while {ctx.rol == "admin"} }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"context role: string
contract c { guarantee call pay only while {ctx.role == "admin"} }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0515",
        title: "unknown recorded fact",
        meaning: r"The host records `event.agent`, `event.server`, `event.time`, `event.turn`, `event.depth` and
`event.tokens`.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee never call pay(event.agnt == "x") }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee never call pay(event.agent == "x") }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0516",
        title: "record in a condition",
        meaning: "A record is written out only in tests. Conditions compare field by field.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee never call pay(to == { name: "x" }) }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee never call pay(to.name == "x") }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0517",
        title: "unknown type",
        meaning: r#"Types are `string`, `int`, `number`, `bool`, `enum("a", "b")`, `list<T>`, `map<T>`, `{ field: T, other?: T }`,
`timestamp`, `duration`, `null`, `T | U` and `any`; a predicate's parameter may be an `event`."#,
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"tool pay(amount: integer)
contract c { guarantee never call pay }
",
        )],
        right: &[(
            "policy.ctr",
            r"tool pay(amount: int)
contract c { guarantee never call pay }
",
        )],
        exempt: None,
    },
];
