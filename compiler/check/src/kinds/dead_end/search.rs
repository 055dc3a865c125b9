//! The search for a dead end that a set of contracts closes.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use ctr_front::ir::{EventKind, Status};
use ctr_logic::{Formula, StateId};

use super::super::Subject;
use super::watch::Watch;
use crate::flight::in_flight;
use crate::problem::Leaf;
use crate::product::{Literal, Monitor, Product, Stopped, Tuple, Visit, Work};
use crate::realise::Realised;
use crate::replay::Concrete;
use crate::theory::Path;
use crate::universe::Class;
use crate::walk;

/// The most states of one product.
const STATES: usize = 6_000;
/// The most events that are looked at, over all states of all products of a component.
const EVENTS: usize = 1_500_000;
/// How many sessions may turn out not to be what they seemed.
const ATTEMPTS: usize = 24;
/// So many of them are left out one by one, before all that lead to the same state are.
const ONE_BY_ONE: usize = 12;

/// What is known of a component.
pub(super) struct Search<'s, 'l> {
    pub(super) subject: &'s mut Subject<'l>,
    pub(super) monitors: BTreeMap<Watch, (usize, Rc<Monitor>)>,
    /// The most states of an automaton or product.
    pub(super) states: usize,
    /// What was learned of sessions as wholes, by its number.
    pub(super) facts: Vec<usize>,
    /// That sessions do not begin in some way which the runtime refuses.
    pub(super) refused: Vec<Formula>,
    /// Leaves that bind a key, with conditions on the same value.
    pub(super) constants: Vec<(u32, u32)>,
    /// The groups of events that a session may have on its way.
    allowed: Vec<usize>,
    told: Vec<Region>,
    left: usize,
}

/// The product of some contracts.
pub(super) struct Region {
    pub(super) watches: Vec<Watch>,
    pub(super) product: Product,
    /// From which states all contracts can be kept.
    pub(super) live: Vec<bool>,
    /// The states that a session can come to in which nothing is violated.
    pub(super) reached: BTreeSet<u32>,
}

/// A point from which no continuation keeps a set of contracts.
pub(super) struct Point {
    /// The contracts that it was found with.
    pub(super) set: Vec<usize>,
    /// The way there.
    pub(super) events: Vec<(usize, Vec<Literal>)>,
    /// The same with values, as the runtime's gate has let it through.
    pub(super) session: Concrete,
}

/// What came of a search.
pub(super) enum Trap {
    /// There is no such point.
    None(Region),
    /// There is this one.
    Point(Point),
    /// Already the beginning is one: that is no finding of this kind.
    Hopeless,
    /// It is not known.
    Open(String),
}

impl<'s, 'l> Search<'s, 'l> {
    pub(super) fn new(subject: &'s mut Subject<'l>) -> Self {
        let universe = &subject.engine.problem.universe;
        // A call of unknown outcome is as one in flight, unless a contract asks for it.
        let library = subject.library;
        let asked = subject.contracts.iter().any(|contract| {
            let contract = library.contracts.get(*contract);
            contract.is_some_and(|contract| {
                let patterns = walk::contract(library, contract).patterns;
                let mut patterns = patterns
                    .iter()
                    .filter_map(|id| library.patterns.get(id.0 as usize));
                patterns.any(|p| p.kind == EventKind::Return(Some(Status::Unknown)))
            })
        });
        let is_unknown = |class: &Class| matches!(class, Class::Return(_, Status::Unknown));
        let allowed = (0..)
            .zip(&universe.groups)
            .filter(|(_, group)| asked || !group.classes.iter().all(is_unknown))
            .map(|(index, _)| index)
            .collect();
        let constants = constants(subject);
        Self {
            subject,
            monitors: BTreeMap::new(),
            states: STATES,
            facts: Vec::new(),
            refused: Vec::new(),
            constants,
            allowed,
            told: Vec::new(),
            left: EVENTS,
        }
    }

    /// The contracts that can owe something: a side can be neither satisfied nor violated.
    pub(super) fn owing(&mut self) -> Result<Vec<usize>, Stopped> {
        let mut out = Vec::new();
        for contract in self.subject.contracts.clone() {
            for side in self.sides(contract) {
                let monitor = self.monitor(side)?;
                if monitor.alive().any(|s| !monitor.dfa.accepting(s))
                    && out.last() != Some(&contract)
                {
                    out.push(contract);
                }
            }
        }
        Ok(out)
    }

