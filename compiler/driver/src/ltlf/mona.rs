//! A formula as a program for MONA, for comparison: the first-order reading of the operators, as in
//! De Giacomo and Vardi, "Linear Temporal Logic and Linear Dynamic Logic on Finite Traces"
//! (IJCAI 2013), section 3, and as LTLf2DFA writes it.
//!
//! It is written from the text as it stands. Nothing of the engine is used but the reader, so that
//! MONA's automaton says something about all the rest.

use super::lexer::{Binary, Prefix};
use super::parser::{Document, read};
use super::tree::{Node, NodeId};
use super::{Kind, SyntaxError};
use std::collections::HashSet;
use std::fmt::Write as _;

/// A program for MONA.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mona {
    /// The text: `m2l-str`, a second-order variable for each atom (the steps at which it is true),
    /// the demand that there is a step, and the formula at step 0. Several formulas are conjoined.
    pub program: String,
    /// The name of each atom's variable, by the number of the atom. MONA lists the tracks of its
    /// automaton in this order.
    pub variables: Vec<String>,
    /// The name of each atom in the text, by its number.
    pub atoms: Vec<String>,
}

/// Reads a text and writes it for MONA.
///
/// # Errors
///
/// The first place where the text is not of this syntax.
pub fn mona(text: &str, kind: Kind) -> Result<Mona, SyntaxError> {
    let Document {
        tree, atoms, roots, ..
    } = read(text, kind)?;
    let variables = variables(&atoms);
    let mut program = String::from("m2l-str;\n");
    for (atom, variable) in atoms.iter().zip(&variables) {
        if atom != variable {
            let _ = writeln!(program, "# {variable} stands for {atom:?}");
        }
    }
    if !variables.is_empty() {
        let _ = writeln!(program, "var2 {};", variables.join(", "));
    }
    // Without it, the empty string would be a trace.
    program.push_str("0 in $;\n");
    let mut tasks: Vec<Task> = Vec::new();
    for root in &roots {
        if !root.name.is_empty() {
            // A quoted name may hold anything, the end of the comment included.
            let _ = writeln!(program, "# {}", root.name.escape_debug());
        }
        tasks.push(Task::Node(root.node, At::START));
        while let Some(task) = tasks.pop() {
            match task {
                Task::Text(text) => program.push_str(text),
                Task::Line(text) => program.push_str(&text),
                Task::Node(id, at) => {
                    let parts = match tree.node(id) {
                        Node::Constant(value) => vec![Task::Line(value.to_string())],
                        Node::Atom(number) => {
                            let variable = variables.get(number as usize);
                            let variable = variable.map_or("?", String::as_str);
                            vec![Task::Line(format!("{at} in {variable}"))]
                        }
                        Node::Prefix(operator, f) => prefix(operator, f, at),
                        Node::Binary(operator, a, b) => binary(operator, a, b, at),
                        Node::Chain(operator, start, len) => {
                            let between = match operator {
                                Binary::And => " & ",
                                _ => " | ",
                            };
                            let mut parts = vec![Task::Text("(")];
                            for (i, &member) in tree.members(start, len).iter().enumerate() {
                                if i > 0 {
                                    parts.push(Task::Text(between));
                                }
                                parts.push(Task::Node(member, at));
                            }
                            parts.push(Task::Text(")"));
                            parts
                        }
                    };
                    tasks.extend(parts.into_iter().rev());
                }
            }
        }
        program.push_str(";\n");
    }
    Ok(Mona {
        program,
        variables,
        atoms,
    })
}

/// What is left to write.
enum Task {
    Text(&'static str),
    Line(String),
    /// A formula at a position.
    Node(NodeId, At),
}

/// A position: the first step, or a first-order variable. Its number is its depth of quantifiers.
#[derive(Clone, Copy)]
struct At(u32);

impl At {
    const START: Self = Self(0);

    /// The variable that the next quantifier binds.
    fn inner(self) -> Self {
        Self(self.0 + 1)
    }
}

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            0 => f.write_str("0"),
            n => write!(f, "p{n}"),
        }
    }
}

