//! The events of a session, one below the other.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ctr_runtime::event::Status;
use ctr_runtime::format::Library;
use ctr_runtime::json;
use ctr_runtime::time::format_rfc3339;
use ctr_trace::{OwnedKind, Session, Step, Traced};

use super::cards::{key, label, saw};
use super::data::{Moment, Told};
use super::escape::{Text, arguments, block, brief, value};
use super::findings::{Finding, Kind, key_in_words};
use super::shell::standing;
use crate::plain::counted;

/// An event's line is cut to so many characters.
const LINE: usize = 160;
/// So many changes of an event are listed.
const MAX_CHANGES: usize = 100;
/// So many findings of an event are listed.
const MAX_NOTES: usize = 50;

/// The events of a recording, by their numbers.
#[must_use]
pub fn events(session: &Session) -> Vec<&Traced> {
    session
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::Event(event) => Some(event),
            _ => None,
        })
        .collect()
}

/// The section of the timeline.
pub fn section(out: &mut String, library: &Library<'_>, told: &Told, findings: &[Finding<'_>]) {
    let _ = writeln!(
        out,
        "<section id=timeline aria-labelledby=timeline-title>\n<h2 id=timeline-title>Timeline <span class=count>{}</span></h2>",
        counted(told.report.events, "event")
    );
    filters(out, library, told, findings);
    out.push_str("<ol class=events id=events>\n");
    let mut at: BTreeMap<u64, Vec<(usize, &Finding<'_>)>> = BTreeMap::new();
    for (n, finding) in findings.iter().enumerate() {
        if let Some(event) = finding.shown_at() {
            at.entry(event).or_default().push((n, finding));
        }
    }
    let start: Vec<(usize, &Finding<'_>)> = findings
        .iter()
        .enumerate()
        .filter(|(_, f)| f.event.is_none() && f.kind != Kind::Pending)
        .collect();
    if !start.is_empty() {
        out.push_str("<li class=\"event bare\" id=start data-kind=start data-f=violation><p class=line><b>Before the first event</b></p>");
        notes(out, library, &start);
        out.push_str("</li>\n");
    }
    let all = events(&told.session);
    let day = all.iter().find_map(|event| event.time).map(date);
    let mut numbers = 0u64..;
    for step in &told.session.steps {
        match step {
            Step::Context(fields) => {
                let _ = writeln!(
                    out,
                    "<li class=\"event bare\" data-kind=context><p class=line><span class=n></span><span class=kind>context</span><span class=what><span class=brief>{}</span></span></p></li>",
                    Text(&arguments(fields, 4 * LINE))
                );
            }
            Step::Lookup { name, args, value } => {
                let args: Vec<String> = args.iter().map(ToString::to_string).collect();
                let text = format!("{name}({}) = {value}", args.join(", "));
                let _ = writeln!(
                    out,
                    "<li class=\"event bare\" data-kind=lookup><p class=line><span class=n></span><span class=kind>lookup</span><span class=what><span class=brief>{}</span></span></p></li>",
                    Text(&brief(&text, 4 * LINE))
                );
            }
            Step::Event(event) => {
                let Some(number) = numbers.next() else { break };
                let index = usize::try_from(number).unwrap_or(usize::MAX);
                let empty = Moment::default();
                let moment = told.story.moments.get(index).unwrap_or(&empty);
                let found = at.remove(&number).unwrap_or_default();
                let call = moment
                    .call
                    .and_then(|call| all.get(usize::try_from(call).ok()?))
                    .copied();
                row(
                    out,
                    library,
                    &Row {
                        number,
                        event,
                        moment,
                        found: &found,
                        call,
                        day: day.as_deref(),
                    },
                );
            }
        }
    }
    end(out, library, told, findings);
    out.push_str("</ol>\n</section>\n");
}

/// The tool that an event concerns: of a return that names none, its call's.
fn tool<'e>(event: &'e Traced, call: Option<&'e Traced>) -> Option<&'e str> {
    match &event.kind {
        OwnedKind::Call { tool, .. } => Some(tool),
        OwnedKind::Return { tool, .. } => tool
            .as_deref()
            .or_else(|| call.and_then(|call| tool_of_call(call))),
        _ => None,
    }
}

fn tool_of_call(call: &Traced) -> Option<&str> {
    match &call.kind {
        OwnedKind::Call { tool, .. } => Some(tool),
        _ => None,
    }
}

/// What may be chosen; only where the script runs.
fn filters(out: &mut String, library: &Library<'_>, told: &Told, findings: &[Finding<'_>]) {
    let mut tools: Vec<&str> = told
        .session
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::Event(event) => tool(event, None),
            _ => None,
        })
        .collect();
    tools.sort_unstable();
    tools.dedup();
    out.push_str(
        "<form class=filters id=filters hidden data-js>\n<label>Show <select id=only><option value=\"\">all events</option>",
    );
    for (group, name, words) in [
        ("violation", "violations", "violations"),
        ("decision", "decisions", "decisions"),
        ("idle", "idle", "broken assumptions"),
        ("malformed", "malformed", "malformed events"),
    ] {
        let count = findings.iter().filter(|f| f.kind.group() == group).count();
        if count > 0 {
            let _ = write!(out, "<option value={name}>only {words} ({count})</option>");
        }
    }
    out.push_str("<option value=changes>only what moves a contract</option></select></label>\n<label>Contract <select id=contract><option value=\"\">any</option>");
    for contract in library.contracts() {
        let name = Text(contract.name());
        let _ = write!(
            out,
            "<option value=\"{name}\" data-c={}>{name}</option>",
            contract.id()
        );
    }
    out.push_str("</select></label>\n<label>Tool <select id=tool><option value=\"\">any</option>");
    for tool in tools {
        let _ = write!(out, "<option value=\"{0}\">{0}</option>", Text(tool));
    }
    out.push_str(
        "</select></label>\n<label class=search>Search <input type=search id=q placeholder=\"text in events\" autocomplete=off spellcheck=false></label>\n\
         <button type=reset>Clear</button>\n<p role=status aria-live=polite id=shown></p>\n</form>\n",
    );
}

