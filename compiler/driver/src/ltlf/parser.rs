//! The reader: operator precedence with stacks of its own, so that no nesting can exhaust the call
//! stack.

use super::Kind;
use super::lexer::{Binary, Lexer, Prefix, Token};
use super::notes::notes;
use super::steps::shown;
use super::tree::{Node, NodeId, Tree};
use ctr_logic::{Arena, Formula};
use rustc_hash::FxHashMap;
use std::fmt;
use std::ops::Range;

/// A text that is not a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Byte offset in the text.
    pub offset: usize,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong, in plain words.
    pub message: String,
}

impl SyntaxError {
    pub(super) fn new(text: &str, offset: usize, message: impl Into<String>) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        let line = before.matches('\n').count() + 1;
        let column = before.get(line_start..).unwrap_or("").chars().count() + 1;
        Self {
            offset,
            line,
            column,
            message: message.into(),
        }
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for SyntaxError {}

/// A formula and the name that the file gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name; empty in syntaxes without names.
    pub name: String,
    /// The formula.
    pub formula: Formula,
    /// Where the formula stands in the text, in bytes, without parentheses around it.
    pub span: Range<usize>,
    /// The line where it begins, from 1.
    pub line: usize,
}

/// What a file says: formulas over named atoms, to be conjoined.
#[derive(Debug)]
pub struct Problem {
    /// Holds the formulas.
    pub arena: Arena,
    /// The name of each atom, by its number; numbers follow the first mention.
    pub atoms: Vec<String>,
    /// The formulas, at least one.
    pub formulas: Vec<Named>,
    /// What the file conjoins: the formulas where they have names, else the conjuncts of the one
    /// formula, called `c1`, `c2` and so on.
    pub members: Vec<Named>,
    /// What may be meant otherwise than it is read: atoms that look like operators.
    pub notes: Vec<String>,
    tree: Tree,
}

impl Problem {
    /// The conjunction of all formulas.
    pub fn conjunction(&mut self) -> Formula {
        let members: Vec<Formula> = self.formulas.iter().map(|named| named.formula).collect();
        self.arena.and(&members)
    }

    /// Where the text, from which this was read, has a future operator under a past one: the
    /// spans of the past operator's formula and of the future one's.
    #[must_use]
    pub fn future_under_past(&self) -> Option<(Range<usize>, Range<usize>)> {
        let (past, future) = self.tree.future_under_past()?;
        Some((self.tree.span(past), self.tree.span(future)))
    }

    /// The name of an atom.
    pub fn atom_name(&self, atom: u32) -> &str {
        self.atoms.get(atom as usize).map_or("?", String::as_str)
    }
}

/// Reads a text.
///
/// # Errors
///
/// The first place where the text is not of this syntax.
pub fn parse(text: &str, kind: Kind) -> Result<Problem, SyntaxError> {
    let Document {
        tree,
        atoms,
        quoted,
        roots,
    } = read(text, kind)?;
    let notes = notes(&atoms, &quoted, kind);
    let mut arena = Arena::new();
    let built = tree.build(&mut arena);
    let tt = arena.tt();
    // Formulas follow each other in the text, so lines are counted in one go.
    let mut counted = (0, 1);
    let mut named = |name: String, id: NodeId| {
        let span = tree.span(id);
        let between = text.get(counted.0..span.start).unwrap_or("");
        counted = (span.start, counted.1 + between.matches('\n').count());
        Named {
            name,
            formula: built.get(id as usize).copied().unwrap_or(tt),
            span,
            line: counted.1,
        }
    };
    let members: Vec<Named> = match roots.as_slice() {
        [only] if !kind.is_named() => tree
            .conjuncts(only.node)
            .into_iter()
            .enumerate()
            .map(|(index, id)| named(format!("c{}", index + 1), id))
            .collect(),
        roots => roots
            .iter()
            .map(|root| named(root.name.clone(), root.node))
            .collect(),
    };
    let formulas = match roots.as_slice() {
        [only] if !kind.is_named() => vec![Named {
            name: String::new(),
            formula: built.get(only.node as usize).copied().unwrap_or(tt),
            span: tree.span(only.node),
            line: members.first().map_or(1, |first| first.line),
        }],
        _ => members.clone(),
    };
    Ok(Problem {
        arena,
        atoms,
        formulas,
        members,
        notes,
        tree,
    })
}

/// A text as it is written.
pub(super) struct Document {
    pub(super) tree: Tree,
    /// The name of each atom, by its number.
    pub(super) atoms: Vec<String>,
    /// Whether an atom stands in quotes somewhere, by its number.
    pub(super) quoted: Vec<bool>,
    /// The formulas in order, at least one.
    pub(super) roots: Vec<Root>,
}

