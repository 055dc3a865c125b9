//! `ctrc.tests` and `ctrc.runTests`: the `test` blocks of policies.

use ctr_front::ir::SourceId;
use ctr_front::world::World as _;
use ctr_grammar::ast::{ItemKind, Path};
use ctr_grammar::{Parse, Span};
use ctr_project::tests::Runner;
use lsp_types::{Range, Uri};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::policy::Policy;
use super::telling;
use crate::overlay::{self, Overlay};
use crate::server::{Desk, Failure, Progress};
use crate::snapshot::{Places, Snapshot};
use crate::uri;

#[derive(Debug, Deserialize)]
#[serde(expecting = "an object is taken")]
pub(super) struct List {
    #[serde(default)]
    uri: Option<Uri>,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "an object is taken")]
pub(super) struct Run {
    uri: Uri,
    #[serde(default)]
    names: Option<Vec<String>>,
    #[serde(default)]
    indices: Option<Vec<usize>>,
}

/// A `test` block.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Block {
    uri: Uri,
    name: String,
    index: usize,
    range: Range,
    name_range: Range,
    contracts: Vec<String>,
    #[serde(skip)]
    name_span: Span,
}

/// What became of a test.
#[derive(Debug, Serialize)]
struct Ran {
    #[serde(flatten)]
    block: Block,
    passed: bool,
    failures: Vec<Failed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    took: f64,
}

#[derive(Debug, Serialize)]
struct Failed {
    message: String,
    uri: Uri,
    range: Range,
}

/// The blocks of a file, or of all policies.
pub(super) fn list(snapshot: &Snapshot, args: &List) -> Result<Value, Failure> {
    let paths: Vec<String> = match &args.uri {
        Some(uri) => uri::path(uri.as_str())
            .map(|path| overlay::canonical(&path))
            .into_iter()
            .collect(),
        None => snapshot.roots.keys().cloned().collect(),
    };
    let blocks: Vec<Block> = paths
        .iter()
        .flat_map(|path| blocks(snapshot, path))
        .collect();
    json(&blocks)
}

/// The blocks that stand in a file.
fn blocks(snapshot: &Snapshot, path: &str) -> Vec<Block> {
    let Some(uri) = snapshot.uri_of(path) else {
        return Vec::new();
    };
    if let Some(document) = snapshot.documents.get(path) {
        return of_text(snapshot, &uri, &document.text, document.parse());
    }
    let read = Overlay::new(&snapshot.documents).read(path).ok();
    match read.and_then(|bytes| String::from_utf8(bytes).ok()) {
        Some(text) => of_text(snapshot, &uri, &text, &ctr_grammar::parse(&text)),
        None => Vec::new(),
    }
}

fn of_text(snapshot: &Snapshot, uri: &Uri, text: &str, parse: &Parse) -> Vec<Block> {
    let places = Places::new(text, snapshot.encoding);
    let tests = parse.file.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Test(test) => Some((item, test)),
        _ => None,
    });
    tests
        .enumerate()
        .map(|(index, (item, test))| Block {
            uri: uri.clone(),
            name: test.name.value.clone(),
            index,
            range: places.range(item.span.to(test.name.span)),
            name_range: places.range(test.name.span),
            contracts: test.contracts.iter().map(dotted).collect(),
            name_span: test.name.span,
        })
        .collect()
}

fn dotted(path: &Path) -> String {
    let parts: Vec<&str> = path.parts.iter().map(|part| part.name.as_str()).collect();
    parts.join(".")
}

/// Runs blocks of a file.
pub(super) fn run(
    snapshot: &Snapshot,
    args: &Run,
    desk: &Desk,
    progress: &Progress<'_>,
) -> Result<Value, Failure> {
    let policy = Policy::open(snapshot, &args.uri, "not tested")
        .inspect_err(|failure| telling::failure(snapshot, desk, failure))?;
    let blocks = blocks(snapshot, &policy.path);
    let is_chosen = |block: &Block| match (&args.names, &args.indices) {
        (None, None) => true,
        (names, indices) => {
            let names = names.as_ref().is_some_and(|n| n.contains(&block.name));
            // A number is the one of several tests of a name.
            match indices {
                Some(indices) => indices.contains(&block.index),
                None => names,
            }
        }
    };
    let own = policy
        .library
        .sources
        .iter()
        .position(|source| overlay::canonical(&source.path) == policy.path)
        .and_then(|index| u32::try_from(index).ok())
        .map(SourceId);
    let mut runner = Runner::new(&policy.library, &policy.artifact.model);
    let mut ran = Vec::new();
    for test in &policy.library.tests {
        if desk.is_given_up() {
            return Err(Failure::GivenUp);
        }
        let place = test.place;
        // The library names a test's place by its name or by the whole of it.
        let block = blocks.iter().find(|block| {
            Some(place.source) == own
                && place.span.start <= block.name_span.start
                && block.name_span.end <= place.span.end
        });
        let Some(block) = block.filter(|block| is_chosen(block)) else {
            continue;
        };
        progress.report(&block.name);
        let result = runner.run(test).map_err(Failure::Refused)?;
        let failures: Vec<Failed> = result
            .failures
            .iter()
            .map(|failure| {
                let (uri, range) = policy
                    .location(snapshot, failure.place)
                    .unwrap_or_else(|| (block.uri.clone(), block.range));
                Failed {
                    message: failure.message.clone(),
                    uri,
                    range,
                }
            })
            .collect();
        ran.push(Ran {
            block: block.clone(),
            passed: failures.is_empty(),
            message: failures.first().map(|failure| failure.message.clone()),
            failures,
            took: result.took.as_secs_f64() * 1000.0,
        });
    }
    let failed: Vec<String> = ran
        .iter()
        .filter_map(|ran| {
            let failure = ran.failures.first()?;
            let line = failure.range.start.line + 1;
            Some(format!(
                "line {line} ({}): {}",
                ran.block.name, failure.message
            ))
        })
        .collect();
    let passed = ran.len() - failed.len();
    if failed.is_empty() {
        telling::info(snapshot, desk, &format!("{passed} passed"));
    } else {
        let counts = format!("{passed} passed, {} failed", failed.len());
        telling::error(snapshot, desk, &format!("{counts}\n{}", failed.join("\n")));
    }
    json(&ran)
}

/// As JSON.
pub(super) fn json(value: &impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(value)
        .map_err(|error| Failure::Refused(format!("internal error of ctrc: {error}")))
}
