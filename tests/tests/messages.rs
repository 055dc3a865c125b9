//! Messages keep the style guide, `docs/messages.md`: those of all fixtures, of the examples of all codes, and of policies that are
//! broken in thousands of ways. (Those of bad bytes and files are held to it by `badsource.rs`.)
//!
//! `CTRC_LONG=1` breaks more.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use ctr_front::diagnostic::{Diagnostic, Severity};
use ctr_front::ir::Source;
use ctr_front::world::MemoryWorld;
use ctr_project::codes::all as all_codes;
use ctr_tests::rng::{Rng, seed};
use ctr_tests::style::{Part, faults, ours};
use ctrc::verbs::check::library_findings;

const SOLVER: Duration = Duration::from_secs(30);

/// Faults of findings, each once, with where it was seen first.
#[derive(Default)]
struct Judge {
    faults: BTreeMap<String, String>,
    parts: usize,
}

impl Judge {
    fn see(&mut self, at: &str, sources: &[Source], found: &[Diagnostic]) {
        let paths: Vec<&str> = sources.iter().map(|s| s.path.as_str()).collect();
        for d in found {
            self.part(at, d, Part::Message, &d.message);
            for label in std::iter::once(&d.primary).chain(&d.secondary) {
                self.part(at, d, Part::Label, &label.text);
                self.place(at, d, &paths, sources, label.place);
            }
            for help in &d.help {
                self.part(at, d, Part::Help, help);
                if help == &d.message || help == &d.primary.text {
                    self.fault(at, format!("{}: help says the same again: {help}", d.code));
                }
            }
            if !d.primary.text.is_empty() && d.primary.text == d.message {
                self.fault(
                    at,
                    format!("{}: the label repeats the message: {}", d.code, d.message),
                );
            }
            for fix in &d.fixes {
                self.part(at, d, Part::Title, &fix.title);
                for (place, _) in &fix.edits {
                    self.place(at, d, &paths, sources, *place);
                }
            }
            let kind = match d.severity {
                // A warning may be denied by the configuration.
                Severity::Error => d.code.starts_with(['E', 'W']),
                Severity::Warning | Severity::Note => d.code.starts_with('W'),
            };
            if !kind {
                self.fault(at, format!("{} is a {}", d.code, d.severity.name()));
            }
        }
        // One mistake is told once.
        let mut seen = BTreeSet::new();
        for d in found {
            let key = (
                d.primary.place.source.0,
                d.primary.place.span,
                d.code,
                &d.message,
            );
            if !seen.insert(key) {
                self.fault(at, format!("{} is told twice: {}", d.code, d.message));
            }
        }
    }

    fn part(&mut self, at: &str, d: &Diagnostic, part: Part, text: &str) {
        self.parts += 1;
        for fault in faults(part, text) {
            self.fault(at, format!("{}: {fault}", d.code));
        }
    }

    /// Every place lies in a file, on character boundaries.
    fn place(
        &mut self,
        at: &str,
        d: &Diagnostic,
        paths: &[&str],
        sources: &[Source],
        place: ctr_front::ir::Place,
    ) {
        let index = place.source.0 as usize;
        let Some(source) = sources.get(index) else {
            self.fault(at, format!("{}: a place in no file", d.code));
            return;
        };
        let inside = source
            .text
            .get(place.span.start as usize..place.span.end as usize)
            .is_some();
        if !inside || paths[index].is_empty() {
            self.fault(at, format!("{}: a place outside its file", d.code));
        }
    }

    fn fault(&mut self, at: &str, fault: String) {
        self.faults.entry(fault).or_insert_with(|| at.to_owned());
    }

    fn finish(self, least: usize) {
        let all: Vec<String> = self
            .faults
            .iter()
            .map(|(fault, at)| format!("{fault}\n    ({at})"))
            .collect();
        assert!(
            all.is_empty(),
            "{} faults in {} texts (docs/messages.md):\n{}",
            all.len(),
            self.parts,
            all.join("\n")
        );
        assert!(self.parts >= least, "only {} texts", self.parts);
    }
}

/// On a thread with a deep stack, as the program has.
fn deep(work: impl FnOnce() + Send + 'static) {
    let done = thread::Builder::new()
        .stack_size(64 << 20)
        .spawn(work)
        .unwrap()
        .join();
    if let Err(panic) = done {
        std::panic::resume_unwind(panic);
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

/// All policies below folders of the repository, in order.
fn policies(folders: &[&str]) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "ctr") {
                out.push(path);
            }
        }
    }
    out.sort();
    out
}

