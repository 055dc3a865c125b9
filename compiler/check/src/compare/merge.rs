//! Two libraries as one: equal tools, expressions and patterns once, so that what both say is one atom.

use std::collections::HashMap;
use std::hash::Hash;

use ctr_front::ir::{
    Action, ActionKind, Atom, AtomId, Clause, Contract, Deadline, DeclaredTool, EventId, Expr,
    ExprId, Formula, Library, LookupId, MessagePart, Pattern, PatternId, Place, RegexId, Register,
    RegisterId, SourceId, ToolId, Tools,
};
use ctr_front::types::{Field, Record, Type};

use super::{Kind, Note};

/// A contract of the joint library, and where it comes from.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    /// The names of the old library's contracts that mean this.
    pub(crate) old: Vec<String>,
    /// The names of the new library's.
    pub(crate) new: Vec<String>,
}

/// Two libraries as one, to be built and compared.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The joint library; contracts that mean the same stand in it once.
    pub library: Library,
    pub(crate) members: Vec<Member>,
    /// What differs besides what sessions are allowed.
    pub(crate) notes: Vec<Note>,
}

/// Joins two libraries.
///
/// # Errors
///
/// Where a lookup has another number of parameters in each.
pub fn merge(old: &Library, new: &Library) -> Result<Merged, String> {
    let mut into = Library::default();
    let mut tables = Interned::default();
    let mut notes = Vec::new();
    for (library, others) in [(old, new), (new, old)] {
        for lookup in &library.lookups {
            let other = others.lookups.iter().find(|l| l.name == lookup.name);
            if other.is_some_and(|other| other.arity != lookup.arity) {
                return Err(format!(
                    "the lookup `{}` has another number of parameters in each",
                    lookup.name
                ));
            }
        }
    }
    into.declared = declared(old, new, &mut notes);
    let mut members: Vec<Member> = Vec::new();
    for (library, is_new) in [(old, false), (new, true)] {
        let first = u32::try_from(into.sources.len()).unwrap_or(u32::MAX);
        into.sources.extend(library.sources.iter().cloned());
        let mut reading = Reading {
            from: library,
            into: &mut into,
            tables: &mut tables,
            sources: first,
            exprs: HashMap::new(),
        };
        for contract in &library.contracts {
            let Some(mut moved) = reading.contract(contract) else {
                return Err(format!("`{}` cannot be read", contract.name));
            };
            let same = reading
                .into
                .contracts
                .iter()
                .position(|other| means_the_same(other, &moved));
            let at = same.unwrap_or(members.len());
            if same.is_none() {
                let side = if is_new { "new" } else { "old" };
                moved.name = format!("{side}.{}", moved.name);
                reading.into.contracts.push(moved.clone());
                members.push(Member {
                    old: Vec::new(),
                    new: Vec::new(),
                });
            }
            if let Some(member) = members.get_mut(at) {
                let names = if is_new {
                    &mut member.new
                } else {
                    &mut member.old
                };
                names.push(contract.name.clone());
            }
        }
    }
    notes.extend(attributes(old, new, &members, &mut into, &mut tables));
    Ok(Merged {
        library: into,
        members,
        notes,
    })
}

/// Whether two contracts of the joint library have the same verdict on every session.
fn means_the_same(a: &Contract, b: &Contract) -> bool {
    let has = |clauses: &[Clause], wanted: &Clause| {
        clauses.iter().any(|clause| {
            clause.side == wanted.side
                && clause.formula == wanted.formula
                && clause.deadlines.len() == wanted.deadlines.len()
                && clause
                    .deadlines
                    .iter()
                    .zip(&wanted.deadlines)
                    .all(|(a, b)| {
                        (a.trigger, a.response, a.within) == (b.trigger, b.response, b.within)
                    })
        })
    };
    a.keys.len() == b.keys.len()
        && a.watch == b.watch
        && a.patterns == b.patterns
        && a.agents == b.agents
        && a.clauses.iter().all(|clause| has(&b.clauses, clause))
        && b.clauses.iter().all(|clause| has(&a.clauses, clause))
}

/// What is interned, by what it means.
#[derive(Default)]
struct Interned {
    exprs: HashMap<Expr, ExprId>,
    patterns: HashMap<Pattern, PatternId>,
    registers: HashMap<Register, RegisterId>,
    atoms: HashMap<ExprId, AtomId>,
}

