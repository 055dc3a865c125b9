//! What a refusal can be explained with: the conditions that the contract looked at and the values
//! that they saw, whether a call in flight would change them, and whether time would.

use alloc::string::ToString;
use alloc::vec::Vec;

use super::Session;
use super::groups::Label;
use super::judge::{Judge, Walk};
use super::plan::{asked, children, collect};
use crate::decision::{Objection, Seen};
use crate::eval::datum::{Key, Truth};
use crate::eval::words::Words;
use crate::eval::{Host, KeyView};
use crate::event::{Event, EventKind};
use crate::format::model::{Label as StateLabel, Side};
use crate::format::{ConstRef, ContractRef, ExprRef};
use crate::value::Value;

/// How many conditions are told.
const MAX_CONDITIONS: usize = 8;
/// How many values of one condition are told.
const MAX_VALUES: usize = 12;
/// How many atoms of a state are looked at.
const MAX_ATOMS: usize = 64;
/// The largest value that is told as it is, in bytes of JSON; larger ones are cut to a text.
const MAX_BYTES: usize = 512;

/// The conditions on the present event (and on the call's own success, the last frame, where that is what
/// the contract objects to) that a state asks for.
pub(crate) fn seen(
    judge: &mut Judge<'_, '_>,
    contract: ContractRef<'_>,
    label: Option<Label>,
    side: Side,
    anticipated: bool,
) -> Vec<Seen> {
    let library = judge.eval.library;
    let automaton = match side {
        Side::Assume => contract.assume(),
        Side::Guarantee => contract.guarantee(),
    };
    let (Some(automaton), Some(label)) = (automaton, label) else {
        return Vec::new();
    };
    let state = match side {
        Side::Assume => label.assume,
        Side::Guarantee => label.guarantee,
    };
    let automaton = library.automaton(automaton);
    let mut atoms = asked(automaton, state, MAX_ATOMS);
    if anticipated {
        // The success may ask in the state that the call leads to.
        let mut all: Vec<u32> = (0..automaton.node_count())
            .map(|node| automaton.node(node).atom)
            .collect();
        all.truncate(4 * MAX_ATOMS);
        for atom in all {
            if !atoms.contains(&atom) {
                atoms.push(atom);
            }
        }
    }
    let last = judge.eval.frames.len().saturating_sub(1);
    let mut out = Vec::new();
    for atom in atoms {
        if out.len() >= MAX_CONDITIONS {
            break;
        }
        let a = library.atom(atom);
        let mut at = 0;
        if let ExprRef::Pattern(p) = library.expr(a.expr) {
            let p = library.pattern(p);
            let fits = |at: usize| {
                let frame = judge.eval.frames.get(at);
                frame.is_some_and(|f| f.fits_kind(p.kind) && f.named_by(p))
            };
            at = match (fits(0), anticipated && fits(last)) {
                (true, _) => 0,
                (false, true) => last,
                (false, false) => continue,
            };
        }
        judge.eval.at = at;
        let holds = match judge.eval.truth(a.expr) {
            Truth::True => Some(true),
            Truth::False => Some(false),
            Truth::Open(_) => None,
        };
        let values = values(judge, contract, a.expr);
        judge.eval.at = 0;
        out.push(Seen {
            condition: a.text.to_string(),
            holds,
            values,
        });
    }
    out
}

/// What an expression compares: arguments and other parts of the event, facts, aggregates, lookups.
fn values(
    judge: &mut Judge<'_, '_>,
    contract: ContractRef<'_>,
    expr: u32,
) -> Vec<(alloc::string::String, Option<Value>)> {
    let library = judge.eval.library;
    let words = Words::new(library, Some(contract.id()));
    let mut out: Vec<(alloc::string::String, Option<Value>)> = Vec::new();
    let mut open = Vec::from([expr]);
    while let Some(expr) = open.pop() {
        if out.len() >= MAX_VALUES {
            break;
        }
        match library.expr(expr) {
            ExprRef::Pattern(p) => {
                let p = library.pattern(p);
                open.extend(p.condition);
                open.extend(p.keys.iter());
            }
            // A quantifier's body has no value of its own.
            ExprRef::Every(list, _) | ExprRef::Some(list, _) => open.push(list),
            ExprRef::Path { .. }
            | ExprRef::Root(_)
            | ExprRef::Read { .. }
            | ExprRef::Lookup(..) => {
                let text = words.expr(expr);
                if out.iter().any(|(other, _)| *other == text) {
                    continue;
                }
                let value = judge.eval.value(expr).ok().map(|v| short(v.into_value()));
                out.push((text, value));
            }
            ExprRef::Fresh { register, .. } => {
                open.push(library.register(register).member);
            }
            other => {
                let from = open.len();
                children(other, |child| open.push(child));
                // In order of the text.
                if let Some(new) = open.get_mut(from..) {
                    new.reverse();
                }
            }
        }
    }
    out
}

