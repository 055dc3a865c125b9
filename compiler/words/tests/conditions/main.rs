//! The words of an event or a condition can be taken in one way, and say all of it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

#[path = "../common/mod.rs"]
mod common;
mod reading;

use std::collections::{BTreeMap, BTreeSet};

use ctr_front::ir::{
    Atom, AtomId, CompareOp, Const, EventKind, Expr, ExprId, Formula, Function, Library, LookupId,
    Pattern, PatternId, Regex, RegexId, Register, RegisterId, RegisterKind, Root, Status, Step,
    ToolId, Tools,
};
use ctr_words::{Piece, Style};
use reading::{Reader, Said, View};

fn groups(library: &Library) -> BTreeMap<String, String> {
    library
        .groups
        .iter()
        .map(|group| {
            let mut names: Vec<String> = group
                .tools
                .iter()
                .map(|tool| match &tool.server {
                    Some(server) => format!("{server}.{}", tool.name),
                    None => tool.name.clone(),
                })
                .collect();
            names.sort();
            names.dedup();
            (group.name.clone(), names.join("|"))
        })
        .collect()
}

/// Says `eventually` an atom and reads the atom's words back.
fn reads_back(library: &Library, keys: &[String], atom: AtomId, name: &str) {
    let said = Said { library, keys };
    let expr = library.atoms[atom.0 as usize].expr;
    let formula = Formula::Eventually(Box::new(Formula::Atom(atom)));
    let text = ctr_words::formula(library, keys, &formula).write(Style::Markdown, 0);
    let pieces = ctr_words::reader::pieces(text.trim());
    // `At some step, ... .`
    let mut pieces = pieces[4..pieces.len() - 1].to_vec();
    let groups = groups(library);
    let (wanted, found): (String, BTreeSet<String>) = match &library.exprs[expr.0 as usize] {
        Expr::Pattern(id) => {
            let reader = Reader {
                pieces: &pieces,
                groups,
            };
            let found = reader.event(2, false);
            let whole = found.into_iter().filter(|(.., end)| *end == pieces.len());
            (said.pattern(*id), whole.map(|(text, ..)| text).collect())
        }
        _ => {
            let wanted = said.expr(expr, 0);
            // A condition of several parts stands in parentheses.
            let mut found = BTreeSet::new();
            for _ in 0..2 {
                let reader = Reader {
                    pieces: &pieces,
                    groups: groups.clone(),
                };
                let read = reader.condition(0, View::Other);
                let whole = read.into_iter().filter(|(_, end)| *end == pieces.len());
                found.extend(whole.map(|(text, _)| text));
                let paren = |piece: Option<&Piece>, mark: &str| matches!(piece, Some(Piece::Word(word)) if word == mark);
                if paren(pieces.first(), "(") && paren(pieces.last(), ")") {
                    pieces = pieces[1..pieces.len() - 1].to_vec();
                } else {
                    break;
                }
            }
            (wanted, found)
        }
    };
    assert_eq!(
        found.into_iter().collect::<Vec<_>>(),
        [wanted],
        "{name}: {text}"
    );
}

fn atoms(formula: &Formula, into: &mut Vec<AtomId>) {
    if let Formula::Atom(atom) = formula
        && !into.contains(atom)
    {
        into.push(*atom);
    }
    for part in formula.parts() {
        atoms(part, into);
    }
}

#[test]
fn every_atom_of_the_repository_reads_back() {
    let mut count = 0;
    for (name, library) in common::all() {
        for contract in &library.contracts {
            let mut all = Vec::new();
            for clause in &contract.clauses {
                atoms(&clause.formula, &mut all);
            }
            for atom in all {
                count += 1;
                reads_back(
                    &library,
                    &contract.keys,
                    atom,
                    &format!("{name}: {}", contract.name),
                );
            }
        }
    }
    assert!(count > 500, "only {count} atoms");
}

/// A generator of its own, so that a failure repeats (xorshift64*, Vigna 2016).
struct Random {
    state: u64,
    library: Library,
}

