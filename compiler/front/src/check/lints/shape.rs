//! What a regular expression asks of a text, read off its syntax.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look};

/// How deeply an expression may be nested to be looked at.
const NEST_LIMIT: u32 = 100;

/// The expression, or none where it has an error (reported elsewhere).
pub(super) fn parse(pattern: &str, flags: &str) -> Option<Hir> {
    ParserBuilder::new()
        .nest_limit(NEST_LIMIT)
        .case_insensitive(flags.contains('i'))
        .multi_line(flags.contains('m'))
        .dot_matches_new_line(flags.contains('s'))
        .ignore_whitespace(flags.contains('x'))
        .swap_greed(flags.contains('U'))
        .build()
        .parse(pattern)
        .ok()
}

/// Without the parentheses around it.
fn inside(hir: &Hir) -> &Hir {
    let mut at = hir;
    while let HirKind::Capture(capture) = at.kind() {
        at = &capture.sub;
    }
    at
}

/// The parts of a sequence; the expression itself where it is none.
fn sequence(hir: &Hir) -> &[Hir] {
    match hir.kind() {
        HirKind::Concat(parts) => parts,
        _ => std::slice::from_ref(hir),
    }
}

/// Whether a search finds it in every text: it fits the empty text, wherever that stands.
pub(super) fn fits_everywhere(hir: &Hir) -> bool {
    let mut parts = sequence(inside(hir));
    // One end of a text is always there, both at once are not.
    if let [first, rest @ ..] = parts
        && *first.kind() == HirKind::Look(Look::Start)
    {
        parts = rest;
    } else if let [rest @ .., last] = parts
        && *last.kind() == HirKind::Look(Look::End)
    {
        parts = rest;
    }
    parts.iter().all(|part| {
        let properties = part.properties();
        properties.minimum_len() == Some(0) && properties.look_set().is_empty()
    })
}

/// Whether some text of it holds a letter that `wanted` is true of and that nothing can stand for.
pub(super) fn asks_for(hir: &Hir, wanted: fn(char) -> bool) -> bool {
    match hir.kind() {
        HirKind::Literal(literal) => {
            std::str::from_utf8(&literal.0).is_ok_and(|text| text.chars().any(wanted))
        }
        HirKind::Repetition(repetition) => repetition.min > 0 && asks_for(&repetition.sub, wanted),
        _ => hir.kind().subs().iter().any(|sub| asks_for(sub, wanted)),
    }
}

/// The ends at which a search may leave something out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Open {
    /// Before what fits.
    Start,
    /// After it.
    End,
    /// On both sides.
    Both,
    /// The first of several alternatives has the one anchor and the last the other.
    Alternatives,
}

/// Where an expression that describes a whole value (a host, an address, a number of letters) leaves
/// room for something else; none where it is anchored, or looks for words in a text. `whole`: the value
/// is one of which a part says nothing.
pub(super) fn left_open(hir: &Hir, whole: bool) -> Option<Open> {
    let properties = hir.properties();
    let looks = properties.look_set();
    let text_ends = |look: Look| matches!(look, Look::Start | Look::End);
    // Who asks for lines or words knows that the text has several.
    if fits_everywhere(hir) || looks.iter().any(|look| !text_ends(look)) {
        return None;
    }
    if let HirKind::Alternation(all) = hir.kind() {
        let (first, last) = (all.first()?.properties(), all.last()?.properties());
        let crossed = first.look_set_prefix().contains(Look::Start)
            && !first.look_set_suffix().contains(Look::End)
            && last.look_set_suffix().contains(Look::End)
            && !last.look_set_prefix().contains(Look::Start);
        if crossed {
            return Some(Open::Alternatives);
        }
    }
    let start = properties.look_set_prefix().contains(Look::Start);
    let end = properties.look_set_suffix().contains(Look::End);
    let parts: Vec<&Hir> = sequence(inside(hir))
        .iter()
        .filter(|part| !matches!(part.kind(), HirKind::Look(_)))
        .collect();
    let (first, last) = (inside(parts.first()?), inside(parts.last()?));
    if anything(first) || anything(last) {
        return None;
    }
    let address = is_address(hir);
    let run = parts.len() == 1 && is_run(first, true);
    match (start, end) {
        (true, true) => None,
        (false, false) => (whole || address || describes_form(hir)).then_some(Open::Both),
        (true, false) => ((address && ends_in_word(last, false)) || run).then_some(Open::End),
        (false, true) => ((address && ends_in_word(first, true)) || run).then_some(Open::Start),
    }
}

/// `.*`, `.+` and their like.
fn anything(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Repetition(repetition) => {
            repetition.max.is_none() && is_dot(inside(&repetition.sub))
        }
        _ => false,
    }
}

