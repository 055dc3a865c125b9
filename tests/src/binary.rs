//! Finds and runs the `ctrc` binary.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// What a run of the binary gave.
#[derive(Clone, Debug)]
pub struct Run {
    /// The exit code; none where a signal ended the process or the time limit was reached.
    pub code: Option<i32>,
    /// Standard output, with replacement characters where it is not UTF-8.
    pub stdout: String,
    /// Standard error, in the same way.
    pub stderr: String,
    /// Whether the time limit was reached.
    pub timed_out: bool,
    /// Wall time.
    pub elapsed: Duration,
}

/// The path of the binary: `CTRC_BIN`, else the `ctrc` beside this test's own build.
///
/// # Panics
/// Where there is no such file: the message says how to build it.
#[must_use]
pub fn ctrc() -> PathBuf {
    if let Some(path) = std::env::var_os("CTRC_BIN") {
        return PathBuf::from(path);
    }
    let exe = std::env::current_exe().expect("the test knows its own path");
    let profile = exe
        .parent()
        .and_then(Path::parent)
        .expect("a test binary lies in target/<profile>/deps");
    let path = profile.join(format!("ctrc{}", std::env::consts::EXE_SUFFIX));
    assert!(
        path.is_file(),
        "`{}` does not exist: build it first (`cargo build -p ctrc`), or name another binary in \
         the environment variable CTRC_BIN",
        path.display()
    );
    path
}

/// Runs `ctrc ARGS` in a directory with an optional standard input, for at most `limit`.
///
/// # Panics
/// Where the process cannot be started.
pub fn run<S: AsRef<OsStr>>(dir: &Path, args: &[S], stdin: Option<&[u8]>, limit: Duration) -> Run {
    let start = Instant::now();
    let mut command = Command::new(ctrc());
    // Flags that the caller of the tests has set as variables are no part of them.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CTRC_") {
            command.env_remove(name);
        }
    }
    let mut child = command
        .args(args)
        .current_dir(dir)
        .env("NO_COLOR", "1")
        .env_remove("RUST_BACKTRACE")
        .stdin(if stdin.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("`ctrc` can be started");
    if let (Some(bytes), Some(mut pipe)) = (stdin.map(<[u8]>::to_vec), child.stdin.take()) {
        // A process that does not read its input closes the pipe: that is no fault of the test.
        thread::spawn(move || drop(pipe.write_all(&bytes)));
    }
    let out = drain(child.stdout.take());
    let err = drain(child.stderr.take());
    let mut timed_out = false;
    let status = loop {
        if let Some(status) = child.try_wait().expect("the process can be waited for") {
            break Some(status);
        }
        if start.elapsed() > limit {
            timed_out = true;
            drop(child.kill());
            drop(child.wait());
            break None;
        }
        thread::sleep(Duration::from_millis(2));
    };
    Run {
        code: status.and_then(|s| s.code()),
        stdout: text(out),
        stderr: text(err),
        timed_out,
        elapsed: start.elapsed(),
    }
}

fn drain<R: Read + Send + 'static>(pipe: Option<R>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            drop(pipe.read_to_end(&mut bytes));
        }
        bytes
    })
}

fn text(handle: thread::JoinHandle<Vec<u8>>) -> String {
    String::from_utf8_lossy(&handle.join().unwrap_or_default()).into_owned()
}
