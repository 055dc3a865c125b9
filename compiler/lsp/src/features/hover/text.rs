//! Texts about things, in Markdown or without.

use std::fmt::Write as _;

use ctr_grammar::meanings::Section;
use ctr_words::{Style, code_span};
use lsp_types::{MarkupContent, MarkupKind};

/// The longest text of others that is shown, in characters.
const LONGEST: usize = 2_000;

/// A text that is being written.
#[derive(Debug)]
pub(crate) struct Text {
    kind: MarkupKind,
    out: String,
}

impl Text {
    pub(crate) fn new(kind: MarkupKind) -> Self {
        Self {
            kind,
            out: String::new(),
        }
    }

    pub(crate) fn is_markdown(&self) -> bool {
        self.kind == MarkupKind::Markdown
    }

    /// In which style `ctr_words` writes for it.
    pub(crate) fn style(&self) -> Style {
        if self.is_markdown() {
            Style::Markdown
        } else {
            Style::Plain
        }
    }

    fn gap(&mut self) {
        if !self.out.is_empty() {
            self.out.push_str("\n\n");
        }
    }

    /// A piece of the language.
    pub(crate) fn code(&mut self, code: &str) {
        self.gap();
        let code = code.trim_end();
        if self.is_markdown() {
            let mut fence = "```".to_owned();
            while code.contains(&fence) {
                fence.push('`');
            }
            let _ = write!(self.out, "{fence}ctr\n{code}\n{fence}");
        } else {
            self.out.push_str(code);
        }
    }

    /// A paragraph in Markdown: our own words, or what the user wrote in a comment.
    pub(crate) fn paragraph(&mut self, markdown: &str) {
        let text = markdown.trim();
        if text.is_empty() {
            return;
        }
        self.gap();
        if self.is_markdown() {
            self.out.push_str(text);
        } else {
            self.out.push_str(&plain(text));
        }
    }

    /// A paragraph that `ctr_words` wrote in [`Text::style`].
    pub(crate) fn words(&mut self, text: &str) {
        self.gap();
        self.out.push_str(text.trim());
    }

    /// A point of a list, which `ctr_words` wrote or which is Markdown of ours.
    pub(crate) fn point(&mut self, markdown: &str) {
        if self.out.lines().last().is_some_and(|l| l.starts_with("- ")) {
            self.out.push('\n');
        } else {
            self.gap();
        }
        let text = if self.is_markdown() {
            markdown.to_owned()
        } else {
            plain(markdown)
        };
        let _ = write!(self.out, "- {}", text.trim());
    }

    /// What somebody else wrote, a server's description of its tool: shown as it is, with no links or pictures of its own.
    pub(crate) fn foreign(&mut self, text: &str) {
        let text = self.shown(text);
        if !text.is_empty() {
            self.gap();
            self.out.push_str(&text);
        }
    }

    /// The same as a part of a line.
    pub(crate) fn shown(&self, text: &str) -> String {
        let text = text.trim();
        let short: String = text.chars().take(LONGEST).collect();
        let mut out = if self.is_markdown() {
            escaped(&short)
        } else {
            short.clone()
        };
        if short.len() < text.len() {
            out.push('…');
        }
        out
    }

    /// Where more is written.
    pub(crate) fn section(&mut self, section: Section) {
        let name = format!(
            "language reference, section {}: {}",
            section.number, section.title
        );
        match reference() {
            Some(page) if self.is_markdown() => {
                self.paragraph(&format!("[{name}]({page}#{})", section.anchor));
            }
            Some(page) => self.paragraph(&format!("{name} ({page}#{})", section.anchor)),
            None => self.paragraph(&format!("See the {name} (`docs/language.md`).")),
        }
    }

    pub(crate) fn finish(self) -> MarkupContent {
        MarkupContent {
            kind: self.kind,
            value: self.out,
        }
    }
}

/// The address of the language reference, where one is published: beside the pages of the codes.
fn reference() -> Option<String> {
    let pages = ctr_grammar::codes::PAGES;
    let docs = pages.strip_suffix("errors/")?;
    docs.contains("://").then(|| format!("{docs}language.md"))
}

/// Text without marks of Markdown's.
fn plain(markdown: &str) -> String {
    let mut out = String::new();
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            continue;
        }
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&line.replace("**", ""));
    }
    out
}

/// Text in which no character has a meaning for Markdown.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '!' | '#' | '|' | '~' | '&' => {
                out.push('\\');
                out.push(c);
            }
            '\n' | '\t' => out.push(c),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// A name or a value in its own marks.
pub(crate) fn code(text: &str) -> String {
    code_span(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds() {
        for (kind, expected) in [
            (
                MarkupKind::Markdown,
                "```ctr\na\n```\n\n**b** `c`\n\n- one\n- two\n\n\\!\\[x\\](http://y)",
            ),
            (
                MarkupKind::PlainText,
                "a\n\nb `c`\n\n- one\n- two\n\n![x](http://y)",
            ),
        ] {
            let mut text = Text::new(kind);
            text.code("a\n");
            text.paragraph("**b** `c`");
            text.point("one");
            text.point("two");
            text.foreign("![x](http://y)\u{7}");
            let found = text.finish().value.replace('\u{7}', "");
            assert_eq!(found, expected);
        }
    }
}
