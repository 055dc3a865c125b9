//! The codes of the lexer and the parser, with their long explanations.

/// A code and what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeDoc {
    /// `E0001` to `E0199`.
    pub code: &'static str,
    /// A few words.
    pub title: &'static str,
    /// What is wrong and why it is an error, in Markdown.
    pub text: &'static str,
    /// A text that has the error, or words where no short text can show it.
    pub wrong: &'static str,
    /// The same without the error.
    pub right: &'static str,
}

/// The documentation of a code.
#[must_use]
pub fn lookup(code: &str) -> Option<&'static CodeDoc> {
    CODES.iter().find(|c| c.code == code)
}

/// All codes of this crate, in order.
pub const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "E0001",
        title: r#"file too large"#,
        text: r#"The whole file is refused where it has more than 16 MiB, so that no input can hold the compiler
up. Split the file and load its parts with `include`."#,
        wrong: r#"one file of 40 MiB"#,
        right: r#"include "refunds.ctr"
include "mail.ctr""#,
    },
    CodeDoc {
        code: "E0002",
        title: r#"too many errors"#,
        text: r#"After a hundred characters or words that cannot be read the rest are counted and not shown. Most
often the file is no contract file at all, or not in UTF-8."#,
        wrong: r#"a PDF renamed to `policy.ctr`"#,
        right: r#"contract safe { guarantee never call drop }"#,
    },
    CodeDoc {
        code: "E0010",
        title: r#"unexpected character"#,
        text: r#"A character begins no word, number, string or operator of the language. Invisible characters,
and white space of other kinds than space, tab and line end, are reported too, since a reader
does not see them. Names with letters outside ASCII stand in back-ticks."#,
        wrong: r#"contract c { guarantee never call café }"#,
        right: r#"contract c { guarantee never call `café` }"#,
    },
    CodeDoc {
        code: "E0011",
        title: r#"unterminated string"#,
        text: r#"A string ends on the line on which it starts. The error stands at the opening quote, and the
text after the line is read as usual. A line end inside a string is written `\n`."#,
        wrong: r#"contract c {
  guarantee never call a
  otherwise block "Ask first.
}"#,
        right: r#"contract c {
  guarantee never call a
  otherwise block "Ask first."
}"#,
    },
    CodeDoc {
        code: "E0012",
        title: r#"unterminated comment"#,
        text: r#"A comment that starts with `/*` ends with the next `*/`; such comments do not nest."#,
        wrong: r#"/* the desk's rules
contract c { guarantee never call a }"#,
        right: r#"/* the desk's rules */
contract c { guarantee never call a }"#,
    },
    CodeDoc {
        code: "E0013",
        title: r#"unterminated regular expression"#,
        text: r#"A regular expression stands between slashes on one line. A slash inside it is written `\/`, or
stands in a class such as `[/]`. There is no division in this language."#,
        wrong: r#"contract c { guarantee never call a(path matches /tmp) }"#,
        right: r#"contract c { guarantee never call a(path matches /tmp/) }"#,
    },
    CodeDoc {
        code: "E0014",
        title: r#"unknown escape"#,
        text: r#"In a string a backslash is followed by `n`, `t`, `r`, `\`, `"`, `{`, `}` or by `u{...}` with the
number of a character in base 16. `\{` is a brace that begins no expression in a message."#,
        wrong: r#"contract c { guarantee never call a(p == "C:\dir") }"#,
        right: r#"contract c { guarantee never call a(p == "C:\\dir") }"#,
    },
    CodeDoc {
        code: "E0015",
        title: r#"malformed number"#,
        text: r#"Numbers are decimal and exact, as in JSON: `500`, `0.3`, `1e3`. They do not start with a zero,
have no groups of digits and no other base. A duration is a whole number of its unit."#,
        wrong: r#"contract c { guarantee call a only if n <= 1_000 }"#,
        right: r#"contract c { guarantee call a only if n <= 1000 }"#,
    },
    CodeDoc {
        code: "E0016",
        title: r#"duration too long"#,
        text: r#"Durations are kept in nanoseconds in 64 bits, which is about 292 years."#,
        wrong: r#"contract c { guarantee call a leads to call b within 999999999d }"#,
        right: r#"contract c { guarantee call a leads to call b within 30d }"#,
    },
    CodeDoc {
        code: "E0017",
        title: r#"unknown unit"#,
        text: r#"A duration has one of the units `ms`, `s`, `min`, `h` and `d`. There is no `m`, since readers
take it for minutes or for months. A number without a unit is no time."#,
        wrong: r#"contract c { guarantee call a leads to call b within 5m }"#,
        right: r#"contract c { guarantee call a leads to call b within 5min }"#,
    },
    CodeDoc {
        code: "E0018",
        title: r#"carriage return without line feed"#,
        text: r#"Many editors show a lone carriage return as a line end, so that a comment seems to end where for
the compiler it goes on. Lines end in LF or CRLF."#,
        wrong: r#"`// harmless` CR `contract c { ... }`"#,
        right: r#"// harmless
contract c { guarantee never call a }"#,
    },
    CodeDoc {
        code: "E0019",
        title: r#"NUL byte"#,
        text: r#"A text file holds no NUL bytes. The file may be in UTF-16, or no text at all."#,
        wrong: r#"a file in UTF-16"#,
        right: r#"a file in UTF-8"#,
    },
    CodeDoc {
        code: "E0020",
        title: r#"hidden change of direction"#,
        text: r#"Characters such as U+202E change the direction in which the text after them is shown, so that a
reader sees another text than the compiler. They are refused everywhere, also in comments and
strings; in a string they can be written as an escape."#,
        wrong: r#"contract c { guarantee never call a(x == "<U+202E>") }"#,
        right: r#"contract c { guarantee never call a(x == "\u{202e}") }"#,
    },
    CodeDoc {
        code: "E0021",
        title: r#"merge conflict"#,
        text: r#"The file holds the markers of a merge conflict. Of its two sides the first is read, so that
other errors are still shown."#,
        wrong: r#"<<<<<<< ours
contract c { guarantee never call a }
=======
contract c { guarantee never call b }
>>>>>>> theirs"#,
        right: r#"contract c { guarantee never call a }"#,
    },
    CodeDoc {
        code: "E0022",
        title: r#"operator of another language"#,
        text: r#"The operators are words: `and`, `or`, `not`, `implies`, `iff`. `==` and `!=` compare. Nothing
ends with a semicolon."#,
        wrong: r#"contract c { guarantee call a only if x && y }"#,
        right: r#"contract c { guarantee call a only if x and y }"#,
    },
    CodeDoc {
        code: "E0023",
        title: r#"`=` compares nothing"#,
        text: r#"`=` stands where something is named, in `let`, `group`, `predicate`, and in tests. Two values
are compared with `==`."#,
        wrong: r#"contract c { guarantee call a only if x = 3 }"#,
        right: r#"contract c { guarantee call a only if x == 3 }"#,
    },
    CodeDoc {
        code: "E0024",
        title: r#"quotes of another kind"#,
        text: r#"Strings stand in straight double quotes. Word processors and chat programs change them."#,
        wrong: r#"contract c { guarantee call a only if x == 'abc' }"#,
        right: r#"contract c { guarantee call a only if x == "abc" }"#,
    },
    CodeDoc {
        code: "E0025",
        title: r#"look-alike character"#,
        text: r#"A letter or sign of another script looks like an ASCII one, as the Cyrillic `а` does like the
Latin `a`. To the compiler they differ."#,
        wrong: r#"contract c { guarantee never cаll b }"#,
        right: r#"contract c { guarantee never call b }"#,
    },
    CodeDoc {
        code: "E0026",
        title: r#"malformed name in back-ticks"#,
        text: r#"A name in back-ticks is not empty and ends on its line."#,
        wrong: r#"contract c { guarantee never call `create-issue }"#,
        right: r#"contract c { guarantee never call `create-issue` }"#,
    },
    CodeDoc {
        code: "E0030",
        title: r#"missing closing bracket"#,
        text: r#"A bracket is opened and not closed. The label shows where; if the indentation of a later closing
brace fits another opening one better, that one is shown. What follows is read as if the bracket
had been closed."#,
        wrong: r#"contract a {
  guarantee never call x

contract b {
  guarantee never call y
}"#,
        right: r#"contract a {
  guarantee never call x
}

