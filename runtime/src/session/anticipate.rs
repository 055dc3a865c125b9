//! What follows if a proposed call, and each call still in flight, were to succeed (language
//! reference, section 5, "Outcomes are anticipated").
//!
//! The returns are imagined in the order of their calls, the proposed one's last, now and with results
//! that nobody knows. Sets of states are followed: where a condition depends on a result, both ways
//! are open. A way ends badly where the guarantee is violated for good, or where the proposed call's
//! own return would be undetermined. A call of unknown outcome may have happened or not: both choices
//! are followed. Where on some choice every way ends badly the call is refused now.

use alloc::vec::Vec;

use super::advice::{push, routes_to, wanted_text};
use super::assess::{Assessment, Monitor, is_step};
use super::groups::{Groups, Label};
use super::judge::{Judge, Verdict, Walk, follow};
use super::plan::{AtomClass, ContractPlan};
use crate::decision::Reason;
use crate::eval::KeyView;
use crate::eval::datum::{Gap, Key, Truth, WhyKind};
use crate::format::model::Label as StateLabel;
use crate::format::{AutomatonRef, ContractRef, ExprRef};
use crate::order::Set;

/// An instance whose guarantee could not hold any more.
#[derive(Clone, Debug)]
pub(crate) struct Doomed {
    pub(crate) key: Option<Key>,
    /// The states before the call; `None` where the return would have no value for the key.
    pub(crate) label: Option<Label>,
    /// [`Reason::Anticipated`] where a violation does it, else [`Reason::Undetermined`].
    pub(crate) reason: Reason,
    /// What is undefined.
    pub(crate) gaps: Vec<Gap>,
    /// Frames of calls in flight without whose success it could still hold.
    pub(crate) waits: Vec<usize>,
}

/// How many calls in flight are named as the reason.
const MAX_WAITS: usize = 16;
/// How many different choices of what became of calls of unknown outcome are followed at once; beyond
/// it the call is refused.
pub(super) const MAX_CHOICES: usize = 1024;
/// How many completions of one event's unknown conditions are told apart where others are undefined;
/// the rest count as bad.
const MAX_COMPLETIONS: usize = 256;

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
    /// A keyed pattern fits it, and it has no value for the key: it is undetermined for the contract.
    keyless: Option<Gap>,
}

/// Why a call is refused.
struct Doom {
    violated: bool,
    gaps: Vec<Gap>,
}

/// One choice of what became of the calls of unknown outcome.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Choice {
    /// The states that are reachable.
    states: Vec<u32>,
    /// The returns that are taken not to have come, as far as aggregates could tell.
    absent: Vec<usize>,
}

/// Where an imagined return leads from a state, over the results that nobody knows.
#[derive(Default)]
struct Ways {
    /// Violations for good are among them.
    states: Vec<u32>,
    /// The reasons of ways on which it would be undetermined.
    undetermined: Option<Vec<Gap>>,
}

/// Asks a contract about a proposed call. The frames of the evaluator are the call, the imagined
/// returns of the calls in flight, and its own; `unknown` says of each whether its outcome is known to be
/// unknown. A `bystander` is a contract that neither the call nor its success names: what the calls in
/// flight do to it alone is not held against this call.
pub(crate) fn anticipate(
    judge: &mut Judge<'_, '_>,
    contract: ContractRef<'_>,
    monitor: &mut Monitor,
    assessment: Option<&Assessment>,
    bystander: bool,
    unknown: &[bool],
) -> Vec<Doomed> {
    if assessment.is_some_and(|a| a.whole.is_some()) {
        return Vec::new();
    }
    let Some(run) = Outlook::new(judge, contract, bystander, unknown) else {
        return Vec::new();
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
pub(super) fn after(label: Label, single: Option<&super::assess::Single>) -> Option<Label> {
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
            Err(Gap::Unknown | Gap::Partly { .. }) => sight.perhaps = true,
            Err(Gap::Undefined(why)) if frame.fits_kind(p.kind) => {
                sight.keyless = Some(match why.kind {
                    WhyKind::Missing(_) => Gap::new(why.expr, WhyKind::NoKey),
                    _ => Gap::Undefined(why),
                });
            }
            Err(Gap::Undefined(_)) => {}
        }
    }
    sight
}

/// The imagined returns in the eyes of one contract.
pub(crate) struct Outlook<'r> {
    guarantee: AutomatonRef<'r>,
    /// The registers that the guarantee reads.
    reads: &'r [u32],
    sights: Vec<Sight>,
    unknown: &'r [bool],
    keyed: bool,
    bystander: bool,
}

