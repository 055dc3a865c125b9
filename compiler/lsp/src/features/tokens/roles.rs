//! What the names of a text are: by the index, by the syntax tree, by what stands around them.

use std::collections::HashMap;

use ctr_front::check::BUILTINS;
use ctr_front::symbols::SymbolKind;
use ctr_grammar::ast::{
    Action, ClauseKind, Expr, ExprKind, FieldDecl, File, GroupMembers, Ident, Item, ItemKind,
    ModuleRef, Outcome, Path, StrLit, Test, TestStepKind, ToolSelKind, Type, TypeKind,
};
use ctr_grammar::keywords::KeywordKind;
use ctr_grammar::{Lexeme, LexemeKind, MessagePart, Span, message_parts, walk};

use super::legend::{Role, TokenType, modifier};
use crate::documents::Document;
use crate::snapshot::Snapshot;

/// What is known of names by where they start, and of messages where their expressions stand.
#[derive(Default)]
pub(super) struct Known {
    pub(super) roles: HashMap<u32, Role>,
    pub(super) messages: Vec<Span>,
}

/// Names that an event has of itself.
const ROOTS: [&str; 4] = ["args", "result", "event", "ctx"];

/// By what the names of the document name.
pub(super) fn of_index(snapshot: &Snapshot, document: &Document) -> HashMap<u32, Role> {
    let mut out = HashMap::new();
    let Some(analysis) = snapshot.of_document(document) else {
        return out;
    };
    let Some(source) = analysis.source_of(document) else {
        return out;
    };
    let symbols = analysis.symbols();
    for mention in symbols.mentions.iter().filter(|m| m.place.source == source) {
        let Some(symbol) = symbols.symbol(mention) else {
            continue;
        };
        let (kind, mut modifiers) = match symbol.kind {
            SymbolKind::Contract => (TokenType::Class, 0),
            SymbolKind::Predicate => (TokenType::Macro, 0),
            SymbolKind::Parameter => (TokenType::Parameter, 0),
            SymbolKind::Let | SymbolKind::Variable => (TokenType::Variable, 0),
            SymbolKind::Key | SymbolKind::Context => (TokenType::Variable, modifier::READONLY),
            SymbolKind::Event => (TokenType::Event, 0),
            SymbolKind::Lookup | SymbolKind::Tool => (TokenType::Function, 0),
            SymbolKind::EventField | SymbolKind::Argument | SymbolKind::ResultField => {
                (TokenType::Property, 0)
            }
            SymbolKind::Group => (TokenType::Enum, 0),
            SymbolKind::Module => (TokenType::Namespace, 0),
            SymbolKind::EnumValue => (TokenType::EnumMember, 0),
        };
        if mention.definition {
            modifiers |= modifier::DECLARATION;
        }
        if symbol.deprecated {
            modifiers |= modifier::DEPRECATED;
        }
        if symbol.library {
            modifiers |= modifier::DEFAULT_LIBRARY;
        }
        out.insert(mention.place.span.start, Role::new(kind, modifiers));
    }
    out
}

/// By where the names stand in the tree; what is known already counts more.
pub(super) fn of_tree(text: &str, file: &File, known: HashMap<u32, Role>) -> Known {
    let mut tree = Tree {
        text,
        out: Known {
            roles: known,
            messages: Vec::new(),
        },
    };
    for item in &file.items {
        tree.item(item);
    }
    tree.out.messages.sort();
    tree.out
}

struct Tree<'t> {
    text: &'t str,
    out: Known,
}

