//! An artifact's content as JSON, for `ctrc build --emit json` and `ctrc inspect --format json`.

use ctr_runtime::format::model as m;
use serde_json::{Value, json};

/// The content as one JSON object. Formulas are gone; what is left is what the runtime executes.
#[must_use]
pub fn model_to_json(model: &m::Model) -> Value {
    json!({
        "compiler": model.compiler,
        "sources": model.sources.iter().map(|s| json!({
            "path": s.path,
            "sha256": hex(&s.sha256),
            "lines": s.lines.len(),
        })).collect::<Vec<_>>(),
        "tools": model.tools.iter().map(tool).collect::<Vec<_>>(),
        "declared": model.declared.iter().map(|t| json!({
            "server": t.server,
            "name": t.name,
            "input": t.input.as_deref().and_then(|text| serde_json::from_str::<Value>(text).ok()),
        })).collect::<Vec<_>>(),
        "events": model.events,
        "lookups": model.lookups.iter().map(|l| json!({"name": l.name, "arity": l.arity})).collect::<Vec<_>>(),
        "regexes": model.regexes.iter().map(|r| json!({"pattern": r.pattern, "program_bytes": r.program.len(), "ecma": r.ecma})).collect::<Vec<_>>(),
        "expressions": model.exprs.iter().map(|e| format!("{e:?}")).collect::<Vec<_>>(),
        "patterns": model.patterns.iter().map(|p| json!({
            "text": p.text,
            "kind": format!("{:?}", p.kind),
            "tools": format!("{:?}", p.tools),
            "keys": p.keys,
            "condition": p.condition,
        })).collect::<Vec<_>>(),
        "registers": model.registers.iter().map(|r| json!({
            "kind": format!("{:?}", r.kind),
            "member": r.member,
            "value": r.value,
            "window_ns": r.window,
            "keys": r.keys,
        })).collect::<Vec<_>>(),
        "atoms": model.atoms.iter().map(|a| json!({"text": a.text, "expression": a.expr})).collect::<Vec<_>>(),
        "automata": model.automata.iter().map(automaton).collect::<Vec<_>>(),
        "contracts": model.contracts.iter().map(|c| contract(model, c)).collect::<Vec<_>>(),
    })
}

fn tool(tool: &m::Tool) -> Value {
    json!({"server": tool.server, "name": tool.name})
}

fn automaton(automaton: &m::Automaton) -> Value {
    json!({
        "initial": automaton.initial,
        "states": automaton.states.iter().map(|s| json!({
            "label": label(s.label),
            "idle": s.idle,
            "root": node_ref(s.root),
        })).collect::<Vec<_>>(),
        "nodes": automaton.nodes.iter().map(|n| json!({
            "atom": n.atom,
            "low": node_ref(n.low),
            "high": node_ref(n.high),
        })).collect::<Vec<_>>(),
    })
}

fn label(label: m::Label) -> &'static str {
    match label {
        m::Label::SatisfiedForGood => "satisfied_for_good",
        m::Label::Satisfied => "satisfied",
        m::Label::Pending => "pending",
        m::Label::ViolatedForGood => "violated_for_good",
    }
}

fn node_ref(node: m::NodeRef) -> Value {
    match node {
        m::NodeRef::State(state) => json!({"state": state}),
        m::NodeRef::Node(node) => json!({"node": node}),
    }
}

fn contract(model: &m::Model, contract: &m::Contract) -> Value {
    let line = model
        .sources
        .get(contract.place.source as usize)
        .map(|source| {
            source
                .lines
                .partition_point(|start| *start <= contract.place.start)
        });
    json!({
        "name": contract.name,
        "module": contract.module,
        "doc": contract.doc,
        "source": model.sources.get(contract.place.source as usize).map(|s| s.path.as_str()),
        "line": line,
        "keys": contract.keys,
        "watch": {
            "calls": contract.watch.calls,
            "returns": contract.watch.returns,
            "inputs": contract.watch.inputs,
            "outputs": contract.watch.outputs,
            "events": contract.watch.events.iter().filter_map(|e| model.events.get(*e as usize)).collect::<Vec<_>>(),
        },
        "clauses": contract.clauses.iter().map(|c| json!({
            "side": match c.side { m::Side::Assume => "assume", m::Side::Guarantee => "guarantee" },
            "text": c.text,
        })).collect::<Vec<_>>(),
        "deadlines": contract.deadlines.iter().map(|d| json!({
            "side": match d.side { m::Side::Assume => "assume", m::Side::Guarantee => "guarantee" },
            "text": d.text,
            "within_ns": d.within,
        })).collect::<Vec<_>>(),
        "assume": contract.assume,
        "guarantee": contract.guarantee,
        "action": match &contract.action {
            m::Action::Block => json!("block"),
            m::Action::Warn => json!("warn"),
            m::Action::Escalate => json!("escalate"),
            m::Action::Redirect { tool: id, args } => json!({
                "redirect": model.tools.get(*id as usize).map(tool),
                "args": args.iter().map(|(name, value)| json!({"name": name, "expression": value})).collect::<Vec<_>>(),
            }),
            m::Action::Repair => json!("repair"),
        },
        "message": contract.message.iter().map(|part| match part {
            m::MessagePart::Text(text) => json!(text),
            m::MessagePart::Expr(id) => json!({"expression": id}),
        }).collect::<Vec<_>>(),
        "id": contract.id,
        "severity": contract.severity,
        "cites": contract.source.as_ref().map(|(document, section)| json!({"document": document, "section": section})),
        "tags": contract.tags,
        "agents": contract.agents,
    })
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}
