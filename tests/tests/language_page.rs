//! The tests that stand in the language reference (sections 1 and 9) pass.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use std::fs;
use std::path::Path;
use std::time::Duration;

use ctr_tests::binary::run;

/// The tools of the refund desk, as their server lists them.
const TOOLS: &str = r#"{"tools":[
{"name":"verify_identity","inputSchema":{"type":"object","properties":{}},
 "outputSchema":{"type":"object","properties":{"verified":{"type":"boolean"}},"required":["verified"]}},
{"name":"check_policy","inputSchema":{"type":"object","properties":{"order_id":{"type":"string"}},"required":["order_id"]},
 "outputSchema":{"type":"object","properties":{"eligible":{"type":"boolean"},"limit":{"type":"number"}},"required":["limit"]}},
{"name":"issue_refund","inputSchema":{"type":"object","properties":{"order_id":{"type":"string"},"amount":{"type":"number"}},
 "required":["order_id","amount"]}},
{"name":"send_receipt","inputSchema":{"type":"object","properties":{"order_id":{"type":"string"}},"required":["order_id"]}},
{"name":"read_file","inputSchema":{"type":"object","properties":{"path":{"type":"string"}}}},
{"name":"send_email","inputSchema":{"type":"object","properties":{"to":{"type":"string"}}}}
]}"#;

/// The first example of a section.
fn example<'t>(page: &'t str, section: &str) -> &'t str {
    let (_, rest) = page.split_once(section).expect(section);
    let (_, rest) = rest.split_once("```ctr\n").expect(section);
    rest.split_once("\n```").expect(section).0
}

#[test]
fn tests_of_the_page_pass() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/language.md");
    let page = fs::read_to_string(docs).unwrap();
    let policy = format!(
        "{}\n\n{}\n",
        example(&page, "\n## 1. "),
        example(&page, "\n## 9. ")
    );
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("refund_desk.ctr"), policy).unwrap();
    fs::write(folder.path().join("refund_desk.tools.json"), TOOLS).unwrap();
    for (verb, seen) in [("check", "1 file checked"), ("test", "2 passed, 0 failed")] {
        let args = [verb, "--color", "never", "refund_desk.ctr"].map(str::to_owned);
        let run = run(folder.path(), &args, None, Duration::from_secs(30));
        let text = format!("{}{}", run.stdout, run.stderr);
        assert_eq!(run.code, Some(0), "{verb}: {text}");
        assert!(text.contains(seen), "{verb}: {text}");
        assert!(!text.contains("warning"), "{verb}: {text}");
    }
}
