//! Where the parts of tool schemas stand, for editors.
//!
//! A field can be described at several places (behind `$ref`, in parts of `allOf`, `anyOf`, `oneOf`): all of them are
//! given, in order of the text. As when schemas are read for their types, nothing is fetched and what is followed is bounded.

use std::collections::{BTreeSet, HashMap, HashSet};

use ctr_grammar::Span;

use super::json::{self, Kind, Value};
use super::reference::{self, Target};

/// The most schemas that describe one field.
const MAX_PARTS: usize = 256;

/// A file of tools with the places of its parts.
#[derive(Debug)]
pub struct Outline {
    root: Option<Value>,
}

impl Outline {
    /// Reads a file of tools. Never fails: of a text that is no JSON no places are known.
    #[must_use]
    pub fn read(text: &str) -> Self {
        Self {
            root: json::parse(text).0,
        }
    }

    /// The tools by where their names stand.
    #[must_use]
    pub fn tools(&self) -> HashMap<Span, ToolOutline<'_>> {
        let mut out = HashMap::new();
        if let Some(root) = &self.root {
            for entry in entries(root, true) {
                let body = ["function", "custom"]
                    .into_iter()
                    .find_map(|key| entry.get(key).filter(|b| b.get("name").is_some()))
                    .unwrap_or(entry);
                if let Some(name) = body.get("name") {
                    out.entry(name.span).or_insert(ToolOutline { body });
                }
            }
        }
        out
    }
}

/// The objects that can be tools.
fn entries(value: &Value, response: bool) -> Vec<&Value> {
    let list = match &value.kind {
        Kind::List(_) => value,
        Kind::Record(_) => match (value.get("tools"), value.get("result")) {
            (Some(tools), _) => tools,
            (None, Some(result)) if response => return entries(result, false),
            _ => return vec![value],
        },
        _ => return Vec::new(),
    };
    match &list.kind {
        Kind::List(items) => items.iter().collect(),
        _ => Vec::new(),
    }
}

/// A tool in a file.
#[derive(Clone, Copy, Debug)]
pub struct ToolOutline<'a> {
    body: &'a Value,
}

impl<'a> ToolOutline<'a> {
    /// The schema of its arguments.
    #[must_use]
    pub fn arguments(&self) -> Node<'a> {
        self.schema(&["inputSchema", "input_schema", "parameters"])
    }

    /// The schema of its result.
    #[must_use]
    pub fn result(&self) -> Node<'a> {
        self.schema(&["outputSchema", "output_schema"])
    }

    fn schema(&self, keys: &[&str]) -> Node<'a> {
        match keys.iter().find_map(|key| self.body.get(key)) {
            Some(root) => Node::new(root, vec![root]),
            None => Node::default(),
        }
    }
}

/// The schemas that describe one value.
#[derive(Clone, Debug, Default)]
pub struct Node<'a> {
    /// Where references start from.
    root: Option<&'a Value>,
    /// As written at the value itself.
    own: Vec<&'a Value>,
    /// With what these lead to.
    parts: Vec<&'a Value>,
}

impl<'a> Node<'a> {
    fn new(root: &'a Value, own: Vec<&'a Value>) -> Self {
        let mut parts: Vec<&'a Value> = Vec::new();
        let mut seen: HashSet<Span> = HashSet::new();
        let mut rest: Vec<&'a Value> = own.iter().rev().copied().collect();
        while let Some(value) = rest.pop() {
            if parts.len() >= MAX_PARTS || !seen.insert(value.span) {
                continue;
            }
            parts.push(value);
            for keyword in ["oneOf", "anyOf", "allOf"] {
                if let Some(Kind::List(inner)) = value.get(keyword).map(|v| &v.kind) {
                    rest.extend(inner.iter().rev().take(MAX_PARTS));
                }
            }
            if let Some(text) = value.get("$ref").and_then(Value::as_str)
                && let Target::Found(target) = reference::resolve(root, text)
            {
                rest.push(target);
            }
        }
        Self {
            root: Some(root),
            own,
            parts,
        }
    }

    fn inner(&self, own: Vec<&'a Value>) -> Self {
        match self.root {
            Some(root) if !own.is_empty() => Self::new(root, own),
            _ => Self::default(),
        }
    }

