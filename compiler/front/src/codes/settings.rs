//! Settings (`ctrc.toml`) and comments that allow warnings.

use ctr_grammar::codes::Exempt;

use crate::diagnostic::CodeDoc;

/// A policy without faults.
const CLEAN: (&str, &str) = (
    "policy.ctr",
    "contract c {\n  guarantee never call drop_table\n}\n",
);

/// The codes.
pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "E0800",
        title: "settings that are not TOML",
        meaning: r"The nearest `ctrc.toml` above the policy cannot be read as TOML: a bracket or a quote is missing, a key stands
twice, a text stands without quotes. Nothing of the file counts.",
        why: r"Settings that are passed over in silence would let a warning through that the project denies.",
        fix: r"Mend the line; [configuration](../configuration.md) shows a whole file. `--no-config` checks without it.",
        wrong: &[CLEAN, ("ctrc.toml", "[lints]\nW0407 = deny\n")],
        right: &[CLEAN, ("ctrc.toml", "[lints]\nW0407 = \"deny\"\n")],
        exempt: None,
    },
    CodeDoc {
        code: "E0801",
        title: "a setting of another type",
        meaning: r"A key of `ctrc.toml` has a value that it cannot have: a level other than `allow`, `note`, `warn` and `deny`, a number
in quotes, a number out of bounds, a pattern of paths that fits nothing. The key says nothing; the rest of the file counts.",
        why: r"A limit or a level that is passed over in silence is not the one that the project set.",
        fix: r"The help says what can stand there.",
        wrong: &[CLEAN, ("ctrc.toml", "[check]\nsolver-timeout = \"30s\"\n")],
        right: &[CLEAN, ("ctrc.toml", "[check]\nsolver-timeout = 30\n")],
        exempt: None,
    },
    CodeDoc {
        code: "E0802",
        title: "settings that cannot be read",
        meaning: r"There is a `ctrc.toml` above the policy, and the system does not let it be read, or it is no text in UTF-8.",
        why: r"Going on without it would check the policy by other rules than those of its project.",
        fix: r"Mend the file or its permissions, or leave it aside with `--no-config`.",
        wrong: &[],
        right: &[],
        exempt: Some(Exempt {
            reason: "A file that cannot be read cannot be shown.",
            test: "compiler/front/src/config/find.rs::what_is_no_text_is_told",
        }),
    },
    CodeDoc {
        code: "W0800",
        title: "a warning is allowed without a reason",
        meaning: r"A comment `// ctrc: allow(...)` has no `because` with a reason behind it, on the same line. It allows the warning
all the same.",
        why: r"Who reads the policy next year must be able to tell whether the reason still holds.",
        fix: r"Write the reason.",
        wrong: &[(
            "policy.ctr",
            r"contract c {
  // ctrc: allow(W0407)
  guarantee call log_in
}
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c {
  // ctrc: allow(W0407) because the first step is all that this is about
  guarantee call log_in
}
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0801",
        title: "unknown code",
        meaning: r"A comment `// ctrc: allow(...)` or `[lints]` in a `ctrc.toml` names a code that there is not. Codes are written in
capitals: `W0407`. In comments `warnings` is no code.",
        why: r"What was meant is still told, or no longer denied, and nobody sees why.",
        fix: r"Write the code that stands in brackets before the message.",
        wrong: &[CLEAN, ("ctrc.toml", "[lints]\nw0407 = \"deny\"\n")],
        right: &[CLEAN, ("ctrc.toml", "[lints]\nW0407 = \"deny\"\n")],
        exempt: None,
    },
    CodeDoc {
        code: "W0802",
        title: "an error cannot be allowed",
        meaning: r"A comment `// ctrc: allow(...)` or `[lints]` in a `ctrc.toml` names an error. Errors say that what was written is no
policy, or one that nothing can keep: nothing could be built of it.",
        why: r"What has no meaning cannot be built, whatever the settings say; the comment or key only looks as if it helped.",
        fix: r"Mend what the error tells of, and leave the code out.",
        wrong: &[CLEAN, ("ctrc.toml", "[lints]\nE0703 = \"warn\"\n")],
        right: &[CLEAN, ("ctrc.toml", "[lints]\nW0706 = \"note\"\n")],
        exempt: None,
    },
    CodeDoc {
        code: "W0803",
        title: "a comment that allows nothing",
        meaning: r"Where the comment `// ctrc: allow(...)` counts there is no such finding, or another comment allows it already.

A comment on a line of its own counts for the item, clause or test step below it, or where none begins there for the
next line; a comment at the end of a line for that line. It is told only where all was looked for: in files that were
named, without errors in the policy, and not of what is proven (`W07..`) where a question stayed open or was not asked.",
        why: r"It would hide the next finding that comes up there, which nobody has looked at.",
        fix: r"Remove it; `ctrc check --fix` does.",
        wrong: &[(
            "policy.ctr",
            r"contract c {
  // ctrc: allow(W0407) because the first step is all that this is about
  guarantee never call drop_table
}
",
        )],
        right: &[CLEAN],
        exempt: None,
    },
    CodeDoc {
        code: "W0804",
        title: "a comment that looks as if it allowed a warning",
        meaning: r"The comment begins with `ctrc` and is not of the form `// ctrc: allow(W0407) because REASON`; or it is a block comment
or documentation, which allow nothing.",
        why: r"Its writer believes that a warning is dealt with.",
        fix: r"Write it in that form, or begin the comment with another word.",
        wrong: &[(
            "policy.ctr",
            r"// ctrc: ignore[W0407]
contract c {
  guarantee never call drop_table
}
",
        )],
        right: &[CLEAN],
        exempt: None,
    },
    CodeDoc {
        code: "W0805",
        title: "unknown setting",
        meaning: r"A table or key of `ctrc.toml` is none that the compiler knows. It says nothing; the rest of the file counts.",
        why: r"A misspelt key leaves its setting as it was, and nobody sees why.",
        fix: r"[Configuration](../configuration.md) lists all tables and keys.",
        wrong: &[CLEAN, ("ctrc.toml", "[check]\nsolver_timeout = 30\n")],
        right: &[CLEAN, ("ctrc.toml", "[check]\nsolver-timeout = 30\n")],
        exempt: None,
    },
    CodeDoc {
        code: "W0806",
        title: "settings that are not read",
        meaning: r"Beside the policy is a file whose name is nearly `ctrc.toml` (`.ctrc.toml`, `ctrc.yaml`, `ctr.toml`), or in a folder that
was searched there is a `ctrc.toml` with no policy below it.",
        why: r"Its writer believes that it counts.",
        fix: r"Rename it, or move it to the folder of the policies or one above.",
        wrong: &[CLEAN, (".ctrc.toml", "[lints]\nW0407 = \"deny\"\n")],
        right: &[CLEAN, ("ctrc.toml", "[lints]\nW0407 = \"deny\"\n")],
        exempt: None,
    },
];
