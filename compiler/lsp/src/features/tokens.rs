//! `textDocument/semanticTokens/full`, `/full/delta` and `/range`.
//!
//! What a lexeme is says the parser ([`ctr_grammar::classify`]), what a name names the index; where the index is
//! silent the syntax tree counts, and where there is no tree the words around a name do. So a text that does not
//! parse has colours, too.

mod legend;
mod roles;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use ctr_front::lines::{Encoding, units};
use ctr_grammar::{CommentKind, LexemeKind, Span, classify, classify_expr};
use lsp_types::{
    SemanticToken, SemanticTokens, SemanticTokensDelta, SemanticTokensDeltaParams,
    SemanticTokensEdit, SemanticTokensFullDeltaResult, SemanticTokensFullOptions,
    SemanticTokensOptions, SemanticTokensParams, SemanticTokensRangeParams,
    SemanticTokensRangeResult, SemanticTokensResult, SemanticTokensServerCapabilities,
    WorkDoneProgressOptions,
};

use legend::{Role, TokenType, legend, modifier};

use crate::documents::Document;
use crate::server::Failure;
use crate::snapshot::{Places, Snapshot};

/// The tokens that clients were told last, by address: what a difference is made from.
#[derive(Debug, Default)]
pub(crate) struct Told {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    next: u64,
    last: HashMap<String, (String, Arc<Vec<SemanticToken>>)>,
}

impl Told {
    /// Remembers the tokens of a document; the name of this answer, and the one before with its name.
    #[expect(clippy::type_complexity, reason = "named in the line above")]
    fn replace(
        &self,
        snapshot: &Snapshot,
        uri: &str,
        tokens: &Arc<Vec<SemanticToken>>,
    ) -> (String, Option<(String, Arc<Vec<SemanticToken>>)>) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.next += 1;
        let id = inner.next.to_string();
        let known = (id.clone(), Arc::clone(tokens));
        let before = inner.last.insert(uri.to_owned(), known);
        // Of documents that were closed nothing is kept.
        if inner.last.len() > snapshot.documents.len() {
            let open: Vec<&str> = snapshot
                .documents
                .values()
                .map(|d| d.uri.as_str())
                .collect();
            inner.last.retain(|uri, _| open.contains(&uri.as_str()));
        }
        (id, before)
    }
}

/// What the server says of its tokens.
pub(crate) fn capability() -> SemanticTokensServerCapabilities {
    SemanticTokensServerCapabilities::SemanticTokensOptions(SemanticTokensOptions {
        legend: legend(),
        range: Some(true),
        full: Some(SemanticTokensFullOptions::Delta { delta: Some(true) }),
        work_done_progress_options: WorkDoneProgressOptions::default(),
    })
}

/// The tokens of a document.
///
/// # Errors
///
/// None.
pub(crate) fn full(
    snapshot: &Snapshot,
    params: &SemanticTokensParams,
) -> Result<Option<SemanticTokensResult>, Failure> {
    let Some(document) = snapshot.document(&params.text_document.uri) else {
        return Ok(None);
    };
    let tokens = Arc::new(of_document(snapshot, document, None));
    let uri = params.text_document.uri.as_str();
    let (id, _) = snapshot.told.replace(snapshot, uri, &tokens);
    Ok(Some(SemanticTokensResult::Tokens(SemanticTokens {
        result_id: Some(id),
        data: tokens.to_vec(),
    })))
}

/// What changed since an earlier answer; all tokens where that one is no longer known.
///
/// # Errors
///
/// None.
pub(crate) fn delta(
    snapshot: &Snapshot,
    params: &SemanticTokensDeltaParams,
) -> Result<Option<SemanticTokensFullDeltaResult>, Failure> {
    let Some(document) = snapshot.document(&params.text_document.uri) else {
        return Ok(None);
    };
    let tokens = Arc::new(of_document(snapshot, document, None));
    let uri = params.text_document.uri.as_str();
    let (id, before) = snapshot.told.replace(snapshot, uri, &tokens);
    Ok(Some(match before {
        Some((name, before)) if name == params.previous_result_id => {
            SemanticTokensFullDeltaResult::TokensDelta(SemanticTokensDelta {
                result_id: Some(id),
                edits: edits(&before, &tokens),
            })
        }
        _ => SemanticTokensFullDeltaResult::Tokens(SemanticTokens {
            result_id: Some(id),
            data: tokens.to_vec(),
        }),
    }))
}

