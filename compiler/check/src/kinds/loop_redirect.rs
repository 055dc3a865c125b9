//! `loop_redirect`: a redirect whose call would itself be refused whenever it is made.
//!
//! A contract asks for its redirect where its guarantee would be violated by a call and no contract with a stricter
//! action objects. The call that the redirect makes is judged in the same state. What is asked is a session in which
//! it is let through; where there is none, nothing but a refusal can come of the redirect.

use std::collections::BTreeSet;
use std::sync::Arc;

use ctr_front::diagnostic::Diagnostic;
use ctr_front::ir::{ActionKind, Contract, Library, Root, Side, Status};
use ctr_logic::Formula;
use ctr_runtime::format::model::Automaton;

use super::undecided::Open;
use super::{Given, Subject, listed, proof, with_places};
use crate::component::components;
use crate::engine::{Answer, Expected};
use crate::gate::Gate;
use crate::machine::{Machine, is_about};
use crate::problem::{Leaf, Problem, Scope};
use crate::target::Target;
use crate::universe::{Class, ToolName, fits_any_status};
use crate::walk;

/// Groups of keys from here on are those of the redirected call.
const FRESH_KEYS: u32 = 1 << 20;
/// With so many contracts those that only share events with the ones concerned are looked at, too.
const AROUND: usize = 16;

/// The redirects that never come to a call.
pub(crate) fn findings(
    given: &Given<'_>,
    broken: &BTreeSet<usize>,
    open: &mut Vec<Open>,
) -> (Vec<Diagnostic>, usize) {
    let mut out = Vec::new();
    let mut asked = 0;
    for index in 0..given.library.contracts.len() {
        let Some(mut target) = Target::new(given.library, index) else {
            continue;
        };
        if broken.contains(&index) {
            continue;
        }
        let mut library = given.library.clone();
        let about: Vec<usize> = (0..library.contracts.len())
            .filter(|other| {
                library.contracts.get(*other).is_some_and(|contract| {
                    let neutral = given.neutral.get(*other).copied().unwrap_or(false);
                    is_about(&library, contract, neutral, &target.tool)
                })
            })
            .collect();
        for other in &about {
            target.prepare(&mut library, *other);
        }
        let (found, count) = finding(given, &library, target, &about, open);
        asked += count;
        out.extend(found);
    }
    (out, asked)
}

/// The strictest actions first.
fn strictness(contract: &Contract) -> u8 {
    match contract.action.kind {
        ActionKind::Block => 0,
        ActionKind::Escalate => 1,
        ActionKind::Redirect { .. } => 2,
        ActionKind::Repair => 3,
        ActionKind::Warn => 4,
    }
}

fn finding(
    given: &Given<'_>,
    library: &Library,
    mut target: Target,
    about: &[usize],
    open: &mut Vec<Open>,
) -> (Option<Diagnostic>, usize) {
    let own = target.contract;
    let Some(contract) = library.contracts.get(own) else {
        return (None, 0);
    };
    // Those that can keep the redirect from being made.
    let stricter: Vec<usize> = (0..library.contracts.len())
        .filter(|other| {
            *other != own
                && library.contracts.get(*other).is_some_and(|contract| {
                    strictness(contract) < 2 || (strictness(contract) == 2 && *other < own)
                })
        })
        .collect();
    let mut contracts: BTreeSet<usize> = about.iter().copied().collect();
    contracts.insert(own);
    let refusable = refusable(library, given.neutral, own, &stricter);
    contracts.extend(&refusable);
    // Those that share events with them say which sessions there are.
    let mut around = contracts.clone();
    for component in components(library, given.neutral) {
        if component
            .iter()
            .any(|contract| contracts.contains(contract))
        {
            around.extend(component);
        }
    }
    if around.len() <= AROUND {
        contracts = around;
    }
    let contracts: Vec<usize> = contracts.into_iter().collect();
    let mut subject = Subject::new(
        library,
        given.keys,
        given.neutral,
        &contracts,
        given.artifact,
        Arc::clone(given.plan),
        given.until.clone(),
    );
    let found = ask(
        given,
        &mut subject,
        &mut target,
        about,
        &refusable,
        &stricter,
    );
    let question = |reason: String| {
        Open::new(
            "loop_redirect",
            "a redirect's call is always refused",
            reason,
        )
        .about(contract.name.clone())
    };
    let asked = subject.engine.asked();
    let shown = match (&target.tool.server, &target.tool.name) {
        (Some(server), Some(name)) => format!("{server}.{name}"),
        (_, name) => name.clone().unwrap_or_default(),
    };
    match found {
        Err(reason) => {
            open.push(question(reason));
            (None, asked)
        }
        Ok(None) => (None, asked),
        Ok(Some(core)) => {
            let names = subject.names(&core);
            let places: Vec<_> = core
                .iter()
                .filter_map(|c| subject.contract(*c))
                .flat_map(|c| {
                    c.clauses
                        .iter()
                        .filter(|clause| clause.side == Side::Guarantee)
                        .map(|clause| (clause.place, format!("of `{}`", c.name)))
                })
                .collect();
            let by = if core == [own] {
                "itself".to_owned()
            } else {
                listed(&names)
            };
            let mut what = proof("loop_redirect", names);
            what.tool = Some(shown.clone());
            let finding = Diagnostic::error(
                "E0705",
                format!(
                    "the call of `{shown}` that `{}` redirects to is refused whenever it is made, by {by}",
                    contract.name
                ),
                contract.name_place,
                "this redirect only ever blocks",
            )
            .with_help("redirect to a call that these contracts allow, or write `block`")
            .with_proof(what);
            (Some(with_places(finding, places)), asked)
        }
    }
}

