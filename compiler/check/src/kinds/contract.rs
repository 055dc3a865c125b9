//! `inconsistent` and `incompatible`: a contract that no session keeps.

use ctr_front::diagnostic::Diagnostic;
use ctr_front::ir::Side;

use super::undecided::Open;
use super::{Subject, proof, with_places};
use crate::engine::{Answer, Expected};

/// The contracts that no session keeps, and what to say of them.
pub(crate) fn findings(subject: &mut Subject<'_>) -> (Vec<usize>, Vec<Diagnostic>) {
    let mut broken = Vec::new();
    let mut out = Vec::new();
    for index in subject.contracts.clone() {
        let Some(contract) = subject.contract(index) else {
            continue;
        };
        let whole = subject.of(index, None);
        let expected = Expected {
            kept: vec![index],
            any: true,
            ..Expected::default()
        };
        let name = &contract.name;
        let keys = subject.keys.clone();
        let with_keys = |f| {
            std::iter::once(f)
                .chain(keys.iter().copied())
                .collect::<Vec<_>>()
        };
        match subject.ask(&with_keys(whole), &expected) {
            Answer::Session(_) => continue,
            Answer::Open(reason) => {
                subject.open.push(
                    Open::new("inconsistent", "a contract can be kept", reason).about(name.clone()),
                );
                continue;
            }
            Answer::Never => {}
        }
        broken.push(index);
        let assume = subject.of(index, Some(Side::Assume));
        let incompatible = matches!(
            subject.ask(
                &with_keys(assume),
                &Expected {
                    any: true,
                    ..Expected::default()
                }
            ),
            Answer::Never
        );
        let places = if incompatible {
            let of_assume: Vec<_> = subject
                .parts
                .iter()
                .filter(|p| p.contract == index && p.side == Side::Assume)
                .cloned()
                .collect();
            let members: Vec<_> = of_assume.iter().map(|part| part.formula).collect();
            let core = subject.cores(&members, &keys, 1).into_iter().next();
            of_assume
                .iter()
                .enumerate()
                .filter(|(at, _)| core.as_ref().is_none_or(|core| core.contains(at)))
                .filter_map(|(_, part)| {
                    Some((
                        contract.clauses.get(part.clause)?.place,
                        "this clause".to_owned(),
                    ))
                })
                .collect()
        } else {
            subject
                .clauses(&[index], &keys)
                .into_iter()
                .map(|(place, _)| (place, "this clause".to_owned()))
                .collect()
        };
        let (code, kind, message, help) = if incompatible {
            (
                "E0702",
                "incompatible",
                format!("no session satisfies the assumption of `{name}`"),
                "the contract is idle in every session and promises nothing: mend or remove these clauses",
            )
        } else {
            (
                "E0701",
                "inconsistent",
                format!("no session keeps `{name}`"),
                "these clauses exclude each other, or what events can be: mend or remove one of them",
            )
        };
        let finding = Diagnostic::error(code, message, contract.name_place, "this contract")
            .with_help(help)
            .with_proof(proof(kind, vec![name.clone()]));
        out.push(with_places(finding, places));
    }
    (broken, out)
}