/// The tokens of a part of a document.
///
/// # Errors
///
/// None.
pub(crate) fn range(
    snapshot: &Snapshot,
    params: &SemanticTokensRangeParams,
) -> Result<Option<SemanticTokensRangeResult>, Failure> {
    let Some(document) = snapshot.document(&params.text_document.uri) else {
        return Ok(None);
    };
    let places = Places::new(&document.text, snapshot.encoding);
    let wanted = Span::new(
        places.offset(params.range.start),
        places.offset(params.range.end),
    );
    Ok(Some(SemanticTokensRangeResult::Tokens(SemanticTokens {
        result_id: None,
        data: of_document(snapshot, document, Some(wanted)),
    })))
}

/// The one edit that makes the tokens before those after, counted in numbers, of which a token has five.
fn edits(before: &[SemanticToken], after: &[SemanticToken]) -> Vec<SemanticTokensEdit> {
    let same = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    if same == before.len() && same == after.len() {
        return Vec::new();
    }
    let (old, new) = (
        before.get(same..).unwrap_or_default(),
        after.get(same..).unwrap_or_default(),
    );
    let tail = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let number = |tokens: usize| u32::try_from(tokens * 5).unwrap_or(u32::MAX);
    vec![SemanticTokensEdit {
        start: number(same),
        delete_count: number(old.len() - tail),
        data: Some(new.get(..new.len() - tail).unwrap_or_default().to_vec()),
    }]
}

fn of_document(
    snapshot: &Snapshot,
    document: &Document,
    wanted: Option<Span>,
) -> Vec<SemanticToken> {
    let mut tokens = painted(snapshot, document);
    if let Some(wanted) = wanted {
        tokens.retain(|(span, _)| span.start < wanted.end && wanted.start < span.end);
    }
    encoded(&document.text, snapshot.encoding, &tokens)
}

/// The tokens of a document in order; none overlap, and none is of more than a line.
fn painted(snapshot: &Snapshot, document: &Document) -> Vec<(Span, Role)> {
    let text = document.text.as_str();
    let parse = document.parse();
    let known = roles::of_tree(text, &parse.file, roles::of_index(snapshot, document));
    let mut out: Vec<(Span, Role)> = Vec::new();
    for comment in &parse.comments {
        let modifiers = match comment.kind {
            CommentKind::Doc | CommentKind::FileDoc => modifier::DOCUMENTATION,
            CommentKind::Line | CommentKind::Block => 0,
        };
        out.push((comment.span, Role::new(TokenType::Comment, modifiers)));
    }
    let lexemes = classify(text);
    let mut messages = known.messages.iter().peekable();
    for (index, lexeme) in lexemes.iter().enumerate() {
        let span = lexeme.span;
        while messages
            .peek()
            .is_some_and(|inner| inner.start < span.start)
        {
            messages.next();
        }
        if lexeme.kind != LexemeKind::Str {
            if let Some(role) = roles::of_lexeme(text, &lexemes, index, &known.roles) {
                out.push((span, role));
            }
            continue;
        }
        // The text of a message, and the expressions in it.
        let plain = known
            .roles
            .get(&span.start)
            .copied()
            .unwrap_or(Role::new(TokenType::String, 0));
        let mut at = span.start;
        while let Some(inner) = messages.next_if(|inner| inner.end <= span.end) {
            out.push((Span::new(at, inner.start), plain));
            let lexemes = classify_expr(text, *inner);
            for (index, lexeme) in lexemes.iter().enumerate() {
                if let Some(role) = roles::of_lexeme(text, &lexemes, index, &known.roles) {
                    out.push((lexeme.span, role));
                } else if lexeme.kind == LexemeKind::Str {
                    out.push((lexeme.span, plain));
                }
            }
            at = inner.end;
        }
        out.push((Span::new(at, span.end), plain));
    }
    out.sort_by_key(|(span, _)| *span);
    let mut end = 0;
    out.retain(|(span, _)| {
        let apart = end <= span.start && span.start < span.end;
        if apart {
            end = span.end;
        }
        apart
    });
    out.into_iter()
        .flat_map(|(span, role)| lines(text, span).into_iter().map(move |s| (s, role)))
        .collect()
}

/// The parts of a span, one for each line, without the line ends.
fn lines(text: &str, span: Span) -> Vec<Span> {
    let whole = span.text(text);
    if !whole.contains(['\n', '\r']) {
        return vec![span];
    }
    let mut at = span.start;
    let mut out = Vec::new();
    for line in whole.split(['\n', '\r']) {
        let end = at + u32::try_from(line.len()).unwrap_or(u32::MAX);
        if at < end {
            out.push(Span::new(at, end));
        }
        at = end + 1;
    }
    out
}

