//! What each word and sign of the language means: the one source of what editors show and of the page
//! `docs/keywords.md`.
//!
//! Keywords have their table ([`crate::keywords`]); this one has the signs, and the words that are no
//! keywords but have a meaning of their own where they stand: functions, roots of fields, attributes.

use std::fmt::Write as _;

use crate::keywords::{KEYWORDS, Keyword, KeywordKind};

/// What a word of [`WORDS`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WordKind {
    /// A sign between values, or around them.
    Sign,
    /// A function of one value.
    Function,
    /// What is remembered of the session's events.
    Aggregate,
    /// Where a field is: `args`, `result`, `ctx`, `event`, `text`.
    Root,
    /// What the host records with an event: `event.agent`.
    Fact,
    /// An attribute of a contract.
    Attribute,
    /// What `@severity` takes.
    Severity,
    /// What a step of a test is expected to lead to.
    Outcome,
    /// What MCP says of a tool.
    Annotation,
    /// A type that is no keyword.
    Type,
}

/// A word or sign that is no keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// The text.
    pub name: &'static str,
    /// What it is.
    pub kind: WordKind,
    /// How it is written.
    pub written: &'static str,
    /// What it means.
    pub doc: &'static str,
    /// What it gives: a type or unit; empty where that is no question.
    pub gives: &'static str,
    /// What it is before anything has happened, or where something is missing; empty where that is no question.
    pub ending: &'static str,
}

const fn word(
    kind: WordKind,
    name: &'static str,
    written: &'static str,
    gives: &'static str,
    doc: &'static str,
    ending: &'static str,
) -> Word {
    Word {
        name,
        kind,
        written,
        doc,
        gives,
        ending,
    }
}

use WordKind::{
    Aggregate, Annotation, Attribute, Fact, Function, Outcome, Root, Severity, Sign, Type,
};

const ORDER: &str = "Of two numbers, two strings (by code point), two timestamps or two durations; anything else has no order, and the comparison is undefined.";
const SO_FAR: &str = "Over the recorded events up to and including this one; `earlier P` leaves this one out. Refused events never count. Undefined while it is undefined whether some event belongs to it.";

