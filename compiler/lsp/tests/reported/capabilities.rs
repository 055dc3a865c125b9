//! What a server announces, and the requests that follow from it. A capability that this table does not know fails
//! the test, so that no new feature is left untried.

use std::cell::OnceCell;

use serde_json::{Value, json};

use crate::text::{self, Position, Units};

/// How the parameters of a request are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A document and a position.
    At,
    /// A document.
    Document,
    /// A document and a range.
    Range,
    /// Something of its own: see [`own`].
    Own,
    /// The items of another request's answer, given back to be completed.
    Resolve(&'static str),
}

use Shape::{At, Document, Own, Range, Resolve};

/// Capability, further conditions on its options, and the request.
const TABLE: &[(&str, &str, &str, Shape)] = &[
    ("hoverProvider", "", "textDocument/hover", At),
    ("completionProvider", "", "textDocument/completion", At),
    (
        "completionProvider",
        "resolveProvider",
        "completionItem/resolve",
        Resolve("textDocument/completion"),
    ),
    (
        "signatureHelpProvider",
        "",
        "textDocument/signatureHelp",
        At,
    ),
    ("declarationProvider", "", "textDocument/declaration", At),
    ("definitionProvider", "", "textDocument/definition", At),
    (
        "typeDefinitionProvider",
        "",
        "textDocument/typeDefinition",
        At,
    ),
    (
        "implementationProvider",
        "",
        "textDocument/implementation",
        At,
    ),
    ("referencesProvider", "", "textDocument/references", Own),
    (
        "documentHighlightProvider",
        "",
        "textDocument/documentHighlight",
        At,
    ),
    (
        "documentSymbolProvider",
        "",
        "textDocument/documentSymbol",
        Document,
    ),
    ("codeActionProvider", "", "textDocument/codeAction", Own),
    (
        "codeActionProvider",
        "resolveProvider",
        "codeAction/resolve",
        Resolve("textDocument/codeAction"),
    ),
    ("codeLensProvider", "", "textDocument/codeLens", Document),
    (
        "codeLensProvider",
        "resolveProvider",
        "codeLens/resolve",
        Resolve("textDocument/codeLens"),
    ),
    (
        "documentLinkProvider",
        "",
        "textDocument/documentLink",
        Document,
    ),
    (
        "documentLinkProvider",
        "resolveProvider",
        "documentLink/resolve",
        Resolve("textDocument/documentLink"),
    ),
    ("colorProvider", "", "textDocument/documentColor", Document),
    ("workspaceSymbolProvider", "", "workspace/symbol", Own),
    (
        "workspaceSymbolProvider",
        "resolveProvider",
        "workspaceSymbol/resolve",
        Resolve("workspace/symbol"),
    ),
    (
        "documentFormattingProvider",
        "",
        "textDocument/formatting",
        Own,
    ),
    (
        "documentRangeFormattingProvider",
        "",
        "textDocument/rangeFormatting",
        Own,
    ),
    (
        "documentRangeFormattingProvider",
        "rangesSupport",
        "textDocument/rangesFormatting",
        Own,
    ),
    (
        "documentOnTypeFormattingProvider",
        "",
        "textDocument/onTypeFormatting",
        Own,
    ),
    ("renameProvider", "", "textDocument/rename", Own),
    (
        "renameProvider",
        "prepareProvider",
        "textDocument/prepareRename",
        At,
    ),
    (
        "foldingRangeProvider",
        "",
        "textDocument/foldingRange",
        Document,
    ),
    (
        "executeCommandProvider",
        "",
        "workspace/executeCommand",
        Own,
    ),
    (
        "selectionRangeProvider",
        "",
        "textDocument/selectionRange",
        Own,
    ),
    (
        "linkedEditingRangeProvider",
        "",
        "textDocument/linkedEditingRange",
        At,
    ),
    (
        "callHierarchyProvider",
        "",
        "textDocument/prepareCallHierarchy",
        At,
    ),
    (
        "typeHierarchyProvider",
        "",
        "textDocument/prepareTypeHierarchy",
        At,
    ),
    ("monikerProvider", "", "textDocument/moniker", At),
    (
        "semanticTokensProvider",
        "full",
        "textDocument/semanticTokens/full",
        Document,
    ),
    (
        "semanticTokensProvider",
        "full/delta",
        "textDocument/semanticTokens/full/delta",
        Own,
    ),
    (
        "semanticTokensProvider",
        "range",
        "textDocument/semanticTokens/range",
        Range,
    ),
    ("inlayHintProvider", "", "textDocument/inlayHint", Range),
    (
        "inlayHintProvider",
        "resolveProvider",
        "inlayHint/resolve",
        Resolve("textDocument/inlayHint"),
    ),
    ("inlineValueProvider", "", "textDocument/inlineValue", Own),
    ("diagnosticProvider", "", "textDocument/diagnostic", Own),
    (
        "diagnosticProvider",
        "workspaceDiagnostics",
        "workspace/diagnostic",
        Own,
    ),
    (
        "workspace/fileOperations",
        "willCreate",
        "workspace/willCreateFiles",
        Own,
    ),
    (
        "workspace/fileOperations",
        "willRename",
        "workspace/willRenameFiles",
        Own,
    ),
    (
        "workspace/fileOperations",
        "willDelete",
        "workspace/willDeleteFiles",
        Own,
    ),
    ("workspace/fileOperations", "didCreate", "", Own),
    ("workspace/fileOperations", "didRename", "", Own),
    ("workspace/fileOperations", "didDelete", "", Own),
    (
        "workspace/textDocumentContent",
        "",
        "workspace/textDocumentContent",
        Own,
    ),
    ("experimental/ctrc", "source", "ctrc/source", Own),
];

