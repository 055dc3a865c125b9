//! Tool schemas and recorded sessions.

use std::collections::HashSet;

use ctr_front::ir::SourceId;
use ctr_front::schema::read_tools;
use ctr_runtime::json;
use ctr_runtime::value::Value;
use ctr_trace::{Numbered, Session, Step, anthropic, detect, exchange, mcp, native, openai, tau2};

/// Every place of a finding lies in the text; what is complete has no errors.
pub fn schemas(text: &str) {
    let decoded = read_tools(SourceId(0), text);
    for found in &decoded.diagnostics {
        for label in std::iter::once(&found.primary).chain(&found.secondary) {
            let span = label.place.span;
            assert!(
                text.get(span.start as usize..span.end as usize).is_some(),
                "{found:?} of {text:?}"
            );
        }
        assert!(
            !found.message.is_empty() && !found.message.contains('\n'),
            "{found:?}"
        );
    }
    let clean = decoded.diagnostics.iter().all(|d| !d.code.starts_with('E'));
    assert_eq!(decoded.complete, clean, "{text:?}");
    assert!(
        decoded.diagnostics.len() <= 1_001,
        "{}",
        decoded.diagnostics.len()
    );
}

/// A text is split into sessions with names of their own; line ends do not matter, and what cannot be
/// read is told in words.
pub fn traces(text: &str) {
    let pieces = match detect::split("t", text) {
        Ok(pieces) => pieces,
        Err(error) => {
            assert!(!error.what.is_empty() && error.line != Some(0), "{error:?}");
            return;
        }
    };
    let names: HashSet<&str> = pieces.iter().map(|piece| piece.name.as_str()).collect();
    assert_eq!(
        names.len(),
        pieces.len(),
        "sessions of one name in {text:?}"
    );
    let mut sessions: Vec<Session> = Vec::new();
    for piece in &pieces {
        match detect::read(piece) {
            Ok(session) => sessions.push(session),
            Err(error) => {
                assert!(!error.what.is_empty() && error.line != Some(0), "{error:?}");
                return;
            }
        }
    }
    let lines = text.matches('\n').count() + 1;
    for session in &sessions {
        for step in &session.steps {
            if let Step::Event(traced) = step {
                assert!(traced.line >= 1, "{text:?}");
            }
        }
    }
    // Longer texts cost too much to be read again.
    if lines > 200 || text.contains('\r') {
        return;
    }
    let other = text.replace('\n', "\r\n");
    let again: Vec<Session> = detect::split("t", &other)
        .unwrap()
        .iter()
        .map(|piece| detect::read(piece).unwrap())
        .collect();
    assert_eq!(format!("{sessions:?}"), format!("{again:?}"), "{text:?}");
}

/// Each reader takes any records, also those that detection would give to another.
pub fn readers(text: &str) {
    let records: Vec<Value> = match json::parse(text) {
        Ok(Value::List(list)) => list,
        Ok(value) => vec![value],
        Err(_) => text
            .lines()
            .filter_map(|line| json::parse(line).ok())
            .collect(),
    };
    let numbered: Vec<Numbered<'_>> = records
        .iter()
        .enumerate()
        .map(|(at, record)| (at + 1, record))
        .collect();
    for (name, steps) in [
        ("openai", openai::steps(&numbered)),
        ("anthropic", anthropic::steps(&numbered)),
        ("mcp", mcp::steps(&numbered)),
        ("tau2", tau2::steps(&numbered)),
    ] {
        match steps {
            Ok(steps) => {
                for step in &steps {
                    if let Step::Event(traced) = step {
                        assert!(
                            (1..=records.len()).contains(&traced.line),
                            "{name}: {text:?}"
                        );
                    }
                }
            }
            Err((number, what)) => {
                assert!((1..=records.len()).contains(&number), "{name}: {text:?}");
                assert!(!what.is_empty(), "{name}: {text:?}");
            }
        }
    }
    for (number, record) in &numbered {
        let _ = tau2::reward(record);
        let mut record = (*record).clone();
        if let Err(what) = native::step(&mut record, *number) {
            assert!(!what.is_empty());
        }
    }
    let said = |messages: &[Value]| Some(vec![messages.len()]);
    let _ = exchange::conversations(numbered.iter().copied(), said);
}
