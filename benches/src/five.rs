//! Five rules, written by hand and as a policy, and sessions to try both on.
//!
//! The checker is what a careful engineer writes for exactly these five rules: one pass, a flag or a
//! counter a rule, calls matched with their returns by id, and what is missing refused.

use std::collections::HashMap;

use ctr_runtime::decimal::Decimal;
use ctr_runtime::event::{Event, EventKind, Status};
use ctr_runtime::json;
use ctr_runtime::value::{Record, Value};
use ctr_trace::{Format, OwnedKind, Session, Step, Traced};

/// The policy.
pub const POLICY: &str = include_str!("../policies/five.ctr");

/// The rules, in the policy's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the policy says what each is")]
pub enum Rule {
    IdentityBeforeTransfer,
    NoMailAfterFileRead,
    AtMostThreeSearches,
    AmountLimit,
    ReceiptAfterRefund,
}

/// The tools that the rules name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tool {
    VerifyIdentity,
    Transfer,
    ReadFile,
    SendEmail,
    Search,
    Refund,
    SendReceipt,
    Other,
}

impl Tool {
    fn named(name: &str) -> Self {
        match name {
            "verify_identity" => Self::VerifyIdentity,
            "transfer" => Self::Transfer,
            "read_file" => Self::ReadFile,
            "send_email" => Self::SendEmail,
            "search" => Self::Search,
            "refund" => Self::Refund,
            "send_receipt" => Self::SendReceipt,
            _ => Self::Other,
        }
    }
}

/// The hand-written checker of one session.
#[derive(Debug)]
pub struct Checker {
    limit: Decimal,
    verified: bool,
    file_read: bool,
    searches: u32,
    receipt_owed: bool,
    /// Calls that have not returned, by id.
    open: HashMap<String, Tool>,
}

impl Default for Checker {
    fn default() -> Self {
        Self {
            limit: Decimal::from(1000_i64),
            verified: false,
            file_read: false,
            searches: 0,
            receipt_owed: false,
            open: HashMap::new(),
        }
    }
}

