//! The file system as a world.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

use ctr_front::load::load;
use ctr_front::world::{DiskWorld, MAX_FILE_BYTES, ReadError, World};

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

#[test]
fn links_are_one_file_and_close_cycles() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("sub")).unwrap();
    fs::write(at("a.ctr"), "include \"sub/b.ctr\"\ninclude \"l.ctr\"\n").unwrap();
    fs::write(at("sub/b.ctr"), "").unwrap();
    symlink("sub/b.ctr", at("l.ctr")).unwrap();
    let (graph, found) = load(&DiskWorld, &[text(&at("a.ctr")), text(&at("sub/../a.ctr"))]);
    assert_eq!(found, []);
    assert_eq!(graph.units.len(), 2);
    assert_eq!(graph.roots.len(), 1);

    fs::write(at("sub/b.ctr"), "include \"../m.ctr\"\n").unwrap();
    symlink("a.ctr", at("m.ctr")).unwrap();
    let (_, found) = load(&DiskWorld, &[text(&at("a.ctr"))]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].code, "E0206");
    assert_eq!(found[0].secondary.len(), 1);
}

#[test]
fn what_is_no_file_is_an_error_without_a_wait() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name));
    fs::create_dir(at("d.ctr")).unwrap();
    symlink(at("nowhere"), at("dangling.ctr")).unwrap();
    symlink(at("loop.ctr"), at("loop.ctr")).unwrap();
    let _socket = UnixListener::bind(at("s")).unwrap();
    assert_eq!(DiskWorld.read(&at("none")), Err(ReadError::NotFound));
    assert_eq!(DiskWorld.read(&at("d.ctr")), Err(ReadError::IsDirectory));
    assert_eq!(
        DiskWorld.read(&at("dangling.ctr")),
        Err(ReadError::NotFound)
    );
    assert!(matches!(
        DiskWorld.read(&at("loop.ctr")),
        Err(ReadError::Other(_))
    ));
    assert!(matches!(DiskWorld.read(&at("s")), Err(ReadError::Other(_))));
    assert!(matches!(
        DiskWorld.read("/dev/zero"),
        Err(ReadError::Other(_))
    ));
    assert_eq!(DiskWorld.read(&at("x/y")), Err(ReadError::NotFound));
    let long = at(&"n".repeat(300));
    assert!(DiskWorld.read(&long).is_err());
    let roots = [
        at("d.ctr"),
        at("dangling.ctr"),
        at("loop.ctr"),
        at("s"),
        long,
    ];
    let (_, found) = load(&DiskWorld, &roots);
    let codes: Vec<&str> = found.iter().map(|d| d.code).collect();
    assert_eq!(codes, ["E0201", "E0200", "E0202", "E0202", "E0202"]);
}

#[test]
fn large_files_are_refused_unread() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.ctr");
    let file = fs::File::create(&path).unwrap();
    file.set_len(MAX_FILE_BYTES + 1).unwrap();
    assert_eq!(
        DiskWorld.read(&text(&path)),
        Err(ReadError::TooLarge {
            size: MAX_FILE_BYTES + 1,
            limit: MAX_FILE_BYTES
        })
    );
    fs::write(&path, "x").unwrap();
    assert_eq!(DiskWorld.read(&text(&path)).unwrap(), b"x");
}

#[test]
fn paths_have_an_identity() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name));
    fs::create_dir(at("sub")).unwrap();
    fs::write(at("a"), "").unwrap();
    symlink(at("sub"), at("l")).unwrap();
    assert_eq!(
        DiskWorld.canonical(&at("sub/../a")),
        DiskWorld.canonical(&at("a"))
    );
    // Through the link, `..` is the parent of its target.
    assert_eq!(
        DiskWorld.canonical(&at("l/../a")),
        DiskWorld.canonical(&at("./a"))
    );
    assert_eq!(DiskWorld.canonical(&at("x/../none")), at("none"));
}
