//! `textDocument/completion` and `completionItem/resolve`.
//!
//! Which kind of word fits is the parser's answer ([`ctr_grammar::complete`]); which words there are is the index's.

mod files;
mod list;
mod names;
pub(crate) mod settings;
mod snippets;
mod values;

use ctr_grammar::keywords::{self, Keyword, KeywordKind};
use ctr_grammar::{Completion, Level, Wanted};
use lsp_types::{
    ClientCapabilities, CompletionItem, CompletionOptions, CompletionOptionsCompletionItem,
    CompletionParams, CompletionResponse, Documentation, MarkupKind,
};

use super::codes;
use super::hover::symbol::About;
use super::hover::text::Text;
use super::hover::{self, words};
use crate::server::Failure;
use crate::snapshot::{Places, Snapshot};
use list::{Data, List};
use names::Names;

/// What the server says of its completion.
pub(crate) fn options() -> CompletionOptions {
    CompletionOptions {
        trigger_characters: Some([".", "(", "@", "\"", "`", "/"].map(str::to_owned).to_vec()),
        resolve_provider: Some(true),
        completion_item: Some(CompletionOptionsCompletionItem {
            label_details_support: Some(true),
        }),
        ..CompletionOptions::default()
    }
}

/// What can be written at a position.
///
/// # Errors
///
/// None.
pub(crate) fn completion(
    snapshot: &Snapshot,
    params: &CompletionParams,
) -> Result<Option<CompletionResponse>, Failure> {
    let at = &params.text_document_position;
    let Some(document) = snapshot.document(&at.text_document.uri) else {
        return Ok(None);
    };
    let places = Places::new(&document.text, snapshot.encoding);
    let offset = places.offset(at.position);
    let uri = at.text_document.uri.as_str();
    let mut list = List::new(&snapshot.client, uri, &places);
    if settings::is_settings(document) {
        settings::complete(&document.text, offset, &mut list);
        return Ok(Some(CompletionResponse::Array(list.items)));
    }
    let found = ctr_grammar::complete(&document.text, offset);
    list.replace(found.word, found.whole, found.within);
    // What is begun is gone on with first.
    for (keyword, start) in &found.phrases {
        list.phrase(keyword, *start, found.word, found.whole);
    }
    if found.fresh {
        keywords_of(&found, true, &mut list);
    }
    // A formula most often begins with one of its words, a value with a name.
    let formula = matches!(found.level, Level::Formula | Level::Events);
    if formula && found.name == Some(Wanted::Value) {
        keywords_of(&found, false, &mut list);
    }
    let mut unfit: &[&str] = &[];
    if let Some(analysis) = snapshot.of_document(document)
        && (found.name.is_some() || !found.operand.is_empty())
    {
        let names = Names::new(snapshot, document, analysis, offset, &found);
        if let Some(wanted) = &found.name {
            names.fill(wanted, &mut list);
        }
        unfit = names.unfit_operators();
    }
    let mut found = found;
    found
        .keywords
        .retain(|keyword| !unfit.contains(&keyword.name));
    snippets::fill(&found, &mut list);
    keywords_of(&found, false, &mut list);
    Ok(Some(CompletionResponse::Array(list.items)))
}

/// The keywords, likelier ones first: where something begins (`first`) the words that begin it.
fn keywords_of(found: &Completion, first: bool, list: &mut List<'_>) {
    let mut all: Vec<(u32, &Keyword)> = found
        .keywords
        .iter()
        .map(|keyword| (rank(found, keyword), *keyword))
        .filter(|(rank, _)| !first || *rank == 0)
        .collect();
    all.sort_by_key(|(rank, keyword)| (*rank, keyword.name));
    for (_, keyword) in all {
        list.keyword(keyword);
    }
}

fn rank(found: &Completion, keyword: &Keyword) -> u32 {
    let begins = matches!(
        keyword.kind,
        KeywordKind::Item | KeywordKind::Clause | KeywordKind::Action | KeywordKind::Test
    );
    match keyword.kind {
        _ if (begins && found.fresh) || found.test => 0,
        KeywordKind::Action => 0,
        // `and` and the like can go on whatever is complete; on a new line a clause is likelier.
        KeywordKind::Form => 1,
        KeywordKind::Pattern if found.level != Level::Condition => 1,
        KeywordKind::Operator | KeywordKind::Declaration => 2,
        KeywordKind::Connective => 3,
        KeywordKind::Temporal => 4,
        _ => 5,
    }
}

/// An item with its documentation.
///
/// # Errors
///
/// None.
pub(crate) fn resolve(
    snapshot: &Snapshot,
    params: &CompletionItem,
) -> Result<CompletionItem, Failure> {
    let mut item = params.clone();
    let data = item
        .data
        .clone()
        .and_then(|data| serde_json::from_value::<Data>(data).ok());
    if let Some(data) = data {
        let mut out = Text::new(kind(&snapshot.client));
        if describe(snapshot, &data, &mut out).is_some() {
            item.documentation = Some(Documentation::MarkupContent(out.finish()));
        }
    }
    Ok(item)
}

/// In what the client shows documentation.
fn kind(client: &ClientCapabilities) -> MarkupKind {
    let formats = client
        .text_document
        .as_ref()
        .and_then(|text| text.completion.as_ref())
        .and_then(|completion| completion.completion_item.as_ref())
        .and_then(|item| item.documentation_format.as_ref());
    hover::markup(formats)
}

fn describe(snapshot: &Snapshot, data: &Data, out: &mut Text) -> Option<()> {
    match data {
        Data::Keyword(name) => words::keyword(keywords::lookup(name)?, out),
        Data::Word(kind, name) => words::word(list::word_named(kind, name)?, out),
        Data::Code(code) => words::diagnostic(codes::find(code)?, out),
        Data::Module(name) => hover::of_module(ctr_stdlib::module(name)?, out),
        Data::Setting(table, key) => {
            hover::settings::setting(ctr_front::config::setting_of(table, key)?, out);
        }
        Data::Symbol {
            uri,
            index,
            kind,
            name,
        } => {
            let document = snapshot.document(&uri.parse().ok()?)?;
            let analysis = snapshot.of_document(document)?;
            let symbols = analysis.symbols();
            let same = |s: &&ctr_front::symbols::Symbol| {
                s.name == *name && format!("{:?}", s.kind) == *kind
            };
            // The text may have changed since.
            let symbol = symbols
                .symbols
                .get(*index)
                .filter(same)
                .or_else(|| symbols.symbols.iter().find(same))?;
            let about = About {
                analysis,
                symbols,
                symbol,
                mention: None,
            };
            about.write(out);
        }
    }
    Some(())
}
