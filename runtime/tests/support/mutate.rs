//! Mutations of an artifact that keep its preamble.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use super::random::Dice;
use super::seal::seal;

/// Where the checksum begins to count.
const HEADER: usize = 32;

/// Changes words, bytes and runs behind the header, and makes the length and the checksum fit.
pub fn mutate(d: &mut Dice<'_>, bytes: &mut Vec<u8>) {
    for _ in 0..1 + d.below(6) {
        let words = bytes.len() / 4;
        // Records are where the tables are: not so often in the texts.
        let at = 4 * (8 + d.below(words - 8).min(d.below(words - 8)));
        let word = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let other = 4 * (8 + d.below(words - 8));
        match d.below(9) {
            0 => bytes[at] ^= 1 << d.below(8),
            1 => bytes[at..at + 4].copy_from_slice(&word.wrapping_add(1).to_le_bytes()),
            2 => bytes[at..at + 4].copy_from_slice(&word.wrapping_sub(1).to_le_bytes()),
            3 => bytes[at..at + 4].copy_from_slice(&(d.below(64) as u32).to_le_bytes()),
            // One word for another: an index of the right size in the wrong place.
            4 | 5 => {
                let (a, b): ([u8; 4], [u8; 4]) = (
                    bytes[at..at + 4].try_into().unwrap(),
                    bytes[other..other + 4].try_into().unwrap(),
                );
                bytes[at..at + 4].copy_from_slice(&b);
                if d.chance(50) {
                    bytes[other..other + 4].copy_from_slice(&a);
                }
            }
            6 => bytes[at..at + 4].copy_from_slice(&d.pick(&[0, u32::MAX, 1 << 31]).to_le_bytes()),
            7 => {
                let run = (1 + d.below(16)).min(bytes.len() - at.max(other));
                bytes.copy_within(other..other + run, at);
            }
            _ if d.chance(10) => bytes.truncate(at.max(HEADER)),
            _ => bytes[at] = d.below(256) as u8,
        }
        if bytes.len() < HEADER + 64 {
            break;
        }
    }
    let total = bytes.len() as u64;
    bytes[16..24].copy_from_slice(&total.to_le_bytes());
    seal(bytes);
}
