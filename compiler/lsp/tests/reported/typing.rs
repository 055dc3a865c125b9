//! Policies typed and deleted character by character, and edited at random.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::client::Kind;
use crate::session::{Change, Fault, Session};
use crate::text::{Random, Units, boundary};

/// A policy with the files around it that it names.
struct Policy {
    name: String,
    folder: tempfile::TempDir,
    path: PathBuf,
    text: String,
}

impl Policy {
    fn uri(&self) -> String {
        format!("file://{}", self.path.display())
    }

    fn folders(&self) -> Vec<String> {
        let folder = self.path.parent().unwrap();
        vec![format!("file://{}", folder.display())]
    }
}

fn repository() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap()
}

/// The policies below a folder.
pub(crate) fn policies(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            policies(&path, out);
        } else if path.extension().is_some_and(|e| e == "ctr") {
            out.push(path);
        }
    }
}

/// A copy of a policy in a folder of its own.
fn copied(path: &Path) -> Policy {
    let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    let folder = tempfile::tempdir().unwrap();
    let home = fs::canonicalize(folder.path()).unwrap();
    let name = path.file_name().unwrap().to_str().unwrap().to_owned();
    let mut waiting = vec![(path.to_owned(), home.join(&name))];
    while let Some((from, to)) = waiting.pop() {
        let Ok(bytes) = fs::read(&from) else { continue };
        if to.exists() || fs::create_dir_all(to.parent().unwrap()).is_err() {
            continue;
        }
        fs::write(&to, &bytes).unwrap();
        for quoted in String::from_utf8_lossy(&bytes)
            .split('"')
            .skip(1)
            .step_by(2)
        {
            let is_file = [".ctr", ".json"].iter().any(|end| quoted.ends_with(end));
            if is_file && !quoted.contains("..") && !quoted.starts_with('/') {
                let beside = |path: &Path| path.parent().unwrap().join(quoted);
                waiting.push((beside(&from), beside(&to)));
            }
        }
    }
    Policy {
        name: path
            .strip_prefix(repository())
            .unwrap()
            .display()
            .to_string(),
        path: home.join(name),
        folder,
        text,
    }
}

fn wanted() -> Option<String> {
    std::env::var("CTRC_MONKEY").ok()
}

/// Whether each letter of each text is a step that is asked about (minutes for each 10 kB).
fn whole() -> bool {
    wanted().is_some_and(|value| value == "whole")
}

/// Whether everything is tried (minutes) and not a sample.
pub(crate) fn all() -> bool {
    whole() || wanted().is_some_and(|value| value == "all")
}

fn seed() -> u64 {
    std::env::var("CTRC_MONKEY_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
        .unwrap_or(7)
}

/// Every example, the shipped policies and fixtures with faults. A sample of the latter.
fn subjects() -> Vec<Policy> {
    let home = repository();
    let mut paths = Vec::new();
    policies(&home.join("examples"), &mut paths);
    policies(&home.join("stdlib-contracts"), &mut paths);
    let mut faulty = Vec::new();
    policies(&home.join("tests/ui"), &mut faulty);
    let every = if all() { 4 } else { 64 };
    // Long texts show nothing in a sample that short ones do not.
    paths.retain(|path| all() || fs::metadata(path).unwrap().len() < 9000);
    paths.extend(
        faulty
            .into_iter()
            .skip(seed() as usize % every)
            .step_by(every),
    );
    if let Ok(only) = std::env::var("CTRC_MONKEY_ONLY") {
        paths.retain(|path| path.to_str().unwrap().contains(&only));
    }
    paths.iter().map(|path| copied(path)).collect()
}

/// So many steps of a text are asked about when all is tried: each of an example's.
fn asked_of(policy: &Policy, letters: usize) -> usize {
    if whole() || policy.name.starts_with("examples") {
        letters.max(1)
    } else {
        (letters / 4).clamp(1, 300)
    }
}

/// The text with letters that count differently in each encoding, on the lines where names stand, and other line ends.
fn disguised(text: &str, how: usize) -> String {
    let text = match how % 3 {
        0 => text.to_owned(),
        _ => text
            .replace("contract ", "/* £😀क्षि */ contract ")
            .replace("block \"", "block \"…😀 e\u{301} "),
    };
    match how % 2 {
        0 => text,
        _ => text.replace("\r\n", "\n").replace('\n', "\r\n"),
    }
}

#[derive(Default)]
struct Figures {
    steps: u64,
    asked: u64,
    compared: u64,
    slowest: BTreeMap<String, Duration>,
}

/// Runs something for each policy on as many threads as there are processors, and tells all faults.
fn each(title: &str, run: fn(usize, &Policy) -> Result<Session, Fault>) {
    let since = Instant::now();
    let subjects = subjects();
    let next = AtomicUsize::new(0);
    let figures = Mutex::new(Figures::default());
    let faults = Mutex::new(Vec::new());
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(policy) = subjects.get(at) else {
                return;
            };
            let began = Instant::now();
            match run(at, policy) {
                Ok(session) => {
                    let mut figures = figures.lock().unwrap();
                    figures.steps += session.steps;
                    figures.asked += session.asked;
                    figures.compared += session.compared;
                    for (method, took) in &session.client.slowest {
                        let slowest = figures.slowest.entry(method.clone()).or_default();
                        *slowest = (*slowest).max(*took);
                    }
                    drop(figures);
                    if let Err(fault) = session.close() {
                        faults
                            .lock()
                            .unwrap()
                            .push(format!("{}: {fault}", policy.name));
                    }
                }
                Err(fault) => faults
                    .lock()
                    .unwrap()
                    .push(format!("{}: {fault}", policy.name)),
            }
            if all() {
                eprintln!("{title}: {} in {:.1?}", policy.name, began.elapsed());
            }
        }
    };
    std::thread::scope(|scope| {
        let more: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        for thread in more {
            assert!(thread.join().is_ok(), "{title}: see above");
        }
    });
    let figures = figures.into_inner().unwrap();
    let faults = faults.into_inner().unwrap();
    let mut slowest: Vec<_> = figures.slowest.iter().collect();
    slowest.sort_by_key(|(_, took)| std::cmp::Reverse(**took));
    eprintln!(
        "{title}: {} policies, {} steps, {} requests, {} comparisons in {:.1?}; slowest {:.0?}",
        subjects.len(),
        figures.steps,
        figures.asked,
        figures.compared,
        since.elapsed(),
        &slowest[..slowest.len().min(4)],
    );
    let count = faults.len();
    let shown = faults
        .iter()
        .take(12)
        .map(String::as_str)
        .collect::<Vec<_>>();
    assert!(faults.is_empty(), "{count} faults:\n{}", shown.join("\n\n"));
}

