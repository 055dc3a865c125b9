//! Searching with tables: what an artifact holds of a regular expression, and the loop that runs it.
//!
//! A *program* is one or more *chains*; the expression matches where one of them does. A chain is a list of
//! *stages*. Most have one: a table of a deterministic automaton that finds the expression anywhere in the
//! text. An expression `A.{0,80}B` has two, since one automaton would have to remember all places where `A`
//! has ended: the first stage finds every end of `A`, a counter says for how many more characters `B` may
//! begin, and the second finds `B` from places where it may begin. The newest end of `A` leaves the most
//! room, so one counter is enough (counting-set automata: Turoňová et al., OOPSLA 2020).
//!
//! Everything is little-endian words of 32 bits, but the entries, which have 16:
//!
//! | words | |
//! | --- | --- |
//! | 1 | for which texts it is exact: 0 all; 1 those of whose characters beyond ASCII none belongs to a word; 2 ASCII |
//! | 1 | number of chains; for each its number of stages (1 word), and the stages |
//! | 1 | of a stage: 0, or 1 for one that begins where a counter says (any but the first of a chain) |
//! | 1 | how many characters the gap before it may have at most |
//! | 4 | the ASCII characters that end that gap, a bit each |
//! | 1 | columns of the table: the classes of bytes, and the last one for the end of the text |
//! | 1 | rows |
//! | 1 | the row to start in |
//! | 1 | how many of the first rows are idle: nothing has begun |
//! | 1 | the first of the rows that say: an end was reached before the byte that led here |
//! | 64 | the class of each byte |
//! | | entries, row by row, and for a stage with a counter once more for places where it may begin |
//!
//! An entry is the number of the next row times the number of columns, [`MATCH`] or [`DEAD`] (these only in
//! the last stage of a chain). Rows count what the byte (or the end of the text) tells about the place before it.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::words;

/// The entry for: it matches.
pub const MATCH: u16 = u16::MAX;
/// The entry for: it does not match any more.
pub const DEAD: u16 = u16::MAX - 1;
/// The most entries of a table.
pub const MAX_ENTRIES: usize = DEAD as usize;
/// The most stages of a chain.
pub const MAX_STAGES: usize = 6;

const WORD: usize = 4;
/// Words of a stage before its classes.
const STAGE_WORDS: usize = 11;

/// For which texts a program finds what its expression finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exact {
    /// All.
    Always,
    /// Those whose characters beyond ASCII are all known to belong to no word ([`super::words`]).
    PlainWords,
    /// ASCII.
    Ascii,
}

impl Exact {
    const ALL: [Self; 3] = [Self::Always, Self::PlainWords, Self::Ascii];
}

/// What an artifact says of the search for an expression, as the compiler makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// For which texts it is exact.
    pub exact: Exact,
    /// The chains; none never matches.
    pub chains: Vec<Vec<Stage>>,
}

/// One table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// The gap before it, where it is not the first of its chain.
    pub gap: Option<Gap>,
    /// The class of each byte.
    pub classes: [u8; 256],
    /// Columns: one more than there are classes.
    pub columns: u16,
    /// Rows.
    pub rows: u16,
    /// The row to start in.
    pub start: u16,
    /// How many of the first rows are idle.
    pub idle: u16,
    /// The first of the rows in which an end was reached.
    pub ends: u16,
    /// The entries, by row and column; where there is a gap once for places where it must not begin, and once
    /// for those where it may.
    pub next: Vec<u16>,
}

/// What may stand before a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// How many characters at most.
    pub most: u32,
    /// The ASCII characters that must not be among them, a bit each.
    pub closers: u128,
}

impl Program {
    /// Its bytes in an artifact.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        word(self.exact as usize, &mut out);
        word(self.chains.len(), &mut out);
        for chain in &self.chains {
            word(chain.len(), &mut out);
            for stage in chain {
                stage.write(&mut out);
            }
        }
        out
    }
}

/// Counts are below 2^16.
fn word(value: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&u32::try_from(value).unwrap_or(u32::MAX).to_le_bytes());
}

