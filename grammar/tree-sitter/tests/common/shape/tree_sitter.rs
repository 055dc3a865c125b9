//! The shape of tree-sitter's tree.

use tree_sitter::Node;

use super::Shape;

struct Reader<'s> {
    text: &'s str,
}

pub fn of_tree(text: &str, root: Node<'_>) -> Shape {
    let reader = Reader { text };
    Shape {
        kind: "file".into(),
        start: 0,
        end: text.len(),
        parts: named(root).into_iter().map(|n| reader.item(n)).collect(),
    }
}

/// Named children, comments left out.
fn named(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|n| !n.is_extra())
        .collect()
}

fn fields<'t>(node: Node<'t>, name: &str) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    let all: Vec<Node<'t>> = node
        .children_by_field_name(name, &mut cursor)
        .filter(|n| n.is_named() && !n.is_extra())
        .collect();
    all
}

fn has_token(node: Node<'_>, kind: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|n| n.kind() == kind)
}

fn place(kind: impl Into<String>, node: Node<'_>, parts: Vec<Shape>) -> Shape {
    Shape {
        kind: kind.into(),
        start: node.start_byte(),
        end: node.end_byte(),
        parts,
    }
}

fn nowhere(kind: &str) -> Shape {
    Shape {
        kind: kind.into(),
        start: 0,
        end: 0,
        parts: Vec::new(),
    }
}

