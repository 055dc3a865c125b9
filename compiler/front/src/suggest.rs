//! "Did you mean": the nearest of some names.

use std::cmp::Ordering;

/// Names longer than this, in characters, are compared only by their folded form: the distance is
/// quadratic in the length.
const MAX_COMPARED: usize = 128;

/// The candidate that a writer of `name` most likely meant, or `None` where none is near.
///
/// Two names that differ only in case and separators (`Send_Email`, `sendEmail`, `send-email`) are
/// nearest. Otherwise the distance is the number of insertions, deletions, replacements and swaps of
/// neighbours (restricted Damerau-Levenshtein) between the folded names, and near means at most one
/// for names of up to four characters, two up to eight, and a quarter of the length above. A name
/// equal to `name` itself is no suggestion. Ties go to the alphabetically first, so that the answer
/// does not depend on the order of the candidates.
pub fn nearest<'a, I>(name: &str, candidates: I) -> Option<&'a str>
where
    I: IntoIterator<Item = &'a str>,
{
    let folded = fold(name);
    let length = folded.chars().count();
    if length == 0 {
        return None;
    }
    let limit = match length {
        0..=2 => 0,
        3..=4 => 1,
        5..=8 => 2,
        _ => (length / 4).min(6),
    };
    let mut best: Option<(usize, usize, &str)> = None;
    for candidate in candidates {
        if candidate == name {
            continue;
        }
        let other = fold(candidate);
        let distance = if other == folded {
            0
        } else {
            let other_length = other.chars().count();
            if length > MAX_COMPARED || other_length.abs_diff(length) > limit {
                continue;
            }
            let distance = strsim::osa_distance(&folded, &other);
            // `ab` and `cd` have little distance and nothing in common.
            if distance > limit || distance * 2 > other_length.max(length) {
                continue;
            }
            distance
        };
        // Among folded equals and equal distances the spelling that needs fewest changes.
        let exact = if candidate.chars().count() > MAX_COMPARED {
            MAX_COMPARED
        } else {
            strsim::osa_distance(name, candidate)
        };
        let key = (distance, exact, candidate);
        if best.is_none_or(|old| key.cmp(&old) == Ordering::Less) {
            best = Some(key);
        }
    }
    best.map(|(_, _, candidate)| candidate)
}

/// Lower case, without `_`, `-`, `.`, `/`, `:` and white space.
fn fold(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '_' | '-' | '.' | '/' | ':') && !c.is_whitespace())
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    const TOOLS: [&str; 4] = ["send_email", "read_file", "send_receipt", "get_order"];

    #[test]
    fn near_names() {
        for name in [
            "Send_Email",
            "sendEmail",
            "send_emial",
            "send-email",
            "send_emails",
            "SEND EMAIL",
        ] {
            assert_eq!(nearest(name, TOOLS), Some("send_email"), "{name}");
        }
        assert_eq!(nearest("tru", ["true"]), Some("true"));
    }

    #[test]
    fn far_names() {
        for name in ["x", "", "_", "delete_database", "ab", "send"] {
            assert_eq!(nearest(name, TOOLS), None, "{name}");
        }
        assert_eq!(nearest("cat", ["dog", "a", "b"]), None);
        assert_eq!(nearest("send_email", ["send_email"]), None);
    }

    #[test]
    fn ties_are_stable() {
        assert_eq!(nearest("item_c", ["item_b", "item_a"]), Some("item_a"));
        assert_eq!(nearest("item_c", ["item_a", "item_b"]), Some("item_a"));
        assert_eq!(nearest("a_b", ["ab", "a-b"]), Some("a-b"));
    }

    #[test]
    fn long_names_cost_little() {
        let long = "x".repeat(1_000_000);
        assert_eq!(nearest(&long, TOOLS), None);
        let upper = "X".repeat(1_000_000);
        assert_eq!(nearest(&long, [upper.as_str()]), Some(upper.as_str()));
    }
}
