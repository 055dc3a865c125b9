//! Making the changes that findings offer: in rounds, each judged anew, never to the worse.
//!
//! Pure: files come from a [`World`], what was changed is given back as texts. A caller judges in its own way
//! (with proofs or without) and writes the files.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{Hash as _, Hasher as _};
use std::ops::Range;

use crate::diagnostic::Diagnostic;
use crate::ir::{Source, SourceId};
use crate::world::{ReadError, World};

/// After so many rounds that changed something it is enough.
pub const MAX_ROUNDS: usize = 50;

/// So often the files are judged, rounds that were taken back included.
pub const MAX_JUDGED: usize = 1000;

/// What is found in files as they are.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// The texts that the findings point into.
    pub sources: Vec<Source>,
    /// The findings.
    pub diagnostics: Vec<Diagnostic>,
}

/// A change that was made, or that would have made things worse.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// The file, as its source calls it.
    pub path: String,
    /// The code of the finding.
    pub code: &'static str,
    /// What it does.
    pub title: String,
}

/// Why no more was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// There is nothing more to change.
    Done,
    /// The changes led back to texts that were there before.
    Circle,
    /// [`MAX_ROUNDS`] or [`MAX_JUDGED`] is reached.
    Limit,
}

/// What became of files.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The new texts, by the identity of the file ([`World::canonical`]), each with the path that its source
    /// has and its old text.
    pub files: BTreeMap<String, Changed>,
    /// The changes, in the order in which they were made.
    pub made: Vec<Change>,
    /// The changes that were taken back, since something would have been worse after them.
    pub refused: Vec<Change>,
    /// Why it ended.
    pub ended: Ended,
    /// What is found in the new texts.
    pub judged: Judged,
}

/// A file that was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// Its path, as its source has it.
    pub path: String,
    /// Its text before.
    pub old: String,
    /// Its text now.
    pub new: String,
}

/// A world with some files replaced.
pub struct Overlay<'w> {
    base: &'w dyn World,
    files: &'w BTreeMap<String, Changed>,
}

impl World for Overlay<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError> {
        match self.files.get(&self.base.canonical(path)) {
            Some(file) => Ok(file.new.clone().into_bytes()),
            None => self.base.read(path),
        }
    }

    fn canonical(&self, path: &str) -> String {
        self.base.canonical(path)
    }

    fn names(&self, folder: &str) -> Vec<String> {
        self.base.names(folder)
    }
}

/// Makes the safe changes that findings offer, with `unsafe_too` the others as well, in the files of these
/// identities alone. It goes on from files that were changed already: `start`.
///
/// Each round makes the changes that do not touch each other and judges the result. Where something is worse
/// than before ([`worse`]), half of them is tried, down to one, which is then refused for good.
///
/// # Errors
///
/// Those of `judge`.
pub fn fix<E>(
    world: &dyn World,
    start: BTreeMap<String, Changed>,
    editable: &BTreeSet<String>,
    unsafe_too: bool,
    judge: &mut dyn FnMut(&dyn World) -> Result<Judged, E>,
) -> Result<Outcome, E> {
    let judged = judge(&Overlay {
        base: world,
        files: &start,
    })?;
    let mut outcome = Outcome {
        files: start,
        made: Vec::new(),
        refused: Vec::new(),
        ended: Ended::Done,
        judged,
    };
    let mut refused: HashSet<Key> = HashSet::new();
    let mut seen: HashSet<u64> = HashSet::from([state(&outcome.files)]);
    let mut judged_times = 1;
    let mut rounds = 0;
    loop {
        let picked = pick(world, editable, unsafe_too, &outcome.judged, &refused);
        if picked.is_empty() {
            return Ok(outcome);
        }
        if rounds >= MAX_ROUNDS || judged_times >= MAX_JUDGED {
            outcome.ended = Ended::Limit;
            return Ok(outcome);
        }
        let mut part = picked.len();
        while part > 0 {
            let tried = picked.get(..part).unwrap_or(&picked);
            let files = with(&outcome.files, tried);
            let after = judge(&Overlay {
                base: world,
                files: &files,
            })?;
            judged_times += 1;
            if !worse(&outcome.judged, &after) && helps(tried, &outcome.judged, &after) {
                outcome.files = files;
                outcome.judged = after;
                outcome.made.extend(tried.iter().map(|p| p.change.clone()));
                rounds += 1;
                if !seen.insert(state(&outcome.files)) {
                    outcome.ended = Ended::Circle;
                    outcome.files.retain(|_, file| file.old != file.new);
                    return Ok(outcome);
                }
                break;
            }
            if part == 1 {
                for one in tried {
                    refused.insert(one.key.clone());
                    outcome.refused.push(one.change.clone());
                }
            }
            part /= 2;
        }
    }
}

