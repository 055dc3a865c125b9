//! The formatter as a command (group 5). What it gives is tested where it is made:
//!
//! | case | held by |
//! | --- | --- |
//! | 41, comments lost, doubled or moved | `grammar`: `a_comment_before_and_after_every_token`, `one_comment_at_every_place`; `fuzz/src/layouts.rs` |
//! | 42, comments after openers, long lines | `grammar`: `openers_closers_and_long_lines` |
//! | 44, empty lines between comments, licences | here |
//! | 45, broken input | here |
//! | 46, links, modes, owners, full disks, interruption | here, and `ctrc`: `atomic` |
//! | 48, standard input | here |
//! | 49, fixes | `fix` |

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use ctr_tests::binary::{Run, ctrc, run};

const UGLY: &str = "contract   c{guarantee   call a}";
const TIDY: &str = "contract c {\n  guarantee call a\n}\n";
const BROKEN: &str = "contract {";

fn fmt(folder: &Path, args: &[&str], input: Option<&str>) -> Run {
    let mut all = vec!["fmt"];
    all.extend(args);
    let got = run(
        folder,
        &all,
        input.map(str::as_bytes),
        Duration::from_secs(20),
    );
    assert!(!got.stderr.contains("internal error"), "{}", got.stderr);
    got
}

