//! The back end's diagnostics.

use ctr_front::diagnostic::{CodeDoc, Diagnostic};
use ctr_front::ir::{Library, Place, SourceId};
use ctr_grammar::Span;

/// The documentation of the codes E0600 to E0699.
pub const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "E0601",
        title: "an automaton grows too large",
        text: "\
The formula of this clause, or all clauses of this side of the contract together, need more states \
or decision nodes than the limit allows. Large numbers in `at most`, `within N steps` or chains of \
`next`, and conjunctions of many independent `eventually`, are the usual causes: the number of states can double \
with each.

Wrong:

```ctr
contract c { guarantee eventually (call a and next next next next next next next next next next \
next next next next next next call b) }
```

Right: say with an aggregate what only has to be counted, or split independent duties into contracts of their own:

```ctr
contract c { guarantee call a leads to call b within 5min }
```
",
    },
    CodeDoc {
        code: "E0602",
        title: "a number does not fit",
        text: "\
Numbers are exact decimals with up to 38 digits. A longer constant could only be compared wrongly, so it is refused.

Wrong: `{count(call a) < 1000000000000000000000000000000000000000000}`

Right: `{count(call a) < 1000000}`
",
    },
    CodeDoc {
        code: "E0603",
        title: "the library does not fit the artifact's format",
        text: "\
A table of the library is larger than the artifact's format can hold (2^32 - 1 bytes or entries). Split the library into \
several artifacts.
",
    },
];

/// The library is too large for the format.
pub(crate) fn does_not_fit(library: &Library, what: &str) -> Diagnostic {
    let place = library.contracts.first().map_or(
        Place {
            source: SourceId(0),
            span: Span::new(0, 0),
        },
        |contract| contract.name_place,
    );
    Diagnostic::error(
        "E0603",
        format!("the library does not fit the artifact's format: {what}"),
        place,
        "",
    )
}
