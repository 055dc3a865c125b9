//! Reads the words of a formula back.
//!
//! The grammar below is written for itself, from the meaning of the words, and shares nothing with what writes them.
//! [`read`] gives *every* formula that the text can be taken for, so that a test can show that there is one only:
//!
//! ```text
//! body    = formula | leaf ("and" leaf)+ | leaf ("or" leaf)+
//! formula = leaf | template | "[" body "]" | list
//! list    = "both (1) and (2) hold" | "all of (1), (2) and (3) hold" | "at least one of (1) and (2) holds"
//! slot    = leaf | "[" body "]" | "(1) holds"
//! leaf    = "there is" event ("or" event)* | "there is no" event | "there is neither" event ("nor" event)*
//!         | condition | "it is not so that (" condition ")" | "nothing is asked" | "nothing is allowed"
//! ```
//!
//! Events and conditions are known by their words. The templates are in [`templates`].

use std::collections::BTreeMap;

use ctr_front::ir::{AtomId, Formula, Library};

use crate::text::{Phrase, Piece};
use crate::values::{Form, Speaker};

/// The words of the atoms that a text may speak of.
#[derive(Clone, Debug, Default)]
pub struct Leaves {
    /// `a call of ...`, `call of ...`
    events: Vec<(Phrase, Phrase, AtomId)>,
    conditions: Vec<(Phrase, AtomId)>,
    /// `a call of ...` and the condition that it needs.
    only_if: Vec<(Phrase, Phrase, AtomId)>,
}

impl Leaves {
    /// The words of some atoms of a library. `keys` are the names of the contract's keys.
    #[must_use]
    pub fn new(library: &Library, keys: &[String], atoms: &[AtomId]) -> Self {
        let speaker = Speaker { library, keys };
        let mut out = Self::default();
        for &atom in atoms {
            match speaker.pattern_of(atom) {
                Some(pattern) => {
                    let one = speaker.event(pattern, Form::One);
                    let bare = speaker.event(pattern, Form::Bare);
                    out.events.push((one, bare, atom));
                    if let Some((event, needed)) = speaker.only_if(atom, Form::One) {
                        out.only_if.push((event, needed, atom));
                    }
                }
                None => out.conditions.push((speaker.condition_atom(atom), atom)),
            }
        }
        out
    }
}

/// What a template makes of its slots: the strict one, the last one, the number.
type Make = fn(&[Formula], usize) -> Formula;

fn boxed(f: &Formula) -> Box<Formula> {
    Box::new(f.clone())
}

fn slot(slots: &[Formula], at: usize) -> Box<Formula> {
    boxed(slots.get(at).unwrap_or(&Formula::False))
}

fn not(f: Box<Formula>) -> Box<Formula> {
    Box::new(Formula::Not(f))
}

fn at_least(p: &Formula, n: usize) -> Formula {
    let mut out = Formula::Eventually(boxed(p));
    for _ in 1..n {
        let rest = Formula::Next(Box::new(out));
        out = Formula::Eventually(Box::new(Formula::And(vec![p.clone(), rest])));
    }
    out
}

fn more_than(p: &Formula, n: usize) -> Formula {
    Formula::Not(Box::new(at_least(p, n + 1)))
}

fn in_a_row(p: &Formula, n: usize) -> Formula {
    let mut run = p.clone();
    for _ in 0..n {
        run = Formula::And(vec![p.clone(), Formula::Next(Box::new(run))]);
    }
    Formula::Always(Box::new(Formula::Not(Box::new(run))))
}

fn ahead(p: &Formula, n: usize) -> Formula {
    let mut out = Formula::Next(boxed(p));
    for _ in 1..n {
        out = Formula::Next(Box::new(Formula::Or(vec![p.clone(), out])));
    }
    out
}

