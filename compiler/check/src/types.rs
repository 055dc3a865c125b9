//! Declared types of arguments.

use ctr_front::ir::{Expr, ExprId, Root};
use ctr_front::types::Type;

use crate::problem::Problem;
use crate::universe::Class;
use crate::walk;

impl Problem<'_> {
    /// The declared type of an argument of the calls (and returns) of a group, where they are of one tool.
    pub(crate) fn argument_type(&self, group: usize, path: &[String]) -> Option<&Type> {
        let mut ty = self.argument_types(group)?;
        if path.is_empty() {
            return None;
        }
        for name in path {
            let Type::Record(record) = ty else {
                return None;
            };
            ty = &record.fields.iter().find(|field| &field.name == name)?.ty;
        }
        Some(ty)
    }

    /// The declared type of all arguments.
    fn argument_types(&self, group: usize) -> Option<&Type> {
        let group = self.universe.groups.get(group)?;
        let mut tools = group.classes.iter().map(|class| match class {
            Class::Call(tool) | Class::Return(tool, _) => Some(*tool),
            _ => None,
        });
        let tool = tools.next()??;
        if tools.any(|other| other != Some(tool)) {
            return None;
        }
        let tool = self.universe.tools.get(tool)?;
        let mut declared = self.library.declared.iter().filter(|declared| {
            Some(&declared.name) == tool.name.as_ref()
                && (tool.server.is_none()
                    || declared.server.is_none()
                    || declared.server == tool.server)
        });
        let only = &declared.next()?.args;
        declared.next().is_none().then_some(only)
    }

    /// Whether the calls (and returns) of a group always have an argument that can be read as what it is declared.
    #[cfg_attr(not(feature = "z3"), expect(dead_code, reason = "only a solver asks"))]
    pub(crate) fn requires(&self, group: usize, name: &str) -> bool {
        let Some(Type::Record(record)) = self.argument_types(group) else {
            return false;
        };
        record.fields.iter().any(|field| {
            field.name == name
                && !field.optional
                && matches!(
                    field.ty,
                    Type::Bool | Type::Int(_) | Type::Number(_) | Type::String | Type::Enum(_)
                )
        })
    }

    /// The same of an expression.
    pub(crate) fn type_of(&self, group: usize, expr: ExprId) -> Option<&Type> {
        let Expr::Path { base, steps, .. } = self.library.exprs.get(expr.0 as usize)? else {
            return None;
        };
        let Expr::Root(Root::Args) = self.library.exprs.get(base.0 as usize)? else {
            return None;
        };
        let fields: Option<Vec<String>> = walk::fields(steps);
        self.argument_type(group, &fields?)
    }
}
