//! Operators of several words, as one token.

use crate::token::{Tok, Token, two_words};

/// Joins the words of operators such as `leads to`.
pub(crate) fn join_words(source: &str, tokens: &[Token]) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut i = 0;
    while let Some(token) = tokens.get(i) {
        let is_field = out.last().is_some_and(|t| t.tok == Tok::Dot);
        let mut joined = *token;
        let mut used = 1;
        if token.tok.is_word()
            && !is_field
            && let Some(second) = tokens.get(i + 1)
            && second.tok.is_word()
            && tokens.get(i + 2).is_none_or(|t| t.tok != Tok::Colon)
        {
            let first_text = token.span.text(source);
            let second_text = second.span.text(source);
            let third = tokens.get(i + 2);
            if first_text == "immediately"
                && second_text == "leads"
                && let Some(third) = third.filter(|t| t.span.text(source) == "to")
            {
                joined.tok = Tok::ImmediatelyLeadsTo;
                joined.span = token.span.to(third.span);
                used = 3;
            } else if let Some(tok) = two_words(first_text, second_text) {
                joined.tok = tok;
                joined.span = token.span.to(second.span);
                used = 2;
            }
        }
        out.push(joined);
        i += used;
    }
    out
}
