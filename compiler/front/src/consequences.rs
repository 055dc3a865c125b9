//! One mistake, one error: what the checker finds in a place that the parser could not read is no
//! mistake of its own.

use ctr_grammar::Span;

use crate::diagnostic::Diagnostic;
use crate::ir::{Place, Source, SourceId};

/// Removes findings about names and types that a syntax error explains.
pub(crate) fn remove(sources: &[Source], diagnostics: &mut Vec<Diagnostic>) {
    let syntax: Vec<(&'static str, Place)> = diagnostics
        .iter()
        .filter(|d| d.code < "E0200")
        .map(|d| (d.code, d.primary.place))
        .collect();
    if syntax.is_empty() {
        return;
    }
    diagnostics.retain(|d| {
        let is_checked = d.code >= "E0400" && d.code < "E0600";
        let place = d.primary.place;
        !is_checked
            || !syntax.iter().any(|(code, error)| {
                error.source == place.source
                    && explains(code, error.span, place.span, text(sources, place.source))
            })
    });
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