fn short(value: Value) -> Value {
    let text = crate::json::to_string(&value);
    if text.len() <= MAX_BYTES {
        return value;
    }
    let mut end = MAX_BYTES;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut cut = alloc::string::String::from(text.get(..end).unwrap_or_default());
    cut.push_str("...");
    Value::Str(cut)
}

/// Whether the event would perhaps be accepted if a call in flight had succeeded before it: the frames of
/// the evaluator are that success and the event. Only what aggregates remember of it counts here.
pub(crate) fn helps(
    judge: &mut Judge<'_, '_>,
    contract: u32,
    label: Label,
    key: Option<&Key>,
) -> bool {
    let library = judge.eval.library;
    let contract = library.contract(contract);
    let Some(guarantee) = contract.guarantee() else {
        return false;
    };
    judge.eval.at = 1;
    judge.eval.key = match key {
        Some(key) => KeyView::Known(key.clone()),
        None if contract.key_count() > 0 => KeyView::Fresh,
        None => KeyView::None,
    };
    let guarantee = library.automaton(guarantee);
    let good = |state: &u32| guarantee.state(*state).label != StateLabel::ViolatedForGood;
    let found = match judge.walk(guarantee, label.guarantee) {
        Walk::To(state) => good(&state),
        // What is undefined whatever the result is stays so.
        Walk::Split(states, gaps) => {
            gaps.iter()
                .any(|gap| !matches!(gap, crate::eval::datum::Gap::Undefined(_)))
                && states.iter().any(good)
        }
        Walk::Depends => false,
    };
    judge.eval.at = 0;
    found
}

impl Session<'_> {
    /// A time from which on a refused event would be accepted if nothing else happened; `None` where
    /// waiting alone does not help. The answer is confirmed by judging the event at that time.
    pub(super) fn free_at(
        &mut self,
        event: &Event<'_>,
        objections: &[Objection],
        host: &mut dyn Host,
    ) -> Option<i64> {
        if !matches!(
            event.kind,
            EventKind::Call { .. } | EventKind::Output { .. }
        ) {
            return None;
        }
        let mut horizon: i64 = 0;
        for objection in objections {
            horizon = horizon.max(self.horizon(objection.contract));
        }
        let now = event.meta.time?;
        let now = self.clock.map_or(now, |clock| clock.max(now));
        let last = now.checked_add(horizon)?.checked_add(1)?;
        if horizon == 0 {
            return None;
        }
        let clock = self.clock;
        let mut accepted = |time: i64| {
            let mut later = *event;
            later.meta.time = Some(time);
            let good = self.is_accepted(&later, host);
            self.clock = clock;
            good
        };
        if !accepted(last) {
            return None;
        }
        let (mut refused, mut good) = (now, last);
        while good - refused > 1 {
            let middle = refused + (good - refused) / 2;
            match accepted(middle) {
                true => good = middle,
                false => refused = middle,
            }
        }
        Some(good)
    }

    /// The longest time that a contract's conditions speak of.
    fn horizon(&self, contract: u32) -> i64 {
        let library = self.library;
        let Some(guarantee) = library.contract(contract).guarantee() else {
            return 0;
        };
        let guarantee = library.automaton(guarantee);
        let mut open: Vec<u32> = (0..guarantee.node_count())
            .map(|node| guarantee.node(node).atom)
            .collect();
        crate::order::sort(&mut open);
        open.dedup();
        let mut open: Vec<u32> = open.into_iter().map(|a| library.atom(a).expr).collect();
        let mut patterns = Vec::new();
        let mut registers = Vec::new();
        for expr in &open {
            collect(library, *expr, &mut patterns, &mut registers);
        }
        crate::order::sort(&mut registers);
        registers.dedup();
        let windows = registers.iter().filter_map(|r| library.register(*r).window);
        let mut longest = windows.max().unwrap_or(0);
        for pattern in patterns {
            open.extend(library.pattern(pattern).condition);
        }
        let mut visits = 0;
        while let Some(expr) = open.pop() {
            visits += 1;
            if visits > 4096 {
                break;
            }
            match library.expr(expr) {
                ExprRef::Const(ConstRef::Duration(d)) => longest = longest.max(d),
                ExprRef::Fresh { within, .. } => longest = longest.max(within),
                other => children(other, |child| open.push(child)),
            }
        }
        longest
    }
}