    /// A property: where its key stands, and its schema.
    #[must_use]
    pub fn property(&self, name: &str) -> (Vec<Span>, Self) {
        let members: Vec<_> = self
            .parts
            .iter()
            .filter_map(|part| part.get("properties")?.member(name))
            .collect();
        let keys: BTreeSet<Span> = members.iter().map(|member| member.key_span).collect();
        let values = members.iter().map(|member| &member.value).collect();
        (keys.into_iter().collect(), self.inner(values))
    }

    /// The elements of a list, or the values of an object with any keys.
    #[must_use]
    pub fn elements(&self) -> Self {
        let mut own = Vec::new();
        for part in &self.parts {
            for keyword in ["items", "prefixItems", "additionalProperties"] {
                match part.get(keyword) {
                    Some(Value {
                        kind: Kind::List(items),
                        ..
                    }) => own.extend(items.iter().take(MAX_PARTS)),
                    Some(schema) => own.push(schema),
                    None => {}
                }
            }
        }
        self.inner(own)
    }

    /// Where a text stands among the values that are allowed.
    #[must_use]
    pub fn allowed(&self, text: &str) -> Vec<Span> {
        let mut out = BTreeSet::new();
        for part in &self.parts {
            if let Some(Kind::List(values)) = part.get("enum").map(|v| &v.kind) {
                let same = values.iter().filter(|v| v.as_str() == Some(text));
                out.extend(same.map(|value| value.span));
            }
            let constant = part.get("const").filter(|v| v.as_str() == Some(text));
            out.extend(constant.map(|value| value.span));
        }
        out.into_iter().collect()
    }

    /// Where its type is written: what its references lead to, else the schema itself. Of each the key that it stands behind, and
    /// of one without a key the first character.
    #[must_use]
    pub fn types(&self) -> Vec<Span> {
        // What only leads elsewhere, and that it may be null, is no type by itself.
        let says: Vec<&Value> = self
            .parts
            .iter()
            .copied()
            .filter(|part| {
                let null = part.get("type").and_then(Value::as_str) == Some("null");
                !null
                    && ["type", "properties", "enum", "const", "items"]
                        .iter()
                        .any(|key| part.get(key).is_some())
            })
            .collect();
        let inside = |a: Span, b: Span| a != b && b.start <= a.start && a.end <= b.end;
        let mut out: BTreeSet<Span> = says
            .iter()
            .filter(|part| !says.iter().any(|other| inside(part.span, other.span)))
            .map(|part| self.named(part))
            .collect();
        if out.is_empty() {
            out.extend(self.own.iter().map(|schema| self.named(schema)));
        }
        out.into_iter().collect()
    }

    /// The key that a schema stands behind, else its first character.
    fn named(&self, schema: &Value) -> Span {
        let around = |span: Span| span.start <= schema.span.start && schema.span.end <= span.end;
        let mut at = self.root;
        while let Some(value) = at {
            at = match &value.kind {
                Kind::Record(members) => {
                    let next =
                        members.partition_point(|member| member.value.span.end < schema.span.end);
                    match members.get(next) {
                        Some(member) if member.value.span == schema.span => return member.key_span,
                        Some(member) if around(member.value.span) => Some(&member.value),
                        _ => None,
                    }
                }
                Kind::List(items) => {
                    let next = items.partition_point(|item| item.span.end < schema.span.end);
                    items.get(next).filter(|item| around(item.span))
                }
                _ => None,
            };
        }
        schema.head()
    }

