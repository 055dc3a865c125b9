//! Regular expressions compiled ahead of time.

mod automata;
mod chains;
mod table;
pub(crate) mod together;

use ctr_front::diagnostic::Diagnostic;
use ctr_front::ir;
use ctr_runtime::format::model;
use ctr_runtime::regex::program::{Exact, Program};

use crate::codes;
use chains::Chain;

/// The largest program that is put into an artifact, in bytes. A pattern that needs more is
/// compiled to an NFA when the artifact is loaded, which is slower but as linear.
const MAX_BYTES: usize = 256 << 10;
/// Gaps of so many characters are likely to make one table too large.
const LONG: u32 = 12;

/// An expression taken apart, as its program has it.
pub(crate) struct Parts {
    exact: Exact,
    chains: Vec<Chain>,
    /// The program's bytes.
    size: usize,
}

/// Compiles a pattern; its program stays empty where it has none within the limits, and then it must
/// compile as the runtime will compile it when the artifact is loaded.
pub(crate) fn compile(
    regex: &ir::Regex,
    library: &ir::Library,
    diagnostics: &mut Vec<Diagnostic>,
) -> (model::Regex, Option<Parts>) {
    let (program, parts) = match program(&regex.pattern) {
        Some((program, parts)) => (program.to_bytes(), Some(parts)),
        None => (Vec::new(), None),
    };
    if program.is_empty()
        && let Err(why) = ctr_runtime::regex::Regex::compile(&regex.pattern)
    {
        diagnostics.push(codes::regex_too_large(library, &regex.pattern, &why));
    }
    let regex = model::Regex {
        pattern: regex.pattern.clone(),
        program,
        ecma: crate::ecma::twin(&regex.pattern),
    };
    (regex, parts)
}

/// The search for a pattern; `None` where it would be too large.
fn program(pattern: &str) -> Option<(Program, Parts)> {
    let (hir, exact) = chains::exact(regex_syntax::parse(pattern).ok()?);
    let chains = chains::split(&hir);
    let most = |chain: &Chain| {
        chain
            .iter()
            .filter_map(|(gap, _)| *gap)
            .map(|gap| gap.most)
            .max()
    };
    // A gap without a bound needs no counter.
    let long = |most: u32| (LONG..u32::MAX).contains(&most);
    let first = match chains.iter().filter_map(most).any(long) {
        true => apart(&chains, exact),
        false => None,
    };
    let (program, chains) = match first {
        Some(program) => (program, chains),
        None => match automata::anywhere(&hir) {
            Some(stage) => {
                let chains = vec![vec![stage]];
                (Program { exact, chains }, vec![vec![(None, hir)]])
            }
            None => (apart(&chains, exact)?, chains),
        },
    };
    let size = program.to_bytes().len();
    let parts = Parts {
        exact,
        chains,
        size,
    };
    (size <= MAX_BYTES).then_some((program, parts))
}