impl Tree<'_> {
    fn at(&mut self, start: u32, kind: TokenType, modifiers: u32) {
        self.out
            .roles
            .entry(start)
            .or_insert(Role::new(kind, modifiers));
    }

    fn name(&mut self, name: &Ident, kind: TokenType, modifiers: u32) {
        self.at(name.span.start, kind, modifiers);
    }

    /// A dotted name: what the last part is, after names of files or servers.
    fn path(&mut self, path: &Path, kind: TokenType, modifiers: u32) {
        let Some((last, before)) = path.parts.split_last() else {
            return;
        };
        for part in before {
            self.name(part, TokenType::Namespace, 0);
        }
        self.name(last, kind, modifiers);
    }

    fn target(&mut self, target: &ModuleRef) {
        if let ModuleRef::Name(path) = target {
            let library = path.parts.first().is_some_and(|part| part.name == "std");
            let modifiers = if library {
                modifier::DEFAULT_LIBRARY
            } else {
                0
            };
            for part in &path.parts {
                self.name(part, TokenType::Namespace, modifiers);
            }
        }
    }

    fn item(&mut self, item: &Item) {
        const DECLARED: u32 = modifier::DECLARATION;
        for attribute in &item.attributes {
            self.at(attribute.span.start, TokenType::Decorator, 0);
            self.name(&attribute.name, TokenType::Decorator, 0);
            for arg in &attribute.args {
                if let ExprKind::Name(name) = &arg.kind {
                    self.name(name, TokenType::EnumMember, 0);
                }
            }
        }
        match &item.kind {
            ItemKind::Module(path) => self.path(path, TokenType::Namespace, DECLARED),
            ItemKind::Import(import) => {
                self.target(&import.target);
                if let Some(alias) = &import.alias {
                    self.name(alias, TokenType::Namespace, DECLARED);
                }
            }
            ItemKind::Include(include) => {
                self.target(&include.target);
                for name in include.only.iter().flatten() {
                    self.name(name, TokenType::Class, 0);
                }
            }
            ItemKind::ToolsFrom(tools) => {
                if let Some(server) = &tools.server {
                    self.name(server, TokenType::Namespace, DECLARED);
                }
            }
            ItemKind::Tool(tool) => {
                self.path(&tool.name, TokenType::Function, DECLARED);
                self.fields(&tool.params, TokenType::Property);
                if let Some(result) = &tool.result {
                    self.ty(result);
                }
            }
            ItemKind::Group(group) => {
                self.name(&group.name, TokenType::Enum, DECLARED);
                match &group.members {
                    GroupMembers::List(paths) => {
                        for path in paths {
                            self.path(path, TokenType::Function, 0);
                        }
                    }
                    GroupMembers::Where(condition) => walk::walk(condition, &mut |e| {
                        if let ExprKind::Name(name) = &e.kind {
                            self.name(name, TokenType::Property, modifier::DEFAULT_LIBRARY);
                        }
                    }),
                }
            }
            ItemKind::Event(event) => {
                self.name(&event.name, TokenType::Event, DECLARED);
                self.fields(&event.fields, TokenType::Property);
            }
            ItemKind::Context(context) => {
                self.name(
                    &context.name,
                    TokenType::Variable,
                    DECLARED | modifier::READONLY,
                );
                self.ty(&context.ty);
            }
            ItemKind::Lookup(lookup) => {
                self.name(&lookup.name, TokenType::Function, DECLARED);
                self.fields(&lookup.params, TokenType::Parameter);
                self.ty(&lookup.result);
            }
            ItemKind::Predicate(predicate) => {
                self.name(&predicate.name, TokenType::Macro, DECLARED);
                self.fields(&predicate.params, TokenType::Parameter);
                self.expr(&predicate.body, false);
            }
            ItemKind::Contract(contract) => {
                self.name(&contract.name, TokenType::Class, DECLARED);
                for key in &contract.keys {
                    self.name(key, TokenType::Variable, DECLARED | modifier::READONLY);
                }
                for clause in &contract.clauses {
                    self.clause(&clause.kind);
                }
            }
            ItemKind::Test(test) => self.test(test),
            ItemKind::Error => {}
        }
    }

    fn fields(&mut self, fields: &[FieldDecl], kind: TokenType) {
        for field in fields {
            self.name(&field.name, kind, modifier::DECLARATION);
            self.ty(&field.ty);
        }
    }

    fn ty(&mut self, ty: &Type) {
        match &ty.kind {
            TypeKind::Name(_) | TypeKind::Enum(_) => {
                self.at(ty.span.start, TokenType::Type, modifier::DEFAULT_LIBRARY);
            }
            TypeKind::List(inner) | TypeKind::Map(inner) => {
                self.at(ty.span.start, TokenType::Type, modifier::DEFAULT_LIBRARY);
                self.ty(inner);
            }
            TypeKind::Record(fields) => self.fields(fields, TokenType::Property),
            TypeKind::Union(types) => {
                for ty in types {
                    self.ty(ty);
                }
            }
            TypeKind::Error => {}
        }
        if let TypeKind::Enum(values) = &ty.kind {
            for value in values {
                self.at(
                    value.span.start,
                    TokenType::EnumMember,
                    modifier::DECLARATION,
                );
            }
        }
    }

    fn clause(&mut self, clause: &ClauseKind) {
        match clause {
            ClauseKind::Let(name, value) => {
                self.name(name, TokenType::Variable, modifier::DECLARATION);
                self.expr(value, false);
            }
            ClauseKind::Assume(formula) | ClauseKind::Guarantee(formula) => {
                self.expr(formula, false);
            }
            ClauseKind::Otherwise(action) => match action {
                Action::Block(message)
                | Action::Warn(message)
                | Action::Escalate(message)
                | Action::Repair(message) => self.message(message.as_ref()),
                Action::Redirect {
                    tool,
                    args,
                    message,
                } => {
                    self.path(tool, TokenType::Function, 0);
                    self.args(args);
                    self.message(message.as_ref());
                }
            },
            ClauseKind::Error => {}
        }
    }

    fn args(&mut self, args: &[(Ident, Expr)]) {
        for (name, value) in args {
            self.name(name, TokenType::Property, 0);
            self.expr(value, false);
        }
    }

    fn message(&mut self, message: Option<&StrLit>) {
        let Some(literal) = message else { return };
        let (parts, _) = message_parts(self.text, literal);
        for part in parts {
            let MessagePart::Expr(expr) = part else {
                continue;
            };
            // The quotes of a string in it are escaped, and no lexemes by themselves.
            if expr.span.text(self.text).contains('\\') {
                continue;
            }
            self.out.messages.push(expr.span);
            self.expr(&expr, true);
        }
    }

    /// `inside`: in the parentheses of a pattern, where a bare name is a field.
    fn expr(&mut self, expr: &Expr, inside: bool) {
        let mut inner = inside;
        match &expr.kind {
            ExprKind::Name(name) => {
                if ROOTS.contains(&name.name.as_str()) {
                    self.name(name, TokenType::Variable, modifier::DEFAULT_LIBRARY);
                } else if inside {
                    self.name(name, TokenType::Property, 0);
                } else {
                    self.name(name, TokenType::Variable, 0);
                }
            }
            ExprKind::Field(_, name) => self.name(name, TokenType::Property, 0),
            ExprKind::Call(path, _) => {
                let builtin = matches!(path.parts.as_slice(), [name] if BUILTINS.contains(&name.name.as_str()));
                let modifiers = if builtin {
                    modifier::DEFAULT_LIBRARY
                } else {
                    0
                };
                self.path(path, TokenType::Function, modifiers);
            }
            ExprKind::Pattern(pattern) => {
                if let Some(ToolSelKind::OneOf(paths) | ToolSelKind::Except(paths)) =
                    pattern.tools.as_ref().map(|tools| &tools.kind)
                {
                    for path in paths {
                        self.path(path, TokenType::Function, 0);
                    }
                }
                inner = true;
            }
            ExprKind::Record(fields) => {
                for (name, _) in fields {
                    self.name(name, TokenType::Property, 0);
                }
            }
            ExprKind::Quantified { var, .. } => {
                self.name(var, TokenType::Variable, modifier::DECLARATION);
            }
            _ => {}
        }
        for child in walk::children(expr) {
            self.expr(child, inner);
        }
    }

    fn test(&mut self, test: &Test) {
        for path in &test.contracts {
            self.path(path, TokenType::Class, 0);
        }
        for step in &test.steps {
            for expect in &step.expect {
                self.name(&expect.what, TokenType::Keyword, 0);
                for path in &expect.by {
                    self.path(path, TokenType::Class, 0);
                }
            }
            for (name, value) in &step.meta {
                self.name(name, TokenType::Property, modifier::DEFAULT_LIBRARY);
                self.expr(value, false);
            }
            match &step.kind {
                TestStepKind::Context(path, value) => {
                    self.path(path, TokenType::Variable, modifier::READONLY);
                    self.expr(value, false);
                }
                TestStepKind::Lookup { name, args, value } => {
                    self.name(name, TokenType::Function, 0);
                    for arg in args {
                        self.expr(arg, false);
                    }
                    self.expr(value, false);
                }
                TestStepKind::Event(name, args) => {
                    self.name(name, TokenType::Event, 0);
                    self.args(args);
                }
                TestStepKind::Call {
                    tool,
                    args,
                    outcome,
                } => {
                    self.path(tool, TokenType::Function, 0);
                    self.args(args);
                    if let Some(Outcome::Success(value)) = outcome {
                        self.expr(value, false);
                    }
                }
                TestStepKind::Return(tool, outcome) => {
                    self.path(tool, TokenType::Function, 0);
                    if let Outcome::Success(value) = outcome {
                        self.expr(value, false);
                    }
                }
                TestStepKind::After(_)
                | TestStepKind::Input(_)
                | TestStepKind::Output(_)
                | TestStepKind::End
                | TestStepKind::Error => {}
            }
        }
    }
}