const STRINGS: [&str; 8] = [
    "a",
    "",
    "x y",
    "\"q\"",
    "back\\slash",
    "`tick`",
    "line\nend",
    "1",
];
const FIELDS: [&str; 8] = [
    "amount", "to", "text", "true", "odd name", "a\"b", "args", "x.y",
];

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        let n64 = u64::try_from(n).unwrap();
        usize::try_from((self.state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % n64).unwrap()
    }

    fn add(&mut self, expr: Expr) -> ExprId {
        self.library.exprs.push(expr);
        ExprId(u32::try_from(self.library.exprs.len() - 1).unwrap())
    }

    fn constant(&mut self) -> ExprId {
        let value = match self.below(7) {
            0 => Const::Null,
            1 => Const::Bool(self.below(2) == 0),
            2 => Const::Number(["0", "-3", "1.5e+40", "12"][self.below(4)].to_owned()),
            3 => Const::Duration([1, 90_000_000_000, 86_400_000_000_000][self.below(3)]),
            4 => Const::Timestamp(1_767_225_600_000_000_000),
            _ => Const::Str(STRINGS[self.below(STRINGS.len())].to_owned()),
        };
        self.add(Expr::Const(value))
    }

    fn root(&mut self, elements: u32) -> Root {
        match self.below(12) {
            0 => Root::Result,
            1 => Root::Text,
            2 => Root::Fields,
            3 => Root::Agent,
            4 => Root::Time,
            5 => Root::Tokens,
            6 | 7 => Root::Context,
            8 => Root::Key(u32::try_from(self.below(2)).unwrap()),
            9 | 10 if elements > 0 => {
                Root::Var(u32::try_from(self.below(elements as usize)).unwrap())
            }
            _ => Root::Args,
        }
    }

    fn value(&mut self, depth: usize, elements: u32) -> ExprId {
        if depth == 0 {
            return match self.below(3) {
                0 => self.constant(),
                _ => {
                    let root = self.root(elements);
                    self.path(root)
                }
            };
        }
        let a = self.value(depth - 1, elements);
        let b = self.value(depth - 1, elements);
        let expr = match self.below(13) {
            0 => Expr::List(
                (0..self.below(3))
                    .map(|_| self.value(0, elements))
                    .collect(),
            ),
            1 => Expr::Add(a, b),
            2 => Expr::Sub(a, b),
            3 => Expr::Mul(a, b),
            4 => Expr::Neg(a),
            5 => Expr::Coalesce(a, b),
            6 => {
                let all = [
                    Function::Len,
                    Function::Text,
                    Function::Lower,
                    Function::Upper,
                    Function::Trim,
                    Function::Number,
                    Function::Host,
                    Function::Abs,
                    Function::Keys,
                    Function::Timestamp,
                    Function::Duration,
                ];
                Expr::Call(all[self.below(all.len())], vec![a])
            }
            7 => {
                let args = (0..self.below(3))
                    .map(|_| self.value(0, elements))
                    .collect();
                Expr::Lookup(LookupId(0), args)
            }
            8..=10 => Expr::Read {
                register: self.register(depth - 1, elements),
                earlier: self.below(2) == 0,
            },
            11 => Expr::Path {
                base: match self.library.exprs[a.0 as usize] {
                    // Parts of what is no root.
                    Expr::Call(..) | Expr::Lookup(..) | Expr::Read { .. } => a,
                    _ => self.add(Expr::Lookup(LookupId(0), vec![b])),
                },
                steps: vec![Step::Field(FIELDS[self.below(FIELDS.len())].to_owned())],
                coerce: ctr_front::ir::Coerce::None,
            },
            _ => return self.condition(depth - 1, elements),
        };
        self.add(expr)
    }

    fn path(&mut self, root: Root) -> ExprId {
        let base = self.add(Expr::Root(root));
        let plain = matches!(
            root,
            Root::Text | Root::Agent | Root::Time | Root::Tokens | Root::Key(_)
        );
        if plain || self.below(6) == 0 {
            return base;
        }
        let mut steps = vec![Step::Field(FIELDS[self.below(FIELDS.len())].to_owned())];
        match self.below(5) {
            0 => steps.push(Step::All),
            1 => steps.push(Step::Index(2)),
            2 => steps.push(Step::Field(FIELDS[self.below(FIELDS.len())].to_owned())),
            _ => {}
        }
        self.add(Expr::Path {
            base,
            steps,
            coerce: ctr_front::ir::Coerce::None,
        })
    }

    fn tools(&mut self) -> Tools {
        let few = |this: &mut Self| {
            let mut ids: Vec<ToolId> = (0..4).map(ToolId).collect();
            ids.retain(|_| this.below(2) == 0);
            if ids.is_empty() { vec![ToolId(1)] } else { ids }
        };
        match self.below(4) {
            0 => Tools::Any,
            1 => Tools::Except(few(self)),
            _ => Tools::OneOf(few(self)),
        }
    }

    fn pattern(&mut self, depth: usize) -> PatternId {
        let kind = match self.below(8) {
            0 => EventKind::Call,
            1 => EventKind::Return(None),
            2 => EventKind::Return(Some(Status::Success)),
            3 => EventKind::Return(Some(Status::Failure)),
            4 => EventKind::Return(Some(Status::Unknown)),
            5 => EventKind::Input,
            6 => EventKind::Output,
            _ => EventKind::Declared(ctr_front::ir::EventId(0)),
        };
        let tools = if matches!(kind, EventKind::Call | EventKind::Return(_)) {
            self.tools()
        } else {
            Tools::Any
        };
        let keys = if self.below(3) == 0 {
            vec![self.path(Root::Args), self.path(Root::Context)]
        } else {
            Vec::new()
        };
        let condition = (self.below(2) == 0).then(|| self.condition(depth.min(2), 0));
        self.library.patterns.push(Pattern {
            kind,
            tools,
            keys,
            condition,
            text: String::new(),
        });
        PatternId(u32::try_from(self.library.patterns.len() - 1).unwrap())
    }

    fn member(&mut self, depth: usize) -> ExprId {
        let one = |this: &mut Self| {
            let id = this.pattern(depth);
            this.add(Expr::Pattern(id))
        };
        let (a, b) = (one(self), one(self));
        let expr = match self.below(6) {
            0 => Expr::Or(vec![a, b]),
            1 => Expr::And(vec![a, b]),
            2 => {
                let not = self.add(Expr::Not(b));
                Expr::And(vec![a, not])
            }
            3 => {
                let either = self.add(Expr::Or(vec![a, b]));
                Expr::Not(either)
            }
            _ => return a,
        };
        self.add(expr)
    }

    fn register(&mut self, depth: usize, elements: u32) -> RegisterId {
        let all = [
            RegisterKind::Count,
            RegisterKind::Streak,
            RegisterKind::Elapsed,
            RegisterKind::Sum,
            RegisterKind::Min,
            RegisterKind::Max,
            RegisterKind::Latest,
            RegisterKind::First,
            RegisterKind::Values,
        ];
        let at = self.below(all.len());
        let value = (at >= 3).then(|| self.value(depth.min(1), elements));
        let member = self.member(depth);
        let window = (self.below(3) == 0).then_some(600_000_000_000);
        self.library.registers.push(Register {
            kind: all[at],
            member,
            value,
            window,
            keys: 0,
        });
        RegisterId(u32::try_from(self.library.registers.len() - 1).unwrap())
    }

    fn condition(&mut self, depth: usize, elements: u32) -> ExprId {
        let a = self.value(depth.saturating_sub(1), elements);
        let b = self.value(depth.saturating_sub(1), elements);
        let expr = match self.below(if depth == 0 { 14 } else { 20 }) {
            0 => Expr::Compare(CompareOp::Eq, a, b),
            1 => Expr::Compare(CompareOp::Ne, a, b),
            2 => Expr::Compare(CompareOp::Lt, a, b),
            3 => Expr::Compare(CompareOp::Ge, a, b),
            4 => Expr::In(a, b),
            5 => {
                let items = (0..1 + self.below(3)).map(|_| self.constant()).collect();
                let list = self.add(Expr::List(items));
                Expr::In(a, list)
            }
            6 => Expr::Matches(a, RegexId(u32::try_from(self.below(3)).unwrap())),
            7 => Expr::Like(a, b),
            8 => Expr::Contains(a, b),
            9 => Expr::StartsWith(a, b),
            10 => Expr::EndsWith(a, b),
            11 => Expr::Inside(a, b),
            12 => Expr::Has(a),
            13 => {
                let root = self.root(elements);
                return self.path(root);
            }
            14 | 15 => {
                let inner = self.condition(depth - 1, elements);
                Expr::Not(inner)
            }
            16 | 17 => {
                let parts: Vec<ExprId> = (0..2 + self.below(2))
                    .map(|_| self.condition(depth - 1, elements))
                    .collect();
                match self.below(3) {
                    0 => Expr::And(parts),
                    1 => Expr::Or(parts),
                    _ => Expr::Iff(parts[0], parts[1]),
                }
            }
            18 => {
                let body = self.condition(depth - 1, elements + 1);
                if self.below(2) == 0 {
                    Expr::Every(a, body)
                } else {
                    Expr::Some(a, body)
                }
            }
            _ => {
                let member = self.member(depth - 1);
                let mentioned = self.below(2) == 0;
                self.library.registers.push(Register {
                    kind: if mentioned {
                        RegisterKind::Texts
                    } else {
                        RegisterKind::Elapsed
                    },
                    member,
                    value: None,
                    window: None,
                    keys: 0,
                });
                let register = RegisterId(u32::try_from(self.library.registers.len() - 1).unwrap());
                if mentioned {
                    Expr::Mentioned {
                        register,
                        value: a,
                        earlier: self.below(2) == 0,
                    }
                } else {
                    Expr::Fresh {
                        register,
                        within: 30_000_000_000,
                    }
                }
            }
        };
        self.add(expr)
    }
}

