//! Keys of a `ctrc.toml`.

use ctr_front::config::{FILE_NAME, SETTINGS};
use ctr_front::levels::{Level, WARNINGS};
use ctr_grammar::{Span, Within};
use lsp_types::CompletionItemKind;

use super::list::{Doc, List};
use crate::documents::Document;
use crate::features::codes;
use crate::uri;

/// Whether a document is a file of settings.
pub(crate) fn is_settings(document: &Document) -> bool {
    let path = uri::path(document.uri.as_str());
    path.is_some_and(|path| path.rsplit('/').next() == Some(FILE_NAME))
}

/// A line of a `ctrc.toml`.
#[derive(Debug)]
pub(crate) struct Line {
    /// The table that it stands in, or that it opens.
    pub(crate) table: String,
    /// The key, and where it stands; in the head of a table its name.
    pub(crate) key: Option<(String, Span)>,
    /// Whether the offset is behind the `=`.
    pub(crate) in_value: bool,
    /// Whether it is the head of a table.
    pub(crate) is_head: bool,
    /// Whether the offset is in a comment.
    pub(crate) in_comment: bool,
}

/// Reads the line of an offset. Tables in lines and keys with dots are not looked into.
pub(crate) fn line(text: &str, offset: u32) -> Line {
    let at = text.floor_char_boundary(offset as usize);
    let before = text.get(..at).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |n| n + 1);
    let whole = text.get(start..).unwrap_or_default();
    let whole = whole.lines().next().unwrap_or_default();
    let table = before
        .get(..start)
        .unwrap_or_default()
        .lines()
        .rev()
        .find_map(|line| head(line).map(|(name, _)| name.to_owned()))
        .unwrap_or_default();
    let span = |from: usize, length: usize| {
        let to = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span::new(to(start + from), to(start + from + length))
    };
    let here = before.get(start..).unwrap_or_default();
    let in_comment = here.contains('#');
    if let Some((name, from)) = head(whole) {
        return Line {
            table: name.to_owned(),
            key: Some((name.to_owned(), span(from, name.len()))),
            in_value: false,
            is_head: true,
            in_comment,
        };
    }
    let key = whole.split(['=', '#']).next().unwrap_or_default();
    let name = key.trim();
    let from = key.len() - key.trim_start().len();
    Line {
        table,
        key: (!name.is_empty())
            .then(|| (name.trim_matches('"').to_owned(), span(from, name.len()))),
        in_value: here.contains('='),
        is_head: false,
        in_comment,
    }
}

/// `[name]`: the name, and where it begins.
fn head(line: &str) -> Option<(&str, usize)> {
    let trimmed = line.trim_start();
    let inner = trimmed.strip_prefix('[')?;
    let name = inner.split([']', '#']).next()?.trim();
    let from = line.len() - inner.len() + (inner.len() - inner.trim_start().len());
    Some((name, from))
}

/// What can be written at an offset.
pub(super) fn complete(text: &str, offset: u32, list: &mut List<'_>) {
    let Line {
        table,
        key,
        in_value,
        is_head,
        in_comment,
    } = line(text, offset);
    if in_comment {
        return;
    }
    let at = text.floor_char_boundary(offset as usize);
    let letters = |c: &char| c.is_ascii_alphanumeric() || *c == '-' || *c == '_';
    let before = text.get(..at).unwrap_or_default();
    let after = text.get(at..).unwrap_or_default();
    let word: usize = before.chars().rev().take_while(letters).count();
    let rest: usize = after.chars().take_while(letters).count();
    let to = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let word = Span::new(to(at - word), to(at));
    let whole = Span::new(word.start, to(at + rest));
    list.replace(word, whole, Within::Nothing);
    let head_of = |s: &&ctr_front::config::Setting| s.key.is_empty();
    if is_head {
        for s in SETTINGS.iter().filter(head_of) {
            list.word(
                s.table,
                CompletionItemKind::MODULE,
                "",
                Doc::Setting(s.table, ""),
            );
        }
        return;
    }
    if in_value {
        let quoted = before
            .get(..word.start as usize)
            .is_some_and(|t| t.ends_with('"'));
        if table == "lints" {
            for level in Level::NAMES {
                let text = if quoted {
                    level.to_owned()
                } else {
                    format!("\"{level}\"")
                };
                list.text(level, &text, CompletionItemKind::ENUM_MEMBER, "", Doc::None);
            }
        } else if let Some((key, _)) = key
            && let Some(s) = SETTINGS.iter().find(|s| s.table == table && s.key == key)
            && !quoted
        {
            list.word(
                s.value,
                CompletionItemKind::VALUE,
                "",
                Doc::Setting(s.table, s.key),
            );
        }
        return;
    }
    if table == "lints" {
        list.text(
            WARNINGS,
            &format!("{WARNINGS} = \"warn\""),
            CompletionItemKind::PROPERTY,
            "all warnings",
            Doc::Setting("lints", ""),
        );
        for doc in codes::all().filter(|doc| doc.code.starts_with('W')) {
            list.text(
                doc.code,
                &format!("{} = \"allow\"", doc.code),
                CompletionItemKind::PROPERTY,
                doc.title,
                Doc::Code(doc.code),
            );
        }
    }
    for s in SETTINGS
        .iter()
        .filter(|s| s.table == table && !s.key.is_empty())
    {
        let text = format!("{} = {}", s.key, s.value);
        list.text(
            s.key,
            &text,
            CompletionItemKind::PROPERTY,
            "",
            Doc::Setting(s.table, s.key),
        );
    }
    for s in SETTINGS.iter().filter(head_of) {
        let head = format!("[{}]", s.table);
        list.word(
            &head,
            CompletionItemKind::MODULE,
            "",
            Doc::Setting(s.table, ""),
        );
    }
}
