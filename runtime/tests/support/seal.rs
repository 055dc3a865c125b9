//! Checksums made anew, so that damage gets past them.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

/// Writes the checksum anew, so that damage gets past it.
pub fn seal(bytes: &mut [u8]) {
    let sum = xxh64(&bytes[32..]);
    bytes[24..32].copy_from_slice(&sum.to_le_bytes());
}

/// XXH64 once more, plainly, byte by byte from its specification.
pub fn xxh64(bytes: &[u8]) -> u64 {
    const P: [u64; 5] = [
        0x9E37_79B1_85EB_CA87,
        0xC2B2_AE3D_27D4_EB4F,
        0x1656_67B1_9E37_79F9,
        0x85EB_CA77_C2B2_AE63,
        0x27D4_EB2F_1656_67C5,
    ];
    let round = |acc: u64, word: u64| {
        acc.wrapping_add(word.wrapping_mul(P[1]))
            .rotate_left(31)
            .wrapping_mul(P[0])
    };
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let mut at = 0;
    let mut hash = P[4];
    if bytes.len() >= 32 {
        let mut acc = [P[0].wrapping_add(P[1]), P[1], 0, 0_u64.wrapping_sub(P[0])];
        while bytes.len() - at >= 32 {
            for (n, acc) in acc.iter_mut().enumerate() {
                *acc = round(*acc, word(at + 8 * n));
            }
            at += 32;
        }
        hash = acc[0]
            .rotate_left(1)
            .wrapping_add(acc[1].rotate_left(7))
            .wrapping_add(acc[2].rotate_left(12))
            .wrapping_add(acc[3].rotate_left(18));
        for acc in acc {
            hash = (hash ^ round(0, acc)).wrapping_mul(P[0]).wrapping_add(P[3]);
        }
    }
    hash = hash.wrapping_add(bytes.len() as u64);
    while bytes.len() - at >= 8 {
        hash = (hash ^ round(0, word(at)))
            .rotate_left(27)
            .wrapping_mul(P[0])
            .wrapping_add(P[3]);
        at += 8;
    }
    if bytes.len() - at >= 4 {
        let half = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        hash = (hash ^ u64::from(half).wrapping_mul(P[0]))
            .rotate_left(23)
            .wrapping_mul(P[1])
            .wrapping_add(P[2]);
        at += 4;
    }
    for byte in &bytes[at..] {
        hash = (hash ^ u64::from(*byte).wrapping_mul(P[4]))
            .rotate_left(11)
            .wrapping_mul(P[0]);
    }
    hash = (hash ^ (hash >> 33)).wrapping_mul(P[1]);
    hash = (hash ^ (hash >> 29)).wrapping_mul(P[2]);
    hash ^ (hash >> 32)
}
