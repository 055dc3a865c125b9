//! What a name stands for.

use std::time::{Duration, Instant};

use ctr_front::ir::{Contract, Place, Side};
use ctr_front::load::Unit;
use ctr_front::symbols::{Mention, Symbol, SymbolKind, Symbols};
use ctr_front::types::Annotations;
use ctr_grammar::Span;
use ctr_grammar::ast::{ExprKind, Item, ItemKind};
use ctr_logic::Limits;
use ctr_words::ContractWords;

use super::text::{Text, code};
use super::types;
use crate::snapshot::Analysis;

/// How long automata are made for one answer; what is not known by then is left out.
const PATIENCE: Duration = Duration::from_millis(150);

/// The most states of an automaton that is told.
const MAX_STATES: usize = 300;

/// The longest piece of a policy that is shown, in lines.
const MOST_LINES: usize = 20;

/// A name where it stands.
pub(crate) struct About<'s> {
    pub(crate) analysis: &'s Analysis,
    pub(crate) symbols: &'s Symbols,
    pub(crate) symbol: &'s Symbol,
    /// Where it is asked about; `None` for a candidate of a completion.
    pub(crate) mention: Option<&'s Mention>,
}

impl<'s> About<'s> {
    /// Says all that is known of it.
    pub(crate) fn write(&self, out: &mut Text) {
        match self.symbol.kind {
            SymbolKind::Contract => self.contract(out),
            SymbolKind::Predicate => self.predicate(out),
            SymbolKind::Tool => self.tool(out),
            SymbolKind::Argument | SymbolKind::ResultField | SymbolKind::EventField => {
                self.field(out);
            }
            SymbolKind::Let => self.named_value(out),
            SymbolKind::Key => {
                self.typed("key", out);
                out.paragraph(
                    "A key: the contract is judged apart for each value of it that occurs.",
                );
            }
            SymbolKind::Parameter => {
                self.typed("parameter", out);
                if self.symbol.ty.is_none() {
                    out.paragraph("A parameter that stands for a pattern or a formula.");
                }
            }
            SymbolKind::Variable => {
                self.typed("variable", out);
                out.paragraph("An element of the list.");
            }
            SymbolKind::Event => {
                self.declaration(out);
                self.doc(out);
                out.paragraph("A declared event: the environment decides it.");
            }
            SymbolKind::Lookup => {
                self.declaration(out);
                self.doc(out);
                out.paragraph(
                    "A lookup: the host answers it when a condition needs it, once per event and arguments. Without an answer it is undefined.",
                );
            }
            SymbolKind::Context => {
                self.declaration(out);
                self.doc(out);
                out.paragraph(
                    "A fact that the host supplies, read as `ctx.…`. What it did not supply is undefined.",
                );
            }
            SymbolKind::Group => self.group(out),
            SymbolKind::Module => self.module(out),
            SymbolKind::EnumValue => {
                let owner = self.symbol.owner.as_deref().unwrap_or_default();
                let mut of = types::dotted(&self.symbol.path);
                if of.is_empty() {
                    of = format!("ctx.{owner}");
                } else {
                    of = format!("{of}` of `{owner}");
                }
                out.paragraph(&format!("One of the values of `{of}`."));
            }
        }
        if self.mention.is_none_or(|mention| !mention.definition) {
            self.origin(out);
        }
    }

    fn doc(&self, out: &mut Text) {
        let Some(doc) = &self.symbol.doc else { return };
        let written_here = self
            .symbol
            .definitions
            .first()
            .is_some_and(|place| self.unit(*place).is_some());
        if written_here && self.symbol.kind != SymbolKind::Tool {
            out.paragraph(doc);
        } else {
            out.foreign(doc);
        }
    }

