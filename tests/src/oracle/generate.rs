//! Random contracts and sessions.
//!
//! The vocabulary is small on purpose (three tools, two keys, small numbers), so that patterns
//! meet events often.

use super::cond::{Agg, Cond, Field, Fun, Op, Operand, Pattern, Scope, Tools, Verb};
use super::contract::{Atom, Contract};
use super::formula::{Binary, Counted, F, Unary};
use super::model::{Event, Kind, Line, Session, Status};
use super::residual::{Letter, completions};
use super::timed::{Form, Timed};
use crate::rng::Rng;
use serde_json::{Map, Value, json};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

const TOOLS: [&str; 3] = ["ta", "tb", "tc"];

/// What atoms a contract may have.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// Patterns bind the key: always (2), sometimes (1), never (0).
    pub keyed: u8,
    /// Conditions may read fields that are missing in some events.
    pub undefined: bool,
    /// Conditions in braces.
    pub states: bool,
    /// Aggregates in braces.
    pub aggregates: bool,
}

/// What sessions look like.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The greatest number of lines.
    pub length: usize,
    /// Percentage of fields that are missing or of a wrong type.
    pub holes: usize,
    /// Whether the field `k` is always there.
    pub keys: bool,
}

/// A field by scope and name.
fn field(scope: Scope, name: &str) -> Field {
    Field {
        scope,
        name: name.to_owned(),
    }
}

/// A condition on the fields that a verb's events have; none where they have none for sure.
fn condition(rng: &mut Rng, verb: &Verb, undefined: bool) -> Option<Cond> {
    let scope = match verb {
        Verb::Call => *rng.pick(&[Scope::Bare, Scope::Args]),
        Verb::Declared(_) => Scope::Bare,
        Verb::Input | Verb::Output => {
            return Some(Cond::Text((*rng.pick(&["x", "y"])).to_owned()));
        }
        Verb::Success => *rng.pick(&[Scope::Bare, Scope::Result, Scope::Args]),
        _ => Scope::Args,
    };
    let in_result = *verb == Verb::Success && scope != Scope::Args;
    let number = field(scope, if in_result { "r" } else { "n" });
    let flag = field(scope, if in_result { "ok" } else { "f" });
    let small = i64::try_from(rng.below(4)).unwrap_or(0);
    let order = *rng.pick(&[Op::Le, Op::Ge, Op::Lt, Op::Gt, Op::Eq, Op::Ne]);
    let compare = Cond::Cmp(
        Operand::Field(number.clone()),
        order,
        Operand::Lit(json!(small)),
    );
    let has_flag = !matches!(verb, Verb::Declared(_));
    let has_key = !in_result;
    let letter = *rng.pick(&["A", "B"]);
    let by_key = Cond::Cmp(
        Operand::Field(field(scope, "k")),
        *rng.pick(&[Op::Eq, Op::Ne]),
        Operand::Lit(json!(letter)),
    );
    Some(match rng.below(if undefined { 10 } else { 7 }) {
        0 if has_flag => Cond::Truth(flag),
        1 if has_key => by_key,
        2 if has_key => Cond::And(Box::new(compare), Box::new(by_key)),
        3 if has_key => Cond::Or(Box::new(by_key), Box::new(compare)),
        4 => Cond::Not(Box::new(compare)),
        7 => Cond::Has(number),
        8 if order != Op::Eq && order != Op::Ne => {
            Cond::And(Box::new(Cond::Has(number)), Box::new(compare))
        }
        _ => compare,
    })
}

