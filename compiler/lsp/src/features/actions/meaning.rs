//! Whether a change leaves what a policy means as it is.
//!
//! `let`s, templates and brackets are gone from what the compiler makes of a policy, so that two texts which differ in
//! those alone are compiled to the same library, apart from places and from the words that readers are shown.

use ctr_front::ir::{Contract, Library, Place, SourceId};
use ctr_grammar::Span;

/// Whether two libraries are the same but for how they are written.
pub(super) fn is_same(before: &Library, after: &Library) -> bool {
    bare(before) == bare(after)
}

const NOWHERE: Place = Place {
    source: SourceId(0),
    span: Span { start: 0, end: 0 },
};

/// A library without places, without what is only shown, and without tests, which nothing here changes.
fn bare(library: &Library) -> Library {
    let mut out = Library {
        sources: Vec::new(),
        tests: Vec::new(),
        ..library.clone()
    };
    for pattern in &mut out.patterns {
        pattern.text.clear();
    }
    for atom in &mut out.atoms {
        atom.text.clear();
        atom.remedy = None;
    }
    for contract in &mut out.contracts {
        let Contract {
            place,
            name_place,
            clauses,
            ..
        } = contract;
        (*place, *name_place) = (NOWHERE, NOWHERE);
        for clause in clauses {
            clause.place = NOWHERE;
            clause.text.clear();
            for deadline in &mut clause.deadlines {
                deadline.text.clear();
            }
        }
    }
    out
}
