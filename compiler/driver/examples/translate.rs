//! Translates files of bare formulas and prints a line for each: transition states, states, diagram
//! nodes, seconds.
//!
//! `cargo run --release -p ctrc --example translate -- [--each] [--states N] [--nodes N]
//! [--strategy S] FILE...`
//!
//! With `--each`, the formulas of a file are translated each on its own, and the line gives sums;
//! the time is the best of several runs.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    missing_docs,
    reason = "a program for the command line"
)]

use ctr_logic::{Limits, Strategy, translate_with};
use ctrc::ltlf;
use std::path::Path;
use std::time::Instant;

fn main() {
    let mut limits = Limits {
        states: 1_000_000,
        nodes: 50_000_000,
        ..Limits::default()
    };
    let mut each = false;
    let mut strategy = Strategy::Portfolio;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--each" => each = true,
            "--states" => {
                limits.states = args
                    .next()
                    .and_then(|n| n.parse().ok())
                    .unwrap_or(limits.states)
            }
            "--nodes" => {
                limits.nodes = args
                    .next()
                    .and_then(|n| n.parse().ok())
                    .unwrap_or(limits.nodes)
            }
            "--strategy" => {
                strategy = match args.next().as_deref() {
                    Some("direct") => Strategy::Direct,
                    Some("compositional") => Strategy::Compositional,
                    _ => Strategy::Portfolio,
                }
            }
            path => run(path, each, strategy, &limits),
        }
    }
}

fn run(path: &str, each: bool, strategy: Strategy, limits: &Limits<'_>) {
    let Ok(text) = std::fs::read_to_string(path) else {
        eprintln!("{path}: cannot be read");
        return;
    };
    let Some(kind) = ltlf::Kind::of_path(Path::new(path)) else {
        eprintln!("{path}: unknown extension");
        return;
    };
    let rounds = if each { 20 } else { 1 };
    let mut best = f64::INFINITY;
    let mut figures = (0, 0, 0);
    for _ in 0..rounds {
        let start = Instant::now();
        let mut problem = match ltlf::parse(&text, kind) {
            Ok(problem) => problem,
            Err(error) => {
                println!("{path},syntax error {error}");
                return;
            }
        };
        let read = start.elapsed().as_secs_f64();
        let formulas = if each {
            problem.formulas.iter().map(|named| named.formula).collect()
        } else {
            vec![problem.conjunction()]
        };
        figures = (0, 0, 0);
        for formula in formulas {
            match translate_with(&mut problem.arena, formula, &[], limits, strategy) {
                Ok(dfa) => {
                    figures.0 += dfa.transition_states();
                    figures.1 += dfa.states();
                    figures.2 += dfa.nodes().len();
                }
                Err(error) => {
                    println!("{path},{error},,,{:.6}", start.elapsed().as_secs_f64());
                    return;
                }
            }
        }
        let all = start.elapsed().as_secs_f64();
        if each && all < best {
            eprintln!("{path}: read {read:.6} all {all:.6}");
        }
        best = best.min(all);
    }
    println!("{path},{},{},{},{best:.6}", figures.0, figures.1, figures.2);
}
