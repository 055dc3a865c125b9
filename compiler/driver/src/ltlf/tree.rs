//! The formula as it is written, before any folding: what is read once and then built into an
//! arena, written for another engine, or cut into its conjuncts.

use super::lexer::{Binary, Prefix, Time};
use ctr_logic::{Arena, Formula};
use std::ops::Range;

/// The place of a node in its tree; parts come before the whole.
pub(super) type NodeId = u32;

/// A node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Constant(bool),
    Atom(u32),
    Prefix(Prefix, NodeId),
    /// Any binary operator but `&` and `|`.
    Binary(Binary, NodeId, NodeId),
    /// A chain of `&` or `|`: a range of the tree's pool.
    Chain(Binary, u32, u32),
}

/// Nodes, each after its parts, so that one walk along them needs no recursion.
#[derive(Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// Where each node stands in the text, without parentheses around it.
    spans: Vec<Range<usize>>,
    pool: Vec<NodeId>,
}

impl Tree {
    pub(super) fn push(&mut self, node: Node, span: Range<usize>) -> NodeId {
        let id = self.nodes.len() as NodeId;
        self.nodes.push(node);
        self.spans.push(span);
        id
    }

    pub(super) fn push_chain(
        &mut self,
        of: Binary,
        members: &[NodeId],
        span: Range<usize>,
    ) -> NodeId {
        let start = self.pool.len() as u32;
        self.pool.extend_from_slice(members);
        self.push(Node::Chain(of, start, members.len() as u32), span)
    }

    pub(super) fn node(&self, id: NodeId) -> Node {
        self.nodes
            .get(id as usize)
            .copied()
            .unwrap_or(Node::Constant(true))
    }

    pub(super) fn span(&self, id: NodeId) -> Range<usize> {
        self.spans.get(id as usize).cloned().unwrap_or_default()
    }

    /// The members of a chain.
    pub(super) fn members(&self, start: u32, len: u32) -> &[NodeId] {
        self.pool
            .get(start as usize..(start + len) as usize)
            .unwrap_or(&[])
    }

    /// The conjuncts of a node: those of its chains of `&`, through parentheses; itself where it
    /// is no conjunction.
    pub(super) fn conjuncts(&self, root: NodeId) -> Vec<NodeId> {
        let mut found = Vec::new();
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            match self.node(id) {
                Node::Chain(Binary::And, start, len) => {
                    stack.extend(self.members(start, len).iter().rev());
                }
                _ => found.push(id),
            }
        }
        found
    }

    /// The first node whose operator is of the past with a future operator under it, and the first
    /// such operator.
    pub(super) fn future_under_past(&self) -> Option<(NodeId, NodeId)> {
        // For each node the first of its parts, or itself, whose operator is of the future.
        let mut futures: Vec<Option<NodeId>> = Vec::with_capacity(self.nodes.len());
        for (id, &node) in self.nodes.iter().enumerate() {
            let of = |part: NodeId| futures.get(part as usize).copied().flatten();
            let (below, time) = match node {
                Node::Constant(_) | Node::Atom(_) => (None, None),
                Node::Prefix(operator, f) => (of(f), operator.time()),
                Node::Binary(operator, a, b) => (of(a).or_else(|| of(b)), operator.time()),
                Node::Chain(_, start, len) => {
                    let members = self.members(start, len);
                    (members.iter().find_map(|&member| of(member)), None)
                }
            };
            if let (Some(Time::Past), Some(future)) = (time, below) {
                return Some((id as NodeId, future));
            }
            futures.push(match time {
                Some(Time::Future) => Some(id as NodeId),
                _ => below,
            });
        }
        None
    }

    /// The formula of each node.
    pub(super) fn build(&self, arena: &mut Arena) -> Vec<Formula> {
        let mut built: Vec<Formula> = Vec::with_capacity(self.nodes.len());
        let mut members: Vec<Formula> = Vec::new();
        let tt = arena.tt();
        for &node in &self.nodes {
            let of = |id: NodeId| built.get(id as usize).copied().unwrap_or(tt);
            let formula = match node {
                Node::Constant(true) => tt,
                Node::Constant(false) => arena.ff(),
                Node::Atom(number) => arena.atom(number),
                Node::Prefix(operator, f) => prefix(arena, operator, of(f)),
                Node::Binary(operator, a, b) => binary(arena, operator, of(a), of(b)),
                Node::Chain(operator, start, len) => {
                    members.clear();
                    members.extend(self.members(start, len).iter().map(|&id| of(id)));
                    match operator {
                        Binary::And => arena.and(&members),
                        _ => arena.or(&members),
                    }
                }
            };
            built.push(formula);
        }
        built
    }
}

fn prefix(arena: &mut Arena, operator: Prefix, f: Formula) -> Formula {
    match operator {
        Prefix::Not => arena.not(f),
        Prefix::Next => arena.next(f),
        Prefix::WeakNext => arena.weak_next(f),
        Prefix::Eventually => arena.eventually(f),
        Prefix::Always => arena.always(f),
        Prefix::Previously => arena.previously(f),
        Prefix::WeakPreviously => arena.weak_previously(f),
        Prefix::Once => arena.once(f),
        Prefix::Historically => arena.historically(f),
    }
}

fn binary(arena: &mut Arena, operator: Binary, a: Formula, b: Formula) -> Formula {
    match operator {
        Binary::Iff => arena.iff(a, b),
        Binary::Implies => arena.implies(a, b),
        Binary::Or => arena.or(&[a, b]),
        Binary::And => arena.and(&[a, b]),
        Binary::Until => arena.until(a, b),
        Binary::Release => arena.release(a, b),
        Binary::WeakUntil => arena.unless(a, b),
        Binary::StrongRelease => arena.strong_release(a, b),
        Binary::Since => arena.since(a, b),
        Binary::Triggered => arena.triggered(a, b),
    }
}
