//! From the text of a `ctrc.toml` to what it says.

use std::ops::Range;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Config;
use super::glob::Pattern;
use crate::diagnostic::{Diagnostic, Fix};
use crate::ir::Source;
use crate::levels::{self, Level, NameError};
use crate::suggest::nearest;

/// The tables and their keys; those of `[lints]` are codes.
const TABLES: [(&str, &[&str]); 4] = [
    ("lints", &[]),
    ("check", &["solver-timeout", "max-states"]),
    ("fmt", &["width"]),
    ("files", &["exclude"]),
];

/// The narrowest and the widest page that `[fmt] width` can ask for.
const WIDTHS: std::ops::RangeInclusive<usize> = 20..=1000;

/// Reads a `ctrc.toml`. Never fails: what is wrong is a finding, and the rest still counts.
///
/// `path` is how messages call it, `folder` where it stands, `codes` all codes of the compiler.
#[must_use]
pub fn read(path: &str, folder: &str, text: &str, codes: &[&str]) -> Config {
    let mut reader = Reader {
        config: Config {
            source: Source {
                path: path.to_owned(),
                text: text.to_owned(),
            },
            folder: folder.to_owned(),
            ..Config::default()
        },
        codes,
    };
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        reader.syntax(error.message(), &span);
    }
    // What could be read of a file with errors may be half of what was meant.
    if reader.config.findings.is_empty() {
        reader.file(table.get_ref());
    }
    reader
        .config
        .findings
        .sort_by_key(|found| found.primary.place.span);
    reader.config
}

/// A key and its value.
type Entry<'a, 'i> = (
    &'a Spanned<toml::de::DeString<'i>>,
    &'a Spanned<DeValue<'i>>,
);

struct Reader<'c> {
    config: Config,
    codes: &'c [&'c str],
}

