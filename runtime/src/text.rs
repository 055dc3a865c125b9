//! Texts of values, and the operations on texts that conditions use (language reference, section 6).

use alloc::borrow::Cow;
use alloc::string::String;

use crate::json;
use crate::value::Value;

/// `text(x)`: a string itself, any other value's canonical JSON.
#[must_use]
pub fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Str(text) => Cow::Borrowed(text),
        other => Cow::Owned(json::to_string(other)),
    }
}

/// A text as `mentioned` compares it: lower case, without white space.
#[must_use]
pub fn normalise(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    normalise_into(text, &mut out);
    out
}

/// Appends what [`normalise`] returns.
///
/// Characters are lowered one by one, and the Greek final sigma like the other: a word must be found
/// wherever it stands in the other text.
pub fn normalise_into(text: &str, out: &mut String) {
    out.reserve(text.len());
    let bytes = text.as_bytes();
    let mut stage = [0_u8; STAGE];
    let mut filled = 0;
    let mut at = 0;
    loop {
        // Room for a word.
        if filled > STAGE - 8 {
            put(&stage, &mut filled, out);
        }
        let byte = if let Some(word) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>())
            && !cfg!(feature = "small")
        {
            // All eight are written, and the next ones over those that shall not stay.
            let (lowered, plain) = lower_word(*word);
            if let Some(place) = stage.get_mut(filled..).and_then(<[u8]>::first_chunk_mut) {
                *place = lowered;
            }
            filled += plain;
            at += plain;
            if plain == 8 {
                continue;
            }
            bytes.get(at).copied()
        } else {
            bytes.get(at).copied()
        };
        let Some(byte) = byte else { break };
        if byte.is_ascii() {
            if let Some(place) = stage.get_mut(filled) {
                *place = byte.to_ascii_lowercase();
            }
            filled += usize::from(!is_ascii_space(byte));
            at += 1;
            continue;
        }
        let Some(character) = text.get(at..).and_then(|rest| rest.chars().next()) else {
            break;
        };
        at += character.len_utf8();
        if !character.is_whitespace() {
            put(&stage, &mut filled, out);
            match character {
                'ς' => out.push('σ'),
                _ => push_lower(character, out),
            }
        }
    }
    put(&stage, &mut filled, out);
}

fn push_lower(character: char, out: &mut String) {
    #[cfg(feature = "small")]
    crate::case::push_lower(character, out);
    #[cfg(not(feature = "small"))]
    out.extend(character.to_lowercase());
}

/// How many bytes are put together before they are appended.
const STAGE: usize = 256;

/// Appends ASCII bytes.
fn put(stage: &[u8; STAGE], filled: &mut usize, out: &mut String) {
    let ascii = stage.get(..*filled).unwrap_or_default();
    out.push_str(core::str::from_utf8(ascii).unwrap_or_default());
    *filled = 0;
}

/// Eight bytes in lower case, and how many of them from the first on are ASCII and no white space. What comes
/// after these means nothing.
fn lower_word(bytes: [u8; 8]) -> ([u8; 8], usize) {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    /// The high bit of each byte that is at least `from`, where no byte has its own high bit set.
    const fn from(word: u64, from: u8) -> u64 {
        word + ONES * (0x80 - from as u64)
    }
    let word = u64::from_le_bytes(bytes);
    let ascii = word & !HIGHS;
    let capital = from(ascii, b'A') & !from(ascii, b'Z' + 1) & HIGHS;
    let control = from(ascii, b'\t') & !from(ascii, b'\r' + 1);
    let space = !from(ascii ^ (ONES * b' ' as u64), 1);
    let stop = (control | space | word) & HIGHS;
    // A capital has not the bit that makes it small.
    let lowered = ascii | capital >> 2;
    (lowered.to_le_bytes(), stop.trailing_zeros() as usize / 8)
}

/// [`char::is_whitespace`] for ASCII.
fn is_ascii_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// `like`: whether the pattern, in which `*` is any run of characters, describes the whole text.
/// There is no escape. Linear in the text for each piece of the pattern.
#[must_use]
pub fn like(text: &str, pattern: &str) -> bool {
    let Some((prefix, rest)) = pattern.split_once('*') else {
        return text == pattern;
    };
    let Some(mut text) = text.strip_prefix(prefix) else {
        return false;
    };
    let (middle, suffix) = rest.rsplit_once('*').unwrap_or(("", rest));
    // The earliest place of each piece leaves the most room for the next ones.
    for piece in middle.split('*') {
        match text.split_once(piece) {
            Some((_, after)) => text = after,
            None => return false,
        }
    }
    text.ends_with(suffix)
}

