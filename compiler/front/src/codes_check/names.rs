//! Names that are unknown, ambiguous or taken.

use crate::diagnostic::CodeDoc;

/// The codes.
pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "E0400",
        title: "unknown name",
        meaning: "Nothing of that name can be seen from here: no event, predicate, lookup, key, `let`, parameter or built-in function.",
        why: "A name without a meaning could only be guessed at.",
        fix: "Mend the spelling, or declare the name. Names of an imported file stand behind its name: `common.name`.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call pay only after aproval }
event approval(by: string)
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call pay only after approval }
event approval(by: string)
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0401",
        title: "unknown tool",
        meaning: r"The file declares tools, and none has this name. Names fit exactly, never as a prefix or a pattern. A file without any tool declaration
is not checked: its names are the tools of any server.",
        why: "A rule about a tool that does not exist forbids nothing, and the tool that was meant stays free.",
        fix: "Mend the spelling, or declare the tool with `tool` or `tools from`.",
        wrong: &[(
            "policy.ctr",
            r"tool refund(amount: number)
contract c { guarantee never call refnd }
",
        )],
        right: &[(
            "policy.ctr",
            r"tool refund(amount: number)
contract c { guarantee never call refund }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0402",
        title: "ambiguous tool",
        meaning: "Two servers declare a tool of that name.",
        why: "Identity comes from the server: a rule about `pay` of the shop must not be one about `pay` of the bank.",
        fix: "Say which one is meant: `bank.pay`.",
        wrong: &[(
            "policy.ctr",
            r"tool shop.pay(amount: number)
tool bank.pay(amount: number)
contract c { guarantee never call pay }
",
        )],
        right: &[(
            "policy.ctr",
            r"tool shop.pay(amount: number)
tool bank.pay(amount: number)
contract c { guarantee never call bank.pay }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0403",
        title: "unknown name in a module",
        meaning: "The imported file is there and has no such event, predicate, lookup, tool or group.",
        why: "A name without a meaning could only be guessed at.",
        fix: "Mend the spelling, or declare it in the imported file.",
        wrong: &[
            (
                "policy.ctr",
                r#"import "common.ctr" as common
contract c { guarantee common.quite(call pay) }
"#,
            ),
            (
                "common.ctr",
                r"contract shared { guarantee never call zap }
predicate quiet(a: event) = never a
",
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r#"import "common.ctr" as common
contract c { guarantee common.quiet(call pay) }
"#,
            ),
            (
                "common.ctr",
                r"contract shared { guarantee never call zap }
predicate quiet(a: event) = never a
",
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "E0404",
        title: "declared twice",
        meaning: r"Two things of one kind have the same name. Events, predicates, lookups and imports share their names; so do tools and groups; fields of one
record; keys and `let`s of one contract.",
        why: "Nobody could tell which of the two a rule means.",
        fix: "Rename one of them.",
        wrong: &[(
            "policy.ctr",
            r"event done(by: string)
predicate done(a: event) = once a
contract c { guarantee never call pay }
",
        )],
        right: &[(
            "policy.ctr",
            r"event done(by: string)
predicate finishes(a: event) = once a
contract c { guarantee call pay only while finishes(done) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0405",
        title: "two contracts of one name",
        meaning: "Two loaded files have a contract of this name.",
        why: "Verdicts and decisions name contracts, so that names are unique in a library.",
        fix: "Rename one of them.",
        wrong: &[
            (
                "policy.ctr",
                r#"include "common.ctr"
contract shared { guarantee never call pay }
"#,
            ),
            (
                "common.ctr",
                r"contract shared { guarantee never call zap }
predicate quiet(a: event) = never a
",
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r#"include "common.ctr"
contract own { guarantee never call pay }
"#,
            ),
            (
                "common.ctr",
                r"contract shared { guarantee never call zap }
predicate quiet(a: event) = never a
",
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "E0406",
        title: "recursion",
        meaning: "A predicate is replaced by its body, and a group by its tools. This one leads to itself.",
        why: "The replacement would never end.",
        fix: "Break the circle. What repeats in time is said by `always`, `until` and their like.",
        wrong: &[(
            "policy.ctr",
            r"predicate a(p: event) = b(p)
predicate b(p: event) = a(p)
contract c { guarantee a(call pay) }
",
        )],
        right: &[(
            "policy.ctr",
            r"predicate a(p: event) = b(p)
predicate b(p: event) = never p
contract c { guarantee a(call pay) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0407",
        title: "wrong number of arguments",
        meaning: "A predicate, function, aggregate or lookup takes another number of arguments, or is used without parentheses.",
        why: "What a missing argument should be could only be guessed.",
        fix: "Give as many arguments as the declaration has.",
        wrong: &[(
            "policy.ctr",
            r"predicate both(a: event, b: event) = (eventually a) and (eventually b)
contract c { guarantee both(call pay) }
",
        )],
        right: &[(
            "policy.ctr",
            r"predicate both(a: event, b: event) = (eventually a) and (eventually b)
contract c { guarantee both(call pay, call log) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0408",
        title: "wrong kind of argument",
        meaning: "A parameter declared `event` takes a pattern, or a formula in parentheses.",
        why: "In parentheses every reader sees where the formula begins and ends.",
        fix: "Give a pattern such as `call pay`, or put the formula into parentheses.",
        wrong: &[(
            "policy.ctr",
            r"predicate quiet(a: event) = never a
contract c { guarantee quiet(5) }
",
        )],
        right: &[(
            "policy.ctr",
            r"predicate quiet(a: event) = never a
contract c { guarantee quiet((call pay or call log)) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0409",
        title: "unknown contract",
        meaning: "A test or an `include` names a contract that is not there. Contracts of an imported file are not loaded.",
        why: "A test of a contract that does not exist would pass or fail for another reason than it says.",
        fix: "Mend the spelling, or load the contract's file with `include`.",
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee never call pay }
test "t" { call pay expect block by d }
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
        code: "E0410",
        title: "reserved name",
        meaning: "`args`, `result`, `ctx` and `event` say where a field is, and built-in functions have names of their own. Nothing else can be called so.",
        why: "A rule that uses the name would mean something else after the declaration than before.",
        fix: "Choose another name.",
        wrong: &[(
            "policy.ctr",
            r"event count(n: int)
contract c { guarantee never call pay }
",
        )],
        right: &[(
            "policy.ctr",
            r"event counted(n: int)
contract c { guarantee call pay only after counted }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0411",
        title: "unknown attribute",
        meaning: "Contracts have the attributes `@id`, `@severity`, `@source`, `@tags` and `@agents`.",
        why: "A misspelt attribute would be left out of reports, and `@agents` of what the contract applies to.",
        fix: "Mend the spelling.",
        wrong: &[(
            "policy.ctr",
            r"@sevrity(high)
contract c { guarantee never call pay }
",
        )],
        right: &[(
            "policy.ctr",
            r"@severity(high)
contract c { guarantee never call pay }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0412",
        title: "wrong attribute value",
        meaning: "An attribute takes other values, or another number of them. Severities are info, low, medium, high and critical.",
        why: "Reports are sorted and filtered by these values.",
        fix: "Write one of the values that the message lists.",
        wrong: &[(
            "policy.ctr",
            r"@severity(urgent)
contract c { guarantee never call pay }
",
        )],
        right: &[(
            "policy.ctr",
            r#"@severity(critical)
@id("R-12")
@source("policy.md", "Refunds")
@tags("a", "b")
@agents("billing-*")
contract c { guarantee never call pay }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0413",
        title: "attribute in the wrong place",
        meaning: "Attributes describe contracts, and nothing else has any.",
        why: "It would have no effect where it stands.",
        fix: "Move it before the contract that it describes.",
        wrong: &[(
            "policy.ctr",
            r#"@id("R-1")
event approval(by: string)
contract c { guarantee call pay only after approval }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"event approval(by: string)
@id("R-1")
contract c { guarantee call pay only after approval }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0414",
        title: "unknown annotation",
        meaning: r"`tools where` selects tools by their MCP annotations: `destructive`, `read_only`, `idempotent` and `open_world`, joined by `and`, `or` and `not`. A tool that says
nothing counts as the specification of MCP has it: not read-only, destructive, not idempotent, open to the world.",
        why: "A group by an annotation that no tool can have would be empty, and a rule about it bind nothing.",
        fix: "Write one of the four.",
        wrong: &[(
            "policy.ctr",
            r"tool pay(amount: number)
group g = tools where destuctive
contract c { guarantee never call g }
",
        )],
        right: &[(
            "policy.ctr",
            r"tool pay(amount: number)
group g = tools where destructive and not read_only
contract c { guarantee never call g }
",
        )],
        exempt: None,
    },
];
