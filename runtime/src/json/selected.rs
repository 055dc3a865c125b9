//! Reading those parts of a text that somebody asks for. The rest is checked as all JSON is, keys that occur
//! twice included, and passed over, so that what is read does not depend on what is asked for.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::quick::Quick;
use super::{JsonError, MAX_DEPTH, parse_tokens};
use crate::recycle::Recycler;
use crate::table::{Table, hash};
use crate::value::{Record, Value};

/// No node.
const NONE: u32 = u32::MAX;

/// So many fields of a node are compared one by one; more have a table, so that a large library costs no more
/// for each key of a result.
const FEW_FIELDS: usize = 16;

/// Records of at most so many keys are searched for each further key; the keys of larger ones are sorted.
const FEW: usize = 32;

/// The memory of at most so many keys is kept.
const MAX_KEPT: usize = 4096;

/// Which parts of a value are asked for: a tree whose root is the value.
///
/// ```
/// use ctr_runtime::json::{Parser, Selection, Step};
///
/// let mut wanted = Selection::default();
/// wanted.add([Step::Field("items"), Step::Item, Step::Field("id")]);
/// let value = Parser::default().parse_selected(
///     r#"{"name": "x", "items": [{"id": 7, "price": 9}, {}]}"#,
///     &wanted,
/// )?;
/// assert_eq!(value.to_string(), r#"{"items":[{"id":7},{}]}"#);
/// # Ok::<(), ctr_runtime::json::JsonError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    nodes: Vec<Node>,
}

/// A step to a part of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'s> {
    /// A record's field.
    Field(&'s str),
    /// All elements of a list.
    Item,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Node {
    /// All of it.
    whole: bool,
    /// The keys of a record, or how many elements a list has.
    outline: bool,
    fields: Vec<(Box<str>, u32)>,
    /// The places of fields, where they are more than [`FEW_FIELDS`].
    table: Table,
    /// The elements of a list; [`NONE`] where they are not asked for.
    items: u32,
}

impl Node {
    fn new() -> Self {
        Self {
            whole: false,
            outline: false,
            fields: Vec::new(),
            table: Table::default(),
            items: NONE,
        }
    }

    fn field(&self, name: &str) -> Option<u32> {
        if self.fields.len() <= FEW_FIELDS {
            let mut fields = self.fields.iter();
            return fields.find_map(|(field, node)| (**field == *name).then_some(*node));
        }
        let at = |n: u32| self.fields.get(n as usize);
        let is = |n: u32| at(n).is_some_and(|(field, _)| **field == *name);
        let found = self.table.find(hash(name.as_bytes()), is)?;
        at(found).map(|(_, node)| *node)
    }

    /// Adds a field that is not there.
    fn put(&mut self, name: &str, node: u32) {
        self.fields.push((name.into(), node));
        let known = match self.fields.len() {
            0..=FEW_FIELDS => return,
            // All that have no place yet.
            length if length == FEW_FIELDS + 1 => 0,
            length => length - 1,
        };
        // Nodes are counted in 32 bits, and so are fields.
        for (n, (field, _)) in (0_u32..).zip(&self.fields).skip(known) {
            self.table.insert(hash(field.as_bytes()), n);
        }
    }
}

impl Default for Selection {
    /// Nothing but whether it is a list, a record or something else.
    fn default() -> Self {
        Self {
            nodes: Vec::from([Node::new()]),
        }
    }
}

impl Selection {
    /// Everything.
    #[must_use]
    pub fn whole() -> Self {
        let mut all = Self::default();
        all.add([]);
        all
    }

    /// Asks for all of the part to which the steps lead.
    pub fn add<'s>(&mut self, steps: impl IntoIterator<Item = Step<'s>>) {
        if let Some(node) = self.reach(steps) {
            node.whole = true;
        }
    }

    /// Asks for the keys of the record to which the steps lead, or for the length of the list; the values are
    /// null then. What is neither is read as it is.
    pub fn add_outline<'s>(&mut self, steps: impl IntoIterator<Item = Step<'s>>) {
        if let Some(node) = self.reach(steps) {
            node.outline = true;
        }
    }

    fn reach<'s>(&mut self, steps: impl IntoIterator<Item = Step<'s>>) -> Option<&mut Node> {
        let mut at = 0_usize;
        for step in steps {
            let new = u32::try_from(self.nodes.len()).ok()?;
            let node = self.nodes.get_mut(at)?;
            let next = match step {
                Step::Field(name) => node.field(name).unwrap_or_else(|| {
                    node.put(name, new);
                    new
                }),
                Step::Item => {
                    if node.items == NONE {
                        node.items = new;
                    }
                    node.items
                }
            };
            if next == new {
                self.nodes.push(Node::new());
            }
            at = next as usize;
        }
        self.nodes.get_mut(at)
    }

    fn node(&self, node: u32) -> Option<&Node> {
        self.nodes.get(node as usize)
    }
}