/// The templates. `_` is a slot, `...` the last slot, `#` a number, `{}` stands for `from then on` or nothing, `leaf` for
/// a leaf, `events` for `a call of ... or a return of ...`.
fn templates() -> Vec<(&'static str, Make)> {
    use Formula as F;
    vec![
        ("at the first step, ...", |s, _| *slot(s, 0)),
        ("at every step {}, ...", |s, _| F::Always(slot(s, 0))),
        ("at no step {}, ...", |s, _| F::Always(not(slot(s, 0)))),
        ("there is never events", |s, _| F::Always(not(slot(s, 0)))),
        ("from then on, there is never events", |s, _| {
            F::Always(not(slot(s, 0)))
        }),
        ("at some step {}, ...", |s, _| F::Eventually(slot(s, 0))),
        ("whenever {} _, ...", |s, _| {
            F::Always(Box::new(F::Implies(slot(s, 0), slot(s, 1))))
        }),
        ("if _, then ...", |s, _| F::Implies(slot(s, 0), slot(s, 1))),
        ("if and only if _, ...", |s, _| {
            F::Iff(slot(s, 0), slot(s, 1))
        }),
        ("it is not so that ...", |s, _| F::Not(slot(s, 0))),
        ("at the next step (which must come), ...", |s, _| {
            F::Next(slot(s, 0))
        }),
        ("at the second step (which must come), ...", |s, _| {
            F::Next(slot(s, 0))
        }),
        ("at the next step (if it comes), ...", |s, _| {
            F::WeakNext(slot(s, 0))
        }),
        ("at the second step (if it comes), ...", |s, _| {
            F::WeakNext(slot(s, 0))
        }),
        ("at some later step, ...", |s, _| {
            F::Next(Box::new(F::Eventually(slot(s, 0))))
        }),
        ("at some step after the first, ...", |s, _| {
            F::Next(Box::new(F::Eventually(slot(s, 0))))
        }),
        ("at every later step, ...", |s, _| {
            F::WeakNext(Box::new(F::Always(slot(s, 0))))
        }),
        ("at every step after the first, ...", |s, _| {
            F::WeakNext(Box::new(F::Always(slot(s, 0))))
        }),
        ("at no later step is there events", |s, _| {
            F::WeakNext(Box::new(F::Always(not(slot(s, 0)))))
        }),
        ("at no step after the first is there events", |s, _| {
            F::WeakNext(Box::new(F::Always(not(slot(s, 0)))))
        }),
        (
            "from the first step {} at which _ (if there is one), ...",
            |s, _| {
                let from = F::And(vec![*slot(s, 0), *slot(s, 1)]);
                F::Unless(not(slot(s, 0)), Box::new(from))
            },
        ),
        ("within the next # steps, ...", |s, n| ahead(&slot(s, 0), n)),
        ("within # steps after the first, ...", |s, n| {
            ahead(&slot(s, 0), n)
        }),
        (
            "at every step {} until _ (which must happen), ...",
            |s, _| F::Until(slot(s, 1), slot(s, 0)),
        ),
        (
            "at every step {} until _ (if that ever happens), ...",
            |s, _| F::Unless(slot(s, 1), slot(s, 0)),
        ),
        (
            "at every step {} up to and including the first at which _ (if that ever happens), ...",
            |s, _| F::Release(slot(s, 0), slot(s, 1)),
        ),
        (
            "at the step just before (which there must be), ...",
            |s, _| F::Previously(slot(s, 0)),
        ),
        ("at the step just before (if there is one), ...", |s, _| {
            F::WeakPreviously(slot(s, 0))
        }),
        ("at that step or an earlier one, ...", |s, _| {
            F::Once(slot(s, 0))
        }),
        ("at that step and all earlier ones, ...", |s, _| {
            F::Historically(slot(s, 0))
        }),
        (
            "at that step or an earlier one, _, and at every step after that one, up to then, ...",
            |s, _| F::Since(slot(s, 1), slot(s, 0)),
        ),
        ("leaf at most # times {}", |s, n| more_than(&slot(s, 0), n)),
        ("at most # times {}, ...", |s, n| more_than(&slot(s, 0), n)),
        ("leaf at least # times {}", |s, n| at_least(&slot(s, 0), n)),
        ("at least # times {}, ...", |s, n| at_least(&slot(s, 0), n)),
        ("leaf exactly # times {}", |s, n| {
            F::And(vec![more_than(&slot(s, 0), n), at_least(&slot(s, 0), n)])
        }),
        ("exactly # times {}, ...", |s, n| {
            F::And(vec![more_than(&slot(s, 0), n), at_least(&slot(s, 0), n)])
        }),
        ("leaf at most # times in a row {}", |s, n| {
            in_a_row(&slot(s, 0), n)
        }),
        ("at most # times in a row {}, ...", |s, n| {
            in_a_row(&slot(s, 0), n)
        }),
        ("there is events only after events", |s, _| {
            F::Unless(not(slot(s, 0)), slot(s, 1))
        }),
        ("there is events only with or after events", |s, _| {
            F::Unless(not(slot(s, 0)), slot(s, 1))
        }),
        (
            "there is events only at or after a step at which ...",
            |s, _| F::Unless(not(slot(s, 0)), slot(s, 1)),
        ),
    ]
}

