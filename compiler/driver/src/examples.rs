//! What stands below every verb's help: examples, and what its exit codes mean.

use clap::Command;

/// A verb's last lines: its words, examples (command and what it does), meanings of exit codes beside
/// those that hold for all.
struct Ending {
    verb: &'static [&'static str],
    examples: &'static [(&'static str, &'static str)],
    /// What 0 and 1 mean, and 4 where it can occur.
    clean: &'static str,
    findings: Option<&'static str>,
    undecided: Option<&'static str>,
}

const LIMIT: Option<&str> = Some("undecided: a limit was reached");

const ENDINGS: &[Ending] = &[
    Ending {
        verb: &[],
        examples: &[
            ("ctrc init", "start a policy in this folder"),
            (
                "ctrc check",
                "find what is wrong with the policies of this folder",
            ),
            (
                "ctrc replay -l policy.ctr runs/",
                "judge the recorded sessions of a folder",
            ),
            ("ctrc help replay", "what a verb takes"),
        ],
        clean: "nothing found",
        findings: Some("findings"),
        undecided: LIMIT,
    },
    Ending {
        verb: &["check"],
        examples: &[
            ("ctrc check", "every policy of this folder and those below"),
            (
                "ctrc check policy.ctr limits.ctr",
                "two files as one library",
            ),
            (
                "ctrc check --format sarif . > ctrc.sarif",
                "for code scanning",
            ),
            (
                "ctrc check --witness --tool refund policy.ctr",
                "a session that keeps all contracts and calls `refund`",
            ),
            (
                "ctrc check --fix --diff",
                "what `--fix` would change, as a diff",
            ),
            ("ctrc check --watch policy.ctr", "again after each change"),
        ],
        clean: "nothing found but warnings",
        findings: Some("errors; warnings with --deny-warnings"),
        undecided: Some("undecided: a question stayed open within --solver-timeout"),
    },
    Ending {
        verb: &["diff"],
        examples: &[
            (
                "ctrc diff old.ctr new.ctr",
                "sessions that one allows and the other does not",
            ),
            (
                "ctrc diff --format json old.ctr new.ctr",
                "the same for programs",
            ),
        ],
        clean: "both allow the same sessions",
        findings: Some("they differ"),
        undecided: LIMIT,
    },
    Ending {
        verb: &["refine"],
        examples: &[(
            "ctrc refine new.ctr old.ctr",
            "whether `new.ctr` can stand in for `old.ctr`",
        )],
        clean: "it refines the other",
        findings: Some("it does not"),
        undecided: LIMIT,
    },
    Ending {
        verb: &["build"],
        examples: &[
            ("ctrc build policy.ctr", "writes policy.ctrb"),
            (
                "ctrc build policy.ctr limits.ctr -o desk.ctrb",
                "two files as one library",
            ),
            (
                "ctrc build --emit json policy.ctr",
                "what would be built, to read",
            ),
        ],
        clean: "built",
        findings: Some("the policy has errors, and nothing was built"),
        undecided: None,
    },
    Ending {
        verb: &["replay"],
        examples: &[
            (
                "ctrc replay -l policy.ctr session.jsonl",
                "the verdict on one session",
            ),
            (
                "ctrc replay -l desk.ctrb --view gated runs/",
                "what enforcement would have decided in each session of a folder",
            ),
            (
                "ctrc replay -l desk.ctrb --format json - < session.jsonl",
                "standard input, for programs",
            ),
            (
                "ctrc replay -l policy.ctr --html report/ runs/",
                "pages to read in a browser",
            ),
        ],
        clean: "every session keeps every contract",
        findings: Some("violations, broken assumptions or decisions"),
        undecided: None,
    },
    Ending {
        verb: &["allowed"],
        examples: &[
            (
                "ctrc allowed -l policy.ctr session.jsonl",
                "which tools could be called next",
            ),
            (
                "ctrc allowed -l policy.ctr --tool refund session.jsonl",
                "with the narrowed schema of one tool",
            ),
        ],
        clean: "told, whatever is allowed",
        findings: None,
        undecided: None,
    },
    Ending {
        verb: &["test"],
        examples: &[
            (
                "ctrc test",
                "the tests of every policy of this folder and those below",
            ),
            (
                "ctrc test --only refund policy.ctr",
                "tests whose name contains `refund`",
            ),
            ("ctrc test --format junit > tests.xml", "for a build server"),
        ],
        clean: "every test passed",
        findings: Some("a test failed"),
        undecided: None,
    },
    Ending {
        verb: &["fmt"],
        examples: &[
            (
                "ctrc fmt",
                "formats every policy of this folder and those below",
            ),
            ("ctrc fmt --check", "tells which are not formatted"),
            ("ctrc fmt --diff policy.ctr", "shows what would change"),
            (
                "ctrc fmt - < policy.ctr",
                "standard input to standard output",
            ),
        ],
        clean: "formatted",
        findings: Some("a file is not formatted (--check, --diff)"),
        undecided: None,
    },
    Ending {
        verb: &["explain"],
        examples: &[
            (
                "ctrc explain E0401",
                "what a diagnostic means and how to mend it",
            ),
            ("ctrc explain -l policy.ctr limit", "a contract in words"),
            (
                "ctrc explain -l policy.ctr --format markdown > review.md",
                "a document for those who review the policy",
            ),
        ],
        clean: "explained",
        findings: None,
        undecided: None,
    },
    Ending {
        verb: &["graph"],
        examples: &[
            (
                "ctrc graph -l policy.ctr limit -o limit.svg",
                "a contract's automaton as a picture",
            ),
            (
                "ctrc graph -l policy.ctr --format dot limit | dot -Tpdf > limit.pdf",
                "the same through Graphviz",
            ),
        ],
        clean: "drawn",
        findings: None,
        undecided: None,
    },
    Ending {
        verb: &["inspect"],
        examples: &[("ctrc inspect policy.ctrb", "what an artifact holds")],
        clean: "shown",
        findings: None,
        undecided: None,
    },
    Ending {
        verb: &["ltlf"],
        examples: &[
            ("ctrc ltlf sat rules.conj", "whether formulas go together"),
            (
                "ctrc ltlf dfa formula.ltlf",
                "the minimal automaton of a formula",
            ),
        ],
        clean: "answered; satisfiable",
        findings: Some("unsatisfiable (sat, cores)"),
        undecided: LIMIT,
    },
    Ending {
        verb: &["ltlf", "dfa"],
        examples: &[
            (
                "ctrc ltlf dfa formula.ltlf",
                "its states, and a shortest accepted trace",
            ),
            (
                "ctrc ltlf dfa --format dot formula.ltlf | dot -Tsvg > formula.svg",
                "as a picture",
            ),
        ],
        clean: "translated",
        findings: None,
        undecided: LIMIT,
    },
    Ending {
        verb: &["ltlf", "sat"],
        examples: &[(
            "ctrc ltlf sat --timeout 60 rules.conj",
            "an answer within a minute, or none",
        )],
        clean: "satisfiable",
        findings: Some("unsatisfiable"),
        undecided: LIMIT,
    },
    Ending {
        verb: &["ltlf", "cores"],
        examples: &[(
            "ctrc ltlf cores --all rules.conj",
            "every minimal set of rules that exclude each other",
        )],
        clean: "satisfiable: there is no core",
        findings: Some("unsatisfiable: cores, as far as they were found"),
        undecided: LIMIT,
    },
    Ending {
        verb: &["ltlf", "mona"],
        examples: &[(
            "ctrc ltlf mona formula.ltlf > formula.mona",
            "a program for MONA",
        )],
        clean: "translated",
        findings: None,
        undecided: None,
    },
    Ending {
        verb: &["lsp"],
        examples: &[
            ("ctrc lsp", "what an editor runs, with no arguments"),
            ("ctrc lsp --stdio", "the same, for editors that say so"),
        ],
        clean: "the editor ended it",
        findings: Some("the editor is gone and did not end it"),
        undecided: None,
    },
    Ending {
        verb: &["init"],
        examples: &[(
            "ctrc init desk",
            "a policy, its tools and a session in `desk`",
        )],
        clean: "written",
        findings: None,
        undecided: None,
    },
    Ending {
        verb: &["completions"],
        examples: &[
            (
                "ctrc completions bash > ~/.local/share/bash-completion/completions/ctrc",
                "for Bash",
            ),
            (
                "ctrc completions zsh > ~/.zfunc/_ctrc",
                "for Zsh, with ~/.zfunc in fpath",
            ),
            (
                "ctrc completions fish > ~/.config/fish/completions/ctrc.fish",
                "for fish",
            ),
        ],
        clean: "printed",
        findings: None,
        undecided: None,
    },
    Ending {
        verb: &["man"],
        examples: &[
            ("ctrc man check | man -l -", "the page of a verb"),
            (
                "ctrc man -o ~/.local/share/man/man1",
                "every page, where man finds it",
            ),
        ],
        clean: "printed or written",
        findings: None,
        undecided: None,
    },
];

