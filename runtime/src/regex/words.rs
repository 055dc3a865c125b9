//! Which texts have no words beyond ASCII.
//!
//! Word boundaries are those of Unicode, and no table of bytes can decide them. On a text whose other characters belong
//! to no word (dashes, quotes, pictures) they are those of ASCII, which tables can.

/// Whether all word characters of a text are ASCII. Only some others are known not to belong to words.
#[must_use]
pub fn has_plain_words(text: &str) -> bool {
    text.is_ascii() || text.chars().all(|c| c.is_ascii() || is_no_word(c))
}

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
