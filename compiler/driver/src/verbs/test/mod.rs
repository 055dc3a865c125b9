//! `ctrc test`: the `test` blocks of policies (language reference, section 9).

pub(crate) mod junit;

use std::time::Instant;

use ctr_project::Looked;
use ctr_project::tests::{Runner, TestResult};
use serde_json::{Value as Json, json};

use crate::cli::{Test, TestFormat};
use crate::exit::{Exit, Stop, data, message};
use crate::flags::settings;
use crate::library;
use crate::render;
use crate::render::github;
use junit::Suite;

/// Runs the verb.
///
/// # Errors
///
/// Where a path cannot be read, a policy has errors, or standard output cannot be written.
pub fn run(args: &Test) -> Result<Exit, Stop> {
    let settings = settings(&args.config, &args.levels)?;
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
        let mut runner = Runner::new(&policy, &artifact.model);
        for test in &policy.tests {
            let is_chosen = args
                .only
                .as_ref()
                .is_none_or(|only| test.name.contains(only.as_str()));
            if !is_chosen {
                suite.skipped.push(test.name.clone());
                continue;
            }
            let result = runner
                .run(test)
                .map_err(|error| Stop::Usage(format!("{file}: {error}")))?;
            if args.format == TestFormat::Human {
                tell(file, &result);
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
    let results = || {
        suites.iter().flat_map(|suite| {
            let results = suite.results.iter();
            results.map(|result| (suite.file.as_str(), result))
        })
    };
    match args.format {
        TestFormat::Human => {}
        TestFormat::Json => {
            let all: Vec<Json> = results()
                .map(|(file, result)| to_json(file, result))
                .collect();
            data(&format!("{:#}\n", Json::Array(all)))?;
        }
        TestFormat::Junit => data(&junit::report(&suites, start.elapsed()))?,
        TestFormat::Github => {
            annotated.extend(results().map(|(file, result)| annotations(file, result)));
            data(&annotated)?;
        }
    }
    let ran = results().count();
    let failed = results().filter(|(_, result)| !result.has_passed()).count();
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
fn annotations(file: &str, result: &TestResult) -> String {
    result
        .failures
        .iter()
        .map(|failure| github::failed_test(file, failure.line, &result.name, &failure.message))
        .collect()
}

fn tell(file: &str, result: &TestResult) {
    if result.has_passed() {
        message(&format!("ok      {file}: {}", result.name));
        return;
    }
    message(&format!("FAILED  {file}:{}: {}", result.line, result.name));
    for failure in &result.failures {
        message(&format!(
            "          line {}: {}",
            failure.line, failure.message
        ));
    }
}

fn to_json(file: &str, result: &TestResult) -> Json {
    json!({
        "file": file,
        "line": result.line,
        "test": result.name,
        "passed": result.has_passed(),
        "failures": result.failures.iter().map(|failure| json!({
            "line": failure.line,
            "message": failure.message,
        })).collect::<Vec<_>>(),
    })
}