/// Whether files are worse than they were: more syntax errors, more errors, an error that was not there
/// (unless a syntax error went, which may have hidden it), or with as many errors more findings.
#[must_use]
pub fn worse(before: &Judged, after: &Judged) -> bool {
    let syntax = |judged: &Judged| count(judged, |d| is_error(d) && d.code < "E0200");
    let errors = |judged: &Judged| count(judged, is_error);
    if syntax(after) > syntax(before) || errors(after) > errors(before) {
        return true;
    }
    if syntax(after) == syntax(before) {
        let mut old = tally(before, is_error);
        for (key, times) in tally(after, is_error) {
            if old.remove(&key).unwrap_or(0) < times {
                return true;
            }
        }
    }
    errors(after) == errors(before) && after.diagnostics.len() > before.diagnostics.len()
}

/// Whether a finding is an error by itself: a warning that is denied is no worse than it was.
fn is_error(found: &Diagnostic) -> bool {
    found.code.starts_with('E')
}

fn count(judged: &Judged, which: impl Fn(&Diagnostic) -> bool) -> usize {
    judged.diagnostics.iter().filter(|d| which(d)).count()
}

/// Findings by path, code and message: places move.
fn tally(
    judged: &Judged,
    which: impl Fn(&Diagnostic) -> bool,
) -> HashMap<(&str, &'static str, &str), usize> {
    let mut all = HashMap::new();
    for found in judged.diagnostics.iter().filter(|d| which(d)) {
        let path = path(judged, found.primary.place.source);
        *all.entry((path, found.code, found.message.as_str()))
            .or_default() += 1;
    }
    all
}

fn path(judged: &Judged, source: SourceId) -> &str {
    judged
        .sources
        .get(source.0 as usize)
        .map_or("", |source| source.path.as_str())
}

/// Whether the findings whose changes were made are gone.
fn helps(tried: &[Picked], before: &Judged, after: &Judged) -> bool {
    let old = tally(before, |_| true);
    let new = tally(after, |_| true);
    let mut gone: HashMap<(&str, &'static str, &str), usize> = HashMap::new();
    for one in tried {
        let key = (
            one.key.path.as_str(),
            one.key.code,
            one.key.message.as_str(),
        );
        *gone.entry(key).or_default() += 1;
    }
    gone.into_iter().all(|(key, times)| {
        let before = old.get(&key).copied().unwrap_or(0);
        new.get(&key).copied().unwrap_or(0) + times <= before
    })
}

/// What tells a change from others, wherever it has moved.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    path: String,
    code: &'static str,
    message: String,
    title: String,
    /// The texts that are replaced, and by what.
    edits: Vec<(String, String)>,
}

/// A change that a round makes.
struct Picked {
    key: Key,
    change: Change,
    /// File, path, text of the file, bytes, new text.
    edits: Vec<Edit>,
}

struct Edit {
    file: String,
    path: String,
    text: String,
    range: Range<usize>,
    new: String,
}

