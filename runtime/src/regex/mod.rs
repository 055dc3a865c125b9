//! Regular expressions, searched in linear time.
//!
//! The compiler makes tables of each expression ([`program`]), which are searched in place. Where they would be too
//! large the artifact holds the text alone, and the feature `full-regex` compiles it when the artifact is loaded; without
//! that feature such an artifact is refused.
//!
//! The tables of an expression with word boundaries of Unicode are exact where all letters of a text are ASCII.
//! For other texts the feature `full-regex` compiles the whole expression when the first one comes;
//! without it the answer is not known, so that the condition is undefined.

#[cfg(feature = "full-regex")]
mod full;
pub mod program;
pub mod together;
pub mod words;

use alloc::borrow::Cow;
use alloc::string::String;

use program::Search;

/// The memory that an expression compiled by the runtime may take, in bytes.
#[cfg(feature = "full-regex")]
pub const MAX_COMPILED: usize = 10 * 1024 * 1024;

/// A regular expression, ready to search.
#[derive(Clone, Debug)]
pub struct Regex<'a> {
    /// Absent where it is searched with `full` alone.
    tables: Option<Search<'a>>,
    #[cfg(feature = "full-regex")]
    full: full::Full,
}

impl<'a> Regex<'a> {
    /// The expression of that text whose program these bytes are ([`program`]); they are validated completely, and not
    /// copied. What they find is taken on trust.
    ///
    /// # Errors
    ///
    /// What is wrong with the bytes.
    pub fn load(
        #[cfg_attr(
            not(feature = "full-regex"),
            expect(unused_variables, reason = "never compiled")
        )]
        pattern: &str,
        program: impl Into<Cow<'a, [u8]>>,
    ) -> Result<Self, String> {
        let tables = Search::new(program.into())
            .map_err(|error| alloc::format!("its tables are damaged: {error}"))?;
        Ok(Self {
            #[cfg(feature = "full-regex")]
            full: match tables.exact() {
                program::Exact::Always => full::Full::default(),
                _ => full::Full::later(pattern),
            },
            tables: Some(tables),
        })
    }

    /// Compiles an expression from its text, in the syntax of the `regex` crate.
    ///
    /// # Errors
    ///
    /// Why it cannot be compiled; without the feature `full-regex` always.
    #[cfg(feature = "full-regex")]
    pub fn compile(pattern: &str) -> Result<Self, String> {
        Ok(Self {
            tables: None,
            full: full::Full::now(pattern)?,
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
            "it has no tables, and this runtime was built without the feature `full-regex`, which \
             compiles such expressions"
                .into(),
        )
    }

    pub(crate) fn tables(&self) -> Option<&Search<'a>> {
        self.tables.as_ref()
    }

    /// The same expression with its own copy of the bytes.
    #[must_use]
    pub fn into_owned(self) -> Regex<'static> {
        Regex {
            tables: self.tables.map(Search::into_owned),
            #[cfg(feature = "full-regex")]
            full: self.full,
        }
    }

    /// Whether the expression matches somewhere in the text. `None` where that cannot be told: its tables are not made
    /// for such a text, and the feature `full-regex` is missing, or the expression needs more memory than
    /// 10 MiB. The condition is undefined then.
    #[must_use]
    pub fn is_match(&self, text: &str) -> Option<bool> {
        if let Some(tables) = &self.tables
            && program::is_exact(tables.exact(), text)
        {
            return Some(tables.is_match(text.as_bytes()));
        }
        #[cfg(feature = "full-regex")]
        return self.full.is_match(text);
        #[cfg(not(feature = "full-regex"))]
        return None;
    }
}
