//! Asks a library for everything, and writes checksums.

use ctr_runtime::format::model::NodeRef;
use ctr_runtime::format::{
    ActionRef, ConstRef, ExprRef, KindClass, Library, MessagePartRef, StepRef, ToolsRef, decode,
};

/// Asks for everything that a library can tell, also for what is out of range.
pub fn walk(library: &Library<'_>) -> usize {
    let model = decode(library);
    let mut seen = model.exprs.len();
    for id in (0..library.expr_count() + 2).chain([u32::MAX]) {
        match library.expr(id) {
            ExprRef::Const(ConstRef::Str(text)) => seen += text.len(),
            ExprRef::Path { steps, .. } => {
                seen += steps
                    .iter()
                    .map(|step| match step {
                        StepRef::Field(name) => name.len(),
                        StepRef::Index(_) | StepRef::All => 1,
                    })
                    .sum::<usize>();
            }
            ExprRef::Call(_, ids) | ExprRef::List(ids) => seen += ids.iter().count(),
            _ => seen += 1,
        }
    }
    for id in (0..library.pattern_count() + 2).chain([u32::MAX]) {
        let pattern = library.pattern(id);
        seen += pattern.text().len() + pattern.keys.len();
        if let ToolsRef::OneOf(list) | ToolsRef::Except(list) = pattern.tools {
            seen += usize::from(list.contains_sorted(1));
        }
    }
    for id in (0..library.contract_count() + 2).chain([u32::MAX]) {
        let contract = library.contract(id);
        seen += contract.name().len() + contract.keys().len() + contract.tags().len();
        seen += contract.message().count();
        if let ActionRef::Redirect { args, .. } = contract.action() {
            seen += args.iter().count();
        }
        let _ = contract
            .message()
            .filter(|part| matches!(part, MessagePartRef::Text(_)))
            .count();
    }
    for id in (0..library.automaton_count()).chain([u32::MAX]) {
        let automaton = library.automaton(id);
        for state in 0..automaton.state_count() {
            // Follows each decision both ways.
            let mut open = vec![automaton.state(state).root];
            let mut steps = 0;
            while let Some(NodeRef::Node(node)) = open.pop() {
                let node = automaton.node(node);
                assert!(node.atom < library.atom_count());
                open.extend([node.low, node.high]);
                steps += 1;
                if steps > 1000 {
                    break;
                }
            }
        }
        seen += automaton.states().len();
    }
    for id in (0..library.source_count()).chain([u32::MAX]) {
        for offset in [0, 1, 10, 24, 25, 1000, u32::MAX] {
            let (line, column) = library.source(id).line_col(offset);
            assert!(line > 0 && column > 0);
        }
    }
    let tools: Vec<u32> = (0..library.tool_count() + 2).chain([u32::MAX]).collect();
    let mut kinds = vec![
        KindClass::Call,
        KindClass::Return,
        KindClass::Input,
        KindClass::Output,
        KindClass::Declared(u32::MAX),
    ];
    kinds.extend((0..library.event_count() + 1).map(KindClass::Declared));
    for kind in kinds {
        let dispatch = library.dispatch(kind, &tools);
        for ids in [
            dispatch.contracts().collect::<Vec<_>>(),
            dispatch.restless().collect(),
        ] {
            assert!(ids.is_sorted_by(|a, b| a < b));
            assert!(ids.iter().all(|id| *id < library.contract_count()));
        }
        assert!(dispatch.registers().all(|id| id < library.register_count()));
        assert!(dispatch.deadlines().all(|id| id < library.deadline_count()));
    }
    for id in (0..library.tool_count()).chain([u32::MAX]) {
        let tool = library.tool(id);
        if id < library.tool_count() {
            assert!(library.tools_named(tool.name).contains(&id));
            assert!(tool.server.is_none_or(|server| library.has_server(server)));
        }
    }
    for id in (0..library.regex_count()).chain([u32::MAX]) {
        for text in ["", "BEGIN RSA KEY", "é", "aéb", "\u{0}\n"] {
            seen += usize::from(
                library
                    .regex(id)
                    .and_then(|regex| regex.is_match(text))
                    .unwrap_or_default(),
            );
        }
    }
    seen + library.compiler().len()
}
