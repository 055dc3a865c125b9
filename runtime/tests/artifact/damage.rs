//! Damaged artifacts.

use ctr_runtime::format::{decode, encode};
use proptest::prelude::*;

use crate::sample::{large, load, quick, sample};
use crate::seal::seal;
use crate::walk::walk;

#[test]
fn every_prefix_is_an_error() {
    let bytes = quick();
    for end in 0..bytes.len() {
        let error = load(&bytes[..end]).unwrap_err();
        assert_eq!(error.section, "header", "{end}");
        assert!(error.to_string().contains("ctrc build"));
    }
    // With a length and a checksum that fit the cut.
    for end in 32..bytes.len() {
        let mut cut = bytes[..end].to_vec();
        cut[16..24].copy_from_slice(&(end as u64).to_le_bytes());
        seal(&mut cut);
        assert!(load(&cut).is_err(), "{end}");
    }
}

#[test]
fn garbage_after_the_end_is_an_error() {
    let bytes = encode(&sample()).unwrap();
    for extra in [&[0][..], b"\n", &bytes] {
        let mut long = bytes.clone();
        long.extend_from_slice(extra);
        assert!(load(&long).is_err());
        let total = long.len() as u64;
        long[16..24].copy_from_slice(&total.to_le_bytes());
        seal(&mut long);
        assert!(load(&long).is_err());
    }
}

#[test]
fn foreign_headers_are_named() {
    let bytes = encode(&sample()).unwrap();
    let with = |at: usize, word: &[u8]| {
        let mut changed = bytes.clone();
        changed[at..at + word.len()].copy_from_slice(word);
        load(&changed).unwrap_err().to_string()
    };
    assert!(with(0, b"\x7fELF").contains("no contract library"));
    assert!(with(4, &[1, 2, 3, 4]).contains("byte order"));
    assert!(with(8, &[99, 0, 0, 0]).contains("version 99"));
    assert!(with(12, &[255, 255, 255, 255]).contains("sections"));
    assert!(with(16, &[255; 8]).contains("too early"));
    assert!(with(16, &[0; 8]).contains("follows"));
    assert!(with(24, &[0; 8]).contains("checksum"));
    assert!(load(b"").is_err());
    assert!(
        load(b"contract a {}")
            .unwrap_err()
            .what
            .contains("no contract library")
    );
}

/// Each bit flipped; quietly where the checksum is left, which must find it.
#[test]
fn every_bit_flip_is_found_by_the_checksum() {
    let mut bytes = quick();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            bytes[at] ^= 1 << bit;
            assert!(load(&bytes).is_err(), "byte {at}, bit {bit}");
            bytes[at] ^= 1 << bit;
        }
    }
}

/// Where a section starts and ends.
fn section(bytes: &[u8], n: usize) -> std::ops::Range<usize> {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let start = word(32 + 8 * n);
    start..start + word(36 + 8 * n)
}

#[test]
fn every_bit_flip_past_the_checksum_is_an_error_or_harmless() {
    let bytes = quick();
    let (regexes, texts) = (section(&bytes, 20), section(&bytes, 21));
    let mut accepted = 0;
    let mut changed = bytes.clone();
    for at in (32..bytes.len()).filter(|at| !regexes.contains(at)) {
        // All bits where the build is fast; letters just become other letters, or no UTF-8.
        let some = [0, 7, 1 + at % 6];
        let bits: &[usize] = match (texts.contains(&at), cfg!(debug_assertions)) {
            (true, _) => &[0, 7],
            (false, true) => &some,
            (false, false) => &[0, 1, 2, 3, 4, 5, 6, 7],
        };
        for bit in bits {
            changed[at] ^= 1 << bit;
            seal(&mut changed);
            if let Ok(library) = load(&changed) {
                accepted += 1;
                walk(&library);
                // It is a library in its own right.
                if accepted % 64 == 0 {
                    let again = encode(&decode(&library)).unwrap();
                    assert_eq!(decode(&load(&again).unwrap()), decode(&library));
                }
            }
            changed[at] ^= 1 << bit;
        }
    }
    // Numbers, letters and flags may change into others.
    assert!(accepted > 100);
}

#[test]
fn damaged_regexes_are_errors_or_harmless() {
    let bytes = quick();
    let mut changed = bytes.clone();
    for at in section(&bytes, 20) {
        for bit in [0, 3, 7] {
            changed[at] ^= 1 << bit;
            seal(&mut changed);
            if let Ok(library) = load(&changed) {
                for text in ["", "BEGIN RSA KEY", "aéb", "\u{0}\n"] {
                    let _ = library.regex(0).unwrap().is_match(text);
                }
            }
            changed[at] ^= 1 << bit;
        }
    }
}

/// Every word of the tables set to extremes and to its neighbours.
#[test]
fn extreme_words_are_errors_or_harmless() {
    let bytes = quick();
    let tables = 32..section(&bytes, 20).start;
    let mut changed = bytes.clone();
    for at in tables.step_by(4) {
        let word: [u8; 4] = bytes[at..at + 4].try_into().unwrap();
        let value = u32::from_le_bytes(word);
        for new in [
            0,
            1,
            0x7fff_ffff,
            0x8000_0000,
            0x8000_0001,
            u32::MAX - 1,
            u32::MAX,
            value.wrapping_add(1),
            value.wrapping_sub(1),
        ] {
            changed[at..at + 4].copy_from_slice(&new.to_le_bytes());
            seal(&mut changed);
            if let Ok(library) = load(&changed) {
                walk(&library);
            }
        }
        changed[at..at + 4].copy_from_slice(&word);
    }
}

proptest! {
    /// Several bytes changed at once, past the checksum.
    #[test]
    fn random_damage_is_an_error_or_harmless(
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..6)
    ) {
        let mut bytes = encode(&large(3)).unwrap();
        for (at, byte) in changes {
            let at = 32 + at.index(bytes.len() - 32);
            bytes[at] = byte;
        }
        seal(&mut bytes);
        if let Ok(library) = load(&bytes) {
            walk(&library);
        }
    }

    #[test]
    fn noise_is_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(load(&bytes).is_err());
        let mut framed = b"CTRB\x04\x03\x02\x01\x01\0\0\0\x14\0\0\0".to_vec();
        framed.extend_from_slice(&(32 + bytes.len() as u64).to_le_bytes());
        framed.extend_from_slice(&[0; 8]);
        framed.extend_from_slice(&bytes);
        seal(&mut framed);
        prop_assert!(load(&framed).is_err());
    }
}
