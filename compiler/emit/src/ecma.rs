//! Regular expressions in the language of JSON Schema (ECMA 262 with the flag `u`).
//!
//! The translation goes from what the `regex` crate understands, not from its text, so that classes such as
//! `\d` keep their Unicode meaning and case-insensitive parts are written out. What has no equal (word
//! boundaries by Unicode, line anchors) has no twin: a schema then leaves out what would need it.

use std::fmt::Write as _;

use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind, Look};

/// The longest twin, in bytes: classes of Unicode can be very long.
const MAX_TWIN: usize = 4096;
/// The largest count in a repetition that is taken over: validators have limits of their own.
const MAX_COUNT: u32 = 1000;

/// The twin of a pattern; `None` where it has none, or only a very long one.
pub(crate) fn twin(pattern: &str) -> Option<String> {
    let hir = regex_syntax::parse(pattern).ok()?;
    let mut out = String::new();
    write(&hir, &mut out)?;
    Some(out)
}

fn write(hir: &Hir, out: &mut String) -> Option<()> {
    if out.len() > MAX_TWIN {
        return None;
    }
    match hir.kind() {
        HirKind::Empty => out.push_str("(?:)"),
        HirKind::Literal(literal) => {
            for c in std::str::from_utf8(&literal.0).ok()?.chars() {
                escaped(c, false, out);
            }
        }
        HirKind::Class(Class::Unicode(class)) => self::class(class, out),
        HirKind::Class(Class::Bytes(bytes)) => self::class(&bytes.to_unicode_class()?, out),
        HirKind::Look(Look::Start) => out.push('^'),
        HirKind::Look(Look::End) => out.push('$'),
        HirKind::Look(Look::WordAscii) => out.push_str("\\b"),
        HirKind::Look(Look::WordAsciiNegate) => out.push_str("\\B"),
        HirKind::Look(_) => return None,
        HirKind::Repetition(repetition) => {
            // An assertion cannot be repeated in that language.
            if repetition.sub.properties().maximum_len() == Some(0) {
                return None;
            }
            group(&repetition.sub, out)?;
            match (repetition.min, repetition.max) {
                (min, max) if min > MAX_COUNT || max.is_some_and(|max| max > MAX_COUNT) => {
                    return None;
                }
                (0, None) => out.push('*'),
                (1, None) => out.push('+'),
                (0, Some(1)) => out.push('?'),
                (min, None) => _ = write!(out, "{{{min},}}"),
                (min, Some(max)) if min == max => _ = write!(out, "{{{min}}}"),
                (min, Some(max)) => _ = write!(out, "{{{min},{max}}}"),
            }
        }
        HirKind::Capture(capture) => group(&capture.sub, out)?,
        HirKind::Concat(parts) => {
            for part in parts {
                match part.kind() {
                    HirKind::Alternation(_) => group(part, out)?,
                    _ => write(part, out)?,
                }
            }
        }
        HirKind::Alternation(parts) => {
            for (n, part) in parts.iter().enumerate() {
                if n > 0 {
                    out.push('|');
                }
                write(part, out)?;
            }
        }
    }
    (out.len() <= MAX_TWIN).then_some(())
}

/// A part that operators take as a whole.
fn group(hir: &Hir, out: &mut String) -> Option<()> {
    let whole = match hir.kind() {
        HirKind::Class(_) | HirKind::Capture(_) => true,
        HirKind::Literal(literal) => {
            std::str::from_utf8(&literal.0).is_ok_and(|text| text.chars().count() == 1)
        }
        _ => false,
    };
    if whole {
        return write(hir, out);
    }
    out.push_str("(?:");
    write(hir, out)?;
    out.push(')');
    Some(())
}

fn class(class: &ClassUnicode, out: &mut String) {
    // The shorter of a class and its complement.
    let mut others = class.clone();
    others.negate();
    let negated = class
        .ranges()
        .last()
        .is_some_and(|range| range.end() == char::MAX);
    let ranges = if negated { &others } else { class };
    if ranges.ranges().is_empty() {
        out.push_str(if negated { "[\\s\\S]" } else { "[^\\s\\S]" });
        return;
    }
    if let ([range], false) = (ranges.ranges(), negated)
        && range.start() == range.end()
    {
        escaped(range.start(), false, out);
        return;
    }
    out.push_str(if negated { "[^" } else { "[" });
    for range in ranges.ranges() {
        escaped(range.start(), true, out);
        if range.start() != range.end() {
            out.push('-');
            escaped(range.end(), true, out);
        }
    }
    out.push(']');
}

/// A character, outside of a class or inside.
fn escaped(c: char, inside: bool, out: &mut String) {
    match c {
        '^' | '$' | '\\' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|'
        | '/' => {
            out.push('\\');
            out.push(c);
        }
        '-' if inside => out.push_str("\\-"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\0'..='\x1f' | '\x7f'..='\u{a0}' => _ = write!(out, "\\x{:02x}", u32::from(c)),
        // Characters without a shape of their own.
        '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{feff}' => {
            _ = write!(out, "\\u{:04x}", u32::from(c));
        }
        _ => out.push(c),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::twin;

    #[test]
    fn keeps_what_both_languages_have() {
        for (pattern, expected) in [
            ("BEGIN [A-Z ]*KEY", "BEGIN [ A-Z]*KEY"),
            ("^a(b|c){2,3}$", "^a[b-c]{2,3}$"),
            ("(ab)+x?", "(?:ab)+x?"),
            ("^(foo|bar)-[0-9]+$", "^(?:foo|bar)\\-[0-9]+$"),
            ("a.b", "a[^\\n]b"),
            (r"(?s)a.b", r"a[\s\S]b"),
            ("[^/]", "[^\\/]"),
            ("(?i)ab", "[Aa][Bb]"),
            (
                r"rm\s+-rf",
                "rm[\\t-\\r \\x85\\xa0\u{1680}\\u2000-\\u200a\\u2028-\\u2029\\u202f\u{205f}\u{3000}]+-rf",
            ),
        ] {
            assert_eq!(
                twin(pattern).unwrap().replace("\\-[", "-[").as_str(),
                expected.replace("\\-[", "-["),
                "{pattern}"
            );
        }
    }

    #[test]
    fn has_no_twin_for_what_differs() {
        for pattern in [r"\bword\b", "(?m)^x", r"\w+", "a{2000}", "(?:^)*a"] {
            assert_eq!(twin(pattern), None, "{pattern}");
        }
    }

    /// The twin, read again by the `regex` crate, whose syntax it stays within, finds the same.
    #[test]
    fn finds_the_same() {
        let texts = [
            "",
            "a",
            "ab",
            "AB",
            "a\nb",
            "foo-12",
            "x foo-1",
            "bar-",
            "BEGIN RSA KEY",
            "rm  -rf",
            "é",
            "/",
            "a/b",
        ];
        for pattern in [
            "^a",
            "b$",
            "a.b",
            "(?i)AB",
            "^(foo|bar)-[0-9]+$",
            "BEGIN [A-Z ]*KEY",
            "[^/]",
            r"rm\s+-rf",
            "é?/",
            "^$",
            "a|",
            r"[\d]{2}",
        ] {
            let ours = regex_automata::meta::Regex::new(pattern).unwrap();
            let twin = regex_automata::meta::Regex::new(&twin(pattern).unwrap()).unwrap();
            for text in texts {
                assert_eq!(
                    ours.is_match(text),
                    twin.is_match(text),
                    "{pattern} on {text:?}"
                );
            }
        }
    }
}
