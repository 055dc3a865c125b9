//! Moving one contract by an event that has been judged.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use super::advice::{detail, is_constant, message};
use super::assess::{Assessment, Monitor, Single};
use super::deadlines::{ALL, Deadlines, Trigger};
use super::groups::{GroupMove, Groups, Label};
use super::judge::{Judge, Ring, Verdict};
use super::record::Changes;
use super::scratch::Moves;
use super::{NO_INSTANCE, Stored};
use crate::decision::Reason;
use crate::eval::KeyView;
use crate::eval::datum::{Gap, Key};
use crate::format::model::Side;
use crate::format::{ContractRef, Library};

/// Words for violations by one event: one text where it is the same for all instances.
struct Telling<'j, 'a, 'm> {
    judge: &'j mut Judge<'a, 'm>,
    contract: ContractRef<'a>,
    constant: bool,
    seq: u64,
    id: Option<&'j str>,
    last: Option<(Reason, Side, String)>,
}

impl Telling<'_, '_, '_> {
    fn tell(&mut self, instance: u32, key: Option<&Key>, reason: Reason, gaps: &[Gap]) -> Stored {
        self.tell_of(Side::Guarantee, instance, key, reason, gaps)
    }

    fn tell_of(
        &mut self,
        side: Side,
        instance: u32,
        key: Option<&Key>,
        reason: Reason,
        gaps: &[Gap],
    ) -> Stored {
        let detail = match reason {
            Reason::Undetermined => detail(self.judge.eval.library, self.contract.id(), gaps),
            _ => None,
        };
        let known = self
            .last
            .as_ref()
            .filter(|(r, s, _)| *r == reason && *s == side && self.constant);
        let message = match known {
            Some((_, _, message)) => message.clone(),
            None => {
                self.judge.eval.key = match key {
                    Some(key) => KeyView::Known(key.clone()),
                    None if self.contract.key_count() > 0 => KeyView::Fresh,
                    None => KeyView::None,
                };
                let text = message(self.judge, self.contract, reason, side);
                self.last = Some((reason, side, text.clone()));
                text
            }
        };
        Stored {
            instance,
            event: Some(self.seq),
            id: self.id.map(ToOwned::to_owned),
            reason,
            message,
            detail,
        }
    }
}

/// Moves a contract.
pub(super) fn apply<'a>(
    judge: &mut Judge<'a, '_>,
    contract: ContractRef<'a>,
    monitor: &mut Monitor,
    deadlines: &mut Deadlines,
    found: &mut Assessment,
    (seq, id): (u64, Option<&str>),
    moves: &mut Moves,
) -> Changes {
    let library = judge.eval.library;
    let mut changes = Changes::default();
    let mut telling = Telling {
        judge,
        contract,
        constant: is_constant(contract),
        seq,
        id,
        last: None,
    };
    if let Some((_, gaps)) = &found.whole {
        changes.undetermined = true;
        changes
            .violations
            .push(telling.tell(NO_INSTANCE, None, Reason::Undetermined, gaps));
        return changes;
    }
    match monitor {
        Monitor::One {
            label,
            since,
            failed,
        } => {
            let Some(single) = found.singles.first() else {
                return changes;
            };
            let (to, reason) = outcome(single, &mut telling, NO_INSTANCE, &mut changes);
            *failed |= reason;
            if telling
                .judge
                .plan
                .opens(contract.id(), label.guarantee, to.guarantee)
            {
                *since = Some(seq);
            }
            *label = to;
            ring(library, deadlines, 0, &single.rings, seq);
        }
        Monitor::Many(groups) => {
            many(
                library,
                groups,
                deadlines,
                found,
                &mut telling,
                &mut changes,
                moves,
            );
        }
    }
    changes
}

/// What a verdict changes for an instance: its states, and whether it fails.
fn outcome(
    single: &Single,
    telling: &mut Telling<'_, '_, '_>,
    instance: u32,
    changes: &mut Changes,
) -> (Label, bool) {
    match &single.verdict {
        Verdict::Move(to) => (*to, false),
        Verdict::Depends => (single.label, false),
        Verdict::Breaks => {
            let key = single.key.as_ref();
            let stored = telling.tell_of(Side::Assume, instance, key, Reason::Violated, &[]);
            changes.assumption.get_or_insert(stored);
            (Label::BROKEN, false)
        }
        Verdict::Violates(to) => {
            let stored = telling.tell(instance, single.key.as_ref(), Reason::Violated, &[]);
            changes.violations.push(stored);
            (*to, true)
        }
        Verdict::Undetermined(_, gaps) => {
            changes.undetermined = true;
            let key = single.key.as_ref();
            let stored = telling.tell(instance, key, Reason::Undetermined, gaps);
            changes.violations.push(stored);
            (single.label, true)
        }
    }
}

