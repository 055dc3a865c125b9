//! Findings as SARIF 2.1.0 (OASIS), for code scanning services and editors.
//!
//! Columns count UTF-16 code units, the format's default; places are half open, as there.

use std::fmt::Write as _;

use ctr_front::diagnostic::{Diagnostic, Fix, Severity};
use ctr_front::ir::{Place, Source};
use serde_json::{Value, json};

use ctr_front::lines::Lines;
use ctr_project::codes::lookup;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// One log with one run, and a line end; the run has no results where there are no findings.
#[must_use]
pub fn diagnostics(sources: &[Source], diagnostics: &[Diagnostic]) -> String {
    let mut codes: Vec<&str> = diagnostics.iter().map(|found| found.code).collect();
    codes.sort_unstable();
    codes.dedup();
    let renderer = Renderer {
        lines: sources.iter().map(|s| Lines::new(&s.text)).collect(),
        sources,
    };
    let results: Vec<Value> = diagnostics
        .iter()
        .map(|found| renderer.result(found, codes.binary_search(&found.code).ok()))
        .collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "ctrc",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": codes.iter().map(|code| rule(code)).collect::<Vec<_>>(),
            }},
            "columnKind": "utf16CodeUnits",
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

/// A log that says why nothing could be looked at: a run that did not succeed.
#[must_use]
pub fn failure(why: &str, exit: u8) -> String {
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "ctrc",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": [],
            }},
            "columnKind": "utf16CodeUnits",
            "invocations": [{
                "executionSuccessful": false,
                "exitCode": exit,
                "toolExecutionNotifications": [{"level": "error", "message": {"text": why}}],
            }],
            "results": [],
        }],
    });
    format!("{log:#}\n")
}

/// A code with its documentation.
fn rule(code: &str) -> Value {
    match lookup(code) {
        Some(doc) => {
            let text = doc.markdown();
            let mut rule = json!({
                "id": code,
                "shortDescription": {"text": doc.title},
                "help": {"text": text, "markdown": text},
            });
            // The format wants an absolute address.
            if let (Some(url), Value::Object(fields)) = (doc.absolute_url(), &mut rule) {
                fields.insert("helpUri".to_owned(), json!(url));
            }
            rule
        }
        None => json!({"id": code}),
    }
}

struct Renderer<'s> {
    sources: &'s [Source],
    lines: Vec<Lines<'s>>,
}

impl Renderer<'_> {
    fn result(&self, found: &Diagnostic, rule: Option<usize>) -> Value {
        let mut text = found.message.clone();
        if !found.primary.text.is_empty() {
            let _ = write!(text, ": {}", found.primary.text);
        }
        for help in &found.help {
            let _ = write!(text, "\nhelp: {help}");
        }
        let mut result = json!({
            "ruleId": found.code,
            "level": match found.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            },
            "message": {"text": text},
            "locations": [{"physicalLocation": self.location(found.primary.place)}],
        });
        let related: Vec<Value> = found
            .secondary
            .iter()
            .enumerate()
            .map(|(index, label)| {
                json!({
                    "id": index + 1,
                    "message": {"text": label.text},
                    "physicalLocation": self.location(label.place),
                })
            })
            .collect();
        let fixes: Vec<Value> = found.fixes.iter().map(|fix| self.fix(fix)).collect();
        if let Value::Object(fields) = &mut result {
            if let Some(rule) = rule {
                fields.insert("ruleIndex".to_owned(), json!(rule));
            }
            if !related.is_empty() {
                fields.insert("relatedLocations".to_owned(), json!(related));
            }
            if !fixes.is_empty() {
                fields.insert("fixes".to_owned(), json!(fixes));
            }
        }
        result
    }

    fn location(&self, place: Place) -> Value {
        json!({
            "artifactLocation": self.artifact(place.source.0),
            "region": self.region(place),
        })
    }

    fn artifact(&self, source: u32) -> Value {
        let path = self
            .sources
            .get(source as usize)
            .map_or("", |source| source.path.as_str());
        json!({"uri": uri(path)})
    }

    fn region(&self, place: Place) -> Value {
        let Some(lines) = self.lines.get(place.source.0 as usize) else {
            return json!({"startLine": 1});
        };
        let start = lines.locate_utf16(place.span.start as usize);
        let end = lines.locate_utf16(place.span.end as usize);
        json!({
            "startLine": start.line,
            "startColumn": start.column,
            "endLine": end.line,
            "endColumn": end.column,
        })
    }

    /// A fix: its replacements, by file.
    fn fix(&self, fix: &Fix) -> Value {
        let mut sources: Vec<u32> = fix.edits.iter().map(|(place, _)| place.source.0).collect();
        sources.sort_unstable();
        sources.dedup();
        let changes: Vec<Value> = sources
            .into_iter()
            .map(|source| {
                let replacements: Vec<Value> = fix
                    .edits
                    .iter()
                    .filter(|(place, _)| place.source.0 == source)
                    .map(|(place, text)| {
                        json!({
                            "deletedRegion": self.region(*place),
                            "insertedContent": {"text": text},
                        })
                    })
                    .collect();
                json!({
                    "artifactLocation": self.artifact(source),
                    "replacements": replacements,
                })
            })
            .collect();
        json!({"description": {"text": fix.title}, "artifactChanges": changes})
    }
}

