//! Regular expressions, searched in linear time.
//!
//! The compiler serialises each expression as a sparse DFA of `regex-automata`, which is searched
//! in place. Where it could not (the DFA would be too large, or needs Unicode word boundaries) the
//! artifact holds the text alone, and the feature `full-regex` compiles it when the artifact is
//! loaded; without that feature such an artifact is refused.

use alloc::string::String;
#[cfg(feature = "full-regex")]
use alloc::string::ToString;
use alloc::vec::Vec;

use regex_automata::Input;
use regex_automata::dfa::Automaton;
use regex_automata::dfa::sparse::DFA;

/// The memory that an expression compiled at load time may take, in bytes.
#[cfg(feature = "full-regex")]
pub const MAX_COMPILED: usize = 10 * 1024 * 1024;

/// A regular expression, ready to search.
#[derive(Clone, Debug)]
pub struct Regex<'a> {
    engine: Engine<'a>,
}

#[derive(Clone, Debug)]
enum Engine<'a> {
    Borrowed(DFA<&'a [u8]>),
    Owned(DFA<Vec<u8>>),
    #[cfg(feature = "full-regex")]
    Compiled(regex_automata::meta::Regex),
}

impl<'a> Regex<'a> {
    /// The expression whose DFA these bytes are; they are validated completely, and not copied.
    ///
    /// # Errors
    ///
    /// What is wrong with the bytes.
    pub fn from_dfa(bytes: &'a [u8]) -> Result<Self, String> {
        let (dfa, read) = DFA::from_bytes(bytes)
            .map_err(|error| alloc::format!("its DFA is damaged: {error}"))?;
        if read != bytes.len() {
            return Err("something follows its DFA".into());
        }
        // A DFA that was built for anchored searches alone says so at any search.
        dfa.try_search_fwd(&Input::new("").earliest(true))
            .map_err(|error| alloc::format!("its DFA cannot be searched: {error}"))?;
        Ok(Self {
            engine: Engine::Borrowed(dfa),
        })
    }

    /// Compiles an expression from its text, in the syntax of the `regex` crate.
    ///
    /// # Errors
    ///
    /// Why it cannot be compiled; without the feature `full-regex` always.
    #[cfg(feature = "full-regex")]
    pub fn compile(pattern: &str) -> Result<Self, String> {
        regex_automata::meta::Builder::new()
            .configure(regex_automata::meta::Config::new().nfa_size_limit(Some(MAX_COMPILED)))
            .build(pattern)
            .map(|regex| Self {
                engine: Engine::Compiled(regex),
            })
            .map_err(|error| match (error.syntax_error(), error.size_limit()) {
                (Some(syntax), _) => syntax.to_string(),
                (None, Some(limit)) => alloc::format!("it needs more than {limit} bytes"),
                (None, None) => error.to_string(),
            })
    }

    /// Compiles an expression from its text, in the syntax of the `regex` crate.
    ///
    /// # Errors
    ///
    /// Why it cannot be compiled; without the feature `full-regex` always.
    #[cfg(not(feature = "full-regex"))]
    pub fn compile(_pattern: &str) -> Result<Self, String> {
        Err(
            "it has no DFA, and this runtime was built without the feature `full-regex`, which \
             compiles such expressions"
                .into(),
        )
    }

    /// The same expression with its own copy of the bytes.
    #[must_use]
    pub fn into_owned(self) -> Regex<'static> {
        Regex {
            engine: match self.engine {
                Engine::Borrowed(dfa) => Engine::Owned(dfa.to_owned()),
                Engine::Owned(dfa) => Engine::Owned(dfa),
                #[cfg(feature = "full-regex")]
                Engine::Compiled(regex) => Engine::Compiled(regex),
            },
        }
    }

    /// Whether the expression matches somewhere in the text. `None` where its DFA gives up at a
    /// character that it was not built for: the condition is undefined then.
    #[must_use]
    pub fn is_match(&self, text: &str) -> Option<bool> {
        let input = Input::new(text).earliest(true);
        match &self.engine {
            Engine::Borrowed(dfa) => dfa.try_search_fwd(&input).ok().map(|found| found.is_some()),
            Engine::Owned(dfa) => dfa.try_search_fwd(&input).ok().map(|found| found.is_some()),
            #[cfg(feature = "full-regex")]
            Engine::Compiled(regex) => Some(regex.is_match(input)),
        }
    }
}
