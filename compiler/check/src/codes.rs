//! The codes of what is proven.

use ctr_front::diagnostic::CodeDoc;

/// The documentation of the codes E0700 to E0799 and W0700 to W0799.
pub const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "E0701",
        title: "no session keeps this contract (`inconsistent`)",
        meaning: r"The clauses of the contract exclude each other, or exclude what events can be: every session violates it, also one in which nothing
happens. The clauses to blame are shown.",
        why: "Every session fails, and a guard refuses whatever it can.",
        fix: "Remove or weaken one of the clauses that are shown.",
        wrong: &[(
            "policy.ctr",
            r"contract c {
  guarantee eventually call report
  guarantee never call report
}
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee eventually call report }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0702",
        title: "no session satisfies this assumption (`incompatible`)",
        meaning: "What the contract assumes of the environment cannot be.",
        why: "The contract is idle in every session and promises nothing.",
        fix: "Remove or weaken one of the assumptions that are shown.",
        wrong: &[(
            "policy.ctr",
            r"contract c {
  assume eventually success fetch
  assume never return fetch
  guarantee eventually call report
}
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c {
  assume eventually success fetch
  guarantee eventually call report
}
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0703",
        title: "contracts exclude each other (`conflict`)",
        meaning: r"Each of the contracts can be kept, all of them together cannot. The set is minimal: without any one of its contracts the others can be kept. Every
such set is told, the smallest first (ten at most).",
        why: "Every session violates one of them.",
        fix: "Weaken one of the contracts, or say when each applies.",
        wrong: &[(
            "policy.ctr",
            r"contract reported { guarantee eventually call report }
contract quiet { guarantee never call report }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract reported { guarantee eventually call report }
contract once_only { guarantee call report at most 1 time }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0704",
        title: "a tool that a contract names can never be called (`dead_tool`)",
        meaning: r"No session that keeps these contracts calls the tool, although none of them forbids it in so many words. (A clause `never call T` without conditions
is meant, and no finding.)",
        why: "What the agent was given the tool for cannot be done.",
        fix: "Weaken one of the contracts. Where the tool must not be called, say `never call T`.",
        wrong: &[(
            "policy.ctr",
            r"contract open_first { guarantee call read only after success open }
contract closed { guarantee never call open }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract open_first { guarantee call read only after success open }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0705",
        title: "a redirect's call is itself refused whenever it is made (`loop_redirect`)",
        meaning: r"In every session in which the contract asks for its redirect, the call that it makes instead, with the arguments that the redirect gives it, is
refused by the contracts named, perhaps by the contract itself.",
        why: "The runtime judges the call of a redirect like any other and then blocks, so that the redirect never comes to anything.",
        fix: "Redirect to a call that is allowed, or let the other contract allow it.",
        wrong: &[(
            "policy.ctr",
            r#"contract no_deletion {
  guarantee never call delete
  otherwise redirect archive(id: id) "Archived instead."
}
contract no_archive { guarantee never call archive }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract no_deletion {
  guarantee never call delete
  otherwise redirect archive(id: id) "Archived instead."
}
contract few_archives { guarantee call archive at most 3 times }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0700",
        title: "a question stayed open (`undecided`)",
        meaning: r"Whether something is wrong here could neither be proven nor refuted, for the reason given. Sums, sets, windows of time and values of
different events that are compared with each other are the usual causes: in general no program can decide them. It is a note, and `ctrc check` ends with 4
where nothing worse was found.",
        why: "A fault of this kind may be there and is not excluded.",
        fix: "`--solver-timeout` gives more time. Or compare with constants, which can be decided.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call pay only if lower(to) == upper(to) }
",
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee call pay only if to == "desk" }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0704",
        title: "a declared tool can never be called (`dead_tool`)",
        meaning: r"No session that keeps these contracts calls the tool. No contract names it: it falls under `any` or `any except`. A clause `never call any except ...` says so itself
and is no finding.",
        why: "The tool may have been forgotten when the rule about all others was written.",
        fix: "Name the tool in the `except`, or say that it is meant: `never call T`.",
        wrong: &[(
            "policy.ctr",
            r#"tool open()
tool read()
contract first { guarantee call any except open only after output(text == "go") }
contract silent { guarantee never output }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"tool open()
tool read()
contract first { guarantee call any except open only after output(text == "go") }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0705",
        title: "what a contract waits for can never happen (`vacuous`)",
        meaning: r"The left side of the contract's implications (`P` in `P only after Q`, `P leads to Q`, `P only while f`) does not occur in any session that keeps the other
contracts, or in none at all.",
        why: "The contract never matters: what it seems to demand is never demanded.",
        fix: "Remove the contract, or mend the pattern on its left side.",
        wrong: &[(
            "policy.ctr",
            r"contract no_wiping { guarantee never call wipe }
contract wipe_after_backup { guarantee call wipe only after success backup }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract wipe_after_backup { guarantee call wipe only after success backup }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0706",
        title: "the other contracts imply this one (`redundant`)",
        meaning: "Every session that keeps the other contracts named keeps this one too.",
        why: "It could be left out without changing what is allowed, or was meant to say more.",
        fix: "Remove it, or make it say what the others do not.",
        wrong: &[(
            "policy.ctr",
            r"contract at_most_two { guarantee call pay at most 2 times }
contract at_most_three { guarantee call pay at most 3 times }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract at_most_two { guarantee call pay at most 2 times }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0707",
        title: "a session can reach a dead end (`dead_end`)",
        meaning: r"The session that is shown violates nothing, and the runtime refuses none of its events: each contract by itself can still be kept. But no continuation
keeps these contracts together.",
        why: "The session will fail whatever the agent does next.",
        fix: "Weaken one of the clauses, or forbid a step on the way.",
        wrong: &[(
            "policy.ctr",
            r"contract answered { guarantee call open leads to call close }
contract frozen { guarantee never call close after call freeze }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract answered { guarantee call open leads to (call close or call freeze) }
contract frozen { guarantee never call close after call freeze }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0708",
        title: "the environment alone can violate this guarantee (`unenforceable`)",
        meaning: r"A guarantee is what the agent owes: a gate keeps it by refusing calls. Here the environment can violate it by a result, a message, a declared event or the
time that passes, whatever the agent does in between, or the guarantee can only be kept by never calling a tool that it does not forbid. A session that
shows it is the `witness` of `--format json`.",
        why: "The agent is blamed for what it cannot prevent.",
        fix: "Make what the environment owes an assumption: the event that breaks it is withheld from the agent, and the contract is not blamed.",
        wrong: &[(
            "policy.ctr",
            r"contract few_hits {
  guarantee never return search(count > 100)
}
",
        )],
        right: &[(
            "policy.ctr",
            r"contract few_hits {
  assume never return search(count > 100)
  guarantee call answer only after success search
}
",
        )],
        exempt: None,
    },
];