/// All signs, and all words that are no keywords.
#[rustfmt::skip]
pub const WORDS: &[Word] = &[
    word(Sign, "==", "x == y", "bool", "The two values are equal. Any two values can be compared: those of unlike types are unequal, numbers are compared exactly (`1 == 1.0`).", "Undefined where a field that is read is missing."),
    word(Sign, "!=", "x != y", "bool", "The two values are not equal. Those of unlike types are unequal.", "Undefined where a field that is read is missing."),
    word(Sign, "<", "x < y", "bool", "The first is less than the second.", ORDER),
    word(Sign, "<=", "x <= y", "bool", "The first is at most the second.", ORDER),
    word(Sign, ">", "x > y", "bool", "The first is greater than the second.", ORDER),
    word(Sign, ">=", "x >= y", "bool", "The first is at least the second.", ORDER),
    word(Sign, "??", "x ?? y", "", "The first value, or the second where the first is missing or cannot be read. `null` is a value and stays. Binds tighter than arithmetic.", "Undefined only where the second is."),
    word(Sign, "+", "x + y", "number or duration", "The sum of two numbers, exact; of a timestamp or duration and a duration.", ""),
    word(Sign, "-", "x - y", "number or duration", "The difference of two numbers, exact; of two timestamps it is a duration. Before a value: its negative.", ""),
    word(Sign, "*", "3 * x", "number", "The product of a value and a constant. In brackets, `x[*]`, all elements of a list.", ""),
    word(Sign, "|", "call a | b", "", "Either of some tools; between types, a value of either.", ""),
    word(Sign, "->", "tool t(a: int) -> string", "", "In a declaration what comes back; in a test what the call gives: a value, `failure \"text\"` or `unknown`.", ""),
    word(Sign, "?", "other?: type", "", "The field may be missing. Read it with `has` or `??`.", ""),
    word(Sign, "@", "@severity(high)", "", "An attribute of the contract that follows.", ""),
    word(Sign, "=", "let name = value", "", "Gives a name its meaning. Values are compared with `==`.", ""),

    word(Function, "len", "len(x)", "int", "The number of characters of a string, of elements of a list, of fields of a record.", ""),
    word(Function, "text", "text(x)", "string", "A string itself, and any other value's canonical JSON (keys sorted, no white space).", ""),
    word(Function, "lower", "lower(x)", "string", "The string in lower case.", ""),
    word(Function, "upper", "upper(x)", "string", "The string in upper case.", ""),
    word(Function, "trim", "trim(x)", "string", "The string without white space at its ends.", ""),
    word(Function, "number", "number(x)", "number", "The number that a string is, if it is exactly a JSON number; a number itself.", "Undefined where the string is no number."),
    word(Function, "host", "host(x)", "string", "The host of a URL or of an e-mail address, in lower case.", "Undefined where the string is neither."),
    word(Function, "abs", "abs(x)", "number or duration", "The value without its sign.", ""),
    word(Function, "keys", "keys(x)", "list<string>", "The names of a record's fields, sorted.", ""),
    word(Function, "timestamp", "timestamp(\"2026-01-31T12:00:00Z\")", "timestamp", "The moment that an RFC 3339 text names, or so many seconds after 1970.", "Undefined where the text is no moment."),
    word(Function, "duration", "duration(\"30s\")", "duration", "The length of time that a text such as `30s` names, or so many seconds.", "Undefined where the text is none."),
    word(Function, "has", "has(path)", "bool", "The field is there, also where it is `null`.", "It is never undefined."),

    word(Aggregate, "count", "count(P), count(P within 10min)", "int, a number of events", "How many events fitted the pattern, in the window of time where there is one.", SO_FAR),
    word(Aggregate, "streak", "streak(P)", "int, a number of events", "The length of the current run: how many events in a row, of the kinds that the pattern names, fitted it.", SO_FAR),
    word(Aggregate, "sum", "sum(P, value)", "number, in the value's unit", "The exact sum of a value over the events that fit the pattern.", "0 before the first. Undefined where the value is missing, or is no number, at one of them. Over the recorded events up to and including this one; `earlier P` leaves this one out."),
    word(Aggregate, "min", "min(P, value)", "number, in the value's unit", "The least value over the events that fit the pattern.", "Undefined before the first, and where the value is missing, or is no number, at one of them. Over the recorded events up to and including this one; `earlier P` leaves this one out."),
    word(Aggregate, "max", "max(P, value)", "number, in the value's unit", "The greatest value over the events that fit the pattern.", "Undefined before the first, and where the value is missing, or is no number, at one of them. Over the recorded events up to and including this one; `earlier P` leaves this one out."),
    word(Aggregate, "latest", "latest(P, value)", "the value's type", "The value at the latest event that fits the pattern.", "Undefined before the first, and where that event has no such value. Over the recorded events up to and including this one; `earlier P` leaves this one out."),
    word(Aggregate, "first", "first(P, value)", "the value's type", "The value at the first event that fits the pattern.", "Undefined before it, and where that event has no such value. Over the recorded events up to and including this one; `earlier P` leaves this one out."),
    word(Aggregate, "values", "values(P, value)", "a set of values", "All values so far, at the events that fit the pattern; lists are spread, undefined values are left out.", SO_FAR),
    word(Aggregate, "elapsed", "elapsed(P)", "duration", "The time since the latest event that fits the pattern, by `event.time`.", "Undefined before the first, and where its time or this event's was not recorded."),
    word(Aggregate, "mentioned", "mentioned(P, value)", "bool", "The value's text occurs in the text of some event that fits the pattern; case and white space aside. The value is this event's.", SO_FAR),

    word(Root, "args", "args.field", "", "The arguments of the call; in a return those of the call that it answers.", "A field that is missing is undefined."),
    word(Root, "result", "result.field", "", "What the call gave back. A text that holds JSON is read as JSON where a field of it is asked for.", "A field that is missing is undefined."),
    word(Root, "ctx", "ctx.name", "", "The session's context: facts that the host supplies, declared by `context`.", "What the host did not supply is undefined."),
    word(Root, "event", "event.agent", "", "What the host records with every event: `agent`, `server`, `time`, `turn`, `depth`, `tokens`.", "What was not recorded is undefined."),
    word(Root, "text", "input(text contains \"refund\")", "string", "The text of the message.", ""),

    word(Fact, "agent", "event.agent", "string", "The agent whose event it is.", "Undefined where it was not recorded; a return has its call's."),
    word(Fact, "server", "event.server", "string", "The server of the tool.", "Undefined where it was not recorded; a return has its call's."),
    word(Fact, "time", "event.time", "timestamp", "When it happened. Time never runs backwards inside a session: an earlier stamp counts as the latest one seen.", "Undefined where it was not recorded."),
    word(Fact, "turn", "event.turn", "int", "The turn of the model that it belongs to.", "Undefined where it was not recorded."),
    word(Fact, "depth", "event.depth", "int", "How deep the delegation to the agent is.", "Undefined where it was not recorded."),
    word(Fact, "tokens", "event.tokens", "int, tokens", "How many tokens it took.", "Undefined where it was not recorded."),

    word(Attribute, "id", "@id(\"R-12\")", "", "The name of the rule elsewhere.", ""),
    word(Attribute, "severity", "@severity(high)", "", "How bad it is where the contract is broken.", ""),
    word(Attribute, "source", "@source(\"policy.md\", \"Refunds\")", "", "The document, and its section, that the contract enforces.", ""),
    word(Attribute, "tags", "@tags(\"owasp:asi02\")", "", "Words to find the contract by.", ""),
    word(Attribute, "agents", "@agents(\"billing-*\")", "", "Whose events are steps of the contract; an event whose agent is not recorded is one.", ""),

    word(Severity, "info", "@severity(info)", "", "A contract that is there to tell something.", ""),
    word(Severity, "low", "@severity(low)", "", "A contract of little weight.", ""),
    word(Severity, "medium", "@severity(medium)", "", "A contract of some weight.", ""),
    word(Severity, "high", "@severity(high)", "", "A contract of great weight.", ""),
    word(Severity, "critical", "@severity(critical)", "", "A contract of the greatest weight.", ""),

    word(Outcome, "allow", "expect allow", "", "Nothing objects, and nothing is violated.", ""),
    word(Outcome, "block", "expect block by contract", "", "The event is refused.", ""),
    word(Outcome, "warn", "expect warn by contract", "", "The event is recorded, and the agent is told.", ""),
    word(Outcome, "escalate", "expect escalate by contract", "", "The event is held until the host approves or denies it.", ""),
    word(Outcome, "redirect", "expect redirect by contract", "", "Another call is made in its place.", ""),
    word(Outcome, "repair", "expect repair by contract", "", "The call is made with changed arguments.", ""),
    word(Outcome, "suppress", "expect suppress by contract", "", "The event would break an assumption: it is withheld from the agent.", ""),
    word(Outcome, "violation", "expect violation by contract", "", "The event is recorded and breaks a contract.", ""),
    word(Outcome, "pending", "end expect pending contract", "", "At the end of the session: obligations are open.", ""),
    word(Outcome, "satisfied", "end expect satisfied", "", "At the end of the session: nothing is open, and no contract has failed.", ""),

    word(Annotation, "destructive", "tools where destructive", "", "The server says that the tool may destroy something (`destructiveHint`).", ""),
    word(Annotation, "read_only", "tools where read_only", "", "The server says that the tool changes nothing (`readOnlyHint`).", ""),
    word(Annotation, "idempotent", "tools where idempotent", "", "The server says that calling the tool twice changes no more than once (`idempotentHint`).", ""),
    word(Annotation, "open_world", "tools where open_world", "", "The server says that the tool reaches outside (`openWorldHint`).", ""),

    word(Type, "any", "any", "", "Any value: nothing is known of it, and nothing about it is checked.", ""),
    word(Type, "event", "predicate name(a: event) = ...", "", "A parameter that stands for a pattern or a formula.", ""),
    word(Type, "null", "T | null", "", "The JSON value `null` alone.", ""),
];

