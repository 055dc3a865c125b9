//! The lists of tools that people have: MCP `tools/list` results, `OpenAI` and Anthropic `tools`.

use std::collections::HashMap;

use ctr_grammar::Span;

use super::Decoded;
use super::convert::{Converter, MAX_FINDINGS, description};
use super::json::{self, Fault, Kind, Value};
use crate::diagnostic::Diagnostic;
use crate::ir::{Place, SourceId};
use crate::types::{Annotations, Record, ToolDecl, Type};

/// See [`super::read_tools`].
pub(super) fn read(source: SourceId, text: &str) -> Decoded {
    let (value, errors) = json::parse(text);
    let at = |span| Place { source, span };
    let mut diagnostics: Vec<Diagnostic> = errors
        .into_iter()
        .map(|error| match error.fault {
            Fault::Syntax => Diagnostic::error(
                "E0300",
                format!("not JSON: {}", error.message),
                at(error.span),
                "",
            ),
            Fault::TooDeep => Diagnostic::error("E0302", error.message, at(error.span), "too deep"),
            Fault::DuplicateKey => {
                let diagnostic =
                    Diagnostic::error("E0301", error.message, at(error.span), "again here");
                match error.other {
                    Some(first) => diagnostic.with_label(at(first), "first here"),
                    None => diagnostic,
                }
            }
        })
        .collect();
    let mut tools = Vec::new();
    if let Some(value) = &value {
        let mut reader = Reader {
            converter: Converter::new(source, value),
            tools: Vec::new(),
            names: HashMap::new(),
        };
        reader.document(value);
        diagnostics.append(&mut reader.converter.diagnostics);
        tools = reader.tools;
    }
    if diagnostics.len() > MAX_FINDINGS {
        diagnostics.truncate(MAX_FINDINGS);
        diagnostics.push(Diagnostic::error(
            "E0312",
            format!("more than {MAX_FINDINGS} findings in this file; the others are left out"),
            at(Span::default()),
            "",
        ));
    }
    let complete = diagnostics
        .iter()
        .all(|d| d.severity != crate::diagnostic::Severity::Error);
    Decoded {
        tools,
        complete,
        diagnostics,
    }
}

struct Reader<'a> {
    converter: Converter<'a>,
    tools: Vec<ToolDecl>,
    /// Where each name stands.
    names: HashMap<String, Span>,
}

impl<'a> Reader<'a> {
    fn error(&mut self, code: &'static str, span: Span, message: String, label: &str, help: &str) {
        if self.converter.diagnostics.len() > MAX_FINDINGS {
            return;
        }
        let mut diagnostic = Diagnostic::error(code, message, self.converter.at(span), label);
        if !help.is_empty() {
            diagnostic = diagnostic.with_help(help);
        }
        self.converter.diagnostics.push(diagnostic);
    }

    fn warning(&mut self, code: &'static str, span: Span, message: String, label: &str) {
        let diagnostic = Diagnostic::warning(code, message, self.converter.at(span), label);
        self.converter.diagnostics.push(diagnostic);
    }

    /// Finds the list.
    fn document(&mut self, value: &'a Value) {
        const WANTED: &str = "a file of tools is an MCP `tools/list` result (`{\"tools\": [...]}`, also inside a JSON-RPC \
             response), or an OpenAI or Anthropic `tools` list";
        match &value.kind {
            Kind::List(items) => self.list(items),
            Kind::Record(_) => {
                if let Some(tools) = value.member("tools") {
                    if let Kind::List(items) = &tools.value.kind {
                        if let Some(cursor) = value.member("nextCursor")
                            && cursor.value.kind != Kind::Null
                        {
                            self.warning(
                                "W0305",
                                cursor.key_span,
                                "this is one page of a longer list: the tools of the other pages are unknown".to_owned(),
                                "more pages follow",
                            );
                        }
                        self.list(items);
                    } else {
                        let message = format!(
                            "`tools` is a list, and here it is {}",
                            tools.value.describe()
                        );
                        self.error("E0303", tools.value.head(), message, "not a list", WANTED);
                    }
                } else if let Some(result) = value.get("result") {
                    // A result inside a result is no response.
                    if result.get("tools").is_some() {
                        self.document(result);
                    } else {
                        let message = "this response is not one to `tools/list`".to_owned();
                        self.error("E0303", result.head(), message, "no `tools` in it", WANTED);
                    }
                } else if let Some(error) = value.get("error") {
                    let message =
                        "this is the answer that the tools could not be listed".to_owned();
                    self.error("E0303", error.head(), message, "an error", WANTED);
                } else if is_tool(value) {
                    self.tool(value);
                } else {
                    let message = "there are no tools in this file".to_owned();
                    self.error("E0303", value.head(), message, "no `tools` in it", WANTED);
                }
            }
            _ => {
                let message = format!(
                    "a file of tools is a list or an object, and this is {}",
                    value.describe()
                );
                self.error("E0303", value.head(), message, "no tools", WANTED);
            }
        }
    }

    fn list(&mut self, items: &'a [Value]) {
        for item in items {
            if matches!(item.kind, Kind::Record(_)) {
                self.tool(item);
            } else {
                let message = format!("a tool is an object, and this is {}", item.describe());
                self.error("E0304", item.head(), message, "not a tool", "");
            }
        }
    }

