//! Which events a question distinguishes.
//!
//! At a step there is exactly one event, of one kind and one tool. The events that the contracts of
//! a component tell apart fall into finitely many groups: two events are in one group where the
//! same patterns name their kind and tool and the same contracts watch them. Groups are numbered by
//! a complete prefix code over a few atoms, so that every letter is an event of exactly one group
//! and no clause has to say so.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ctr_front::ir::{Contract, EventId, EventKind, Library, Pattern, PatternId, Status, Tools};
use ctr_logic::{Arena, Formula};

/// A tool by its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ToolName {
    /// Its server, where one is named.
    pub(crate) server: Option<String>,
    /// Its name; `None`: some tool that nobody names.
    pub(crate) name: Option<String>,
}

/// Kind and tool of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    /// A call; the index is into [`Universe::tools`].
    Call(usize),
    /// A return.
    Return(usize, Status),
    /// A message to the agent.
    Input,
    /// A message from the model.
    Output,
    /// A declared event.
    Declared(EventId),
}

/// Events that the component does not tell apart by kind and tool.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// The kinds and tools.
    pub(crate) classes: Vec<Class>,
    /// The atoms that say so, with their values.
    pub(crate) code: Vec<(u32, bool)>,
}

/// The groups of a component.
#[derive(Clone, Debug, Default)]
pub(crate) struct Universe {
    /// The tools that its events can be of.
    pub(crate) tools: Arc<Vec<ToolName>>,
    /// The groups.
    pub(crate) groups: Vec<Group>,
}

/// Numbers of atoms from here on are conditions; lower ones are the code of the group.
pub(crate) const FIRST_LEAF: u32 = 32;

