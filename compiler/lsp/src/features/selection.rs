//! `textDocument/selectionRange`.

use ctr_grammar::{Comment, Lexeme, LexemeKind, Parse, Span, classify, walk};
use lsp_types::{SelectionRange, SelectionRangeParams};

use crate::server::Failure;
use crate::snapshot::{Places, Snapshot};

/// For each position what surrounds it: the word, the token, what a string holds, an argument, what brackets hold,
/// expressions, the clause, the item with its documentation, the file.
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
    let parse = document.parse();
    let lexemes = classify(text);
    let ranges = params.positions.iter().map(|position| {
        let offset = places.offset(*position);
        let mut spans = vec![Span::new(0, u32::try_from(text.len()).unwrap_or(u32::MAX))];
        spans.extend(walk::around(&parse.file, offset));
        spans.extend(documented(text, parse, offset));
        spans.extend(comments(text, &parse.comments, offset));
        spans.extend(tokens(text, &lexemes, offset));
        spans.extend(brackets(text, &lexemes, offset));
        spans.push(word(text, offset));
        // The widest first; each must lie within the one before it, whatever a damaged tree says.
        spans.sort_by_key(|span| (std::cmp::Reverse(span.end - span.start), span.start));
        let mut nested: Option<SelectionRange> = None;
        let mut outer: Option<Span> = None;
        for span in spans {
            let inside =
                outer.is_none_or(|o| o.start <= span.start && span.end <= o.end && o != span);
            if inside && span.start <= offset && offset <= span.end {
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

/// An item with the comments right before it.
fn documented(text: &str, parse: &Parse, offset: u32) -> Option<Span> {
    let item = parse
        .file
        .items
        .iter()
        .find(|item| offset <= item.span.end)?;
    let comments = &parse.comments;
    let before = comments.partition_point(|comment| comment.span.end <= item.span.start);
    let last = comments.get(before.checked_sub(1)?)?;
    let between = Span::new(last.span.end, item.span.start);
    if !between.text(text).trim().is_empty() {
        return None;
    }
    let block = run(text, comments, *last);
    // Words before a comment on its line belong to something else.
    let line = text.get(..block.start as usize)?.rsplit('\n').next()?;
    line.trim().is_empty().then_some(block.to(item.span))
}

/// The comments that follow each other, with nothing but one line end between.
fn run(text: &str, comments: &[Comment], of: Comment) -> Span {
    let mut span = of.span;
    let at = comments
        .iter()
        .position(|comment| *comment == of)
        .unwrap_or(0);
    let joins = |a: u32, b: u32| {
        let between = Span::new(a, b).text(text);
        between.trim().is_empty() && between.matches('\n').count() == 1
    };
    for before in comments.get(..at).unwrap_or_default().iter().rev() {
        if !joins(before.span.end, span.start) {
            break;
        }
        span = before.span.to(span);
    }
    for after in comments.get(at + 1..).unwrap_or_default() {
        if !joins(span.end, after.span.start) {
            break;
        }
        span = span.to(after.span);
    }
    span
}

fn comments(text: &str, comments: &[Comment], offset: u32) -> Vec<Span> {
    let here = comments
        .iter()
        .find(|comment| comment.span.start <= offset && offset <= comment.span.end);
    match here {
        Some(comment) => vec![comment.span, run(text, comments, *comment)],
        None => Vec::new(),
    }
}

/// The token at a place, and what a string holds.
fn tokens(text: &str, lexemes: &[Lexeme], offset: u32) -> Vec<Span> {
    let mut out = Vec::new();
    let after = lexemes.partition_point(|lexeme| lexeme.span.start <= offset);
    let from = after.saturating_sub(2);
    for lexeme in lexemes.get(from..after).unwrap_or_default() {
        let span = lexeme.span;
        if offset > span.end || lexeme.kind == LexemeKind::Punctuation {
            continue;
        }
        out.push(span);
        let quoted = span.text(text).starts_with(['"', '`']);
        if quoted && span.end - span.start >= 2 {
            out.push(Span::new(span.start + 1, span.end - 1));
        }
    }
    out
}

/// The brackets around a place: what they hold, and with them; in each the part between commas.
fn brackets(text: &str, lexemes: &[Lexeme], offset: u32) -> Vec<Span> {
    let mut out = Vec::new();
    // Where each opens, and the commas in it.
    let mut open: Vec<(Span, Vec<Span>)> = Vec::new();
    for lexeme in lexemes {
        if lexeme.kind != LexemeKind::Punctuation {
            continue;
        }
        match lexeme.span.text(text) {
            "(" | "[" | "{" => open.push((lexeme.span, Vec::new())),
            "," => {
                if let Some((_, commas)) = open.last_mut() {
                    commas.push(lexeme.span);
                }
            }
            ")" | "]" | "}" => {
                let Some((start, commas)) = open.pop() else {
                    continue;
                };
                let close = lexeme.span;
                if offset < start.start || close.end < offset {
                    continue;
                }
                out.push(start.to(close));
                if offset < start.end || close.start < offset {
                    continue;
                }
                out.push(trimmed(text, Span::new(start.end, close.start)));
                let from = commas.iter().rev().find(|comma| comma.end <= offset);
                let to = commas.iter().find(|comma| offset <= comma.start);
                let part = Span::new(
                    from.map_or(start.end, |comma| comma.end),
                    to.map_or(close.start, |comma| comma.start),
                );
                out.push(trimmed(text, part));
            }
            _ => {}
        }
    }
    out
}

/// A span without the white space at its ends.
fn trimmed(text: &str, span: Span) -> Span {
    let whole = span.text(text);
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let before = count(whole.len() - whole.trim_start().len());
    let after = count(whole.len() - whole.trim_end().len());
    if before + after >= span.end - span.start {
        return span;
    }
    Span::new(span.start + before, span.end - after)
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
