//! The tables of the core IR in the artifact's terms.

use ctr_front::diagnostic::Diagnostic;
use ctr_front::ir;
use ctr_runtime::decimal::Decimal;
use ctr_runtime::format::model;
use sha2::{Digest, Sha256};

use crate::{codes, regexes, schema};

/// Everything but contracts and automata.
pub(crate) fn shared(
    library: &ir::Library,
    compiler: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> model::Model {
    let compile = |regex| regexes::compile(regex, library, diagnostics);
    let (regexes, parts): (Vec<_>, Vec<_>) = library.regexes.iter().map(compile).unzip();
    let mut model = model::Model {
        compiler: compiler.to_owned(),
        sources: library.sources.iter().map(source).collect(),
        tools: library
            .tools
            .iter()
            .map(|tool| model::Tool {
                server: tool.server.clone(),
                name: tool.name.clone(),
            })
            .collect(),
        declared: library.declared.iter().map(schema::declared).collect(),
        events: library.events.iter().map(|e| e.name.clone()).collect(),
        lookups: library
            .lookups
            .iter()
            .map(|lookup| model::Lookup {
                name: lookup.name.clone(),
                arity: lookup.arity,
            })
            .collect(),
        regexes,
        together: Vec::new(),
        exprs: library
            .exprs
            .iter()
            .map(|e| expr(e, library, diagnostics))
            .collect(),
        patterns: library.patterns.iter().map(pattern).collect(),
        registers: library.registers.iter().map(register).collect(),
        atoms: library
            .atoms
            .iter()
            .map(|atom| model::Atom {
                expr: atom.expr.0,
                text: atom.text.clone(),
                remedy: atom.remedy.clone(),
            })
            .collect(),
        automata: Vec::new(),
        contracts: Vec::new(),
    };
    model.together = regexes::together::tables(&model, &parts);
    model
}

/// A contract with the numbers of its automata.
pub(crate) fn contract(
    contract: &ir::Contract,
    assume: Option<u32>,
    guarantee: Option<u32>,
) -> model::Contract {
    model::Contract {
        name: contract.name.clone(),
        module: contract.module.clone(),
        doc: contract.doc.clone(),
        place: place(contract.place),
        keys: contract.keys.clone(),
        watch: model::Watch {
            calls: contract.watch.calls,
            returns: contract.watch.returns,
            inputs: contract.watch.inputs,
            outputs: contract.watch.outputs,
            events: contract.watch.events.iter().map(|id| id.0).collect(),
        },
        patterns: contract.patterns.iter().map(|id| id.0).collect(),
        clauses: contract
            .clauses
            .iter()
            .map(|clause| model::Clause {
                side: side(clause.side),
                text: clause.text.clone(),
                place: place(clause.place),
            })
            .collect(),
        deadlines: contract
            .clauses
            .iter()
            .flat_map(|clause| {
                clause.deadlines.iter().map(|deadline| model::Deadline {
                    side: side(clause.side),
                    trigger: deadline.trigger.0,
                    response: deadline.response.0,
                    within: deadline.within,
                    text: deadline.text.clone(),
                })
            })
            .collect(),
        assume,
        guarantee,
        action: match &contract.action.kind {
            ir::ActionKind::Block => model::Action::Block,
            ir::ActionKind::Warn => model::Action::Warn,
            ir::ActionKind::Escalate => model::Action::Escalate,
            ir::ActionKind::Redirect { tool, args } => model::Action::Redirect {
                tool: tool.0,
                args: args
                    .iter()
                    .map(|(name, value)| (name.clone(), value.0))
                    .collect(),
            },
            ir::ActionKind::Repair => model::Action::Repair,
        },
        message: contract
            .action
            .message
            .iter()
            .map(|part| match part {
                ir::MessagePart::Text(text) => model::MessagePart::Text(text.clone()),
                ir::MessagePart::Expr(id) => model::MessagePart::Expr(id.0),
            })
            .collect(),
        id: contract.id.clone(),
        severity: contract.severity.clone(),
        source: contract.source.clone(),
        tags: contract.tags.clone(),
        agents: contract.agents.clone(),
    }
}

fn source(source: &ir::Source) -> model::Source {
    let lines = std::iter::once(0)
        .chain(
            source
                .text
                .bytes()
                .enumerate()
                .filter(|(_, byte)| *byte == b'\n')
                .map(|(at, _)| offset(at + 1)),
        )
        .collect();
    model::Source {
        path: source.path.clone(),
        sha256: Sha256::digest(source.text.as_bytes()).into(),
        lines,
    }
}

/// Sources are limited to less than 4 GiB by the loader.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

fn place(place: ir::Place) -> model::Place {
    model::Place {
        source: place.source.0,
        start: place.span.start,
        end: place.span.end,
    }
}

fn side(side: ir::Side) -> model::Side {
    match side {
        ir::Side::Assume => model::Side::Assume,
        ir::Side::Guarantee => model::Side::Guarantee,
    }
}

fn ids(ids: &[ir::ExprId]) -> Vec<u32> {
    ids.iter().map(|id| id.0).collect()
}

fn expr(expr: &ir::Expr, library: &ir::Library, diagnostics: &mut Vec<Diagnostic>) -> model::Expr {
    match expr {
        ir::Expr::Const(value) => model::Expr::Const(constant(value, library, diagnostics)),
        ir::Expr::List(items) => model::Expr::List(ids(items)),
        ir::Expr::Root(root) => model::Expr::Root(self::root(*root)),
        ir::Expr::Path {
            base,
            steps,
            coerce,
        } => model::Expr::Path {
            base: base.0,
            steps: steps
                .iter()
                .map(|step| match step {
                    ir::Step::Field(name) => model::Step::Field(name.clone()),
                    ir::Step::Index(index) => model::Step::Index(*index),
                    ir::Step::All => model::Step::All,
                })
                .collect(),
            coerce: match coerce {
                ir::Coerce::None => model::Coerce::None,
                ir::Coerce::Number => model::Coerce::Number,
                ir::Coerce::Timestamp => model::Coerce::Timestamp,
                ir::Coerce::Duration => model::Coerce::Duration,
            },
        },
        ir::Expr::Not(a) => model::Expr::Not(a.0),
        ir::Expr::And(parts) => model::Expr::And(ids(parts)),
        ir::Expr::Or(parts) => model::Expr::Or(ids(parts)),
        ir::Expr::Iff(a, b) => model::Expr::Iff(a.0, b.0),
        ir::Expr::Compare(op, a, b) => model::Expr::Compare(compare(*op), a.0, b.0),
        ir::Expr::In(a, b) => model::Expr::In(a.0, b.0),
        ir::Expr::Matches(a, regex) => model::Expr::Matches(a.0, regex.0),
        ir::Expr::Like(a, b) => model::Expr::Like(a.0, b.0),
        ir::Expr::Contains(a, b) => model::Expr::Contains(a.0, b.0),
        ir::Expr::StartsWith(a, b) => model::Expr::StartsWith(a.0, b.0),
        ir::Expr::EndsWith(a, b) => model::Expr::EndsWith(a.0, b.0),
        ir::Expr::Inside(a, b) => model::Expr::Inside(a.0, b.0),
        ir::Expr::Has(a) => model::Expr::Has(a.0),
        ir::Expr::Coalesce(a, b) => model::Expr::Coalesce(a.0, b.0),
        ir::Expr::Every(list, body) => model::Expr::Every(list.0, body.0),
        ir::Expr::Some(list, body) => model::Expr::Some(list.0, body.0),
        ir::Expr::Add(a, b) => model::Expr::Add(a.0, b.0),
        ir::Expr::Sub(a, b) => model::Expr::Sub(a.0, b.0),
        ir::Expr::Mul(a, b) => model::Expr::Mul(a.0, b.0),
        ir::Expr::Neg(a) => model::Expr::Neg(a.0),
        ir::Expr::Call(function, args) => model::Expr::Call(self::function(*function), ids(args)),
        ir::Expr::Lookup(lookup, args) => model::Expr::Lookup(lookup.0, ids(args)),
        ir::Expr::Read { register, earlier } => model::Expr::Read {
            register: register.0,
            earlier: *earlier,
        },
        ir::Expr::Mentioned {
            register,
            value,
            earlier,
        } => model::Expr::Mentioned {
            register: register.0,
            value: value.0,
            earlier: *earlier,
        },
        ir::Expr::Fresh { register, within } => model::Expr::Fresh {
            register: register.0,
            within: *within,
        },
        ir::Expr::Pattern(pattern) => model::Expr::Pattern(pattern.0),
    }
}

fn constant(
    value: &ir::Const,
    library: &ir::Library,
    diagnostics: &mut Vec<Diagnostic>,
) -> model::Const {
    match value {
        ir::Const::Null => model::Const::Null,
        ir::Const::Bool(value) => model::Const::Bool(*value),
        ir::Const::Number(text) => match Decimal::parse(text) {
            Some(number) => model::Const::Number(number),
            None => {
                diagnostics.push(codes::number_does_not_fit(library, text));
                model::Const::Null
            }
        },
        ir::Const::Str(text) => model::Const::Str(text.clone()),
        ir::Const::Duration(nanos) => model::Const::Duration(*nanos),
        ir::Const::Timestamp(nanos) => model::Const::Timestamp(*nanos),
    }
}

fn root(root: ir::Root) -> model::Root {
    match root {
        ir::Root::Args => model::Root::Args,
        ir::Root::Result => model::Root::Result,
        ir::Root::Text => model::Root::Text,
        ir::Root::Fields => model::Root::Fields,
        ir::Root::Agent => model::Root::Agent,
        ir::Root::Server => model::Root::Server,
        ir::Root::Time => model::Root::Time,
        ir::Root::Turn => model::Root::Turn,
        ir::Root::Depth => model::Root::Depth,
        ir::Root::Tokens => model::Root::Tokens,
        ir::Root::Context => model::Root::Context,
        ir::Root::Key(n) => model::Root::Key(n),
        ir::Root::Var(n) => model::Root::Var(n),
    }
}

fn compare(op: ir::CompareOp) -> model::CompareOp {
    match op {
        ir::CompareOp::Eq => model::CompareOp::Eq,
        ir::CompareOp::Ne => model::CompareOp::Ne,
        ir::CompareOp::Lt => model::CompareOp::Lt,
        ir::CompareOp::Le => model::CompareOp::Le,
        ir::CompareOp::Gt => model::CompareOp::Gt,
        ir::CompareOp::Ge => model::CompareOp::Ge,
    }
}

fn function(function: ir::Function) -> model::Function {
    match function {
        ir::Function::Len => model::Function::Len,
        ir::Function::Text => model::Function::Text,
        ir::Function::Lower => model::Function::Lower,
        ir::Function::Upper => model::Function::Upper,
        ir::Function::Trim => model::Function::Trim,
        ir::Function::Number => model::Function::Number,
        ir::Function::Host => model::Function::Host,
        ir::Function::Abs => model::Function::Abs,
        ir::Function::Keys => model::Function::Keys,
        ir::Function::Timestamp => model::Function::Timestamp,
        ir::Function::Duration => model::Function::Duration,
    }
}

fn pattern(pattern: &ir::Pattern) -> model::Pattern {
    model::Pattern {
        kind: match pattern.kind {
            ir::EventKind::Call => model::EventKind::Call,
            ir::EventKind::Return(status) => {
                model::EventKind::Return(status.map(|status| match status {
                    ir::Status::Success => model::Status::Success,
                    ir::Status::Failure => model::Status::Failure,
                    ir::Status::Unknown => model::Status::Unknown,
                }))
            }
            ir::EventKind::Input => model::EventKind::Input,
            ir::EventKind::Output => model::EventKind::Output,
            ir::EventKind::Declared(id) => model::EventKind::Declared(id.0),
        },
        tools: match &pattern.tools {
            ir::Tools::Any => model::Tools::Any,
            ir::Tools::OneOf(tools) => model::Tools::OneOf(tools.iter().map(|t| t.0).collect()),
            ir::Tools::Except(tools) => model::Tools::Except(tools.iter().map(|t| t.0).collect()),
        },
        keys: ids(&pattern.keys),
        condition: pattern.condition.map(|id| id.0),
        text: pattern.text.clone(),
    }
}

fn register(register: &ir::Register) -> model::Register {
    model::Register {
        kind: match register.kind {
            ir::RegisterKind::Count => model::RegisterKind::Count,
            ir::RegisterKind::Streak => model::RegisterKind::Streak,
            ir::RegisterKind::Sum => model::RegisterKind::Sum,
            ir::RegisterKind::Min => model::RegisterKind::Min,
            ir::RegisterKind::Max => model::RegisterKind::Max,
            ir::RegisterKind::Latest => model::RegisterKind::Latest,
            ir::RegisterKind::First => model::RegisterKind::First,
            ir::RegisterKind::Values => model::RegisterKind::Values,
            ir::RegisterKind::Elapsed => model::RegisterKind::Elapsed,
            ir::RegisterKind::Texts => model::RegisterKind::Texts,
        },
        member: register.member.0,
        value: register.value.map(|id| id.0),
        window: register.window,
        keys: register.keys,
    }
}
