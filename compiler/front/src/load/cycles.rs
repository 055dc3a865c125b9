//! The order of the files, and the cycles in it.

use std::collections::HashMap;

use petgraph::algo::astar;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{DfsPostOrder, EdgeRef};

use ctr_grammar::Span;

use super::{Draft, Graph, Unit, UnitId};
use crate::diagnostic::Diagnostic;
use crate::ir::{Place, Source};

/// The most cycles that are reported; the rest is likely the same mistake.
const MAX_CYCLES: usize = 20;

/// A line that leads from one file to another.
#[derive(Clone, Copy)]
struct Line {
    verb: &'static str,
    span: Span,
}

/// Puts the units in the order of [`Graph::units`], reports cycles, and takes the lines that close
/// them out of the units.
pub(super) fn order(
    sources: Vec<Source>,
    drafts: Vec<Draft>,
    roots: &[usize],
    diagnostics: &mut Vec<Diagnostic>,
) -> Graph {
    let mut graph: DiGraph<(), Line> = DiGraph::with_capacity(drafts.len(), drafts.len());
    for _ in &drafts {
        graph.add_node(());
    }
    let node = |unit: UnitId| NodeIndex::new(unit.0 as usize);
    for (index, draft) in drafts.iter().enumerate() {
        let here = NodeIndex::new(index);
        // In order of the text, each file once.
        let imports = draft
            .unit
            .imports
            .iter()
            .map(|i| (i.unit, "imports", i.span));
        let includes = draft
            .unit
            .includes
            .iter()
            .map(|i| (i.unit, "includes", i.span));
        let mut lines: Vec<_> = imports.chain(includes).collect();
        lines.sort_by_key(|(_, _, span)| *span);
        for (to, verb, span) in lines {
            if graph.find_edge(here, node(to)).is_none() {
                graph.add_edge(here, node(to), Line { verb, span });
            }
        }
    }

    // Depth first: a file stands after all that it names. `position` is its place in that order; a
    // line closes a cycle exactly where it leads to a position that is not before its own.
    let mut positions: HashMap<NodeIndex, usize> = HashMap::new();
    let mut visited = Vec::with_capacity(drafts.len());
    if let Some(first) = roots.first() {
        let mut walk = DfsPostOrder::new(&graph, NodeIndex::new(*first));
        for root in roots {
            walk.move_to(NodeIndex::new(*root));
            while let Some(next) = walk.next(&graph) {
                positions.insert(next, visited.len());
                visited.push(next);
            }
        }
    }
    let closes = |from: NodeIndex, to: NodeIndex| match (positions.get(&from), positions.get(&to)) {
        (Some(from), Some(to)) => to >= from,
        _ => false,
    };

    let mut reported = 0;
    for edge in graph.edge_references() {
        if !closes(edge.source(), edge.target()) {
            continue;
        }
        reported += 1;
        if reported > MAX_CYCLES {
            break;
        }
        // The way back, and the line that closes it.
        let way = astar(
            &graph,
            edge.target(),
            |n| n == edge.source(),
            |_| 1_u32,
            |_| 0,
        );
        let mut nodes = way.map(|(_, nodes)| nodes).unwrap_or_default();
        nodes.push(edge.target());
        diagnostics.extend(report(&graph, &drafts, &nodes));
    }

    let new_id = |old: UnitId| {
        let position = positions.get(&node(old)).copied().unwrap_or(usize::MAX);
        UnitId(u32::try_from(position).unwrap_or(u32::MAX))
    };
    let mut slots: Vec<Option<Unit>> = drafts.into_iter().map(|d| Some(d.unit)).collect();
    let mut units = Vec::with_capacity(slots.len());
    for here in visited {
        let Some(mut unit) = slots.get_mut(here.index()).and_then(Option::take) else {
            continue;
        };
        let missing = &mut unit.missing;
        unit.imports.retain_mut(|import| {
            let kept = !closes(here, node(import.unit));
            if !kept {
                missing.push(std::mem::take(&mut import.alias));
            }
            import.unit = new_id(import.unit);
            kept
        });
        let before = unit.includes.len();
        unit.includes.retain_mut(|include| {
            let kept = !closes(here, node(include.unit));
            include.unit = new_id(include.unit);
            kept
        });
        unit.includes_incomplete |= unit.includes.len() < before;
        units.push(unit);
    }
    Graph {
        sources,
        units,
        roots: roots
            .iter()
            .filter_map(|root| u32::try_from(*root).ok())
            .map(|root| new_id(UnitId(root)))
            .collect(),
        has_errors: false,
    }
}

/// The finding for a cycle, given as its files with the first again at the end.
fn report(graph: &DiGraph<(), Line>, drafts: &[Draft], nodes: &[NodeIndex]) -> Option<Diagnostic> {
    let path = |n: NodeIndex| drafts.get(n.index()).map_or("", |d| d.unit.path.as_str());
    let mut labels = Vec::new();
    for pair in nodes.windows(2) {
        let &[from, to] = pair else { continue };
        let line = graph.edge_weight(graph.find_edge(from, to)?)?;
        let place = Place {
            source: drafts.get(from.index())?.unit.source,
            span: line.span,
        };
        labels.push((
            place,
            format!("`{}` {} `{}`", path(from), line.verb, path(to)),
        ));
    }
    let message = if labels.len() == 1 {
        format!("`{}` names itself", path(*nodes.first()?))
    } else {
        let way: Vec<String> = nodes.iter().map(|n| format!("`{}`", path(*n))).collect();
        format!("files lead to each other in a cycle: {}", way.join(" -> "))
    };
    let mut labels = labels.into_iter();
    let (place, text) = labels.next()?;
    let mut diagnostic = Diagnostic::error("E0206", message, place, text);
    for (place, text) in labels {
        diagnostic = diagnostic.with_label(place, text);
    }
    Some(diagnostic.with_help("move what both need into a file that names neither"))
}