/// A random pattern.
fn pattern(rng: &mut Rng, style: Style) -> Pattern {
    let bind = match style.keyed {
        0 => false,
        1 => rng.chance(65),
        _ => true,
    };
    let verb = match rng.below(if bind { 15 } else { 20 }) {
        0..=6 => Verb::Call,
        7..=10 => Verb::Success,
        11 => Verb::Failure,
        12 => Verb::Return,
        13 => Verb::Unknown,
        14 | 15 => Verb::Declared("ev".to_owned()),
        16 | 17 => Verb::Input,
        _ => Verb::Output,
    };
    let tool = |rng: &mut Rng| (*rng.pick(&TOOLS)).to_owned();
    let tools = match rng.below(10) {
        0 => Tools::Any,
        1 => Tools::AnyExcept(vec![tool(rng)]),
        2 => Tools::Named(vec!["ta".to_owned(), "tb".to_owned()]),
        _ => Tools::Named(vec![tool(rng)]),
    };
    let mut pattern = Pattern::new(verb, tools);
    if bind {
        let scope = match pattern.verb {
            Verb::Call => *rng.pick(&[Scope::Bare, Scope::Args]),
            Verb::Declared(_) => Scope::Bare,
            _ => Scope::Args,
        };
        pattern.key = Some(field(scope, "k"));
    }
    let likely = if style.undefined { 65 } else { 35 };
    if rng.chance(likely)
        && let Some(cond) = condition(rng, &pattern.verb, style.undefined)
    {
        pattern.conds.push(cond);
    }
    pattern
}

fn state(rng: &mut Rng, style: Style) -> Cond {
    if style.aggregates && rng.chance(50) {
        let agg = Agg {
            fun: Fun::Count,
            pattern: pattern(
                rng,
                Style {
                    undefined: false,
                    ..style
                },
            ),
            earlier: rng.chance(25),
            expr: None,
        };
        let bound = i64::try_from(rng.below(3)).unwrap_or(0);
        return Cond::Cmp(
            Operand::Agg(Box::new(agg)),
            *rng.pick(&[Op::Le, Op::Ge, Op::Eq]),
            Operand::Lit(json!(bound)),
        );
    }
    let role = *rng.pick(&["admin", "user"]);
    Cond::Cmp(
        Operand::Ctx("role".to_owned()),
        *rng.pick(&[Op::Eq, Op::Ne]),
        Operand::Lit(json!(role)),
    )
}

/// Atoms of a contract, all different.
pub fn atoms(rng: &mut Rng, style: Style, count: usize) -> Vec<Atom> {
    let mut all: Vec<Atom> = Vec::new();
    while all.len() < count {
        let atom = if style.states && !all.is_empty() && rng.chance(15) {
            Atom::State(state(rng, style))
        } else {
            Atom::Pattern(pattern(rng, style))
        };
        if !all.contains(&atom) {
            all.push(atom);
        }
    }
    all
}

/// What may stand at a place of a formula.
#[derive(Clone, Copy)]
struct Place {
    /// Future operators (not so under past ones).
    future: bool,
    /// Readable forms that count from the first step.
    first: bool,
}

/// A random formula over some atoms.
pub fn formula(rng: &mut Rng, leaves: &[usize], depth: usize) -> F {
    let place = Place {
        future: true,
        first: true,
    };
    grow(rng, leaves, depth, place)
}

