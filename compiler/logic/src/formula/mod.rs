//! The formula arena: hash-consed, with complement in the handle.
//!
//! Inside, a formula is an [`Id`]: the index of a node and a bit for its complement, so that
//! negation costs nothing and an operator and its dual (`until` and `release`, strong and weak
//! next, `and` and `or`) are one node kind. [`Arena::view`] pushes the complement one level down on
//! demand. Ids speak of non-empty traces only; the public [`Formula`] adds the value on the empty
//! trace, which no rewriting may touch.

mod fold;

use crate::implication::Implications;
use rustc_hash::FxHashMap;

/// A formula of an [`Arena`]. Equal handles of one arena are equal formulas.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Formula(u32);

impl Formula {
    pub(crate) fn new(id: Id, on_empty: bool) -> Self {
        Self(id.0 << 1 | u32::from(on_empty))
    }

    pub(crate) fn id(self) -> Id {
        Id(self.0 >> 1)
    }

    /// Whether the empty trace satisfies the formula.
    pub fn holds_on_empty_trace(self) -> bool {
        self.0 & 1 == 1
    }

    /// Whether the two are the same formula or one is the negation of the other, on non-empty
    /// traces.
    pub fn same_up_to_negation(self, other: Self) -> bool {
        self.0 >> 2 == other.0 >> 2
    }

    /// The handle as a number, for tables and messages.
    pub fn index(self) -> u32 {
        self.0
    }
}

/// A formula on non-empty traces: node index and complement bit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Id(pub(crate) u32);

impl Id {
    pub(crate) const TT: Self = Self(0);
    pub(crate) const FF: Self = Self(1);

    pub(crate) fn negated(self) -> Self {
        Self(self.0 ^ 1)
    }

    pub(crate) fn negated_if(self, negate: bool) -> Self {
        Self(self.0 ^ u32::from(negate))
    }

    pub(crate) fn is_negative(self) -> bool {
        self.0 & 1 == 1
    }

    pub(crate) fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(crate) fn positive(self) -> Self {
        Self(self.0 & !1)
    }
}

/// Which way a temporal operator looks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Time {
    Future,
    Past,
}

/// A node, always in its positive reading.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
    True,
    Atom(u32),
    /// A range of the argument pool: at least two members, sorted; none is seen to be implied by
    /// another unless they are very many.
    And(u32, u32),
    /// Both sides positive, the smaller first.
    Iff(Id, Id),
    /// Strong next, strong previously.
    Step(Time, Id),
    /// Until, since.
    Until(Time, Id, Id),
}

/// A formula with its complement pushed one level down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum View {
    True,
    False,
    Atom(u32, bool),
    And(Args),
    Or(Args),
    Iff(Id, Id),
    Step(Time, Id),
    WeakStep(Time, Id),
    Until(Time, Id, Id),
    Release(Time, Id, Id),
}

/// The members of a conjunction or disjunction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Args {
    start: u32,
    len: u32,
    negate: bool,
}

impl Args {
    pub(crate) fn len(self) -> usize {
        self.len as usize
    }
}

/// What is known of a node without looking into it.
#[derive(Clone, Copy, Debug)]
struct Facts {
    /// A Bloom filter of its atoms; all ones where a temporal operator stands over no atom at all.
    atoms: u128,
    future: bool,
    past: bool,
}

impl Facts {
    /// Of a constant.
    const NONE: Self = Self {
        atoms: 0,
        future: false,
        past: false,
    };

    /// Of what is made of both by a Boolean operator.
    fn with(self, other: Self) -> Self {
        Self {
            atoms: self.atoms | other.atoms,
            future: self.future || other.future,
            past: self.past || other.past,
        }
    }
}

/// Formulas with past over numbered atoms, each stored once and folded while it is built.
///
/// Folding keeps the meaning on every trace, the empty one included.
#[derive(Debug)]
pub struct Arena {
    kinds: Vec<Kind>,
    facts: Vec<Facts>,
    args: Vec<Id>,
    unique: FxHashMap<Kind, u32>,
    /// Conjunctions by a hash of their members; collisions are chained through the vector.
    conjunctions: FxHashMap<u64, Vec<u32>>,
    pairs: FxHashMap<(Id, Id), Id>,
    pub(crate) implications: Implications,
    scratch: Vec<Id>,
}