/// Reads one library into the joint one.
struct Reading<'a> {
    from: &'a Library,
    into: &'a mut Library,
    tables: &'a mut Interned,
    /// The number of its first source.
    sources: u32,
    exprs: HashMap<ExprId, ExprId>,
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// The place of an entry in a table, at its end where it is new.
fn place<T: Clone + PartialEq>(table: &mut Vec<T>, entry: &T) -> u32 {
    let at = table.iter().position(|other| other == entry);
    number(at.unwrap_or_else(|| {
        table.push(entry.clone());
        table.len() - 1
    }))
}

/// The same, found by an index.
fn indexed<T: Clone + Eq + Hash, I: Copy>(
    table: &mut Vec<T>,
    index: &mut HashMap<T, I>,
    entry: T,
    id: impl Fn(u32) -> I,
) -> I {
    if let Some(found) = index.get(&entry) {
        return *found;
    }
    let new = id(number(table.len()));
    table.push(entry.clone());
    index.insert(entry, new);
    new
}

impl Reading<'_> {
    fn tool(&mut self, id: ToolId) -> Option<ToolId> {
        let tool = self.from.tools.get(id.0 as usize)?;
        Some(ToolId(place(&mut self.into.tools, tool)))
    }

    fn event(&mut self, id: EventId) -> Option<EventId> {
        let event = self.from.events.get(id.0 as usize)?;
        Some(EventId(place(&mut self.into.events, event)))
    }

    fn tools(&mut self, tools: &Tools) -> Option<Tools> {
        let mut moved = |ids: &[ToolId]| -> Option<Vec<ToolId>> {
            let mut out: Vec<ToolId> =
                ids.iter().map(|id| self.tool(*id)).collect::<Option<_>>()?;
            out.sort_unstable();
            Some(out)
        };
        Some(match tools {
            Tools::Any => Tools::Any,
            Tools::OneOf(ids) => Tools::OneOf(moved(ids)?),
            Tools::Except(ids) => Tools::Except(moved(ids)?),
        })
    }

    fn all(&mut self, ids: &[ExprId]) -> Option<Vec<ExprId>> {
        ids.iter().map(|id| self.expr(*id)).collect()
    }

    /// An expression. Its parts come first, and those of the patterns and registers that it names.
    fn expr(&mut self, id: ExprId) -> Option<ExprId> {
        if let Some(found) = self.exprs.get(&id) {
            return Some(*found);
        }
        let from = self.from;
        let node = match from.exprs.get(id.0 as usize)? {
            Expr::Const(value) => Expr::Const(value.clone()),
            Expr::Root(root) => Expr::Root(*root),
            Expr::List(items) => Expr::List(self.all(items)?),
            Expr::Path {
                base,
                steps,
                coerce,
            } => Expr::Path {
                base: self.expr(*base)?,
                steps: steps.clone(),
                coerce: *coerce,
            },
            Expr::Not(a) => Expr::Not(self.expr(*a)?),
            Expr::And(parts) => Expr::And(self.all(parts)?),
            Expr::Or(parts) => Expr::Or(self.all(parts)?),
            Expr::Iff(a, b) => Expr::Iff(self.expr(*a)?, self.expr(*b)?),
            Expr::Compare(op, a, b) => Expr::Compare(*op, self.expr(*a)?, self.expr(*b)?),
            Expr::In(a, b) => Expr::In(self.expr(*a)?, self.expr(*b)?),
            Expr::Matches(a, re) => {
                let regex = from.regexes.get(re.0 as usize)?;
                let re = RegexId(place(&mut self.into.regexes, regex));
                Expr::Matches(self.expr(*a)?, re)
            }
            Expr::Like(a, b) => Expr::Like(self.expr(*a)?, self.expr(*b)?),
            Expr::Contains(a, b) => Expr::Contains(self.expr(*a)?, self.expr(*b)?),
            Expr::StartsWith(a, b) => Expr::StartsWith(self.expr(*a)?, self.expr(*b)?),
            Expr::EndsWith(a, b) => Expr::EndsWith(self.expr(*a)?, self.expr(*b)?),
            Expr::Inside(a, b) => Expr::Inside(self.expr(*a)?, self.expr(*b)?),
            Expr::Has(a) => Expr::Has(self.expr(*a)?),
            Expr::Coalesce(a, b) => Expr::Coalesce(self.expr(*a)?, self.expr(*b)?),
            Expr::Every(a, b) => Expr::Every(self.expr(*a)?, self.expr(*b)?),
            Expr::Some(a, b) => Expr::Some(self.expr(*a)?, self.expr(*b)?),
            Expr::Add(a, b) => Expr::Add(self.expr(*a)?, self.expr(*b)?),
            Expr::Sub(a, b) => Expr::Sub(self.expr(*a)?, self.expr(*b)?),
            Expr::Mul(a, b) => Expr::Mul(self.expr(*a)?, self.expr(*b)?),
            Expr::Neg(a) => Expr::Neg(self.expr(*a)?),
            Expr::Call(function, args) => Expr::Call(*function, self.all(args)?),
            Expr::Lookup(lookup, args) => {
                let entry = from.lookups.get(lookup.0 as usize)?;
                let lookup = LookupId(place(&mut self.into.lookups, entry));
                Expr::Lookup(lookup, self.all(args)?)
            }
            Expr::Read { register, earlier } => Expr::Read {
                register: self.register(*register)?,
                earlier: *earlier,
            },
            Expr::Mentioned {
                register,
                value,
                earlier,
            } => Expr::Mentioned {
                register: self.register(*register)?,
                value: self.expr(*value)?,
                earlier: *earlier,
            },
            Expr::Fresh { register, within } => Expr::Fresh {
                register: self.register(*register)?,
                within: *within,
            },
            Expr::Pattern(pattern) => Expr::Pattern(self.pattern(*pattern)?),
        };
        let new = indexed(&mut self.into.exprs, &mut self.tables.exprs, node, ExprId);
        self.exprs.insert(id, new);
        Some(new)
    }

    /// A pattern, by what it means: of two texts the first stays.
    fn pattern(&mut self, id: PatternId) -> Option<PatternId> {
        let from = self.from.patterns.get(id.0 as usize)?;
        let meaning = Pattern {
            kind: match from.kind {
                ctr_front::ir::EventKind::Declared(event) => {
                    ctr_front::ir::EventKind::Declared(self.event(event)?)
                }
                other => other,
            },
            tools: self.tools(&from.tools)?,
            keys: self.all(&from.keys)?,
            condition: match from.condition {
                Some(condition) => Some(self.expr(condition)?),
                None => None,
            },
            text: String::new(),
        };
        if let Some(found) = self.tables.patterns.get(&meaning) {
            return Some(*found);
        }
        let new = PatternId(number(self.into.patterns.len()));
        self.into.patterns.push(Pattern {
            text: from.text.clone(),
            ..meaning.clone()
        });
        self.tables.patterns.insert(meaning, new);
        Some(new)
    }

    fn register(&mut self, id: RegisterId) -> Option<RegisterId> {
        let from = self.from.registers.get(id.0 as usize)?;
        let new = Register {
            kind: from.kind,
            member: self.expr(from.member)?,
            value: match from.value {
                Some(value) => Some(self.expr(value)?),
                None => None,
            },
            window: from.window,
            keys: from.keys,
        };
        let table = &mut self.into.registers;
        Some(indexed(table, &mut self.tables.registers, new, RegisterId))
    }

    fn atom(&mut self, id: AtomId) -> Option<AtomId> {
        let from = self.from.atoms.get(id.0 as usize)?;
        let expr = self.expr(from.expr)?;
        if let Some(found) = self.tables.atoms.get(&expr) {
            return Some(*found);
        }
        let new = AtomId(number(self.into.atoms.len()));
        self.into.atoms.push(Atom {
            expr,
            text: from.text.clone(),
            remedy: from.remedy.clone(),
        });
        self.tables.atoms.insert(expr, new);
        Some(new)
    }

    fn formula(&mut self, f: &Formula) -> Option<Formula> {
        use Formula as F;
        Some(match f {
            F::True => F::True,
            F::False => F::False,
            F::Atom(atom) => F::Atom(self.atom(*atom)?),
            F::Not(a) => F::Not(self.boxed(a)?),
            F::And(parts) => F::And(self.formulas(parts)?),
            F::Or(parts) => F::Or(self.formulas(parts)?),
            F::Implies(a, b) => F::Implies(self.boxed(a)?, self.boxed(b)?),
            F::Iff(a, b) => F::Iff(self.boxed(a)?, self.boxed(b)?),
            F::Next(a) => F::Next(self.boxed(a)?),
            F::WeakNext(a) => F::WeakNext(self.boxed(a)?),
            F::Always(a) => F::Always(self.boxed(a)?),
            F::Eventually(a) => F::Eventually(self.boxed(a)?),
            F::Until(a, b) => F::Until(self.boxed(a)?, self.boxed(b)?),
            F::Unless(a, b) => F::Unless(self.boxed(a)?, self.boxed(b)?),
            F::Release(a, b) => F::Release(self.boxed(a)?, self.boxed(b)?),
            F::Previously(a) => F::Previously(self.boxed(a)?),
            F::WeakPreviously(a) => F::WeakPreviously(self.boxed(a)?),
            F::Once(a) => F::Once(self.boxed(a)?),
            F::Historically(a) => F::Historically(self.boxed(a)?),
            F::Since(a, b) => F::Since(self.boxed(a)?, self.boxed(b)?),
        })
    }

    fn boxed(&mut self, f: &Formula) -> Option<Box<Formula>> {
        self.formula(f).map(Box::new)
    }

    fn formulas(&mut self, parts: &[Formula]) -> Option<Vec<Formula>> {
        parts.iter().map(|part| self.formula(part)).collect()
    }

    fn moved(&self, place: Place) -> Place {
        Place {
            source: SourceId(place.source.0.saturating_add(self.sources)),
            ..place
        }
    }

    fn clause(&mut self, clause: &Clause) -> Option<Clause> {
        let mut deadlines = Vec::new();
        for deadline in &clause.deadlines {
            deadlines.push(Deadline {
                trigger: self.expr(deadline.trigger)?,
                response: self.expr(deadline.response)?,
                ..deadline.clone()
            });
        }
        Some(Clause {
            formula: self.formula(&clause.formula)?,
            deadlines,
            place: self.moved(clause.place),
            ..clause.clone()
        })
    }

    fn action(&mut self, action: &Action) -> Option<Action> {
        let kind = match &action.kind {
            ActionKind::Redirect { tool, args } => {
                let mut moved = Vec::new();
                for (name, expr) in args {
                    moved.push((name.clone(), self.expr(*expr)?));
                }
                ActionKind::Redirect {
                    tool: self.tool(*tool)?,
                    args: moved,
                }
            }
            other => other.clone(),
        };
        let mut message = Vec::new();
        for part in &action.message {
            message.push(match part {
                MessagePart::Text(text) => MessagePart::Text(text.clone()),
                MessagePart::Expr(expr) => MessagePart::Expr(self.expr(*expr)?),
            });
        }
        Some(Action { kind, message })
    }

    fn contract(&mut self, contract: &Contract) -> Option<Contract> {
        let mut patterns = Vec::new();
        for id in &contract.patterns {
            patterns.push(self.pattern(*id)?);
        }
        patterns.sort_unstable();
        patterns.dedup();
        let mut watch = contract.watch.clone();
        watch.events = Vec::new();
        for id in &contract.watch.events {
            watch.events.push(self.event(*id)?);
        }
        watch.events.sort_unstable();
        let mut clauses = Vec::new();
        for clause in &contract.clauses {
            clauses.push(self.clause(clause)?);
        }
        Some(Contract {
            place: self.moved(contract.place),
            name_place: self.moved(contract.name_place),
            watch,
            patterns,
            clauses,
            action: self.action(&contract.action)?,
            // Two contracts may not have one id.
            id: None,
            ..contract.clone()
        })
    }
}