/// A sign of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Sign {
    Word(String),
    Slot,
    Last,
    Number,
    Leaf,
    Events,
}

fn signs(template: &str, on: &str) -> Vec<Sign> {
    let text = template.replace("{}", on);
    // The last slot is no full stop.
    let text = text.replace("...", "LAST");
    Phrase::words(&text)
        .0
        .into_iter()
        .filter_map(|piece| match piece {
            Piece::Word(word) => Some(match word.as_str() {
                "_" => Sign::Slot,
                "LAST" => Sign::Last,
                "#" => Sign::Number,
                "leaf" => Sign::Leaf,
                "events" => Sign::Events,
                _ => Sign::Word(word),
            }),
            _ => None,
        })
        .collect()
}

/// The formulas that a text in [`Markdown`](crate::Style::Markdown) can be taken for, each once: one sentence and its points,
/// as [`Item::write`](crate::Item::write) writes them.
#[must_use]
pub fn read(text: &str, leaves: &Leaves) -> Vec<Formula> {
    let mut sentence = Vec::new();
    let mut points: BTreeMap<String, Vec<Piece>> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let mut pieces = pieces(line.trim());
        // The mark at the end is no part of the sentence; two there are a point's end and its own colon.
        while let Some(Piece::Word(mark)) = pieces.last()
            && matches!(mark.as_str(), "." | ";" | ":")
        {
            pieces.pop();
        }
        match pieces.as_slice() {
            [Piece::Word(dash), Piece::Point(number), rest @ ..] if dash == "-" => {
                points.insert(number.clone(), rest.to_vec());
            }
            _ => {
                if let Some(Piece::Word(word)) = pieces.first_mut() {
                    let mut chars = word.chars();
                    let first = chars.next().map(|c| c.to_ascii_lowercase());
                    *word = first.into_iter().chain(chars).collect();
                }
                sentence = pieces;
            }
        }
    }
    let mut table = Vec::new();
    for (template, make) in templates() {
        table.push((signs(template, ""), make));
        if template.contains("{}") {
            table.push((signs(template, "from then on"), make));
        }
    }
    let reader = Reader {
        leaves,
        points,
        table,
    };
    reader.whole(&sentence, 0)
}

/// A line of [`Markdown`](crate::Style::Markdown) as the pieces that were written.
#[must_use]
pub fn pieces(line: &str) -> Vec<Piece> {
    let mut out = Phrase::default();
    let mut rest = line;
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else {
            return out.0;
        };
        let ticks = rest.chars().take_while(|c| *c == '`').count();
        if ticks > 0 {
            let fence = "`".repeat(ticks);
            let inner = rest.get(ticks..).unwrap_or("");
            let mut end = 0;
            // The next run of just as many.
            let close = loop {
                let Some(at) = inner.get(end..).and_then(|tail| tail.find(&fence)) else {
                    break None;
                };
                let at = end + at;
                let run = inner
                    .get(at..)
                    .map_or(0, |tail| tail.chars().take_while(|c| *c == '`').count());
                if run == ticks {
                    break Some(at);
                }
                end = at + run;
            };
            let close = close.unwrap_or(inner.len());
            let text = inner.get(..close).unwrap_or("");
            let text = text
                .strip_prefix(' ')
                .and_then(|text| text.strip_suffix(' '))
                .unwrap_or(text);
            out.0.push(Piece::Code(text.to_owned()));
            rest = inner.get(close + ticks..).unwrap_or("");
        } else if first == '*' {
            let inner = rest.get(1..).unwrap_or("");
            let (name, tail) = inner.split_once('*').unwrap_or((inner, ""));
            out.0.push(Piece::Name(name.to_owned()));
            rest = tail;
        } else if let Some((number, tail)) = rest.strip_prefix('(').and_then(|r| r.split_once(')'))
            && number.starts_with(|c: char| c.is_ascii_digit())
            && number.chars().all(|c| c.is_ascii_digit() || c == '.')
        {
            out.0.push(Piece::Point(number.to_owned()));
            rest = tail;
        } else if matches!(first, '(' | '[') {
            out.0.push(Piece::Word(first.to_string()));
            rest = rest.get(1..).unwrap_or("");
        } else {
            let end = rest
                .find(|c: char| c.is_whitespace() || matches!(c, '`' | '*'))
                .unwrap_or(rest.len());
            out.say(rest.get(..end).unwrap_or(""));
            rest = rest.get(end..).unwrap_or("");
        }
    }
}

