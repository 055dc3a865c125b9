//! From the model to the bytes.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::checksum::xxh64;
use super::layout::{
    self, BYTE_ORDER, ENTRY, HEADER, MAGIC, NODE_BIT, Section, VERSION, WORD, action, code,
    constant, contract, kind, op, root, step, tools,
};
use super::library;
use super::model::{
    Action, Automaton, Const, Contract, EventKind, Expr, MessagePart, Model, NodeRef, Pattern,
    Place, Root, Step, Tools,
};

/// Why a model cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodeError {
    /// What is wrong, in plain words.
    pub what: String,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot write the contract library: {}", self.what)
    }
}

impl core::error::Error for EncodeError {}

/// Writes a model. Equal models give equal bytes, on every machine.
///
/// Beyond what the model's fields say, an expression's children include what it reaches through a
/// pattern (its keys and condition) or a register (its member and value): these have lower ids too,
/// so that nothing refers to itself. Lists of tools and of watched events are ascending.
///
/// # Errors
///
/// Where the model breaks a rule that loading would find broken, or is too large for 32-bit offsets.
pub fn encode(model: &Model) -> Result<Vec<u8>, EncodeError> {
    let mut writer = Writer::new();
    writer.model(model)?;
    let bytes = writer.finish()?;
    // What is written can be read: the loader's own checks are the rules.
    library::check(&bytes).map_err(|error| EncodeError {
        what: format!("{} (section `{}`)", error.what, error.section),
    })?;
    Ok(bytes)
}

struct Writer<'m> {
    sections: Vec<Vec<u8>>,
    texts: BTreeMap<&'m str, u32>,
    lists: BTreeMap<Vec<u32>, u32>,
}

fn too_large() -> EncodeError {
    EncodeError {
        what: "it is larger than 32-bit offsets allow".into(),
    }
}

fn size(count: usize) -> Result<u32, EncodeError> {
    u32::try_from(count).map_err(|_| too_large())
}

fn optional(id: Option<u32>) -> Result<u32, EncodeError> {
    id.map_or(Ok(0), |id| id.checked_add(1).ok_or_else(too_large))
}

const fn split(value: i64) -> (u32, u32) {
    let bits = value as u64;
    (bits as u32, (bits >> 32) as u32)
}

fn bytes_word(low: u8, high: u32) -> u32 {
    u32::from(low) | high << 8
}

const fn node_ref(reference: NodeRef) -> u32 {
    match reference {
        NodeRef::State(state) => state,
        NodeRef::Node(node) => node | NODE_BIT,
    }
}

impl<'m> Writer<'m> {
    fn new() -> Self {
        Self {
            sections: Section::ALL.iter().map(|_| Vec::new()).collect(),
            texts: BTreeMap::new(),
            lists: BTreeMap::new(),
        }
    }

    fn section(&mut self, section: Section) -> &mut Vec<u8> {
        let at = section as usize;
        while self.sections.len() <= at {
            self.sections.push(Vec::new());
        }
        #[expect(clippy::indexing_slicing, reason = "the loop above has made it")]
        &mut self.sections[at]
    }

    fn put(&mut self, section: Section, words: &[u32]) {
        let out = self.section(section);
        for word in words {
            out.extend_from_slice(&word.to_le_bytes());
        }
    }

    /// The number of records that a section has so far.
    fn records(&mut self, section: Section) -> Result<u32, EncodeError> {
        size(self.section(section).len() / (section.words().max(1) * WORD))
    }

    fn text(&mut self, text: &'m str) -> Result<u32, EncodeError> {
        if let Some(id) = self.texts.get(text) {
            return Ok(*id);
        }
        let start = size(self.section(Section::Texts).len())?;
        self.section(Section::Texts)
            .extend_from_slice(text.as_bytes());
        self.put(Section::TextStarts, &[start]);
        let id = size(self.texts.len())?;
        self.texts.insert(text, id);
        Ok(id)
    }

