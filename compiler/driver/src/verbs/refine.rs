//! `ctrc refine`: whether a policy can stand in for another.

use std::fmt::Write as _;

use ctr_check::Options;
use ctr_check::compare::{self, Case, Half, Obligation, Refinement};
use ctr_runtime::decision::Value3;
use serde_json::json;

use crate::cli::{Format, Refine};
use crate::exit::{Exit, Stop, data};
use crate::shown::{self, events, listed};
use crate::verbs::diff::{Both, array, case_object, lines, notes, notes_array, open};

/// Runs the verb.
///
/// # Errors
///
/// Where a policy cannot be read or has errors, a session is not what it was made for, or standard output cannot be written.
pub fn run(args: &Refine) -> Result<Exit, Stop> {
    let both = open(&args.old, &args.new)?;
    let options = Options {
        timeout: args.solver_timeout,
        ..Options::default()
    };
    let found = compare::refine(
        &both.merged,
        &both.artifact.model,
        &both.artifact.bytes,
        &options,
        args.whole,
    )
    .map_err(Stop::Internal)?;
    let halves = || {
        let of = |obligation: &'_ Obligation| {
            [obligation.assumption.clone(), obligation.guarantee.clone()]
        };
        found.obligations.iter().flat_map(of)
    };
    for obligation in &found.obligations {
        replayed(&both, obligation)?;
    }
    let (exit, result) = if halves().any(|half| matches!(half, Half::Fails(_))) {
        (Exit::Findings, "not_refined")
    } else if halves().any(|half| matches!(half, Half::Open(_))) {
        (Exit::Undecided, "undecided")
    } else {
        (Exit::Clean, "refined")
    };
    data(&match args.format {
        Format::Human => human(&found, result),
        Format::Json => programs(&found, result),
    })?;
    Ok(exit)
}

/// That the sessions show what they are to show.
fn replayed(both: &Both, obligation: &Obligation) -> Result<(), Stop> {
    for (half, library, value) in [
        (&obligation.assumption, &both.new, Value3::Idle),
        (&obligation.guarantee, &both.old, Value3::Fail),
    ] {
        let Half::Fails(case) = half else { continue };
        let what = listed(&case.contracts);
        let report = shown::replay(library, &what, &case.lines)?;
        for (id, contract) in (0..).zip(&report.outcome.contracts) {
            let name = library.contract(id).name();
            // Of several keys one can be idle while another fails.
            let broken = value == Value3::Idle && contract.assumption.is_some();
            if case.contracts.iter().any(|c| c == name) && contract.value != value && !broken {
                return Err(Stop::Internal(format!(
                    "in the session for {what}, `{name}` is not {}",
                    value.name()
                )));
            }
        }
    }
    Ok(())
}

fn human(found: &Refinement, result: &str) -> String {
    let mut out = String::new();
    for obligation in &found.obligations {
        let name = obligation
            .contract
            .as_ref()
            .map_or("the whole".to_owned(), |name| format!("`{name}`"));
        let before = out.len();
        let mut tell = |half: &Half, fails: &dyn Fn(&Case) -> String, asks: &str| match half {
            Half::Holds => {}
            Half::Fails(case) => {
                let how = if case.shortest {
                    ""
                } else {
                    " (there may be shorter sessions)"
                };
                let _ = writeln!(out, "{name}: {}: {}{how}", fails(case), events(case.events));
                lines(&mut out, &case.lines);
            }
            Half::Open(reason) => {
                let _ = writeln!(out, "{name}: undecided whether new {asks}: {reason}");
            }
        };
        tell(
            &obligation.assumption,
            &|case| {
                format!(
                    "new assumes more: old's assumption holds, that of {} in new does not",
                    listed(&case.contracts)
                )
            },
            "assumes no more",
        );
        tell(
            &obligation.guarantee,
            &|case| {
                format!(
                    "new guarantees less: it allows what {} of old does not",
                    listed(&case.contracts)
                )
            },
            "guarantees no less",
        );
        if out.len() == before {
            let _ = writeln!(out, "{name}: refined");
        }
    }
    notes(&mut out, &found.notes);
    let _ = writeln!(out, "{}", result.replace('_', " "));
    out
}

fn programs(found: &Refinement, result: &str) -> String {
    let obligations = array(found.obligations.iter().map(|obligation| {
        format!(
            "{{\"contract\":{},\"assumption\":{},\"guarantee\":{}}}",
            json!(obligation.contract),
            half(&obligation.assumption),
            half(&obligation.guarantee)
        )
    }));
    format!(
        "{{\"result\":{},\n\"obligations\":{obligations},\n\"notes\":{}}}\n",
        json!(result),
        notes_array(&found.notes)
    )
}

fn half(half: &Half) -> String {
    let (holds, reason, case) = match half {
        Half::Holds => (json!(true), json!(null), None),
        Half::Fails(case) => (json!(false), json!(null), Some(case)),
        Half::Open(reason) => (json!(null), json!(reason), None),
    };
    let case = case.map_or("null".to_owned(), case_object);
    format!("{{\"holds\":{holds},\"reason\":{reason},\"session\":{case}}}")
}
