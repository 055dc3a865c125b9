//! Checks expressions.

use alloc::format;

use super::record::Record;
use super::{Checker, Facts, Fault, MAX_DEPTH, MAX_SIZE, MIXED};
use crate::decimal::Decimal;
use crate::format::layout::{self, Section, constant, op, root, step};
use crate::format::model::{RegisterKind, Root};
use crate::format::views::{Ids, decode_root, join, low_byte, number_words, second_byte};

impl<'c, 'a> Checker<'c, 'a> {
    pub(super) fn expressions(&mut self) -> Result<(), Fault> {
        for record in self.records(Section::Expressions) {
            let facts = self.expression(&record)?;
            record.require(
                facts.depth <= MAX_DEPTH,
                &format!("it is nested deeper than {MAX_DEPTH} levels"),
            )?;
            record.require(
                facts.size <= MAX_SIZE,
                &format!("its evaluation would visit more than {MAX_SIZE} expressions"),
            )?;
            self.facts.push(facts);
        }
        Ok(())
    }

    /// Adds the facts of children, which are below the record.
    fn children(
        &self,
        record: &Record<'c, 'a>,
        children: &mut dyn Iterator<Item = u32>,
        all: &mut Facts,
    ) -> Result<(), Fault> {
        for child in children {
            let Some(facts) = self.facts.get(child as usize) else {
                let what = format!("child {child} is not below expression {}", record.id);
                return Err(record.fault(what));
            };
            all.depth = all.depth.max(facts.depth);
            all.size = all.size.saturating_add(facts.size);
            all.vars = all.vars.max(facts.vars);
            all.keys = all.keys.max(facts.keys);
            all.binds = match (all.binds, facts.binds) {
                (a, b) if a == b || b == 0 => a,
                (0, b) => b,
                _ => MIXED,
            };
            all.registers = all.registers.max(facts.registers);
        }
        Ok(())
    }

    fn formula(&self, id: u32) -> (bool, bool) {
        self.facts
            .get(id as usize)
            .map_or((false, false), |facts| (facts.formula, facts.bare))
    }

