//! Warnings: regular expressions.

use crate::diagnostic::CodeDoc;

/// The codes.
pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "W0424",
        title: "regular expression that is always found",
        meaning: "The expression fits the empty text, and the empty text is in every text: `matches` searches.",
        why: "The condition holds of every text. Where it forbids, everything is refused; where it permits, nothing is.",
        fix: "Write `+` for `*` where something must be there, or anchors where the whole text is meant: `/^[a-z]*$/`.",
        wrong: &[(
            "policy.ctr",
            "contract c { guarantee call pay only if (amount <= 50 and code matches /[A-Z]*/) }
",
        )],
        right: &[(
            "policy.ctr",
            "contract c { guarantee call pay only if (amount <= 50 and code matches /^[A-Z]*$/) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0425",
        title: "brackets that hold a word",
        meaning: "A class in brackets is one character. This one spells a word or separates alternatives with `|`, goes from capital to small letters, which
have other signs between them, or an alternative beside it is empty.",
        why: "The expression fits texts that nobody thought of: `[a|b]` fits a stroke, `[A-z]` fits `_`, `(a|)` fits nothing at all.",
        fix: "Write alternatives in parentheses, `(a|b)`; letters as `[A-Za-z]`; what may be left out as `(...)?`.",
        wrong: &[(
            "policy.ctr",
            "contract c { guarantee never call run(command matches /[sudo|su] /) }
",
        )],
        right: &[(
            "policy.ctr",
            "contract c { guarantee never call run(command matches /(sudo|su) /) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0426",
        title: "dot that is any character",
        meaning: "In what looks like the name of a host or a file an unescaped `.` stands between letters. It fits any character.",
        why: "`example.com` fits `example-com.net` and `examplexcom` too.",
        fix: r#"Write `\.`; where the whole value is a host, compare without a regular expression: `host(url) == "example.com"`."#,
        wrong: &[(
            "policy.ctr",
            "contract c { guarantee never call fetch(url matches /pastebin.com/) }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee never call fetch(url matches /pastebin\.com/) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0427",
        title: "part of a regular expression without effect",
        meaning: r"A part of the expression does nothing: `.*` at an end that is not anchored, since `matches` searches; `\.*`, which is any number of dots, none
included; `$` before or `^` after what takes a character, which no text has.",
        why: "With an anchor inside the expression is never found; the other two say less than they seem to.",
        fix: r"Leave `.*` out, or anchor the expression; for any characters write `.*`; for the sign itself `\^` and `\$`.",
        wrong: &[(
            "policy.ctr",
            "contract c { guarantee never call run(command matches /rm -rf.*/) }
",
        )],
        right: &[(
            "policy.ctr",
            "contract c { guarantee never call run(command matches /rm -rf/) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0428",
        title: "regular expression that lets more through",
        meaning: "Where a condition decides what is allowed (after `only if`, in what must come first, under `not` in what must not happen) a regular expression that
describes a whole value, such as a host, an address or an identifier, is not anchored at both ends. `matches` searches. Where an expression
looks for words in a text nothing is told, nor in fields named `text`, `body`, `comment` and the like. In fields named `command`, `url`, `host`, `email` and the
like every expression without anchors is told.",
        why: r"What is allowed may have anything before or after it: `/example\.com/` fits `https://example.com.evil.net/` and `https://evil.net/?example.com`.",
        fix: "Write `^` and `$`, with alternatives in parentheses; the host of a URL or an address is `host(value)`.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call fetch only if url matches /example\.com/ }
",
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee call fetch only if host(url) == "example.com" }
"#,
        )],
        exempt: None,
    },
];
