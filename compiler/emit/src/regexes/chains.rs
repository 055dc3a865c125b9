//! Taking expressions apart where a gap of many characters would make one automaton too large.

use ctr_runtime::regex::program::{Exact, Gap, MAX_STAGES};
use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};

/// Gaps of fewer characters stay within a stage.
const SHORT: u32 = 4;

/// Parts that follow each other, each but the first with the gap before it.
pub(super) type Chain = Vec<(Option<Gap>, Hir)>;

/// The chains that together find what the expression finds; one of one part where there is nothing to take
/// apart.
pub(super) fn split(hir: &Hir) -> Vec<Chain> {
    let mut chains = Vec::new();
    // Alternatives without gaps stay together.
    let mut plain = Vec::new();
    for alternative in alternatives(hir) {
        let chain = chain(&alternative);
        match chain.len() {
            2..=MAX_STAGES => chains.push(chain),
            _ => plain.push(alternative),
        }
    }
    if !plain.is_empty() {
        chains.push(vec![(None, Hir::alternation(plain))]);
    }
    chains
}

fn alternatives(hir: &Hir) -> Vec<Hir> {
    match hir.kind() {
        HirKind::Capture(capture) => alternatives(&capture.sub),
        HirKind::Alternation(parts) => parts.iter().flat_map(alternatives).collect(),
        _ => vec![hir.clone()],
    }
}

fn parts(hir: &Hir) -> Vec<Hir> {
    match hir.kind() {
        HirKind::Capture(capture) => parts(&capture.sub),
        HirKind::Concat(all) => all.iter().flat_map(parts).collect(),
        _ => vec![hir.clone()],
    }
}

fn chain(hir: &Hir) -> Chain {
    let mut chain = Vec::new();
    let (mut before, mut now) = (None, Vec::new());
    for part in parts(hir) {
        match gap(&part) {
            Some((least, gap)) => {
                now.extend(least);
                chain.push((before, Hir::concat(std::mem::take(&mut now))));
                before = Some(gap);
            }
            None => now.push(part),
        }
    }
    chain.push((before, Hir::concat(now)));
    chain
}

/// A run of characters of which only some of ASCII are excepted; those that must come, apart.
fn gap(hir: &Hir) -> Option<(Option<Hir>, Gap)> {
    let HirKind::Repetition(repetition) = hir.kind() else {
        return None;
    };
    let most = repetition.max.map_or(u32::MAX, |max| max - repetition.min);
    let class = match repetition.sub.kind() {
        HirKind::Capture(capture) => &capture.sub,
        _ => &repetition.sub,
    };
    let HirKind::Class(Class::Unicode(class)) = class.kind() else {
        return None;
    };
    let beyond = class
        .ranges()
        .last()
        .is_some_and(|range| range.start() <= '\u{80}' && range.end() == char::MAX);
    if most < SHORT || !beyond {
        return None;
    }
    let within = |c: char| {
        let mut ranges = class.ranges().iter();
        ranges.any(|range| (range.start()..=range.end()).contains(&c))
    };
    let closers = (0..128_u8)
        .filter(|byte| !within(char::from(*byte)))
        .fold(0, |all, byte| all | 1_u128 << byte);
    let least = (repetition.min > 0).then(|| {
        Hir::repetition(Repetition {
            max: Some(repetition.min),
            ..repetition.clone()
        })
    });
    Some((least, Gap { most, closers }))
}

/// An expression as tables can search for it, and for which texts they find what it finds.
pub(super) fn exact(hir: Hir) -> (Hir, Exact) {
    let looks = hir.properties().look_set();
    // These hold between the bytes of a character, too, where nothing must match: `(?-u:\B)` in "a\u{e9}a".
    let within = [
        Look::WordAsciiNegate,
        Look::WordStartHalfAscii,
        Look::WordEndHalfAscii,
    ];
    if within.into_iter().any(|look| looks.contains(look)) {
        return (hir, Exact::Ascii);
    }
    if !looks.contains_word_unicode() {
        return (hir, Exact::Always);
    }
    match narrowed(&hir) {
        Some(narrow) => (narrow, Exact::PlainWords),
        None => (hir, Exact::Ascii),
    }
}

/// The expression with the word boundaries of ASCII; `None` where one is negated, which could then hold
/// within a character.
fn narrowed(hir: &Hir) -> Option<Hir> {
    let all = |parts: &[Hir]| parts.iter().map(narrowed).collect::<Option<Vec<_>>>();
    Some(match hir.kind() {
        HirKind::Look(look) => Hir::look(match look {
            Look::WordUnicode => Look::WordAscii,
            Look::WordStartUnicode => Look::WordStartAscii,
            Look::WordEndUnicode => Look::WordEndAscii,
            Look::WordUnicodeNegate | Look::WordStartHalfUnicode | Look::WordEndHalfUnicode => {
                return None;
            }
            other => *other,
        }),
        HirKind::Repetition(repetition) => Hir::repetition(Repetition {
            sub: Box::new(narrowed(&repetition.sub)?),
            ..repetition.clone()
        }),
        HirKind::Capture(capture) => narrowed(&capture.sub)?,
        HirKind::Concat(parts) => Hir::concat(all(parts)?),
        HirKind::Alternation(parts) => Hir::alternation(all(parts)?),
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) => hir.clone(),
    })
}