impl Reader<'_> {
    fn of<'s>(&'s self, node: Node<'_>) -> &'s str {
        &self.text[node.byte_range()]
    }

    fn bare(&self, node: Node<'_>) -> String {
        self.of(node).trim_matches('`').trim().to_owned()
    }

    /// A name, or a path of names.
    fn name(&self, kind: &str, node: Node<'_>) -> Shape {
        match node.kind() {
            "string" => place(kind, node, Vec::new()),
            "path" => {
                let parts: Vec<String> = named(node).into_iter().map(|n| self.bare(n)).collect();
                place(format!("{kind} {}", parts.join(".")), node, Vec::new())
            }
            _ => place(format!("{kind} {}", self.bare(node)), node, Vec::new()),
        }
    }

    fn names(&self, kind: &str, field: &str, node: Node<'_>) -> Vec<Shape> {
        fields(node, field)
            .into_iter()
            .map(|n| self.name(kind, n))
            .collect()
    }

    /// The words of the children that stand in a field.
    fn operator(&self, node: Node<'_>, field: &str) -> String {
        let mut cursor = node.walk();
        let words: Vec<&str> = node
            .children_by_field_name(field, &mut cursor)
            .map(|n| self.of(n))
            .collect();
        words.join(" ")
    }

    fn item(&self, node: Node<'_>) -> Shape {
        let mut parts: Vec<Shape> = named(node)
            .into_iter()
            .filter(|n| n.kind() == "attribute")
            .map(|a| {
                let mut parts = self.names("name", "name", a);
                parts.extend(self.exprs(a, "arguments"));
                place("attribute", a, parts)
            })
            .collect();
        let kind = node
            .kind()
            .strip_suffix("_declaration")
            .unwrap_or(node.kind());
        match kind {
            "import" | "include" => {
                parts.extend(self.names("target", "target", node));
                parts.extend(self.names("alias", "alias", node));
                parts.extend(self.names("contract", "contract", node));
            }
            "tools" => {
                parts.extend(self.names("file", "file", node));
                parts.extend(self.names("server", "server", node));
            }
            _ => parts.extend(self.names("name", "name", node)),
        }
        for list in fields(node, "parameters") {
            parts.extend(named(list).into_iter().map(|p| self.parameter(p)));
        }
        parts.extend(self.names("member", "member", node));
        for keys in fields(node, "keys") {
            parts.extend(self.names("key", "key", keys));
        }
        if kind == "test" {
            parts.extend(self.names("contract", "contract", node));
        }
        for field in ["type", "result"] {
            parts.extend(fields(node, field).into_iter().map(|t| self.type_of(t)));
        }
        for field in ["condition", "body"] {
            for inner in fields(node, field) {
                match inner.kind() {
                    "contract_body" => {
                        parts.extend(named(inner).into_iter().map(|c| self.clause(c)));
                    }
                    "test_body" => parts.extend(named(inner).into_iter().map(|s| self.step(s))),
                    _ => parts.push(self.expr(inner)),
                }
            }
        }
        place(kind, node, parts)
    }

    fn parameter(&self, node: Node<'_>) -> Shape {
        let optional = has_token(node, "?");
        let kind = if optional { "field?" } else { "field" };
        let types = fields(node, "type").into_iter().map(|t| self.type_of(t));
        place(kind, node, types.collect())
    }

    fn type_of(&self, node: Node<'_>) -> Shape {
        match node.kind() {
            "primitive_type" | "type_name" => {
                place(format!("type {}", self.bare(node)), node, Vec::new())
            }
            "generic_type" => {
                let kind = self.operator(node, "name");
                place(
                    kind,
                    node,
                    named(node).into_iter().map(|t| self.type_of(t)).collect(),
                )
            }
            "enum_type" => {
                let values = named(node)
                    .into_iter()
                    .map(|s| place("value", s, Vec::new()));
                place("enum", node, values.collect())
            }
            "record_type" => {
                let fields = named(node).into_iter().map(|p| self.parameter(p));
                place("record type", node, fields.collect())
            }
            "union_type" => {
                let mut parts = Vec::new();
                let mut at = node;
                while at.kind() == "union_type" {
                    let sides = named(at);
                    parts.push(self.type_of(sides[1]));
                    at = sides[0];
                }
                parts.push(self.type_of(at));
                parts.reverse();
                place("union", node, parts)
            }
            other => place(other, node, Vec::new()),
        }
    }

    fn clause(&self, node: Node<'_>) -> Shape {
        let kind = node.kind().strip_suffix("_clause").unwrap_or(node.kind());
        let mut parts = self.names("name", "name", node);
        for field in ["value", "formula"] {
            parts.extend(fields(node, field).into_iter().map(|e| self.expr(e)));
        }
        for action in fields(node, "action") {
            parts.extend(self.names("tool", "tool", action));
            parts.extend(self.arguments(action));
            for message in fields(action, "message") {
                let values = named(message)
                    .into_iter()
                    .filter(|n| n.kind() == "interpolation")
                    .flat_map(named)
                    .map(|e| self.expr(e));
                parts.push(place("message", message, values.collect()));
            }
        }
        place(kind, node, parts)
    }

    fn arguments(&self, node: Node<'_>) -> Vec<Shape> {
        fields(node, "arguments")
            .into_iter()
            .flat_map(named)
            .map(|a| self.argument(a))
            .collect()
    }

    fn argument(&self, node: Node<'_>) -> Shape {
        let name = fields(node, "name")[0];
        let text = self.bare(name).trim_matches('"').to_owned();
        let values = fields(node, "value").into_iter().map(|e| self.expr(e));
        place(format!("argument {text}"), node, values.collect())
    }

    fn step(&self, node: Node<'_>) -> Shape {
        let kind = match node.kind() {
            "message_step" => self.operator(node, "kind"),
            kind => kind.strip_suffix("_step").unwrap_or(kind).to_owned(),
        };
        let mut parts = self.names("name", "name", node);
        parts.extend(self.names("tool", "tool", node));
        parts.extend(
            fields(node, "text")
                .into_iter()
                .map(|s| place("text", s, Vec::new())),
        );
        if kind == "lookup" {
            parts.extend(self.exprs(node, "arguments"));
        } else {
            parts.extend(self.arguments(node));
        }
        parts.extend(fields(node, "value").into_iter().map(|e| self.expr(e)));
        parts.extend(fields(node, "outcome").into_iter().map(|o| match o.kind() {
            kind @ ("failure" | "unknown") => nowhere(kind),
            _ => self.expr(o),
        }));
        let tails = named(node);
        let tails = |kind: &'static str| tails.iter().filter(move |t| t.kind() == kind);
        for tail in tails("expect_tail") {
            for expectation in named(*tail) {
                let mut inner = self.names("what", "what", expectation);
                inner.extend(self.names("contract", "contract", expectation));
                parts.push(place("expectation", expectation, inner));
            }
        }
        for tail in named(node) {
            if tail.kind() == "at_tail" {
                let value = fields(tail, "time")[0];
                parts.push(place("fact time", value, vec![self.expr(value)]));
            } else if tail.kind() == "with_tail" {
                for fact in named(tail) {
                    let value = fields(fact, "value")[0];
                    let name = self.bare(fields(fact, "name")[0]);
                    parts.push(place(format!("fact {name}"), value, vec![self.expr(value)]));
                }
            }
        }
        place(kind, node, parts)
    }

    fn exprs(&self, node: Node<'_>, field: &str) -> Vec<Shape> {
        fields(node, field)
            .into_iter()
            .flat_map(named)
            .map(|e| self.expr(e))
            .collect()
    }

    fn expr(&self, node: Node<'_>) -> Shape {
        let inner = |names: &[&str]| -> Vec<Shape> {
            names
                .iter()
                .flat_map(|name| fields(node, name))
                .map(|n| self.part(n))
                .collect()
        };
        let parts = || named(node).into_iter().map(|n| self.expr(n)).collect();
        let (kind, parts): (String, Vec<Shape>) = match node.kind() {
            "variable" => (format!("name {}", self.bare(node)), Vec::new()),
            "field_access" => {
                let name = self.bare(fields(node, "name")[0]);
                (format!("field {name}"), inner(&["value"]))
            }
            "index_access" => {
                let index = self.of(fields(node, "index")[0]);
                (format!("index {index}"), inner(&["value"]))
            }
            "projection" => ("all".into(), inner(&["value"])),
            "call_expression" => {
                let function = self.of(fields(node, "function")[0]);
                let tokens = ctr_grammar::lexemes(function).tokens;
                let parts: String = tokens
                    .iter()
                    .map(|t| t.text(function).trim_matches('`'))
                    .collect();
                (format!("call {}", parts), self.exprs(node, "arguments"))
            }
            "event_pattern" => {
                let mut parts = inner(&["tools"]);
                parts.extend(self.exprs(node, "conditions"));
                (format!("pattern {}", self.operator(node, "kind")), parts)
            }
            "state_expression" => ("state".into(), parts()),
            "parenthesized_expression" => ("paren".into(), parts()),
            "list" => ("list".into(), parts()),
            "record" => (
                "record".into(),
                named(node).into_iter().map(|f| self.argument(f)).collect(),
            ),
            "unary_expression" => (
                format!("unary {}", self.operator(node, "operator")),
                inner(&["operand"]),
            ),
            "binary_expression" => (
                format!("binary {}", self.operator(node, "operator")),
                inner(&["left", "right"]),
            ),
            "quantified_expression" => {
                let variable = self.name("variable", fields(node, "variable")[0]);
                let mut parts = vec![variable];
                parts.extend(inner(&["list", "condition"]));
                (self.operator(node, "quantifier"), parts)
            }
            "earlier_expression" => ("earlier".into(), inner(&["event"])),
            "windowed_expression" => ("within".into(), inner(&["event", "bound"])),
            "never_form" => {
                let relation = self.operator(node, "relation");
                let kind = format!("never {relation}").trim_end().to_owned();
                (kind, inner(&["event", "other"]))
            }
            "order_form" | "response_form" | "only_form" => (
                self.operator(node, "relation"),
                inner(&["event", "other", "condition", "bound"]),
            ),
            "times_form" => {
                let count = self.of(fields(node, "count")[0]);
                let consecutive = has_token(node, "consecutive");
                let consecutive = if consecutive { " consecutive" } else { "" };
                let relation = self.operator(node, "relation");
                (
                    format!("{relation} {count}{consecutive}"),
                    inner(&["event", "bound"]),
                )
            }
            leaf => (leaf.to_owned(), Vec::new()),
        };
        place(kind, node, parts)
    }

    /// A part of an expression that may be no expression itself.
    fn part(&self, node: Node<'_>) -> Shape {
        match node.kind() {
            "tool_selection" => {
                let paths = named(node).into_iter().map(|p| self.name("tool", p));
                place("tools", node, paths.collect())
            }
            "bound" => {
                let time = named(node).iter().any(|n| n.kind() == "duration");
                nowhere(if time { "time" } else { "steps" })
            }
            _ => self.expr(node),
        }
    }
}
