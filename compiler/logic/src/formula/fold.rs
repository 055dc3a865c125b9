//! The rules by which formulas are folded while they are built. Each is an equivalence at every step of
//! every trace that is not empty.

use super::{Arena, Facts, Id, Kind, Time, View};

impl Arena {
    fn temporal(&mut self, time: Time, kind: Kind, a: Id, b: Id) -> Id {
        let mut facts = self.facts(a).with(self.facts(b));
        if facts.atoms == 0 {
            facts.atoms = u128::MAX;
        }
        match time {
            Time::Future => facts.future = true,
            Time::Past => facts.past = true,
        }
        self.intern(kind, facts)
    }

    /// Strong next or strong previously.
    pub(crate) fn step(&mut self, time: Time, a: Id) -> Id {
        if a == Id::FF {
            return Id::FF;
        }
        self.temporal(time, Kind::Step(time, a), a, a)
    }

    pub(crate) fn release2(&mut self, time: Time, a: Id, b: Id) -> Id {
        self.until2(time, a.negated(), b.negated()).negated()
    }

    /// Until or since, folded.
    pub(crate) fn until2(&mut self, time: Time, mut a: Id, b: Id) -> Id {
        // a U true = true, a U false = false, a U b = b where a implies b.
        if b == Id::TT || b == Id::FF || self.implied(a, b) {
            return b;
        }
        // (not b or more) U b = eventually b.
        if a != Id::TT && self.implied(b.negated(), a) {
            a = Id::TT;
        }
        // a U (c U d) = c U d where a implies c.
        if let View::Until(inner, c, d) = self.view(b)
            && inner == time
        {
            if self.implied(a, c) {
                return b;
            }
            // eventually (c U d) = eventually d
            if a == Id::TT {
                return self.until2(time, a, d);
            }
        }
        // (a U b) U b = a U b.
        if let View::Until(inner, _, d) = self.view(a)
            && inner == time
            && d == b
        {
            return a;
        }
        // On finite traces both "eventually always c" and "always eventually c" say that c holds at
        // the last step: keep the second (mirrored: at the first step), so that its negation is of
        // the same form.
        if a == Id::TT
            && let View::Release(inner, Id::FF, c) = self.view(b)
            && inner == time
            && !c.is_negative()
        {
            let eventually = self.until2(time, Id::TT, c);
            return self.release2(time, Id::FF, eventually);
        }
        self.temporal(time, Kind::Until(time, a, b), a, b)
    }

    /// Equivalence with the signs moved out.
    pub(crate) fn iff2(&mut self, a: Id, b: Id) -> Id {
        let negate = a.is_negative() != b.is_negative();
        let (a, b) = (a.positive(), b.positive());
        if a == b {
            return Id::TT.negated_if(negate);
        }
        if a == Id::TT {
            return b.negated_if(negate);
        }
        if b == Id::TT {
            return a.negated_if(negate);
        }
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        let facts = self.facts(a).with(self.facts(b));
        self.intern(Kind::Iff(a, b), facts).negated_if(negate)
    }

    pub(crate) fn or2(&mut self, a: Id, b: Id) -> Id {
        self.and2(a.negated(), b.negated()).negated()
    }

    pub(crate) fn and_ids(&mut self, ids: &[Id]) -> Id {
        // Pairwise from the bottom, so that long lists are not merged one by one.
        match ids {
            [] => Id::TT,
            [a] => *a,
            [a, b] => self.and2(*a, *b),
            _ => {
                let (left, right) = ids.split_at(ids.len() / 2);
                let (left, right) = (self.and_ids(left), self.and_ids(right));
                self.and2(left, right)
            }
        }
    }

    /// Conjunction, flattened, sorted, without members that another member implies, as far as
    /// [`Arena::implied`] sees it and they are no more than [`Arena::WIDE`].
    pub(crate) fn and2(&mut self, a: Id, b: Id) -> Id {
        if a == b || b == Id::TT {
            return a;
        }
        if a == Id::TT {
            return b;
        }
        if a == Id::FF || b == Id::FF || a == b.negated() {
            return Id::FF;
        }
        let key = if a < b { (a, b) } else { (b, a) };
        if let Some(&known) = self.pairs.get(&key) {
            return known;
        }
        let result = self.merge(key.0, key.1);
        self.pairs.insert(key, result);
        result
    }

    /// Members of a conjunction beyond which only equal and contrary ones are looked for: sets of
    /// thousands of formulas would be compared pair by pair.
    const WIDE: usize = 512;

    fn merge_wide(&mut self, mut members: Vec<Id>, more: &[Id]) -> Id {
        members.extend_from_slice(more);
        members.sort_unstable();
        members.dedup();
        // A formula and its negation are neighbours.
        let contrary = |pair: &[Id]| matches!(pair, [a, b] if *a == b.negated());
        if members.windows(2).any(contrary) {
            return Id::FF;
        }
        self.intern_and(&members)
    }

    fn merge(&mut self, a: Id, b: Id) -> Id {
        let conjuncts = |id: Id| match self.kind(id) {
            Kind::And(start, len) if !id.is_negative() => self.range(start, len).to_vec(),
            _ => vec![id],
        };
        let (left, right) = (conjuncts(a), conjuncts(b));
        if left.len().max(right.len()) > Self::WIDE {
            return self.merge_wide(left, &right);
        }
        let mut keep_right = vec![true; right.len()];
        let mut members = std::mem::take(&mut self.scratch);
        members.clear();
        let mut contradiction = false;
        'left: for &x in &left {
            for (&y, keep) in right.iter().zip(&mut keep_right) {
                if !*keep {
                    continue;
                }
                if x == y {
                    *keep = false;
                    continue;
                }
                if self.atom_filter(x) & self.atom_filter(y) == 0 {
                    continue;
                }
                if self.implied(x, y.negated()) {
                    contradiction = true;
                    break 'left;
                }
                if self.implied(x, y) {
                    *keep = false;
                } else if self.implied(y, x) {
                    continue 'left;
                }
            }
            members.push(x);
        }
        let result = if contradiction {
            Id::FF
        } else {
            members.extend(
                right
                    .iter()
                    .zip(&keep_right)
                    .filter(|(_, keep)| **keep)
                    .map(|(y, _)| *y),
            );
            members.sort_unstable();
            members.dedup();
            self.intern_and(&members)
        };
        self.scratch = members;
        result
    }

    fn intern_and(&mut self, members: &[Id]) -> Id {
        match members {
            [] => return Id::TT,
            [a] => return *a,
            _ => {}
        }
        let hash = members.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, id| {
            (hash.rotate_left(5) ^ u64::from(id.0)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        if let Some(known) = self.conjunctions.get(&hash) {
            for &index in known {
                if let Some(&Kind::And(start, len)) = self.kinds.get(index as usize)
                    && self.range(start, len) == members
                {
                    return Id(index << 1);
                }
            }
        }
        let of = |&id: &Id| self.facts(id);
        let facts = members.iter().map(of).fold(Facts::NONE, Facts::with);
        let index = self.kinds.len() as u32;
        let start = self.args.len() as u32;
        self.args.extend_from_slice(members);
        self.kinds.push(Kind::And(start, members.len() as u32));
        self.facts.push(facts);
        self.conjunctions.entry(hash).or_default().push(index);
        Id(index << 1)
    }
}
