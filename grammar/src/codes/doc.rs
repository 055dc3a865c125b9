//! What is written down of a diagnostic code: the one source of `ctrc explain`, of the pages in
//! `docs/errors`, of help in reports and of the editor's links.

use std::fmt::Write as _;

/// Files of an example: path and text. The first is the policy that is checked, the others are what it
/// loads, or what lies beside it.
pub type Files = &'static [(&'static str, &'static str)];

/// Where the pages of the codes are; the page of a code is this followed by `E0401.md`.
///
/// Who publishes the pages sets the environment variable `CTRC_PAGES_URL` (ending in `/`) when the
/// compiler is built. Otherwise it is the folder of this repository.
pub const PAGES: &str = match option_env!("CTRC_PAGES_URL") {
    Some(url) => url,
    None => "docs/errors/",
};

/// A diagnostic code and what it means.
///
/// All texts are Markdown. `ctrc check` of the wrong example finds exactly this code, once; of the right
/// one it finds nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeDoc {
    /// `E0401`: `E` for errors, `W` for what is a warning unless configured otherwise.
    pub code: &'static str,
    /// A few words, lower case.
    pub title: &'static str,
    /// What is there, and what the language says of it.
    pub meaning: &'static str,
    /// What would go wrong if it were let through.
    pub why: &'static str,
    /// How to mend it.
    pub fix: &'static str,
    /// A policy that has this fault and no other. Empty only where `exempt` says why.
    pub wrong: Files,
    /// The same without the fault.
    pub right: Files,
    /// Why no short example can show it.
    pub exempt: Option<Exempt>,
}

/// Why a code has no wrong example that `ctrc check` could be shown, and what tests the code instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exempt {
    /// The reason, a sentence.
    pub reason: &'static str,
    /// The test: the path of its file in this repository, `::`, the name of the function.
    pub test: &'static str,
}

impl CodeDoc {
    /// The address of the code's page; relative to the repository unless [`PAGES`] is set.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{PAGES}{}.md", self.code)
    }

    /// The address where it is absolute (`https://...`), as editors and SARIF want it.
    #[must_use]
    pub fn absolute_url(&self) -> Option<String> {
        PAGES.contains("://").then(|| self.url())
    }

    /// The whole text below the title.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut out = self.meaning.trim().to_owned();
        if !self.why.is_empty() {
            let _ = write!(out, "\n\n**Why it matters.** {}", self.why.trim());
        }
        if let Some(exempt) = self.exempt.filter(|_| self.wrong.is_empty()) {
            let _ = write!(out, "\n\n**No short example.** {}", exempt.reason.trim());
        }
        example(&mut out, "Wrong", self.wrong);
        example(&mut out, "Right", self.right);
        if !self.fix.is_empty() {
            let _ = write!(out, "\n\n**How to mend it.** {}", self.fix.trim());
        }
        out
    }
}

fn example(out: &mut String, title: &str, files: Files) {
    if files.is_empty() {
        return;
    }
    let _ = write!(out, "\n\n**{title}:**");
    for (path, text) in files {
        if files.len() > 1 {
            let _ = write!(out, "\n\n`{path}`:");
        }
        let language = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        let fence = if text.contains("```") { "````" } else { "```" };
        let text = visible(text);
        let _ = write!(out, "\n\n{fence}{language}\n{}\n{fence}", text.trim_end());
    }
}

/// A text with signs for the characters that a reader would not see.
fn visible(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => out.push(c),
            c if c.is_control()
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}') =>
            {
                let _ = write!(out, "<U+{:04X}>", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::CodeDoc;

    #[test]
    fn a_code_as_text() {
        let doc = CodeDoc {
            code: "E0099",
            title: "a fault",
            meaning: "Something is wrong.",
            why: "It would be judged wrongly.",
            fix: "Write `b`.",
            wrong: &[("policy.ctr", "a\rb\u{202e}\n"), ("tools.json", "{}")],
            right: &[("policy.ctr", "b\n")],
            exempt: None,
        };
        assert_eq!(
            doc.markdown(),
            "Something is wrong.\n\n**Why it matters.** It would be judged wrongly.\n\n**Wrong:**\n\n\
             `policy.ctr`:\n\n```ctr\na<U+000D>b<U+202E>\n```\n\n`tools.json`:\n\n```json\n{}\n```\n\n\
             **Right:**\n\n```ctr\nb\n```\n\n**How to mend it.** Write `b`."
        );
        assert!(doc.url().ends_with("E0099.md"));
        assert_eq!(doc.absolute_url().is_some(), super::PAGES.contains("://"));
    }
}
