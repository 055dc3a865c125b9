//! What is proven without arithmetic is proven without Z3 too; the rest says that it was built without.
//!
//! Run with `--no-default-features` as well.

#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use ctr_check::{Options, check};
use ctr_front::world::MemoryWorld;
use ctr_logic::Limits;

/// The kinds of all findings with their contracts and reasons, in order.
fn findings(text: &str) -> Vec<(String, Vec<String>, Option<String>)> {
    let world = MemoryWorld::new().with("p.ctr", text);
    let compiled = ctr_front::compile(&world, &["p.ctr".to_owned()]);
    let library = compiled.library.unwrap();
    let artifact = ctr_emit::build(&library, "test", &Limits::default()).unwrap();
    let options = Options::default();
    let report = check(&library, &artifact.model, &artifact.bytes, &options).unwrap();
    let proofs = report.findings.into_iter().filter_map(|f| f.proof);
    proofs
        .map(|p| (p.kind.to_owned(), p.contracts.clone(), p.reason.clone()))
        .collect()
}

#[test]
fn a_conflict_of_order() {
    let found = findings(
        "module t
         contract a { guarantee call t only after success p }
         contract b { guarantee eventually call t }
         contract c { guarantee never call p }
         contract d { guarantee call u at most 2 times }",
    );
    let names = ["a", "b", "c"].map(str::to_owned).to_vec();
    assert_eq!(found, [("conflict".to_owned(), names, None)]);
}

#[test]
fn a_dead_tool_and_what_is_fine() {
    let found = findings(
        "module t
         contract a { guarantee call t only after success p }
         contract b { guarantee call p only after success t }",
    );
    assert!(
        found.iter().any(|(kind, ..)| kind == "dead_tool"),
        "{found:?}"
    );
    assert!(
        found.iter().all(|(kind, ..)| kind != "undecided"),
        "{found:?}"
    );
    let fine = findings("module t contract a { guarantee call t only after success p }");
    assert_eq!(fine, []);
}

#[test]
fn equal_conditions_need_no_arithmetic() {
    let found = findings(
        "module t
         tool pay(amount: number)
         contract a { guarantee eventually call pay(amount > 5) }
         contract b { guarantee never call pay(amount > 5) }",
    );
    let names = ["a", "b"].map(str::to_owned).to_vec();
    let (first, rest) = found.split_first().unwrap();
    assert_eq!(*first, ("conflict".to_owned(), names, None));
    // Whether there is such an amount at all is another question.
    let open = |(kind, _, why): &(String, Vec<String>, Option<String>)| {
        kind == "undecided" && why.as_deref() == Some("built without Z3")
    };
    assert!(rest.iter().all(open), "{found:?}");
    assert!(rest.is_empty() || cfg!(not(feature = "z3")), "{found:?}");
}

#[test]
fn values_need_arithmetic() {
    let found = findings(
        "module t
         tool pay(amount: number)
         contract a { guarantee eventually call pay(amount > 5) }
         contract b { guarantee never call pay(amount > 3) }",
    );
    let kinds: Vec<&str> = found.iter().map(|(kind, ..)| kind.as_str()).collect();
    if cfg!(feature = "z3") {
        assert_eq!(kinds, ["conflict"], "{found:?}");
    } else {
        assert!(kinds.iter().all(|kind| *kind == "undecided"), "{found:?}");
        let reasons: Vec<_> = found
            .iter()
            .filter_map(|(.., why)| why.as_deref())
            .collect();
        assert!(reasons.contains(&"built without Z3"), "{found:?}");
    }
}
