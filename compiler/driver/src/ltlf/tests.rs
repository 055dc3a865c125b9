#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use super::{Failure, Kind, dfa, mona, parse};
use ctr_logic::{Error, Limits};

fn shown(text: &str, kind: Kind) -> String {
    let mut problem = parse(text, kind).unwrap();
    let formula = problem.conjunction();
    let names = problem.atoms.clone();
    problem
        .arena
        .display(formula, &|atom| names[atom as usize].clone())
}

fn same(a: &str, b: &str, kind: Kind) {
    // Both in one arena: equal formulas are equal handles.
    let text = format!("({a}) <-> ({b})");
    assert_eq!(shown(&text, kind), "true", "{a} against {b}");
}

#[test]
fn precedence_and_associativity() {
    same("! a U b", "(!a) U b", Kind::Ltlf);
    same("a U b & c", "(a U b) & c", Kind::Ltlf);
    same("a & b | c & d", "(a & b) | (c & d)", Kind::Ltlf);
    same("a | b -> c", "(a | b) -> c", Kind::Ltlf);
    same("a -> b -> c", "a -> (b -> c)", Kind::Ltlf);
    same("a -> b <-> c", "(a -> b) <-> c", Kind::Ltlf);
    same("a <-> b <-> c", "(a <-> b) <-> c", Kind::Ltlf);
    same("a U b U c", "a U (b U c)", Kind::Ltlf);
    same("a W b R c", "a W (b R c)", Kind::Ltlf);
    same("X[!] a U b", "(X[!] a) U b", Kind::Ltlf);
    same("G a -> F b", "(G a) -> (F b)", Kind::Ltlf);
    same("O a S b | H c", "((O a) S b) | (H c)", Kind::Ltlf);
    same("!!a && ~b || c", "(a & !b) | c", Kind::Ltlf);
}

#[test]
fn next_is_weak_or_strong_by_syntax() {
    assert_eq!(shown("X a", Kind::Ltlf), "X a");
    assert_eq!(shown("X[!] a", Kind::Ltlf), "X[!] a");
    assert_eq!(shown("X [!] a", Kind::Ltlf), "X[!] a");
    assert_eq!(shown("X\n\t[!]a", Kind::Ltlf), "X[!] a");
    assert_eq!(shown("r := X  [!] a", Kind::Conj), "X[!] a");
    assert!(parse("r := X\n[!] a", Kind::Conj).is_err());
    assert!(parse("X [!] a", Kind::Pltl).is_err());
    assert!(parse("Xa [!] a", Kind::Ltlf).is_err());
    assert_eq!(shown("X a", Kind::Pltl), "X[!] a");
    assert_eq!(shown("wX a", Kind::Pltl), "X a");
    assert_eq!(shown("r := (X a);", Kind::AaltafUc), "X[!] a");
    assert_eq!(shown("r := (N a);", Kind::AaltafUc), "X a");
    assert_eq!(shown("r := X a", Kind::Conj), "X a");
    assert_eq!(shown("r := (FALSE V (TRUE U b));", Kind::AaltafUc), "G F b");
    assert_eq!(shown("True -> G (p <-> False)", Kind::Pltl), "G !p");
}

#[test]
fn named_formulas() {
    let problem = parse(
        "one := G a\n\n# a comment\ntwo := F b # another\n",
        Kind::Conj,
    )
    .unwrap();
    let names: Vec<&str> = problem
        .formulas
        .iter()
        .map(|named| named.name.as_str())
        .collect();
    assert_eq!(names, ["one", "two"]);
    assert_eq!(problem.atoms, ["a", "b"]);
    let problem = parse("r1 := (a &\n b);r2 := ! S;\n", Kind::AaltafUc).unwrap();
    assert_eq!(problem.formulas.len(), 2);
    assert_eq!(problem.atoms, ["a", "b", "S"]);
}