fn grow(rng: &mut Rng, leaves: &[usize], depth: usize, place: Place) -> F {
    if depth == 0 || rng.chance(8) {
        return match rng.below(24) {
            0 => F::True,
            1 => F::False,
            _ => F::Leaf(*rng.pick(leaves)),
        };
    }
    let below = Place {
        first: false,
        ..place
    };
    let past = Place {
        future: false,
        first: false,
    };
    let less = depth - 1;
    let one = |rng: &mut Rng, at: Place| Box::new(grow(rng, leaves, less, at));
    match rng.below(100) {
        0..=9 => F::Un(Unary::Not, one(rng, place)),
        10..=34 => {
            let op = *rng.pick(&[Binary::And, Binary::Or, Binary::Implies, Binary::Iff]);
            F::Bin(op, one(rng, place), one(rng, place))
        }
        35..=46 => {
            let op = *rng.pick(&[
                Unary::Previously,
                Unary::WeakPreviously,
                Unary::Once,
                Unary::Historically,
            ]);
            F::Un(op, one(rng, past))
        }
        47..=52 => F::Bin(Binary::Since, one(rng, past), one(rng, past)),
        _ if !place.future => F::Un(Unary::Not, one(rng, past)),
        53..=66 => {
            let op = *rng.pick(&[
                Unary::Next,
                Unary::WeakNext,
                Unary::Always,
                Unary::Eventually,
            ]);
            F::Un(op, one(rng, below))
        }
        67..=76 => {
            let op = *rng.pick(&[Binary::Until, Binary::Unless, Binary::Release]);
            F::Bin(op, one(rng, below), one(rng, below))
        }
        77..=93 => {
            let role = |rng: &mut Rng| {
                if rng.chance(75) {
                    Box::new(F::Leaf(*rng.pick(leaves)))
                } else {
                    Box::new(grow(rng, leaves, less, below))
                }
            };
            match rng.below(10) {
                0 => F::Un(Unary::Never, role(rng)),
                1 => F::Bin(Binary::OnlyWhile, role(rng), one(rng, past)),
                2 => F::LeadsSteps(role(rng), role(rng), 1 + rng.below(3)),
                _ => {
                    let op = *rng.pick(&[
                        Binary::NeverAfter,
                        Binary::OnlyBefore,
                        Binary::OnlyAfter,
                        Binary::NeverBefore,
                        Binary::LeadsTo,
                        Binary::LeadsNow,
                    ]);
                    F::Bin(op, role(rng), role(rng))
                }
            }
        }
        _ => {
            let op = *rng.pick(&[
                Counted::AtMost,
                Counted::AtLeast,
                Counted::Exactly,
                Counted::Consecutive,
            ]);
            let times = 1 + rng.below(3);
            let counted = if rng.chance(80) {
                Box::new(F::Leaf(*rng.pick(leaves)))
            } else {
                one(rng, past)
            };
            if place.first {
                F::Count(op, counted, times)
            } else {
                F::Un(Unary::Eventually, counted)
            }
        }
    }
}

/// A contract of one guarantee over at most `count` atoms.
pub fn contract(rng: &mut Rng, name: &str, style: Style, count: usize, depth: usize) -> Contract {
    let atoms = atoms(rng, style, count);
    let leaves: Vec<usize> = (0..atoms.len()).collect();
    let guarantee = formula(rng, &leaves, depth);
    let mut contract = Contract::simple(name, atoms, guarantee);
    contract.keyed = style.keyed > 0;
    contract.sparing = rng.chance(50);
    contract
}

/// A small guarantee and an assumption over messages and declared events alone.
pub fn guarded(rng: &mut Rng, name: &str) -> Contract {
    let mut contract = contract(rng, name, Style::default(), 2, 1);
    let mut leaves = Vec::new();
    for _ in 0..=rng.below(2) {
        let verb = if rng.chance(60) {
            Verb::Input
        } else {
            Verb::Declared("ev".to_owned())
        };
        let mut pattern = Pattern::new(verb, Tools::Any);
        pattern.conds.extend(condition(rng, &pattern.verb, false));
        leaves.push(contract.atoms.len());
        contract.atoms.push(Atom::Pattern(pattern));
    }
    let clause = if rng.chance(50) {
        F::Un(Unary::Never, Box::new(F::Leaf(leaves[0])))
    } else {
        formula(rng, &leaves, 2)
    };
    contract.assume.push(clause);
    contract
}

