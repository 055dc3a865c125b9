//! Lists for conditions on their length, their elements, and what they contain. No solver here speaks of lists: these are guesses, for
//! sessions that are replayed.

use std::collections::BTreeMap;

use ctr_front::ir::{CompareOp, Const, Expr, ExprId, Function, Root};
use ctr_front::types::Type;
use ctr_runtime::decimal::Decimal;
use ctr_runtime::value::Value;

use crate::hints::{fields, place};
use crate::problem::{Leaf, Problem, operator_of};
use crate::texts::{self, Language, Text, Texts};
use crate::theory::{Path, Step, Values};

/// The longest list that is written down.
const LONGEST: usize = 600;

/// What a list should be.
#[derive(Default)]
struct Wanted {
    /// Elements that it has.
    has: Vec<Value>,
    /// For each condition that some element keeps or breaks.
    some: Vec<(ExprId, bool)>,
    /// For each condition that all elements keep or break.
    every: Vec<(ExprId, bool)>,
    /// The least number of elements.
    least: usize,
}

/// Fills in the lists of which literals of the path say something.
pub(crate) fn fill(problem: &Problem<'_>, path: &Path, values: &mut [Values]) {
    // Returns share the arguments of their calls.
    let mut all: BTreeMap<(usize, ExprId), (usize, Wanted)> = BTreeMap::new();
    for (at, step) in path.steps.iter().enumerate() {
        for (leaf, holds) in &step.literals {
            let Some((list, part)) = problem
                .leaves
                .get(*leaf as usize)
                .and_then(|leaf| wanted(problem, step, leaf, *holds))
            else {
                continue;
            };
            let Some((root, _)) = place(problem, list) else {
                continue;
            };
            let owner = if root == Root::Args { step.owner } else { at };
            let (_, whole) = all
                .entry((owner, list))
                .or_insert((step.group, Wanted::default()));
            whole.has.extend(part.has);
            whole.some.extend(part.some);
            whole.every.extend(part.every);
            whole.least = whole.least.max(part.least);
        }
    }
    for ((at, list), (group, wanted)) in all {
        let Some((root, path)) = place(problem, list) else {
            continue;
        };
        let items = items(problem, wanted, problem.type_of(group, list));
        if let Some(into) = fields(root, at, at, values) {
            into.retain(|(other, _)| other != &path);
            into.push((path, Value::List(items)));
        }
    }
}

/// What a leaf says of a list.
fn wanted(
    problem: &Problem<'_>,
    step: &Step,
    leaf: &Leaf,
    holds: bool,
) -> Option<(ExprId, Wanted)> {
    let node = |id: ExprId| problem.library.exprs.get(id.0 as usize);
    let constant = |id: ExprId| match node(id)? {
        Expr::Const(value) => value_of(value),
        _ => None,
    };
    let is_list = |id: ExprId| matches!(problem.type_of(step.group, id), Some(Type::List(_)));
    let mut out = Wanted::default();
    let compared = match leaf {
        Leaf::Compare(op, a, b, _) => Some((operator_of(*op), *a, *b)),
        Leaf::Condition(expr, _) => match node(*expr)? {
            Expr::Compare(op, a, b) => Some((*op, *a, *b)),
            Expr::Contains(list, value) if is_list(*list) => {
                out.has.extend(constant(*value).filter(|_| holds));
                return Some((*list, out));
            }
            Expr::In(value, list) if !matches!(node(*list), Some(Expr::List(_))) => {
                out.has.extend(Some(constant(*value)?).filter(|_| holds));
                return Some((*list, out));
            }
            Expr::Every(list, condition) => {
                if holds {
                    out.every.push((*condition, true));
                } else {
                    out.some.push((*condition, false));
                }
                return Some((*list, out));
            }
            Expr::Some(list, condition) => {
                if holds {
                    out.some.push((*condition, true));
                } else {
                    out.every.push((*condition, false));
                }
                return Some((*list, out));
            }
            _ => None,
        },
        _ => None,
    };
    let (op, a, b) = compared?;
    let (Some(Expr::Call(Function::Len, args)), Some(Expr::Const(Const::Number(n)))) =
        (node(a), node(b))
    else {
        return None;
    };
    let list = *args.first()?;
    let n: usize = n.parse().ok()?;
    out.least = match (op, holds) {
        (CompareOp::Ge | CompareOp::Eq, true) | (CompareOp::Lt | CompareOp::Ne, false) => n,
        (CompareOp::Gt | CompareOp::Ne, true) | (CompareOp::Le | CompareOp::Eq, false) => n + 1,
        _ => 0,
    };
    is_list(list).then_some((list, out))
}

fn items(problem: &Problem<'_>, wanted: Wanted, ty: Option<&Type>) -> Vec<Value> {
    let inner = match ty {
        Some(Type::List(inner)) => Some(&**inner),
        _ => None,
    };
    let mut texts = Texts::default();
    let mut items = wanted.has;
    for condition in &wanted.some {
        let mut all = wanted.every.clone();
        all.push(*condition);
        items.push(element(problem, &mut texts, &all, inner));
    }
    if items.len() < wanted.least.min(LONGEST) {
        let more = element(problem, &mut texts, &wanted.every, inner);
        items.resize(wanted.least.min(LONGEST), more);
    }
    items
}

/// An element that keeps the conditions, as far as they are conditions on a text.
fn element(
    problem: &Problem<'_>,
    texts: &mut Texts,
    conditions: &[(ExprId, bool)],
    ty: Option<&Type>,
) -> Value {
    let mut languages: Vec<(Language, bool)> = Vec::new();
    for (condition, holds) in conditions {
        let found = texts::of_constant(problem.library, *condition);
        languages.extend(found.map(|(_, language, positive)| (language, positive == *holds)));
    }
    match ty {
        Some(Type::Int(_) | Type::Number(_)) => Value::Number(Decimal::from(1)),
        Some(Type::Bool) => Value::Bool(true),
        _ => {
            languages.push((Language::Whole("(?s:.)+".to_owned()), true));
            match texts.find(&languages) {
                Text::Some(text) => Value::Str(text),
                Text::None | Text::TooLarge => Value::from("x"),
            }
        }
    }
}

fn value_of(value: &Const) -> Option<Value> {
    Some(match value {
        Const::Null => Value::Null,
        Const::Bool(value) => Value::Bool(*value),
        Const::Number(text) => Value::Number(Decimal::parse(text)?),
        Const::Str(text) => Value::Str(text.clone()),
        Const::Duration(_) | Const::Timestamp(_) => return None,
    })
}