    /// Lets a little more work be done.
    pub(super) fn refill(&mut self) {
        self.left = self.left.max(EVENTS / 4);
    }

    fn of(&mut self, watches: &[Watch]) -> Result<Vec<Rc<Monitor>>, Stopped> {
        watches.iter().map(|watch| self.monitor(*watch)).collect()
    }

    fn explore(
        &mut self,
        monitors: Vec<Rc<Monitor>>,
        groups: &[usize],
        visit: impl FnMut(&[StateId], &crate::product::Edge, &[StateId]) -> Visit,
    ) -> Result<(Product, Option<(u32, crate::product::Edge)>), Stopped> {
        let over = self.subject.engine.over();
        let mut work = Work {
            left: self.left,
            states: self.states,
            over: &over,
        };
        let found = Product::explore(monitors, groups, &mut work, visit);
        self.left = work.left;
        found
    }

    /// The product of some contracts, over all events.
    fn region(&mut self, set: &[usize]) -> Result<Region, Stopped> {
        let watches = self.watches(set);
        let monitors = self.of(&watches)?;
        let groups: Vec<usize> = (0..self.subject.engine.problem.universe.groups.len()).collect();
        let (product, _) = self.explore(monitors, &groups, |_, _, _| Visit::Enter)?;
        let live = product.leads_to(|state| Self::satisfied(&watches, &product.monitors, state));
        Ok(Region {
            watches,
            product,
            live,
            reached: BTreeSet::new(),
        })
    }

    /// Sees to it that dead ends which these contracts close are not found again.
    pub(super) fn told(&mut self, contracts: &[usize]) -> Result<(), Stopped> {
        let region = self.region(contracts)?;
        self.told.push(region);
        Ok(())
    }

    /// Whether a dead end that a contract closes with others is told.
    pub(super) fn is_told(&self, contract: usize) -> bool {
        let mut watches = self.told.iter().flat_map(|told| &told.watches);
        watches.any(|watch| watch.side() == Some(contract))
    }

    /// Contracts outside a set that close a dead end which has been told, with others or alone, if events of a group may lead there.
    pub(super) fn leads_astray(&self, set: &[usize], group: usize) -> Option<Vec<usize>> {
        self.told.iter().find_map(|told| {
            let mut others: Vec<usize> = told.watches.iter().filter_map(|w| w.side()).collect();
            others.retain(|contract| !set.contains(contract));
            others.dedup();
            let live = |state: u32| told.live.get(state as usize) == Some(&true);
            let astray = (0..).zip(&told.product.edges).any(|(from, edges)| {
                live(from)
                    && edges
                        .iter()
                        .any(|edge| edge.group == group && !live(edge.to))
            });
            (astray && !others.is_empty()).then_some(others)
        })
    }

    /// A shortest session in which nothing is violated to a point from which no continuation keeps the contracts of the set.
    pub(super) fn trap(&mut self, set: &[usize]) -> Result<Trap, Stopped> {
        self.look(set, None)
    }

    /// The same of one contract, some of whose sides cannot be satisfied any more, which the runtime does not know: it takes the
    /// atoms of a contract as independent of each other.
    pub(super) fn unseen(&mut self, contract: usize) -> Result<Trap, Stopped> {
        self.look(&[contract], Some(contract))
    }

