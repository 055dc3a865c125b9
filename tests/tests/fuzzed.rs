//! The properties of the fuzz targets (`fuzz/`), on stable compilers: on the repository's own files, on
//! inputs that once broke one (`fuzz/found`), and on random changes of both.
//!
//! `CTRC_FUZZ_SECONDS=600` goes on with changes for so long, for each group of properties.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

#[path = "../../fuzz/src/lib.rs"]
mod properties;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use properties::random::Random;
use properties::{inputs, layouts, texts};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The texts of all files with these endings below these folders, but the largest.
fn files(folders: &[&str], endings: &[&str]) -> Vec<String> {
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    let mut paths = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path
                .extension()
                .is_some_and(|e| endings.iter().any(|ending| e == *ending))
            {
                paths.push(path);
            }
        }
    }
    paths.sort();
    paths
        .iter()
        .filter_map(|path| fs::read_to_string(path).ok())
        .filter(|text| text.len() < 20_000)
        .collect()
}

/// The words of a dictionary of the fuzzer.
fn words(name: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join("fuzz").join(name)).unwrap();
    let mut words = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let inner = line.strip_prefix('"').unwrap().strip_suffix('"').unwrap();
        let mut bytes = Vec::new();
        let mut rest = inner.bytes();
        while let Some(byte) = rest.next() {
            if byte != b'\\' {
                bytes.push(byte);
                continue;
            }
            match rest.next().unwrap() {
                b'x' => {
                    let digits = [rest.next().unwrap(), rest.next().unwrap()];
                    let digits = String::from_utf8(digits.to_vec()).unwrap();
                    bytes.push(u8::from_str_radix(&digits, 16).unwrap());
                }
                other => bytes.push(other),
            }
        }
        words.push(String::from_utf8(bytes).unwrap());
    }
    words
}

/// A place between two characters.
fn place(text: &str, random: &mut Random) -> usize {
    let mut at = random.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A text changed at some places: parts taken out, doubled, moved, words put in.
fn changed(text: &str, other: &str, words: &[String], random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..=random.below(4) {
        let a = place(&text, random);
        let end = (a + random.below(40)).min(text.len());
        let b = (a..=end)
            .rev()
            .find(|at| text.is_char_boundary(*at))
            .unwrap_or(a);
        let part = text[a..b].to_owned();
        match random.below(6) {
            0 => text.replace_range(a..b, ""),
            1 => text.insert_str(a, &part),
            2 => {
                text.replace_range(a..b, "");
                let to = place(&text, random);
                text.insert_str(to, &part);
            }
            3 => text.replace_range(a..b, &words[random.below(words.len())]),
            4 => text.insert_str(a, &format!(" {} ", words[random.below(words.len())])),
            _ => {
                let from = place(other, random);
                let to = place(other, random);
                text.insert_str(
                    a,
                    &other[from.min(to)..from.max(to).min(from.min(to) + 400)],
                );
            }
        }
    }
    text
}

/// Tries the properties on all texts and on changes of them, as long as there is time.
fn hold(all: &[String], dictionary: &str, count: usize, properties: &[fn(&str)]) {
    assert!(all.len() > 20, "only {} inputs", all.len());
    let words = words(dictionary);
    for text in all {
        properties.iter().for_each(|holds| holds(text));
    }
    let seconds = std::env::var("CTRC_FUZZ_SECONDS")
        .ok()
        .and_then(|seconds| seconds.parse().ok());
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut random = Random(3);
    let mut tried = 0_u64;
    loop {
        let go_on = end.map_or(tried < count as u64, |end| Instant::now() < end);
        if !go_on {
            break;
        }
        let text = &all[random.below(all.len())];
        let other = &all[random.below(all.len())];
        if text.len() > 3_000 {
            continue;
        }
        let text = changed(text, other, &words, &mut random);
        properties.iter().for_each(|holds| holds(&text));
        tried += 1;
    }
    if end.is_some() {
        println!("{tried} texts");
    }
}

#[test]
fn policies() {
    let folders = [
        "examples",
        "stdlib-contracts",
        "tests",
        "grammar/tests",
        "fuzz/found/policies",
    ];
    hold(
        &files(&folders, &["ctr"]),
        "policies.dict",
        300,
        &[texts::lexer, texts::parser, layouts::formatter],
    );
}

#[test]
fn tool_schemas() {
    let folders = [
        "fuzz/found/schemas",
        "compiler/front/tests/data",
        "examples",
        "tests/ui",
    ];
    let mut all = files(&folders, &["json"]);
    let seeds = fs::read_to_string(root().join("fuzz/seeds/schemas.txt")).unwrap();
    all.extend(seeds.lines().map(str::to_owned));
    hold(&all, "json.dict", 1_000, &[inputs::schemas]);
}

#[test]
fn recorded_sessions() {
    let folders = [
        "fuzz/found/traces",
        "runtime/tests/data",
        "examples",
        "stdlib-contracts",
    ];
    let mut all = files(&folders, &["json", "jsonl"]);
    let seeds = fs::read_to_string(root().join("fuzz/seeds/traces.txt")).unwrap();
    all.extend(seeds.split("---\n").map(str::to_owned));
    hold(&all, "json.dict", 1_000, &[inputs::traces, inputs::readers]);
}

/// The fuzzer knows every keyword.
#[test]
fn dictionaries() {
    let words = words("policies.dict");
    for keyword in ctr_grammar::keywords::KEYWORDS {
        assert!(
            words.iter().any(|word| word == keyword.name),
            "{}",
            keyword.name
        );
    }
}