contract b {
  guarantee never call y
}"#,
    },
    CodeDoc {
        code: "E0031",
        title: r#"unexpected closing bracket"#,
        text: r#"A bracket is closed that has not been opened, or by one of another kind."#,
        wrong: r#"contract c { guarantee never call a(x == 1)) }"#,
        right: r#"contract c { guarantee never call a(x == 1) }"#,
    },
    CodeDoc {
        code: "E0032",
        title: r#"nested too deeply"#,
        text: r#"Brackets nest at most 128 deep, and the tree of an expression or a type at most 256, so that no
text can exhaust the stack. Long chains of `and` and of `or` do not count. Name the inner parts
with `let` or `predicate`."#,
        wrong: r#"predicate p() = ((((( ... 200 of them ... )))))"#,
        right: r#"predicate q() = (call a or call b)
predicate p() = eventually q()"#,
    },
    CodeDoc {
        code: "E0040",
        title: r#"unexpected word"#,
        text: r#"At this place the language knows no such word. The message lists what could stand here. What was
being read is left out, and reading goes on at the next clause, step or item."#,
        wrong: r#"contract c { guarantee call a call b }"#,
        right: r#"contract c { guarantee call a implies call b }"#,
    },
    CodeDoc {
        code: "E0041",
        title: r#"misspelt keyword"#,
        text: r#"A word is near to a keyword that could stand here. It is read as that keyword, so that the rest
of the file is still checked."#,
        wrong: r#"contract c { garantee never call a }"#,
        right: r#"contract c { guarantee never call a }"#,
    },
    CodeDoc {
        code: "E0042",
        title: r#"not an item"#,
        text: r#"A file holds items, each of which begins with a keyword: `module`, `import`, `include`, `tools
from`, `tool`, `group`, `event`, `context`, `lookup`, `predicate`, `contract`, `test`."#,
        wrong: r#"guarantee never call a"#,
        right: r#"contract c { guarantee never call a }"#,
    },
    CodeDoc {
        code: "E0043",
        title: r#"text ends too early"#,
        text: r#"An item, an attribute or an expression is not complete where the text ends."#,
        wrong: r#"contract"#,
        right: r#"contract c { guarantee never call a }"#,
    },
    CodeDoc {
        code: "E0050",
        title: r#"how far an operator reaches"#,
        text: r#"`always a implies b` is read by some as `always (a implies b)` and by others as `(always a)
implies b`. The language does not guess: an operator of time whose operand is followed by
another operator wants parentheses. The help shows the readings."#,
        wrong: r#"contract c { guarantee always call a implies call b }"#,
        right: r#"contract c { guarantee always (call a implies call b) }"#,
    },
    CodeDoc {
        code: "E0051",
        title: r#"chained operators of time"#,
        text: r#"`until`, `unless`, `release` and `since` do not chain: `a until b until c` has two readings."#,
        wrong: r#"contract c { guarantee call a until call b until call d }"#,
        right: r#"contract c { guarantee call a until (call b until call d) }"#,
    },
    CodeDoc {
        code: "E0052",
        title: r#"connective beside an operator of time"#,
        text: r#"`and`, `or`, `implies` and `iff` beside `until`, `unless`, `release` or `since` want
parentheses."#,
        wrong: r#"contract c { guarantee call a and call b until call d }"#,
        right: r#"contract c { guarantee (call a and call b) until call d }"#,
    },
    CodeDoc {
        code: "E0053",
        title: r#"readable form that is not alone"#,
        text: r#"A readable form such as `P only after Q` or `never P` is the whole of a clause, or stands in
parentheses. P and Q are patterns or formulas in parentheses. The help shows the readings."#,
        wrong: r#"contract c { guarantee call a only after call b and call d }"#,
        right: r#"contract c { guarantee call a only after (call b and call d) }"#,
    },
    CodeDoc {
        code: "E0054",
        title: r#"operand of a readable form"#,
        text: r#"P and Q of a readable form are event patterns, conditions in braces, or formulas in parentheses."#,
        wrong: r#"contract c { guarantee call a leads to eventually call b }"#,
        right: r#"contract c { guarantee call a leads to (eventually call b) }"#,
    },
    CodeDoc {
        code: "E0055",
        title: r#"chained comparison"#,
        text: r#"Comparisons do not chain: `a < b < c` compares a truth value with `c` in some languages."#,
        wrong: r#"contract c { guarantee call a only if 1 < x < 3 }"#,
        right: r#"contract c { guarantee call a only if 1 < x and x < 3 }"#,
    },
    CodeDoc {
        code: "E0056",
        title: r#"`matches` without a regular expression"#,
        text: r#"`matches` takes a regular expression between slashes, so that it can be checked and compiled
beforehand. For a fixed text use `contains`, `==` or `like`."#,
        wrong: r#"contract c { guarantee never call a(x matches "rm -rf") }"#,
        right: r#"contract c { guarantee never call a(x matches /rm -rf/) }"#,
    },
    CodeDoc {
        code: "E0057",
        title: r#"`within` out of place"#,
        text: r#"`within` stands at the end of `P only after Q`, `P leads to Q`, `P at most N times` and their
like, and after a pattern in an aggregate."#,
        wrong: r#"contract c { guarantee never call a within 5min }"#,
        right: r#"contract c { guarantee call a at most 3 times within 5min }"#,
    },
    CodeDoc {
        code: "E0058",
        title: r#"window of the wrong kind"#,
        text: r#"`only after`, and counting with `at most`, `at least` and `exactly`, take a duration; only
`leads to` takes a number of steps."#,
        wrong: r#"contract c { guarantee call a only after call b within 3 steps }"#,
        right: r#"contract c { guarantee call a only after call b within 5min }"#,
    },
    CodeDoc {
        code: "E0060",
        title: r#"unknown action"#,
        text: r#"After `otherwise` stands one of `block`, `warn`, `escalate`, `redirect` and `repair`, with a
message or without."#,
        wrong: r#"contract c { guarantee never call a otherwise deny "No." }"#,
        right: r#"contract c { guarantee never call a otherwise block "No." }"#,
    },
    CodeDoc {
        code: "E0061",
        title: r#"unknown form of type"#,
        text: r#"Types with arguments are `list<T>`, `map<T>` and `enum("a", "b")`."#,
        wrong: r#"context roles: array<string>"#,
        right: r#"context roles: list<string>"#,
    },
    CodeDoc {
        code: "E0062",
        title: r#"count that is no whole number"#,
        text: r#"Events and steps are counted in whole numbers up to 2^64 - 1."#,
        wrong: r#"contract c { guarantee call a at most 2.5 times }"#,
        right: r#"contract c { guarantee call a at most 2 times }"#,
    },
    CodeDoc {
        code: "E0063",
        title: r#"malformed index"#,
        text: r#"An index of a list is a whole number from 0, or `*` for all elements."#,
        wrong: r#"contract c { guarantee call a only if xs[1.5] == 1 }"#,
        right: r#"contract c { guarantee call a only if xs[1] == 1 }"#,
    },
    CodeDoc {
        code: "E0064",
        title: r#"call of something that is no name"#,
        text: r#"Only a name or a dotted name can be called: a function, an aggregate, a lookup, a template, a
declared event."#,
        wrong: r#"contract c { guarantee call a only if (f)(x) }"#,
        right: r#"contract c { guarantee call a only if f(x) }"#,
    },
    CodeDoc {
        code: "E0065",
        title: r#"name that wants back-ticks"#,
        text: r#"A name with other characters than ASCII letters, digits and `_` stands in back-ticks;
without them `create-issue` is a subtraction."#,
        wrong: r#"contract c { guarantee never call create-issue }"#,
        right: r#"contract c { guarantee never call `create-issue` }"#,
    },
    CodeDoc {
        code: "E0066",
        title: r#"argument of a test's step"#,
        text: r#"In a test the arguments of a call are values by name, not conditions."#,
        wrong: r#"test "t" { call pay(amount == 3) expect block }"#,
        right: r#"test "t" { call pay(amount: 3) expect block }"#,
    },
    CodeDoc {
        code: "E0067",
        title: r#"unclosed brace in a message"#,
        text: r#"In a message `{...}` holds an expression whose value is shown. A brace that is text is written
`\{`."#,
        wrong: r#"contract c { guarantee never call a otherwise block "Set {x" }"#,
        right: r#"contract c { guarantee never call a otherwise block "Set \{x" }"#,
    },
];
