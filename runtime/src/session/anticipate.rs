//! What follows if a proposed call, and each call still in flight, were to succeed (language
//! reference, section 5, "Outcomes are anticipated").
//!
//! The returns are imagined in the order of their calls, the proposed one's last, with results that
//! nobody knows. Sets of states are followed: where a condition depends on a result, both ways are
//! open. A guarantee that is violated on every way refuses the call now.

use alloc::vec::Vec;

use super::assess::{Assessment, Monitor, is_step};
use super::groups::{Groups, Label};
use super::judge::{Judge, Verdict, Walk, follow};
use super::plan::{AtomClass, ContractPlan};
use crate::eval::KeyView;
use crate::eval::datum::{Gap, Key, Truth};
use crate::format::model::Label as StateLabel;
use crate::format::{AutomatonRef, ContractRef, ExprRef};

/// An instance whose guarantee could not hold any more.
#[derive(Clone, Debug)]
pub(crate) struct Doomed {
    pub(crate) key: Option<Key>,
    /// The states before the call.
    pub(crate) label: Label,
    /// Frames of calls in flight without whose success it could still hold.
    pub(crate) waits: Vec<usize>,
}

/// How many calls in flight are named as the reason.
const MAX_WAITS: usize = 16;

/// Which instances of a contract see an imagined return.
#[derive(Clone, Debug, Default)]
struct Sight {
    step: bool,
    /// All of them, through an unkeyed pattern; always so without keys.
    all: bool,
    /// Those of these keys.
    keys: Vec<Key>,
    /// Perhaps others: the key depends on the result.
    perhaps: bool,
    /// Some pattern names it.
    named: bool,
}

/// Asks a contract about a proposed call. The frames of the evaluator are the call, the imagined
/// returns of the calls in flight, and its own. A `bystander` is a contract that neither the call nor its
/// success names: what the calls in flight do to it alone is not held against this call.
pub(crate) fn anticipate(
    judge: &mut Judge<'_, '_>,
    contract: ContractRef<'_>,
    monitor: &mut Monitor,
    assessment: Option<&Assessment>,
    bystander: bool,
) -> Vec<Doomed> {
    let Some(guarantee) = contract.guarantee() else {
        return Vec::new();
    };
    let plan = judge.plan;
    let Some(facts) = usize::try_from(contract.id())
        .ok()
        .and_then(|n| plan.contracts.get(n))
    else {
        return Vec::new();
    };
    if assessment.is_some_and(|a| a.whole.is_some()) {
        return Vec::new();
    }
    let guarantee = judge.eval.library.automaton(guarantee);
    let keyed = matches!(monitor, Monitor::Many(_));
    let frames = judge.eval.frames.len();
    let sights: Vec<Sight> = (0..frames)
        .map(|at| sight(judge, contract, facts, keyed, at))
        .collect();
    judge.eval.at = 0;
    let run = Run {
        guarantee,
        sights: &sights,
        keyed,
        bystander,
    };
    match monitor {
        Monitor::One { label, .. } => {
            let Some(after) = after(*label, assessment.and_then(|a| a.singles.first())) else {
                return Vec::new();
            };
            run.check(judge, after, *label, KeyView::None, None)
                .into_iter()
                .collect()
        }
        Monitor::Many(groups) => run.groups(judge, groups, assessment),
    }
}

/// The states after the call; `None` where the instance objects already, or is idle.
fn after(label: Label, single: Option<&super::assess::Single>) -> Option<Label> {
    let after = match single.map(|s| &s.verdict) {
        None => label,
        Some(Verdict::Move(to)) => *to,
        Some(_) => return None,
    };
    (!after.broken).then_some(after)
}

fn sight(
    judge: &mut Judge<'_, '_>,
    contract: ContractRef<'_>,
    facts: &ContractPlan,
    keyed: bool,
    at: usize,
) -> Sight {
    let library = judge.eval.library;
    judge.eval.at = at;
    judge.eval.key = KeyView::None;
    let Ok(frame) = judge.eval.frame() else {
        return Sight::default();
    };
    let mut sight = Sight {
        step: is_step(contract, frame),
        all: !keyed,
        ..Sight::default()
    };
    if !sight.step {
        return sight;
    }
    for pattern in &facts.unkeyed {
        if frame.named_by(library.pattern(*pattern)) {
            sight.all = true;
            sight.named = true;
        }
    }
    for pattern in &facts.keyed {
        let p = library.pattern(*pattern);
        if !frame.named_by(p) {
            continue;
        }
        sight.named = true;
        match judge.eval.bound_key(p.keys) {
            Ok(key) if !sight.keys.contains(&key) => sight.keys.push(key),
            Ok(_) => {}
            Err(_) => sight.perhaps = true,
        }
    }
    sight
}

struct Run<'r> {
    guarantee: AutomatonRef<'r>,
    sights: &'r [Sight],
    keyed: bool,
    bystander: bool,
}

