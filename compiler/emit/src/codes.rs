//! The back end's diagnostics.

use ctr_front::diagnostic::{CodeDoc, Diagnostic};
use ctr_front::ir::{Contract, Library, Place, Side, SourceId};
use ctr_grammar::Span;

/// The documentation of the codes E0600 to E0699 and W0600 to W0699.
pub const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "E0601",
        title: "an automaton grows too large",
        meaning: "The formula of this clause, or all clauses of this side of the contract together, need more states or decision nodes than the limit allows. Large numbers in `at most`, `within N steps` or chains of `next`, and conjunctions of many independent `eventually`, are the usual causes: the number of states can double with each.",
        why: "",
        fix: "",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee eventually (call a and next next next next next next next next next next next next next next next next call b) }
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
        meaning: "Numbers are exact decimals with up to 38 digits. A longer constant could only be compared wrongly, so it is refused.",
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "E0603",
        title: "the library does not fit the artifact's format",
        meaning: "A table of the library is larger than the artifact's format can hold (2^32 - 1 bytes or entries). Split the library into several artifacts.",
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "E0604",
        title: "a regular expression is too large",
        meaning: "Counted repetitions multiply: `a{1000}{1000}` is a million letters. An expression is compiled to an automaton of limited size, so that a search takes time in proportion to the text and an artifact loads at once.",
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "W0600",
        title: "no session can keep this",
        meaning: "The clauses of this side of the contract contradict each other, or themselves: no session satisfies them, not even one in which nothing happens. A guarantee like this fails every session; an assumption like this makes the contract idle in every session.",
        why: "",
        fix: "",
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
        exempt: None,
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
