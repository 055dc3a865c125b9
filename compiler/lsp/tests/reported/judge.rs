//! What every answer must keep, whatever was asked: the rules of the protocol that need no knowledge of the language.

use serde_json::Value;

use crate::client::Answer;
use crate::text::{self, Places, Position, Units};

/// Requests that may be refused with a reason that the user reads (`RequestFailed`).
const REFUSABLE: &[&str] = &[
    "textDocument/rename",
    "textDocument/prepareRename",
    "textDocument/formatting",
    "textDocument/rangeFormatting",
    "textDocument/rangesFormatting",
    "workspace/executeCommand",
    "workspace/willRenameFiles",
    "workspace/textDocumentContent",
    "ctrc/source",
];

pub(crate) const REQUEST_FAILED: i64 = -32803;

/// What a position or range in an answer is about.
pub(crate) struct Judge<'t> {
    pub(crate) uri: &'t str,
    text: &'t str,
    units: Units,
    places: Places<'t>,
}

pub(crate) fn position(value: &Value) -> Option<Position> {
    let fields = value.as_object().filter(|fields| fields.len() == 2)?;
    let number = |name: &str| {
        fields
            .get(name)?
            .as_u64()
            .map(|n| u32::try_from(n).unwrap())
    };
    Some((number("line")?, number("character")?))
}

pub(crate) fn range(value: &Value) -> Option<(Position, Position)> {
    let fields = value.as_object().filter(|fields| fields.len() == 2)?;
    Some((
        position(fields.get("start")?)?,
        position(fields.get("end")?)?,
    ))
}

impl<'t> Judge<'t> {
    pub(crate) fn new(uri: &'t str, text: &'t str, units: Units) -> Self {
        Self {
            uri,
            text,
            units,
            places: Places::new(text, units),
        }
    }