    fn tool(&mut self, entry: &'a Value) {
        let kind = entry.get("type").and_then(Value::as_str);
        // Chat completions wrap what the other formats write flat.
        let wrapper = ["function", "custom"]
            .into_iter()
            .find(|key| kind == Some(*key) && entry.get(key).is_some());
        let body = match wrapper.and_then(|key| entry.get(key)) {
            None => entry,
            Some(body) if matches!(body.kind, Kind::Record(_)) => body,
            Some(body) => {
                let message = format!("a tool is an object, and this is {}", body.describe());
                self.error("E0304", body.head(), message, "not a tool", "");
                return;
            }
        };
        let Some(name) = body.member("name") else {
            match kind {
                // A tool that the provider runs, such as a web search: no call of it is seen.
                Some(kind) if !matches!(kind, "function" | "custom") && !has_schema(body) => self
                    .warning(
                        "W0304",
                        entry.head(),
                        format!("a tool of type `{kind}` without a name is left out"),
                        "left out",
                    ),
                _ => self.error(
                    "E0304",
                    entry.head(),
                    "this tool has no `name`".to_owned(),
                    "no `name`",
                    "",
                ),
            }
            return;
        };
        let name_span = name.value.span;
        let Some(text) = name.value.as_str() else {
            let message = format!(
                "`name` is a string, and here it is {}",
                name.value.describe()
            );
            self.error("E0304", name_span, message, "not a string", "");
            return;
        };
        let text = text.trim();
        if text.is_empty() {
            self.error(
                "E0304",
                name_span,
                "this tool has an empty name".to_owned(),
                "empty",
                "",
            );
            return;
        }
        if let Some(first) = self.names.get(text) {
            let diagnostic = Diagnostic::error(
                "E0305",
                format!("the tool `{text}` stands twice in this file"),
                self.converter.at(name_span),
                "again here",
            )
            .with_label(self.converter.at(*first), "first here");
            self.converter.diagnostics.push(diagnostic);
            return;
        }
        self.names.insert(text.to_owned(), name_span);
        self.optional_text(body, "description");

        let params = self.params(body, kind, wrapper);
        let result = ["outputSchema", "output_schema"]
            .into_iter()
            .find_map(|key| body.get(key))
            .filter(|schema| schema.kind != Kind::Null)
            .map_or(Type::Any, |schema| self.converter.root_schema(schema));
        let annotations = self.annotations(body);
        self.tools.push(ToolDecl {
            server: None,
            name: text.to_owned(),
            description: description(body),
            params,
            result,
            annotations,
            place: self.converter.at(name_span),
        });
    }

    fn params(&mut self, body: &'a Value, kind: Option<&str>, wrapper: Option<&str>) -> Record {
        let schema = ["inputSchema", "input_schema", "parameters"]
            .into_iter()
            .find_map(|key| body.member(key));
        if let Some(member) = schema {
            // `parameters: null` is a function without parameters.
            if member.key != "parameters" || member.value.kind != Kind::Null {
                return self.converter.arguments(&member.value);
            }
        }
        match (kind, wrapper) {
            (Some("function"), _) => Record::default(),
            // A free-text tool, or one whose arguments its provider defines.
            (Some(_), _) => Record {
                fields: Vec::new(),
                open: true,
            },
            (None, _) if schema.is_some() => Record::default(),
            (None, _) => {
                self.error(
                    "E0304",
                    body.head(),
                    "this tool has no schema of its arguments".to_owned(),
                    "no `inputSchema`, `input_schema` or `parameters`",
                    "a tool without arguments has `\"inputSchema\": {\"type\": \"object\", \"additionalProperties\": false}`",
                );
                Record {
                    fields: Vec::new(),
                    open: true,
                }
            }
        }
    }

    fn optional_text(&mut self, body: &Value, key: &str) {
        if let Some(member) = body.member(key)
            && !matches!(member.value.kind, Kind::Str(_) | Kind::Null)
        {
            let message = format!(
                "`{key}` is a string, and here it is {}",
                member.value.describe()
            );
            self.error("E0304", member.value.span, message, "not a string", "");
        }
    }

    fn annotations(&mut self, body: &Value) -> Annotations {
        let mut out = Annotations::default();
        let Some(member) = body.member("annotations") else {
            return out;
        };
        match member.value.kind {
            Kind::Record(_) => {}
            Kind::Null => return out,
            _ => {
                let message = format!(
                    "`annotations` is an object, and here it is {}",
                    member.value.describe()
                );
                self.error("E0311", member.value.span, message, "not an object", "");
                return out;
            }
        }
        for (key, slot) in [
            ("destructiveHint", &mut out.destructive),
            ("readOnlyHint", &mut out.read_only),
            ("idempotentHint", &mut out.idempotent),
            ("openWorldHint", &mut out.open_world),
        ] {
            match member
                .value
                .member(key)
                .map(|m| (m.value.kind.clone(), m.value.span))
            {
                None => {}
                Some((Kind::Bool(value), _)) => *slot = Some(value),
                Some((_, span)) => {
                    let message = format!("`{key}` is `true` or `false`");
                    self.error("E0311", span, message, "neither", "");
                }
            }
        }
        out
    }
}

fn has_schema(value: &Value) -> bool {
    ["inputSchema", "input_schema", "parameters"]
        .into_iter()
        .any(|key| value.get(key).is_some())
}

/// Whether an object by itself is one tool.
fn is_tool(value: &Value) -> bool {
    has_schema(value) || value.get("function").is_some()
}
