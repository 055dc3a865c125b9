//! Whether a prefix is violated for good, and whether two prefixes have the same future, by
//! trying every extension.
//!
//! A formula with past and future is taken apart into its subformulas. The truth of all of them
//! at a step is a function of the letter, of their truth at the step before (for the past) and
//! of their truth at the step after (for the future). So the set of truth vectors that *some*
//! extension gives can be collected from the end of the extension backwards, and a prefix is
//! violated for good exactly if none of these vectors makes the formula true at its first step.

use super::contract::Contract;
use super::eval::Steps;
use super::formula::{Binary, Counted, F, Unary};
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

/// The truth of each atom at a step.
pub type Letter = Vec<bool>;

/// A truth vector of the subformulas at some step, if there is such a step.
type Vector = Option<u64>;

/// Vectors of two prefixes with the same extension.
type Pair = (Vector, Vector);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    True,
    Atom(usize),
    Not(usize),
    And(usize, usize),
    Next(usize),
    Until(usize, usize),
    Previously(usize),
    Since(usize, usize),
}

/// A formula as its subformulas, operands before operators.
#[derive(Clone, Debug, Default)]
pub struct Closure {
    nodes: Vec<Node>,
    root: usize,
    past: u64,
    future: u64,
}

impl Closure {
    /// The closure of a conjunction; none where it has more than 60 subformulas.
    #[must_use]
    pub fn new(clauses: &[F]) -> Option<Self> {
        let mut closure = Self::default();
        let mut root = closure.node(Node::True);
        for clause in clauses {
            let clause = closure.add(clause);
            root = closure.and(root, clause);
        }
        if closure.nodes.len() > 60 {
            return None;
        }
        closure.root = root;
        closure.future = 1 << root;
        for (i, node) in closure.nodes.iter().enumerate() {
            match node {
                Node::Next(a) => closure.future |= 1 << a,
                Node::Until(..) => closure.future |= 1 << i,
                Node::Previously(a) => closure.past |= 1 << a,
                Node::Since(..) => closure.past |= 1 << i,
                _ => {}
            }
        }
        Some(closure)
    }

