//! Contracts in words, for terminals.

use std::fmt::Write as _;

use ctr_front::ir::Side;
use ctr_words::{StateWords, Style, Way};

use super::review::{Entry, Review};
use ctr_project::examples::{Example, Row};

/// All of them, with an empty line between two.
pub fn write(review: &Review) -> String {
    let texts: Vec<String> = review.entries.iter().map(contract).collect();
    texts.join("\n")
}

fn contract(entry: &Entry) -> String {
    let words = &entry.words;
    let mut out = format!("{}\n", words.name);
    for line in words.doc.lines() {
        let _ = writeln!(out, "  {}", line.trim());
    }
    let mut labels = vec![format!("{}:{}", entry.at.path, entry.at.line)];
    labels.extend(super::markdown::labels(entry));
    let _ = writeln!(out, "  {}", labels.join(", "));
    for phrase in words.keys.iter().chain([&words.steps]) {
        let _ = writeln!(out, "  {}", phrase.sentence(Style::Plain));
    }
    for side in [Side::Assume, Side::Guarantee] {
        let clauses: Vec<_> = words.clauses.iter().filter(|c| c.side == side).collect();
        if clauses.is_empty() {
            continue;
        }
        let _ = writeln!(
            out,
            "\n  {}",
            match side {
                Side::Assume => "The environment owes:",
                Side::Guarantee => "The agent owes:",
            }
        );
        for clause in clauses {
            for item in clause.item.iter().chain(&clause.deadlines) {
                out.push_str(&item.write(Style::Plain, 4));
            }
        }
    }
    for group in &words.groups {
        let _ = writeln!(
            out,
            "  Tools of `{}`: {}",
            group.name,
            group.tools.join(", ")
        );
    }
    if !words.consequences.is_empty() || words.undefined.is_some() {
        out.push('\n');
    }
    for phrase in words.consequences.iter().chain(&words.undefined) {
        let _ = writeln!(out, "  {}", phrase.sentence(Style::Plain));
    }
    if let Some(message) = &words.message {
        let _ = writeln!(out, "  The agent is told: {message}");
    }
    for (title, states) in [
        ("States of what the environment owes:", &words.assumed),
        ("States of what the agent owes:", &words.guaranteed),
    ] {
        if !states.is_empty() {
            let _ = writeln!(out, "\n  {title}");
        }
        for state in states {
            let _ = writeln!(
                out,
                "    {}: {}",
                state.kind.name(),
                reached(state, Style::Plain)
            );
        }
    }
    if let Some((accepted, rejected)) = &entry.examples {
        example(&mut out, "accepts", accepted);
        example(&mut out, "rejects", rejected);
    }
    out
}

/// How a session comes to a state, and out of it.
pub(super) fn reached(state: &StateWords, style: Style) -> String {
    let steps = |steps: &[ctr_words::Phrase]| {
        steps
            .iter()
            .map(|step| step.write(style))
            .collect::<Vec<_>>()
            .join(", then ")
    };
    let mut out = match &state.way {
        Way::Start => "at the start".to_owned(),
        Way::Never => "no session comes to it".to_owned(),
        Way::After(way) => format!("for example after {}", steps(way)),
    };
    if let Some(done) = &state.done_by {
        let _ = write!(out, "; what is owed is done by {}", steps(done));
    }
    out
}

fn example(out: &mut String, verb: &str, example: &Example) {
    match example {
        Example::Never => {
            let _ = writeln!(out, "\n  There is no session that it {verb}.");
        }
        Example::Open(reason) => {
            let _ = writeln!(out, "\n  No session that it {verb} was found: {reason}.");
        }
        Example::Session { rows, end, .. } if rows.is_empty() && end.is_none() => {
            let _ = writeln!(
                out,
                "\n  It {verb}, for example, the session without events."
            );
        }
        Example::Session { rows, end, .. } => {
            let _ = writeln!(out, "\n  It {verb}, for example:");
            for row in rows {
                let _ = writeln!(out, "    {}", line(row));
            }
            if let Some(end) = end {
                let _ = writeln!(out, "    end: {end}");
            }
        }
    }
}

fn line(row: &Row) -> String {
    let number = row
        .number
        .map_or("-".to_owned(), |number| number.to_string());
    let mut out = format!("{number} {}", row.what);
    if !row.of.is_empty() {
        let of = if row.what == "call"
            || row.what.ends_with("return")
            || row.what.ends_with("outcome")
        {
            " of"
        } else {
            ""
        };
        let _ = write!(out, "{of} `{}`", row.of);
    }
    if !row.values.is_empty() {
        let _ = write!(out, " {}", row.values);
    }
    if let Some(said) = &row.said {
        let _ = write!(out, "  <- {said}");
    }
    out
}
