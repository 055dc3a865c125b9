//! Small tables: automata with the fewest rows and columns.

use rustc_hash::FxHashMap as HashMap;

use ctr_runtime::regex::program::{self, Gap, MAX_ENTRIES, Stage};

/// A row's number in a [`Rows`], or one of the two ends.
pub(super) type Row = u32;
/// It matches.
pub(super) const MATCH: Row = u32::MAX;
/// It does not match any more.
pub(super) const DEAD: Row = u32::MAX - 1;

/// An automaton as it was found. Row 0 is the start.
pub(super) struct Rows {
    /// The class of each byte; the end of the text is the last column.
    pub classes: [u8; 256],
    /// Columns.
    pub columns: usize,
    /// Whether it is the last stage of its chain, whose entries may be [`MATCH`] and [`DEAD`].
    pub last: bool,
    /// Absent for the first stage of a chain; else each row has its columns twice.
    pub gap: Option<Gap>,
    /// Next rows, row by row.
    pub next: Vec<Row>,
    /// What the rows mean.
    pub kinds: Vec<Kind>,
    /// What else they mean: rows that differ there are kept apart. None at all is the same for all.
    pub marks: Vec<u64>,
}

/// What a row means, in the order in which they stand in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    /// Nothing has begun.
    Idle,
    /// Something has.
    Busy,
    /// An end was reached before the byte that led here.
    Ended,
}

impl Rows {
    /// The least table that does the same; `None` where it is too large.
    pub(super) fn least(&self) -> Option<Stage> {
        Some(self.least_marked()?.0)
    }

    /// The same with the marks of its rows with ends.
    pub(super) fn least_marked(&self) -> Option<(Stage, Vec<u64>)> {
        let width = self.columns * if self.gap.is_some() { 2 } else { 1 };
        let blocks = self.blocks(width);
        let block = |row: Row| match blocks.get(row as usize) {
            Some(block) => *block,
            None => row,
        };
        // A representative of each block; blocks are numbered by their first rows, the start first.
        let mut firsts: Vec<usize> = Vec::new();
        for (row, block) in blocks.iter().enumerate() {
            if *block < DEAD && *block as usize == firsts.len() {
                firsts.push(row);
            }
        }
        let kind = |block: usize| firsts.get(block).and_then(|row| self.kinds.get(*row));
        let mut order: Vec<usize> = (0..firsts.len()).collect();
        order.sort_by_key(|block| kind(*block));
        let mut places = vec![0; firsts.len()];
        for (place, block) in order.iter().enumerate() {
            if let Some(entry) = places.get_mut(*block) {
                *entry = place;
            }
        }
        // Columns by row, in the final order.
        let rows: Vec<Vec<Row>> = order
            .iter()
            .filter_map(|block| self.row(*firsts.get(*block)?, width))
            .map(|row| {
                let placed = |to: &Row| match block(*to) {
                    end if end >= DEAD => end,
                    block => places.get(block as usize).map_or(DEAD, |n| *n as Row),
                };
                row.iter().map(placed).collect()
            })
            .collect();
        let same = |a: usize, b: usize| {
            rows.iter().all(|row| {
                row.get(a) == row.get(b)
                    && (self.gap.is_none()
                        || row.get(a + self.columns) == row.get(b + self.columns))
            })
        };
        let end = self.columns - 1;
        let mut kept: Vec<usize> = Vec::new();
        let mut merged = Vec::new();
        for class in 0..end {
            let known = kept.iter().position(|other| same(*other, class));
            merged.push(known.unwrap_or_else(|| {
                kept.push(class);
                kept.len() - 1
            }));
        }
        let mut classes = [0; 256];
        for (to, from) in classes.iter_mut().zip(self.classes) {
            *to = u8::try_from(*merged.get(usize::from(from))?).ok()?;
        }
        kept.push(end);
        let columns = kept.len();
        if rows.len() * columns > MAX_ENTRIES {
            return None;
        }
        let mut next = Vec::new();
        for half in 0..if self.gap.is_some() { 2 } else { 1 } {
            for row in &rows {
                for class in &kept {
                    next.push(match *row.get(class + half * self.columns)? {
                        MATCH => program::MATCH,
                        DEAD => program::DEAD,
                        row => u16::try_from(row as usize * columns).ok()?,
                    });
                }
            }
        }
        let count = |wanted: &[Kind]| {
            let all = order.iter().filter_map(|block| kind(*block));
            u16::try_from(all.filter(|kind| wanted.contains(kind)).count()).ok()
        };
        let marks = order.iter().filter_map(|block| {
            let row = *firsts.get(*block)?;
            (self.kinds.get(row) == Some(&Kind::Ended)).then(|| self.marks.get(row).copied())?
        });
        let stage = Stage {
            gap: self.gap,
            classes,
            columns: u16::try_from(columns).ok()?,
            rows: u16::try_from(rows.len()).ok()?,
            // The start is the first row's block, which is block 0 where it is a row at all.
            start: u16::try_from(*places.first()?).ok()?,
            idle: count(&[Kind::Idle])?,
            ends: count(&[Kind::Idle, Kind::Busy])?,
            next,
        };
        Some((stage, marks.collect()))
    }

