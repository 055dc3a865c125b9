//! Regular expressions, searched in linear time.
//!
//! The compiler serialises each expression as a sparse DFA of `regex-automata`, which is searched
//! in place. Where it could not (the DFA would be too large, or needs Unicode word boundaries) the
//! artifact holds the text alone, and the feature `full-regex` compiles it when the artifact is
//! loaded; without that feature such an artifact is refused.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
#[cfg(feature = "full-regex")]
use alloc::string::ToString;
use alloc::vec::Vec;

use core::sync::atomic::{AtomicUsize, Ordering};

use once_cell::race::OnceBox;
use regex_automata::Input;
use regex_automata::dfa::Automaton;
use regex_automata::dfa::sparse::DFA;
#[cfg(feature = "full-regex")]
use regex_automata::meta;
use regex_automata::util::primitives::StateID;
#[cfg(feature = "full-regex")]
use regex_syntax::hir::{Hir, HirKind, Look, Repetition};

/// The memory that an expression compiled at load time may take, in bytes.
#[cfg(feature = "full-regex")]
pub const MAX_COMPILED: usize = 10 * 1024 * 1024;

/// A regular expression, ready to search.
#[derive(Debug)]
pub struct Regex<'a> {
    engine: Engine<'a>,
    /// How many bytes its sparse DFA has searched, up to [`WORTH_A_TABLE`].
    searched: AtomicUsize,
    /// The DFA as a table; made when it has been used that much.
    table: OnceBox<Option<DenseTable>>,
}

/// After so many bytes a DFA is worth a table: an expression that is hardly used shall not cost the making
/// of one.
const WORTH_A_TABLE: usize = 1 << 14;

impl Clone for Regex<'_> {
    fn clone(&self) -> Self {
        Self::new(self.engine.clone())
    }
}

#[derive(Clone, Debug)]
enum Engine<'a> {
    Borrowed(DFA<&'a [u8]>),
    Owned(DFA<Vec<u8>>),
    #[cfg(feature = "full-regex")]
    Compiled(Compiled),
}

impl<'a> Regex<'a> {
    fn new(engine: Engine<'a>) -> Self {
        Self {
            engine,
            searched: AtomicUsize::new(0),
            table: OnceBox::new(),
        }
    }

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
        Ok(Self::new(Engine::Borrowed(dfa)))
    }

    /// Compiles an expression from its text, in the syntax of the `regex` crate.
    ///
    /// # Errors
    ///
    /// Why it cannot be compiled; without the feature `full-regex` always.
    #[cfg(feature = "full-regex")]
    pub fn compile(pattern: &str) -> Result<Self, String> {
        Compiled::new(pattern).map(|regex| Self::new(Engine::Compiled(regex)))
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
        Regex::new(match self.engine {
            Engine::Borrowed(dfa) => Engine::Owned(dfa.to_owned()),
            Engine::Owned(dfa) => Engine::Owned(dfa),
            #[cfg(feature = "full-regex")]
            Engine::Compiled(regex) => Engine::Compiled(regex),
        })
    }

    /// Whether the expression matches somewhere in the text. `None` where its DFA gives up at a
    /// character that it was not built for: the condition is undefined then.
    #[must_use]
    pub fn is_match(&self, text: &str) -> Option<bool> {
        match &self.engine {
            Engine::Borrowed(dfa) => self.search(dfa, text),
            Engine::Owned(dfa) => self.search(dfa, text),
            #[cfg(feature = "full-regex")]
            Engine::Compiled(regex) => regex.is_match(text),
        }
    }

    /// Searches with a sparse DFA, or with its table.
    fn search<T: AsRef<[u8]>>(&self, dfa: &DFA<T>, text: &str) -> Option<bool> {
        let searched = self.searched.load(Ordering::Relaxed);
        if cfg!(feature = "small") {
            // Tables are many times as large as what they stand for, and take code to make.
        } else if searched >= WORTH_A_TABLE {
            let table = self.table.get_or_init(|| Box::new(DenseTable::new(dfa)));
            if let Some(table) = table {
                return table.is_match(text.as_bytes());
            }
        } else {
            // A count that misses some bytes is as good.
            let now = searched.saturating_add(text.len().max(64));
            self.searched.store(now, Ordering::Relaxed);
        }
        let input = Input::new(text).earliest(true);
        dfa.try_search_fwd(&input).ok().map(|found| found.is_some())
    }
}