    fn unit(&self, place: Place) -> Option<&'s Unit> {
        let units = &self.analysis.compiled.graph.units;
        units.iter().find(|unit| unit.source == place.source)
    }

    /// The item in which it is declared.
    fn item(&self) -> Option<(&'s Unit, &'s Item)> {
        let place = *self.symbol.definitions.first()?;
        let unit = self.unit(place)?;
        let item = unit
            .file
            .items
            .iter()
            .find(|item| holds(item.span, place.span))?;
        Some((unit, item))
    }

    fn text_of(&self, unit: &Unit, span: Span) -> &'s str {
        let text = self.analysis.text(unit.source).unwrap_or_default();
        span.text(text)
    }

    /// The declaration as it is written.
    fn declaration(&self, out: &mut Text) {
        if let Some((unit, item)) = self.item() {
            out.code(&shortened(self.text_of(unit, item.span)));
        } else {
            self.typed(kind(self.symbol.kind), out);
        }
    }

    fn typed(&self, kind: &str, out: &mut Text) {
        let name = &self.symbol.name;
        match &self.symbol.ty {
            Some(ty) => out.code(&format!("{kind} {name}: {}", types::written(ty))),
            None => out.code(&format!("{kind} {name}")),
        }
    }

    /// Where it is declared, for a name that is used elsewhere.
    fn origin(&self, out: &mut Text) {
        let places: Vec<String> = self
            .symbol
            .definitions
            .iter()
            .filter_map(|place| self.spot(*place))
            .collect();
        match places.as_slice() {
            [] if self.symbol.kind == SymbolKind::Tool => {
                out.paragraph("Declared nowhere here: nothing is known of its arguments.");
            }
            [] => {}
            _ if self.symbol.library => out.paragraph("Comes with the compiler."),
            _ if self.symbol.kind == SymbolKind::Contract => {}
            places => out.paragraph(&format!("Declared in {}.", places.join(" and "))),
        }
    }

    /// `policy.ctr`, line 3
    fn spot(&self, place: Place) -> Option<String> {
        let path = self.analysis.path(place.source)?;
        let text = self.analysis.text(place.source)?;
        let name = path.rsplit('/').next().unwrap_or(path);
        let before = text.get(..place.span.start as usize)?;
        let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
        Some(format!("{}, line {line}", code(name)))
    }

    fn contract(&self, out: &mut Text) {
        let mut head = format!("contract {}", self.symbol.name);
        let item = self.item();
        if let Some((_, item)) = item
            && let ItemKind::Contract(contract) = &item.kind
        {
            let keys: Vec<&str> = contract.keys.iter().map(|k| k.name.as_str()).collect();
            match keys.as_slice() {
                [] => {}
                [key] => head.push_str(&format!(" for each {key}")),
                keys => head.push_str(&format!(" for each ({})", keys.join(", "))),
            }
        }
        out.code(&head);
        self.doc(out);
        let library = self.analysis.library();
        let found = library.and_then(|library| {
            let place = self.symbol.definitions.first()?;
            let at = library
                .contracts
                .iter()
                .position(|c| c.name_place == *place)?;
            Some((library, at, library.contracts.get(at)?))
        });
        let Some((library, at, contract)) = found else {
            if let Some((unit, item)) = item {
                out.code(&shortened(self.text_of(unit, item.span)));
            }
            if self.analysis.library().is_none() {
                out.paragraph("It is told in words once the policy has no errors.");
            }
            return;
        };
        let words = self.analysis.words(at, || {
            let until = Instant::now() + PATIENCE;
            let cancel = || Instant::now() >= until;
            let limits = Limits {
                states: MAX_STATES,
                cancel: Some(&cancel),
                ..Limits::default()
            };
            let words = ctr_words::contract_within(library, contract, &limits);
            (words, !cancel())
        });
        said(&words, out);
        labels(contract, out);
        out.paragraph(&sizes(contract, &words));
        if let Some(spot) = self.spot(contract.name_place) {
            let module = if contract.module.is_empty() {
                String::new()
            } else {
                format!(" of {}", code(&contract.module))
            };
            out.paragraph(&format!(
                "Contract {} of {} in the policy{module}; {spot}.",
                at + 1,
                library.contracts.len()
            ));
        }
    }

    /// A template, and at a use what it stands for there.
    fn predicate(&self, out: &mut Text) {
        self.declaration(out);
        self.doc(out);
        let Some((_, item)) = self.item() else { return };
        let ItemKind::Predicate(predicate) = &item.kind else {
            return;
        };
        if let Some(expansion) = self.expansion(predicate) {
            out.paragraph("Stands here for:");
            out.code(&shortened(&expansion));
        }
    }

    /// The body with what is given for the parameters.
    fn expansion(&self, predicate: &ctr_grammar::ast::Predicate) -> Option<String> {
        let mention = self.mention.filter(|m| !m.definition)?;
        let here = self.unit(mention.place)?;
        let mut given: Option<Vec<Span>> = None;
        for expr in ctr_grammar::walk::expressions(&here.file) {
            if !holds(expr.span, mention.place.span) {
                continue;
            }
            ctr_grammar::walk::walk(expr, &mut |e| {
                if let ExprKind::Call(path, args) = &e.kind
                    && holds(path.span, mention.place.span)
                {
                    given = Some(args.iter().map(|arg| arg.span).collect());
                }
            });
        }
        let given = given.filter(|given| given.len() == predicate.params.len())?;
        let (unit, _) = self.item()?;
        let body = predicate.body.span;
        let text = self.analysis.text(unit.source)?;
        // The parameters where they stand in the body, in order of the text.
        let mut uses: Vec<(Span, Span)> = Vec::new();
        for (param, arg) in predicate.params.iter().zip(&given) {
            let index = self.symbols.symbols.iter().position(|s| {
                s.kind == SymbolKind::Parameter
                    && s.definitions
                        .iter()
                        .any(|p| p.source == unit.source && p.span == param.name.span)
            })?;
            uses.extend(
                self.symbols
                    .mentions_of(index)
                    .filter(|m| m.place.source == unit.source && holds(body, m.place.span))
                    .map(|m| (m.place.span, *arg)),
            );
        }
        uses.sort();
        let mut out = String::new();
        let mut at = body.start;
        for (span, arg) in uses {
            out.push_str(Span::new(at, span.start).text(text));
            let arg = self.text_of(here, arg);
            let simple =
                !arg.contains(' ') || (arg.split(' ').count() == 2 && !arg.contains(['(', '|']));
            let after = text.get(span.end as usize..).unwrap_or_default();
            let alone = out.ends_with('(') && after.starts_with([')', ',']);
            let arg = match arg.strip_prefix('(').and_then(|a| a.strip_suffix(')')) {
                Some(inner) if alone => inner,
                _ => arg,
            };
            if alone || simple || arg.starts_with('(') || arg.starts_with('{') {
                out.push_str(arg);
            } else {
                out.push('(');
                out.push_str(arg);
                out.push(')');
            }
            at = span.end;
        }
        out.push_str(Span::new(at, body.end).text(text));
        Some(out)
    }

    /// The fields right below a name, in order.
    fn parts(&self, kind: SymbolKind, owner: &str, way: &[String]) -> Vec<&'s Symbol> {
        self.symbols
            .symbols
            .iter()
            .filter(|s| {
                s.kind == kind
                    && s.owner.as_deref() == Some(owner)
                    && s.path.len() == way.len() + 1
                    && s.path.starts_with(way)
            })
            .collect()
    }

    /// The tool as a file declares it.
    fn annotations(&self) -> Option<Annotations> {
        let units = &self.analysis.compiled.graph.units;
        units
            .iter()
            .flat_map(|unit| &unit.tools)
            .find(|tool| self.symbol.definitions.contains(&tool.place))
            .map(|tool| tool.annotations)
    }

    fn tool(&self, out: &mut Text) {
        let name = &self.symbol.name;
        // The names that its fields belong to: `server.tool` where a server has it.
        let owner = self.owner();
        let args = self.parts(SymbolKind::Argument, &owner, &[]);
        let result = self
            .symbol
            .ty
            .as_ref()
            .filter(|ty| **ty != ctr_front::types::Type::Any)
            .map(|ty| format!(" -> {}", types::written(ty)))
            .unwrap_or_default();
        let shown: Vec<String> = args.iter().map(|arg| field_line(arg)).collect();
        let one_line = format!("tool {}({}){result}", types::name(&owner), shown.join(", "));
        if self.symbol.definitions.is_empty() {
            out.code(&format!("tool {}", types::name(name)));
        } else if one_line.chars().count() <= 80 {
            out.code(&one_line);
        } else {
            out.code(&format!(
                "tool {}(\n  {}\n){result}",
                types::name(&owner),
                shown.join(",\n  ")
            ));
        }
        self.doc(out);
        for arg in &args {
            if let Some(doc) = &arg.doc {
                let first = doc.lines().next().unwrap_or_default();
                let line = format!("{}: {}", code(&arg.name), out.shown(first));
                out.point(&line);
            }
        }
        if let Some(annotations) = self.annotations() {
            let said: Vec<&str> = [
                (annotations.destructive, "destructive", "not destructive"),
                (annotations.read_only, "read only", "not read only"),
                (annotations.idempotent, "idempotent", "not idempotent"),
                (annotations.open_world, "reaches outside", "stays inside"),
            ]
            .into_iter()
            .filter_map(|(value, yes, no)| value.map(|v| if v { yes } else { no }))
            .collect();
            if !said.is_empty() {
                out.paragraph(&format!("The server says: {}.", said.join(", ")));
            }
        }
    }

    /// Under which name the fields of the tool stand.
    fn owner(&self) -> String {
        let name = &self.symbol.name;
        let server = self
            .analysis
            .compiled
            .graph
            .units
            .iter()
            .flat_map(|unit| &unit.tools)
            .find(|tool| self.symbol.definitions.contains(&tool.place))
            .and_then(|tool| tool.server.clone())
            .or_else(|| {
                let (_, item) = self.item()?;
                match &item.kind {
                    ItemKind::Tool(tool) => match tool.name.parts.as_slice() {
                        [server, _] => Some(server.name.trim().to_owned()),
                        _ => None,
                    },
                    _ => None,
                }
            });
        match server {
            Some(server) => format!("{server}.{name}"),
            None => name.clone(),
        }
    }

    fn field(&self, out: &mut Text) {
        let symbol = self.symbol;
        let root = match symbol.kind {
            SymbolKind::Argument => "args.",
            SymbolKind::ResultField => "result.",
            _ => "",
        };
        let ty = symbol.ty.as_ref().map(types::written);
        let mark = if symbol.optional { "?" } else { "" };
        out.code(&format!(
            "{root}{}{mark}: {}",
            types::dotted(&symbol.path),
            ty.as_deref().unwrap_or("any")
        ));
        self.doc(out);
        if let Some(values) = symbol.ty.as_ref().and_then(types::values) {
            out.paragraph(&format!("One of {values}."));
        }
        let what = match symbol.kind {
            SymbolKind::Argument => "argument of the tool",
            SymbolKind::ResultField => "field of the result of the tool",
            _ => "field of the event",
        };
        let owner = symbol.owner.as_deref().unwrap_or_default();
        let needed = if symbol.optional {
            "Optional; read it with `has` or `??`. An"
        } else {
            "Required. An"
        };
        let needed = match symbol.kind {
            SymbolKind::Argument => needed.to_owned(),
            _ => needed.replace(" An", " A"),
        };
        out.paragraph(&format!("{needed} {what} {}.", code(owner)));
    }

    fn named_value(&self, out: &mut Text) {
        let place = self.symbol.definitions.first().copied();
        let mut shown = None;
        if let (Some(place), Some((unit, item))) = (place, self.item())
            && let ItemKind::Contract(contract) = &item.kind
        {
            shown = contract
                .clauses
                .iter()
                .find(|clause| holds(clause.span, place.span))
                .map(|clause| shortened(self.text_of(unit, clause.span)));
        }
        match shown {
            Some(text) => out.code(&text),
            None => self.typed("let", out),
        }
        match &self.symbol.ty {
            Some(ty) => out.paragraph(&format!("Its type: {}.", code(&types::written(ty)))),
            None => {
                out.paragraph("It is read where it is used, with the fields of the event there.")
            }
        }
    }

    fn group(&self, out: &mut Text) {
        self.declaration(out);
        self.doc(out);
        let library = self.analysis.library();
        let group = library.and_then(|l| l.groups.iter().find(|g| g.name == self.symbol.name));
        if let Some(group) = group {
            let tools: Vec<String> = group
                .tools
                .iter()
                .map(|tool| match &tool.server {
                    Some(server) => code(&format!("{server}.{}", tool.name)),
                    None => code(&tool.name),
                })
                .collect();
            if tools.is_empty() {
                out.paragraph("It has no tools.");
            } else {
                out.paragraph(&format!("Its tools: {}.", tools.join(", ")));
            }
        }
    }

    /// An imported file: what it says of itself, and what it declares.
    fn module(&self, out: &mut Text) {
        let graph = &self.analysis.compiled.graph;
        let target = self.symbol.definitions.first().and_then(|place| {
            let unit = self.unit(*place)?;
            let import = unit.imports.iter().find(|i| i.alias == self.symbol.name)?;
            graph.unit(import.unit)
        });
        self.declaration(out);
        let Some(target) = target else { return };
        if let Some(doc) = &target.file.doc {
            out.paragraph(doc);
        }
        let names: Vec<String> = target
            .file
            .items
            .iter()
            .filter_map(|item| match &item.kind {
                ItemKind::Predicate(p) => Some(code(&p.name.name)),
                ItemKind::Event(e) => Some(code(&e.name.name)),
                ItemKind::Lookup(l) => Some(code(&l.name.name)),
                ItemKind::Contract(c) => Some(code(&c.name.name)),
                _ => None,
            })
            .collect();
        if !names.is_empty() {
            let more = names.len().saturating_sub(30);
            let mut shown = names.into_iter().take(30).collect::<Vec<_>>().join(", ");
            if more > 0 {
                shown.push_str(&format!(" and {more} more"));
            }
            out.paragraph(&format!("It has {shown}."));
        }
    }
}