fn opened(at: usize, policy: &Policy, text: &str) -> Session {
    let kind = [Kind::Rich, Kind::Poor][at % 2];
    let units = [Units::Utf16, Units::Utf8][at / 2 % 2];
    let _ = &policy.folder;
    Session::open(kind, units, &policy.folders(), &policy.uri(), text)
}

#[test]
fn typed_and_deleted_character_by_character() {
    each("typed", |at, policy| {
        let text = disguised(&policy.text, at);
        let mut random = Random::new(seed() + at as u64);
        let letters: Vec<char> = text.chars().collect();
        // In a sample most letters are typed without questions.
        let steps = if all() {
            asked_of(policy, letters.len())
        } else {
            9
        };
        let every = (letters.len() / steps).max(1);
        let often = if all() { 150 } else { 3 };
        let mut session = opened(at, policy, "");
        session.takes_turns = all();
        session.step(0)?;
        // In a sample what lies far from a step is pasted.
        let near = if all() { every * 5 } else { 12 };
        let mut asked = 0;
        let mut pasted = String::new();
        let mut next = random.below(every);
        for (nth, letter) in letters.iter().enumerate() {
            pasted.push(*letter);
            if nth + near < next {
                continue;
            }
            let end = session.text.len();
            session.edit(&[Change::Part(end, end, std::mem::take(&mut pasted))]);
            if nth == next {
                next += 1 + random.below(every * 2 - 1);
                session.step(session.text.len())?;
                asked += 1;
                if asked % often == 0 {
                    let place = random.boundary(&session.text);
                    session.compare(&[session.text.len(), place])?;
                }
            }
        }
        let end = session.text.len();
        session.edit(&[Change::Part(end, end, pasted)]);
        session.step(session.text.len())?;
        let place = random.boundary(&session.text);
        session.compare(&[place])?;
        // The beginnings of the text have been there; every other one is deleted from its beginning.
        let backwards = at % 2 == 0;
        let mut left = random.below(every);
        while !session.text.is_empty() {
            let count = if left > near { near } else { 1 };
            left -= left.min(count - 1);
            let part = match backwards {
                true => {
                    let mut letters = session.text.char_indices().rev();
                    let start = letters.nth(count - 1).map_or(0, |(at, _)| at);
                    boundary(&session.text, start)..session.text.len()
                }
                false => {
                    let mut letters = session.text.char_indices();
                    let end = letters.nth(count).map_or(session.text.len(), |(at, _)| at);
                    let within = session.text[..end].ends_with('\r')
                        && session.text[end..].starts_with('\n');
                    0..end + usize::from(within)
                }
            };
            session.edit(&[Change::Part(part.start, part.end, String::new())]);
            if left == 0 {
                left = random.below(if all() { every * 2 - 1 } else { every * 4 });
                let touched = if backwards { session.text.len() } else { 0 };
                session.step(touched)?;
                asked += 1;
                if asked % often == 0 && all() {
                    session.compare(&[touched])?;
                }
            } else {
                left -= 1;
            }
        }
        session.step(0)?;
        session.compare(&[0])?;
        Ok(session)
    });
}

