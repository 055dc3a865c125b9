//! What one event means for a register.

use alloc::vec::Vec;

use crate::decimal::Decimal;
use crate::eval::Evaluator;
use crate::eval::datum::{Gap, Remembered, Truth, WhyKind};
use crate::eval::frame::Slot;
use crate::format::model::RegisterKind;
use crate::value::Value;

/// What a register of a scalar kind comes to: a value, none yet, or the reason why it has none.
/// For `elapsed` it is the time of the latest member.
pub type Reading = Result<Option<Remembered>, Gap>;

/// What one event means for a register.
#[derive(Clone, Debug)]
pub struct Delta {
    /// Whether the event belongs to it. False only for streaks, where it ends the run.
    pub membership: Truth,
    /// The value taken of it.
    pub value: Result<Remembered, Gap>,
    /// For `values`: the values taken of it.
    pub items: Vec<Remembered>,
    /// Its time.
    pub time: Slot<i64>,
}

impl Delta {
    /// The gap of an undefined membership.
    pub(crate) fn gap(&self, expr: u32) -> Gap {
        match self.membership {
            Truth::Open(gap) => gap,
            _ => Gap::new(expr, WhyKind::UncertainMember),
        }
    }

    /// For `mentioned`, keeps the event's text in place of a value.
    pub(super) fn with_text(
        mut self,
        evaluator: &mut Evaluator<'_, '_>,
        kind: RegisterKind,
    ) -> Self {
        if kind == RegisterKind::Texts
            && let Ok(frame) = evaluator.frame()
        {
            let text = frame.normal_text(evaluator.library.wanted(), evaluator.space);
            self.value = text.map(|text| {
                let text = evaluator.space.recycler.text(text);
                Remembered::Value(Value::Str(text))
            });
        }
        self
    }

    /// Lays the event on top of a reading.
    pub(crate) fn apply(&self, kind: RegisterKind, expr: u32, reading: &mut Reading) {
        if let Truth::Open(gap) = self.membership {
            let settled =
                reading.is_err() || (kind == RegisterKind::First && matches!(reading, Ok(Some(_))));
            if !settled {
                *reading = Err(gap);
            }
            return;
        }
        if self.membership == Truth::False {
            if kind == RegisterKind::Streak {
                *reading = Ok(Some(number(Decimal::ZERO)));
            }
            return;
        }
        match kind {
            RegisterKind::Count | RegisterKind::Streak => {
                self.combine(expr, reading, |n| n.checked_add(Decimal::from(1_i64)));
            }
            RegisterKind::Sum => match &self.value {
                Ok(Remembered::Value(Value::Number(v))) => {
                    let v = *v;
                    self.combine(expr, reading, |n| n.checked_add(v));
                }
                other => self.spoil(expr, other, reading),
            },
            RegisterKind::Min | RegisterKind::Max => match &self.value {
                Ok(Remembered::Value(Value::Number(v))) => {
                    let v = *v;
                    if matches!(reading, Ok(None)) {
                        *reading = Ok(Some(number(v)));
                    } else {
                        self.combine(expr, reading, |n| {
                            Some(if (v < n) == (kind == RegisterKind::Min) {
                                v
                            } else {
                                n
                            })
                        });
                    }
                }
                other => self.spoil(expr, other, reading),
            },
            RegisterKind::Latest => *reading = self.value.clone().map(Some),
            RegisterKind::First => {
                if matches!(reading, Ok(None)) {
                    *reading = self.value.clone().map(Some);
                }
            }
            RegisterKind::Elapsed => {
                *reading = self
                    .time
                    .get(expr, WhyKind::NoTime)
                    .map(|t| Some(Remembered::Timestamp(t)));
            }
            RegisterKind::Values | RegisterKind::Texts => {}
        }
    }

    fn combine(
        &self,
        expr: u32,
        reading: &mut Reading,
        with: impl FnOnce(Decimal) -> Option<Decimal>,
    ) {
        if let Ok(Some(Remembered::Value(Value::Number(n)))) = reading {
            *reading = match with(*n) {
                Some(sum) => Ok(Some(number(sum))),
                None => Err(Gap::new(expr, WhyKind::TooLarge)),
            };
        }
    }

    fn spoil(&self, expr: u32, value: &Result<Remembered, Gap>, reading: &mut Reading) {
        if reading.is_ok() {
            *reading = Err(match value {
                Err(gap) => *gap,
                Ok(_) => Gap::new(expr, WhyKind::UncertainMember),
            });
        }
    }
}

pub(super) fn number(n: Decimal) -> Remembered {
    Remembered::Value(Value::Number(n))
}
