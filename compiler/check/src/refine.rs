//! How an abstract session is read, and what is learned where it has no counterpart.

use std::collections::{BTreeMap, BTreeSet};

use ctr_front::ir::{Expr, ExprId, Function, Json, Root};
use ctr_front::types::Type;
use ctr_logic::{Formula, Letter as Word};

use crate::engine::Engine;
use crate::problem::Leaf;
use crate::texts::{self, Language, Text};
use crate::theory::{Path, Step};
use crate::universe::{Class, FIRST_LEAF, code_formula};
use crate::walk;

/// The group of an event, and the conditions on one of its texts.
type Conditions = (usize, Vec<(Language, bool)>);

/// Whether a value of a type is never a text.
fn no_text(ty: &Type) -> bool {
    matches!(
        ty,
        Type::List(_) | Type::Record(_) | Type::Bool | Type::Int(_) | Type::Number(_)
    )
}

impl Engine<'_> {
    /// The languages that a declared type allows, where it is a type of texts.
    pub(crate) fn typed(&self, group: usize, text: ExprId) -> Option<Vec<(Language, bool)>> {
        if texts::is_text(self.problem.library, text) {
            return Some(Vec::new());
        }
        match self.problem.type_of(group, text)? {
            Type::String => Some(Vec::new()),
            Type::Enum(values) => {
                let values: Option<Vec<String>> = values
                    .iter()
                    .map(|value| match value {
                        Json::Str(value) => Some(regex_syntax::escape(value)),
                        _ => None,
                    })
                    .collect();
                Some(vec![(Language::Equal(values?.join("|")), true)])
            }
            _ => None,
        }
    }

    /// The literals of a step that are conditions on texts and that automata decide.
    pub(crate) fn apart(&mut self, step: &Step) -> Vec<usize> {
        let found = texts::collect(self.problem.library, &self.problem.leaves, &step.literals);
        let mut out = Vec::new();
        for on in found {
            let conditions: Vec<_> = on
                .literals
                .iter()
                .map(|(_, l, v)| (l.clone(), *v))
                .collect();
            if self.texts.find(&conditions) != Text::TooLarge {
                out.extend(
                    on.literals
                        .iter()
                        .filter(|(_, l, _)| !matches!(l, Language::Equal(_) | Language::Length(_)))
                        .map(|(at, ..)| *at),
                );
            }
        }
        out
    }

    /// Literals of a step that exclude each other as conditions on one text.
    pub(crate) fn exclude(&mut self, step: &Step) -> Option<Vec<usize>> {
        let found = texts::collect(self.problem.library, &self.problem.leaves, &step.literals);
        for mut on in found {
            let typed = self.typed(step.group, on.text);
            for (language, inside) in typed.iter().flatten() {
                on.literals.push((usize::MAX, language.clone(), *inside));
            }
            if let Some(core) = self.texts.exclude(&on, typed.is_some()) {
                return Some(core.into_iter().filter(|at| *at != usize::MAX).collect());
            }
        }
        None
    }

    /// Chooses a text for each expression that conditions on texts speak of. Returns share the arguments of their calls.
    pub(crate) fn choose_texts(&mut self, path: &mut Path) {
        path.texts.clear();
        let mut all: BTreeMap<(usize, ExprId), Conditions> = BTreeMap::new();
        for (at, step) in path.steps.iter().enumerate() {
            for on in texts::collect(self.problem.library, &self.problem.leaves, &step.literals) {
                let mut roots = Vec::new();
                walk::roots(self.problem.library, on.text, &mut roots);
                let owner = if roots.contains(&Root::Args) {
                    step.owner
                } else {
                    at
                };
                let entry = all
                    .entry((owner, on.text))
                    .or_insert((step.group, Vec::new()));
                entry
                    .1
                    .extend(on.literals.into_iter().map(|(_, l, v)| (l, v)));
            }
            for (leaf, value) in &step.literals {
                let leaf = self.problem.leaves.get(*leaf as usize);
                let hint = leaf.and_then(|leaf| texts::hint(self.problem.library, leaf, *value));
                if let Some((text, language, inside)) = hint {
                    let entry = all
                        .entry((step.owner, text))
                        .or_insert((step.group, Vec::new()));
                    entry.1.push((language, inside));
                    // A path is absolute, so that it is defined.
                    entry.1.push((Language::Whole("/(?s:.)*".to_owned()), true));
                }
            }
        }
        // `lower(s)` is `s` where that has no capitals.
        let mut same: Vec<(usize, ExprId, ExprId)> = Vec::new();
        for ((at, expr), (group, conditions)) in all.clone() {
            let Some((inner, language)) = texts::kept(self.problem.library, expr) else {
                continue;
            };
            let node = self.problem.library.exprs.get(inner.0 as usize);
            if matches!(node, Some(Expr::Path { .. } | Expr::Root(Root::Text))) {
                let (_, into) = all.entry((at, inner)).or_insert((group, Vec::new()));
                into.extend(conditions);
                into.push((language, true));
                all.remove(&(at, expr));
                same.push((at, inner, expr));
            }
        }
        for ((at, expr), (group, mut conditions)) in all {
            // A field that is only compared with constants may be anything; the solver chooses.
            if conditions
                .iter()
                .all(|(l, _)| matches!(l, Language::Equal(_)))
                && !texts::is_text(self.problem.library, expr)
            {
                continue;
            }
            let typed = self.typed(group, expr);
            if typed.is_none() && self.problem.type_of(group, expr).is_some_and(no_text) {
                continue;
            }
            conditions.extend(typed.into_iter().flatten());
            if let Text::Some(text) = self.texts.find(&conditions) {
                let of_it = same.iter().filter(|(a, e, _)| *a == at && *e == expr);
                for (_, _, outer) in of_it {
                    path.texts.push((at, *outer, text.clone()));
                }
                if let Some(Expr::Call(Function::Host, args)) =
                    self.problem.library.exprs.get(expr.0 as usize)
                    && let Some(url) = args.first()
                {
                    path.texts.push((at, *url, format!("https://{text}/")));
                }
                path.texts.push((at, expr, text));
            }
        }
    }

    /// Learns that no event of the step's group has these of its literals.
    pub(crate) fn forbid(&mut self, step: &Step, core: &[usize]) -> bool {
        let Some(group) = self.problem.universe.groups.get(step.group) else {
            return false;
        };
        let arena = &mut self.problem.arena;
        let mut parts = vec![code_formula(arena, &group.code)];
        for position in core {
            if let Some((leaf, value)) = step.literals.get(*position) {
                let atom = arena.atom(FIRST_LEAF + leaf);
                parts.push(if *value { atom } else { arena.not(atom) });
            }
        }
        let all = arena.and(&parts);
        let not = arena.not(all);
        let clause = arena.always(not);
        self.learned.push(clause);
        self.impossible.push(not);
        true
    }

    /// That a session does not begin with these steps.
    pub(crate) fn block(&mut self, path: &Path) -> Formula {
        let mut rest: Option<Formula> = None;
        for step in path.steps.iter().rev() {
            let group = self.problem.universe.groups.get(step.group);
            let code = group.map(|g| g.code.clone()).unwrap_or_default();
            let arena = &mut self.problem.arena;
            let mut parts = vec![code_formula(arena, &code)];
            for (leaf, value) in &step.literals {
                let atom = arena.atom(FIRST_LEAF + leaf);
                parts.push(if *value { atom } else { arena.not(atom) });
            }
            if let Some(rest) = rest {
                parts.push(arena.next(rest));
            }
            rest = Some(arena.and(&parts));
        }
        let arena = &mut self.problem.arena;
        match rest {
            Some(rest) => arena.not(rest),
            None => arena.tt(),
        }
    }

    /// The steps of a trace as they stand.
    pub(crate) fn plain_path(&self, trace: &[Word]) -> Path {
        let steps = trace.iter().enumerate().filter_map(|(at, letter)| {
            let group = self.problem.universe.group_of(letter)?;
            let class = *self.problem.universe.groups.get(group)?.classes.first()?;
            let literals = self.literals(group, letter);
            Some(Step {
                group,
                class,
                literals,
                owner: at,
                apart: Vec::new(),
            })
        });
        Path {
            steps: steps.collect(),
            ..Path::default()
        }
    }

    /// The path without the literals that could be the other way round: all formulas would hold as well. Those that decide what
    /// is a member of an aggregate stay.
    pub(crate) fn reduced(&mut self, path: &Path, trace: &[Word], all: &[Formula]) -> Path {
        let mut deciding = BTreeSet::new();
        for (register, keys) in path.members.keys() {
            let member = self.problem.member(*register, keys);
            deciding.extend(self.problem.arena.atoms(member));
        }
        let readers = self.readers(all);
        let mut trace = trace.to_vec();
        let mut out = path.clone();
        for (at, step) in out.steps.iter_mut().enumerate() {
            let mut kept = Vec::new();
            let mut apart = Vec::new();
            for (position, (leaf, value)) in step.literals.iter().enumerate() {
                let atom = FIRST_LEAF + leaf;
                let Some(letter) = trace.get_mut(at) else {
                    continue;
                };
                letter.push((atom, !value));
                let reading = readers.get(&atom).map_or(&[][..], Vec::as_slice);
                let free = !deciding.contains(&atom) && self.hold(reading, &trace);
                if let Some(letter) = trace.get_mut(at) {
                    letter.pop();
                }
                if !free {
                    if step.apart.contains(&position) {
                        apart.push(kept.len());
                    }
                    kept.push((*leaf, *value));
                }
            }
            step.literals = kept;
            step.apart = apart;
        }
        out
    }

    /// Gives each return the call that it answers. Whether there was a choice; or the return without one.
    pub(crate) fn pair(&self, path: &mut Path) -> Result<bool, usize> {
        let arguments: BTreeSet<u32> = self.arguments().into_iter().collect();
        let mut open: Vec<usize> = Vec::new();
        let mut guessed = false;
        for at in 0..path.steps.len() {
            let Some(step) = path.steps.get(at).cloned() else {
                continue;
            };
            match step.class {
                Class::Call(_) => open.push(at),
                Class::Return(..) => {
                    let classes = self.problem.universe.classes(step.group);
                    let fits: Vec<(usize, Class)> = open
                        .iter()
                        .filter_map(|call| {
                            let Class::Call(tool) = path.steps.get(*call)?.class else {
                                return None;
                            };
                            let class = classes.iter().find(
                                |class| matches!(class, Class::Return(other, _) if *other == tool),
                            )?;
                            Some((*call, *class))
                        })
                        .collect();
                    guessed |= fits.len() > 1;
                    let agrees = |call: usize| {
                        path.steps.get(call).is_some_and(|call| {
                            step.literals
                                .iter()
                                .filter(|(leaf, _)| arguments.contains(leaf))
                                .all(|(leaf, value)| {
                                    call.literals
                                        .iter()
                                        .all(|(other, theirs)| other != leaf || theirs == value)
                                })
                        })
                    };
                    let (call, class) = fits
                        .iter()
                        .find(|(call, _)| agrees(*call))
                        .or(fits.first())
                        .copied()
                        .ok_or(at)?;
                    open.retain(|other| *other != call);
                    if let Some(step) = path.steps.get_mut(at) {
                        step.owner = call;
                        step.class = class;
                    }
                }
                _ => {}
            }
        }
        Ok(guessed)
    }

    /// Learns that so many returns need as many calls.
    pub(crate) fn more_calls(&mut self, path: &Path, at: usize) {
        let universe = self.problem.universe.clone();
        let tools_of = |group: usize| -> BTreeSet<usize> {
            let classes = universe.classes(group);
            classes
                .iter()
                .filter_map(|class| match class {
                    Class::Call(tool) | Class::Return(tool, _) => Some(*tool),
                    _ => None,
                })
                .collect()
        };
        let is_return = |group: usize| {
            let group = universe.groups.get(group);
            group.is_some_and(|g| matches!(g.classes.first(), Some(Class::Return(..))))
        };
        // All tools whose returns may have taken the calls that are missing.
        let mut tools = path
            .steps
            .get(at)
            .map(|step| tools_of(step.group))
            .unwrap_or_default();
        loop {
            let before = tools.len();
            for step in path
                .steps
                .iter()
                .take(at)
                .filter(|step| is_return(step.group))
            {
                let theirs = tools_of(step.group);
                if !theirs.is_disjoint(&tools) {
                    tools.extend(theirs);
                }
            }
            if tools.len() == before {
                break;
            }
        }
        let groups = |returned: bool| -> BTreeSet<usize> {
            (0..universe.groups.len())
                .filter(|group| {
                    let theirs = tools_of(*group);
                    is_return(*group) == returned
                        && !theirs.is_empty()
                        && if returned {
                            theirs.is_subset(&tools)
                        } else {
                            !theirs.is_disjoint(&tools)
                        }
                })
                .collect()
        };
        let (returns, calls) = (groups(true), groups(false));
        let count = path
            .steps
            .iter()
            .take(at + 1)
            .filter(|step| returns.contains(&step.group))
            .count();
        let n = i64::try_from(count.max(1)).unwrap_or(1);
        let returned = universe.formula(&mut self.problem.arena, &returns);
        let called = universe.formula(&mut self.problem.arena, &calls);
        let many = self.problem.times(returned, n);
        let enough = self.problem.times(called, n);
        let clause = self.problem.arena.implies(many, enough);
        let clause = self.problem.arena.always(clause);
        if !self.learned.contains(&clause) {
            self.learned.push(clause);
        }
    }

    /// Works out the members of the aggregates that leaves read.
    pub(crate) fn members(&mut self, path: &mut Path, trace: &[Word]) {
        let mut wanted = BTreeSet::new();
        for leaf in self.problem.leaves.clone() {
            let (exprs, keys) = match leaf {
                Leaf::Condition(expr, keys) => (vec![expr], keys),
                Leaf::Compare(_, a, b, keys) => (vec![a, b], keys),
                _ => continue,
            };
            let mut read = walk::Reads::default();
            for expr in exprs {
                walk::reads(self.problem.library, expr, &mut read);
            }
            for register in read.registers {
                let keyed = self
                    .problem
                    .library
                    .registers
                    .get(register.0 as usize)
                    .is_some_and(|r| r.keys > 0);
                wanted.insert((register, if keyed { keys.clone() } else { Vec::new() }));
            }
        }
        for (register, keys) in wanted {
            let member = self.problem.member(register, &keys);
            let at = trace
                .iter()
                .map(|letter| {
                    self.problem
                        .arena
                        .holds(member, std::slice::from_ref(letter))
                })
                .collect();
            path.members.insert((register, keys), at);
        }
    }
}
