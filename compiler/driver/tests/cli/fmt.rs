//! `ctrc fmt`.

use std::fs;

use crate::desk::{BAD, Desk};

#[test]
fn fmt_formats() {
    let desk = Desk::new();
    let ugly = "contract   limit{guarantee   call refund only if amount<=500}";
    let formatted = {
        let run = desk.run_with(&["fmt", "-"], ugly).exits(0);
        assert_eq!(run.err, "");
        run.out
    };
    assert_ne!(formatted, ugly);
    assert_eq!(
        desk.run_with(&["fmt", "-"], &formatted).exits(0).out,
        formatted
    );
    assert_eq!(
        desk.run_with(&["fmt", "--check", "-"], ugly).exits(1).out,
        ""
    );
    desk.run_with(&["fmt", "--check", "-"], &formatted).exits(0);
    let run = desk.run_with(&["fmt", "-"], "contract {").exits(2);
    assert_eq!(
        run.out, "",
        "a careless pipe must not take a broken text for a formatted one"
    );
    desk.run_with(&["fmt", "-", "a.ctr"], ugly).exits(2);

    desk.write("a.ctr", ugly)
        .write("b.ctr", &formatted)
        .write("bad/bad.ctr", BAD);
    let run = desk.run(&["fmt", "--check", "a.ctr", "b.ctr"]).exits(1);
    assert!(
        run.err
            .contains("a.ctr: is not formatted\n1 would change, 1 is formatted"),
        "{}",
        run.err
    );
    assert_eq!(desk.read("a.ctr"), ugly);
    let before = fs::metadata(desk.path("b.ctr"))
        .unwrap()
        .modified()
        .unwrap();
    let run = desk.run(&["fmt", "a.ctr", "b.ctr"]).exits(0);
    assert_eq!(run.err, "1 changed, 1 left as it was\n");
    assert_eq!(desk.read("a.ctr"), formatted);
    let after = fs::metadata(desk.path("b.ctr"))
        .unwrap()
        .modified()
        .unwrap();
    assert_eq!(before, after, "a formatted file is not written");

    desk.run(&["fmt", "bad"]).exits(2);
    assert_eq!(desk.read("bad/bad.ctr"), BAD);
    desk.run(&["fmt", "missing.ctr"]).exits(2);
}

#[cfg(unix)]
#[test]
fn fmt_keeps_links_and_modes() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let desk = Desk::new();
    desk.write("real.ctr", "contract   c{}\n");
    fs::set_permissions(desk.path("real.ctr"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real.ctr", desk.path("link.ctr")).unwrap();
    desk.run(&["fmt", "link.ctr"]).exits(0);
    assert!(
        fs::symlink_metadata(desk.path("link.ctr"))
            .unwrap()
            .is_symlink()
    );
    assert_ne!(desk.read("real.ctr"), "contract   c{}\n");
    let mode = fs::metadata(desk.path("real.ctr"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o640);
}
