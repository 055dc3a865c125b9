//! The most memory that a process takes which builds an artifact (Linux: `VmHWM`).
//!
//! The benchmark starts itself again for each library, so that each has a process of its own.

use std::process::Command;

use ctr_bench::measure::Table;
use ctr_bench::{Failure, RETAIL, policies};

/// The libraries: name and number of contracts; 0 stands for the retail library.
const LIBRARIES: [(&str, usize); 4] = [
    ("retail", 0),
    ("300 preconditions", 300),
    ("3,000 preconditions", 3_000),
    ("10,000 preconditions", 10_000),
];

#[expect(clippy::print_stdout, reason = "a benchmark's report")]
fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, flag, path] = arguments.as_slice()
        && flag == "--build"
    {
        let compiled = ctrc::library::compile(
            std::slice::from_ref(path),
            ctr_project::compiled::default_max_states(),
        );
        let Some((_, artifact)) = compiled.built else {
            return Err(format!("{path}: not built").into());
        };
        println!("{} {}", artifact.bytes.len(), peak()?);
        return Ok(());
    }
    let mut table = Table::new("memory", &["library", "artifact (bytes)", "peak (kB)"]);
    let own = std::env::current_exe()?;
    for (name, count) in LIBRARIES {
        let file = own.with_file_name(format!("bench-memory-{count}.ctr"));
        let path = if count == 0 {
            RETAIL.into()
        } else {
            std::fs::write(&file, policies::preconditions(count))?;
            file.clone()
        };
        let output = Command::new(&own).arg("--build").arg(path).output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        }
        let told = String::from_utf8(output.stdout)?;
        let (bytes, peak) = told.trim().split_once(' ').unwrap_or(("-", "-"));
        table.row(vec![name.to_owned(), bytes.to_owned(), peak.to_owned()]);
        if count > 0 {
            std::fs::remove_file(file)?;
        }
    }
    println!("{}", table.text());
    println!("written: {}", table.save()?.display());
    Ok(())
}

/// The high-water mark of this process in kB.
fn peak() -> Result<String, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let figure = line.and_then(|line| line.split_whitespace().next());
    Ok(figure.ok_or("/proc/self/status tells no VmHWM")?.to_owned())
}