/// What the reader of parts needs for a while.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// The keys of the records that are open.
    names: Vec<Name>,
    /// The lists and records that are open where all is passed over.
    levels: Vec<Level>,
}

/// A key that was seen.
#[derive(Clone, Copy, Debug)]
struct Name {
    print: u64,
    start: usize,
    end: usize,
}

/// The keys of a record that were seen.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// The first of them among all names.
    first: usize,
    /// A bit for each print.
    bits: u64,
}

#[derive(Clone, Copy, Debug)]
enum Level {
    List,
    Record(Seen),
}

/// Reads the selected parts of one JSON value.
///
/// # Errors
///
/// As [`parse`](super::parse), of the whole text.
pub(crate) fn parse_selected(
    text: &str,
    selection: &Selection,
    recycler: &mut Recycler,
) -> Result<Value, JsonError> {
    // One reader is enough where size counts.
    if cfg!(feature = "small") {
        return parse_tokens(text);
    }
    let mut memory = core::mem::take(&mut recycler.selected);
    memory.names.clear();
    memory.levels.clear();
    let mut partial = Partial {
        quick: Quick::new(text),
        selection,
        recycler,
        memory: &mut memory,
    };
    let read = partial
        .value(0, 0)
        .filter(|_| partial.quick.peek().is_none());
    if memory.names.capacity() <= MAX_KEPT {
        recycler.selected = memory;
    }
    match read {
        Some(value) => Ok(value),
        // What is wrong, and where, the reader of tokens tells; it also reads keys with escapes.
        None => parse_tokens(text),
    }
}

struct Partial<'t, 'm> {
    quick: Quick<'t>,
    selection: &'m Selection,
    recycler: &'m mut Recycler,
    memory: &'m mut Memory,
}

impl<'t> Partial<'t, '_> {
    /// The value that comes next, as the node asks. As deep as the data are nested, at most [`MAX_DEPTH`].
    fn value(&mut self, node: u32, depth: usize) -> Option<Value> {
        let selection = self.selection;
        let node = selection.node(node)?;
        if node.whole {
            return self.quick.value(self.recycler, depth);
        }
        match self.quick.peek()? {
            b'{' | b'[' if depth >= MAX_DEPTH => None,
            b'{' => self.record(node, depth),
            b'[' => self.list(node, depth),
            b'"' if !node.outline => {
                self.quick.skip_string()?;
                Some(Value::Str(String::new()))
            }
            _ => self.quick.value(self.recycler, depth),
        }
    }

    fn record(&mut self, node: &Node, depth: usize) -> Option<Value> {
        let mut seen = self.open();
        if self.quick.enter(b'}')? {
            return Some(Value::Record(Record::new()));
        }
        let mut fields = match node.outline || !node.fields.is_empty() {
            true => self.recycler.fields(),
            false => Vec::new(),
        };
        loop {
            let (name, place) = self.quick.key()?;
            self.note(&mut seen, name, place)?;
            if let Some(child) = node.field(name) {
                let value = self.value(child, depth + 1)?;
                fields.push((self.recycler.text(name), value));
            } else {
                if node.outline {
                    fields.push((self.recycler.text(name), Value::Null));
                }
                self.skip(depth + 1)?;
            }
            if self.quick.close(b'}')? {
                break;
            }
        }
        self.check(seen)?;
        if !fields.is_sorted_by(|a, b| a.0 < b.0) {
            crate::order::sort_by(&mut fields, |a, b| a.0.cmp(&b.0));
        }
        Some(Value::Record(Record::from_sorted(fields)))
    }

    fn list(&mut self, node: &Node, depth: usize) -> Option<Value> {
        if self.quick.enter(b']')? {
            return Some(Value::List(Vec::new()));
        }
        let mut items = match node.outline || node.items != NONE {
            true => self.recycler.list(),
            false => Vec::new(),
        };
        loop {
            if node.items != NONE {
                items.push(self.value(node.items, depth + 1)?);
            } else {
                if node.outline {
                    items.push(Value::Null);
                }
                self.skip(depth + 1)?;
            }
            if self.quick.close(b']')? {
                return Some(Value::List(items));
            }
        }
    }

    /// Checks the value that comes next and passes over it, without recursion.
    fn skip(&mut self, depth: usize) -> Option<()> {
        let base = self.memory.levels.len();
        'value: loop {
            match self.quick.peek()? {
                b'"' => self.quick.skip_string()?,
                b'{' | b'[' if depth + self.memory.levels.len() - base >= MAX_DEPTH => return None,
                b'{' => {
                    let mut seen = self.open();
                    if !self.quick.enter(b'}')? {
                        let (name, place) = self.quick.key()?;
                        self.note(&mut seen, name, place)?;
                        self.memory.levels.push(Level::Record(seen));
                        continue 'value;
                    }
                }
                b'[' => {
                    if !self.quick.enter(b']')? {
                        self.memory.levels.push(Level::List);
                        continue 'value;
                    }
                }
                _ => self.quick.skip_scalar()?,
            }
            while self.memory.levels.len() > base {
                match *self.memory.levels.last()? {
                    Level::List => {
                        if !self.quick.close(b']')? {
                            continue 'value;
                        }
                    }
                    Level::Record(mut seen) => {
                        if !self.quick.close(b'}')? {
                            let (name, place) = self.quick.key()?;
                            self.note(&mut seen, name, place)?;
                            *self.memory.levels.last_mut()? = Level::Record(seen);
                            continue 'value;
                        }
                        self.check(seen)?;
                    }
                }
                self.memory.levels.pop();
            }
            return Some(());
        }
    }

    fn open(&self) -> Seen {
        Seen {
            first: self.memory.names.len(),
            bits: 0,
        }
    }

    /// Notes a record's key; `None` where it has it already.
    fn note(&mut self, seen: &mut Seen, name: &str, (start, end): (usize, usize)) -> Option<()> {
        let print = print(name.as_bytes());
        let bit = 1 << (print >> 58);
        if seen.bits & bit != 0 {
            let known = self.memory.names.get(seen.first..).unwrap_or_default();
            let twice = known.len() <= FEW
                && known
                    .iter()
                    .any(|n| n.print == print && self.quick.text.get(n.start..n.end) == Some(name));
            if twice {
                return None;
            }
        }
        seen.bits |= bit;
        self.memory.names.push(Name { print, start, end });
        Some(())
    }

    /// Forgets the keys of a record that is closed; `None` where one of many occurs twice.
    fn check(&mut self, seen: Seen) -> Option<()> {
        let text: &'t str = self.quick.text;
        let names = self.memory.names.get_mut(seen.first..)?;
        let of = |n: &Name| (n.print, text.get(n.start..n.end));
        let good = names.len() <= FEW || {
            crate::order::sort_by(names, |a, b| of(a).cmp(&of(b)));
            names.is_sorted_by(|a, b| of(a) != of(b))
        };
        self.memory.names.truncate(seen.first);
        good.then_some(())
    }
}

