//! The one table of keywords: for suggestions here, and for editors.

/// What a keyword is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeywordKind {
    /// Starts an item of a file.
    Item,
    /// Starts a clause of a contract.
    Clause,
    /// An action after `otherwise`.
    Action,
    /// Starts an event pattern, or stands in one.
    Pattern,
    /// `and`, `or`, `not`, `implies`, `iff`.
    Connective,
    /// A temporal operator.
    Temporal,
    /// A word of a readable form.
    Form,
    /// An operator between values.
    Operator,
    /// A value.
    Value,
    /// A word of a test.
    Test,
    /// A word of a declaration.
    Declaration,
    /// The name of a type.
    Type,
}

/// A keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keyword {
    /// The text, words separated by one space.
    pub name: &'static str,
    /// What it is for.
    pub kind: KeywordKind,
    /// Whether the word is a keyword wherever an expression may stand. The others are names
    /// outside the place that expects them.
    pub reserved: bool,
    /// What it means, in a line.
    pub doc: &'static str,
}

const fn hard(name: &'static str, kind: KeywordKind, doc: &'static str) -> Keyword {
    Keyword {
        name,
        kind,
        reserved: true,
        doc,
    }
}

const fn soft(name: &'static str, kind: KeywordKind, doc: &'static str) -> Keyword {
    Keyword {
        name,
        kind,
        reserved: false,
        doc,
    }
}

use KeywordKind::{
    Action, Clause, Connective, Declaration, Form, Item, Operator, Pattern, Temporal, Test, Type,
    Value,
};

