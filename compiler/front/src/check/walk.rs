//! Walks over expressions of the syntax tree.

pub(super) use ctr_grammar::walk::walk;