/// How many states a table may have.
const MAX_STATES: usize = 2048;
/// Entries of a table that are no states.
const MATCH: u16 = u16::MAX;
const DEAD: u16 = u16::MAX - 1;
const QUIT: u16 = u16::MAX - 2;

/// A DFA as a table of next states by byte class: some ten times as large as a sparse one, and some times
/// as fast.
#[derive(Debug)]
struct DenseTable {
    classes: [u8; 256],
    /// A row has two to the power of this many entries, so that its place needs no multiplication.
    shift: u32,
    next: Vec<u16>,
    /// What the end of the text leads to, by state.
    end: Vec<u16>,
}

impl DenseTable {
    /// `None` where there are too many states.
    fn new<T: AsRef<[u8]>>(dfa: &DFA<T>) -> Option<Self> {
        let start = dfa
            .start_state_forward(&Input::new("").earliest(true))
            .ok()?;
        let mut states = Vec::from([start]);
        let mut numbers = BTreeMap::from([(start, 0_u16)]);
        // A row of 256 for each state.
        let mut rows: Vec<u16> = Vec::new();
        let mut end = Vec::new();
        let mut at = 0;
        while let Some(state) = states.get(at).copied() {
            at += 1;
            let mut entry = |to: StateID| {
                Some(if dfa.is_match_state(to) {
                    MATCH
                } else if dfa.is_dead_state(to) {
                    DEAD
                } else if dfa.is_quit_state(to) {
                    QUIT
                } else if let Some(number) = numbers.get(&to) {
                    *number
                } else {
                    if states.len() >= MAX_STATES {
                        return None;
                    }
                    let number = u16::try_from(states.len()).ok()?;
                    numbers.insert(to, number);
                    states.push(to);
                    number
                })
            };
            for byte in 0..=u8::MAX {
                rows.push(entry(dfa.next_state(state, byte))?);
            }
            // What is found there goes nowhere else.
            let last = dfa.next_eoi_state(state);
            end.push(match (dfa.is_match_state(last), dfa.is_quit_state(last)) {
                (true, _) => MATCH,
                (_, true) => QUIT,
                _ => DEAD,
            });
        }
        // The start itself is special only in a DFA that finds everything, or nothing.
        if dfa.is_match_state(start) || dfa.is_dead_state(start) || dfa.is_quit_state(start) {
            return None;
        }
        let column = |byte: usize| rows.iter().skip(byte).step_by(256);
        let mut classes = [0_u8; 256];
        let mut firsts: Vec<usize> = Vec::new();
        for (byte, class) in classes.iter_mut().enumerate() {
            let known = firsts
                .iter()
                .position(|first| column(*first).eq(column(byte)));
            let number = known.unwrap_or_else(|| {
                firsts.push(byte);
                firsts.len() - 1
            });
            *class = u8::try_from(number).ok()?;
        }
        let width = firsts.len().next_power_of_two();
        let mut next = Vec::with_capacity(states.len() * width);
        for row in rows.chunks_exact(256) {
            next.extend(firsts.iter().filter_map(|first| row.get(*first)));
            next.resize(next.len().next_multiple_of(width), QUIT);
        }
        Some(Self {
            classes,
            shift: width.trailing_zeros(),
            next,
            end,
        })
    }

    fn is_match(&self, text: &[u8]) -> Option<bool> {
        let mut state = 0_u16;
        for byte in text {
            let class = self.classes.get(usize::from(*byte)).copied().unwrap_or(0);
            let at = (usize::from(state) << self.shift) | usize::from(class);
            state = self.next.get(at).copied().unwrap_or(QUIT);
            if state >= QUIT {
                return match state {
                    MATCH => Some(true),
                    DEAD => Some(false),
                    _ => None,
                };
            }
        }
        match self.end.get(usize::from(state)) {
            Some(&MATCH) => Some(true),
            Some(&DEAD) => Some(false),
            _ => None,
        }
    }
}

