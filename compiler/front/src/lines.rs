//! Byte offsets to lines and columns, and back.
//!
//! People and editors count differently. For people ([`Lines::new`]) lines and columns begin at 1, a line
//! ends after `\n` alone, and a byte order mark is no character. Editors ([`Lines::of_editor`]; Language
//! Server Protocol 3.17, "Position") begin at 0, take a lone `\r` for a line end, too, and count everything in the units of
//! the [`Encoding`] that was agreed on.

/// Where the lines of a text begin. A `\r` before a `\n` belongs to the line end and to no column.
#[derive(Clone, Debug)]
pub struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

/// In what an editor counts columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units.
    Utf16,
    /// Unicode scalar values.
    Utf32,
}

/// A place for editors: both from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// How many units of the encoding stand before it in the line.
    pub character: u32,
}

/// A place for people: both from 1; the column counts characters (Unicode scalar values), a tab is
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineColumn {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl<'t> Lines<'t> {
    /// Indexes a text.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        let starts = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        Self { text, starts }
    }

    /// The place of a byte offset; one past the end of the text, or inside a character, is moved
    /// back to the nearest place that exists.
    #[must_use]
    pub fn locate(&self, offset: usize) -> LineColumn {
        let (line, before) = self.before(offset);
        LineColumn {
            line,
            column: before.chars().count() + 1,
        }
    }

    /// The same, with columns in UTF-16 code units.
    #[must_use]
    pub fn locate_utf16(&self, offset: usize) -> LineColumn {
        let (line, before) = self.before(offset);
        LineColumn {
            line,
            column: before.encode_utf16().count() + 1,
        }
    }

    /// Indexes the text of an editor's buffer.
    #[must_use]
    pub fn of_editor(text: &'t str) -> Self {
        let bytes = text.as_bytes();
        let starts = std::iter::once(0)
            .chain(bytes.iter().enumerate().filter_map(|(at, byte)| {
                let ends = *byte == b'\n' || *byte == b'\r' && bytes.get(at + 1) != Some(&b'\n');
                ends.then_some(at + 1)
            }))
            .collect();
        Self { text, starts }
    }

    /// The position of a byte offset in an editor's buffer; one past the end of the text, or inside a
    /// character, is moved back to the nearest that exists.
    #[must_use]
    pub fn position(&self, offset: usize, encoding: Encoding) -> Position {
        let offset = self.text.floor_char_boundary(offset.min(self.text.len()));
        let line = self.starts.partition_point(|start| *start <= offset).max(1) - 1;
        let start = self.starts.get(line).copied().unwrap_or(0);
        // An offset between `\r` and `\n` is the end of the line.
        let end = self.end_of(line).max(start);
        let before = self.text.get(start..offset.min(end)).unwrap_or_default();
        Position {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            character: u32::try_from(units(before, encoding)).unwrap_or(u32::MAX),
        }
    }

    /// The byte offset of an editor's position. One past the end of its line is that end, one past the last
    /// line the end of the text, and one inside a character (between surrogates) the character's beginning.
    #[must_use]
    pub fn offset(&self, position: Position, encoding: Encoding) -> usize {
        let line = position.line as usize;
        let Some(start) = self.starts.get(line).copied() else {
            return self.text.len();
        };
        let end = self.end_of(line).max(start);
        let text = self.text.get(start..end).unwrap_or_default();
        let mut left = position.character as usize;
        for (at, c) in text.char_indices() {
            let width = width(c, encoding);
            if left < width {
                return start + at;
            }
            left -= width;
        }
        end
    }

    /// How many lines there are; the last one may be empty.
    #[must_use]
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// Where the text of a line ends, before its line end.
    fn end_of(&self, line: usize) -> usize {
        let Some(next) = self.starts.get(line + 1).copied() else {
            return self.text.len();
        };
        let before = self.text.get(..next).unwrap_or_default();
        let before = before.strip_suffix('\n').unwrap_or(before);
        before.strip_suffix('\r').unwrap_or(before).len()
    }

    /// The line of an offset and what stands before it there.
    fn before(&self, offset: usize) -> (usize, &str) {
        let offset = self.text.floor_char_boundary(offset.min(self.text.len()));
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = line
            .checked_sub(1)
            .and_then(|index| self.starts.get(index))
            .copied()
            .unwrap_or(0);
        let before = self.text.get(start..offset).unwrap_or_default();
        // A byte order mark is no character of the first line.
        let mark = if start == 0 { '\u{feff}' } else { '\n' };
        let before = before.strip_prefix(mark).unwrap_or(before);
        (line.max(1), before)
    }
}

