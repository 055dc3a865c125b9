//! Checks expressions.

use alloc::format;

use super::record::Record;
use super::{Checker, Facts, MAX_DEPTH, MAX_SIZE, MIXED};
use crate::decimal::Decimal;
use crate::format::error::LoadError;
use crate::format::layout::{self, Section, constant, op, root, step};
use crate::format::model::{RegisterKind, Root};
use crate::format::views::{Ids, decode_root, join, low_byte, number_words, second_byte};

impl<'c, 'a> Checker<'c, 'a> {
    pub(super) fn expressions(&mut self) -> Result<(), LoadError> {
        for record in self.records(Section::Expressions) {
            let facts = self.expression(record)?;
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

    /// The facts of children, which are below the record.
    fn children(
        &self,
        record: Record<'c, 'a>,
        children: impl IntoIterator<Item = u32>,
    ) -> Result<Facts, LoadError> {
        let mut all = Facts::default();
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
        all.depth += 1;
        all.size = all.size.saturating_add(1);
        Ok(all)
    }

    fn formula(&self, id: u32) -> (bool, bool) {
        self.facts
            .get(id as usize)
            .map_or((false, false), |facts| (facts.formula, facts.bare))
    }

    fn expression(&self, record: Record<'c, 'a>) -> Result<Facts, LoadError> {
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
        let mut facts = match code {
            op::CONST => {
                self.constant(record, small, a, b)?;
                self.children(record, [])?
            }
            op::ROOT => {
                let mut facts = self.children(record, [])?;
                match decode_root(small as u8, a) {
                    Some(Root::Key(n)) => facts.keys = n.saturating_add(1),
                    Some(Root::Var(n)) => facts.vars = n.saturating_add(1),
                    Some(_) => record.require(a == 0, "only keys and variables have a number")?,
                    None => return Err(record.fault("there is no such value")),
                }
                facts
            }
            op::LIST | op::AND | op::OR => {
                let items = record.ids(a, b, exprs, "expression")?;
                self.children(record, items.iter())?
            }
            op::PATH => {
                self.steps(record, b, c)?;
                self.children(record, [a])?
            }
            op::NOT | op::HAS | op::NEG => self.children(record, [a])?,
            op::MATCHES => {
                record.below(b, self.tables.count(Section::Regexes), "regular expression")?;
                self.children(record, [a])?
            }
            op::EVERY | op::SOME => {
                let list = self.children(record, [a])?;
                let condition = self.children(record, [b])?;
                let mut facts = self.children(record, [a, b])?;
                facts.vars = list.vars.max(condition.vars.saturating_sub(1));
                facts
            }
            op::CALL => {
                let args = record.ids(a, b, exprs, "expression")?;
                record.require(args.len() == 1, "a function takes one argument")?;
                self.children(record, args.iter())?
            }
            op::LOOKUP => {
                record.below(a, self.tables.count(Section::Lookups), "lookup")?;
                let args = record.ids(b, c, exprs, "expression")?;
                let [_, arity] = self.tables.record(Section::Lookups, a, 0);
                record.require(
                    args.len() == arity as usize,
                    "the lookup takes another number of arguments",
                )?;
                self.children(record, args.iter())?
            }
            op::READ => {
                let kind = self.register(record, a)?;
                record.require(
                    kind != RegisterKind::Texts,
                    "texts are asked for a value, not read",
                )?;
                self.read(record, a, [])?
            }
            op::MENTIONED => {
                let kind = self.register(record, a)?;
                record.require(
                    kind == RegisterKind::Texts,
                    "only texts can be asked for a value",
                )?;
                self.read(record, a, [b])?
            }
            op::FRESH => {
                let kind = self.register(record, a)?;
                record.require(
                    kind == RegisterKind::Elapsed && join(b, c) >= 0,
                    "only the time since the latest member has an age",
                )?;
                self.read(record, a, [])?
            }
            op::PATTERN => {
                record.below(a, self.tables.count(Section::Patterns), "pattern")?;
                let pattern = self.library.pattern(a);
                let parts = pattern.keys.iter().chain(pattern.condition);
                let mut facts = self.children(record, parts)?;
                let keys = u32::try_from(pattern.keys.len()).unwrap_or(u32::MAX);
                facts.keys = facts.keys.max(keys);
                facts.binds = keys;
                facts
            }
            _ => self.children(record, [a, b])?,
        };
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

    fn constant(
        &self,
        record: Record<'c, 'a>,
        small: u32,
        a: u32,
        b: u32,
    ) -> Result<(), LoadError> {
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

    fn steps(&self, record: Record<'c, 'a>, start: u32, count: u32) -> Result<(), LoadError> {
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

    fn register(&self, record: Record<'c, 'a>, id: u32) -> Result<RegisterKind, LoadError> {
        record.below(id, self.tables.count(Section::Registers), "register")?;
        Ok(self.library.register(id).kind)
    }

    /// The facts of an expression that reads a register. What the register remembers is no part of
    /// the evaluation, but must be below it, so that no register depends on itself.
    fn read<const N: usize>(
        &self,
        record: Record<'c, 'a>,
        id: u32,
        children: [u32; N],
    ) -> Result<Facts, LoadError> {
        let register = self.library.register(id);
        self.children(record, [register.member].into_iter().chain(register.value))?;
        let mut facts = self.children(record, children)?;
        facts.keys = facts.keys.max(register.keys);
        facts.registers = facts.registers.max(id.saturating_add(1));
        Ok(facts)
    }
}