struct Row<'r> {
    number: u64,
    event: &'r Traced,
    moment: &'r Moment,
    found: &'r [(usize, &'r Finding<'r>)],
    call: Option<&'r Traced>,
    day: Option<&'r str>,
}

fn row(out: &mut String, library: &Library<'_>, row: &Row<'_>) {
    let Row {
        number,
        event,
        moment,
        found,
        ..
    } = row;
    let (kind, word) = kind(event);
    let _ = write!(out, "<li class=\"event {kind}");
    if let Some((_, worst)) = found.first() {
        let (class, _, _) = worst.kind.shown();
        let _ = write!(out, " found c-{class}");
    }
    if moment.left_out || moment.malformed.is_some() {
        out.push_str(" out");
    }
    let _ = write!(out, "\" id=e{number} data-kind={kind}");
    let tool = tool(event, row.call);
    if let Some(tool) = tool {
        let _ = write!(out, " data-tool=\"{}\"", Text(tool));
    }
    // Contracts that it moves, or that it is a finding of.
    let mut contracts: Vec<u32> = moment
        .changes
        .iter()
        .map(|change| change.contract)
        .chain(found.iter().filter_map(|(_, f)| f.contract))
        .collect();
    contracts.sort_unstable();
    contracts.dedup();
    if !contracts.is_empty() {
        out.push_str(" data-c=\"");
        for contract in contracts {
            let _ = write!(out, "{contract} ");
        }
        out.push('"');
    }
    let mut groups: Vec<&str> = found.iter().map(|(_, f)| f.kind.group()).collect();
    groups.sort_unstable();
    groups.dedup();
    if !groups.is_empty() {
        let _ = write!(out, " data-f=\"{}\"", groups.join(" "));
    }
    out.push_str("><details><summary>");
    let _ = write!(
        out,
        "<span class=n>{number}</span><span class=kind>{word}</span>"
    );
    let (_, text) = one_line(event, row.call);
    out.push_str("<span class=what>");
    if let OwnedKind::Return { status, .. } = &event.kind {
        let (class, sign) = match status {
            Status::Success => ("g", "\u{2713}"),
            Status::Failure => ("v", "\u{2715}"),
            Status::Unknown => ("u", "?"),
        };
        let _ = write!(
            out,
            "<span class=\"status t-{class}\"><span aria-hidden=true>{sign}</span> {}</span> ",
            status_word(*status)
        );
    }
    if let OwnedKind::Declared { name, .. } = &event.kind {
        let _ = write!(out, "<b>{}</b> ", Text(name));
    }
    if let Some(tool) = tool {
        let _ = write!(out, "<b>{}</b> ", Text(tool));
    }
    let _ = write!(out, "<span class=brief>{}</span></span>", Text(&text));
    out.push_str("<span class=flags>");
    if moment.ambiguous {
        out.push_str("<span class=flag>ambiguous</span>");
    }
    if moment.with_its_call {
        out.push_str("<span class=flag>left out with its call</span>");
    } else if moment.left_out {
        out.push_str("<span class=flag>left out</span>");
    }
    let moved = moment.changes.len();
    if moved > 0 {
        let _ = write!(out, "<span class=moved>{moved} moved</span>");
    }
    out.push_str("</span>");
    if let Some(time) = event.time {
        clock(out, time, row.day);
    }
    out.push_str("</summary><div class=body>");
    body(out, library, row);
    out.push_str("</div></details>");
    notes(out, library, found);
    out.push_str("</li>\n");
}

