//! The folders in `editors`: their queries are those of the grammar in the editor's own names of captures.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod common;

use std::collections::BTreeSet;

use common::root;
use tree_sitter::Query;

/// The name in the grammar's queries, and in Helix (its documentation, "Themes": scopes).
const HELIX: &[(&str, &str)] = &[
    ("comment.documentation", "comment.block.documentation"),
    ("keyword.import", "keyword.control.import"),
    ("number", "constant.numeric"),
    ("boolean", "constant.builtin.boolean"),
    ("string.escape", "constant.character.escape"),
    ("module", "namespace"),
    ("property", "variable.other.member"),
    ("function.call", "function"),
    (
        "local.definition.parameter",
        "local.definition.variable.parameter",
    ),
    ("local.definition.var", "local.definition.variable"),
    ("class.outer", "class.around"),
    ("class.inner", "class.inside"),
    ("function.outer", "function.around"),
    ("function.inner", "function.inside"),
    ("test.outer", "test.around"),
    ("test.inner", "test.inside"),
    ("parameter.outer", "parameter.around"),
    ("parameter.inner", "parameter.inside"),
    ("comment.outer", "comment.around"),
    ("comment.inner", "comment.inside"),
];

/// The same for Zed (its documentation, "Language extensions": syntax highlighting).
const ZED: &[(&str, &str)] = &[
    ("comment.documentation", "comment.doc"),
    ("keyword.import", "keyword"),
    ("string.regexp", "string.regex"),
    ("module", "namespace"),
    ("function.call", "function"),
    ("variable.builtin", "variable.special"),
    ("class.outer", "class.around"),
    ("class.inner", "class.inside"),
    ("function.outer", "function.around"),
    ("function.inner", "function.inside"),
    ("comment.outer", "comment.around"),
    ("comment.inner", "comment.inside"),
];

/// Patterns whose capture an editor has no use for.
fn unused(editor: &str, pattern: &str) -> bool {
    let words: &[&str] = match editor {
        "helix" => &["@none", "@statement.", "@call.", "@number.", "@assignment."],
        "zed" => &[
            "@none",
            "@statement.",
            "@call.",
            "@number.",
            "@assignment.",
            "@parameter.",
            "@test.",
        ],
        _ => &[],
    };
    words.iter().any(|w| pattern.contains(w))
}

/// A query in an editor's names: patterns are the paragraphs of the file.
fn rewritten(editor: &str, names: &[(&str, &str)], query: &str) -> String {
    let mut out = String::from(
        "; Made from grammar/tree-sitter/queries by `CTRC_BLESS=1 cargo test -p tree-sitter-ctr --test editors`.\n",
    );
    for pattern in query.trim_end().split("\n\n") {
        if unused(editor, pattern) {
            continue;
        }
        out.push('\n');
        for line in pattern.lines() {
            // Of one capture that only one editor knows.
            if line.contains("#set! definition.") && editor != "neovim" {
                // The parenthesis that closes the pattern stands on this line.
                let trimmed = out.trim_end().len();
                out.truncate(trimmed);
                out.push_str(")\n");
                continue;
            }
            out.push_str(&line_of(names, line));
            out.push('\n');
        }
    }
    out
}

