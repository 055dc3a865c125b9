//! Bytes, characters and words.

use super::{CodeDoc, Exempt};

/// The codes.
pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "E0001",
        title: "file too large",
        meaning: "The whole file is refused where it has more than 16 MiB.",
        why: "No input may hold the compiler up, and a policy of that size is nearly always a wrong path, such as a recording.",
        fix: "Split the file and load its parts with `include`.",
        wrong: &[],
        right: &[
            (
                "policy.ctr",
                r#"include "refunds.ctr"
include "mail.ctr"
"#,
            ),
            (
                "refunds.ctr",
                r"contract refunds { guarantee call refund at most 3 times }
",
            ),
            (
                "mail.ctr",
                r"contract mail { guarantee never call send_all }
",
            ),
        ],
        exempt: Some(Exempt {
            reason: "It is about a text of more than 16 MiB; the loader refuses such a file before (E0203).",
            test: "grammar/src/tests/robust.rs::size_is_limited_and_time_is_linear",
        }),
    },
    CodeDoc {
        code: "E0002",
        title: "too many errors",
        meaning: "After a hundred characters or words that cannot be read the rest are counted and not shown.",
        why: "Most often the file is no contract file at all, or not in UTF-8: a thousand messages would say no more than one hundred.",
        fix: "Look whether the path is right. Otherwise mend the first errors and check again.",
        wrong: &[],
        right: &[(
            "policy.ctr",
            r"contract safe { guarantee never call drop }
",
        )],
        exempt: Some(Exempt {
            reason: "The hundred errors before it are told as well.",
            test: "tests/tests/codes.rs::more_than_a_hundred_unreadable_words",
        }),
    },
    CodeDoc {
        code: "E0010",
        title: "unexpected character",
        meaning: r"A character begins no word, number, string or operator of the language. Invisible characters, and white space of other
kinds than space, tab and line end, are reported too.",
        why: "A character that a reader does not see, or takes for another, would let a policy say something else than what was reviewed.",
        fix: "Remove the character. A name with letters outside ASCII stands in back-ticks.",
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
        meaning: "A string ends on the line on which it starts. The error stands at the opening quote, and the text after the line is read as usual.",
        why: "If a string could go on, one forgotten quote would turn the rules below it into text, up to the next quote.",
        fix: r#"Close the string on its line. A line end inside a string is written `\n`."#,
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
        why: "All that follows would be comment: contracts that a reviewer sees would not be there.",
        fix: "Close the comment with `*/`, or begin each of its lines with `//`.",
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
        meaning: "A regular expression stands between slashes on one line. There is no division in this language.",
        why: "The rest of the line would belong to the expression, and with it the conditions that stand there.",
        fix: r#"Close it with `/`. A slash inside is written `\/`, or stands in a class such as `[/]`."#,
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
        meaning: r#"In a string a backslash is followed by `n`, `t`, `r`, `\`, `"`, `{`, `}` or by `u{...}` with the number of a character
in base 16. `\{` is a brace that begins no expression in a message."#,
        why: "Languages differ in what they make of other escapes; a path or a pattern read in another way than it was meant protects nothing.",
        fix: r#"Write a backslash as `\\`."#,
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
        meaning: r"Numbers are decimal and exact, as in JSON: `500`, `0.3`, `1e3`. They do not start with a zero, have no groups of digits and no
other base. A duration is a whole number of its unit.",
        why: "`010` is eight in some languages and ten in others. A limit must have one reading.",
        fix: "Write the number in plain digits.",
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
        why: "A longer one could only be cut, and the window would not be the one that is written.",
        fix: "Use a shorter duration. What has no end needs no `within`.",
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
        meaning: "A duration has one of the units `ms`, `s`, `min`, `h` and `d`. There is no `m`, and a number without a unit is no time.",
        why: "`5m` is five minutes to some readers and five months to others.",
        fix: "Write one of the five units directly after the number.",
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
        meaning: "A line ends in LF or CRLF. A carriage return alone is an error, also in a comment.",
        why: "Many editors show it as a line end, so that a comment seems to end where for the compiler it goes on: the reviewer reads a rule that is not there.",
        fix: "Save the file with LF line ends.",
        wrong: &[(
            "policy.ctr",
            "// harmless\rcontract c { guarantee never call a }\n",
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
        meaning: "A text holds no NUL bytes.",
        why: "The text may be UTF-16, or no text at all, and what tools show of such a file differs.",
        fix: "Save the file as UTF-8 text.",
        wrong: &[],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee never call a }
",
        )],
        exempt: Some(Exempt {
            reason: "Of a file the loader tells it as E0204; this code is for texts that come from elsewhere, as from an editor.",
            test: "tests/tests/codes.rs::a_text_with_a_nul_byte",
        }),
    },
    CodeDoc {
        code: "E0020",
        title: "hidden change of direction",
        meaning: r"Characters such as U+202E change the direction in which the text after them is shown. They are refused everywhere, also in
comments and strings.",
        why: "A reader sees another text than the compiler: a rule can be made to look as if it stood outside a comment, or to name another tool.",
        fix: r#"Remove the character. In a string it can be written as an escape, `\u{202e}`."#,
        wrong: &[(
            "policy.ctr",
            "contract c { guarantee never call a(x == \"\u{202e}\") }\n",
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
        meaning: "The file holds the markers of a merge conflict. Of its two sides the first is read, so that other errors are still shown.",
        why: "Which of the two sides is the policy is not decided yet.",
        fix: "Resolve the conflict and remove the three markers.",
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
        meaning: r"An operator of another language. The operators of this one are words: `and`, `or`, `not`, `implies`, `iff`. `==` and `!=` compare. Nothing
ends with a semicolon.",
        why: "Policies are read by people who write no programs; there is one way to write each connective.",
        fix: "Write the word that the message names.",
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
        meaning: "`=` stands where something is named, in `let`, `group`, `predicate`, and in tests.",
        why: "In a condition it would be unclear whether a value is compared or given.",
        fix: "Compare two values with `==`.",
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
        meaning: "Strings stand in straight double quotes.",
        why: "Word processors and chat programs change quotes, and a string that ends at another place than it seems to has other contents.",
        fix: "Write straight double quotes.",
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
        meaning: "A letter or sign of another script looks like an ASCII one, as the Cyrillic `а` does like the Latin `a`.",
        why: "To a reader the two words are one, to the compiler they are two: a rule about one does not bind the other.",
        fix: "Type the word anew with ASCII letters. Where the other script is meant, put the name into back-ticks.",
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
        why: "The name of a tool must be exact, and one that runs on over the line end is the name of none.",
        fix: "Close the name with a back-tick.",
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
