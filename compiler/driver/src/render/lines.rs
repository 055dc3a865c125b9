//! Byte offsets to lines and columns.

/// Where the lines of a text begin. A line ends after `\n`; a `\r` before it belongs to the line
/// end and to no column.
#[derive(Clone, Debug)]
pub struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
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

#[cfg(test)]
mod tests {
    use super::*;

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
