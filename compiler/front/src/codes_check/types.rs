//! Fields, values and conditions.

use crate::diagnostic::CodeDoc;

/// The codes.
pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "E0500",
        title: "comparison of unlike types",
        meaning: r#"Values of unlike types are never equal and have no order. Strings are never read as numbers; a moment is written `timestamp("...")`; a
duration has a unit."#,
        why: "The comparison is the same for every event: the rule never applies, or always.",
        fix: "Write a value of the field's type, or convert with `number(...)` or `text(...)`.",
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
        meaning: "The declared type has no such field. JSON Schemas that do not mention additional properties count as closed here.",
        why: "A name that no property has is a slip: the field would be undefined at every event.",
        fix: "Mend the spelling, or declare the field.",
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
        meaning: "The field has known values, and this is none of them.",
        why: "The comparison is the same for every event: the rule never applies, or always.",
        fix: "Write one of the declared values.",
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
        why: "An expression that cannot be read matches nothing that could be foretold.",
        fix: "Mend the expression at the place that is shown. Signs that are meant as text stand after a backslash.",
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
        meaning: "Regular expressions are searched in linear time, whatever the text. Look-around and back-references do not allow that.",
        why: "With them a text could be made that stalls the guard.",
        fix: "Two conditions do the work of a look-around.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee never call bash(command matches /rm(?! -i)/) }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee never call say(text matches /rm/ and not text matches /rm -i/) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0505",
        title: "regular expression out of place",
        meaning: "`matches` takes a regular expression between slashes, and nothing else does.",
        why: "A regular expression is no value that anything could be equal to.",
        fix: "Write `matches`, or a string in quotes.",
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
        meaning: "Arithmetic is linear: one factor of `*` is a constant.",
        why: "Only then can the compiler decide whether contracts contradict each other.",
        fix: "Multiply by a constant, or let a tool, a lookup or the context supply the product.",
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
        why: "With any other value the result is undefined, and what is undefined is refused.",
        fix: "Convert a text with `number(...)`.",
        wrong: &[(
            "policy.ctr",
            r#"tool pay(note: string)
contract c { guarantee call pay only if note + 1 < 5 or note == "free" }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"tool pay(note: string)
contract c { guarantee call pay only if number(note) + 1 < 5 or note == "free" }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0508",
        title: "no list",
        meaning: "`every`, `some`, `[*]` and `[0]` go into lists.",
        why: "In any other value they find nothing, and the condition is undefined.",
        fix: "Declare the field as a list, or compare the value itself.",
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
        meaning: "The operator is not for values of that type: `matches`, `like`, `starts with`, `ends with` and `inside` take strings, `in` a list, `contains` a string or a list.",
        why: "The condition would be undefined at every event.",
        fix: "Use an operator of the type, or convert with `text(...)`.",
        wrong: &[(
            "policy.ctr",
            r#"tool pay(amount: number)
contract c { guarantee never call pay(amount like "5*") }
"#,
        )],
        right: &[(
            "policy.ctr",
            r"tool pay(amount: number)
contract c { guarantee never call pay(amount >= 5) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0510",
        title: "no condition",
        meaning: "A condition is true or false. Only a field declared `bool` can stand alone.",
        why: "Languages differ in which numbers and texts count as true.",
        fix: "Compare the value: `amount > 0`.",
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
        why: "Its result would be undefined at every event.",
        fix: "Give a value of the right type, or convert it.",
        wrong: &[(
            "policy.ctr",
            r#"tool pay(amount: number, note: string)
contract c { guarantee never call pay(lower(amount) == "x") }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"tool pay(amount: number, note: string)
contract c { guarantee never call pay(lower(note) == "x") }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0512",
        title: "unreadable time",
        meaning: "A moment is written as RFC 3339 has it, with its offset: `2026-11-30T10:00:00Z`. A duration has one of the units ms, s, min, h and d.",
        why: "Without year, month and day in order, and without an offset, a moment has several readings.",
        fix: "Write the moment or the duration in that form.",
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
        why: "The result of a calculation is no field.",
        fix: "Ask for the field that the calculation reads.",
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
        meaning: r"The file declares what the host supplies, and this field is not among it. A file without `context` lines is not checked; in a file without
tools it is a warning (W0405).",
        why: "A field that the host never supplies is undefined, and what is undefined is refused.",
        fix: "Mend the spelling, or declare the field with `context`.",
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
        meaning: "The host records `event.agent`, `event.server`, `event.time`, `event.turn`, `event.depth` and `event.tokens`.",
        why: "What no host records is undefined at every event.",
        fix: "Read one of the six.",
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
        why: "Whether other fields may be there as well is not said by a record.",
        fix: r#"Compare the fields: `to.name == "x"`."#,
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
        meaning: r#"Types are `string`, `int`, `number`, `bool`, `enum("a", "b")`, `list<T>`, `map<T>`, `{ field: T, other?: T }`, `timestamp`, `duration`, `null`, `T | U` and `any`; a
predicate's parameter may be an `event`."#,
        why: "A field of an unknown type could not be checked.",
        fix: "Write one of these types.",
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