fn holds(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// What a kind of name is called.
pub(crate) fn kind(kind: SymbolKind) -> &'static str {
    match kind {
        SymbolKind::Contract => "contract",
        SymbolKind::Predicate => "predicate",
        SymbolKind::Parameter => "parameter",
        SymbolKind::Let => "let",
        SymbolKind::Key => "key",
        SymbolKind::Variable => "variable",
        SymbolKind::Event => "event",
        SymbolKind::EventField => "field",
        SymbolKind::Lookup => "lookup",
        SymbolKind::Context => "context",
        SymbolKind::Tool => "tool",
        SymbolKind::Argument => "argument",
        SymbolKind::ResultField => "result field",
        SymbolKind::Group => "group",
        SymbolKind::Module => "imported file",
        SymbolKind::EnumValue => "value",
    }
}

/// `name?: type`
fn field_line(field: &Symbol) -> String {
    let mark = if field.optional { "?" } else { "" };
    let ty = field.ty.as_ref().map_or("any".to_owned(), types::written);
    format!("{}{mark}: {ty}", types::name(&field.name))
}

/// The first lines of a piece of a policy, moved to the left.
fn shortened(text: &str) -> String {
    let indent = text
        .lines()
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start().len())
        .min()
        .unwrap_or(0);
    let mut lines: Vec<&str> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if at == MOST_LINES {
            lines.push("...");
            break;
        }
        lines.push(if at == 0 {
            line
        } else {
            line.get(indent..).unwrap_or_default()
        });
    }
    lines.join("\n")
}

