//! A document that is edited, with all requests at each step, and a fresh server to compare with.

use std::cell::OnceCell;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::capabilities::{self, Shape, Site};
use crate::client::{Answer, Client, Kind, PATIENCE};
use crate::judge::{Judge, REQUEST_FAILED};
use crate::text::{self, Units};

/// Between two steps that ask at every place and in every way, in a session that asks in turn.
const ROUND: u64 = 16;

/// A change of a text: these bytes are replaced, or all of it.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Part(usize, usize, String),
    Whole(String),
}

/// What was found wrong, with all that is needed to see it again.
pub(crate) type Fault = String;

pub(crate) struct Session {
    pub(crate) client: Client,
    folders: Vec<String>,
    uri: String,
    pub(crate) text: String,
    version: i64,
    units: Units,
    requests: Vec<(&'static str, Shape)>,
    /// The tokens answered last: their name, and their numbers.
    tokens: Option<(String, Vec<Value>)>,
    /// Items of earlier answers, to be completed when the text is another one.
    stale: Vec<(String, Value)>,
    /// Whether a step asks each request once where the text was touched and once at another place, which is the next
    /// one at the next step, and not at all places in all ways.
    pub(crate) takes_turns: bool,
    pub(crate) steps: u64,
    pub(crate) asked: u64,
    pub(crate) compared: u64,
}

impl Session {
    pub(crate) fn open(
        kind: Kind,
        units: Units,
        folders: &[String],
        uri: &str,
        text: &str,
    ) -> Self {
        let mut client = Client::ready(kind, units.name(), folders);
        let requests =
            capabilities::requests(&client.capabilities).unwrap_or_else(|why| panic!("{why}"));
        client.open(uri, 1, text);
        Self {
            client,
            folders: folders.to_vec(),
            uri: uri.to_owned(),
            text: text.to_owned(),
            version: 1,
            units,
            requests,
            tokens: None,
            stale: Vec::new(),
            takes_turns: false,
            steps: 0,
            asked: 0,
            compared: 0,
        }
    }

    /// Changes in one message, each to the text that the ones before it gave.
    pub(crate) fn edit(&mut self, changes: &[Change]) {
        let mut told = Vec::new();
        for change in changes {
            match change {
                Change::Part(start, end, new) => {
                    let place = |at| {
                        let (line, character) = text::position(&self.text, at, self.units);
                        json!({"line": line, "character": character})
                    };
                    told.push(
                        json!({"range": {"start": place(*start), "end": place(*end)}, "text": new}),
                    );
                    self.text.replace_range(*start..*end, new);
                }
                Change::Whole(new) => {
                    told.push(json!({"text": new}));
                    self.text.clone_from(new);
                }
            }
        }
        self.version += 1;
        self.client.notify(
            "textDocument/didChange",
            json!({"textDocument": {"uri": self.uri, "version": self.version}, "contentChanges": told}),
        );
    }

    fn findings(&self) -> Value {
        self.client
            .findings
            .get(&self.uri)
            .map_or(json!([]), |(_, findings)| findings.clone())
    }

    /// All requests that the server announces, about the place that was touched and others.
    pub(crate) fn step(&mut self, touched: usize) -> Result<(), Fault> {
        self.steps += 1;
        let mut all: Vec<(String, Value)> = Vec::new();
        let findings = self.findings();
        let site = Site {
            uri: &self.uri,
            text: &self.text,
            units: self.units,
            touched,
            capabilities: &self.client.capabilities,
            tokens: self.tokens.as_ref().map(|(id, _)| id.as_str()),
            findings,
            positions: OnceCell::new(),
        };
        let in_turn = self.takes_turns && !self.steps.is_multiple_of(ROUND);
        for (nth, (method, shape)) in self.requests.iter().enumerate() {
            let mut params = site.params(method, *shape);
            if in_turn && params.len() > 2 {
                // The first one is about the place that was touched.
                let turn = 1 + (self.steps as usize + nth) % (params.len() - 1);
                params.swap(1, turn);
                params.truncate(2);
            }
            all.extend(
                params
                    .into_iter()
                    .map(|params| ((*method).to_owned(), params)),
            );
        }
        let answers = self.client.ask(&all);
        self.asked += all.len() as u64;
        let judge = self.judge();
        for ((method, params), answer) in all.iter().zip(&answers) {
            judge
                .answer(method, params, answer)
                .map_err(|what| self.told(method, params, &what))?;
        }
        self.check_tokens(&all, &answers)?;
        self.complete(&all, &answers)?;
        match self.client.faults().first() {
            Some(fault) => Err(self.told("a log", &Value::Null, fault)),
            None => Ok(()),
        }
    }

    fn told(&self, method: &str, params: &Value, what: &str) -> Fault {
        format!(
            "{what}\n--- {method} {params}\n--- {:?}, {:?}\n--- text: {:?}",
            self.client.kind, self.units, self.text
        )
    }