    fn optional_text(&mut self, text: Option<&'m String>) -> Result<u32, EncodeError> {
        match text {
            Some(text) => optional(Some(self.text(text)?)),
            None => Ok(0),
        }
    }

    fn list(&mut self, words: Vec<u32>) -> Result<[u32; 2], EncodeError> {
        let count = size(words.len())?;
        if count == 0 {
            return Ok([0, 0]);
        }
        if let Some(start) = self.lists.get(&words) {
            return Ok([*start, count]);
        }
        let start = self.records(Section::Lists)?;
        self.put(Section::Lists, &words);
        self.lists.insert(words, start);
        Ok([start, count])
    }

    fn text_list(&mut self, texts: &'m [String]) -> Result<[u32; 2], EncodeError> {
        let ids = texts
            .iter()
            .map(|text| self.text(text))
            .collect::<Result<_, _>>()?;
        self.list(ids)
    }

    fn model(&mut self, model: &'m Model) -> Result<(), EncodeError> {
        let compiler = self.text(&model.compiler)?;
        self.put(Section::Artifact, &[compiler]);
        for source in &model.sources {
            let path = self.text(&source.path)?;
            let [start, count] = self.list(source.lines.clone())?;
            self.put(Section::Sources, &[path]);
            self.section(Section::Sources)
                .extend_from_slice(&source.sha256);
            self.put(Section::Sources, &[start, count]);
        }
        for tool in &model.tools {
            let server = self.optional_text(tool.server.as_ref())?;
            let name = self.text(&tool.name)?;
            self.put(Section::Tools, &[server, name]);
        }
        for tool in &model.declared {
            let server = self.optional_text(tool.server.as_ref())?;
            let name = self.text(&tool.name)?;
            let input = self.optional_text(tool.input.as_ref())?;
            self.put(Section::Declared, &[server, name, input]);
        }
        for event in &model.events {
            let name = self.text(event)?;
            self.put(Section::Events, &[name]);
        }
        for lookup in &model.lookups {
            let name = self.text(&lookup.name)?;
            self.put(Section::Lookups, &[name, lookup.arity]);
        }
        for regex in &model.regexes {
            let pattern = self.text(&regex.pattern)?;
            let start = size(self.section(Section::RegexAutomata).len())?;
            self.section(Section::RegexAutomata)
                .extend_from_slice(&regex.program);
            let length = size(regex.program.len())?;
            let ecma = self.optional_text(regex.ecma.as_ref())?;
            self.put(Section::Regexes, &[pattern, start, length, ecma]);
        }
        for together in &model.together {
            let start = size(self.section(Section::RegexAutomata).len())?;
            self.section(Section::RegexAutomata)
                .extend_from_slice(&together.table);
            let length = size(together.table.len())?;
            let [first, count] = self.list(together.regexes.clone())?;
            let words = [together.output.into(), first, count, start, length];
            self.put(Section::Together, &words);
        }
        for expr in &model.exprs {
            let words = self.expr(expr)?;
            self.put(Section::Expressions, &words);
        }
        for pattern in &model.patterns {
            self.pattern(pattern)?;
        }
        for register in &model.registers {
            let (low, high) = split(register.window.unwrap_or(0));
            let words = [
                code(&layout::REGISTER, &register.kind),
                register.member,
                optional(register.value)?,
                u32::from(register.window.is_some()),
                low,
                high,
                register.keys,
            ];
            self.put(Section::Registers, &words);
        }
        for atom in &model.atoms {
            let text = self.text(&atom.text)?;
            let remedy = self.optional_text(atom.remedy.as_ref())?;
            self.put(Section::Atoms, &[atom.expr, text, remedy]);
        }
        for automaton in &model.automata {
            self.automaton(automaton)?;
        }
        for (n, contract) in model.contracts.iter().enumerate() {
            self.contract(size(n)?, contract)?;
        }
        Ok(())
    }

