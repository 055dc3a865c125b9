//! Numbers that repeat (SplitMix64).

/// A source of numbers.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// From a text, so that each input has numbers of its own (FNV-1a).
    pub fn of(text: &str) -> Self {
        Self(text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        }))
    }

    /// A number below `n`; 0 where that is 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        usize::try_from(z % u64::try_from(n.max(1)).unwrap()).unwrap()
    }
}
