//! The trees of texts, for several compilations that read the same files.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use ctr_grammar::{Comment, Doubts, Span, SyntaxError, ast};

/// What the parser says of a text.
#[derive(Clone, Debug)]
pub(super) struct Parsed {
    pub(super) file: Arc<ast::File>,
    pub(super) comments: Arc<Vec<Comment>>,
    pub(super) errors: Vec<SyntaxError>,
    pub(super) doubts: Doubts,
    pub(super) mixed_names: Vec<(Span, String)>,
}

impl Parsed {
    pub(super) fn of(text: &str) -> Self {
        let parse = ctr_grammar::parse(text);
        Self {
            file: Arc::new(parse.file),
            comments: Arc::new(parse.comments),
            errors: parse.errors,
            doubts: parse.doubts,
            mixed_names: parse.mixed_names,
        }
    }
}

/// Trees by path, each with the text that it is of. A tree is taken only for an equal text, so that nothing is
/// ever out of date. Of a path the last text is kept; paths whose trees nobody uses any more are dropped when they are many.
#[derive(Debug, Default)]
pub struct Parses {
    known: Mutex<HashMap<String, (String, Parsed)>>,
}

impl Parses {
    /// The tree of a text.
    pub(super) fn of(&self, path: &str, text: &str) -> Parsed {
        let known = |known: &HashMap<String, (String, Parsed)>| {
            let (of, parsed) = known.get(path)?;
            (of == text).then(|| parsed.clone())
        };
        if let Some(parsed) = known(&self.known.lock().unwrap_or_else(PoisonError::into_inner)) {
            return parsed;
        }
        // Others may look meanwhile: parsing is what takes time.
        let parsed = Parsed::of(text);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() == known.capacity() {
            known.retain(|_, (_, parsed)| Arc::strong_count(&parsed.file) > 1);
        }
        known.insert(path.to_owned(), (text.to_owned(), parsed.clone()));
        parsed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_shared_only_for_an_equal_text() {
        let parses = Parses::default();
        let first = parses.of("a", "contract c { guarantee always call x }");
        let again = parses.of("a", "contract c { guarantee always call x }");
        assert!(Arc::ptr_eq(&first.file, &again.file));
        let other = parses.of("a", "contract d { guarantee always call x }");
        assert_eq!(
            *other.file,
            *Parsed::of("contract d { guarantee always call x }").file
        );
        assert_ne!(other.file, first.file);
    }

    #[test]
    fn trees_that_nobody_uses_are_dropped() {
        let parses = Parses::default();
        let kept = parses.of("kept", "contract c { guarantee always call x }");
        for i in 0..1_000 {
            parses.of(&i.to_string(), "contract c { guarantee always call x }");
        }
        let known = parses.known.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(known.len() < 100, "{}", known.len());
        drop(known);
        let again = parses.of("kept", "contract c { guarantee always call x }");
        assert!(Arc::ptr_eq(&kept.file, &again.file));
    }
}
