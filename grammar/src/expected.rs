//! What the parser could have read, in the words of a reader.

use crate::token::Tok;

/// The longest list of expectations in a message.
const LONGEST: usize = 6;

/// Names of tokens that are no keywords.
const NAMES: &[(&str, &str)] = &[
    ("name", "a name"),
    ("string", "a string"),
    ("number", "a number"),
    ("duration", "a duration"),
    ("regex", "a regular expression"),
    ("outcome", "an outcome such as `block`"),
    ("after (step)", "`after`"),
];

/// Words that the message leaves out where a class of words says it better.
const OPERATORS: &[&str] = &[
    "and",
    "or",
    "implies",
    "iff",
    "until",
    "unless",
    "release",
    "since",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "in",
    "not in",
    "matches",
    "like",
    "contains",
    "starts with",
    "ends with",
    "inside",
    "??",
    "+",
    "-",
    "*",
    "only after",
    "only before",
    "only if",
    "only while",
    "leads to",
    "immediately leads to",
    "after",
    "before",
    "=",
    "->",
    "at most",
    "at least",
    "exactly",
    "within",
    ".",
    "[",
    "(",
    "|",
];

const OPERANDS: &[&str] = &[
    "name",
    "number",
    "duration",
    "string",
    "regex",
    "true",
    "false",
    "null",
    "(",
    "[",
    "{",
    "not",
    "-",
    "next",
    "weak next",
    "always",
    "eventually",
    "previously",
    "weak previously",
    "once",
    "historically",
    "never",
    "earlier",
    "every",
    "some",
    "call",
    "return",
    "success",
    "failure",
    "unknown",
    "input",
    "output",
];

const STEPS: &[&str] = &[
    "context",
    "lookup",
    "after (step)",
    "input",
    "output",
    "event",
    "call",
    "return",
    "end",
    "name",
];

/// What begins a clause of a contract.
const CLAUSES: &[&str] = &["let", "assume", "guarantee", "otherwise"];

/// What stands behind `otherwise`; a name or a message alone is a slip.
const ACTIONS: &[&str] = &[
    "block", "warn", "escalate", "redirect", "repair", "name", "string",
];

/// What goes on with a step of a test.
const TAILS: &[&str] = &["expect", "and", "with", "at"];

/// The expectations of a place, from LALRPOP's list of terminals. Each of them, written there, is read.
/// `before` is the token before the place.
pub(crate) fn describe(expected: &[String], before: Option<Tok>) -> Vec<String> {
    if before == Some(Tok::Matches) {
        return vec!["a regular expression".to_owned()];
    }
    let list: Vec<&str> = expected
        .iter()
        .map(|e| e.trim_matches('"'))
        .filter(|e| *e != "unreadable")
        .collect();
    let has = |t: &str| list.contains(&t);
    let mut out: Vec<String> = Vec::new();
    let mut left: Vec<&str> = list.clone();
    if has("context") && has("call") && has("end") {
        out.push("a step such as `call`".to_owned());
        left.retain(|t| !STEPS.contains(t));
    } else if has("call") && has("not") {
        out.push("a formula or a condition".to_owned());
        left.retain(|t| !OPERANDS.contains(t));
    } else if has("number") && has("regex") {
        out.push("a value".to_owned());
        left.retain(|t| !OPERANDS.contains(t));
    }
    if has("block") && has("warn") {
        out.push("an action such as `block`".to_owned());
        left.retain(|t| !ACTIONS.contains(t));
    }
    // Arguments of steps are read with `=` and `==` too, and reported.
    if has(":") {
        left.retain(|t| !matches!(*t, "=" | "=="));
    }
    let clause = CLAUSES.iter().all(|c| has(c));
    if clause {
        left.retain(|t| !CLAUSES.contains(t));
    }
    let tail = TAILS.iter().all(|t| has(t)) && !has("implies");
    if tail {
        left.retain(|t| !TAILS.contains(t));
    }
    let mut operator = false;
    if has("implies") && has("==") {
        operator = true;
        left.retain(|t| !OPERATORS.contains(t));
    } else if has(".") && left.len() > 1 {
        left.retain(|t| !matches!(*t, "." | "|"));
    }
    if has("contract") && has("module") {
        return vec!["an item such as `contract`".to_owned()];
    }
    for t in left {
        if t == "name" && has("any") {
            out.push("a tool".to_owned());
            continue;
        }
        let text = NAMES
            .iter()
            .find(|(n, _)| *n == t)
            .map_or_else(|| format!("`{t}`"), |(_, text)| (*text).to_owned());
        out.push(text);
    }
    if clause {
        out.push("a clause such as `guarantee`".to_owned());
    }
    if tail {
        out.push("`expect`".to_owned());
    }
    if operator {
        out.push("an operator".to_owned());
    }
    // What closes stands first: it is what is missing most often.
    out.sort_by_key(|text| !matches!(text.as_str(), "`)`" | "`]`" | "`}`"));
    out.truncate(LONGEST);
    out
}

/// `a, b or c`
pub(crate) fn sentence(list: &[String]) -> String {
    match list {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// Whether a keyword with this name is among the expected terminals.
pub(crate) fn takes(expected: &[String], name: &str) -> bool {
    expected.iter().any(|e| e.trim_matches('"') == name)
}

/// The token of a keyword that a misspelt word is replaced by.
pub(crate) fn token_of(name: &str) -> Option<Tok> {
    let tok = match name {
        "block" => Tok::Block,
        "warn" => Tok::Warn,
        "escalate" => Tok::Escalate,
        "redirect" => Tok::Redirect,
        "repair" => Tok::Repair,
        "expect" => Tok::Expect,
        "by" => Tok::By,
        "with" => Tok::With,
        "end" => Tok::End,
        "times" => Tok::Times,
        "steps" => Tok::Steps,
        "consecutive" => Tok::Consecutive,
        "as" => Tok::As,
        "==" => Tok::EqEq,
        "!=" => Tok::Ne,
        "immediately leads to" => Tok::ImmediatelyLeadsTo,
        _ => match name.split_once(' ') {
            Some((a, b)) => crate::token::two_words(a, b)?,
            None => crate::token::word(name),
        },
    };
    (tok != Tok::Ident).then_some(tok)
}