impl Universe {
    /// The groups that some patterns and the steps of some contracts tell apart.
    ///
    /// With `all_returns` also returns that no pattern fits, of tools with others that do, so that it can be said
    /// which calls are in flight; then returns of different tools are apart.
    pub(crate) fn new(
        library: &Library,
        patterns: &BTreeSet<PatternId>,
        watching: &[&Contract],
        all_returns: bool,
    ) -> Self {
        let patterns: Vec<&Pattern> = patterns
            .iter()
            .filter_map(|id| library.patterns.get(id.0 as usize))
            .collect();
        let mut named: BTreeSet<ToolName> = BTreeSet::new();
        let mut open = !watching.is_empty();
        for pattern in &patterns {
            match &pattern.tools {
                Tools::Any => open |= has_tool(pattern.kind),
                Tools::OneOf(ids) | Tools::Except(ids) => {
                    open |= matches!(pattern.tools, Tools::Except(_));
                    named.extend(ids.iter().filter_map(|id| tool_name(library, id.0)));
                }
            }
        }
        let mut tools: Vec<ToolName> = named.into_iter().collect();
        let named = tools.len();
        if open {
            for declared in &library.declared {
                let name = ToolName {
                    server: declared.server.clone(),
                    name: Some(declared.name.clone()),
                };
                if !tools
                    .iter()
                    .any(|t| t.name == name.name && (t.server == name.server || t.server.is_none()))
                {
                    tools.push(name);
                }
            }
            tools.push(ToolName {
                server: None,
                name: None,
            });
        }
        let mut classes = Vec::new();
        for tool in 0..tools.len() {
            classes.push(Class::Call(tool));
            for status in [Status::Success, Status::Failure, Status::Unknown] {
                classes.push(Class::Return(tool, status));
            }
        }
        classes.push(Class::Input);
        classes.push(Class::Output);
        classes.extend(
            (0..library.events.len())
                .filter_map(|n| Some(Class::Declared(EventId(u32::try_from(n).ok()?)))),
        );

        // What is true of a class, by number.
        let mut groups: BTreeMap<(Vec<usize>, Option<usize>, u8), Vec<Class>> = BTreeMap::new();
        let signature = |class: Class| -> Vec<usize> {
            let n = patterns.len();
            let mut out = Vec::new();
            for (at, pattern) in patterns.iter().enumerate() {
                if fits(library, pattern, class, &tools) {
                    out.push(at);
                }
                // A key occurs whatever the status is.
                if !pattern.keys.is_empty() && fits_any_status(library, pattern, class, &tools) {
                    out.push(n + at);
                }
            }
            let watch = watching.iter().enumerate();
            let watch = watch.filter(|(_, contract)| watches(contract, class));
            out.extend(watch.map(|(at, _)| 2 * n + at));
            out
        };
        let signatures: Vec<Vec<usize>> = classes.iter().map(|class| signature(*class)).collect();
        let returns: BTreeSet<usize> = classes
            .iter()
            .zip(&signatures)
            .filter_map(|(class, signature)| match class {
                Class::Return(tool, _) if !signature.is_empty() => Some(*tool),
                _ => None,
            })
            .collect();
        for (class, signature) in classes.into_iter().zip(signatures) {
            let tool = match class {
                // A return needs a call of its own tool.
                Class::Call(tool) if tool < named || returns.contains(&tool) => Some(tool),
                Class::Return(tool, _) if all_returns && returns.contains(&tool) => Some(tool),
                _ => None,
            };
            let answered = match class {
                Class::Call(tool) => returns.contains(&tool),
                Class::Return(tool, _) => all_returns && returns.contains(&tool),
                _ => false,
            };
            let kind = match class {
                // A call of unknown outcome may still be answered.
                Class::Return(_, Status::Unknown) if all_returns => 2,
                Class::Return(..) if all_returns => 1,
                _ => 0,
            };
            if !signature.is_empty() || answered {
                groups
                    .entry((signature, tool, kind))
                    .or_default()
                    .push(class);
            }
        }
        let mut groups: Vec<Group> = groups
            .into_values()
            .map(|classes| Group {
                classes,
                code: Vec::new(),
            })
            .collect();
        // Calls first: of equally short traces those with calls read best.
        groups.sort_by_key(|group| match group.classes.first() {
            Some(Class::Call(tool)) => (0, *tool, 0),
            Some(Class::Return(tool, status)) => (1, *tool, *status as usize),
            Some(Class::Input) => (2, 0, 0),
            Some(Class::Output) => (3, 0, 0),
            Some(Class::Declared(id)) => (4, id.0 as usize, 0),
            None => (5, 0, 0),
        });
        encode(&mut groups);
        Self {
            tools: Arc::new(tools),
            groups,
        }
    }

    /// The groups with an event that fits a pattern's kind and tools.
    pub(crate) fn of_pattern(&self, library: &Library, pattern: &Pattern) -> BTreeSet<usize> {
        self.where_class(|class| fits(library, pattern, class, &self.tools))
    }

    /// Whether a group's events fit a pattern's kind and tools.
    pub(crate) fn is_of_pattern(&self, library: &Library, pattern: &Pattern, group: usize) -> bool {
        let class = self
            .groups
            .get(group)
            .and_then(|group| group.classes.first());
        class.is_some_and(|class| fits(library, pattern, *class, &self.tools))
    }

    /// The groups with a class of this kind. Groups are uniform for patterns and watched kinds.
    pub(crate) fn where_class(&self, is: impl Fn(Class) -> bool) -> BTreeSet<usize> {
        self.groups
            .iter()
            .enumerate()
            .filter(|(_, group)| group.classes.first().is_some_and(|class| is(*class)))
            .map(|(index, _)| index)
            .collect()
    }

    /// That this step is an event of one of these groups.
    pub(crate) fn formula(&self, arena: &mut Arena, groups: &BTreeSet<usize>) -> Formula {
        if groups.len() == self.groups.len() && !groups.is_empty() {
            return arena.tt();
        }
        let members: Vec<Formula> = groups
            .iter()
            .filter_map(|index| self.groups.get(*index))
            .map(|group| code_formula(arena, &group.code))
            .collect();
        arena.or(&members)
    }

    /// The classes of the events of a group; none of one that there is not.
    pub(crate) fn classes(&self, group: usize) -> &[Class] {
        self.groups.get(group).map_or(&[], |group| &group.classes)
    }