impl<'r> Outlook<'r> {
    /// `None` for a contract without a guarantee.
    pub(crate) fn new<'j: 'r>(
        judge: &mut Judge<'j, '_>,
        contract: ContractRef<'_>,
        bystander: bool,
        unknown: &'r [bool],
    ) -> Option<Self> {
        let guarantee = judge.eval.library.automaton(contract.guarantee()?);
        let plan = judge.plan;
        let facts = plan.contracts.get(usize::try_from(contract.id()).ok()?)?;
        let keyed = contract.key_count() > 0;
        let sights = (0..judge.eval.frames.len())
            .map(|at| sight(judge, contract, facts, keyed, at))
            .collect();
        judge.eval.at = 0;
        Some(Self {
            guarantee,
            reads: &facts.reads,
            sights,
            unknown,
            keyed,
            bystander,
        })
    }

    /// Whether the call would not be refused in a state; with an atom of its return forced to be false.
    fn is_free(
        &self,
        judge: &mut Judge<'_, '_>,
        state: u32,
        key: &KeyView,
        forced: Option<(u32, bool)>,
    ) -> bool {
        judge.eval.at = 0;
        judge.eval.key = key.clone();
        let Walk::To(to) = judge.walk(self.guarantee, state) else {
            return false;
        };
        self.guarantee.state(to).label != StateLabel::ViolatedForGood
            && self.doom(judge, to, key, None, forced).is_none()
    }

    /// Events that lead from a state to one where the call would not be refused, and remedies of
    /// the patterns that its return fits. Texts of the policy.
    pub(crate) fn accepted(
        &self,
        judge: &mut Judge<'_, '_>,
        contract: ContractRef<'_>,
        state: u32,
        key: Option<&Key>,
    ) -> Vec<alloc::string::String> {
        let library = judge.eval.library;
        let key = match key {
            Some(key) => KeyView::Known(key.clone()),
            None if self.keyed => KeyView::Other,
            None => KeyView::None,
        };
        judge.eval.key = key.clone();
        let mut texts = routes_to(
            judge,
            contract,
            self.guarantee,
            state,
            &mut |judge, state| self.is_free(judge, state, &key, None),
        );
        let last = self.sights.len().saturating_sub(1);
        let mut atoms: Vec<u32> = (0..self.guarantee.node_count())
            .map(|n| self.guarantee.node(n).atom)
            .collect();
        crate::order::sort(&mut atoms);
        atoms.dedup();
        for atom in atoms {
            let a = library.atom(atom);
            let pattern = match library.expr(a.expr) {
                ExprRef::Pattern(pattern) => Some(library.pattern(pattern)),
                _ => None,
            };
            judge.eval.at = last;
            let fits = judge
                .eval
                .frame()
                .is_ok_and(|f| pattern.is_some_and(|p| f.fits_kind(p.kind) && f.named_by(p)));
            let (wanted, text) = match (pattern, a.remedy) {
                (Some(_), Some(remedy)) if fits => (false, Some(remedy.into())),
                (Some(_), _) => continue,
                (None, _) => (true, wanted_text(library, contract, atom)),
            };
            if let Some(text) = text
                && self.is_free(judge, state, &key, Some((atom, wanted)))
            {
                push(&mut texts, text);
            }
        }
        judge.eval.at = 0;
        judge.eval.key = key;
        texts
    }

    /// Whether the call is to be refused; then also which calls in flight are to blame.
    fn check(
        &self,
        judge: &mut Judge<'_, '_>,
        after: Label,
        before: Label,
        key: KeyView,
        instance: Option<Key>,
    ) -> Option<Doomed> {
        let doom = self.doom(judge, after.guarantee, &key, None, None)?;
        let mut waits = Vec::new();
        let last = self.sights.len().saturating_sub(1);
        let mut without = |at: usize| {
            self.doom(judge, after.guarantee, &key, Some(at), None)
                .is_some()
        };
        if self.bystander && without(last) {
            return None;
        }
        for at in 1..last {
            if waits.len() >= MAX_WAITS {
                break;
            }
            if self.sights.get(at).is_some_and(|s| s.named) && !without(at) {
                waits.push(at);
            }
        }
        Some(Doomed {
            key: instance,
            label: Some(before),
            reason: match doom.violated {
                true => Reason::Anticipated,
                false => Reason::Undetermined,
            },
            gaps: doom.gaps,
            waits,
        })
    }

