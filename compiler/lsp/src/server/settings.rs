//! The user's settings: given at the start, told, or asked for.

use std::sync::Arc;

use lsp_server::{Request, RequestId};
use lsp_types::request::{self, Request as _};
use lsp_types::{ConfigurationItem, ConfigurationParams, Registration, RegistrationParams};
use serde_json::Value;

use super::Server;
use crate::settings::Settings;

/// The section of the settings that is ours.
const SECTION: &str = "ctrc";

impl Server {
    /// Asks for the settings where the client can be asked, and to be told when they change.
    pub(super) fn ask_settings(&mut self, first: bool) {
        let workspace = self.snapshot.client.workspace.clone().unwrap_or_default();
        if workspace.configuration != Some(true) {
            return;
        }
        let told = workspace
            .did_change_configuration
            .and_then(|change| change.dynamic_registration);
        if first && told == Some(true) {
            let params = RegistrationParams {
                registrations: vec![Registration {
                    id: "settings".to_owned(),
                    method: "workspace/didChangeConfiguration".to_owned(),
                    register_options: Some(serde_json::json!({"section": SECTION})),
                }],
            };
            let id = self.new_id();
            let method = request::RegisterCapability::METHOD.to_owned();
            self.send(Request::new(id, method, params));
        }
        let id = self.new_id();
        self.settings_asked = Some(id.clone());
        let params = ConfigurationParams {
            items: vec![ConfigurationItem {
                scope_uri: None,
                section: Some(SECTION.to_owned()),
            }],
        };
        let method = request::WorkspaceConfiguration::METHOD.to_owned();
        self.send(Request::new(id, method, params));
    }

    fn new_id(&mut self) -> RequestId {
        self.next_id += 1;
        RequestId::from(self.next_id)
    }

    /// Takes the client's answer, where it is one to the question for the settings.
    pub(super) fn settings_answered(&mut self, id: &RequestId, answer: Option<&Value>) {
        if self.settings_asked.as_ref() != Some(id) {
            return;
        }
        self.settings_asked = None;
        // A client that has no such section answers null, and what it said at the start stays.
        if let Some(section) = answer
            .and_then(|answer| answer.get(0))
            .filter(|section| section.is_object())
        {
            self.set_settings(section);
        }
    }

    /// The client tells that settings changed; some tell which.
    pub(super) fn settings_changed(&mut self, told: &Value) {
        if told.get(SECTION).is_some() {
            self.set_settings(told);
        } else {
            self.ask_settings(false);
        }
    }

    fn set_settings(&mut self, value: &Value) {
        let settings = Settings::read(value);
        if settings == self.snapshot.settings {
            return;
        }
        self.snapshot = Arc::new(self.snapshot.with_settings(settings));
        let refreshes = self
            .snapshot
            .client
            .workspace
            .as_ref()
            .and_then(|workspace| workspace.inlay_hint.as_ref())
            .and_then(|hint| hint.refresh_support);
        if refreshes == Some(true) {
            let id = self.new_id();
            let method = request::InlayHintRefreshRequest::METHOD.to_owned();
            self.send(Request::new(id, method, ()));
        }
    }
}
