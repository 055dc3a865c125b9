//! The page of one session.

use std::fmt::Write as _;

use ctr_runtime::format::Library;

use super::data::Told;
use super::escape::Text;
use super::findings::{self, Finding, Kind};
use super::pictures::Pictures;
use super::shell::{self, verdict};
use super::sources::Sources;
use super::{cards, policy, timeline, tracks};
use crate::cli::View;
use crate::plain::counted;

/// What the keys of a session's page do.
const KEYS: [(&str, &str); 9] = [
    ("j \u{2193}", "next event"),
    ("k \u{2191}", "previous event"),
    ("Enter", "open or close the event"),
    ("n", "next finding"),
    ("p", "previous finding"),
    ("/", "search"),
    ("c", "clear all filters"),
    ("t", "light or dark"),
    ("?", "this list"),
];

/// What a page is made from, beside the session.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'s> {
    /// The library.
    pub library: &'s Library<'s>,
    /// Its texts.
    pub sources: &'s Sources,
    /// Its automata.
    pub pictures: &'s Pictures,
    /// The view that was asked for.
    pub view: View,
    /// The page that lists all sessions, seen from this one.
    pub index: Option<&'s str>,
}

/// The page.
#[must_use]
pub fn session(setting: &Setting<'_>, told: &Told) -> String {
    let Setting {
        library, sources, ..
    } = setting;
    let report = &told.report;
    let found = findings::all(told);
    let mut out = String::with_capacity(64 << 10);
    shell::open(
        &mut out,
        "session",
        &format!("{} \u{b7} {}", report.outcome.agent.name(), report.name),
    );
    header(&mut out, setting, told, &found);
    out.push_str("<main id=main>\n");
    cards::section(&mut out, library, sources, told, &found);
    tracks::section(&mut out, library, told, &found);
    timeline::section(&mut out, library, told, &found);
    policy::section(&mut out, setting, told, &found);
    out.push_str("</main>\n");
    shell::close(&mut out, ctr_project::COMPILER, &KEYS);
    out
}

fn header(out: &mut String, setting: &Setting<'_>, told: &Told, found: &[Finding<'_>]) {
    let report = &told.report;
    out.push_str("<a class=skip href=\"#timeline\">Skip to the timeline</a>\n<header>\n");
    shell::tools(out);
    if let Some(index) = setting.index {
        let _ = writeln!(
            out,
            "<nav aria-label=Sessions><a href=\"{}\">\u{2190} All sessions</a></nav>",
            Text(index)
        );
    }
    // A long path is broken at its folders.
    let name = Text(&report.name).to_string().replace('/', "/<wbr>");
    let _ = writeln!(out, "<h1>{name}</h1>");
    out.push_str("<dl class=facts>");
    out.push_str("<div><dt>Agent</dt><dd>");
    verdict(out, report.outcome.agent);
    out.push_str("</dd></div><div><dt>Environment</dt><dd>");
    verdict(out, report.outcome.environment);
    out.push_str("</dd></div>");
    let mut item = |name: &str, text: &str| {
        let _ = write!(out, "<div><dt>{name}</dt><dd>{}</dd></div>", Text(text));
    };
    item("Events", &report.events.to_string());
    item("Contracts", &report.outcome.contracts.len().to_string());
    let count = |kind: fn(Kind) -> bool| found.iter().filter(|f| kind(f.kind)).count();
    let violations = count(|kind| kind.group() == "violation");
    item("Violations", &violations.to_string());
    if setting.view == View::Gated {
        item("Decisions", &report.decisions.len().to_string());
    }
    item(
        "View",
        match setting.view {
            View::Recorded => "recorded: every event happened",
            View::Gated => "gated: what enforcement lets through",
        },
    );
    item("Format", report.format.name());
    if let Some(reward) = report.reward {
        item("Reward", &reward.to_string());
    }
    if report.outcome.undetermined > 0 {
        item(
            "Undetermined",
            &counted(report.outcome.undetermined, "event"),
        );
    }
    if !report.malformed.is_empty() {
        item(
            "Malformed",
            &counted(report.malformed.len() as u64, "event"),
        );
    }
    if report.ambiguous > 0 {
        item("Ambiguous", &counted(report.ambiguous, "return"));
    }
    out.push_str("</dl>\n</header>\n");
}