fn line_of(names: &[(&str, &str)], line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('@') {
        out.push_str(&rest[..=at]);
        rest = &rest[at + 1..];
        let end = rest
            .find(|c: char| !(c.is_ascii_lowercase() || c == '.'))
            .unwrap_or(rest.len());
        let name = &rest[..end];
        let new = names
            .iter()
            .find(|(n, _)| *n == name)
            .map_or(name, |(_, new)| new);
        out.push_str(new);
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

#[test]
fn queries_of_editors() {
    let bless = std::env::var_os("CTRC_BLESS").is_some();
    let all = [
        "highlights",
        "folds",
        "indents",
        "injections",
        "locals",
        "textobjects",
    ];
    let helix = ["highlights", "injections", "locals", "tags", "textobjects"];
    let zed = ["highlights", "injections", "textobjects"];
    for (editor, folder, names, files) in [
        ("neovim", "editors/neovim/queries/ctr", &[][..], &all[..]),
        ("helix", "editors/helix/queries/ctr", HELIX, &helix[..]),
        ("zed", "editors/zed/languages/ctr", ZED, &zed[..]),
    ] {
        for file in files {
            let source = root().join(format!("grammar/tree-sitter/queries/{file}.scm"));
            let wanted = rewritten(editor, names, &std::fs::read_to_string(source).unwrap());
            let path = root().join(folder).join(format!("{file}.scm"));
            if bless {
                std::fs::write(&path, &wanted).unwrap();
            }
            let found = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(
                found == wanted,
                "{} is stale: CTRC_BLESS=1 cargo test -p tree-sitter-ctr --test editors",
                path.display()
            );
        }
    }
}

/// All of them are valid, those written by hand, too.
#[test]
fn are_valid() {
    let language = tree_sitter_ctr::LANGUAGE.into();
    let mut seen = 0;
    let ours = |e: &walkdir::DirEntry| e.file_name() != "node_modules";
    let all = walkdir::WalkDir::new(root().join("editors")).into_iter();
    for entry in all.filter_entry(ours) {
        let entry = entry.unwrap();
        let path = entry.path();
        if path.extension().is_some_and(|e| e == "scm") {
            let text = std::fs::read_to_string(path).unwrap();
            Query::new(&language, &text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            seen += 1;
        }
    }
    assert!(seen >= 17, "{seen}");
}

/// The words of the Emacs mode.
#[test]
fn emacs() {
    use ctr_grammar::keywords::{FUNCTIONS, KEYWORDS, KeywordKind};
    let text = std::fs::read_to_string(root().join("editors/emacs/ctr-mode.el")).unwrap();
    let list = |name: &str| -> BTreeSet<String> {
        let text = text
            .split(&format!("(defconst ctr--{name}"))
            .nth(1)
            .unwrap();
        let text = text.split(')').next().unwrap();
        text.split('"')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect()
    };
    let of = |take: &dyn Fn(KeywordKind) -> bool| -> BTreeSet<String> {
        KEYWORDS
            .iter()
            .filter(|k| take(k.kind))
            .flat_map(|k| k.name.split(' '))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(list("types"), of(&|k| k == KeywordKind::Type));
    assert_eq!(list("constants"), of(&|k| k == KeywordKind::Value));
    assert_eq!(
        list("keywords"),
        of(&|k| k != KeywordKind::Type && k != KeywordKind::Value)
    );
    let functions: BTreeSet<String> = FUNCTIONS.iter().map(|f| (*f).to_owned()).collect();
    assert_eq!(list("functions"), functions);
}

/// Neovim and Emacs indent by the same words, and all are of the language.
#[test]
fn words_that_go_on() {
    use ctr_grammar::keywords::KEYWORDS;
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let lua = read("editors/neovim/lua/ctrc/indent.lua");
    let lua = lua.split("[[").nth(1).unwrap().split("]]").next().unwrap();
    let lua: BTreeSet<&str> = lua.split_whitespace().collect();
    let lisp = read("editors/emacs/ctr-mode.el");
    let lisp = lisp.split("(defconst ctr--goes-on").nth(1).unwrap();
    let lisp = lisp.split(')').next().unwrap();
    let lisp: BTreeSet<&str> = lisp.split('"').skip(1).step_by(2).collect();
    assert_eq!(lua, lisp);
    let words: BTreeSet<&str> = KEYWORDS.iter().flat_map(|k| k.name.split(' ')).collect();
    assert!(lua.len() > 20 && lua.is_subset(&words), "{lua:?}");
}

/// One version for all that is handed out.
#[test]
fn versions() {
    let wanted = env!("CARGO_PKG_VERSION");
    for (file, before, after) in [
        ("editors/vscode/package.json", "\"version\": \"", "\""),
        ("editors/zed/Cargo.toml", "\nversion = \"", "\""),
        ("editors/zed/extension.toml", "\nversion = \"", "\""),
        ("editors/emacs/ctr-mode.el", ";; Version: ", "\n"),
        ("grammar/textmate/package.json", "\"version\": \"", "\""),
        ("grammar/tree-sitter/package.json", "\"version\": \"", "\""),
        (
            "grammar/tree-sitter/tree-sitter.json",
            "\"version\": \"",
            "\"",
        ),
    ] {
        let text = std::fs::read_to_string(root().join(file)).unwrap();
        let found = text
            .split(before)
            .nth(1)
            .and_then(|t| t.split(after).next());
        assert_eq!(found, Some(wanted), "{file}");
    }
}
