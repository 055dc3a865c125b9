//! What `ctrc check` costs: libraries of growing size with one planted conflict, and sets of bare formulas that
//! exclude each other, as policies.
//!
//! Each library is read, compiled and checked in memory; what is found is compared with what was planted. The plot is
//! written to `docs/performance/check.svg`.
//!
//! With `CTRC_BENCH_LTLF=folder` (see the benchmark `ltlf`) the sets of that folder are measured (`families/*.conj`,
//! `public/muc_*`) and written to `CTRC_BENCH_CORES_PAGE`, where that is set.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ctr_bench::Failure;
use ctr_bench::cores::{check, compare, conflicts};
use ctr_bench::measure::{Table, fastest, in_earnest};
use ctr_bench::plot::{Plot, Scale};
use ctr_bench::policies::{self, Planted};
use ctr_check::Options;
use ctrc::ltlf::{Kind, parse};

/// The most cores that are told, and the time for one library or set of formulas.
const OPTIONS: Options = Options {
    timeout: Duration::from_secs(60),
    cores: 10,
    cancel: ctr_check::Cancel::NEVER,
};

fn main() -> Result<(), Failure> {
    let earnest = in_earnest();
    // With sets of formulas, `CTRC_BENCH_CHECK=formulas` measures these alone, `growth` the libraries alone.
    let only = std::env::var("CTRC_BENCH_CHECK").ok();
    let wanted = |name: &str| only.as_ref().is_none_or(|only| only == name);
    if wanted("growth") {
        growth(earnest)?;
    }
    if wanted("formulas")
        && let Some(folder) = std::env::var_os("CTRC_BENCH_LTLF")
    {
        families(Path::new(&folder), earnest)?;
    }
    Ok(())
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
            let start = Instant::now();
            let report = check(&planted.text, &OPTIONS)?;
            let first = start.elapsed();
            if conflicts(&report) != [planted.core.clone()] {
                let found = conflicts(&report);
                return Err(format!("{name}, {size}: {found:?}, not {:?}", planted.core).into());
            }
            // Slow ones are not repeated.
            let runs = if earnest && first < Duration::from_secs(5) {
                4
            } else {
                0
            };
            let time = match runs {
                0 => first,
                runs => first.min(fastest(runs, || check(&planted.text, &OPTIONS))),
            };
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
            "its cores",
            "minimal",
            "smallest",
            "ltlf cores (ms)",
            "its cores",
            "same",
        ],
    );
    let ms = |time: Duration| match time > OPTIONS.timeout {
        true => format!("over {} s", OPTIONS.timeout.as_secs()),
        false => format!("{:.1}", time.as_secs_f64() * 1e3),
    };
    let (mut decided, mut minimal, mut as_many, mut all) = (0, 0, 0, 0);
    let mut left_out = String::new();
    for path in sets(folder)? {
        let Some(kind) = Kind::of_path(&path) else {
            continue;
        };
        let text = std::fs::read_to_string(&path)?;
        let problem = parse(&text, kind).map_err(|error| error.to_string())?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let compared = match compare(&problem, &OPTIONS) {
            Ok(Some(compared)) => compared,
            Ok(None) => {
                let _ = write!(
                    left_out,
                    "\n`{name}`: brackets too deep for the language.\n"
                );
                continue;
            }
            Err(error) => {
                let _ = write!(left_out, "\n`{name}`: {error}\n");
                continue;
            }
        };
        let (of_check, of_logic) = (&compared.by_check, &compared.by_logic);
        all += 1;
        decided += usize::from(!of_check.is_empty());
        minimal += usize::from(!of_check.is_empty() && compared.minimal == of_check.len());
        as_many += usize::from(!of_check.is_empty() && of_logic.len() == of_check.len());
        let common = of_check.iter().filter(|c| of_logic.contains(c)).count();
        let same = match common == of_check.len().max(of_logic.len()) {
            true => "all".to_owned(),
            false => common.to_string(),
        };
        println!("{name}: {}, {}", ms(compared.check_time), of_check.len());
        table.row(vec![
            name.into_owned(),
            problem.members.len().to_string(),
            ms(compared.check_time),
            of_check.len().to_string(),
            compared.minimal.to_string(),
            of_check.iter().map(Vec::len).min().unwrap_or(0).to_string(),
            ms(compared.logic_time),
            of_logic.len().to_string(),
            same,
        ]);
        if !earnest && all >= 2 {
            break;
        }
    }
    let sum = format!(
        "{decided} of {all} decided; in {minimal} of them every core is minimal, in {as_many} there are as many as `ctrc ltlf cores` finds."
    );
    println!("{}\n{sum}\n{left_out}", table.text());
    println!("written: {}", table.save()?.display());
    if let Some(page) = std::env::var_os("CTRC_BENCH_CORES_PAGE") {
        let text = format!(
            "# Sets of formulas that exclude each other, as policies\n\nWritten by `cargo bench -p ctr-bench --bench check`. \
             Each set is a policy with a contract for each member, over Boolean fields of one declared event, which also asks for a step.\n\n*Check*: reading, compiling and checking the policy in memory, all questions together; at most {most} cores, {time} s. \
             *Minimal*: how many of them are unsatisfiable as formulas, and satisfiable without any one member. \
             *Its cores*: how many were found. *Ltlf cores*: the cores of the bare formulas, at most {most}, {time} s. *Same*: how many cores both found (where there are more \
             than {most}, which of one size come first is not laid down). Single runs. A contract that cannot be kept alone is told in any case, beyond the limit.\n\n{sum}\n{left_out}{table}",
            most = OPTIONS.cores,
            time = OPTIONS.timeout.as_secs(),
            table = table.text(),
        );
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        std::fs::write(root.join(page), text)?;
    }
    Ok(())
}
