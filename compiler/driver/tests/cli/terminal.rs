//! What depends on a terminal: colours, and the screen that `--watch` clears. A pseudo-terminal stands for one.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use nix::pty::openpty;

use crate::desk::{BAD, Desk, GOOD};

/// A terminal: what programs write to, and what was written.
struct Terminal {
    end: OwnedFd,
    written: Receiver<Vec<u8>>,
}

impl Terminal {
    fn new() -> Self {
        let pty = openpty(None, None).unwrap();
        let (send, written) = channel();
        let mut master = File::from(pty.master);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // Reading fails once the other end is closed.
            while let Ok(count @ 1..) = master.read(&mut bytes) {
                if send.send(bytes[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self {
            end: pty.slave,
            written,
        }
    }

    fn stdio(&self) -> Stdio {
        Stdio::from(self.end.try_clone().unwrap())
    }

    /// What was written until a text comes, or to the end.
    fn until(&self, text: &str) -> String {
        let mut all = Vec::new();
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            let told = String::from_utf8_lossy(&all).into_owned();
            if told.contains(text) {
                return told;
            }
            let left = end.saturating_duration_since(Instant::now());
            match self.written.recv_timeout(left) {
                Ok(bytes) => all.extend(bytes),
                Err(why) => panic!("`{text}` did not come ({why}): {told}"),
            }
        }
    }
}

/// Runs with standard error at a terminal; gives what came to standard output and to the terminal.
fn at_terminal(mut command: Command, text: &str) -> (String, String) {
    let terminal = Terminal::new();
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(terminal.stdio())
        .spawn()
        .unwrap();
    let told = terminal.until(text);
    let output = child.wait_with_output().unwrap();
    (String::from_utf8_lossy(&output.stdout).into_owned(), told)
}

#[test]
fn the_terminal_of_standard_error_decides() {
    let desk = Desk::new();
    desk.write("bad.ctr", BAD);
    let with = |variables: &[(&str, &str)], args: &[&str]| {
        let mut command = desk.command(args);
        command
            .env("TERM", "xterm-256color")
            .envs(variables.iter().copied());
        at_terminal(command, "1 file checked")
    };
    let args = ["check", "bad.ctr"];
    assert!(
        with(&[], &args).1.contains("\u{1b}["),
        "a terminal has colours"
    );
    assert!(!with(&[("NO_COLOR", "1")], &args).1.contains('\u{1b}'));
    assert!(!with(&[("TERM", "dumb")], &args).1.contains('\u{1b}'));
    assert!(!with(&[("CTRC_COLOR", "never")], &args).1.contains('\u{1b}'));
    assert!(
        !with(&[], &["check", "--color", "never", "bad.ctr"])
            .1
            .contains('\u{1b}')
    );
    // An empty variable is none (no-color.org).
    assert!(with(&[("NO_COLOR", "")], &args).1.contains("\u{1b}["));

    // Data is plain whatever standard error is.
    let mut command = desk.command(&["explain", "E0401"]);
    command.env("TERM", "xterm-256color").stderr(Stdio::null());
    let out = command.output().unwrap().stdout;
    assert!(!out.contains(&0x1b));
}

/// Messages are not coloured where only standard output is a terminal.
#[test]
fn the_terminal_of_standard_output_does_not() {
    let desk = Desk::new();
    desk.write("bad.ctr", BAD);
    let terminal = Terminal::new();
    let output = desk
        .command(&["check", "bad.ctr"])
        .env("TERM", "xterm-256color")
        .stdin(Stdio::null())
        .stdout(terminal.stdio())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
        .wait_with_output()
        .unwrap();
    assert!(!output.stderr.contains(&0x1b));
    assert!(!output.stderr.is_empty());
}

/// A child that is ended with the test.
struct Watching(Child);

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn watching_clears_the_screen() {
    let desk = Desk::new();
    desk.write("p.ctr", GOOD);
    let terminal = Terminal::new();
    let child = desk
        .command(&["check", "--watch", "p.ctr"])
        .env("TERM", "xterm-256color")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(terminal.stdio())
        .spawn()
        .unwrap();
    let _child = Watching(child);
    let told = terminal.until("Ctrl-C ends");
    assert!(told.starts_with("\u{1b}[2J"), "{told:?}");
    desk.write("p.ctr", BAD);
    let told = terminal.until("Ctrl-C ends");
    let after = told.find("\u{1b}[2J").unwrap();
    assert!(
        told[after..].contains("p.ctr changed") && told.contains("error"),
        "{told:?}"
    );
}
