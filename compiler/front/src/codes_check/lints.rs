//! Warnings: what is allowed and probably not meant.

use crate::diagnostic::CodeDoc;

/// The codes.
pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "W0400",
        title: "hidden field",
        meaning: r"A key, a `let` or a parameter has the name of a declared field, and the bare name means the former. Write
`args.name` or `result.name` for the field.",
        why: "",
        fix: "",
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
        meaning: r"The field may be missing, and what is undefined is refused. Say what holds then, `(field ?? value)`, or ask
first, `has(field) and ...`.",
        why: "",
        fix: "",
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
        meaning: "The test gives an argument that the tool does not declare. That may be what it tests, or a slip.",
        why: "",
        fix: "",
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
        meaning: "No declared tool belongs to the group, so that whatever is said of it is said of no tool.",
        why: "",
        fix: "",
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
        meaning: "The contract has no `guarantee` and no `assume`: every session keeps it.",
        why: "",
        fix: "",
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
        meaning: r"The file declares context fields, and this is none of them: perhaps a slip. In a file that declares tools it is
an error (E0514).",
        why: "",
        fix: "",
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
        meaning: r"A bare name in the pattern of a return is a field of the result. This tool declares no such field, and an
argument of that name: read as a field of the result it is most likely missing, and what is undefined is refused.
Write `args.name` for the argument, `result.name` if the result has it too.",
        why: "",
        fix: "",
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
        meaning: r"A formula is judged at the first step of the session. Without an operator that looks ahead it says nothing of
later steps. Say `always (...)` for all of them, or use a form: `never P`, `P only if condition`.",
        why: "",
        fix: "",
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
        why: "",
        fix: "",
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
        meaning: "Two loaded contracts have the same `@id`. Findings are traced to rules by their ids.",
        why: "",
        fix: "",
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
        meaning: "`inside` is about absolute paths: with a relative one it is undefined, and what is undefined is refused.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee call read only if path inside "srv/data" }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee call read only if path inside "/srv/data" }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0411",
        title: "redirect without a call",
        meaning: r"A redirect makes another call in place of a refused one. The patterns of this contract name no call that could be
refused.",
        why: "",
        fix: "",
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
