//! Which expressions are asked of the same messages, and one table for them.

use ctr_runtime::format::model::{EventKind, Expr, Model, Root, Together};
use ctr_runtime::regex::program::Exact;
use ctr_runtime::regex::together::{MAX_BITS, to_bytes};
use regex_syntax::hir::Hir;

use super::{Parts, automata};

/// The largest table, in bytes.
const MAX_BYTES: usize = 96 << 10;
/// How often a table that is too large is tried without its largest expression.
const ATTEMPTS: usize = 3;

/// The tables for the messages to the agent and for those of the model. `parts` has one entry for each
/// expression of the model.
pub(crate) fn tables(model: &Model, parts: &[Option<Parts>]) -> Vec<Together> {
    [false, true]
        .into_iter()
        .filter_map(|output| table(output, asked(model, output), parts))
        .collect()
}

/// The expressions that patterns of these messages ask of the text as it is.
fn asked(model: &Model, output: bool) -> Vec<u32> {
    let wanted = match output {
        true => EventKind::Output,
        false => EventKind::Input,
    };
    let patterns = model.patterns.iter().filter(|p| p.kind == wanted);
    let mut open: Vec<u32> = patterns.filter_map(|p| p.condition).collect();
    let mut seen = vec![false; model.exprs.len()];
    let mut found = Vec::new();
    while let Some(expr) = open.pop() {
        match seen.get_mut(expr as usize) {
            Some(seen) if !*seen => *seen = true,
            _ => continue,
        }
        match model.exprs.get(expr as usize) {
            Some(Expr::Matches(a, regex)) => {
                if matches!(model.exprs.get(*a as usize), Some(Expr::Root(Root::Text))) {
                    found.push(*regex);
                }
            }
            Some(Expr::Not(a)) => open.push(*a),
            Some(Expr::And(all) | Expr::Or(all)) => open.extend(all),
            Some(Expr::Iff(a, b)) => open.extend([*a, *b]),
            _ => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn table(output: bool, asked: Vec<u32>, parts: &[Option<Parts>]) -> Option<Together> {
    let of = |regex: &u32| parts.get(*regex as usize).and_then(Option::as_ref);
    // What is made for ASCII alone would spoil the table for the others.
    let mut regexes: Vec<u32> = asked
        .into_iter()
        .filter(|regex| of(regex).is_some_and(|parts| parts.exact != Exact::Ascii))
        .collect();
    for _ in 0..ATTEMPTS {
        if regexes.len() < 2 {
            return None;
        }
        let members = || regexes.iter().filter_map(of);
        let stages: Vec<Hir> = members()
            .flat_map(|parts| parts.chains.iter().flatten())
            .map(|(_, hir)| hir.clone())
            .collect();
        let made = (stages.len() <= MAX_BITS)
            .then(|| automata::ends(&stages))
            .flatten();
        if let Some((stage, ends)) = made {
            let table = to_bytes(exact(members()), &stage, &ends);
            if table.len() <= MAX_BYTES {
                return Some(Together {
                    output,
                    regexes,
                    table,
                });
            }
        }
        let largest = regexes
            .iter()
            .max_by_key(|regex| of(regex).map(|parts| parts.size))
            .copied();
        regexes.retain(|regex| Some(*regex) != largest);
    }
    None
}

/// The fewest texts of all.
fn exact<'p>(mut members: impl Iterator<Item = &'p Parts>) -> Exact {
    match members.any(|parts| parts.exact == Exact::PlainWords) {
        true => Exact::PlainWords,
        false => Exact::Always,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::regexes::program;

    /// A table says of each stage whether it occurs.
    #[test]
    fn tables_find_all_that_occurs() {
        let patterns = [
            "(?i)yes|ok",
            r"\bno\b.{0,30}\bneed",
            "^a",
            "b$",
            "(^|[^#])W[0-9]{2}",
        ];
        let parts: Vec<Parts> = patterns.iter().map(|p| program(p).unwrap().1).collect();
        let stages: Vec<Hir> = parts
            .iter()
            .flat_map(|parts| parts.chains.iter().flatten())
            .map(|(_, hir)| hir.clone())
            .collect();
        let (stage, ends) = automata::ends(&stages).unwrap();
        assert_eq!(usize::from(stage.rows - stage.ends), ends.len());
        let count = stages.len() as u32;
        assert!(ends.iter().all(|bits| *bits != 0 && bits >> count == 0));
        let all = ends.iter().fold(0, |all, bits| all | bits);
        assert_eq!(all.count_ones(), count);
    }

    /// Sessions of random messages, judged with a table for all expressions, and by the `regex` crate.
    #[test]
    fn sessions_decide_as_single_expressions_do() {
        use ctr_front::world::MemoryWorld;
        use ctr_runtime::event::{Event, EventKind, Meta};
        use ctr_runtime::format::Library;
        use ctr_runtime::session::Session;
        use regex_automata::meta;

        let patterns = [
            r"(?i)\b(yes|ok|sure)\b",
            r"(?i)(no|never)\b.{0,12}\b(need|want)|unneeded",
            r"(^|[^#0-9A-Za-z])W[0-9]{2}",
            "(?i)mistake|accident",
            r"^a.*b$",
            r"x.{2,20}y.{0,30}z",
            r"\Byes",
            "(?:)",
        ];
        let mut text = String::from("module m\n");
        for (n, pattern) in patterns.iter().enumerate() {
            for kind in ["input", "output"] {
                text += &format!(
                    "contract {kind}_{n} {{ guarantee never {kind}(text matches /{pattern}/) }}\n"
                );
            }
        }
        let world = MemoryWorld::new().with("m.ctr", text.as_str());
        let ir = ctr_front::compile(&world, &["m.ctr".to_owned()]);
        // `(?:)` fits the empty text, which is told and no error.
        let told = |d: &&ctr_front::diagnostic::Diagnostic| d.code != "W0424";
        assert_eq!(ir.diagnostics.iter().find(told), None);
        let ir = ir.library.unwrap();
        let artifact = crate::build(&ir, "test", &ctr_logic::Limits::default()).unwrap();
        for table in &artifact.model.together {
            let of = |id: &u32| {
                artifact
                    .model
                    .regexes
                    .get(*id as usize)
                    .map(|r| &*r.pattern)
            };
            let mut asked: Vec<&str> = table.regexes.iter().filter_map(of).collect();
            asked.sort_unstable();
            // All but the one that is exact for ASCII alone, and the one that would make the table too large.
            let mut wanted: Vec<&str> = patterns
                .iter()
                .filter(|p| !p.contains("\\B") && !p.contains("x."))
                .copied()
                .collect();
            wanted.sort_unstable();
            assert_eq!(asked, wanted);
        }
        assert_eq!(artifact.model.together.len(), 2);
        let library = Library::load(artifact.bytes).unwrap();
        let plain = patterns.map(|pattern| meta::Regex::new(pattern).unwrap());
        let pieces = [
            "yes", "OK", " ", "no", "never", "need", "unneeded", "W12", "#", "mistake", "a", "b",
            "x", "y", "z", "\u{2014}", "\u{e9}", "\u{212a}", "\n", "-",
        ];
        let mut seed = 3_u64;
        let mut below = |n: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed % n as u64) as usize
        };
        for round in 0..400 {
            let output = round % 2 == 0;
            let mut session = Session::new(&library);
            let mut found = vec![false; patterns.len()];
            for _ in 0..3 {
                let long = if round % 100 == 0 { 40_000 } else { 12 };
                let text: String = (0..below(long))
                    .filter_map(|_| pieces.get(below(pieces.len())))
                    .copied()
                    .collect();
                let event = Event {
                    kind: match output {
                        true => EventKind::Output { text: &text },
                        false => EventKind::Input { text: &text },
                    },
                    meta: Meta::default(),
                };
                // The proposal asks first, then the record.
                let _ = session.propose(&event, &mut ()).unwrap();
                session.record(&event, &mut ()).unwrap();
                for (found, plain) in found.iter_mut().zip(&plain) {
                    *found |= plain.is_match(&text);
                }
            }
            let kind = if output { "output" } else { "input" };
            for (contract, end) in library.contracts().zip(&session.finish().contracts) {
                let Some(n) = contract.name().strip_prefix(kind) else {
                    continue;
                };
                let n: usize = n.trim_start_matches('_').parse().unwrap();
                let failed = end.value.name() == "FAIL";
                assert_eq!(
                    Some(&failed),
                    found.get(n),
                    "{n} {round} {}",
                    end.value.name()
                );
            }
        }
    }
}
