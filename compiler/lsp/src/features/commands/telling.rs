//! What commands tell the users of clients that show nothing themselves.

use lsp_types::{
    MessageType, ShowDocumentParams, ShowMessageParams, Uri, notification::ShowMessage,
    request::ShowDocument,
};

use crate::server::{Desk, Failure};
use crate::snapshot::Snapshot;

/// Whether the client shows answers in panels of its own.
fn has_panels(snapshot: &Snapshot) -> bool {
    snapshot
        .client
        .experimental
        .as_ref()
        .and_then(|own| own.get("ctrc"))
        .and_then(|ctrc| ctrc.get("panels"))
        .is_some_and(|panels| panels == true)
}

fn show(snapshot: &Snapshot, desk: &Desk, typ: MessageType, message: &str) {
    if !has_panels(snapshot) && !desk.is_given_up() {
        desk.notify::<ShowMessage>(ShowMessageParams {
            typ,
            message: message.to_owned(),
        });
    }
}

pub(super) fn info(snapshot: &Snapshot, desk: &Desk, message: &str) {
    show(snapshot, desk, MessageType::INFO, message);
}

pub(super) fn error(snapshot: &Snapshot, desk: &Desk, message: &str) {
    show(snapshot, desk, MessageType::ERROR, message);
}

/// Why something was not done. Many clients keep the errors of commands in a log.
pub(super) fn failure(snapshot: &Snapshot, desk: &Desk, failure: &Failure) {
    if let Failure::Refused(why) = failure {
        error(snapshot, desk, why);
    }
}

/// Shows a picture: in the program of the system for such, where the client can ask for that, else by its name.
pub(super) fn picture(snapshot: &Snapshot, desk: &Desk, contract: &str, side: &str, svg: &str) {
    if has_panels(snapshot) || desk.is_given_up() {
        return;
    }
    let plain: String = format!("{contract}_{side}")
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let path = match desk.pictures().write(&format!("{plain}.svg"), svg) {
        Ok(path) => path,
        Err(why) => {
            error(
                snapshot,
                desk,
                &format!("the picture is not written: {why}"),
            );
            return;
        }
    };
    let shows = snapshot
        .client
        .window
        .as_ref()
        .and_then(|window| window.show_document.as_ref())
        .is_some_and(|can| can.support);
    let uri: Option<Uri> = crate::uri::of_path(&path.to_string_lossy()).parse().ok();
    match uri {
        Some(uri) if shows => desk.ask::<ShowDocument>(ShowDocumentParams {
            uri,
            external: Some(true),
            take_focus: Some(true),
            selection: None,
        }),
        _ => info(
            snapshot,
            desk,
            &format!("the {side} of `{contract}` is drawn in {}", path.display()),
        ),
    }
}
