//! Where a document has hints.

use ctr_front::check::type_name;
use ctr_front::ir::{Place, SourceId};
use ctr_front::symbols::{Mention, Symbol, SymbolKind, Symbols};
use ctr_front::types::Type;
use ctr_grammar::ast::{
    Action, ClauseKind, Contract, Expr, ExprKind, FieldDecl, Ident, ItemKind, Path, PatternKind,
    StrLit,
};
use ctr_grammar::{MessagePart, Span, message_parts, walk};
use lsp_types::InlayHintKind;

use super::{Hint, expansion};
use crate::documents::Document;
use crate::settings::Hints;
use crate::snapshot::{Analysis, Snapshot};

/// The longest label; the tooltip has the rest.
const LONGEST: usize = 32;

/// All hints of a document, in order of the text.
pub(super) fn of_document(
    snapshot: &Snapshot,
    document: &Document,
    analysis: &Analysis,
) -> Vec<Hint> {
    let Some(source) = analysis.source_of(document) else {
        return Vec::new();
    };
    let mut walker = Walker {
        text: &document.text,
        analysis,
        symbols: analysis.symbols(),
        source,
        wanted: snapshot.settings.hints,
        out: Vec::new(),
    };
    for item in &document.parse().file.items {
        match &item.kind {
            ItemKind::Contract(contract) => walker.contract(contract),
            ItemKind::Predicate(predicate) => walker.expr(&predicate.body, Around::Formula),
            _ => {}
        }
    }
    walker.out.sort_by_key(|hint| hint.at);
    walker.out
}

/// What an expression stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Formula,
    /// The parentheses of a `call` or of an event, where a bare name can be nothing but their field.
    Plain,
    /// Where a bare name is a field of something else.
    Other,
}

struct Walker<'a> {
    text: &'a str,
    analysis: &'a Analysis,
    symbols: &'a Symbols,
    source: SourceId,
    wanted: Hints,
    out: Vec<Hint>,
}