#[test]
fn fixtures() {
    deep(|| {
        let mut judge = Judge::default();
        for path in policies(&["tests/ui"]) {
            let name = path.to_string_lossy().into_owned();
            let (compiled, _) = library_findings(std::slice::from_ref(&name), SOLVER)
                .unwrap_or_else(|stop| panic!("{name}: {stop:?}"));
            judge.see(&name, &compiled.sources, &compiled.diagnostics);
        }
        judge.finish(900);
    });
}

#[test]
fn examples_of_codes() {
    deep(|| {
        let mut judge = Judge::default();
        for doc in all_codes() {
            let Some((root, _)) = doc.wrong.first() else {
                continue;
            };
            let folder = tempfile::tempdir().unwrap();
            for (path, text) in doc.wrong {
                let path = folder.path().join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            let path = folder.path().join(root).to_string_lossy().into_owned();
            let (compiled, _) = library_findings(&[path], SOLVER).unwrap();
            judge.see(doc.code, &compiled.sources, &compiled.diagnostics);
        }
        judge.finish(400);
    });
}

fn compile(files: &[(&str, &str)]) -> ctr_front::Compiled {
    let world = files
        .iter()
        .fold(MemoryWorld::new(), |world, (path, text)| {
            world.with(path, *text)
        });
    ctr_front::compile(&world, &[files[0].0.to_owned()])
}

/// A piece of a text: a word, a sign, white space.
fn pieces(text: &str) -> Vec<&str> {
    let class = |c: char| {
        if c.is_alphanumeric() || c == '_' {
            0
        } else if c.is_whitespace() {
            1
        } else {
            2
        }
    };
    let mut out = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, c) in text.char_indices() {
        let now = class(c);
        if last.is_some_and(|last| last != now || now == 2) {
            out.push(&text[start..at]);
            start = at;
        }
        last = Some(now);
    }
    out.push(&text[start..]);
    out
}

/// Policies with a piece left out, doubled, swapped, changed or replaced by another.
#[test]
fn broken_policies() {
    deep(|| {
        let long = std::env::var_os("CTRC_LONG").is_some_and(|v| v != "0");
        let mut judge = Judge::default();
        let mut rng = Rng::new(seed(61));
        let files = policies(&["tests/ui", "examples", "stdlib-contracts"]);
        let texts: Vec<(String, String)> = files
            .iter()
            .filter_map(|path| {
                let text = fs::read_to_string(path).ok()?;
                (text.len() < 6000).then(|| (path.to_string_lossy().into_owned(), text))
            })
            .collect();
        let words: Vec<String> = texts
            .iter()
            .flat_map(|(_, text)| pieces(text))
            // A path or a name with a back-tick in it is shown as it is.
            .filter(|piece| !piece.trim().is_empty() && *piece != "`")
            .map(str::to_owned)
            .collect();
        let rounds = if long { 200 } else { 6 };
        for (name, text) in &texts {
            let parts = pieces(text);
            for _ in 0..rounds {
                let at = rng.below(parts.len());
                let other = words[rng.below(words.len())].clone();
                let mut changed: Vec<String> = parts.iter().map(|p| (*p).to_owned()).collect();
                match rng.below(6) {
                    0 => changed[at].clear(),
                    1 => changed[at] = format!("{} {}", parts[at], parts[at]),
                    2 => changed[at] = other,
                    3 => changed.insert(at, format!(" {other} ")),
                    4 => changed.truncate(at),
                    _ => {
                        changed[at].pop();
                    }
                }
                let broken = changed.concat();
                let compiled = compile(&[("policy.ctr", &broken)]);
                judge.see(
                    &format!(
                        "{name}, broken: {}",
                        broken.chars().take(0).collect::<String>()
                    ),
                    &compiled.graph.sources,
                    &compiled.diagnostics,
                );
            }
        }
        judge.finish(2000);
    });
}