fn width(c: char, encoding: Encoding) -> usize {
    match encoding {
        Encoding::Utf8 => c.len_utf8(),
        Encoding::Utf16 => c.len_utf16(),
        Encoding::Utf32 => 1,
    }
}

/// How many units a text has.
#[must_use]
pub fn units(text: &str, encoding: Encoding) -> usize {
    match encoding {
        Encoding::Utf8 => text.len(),
        Encoding::Utf16 => text.encode_utf16().count(),
        Encoding::Utf32 => text.chars().count(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

    #[test]
    fn positions_of_editors() {
        let text = "a\u{a3}\u{1f600}e\u{301}b\r\n\tc\rd\n";
        let lines = Lines::of_editor(text);
        assert_eq!(lines.count(), 4);
        let b = text.find('b').unwrap_or(0);
        let at = |offset, encoding| {
            let p = lines.position(offset, encoding);
            (p.line, p.character)
        };
        assert_eq!(at(b, Encoding::Utf8), (0, 10));
        assert_eq!(at(b, Encoding::Utf16), (0, 6));
        assert_eq!(at(b, Encoding::Utf32), (0, 5));
        // Between `\r` and `\n`, after a tab, after a lone `\r`, at the end.
        assert_eq!(at(b + 2, Encoding::Utf16), (0, 7));
        assert_eq!(at(text.find('c').unwrap_or(0), Encoding::Utf16), (1, 1));
        assert_eq!(at(text.find('d').unwrap_or(0), Encoding::Utf16), (2, 0));
        assert_eq!(at(text.len(), Encoding::Utf16), (3, 0));
        assert_eq!(at(text.len() + 7, Encoding::Utf16), (3, 0));
    }

    #[test]
    fn there_and_back() {
        let text = "\u{feff}a\u{a3}\u{1f600}e\u{301}b\r\n\tc\rd\n\n\u{926}\u{94d}x";
        let lines = Lines::of_editor(text);
        for encoding in ALL {
            for (offset, _) in text.char_indices() {
                if text.get(..offset).is_some_and(|t| t.ends_with('\r'))
                    && text.get(offset..).is_some_and(|t| t.starts_with('\n'))
                {
                    continue;
                }
                let position = lines.position(offset, encoding);
                assert_eq!(lines.offset(position, encoding), offset, "{encoding:?}");
            }
        }
    }

    #[test]
    fn positions_that_do_not_exist() {
        let text = "a\u{1f600}b\nc";
        let lines = Lines::of_editor(text);
        let offset = |line, character| lines.offset(Position { line, character }, Encoding::Utf16);
        assert_eq!(offset(0, 2), 1, "between surrogates");
        assert_eq!(offset(0, 99), 6, "past the end of the line");
        assert_eq!(offset(9, 0), text.len(), "past the last line");
        assert_eq!(offset(u32::MAX, u32::MAX), text.len());
        assert_eq!(
            Lines::of_editor("").offset(
                Position {
                    line: 0,
                    character: 5
                },
                Encoding::Utf16
            ),
            0
        );
    }

    fn at(text: &str, offset: usize) -> (usize, usize) {
        let place = Lines::new(text).locate(offset);
        (place.line, place.column)
    }

    #[test]
    fn counts_characters_not_bytes() {
        let text = "a£😀b\r\n\tc";
        assert_eq!(at(text, 0), (1, 1));
        assert_eq!(at(text, text.find('b').unwrap_or(0)), (1, 4));
        assert_eq!(at(text, text.find('c').unwrap_or(0)), (2, 2));
    }

    #[test]
    fn counts_code_units() {
        let text = "a£😀b";
        let place = Lines::new(text).locate_utf16(text.find('b').unwrap_or(0));
        assert_eq!((place.line, place.column), (1, 5));
    }

    #[test]
    fn does_not_count_a_byte_order_mark() {
        assert_eq!(at("\u{feff}ab\n\u{feff}c", 4), (1, 2));
        assert_eq!(at("\u{feff}ab\n\u{feff}c", 9), (2, 2));
    }

    #[test]
    fn clamps_offsets() {
        assert_eq!(at("", 0), (1, 1));
        assert_eq!(at("ab", 99), (1, 3));
        assert_eq!(at("é", 1), (1, 1));
        assert_eq!(at("a\n", 2), (2, 1));
    }
}