impl Reader<'_> {
    fn error(&mut self, message: String, span: &Range<usize>, label: &str, help: &str) {
        let place = Config::place(span.start, span.end);
        let found = Diagnostic::error("E0801", message, place, label).with_help(help);
        self.config.findings.push(found);
    }

    fn syntax(&mut self, message: &str, span: &Range<usize>) {
        // The reader of TOML has told the place; one fault is told once.
        if !self.config.findings.is_empty() {
            return;
        }
        let text = &self.config.source.text;
        let start = text.floor_char_boundary(span.start.min(text.len()));
        let end = text.ceil_char_boundary(span.end.min(text.len())).max(start);
        let label = said(message);
        self.config.findings.push(
            Diagnostic::error(
                "E0800",
                format!("`{}` is not TOML", self.config.source.path),
                Config::place(start, end),
                label,
            )
            .with_help(
                "write tables such as `[lints]` and below them lines such as `W0407 = \"deny\"`",
            ),
        );
    }

    fn file(&mut self, table: &DeTable<'_>) {
        for (key, value) in in_order(table) {
            let name = key.get_ref().as_ref();
            let Some((_, keys)) = TABLES.iter().find(|(table, _)| *table == name) else {
                self.unknown_table(key, value);
                continue;
            };
            let DeValue::Table(inner) = value.get_ref() else {
                self.wrong_type(name, value, "a table", &format!("write `[{name}]`"));
                continue;
            };
            for (key, value) in in_order(inner) {
                if name == "lints" {
                    self.lint(key, value);
                } else if keys.contains(&key.get_ref().as_ref()) {
                    self.key(name, key.get_ref(), value);
                } else {
                    self.unknown_key(name, keys, key);
                }
            }
        }
    }

    fn key(&mut self, table: &str, key: &str, value: &Spanned<DeValue<'_>>) {
        match (table, key) {
            ("check", "solver-timeout") => {
                let seconds = number(value.get_ref()).filter(|n| n.is_finite() && *n >= 0.0);
                match seconds.and_then(|n| Duration::try_from_secs_f64(n).ok()) {
                    Some(time) => self.config.solver_timeout = Some(time),
                    None => self.wrong_type(
                        key,
                        value,
                        "a number of seconds",
                        "write the number alone, as in `solver-timeout = 30`",
                    ),
                }
            }
            ("check", "max-states") => match whole(value.get_ref()).filter(|n| *n > 0) {
                Some(states) => self.config.max_states = Some(states),
                None => self.wrong_type(
                    key,
                    value,
                    "a whole number above 0",
                    "write it as in `max-states = 20000`",
                ),
            },
            ("fmt", "width") => match whole(value.get_ref()).filter(|n| WIDTHS.contains(n)) {
                Some(width) => self.config.width = Some(width),
                None => self.wrong_type(
                    key,
                    value,
                    "a whole number from 20 to 1000",
                    "write it as in `width = 100`",
                ),
            },
            ("files", "exclude") => self.exclude(value),
            _ => {}
        }
    }

    fn exclude(&mut self, value: &Spanned<DeValue<'_>>) {
        let help = "write it as in `exclude = [\"generated/\", \"*.draft.ctr\"]`";
        let DeValue::Array(all) = value.get_ref() else {
            self.wrong_type("exclude", value, "a list of patterns", help);
            return;
        };
        for entry in all {
            let DeValue::String(text) = entry.get_ref() else {
                self.wrong_type("exclude", entry, "a list of patterns in quotes", help);
                continue;
            };
            match Pattern::parse(text) {
                Ok(pattern) => self.config.exclude.push(pattern),
                Err(why) => self.error(
                    format!("`{}` is no pattern of paths", shown(text)),
                    &entry.span(),
                    why,
                    "patterns are those of `.gitignore` files",
                ),
            }
        }
    }

    fn lint(&mut self, key: &Spanned<toml::de::DeString<'_>>, value: &Spanned<DeValue<'_>>) {
        let name = key.get_ref().as_ref();
        let (start, end) = (key.span().start, key.span().end);
        let place = Config::place(start, end);
        let level = match value.get_ref() {
            DeValue::String(text) => Level::from_name(text),
            _ => None,
        };
        match levels::check_name(name, self.codes) {
            Ok(()) => {}
            Err(NameError::IsError) => {
                // To deny an error says nothing new, and harms nothing.
                if level != Some(Level::Deny) {
                    self.config.findings.push(
                        Diagnostic::warning(
                            "W0802",
                            format!("`{name}` is an error and stays one"),
                            place,
                            "has no level",
                        )
                        .with_help("levels are for warnings: their codes begin with `W`"),
                    );
                }
                return;
            }
            Err(NameError::Unknown(near)) => {
                let mut found = Diagnostic::warning(
                    "W0801",
                    format!("there is no code `{}`", shown(name)),
                    place,
                    "unknown code",
                );
                found = match near {
                    Some(near) => {
                        found
                            .with_help(format!("did you mean `{near}`?"))
                            .with_fix(Fix {
                                title: format!("write `{near}`"),
                                edits: vec![(place, near)],
                                safe: false,
                            })
                    }
                    None => found.with_help("a code stands in brackets before each message"),
                };
                self.config.findings.push(found);
                return;
            }
        }
        match level {
            Some(level) => self.config.levels.set(name, level),
            None => {
                let near = match value.get_ref() {
                    DeValue::String(text) => nearest_level(text),
                    _ => None,
                };
                let help = near.map_or_else(
                    || "levels are `allow`, `note`, `warn` and `deny`".to_owned(),
                    |near| format!("did you mean `\"{near}\"`?"),
                );
                self.error(
                    format!("`{name}` has no such level"),
                    &value.span(),
                    "no level",
                    &help,
                );
            }
        }
    }

    fn wrong_type(&mut self, key: &str, value: &Spanned<DeValue<'_>>, wanted: &str, help: &str) {
        self.error(
            format!("`{key}` is {wanted}"),
            &value.span(),
            &format!("this is {}", kind(value.get_ref())),
            help,
        );
    }

    fn unknown_table(
        &mut self,
        key: &Spanned<toml::de::DeString<'_>>,
        value: &Spanned<DeValue<'_>>,
    ) {
        let name = key.get_ref().as_ref();
        let home = TABLES
            .iter()
            .find(|(_, keys)| keys.contains(&name))
            .map(|(table, _)| *table)
            .or_else(|| {
                let is_code = levels::check_name(name, self.codes).is_ok();
                is_code.then_some("lints")
            });
        let is_table = matches!(value.get_ref(), DeValue::Table(_));
        let what = if is_table { "table" } else { "key" };
        let found = self.unknown(what, key, "");
        let found = if let Some(home) = home {
            found.with_help(format!("`{name}` stands below `[{home}]`"))
        } else {
            let tables = TABLES.iter().map(|(table, _)| *table);
            suggested(found, name, tables, "the tables are")
        };
        self.config.findings.push(found);
    }

    fn unknown_key(&mut self, table: &str, keys: &[&str], key: &Spanned<toml::de::DeString<'_>>) {
        let name = key.get_ref().as_ref();
        let found = self.unknown("key", key, &format!(" below `[{table}]`"));
        let home = TABLES
            .iter()
            .find(|(_, keys)| keys.contains(&name))
            .map(|(table, _)| *table);
        let found = if let Some(home) = home {
            found.with_help(format!("`{name}` stands below `[{home}]`"))
        } else {
            suggested(found, name, keys.iter().copied(), "the keys are")
        };
        self.config.findings.push(found);
    }

    fn unknown(
        &self,
        what: &str,
        key: &Spanned<toml::de::DeString<'_>>,
        below: &str,
    ) -> Diagnostic {
        let span = key.span();
        Diagnostic::warning(
            "W0805",
            format!("there is no {what} `{}`{below}", shown(key.get_ref())),
            Config::place(span.start, span.end),
            "says nothing",
        )
    }
}

