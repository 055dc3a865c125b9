//! A library as a document for those who review it.

use std::fmt::Write as _;

use ctr_front::ir::Side;
use ctr_words::{StateWords, Style, code_span};

use super::plain::reached;
use super::review::{Entry, Review, Spot, by_tool};
use ctr_project::examples::{Example, Row};

/// The document: title, contents, a section a contract, index of tools.
pub fn write(review: &Review) -> String {
    let mut out = String::new();
    let file = review.path.rsplit('/').next().unwrap_or(&review.path);
    if !review.one {
        let _ = writeln!(out, "# Contracts of {}\n", code_span(file));
        if !review.doc.is_empty() {
            let _ = writeln!(out, "{}\n", review.doc);
        }
        out.push_str(INTRODUCTION);
        contents(&mut out, review);
    }
    for entry in &review.entries {
        section(&mut out, entry);
    }
    let tools = by_tool(review);
    if !review.one && !tools.is_empty() {
        out.push_str("## Tools\n\n| tool | contracts |\n| --- | --- |\n");
        for (tool, contracts) in tools {
            let links: Vec<String> = contracts.iter().map(|name| link_to(name)).collect();
            let _ = writeln!(out, "| {} | {} |", cell(&code_span(tool)), links.join(", "));
        }
    }
    out
}

const INTRODUCTION: &str = "\
Each contract is said in words that are made from what is enforced. *Then* is the step of which a sentence speaks, and *from \
then on* includes that step. What stands in square brackets belongs together; numbers in parentheses are the points below. \
*Up to now* includes the event that is judged. Events of a session are counted from 0.\n\n";

fn contents(out: &mut String, review: &Review) {
    out.push_str(
        "## Contents\n\n| contract | id | severity | source |\n| --- | --- | --- | --- |\n",
    );
    for entry in &review.entries {
        let contract = &entry.contract;
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} |",
            link_to(&contract.name),
            cell(contract.id.as_deref().unwrap_or_default()),
            cell(contract.severity.as_deref().unwrap_or_default()),
            source(entry).map(|text| cell(&text)).unwrap_or_default()
        );
    }
    out.push('\n');
}

/// A link to the section of a contract, as GitHub names it.
fn link_to(name: &str) -> String {
    format!("[{name}](#{})", name.to_lowercase())
}

fn place(spot: &Spot) -> String {
    let file = spot.path.rsplit('/').next().unwrap_or(&spot.path);
    format!(
        "[{file}:{}]({}#L{})",
        spot.line,
        target(&spot.path),
        spot.line
    )
}

/// A path as the target of a link.
fn target(path: &str) -> String {
    let mut out = String::new();
    for c in path.chars() {
        match c {
            ' ' => out.push_str("%20"),
            '(' => out.push_str("%28"),
            ')' => out.push_str("%29"),
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            c => out.push(c),
        }
    }
    out
}

/// The prose that a contract stands for.
fn source(entry: &Entry) -> Option<String> {
    let link = entry.source.as_ref()?;
    let section = link
        .section
        .as_ref()
        .map(|section| format!(", {section}"))
        .unwrap_or_default();
    Some(match &link.at {
        Some(spot) => format!("{}{section}", place(spot)),
        None => format!("{}{section}", link.document),
    })
}

/// What the attributes say, the source apart.
pub(super) fn labels(entry: &Entry) -> Vec<String> {
    let contract = &entry.contract;
    let mut out = Vec::new();
    if let Some(id) = &contract.id {
        out.push(format!("id {id}"));
    }
    if let Some(severity) = &contract.severity {
        out.push(format!("severity {severity}"));
    }
    if let Some(link) = &entry.source {
        let at = match &link.at {
            Some(spot) => format!("{}:{}", spot.path, spot.line),
            None => link.document.clone(),
        };
        let section = link
            .section
            .as_ref()
            .map(|section| format!(" ({section})"))
            .unwrap_or_default();
        out.push(format!("source {at}{section}"));
    }
    if !contract.tags.is_empty() {
        out.push(format!("tags {}", contract.tags.join(" ")));
    }
    out
}

