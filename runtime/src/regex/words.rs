//! Which texts have no words beyond ASCII.
//!
//! Word boundaries are those of Unicode, and no table of bytes can decide them. On a text whose other characters belong
//! to no word (dashes, quotes, pictures) they are those of ASCII, which tables can.

/// Whether all word characters of a text are ASCII. Only some others are known not to belong to words.
#[must_use]
pub fn has_plain_words(text: &str) -> bool {
    let mut rest = text;
    loop {
        // Most of most texts is ASCII, which is skipped in large steps.
        let skipped = rest
            .as_bytes()
            .chunks(STEP)
            .position(|chunk| !chunk.is_ascii())
            .map(|chunk| chunk * STEP);
        let Some(skipped) = skipped else { return true };
        let after = rest.as_bytes().get(skipped..).unwrap_or_default();
        let start = skipped + after.iter().take_while(|byte| byte.is_ascii()).count();
        let mut characters = rest.get(start..).unwrap_or_default().chars();
        if !characters.next().is_none_or(is_no_word) {
            return false;
        }
        rest = characters.as_str();
    }
}

/// How many bytes are looked at together.
const STEP: usize = 32;

/// Punctuation, symbols and pictures that people use: Unicode counts none of them to a word.
pub(super) fn is_no_word(character: char) -> bool {
    matches!(
        character,
        '\u{a0}'..='\u{a9}'
            | '\u{ab}'..='\u{b1}'
            | '\u{b4}'
            | '\u{b6}'..='\u{b8}'
            | '\u{bb}'
            | '\u{bf}'
            | '\u{d7}'
            | '\u{f7}'
            | '\u{2000}'..='\u{200b}'
            | '\u{200e}'..='\u{203e}'
            | '\u{2041}'..='\u{2053}'
            | '\u{2055}'..='\u{206f}'
            | '\u{20a0}'..='\u{20bf}'
            | '\u{2190}'..='\u{245f}'
            | '\u{2500}'..='\u{2bff}'
            | '\u{fffd}'
            | '\u{1f300}'..='\u{1faff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    #[test]
    fn characters_are_found_wherever_they_stand() {
        for filler in ["", "a", "\u{2014}", "\u{1f44d} ok", "\u{2019}"] {
            for before in (0..70).step_by(if cfg!(miri) { 7 } else { 1 }) {
                let mut text: String = filler.repeat(before);
                assert!(has_plain_words(&text), "{text:?}");
                for (end, plain) in [("\u{2014}", true), ("\u{e9}", false), ("\u{4e2d}", false)] {
                    text.push_str(end);
                    text.push_str(filler);
                    assert_eq!(has_plain_words(&text), plain, "{text:?}");
                }
            }
        }
    }
}
