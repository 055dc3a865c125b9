//! Regular expressions as languages of Z3.
//!
//! A search for an expression is membership of the whole text in `.* expression .*`, anchors aside.
//! The translation is exact or there is none, unless an approximation by ASCII is asked for: what a witness
//! is made with is checked afterwards.

use regex_syntax::hir::{Class, Hir, HirKind, Look};
use z3::ast::Regexp;

/// So many characters beyond ASCII are listed one by one.
const LISTED: u32 = 64;
/// The largest counted repetition.
const REPEATED: u32 = 64;

/// A text as Z3 reads it; `None` where it cannot.
pub(super) fn escaped(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_graphic() && c != '\\' || c == ' ' {
            out.push(c);
        } else if u32::from(c) <= 0x2_ffff {
            out.push_str(&format!("\\u{{{:x}}}", u32::from(c)));
        } else {
            return None;
        }
    }
    Some(out)
}

/// A text as Z3 wrote it.
pub(super) fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let code = rest.strip_prefix("\\u{").and_then(|tail| {
            let (digits, after) = tail.split_once('}')?;
            Some((
                char::from_u32(u32::from_str_radix(digits, 16).ok()?)?,
                after,
            ))
        });
        let code = code.or_else(|| {
            let tail = rest.strip_prefix("\\x")?;
            let digits = tail.get(..2)?;
            Some((
                char::from_u32(u32::from_str_radix(digits, 16).ok()?)?,
                tail.get(2..)?,
            ))
        });
        if let Some((c, after)) = code {
            out.push(c);
            rest = after;
        } else {
            out.push(c);
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
        }
    }
    out
}

/// The texts in which a search finds something.
pub(super) fn search(pattern: &str, approximate: bool) -> Option<Regexp> {
    let hir = regex_syntax::parse(pattern).ok()?;
    whole(&hir, approximate)
}

/// The texts that `like` accepts: `*` is any run.
pub(super) fn like(pattern: &str) -> Option<Regexp> {
    let mut parts = Vec::new();
    for (index, literal) in pattern.split('*').enumerate() {
        if index > 0 {
            parts.push(Regexp::full());
        }
        if !literal.is_empty() {
            parts.push(Regexp::literal(&escaped(literal)?));
        }
    }
    concat(parts)
}

fn concat(parts: Vec<Regexp>) -> Option<Regexp> {
    match parts.as_slice() {
        [] => Some(Regexp::literal("")),
        [one] => Some(one.clone()),
        _ => Some(Regexp::concat(&parts)),
    }
}

fn union(parts: Vec<Regexp>) -> Option<Regexp> {
    match parts.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        _ => Some(Regexp::union(&parts)),
    }
}

/// The texts with a match, anchors at both ends taken into account.
fn whole(hir: &Hir, approximate: bool) -> Option<Regexp> {
    match hir.kind() {
        HirKind::Alternation(parts) => union(
            parts
                .iter()
                .map(|part| whole(part, approximate))
                .collect::<Option<Vec<_>>>()?,
        ),
        HirKind::Capture(capture) => whole(&capture.sub, approximate),
        _ => {
            let one = [hir.clone()];
            let mut parts: &[Hir] = match hir.kind() {
                HirKind::Concat(parts) => parts,
                _ => &one,
            };
            let is = |hir: &Hir, look: Look| matches!(hir.kind(), HirKind::Look(l) if *l == look);
            let mut out = vec![Regexp::full()];
            if let [first, rest @ ..] = parts
                && is(first, Look::Start)
            {
                out.clear();
                parts = rest;
            }
            let mut tail = vec![Regexp::full()];
            if let [rest @ .., last] = parts
                && is(last, Look::End)
            {
                tail.clear();
                parts = rest;
            }
            for part in parts {
                out.push(language(part, approximate)?);
            }
            out.append(&mut tail);
            concat(out)
        }
    }
}

fn language(hir: &Hir, approximate: bool) -> Option<Regexp> {
    match hir.kind() {
        HirKind::Empty => Some(Regexp::literal("")),
        HirKind::Literal(literal) => Some(Regexp::literal(&escaped(
            std::str::from_utf8(&literal.0).ok()?,
        )?)),
        HirKind::Class(Class::Unicode(class)) => {
            let ranges: Vec<(u32, u32)> = class
                .ranges()
                .iter()
                .map(|r| (u32::from(r.start()), u32::from(r.end())))
                .collect();
            characters(&ranges, approximate)
        }
        HirKind::Class(Class::Bytes(_)) | HirKind::Look(_) => None,
        HirKind::Repetition(repetition) => {
            let inner = language(&repetition.sub, approximate)?;
            Some(match (repetition.min, repetition.max) {
                (0, None) => inner.star(),
                (1, None) => inner.plus(),
                (0, Some(1)) => inner.option(),
                (min, None) if min <= REPEATED => {
                    Regexp::concat(&[inner.r#loop(min, min), inner.star()])
                }
                (min, Some(max)) if max <= REPEATED => inner.r#loop(min, max),
                _ => return None,
            })
        }
        HirKind::Capture(capture) => language(&capture.sub, approximate),
        HirKind::Concat(parts) => concat(
            parts
                .iter()
                .map(|part| language(part, approximate))
                .collect::<Option<Vec<_>>>()?,
        ),
        HirKind::Alternation(parts) => union(
            parts
                .iter()
                .map(|part| language(part, approximate))
                .collect::<Option<Vec<_>>>()?,
        ),
    }
}

/// Any one character: not nothing, and not two or more. (Z3 has a word of its own for it since 4.8.13.)
fn any_character() -> Regexp {
    let some = Regexp::literal("").complement();
    let more = Regexp::concat(&[some.clone(), some.clone()]);
    Regexp::intersect(&[some, more.complement()])
}

/// One character of some ranges.
fn characters(ranges: &[(u32, u32)], approximate: bool) -> Option<Regexp> {
    let has = |c: u32| ranges.iter().any(|(low, high)| (*low..=*high).contains(&c));
    let beyond: u32 = ranges
        .iter()
        .filter(|(_, high)| *high >= 0x80)
        .map(|(low, high)| high - low.max(&0x80) + 1)
        .sum();
    // Surrogates are no characters.
    let all_beyond = 0x10_ffff - 0x80 + 1 - 0x800;
    let single = |c: u32| Some(Regexp::literal(&escaped(&char::from_u32(c)?.to_string())?));
    if beyond >= all_beyond && !approximate {
        let excluded: Option<Vec<Regexp>> = (0..0x80).filter(|c| !has(*c)).map(single).collect();
        let any = any_character();
        return Some(match union(excluded?) {
            Some(excluded) => Regexp::intersect(&[any, excluded.complement()]),
            None => any,
        });
    }
    let mut parts = Vec::new();
    // Printable ASCII in ranges, the rest one by one.
    let mut c = 0;
    while c < 0x80 {
        if !has(c) {
            c += 1;
            continue;
        }
        let mut end = c;
        while end + 1 < 0x7f && c > 0x20 && has(end + 1) && end + 1 != u32::from('\\') {
            end += 1;
        }
        if end > c && c != u32::from('\\') {
            parts.push(Regexp::range(&char::from_u32(c)?, &char::from_u32(end)?));
            c = end + 1;
        } else {
            parts.push(single(c)?);
            c += 1;
        }
    }
    if beyond > 0 && !approximate {
        if beyond > LISTED {
            return None;
        }
        for (low, high) in ranges.iter().filter(|(_, high)| *high >= 0x80) {
            for c in *low.max(&0x80)..=*high {
                parts.push(single(c)?);
            }
        }
    }
    union(parts)
}
