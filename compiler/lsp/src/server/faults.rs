//! Faults on purpose, to try that the server outlives them (`CTRC_LSP_FAULTS=1`; [docs/editors.md]).
//!
//! The request `ctrc/fault` panics where requests are answered, the notification `ctrc/fault` where messages are read, and
//! proofs panic for a policy that begins with `// ctrc: fault`. Without the variable there is none of this.

use std::sync::OnceLock;

use ctr_front::ir::Source;

/// The request and the notification.
pub(super) const METHOD: &str = "ctrc/fault";

/// Whether faults are asked for.
pub(super) fn are_on() -> bool {
    static ON: OnceLock<bool> = OnceLock::new();
    *ON.get_or_init(|| std::env::var_os("CTRC_LSP_FAULTS").is_some_and(|value| value == "1"))
}

/// Whether proving this policy has a fault.
pub(super) fn in_proofs(sources: &[Source]) -> bool {
    are_on()
        && sources
            .first()
            .is_some_and(|source| source.text.starts_with("// ctrc: fault"))
}

/// The fault.
#[expect(clippy::panic, reason = "it is what is asked for")]
pub(super) fn here() {
    panic!("a fault on purpose");
}