/// An assumption over what the environment decides, and a guarantee.
pub fn pair(rng: &mut Rng, name: &str, style: Style) -> Contract {
    let mut contract = contract(rng, name, style, 3, 2);
    let environment: Vec<usize> = (0..contract.atoms.len())
        .filter(|n| match &contract.atoms[*n] {
            Atom::Pattern(p) => !matches!(p.verb, Verb::Call | Verb::Output),
            _ => false,
        })
        .collect();
    let mut leaves = environment;
    if leaves.is_empty() {
        leaves.push(contract.atoms.len());
        let mut input = Pattern::new(Verb::Input, Tools::Any);
        input.conds.push(Cond::Text("x".to_owned()));
        contract.atoms.push(Atom::Pattern(input));
    }
    contract.assume.push(formula(rng, &leaves, 2));
    if rng.chance(30) {
        contract.assume.push(formula(rng, &leaves, 1));
    }
    if rng.chance(40) {
        let all: Vec<usize> = (0..contract.atoms.len()).collect();
        contract.guarantee.push(formula(rng, &all, 1));
    }
    contract
}

fn aggregate(rng: &mut Rng, keyed: bool, fun: Fun, undefined: bool) -> Agg {
    let verb = match rng.below(6) {
        0..=2 => Verb::Call,
        3 | 4 => Verb::Success,
        _ => Verb::Declared("ev".to_owned()),
    };
    let tool = *rng.pick(&TOOLS);
    let mut pattern = Pattern::of(verb, tool);
    if fun == Fun::Streak {
        pattern.verb = Verb::Call;
    }
    if keyed && rng.chance(75) {
        let scope = if matches!(pattern.verb, Verb::Declared(_)) {
            Scope::Bare
        } else {
            Scope::Args
        };
        pattern.key = Some(field(scope, "k"));
    }
    if rng.chance(25)
        && let Some(cond) = condition(rng, &pattern.verb, undefined)
    {
        pattern.conds.push(cond);
    }
    let expr = match (fun, &pattern.verb) {
        (Fun::Count | Fun::Streak, _) => None,
        (Fun::Values, Verb::Success) => Some(field(Scope::Args, "k")),
        (Fun::Values, _) => Some(field(Scope::Bare, "k")),
        (_, Verb::Success) => Some(match rng.below(3) {
            0 => field(Scope::Bare, "r"),
            1 => field(Scope::Result, "r"),
            _ => field(Scope::Args, "n"),
        }),
        (_, Verb::Call) => Some(field(*rng.pick(&[Scope::Bare, Scope::Args]), "n")),
        _ => Some(field(Scope::Bare, "n")),
    };
    Agg {
        fun,
        pattern,
        earlier: fun != Fun::Streak && rng.chance(30),
        expr,
    }
}

/// `guarantee P only if cond` with aggregates in the condition.
pub fn aggregated(rng: &mut Rng, name: &str, keyed: bool, undefined: bool) -> Contract {
    let tool: &str = TOOLS[rng.below(2)];
    let mut guarded = Pattern::of(Verb::Call, tool);
    if keyed {
        guarded.key = Some(field(Scope::Bare, "k"));
    }
    let mut lets = Vec::new();
    let mut comparison = |rng: &mut Rng| {
        let funs = [
            Fun::Count,
            Fun::Count,
            Fun::Sum,
            Fun::Min,
            Fun::Max,
            Fun::Latest,
            Fun::First,
            Fun::Values,
            Fun::Streak,
        ];
        let fun = *rng.pick(if keyed { &funs[..8] } else { &funs });
        let agg = aggregate(rng, keyed, fun, undefined);
        if fun == Fun::Values {
            return Cond::In(field(Scope::Args, "k"), agg);
        }
        let op = *rng.pick(&[Op::Le, Op::Lt, Op::Ge, Op::Gt, Op::Eq, Op::Ne]);
        let bound = i64::try_from(rng.below(6)).unwrap_or(0);
        let value = if rng.chance(20) {
            let var = format!("v{}", lets.len());
            lets.push((var.clone(), agg.clone()));
            Operand::Let(var, Box::new(agg))
        } else {
            Operand::Agg(Box::new(agg))
        };
        if rng.chance(40) {
            Cond::Cmp(Operand::Field(field(Scope::Bare, "n")), op, value)
        } else {
            Cond::Cmp(value, op, Operand::Lit(json!(bound)))
        }
    };
    let first = comparison(rng);
    let cond = match rng.below(4) {
        0 => Cond::And(Box::new(first), Box::new(comparison(rng))),
        1 => Cond::Or(Box::new(first), Box::new(comparison(rng))),
        2 => Cond::Not(Box::new(first)),
        _ => first,
    };
    let mut contract = Contract::simple(name, vec![Atom::Guard(guarded, cond)], F::OnlyIf(0));
    contract.keyed = keyed;
    contract.lets = lets;
    contract
}

