//! The words of a formula can be taken in one way, and mean the formula.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod common;

use ctr_front::ir::{AtomId, Formula, Library};
use ctr_words::reader::{Leaves, read};
use ctr_words::{Style, equivalent};

fn atoms(formula: &Formula, into: &mut Vec<AtomId>) {
    if let Formula::Atom(atom) = formula
        && !into.contains(atom)
    {
        into.push(*atom);
    }
    for part in formula.parts() {
        atoms(part, into);
    }
}

/// Says a formula, reads it, and compares. Whether the automata were small enough for that.
fn reads_back(
    library: &Library,
    keys: &[String],
    formula: &Formula,
    known: &[AtomId],
    name: &str,
) -> bool {
    let text = ctr_words::formula(library, keys, formula).write(Style::Markdown, 0);
    let leaves = Leaves::new(library, keys, known);
    let found = read(&text, &leaves);
    assert!(
        !found.is_empty(),
        "{name}: {formula:?}\ncannot be read:\n{text}"
    );
    let mut decided = true;
    for (at, read) in found.iter().enumerate() {
        match equivalent(formula, read) {
            Some(same) => assert!(
                same,
                "{name}: {formula:?}\nsays\n{text}\nwhich can be taken for (reading {at} of {})\n{read:?}",
                found.len()
            ),
            None => decided = false,
        }
    }
    decided
}

#[test]
fn every_contract_of_the_repository_reads_back() {
    let mut clauses = 0;
    let mut open = Vec::new();
    for (name, library) in common::all() {
        for contract in &library.contracts {
            let mut known = Vec::new();
            for clause in &contract.clauses {
                atoms(&clause.formula, &mut known);
            }
            for clause in &contract.clauses {
                clauses += 1;
                let of = format!("{name}: {}", contract.name);
                if !reads_back(&library, &contract.keys, &clause.formula, &known, &of) {
                    open.push(of);
                }
            }
        }
    }
    assert!(clauses > 400, "only {clauses} clauses");
    assert!(open.is_empty(), "too large to compare: {open:?}");
}

/// A generator of its own, so that a failure repeats (xorshift64*, Vigna 2016).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let n64 = u64::try_from(n).unwrap();
        usize::try_from((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % n64).unwrap()
    }
}

fn random(rng: &mut Random, atoms: &[AtomId], depth: usize, past: bool) -> Formula {
    use Formula as F;
    let leaf = |rng: &mut Random| match rng.below(12) {
        0 => F::True,
        1 => F::False,
        _ => F::Atom(atoms[rng.below(atoms.len())]),
    };
    if depth == 0 {
        return leaf(rng);
    }
    let one = |rng: &mut Random| Box::new(random(rng, atoms, depth - 1, past));
    let before = |rng: &mut Random| Box::new(random(rng, atoms, depth - 1, true));
    let few = |rng: &mut Random| {
        let n = 2 + rng.below(2);
        (0..n)
            .map(|_| random(rng, atoms, depth - 1, past))
            .collect()
    };
    match rng.below(if past { 12 } else { 19 }) {
        0 => leaf(rng),
        1 | 2 => F::Not(one(rng)),
        3 => F::And(few(rng)),
        4 => F::Or(few(rng)),
        5 => F::Implies(one(rng), one(rng)),
        6 => F::Iff(one(rng), one(rng)),
        7 => F::Previously(before(rng)),
        8 => F::WeakPreviously(before(rng)),
        9 => F::Once(before(rng)),
        10 => F::Historically(before(rng)),
        11 => F::Since(before(rng), before(rng)),
        12 => F::Next(one(rng)),
        13 => F::WeakNext(one(rng)),
        14 => F::Always(one(rng)),
        15 => F::Eventually(one(rng)),
        16 => F::Until(one(rng), one(rng)),
        17 => F::Unless(one(rng), one(rng)),
        _ => F::Release(one(rng), one(rng)),
    }
}

const ATOMS: &str = r#"
tool a(x: number) tool b(x: number) -> { y: number } tool c() tool d()
context role: string
context limit: number
contract k {
  guarantee never call a
  guarantee never success b(y == 1, args.x > 2)
  guarantee never (return c or call d)
  guarantee call a only if x <= 10
  guarantee always {ctx.role == "admin"}
  guarantee always {ctx.limit > 3 or count(call a) <= 2}
}
"#;

