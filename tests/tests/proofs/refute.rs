//! The findings of a policy, held against sessions.

use crate::alphabet::{self, HEADER};
use crate::brute::{Judge, Judged, next, sessions};
use crate::live::load;
use ctr_check::Options;
use ctr_front::diagnostic::Proof;
use ctr_front::world::MemoryWorld;
use ctr_runtime::decision::Value3;
use ctr_tests::oracle::cond::Moment;
use ctr_tests::oracle::contract::{Atom, Contract};
use ctr_tests::oracle::formula::{Binary, F};
use ctr_tests::oracle::model::{Line, Session, Status};
use ctr_tests::rng::Rng;
use serde_json::Value;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

/// What came of many policies.
#[derive(Debug, Default)]
pub struct Tally {
    policies: usize,
    sessions: usize,
    /// Findings that were held against sessions, by kind.
    findings: BTreeMap<&'static str, usize>,
    /// Questions that were left open, by kind.
    open: BTreeMap<&'static str, usize>,
    /// Questions without a finding that a session answers.
    confirmed: usize,
    /// Questions without a finding that no session here answers: it may take a longer one.
    unconfirmed: Vec<String>,
    refuted: Vec<String>,
}

impl Tally {
    /// Nothing was refuted, and of what was not found at least this percentage has a session.
    pub fn judge(self, least: usize) {
        assert!(
            self.refuted.is_empty(),
            "{} findings are refuted:\n{}",
            self.refuted.len(),
            self.refuted.join("\n")
        );
        let asked = self.confirmed + self.unconfirmed.len();
        assert!(
            self.confirmed * 100 >= least * asked,
            "{} of {asked} questions without a finding have no session:\n{}",
            self.unconfirmed.len(),
            self.unconfirmed.join("\n")
        );
        assert!(self.findings.values().sum::<usize>() > 0, "nothing found");
    }
}

/// A policy: its findings, and what sessions say of them.
pub fn policy(contracts: &[Contract], rng: &mut Rng, tally: &mut Tally) {
    let mut text = HEADER.to_owned();
    for contract in contracts {
        text += &contract.text();
    }
    let world = MemoryWorld::new().with("p.ctr", &*text);
    let compiled = ctr_front::compile(&world, &["p.ctr".to_owned()]);
    let Some(library) = compiled.library else {
        panic!("{:#?}\n{text}", compiled.diagnostics);
    };
    let built = ctr_emit::build(&library, "test", &ctr_logic::Limits::default()).unwrap();
    let options = Options {
        timeout: Duration::from_secs(3),
        ..Options::default()
    };
    let report = ctr_check::check(&library, &built.model, &built.bytes, &options).unwrap();
    let found: Vec<Vec<Line>> = report.sessions.iter().map(|(_, s)| lines(s)).collect();
    let proofs: Vec<Proof> = report
        .findings
        .into_iter()
        .filter_map(|f| f.proof.map(|proof| *proof))
        .collect();

    let artifact = load(&built.bytes);
    let judge = Judge::new(&artifact);
    let alphabet = alphabet::of(contracts);
    let mut all = sessions(&alphabet, &judge, rng);
    // Longer ones that were found are as good, once they are judged.
    all.extend(found.iter().map(|lines| judge.judge(lines)));
    tally.policies += 1;
    tally.sessions += all.len();

    let case = Case {
        contracts,
        text: &text,
        all: &all,
    };
    for proof in &proofs {
        if let Some(question) = proof.question {
            *tally.open.entry(question).or_default() += 1;
            continue;
        }
        *tally.findings.entry(proof.kind).or_default() += 1;
        if let Some(session) = case.refutes(proof) {
            tally.refuted.push(case.told(proof, session));
        }
        if proof.kind == "dead_end" {
            let witness = lines(&proof.witness);
            if let Some(what) = escapes(&judge, &alphabet, &case, proof, &witness) {
                tally.refuted.push(format!("{what}\n{proof:?}\n{text}"));
            }
        }
    }
    case.silent(&proofs, tally);
}

struct Case<'a> {
    contracts: &'a [Contract],
    text: &'a str,
    all: &'a [Judged],
}