    fn row(&self, row: usize, width: usize) -> Option<&[Row]> {
        self.next.get(row * width..(row + 1) * width)
    }

    /// The rows from which each text leads to that end, but for the start.
    fn certain(&self, end: Row, width: usize) -> Vec<bool> {
        let mut certain = vec![true; self.kinds.len()];
        loop {
            let mut changed = false;
            for row in 0..certain.len() {
                let entries = self.row(row, width).unwrap_or_default();
                let sure = |to: &Row| *to == end || certain.get(*to as usize) == Some(&true);
                if certain.get(row) == Some(&true) && (row == 0 || !entries.iter().all(sure)) {
                    changed = true;
                    if let Some(entry) = certain.get_mut(row) {
                        *entry = false;
                    }
                }
            }
            if !changed {
                return certain;
            }
        }
    }

    /// The block of each row: rows in one block cannot be told apart (Moore's refinement). What can only match is
    /// [`MATCH`]; what can only fail, or is never reached, is [`DEAD`].
    fn blocks(&self, width: usize) -> Vec<Row> {
        let mut meanings = HashMap::default();
        let meaning = |(row, kind): (usize, &Kind)| {
            let fresh = meanings.len() as Row;
            let marks = self.marks.get(row).copied().unwrap_or(0);
            *meanings.entry((*kind, marks)).or_insert(fresh)
        };
        let mut blocks: Vec<Row> = self.kinds.iter().enumerate().map(meaning).collect();
        if self.last {
            for end in [MATCH, DEAD] {
                for (block, certain) in blocks.iter_mut().zip(self.certain(end, width)) {
                    if certain {
                        *block = end;
                    }
                }
            }
        }
        let mut reached = vec![false; blocks.len()];
        let mut open = vec![0];
        while let Some(row) = open.pop() {
            if blocks.get(row).is_none_or(|block| *block >= DEAD) {
                continue;
            }
            match reached.get_mut(row) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            let entries = self.row(row, width).unwrap_or_default();
            open.extend(entries.iter().map(|to| *to as usize));
        }
        for (block, reached) in blocks.iter_mut().zip(reached) {
            if !reached && *block != MATCH {
                *block = DEAD;
            }
        }
        let mut count = 0;
        loop {
            let mut numbers: HashMap<Vec<Row>, Row> = HashMap::default();
            let mut refined = Vec::with_capacity(blocks.len());
            for (row, block) in blocks.iter().enumerate() {
                if *block >= DEAD {
                    refined.push(*block);
                    continue;
                }
                let entries = self.row(row, width).unwrap_or_default();
                let mut key = Vec::with_capacity(width + 1);
                key.push(*block);
                key.extend(entries.iter().map(|to| match blocks.get(*to as usize) {
                    Some(block) => *block,
                    None => *to,
                }));
                let fresh = numbers.len() as Row;
                refined.push(*numbers.entry(key).or_insert(fresh));
            }
            blocks = refined;
            if numbers.len() == count {
                return blocks;
            }
            count = numbers.len();
        }
    }
}
