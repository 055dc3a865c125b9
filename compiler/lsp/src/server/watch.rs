//! Which files matter.

use std::collections::BTreeSet;

use lsp_server::{Request, RequestId};
use lsp_types::request::{self, Request as _};
use lsp_types::{
    DidChangeWatchedFilesRegistrationOptions, FileSystemWatcher, GlobPattern, Registration,
    RegistrationParams,
};

use crate::documents::Documents;
use crate::overlay;

/// The policies of some folders, and those that are open wherever they are, by canonical path.
pub(super) fn policies(folders: &[String], documents: &Documents) -> BTreeSet<String> {
    let mut out: BTreeSet<String> = documents
        .keys()
        .filter(|path| !path.ends_with(".json") && !path.ends_with(".toml"))
        .cloned()
        .collect();
    for folder in folders {
        for entry in walkdir::WalkDir::new(folder)
            .into_iter()
            .filter_entry(|entry| !is_hidden(entry))
            .flatten()
        {
            if entry.file_type().is_file() && entry.path().extension().is_some_and(|e| e == "ctr") {
                out.insert(overlay::canonical(&entry.path().to_string_lossy()));
            }
        }
    }
    out
}

/// Hidden folders and build outputs hold no policies of the user's.
fn is_hidden(entry: &walkdir::DirEntry) -> bool {
    entry.depth() > 0
        && entry.file_type().is_dir()
        && entry
            .file_name()
            .to_str()
            .is_some_and(|name| name.starts_with('.') || name == "target" || name == "node_modules")
}

/// Asks the client to tell of changes to files that a policy can lead to.
pub(super) fn registration(id: RequestId) -> Request {
    let watchers = ["**/*.ctr", "**/*.json", "**/ctrc.toml"]
        .map(|glob| FileSystemWatcher {
            glob_pattern: GlobPattern::String(glob.to_owned()),
            kind: None,
        })
        .to_vec();
    let options = DidChangeWatchedFilesRegistrationOptions { watchers };
    let params = RegistrationParams {
        registrations: vec![Registration {
            id: "files".to_owned(),
            method: "workspace/didChangeWatchedFiles".to_owned(),
            register_options: serde_json::to_value(options).ok(),
        }],
    };
    Request::new(id, request::RegisterCapability::METHOD.to_owned(), params)
}