#[track_caller]
fn exits(got: &Run, code: i32) {
    assert_eq!(got.code, Some(code), "{}{}", got.stdout, got.stderr);
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn piped(input: &str) -> String {
    let folder = folder();
    let got = fmt(folder.path(), &["-"], Some(input));
    exits(&got, 0);
    assert_eq!(got.stderr, "");
    got.stdout
}

#[test]
fn headers_licences_and_empty_lines_stay() {
    let text = "// Copyright\n// (c) somebody\n\n/* a licence\n\n   of two parts */\n\n\n\n//! The file.\n\n\n// first\n\n\n\n// second\ncontract c {}\n\n\n\n// end";
    assert_eq!(
        piped(text),
        "// Copyright\n// (c) somebody\n\n/* a licence\n\n   of two parts */\n\n//! The file.\n\n// first\n\n// second\ncontract c {}\n\n// end\n"
    );
}

#[test]
fn line_ends_are_those_of_most_lines() {
    let crlf = TIDY.replace('\n', "\r\n");
    assert_eq!(piped(&crlf), crlf);
    assert_eq!(piped(&format!("{UGLY}\r\n")), crlf);
    // Half and half, and no line end at all: LF.
    assert_eq!(piped("contract c {\r\n  guarantee call a }\n"), TIDY);
    assert_eq!(piped(UGLY), TIDY);
    let mixed = "/* one\r\n two */\r\ncontract c {}\n";
    assert_eq!(piped(mixed), "/* one\r\n two */\r\ncontract c {}\r\n");
    assert_eq!(piped(&format!("\u{feff}{UGLY}")), format!("\u{feff}{TIDY}"));
}

#[test]
fn standard_input() {
    assert_eq!(piped(""), "");
    assert_eq!(piped("\n \n"), "");
    assert_eq!(piped(TIDY), TIDY);
    let folder = folder();
    let at = folder.path();
    for args in [
        &["-"][..],
        &["--stdin-filename", "x/new.ctr"],
        &["--stdin-filename", "x/new.ctr", "-"],
    ] {
        let got = fmt(at, args, Some(BROKEN));
        exits(&got, 2);
        assert_eq!(
            got.stdout, "",
            "a careless pipe must not take a broken text for a formatted one"
        );
        assert_eq!(
            got.stderr.contains("x/new.ctr:1:"),
            args.len() > 1,
            "{}",
            got.stderr
        );
        let got = fmt(at, args, Some(UGLY));
        exits(&got, 0);
        assert_eq!((got.stdout.as_str(), got.stderr.as_str()), (TIDY, ""));
    }
    let got = fmt(at, &["--stdin-filename", "new.ctr", "--check"], Some(UGLY));
    exits(&got, 1);
    assert_eq!(got.stderr, "new.ctr: is not formatted\n");
    exits(
        &fmt(at, &["--stdin-filename", "new.ctr", "a.ctr"], Some(UGLY)),
        2,
    );
    exits(&fmt(at, &["-", "a.ctr"], Some(UGLY)), 2);
    let got = run(at, &["fmt", "-"], Some(b"// \xff"), Duration::from_secs(20));
    exits(&got, 2);
    assert_eq!(got.stdout, "");
    assert!(got.stderr.contains("offset 3"), "{}", got.stderr);
}

#[test]
fn differences_can_be_applied() {
    let folder = folder();
    let at = folder.path();
    let long = format!("// head\n\n\n{UGLY}\n");
    for (name, text) in [
        ("a.ctr", UGLY.to_owned()),
        ("b.ctr", long),
        ("c.ctr", format!("{UGLY}\r\n")),
        ("same.ctr", TIDY.to_owned()),
    ] {
        fs::write(at.join(name), text).unwrap();
    }
    let got = fmt(at, &["--diff", "."], None);
    exits(&got, 1);
    assert_eq!(
        fs::read_to_string(at.join("a.ctr")).unwrap(),
        UGLY,
        "nothing is written"
    );
    assert!(
        got.stdout
            .starts_with("--- a.ctr\n+++ a.ctr\n@@ -1 +1,3 @@\n-contract   c{"),
        "{}",
        got.stdout
    );
    assert!(
        got.stdout.contains("\\ No newline at end of file\n"),
        "{}",
        got.stdout
    );
    assert!(!got.stdout.contains("same.ctr"));
    assert_eq!(got.stderr, "3 would change, 1 is formatted\n");
    let both = fmt(at, &["--diff", "--check", "."], None);
    exits(&both, 1);
    assert_eq!(both.stdout, got.stdout);
    assert!(both.stderr.contains("a.ctr: is not formatted\n"));

    fs::write(at.join("changes"), &got.stdout).unwrap();
    let patched = Command::new("patch")
        .args(["-p0", "--binary", "-s", "-i", "changes"])
        .current_dir(at)
        .status();
    match patched {
        Ok(status) => {
            assert!(status.success());
            exits(&fmt(at, &["--check", "."], None), 0);
        }
        Err(_) => eprintln!("SKIPPED: there is no `patch`"),
    }
    let got = fmt(at, &["-", "--diff"], Some(UGLY));
    exits(&got, 1);
    assert!(
        got.stdout.starts_with("--- standard input\n"),
        "{}",
        got.stdout
    );
    let got = fmt(at, &["-", "--diff"], Some(TIDY));
    exits(&got, 0);
    assert_eq!(got.stdout, "");
}

#[test]
fn the_width_is_a_choice() {
    let folder = folder();
    let text = "contract c {\n  guarantee call first_tool only after success second_tool\n}\n";
    for (width, lines) in [("20", 5), ("40", 4), ("100", 3), ("1000", 3)] {
        let got = fmt(folder.path(), &["--width", width, "-"], Some(text));
        exits(&got, 0);
        assert!(
            got.stdout.lines().count() <= lines,
            "{width}: {}",
            got.stdout
        );
        let again = fmt(folder.path(), &["--width", width, "-"], Some(&got.stdout));
        assert_eq!(again.stdout, got.stdout);
    }
    let narrow = fmt(folder.path(), &["--width", "40", "-"], Some(text));
    assert_ne!(narrow.stdout, text);
    for width in ["0", "19", "1001", "x", "-1"] {
        exits(&fmt(folder.path(), &["--width", width, "-"], Some(text)), 2);
    }
}

/// All files are tried, and the worst end counts.
#[test]
fn a_broken_file_is_left_alone_and_the_others_are_done() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("a.ctr"), UGLY).unwrap();
    fs::write(at.join("b.ctr"), BROKEN).unwrap();
    fs::write(at.join("c.ctr"), b"// \xff\n").unwrap();
    fs::write(at.join("d.ctr"), UGLY).unwrap();
    let got = fmt(
        at,
        &["missing.ctr", "a.ctr", "b.ctr", "c.ctr", "d.ctr", "./d.ctr"],
        None,
    );
    exits(&got, 2);
    assert_eq!(got.stdout, "");
    assert_eq!(fs::read_to_string(at.join("a.ctr")).unwrap(), TIDY);
    assert_eq!(fs::read_to_string(at.join("b.ctr")).unwrap(), BROKEN);
    assert_eq!(fs::read(at.join("c.ctr")).unwrap(), b"// \xff\n");
    assert_eq!(fs::read_to_string(at.join("d.ctr")).unwrap(), TIDY);
    for told in [
        "missing.ctr: no such file",
        "b.ctr:1:",
        "c.ctr: not UTF-8",
        "2 changed, 0 left as they were, 2 could not",
    ] {
        assert!(got.stderr.contains(told), "{told}: {}", got.stderr);
    }
    exits(&fmt(at, &["--check", "a.ctr", "b.ctr"], None), 2);
    exits(&fmt(at, &["--check", "a.ctr", "d.ctr"], None), 0);
    assert_eq!(
        fs::read_dir(at).unwrap().count(),
        4,
        "nothing is left behind"
    );
}

