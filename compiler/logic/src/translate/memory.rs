//! What a state remembers of the past: one bit for each past operator.
//!
//! For `a since b` the bit is the value of the whole at the previous step, for `previously a` the
//! value of `a`; both are 0 before the first step. Everything else about the past follows: `a since
//! b` holds now if `b` does, or `a` does and the bit is 1. A state keeps the bits of those past
//! operators only that its formula still contains.

use crate::formula::{Arena, Id, Kind, Time};
use rustc_hash::FxHashMap;

/// A set of bits, by number in [`Memory`].
pub(crate) type Bits = u32;

/// The past operators of one formula, and the interned sets of bits.
#[derive(Debug)]
pub(crate) struct Memory {
    /// The past operators in order of index, so that what stands under one comes before it.
    operators: Vec<Id>,
    number: FxHashMap<Id, u32>,
    sets: Vec<Box<[u64]>>,
    index: FxHashMap<Box<[u64]>, Bits>,
    masks: FxHashMap<Id, Bits>,
}

/// The empty set of bits.
pub(crate) const NO_BITS: Bits = 0;

impl Memory {
    pub(crate) fn new(arena: &Arena, f: Id) -> Self {
        let mut operators: Vec<Id> = if arena.has_past(f) {
            let is_past = |id: &Id| {
                matches!(
                    arena.kind(*id),
                    Kind::Step(Time::Past, _) | Kind::Until(Time::Past, ..)
                )
            };
            arena.reachable(f).into_iter().filter(is_past).collect()
        } else {
            Vec::new()
        };
        operators.sort_unstable();
        let number = operators.iter().zip(0..).map(|(&id, i)| (id, i)).collect();
        let empty: Box<[u64]> = vec![0; operators.len().div_ceil(64)].into_boxed_slice();
        let index = FxHashMap::from_iter([(empty.clone(), NO_BITS)]);
        Self {
            operators,
            number,
            sets: vec![empty],
            index,
            masks: FxHashMap::default(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.operators.is_empty()
    }

    /// The operator with this bit.
    pub(crate) fn operator(&self, bit: u32) -> Option<Id> {
        self.operators.get(bit as usize).copied()
    }

    fn words(&self, bits: Bits) -> &[u64] {
        self.sets.get(bits as usize).map_or(&[], |words| words)
    }

    fn intern(&mut self, words: Box<[u64]>) -> Bits {
        if let Some(&known) = self.index.get(&words) {
            return known;
        }
        let bits = self.sets.len() as Bits;
        self.sets.push(words.clone());
        self.index.insert(words, bits);
        bits
    }

    /// Whether the bit of a past operator (in positive reading) is set.
    pub(crate) fn get(&self, bits: Bits, operator: Id) -> bool {
        let Some(&bit) = self.number.get(&operator) else {
            return false;
        };
        self.words(bits)
            .get(bit as usize / 64)
            .is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }

    /// The bits with one more set.
    pub(crate) fn with(&mut self, bits: Bits, bit: u32) -> Bits {
        let mut words: Box<[u64]> = self.words(bits).into();
        if let Some(word) = words.get_mut(bit as usize / 64) {
            *word |= 1 << (bit % 64);
        }
        self.intern(words)
    }

    /// Those bits that are also in `mask`.
    pub(crate) fn intersect(&mut self, bits: Bits, mask: Bits) -> Bits {
        if bits == mask || bits == NO_BITS || mask == NO_BITS {
            return if bits == mask { bits } else { NO_BITS };
        }
        let words: Box<[u64]> = self
            .words(bits)
            .iter()
            .zip(self.words(mask))
            .map(|(a, b)| a & b)
            .collect();
        self.intern(words)
    }

    /// The members of a set, in order.
    pub(crate) fn members(&self, bits: Bits) -> Vec<u32> {
        let words = self.words(bits).iter().zip(0u32..);
        words
            .flat_map(|(&word, i)| {
                (0..64)
                    .filter(move |bit| word >> bit & 1 == 1)
                    .map(move |bit| i * 64 + bit)
            })
            .collect()
    }

    /// The bits of the past operators that a formula contains.
    pub(crate) fn mask(&mut self, arena: &Arena, f: Id) -> Bits {
        let f = f.positive();
        if !arena.has_past(f) {
            return NO_BITS;
        }
        if let Some(&known) = self.masks.get(&f) {
            return known;
        }
        let mut words: Box<[u64]> = self.words(NO_BITS).into();
        for id in arena.reachable(f) {
            if let Some(&bit) = self.number.get(&id)
                && let Some(word) = words.get_mut(bit as usize / 64)
            {
                *word |= 1 << (bit % 64);
            }
        }
        let mask = self.intern(words);
        self.masks.insert(f, mask);
        mask
    }
}