#[test]
fn random_formulas_read_back() {
    let library = common::policy(ATOMS);
    let all: Vec<AtomId> = (0..u32::try_from(library.atoms.len()).unwrap())
        .map(AtomId)
        .collect();
    assert_eq!(all.len(), 7);
    let count = std::env::var("CTRC_WORDS_COUNT")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1_500);
    let seed = std::env::var("CTRC_WORDS_SEED")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1);
    let mut rng = Random(0x9E37_79B9_7F4A_7C15 ^ seed);
    let mut undecided = 0;
    for round in 0..count {
        // Few atoms, so that equal parts come up, which the forms are recognised by.
        let mut some = all.clone();
        while some.len() > 1 + round % 4 {
            some.remove(rng.below(some.len()));
        }
        let formula = random(&mut rng, &some, 1 + round % 4, false);
        let name = format!("formula {round}");
        if !reads_back(&library, &[], &formula, &all, &name) {
            undecided += 1;
        }
    }
    assert!(
        undecided * 50 < count,
        "{undecided} formulas of {count} are too large"
    );
}

/// Readable forms, each with formulas in operators of the same meaning.
const FORMS: &[(&str, &[&str])] = &[
    (
        "never call a",
        &[
            "always not call a",
            "not eventually call a",
            "always (call a implies false)",
            "call a at most 0 times",
        ],
    ),
    (
        "never call b after call a",
        &[
            "always (call a implies weak next always not call b)",
            "not eventually (call a and next eventually call b)",
            "always ((not call a) or weak next always not call b)",
            "call b only before call a",
        ],
    ),
    (
        "call b only after call a",
        &[
            "(not call b) unless call a",
            "always (call b implies once call a)",
            "never call b before call a",
            "not ((not call a) until (call b and not call a))",
        ],
    ),
    (
        "call a leads to call b",
        &[
            "always (call a implies eventually call b)",
            "not eventually (call a and not eventually call b)",
            "always ((eventually call b) or not call a)",
        ],
    ),
    (
        "call a immediately leads to call b",
        &[
            "always (call a implies next call b)",
            "not eventually (call a and weak next not call b)",
        ],
    ),
    (
        "call a leads to call b within 3 steps",
        &[
            "always (call a implies next (call b or next (call b or next call b)))",
            "always (call a implies ((next call b) or (next next call b) or next next next call b))",
        ],
    ),
    (
        "call a at most 2 times",
        &[
            "not eventually (call a and next eventually (call a and next eventually call a))",
            "always (call a implies weak next always (call a implies weak next always not call a))",
        ],
    ),
    (
        "call a at least 2 times",
        &["eventually (call a and next eventually call a)"],
    ),
    (
        "call a exactly 1 time",
        &[
            "(eventually call a) and not eventually (call a and next eventually call a)",
            "(not call a) until (call a and weak next always not call a)",
        ],
    ),
    (
        "call a at most 1 consecutive times",
        &[
            "always not (call a and next call a)",
            "always (call a implies weak next not call a)",
        ],
    ),
    (
        "call a only while not call b since call c",
        &["always (call a implies ((not call b) since call c))"],
    ),
    (
        "call a only while {ctx.role == \"admin\"}",
        &[
            "always (call a implies {ctx.role == \"admin\"})",
            "not eventually (call a and not {ctx.role == \"admin\"})",
        ],
    ),
    (
        "call t only if x <= 10",
        &[
            "never call t(not x <= 10)",
            "always not call t(not (x <= 10))",
        ],
    ),
    (
        "call a only after success b within 5min",
        &["call a only after success b within 300s"],
    ),
    (
        "call a at most 3 times within 10min",
        &["always (call a implies {count(call a within 10min) <= 3})"],
    ),
];

#[test]
fn words_of_a_form_are_those_of_its_formula() {
    let said = |clause: &str| {
        let text = format!(
            "tool a() tool b() tool c() tool t(x: number) context role: string\ncontract k {{ guarantee {clause} }}"
        );
        let library = common::policy(&text);
        let contract = &library.contracts[0];
        ctr_words::contract(&library, contract).clauses[0]
            .item
            .clone()
            .unwrap()
            .write(Style::Plain, 0)
    };
    for (form, formulas) in FORMS {
        let expected = said(form);
        for formula in *formulas {
            assert_eq!(said(formula), expected, "{formula} is {form}");
        }
    }
    // No two forms share their words.
    let all: std::collections::BTreeSet<String> =
        FORMS.iter().map(|(form, _)| said(form)).collect();
    assert_eq!(all.len(), FORMS.len());
}

#[test]
fn what_is_no_sentence_is_not_read() {
    let library = common::policy(ATOMS);
    let all: Vec<AtomId> = (0..u32::try_from(library.atoms.len()).unwrap())
        .map(AtomId)
        .collect();
    let leaves = Leaves::new(&library, &[], &all);
    for text in [
        "",
        "There is never.",
        "There is never a call of `z`.",
        "At every step, (1) holds.",
        "Whenever there is a call of `a`, there is.",
        "At some step, there is a call of `a` and.",
        "At some step, there is a call of `a` and at some step, there is a call of `a`.",
    ] {
        assert!(read(text, &leaves).is_empty(), "{text}");
    }
    // A condition of the operators is told from one of the events.
    assert_eq!(read("There is never a call of `a`.", &leaves).len(), 1);
}
