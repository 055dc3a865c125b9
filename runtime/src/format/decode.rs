//! From a loaded library back to the model.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::index::KindClass;
use super::library::Library;
use super::model::{
    Action, Atom, Automaton, Clause, Const, Contract, Deadline, Declared, Expr, Lookup,
    MessagePart, Model, Pattern, Regex, Register, Source, Step, Together, Tool, Tools, Watch,
};
use super::views::{
    ActionRef, ConstRef, ContractRef, ExprRef, Ids, MessagePartRef, StepRef, Texts, ToolsRef,
};

/// The model of a library: `decode` of `encode` of a model is that model. For `inspect` and tests;
/// judging sessions does not need it.
#[must_use]
pub fn decode(library: &Library<'_>) -> Model {
    Model {
        compiler: library.compiler().into(),
        sources: all(library.source_count(), |id| {
            let source = library.source(id);
            Source {
                path: source.path.into(),
                sha256: source.sha256,
                lines: ids(source.lines),
            }
        }),
        tools: all(library.tool_count(), |id| {
            let tool = library.tool(id);
            Tool {
                server: tool.server.map(Into::into),
                name: tool.name.into(),
            }
        }),
        declared: all(library.declared_count(), |id| {
            let tool = library.declared(id);
            Declared {
                server: tool.server.map(Into::into),
                name: tool.name.into(),
                input: tool.input.map(Into::into),
            }
        }),
        events: all(library.event_count(), |id| library.event_name(id).into()),
        lookups: all(library.lookup_count(), |id| {
            let lookup = library.lookup(id);
            Lookup {
                name: lookup.name.into(),
                arity: lookup.arity,
            }
        }),
        regexes: all(library.regex_count(), |id| Regex {
            pattern: library.regex_text(id).into(),
            program: library.regex_program(id).to_vec(),
            ecma: library.regex_ecma(id).map(Into::into),
        }),
        together: all(library.together_count(), |id| {
            let (output, regexes, table) = library.together_parts(id);
            Together {
                output,
                regexes: ids(regexes),
                table: table.to_vec(),
            }
        }),
        exprs: all(library.expr_count(), |id| expr(library.expr(id))),
        patterns: all(library.pattern_count(), |id| {
            let pattern = library.pattern(id);
            Pattern {
                kind: pattern.kind,
                tools: match pattern.tools {
                    ToolsRef::Any => Tools::Any,
                    ToolsRef::OneOf(list) => Tools::OneOf(ids(list)),
                    ToolsRef::Except(list) => Tools::Except(ids(list)),
                },
                keys: ids(pattern.keys),
                condition: pattern.condition,
                text: pattern.text().into(),
            }
        }),
        registers: all(library.register_count(), |id| {
            let register = library.register(id);
            Register {
                kind: register.kind,
                member: register.member,
                value: register.value,
                window: register.window,
                keys: register.keys,
            }
        }),
        atoms: all(library.atom_count(), |id| {
            let atom = library.atom(id);
            Atom {
                expr: atom.expr,
                text: atom.text.into(),
                remedy: atom.remedy.map(Into::into),
            }
        }),
        automata: all(library.automaton_count(), |id| {
            let automaton = library.automaton(id);
            Automaton {
                states: automaton.states().collect(),
                initial: automaton.initial(),
                nodes: automaton.nodes().collect(),
            }
        }),
        contracts: library
            .contracts()
            .map(|from| contract(library, from))
            .collect(),
    }
}

fn all<T>(count: u32, get: impl FnMut(u32) -> T) -> Vec<T> {
    (0..count).map(get).collect()
}

fn ids(list: Ids<'_>) -> Vec<u32> {
    list.iter().collect()
}