    fn expr(&mut self, expr: &'m Expr) -> Result<[u32; 4], EncodeError> {
        let plain = |op: u8, a: u32, b: u32| [u32::from(op), a, b, 0];
        Ok(match expr {
            Expr::Const(value) => self.constant(value)?,
            Expr::List(items) => {
                let [start, count] = self.list(items.clone())?;
                plain(op::LIST, start, count)
            }
            Expr::Root(value) => {
                let (code, operand) = match value {
                    Root::Args => (root::ARGS, 0),
                    Root::Result => (root::RESULT, 0),
                    Root::Text => (root::TEXT, 0),
                    Root::Fields => (root::FIELDS, 0),
                    Root::Agent => (root::AGENT, 0),
                    Root::Server => (root::SERVER, 0),
                    Root::Time => (root::TIME, 0),
                    Root::Turn => (root::TURN, 0),
                    Root::Depth => (root::DEPTH, 0),
                    Root::Tokens => (root::TOKENS, 0),
                    Root::Context => (root::CONTEXT, 0),
                    Root::Key(n) => (root::KEY, *n),
                    Root::Var(n) => (root::VAR, *n),
                };
                [bytes_word(op::ROOT, u32::from(code)), operand, 0, 0]
            }
            Expr::Path {
                base,
                steps,
                coerce,
            } => {
                let mut words = Vec::with_capacity(steps.len() * 2);
                for entry in steps {
                    words.extend(match entry {
                        Step::Field(name) => [step::FIELD, self.text(name)?],
                        Step::Index(n) => [step::INDEX, *n],
                        Step::All => [step::ALL, 0],
                    });
                }
                let [start, count] = self.list(words)?;
                let coerce = code(&layout::COERCE, coerce);
                [bytes_word(op::PATH, coerce), *base, start, count]
            }
            Expr::Not(a) => plain(op::NOT, *a, 0),
            Expr::And(items) => {
                let [start, count] = self.list(items.clone())?;
                plain(op::AND, start, count)
            }
            Expr::Or(items) => {
                let [start, count] = self.list(items.clone())?;
                plain(op::OR, start, count)
            }
            Expr::Iff(a, b) => plain(op::IFF, *a, *b),
            Expr::Compare(operator, a, b) => {
                let operator = code(&layout::COMPARE, operator);
                [bytes_word(op::COMPARE, operator), *a, *b, 0]
            }
            Expr::In(a, b) => plain(op::IN, *a, *b),
            Expr::Matches(a, regex) => plain(op::MATCHES, *a, *regex),
            Expr::Like(a, b) => plain(op::LIKE, *a, *b),
            Expr::Contains(a, b) => plain(op::CONTAINS, *a, *b),
            Expr::StartsWith(a, b) => plain(op::STARTS_WITH, *a, *b),
            Expr::EndsWith(a, b) => plain(op::ENDS_WITH, *a, *b),
            Expr::Inside(a, b) => plain(op::INSIDE, *a, *b),
            Expr::Has(a) => plain(op::HAS, *a, 0),
            Expr::Coalesce(a, b) => plain(op::COALESCE, *a, *b),
            Expr::Every(a, b) => plain(op::EVERY, *a, *b),
            Expr::Some(a, b) => plain(op::SOME, *a, *b),
            Expr::Add(a, b) => plain(op::ADD, *a, *b),
            Expr::Sub(a, b) => plain(op::SUB, *a, *b),
            Expr::Mul(a, b) => plain(op::MUL, *a, *b),
            Expr::Neg(a) => plain(op::NEG, *a, 0),
            Expr::Call(function, args) => {
                let [start, count] = self.list(args.clone())?;
                let function = code(&layout::FUNCTION, function);
                [bytes_word(op::CALL, function), start, count, 0]
            }
            Expr::Lookup(lookup, args) => {
                let [start, count] = self.list(args.clone())?;
                [u32::from(op::LOOKUP), *lookup, start, count]
            }
            Expr::Read { register, earlier } => {
                let first = bytes_word(op::READ, u32::from(*earlier));
                [first, *register, 0, 0]
            }
            Expr::Mentioned {
                register,
                value,
                earlier,
            } => {
                let first = bytes_word(op::MENTIONED, u32::from(*earlier));
                [first, *register, *value, 0]
            }
            Expr::Fresh { register, within } => {
                let (low, high) = split(*within);
                [u32::from(op::FRESH), *register, low, high]
            }
            Expr::Pattern(pattern) => plain(op::PATTERN, *pattern, 0),
        })
    }

