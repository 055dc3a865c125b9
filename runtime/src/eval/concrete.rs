//! What stands in for the module of conditions on open arguments without the feature `narrowing`: nothing is
//! left open, and nobody makes [`Symbols`].

use super::Evaluator;
use super::datum::{Datum, Gap, Truth, WhyKind};
use crate::decision::Verb;
use crate::format::Steps;
use crate::format::model::Coerce;

/// There are none.
#[derive(Debug)]
pub(crate) enum Symbols {}

impl Symbols {
    pub(crate) const fn contract(&self) -> u32 {
        match *self {}
    }

    pub(crate) const fn object(&self, _: Verb) {
        match *self {}
    }
}

impl<'a> Evaluator<'a, '_> {
    pub(super) const fn symbolic_truth(&self, _: u32) -> Option<Truth> {
        None
    }

    /// Undefined fails closed; the evaluator does not come here.
    pub(super) fn symbolic_path(
        &self,
        expr: u32,
        _: Steps<'a>,
        _: Coerce,
    ) -> Result<Datum<'a>, Gap> {
        Err(Gap::new(expr, WhyKind::Limit))
    }
}
