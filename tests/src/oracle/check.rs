//! Compares `ctrc` with the definitions, many contracts and sessions at a time.

use super::contract::{Contract, HEADER};
use super::eval::Steps;
use super::model::Session;
use super::residual::{Judge, Letter, recorded};
use super::shrink;
use crate::binary::run;
use crate::cases::find_contract;
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

/// What the definitions say of a contract on a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expect {
    /// Its value.
    pub value: &'static str,
    /// The events of its violations with their reasons, where they are compared.
    pub violations: Option<BTreeSet<(usize, String)>>,
    /// The event of the obligation that is pending at the end, where there is one.
    pub pending: Option<usize>,
}

/// A judge of a contract on a session; none where the language reference leaves it open.
pub type Oracle<'a> = &'a dyn Fn(&Contract, &Session) -> Option<Expect>;

/// The value of a contract by the truth of its formulas alone.
#[must_use]
pub fn by_truth(contract: &Contract, session: &Session) -> Option<Expect> {
    let events = session.events();
    let used = contract.used();
    let open = Cell::new(false);
    let (mut failed, mut idle) = (false, false);
    for key in contract.keys(&events) {
        let steps = contract.steps(&events, key.as_ref());
        let rows = contract.table(&events, &steps, key.as_ref(), &open);
        let mut table: Vec<Letter> = Vec::new();
        for row in rows {
            if open.get() || used.iter().any(|a| row[*a].is_none()) {
                return None;
            }
            table.push(row.iter().map(|v| *v == Some(true)).collect());
        }
        let judge = |on_nothing| {
            let steps = Steps {
                table: &table,
                on_nothing,
            };
            let all = |fs: &[super::formula::F]| fs.iter().all(|f| steps.judge(f));
            (all(&contract.assume), all(&contract.guarantee))
        };
        let (assumed, guaranteed) = judge(false);
        let patterns_only = !contract
            .atoms
            .iter()
            .any(|a| matches!(a, super::contract::Atom::State(_)));
        if !patterns_only && judge(true) != (assumed, guaranteed) {
            return None;
        }
        idle |= !assumed;
        failed |= assumed && !guaranteed;
    }
    Some(Expect {
        value: if failed {
            "FAIL"
        } else if idle {
            "IDLE"
        } else {
            "ACTIVE"
        },
        violations: None,
        pending: None,
    })
}

/// The judges of contracts, each made once.
pub struct Judges<'a> {
    possible: &'a dyn Fn(&Contract) -> BTreeSet<Letter>,
    made: RefCell<HashMap<String, Option<Rc<Judge>>>>,
}

impl<'a> Judges<'a> {
    /// No judges yet; `possible` gives the letters that some event gives to a contract.
    #[must_use]
    pub fn new(possible: &'a dyn Fn(&Contract) -> BTreeSet<Letter>) -> Self {
        Self {
            possible,
            made: RefCell::default(),
        }
    }

    fn of(&self, contract: &Contract) -> Option<Rc<Judge>> {
        self.made
            .borrow_mut()
            // Equal texts can number their atoms differently.
            .entry(format!("{:?} {}", contract.used(), contract.text()))
            .or_insert_with(|| Judge::new(contract, &(self.possible)(contract)).map(Rc::new))
            .clone()
    }
}

/// Value and violations of a contract without assumption, by trying every extension of every
/// prefix.
#[must_use]
pub fn by_futures(contract: &Contract, judges: &Judges<'_>, session: &Session) -> Option<Expect> {
    let judge = judges.of(contract)?;
    let events = session.events();
    let used = contract.used();
    let open = Cell::new(false);
    let mut violations = BTreeSet::new();
    let mut pending = None;
    let mut failed = false;
    for key in contract.keys(&events) {
        let steps = contract.steps(&events, key.as_ref());
        let table = contract.table(&events, &steps, key.as_ref(), &open);
        let report = recorded(&judge, &used, &table)?;
        if open.get() {
            return None;
        }
        for (step, reason) in &report.violations {
            violations.insert((steps[*step], (*reason).to_owned()));
        }
        failed |= !report.violations.is_empty() || report.pending.is_some();
        if let Some(Some(step)) = report.pending {
            pending = pending.max(Some(steps[step]));
        }
    }
    Some(Expect {
        value: if failed { "FAIL" } else { "ACTIVE" },
        violations: (!contract.keyed || pending.is_none()).then_some(violations),
        pending,
    })
}