/// An expression that was compiled from its text.
#[cfg(feature = "full-regex")]
#[derive(Debug)]
struct Compiled {
    /// Its text, of which `whole` is made.
    pattern: Box<str>,
    /// Made at load where there is no narrow one, and otherwise when a text needs it. `None` where that
    /// fails, which it does not where the narrow one could be made: both have the same states.
    whole: OnceBox<Option<meta::Regex>>,
    /// The same with the word boundaries of ASCII, which automata can decide quickly. On texts whose other
    /// characters belong to no word it finds the same.
    narrow: Option<meta::Regex>,
}

#[cfg(feature = "full-regex")]
impl Clone for Compiled {
    fn clone(&self) -> Self {
        Self {
            pattern: self.pattern.clone(),
            whole: match self.whole.get() {
                Some(whole) => OnceBox::with_value(Box::new(whole.clone())),
                None => OnceBox::new(),
            },
            narrow: self.narrow.clone(),
        }
    }
}

#[cfg(feature = "full-regex")]
impl Compiled {
    fn new(pattern: &str) -> Result<Self, String> {
        let told = |error: meta::BuildError| match (error.syntax_error(), error.size_limit()) {
            (Some(syntax), _) => syntax.to_string(),
            (None, Some(limit)) => alloc::format!("it needs more than {limit} bytes"),
            (None, None) => error.to_string(),
        };
        let narrow = regex_syntax::parse(pattern)
            .ok()
            .filter(|hir| hir.properties().look_set().contains_word_unicode())
            .and_then(|hir| narrowed(&hir))
            .and_then(|hir| {
                meta::Builder::new()
                    .configure(config())
                    .build_from_hir(&hir)
                    .ok()
            });
        let whole = match narrow {
            Some(_) => OnceBox::new(),
            None => {
                let whole = meta::Builder::new()
                    .configure(config())
                    .build(pattern)
                    .map_err(told)?;
                OnceBox::with_value(Box::new(Some(whole)))
            }
        };
        Ok(Self {
            pattern: pattern.into(),
            whole,
            narrow,
        })
    }

    fn is_match(&self, text: &str) -> Option<bool> {
        let regex = match &self.narrow {
            Some(narrow) if has_plain_words(text) => narrow,
            _ => {
                let make = || {
                    // With the other at hand it only sees texts on which automata would give up.
                    meta::Builder::new()
                        .configure(config().hybrid(false))
                        .build(&self.pattern)
                        .ok()
                };
                self.whole.get_or_init(|| Box::new(make())).as_ref()?
            }
        };
        Some(regex.is_match(Input::new(text).earliest(true)))
    }
}

#[cfg(feature = "full-regex")]
fn config() -> meta::Config {
    meta::Config::new().nfa_size_limit(Some(MAX_COMPILED))
}

/// The expression with the word boundaries of ASCII; `None` where one is negated, which could then hold
/// within a character.
#[cfg(feature = "full-regex")]
fn narrowed(hir: &Hir) -> Option<Hir> {
    let all = |parts: &[Hir]| parts.iter().map(narrowed).collect::<Option<Vec<_>>>();
    Some(match hir.kind() {
        HirKind::Look(look) => Hir::look(match look {
            Look::WordUnicode => Look::WordAscii,
            Look::WordStartUnicode => Look::WordStartAscii,
            Look::WordEndUnicode => Look::WordEndAscii,
            Look::WordUnicodeNegate
            | Look::WordAsciiNegate
            | Look::WordStartHalfUnicode
            | Look::WordEndHalfUnicode => return None,
            other => *other,
        }),
        HirKind::Repetition(repetition) => Hir::repetition(Repetition {
            sub: Box::new(narrowed(&repetition.sub)?),
            ..repetition.clone()
        }),
        HirKind::Capture(capture) => narrowed(&capture.sub)?,
        HirKind::Concat(parts) => Hir::concat(all(parts)?),
        HirKind::Alternation(parts) => Hir::alternation(all(parts)?),
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) => hir.clone(),
    })
}