impl Checker {
    /// Takes an event, or refuses it for the first rule that it breaks; a refused call is as if it had
    /// never been made.
    ///
    /// # Errors
    ///
    /// The rule.
    pub fn gate(&mut self, event: &Event<'_>) -> Result<(), Rule> {
        match event.kind {
            EventKind::Call { id, tool, args } => {
                let tool = Tool::named(tool);
                match tool {
                    Tool::Transfer => {
                        if !self.verified {
                            return Err(Rule::IdentityBeforeTransfer);
                        }
                        let amount = args.get("amount").and_then(Value::as_number);
                        if amount.is_none_or(|amount| amount > self.limit) {
                            return Err(Rule::AmountLimit);
                        }
                    }
                    Tool::SendEmail if self.file_read => return Err(Rule::NoMailAfterFileRead),
                    Tool::Search => {
                        if self.searches >= 3 {
                            return Err(Rule::AtMostThreeSearches);
                        }
                        self.searches += 1;
                    }
                    Tool::SendReceipt => self.receipt_owed = false,
                    _ => {}
                }
                if let Some(id) = id {
                    self.open.insert(id.to_owned(), tool);
                }
            }
            EventKind::Return { id, status, .. } => {
                let tool = id.and_then(|id| self.open.remove(id));
                if status == Status::Success {
                    match tool {
                        Some(Tool::VerifyIdentity) => self.verified = true,
                        Some(Tool::ReadFile) => self.file_read = true,
                        Some(Tool::Refund) => self.receipt_owed = true,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// What is still owed at the end.
    ///
    /// # Errors
    ///
    /// The rule.
    pub fn finish(&self) -> Result<(), Rule> {
        match self.receipt_owed {
            true => Err(Rule::ReceiptAfterRefund),
            false => Ok(()),
        }
    }
}

/// Sessions of an agent that keeps the rules most of the time, the same for the same `seed`; up to
/// three calls run at once.
#[must_use]
pub fn sessions(count: usize, seed: u64) -> Vec<Session> {
    let mut random = Random(seed | 1);
    (0..count).map(|n| session(n, &mut random)).collect()
}

/// A session in the native format, a line each event.
#[must_use]
pub fn to_native(session: &Session) -> String {
    let mut out = String::new();
    for event in crate::sessions::events(session) {
        let mut line = Record::new();
        let mut put = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                line.insert(name, value);
            }
        };
        let text = |text: &Option<String>| text.as_deref().map(Value::from);
        match &event.kind {
            OwnedKind::Call { id, tool, args } => {
                put("kind", Some(Value::from("call")));
                put("id", text(id));
                put("tool", Some(Value::from(tool.as_str())));
                put("args", Some(args.clone()));
            }
            OwnedKind::Return {
                id,
                tool,
                status,
                result,
                error,
            } => {
                put("kind", Some(Value::from("return")));
                put("id", text(id));
                put("tool", text(tool));
                let status = match status {
                    Status::Success => "success",
                    Status::Failure => "failure",
                    Status::Unknown => "unknown",
                };
                put("status", Some(Value::from(status)));
                put("result", result.clone());
                put("error", text(error));
            }
            OwnedKind::Input { text } => {
                put("kind", Some(Value::from("input")));
                put("text", Some(Value::from(text.as_str())));
            }
            OwnedKind::Output { text } => {
                put("kind", Some(Value::from("output")));
                put("text", Some(Value::from(text.as_str())));
            }
            OwnedKind::Declared { name, fields } => {
                put("kind", Some(Value::from("event")));
                put("name", Some(Value::from(name.as_str())));
                put("fields", Some(fields.clone()));
            }
        }
        json::write(&Value::Record(line), &mut out);
        out.push('\n');
    }
    out
}

/// Xorshift: quick, and the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

fn session(n: usize, random: &mut Random) -> Session {
    let mut steps = Vec::new();
    let mut calls = 0;
    let mut mind = Mind::default();
    let push = |steps: &mut Vec<Step>, kind| {
        let line = steps.len() + 1;
        steps.push(Step::Event(Traced::new(kind, line)));
    };
    for _ in 0..12 + random.below(12) {
        match random.below(6) {
            0 => push(
                &mut steps,
                OwnedKind::Input {
                    text: "Please look after my order; the lamp arrived broken.".to_owned(),
                },
            ),
            1 => push(
                &mut steps,
                OwnedKind::Output {
                    text: "I have looked after it. Is there anything else?".to_owned(),
                },
            ),
            _ => {
                let mut open = Vec::new();
                for _ in 0..1 + random.below(3) {
                    calls += 1;
                    let (tool, args, result) = exchange(calls, &mut mind, random);
                    let id = Some(format!("call_{n}_{calls}"));
                    push(
                        &mut steps,
                        OwnedKind::Call {
                            id: id.clone(),
                            tool: tool.to_owned(),
                            args,
                        },
                    );
                    open.push((id, tool, result));
                }
                for (id, tool, result) in open {
                    let failed = random.below(10) == 0;
                    push(
                        &mut steps,
                        OwnedKind::Return {
                            id,
                            tool: Some(tool.to_owned()),
                            status: if failed {
                                Status::Failure
                            } else {
                                Status::Success
                            },
                            result: (!failed).then_some(result),
                            error: failed.then(|| "the service is not available".to_owned()),
                        },
                    );
                }
            }
        }
    }
    Session {
        name: format!("five:{n}"),
        format: Format::Native,
        steps,
        reward: None,
    }
}

/// What an agent that keeps the rules remembers.
#[derive(Default)]
struct Mind {
    verified: bool,
    read: bool,
    searches: u64,
}

/// A tool, its arguments and its result.
fn exchange(call: u64, mind: &mut Mind, random: &mut Random) -> (&'static str, Value, Value) {
    let careless = random.below(100) == 0;
    let mut chosen = random.below(16);
    if !careless {
        chosen = match chosen {
            3..=5 if !mind.verified => 0,
            7..=8 if mind.read => 13,
            9..=11 if mind.searches >= 3 => 15,
            other => other,
        };
    }
    match chosen {
        0..=2 => mind.verified = true,
        6 => mind.read = true,
        9..=11 => mind.searches += 1,
        _ => {}
    }
    let (tool, args, result) = match chosen {
        0..=2 => (
            "verify_identity",
            format!(r#"{{"customer":"customer-{call}"}}"#),
            r#"{"verified":true}"#,
        ),
        3..=5 => (
            "transfer",
            format!(
                r#"{{"to":"DE00 1234 {call}","amount":{}}}"#,
                if careless { 5000 } else { random.below(1000) }
            ),
            r#"{"id":"t-81"}"#,
        ),
        6 => (
            "read_file",
            format!(r#"{{"path":"/srv/notes/{call}.txt"}}"#),
            r#""the notes of the last meeting""#,
        ),
        7..=8 => (
            "send_email",
            format!(r#"{{"to":"ann@example.com","body":"About call {call}."}}"#),
            r#"{"sent":true}"#,
        ),
        9..=11 => (
            "search",
            format!(r#"{{"query":"lamp {call}"}}"#),
            r#"["lamp","lampshade"]"#,
        ),
        12 => (
            "refund",
            format!(r#"{{"order_id":"W{call}","amount":12.5}}"#),
            r#"{"id":"r-12"}"#,
        ),
        13..=14 => (
            "send_receipt",
            format!(r#"{{"order_id":"W{call}"}}"#),
            r#"{"sent":true}"#,
        ),
        _ => (
            "think",
            format!(r#"{{"thought":"step {call}"}}"#),
            r#""noted""#,
        ),
    };
    (tool, value(&args), value(result))
}

/// A value from JSON that this file writes; text that is none stays text.
fn value(text: &str) -> Value {
    json::parse(text).unwrap_or_else(|_| Value::from(text))
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        reason = "tests"
    )]

    use super::*;
    use ctr_runtime::decision::{Value3, Verb};
    use ctr_runtime::session::{self, gate};

    /// The policy and the checker say the same of every event and of every end.
    #[test]
    fn both_say_the_same() {
        let library = crate::library(POLICY).unwrap();
        let (mut refused, mut owed) = (0, 0);
        for recording in sessions(200, 7) {
            let mut checker = Checker::default();
            let mut session = session::Session::new(&library);
            for event in crate::sessions::events(&recording) {
                let event = event.as_event();
                let by_hand = checker.gate(&event).err();
                let gated = gate(&mut session, &event, &mut ()).unwrap();
                let decided = match gated.decision.verb {
                    Verb::Allow => None,
                    _ => Some(gated.decision.objections[0].contract),
                };
                assert_eq!(by_hand.map(|rule| rule as u32), decided, "{event:?}");
                refused += u32::from(by_hand.is_some());
            }
            let end = session.finish();
            let failed = end.contracts[Rule::ReceiptAfterRefund as usize].value == Value3::Fail;
            assert_eq!(checker.finish().is_err(), failed);
            owed += u32::from(failed);
        }
        assert!(refused > 10 && owed > 5, "{refused} {owed}");
    }
}