    fn constant(&mut self, value: &'m Const) -> Result<[u32; 4], EncodeError> {
        let (code, a, b) = match value {
            Const::Null => (constant::NULL, 0, 0),
            Const::Bool(value) => (constant::BOOL, u32::from(*value), 0),
            Const::Number(number) => {
                let bits = number.coefficient() as u128;
                let mut words = Vec::from([number.exponent().cast_unsigned()]);
                words.extend((0..4).map(|n| (bits >> (32 * n)) as u32));
                let [start, count] = self.list(words)?;
                (constant::NUMBER, start, count)
            }
            Const::Str(text) => (constant::STR, self.text(text)?, 0),
            Const::Duration(nanos) => {
                let (low, high) = split(*nanos);
                (constant::DURATION, low, high)
            }
            Const::Timestamp(nanos) => {
                let (low, high) = split(*nanos);
                (constant::TIMESTAMP, low, high)
            }
        };
        Ok([bytes_word(op::CONST, u32::from(code)), a, b, 0])
    }

    fn pattern(&mut self, pattern: &'m Pattern) -> Result<(), EncodeError> {
        let (kind, status, declared) = match pattern.kind {
            EventKind::Call => (kind::CALL, 0, 0),
            EventKind::Return(status) => (kind::RETURN, code(&layout::STATUS, &status), 0),
            EventKind::Input => (kind::INPUT, 0, 0),
            EventKind::Output => (kind::OUTPUT, 0, 0),
            EventKind::Declared(n) => (kind::DECLARED, 0, n),
        };
        let (choice, list) = match &pattern.tools {
            Tools::Any => (tools::ANY, [0, 0]),
            Tools::OneOf(list) => (tools::ONE_OF, self.list(list.clone())?),
            Tools::Except(list) => (tools::EXCEPT, self.list(list.clone())?),
        };
        let [tools_start, tools_count] = list;
        let [keys_start, keys_count] = self.list(pattern.keys.clone())?;
        let text = self.text(&pattern.text)?;
        let words = [
            bytes_word(kind, status),
            declared,
            choice,
            tools_start,
            tools_count,
            keys_start,
            keys_count,
            optional(pattern.condition)?,
            text,
        ];
        self.put(Section::Patterns, &words);
        Ok(())
    }

    fn automaton(&mut self, automaton: &Automaton) -> Result<(), EncodeError> {
        if automaton.states.len() >= NODE_BIT as usize || automaton.nodes.len() >= NODE_BIT as usize
        {
            return Err(too_large());
        }
        let words = [
            self.records(Section::States)?,
            size(automaton.states.len())?,
            automaton.initial,
            self.records(Section::Nodes)?,
            size(automaton.nodes.len())?,
        ];
        self.put(Section::Automata, &words);
        for state in &automaton.states {
            let label = code(&layout::LABEL, &state.label);
            let words = [label | u32::from(state.idle) << 8, node_ref(state.root)];
            self.put(Section::States, &words);
        }
        for node in &automaton.nodes {
            let words = [node.atom, node_ref(node.low), node_ref(node.high)];
            self.put(Section::Nodes, &words);
        }
        Ok(())
    }

