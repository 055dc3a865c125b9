//! Artifacts are small: 300 contracts of the common shapes, with their messages, sources and places.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

use ctr_tests::binary::run;
use std::fmt::Write as _;
use std::fs;
use std::time::Duration;

/// The bound, in bytes.
const LARGEST: u64 = 200_000;

fn policy(count: usize) -> String {
    let mut text = String::from("module big\n");
    for n in 0..count {
        let section = n % 20;
        let _ = write!(
            text,
            "\n/// Rule {n} of the handbook.\n@id(\"R-{n}\")\n@severity(high)\n\
             @source(\"handbook.md\", \"Section {section}\")\n"
        );
        let _ = match n % 6 {
            0 => write!(
                text,
                "contract first_{n} {{\n  guarantee call act_{n} only after success check_{n}\n  \
                 otherwise block \"Check {n} comes first.\"\n}}\n"
            ),
            1 => write!(
                text,
                "contract few_{n} {{\n  guarantee call search_{n} at most 3 times\n  \
                 otherwise block \"At most three searches of kind {n}.\"\n}}\n"
            ),
            2 => write!(
                text,
                "contract limit_{n} {{\n  guarantee call pay_{n} only if amount <= {n}\n  \
                 otherwise block \"The payment of {{args.amount}} is above the limit.\"\n}}\n"
            ),
            3 => write!(
                text,
                "contract once_{n} for each order {{\n  guarantee success refund_{n}(args.order_id == order) \
                 at most 1 time\n  otherwise block \"Order {{order}} has been refunded.\"\n}}\n"
            ),
            4 => write!(
                text,
                "contract receipt_{n} for each order {{\n  guarantee success sell_{n}(args.order_id == order) \
                 leads to call send_{n}(order_id == order)\n}}\n"
            ),
            _ => write!(
                text,
                "contract never_{n} {{\n  guarantee never call mail_{n} after success read_{n}\n  \
                 otherwise block \"No mail after reading file {n}.\"\n}}\n"
            ),
        };
    }
    text
}

#[test]
fn three_hundred_contracts_fit_200_kilobytes() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("big.ctr"), policy(300)).unwrap();
    let args = ["build", "big.ctr", "-o", "big.ctrb"];
    let got = run(dir.path(), &args, None, Duration::from_secs(120));
    assert_eq!(got.code, Some(0), "{}", got.stderr);
    assert!(got.stdout.contains("300 contracts") || got.stderr.contains("300 contracts"));
    let size = fs::metadata(dir.path().join("big.ctrb")).unwrap().len();
    assert!(size < LARGEST, "{size} bytes");
}
