//! Where values come from: the field that a name, a `let` or an element of a list stands for, so that its parts and
//! the values of its enumeration are known.

use super::ELEMENT;
use crate::symbols::SymbolKind;

/// What is known of where a value comes from.
#[derive(Clone, Default)]
pub(super) struct Known {
    /// Where its fields are to be found.
    pub(super) origin: Option<Origin>,
    /// The field, context field or lookup that it comes from.
    pub(super) symbol: Option<usize>,
    /// Whether it is a list of values each of which comes from there.
    pub(super) spread: bool,
}

/// A place among the fields of a tool or event.
#[derive(Clone)]
pub(super) struct Origin {
    pub(super) kind: SymbolKind,
    pub(super) owner: String,
    pub(super) way: Vec<String>,
}

impl Known {
    /// An element of a list.
    pub(super) fn element(self) -> Self {
        let origin = self.origin.map(|mut origin| {
            if !self.spread {
                origin.way.push(ELEMENT.to_owned());
            }
            origin
        });
        Self {
            origin,
            symbol: self.symbol,
            spread: false,
        }
    }
}

/// What a built-in function or aggregate gives for what is known of its arguments. `list`: the second one is a list,
/// which `values` spreads.
pub(super) fn function(name: &str, args: Vec<Known>, list: bool) -> Known {
    let second = args.into_iter().nth(1).unwrap_or_default();
    match name {
        "min" | "max" | "latest" | "first" => second,
        "values" if list => second,
        "values" => Known {
            spread: true,
            ..second
        },
        _ => Known::default(),
    }
}
