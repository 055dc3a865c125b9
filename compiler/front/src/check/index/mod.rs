//! The index of names (see [`crate::symbols`]).

mod declarations;
mod expressions;
mod inferred;
mod items;
mod origin;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use ctr_grammar::Span;
use ctr_grammar::ast::{Expr, Ident};

use super::message::Messages;
use super::names::{Names, ToolSym};
use crate::ir::{Place, SourceId};
use crate::load::Graph;
use crate::schema::places::{Outline, ToolOutline};
use crate::symbols::{Mention, Symbol, SymbolKind, Symbols};
use crate::types::Type;
use origin::Known;

/// Indexes the names of all files of a graph.
#[must_use]
pub fn index(graph: &Graph) -> Symbols {
    // Findings about declarations are told by the check itself.
    let mut unheard = Vec::new();
    let names = Names::new(graph, &mut unheard);
    let messages = Messages::new(graph, &mut unheard);
    let mut builder = Builder {
        graph,
        names: &names,
        out: Symbols::default(),
        known: HashMap::new(),
        unit: 0,
        source: SourceId(0),
    };
    let outlines = outlines(graph);
    let tools: HashMap<Place, ToolOutline<'_>> = outlines
        .iter()
        .flat_map(|(source, outline)| {
            let place = |span| Place {
                source: *source,
                span,
            };
            let tools = outline.tools().into_iter();
            tools.map(move |(span, tool)| (place(span), tool))
        })
        .collect();
    for (index, unit) in graph.units.iter().enumerate() {
        builder.unit = index;
        builder.source = unit.source;
        builder.declarations(unit, &tools);
    }
    for (index, unit) in graph.units.iter().enumerate() {
        builder.unit = index;
        builder.source = unit.source;
        builder.uses(unit, &messages);
    }
    let mut out = builder.out;
    // Where one place was read twice the first reading counts: declarations come first.
    out.mentions.sort_by_key(|mention| {
        let place = mention.place;
        (place.source, place.span, !mention.definition)
    });
    out.mentions.dedup_by_key(|mention| mention.place);
    out
}

/// The files that tools are taken from, with the places of their parts.
fn outlines(graph: &Graph) -> Vec<(SourceId, Outline)> {
    let policies: HashSet<SourceId> = graph.units.iter().map(|unit| unit.source).collect();
    let files: BTreeSet<SourceId> = graph
        .units
        .iter()
        .flat_map(|unit| unit.tools.iter().map(|tool| tool.place.source))
        .filter(|source| !policies.contains(source))
        .collect();
    files
        .into_iter()
        .map(|source| (source, Outline::read(graph.text(source))))
        .collect()
}

/// The elements of a list, on the way to a field.
const ELEMENT: &str = "[*]";

/// What makes two names one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Identity {
    /// By file, kind and name.
    InFile(SymbolKind, usize, String),
    /// By the place of its declaration.
    Local(Place),
    /// By server and name, in whichever file it is declared.
    Tool(Option<String>, String),
    /// By what it belongs to, and the names on the way.
    Field(SymbolKind, String, Vec<String>),
    /// A value of the enumeration of a symbol.
    Value(usize, String),
}

/// A name of a contract, predicate or quantifier.
struct Local<'a> {
    name: &'a str,
    symbol: usize,
    /// What it stands for, in a `let`.
    value: Option<&'a Expr>,
    known: Known,
    next: Option<Rc<Local<'a>>>,
}

/// The fields that a bare name can be.
#[derive(Clone, Default)]
enum Fields<'a> {
    /// None that are known.
    #[default]
    None,
    /// Those of a call or return of one of some tools.
    Tools {
        tools: Vec<&'a ToolSym>,
        /// Whether a bare name is a field of the result.
        result: bool,
    },
    /// Those of a declared event.
    Event { name: &'a str, record: &'a Type },
}

#[derive(Clone, Default)]
struct Scope<'a> {
    locals: Option<Rc<Local<'a>>>,
    fields: Fields<'a>,
}

