//! From text to artifact, whole and phase by phase, and loading the artifact.

#![allow(missing_docs, reason = "the macro makes public items")]

use ctr_bench::{COMPILER, Failure, ROOT, artifact, policies, retail, world};
use ctr_front::world::MemoryWorld;
use ctr_front::{ir, load};
use ctr_logic::Limits;
use ctr_runtime::format::{Library, encode};
use ctr_runtime::session::{Plan, Session};
use divan::{Bencher, black_box};

const CONTRACTS: usize = 300;

fn main() -> Result<(), Failure> {
    let bytes = artifact(&policies::preconditions(CONTRACTS))?;
    announce(&format!(
        "{CONTRACTS} preconditions: {} bytes of artifact",
        bytes.len()
    ));
    announce(&format!("retail: {} bytes of artifact", retail()?.len()));
    divan::main();
    Ok(())
}

#[expect(clippy::print_stdout, reason = "a benchmark's report")]
fn announce(line: &str) {
    println!("{line}");
}

fn memory() -> MemoryWorld {
    world(&policies::preconditions(CONTRACTS))
}

fn ir() -> Option<ir::Library> {
    ctr_front::compile(&memory(), &[ROOT.to_owned()]).library
}

#[divan::bench]
fn whole(bencher: Bencher<'_, '_>) {
    let text = policies::preconditions(CONTRACTS);
    bencher.bench(|| artifact(black_box(&text)));
}

#[divan::bench]
fn a_parse(bencher: Bencher<'_, '_>) {
    let text = policies::preconditions(CONTRACTS);
    bencher.bench(|| ctr_grammar::parse(black_box(&text)));
}

#[divan::bench]
fn b_load_modules(bencher: Bencher<'_, '_>) {
    let memory = memory();
    let roots = [ROOT.to_owned()];
    bencher.bench(|| load::load(black_box(&memory), &roots));
}

/// Loading and all checks.
#[divan::bench]
fn c_front(bencher: Bencher<'_, '_>) {
    let memory = memory();
    let roots = [ROOT.to_owned()];
    bencher.bench(|| ctr_front::compile(black_box(&memory), &roots));
}

#[divan::bench]
fn d_automata(bencher: Bencher<'_, '_>) {
    let Some(ir) = ir() else { return };
    bencher.bench(|| ctr_emit::model(black_box(&ir), COMPILER, &Limits::default()));
}

#[divan::bench]
fn e_encode(bencher: Bencher<'_, '_>) {
    let Some(model) = ir().and_then(|ir| ctr_emit::model(&ir, COMPILER, &Limits::default()).ok())
    else {
        return;
    };
    bencher.bench(|| encode(black_box(&model)));
}

fn preconditions_bytes() -> Option<Vec<u8>> {
    artifact(&policies::preconditions(CONTRACTS)).ok()
}

fn retail_bytes() -> Option<Vec<u8>> {
    retail().ok()
}

/// What is paid once an artifact.
mod load_artifact {
    use super::*;

    #[divan::bench]
    fn preconditions(bencher: Bencher<'_, '_>) {
        measure(bencher, preconditions_bytes());
    }

    #[divan::bench]
    fn tau2_retail(bencher: Bencher<'_, '_>) {
        measure(bencher, retail_bytes());
    }

    fn measure(bencher: Bencher<'_, '_>, bytes: Option<Vec<u8>>) {
        let Some(bytes) = bytes else { return };
        bencher.bench(|| Library::load(black_box(bytes.as_slice())).map(|l| l.contract_count()));
    }
}

/// What is paid once an artifact and shared by its sessions.
mod plan {
    use super::*;

    #[divan::bench]
    fn preconditions(bencher: Bencher<'_, '_>) {
        measure(bencher, preconditions_bytes());
    }

    #[divan::bench]
    fn tau2_retail(bencher: Bencher<'_, '_>) {
        measure(bencher, retail_bytes());
    }

    fn measure(bencher: Bencher<'_, '_>, bytes: Option<Vec<u8>>) {
        let Some(library) = bytes.and_then(|bytes| Library::load(bytes).ok()) else {
            return;
        };
        bencher.bench(|| Plan::new(black_box(&library)));
    }
}

/// What is paid once a session.
mod new_session {
    use std::sync::Arc;

    use super::*;

    #[divan::bench]
    fn preconditions(bencher: Bencher<'_, '_>) {
        measure(bencher, preconditions_bytes());
    }

    #[divan::bench]
    fn tau2_retail(bencher: Bencher<'_, '_>) {
        measure(bencher, retail_bytes());
    }

    fn measure(bencher: Bencher<'_, '_>, bytes: Option<Vec<u8>>) {
        let Some(library) = bytes.and_then(|bytes| Library::load(bytes).ok()) else {
            return;
        };
        let plan = Arc::new(Plan::new(&library));
        bencher.bench(|| Session::with_plan(black_box(&library), Arc::clone(&plan)).next_event());
    }
}