#[test]
fn standard_output_that_is_full() {
    if !Path::new("/dev/full").exists() {
        eprintln!("SKIPPED: there is no /dev/full");
        return;
    }
    let folder = folder();
    fs::write(folder.path().join("a.ctr"), UGLY).unwrap();
    for args in ["fmt - < a.ctr", "fmt --diff a.ctr"] {
        let output = Command::new("sh")
            .args(["-c", &format!("'{}' {args} > /dev/full", ctrc().display())])
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{args}");
        assert!(!output.stderr.is_empty());
    }
}

#[cfg(unix)]
mod files {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn links_modes_owners_and_names_stay() {
        let folder = folder();
        let at = folder.path();
        fs::create_dir(at.join("sub")).unwrap();
        let file = at.join("sub/real.ctr");
        fs::write(&file, UGLY).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("sub/real.ctr", at.join("link.ctr")).unwrap();
        symlink("link.ctr", at.join("again.ctr")).unwrap();
        exits(&fmt(at, &["again.ctr"], None), 0);
        assert!(
            fs::symlink_metadata(at.join("again.ctr"))
                .unwrap()
                .is_symlink()
        );
        assert!(
            fs::symlink_metadata(at.join("link.ctr"))
                .unwrap()
                .is_symlink()
        );
        assert_eq!(fs::read_to_string(&file).unwrap(), TIDY);
        assert_eq!(mode(&file), 0o640);

        if chown(&file, Some(4321), Some(1234)).is_ok() {
            fs::write(&file, UGLY).unwrap();
            exits(&fmt(at, &["sub"], None), 0);
            let now = fs::metadata(&file).unwrap();
            assert_eq!((now.uid(), now.gid()), (4321, 1234));
            assert_eq!(fs::read_to_string(&file).unwrap(), TIDY);
        } else {
            eprintln!("SKIPPED: only root gives files away");
        }

        fs::write(at.join("one.ctr"), UGLY).unwrap();
        fs::hard_link(at.join("one.ctr"), at.join("two.ctr")).unwrap();
        exits(&fmt(at, &["one.ctr", "two.ctr"], None), 0);
        assert_eq!(fs::metadata(at.join("two.ctr")).unwrap().nlink(), 2);
        assert_eq!(fs::read_to_string(at.join("two.ctr")).unwrap(), TIDY);
    }

    #[test]
    fn what_cannot_be_written_is_told() {
        let folder = folder();
        let at = folder.path();
        fs::write(at.join("fixed.ctr"), UGLY).unwrap();
        fs::set_permissions(at.join("fixed.ctr"), fs::Permissions::from_mode(0o444)).unwrap();
        let got = fmt(at, &["fixed.ctr"], None);
        exits(&got, 2);
        assert!(
            got.stderr.contains("fixed.ctr: the file is read-only"),
            "{}",
            got.stderr
        );
        assert_eq!(fs::read_to_string(at.join("fixed.ctr")).unwrap(), UGLY);
        exits(&fmt(at, &["--check", "fixed.ctr"], None), 1);

        symlink("nowhere", at.join("dangling.ctr")).unwrap();
        symlink("loop.ctr", at.join("loop.ctr")).unwrap();
        fs::create_dir(at.join("folder.ctr")).unwrap();
        for name in ["dangling.ctr", "loop.ctr", "folder.ctr", "/dev/null"] {
            let got = fmt(at, &[name], None);
            exits(&got, 2);
            assert!(got.stderr.contains(name), "{}", got.stderr);
        }
    }

