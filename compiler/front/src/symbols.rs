//! What names mean, for editors: every place where a name stands, with what it names.
//!
//! The index is read from the trees by the scopes of the language alone, without types being checked, so that a
//! file with errors has one, too. A bare name in a pattern is a field of the pattern's tools; where a `let` of a
//! condition is read depends on where it is used, and the fields in it are left out.

use crate::ir::Place;
use crate::types::Type;

/// Kinds of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SymbolKind {
    /// A contract.
    Contract,
    /// A predicate.
    Predicate,
    /// A predicate's parameter.
    Parameter,
    /// A `let` of a contract.
    Let,
    /// A key of a contract.
    Key,
    /// The variable of `every` or `some`.
    Variable,
    /// A declared event.
    Event,
    /// A field of a declared event.
    EventField,
    /// A lookup.
    Lookup,
    /// A context field.
    Context,
    /// A tool.
    Tool,
    /// An argument of a tool, or a part of one.
    Argument,
    /// A field of a tool's result, or a part of one.
    ResultField,
    /// A group of tools.
    Group,
    /// An imported file, by the name it has here.
    Module,
    /// A value of an enumeration.
    EnumValue,
}

/// Something that has a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Symbol {
    /// What it is.
    pub kind: SymbolKind,
    /// Its name, as it is declared.
    pub name: String,
    /// Whose it is: the tool of an argument (`server.tool` where the server is declared), the event of a field.
    pub owner: Option<String>,
    /// For a field the names that lead to it from its owner, its own the last, `[*]` for the elements of a list; for a value of
    /// an enumeration those of its field; else empty.
    pub path: Vec<String>,
    /// Where it is declared: nowhere (a tool that no file declares), once, or several times (a tool of a file
    /// that is refined by hand).
    pub definitions: Vec<Place>,
    /// What is written about it: the documentation before its declaration, the schema's description.
    pub doc: Option<String>,
    /// Its declared type, where it has one: of a tool that of its result, of a lookup that of its answer. Of a key or `let`
    /// what is seen at once of what it stands for.
    pub ty: Option<Type>,
    /// Whether a field may be missing.
    pub optional: bool,
    /// Where its type is written: in the policy, or in the schema that a field's reference leads to.
    pub type_places: Vec<Place>,
    /// Whether its schema says that it should not be used any more.
    pub deprecated: bool,
    /// Whether it comes with the compiler.
    pub library: bool,
}

/// A place where a name stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mention {
    /// Where.
    pub place: Place,
    /// Index into [`Symbols::symbols`].
    pub symbol: usize,
    /// Whether it is declared here.
    pub definition: bool,
}

/// All names of a compilation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Symbols {
    /// What has a name.
    pub symbols: Vec<Symbol>,
    /// Where names stand, in order of file and place; no two at one place.
    pub mentions: Vec<Mention>,
}

impl Symbols {
    /// The name at a byte offset of a source; an offset at the end of a name is in it.
    #[must_use]
    pub fn at(&self, source: crate::ir::SourceId, offset: u32) -> Option<&Mention> {
        let after = self.mentions.partition_point(|mention| {
            (mention.place.source, mention.place.span.start) <= (source, offset)
        });
        self.mentions
            .get(..after)?
            .iter()
            .rev()
            // Names do not overlap: one that ends here begins right before.
            .take(2)
            .take_while(|mention| mention.place.source == source)
            .find(|mention| offset <= mention.place.span.end)
    }

    /// What a mention names.
    #[must_use]
    pub fn symbol(&self, mention: &Mention) -> Option<&Symbol> {
        self.symbols.get(mention.symbol)
    }

    /// All places where a symbol's name stands.
    pub fn mentions_of(&self, symbol: usize) -> impl Iterator<Item = &Mention> {
        self.mentions
            .iter()
            .filter(move |mention| mention.symbol == symbol)
    }
}
