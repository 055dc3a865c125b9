//! The texts of the modules that come with the compiler (`import std.declare`).
//!
//! They are in no file. A client that can ask for the text of an address (`workspace/textDocumentContent`, Language
//! Server Protocol 3.18, or `ctrc/source`) is given addresses `ctrc-std:/std/declare.ctr`; for the others the text is
//! written to a file that only its owner can change and that nobody should: it is made anew where it differs.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::server::Failure;
use crate::snapshot::Snapshot;
use crate::uri;

/// The scheme of addresses of the library's texts.
pub(crate) const SCHEME: &str = "ctrc-std";

/// Whether a path is that of a module that comes with the compiler: relative, as no path of a user's file is here.
pub(crate) fn is_module(path: &str) -> bool {
    ctr_stdlib::MODULES.iter().any(|module| module.path == path)
}

/// What [`Snapshot::uri_of`] takes for a module of that path.
pub(crate) fn identity(module: &str) -> String {
    format!("{SCHEME}:/{module}")
}

/// Whether a client says at the start that it asks for texts.
pub(crate) fn asked_for(initialize: &Value) -> bool {
    let says = |pointer| initialize.pointer(pointer);
    says("/capabilities/workspace/textDocumentContent").is_some_and(Value::is_object)
        || says("/capabilities/experimental/ctrc/source") == Some(&Value::Bool(true))
}

/// The answer to `initialize`, with what the types of protocol 3.17 have no field for.
pub(crate) fn offered(result: &lsp_types::InitializeResult) -> Value {
    let mut value = serde_json::to_value(result).unwrap_or_default();
    if let Some(workspace) = value
        .pointer_mut("/capabilities/workspace")
        .and_then(Value::as_object_mut)
    {
        let schemes = serde_json::json!({"schemes": [SCHEME]});
        workspace.insert("textDocumentContent".to_owned(), schemes);
    }
    value
}

/// Asks for the text of an address.
pub(crate) enum Content {}

impl lsp_types::request::Request for Content {
    type Params = ContentParams;
    type Result = Option<ContentResult>;
    const METHOD: &'static str = "workspace/textDocumentContent";
}

/// The same under a name of our own, for clients of the protocol before 3.18.
pub(crate) enum Text {}

impl lsp_types::request::Request for Text {
    type Params = ContentParams;
    type Result = Option<ContentResult>;
    const METHOD: &'static str = "ctrc/source";
}

/// Which text.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct ContentParams {
    uri: String,
}

/// The text.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct ContentResult {
    text: String,
}

/// The text of an address of the library.
///
/// # Errors
///
/// None: of other addresses there is no text.
pub(crate) fn content(
    _: &Snapshot,
    params: &ContentParams,
) -> Result<Option<ContentResult>, Failure> {
    Ok(text(&params.uri).map(|text| ContentResult {
        text: text.to_owned(),
    }))
}

fn text(address: &str) -> Option<&'static str> {
    let (scheme, path) = address.split_once(':')?;
    if !scheme.eq_ignore_ascii_case(SCHEME) {
        return None;
    }
    let path = path.trim_start_matches('/');
    ctr_stdlib::MODULES
        .iter()
        .find(|module| module.path == path)
        .map(|module| module.text)
}

/// The address under which the client can open a text of the library.
pub(crate) fn address(snapshot: &Snapshot, path: &str) -> Option<String> {
    if snapshot.asks_for_texts {
        return Some(format!("{SCHEME}:/{path}"));
    }
    let module = ctr_stdlib::MODULES.iter().find(|m| m.path == path)?;
    let folder = cache()?.join(concat!("std-", env!("CARGO_PKG_VERSION")));
    let file = written(&folder, module.path, module.text).ok()?;
    Some(uri::of_path(&file.to_str()?.replace('\\', "/")))
}

/// The folder for what can be made again.
fn cache() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let absolute = |path: PathBuf| path.is_absolute().then_some(path);
    let folder = set("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .and_then(absolute)
        .or_else(|| set("LOCALAPPDATA").map(PathBuf::from))
        .or_else(|| set("HOME").map(|home| PathBuf::from(home).join(".cache")))?;
    Some(folder.join("ctrc"))
}

/// The file with a text, written where it is not there yet.
fn written(folder: &Path, name: &str, text: &str) -> std::io::Result<PathBuf> {
    let path = folder.join(name);
    if fs::read(&path).is_ok_and(|known| known == text.as_bytes()) {
        return Ok(path);
    }
    let parent = path.parent().unwrap_or(folder);
    fs::create_dir_all(parent)?;
    // Whoever reads it meanwhile sees all of it or what was there before.
    let draft = parent.join(format!(
        ".{}.{}",
        name.replace('/', "-"),
        std::process::id()
    ));
    let made = (|| {
        let mut file = fs::File::create(&draft)?;
        file.write_all(text.as_bytes())?;
        let mut rights = file.metadata()?.permissions();
        rights.set_readonly(true);
        fs::set_permissions(&draft, rights)?;
        fs::rename(&draft, &path)
    })();
    if made.is_err() {
        let _ = fs::remove_file(&draft);
    }
    made.map(|()| path)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn every_module_has_its_text() {
        for module in ctr_stdlib::MODULES {
            assert_eq!(
                text(&format!("ctrc-std:/{}", module.path)),
                Some(module.text)
            );
            assert_eq!(
                text(&format!("CTRC-STD:///{}", module.path)),
                Some(module.text)
            );
        }
        for other in [
            "ctrc-std:/std/none.ctr",
            "ctrc-std:",
            "file:///std/declare.ctr",
            "",
        ] {
            assert_eq!(text(other), None, "{other}");
        }
    }

    #[test]
    fn a_file_for_clients_that_cannot_ask() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("a/b");
        let path = written(&folder, "std/x.ctr", "one").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        assert!(fs::metadata(&path).unwrap().permissions().readonly());
        // Again, and with another text over the read-only one.
        assert_eq!(written(&folder, "std/x.ctr", "one").unwrap(), path);
        assert_eq!(written(&folder, "std/x.ctr", "two").unwrap(), path);
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::read_dir(folder.join("std")).unwrap().count(), 1);
        // No folder can be made where a file is.
        assert!(written(&path, "y.ctr", "three").is_err());
    }
}
