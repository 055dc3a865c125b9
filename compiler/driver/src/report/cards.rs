//! Findings: what happened, why, what was seen, what would have been accepted, and the rule's text.

use std::fmt::Write as _;

use ctr_runtime::decision::Seen;
use ctr_runtime::format::model::{Place, Side};
use ctr_runtime::format::{ContractRef, Library};
use ctr_trace::Traced;

use super::data::{Told, event_at};
use super::escape::{Text, arguments, brief};
use super::findings::{Finding, Kind, key_in_words};
use super::sources::{Sources, place_in_words};
use super::timeline::{events, one_line};
use crate::plain::counted;

/// So many findings have a card; all stand in the timeline.
pub const MAX_CARDS: usize = 200;
/// A value in a card is cut to so many characters.
const VALUE: usize = 200;

/// The section of findings.
pub fn section(
    out: &mut String,
    library: &Library<'_>,
    sources: &Sources,
    told: &Told,
    findings: &[Finding<'_>],
) {
    let _ = writeln!(
        out,
        "<section id=findings aria-labelledby=findings-title>\n<h2 id=findings-title>Findings <span class=count>{}</span></h2>",
        findings.len()
    );
    if findings.is_empty() {
        out.push_str("<p class=calm><span aria-hidden=true>\u{2713}</span> Nothing was violated, nothing is owed, and no assumption was broken.</p>\n</section>\n");
        return;
    }
    out.push_str("<ol class=cards>\n");
    let all = events(&told.session);
    let mut explained: Vec<(u32, bool)> = Vec::new();
    for (number, finding) in findings.iter().enumerate().take(MAX_CARDS) {
        let rule = finding
            .contract
            .map(|contract| (contract, finding.kind.is_assumption()));
        let first = rule.is_some_and(|rule| !explained.contains(&rule));
        explained.extend(rule.filter(|_| first));
        card(
            out,
            library,
            first.then_some(sources),
            told,
            &all,
            number,
            finding,
        );
    }
    out.push_str("</ol>\n");
    let more = findings.len().saturating_sub(MAX_CARDS);
    if more > 0 {
        let _ = writeln!(
            out,
            "<p class=more>{} in the timeline.</p>",
            counted(more as u64, "more finding")
        );
    }
    let untold: u64 = told.report.outcome.contracts.iter().map(|c| c.untold).sum();
    if untold > 0 {
        let _ = writeln!(
            out,
            "<p class=more>{} counted but not kept.</p>",
            counted(untold, "more violation")
        );
    }
    out.push_str("</section>\n");
}

/// A card; with `sources` the rule is shown, which only the first card of a contract does.
fn card(
    out: &mut String,
    library: &Library<'_>,
    sources: Option<&Sources>,
    told: &Told,
    all: &[&Traced],
    number: usize,
    finding: &Finding<'_>,
) {
    let (class, _, _) = finding.kind.shown();
    let _ = write!(
        out,
        "<li class=\"card c-{class}\" id=f{number} tabindex=-1 data-f={}",
        finding.kind.group()
    );
    if let Some(contract) = finding.contract {
        let _ = write!(out, " data-c={contract}");
    }
    out.push_str("><h3>");
    label(out, finding.kind);
    let contract = finding.contract.map(|contract| library.contract(contract));
    if let Some(contract) = contract {
        let _ = write!(
            out,
            " <a class=rule href=\"#c{}\">{}</a>",
            contract.id(),
            Text(contract.name())
        );
        key(out, contract, finding);
    }
    out.push(' ');
    at(out, finding);
    out.push_str("</h3>");
    let _ = write!(out, "<p class=message>{}</p>", Text(finding.message));
    if let Some(detail) = finding.detail {
        let _ = write!(out, "<p class=detail>{}</p>", Text(detail));
    }
    if let Some(event) = finding
        .event
        .and_then(|event| all.get(usize::try_from(event).ok()?))
    {
        let call = event_at(&told.story.moments, finding.event)
            .and_then(|moment| all.get(usize::try_from(moment.call?).ok()?));
        let (what, text) = one_line(event, call.copied());
        let _ = write!(
            out,
            "<p class=what>{}<code>{}</code></p>",
            match finding.kind {
                Kind::Pending | Kind::Deadline => "since ",
                _ => "",
            },
            Text(&format!("{what} {text}"))
        );
    }
    out.push_str("<dl>");
    if !finding.seen.is_empty() {
        out.push_str("<dt>Saw</dt><dd>");
        seen(out, finding.seen);
        out.push_str("</dd>");
    }
    if !finding.accepted.is_empty() {
        let what = match finding.kind {
            Kind::Pending => "Waits for",
            _ => "Would be accepted",
        };
        list(out, what, finding.accepted);
    }
    if !finding.waiting_for.is_empty() {
        list(out, "Still running", finding.waiting_for);
    }
    if let Some(decision) = finding.decision {
        if let Some(time) = decision.free_at {
            let _ = write!(
                out,
                "<dt>Accepted from</dt><dd>{}, if nothing else happens</dd>",
                ctr_runtime::time::format_rfc3339(time)
            );
        }
        if let Some(instead) = &decision.instead {
            let _ = write!(
                out,
                "<dt>Instead</dt><dd><code>{}({})</code></dd>",
                Text(&instead.tool),
                Text(&arguments(&instead.args, VALUE))
            );
        }
    }
    if let (Some(sources), Some(contract)) = (sources, contract) {
        rule(out, library, sources, contract, finding);
    }
    out.push_str("</dl></li>\n");
}

/// Kind of finding, with a sign.
pub fn label(out: &mut String, kind: Kind) {
    let (class, sign, words) = kind.shown();
    let _ = write!(
        out,
        "<span class=\"st st-{class}\"><span aria-hidden=true>{sign}</span> {words}</span>"
    );
}

/// The instance.
pub fn key(out: &mut String, contract: ContractRef<'_>, finding: &Finding<'_>) {
    if !finding.key.is_empty() {
        let _ = write!(
            out,
            " <span class=key>{}</span>",
            Text(&brief(&key_in_words(contract, finding.key), VALUE))
        );
    }
}

/// A link to where it happened.
fn at(out: &mut String, finding: &Finding<'_>) {
    let _ = match (finding.kind, finding.event) {
        (Kind::Pending, Some(event)) => write!(
            out,
            "<span class=at><a href=\"#end\">at the end</a>, <a href=\"#e{event}\">since event {event}</a></span>"
        ),
        (Kind::Pending, None) => write!(
            out,
            "<span class=at><a href=\"#end\">at the end</a>, owed from the start</span>"
        ),
        (_, Some(event)) => {
            let _ = write!(
                out,
                "<span class=at><a href=\"#e{event}\">event {event}</a>"
            );
            if let Some(call) = finding.foreseen {
                let _ = write!(
                    out,
                    ", to be foreseen at <a href=\"#e{call}\">event {call}</a>"
                );
            }
            write!(out, "</span>")
        }
        (_, None) => write!(out, "<span class=at>from the start</span>"),
    };
}

fn list(out: &mut String, what: &str, texts: &[String]) {
    let _ = write!(out, "<dt>{what}</dt><dd><ul class=or>");
    for text in texts {
        let _ = write!(out, "<li><code>{}</code></li>", Text(text));
    }
    out.push_str("</ul></dd>");
}

/// Conditions and the values that they saw.
pub fn seen(out: &mut String, seen: &[Seen]) {
    out.push_str("<ul class=seen>");
    for seen in seen {
        // Neither good nor bad by itself: what a rule forbids holds where it is violated.
        let words = match seen.holds {
            Some(true) => "holds",
            Some(false) => "does not hold",
            None => "undefined or still open",
        };
        out.push_str("<li>");
        values(out, seen);
        let _ = write!(
            out,
            "<span class=condition><code>{}</code> <span class=\"st st-n\">{words}</span></span></li>",
            Text(&seen.condition)
        );
    }
    out.push_str("</ul>");
}

/// `amount = 80, limit = 50`, in bold as it is what a reader looks for.
fn values(out: &mut String, seen: &Seen) {
    for (n, (name, value)) in seen.values.iter().enumerate() {
        let gap = if n > 0 { ", " } else { "" };
        let _ = write!(out, "{gap}<code class=value>{} = ", Text(name));
        let _ = match value {
            Some(value) => write!(out, "<b>{}</b>", Text(&brief(&value.to_string(), VALUE))),
            None => write!(out, "<i>undefined</i>"),
        };
        out.push_str("</code>");
    }
    if !seen.values.is_empty() {
        out.push_str(" <br>");
    }
}

/// The values that an event's conditions saw, each once, on one line.
#[must_use]
pub fn saw(seen: &[Seen]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (name, value) in seen.iter().flat_map(|seen| &seen.values) {
        let value = value
            .as_ref()
            .map_or_else(|| "undefined".to_owned(), |v| brief(&v.to_string(), 60));
        let part = format!("{name} = {value}");
        if !parts.contains(&part) && parts.len() < 6 {
            parts.push(part);
        }
    }
    parts.join(", ")
}

/// The clauses that are concerned, as they stand in the policy.
fn rule(
    out: &mut String,
    library: &Library<'_>,
    sources: &Sources,
    contract: ContractRef<'_>,
    finding: &Finding<'_>,
) {
    let side = if finding.kind.is_assumption() {
        Side::Assume
    } else {
        Side::Guarantee
    };
    out.push_str("<dt>Rule</dt><dd>");
    let mut shown = false;
    for clause in contract.clauses().filter(|clause| clause.side == side) {
        code(out, library, sources, clause.place, clause.text);
        shown = true;
    }
    if !shown {
        code(out, library, sources, contract.place(), contract.name());
    }
    if let Some((document, section)) = contract.source() {
        let _ = write!(out, "<p class=source>from {}", Text(document));
        if let Some(section) = section {
            let _ = write!(out, ", \u{201c}{}\u{201d}", Text(section));
        }
        out.push_str("</p>");
    }
    out.push_str("</dd>");
}

/// Lines of a policy with their numbers; `text` where the policy cannot be read any more.
pub fn code(out: &mut String, library: &Library<'_>, sources: &Sources, place: Place, text: &str) {
    let _ = write!(
        out,
        "<figure class=code><figcaption>{}</figcaption><pre>",
        Text(&place_in_words(library, place))
    );
    match sources.lines(library, place) {
        Some((lines, more)) => {
            for (number, line) in lines {
                let _ = writeln!(out, "<span class=ln>{number}</span>{}", Text(line));
            }
            if more > 0 {
                let _ = writeln!(out, "<span class=ln></span>\u{2026} {more} more lines");
            }
        }
        None => {
            let _ = write!(out, "{}", Text(text));
        }
    }
    out.push_str("</pre></figure>");
}