/// A value of a field, or a hole.
fn put(rng: &mut Rng, record: &mut Map<String, Value>, name: &str, value: Value, holes: usize) {
    if rng.chance(holes) {
        match rng.below(4) {
            0 => record.insert(name.to_owned(), Value::Null),
            1 => record.insert(name.to_owned(), json!("zz")),
            _ => None,
        };
    } else {
        record.insert(name.to_owned(), value);
    }
}

/// A random session.
pub fn session(rng: &mut Rng, shape: Shape) -> Session {
    let mut lines = Vec::new();
    let role = |rng: &mut Rng| {
        let value = *rng.pick(&["admin", "user"]);
        Line::Context("role".to_owned(), json!(value))
    };
    if !rng.chance(shape.holes) {
        lines.push(role(rng));
    }
    let length = rng.below(shape.length + 1);
    let mut open: Vec<String> = Vec::new();
    let mut next = 0;
    for _ in 0..length {
        let text = (*rng.pick(&["x", "y", "x y", "z"])).to_owned();
        match rng.below(100) {
            0..=44 => {
                let id = format!("c{next}");
                next += 1;
                let mut args = Map::new();
                let key = *rng.pick(&["A", "B"]);
                let number = rng.below(5);
                let flag = rng.chance(50);
                let key_holes = if shape.keys { 0 } else { shape.holes };
                put(rng, &mut args, "k", json!(key), key_holes);
                put(rng, &mut args, "n", json!(number), shape.holes);
                put(rng, &mut args, "f", json!(flag), shape.holes);
                let tool = (*rng.pick(&TOOLS)).to_owned();
                open.push(id.clone());
                lines.push(Line::Call(id, tool, Value::Object(args)));
            }
            45..=76 if !open.is_empty() => {
                let id = open.remove(rng.below(open.len()));
                let status = *rng.pick(&[
                    Status::Success,
                    Status::Success,
                    Status::Success,
                    Status::Failure,
                    Status::Unknown,
                ]);
                let mut result = Map::new();
                let number = rng.below(4);
                let flag = rng.chance(50);
                put(rng, &mut result, "r", json!(number), shape.holes);
                put(rng, &mut result, "ok", json!(flag), shape.holes);
                let result = (status == Status::Success).then_some(Value::Object(result));
                lines.push(Line::Return(id, status, result));
            }
            77..=82 => lines.push(Line::Input(text)),
            83..=88 => lines.push(Line::Output(text)),
            89..=95 => {
                let key = *rng.pick(&["A", "B"]);
                let number = rng.below(5);
                let fields = json!({"k": key, "n": number});
                lines.push(Line::Declared("ev".to_owned(), fields));
            }
            _ => lines.push(role(rng)),
        }
    }
    Session {
        lines,
        times: Vec::new(),
    }
}

/// Gives a session times: steps of whole seconds, now and then one backwards.
pub fn clock(rng: &mut Rng, session: &mut Session) {
    let mut now = 1000_i64;
    session.times.clear();
    for _ in 0..session.lines.len() {
        let step = *rng.pick(&[0, 1000, 1000, 2000, 3000, 500, -2000]);
        now = (now + step).max(0);
        session.times.push(now);
    }
}