    fn expression(&self, record: &Record<'c, 'a>) -> Result<Facts, Fault> {
        let [first, a, b, c] = record.words();
        let (code, small) = (low_byte(first), second_byte(first));
        record.require(first >> 16 == 0, "there is no such expression")?;
        let small_is = |good: bool| record.require(good, "there is no such operator");
        match code {
            op::CONST => {}
            op::ROOT => small_is(small <= u32::from(root::VAR))?,
            op::PATH => small_is(layout::value(&layout::COERCE, small).is_some())?,
            op::COMPARE => small_is(layout::value(&layout::COMPARE, small).is_some())?,
            op::CALL => small_is(layout::value(&layout::FUNCTION, small).is_some())?,
            op::READ | op::MENTIONED => small_is(small <= 1)?,
            _ => small_is(small == 0 && code <= op::PATTERN)?,
        }
        let exprs = u32::MAX;
        let mut facts = Facts::default();
        let (mut list, mut one, mut other) = (Ids::default(), None, None);
        match code {
            op::CONST => self.constant(record, small, a, b)?,
            op::ROOT => match decode_root(small as u8, a) {
                Some(Root::Key(n)) => facts.keys = n.saturating_add(1),
                Some(Root::Var(n)) => facts.vars = n.saturating_add(1),
                Some(_) => record.require(a == 0, "only keys and variables have a number")?,
                None => return Err(record.fault("there is no such value")),
            },
            op::LIST | op::AND | op::OR => list = record.ids(a, b, exprs, "expression")?,
            op::PATH => {
                self.steps(record, b, c)?;
                one = Some(a);
            }
            op::NOT | op::HAS | op::NEG => one = Some(a),
            op::MATCHES => {
                record.below(b, self.tables.count(Section::Regexes), "regular expression")?;
                one = Some(a);
            }
            op::CALL => {
                list = record.ids(a, b, exprs, "expression")?;
                record.require(list.len() == 1, "a function takes one argument")?;
            }
            op::LOOKUP => {
                record.below(a, self.tables.count(Section::Lookups), "lookup")?;
                list = record.ids(b, c, exprs, "expression")?;
                let [_, arity] = self.tables.record(Section::Lookups, a, 0);
                record.require(
                    list.len() == arity as usize,
                    "the lookup takes another number of arguments",
                )?;
            }
            op::READ => {
                let kind = self.register(record, a, &mut facts)?;
                record.require(
                    kind != RegisterKind::Texts,
                    "texts are asked for a value, not read",
                )?;
            }
            op::MENTIONED => {
                let kind = self.register(record, a, &mut facts)?;
                record.require(
                    kind == RegisterKind::Texts,
                    "only texts can be asked for a value",
                )?;
                one = Some(b);
            }
            op::FRESH => {
                let kind = self.register(record, a, &mut facts)?;
                record.require(
                    kind == RegisterKind::Elapsed && join(b, c) >= 0,
                    "only the time since the latest member has an age",
                )?;
            }
            op::PATTERN => {
                record.below(a, self.tables.count(Section::Patterns), "pattern")?;
                let pattern = self.library.pattern(a);
                (list, one) = (pattern.keys, pattern.condition);
                facts.keys = u32::try_from(list.len()).unwrap_or(u32::MAX);
            }
            _ => (one, other) = (Some(a), Some(b)),
        }
        if matches!(code, op::READ | op::MENTIONED | op::FRESH) {
            // What the register remembers is no part of the evaluation, but must be below it, so that no
            // register depends on itself.
            let register = self.library.register(a);
            let mut parts = [register.member].into_iter().chain(register.value);
            self.children(record, &mut parts, &mut Facts::default())?;
        }
        let mut children = list.iter().chain(one).chain(other);
        self.children(record, &mut children, &mut facts)?;
        facts.depth += 1;
        facts.size = facts.size.saturating_add(1);
        match code {
            op::EVERY | op::SOME => {
                let vars = |id: u32| self.facts.get(id as usize).map_or(0, |facts| facts.vars);
                facts.vars = vars(a).max(vars(b).saturating_sub(1));
            }
            op::PATTERN => facts.binds = u32::try_from(list.len()).unwrap_or(u32::MAX),
            _ => {}
        }
        let all = |ids: Ids<'_>| ids.iter().all(|id| self.formula(id).0);
        (facts.formula, facts.bare) = match code {
            op::PATTERN => (true, false),
            op::CONST => (small == u32::from(constant::BOOL), a == 1),
            op::NOT => (self.formula(a).0, !self.formula(a).1),
            op::AND => {
                let items = Ids::new(self.library, a, b);
                (all(items), items.iter().all(|id| self.formula(id).1))
            }
            op::OR => {
                let items = Ids::new(self.library, a, b);
                (all(items), items.iter().any(|id| self.formula(id).1))
            }
            op::IFF => (
                self.formula(a).0 && self.formula(b).0,
                self.formula(a).1 == self.formula(b).1,
            ),
            _ => (false, false),
        };
        Ok(facts)
    }

    fn constant(&self, record: &Record<'c, 'a>, small: u32, a: u32, b: u32) -> Result<(), Fault> {
        match small as u8 {
            constant::NULL => record.require(a == 0 && b == 0, "`null` has no value"),
            constant::BOOL => record.require(a <= 1, "a Boolean is 0 or 1"),
            constant::NUMBER => {
                let words = record.list(a, b)?;
                let (exponent, coefficient) = number_words(words);
                let number = Decimal::new(coefficient, exponent);
                let same = number.is_some_and(|number| {
                    number.coefficient() == coefficient && number.exponent() == exponent
                });
                record.require(
                    words.len() == 5 && same,
                    "a number is not in its normal form",
                )
            }
            constant::STR => record.text(a),
            constant::DURATION | constant::TIMESTAMP => Ok(()),
            _ => Err(record.fault("there is no such constant")),
        }
    }

    fn steps(&self, record: &Record<'c, 'a>, start: u32, count: u32) -> Result<(), Fault> {
        let words = record.list(start, count)?;
        record.require(words.len().is_multiple_of(2), "a path's step is cut")?;
        for n in (0..words.len()).step_by(2) {
            let code = words.get(n).unwrap_or(0);
            let operand = words.get(n + 1).unwrap_or(0);
            match code {
                step::FIELD => record.text(operand)?,
                step::INDEX => {}
                step::ALL => record.require(operand == 0, "there is no such step")?,
                _ => return Err(record.fault("there is no such step")),
            }
        }
        Ok(())
    }

    /// The kind of a register that is read; its keys are needed.
    fn register(
        &self,
        record: &Record<'c, 'a>,
        id: u32,
        facts: &mut Facts,
    ) -> Result<RegisterKind, Fault> {
        record.below(id, self.tables.count(Section::Registers), "register")?;
        let register = self.library.register(id);
        facts.keys = register.keys;
        facts.registers = id.saturating_add(1);
        Ok(register.kind)
    }
}