fn shown(server: Option<&String>, name: &str) -> String {
    match server {
        Some(server) => format!("{server}.{name}"),
        None => name.to_owned(),
    }
}

/// The tools that either declares. Where they differ, a call may be of either kind.
fn declared(old: &Library, new: &Library, notes: &mut Vec<Note>) -> Vec<DeclaredTool> {
    let mut out = Vec::new();
    let of = |library: &Library, tool: &DeclaredTool| -> Vec<Type> {
        library
            .declared
            .iter()
            .filter(|other| other.name == tool.name && other.server == tool.server)
            .map(|other| other.args.clone())
            .collect()
    };
    for (library, others, sides) in [(old, new, ["old", "new"]), (new, old, ["new", "old"])] {
        for tool in &library.declared {
            let name = shown(tool.server.as_ref(), &tool.name);
            let theirs = of(others, tool);
            let note = |message: String| Note::new(Kind::Tool, &name, message);
            let Some(other) = theirs.first() else {
                if !others.declared.is_empty() {
                    let [here, there] = sides;
                    notes.push(note(format!(
                        "only {here} declares the tool `{name}`; for {there} its calls have no types"
                    )));
                }
                out.push(tool.clone());
                continue;
            };
            if sides == ["new", "old"] {
                continue;
            }
            let mut args = tool.args.clone();
            if *other != args {
                let (joined, fields) = either(&args, other);
                args = joined;
                if !fields.is_empty() {
                    notes.push(note(format!(
                        "the tool `{name}` is declared in two ways ({}): a call may be of either",
                        fields.join(", ")
                    )));
                }
            }
            out.push(DeclaredTool {
                args,
                ..tool.clone()
            });
        }
    }
    out
}