/// Whether all word characters of a text are ASCII. Only some others are known not to belong to words.
#[cfg(feature = "full-regex")]
fn has_plain_words(text: &str) -> bool {
    text.is_ascii() || text.chars().all(|c| c.is_ascii() || is_no_word(c))
}

/// Punctuation, symbols and pictures that people use: Unicode counts none of them to a word.
#[cfg(feature = "full-regex")]
fn is_no_word(character: char) -> bool {
    matches!(
        character,
        '\u{a0}'..='\u{a9}'
            | '\u{ab}'..='\u{b1}'
            | '\u{b4}'
            | '\u{b6}'..='\u{b8}'
            | '\u{bb}'
            | '\u{bf}'
            | '\u{d7}'
            | '\u{f7}'
            | '\u{2000}'..='\u{200b}'
            | '\u{200e}'..='\u{203e}'
            | '\u{2041}'..='\u{2053}'
            | '\u{2055}'..='\u{206f}'
            | '\u{20a0}'..='\u{20bf}'
            | '\u{2190}'..='\u{245f}'
            | '\u{2500}'..='\u{2bff}'
            | '\u{fffd}'
            | '\u{1f300}'..='\u{1faff}'
    )
}

#[cfg(all(test, feature = "full-regex"))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    /// The table says what the sparse DFA says, also of words that it was not built for.
    #[test]
    fn tables_agree_with_their_dfas() {
        use regex_automata::dfa::dense;
        let mut seed = 5_u64;
        let mut random = |n: u64| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed % n
        };
        for pattern in [
            "reason|needed|mistake",
            "(?i)(^|[^#0-9a-z])w[0-9]{2}",
            "^a.*b$",
            "(?i)ok|k\u{e9}",
            "(?-u:\\b)yes(?-u:\\b)",
            "x",
            "",
            "[^a-z]{3}",
        ] {
            let config = dense::Config::new().unicode_word_boundary(true);
            let dense = dense::Builder::new()
                .configure(config)
                .build(pattern)
                .unwrap();
            let sparse = dense.to_sparse().unwrap();
            let Some(table) = DenseTable::new(&sparse) else {
                continue;
            };
            for _ in 0..3000 {
                let length = random(14);
                let text: String = (0..length)
                    .map(|_| {
                        let all = [
                            'a', 'b', 'y', 'e', 's', ' ', 'w', '1', 'k', '\u{212a}', '\n',
                        ];
                        let n = random(all.len() as u64) as usize;
                        all.get(n).copied().unwrap_or('x')
                    })
                    .collect();
                let found = sparse.try_search_fwd(&Input::new(&text).earliest(true));
                let wanted = found.ok().map(|found| found.is_some());
                assert_eq!(
                    table.is_match(text.as_bytes()),
                    wanted,
                    "{pattern} {text:?}"
                );
            }
        }
    }

    #[test]
    fn what_is_no_word_is_none_for_unicode() {
        let word = meta::Regex::new(r"^\w$").unwrap();
        let mut buffer = [0; 4];
        for character in ('\u{80}'..=char::MAX).filter(|c| is_no_word(*c)) {
            let text = &*character.encode_utf8(&mut buffer);
            assert!(!word.is_match(text), "{character:?}");
        }
    }

    #[test]
    fn boundaries_are_those_of_unicode() {
        for (pattern, text, found) in [
            (r"\byes\b", "well\u{2014}yes\u{2019}", true),
            (r"\byes\b", "yes\u{e9}", false),
            (r"\byes\b", "eyes \u{2014}", false),
            (r"\by.s\b", "\u{1f44d}y\u{e4}s", true),
            (r"(?i)\bok\b|sure", "\u{2705} O\u{212a}", true),
            (r"a\Bb", "ab\u{2014}", true),
            (r"\b", "\u{2014}", false),
            (r"x\b\u{fe0f}", "x\u{fe0f}", false),
        ] {
            let plain = meta::Regex::new(pattern).unwrap();
            assert_eq!(plain.is_match(text), found, "{pattern} {text}");
            let ours = Regex::compile(pattern).unwrap();
            assert_eq!(ours.is_match(text), Some(found), "{pattern} {text}");
        }
    }
}
