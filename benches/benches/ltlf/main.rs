//! `ctrc ltlf` on bare formulas, whole processes, beside MONA in the same run and beside the times
//! that other tools needed.
//!
//! `CTRC_BENCH_LTLF` names a folder with `families/`, `public/` and tables of other tools' times
//! (`peers_translate.csv`, `peers_sat.csv`, `peers_muc.csv`); without it the formulas of this
//! repository are measured. `CTRC_BENCH_LTLF_TASKS=translate,sat,muc` chooses tasks,
//! `CTRC_BENCH_LTLF_ONLY=text` formulas whose name contains a text, `CTRC_BENCH_LTLF_MONA=no` leaves
//! MONA out. Figures go to `target/bench/ltlf.csv` and `target/bench/ltlf.md`, and the page also to
//! `CTRC_BENCH_LTLF_PAGE` (from the root of the repository) where that is set.

#[cfg(unix)]
mod machine;
#[cfg(unix)]
mod page;
#[cfg(unix)]
mod peers;
#[cfg(unix)]
mod process;
#[cfg(unix)]
mod tools;

#[cfg(not(unix))]
fn main() -> Result<(), ctr_bench::Failure> {
    Err("processes are measured on Unix only".into())
}

#[cfg(unix)]
fn main() -> Result<(), ctr_bench::Failure> {
    if process::measured_one()? {
        return Ok(());
    }
    unix::run()
}

#[cfg(unix)]
mod unix {
    use std::path::{Path, PathBuf};
    use std::time::Instant;

    use ctr_bench::Failure;
    use ctr_bench::measure::{fastest, in_earnest, target};
    use ctr_logic::{Limits, translate};

    use super::machine::Machine;
    use super::page::{self, Library, Row};
    use super::peers::{self, Task};
    use super::tools::Tools;

    #[expect(clippy::print_stdout, reason = "a benchmark's report")]
    pub(crate) fn run() -> Result<(), Failure> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let earnest = in_earnest();
        let folder = variable("CTRC_BENCH_LTLF").map(PathBuf::from);
        let mut instances = match &folder {
            Some(folder) => peers::read(folder)?,
            None => peers::fixtures()?,
        };
        if let Some(tasks) = variable("CTRC_BENCH_LTLF_TASKS") {
            let tasks: Vec<&str> = tasks.split(',').collect();
            if let Some(unknown) = tasks
                .iter()
                .find(|task| Task::ALL.iter().all(|known| known.name() != **task))
            {
                return Err(format!("CTRC_BENCH_LTLF_TASKS: there is no task `{unknown}`").into());
            }
            instances.retain(|instance| tasks.contains(&instance.task.name()));
        }
        if let Some(only) = variable("CTRC_BENCH_LTLF_ONLY") {
            instances.retain(|instance| instance.name.contains(&only));
        }
        if !earnest {
            instances.truncate(2);
        }
        let tools = Tools::new(!earnest)?;
        let with_mona =
            tools.mona.is_some() && variable("CTRC_BENCH_LTLF_MONA").is_none_or(|v| v != "no");
        let mut machine = Machine::now(tools.mona.clone());
        let mut rows = Vec::new();
        for instance in instances {
            let ours = tools.ctrc(&instance)?;
            let mona = if with_mona && instance.task == Task::Translate {
                Some(tools.mona(&instance)?)
            } else {
                None
            };
            let told = |m: &super::tools::Measured| match m.solved() {
                true => format!("{:.4} s", m.fastest),
                false => m.failure().to_owned(),
            };
            println!(
                "{} {}: {}{}",
                instance.task.name(),
                instance.name,
                told(&ours),
                mona.as_ref()
                    .map_or_else(String::new, |m| format!(", MONA {}", told(m)))
            );
            rows.push(Row {
                instance,
                ours,
                mona,
            });
        }
        let libraries = match &folder {
            Some(folder) if rows.iter().any(|row| row.instance.task == Task::Translate) => {
                libraries(&folder.join("families"), if earnest { 20 } else { 1 })?
            }
            _ => Vec::new(),
        };
        machine.finish();
        page::distrust(&mut rows);
        let text = page::page(&rows, &libraries, &machine);
        println!("written: {}", page::csv(&rows).save()?.display());
        let beside = target().join("bench").join("ltlf.md");
        std::fs::write(&beside, &text)?;
        println!("written: {}", beside.display());
        if let Some(path) = variable("CTRC_BENCH_LTLF_PAGE") {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::write(&path, &text)?;
            println!("written: {}", path.display());
        }
        Ok(())
    }

    /// The sets of contracts, each contract translated on its own, in this process.
    fn libraries(folder: &Path, rounds: usize) -> Result<Vec<Library>, Failure> {
        let mut found: Vec<PathBuf> = std::fs::read_dir(folder)?
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|path| {
                let name = path.file_name().and_then(|name| name.to_str());
                name.is_some_and(|name| name.starts_with("library_") && name.ends_with(".conj"))
            })
            .collect();
        found.sort();
        let mut libraries = Vec::new();
        for path in found {
            let text = std::fs::read_to_string(&path)?;
            let read = || ctrc::ltlf::parse(&text, ctrc::ltlf::Kind::Conj);
            let contracts = read()?.formulas.len();
            let mut states = 0;
            let mut translated = f64::INFINITY;
            for _ in 0..rounds {
                let mut problem = read()?;
                let start = Instant::now();
                states = 0;
                for named in &problem.formulas {
                    let arena = &mut problem.arena;
                    states += translate(arena, named.formula, &[], &Limits::default())?.states();
                }
                translated = translated.min(start.elapsed().as_secs_f64());
            }
            libraries.push(Library {
                name: path
                    .file_stem()
                    .map(|stem| stem.to_string_lossy().into_owned())
                    .unwrap_or_default(),
                contracts,
                states,
                read: fastest(rounds, read).as_secs_f64(),
                translated,
            });
        }
        Ok(libraries)
    }
}
