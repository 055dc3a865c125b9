//! `ctrc test`: the `test` blocks of policies (language reference, section 9).

mod run;

use std::time::Instant;

use ctr_front::ir;
use serde_json::{Value as Json, json};

use crate::cli::{Format, Test};
use crate::exit::{Exit, Stop, data, message};
use crate::library::{self, COMPILER};
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
        let Some((library, _)) = compiled.built else {
            render::tell_human(&compiled.sources, &compiled.diagnostics);
            message(&format!("error: {file}: not tested: the policy has errors"));
            exit = exit.worse(Exit::Usage);
            continue;
        };
        for test in &library.tests {
            if args
                .only
                .as_ref()
                .is_some_and(|only| !test.name.contains(only.as_str()))
            {
                skipped += 1;
                continue;
            }
            let result = one(file, &library, test)?;
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

/// Runs one test on the library, limited to the contracts that it names.
fn one(file: &str, library: &ir::Library, test: &ir::Test) -> Result<TestResult, Stop> {
    let limited = limited(library, &test.contracts);
    let artifact = ctr_emit::build(
        &limited,
        COMPILER,
        &library::limits(library::default_max_states()),
    )
    .map_err(|found| {
        render::tell_human(&library.sources, &found);
        Stop::Findings
    })?;
    let loaded = library::load(file, artifact.bytes)?;
    let failures = run::steps(library, &loaded, test);
    let lines = library
        .sources
        .get(test.place.source.0 as usize)
        .map(|source| Lines::new(&source.text));
    let line_of = |place: ir::Place| {
        lines
            .as_ref()
            .map_or(0, |lines| lines.locate(place.span.start as usize).line)
    };
    Ok(TestResult {
        file: file.to_owned(),
        name: test.name.clone(),
        line: line_of(test.place),
        failures: failures
            .into_iter()
            .map(|(place, what)| (line_of(place), what))
            .collect(),
    })
}

/// The library with only some of its contracts; all where none is named.
fn limited(library: &ir::Library, contracts: &[u32]) -> ir::Library {
    let mut limited = library.clone();
    if !contracts.is_empty() {
        limited.contracts = contracts
            .iter()
            .filter_map(|index| library.contracts.get(*index as usize).cloned())
            .collect();
    }
    limited.tests = Vec::new();
    limited
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