impl Stage {
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        word(usize::from(self.gap.is_some()), out);
        let gap = self.gap.unwrap_or(Gap {
            most: 0,
            closers: 0,
        });
        out.extend_from_slice(&gap.most.to_le_bytes());
        out.extend_from_slice(&gap.closers.to_le_bytes());
        for count in [self.columns, self.rows, self.start, self.idle, self.ends] {
            word(count.into(), out);
        }
        out.extend_from_slice(&self.classes);
        for entry in &self.next {
            out.extend_from_slice(&entry.to_le_bytes());
        }
        out.resize(out.len().next_multiple_of(WORD), 0);
    }
}

/// Whether what is exact for such texts is exact for that one.
pub(super) fn is_exact(exact: Exact, text: &str) -> bool {
    match exact {
        Exact::Always => true,
        Exact::PlainWords => words::has_plain_words(text),
        Exact::Ascii => text.is_ascii(),
    }
}

/// A program in an artifact, validated.
#[derive(Clone, Debug)]
pub(crate) struct Search<'a> {
    bytes: Cow<'a, [u8]>,
    exact: Exact,
    chains: Vec<Vec<Place>>,
}

/// A stage in the bytes.
#[derive(Clone, Debug)]
pub(super) struct Place {
    gap: Option<Gap>,
    classes: usize,
    next: usize,
    /// Bytes of the entries.
    size: usize,
    /// The last column.
    end: u16,
    start: u16,
    idle: u16,
    ends: u16,
    /// How many entries further those for places where it may begin are.
    open: usize,
}

/// A stage, ready to run.
#[derive(Clone, Copy)]
pub(super) struct Table<'b> {
    classes: &'b [u8; 256],
    next: &'b [[u8; 2]],
    place: &'b Place,
}

impl Place {
    pub(super) fn rows_with_ends(&self) -> usize {
        (self.size / 2 - usize::from(self.ends)) / (usize::from(self.end) + 1)
    }
}

impl Table<'_> {
    /// The bits of all ends that are reached.
    pub(super) fn ends(&self, text: &[u8], bits: &[[u8; 8]]) -> u64 {
        let columns = u32::from(self.place.end) + 1;
        let mut seen = 0;
        let mut note = |state: u16| {
            if let Some(row) = u32::from(state).checked_sub(self.place.ends.into()) {
                let row = (row / columns) as usize;
                seen |= bits.get(row).map_or(0, |bits| u64::from_le_bytes(*bits));
            }
        };
        let mut state = self.place.start;
        for byte in text {
            state = self.step(state, *byte);
            note(state);
        }
        note(self.entry(usize::from(state) + usize::from(self.place.end)));
        seen
    }

    #[inline]
    fn step(&self, state: u16, byte: u8) -> u16 {
        self.entry(usize::from(state) + self.class(byte))
    }

    #[inline]
    fn class(&self, byte: u8) -> usize {
        // There are as many as bytes.
        self.classes
            .get(usize::from(byte))
            .copied()
            .unwrap_or(0)
            .into()
    }

    #[inline]
    fn entry(&self, at: usize) -> u16 {
        // Validated: the entry is there.
        self.next.get(at).map_or(DEAD, |e| u16::from_le_bytes(*e))
    }

    /// The same in the second half, where the stage may begin.
    #[inline]
    fn gated(&self, state: u16, class: usize, open: bool) -> u16 {
        let half = if open { self.place.open } else { 0 };
        self.entry(half + usize::from(state) + class)
    }
}

impl<'a> Search<'a> {
    /// Reads a program, and checks all of it.
    pub(super) fn new(bytes: Cow<'a, [u8]>) -> Result<Self, String> {
        let mut reader = Reader::new(&bytes);
        let exact = reader.exact()?;
        let count = reader.word()?;
        let mut chains = Vec::new();
        for _ in 0..count {
            let stages = reader.word()? as usize;
            if !(1..=MAX_STAGES).contains(&stages) {
                return Err(format!("a chain of {stages} stages"));
            }
            let mut chain = Vec::new();
            for n in 0..stages {
                chain.push(reader.stage(n == 0, n + 1 == stages)?);
            }
            chains.push(chain);
        }
        if reader.at != bytes.len() {
            return Err("something follows its tables".into());
        }
        Ok(Self {
            exact,
            chains,
            bytes,
        })
    }

