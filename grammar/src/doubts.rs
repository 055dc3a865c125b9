//! What the mistakes of a text make unclear, so that what follows from them is not told as mistakes of
//! their own.

use crate::layout::head_index;
use crate::parse::ParsedItem;
use crate::span::Span;
use crate::token::Tok;

/// Where the tree of a text with mistakes is not to be trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doubts {
    /// Clauses, steps and items that may say something else than their tree does, in order and apart.
    pub stretches: Vec<Span>,
    /// The items in which something is in doubt, in order and apart.
    pub items: Vec<Span>,
    /// Names that broken items may have declared.
    pub names: Vec<String>,
    /// An item that brings in names from elsewhere is broken: any name may be declared.
    pub any_name: bool,
}

impl Doubts {
    /// Whether nothing is in doubt.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stretches.is_empty() && self.names.is_empty() && !self.any_name
    }

    /// Whether what stands at a place may be something else.
    #[must_use]
    pub fn hold(&self, span: Span) -> bool {
        covers(&self.stretches, span)
    }

    /// Whether something is in doubt in the item that a place is in.
    #[must_use]
    pub fn hold_item(&self, span: Span) -> bool {
        covers(&self.items, span)
    }

    /// Orders the stretches and joins those that overlap.
    pub(crate) fn finish(&mut self) {
        for list in [&mut self.stretches, &mut self.items] {
            list.sort_by_key(|s| (s.start, s.end));
            let mut joined: Vec<Span> = Vec::with_capacity(list.len());
            for span in std::mem::take(list) {
                match joined.last_mut() {
                    Some(last) if span.start < last.end => last.end = last.end.max(span.end),
                    _ => joined.push(span),
                }
            }
            *list = joined;
        }
        self.names.sort();
        self.names.dedup();
    }

    /// A clause or step of an item; the stretch before the first is the item itself.
    pub(crate) fn stretch(&mut self, item: &ParsedItem<'_>, segment: usize) {
        if segment == 0 {
            return self.item(item);
        }
        let span = item.stretch(segment);
        self.stretches.push(span);
        if let (Some(first), Some(last)) = (item.tokens.first(), item.tokens.last()) {
            self.items.push(first.span.to(last.span));
        }
        let mut words = item
            .tokens
            .iter()
            .skip_while(|t| t.span.start < span.start)
            .map(|t| t.tok);
        if words.next() == Some(Tok::Let) {
            let name = item.tokens.iter().find(|t| t.span.start > span.start);
            self.names
                .extend(name.map(|t| word(t.span.text(item.source))));
        }
    }

    /// A whole item: what it declares is in doubt too.
    pub(crate) fn item(&mut self, item: &ParsedItem<'_>) {
        let (Some(first), Some(last)) = (item.tokens.first(), item.tokens.last()) else {
            return;
        };
        let span = first.span.to(last.span);
        if self.stretches.last() == Some(&span) {
            return;
        }
        self.stretches.push(span);
        self.items.push(span);
        let head = head_index(&item.tokens);
        let has = |tok: Tok| item.tokens.iter().any(|t| t.tok == tok);
        let body = match item.tokens.get(head).map(|t| t.tok) {
            Some(Tok::Module | Tok::Import | Tok::Include | Tok::ToolsFrom) => {
                self.any_name = true;
                return;
            }
            Some(Tok::Contract) => true,
            Some(Tok::Test) => return,
            Some(tok) if tok.starts_item() => false,
            _ if has(Tok::Str) && !has(Tok::LBrace) && !has(Tok::LParen) => {
                self.any_name = true;
                return;
            }
            _ => has(Tok::Guarantee),
        };
        // A contract declares its name only; of other items each word may be a name.
        let words = item
            .tokens
            .iter()
            .take_while(|t| !body || t.tok != Tok::LBrace)
            .filter(|t| t.tok.is_word())
            .map(|t| word(t.span.text(item.source)));
        self.names.extend(words);
    }
}

fn word(text: &str) -> String {
    text.trim_matches('`').trim().to_owned()
}

/// Whether a place begins in one of the spans, which are in order and apart.
fn covers(spans: &[Span], place: Span) -> bool {
    let after = spans.partition_point(|s| s.start <= place.start);
    after
        .checked_sub(1)
        .and_then(|i| spans.get(i))
        .is_some_and(|s| place.start < s.end)
}
