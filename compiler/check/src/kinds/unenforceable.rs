//! `unenforceable`: a guarantee that the environment alone can violate.
//!
//! What the agent owes is what a gate can keep by refusing calls. A clause is unenforceable where the environment wins the game of
//! [`crate::game`] from the start, or where a tool that the guarantee lets be called can never be called without handing it the victory.

use std::sync::Arc;

use ctr_front::diagnostic::{Diagnostic, Fix};
use ctr_front::ir::{Clause, Contract, EventKind, Expr, ExprId, Library, Place, Root, Side};
use ctr_logic::{Error, Formula, Limits, translate};

use super::undecided::Open;
use super::{Given, listed, proof, with_places};
use crate::engine::{Answer, Engine, Expected};
use crate::game::{Game, Loss, Owner, Play, Role};
use crate::gate::Gate;
use crate::problem::{Leaf, Part, Problem, Scope};
use crate::replay::Concrete;
use crate::universe::{Class, FIRST_LEAF, code_formula};
use crate::walk;

/// What the environment can do.
struct Found {
    loss: Loss,
    session: Concrete,
    /// The event that violates the guarantee.
    event: String,
    by_time: bool,
    tool: Option<String>,
    clauses: Vec<usize>,
}

/// The contracts among these whose guarantee the environment alone can violate, with their indices.
pub(crate) fn findings(
    given: &Given<'_>,
    contracts: &[usize],
    open: &mut Vec<Open>,
) -> (Vec<(usize, Diagnostic)>, usize) {
    let mut out = Vec::new();
    let mut asked = 0;
    for &index in contracts {
        let Some(contract) = given.library.contracts.get(index) else {
            continue;
        };
        let guarantees: Vec<usize> = (0..contract.clauses.len())
            .filter(|n| {
                contract
                    .clauses
                    .get(*n)
                    .is_some_and(|clause| clause.side == Side::Guarantee)
            })
            .collect();
        let timed = contract.clauses.iter().any(|c| !c.deadlines.is_empty());
        let watch = &contract.watch;
        // What only calls and messages can violate the gate refuses.
        if !(timed || watch.returns || watch.inputs || !watch.events.is_empty()) {
            continue;
        }
        match look(given, index, contract, &guarantees, &mut asked) {
            Ok(None) => {}
            Ok(Some(found)) => out.push((index, diagnostic(given.library, contract, &found))),
            Err(reason) => open.push(
                Open::new(
                    "unenforceable",
                    "the environment alone can violate a guarantee",
                    reason,
                )
                .about(contract.name.clone()),
            ),
        }
    }
    (out, asked)
}

/// Clause by clause, since one alone says best what is wrong; then all of them.
fn look(
    given: &Given<'_>,
    index: usize,
    contract: &Contract,
    guarantees: &[usize],
    asked: &mut usize,
) -> Result<Option<Found>, String> {
    let mut all: Option<Found> = None;
    let mut why = None;
    for clause in guarantees {
        match one(given, index, contract, &[*clause], asked) {
            Ok(Some(found)) => match &mut all {
                Some(all) => all.clauses.extend(found.clauses),
                None => all = Some(found),
            },
            Ok(None) => {}
            Err(reason) => why = Some(reason),
        }
    }
    if all.is_some() {
        return Ok(all);
    }
    if let Some(why) = why {
        return Err(why);
    }
    if guarantees.len() < 2 {
        return Ok(None);
    }
    one(given, index, contract, guarantees, asked)
}