/// What a word of a kind means.
#[must_use]
pub fn word_of(kind: WordKind, name: &str) -> Option<&'static Word> {
    WORDS.iter().find(|w| w.kind == kind && w.name == name)
}

/// The words of a kind, in the order of the table.
pub fn words_of(kind: WordKind) -> impl Iterator<Item = &'static Word> {
    WORDS.iter().filter(move |w| w.kind == kind)
}

/// A section of the language reference, `docs/language.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Section {
    /// Its number.
    pub number: u8,
    /// Its title.
    pub title: &'static str,
    /// The anchor of its head.
    pub anchor: &'static str,
}

const fn section(number: u8, title: &'static str, anchor: &'static str) -> Section {
    Section {
        number,
        title,
        anchor,
    }
}

const PATTERNS: Section = section(3, "Event patterns", "3-event-patterns");
const FORMULAS: Section = section(4, "Formulas", "4-formulas");
const CONTRACTS: Section = section(
    5,
    "Contracts, verdicts, enforcement",
    "5-contracts-verdicts-enforcement",
);
const VALUES: Section = section(6, "Conditions and values", "6-conditions-and-values");
const TYPES: Section = section(7, "Tools and types", "7-tools-and-types");
const MODULES: Section = section(8, "Modules", "8-modules");
const TESTS: Section = section(9, "Tests", "9-tests");

impl Keyword {
    /// Where the language reference speaks of it.
    #[must_use]
    pub fn section(&self) -> Section {
        match (self.kind, self.name) {
            (_, "module" | "import" | "include") => MODULES,
            (_, "test" | "for") => TESTS,
            (_, "tools from" | "tool" | "as") => TYPES,
            (_, "group" | "tools where") => PATTERNS,
            (_, "event") => section(2, "Sessions, events, steps", "2-sessions-events-steps"),
            (_, "predicate") => FORMULAS,
            (_, "context" | "lookup") => VALUES,
            (KeywordKind::Item | KeywordKind::Declaration, _)
            | (KeywordKind::Clause | KeywordKind::Action, _) => CONTRACTS,
            (KeywordKind::Pattern, _) => PATTERNS,
            (KeywordKind::Connective | KeywordKind::Temporal | KeywordKind::Form, _) => FORMULAS,
            (KeywordKind::Operator | KeywordKind::Value, _) => VALUES,
            (KeywordKind::Test, _) => TESTS,
            (KeywordKind::Type, _) => TYPES,
        }
    }
}

