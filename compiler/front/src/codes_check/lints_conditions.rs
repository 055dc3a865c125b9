//! Warnings: formulas and conditions that hardly say what was meant.

use crate::diagnostic::CodeDoc;

/// The codes.
pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "W0429",
        title: "`until` that asks for what follows",
        meaning: "`not P until Q` is strong: besides keeping P back it asks for Q, so that a session in which Q never comes fails, also where P never comes either. A
contract that asks for `eventually Q` as well is left alone.",
        why: "Most sessions need neither P nor Q; with this rule each of them has failed at its end.",
        fix: "For a condition of P alone write `P only after Q`, or `unless` for `until`. If Q is owed in every session, say so in a clause of its own.",
        wrong: &[(
            "policy.ctr",
            "contract c { guarantee not call pay until success verify }
",
        )],
        right: &[(
            "policy.ctr",
            "contract c { guarantee call pay only after success verify }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0430",
        title: "field that is never there",
        meaning: "A call whose outcome nobody knows has no result, and neither has a call that is refused: a pattern `unknown T(...)` reads `result`, or a message reads `result`
or `args` of an event that has none.",
        why: "What is undefined is refused; in a message it shows as `?`.",
        fix: "Ask for the arguments of the call, `args.`; in a message read what an earlier event brought with `latest(...)`.",
        wrong: &[(
            "policy.ctr",
            r#"contract c {
  guarantee call pay only if amount <= 50
  otherwise block "The limit is {result.limit}."
}
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c {
  guarantee call pay only if amount <= 50
  otherwise block "{args.amount} is above the limit of 50."
}
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0431",
        title: "comparison that is decided beforehand",
        meaning: "The comparison always holds, or never does: `len`, `count`, `streak`, `abs` and `elapsed` are never negative, a whole number has no fraction, a number is
outside of what the schema of its field allows, or both sides are written out. `at least 0 times` always holds.",
        why: "The rule allows everything or nothing, whatever happens.",
        fix: "Write the bound that was meant: for at least one `> 0`, for none `== 0`.",
        wrong: &[(
            "policy.ctr",
            "contract c { guarantee call pay only if (amount <= 50 and count(success verify) >= 0) }
",
        )],
        right: &[(
            "policy.ctr",
            "contract c { guarantee call pay only if (amount <= 50 and count(success verify) > 0) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0432",
        title: "compared with a truth value",
        meaning: "A field that is declared `bool` is compared with `true` or `false`. It may stand alone.",
        why: "It says nothing more, and a reader looks for a third value.",
        fix: "Write `field`, or `not field`.",
        wrong: &[(
            "policy.ctr",
            "tool pay(amount: number, urgent: bool)
contract c { guarantee never call pay(urgent == true) }
",
        )],
        right: &[(
            "policy.ctr",
            "tool pay(amount: number, urgent: bool)
contract c { guarantee never call pay(urgent, amount > 50) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0433",
        title: "double negation",
        meaning: "Two `not` in a row cancel each other, and `never not P` is `always P`.",
        why: "It is read as its contrary.",
        fix: "Leave both out.",
        wrong: &[(
            "policy.ctr",
            "contract c { guarantee never call pay(not not has(amount), amount > 5) }
",
        )],
        right: &[(
            "policy.ctr",
            "contract c { guarantee never call pay(has(amount), amount > 5) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0434",
        title: "the same on both sides",
        meaning: "Both sides of a connective or comparison are the same: `a and a`, `a implies a`, `args.x == args.x`.",
        why: "One of the two was most likely to be something else.",
        fix: "Write what was meant.",
        wrong: &[(
            "policy.ctr",
            "contract c { guarantee call pay only if (mentioned(input, to) or mentioned(input, to)) }
",
        )],
        right: &[(
            "policy.ctr",
            "contract c { guarantee call pay only if (mentioned(input, to) or mentioned(input, name)) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0435",
        title: "constant beside a condition",
        meaning: "`true` or `false` stands beside `and`, `or`, `implies` or `iff`, or after `only if` and `only while`.",
        why: "It decides the whole or adds nothing. Such a condition was often put there for a trial and forgotten.",
        fix: "Leave it out, or write the condition that was meant.",
        wrong: &[(
            "policy.ctr",
            "contract c { guarantee never call pay(amount > 50, true) }
",
        )],
        right: &[(
            "policy.ctr",
            "contract c { guarantee never call pay(amount > 50) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0436",
        title: "comparisons that exclude each other",
        meaning: "One value cannot be equal to two others: `x == a and x == b` never holds, and `x != a or x != b` always does.",
        why: "The rule allows everything or nothing. Most often `and` and `or` have changed places.",
        fix: "For one of several write `x in [a, b]`, for none of them `x not in [a, b]`.",
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee call pay only if (amount <= 50 and (currency != "XXX" or currency != "XTS")) }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee call pay only if (amount <= 50 and currency not in ["XXX", "XTS"]) }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0437",
        title: "value that a function never gives",
        meaning: "`lower` and `host` give no capital letters, `upper` no small ones, `trim` no white space at the ends, and `host` the host alone, without `https://` and path. The
text or regular expression beside it asks for what is never given.",
        why: "The comparison never holds. Where it forbids, nothing is refused.",
        fix: "Write the text as the function gives it.",
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee never call pay(lower(currency) == "EUR") }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee never call pay(lower(currency) == "eur") }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0438",
        title: "letters in place of a host or folder",
        meaning: "Where a condition decides what is allowed, the beginning, the end or a part of a text is compared with a host or a folder.",
        why: "`https://example.com` is also the beginning of `https://example.com.evil.net`, `corp.com` the end of `evilcorp.com`, and `/srv/data` the beginning of
`/srv/database` and `/srv/data/../../etc`.",
        fix: r#"Compare hosts with `host(url) == ...` or `host(url) ends with ".example.com"`, and folders with `inside`."#,
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee call read_file only if path starts with "/srv/data" }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee call read_file only if path inside "/srv/data" }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0439",
        title: "list in many words",
        meaning: "One thing is compared with three values or more, one after the other, joined by `or` (or by `and` with `!=`).",
        why: "A list is shorter, and the next value is added in one place.",
        fix: "Write `x in [a, b, c]` or `x not in [a, b, c]`.",
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee call pay only if (currency == "EUR" or currency == "USD" or currency == "CHF") }
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
        code: "W0440",
        title: "`some` where every element counts",
        meaning: "Where a condition decides what is allowed, `some x in list: x != value` holds as soon as one element is unlike it, whatever the others are.",
        why: "What was to be kept out is let in beside anything else.",
        fix: "Write `every x in list: x != value`.",
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee call send only if some x in to: x != "press@corp.com" }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee call send only if every x in to: x != "press@corp.com" }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0441",
        title: "expectation that no session meets",
        meaning: "A test expects something of a step that is no event (`context`, `lookup`, `after`), or expects of one step that it is allowed and something else as well.",
        why: "The test fails whatever the policy says.",
        fix: "Expect it of the next event; of one step expect one thing.",
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee call pay leads to call receipt within 30s }
test "the receipt comes in time" {
  call pay() expect allow
  after 1min expect violation by c
  call look()
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
        code: "W0442",
        title: "all tools excepted",
        meaning: "The file reads a list of tools, and `any except` excepts all of them. A pattern `any` fits unknown tools too, so that it still speaks of those.",
        why: "A rule about the other tools speaks of no tool that is known.",
        fix: "Leave out of the list what the pattern is to fit.",
        wrong: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
group all_of_them = { pay, refund }
contract c { guarantee call any except all_of_them at most 3 times }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [{"name": "pay", "inputSchema": {"type": "object"}}, {"name": "refund", "inputSchema": {"type": "object"}}]}
"#,
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
group reads = { refund }
contract c { guarantee call any except reads at most 3 times }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [{"name": "pay", "inputSchema": {"type": "object"}}, {"name": "refund", "inputSchema": {"type": "object"}}]}
"#,
            ),
        ],
        exempt: None,
    },
];