/// What is wrong with an answer, if something is.
#[must_use]
pub fn differs(expect: &Expect, answer: Option<&Value>) -> Option<String> {
    let Some(answer) = answer else {
        return Some(format!(
            "expected {expect:?}, got no entry for the contract"
        ));
    };
    let shown = || {
        format!(
            "expected {} {:?} pending {:?}, got {} {}",
            expect.value, expect.violations, expect.pending, answer["value"], answer["violations"]
        )
    };
    if answer["value"] != expect.value {
        return Some(shown());
    }
    let violations = expect.violations.as_ref()?;
    let mut got = BTreeSet::new();
    let mut pending = None;
    for violation in answer["violations"].as_array().into_iter().flatten() {
        let reason = violation["reason"].as_str().unwrap_or_default().to_owned();
        let event = violation["event"]
            .as_u64()
            .and_then(|e| usize::try_from(e).ok());
        if reason == "pending_at_end" {
            pending = event;
        } else if let Some(event) = event {
            got.insert((event, reason));
        }
    }
    // Beside violations, an obligation that is open as well may be told or not.
    let told = pending == expect.pending || (!violations.is_empty() && pending.is_none());
    (got != *violations || !told).then(shown)
}

/// Runs one policy over sessions: the JSON line of each, in the order given.
///
/// # Errors
/// What the binary said, where it did not give one line a session.
pub fn replay(
    dir: &Path,
    policy: &str,
    sessions: &[String],
    view: &str,
) -> Result<Vec<Value>, String> {
    fs::write(dir.join("policy.ctr"), policy).expect("a written policy");
    let mut args: Vec<String> = [
        "replay",
        "-l",
        "policy.ctr",
        "--format",
        "json",
        "--view",
        view,
    ]
    .map(str::to_owned)
    .to_vec();
    for (i, text) in sessions.iter().enumerate() {
        let name = format!("s{i:04}.jsonl");
        fs::write(dir.join(&name), text).expect("a written session");
        args.push(name);
    }
    let got = run(dir, &args, None, Duration::from_secs(120));
    let failure = |what: &str| {
        format!(
            "{what}: exit {:?} timed out {}\nstdout: {:.2000}\nstderr: {:.4000}",
            got.code, got.timed_out, got.stdout, got.stderr
        )
    };
    if !matches!(got.code, Some(0 | 1)) {
        return Err(failure("unexpected exit"));
    }
    let mut lines: Vec<Option<Value>> = vec![None; sessions.len()];
    for line in got.stdout.lines().filter(|l| !l.trim().is_empty()) {
        let value: Value =
            serde_json::from_str(line).map_err(|e| failure(&format!("no JSON ({e})")))?;
        let index = value["session"]
            .as_str()
            .and_then(|s| Path::new(s).file_stem())
            .and_then(|s| s.to_str())
            .and_then(|s| s.trim_start_matches('s').parse::<usize>().ok());
        match index.and_then(|i| lines.get_mut(i)) {
            Some(slot) => *slot = Some(value),
            None => return Err(failure("an unknown session")),
        }
    }
    lines
        .into_iter()
        .collect::<Option<Vec<Value>>>()
        .ok_or_else(|| failure("a session without answer"))
}

/// A run of many comparisons.
pub struct Comparison {
    name: &'static str,
    seed: u64,
    /// Pairs of contract and session that were compared.
    pub compared: usize,
    /// Pairs that the reference leaves open, or that are too large for the definitions.
    pub skipped: usize,
    failures: usize,
    shown: HashSet<String>,
    report: String,
}

/// How many failing contracts are reduced and shown.
const SHOWN: usize = 4;

impl Comparison {
    /// An empty comparison; the name and the seed stand in its report.
    #[must_use]
    pub fn new(name: &'static str, seed: u64) -> Self {
        Self {
            name,
            seed,
            compared: 0,
            skipped: 0,
            failures: 0,
            shown: HashSet::new(),
            report: String::new(),
        }
    }

