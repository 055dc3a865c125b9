//! A small deterministic random generator (xorshift64*, Vigna 2016), so that a failing test can
//! be repeated from its seed alone.

/// The generator's state.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator for a seed; equal seeds give equal sequences.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mixed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x2545_F491_4F6C_DD1D;
        Self(if mixed == 0 { 1 } else { mixed })
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        let mut x = self.0;
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        self.0 = x;
        x.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `bound` (which is at least 1).
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound.max(1)).unwrap_or(1);
        usize::try_from((self.bits() >> 11) % bound).unwrap_or(0)
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// The seed of a test: `CTRC_ORACLE_SEED`, else the constant given.
#[must_use]
pub fn seed(default: u64) -> u64 {
    number("CTRC_ORACLE_SEED").unwrap_or(default)
}

/// How many batches a test runs: `CTRC_ORACLE_COUNT`, else the constant given.
#[must_use]
pub fn count(default: u64) -> u64 {
    number("CTRC_ORACLE_COUNT").unwrap_or(default)
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.trim().parse().ok()
}