/// As the protocol has it: each place relative to the one before, in the client's units.
fn encoded(text: &str, encoding: Encoding, tokens: &[(Span, Role)]) -> Vec<SemanticToken> {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let mut out = Vec::with_capacity(tokens.len());
    let (mut at, mut line, mut column) = (0_usize, 0_u32, 0_u32);
    let (mut told_line, mut told_column) = (0_u32, 0_u32);
    for (span, role) in tokens {
        let between = text.get(at..span.start as usize).unwrap_or_default();
        let follows = text.get(span.start as usize..).unwrap_or_default();
        let mut rest = between.char_indices().peekable();
        let mut head = 0;
        while let Some((index, c)) = rest.next() {
            let next = rest.peek().map(|(_, c)| *c).or(follows.chars().next());
            if c == '\n' || c == '\r' && next != Some('\n') {
                line += 1;
                column = 0;
                head = index + 1;
            }
        }
        column += count(units(between.get(head..).unwrap_or_default(), encoding));
        let length = count(units(span.text(text), encoding));
        if length > 0 {
            let same = line == told_line;
            out.push(SemanticToken {
                delta_line: line - told_line,
                delta_start: if same { column - told_column } else { column },
                length,
                token_type: role.token_type(),
                token_modifiers_bitset: role.modifiers,
            });
            (told_line, told_column) = (line, column);
        }
        column += length;
        at = span.end as usize;
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
    use super::*;

    fn token(length: u32) -> SemanticToken {
        SemanticToken {
            delta_line: 0,
            delta_start: 1,
            length,
            token_type: 0,
            token_modifiers_bitset: 0,
        }
    }

    #[test]
    fn an_edit_makes_one_list_the_other() {
        let lists: [&[u32]; 8] = [
            &[],
            &[1],
            &[1, 2],
            &[1, 1],
            &[1, 1, 1],
            &[2, 1],
            &[1, 3, 2],
            &[3, 1, 2, 1],
        ];
        for before in lists {
            for after in lists {
                let before: Vec<_> = before.iter().map(|n| token(*n)).collect();
                let after: Vec<_> = after.iter().map(|n| token(*n)).collect();
                let mut made = before.clone();
                for edit in edits(&before, &after) {
                    let (start, gone) = (edit.start as usize / 5, edit.delete_count as usize / 5);
                    made.splice(start..start + gone, edit.data.unwrap());
                }
                assert_eq!(made, after);
                assert_eq!(edits(&before, &after).is_empty(), before == after);
            }
        }
    }

    #[test]
    fn a_span_of_several_lines_is_a_token_on_each() {
        let text = "/* a\r\n\r\tb\n*/";
        let spans = lines(text, Span::new(0, 12));
        let texts: Vec<&str> = spans.iter().map(|s| s.text(text)).collect();
        assert_eq!(texts, ["/* a", "\tb", "*/"]);
        let role = Role::new(TokenType::Comment, 0);
        let tokens: Vec<_> = spans.into_iter().map(|s| (s, role)).collect();
        let encoded = encoded(text, Encoding::Utf16, &tokens);
        let places: Vec<_> = encoded
            .iter()
            .map(|t| (t.delta_line, t.delta_start, t.length))
            .collect();
        assert_eq!(places, [(0, 0, 4), (2, 0, 2), (1, 0, 2)]);
    }

    #[test]
    fn columns_are_in_the_clients_units() {
        let text = "\u{a3}\u{1f600}e\u{301}x y\n\tz";
        let role = Role::new(TokenType::Variable, 0);
        let tokens: Vec<_> = ["x", "y", "z"]
            .iter()
            .map(|name| {
                let at = u32::try_from(text.find(name).unwrap()).unwrap();
                (Span::new(at, at + 1), role)
            })
            .collect();
        let places = |encoding| -> Vec<(u32, u32)> {
            encoded(text, encoding, &tokens)
                .iter()
                .map(|t| (t.delta_line, t.delta_start))
                .collect()
        };
        assert_eq!(places(Encoding::Utf8), [(0, 9), (0, 2), (1, 1)]);
        assert_eq!(places(Encoding::Utf16), [(0, 5), (0, 2), (1, 1)]);
        assert_eq!(places(Encoding::Utf32), [(0, 4), (0, 2), (1, 1)]);
    }
}
