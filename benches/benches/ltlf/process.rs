//! One process, measured from outside: wall time from its start to its end, its peak of resident
//! memory, within a limit of time and of address space.
//!
//! The benchmark starts itself once more for each process that it measures, under `ulimit -v`, so
//! that the limit and the peak are of that process alone.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use ctr_bench::Failure;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Seconds that a process may take.
pub(crate) const SECONDS: u64 = 60;
/// Address space that a process may take, in kB.
const KILOBYTES: u64 = 8 << 20;
/// Asks this program to measure one process.
const ONE: &str = "--measure-one";

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// With this exit code.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// Stopped at the limit of time.
    Time,
}

/// What a process came to.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) end: End,
    pub(crate) wall: Duration,
    pub(crate) peak_kb: u64,
    /// Both of its outputs.
    pub(crate) out: String,
}

/// Measures a process; `scratch` is a file for its output.
///
/// # Errors
///
/// Where the process cannot be started.
pub(crate) fn run(command: &[String], scratch: &Path) -> Result<Run, Failure> {
    let own = std::env::current_exe()?;
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!("ulimit -v {KILOBYTES}; exec \"$@\""))
        .arg("sh")
        .arg(own)
        .arg(ONE)
        .arg(scratch)
        .args(command)
        .output()?;
    let told = String::from_utf8_lossy(&output.stdout);
    let fields: Vec<&str> = told.split_whitespace().collect();
    let [how, code, nanoseconds, peak] = fields.as_slice() else {
        let why = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{}: {told}{why}", command.join(" ")).into());
    };
    let code: i32 = code.parse()?;
    Ok(Run {
        end: match *how {
            "exit" => End::Exit(code),
            "signal" => End::Signal(code),
            _ => End::Time,
        },
        wall: Duration::from_nanos(nanoseconds.parse()?),
        peak_kb: peak.parse()?,
        out: String::from_utf8_lossy(&std::fs::read(scratch)?).into_owned(),
    })
}

/// Measures one process where this program was started for that, and tells; `false` where not.
///
/// # Errors
///
/// Where the process cannot be started.
#[expect(clippy::print_stdout, reason = "read by the benchmark that started it")]
pub(crate) fn measured_one() -> Result<bool, Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [first, scratch, program, rest @ ..] = arguments.as_slice() else {
        return Ok(false);
    };
    if first != ONE {
        return Ok(false);
    }
    let out = File::create(scratch)?;
    let err = out.try_clone()?;
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(rest)
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .spawn()?;
    let pid = Pid::from_raw(i32::try_from(child.id())?);
    let (ended, watch) = channel::<()>();
    let watcher = std::thread::spawn(move || {
        let late = watch.recv_timeout(Duration::from_secs(SECONDS));
        let stopped = late == Err(RecvTimeoutError::Timeout);
        stopped && kill(pid, Signal::SIGKILL).is_ok()
    });
    let status = child.wait()?;
    let wall = start.elapsed();
    drop(ended);
    let stopped = watcher.join().unwrap_or(false);
    let peak = getrusage(UsageWho::RUSAGE_CHILDREN)?.max_rss();
    let (how, code) = match status.code() {
        _ if stopped => ("time", 0),
        Some(code) => ("exit", code),
        None => {
            use std::os::unix::process::ExitStatusExt as _;
            ("signal", status.signal().unwrap_or(0))
        }
    };
    println!("{how} {code} {} {peak}", wall.as_nanos());
    Ok(true)
}