/// The changes of a round: for each finding the first that may be made, none that touches another's.
fn pick(
    world: &dyn World,
    editable: &BTreeSet<String>,
    unsafe_too: bool,
    judged: &Judged,
    refused: &HashSet<Key>,
) -> Vec<Picked> {
    let files: Vec<String> = judged
        .sources
        .iter()
        .map(|source| world.canonical(&source.path))
        .collect();
    let mut picked: Vec<Picked> = Vec::new();
    let mut taken: BTreeMap<String, Vec<Range<usize>>> = BTreeMap::new();
    for found in &judged.diagnostics {
        let offered = found
            .fixes
            .iter()
            .filter(|fix| (fix.safe || unsafe_too) && !fix.edits.is_empty());
        for fix in offered {
            let edits: Option<Vec<Edit>> = fix
                .edits
                .iter()
                .map(|(place, new)| {
                    let index = place.source.0 as usize;
                    let source = judged.sources.get(index)?;
                    let file = files.get(index).filter(|file| editable.contains(*file))?;
                    let range = place.span.start as usize..place.span.end as usize;
                    source.text.get(range.clone())?;
                    Some(Edit {
                        file: file.clone(),
                        path: source.path.clone(),
                        text: source.text.clone(),
                        range,
                        new: in_line_ends_of(&source.text, new),
                    })
                })
                .collect();
            let Some(edits) = edits else { continue };
            let key = Key {
                path: path(judged, found.primary.place.source).to_owned(),
                code: found.code,
                message: found.message.clone(),
                title: fix.title.clone(),
                edits: edits
                    .iter()
                    .map(|edit| {
                        let old = edit.text.get(edit.range.clone()).unwrap_or_default();
                        (old.to_owned(), edit.new.clone())
                    })
                    .collect(),
            };
            if refused.contains(&key) {
                continue;
            }
            let clear = edits.iter().all(|edit| {
                taken.get(&edit.file).is_none_or(|ranges| {
                    ranges
                        .iter()
                        .all(|r| edit.range.end < r.start || r.end < edit.range.start)
                })
            });
            if clear {
                for edit in &edits {
                    let ranges = taken.entry(edit.file.clone()).or_default();
                    ranges.push(edit.range.clone());
                }
                let change = Change {
                    path: key.path.clone(),
                    code: found.code,
                    title: fix.title.clone(),
                };
                picked.push(Picked { key, change, edits });
            }
            break;
        }
    }
    picked
}

/// The files with changes made.
fn with(files: &BTreeMap<String, Changed>, picked: &[Picked]) -> BTreeMap<String, Changed> {
    let mut all: Vec<&Edit> = picked.iter().flat_map(|p| &p.edits).collect();
    // From behind, so that places before a change stay what they are.
    all.sort_by_key(|edit| std::cmp::Reverse((edit.range.start, edit.range.end)));
    let mut files = files.clone();
    for edit in all {
        let file = files.entry(edit.file.clone()).or_insert_with(|| Changed {
            path: edit.path.clone(),
            old: edit.text.clone(),
            new: edit.text.clone(),
        });
        if file.new.get(edit.range.clone()).is_some() {
            file.new.replace_range(edit.range.clone(), &edit.new);
        }
    }
    files
}

/// A new text with the line ends of the file that it goes into: those of its first line.
fn in_line_ends_of(file: &str, new: &str) -> String {
    let crlf = file
        .find('\n')
        .and_then(|at| file.get(..at))
        .is_some_and(|line| line.ends_with('\r'));
    if crlf && new.contains('\n') {
        new.replace("\r\n", "\n").replace('\n', "\r\n")
    } else {
        new.to_owned()
    }
}

/// A number for the texts of files, those that are as they were left out.
fn state(files: &BTreeMap<String, Changed>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (file, changed) in files {
        if changed.new != changed.old {
            (file, &changed.new).hash(&mut hasher);
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests;
