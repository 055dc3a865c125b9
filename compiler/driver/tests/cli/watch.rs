//! `--watch`: started for real, files changed, output read.

use std::fs;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::desk::{BAD, Desk, GOOD};

/// A program that watches.
struct Watching {
    child: Child,
    err: Receiver<Vec<u8>>,
    out: Receiver<Vec<u8>>,
}

fn read(mut from: impl std::io::Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            if send.send(bytes[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    receive
}

impl Watching {
    fn start(desk: &Desk, args: &[&str]) -> Self {
        let mut child = desk
            .command(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let err = read(child.stderr.take().unwrap());
        let out = read(child.stdout.take().unwrap());
        Self { child, err, out }
    }

    /// What is told until the round is over.
    fn round(&self) -> String {
        let mut all = Vec::new();
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            let told = String::from_utf8_lossy(&all).into_owned();
            if told.ends_with("Ctrl-C ends\n") {
                return told;
            }
            let left = end.saturating_duration_since(Instant::now());
            match self.err.recv_timeout(left) {
                Ok(bytes) => all.extend(bytes),
                Err(why) => panic!("no end of the round ({why}): {told}"),
            }
        }
    }

    /// That nothing happens for a while.
    fn is_calm(&self) {
        if let Ok(bytes) = self.err.recv_timeout(Duration::from_millis(900)) {
            panic!("{}", String::from_utf8_lossy(&bytes));
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What another file adds.
const RULES: &str = "contract other { guarantee never call drop }\n";

#[test]
fn every_file_that_was_read() {
    let desk = Desk::new();
    let tools = r#"{"tools": [{"name": "refund", "inputSchema": {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]}}]}"#;
    let policy = format!("tools from \"tools.json\"\ninclude \"rules.ctr\"\n{GOOD}");
    desk.write("p.ctr", &policy)
        .write("tools.json", tools)
        .write("rules.ctr", RULES);
    let watching = Watching::start(&desk, &["check", "--watch", "p.ctr"]);
    let told = watching.round();
    assert!(told.contains("nothing found"), "{told}");
    assert!(!told.contains('\u{1b}'), "no screen to clear: {told}");
    watching.is_calm();

    desk.write("p.ctr", BAD);
    let told = watching.round();
    assert!(
        told.contains("p.ctr changed") && told.contains("error["),
        "{told}"
    );
    desk.write("p.ctr", &policy);
    assert!(watching.round().contains("nothing found"));

    desk.write("tools.json", tools.replace("amount", "sum"));
    let told = watching.round();
    assert!(
        told.contains("tools.json changed") && told.contains("`amount`"),
        "{told}"
    );

    // Gone, and back by another file in its place.
    fs::remove_file(desk.path("rules.ctr")).unwrap();
    let told = watching.round();
    assert!(
        told.contains("rules.ctr changed") && told.contains("error["),
        "{told}"
    );
    desk.write("new", RULES).write("tools.json", tools);
    watching.round();
    fs::rename(desk.path("new"), desk.path("rules.ctr")).unwrap();
    assert!(watching.round().contains("nothing found"));

    // Other files do not matter.
    desk.write("notes.txt", "x").write("other.ctr", BAD);
    watching.is_calm();
}

#[test]
fn files_that_come_and_go_in_folders() {
    let desk = Desk::new();
    desk.write("d/a.ctr", GOOD);
    let watching = Watching::start(&desk, &["check", "--watch", "d"]);
    assert!(watching.round().contains("1 file checked"));
    desk.write("d/.a.ctr.swp", "x").write("d/notes.txt", "x");
    watching.is_calm();
    desk.write("d/b.ctr", GOOD);
    assert!(watching.round().contains("2 files checked"));
    fs::create_dir(desk.path("d/deep")).unwrap();
    watching.round();
    desk.write("d/deep/c.ctr", BAD);
    let told = watching.round();
    assert!(
        told.contains("3 files checked") && told.contains("error["),
        "{told}"
    );
    fs::remove_file(desk.path("d/deep/c.ctr")).unwrap();
    assert!(watching.round().contains("2 files checked"));
}

/// Settings that come, change and go.
#[test]
fn settings_are_read_again() {
    let desk = Desk::new();
    desk.write("p.ctr", crate::desk::WARNS);
    let watching = Watching::start(&desk, &["check", "--watch", "p.ctr"]);
    assert!(watching.round().contains("warning["));
    desk.write("ctrc.toml", "[lints]\nwarnings = \"deny\"\n");
    let told = watching.round();
    assert!(
        told.contains("ctrc.toml changed") && told.contains("error["),
        "{told}"
    );
    fs::remove_file(desk.path("ctrc.toml")).unwrap();
    assert!(watching.round().contains("warning["));
}

#[test]
fn tests_run_again() {
    let desk = Desk::new();
    let test = |amount: u32| {
        format!("{GOOD}test \"t\" {{\n  call refund(amount: {amount})\n    expect allow\n}}\n")
    };
    let watching = Watching::start(&desk, &["test", "--watch", "--format", "json", "p.ctr"]);
    let told = watching.round();
    assert!(told.contains("no such file"), "{told}");
    assert_eq!(watching.out.recv().unwrap(), b"[]\n");
    // The file that was missing comes.
    desk.write("p.ctr", test(20));
    assert!(watching.round().contains("1 passed"));
    desk.write("p.ctr", test(900));
    assert!(watching.round().contains("1 failed"));
}

/// Ctrl-C ends it as it ends every program: by the signal (a shell tells of 130).
#[cfg(unix)]
#[test]
fn a_signal_ends_it() {
    use std::os::unix::process::ExitStatusExt as _;
    let desk = Desk::new();
    desk.write("p.ctr", GOOD);
    let mut watching = Watching::start(&desk, &["check", "--watch", "p.ctr"]);
    watching.round();
    let status = std::process::Command::new("kill")
        // Not SIGINT: shells let programs in the background ignore it.
        .args(["-TERM", &watching.child.id().to_string()])
        .status()
        .unwrap();
    assert!(status.success());
    assert_eq!(watching.child.wait().unwrap().signal(), Some(15));
}
