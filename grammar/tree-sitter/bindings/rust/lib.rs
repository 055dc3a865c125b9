//! The contract language for [tree-sitter](https://tree-sitter.github.io): a parser for editors, which colours, folds
//! and indents with it. The compiler has a parser of its own, `ctr-grammar`; the tests compare the two.

use tree_sitter_language::LanguageFn;

unsafe extern "C" {
    fn tree_sitter_ctr() -> *const ();
}

/// The language, for `tree_sitter::Parser::set_language`.
// SAFETY: the function is the one that `tree-sitter generate` wrote for this language.
pub const LANGUAGE: LanguageFn = unsafe { LanguageFn::from_raw(tree_sitter_ctr) };

/// What each kind of node may hold, as JSON.
pub const NODE_TYPES: &str = include_str!("../../src/node-types.json");

/// What is coloured how.
pub const HIGHLIGHTS_QUERY: &str = include_str!("../../queries/highlights.scm");

/// What another language is written in.
pub const INJECTIONS_QUERY: &str = include_str!("../../queries/injections.scm");

/// Scopes, definitions and uses of local names.
pub const LOCALS_QUERY: &str = include_str!("../../queries/locals.scm");

/// Definitions and uses of what a file declares.
pub const TAGS_QUERY: &str = include_str!("../../queries/tags.scm");

/// What can be folded.
pub const FOLDS_QUERY: &str = include_str!("../../queries/folds.scm");

/// How lines are indented.
pub const INDENTS_QUERY: &str = include_str!("../../queries/indents.scm");

/// What can be selected as a whole.
pub const TEXTOBJECTS_QUERY: &str = include_str!("../../queries/textobjects.scm");