/// The token of a lexeme; none for strings, whose parts are told apart, and for what has no colour of its own.
pub(super) fn of_lexeme(
    text: &str,
    lexemes: &[Lexeme],
    index: usize,
    known: &HashMap<u32, Role>,
) -> Option<Role> {
    let lexeme = lexemes.get(index)?;
    let claimed = known.get(&lexeme.span.start).copied();
    Some(match lexeme.kind {
        LexemeKind::Keyword(kind) => match kind {
            KeywordKind::Connective | KeywordKind::Operator => Role::new(TokenType::Operator, 0),
            KeywordKind::Type => {
                claimed.unwrap_or(Role::new(TokenType::Type, modifier::DEFAULT_LIBRARY))
            }
            _ => Role::new(TokenType::Keyword, 0),
        },
        LexemeKind::Name => claimed.unwrap_or_else(|| guessed(text, lexemes, index)),
        LexemeKind::Number | LexemeKind::Duration => Role::new(TokenType::Number, 0),
        LexemeKind::Regex => Role::new(TokenType::Regexp, 0),
        LexemeKind::Operator => Role::new(TokenType::Operator, 0),
        // `@` is a part of its attribute.
        LexemeKind::Punctuation => claimed.filter(|role| role.kind == TokenType::Decorator)?,
        LexemeKind::Str | LexemeKind::Error => return None,
    })
}

