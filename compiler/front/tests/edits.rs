//! Looking again after an edit gives what a fresh compilation gives.
//!
//! Policies of the repository are edited at random: words typed, lines and brackets taken out and put back. After each edit
//! what [`ctr_front::look`] says with the memory of all that was before is compared with [`ctr_front::compile`]. `CTRC_EDITS`
//! says how many edits (2,000 by itself).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

use std::path::{Path, PathBuf};

use ctr_front::Memory;
use ctr_front::world::{DiskWorld, ReadError, World};

/// Numbers that look like chance (xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % n.max(1)
    }
}

/// The disk, one file of which is edited.
struct Edited {
    path: String,
    text: String,
}

impl World for Edited {
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError> {
        if self.canonical(path) == self.path {
            return Ok(self.text.clone().into_bytes());
        }
        DiskWorld.read(path)
    }

    fn canonical(&self, path: &str) -> String {
        DiskWorld.canonical(path)
    }

    fn names(&self, folder: &str) -> Vec<String> {
        DiskWorld.names(folder)
    }
}

fn collect(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, out);
        } else if path.extension().is_some_and(|e| e == "ctr") {
            out.push(path);
        }
    }
}

const TYPED: [&str; 24] = [
    " ",
    "\n",
    "}",
    "{",
    "\"",
    "(",
    ")",
    "x",
    "not ",
    "call ",
    "guarantee ",
    "// a comment\n",
    "\n\n",
    "contract fresh { guarantee never call nothing }\n",
    "let y = 1\n",
    "and ",
    "@id(\"R-1\")\n",
    "zz",
    "args.",
    "tool fresh(a: string) -> { ok: bool }\n",
    "predicate p(a: event) = eventually a\n",
    "\u{e9}",
    "otherwise block \"{args.x}\"\n",
    "import std.declare\n",
];

/// A place at the start of a word, or anywhere.
fn place(text: &str, chance: &mut Chance) -> usize {
    let mut at = chance.below(text.len() + 1);
    if chance.below(2) == 0 {
        at = text[..floor(text, at)]
            .rfind(char::is_whitespace)
            .map_or(0, |n| n);
    }
    floor(text, at)
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn edit(text: &mut String, chance: &mut Chance) {
    match chance.below(5) {
        0 | 1 => {
            let at = place(text, chance);
            text.insert_str(at, TYPED[chance.below(TYPED.len())]);
        }
        2 => {
            let from = place(text, chance);
            let to = floor(text, (from + 1 + chance.below(6)).min(text.len()));
            text.replace_range(from.min(to)..to, "");
        }
        3 => {
            // A line is taken out.
            let from = text[..place(text, chance)].rfind('\n').map_or(0, |n| n + 1);
            let to = text[from..].find('\n').map_or(text.len(), |n| from + n + 1);
            text.replace_range(from..to, "");
        }
        _ => {
            // Some lines are written once more elsewhere.
            let from = text[..place(text, chance)].rfind('\n').map_or(0, |n| n + 1);
            let to = text[from..]
                .match_indices('\n')
                .nth(chance.below(6))
                .map_or(text.len(), |(n, _)| from + n + 1);
            let lines = text[from..to].to_owned();
            let at = text[..place(text, chance)].rfind('\n').map_or(0, |n| n + 1);
            text.insert_str(at, &lines);
        }
    }
}

#[test]
fn what_is_remembered_changes_no_finding() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = Vec::new();
    for folder in ["examples", "stdlib-contracts", "tests/ui", "tests/cases"] {
        let folder = root.join(folder);
        if folder.is_dir() {
            collect(&folder, &mut paths);
        }
    }
    assert!(paths.len() > 50);
    let edits: usize = std::env::var("CTRC_EDITS").map_or(2_000, |n| n.parse().unwrap());
    let each = 40;
    let mut chance = Chance(0x9E37_79B9_7F4A_7C15);
    let mut done = 0;
    while done < edits {
        let path = &paths[chance.below(paths.len())];
        let path = DiskWorld.canonical(&path.to_string_lossy());
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        if text.len() > 60_000 {
            continue;
        }
        // A file that others include is edited under one of them, now and then.
        let roots = [path.clone()];
        let mut world = Edited { path, text };
        let mut memory = Memory::default();
        let mut before = vec![world.text.clone()];
        for _ in 0..each {
            done += 1;
            let looked = ctr_front::look(&world, &roots, &mut memory);
            let fresh = ctr_front::compile(&world, &roots);
            assert_eq!(
                looked.diagnostics, fresh.diagnostics,
                "{}:\n{}",
                roots[0], world.text
            );
            assert!(looked.graph == fresh.graph, "{}:\n{}", roots[0], world.text);
            if chance.below(8) == 0 {
                let library = ctr_front::library(&looked);
                assert!(
                    format!("{library:?}") == format!("{:?}", fresh.library),
                    "{}:\n{}",
                    roots[0],
                    world.text
                );
            }
            if chance.below(3) == 0 {
                // Back to a text that was there before.
                world.text = before[chance.below(before.len())].clone();
            } else {
                edit(&mut world.text, &mut chance);
                before.push(world.text.clone());
            }
        }
    }
}
