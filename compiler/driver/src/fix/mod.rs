//! `ctrc check --fix`: makes the changes that findings offer.

pub mod diff;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ctr_front::fix::{Change, Changed, Ended, Judged, Outcome};
use ctr_front::world::World;
use ctr_trace::files::describe;

use crate::atomic;
use crate::exit::{Stop, data, message};
use crate::world::Disk;

/// What to do with the changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Also those that may change what the policy means.
    pub unsafe_too: bool,
    /// Show them and write nothing.
    pub diff: bool,
}

/// Makes the changes in the policies at these paths, and writes them or shows them. First what is found
/// without proofs is mended, then the rest: proofs take time.
///
/// # Errors
///
/// Those of `judge` (which is told whether to prove), and where a file cannot be written.
pub fn run(
    paths: &[String],
    options: Options,
    judge: &dyn Fn(&dyn World, bool) -> Result<Judged, Stop>,
) -> Result<Outcome, Stop> {
    let editable: BTreeSet<String> = paths.iter().map(|path| Disk.canonical(path)).collect();
    let fix = |start: BTreeMap<String, Changed>, prove: bool| {
        ctr_front::fix::fix(&Disk, start, &editable, options.unsafe_too, &mut |world| {
            judge(world, prove)
        })
    };
    let quick = fix(BTreeMap::new(), false)?;
    let mut outcome = fix(quick.files, true)?;
    outcome.made.splice(0..0, quick.made);
    outcome.refused.extend(quick.refused);
    outcome.refused.sort();
    outcome.refused.dedup();
    if quick.ended != Ended::Done {
        outcome.ended = quick.ended;
    }
    outcome.files.retain(|_, file| file.old != file.new);
    if options.diff {
        let mut all = String::new();
        for file in outcome.files.values() {
            all.push_str(&diff::unified(&file.path, &file.old, &file.new));
        }
        data(&all)?;
    } else {
        for (file, changed) in &outcome.files {
            write(file, changed)?;
        }
    }
    tell(&outcome, options);
    Ok(outcome)
}

/// Writes a file, unless it is no longer what was read.
fn write(file: &str, changed: &Changed) -> Result<(), Stop> {
    atomic::replace(
        Path::new(file),
        changed.old.as_bytes(),
        changed.new.as_bytes(),
    )
    .map_err(|error| {
        Stop::Usage(format!(
            "{}: not changed: {}",
            changed.path,
            describe(&error)
        ))
    })
}

/// Says what was changed and what was not.
fn tell(outcome: &Outcome, options: Options) {
    let line = |change: &Change| format!("{}: {} [{}]", change.path, change.title, change.code);
    let (done, verb) = if options.diff {
        ("would fix", "would be made")
    } else {
        ("fixed", "made")
    };
    for change in &outcome.made {
        message(&format!("{done} {}", line(change)));
    }
    for change in &outcome.refused {
        message(&format!(
            "not fixed: {}: something would be worse after it",
            line(change)
        ));
    }
    match outcome.ended {
        Ended::Done => {}
        Ended::Circle => message("note: the fixes undo each other; the last of them were left"),
        Ended::Limit => message("note: not all fixes were made: too many rounds"),
    }
    let count = |n: usize, one: &str, many: &str| match n {
        1 => format!("1 {one}"),
        n => format!("{n} {many}"),
    };
    let others = outcome.judged.diagnostics.iter().filter(|found| {
        !options.unsafe_too && !found.fixes.is_empty() && found.fixes.iter().all(|fix| !fix.safe)
    });
    let others = count(others.count(), "finding has", "findings have");
    if !others.starts_with('0') {
        message(&format!(
            "{others} fixes that may change what the policy means: `--unsafe-fixes` makes them"
        ));
    }
    if outcome.made.is_empty() {
        message("no fixes to make");
    } else {
        message(&format!(
            "{} {verb} in {}",
            count(outcome.made.len(), "fix", "fixes"),
            count(outcome.files.len(), "file", "files")
        ));
    }
}