/// A contract of a form with a clock.
pub fn timed(rng: &mut Rng, name: &str, keyed: bool) -> Contract {
    let form = *rng.pick(&[
        Form::OnlyAfter,
        Form::LeadsTo,
        Form::AtMost,
        Form::CountWithin,
        Form::Elapsed,
    ]);
    let mut p = Pattern::of(rng.pick(&[Verb::Call, Verb::Success]).clone(), "ta");
    if matches!(form, Form::CountWithin | Form::Elapsed) {
        p.verb = Verb::Call;
    }
    let mut q = Pattern::of(rng.pick(&[Verb::Call, Verb::Success]).clone(), "tb");
    if keyed {
        p.key = Some(field(Scope::Args, "k"));
        q.key = Some(field(Scope::Args, "k"));
    }
    let seconds = 1000 * i64::try_from(1 + rng.below(6)).unwrap_or(1);
    // The edge of a counting window is not spelt out: times are multiples of half a second.
    let edge = if form == Form::CountWithin { 250 } else { 0 };
    let mut contract = Contract::simple(name, Vec::new(), F::True);
    contract.guarantee.clear();
    contract.keyed = keyed;
    contract.timed = Some(Timed {
        form,
        p,
        q,
        n: 1 + rng.below(2),
        within: seconds + edge,
    });
    contract
}

/// Every event of the vocabulary, for the alphabet of what can happen.
#[must_use]
pub fn every_event() -> Vec<Event> {
    let mut all = Vec::new();
    for role in ["admin", "user"] {
        let ctx = BTreeMap::from([("role".to_owned(), json!(role))]);
        let base = Event {
            kind: Kind::Input,
            id: String::new(),
            tool: String::new(),
            args: Value::Null,
            status: None,
            result: None,
            text: None,
            fields: json!({}),
            time: 0,
            ctx,
        };
        for kind in [Kind::Input, Kind::Output] {
            for text in ["x", "y", "x y", "z"] {
                let mut event = base.clone();
                event.kind = kind.clone();
                event.text = Some(text.to_owned());
                all.push(event);
            }
        }
        for key in ["A", "B"] {
            for n in 0..5 {
                let mut declared = base.clone();
                declared.kind = Kind::Declared("ev".to_owned());
                declared.fields = json!({"k": key, "n": n});
                all.push(declared);
                for tool in TOOLS.iter().chain(&["other"]) {
                    for flag in [true, false] {
                        let mut call = base.clone();
                        call.kind = Kind::Call;
                        call.tool = (*tool).to_owned();
                        call.args = json!({"k": key, "n": n, "f": flag});
                        all.push(call.clone());
                        call.kind = Kind::Return;
                        for status in [Status::Failure, Status::Unknown] {
                            call.status = Some(status);
                            all.push(call.clone());
                        }
                        for (r, ok) in [
                            (0, true),
                            (1, false),
                            (2, true),
                            (3, false),
                            (0, false),
                            (3, true),
                        ] {
                            call.status = Some(Status::Success);
                            call.result = Some(json!({"r": r, "ok": ok}));
                            all.push(call.clone());
                        }
                    }
                }
            }
        }
    }
    all
}

/// The letters that some event gives to a contract; conditions that read aggregates give both.
#[must_use]
pub fn possible_letters(contract: &Contract, events: &[Event]) -> BTreeSet<Letter> {
    let used = contract.used();
    let open = Cell::new(false);
    let mut letters = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for event in events {
        if !contract.watches(&event.kind) {
            continue;
        }
        let single = std::slice::from_ref(event);
        let keys = contract.keys(single);
        for key in keys.iter().chain(contract.keyed.then_some(&None)) {
            if contract.steps(single, key.as_ref()).is_empty() {
                continue;
            }
            let row = contract.row(super::cond::Moment {
                events: single,
                at: 0,
                key: key.as_ref(),
                open: &open,
            });
            if seen.insert(row.clone()) {
                letters.extend(completions(&row, &used));
            }
        }
    }
    letters
}
