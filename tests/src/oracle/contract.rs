//! Contracts: their text, what they watch, their instances.

use super::cond::{Agg, Cond, Moment, Pattern, and, not};
use super::formula::F;
use super::model::{Event, Kind};
use super::timed::{Form, Timed};
use serde_json::Value;
use std::cell::Cell;
use std::collections::BTreeSet;

/// What a formula's leaf stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Atom {
    /// An event pattern.
    Pattern(Pattern),
    /// A condition in braces.
    State(Cond),
    /// The P of `P only if cond` at which the condition is not true.
    Guard(Pattern, Cond),
}

/// A contract.
#[derive(Clone, Debug)]
pub struct Contract {
    /// Its name.
    pub name: String,
    /// The atoms that its formulas number.
    pub atoms: Vec<Atom>,
    /// Clauses of the assumption.
    pub assume: Vec<F>,
    /// Clauses of the guarantee.
    pub guarantee: Vec<F>,
    /// A guarantee with a clock.
    pub timed: Option<Timed>,
    /// Whether it has an instance for each value of the key.
    pub keyed: bool,
    /// Its `let`s.
    pub lets: Vec<(String, Agg)>,
    /// Whether its guarantee is written as a template that takes its patterns.
    pub template: bool,
    /// Whether superfluous parentheses are left out.
    pub sparing: bool,
}

/// What generated policies declare.
pub const HEADER: &str = "context role: string\nevent ev(k: string, n: int)\n";

impl Atom {
    fn text(&self) -> String {
        match self {
            Self::Pattern(p) => p.text(),
            Self::State(c) => format!("{{{}}}", c.text()),
            Self::Guard(p, c) => format!("{} only if {}", p.text(), c.text()),
        }
    }

    fn pattern(&self) -> Option<&Pattern> {
        match self {
            Self::Pattern(p) | Self::Guard(p, _) => Some(p),
            Self::State(_) => None,
        }
    }

    fn holds(&self, m: Moment<'_>) -> Option<bool> {
        match self {
            Self::Pattern(p) => p.holds(m),
            Self::State(c) => c.holds(m),
            Self::Guard(p, c) => and(p.holds(m), not(c.holds(m))),
        }
    }
}

impl Contract {
    /// A contract of one guarantee without key and assumption.
    #[must_use]
    pub fn simple(name: &str, atoms: Vec<Atom>, guarantee: F) -> Self {
        Self {
            name: name.to_owned(),
            atoms,
            assume: Vec::new(),
            guarantee: vec![guarantee],
            timed: None,
            keyed: false,
            lets: Vec::new(),
            template: false,
            sparing: false,
        }
    }

    /// The contract's source, without the declarations of [`HEADER`].
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        let leaf = |n: usize| self.atoms[n].text();
        let name = &self.name;
        if self.template {
            let parameter = |n: usize| format!("x{n}");
            let patterns: Vec<usize> = self.used().into_iter().collect();
            let heads: Vec<String> = patterns.iter().map(|n| format!("x{n}: event")).collect();
            let args: Vec<String> = patterns.iter().map(|n| leaf(*n)).collect();
            let body = self.guarantee[0].text(&parameter, self.sparing);
            let call = format!("tpl_{name}({})", args.join(", "));
            text += &format!("predicate tpl_{name}({}) = {body}\n", heads.join(", "));
            text += &format!("contract {name} {{\n  guarantee {call}\n}}\n");
            return text;
        }
        let each = if self.keyed {
            format!(" for each {}", super::cond::KEY)
        } else {
            String::new()
        };
        text += &format!("contract {name}{each} {{\n");
        for (var, agg) in &self.lets {
            text += &format!("  let {var} = {}\n", agg.text());
        }
        for f in &self.assume {
            text += &format!("  assume {}\n", f.text(&leaf, self.sparing));
        }
        for f in &self.guarantee {
            text += &format!("  guarantee {}\n", f.text(&leaf, self.sparing));
        }
        if let Some(timed) = &self.timed {
            text += &format!("  guarantee {}\n", timed.text());
        }
        text += "}\n";
        text
    }

    /// The atoms that its formulas use.
    #[must_use]
    pub fn used(&self) -> BTreeSet<usize> {
        let mut all = Vec::new();
        for f in self.assume.iter().chain(&self.guarantee) {
            f.atoms(&mut all);
        }
        all.into_iter().collect()
    }

    fn patterns(&self) -> Vec<&Pattern> {
        // The Q of an aggregate is not a pattern of the formula.
        let clock = self.timed.iter().flat_map(|t| match t.form {
            Form::CountWithin | Form::Elapsed | Form::AtMost => vec![&t.p],
            Form::OnlyAfter | Form::LeadsTo => vec![&t.p, &t.q],
        });
        self.used()
            .into_iter()
            .filter_map(|n| self.atoms[n].pattern())
            .chain(clock)
            .collect()
    }

    /// Whether it watches events of a kind (language reference, section 2).
    #[must_use]
    pub fn watches(&self, kind: &Kind) -> bool {
        let patterns = self.patterns();
        patterns.is_empty() || patterns.iter().any(|p| p.verb.kind() == *kind)
    }

    /// The values of the key that occur; one instance without key for an unkeyed contract.
    #[must_use]
    pub fn keys(&self, events: &[Event]) -> Vec<Option<Value>> {
        if !self.keyed {
            return vec![None];
        }
        let mut keys: Vec<Option<Value>> = Vec::new();
        for event in events {
            for pattern in self.patterns() {
                let bound = pattern
                    .key
                    .as_ref()
                    .filter(|_| pattern.names(event))
                    .and_then(|field| field.value(event));
                if bound.is_some() && !keys.contains(&bound) {
                    keys.push(bound);
                }
            }
        }
        keys
    }

    /// Which events are steps of an instance.
    #[must_use]
    pub fn steps(&self, events: &[Event], key: Option<&Value>) -> Vec<usize> {
        let patterns = self.patterns();
        (0..events.len())
            .filter(|at| {
                let event = &events[*at];
                if !self.watches(&event.kind) {
                    return false;
                }
                !self.keyed
                    || patterns.iter().any(|p| {
                        p.names(event)
                            && p.key
                                .as_ref()
                                .is_none_or(|field| field.value(event).as_ref() == key)
                    })
            })
            .collect()
    }

    /// The three-valued truth of every atom at an event.
    #[must_use]
    pub fn row(&self, m: Moment<'_>) -> Vec<Option<bool>> {
        self.atoms.iter().map(|atom| atom.holds(m)).collect()
    }

    /// The truth of every atom at each step of an instance.
    #[must_use]
    pub fn table(
        &self,
        events: &[Event],
        steps: &[usize],
        key: Option<&Value>,
        open: &Cell<bool>,
    ) -> Vec<Vec<Option<bool>>> {
        steps
            .iter()
            .map(|at| {
                self.row(Moment {
                    events,
                    at: *at,
                    key,
                    open,
                })
            })
            .collect()
    }
}