impl Clone for Arena {
    /// The same formulas under the same handles. What was only remembered to save time is left
    /// behind: it can be much larger than the formulas.
    fn clone(&self) -> Self {
        Self {
            kinds: self.kinds.clone(),
            facts: self.facts.clone(),
            args: self.args.clone(),
            unique: self.unique.clone(),
            conjunctions: self.conjunctions.clone(),
            pairs: FxHashMap::default(),
            implications: Implications::default(),
            scratch: Vec::new(),
        }
    }
}

impl Default for Arena {
    fn default() -> Self {
        Self::new()
    }
}

impl Arena {
    /// An arena that holds `true` and `false`.
    pub fn new() -> Self {
        Self {
            kinds: vec![Kind::True],
            facts: vec![Facts::NONE],
            args: Vec::new(),
            unique: FxHashMap::default(),
            conjunctions: FxHashMap::default(),
            pairs: FxHashMap::default(),
            implications: Implications::default(),
            scratch: Vec::new(),
        }
    }

    /// The number of distinct formulas up to negation.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Formulas and members of conjunctions together: what the arena holds in memory, for budgets.
    pub(crate) fn weight(&self) -> usize {
        self.kinds.len() + self.args.len()
    }

    /// Whether it holds no more than `true` and `false`.
    pub fn is_empty(&self) -> bool {
        self.len() == 1
    }

    /// True.
    pub fn tt(&mut self) -> Formula {
        Formula::new(Id::TT, true)
    }

    /// False.
    pub fn ff(&mut self) -> Formula {
        Formula::new(Id::FF, false)
    }

    /// The atom of this number.
    pub fn atom(&mut self, number: u32) -> Formula {
        let bit = 1u128 << (number % 128);
        let id = self.intern(
            Kind::Atom(number),
            Facts {
                atoms: bit,
                ..Facts::NONE
            },
        );
        Formula::new(id, false)
    }

    /// Negation.
    pub fn not(&mut self, f: Formula) -> Formula {
        Formula::new(f.id().negated(), !f.holds_on_empty_trace())
    }

    /// Conjunction of any number of formulas; of none: true.
    pub fn and(&mut self, members: &[Formula]) -> Formula {
        let ids: Vec<Id> = members.iter().map(|f| f.id()).collect();
        Formula::new(
            self.and_ids(&ids),
            members.iter().all(|f| f.holds_on_empty_trace()),
        )
    }

    /// Disjunction of any number of formulas; of none: false.
    pub fn or(&mut self, members: &[Formula]) -> Formula {
        let ids: Vec<Id> = members.iter().map(|f| f.id().negated()).collect();
        Formula::new(
            self.and_ids(&ids).negated(),
            members.iter().any(|f| f.holds_on_empty_trace()),
        )
    }

    /// Implication.
    pub fn implies(&mut self, a: Formula, b: Formula) -> Formula {
        let not_a = self.not(a);
        self.or(&[not_a, b])
    }

    /// Equivalence.
    pub fn iff(&mut self, a: Formula, b: Formula) -> Formula {
        let on_empty = a.holds_on_empty_trace() == b.holds_on_empty_trace();
        Formula::new(self.iff2(a.id(), b.id()), on_empty)
    }

    /// Exclusive or.
    pub fn xor(&mut self, a: Formula, b: Formula) -> Formula {
        let iff = self.iff(a, b);
        self.not(iff)
    }

    /// Strong next: there is a next step and `f` holds there.
    pub fn next(&mut self, f: Formula) -> Formula {
        Formula::new(self.step(Time::Future, f.id()), false)
    }

    /// Weak next: if there is a next step, `f` holds there.
    pub fn weak_next(&mut self, f: Formula) -> Formula {
        Formula::new(self.step(Time::Future, f.id().negated()).negated(), true)
    }

    /// At every step from here on.
    pub fn always(&mut self, f: Formula) -> Formula {
        Formula::new(self.release2(Time::Future, Id::FF, f.id()), true)
    }

