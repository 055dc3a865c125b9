//! What `ctrc check` costs: libraries of growing size with one planted conflict, and sets of bare formulas that
//! exclude each other, as policies.
//!
//! Each library is read, compiled and checked in memory; what is found is compared with what was planted. The plot is
//! written to `docs/performance/check.svg`.
//!
//! With `CTRC_BENCH_LTLF=folder` (see the benchmark `ltlf`) the sets of that folder are measured (`families/*.conj`,
//! `public/muc_*`) and written to `CTRC_BENCH_CORES_PAGE`, where that is set.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ctr_bench::measure::{Table, fastest, in_earnest};
use ctr_bench::plot::{Plot, Scale};
use ctr_bench::policies::{self, Planted};
use ctr_bench::{COMPILER, Failure, ROOT, formulas, world};
use ctr_check::{Options, Report};
use ctr_logic::{CoreOptions, Limits, cores};
use ctrc::ltlf::{Kind, parse};

/// The most cores that are compared.
const CORES: usize = 10;
/// The time for one set of formulas.
const PATIENCE: Duration = Duration::from_secs(30);

fn main() -> Result<(), Failure> {
    let earnest = in_earnest();
    growth(earnest)?;
    if let Some(folder) = std::env::var_os("CTRC_BENCH_LTLF") {
        families(Path::new(&folder), earnest)?;
    }
    Ok(())
}

/// Reads, compiles and checks a policy.
fn check(text: &str, timeout: Duration) -> Result<Report, Failure> {
    let compiled = ctr_front::compile(&world(text), &[ROOT.to_owned()]);
    let library = compiled.library.ok_or_else(|| {
        let first = compiled.diagnostics.first();
        first.map_or_else(
            || "no library".to_owned(),
            |d| format!("{}: {}", d.code, d.message),
        )
    })?;
    let limits = Limits::default();
    let artifact = ctr_emit::build(&library, COMPILER, &limits)
        .map_err(|found| format!("{:?}", found.first()))?;
    let options = Options {
        timeout,
        cores: CORES,
    };
    Ok(ctr_check::check(
        &library,
        &artifact.model,
        &artifact.bytes,
        &options,
    )?)
}

/// The cores of conflicts: of one contract, those that no session keeps.
fn conflicts(report: &Report) -> Vec<Vec<String>> {
    let proofs = report.findings.iter().filter_map(|f| f.proof.as_ref());
    let of = proofs.filter(|p| matches!(p.kind, "conflict" | "inconsistent" | "incompatible"));
    of.map(|proof| proof.contracts.clone()).collect()
}

#[expect(clippy::print_stdout, reason = "a benchmark's report")]
fn growth(earnest: bool) -> Result<(), Failure> {
    type Shape = (&'static str, fn(usize) -> Planted);
    let shapes: [Shape; 3] = [
        ("unrelated", policies::planted_unrelated),
        ("one tool", policies::planted_one_tool),
        ("chain", policies::planted_chain),
    ];
    let sizes: &[usize] = if earnest {
        &[10, 30, 100, 300, 1_000]
    } else {
        &[10]
    };
    let mut table = Table::new(
        "check",
        &["contracts", "unrelated (ms)", "one tool (ms)", "chain (ms)"],
    );
    let mut plot = Plot::new(
        "Time to check a library with one conflict",
        "contracts",
        "ms",
        Scale::Logarithmic,
    );
    for &size in sizes {
        let mut row = vec![size.to_string()];
        for (name, shape) in shapes {
            let planted = shape(size);
            let report = check(&planted.text, PATIENCE)?;
            if conflicts(&report) != [planted.core.clone()] {
                let found = conflicts(&report);
                return Err(format!("{name}, {size}: {found:?}, not {:?}", planted.core).into());
            }
            let runs = if earnest { 5 } else { 1 };
            let time = fastest(runs, || check(&planted.text, PATIENCE));
            row.push(format!("{:.1}", time.as_secs_f64() * 1e3));
            plot.point(name, size, time.as_secs_f64() * 1e3);
        }
        table.row(row);
    }
    println!("{}", table.text());
    println!("written: {}", table.save()?.display());
    if earnest {
        println!("written: {}", plot.save("check")?.display());
    }
    Ok(())
}

/// The sets of formulas in a folder, in order of their names.
fn sets(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut folders = vec![folder.join("families")];
    for entry in std::fs::read_dir(folder.join("public"))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("muc_") {
            folders.push(path.clone());
        }
    }
    let mut out = Vec::new();
    for folder in folders {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with("muc_") || name.ends_with(".aaltafuc") {
                out.push(path.clone());
            }
        }
    }
    out.sort();
    Ok(out)
}