/// What is seen when a row is opened.
fn body(out: &mut String, library: &Library<'_>, row: &Row<'_>) {
    let Row { event, moment, .. } = row;
    out.push_str("<dl class=meta>");
    let mut item = |name: &str, text: &str| {
        let _ = write!(out, "<div><dt>{name}</dt><dd>{}</dd></div>", Text(text));
    };
    if let Some(id) = event.id() {
        item("id", id);
    }
    if let Some(time) = event.time {
        item("time", &format_rfc3339(time));
    }
    for (name, text) in [("agent", &event.agent), ("server", &event.server)] {
        if let Some(text) = text {
            item(name, text);
        }
    }
    for (name, number) in [
        ("turn", event.turn),
        ("depth", event.depth),
        ("tokens", event.tokens),
    ] {
        if let Some(number) = number {
            item(name, &number.to_string());
        }
    }
    item("record", &event.line.to_string());
    out.push_str("</dl>");
    if let Some(call) = moment.call {
        let _ = write!(
            out,
            "<p class=pair>Answers the <a href=\"#e{call}\">call at event {call}</a>.</p>"
        );
    }
    if moment.ambiguous {
        out.push_str("<p class=pair>Its call was found by the order of events, not by an id.</p>");
    }
    match &event.kind {
        OwnedKind::Call { args, .. } => value(out, "Arguments", args),
        OwnedKind::Return { result, error, .. } => {
            if let Some(result) = result {
                value(out, "Result", result);
            }
            if let Some(error) = error {
                out.push_str("<h3>Error</h3>");
                block(out, "text", error);
            }
        }
        OwnedKind::Input { text } | OwnedKind::Output { text } => block(out, "text", text),
        OwnedKind::Declared { fields, .. } => value(out, "Fields", fields),
    }
    if !moment.changes.is_empty() {
        out.push_str("<h3>Contracts that it moves</h3><ul class=changes>");
        for change in moment.changes.iter().take(MAX_CHANGES) {
            let contract = library.contract(change.contract);
            let _ = write!(
                out,
                "<li><a href=\"#c{}\">{}</a>",
                change.contract,
                Text(contract.name())
            );
            if !change.key.is_empty() {
                let _ = write!(
                    out,
                    " <span class=key>{}</span>",
                    Text(&brief(&key_in_words(contract, &change.key), LINE))
                );
            }
            out.push_str(": ");
            match change.from {
                Some(from) => {
                    standing(out, Some(from));
                    out.push_str(" \u{2192} ");
                }
                None => out.push_str("begins, "),
            }
            standing(out, Some(change.to));
            out.push_str("</li>");
        }
        out.push_str("</ul>");
        let more = moment.changes.len().saturating_sub(MAX_CHANGES);
        if more > 0 {
            let _ = write!(out, "<p class=cut>{more} more are not shown.</p>");
        }
    }
}