/// What gets pasted: pieces of the language, of other languages, letters of all widths, line ends of all kinds.
const PASTED: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "\"",
    "`",
    "/",
    "//",
    "/*",
    "*/",
    "///",
    "//!",
    ",",
    ":",
    ";",
    ".",
    "..",
    "@",
    "|",
    "&&",
    "->",
    "=",
    "==",
    "\\",
    "\\u{",
    "\"{",
    "{args.",
    "a.b",
    " ",
    "\t",
    "\n",
    "\r\n",
    "\r",
    "\n\n\n",
    "\u{0}",
    "\u{feff}",
    "\u{2028}",
    "\u{85}",
    "\u{200d}",
    "é",
    "e\u{301}",
    "£",
    "😀",
    "👩‍👩‍👧",
    "क्षि",
    "\u{10ffff}",
    "ａ",
    "٣",
    "99999999999999999999999999",
    "1e400",
    "0x",
    "-0",
    "5min",
    "30s",
    "contract",
    "contract c {",
    "guarantee ",
    "assume ",
    "otherwise block \"",
    "never call ",
    "for each k",
    "let x = ",
    "predicate p(a: event) = ",
    "import std.",
    "include \"",
    "tools from \"gone.json\"\n",
    "test \"t\" {",
    "expect block by ",
    "call t(",
    "only after ",
    " within ",
    " leads to ",
    "count(",
    "sum(call t, ",
    "matches /",
    "has(",
    " ?? ",
    "not ",
    " and ",
    " until ",
    "every x in ",
    "context c: ",
    "group g = { ",
    "tool t(a: ",
    "enum(\"",
    "lookup f(",
    "@id(\"",
    "// ctrc: allow(",
    "<<<<<<< HEAD\n",
    "((((((((((((((((((((((((((((((((",
    "not not not not not not not not not not not not ",
];

fn some_change(random: &mut Random, text: &str, original: &str, other: &str) -> Change {
    let at = random.boundary(text);
    let to = |from: usize, length: usize| {
        let end = (from + length).min(text.len());
        boundary(text, end).max(from)
    };
    match random.below(12) {
        0..=4 => Change::Part(at, at, random.one(PASTED).to_owned()),
        5 | 6 => {
            let length = 1 + random.below(8);
            Change::Part(at, to(at, length), String::new())
        }
        7 => {
            let length = random.below(60);
            Change::Part(at, to(at, length), random.one(PASTED).to_owned())
        }
        8 => {
            let (a, b) = (random.boundary(other), random.boundary(other));
            let (a, b) = (a.min(b), a.max(b));
            let piece: String = other[a..b].chars().take(200).collect();
            Change::Part(at, at, piece)
        }
        // A line twice.
        9 => {
            let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
            let end = text[at..].find('\n').map_or(text.len(), |n| at + n + 1);
            Change::Part(start, start, text[start..end].to_owned())
        }
        10 => match random.below(4) {
            0 => Change::Whole(text.replace('\n', "\r\n")),
            1 => Change::Whole(text.replace("\r\n", "\n")),
            2 => Change::Whole(text.replace("\r\n", "\r")),
            _ => Change::Whole(other.to_owned()),
        },
        _ => Change::Whole(original.to_owned()),
    }
}

#[test]
fn edited_at_random() {
    each("random", |at, policy| {
        let original = disguised(&policy.text, at + 1);
        let other = "tool pay(amount: number, to: string)\r\ncontract 😀 c { guarantee never call pay(to == \"é\") }\n/// d\ntest \"x\" { call pay(amount: 1) }\n";
        let mut random = Random::new(seed() * 31 + at as u64);
        let mut session = opened(at + 1, policy, &original);
        session.takes_turns = all();
        let mut past = Vec::new();
        let steps = if all() { 400 } else { 8 };
        for step in 0..steps {
            let mut changes = Vec::new();
            if random.below(5) == 0
                && let Some(text) = past.pop()
            {
                changes.push(Change::Whole(text));
            } else {
                let mut text = session.text.clone();
                for _ in 0..=random.below(4) {
                    let change = some_change(&mut random, &text, &original, other);
                    match &change {
                        Change::Part(start, end, new) => text.replace_range(*start..*end, new),
                        Change::Whole(new) => text.clone_from(new),
                    }
                    changes.push(change);
                }
                past.push(session.text.clone());
            }
            // Texts that double in size make nothing clearer.
            if session.text.len() > 4 * original.len() + 2000 {
                changes = vec![Change::Whole(original.clone())];
            }
            session.edit(&changes);
            let touched = random.boundary(&session.text);
            session.step(touched)?;
            if step % (if all() { 20 } else { 5 }) == 4 {
                session.compare(&[touched])?;
            }
        }
        session.edit(&[Change::Whole(original)]);
        session.step(0)?;
        let place = random.boundary(&session.text);
        session.compare(&[place])?;
        Ok(session)
    });
}
