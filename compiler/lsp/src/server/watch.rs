//! Which files matter.

use std::collections::BTreeSet;

use ctr_front::diagnostic::Diagnostic;
use ctr_front::ir::Source;
use ctr_project::{Settings, walk};
use lsp_server::{Request, RequestId};
use lsp_types::request::{self, Request as _};
use lsp_types::{
    DidChangeWatchedFilesRegistrationOptions, FileSystemWatcher, GlobPattern, Registration,
    RegistrationParams,
};

use crate::documents::Documents;
use crate::overlay::{self, Overlay};

/// What was found in the folders of a workspace.
#[derive(Default)]
pub(super) struct Walked {
    /// The policies, each by its canonical path and as it is called, in the order of `ctrc check`.
    pub(super) policies: Vec<(String, String)>,
    /// Settings that count for nothing.
    pub(super) idle: (Vec<Source>, Vec<Diagnostic>),
}

impl Walked {
    /// Searches folders as `ctrc check` does. What cannot be read is passed over: the rest is of use.
    pub(super) fn new(folders: &[String], documents: &Documents) -> Self {
        let world = Overlay::new(documents);
        let settings = Settings::nearest(&world);
        let mut seen = BTreeSet::new();
        let mut policies = Vec::new();
        for folder in folders {
            let found = walk::folder(&overlay::canonical(folder), &settings, &|_| {});
            for path in found.policies {
                let key = overlay::canonical(&path);
                if seen.insert(key.clone()) {
                    policies.push((key, path));
                }
            }
        }
        // Only what was searched for nothing: what policies ask for is told with them.
        let idle = settings.idle_findings();
        Self { policies, idle }
    }

    /// With the policies that are open, wherever they are.
    pub(super) fn with_open(&self, documents: &Documents) -> Vec<(String, String)> {
        let mut all = self.policies.clone();
        let seen: BTreeSet<&String> = self.policies.iter().map(|(key, _)| key).collect();
        let open = documents
            .keys()
            .filter(|path| is_policy(path) && !seen.contains(path));
        all.extend(open.map(|path| (path.clone(), path.clone())));
        all
    }
}

/// Schemas and settings are open, too, and no policies.
fn is_policy(path: &str) -> bool {
    !path.ends_with(".json") && !path.ends_with(".toml")
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