impl Ending {
    fn text(&self) -> String {
        let mut out = String::from("Examples:");
        for (command, does) in self.examples {
            out.push_str(&format!("\n  {command}\n      {does}"));
        }
        out.push_str("\n\nExit codes:");
        let codes = [
            (0, Some(self.clean)),
            (1, self.findings),
            (2, Some("wrong usage, or input that cannot be read")),
            (3, Some("an internal error")),
            (4, self.undecided),
        ];
        for (code, meaning) in codes {
            if let Some(meaning) = meaning {
                out.push_str(&format!("\n  {code}  {meaning}"));
            }
        }
        if self.verb.is_empty() {
            out.push_str(
                "\n\nEvery flag is a variable of the environment too: --solver-timeout is \
                 CTRC_SOLVER_TIMEOUT, and for one verb alone CTRC_CHECK_SOLVER_TIMEOUT.",
            );
        }
        out
    }
}

/// Puts examples and exit codes below the help of every verb.
#[must_use]
pub fn attach(command: Command) -> Command {
    ENDINGS.iter().fold(command, |command, ending| {
        place(command, ending.verb, ending)
    })
}

fn place(command: Command, path: &[&'static str], ending: &Ending) -> Command {
    match path.split_first() {
        None => command.after_help(ending.text()),
        Some((verb, rest)) => command.mut_subcommand(verb, |sub| place(sub, rest, ending)),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    fn walk(command: &Command, path: &str, act: &mut dyn FnMut(&Command, &str)) {
        act(command, path);
        for sub in command.get_subcommands() {
            walk(sub, &format!("{path} {}", sub.get_name()), act);
        }
    }

    #[test]
    fn every_verb_has_examples_and_codes() {
        let mut seen = 0;
        walk(&attach(Cli::command()), "ctrc", &mut |command, path| {
            let text = command.get_after_help().map(ToString::to_string);
            let text = text.unwrap_or_default();
            assert!(
                text.contains("Examples:") && text.contains("Exit codes:"),
                "{path} has no examples"
            );
            seen += 1;
        });
        assert_eq!(seen, ENDINGS.len(), "an ending for a verb that is gone");
    }

    #[test]
    fn examples_are_understood() {
        for ending in ENDINGS {
            for (example, _) in ending.examples {
                let words: Vec<&str> = example
                    .split_whitespace()
                    .take_while(|word| !["|", ">", "<"].contains(word))
                    .collect();
                let verb: Vec<&str> = words.iter().skip(1).copied().collect();
                assert!(
                    ending.verb.is_empty() || verb.starts_with(ending.verb),
                    "{example}"
                );
                let parsed = Cli::command().try_get_matches_from(&words);
                let help = verb.first() == Some(&"help");
                assert!(parsed.is_ok() || help, "{example}: {:?}", parsed.err());
            }
        }
    }

    /// One style: a sentence begins with a capital letter and has no full stop at its end.
    #[test]
    fn help_is_of_one_style() {
        walk(&Cli::command(), "ctrc", &mut |command, path| {
            let mut texts: Vec<(String, String)> = command
                .get_arguments()
                .map(|arg| {
                    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
                    (arg.get_id().to_string(), help)
                })
                .filter(|(id, _)| id != "help" && id != "version")
                .collect();
            let about = command.get_about().map(ToString::to_string);
            texts.push(("about".to_owned(), about.unwrap_or_default()));
            for arg in command.get_arguments() {
                for value in arg.get_possible_values() {
                    let help = value.get_help().map(ToString::to_string);
                    let switch = !arg.get_action().takes_values();
                    if !switch {
                        let id = format!("{}={}", arg.get_id(), value.get_name());
                        texts.push((id, help.unwrap_or_default()));
                    }
                }
            }
            for (what, text) in texts {
                let first = text.chars().next();
                assert!(
                    first.is_some_and(|c| c.is_uppercase() || c == '`'),
                    "{path}: {what}: {text:?} begins small or is missing"
                );
                assert!(!text.ends_with('.'), "{path}: {what}: {text:?}");
            }
        });
    }
}