    fn look(&mut self, set: &[usize], as_run: Option<usize>) -> Result<Trap, Stopped> {
        // The others can be violated on the way; most have nothing to say.
        let mut beside: BTreeSet<usize> = BTreeSet::new();
        let mut banned: BTreeSet<(Tuple, usize, Vec<Literal>)> = BTreeSet::new();
        let mut banned_for: Vec<Watch> = Vec::new();
        let mut doubt: Option<String> = None;
        let mut attempts = 0;
        let mut refused: Vec<usize> = Vec::new();
        loop {
            let mut region = self.region(set)?;
            if region.live.first() != Some(&true) {
                return Ok(Trap::Hopeless);
            }
            let mut all: BTreeSet<usize> = beside.clone();
            all.extend(set);
            all.extend(
                self.told
                    .iter()
                    .flat_map(|told| &told.watches)
                    .filter_map(|w| w.side()),
            );
            let all: Vec<usize> = all.into_iter().collect();
            let mut watches = self.watches(&all);
            if !self.subject.one_key.is_empty() {
                watches.push(Watch::OneKey);
            }
            watches.extend(refused.iter().map(|number| Watch::Refused(*number)));
            if banned_for != watches {
                banned.clear();
                banned_for.clone_from(&watches);
            }
            let mut monitors = self.of(&watches)?;
            let gate = Gate::new(self, &watches, &monitors);
            if let Some(contract) = as_run {
                for (watch, monitor) in watches.iter().zip(&mut monitors) {
                    if watch.side() == Some(contract) {
                        *monitor = Rc::new(monitor.enduring());
                    }
                }
                for side in self.sides(contract) {
                    let more = match side {
                        Watch::Assume(c) => [Watch::AssumeRun(c), Watch::AssumeMeant(c)],
                        _ => [
                            Watch::GuaranteeRun(contract),
                            Watch::GuaranteeMeant(contract),
                        ],
                    };
                    monitors.extend(self.of(&more)?);
                    watches.extend(more);
                }
            }
            let own = places(&watches, &region.watches);
            let told: Vec<(Vec<usize>, Region)> = std::mem::take(&mut self.told)
                .into_iter()
                .map(|told| (places(&watches, &told.watches), told))
                .collect();
            let groups = self.allowed.clone();
            let mut reached = BTreeSet::from([0]);
            let found = self.explore(monitors, &groups, |from, edge, to| {
                if banned.contains(&(from.into(), edge.group, edge.literals.clone()))
                    || gate.refuses(from, edge.group, to)
                    || told.iter().any(|(places, told)| !told.is_live(places, to))
                {
                    return Visit::Leave;
                }
                if region.is_live(&own, to) {
                    reached.extend(region.product.find(&projected(&own, to)));
                    Visit::Enter
                } else {
                    Visit::Found
                }
            });
            self.told = told.into_iter().map(|(_, told)| told).collect();
            let (product, found) = found?;
            let Some((from, edge)) = found else {
                if let Some(doubt) = doubt {
                    return Ok(Trap::Open(doubt));
                }
                region.reached = reached;
                return Ok(Trap::None(region));
            };
            let mut way = product.way_to(from);
            way.push((from, edge));
            let events: Vec<(usize, Vec<Literal>)> = way
                .iter()
                .map(|(_, edge)| (edge.group, edge.literals.clone()))
                .collect();
            if let Some(other) = self.violated(&events, &all)? {
                beside.insert(other);
                continue;
            }
            let known = self.subject.engine.learned.len();
            let ban = match self.subject.engine.realise(&events) {
                Realised::Session(session) => {
                    return Ok(Trap::Point(Point {
                        set: set.to_vec(),
                        events,
                        session,
                    }));
                }
                Realised::Learned => {
                    self.note(known);
                    continue;
                }
                Realised::Refused(at, contracts) => {
                    let more: Vec<usize> = contracts
                        .into_iter()
                        .filter(|c| self.subject.contracts.contains(c) && !all.contains(c))
                        .collect();
                    if !more.is_empty() {
                        beside.extend(more);
                        continue;
                    }
                    doubt = Some(
                        "the runtime refuses a session that the contracts' formulas allow"
                            .to_owned(),
                    );
                    at
                }
                Realised::Open(reason) => {
                    doubt = Some(reason);
                    events.len() - 1
                }
            };
            attempts += 1;
            if attempts >= ATTEMPTS {
                return Ok(Trap::Open(doubt.unwrap_or_default()));
            }
            if attempts <= ONE_BY_ONE {
                // Another order of the same events may be let through.
                let path = self.path(events.get(..=ban).unwrap_or_default());
                let clause = self.subject.engine.block(&path);
                refused.push(self.refused.len());
                self.refused.push(clause);
                continue;
            }
            if let Some((from, edge)) = way.get(ban)
                && let Some(state) = product.states.get(*from as usize)
            {
                banned.insert((state.clone(), edge.group, edge.literals.clone()));
            }
        }
    }

    /// Events as steps of a session.
    pub(super) fn path(&mut self, events: &[(usize, Vec<Literal>)]) -> Path {
        let engine = &mut self.subject.engine;
        let steps = events
            .iter()
            .filter_map(|(group, literals)| engine.step(*group, literals));
        Path {
            steps: steps.collect(),
            ..Path::default()
        }
    }