/// What the reader of TOML found, in words of ours.
fn said(message: &str) -> &'static str {
    const WORDS: [(&str, &str); 6] = [
        ("duplicate key", "this key stands twice"),
        ("must be quoted", "a text stands in quotes"),
        ("opening quote", "a text stands in quotes"),
        ("unclosed", "this is not closed"),
        ("leading zero", "a number does not begin with a zero"),
        ("carriage return", "a carriage return without a line feed"),
    ];
    WORDS
        .iter()
        .find(|(theirs, _)| message.contains(theirs))
        .map_or("not understood from here on", |(_, ours)| ours)
}

/// With the nearest of the names that there are, or all of them.
fn suggested<'a>(
    found: Diagnostic,
    name: &str,
    names: impl Iterator<Item = &'a str> + Clone,
    are: &str,
) -> Diagnostic {
    let place = found.primary.place;
    match nearest(name, names.clone()) {
        Some(near) => found
            .with_help(format!("did you mean `{near}`?"))
            .with_fix(Fix {
                title: format!("write `{near}`"),
                edits: vec![(place, near.to_owned())],
                safe: false,
            }),
        None => {
            let all: Vec<String> = names.map(|name| format!("`{name}`")).collect();
            let all = match all.as_slice() {
                [one] => format!("the only key is {one}"),
                _ => format!("{are} {}", all.join(", ")),
            };
            found.with_help(all)
        }
    }
}

/// The level that was meant.
fn nearest_level(text: &str) -> Option<&'static str> {
    match text.trim().to_ascii_lowercase().as_str() {
        "off" | "ignore" | "none" | "disable" | "disabled" => Some("allow"),
        "info" | "hint" => Some("note"),
        "warning" | "on" => Some("warn"),
        "error" | "forbid" => Some("deny"),
        _ => nearest(text, Level::NAMES),
    }
}

/// The entries of a table as they stand in the file.
fn in_order<'a, 'i>(table: &'a DeTable<'i>) -> Vec<Entry<'a, 'i>> {
    let mut all: Vec<Entry<'a, 'i>> = table.iter().collect();
    all.sort_by_key(|(key, _)| key.span().start);
    all
}

/// A text from the file for a message: one line, not too long.
fn shown(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() || c == '`' { '?' } else { c })
        .take(60)
        .collect()
}

fn whole(value: &DeValue<'_>) -> Option<usize> {
    match value {
        DeValue::Integer(n) => usize::from_str_radix(n.as_str(), n.radix()).ok(),
        _ => None,
    }
}

fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(n) => n.as_str().parse().ok().filter(|_| n.radix() == 10),
        DeValue::Float(n) => n.as_str().parse().ok(),
        _ => None,
    }
}