impl Case<'_> {
    fn number(&self, name: &str) -> usize {
        self.contracts.iter().position(|c| c.name == name).unwrap()
    }

    fn kept(&self, session: &Judged, names: &[String]) -> bool {
        names
            .iter()
            .all(|name| session.values[self.number(name)] == Value3::Active)
    }

    /// A session that shows that a finding is wrong.
    fn refutes(&self, proof: &Proof) -> Option<&Judged> {
        let about = &proof.contracts;
        self.all.iter().find(|session| match proof.kind {
            "inconsistent" | "conflict" => self.kept(session, about),
            "incompatible" => about
                .iter()
                .any(|name| session.values[self.number(name)] != Value3::Idle),
            "dead_tool" => {
                self.kept(session, about) && calls(session, proof.tool.as_deref().unwrap_or(""))
            }
            "redundant" => self.kept(session, &proof.implied_by) && !self.kept(session, about),
            "vacuous" => {
                self.kept(session, &proof.implied_by)
                    && about.iter().any(|name| self.fires(session, name))
            }
            _ => false,
        })
    }

    /// Whether what a contract waits for happens in a session. Only forms whose left side is one pattern are
    /// looked at.
    fn fires(&self, session: &Judged, name: &str) -> bool {
        let contract = &self.contracts[self.number(name)];
        let triggers: Vec<usize> = contract
            .guarantee
            .iter()
            .filter_map(|f| match f {
                F::Bin(
                    Binary::LeadsTo | Binary::LeadsNow | Binary::OnlyAfter | Binary::OnlyWhile,
                    p,
                    _,
                )
                | F::LeadsSteps(p, ..) => match **p {
                    F::Leaf(n) => Some(n),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        let events = Session {
            lines: session.lines.clone(),
            times: Vec::new(),
        }
        .events();
        let open = Cell::new(false);
        contract.keys(&events).iter().any(|key| {
            (0..events.len()).any(|at| {
                let moment = Moment {
                    events: &events,
                    at,
                    key: key.as_ref(),
                    open: &open,
                };
                triggers.iter().any(|n| match &contract.atoms[*n] {
                    Atom::Pattern(p) => p.holds(moment) == Some(true),
                    _ => false,
                })
            })
        })
    }

    fn told(&self, proof: &Proof, session: &Judged) -> String {
        let mut text = format!(
            "----- {proof:?}\n{}values {:?}\n",
            self.text, session.values
        );
        for line in &session.lines {
            let _ = writeln!(text, "{line:?}");
        }
        text
    }

    /// Where nothing was found and nothing left open: there is a session.
    fn silent(&self, proofs: &[Proof], tally: &mut Tally) {
        let is = |kind: &str, name: &str| {
            proofs.iter().any(|proof| {
                (proof.kind == kind || proof.question == Some(kind))
                    && (proof.contracts.iter().any(|c| c == name) || proof.contracts.is_empty())
            })
        };
        let hopeless = proofs.iter().any(|proof| {
            let kinds = ["inconsistent", "incompatible", "conflict"];
            kinds.contains(&proof.kind) || proof.question.is_some_and(|q| kinds.contains(&q))
        });
        if hopeless {
            // Of what cannot be kept nothing else is told.
            return;
        }
        let mut answered = |what: String, found: bool| {
            if found {
                tally.confirmed += 1;
            } else {
                tally
                    .unconfirmed
                    .push(format!("----- {what}\n{}", self.text));
            }
        };
        let names: Vec<String> = self.contracts.iter().map(|c| c.name.clone()).collect();
        answered(
            "all kept".to_owned(),
            self.all.iter().any(|session| self.kept(session, &names)),
        );
        for name in &names {
            let others: Vec<String> = names.iter().filter(|n| *n != name).cloned().collect();
            if others.is_empty() || is("redundant", name) || is("vacuous", name) {
                continue;
            }
            answered(
                format!("`{name}` broken alone"),
                self.all.iter().any(|session| {
                    self.kept(session, &others) && !self.kept(session, std::slice::from_ref(name))
                }),
            );
        }
        for tool in ["ta", "tb", "tc"] {
            let told = proofs.iter().any(|proof| {
                proof.tool.as_deref() == Some(tool)
                    || proof.question == Some("dead_tool") && proof.tool.is_none()
            });
            // A tool that a clause forbids outright is no finding.
            let forbidden = self.contracts.iter().any(|c| {
                c.guarantee.iter().any(|f| {
                    matches!(f, F::Un(ctr_tests::oracle::formula::Unary::Never, p)
                        if matches!(**p, F::Leaf(n) if matches!(&c.atoms[n], Atom::Pattern(p) if p.conds.is_empty())))
                })
            });
            if told || forbidden {
                continue;
            }
            answered(
                format!("`{tool}` called"),
                self.all
                    .iter()
                    .any(|session| self.kept(session, &names) && calls(session, tool)),
            );
        }
    }
}

/// Whether a tool is called in a session.
fn calls(session: &Judged, tool: &str) -> bool {
    session
        .lines
        .iter()
        .any(|line| matches!(line, Line::Call(_, name, _) if name == tool))
}

/// How a dead end is none: something is violated on the way, or a session goes on from there and keeps the contracts.
fn escapes(
    judge: &Judge<'_>,
    alphabet: &alphabet::Alphabet,
    case: &Case<'_>,
    proof: &Proof,
    witness: &[Line],
) -> Option<String> {
    let judged = judge.judge(witness);
    if let Some(at) = judged.violated {
        return Some(format!("event {at} of the dead end violates something"));
    }
    let mut layer = vec![witness.to_vec()];
    let mut looked = 0;
    for _ in 0..4 {
        let mut longer = Vec::new();
        for lines in &layer {
            looked += 1;
            if looked > 3_000 {
                return None;
            }
            let judged = judge.judge(lines);
            if case.kept(&judged, &proof.contracts) {
                return Some(format!("the dead end has a way out: {lines:?}"));
            }
            for line in next(alphabet, lines) {
                let mut lines = lines.clone();
                lines.push(line);
                longer.push(lines);
            }
        }
        layer = longer;
    }
    None
}

/// A session of the native trace format.
fn lines(witness: &[String]) -> Vec<Line> {
    let mut out = Vec::new();
    for text in witness {
        let value: Value = serde_json::from_str(text).unwrap();
        let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
        out.push(match value["kind"].as_str().unwrap() {
            "call" => Line::Call(text("id"), text("tool"), value["args"].clone()),
            "return" => {
                let status = match value["status"].as_str() {
                    Some("success") => Status::Success,
                    Some("failure") => Status::Failure,
                    _ => Status::Unknown,
                };
                Line::Return(text("id"), status, value.get("result").cloned())
            }
            "input" => Line::Input(text("text")),
            "output" => Line::Output(text("text")),
            "event" => Line::Declared(text("name"), value["fields"].clone()),
            other => panic!("a line of kind {other}"),
        });
    }
    out
}
