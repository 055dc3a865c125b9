//! Every diagnostic code with its documentation: the one source of `ctrc explain`, of the error
//! pages and of the editor's links.
//!
//! | range | subject | table |
//! | --- | --- | --- |
//! | E0001-E0199 | text, tokens, syntax | [`ctr_grammar::codes`] |
//! | E0200-E0299, W0200- | files and modules | `files` |
//! | E0300-E0399, W0300- | tool schemas | `schemas` |
//! | E0400-E0599, W0400- | names, types, formulas | [`codes_check`] |
//! | E0800-E0819, W0800- | settings, comments that allow warnings | `settings` |

mod files;
mod schemas;
mod settings;

use crate::codes_check;
use crate::diagnostic::CodeDoc;

/// The documentation of a code (`E0201`, in any case), or `None` where there is no such code.
#[must_use]
pub fn explain(code: &str) -> Option<&'static CodeDoc> {
    let code = code.trim();
    all().find(|doc| doc.code.eq_ignore_ascii_case(code))
}

/// All codes, in order of their tables.
pub fn all() -> impl Iterator<Item = &'static CodeDoc> {
    ctr_grammar::codes::all()
        .chain(files::CODES)
        .chain(schemas::CODES)
        .chain(codes_check::all())
        .chain(settings::CODES)
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        reason = "tests"
    )]

    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    fn entry_name(path: &Path) -> String {
        path.file_name().unwrap().to_string_lossy().into_owned()
    }

    /// The codes in string literals of the files under a folder, tests at their ends left out.
    fn used(folder: &Path, out: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = entry_name(&path);
            if path.is_dir() && !name.starts_with("codes") {
                used(&path, out);
            } else if path.is_file() && !name.starts_with("codes") {
                let text = fs::read_to_string(&path).unwrap();
                let text = text.split("#[cfg(test)]").next().unwrap();
                for (at, _) in text.match_indices('"') {
                    let word: String = text[at + 1..].chars().take_while(|c| *c != '"').collect();
                    let is_code = word.len() == 5
                        && word.starts_with(['E', 'W'])
                        && word[1..].bytes().all(|b| b.is_ascii_digit());
                    if is_code {
                        out.insert(word);
                    }
                }
            }
        }
    }

    #[test]
    fn every_code_is_documented_once_and_used() {
        let mut codes = BTreeSet::new();
        for doc in all() {
            assert!(codes.insert(doc.code.to_owned()), "{} twice", doc.code);
            assert!(
                !doc.title.is_empty() && doc.meaning.len() > 20,
                "{}",
                doc.code
            );
        }
        let mut found = BTreeSet::new();
        used(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
            &mut found,
        );
        let mine = |code: &&String| {
            ("0200".."0400").contains(&&code[1..]) || ("0800".."0820").contains(&&code[1..])
        };
        let documented: BTreeSet<_> = codes.iter().filter(mine).collect();
        let used: BTreeSet<_> = found.iter().filter(mine).collect();
        assert_eq!(documented, used);
    }

    #[test]
    fn explanations() {
        assert_eq!(explain(" e0206 ").unwrap().code, "E0206");
        assert!(explain("E0010").unwrap().markdown().contains("**Wrong:**"));
        assert_eq!(explain("E0400").unwrap().code, "E0400");
        assert!(explain("E9999").is_none());
    }
}
