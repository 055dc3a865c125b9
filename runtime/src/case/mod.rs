//! Unicode's mapping to lower and upper case, from tables of runs.
//!
//! The mapping is that of the standard library, whose own tables take 20 kB: with the feature `small` this
//! stands in for them. The tables are made of the standard library's functions, and compared with them for every
//! character, by the tests below; `CTRC_BLESS=1` makes them anew for another version of Unicode.

mod tables;

use alloc::string::String;

use tables::{CASED, IGNORED, LOWER, LOWER_LONG, UPPER, UPPER_LONG};

/// Bits of a character in a word of the tables.
const BITS: u32 = 21;

/// A mapping: runs of (first, every second one or each, how many) and what is added to them, and characters
/// that become several, each followed by what it becomes, and a space.
struct Mapping {
    runs: &'static [(u32, i32)],
    long: &'static str,
    /// The last of them.
    last: char,
}

const LOWERING: Mapping = Mapping {
    runs: LOWER,
    long: LOWER_LONG,
    last: '\u{130}',
};

const UPPERING: Mapping = Mapping {
    runs: UPPER,
    long: UPPER_LONG,
    last: '\u{fb17}',
};

const fn first(word: u32) -> u32 {
    word & ((1 << BITS) - 1)
}

impl Mapping {
    fn push(&self, character: char, out: &mut String) {
        let code = u32::from(character);
        let after = self.runs.partition_point(|run| first(run.0) <= code);
        if let Some((word, add)) = after.checked_sub(1).and_then(|n| self.runs.get(n)) {
            let (step, count) = (1 + (word >> BITS & 1), word >> (BITS + 1));
            let from = code - first(*word);
            if from.is_multiple_of(step) && from / step < count {
                let mapped = char::from_u32(code.wrapping_add_signed(*add));
                return out.push(mapped.unwrap_or(character));
            }
        }
        if !character.is_ascii() && character <= self.last {
            for entry in self.long.split(' ') {
                if let Some(mapped) = entry.strip_prefix(character) {
                    return out.push_str(mapped);
                }
            }
        }
        out.push(character);
    }
}

/// Whether one of the ranges holds a character.
fn holds(ranges: &[u32], character: char) -> bool {
    let code = u32::from(character);
    let after = ranges.partition_point(|range| first(*range) <= code);
    after
        .checked_sub(1)
        .and_then(|n| ranges.get(n))
        .is_some_and(|range| code - first(*range) < range >> BITS)
}

/// Whether the first character that is not ignored has a case.
fn meets_case(mut characters: impl Iterator<Item = char>) -> bool {
    characters
        .find(|c| !holds(IGNORED, *c))
        .is_some_and(|c| holds(CASED, c))
}

/// Appends a character in lower case, as `char::to_lowercase` has it.
pub(crate) fn push_lower(character: char, out: &mut String) {
    LOWERING.push(character, out);
}

/// As `str::to_lowercase`: a Greek sigma at the end of a word is another one.
pub(crate) fn lower(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        if character == 'Σ' {
            let before = text.get(..at).unwrap_or_default();
            let after = text.get(at + character.len_utf8()..).unwrap_or_default();
            let ends_word = meets_case(before.chars().rev()) && !meets_case(after.chars());
            out.push(if ends_word { 'ς' } else { 'σ' });
        } else {
            push_lower(character, &mut out);
        }
    }
    out
}

