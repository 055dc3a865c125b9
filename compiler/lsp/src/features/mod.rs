//! What the server answers, a file for each kind of request.
//!
//! Each takes a [`Snapshot`](crate::snapshot::Snapshot) and the request's parameters; nothing here knows of
//! messages, threads or versions.

pub(crate) mod actions;
pub(crate) mod codes;
pub(crate) mod commands;
pub(crate) mod completion;
pub(crate) mod files;
pub(crate) mod folding;
pub(crate) mod formatting;
pub(crate) mod hints;
pub(crate) mod hover;
pub(crate) mod lens;
pub(crate) mod links;
pub(crate) mod navigation;
pub(crate) mod rename;
pub(crate) mod selection;
pub(crate) mod signature;
pub(crate) mod symbols;
pub(crate) mod tokens;
