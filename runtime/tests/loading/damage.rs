//! Valid artifacts, damaged.

use super::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The header: the checksum counts from here on.
const HEADER: usize = 32;

fn artifacts() -> Vec<(&'static str, Vec<u8>)> {
    let mut all: Vec<(&str, Vec<u8>)> = ["refund_desk", "travel_desk", "retail", "airline"]
        .into_iter()
        .map(|name| (name, std::fs::read(data(&format!("{name}.ctrb"))).unwrap()))
        .collect();
    for (name, seed) in [("random 1", 1), ("random 4", 4), ("random 9", 9)] {
        let mut d = Dice::seed(seed);
        let bytes = loop {
            if let Ok(bytes) = encode(&model(&mut d)) {
                break bytes;
            }
        };
        all.push((name, bytes));
    }
    all
}

fn all() -> bool {
    std::env::var("CTRC_FAULTS").is_ok_and(|what| what == "all")
}

/// Tries `count` cases on all cores, or a sample of about `some` of them; says how many loaded.
fn attempt(
    name: &str,
    count: usize,
    some: usize,
    bytes: &[u8],
    damage: impl Fn(usize, &mut Vec<u8>) + Sync,
) -> (usize, usize) {
    let library = Library::load(bytes).unwrap();
    let names = Names::of(&library);
    let stride = if all() { 1 } else { (count / some).max(1) | 1 };
    let start = Instant::now();
    let (tried, loaded) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let cores = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| {
        for core in 0..cores {
            let (names, damage, tried, loaded) = (&names, &damage, &tried, &loaded);
            scope.spawn(move || {
                let list = events(&mut Dice::seed(11), names, 10, false);
                let mut changed = bytes.to_vec();
                for case in (0..count).step_by(stride).skip(core).step_by(cores) {
                    changed.clear();
                    changed.extend_from_slice(bytes);
                    damage(case, &mut changed);
                    tried.fetch_add(1, Ordering::Relaxed);
                    if let Ok(library) = Library::load(&changed[..]) {
                        loaded.fetch_add(1, Ordering::Relaxed);
                        run(&library, &list, case as u64);
                    }
                }
            });
        }
    });
    let (tried, loaded) = (tried.into_inner(), loaded.into_inner());
    if all() {
        let seconds = start.elapsed().as_secs();
        eprintln!("{name}: {tried} cases, {loaded} loaded and ran, {seconds} s");
    }
    (tried, loaded)
}

#[test]
fn every_cut_is_an_error() {
    for (name, bytes) in artifacts() {
        for end in 0..bytes.len() {
            let Err(error) = Library::load(&bytes[..end]) else {
                panic!("{name}, {end} bytes")
            };
            assert_eq!(error.section, "header");
        }
        // With a length and a checksum that fit.
        let (_, loaded) = attempt(name, bytes.len() - HEADER, 600, &bytes, |case, bytes| {
            bytes.truncate(HEADER + case);
            let total = bytes.len() as u64;
            bytes[16..24].copy_from_slice(&total.to_le_bytes());
            seal(bytes);
        });
        assert_eq!(loaded, 0, "{name}");
    }
}

#[test]
fn every_flipped_bit_is_an_error_or_harmless() {
    for (name, bytes) in artifacts() {
        // The checksum finds each.
        let count = 8 * bytes.len();
        let (_, loaded) = attempt(name, count, 600, &bytes, |case, bytes| {
            bytes[case / 8] ^= 1 << (case % 8);
        });
        assert_eq!(loaded, 0, "{name}");
        // What validation does behind it.
        let count = 8 * (bytes.len() - HEADER);
        let (tried, loaded) = attempt(name, count, 400, &bytes, |case, bytes| {
            bytes[HEADER + case / 8] ^= 1 << (case % 8);
            seal(bytes);
        });
        assert!(loaded > 0 && loaded < tried, "{name}: {loaded} of {tried}");
    }
}

/// Lengths, indices, counts, codes: every word at its extremes and next to what it is.
#[test]
fn every_extreme_is_an_error_or_harmless() {
    const EXTREMES: usize = 11;
    for (name, bytes) in artifacts() {
        let word = |n: usize| u32::from_le_bytes(bytes[4 * n..4 * n + 4].try_into().unwrap());
        let count = EXTREMES * (bytes.len() / 4);
        let (tried, loaded) = attempt(name, count, 400, &bytes, |case, changed| {
            let (at, which) = (case / EXTREMES, case % EXTREMES);
            let value = word(at);
            let new = [
                0,
                1,
                0xffff,
                0x1_0000,
                0x7fff_ffff,
                0x8000_0000,
                0x8000_0001,
                u32::MAX - 1,
                u32::MAX,
                value.wrapping_add(1),
                value.wrapping_sub(1),
            ][which];
            changed[4 * at..4 * at + 4].copy_from_slice(&new.to_le_bytes());
            // The header's own checksum is left where it is what was changed.
            if !(6..8).contains(&at) {
                seal(changed);
            }
        });
        assert!(loaded > 0 && loaded < tried, "{name}: {loaded} of {tried}");
    }
}