    /// Whether its schema says that it should not be used any more (`"deprecated": true`).
    #[must_use]
    pub fn is_deprecated(&self) -> bool {
        self.own.iter().chain(self.parts.first()).any(|part| {
            part.get("deprecated")
                .is_some_and(|value| value.kind == Kind::Bool(true))
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
    use super::*;

    fn texts<'t>(text: &'t str, spans: &[Span]) -> Vec<(usize, &'t str)> {
        let line = |span: &Span| text[..span.start as usize].matches('\n').count() + 1;
        spans.iter().map(|s| (line(s), s.text(text))).collect()
    }

    /// The schema of the one tool of a file.
    fn argument<'a>(outline: &'a Outline, way: &[&str]) -> (Vec<Span>, Node<'a>) {
        let tools = outline.tools();
        assert_eq!(tools.len(), 1);
        let mut at = (Vec::new(), tools.values().next().unwrap().arguments());
        for name in way {
            at = match *name {
                "[*]" => (Vec::new(), at.1.elements()),
                name => at.1.property(name),
            };
        }
        at
    }

    const TEXT: &str = "{\"tools\": [\r\n\
        {\"description\": \"\u{a3}\u{1f600} e\u{301}\", \"name\": \"pay\",\r\n\
        \"inputSchema\": {\"$defs\": {\r\n\
        \"Money\": {\"type\": \"object\", \"properties\": {\"cur\\u0072ency\": {\"enum\": [\"EUR\", \"\\ud83d\\ude00\"]}, \"next\": {\"$ref\": \"#/$defs/Money\"}}},\r\n\
        \"a/b\": {\"properties\": {\"x\": {\"const\": \"k\"}}}},\r\n\
        \"properties\": {\"amount\": {\"$ref\": \"#/$defs/Money\"},\r\n\
        \"amount\": {\"type\": \"string\"},\r\n\
        \"list\": {\"type\": \"array\", \"items\": {\"properties\": {\"deep\": {\"properties\": {\"deeper\": {\"deprecated\": true}}}}}},\r\n\
        \"either\": {\"anyOf\": [{\"$ref\": \"#/$defs/a~1b\"}, {\"properties\": {\"x\": {}}}, {\"type\": \"null\"}]}\r\n\
        }}}]}";

    #[test]
    fn keys_behind_references_escapes_and_line_ends() {
        let outline = Outline::read(TEXT);
        let (keys, amount) = argument(&outline, &["amount"]);
        assert_eq!(texts(TEXT, &keys), [(6, "\"amount\"")]);
        assert_eq!(texts(TEXT, &amount.types()), [(4, "\"Money\"")]);
        let (keys, currency) = argument(&outline, &["amount", "currency"]);
        assert_eq!(texts(TEXT, &keys), [(4, "\"cur\\u0072ency\"")]);
        assert_eq!(texts(TEXT, &currency.allowed("EUR")), [(4, "\"EUR\"")]);
        assert_eq!(
            texts(TEXT, &currency.allowed("\u{1f600}")),
            [(4, "\"\\ud83d\\ude00\"")]
        );
        assert!(currency.allowed("USD").is_empty());
    }

    #[test]
    fn schemas_that_contain_themselves() {
        let outline = Outline::read(TEXT);
        let mut way = vec!["amount"];
        way.extend(["next"; 50]);
        way.push("currency");
        assert_eq!(argument(&outline, &way).0.len(), 1);
        let looped = r##"{"name": "t", "parameters": {"$ref": "#", "allOf": [{"$ref": "#"}], "properties": {"a": {}}}}"##;
        let outline = Outline::read(looped);
        assert_eq!(argument(&outline, &["a"]).0.len(), 1);
    }

    #[test]
    fn several_places() {
        let outline = Outline::read(TEXT);
        let (keys, x) = argument(&outline, &["either", "x"]);
        assert_eq!(texts(TEXT, &keys), [(5, "\"x\""), (9, "\"x\"")]);
        assert_eq!(texts(TEXT, &x.allowed("k")), [(5, "\"k\"")]);
        let (_, either) = argument(&outline, &["either"]);
        assert_eq!(texts(TEXT, &either.types()), [(5, "\"a/b\""), (9, "{")]);
        let (keys, deeper) = argument(&outline, &["list", "[*]", "deep", "deeper"]);
        assert_eq!(texts(TEXT, &keys), [(8, "\"deeper\"")]);
        assert!(deeper.is_deprecated());
        assert!(!argument(&outline, &["list"]).1.is_deprecated());
        assert!(argument(&outline, &["list", "deep"]).0.is_empty());
    }

    #[test]
    fn every_format_and_none() {
        for text in [
            r#"{"type": "function", "function": {"name": "t", "parameters": {"properties": {"a": {}}}}}"#,
            r#"[{"name": "t", "input_schema": {"properties": {"a": {}}}}]"#,
            r#"{"jsonrpc": "2.0", "result": {"tools": [{"name": "t", "inputSchema": {"properties": {"a": {}}}}]}}"#,
        ] {
            let outline = Outline::read(text);
            assert_eq!(argument(&outline, &["a"]).0.len(), 1, "{text}");
        }
        for text in ["", "{", "3", "[1, {}]", "{\"result\": {\"result\": []}}"] {
            assert!(Outline::read(text).tools().is_empty(), "{text}");
        }
    }
}