    /// # Errors
    ///
    /// What is wrong with an answer.
    pub(crate) fn answer(
        &self,
        method: &str,
        params: &Value,
        answer: &Answer,
    ) -> Result<(), String> {
        let result = match answer {
            Ok(result) => result,
            Err((REQUEST_FAILED, why)) if REFUSABLE.contains(&method) && !why.is_empty() => {
                return match why.contains("internal error") || why.contains('\n') {
                    true => Err(format!("a refusal that explains nothing: {why}")),
                    false => Ok(()),
                };
            }
            // Arguments of a command that are missing.
            Err((-32602, why))
                if method == "workspace/executeCommand" && !why.contains("internal") =>
            {
                return Ok(());
            }
            Err((code, message)) => return Err(format!("error {code}: {message}")),
        };
        if method == "workspace/executeCommand" {
            return Ok(());
        }
        self.places(result, self.uri)?;
        match method {
            "textDocument/hover" => self.hover(params, result),
            "textDocument/completion" => self.completion(params, result),
            "textDocument/documentSymbol" => self.symbols(result),
            "textDocument/foldingRange" => self.folding(result),
            "textDocument/selectionRange" => self.selection(params, result),
            "textDocument/semanticTokens/full" | "textDocument/semanticTokens/range" => {
                self.tokens(&result["data"])
            }
            "textDocument/formatting"
            | "textDocument/rangeFormatting"
            | "textDocument/onTypeFormatting" => self.edits(result).map(drop),
            "textDocument/prepareRename" if !result.is_null() => {
                let (start, end) = range(result)
                    .or_else(|| range(&result["range"]))
                    .ok_or("no range")?;
                let at = position(&params["position"]).ok_or("no position")?;
                self.near(at, start, end)
            }
            "textDocument/codeLens" => {
                for lens in result.as_array().into_iter().flatten() {
                    let (start, end) = range(&lens["range"]).ok_or("a lens without range")?;
                    if start.0 != end.0 {
                        return Err(format!("a lens over several lines: {lens}"));
                    }
                }
                Ok(())
            }
            "textDocument/rename" | "workspace/willRenameFiles" => self.workspace_edit(result),
            "textDocument/codeAction" => {
                for action in result.as_array().into_iter().flatten() {
                    self.workspace_edit(&action["edit"])?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Every range in this document is one that it has.
    fn places(&self, value: &Value, uri: &str) -> Result<(), String> {
        if let Some((start, end)) = range(value) {
            if start > end {
                return Err(format!("a range that ends before it starts: {value}"));
            }
            if uri == self.uri {
                for place in [start, end] {
                    if !self.places.has(place) {
                        return Err(format!("the text has no place {place:?}: {value}"));
                    }
                }
            }
            return Ok(());
        }
        match value {
            Value::Object(fields) => {
                let named = ["uri", "targetUri"]
                    .iter()
                    .find_map(|name| fields.get(*name).and_then(Value::as_str))
                    .or_else(|| fields.get("textDocument").and_then(|d| d["uri"].as_str()));
                for (name, inner) in fields {
                    // The range of a link stands in the document that was asked about.
                    let uri = match (name.as_str(), named) {
                        ("originSelectionRange", _) => self.uri,
                        ("range", Some(_)) if fields.contains_key("tooltip") => self.uri,
                        ("target", _) => continue,
                        (_, Some(named)) => named,
                        (name, None) if name.contains(':') => name,
                        _ => uri,
                    };
                    self.places(inner, uri)?;
                }
                Ok(())
            }
            Value::Array(items) => items.iter().try_for_each(|item| self.places(item, uri)),
            _ => Ok(()),
        }
    }

    /// A position that the server would move to where the text has one.
    fn moved(&self, at: Position) -> Option<Position> {
        self.places.has(at).then_some(at)
    }

    fn near(&self, at: Position, start: Position, end: Position) -> Result<(), String> {
        match self.moved(at) {
            Some(at) if at < start || at > end => {
                Err(format!("{start:?}..{end:?} is not at {at:?}"))
            }
            _ => Ok(()),
        }
    }

    fn hover(&self, params: &Value, result: &Value) -> Result<(), String> {
        let contents = &result["contents"];
        if !result.is_null()
            && contents["value"]
                .as_str()
                .or(contents.as_str())
                .is_some_and(|text| text.trim().is_empty())
        {
            return Err("an empty hover".to_owned());
        }
        let at = position(&params["position"]).ok_or("no position")?;
        match range(&result["range"]) {
            Some((start, end)) => self.near(at, start, end),
            None => Ok(()),
        }
    }

    fn completion(&self, params: &Value, result: &Value) -> Result<(), String> {
        let at = position(&params["position"]).ok_or("no position")?;
        let defaults = range(&result["itemDefaults"]["editRange"]);
        let items = result.as_array().or(result["items"].as_array());
        for item in items.into_iter().flatten() {
            if item["label"].as_str().is_none_or(str::is_empty) {
                return Err(format!("no label: {item}"));
            }
            let edit = &item["textEdit"];
            let ranges = [&edit["range"], &edit["insert"], &edit["replace"]];
            for (start, end) in ranges.into_iter().filter_map(range).chain(defaults) {
                if start.0 != end.0 {
                    return Err(format!("an edit over several lines: {item}"));
                }
                self.near(at, start, end)
                    .map_err(|e| format!("{e}: {item}"))?;
            }
        }
        Ok(())
    }

    fn symbols(&self, result: &Value) -> Result<(), String> {
        for symbol in result.as_array().into_iter().flatten() {
            if symbol["name"]
                .as_str()
                .is_none_or(|name| name.trim().is_empty())
            {
                return Err(format!("a symbol without a name: {symbol}"));
            }
            if let (Some(whole), Some(name)) =
                (range(&symbol["range"]), range(&symbol["selectionRange"]))
                && (name.0 < whole.0 || name.1 > whole.1)
            {
                return Err(format!("a name outside of its symbol: {symbol}"));
            }
            self.symbols(&symbol["children"])?;
        }
        Ok(())
    }

    fn folding(&self, result: &Value) -> Result<(), String> {
        let count = self.places.lines() as u64;
        for fold in result.as_array().into_iter().flatten() {
            let (start, end) = (fold["startLine"].as_u64(), fold["endLine"].as_u64());
            if start > end || end >= Some(count) {
                return Err(format!("a fold of lines that are not there: {fold}"));
            }
        }
        Ok(())
    }

    fn selection(&self, params: &Value, result: &Value) -> Result<(), String> {
        let asked = params["positions"].as_array().ok_or("no positions")?;
        let Some(given) = result.as_array() else {
            return Ok(());
        };
        if asked.len() != given.len() {
            return Err(format!(
                "{} positions, {} answers",
                asked.len(),
                given.len()
            ));
        }
        for (at, mut selection) in asked.iter().zip(given) {
            let (start, end) = range(&selection["range"]).ok_or("no range")?;
            self.near(position(at).ok_or("no position")?, start, end)?;
            while let Some(outer) = range(&selection["parent"]["range"]) {
                let inner = range(&selection["range"]).ok_or("no range")?;
                if outer.0 > inner.0 || outer.1 < inner.1 || outer == inner {
                    return Err(format!("{outer:?} is not around {inner:?}"));
                }
                selection = &selection["parent"];
            }
        }
        Ok(())
    }

    /// Tokens in order, apart from each other, none over a line's end or inside a character.
    fn tokens(&self, data: &Value) -> Result<(), String> {
        let numbers: Vec<u32> = data
            .as_array()
            .into_iter()
            .flatten()
            .map(|n| u32::try_from(n.as_u64().unwrap()).unwrap())
            .collect();
        if !numbers.len().is_multiple_of(5) {
            return Err("tokens are five numbers each".to_owned());
        }
        let (mut line, mut start, mut end) = (0, 0, 0);
        for token in numbers.chunks(5) {
            if token[0] > 0 {
                (start, end) = (0, 0);
            }
            line += token[0];
            start += token[1];
            if start < end {
                return Err(format!("a token within another at {line}:{start}"));
            }
            end = start + token[2];
            for place in [(line, start), (line, end)] {
                if !self.places.has(place) {
                    return Err(format!("a token at {place:?}, which the text has not"));
                }
            }
            if token[2] == 0 {
                return Err(format!("an empty token at {line}:{start}"));
            }
        }
        Ok(())
    }

    /// The text after edits, which must not overlap.
    pub(crate) fn edits(&self, edits: &Value) -> Result<String, String> {
        if edits.as_array().is_none_or(Vec::is_empty) {
            return Ok(self.text.to_owned());
        }
        let mut all = Vec::new();
        for edit in edits.as_array().into_iter().flatten() {
            let (start, end) = range(&edit["range"]).ok_or("an edit without range")?;
            let place = |at| text::offset(self.text, at, self.units).ok_or("an edit of no place");
            let new = edit["newText"].as_str().ok_or("an edit without text")?;
            all.push((place(start)?, place(end)?, new));
        }
        all.sort_by_key(|(start, end, _)| (*start, *end));
        let mut out = String::new();
        let mut at = 0;
        for (start, end, new) in all {
            if start < at {
                return Err(format!("edits that overlap: {edits}"));
            }
            out.push_str(&self.text[at..start]);
            out.push_str(new);
            at = end;
        }
        out.push_str(&self.text[at..]);
        Ok(out)
    }

    fn workspace_edit(&self, edit: &Value) -> Result<(), String> {
        for change in edit["documentChanges"].as_array().into_iter().flatten() {
            if change["textDocument"]["uri"] == self.uri {
                self.edits(&change["edits"])?;
            }
        }
        self.edits(&edit["changes"][self.uri]).map(drop)
    }
}