    fn node(&mut self, node: Node) -> usize {
        if let Some(i) = self.nodes.iter().position(|n| *n == node) {
            return i;
        }
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn not(&mut self, a: usize) -> usize {
        if let Node::Not(b) = self.nodes[a] {
            return b;
        }
        self.node(Node::Not(a))
    }

    fn and(&mut self, a: usize, b: usize) -> usize {
        if a == b || self.nodes[b] == Node::True {
            return a;
        }
        if self.nodes[a] == Node::True {
            return b;
        }
        self.node(Node::And(a, b))
    }

    fn or(&mut self, a: usize, b: usize) -> usize {
        let (a, b) = (self.not(a), self.not(b));
        let both = self.and(a, b);
        self.not(both)
    }

    fn eventually(&mut self, a: usize) -> usize {
        let t = self.node(Node::True);
        self.node(Node::Until(t, a))
    }

    fn always(&mut self, a: usize) -> usize {
        let a = self.not(a);
        let e = self.eventually(a);
        self.not(e)
    }

    fn weak_next(&mut self, a: usize) -> usize {
        let a = self.not(a);
        let n = self.node(Node::Next(a));
        self.not(n)
    }

    fn unless(&mut self, a: usize, b: usize) -> usize {
        let until = self.node(Node::Until(a, b));
        let always = self.always(a);
        self.or(until, always)
    }

    fn at_least(&mut self, a: usize, times: usize) -> usize {
        if times == 0 {
            return self.node(Node::True);
        }
        let rest = self.at_least(a, times - 1);
        let here = if times == 1 {
            a
        } else {
            let later = self.node(Node::Next(rest));
            self.and(a, later)
        };
        self.eventually(here)
    }

    fn add(&mut self, f: &F) -> usize {
        match f {
            F::True => self.node(Node::True),
            F::False => {
                let t = self.node(Node::True);
                self.not(t)
            }
            F::Leaf(n) => self.node(Node::Atom(*n)),
            F::OnlyIf(n) => {
                let a = self.node(Node::Atom(*n));
                let a = self.not(a);
                self.always(a)
            }
            F::Un(u, a) => {
                let a = self.add(a);
                match u {
                    Unary::Not => self.not(a),
                    Unary::Next => self.node(Node::Next(a)),
                    Unary::WeakNext => self.weak_next(a),
                    Unary::Always => self.always(a),
                    Unary::Eventually => self.eventually(a),
                    Unary::Previously => self.node(Node::Previously(a)),
                    Unary::WeakPreviously => {
                        let a = self.not(a);
                        let p = self.node(Node::Previously(a));
                        self.not(p)
                    }
                    Unary::Once => {
                        let t = self.node(Node::True);
                        self.node(Node::Since(t, a))
                    }
                    Unary::Historically => {
                        let (t, a) = (self.node(Node::True), self.not(a));
                        let s = self.node(Node::Since(t, a));
                        self.not(s)
                    }
                    Unary::Never => {
                        let a = self.not(a);
                        self.always(a)
                    }
                }
            }
            F::Bin(b, x, y) => {
                let (x, y) = (self.add(x), self.add(y));
                self.binary(*b, x, y)
            }
            F::Count(c, a, n) => {
                let a = self.add(a);
                match c {
                    Counted::AtLeast => self.at_least(a, *n),
                    Counted::AtMost => {
                        let more = self.at_least(a, n + 1);
                        self.not(more)
                    }
                    Counted::Exactly => {
                        let (some, more) = (self.at_least(a, *n), self.at_least(a, n + 1));
                        let few = self.not(more);
                        self.and(some, few)
                    }
                    Counted::Consecutive => {
                        let mut run = a;
                        for _ in 0..*n {
                            let next = self.node(Node::Next(run));
                            run = self.and(a, next);
                        }
                        let run = self.not(run);
                        self.always(run)
                    }
                }
            }
            F::LeadsSteps(a, b, n) => {
                let (a, b) = (self.add(a), self.add(b));
                let mut soon = self.node(Node::Next(b));
                for _ in 1..*n {
                    let sooner = self.or(b, soon);
                    soon = self.node(Node::Next(sooner));
                }
                let a = self.not(a);
                let duty = self.or(a, soon);
                self.always(duty)
            }
        }
    }

    fn binary(&mut self, op: Binary, x: usize, y: usize) -> usize {
        let no = |c: &mut Self, a| c.not(a);
        match op {
            Binary::And => self.and(x, y),
            Binary::Or => self.or(x, y),
            Binary::Implies => {
                let x = self.not(x);
                self.or(x, y)
            }
            Binary::Iff => {
                let both = self.and(x, y);
                let (x, y) = (no(self, x), no(self, y));
                let none = self.and(x, y);
                self.or(both, none)
            }
            Binary::Until => self.node(Node::Until(x, y)),
            Binary::Unless => self.unless(x, y),
            Binary::Release => {
                let (x, y) = (no(self, x), no(self, y));
                let u = self.node(Node::Until(x, y));
                self.not(u)
            }
            Binary::Since => self.node(Node::Since(x, y)),
            Binary::NeverAfter | Binary::OnlyBefore => {
                let (x, y) = (no(self, x), no(self, y));
                let never = self.always(x);
                let after = self.weak_next(never);
                let each = self.or(y, after);
                self.always(each)
            }
            Binary::OnlyAfter | Binary::NeverBefore => {
                let x = self.not(x);
                self.unless(x, y)
            }
            Binary::OnlyWhile => {
                let x = self.not(x);
                let each = self.or(x, y);
                self.always(each)
            }
            Binary::LeadsTo | Binary::LeadsNow => {
                let x = self.not(x);
                let duty = if op == Binary::LeadsTo {
                    self.eventually(y)
                } else {
                    self.node(Node::Next(y))
                };
                let each = self.or(x, duty);
                self.always(each)
            }
        }
    }

    /// The truth of all subformulas at a step.
    fn vector(&self, letter: &[bool], before: Vector, after: Vector) -> u64 {
        let mut now = 0_u64;
        let bit = |set: u64, i: usize| set >> i & 1 == 1;
        for (i, node) in self.nodes.iter().enumerate() {
            let holds = match *node {
                Node::True => true,
                Node::Atom(n) => letter[n],
                Node::Not(a) => !bit(now, a),
                Node::And(a, b) => bit(now, a) && bit(now, b),
                Node::Next(a) => after.is_some_and(|v| bit(v, a)),
                Node::Until(a, b) => bit(now, b) || bit(now, a) && after.is_some_and(|v| bit(v, i)),
                Node::Previously(a) => before.is_some_and(|v| bit(v, a)),
                Node::Since(a, b) => {
                    bit(now, b) || bit(now, a) && before.is_some_and(|v| bit(v, i))
                }
            };
            if holds {
                now |= 1 << i;
            }
        }
        now
    }

    /// The past that a letter leaves behind.
    fn step(&self, letter: &[bool], before: Vector) -> Vector {
        Some(self.vector(letter, before, None) & self.past)
    }

    /// The past after a prefix.
    fn past_of(&self, prefix: &[Letter]) -> Vector {
        prefix.iter().fold(None, |past, l| self.step(l, past))
    }

    /// The truth of the formula on a prefix and an extension of which the first vector is given.
    fn truth(&self, prefix: &[Letter], after: Vector) -> bool {
        let mut pasts = vec![None];
        for letter in prefix {
            let past = self.step(letter, pasts[pasts.len() - 1]);
            pasts.push(past);
        }
        let mut vector = after;
        for (i, letter) in prefix.iter().enumerate().rev() {
            vector = Some(self.vector(letter, pasts[i], vector));
        }
        match vector {
            Some(v) => v >> self.root & 1 == 1,
            None => self.on_nothing(),
        }
    }

    fn on_nothing(&self) -> bool {
        let mut now = 0_u64;
        for (i, node) in self.nodes.iter().enumerate() {
            let holds = match *node {
                Node::True => true,
                Node::Not(a) => now >> a & 1 == 0,
                Node::And(a, b) => now >> a & 1 == 1 && now >> b & 1 == 1,
                _ => false,
            };
            if holds {
                now |= 1 << i;
            }
        }
        now >> self.root & 1 == 1
    }

    /// The truth of the formula on a finished trace.
    #[must_use]
    pub fn judge(&self, trace: &[Letter]) -> bool {
        self.truth(trace, None)
    }
}

/// A closure with an alphabet and, for each past, the vectors that some extension gives.
#[derive(Clone, Debug)]
pub struct Futures {
    closure: Closure,
    letters: Vec<Letter>,
    given: HashMap<Vector, HashSet<Vector>>,
}

/// How many (past, vector) entries are collected before a formula is given up as too large.
const LIMIT: usize = 6_000;

impl Futures {
    /// Collects the futures; none where there are too many.
    #[must_use]
    pub fn new(closure: &Closure, letters: &[Letter]) -> Option<Self> {
        let mut edges: Vec<(Vector, usize, Vector)> = Vec::new();
        let mut seen: HashSet<Vector> = HashSet::from([None]);
        let mut queue = VecDeque::from([None]);
        while let Some(past) = queue.pop_front() {
            for (i, letter) in letters.iter().enumerate() {
                let next = closure.step(letter, past);
                edges.push((past, i, next));
                if seen.insert(next) {
                    queue.push_back(next);
                }
            }
            if edges.len() > LIMIT {
                return None;
            }
        }
        let mut given: HashMap<Vector, HashSet<Vector>> = seen
            .into_iter()
            .map(|past| (past, HashSet::from([None])))
            .collect();
        let mut into: HashMap<Vector, Vec<(Vector, usize)>> = HashMap::new();
        for (from, i, to) in &edges {
            into.entry(*to).or_default().push((*from, *i));
        }
        let mut work: Vec<(Vector, Vector)> = given.keys().map(|past| (*past, None)).collect();
        let mut total = 0;
        while let Some((past, vector)) = work.pop() {
            for (from, i) in into.get(&past).into_iter().flatten() {
                let first = Some(closure.vector(&letters[*i], *from, vector) & closure.future);
                if given.get_mut(from).is_some_and(|set| set.insert(first)) {
                    work.push((*from, first));
                    total += 1;
                    if total > LIMIT {
                        return None;
                    }
                }
            }
        }
        Some(Self {
            closure: closure.clone(),
            letters: letters.to_vec(),
            given,
        })
    }

