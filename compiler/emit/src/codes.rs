//! The back end's diagnostics.

use ctr_front::diagnostic::{CodeDoc, Diagnostic, Exempt};
use ctr_front::ir::{Contract, Library, Place, Side, SourceId};
use ctr_grammar::Span;

/// The documentation of the codes E0600 to E0699 and W0600 to W0699.
pub const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "E0601",
        title: "an automaton grows too large",
        meaning: "The formula of this clause, or all clauses of this side of the contract together, need more states or decision nodes than the limit allows.",
        why: r"Large numbers in `at most` and `within N steps`, chains of `next`, and conjunctions of many independent `eventually` can double the number of states
with each; a guard of that size would neither be built nor loaded.",
        fix: "Say with an aggregate what only has to be counted, or split independent duties into contracts of their own.",
        wrong: &[(
            "policy.ctr",
            r"contract c {
  guarantee eventually (call a and next next next next next next next next next
    next next next next next next next next next next call b)
}
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call a leads to call b within 5min }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0602",
        title: "a number does not fit",
        meaning: "Numbers are exact decimals with up to 38 digits.",
        why: "A longer constant could only be compared wrongly.",
        fix: "Write a number that fits.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call a only if amount < 1000000000000000000000000000000000000000001 }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call a only if amount < 1000000 }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0603",
        title: "the library does not fit the artifact's format",
        meaning: "A table of the library is larger than the artifact's format, or what a runtime loads from it, can hold (2^32 - 1 bytes or entries).",
        why: "What is left out of an artifact is not judged.",
        fix: "Split the library into several artifacts.",
        wrong: &[],
        right: &[],
        exempt: Some(Exempt {
            reason: "A library of that size takes gigabytes.",
            test: "compiler/emit/src/codes.rs::a_library_that_does_not_fit",
        }),
    },
    CodeDoc {
        code: "E0604",
        title: "a regular expression is too large",
        meaning: "Counted repetitions multiply: `a{1000}{1000}` is a million letters. An expression is compiled to an automaton of limited size.",
        why: "A search takes time in proportion to the text, and an artifact loads at once.",
        fix: "Repeat less, and say the length apart: `len(name) <= 1600`.",
        wrong: &[(
            "policy.ctr",
            r#"contract c { guarantee never call a(name matches /(\w{1,40}){40}/) }
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c { guarantee never call a(name matches /\w{1,40}/ and len(name) <= 1600) }
"#,
        )],
        exempt: None,
    },
    CodeDoc {
        code: "W0600",
        title: "no session can keep this",
        meaning: r"The clauses of this side of the contract contradict each other, or themselves: no session satisfies them, not even one in which nothing happens.
`ctrc check` proves the same of values as well and then tells E0701 or E0702; `ctrc build` tells this.",
        why: "A guarantee like this fails every session; an assumption like this makes the contract idle in every session.",
        fix: "Remove or weaken one of the clauses that are shown.",
        wrong: &[(
            "policy.ctr",
            r"contract c {
  guarantee eventually call report
  guarantee never call report
}
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee eventually call report }
",
        )],
        exempt: Some(Exempt {
            reason: "`ctrc check` tells E0701 in its place. `ctrc build` of the first example finds it.",
            test: "tests/tests/codes.rs::what_only_a_build_tells",
        }),
    },
];

/// A place to point at where nothing better is known.
fn first_contract(library: &Library) -> Place {
    library.contracts.first().map_or(
        Place {
            source: SourceId(0),
            span: Span::new(0, 0),
        },
        |contract| contract.name_place,
    )
}

/// Where a text stands first in the sources: entries of shared tables have no place of their own.
fn first_occurrence(library: &Library, text: &str) -> Place {
    let found = library
        .sources
        .iter()
        .enumerate()
        .find_map(|(index, source)| {
            let at = source.text.find(text)?;
            Some(Place {
                source: SourceId(u32::try_from(index).ok()?),
                span: Span::new(
                    u32::try_from(at).ok()?,
                    u32::try_from(at + text.len()).ok()?,
                ),
            })
        });
    found.unwrap_or_else(|| first_contract(library))
}

/// The library is too large for the format.
pub(crate) fn does_not_fit(library: &Library, what: &str) -> Diagnostic {
    Diagnostic::error(
        "E0603",
        format!("the library does not fit the artifact's format: {what}"),
        first_contract(library),
        "",
    )
}

/// A constant that is no exact decimal of the runtime's.
pub(crate) fn number_does_not_fit(library: &Library, text: &str) -> Diagnostic {
    Diagnostic::error(
        "E0602",
        "the number has more than 38 digits, or too large an exponent",
        first_occurrence(library, text),
        "does not fit",
    )
}

/// A regular expression that neither the compiler nor the runtime can compile.
pub(crate) fn regex_too_large(library: &Library, pattern: &str, why: &str) -> Diagnostic {
    // The front end puts the flags before the pattern as `(?i)`.
    let written = match pattern
        .strip_prefix("(?")
        .and_then(|rest| rest.split_once(')'))
    {
        Some((flags, rest)) if flags.chars().all(|flag| flag.is_ascii_alphabetic()) => rest,
        _ => pattern,
    };
    Diagnostic::error(
        "E0604",
        format!("the regular expression is too large: {why}"),
        first_occurrence(library, written),
        "too large",
    )
    .with_help("repeat less: counted repetitions inside each other multiply")
}

/// A side that no session satisfies.
pub(crate) fn unsatisfiable(contract: &Contract, side: Side) -> Diagnostic {
    let (word, follows) = match side {
        Side::Guarantee => ("guarantee", "every session fails it"),
        Side::Assume => ("assumption", "the contract is idle in every session"),
    };
    let mut clauses = contract.clauses.iter().filter(|clause| clause.side == side);
    let place = clauses
        .next()
        .map_or(contract.name_place, |clause| clause.place);
    let mut diagnostic = Diagnostic::warning(
        "W0600",
        format!(
            "no session can keep the {word} of `{}`: {follows}",
            contract.name
        ),
        place,
        "cannot hold",
    );
    for clause in clauses {
        diagnostic = diagnostic.with_label(clause.place, "together with this");
    }
    diagnostic
}

#[cfg(test)]
mod tests {
    use ctr_front::ir::Library;

    use super::does_not_fit;

    /// The format's own tests show where it refuses; here, that a refusal becomes a finding.
    #[test]
    fn a_library_that_does_not_fit() {
        let found = does_not_fit(&Library::default(), "its strings have 4294967296 bytes");
        assert_eq!(found.code, "E0603");
        assert!(found.message.ends_with("its strings have 4294967296 bytes"));
    }
}
