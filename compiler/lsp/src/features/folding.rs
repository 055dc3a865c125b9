//! `textDocument/foldingRange`.

use std::collections::BTreeMap;

use ctr_grammar::ast::{Item, ItemKind};
use ctr_grammar::{CommentKind, LexemeKind, Span, classify};
use lsp_types::{FoldingRange, FoldingRangeKind, FoldingRangeParams};

use crate::server::Failure;
use crate::snapshot::{Places, Snapshot};

/// What takes several lines: items, clauses and brackets, runs of comments and of imports, and what stands between
/// `// region` and `// endregion`. No two begin on one line: of those the longest is given.
///
/// # Errors
///
/// None.
pub(crate) fn ranges(
    snapshot: &Snapshot,
    params: &FoldingRangeParams,
) -> Result<Option<Vec<FoldingRange>>, Failure> {
    let Some(document) = snapshot.document(&params.text_document.uri) else {
        return Ok(None);
    };
    let text = document.text.as_str();
    let places = Places::new(text, snapshot.encoding);
    let parse = document.parse();
    let mut folder = Folder {
        places: &places,
        out: BTreeMap::new(),
    };
    let mut imports: Vec<Span> = Vec::new();
    for item in &parse.file.items {
        match &item.kind {
            ItemKind::Import(_) | ItemKind::Include(_) | ItemKind::ToolsFrom(_) => {
                imports.push(item.span);
            }
            _ => {
                folder.run(&mut imports, &FoldingRangeKind::Imports);
                folder.item(item);
            }
        }
    }
    folder.run(&mut imports, &FoldingRangeKind::Imports);
    // Comments on lines that follow each other are one; a block comment folds alone.
    let mut comments: Vec<Span> = Vec::new();
    let mut regions: Vec<Span> = Vec::new();
    for comment in &parse.comments {
        let span = comment.span;
        match region(span.text(text)) {
            Some(true) => regions.push(span),
            Some(false) => {
                if let Some(start) = regions.pop() {
                    folder.fold(start.to(span), Some(FoldingRangeKind::Region));
                }
            }
            None => {}
        }
        let follows = comments.last().is_some_and(|last| {
            places.position(last.end).line + 1 == places.position(span.start).line
        });
        let alone = comment.kind == CommentKind::Block || region(span.text(text)).is_some();
        if alone || !follows {
            folder.run(&mut comments, &FoldingRangeKind::Comment);
        }
        // After words of the policy on their line they are no run.
        if comment.kind == CommentKind::Block || begins_line(text, span.start) {
            comments.push(span);
        }
        if alone {
            folder.run(&mut comments, &FoldingRangeKind::Comment);
        }
    }
    folder.run(&mut comments, &FoldingRangeKind::Comment);
    let mut open: Vec<Span> = Vec::new();
    for lexeme in classify(text) {
        if lexeme.kind != LexemeKind::Punctuation {
            continue;
        }
        match lexeme.span.text(text) {
            "(" | "[" | "{" => open.push(lexeme.span),
            ")" | "]" | "}" => {
                if let Some(start) = open.pop() {
                    folder.fold(start.to(lexeme.span), None);
                }
            }
            _ => {}
        }
    }
    let most = snapshot
        .client
        .text_document
        .as_ref()
        .and_then(|text| text.folding_range.as_ref())
        .and_then(|folding| folding.range_limit)
        .map_or(usize::MAX, |limit| limit as usize);
    Ok(Some(folder.out.into_values().take(most).collect()))
}

/// Whether a comment begins (`true`) or ends a region, as editors write them.
fn region(comment: &str) -> Option<bool> {
    let words = comment.strip_prefix("//")?.trim_start();
    let words = words.strip_prefix('#').unwrap_or(words);
    let word = words.split(|c: char| !c.is_ascii_alphabetic()).next()?;
    match word {
        "region" => Some(true),
        "endregion" => Some(false),
        _ => None,
    }
}

fn begins_line(text: &str, offset: u32) -> bool {
    let before = text.get(..offset as usize).unwrap_or_default();
    let line = before.rsplit(['\n', '\r']).next().unwrap_or_default();
    line.trim().is_empty()
}

struct Folder<'p> {
    places: &'p Places<'p>,
    /// By the lines on which they begin.
    out: BTreeMap<u32, FoldingRange>,
}

impl Folder<'_> {
    /// An item folds at the line of its name, so that its attributes stay in sight; so do its clauses and steps.
    fn item(&mut self, item: &Item) {
        let (name, parts): (Option<Span>, Vec<Span>) = match &item.kind {
            ItemKind::Contract(contract) => (
                Some(contract.name.span),
                contract.clauses.iter().map(|clause| clause.span).collect(),
            ),
            ItemKind::Test(test) => (
                Some(test.name.span),
                test.steps.iter().map(|step| step.span).collect(),
            ),
            ItemKind::Tool(tool) => (Some(tool.name.span), Vec::new()),
            ItemKind::Group(group) => (Some(group.name.span), Vec::new()),
            ItemKind::Event(event) => (Some(event.name.span), Vec::new()),
            ItemKind::Predicate(predicate) => (Some(predicate.name.span), Vec::new()),
            _ => (None, Vec::new()),
        };
        let start = name
            .filter(|name| item.span.start <= name.start && name.start < item.span.end)
            .map_or(item.span.start, |name| name.start);
        self.fold(Span::new(start, item.span.end), None);
        for part in parts {
            self.fold(part, None);
        }
    }

    /// All of a run as one range.
    fn run(&mut self, run: &mut Vec<Span>, kind: &FoldingRangeKind) {
        if let (Some(first), Some(last)) = (run.first(), run.last()) {
            self.fold(first.to(*last), Some(kind.clone()));
        }
        run.clear();
    }

    fn fold(&mut self, span: Span, kind: Option<FoldingRangeKind>) {
        let (start_line, end_line) = (
            self.places.position(span.start).line,
            self.places.position(span.end).line,
        );
        let known = self
            .out
            .get(&start_line)
            .map_or(start_line, |known| known.end_line);
        if end_line > known {
            let range = FoldingRange {
                start_line,
                start_character: None,
                end_line,
                end_character: None,
                kind,
                collapsed_text: None,
            };
            self.out.insert(start_line, range);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions() {
        for comment in ["// region", "//region a", "// #region x", "//#region"] {
            assert_eq!(region(comment), Some(true), "{comment}");
        }
        for comment in ["// endregion", "//#endregion refunds"] {
            assert_eq!(region(comment), Some(false), "{comment}");
        }
        for comment in [
            "// regional",
            "/// x",
            "/* region */",
            "//",
            "// the region",
        ] {
            assert_eq!(region(comment), None, "{comment}");
        }
    }
}
