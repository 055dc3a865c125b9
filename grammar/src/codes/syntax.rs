//! Brackets, items, clauses and expressions.

use super::CodeDoc;

/// The codes.
pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "E0030",
        title: "missing closing bracket",
        meaning: r"A bracket is opened and not closed. The label shows where; if the indentation of a later closing brace fits another opening
one better, that one is shown. What follows is read as if the bracket had been closed.",
        why: "Where a block ends decides which clauses belong to which contract.",
        fix: "Close the bracket where its block ends.",
        wrong: &[(
            "policy.ctr",
            r"contract a {
  guarantee never call x

contract b {
  guarantee never call y
}
",
        )],
        right: &[(
            "policy.ctr",
            r"contract a {
  guarantee never call x
}

contract b {
  guarantee never call y
}
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0031",
        title: "unexpected closing bracket",
        meaning: "A bracket is closed that has not been opened, or by one of another kind.",
        why: "Where a block ends decides which clauses belong to which contract.",
        fix: "Remove the bracket, or open its partner where the block begins.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee never call a(x == 1)) }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee never call a(x == 1) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0032",
        title: "nested too deeply",
        meaning: "Brackets nest at most 128 deep, and the tree of an expression or a type at most 256. Long chains of `and` and of `or` do not count.",
        why: "No text may exhaust the stack of the compiler, or of a program that reads what it makes.",
        fix: "Name the inner parts with `let` or `predicate`.",
        wrong: &[(
            "policy.ctr",
            r"predicate p() = (((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((call a)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
contract c { guarantee never p() }
",
        )],
        right: &[(
            "policy.ctr",
            r"predicate p() = (call a or call b)
contract c { guarantee eventually p() }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0040",
        title: "unexpected word",
        meaning: r"At this place the language knows no such word. The message lists what could stand here. What was being read is left out, and reading
goes on at the next clause, step or item.",
        why: "A clause that is only half understood must not count as a rule.",
        fix: "Write one of the things that the message lists.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call a call b }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call a leads to call b }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0041",
        title: "misspelt keyword",
        meaning: "A word is near to a keyword that could stand here. It is read as that keyword, so that the rest of the file is still checked.",
        why: "A guess is good enough to find other errors, not to build a policy from.",
        fix: "Write the keyword as the message spells it.",
        wrong: &[(
            "policy.ctr",
            r"contract c { garantee never call a }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee never call a }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0042",
        title: "not an item",
        meaning: r"A file holds items, each of which begins with a keyword: `module`, `import`, `include`, `tools from`, `tool`, `group`, `event`, `context`, `lookup`,
`predicate`, `contract`, `test`.",
        why: "A clause outside a contract has no name under which a refusal could be reported.",
        fix: "Begin with one of the keywords, or put the clause into a contract.",
        wrong: &[(
            "policy.ctr",
            r"guarantee never call a
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee never call a }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0043",
        title: "text ends too early",
        meaning: "An item, an attribute or an expression is not complete where the text ends.",
        why: "The file may have been cut off, and rules with it.",
        fix: "Complete the item.",
        wrong: &[(
            "policy.ctr",
            r"contract
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee never call a }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0050",
        title: "how far an operator reaches",
        meaning: r"`always a implies b` is read by some as `always (a implies b)` and by others as `(always a) implies b`. An operator of time whose operand is
followed by another operator wants parentheses. The help shows the readings.",
        why: "The two readings differ by everything that happens after the first step, and the language does not guess.",
        fix: "Put parentheses around the reading that is meant.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee always call a implies eventually call b }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee always (call a implies eventually call b) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0051",
        title: "chained operators of time",
        meaning: "`until`, `unless`, `release` and `since` do not chain: `a until b until c` has two readings.",
        why: "The two readings allow different sessions.",
        fix: "Put parentheses around the reading that is meant.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call a until call b until call d }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call a until (call b until call d) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0052",
        title: "connective beside an operator of time",
        meaning: "`and`, `or`, `implies` and `iff` beside `until`, `unless`, `release` or `since` want parentheses.",
        why: "Readers do not agree which of the two binds tighter, and the readings allow different sessions.",
        fix: "Put parentheses around the reading that is meant.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call a and call b until call d }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee (call a and call b) until call d }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0053",
        title: "readable form that is not alone",
        meaning: r"A readable form such as `P only after Q` or `never P` is the whole of a clause, or stands in parentheses. P and Q are patterns or
formulas in parentheses. The help shows the readings.",
        why: "How far a form of several words reaches is not to be guessed.",
        fix: "Put the form, or its operand, into parentheses.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call a only after call b or call d }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call a only after (call b or call d) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0054",
        title: "operand of a readable form",
        meaning: "P and Q of a readable form are event patterns, conditions in braces, or formulas in parentheses.",
        why: "Without parentheses it would be unclear where the operand ends.",
        fix: "Put the operand into parentheses.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call a leads to eventually call b }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call a leads to (eventually call b) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0055",
        title: "chained comparison",
        meaning: "Comparisons do not chain.",
        why: "`a < b < c` compares a truth value with `c` in some languages, and means two comparisons in others.",
        fix: "Write two comparisons and join them with `and`.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call a only if 1 < x < 3 }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call a only if 1 < x and x < 3 }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0056",
        title: "`matches` without a regular expression",
        meaning: "`matches` takes a regular expression between slashes, not a string.",
        why: "Between slashes it is checked and compiled before the policy is used, and nobody takes it for a fixed text.",
        fix: "Write the pattern between slashes. For a fixed text use `contains`, `==` or `like`.",
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee never call a(x matches "rm -rf") }
"#,
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee never call a(x matches /rm -rf/) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0057",
        title: "`within` out of place",
        meaning: "`within` stands at the end of `P only after Q`, `P leads to Q`, `P at most N times` and their like, and after a pattern in an aggregate.",
        why: "A form without a window, such as `never`, would not be limited by it.",
        fix: "Take a form that has a window, or leave `within` out.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee never call a within 5min }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call a at most 3 times within 5min }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0058",
        title: "window of the wrong kind",
        meaning: "`only after`, and counting with `at most`, `at least` and `exactly`, take a duration; only `leads to` takes a number of steps.",
        why: "Steps are those of a session as it is recorded: an unrelated call would shorten such a window.",
        fix: "Give a time: `within 5min`.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call a only after call b within 3 steps }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call a only after call b within 5min }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0060",
        title: "unknown action",
        meaning: "After `otherwise` stands one of `block`, `warn`, `escalate`, `redirect` and `repair`, with a message or without.",
        why: "What happens to an event that breaks the rule must be one of the things that the runtime does.",
        fix: "Write one of the five actions.",
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee never call a otherwise deny "No." }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee never call a otherwise block "No." }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0061",
        title: "unknown form of type",
        meaning: r#"Types with arguments are `list<T>`, `map<T>` and `enum("a", "b")`."#,
        why: "Fields of an unknown type could not be checked.",
        fix: "Write one of the three forms.",
        wrong: &[(
            "policy.ctr",
            r"context roles: array<string>
",
        )],
        right: &[(
            "policy.ctr",
            r"context roles: list<string>
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0062",
        title: "count that is no whole number",
        meaning: "Events and steps are counted in whole numbers up to 2^64 - 1.",
        why: "Half an event does not happen, and a limit that is rounded is another limit.",
        fix: "Write a whole number.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call a at most 2.5 times }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call a at most 2 times }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0063",
        title: "malformed index",
        meaning: "An index of a list is a whole number from 0, or `*` for all elements.",
        why: "An element that cannot be there is undefined, and what is undefined is refused.",
        fix: "Write a whole number, or `*`.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call a only if xs[1.5] == 1 or admin == true }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call a only if xs[1] == 1 or admin == true }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0064",
        title: "call of something that is no name",
        meaning: "Only a name or a dotted name can be called: a function, an aggregate, a lookup, a template, a declared event.",
        why: "The language has no functions as values.",
        fix: "Remove the parentheses around the name.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call a only if (len)(x) < 3 }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call a only if len(x) < 3 }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0065",
        title: "name that wants back-ticks",
        meaning: "A name with other characters than ASCII letters, digits and `_` stands in back-ticks.",
        why: "Without them `create-issue` is a subtraction.",
        fix: "Put the name into back-ticks.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee never call create-issue }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee never call `create-issue` }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0066",
        title: "argument of a test's step",
        meaning: "In a test the arguments of a call are values by name, not conditions.",
        why: "A test is one session that happened; `amount == 3` does not say what else the call may have had.",
        fix: "Write `name: value`.",
        wrong: &[(
            "policy.ctr",
            r#"test "t" { call pay(amount == 3) expect block }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"test "t" { call pay(amount: 3) expect block }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0067",
        title: "unclosed brace in a message",
        meaning: "In a message `{...}` holds an expression whose value is shown.",
        why: "The rest of the message would be read as an expression, or an expression be shown as it stands.",
        fix: r#"Close the brace. One that is text is written `\{`."#,
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee never call a otherwise block "Set {x" }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee never call a otherwise block "Set \{x" }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0068",
        title: "missing opening bracket",
        meaning: "A bracket is closed that nobody opened, or a contract or test has no `{` before its first clause or
step. It is read as if it stood where the text makes sense with it.",
        why: "Where a block or a list begins decides what belongs to it; a guess could take a clause into the wrong
contract.",
        fix: "Write the bracket where the message points, or delete the one that closes it.",
        wrong: &[(
            "policy.ctr",
            r"contract c guarantee never call a }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee never call a }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0069",
        title: "comment of another language",
        meaning: "A comment begins with `//` and ends with its line, or stands between `/*` and `*/`; those do not nest. `#`
and `--` begin no comment.",
        why: "A line that its writer took for a comment could be read as part of the policy.",
        fix: "Begin the comment with `//`.",
        wrong: &[(
            "policy.ctr",
            "# No drops.\ncontract c { guarantee never call drop }\n",
        )],
        right: &[(
            "policy.ctr",
            "// No drops.\ncontract c { guarantee never call drop }\n",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0070",
        title: "invisible character",
        meaning: "A string, a name or a regular expression holds a character that cannot be seen, such as U+200B (zero width
space). Joiners between letters of other scripts and in emoji are no fault.",
        why: "It is compared like any other character: `pay` with one in it is another tool, and no reader could tell.",
        fix: "Leave it out; in a string write it as `\\u{200b}` where it is meant.",
        wrong: &[(
            "policy.ctr",
            "contract c { guarantee never call pay(to == \"ann\u{200b}\") }\n",
        )],
        right: &[(
            "policy.ctr",
            "contract c { guarantee never call pay(to == \"ann\") }\n",
        )],
        exempt: None,
    },
];
