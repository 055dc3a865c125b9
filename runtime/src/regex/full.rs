//! Expressions compiled by the runtime.

use alloc::boxed::Box;
use alloc::string::{String, ToString};

use once_cell::race::OnceBox;
use regex_automata::{Input, meta};

use super::MAX_COMPILED;

/// An expression that was compiled from its text, or will be when it is asked for.
#[derive(Debug, Default)]
pub(super) struct Full {
    /// Its text where it is compiled later.
    pattern: Box<str>,
    /// `None` where it could not be compiled.
    regex: OnceBox<Option<meta::Regex>>,
}

impl Clone for Full {
    fn clone(&self) -> Self {
        Self {
            pattern: self.pattern.clone(),
            regex: match self.regex.get() {
                Some(regex) => OnceBox::with_value(Box::new(regex.clone())),
                None => OnceBox::new(),
            },
        }
    }
}

impl Full {
    pub(super) fn later(pattern: &str) -> Self {
        Self {
            pattern: pattern.into(),
            regex: OnceBox::new(),
        }
    }

    pub(super) fn now(pattern: &str) -> Result<Self, String> {
        let regex = meta::Builder::new()
            .configure(config())
            .build(pattern)
            .map_err(|error| match (error.syntax_error(), error.size_limit()) {
                (Some(syntax), _) => syntax.to_string(),
                (None, Some(limit)) => alloc::format!("it needs more than {limit} bytes"),
                (None, None) => error.to_string(),
            })?;
        Ok(Self {
            pattern: Box::default(),
            regex: OnceBox::with_value(Box::new(Some(regex))),
        })
    }

    pub(super) fn is_match(&self, text: &str) -> Option<bool> {
        let make = || {
            // It only sees texts on which lazy automata would give up.
            meta::Builder::new()
                .configure(config().hybrid(false))
                .build(&self.pattern)
                .ok()
        };
        let regex = self.regex.get_or_init(|| Box::new(make())).as_ref()?;
        Some(regex.is_match(Input::new(text).earliest(true)))
    }
}

fn config() -> meta::Config {
    meta::Config::new().nfa_size_limit(Some(MAX_COMPILED))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::super::{Regex, words};
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "a million searches")]
    fn what_is_no_word_is_none_for_unicode() {
        let word = meta::Regex::new(r"^\w$").unwrap();
        let mut buffer = [0; 4];
        let mut known = 0;
        for character in '\u{80}'..=char::MAX {
            let text = &*character.encode_utf8(&mut buffer);
            if words::has_plain_words(text) {
                known += 1;
                assert!(!word.is_match(text), "{character:?}");
            }
        }
        assert!(known > 3000);
    }

    #[test]
    fn boundaries_are_those_of_unicode() {
        for (pattern, text, found) in [
            (r"\byes\b", "well\u{2014}yes\u{2019}", true),
            (r"\byes\b", "yes\u{e9}", false),
            (r"\by.s\b", "\u{1f44d}y\u{e4}s", true),
            (r"a\Bb", "ab\u{2014}", true),
        ] {
            let now = Regex::compile(pattern).unwrap();
            assert_eq!(now.is_match(text), Some(found), "{pattern} {text}");
            let later = Full::later(pattern);
            assert_eq!(later.is_match(text), Some(found), "{pattern} {text}");
            assert_eq!(
                later.clone().is_match(text),
                Some(found),
                "{pattern} {text}"
            );
        }
    }
}
