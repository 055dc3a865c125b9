//! Artifacts of the present format, stored: their bytes must stay readable, and decide what they decided.
//!
//! Where the format is changed on purpose, `VERSION` in `format/layout.rs` is raised, and
//! `runtime/tests/data/rebuild.sh` makes the artifacts and their decisions anew; what it changes in the decisions is to
//! be read before it is committed. Without a change of the format, a failure here is a fault: artifacts that
//! users have built would no longer load, or would be judged otherwise.

use super::*;
use ctr_runtime::session::gate;
use ctr_runtime::value::Value;
use std::fmt::Write as _;
use support::random::Oracle;

const STORED: [&str; 3] = ["refund_desk", "retail", "airline"];

const HELP: &str = "If the format has been changed on purpose, raise VERSION in runtime/src/format/layout.rs and \
     run runtime/tests/data/rebuild.sh; otherwise artifacts of users are broken.";

/// What a library decides of a stored session, a line an event, and its verdicts.
fn decisions(library: &Library<'_>, lines: &str) -> (String, Vec<Value>) {
    let mut session = Session::new(library);
    let mut verbs = Vec::new();
    let mut out = String::new();
    for text in lines.lines().filter(|text| !text.is_empty()) {
        let line = support::line(text);
        let event = match support::read(&line) {
            support::Line::Context(fields) => {
                session.set_context(fields);
                verbs.push(Value::from("context"));
                continue;
            }
            support::Line::Event(event) => event,
        };
        match gate(&mut session, &event, &mut Oracle) {
            Ok(gated) => {
                let verb = gated.decision.verb.name();
                verbs.push(Value::from(verb));
                let _ = write!(out, "{} {verb}", gated.event);
                for o in &gated.decision.objections {
                    let name = library.contract(o.contract).name();
                    let _ = write!(out, "; {name} {:?}: {}", o.reason, o.message);
                }
                out.push('\n');
            }
            Err(error) => {
                verbs.push(Value::from("error"));
                let _ = writeln!(out, "{error}");
            }
        }
    }
    for (contract, end) in library.contracts().zip(&session.finish().contracts) {
        let _ = writeln!(out, "{} {}", contract.name(), end.value.name());
    }
    (out, verbs)
}

#[test]
fn stored_artifacts_load_and_decide_as_before() {
    let write = std::env::var_os("CTRC_GOLDEN").is_some_and(|what| what == "write");
    for name in STORED {
        let bytes = std::fs::read(data(&format!("{name}.ctrb"))).unwrap();
        let library = match Library::load(&bytes[..]) {
            Ok(library) => library,
            Err(error) => panic!("{name}.ctrb: {error}. {HELP}"),
        };
        let sessions = data(&format!("{name}.jsonl"));
        if write && !sessions.exists() {
            let names = Names::of(&library);
            let made = events(&mut Dice::seed(2026), &names, 80, false);
            let lines: Vec<String> = made.iter().map(Made::text).collect();
            std::fs::write(&sessions, lines.join("\n") + "\n").unwrap();
        }
        let lines = std::fs::read_to_string(&sessions).unwrap();
        let (text, verbs) = decisions(&library, &lines);
        assert!(verbs.iter().any(|v| v.as_str() == Some("block")), "{name}");
        let verbs = ctr_runtime::json::to_string(&Value::List(verbs)) + "\n";
        for (file, got) in [
            (format!("{name}.gated.txt"), &text),
            (format!("{name}.gated.json"), &verbs),
        ] {
            if write {
                std::fs::write(data(&file), got).unwrap();
            }
            let wanted = std::fs::read_to_string(data(&file)).unwrap();
            for (n, (got, wanted)) in got.lines().zip(wanted.lines()).enumerate() {
                assert_eq!(got, wanted, "{file}, line {}. {HELP}", n + 1);
            }
            assert_eq!(
                got.lines().count(),
                wanted.lines().count(),
                "{file}. {HELP}"
            );
        }
        // The model reads back, and says the same when it is written again.
        let again = encode(&ctr_runtime::format::decode(&library)).unwrap();
        let again = Library::load(again).unwrap();
        assert_eq!(decisions(&again, &lines).0, text, "{name}");
    }
}