/// Findings below an event.
fn notes(out: &mut String, library: &Library<'_>, found: &[(usize, &Finding<'_>)]) {
    for (number, finding) in found.iter().take(MAX_NOTES) {
        let (class, _, _) = finding.kind.shown();
        let _ = write!(out, "<p class=\"note c-{class}\">");
        label(out, finding.kind);
        if let Some(contract) = finding.contract {
            let contract = library.contract(contract);
            let to = if *number < super::cards::MAX_CARDS {
                format!("f{number}")
            } else {
                format!("c{}", contract.id())
            };
            let _ = write!(out, " <a href=\"#{to}\">{}</a>", Text(contract.name()));
            key(out, contract, finding);
        }
        let _ = write!(out, " {}", Text(&brief(finding.message, 400)));
        let saw = saw(finding.seen);
        if !saw.is_empty() {
            let _ = write!(
                out,
                " <span class=saw>Saw <code>{}</code></span>",
                Text(&saw)
            );
        }
        if finding.kind == Kind::Pending
            && let Some(event) = finding.event
        {
            let _ = write!(out, " <a href=\"#e{event}\">since event {event}</a>");
        }
        out.push_str("</p>");
    }
    let more = found.len().saturating_sub(MAX_NOTES);
    if more > 0 {
        let _ = write!(out, "<p class=cut>{more} more are not shown.</p>");
    }
}

/// The row after the last event.
fn end(out: &mut String, library: &Library<'_>, told: &Told, findings: &[Finding<'_>]) {
    let pending: Vec<(usize, &Finding<'_>)> = findings
        .iter()
        .enumerate()
        .filter(|(_, f)| f.kind == Kind::Pending)
        .collect();
    let class = if pending.is_empty() { "" } else { " found c-v" };
    let group = if pending.is_empty() {
        ""
    } else {
        " data-f=violation"
    };
    let _ = write!(
        out,
        "<li class=\"event bare{class}\" id=end data-kind=end{group} data-c=\""
    );
    for (_, finding) in &pending {
        if let Some(contract) = finding.contract {
            let _ = write!(out, "{contract} ");
        }
    }
    let _ = write!(
        out,
        "\"><p class=line tabindex=-1><b>End of the session</b> after {}</p>",
        counted(told.report.events, "event")
    );
    notes(out, library, &pending);
    out.push_str("</li>\n");
}

/// The kind in a class and in words.
fn kind(event: &Traced) -> (&'static str, &'static str) {
    match &event.kind {
        OwnedKind::Call { .. } => ("call", "call"),
        OwnedKind::Return { .. } => ("return", "return"),
        OwnedKind::Input { .. } => ("input", "input"),
        OwnedKind::Output { .. } => ("output", "output"),
        OwnedKind::Declared { .. } => ("declared", "event"),
    }
}

fn status_word(status: Status) -> &'static str {
    match status {
        Status::Success => "success",
        Status::Failure => "failure",
        Status::Unknown => "unknown",
    }
}

/// An event on one line: what it is, with its tool, and what it holds. `call` is the one that a return answers.
#[must_use]
pub fn one_line(event: &Traced, call: Option<&Traced>) -> (String, String) {
    match &event.kind {
        OwnedKind::Call { tool, args, .. } => (format!("call {tool}"), arguments(args, LINE)),
        OwnedKind::Return {
            status,
            result,
            error,
            ..
        } => {
            let what = match tool(event, call) {
                Some(tool) => format!("{} {tool}", status_word(*status)),
                None => status_word(*status).to_owned(),
            };
            let text = match (result, error) {
                (_, Some(error)) => brief(error, LINE),
                (Some(ctr_runtime::value::Value::Str(text)), None) => brief(text, LINE),
                (Some(result), None) => brief(&json::to_string(result), LINE),
                (None, None) => String::new(),
            };
            (what, text)
        }
        OwnedKind::Input { text } => ("input".to_owned(), brief(text, LINE)),
        OwnedKind::Output { text } => ("output".to_owned(), brief(text, LINE)),
        OwnedKind::Declared { name, fields } => (format!("event {name}"), arguments(fields, LINE)),
    }
}

fn date(time: i64) -> String {
    format_rfc3339(time)
        .split('T')
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// The time of day where the day is that of the session's first time, else all of it.
fn clock(out: &mut String, time: i64, day: Option<&str>) {
    let whole = format_rfc3339(time);
    let short = match whole.split_once('T') {
        Some((date, clock)) if Some(date) == day => clock.trim_end_matches('Z'),
        _ => &whole,
    };
    let short = short
        .get(..12)
        .filter(|_| short.contains('.'))
        .unwrap_or(short);
    let _ = write!(
        out,
        "<time datetime=\"{whole}\" title=\"{whole}\">{short}</time>"
    );
}
