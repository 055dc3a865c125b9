//! The types and modifiers of tokens, all of them the protocol's own.

use lsp_types::{SemanticTokenModifier, SemanticTokenType, SemanticTokensLegend};

/// What a token is, in order of the legend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenType {
    /// A module, an imported file, a server.
    Namespace,
    /// The name of a type.
    Type,
    /// A contract.
    Class,
    /// A group of tools.
    Enum,
    /// A value of an enumeration, or of an attribute.
    EnumMember,
    /// A declared event.
    Event,
    /// A tool, a lookup, a function, an aggregate.
    Function,
    /// A predicate: it is expanded where it stands.
    Macro,
    /// A parameter of a predicate or lookup.
    Parameter,
    /// A key, a `let`, the variable of `every`, a context field.
    Variable,
    /// A field.
    Property,
    /// An attribute.
    Decorator,
    Keyword,
    Operator,
    Comment,
    String,
    Number,
    Regexp,
}

/// The types as the client is told them.
const TYPES: [(TokenType, SemanticTokenType); 18] = [
    (TokenType::Namespace, SemanticTokenType::NAMESPACE),
    (TokenType::Type, SemanticTokenType::TYPE),
    (TokenType::Class, SemanticTokenType::CLASS),
    (TokenType::Enum, SemanticTokenType::ENUM),
    (TokenType::EnumMember, SemanticTokenType::ENUM_MEMBER),
    (TokenType::Event, SemanticTokenType::EVENT),
    (TokenType::Function, SemanticTokenType::FUNCTION),
    (TokenType::Macro, SemanticTokenType::MACRO),
    (TokenType::Parameter, SemanticTokenType::PARAMETER),
    (TokenType::Variable, SemanticTokenType::VARIABLE),
    (TokenType::Property, SemanticTokenType::PROPERTY),
    (TokenType::Decorator, SemanticTokenType::DECORATOR),
    (TokenType::Keyword, SemanticTokenType::KEYWORD),
    (TokenType::Operator, SemanticTokenType::OPERATOR),
    (TokenType::Comment, SemanticTokenType::COMMENT),
    (TokenType::String, SemanticTokenType::STRING),
    (TokenType::Number, SemanticTokenType::NUMBER),
    (TokenType::Regexp, SemanticTokenType::REGEXP),
];

/// The modifiers, each a bit.
pub(super) mod modifier {
    /// The name is declared here.
    pub(crate) const DECLARATION: u32 = 1;
    /// The host sets it, or an event binds it.
    pub(crate) const READONLY: u32 = 1 << 1;
    /// Its schema says that it should not be used any more.
    pub(crate) const DEPRECATED: u32 = 1 << 2;
    /// A comment that documents.
    pub(crate) const DOCUMENTATION: u32 = 1 << 3;
    /// It comes with the language or its library.
    pub(crate) const DEFAULT_LIBRARY: u32 = 1 << 4;
}

/// The modifiers as the client is told them, in order of their bits.
const MODIFIERS: [(u32, SemanticTokenModifier); 5] = [
    (modifier::DECLARATION, SemanticTokenModifier::DECLARATION),
    (modifier::READONLY, SemanticTokenModifier::READONLY),
    (modifier::DEPRECATED, SemanticTokenModifier::DEPRECATED),
    (
        modifier::DOCUMENTATION,
        SemanticTokenModifier::DOCUMENTATION,
    ),
    (
        modifier::DEFAULT_LIBRARY,
        SemanticTokenModifier::DEFAULT_LIBRARY,
    ),
];

/// What the numbers of tokens mean.
pub(crate) fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend {
        token_types: TYPES.iter().map(|(_, name)| name.clone()).collect(),
        token_modifiers: MODIFIERS.iter().map(|(_, name)| name.clone()).collect(),
    }
}

/// What a token is, with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Role {
    pub(super) kind: TokenType,
    pub(super) modifiers: u32,
}

impl Role {
    pub(super) const fn new(kind: TokenType, modifiers: u32) -> Self {
        Self { kind, modifiers }
    }

    /// Its number in the legend.
    pub(super) fn token_type(self) -> u32 {
        let index = TYPES.iter().position(|(kind, _)| *kind == self.kind);
        index.and_then(|n| u32::try_from(n).ok()).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_editors_names_them_all() {
        let page = include_str!("../../../../../docs/editors.md");
        let legend = legend();
        let types = legend.token_types.iter().map(SemanticTokenType::as_str);
        let modifiers = legend
            .token_modifiers
            .iter()
            .map(SemanticTokenModifier::as_str);
        for name in types.chain(modifiers) {
            assert!(page.contains(&format!("`{name}`")), "{name}");
        }
    }

    #[test]
    fn bits_are_in_order() {
        for (n, (bit, _)) in MODIFIERS.iter().enumerate() {
            assert_eq!(*bit, 1 << n);
        }
    }
}