    /// At some step from here on.
    pub fn eventually(&mut self, f: Formula) -> Formula {
        Formula::new(self.until2(Time::Future, Id::TT, f.id()), false)
    }

    /// Strong until: `b` at some step from here on, and `a` at every step before it.
    pub fn until(&mut self, a: Formula, b: Formula) -> Formula {
        Formula::new(self.until2(Time::Future, a.id(), b.id()), false)
    }

    /// Release, the dual of until: `b` up to and including the first step with `a`, or for ever.
    pub fn release(&mut self, a: Formula, b: Formula) -> Formula {
        Formula::new(self.release2(Time::Future, a.id(), b.id()), true)
    }

    /// Weak until: `a until b`, or `a` for ever.
    pub fn unless(&mut self, a: Formula, b: Formula) -> Formula {
        let either = self.or2(a.id(), b.id());
        Formula::new(self.release2(Time::Future, b.id(), either), true)
    }

    /// Strong release: `b` up to and including the first step with `a`, which there is.
    pub fn strong_release(&mut self, a: Formula, b: Formula) -> Formula {
        let both = self.and2(a.id(), b.id());
        Formula::new(self.until2(Time::Future, b.id(), both), false)
    }

    /// Strong previously: there is a previous step and `f` held there.
    pub fn previously(&mut self, f: Formula) -> Formula {
        Formula::new(self.step(Time::Past, f.id()), false)
    }

    /// Weak previously: if there is a previous step, `f` held there.
    pub fn weak_previously(&mut self, f: Formula) -> Formula {
        Formula::new(self.step(Time::Past, f.id().negated()).negated(), true)
    }

    /// At some step up to here.
    pub fn once(&mut self, f: Formula) -> Formula {
        Formula::new(self.until2(Time::Past, Id::TT, f.id()), false)
    }

    /// At every step up to here.
    pub fn historically(&mut self, f: Formula) -> Formula {
        Formula::new(self.release2(Time::Past, Id::FF, f.id()), true)
    }

    /// Since: `b` at some step up to here, and `a` at every step after it up to here.
    pub fn since(&mut self, a: Formula, b: Formula) -> Formula {
        Formula::new(self.until2(Time::Past, a.id(), b.id()), false)
    }

    /// Triggered, the dual of since: `b` back to and including the last step with `a`, or to the
    /// start.
    pub fn triggered(&mut self, a: Formula, b: Formula) -> Formula {
        Formula::new(self.release2(Time::Past, a.id(), b.id()), true)
    }

