//! Makes a failing pair of contract and session small: greedily, and with a bounded number of
//! runs of the binary.

use super::check::{Oracle, differs, policy, replay};
use super::contract::Contract;
use super::model::Session;
use crate::cases::find_contract;
use std::path::Path;

const RUNS: usize = 120;

/// Whether the binary answers for a contract alone.
///
/// # Errors
/// What it said instead.
pub fn accepts(dir: &Path, contract: &Contract, texts: &[String]) -> Result<(), String> {
    let policy = policy(std::slice::from_ref(contract));
    replay(dir, &policy, texts, "recorded").map(|_| ())
}

/// A smaller contract that still gets no answer.
#[must_use]
pub fn rejected(dir: &Path, contract: &Contract, texts: &[String]) -> Contract {
    let mut best = contract.clone();
    let mut runs = 0;
    'again: loop {
        for less in smaller(&best) {
            runs += 1;
            if runs > RUNS {
                return best;
            }
            if accepts(dir, &less, texts).is_err() {
                best = less;
                continue 'again;
            }
        }
        return best;
    }
}

/// A smaller contract and a shorter session that still differ, and how.
#[must_use]
pub fn pair(
    dir: &Path,
    contract: &Contract,
    session: &Session,
    oracle: Oracle<'_>,
    difference: String,
) -> (Contract, Session, String) {
    let mut best = (contract.clone(), session.clone(), difference);
    let mut runs = 0;
    'again: loop {
        let (contract, session, _) = &best;
        let shorter = (0..session.lines.len())
            .rev()
            .map(|i| (contract.clone(), session.without(i)));
        let simpler = smaller(contract).into_iter().map(|c| (c, session.clone()));
        let candidates: Vec<(Contract, Session)> = shorter.chain(simpler).collect();
        for (contract, session) in candidates {
            let Some(expect) = oracle(&contract, &session) else {
                continue;
            };
            runs += 1;
            if runs > RUNS {
                return best;
            }
            let policy = policy(std::slice::from_ref(&contract));
            let Ok(lines) = replay(dir, &policy, &[session.text()], "recorded") else {
                continue;
            };
            let answer = lines
                .first()
                .and_then(|line| find_contract(line, &contract.name));
            if let Some(difference) = differs(&expect, answer) {
                best = (contract, session, difference);
                continue 'again;
            }
        }
        return best;
    }
}

/// Contracts that are a step smaller.
fn smaller(contract: &Contract) -> Vec<Contract> {
    let mut all = Vec::new();
    for i in 0..contract.assume.len() {
        let mut less = contract.clone();
        less.assume.remove(i);
        all.push(less);
        for f in contract.assume[i].shorter() {
            let mut less = contract.clone();
            less.assume[i] = f;
            all.push(less);
        }
    }
    for i in 0..contract.guarantee.len() {
        if contract.guarantee.len() > 1 {
            let mut less = contract.clone();
            less.guarantee.remove(i);
            all.push(less);
        }
        for f in contract.guarantee[i].shorter() {
            let mut less = contract.clone();
            less.guarantee[i] = f;
            all.push(less);
        }
    }
    if contract.template {
        let mut less = contract.clone();
        less.template = false;
        all.push(less);
        // A template takes at least one pattern.
        all.retain(|c| !c.template || !c.used().is_empty());
    }
    all
}
