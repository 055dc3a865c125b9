//! Event patterns as they are written.

use ctr_grammar::Span;
use ctr_grammar::ast::{self, Path, ToolSelKind};

use super::super::Checker;
use super::super::scope::Src;
use super::warning;

impl<'a> Checker<'a> {
    /// A pattern's tools and conditions.
    pub(super) fn pattern_as_written(&mut self, pattern: &'a ast::Pattern, src: Src<'a>) {
        if let Some(ToolSelKind::OneOf(paths) | ToolSelKind::Except(paths)) =
            pattern.tools.as_ref().map(|t| &t.kind)
        {
            self.repeated_tools(paths, src);
            self.starred(paths, src);
        }
        if let Some(tools) = &pattern.tools
            && let ToolSelKind::Except(paths) = &tools.kind
        {
            self.all_excepted(paths, tools.span, src);
        }
        self.conditions_of(&pattern.conditions, src);
        self.lost_result(pattern, src);
    }

    /// `any except` all the tools of the schemas that the file reads.
    fn all_excepted(&mut self, paths: &'a [Path], span: Span, src: Src<'a>) {
        let names = self.names;
        let imported = self
            .graph
            .units
            .get(src.unit)
            .is_some_and(|unit| !unit.tools.is_empty());
        // A list that is written by hand may be of those tools alone that the policy is about.
        if !imported || names.tools_incomplete(src.unit) {
            return;
        }
        let scope = self.scope(src.unit);
        let (none_left, _) = self.apart(|this| this.excepts_all(paths, &scope));
        if !none_left {
            return;
        }
        let diagnostic = warning(
            "W0442",
            "all declared tools are excepted: the pattern fits calls of unknown tools alone",
            span,
            "no declared tool",
            src,
        )
        .with_help("leave out of the list what the pattern is to fit");
        self.diagnostics.push(diagnostic);
    }

    /// A star in a tool's name: names are never patterns.
    pub(super) fn starred(&mut self, paths: &'a [Path], src: Src<'a>) {
        let names = self.names;
        for path in paths {
            let Some(name) = path.parts.iter().find(|p| p.name.contains('*')) else {
                continue;
            };
            let declared = path
                .parts
                .last()
                .is_some_and(|last| !names.tools_named(src.unit, &last.name).is_empty());
            if declared {
                continue;
            }
            let diagnostic = warning(
                "W0423",
                format!(
                    "`{}` is the tool of exactly that name, star and all",
                    name.name
                ),
                path.span,
                "no pattern",
                src,
            )
            .with_help(
                "list the tools, `a | b`, or name a set of them with `group`; `any` is every tool",
            );
            self.diagnostics.push(diagnostic);
        }
    }
}
