//! Random numbers for unit tests.

/// Numbers below the one that is asked with (xorshift64, Marsaglia 2003): the same for the same seed, which is not 0.
pub(crate) fn numbers(mut seed: u64) -> impl FnMut(u64) -> u64 {
    move |bound| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % bound
    }
}
