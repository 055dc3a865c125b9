//! Messages on standard input and output (LSP 3.17, base protocol).
//!
//! The transport of `lsp-server` ends at the first message that it cannot read, and hands messages over one at a time, so that
//! a client and a server that both wait for their texts to be taken wait without end. Here a message that is none is told
//! and left out, and neither side ever waits for the other.

use std::io::{self, BufRead, ErrorKind, Read as _, Write as _};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, select, unbounded};
use lsp_server::{ErrorCode, Message, Notification, RequestId, Response};
use lsp_types::notification::{LogMessage, Notification as _};
use lsp_types::{LogMessageParams, MessageType};
use serde_json::Value;

use super::pool::thread;
use super::surrogates;

/// A message of more bytes than this is none.
const MAX_BYTES: usize = 1 << 30;

/// So long a client is given at the end to read what was written.
const PATIENCE: Duration = Duration::from_secs(2);

/// A message is read in parts of at most so many bytes, so that a wrong length takes no memory.
const PART: usize = 1 << 20;

/// The threads that read and write.
pub(super) struct Threads {
    /// Gone when no more is to be written.
    open: Sender<()>,
    writer: JoinHandle<io::Result<()>>,
    /// How reading ended.
    ended: Receiver<io::Error>,
}

impl Threads {
    /// Waits until all is written that was sent, also where some thread could send more.
    ///
    /// # Errors
    ///
    /// Where writing failed, or what was read is no such protocol.
    pub(super) fn join(self) -> io::Result<()> {
        drop(self.open);
        // A client that is gone may have left a pipe behind that nobody reads.
        let until = Instant::now() + PATIENCE;
        while !self.writer.is_finished() {
            if Instant::now() >= until {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(5));
        }
        match self.writer.join() {
            Ok(written) => written?,
            Err(_) => return Err(io::Error::other("the thread that writes has failed")),
        }
        // One that still reads is left to the end of the process.
        match self.ended.try_recv() {
            Ok(error) => Err(error),
            Err(_) => Ok(()),
        }
    }
}

/// Begins to read and to write.
///
/// # Errors
///
/// Where the system has no threads.
pub(super) fn stdio() -> io::Result<(Sender<Message>, Receiver<Message>, Threads)> {
    let (sender, to_write) = unbounded::<Message>();
    let (read, receiver) = unbounded();
    let (failed, ended) = unbounded();
    let (open, closed) = unbounded::<()>();
    let writer = thread("writing", move || {
        let mut out = io::stdout().lock();
        loop {
            select! {
                recv(to_write) -> message => match message {
                    Ok(message) => message.write(&mut out)?,
                    Err(_) => return out.flush(),
                },
                recv(closed) -> _ => {
                    for message in to_write.try_iter() {
                        message.write(&mut out)?;
                    }
                    return out.flush();
                },
            }
        }
    })?;
    let answers = sender.clone();
    let _ = thread("reading", move || {
        let mut input = io::stdin().lock();
        loop {
            match next(&mut input) {
                Ok(Some(Read::Message(message))) => {
                    let is_exit =
                        matches!(&message, Message::Notification(note) if note.method == "exit");
                    if read.send(message).is_err() || is_exit {
                        return;
                    }
                }
                Ok(Some(Read::Wrong(answer))) => {
                    if answers.send(answer).is_err() {
                        return;
                    }
                }
                Ok(None) => return,
                Err(error) => {
                    let _ = failed.send(error);
                    return;
                }
            }
        }
    })?;
    Ok((
        sender,
        receiver,
        Threads {
            open,
            writer,
            ended,
        },
    ))
}

/// What stood in the stream.
enum Read {
    Message(Message),
    /// Something else, with what is said to it.
    Wrong(Message),
}