#[test]
fn errors_have_places() {
    let at = |text: &str, kind: Kind| {
        let error = parse(text, kind).unwrap_err();
        (error.line, error.column, error.message)
    };
    assert_eq!(at("G (a ->\n  )", Kind::Ltlf).0, 2);
    assert_eq!(at("G (a ->\n  )", Kind::Ltlf).1, 3);
    assert_eq!(
        at("(a & (b)", Kind::Ltlf),
        (1, 1, "this parenthesis is never closed".into())
    );
    assert_eq!(
        at("a)", Kind::Ltlf),
        (1, 2, "this `)` closes nothing".into())
    );
    assert_eq!(at("a b", Kind::Ltlf).1, 3);
    assert_eq!(at("a & é", Kind::Ltlf).1, 5);
    assert_eq!(at("", Kind::Ltlf).1, 1);
    assert_eq!(at("a &", Kind::Ltlf).1, 4);
    assert_eq!(at("x G a", Kind::Conj).2, "`:=` should follow the name `x`");
    assert_eq!(at("x := G\ny := a", Kind::Conj).0, 1);
    assert_eq!(at("\n\n", Kind::Conj).2, "there is no formula here");
    assert_eq!(at("\"a", Kind::Ltlf).2, "this quoted atom has no end");
    assert_eq!(at("a ^ b", Kind::Ltlf).2, "`^` means nothing here");
    assert_eq!(at("a\0", Kind::Ltlf).2, "`\\0` means nothing here");
    assert_eq!(at("a 'b'", Kind::Ltlf).2, "`'` means nothing here");
    assert_eq!(at("G 1", Kind::Ltlf).1, 3);
    assert!(at("x := a", Kind::Ltlf).2.contains("`.conj`"));
    // `;` is no part of a single formula.
    assert_eq!(at("a; b", Kind::Ltlf).1, 2);
}

#[test]
fn deep_nesting_does_not_exhaust_the_stack() {
    let deep = format!("{}a{}", "(".repeat(200_000), ")".repeat(200_000));
    assert_eq!(shown(&deep, Kind::Ltlf), "a");
    let negations = format!("{}a", "!".repeat(200_001));
    assert_eq!(shown(&negations, Kind::Ltlf), "!a");
    let nexts = format!("{}a", "X[!] ".repeat(3_000));
    let limits = Limits::default();
    assert_eq!(
        dfa(&nexts, Kind::Ltlf, &limits).unwrap().dfa.states(),
        3_003
    );
    let mixed = format!("{}a{}", "b & (c | ".repeat(3_000), ")".repeat(3_000));
    assert_eq!(dfa(&mixed, Kind::Ltlf, &limits).unwrap().dfa.states(), 3);
    let mixed = format!(
        "{}a{}",
        "(b U X[!] (c <-> ".repeat(2_000),
        "))".repeat(2_000)
    );
    let tight = Limits {
        states: 50,
        ..limits
    };
    assert_eq!(
        dfa(&mixed, Kind::Ltlf, &tight).unwrap_err(),
        Failure::Engine(Error::TooManyStates { limit: 50 })
    );
    let past = format!("G {}a", "Y ".repeat(2_000));
    assert!(dfa(&past, Kind::Ltlf, &limits).is_ok());
}

#[test]
fn reports() {
    let report = dfa("G (a -> F b)", Kind::Ltlf, &Limits::default()).unwrap();
    assert_eq!(report.dfa.transition_states(), 2);
    assert_eq!(report.dfa.states(), 2);
    assert_eq!(report.accepting_states(), 1);
    assert!(report.satisfiable());
    assert!(report.human().contains("transition states   2"));
    let json: serde_json::Value = serde_json::from_str(&report.json()).unwrap();
    assert_eq!(json["states"][0]["label"], "satisfied");
    assert_eq!(json["states"][1]["label"], "pending");
    assert_eq!(json["atoms"], serde_json::json!(["a", "b"]));
    assert_eq!(
        json["diagram"].as_array().unwrap().len(),
        report.dfa.nodes().len()
    );
    let dot = report.dot();
    assert!(dot.contains("s0 [shape=doublecircle") && dot.contains("label=\"a\""));
    let unsat = dfa("F a & G !a", Kind::Ltlf, &Limits::default()).unwrap();
    assert!(!unsat.satisfiable());
    // `always` holds on the empty trace, but `.ltlf` asks for traces with a step.
    let last_only = dfa("G false", Kind::Ltlf, &Limits::default()).unwrap();
    assert!(!last_only.satisfiable());
    assert!(last_only.dfa.accepting(last_only.dfa.initial()));
}