/// All keywords.
pub const KEYWORDS: &[Keyword] = &[
    soft("module", Item, "names the module of this file"),
    soft("import", Item, "makes another module's names usable"),
    soft("include", Item, "loads the contracts of another file"),
    soft(
        "tools from",
        Item,
        "reads tool declarations from a JSON file",
    ),
    soft(
        "tool",
        Item,
        "declares a tool, its arguments and its result",
    ),
    soft("group", Item, "names a set of tools"),
    soft("event", Item, "declares an event of the environment"),
    soft("context", Item, "declares a fact that the host supplies"),
    soft(
        "lookup",
        Item,
        "declares a state projection that the host answers",
    ),
    soft(
        "predicate",
        Item,
        "names a formula or a condition for reuse",
    ),
    soft(
        "contract",
        Item,
        "an assumption and a guarantee, with an action",
    ),
    soft("test", Item, "a session with what is expected of it"),
    soft("as", Declaration, "gives a local name"),
    soft(
        "tools where",
        Declaration,
        "the tools that MCP annotations select",
    ),
    hard("for", Declaration, "limits a test to some contracts"),
    hard(
        "for each",
        Declaration,
        "makes one instance of a contract for each value of a key",
    ),
    hard("let", Clause, "names a value inside a contract"),
    hard(
        "assume",
        Clause,
        "what the environment must keep for the contract to bind",
    ),
    hard("guarantee", Clause, "what the agent must keep"),
    hard(
        "otherwise",
        Clause,
        "what happens to a call that would break the guarantee",
    ),
    soft("block", Action, "refuses the call"),
    soft("warn", Action, "records the call and tells the agent"),
    soft(
        "escalate",
        Action,
        "holds the call until the host approves or denies it",
    ),
    soft("redirect", Action, "makes another call in its place"),
    soft(
        "repair",
        Action,
        "changes an argument where exactly one change complies",
    ),
    hard("call", Pattern, "the agent proposes a call"),
    hard("return", Pattern, "a call returns, with any status"),
    hard("success", Pattern, "a call returns and has succeeded"),
    hard("failure", Pattern, "a call returns and has failed"),
    hard("unknown", Pattern, "a call whose outcome nobody knows"),
    hard("input", Pattern, "a message reaches the agent"),
    hard("output", Pattern, "the model writes a message"),
    soft("any", Pattern, "any tool"),
    soft("any except", Pattern, "any tool but these"),
    hard("and", Connective, "both hold"),
    hard("or", Connective, "at least one holds"),
    hard("not", Connective, "does not hold"),
    hard(
        "implies",
        Connective,
        "the second holds wherever the first does",
    ),
    hard("iff", Connective, "both hold or neither"),
    hard("always", Temporal, "from here on at every step"),
    hard("eventually", Temporal, "from here on at some step"),
    hard("next", Temporal, "there is a next step and it holds there"),
    hard(
        "weak next",
        Temporal,
        "if there is a next step, it holds there",
    ),
    hard(
        "until",
        Temporal,
        "the second holds at some step, the first before it",
    ),
    hard(
        "unless",
        Temporal,
        "the first holds until the second does, or always",
    ),
    hard(
        "release",
        Temporal,
        "the second holds up to and with the first, or always",
    ),
    hard(
        "previously",
        Temporal,
        "there is a previous step and it held there",
    ),
    hard(
        "weak previously",
        Temporal,
        "if there is a previous step, it held there",
    ),
    hard("once", Temporal, "at some step up to here"),
    hard("historically", Temporal, "at every step up to here"),
    hard(
        "since",
        Temporal,
        "the second held at some step, the first ever since",
    ),
    hard("never", Form, "at no step"),
    hard(
        "after",
        Form,
        "`never P after Q`; in a test, moves the clock",
    ),
    hard("before", Form, "`never P before Q`"),
    hard("only after", Form, "not before the other has happened"),
    hard("only before", Form, "not after the other has happened"),
    hard("only if", Form, "every such event makes the condition true"),
    hard("only while", Form, "only at steps where the formula holds"),
    hard("leads to", Form, "is followed, some time, by the other"),
    hard(
        "immediately leads to",
        Form,
        "is followed at the next step by the other",
    ),
    hard("at most", Form, "no more than so many times"),
    hard("at least", Form, "no fewer than so many times"),
    soft("exactly", Form, "just so many times"),
    hard("within", Form, "in a window of time or steps"),
    soft("time", Form, "counts steps"),
    soft("times", Form, "counts steps"),
    soft("consecutive", Form, "in a row"),
    soft("step", Form, "a watched event"),
    soft("steps", Form, "watched events"),
    hard("in", Operator, "is an element of"),
    hard("not in", Operator, "is no element of"),
    hard("matches", Operator, "a regular expression is found in"),
    hard("like", Operator, "the whole value fits, `*` being any run"),
    hard("contains", Operator, "has as a part or an element"),
    hard("starts with", Operator, "has as its beginning"),
    hard("ends with", Operator, "has as its end"),
    hard("inside", Operator, "is the directory or a path below it"),
    soft("every", Operator, "the condition holds for all elements"),
    soft("some", Operator, "the condition holds for an element"),
    hard(
        "earlier",
        Operator,
        "leaves the present event out of an aggregate",
    ),
    hard("true", Value, "the truth value"),
    hard("false", Value, "the truth value"),
    hard("null", Value, "the JSON value null"),
    soft("expect", Test, "what the step must lead to"),
    soft("by", Test, "the contracts that are expected to say so"),
    soft("with", Test, "what the host records with the event"),
    soft("at", Test, "the time that the host records with the event"),
    soft("end", Test, "ends the session"),
    soft("string", Type, "text"),
    soft("int", Type, "a whole number"),
    soft("number", Type, "an exact decimal number"),
    soft("bool", Type, "`true` or `false`"),
    soft("enum", Type, "one of some strings"),
    soft("list", Type, "a list of values of one type"),
    soft(
        "map",
        Type,
        "a record with any field names and values of one type",
    ),
    soft("timestamp", Type, "a moment"),
    soft("duration", Type, "a length of time"),
];

/// The built-in functions and aggregates: names that a `(` follows, and no misspelt keywords.
pub const FUNCTIONS: &[&str] = &[
    "abs",
    "count",
    "duration",
    "elapsed",
    "first",
    "has",
    "host",
    "keys",
    "latest",
    "len",
    "lower",
    "max",
    "mentioned",
    "min",
    "number",
    "streak",
    "sum",
    "text",
    "timestamp",
    "trim",
    "upper",
    "values",
];

