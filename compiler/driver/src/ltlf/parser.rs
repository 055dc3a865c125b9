//! The reader: operator precedence with stacks of its own, so that no nesting can exhaust the call
//! stack.

use super::Kind;
use super::lexer::{Binary, Lexer, Prefix, Token};
use ctr_logic::{Arena, Formula};
use rustc_hash::FxHashMap;
use std::fmt;

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
}

impl Problem {
    /// The conjunction of all formulas.
    pub fn conjunction(&mut self) -> Formula {
        let members: Vec<Formula> = self.formulas.iter().map(|named| named.formula).collect();
        self.arena.and(&members)
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
    let mut reader = Reader {
        text,
        lexer: Lexer::new(text, kind),
        arena: Arena::new(),
        atoms: Vec::new(),
        numbers: FxHashMap::default(),
    };
    let mut formulas = Vec::new();
    if kind.is_named() {
        while let Some(named) = reader.named()? {
            formulas.push(named);
        }
        if formulas.is_empty() {
            return Err(SyntaxError::new(
                text,
                text.len(),
                "there is no formula here",
            ));
        }
    } else {
        let formula = reader.formula(None)?;
        formulas.push(Named {
            name: String::new(),
            formula,
        });
    }
    Ok(Problem {
        arena: reader.arena,
        atoms: reader.atoms,
        formulas,
    })
}

/// A pending operator.
#[derive(Clone, Copy)]
enum Pending {
    Prefix(Prefix),
    Binary(Binary),
    /// An open parenthesis, and where.
    Open(usize),
}

/// A finished operand. Members of a chain of `&` or `|` are kept apart, to be joined at once.
enum Operand {
    One(Formula),
    Chain(Binary, Vec<Formula>),
}

struct Reader<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    arena: Arena,
    atoms: Vec<String>,
    numbers: FxHashMap<&'a str, u32>,
}

impl<'a> Reader<'a> {
    fn error<T>(&self, offset: usize, message: impl Into<String>) -> Result<T, SyntaxError> {
        Err(SyntaxError::new(self.text, offset, message))
    }

    /// `name := formula` and its end; `None` at the end of the text.
    fn named(&mut self) -> Result<Option<Named>, SyntaxError> {
        let name = loop {
            match self.lexer.next()? {
                None => return Ok(None),
                Some((_, Token::End)) => {}
                Some((_, Token::Atom(name))) => break name,
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
        let formula = self.formula(Some(Token::End))?;
        Ok(Some(Named {
            name: name.to_owned(),
            formula,
        }))
    }

    /// A formula up to the token that ends it, or to the end of the text.
    fn formula(&mut self, stop: Option<Token<'_>>) -> Result<Formula, SyntaxError> {
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
                (true, Token::Prefix(operator)) => operators.push(Pending::Prefix(operator)),
                (true, Token::Open) => operators.push(Pending::Open(offset)),
                (true, Token::True) => {
                    operands.push(Operand::One(self.arena.tt()));
                    want_operand = false;
                }
                (true, Token::False) => {
                    operands.push(Operand::One(self.arena.ff()));
                    want_operand = false;
                }
                (true, Token::Atom(name)) => {
                    let atom = self.atom(name);
                    operands.push(Operand::One(atom));
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
                        Pending::Prefix(_) => true,
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
                    if operators.pop().is_none() {
                        return self.error(offset, "this `)` closes nothing");
                    }
                    if let Some(operand) = operands.pop() {
                        let joined = self.join(operand);
                        operands.push(Operand::One(joined));
                    }
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

    fn atom(&mut self, name: &'a str) -> Formula {
        let next = self.atoms.len() as u32;
        let number = *self.numbers.entry(name).or_insert(next);
        if number == next {
            self.atoms.push(name.to_owned());
        }
        self.arena.atom(number)
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
                Pending::Prefix(operator) => {
                    let operand = self.join(right);
                    Operand::One(self.prefix(operator, operand))
                }
                Pending::Binary(operator) => {
                    let Some(left) = operands.pop() else { return };
                    self.binary(operator, left, right)
                }
            };
            operands.push(result);
        }
    }

    fn join(&mut self, operand: Operand) -> Formula {
        match operand {
            Operand::One(formula) => formula,
            Operand::Chain(Binary::And, members) => self.arena.and(&members),
            Operand::Chain(_, members) => self.arena.or(&members),
        }
    }

    fn prefix(&mut self, operator: Prefix, f: Formula) -> Formula {
        let arena = &mut self.arena;
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

    fn binary(&mut self, operator: Binary, left: Operand, right: Operand) -> Operand {
        let b = self.join(right);
        if matches!(operator, Binary::And | Binary::Or) {
            let mut members = match left {
                Operand::Chain(of, members) if of == operator => members,
                other => vec![self.join(other)],
            };
            members.push(b);
            return Operand::Chain(operator, members);
        }
        let a = self.join(left);
        let arena = &mut self.arena;
        Operand::One(match operator {
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
        })
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
