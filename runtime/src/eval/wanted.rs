//! Which parts of results the expressions of a library read, so that of a text that holds JSON only these are
//! made into values.

use alloc::vec;
use alloc::vec::Vec;

use crate::format::model::{Function, RegisterKind, Root};
use crate::format::{ActionRef, ExprRef, KindClass, Library, MessagePartRef, StepRef, Steps};
use crate::json::{Selection, Step};
use crate::session::plan::children;

/// The parts of results that are read as fields and elements.
pub(crate) fn of_results(library: &Library<'_>) -> Selection {
    // Where size counts, all is read.
    if cfg!(feature = "small") {
        return Selection::whole();
    }
    // `mentioned` searches all texts in a result.
    let texts = |id: &u32| library.register(*id).kind == RegisterKind::Texts;
    let mut texts = (0..library.register_count()).filter(texts).peekable();
    let searched = texts.peek().is_some() && {
        let known = for_returns(library);
        let member = |id| known.get(library.register(id).member as usize);
        texts.any(|id| member(id).is_none_or(|(holds, _)| *holds))
    };
    if searched {
        return Selection::whole();
    }
    let mut wanted = Selection::default();
    let outlines = outlines(library);
    for expr in 0..library.expr_count() {
        let ExprRef::Path { base, steps, .. } = library.expr(expr) else {
            continue;
        };
        if !matches!(library.expr(base), ExprRef::Root(Root::Result)) || steps.is_empty() {
            continue;
        }
        match outlines.get(expr as usize) {
            Some(true) => wanted.add_outline(path(steps)),
            _ => wanted.add(path(steps)),
        }
    }
    wanted
}

fn path(steps: Steps<'_>) -> impl Iterator<Item = Step<'_>> {
    (0..steps.len()).filter_map(move |n| {
        Some(match steps.get(n)? {
            StepRef::Field(name) => Step::Field(name),
            StepRef::Index(_) | StepRef::All => Step::Item,
        })
    })
}

/// Which expressions can hold for a return, and which can fail to: patterns of other events only fail, so that their
/// negations hold.
fn for_returns(library: &Library<'_>) -> Vec<(bool, bool)> {
    let mut known: Vec<(bool, bool)> = Vec::new();
    for expr in 0..library.expr_count() {
        // Ids of children are lower.
        let of = |id: u32| known.get(id as usize).copied().unwrap_or((true, true));
        known.push(match library.expr(expr) {
            ExprRef::Pattern(p) => match library.pattern(p).kind_class() {
                KindClass::Return => (true, true),
                _ => (false, true),
            },
            ExprRef::Not(a) => {
                let (holds, fails) = of(a);
                (fails, holds)
            }
            ExprRef::And(all) => (all.iter().all(|id| of(id).0), all.iter().any(|id| of(id).1)),
            ExprRef::Or(all) => (all.iter().any(|id| of(id).0), all.iter().all(|id| of(id).1)),
            _ => (true, true),
        });
    }
    known
}

/// The paths of which only the keys or the length are read: `values(P, keys(result.x))`. Conditions are not
/// among them, since a refusal tells the values that they saw.
fn outlines(library: &Library<'_>) -> Vec<bool> {
    let count = library.expr_count() as usize;
    // What registers take, and nothing else asks for.
    let mut taken = vec![false; count];
    for id in 0..library.register_count() {
        let value = library.register(id).value;
        if let Some(place) = value.and_then(|value| taken.get_mut(value as usize)) {
            *place = true;
        }
    }
    let mut not = |expr: u32| {
        if let Some(place) = taken.get_mut(expr as usize) {
            *place = false;
        }
    };
    let others = others(library);
    others.iter().copied().for_each(&mut not);
    for expr in 0..library.expr_count() {
        children(library.expr(expr), &mut not);
    }
    // The paths that only these read.
    let mut outlines = vec![false; count];
    let mut whole = others;
    for expr in 0..library.expr_count() {
        match library.expr(expr) {
            ExprRef::Call(Function::Keys | Function::Len, args)
                if taken.get(expr as usize) == Some(&true) =>
            {
                for arg in args.iter() {
                    if let Some(place) = outlines.get_mut(arg as usize) {
                        *place = true;
                    }
                }
            }
            other => children(other, |child| whole.push(child)),
        }
    }
    whole.extend((0..library.register_count()).filter_map(|id| library.register(id).value));
    for expr in whole {
        if let Some(place) = outlines.get_mut(expr as usize) {
            *place = false;
        }
    }
    outlines
}

/// Expressions that something else asks for than other expressions and what registers take.
fn others(library: &Library<'_>) -> Vec<u32> {
    let mut out: Vec<u32> = Vec::new();
    out.extend((0..library.atom_count()).map(|id| library.atom(id).expr));
    out.extend((0..library.register_count()).map(|id| library.register(id).member));
    for id in 0..library.pattern_count() {
        let pattern = library.pattern(id);
        out.extend(pattern.condition);
        out.extend(pattern.keys.iter());
    }
    for id in 0..library.deadline_count() {
        let deadline = library.deadline(id);
        out.extend([deadline.trigger, deadline.response]);
    }
    for contract in library.contracts() {
        out.extend(contract.message().filter_map(|part| match part {
            MessagePartRef::Expr(expr) => Some(expr),
            MessagePartRef::Text(_) => None,
        }));
        if let ActionRef::Redirect { args, .. } = contract.action() {
            out.extend(args.iter().map(|(_, expr)| expr));
        }
    }
    out
}
