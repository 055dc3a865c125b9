//! Sets of bare formulas as policies: a contract for each, over the fields of one event.

use std::fmt::Write as _;

use ctr_logic::Formula;
use ctrc::ltlf::Problem;

/// A policy with a contract `m0`, `m1`, ... for each member. Atoms are Boolean fields `f0`, `f1`, ... of the
/// declared event `step`, which is what happens at every step. Each contract also asks for a step: bare formulas are
/// about traces that have one. `None` where a formula is too deep to be printed.
#[must_use]
pub fn policy(problem: &Problem) -> Option<String> {
    let fields: Vec<String> = (0..problem.atoms.len().max(1))
        .map(|n| format!("f{n}: bool"))
        .collect();
    let mut out = format!("module bench.formulas\nevent step({})\n", fields.join(", "));
    for (number, member) in problem.members.iter().enumerate() {
        let text = sentence(problem, member.formula)?;
        let _ = writeln!(
            out,
            "contract m{number} {{ guarantee (eventually step) and {text} }}"
        );
    }
    Some(out)
}

/// A formula in the words of the language, each operator in brackets of its own.
fn sentence(problem: &Problem, formula: Formula) -> Option<String> {
    let text = problem
        .arena
        .display(formula, &|atom| format!("f{atom}"))
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('!', " ! ")
        .replace("X[ ! ]", "X[!]");
    let mut words = text.split_whitespace().peekable();
    let mut out = String::new();
    read(&mut words, &mut out, 0)?;
    words.next().is_none().then_some(out)
}

/// Reads one formula as [`ctr_logic::Arena::display`] writes it.
fn read<'t>(
    words: &mut std::iter::Peekable<impl Iterator<Item = &'t str>>,
    out: &mut String,
    depth: usize,
) -> Option<()> {
    // Brackets are 128 deep in the language.
    if depth > 100 {
        return None;
    }
    let word = words.next()?;
    let prefix = match word {
        "!" => Some("not"),
        "X[!]" => Some("next"),
        "X" => Some("weak next"),
        "F" => Some("eventually"),
        "G" => Some("always"),
        "Y" => Some("previously"),
        "Z" => Some("weak previously"),
        "O" => Some("once"),
        "H" => Some("historically"),
        _ => None,
    };
    if let Some(prefix) = prefix {
        let _ = write!(out, "({prefix} ");
        read(words, out, depth + 1)?;
        out.push(')');
        return Some(());
    }
    match word {
        "true" | "false" => out.push_str(word),
        "(" => {
            let mut first = String::new();
            read(words, &mut first, depth + 1)?;
            let mut whole = first;
            loop {
                let operator = match words.next()? {
                    ")" => break,
                    "&" => "and",
                    "|" => "or",
                    "<->" => "iff",
                    "U" => "until",
                    "R" => "release",
                    "S" => "since",
                    // The dual of `since`.
                    "T" => {
                        let mut second = String::new();
                        read(words, &mut second, depth + 1)?;
                        whole = format!("(not ((not {whole}) since (not {second})))");
                        continue;
                    }
                    _ => return None,
                };
                let _ = write!(whole, " {operator} ");
                read(words, &mut whole, depth + 1)?;
            }
            let _ = write!(out, "({whole})");
        }
        atom if atom.starts_with('f') => {
            let _ = write!(out, "step({atom})");
        }
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use ctrc::ltlf::{Kind, parse};

    #[test]
    fn each_operator_has_its_words() {
        let text = "a := G(p -> X[!] q);\n";
        let problem = parse(text, Kind::of_path("x.conj".as_ref()).unwrap()).unwrap();
        let policy = policy(&problem).unwrap();
        assert!(
            policy.contains("event step(f0: bool, f1: bool)"),
            "{policy}"
        );
        assert!(policy.contains("(always "), "{policy}");
        assert!(policy.contains("(next step(f1))"), "{policy}");
    }
}
