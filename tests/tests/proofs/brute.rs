//! Short sessions, and what the runtime says of each.

use crate::alphabet::Alphabet;
use crate::live::{Owners, event};
use ctr_runtime::decision::Value3;
use ctr_runtime::format::Library;
use ctr_runtime::session::{Plan, Session};
use ctr_tests::oracle::model::Line;
use ctr_tests::rng::Rng;
use std::sync::Arc;

/// How many sessions are looked at: as long ones as fit.
const MOST: usize = 6_000;
/// Longer ones, at random.
const LONGER: usize = 1_500;

/// A session with the values of the contracts.
#[derive(Clone, Debug)]
pub struct Judged {
    pub lines: Vec<Line>,
    pub values: Vec<Value3>,
    /// The first event that violates something.
    pub violated: Option<usize>,
}

/// Judges sessions.
pub struct Judge<'l> {
    library: &'l Library<'l>,
    plan: Arc<Plan>,
}

impl<'l> Judge<'l> {
    pub fn new(library: &'l Library<'l>) -> Self {
        let plan = Arc::new(Plan::new(library));
        Self { library, plan }
    }

    pub fn judge(&self, lines: &[Line]) -> Judged {
        let mut session = Session::with_plan(self.library, Arc::clone(&self.plan));
        let mut violated = None;
        for (at, line) in lines.iter().enumerate() {
            let bad = event(line, None, |event| {
                let recorded = session.record(event, &mut Owners).unwrap();
                !recorded.violations.is_empty() || !recorded.assumptions.is_empty()
            });
            if bad == Some(true) && violated.is_none() {
                violated = Some(at);
            }
        }
        let outcome = session.finish();
        Judged {
            lines: lines.to_vec(),
            values: outcome.contracts.iter().map(|c| c.value).collect(),
            violated,
        }
    }
}

/// What can come next.
pub fn next(alphabet: &Alphabet, lines: &[Line]) -> Vec<Line> {
    let mut out = Vec::new();
    let id = format!("c{}", lines.len());
    for call in &alphabet.calls {
        out.push(Line::Call(
            id.clone(),
            call.tool.to_owned(),
            call.args.clone(),
        ));
    }
    for line in lines {
        let Line::Call(id, tool, args) = line else {
            continue;
        };
        let back = |line: &Line| matches!(line, Line::Return(other, ..) if other == id);
        if lines.iter().any(back) {
            continue;
        }
        let call = alphabet
            .calls
            .iter()
            .find(|call| call.tool == tool && call.args == *args);
        for (status, result) in call.iter().flat_map(|call| &call.answers) {
            out.push(Line::Return(id.clone(), *status, result.clone()));
        }
    }
    out.extend(alphabet.inputs.iter().cloned().map(Line::Input));
    out.extend(alphabet.outputs.iter().cloned().map(Line::Output));
    let declared = alphabet.declared.iter().cloned();
    out.extend(declared.map(|fields| Line::Declared("ev".to_owned(), fields)));
    out
}

/// All sessions of up to four events, as far as they are not too many, and longer ones at random.
pub fn sessions(alphabet: &Alphabet, judge: &Judge<'_>, rng: &mut Rng) -> Vec<Judged> {
    let mut all = vec![Vec::new()];
    let mut layer = vec![Vec::new()];
    for _ in 0..4 {
        let mut longer = Vec::new();
        for lines in &layer {
            for line in next(alphabet, lines) {
                let mut lines: Vec<Line> = lines.clone();
                lines.push(line);
                longer.push(lines);
            }
        }
        if all.len() + longer.len() > MOST {
            break;
        }
        all.extend(longer.iter().cloned());
        layer = longer;
    }
    // The more sorts of events there are, the rarer the right ones meet.
    for _ in 0..LONGER * (1 + alphabet.calls.len() / 6) {
        // A few sorts of events, so that they meet.
        let mut few = alphabet.clone();
        while few.calls.len() > 3 {
            few.calls.swap_remove(rng.below(few.calls.len()));
        }
        while few.declared.len() > 1 {
            few.declared.swap_remove(rng.below(few.declared.len()));
        }
        let mut lines = Vec::new();
        for _ in 0..3 + rng.below(5) {
            let next = next(&few, &lines);
            let returns: Vec<&Line> = next
                .iter()
                .filter(|line| matches!(line, Line::Return(..)))
                .collect();
            let line = if !returns.is_empty() && rng.chance(45) {
                (*rng.pick(&returns)).clone()
            } else {
                rng.pick(&next).clone()
            };
            lines.push(line);
        }
        all.push(lines);
    }
    all.iter().map(|lines| judge.judge(lines)).collect()
}
