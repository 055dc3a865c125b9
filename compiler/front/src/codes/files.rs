//! Files and modules.

use crate::diagnostic::{CodeDoc, Exempt};

/// The codes.
pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "E0200",
        title: "file not found",
        meaning: r"A file that the command line, an `import`, an `include` or a `tools from` names does not exist. A link whose target is gone counts as a missing
file.",
        why: "Rules or tools that are silently left out would let through what they forbid.",
        fix: "Mend the path. Paths in a policy are relative to the folder of the file that they stand in, not to the folder in which the compiler runs.",
        wrong: &[
            (
                "policy.ctr",
                r#"include "policies/common.ctr"
"#,
            ),
            (
                "common.ctr",
                r"contract c { guarantee never call a }
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
                r"contract c { guarantee never call a }
",
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "E0201",
        title: "a directory where a file is expected",
        meaning: "The path is a directory. A policy is one file.",
        why: "Which of its files are meant, and in what order, is not said.",
        fix: "Name the files. `ctrc check` and `ctrc test` take a directory on the command line, and check each policy in it apart.",
        wrong: &[
            (
                "policy.ctr",
                r#"include "common"
"#,
            ),
            (
                "common/rules.ctr",
                r"contract c { guarantee never call a }
",
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r#"include "common/rules.ctr"
"#,
            ),
            (
                "common/rules.ctr",
                r"contract c { guarantee never call a }
",
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "E0202",
        title: "file cannot be read",
        meaning: r"The file exists and the system does not let it be read: permissions, a loop of links, a pipe or a device. The message has the system's
own words.",
        why: "Rules that cannot be read are not there. Pipes and devices are refused so that the compiler never waits for one.",
        fix: "Give the user who runs the compiler the right to read the file, or name another one.",
        wrong: &[],
        right: &[],
        exempt: Some(Exempt {
            reason: "It depends on permissions, links and devices.",
            test: "compiler/front/tests/disk.rs::what_is_no_file_is_an_error_without_a_wait",
        }),
    },
    CodeDoc {
        code: "E0203",
        title: "file too large",
        meaning: "The file is larger than the compiler reads (16 MiB).",
        why: "A policy or a list of tools of that size is nearly always a wrong path, such as a recording.",
        fix: "Mend the path, or split the policy with `include`.",
        wrong: &[],
        right: &[],
        exempt: Some(Exempt {
            reason: "The file would have more than 16 MiB.",
            test: "compiler/front/tests/load.rs::other_reasons",
        }),
    },
    CodeDoc {
        code: "E0204",
        title: "not UTF-8 text",
        meaning: r"Policies and tool schemas are UTF-8. The message has the byte offset at which the file stops being that, and names UTF-16 and UTF-32 by
their byte order marks. A NUL byte also counts: it stands in binary files and in UTF-16 without a mark.",
        why: "In another encoding the names of tools would be read wrongly, and rules about them bind nothing.",
        fix: "Save the file as UTF-8, for example with `iconv -f UTF-16 -t UTF-8 old.ctr > new.ctr`.",
        wrong: &[
            (
                "policy.ctr",
                r#"include "old.ctr"
"#,
            ),
            ("old.ctr", "contract c { guarantee never call \"a\0\" }\n"),
        ],
        right: &[
            (
                "policy.ctr",
                r#"include "old.ctr"
"#,
            ),
            (
                "old.ctr",
                r"contract c { guarantee never call a }
",
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "E0205",
        title: "module not found",
        meaning: r"An `import` or `include` names a module that is neither a file nor part of the compiler. `import a.b` is the file `a/b.ctr` in the folder of the
importing file, or in the nearest of its parents up to the folder of the file on the command line; the message lists what was tried. Names that
start with `std.` are only ever modules of the compiler, such as `std.declare`.",
        why: "Templates and rules of the module would be missing.",
        fix: r#"Mend the name, or import a file by its path: `import "../shared/pay.ctr"`."#,
        wrong: &[(
            "policy.ctr",
            r"import std.declar
contract c { guarantee declar.precedence(call a, call b) }
",
        )],
        right: &[(
            "policy.ctr",
            r"import std.declare
contract c { guarantee declare.precedence(call a, call b) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0206",
        title: "files in a cycle",
        meaning: r"Files import or include each other in a circle. Every line of the circle is shown. Two paths to one file (links, `./a.ctr`,
`sub/../a.ctr`) are one file.",
        why: "None of them can be read first, so that names would have no settled meaning.",
        fix: "Move what both need into a third file. Two ways to one file without a circle are fine, and it is loaded once.",
        wrong: &[
            (
                "policy.ctr",
                r#"include "b.ctr"
contract c { guarantee never call a }
"#,
            ),
            (
                "b.ctr",
                r#"include "policy.ctr"
"#,
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r#"include "b.ctr"
contract c { guarantee never call a }
"#,
            ),
            (
                "b.ctr",
                r"contract d { guarantee never call b }
",
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "E0207",
        title: "import without a name",
        meaning: "A file that is imported by its path gets the name of the file up to the first dot, where that is an identifier. This one's is not.",
        why: "Without a name nothing of the file can be used.",
        fix: "Give it one with `as`.",
        wrong: &[
            (
                "policy.ctr",
                r#"import "refund-rules.ctr"
contract c { guarantee never call a }
"#,
            ),
            (
                "refund-rules.ctr",
                r"predicate quiet(a: event) = never a
",
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r#"import "refund-rules.ctr" as refunds
contract c { guarantee refunds.quiet(call a) }
"#,
            ),
            (
                "refund-rules.ctr",
                r"predicate quiet(a: event) = never a
",
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "E0208",
        title: "two imports with one name",
        meaning: "Two `import` lines of a file give the same name to different files.",
        why: "`name.x` could mean either.",
        fix: "Give one of them another name with `as`.",
        wrong: &[
            (
                "policy.ctr",
                r"import shop.rules
import bank.rules
contract c { guarantee rules.quiet(call a) }
",
            ),
            (
                "shop/rules.ctr",
                r"predicate quiet(a: event) = never a
",
            ),
            (
                "bank/rules.ctr",
                r"predicate silent(a: event) = never a
",
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r"import shop.rules
import bank.rules as bank
contract c { guarantee rules.quiet(call a) }
contract d { guarantee bank.silent(call b) }
",
            ),
            (
                "shop/rules.ctr",
                r"predicate quiet(a: event) = never a
",
            ),
            (
                "bank/rules.ctr",
                r"predicate silent(a: event) = never a
",
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "E0209",
        title: "second `module` line",
        meaning: "A file is one module and says its name at most once.",
        why: "Which of the two names others should import it by would be open.",
        fix: "Remove one line, or put the second part into a file of its own.",
        wrong: &[(
            "policy.ctr",
            r"module a
module b
contract c { guarantee never call a }
",
        )],
        right: &[(
            "policy.ctr",
            r"module a
contract c { guarantee never call a }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0210",
        title: "too many files",
        meaning: "One compilation reads at most 10,000 files. Whatever is past the limit is left out, and nothing is built.",
        why: "A policy that loads so many is generated wrongly, or written to hold the compiler up.",
        fix: "Compile parts of the policy on their own.",
        wrong: &[],
        right: &[],
        exempt: Some(Exempt {
            reason: "It takes more than 10,000 files.",
            test: "compiler/front/tests/load.rs::too_many_files",
        }),
    },
    CodeDoc {
        code: "W0001",
        title: "name with look-alike letters",
        meaning: "A name in back-ticks mixes ASCII letters with letters of another script that look like them, such as the
Cyrillic `а` in `pаy`.",
        why: "It is another name than the one that a reader sees: a rule about it says nothing of the tool that it
seems to be about.",
        fix: "Write the name with ASCII letters, or keep it where the server really calls its tool so.",
        wrong: &[(
            "policy.ctr",
            "contract c { guarantee never call `p\u{430}y` }\n",
        )],
        right: &[(
            "policy.ctr",
            "contract c { guarantee never call pay }\n",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0200",
        title: "module under another name",
        meaning: "`import a.b` found the file `a/b.ctr`, and that file's `module` line says another name. It is used all the same.",
        why: "A reader who looks for the module by its name will not find it.",
        fix: "Make the `module` line and the path agree.",
        wrong: &[
            (
                "policy.ctr",
                r"import shop.rules
contract c { guarantee rules.quiet(call a) }
",
            ),
            (
                "shop/rules.ctr",
                r"module shop.rule
predicate quiet(a: event) = never a
",
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r"import shop.rules
contract c { guarantee rules.quiet(call a) }
",
            ),
            (
                "shop/rules.ctr",
                r"module shop.rules
predicate quiet(a: event) = never a
",
            ),
        ],
        exempt: None,
    },
];