    fn judge(&self) -> Judge<'_> {
        Judge::new(&self.uri, &self.text, self.units)
    }

    /// What a delta makes of the tokens before is what all tokens are.
    fn check_tokens(&mut self, all: &[(String, Value)], answers: &[Answer]) -> Result<(), Fault> {
        let of = |name: &str| {
            all.iter()
                .zip(answers)
                .find(|((method, _), _)| method == name)
                .and_then(|(_, answer)| answer.as_ref().ok())
        };
        let Some(full) = of("textDocument/semanticTokens/full") else {
            return Ok(());
        };
        let data = full["data"].as_array().cloned().unwrap_or_default();
        let delta = of("textDocument/semanticTokens/full/delta");
        if let (Some((_, before)), Some(delta)) = (&self.tokens, delta) {
            let after = match delta["edits"].as_array() {
                Some(edits) => {
                    let mut after = before.clone();
                    let mut edits: Vec<_> = edits.iter().collect();
                    edits.sort_by_key(|edit| std::cmp::Reverse(edit["start"].as_u64()));
                    for edit in edits {
                        let start = edit["start"].as_u64().unwrap() as usize;
                        let end = start + edit["deleteCount"].as_u64().unwrap() as usize;
                        let new = edit["data"].as_array().cloned().unwrap_or_default();
                        if end > after.len() {
                            return Err(self.told("delta", delta, "an edit past the tokens"));
                        }
                        after.splice(start..end, new);
                    }
                    after
                }
                None => delta["data"].as_array().cloned().unwrap_or_default(),
            };
            if after != data {
                return Err(self.told("delta", delta, "the delta gives other tokens"));
            }
        }
        self.tokens = full["resultId"].as_str().map(|id| (id.to_owned(), data));
        Ok(())
    }

    /// Items of answers, and of answers about an earlier text, are asked to be completed.
    fn complete(&mut self, all: &[(String, Value)], answers: &[Answer]) -> Result<(), Fault> {
        let mut fresh = Vec::new();
        for (method, shape) in &self.requests {
            let Shape::Resolve(from) = shape else {
                continue;
            };
            for ((asked, _), answer) in all.iter().zip(answers) {
                let Ok(answer) = answer else { continue };
                if asked != from {
                    continue;
                }
                let Some(items) = answer.as_array().or(answer["items"].as_array()) else {
                    continue;
                };
                let picked = [0, items.len() / 2, items.len().saturating_sub(1)];
                for (nth, at) in picked.iter().enumerate() {
                    if let Some(item) = items.get(*at)
                        && !picked[..nth].contains(at)
                        && item["data"] != Value::Null
                    {
                        fresh.push(((*method).to_owned(), item.clone()));
                    }
                }
            }
        }
        fresh.dedup();
        let stale = std::mem::take(&mut self.stale);
        self.asked += (fresh.len() + stale.len()) as u64;
        for ((method, item), answer) in stale.iter().zip(self.client.ask(&stale)) {
            match answer {
                Ok(_) | Err((-32801 | REQUEST_FAILED, _)) => {}
                Err((code, why)) => {
                    return Err(self.told(method, item, &format!("stale: error {code}: {why}")));
                }
            }
        }
        let answers = self.client.ask(&fresh);
        let judge = self.judge();
        for ((method, item), answer) in fresh.iter().zip(answers) {
            match answer {
                Ok(_) => judge
                    .answer(method, item, &answer)
                    .map_err(|what| self.told(method, item, &what))?,
                Err((code, why)) => {
                    return Err(self.told(method, item, &format!("error {code}: {why}")));
                }
            }
        }
        self.stale = fresh.into_iter().take(6).collect();
        Ok(())
    }

    /// What a server says about the text as it is.
    fn state(&self, client: &mut Client, places: &[usize]) -> Vec<(String, Value)> {
        let mut all: Vec<(String, Value)> = Vec::new();
        for touched in places {
            let site = Site {
                uri: &self.uri,
                text: &self.text,
                units: self.units,
                touched: *touched,
                capabilities: &self.client.capabilities,
                tokens: None,
                findings: json!([]),
                positions: OnceCell::new(),
            };
            for (method, shape) in &self.requests {
                if method.ends_with("/delta") || *method == "workspace/executeCommand" {
                    continue;
                }
                for params in site.params(method, *shape) {
                    all.push(((*method).to_owned(), params));
                }
            }
        }
        let answers = client.ask(&all);
        let mut out: Vec<(String, Value)> = all
            .into_iter()
            .zip(answers)
            .map(|((method, params), answer)| {
                let answer = match answer {
                    Ok(mut answer) => {
                        without_names(&mut answer);
                        answer
                    }
                    Err((code, why)) => json!({"error": code, "why": why}),
                };
                (format!("{method} {params}"), answer)
            })
            .collect();
        for (uri, (version, findings)) in &client.findings {
            if *uri == self.uri || *findings != json!([]) {
                out.push((format!("findings {uri}"), json!([version, findings])));
            }
        }
        out
    }