    /// Follows the sets of states through the imagined returns, one left out where asked. Something
    /// where on some choice no way ends well.
    fn doom(
        &self,
        judge: &mut Judge<'_, '_>,
        start: u32,
        key: &KeyView,
        without: Option<usize>,
        forced: Option<(u32, bool)>,
    ) -> Option<Doom> {
        let mut choices = Set::from_iter([Choice {
            states: Vec::from([start]),
            absent: Vec::new(),
        }]);
        let mut doom = None;
        for at in 1..self.sights.len() {
            let known = !self.unknown.get(at).copied().unwrap_or(false);
            let remembered = |judge: &mut Judge<'_, '_>| self.is_remembered(judge, at, key);
            if without == Some(at) {
                let leave_out = |mut choice: Choice| {
                    choice.absent.push(at);
                    choice
                };
                choices = choices.into_iter().map(leave_out).collect();
                continue;
            }
            let seen = self.sees(at, key);
            let counts = !known && remembered(judge);
            if !seen && !counts {
                continue;
            }
            let mut next: Set<Choice> = Set::new();
            for choice in choices {
                if !known {
                    let mut absent = choice.absent.clone();
                    if counts {
                        absent.push(at);
                    }
                    let states = choice.states.clone();
                    next.insert(Choice { states, absent });
                }
                let states = match seen {
                    false => choice.states,
                    true => {
                        judge.eval.absent.clone_from(&choice.absent);
                        match self.advance(judge, at, &choice.states, key, forced) {
                            Ok(states) => states,
                            Err(bad) => {
                                doom = Some(bad);
                                break;
                            }
                        }
                    }
                };
                let absent = choice.absent;
                next.insert(Choice { states, absent });
                if next.len() > MAX_CHOICES {
                    doom = Some(Doom {
                        violated: true,
                        gaps: Vec::new(),
                    });
                    break;
                }
            }
            if doom.is_some() {
                break;
            }
            choices = next;
        }
        judge.eval.absent.clear();
        judge.eval.at = 0;
        doom
    }

    /// Whether the instance of that key sees a return.
    fn sees(&self, at: usize, key: &KeyView) -> bool {
        let Some(sight) = self.sights.get(at) else {
            return false;
        };
        // One without a value for the key leaves the contract where it is.
        sight.step && sight.keyless.is_none() && (sight.perhaps || is_sure(sight, key))
    }

    /// Whether the guarantee's aggregates take notice of a return.
    fn is_remembered(&self, judge: &mut Judge<'_, '_>, at: usize, key: &KeyView) -> bool {
        let library = judge.eval.library;
        self.reads.iter().any(|register| {
            let key = match key {
                KeyView::Known(key) if library.register(*register).keys > 0 => Some(key),
                _ => None,
            };
            judge.eval.delta(*register, at, key).is_some()
        })
    }

    /// The states after a return; the error where all ways end badly.
    fn advance(
        &self,
        judge: &mut Judge<'_, '_>,
        at: usize,
        states: &[u32],
        key: &KeyView,
        forced: Option<(u32, bool)>,
    ) -> Result<Vec<u32>, Doom> {
        let Some(sight) = self.sights.get(at) else {
            return Ok(states.to_vec());
        };
        // An unnamed return cannot move a contract that is at rest.
        if !sight.named && states.iter().all(|s| self.guarantee.state(*s).idle) {
            return Ok(states.to_vec());
        }
        let own = at + 1 == self.sights.len();
        judge.eval.at = at;
        judge.eval.key = key.clone();
        let mut next = match is_sure(sight, key) {
            true => Vec::new(),
            false => states.to_vec(),
        };
        let mut doom = Doom {
            violated: false,
            gaps: Vec::new(),
        };
        for state in states {
            let ways = self.ways(judge, *state, sight, key, forced.filter(|_| own));
            let mut to = ways.states;
            if let Some(gaps) = ways.undetermined {
                match own {
                    // The fault of another call, which then does not move the contract.
                    false => to.push(*state),
                    true => doom.gaps.extend(gaps),
                }
            }
            for to in to {
                if self.guarantee.state(to).label == StateLabel::ViolatedForGood {
                    doom.violated = true;
                } else if !next.contains(&to) {
                    next.push(to);
                }
            }
        }
        judge.eval.at = 0;
        crate::order::sort(&mut next);
        match next.is_empty() {
            true => Err(doom),
            false => Ok(next),
        }
    }

