//! Numbers for pairs of indices, each below a bound that is known beforehand: what a product
//! remembers for pairs of states and for pairs of diagram nodes.
//!
//! Products of unrelated automata meet a large part of all pairs, for which a matrix is smaller and
//! faster than any hash table; products of related ones meet few. So the map begins as an
//! open-addressing table and becomes a matrix once it is full enough (a small one at once).

#![expect(
    clippy::indexing_slicing,
    reason = "rows and columns are below the bounds that made the map; masks bound the probes"
)]

/// A partial map from (row, column) to a number below `u32::MAX`.
#[derive(Debug)]
pub(crate) struct Pairs {
    columns: usize,
    /// Rows times columns.
    area: usize,
    cells: Cells,
}

#[derive(Debug)]
enum Cells {
    /// Each value plus one; zero where there is none.
    Matrix(Vec<u32>),
    Table {
        /// Row, column, value plus one; a value of zero is a free entry.
        entries: Vec<(u32, u32, u32)>,
        used: usize,
    },
}

impl Pairs {
    /// Cells that are a matrix from the start: less than it costs to think about it.
    const SMALL: usize = 1 << 14;
    /// The largest matrix: 512 MiB.
    const LARGEST: usize = 1 << 27;
    /// Entries of a table that is large.
    const LARGE: usize = 1 << 20;
    /// A table becomes a matrix when it holds this part of all pairs; it then takes about as much
    /// memory.
    const DENSE: usize = 16;

    pub(crate) fn new(rows: usize, columns: usize) -> Self {
        let area = rows.saturating_mul(columns);
        let cells = if area <= Self::SMALL {
            Cells::Matrix(vec![0; area])
        } else {
            Cells::Table {
                entries: vec![(0, 0, 0); 256],
                used: 0,
            }
        };
        Self {
            columns,
            area,
            cells,
        }
    }

    #[inline]
    pub(crate) fn get(&self, row: u32, column: u32) -> Option<u32> {
        match &self.cells {
            Cells::Matrix(values) => {
                values[row as usize * self.columns + column as usize].checked_sub(1)
            }
            Cells::Table { entries, .. } => {
                let entry = entries[slot(entries, row, column)];
                entry.2.checked_sub(1)
            }
        }
    }

    #[inline]
    pub(crate) fn insert(&mut self, row: u32, column: u32, value: u32) {
        match &mut self.cells {
            Cells::Matrix(values) => {
                values[row as usize * self.columns + column as usize] = value + 1;
            }
            Cells::Table { entries, used } => {
                let slot = slot(entries, row, column);
                entries[slot] = (row, column, value + 1);
                *used += 1;
                if *used * 8 > entries.len() * 5 {
                    self.grow();
                }
            }
        }
    }

    #[cold]
    fn grow(&mut self) {
        let Cells::Table { entries, used } = &self.cells else {
            return;
        };
        let taken = entries.iter().filter(|entry| entry.2 != 0);
        if self.area <= Self::LARGEST && *used >= self.area / Self::DENSE {
            let mut values = vec![0; self.area];
            for &(row, column, value) in taken {
                values[row as usize * self.columns + column as usize] = value;
            }
            self.cells = Cells::Matrix(values);
        } else {
            // Large tables grow by less: memory counts then.
            let factor = if entries.len() < Self::LARGE { 4 } else { 2 };
            let mut larger = vec![(0, 0, 0); entries.len() * factor];
            for &(row, column, value) in taken {
                let slot = slot(&larger, row, column);
                larger[slot] = (row, column, value);
            }
            self.cells = Cells::Table {
                entries: larger,
                used: *used,
            };
        }
    }
}

/// The entry of the pair, or the free one where it would stand.
#[inline]
fn slot(entries: &[(u32, u32, u32)], row: u32, column: u32) -> usize {
    let mask = entries.len() - 1;
    let key = (u64::from(row) << 32 | u64::from(column)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut slot = (key ^ key >> 32) as usize & mask;
    loop {
        let entry = entries[slot];
        if entry.2 == 0 || (entry.0 == row && entry.1 == column) {
            return slot;
        }
        slot = (slot + 1) & mask;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values are found again while the table grows, and after it became a matrix.
    #[test]
    fn remembers_pairs_in_both_forms() {
        for (rows, columns, step) in [(40, 30, 7), (500, 400, 3), (100_000, 100_000, 99_991)] {
            let mut map = Pairs::new(rows, columns);
            let area = rows * columns;
            let places: Vec<usize> = (0..40_000).map(|i| i * step % area).collect();
            let split = |place: usize| ((place / columns) as u32, (place % columns) as u32);
            let mut known = std::collections::BTreeMap::new();
            for (value, &place) in places.iter().enumerate() {
                let (row, column) = split(place);
                let before = known.get(&place).copied();
                assert_eq!(map.get(row, column), before);
                if before.is_none() {
                    map.insert(row, column, value as u32);
                    known.insert(place, value as u32);
                }
            }
            for (&place, &value) in &known {
                let (row, column) = split(place);
                assert_eq!(map.get(row, column), Some(value));
            }
        }
    }
}
