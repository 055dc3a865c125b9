//! The language server of the contract language (Language Server Protocol 3.17).
//!
//! The server answers from the same compiler calls as the command line, so that an editor and `ctrc check`
//! say the same of the same files. One thread reads messages and keeps the [`documents`], others answer requests
//! and look for findings, each on a [`snapshot`] that does not change under it. Nothing polls: without messages
//! there is no work.
//!
//! The transport is `lsp-server`: messages come through channels and the rest is plain threads. An asynchronous
//! framework would bring an executor for work that is computation throughout and must be cancelled between steps anyway.

mod diagnostics;
mod documents;
mod features;
mod findings;
mod library;
mod overlay;
mod server;
mod settings;
mod snapshot;
mod uri;

pub use server::{serve, stdio};