/// A path as a URI reference (RFC 3986): relative as it is, absolute as `file:`.
fn uri(path: &str) -> String {
    let path = path.replace('\\', "/");
    let path = path.strip_prefix("./").unwrap_or(&path);
    let has_drive = path.as_bytes().get(1) == Some(&b':')
        && path.as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
    let first = path.split('/').next().unwrap_or_default();
    let mut out = if has_drive && path.as_bytes().get(2) == Some(&b'/') {
        "file:///".to_owned()
    } else if path.starts_with('/') {
        "file://".to_owned()
    } else if first.contains(':') {
        // Else the first segment would be read as a scheme.
        "./".to_owned()
    } else {
        String::new()
    };
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z'
            | b'a'..=b'z'
            | b'0'..=b'9'
            | b'-'
            | b'.'
            | b'_'
            | b'~'
            | b'/'
            | b':'
            | b'@'
            | b'!'
            | b'$'
            | b'&'
            | b'\''
            | b'('
            | b')'
            | b'*'
            | b'+'
            | b','
            | b';'
            | b'=' => {
                out.push(char::from(byte));
            }
            other => {
                let _ = write!(out, "%{other:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

    use super::super::tests::{error, full, source};
    use super::*;

    #[test]
    fn paths_as_uris() {
        for (path, wanted) in [
            ("a.ctr", "a.ctr"),
            ("./d/a b#1.ctr", "d/a%20b%231.ctr"),
            ("d\\é.ctr", "d/%C3%A9.ctr"),
            ("a:b/c.ctr", "./a:b/c.ctr"),
            ("/tmp/a%.ctr", "file:///tmp/a%25.ctr"),
            ("C:\\p\\a.ctr", "file:///C:/p/a.ctr"),
            ("../a.ctr", "../a.ctr"),
        ] {
            assert_eq!(uri(path), wanted);
        }
    }

    #[test]
    fn a_log() {
        let text = "a\n😀 x é\n";
        let sources = [source("d/a b.ctr", text)];
        let found = [full(text, "x", "a"), error(text, "nowhere", "")];
        let log: Value = serde_json::from_str(&diagnostics(&sources, &found)).unwrap();
        let run = &log["runs"][0];
        assert_eq!(run["columnKind"], "utf16CodeUnits");
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        assert_eq!(rules.len(), 1, "one rule for two findings of one code");
        assert!(!rules[0]["help"]["text"].as_str().unwrap().is_empty());
        let result = &run["results"][0];
        assert_eq!(result["ruleId"], "E0401");
        assert_eq!(result["ruleIndex"], 0);
        assert_eq!(
            result["locations"][0]["physicalLocation"],
            json!({
                "artifactLocation": {"uri": "d/a%20b.ctr"},
                "region": {"startLine": 2, "startColumn": 4, "endLine": 2, "endColumn": 5},
            })
        );
        assert_eq!(
            result["relatedLocations"][0]["message"]["text"],
            "declared here"
        );
        assert_eq!(
            result["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"]["text"],
            "y"
        );
        let at_end = &run["results"][1]["locations"][0]["physicalLocation"]["region"];
        assert_eq!(at_end["startLine"], 3);
        assert_eq!(at_end["startColumn"], 1);
        let empty: Value = serde_json::from_str(&diagnostics(&[], &[])).unwrap();
        assert_eq!(empty["runs"][0]["results"], json!([]));
    }
}
