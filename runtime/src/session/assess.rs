//! One event, one contract: what it does to each of its instances.

use alloc::vec::Vec;

use super::deadlines::Deadlines;
use super::groups::{Groups, Label};
use super::judge::{Judge, Ring, Rings, Verdict};
use crate::eval::KeyView;
use crate::eval::datum::{Gap, Key, WhyKind};
use crate::eval::frame::Frame;
use crate::format::ContractRef;
use crate::format::model::Side;

/// The state of a contract's automata.
#[derive(Clone, Debug)]
#[cfg_attr(
    feature = "small",
    expect(
        clippy::large_enum_variant,
        reason = "its map is larger there; there is one for each contract"
    )
)]
pub(crate) enum Monitor {
    /// Of a contract without keys.
    One {
        label: Label,
        since: Option<u64>,
        failed: bool,
    },
    /// Of a keyed contract.
    Many(Groups),
}

impl Monitor {
    pub(crate) fn new(contract: ContractRef<'_>, label: Label) -> Self {
        if contract.key_count() == 0 {
            Self::One {
                label,
                since: None,
                failed: false,
            }
        } else {
            Self::Many(Groups::new(label))
        }
    }
}

/// What an event does to one instance.
#[derive(Clone, Debug)]
pub(crate) struct Single {
    /// `None` for a contract without keys, and for instance 0.
    pub(crate) key: Option<Key>,
    /// Whether the event binds the key, so that it occurs.
    pub(crate) bound: bool,
    /// Whether it brings a key into being whose guarantee was violated before, by events that every
    /// instance sees.
    pub(crate) born_failed: bool,
    /// The instance, where there is one yet.
    pub(crate) instance: Option<u32>,
    pub(crate) label: Label,
    pub(crate) verdict: Verdict,
    pub(crate) rings: Vec<Ring>,
}

/// What an event does to a contract.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assessment {
    pub(crate) contract: u32,
    /// The event is undetermined for the contract as a whole: it has no value for the key.
    pub(crate) whole: Option<(Side, Vec<Gap>)>,
    pub(crate) singles: Vec<Single>,
    /// For an event that all instances see: what becomes of each group, `singles` aside.
    pub(crate) groups: Vec<(Label, Verdict)>,
    /// The same for deadlines.
    pub(crate) rings: Vec<Ring>,
    pub(crate) broadcast: bool,
}

impl Assessment {
    /// Makes it one of another event that does nothing.
    pub(super) fn reset(&mut self, contract: u32) {
        self.contract = contract;
        self.whole = None;
        self.singles.clear();
        self.groups.clear();
        self.rings.clear();
        self.broadcast = false;
    }
}

/// Whether an event is a step of a contract, keys aside: it watches the kind, and the agent is one
/// of its own or not recorded.
pub(crate) fn is_step(contract: ContractRef<'_>, frame: &Frame<'_>) -> bool {
    // A declared event that the library does not know is a step of contracts that watch all.
    let watched = match frame.kind.class() {
        Some(class) => contract.watches(class),
        None => contract.patterns().is_empty(),
    };
    if !watched {
        return false;
    }
    let agents = contract.agents();
    match frame.agent {
        Some(agent) if !agents.is_empty() => {
            agents.iter().any(|glob| crate::text::like(agent, glob))
        }
        _ => true,
    }
}

/// Judges the present event for a contract; nothing is changed but how the instances are stored. Writes
/// into `out`, which must be empty; whether the event is a step at all.
pub(crate) fn assess(
    judge: &mut Judge<'_, '_>,
    contract: ContractRef<'_>,
    monitor: &mut Monitor,
    deadlines: &Deadlines,
    out: &mut Assessment,
) -> bool {
    let Ok(frame) = judge.eval.frame() else {
        return false;
    };
    if !is_step(contract, frame) {
        return false;
    }
    match monitor {
        Monitor::One { label, .. } => {
            judge.eval.key = KeyView::None;
            let (verdict, rings) = one(judge, contract, *label, deadlines, 0);
            out.singles.push(Single {
                key: None,
                bound: true,
                born_failed: false,
                instance: None,
                label: *label,
                verdict,
                rings,
            });
        }
        Monitor::Many(groups) => many(judge, contract, groups, deadlines, frame, out),
    }
    true
}

/// The verdict and the deadlines of one instance.
fn one(
    judge: &mut Judge<'_, '_>,
    contract: ContractRef<'_>,
    label: Label,
    deadlines: &Deadlines,
    instance: u32,
) -> (Verdict, Vec<Ring>) {
    let verdict = judge.verdict(contract, label);
    if label.broken || !matches!(verdict, Verdict::Move(_) | Verdict::Violates(_)) {
        return (verdict, Vec::new());
    }
    let open = |d| deadlines.open(d, instance).is_some();
    match judge.rings(contract, &open, &|_| true) {
        Rings::Are(rings) => (verdict, rings),
        Rings::Undetermined(side, gaps) => match verdict {
            Verdict::Violates(_) => (verdict, Vec::new()),
            _ => (Verdict::Undetermined(side, gaps), Vec::new()),
        },
        Rings::Depends => (Verdict::Depends, Vec::new()),
    }
}