    /// The ways of one return from one state. Conditions that are undefined already are no ways: where
    /// they matter the return is undetermined.
    fn ways(
        &self,
        judge: &mut Judge<'_, '_>,
        state: u32,
        sight: &Sight,
        key: &KeyView,
        forced: Option<(u32, bool)>,
    ) -> Ways {
        let mut ways = Ways::default();
        let mut fixed: Vec<Vec<(u32, Truth)>> = Vec::from([Vec::new()]);
        let mut runs = 0;
        while let Some(values) = fixed.pop() {
            runs += 1;
            if runs > MAX_COMPLETIONS {
                ways.undetermined.get_or_insert_default();
                break;
            }
            let mut unknown = None;
            let mut undefined: Vec<Gap> = Vec::new();
            let walk = self.walk(judge, state, sight, key, &mut |atom, truth| {
                if let Some((_, value)) = forced.filter(|(a, _)| *a == atom) {
                    return Truth::from(value);
                }
                let Truth::Open(gap) = truth else {
                    return truth;
                };
                if let Some((_, value)) = values.iter().find(|(a, _)| *a == atom) {
                    if let Truth::Open(gap) = value
                        && !undefined.contains(gap)
                    {
                        undefined.push(*gap);
                    }
                    return *value;
                }
                if !matches!(gap, Gap::Undefined(_)) {
                    unknown = unknown.or(Some((atom, gap)));
                }
                if gap != Gap::Unknown && !undefined.contains(&gap) {
                    undefined.push(gap);
                }
                truth
            });
            let split = match walk {
                Walk::To(to) => Vec::from([to]),
                Walk::Depends => Vec::from([state]),
                Walk::Split(to, _) if undefined.is_empty() => to,
                // Each completion of the unknown conditions by itself.
                Walk::Split(..) => {
                    match unknown {
                        Some((atom, gap)) => {
                            let (why, yes, no) = gap.ways();
                            let ways = [
                                yes.then_some(Truth::True),
                                no.then_some(Truth::False),
                                why.map(|why| Truth::Open(Gap::Undefined(why))),
                            ];
                            fixed.extend(ways.into_iter().flatten().map(|value| {
                                let mut more = values.clone();
                                more.push((atom, value));
                                more
                            }));
                        }
                        None => {
                            let gaps = ways.undetermined.get_or_insert_default();
                            gaps.extend(undefined);
                        }
                    }
                    continue;
                }
            };
            for to in split {
                if !ways.states.contains(&to) {
                    ways.states.push(to);
                }
            }
        }
        ways
    }

    fn walk(
        &self,
        judge: &mut Judge<'_, '_>,
        state: u32,
        sight: &Sight,
        key: &KeyView,
        change: &mut dyn FnMut(u32, Truth) -> Truth,
    ) -> Walk {
        let unknown = Truth::Open(Gap::Unknown);
        let generic = matches!(key, KeyView::Other);
        let mut steps = 0;
        let walk = follow(self.guarantee, state, &mut steps, &mut |atom| {
            if generic && sight.perhaps && judge.plan.class(atom) == AtomClass::Keyed {
                let library = judge.eval.library;
                let ExprRef::Pattern(p) = library.expr(library.atom(atom).expr) else {
                    return Some(change(atom, unknown));
                };
                let p = library.pattern(p);
                let fits = judge
                    .eval
                    .frame()
                    .is_ok_and(|f| f.fits_kind(p.kind) && f.named_by(p));
                return Some(match fits {
                    true => change(atom, unknown),
                    false => Truth::False,
                });
            }
            let truth = judge.atom(atom).unwrap_or(unknown);
            Some(change(atom, truth))
        });
        *judge.steps += steps;
        walk
    }

    /// Whether some imagined return brings a key into being.
    fn brings(&self, key: &Key) -> bool {
        let returns = self.sights.iter().skip(1);
        returns
            .filter(|sight| sight.step)
            .any(|sight| sight.keys.contains(key))
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
        if let Some(gap) = own.keyless
            && own.step
            && groups.labels().any(|l| !l.broken)
        {
            found.push(Doomed {
                key: None,
                label: None,
                reason: Reason::Undetermined,
                gaps: Vec::from([gap]),
                waits: Vec::new(),
            });
            return found;
        }
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
                    Some(verdict) => {
                        // Nobody objects for a key that has not occurred; but if a return that is still
                        // to come brings it, the call has violated its guarantee.
                        let reason = match verdict {
                            Verdict::Violates(_) => Some(Reason::Anticipated),
                            Verdict::Undetermined(..) => Some(Reason::Undetermined),
                            _ => None,
                        };
                        if instance.is_none()
                            && !label.broken
                            && self.brings(key)
                            && let Some(reason) = reason
                        {
                            found.push(Doomed {
                                key: Some(key.clone()),
                                label: None,
                                reason,
                                gaps: Vec::new(),
                                waits: Vec::new(),
                            });
                        }
                        None
                    }
                },
            };
            if let Some(start) = start {
                let brings = own.step && own.keys.contains(key) && single.is_none();
                if brings && groups.is_born_failed(instance) {
                    found.push(Doomed {
                        key: Some(key.clone()),
                        label: None,
                        reason: Reason::Anticipated,
                        gaps: Vec::new(),
                        waits: Vec::new(),
                    });
                    continue;
                }
                let view = KeyView::Known(key.clone());
                found.extend(self.check(judge, start, label, view, Some(key.clone())));
            }
        }
        if !everybody {
            return found;
        }
        let labels: Vec<Label> = groups.labels().collect();
        for label in labels {
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

fn is_sure(sight: &Sight, key: &KeyView) -> bool {
    sight.all || matches!(key, KeyView::Known(k) if sight.keys.contains(k))
}