struct Reader<'a> {
    leaves: &'a Leaves,
    points: BTreeMap<String, Vec<Piece>>,
    table: Vec<(Vec<Sign>, Make)>,
}

/// What was read, and how many pieces on.
type Read = Vec<(Formula, usize)>;

/// What was read of a template so far: the slots, the number, and how many pieces on.
type Partial = Vec<(Vec<Formula>, usize, usize)>;

/// The deepest nesting that is read.
const DEEPEST: usize = 64;

fn add(into: &mut Read, found: Read) {
    for one in found {
        if !into.contains(&one) {
            into.push(one);
        }
    }
}

fn word(pieces: &[Piece], at: usize) -> Option<&str> {
    match pieces.get(at) {
        Some(Piece::Word(word)) => Some(word),
        _ => None,
    }
}

/// After these words, where they stand there.
fn words(pieces: &[Piece], at: usize, text: &str) -> Option<usize> {
    phrase(pieces, at, &Phrase::words(text))
}

/// After a phrase, where it stands there.
fn phrase(pieces: &[Piece], at: usize, phrase: &Phrase) -> Option<usize> {
    let end = at + phrase.0.len();
    (!phrase.0.is_empty() && pieces.get(at..end) == Some(phrase.0.as_slice())).then_some(end)
}