/// The contracts with a stricter action that are about calls which the contract refuses.
fn refusable(library: &Library, neutral: &[bool], own: usize, stricter: &[usize]) -> Vec<usize> {
    let tools: Vec<ToolName> = library
        .tools
        .iter()
        .map(|tool| ToolName {
            server: tool.server.clone(),
            name: Some(tool.name.clone()),
        })
        .collect();
    let is = |index: usize, tool: &ToolName| {
        library.contracts.get(index).is_some_and(|contract| {
            let neutral = neutral.get(index).copied().unwrap_or(false);
            is_about(library, contract, neutral, tool)
        })
    };
    let others = stricter.iter().copied();
    others
        .filter(|other| tools.iter().any(|tool| is(own, tool) && is(*other, tool)))
        .collect()
}

/// The contracts that refuse the call; none if it is made in some session, or never asked for.
fn ask(
    given: &Given<'_>,
    subject: &mut Subject<'_>,
    target: &mut Target,
    about: &[usize],
    refusable: &[usize],
    stricter: &[usize],
) -> Result<Option<Vec<usize>>, String> {
    const LARGE: &str = "the automata of the contracts are too large";
    let own = target.contract;
    let library = subject.library;
    let automaton = |contract: usize, side: Side| {
        let entry = given.model.contracts.get(contract)?;
        let id = match side {
            Side::Assume => entry.assume,
            Side::Guarantee => entry.guarantee,
        }?;
        given.model.automata.get(id as usize)
    };
    let contracts = subject.contracts.clone();
    let problem = &mut subject.engine.problem;
    // Which calls the contract can refuse.
    let tools = problem.universe.tools.clone();
    let contract = library.contracts.get(own).ok_or(LARGE)?;
    let neutral = given.neutral.get(own).copied().unwrap_or(false);
    let groups = problem.universe.where_class(|class| match class {
        Class::Call(tool) => tools
            .get(tool)
            .is_some_and(|tool| is_about(library, contract, neutral, tool)),
        _ => false,
    });
    if groups.is_empty() {
        return Ok(None);
    }
    let mut roles = Roles::default();
    let given_keys = |contract: usize| given.keys.get(contract).cloned().unwrap_or_default();
    let mut play = |problem: &mut Problem<'_>, contract: usize, keys: &[u32]| {
        roles.play(problem, contract, keys, &automaton)
    };
    let Some((asks, mut always)) = play(problem, own, &given_keys(own)).ok_or(LARGE)? else {
        return Ok(None);
    };
    let not_last = problem.arena.tt();
    let not_last = problem.arena.next(not_last);
    let last = problem.arena.not(not_last);
    let at_last = |problem: &mut Problem<'_>, f: Formula| {
        let here = problem.arena.and(&[last, f]);
        problem.arena.eventually(here)
    };
    // The contract refuses the last event, and no stricter one does. The success of the call can be what is refused, by itself or
    // after that of calls in flight.
    let (mut by_itself, mut by_others) = (Vec::new(), Vec::new());
    for group in &groups {
        let (mut alone, mut worse) = (BTreeSet::new(), BTreeSet::new());
        let classes = problem.universe.groups.get(*group);
        for class in classes.map(|g| g.classes.clone()).unwrap_or_default() {
            if let Class::Call(tool) = class
                && let Some(tool) = tools.get(tool)
            {
                let outlook = asks.outlook(library, &tools, tool, true);
                alone.extend(outlook.alone);
                worse.extend(outlook.worse);
            }
        }
        let group = BTreeSet::from([*group]);
        let here = problem.universe.formula(&mut problem.arena, &group);
        let bad = asks.comes_to(problem, &|s| asks.is_bad(s) || alone.contains(&s));
        by_itself.push(problem.arena.and(&[here, bad]));
        let bad = asks.comes_to(problem, &|s| worse.contains(&s));
        by_others.push(problem.arena.and(&[here, bad]));
    }
    let by_itself = problem.arena.or(&by_itself);
    let by_others = problem.arena.or(&by_others);
    let called = helpful_call(problem, own, neutral);
    let called = problem.arena.once(called);
    let in_flight = problem.arena.previously(called);
    let by_others = problem.arena.and(&[by_others, in_flight]);
    let refused = problem.arena.or(&[by_itself, by_others]);
    always.push(at_last(problem, refused));
    // Sessions in which it is refused whatever is in flight are looked for first.
    let by_itself = at_last(problem, by_itself);
    for &other in refusable {
        if let Some(Some((machine, runs))) = play(problem, other, &given_keys(other)) {
            let bad = machine.comes_to(problem, &|state| machine.is_bad(state));
            let not = problem.arena.not(bad);
            always.push(at_last(problem, not));
            always.extend(runs);
        }
    }
    // The redirected call is accepted, contract by contract.
    let mut members: Vec<(usize, Formula)> = Vec::new();
    let mut chosen = Vec::new();
    let mut of_members = Vec::new();
    let mut fresh = FRESH_KEYS;
    for &about in about {
        // A warning lets the call through.
        if library
            .contracts
            .get(about)
            .is_some_and(|contract| contract.action.kind == ActionKind::Warn)
        {
            continue;
        }
        let (mut keys, bound) = target.keys_of(problem, about, &mut fresh);
        let Some(Some((machine, runs))) = play(problem, about, &keys) else {
            continue;
        };
        keys.extend(given_keys(own));
        let scope = Scope {
            keys,
            groups: groups.clone(),
            complete: true,
        };
        let texts = &mut subject.engine.texts;
        let (can, does) = target.step(problem, about, &scope);
        let keyed = library
            .contracts
            .get(about)
            .is_some_and(|contract| !contract.keys.is_empty());
        let better = machine
            .outlook(library, &tools, &target.tool, keyed && !bound)
            .better;
        let mut rail = |problem: &mut Problem<'_>, atom: u32| {
            let expr = library.atoms.get(atom as usize).map(|atom| atom.expr);
            let expr = expr.unwrap_or(ctr_front::ir::ExprId(u32::MAX));
            target.rail(problem, texts, about, expr, &scope)
        };
        let bad = machine.comes_to_by(problem, &|s| machine.is_bad(s), can, does, &mut rail);
        let fine = machine.comes_to_by(
            problem,
            &|s| !machine.is_bad(s) && better.contains(&s),
            can,
            does,
            &mut rail,
        );
        let not_bad = problem.arena.not(bad);
        let accepted = problem.arena.and(&[not_bad, fine]);
        let mut all = vec![at_last(problem, accepted)];
        all.extend(&runs);
        of_members.extend(runs);
        members.push((about, problem.arena.and(&all)));
        if bound {
            for key in target.binds(problem, about, &scope) {
                chosen.push(at_last(problem, key));
            }
        }
    }
    // All are kept so far.
    for contract in contracts {
        let known = members.iter().any(|(other, _)| *other == contract);
        if !known
            && contract != own
            && let Some(Some((_, runs))) = play(problem, contract, &given_keys(contract))
        {
            always.extend(runs);
        }
    }
    // New conditions are carried by returns like all others.
    subject.engine.returns();
    let mut all = always.clone();
    all.extend(&chosen);
    all.extend(members.iter().map(|(_, f)| *f));
    let redirects = Expected {
        gate: Some(Gate::Redirects {
            contract: own,
            reads: target.reads(library),
        }),
        ..Expected::default()
    };
    match ask_first(subject, &all, by_itself, &redirects) {
        Answer::Session(_) => return Ok(None),
        Answer::Open(reason) => return Err(reason),
        Answer::Never => {}
    }
    let asks = Expected {
        gate: Some(Gate::Asks {
            contract: own,
            stricter: stricter.to_vec(),
        }),
        ..Expected::default()
    };
    let mut kept = always.clone();
    kept.extend(of_members);
    match ask_first(subject, &kept, by_itself, &asks) {
        Answer::Session(_) => {}
        Answer::Never => return Ok(None),
        Answer::Open(reason) => return Err(reason),
    }
    always.extend(&chosen);
    let formulas: Vec<Formula> = members.iter().map(|(_, f)| *f).collect();
    let core = subject.cores(&formulas, &always, 1).into_iter().next();
    let core: Vec<usize> = match core {
        Some(core) => core
            .iter()
            .filter_map(|at| members.get(*at).map(|(contract, _)| *contract))
            .collect(),
        None => members.iter().map(|(contract, _)| *contract).collect(),
    };
    // Only the arguments can be to blame then, which the theory excludes.
    Ok((!core.is_empty()).then_some(core))
}

