//! `textDocument/formatting` and `textDocument/rangeFormatting`.

use lsp_types::{DocumentFormattingParams, DocumentRangeFormattingParams, TextEdit};

use crate::server::Failure;
use crate::snapshot::{Places, Snapshot};

/// The edits that format a document: one for each stretch of lines that changes, so that cursors and folds elsewhere stay.
/// None where it is formatted.
///
/// # Errors
///
/// Where the document has syntax errors: it is left as it is.
pub(crate) fn document(
    snapshot: &Snapshot,
    params: &DocumentFormattingParams,
) -> Result<Option<Vec<TextEdit>>, Failure> {
    let Some(document) = snapshot.document(&params.text_document.uri) else {
        return Ok(None);
    };
    edits(snapshot, &document.text).map(Some)
}

/// The same for the stretches that touch a range.
///
/// # Errors
///
/// As [`document`].
pub(crate) fn range(
    snapshot: &Snapshot,
    params: &DocumentRangeFormattingParams,
) -> Result<Option<Vec<TextEdit>>, Failure> {
    let Some(document) = snapshot.document(&params.text_document.uri) else {
        return Ok(None);
    };
    let mut edits = edits(snapshot, &document.text)?;
    edits.retain(|edit| {
        edit.range.start <= params.range.end && edit.range.end >= params.range.start
    });
    Ok(Some(edits))
}

fn edits(snapshot: &Snapshot, text: &str) -> Result<Vec<TextEdit>, Failure> {
    let formatted = ctr_grammar::format(text)
        .map_err(|error| Failure::Refused(format!("not formatted: {error}")))?;
    let places = Places::new(text, snapshot.encoding);
    Ok(differing(text, &formatted)
        .into_iter()
        .map(|(start, end, new)| TextEdit {
            range: lsp_types::Range {
                start: places.position(start),
                end: places.position(end),
            },
            new_text: new,
        })
        .collect())
}

/// The stretches of whole lines in which two texts differ: from and to in bytes of the old one, and
/// what stands there in the new one. Lines that stand in both are found where they are the same from the
/// beginning, from the end, or alone of their kind in between (as in patience diff).
pub(crate) fn differing(old: &str, new: &str) -> Vec<(u32, u32, String)> {
    let old_lines: Vec<&str> = old.split_inclusive('\n').collect();
    let new_lines: Vec<&str> = new.split_inclusive('\n').collect();
    let mut starts = vec![0_u32];
    for line in &old_lines {
        let last = starts.last().copied().unwrap_or(0);
        starts.push(last + u32::try_from(line.len()).unwrap_or(u32::MAX));
    }
    let mut out = Vec::new();
    let mut emit = |old: std::ops::Range<usize>, new: std::ops::Range<usize>| {
        if old.is_empty() && new.is_empty() {
            return;
        }
        let (Some(start), Some(end), Some(lines)) = (
            starts.get(old.start),
            starts.get(old.end),
            new_lines.get(new),
        ) else {
            return;
        };
        out.push((*start, *end, lines.concat()));
    };
    let (mut i, mut j) = (0, 0);
    for (a, b) in anchors(&old_lines, &new_lines) {
        emit(i..a, j..b);
        (i, j) = (a + 1, b + 1);
    }
    emit(i..old_lines.len(), j..new_lines.len());
    out
}

/// Pairs of equal lines, increasing on both sides.
fn anchors(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let room = old.len().min(new.len()) - head;
    let tail = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(room)
        .take_while(|(a, b)| a == b)
        .count();
    let mut out: Vec<(usize, usize)> = (0..head).map(|at| (at, at)).collect();
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    let mut counts: std::collections::HashMap<&str, (usize, usize, usize, usize)> =
        std::collections::HashMap::new();
    for (at, line) in old.iter().enumerate().take(old_end).skip(head) {
        let entry = counts.entry(line).or_default();
        (entry.0, entry.2) = (entry.0 + 1, at);
    }
    for (at, line) in new.iter().enumerate().take(new_end).skip(head) {
        let entry = counts.entry(line).or_default();
        (entry.1, entry.3) = (entry.1 + 1, at);
    }
    let mut unique: Vec<(usize, usize)> = counts
        .into_values()
        .filter(|entry| entry.0 == 1 && entry.1 == 1)
        .map(|entry| (entry.2, entry.3))
        .collect();
    unique.sort_unstable();
    let mut last = None;
    for pair in unique {
        // Formatting moves no line past another, so pairs that cross are chance.
        if last.is_none_or(|last| pair.1 > last) {
            last = Some(pair.1);
            out.push(pair);
        }
    }
    out.extend((0..tail).map(|at| (old_end + at, new_end + at)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(old: &str, new: &str) -> (usize, String) {
        let edits = differing(old, new);
        let mut text = old.to_owned();
        for (start, end, with) in edits.iter().rev() {
            text.replace_range(*start as usize..*end as usize, with);
        }
        (edits.len(), text)
    }

    #[test]
    fn edits_give_the_new_text() {
        for (old, new, edits) in [
            ("", "", 0),
            ("a\n", "a\n", 0),
            ("", "a\n", 1),
            ("a", "a\n", 1),
            ("a\nb\nc\n", "a\nB\nc\n", 1),
            ("a\n\n\nb\n", "a\n\nb\n", 1),
            (" x\na\nb\n y\n", "x\na\nb\ny\n", 2),
            ("a\na\na\n", "a\na\n", 1),
            ("b\na\n", "a\nb\n", 2),
        ] {
            let (count, text) = applied(old, new);
            assert_eq!(text, new, "{old:?}");
            assert_eq!(count, edits, "{old:?} to {new:?}");
        }
    }
}
