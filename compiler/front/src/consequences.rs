//! One mistake, one error: what the checker finds in a place that the parser could not read is no
//! mistake of its own, and neither is what seems unused where a file was not found.

use std::collections::{BTreeMap, BTreeSet};

use ctr_grammar::{Doubts, Span};

use crate::diagnostic::{Diagnostic, Label, Severity};
use crate::ir::{Place, Source, SourceId};
use crate::load::Graph;

/// What is looked up by a name: not found where its declaration could not be read.
const NAMES: [&str; 6] = ["E0400", "E0401", "E0403", "E0408", "E0409", "E0501"];

/// What is told once for each name in a file, with the other places as labels.
const ONCE: [&str; 5] = ["E0400", "E0401", "E0403", "E0409", "E0501"];

/// So many other places are shown.
const MAX_PLACES: usize = 3;

/// Removes findings about names and types that a syntax error, or a missing file, explains.
pub(crate) fn remove(graph: &Graph, diagnostics: &mut Vec<Diagnostic>) {
    let sources = &graph.sources;
    let missing = diagnostics
        .iter()
        .any(|d| d.severity == Severity::Error && d.code.starts_with("E02"));
    if missing {
        diagnostics.retain(|d| !matches!(d.code, "W0412" | "W0414"));
    }
    let syntax: Vec<(&'static str, Place)> = diagnostics
        .iter()
        .filter(|d| d.code < "E0200")
        .map(|d| (d.code, d.primary.place))
        .collect();
    if syntax.is_empty() {
        return;
    }
    let mut by_source: BTreeMap<SourceId, &Doubts> = BTreeMap::new();
    let mut lost: BTreeSet<&str> = BTreeSet::new();
    let mut any_lost = false;
    for unit in graph.units.iter().filter(|u| !u.doubts.is_empty()) {
        by_source.insert(unit.source, &unit.doubts);
        lost.extend(unit.doubts.names.iter().map(String::as_str));
        any_lost |= unit.doubts.any_name;
    }
    diagnostics.retain(|d| {
        let place = d.primary.place;
        let source = text(sources, place.source);
        let doubts = by_source.get(&place.source);
        // What a broken text seems not to use, or to say in a strange way, it may well not.
        if doubts.is_some() && d.severity != Severity::Error && d.code.starts_with("W04") {
            return false;
        }
        if !(d.code >= "E0400" && d.code < "E0600") {
            return true;
        }
        let about_all = matches!(d.code, "E0440" | "E0441" | "E0442" | "E0443");
        let unclear = doubts.is_some_and(|doubts| {
            doubts.hold(place.span) || about_all && doubts.hold_item(place.span)
        });
        if unclear {
            return false;
        }
        if NAMES.contains(&d.code) && (any_lost || lost.contains(name(source, place.span))) {
            return false;
        }
        !syntax.iter().any(|(code, error)| {
            error.source == place.source && explains(code, error.span, place.span, source)
        })
    });
}

/// The last part of the name that stands at a place.
fn name(text: &str, span: Span) -> &str {
    let text = text
        .get(span.start as usize..span.end as usize)
        .unwrap_or_default()
        .trim();
    match text.strip_suffix('`') {
        Some(quoted) => quoted.rsplit('`').next().unwrap_or(quoted),
        None => text.rsplit('.').next().unwrap_or(text),
    }
}

/// A name that is unknown at several places of a file is one mistake: it is told at the first, and the
/// others become labels. The findings are in order of file and place.
pub(crate) fn join(sources: &[Source], diagnostics: &mut Vec<Diagnostic>) {
    // By file, code, name and what is proposed instead.
    let mut first: BTreeMap<(SourceId, &'static str, String, Vec<String>), usize> = BTreeMap::new();
    let mut more: BTreeMap<usize, usize> = BTreeMap::new();
    let mut kept: Vec<Diagnostic> = Vec::with_capacity(diagnostics.len());
    for diagnostic in diagnostics.drain(..) {
        if !ONCE.contains(&diagnostic.code) {
            kept.push(diagnostic);
            continue;
        }
        let place = diagnostic.primary.place;
        let name = name(text(sources, place.source), place.span).to_owned();
        let instead = diagnostic.fixes.iter().map(|f| f.title.clone()).collect();
        let key = (place.source, diagnostic.code, name, instead);
        let Some(&at) = first.get(&key) else {
            first.insert(key, kept.len());
            kept.push(diagnostic);
            continue;
        };
        let Some(told) = kept.get_mut(at) else {
            continue;
        };
        // One change mends all places.
        for fix in &mut told.fixes {
            let same = diagnostic.fixes.iter().find(|f| f.title == fix.title);
            fix.edits
                .extend(same.into_iter().flat_map(|f| f.edits.clone()));
        }
        let count = more.entry(at).or_default();
        *count += 1;
        if *count <= MAX_PLACES && place != told.primary.place {
            let text = if told.message == diagnostic.message {
                "and here".to_owned()
            } else {
                diagnostic.message
            };
            told.secondary.push(Label { place, text });
        }
    }
    for (at, count) in more {
        if let Some(told) = kept.get_mut(at)
            && count > MAX_PLACES
        {
            let rest = count - MAX_PLACES;
            let places = if rest == 1 { "place" } else { "places" };
            told.help.push(format!("it stands at {rest} more {places}"));
        }
    }
    *diagnostics = kept;
}

fn text(sources: &[Source], source: SourceId) -> &str {
    sources
        .get(source.0 as usize)
        .map_or("", |source| source.text.as_str())
}

/// Whether a syntax error is the reason of what was found at a place.
fn explains(code: &str, error: Span, found: Span, text: &str) -> bool {
    let between = |from: u32, to: u32| text.get(from as usize..to as usize);
    match code {
        // What is left of a text that goes on with an unexpected word, as `if` of `if call a`.
        // Or what was made of the tokens around it.
        "E0040" | "E0062" => {
            between(found.end, error.start).is_some_and(|t| t.trim().is_empty())
                || (found.start <= error.start && error.start < found.end)
        }
        // A string or an expression that ends with its line holds what was never meant to be in it.
        "E0011" | "E0013" => {
            between(error.start, found.start).is_some_and(|line| !line.contains('\n'))
        }
        // A comparison of a comparison.
        "E0055" => {
            (found.start <= error.start && error.end <= found.end)
                || between(found.end, error.start).is_some_and(|t| t.trim().is_empty())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use crate::compile;
    use crate::world::MemoryWorld;

    fn codes(text: &str) -> Vec<&'static str> {
        let world = MemoryWorld::new().with("a.ctr", text);
        let compiled = compile(&world, &["a.ctr".to_owned()]);
        compiled.diagnostics.iter().map(|d| d.code).collect()
    }

    #[test]
    fn one_mistake_is_one_error() {
        for (clause, code) in [
            ("if call pay then eventually call log", "E0040"),
            ("call pay only if 0 < amount <= 10", "E0055"),
            ("call pay(y matches /a/ matches /b/)", "E0055"),
            ("call pay at most -1 times", "E0062"),
            ("call pay max 3 times", "E0040"),
            ("never call bash(command matches /rm -rf)", "E0013"),
        ] {
            let text = format!("contract c {{\n  guarantee {clause}\n}}\n");
            assert_eq!(codes(&text), [code], "{clause}");
        }
    }

    #[test]
    fn other_mistakes_beside_it_are_told() {
        let text = "contract c {\n  guarantee alwys call pay call log\n  guarantee nobody\n}\n";
        assert!(codes(text).contains(&"E0400"));
    }
}