    /// Whether no extension of the prefix satisfies the formula; none where the prefix has a
    /// letter outside the alphabet.
    #[must_use]
    pub fn bad(&self, prefix: &[Letter]) -> Option<bool> {
        let past = self.closure.past_of(prefix);
        let given = self.given.get(&past)?;
        Some(!given.iter().any(|after| self.closure.truth(prefix, *after)))
    }

    /// Whether every extension is judged alike after the prefix with one letter and with the
    /// other; none where there are too many to try.
    #[must_use]
    pub fn alike(&self, prefix: &[Letter], one: &Letter, other: &Letter) -> Option<bool> {
        let longer = |l: &Letter| {
            let mut all = prefix.to_vec();
            all.push(l.clone());
            all
        };
        let (u, v) = (longer(one), longer(other));
        let start = (self.closure.past_of(&u), self.closure.past_of(&v));
        // Pairs of vectors that one and the same extension gives after the two pasts.
        let mut edges: HashMap<Pair, Vec<(Pair, usize)>> = HashMap::new();
        let mut seen = HashSet::from([start]);
        let mut queue = VecDeque::from([start]);
        while let Some((p, q)) = queue.pop_front() {
            for (i, letter) in self.letters.iter().enumerate() {
                let next = (self.closure.step(letter, p), self.closure.step(letter, q));
                edges.entry(next).or_default().push(((p, q), i));
                if seen.insert(next) {
                    queue.push_back(next);
                }
            }
        }
        let mut given: HashSet<(Pair, Pair)> = HashSet::new();
        let mut work = Vec::new();
        for pasts in seen {
            given.insert((pasts, (None, None)));
            work.push((pasts, (None, None)));
        }
        while let Some((pasts, (x, y))) = work.pop() {
            if pasts == start && self.closure.truth(&u, x) != self.closure.truth(&v, y) {
                return Some(false);
            }
            for ((p, q), i) in edges.get(&pasts).into_iter().flatten() {
                let letter = &self.letters[*i];
                let mask = self.closure.future;
                let first = (
                    Some(self.closure.vector(letter, *p, x) & mask),
                    Some(self.closure.vector(letter, *q, y) & mask),
                );
                if given.insert(((*p, *q), first)) {
                    work.push(((*p, *q), first));
                }
            }
            if given.len() > 4 * LIMIT {
                return None;
            }
        }
        Some(true)
    }
}

/// The two alphabets between which every sensible one lies: all combinations of atoms, and those
/// that some event gives. Where both give the same answer, so does any between them.
#[derive(Clone, Debug)]
pub struct Judge {
    /// The subformulas of the guarantee.
    pub closure: Closure,
    wide: Futures,
    narrow: Futures,
}

impl Judge {
    /// The judge of a contract's guarantee, or none where it is too large. `possible` are the
    /// letters that some event gives.
    #[must_use]
    pub fn new(contract: &Contract, possible: &BTreeSet<Letter>) -> Option<Self> {
        Self::of(contract, &contract.guarantee, possible)
    }

