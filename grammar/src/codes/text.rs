//! Bytes, characters and words.

use super::CodeDoc;

/// The codes.
pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "E0001",
        title: "file too large",
        meaning: r"The whole file is refused where it has more than 16 MiB, so that no input can hold the compiler
up. Split the file and load its parts with `include`.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"one file of 40 MiB
",
        )],
        right: &[(
            "policy.ctr",
            r#"include "refunds.ctr"
include "mail.ctr"
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0002",
        title: "too many errors",
        meaning: r"After a hundred characters or words that cannot be read the rest are counted and not shown. Most
often the file is no contract file at all, or not in UTF-8.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"a PDF renamed to `policy.ctr`
",
        )],
        right: &[(
            "policy.ctr",
            r"contract safe { guarantee never call drop }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0010",
        title: "unexpected character",
        meaning: r"A character begins no word, number, string or operator of the language. Invisible characters,
and white space of other kinds than space, tab and line end, are reported too, since a reader
does not see them. Names with letters outside ASCII stand in back-ticks.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee never call café }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee never call `café` }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0011",
        title: "unterminated string",
        meaning: r#"A string ends on the line on which it starts. The error stands at the opening quote, and the
text after the line is read as usual. A line end inside a string is written `\n`."#,
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r#"contract c {
  guarantee never call a
  otherwise block "Ask first.
}
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c {
  guarantee never call a
  otherwise block "Ask first."
}
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0012",
        title: "unterminated comment",
        meaning: "A comment that starts with `/*` ends with the next `*/`; such comments do not nest.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"/* the desk's rules
contract c { guarantee never call a }
",
        )],
        right: &[(
            "policy.ctr",
            r"/* the desk's rules */
contract c { guarantee never call a }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0013",
        title: "unterminated regular expression",
        meaning: r#"A regular expression stands between slashes on one line. A slash inside it is written `\/`, or
stands in a class such as `[/]`. There is no division in this language."#,
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee never call a(path matches /tmp) }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee never call a(path matches /tmp/) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0014",
        title: "unknown escape",
        meaning: r#"In a string a backslash is followed by `n`, `t`, `r`, `\`, `"`, `{`, `}` or by `u{...}` with the
number of a character in base 16. `\{` is a brace that begins no expression in a message."#,
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee never call a(p == "C:\dir") }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee never call a(p == "C:\\dir") }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0015",
        title: "malformed number",
        meaning: r"Numbers are decimal and exact, as in JSON: `500`, `0.3`, `1e3`. They do not start with a zero,
have no groups of digits and no other base. A duration is a whole number of its unit.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call a only if n <= 1_000 }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call a only if n <= 1000 }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0016",
        title: "duration too long",
        meaning: "Durations are kept in nanoseconds in 64 bits, which is about 292 years.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call a leads to call b within 999999999d }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call a leads to call b within 30d }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0017",
        title: "unknown unit",
        meaning: r"A duration has one of the units `ms`, `s`, `min`, `h` and `d`. There is no `m`, since readers
take it for minutes or for months. A number without a unit is no time.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call a leads to call b within 5m }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call a leads to call b within 5min }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0018",
        title: "carriage return without line feed",
        meaning: r"Many editors show a lone carriage return as a line end, so that a comment seems to end where for
the compiler it goes on. Lines end in LF or CRLF.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"`// harmless` CR `contract c { ... }`
",
        )],
        right: &[(
            "policy.ctr",
            r"// harmless
contract c { guarantee never call a }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0019",
        title: "NUL byte",
        meaning: "A text file holds no NUL bytes. The file may be in UTF-16, or no text at all.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"a file in UTF-16
",
        )],
        right: &[(
            "policy.ctr",
            r"a file in UTF-8
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0020",
        title: "hidden change of direction",
        meaning: r"Characters such as U+202E change the direction in which the text after them is shown, so that a
reader sees another text than the compiler. They are refused everywhere, also in comments and
strings; in a string they can be written as an escape.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee never call a(x == "<U+202E>") }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee never call a(x == "\u{202e}") }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0021",
        title: "merge conflict",
        meaning: r"The file holds the markers of a merge conflict. Of its two sides the first is read, so that
other errors are still shown.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"<<<<<<< ours
contract c { guarantee never call a }
=======
contract c { guarantee never call b }
>>>>>>> theirs
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
        code: "E0022",
        title: "operator of another language",
        meaning: r"The operators are words: `and`, `or`, `not`, `implies`, `iff`. `==` and `!=` compare. Nothing
ends with a semicolon.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call a only if x && y }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call a only if x and y }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0023",
        title: "`=` compares nothing",
        meaning: r"`=` stands where something is named, in `let`, `group`, `predicate`, and in tests. Two values
are compared with `==`.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call a only if x = 3 }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call a only if x == 3 }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0024",
        title: "quotes of another kind",
        meaning: "Strings stand in straight double quotes. Word processors and chat programs change them.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call a only if x == 'abc' }
",
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee call a only if x == "abc" }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0025",
        title: "look-alike character",
        meaning: r"A letter or sign of another script looks like an ASCII one, as the Cyrillic `а` does like the
Latin `a`. To the compiler they differ.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee never cаll b }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee never call b }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0026",
        title: "malformed name in back-ticks",
        meaning: "A name in back-ticks is not empty and ends on its line.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee never call `create-issue }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee never call `create-issue` }
",
        )],
        exempt: None,
    },
];
