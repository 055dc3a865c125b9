//! Case distinctions: for which values a condition is true, false or undefined.

use alloc::vec::Vec;

use crate::eval::datum::Truth;
use crate::session::narrow::shape::{Shape, Step, and, or};

/// A part of a case distinction as a shape, and whether the shape is all of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) shape: Shape,
    pub(crate) exact: bool,
}

impl Part {
    pub(super) fn exact(shape: Shape) -> Self {
        Self { shape, exact: true }
    }

    pub(super) fn some(shape: Shape) -> Self {
        Self {
            shape,
            exact: false,
        }
    }

    pub(super) fn is(shape: Shape, exact: bool) -> Self {
        Self { shape, exact }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self {
            shape: and(Vec::from([self.shape, other.shape])),
            exact: self.exact && other.exact,
        }
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self {
            shape: or(Vec::from([self.shape, other.shape])),
            exact: self.exact && other.exact,
        }
    }
}

/// For which values a condition is true, false, undefined.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Triple {
    pub(crate) yes: Part,
    pub(crate) no: Part,
    pub(crate) undefined: Part,
}

impl Triple {
    pub(super) fn constant(truth: Truth) -> Self {
        let whole = |here: bool| Part::exact(if here { Shape::Any } else { Shape::Never });
        Self {
            yes: whole(truth == Truth::True),
            no: whole(truth == Truth::False),
            undefined: whole(matches!(truth, Truth::Open(_))),
        }
    }

    /// From the shapes of the value itself; without a value it is undefined.
    pub(super) fn of(steps: &[Step], yes: Part, no: Part, undefined: Part) -> Self {
        let wrap = |part: Part| Part {
            shape: Shape::at(steps, part.shape),
            exact: part.exact,
        };
        let there = Shape::at(steps, Shape::Any);
        let (yes, no, undefined) = (wrap(yes), wrap(no), wrap(undefined));
        let undefined = if yes.exact && no.exact {
            let known = or(Vec::from([yes.shape.clone(), no.shape.clone()]));
            Part::exact(known.not())
        } else {
            let absent = there.not();
            Part {
                shape: or(Vec::from([undefined.shape, absent])),
                exact: undefined.exact,
            }
        };
        Self { yes, no, undefined }
    }

    pub(super) fn not(self) -> Self {
        Self {
            yes: self.no,
            no: self.yes,
            undefined: self.undefined,
        }
    }

    /// By Kleene's tables.
    pub(super) fn and(self, other: Self) -> Self {
        let yes = self.yes.clone().and(other.yes.clone());
        let no = self.no.clone().or(other.no.clone());
        let undefined = if yes.exact && no.exact {
            Part::exact(or(Vec::from([yes.shape.clone(), no.shape.clone()])).not())
        } else {
            let maybe = |t: &Self| t.yes.clone().or(t.undefined.clone());
            let both = maybe(&self).and(maybe(&other));
            let either = self.undefined.or(other.undefined);
            both.and(either)
        };
        Self { yes, no, undefined }
    }
}

/// Nothing is known of when it is what.
pub(super) fn nothing() -> Triple {
    let none = || Part::some(Shape::Never);
    Triple {
        yes: none(),
        no: none(),
        undefined: none(),
    }
}

/// Stands where the undefined part follows from the others.
pub(super) fn rest() -> Part {
    Part::exact(Shape::Never)
}
