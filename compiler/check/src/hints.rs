//! Values for conditions that no solver here speaks of: lists, and what is mentioned. They are guesses that make sessions likely to be
//! replayed as expected, and prove nothing.

use ctr_front::ir::{Expr, ExprId, Root};
use ctr_runtime::value::Value;

use crate::lists;
use crate::problem::{Leaf, Problem};
use crate::theory::{Path, Values};
use crate::universe::Class;
use crate::walk;

/// Fills in guesses.
pub(crate) fn fill(problem: &Problem<'_>, path: &Path, values: &mut [Values]) {
    lists::fill(problem, path, values);
    for (at, step) in path.steps.iter().enumerate() {
        for (leaf, holds) in &step.literals {
            if let (Some(Leaf::Agents(_)), false) = (problem.leaves.get(*leaf as usize), *holds)
                && let Some(values) = values.get_mut(at)
            {
                values
                    .agent
                    .get_or_insert_with(|| "another agent".to_owned());
            }
            let Some(Leaf::Condition(expr, keys)) = problem.leaves.get(*leaf as usize) else {
                continue;
            };
            match problem.library.exprs.get(expr.0 as usize) {
                Some(Expr::Mentioned {
                    register,
                    value,
                    earlier,
                }) if *holds => {
                    let keyed = problem
                        .library
                        .registers
                        .get(register.0 as usize)
                        .is_some_and(|register| register.keys > 0);
                    let keys = if keyed { keys.clone() } else { Vec::new() };
                    let end = if *earlier { at } else { at + 1 };
                    let member = path.members.get(&(*register, keys)).and_then(|members| {
                        (0..end.min(members.len()))
                            .rev()
                            .find(|n| members.get(*n) == Some(&true))
                    });
                    if let (Some(word), Some(member)) =
                        (word(problem, *value, at, step.owner, values), member)
                    {
                        mention(path, member, &word, values);
                    }
                }
                _ => {}
            }
        }
    }
}

/// The root and fields of a path.
pub(crate) fn place(problem: &Problem<'_>, expr: ExprId) -> Option<(Root, Vec<String>)> {
    let Expr::Path { base, steps, .. } = problem.library.exprs.get(expr.0 as usize)? else {
        return None;
    };
    let Expr::Root(root) = problem.library.exprs.get(base.0 as usize)? else {
        return None;
    };
    let fields: Option<Vec<String>> = walk::fields(steps);
    Some((*root, fields?))
}

/// The fields that a path leads into.
pub(crate) fn fields(
    root: Root,
    at: usize,
    owner: usize,
    values: &mut [Values],
) -> Option<&mut Vec<(Vec<String>, Value)>> {
    match root {
        Root::Args => values.get_mut(owner).map(|v| &mut v.args),
        Root::Result => values.get_mut(at).map(|v| &mut v.result),
        Root::Fields => values.get_mut(at).map(|v| &mut v.fields),
        Root::Context => values.get_mut(at).map(|v| &mut v.context),
        _ => None,
    }
}

/// The text that a field has, or is given.
fn word(
    problem: &Problem<'_>,
    value: ExprId,
    at: usize,
    owner: usize,
    values: &mut [Values],
) -> Option<String> {
    let (root, path) = place(problem, value)?;
    let into = fields(root, at, owner, values)?;
    match into.iter().find(|(other, _)| other == &path) {
        Some((_, Value::Str(text))) => Some(text.clone()),
        Some(_) => None,
        None => {
            let word = format!("word{owner}");
            into.push((path, Value::from(word.as_str())));
            Some(word)
        }
    }
}

/// Puts a word into the text of an event.
fn mention(path: &Path, at: usize, word: &str, values: &mut [Values]) {
    let Some(class) = path.steps.get(at).map(|step| step.class) else {
        return;
    };
    let Some(values) = values.get_mut(at) else {
        return;
    };
    match class {
        Class::Input | Class::Output => {
            let text = values.text.get_or_insert_default();
            text.push(' ');
            text.push_str(word);
        }
        Class::Return(..) => values
            .result
            .push((vec!["note".to_owned()], Value::from(word))),
        Class::Call(_) | Class::Declared(_) => {}
    }
}
