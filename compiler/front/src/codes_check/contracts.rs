//! Contracts, attributes, actions and tests.

use crate::diagnostic::CodeDoc;

/// The codes.
pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "E0531",
        title: "no plain value in a test",
        meaning: "A test is a session that is written out: its values are strings, numbers, `true`, `false`, `null`, lists and records.",
        why: "What is calculated in a test could hide the same mistake as the rule that it tests.",
        fix: "Write the value out.",
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee never call pay }
test "t" { call pay(amount: 1 + 1) expect block }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee never call pay }
test "t" { call pay(amount: 2) expect block }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0532",
        title: "unknown expectation",
        meaning: "A step leads to allow, block, warn, escalate, redirect, repair, suppress or violation; the end of a session to pending or satisfied.",
        why: "A test that expects what cannot happen would never pass.",
        fix: "Write one of these words.",
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee never call pay }
test "t" { call pay expect blocked by c }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee never call pay }
test "t" { call pay expect block by c }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0533",
        title: "unknown recorded fact in a test",
        meaning: "With a step of a test the host records `agent`, `server`, `time`, `turn`, `depth` and `tokens`.",
        why: "Another name would be recorded and read by no rule, so that the test shows nothing.",
        fix: "Write one of the six.",
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee never call pay }
test "t" { call pay with agnt = "x" expect block }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee never call pay }
test "t" { call pay with agent = "x" expect block }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0534",
        title: "expectation about the end",
        meaning: "Whether obligations are open is asked at the end of the session, not at a step.",
        why: "In the middle of a session nearly every obligation is open.",
        fix: "Write `end expect pending`.",
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee eventually call pay }
test "t" { call log expect pending }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee eventually call pay }
test "t" {
  call log
  end expect pending
}
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0535",
        title: "tests that expect nothing",
        meaning: "A step without `expect` must be allowed. None of the file's tests expects anything else.",
        why: "Tests like these pass with any policy that allows everything, and test too little to be trusted.",
        fix: "Add a step that the policy refuses, with what is expected of it.",
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee never call pay }
test "t" { call log }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee never call pay }
test "t" {
  call log
  call pay expect block
}
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0536",
        title: "step after the end",
        meaning: "`end` ends the session of a test.",
        why: "Nothing can happen after the end.",
        fix: "Move the step before `end`, or into a test of its own.",
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee never call pay }
test "t" {
  end expect satisfied
  call pay expect block
}
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee never call pay }
test "t" {
  call pay expect block
  end expect satisfied
}
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0541",
        title: "wrong arguments of a redirect",
        meaning: "The call that is made instead is declared: it has its arguments, all that are required and no others.",
        why: "The tool would refuse the call, and the agent get an error in place of what was promised.",
        fix: "Give the arguments that the tool declares.",
        wrong: &[(
            "policy.ctr",
            r#"tool pay(amount: number)
tool ask(question: string)
contract c {
  guarantee never call pay
  otherwise redirect ask(qestion: "pay?", question: "pay?") "asking"
}
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"tool pay(amount: number)
tool ask(question: string)
contract c {
  guarantee never call pay
  otherwise redirect ask(question: "pay {args.amount}?") "asking"
}
"#,
        )],
        exempt: None,
    },
];