    /// A file that outgrows what may be written (as on a full disk) is as it was, and nothing is left.
    #[test]
    fn no_room_to_write() {
        let folder = folder();
        let at = folder.path();
        let many: String = (0..200)
            .map(|n| format!("contract   c{n}{{guarantee   call a}}\n"))
            .collect();
        fs::write(at.join("one.ctr"), &many).unwrap();
        fs::write(at.join("first.ctr"), &many).unwrap();
        fs::hard_link(at.join("first.ctr"), at.join("second.ctr")).unwrap();
        for name in ["one.ctr", "first.ctr"] {
            let output = Command::new("sh")
                .args([
                    "-c",
                    &format!(
                        "trap '' XFSZ; ulimit -f 4; exec '{}' fmt {name}",
                        ctrc().display()
                    ),
                ])
                .current_dir(at)
                .output()
                .unwrap();
            let told = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{told}");
            assert!(told.contains(&format!("error: {name}: ")), "{told}");
            assert!(!told.contains("put back"), "{told}");
            assert_eq!(fs::read_to_string(at.join(name)).unwrap(), many, "{name}");
        }
        assert_eq!(
            fs::read_dir(at).unwrap().count(),
            3,
            "nothing is left behind"
        );
        exits(&fmt(at, &["."], None), 0);
    }

    /// The same on a file system that is really full, where one can be mounted.
    #[test]
    fn a_full_disk() {
        let folder = folder();
        // The text grows over the end of a page, so that it needs room where it stands, too.
        let script = format!(
            "mount -t tmpfs -o size=32k none . 2>/dev/null || exit 77\n\
             cd \"$PWD\"; n=100; while [ $n -lt 220 ]\n\
             do echo \"contract c$n{{guarantee call a}}\"; n=$((n+1)); done > a.ctr\n\
             cp a.ctr before; ln a.ctr b.ctr; cp a.ctr c.ctr; cat /dev/zero > filler 2>/dev/null\n\
             '{0}' fmt b.ctr c.ctr; echo \"ended $?\"\n\
             cmp a.ctr before && cmp c.ctr before && rm filler && '{0}' fmt a.ctr c.ctr && ls",
            ctrc().display()
        );
        let output = Command::new("unshare")
            .args(["-m", "sh", "-c", &script])
            .current_dir(folder.path())
            .output();
        let Ok(output) = output else {
            eprintln!("SKIPPED: there is no `unshare`");
            return;
        };
        let out = String::from_utf8_lossy(&output.stdout);
        let err = String::from_utf8_lossy(&output.stderr);
        if !out.contains("ended") {
            eprintln!("SKIPPED: no file system can be mounted: {err}");
            return;
        }
        assert!(out.contains("ended 2\n"), "{out}{err}");
        assert!(
            err.contains("error: b.ctr: ") && err.contains("error: c.ctr: "),
            "{err}"
        );
        assert!(err.contains("2 changed"), "{out}{err}");
        assert!(out.ends_with("a.ctr\nb.ctr\nbefore\nc.ctr\n"), "{out}{err}");
    }

    /// Wherever it is interrupted, the file holds the old text or the new one.
    #[test]
    fn interruption() {
        let folder = folder();
        let at = folder.path();
        let many: String = (0..2_000)
            .map(|n| format!("contract   c{n}{{guarantee   call a}}\n"))
            .collect();
        let file = at.join("a.ctr");
        fs::write(&file, &many).unwrap();
        exits(&fmt(at, &["a.ctr"], None), 0);
        let tidy = fs::read_to_string(&file).unwrap();
        let mut seen = [0; 2];
        for wait in (0..240).step_by(16) {
            fs::write(&file, &many).unwrap();
            let mut child = Command::new(ctrc())
                .args(["fmt", "a.ctr"])
                .current_dir(at)
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_millis(wait));
            let _ = child.kill();
            child.wait().unwrap();
            let now = fs::read_to_string(&file).unwrap();
            assert!(now == many || now == tidy, "half of a text after {wait} ms");
            seen[usize::from(now == tidy)] += 1;
        }
        assert!(seen[0] > 0, "never interrupted: {seen:?}");
    }
}
