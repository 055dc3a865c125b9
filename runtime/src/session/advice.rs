//! What a refusal tells: the contract's message, what was missing, which events would help, and
//! which calls in flight to wait for.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::groups::Label;
use super::judge::{Judge, Walk, follow, is_satisfied, reasons};
use super::plan::{asked, collect};
use crate::decision::Reason;
use crate::eval::datum::{Gap, Truth};
use crate::eval::words::Words;
use crate::format::model::{EventKind, Label as StateLabel, Side, Status};
use crate::format::{
    AutomatonRef, ContractRef, ExprRef, Ids, Library, MessagePartRef, PatternRef, ToolsRef,
};
use crate::order::Set;

/// How many events in a row are tried.
const MAX_EVENTS: usize = 6;
/// How many states are looked at.
const MAX_STATES: usize = 512;
/// How many answers are told.
const MAX_ANSWERS: usize = 8;
/// How many atoms of a state's diagram are looked at.
const MAX_ATOMS: usize = 64;

/// Gaps in plain words; `None` where none of them says anything.
pub(crate) fn detail(library: &Library<'_>, contract: u32, gaps: &[Gap]) -> Option<String> {
    let words = Words::new(library, Some(contract));
    let mut parts: Vec<String> = Vec::new();
    for why in reasons(gaps) {
        let part = words.why(why);
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Whether a contract's message is the same for all events and keys.
pub(crate) fn is_constant(contract: ContractRef<'_>) -> bool {
    contract
        .message()
        .all(|part| matches!(part, MessagePartRef::Text(_)))
}

/// The contract's message, with the values of its expressions (`?` where undefined); one of our own
/// where it has none, and where its assumption is concerned, of which its message does not speak. What is
/// undefined is told apart.
pub(crate) fn message(
    judge: &mut Judge<'_, '_>,
    contract: ContractRef<'_>,
    reason: Reason,
    side: Side,
) -> String {
    let mut out = String::new();
    for part in contract.message() {
        match part {
            _ if side == Side::Assume => break,
            MessagePartRef::Text(text) => out.push_str(text),
            MessagePartRef::Expr(expr) => match judge.eval.value(expr) {
                Ok(datum) => out.push_str(&datum_text(&datum)),
                Err(_) => out.push('?'),
            },
        }
    }
    if !out.is_empty() {
        return out;
    }
    let name = contract.name();
    match reason {
        Reason::Undetermined => format!("`{name}` cannot be judged"),
        Reason::PendingAtEnd => format!("`{name}` was still open when the session ended"),
        Reason::Deadline => format!("`{name}`: a deadline has passed"),
        Reason::Violated | Reason::Anticipated => {
            let clauses: Vec<&str> = contract
                .clauses()
                .filter(|c| c.side == side)
                .map(|c| c.text)
                .filter(|t| !t.is_empty())
                .collect();
            let what = match clauses.is_empty() {
                true => String::new(),
                false => format!(": {}", clauses.join(" and ")),
            };
            format!("`{name}` would not hold{what}")
        }
    }
}

fn datum_text(datum: &crate::eval::datum::Datum<'_>) -> String {
    crate::eval::text_of(datum).into_owned()
}

/// What would let the present event be accepted by the guarantee in a state: events that lead to a
/// state where it is allowed, then conditions that would have to differ.
pub(crate) fn accepted(
    judge: &mut Judge<'_, '_>,
    contract: ContractRef<'_>,
    label: Label,
) -> (Vec<String>, Vec<u32>) {
    let library = judge.eval.library;
    let Some(guarantee) = contract.guarantee() else {
        return (Vec::new(), Vec::new());
    };
    let guarantee = library.automaton(guarantee);
    let routes = {
        let judge = &mut *judge;
        let mut goal = |judge: &mut Judge<'_, '_>, state| allows(judge, guarantee, state);
        let mut conditions =
            |judge: &mut Judge<'_, '_>, atom| judge.atom(atom).unwrap_or(Truth::Open(Gap::Unknown));
        routes(
            library,
            contract,
            guarantee,
            label.guarantee,
            judge,
            &mut conditions,
            &mut goal,
        )
    };
    let mut texts: Vec<String> = Vec::new();
    let mut first: Vec<u32> = Vec::new();
    for route in &routes {
        first.extend(route.first().copied());
        push(&mut texts, text_of(library, route));
    }
    // Only where nothing else is left to say.
    let mut negative: Vec<String> = Vec::new();
    for atom in asked(guarantee, label.guarantee, MAX_ATOMS) {
        if texts.len() >= MAX_ANSWERS {
            break;
        }
        let a = library.atom(atom);
        let pattern = match library.expr(a.expr) {
            ExprRef::Pattern(p) => Some(library.pattern(p)),
            _ => None,
        };
        // The kind and tool of an event are what they are; its conditions could differ.
        if let Some(p) = pattern
            && (p.condition.is_none()
                || !judge
                    .eval
                    .frame()
                    .is_ok_and(|f| f.fits_kind(p.kind) && f.named_by(p)))
        {
            continue;
        }
        let now = judge.atom(atom);
        for wanted in [true, false] {
            if now == Some(Truth::from(wanted)) {
                continue;
            }
            let mut steps = 0;
            let walk = follow(guarantee, label.guarantee, &mut steps, &mut |other| {
                if other == atom {
                    Some(Truth::from(wanted))
                } else {
                    judge.atom(other)
                }
            });
            *judge.steps += steps;
            if let Walk::To(to) = walk
                && guarantee.state(to).label != StateLabel::ViolatedForGood
            {
                match (wanted, a.remedy) {
                    (true, _) => {
                        if let Some(text) = wanted_text(library, contract, atom) {
                            push(&mut texts, text);
                        }
                    }
                    (false, Some(remedy)) => push(&mut texts, remedy.to_string()),
                    // That this event should be another one says nothing.
                    (false, None) if pattern.is_some() => {}
                    (false, None) => push(&mut negative, format!("not ({})", a.text)),
                }
                break;
            }
        }
    }
    if texts.is_empty() {
        texts = negative;
    }
    (texts, first)
}

/// What to do so that an atom holds: its text; for one that asks for a recent event, that event; nothing
/// where it only says the rule again, as counts in a window do.
pub(crate) fn wanted_text(
    library: &Library<'_>,
    contract: ContractRef<'_>,
    atom: u32,
) -> Option<String> {
    let atom = library.atom(atom);
    if let ExprRef::Fresh { register, .. } = library.expr(atom.expr)
        && let ExprRef::Pattern(p) = library.expr(library.register(register).member)
    {
        return Some(library.pattern(p).text().to_string());
    }
    let mut registers = Vec::new();
    collect(library, atom.expr, &mut Vec::new(), &mut registers);
    let windowed = registers
        .iter()
        .any(|r| library.register(*r).window.is_some());
    let rule = contract.clauses().any(|c| c.text.ends_with(atom.text));
    (!windowed && !rule).then(|| atom.text.to_string())
}

/// The texts of the shortest sequences of events to a state with which `goal` is content; conditions are
/// as they are now.
pub(crate) fn routes_to(
    judge: &mut Judge<'_, '_>,
    contract: ContractRef<'_>,
    guarantee: AutomatonRef<'_>,
    state: u32,
    goal: &mut dyn FnMut(&mut Judge<'_, '_>, u32) -> bool,
) -> Vec<String> {
    let library = judge.eval.library;
    let key = judge.eval.key.clone();
    let mut conditions = |judge: &mut &mut Judge<'_, '_>, atom: u32| {
        judge.eval.at = 0;
        judge.eval.key = key.clone();
        judge.atom(atom).unwrap_or(Truth::Open(Gap::Unknown))
    };
    let mut goal = |judge: &mut &mut Judge<'_, '_>, state: u32| goal(judge, state);
    let mut judge = judge;
    let routes = routes(
        library,
        contract,
        guarantee,
        state,
        &mut judge,
        &mut conditions,
        &mut goal,
    );
    texts_of(library, &routes)
}

pub(crate) fn push(texts: &mut Vec<String>, text: String) {
    if texts.len() < MAX_ANSWERS && !texts.contains(&text) {
        texts.push(text);
    }
}

/// Each route once, in words.
fn texts_of(library: &Library<'_>, routes: &[Vec<u32>]) -> Vec<String> {
    let mut texts = Vec::new();
    for route in routes {
        push(&mut texts, text_of(library, route));
    }
    texts
}

fn text_of(library: &Library<'_>, route: &[u32]) -> String {
    let parts: Vec<&str> = route.iter().map(|p| library.pattern(*p).text()).collect();
    parts.join(", then ")
}

/// Whether the present event is allowed in a state, for certain.
fn allows(judge: &mut Judge<'_, '_>, guarantee: AutomatonRef<'_>, state: u32) -> bool {
    match judge.walk(guarantee, state) {
        Walk::To(to) => guarantee.state(to).label != StateLabel::ViolatedForGood,
        _ => false,
    }
}

/// The texts of events that would meet a pending guarantee.
pub(crate) fn awaits(
    library: &Library<'_>,
    contract: ContractRef<'_>,
    automaton: u32,
    state: u32,
) -> Vec<String> {
    let automaton = library.automaton(automaton);
    let mut goal = |_: &mut (), state: u32| is_satisfied(automaton.state(state).label);
    let mut conditions = |_: &mut (), _: u32| Truth::Open(Gap::Unknown);
    let routes = routes(
        library,
        contract,
        automaton,
        state,
        &mut (),
        &mut conditions,
        &mut goal,
    );
    texts_of(library, &routes)
}

/// The texts of events that would answer a deadline: those that the response asks for, not those that
/// it excludes.
pub(crate) fn responses(library: &Library<'_>, response: u32) -> Vec<String> {
    let mut texts = Vec::new();
    let mut open = Vec::from([(response, true)]);
    while let Some((expr, wanted)) = open.pop() {
        match library.expr(expr) {
            ExprRef::Pattern(p) if wanted => {
                push(&mut texts, library.pattern(p).text().to_string());
            }
            ExprRef::Pattern(_) => {}
            ExprRef::Not(a) => open.push((a, !wanted)),
            // Later ones are looked at first.
            ExprRef::And(parts) | ExprRef::Or(parts) => {
                let parts: Vec<u32> = parts.iter().collect();
                open.extend(parts.into_iter().rev().map(|part| (part, wanted)));
            }
            ExprRef::Iff(a, b) => open.extend([(b, true), (a, true)]),
            _ => {}
        }
    }
    texts
}

/// The shortest sequences of events, one pattern true at a time, after which every state that the
/// automaton can be in is a goal. `conditions` gives the values of atoms that are no patterns.
fn routes<C>(
    library: &Library<'_>,
    contract: ContractRef<'_>,
    automaton: AutomatonRef<'_>,
    start: u32,
    with: &mut C,
    conditions: &mut dyn FnMut(&mut C, u32) -> Truth,
    goal: &mut dyn FnMut(&mut C, u32) -> bool,
) -> Vec<Vec<u32>> {
    let mut found: Vec<Vec<u32>> = Vec::new();
    let mut seen: Set<u32> = [start].into_iter().collect();
    let mut level: Vec<(u32, Vec<u32>)> = Vec::from([(start, Vec::new())]);
    let patterns: Vec<u32> = contract.patterns().iter().collect();
    for _ in 0..MAX_EVENTS {
        let mut next = Vec::new();
        for (state, route) in &level {
            for event in &patterns {
                let p = library.pattern(*event);
                let mut steps = 0;
                let walk = follow(automaton, *state, &mut steps, &mut |atom| {
                    let expr = library.atom(atom).expr;
                    Some(match library.expr(expr) {
                        ExprRef::Pattern(q) if q == *event => Truth::True,
                        ExprRef::Pattern(q) => Truth::from(covers(library.pattern(q), p)),
                        _ => conditions(with, atom),
                    })
                });
                let reached: &[u32] = match &walk {
                    // It leads nowhere.
                    Walk::To(to) if to == state => continue,
                    Walk::To(to) => core::slice::from_ref(to),
                    Walk::Split(states, _) => states,
                    Walk::Depends => continue,
                };
                let dead = reached
                    .iter()
                    .any(|s| automaton.state(*s).label == StateLabel::ViolatedForGood);
                if dead {
                    continue;
                }
                let mut longer = route.clone();
                longer.push(*event);
                if reached.iter().all(|s| *s != *state && goal(with, *s)) {
                    if found.len() < MAX_ANSWERS {
                        found.push(longer);
                    }
                    continue;
                }
                if let [to] = reached
                    && seen.len() < MAX_STATES
                    && seen.insert(*to)
                {
                    next.push((*to, longer));
                }
            }
        }
        if !found.is_empty() || next.is_empty() {
            break;
        }
        level = next;
    }
    found
}

/// Whether every event of pattern `p` is one of `q`, as far as a glance tells.
fn covers(q: PatternRef<'_>, p: PatternRef<'_>) -> bool {
    let kind = q.kind == p.kind
        || matches!(
            (q.kind, p.kind),
            (EventKind::Return(None), EventKind::Return(_))
        );
    let same = |a: Ids<'_>, b: Ids<'_>| a.iter().eq(b.iter());
    let tools = match (q.tools, p.tools) {
        (ToolsRef::Any, _) => true,
        (ToolsRef::OneOf(a), ToolsRef::OneOf(b)) => b.iter().all(|id| a.contains_sorted(id)),
        (ToolsRef::Except(a), ToolsRef::OneOf(b)) => b.iter().all(|id| !a.contains_sorted(id)),
        (ToolsRef::Except(a), ToolsRef::Except(b)) => a.iter().all(|id| b.contains_sorted(id)),
        _ => false,
    };
    kind && tools && q.condition.is_none() && (q.keys.is_empty() || same(q.keys, p.keys))
}

/// Whether the success of a call in flight, imagined as the evaluator's frame `at`, could be one of
/// the events that would help.
pub(crate) fn could_help(judge: &mut Judge<'_, '_>, at: usize, events: &[u32]) -> bool {
    let library = judge.eval.library;
    judge.eval.at = at;
    let helps = events.iter().any(|event| {
        let p = library.pattern(*event);
        matches!(p.kind, EventKind::Return(None | Some(Status::Success)))
            && judge.eval.pattern(*event) != Truth::False
    });
    judge.eval.at = 0;
    helps
}