#[test]
fn members_are_conjuncts_or_named_formulas() {
    let members = |text: &str, kind: Kind| -> Vec<(String, usize, String)> {
        let problem = parse(text, kind).unwrap();
        problem
            .members
            .iter()
            .map(|m| (m.name.clone(), m.line, text[m.span.clone()].to_owned()))
            .collect()
    };
    let member = |name: &str, line, text: &str| (name.to_owned(), line, text.to_owned());
    assert_eq!(
        members("# two\nG (a ->\n F b) &\n(F c & (!d))", Kind::Ltlf),
        [
            member("c1", 2, "G (a ->\n F b)"),
            member("c2", 4, "F c"),
            member("c3", 4, "!d"),
        ]
    );
    assert_eq!(members("((a | b))", Kind::Pltl), [member("c1", 1, "a | b")]);
    assert_eq!(
        members("x := (a & b)\n\ny := (G a) U (X b)\n", Kind::Conj),
        [member("x", 1, "a & b"), member("y", 3, "(G a) U (X b)")]
    );
}

#[test]
fn programs_for_mona() {
    let program = |text: &str, kind| mona(text, kind).unwrap().program;
    assert_eq!(
        program("G (a -> X[!] b)", Kind::Ltlf),
        "m2l-str;\nvar2 a, b;\n0 in $;\n(all1 p1: 0 <= p1 => (p1 in a => (ex1 p2: p2 = p1 + 1 & p2 in b)));\n"
    );
    assert_eq!(
        program("one := a U b\ntwo := !Y a | true\n", Kind::Conj),
        "m2l-str;\nvar2 a, b;\n0 in $;\n\
         # one\n(ex1 p1: 0 <= p1 & p1 in b & (all1 p2: 0 <= p2 & p2 < p1 => p2 in a));\n\
         # two\n(~((ex1 p1: 0 = p1 + 1 & p1 in a)) | true);\n"
    );
    // Names that MONA reads otherwise, and the positions' own.
    let odd = mona("in & p1 & \"x y\" & A0_in & p & _u & a.b", Kind::Ltlf).unwrap();
    assert_eq!(
        odd.variables,
        ["A0_in_", "A1_p1", "A2_x_y", "A0_in", "p", "A5__u", "A6_a_b"]
    );
    assert_eq!(odd.atoms[2], "x y");
    let words = mona(
        "const_tree | in_state_space | tree_root | tree_",
        Kind::Ltlf,
    )
    .unwrap();
    assert_eq!(
        words.variables,
        [
            "A0_const_tree",
            "A1_in_state_space",
            "A2_tree_root",
            "tree_"
        ]
    );
    assert!(odd.program.contains("# A2_x_y stands for \"x y\"\n"));
    // A name is a comment whatever it holds.
    assert_eq!(
        program("\"m\nfalse;\" := true\n", Kind::Conj),
        "m2l-str;\n0 in $;\n# m\\nfalse;\ntrue;\n"
    );
    let none = program("true", Kind::Ltlf);
    assert_eq!(none, "m2l-str;\n0 in $;\ntrue;\n");
    // As deep as may be.
    let deep = format!("{}a", "X[!] ".repeat(20_000));
    assert!(program(&deep, Kind::Ltlf).contains("p20000"));
}