/// A number that differs for most keys that differ: of the length and both ends.
fn print(name: &[u8]) -> u64 {
    let word = |part: Option<&[u8; 8]>| part.map_or(0, |part| u64::from_le_bytes(*part));
    let ends = match name.len() {
        8.. => word(name.first_chunk()) ^ word(name.last_chunk()).rotate_left(29),
        _ => name.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
    };
    (ends ^ name.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

    use alloc::format;

    use super::*;
    use crate::json::{Parser, parse};

    /// What the reader must give, taken from the whole value.
    fn pruned(value: &Value, selection: &Selection, node: u32) -> Value {
        let node = &selection.nodes[node as usize];
        if node.whole {
            return value.clone();
        }
        match value {
            Value::Record(record) => {
                let mut out = Record::new();
                for (name, value) in record.iter() {
                    if let Some(child) = node.field(name) {
                        out.insert(name, pruned(value, selection, child));
                    } else if node.outline {
                        out.insert(name, Value::Null);
                    }
                }
                Value::Record(out)
            }
            Value::List(items) if node.items != NONE => Value::List(
                items
                    .iter()
                    .map(|item| pruned(item, selection, node.items))
                    .collect(),
            ),
            Value::List(items) if node.outline => {
                Value::List(items.iter().map(|_| Value::Null).collect())
            }
            Value::List(_) => Value::List(Vec::new()),
            Value::Str(_) if !node.outline => Value::Str(String::new()),
            other => other.clone(),
        }
    }

    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0 % bound
        }

        fn name(&mut self) -> &'static str {
            [
                "a",
                "b",
                "c",
                "items",
                "a long name of a field",
                "\u{e9}t\u{e9}",
            ][self.below(6) as usize]
        }

        fn text(&mut self, depth: u64, out: &mut String) {
            match self.below(if depth > 5 { 6 } else { 12 }) {
                0 => out.push_str(" null "),
                1 => out.push_str("true"),
                2 => out.push_str("-12.50e3"),
                3 => out.push_str(
                    "\"plain text of more than eight bytes, and of more than thirty-two\"",
                ),
                4 => out
                    .push_str("\"with \\\"escapes\\\" \\n \\u00e9 \\ud83d\\ude00 and \u{e9}\\\\\""),
                5 => out.push_str("123456789012345678901234567890123456789012345678901"),
                6..9 => {
                    out.push('[');
                    for n in 0..self.below(4) {
                        if n > 0 {
                            out.push_str(", ");
                        }
                        self.text(depth + 1, out);
                    }
                    out.push_str(" ]");
                }
                _ => {
                    out.push('{');
                    let many = if self.below(40) == 0 { 70 } else { 4 };
                    for n in 0..self.below(many) {
                        if n > 0 {
                            out.push(',');
                        }
                        match many > 4 && self.below(60) != 0 {
                            true => out.push_str(&format!("\"n{n}\":")),
                            false => out.push_str(&format!(" \"{}\" : ", self.name())),
                        }
                        self.text(depth + 1, out);
                    }
                    out.push('}');
                }
            }
        }

        fn selection(&mut self) -> Selection {
            let mut selection = Selection::default();
            for _ in 0..self.below(5) {
                let steps: Vec<Step<'_>> = (0..self.below(4))
                    .map(|_| match self.below(3) {
                        0 => Step::Item,
                        _ => Step::Field(self.name()),
                    })
                    .collect();
                match self.below(3) {
                    0 => selection.add_outline(steps),
                    _ => selection.add(steps),
                }
            }
            selection
        }
    }

    /// What is read of a value. Small builds read all of it.
    fn expected(whole: &Value, selection: &Selection) -> Value {
        if cfg!(feature = "small") {
            return whole.clone();
        }
        pruned(whole, selection, 0)
    }

    /// More fields than are compared one by one.
    #[test]
    fn many_fields_are_found_as_few_are() {
        for count in [1, FEW_FIELDS - 1, FEW_FIELDS, FEW_FIELDS + 1, 40, 300] {
            let mut selection = Selection::default();
            for _ in 0..2 {
                for n in 0..count {
                    let name = format!("field {n}");
                    selection.add([Step::Field(&name), Step::Field("x")]);
                }
            }
            assert_eq!(selection.nodes.len(), 1 + 2 * count);
            let fields: Vec<String> = (0..count + 50)
                .map(|n| format!("\"field {n}\":{{\"x\":{n},\"y\":1}}"))
                .collect();
            let text = format!("{{{}}}", fields.join(","));
            let read = Parser::default().parse_selected(&text, &selection);
            let whole = parse(&text).unwrap();
            assert_eq!(read.unwrap(), expected(&whole, &selection), "{count}");
        }
    }

    #[test]
    fn selected_parts_are_those_of_the_whole() {
        let mut random = Random(0x1234_5678_9abc_def1);
        let mut parser = Parser::default();
        let (mut good, mut bad) = (0, 0);
        let rounds = if cfg!(miri) { 60 } else { 20_000 };
        for round in 0..rounds {
            let mut text = String::new();
            random.text(0, &mut text);
            if round % 3 == 0 {
                let at = random.below(text.len() as u64 + 1) as usize;
                if text.is_char_boundary(at) {
                    match random.below(3) {
                        0 => text.truncate(at),
                        1 => text.insert(
                            at,
                            ['"', '}', ',', ':', '\u{1}', '0'][random.below(6) as usize],
                        ),
                        _ if at < text.len() => drop(text.remove(at)),
                        _ => {}
                    }
                }
            }
            let selection = random.selection();
            let whole = parse(&text);
            let found = parser.parse_selected(&text, &selection);
            match (whole, found) {
                (Ok(whole), Ok(found)) => {
                    good += 1;
                    assert_eq!(found, expected(&whole, &selection), "{text}\n{selection:?}");
                    parser.give_back(found);
                }
                (whole, found) => {
                    bad += 1;
                    assert_eq!(whole.err(), found.err(), "{text}");
                }
            }
        }
        assert!(good > rounds / 10 && bad > rounds / 10, "{good} {bad}");
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes ten minutes")]
    fn depth_is_counted_wherever_it_is_read() {
        for (steps, inside) in [(0, "["), (0, "{\"a\":"), (3, "["), (3, "{\"a\":")] {
            let mut selection = Selection::default();
            selection.add((0..steps).map(|_| Step::Field("a")));
            let mut outside = Selection::default();
            outside.add([Step::Field("other")]);
            for depth in [MAX_DEPTH - 1, MAX_DEPTH] {
                let close = if inside == "[" { "]" } else { "}" };
                let core = if inside == "[" { "" } else { "1" };
                let text = format!(
                    "{{\"a\":{}{core}{}}}",
                    inside.repeat(depth),
                    close.repeat(depth)
                );
                for selection in [&selection, &outside, &Selection::whole()] {
                    let found = Parser::default().parse_selected(&text, selection);
                    assert_eq!(found.err(), parse(&text).err(), "{steps} {inside} {depth}");
                }
                assert_eq!(parse(&text).is_ok(), depth < MAX_DEPTH);
            }
        }
    }
}