/// What a value is, in words.
fn kind(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(_) => "a text".to_owned(),
        DeValue::Integer(n) => format!("`{}`", n.as_str()),
        DeValue::Float(n) => format!("`{}`", n.as_str()),
        DeValue::Boolean(b) => format!("`{b}`"),
        DeValue::Datetime(_) => "a time".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

    use super::*;
    use crate::diagnostic::Severity;

    const CODES: [&str; 3] = ["E0401", "W0407", "W0408"];

    fn config(text: &str) -> Config {
        read("ctrc.toml", ".", text, &CODES)
    }

    /// Code, text at the place, and help of each finding.
    fn found(text: &str) -> Vec<(&'static str, String, String)> {
        config(text)
            .findings
            .iter()
            .map(|found| {
                let span = found.primary.place.span;
                let at = text[span.start as usize..span.end as usize].to_owned();
                (found.code, at, found.help.join(" "))
            })
            .collect()
    }

    #[test]
    fn all_keys() {
        let read = config(
            "\u{feff}# of the desk\r\n[lints]\r\nW0407 = \"deny\"\r\nwarnings = 'note'\r\n\r\n[check]\r\nsolver-timeout = 2.5\r\n\
             max-states = 1_000\r\n[fmt]\r\nwidth = 80\r\n[files]\r\nexclude = [\"gen/\", \"!gen/keep\"]\r\n",
        );
        assert_eq!(read.findings, []);
        assert_eq!(
            read.levels.severity("W0407", Severity::Warning),
            Some(Severity::Error)
        );
        assert_eq!(
            read.levels.severity("W0408", Severity::Warning),
            Some(Severity::Note)
        );
        assert_eq!(read.solver_timeout, Some(Duration::from_millis(2500)));
        assert_eq!(read.max_states, Some(1000));
        assert_eq!(read.width, Some(80));
        assert_eq!(read.exclude.len(), 2);
        assert!(config("").findings.is_empty());
    }

    #[test]
    fn unknown_keys_are_told_with_what_was_meant() {
        for (text, at, help) in [
            (
                "[lint]\nW0407 = \"deny\"\n",
                "lint",
                "did you mean `lints`?",
            ),
            (
                "[zzz]\na = 1\n",
                "zzz",
                "the tables are `lints`, `check`, `fmt`, `files`",
            ),
            (
                "[check]\nsolver_timeout = 1\n",
                "solver_timeout",
                "did you mean `solver-timeout`?",
            ),
            (
                "[check]\nwidth = 1\n",
                "width",
                "`width` stands below `[fmt]`",
            ),
            ("width = 1\n", "width", "`width` stands below `[fmt]`"),
            (
                "W0407 = 'deny'\n",
                "W0407",
                "`W0407` stands below `[lints]`",
            ),
            ("[fmt]\nzzz = 1\n", "zzz", "the only key is `width`"),
            (
                "[check]\nzzz = 1\n",
                "zzz",
                "the keys are `solver-timeout`, `max-states`",
            ),
        ] {
            assert_eq!(
                found(text),
                [("W0805", at.to_owned(), help.to_owned())],
                "{text}"
            );
        }
    }

    #[test]
    fn codes_and_levels() {
        for (text, code, at, help) in [
            (
                "[lints]\nw0407 = \"deny\"\n",
                "W0801",
                "w0407",
                "did you mean `W0407`?",
            ),
            (
                "[lints]\nW9 = \"deny\"\n",
                "W0801",
                "W9",
                "a code stands in brackets before each message",
            ),
            (
                "[lints]\nE0401 = \"allow\"\n",
                "W0802",
                "E0401",
                "levels are for warnings: their codes begin with `W`",
            ),
            (
                "[lints]\nW0407 = \"error\"\n",
                "E0801",
                "\"error\"",
                "did you mean `\"deny\"`?",
            ),
            (
                "[lints]\nW0407 = \"alow\"\n",
                "E0801",
                "\"alow\"",
                "did you mean `\"allow\"`?",
            ),
            (
                "[lints]\nW0407 = 2\n",
                "E0801",
                "2",
                "levels are `allow`, `note`, `warn` and `deny`",
            ),
        ] {
            assert_eq!(
                found(text),
                [(code, at.to_owned(), help.to_owned())],
                "{text}"
            );
        }
        assert_eq!(found("[lints]\nE0401 = \"deny\"\n"), []);
    }

    #[test]
    fn wrong_values_are_errors_and_the_rest_counts() {
        for (line, at) in [
            ("check.solver-timeout = \"1\"", "\"1\""),
            ("check.solver-timeout = -1", "-1"),
            ("check.solver-timeout = nan", "nan"),
            ("check.solver-timeout = 1e300", "1e300"),
            ("check.max-states = 0", "0"),
            ("check.max-states = 1.5", "1.5"),
            ("fmt.width = 3", "3"),
            ("files.exclude = \"gen\"", "\"gen\""),
            ("files.exclude = [\"a\", 1]", "1"),
            ("files.exclude = [\"a\", \"[b\"]", "\"[b\""),
            ("check = 1", "1"),
        ] {
            let text = format!("{line}\n[lints]\nwarnings = \"deny\"\n");
            let all = found(&text);
            assert_eq!(all.len(), 1, "{line}: {all:?}");
            assert_eq!((all[0].0, all[0].1.as_str()), ("E0801", at), "{line}");
            let severity = config(&text).levels.severity("W0407", Severity::Warning);
            assert_eq!(severity, Some(Severity::Error), "{line}");
        }
    }

    #[test]
    fn what_is_no_toml_is_one_error() {
        for text in [
            "[lints",
            "[lints]\nW0407 = deny\n",
            "a = 1\na = 2\n",
            "\0",
            "[[",
            "= 1\n= 2\n",
            "é é",
        ] {
            let all = config(text).findings;
            assert_eq!(all.len(), 1, "{text}: {all:?}");
            assert_eq!(all[0].code, "E0800", "{text}");
        }
    }

    #[test]
    fn what_editors_show_is_what_is_read() {
        use crate::config::SETTINGS;
        for (table, keys) in TABLES {
            let shown: Vec<&str> = SETTINGS
                .iter()
                .filter(|s| s.table == table && !s.key.is_empty())
                .map(|s| s.key)
                .collect();
            assert_eq!(shown, keys);
            assert!(
                SETTINGS
                    .iter()
                    .any(|s| s.table == table && s.key.is_empty())
            );
        }
        // The values that are put there first are taken.
        for s in SETTINGS.iter().filter(|s| !s.key.is_empty()) {
            let text = format!("[{}]\n{} = {}\n", s.table, s.key, s.value);
            assert_eq!(found(&text).len(), 0, "{text}");
        }
    }
}
