//! `textDocument/foldingRange`.

use ctr_grammar::CommentKind;
use ctr_grammar::ast::ItemKind;
use lsp_types::{FoldingRange, FoldingRangeKind, FoldingRangeParams};

use crate::server::Failure;
use crate::snapshot::{Places, Snapshot};

/// Items, runs of comments and runs of imports that take several lines.
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
    let places = Places::new(&document.text, snapshot.encoding);
    let parse = document.parse();
    let mut folder = Folder {
        places: &places,
        out: Vec::new(),
    };
    let mut imports: Vec<(u32, u32)> = Vec::new();
    for item in &parse.file.items {
        let (start, end) = (item.span.start, item.span.end);
        match &item.kind {
            ItemKind::Import(_) | ItemKind::Include(_) | ItemKind::ToolsFrom(_) => {
                imports.push((start, end));
            }
            _ => {
                folder.run(&mut imports, FoldingRangeKind::Imports);
                folder.fold(start, end, None);
            }
        }
    }
    folder.run(&mut imports, FoldingRangeKind::Imports);
    // Comments on lines that follow each other are one; a block comment folds alone.
    let mut comments: Vec<(u32, u32)> = Vec::new();
    for comment in &parse.comments {
        let (start, end) = (comment.span.start, comment.span.end);
        let follows = comments
            .last()
            .is_some_and(|last| places.position(last.1).line + 1 == places.position(start).line);
        if comment.kind == CommentKind::Block || !follows {
            folder.run(&mut comments, FoldingRangeKind::Comment);
        }
        comments.push((start, end));
        if comment.kind == CommentKind::Block {
            folder.run(&mut comments, FoldingRangeKind::Comment);
        }
    }
    folder.run(&mut comments, FoldingRangeKind::Comment);
    folder
        .out
        .sort_by_key(|range| (range.start_line, range.end_line));
    Ok(Some(folder.out))
}

struct Folder<'p> {
    places: &'p Places<'p>,
    out: Vec<FoldingRange>,
}

impl Folder<'_> {
    /// All of a run as one range.
    fn run(&mut self, run: &mut Vec<(u32, u32)>, kind: FoldingRangeKind) {
        if let (Some(first), Some(last)) = (run.first(), run.last()) {
            self.fold(first.0, last.1, Some(kind));
        }
        run.clear();
    }

    fn fold(&mut self, start: u32, end: u32, kind: Option<FoldingRangeKind>) {
        let (start_line, end_line) = (
            self.places.position(start).line,
            self.places.position(end).line,
        );
        if end_line > start_line {
            self.out.push(FoldingRange {
                start_line,
                start_character: None,
                end_line,
                end_character: None,
                kind,
                collapsed_text: None,
            });
        }
    }
}