/// `host(x)`: the host of a URL (`scheme://userinfo@host:port/...`, RFC 3986 section 3.2) or of a
/// plain e-mail address, in lower case, without a final dot, an IPv6 address without brackets and
/// in its canonical form.
///
/// `None` (undefined) where a reader could take another host out of the text: characters that RFC
/// 3986 does not allow in an authority (backslashes, white space, letters beyond ASCII), percent
/// escapes in the host, several `@`, an e-mail address whose local part a reader of URLs could take for a
/// host or a path (any of `/ ? # \ : %`), a port that is no number or above 65535, or a numeric host that is not four
/// decimal numbers.
#[must_use]
pub fn host(text: &str) -> Option<String> {
    match text.split_once("://") {
        Some((scheme, rest)) => {
            if !is_scheme(scheme) {
                return None;
            }
            let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
            let authority = rest.get(..end)?;
            let host_and_port = match authority.split_once('@') {
                Some((userinfo, host)) if userinfo.bytes().all(is_userinfo) => host,
                Some(_) => return None,
                None => authority,
            };
            let (host, port) = split_port(host_and_port)?;
            let digits = port.bytes().all(|byte| byte.is_ascii_digit());
            if !digits || (!port.is_empty() && port.parse::<u16>().is_err()) {
                return None;
            }
            host_name(host)
        }
        None => {
            let (local, domain) = text.split_once('@')?;
            let good = !local.is_empty() && local.bytes().all(|b| is_atom(b) || b == b'.');
            if good { host_name(domain) } else { None }
        }
    }
}

/// The host, and the port or the empty text.
fn split_port(text: &str) -> Option<(&str, &str)> {
    if text.starts_with('[') {
        let end = text.find(']')? + 1;
        let (host, port) = text.split_at_checked(end)?;
        return match port {
            "" => Some((host, "")),
            _ => Some((host, port.strip_prefix(':')?)),
        };
    }
    Some(text.split_once(':').unwrap_or((text, "")))
}

fn host_name(host: &str) -> Option<String> {
    if let Some(literal) = host.strip_prefix('[') {
        return crate::address::ipv6(literal.strip_suffix(']')?);
    }
    let name = host.strip_suffix('.').unwrap_or(host);
    if name.is_empty() || !name.bytes().all(|b| is_unreserved(b) || is_sub_delim(b)) {
        return None;
    }
    // Readers take a host whose last label is a number for an IPv4 address, in notations (octal,
    // hexadecimal, fewer parts) on which they do not agree.
    let last = name.rsplit('.').next().unwrap_or(name);
    let numeric = last.bytes().all(|b| b.is_ascii_digit())
        || last
            .strip_prefix("0x")
            .or_else(|| last.strip_prefix("0X"))
            .is_some_and(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()));
    if numeric && crate::address::ipv4(name).is_none() {
        return None;
    }
    Some(name.to_ascii_lowercase())
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
}

const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

const fn is_sub_delim(byte: u8) -> bool {
    matches!(
        byte,
        b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'='
    )
}

const fn is_userinfo(byte: u8) -> bool {
    is_unreserved(byte) || is_sub_delim(byte) || matches!(byte, b'%' | b':')
}

/// RFC 5322, section 3.2.3: `atext`, without what means something in a URL.
const fn is_atom(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'!' | b'$'
                | b'&'
                | b'\''
                | b'*'
                | b'+'
                | b'-'
                | b'='
                | b'^'
                | b'_'
                | b'`'
                | b'{'
                | b'|'
                | b'}'
                | b'~'
        )
}

/// `lower(x)`, by Unicode's mapping.
#[must_use]
pub fn lower(text: &str) -> String {
    #[cfg(feature = "small")]
    return crate::case::lower(text);
    #[cfg(not(feature = "small"))]
    text.to_lowercase()
}

/// `upper(x)`, by Unicode's mapping.
#[must_use]
pub fn upper(text: &str) -> String {
    #[cfg(feature = "small")]
    return crate::case::upper(text);
    #[cfg(not(feature = "small"))]
    text.to_uppercase()
}

/// `trim(x)`: without white space at both ends.
#[must_use]
pub fn trim(text: &str) -> &str {
    text.trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalising_goes_by_characters() {
        let long = "A b\tC\u{1c}\u{a0}".repeat(100);
        let sigma = "\u{39f}\u{394}\u{39f}\u{3a3} \u{3bf}\u{3b4}\u{3bf}\u{3c2}";
        let mut bytes: String = (0..=0x7f_u8).map(char::from).collect();
        bytes.push_str("\u{85}\u{130}\u{212a}\u{3000}x");
        for text in [
            "",
            " ",
            "Ab",
            &long,
            sigma,
            &bytes,
            "caf\u{e9} \u{c9}T\u{c9}",
        ] {
            let wanted: String = text
                .chars()
                .filter(|c| !c.is_whitespace())
                .flat_map(char::to_lowercase)
                .map(|c| if c == '\u{3c2}' { '\u{3c3}' } else { c })
                .collect();
            assert_eq!(normalise(text), wanted, "{text:?}");
        }
    }
}