/// The automata of the contracts, each for the keys in whose name it is asked.
#[derive(Default)]
struct Roles<'m> {
    next_bit: u32,
    played: Vec<Played<'m>>,
}

/// A contract, keys, the guarantee (none: it is true), and that no event but the last violates a side.
type Played<'m> = (usize, Vec<u32>, Option<Machine<'m>>, Vec<Formula>);

impl<'m> Roles<'m> {
    /// The guarantee of an instance, and that it is kept so far; `None` where it is too large, inside where there is no guarantee.
    fn play(
        &mut self,
        problem: &mut Problem<'_>,
        contract: usize,
        keys: &[u32],
        automaton: &dyn Fn(usize, Side) -> Option<&'m Automaton>,
    ) -> Option<Option<(Machine<'m>, Vec<Formula>)>> {
        let known = self
            .played
            .iter()
            .find(|(other, theirs, ..)| *other == contract && theirs == keys);
        if let Some((_, _, machine, runs)) = known {
            return Some(machine.clone().map(|machine| (machine, runs.clone())));
        }
        let mut runs = Vec::new();
        let mut guarantee = None;
        for side in [Side::Assume, Side::Guarantee] {
            let Some(automaton) = automaton(contract, side) else {
                continue;
            };
            let machine = Machine::new(problem, contract, keys, automaton, &mut self.next_bit)?;
            runs.push(machine.runs(problem));
            if side == Side::Guarantee {
                guarantee = Some(machine);
            }
        }
        self.played
            .push((contract, keys.to_vec(), guarantee.clone(), runs.clone()));
        Some(guarantee.map(|machine| (machine, runs)))
    }
}

