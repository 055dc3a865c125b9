//! Warnings: names, lists and tests that are there for nothing.

use crate::diagnostic::CodeDoc;

/// The codes.
pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "W0412",
        title: "unused declaration",
        meaning: "The file declares an event, a lookup, a context field, a predicate or a group that nothing uses, or refines a tool that nothing names.

Only a file of the command line is told, and only where it has contracts and no `module` line: what other files declare is there to be
imported. A tool that is written by hand counts where the file reads a schema as well; without one the list of tools says which there are.
Uses are compared by name alone, over all files that are loaded. A name that begins with `_` is left alone.",
        why: "A name that nothing uses is often one that was misspelt where it was meant, or a rule that was never written.",
        fix: "Use it, or leave it out.",
        wrong: &[(
            "policy.ctr",
            "tool pay(amount: number)
group money = { pay }
group reads = { list_orders }
tool list_orders()
contract c { guarantee call money at most 3 times }
",
        )],
        right: &[(
            "policy.ctr",
            "tool pay(amount: number)
group money = { pay }
tool list_orders()
contract c { guarantee call money at most 3 times }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0413",
        title: "unused parameter",
        meaning: "The body of the predicate does not use one of its parameters. A parameter whose name begins with `_` is left alone.",
        why: "Whoever uses the predicate gives something that changes nothing.",
        fix: "Use it, leave it out, or begin its name with `_` where a caller has to give it.",
        wrong: &[(
            "policy.ctr",
            "predicate paid_once(a: event, limit: int) = a at most 1 time
contract c { guarantee paid_once(call pay, 3) }
",
        )],
        right: &[(
            "policy.ctr",
            "predicate paid_once(a: event) = a at most 1 time
contract c { guarantee paid_once(call pay) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0414",
        title: "unused import",
        meaning: "Nothing of an imported file is used: no predicate, event, lookup or group by its name, and it declares no tools and no context field that
is read here. Or an `include` loads no contract.",
        why: "`import` makes names usable and loads no contracts: whoever meant the contracts of the file is not protected by them.",
        fix: "Leave the line out; write `include` for the contracts of a file and `import` for its names.",
        wrong: &[
            (
                "policy.ctr",
                r#"import "common.ctr" as common
contract c { guarantee never call pay }
"#,
            ),
            (
                "common.ctr",
                "contract shared { guarantee never call zap }
predicate quiet(a: event) = never a
",
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r#"include "common.ctr"
contract c { guarantee never call pay }
"#,
            ),
            (
                "common.ctr",
                "contract shared { guarantee never call zap }
predicate quiet(a: event) = never a
",
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "W0415",
        title: "clause said twice",
        meaning: "Two clauses of one contract have the same meaning, though perhaps not the same words.",
        why: "The second one adds nothing: most likely something else was to be said, a copied line that was not changed.",
        fix: "Leave it out, or say what was meant.",
        wrong: &[(
            "policy.ctr",
            "contract c {
  guarantee never call pay after call refund
  guarantee call pay only before call refund
}
",
        )],
        right: &[(
            "policy.ctr",
            "contract c {
  guarantee never call pay after call refund
  guarantee never call pay after call cancel
}
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0416",
        title: "tool listed twice",
        meaning: "A pattern or a group lists one tool or group twice.",
        why: "One of the two was most likely to be another tool, which the rule does not speak of now.",
        fix: "Leave it out, or write the tool that was meant.",
        wrong: &[(
            "policy.ctr",
            "contract c { guarantee call pay | refund | pay at most 3 times }
",
        )],
        right: &[(
            "policy.ctr",
            "contract c { guarantee call pay | refund | transfer at most 3 times }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0417",
        title: "value listed twice",
        meaning: "A list after `in`, an `enum`, `@tags` or `@agents` holds one value twice.",
        why: "One of the two was most likely to be another value.",
        fix: "Leave it out, or write the value that was meant.",
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee call pay only if currency in ["EUR", "USD", "EUR"] }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee call pay only if currency in ["EUR", "USD", "CHF"] }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0418",
        title: "file named twice",
        meaning: "A file imports one file under two names, includes it twice, or reads one list of tools twice.",
        why: "A file is loaded once, so that the second line adds nothing.",
        fix: "Leave one of the lines out.",
        wrong: &[
            (
                "policy.ctr",
                r#"include "common.ctr"
include "common.ctr" { shared }
"#,
            ),
            (
                "common.ctr",
                "contract shared { guarantee never call zap }
predicate quiet(a: event) = never a
",
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r#"include "common.ctr"
"#,
            ),
            (
                "common.ctr",
                "contract shared { guarantee never call zap }
predicate quiet(a: event) = never a
",
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "W0419",
        title: "two tests of one name",
        meaning: "Two tests of a file have the same name, and are for the same contracts.",
        why: "Reports name tests by this text: nobody sees which of the two has failed.",
        fix: "Say of each what it shows.",
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee never call pay }
test "payments" { call pay() expect block }
test "payments" { call refund() expect allow }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee never call pay }
test "payments are refused" { call pay() expect block }
test "refunds are not" { call refund() expect allow }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0420",
        title: "empty test",
        meaning: "Nothing happens in the test, and it expects nothing: no call, return, message or event, and no `expect`.",
        why: "It passes whatever the policy says.",
        fix: "Write the session that it is about. What the empty session owes is said with `end expect pending` or `end expect satisfied`.",
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee never call pay }
test "pay is refused" { call pay() expect block }
test "nothing else is" { context role = "admin" }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee never call pay }
test "pay is refused" { call pay() expect block }
test "nothing else is" {
  context role = "admin"
  call refund() expect allow
}
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0421",
        title: "step without effect",
        meaning: "The last steps of a test move the clock, set the context or answer a lookup, and nothing happens afterwards that could see it.",
        why: "Contracts are judged when something happens, and at `end`: the step changes nothing.",
        fix: "Move it before the step that it is for; write `end` where something is owed by then.",
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee call pay leads to call receipt within 30s }
test "the receipt comes in time" {
  call pay() expect allow
  after 1min
}
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee call pay leads to call receipt within 30s }
test "the receipt comes in time" {
  call pay() expect allow
  after 1min
  call look() expect violation by c
}
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0422",
        title: "test that its contract does not see",
        meaning: "The test is limited to a contract, and none of its events is a step of that contract: their kinds are none of those that its patterns name, or,
for a contract with keys, no pattern names their kind and tool. Tests that expect something at `end` are left alone.",
        why: "The contract cannot refuse any of them, so that the test passes whatever the contract says.",
        fix: "Name the contract that the test is about, or add an event that the contract speaks of.",
        wrong: &[(
            "policy.ctr",
            r#"contract no_pay { guarantee never call pay }
contract no_secrets { guarantee never output(text contains "secret") }
test "pay is refused" for no_pay { call pay() expect block }
test "no secrets are told" for no_pay { output "the secret is told" }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract no_pay { guarantee never call pay }
contract no_secrets { guarantee never output(text contains "secret") }
test "pay is refused" for no_pay { call pay() expect block }
test "no secrets are told" for no_secrets { output "the secret is told" expect block }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0423",
        title: "star in the name of a tool",
        meaning: "The name of a tool has a star in it, and no tool of that name is declared. A name matches exactly: it is never a pattern.",
        why: "The rule speaks of no tool that exists, and so of nothing.",
        fix: "List the tools, `a | b`; give a set of them a name with `group`; `any` is every tool.",
        wrong: &[(
            "policy.ctr",
            "contract c { guarantee never call `delete_*` }
",
        )],
        right: &[(
            "policy.ctr",
            "contract c { guarantee never call delete_file | delete_user }
",
        )],
        exempt: None,
    },
];