/// Capabilities that ask for no requests.
const SILENT: &[&str] = &[
    "positionEncoding",
    "textDocumentSync",
    "workspace/workspaceFolders",
];

fn announced(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false))
}

/// The requests that a server with these capabilities takes.
///
/// # Errors
///
/// A capability that nothing here knows.
pub(crate) fn requests(capabilities: &Value) -> Result<Vec<(&'static str, Shape)>, String> {
    let mut names: Vec<String> = Vec::new();
    for (name, value) in capabilities.as_object().ok_or("no capabilities")? {
        match (name.as_str(), value) {
            (_, value) if !announced(value) => {}
            ("workspace" | "experimental", Value::Object(inner)) => names.extend(
                inner
                    .iter()
                    .filter(|(_, value)| announced(value))
                    .map(|(inner, _)| format!("{name}/{inner}")),
            ),
            _ => names.push(name.clone()),
        }
    }
    let mut out = Vec::new();
    for name in names {
        if SILENT.contains(&name.as_str()) {
            continue;
        }
        let rows: Vec<_> = TABLE.iter().filter(|row| row.0 == name).collect();
        if rows.is_empty() {
            return Err(format!("`{name}` is announced and never asked for here"));
        }
        let options = &capabilities
            .pointer(&format!("/{name}"))
            .unwrap_or(&Value::Null);
        for (_, option, method, shape) in rows {
            let wanted = option.is_empty()
                || options
                    .pointer(&format!("/{option}"))
                    .is_some_and(announced);
            if wanted && !method.is_empty() {
                out.push((*method, *shape));
            }
        }
        // An option that ends like a promise of further requests.
        for (option, value) in options.as_object().into_iter().flatten() {
            let known = matches!(
                option.as_str(),
                "workDoneProgress"
                    | "triggerCharacters"
                    | "retriggerCharacters"
                    | "allCommitCharacters"
                    | "completionItem"
                    | "codeActionKinds"
                    | "commands"
                    | "legend"
                    | "identifier"
                    | "interFileDependencies"
                    | "documentSelector"
                    | "id"
                    | "label"
                    | "firstTriggerCharacter"
                    | "moreTriggerCharacter"
                    | "scheme"
                    | "schemes"
                    | "panels"
            ) || TABLE
                .iter()
                .any(|row| row.0 == name && row.1.split('/').next() == Some(option));
            if announced(value) && !known {
                return Err(format!(
                    "the option `{option}` of `{name}` is never tried here"
                ));
            }
        }
    }
    Ok(out)
}

