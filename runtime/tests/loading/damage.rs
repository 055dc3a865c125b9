//! Valid artifacts, damaged.
//!
//! What is tried on which artifact is such that everything can be tried: an artifact without large tables is
//! damaged in every byte ([`subjects::whole`]), tables of regular expressions alone ([`subjects::programs`]) or with
//! little around them ([`subjects::joint`]), and of large artifacts what refers to tables, with a sample of the rest.

use super::subjects::{
    HEADER, REGEX_AUTOMATA, REGEXES, SECTIONS, STORED, TEXTS, TOGETHER, joint, programs, section,
    stored, whole, word,
};
use super::*;
use ctr_runtime::event::{Event, EventKind, Meta};
use ctr_runtime::regex::Regex;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// What a word is set to.
const EXTREMES: usize = 11;

fn extreme(word: u32, which: usize) -> u32 {
    [
        0,
        1,
        0xffff,
        0x1_0000,
        0x7fff_ffff,
        0x8000_0000,
        0x8000_0001,
        u32::MAX - 1,
        u32::MAX,
        word.wrapping_add(1),
        word.wrapping_sub(1),
    ][which]
}

/// Tries `count` cases on all cores, or a sample of about `some` of them; says how many were tried, and how many
/// accepted. `try_one` is given the number of a case and bytes of its own, which it need not put in order again. The
/// figures of a complete run are printed unless `name` is empty.
fn attempt(
    name: &str,
    count: usize,
    some: usize,
    bytes: &[u8],
    try_one: impl Fn(usize, &mut Vec<u8>) -> bool + Sync,
) -> (usize, usize) {
    let stride = if all() { 1 } else { (count / some).max(1) | 1 };
    let start = Instant::now();
    let (tried, accepted) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let cores = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| {
        for core in 0..cores {
            let (try_one, tried, accepted) = (&try_one, &tried, &accepted);
            scope.spawn(move || {
                let mut changed = bytes.to_vec();
                for case in (0..count).step_by(stride).skip(core).step_by(cores) {
                    changed.clear();
                    changed.extend_from_slice(bytes);
                    tried.fetch_add(1, Ordering::Relaxed);
                    if try_one(case, &mut changed) {
                        accepted.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let (tried, accepted) = (tried.into_inner(), accepted.into_inner());
    if !name.is_empty() {
        tell(name, tried, accepted, start);
    }
    (tried, accepted)
}

/// What a complete run has found.
fn tell(name: &str, tried: usize, accepted: usize, start: Instant) {
    if all() {
        let seconds = start.elapsed().as_secs_f64();
        eprintln!("{name}: {tried} cases, {accepted} accepted, {seconds:.1} s");
    }
}

/// Flips a bit.
fn flip(bytes: &mut [u8], at: usize, bit: usize) {
    bytes[at] ^= 1 << bit;
}

/// Sets a word to an extreme; the checksum is made to fit unless it is what was changed.
fn set(bytes: &mut [u8], at: usize, which: usize) {
    let new = extreme(word(bytes, at), which);
    bytes[at..at + 4].copy_from_slice(&new.to_le_bytes());
    if !(24..32).contains(&at) {
        seal(bytes);
    }
}

/// Cuts, and makes length and checksum fit.
fn cut(bytes: &mut Vec<u8>, end: usize) {
    bytes.truncate(end);
    let total = end as u64;
    bytes[16..24].copy_from_slice(&total.to_le_bytes());
    seal(bytes);
}

#[test]
fn every_cut_is_an_error() {
    for name in STORED {
        let bytes = stored(name);
        for end in 0..bytes.len() {
            let Err(error) = Library::load(&bytes[..end]) else {
                panic!("{name}, {end} bytes")
            };
            assert_eq!(error.section, "header");
        }
    }
    for (name, bytes) in whole() {
        let name = format!("{name}, cuts");
        let (_, loaded) = attempt(&name, bytes.len() - HEADER, 600, &bytes, |case, bytes| {
            cut(bytes, HEADER + case);
            Library::load(&bytes[..]).is_ok()
        });
        assert_eq!(loaded, 0, "{name}");
    }
}

#[test]
fn the_checksum_finds_every_flipped_bit() {
    for (name, bytes) in whole() {
        let name = format!("{name}, bits under the checksum");
        let (_, loaded) = attempt(&name, 8 * bytes.len(), 600, &bytes, |case, bytes| {
            flip(bytes, case / 8, case % 8);
            Library::load(&bytes[..]).is_ok()
        });
        assert_eq!(loaded, 0, "{name}");
    }
}

#[test]
fn every_flipped_bit_is_an_error_or_harmless() {
    for (name, bytes) in whole() {
        let name = format!("{name}, bits");
        let sessions = Sessions::of(&bytes);
        let count = 8 * (bytes.len() - HEADER);
        let (tried, loaded) = attempt(&name, count, 400, &bytes, |case, bytes| {
            flip(bytes, HEADER + case / 8, case % 8);
            seal(bytes);
            sessions.try_on(bytes, HEADER + case / 8, case)
        });
        assert!(loaded > 0 && loaded < tried, "{name}: {loaded} of {tried}");
    }
}

/// Lengths, indices, counts, codes: every word at its extremes and next to what it is.
#[test]
fn every_extreme_is_an_error_or_harmless() {
    for (name, bytes) in whole() {
        let name = format!("{name}, words");
        let sessions = Sessions::of(&bytes);
        let count = EXTREMES * (bytes.len() / 4);
        let (tried, loaded) = attempt(&name, count, 400, &bytes, |case, bytes| {
            let at = 4 * (case / EXTREMES);
            set(bytes, at, case % EXTREMES);
            sessions.try_on(bytes, at, case)
        });
        assert!(loaded > 0 && loaded < tried, "{name}: {loaded} of {tried}");
    }
}

/// What a large artifact says of its tables, and a sample of all of it.
#[test]
fn what_refers_to_large_tables_is_checked() {
    for name in ["retail", "airline"] {
        let bytes = stored(name);
        let sessions = Sessions::of(&bytes);
        let mut places: Vec<usize> = (HEADER..HEADER + 8 * SECTIONS).collect();
        places.extend(section(&bytes, REGEXES));
        places.extend(section(&bytes, TOGETHER));
        places.extend((HEADER..bytes.len()).step_by(97));
        let what = format!("{name} with its tables, bits");
        let (tried, loaded) = attempt(&what, 8 * places.len(), 300, &bytes, |case, bytes| {
            let at = places[case / 8];
            flip(bytes, at, case % 8);
            seal(bytes);
            sessions.try_on(bytes, at, case)
        });
        assert!(loaded > 0 && loaded < tried, "{what}: {loaded} of {tried}");
        places.retain(|at| at % 4 == 0);
        let what = format!("{name} with its tables, words");
        let (tried, loaded) = attempt(
            &what,
            EXTREMES * places.len(),
            300,
            &bytes,
            |case, bytes| {
                let at = places[case / EXTREMES];
                set(bytes, at, case % EXTREMES);
                sessions.try_on(bytes, at, case)
            },
        );
        assert!(loaded > 0 && loaded < tried, "{what}: {loaded} of {tried}");
        let what = format!("{name} with its tables, cuts");
        let (_, loaded) = attempt(&what, bytes.len() - HEADER, 100, &bytes, |case, bytes| {
            cut(bytes, HEADER + case);
            Library::load(&bytes[..]).is_ok()
        });
        assert_eq!(loaded, 0, "{what}");
    }
}

/// Texts to search in: none, with a match of some expressions, with characters of several bytes.
const SEARCHED: [&str; 3] = [
    "",
    "Yes, I confirm the refund of $120 to my card ending in 4242. I have NOT transferred you; no a a.",
    "aaa \u{2014} \u{201c}sorry, I can't\u{201d} \u{1f600}\u{2026} a",
];

/// The tables of each expression alone: every cut, bit, word and entry.
#[test]
fn damaged_tables_are_an_error_or_search_in_bounds() {
    let programs = programs();
    assert!(programs.len() > 15, "{}", programs.len());
    let start = Instant::now();
    let (mut tried, mut accepted) = (0, 0);
    for (pattern, bytes) in programs {
        let search = |bytes: &[u8]| {
            // The text is compiled where the tables are made for other texts, so it is a short one.
            let Ok(regex) = Regex::load("a", bytes) else {
                return false;
            };
            for text in SEARCHED {
                let _ = regex.is_match(text);
            }
            true
        };
        assert!(search(&bytes), "{pattern}");
        let ends = bytes.len();
        let (ends, cuts) = attempt("", ends, 30, &bytes, |end, bytes| {
            bytes.truncate(end);
            search(bytes)
        });
        assert_eq!(cuts, 0, "{pattern}");
        let bits = attempt("", 8 * bytes.len(), 100, &bytes, |case, bytes| {
            flip(bytes, case / 8, case % 8);
            search(bytes)
        });
        let words = EXTREMES * (bytes.len() / 4);
        let words = attempt("", words, 50, &bytes, |case, bytes| {
            let at = 4 * (case / EXTREMES);
            let new = extreme(word(bytes, at), case % EXTREMES);
            bytes[at..at + 4].copy_from_slice(&new.to_le_bytes());
            search(bytes)
        });
        // Entries have 16 bits: what is next to their special values, and to what they are.
        let entries = 8 * (bytes.len() / 2);
        let entries = attempt("", entries, 50, &bytes, |case, bytes| {
            let at = 2 * (case / 8);
            let old = u16::from_le_bytes([bytes[at], bytes[at + 1]]);
            let new = [
                0,
                1,
                u16::MAX,
                u16::MAX - 1,
                u16::MAX - 2,
                0x8000,
                old.wrapping_add(1),
                old.wrapping_sub(1),
            ][case % 8];
            bytes[at..at + 2].copy_from_slice(&new.to_le_bytes());
            search(bytes)
        });
        for (cases, good) in [(ends, cuts), bits, words, entries] {
            tried += cases;
            accepted += good;
        }
    }
    tell("tables of single expressions", tried, accepted, start);
    assert!(accepted > 0 && accepted < tried, "{accepted} of {tried}");
}

/// The tables in which several expressions are searched together.
#[test]
fn damaged_joint_tables_are_an_error_or_search_in_bounds() {
    let joint = joint();
    assert_eq!(joint.len(), 4);
    for (name, output, bytes) in joint {
        let search = |bytes: &mut Vec<u8>| {
            seal(bytes);
            let Ok(library) = Library::load(&bytes[..]) else {
                return false;
            };
            let mut session = Session::new(&library);
            for text in SEARCHED {
                let kind = match output {
                    true => EventKind::Output { text },
                    false => EventKind::Input { text },
                };
                let meta = Meta::default();
                session.record(&Event { kind, meta }, &mut ()).unwrap();
            }
            true
        };
        assert!(search(&mut bytes.clone()), "{name}");
        let tables: Range<usize> = section(&bytes, REGEX_AUTOMATA);
        let what = format!("{name}, bits");
        let (tried, loaded) = attempt(&what, 8 * tables.len(), 300, &bytes, |case, bytes| {
            flip(bytes, tables.start + case / 8, case % 8);
            search(bytes)
        });
        assert!(loaded > 0 && loaded < tried, "{what}: {loaded} of {tried}");
        let what = format!("{name}, words");
        let count = EXTREMES * (tables.len() / 4);
        let (tried, loaded) = attempt(&what, count, 300, &bytes, |case, bytes| {
            let at = tables.start + 4 * (case / EXTREMES);
            let new = extreme(word(bytes, at), case % EXTREMES);
            bytes[at..at + 4].copy_from_slice(&new.to_le_bytes());
            search(bytes)
        });
        assert!(loaded > 0 && loaded < tried, "{what}: {loaded} of {tried}");
    }
}

/// Sessions for what an artifact may become.
struct Sessions {
    list: Vec<Made>,
    texts: Range<usize>,
}

impl Sessions {
    fn of(bytes: &[u8]) -> Self {
        let library = Library::load(bytes).unwrap();
        let names = Names::of(&library);
        Self {
            list: events(&mut Dice::seed(11), &names, 10, false),
            texts: section(bytes, TEXTS),
        }
    }

    /// Whether the bytes load. If so a session is run, and all that is asked of it; where a letter of a text has
    /// become another one, for one bit of each byte.
    fn try_on(&self, bytes: &[u8], at: usize, case: usize) -> bool {
        let Ok(library) = Library::load(bytes) else {
            return false;
        };
        if !self.texts.contains(&at) || (at + case).is_multiple_of(8) {
            run(&library, &self.list, case as u64);
        }
        true
    }
}
