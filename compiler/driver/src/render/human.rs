//! Findings for people, drawn by ariadne. Nothing of ariadne leaves this module.

use std::collections::BTreeSet;
use std::ops::Range;

use anstream::ColorChoice;
use ariadne::{CharSet, Color, Config, IndexType, Label, Report, ReportKind};
use ctr_front::diagnostic::{Diagnostic, Severity};
use ctr_front::ir::{Place, Source};

/// A line of more bytes than this is not drawn: the terminal could not show it and drawing would
/// take too long. The place is given in numbers instead.
const MAX_LINE: usize = 2000;

/// A finding with the lines of source that it speaks of.
#[must_use]
pub fn diagnostic(sources: &[Source], diagnostic: &Diagnostic) -> String {
    let places = std::iter::once(&diagnostic.primary).chain(&diagnostic.secondary);
    let drawable = places.clone().all(|label| {
        sources
            .get(label.place.source.0 as usize)
            .is_some_and(|source| is_drawable(&source.text, &span(&source.text, label.place)))
    });
    if drawable {
        draw(sources, diagnostic).unwrap_or_else(|| plain(sources, diagnostic))
    } else {
        plain(sources, diagnostic)
    }
}

/// Whether all lines of a span are short enough.
fn is_drawable(text: &str, span: &Range<usize>) -> bool {
    if text.is_empty() {
        return false;
    }
    let start = text.get(..span.start).map_or(0, |before| {
        before.rfind('\n').map_or(0, |newline| newline + 1)
    });
    let end = text
        .get(span.end..)
        .and_then(|after| after.find('\n'))
        .map_or(text.len(), |newline| span.end + newline);
    text.get(start..end)
        .is_some_and(|lines| lines.lines().all(|line| line.len() <= MAX_LINE))
}

/// A span on character boundaries inside the text, not empty where the text is not: ariadne draws
/// nothing for a label at the end of a file.
fn span(text: &str, place: Place) -> Range<usize> {
    let len = text.len();
    let mut start = text.floor_char_boundary((place.span.start as usize).min(len));
    let mut end = text.ceil_char_boundary((place.span.end as usize).min(len));
    if start >= end {
        end = text.ceil_char_boundary((start + 1).min(len));
        if start == end {
            // At the end of the file: the last character that can be seen.
            let trimmed = text.trim_end().len();
            end = trimmed;
            start = text.floor_char_boundary(trimmed.saturating_sub(1));
        }
    }
    start..end.max(start)
}

fn draw(sources: &[Source], diagnostic: &Diagnostic) -> Option<String> {
    let (kind, colour) = match diagnostic.severity {
        Severity::Error => (ReportKind::Custom("error", Color::Red), Color::Red),
        Severity::Warning => (ReportKind::Custom("warning", Color::Yellow), Color::Yellow),
        Severity::Note => (ReportKind::Custom("note", Color::Cyan), Color::Cyan),
    };
    let locate = |place: Place| -> Option<(String, Range<usize>)> {
        let source = sources.get(place.source.0 as usize)?;
        Some((source.path.clone(), span(&source.text, place)))
    };
    let primary = locate(diagnostic.primary.place)?;
    let config = Config::default()
        .with_index_type(IndexType::Byte)
        .with_char_set(CharSet::Unicode)
        .with_compact(false)
        .with_color(ColorChoice::global() != ColorChoice::Never);
    let mut report = Report::build(kind, primary.clone())
        .with_config(config)
        .with_code(diagnostic.code)
        .with_message(&diagnostic.message);
    let mut label = Label::new(primary).with_color(colour).with_order(-1);
    if !diagnostic.primary.text.is_empty() {
        label = label.with_message(&diagnostic.primary.text);
    }
    report.add_label(label);
    for other in &diagnostic.secondary {
        let mut label = Label::new(locate(other.place)?).with_color(Color::Blue);
        if !other.text.is_empty() {
            label = label.with_message(&other.text);
        }
        report.add_label(label);
    }
    for help in &diagnostic.help {
        report.add_help(help);
    }
    for fix in &diagnostic.fixes {
        report.add_note(&fix.title);
    }
    let named: BTreeSet<u32> = std::iter::once(&diagnostic.primary)
        .chain(&diagnostic.secondary)
        .map(|label| label.place.source.0)
        .collect();
    let cache = ariadne::sources(named.iter().filter_map(|source| {
        let source = sources.get(*source as usize)?;
        Some((source.path.clone(), source.text.clone()))
    }));
    let mut out = Vec::new();
    report.finish().write(cache, &mut out).ok()?;
    let text = String::from_utf8(out).ok()?;
    Some(text.trim_end().to_owned())
}

/// Without source lines: `path:line:column: error[E0101]: message`.
fn plain(sources: &[Source], diagnostic: &Diagnostic) -> String {
    let place = |place: Place| match sources.get(place.source.0 as usize) {
        Some(source) if source.text.is_empty() => source.path.clone(),
        Some(source) => {
            let at = super::lines::Lines::new(&source.text).locate(place.span.start as usize);
            format!("{}:{}:{}", source.path, at.line, at.column)
        }
        None => "?".to_owned(),
    };
    let mut out = format!(
        "{}[{}]: {}\n  at {}",
        diagnostic.severity.name(),
        diagnostic.code,
        diagnostic.message,
        place(diagnostic.primary.place)
    );
    let mut add = |line: String| {
        out.push_str("\n  ");
        out.push_str(&line);
    };
    if !diagnostic.primary.text.is_empty() {
        add(diagnostic.primary.text.clone());
    }
    for label in &diagnostic.secondary {
        add(format!("{}: {}", place(label.place), label.text));
    }
    for help in &diagnostic.help {
        add(format!("help: {help}"));
    }
    out
}
