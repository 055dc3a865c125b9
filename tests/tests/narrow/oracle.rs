//! Random contracts of all kinds from the oracle's generators.

use crate::compare::{Tally, artifact, compare, feed, load, value};
use ctr_runtime::event::Meta;
use ctr_runtime::session::Session;
use ctr_runtime::value::Value;
use ctr_tests::oracle::check::policy;
use ctr_tests::oracle::contract::{Atom, Contract};
use ctr_tests::oracle::generate::{
    Shape, Style, aggregated, clock, contract, pair, session, timed,
};
use ctr_tests::rng::{Rng, count, seed};
use serde_json::{Map, json};

/// All arguments of the generators' vocabulary, with missing and misshapen ones.
fn calls() -> Vec<(serde_json::Value, Value)> {
    let numbers = [
        None,
        Some(json!(0)),
        Some(json!(1)),
        Some(json!(2.5)),
        Some(json!(4)),
        Some(json!("1")),
    ];
    let keys = [
        None,
        Some(json!("A")),
        Some(json!("B")),
        Some(json!("Z")),
        Some(json!(1)),
    ];
    let flags = [
        None,
        Some(json!(true)),
        Some(json!(false)),
        Some(json!("x")),
    ];
    let mut out = Vec::new();
    for n in &numbers {
        for k in &keys {
            for f in &flags {
                let mut args = Map::new();
                for (name, field) in [("n", n), ("k", k), ("f", f)] {
                    if let Some(field) = field {
                        args.insert(name.to_owned(), field.clone());
                    }
                }
                let args = serde_json::Value::Object(args);
                out.push((args.clone(), value(&args)));
            }
        }
    }
    for other in [json!("no record"), json!(null), json!([1])] {
        out.push((other.clone(), value(&other)));
    }
    out
}

fn run(
    salt: u64,
    batches: u64,
    undefined: bool,
    make: &mut dyn FnMut(&mut Rng, &str) -> Contract,
) -> Tally {
    let seed = seed(77_001) ^ salt;
    let mut rng = Rng::new(seed);
    let calls = calls();
    let mut tally = Tally::default();
    for _ in 0..count(batches) {
        let mut contracts = Vec::new();
        while contracts.len() < 1 + rng.below(3) {
            contracts.push(make(&mut rng, &format!("c{}", contracts.len())));
        }
        let text = policy(&contracts);
        let bytes = artifact(&text);
        let library = load(&bytes);
        for _ in 0..2 {
            let shape = Shape {
                length: 10,
                holes: if undefined { 15 } else { 0 },
                keys: !undefined,
            };
            let mut lines = session(&mut rng, shape);
            if rng.chance(50) {
                clock(&mut rng, &mut lines);
            }
            let mut live = Session::new(&library);
            let end = rng.below(lines.lines.len() + 1);
            for (n, line) in lines.lines.iter().take(end).enumerate() {
                feed(&mut live, line, lines.times.get(n).copied());
            }
            let meta = Meta {
                time: lines.times.last().map(|t| (t + 1) * 1_000_000),
                ..Meta::default()
            };
            for tool in ["ta", "tb"] {
                let about = || format!("seed {seed}\n{text}\n{}", lines.text());
                compare(&mut live, tool, &meta, &calls, &about, &mut tally);
            }
        }
    }
    eprintln!("{tally:?}");
    tally
}

/// A contract with formulas; of a keyed one some pattern binds the key.
pub fn real(rng: &mut Rng, make: &mut dyn FnMut(&mut Rng) -> Contract, keyed: bool) -> Contract {
    loop {
        let c = make(rng);
        let bound = c.used().iter().any(|n| match &c.atoms[*n] {
            Atom::Pattern(p) | Atom::Guard(p, _) => p.key.is_some(),
            Atom::State(_) => false,
        });
        if !c.used().is_empty() && (bound || !keyed) {
            return c;
        }
    }
}

/// Something of everything was seen.
fn varied(tally: &Tally) {
    assert!(tally.accepted > 100 && tally.refused > 100, "{tally:?}");
    assert!(tally.complete * 2 > tally.schemas, "{tally:?}");
}

#[test]
fn formulas() {
    varied(&run(1, 60, false, &mut |rng, name| {
        let style = Style {
            states: true,
            ..Style::default()
        };
        let atoms = 2 + rng.below(2);
        real(rng, &mut |rng| contract(rng, name, style, atoms, 2), false)
    }));
}

#[test]
fn undefined_values() {
    varied(&run(2, 60, true, &mut |rng, name| {
        let style = Style {
            states: true,
            undefined: true,
            ..Style::default()
        };
        real(rng, &mut |rng| contract(rng, name, style, 3, 2), false)
    }));
}

#[test]
fn keyed() {
    varied(&run(3, 60, false, &mut |rng, name| {
        let style = Style {
            keyed: 2,
            states: true,
            ..Style::default()
        };
        real(rng, &mut |rng| contract(rng, name, style, 3, 2), true)
    }));
}

#[test]
fn sometimes_keyed_and_undefined() {
    let tally = run(4, 60, true, &mut |rng, name| {
        let style = Style {
            keyed: 1,
            states: true,
            undefined: true,
            ..Style::default()
        };
        real(rng, &mut |rng| contract(rng, name, style, 3, 2), true)
    });
    assert!(tally.accepted > 100 && tally.refused > 100, "{tally:?}");
}

#[test]
fn aggregates() {
    varied(&run(5, 40, false, &mut |rng, name| {
        aggregated(rng, name, false, false)
    }));
    let tally = run(6, 40, true, &mut |rng, name| {
        aggregated(rng, name, true, true)
    });
    assert!(tally.accepted > 50 && tally.refused > 50, "{tally:?}");
}

#[test]
fn assumptions_and_times() {
    varied(&run(7, 30, false, &mut |rng, name| {
        real(rng, &mut |rng| pair(rng, name, Style::default()), false)
    }));
    let tally = run(8, 30, false, &mut |rng, name| {
        let keyed = rng.chance(50);
        timed(rng, name, keyed)
    });
    assert!(tally.accepted > 50, "{tally:?}");
}
