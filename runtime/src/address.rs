//! Addresses of the internet protocol, as `host(x)` reads and writes them: as `core::net` does, in a fifth of the
//! code.

use alloc::string::String;
use alloc::vec::Vec;

/// The groups of an address of version 6.
const GROUPS: usize = 8;

/// Four decimal numbers without leading zeros.
pub(crate) fn ipv4(text: &str) -> Option<u32> {
    let (mut address, mut count) = (0_u32, 0);
    for part in text.split('.') {
        let good = !part.is_empty()
            && part.len() <= 3
            && (part == "0" || !part.starts_with('0'))
            && part.bytes().all(|b| b.is_ascii_digit());
        if !good {
            return None;
        }
        let number = part.bytes().fold(0, |n, b| n * 10 + u32::from(b & 15));
        if number > 255 {
            return None;
        }
        (address, count) = (address << 8 | number, count + 1);
        if count > 4 {
            return None;
        }
    }
    (count == 4).then_some(address)
}

/// Appends groups; whether they end with an address of version 4. `None` where the text is no groups.
fn groups(text: &str, out: &mut Vec<u16>) -> Option<bool> {
    let mut parts = text.split(':').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none()
            && let Some(address) = ipv4(part)
        {
            out.extend([(address >> 16) as u16, address as u16]);
            return Some(true);
        }
        let good = matches!(part.len(), 1..=4) && out.len() < GROUPS;
        let mut group = 0;
        for character in part.chars() {
            group = group << 4 | character.to_digit(16)? as u16;
        }
        if !good {
            return None;
        }
        out.push(group);
    }
    Some(false)
}

/// An address of version 6 in its canonical form (RFC 5952); `None` for any other text.
pub(crate) fn ipv6(text: &str) -> Option<String> {
    let gap = text.as_bytes().windows(2).position(|two| two == b"::");
    let mut all = Vec::new();
    match gap {
        None => {
            groups(text, &mut all)?;
        }
        Some(at) => {
            let mut tail = Vec::new();
            let (before, after) = (text.get(..at)?, text.get(at + 2..)?);
            if !before.is_empty() && groups(before, &mut all)? {
                return None;
            }
            if !after.is_empty() {
                groups(after, &mut tail)?;
            }
            // It stands for at least one group.
            let zeros = (GROUPS - 1).checked_sub(all.len() + tail.len())? + 1;
            all.extend((0..zeros).map(|_| 0));
            all.append(&mut tail);
        }
    }
    (all.len() == GROUPS).then(|| canonical(&all))
}

fn canonical(groups: &[u16]) -> String {
    let mut out = String::new();
    if let [0, 0, 0, 0, 0, 0xffff, high, low] = *groups {
        out.push_str("::ffff");
        for (n, byte) in [high >> 8, high & 255, low >> 8, low & 255]
            .into_iter()
            .enumerate()
        {
            out.push(if n == 0 { ':' } else { '.' });
            push_number(byte, 10, &mut out);
        }
        return out;
    }
    // The first of the longest runs of zeros.
    let run = |at: usize| groups.iter().skip(at).take_while(|g| **g == 0).count();
    let (mut start, mut length) = (0, 0);
    for at in 0..groups.len() {
        if run(at) > length {
            (start, length) = (at, run(at));
        }
    }
    if length < 2 {
        (start, length) = (GROUPS, 0);
    }
    for (n, group) in groups.iter().enumerate() {
        if (start..start + length).contains(&n) {
            if n == start {
                out.push_str("::");
            }
            continue;
        }
        if n > 0 && n != start + length {
            out.push(':');
        }
        push_number(*group, 16, &mut out);
    }
    out
}

fn push_number(number: u16, base: u16, out: &mut String) {
    if number >= base {
        push_number(number / base, base, out);
    }
    out.extend(char::from_digit(u32::from(number % base), u32::from(base)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use core::net::{Ipv4Addr, Ipv6Addr};

    /// Against the standard library, on texts made of the pieces of addresses.
    #[test]
    fn is_the_standard_reader() {
        let pieces = [
            ":", ":", "::", ".", "0", "0", "1", "00", "ffff", "FFFF", "db8", "12345", "255", "256",
            "1.2.3.4", "g", "0:0", "",
        ];
        let mut random = crate::chance::numbers(3);
        let mut read = 0;
        let rounds = if cfg!(miri) { 200 } else { 400_000 };
        for round in 0..rounds {
            let mut text = String::new();
            for n in 0..=random(if round % 2 == 0 { 18 } else { 8 }) {
                // Every second text has a colon at every second place.
                let choice = if round % 2 == 0 && n % 2 == 1 {
                    0
                } else {
                    random(pieces.len() as u64)
                };
                text.extend(pieces.get(choice as usize).copied());
            }
            let wanted = text.parse::<Ipv6Addr>().ok().map(|a| a.to_string());
            read += usize::from(wanted.is_some());
            assert_eq!(ipv6(&text), wanted, "{text}");
            let wanted = text.parse::<Ipv4Addr>().ok().map(u32::from);
            assert_eq!(ipv4(&text), wanted, "{text}");
        }
        assert!(read > rounds / 800, "{read}");
        let mut address = 0_u128;
        for _ in 0..if cfg!(miri) { 30 } else { 50_000 } {
            address = match random(3) {
                0 => address << 16,
                1 => address << 16 | u128::from(random(0x1_0000)),
                _ => address >> 16,
            };
            let text = Ipv6Addr::from(address).to_string();
            assert_eq!(ipv6(&text).as_ref(), Some(&text));
            let long = Ipv6Addr::from(address)
                .segments()
                .map(|s| alloc::format!("{s:04X}"))
                .join(":");
            assert_eq!(ipv6(&long), Some(text));
        }
        for text in [
            "1.2.3.4",
            "01.2.3.4",
            "1.2.3",
            "1.2.3.4.5",
            "1.2.3.256",
            "1..2.3",
            "1.2.3.4 ",
            "255.255.255.255",
            "0.0.0.0",
        ] {
            assert_eq!(
                ipv4(text),
                text.parse::<Ipv4Addr>().ok().map(u32::from),
                "{text}"
            );
        }
    }
}