impl Run<'_> {
    /// Whether every way leads to a violation; then also which calls in flight are to blame.
    fn check(
        &self,
        judge: &mut Judge<'_, '_>,
        after: Label,
        before: Label,
        key: KeyView,
        instance: Option<Key>,
    ) -> Option<Doomed> {
        if !self.doomed(judge, after.guarantee, &key, None) {
            return None;
        }
        let mut waits = Vec::new();
        let last = self.sights.len().saturating_sub(1);
        if self.bystander && self.doomed(judge, after.guarantee, &key, Some(last)) {
            return None;
        }
        for at in 1..last {
            if waits.len() >= MAX_WAITS {
                break;
            }
            let seen = self.sights.get(at).is_some_and(|s| s.named);
            if seen && !self.doomed(judge, after.guarantee, &key, Some(at)) {
                waits.push(at);
            }
        }
        Some(Doomed {
            key: instance,
            label: before,
            waits,
        })
    }

    /// Follows the set of states through the imagined returns, one left out where asked.
    fn doomed(
        &self,
        judge: &mut Judge<'_, '_>,
        start: u32,
        key: &KeyView,
        without: Option<usize>,
    ) -> bool {
        let mut states = Vec::from([start]);
        for (at, sight) in self.sights.iter().enumerate().skip(1) {
            if without == Some(at) || !sight.step {
                continue;
            }
            let sure = sight.all || matches!(key, KeyView::Known(k) if sight.keys.contains(k));
            let perhaps = !sure && sight.perhaps;
            if !sure && !perhaps {
                continue;
            }
            // An unnamed return cannot move a contract that is at rest.
            if !sight.named && states.iter().all(|s| self.guarantee.state(*s).idle) {
                continue;
            }
            judge.eval.at = at;
            judge.eval.key = key.clone();
            let mut next = if perhaps { states.clone() } else { Vec::new() };
            for state in states {
                let to = match self.walk(judge, state, sight, key) {
                    Walk::To(to) => Vec::from([to]),
                    Walk::Split(to, _) => to,
                    Walk::Depends => Vec::from([state]),
                };
                for to in to {
                    let violated = self.guarantee.state(to).label == StateLabel::ViolatedForGood;
                    if !violated && !next.contains(&to) {
                        next.push(to);
                    }
                }
            }
            states = next;
            if states.is_empty() {
                break;
            }
        }
        judge.eval.at = 0;
        states.is_empty()
    }

    fn walk(&self, judge: &mut Judge<'_, '_>, state: u32, sight: &Sight, key: &KeyView) -> Walk {
        let unknown = Some(Truth::Open(Gap::Unknown));
        let generic = matches!(key, KeyView::Other);
        let mut steps = 0;
        let walk = follow(self.guarantee, state, &mut steps, &mut |atom| {
            if generic && sight.perhaps && judge.plan.class(atom) == AtomClass::Keyed {
                let library = judge.eval.library;
                let ExprRef::Pattern(p) = library.expr(library.atom(atom).expr) else {
                    return unknown;
                };
                let p = library.pattern(p);
                let fits = judge
                    .eval
                    .frame()
                    .is_ok_and(|f| f.fits_kind(p.kind) && f.named_by(p));
                return if fits { unknown } else { Some(Truth::False) };
            }
            judge.atom(atom).or(unknown)
        });
        *judge.steps += steps;
        walk
    }

    fn groups(
        &self,
        judge: &mut Judge<'_, '_>,
        groups: &mut Groups,
        assessment: Option<&Assessment>,
    ) -> Vec<Doomed> {
        debug_assert!(self.keyed, "only keyed contracts have groups");
        let mut found = Vec::new();
        let (Some(call), Some(own)) = (self.sights.first(), self.sights.last()) else {
            return found;
        };
        // All instances are asked where the call or its return is seen by all.
        let everybody = (call.step && call.all) || (own.step && own.all);
        let mut keys: Vec<Key> = Vec::new();
        for (n, sight) in self.sights.iter().enumerate() {
            if everybody || n == 0 || n + 1 == self.sights.len() {
                for key in &sight.keys {
                    if !keys.contains(key) {
                        keys.push(key.clone());
                    }
                }
            }
        }
        let group_verdict = |label: Label| {
            assessment
                .and_then(|a| a.groups.iter().find(|(l, _)| *l == label))
                .map(|(_, v)| v.clone())
        };
        for key in &keys {
            let instance = groups.by_key(key);
            let (label, _) = groups.state(instance.unwrap_or(0));
            let single =
                assessment.and_then(|a| a.singles.iter().find(|s| s.key.as_ref() == Some(key)));
            let start = match single {
                Some(single) => after(label, Some(single)),
                None => match group_verdict(label) {
                    None => after(label, None),
                    Some(Verdict::Move(to)) => (!to.broken).then_some(to),
                    Some(_) => None,
                },
            };
            if let Some(start) = start {
                let view = KeyView::Known(key.clone());
                found.extend(self.check(judge, start, label, view, Some(key.clone())));
            }
        }
        if !everybody {
            return found;
        }
        for label in groups.labels() {
            let start = match group_verdict(label) {
                None => label,
                Some(Verdict::Move(to)) => to,
                Some(_) => continue,
            };
            if start.broken {
                continue;
            }
            let (members, more) = groups.few(label, MAX_WAITS, |instance, _| {
                !keys.contains(&instance.key)
            });
            let key = match members.first() {
                Some(member) => Some(groups.get(*member).key.clone()),
                // Too many to name one.
                None if more => None,
                None => continue,
            };
            found.extend(self.check(judge, start, label, KeyView::Other, key));
        }
        found
    }
}