/// As `str::to_uppercase`.
pub(crate) fn upper(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        UPPERING.push(character, &mut out);
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        missing_docs,
        reason = "tests"
    )]

    use super::*;
    use alloc::string::ToString;
    use alloc::vec::Vec;
    use alloc::{format, vec};
    use std::fs;

    fn all() -> impl Iterator<Item = char> {
        (0..=0x10_ffff).filter_map(char::from_u32)
    }

    /// Whether the standard library takes it for ignored, and for a letter with case.
    fn properties(character: char) -> (bool, bool) {
        let ends = |text: &str| text.to_lowercase().ends_with('ς');
        let cased = ends(&format!("{character}Σ"));
        (ends(&format!("a{character}Σ")) && !cased, cased)
    }

    fn mapping(name: &str, map: impl Fn(char) -> String) -> String {
        let mut runs: Vec<(u32, u32, u32, i32)> = Vec::new();
        let mut long = String::new();
        for c in all() {
            let mapped: Vec<char> = map(c).chars().collect();
            let [to] = mapped[..] else {
                long.push(c);
                long.extend(mapped);
                long.push(' ');
                continue;
            };
            let code = u32::from(c);
            let add = u32::from(to).wrapping_sub(code).cast_signed();
            if add == 0 {
                continue;
            }
            match runs.last_mut() {
                Some((first, step, count, a)) if *a == add && *count < 1000 => {
                    let gap = code - (*first + *step * (*count - 1));
                    if gap == *step || (*count == 1 && gap == 2) {
                        (*step, *count) = (gap, *count + 1);
                        continue;
                    }
                    runs.push((code, 1, 1, add));
                }
                _ => runs.push((code, 1, 1, add)),
            }
        }
        let mut out = format!("pub(super) const {name}: &[(u32, i32)] = &[\n");
        for (first, step, count, add) in runs {
            let word = first | (step - 1) << BITS | count << (BITS + 1);
            out += &format!("    ({word:#x}, {add}),\n");
        }
        let text: String = long
            .trim_end()
            .chars()
            .map(|c| {
                if c == ' ' {
                    c.to_string()
                } else {
                    c.escape_unicode().to_string()
                }
            })
            .collect();
        out + &format!("];\n\npub(super) const {name}_LONG: &str = \"{text}\";\n\n")
    }

    fn ranges(name: &str, is: impl Fn(char) -> bool) -> String {
        let mut ranges: Vec<(u32, u32)> = vec![];
        for code in all().filter(|c| is(*c)).map(u32::from) {
            match ranges.last_mut() {
                Some((first, count)) if *first + *count == code && *count < 2000 => *count += 1,
                _ => ranges.push((code, 1)),
            }
        }
        let mut out = format!("pub(super) const {name}: &[u32] = &[\n");
        for (first, count) in ranges {
            out += &format!("    {:#x},\n", first | count << BITS);
        }
        out + "];\n\n"
    }

    #[test]
    #[cfg_attr(miri, ignore = "all characters, several times")]
    fn the_tables_are_those_of_the_standard_library() {
        let lower = |c: char| c.to_lowercase().collect::<String>();
        let upper = |c: char| c.to_uppercase().collect::<String>();
        if std::env::var_os("CTRC_BLESS").is_some() {
            let properties: Vec<_> = all().map(|c| (c, properties(c))).collect();
            let one = |ignored: bool| {
                let set: alloc::collections::BTreeSet<char> = properties
                    .iter()
                    .filter(|(_, (i, c))| if ignored { *i } else { *c })
                    .map(|(c, _)| *c)
                    .collect();
                move |c: char| set.contains(&c)
            };
            let text = format!(
                "//! Made by the test of this module from the standard library's mapping.\n\n#![cfg_attr(rustfmt, rustfmt_skip)]\n\n{}{}{}{}",
                mapping("LOWER", lower),
                mapping("UPPER", upper),
                ranges("CASED", one(false)),
                ranges("IGNORED", one(true)),
            );
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/case/tables.rs");
            fs::write(path, text.trim_end().to_string() + "\n").unwrap();
            return;
        }
        for c in all() {
            let mut own = String::new();
            push_lower(c, &mut own);
            assert_eq!(own, lower(c), "{c:?}");
            assert_eq!(super::upper(&c.to_string()), upper(c), "{c:?}");
            let (ignored, cased) = properties(c);
            assert_eq!(
                (holds(IGNORED, c), holds(CASED, c) && !ignored),
                (ignored, cased),
                "{c:?}"
            );
        }
    }

    #[test]
    fn sigmas_at_the_end_of_words_are_others() {
        for text in [
            "ΟΔΟΣ",
            "ΟΔΟΣ ΣΣ Σ",
            "ΑΣ'Β",
            "ΑΣ' Β",
            "'Σ",
            "Α.Σ.",
            "aΣ\u{301}b",
            "İSTANBUL Straße ŉ",
        ] {
            assert_eq!(lower(text), text.to_lowercase(), "{text}");
            assert_eq!(upper(text), text.to_uppercase(), "{text}");
        }
    }
}