/// A type that both fit, and the fields of records in which they differ.
fn either(a: &Type, b: &Type) -> (Type, Vec<String>) {
    let (Type::Record(x), Type::Record(y)) = (a, b) else {
        return (
            Type::Union(vec![a.clone(), b.clone()]),
            vec!["arguments".to_owned()],
        );
    };
    let mut fields: Vec<Field> = Vec::new();
    let mut differ = Vec::new();
    for field in &x.fields {
        match y.fields.iter().find(|other| other.name == field.name) {
            Some(other) => {
                let optional = field.optional || other.optional;
                let mut ty = field.ty.clone();
                if other.ty != field.ty {
                    ty = Type::Union(vec![ty, other.ty.clone()]);
                }
                if other.ty != field.ty || other.optional != field.optional {
                    differ.push(format!("`{}`", field.name));
                }
                fields.push(Field {
                    ty,
                    optional,
                    ..field.clone()
                });
            }
            None => {
                differ.push(format!("`{}`", field.name));
                fields.push(Field {
                    optional: true,
                    ..field.clone()
                });
            }
        }
    }
    for field in &y.fields {
        if !x.fields.iter().any(|other| other.name == field.name) {
            differ.push(format!("`{}`", field.name));
            fields.push(Field {
                optional: true,
                ..field.clone()
            });
        }
    }
    let open = x.open || y.open;
    if x.open != y.open {
        differ.push("other fields".to_owned());
    }
    (Type::Record(Record { fields, open }), differ)
}