/// That this event is a call whose success could move a contract.
fn helpful_call(problem: &mut Problem<'_>, contract: usize, neutral: bool) -> Formula {
    let library = problem.library;
    let any = problem
        .universe
        .where_class(|class| matches!(class, Class::Call(_)));
    let Some(entry) = library.contracts.get(contract).filter(|_| neutral) else {
        return problem.universe.formula(&mut problem.arena, &any);
    };
    let keys = problem.keys.get(contract).cloned().unwrap_or_default();
    let tools = problem.universe.tools.clone();
    let mut ways = Vec::new();
    for id in &entry.patterns {
        let Some(pattern) = library.patterns.get(id.0 as usize) else {
            continue;
        };
        let groups = problem.universe.where_class(|class| match class {
            Class::Call(tool) => fits_any_status(
                library,
                pattern,
                Class::Return(tool, Status::Success),
                &tools,
            ),
            _ => false,
        });
        let mut all = vec![problem.universe.formula(&mut problem.arena, &groups)];
        for (path, key) in pattern.keys.iter().zip(&keys) {
            let mut roots = Vec::new();
            walk::roots(library, *path, &mut roots);
            if roots == [Root::Args] {
                all.push(problem.leaf(Leaf::Key(*path, *key), &groups));
            }
        }
        ways.push(problem.arena.and(&all));
    }
    problem.arena.or(&ways)
}

/// Whether some session satisfies all members; one that satisfies `first` too is looked for first.
fn ask_first(
    subject: &mut Subject<'_>,
    members: &[Formula],
    first: Formula,
    expected: &Expected,
) -> Answer {
    let mut narrow = members.to_vec();
    narrow.push(first);
    if let Answer::Session(session) = subject.ask(&narrow, expected) {
        return Answer::Session(session);
    }
    subject.ask(members, expected)
}
