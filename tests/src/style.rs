//! What can be checked of a message by a program: the numbered rules of `docs/messages.md`.

/// The parts of a finding that people read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The line after the code.
    Message,
    /// What stands at a place; may be empty.
    Label,
    /// Advice.
    Help,
    /// The title of a fix.
    Title,
}

/// A text without what stands in back-ticks: the user's text is not ours to judge.
#[must_use]
pub fn ours(text: &str) -> String {
    text.split('`')
        .enumerate()
        .map(|(index, part)| if index % 2 == 0 { part } else { "`_`" })
        .collect::<String>()
        .replace("`_`", "``")
}

/// Words that say nothing, or belong to the inside of the compiler.
const WORDS: [&str; 38] = [
    "invalid",
    "illegal",
    "bad",
    "please",
    "sorry",
    "oops",
    "unfortunately",
    "failed to",
    "unable to",
    "cannot parse",
    "unexpected token",
    "parser",
    "lexer",
    "lalrpop",
    "token",
    "terminal",
    "nonterminal",
    "panic",
    "unwrap",
    "enum variant",
    "struct",
    "usize",
    "u32",
    "u64",
    "i64",
    "isize",
    "vec<",
    "box<",
    "option<",
    "hashmap",
    "btreemap",
    "some(",
    "none)",
    "ok(",
    "err(",
    "trace",
    "identifier",
    "eof",
];

/// With what a title of a fix begins.
const VERBS: [&str; 27] = [
    "write", "remove", "add", "put", "drop", "delete", "replace", "assume", "rename", "move",
    "close", "declare", "use", "quote", "insert", "keep", "give", "say", "turn", "split", "join",
    "make", "change", "take", "leave", "escape", "anchor",
];

/// What of the style guide a text does not keep.
#[must_use]
pub fn faults(part: Part, text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut fault = |what: &str| found.push(format!("{part:?} {what}: {text}"));
    if text.is_empty() {
        if part != Part::Label {
            fault("is empty");
        }
        return found;
    }
    if !text.matches('`').count().is_multiple_of(2) {
        fault("has a back-tick that is not closed");
        return found;
    }
    if text.chars().any(|c| c.is_control() || is_hidden(c)) {
        fault("has a control character or more than one line");
    }
    let ours = ours(text);
    if ours != ours.trim() {
        fault("begins or ends with white space");
    }
    if ours.contains("  ") {
        fault("has two spaces");
    }
    let first = ours.chars().next().unwrap_or('`');
    let abbreviation = ours
        .split(|c: char| !c.is_alphanumeric())
        .next()
        .is_some_and(|word| word.chars().skip(1).any(char::is_uppercase) || word == "U");
    if !(first == '`' || first.is_lowercase() || abbreviation) {
        // A bare number is the user's text, or a limit of ours that can stand later in the line.
        fault("does not begin with a lower-case letter");
    }
    let last = ours.chars().last().unwrap_or('`');
    let asks =
        last == '?' && (part == Part::Help || ours.contains("; ") || ours.contains("is there"));
    if matches!(last, '.' | '!' | ':' | ',' | ';' | '-') || (last == '?' && !asks) {
        let form = ours.ends_with(" ...") || ours.ends_with("..");
        if !form {
            fault("ends with a sign");
        }
    }
    if ours.contains('!') {
        fault("has an exclamation mark");
    }
    for sign in [
        "\"", "_", "::", "==", "{", "}", "<", ">=", "&&", "||", "\u{2018}", "\u{201c}",
    ] {
        if ours.contains(sign) {
            fault(&format!("has `{sign}` outside back-ticks"));
        }
    }
    let lower = ours.to_lowercase();
    for word in WORDS {
        let whole = |at: usize| {
            let before = lower[..at].chars().next_back();
            let after = lower[at + word.len()..].chars().next();
            !before.is_some_and(char::is_alphanumeric)
                && (!word.ends_with(char::is_alphanumeric)
                    || !after.is_some_and(char::is_alphanumeric))
        };
        if lower.match_indices(word).any(|(at, _)| whole(at)) {
            fault(&format!("says `{word}`"));
        }
    }
    let camel = ours
        .replace("OpenAI", "")
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| {
            let chars: Vec<char> = word.chars().collect();
            chars
                .windows(2)
                .any(|w| w[0].is_lowercase() && w[1].is_uppercase())
        });
    if camel {
        fault("has a name in capitals and small letters outside back-ticks");
    }
    let bound = match part {
        Part::Message => 160,
        Part::Help => 220,
        Part::Label => 90,
        Part::Title => 60,
    };
    if ours.chars().count() > bound {
        fault(&format!("has more than {bound} characters of ours"));
    }
    if part == Part::Title {
        let verb = ours.split(' ').next().unwrap_or_default();
        if !VERBS.contains(&verb) {
            fault("does not begin with a verb of the guide");
        }
    }
    found
}

/// Characters that a reader does not see, or that change what is seen.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Faults of the messages and the help in what `ctrc check` writes for people.
#[must_use]
pub fn faults_of_output(stderr: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in stderr.lines() {
        let message = ["error[", "warning[", "note["]
            .iter()
            .find_map(|kind| line.strip_prefix(kind)?.split_once("]: "));
        if let Some((_, message)) = message {
            found.extend(faults(Part::Message, message));
        }
        let line = line.trim_start();
        if let Some(help) = line.strip_prefix("= help: ") {
            found.extend(faults(Part::Help, help));
        }
        if let Some(title) = line.strip_prefix("= fix: ") {
            found.extend(faults(Part::Title, title));
        }
    }
    found
}
