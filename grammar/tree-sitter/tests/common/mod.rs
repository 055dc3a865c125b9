//! What the tests share.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests; not each file uses all of it"
)]

use std::path::{Path, PathBuf};

use tree_sitter::{Node, Parser, Tree};

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// The `.ctr` files of the repository in order: path from its root, text.
pub fn files() -> Vec<(String, String)> {
    let root = root();
    let mut out = Vec::new();
    let hidden = |name: &str| {
        name.starts_with('.') && name != "." || name == "target" || name == "node_modules"
    };
    let walk = walkdir::WalkDir::new(&root)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|e| !e.file_type().is_dir() || !e.file_name().to_str().is_some_and(hidden));
    for entry in walk {
        let entry = entry.unwrap();
        let path = entry.path();
        if path.extension().is_some_and(|e| e == "ctr")
            && let Ok(text) = std::fs::read_to_string(path)
        {
            let name = path.strip_prefix(&root).unwrap().to_str().unwrap();
            out.push((name.replace('\\', "/"), text));
        }
    }
    assert!(out.len() > 300, "only {} files found", out.len());
    out
}

pub fn parser() -> Parser {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_ctr::LANGUAGE.into())
        .unwrap();
    parser
}

pub fn tree(text: &str) -> Tree {
    parser().parse(text, None).unwrap()
}

/// The first node of a tree that is an error or was put in, with its line and column.
pub fn first_error(tree: &Tree) -> Option<String> {
    let mut found = None;
    visit(tree.root_node(), &mut |node| {
        if found.is_none() && (node.is_error() || node.is_missing()) {
            let at = node.start_position();
            found = Some(format!(
                "{}:{}: {}",
                at.row + 1,
                at.column + 1,
                if node.is_error() {
                    node.to_sexp()
                } else {
                    format!("missing {}", node.kind())
                }
            ));
        }
    });
    found
}

/// Calls `see` with a node and all below it.
pub fn visit<'t>(node: Node<'t>, see: &mut impl FnMut(Node<'t>)) {
    see(node);
    let mut cursor = node.walk();
    let children: Vec<Node<'t>> = node.children(&mut cursor).collect();
    for child in children {
        visit(child, see);
    }
}

/// Whether the compiler's parser takes a text, the values in its messages included.
pub fn accepted(text: &str) -> bool {
    let parse = ctr_grammar::parse(text);
    parse.errors.is_empty()
        && messages(&parse.file)
            .into_iter()
            .all(|literal| ctr_grammar::message_parts(text, literal).1.is_empty())
}

fn messages(file: &ctr_grammar::ast::File) -> Vec<&ctr_grammar::ast::StrLit> {
    use ctr_grammar::ast::{Action, ClauseKind, ItemKind};
    let mut out = Vec::new();
    for item in &file.items {
        let ItemKind::Contract(contract) = &item.kind else {
            continue;
        };
        for clause in &contract.clauses {
            if let ClauseKind::Otherwise(action) = &clause.kind {
                out.extend(match action {
                    Action::Block(m)
                    | Action::Warn(m)
                    | Action::Escalate(m)
                    | Action::Repair(m) => m,
                    Action::Redirect { message, .. } => message,
                });
            }
        }
    }
    out
}
