//! What a name means where it stands.

use std::rc::Rc;

use ctr_grammar::Span;
use ctr_grammar::ast;

use super::names::ToolSym;
use crate::ir::{EventKind, Place, SourceId};
use crate::types::Type;

/// The text that a tree was read from.
#[derive(Clone, Copy)]
pub(super) struct Src<'a> {
    /// Index of the unit.
    pub(super) unit: usize,
    /// The source of the unit.
    pub(super) source: SourceId,
    /// The text.
    pub(super) text: &'a str,
}

impl Src<'_> {
    /// The place of a span of this text.
    pub(super) fn place(&self, span: Span) -> Place {
        Place {
            source: self.source,
            span,
        }
    }
}

/// Which fields can be read.
pub(super) enum View<'a> {
    /// A condition in braces: no event's.
    State,
    /// A predicate that is checked by itself: any.
    Opaque,
    /// A message or the arguments of a redirect: those of the event that is refused.
    Message {
        /// The declared tools that the contract speaks of; empty where nothing is known.
        tools: Vec<&'a ToolSym>,
        /// Whether the contract speaks of inputs or outputs, so that `text` is their text.
        texts: bool,
    },
    /// Those of an event that fits a pattern.
    Event(EventView<'a>),
}

/// The fields of an event that fits a pattern.
pub(super) struct EventView<'a> {
    /// Its kind.
    pub(super) kind: EventKind,
    /// As messages say it: "`call refund`".
    pub(super) title: String,
    /// The type of the arguments.
    pub(super) args: &'a Type,
    /// The type of the result.
    pub(super) result: &'a Type,
    /// The type of a declared event's fields.
    pub(super) fields: &'a Type,
}

/// Where a template was used.
pub(super) struct Use {
    /// Its name.
    pub(super) name: String,
    /// The use.
    pub(super) place: Place,
    /// The use in whose expansion this one stands.
    pub(super) outer: Option<Rc<Use>>,
}

/// What surrounds an expression.
#[derive(Clone)]
pub(super) struct Scope<'a> {
    /// The text.
    pub(super) src: Src<'a>,
    /// The fields.
    pub(super) view: Rc<View<'a>>,
    /// Which event the fields belong to; aggregates have events of their own.
    pub(super) frame: u32,
    /// Keys, lets, parameters and variables, the innermost first.
    pub(super) locals: Option<Rc<Local<'a>>>,
    /// The templates in whose expansion the expression stands.
    pub(super) uses: Option<Rc<Use>>,
}

/// A local name.
pub(super) struct Local<'a> {
    /// The name.
    pub(super) name: String,
    /// What it means.
    pub(super) kind: LocalKind<'a>,
    /// The names around it.
    pub(super) next: Option<Rc<Local<'a>>>,
}

/// What a local name means.
#[derive(Clone)]
pub(super) enum LocalKind<'a> {
    /// The contract's n-th key.
    Key(u32),
    /// A `let`, which sees the names around it and the fields of where it is used.
    Let(&'a ast::Expr, Src<'a>),
    /// A parameter, with what was given for it.
    Param {
        /// What was given.
        arg: &'a ast::Expr,
        /// Its surroundings.
        scope: Scope<'a>,
        /// The declared type; `None` for `event`.
        ty: Option<Type>,
    },
    /// A parameter of a predicate that is checked by itself; its type, `None` for `event`.
    Opaque(Option<Type>),
    /// A variable of `every` or `some`.
    Var {
        /// How many quantifiers surround it.
        level: u32,
        /// The event that they belong to.
        frame: u32,
        /// Its type.
        ty: Type,
    },
}

impl<'a> Scope<'a> {
    /// With another local name.
    pub(super) fn with(&self, name: &str, kind: LocalKind<'a>) -> Self {
        let mut inner = self.clone();
        inner.locals = Some(Rc::new(Local {
            name: name.to_owned(),
            kind,
            next: self.locals.clone(),
        }));
        inner
    }

    /// With the fields of another event.
    pub(super) fn seeing(&self, view: Rc<View<'a>>, frame: u32) -> Self {
        let mut inner = self.clone();
        inner.view = view;
        inner.frame = frame;
        inner
    }

    /// The local of that name.
    pub(super) fn local(&self, name: &str) -> Option<&Rc<Local<'a>>> {
        let mut at = self.locals.as_ref();
        while let Some(local) = at {
            if local.name == name {
                return Some(local);
            }
            at = local.next.as_ref();
        }
        None
    }

    /// The names of all locals.
    pub(super) fn local_names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        let mut at = self.locals.as_ref();
        while let Some(local) = at {
            names.push(local.name.as_str());
            at = local.next.as_ref();
        }
        names
    }

    /// The place of a span of this text.
    pub(super) fn place(&self, span: Span) -> Place {
        self.src.place(span)
    }
}
