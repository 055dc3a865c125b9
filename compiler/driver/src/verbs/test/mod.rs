//! `ctrc test`: the `test` blocks of policies (language reference, section 9).

pub(crate) mod junit;
mod run;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::time::{Duration, Instant};

use ctr_front::ir;
use ctr_runtime::format::Library;
use ctr_runtime::format::model::Model;
use serde_json::{Value as Json, json};

use crate::cli::{Test, TestFormat};
use crate::config::{Looked, Settings};
use crate::exit::{Exit, Stop, data, message};
use crate::library;
use crate::render;
use crate::render::github;
use ctr_front::lines::Lines;
use junit::Suite;

/// What became of a test.
#[derive(Clone, Debug)]
struct TestResult {
    file: String,
    name: String,
    line: usize,
    /// What went wrong, with its line; nothing where the test passed.
    failures: Vec<(usize, String)>,
    /// How long it ran.
    took: Duration,
}

impl TestResult {
    fn has_passed(&self) -> bool {
        self.failures.is_empty()
    }
}

/// Runs the verb.
///
/// # Errors
///
/// Where a path cannot be read, a policy has errors, or standard output cannot be written.
pub fn run(args: &Test) -> Result<Exit, Stop> {
    let settings = Settings::new(&args.config, &args.levels)?;
    let (mut files, found) = library::policies(&args.paths, &settings)?;
    files.extend(found);
    let start = Instant::now();
    let mut suites: Vec<Suite> = Vec::new();
    // Why some files were not tested, as GitHub shows it.
    let mut annotated = String::new();
    let mut exit = Exit::Clean;
    for file in &files {
        let mut suite = Suite {
            file: file.clone(),
            results: Vec::new(),
            skipped: Vec::new(),
            error: None,
        };
        let paths = std::slice::from_ref(file);
        let mut compiled = library::compile(paths, settings.max_states(paths, None));
        settings.judge(&mut compiled, paths, Looked::Compiled);
        let Some((policy, artifact)) = compiled.built else {
            render::tell_human(&compiled.sources, &compiled.diagnostics);
            message(&format!("error: {file}: not tested: the policy has errors"));
            exit = exit.worse(Exit::Usage);
            annotated.push_str(&github::diagnostics(
                &compiled.sources,
                &compiled.diagnostics,
            ));
            let findings = github::plain(&compiled.sources, &compiled.diagnostics);
            suite.error = Some(format!("not tested: the policy has errors\n{findings}"));
            suites.push(suite);
            continue;
        };
        let mut limited = Limited {
            file,
            model: &artifact.model,
            loaded: BTreeMap::new(),
        };
        for test in &policy.tests {
            let is_chosen = args
                .only
                .as_ref()
                .is_none_or(|only| test.name.contains(only.as_str()));
            if !is_chosen {
                suite.skipped.push(test.name.clone());
                continue;
            }
            let result = one(file, &policy, limited.to(&test.contracts)?, test);
            if args.format == TestFormat::Human {
                tell(&result);
            }
            suite.results.push(result);
        }
        suites.push(suite);
    }
    let (sources, found) = settings.findings();
    render::tell_human(&sources, &found);
    if render::count(&found).errors > 0 {
        exit = exit.worse(Exit::Usage);
    }
    let results = || suites.iter().flat_map(|suite| &suite.results);
    match args.format {
        TestFormat::Human => {}
        TestFormat::Json => {
            let all: Vec<Json> = results().map(to_json).collect();
            data(&format!("{:#}\n", Json::Array(all)))?;
        }
        TestFormat::Junit => data(&junit::report(&suites, start.elapsed()))?,
        TestFormat::Github => {
            annotated.extend(results().map(annotations));
            data(&annotated)?;
        }
    }
    let ran = results().count();
    let failed = results().filter(|result| !result.has_passed()).count();
    let skipped: usize = suites.iter().map(|suite| suite.skipped.len()).sum();
    let left_out = match skipped {
        0 => String::new(),
        n => format!(", {n} skipped"),
    };
    message(&format!(
        "{} passed, {failed} failed{left_out} in {:.2} s",
        ran - failed,
        start.elapsed().as_secs_f64()
    ));
    if let (0, Some(only), Exit::Clean) = (ran, &args.only, exit) {
        // Nothing was tested though something was asked for: that must not pass for success.
        return Err(Stop::Usage(format!("no test has `{only}` in its name")));
    }
    if ran == 0 && exit == Exit::Clean {
        message("no test was found");
    }
    if failed > 0 {
        exit = exit.worse(Exit::Findings);
    }
    Ok(exit)
}

/// A failed test as commands of GitHub workflows, one for each thing that went wrong.
fn annotations(result: &TestResult) -> String {
    result
        .failures
        .iter()
        .map(|(line, what)| github::failed_test(&result.file, *line, &result.name, what))
        .collect()
}

/// The line of a place.
fn line_of(policy: &ir::Library, place: ir::Place) -> usize {
    policy
        .sources
        .get(place.source.0 as usize)
        .map_or(0, |source| {
            Lines::new(&source.text)
                .locate(place.span.start as usize)
                .line
        })
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
    let start = Instant::now();
    let failures = run::steps(policy, library, test);
    TestResult {
        file: file.to_owned(),
        name: test.name.clone(),
        line: line_of(policy, test.place),
        failures: failures
            .into_iter()
            .map(|(place, what)| (line_of(policy, place), what))
            .collect(),
        took: start.elapsed(),
    }
}

fn tell(result: &TestResult) {
    if result.has_passed() {
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
        "passed": result.has_passed(),
        "failures": result.failures.iter().map(|(line, what)| json!({
            "line": line,
            "message": what,
        })).collect::<Vec<_>>(),
    })
}