fn one(
    given: &Given<'_>,
    index: usize,
    contract: &Contract,
    clauses: &[usize],
    asked: &mut usize,
) -> Result<Option<Found>, String> {
    let neutral = given.neutral.get(index).copied().unwrap_or(false);
    let mut problem = Problem::new(given.library, given.keys, &[index], given.neutral, false);
    problem.complete = true;
    let parts = problem.parts(index, neutral);
    let of = |side: Side| -> Vec<&Part> {
        parts
            .iter()
            .filter(|part| {
                part.side == side && (side == Side::Assume || clauses.contains(&part.clause))
            })
            .collect()
    };
    let mut formulas: Vec<(Role, Formula)> = Vec::new();
    for (side, role) in [
        (Side::Guarantee, Role::Guarantee),
        (Side::Assume, Role::Assume),
    ] {
        let parts: Vec<Formula> = of(side).iter().map(|part| part.formula).collect();
        if !parts.is_empty() {
            formulas.push((role, problem.arena.and(&parts)));
        }
    }
    let mut longest = 0;
    for (number, clause) in contract.clauses.iter().enumerate() {
        let role = match clause.side {
            Side::Guarantee if clauses.contains(&number) => Role::Open,
            Side::Guarantee => continue,
            Side::Assume => Role::OpenAssume,
        };
        for deadline in &clause.deadlines {
            longest = longest.max(deadline.within);
            let scope = Scope {
                keys: given.keys.get(index).cloned().unwrap_or_default(),
                groups: problem.all_groups(),
                complete: true,
            };
            let trigger = problem.condition(deadline.trigger, &scope).t;
            let response = problem.condition(deadline.response, &scope).t;
            let arena = &mut problem.arena;
            let unanswered = arena.not(response);
            let owed = arena.and(&[trigger, unanswered]);
            let owed = arena.since(unanswered, owed);
            let more = arena.tt();
            let more = arena.next(more);
            let last = arena.not(more);
            let here = arena.and(&[last, owed]);
            formulas.push((role, arena.eventually(here)));
        }
    }
    let plan = Arc::clone(given.plan);
    let mut engine = Engine::new(problem, given.artifact, plan, given.until.clone());
    let over = engine.over();
    let limits = Limits {
        cancel: Some(&over),
        ..Limits::default()
    };
    // The code of the group first: an event is of one kind.
    let order: Vec<u32> = (0..FIRST_LEAF).collect();
    let mut automata = Vec::new();
    for (role, formula) in formulas {
        let arena = &mut engine.problem.arena;
        let atoms = arena.atoms(formula);
        let order: Vec<u32> = order
            .iter()
            .copied()
            .filter(|a| atoms.contains(a))
            .collect();
        let dfa = translate(arena, formula, &order, &limits).map_err(|error| match error {
            Error::Cancelled => "the time limit is reached".to_owned(),
            other => other.to_string(),
        })?;
        automata.push((role, dfa));
    }
    let mut game = Game::new(&mut engine, automata, &owner)?;
    let result = if game.can_be_lost()? {
        match game.solve(false)? {
            Some(found) => Some((found, true)),
            None if game.met_both => game.solve(true)?.map(|found| (found, false)),
            None => None,
        }
    } else {
        None
    };
    let Some(((loss, play), sure)) = result else {
        *asked += engine.asked();
        return Ok(None);
    };
    if !sure {
        *asked += engine.asked();
        return Err(
            "it depends on values of earlier events that are compared with what the environment answers"
                .to_owned(),
        );
    }
    let answer = shown(&mut engine, index, &play, longest);
    *asked += engine.asked();
    match answer {
        Answer::Session(session) => {
            let tool = match loss {
                Loss::Calling(tool) => Some(tool_name(&engine.problem, tool)),
                Loss::Always => None,
            };
            Ok(Some(Found {
                loss,
                event: event(&engine.problem, &play),
                session,
                by_time: play.by_time,
                tool,
                clauses: clauses.to_vec(),
            }))
        }
        Answer::Open(reason) => Err(reason),
        Answer::Never => Err("no session was found that shows it".to_owned()),
    }
}

