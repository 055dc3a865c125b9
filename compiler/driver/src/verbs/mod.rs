//! The verbs of the command line, a file each.

pub mod allowed;
pub mod build;
pub mod check;
pub mod completions;
pub mod diff;
pub mod explain;
pub mod fmt;
pub mod graph;
pub mod init;
pub mod inspect;
pub mod lsp;
pub mod ltlf;
pub mod man;
pub mod refine;
pub mod replay;
pub mod test;
pub mod witness;