/// What the parameters are about.
pub(crate) struct Site<'t> {
    pub(crate) uri: &'t str,
    pub(crate) text: &'t str,
    pub(crate) units: Units,
    /// Where the text was touched last.
    pub(crate) touched: usize,
    pub(crate) capabilities: &'t Value,
    /// The answer to `semanticTokens/full` that deltas are asked from.
    pub(crate) tokens: Option<&'t str>,
    /// The findings that a client would pass with a request for actions.
    pub(crate) findings: Value,
    /// The positions to ask at, once they are known.
    pub(crate) positions: OnceCell<Vec<Position>>,
}

fn point((line, character): Position) -> Value {
    json!({"line": line, "character": character})
}

fn range(a: Position, b: Position) -> Value {
    json!({"start": point(a), "end": point(b)})
}

impl Site<'_> {
    /// The edit, its line's end, past that, in the middle of a character, past the text, its start.
    pub(crate) fn positions(&self) -> Vec<Position> {
        self.positions.get_or_init(|| self.places()).clone()
    }

    fn places(&self) -> Vec<Position> {
        let here = text::position(self.text, self.touched, self.units);
        let (_, end) = text::lines(self.text)[here.0 as usize];
        let line_end = text::position(self.text, end, self.units);
        let mut out = vec![
            here,
            line_end,
            (here.0, 9999),
            (999, 0),
            (0, 0),
            (u32::MAX, u32::MAX),
        ];
        // A character that several units make, the nearest after the edit or else the first one.
        let wide = |from: usize| {
            self.text[from..]
                .char_indices()
                .find(|(_, c)| self.units.width(*c) > 1)
                .map(|(at, _)| from + at)
        };
        if let Some(at) = wide(self.touched).or_else(|| wide(0)) {
            let (line, character) = text::position(self.text, at, self.units);
            out.push((line, character + 1));
        }
        out.dedup();
        out
    }

    fn end(&self) -> Position {
        text::position(self.text, self.text.len(), self.units)
    }

    /// The edit, the line, everything, beyond everything, the wrong way round.
    fn ranges(&self) -> Vec<Value> {
        let here = text::position(self.text, self.touched, self.units);
        vec![
            range(here, here),
            range((here.0, 0), (here.0, 9999)),
            range((0, 0), self.end()),
            range(here, (999, 1)),
            range(self.end(), (0, 0)),
        ]
    }

    fn contracts(&self) -> Vec<&str> {
        let mut words = self.text.split_whitespace();
        let mut out = Vec::new();
        while let Some(word) = words.next() {
            if word == "contract"
                && let Some(name) = words.next()
                && name.chars().all(|c| c.is_alphanumeric() || c == '_')
            {
                out.push(name);
            }
        }
        out
    }

    /// All parameters to try a request with, apart from those of items.
    pub(crate) fn params(&self, method: &str, shape: Shape) -> Vec<Value> {
        let document = json!({"uri": self.uri});
        match shape {
            At => self
                .positions()
                .into_iter()
                .map(|at| json!({"textDocument": document, "position": point(at)}))
                .collect(),
            Document => vec![json!({"textDocument": document})],
            Range => self
                .ranges()
                .into_iter()
                .map(|range| json!({"textDocument": document, "range": range}))
                .collect(),
            Own => self.own(method, &document),
            Resolve(_) => Vec::new(),
        }
    }

    fn own(&self, method: &str, document: &Value) -> Vec<Value> {
        let options = json!({"tabSize": 2, "insertSpaces": true, "trimTrailingWhitespace": true, "insertFinalNewline": true});
        let at = |more: Value| -> Vec<Value> {
            self.positions()
                .into_iter()
                .map(|at| {
                    let mut params = json!({"textDocument": document, "position": point(at)});
                    for (name, value) in more.as_object().into_iter().flatten() {
                        params[name] = value.clone();
                    }
                    params
                })
                .collect()
        };
        match method {
            "textDocument/references" => [true, false]
                .into_iter()
                .flat_map(|own| at(json!({"context": {"includeDeclaration": own}})))
                .collect(),
            "textDocument/codeAction" => {
                let mut all: Vec<Value> = self
                    .ranges()
                    .into_iter()
                    .map(|range| json!({"textDocument": document, "range": range, "context": {"diagnostics": self.findings, "triggerKind": 2}}))
                    .collect();
                let whole = range((0, 0), self.end());
                for only in [json!(["quickfix"]), json!(["source.fixAll"]), json!(["nonsense"]), json!([])] {
                    all.push(json!({"textDocument": document, "range": whole, "context": {"diagnostics": [], "only": only}}));
                }
                all
            }
            "workspace/symbol" => ["", "a", "é😀", "zz_nothing"]
                .into_iter()
                .map(|query| json!({"query": query}))
                .collect(),
            "textDocument/formatting" => vec![
                json!({"textDocument": document, "options": options}),
                json!({"textDocument": document, "options": {"tabSize": 0, "insertSpaces": false}}),
            ],
            "textDocument/rangeFormatting" => self
                .ranges()
                .into_iter()
                .map(|range| json!({"textDocument": document, "range": range, "options": options}))
                .collect(),
            "textDocument/rangesFormatting" => vec![json!({"textDocument": document, "ranges": self.ranges(), "options": options})],
            "textDocument/onTypeFormatting" => {
                let provider = &self.capabilities["documentOnTypeFormattingProvider"];
                let mut keys = vec![provider["firstTriggerCharacter"].clone()];
                keys.extend(provider["moreTriggerCharacter"].as_array().cloned().unwrap_or_default());
                keys.into_iter()
                    .flat_map(|key| at(json!({"ch": key, "options": options})))
                    .collect()
            }
            "textDocument/rename" => ["new_name", "contract", "a b", "é"]
                .into_iter()
                .flat_map(|name| at(json!({"newName": name})))
                .collect(),
            "workspace/executeCommand" => {
                let commands = self.capabilities["executeCommandProvider"]["commands"].as_array();
                let mut all = Vec::new();
                for command in commands.into_iter().flatten() {
                    all.push(json!({"command": command, "arguments": [{"uri": self.uri}]}));
                    all.push(json!({"command": command}));
                    for contract in self.contracts().into_iter().take(1) {
                        all.push(json!({"command": command, "arguments": [{"uri": self.uri, "contract": contract, "text": ""}]}));
                    }
                }
                all
            }
            "textDocument/selectionRange" => {
                let all: Vec<Value> = self.positions().into_iter().map(point).collect();
                vec![
                    json!({"textDocument": document, "positions": all}),
                    json!({"textDocument": document, "positions": []}),
                ]
            }
            "textDocument/semanticTokens/full/delta" => vec![json!({"textDocument": document, "previousResultId": self.tokens.unwrap_or("0")})],
            "textDocument/inlineValue" => self
                .ranges()
                .into_iter()
                .map(|range| json!({"textDocument": document, "range": range, "context": {"frameId": 0, "stoppedLocation": range}}))
                .collect(),
            "textDocument/diagnostic" => vec![
                json!({"textDocument": document}),
                json!({"textDocument": document, "previousResultId": "nonsense", "identifier": "ctrc"}),
            ],
            "workspace/diagnostic" => vec![json!({"previousResultIds": [{"uri": self.uri, "value": "nonsense"}]})],
            "workspace/willRenameFiles" => vec![json!({"files": [{"oldUri": self.uri, "newUri": format!("{}.new.ctr", self.uri)}]})],
            "workspace/willCreateFiles" | "workspace/willDeleteFiles" => vec![json!({"files": [{"uri": self.uri}]})],
            "workspace/textDocumentContent" | "ctrc/source" => ["std.declare", "std/declare.ctr", "nothing"]
                .into_iter()
                .map(|name| json!({"uri": format!("ctrc-std:/{name}")}))
                .collect(),
            other => panic!("no parameters for `{other}`"),
        }
    }
}

#[test]
fn a_new_capability_is_noticed() {
    let known = json!({"hoverProvider": true, "renameProvider": {"prepareProvider": true}, "colorProvider": false});
    let methods: Vec<_> = requests(&known)
        .unwrap()
        .into_iter()
        .map(|(m, _)| m)
        .collect();
    assert_eq!(
        methods,
        [
            "textDocument/hover",
            "textDocument/rename",
            "textDocument/prepareRename"
        ]
    );
    assert!(requests(&json!({"telepathyProvider": true})).is_err());
    assert!(requests(&json!({"hoverProvider": {"deepProvider": true}})).is_err());
    assert!(requests(&json!({"workspace": {"dreams": {}}})).is_err());
}