/// A formula of a text; its name is empty in syntaxes without names.
pub(super) struct Root {
    pub(super) name: String,
    pub(super) node: NodeId,
}

/// Reads a text as it is written.
pub(super) fn read(text: &str, kind: Kind) -> Result<Document, SyntaxError> {
    let mut reader = Reader {
        text,
        lexer: Lexer::new(text, kind),
        tree: Tree::default(),
        atoms: Vec::new(),
        quoted: Vec::new(),
        numbers: FxHashMap::default(),
        names: FxHashMap::default(),
    };
    let mut roots = Vec::new();
    if kind.is_named() {
        while let Some(named) = reader.named()? {
            roots.push(named);
        }
        if roots.is_empty() {
            return Err(SyntaxError::new(
                text,
                text.len(),
                "there is no formula here",
            ));
        }
    } else {
        roots.push(Root {
            name: String::new(),
            node: reader.formula(None)?,
        });
    }
    Ok(Document {
        tree: reader.tree,
        atoms: reader.atoms,
        quoted: reader.quoted,
        roots,
    })
}

/// A pending operator.
#[derive(Clone, Copy)]
enum Pending {
    /// An operator before its operand, and where.
    Prefix(Prefix, usize),
    Binary(Binary),
    /// An open parenthesis, and where.
    Open(usize),
}

/// A finished operand and where it stands, parentheses included.
struct Operand {
    part: Part,
    span: Range<usize>,
}

/// Members of a chain of `&` or `|` are kept apart, to be joined at once.
enum Part {
    One(NodeId),
    Chain(Binary, Vec<NodeId>),
}

struct Reader<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    tree: Tree,
    atoms: Vec<String>,
    quoted: Vec<bool>,
    numbers: FxHashMap<&'a str, u32>,
    /// Where each name of a formula stands.
    names: FxHashMap<&'a str, usize>,
}

impl<'a> Reader<'a> {
    fn error<T>(&self, offset: usize, message: impl Into<String>) -> Result<T, SyntaxError> {
        Err(SyntaxError::new(self.text, offset, message))
    }

    /// `name := formula` and its end; `None` at the end of the text.
    fn named(&mut self) -> Result<Option<Root>, SyntaxError> {
        let (at, name) = loop {
            match self.lexer.next()? {
                None => return Ok(None),
                Some((_, Token::End)) => {}
                Some((offset, Token::Atom(name))) => break (offset, name),
                Some((offset, _)) => {
                    return self.error(offset, "a name should stand here, as in `name := formula`");
                }
            }
        };
        let end = self.text.len();
        match self.lexer.next()? {
            Some((_, Token::Assign)) => {}
            other => {
                let offset = other.map_or(end, |(offset, _)| offset);
                return self.error(offset, format!("`:=` should follow the name `{name}`"));
            }
        }
        if let Some(first) = self.names.insert(name, at) {
            let line = SyntaxError::new(self.text, first, "").line;
            return self.error(
                at,
                format!(
                    "`{}` is the name of the formula on line {line} already",
                    shown(name)
                ),
            );
        }
        let node = self.formula(Some(Token::End))?;
        Ok(Some(Root {
            name: name.to_owned(),
            node,
        }))
    }