    /// Remembers what was learned since, but for what single events cannot be.
    pub(super) fn note(&mut self, since: usize) {
        let impossible = self.subject.engine.impossible.clone();
        let arena = &mut self.subject.engine.problem.arena;
        let letters: BTreeSet<_> = impossible.into_iter().map(|f| arena.always(f)).collect();
        let learned = &self.subject.engine.learned;
        self.facts.extend(
            (since..learned.len())
                .filter(|n| learned.get(*n).is_some_and(|f| !letters.contains(f))),
        );
    }

    /// A contract beside these that a session violates.
    fn violated(
        &mut self,
        events: &[(usize, Vec<Literal>)],
        beside: &[usize],
    ) -> Result<Option<usize>, Stopped> {
        for contract in self.subject.contracts.clone() {
            if beside.contains(&contract) {
                continue;
            }
            for side in self.sides(contract) {
                let monitor = self.monitor(side)?;
                let mut state = monitor.dfa.initial();
                for (group, literals) in events {
                    state = monitor.step(state, *group, literals);
                    if monitor.dead(state) {
                        return Ok(Some(contract));
                    }
                }
            }
        }
        Ok(None)
    }

    /// A minimal subset of the contracts of a point that closes it.
    pub(super) fn closing(&mut self, point: &Point) -> Result<Vec<usize>, Stopped> {
        let mut core = point.set.clone();
        for contract in point.set.iter().rev() {
            let rest: Vec<usize> = core.iter().copied().filter(|c| c != contract).collect();
            if rest.is_empty() {
                break;
            }
            let region = self.region(&rest)?;
            let end: Vec<StateId> = region
                .product
                .monitors
                .iter()
                .map(|monitor| {
                    let first = monitor.dfa.initial();
                    point.events.iter().fold(first, |state, (group, literals)| {
                        monitor.step(state, *group, literals)
                    })
                })
                .collect();
            let live = region
                .product
                .find(&end)
                .is_some_and(|state| region.live.get(state as usize) == Some(&true));
            if !live {
                core = rest;
            }
        }
        Ok(core)
    }
}

impl Region {
    /// Whether all its contracts can be kept from a state of a larger product.
    fn is_live(&self, places: &[usize], state: &[StateId]) -> bool {
        self.product
            .find(&projected(places, state))
            .is_some_and(|at| self.live.get(at as usize) == Some(&true))
    }
}

/// Where the monitors of a part stand in the whole.
fn places(whole: &[Watch], part: &[Watch]) -> Vec<usize> {
    part.iter()
        .filter_map(|watch| whole.iter().position(|other| other == watch))
        .collect()
}

fn projected(places: &[usize], state: &[StateId]) -> Tuple {
    places
        .iter()
        .filter_map(|at| state.get(*at).copied())
        .collect()
}

/// Leaves that bind a key by a field, with conditions that read nothing but that field.
fn constants(subject: &Subject<'_>) -> Vec<(u32, u32)> {
    let problem = &subject.engine.problem;
    let mut out = Vec::new();
    for (key, leaf) in (0..).zip(&problem.leaves) {
        let Leaf::Key(path, _) = leaf else { continue };
        for (condition, leaf) in (0..).zip(&problem.leaves) {
            let (Leaf::Condition(..) | Leaf::Compare(..)) = leaf else {
                continue;
            };
            if reads_only(problem.library, leaf, *path) {
                out.push((key, condition));
            }
        }
    }
    out
}

fn reads_only(library: &ctr_front::ir::Library, leaf: &Leaf, path: ctr_front::ir::ExprId) -> bool {
    use ctr_front::ir::{Expr, ExprId};
    fn only(library: &ctr_front::ir::Library, expr: ExprId, path: ExprId) -> bool {
        if expr == path {
            return true;
        }
        match library.exprs.get(expr.0 as usize) {
            None
            | Some(
                Expr::Root(_)
                | Expr::Path { .. }
                | Expr::Read { .. }
                | Expr::Fresh { .. }
                | Expr::Mentioned { .. }
                | Expr::Pattern(_)
                | Expr::Lookup(..)
                | Expr::Every(..)
                | Expr::Some(..),
            ) => false,
            Some(node) => node
                .children()
                .into_iter()
                .all(|child| only(library, child, path)),
        }
    }
    match leaf {
        Leaf::Condition(expr, _) => only(library, *expr, path),
        Leaf::Compare(_, a, b, _) => only(library, *a, path) && only(library, *b, path),
        _ => false,
    }
}