impl Word {
    /// Where the language reference speaks of it.
    #[must_use]
    pub fn section(&self) -> Section {
        match self.kind {
            WordKind::Sign if matches!(self.name, "|" | "->" | "?") => TYPES,
            WordKind::Sign if matches!(self.name, "@" | "=") => CONTRACTS,
            WordKind::Sign | WordKind::Function | WordKind::Aggregate => VALUES,
            WordKind::Root | WordKind::Annotation => PATTERNS,
            WordKind::Fact => section(2, "Sessions, events, steps", "2-sessions-events-steps"),
            WordKind::Attribute | WordKind::Severity => CONTRACTS,
            WordKind::Outcome => TESTS,
            WordKind::Type => TYPES,
        }
    }
}

/// The page of all words: `docs/keywords.md`.
#[must_use]
pub fn page() -> String {
    let mut out = String::from(
        "# Every word and sign of the language\n\n\
         Made from the table in `grammar/src/keywords.rs` and `grammar/src/meanings.rs`, which editors show, too; \
         `CTRC_BLESS=1 cargo test -p ctr-grammar --test meanings` writes it anew. The letters `P` and `Q` stand for patterns, `f` and `g` for formulas, `x` and `y` for \
         values, `T` and `U` for tools or types.\n",
    );
    for (kind, title) in KEYWORD_TITLES {
        let _ = write!(
            out,
            "\n## {title}\n\n| word | written | means |\n| --- | --- | --- |\n"
        );
        for k in KEYWORDS.iter().filter(|k| k.kind == *kind) {
            row(&mut out, k.name, k.written, k.doc, "", k.ending);
        }
    }
    for (kind, title) in WORD_TITLES {
        let _ = write!(
            out,
            "\n## {title}\n\n| word | written | means |\n| --- | --- | --- |\n"
        );
        for w in words_of(*kind) {
            row(&mut out, w.name, w.written, w.doc, w.gives, w.ending);
        }
    }
    out
}

const KEYWORD_TITLES: &[(KeywordKind, &str)] = &[
    (KeywordKind::Item, "Items of a file"),
    (KeywordKind::Declaration, "Words of declarations"),
    (KeywordKind::Clause, "Clauses of contracts"),
    (KeywordKind::Action, "Actions"),
    (KeywordKind::Pattern, "Event patterns"),
    (KeywordKind::Connective, "Connectives"),
    (KeywordKind::Temporal, "Temporal operators"),
    (KeywordKind::Form, "Readable forms"),
    (KeywordKind::Operator, "Operators between values"),
    (KeywordKind::Value, "Values"),
    (KeywordKind::Test, "Tests"),
    (KeywordKind::Type, "Types"),
];

const WORD_TITLES: &[(WordKind, &str)] = &[
    (WordKind::Sign, "Signs"),
    (WordKind::Function, "Functions"),
    (WordKind::Aggregate, "Aggregates"),
    (WordKind::Root, "Where a field is"),
    (WordKind::Fact, "What is recorded with every event"),
    (WordKind::Attribute, "Attributes"),
    (WordKind::Severity, "Severities"),
    (WordKind::Outcome, "Outcomes of test steps"),
    (WordKind::Annotation, "Annotations of tools"),
    (WordKind::Type, "Other types"),
];

fn row(out: &mut String, name: &str, written: &str, doc: &str, gives: &str, ending: &str) {
    let cell = |text: &str| text.replace('|', "\\|");
    let mut means = sentence(doc);
    if !gives.is_empty() {
        let _ = write!(means, " Gives: {gives}.");
    }
    if !ending.is_empty() {
        let _ = write!(means, " {ending}");
    }
    let written = if written.is_empty() {
        String::new()
    } else {
        format!("`{}`", cell(written))
    };
    let _ = writeln!(out, "| `{}` | {written} | {} |", cell(name), cell(&means));
}

/// A text as a sentence: with a capital and a full stop.
#[must_use]
pub fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let mut out: String = chars
        .next()
        .map(|c| c.to_ascii_uppercase())
        .into_iter()
        .collect();
    out.push_str(chars.as_str());
    if !out.ends_with(['.', ':', '!', '?']) {
        out.push('.');
    }
    out
}
