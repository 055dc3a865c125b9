//! `ctrc diff`: which sessions one policy allows and another does not.

use std::fmt::Write as _;

use ctr_check::Options;
use ctr_check::compare::{self, Case, Difference, Merged, Note, Open};
use ctr_emit::Artifact;
use ctr_front::ir;
use ctr_project::compiled;
use ctr_runtime::decision::Value3;
use ctr_runtime::format::Library;
use ctr_trace::judge::Report;
use serde_json::json;

use crate::cli::{Diff, Format};
use crate::exit::{Exit, Stop, data};
use crate::library;
use crate::shown::{self, events, listed};

/// Two policies, each by itself and both together.
pub(crate) struct Both {
    pub(crate) old: Library<'static>,
    pub(crate) new: Library<'static>,
    pub(crate) merged: Merged,
    pub(crate) artifact: Artifact,
}

/// Opens two policies.
///
/// # Errors
///
/// Where one cannot be read or has errors, or they do not go together.
pub(crate) fn open(old: &str, new: &str) -> Result<Both, Stop> {
    let one = |path: &str| -> Result<(ir::Library, Library<'static>), Stop> {
        if library::is_artifact(path) {
            return Err(Stop::Usage(format!(
                "{path}: this compares policies; an artifact does not hold what is needed"
            )));
        }
        let (policy, artifact) = library::open_policies(&[path.to_owned()])?;
        Ok((policy, library::load(path, artifact.bytes)?))
    };
    let (old_policy, old) = one(old)?;
    let (new_policy, new) = one(new)?;
    let merged = compare::merge(&old_policy, &new_policy).map_err(Stop::Usage)?;
    let limits = compiled::limits(compiled::default_max_states());
    let artifact =
        ctr_emit::build(&merged.library, ctr_project::COMPILER, &limits).map_err(|found| {
            let what = found.first().map_or("", |found| found.message.as_str());
            Stop::Undecided(format!("the policies are too large to be compared: {what}"))
        })?;
    Ok(Both {
        old,
        new,
        merged,
        artifact,
    })
}

/// Runs the verb.
///
/// # Errors
///
/// Where a policy cannot be read or has errors, a session is not what it was made for, or standard output cannot be written.
pub fn run(args: &Diff) -> Result<Exit, Stop> {
    let both = open(&args.old, &args.new)?;
    let options = Options {
        timeout: args.solver_timeout,
        ..Options::default()
    };
    let found = compare::diff(
        &both.merged,
        &both.artifact.model,
        &both.artifact.bytes,
        &options,
    )
    .map_err(Stop::Internal)?;
    for case in &found.new_allows {
        allows(&both.new, &both.old, case)?;
    }
    for case in &found.old_allows {
        allows(&both.old, &both.new, case)?;
    }
    let different = !found.new_allows.is_empty() || !found.old_allows.is_empty();
    let open = !found.new_open.is_empty() || !found.old_open.is_empty();
    let (exit, result) = match (different, open) {
        (true, _) => (Exit::Findings, "different"),
        (false, true) => (Exit::Undecided, "undecided"),
        (false, false) => (Exit::Clean, "equivalent"),
    };
    data(&match args.format {
        Format::Human => human(&found, result),
        Format::Json => programs(&found, result),
    })?;
    Ok(exit)
}

/// That one policy allows a session and these contracts of the other do not.
fn allows(this: &Library<'_>, other: &Library<'_>, case: &Case) -> Result<(), Stop> {
    let what = format!("`{}`", case.contracts.join("`, `"));
    let here = shown::replay(this, &what, &case.lines)?;
    if let Some(name) = with_value(this, &here, Value3::Fail).first() {
        return Err(Stop::Internal(format!(
            "the session for {what} is not allowed: it fails `{name}`"
        )));
    }
    let there = with_value(
        other,
        &shown::replay(other, &what, &case.lines)?,
        Value3::Fail,
    );
    match case.contracts.iter().find(|name| !there.contains(name)) {
        Some(name) => Err(Stop::Internal(format!(
            "the session for {what} does not fail `{name}`"
        ))),
        None => Ok(()),
    }
}

/// The contracts of this value.
fn with_value(library: &Library<'_>, report: &Report, value: Value3) -> Vec<String> {
    (0..)
        .zip(&report.outcome.contracts)
        .filter(|(_, contract)| contract.value == value)
        .map(|(id, _)| library.contract(id).name().to_owned())
        .collect()
}

fn human(found: &Difference, result: &str) -> String {
    let mut out = String::new();
    for (cases, open, this, other) in [
        (&found.new_allows, &found.new_open, "new", "old"),
        (&found.old_allows, &found.old_open, "old", "new"),
    ] {
        for case in cases {
            let _ = writeln!(
                out,
                "{this} allows what {} of {other} {}: {}{}",
                listed(&case.contracts),
                if case.contracts.len() == 1 {
                    "forbids"
                } else {
                    "forbid"
                },
                events(case.events),
                if case.shortest {
                    ""
                } else {
                    " (there may be shorter sessions)"
                },
            );
            lines(&mut out, &case.lines);
            out.push('\n');
        }
        for Open { contract, reason } in open {
            let _ = writeln!(
                out,
                "undecided: whether {this} allows what `{contract}` of {other} forbids: {reason}"
            );
        }
    }
    notes(&mut out, &found.notes);
    let _ = writeln!(out, "{result}");
    out
}

pub(crate) fn lines(out: &mut String, lines: &[String]) {
    for line in lines {
        let _ = writeln!(out, "  {line}");
    }
}

pub(crate) fn notes(out: &mut String, notes: &[Note]) {
    for note in notes {
        let _ = writeln!(out, "note: {}", note.message);
        lines(out, &note.lines);
    }
}

fn programs(found: &Difference, result: &str) -> String {
    let cases = |cases: &[Case]| -> String { array(cases.iter().map(case_object)) };
    let open: Vec<_> = [("new_allows", &found.new_open), ("old_allows", &found.old_open)]
        .iter()
        .flat_map(|(question, open)| open.iter().map(move |open| (*question, open)))
        .map(|(question, open)| {
            json!({"question": question, "contract": open.contract, "reason": open.reason})
        })
        .collect();
    format!(
        "{{\"result\":{},\n\"new_allows\":{},\n\"old_allows\":{},\n\"undecided\":{},\n\"notes\":{}}}\n",
        json!(result),
        cases(&found.new_allows),
        cases(&found.old_allows),
        json!(open),
        notes_array(&found.notes)
    )
}

/// A JSON array of texts that are JSON.
pub(crate) fn array(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(",\n"))
}

pub(crate) fn case_object(case: &Case) -> String {
    let fields = [
        ("contracts", json!(case.contracts)),
        ("shortest", json!(case.shortest)),
    ];
    shown::object(&fields, &case.lines)
}

pub(crate) fn notes_array(notes: &[Note]) -> String {
    array(notes.iter().map(|note| {
        let fields = [
            ("kind", json!(note.kind.name())),
            ("about", json!(note.about)),
            ("message", json!(note.message)),
        ];
        shown::object(&fields, &note.lines)
    }))
}
