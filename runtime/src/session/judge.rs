//! One event, one instance: where the automata go (language reference, sections 5 and 6).

use alloc::vec::Vec;

use super::groups::Label;
use super::plan::{AtomClass, Plan};
use crate::eval::datum::{Gap, Key, Truth, Why, WhyKind};
use crate::eval::{Evaluator, KeyView};
use crate::format::model::{Label as StateLabel, NodeRef, Side};
use crate::format::{AutomatonRef, ContractRef};

/// How many reasons an undetermined event is told with.
const MAX_REASONS: usize = 4;
/// How many truth values of keyed atoms are kept an event.
const MAX_KEYED_MEMO: usize = 64;

/// The truth values of the present event's atoms that are known by now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memo {
    stamp: u64,
    free: Vec<(u64, Option<Truth>)>,
    keyed: Vec<(u32, Key, Truth)>,
}

impl Memo {
    pub(crate) fn new(atoms: u32) -> Self {
        Self {
            stamp: 0,
            free: alloc::vec![(0, None); usize::try_from(atoms).unwrap_or(0)],
            keyed: Vec::new(),
        }
    }

    /// Forgets everything: another event is present.
    pub(crate) fn next(&mut self) {
        self.stamp += 1;
        self.keyed.clear();
    }

    fn get(&self, atom: u32) -> Option<Truth> {
        let (stamp, truth) = self.free.get(usize::try_from(atom).ok()?)?;
        truth.filter(|_| *stamp == self.stamp)
    }

    fn set(&mut self, atom: u32, truth: Truth) {
        if let Some(slot) = usize::try_from(atom)
            .ok()
            .and_then(|n| self.free.get_mut(n))
        {
            *slot = (self.stamp, Some(truth));
        }
    }
}

/// Where a diagram leads.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Walk {
    /// To one state, whatever the open atoms are.
    To(u32),
    /// To several, by atoms that are open for these reasons.
    Split(Vec<u32>, Vec<Gap>),
    /// It depends on the key.
    Depends,
}

/// What an event does to an instance.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// The automata move, or stay.
    Move(Label),
    /// The assumption is violated for good.
    Breaks,
    /// The guarantee is violated for good; it stays in its state, the assumption moves.
    Violates(Label),
    /// A condition that matters is undefined.
    Undetermined(Side, Vec<Gap>),
    /// It depends on the key, which is not given.
    Depends,
}

/// What an event does to a deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ring {
    pub(crate) deadline: u32,
    /// It answers open triggers.
    pub(crate) responds: bool,
    /// It is a trigger, at this time, and not its own answer.
    pub(crate) triggers: Option<i64>,
}

/// What an event does to an instance's deadlines.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Rings {
    Are(Vec<Ring>),
    Undetermined(Side, Vec<Gap>),
    Depends,
}

/// Judges one event.
pub(crate) struct Judge<'a, 'm> {
    pub(crate) eval: Evaluator<'a, 'm>,
    pub(crate) plan: &'a Plan,
    pub(crate) memo: &'m mut Memo,
    /// How many diagram nodes were visited: what tests of cost count.
    pub(crate) steps: &'m mut u64,
}

impl Judge<'_, '_> {
    /// The truth value of an atom on the event that is meant; `None` where it depends on a key that
    /// is not given.
    pub(crate) fn atom(&mut self, atom: u32) -> Option<Truth> {
        let class = self.plan.class(atom);
        let present = self.eval.at == 0;
        match class {
            AtomClass::Free => {
                if present && let Some(truth) = self.memo.get(atom) {
                    return Some(truth);
                }
            }
            AtomClass::Keyed => {
                if matches!(self.eval.key, KeyView::Other | KeyView::Fresh) && present {
                    return Some(Truth::False);
                }
            }
            AtomClass::Depends => {
                if matches!(self.eval.key, KeyView::Other) {
                    return None;
                }
            }
        }
        let key = match (&self.eval.key, class) {
            (KeyView::Known(key), AtomClass::Keyed | AtomClass::Depends) if present => {
                let hit = self
                    .memo
                    .keyed
                    .iter()
                    .find(|(a, k, _)| *a == atom && k == key);
                if let Some((_, _, truth)) = hit {
                    return Some(*truth);
                }
                Some(key.clone())
            }
            _ => None,
        };
        let truth = self.eval.truth(self.eval.library.atom_expr(atom));
        if present {
            match (class, key) {
                (AtomClass::Free, _) => self.memo.set(atom, truth),
                (_, Some(key)) if self.memo.keyed.len() < MAX_KEYED_MEMO => {
                    self.memo.keyed.push((atom, key, truth));
                }
                _ => {}
            }
        }
        Some(truth)
    }

    /// Where an automaton goes from a state.
    pub(crate) fn walk(&mut self, automaton: AutomatonRef<'_>, state: u32) -> Walk {
        let mut steps = 0;
        let walk = follow(automaton, state, &mut steps, &mut |atom| self.atom(atom));
        *self.steps += steps;
        walk
    }

