//! The readings of a formula that can be read in several ways, each written out.

use ctr_front::ir::SourceId;
use ctr_grammar::Span;
use ctr_words::Style;
use lsp_types::CodeActionKind;

use super::edit::words;
use super::{Ask, Offer, length};
use crate::diagnostics::Converter;

/// What a title says of a reading is cut to so many characters.
const LONGEST: usize = 160;

pub(super) fn offer(ask: &Ask<'_>, converter: &Converter<'_>, out: &mut Vec<Offer>) {
    for error in &ask.parse().errors {
        let Some((span, readings)) = &error.readings else {
            continue;
        };
        if !ask.touches(*span) || ask.has_comment(*span) {
            continue;
        }
        for reading in readings {
            let old = span.text(ask.text());
            // A reading is shown on one line; what that changed of a text within it is not written back.
            if without_brackets(old) != without_brackets(reading) {
                continue;
            }
            let edits = vec![(*span, reading.clone())];
            if !ask.parses(&edits) {
                continue;
            }
            let said = in_words(
                ask,
                &edits,
                Span::new(span.start, span.start + length(reading)),
            );
            let title = match said {
                Some(said) => format!("write `{reading}`: {said}"),
                None => format!("write `{reading}`"),
            };
            let finding = ask.findings.iter().find(|found| {
                let place = found.primary.place;
                found.code == error.code && place.source == ask.source && place.span == error.span
            });
            out.push(
                Offer::new(title, CodeActionKind::QUICKFIX, edits)
                    .about(finding.and_then(|found| converter.convert(found))),
            );
        }
    }
}

fn without_brackets(text: &str) -> Vec<&str> {
    let mut words = words(text);
    words.retain(|word| !matches!(*word, "(" | ")"));
    words
}

/// What a clause of a contract says with some changes, where the policy has no other errors.
fn in_words(ask: &Ask<'_>, edits: &[(Span, String)], at: Span) -> Option<String> {
    let compiled = ask.compiled(&edits.to_vec())?;
    let library = compiled.library?;
    let path = ask.analysis.path(ask.source)?;
    let source = library.sources.iter().position(|s| s.path == path)?;
    let source = SourceId(u32::try_from(source).ok()?);
    let (contract, clause) = library.contracts.iter().find_map(|contract| {
        let clause = contract.clauses.iter().find(|clause| {
            let span = clause.place.span;
            clause.place.source == source && span.start <= at.start && at.end <= span.end
        })?;
        Some((contract, clause))
    })?;
    let keys: Vec<String> = contract.keys.clone();
    let said = ctr_words::formula(&library, &keys, &clause.formula).write(Style::Plain, 0);
    let line = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.trim_end_matches('.');
    (line.chars().count() <= LONGEST).then(|| line.to_owned())
}