/// The play with values, replayed.
fn shown(engine: &mut Engine<'_>, contract: usize, play: &Play, within: i64) -> Answer {
    let mut rest: Option<Formula> = None;
    for step in play.moves.iter().rev() {
        let code = engine
            .problem
            .universe
            .groups
            .get(step.group)
            .map(|g| g.code.clone())
            .unwrap_or_default();
        let arena = &mut engine.problem.arena;
        let mut all = vec![code_formula(arena, &code)];
        for (leaf, value) in &step.literals {
            let atom = arena.atom(FIRST_LEAF + leaf);
            all.push(if *value { atom } else { arena.not(atom) });
        }
        all.push(match rest {
            Some(rest) => arena.next(rest),
            None => {
                let more = arena.tt();
                let more = arena.next(more);
                arena.not(more)
            }
        });
        rest = Some(arena.and(&all));
    }
    let Some(formula) = rest else {
        return Answer::Never;
    };
    let gate = if play.by_time {
        Gate::Expires { contract, within }
    } else {
        Gate::Violates(contract)
    };
    let expected = Expected {
        gate: Some(gate),
        prefer: play.moves.last().map(|step| step.class),
        ..Expected::default()
    };
    // Some formulas hold of the session without events, too.
    let arena = &mut engine.problem.arena;
    let some = arena.tt();
    let some = arena.eventually(some);
    engine.ask(&[some, formula], &expected)
}

fn tool_name(problem: &Problem<'_>, tool: usize) -> String {
    match problem.universe.tools.get(tool) {
        Some(tool) => match (&tool.server, &tool.name) {
            (Some(server), Some(name)) => format!("{server}.{name}"),
            (_, Some(name)) => name.clone(),
            (_, None) => "any".to_owned(),
        },
        None => String::new(),
    }
}

/// The event that violates the guarantee, in words.
fn event(problem: &Problem<'_>, play: &Play) -> String {
    if play.by_time {
        return "time that passes".to_owned();
    }
    match play.moves.last().map(|step| step.class) {
        Some(Class::Return(tool, status)) => {
            let status = match status {
                ctr_front::ir::Status::Success => "successful return",
                ctr_front::ir::Status::Failure => "failed return",
                ctr_front::ir::Status::Unknown => "return of unknown outcome",
            };
            match problem.universe.tools.get(tool).map(|tool| &tool.name) {
                Some(Some(_)) => format!("a {status} of `{}`", tool_name(problem, tool)),
                _ => format!("a {status}"),
            }
        }
        Some(Class::Declared(id)) => {
            let name = problem.library.events.get(id.0 as usize);
            format!(
                "the event `{}`",
                name.map_or("", |event| event.name.as_str())
            )
        }
        _ => "an input".to_owned(),
    }
}

fn diagnostic(library: &Library, contract: &Contract, found: &Found) -> Diagnostic {
    let why = match (&found.loss, found.tool.as_deref()) {
        (Loss::Calling(_), Some("any")) => "only never calling a tool prevents that".to_owned(),
        (Loss::Calling(_), Some(tool)) => format!("only never calling `{tool}` prevents that"),
        _ => "refusing no call prevents that".to_owned(),
    };
    let clauses: Vec<&Clause> = found
        .clauses
        .iter()
        .filter_map(|n| contract.clauses.get(*n))
        .collect();
    let texts: Vec<String> = clauses.iter().map(|c| c.text.clone()).collect();
    let can_assume = clauses
        .iter()
        .all(|clause| is_environments(library, clause));
    let help = if can_assume {
        let clauses: Vec<String> = texts.iter().map(|text| rewritten(text)).collect();
        let withheld = if found.by_time {
            "the contract promises nothing where it does not"
        } else {
            "an event that breaks it is then withheld from the agent"
        };
        format!(
            "it is the environment that owes this: write {}; {withheld}",
            listed(&clauses)
        )
    } else {
        "let the guarantee ask for what the agent decides (`leads to call ...`), and `assume` what the environment owes; \
         an assumption cannot speak of calls"
            .to_owned()
    };
    let mut what = proof("unenforceable", vec![contract.name.clone()]);
    what.tool = found.tool.clone().filter(|tool| tool != "any");
    what.witness = found.session.lines();
    let mut finding = Diagnostic::warning(
        "W0708",
        format!(
            "the environment alone can violate `{}`: {} does, and {why}",
            contract.name, found.event
        ),
        contract.name_place,
        "no gate can keep this guarantee",
    )
    .with_help(help)
    .with_proof(what);
    if can_assume {
        let edits = clauses
            .iter()
            .filter_map(|clause| edit(library, clause))
            .collect();
        finding.fixes.push(Fix {
            title: "assume it of the environment".to_owned(),
            edits,
            safe: false,
        });
    }
    let places = clauses
        .iter()
        .map(|clause| (clause.place, "this clause".to_owned()))
        .collect();
    with_places(finding, places)
}