/// Who owes what, and what happens where it is not kept.
fn said(words: &ContractWords, out: &mut Text) {
    let style = out.style();
    let intro: Vec<String> = words
        .keys
        .iter()
        .chain([&words.steps])
        .map(|phrase| phrase.sentence(style))
        .collect();
    out.words(&intro.join(" "));
    for side in [Side::Assume, Side::Guarantee] {
        let items: Vec<String> = words
            .clauses
            .iter()
            .filter(|clause| clause.side == side)
            .flat_map(|clause| clause.item.iter().chain(&clause.deadlines))
            .map(|item| item.write(style, 0))
            .collect();
        if items.is_empty() {
            continue;
        }
        out.paragraph(match side {
            Side::Assume => "**The environment owes:**",
            Side::Guarantee => "**The agent owes:**",
        });
        for item in items {
            out.words(&item);
        }
    }
    if !words.consequences.is_empty() {
        out.paragraph("**Where it is not kept:**");
        for phrase in &words.consequences {
            let sentence = phrase.sentence(style);
            out.point(&sentence);
        }
    }
    if let Some(message) = &words.message {
        let message = out.shown(message);
        out.point(&format!("The agent is told: “{message}”"));
    }
}

fn labels(contract: &Contract, out: &mut Text) {
    let mut all = Vec::new();
    all.extend(contract.id.as_ref().map(|id| format!("id {}", code(id))));
    all.extend(
        contract
            .severity
            .as_ref()
            .map(|severity| format!("severity {severity}")),
    );
    if let Some((document, section)) = &contract.source {
        let section = section.as_ref().map(|s| format!(", {}", out.shown(s)));
        all.push(format!(
            "source {}{}",
            code(document),
            section.unwrap_or_default()
        ));
    }
    if !contract.tags.is_empty() {
        let tags: Vec<String> = contract.tags.iter().map(|tag| code(tag)).collect();
        all.push(format!("tags {}", tags.join(", ")));
    }
    out.paragraph(&all.join(" · "));
}

/// How many states the automata have.
fn sizes(contract: &Contract, words: &ContractWords) -> String {
    let mut out = Vec::new();
    for (side, size) in [Side::Assume, Side::Guarantee].into_iter().zip(words.sizes) {
        let owes = contract
            .clauses
            .iter()
            .any(|c| c.side == side && c.formula != ctr_front::ir::Formula::True);
        let name = match side {
            Side::Assume => "assumption",
            Side::Guarantee => "guarantee",
        };
        match size {
            Some(1) => out.push(format!("{name} 1 state")),
            Some(size) => out.push(format!("{name} {size} states")),
            None if owes => out.push(format!("{name} not counted, as it is large")),
            None => {}
        }
    }
    if out.is_empty() {
        String::new()
    } else {
        format!("Automata: {}.", out.join(", "))
    }
}