fn texts(list: Texts<'_>) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

fn expr(expr: ExprRef<'_>) -> Expr {
    match expr {
        ExprRef::Const(value) => Expr::Const(match value {
            ConstRef::Null => Const::Null,
            ConstRef::Bool(value) => Const::Bool(value),
            ConstRef::Number(number) => Const::Number(number),
            ConstRef::Str(text) => Const::Str(text.into()),
            ConstRef::Duration(nanos) => Const::Duration(nanos),
            ConstRef::Timestamp(nanos) => Const::Timestamp(nanos),
        }),
        ExprRef::List(items) => Expr::List(ids(items)),
        ExprRef::Root(root) => Expr::Root(root),
        ExprRef::Path {
            base,
            steps,
            coerce,
        } => Expr::Path {
            base,
            steps: steps
                .iter()
                .map(|step| match step {
                    StepRef::Field(name) => Step::Field(name.into()),
                    StepRef::Index(n) => Step::Index(n),
                    StepRef::All => Step::All,
                })
                .collect(),
            coerce,
        },
        ExprRef::Not(a) => Expr::Not(a),
        ExprRef::And(items) => Expr::And(ids(items)),
        ExprRef::Or(items) => Expr::Or(ids(items)),
        ExprRef::Iff(a, b) => Expr::Iff(a, b),
        ExprRef::Compare(op, a, b) => Expr::Compare(op, a, b),
        ExprRef::In(a, b) => Expr::In(a, b),
        ExprRef::Matches(a, b) => Expr::Matches(a, b),
        ExprRef::Like(a, b) => Expr::Like(a, b),
        ExprRef::Contains(a, b) => Expr::Contains(a, b),
        ExprRef::StartsWith(a, b) => Expr::StartsWith(a, b),
        ExprRef::EndsWith(a, b) => Expr::EndsWith(a, b),
        ExprRef::Inside(a, b) => Expr::Inside(a, b),
        ExprRef::Has(a) => Expr::Has(a),
        ExprRef::Coalesce(a, b) => Expr::Coalesce(a, b),
        ExprRef::Every(a, b) => Expr::Every(a, b),
        ExprRef::Some(a, b) => Expr::Some(a, b),
        ExprRef::Add(a, b) => Expr::Add(a, b),
        ExprRef::Sub(a, b) => Expr::Sub(a, b),
        ExprRef::Mul(a, b) => Expr::Mul(a, b),
        ExprRef::Neg(a) => Expr::Neg(a),
        ExprRef::Call(function, args) => Expr::Call(function, ids(args)),
        ExprRef::Lookup(lookup, args) => Expr::Lookup(lookup, ids(args)),
        ExprRef::Read { register, earlier } => Expr::Read { register, earlier },
        ExprRef::Mentioned {
            register,
            value,
            earlier,
        } => Expr::Mentioned {
            register,
            value,
            earlier,
        },
        ExprRef::Fresh { register, within } => Expr::Fresh { register, within },
        ExprRef::Pattern(pattern) => Expr::Pattern(pattern),
    }
}

fn contract(library: &Library<'_>, from: ContractRef<'_>) -> Contract {
    Contract {
        name: from.name().into(),
        module: from.module().into(),
        doc: from.doc().into(),
        place: from.place(),
        keys: texts(from.keys()),
        watch: Watch {
            calls: from.watches(KindClass::Call),
            returns: from.watches(KindClass::Return),
            inputs: from.watches(KindClass::Input),
            outputs: from.watches(KindClass::Output),
            events: ids(from.watched_events()),
        },
        patterns: ids(from.patterns()),
        clauses: from
            .clauses()
            .map(|clause| Clause {
                side: clause.side,
                text: clause.text.into(),
                place: clause.place,
            })
            .collect(),
        deadlines: from
            .deadlines()
            .map(|id| {
                let deadline = library.deadline(id);
                Deadline {
                    side: deadline.side,
                    trigger: deadline.trigger,
                    response: deadline.response,
                    within: deadline.within,
                    text: deadline.text.into(),
                }
            })
            .collect(),
        assume: from.assume(),
        guarantee: from.guarantee(),
        action: match from.action() {
            ActionRef::Block => Action::Block,
            ActionRef::Warn => Action::Warn,
            ActionRef::Escalate => Action::Escalate,
            ActionRef::Redirect { tool, args } => Action::Redirect {
                tool,
                args: args
                    .iter()
                    .map(|(name, expr)| (name.to_string(), expr))
                    .collect(),
            },
            ActionRef::Repair => Action::Repair,
        },
        message: from
            .message()
            .map(|part| match part {
                MessagePartRef::Text(text) => MessagePart::Text(text.into()),
                MessagePartRef::Expr(expr) => MessagePart::Expr(expr),
            })
            .collect(),
        id: from.rule_id().map(Into::into),
        severity: from.severity().map(Into::into),
        source: from
            .source()
            .map(|(document, section)| (document.into(), section.map(Into::into))),
        tags: texts(from.tags()),
        agents: texts(from.agents()),
    }
}