/// What a name is that stands in no tree, by its neighbours.
fn guessed(text: &str, lexemes: &[Lexeme], index: usize) -> Role {
    let word = |at: Option<usize>| {
        at.and_then(|at| lexemes.get(at))
            .map_or("", |lexeme| lexeme.span.text(text))
    };
    let (before, name, after) = (
        word(index.checked_sub(1)),
        word(Some(index)),
        word(Some(index + 1)),
    );
    let declared = |kind| Role::new(kind, modifier::DECLARATION);
    match before {
        "." => return Role::new(TokenType::Property, 0),
        "@" => return Role::new(TokenType::Decorator, 0),
        "call" | "return" | "success" | "failure" | "unknown" | "redirect" | "except" => {
            return Role::new(TokenType::Function, 0);
        }
        "contract" => return declared(TokenType::Class),
        "predicate" => return declared(TokenType::Macro),
        "tool" | "lookup" => return declared(TokenType::Function),
        "group" => return declared(TokenType::Enum),
        "event" => return declared(TokenType::Event),
        "let" | "each" | "every" | "some" => return declared(TokenType::Variable),
        "context" => {
            return Role::new(
                TokenType::Variable,
                modifier::DECLARATION | modifier::READONLY,
            );
        }
        "module" | "import" | "as" => return Role::new(TokenType::Namespace, 0),
        _ => {}
    }
    match after {
        "(" if BUILTINS.contains(&name) => {
            Role::new(TokenType::Function, modifier::DEFAULT_LIBRARY)
        }
        "(" => Role::new(TokenType::Function, 0),
        ":" => Role::new(TokenType::Property, 0),
        _ if ROOTS.contains(&name) => Role::new(TokenType::Variable, modifier::DEFAULT_LIBRARY),
        _ => Role::new(TokenType::Variable, 0),
    }
}