/// The user's names are never shown outside back-ticks: every name of the examples and of the fixtures is made
/// one that no message of ours would hold.
#[test]
fn names_stand_in_back_ticks() {
    deep(|| {
        let mut shown = BTreeSet::new();
        let mut faults = BTreeSet::new();
        let mut texts: Vec<(String, Vec<(String, String)>)> = all_codes()
            .iter()
            .filter(|doc| !doc.wrong.is_empty())
            .map(|doc| {
                let files = doc
                    .wrong
                    .iter()
                    .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
                (doc.code.to_owned(), files.collect())
            })
            .collect();
        for path in policies(&["tests/ui"]) {
            let name = path.to_string_lossy().into_owned();
            if let Ok(text) = fs::read_to_string(&path) {
                texts.push((name, vec![("policy.ctr".to_owned(), text)]));
            }
        }
        for (name, files) in &texts {
            let files: Vec<(String, String)> = files
                .iter()
                .map(|(path, text)| (path.clone(), marked(text)))
                .collect();
            let view: Vec<(&str, &str)> = files
                .iter()
                .map(|(p, t)| (p.as_str(), t.as_str()))
                .collect();
            let compiled = compile(&view);
            for d in &compiled.diagnostics {
                let labels = std::iter::once(&d.primary)
                    .chain(&d.secondary)
                    .map(|l| &l.text);
                let all = std::iter::once(&d.message)
                    .chain(labels)
                    .chain(&d.help)
                    .chain(d.fixes.iter().map(|fix| &fix.title));
                for text in all {
                    if text.contains("zq") {
                        shown.insert(d.code);
                    }
                    if ours(text).contains("zq") {
                        faults.insert(format!("{}: {text}\n    ({name})", d.code));
                    }
                }
            }
        }
        assert!(
            faults.is_empty(),
            "{} texts show names without back-ticks:\n{}",
            faults.len(),
            faults.into_iter().collect::<Vec<_>>().join("\n")
        );
        assert!(shown.len() >= 40, "only {} codes show names", shown.len());
    });
}

/// Words of the language that stay as they are.
const LANGUAGE: &str = "module import include tools from as tool group event context lookup predicate contract test for each let assume \
 guarantee otherwise block warn escalate redirect repair call return success failure unknown input output any except and or not implies iff \
 always eventually next weak until unless release since once previously historically never only after while if leads to within at most least \
 exactly times time consecutive steps step end expect by with true false null has in contains matches like starts ends inside every some \
 count sum min max values latest first elapsed streak earlier mentioned len lower upper trim host number text abs timestamp string int bool \
 enum list map duration args result ctx where destructive read_only idempotent open_world id severity source tags agents std declare dwyer \
 ms s min h d allow pending satisfied violation suppress";

/// A text with a mark on every name, outside comments.
fn marked(text: &str) -> String {
    let language: BTreeSet<&str> = LANGUAGE.split_whitespace().collect();
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        let code = line.find("//").map_or(line, |at| &line[..at]);
        for piece in pieces(code) {
            out.push_str(piece);
            let is_name = piece.starts_with(|c: char| c.is_alphabetic());
            if is_name && !language.contains(piece) {
                out.push_str("zq");
            }
        }
        out.push_str(&line[code.len()..]);
    }
    out
}

#[test]
fn the_checks_find_faults() {
    for (part, text, what) in [
        (Part::Message, "Unknown tool `x`", "lower-case"),
        (Part::Message, "no tool is called `x`.", "sign"),
        (Part::Message, "no tool is called x_y", "outside back-ticks"),
        (Part::Message, "no tool is called `x", "not closed"),
        (Part::Message, "expected \"call\"", "outside back-ticks"),
        (Part::Message, "an invalid name", "says"),
        (Part::Message, "expected Some(Name)", "says"),
        (Part::Message, "no ctr_front::ir here", "outside back-ticks"),
        (Part::Message, "unexpected InputKind", "capitals"),
        (Part::Message, "two\nlines", "one line"),
        (Part::Message, "", "empty"),
        (Part::Help, "did you mean `x`? ", "white space"),
        (Part::Title, "`x`", "verb"),
    ] {
        let found = faults(part, text);
        assert!(found.iter().any(|f| f.contains(what)), "{text}: {found:?}");
    }
    for (part, text) in [
        (Part::Message, "no tool is called `x_y`"),
        (
            Part::Message,
            "`\"ful\"` is none of the values that the field can have",
        ),
        (Part::Message, "JSON ends too early"),
        (Part::Message, "U+202E changes the direction"),
        (Part::Label, ""),
        (Part::Help, "did you mean `x`?"),
        (Part::Title, "write `x`"),
    ] {
        assert_eq!(faults(part, text), Vec::<String>::new());
    }
}