/// Moves the instances of a keyed contract.
fn many(
    library: &Library<'_>,
    groups: &mut Groups,
    deadlines: &mut Deadlines,
    found: &mut Assessment,
    telling: &mut Telling<'_, '_, '_>,
    changes: &mut Changes,
    scratch: &mut Moves,
) {
    let seq = telling.seq;
    let (plan, contract) = (telling.judge.plan, telling.contract.id());
    // Single instances, from the state before the event.
    let Moves {
        moved,
        apart,
        except,
        groups: moves,
    } = scratch;
    moved.clear();
    apart.clear();
    moves.clear();
    except.clear();
    for single in &mut found.singles {
        let instance = match (&single.key, single.instance) {
            (Some(key), None) => groups.ensure(key),
            (_, Some(instance)) => instance,
            (None, None) => continue,
        };
        if single.bound {
            groups.get_mut(instance).occurred = true;
        }
        single.instance = Some(instance);
        let (label, since) = groups.state(instance);
        if instance == 0
            && let Verdict::Undetermined(_, gaps) = &single.verdict
            && gaps.iter().any(|gap| !matches!(gap, Gap::Undefined(_)))
        {
            // What becomes of keys that have not occurred depends on the key.
            groups.lost = true;
            single.verdict = Verdict::Move(label);
        }
        if single.born_failed && matches!(single.verdict, Verdict::Move(to) if !to.broken) {
            let key = single.key.as_ref();
            let stored = telling.tell(instance, key, Reason::Violated, &[]);
            changes.told.push(stored);
        }
        let (to, fails) = outcome(single, telling, instance, changes);
        if fails {
            groups.get_mut(instance).failed = true;
        }
        let opened = plan.opens(contract, label.guarantee, to.guarantee);
        let since = if opened { Some(seq) } else { since };
        moved.push((instance, label, to, since));
    }
    // All others, by groups. Those that fail are told one by one.
    apart.extend(found.singles.iter().filter_map(|s| s.instance));
    crate::order::sort(apart);
    except.extend(apart.iter());
    let is_apart = |i: &u32| apart.binary_search(i).is_ok();
    for (label, verdict) in &found.groups {
        let mut to = *label;
        let mut failed: Option<(Reason, &[Gap])> = None;
        match verdict {
            Verdict::Move(next) => to = *next,
            Verdict::Depends => {}
            Verdict::Violates(next) => {
                to = *next;
                failed = Some((Reason::Violated, &[]));
            }
            Verdict::Undetermined(_, gaps) => failed = Some((Reason::Undetermined, gaps)),
            Verdict::Breaks => {
                to = Label::BROKEN;
                // Once a group; the first key that has occurred speaks for it.
                let speaker = groups
                    .members(*label)
                    .filter(|i| !is_apart(i))
                    .min_by_key(|i| (!groups.get(*i).occurred, *i));
                if let Some(instance) = speaker {
                    let key = groups.get(instance).key.clone();
                    let key = (instance != 0).then_some(&key);
                    let stored =
                        telling.tell_of(Side::Assume, instance, key, Reason::Violated, &[]);
                    changes.assumption.get_or_insert(stored);
                }
            }
        }
        if let Some((reason, gaps)) = failed {
            let mut members: Vec<u32> = groups.members(*label).filter(|i| !is_apart(i)).collect();
            crate::order::sort(&mut members);
            for instance in members {
                let key = groups.get(instance).key.clone();
                let shown = (instance != 0).then_some(&key);
                let stored = telling.tell(instance, shown, reason, gaps);
                groups.get_mut(instance).failed = true;
                changes.violations.push(stored);
                if reason == Reason::Undetermined {
                    changes.undetermined |= groups.get(instance).occurred;
                    except.push(instance);
                }
            }
        }
        moves.push(GroupMove {
            from: *label,
            to,
            opened: plan.opens(contract, label.guarantee, to.guarantee),
        });
    }
    if found.broadcast {
        groups.broadcast(moves, seq);
    }
    for (instance, label, to, since) in moved.drain(..) {
        if found.broadcast || label != to {
            groups.set(instance, to, since);
        }
    }
    for single in &found.singles {
        if let Some(instance) = single.instance {
            ring(library, deadlines, instance, &single.rings, seq);
        }
    }
    for r in &found.rings {
        if r.responds {
            deadlines.respond(r.deadline, ALL, seq, except);
        }
        if let Some(time) = r.triggers {
            let at = time.saturating_add(library.deadline(r.deadline).within);
            let except = except.clone();
            deadlines.trigger(r.deadline, ALL, at, Trigger { seq, time, except });
        }
    }
}

/// Answers and opens deadlines of one instance.
fn ring(library: &Library<'_>, deadlines: &mut Deadlines, instance: u32, rings: &[Ring], seq: u64) {
    for r in rings {
        if r.responds {
            deadlines.respond(r.deadline, instance, seq, &[]);
        }
        if let Some(time) = r.triggers {
            let at = time.saturating_add(library.deadline(r.deadline).within);
            let except = Vec::new();
            deadlines.trigger(r.deadline, instance, at, Trigger { seq, time, except });
        }
    }
}
