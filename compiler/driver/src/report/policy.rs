//! The contracts that the session was judged by: text, facts, and how each instance stood.

use std::fmt::Write as _;

use ctr_runtime::format::{ActionRef, ContractRef, Library};
use ctr_runtime::session::Standing;

use super::cards::code;
use super::data::{Instance, Told, Track};
use super::escape::{Text, brief};
use super::findings::{Finding, Kind, key_in_words};
use super::page::Setting;
use super::shell::{standing, verdict};
use super::sources::place_in_words;
use super::tracks::{history, strip};

use crate::plain::counted;

/// So many instances of a contract are shown; those that ask for attention come first.
const MAX_INSTANCES: usize = 40;
/// A history of more changes than this is not listed.
const MAX_HISTORY: usize = 200;

/// The section of contracts.
pub fn section(out: &mut String, setting: &Setting<'_>, told: &Told, findings: &[Finding<'_>]) {
    let Setting {
        library, sources, ..
    } = setting;
    out.push_str(
        "<section id=policy aria-labelledby=policy-title>\n<h2 id=policy-title>Policy</h2>\n",
    );
    for ((contract, outcome), track) in library
        .contracts()
        .zip(&told.report.outcome.contracts)
        .zip(&told.story.tracks)
    {
        let _ = write!(
            out,
            "<article class=contract id=c{} tabindex=-1><h3>{} ",
            contract.id(),
            Text(contract.name())
        );
        verdict(out, outcome.value);
        out.push_str("</h3>");
        if !contract.doc().is_empty() {
            for paragraph in contract.doc().split("\n\n") {
                let _ = write!(out, "<p class=doc>{}</p>", Text(paragraph));
            }
        }
        facts(out, library, contract);
        let text: Vec<&str> = contract.clauses().map(|clause| clause.text).collect();
        code(out, library, sources, contract.place(), &text.join("\n"));
        setting.pictures.write(out, contract.id());
        let own: Vec<&Finding<'_>> = findings
            .iter()
            .filter(|f| f.contract == Some(contract.id()))
            .collect();
        over_time(out, told, contract, track, &own);
        out.push_str("</article>\n");
    }
    out.push_str("</section>\n");
}

fn facts(out: &mut String, library: &Library<'_>, contract: ContractRef<'_>) {
    out.push_str("<dl class=meta>");
    let mut item = |name: &str, text: &str| {
        if !text.is_empty() {
            let _ = write!(out, "<div><dt>{name}</dt><dd>{}</dd></div>", Text(text));
        }
    };
    item("rule", contract.rule_id().unwrap_or_default());
    item("severity", contract.severity().unwrap_or_default());
    if let Some((document, section)) = contract.source() {
        match section {
            Some(section) => item("source", &format!("{document}, \u{201c}{section}\u{201d}")),
            None => item("source", document),
        }
    }
    let joined = |texts: ctr_runtime::format::Texts<'_>| {
        let all: Vec<&str> = texts.iter().collect();
        all.join(", ")
    };
    item("tags", &joined(contract.tags()));
    item("agents", &joined(contract.agents()));
    item("for each", &joined(contract.keys()));
    let action = match contract.action() {
        ActionRef::Block => "block",
        ActionRef::Warn => "warn",
        ActionRef::Escalate => "escalate",
        ActionRef::Redirect { .. } => "redirect",
        ActionRef::Repair => "repair",
    };
    item("otherwise", action);
    item("stands in", &place_in_words(library, contract.place()));
    out.push_str("</dl>");
}

fn over_time(
    out: &mut String,
    told: &Told,
    contract: ContractRef<'_>,
    track: &Track,
    findings: &[&Finding<'_>],
) {
    let _ = write!(
        out,
        "<details class=over-time><summary>Over time: {}",
        counted(track.whole.len() as u64, "change")
    );
    if contract.key_count() > 0 {
        let _ = write!(out, ", {}", counted(track.occurred as u64, "instance"));
    }
    out.push_str("</summary>");
    if track.whole.len() <= MAX_HISTORY {
        history(out, track.start, &track.whole);
    } else {
        out.push_str("<p>Too many changes to list; the strip shows them.</p>");
    }
    let mut instances: Vec<&Instance> = track.instances.iter().collect();
    // Those that failed or are open come first; the others keep the order in which they began.
    instances.sort_by_key(|instance| {
        let last = instance.runs.last().and_then(|(_, last)| *last);
        last.map_or(4, |last| match last {
            Standing::Violated => 0,
            Standing::Pending => 1,
            Standing::Broken | Standing::Unmet => 2,
            _ => 3,
        })
    });
    if !instances.is_empty() {
        out.push_str("<ul class=instances>");
        for instance in instances.iter().take(MAX_INSTANCES) {
            let name = brief(&key_in_words(contract, &instance.key), 120);
            let _ = write!(
                out,
                "<li><div class=name><span class=key>{}</span>",
                Text(&name)
            );
            standing(out, instance.runs.last().and_then(|(_, last)| *last));
            out.push_str("</div>");
            let marks: Vec<(u64, &Kind)> = findings
                .iter()
                .filter(|f| f.key == instance.key.as_slice())
                .filter_map(|f| Some((f.shown_at()?, &f.kind)))
                .collect();
            strip(out, &name, told.report.events, None, &instance.runs, &marks);
            out.push_str("</li>");
        }
        out.push_str("</ul>");
        let more = track.occurred.saturating_sub(MAX_INSTANCES);
        if more > 0 {
            let _ = write!(out, "<p class=cut>{more} more instances are not shown.</p>");
        }
    }
    out.push_str("</details>");
}