/// Names, actions, messages and severities that differ where the name or the meaning is the same.
fn attributes(
    old: &Library,
    new: &Library,
    members: &[Member],
    into: &mut Library,
    tables: &mut Interned,
) -> Vec<Note> {
    let mut notes = Vec::new();
    for contract in &new.contracts {
        let name = &contract.name;
        let same_meaning = members
            .iter()
            .find(|member| member.new.contains(name) && !member.old.is_empty());
        let namesake = old.contracts.iter().find(|other| other.name == *name);
        let before = match (namesake, same_meaning) {
            (Some(before), _) => before,
            (None, Some(member)) => {
                let Some(before) = member
                    .old
                    .first()
                    .and_then(|first| old.contracts.iter().find(|c| c.name == *first))
                else {
                    continue;
                };
                let message = format!("`{}` is called `{name}` in new", before.name);
                notes.push(Note::new(Kind::Name, name, message));
                before
            }
            (None, None) => continue,
        };
        let mut read = |from: &Library, action: &Action| {
            Reading {
                from,
                into,
                tables,
                sources: 0,
                exprs: HashMap::new(),
            }
            .action(action)
        };
        let (was, is) = (read(old, &before.action), read(new, &contract.action));
        let kind = |action: &Option<Action>| action.as_ref().map(|a| a.kind.clone());
        let message = |action: &Option<Action>| action.as_ref().map(|a| a.message.clone());
        if kind(&was) != kind(&is) {
            let (was, is) = (verb(&before.action.kind), verb(&contract.action.kind));
            let message = if was == is {
                format!("`{name}` does not {is} to the same call")
            } else {
                format!("where `{name}` is violated, old says {was} and new says {is}")
            };
            notes.push(Note::new(Kind::Action, name, message));
        } else if message(&was) != message(&is) {
            let text = format!("the message of `{name}` is another one");
            notes.push(Note::new(Kind::Message, name, text));
        }
        if before.severity != contract.severity {
            let shown = |severity: &Option<String>| {
                severity
                    .as_ref()
                    .map_or("none".to_owned(), |s| format!("`{s}`"))
            };
            let (was, is) = (shown(&before.severity), shown(&contract.severity));
            let text = format!("the severity of `{name}` was {was} and is {is}");
            notes.push(Note::new(Kind::Severity, name, text));
        }
    }
    notes
}

fn verb(kind: &ActionKind) -> &'static str {
    match kind {
        ActionKind::Block => "block",
        ActionKind::Warn => "warn",
        ActionKind::Escalate => "escalate",
        ActionKind::Redirect { .. } => "redirect",
        ActionKind::Repair => "repair",
    }
}