    /// The judge of some clauses of a contract.
    #[must_use]
    pub fn of(contract: &Contract, clauses: &[F], possible: &BTreeSet<Letter>) -> Option<Self> {
        let used = contract.used();
        if used.len() > 4 {
            return None;
        }
        let closure = Closure::new(clauses)?;
        let mut wide = Vec::new();
        for mask in 0..1_usize << used.len() {
            let mut letter = vec![false; contract.atoms.len()];
            for (bit, atom) in used.iter().enumerate() {
                letter[*atom] = mask >> bit & 1 == 1;
            }
            wide.push(letter);
        }
        let narrow: BTreeSet<Letter> = possible
            .iter()
            .map(|l| (0..l.len()).map(|i| used.contains(&i) && l[i]).collect())
            .collect();
        let narrow: Vec<Letter> = narrow.into_iter().collect();
        Some(Self {
            wide: Futures::new(&closure, &wide)?,
            narrow: Futures::new(&closure, &narrow)?,
            closure,
        })
    }

    /// Whether the prefix is violated for good; none where the alphabets disagree.
    #[must_use]
    pub fn bad(&self, prefix: &[Letter]) -> Option<bool> {
        let wide = self.wide.bad(prefix)?;
        (wide == self.narrow.bad(prefix)?).then_some(wide)
    }