/// The next message; `None` at the end.
fn next(input: &mut impl BufRead) -> io::Result<Option<Read>> {
    let Some(length) = head(input)? else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    while bytes.len() < length {
        let part = (length - bytes.len()).min(PART);
        let read = input.take(part as u64).read_to_end(&mut bytes)?;
        if read < part {
            // The client is gone in the middle of a message.
            return Ok(None);
        }
    }
    let read = serde_json::from_slice::<Message>(&bytes).or_else(|error| {
        let mended = surrogates::mended(&bytes).ok_or(error)?;
        serde_json::from_slice(&mended)
    });
    Ok(Some(match read {
        Ok(message) => Read::Message(message),
        Err(error) => Read::Wrong(refusal(&bytes, &error.to_string())),
    }))
}

/// The length of the next message.
fn head(input: &mut impl BufRead) -> io::Result<Option<usize>> {
    let wrong = |what: String| io::Error::new(ErrorKind::InvalidData, what);
    let mut length = None;
    loop {
        let mut line = Vec::new();
        // No line of a head is long; what has no line end is not read on and on.
        if input.take(4096).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let Some(line) = line.strip_suffix("\r\n") else {
            return Err(wrong("a line of its head does not end as one".to_owned()));
        };
        if line.is_empty() {
            return length
                .map(Some)
                .ok_or_else(|| wrong("a head says no Content-Length".to_owned()));
        }
        let Some((name, value)) = line.split_once(':') else {
            return Err(wrong("a line of its head has no colon".to_owned()));
        };
        if name.eq_ignore_ascii_case("content-length") {
            let value = value.trim().parse::<usize>().ok();
            length = Some(
                value
                    .filter(|value| *value <= MAX_BYTES)
                    .ok_or_else(|| wrong("a Content-Length is no length".to_owned()))?,
            );
        }
    }
}

/// What is said to bytes that are no message: an answer where they have the id of a request, else a line of the log.
fn refusal(bytes: &[u8], why: &str) -> Message {
    let what = format!("a message cannot be read: {why}");
    let id = serde_json::from_slice::<Value>(bytes)
        .ok()
        .and_then(|value| match value.get("id")? {
            Value::Number(id) => i32::try_from(id.as_i64()?).ok().map(RequestId::from),
            Value::String(id) => Some(RequestId::from(id.clone())),
            _ => None,
        });
    match id {
        Some(id) => Response::new_err(id, ErrorCode::InvalidRequest as i32, what).into(),
        None => Notification::new(
            LogMessage::METHOD.to_owned(),
            LogMessageParams {
                typ: MessageType::WARNING,
                message: what,
            },
        )
        .into(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

    use super::*;

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn what_is_no_message_is_told_and_left_out() {
        let text = [
            framed("{"),
            framed(r#"{"jsonrpc":"2.0","id":7,"method":3}"#),
            framed("[]"),
            format!(
                "Content-Type: x\r\n{}",
                framed(r#"{"jsonrpc":"2.0","method":"exit"}"#)
            ),
        ]
        .concat();
        let mut input = text.as_bytes();
        let mut said = Vec::new();
        loop {
            match next(&mut input).unwrap() {
                Some(Read::Wrong(answer)) => said.push(answer),
                Some(Read::Message(Message::Notification(note))) => {
                    assert_eq!(note.method, "exit");
                    break;
                }
                _ => panic!("an end"),
            }
        }
        assert!(matches!(
            said.as_slice(),
            [
                Message::Notification(_),
                Message::Response(_),
                Message::Notification(_)
            ]
        ));
        assert!(next(&mut input).unwrap().is_none());
    }

    #[test]
    fn heads_that_are_none() {
        for text in [
            "contract c {}\n",
            "contract c {}\r\n\r\n",
            "Content-Length: x\r\n\r\n",
            "Content-Length: 99999999999999999999\r\n\r\n",
            "Content-Length: 1999999999\r\n\r\n{}",
            "X: y\r\n\r\n",
        ] {
            let error = next(&mut text.as_bytes()).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::InvalidData, "{text:?}");
        }
        // Cut off: the client is gone.
        for text in ["", "Content-Length: 9\r\n\r\n{}"] {
            assert!(next(&mut text.as_bytes()).unwrap().is_none(), "{text:?}");
        }
    }
}