/// Words and phrases of other languages, and what they are here.
pub const FOREIGN: &[(&str, &str)] = &[
    ("if", "only if"),
    ("while", "only while"),
    ("forall", "every"),
    ("exists", "some"),
    ("globally", "always"),
    ("G", "always"),
    ("finally", "eventually"),
    ("F", "eventually"),
    ("X", "next"),
    ("U", "until"),
    ("then", "implies"),
    ("is", "=="),
    ("equals", "=="),
    ("is not", "!="),
    ("is followed by", "leads to"),
    ("must be followed by", "leads to"),
    ("followed by", "leads to"),
    ("is preceded by", "only after"),
    ("must be preceded by", "only after"),
    ("preceded by", "only after"),
    ("precedes", "only before"),
];

/// What a word of another language is here.
#[must_use]
pub fn foreign(word: &str) -> Option<&'static str> {
    FOREIGN.iter().find(|(w, _)| *w == word).map(|(_, k)| *k)
}

/// The keyword of that text.
#[must_use]
pub fn lookup(name: &str) -> Option<&'static Keyword> {
    KEYWORDS.iter().find(|k| k.name == name)
}

/// The keyword that a misspelt word is nearest to, among those that `accept` takes; `None` where
/// none is near. A word in the wrong case is near.
#[must_use]
pub fn suggest(word: &str, accept: impl Fn(&Keyword) -> bool) -> Option<&'static Keyword> {
    const LONGEST: usize = 32;
    if word.len() > LONGEST || word.len() < 2 {
        return None;
    }
    let lower = word.to_lowercase();
    let mut best: Option<(usize, &'static Keyword)> = None;
    for keyword in KEYWORDS.iter().filter(|k| accept(k)) {
        if keyword.name == word {
            continue;
        }
        let distance = distance(&lower, keyword.name);
        if distance <= allowed(keyword.name)
            && words_near(&lower, keyword.name)
            && best.is_none_or(|(d, _)| distance < d)
        {
            best = Some((distance, keyword));
        }
    }
    best.map(|(_, k)| k)
}

/// How many slips a misspelt word may have.
fn allowed(word: &str) -> usize {
    match word.len() {
        0..=2 => 0,
        3..=5 => 1,
        6..=8 => 2,
        _ => 3,
    }
}

/// Whether each word of an operator of several words is near: `call after` is no slip for `only after`.
fn words_near(words: &str, name: &str) -> bool {
    let words: Vec<&str> = words.split(' ').collect();
    let names: Vec<&str> = name.split(' ').collect();
    if names.len() < 2 || words.len() != names.len() {
        return true;
    }
    words.iter().zip(&names).all(|(word, name)| {
        distance(word, name) <= allowed(name).max(1) && shares_letter(word, name)
    })
}

/// `or` is one slip away from `if` by no reckoning of a reader.
fn shares_letter(a: &str, b: &str) -> bool {
    a.chars().any(|c| b.contains(c))
}

/// The number of insertions, deletions, substitutions and swaps of neighbours between two words.
#[must_use]
pub fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut new = Vec::with_capacity(b.len() + 1);
        new.push(i + 1);
        for (j, &y) in b.iter().enumerate() {
            let at = |r: &[usize], k: usize| r.get(k).copied().unwrap_or(usize::MAX / 2);
            let mut d = (at(&row, j) + usize::from(x != y))
                .min(at(&row, j + 1) + 1)
                .min(at(&new, j) + 1);
            let swapped = i > 0
                && j > 0
                && a.get(i - 1).copied() == Some(y)
                && b.get(j - 1).copied() == Some(x);
            if swapped {
                d = d.min(at(&before, j - 1) + 1);
            }
            new.push(d);
        }
        before = std::mem::replace(&mut row, new);
    }
    row.last().copied().unwrap_or(0)
}
