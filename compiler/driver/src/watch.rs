//! `--watch`: a verb again after each change of what it read.
//!
//! Files are looked at a few times a second. That costs a call of the system for each, works on
//! every file system (network folders and containers often tell of no changes), and misses
//! nothing that was looked for and not there: a missing file is noted as such, and a folder by the
//! names of the policies in it.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io::{IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use crate::exit::message;
use crate::plain::counted;

/// How often files are looked at.
const EVERY: Duration = Duration::from_millis(200);
/// A change counts once nothing more has changed for so long: editors write in several steps.
const CALM: Duration = Duration::from_millis(60);
/// At most so many times is waited for calm: a file that is written without end must not hide others.
const MOST_WAITS: usize = 30;

/// What was read since the last round, with how it was then; `None` where nobody watches.
static NOTED: Mutex<Option<BTreeMap<String, Stamp>>> = Mutex::new(None);

/// How a path was when it was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stamp {
    Missing,
    File {
        length: u64,
        changed: Option<SystemTime>,
        identity: u64,
    },
    /// The names in it that matter.
    Folder(Vec<String>),
}

impl Stamp {
    fn of(path: &str) -> Self {
        match fs::metadata(path) {
            Err(_) => Self::Missing,
            Ok(found) if found.is_dir() => Self::Folder(names(path)),
            Ok(found) => Self::File {
                length: found.len(),
                changed: found.modified().ok(),
                identity: identity(&found),
            },
        }
    }
}

/// A file that was put in the place of another is another, whatever its time says.
#[cfg(unix)]
fn identity(found: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(found)
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> u64 {
    0
}

/// Policies and folders in a folder; what editors leave beside them does not matter.
fn names(folder: &str) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            (!name.starts_with('.') && (is_folder || name.ends_with(".ctr"))).then_some(name)
        })
        .collect();
    names.sort();
    names
}

/// Notes that a path is about to be read. Free where nobody watches.
pub fn note(path: &str) {
    let mut noted = NOTED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(noted) = noted.as_mut() {
        // The first look counts: what changes while it is read must be read again.
        noted
            .entry(path.to_owned())
            .or_insert_with(|| Stamp::of(path));
    }
}

/// Begins a round: what is read from now on is watched. On a terminal the screen is cleared.
pub fn begin(changed: &[String]) {
    *NOTED.lock().unwrap_or_else(PoisonError::into_inner) = Some(BTreeMap::new());
    let mut error = std::io::stderr();
    if error.is_terminal() {
        // Clears the screen and what can be scrolled back to, and goes to its corner.
        let _ = error.write_all(b"\x1b[2J\x1b[3J\x1b[H");
    }
    match changed {
        [] => {}
        [one] => message(&format!("{one} changed")),
        [first, rest @ ..] => message(&format!("{first} and {} more changed", rest.len())),
    }
}

/// Waits until something that was read in this round has changed, and gives what did. Without end
/// where nothing does.
#[must_use]
pub fn wait() -> Vec<String> {
    let noted = NOTED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take()
        .unwrap_or_default();
    let count = |is: fn(&Stamp) -> bool| noted.values().filter(|stamp| is(stamp)).count() as u64;
    let files = count(|stamp| matches!(stamp, Stamp::File { .. }));
    let folders = count(|stamp| matches!(stamp, Stamp::Folder(_)));
    message(&format!(
        "watching {} and {}; Ctrl-C ends",
        counted(files, "file"),
        counted(folders, "folder")
    ));
    let look = || -> Vec<(String, Stamp)> {
        noted
            .iter()
            .map(|(path, before)| (path, before, Stamp::of(path)))
            .filter(|(_, before, now)| *before != now)
            .map(|(path, _, now)| (path.clone(), now))
            .collect()
    };
    loop {
        let mut changed = look();
        if changed.is_empty() {
            std::thread::sleep(EVERY);
            continue;
        }
        for _ in 0..MOST_WAITS {
            std::thread::sleep(CALM);
            let again = look();
            if again == changed {
                break;
            }
            changed = again;
        }
        // Changed and changed back within the moment.
        if changed.is_empty() {
            continue;
        }
        return told(changed);
    }
}

/// What is told of changes: folders only where no file is told that came or went in them.
fn told(changed: Vec<(String, Stamp)>) -> Vec<String> {
    let is_folder = |(_, now): &(String, Stamp)| matches!(now, Stamp::Folder(_));
    let only_folders = changed.iter().all(is_folder);
    changed
        .into_iter()
        .filter(|one| only_folders || !is_folder(one))
        .map(|(path, _)| path)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_told_before_its_folder() {
        let folder = (".".to_owned(), Stamp::Folder(Vec::new()));
        let file = ("p.ctr".to_owned(), Stamp::Missing);
        assert_eq!(told(vec![folder.clone(), file]), ["p.ctr"]);
        assert_eq!(told(vec![folder]), ["."]);
    }
}