    /// A formula up to the token that ends it, or to the end of the text.
    fn formula(&mut self, stop: Option<Token<'_>>) -> Result<NodeId, SyntaxError> {
        let mut operators: Vec<Pending> = Vec::new();
        let mut operands: Vec<Operand> = Vec::new();
        let mut want_operand = true;
        loop {
            let (offset, token) = match self.lexer.next()? {
                Some((_, token))
                    if Some(token) == stop && !(want_operand || unclosed(&operators)) =>
                {
                    break;
                }
                Some((offset, token)) if Some(token) == stop => (offset, None),
                Some((offset, token)) => (offset, Some(token)),
                None if want_operand || unclosed(&operators) => (self.text.len(), None),
                None => break,
            };
            let Some(token) = token else {
                let open = operators.iter().rev().find_map(|operator| match operator {
                    Pending::Open(at) => Some(*at),
                    _ => None,
                });
                return match open {
                    _ if want_operand => {
                        self.error(offset, "the formula ends where an operand should stand")
                    }
                    Some(at) => self.error(at, "this parenthesis is never closed"),
                    None => self.error(offset, "the formula is not complete"),
                };
            };
            match (want_operand, token) {
                (true, Token::Prefix(operator)) => {
                    operators.push(Pending::Prefix(operator, offset));
                }
                (true, Token::Open) => operators.push(Pending::Open(offset)),
                (true, Token::True | Token::False | Token::Atom(_)) => {
                    let node = match token {
                        Token::Atom(name) => Node::Atom(self.atom(name, offset)),
                        other => Node::Constant(other == Token::True),
                    };
                    let span = offset..self.lexer.offset();
                    operands.push(Operand {
                        part: Part::One(self.tree.push(node, span.clone())),
                        span,
                    });
                    want_operand = false;
                }
                (true, _) => {
                    return self.error(
                        offset,
                        "an atom, an operator before its operand or `(` should stand here",
                    );
                }
                (false, Token::Binary(operator)) => {
                    self.reduce(&mut operators, &mut operands, |pending| match pending {
                        Pending::Prefix(..) => true,
                        Pending::Binary(before) => {
                            let (left, right) = (strength(before), strength(operator));
                            left > right || left == right && !is_right_associative(operator)
                        }
                        Pending::Open(_) => false,
                    });
                    operators.push(Pending::Binary(operator));
                    want_operand = true;
                }
                (false, Token::Close) => {
                    self.reduce(&mut operators, &mut operands, |pending| {
                        !matches!(pending, Pending::Open(_))
                    });
                    let Some(Pending::Open(open)) = operators.pop() else {
                        return self.error(offset, "this `)` closes nothing");
                    };
                    if let Some(operand) = operands.pop() {
                        let part = Part::One(self.join(operand));
                        let span = open..self.lexer.offset();
                        operands.push(Operand { part, span });
                    }
                }
                (false, Token::Assign) => {
                    return self.error(
                        offset,
                        "names stand in sets of formulas only, one formula a line in `.conj`, \
                         each ended by `;` in `.aaltafuc`",
                    );
                }
                (false, _) => {
                    return self.error(
                        offset,
                        "an operator between formulas or the end should stand here",
                    );
                }
            }
        }
        self.reduce(&mut operators, &mut operands, |_| true);
        match operands.pop() {
            Some(operand) => Ok(self.join(operand)),
            None => self.error(self.text.len(), "there is no formula here"),
        }
    }

    fn atom(&mut self, name: &'a str, offset: usize) -> u32 {
        let next = self.atoms.len() as u32;
        let number = *self.numbers.entry(name).or_insert(next);
        if number == next {
            self.atoms.push(name.to_owned());
            self.quoted.push(false);
        }
        if self.text.as_bytes().get(offset) == Some(&b'"')
            && let Some(quoted) = self.quoted.get_mut(number as usize)
        {
            *quoted = true;
        }
        number
    }

    fn reduce(
        &mut self,
        operators: &mut Vec<Pending>,
        operands: &mut Vec<Operand>,
        ready: impl Fn(Pending) -> bool,
    ) {
        while let Some(&pending) = operators.last()
            && ready(pending)
        {
            operators.pop();
            // There is an operand for each operator: an operator is only read where one may stand.
            let Some(right) = operands.pop() else { return };
            let result = match pending {
                Pending::Open(_) => right,
                Pending::Prefix(operator, offset) => {
                    let span = offset..right.span.end;
                    let operand = self.join(right);
                    let node = Node::Prefix(operator, operand);
                    Operand {
                        part: Part::One(self.tree.push(node, span.clone())),
                        span,
                    }
                }
                Pending::Binary(operator) => {
                    let Some(left) = operands.pop() else { return };
                    self.binary(operator, left, right)
                }
            };
            operands.push(result);
        }
    }

    fn join(&mut self, operand: Operand) -> NodeId {
        match operand.part {
            Part::One(node) => node,
            Part::Chain(of, members) => self.tree.push_chain(of, &members, operand.span),
        }
    }

    fn binary(&mut self, operator: Binary, left: Operand, right: Operand) -> Operand {
        let span = left.span.start..right.span.end;
        let b = self.join(right);
        if matches!(operator, Binary::And | Binary::Or) {
            let mut members = match left.part {
                Part::Chain(of, members) if of == operator => members,
                part => vec![self.join(Operand { part, ..left })],
            };
            members.push(b);
            return Operand {
                part: Part::Chain(operator, members),
                span,
            };
        }
        let a = self.join(left);
        let node = Node::Binary(operator, a, b);
        Operand {
            part: Part::One(self.tree.push(node, span.clone())),
            span,
        }
    }
}

fn unclosed(operators: &[Pending]) -> bool {
    operators
        .iter()
        .any(|operator| matches!(operator, Pending::Open(_)))
}

fn strength(operator: Binary) -> u8 {
    match operator {
        Binary::Iff => 0,
        Binary::Implies => 1,
        Binary::Or => 2,
        Binary::And => 3,
        Binary::Until
        | Binary::Release
        | Binary::WeakUntil
        | Binary::StrongRelease
        | Binary::Since
        | Binary::Triggered => 4,
    }
}

fn is_right_associative(operator: Binary) -> bool {
    matches!(strength(operator), 1 | 4)
}