impl Reader<'_> {
    /// A sentence, all of it.
    fn whole(&self, pieces: &[Piece], depth: usize) -> Vec<Formula> {
        let found = self.body(pieces, 0, depth);
        let mut out: Vec<Formula> = Vec::new();
        for (formula, end) in found {
            if end == pieces.len() && !out.contains(&formula) {
                out.push(formula);
            }
        }
        out
    }

    fn body(&self, pieces: &[Piece], at: usize, depth: usize) -> Read {
        if depth > DEEPEST {
            return Vec::new();
        }
        let mut out = self.formula(pieces, at, depth);
        for joint in ["and", "or"] {
            let mut open: Vec<(Vec<Formula>, usize)> = self
                .leaf(pieces, at)
                .into_iter()
                .map(|(leaf, end)| (vec![leaf], end))
                .collect();
            while !open.is_empty() {
                let mut longer = Vec::new();
                for (leaves, end) in open {
                    if word(pieces, end) != Some(joint) {
                        continue;
                    }
                    for (leaf, end) in self.leaf(pieces, end + 1) {
                        let mut leaves = leaves.clone();
                        leaves.push(leaf);
                        longer.push((leaves, end));
                    }
                }
                let found = longer
                    .iter()
                    .map(|(leaves, end)| {
                        let formula = if joint == "and" {
                            Formula::And(leaves.clone())
                        } else {
                            Formula::Or(leaves.clone())
                        };
                        (formula, *end)
                    })
                    .collect();
                add(&mut out, found);
                open = longer;
            }
        }
        out
    }

    fn formula(&self, pieces: &[Piece], at: usize, depth: usize) -> Read {
        if depth > DEEPEST {
            return Vec::new();
        }
        let mut out = self.leaf(pieces, at);
        add(&mut out, self.bracketed(pieces, at, depth));
        add(&mut out, self.list(pieces, at, depth));
        add(&mut out, self.only_if(pieces, at));
        for (signs, make) in &self.table {
            let mut open: Partial = vec![(Vec::new(), 0, at)];
            for sign in signs {
                let mut next: Partial = Vec::new();
                for (slots, number, at) in open {
                    let with = |found: Read, next: &mut Partial| {
                        for (formula, end) in found {
                            let mut slots = slots.clone();
                            slots.push(formula);
                            next.push((slots, number, end));
                        }
                    };
                    match sign {
                        Sign::Word(wanted) => {
                            let said = word(pieces, at);
                            // `1 time`, `2 times`
                            if said == Some(wanted) || (wanted == "times" && said == Some("time")) {
                                next.push((slots, number, at + 1));
                            }
                        }
                        Sign::Number => {
                            if let Some(number) = word(pieces, at).and_then(|w| w.parse().ok()) {
                                next.push((slots, number, at + 1));
                            }
                        }
                        Sign::Leaf => with(self.leaf(pieces, at), &mut next),
                        Sign::Events => with(self.events(pieces, at, "or"), &mut next),
                        Sign::Slot => with(self.slot(pieces, at, depth + 1), &mut next),
                        Sign::Last => with(self.formula(pieces, at, depth + 1), &mut next),
                    }
                }
                open = next;
                if open.is_empty() {
                    break;
                }
            }
            let found = open
                .iter()
                .map(|(slots, number, end)| (make(slots, *number), *end))
                .collect();
            add(&mut out, found);
        }
        out
    }

    fn bracketed(&self, pieces: &[Piece], at: usize, depth: usize) -> Read {
        if word(pieces, at) != Some("[") {
            return Vec::new();
        }
        self.body(pieces, at + 1, depth + 1)
            .into_iter()
            .filter(|(_, end)| word(pieces, *end) == Some("]"))
            .map(|(formula, end)| (formula, end + 1))
            .collect()
    }

    fn slot(&self, pieces: &[Piece], at: usize, depth: usize) -> Read {
        let mut out = self.leaf(pieces, at);
        add(&mut out, self.bracketed(pieces, at, depth));
        if let Some(Piece::Point(number)) = pieces.get(at)
            && word(pieces, at + 1) == Some("holds")
        {
            let found = self.point(number, depth);
            add(&mut out, found.into_iter().map(|f| (f, at + 2)).collect());
        }
        out
    }

    fn point(&self, number: &str, depth: usize) -> Vec<Formula> {
        match self.points.get(number) {
            Some(pieces) if depth <= DEEPEST => self.whole(pieces, depth + 1),
            _ => Vec::new(),
        }
    }

    fn list(&self, pieces: &[Piece], at: usize, depth: usize) -> Read {
        let starts = [
            ("both", true, "hold"),
            ("all of", true, "hold"),
            ("at least one of", false, "holds"),
        ];
        let mut out = Vec::new();
        for (start, and, end) in starts {
            let Some(mut at) = words(pieces, at, start) else {
                continue;
            };
            let mut all: Vec<Vec<Formula>> = vec![Vec::new()];
            while let Some(Piece::Point(number)) = pieces.get(at) {
                let found = self.point(number, depth);
                all = all
                    .iter()
                    .flat_map(|parts| {
                        found.iter().map(|formula| {
                            let mut parts = parts.clone();
                            parts.push(formula.clone());
                            parts
                        })
                    })
                    .collect();
                at += 1;
                if matches!(word(pieces, at), Some("," | "and")) {
                    at += 1;
                }
            }
            if word(pieces, at) == Some(end) {
                let found = all
                    .into_iter()
                    .map(|parts| {
                        let formula = if and {
                            Formula::And(parts)
                        } else {
                            Formula::Or(parts)
                        };
                        (formula, at + 1)
                    })
                    .collect();
                add(&mut out, found);
            }
        }
        out
    }

    /// `a call of ... or a return of ...`
    fn events(&self, pieces: &[Piece], at: usize, joint: &str) -> Read {
        let mut out = Vec::new();
        let mut open: Vec<(Vec<Formula>, usize)> = vec![(Vec::new(), at)];
        while !open.is_empty() {
            let mut longer = Vec::new();
            for (events, at) in open {
                let start = if events.is_empty() {
                    at
                } else if word(pieces, at) == Some(joint) {
                    at + 1
                } else {
                    continue;
                };
                for (one, _, atom) in &self.leaves.events {
                    if let Some(end) = phrase(pieces, start, one) {
                        let mut events = events.clone();
                        events.push(Formula::Atom(*atom));
                        longer.push((events, end));
                    }
                }
            }
            for (events, end) in &longer {
                let formula = match events.as_slice() {
                    [one] => one.clone(),
                    many => Formula::Or(many.to_vec()),
                };
                add(&mut out, vec![(formula, *end)]);
            }
            open = longer;
        }
        out
    }

    fn leaf(&self, pieces: &[Piece], at: usize) -> Read {
        let mut out = Vec::new();
        let mut one = |formula: Formula, end: usize| add(&mut out, vec![(formula, end)]);
        if let Some(end) = words(pieces, at, "nothing is asked") {
            one(Formula::True, end);
        }
        if let Some(end) = words(pieces, at, "nothing is allowed") {
            one(Formula::False, end);
        }
        let negative = words(pieces, at, "it is not so that (");
        for (condition, atom) in &self.leaves.conditions {
            if let Some(end) = phrase(pieces, at, condition) {
                one(Formula::Atom(*atom), end);
            }
            if let Some(end) = negative.and_then(|at| phrase(pieces, at, condition))
                && word(pieces, end) == Some(")")
            {
                one(Formula::Not(Box::new(Formula::Atom(*atom))), end + 1);
            }
        }
        if let Some(at) = words(pieces, at, "there is no") {
            for (_, bare, atom) in &self.leaves.events {
                if let Some(end) = phrase(pieces, at, bare) {
                    one(Formula::Not(Box::new(Formula::Atom(*atom))), end);
                }
            }
        }
        if let Some(at) = words(pieces, at, "there is neither") {
            for (events, end) in self.events(pieces, at, "nor") {
                one(Formula::Not(Box::new(events)), end);
            }
        }
        if let Some(at) = words(pieces, at, "there is") {
            for (events, end) in self.events(pieces, at, "or") {
                one(events, end);
            }
        }
        out
    }

    /// `there is a call of ... or a call of ... only if ...`
    fn only_if(&self, pieces: &[Piece], at: usize) -> Read {
        let at = words(pieces, at, "from then on,").unwrap_or(at);
        let Some(at) = words(pieces, at, "there is") else {
            return Vec::new();
        };
        // The events, each by its words, and the atoms that these words can stand for.
        let mut open: Vec<(Vec<usize>, usize)> = vec![(Vec::new(), at)];
        let mut out = Vec::new();
        while !open.is_empty() {
            let mut longer = Vec::new();
            for (chosen, at) in open {
                let start = if chosen.is_empty() {
                    at
                } else if word(pieces, at) == Some("or") {
                    at + 1
                } else {
                    continue;
                };
                for (index, (event, _, _)) in self.leaves.only_if.iter().enumerate() {
                    if let Some(end) = phrase(pieces, start, event) {
                        let mut chosen = chosen.clone();
                        chosen.push(index);
                        longer.push((chosen, end));
                    }
                }
            }
            for (chosen, end) in &longer {
                let Some(after) = words(pieces, *end, "only if") else {
                    continue;
                };
                let entries: Vec<_> = chosen
                    .iter()
                    .filter_map(|index| self.leaves.only_if.get(*index))
                    .collect();
                let Some((_, needed, _)) = entries.first() else {
                    continue;
                };
                let Some(end) = phrase(pieces, after, needed) else {
                    continue;
                };
                if entries.iter().any(|(_, other, _)| other != needed) {
                    continue;
                }
                let atoms: Vec<Formula> = entries
                    .iter()
                    .map(|(_, _, atom)| Formula::Atom(*atom))
                    .collect();
                let any = match atoms.as_slice() {
                    [one] => one.clone(),
                    many => Formula::Or(many.to_vec()),
                };
                let formula = Formula::Always(Box::new(Formula::Not(Box::new(any))));
                add(&mut out, vec![(formula, end)]);
            }
            open = longer;
        }
        out
    }
}