    fn contract(&mut self, id: u32, from: &'m Contract) -> Result<(), EncodeError> {
        let place = |place: Place| [place.source, place.start, place.end];
        let mut words: Vec<u32> = Vec::with_capacity(contract::WORDS);
        words.push(self.text(&from.name)?);
        words.push(self.text(&from.module)?);
        words.push(self.text(&from.doc)?);
        words.extend(place(from.place));
        words.extend(self.text_list(&from.keys)?);
        let watch = [
            from.watch.calls,
            from.watch.returns,
            from.watch.inputs,
            from.watch.outputs,
        ];
        words.push(
            watch
                .iter()
                .enumerate()
                .fold(0, |bits, (n, set)| bits | u32::from(*set) << n),
        );
        words.extend(self.list(from.watch.events.clone())?);
        words.extend(self.list(from.patterns.clone())?);
        words.extend([self.records(Section::Clauses)?, size(from.clauses.len())?]);
        for clause in &from.clauses {
            let text = self.text(&clause.text)?;
            let [source, start, end] = place(clause.place);
            let side = code(&layout::SIDE, &clause.side);
            self.put(Section::Clauses, &[side, text, source, start, end]);
        }
        words.extend([
            self.records(Section::Deadlines)?,
            size(from.deadlines.len())?,
        ]);
        for deadline in &from.deadlines {
            let text = self.text(&deadline.text)?;
            let (low, high) = split(deadline.within);
            let side = code(&layout::SIDE, &deadline.side);
            let record = [
                id,
                side,
                deadline.trigger,
                deadline.response,
                low,
                high,
                text,
            ];
            self.put(Section::Deadlines, &record);
        }
        words.push(optional(from.assume)?);
        words.push(optional(from.guarantee)?);
        match &from.action {
            Action::Block => words.extend([action::BLOCK, 0, 0, 0]),
            Action::Warn => words.extend([action::WARN, 0, 0, 0]),
            Action::Escalate => words.extend([action::ESCALATE, 0, 0, 0]),
            Action::Repair => words.extend([action::REPAIR, 0, 0, 0]),
            Action::Redirect { tool, args } => {
                let mut pairs = Vec::with_capacity(args.len() * 2);
                for (name, expr) in args {
                    pairs.extend([self.text(name)?, *expr]);
                }
                words.extend([action::REDIRECT, *tool]);
                words.extend(self.list(pairs)?);
            }
        }
        let mut message = Vec::with_capacity(from.message.len() * 2);
        for part in &from.message {
            message.extend(match part {
                MessagePart::Text(text) => [0, self.text(text)?],
                MessagePart::Expr(expr) => [1, *expr],
            });
        }
        words.extend(self.list(message)?);
        words.push(self.optional_text(from.id.as_ref())?);
        words.push(self.optional_text(from.severity.as_ref())?);
        let source = from.source.as_ref();
        words.push(self.optional_text(source.map(|(file, _)| file))?);
        words.push(self.optional_text(source.and_then(|(_, section)| section.as_ref()))?);
        words.extend(self.text_list(&from.tags)?);
        words.extend(self.text_list(&from.agents)?);
        self.put(Section::Contracts, &words);
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<u8>, EncodeError> {
        let end = size(self.section(Section::Texts).len())?;
        self.put(Section::TextStarts, &[end]);
        let table = Section::ALL.len() * ENTRY;
        let mut body: Vec<u8> = Vec::new();
        let mut entries: Vec<u8> = Vec::with_capacity(table);
        for section in &self.sections {
            while !body.len().is_multiple_of(WORD) {
                body.push(0);
            }
            let start = size(HEADER + table + body.len())?;
            entries.extend_from_slice(&start.to_le_bytes());
            entries.extend_from_slice(&size(section.len())?.to_le_bytes());
            body.extend_from_slice(section);
        }
        let total = HEADER + table + body.len();
        size(total)?;
        let mut checked = entries;
        checked.append(&mut body);
        let mut out = Vec::with_capacity(total);
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&BYTE_ORDER.to_le_bytes());
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&size(Section::ALL.len())?.to_le_bytes());
        out.extend_from_slice(&(total as u64).to_le_bytes());
        out.extend_from_slice(&xxh64(&checked).to_le_bytes());
        out.append(&mut checked);
        Ok(out)
    }
}
