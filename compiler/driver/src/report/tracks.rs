//! Contracts over time: small strips, one a contract, with all events of the session from left to right.

use std::fmt::Write as _;

use ctr_runtime::format::Library;
use ctr_runtime::session::Standing;

use super::data::{Runs, Told, Track};
use super::escape::Text;
use super::findings::{Finding, Kind};
use super::shell::{letter, sign, standing, words};

use crate::plain::counted;

/// Height of a strip in its own units; its width is the number of events.
const HEIGHT: u32 = 16;
/// A strip has at most about so many lines at findings.
const MOST_MARKS: u64 = 60;
/// A strip's description names so many changes.
const MAX_TOLD: usize = 8;

/// All standings, in the order in which they are explained.
const ALL: [Option<Standing>; 7] = [
    Some(Standing::Violated),
    Some(Standing::Pending),
    Some(Standing::Satisfied),
    Some(Standing::SatisfiedForGood),
    Some(Standing::Broken),
    Some(Standing::Unmet),
    None,
];

/// Where a standing is drawn: top and height. What asks for attention is tall, so that colour is not needed.
fn extent(standing: Option<Standing>) -> Option<(u32, u32)> {
    match standing {
        Some(Standing::Violated) => Some((0, 16)),
        Some(Standing::Pending) => Some((5, 11)),
        Some(Standing::SatisfiedForGood) => Some((9, 7)),
        Some(Standing::Satisfied) => Some((12, 4)),
        Some(Standing::Broken) => Some((7, 3)),
        Some(Standing::Unmet) => Some((7, 1)),
        None => None,
    }
}

/// The section with a strip for each contract, those with findings first.
pub fn section(out: &mut String, library: &Library<'_>, told: &Told, findings: &[Finding<'_>]) {
    out.push_str(
        "<section id=contracts aria-labelledby=contracts-title>\n<div class=sticky>\n<h2 id=contracts-title>Contracts</h2>\n",
    );
    legend(out);
    out.push_str("<p id=moment class=moment hidden data-js>At the end of the session</p>\n");
    let mut order: Vec<(u8, u32, &Track)> = (0..)
        .zip(&told.story.tracks)
        .map(|(contract, track)| (rank(contract, track, findings), contract, track))
        .collect();
    order.sort_by_key(|(rank, contract, _)| (*rank, *contract));
    let (moved, quiet): (Vec<_>, Vec<_>) = order.into_iter().partition(|(rank, ..)| *rank < QUIET);
    let list = |out: &mut String, tracks: &[(u8, u32, &Track)]| {
        out.push_str("<ul class=tracks>\n");
        for (_, contract, track) in tracks {
            let own: Vec<&Finding<'_>> = findings
                .iter()
                .filter(|f| f.contract == Some(*contract))
                .collect();
            let name = library.contract(*contract).name();
            one(out, *contract, name, told.report.events, track, &own);
        }
        out.push_str("</ul>\n");
    };
    list(out, &moved);
    if !quiet.is_empty() {
        let open = if moved.is_empty() { " open" } else { "" };
        let _ = write!(
            out,
            "<details class=quiet{open}><summary>{} that nothing moved</summary>",
            counted(quiet.len() as u64, "contract")
        );
        list(out, &quiet);
        out.push_str("</details>\n");
    }
    out.push_str("</div>\n</section>\n");
}

/// The rank of contracts that stay as they are throughout and have no findings.
const QUIET: u8 = 4;

