//! `ctrc test`: the `test` blocks of policies (language reference, section 9).

mod run;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::time::Instant;

use ctr_front::ir;
use ctr_runtime::format::Library;
use ctr_runtime::format::model::Model;
use serde_json::{Value as Json, json};

use crate::cli::{Format, Test};
use crate::exit::{Exit, Stop, data, message};
use crate::library;
use crate::render;
use crate::render::lines::Lines;

/// What became of a test.
#[derive(Clone, Debug)]
struct TestResult {
    file: String,
    name: String,
    line: usize,
    /// What went wrong, with its line; nothing where the test passed.
    failures: Vec<(usize, String)>,
}

/// Runs the verb.
///
/// # Errors
///
/// Where a path cannot be read, a policy has errors, or standard output cannot be written.
pub fn run(args: &Test) -> Result<Exit, Stop> {
    let (mut files, found) = library::policies(&args.paths)?;
    files.extend(found);
    let start = Instant::now();
    let mut results: Vec<TestResult> = Vec::new();
    let mut exit = Exit::Clean;
    let mut skipped = 0;
    for file in &files {
        let compiled = library::compile(std::slice::from_ref(file), library::default_max_states());
        let Some((policy, artifact)) = compiled.built else {
            render::tell_human(&compiled.sources, &compiled.diagnostics);
            message(&format!("error: {file}: not tested: the policy has errors"));
            exit = exit.worse(Exit::Usage);
            continue;
        };
        let mut limited = Limited {
            file,
            model: &artifact.model,
            loaded: BTreeMap::new(),
        };
        for test in &policy.tests {
            if args
                .only
                .as_ref()
                .is_some_and(|only| !test.name.contains(only.as_str()))
            {
                skipped += 1;
                continue;
            }
            let result = one(file, &policy, limited.to(&test.contracts)?, test);
            if args.format == Format::Human {
                tell(&result);
            }
            results.push(result);
        }
    }
    let failed = results
        .iter()
        .filter(|result| !result.failures.is_empty())
        .count();
    let passed = results.len() - failed;
    if args.format == Format::Json {
        let all: Vec<Json> = results.iter().map(to_json).collect();
        data(&format!("{:#}\n", Json::Array(all)))?;
    }
    let skipped = if skipped > 0 {
        format!(", {skipped} skipped")
    } else {
        String::new()
    };
    message(&format!(
        "{passed} passed, {failed} failed{skipped} in {:.2} s",
        start.elapsed().as_secs_f64()
    ));
    if results.is_empty() && exit == Exit::Clean {
        message("no test was found");
    }
    if failed > 0 {
        exit = exit.worse(Exit::Findings);
    }
    Ok(exit)
}

/// The artifacts that the tests of a file run on: one for each choice of contracts.
struct Limited<'a> {
    file: &'a str,
    model: &'a Model,
    loaded: BTreeMap<&'a [u32], Library<'static>>,
}

impl<'a> Limited<'a> {
    /// The library with only these contracts; with all where none is named. The rest of the tables
    /// stays as it is: what no contract uses costs nothing.
    fn to(&mut self, contracts: &'a [u32]) -> Result<&Library<'static>, Stop> {
        match self.loaded.entry(contracts) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => {
                let mut model = self.model.clone();
                if !contracts.is_empty() {
                    model.contracts = contracts
                        .iter()
                        .filter_map(|index| self.model.contracts.get(*index as usize).cloned())
                        .collect();
                }
                let bytes = ctr_runtime::format::encode(&model)
                    .map_err(|error| Stop::Usage(format!("{}: {error}", self.file)))?;
                Ok(entry.insert(library::load(self.file, bytes)?))
            }
        }
    }
}

/// Runs one test.
fn one(file: &str, policy: &ir::Library, library: &Library<'_>, test: &ir::Test) -> TestResult {
    let failures = run::steps(policy, library, test);
    let lines = policy
        .sources
        .get(test.place.source.0 as usize)
        .map(|source| Lines::new(&source.text));
    let line_of = |place: ir::Place| {
        lines
            .as_ref()
            .map_or(0, |lines| lines.locate(place.span.start as usize).line)
    };
    TestResult {
        file: file.to_owned(),
        name: test.name.clone(),
        line: line_of(test.place),
        failures: failures
            .into_iter()
            .map(|(place, what)| (line_of(place), what))
            .collect(),
    }
}

fn tell(result: &TestResult) {
    if result.failures.is_empty() {
        message(&format!("ok      {}: {}", result.file, result.name));
        return;
    }
    message(&format!(
        "FAILED  {}:{}: {}",
        result.file, result.line, result.name
    ));
    for (line, what) in &result.failures {
        message(&format!("          line {line}: {what}"));
    }
}

fn to_json(result: &TestResult) -> Json {
    json!({
        "file": result.file,
        "line": result.line,
        "test": result.name,
        "passed": result.failures.is_empty(),
        "failures": result.failures.iter().map(|(line, what)| json!({
            "line": line,
            "message": what,
        })).collect::<Vec<_>>(),
    })
}
