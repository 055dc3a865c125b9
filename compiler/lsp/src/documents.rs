//! The documents that the editor has open.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use ctr_front::lines::{Encoding, Lines, Position};
use ctr_grammar::Parse;
use lsp_types::{TextDocumentContentChangeEvent, Uri};

/// A text of the editor at one version.
#[derive(Debug)]
pub(crate) struct Document {
    /// As the client spells it.
    pub(crate) uri: Uri,
    /// The client's number for this text.
    pub(crate) version: i32,
    /// The text.
    pub(crate) text: String,
    parse: OnceLock<Parse>,
}

impl Document {
    pub(crate) fn new(uri: Uri, version: i32, text: String) -> Self {
        Self {
            uri,
            version,
            text,
            parse: OnceLock::new(),
        }
    }

    /// The syntax tree, made when it is first asked for.
    pub(crate) fn parse(&self) -> &Parse {
        self.parse.get_or_init(|| ctr_grammar::parse(&self.text))
    }

    /// The next version: the changes in order, each to the text that the ones before it gave. A range that the
    /// text does not have is moved to where it has one, so that a client's mistake loses nothing here.
    pub(crate) fn changed(
        &self,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) -> Self {
        let mut text = self.text.clone();
        for change in changes {
            let Some(range) = change.range else {
                text = change.text;
                continue;
            };
            let lines = Lines::of_editor(&text);
            let at = |p: lsp_types::Position| {
                let position = Position {
                    line: p.line,
                    character: p.character,
                };
                lines.offset(position, encoding)
            };
            let (a, b) = (at(range.start), at(range.end));
            let (start, end) = (a.min(b), a.max(b));
            text.replace_range(start..end, &change.text);
        }
        Self::new(self.uri.clone(), version, text)
    }
}

/// Open documents by their canonical path.
pub(crate) type Documents = BTreeMap<String, Arc<Document>>;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn change(from: (u32, u32), to: (u32, u32), text: &str) -> TextDocumentContentChangeEvent {
        let position = |(line, character)| lsp_types::Position { line, character };
        TextDocumentContentChangeEvent {
            range: Some(lsp_types::Range {
                start: position(from),
                end: position(to),
            }),
            range_length: None,
            text: text.to_owned(),
        }
    }

    fn document(text: &str) -> Document {
        Document::new("file:///a.ctr".parse().unwrap(), 1, text.to_owned())
    }

    #[test]
    fn changes_follow_each_other() {
        let before = document("a\u{1f600}b\r\nc\n");
        let after = before.changed(
            2,
            vec![change((0, 3), (0, 4), "xy"), change((0, 5), (1, 1), "\nz")],
            Encoding::Utf16,
        );
        assert_eq!(after.text, "a\u{1f600}xy\nz\n");
        assert_eq!(after.version, 2);
        let after = before.changed(2, vec![change((0, 5), (0, 6), "")], Encoding::Utf8);
        assert_eq!(after.text, "a\u{1f600}\r\nc\n");
    }

    #[test]
    fn ranges_that_do_not_exist() {
        let before = document("a\u{1f600}b");
        for (from, to) in [
            ((0, 2), (0, 2)),
            ((7, 0), (9, 9)),
            ((0, 9), (0, 1)),
            ((0, 2), (0, 3)),
        ] {
            let after = before.changed(2, vec![change(from, to, "-")], Encoding::Utf16);
            assert!(after.text.contains('-'), "{from:?}");
        }
        let whole = TextDocumentContentChangeEvent {
            range: None,
            range_length: None,
            text: "new".to_owned(),
        };
        assert_eq!(before.changed(2, vec![whole], Encoding::Utf16).text, "new");
    }
}