fn many(
    judge: &mut Judge<'_, '_>,
    contract: ContractRef<'_>,
    groups: &mut Groups,
    deadlines: &Deadlines,
    frame: &Frame<'_>,
    out: &mut Assessment,
) {
    let library = judge.eval.library;
    let plan = judge.plan;
    let Some(facts) = plan.of(contract.id()) else {
        return;
    };
    let alive = |groups: &Groups| groups.labels().any(|l| !l.broken);
    judge.eval.key = KeyView::None;
    let mut keys: Vec<Key> = core::mem::take(&mut judge.eval.space.key_list);
    for pattern in &facts.keyed {
        let p = library.pattern(*pattern);
        if !frame.named_by(p) {
            continue;
        }
        let gap = match judge.eval.bound_key(p.keys) {
            Ok(key) if keys.contains(&key) => continue,
            Ok(key) => {
                if groups.by_key(&key).is_none() && !groups.has_room(&key) {
                    Gap::new(u32::MAX, WhyKind::Limit)
                } else {
                    keys.push(key);
                    continue;
                }
            }
            Err(gap) if frame.fits_kind(p.kind) => match gap {
                Gap::Undefined(why) if matches!(why.kind, WhyKind::Missing(_)) => {
                    Gap::new(why.expr, WhyKind::NoKey)
                }
                other => other,
            },
            Err(_) => continue,
        };
        if alive(groups) {
            let side = match facts.assumed.contains(pattern) {
                true => Side::Assume,
                false => Side::Guarantee,
            };
            out.whole = Some((side, Vec::from([gap])));
            keys.clear();
            judge.eval.space.key_list = keys;
            return;
        }
    }
    for key in keys.drain(..) {
        let instance = groups.by_key(&key);
        let (label, _) = groups.state(instance.unwrap_or(0));
        judge.eval.key = KeyView::Known(key.clone());
        let (verdict, rings) = if instance.is_none() && groups.lost && !label.broken {
            let gap = Gap::new(u32::MAX, WhyKind::LateKey);
            let verdict = Verdict::Undetermined(Side::Guarantee, Vec::from([gap]));
            (verdict, Vec::new())
        } else {
            one(judge, contract, label, deadlines, instance.unwrap_or(0))
        };
        out.singles.push(Single {
            key: Some(key),
            bound: true,
            born_failed: !label.broken && groups.is_born_failed(instance),
            instance,
            label,
            verdict,
            rings,
        });
    }
    judge.eval.space.key_list = keys;
    out.broadcast = facts
        .unkeyed
        .iter()
        .any(|p| frame.named_by(library.pattern(*p)));
    if out.broadcast {
        broadcast(judge, contract, groups, deadlines, out);
    }
}

/// Judges the event for all instances that it does not bind.
fn broadcast(
    judge: &mut Judge<'_, '_>,
    contract: ContractRef<'_>,
    groups: &mut Groups,
    deadlines: &Deadlines,
    out: &mut Assessment,
) {
    judge.eval.key = KeyView::Other;
    let open = |d| deadlines.any_open(d);
    let rings = judge.rings(contract, &open, &|d| deadlines.has_room(d));
    let mut verdicts: Vec<(Label, Verdict)> = core::mem::take(&mut out.groups);
    for label in groups.labels() {
        let verdict = judge.verdict(contract, label);
        let verdict = match (&rings, verdict) {
            (_, Verdict::Move(to)) if label.broken => Verdict::Move(to),
            (Rings::Depends, _) => Verdict::Depends,
            (Rings::Undetermined(side, gaps), Verdict::Move(_)) => {
                Verdict::Undetermined(*side, gaps.clone())
            }
            (_, verdict) => verdict,
        };
        verdicts.push((label, verdict));
    }
    if let Rings::Are(rings) = rings {
        out.rings = rings;
    }
    if verdicts.iter().all(|(_, v)| *v != Verdict::Depends) {
        out.groups = verdicts;
        return;
    }
    // Some group's next state depends on the key: its members are judged one by one. Keys that only
    // registers know differ from those that nothing knows, so they get instances of their own.
    let plan = judge.plan;
    let registers = judge.eval.registers;
    if let Some(facts) = plan.of(contract.id()) {
        for register in &facts.registers {
            for key in registers.keys(*register) {
                if groups.has_room(key) {
                    groups.ensure(key);
                }
            }
        }
    }
    let bound: Vec<u32> = out.singles.iter().filter_map(|s| s.instance).collect();
    for (label, verdict) in verdicts {
        if verdict != Verdict::Depends {
            out.groups.push((label, verdict));
            continue;
        }
        let mut members: Vec<u32> = groups.members(label).collect();
        crate::order::sort(&mut members);
        for instance in members {
            if bound.contains(&instance) {
                continue;
            }
            let key = (instance != 0).then(|| groups.get(instance).key.clone());
            judge.eval.key = key.clone().map_or(KeyView::Fresh, KeyView::Known);
            let (verdict, rings) = one(judge, contract, label, deadlines, instance);
            out.singles.push(Single {
                key,
                bound: false,
                born_failed: false,
                instance: Some(instance),
                label,
                verdict,
                rings,
            });
        }
    }
}
