//! `conflict`: contracts that exclude each other.

use ctr_front::diagnostic::Diagnostic;

use super::undecided::Open;
use super::{Subject, listed, proof, with_places};
use crate::Options;
use crate::engine::{Answer, Expected};

/// Every minimal set of contracts that no session keeps together, smallest first. The contracts that are part of
/// one are added to `broken`.
pub(crate) fn findings(
    subject: &mut Subject<'_>,
    contracts: &[usize],
    options: &Options,
    all: &Answer,
    broken: &mut Vec<usize>,
) -> Vec<Diagnostic> {
    let members = subject.of_all(contracts);
    let answer = if contracts.len() == subject.contracts.len() {
        all.clone()
    } else {
        let expected = Expected {
            kept: contracts.to_vec(),
            any: true,
            ..Expected::default()
        };
        let mut all = members.clone();
        all.extend(subject.keys.clone());
        subject.ask(&all, &expected)
    };
    match answer {
        Answer::Session(_) => return Vec::new(),
        Answer::Open(reason) => {
            let names = subject.names(contracts);
            // Of one contract the question has been asked already.
            if contracts.len() > 1 {
                subject.open.push(
                    Open::new("conflict", "all contracts can be kept together", reason).all(names),
                );
            }
            return Vec::new();
        }
        Answer::Never => {}
    }
    let mut out = Vec::new();
    let keys = subject.keys.clone();
    for core in subject.cores(&members, &keys, options.cores) {
        let core: Vec<usize> = core
            .iter()
            .filter_map(|at| contracts.get(*at).copied())
            .collect();
        let Some(first) = core.first().and_then(|c| subject.contract(*c)) else {
            continue;
        };
        broken.extend(&core);
        let names = subject.names(&core);
        let places = subject.clauses(&core, &keys);
        let finding = Diagnostic::error(
            "E0703",
            format!("no session keeps {} together", listed(&names)),
            first.name_place,
            "this contract and the others",
        )
        .with_help("without any one of them the others can be kept: mend or remove one")
        .with_proof(proof("conflict", names));
        out.push(with_places(finding, places));
    }
    out
}
