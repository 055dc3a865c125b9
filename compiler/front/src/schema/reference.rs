//! Local references: JSON pointers (RFC 6901) in URI fragments.

use super::json::{Kind, Value};

/// The longest search for an anchor, in values looked at.
const MAX_SEARCH: usize = 100_000;

/// Where a reference leads.
#[derive(Debug)]
pub(super) enum Target<'a> {
    /// To this schema.
    Found(&'a Value),
    /// Into another document.
    Remote,
    /// To an anchor that is not there.
    Anchor,
    /// To a part that is not there.
    Missing {
        /// The first part that is missing.
        part: String,
        /// What there is in its place.
        keys: Vec<&'a str>,
    },
    /// It cannot be read.
    Malformed,
}

/// Follows `text` from `root`, the schema as a whole.
pub(super) fn resolve<'a>(root: &'a Value, text: &str) -> Target<'a> {
    let (document, fragment) = text.split_once('#').unwrap_or((text, ""));
    let own = |key| root.get(key).and_then(Value::as_str);
    let this = document.is_empty()
        || [own("$id"), own("id")]
            .into_iter()
            .flatten()
            .any(|id| id.trim_end_matches('#') == document);
    if text.is_empty() {
        return Target::Malformed;
    }
    if !this {
        return Target::Remote;
    }
    let Some(fragment) = percent_decoded(fragment) else {
        return Target::Malformed;
    };
    if fragment.is_empty() {
        return Target::Found(root);
    }
    let Some(pointer) = fragment.strip_prefix('/') else {
        return anchor(root, &fragment).map_or(Target::Anchor, Target::Found);
    };
    let mut here = root;
    for part in pointer.split('/') {
        let Some(part) = unescaped(part) else {
            return Target::Malformed;
        };
        let next = match &here.kind {
            Kind::List(items) => index(&part).and_then(|i| items.get(i)),
            _ => here.get(&part),
        };
        let Some(next) = next else {
            let keys = match &here.kind {
                Kind::Record(members) => members.iter().map(|m| m.key.as_str()).collect(),
                _ => Vec::new(),
            };
            return Target::Missing { part, keys };
        };
        here = next;
    }
    Target::Found(here)
}

/// A list index: digits without leading zeros.
fn index(part: &str) -> Option<usize> {
    let plain = part == "0" || (!part.starts_with('0') && !part.starts_with('+'));
    plain.then(|| part.parse().ok()).flatten()
}

/// `~1` is `/` and `~0` is `~`; any other `~` is an error.
fn unescaped(part: &str) -> Option<String> {
    let mut out = String::with_capacity(part.len());
    let mut chars = part.chars();
    while let Some(c) = chars.next() {
        out.push(match c {
            '~' => match chars.next() {
                Some('0') => '~',
                Some('1') => '/',
                _ => return None,
            },
            other => other,
        });
    }
    Some(out)
}

/// `%2F` is the byte 0x2F; the whole must be UTF-8.
fn percent_decoded(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let high = char::from(bytes.next()?).to_digit(16)?;
            let low = char::from(bytes.next()?).to_digit(16)?;
            out.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).ok()
}

/// The schema with `$anchor: name` (or, in old drafts, `$id: "#name"`).
fn anchor<'a>(root: &'a Value, name: &str) -> Option<&'a Value> {
    let mut rest = vec![root];
    let mut seen = 0;
    while let Some(value) = rest.pop() {
        seen += 1;
        if seen > MAX_SEARCH {
            return None;
        }
        match &value.kind {
            Kind::List(items) => rest.extend(items.iter().rev()),
            Kind::Record(members) => {
                let old = |key| {
                    value
                        .get(key)
                        .and_then(Value::as_str)
                        .and_then(|id| id.strip_prefix('#'))
                };
                let new = value.get("$anchor").and_then(Value::as_str);
                if [new, old("$id"), old("id")].contains(&Some(name)) {
                    return Some(value);
                }
                rest.extend(members.iter().rev().map(|m| &m.value));
            }
            _ => {}
        }
    }
    None
}