/// Whether a class is of nearly all characters: `.`, `[^/]`, `\S`.
fn is_dot(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => {
            let count: u32 = class
                .ranges()
                .iter()
                .map(|r| u32::from(r.end()) - u32::from(r.start()))
                .sum();
            count > 1_000_000
        }
        _ => false,
    }
}

/// A class that is repeated; where `unbounded`, without an end.
fn is_run(hir: &Hir, unbounded: bool) -> bool {
    match hir.kind() {
        HirKind::Repetition(repetition) => {
            let sub = inside(&repetition.sub);
            let class = matches!(sub.kind(), HirKind::Class(_)) && !is_dot(sub) && !is_space(sub);
            let many = if unbounded {
                repetition.max.is_none()
            } else {
                repetition.max != Some(1)
            };
            class && many
        }
        _ => false,
    }
}

fn is_space(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => class
            .ranges()
            .iter()
            .any(|r| r.start() <= ' ' && ' ' <= r.end()),
        _ => false,
    }
}

/// Whether it has runs of letters or digits, as an identifier's form is described.
fn describes_form(hir: &Hir) -> bool {
    is_run(hir, false) || hir.kind().subs().iter().any(describes_form)
}

/// Whether its literal parts look like a host, a URL or an e-mail address; a dot that was not escaped
/// counts as one.
fn is_address(hir: &Hir) -> bool {
    let mut text = String::new();
    for part in sequence(hir) {
        match inside(part).kind() {
            HirKind::Literal(literal) => {
                text.push_str(std::str::from_utf8(&literal.0).unwrap_or(" "));
            }
            HirKind::Class(_) if is_dot(inside(part)) => text.push('.'),
            _ => text.push(' '),
        }
    }
    let host = text.match_indices('.').any(|(at, _)| {
        let letter = |c: char| c.is_ascii_alphabetic();
        let rest = text.get(at + 1..).unwrap_or("");
        rest.chars().take_while(|c| letter(*c)).count() >= 2
            && text
                .get(..at)
                .is_some_and(|head| head.ends_with(|c: char| c.is_ascii_alphanumeric()))
    });
    host || text.contains("://") || text.contains('@') || hir.kind().subs().iter().any(is_address)
}

/// Whether the text of a literal part begins (`first`) or ends with a letter or digit, so that more of
/// them may stand beside it unseen.
fn ends_in_word(hir: &Hir, first: bool) -> bool {
    match hir.kind() {
        HirKind::Literal(literal) => std::str::from_utf8(&literal.0).is_ok_and(|text| {
            let edge = if first {
                text.chars().next()
            } else {
                text.chars().next_back()
            };
            edge.is_some_and(char::is_alphanumeric)
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{Open, fits_everywhere, left_open, parse};

    #[test]
    fn what_fits_every_text() {
        for pattern in ["a*", "^a*", "a*$", "(foo|)", ".*", "", "(a?)(b?)", "x{0,3}"] {
            assert!(fits_everywhere(&parse(pattern, "").unwrap()), "{pattern}");
        }
        for pattern in ["a+", "^a*$", "^$", "a|b", "\\b", "(^|x)y", "^(a|$)"] {
            assert!(!fits_everywhere(&parse(pattern, "").unwrap()), "{pattern}");
        }
    }

    #[test]
    fn words_in_a_whole_value() {
        for (pattern, wanted) in [
            ("git (status|log)", Some(Open::Both)),
            ("^git (status|log)$", None),
            ("^git ", None),
            ("\\bgit\\b", None),
        ] {
            let hir = parse(pattern, "").unwrap();
            assert_eq!(left_open(&hir, true), wanted, "{pattern}");
        }
    }

    #[test]
    fn what_is_left_open() {
        for (pattern, wanted) in [
            ("example\\.com", Some(Open::Both)),
            ("[A-Z]{3}-\\d+", Some(Open::Both)),
            ("^https://example\\.com", Some(Open::End)),
            ("^[a-z]+", Some(Open::End)),
            ("corp\\.com$", Some(Open::Start)),
            ("^www\\.a\\.com|beta\\.a\\.com$", Some(Open::Alternatives)),
            ("^https://example\\.com/", None),
            ("@corp\\.com$", None),
            ("^[a-z]+$", None),
            ("refund|cancel", None),
            ("\\byes\\b", None),
            ("^example\\.com.*", None),
            ("ok", None),
            ("^/srv/data", None),
        ] {
            let hir = parse(pattern, "").unwrap();
            assert_eq!(left_open(&hir, false), wanted, "{pattern}");
        }
    }
}
