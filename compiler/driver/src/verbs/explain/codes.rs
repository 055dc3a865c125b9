//! The documentation of diagnostics: of one code, and of all as pages.

use std::fmt::Write as _;

use ctr_front::diagnostic::CodeDoc;
use ctr_project::codes::{all as all_codes, lookup};
use serde_json::{Value, json};

use crate::exit::Stop;

/// What codes are about, by their beginnings.
const GROUPS: &[(&[&str], &str)] = &[
    (&["E00", "E01", "W00", "W01"], "Text, words and syntax"),
    (&["E02", "W02"], "Files and modules"),
    (&["E03", "W03"], "Schemas of tools"),
    (&["E04"], "Names, formulas and aggregates"),
    (&["E05"], "Types, values and tests"),
    (&["W04", "W05"], "What is allowed and hardly meant"),
    (&["E06", "W06"], "Automata and artifacts"),
    (&["E07", "W07"], "What is proven of libraries"),
    (&["E08", "W08"], "Configuration and suppression"),
];

/// The codes of each group, errors before warnings; groups without codes are left out.
fn groups() -> Vec<(&'static str, Vec<&'static CodeDoc>)> {
    let all = all_codes();
    GROUPS
        .iter()
        .map(|(beginnings, title)| {
            let members: Vec<_> = all
                .iter()
                .copied()
                .filter(|doc| beginnings.iter().any(|b| doc.code.starts_with(b)))
                .collect();
            (*title, members)
        })
        .filter(|(_, members)| !members.is_empty())
        .collect()
}

/// The pages of the folder `docs/errors`: name and text. The first is the index.
#[must_use]
pub fn pages() -> Vec<(String, String)> {
    let mut index = String::from(
        "# Diagnostics\n\n\
         Every finding of `ctrc` has a code that does not change: `E` for errors, `W` for what is a warning unless it is\n\
         configured otherwise. `ctrc explain E0401` shows the text of one. How messages are written is said in\n\
         [messages](../messages.md). These pages are made from the compiler's own texts.\n",
    );
    let mut pages = Vec::new();
    for (title, members) in groups() {
        let _ = write!(index, "\n## {title}\n\n| code | title |\n| --- | --- |\n");
        for doc in members {
            let _ = writeln!(index, "| [{}]({}.md) | {} |", doc.code, doc.code, doc.title);
            let page = format!(
                "# {}: {}\n\n{}\n\n---\n\n[All diagnostics](README.md)\n",
                doc.code,
                doc.title,
                doc.markdown()
            );
            pages.push((format!("{}.md", doc.code), page));
        }
    }
    pages.insert(0, ("README.md".to_owned(), index));
    pages
}

/// All codes as one text: each with its title and text, in groups.
#[must_use]
pub fn page() -> String {
    let mut out = String::from("# Diagnostics\n");
    for (title, members) in groups() {
        let _ = write!(out, "\n## {title}\n");
        for doc in members {
            let _ = write!(
                out,
                "\n### {}: {}\n\n{}\n",
                doc.code,
                doc.title,
                doc.markdown()
            );
        }
    }
    out
}

/// The documentation of a code, in any case.
///
/// # Errors
///
/// Where there is no such code; a near one is named.
pub fn find(code: &str) -> Result<&'static CodeDoc, Stop> {
    let wanted = code.to_ascii_uppercase();
    lookup(&wanted).ok_or_else(|| {
        let all = all_codes();
        let hint = ctr_front::suggest::nearest(&wanted, all.iter().map(|doc| doc.code))
            .map(|near| format!("; did you mean `{near}`?"))
            .unwrap_or_default();
        Stop::Usage(format!("there is no diagnostic `{code}`{hint}"))
    })
}

/// The documentation of a code as a text.
#[must_use]
pub fn text(doc: &CodeDoc) -> String {
    format!("{}: {}\n\n{}\n", doc.code, doc.title, doc.markdown())
}

fn object(doc: &CodeDoc) -> Value {
    json!({"code": doc.code, "title": doc.title, "text": doc.markdown(), "url": doc.url()})
}

/// The same for programs (`docs/schemas/codes.schema.json`).
#[must_use]
pub fn json_of(doc: &CodeDoc) -> String {
    format!("{:#}\n", object(doc))
}

/// The documentation of all codes for programs.
#[must_use]
pub fn json() -> String {
    let codes: Vec<Value> = all_codes().into_iter().map(object).collect();
    format!("{:#}\n", json!({ "codes": codes }))
}
