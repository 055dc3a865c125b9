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
    /// How it is written, with letters for its parts; empty where the word stands alone.
    pub written: &'static str,
    /// What it means where the session ends, or (looking back) where it begins; empty where that is no question.
    pub ending: &'static str,
}

impl Keyword {
    const fn written(mut self, written: &'static str) -> Self {
        self.written = written;
        self
    }

    const fn ending(mut self, ending: &'static str) -> Self {
        self.ending = ending;
        self
    }
}

const fn hard(name: &'static str, kind: KeywordKind, doc: &'static str) -> Keyword {
    Keyword {
        name,
        kind,
        reserved: true,
        doc,
        written: "",
        ending: "",
    }
}

const fn soft(name: &'static str, kind: KeywordKind, doc: &'static str) -> Keyword {
    Keyword {
        name,
        kind,
        reserved: false,
        doc,
        written: "",
        ending: "",
    }
}

use KeywordKind::{
    Action, Clause, Connective, Declaration, Form, Item, Operator, Pattern, Temporal, Test, Type,
    Value,
};

/// All keywords.
pub const KEYWORDS: &[Keyword] = &[
    soft("module", Item, "names the module of this file").written("module a.b"),
    soft("import", Item, "makes another file's names usable; its contracts are not loaded by that").written("import std.declare"),
    soft("include", Item, "loads the contracts of another file").written("include \"common.ctr\" { a, b }"),
    soft("tools from", Item, "reads tool declarations from a JSON file").written("tools from \"tools.json\" as server"),
    soft("tool", Item, "declares a tool, its arguments and its result").written("tool name(field: type, other?: type) -> type"),
    soft("group", Item, "names a set of tools").written("group name = { a, b }"),
    soft("event", Item, "declares an event of the environment").written("event name(field: type)"),
    soft("context", Item, "declares a fact that the host supplies").written("context name: type"),
    soft("lookup", Item, "declares a state projection that the host answers").written("lookup name(field: type) -> type"),
    soft("predicate", Item, "names a formula or a condition for reuse").written("predicate name(a: event, n: number) = formula"),
    soft("contract", Item, "an assumption and a guarantee, with an action").written("contract name for each key { ... }"),
    soft("test", Item, "a session with what is expected of it").written("test \"name\" for contract { ... }"),
    soft("as", Declaration, "gives a local name").written("tools from \"tools.json\" as server"),
    soft("tools where", Declaration, "the tools that MCP annotations select").written("group name = tools where destructive"),
    hard("for", Declaration, "limits a test to some contracts").written("test \"name\" for contract { ... }"),
    hard("for each", Declaration, "makes one instance of a contract for each value of a key").written("contract name for each key { ... }"),
    hard("let", Clause, "names a value inside a contract").written("let name = value"),
    hard("assume", Clause, "what the environment must keep for the contract to bind, judged at the first step of the contract; several of them are joined by `and`").written("assume formula").ending("An assumption that is still open when the session ends is violated: the contract is idle, and nothing is asked of the agent."),
    hard("guarantee", Clause, "what the agent must keep, judged at the first step of the contract: what is to hold at every step says `always`, or is a readable form; several of them are joined by `and`").written("guarantee formula").ending("A guarantee that is still open when the session ends (pending) has failed, unless the assumption was violated."),
    hard("otherwise", Clause, "what happens to a call, or to a message of the agent's, that would break the guarantee; `block` where nothing is said").written("otherwise block \"message\""),
    soft("block", Action, "refuses the call").written("otherwise block \"message\""),
    soft("warn", Action, "records the call and tells the agent").written("otherwise warn \"message\""),
    soft("escalate", Action, "holds the call until the host approves or denies it").written("otherwise escalate \"message\""),
    soft("redirect", Action, "makes another call in its place, which is itself checked, once").written("otherwise redirect tool(field: value) \"message\""),
    soft("repair", Action, "changes an argument where exactly one change complies, and refuses the call where none or several do").written("otherwise repair \"message\""),
    hard("call", Pattern, "the agent proposes a call").written("call T(condition, ...)"),
    hard("return", Pattern, "a call returns, with any status").written("return T(condition, ...)"),
    hard("success", Pattern, "a call returns and has succeeded").written("success T(condition, ...)"),
    hard("failure", Pattern, "a call returns and has failed").written("failure T(condition, ...)"),
    hard("unknown", Pattern, "a call whose outcome nobody knows").written("unknown T(condition, ...)"),
    hard("input", Pattern, "a message reaches the agent").written("input(text matches /.../)"),
    hard("output", Pattern, "the model writes a message").written("output(text matches /.../)"),
    soft("any", Pattern, "any tool").written("call any"),
    soft("any except", Pattern, "any tool but these").written("call any except T | U"),
    hard("and", Connective, "both hold").written("f and g"),
    hard("or", Connective, "at least one holds").written("f or g"),
    hard("not", Connective, "does not hold; undefined where what it denies is").written("not f").ending("It turns the answer at the end round, too: at the last step `not next f` is true."),
    hard("implies", Connective, "if the first holds here, so does the second; of this step alone, unless `always` stands before it").written("f implies g"),
    hard("iff", Connective, "both hold or neither").written("f iff g"),
    hard("always", Temporal, "from here on at every step").written("always f").ending("It is kept if the formula held at every step, also where there was none. It owes nothing of its own, but what the formula owes at some step is owed: `always (P implies eventually Q)` is open from each P to its Q."),
    hard("eventually", Temporal, "from here on at some step").written("eventually f").ending("It is owed until the formula has held: a session that ends before that breaks it, also one without any step."),
    hard("next", Temporal, "there is a next step and it holds there").written("next f").ending("At the last step it is false, since no step follows."),
    hard("weak next", Temporal, "if there is a next step, it holds there").written("weak next f").ending("At the last step it is true, whatever the formula says."),
    hard("until", Temporal, "the second holds at some step, the first before it").written("f until g").ending("It is owed until the second has held: a session that ends before that breaks it."),
    hard("unless", Temporal, "the first holds until the second does, or always").written("f unless g").ending("The second need never hold: it is kept if the first held up to the end."),
    hard("release", Temporal, "the second holds up to and with the first, or always").written("f release g").ending("The first need never hold: it is kept if the second held up to the end."),
    hard("previously", Temporal, "there is a previous step and it held there").written("previously f").ending("At the first step it is false, since there is none before. Nothing is open at the end."),
    hard("weak previously", Temporal, "if there is a previous step, it held there").written("weak previously f").ending("At the first step it is true, whatever the formula says. Nothing is open at the end."),
    hard("once", Temporal, "at some step up to here").written("once f").ending("At the first step it asks for that step alone. Nothing is open at the end."),
    hard("historically", Temporal, "at every step up to here").written("historically f").ending("At the first step it asks for that step alone. Nothing is open at the end."),
    hard("since", Temporal, "the second held at some step, the first ever since").written("f since g").ending("At the first step it is true only if the second holds there. Nothing is open at the end."),
    hard("never", Form, "at no step").written("never P").ending("Nothing is owed at the end: it is kept if no such step came."),
    hard("after", Form, "`never P after Q`: once Q has happened, P does no more at any later step (at the step of Q itself it may); in a test, moves the clock").written("never P after Q").ending("Nothing is owed at the end: without the second it forbids nothing."),
    hard("before", Form, "`never P before Q`: P does not happen until Q has, as `P only after Q` says; at the very same step it may").written("never P before Q").ending("Nothing is owed at the end: the second need never happen if the first does not."),
    hard("only after", Form, "not before the other has happened; the other at the very same step will do, `within` a time only an earlier one").written("P only after Q").ending("Nothing is owed at the end: it is kept if the first never happens, whether or not the second does."),
    hard("only before", Form, "once the other has happened, no more at any later step").written("P only before Q").ending("Nothing is owed at the end: without the second it forbids nothing."),
    hard("only if", Form, "every such event makes the condition true; the condition reads the fields of that event").written("P only if condition").ending("Nothing is owed at the end: it is decided at each such event. Where the condition is undefined, a call counts as one that breaks it."),
    hard("only while", Form, "only at steps where the formula holds").written("P only while f").ending("Nothing is owed at the end: it is decided at each step."),
    hard("leads to", Form, "is followed, some time, by the other").written("P leads to Q").ending("It is owed from the first to the second: a session that ends in between breaks it. The second at the very same step will do."),
    hard("immediately leads to", Form, "is followed at the next step by the other").written("P immediately leads to Q").ending("At the last step the first breaks it, since no step follows."),
    hard("at most", Form, "no more than so many times").written("P at most 3 times").ending("Nothing is owed at the end: it is broken at the step that is one too many."),
    hard("at least", Form, "no fewer than so many times").written("P at least 3 times").ending("It is owed until there were so many: a session that ends with fewer breaks it."),
    soft("exactly", Form, "just so many times").written("P exactly 3 times").ending("It is owed until there were so many: a session that ends with fewer breaks it, and so does the step that is one too many."),
    hard("within", Form, "in a window of time or steps. After `leads to`, so long (the same step counts) or one of the next so many watched steps (the same does not). After `only after`, how old the latest earlier one may be. After `at most` and in `count`, the window that ends at this event. Times are those of `event.time`, the edge included").written("P leads to Q within 30s").ending("A response that is still owed when the session ends is missing, even if its time has not run out. That a time has passed is noticed at the first event that is later. The other forms owe nothing at the end."),
    soft("time", Form, "counts steps").written("P at most 1 time"),
    soft("times", Form, "counts steps").written("P at most 3 times"),
    soft("consecutive", Form, "in a row").written("P at most 3 consecutive times"),
    soft("step", Form, "a watched event").written("P leads to Q within 1 step"),
    soft("steps", Form, "watched events").written("P leads to Q within 3 steps"),
    hard("in", Operator, "is an element of a list or set, or a key of a record").written("x in list"),
    hard("not in", Operator, "is no element of a list or set, and no key of a record").written("x not in list"),
    hard("matches", Operator, "a regular expression is found in").written("x matches /re/i"),
    hard("like", Operator, "the whole value fits, `*` being any run").written("x like \"*@corp.com\""),
    hard("contains", Operator, "the text has the other as a part, or the list has it as an element").written("x contains y"),
    hard("starts with", Operator, "has as its beginning").written("x starts with y"),
    hard("ends with", Operator, "has as its end").written("x ends with y"),
    hard("inside", Operator, "is the directory or a path below it, component by component, once `.`, `..` and `//` are resolved in the text; links are not followed, and a relative path is undefined").written("path inside \"/dir\""),
    soft("every", Operator, "the condition holds for all elements, also where there is none").written("every x in list: condition"),
    soft("some", Operator, "the condition holds for at least one element; where there is none it is false").written("some x in list: condition"),
    hard("earlier", Operator, "leaves the present event out of an aggregate").written("count(earlier P)").ending("At the first event there is nothing earlier: `count` is 0, `latest` and `first` are undefined."),
    hard("true", Value, "the truth value"),
    hard("false", Value, "the truth value"),
    hard("null", Value, "the JSON value null"),
    soft("expect", Test, "what the step must lead to").written("expect block by contract"),
    soft("by", Test, "the contracts that are expected to say so").written("expect block by contract"),
    soft("with", Test, "what the host records with the event").written("call t(...) with agent = \"a\""),
    soft("at", Test, "the time that the host records with the event").written("call t(...) at \"2026-01-31T12:00:00Z\""),
    soft("end", Test, "ends the session").written("end").ending("Obligations that are open here are `pending`; no step follows."),
    soft("string", Type, "text"),
    soft("int", Type, "a whole number"),
    soft("number", Type, "an exact decimal number"),
    soft("bool", Type, "`true` or `false`"),
    soft("enum", Type, "one of some strings").written("enum(\"a\", \"b\")"),
    soft("list", Type, "a list of values of one type").written("list<T>"),
    soft("map", Type, "a record with any field names and values of one type").written("map<T>"),
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
