//! State counts of scalable families against those that Spot and MONA give
//! (`fixtures/families/published.csv`).
//!
//! Spot's automata accept on transitions and have no reject sink. MONA's accept in states, have the
//! reject sink and an initial state before the first letter; all formulas taken from it here have
//! both.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use ctr_logic::{Limits, Strategy, translate, translate_with};
use ctrc::ltlf;
use std::path::PathBuf;

fn fixture(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/ltlf/fixtures")
        .join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn published_state_counts() {
    let table = fixture("families/published.csv");
    let mut rows = 0;
    for row in table.lines().skip(1) {
        let fields: Vec<&str> = row.split(',').collect();
        let text = fixture(&format!("families/{}.ltlf", fields[0]));
        let published: usize = fields[1].parse().unwrap();
        let report = ltlf::dfa(&text, ltlf::Kind::Ltlf, &Limits::default()).unwrap();
        let expected = if fields[2] == "mona" {
            published - 2
        } else {
            published
        };
        assert_eq!(report.dfa.transition_states(), expected, "{}", fields[0]);
        rows += 1;
    }
    assert!(rows > 30);
}

#[test]
fn strategies_agree_on_families() {
    for name in [
        "counter_006",
        "response_mutex_006",
        "at_most_each_004",
        "declare_010_s1",
        "prec_chain_past_010",
    ] {
        let text = fixture(&format!("families/{name}.ltlf"));
        let mut problem = ltlf::parse(&text, ltlf::Kind::Ltlf).unwrap();
        let f = problem.conjunction();
        let limits = Limits::default();
        let direct = translate_with(&mut problem.arena, f, &[], &limits, Strategy::Direct).unwrap();
        let parts =
            translate_with(&mut problem.arena, f, &[], &limits, Strategy::Compositional).unwrap();
        assert_eq!(direct, parts, "{name}");
    }
}

#[test]
fn a_library_of_small_policies() {
    let text = fixture("library_050.conj");
    let mut problem = ltlf::parse(&text, ltlf::Kind::Conj).unwrap();
    assert_eq!(problem.formulas.len(), 50);
    for named in problem.formulas.clone() {
        let dfa = translate(&mut problem.arena, named.formula, &[], &Limits::default()).unwrap();
        assert!(
            (2..=40).contains(&dfa.states()),
            "{}: {}",
            named.name,
            dfa.states()
        );
    }
}
