//! `textDocument/selectionRange`.

use ctr_grammar::{Span, walk};
use lsp_types::{SelectionRange, SelectionRangeParams};

use crate::server::Failure;
use crate::snapshot::{Places, Snapshot};

/// For each position what surrounds it, from the word to the file.
///
/// # Errors
///
/// None.
pub(crate) fn ranges(
    snapshot: &Snapshot,
    params: &SelectionRangeParams,
) -> Result<Option<Vec<SelectionRange>>, Failure> {
    let Some(document) = snapshot.document(&params.text_document.uri) else {
        return Ok(None);
    };
    let places = Places::new(&document.text, snapshot.encoding);
    let text = document.text.as_str();
    let ranges = params.positions.iter().map(|position| {
        let offset = places.offset(*position);
        let mut spans = vec![Span::new(0, u32::try_from(text.len()).unwrap_or(u32::MAX))];
        spans.extend(walk::around(&document.parse().file, offset));
        spans.push(word(text, offset));
        // Each must lie within the one before it, whatever a damaged tree says.
        let mut nested: Option<SelectionRange> = None;
        let mut outer: Option<Span> = None;
        for span in spans {
            let inside =
                outer.is_none_or(|o| o.start <= span.start && span.end <= o.end && o != span);
            if inside {
                outer = Some(span);
                nested = Some(SelectionRange {
                    range: places.range(span),
                    parent: nested.map(Box::new),
                });
            }
        }
        nested.unwrap_or(SelectionRange {
            range: places.range(Span::new(offset, offset)),
            parent: None,
        })
    });
    Ok(Some(ranges.collect()))
}

/// The word at a place, or the place itself.
fn word(text: &str, offset: u32) -> Span {
    let at = text.floor_char_boundary(offset as usize);
    let (before, after) = text.split_at(at);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let left: usize = before
        .chars()
        .rev()
        .take_while(|c| is_word(*c))
        .map(char::len_utf8)
        .sum();
    let right: usize = after
        .chars()
        .take_while(|c| is_word(*c))
        .map(char::len_utf8)
        .sum();
    let to = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(to(at - left), to(at + right))
}