impl<'a> Walker<'a> {
    /// What the name at a place names.
    fn symbol(&self, span: Span) -> Option<&'a Symbol> {
        let mentions = &self.symbols.mentions;
        let place = |mention: &Mention| (mention.place.source, mention.place.span);
        let at = mentions.binary_search_by_key(&(self.source, span), place);
        self.symbols.symbol(mentions.get(at.ok()?)?)
    }

    fn contract(&mut self, contract: &'a Contract) {
        for key in &contract.keys {
            self.ty(key);
        }
        let (mut guarantees, mut says) = (false, false);
        for clause in &contract.clauses {
            match &clause.kind {
                ClauseKind::Let(name, value) => {
                    if !is_literal(value) {
                        self.ty(name);
                    }
                    self.expr(value, Around::Formula);
                }
                ClauseKind::Assume(formula) => self.expr(formula, Around::Formula),
                ClauseKind::Guarantee(formula) => {
                    guarantees = true;
                    self.expr(formula, Around::Formula);
                }
                ClauseKind::Otherwise(action) => {
                    says = true;
                    self.action(action);
                }
                ClauseKind::Error => says = true,
            }
        }
        if self.wanted.defaults
            && guarantees
            && !says
            && let Some(last) = contract.clauses.last()
        {
            let before = Span::new(contract.name.span.end, last.span.start);
            // A contract on one line stays on one; a clause stands as the formatter sets it.
            let lines = before.text(self.text).contains('\n');
            let gap = if lines { "\n  " } else { " " };
            self.out.push(Hint {
                at: last.span.end,
                label: "otherwise block".to_owned(),
                kind: None,
                tooltip: "The contract does not say what happens to a call that would break it: the call is \
                          refused. `otherwise block \"...\"` tells the agent why."
                    .to_owned(),
                target: None,
                text: Some(format!("{gap}otherwise block")),
                apart: (true, false),
            });
        }
    }

    fn action(&mut self, action: &'a Action) {
        let message = match action {
            Action::Block(message)
            | Action::Warn(message)
            | Action::Escalate(message)
            | Action::Repair(message) => message,
            Action::Redirect { args, message, .. } => {
                for (_, value) in args {
                    self.expr(value, Around::Other);
                }
                message
            }
        };
        if let Some(literal) = message {
            self.message(literal);
        }
    }

    fn message(&mut self, literal: &StrLit) {
        let (parts, _) = message_parts(self.text, literal);
        for part in &parts {
            let MessagePart::Expr(expr) = part else {
                continue;
            };
            walk::walk(expr, &mut |e| {
                if let ExprKind::Name(name) = &e.kind {
                    self.bare_name(name);
                }
            });
        }
    }

    /// The type of a name where it is bound.
    fn ty(&mut self, name: &Ident) {
        if !self.wanted.types {
            return;
        }
        let Some(symbol) = self.symbol(name.span) else {
            return;
        };
        let Some(ty) = symbol.ty.as_ref().filter(|ty| **ty != Type::Any) else {
            return;
        };
        let whole = type_name(ty);
        let mut label = format!(": {whole}");
        if label.chars().count() > LONGEST {
            label = label
                .chars()
                .take(LONGEST - 1)
                .chain(['\u{2026}'])
                .collect();
        }
        self.out.push(Hint {
            at: name.span.end,
            label,
            kind: Some(InlayHintKind::TYPE),
            tooltip: format!("`{}` is of type `{whole}`", symbol.name),
            target: symbol.type_places.first().copied(),
            text: None,
            apart: (false, false),
        });
    }

    /// Which field a bare name is.
    fn bare_name(&mut self, name: &Ident) {
        if !self.wanted.names {
            return;
        }
        let Some(symbol) = self.symbol(name.span) else {
            return;
        };
        let root = match symbol.kind {
            SymbolKind::Argument => "args.",
            SymbolKind::ResultField => "result.",
            _ => return,
        };
        let owner = symbol.owner.as_deref().unwrap_or_default();
        let mut tooltip = format!("`{}` is `{root}{}` of `{owner}`", symbol.name, symbol.name);
        if let Some(ty) = &symbol.ty {
            tooltip.push_str(&format!(": `{}`", type_name(ty)));
        }
        self.out.push(Hint {
            at: name.span.start,
            label: root.to_owned(),
            kind: None,
            tooltip,
            target: symbol.definitions.first().copied(),
            text: Some(root.to_owned()),
            apart: (false, false),
        });
    }

    fn expr(&mut self, expr: &'a Expr, around: Around) {
        let mut inner = around;
        match &expr.kind {
            ExprKind::Name(name) if around != Around::Plain => self.bare_name(name),
            ExprKind::Pattern(pattern) => {
                inner = match pattern.kind {
                    PatternKind::Call | PatternKind::Input | PatternKind::Output => Around::Plain,
                    PatternKind::Return
                    | PatternKind::Success
                    | PatternKind::Failure
                    | PatternKind::Unknown => Around::Other,
                };
            }
            ExprKind::Call(path, args) => {
                // Of an aggregate the first argument is a pattern, the others read its event.
                inner = Around::Other;
                self.arguments(path, args, expr);
            }
            ExprKind::Quantified { var, .. } => self.ty(var),
            ExprKind::Form(form) if self.wanted.expansions => {
                if let Some((short, long)) = expansion::of_form(self.text, form) {
                    self.out.push(Hint {
                        at: expr.span.end,
                        label: format!("= {short}"),
                        kind: None,
                        tooltip: format!("```ctr\n{long}\n```"),
                        target: None,
                        text: None,
                        apart: (true, false),
                    });
                }
            }
            _ => {}
        }
        for child in walk::children(expr) {
            self.expr(child, inner);
        }
    }

    /// The names of parameters before the arguments of a template or lookup, and what a template stands for.
    fn arguments(&mut self, path: &Path, args: &'a [Expr], whole: &Expr) {
        let Some(symbol) = path.parts.last().and_then(|name| self.symbol(name.span)) else {
            return;
        };
        let Some((source, declared)) = declaration(self.analysis, symbol) else {
            return;
        };
        let (params, body): (&[FieldDecl], Option<Span>) = match declared {
            ItemKind::Predicate(predicate) => (&predicate.params, Some(predicate.body.span)),
            ItemKind::Lookup(lookup) => (&lookup.params, None),
            _ => return,
        };
        if self.wanted.parameters {
            for (arg, param) in args.iter().zip(params) {
                let same =
                    matches!(&arg.kind, ExprKind::Name(name) if name.name == param.name.name);
                if same {
                    continue;
                }
                self.out.push(Hint {
                    at: arg.span.start,
                    label: format!("{}:", param.name.name),
                    kind: Some(InlayHintKind::PARAMETER),
                    tooltip: format!("the parameter `{}` of `{}`", param.name.name, symbol.name),
                    target: Some(Place {
                        source,
                        span: param.name.span,
                    }),
                    text: None,
                    apart: (false, true),
                });
            }
        }
        if self.wanted.expansions
            && let Some(body) = body
            && let Some(text) = self.analysis.text(source)
        {
            let body: Vec<&str> = body.text(text).split_whitespace().collect();
            let body = body.join(" ");
            let short = body.chars().count() <= 2 * LONGEST;
            self.out.push(Hint {
                at: whole.span.end,
                label: if short {
                    format!("= {body}")
                } else {
                    let cut: String = body.chars().take(2 * LONGEST - 1).collect();
                    format!("= {cut}\u{2026}")
                },
                kind: None,
                tooltip: format!("```ctr\n{body}\n```"),
                target: symbol.definitions.first().copied(),
                text: None,
                apart: (true, false),
            });
        }
    }
}

/// The declaration of a symbol in a policy.
pub(crate) fn declaration<'a>(
    analysis: &'a Analysis,
    symbol: &Symbol,
) -> Option<(SourceId, &'a ItemKind)> {
    let place = symbol.definitions.first()?;
    let units = &analysis.compiled.graph.units;
    let unit = units.iter().find(|unit| unit.source == place.source)?;
    let item = unit
        .file
        .items
        .iter()
        .find(|item| item.span.start <= place.span.start && place.span.end <= item.span.end)?;
    Some((unit.source, &item.kind))
}

fn is_literal(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Bool(_)
        | ExprKind::Number(_)
        | ExprKind::Duration(_)
        | ExprKind::Str(_)
        | ExprKind::Regex { .. } => true,
        ExprKind::List(items) => items.iter().all(is_literal),
        _ => false,
    }
}
