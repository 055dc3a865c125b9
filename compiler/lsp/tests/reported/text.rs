//! Texts and positions as the protocol has them, written from its specification and from nothing of the server.

/// What a character of a position counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Units {
    Utf8,
    Utf16,
}

impl Units {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
        }
    }

    pub(crate) fn width(self, c: char) -> u32 {
        match self {
            Self::Utf8 => c.len_utf8() as u32,
            Self::Utf16 => c.len_utf16() as u32,
        }
    }

    pub(crate) fn length(self, text: &str) -> u32 {
        text.chars().map(|c| self.width(c)).sum()
    }
}

pub(crate) type Position = (u32, u32);

/// Each line's bytes, without its end: `\n`, `\r\n` or `\r`.
pub(crate) fn lines(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while at < bytes.len() {
        let end = match (bytes[at], bytes.get(at + 1)) {
            (b'\r', Some(b'\n')) => at + 2,
            (b'\r' | b'\n', _) => at + 1,
            _ => {
                at += 1;
                continue;
            }
        };
        out.push((start, at));
        start = end;
        at = end;
    }
    out.push((start, text.len()));
    out
}

/// The position of a byte that begins a character (or ends the text).
pub(crate) fn position(text: &str, offset: usize, units: Units) -> Position {
    let lines = lines(text);
    let line = lines.partition_point(|(start, _)| *start <= offset) - 1;
    let (start, end) = lines[line];
    (line as u32, units.length(&text[start..offset.min(end)]))
}

/// The byte at a position; what is past the end of a line is that end. `None` past the last line and inside a character.
pub(crate) fn offset(text: &str, (line, character): Position, units: Units) -> Option<usize> {
    let (start, end) = *lines(text).get(line as usize)?;
    let mut at = start;
    let mut column = 0;
    for c in text[start..end].chars() {
        if column >= character {
            break;
        }
        column += units.width(c);
        at += c.len_utf8();
    }
    (column <= character).then_some(at)
}

/// The places of a text, for many questions about it.
pub(crate) struct Places<'t> {
    text: &'t str,
    units: Units,
    /// Each line's bytes, and whether its characters are a byte each.
    lines: Vec<(usize, usize, bool)>,
}

impl<'t> Places<'t> {
    pub(crate) fn new(text: &'t str, units: Units) -> Self {
        let lines = lines(text)
            .into_iter()
            .map(|(start, end)| (start, end, text[start..end].is_ascii()))
            .collect();
        Self { text, units, lines }
    }

    pub(crate) fn lines(&self) -> usize {
        self.lines.len()
    }

    /// Whether a position is one that the text has: on a line, not past its end, not inside a character.
    pub(crate) fn has(&self, (line, character): Position) -> bool {
        let Some((start, end, narrow)) = self.lines.get(line as usize) else {
            return false;
        };
        if *narrow {
            return character as usize <= end - start;
        }
        let mut column = 0;
        for c in self.text[*start..*end].chars() {
            if column >= character {
                break;
            }
            column += self.units.width(c);
        }
        column == character
    }
}

/// The nearest byte at or before this one that has a position.
pub(crate) fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let within = text[..at].ends_with('\r') && text[at..].starts_with('\n');
    at - usize::from(within)
}

/// Numbers that look random and are the same on each run (xorshift64*).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    /// Below a bound, which is not 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub(crate) fn one<'t, T: ?Sized>(&mut self, of: &[&'t T]) -> &'t T {
        of[self.below(of.len())]
    }

    /// A byte of a text that has a position: a character begins there, and it is not within a line's end.
    pub(crate) fn boundary(&mut self, text: &str) -> usize {
        boundary(text, self.below(text.len() + 1))
    }
}

#[test]
fn positions_of_the_specification() {
    let text = "a𐐀b\r\nc\rd\n";
    assert_eq!(lines(text), [(0, 6), (8, 9), (10, 11), (12, 12)]);
    assert_eq!(position(text, 5, Units::Utf16), (0, 3));
    assert_eq!(position(text, 5, Units::Utf8), (0, 5));
    assert_eq!(position(text, 10, Units::Utf16), (2, 0));
    assert_eq!(position(text, 12, Units::Utf16), (3, 0));
    assert_eq!(offset(text, (0, 99), Units::Utf16), Some(6));
    assert_eq!(offset(text, (0, 2), Units::Utf16), None);
    assert_eq!(offset(text, (0, 3), Units::Utf16), Some(5));
    assert_eq!(offset(text, (9, 0), Units::Utf16), None);
    let places = Places::new(text, Units::Utf16);
    assert!(places.has((0, 1)) && !places.has((0, 2)) && !places.has((0, 5)));
    assert!(places.has((1, 1)) && !places.has((1, 2)) && !places.has((4, 0)));
    let places = Places::new(text, Units::Utf8);
    assert!(places.has((3, 0)) && !places.has((3, 1)));
}