    /// The first future operator under a past one that a walk from `f` meets, with the past
    /// operator over it. `None` if the formula is of the supported kind.
    pub fn future_under_past(&self, f: Formula) -> Option<(Formula, Formula)> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = vec![(f.id().positive(), None::<Id>)];
        while let Some((id, past)) = stack.pop() {
            if !self.has_future(id)
                || !self.has_past(id) && past.is_none()
                || !seen.insert((id, past.is_some()))
            {
                continue;
            }
            let under = match self.kind(id) {
                Kind::Step(Time::Past, _) | Kind::Until(Time::Past, ..) => past.or(Some(id)),
                Kind::Step(Time::Future, _) | Kind::Until(Time::Future, ..) => {
                    if let Some(past) = past {
                        return Some((Formula::new(past, false), Formula::new(id, false)));
                    }
                    None
                }
                Kind::True | Kind::Atom(_) | Kind::And(..) | Kind::Iff(..) => past,
            };
            self.for_each_child(id, |child| stack.push((child.positive(), under)));
        }
        None
    }

    /// The atoms of a formula in order of their first mention in this arena.
    pub fn atoms(&self, f: Formula) -> Vec<u32> {
        self.atoms_of([f.id()])
    }

    /// The same for several formulas together.
    pub(crate) fn atoms_of(&self, ids: impl IntoIterator<Item = Id>) -> Vec<u32> {
        let mut nodes = self.reachable_from(ids);
        nodes.sort_unstable();
        let atoms = nodes.into_iter().filter_map(|node| match self.kind(node) {
            Kind::Atom(atom) => Some(atom),
            _ => None,
        });
        atoms.collect()
    }

    /// The atoms that the arena holds from this node on.
    pub(crate) fn atoms_from(&self, node: usize) -> impl Iterator<Item = u32> {
        self.kinds.iter().skip(node).filter_map(|kind| match kind {
            Kind::Atom(atom) => Some(*atom),
            _ => None,
        })
    }

    /// The nodes below a formula and its own, each once, in positive reading, in no particular
    /// order.
    pub(crate) fn reachable(&self, id: Id) -> Vec<Id> {
        self.reachable_from([id])
    }

    /// The same for several formulas together.
    pub(crate) fn reachable_from(&self, ids: impl IntoIterator<Item = Id>) -> Vec<Id> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut found = Vec::new();
        let mut stack: Vec<Id> = ids.into_iter().map(Id::positive).collect();
        while let Some(id) = stack.pop() {
            if seen.insert(id) {
                found.push(id);
                self.for_each_child(id, |child| stack.push(child.positive()));
            }
        }
        found
    }

    pub(crate) fn for_each_child(&self, id: Id, mut visit: impl FnMut(Id)) {
        match self.kind(id) {
            Kind::True | Kind::Atom(_) => {}
            Kind::And(start, len) => self.range(start, len).iter().copied().for_each(visit),
            Kind::Iff(a, b) | Kind::Until(_, a, b) => {
                visit(a);
                visit(b);
            }
            Kind::Step(_, a) => visit(a),
        }
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "an id is only made by the arena that holds it"
    )]
    pub(crate) fn kind(&self, id: Id) -> Kind {
        self.kinds[id.index()]
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "an id is only made by the arena that holds it"
    )]
    fn facts(&self, id: Id) -> Facts {
        self.facts[id.index()]
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "ranges are only made when their members are pushed"
    )]
    pub(crate) fn range(&self, start: u32, len: u32) -> &[Id] {
        &self.args[start as usize..(start + len) as usize]
    }

    pub(crate) fn atom_filter(&self, id: Id) -> u128 {
        self.facts(id).atoms
    }

    pub(crate) fn has_past(&self, id: Id) -> bool {
        self.facts(id).past
    }

    pub(crate) fn has_future(&self, id: Id) -> bool {
        self.facts(id).future
    }

    /// The `i`-th member, with the complement of its list applied.
    #[expect(
        clippy::indexing_slicing,
        reason = "callers stay below the length of the list"
    )]
    pub(crate) fn arg(&self, args: Args, i: usize) -> Id {
        debug_assert!(i < args.len());
        self.args[args.start as usize + i].negated_if(args.negate)
    }

    pub(crate) fn members(&self, args: Args) -> Vec<Id> {
        (0..args.len()).map(|i| self.arg(args, i)).collect()
    }

    pub(crate) fn view(&self, id: Id) -> View {
        let negate = id.is_negative();
        match (self.kind(id), negate) {
            (Kind::True, false) => View::True,
            (Kind::True, true) => View::False,
            (Kind::Atom(atom), negate) => View::Atom(atom, !negate),
            (Kind::And(start, len), false) => View::And(Args {
                start,
                len,
                negate: false,
            }),
            (Kind::And(start, len), true) => View::Or(Args {
                start,
                len,
                negate: true,
            }),
            (Kind::Iff(a, b), negate) => View::Iff(a.negated_if(negate), b),
            (Kind::Step(time, a), false) => View::Step(time, a),
            (Kind::Step(time, a), true) => View::WeakStep(time, a.negated()),
            (Kind::Until(time, a, b), false) => View::Until(time, a, b),
            (Kind::Until(time, a, b), true) => View::Release(time, a.negated(), b.negated()),
        }
    }

    fn intern(&mut self, kind: Kind, facts: Facts) -> Id {
        let next = self.kinds.len() as u32;
        let index = *self.unique.entry(kind).or_insert(next);
        if index == next {
            self.kinds.push(kind);
            self.facts.push(facts);
        }
        Id(index << 1)
    }
}
