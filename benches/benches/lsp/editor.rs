//! A document that is typed in.

use std::time::{Duration, Instant};

use ctr_bench::Failure;
use serde_json::json;

use crate::client::Client;

/// An open document (ASCII text with `\n`), and how long each of its changes took.
pub(crate) struct Editor {
    uri: String,
    pub(crate) text: String,
    pub(crate) version: i64,
    /// From a change to the findings of its version.
    pub(crate) times: Vec<Duration>,
}

impl Editor {
    pub(crate) fn open(client: &mut Client, uri: String, text: String) -> Result<Self, Failure> {
        client.notify(
            "textDocument/didOpen",
            json!({"textDocument": {"uri": uri, "languageId": "ctr", "version": 1, "text": text}}),
        )?;
        client.settle(&uri, 1)?;
        Ok(Self {
            uri,
            text,
            version: 1,
            times: Vec::new(),
        })
    }

    /// Where a text stands for the n-th time.
    pub(crate) fn find(&self, what: &str, nth: usize) -> Result<usize, Failure> {
        let found = self.text.match_indices(what).nth(nth);
        found
            .map(|(at, _)| at)
            .ok_or_else(|| format!("`{what}` does not stand there").into())
    }

    fn position(&self, at: usize) -> serde_json::Value {
        let before = self.text.get(..at).unwrap_or(&self.text);
        let line = before.matches('\n').count();
        let start = before.rfind('\n').map_or(0, |n| n + 1);
        json!({"line": line, "character": before.len() - start})
    }

    /// One change without waiting for what it leads to.
    pub(crate) fn send(
        &mut self,
        client: &mut Client,
        from: usize,
        to: usize,
        new: &str,
    ) -> Result<(), Failure> {
        self.version += 1;
        let range = json!({"start": self.position(from), "end": self.position(to)});
        self.text.replace_range(from..to, new);
        client.notify(
            "textDocument/didChange",
            json!({
                "textDocument": {"uri": self.uri, "version": self.version},
                "contentChanges": [{"range": range, "text": new}],
            }),
        )
    }

    /// One change, and its time.
    pub(crate) fn change(
        &mut self,
        client: &mut Client,
        from: usize,
        to: usize,
        new: &str,
    ) -> Result<(), Failure> {
        let start = Instant::now();
        self.send(client, from, to, new)?;
        client.settle(&self.uri, self.version)?;
        self.times.push(start.elapsed());
        Ok(())
    }

    /// Types a text, character by character.
    pub(crate) fn type_in(
        &mut self,
        client: &mut Client,
        at: usize,
        new: &str,
    ) -> Result<(), Failure> {
        for (offset, c) in new.char_indices() {
            self.change(client, at + offset, at + offset, &c.to_string())?;
        }
        Ok(())
    }

    /// Takes characters away, the last first.
    pub(crate) fn rub_out(
        &mut self,
        client: &mut Client,
        at: usize,
        count: usize,
    ) -> Result<(), Failure> {
        for end in (at + 1..=at + count).rev() {
            self.change(client, end - 1, end, "")?;
        }
        Ok(())
    }

    /// Until the findings of the present text have, or no longer have, a code; `None` where that does not come.
    pub(crate) fn until(
        &self,
        client: &mut Client,
        patience: Duration,
        fits: impl Fn(&[String]) -> bool,
    ) -> Result<Option<Duration>, Failure> {
        let start = Instant::now();
        let came = client.wait(&self.uri, self.version, patience, fits)?;
        Ok(came.then(|| start.elapsed()))
    }
}
