//! Contracts over the fields of one event exclude each other exactly where their formulas do, and in the same minimal
//! sets.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::fmt::Write as _;
use std::time::Duration;

use ctr_bench::cores::{Compared, compare};
use ctr_check::Options;
use ctrc::ltlf::{Kind, parse};

/// More than any set here has.
const OPTIONS: Options = Options {
    timeout: Duration::from_secs(20),
    cores: 64,
    cancel: ctr_check::Cancel::NEVER,
};

fn agreed(text: &str) -> Compared {
    let problem = parse(text, Kind::of_path("x.conj".as_ref()).unwrap()).unwrap();
    let found = compare(&problem, &OPTIONS).unwrap().unwrap();
    assert_eq!(found.by_check, found.by_logic, "{text}");
    assert_eq!(found.minimal, found.by_check.len(), "{text}");
    found
}

/// Each link of a chain stands there twice, in other words: 2^n cores of n + 2 members.
#[test]
fn all_cores_of_doubled_chains() {
    for links in 1..=4_u32 {
        let mut text = "a := F x0\n".to_owned();
        for n in 0..links {
            let _ = write!(
                text,
                "c{n} := G (x{n} -> F x{m})\nd{n} := !F x{n} | F x{m}\n",
                m = n + 1
            );
        }
        let _ = writeln!(text, "z := G !x{links}");
        let found = agreed(&text);
        assert_eq!(found.by_check.len(), 2_usize.pow(links));
        assert!(
            found
                .by_check
                .iter()
                .all(|core| core.len() == links as usize + 2)
        );
    }
}

/// One core among many members, and counters of a few bits.
#[test]
fn one_core_among_many() {
    let mut text = String::new();
    for n in 0..12 {
        let _ = writeln!(text, "r{n} := G (p{n} -> X[!] F q{n})");
    }
    text += "wanted := F p5\nbanned := G !q5\n";
    assert_eq!(agreed(&text).by_check, [vec![5, 12, 13]]);

    let counter = "s := !b0 & !b1\n\
                   c0 := G (X[!] true -> (b0 <-> X[!] !b0))\n\
                   c1 := G (X[!] true -> ((b1 <-> b0) <-> X[!] !b1))\n\
                   n := G !(b0 & b1)\n\
                   l := X[!] X[!] X[!] true\n";
    let found = agreed(counter);
    assert!(!found.by_check.is_empty());
}

/// Sets of random members of common shapes, many of which exclude each other in several ways.
#[test]
fn random_sets() {
    let mut seed = 7_u64;
    let mut random = |n: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % n
    };
    let (mut several, mut none) = (0, 0);
    for _ in 0..16 {
        let mut text = String::new();
        for n in 0..7 {
            let (p, q) = (format!("x{}", random(3)), format!("x{}", random(3)));
            let member = match random(11) {
                0 => format!("F {p}"),
                1 => format!("G !{p}"),
                2 => format!("G ({p} -> F {q})"),
                3 => format!("!{p} U {q}"),
                4 => format!("G ({p} -> X[!] {q})"),
                5 => format!("G ({p} -> X !{q})"),
                6 => format!("{p} & X[!] {q}"),
                7 => format!("F ({p} & !{q})"),
                8 => format!("G ({p} | {q})"),
                9 => format!("X !{p}"),
                _ => format!("F ({p} & X[!] !{q})"),
            };
            let _ = writeln!(text, "c{n} := {member}");
        }
        match agreed(&text).by_check.len() {
            0 => none += 1,
            1 => {}
            _ => several += 1,
        }
    }
    assert!(several >= 3 && none >= 3, "{several} {none}");
}