/// The clause as an assumption.
fn rewritten(text: &str) -> String {
    let rest = text.strip_prefix("guarantee").unwrap_or(text);
    format!("assume {}", rest.trim_start())
}

/// Puts `assume` in place of `guarantee`.
fn edit(library: &Library, clause: &Clause) -> Option<(Place, String)> {
    let source = library.sources.get(clause.place.source.0 as usize)?;
    let start = clause.place.span.start as usize;
    source.text.get(start..)?.starts_with("guarantee").then(|| {
        let mut place = clause.place;
        place.span.end = place.span.start + "guarantee".len().try_into().unwrap_or(9);
        (place, "assume".to_owned())
    })
}

/// Whether a clause speaks of nothing that the agent decides, so that it can be an assumption.
fn is_environments(library: &Library, clause: &Clause) -> bool {
    let mut read = walk::Reads::default();
    let (mut even, mut odd) = Default::default();
    walk::polarities(&clause.formula, true, &mut even, &mut odd);
    for atom in even.union(&odd) {
        if let Some(atom) = library.atoms.get(atom.0 as usize) {
            walk::reads(library, atom.expr, &mut read);
        }
    }
    for deadline in &clause.deadlines {
        walk::reads(library, deadline.trigger, &mut read);
        walk::reads(library, deadline.response, &mut read);
    }
    read.patterns
        .iter()
        .filter_map(|id| library.patterns.get(id.0 as usize))
        .all(|pattern| !matches!(pattern.kind, EventKind::Call | EventKind::Output))
}

/// Who chooses the value of a condition at an event of the environment.
fn owner(engine: &Engine<'_>, leaf: u32, _: Class) -> Owner {
    let library = engine.problem.library;
    let exprs: Vec<ExprId> = match engine.problem.leaves.get(leaf as usize) {
        Some(Leaf::Condition(expr, _)) => vec![*expr],
        Some(Leaf::Compare(_, a, b, _)) => vec![*a, *b],
        _ => return Owner::Environment,
    };
    let mut read = walk::Reads::default();
    let mut roots = Vec::new();
    for expr in exprs {
        walk::reads(library, expr, &mut read);
        walk::roots(library, expr, &mut roots);
    }
    if read.registers.is_empty() {
        return Owner::Environment;
    }
    let by_agent = read.registers.iter().all(|id| {
        library
            .registers
            .get(id.0 as usize)
            .is_some_and(|register| {
                let mut members = walk::Reads::default();
                walk::reads(library, register.member, &mut members);
                register.window.is_none()
                    && register.kind != ctr_front::ir::RegisterKind::Elapsed
                    && matches!(
                        library.exprs.get(register.member.0 as usize),
                        Some(Expr::Pattern(_) | Expr::Or(_))
                    )
                    && members
                        .patterns
                        .iter()
                        .filter_map(|id| library.patterns.get(id.0 as usize))
                        .all(|p| matches!(p.kind, EventKind::Call | EventKind::Output))
            })
    });
    let local = roots
        .iter()
        .all(|root| matches!(root, Root::Args | Root::Key(_)));
    if by_agent && local {
        Owner::Agent
    } else {
        Owner::Both
    }
}
