//! Contracts to automata.

use ctr_front::diagnostic::Diagnostic;
use ctr_front::ir::{AtomId, Clause, Contract, Expr, Formula, Library, Side};
use ctr_logic::{Arena, Dfa, Limits, translate};
use ctr_runtime::format::model;

/// The automata of a contract: assumption, guarantee; `None` where the side is `true`.
type Pair = (Option<model::Automaton>, Option<model::Automaton>);

/// Translates both sides of a contract.
pub(crate) fn of_contract(
    library: &Library,
    contract: &Contract,
    limits: &Limits<'_>,
) -> Result<Pair, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let mut side = |side| match of_side(library, contract, side, limits) {
        Ok(automaton) => automaton,
        Err(diagnostic) => {
            diagnostics.push(*diagnostic);
            None
        }
    };
    let assume = side(Side::Assume);
    let guarantee = side(Side::Guarantee);
    if diagnostics.is_empty() {
        Ok((assume, guarantee))
    } else {
        Err(diagnostics)
    }
}

/// The conjunction of a side's clauses as one automaton.
fn of_side(
    library: &Library,
    contract: &Contract,
    side: Side,
    limits: &Limits<'_>,
) -> Result<Option<model::Automaton>, Box<Diagnostic>> {
    let clauses: Vec<&Clause> = contract
        .clauses
        .iter()
        .filter(|clause| clause.side == side && clause.formula != Formula::True)
        .collect();
    if clauses.is_empty() {
        return Ok(None);
    }
    match dfa_of(library, &clauses, limits) {
        Ok(dfa) => Ok(Some(to_model(library, &dfa))),
        Err(error) => Err(Box::new(too_large(
            library, contract, &clauses, limits, &error,
        ))),
    }
}

/// Translates a conjunction of clauses.
fn dfa_of(
    library: &Library,
    clauses: &[&Clause],
    limits: &Limits<'_>,
) -> Result<Dfa, ctr_logic::Error> {
    let mut arena = Arena::new();
    let mut atoms = Vec::new();
    let parts: Vec<ctr_logic::Formula> = clauses
        .iter()
        .map(|clause| {
            collect_atoms(&clause.formula, &mut atoms);
            to_logic(&mut arena, &clause.formula)
        })
        .collect();
    let whole = arena.and(&parts);
    translate(&mut arena, whole, &order(library, atoms), limits)
}

/// Diagnoses a limit: the first clause that exceeds it alone, else all of the side together.
fn too_large(
    library: &Library,
    contract: &Contract,
    clauses: &[&Clause],
    limits: &Limits<'_>,
    error: &ctr_logic::Error,
) -> Diagnostic {
    let guilty = match clauses {
        [only] => Some((*only, error.to_string())),
        _ => clauses.iter().find_map(|clause| {
            dfa_of(library, &[clause], limits)
                .err()
                .map(|error| (*clause, error.to_string()))
        }),
    };
    match guilty {
        Some((clause, error)) => Diagnostic::error(
            "E0601",
            format!(
                "the automaton of this clause of `{}` is too large: {error}",
                contract.name
            ),
            clause.place,
            "this clause",
        )
        .with_help(
            "count with an aggregate, `{count(call t) <= n}`, or bound by time, `within 5min`, where the formula counts steps",
        ),
        None => {
            let mut diagnostic = Diagnostic::error(
                "E0601",
                format!(
                    "the clauses of `{}` together need too large an automaton: {error}",
                    contract.name
                ),
                contract.name_place,
                "this contract",
            )
            .with_help("split the contract: clauses that share no event need no common automaton");
            for clause in clauses {
                diagnostic = diagnostic.with_label(clause.place, "one of them");
            }
            diagnostic
        }
    }
}

/// The order in which diagrams ask: patterns first, which dispatch has mostly decided, then conditions, each
/// in order of first occurrence.
fn order(library: &Library, atoms: Vec<AtomId>) -> Vec<u32> {
    let (patterns, conditions): (Vec<AtomId>, Vec<AtomId>) = atoms
        .into_iter()
        .partition(|atom| is_pattern(library, atom.0));
    patterns
        .into_iter()
        .chain(conditions)
        .map(|atom| atom.0)
        .collect()
}

/// Whether an atom is a pattern rather than a condition.
fn is_pattern(library: &Library, atom: u32) -> bool {
    library
        .atoms
        .get(atom as usize)
        .and_then(|atom| library.exprs.get(atom.expr.0 as usize))
        .is_some_and(|expr| matches!(expr, Expr::Pattern(_)))
}