fn prefix(operator: Prefix, f: NodeId, at: At) -> Vec<Task> {
    let q = at.inner();
    let opening = match operator {
        Prefix::Not => return vec![Task::Text("~("), Task::Node(f, at), Task::Text(")")],
        Prefix::Next => format!("(ex1 {q}: {q} = {at} + 1 & "),
        Prefix::WeakNext => format!("(all1 {q}: {q} = {at} + 1 => "),
        Prefix::Eventually => format!("(ex1 {q}: {at} <= {q} & "),
        Prefix::Always => format!("(all1 {q}: {at} <= {q} => "),
        Prefix::Previously => format!("(ex1 {q}: {at} = {q} + 1 & "),
        Prefix::WeakPreviously => format!("(all1 {q}: {at} = {q} + 1 => "),
        Prefix::Once => format!("(ex1 {q}: {q} <= {at} & "),
        Prefix::Historically => format!("(all1 {q}: {q} <= {at} => "),
    };
    vec![Task::Line(opening), Task::Node(f, q), Task::Text(")")]
}

fn binary(operator: Binary, a: NodeId, b: NodeId, at: At) -> Vec<Task> {
    let (q, r) = (at.inner(), at.inner().inner());
    // Outer quantifier, what holds at its position, inner quantifier, what holds at its position.
    let (outer, first, inner, second) = match operator {
        Binary::Iff | Binary::Implies | Binary::And | Binary::Or => {
            let between = match operator {
                Binary::Iff => " <=> ",
                Binary::Implies => " => ",
                Binary::And => " & ",
                _ => " | ",
            };
            return vec![
                Task::Text("("),
                Task::Node(a, at),
                Task::Text(between),
                Task::Node(b, at),
                Task::Text(")"),
            ];
        }
        Binary::Until => (
            format!("(ex1 {q}: {at} <= {q} & "),
            b,
            format!(" & (all1 {r}: {at} <= {r} & {r} < {q} => "),
            a,
        ),
        Binary::StrongRelease => (
            format!("(ex1 {q}: {at} <= {q} & "),
            a,
            format!(" & (all1 {r}: {at} <= {r} & {r} <= {q} => "),
            b,
        ),
        Binary::Release => (
            format!("(all1 {q}: {at} <= {q} => ("),
            b,
            format!(" | (ex1 {r}: {at} <= {r} & {r} < {q} & "),
            a,
        ),
        Binary::WeakUntil => (
            format!("(all1 {q}: {at} <= {q} => ("),
            a,
            format!(" | (ex1 {r}: {at} <= {r} & {r} <= {q} & "),
            b,
        ),
        Binary::Since => (
            format!("(ex1 {q}: {q} <= {at} & "),
            b,
            format!(" & (all1 {r}: {q} < {r} & {r} <= {at} => "),
            a,
        ),
        Binary::Triggered => (
            format!("(all1 {q}: {q} <= {at} => ("),
            b,
            format!(" | (ex1 {r}: {q} < {r} & {r} <= {at} & "),
            a,
        ),
    };
    let closing = if outer.ends_with('(') { ")))" } else { "))" };
    vec![
        Task::Line(outer),
        Task::Node(first, q),
        Task::Line(inner),
        Task::Node(second, r),
        Task::Text(closing),
    ]
}

/// MONA's words that an atom may be called by.
const RESERVED: &[&str] = &[
    "all0",
    "all1",
    "all2",
    "allpos",
    "assert",
    "const",
    "const_tree",
    "defaultwhere1",
    "defaultwhere2",
    "empty",
    "ex0",
    "ex1",
    "ex2",
    "execute",
    "export",
    "false",
    "guide",
    "import",
    "in",
    "in_state_space",
    "include",
    "inter",
    "lastpos",
    "let0",
    "let1",
    "let2",
    "linear",
    "m2l",
    "macro",
    "max",
    "min",
    "notin",
    "pconst",
    "pred",
    "prefix",
    "restrict",
    "root",
    "sometype",
    "sub",
    "succ",
    "tree",
    "tree_root",
    "true",
    "type",
    "union",
    "universe",
    "var0",
    "var1",
    "var2",
    "variant",
    "verify",
    "where",
    "ws1s",
    "ws2s",
];

/// A variable for each atom: its own name where MONA can read it and no position is called so.
fn variables(atoms: &[String]) -> Vec<String> {
    let is_position = |name: &str| {
        name.strip_prefix('p')
            .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit()))
    };
    let fits = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !is_position(name)
            && !RESERVED.contains(&name)
    };
    let mut taken: HashSet<String> = atoms.iter().filter(|name| fits(name)).cloned().collect();
    atoms
        .iter()
        .enumerate()
        .map(|(number, name)| {
            if fits(name) {
                return name.clone();
            }
            let letters = name.chars().map(|c| match c {
                c if c.is_ascii_alphanumeric() => c,
                _ => '_',
            });
            let mut made: String = format!("A{number}_").chars().chain(letters).collect();
            while !taken.insert(made.clone()) {
                made.push('_');
            }
            made
        })
        .collect()
}