    /// Whether all letters lead to the same future; none where the alphabets disagree.
    #[must_use]
    pub fn alike(&self, prefix: &[Letter], letters: &[Letter]) -> Option<bool> {
        let Some((first, rest)) = letters.split_first() else {
            return Some(true);
        };
        let mut all = true;
        for other in rest {
            let wide = self.wide.alike(prefix, first, other)?;
            let narrow = self.narrow.alike(prefix, first, other)?;
            if wide != narrow {
                return None;
            }
            all &= wide;
        }
        Some(all)
    }
}

/// Every completion of a row of three-valued atoms, as far as they are used.
#[must_use]
pub fn completions(row: &[Option<bool>], used: &BTreeSet<usize>) -> Vec<Letter> {
    let open: Vec<usize> = used.iter().copied().filter(|a| row[*a].is_none()).collect();
    (0..1_usize << open.len())
        .map(|mask| {
            let mut letter: Letter = (0..row.len())
                .map(|a| used.contains(&a) && row[a] == Some(true))
                .collect();
            for (bit, atom) in open.iter().enumerate() {
                letter[*atom] = mask >> bit & 1 == 1;
            }
            letter
        })
        .collect()
}

/// A violation: index of the step, reason.
pub type Violation = (usize, &'static str);

/// What the recorded view reports of one instance: its violations in order, and whether the
/// guarantee is pending at the end (with the step at which it last became so).
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Steps that were violations, with the reason.
    pub violations: Vec<Violation>,
    /// Whether the end found the guarantee unsatisfied, and since which step.
    pub pending: Option<Option<usize>>,
}

/// Plays the recorded view (language reference, section 5, "Offline") for one instance; none
/// where the reference leaves the outcome open.
#[must_use]
pub fn recorded(
    judge: &Judge,
    used: &BTreeSet<usize>,
    table: &[Vec<Option<bool>>],
) -> Option<Report> {
    let mut report = Report::default();
    let mut kept: Vec<Letter> = Vec::new();
    let mut satisfied = judge.closure.judge(&kept);
    let mut since = None;
    if judge.bad(&kept)? {
        return None;
    }
    for (step, row) in table.iter().enumerate() {
        let letters = completions(row, used);
        if letters.len() > 1 && !judge.alike(&kept, &letters)? {
            report.violations.push((step, "undetermined"));
            continue;
        }
        kept.push(letters[0].clone());
        if judge.bad(&kept)? {
            kept.pop();
            report.violations.push((step, "violated"));
            continue;
        }
        let now = judge.closure.judge(&kept);
        if satisfied && !now {
            since = Some(step);
        }
        satisfied = now;
    }
    if !satisfied {
        report.pending = Some(since);
    }
    Some(report)
}

/// The truth of a formula by the position evaluator and by the closure, which must agree.
#[must_use]
pub fn both(clauses: &[F], table: &[Letter]) -> Option<(bool, bool)> {
    let closure = Closure::new(clauses)?;
    let steps = Steps {
        table,
        on_nothing: false,
    };
    Some((clauses.iter().all(|f| steps.judge(f)), closure.judge(table)))
}