#[expect(clippy::print_stdout, reason = "a benchmark's report")]
fn families(folder: &Path, earnest: bool) -> Result<(), Failure> {
    let mut table = Table::new(
        "cores of formulas",
        &[
            "set",
            "members",
            "check (ms)",
            "cores",
            "smallest",
            "ltlf cores (ms)",
            "same",
        ],
    );
    let (mut decided, mut all) = (0, 0);
    for path in sets(folder)? {
        let Some(kind) = Kind::of_path(&path) else {
            continue;
        };
        let text = std::fs::read_to_string(&path)?;
        let problem = parse(&text, kind).map_err(|error| error.to_string())?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let Some(policy) = formulas::policy(&problem) else {
            println!("{name}: too deep for the language");
            continue;
        };
        all += 1;
        let start = Instant::now();
        let found = check(&policy, PATIENCE)?;
        let time = start.elapsed();
        let mut of_check: Vec<Vec<String>> = conflicts(&found)
            .into_iter()
            .map(|core| core.into_iter().filter(|c| c != formulas::RUNS).collect())
            .collect();
        of_check.sort();
        let members: Vec<_> = problem.members.iter().map(|m| m.formula).collect();
        let start = Instant::now();
        let over = || start.elapsed() > PATIENCE;
        let limits = Limits {
            cancel: Some(&over),
            ..Limits::default()
        };
        let options = CoreOptions {
            limit: CORES,
            ..CoreOptions::default()
        };
        let expected = cores(&problem.arena, &members, &options, &limits)?;
        let by_logic = start.elapsed();
        let mut of_logic: Vec<Vec<String>> = expected
            .cores
            .iter()
            .map(|core| core.members.iter().map(|m| format!("m{m}")).collect())
            .collect();
        of_logic.sort();
        decided += usize::from(!of_check.is_empty());
        let same = if of_check == of_logic {
            "all"
        } else if of_check.iter().any(|core| of_logic.contains(core)) {
            "some"
        } else {
            "none"
        };
        table.row(vec![
            name.into_owned(),
            members.len().to_string(),
            format!("{:.1}", time.as_secs_f64() * 1e3),
            of_check.len().to_string(),
            of_check.iter().map(Vec::len).min().unwrap_or(0).to_string(),
            format!("{:.1}", by_logic.as_secs_f64() * 1e3),
            same.to_owned(),
        ]);
        if !earnest && all >= 2 {
            break;
        }
    }
    println!("{}", table.text());
    println!("{decided} of {all} decided");
    println!("written: {}", table.save()?.display());
    if let Some(page) = std::env::var_os("CTRC_BENCH_CORES_PAGE") {
        let text = format!(
            "# Sets of formulas that exclude each other, as policies\n\nWritten by `cargo bench -p ctr-bench --bench check`. \
             Each set is a policy with a contract for each member, over Boolean fields of one declared event, and one contract that asks \
             for a step. *Check*: reading, compiling and checking the policy in memory, all questions together; at most {CORES} cores. \
             *Ltlf cores*: the same cores of the bare formulas. *Same*: whether all cores are equal (where there are more \
             than {CORES}, which come first is not laid down).\n{}\n{decided} of {all} decided.\n",
            table.text()
        );
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        std::fs::write(root.join(page), text)?;
    }
    Ok(())
}