/// The program in stages; `None` where there is but one.
fn apart(chains: &[Chain], exact: Exact) -> Option<Program> {
    if chains.iter().all(|chain| chain.len() == 1) {
        return None;
    }
    let chains = chains.iter().map(|chain| {
        let last = chain.len() - 1;
        let stages = chain.iter().enumerate();
        match &**chain {
            [(_, hir)] => Some(vec![automata::anywhere(hir)?]),
            _ => stages
                .map(|(n, (gap, hir))| automata::stage(hir, *gap, n == last))
                .collect(),
        }
    });
    Some(Program {
        exact,
        chains: chains.collect::<Option<_>>()?,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use ctr_runtime::regex::Regex;
    use regex_automata::{Input, meta};

    /// Numbers that look random.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, n: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 % n as u64) as usize
        }

        fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
            of.get(self.below(of.len())).copied().unwrap_or("")
        }

        fn text(&mut self, of: &[&str], most: usize) -> String {
            (0..self.below(most + 1)).map(|_| self.one(of)).collect()
        }

        /// An expression; with `deep` levels at most.
        fn pattern(&mut self, deep: usize) -> String {
            let atoms = [
                "a",
                "b",
                "ab",
                ".",
                "[ab]",
                "[^a]",
                "\\w",
                "\\s",
                "-",
                "\u{e9}",
                "(?i:k)",
                "\n",
                "\u{2014}",
                "^",
                "$",
                "(?m:^)",
                "(?m:$)",
                "\\b",
                "\\b",
                "(?-u:\\b)",
                "(?-u:\\B)",
                "(?-u:\\b{start-half})",
                "\\b{start}",
                "\\b{end}",
                "\\b{end-half}",
                "(?-u:\\w)",
                "(?R:.)",
                "(?mR:^)",
                "(?mR:$)",
                ".{4,}",
                "[^b]{2,9}?",
                "\\B",
                "\\A",
                "\\z",
                "",
            ];
            if deep == 0 {
                return self.one(&atoms).to_owned();
            }
            let mut sub = |deep: usize| self.pattern(deep);
            let (a, b) = (sub(deep - 1), sub(deep - 1));
            match self.below(9) {
                0 => format!("(?:{a})*"),
                1 => format!("(?:{a})?"),
                2 => format!("(?:{a}){{1,3}}"),
                3 => format!("(?:{a}|{b})"),
                4 => format!("({a}).{{0,{}}}{b}", self.below(9)),
                5 => format!("{a}[^a]{{{},8}}{b}", self.below(4)),
                6 => format!("{a}(?s:.)*{b}"),
                _ => format!("{a}{b}"),
            }
        }
    }

    const PIECES: [&str; 17] = [
        "\r\n",
        "a",
        "b",
        "a",
        "b",
        "ab",
        " ",
        "-",
        "\n",
        "\r",
        "K",
        "\u{212a}",
        "\u{e9}",
        "\u{2014}",
        "\u{1f44d}",
        "1",
        "\u{301}",
    ];

    /// Whole and taken apart, tables find what the `regex` crate finds, in all texts.
    #[test]
    fn tables_find_what_the_expression_finds() {
        let mut dice = Dice(7);
        let (mut whole, mut stages, mut found) = (0, 0, 0);
        let rounds = if std::env::var_os("CTRC_FUZZ_SECONDS").is_some() {
            20_000
        } else {
            100
        };
        for _ in 0..rounds {
            let deep = 1 + dice.below(3);
            let pattern = dice.pattern(deep);
            let Ok(plain) = meta::Regex::new(&pattern) else {
                continue;
            };
            let mut ours = Vec::new();
            if let Some((program, _)) = program(&pattern) {
                whole += 1;
                ours.push(Regex::load(&pattern, program.to_bytes()).unwrap());
            }
            let (hir, exact) = chains::exact(regex_syntax::parse(&pattern).unwrap());
            if let Some(program) = apart(&chains::split(&hir), exact) {
                stages += 1;
                ours.push(Regex::load(&pattern, program.to_bytes()).unwrap());
            }
            for _ in 0..40 {
                let text = dice.text(&PIECES, 14);
                let wanted = plain.is_match(Input::new(&text));
                found += usize::from(wanted);
                for regex in &ours {
                    assert_eq!(regex.is_match(&text), Some(wanted), "{pattern:?} {text:?}");
                }
            }
        }
        assert!(
            whole > 60 && stages > 10 && found > 1000,
            "{whole} {stages} {found}"
        );
    }

    /// Gaps at their bounds, beside what ends them.
    #[test]
    fn gaps_are_counted_in_characters() {
        let pattern = "(?i)\\b(no|never)\\b.{0,25}\\b(need|want)|unneeded|x[^.]{3,40}y$";
        let (hir, _) = chains::exact(regex_syntax::parse(pattern).unwrap());
        let program = apart(&chains::split(&hir), Exact::PlainWords).unwrap();
        let regex = Regex::load(pattern, program.to_bytes()).unwrap();
        let plain = meta::Regex::new(pattern).unwrap();
        for filler in [
            " ",
            "\u{2014}",
            "a ",
            "\u{1f44d}",
            " no ",
            "\n",
            ".",
            "w",
            "\u{2014} never",
        ] {
            for count in [0, 1, 2, 3, 4, 22, 23, 24, 25, 26, 27, 38, 39, 40, 41, 42] {
                for (before, after) in [
                    ("No", " needs"),
                    ("x", "y"),
                    ("x", "y "),
                    ("no", "need"),
                    ("", "UNNEEDED"),
                ] {
                    let text = format!("-{before}{}{after}", filler.repeat(count));
                    let wanted = plain.is_match(Input::new(&text));
                    assert_eq!(regex.is_match(&text), Some(wanted), "{text:?}");
                }
            }
        }
    }

    /// Between the bytes of a character there is no place, although assertions of ASCII would hold there.
    #[test]
    fn nothing_matches_inside_a_character() {
        for pattern in [
            r"(?-u:\B)",
            r"(?-u:\b{start-half})(?-u:\b{end-half})",
            r"(?-u:\B).{0,40}(?-u:\B)",
            r"\b{start-half}\B|\bz",
        ] {
            let plain = meta::Regex::new(pattern).unwrap();
            let (program, _) = program(pattern).unwrap();
            let regex = Regex::load(pattern, program.to_bytes()).unwrap();
            for text in [
                "",
                "a",
                "aa",
                " ",
                "a\u{e9}a",
                "\u{1f44d}",
                "a\u{1f44d}a",
                "z\u{e9}",
            ] {
                let wanted = plain.is_match(Input::new(text));
                assert_eq!(regex.is_match(text), Some(wanted), "{pattern:?} {text:?}");
            }
        }
    }

    #[test]
    fn long_gaps_do_not_make_large_tables() {
        let far =
            "(?i)if you (want|like)\\b.{0,60}\\bI( wi|'|\u{2019})ll\\b.{0,120}BEING TRANSFERRED";
        let (program, _) = program(far).unwrap();
        assert!(program.to_bytes().len() < 20_000);
        assert_eq!(program.chains.iter().map(Vec::len).collect::<Vec<_>>(), [3]);
    }

    fn compiled(pattern: &str) -> (model::Regex, Vec<Diagnostic>) {
        let mut diagnostics = Vec::new();
        let regex = ir::Regex {
            pattern: pattern.to_owned(),
        };
        let (regex, _) = compile(&regex, &ir::Library::default(), &mut diagnostics);
        (regex, diagnostics)
    }

    #[test]
    fn small_ones_become_automata_and_large_ones_are_left_to_the_runtime() {
        let (small, found) = compiled("rm\\s+-rf");
        assert!(!small.program.is_empty() && found.is_empty());
        let (large, found) = compiled("\\w{30}[a-c]{1,9}\\W{20}");
        assert!(large.program.is_empty() && found.is_empty());
    }

    #[test]
    fn what_nobody_could_run_is_an_error_soon() {
        for pattern in ["a{1000}{1000}{1000}", "(\\w{1,40}){40}"] {
            let (_, found) = compiled(pattern);
            assert_eq!(
                found.iter().map(|d| d.code).collect::<Vec<_>>(),
                ["E0604"],
                "{pattern}"
            );
        }
    }
}
