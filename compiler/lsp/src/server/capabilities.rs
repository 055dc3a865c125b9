//! What the client can do, and what the server announces.

use lsp_types::{
    ClientCapabilities, DiagnosticOptions, DiagnosticServerCapabilities,
    FoldingRangeProviderCapability, HoverProviderCapability, OneOf, PositionEncodingKind,
    RenameOptions, SelectionRangeProviderCapability, ServerCapabilities,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions, WorkDoneProgressOptions, WorkspaceFoldersServerCapabilities,
    WorkspaceServerCapabilities,
};

use crate::diagnostics;
use crate::features::{
    actions, commands, completion, files, hints, lens, links, signature, tokens,
};

/// What the client can do that matters to how it is spoken to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Client {
    /// Asks for findings itself.
    pub(super) pulls: bool,
    /// Can be asked to ask again.
    pub(super) refreshes: bool,
    /// Can be asked to watch files.
    pub(super) watches: bool,
    /// Shows how work gets on.
    pub(super) progress: bool,
    /// Wants to hear `ctrc/status`.
    pub(super) status: bool,
}

impl Client {
    pub(super) fn new(capabilities: &ClientCapabilities) -> Self {
        let workspace = capabilities.workspace.as_ref();
        let window = capabilities.window.as_ref();
        let experimental = capabilities.experimental.as_ref();
        Self {
            pulls: capabilities
                .text_document
                .as_ref()
                .is_some_and(|text| text.diagnostic.is_some()),
            refreshes: false,
            watches: workspace
                .and_then(|workspace| workspace.did_change_watched_files?.dynamic_registration)
                .unwrap_or(false),
            progress: window
                .and_then(|window| window.work_done_progress)
                .unwrap_or(false),
            status: experimental
                .and_then(|experimental| experimental.get("ctrc")?.get("status")?.as_bool())
                .unwrap_or(false),
        }
    }
}

/// What the server announces.
pub(super) fn capabilities_of(encoding: PositionEncodingKind) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(encoding),
        text_document_sync: Some(TextDocumentSyncCapability::Options(
            TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::INCREMENTAL),
                save: Some(TextDocumentSyncSaveOptions::Supported(true)),
                ..TextDocumentSyncOptions::default()
            },
        )),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(completion::options()),
        code_action_provider: Some(actions::options()),
        code_lens_provider: Some(lens::options()),
        execute_command_provider: Some(commands::options()),
        definition_provider: Some(OneOf::Left(true)),
        type_definition_provider: Some(true.into()),
        signature_help_provider: Some(signature::capability()),
        document_link_provider: Some(links::capability()),
        inlay_hint_provider: Some(hints::capability()),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_range_formatting_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        selection_range_provider: Some(SelectionRangeProviderCapability::Simple(true)),
        semantic_tokens_provider: Some(tokens::capability()),
        diagnostic_provider: Some(DiagnosticServerCapabilities::Options(DiagnosticOptions {
            identifier: Some(diagnostics::SOURCE.to_owned()),
            inter_file_dependencies: true,
            workspace_diagnostics: true,
            ..DiagnosticOptions::default()
        })),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: Some(files::capability()),
        }),
        ..ServerCapabilities::default()
    }
}
