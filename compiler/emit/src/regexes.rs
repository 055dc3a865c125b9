//! Regular expressions compiled ahead of time.

use ctr_front::diagnostic::Diagnostic;
use ctr_front::ir;
use ctr_runtime::format::model;
use regex_automata::dfa::{StartKind, dense};
use regex_automata::nfa::thompson;

use crate::codes;

/// The largest automaton that is put into an artifact, in bytes. A pattern that needs more is
/// compiled to an NFA when the artifact is loaded, which is slower but as linear.
const MAX_DFA_BYTES: usize = 256 << 10;
/// The memory for building one.
const MAX_BUILD_BYTES: usize = 4 << 20;
/// The largest NFA from which a DFA is tried, in bytes.
const MAX_NFA_BYTES: usize = 1 << 20;

/// Compiles a pattern; its DFA stays empty where it has none within the limits, and then it must
/// compile as the runtime will compile it when the artifact is loaded.
pub(crate) fn compile(
    regex: &ir::Regex,
    library: &ir::Library,
    diagnostics: &mut Vec<Diagnostic>,
) -> model::Regex {
    let dfa = dfa(&regex.pattern).unwrap_or_default();
    if dfa.is_empty()
        && let Err(why) = ctr_runtime::regex::Regex::compile(&regex.pattern)
    {
        diagnostics.push(codes::regex_too_large(library, &regex.pattern, &why));
    }
    model::Regex {
        pattern: regex.pattern.clone(),
        dfa,
        ecma: crate::ecma::twin(&regex.pattern),
    }
}

/// An unanchored sparse DFA in little-endian bytes.
fn dfa(pattern: &str) -> Option<Vec<u8>> {
    let dense = dense::Builder::new()
        .configure(
            dense::Config::new()
                .start_kind(StartKind::Unanchored)
                .dfa_size_limit(Some(MAX_BUILD_BYTES))
                .determinize_size_limit(Some(MAX_BUILD_BYTES)),
        )
        .thompson(
            thompson::Config::new()
                .shrink(false)
                .nfa_size_limit(Some(MAX_NFA_BYTES)),
        )
        .build(pattern)
        .ok()?;
    let bytes = dense.to_sparse().ok()?.to_bytes_little_endian();
    (bytes.len() <= MAX_DFA_BYTES).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compiled(pattern: &str) -> (model::Regex, Vec<Diagnostic>) {
        let mut diagnostics = Vec::new();
        let regex = ir::Regex {
            pattern: pattern.to_owned(),
        };
        let regex = compile(&regex, &ir::Library::default(), &mut diagnostics);
        (regex, diagnostics)
    }

    #[test]
    fn small_ones_become_automata_and_large_ones_are_left_to_the_runtime() {
        let (small, found) = compiled("rm\\s+-rf");
        assert!(!small.dfa.is_empty() && found.is_empty());
        // Unicode word boundaries have no automaton.
        let (boundary, found) = compiled("\\bsecret\\b");
        assert!(boundary.dfa.is_empty() && found.is_empty());
    }

    #[test]
    fn what_nobody_could_run_is_an_error_soon() {
        for pattern in ["a{1000}{1000}{1000}", "(\\w{1,40}){40}"] {
            let (_, found) = compiled(pattern);
            assert_eq!(
                found.iter().map(|d| d.code).collect::<Vec<_>>(),
                ["E0604"],
                "{pattern}"
            );
        }
    }
}
