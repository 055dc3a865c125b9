//! Which contracts a session can leave undetermined although every completion keeps them.
//!
//! A step at which undefined conditions lead to different states fails a contract at once, even where the session
//! would be kept in the end whatever they were. The formulas know only the end. That makes no difference to what
//! cannot be kept; to what follows from other contracts it does.

use ctr_front::ir::{
    EventKind, Expr, ExprId, Function, Library, Pattern, PatternId, RegisterId, RegisterKind, Root,
    Step, Tools,
};
use ctr_front::types::Type;

use crate::walk;

/// For each contract whether that can happen: whether a condition can be undefined. (Conditions that exclude
/// each other, as in `call a(f, not f)`, are undefined together, so that a contract that only forbids is no exception.)
pub(crate) fn contracts(library: &Library) -> Vec<bool> {
    library
        .contracts
        .iter()
        .map(|contract| {
            let read = walk::contract(library, contract);
            read.patterns.iter().any(|id| pattern(library, *id))
                || read.registers.iter().any(|id| register(library, *id))
                || walk::atoms(contract)
                    .into_iter()
                    .filter_map(|atom| library.atoms.get(atom.0 as usize))
                    .any(|atom| expression(library, atom.expr, None))
        })
        .collect()
}

/// Whether an aggregate can be undefined where the patterns of its members cannot: all but plain counts.
fn register(library: &Library, id: RegisterId) -> bool {
    library.registers.get(id.0 as usize).is_none_or(|entry| {
        !matches!(entry.kind, RegisterKind::Count | RegisterKind::Streak) || entry.window.is_some()
    })
}

/// Whether a key or condition of a pattern can be undefined at an event of its kind and tools.
fn pattern(library: &Library, id: PatternId) -> bool {
    library.patterns.get(id.0 as usize).is_none_or(|pattern| {
        pattern
            .keys
            .iter()
            .chain(&pattern.condition)
            .any(|expr| expression(library, *expr, Some(pattern)))
    })
}

fn expression(library: &Library, expr: ExprId, at: Option<&Pattern>) -> bool {
    let Some(node) = library.exprs.get(expr.0 as usize) else {
        return true;
    };
    match node {
        Expr::Const(_) | Expr::Root(Root::Key(_) | Root::Text) | Expr::Has(_) => false,
        Expr::Pattern(id) => pattern(library, *id),
        Expr::Coalesce(_, b) => expression(library, *b, at),
        Expr::Read { register: id, .. } => register(library, *id),
        Expr::Path { base, steps, .. } => {
            let args = matches!(
                library.exprs.get(base.0 as usize),
                Some(Expr::Root(Root::Args))
            );
            !(args && at.is_some_and(|at| required(library, at, steps)))
        }
        Expr::Not(_)
        | Expr::And(_)
        | Expr::Or(_)
        | Expr::Iff(..)
        | Expr::Compare(..)
        | Expr::In(..)
        | Expr::List(_)
        | Expr::Like(..)
        | Expr::Matches(..)
        | Expr::StartsWith(..)
        | Expr::EndsWith(..)
        | Expr::Contains(..)
        | Expr::Call(
            Function::Len | Function::Text | Function::Lower | Function::Upper | Function::Trim,
            _,
        )
        | Expr::Add(..)
        | Expr::Sub(..)
        | Expr::Mul(..)
        | Expr::Neg(_) => node
            .children()
            .into_iter()
            .any(|child| expression(library, child, at)),
        _ => true,
    }
}

/// Whether all tools of a pattern are declared with an argument that is always there.
fn required(library: &Library, at: &Pattern, steps: &[Step]) -> bool {
    let (EventKind::Call | EventKind::Return(_), Tools::OneOf(ids), [Step::Field(name)]) =
        (at.kind, &at.tools, steps)
    else {
        return false;
    };
    ids.iter().all(|id| {
        let Some(tool) = library.tools.get(id.0 as usize) else {
            return false;
        };
        let mut declared = library.declared.iter().filter(|declared| {
            declared.name == tool.name && (tool.server.is_none() || declared.server == tool.server)
        });
        let (Some(only), None) = (declared.next(), declared.next()) else {
            return false;
        };
        let Type::Record(record) = &only.args else {
            return false;
        };
        record.fields.iter().any(|field| {
            &field.name == name
                && !field.optional
                && matches!(
                    field.ty,
                    Type::Bool | Type::Int(_) | Type::Number(_) | Type::String | Type::Enum(_)
                )
        })
    })
}