    pub(super) fn into_owned(self) -> Search<'static> {
        Search {
            bytes: Cow::Owned(self.bytes.into_owned()),
            exact: self.exact,
            chains: self.chains,
        }
    }

    pub(super) fn exact(&self) -> Exact {
        self.exact
    }

    /// Whether it matches somewhere in a text for which it is exact.
    pub(super) fn is_match(&self, text: &[u8]) -> bool {
        self.chains.iter().any(|chain| match &**chain {
            [place] => self.table(place).is_some_and(|table| single(&table, text)),
            stages => self.chained(stages, text).unwrap_or(false),
        })
    }

    fn table<'b>(&'b self, place: &'b Place) -> Option<Table<'b>> {
        table_of(&self.bytes, place)
    }

    /// How many stages each chain has.
    pub(super) fn stages(&self) -> impl Iterator<Item = usize> {
        self.chains.iter().map(Vec::len)
    }

    fn chained(&self, stages: &[Place], text: &[u8]) -> Option<bool> {
        let (first, rest) = stages.split_first()?;
        let first = self.table(first)?;
        let blank = Later {
            table: first,
            gap: Gap {
                most: 0,
                closers: 0,
            },
            state: 0,
            left: 0,
        };
        let mut later = [blank; MAX_STAGES];
        for (later, place) in later.iter_mut().zip(rest) {
            later.table = self.table(place)?;
            later.gap = place.gap?;
            later.state = place.start;
        }
        let later = later.get_mut(..rest.len())?;
        Some(chain(&first, later, text))
    }
}

pub(super) fn table_of<'b>(bytes: &'b [u8], place: &'b Place) -> Option<Table<'b>> {
    let next = bytes.get(place.next..)?.get(..place.size)?;
    Some(Table {
        classes: bytes.get(place.classes..)?.first_chunk()?,
        next: next.as_chunks().0,
        place,
    })
}

/// A stage that is not the first.
#[derive(Clone, Copy)]
struct Later<'b> {
    table: Table<'b>,
    gap: Gap,
    state: u16,
    /// One more than the characters that may still come before it begins; 0 where it must not.
    left: u32,
}

fn single(table: &Table<'_>, text: &[u8]) -> bool {
    let mut state = table.place.start;
    for byte in text {
        state = table.step(state, *byte);
        if state >= DEAD {
            return state == MATCH;
        }
    }
    table.entry(usize::from(state) + usize::from(table.place.end)) == MATCH
}

/// A chain of several stages. `live` of the later ones are under way; those behind are idle.
fn chain(first: &Table<'_>, later: &mut [Later<'_>], text: &[u8]) -> bool {
    let mut state = first.place.start;
    let mut live = 0;
    let mut before = None;
    for byte in text.iter().copied().map(Some).chain([None]) {
        state = match byte {
            Some(byte) => first.step(state, byte),
            None => first.entry(usize::from(state) + usize::from(first.place.end)),
        };
        let ends = state >= first.place.ends;
        if live > 0 || ends {
            // Nothing ends or begins within a character, and characters are counted at their first bytes.
            let starts = byte.is_none_or(|byte| byte & 0xc0 != 0x80);
            let mut ended = ends && starts;
            let mut top = 0;
            for (n, stage) in later.iter_mut().enumerate() {
                if n >= live {
                    if !ended {
                        break;
                    }
                    // An idle stage is in the row that the byte before says.
                    stage.left = 0;
                    stage.state = stage.table.place.start;
                    if let Some(before) = before {
                        let class = stage.table.class(before);
                        stage.state = stage.table.gated(stage.state, class, false);
                    }
                }
                if ended {
                    stage.left = stage.gap.most.saturating_add(1);
                }
                let class = match byte {
                    Some(byte) => stage.table.class(byte),
                    None => usize::from(stage.table.place.end),
                };
                let open = starts && stage.left > 0;
                stage.state = stage.table.gated(stage.state, class, open);
                if stage.state >= DEAD {
                    // Only the last stage says that it matches; what begins anew is never dead.
                    return stage.state == MATCH;
                }
                ended = starts && stage.state >= stage.table.place.ends;
                if let Some(byte) = byte
                    && open
                {
                    let closes = byte < 128 && stage.gap.closers >> byte & 1 == 1;
                    stage.left = if closes { 0 } else { stage.left - 1 };
                }
                if stage.left > 0 || stage.state >= stage.table.place.idle {
                    top = n + 1;
                }
            }
            live = top;
        }
        before = byte;
    }
    false
}

