//! The picture in `docs/automata.md` is the one that `ctrc graph` draws today.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "tests"
)]

use std::fs;
use std::path::Path;
use std::time::Duration;

use ctr_tests::binary::run;

#[test]
fn picture_of_the_worked_example_is_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/automata");
    let args = ["graph", "-l", "desk.ctr", "desk"].map(str::to_owned);
    let drawn = run(&folder, &args, None, Duration::from_secs(30));
    assert_eq!(drawn.code, Some(0), "{}", drawn.stderr);
    let stored = fs::read_to_string(folder.join("desk.svg")).unwrap();
    assert_eq!(
        drawn.stdout, stored,
        "docs/automata/desk.svg is old: remake it as docs/automata.md says"
    );
}