fn section(out: &mut String, entry: &Entry) {
    let words = &entry.words;
    let _ = writeln!(out, "## {}\n", words.name);
    for line in words.doc.lines() {
        let _ = writeln!(out, "> {}", line.trim());
    }
    if !words.doc.is_empty() {
        out.push('\n');
    }
    let contract = &entry.contract;
    let mut facts = vec![place(&entry.at)];
    facts.extend(contract.id.as_ref().map(|id| format!("id {id}")));
    facts.extend(
        contract
            .severity
            .as_ref()
            .map(|severity| format!("severity {severity}")),
    );
    facts.extend(source(entry).map(|source| format!("source {source}")));
    if !contract.tags.is_empty() {
        facts.push(format!("tags {}", contract.tags.join(", ")));
    }
    let _ = writeln!(out, "{}\n", facts.join(" · "));
    for phrase in words.keys.iter().chain([&words.steps]) {
        let _ = writeln!(out, "{}", phrase.sentence(Style::Markdown));
    }
    for side in [Side::Assume, Side::Guarantee] {
        let clauses: Vec<_> = words.clauses.iter().filter(|c| c.side == side).collect();
        if clauses.is_empty() {
            continue;
        }
        let who = match side {
            Side::Assume => "The environment owes",
            Side::Guarantee => "The agent owes",
        };
        let _ = writeln!(out, "\n**{who}:**");
        for clause in clauses {
            for item in clause.item.iter().chain(&clause.deadlines) {
                let _ = write!(out, "\n{}", item.write(Style::Markdown, 0));
            }
        }
    }
    for group in &words.groups {
        let tools: Vec<String> = group.tools.iter().map(|tool| code_span(tool)).collect();
        let _ = writeln!(
            out,
            "\nTools of {}: {}.",
            code_span(&group.name),
            tools.join(", ")
        );
    }
    let clauses: Vec<&str> = words.clauses.iter().map(|c| c.source.as_str()).collect();
    let _ = writeln!(out, "\n```ctr\n{}\n```", clauses.join("\n"));
    if !words.consequences.is_empty() || words.undefined.is_some() || words.message.is_some() {
        out.push_str("\n**Where it is not kept:**\n\n");
    }
    for phrase in words.consequences.iter().chain(&words.undefined) {
        let _ = writeln!(out, "- {}", phrase.sentence(Style::Markdown));
    }
    if let Some(message) = &words.message {
        let _ = writeln!(out, "- The agent is told: “{}”", escaped(message));
    }
    for (title, states) in [
        ("States of what the environment owes", &words.assumed),
        ("States of what the agent owes", &words.guaranteed),
    ] {
        states_table(out, title, states);
    }
    if let Some((accepted, rejected)) = &entry.examples {
        example(out, "accepts", accepted);
        example(out, "rejects", rejected);
    }
    out.push('\n');
}

fn states_table(out: &mut String, title: &str, states: &[StateWords]) {
    if states.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "\n**{title}:**\n\n| state | means | reached |\n| --- | --- | --- |"
    );
    for state in states {
        let _ = writeln!(
            out,
            "| {} | {} | {} |",
            state.kind.name(),
            state.kind.meaning(),
            cell(&reached(state, Style::Markdown))
        );
    }
}

fn example(out: &mut String, verb: &str, example: &Example) {
    match example {
        Example::Never => {
            let _ = writeln!(out, "\n**There is no session that it {verb}.**");
        }
        Example::Open(reason) => {
            let _ = writeln!(out, "\n**No session that it {verb} was found:** {reason}.");
        }
        Example::Session { rows, end, .. } if rows.is_empty() && end.is_none() => {
            let _ = writeln!(
                out,
                "\n**It {verb}, for example,** the session without events."
            );
        }
        Example::Session { rows, end, .. } => {
            let _ = writeln!(
                out,
                "\n**It {verb}, for example:**\n\n| # | event | values | contract |\n| --- | --- | --- | --- |"
            );
            for row in rows {
                let _ = writeln!(out, "{}", line(row));
            }
            if let Some(end) = end {
                let _ = writeln!(out, "| | the session ends | | {} |", cell(end));
            }
        }
    }
}

fn line(row: &Row) -> String {
    let number = row.number.map(|number| number.to_string());
    let of = if row.of.is_empty() {
        String::new()
    } else {
        format!(" {}", code_span(&row.of))
    };
    let values = if row.values.is_empty() {
        String::new()
    } else {
        code_span(&row.values)
    };
    format!(
        "| {} | {}{} | {} | {} |",
        number.unwrap_or_default(),
        row.what,
        cell(&of),
        cell(&values),
        cell(row.said.as_deref().unwrap_or_default())
    )
}

/// Text that stays in its cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}

/// Text without marks of Markdown.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if "\\`*_[]<>#".contains(c) {
            out.push('\\');
        }
        out.push(if c.is_control() { ' ' } else { c });
    }
    out
}
