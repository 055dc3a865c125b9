//! Which contracts exclude each other, as `ctrc check` finds it, beside which formulas do, as `ctrc ltlf cores` finds it.

use std::time::{Duration, Instant};

use ctr_check::{Options, Report};
use ctr_front::diagnostic::Diagnostic;
use ctr_logic::{CoreOptions, Limits, Satisfiability, Verdict, cores, satisfiable};
use ctrc::ltlf::Problem;

use crate::{COMPILER, Failure, ROOT, formulas, world};

/// Reads, compiles and checks a policy's text in memory.
///
/// # Errors
///
/// The first finding where it has errors.
pub fn check(text: &str, options: &Options) -> Result<Report, Failure> {
    let compiled = ctr_front::compile(&world(text), &[ROOT.to_owned()]);
    let told = |first: Option<&Diagnostic>| {
        first.map_or_else(
            || "no library".to_owned(),
            |d| format!("{}: {}", d.code, d.message),
        )
    };
    let library = compiled
        .library
        .ok_or_else(|| told(compiled.diagnostics.first()))?;
    let artifact = ctr_emit::build(&library, COMPILER, &Limits::default())
        .map_err(|found| told(found.first()))?;
    Ok(ctr_check::check(
        &library,
        &artifact.model,
        &artifact.bytes,
        options,
    )?)
}

/// The cores of conflicts, in order of the findings; of one contract alone where no session keeps it.
#[must_use]
pub fn conflicts(report: &Report) -> Vec<Vec<String>> {
    let proofs = report.findings.iter().filter_map(|f| f.proof.as_ref());
    let of = proofs.filter(|p| matches!(p.kind, "conflict" | "inconsistent" | "incompatible"));
    of.map(|proof| proof.contracts.clone()).collect()
}

/// The cores of one set of formulas, found in two ways.
#[derive(Debug)]
pub struct Compared {
    /// Cores of the policy, as ascending indices of members; sorted.
    pub by_check: Vec<Vec<usize>>,
    /// How long it took to read, compile and check the policy.
    pub check_time: Duration,
    /// Cores of the formulas; sorted.
    pub by_logic: Vec<Vec<usize>>,
    /// How long it took to find them.
    pub logic_time: Duration,
    /// How many of `by_check` are cores of the formulas, and minimal: unsatisfiable, and satisfiable without any one
    /// member.
    pub minimal: usize,
}

/// Finds the cores of a set of formulas as a policy and as formulas, at most so many, within so much time for each of
/// the two. `None` where a formula is too deep for the language.
///
/// # Errors
///
/// Where the policy has errors, or a formula mixes past and future in a way that nobody decides.
pub fn compare(problem: &Problem, options: &Options) -> Result<Option<Compared>, Failure> {
    let Some(policy) = formulas::policy(problem) else {
        return Ok(None);
    };
    let start = Instant::now();
    let report = check(&policy, options)?;
    let check_time = start.elapsed();
    let mut by_check = Vec::new();
    for core in conflicts(&report) {
        let number = |name: &String| name.trim_start_matches('m').parse::<usize>();
        let mut core: Vec<usize> = core.iter().map(number).collect::<Result<_, _>>()?;
        core.sort_unstable();
        by_check.push(core);
    }
    by_check.sort();

    let members: Vec<_> = problem.members.iter().map(|m| m.formula).collect();
    let start = Instant::now();
    let over = || start.elapsed() > options.timeout;
    let limits = Limits {
        cancel: Some(&over),
        ..Limits::default()
    };
    let of_formulas = CoreOptions {
        limit: options.cores,
        ..CoreOptions::default()
    };
    // Cancelled before the first is known: none.
    let found = cores(&problem.arena, &members, &of_formulas, &limits);
    let logic_time = start.elapsed();
    let mut by_logic: Vec<Vec<usize>> = match found {
        Ok(found) => found.cores.into_iter().map(|core| core.members).collect(),
        Err(_) if logic_time > options.timeout => Vec::new(),
        Err(error) => return Err(error.to_string().into()),
    };
    by_logic.sort();

    let keeps = |core: &[usize], without: Option<usize>| -> Result<bool, Failure> {
        let some = core.iter().filter(|m| Some(**m) != without);
        let some: Vec<_> = some.filter_map(|m| members.get(*m).copied()).collect();
        let answer = satisfiable(
            &problem.arena,
            &some,
            &Satisfiability::default(),
            &Limits::default(),
        )?;
        Ok(matches!(answer.verdict, Verdict::Satisfiable { .. }))
    };
    let mut minimal = 0;
    for core in &by_check {
        let mut holds = !keeps(core, None)?;
        for member in core {
            holds = holds && keeps(core, Some(*member))?;
        }
        minimal += usize::from(holds);
    }
    Ok(Some(Compared {
        by_check,
        check_time,
        by_logic,
        logic_time,
        minimal,
    }))
}
