//! What can stand in a `ctrc.toml`, for editors.

/// A key, or a table of which the keys are codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The table.
    pub table: &'static str,
    /// The key; empty for the table itself.
    pub key: &'static str,
    /// A value as it is written, for a key; what is put there first.
    pub value: &'static str,
    /// What it says, in Markdown.
    pub doc: &'static str,
}

const fn setting(
    table: &'static str,
    key: &'static str,
    value: &'static str,
    doc: &'static str,
) -> Setting {
    Setting {
        table,
        key,
        value,
        doc,
    }
}

/// All tables and their keys, in order.
pub const SETTINGS: &[Setting] = &[
    setting(
        "lints",
        "",
        "",
        "The levels of warnings, by their codes: `\"allow\"`, `\"note\"`, `\"warn\"` or `\"deny\"`. `warnings` is about all that have no level of their own.",
    ),
    setting(
        "check",
        "",
        "",
        "How contracts are translated and what is proven of them.",
    ),
    setting(
        "check",
        "solver-timeout",
        "30",
        "How long the solver looks for an answer to one question, in seconds. `--solver-timeout` comes before it.",
    ),
    setting(
        "check",
        "max-states",
        "20000",
        "The most states of one automaton, for every verb that compiles. `--max-states` of `build` comes before it.",
    ),
    setting("fmt", "", "", "How policies are formatted."),
    setting(
        "fmt",
        "width",
        "100",
        "The longest line, in characters: from 20 to 1000. `--width` comes before it.",
    ),
    setting("files", "", "", "Which files are looked at."),
    setting(
        "files",
        "exclude",
        "[\"generated/\"]",
        "What a search of a folder leaves out: patterns as in `.gitignore` files, seen from the folder of this file.",
    ),
];

/// The table or key of these names.
#[must_use]
pub fn setting_of(table: &str, key: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|s| s.table == table && s.key == key)
}
