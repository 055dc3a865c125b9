//! What is proven of a library against brute force: small random policies, and all short sessions of the events
//! that their contracts can tell apart.
//!
//! A finding says that no session is so; one that is so refutes it. The reverse holds as far as short sessions reach:
//! where none of them is so, there should be a finding, or a question that was left open.
//!
//! `CTRC_ORACLE_SEED` and `CTRC_ORACLE_COUNT` change what is tried.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    missing_docs,
    reason = "tests"
)]

mod alphabet;
mod brute;
#[path = "../common/live.rs"]
mod live;
mod refute;

use ctr_tests::oracle::contract::{Atom, Contract};
use ctr_tests::oracle::formula::{Binary, Counted, F, Unary};
use ctr_tests::oracle::generate::{Style, aggregated, atoms, contract, guarded, pair};
use ctr_tests::rng::{Rng, count, seed};

use refute::Tally;

/// A contract of a form that policies are full of.
fn usual(rng: &mut Rng, name: &str, keyed: bool) -> Contract {
    let style = Style {
        keyed: if keyed { 2 } else { 0 },
        ..Style::default()
    };
    let leaf = |n| Box::new(F::Leaf(n));
    let times = 1 + rng.below(2);
    let f = match rng.below(14) {
        0 | 1 => F::Un(Unary::Never, leaf(0)),
        2 | 3 => F::Bin(Binary::OnlyAfter, leaf(0), leaf(1)),
        4 => F::Bin(Binary::NeverAfter, leaf(0), leaf(1)),
        5 => F::Bin(Binary::OnlyBefore, leaf(0), leaf(1)),
        6 | 7 => F::Bin(Binary::LeadsTo, leaf(0), leaf(1)),
        8 => F::Bin(Binary::LeadsNow, leaf(0), leaf(1)),
        9 => F::Count(Counted::AtMost, leaf(0), times),
        10 => F::Count(Counted::AtLeast, leaf(0), times),
        11 => F::LeadsSteps(leaf(0), leaf(1), times),
        12 => F::Count(Counted::Exactly, leaf(0), 1),
        _ => F::Un(Unary::Eventually, leaf(0)),
    };
    let atoms = atoms(rng, style, 2);
    let mut contract = Contract::simple(name, atoms, f);
    contract.keyed = keyed;
    contract
}

/// Of a keyed contract some pattern binds the key, and every formula says something of an event.
fn sound(contract: &Contract) -> bool {
    let used = contract.used();
    let binds = used.iter().any(|n| match &contract.atoms[*n] {
        Atom::Pattern(p) | Atom::Guard(p, _) => p.key.is_some(),
        Atom::State(_) => false,
    });
    !used.is_empty() && (binds || !contract.keyed)
}

fn run(salt: u64, policies: u64, make: &mut dyn FnMut(&mut Rng, &str) -> Contract) -> Tally {
    let seed = seed(55_301) ^ salt;
    let mut rng = Rng::new(seed);
    let mut tally = Tally::default();
    for _ in 0..count(policies) {
        let wanted = *rng.pick(&[1, 2, 3, 3, 3]);
        let mut contracts: Vec<Contract> = Vec::new();
        while contracts.len() < wanted {
            let contract = make(&mut rng, &format!("c{}", contracts.len()));
            if sound(&contract) {
                contracts.push(contract);
            }
        }
        refute::policy(&contracts, &mut rng, &mut tally);
    }
    eprintln!("{tally:#?}");
    tally
}

#[test]
fn usual_forms() {
    run(1, 40, &mut |rng, name| usual(rng, name, false)).judge(93);
}

#[test]
fn usual_forms_with_keys() {
    run(2, 24, &mut |rng, name| {
        let keyed = rng.chance(70);
        usual(rng, name, keyed)
    })
    .judge(93);
}

#[test]
fn any_formulas() {
    run(3, 16, &mut |rng, name| {
        contract(rng, name, Style::default(), 2, 2)
    })
    .judge(93);
}

#[test]
fn assumptions() {
    run(4, 16, &mut |rng, name| {
        if rng.chance(50) {
            guarded(rng, name)
        } else {
            pair(rng, name, Style::default())
        }
    })
    .judge(93);
}

#[test]
fn aggregates() {
    run(5, 16, &mut |rng, name| {
        if rng.chance(50) {
            aggregated(rng, name, false, false)
        } else {
            usual(rng, name, false)
        }
    })
    .judge(85);
}