/// The atoms of a formula in order of first occurrence, without repetition.
fn collect_atoms(formula: &Formula, into: &mut Vec<AtomId>) {
    if let Formula::Atom(atom) = formula
        && !into.contains(atom)
    {
        into.push(*atom);
    }
    for part in formula.parts() {
        collect_atoms(part, into);
    }
}

/// A formula of the IR in the engine's arena.
fn to_logic(arena: &mut Arena, formula: &Formula) -> ctr_logic::Formula {
    macro_rules! unary {
        ($op:ident, $f:expr) => {{
            let f = to_logic(arena, $f);
            arena.$op(f)
        }};
    }
    macro_rules! binary {
        ($op:ident, $a:expr, $b:expr) => {{
            let a = to_logic(arena, $a);
            let b = to_logic(arena, $b);
            arena.$op(a, b)
        }};
    }
    match formula {
        Formula::True => arena.tt(),
        Formula::False => arena.ff(),
        Formula::Atom(atom) => arena.atom(atom.0),
        Formula::And(parts) => {
            let parts: Vec<_> = parts.iter().map(|part| to_logic(arena, part)).collect();
            arena.and(&parts)
        }
        Formula::Or(parts) => {
            let parts: Vec<_> = parts.iter().map(|part| to_logic(arena, part)).collect();
            arena.or(&parts)
        }
        Formula::Not(f) => unary!(not, f),
        Formula::Next(f) => unary!(next, f),
        Formula::WeakNext(f) => unary!(weak_next, f),
        Formula::Always(f) => unary!(always, f),
        Formula::Eventually(f) => unary!(eventually, f),
        Formula::Previously(f) => unary!(previously, f),
        Formula::WeakPreviously(f) => unary!(weak_previously, f),
        Formula::Once(f) => unary!(once, f),
        Formula::Historically(f) => unary!(historically, f),
        Formula::Implies(a, b) => binary!(implies, a, b),
        Formula::Iff(a, b) => binary!(iff, a, b),
        Formula::Until(a, b) => binary!(until, a, b),
        Formula::Unless(a, b) => binary!(unless, a, b),
        Formula::Release(a, b) => binary!(release, a, b),
        Formula::Since(a, b) => binary!(since, a, b),
    }
}

/// An automaton in the artifact's terms.
fn to_model(library: &Library, dfa: &Dfa) -> model::Automaton {
    let nodes: Vec<model::Node> = dfa
        .nodes()
        .iter()
        .map(|node| model::Node {
            atom: node.atom,
            low: node_ref(node.low),
            high: node_ref(node.high),
        })
        .collect();
    let states = (0..u32::try_from(dfa.states()).unwrap_or(u32::MAX))
        .map(|state| {
            let root = node_ref(dfa.root(state));
            model::State {
                label: match dfa.label(state) {
                    ctr_logic::Label::SatisfiedForGood => model::Label::SatisfiedForGood,
                    ctr_logic::Label::Satisfied => model::Label::Satisfied,
                    ctr_logic::Label::Pending => model::Label::Pending,
                    ctr_logic::Label::ViolatedForGood => model::Label::ViolatedForGood,
                },
                idle: is_idle(library, &nodes, root, state),
                root,
            }
        })
        .collect();
    model::Automaton {
        states,
        initial: dfa.initial(),
        nodes,
    }
}

fn node_ref(node: ctr_logic::NodeRef) -> model::NodeRef {
    match node {
        ctr_logic::NodeRef::Leaf(state) => model::NodeRef::State(state),
        ctr_logic::NodeRef::Inner(index) => model::NodeRef::Node(index),
    }
}

/// Whether every way through a state's diagram on which no pattern holds leads back to the state.
fn is_idle(library: &Library, nodes: &[model::Node], root: model::NodeRef, state: u32) -> bool {
    let mut stack = vec![root];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(node) = stack.pop() {
        match node {
            model::NodeRef::State(target) if target != state => return false,
            model::NodeRef::State(_) => {}
            model::NodeRef::Node(index) => {
                let Some(node) = nodes.get(index as usize) else {
                    return false;
                };
                if seen.insert(index) {
                    stack.push(node.low);
                    if !is_pattern(library, node.atom) {
                        stack.push(node.high);
                    }
                }
            }
        }
    }
    true
}