#[test]
fn random_conditions_read_back() {
    let library = common::policy(
        "tool a() tool b() tool c() tool d() event e(x: int) lookup l(x: string) -> string\n\
         group both = { a, c } contract k { guarantee never (call a | b | c | d or e) }",
    );
    let count = std::env::var("CTRC_WORDS_COUNT")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1_500);
    let seed = std::env::var("CTRC_WORDS_SEED")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1);
    let mut random = Random {
        state: 0x9E37_79B9_7F4A_7C15 ^ seed,
        library: library.clone(),
    };
    let keys = ["order".to_owned(), "user".to_owned()];
    for round in 0..count {
        random.library = library.clone();
        for pattern in ["a/b", "(?i)x|\\d", "`"] {
            random.library.regexes.push(Regex {
                pattern: pattern.to_owned(),
            });
        }
        let depth = round % 3;
        let expr = if random.below(3) == 0 {
            let pattern = random.pattern(depth);
            random.add(Expr::Pattern(pattern))
        } else {
            random.condition(depth, 0)
        };
        random.library.atoms.push(Atom {
            expr,
            text: String::new(),
            remedy: None,
        });
        let atom = AtomId(u32::try_from(random.library.atoms.len() - 1).unwrap());
        reads_back(&random.library, &keys, atom, &format!("condition {round}"));
    }
}
