//! `textDocument/codeLens` and `codeLens/resolve`: what can be done with a test or a contract, above it.

use ctr_check::Cancel;
use ctr_grammar::Span;
use ctr_grammar::ast::ItemKind;
use lsp_types::{CodeLens, CodeLensOptions, CodeLensParams, Command, Uri};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::commands;
use crate::overlay;
use crate::server::Failure;
use crate::snapshot::{Places, Snapshot};
use crate::uri;

/// What is worked out when a lens is shown: how many states the automata of a contract have.
#[derive(Debug, Deserialize, Serialize)]
struct Sized {
    uri: Uri,
    contract: String,
}

/// What is announced.
pub(crate) fn options() -> CodeLensOptions {
    CodeLensOptions {
        resolve_provider: Some(true),
    }
}

/// The lenses of a document.
///
/// # Errors
///
/// None.
pub(crate) fn lenses(
    snapshot: &Snapshot,
    params: &CodeLensParams,
) -> Result<Option<Vec<CodeLens>>, Failure> {
    let Some(document) = snapshot.document(&params.text_document.uri) else {
        return Ok(None);
    };
    let uri = &document.uri;
    let places = Places::new(&document.text, snapshot.encoding);
    let mut out = Vec::new();
    let mut tests = 0;
    for item in &document.parse().file.items {
        let lens = |at: Span, title: &str, command: &str, argument: Value| CodeLens {
            range: places.range(at),
            command: Some(command_of(title, command, argument)),
            data: None,
        };
        match &item.kind {
            ItemKind::Test(test) => {
                let at = test.name.span;
                if tests == 0 {
                    let all = json!({"uri": uri});
                    out.push(lens(at, "Run all tests", commands::RUN_TESTS, all));
                }
                let one = json!({"uri": uri, "names": [test.name.value], "indices": [tests]});
                out.push(lens(at, "Run test", commands::RUN_TESTS, one));
                tests += 1;
            }
            ItemKind::Contract(contract) if !contract.name.name.is_empty() => {
                let at = contract.name.span;
                let name = &contract.name.name;
                let data = Sized {
                    uri: uri.clone(),
                    contract: name.clone(),
                };
                out.push(CodeLens {
                    range: places.range(at),
                    command: None,
                    data: serde_json::to_value(data).ok(),
                });
                for (title, show) in [
                    ("Show a session that keeps it", "accepting"),
                    ("Show a session that breaks it", "rejecting"),
                ] {
                    let argument = json!({"uri": uri, "contract": name, "show": show});
                    out.push(lens(at, title, commands::WITNESS, argument));
                }
            }
            _ => {}
        }
    }
    Ok(Some(out))
}

/// A lens with its command.
///
/// # Errors
///
/// None.
pub(crate) fn resolve(snapshot: &Snapshot, lens: &CodeLens) -> Result<CodeLens, Failure> {
    let mut lens = lens.clone();
    let data = lens.data.take();
    let Some(Ok(of)) = data.map(serde_json::from_value::<Sized>) else {
        return Ok(lens);
    };
    let states = states(snapshot, &of);
    let title = match states {
        None => "Show automaton".to_owned(),
        Some(1) => "Show automaton (1 state)".to_owned(),
        Some(n) => format!("Show automaton ({n} states)"),
    };
    let argument = json!({"uri": of.uri, "contract": of.contract});
    lens.command = Some(command_of(&title, commands::AUTOMATON, argument));
    Ok(lens)
}

/// How many states the automata of a contract have together; `None` where the policy has errors.
fn states(snapshot: &Snapshot, of: &Sized) -> Option<usize> {
    let path = overlay::canonical(&uri::path(of.uri.as_str())?);
    let built = snapshot.built(snapshot.roots.get(&path)?, &Cancel::NEVER)?;
    let model = &built.artifact.as_ref()?.model;
    let contract = model.contracts.iter().find(|c| c.name == of.contract)?;
    let size = |id: Option<u32>| {
        let automaton = id.and_then(|id| model.automata.get(id as usize));
        automaton.map_or(0, |automaton| automaton.states.len())
    };
    Some(size(contract.assume) + size(contract.guarantee))
}

fn command_of(title: &str, command: &str, argument: Value) -> Command {
    Command {
        title: title.to_owned(),
        command: command.to_owned(),
        arguments: Some(vec![argument]),
    }
}
