//! The tables of the library, each equal entry once.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::ir::{
    Atom, AtomId, Const, Expr, ExprId, Library, Pattern, PatternId, Regex, RegexId, Register,
    RegisterId, Tool, ToolId,
};

/// A table without equal entries; ids are positions.
#[derive(Clone, Debug)]
struct Table<T> {
    entries: Vec<T>,
    ids: FxHashMap<T, u32>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            ids: FxHashMap::default(),
        }
    }
}

impl<T: Clone + Eq + Hash> Table<T> {
    fn add(&mut self, entry: T) -> u32 {
        if let Some(id) = self.ids.get(&entry) {
            return *id;
        }
        let id = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        self.entries.push(entry.clone());
        self.ids.insert(entry, id);
        id
    }

    fn get(&self, id: u32) -> Option<&T> {
        self.entries.get(id as usize)
    }
}

/// All tables. Children of an expression are added before it, so that they stand before it.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    tools: Table<Tool>,
    regexes: Table<Regex>,
    exprs: Table<Expr>,
    patterns: Table<Pattern>,
    registers: Table<Register>,
    atoms: Table<Atom>,
}

impl Tables {
    pub(super) fn tool(&mut self, tool: Tool) -> ToolId {
        ToolId(self.tools.add(tool))
    }

    pub(super) fn regex(&mut self, regex: Regex) -> RegexId {
        RegexId(self.regexes.add(regex))
    }

    pub(super) fn expr(&mut self, expr: Expr) -> ExprId {
        ExprId(self.exprs.add(expr))
    }

    pub(super) fn constant(&mut self, value: Const) -> ExprId {
        self.expr(Expr::Const(value))
    }

    pub(super) fn pattern(&mut self, pattern: Pattern) -> PatternId {
        PatternId(self.patterns.add(pattern))
    }

    pub(super) fn register(&mut self, register: Register) -> RegisterId {
        RegisterId(self.registers.add(register))
    }

    pub(super) fn atom(&mut self, atom: Atom) -> AtomId {
        AtomId(self.atoms.add(atom))
    }

    pub(super) fn get_expr(&self, id: ExprId) -> Option<&Expr> {
        self.exprs.get(id.0)
    }

    pub(super) fn get_tool(&self, id: ToolId) -> Option<&Tool> {
        self.tools.get(id.0)
    }

    pub(super) fn get_pattern(&self, id: PatternId) -> Option<&Pattern> {
        self.patterns.get(id.0)
    }

    /// Hands the tables over to a library.
    pub(super) fn fill(self, library: &mut Library) {
        library.tools = self.tools.entries;
        library.regexes = self.regexes.entries;
        library.exprs = self.exprs.entries;
        library.patterns = self.patterns.entries;
        library.registers = self.registers.entries;
        library.atoms = self.atoms.entries;
    }
}
