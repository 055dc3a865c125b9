//! What can be written in comments, in strings, and in the braces of messages.

use super::heads::{compared, path_before, patterns};
use super::{Completion, Level, Prefix, Wanted, Within, to};
use crate::lexer::lex;
use crate::literal::scan_delimited;
use crate::span::Span;
use crate::token::Tok;

/// `// ctrc: allow(W0407, ` and what may follow.
pub(super) fn in_comment(text: &str, start: u32, after: &str, out: &mut Completion) {
    out.within = Within::Comment;
    let at = out.word.end;
    let Some(body) = text.get(2..) else { return };
    let Some(rest) = body.trim_start().strip_prefix("ctrc:") else {
        return;
    };
    let letters = |c: char| c.is_ascii_alphanumeric();
    let word = rest.len() - rest.trim_end_matches(letters).len();
    let more = after.len() - after.trim_start_matches(letters).len();
    out.word = Span::new((at - to(word)).max(start), at);
    out.whole = Span::new(out.word.start, at + to(more));
    let lead = rest.get(..rest.len() - word).unwrap_or_default().trim();
    if lead.is_empty() {
        out.name = Some(Wanted::Allow("allow"));
    } else if let Some(inner) = lead
        .strip_prefix("allow")
        .and_then(|t| t.trim_start().strip_prefix('('))
    {
        match inner.split_once(')') {
            None => {
                let codes = inner.split(',').map(str::trim).filter(|c| !c.is_empty());
                out.name = Some(Wanted::Code(codes.map(str::to_owned).collect()));
            }
            Some((_, then)) if then.trim().is_empty() => {
                out.name = Some(Wanted::Allow("because"));
            }
            Some(_) => {}
        }
    }
}

/// The contents of a string that begins at `start`.
pub(super) fn in_string(before: &str, after: &str, start: u32, out: &mut Completion) {
    out.within = Within::Quotes;
    let prefix = Prefix::new(before.get(..start as usize).unwrap_or_default());
    let content = before.get(start as usize + 1..).unwrap_or_default();
    let tokens = prefix.tokens.as_slice();
    let last = tokens.last().map(|t| t.tok);
    let at = out.word.end;
    // Up to the closing quote, where there is one.
    let (length, closed) = scan_delimited(after, '"', false);
    let rest = if closed { length.saturating_sub(1) } else { 0 };
    out.word = Span::new(start + 1, at);
    out.whole = Span::new(start + 1, at + to(rest));
    out.test = prefix.in_test() && !prefix.closed;
    let acts = tokens
        .iter()
        .rev()
        .find(|t| t.tok.starts_clause())
        .is_some_and(|t| t.tok == Tok::Otherwise);
    if prefix.head_tok() == Some(Tok::Contract) && !prefix.closed && acts {
        in_message(content, after, &prefix, out);
        return;
    }
    out.patterns = patterns(prefix.text, tokens);
    out.patterns.extend(prefix.place.events.iter().cloned());
    out.level = prefix.place.level();
    out.name = match last {
        Some(Tok::ToolsFrom) => Some(Wanted::File(true)),
        Some(Tok::Import | Tok::Include) if tokens.len() == prefix.head + 1 => {
            Some(Wanted::File(false))
        }
        _ => {
            out.compared = compared(prefix.text, tokens, out.test);
            out.compared.is_some().then_some(Wanted::Literal)
        }
    };
}

/// An expression in the braces of a message.
fn in_message(content: &str, after: &str, prefix: &Prefix<'_>, out: &mut Completion) {
    let mut open = None;
    let mut chars = content.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '{' => open = Some(at + 1),
            '}' => open = None,
            _ => {}
        }
    }
    let Some(inner) = open.and_then(|from| content.get(from..)) else {
        return;
    };
    let letters = |c: char| c.is_alphanumeric() || c == '_';
    let word = inner.len() - inner.trim_end_matches(letters).len();
    let at = out.word.end;
    let rest: usize = after
        .chars()
        .take_while(|c| letters(*c))
        .map(char::len_utf8)
        .sum();
    out.within = Within::Message;
    out.word = Span::new(at - to(word), at);
    out.whole = Span::new(out.word.start, at + to(rest));
    out.level = Level::Value;
    // A message reads the call that is refused.
    out.patterns = vec![prefix.calls()];
    let lead = inner.get(..inner.len() - word).unwrap_or_default();
    let lexed = lex(lead, 0, lead.len());
    let tokens = lexed.tokens.as_slice();
    out.name = match tokens.last().map(|t| t.tok) {
        Some(Tok::Dot) => {
            path_before(lead, tokens, tokens.len() - 1).map(|(way, _)| Wanted::Part(way))
        }
        Some(tok) if tok.ends_operand() => None,
        _ => Some(Wanted::Value),
    };
}