pub(super) struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn rest(&self) -> &'b [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    pub(super) fn exact(&mut self) -> Result<Exact, String> {
        let exact = Exact::ALL.get(self.word()? as usize);
        exact
            .copied()
            .ok_or_else(|| "there is no such exactness".into())
    }

    fn take(&mut self, count: usize) -> Result<&[u8], String> {
        let taken = self.bytes.get(self.at..).and_then(|rest| rest.get(..count));
        self.at += count;
        taken.ok_or_else(|| "its tables end too early".into())
    }

    fn word(&mut self) -> Result<u32, String> {
        let bytes = self.take(WORD)?;
        Ok(bytes.first_chunk().map_or(0, |b| u32::from_le_bytes(*b)))
    }

    pub(super) fn stage(&mut self, first: bool, last: bool) -> Result<Place, String> {
        let header: [u32; STAGE_WORDS] = {
            let mut words = [0; STAGE_WORDS];
            for word in &mut words {
                *word = self.word()?;
            }
            words
        };
        let [kind, most, c0, c1, c2, c3, columns, rows, start, idle, ends] = header;
        if kind != u32::from(!first) || (first && (most, c0, c1, c2, c3) != (0, 0, 0, 0, 0)) {
            return Err("a stage has no gap before it, or the first one has".into());
        }
        let closers = [c0, c1, c2, c3]
            .iter()
            .rev()
            .fold(0, |all, word| all << 32 | u128::from(*word));
        let (columns, rows) = (columns as usize, rows as usize);
        let total = columns.saturating_mul(rows);
        if !(2..=257).contains(&columns) || rows == 0 || total > MAX_ENTRIES {
            return Err(format!("a table of {rows} rows and {columns} columns"));
        }
        if start as usize >= rows || idle as usize > rows || ends as usize > rows {
            return Err("there is no such row".into());
        }
        let classes = self.at;
        if !self
            .take(256)?
            .iter()
            .all(|class| usize::from(*class) + 1 < columns)
        {
            return Err("there is no such class of bytes".into());
        }
        let halves = if first { 1 } else { 2 };
        let next = self.at;
        let size = 2 * total * halves;
        let mut is_row = Vec::new();
        is_row.resize(total, false);
        for row in is_row.iter_mut().step_by(columns) {
            *row = true;
        }
        for entry in self.take(size)?.as_chunks().0 {
            let entry = u16::from_le_bytes(*entry);
            let known = match is_row.get(usize::from(entry)) {
                Some(row) => *row,
                None => last && entry >= DEAD,
            };
            if !known {
                return Err(format!("there is no row at {entry}"));
            }
        }
        let rest = size.next_multiple_of(WORD) - size;
        if self.take(rest)?.iter().any(|byte| *byte != 0) {
            return Err("its tables are not filled up by zeros".into());
        }
        // Numbers of rows times columns are at most `total`.
        let scaled = |row: u32| (row as usize * columns) as u16;
        Ok(Place {
            gap: (!first).then_some(Gap { most, closers }),
            classes,
            next,
            size,
            end: (columns - 1) as u16,
            start: scaled(start),
            idle: scaled(idle),
            ends: scaled(ends),
            open: if first { 0 } else { total },
        })
    }
}