impl<'a> Scope<'a> {
    fn local(&self, name: &str) -> Option<&Rc<Local<'a>>> {
        let mut at = self.locals.as_ref();
        while let Some(local) = at {
            if local.name == name {
                return Some(local);
            }
            at = local.next.as_ref();
        }
        None
    }

    fn with(&self, name: &'a str, symbol: usize, value: Option<&'a Expr>, known: Known) -> Self {
        Self {
            locals: Some(Rc::new(Local {
                name,
                symbol,
                value,
                known,
                next: self.locals.clone(),
            })),
            fields: self.fields.clone(),
        }
    }

    fn seeing(&self, fields: Fields<'a>) -> Self {
        Self {
            locals: self.locals.clone(),
            fields,
        }
    }
}

struct Builder<'a> {
    graph: &'a Graph,
    names: &'a Names<'a>,
    out: Symbols,
    known: HashMap<Identity, usize>,
    /// The file that is read.
    unit: usize,
    source: SourceId,
}

impl<'a> Builder<'a> {
    fn place(&self, span: Span) -> Place {
        Place {
            source: self.source,
            span,
        }
    }

    /// The symbol of an identity, made where it is new.
    fn symbol(&mut self, identity: Identity, kind: SymbolKind, name: &str) -> usize {
        if let Some(known) = self.known.get(&identity) {
            return *known;
        }
        let library = match &identity {
            Identity::InFile(_, unit, _) => self.graph.units.get(*unit).is_some_and(|u| u.library),
            Identity::Local(_) => self
                .graph
                .units
                .get(self.unit)
                .is_some_and(|unit| unit.library),
            Identity::Tool(..) | Identity::Field(..) | Identity::Value(..) => false,
        };
        let (owner, path) = match &identity {
            Identity::Field(_, owner, way) => (Some(owner.clone()), way.clone()),
            Identity::Value(field, _) => match self.out.symbols.get(*field) {
                Some(field) if field.owner.is_some() => (field.owner.clone(), field.path.clone()),
                Some(field) => (Some(field.name.clone()), Vec::new()),
                None => (None, Vec::new()),
            },
            _ => (None, Vec::new()),
        };
        let made = self.out.symbols.len();
        self.out.symbols.push(Symbol {
            kind,
            name: name.to_owned(),
            owner,
            path,
            definitions: Vec::new(),
            doc: None,
            ty: None,
            type_places: Vec::new(),
            deprecated: false,
            optional: false,
            library,
        });
        self.known.insert(identity, made);
        made
    }

    fn edit(&mut self, symbol: usize, with: impl FnOnce(&mut Symbol)) {
        if let Some(symbol) = self.out.symbols.get_mut(symbol) {
            with(symbol);
        }
    }

    fn mention(&mut self, span: Span, symbol: usize) {
        let place = self.place(span);
        self.out.mentions.push(Mention {
            place,
            symbol,
            definition: false,
        });
    }

    fn define(&mut self, place: Place, symbol: usize) {
        self.out.mentions.push(Mention {
            place,
            symbol,
            definition: true,
        });
        self.edit(symbol, |symbol| {
            if !symbol.definitions.contains(&place) {
                symbol.definitions.push(place);
            }
        });
    }

    /// A name of this file.
    fn declare(&mut self, kind: SymbolKind, name: &Ident, doc: Option<&String>) -> usize {
        let identity = Identity::InFile(kind, self.unit, name.name.clone());
        let symbol = self.symbol(identity, kind, &name.name);
        self.define(self.place(name.span), symbol);
        self.edit(symbol, |symbol| {
            if symbol.doc.is_none() {
                symbol.doc = doc.cloned();
            }
        });
        symbol
    }
}

/// A tool's name with its server's.
fn full_name(server: Option<&str>, name: &str) -> String {
    match server {
        Some(server) => format!("{server}.{name}"),
        None => name.to_owned(),
    }
}