    /// A fresh server that sees the same files says the same, once both have found what there is to find.
    pub(crate) fn compare(&mut self, places: &[usize]) -> Result<(), Fault> {
        self.compared += 1;
        let mut fresh = Client::ready(self.client.kind, self.units.name(), &self.folders);
        fresh.open(&self.uri, self.version, &self.text);
        let until = Instant::now() + PATIENCE;
        let mut quiet = Duration::from_millis(1);
        let (uri, version) = (self.uri.clone(), self.version);
        if self.client.kind == Kind::Poor {
            self.client.settle(&uri, version);
            fresh.settle(&uri, version);
        }
        // What is told last are findings of proofs; all the rest is asked once those are the same.
        let known = |client: &mut Client| {
            let params = json!({"textDocument": {"uri": uri}});
            let mut answer = client.request("textDocument/diagnostic", params);
            if let Ok(answer) = &mut answer {
                without_names(answer);
            }
            answer
        };
        while Instant::now() < until {
            let (old, new) = (known(&mut self.client), known(&mut fresh));
            if is_same(&json!(old.ok()), &json!(new.ok())) {
                break;
            }
            self.client.calm(quiet);
            fresh.calm(quiet);
            quiet = (quiet * 2).min(Duration::from_secs(1));
        }
        loop {
            let mut client = std::mem::replace(&mut self.client, fresh);
            let old = self.state(&mut client, places);
            fresh = std::mem::replace(&mut self.client, client);
            let new = self.state(&mut fresh, places);
            if is_same(&json!(old), &json!(new)) {
                break;
            }
            if Instant::now() > until {
                let differs = |a: &[(String, Value)], b: &[(String, Value)]| {
                    a.iter().find(|entry| !b.contains(entry)).cloned()
                };
                let what = format!(
                    "a fresh server differs:\nold {:?}\nnew {:?}",
                    differs(&old, &new),
                    differs(&new, &old)
                );
                return Err(self.told("compare", &Value::Null, &what));
            }
            self.client.calm(quiet);
            fresh.calm(quiet);
            quiet = (quiet * 2).min(Duration::from_secs(1));
        }
        let faults = fresh.faults().join("\n");
        if !faults.is_empty() {
            return Err(self.told("a fresh server's log", &Value::Null, &faults));
        }
        assert!(fresh.close());
        Ok(())
    }

    /// # Errors
    ///
    /// What the server logged as wrong.
    pub(crate) fn close(self) -> Result<(), Fault> {
        let faults = self.client.faults().join("\n");
        if !faults.is_empty() {
            return Err(self.told("log", &Value::Null, &faults));
        }
        let uri = self.uri.clone();
        let mut client = self.client;
        client.notify(
            "textDocument/didClose",
            json!({"textDocument": {"uri": uri}}),
        );
        match client.close() {
            true => Ok(()),
            false => Err("the server did not end well".to_owned()),
        }
    }
}

/// Whether two servers say the same. What a proof that ran out of time would have found is not compared: how far it
/// gets is a matter of the machine.
fn is_same(old: &Value, new: &Value) -> bool {
    let timed = |value: &Value| value.to_string().contains("time limit");
    old == new
        || (timed(old) || timed(new)) && {
            let (mut old, mut new) = (old.clone(), new.clone());
            without_proofs(&mut old);
            without_proofs(&mut new);
            old == new
        }
}

fn without_proofs(value: &mut Value) {
    match value {
        Value::Object(fields) => fields.values_mut().for_each(without_proofs),
        Value::Array(items) => {
            items.retain(|item| {
                let code = item["code"].as_str().unwrap_or_default();
                !code.starts_with("E07") && !code.starts_with("W07")
            });
            items.iter_mut().for_each(without_proofs);
            // A file about which nothing is told any more, or was told yet.
            items.retain(|item| {
                let title = item[0].as_str().unwrap_or_default();
                !title.starts_with("findings ") || item[1][1] != json!([])
            });
        }
        _ => {}
    }
}

#[test]
fn only_proofs_without_time_may_differ() {
    let found = |code: &str, message: &str| json!([{"code": code, "message": message}]);
    let timed = found("W0700", "undecided\nhelp: the time limit is reached");
    assert!(is_same(&timed, &json!([])) && is_same(&found("E0703", "x"), &timed));
    assert!(!is_same(&found("E0703", "x"), &json!([])));
    assert!(!is_same(&found("E0401", "x"), &timed));
}

/// Names of results are each server's own.
fn without_names(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("resultId");
            fields.values_mut().for_each(without_names);
        }
        Value::Array(items) => items.iter_mut().for_each(without_names),
        _ => {}
    }
}
