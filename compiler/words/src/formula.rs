//! Formulas in English.
//!
//! Every operator is a template with slots: `at every step until _ (which must happen), _`. What stands in a slot is
//! said at a step, called *then* where it is not the first one of the session. The last slot of a template reaches
//! to the end of the sentence. What stands in another one is a leaf (`there is a call of ...`), or in square
//! brackets, or where that would be too long a point of its own below the sentence. So a sentence can be taken in one way only, which
//! [`crate::reader`] shows by reading it.

use ctr_front::ir::{AtomId, CompareOp, EventKind, Expr, Formula, PatternId, Tools};

use crate::text::{Item, Phrase, Style};
use crate::values::{Form, Speaker, View};

/// The longest text in square brackets, in characters.
const LONGEST: usize = 160;

/// A part of a template.
enum Part {
    Text(String),
    Said(Phrase),
    /// A formula that something follows; whether it is said of the session's first step.
    Inner(Formula, bool),
    /// A formula at the end.
    Last(Formula, bool),
}

/// How a formula is said.
enum Said {
    Leaf(Phrase),
    /// `and`, `or`
    List(&'static str, Vec<Formula>),
    Template(Vec<Part>),
}

fn not(f: Formula) -> Formula {
    match f {
        Formula::Not(inner) => *inner,
        Formula::True => Formula::False,
        Formula::False => Formula::True,
        f => Formula::Not(Box::new(f)),
    }
}

fn boxed(f: Formula) -> Box<Formula> {
    Box::new(f)
}

/// `eventually (P and next eventually (P and ...))`: how many times P, and P.
fn at_least(f: &Formula) -> Option<(usize, &Formula)> {
    let Formula::Eventually(inner) = f else {
        return None;
    };
    if let Formula::And(parts) = &**inner
        && let [p, Formula::Next(rest)] = parts.as_slice()
        && let Some((n, q)) = at_least(rest)
        && p == q
    {
        return Some((n + 1, p));
    }
    Some((1, inner))
}

/// `P and next (P and next ...)`: the length of the run, and P.
fn run(f: &Formula) -> (usize, &Formula) {
    if let Formula::And(parts) = f
        && let [p, Formula::Next(rest)] = parts.as_slice()
        && let (n, q) = run(rest)
        && p == q
    {
        return (n + 1, p);
    }
    (1, f)
}

/// `next (P or next (P or ...))`: in how many steps, and P.
fn within(f: &Formula) -> Option<(usize, &Formula)> {
    let Formula::Next(inner) = f else {
        return None;
    };
    if let Formula::Or(parts) = &**inner
        && let [p, rest] = parts.as_slice()
        && let Some((n, q)) = within(rest)
        && p == q
    {
        return Some((n + 1, p));
    }
    Some((1, inner))
}

fn times(n: usize) -> String {
    if n == 1 {
        "1 time".to_owned()
    } else {
        format!("{n} times")
    }
}

/// The parts of nested conjunctions or disjunctions.
fn flat(parts: &[Formula], or: bool, into: &mut Vec<Formula>) {
    for part in parts {
        match part {
            Formula::And(inner) if !or && exactly(inner).is_none() => flat(inner, or, into),
            Formula::Or(inner) if or => flat(inner, or, into),
            part => into.push(part.clone()),
        }
    }
}

/// `at most n times` and `at least n times` of one formula.
fn exactly(parts: &[Formula]) -> Option<(usize, &Formula)> {
    let ([Formula::Not(most), least] | [least, Formula::Not(most)]) = parts else {
        return None;
    };
    let ((most, p), (least, q)) = (at_least(most)?, at_least(least)?);
    (p == q && most == least + 1).then_some((least, p))
}

impl Speaker<'_> {
    /// The pattern of an atom that is one.
    pub(crate) fn pattern_of(&self, atom: AtomId) -> Option<PatternId> {
        let atom = self.library.atoms.get(atom.0 as usize)?;
        match self.expr(atom.expr) {
            Expr::Pattern(id) => Some(*id),
            _ => None,
        }
    }