    /// What the event does to an instance in these states, in the eyes of the evaluator's key.
    pub(crate) fn verdict(&mut self, contract: ContractRef<'_>, label: Label) -> Verdict {
        if label.broken {
            return Verdict::Move(label);
        }
        let library = self.eval.library;
        let mut to = label;
        if let Some(assume) = contract.assume() {
            let assume = library.automaton(assume);
            match self.walk(assume, label.assume) {
                Walk::To(state) => to.assume = state,
                Walk::Split(_, gaps) => {
                    return Verdict::Undetermined(Side::Assume, gaps);
                }
                Walk::Depends => return Verdict::Depends,
            }
            if assume.state(to.assume).label == StateLabel::ViolatedForGood {
                return Verdict::Breaks;
            }
        }
        if let Some(guarantee) = contract.guarantee() {
            let guarantee = library.automaton(guarantee);
            match self.walk(guarantee, label.guarantee) {
                Walk::To(state) => to.guarantee = state,
                Walk::Split(_, gaps) => {
                    return Verdict::Undetermined(Side::Guarantee, gaps);
                }
                Walk::Depends => return Verdict::Depends,
            }
            if guarantee.state(to.guarantee).label == StateLabel::ViolatedForGood {
                to.guarantee = label.guarantee;
                return Verdict::Violates(to);
            }
        }
        Verdict::Move(to)
    }

    /// What the event does to the deadlines of an instance; `open` says whether one of them has
    /// open triggers, and `room` whether it can have one more.
    pub(crate) fn rings(
        &mut self,
        contract: ContractRef<'_>,
        open: &dyn Fn(u32) -> bool,
        room: &dyn Fn(u32) -> bool,
    ) -> Rings {
        let mut rings = Vec::new();
        let library = self.eval.library;
        let other = matches!(self.eval.key, KeyView::Other);
        for deadline in contract.deadlines() {
            let d = library.deadline(deadline);
            if other && (self.plan.depends(d.trigger) || self.plan.depends(d.response)) {
                return Rings::Depends;
            }
            let response = self.eval.truth(d.response);
            let trigger = match response {
                // An event that is its own answer opens nothing.
                Truth::True => Truth::False,
                _ => self.eval.truth(d.trigger),
            };
            let is_open = match response {
                Truth::False => false,
                _ => open(deadline),
            };
            if response == Truth::False && trigger == Truth::False
                || response == Truth::True && !is_open
            {
                continue;
            }
            let time = match self.eval.frame() {
                Ok(frame) => frame.time.get(u32::MAX, WhyKind::NoTime),
                Err(gap) => Err(gap),
            };
            let gap = match (response, trigger, time) {
                (Truth::Open(gap), trigger, _) if is_open || trigger != Truth::False => Some(gap),
                (_, Truth::Open(gap), _) => Some(gap),
                (Truth::True, _, Err(gap)) if is_open => Some(gap),
                (_, Truth::True, Err(gap)) => Some(gap),
                (_, Truth::True, _) if !room(deadline) => Some(Gap::new(d.trigger, WhyKind::Limit)),
                _ => None,
            };
            if let Some(gap) = gap {
                return Rings::Undetermined(d.side, Vec::from([gap]));
            }
            rings.push(Ring {
                deadline,
                responds: response == Truth::True,
                triggers: match (trigger, time) {
                    (Truth::True, Ok(time)) => Some(time),
                    _ => None,
                },
            });
        }
        Rings::Are(rings)
    }
}

/// Where a diagram leads under the given truth values (`None`: it depends on the key).
pub(crate) fn follow(
    automaton: AutomatonRef<'_>,
    state: u32,
    steps: &mut u64,
    truth: &mut dyn FnMut(u32) -> Option<Truth>,
) -> Walk {
    let mut at = automaton.state(state).root;
    // As long as every atom has a value there is one path.
    let gap = loop {
        *steps += 1;
        let node = match at {
            NodeRef::State(to) => return Walk::To(to),
            NodeRef::Node(n) => automaton.node(n),
        };
        at = match truth(node.atom) {
            None => return Walk::Depends,
            Some(Truth::True) => node.high,
            Some(Truth::False) => node.low,
            Some(Truth::Open(gap)) => break gap,
        };
    };
    // From the first open atom on, all leaves that some completion reaches.
    let mut gaps = Vec::from([gap]);
    let mut states: Vec<u32> = Vec::new();
    let mut seen = crate::order::Seen::new();
    let mut open = Vec::from([at]);
    while let Some(at) = open.pop() {
        *steps += 1;
        let n = match at {
            NodeRef::State(to) => {
                if !states.contains(&to) {
                    states.push(to);
                }
                continue;
            }
            NodeRef::Node(n) => n,
        };
        if seen.insert(u64::from(n), ()).is_some() {
            continue;
        }
        let node = automaton.node(n);
        match truth(node.atom) {
            None => return Walk::Depends,
            Some(Truth::True) => open.push(node.high),
            Some(Truth::False) => open.push(node.low),
            Some(Truth::Open(gap)) => {
                if !gaps.contains(&gap) && gaps.len() < MAX_REASONS {
                    gaps.push(gap);
                }
                open.push(node.low);
                open.push(node.high);
            }
        }
    }
    crate::order::sort(&mut states);
    match states.as_slice() {
        [one] => Walk::To(*one),
        _ => Walk::Split(states, gaps),
    }
}

/// The reasons among gaps; what nobody knows yet has none of its own.
pub(crate) fn reasons(gaps: &[Gap]) -> Vec<Why> {
    gaps.iter()
        .map(|gap| match gap {
            Gap::Undefined(why) | Gap::Partly { why, .. } => *why,
            Gap::Unknown => Why {
                expr: u32::MAX,
                kind: WhyKind::UncertainMember,
            },
        })
        .collect()
}

/// Whether a state counts as satisfied if the session ended in it.
pub(crate) fn is_satisfied(label: StateLabel) -> bool {
    matches!(label, StateLabel::Satisfied | StateLabel::SatisfiedForGood)
}