    /// Compares every contract on every session, in one run of the binary.
    ///
    /// # Panics
    /// Where no temporary folder can be made.
    pub fn batch(&mut self, contracts: &[Contract], sessions: &[Session], oracle: Oracle<'_>) {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let texts: Vec<String> = sessions.iter().map(Session::text).collect();
        let policy = policy(contracts);
        match replay(dir.path(), &policy, &texts, "recorded") {
            Ok(lines) => {
                for contract in contracts {
                    for (session, line) in sessions.iter().zip(&lines) {
                        self.pair(dir.path(), contract, session, line, oracle);
                    }
                }
                for (session, line) in sessions.iter().zip(&lines) {
                    self.sides(contracts, session, line, oracle);
                }
            }
            Err(message) => self.rejected(dir.path(), contracts, &texts, &message),
        }
    }

    fn pair(
        &mut self,
        dir: &Path,
        contract: &Contract,
        session: &Session,
        line: &Value,
        oracle: Oracle<'_>,
    ) {
        let Some(expect) = oracle(contract, session) else {
            self.skipped += 1;
            return;
        };
        self.compared += 1;
        let answer = find_contract(line, &contract.name);
        if let Some(difference) = differs(&expect, answer) {
            self.failures += 1;
            if self.shown.len() >= SHOWN || !self.shown.insert(contract.text()) {
                return;
            }
            let (contract, session, difference) =
                shrink::pair(dir, contract, session, oracle, difference);
            let _ = writeln!(
                self.report,
                "\n----- {}\n{}--- trace\n{}--- {difference}",
                contract.name,
                policy(std::slice::from_ref(&contract)),
                session.text(),
            );
        }
    }

    /// The library's verdict: the maximum and the minimum over FAIL < ACTIVE < IDLE.
    fn sides(
        &mut self,
        contracts: &[Contract],
        session: &Session,
        line: &Value,
        oracle: Oracle<'_>,
    ) {
        let order = ["FAIL", "ACTIVE", "IDLE"];
        let ranks: Option<Vec<usize>> = contracts
            .iter()
            .map(|c| oracle(c, session).and_then(|e| order.iter().position(|o| *o == e.value)))
            .collect();
        let Some(ranks) = ranks else {
            return;
        };
        let environment = ranks.iter().max().map_or("ACTIVE", |r| order[*r]);
        let agent = ranks.iter().min().map_or("ACTIVE", |r| order[*r]);
        if self.failures == 0 && (line["environment"] != environment || line["agent"] != agent) {
            let got = format!("{} {}", line["environment"], line["agent"]);
            self.fail(|| {
                format!(
                    "{}--- trace\n{}--- expected environment {environment}, agent {agent}, got {got}",
                    policy(contracts),
                    session.text()
                )
            });
        }
    }

    /// A batch without answers: the contracts that are refused alone are the failures.
    fn rejected(&mut self, dir: &Path, contracts: &[Contract], texts: &[String], message: &str) {
        let before = self.failures;
        for contract in contracts {
            let Err(message) = shrink::accepts(dir, contract, texts) else {
                continue;
            };
            self.failures += 1;
            if self.failures <= SHOWN {
                let contract = shrink::rejected(dir, contract, texts);
                let _ = writeln!(
                    self.report,
                    "\n----- {} has no answer\n{}--- {message}",
                    contract.name,
                    policy(std::slice::from_ref(&contract)),
                );
            }
        }
        if self.failures == before {
            self.failures += 1;
            let _ = writeln!(
                self.report,
                "\n----- a batch has no answer, though each contract alone has one\n{}--- {message}",
                policy(contracts)
            );
        }
    }

    /// Adds a failure that was found elsewhere.
    pub fn fail(&mut self, text: impl FnOnce() -> String) {
        self.failures += 1;
        if self.failures <= SHOWN {
            let _ = writeln!(self.report, "\n-----\n{}", text());
        }
    }

    /// Ends the test: fails where a pair differed, or where fewer than `least` were compared.
    ///
    /// # Panics
    /// In these cases, with the report.
    pub fn finish(self, least: usize) {
        eprintln!(
            "{}: {} pairs compared, {} skipped",
            self.name, self.compared, self.skipped
        );
        assert!(
            self.failures == 0,
            "{}: {} failures in {} pairs (CTRC_ORACLE_SEED={}){}",
            self.name,
            self.failures,
            self.compared,
            self.seed,
            self.report
        );
        assert!(
            self.compared >= least,
            "{}: only {} pairs were compared",
            self.name,
            self.compared
        );
    }
}

/// The source of a policy.
#[must_use]
pub fn policy(contracts: &[Contract]) -> String {
    let mut text = HEADER.to_owned();
    for contract in contracts {
        text += &contract.text();
    }
    text
}
