//! Contracts with what they lack, and one for a tool that has none.

use ctr_front::symbols::SymbolKind;
use ctr_grammar::Span;
use ctr_grammar::ast::{ClauseKind, Contract, Item, ItemKind, Tool};
use lsp_types::CodeActionKind;

use super::edit::{fresh, indent, is_first};
use super::{Ask, Offer};

pub(super) fn offer(ask: &Ask<'_>, out: &mut Vec<Offer>) {
    let Some(item) = ask.item() else {
        return;
    };
    match &item.kind {
        ItemKind::Contract(contract) => otherwise(ask, item, contract, out),
        ItemKind::Tool(tool) => for_tool(ask, item, tool, out),
        _ => {}
    }
}

/// `otherwise`, with a message made of the documentation or the name.
fn otherwise(ask: &Ask<'_>, item: &Item, contract: &Contract, out: &mut Vec<Offer>) {
    let has = |wanted: fn(&ClauseKind) -> bool| contract.clauses.iter().any(|c| wanted(&c.kind));
    if has(|kind| matches!(kind, ClauseKind::Otherwise(_) | ClauseKind::Error))
        || !has(|kind| matches!(kind, ClauseKind::Guarantee(_)))
    {
        return;
    }
    let (Some(first), Some(last)) = (contract.clauses.first(), contract.clauses.last()) else {
        return;
    };
    // Of the contract as a whole: at its head, not in each of its clauses.
    if ask.range.start >= first.span.start {
        return;
    }
    let text = ask.text();
    let message = message(item.doc.as_deref(), &contract.name.name);
    let clause = format!("otherwise block \"{message}\"");
    // After what follows the clause on its line, unless that is the end of the contract.
    let at = last.span.end;
    let line = Span::new(at, super::edit::line_end(text, at));
    let (at, new) = if is_first(text, last.span.start) {
        let rest = line.text(text).trim();
        let end = if rest.is_empty() || rest.starts_with("//") {
            line.end
        } else {
            at
        };
        (end, format!("\n{}{clause}", indent(text, last.span.start)))
    } else {
        (at, format!(" {clause}"))
    };
    let edits = vec![(Span::new(at, at), new)];
    if ask.parses(&edits) {
        out.push(Offer::new(
            "add `otherwise` with a message for the agent",
            CodeActionKind::REFACTOR_REWRITE,
            edits,
        ));
    }
}

/// The first sentence of the documentation, or the name with spaces, as a message that holds no expression.
fn message(doc: Option<&str>, name: &str) -> String {
    let doc: String = doc
        .unwrap_or_default()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let sentence = match doc.find(". ") {
        Some(end) => doc.get(..=end).unwrap_or_default(),
        None => doc.as_str(),
    };
    let said = if sentence.is_empty() {
        let mut words = name.replace('_', " ");
        if let Some(first) = words.get(..1) {
            let upper = first.to_uppercase();
            words.replace_range(..1, &upper);
        }
        words.push('.');
        words
    } else {
        sentence.to_owned()
    };
    said.chars()
        .filter(|c| !c.is_control())
        .flat_map(|c| {
            let escape = matches!(c, '"' | '\\' | '{' | '}');
            escape.then_some('\\').into_iter().chain([c])
        })
        .collect()
}

/// A contract that forbids a tool of which no contract speaks: where one begins.
fn for_tool(ask: &Ask<'_>, item: &Item, tool: &Tool, out: &mut Vec<Offer>) {
    let analysis = ask.analysis;
    let symbols = analysis.symbols();
    let Some(name) = tool.name.parts.last() else {
        return;
    };
    let Some(symbol) = symbols.at(ask.source, name.span.start).filter(|m| {
        symbols
            .symbol(m)
            .is_some_and(|s| s.kind == SymbolKind::Tool)
    }) else {
        return;
    };
    let units = &analysis.compiled.graph.units;
    let has_contract = symbols.mentions_of(symbol.symbol).any(|mention| {
        units
            .iter()
            .filter(|unit| unit.source == mention.place.source)
            .flat_map(|unit| &unit.file.items)
            .any(|item| {
                let at = mention.place.span;
                matches!(item.kind, ItemKind::Contract(_))
                    && item.span.start <= at.start
                    && at.end <= item.span.end
            })
    });
    if has_contract {
        return;
    }
    let text = ask.text();
    let plain: String = name
        .name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let plain = plain.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_');
    let base = format!("{}_allowed", if plain.is_empty() { "tool" } else { plain });
    let contract = fresh(&base, |name| {
        symbols.symbols.iter().any(|symbol| symbol.name == name)
    });
    let written = tool.name.span.text(text);
    let new = format!(
        "\n\ncontract {contract} {{\n  guarantee never call {written}\n  otherwise block \"{} is not allowed yet.\"\n}}",
        message(Some(&name.name), "")
    );
    let end = super::edit::line_end(text, item.span.end);
    let rest = Span::new(item.span.end, end).text(text).trim();
    let at = if rest.is_empty() || rest.starts_with("//") {
        end
    } else {
        item.span.end
    };
    let edits = vec![(Span::new(at, at), new)];
    if ask.parses(&edits) {
        out.push(Offer::new(
            "write a contract for it, forbidding it until it says more",
            CodeActionKind::REFACTOR_REWRITE,
            edits,
        ));
    }
}
