//! Warnings: what is allowed and probably not meant.

use crate::diagnostic::CodeDoc;

/// The codes.
pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "W0400",
        title: "hidden field",
        meaning: "A key, a `let` or a parameter has the name of a declared field, and the bare name means the former.",
        why: "A reader may take it for the field, and the rule compare something else than it seems to.",
        fix: "Rename it. The field is always `args.name` or `result.name`.",
        wrong: &[(
            "policy.ctr",
            r"tool pay(limit: number, amount: number)
contract c {
  let limit = 5
  guarantee call pay only if amount <= limit
}
",
        )],
        right: &[(
            "policy.ctr",
            r"tool pay(limit: number, amount: number)
contract c {
  let most = 5
  guarantee call pay only if amount <= most
}
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0401",
        title: "optional field",
        meaning: "The field may be missing, and what is undefined is refused.",
        why: "A call without the field is refused, whatever else it has.",
        fix: "Say what holds then, `(field ?? value)`, or ask first, `has(field) and ...`.",
        wrong: &[(
            "policy.ctr",
            r"tool pay(amount?: number)
contract c { guarantee never call pay(amount > 5) }
",
        )],
        right: &[(
            "policy.ctr",
            r"tool pay(amount?: number)
contract c { guarantee never call pay((amount ?? 0) > 5) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0402",
        title: "undeclared argument in a test",
        meaning: "The test gives an argument that the tool does not declare.",
        why: "That may be what it tests, or a slip, and then the test shows nothing of the argument that was meant.",
        fix: "Mend the spelling, or declare the argument.",
        wrong: &[(
            "policy.ctr",
            r#"tool pay(amount: number)
contract c { guarantee never call pay }
test "t" { call pay(amout: 5) expect block }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"tool pay(amount: number)
contract c { guarantee never call pay }
test "t" { call pay(amount: 5) expect block }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0403",
        title: "empty group",
        meaning: "No declared tool belongs to the group.",
        why: "Whatever is said of it is said of no tool.",
        fix: "Mend the condition, or the annotations of the tools.",
        wrong: &[(
            "policy.ctr",
            r"tool pay(amount: number)
group safe = tools where read_only
contract c { guarantee never call pay }
",
        )],
        right: &[(
            "policy.ctr",
            r"tool pay(amount: number)
group risky = tools where not read_only
contract c { guarantee never call risky }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0404",
        title: "contract without a promise",
        meaning: "The contract has no `guarantee` and no `assume`.",
        why: "Every session keeps it: it looks like a rule and is none.",
        fix: "Add the clause, or remove the contract.",
        wrong: &[(
            "policy.ctr",
            r#"contract c { otherwise block "no" }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c {
  guarantee never call pay
  otherwise block "no"
}
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0405",
        title: "undeclared context field",
        meaning: "The file declares context fields, and this is none of them. In a file that declares tools it is an error (E0514).",
        why: "A field that the host never supplies is undefined, and what is undefined is refused.",
        fix: "Mend the spelling, or declare the field with `context`.",
        wrong: &[(
            "policy.ctr",
            r#"context role: string
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
        code: "W0406",
        title: "argument read from the result",
        meaning: "A bare name in the pattern of a return is a field of the result. This tool declares no such field, and an argument of that name.",
        why: "Read as a field of the result it is most likely missing, and what is undefined is refused.",
        fix: "Write `args.name` for the argument, `result.name` if the result has it too.",
        wrong: &[(
            "policy.ctr",
            r"tool pay(amount: number)
contract c { guarantee call pay only if sum(success pay, amount) <= 300 }
",
        )],
        right: &[(
            "policy.ctr",
            r"tool pay(amount: number)
contract c { guarantee call pay only if sum(success pay, args.amount) <= 300 }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0407",
        title: "clause about the first step alone",
        meaning: "A formula is judged at the first step of the session. Without an operator that looks ahead it says nothing of later steps.",
        why: "The rule binds one event, and was most likely meant for all.",
        fix: "Say `always (...)` for all of them, or use a form: `never P`, `P only if condition`.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call pay(amount <= 50) }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call pay only if amount <= 50 }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0408",
        title: "unused `let`",
        meaning: "Nothing reads the `let`: no clause, no other `let`, no message.",
        why: "A limit that is named and not used is a rule that was forgotten.",
        fix: "Use it, or remove it.",
        wrong: &[(
            "policy.ctr",
            r"contract c {
  let most = 5
  guarantee call pay only if amount <= 50
}
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c {
  let most = 5
  guarantee call pay only if amount <= most
}
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0409",
        title: "id given twice",
        meaning: "Two loaded contracts have the same `@id`.",
        why: "Findings are traced to rules by their ids.",
        fix: "Give each contract an id of its own.",
        wrong: &[(
            "policy.ctr",
            r#"@id("R-1")
contract a { guarantee never call pay }
@id("R-1")
contract b { guarantee never call refund }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"@id("R-1")
contract a { guarantee never call pay }
@id("R-2")
contract b { guarantee never call refund }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0410",
        title: "relative directory",
        meaning: "`inside` is about absolute paths: with a relative one it is undefined.",
        why: "What is undefined is refused, so that every call is.",
        fix: "Write an absolute path.",
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee call read only if path inside "srv/data" or admin == true }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee call read only if path inside "/srv/data" or admin == true }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0411",
        title: "redirect without a call",
        meaning: "A redirect makes another call in place of a refused one. The patterns of this contract name no call that could be refused.",
        why: "The action never happens as it is written; the event is blocked.",
        fix: "Write another action, such as `block`, or name the call that should be replaced.",
        wrong: &[(
            "policy.ctr",
            r#"contract c {
  guarantee never output(text contains "secret")
  otherwise redirect ask(question: "may I?")
}
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c {
  guarantee never output(text contains "secret")
  otherwise block "No secrets."
}
"#,
        )],
        exempt: None,
    },
];