    /// The group that a letter is of.
    pub(crate) fn group_of(&self, letter: &[(u32, bool)]) -> Option<usize> {
        self.groups.iter().position(|group| {
            group.code.iter().all(|(atom, value)| {
                let given = letter
                    .iter()
                    .find(|(other, _)| other == atom)
                    .is_some_and(|(_, value)| *value);
                given == *value
            })
        })
    }
}

/// That a few atoms have these values.
pub(crate) fn code_formula(arena: &mut Arena, code: &[(u32, bool)]) -> Formula {
    let parts: Vec<Formula> = code
        .iter()
        .map(|(atom, value)| {
            let atom = arena.atom(*atom);
            if *value { atom } else { arena.not(atom) }
        })
        .collect();
    arena.and(&parts)
}

/// Gives each group a word of a complete prefix code; the first ones have the shorter words.
fn encode(groups: &mut [Group]) {
    let n = groups.len();
    if n < 2 {
        return;
    }
    let short = n.ilog2();
    // So many words of the shorter length stay whole; the others are split in two.
    let whole = (2usize << short) - n;
    for (index, group) in groups.iter_mut().enumerate() {
        let (word, length) = if index < whole {
            (index, short)
        } else {
            (whole * 2 + (index - whole), short + 1)
        };
        group.code = (0..length)
            .map(|bit| (bit, word >> (length - 1 - bit) & 1 == 1))
            .collect();
    }
}

fn tool_name(library: &Library, id: u32) -> Option<ToolName> {
    let tool = library.tools.get(id as usize)?;
    Some(ToolName {
        server: tool.server.clone(),
        name: Some(tool.name.clone()),
    })
}

/// Whether events of a kind have a tool.
fn has_tool(kind: EventKind) -> bool {
    matches!(kind, EventKind::Call | EventKind::Return(_))
}

/// Whether a pattern names the kind and tool of an event.
pub(crate) fn fits(library: &Library, pattern: &Pattern, class: Class, tools: &[ToolName]) -> bool {
    let tool = match (pattern.kind, class) {
        (EventKind::Call, Class::Call(tool)) => tool,
        (EventKind::Return(None), Class::Return(tool, _)) => tool,
        (EventKind::Return(Some(wanted)), Class::Return(tool, status)) if wanted == status => tool,
        (EventKind::Input, Class::Input) | (EventKind::Output, Class::Output) => return true,
        (EventKind::Declared(wanted), Class::Declared(id)) => return wanted == id,
        _ => return false,
    };
    let Some(tool) = tools.get(tool) else {
        return false;
    };
    let named = |ids: &[ctr_front::ir::ToolId]| {
        ids.iter()
            .filter_map(|id| library.tools.get(id.0 as usize))
            .any(|wanted| {
                tool.name.as_ref() == Some(&wanted.name)
                    && (wanted.server.is_none() || wanted.server == tool.server)
            })
    };
    match &pattern.tools {
        Tools::Any => true,
        Tools::OneOf(ids) => named(ids),
        Tools::Except(ids) => !named(ids),
    }
}

/// Whether events of a kind are steps of a contract.
pub(crate) fn watches(contract: &Contract, class: Class) -> bool {
    match class {
        Class::Call(_) => contract.watch.calls,
        Class::Return(..) => contract.watch.returns,
        Class::Input => contract.watch.inputs,
        Class::Output => contract.watch.outputs,
        Class::Declared(id) => contract.watch.events.contains(&id),
    }
}

/// Whether a pattern names kind and tool of an event, whatever the status.
pub(crate) fn fits_any_status(
    library: &Library,
    pattern: &Pattern,
    class: Class,
    tools: &[ToolName],
) -> bool {
    match (pattern.kind, class) {
        (EventKind::Return(Some(wanted)), Class::Return(tool, _)) => {
            fits(library, pattern, Class::Return(tool, wanted), tools)
        }
        _ => fits(library, pattern, class, tools),
    }
}