    /// The patterns of which one is asked for, in order.
    fn events(&self, f: &Formula) -> Option<Vec<AtomId>> {
        match f {
            Formula::Atom(atom) => self.pattern_of(*atom).map(|_| vec![*atom]),
            Formula::Or(parts) if !parts.is_empty() => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(self.events(part)?);
                }
                Some(all)
            }
            _ => None,
        }
    }

    fn event_list(&self, atoms: &[AtomId], form: Form, word: &str) -> Phrase {
        let mut out = Phrase::default();
        for (at, atom) in atoms.iter().enumerate() {
            if at > 0 {
                out.say(word);
            }
            if let Some(pattern) = self.pattern_of(*atom) {
                out.add(self.event(pattern, form));
            }
        }
        out
    }

    /// An atom that is a condition.
    pub(crate) fn condition_atom(&self, atom: AtomId) -> Phrase {
        let Some(entry) = self.library.atoms.get(atom.0 as usize) else {
            return Phrase::default();
        };
        let phrase = self.condition(entry.expr, View::default());
        if self.is_one_comparison(entry.expr) {
            phrase
        } else {
            phrase.between("(", ")")
        }
    }

    /// `P only if C` of an atom that is `P and not C`: the event, and what it needs.
    pub(crate) fn only_if(&self, atom: AtomId, form: Form) -> Option<(Phrase, Phrase)> {
        let id = self.pattern_of(atom)?;
        let pattern = self.library.patterns.get(id.0 as usize)?;
        let conditions = self.conjuncts(pattern.condition);
        let (last, rest) = conditions.split_last()?;
        let view = View::of(pattern.kind);
        let needed = match self.expr(*last) {
            Expr::Not(needed) => self.condition(*needed, view),
            Expr::Compare(CompareOp::Ne, a, b) => {
                let mut out = self.value_part(*a, view);
                out.say("is").add(self.value_part(*b, view));
                out
            }
            _ => return None,
        };
        Some((self.event_with(id, form, rest), needed))
    }

    /// Whether no event can fit both patterns, by their kinds and tools.
    pub(crate) fn disjoint(&self, a: AtomId, b: AtomId) -> bool {
        let get = |atom| {
            let id: PatternId = self.pattern_of(atom)?;
            self.library.patterns.get(id.0 as usize)
        };
        let (Some(a), Some(b)) = (get(a), get(b)) else {
            return false;
        };
        let kinds = match (a.kind, b.kind) {
            (EventKind::Return(a), EventKind::Return(b)) => {
                matches!((a, b), (Some(a), Some(b)) if a != b)
            }
            (a, b) => a != b,
        };
        let name = |id: &ctr_front::ir::ToolId| {
            self.library
                .tools
                .get(id.0 as usize)
                .map(|tool| tool.name.as_str())
        };
        kinds
            || match (&a.tools, &b.tools) {
                (Tools::OneOf(a), Tools::OneOf(b)) => {
                    !a.iter().any(|a| b.iter().any(|b| name(a) == name(b)))
                }
                (Tools::OneOf(some), Tools::Except(out))
                | (Tools::Except(out), Tools::OneOf(some)) => {
                    some.iter().all(|id| out.contains(id))
                }
                _ => false,
            }
    }

    fn leaf(&self, f: &Formula) -> Option<Phrase> {
        let there = |text: &str, phrase: Phrase| {
            let mut out = Phrase::words(text);
            out.add(phrase);
            out
        };
        match f {
            Formula::True => Some(Phrase::words("nothing is asked")),
            Formula::False => Some(Phrase::words("nothing is allowed")),
            Formula::Atom(atom) if self.pattern_of(*atom).is_none() => {
                Some(self.condition_atom(*atom))
            }
            Formula::Not(inner) => match &**inner {
                Formula::True => Some(Phrase::words("nothing is allowed")),
                Formula::False => Some(Phrase::words("nothing is asked")),
                Formula::Atom(atom) if self.pattern_of(*atom).is_none() => Some(there(
                    "it is not so that",
                    self.condition_atom(*atom).between("(", ")"),
                )),
                inner => match self.events(inner)?.as_slice() {
                    [one] => Some(there(
                        "there is no",
                        self.event(self.pattern_of(*one)?, Form::Bare),
                    )),
                    many => Some(there(
                        "there is neither",
                        self.event_list(many, Form::One, "nor"),
                    )),
                },
            },
            f => {
                let atoms = self.events(f)?;
                Some(there("there is", self.event_list(&atoms, Form::One, "or")))
            }
        }
    }

    /// How a formula is said, `first` of the session's first step.
    fn said(&self, f: &Formula, first: bool) -> Said {
        use Formula as F;
        use Part::{Inner, Last, Text};
        let on = if first { "" } else { " from then on" };
        let next = if first {
            "the second step"
        } else {
            "the next step"
        };
        let template = |parts: Vec<Part>| Said::Template(parts);
        let text = |text: String| Text(text);
        let last = |f: &Formula| Last(f.clone(), false);
        let inner = |f: &Formula| Inner(f.clone(), false);
        if let Some(phrase) = self.leaf(f) {
            return if first && !matches!(f, F::True | F::False) {
                template(vec![text("at the first step,".to_owned()), last(f)])
            } else {
                Said::Leaf(phrase)
            };
        }
        match f {
            F::True | F::False | F::Atom(_) => Said::Leaf(Phrase::default()),
            F::Not(g) => match &**g {
                F::Not(g) => self.said(g, first),
                F::Eventually(p) => match at_least(g) {
                    Some((n, p)) if n > 1 => self.counted("at most", n - 1, "", p, first),
                    _ => self.said(&F::Always(boxed(not((**p).clone()))), first),
                },
                F::Always(p) => self.said(&F::Eventually(boxed(not((**p).clone()))), first),
                F::Next(p) => self.said(&F::WeakNext(boxed(not((**p).clone()))), first),
                F::WeakNext(p) => self.said(&F::Next(boxed(not((**p).clone()))), first),
                F::Once(p) => self.said(&F::Historically(boxed(not((**p).clone()))), first),
                F::Historically(p) => self.said(&F::Once(boxed(not((**p).clone()))), first),
                F::Previously(p) => self.said(&F::WeakPreviously(boxed(not((**p).clone()))), first),
                F::WeakPreviously(p) => self.said(&F::Previously(boxed(not((**p).clone()))), first),
                F::Implies(a, b) => {
                    self.said(&F::And(vec![(**a).clone(), not((**b).clone())]), first)
                }
                F::True
                | F::False
                | F::Atom(_)
                | F::And(_)
                | F::Or(_)
                | F::Iff(..)
                | F::Until(..)
                | F::Unless(..)
                | F::Release(..)
                | F::Since(..) => template(vec![
                    text("it is not so that".to_owned()),
                    Last((**g).clone(), first),
                ]),
            },
            F::And(parts) => {
                if let Some((n, p)) = exactly(parts) {
                    return self.counted("exactly", n, "", p, first);
                }
                let mut all = Vec::new();
                flat(parts, false, &mut all);
                match all.as_slice() {
                    [] => self.said(&F::True, first),
                    [one] => self.said(one, first),
                    _ => Said::List("and", all),
                }
            }
            F::Or(parts) => {
                let mut all = Vec::new();
                flat(parts, true, &mut all);
                match all.as_slice() {
                    [] => self.said(&F::False, first),
                    [one] => self.said(one, first),
                    _ => Said::List("or", all),
                }
            }
            F::Implies(a, b) => template(vec![
                text("if".to_owned()),
                Inner((**a).clone(), first),
                text(", then".to_owned()),
                Last((**b).clone(), first),
            ]),
            F::Iff(a, b) => template(vec![
                text("if and only if".to_owned()),
                Inner((**a).clone(), first),
                text(",".to_owned()),
                Last((**b).clone(), first),
            ]),
            F::Always(g) => self.always(g, first),
            F::Eventually(g) => match at_least(f) {
                Some((n, p)) if n > 1 => self.counted("at least", n, "", p, first),
                _ => template(vec![text(format!("at some step{on},")), last(g)]),
            },
            F::Next(g) => match (within(f), &**g) {
                (Some((n, p)), _) if n > 1 => template(vec![
                    text(if first {
                        format!("within {n} steps after the first,")
                    } else {
                        format!("within the next {n} steps,")
                    }),
                    last(p),
                ]),
                (_, F::Eventually(p)) if at_least(g).is_none_or(|(n, _)| n == 1) => {
                    let text = if first {
                        "at some step after the first,"
                    } else {
                        "at some later step,"
                    };
                    template(vec![Text(text.to_owned()), last(p)])
                }
                _ => template(vec![text(format!("at {next} (which must come),")), last(g)]),
            },
            F::WeakNext(g) => match &**g {
                F::Always(p) => {
                    let when = if first {
                        "step after the first"
                    } else {
                        "later step"
                    };
                    match &**p {
                        F::Not(q) if self.events(q).is_some() => {
                            let atoms = self.events(q).unwrap_or_default();
                            template(vec![
                                text(format!("at no {when} is there")),
                                Part::Said(self.event_list(&atoms, Form::One, "or")),
                            ])
                        }
                        p => template(vec![text(format!("at every {when},")), last(p)]),
                    }
                }
                _ => template(vec![text(format!("at {next} (if it comes),")), last(g)]),
            },
            F::Until(a, b) => match &**a {
                F::True => self.said(&F::Eventually(b.clone()), first),
                a => template(vec![
                    text(format!("at every step{on} until")),
                    inner(b),
                    text("(which must happen),".to_owned()),
                    last(a),
                ]),
            },
            F::Unless(a, b) => {
                if **b == F::False {
                    return self.said(&F::Always(a.clone()), first);
                }
                if let F::Not(p) = &**a
                    && let F::And(parts) = &**b
                    && let [q, rest @ ..] = parts.as_slice()
                    && p.as_ref() == q
                    && !rest.is_empty()
                {
                    let rest = match rest {
                        [one] => one.clone(),
                        many => F::And(many.to_vec()),
                    };
                    return template(vec![
                        text(format!("from the first step{on} at which")),
                        inner(p),
                        text("(if there is one),".to_owned()),
                        Last(rest, false),
                    ]);
                }
                if first
                    && let F::Not(p) = &**a
                    && let Some(events) = self.events(p)
                {
                    return self.only_after(&events, b);
                }
                template(vec![
                    text(format!("at every step{on} until")),
                    inner(b),
                    text("(if that ever happens),".to_owned()),
                    last(a),
                ])
            }
            F::Release(a, b) => match &**a {
                F::False => self.said(&F::Always(b.clone()), first),
                a => template(vec![
                    text(format!(
                        "at every step{on} up to and including the first at which"
                    )),
                    inner(a),
                    text("(if that ever happens),".to_owned()),
                    last(b),
                ]),
            },
            _ if first => template(vec![text("at the first step,".to_owned()), last(f)]),
            F::Previously(g) => template(vec![
                text("at the step just before (which there must be),".to_owned()),
                last(g),
            ]),
            F::WeakPreviously(g) => template(vec![
                text("at the step just before (if there is one),".to_owned()),
                last(g),
            ]),
            F::Once(g) => template(vec![
                text("at that step or an earlier one,".to_owned()),
                last(g),
            ]),
            F::Historically(g) => template(vec![
                text("at that step and all earlier ones,".to_owned()),
                last(g),
            ]),
            F::Since(a, b) => template(vec![
                text("at that step or an earlier one,".to_owned()),
                inner(b),
                text(", and at every step after that one, up to then,".to_owned()),
                last(a),
            ]),
        }
    }

    /// `there is E at most n times`
    fn counted(&self, how: &str, n: usize, more: &str, p: &Formula, first: bool) -> Said {
        let on = if first { "" } else { " from then on" };
        let count = format!("{how} {}{more}{on}", times(n));
        Said::Template(match self.events(p) {
            Some(_) => vec![
                Part::Said(self.leaf(p).unwrap_or_default()),
                Part::Text(count),
            ],
            None => vec![
                Part::Text(format!("{count},")),
                Part::Last(p.clone(), false),
            ],
        })
    }

    /// `there is P only after Q`, which is `(not P) unless Q` at the first step.
    fn only_after(&self, p: &[AtomId], q: &Formula) -> Said {
        let mut phrase = Phrase::words("there is");
        phrase.add(self.event_list(p, Form::One, "or"));
        let q_events = self.events(q);
        Said::Template(match q_events {
            Some(events) => {
                let apart = p
                    .iter()
                    .all(|p| events.iter().all(|q| self.disjoint(*p, *q)));
                phrase.say(if apart {
                    "only after"
                } else {
                    "only with or after"
                });
                phrase.add(self.event_list(&events, Form::One, "or"));
                vec![Part::Said(phrase)]
            }
            None => {
                phrase.say("only at or after a step at which");
                vec![Part::Said(phrase), Part::Last(q.clone(), false)]
            }
        })
    }

    fn always(&self, g: &Formula, first: bool) -> Said {
        use Formula as F;
        let on = if first { "" } else { " from then on" };
        let whenever = |a: &Formula, b: &Formula| {
            Said::Template(vec![
                Part::Text(format!("whenever{on}")),
                Part::Inner(a.clone(), false),
                Part::Text(",".to_owned()),
                Part::Last(b.clone(), false),
            ])
        };
        let never = |p: &Formula| self.said(&F::Always(boxed(not(p.clone()))), first);
        match g {
            F::Always(g) => self.always(g, first),
            F::Implies(a, b) if **b == F::False => never(a),
            F::Implies(a, b) => {
                if first
                    && let F::Once(q) = &**b
                    && let Some(events) = self.events(a)
                {
                    return self.only_after(&events, q);
                }
                whenever(a, b)
            }
            F::Or(parts) if self.events(g).is_none() => match parts.as_slice() {
                [F::Not(a), b] | [b, F::Not(a)] if !matches!(b, F::Not(_)) => {
                    self.always(&F::Implies(a.clone(), boxed(b.clone())), first)
                }
                [F::Not(a), b] => whenever(a, b),
                _ => Said::Template(vec![
                    Part::Text(format!("at every step{on},")),
                    Part::Last(g.clone(), false),
                ]),
            },
            F::Not(p) => {
                if let Some(atoms) = self.events(p) {
                    return self.never(&atoms, first);
                }
                if let F::Not(p) = &**p {
                    return self.always(p, first);
                }
                match run(p) {
                    (n, p) if n > 1 => self.counted("at most", n - 1, " in a row", p, first),
                    _ => Said::Template(vec![
                        Part::Text(format!("at no step{on},")),
                        Part::Last((**p).clone(), false),
                    ]),
                }
            }
            g => Said::Template(vec![
                Part::Text(format!("at every step{on},")),
                Part::Last(g.clone(), false),
            ]),
        }
    }

    /// That events never happen, or only if they meet a condition.
    fn never(&self, atoms: &[AtomId], first: bool) -> Said {
        let start = if first { "" } else { "from then on," };
        let needed: Vec<Option<(Phrase, Phrase)>> = atoms
            .iter()
            .map(|atom| self.only_if(*atom, Form::One))
            .collect();
        let mut phrase = Phrase::words(start);
        match needed.first() {
            Some(Some((_, condition)))
                if needed
                    .iter()
                    .all(|other| other.as_ref().is_some_and(|(_, c)| c == condition)) =>
            {
                phrase.say("there is");
                for (at, (event, _)) in needed.iter().flatten().enumerate() {
                    if at > 0 {
                        phrase.say("or");
                    }
                    phrase.add(event.clone());
                }
                phrase.say("only if").add(condition.clone());
                Said::Template(vec![Part::Said(phrase)])
            }
            _ if needed.iter().any(Option::is_some) => Said::List(
                "and",
                atoms
                    .iter()
                    .map(|atom| Formula::Always(boxed(not(Formula::Atom(*atom)))))
                    .collect(),
            ),
            _ => {
                phrase.say("there is never");
                phrase.add(self.event_list(atoms, Form::One, "or"));
                Said::Template(vec![Part::Said(phrase)])
            }
        }
    }

    /// A formula without points and brackets, where that is possible and short.
    fn short(&self, f: &Formula, first: bool) -> Option<Phrase> {
        let phrase = self.unbracketed(f, first)?;
        (phrase.write(Style::Plain).chars().count() <= LONGEST).then_some(phrase)
    }

    fn unbracketed(&self, f: &Formula, first: bool) -> Option<Phrase> {
        match self.said(f, first) {
            Said::Leaf(phrase) => Some(phrase),
            Said::List(word, parts) => {
                let mut out = Phrase::default();
                for (at, part) in parts.iter().enumerate() {
                    if at > 0 {
                        out.say(word);
                    }
                    match self.said(part, first) {
                        Said::Leaf(phrase) => out.add(phrase),
                        _ => return None,
                    };
                }
                Some(out)
            }
            Said::Template(parts) => {
                let mut out = Phrase::default();
                for part in parts {
                    match part {
                        Part::Text(text) => out.say(&text),
                        Part::Said(phrase) => out.add(phrase),
                        Part::Inner(f, first) => match self.said(&f, first) {
                            Said::Leaf(phrase) => out.add(phrase),
                            _ => return None,
                        },
                        Part::Last(f, first) => match self.said(&f, first) {
                            Said::List(..) => return None,
                            _ => out.add(self.unbracketed(&f, first)?),
                        },
                    };
                }
                Some(out)
            }
        }
    }

    /// A formula as a sentence with points.
    pub(crate) fn sentence(&self, f: &Formula, first: bool, number: &str) -> Item {
        let mut points = Vec::new();
        let mut phrase = self.compose(f, first, number, &mut points);
        if !points.is_empty() {
            phrase.say(":");
        }
        Item {
            number: number.to_owned(),
            phrase,
            points,
        }
    }

    fn compose(&self, f: &Formula, first: bool, number: &str, points: &mut Vec<Item>) -> Phrase {
        match self.said(f, first) {
            Said::Leaf(phrase) => phrase,
            Said::List(word, parts) => match self.short(f, first) {
                Some(phrase) => phrase,
                None => self.listed(word, &parts, first, number, points),
            },
            Said::Template(parts) => {
                let mut out = Phrase::default();
                for part in parts {
                    match part {
                        Part::Text(text) => out.say(&text),
                        Part::Said(phrase) => out.add(phrase),
                        Part::Inner(f, first) => out.add(self.slot(&f, first, number, points)),
                        Part::Last(f, first) => out.add(match self.said(&f, first) {
                            Said::List(word, parts) => match self.short(&f, first) {
                                Some(phrase) => phrase.between("[", "]"),
                                None => self.listed(word, &parts, first, number, points),
                            },
                            _ => self.compose(&f, first, number, points),
                        }),
                    };
                }
                out
            }
        }
    }

    fn slot(&self, f: &Formula, first: bool, number: &str, points: &mut Vec<Item>) -> Phrase {
        match self.said(f, first) {
            Said::Leaf(phrase) => phrase,
            _ => match self.short(f, first) {
                Some(phrase) => phrase.between("[", "]"),
                None => {
                    let mut out = self.point(f, first, number, points);
                    out.say("holds");
                    out
                }
            },
        }
    }

    /// A new point; its number.
    fn point(&self, f: &Formula, first: bool, number: &str, points: &mut Vec<Item>) -> Phrase {
        let at = points.len() + 1;
        let own = if number.is_empty() {
            at.to_string()
        } else {
            format!("{number}.{at}")
        };
        points.push(self.sentence(f, first, &own));
        Phrase(vec![crate::text::Piece::Point(own)])
    }

    fn listed(
        &self,
        word: &str,
        parts: &[Formula],
        first: bool,
        number: &str,
        points: &mut Vec<Item>,
    ) -> Phrase {
        let and = word == "and";
        let mut out = Phrase::words(match (and, parts.len()) {
            (true, 2) => "both",
            (true, _) => "all of",
            (false, 2) => "at least one of",
            (false, _) => "at least one of",
        });
        let numbers: Vec<Phrase> = parts
            .iter()
            .map(|part| self.point(part, first, number, points))
            .collect();
        out.add(Phrase::list(numbers, "and"));
        out.say(if and { "hold" } else { "holds" });
        out
    }
}
