//! The documentation of diagnostics: of one code, and of all as pages.

use std::fmt::Write as _;

use ctr_front::diagnostic::CodeDoc;

use crate::exit::Stop;

/// The documentation of all codes, in order.
#[must_use]
pub fn all_codes() -> Vec<&'static CodeDoc> {
    let mut all: Vec<&CodeDoc> = ctr_front::codes::all()
        .chain(ctr_emit::CODES)
        .chain(ctr_check::CODES)
        .collect();
    all.sort_by_key(|doc| doc.code);
    all
}

/// What a code is about, by its number.
const GROUPS: &[(u32, &str)] = &[
    (0, "Text, words and syntax"),
    (200, "Files and modules"),
    (300, "Schemas of tools"),
    (400, "Names and formulas"),
    (500, "Types, values and tests"),
    (600, "Automata and artifacts"),
    (700, "What is proven of libraries"),
];

/// All codes as a page of Markdown: an index, then each with its text; errors before warnings.
#[must_use]
pub fn page() -> String {
    let all = all_codes();
    let number = |doc: &CodeDoc| -> u32 {
        doc.code
            .get(1..)
            .and_then(|digits| digits.parse().ok())
            .unwrap_or(0)
    };
    let group = |doc: &CodeDoc| GROUPS.iter().rposition(|(from, _)| *from <= number(doc));
    let mut out = String::from(
        "# Diagnostics\n\n\
         Every finding of `ctrc` has a code that does not change: `E` for errors, `W` for warnings. `ctrc explain E0401` shows\n\
         the text of one. This page is the output of `ctrc explain --all`.\n\n\
         | code | title |\n| --- | --- |\n",
    );
    for doc in &all {
        let anchor = doc.code.to_ascii_lowercase();
        let _ = writeln!(out, "| [{}](#{anchor}) | {} |", doc.code, doc.title);
    }
    for (index, (_, title)) in GROUPS.iter().enumerate() {
        let members: Vec<_> = all.iter().filter(|doc| group(doc) == Some(index)).collect();
        if members.is_empty() {
            continue;
        }
        let _ = write!(out, "\n## {title}\n");
        for doc in members {
            let text = doc.markdown();
            let _ = write!(out, "\n### {}\n\n**{}**\n\n{text}\n", doc.code, doc.title);
        }
    }
    out
}

/// The documentation of one code, in any case.
///
/// # Errors
///
/// Where there is no such code; a near one is named.
pub fn text(code: &str) -> Result<String, Stop> {
    let wanted = code.to_ascii_uppercase();
    let all = all_codes();
    match all.iter().find(|doc| doc.code == wanted) {
        Some(doc) => Ok(format!(
            "{}: {}\n\n{}\n",
            doc.code,
            doc.title,
            doc.markdown()
        )),
        None => {
            let hint = ctr_front::suggest::nearest(&wanted, all.iter().map(|doc| doc.code))
                .map(|near| format!("; did you mean `{near}`?"))
                .unwrap_or_default();
            Err(Stop::Usage(format!(
                "there is no diagnostic `{code}`{hint}"
            )))
        }
    }
}
