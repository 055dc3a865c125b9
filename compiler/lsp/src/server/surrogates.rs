//! Halves of letters in messages.
//!
//! Texts of editors are lists of UTF-16 units, and one that is cut within an emoji is written as JSON with an escape that is
//! half of it (`"\ud83d"`). That is no character; were the message left out, the editor's text and the server's would be two
//! from then on. U+FFFD takes the place of the half: it is as long, so that all positions after it stay right.

const REPLACEMENT: &[u8] = br"\ufffd";

/// The message with U+FFFD for each half that stands alone; `None` where there is none.
pub(super) fn mended(json: &[u8]) -> Option<Vec<u8>> {
    let mut out: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(rest) = json.get(at..).filter(|rest| !rest.is_empty()) {
        let (length, half) = match unit(rest) {
            Some(0xD800..=0xDBFF) => match rest.get(6..).and_then(unit) {
                Some(0xDC00..=0xDFFF) => (12, false),
                _ => (6, true),
            },
            Some(0xDC00..=0xDFFF) => (6, true),
            Some(_) => (6, false),
            // Another escape, whose second byte begins none.
            None if rest.first() == Some(&b'\\') => (rest.len().min(2), false),
            None => (1, false),
        };
        if half {
            out.get_or_insert_with(|| json.get(..at).unwrap_or_default().to_vec())
                .extend_from_slice(REPLACEMENT);
        } else if let Some(out) = &mut out {
            out.extend_from_slice(rest.get(..length).unwrap_or_default());
        }
        at += length;
    }
    out
}

/// The UTF-16 unit of an escape `\uXXXX` that stands at the beginning.
fn unit(json: &[u8]) -> Option<u32> {
    let digits = json.strip_prefix(br"\u")?.get(..4)?;
    let digits = std::str::from_utf8(digits).ok()?;
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_replaced_and_nothing_else() {
        for (json, expected) in [
            (r#""\ud83d""#, Some(r#""\ufffd""#)),
            (r#""a\udE00b""#, Some(r#""a\ufffdb""#)),
            (r#""\ud83d\ude00""#, None),
            (
                r#""\ud83d\ud83d\ude00\ude00""#,
                Some(r#""\ufffd\ud83d\ude00\ufffd""#),
            ),
            (r#""\\ud83d \" \n \u00e9""#, None),
            (r#""\\\ud83d""#, Some(r#""\\\ufffd""#)),
            (r#""\ud83"#, None),
            (r#""\ud8"#, None),
            ("\"\\", None),
            ("", None),
        ] {
            let got = mended(json.as_bytes());
            assert_eq!(got.as_deref(), expected.map(str::as_bytes), "{json}");
        }
    }
}