/// What the runtime refuses although nothing is violated yet: calls that would violate a guarantee if they
/// succeeded, after those in flight, whatever their results (language reference, section 5).
struct Gate {
    guarantees: Vec<(usize, Rc<Monitor>)>,
    /// The tools whose success matters.
    flights: Vec<FlightOf>,
    /// The tool of the calls of each group.
    tools: BTreeMap<usize, usize>,
}

/// A tool.
struct FlightOf {
    tool: usize,
    /// What watches how many calls of it are in flight, and where, if something does.
    watched: Option<(usize, Rc<Monitor>)>,
    returns: BTreeSet<usize>,
    successes: BTreeSet<usize>,
}

impl Gate {
    fn new(search: &Search<'_, '_>, watches: &[Watch], monitors: &[Rc<Monitor>]) -> Self {
        let engine = &search.subject.engine;
        let mut new = Self {
            guarantees: Vec::new(),
            flights: Vec::new(),
            tools: BTreeMap::new(),
        };
        let mut watched = BTreeMap::new();
        for (place, (watch, monitor)) in watches.iter().zip(monitors).enumerate() {
            match watch {
                Watch::Guarantee(_) => new.guarantees.push((place, Rc::clone(monitor))),
                Watch::Flight(tool) => {
                    watched.insert(*tool, (place, Rc::clone(monitor)));
                }
                _ => {}
            }
        }
        for tool in 0..engine.problem.universe.tools.len() {
            let successes = engine.successes(tool);
            let matters = new
                .guarantees
                .iter()
                .any(|(_, monitor)| successes.iter().any(|group| !monitor.ignores(*group)));
            if !matters {
                continue;
            }
            let (calls, returns) = engine.calls_and_returns(tool);
            new.tools
                .extend(calls.into_iter().map(|group| (group, tool)));
            new.flights.push(FlightOf {
                tool,
                watched: watched.remove(&tool),
                returns,
                successes,
            });
        }
        new
    }

    fn refuses(&self, from: &[StateId], group: usize, to: &[StateId]) -> bool {
        let Some(tool) = self.tools.get(&group) else {
            return false;
        };
        let Some(own) = self.flights.iter().find(|flight| flight.tool == *tool) else {
            return false;
        };
        let mut must = Vec::new();
        let mut may = Vec::new();
        for flight in &self.flights {
            let count = flight.watched.as_ref().and_then(|(place, monitor)| {
                in_flight(monitor, *from.get(*place)?, &flight.returns)
            });
            match count {
                Some(count) => must.extend(std::iter::repeat_n(flight, count)),
                None => may.push(flight),
            }
        }
        self.guarantees.iter().any(|(place, monitor)| {
            let state = to.get(*place).copied().unwrap_or_default();
            let matters =
                |flight: &&&FlightOf| !flight.successes.iter().all(|g| monitor.ignores(*g));
            if own.successes.iter().all(|g| monitor.ignores(*g)) {
                return false;
            }
            let must: Vec<&FlightOf> = must.iter().filter(matters).copied().collect();
            let may: Vec<&FlightOf> = may.iter().filter(matters).copied().collect();
            doomed(monitor, state, own, &must, &may)
        })
    }
}

/// Whether a guarantee is violated for good after the success of a call, whatever the order of those in flight before it, how many
/// there are where that is not known, and what they bring.
fn doomed(
    monitor: &Monitor,
    state: StateId,
    own: &FlightOf,
    must: &[&FlightOf],
    may: &[&FlightOf],
) -> bool {
    if must.len() > 8 {
        return false;
    }
    let succeed = |state: StateId, flight: &FlightOf| -> BTreeSet<StateId> {
        flight
            .successes
            .iter()
            .flat_map(|group| monitor.targets(state, *group))
            .collect()
    };
    let all = (1_u32 << must.len()) - 1;
    let mut seen = BTreeSet::from([(state, all)]);
    let mut stack = vec![(state, all)];
    while let Some((state, left)) = stack.pop() {
        if left == 0 && succeed(state, own).iter().any(|to| !monitor.dead(*to)) {
            return false;
        }
        let mut next = Vec::new();
        for (bit, flight) in must.iter().enumerate() {
            let bit = 1_u32 << bit;
            if left & bit != 0 {
                next.extend(
                    succeed(state, flight)
                        .into_iter()
                        .map(|to| (to, left & !bit)),
                );
            }
        }
        for flight in may {
            next.extend(succeed(state, flight).into_iter().map(|to| (to, left)));
        }
        for pair in next {
            if seen.insert(pair) {
                stack.push(pair);
            }
        }
    }
    true
}