/// What asks for attention comes first.
fn rank(contract: u32, track: &Track, findings: &[Finding<'_>]) -> u8 {
    let mut own = findings.iter().filter(|f| f.contract == Some(contract));
    let end = track.end();
    if end == Some(Standing::Violated) || own.any(|f| f.kind != Kind::Broken) {
        0
    } else if end == Some(Standing::Pending) {
        1
    } else if matches!(end, Some(Standing::Broken | Standing::Unmet)) {
        2
    } else if track.whole.is_empty() {
        QUIET
    } else {
        3
    }
}

/// A contract with its strip.
fn one(
    out: &mut String,
    contract: u32,
    name: &str,
    events: u64,
    track: &Track,
    findings: &[&Finding<'_>],
) {
    let _ = write!(
        out,
        "<li class=track data-c={contract} data-runs=\"{}\"><div class=name><a href=\"#c{contract}\" title=\"{1}\">{1}</a>",
        coded(track.start, &track.whole),
        Text(name)
    );
    standing(out, track.end());
    out.push_str("</div>");
    let marks: Vec<(u64, &Kind)> = findings
        .iter()
        .filter_map(|f| Some((f.shown_at()?, &f.kind)))
        .collect();
    strip(out, name, events, track.start, &track.whole, &marks);
    out.push_str("</li>\n");
}

/// What the heights, colours and signs mean.
fn legend(out: &mut String) {
    out.push_str("<details class=legend><summary>How to read the strips</summary><p>Each strip shows all events of the session, from left to right; its height says how the contract stood after each.</p><ul>");
    for shown in ALL {
        let _ = write!(
            out,
            "<li><svg class=strip viewBox=\"0 0 20 {HEIGHT}\" aria-hidden=true>"
        );
        if let Some((top, height)) = extent(shown) {
            let _ = write!(
                out,
                "<path class=r-{} d=\"M0 {top}h20v{height}h-20z\"/>",
                letter(shown)
            );
        }
        out.push_str("</svg> ");
        standing(out, shown);
        out.push_str("</li>");
    }
    out.push_str("</ul></details>\n");
}

/// Runs as a script reads them: `s0 p3 v7`, a letter and the event from which on it is so.
fn coded(start: Option<Standing>, runs: &Runs) -> String {
    let mut text = String::new();
    if runs.first().is_none_or(|(at, _)| *at > 0) {
        let _ = write!(text, "{}0", letter(start));
    }
    for (at, standing) in runs {
        let gap = if text.is_empty() { "" } else { " " };
        let _ = write!(text, "{gap}{}{at}", letter(*standing));
    }
    text
}

/// A strip: one path for each standing, and lines at findings that stay visible however many events there are.
pub fn strip(
    out: &mut String,
    name: &str,
    events: u64,
    start: Option<Standing>,
    runs: &Runs,
    marks: &[(u64, &Kind)],
) {
    let events = events.max(1);
    let mut changes: Vec<(u64, Option<Standing>)> = vec![(0, start)];
    changes.extend(runs.iter().copied());
    let _ = write!(
        out,
        "<svg class=strip role=img viewBox=\"0 0 {events} {HEIGHT}\" preserveAspectRatio=none aria-label=\"{}: ",
        Text(name)
    );
    let mut told = changes.iter().filter(|(at, _)| *at > 0 || runs.is_empty());
    let first = match runs.first() {
        Some((0, standing)) => *standing,
        _ => start,
    };
    out.push_str(words(first));
    for (at, standing) in told.by_ref().take(MAX_TOLD) {
        if *at > 0 {
            let _ = write!(out, ", {} from event {at}", words(*standing));
        }
    }
    let more = told.count();
    if more > 0 {
        let _ = write!(out, ", and {}", counted(more as u64, "more change"));
    }
    out.push_str("\">");
    let ends = changes
        .iter()
        .skip(1)
        .map(|(at, _)| *at)
        .chain(std::iter::once(events));
    let spans: Vec<(u64, u64, Option<Standing>)> = changes
        .iter()
        .zip(ends)
        .map(|((from, standing), to)| (*from, to, *standing))
        .filter(|(from, to, _)| from < to)
        .collect();
    for shown in ALL {
        let Some((top, height)) = extent(shown) else {
            continue;
        };
        let mut path = String::new();
        for (from, to, standing) in &spans {
            if *standing == shown {
                let width = to - from;
                let _ = write!(path, "M{from} {top}h{width}v{height}h-{width}z");
            }
        }
        if !path.is_empty() {
            let _ = write!(out, "<path class=r-{} d=\"{path}\"/>", letter(shown));
        }
    }
    let mut path = String::new();
    // Lines have a width of their own: as many as there are findings could hide the strip.
    let gap = events / MOST_MARKS;
    let mut free = 0;
    for (at, kind) in marks {
        if **kind != Kind::Broken && *at >= free {
            let _ = write!(path, "M{at}.5 0v{HEIGHT}");
            free = at + gap;
        }
    }
    if !path.is_empty() {
        let _ = write!(out, "<path class=mark d=\"{path}\"/>");
    }
    out.push_str("</svg>");
}

/// The same in words: a list of the events at which it changed.
pub fn history(out: &mut String, start: Option<Standing>, runs: &Runs) {
    out.push_str("<ol class=history>");
    if runs.first().is_none_or(|(at, _)| *at > 0) {
        let _ = write!(
            out,
            "<li>at the start: <span class=\"st st-{}\"><span aria-hidden=true>{}</span> {}</span></li>",
            letter(start),
            sign(start),
            words(start)
        );
    }
    for (at, shown) in runs {
        let _ = write!(out, "<li><a href=\"#e{at}\">event {at}</a>: ");
        standing(out, *shown);
        out.push_str("</li>");
    }
    out.push_str("</ol>");
}
