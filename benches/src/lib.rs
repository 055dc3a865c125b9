//! What the benchmarks share: policies of any size, recorded sessions, and measuring.
//!
//! The benchmarks themselves are in `benches/`, a file for each question; `docs/performance.md`
//! says what each measures, how to run it, and what it gave.

pub mod cores;
pub mod five;
pub mod formulas;
pub mod measure;
pub mod plot;
pub mod policies;
pub mod sessions;
pub mod workspaces;

use std::error::Error;

use ctr_front::world::{DiskWorld, MemoryWorld, World};
use ctr_runtime::format::Library;

/// What goes wrong in a benchmark's preparation.
pub type Failure = Box<dyn Error + Send + Sync>;

/// What the artifacts of benchmarks say of their compiler.
pub const COMPILER: &str = "ctr-bench";

/// The path under which [`world`] holds a text.
pub const ROOT: &str = "bench.ctr";

/// A world that holds one policy.
#[must_use]
pub fn world(text: &str) -> MemoryWorld {
    MemoryWorld::new().with(ROOT, text)
}

/// The artifact of one policy's text.
///
/// # Errors
///
/// The first finding where it has errors.
pub fn artifact(text: &str) -> Result<Vec<u8>, Failure> {
    build(&world(text), ROOT)
}

/// The library of one policy's text.
///
/// # Errors
///
/// The first finding where it has errors.
pub fn library(text: &str) -> Result<Library<'static>, Failure> {
    Ok(Library::load(artifact(text)?)?)
}

/// The path of the ready library for tau2-bench's retail domain.
pub const RETAIL: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../stdlib-contracts/tau2/retail.ctr"
);

/// The artifact of the ready library for tau2-bench's retail domain.
///
/// # Errors
///
/// The first finding where it has errors.
pub fn retail() -> Result<Vec<u8>, Failure> {
    build(&DiskWorld, RETAIL)
}

fn build(world: &dyn World, root: &str) -> Result<Vec<u8>, Failure> {
    let compiled = ctr_front::compile(world, &[root.to_owned()]);
    let told = |findings: &[ctr_front::diagnostic::Diagnostic]| -> Failure {
        match findings.first() {
            Some(first) => format!("{root}: {}: {}", first.code, first.message).into(),
            None => format!("{root}: no library").into(),
        }
    };
    let library = compiled
        .library
        .ok_or_else(|| told(&compiled.diagnostics))?;
    let artifact = ctr_emit::build(&library, COMPILER, &ctr_logic::Limits::default())
        .map_err(|findings| told(&findings))?;
    Ok(artifact.bytes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn what_is_measured_is_what_is_meant() {
        let library = library(&policies::preconditions(3)).unwrap();
        assert_eq!(library.contract_count(), 3);
        let library = super::library(&policies::unnamed(2)).unwrap();
        assert_eq!(library.contract_count(), 3);
        let library = super::library(&policies::named(2)).unwrap();
        assert_eq!(library.contract_count(), 2);
        super::library(policies::KEYED).unwrap();
        super::library(policies::SHAPES).unwrap();
    }

    #[test]
    fn generated_sessions_are_clean_retail_sessions() {
        let bytes = retail().unwrap();
        let library = Library::load(bytes).unwrap();
        let plan = std::sync::Arc::new(ctr_runtime::session::Plan::new(&library));
        for session in sessions::generated(4) {
            let report = ctr_trace::judge::gated(&library, &plan, &session);
            assert!(report.malformed.is_empty(), "{:?}", report.malformed);
            assert!(report.decisions.is_empty(), "{:?}", report.decisions);
            assert!(report.events > 20);
        }
    }
}
