//! Regular expressions compiled ahead of time.

use ctr_front::ir;
use ctr_runtime::format::model;
use regex_automata::dfa::{StartKind, dense};
use regex_automata::nfa::thompson;

/// The largest automaton that is put into an artifact, in bytes. A pattern that needs more is
/// compiled to an NFA when the artifact is loaded, which is slower but as linear.
const MAX_DFA_BYTES: usize = 256 << 10;
/// The memory for building one.
const MAX_BUILD_BYTES: usize = 4 << 20;

/// Compiles a pattern; its DFA stays empty where it has none within the limits.
pub(crate) fn compile(regex: &ir::Regex) -> model::Regex {
    model::Regex {
        pattern: regex.pattern.clone(),
        dfa: dfa(&regex.pattern).unwrap_or_default(),
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
        .thompson(thompson::Config::new().shrink(false))
        .build(pattern)
        .ok()?;
    let bytes = dense.to_sparse().ok()?.to_bytes_little_endian();
    (bytes.len() <= MAX_DFA_BYTES).then_some(bytes)
}
