//! A loaded artifact.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use sha2::{Digest, Sha256};

use super::checksum::xxh64;
use super::error::LoadError;
use super::index::{Dispatch, Index, KindClass};
use super::layout::{BYTE_ORDER, ENTRY, HEADER, MAGIC, Section, VERSION, WORD};
use super::validate;
use super::views::optional;
use super::views::{
    AtomRef, AutomatonRef, ContractRef, DeadlineRef, DeclaredRef, ExprRef, Ids, LookupRef,
    PatternRef, RegisterRef, SourceRef, ToolRef,
};
use crate::json::Selection;
use crate::regex::Regex;
use crate::regex::together::Together;

/// A loaded contract library: validated bytes, read in place.
///
/// ```
/// use ctr_runtime::format::Library;
///
/// let bytes = ctr_runtime::doc::artifact();
/// let library = Library::load(bytes.as_slice())?;
/// assert_eq!(library.contract(0).name(), "pay_limit");
/// // Whatever is wrong with the bytes is an error that names the place.
/// assert_eq!(Library::load(&bytes[..40]).unwrap_err().section, "header");
/// # Ok::<(), ctr_runtime::format::LoadError>(())
/// ```
///
/// Only regular expressions of an owned artifact, a dispatch index and small name tables are built
/// while loading. Ids that the library gives are in range wherever it asks for them; an id from
/// elsewhere that is out of range reads as a record of zeros, never as a panic.
pub struct Library<'a> {
    tables: Tables<'a>,
    regexes: Vec<Regex<'a>>,
    /// For messages to the agent, and for those of the model.
    together: [Option<Together<'a>>; 2],
    index: Index,
    /// The parts of results that expressions read.
    wanted: Selection,
}

/// The bytes and where the sections are.
pub(super) struct Tables<'a> {
    /// All bytes before the texts.
    bytes: Cow<'a, [u8]>,
    texts: Cow<'a, str>,
    /// Start and length of each section.
    sections: [(usize, usize); Section::ALL.len()],
}

fn header(offset: usize, what: impl Into<String>) -> LoadError {
    LoadError::new("header", offset, what)
}

fn word_at(bytes: &[u8], offset: usize) -> Option<u32> {
    let word = bytes.get(offset..)?.first_chunk()?;
    Some(u32::from_le_bytes(*word))
}

fn long_at(bytes: &[u8], offset: usize) -> Option<u64> {
    let word = bytes.get(offset..)?.first_chunk()?;
    Some(u64::from_le_bytes(*word))
}

/// Checks the header, the checksum and the section table.
fn sections(bytes: &[u8]) -> Result<[(usize, usize); Section::ALL.len()], LoadError> {
    let cut = || header(bytes.len(), "it ends too early");
    if !bytes.starts_with(&MAGIC) {
        return Err(match MAGIC.starts_with(bytes) {
            true => cut(),
            false => header(0, "this is no contract library (`.ctrb`)"),
        });
    }
    if word_at(bytes, 4).ok_or_else(cut)? != BYTE_ORDER {
        return Err(header(4, "its byte order is not little-endian"));
    }
    let version = word_at(bytes, 8).ok_or_else(cut)?;
    if version != VERSION {
        return Err(header(
            8,
            format!("it has format version {version}, and this runtime reads version {VERSION}"),
        ));
    }
    let count = word_at(bytes, 12).ok_or_else(cut)?;
    if usize::try_from(count) != Ok(Section::ALL.len()) {
        let known = Section::ALL.len();
        return Err(header(12, format!("it has {count} sections, not {known}")));
    }
    let total = long_at(bytes, 16).ok_or_else(cut)?;
    let checksum = long_at(bytes, 24).ok_or_else(cut)?;
    let length = bytes.len() as u64;
    if length < total {
        return Err(header(
            bytes.len(),
            format!("it ends too early: {length} of {total} bytes"),
        ));
    }
    if length > total {
        let start = usize::try_from(total).unwrap_or(0);
        return Err(header(start, "something follows its end"));
    }
    if u32::try_from(length).is_err() {
        return Err(header(16, "it is larger than 4 GiB"));
    }
    let checked = bytes.get(HEADER..).ok_or_else(cut)?;
    if xxh64(checked) != checksum {
        return Err(header(24, "its checksum does not fit: it is damaged"));
    }
    let mut sections = [(0, 0); Section::ALL.len()];
    let mut end = HEADER + ENTRY * Section::ALL.len();
    for (n, (section, entry)) in Section::ALL.iter().zip(&mut sections).enumerate() {
        let at = HEADER + ENTRY * n;
        let fault = |what: &str| LoadError::new(section.name(), at, what);
        let start = word_at(bytes, at).ok_or_else(cut)? as usize;
        let length = word_at(bytes, at + WORD).ok_or_else(cut)? as usize;
        if start != end.next_multiple_of(WORD) {
            return Err(fault("it does not start where the section before it ends"));
        }
        let padding = bytes
            .get(end..start)
            .ok_or_else(|| fault("it is out of range"))?;
        if padding.iter().any(|byte| *byte != 0) {
            return Err(LoadError::new(
                section.name(),
                end,
                "the bytes before it are not zero",
            ));
        }
        end = start
            .checked_add(length)
            .filter(|end| *end <= bytes.len())
            .ok_or_else(|| fault("it is out of range"))?;
        let record = section.words() * WORD;
        if record != 0 && !length.is_multiple_of(record) {
            return Err(fault("its length is no multiple of its records' length"));
        }
        *entry = (start, length);
    }
    if end != bytes.len() {
        return Err(header(16, "something follows its last section"));
    }
    Ok(sections)
}

impl<'a> Tables<'a> {
    fn new(bytes: Cow<'a, [u8]>) -> Result<Self, LoadError> {
        let sections = sections(&bytes)?;
        let (start, _) = section_entry(&sections, Section::Texts);
        let bad = |offset: usize| {
            LoadError::new(Section::Texts.name(), start + offset, "it is not UTF-8")
        };
        let cut = || header(start, "it ends too early");
        let (bytes, texts) = match bytes {
            Cow::Borrowed(bytes) => {
                let (bytes, texts) = bytes.split_at_checked(start).ok_or_else(cut)?;
                let texts =
                    core::str::from_utf8(texts).map_err(|error| bad(error.valid_up_to()))?;
                (Cow::Borrowed(bytes), Cow::Borrowed(texts))
            }
            Cow::Owned(mut bytes) => {
                if start > bytes.len() {
                    return Err(cut());
                }
                let texts = String::from_utf8(bytes.split_off(start))
                    .map_err(|error| bad(error.utf8_error().valid_up_to()))?;
                (Cow::Owned(bytes), Cow::Owned(texts))
            }
        };
        Ok(Self {
            bytes,
            texts,
            sections,
        })
    }

    fn into_owned(self) -> Tables<'static> {
        Tables {
            bytes: Cow::Owned(self.bytes.into_owned()),
            texts: Cow::Owned(self.texts.into_owned()),
            sections: self.sections,
        }
    }

    /// The number of records of a section.
    pub(super) fn count(&self, section: Section) -> u32 {
        let (_, length) = section_entry(&self.sections, section);
        // Lengths fit 32 bits: the whole does.
        (length / (section.words().max(1) * WORD)) as u32
    }

    /// A record's byte offset in the artifact.
    pub(super) fn offset(&self, section: Section, id: u32) -> usize {
        let (start, _) = section_entry(&self.sections, section);
        start + id as usize * section.words() * WORD
    }

    /// `count` words of a section from a word's index on, as bytes; empty if out of range.
    pub(super) fn words(&self, section: Section, first: usize, count: usize) -> &[u8] {
        let (start, length) = section_entry(&self.sections, section);
        let (from, to) = (first.saturating_mul(WORD), count.saturating_mul(WORD));
        match from.checked_add(to) {
            Some(end) if end <= length => self
                .bytes
                .get(start + from..start + end)
                .unwrap_or_default(),
            _ => &[],
        }
    }

    /// Some words of a record; zeros if out of range.
    pub(super) fn record<const N: usize>(
        &self,
        section: Section,
        id: u32,
        from: usize,
    ) -> [u32; N] {
        let first = id as usize * section.words() + from;
        let bytes = self.words(section, first, N);
        let mut words = [0; N];
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        words
    }

    /// A text; empty if out of range.
    pub(super) fn text(&self, id: u32) -> &str {
        let [start, end] = self.record(Section::TextStarts, id, 0);
        self.texts
            .get(start as usize..end as usize)
            .unwrap_or_default()
    }

    /// A program's bytes; `None` if out of range.
    pub(super) fn regex_bytes(&self, start: u32, length: u32) -> Option<&[u8]> {
        let (section, size) = section_entry(&self.sections, Section::RegexAutomata);
        let end = (start as usize).checked_add(length as usize)?;
        if end > size {
            return None;
        }
        self.bytes.get(section + start as usize..section + end)
    }

    /// The length of all texts.
    pub(super) fn texts(&self) -> &str {
        &self.texts
    }
}

fn section_entry(
    sections: &[(usize, usize); Section::ALL.len()],
    section: Section,
) -> (usize, usize) {
    sections.get(section as usize).copied().unwrap_or((0, 0))
}

/// Validates an artifact's tables without its regular expressions.
pub(super) fn check(bytes: &[u8]) -> Result<(), LoadError> {
    let library = Library {
        tables: Tables::new(Cow::Borrowed(bytes))?,
        regexes: Vec::new(),
        together: [None, None],
        index: Index::default(),
        wanted: Selection::default(),
    };
    validate::tables(&library).map(|_| ())
}

impl<'a> Library<'a> {
    /// Loads an artifact: borrowed bytes are read where they are, at any alignment; of owned bytes
    /// the texts and the regular expressions' automata are moved to memory of their own.
    ///
    /// # Errors
    ///
    /// The first fault, in the order: header, checksum, section table, texts, and the tables, each
    /// checked when all that it refers to has been. What loads can be used without a further check.
    pub fn load(bytes: impl Into<Cow<'a, [u8]>>) -> Result<Self, LoadError> {
        let mut library = Self {
            tables: Tables::new(bytes.into())?,
            regexes: Vec::new(),
            together: [None, None],
            index: Index::default(),
            wanted: Selection::default(),
        };
        let facts = validate::tables(&library)?;
        library.regexes = library.compile_regexes()?;
        library.together = library.load_together()?;
        library.index = Index::build(&library, &facts)?;
        library.wanted = crate::eval::wanted::of_results(&library);
        Ok(library)
    }

    fn compile_regexes(&self) -> Result<Vec<Regex<'a>>, LoadError> {
        let mut regexes = Vec::with_capacity(self.regex_count() as usize);
        for id in 0..self.regex_count() {
            let [pattern, start, length] = self.tables.record(Section::Regexes, id, 0);
            let text = self.tables.text(pattern);
            let regex = match length {
                0 => Regex::compile(text),
                _ => Regex::load(text, self.program(start, length)),
            };
            let regex = regex.map_err(|what| {
                LoadError::new(
                    Section::Regexes.name(),
                    self.tables.offset(Section::Regexes, id),
                    format!("the regular expression `{text}`: {what}"),
                )
            })?;
            regexes.push(regex);
        }
        Ok(regexes)
    }

    /// A program's bytes, which are in range; where the artifact is owned a copy of them.
    fn program(&self, start: u32, length: u32) -> Cow<'a, [u8]> {
        if let Cow::Borrowed(all) = self.tables.bytes {
            let (section, _) = section_entry(&self.tables.sections, Section::RegexAutomata);
            let from = section + start as usize;
            return Cow::Borrowed(all.get(from..from + length as usize).unwrap_or_default());
        }
        let bytes = self.tables.regex_bytes(start, length).unwrap_or_default();
        Cow::Owned(bytes.to_vec())
    }

    fn load_together(&self) -> Result<[Option<Together<'a>>; 2], LoadError> {
        let mut all = [None, None];
        for id in 0..self.together_count() {
            let [output, first, count, start, length] =
                self.tables.record(Section::Together, id, 0);
            let members = Ids::new(self, first, count);
            let one = Together::new(self.program(start, length), members.iter(), &self.regexes)
                .map_err(|what| {
                    LoadError::new(
                        Section::Together.name(),
                        self.tables.offset(Section::Together, id),
                        what,
                    )
                })?;
            if let Some(place) = all.get_mut(output as usize) {
                *place = Some(one);
            }
        }
        Ok(all)
    }

    /// The regular expressions that are asked of the messages to the agent, or of those of the model.
    pub(crate) fn together(&self, output: bool) -> Option<&Together<'a>> {
        self.together.get(usize::from(output))?.as_ref()
    }

    /// The number of tables for many regular expressions.
    pub(super) fn together_count(&self) -> u32 {
        self.tables.count(Section::Together)
    }

    /// Whether it is for the model's messages, its regular expressions, and its bytes.
    pub(super) fn together_parts(&self, id: u32) -> (bool, Ids<'_>, &[u8]) {
        let [output, first, count, start, length] = self.tables.record(Section::Together, id, 0);
        let bytes = self.tables.regex_bytes(start, length).unwrap_or_default();
        (output == 1, Ids::new(self, first, count), bytes)
    }

    /// The same library with its own copy of the bytes.
    #[must_use]
    pub fn into_owned(self) -> Library<'static> {
        Library {
            tables: self.tables.into_owned(),
            regexes: self.regexes.into_iter().map(Regex::into_owned).collect(),
            together: self.together.map(|one| one.map(Together::into_owned)),
            index: self.index,
            wanted: self.wanted,
        }
    }

    /// The parts of a result that is JSON in a text which expressions can ask for.
    pub(crate) fn wanted(&self) -> &Selection {
        &self.wanted
    }

    pub(super) fn tables(&self) -> &Tables<'a> {
        &self.tables
    }

    /// SHA-256 of the artifact, to which saved sessions are bound. It is computed at each call.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        Sha256::new()
            .chain_update(&self.tables.bytes)
            .chain_update(self.tables.texts.as_bytes())
            .finalize()
            .into()
    }

    /// The checksum in the header, which tells libraries apart where nobody means to deceive.
    pub(crate) fn checksum(&self) -> u64 {
        long_at(&self.tables.bytes, 24).unwrap_or(0)
    }

    /// The compiler's name and version.
    #[must_use]
    pub fn compiler(&self) -> &str {
        let [text] = self.tables.record(Section::Artifact, 0, 0);
        self.tables.text(text)
    }

    /// The number of contracts.
    #[must_use]
    pub fn contract_count(&self) -> u32 {
        self.tables.count(Section::Contracts)
    }

    /// The number of source files.
    #[must_use]
    pub fn source_count(&self) -> u32 {
        self.tables.count(Section::Sources)
    }

    /// The number of tools that the policy names.
    #[must_use]
    pub fn tool_count(&self) -> u32 {
        self.tables.count(Section::Tools)
    }

    /// The number of tools that the policy declares or imports.
    #[must_use]
    pub fn declared_count(&self) -> u32 {
        self.tables.count(Section::Declared)
    }

    /// A tool that the policy declares or imports.
    #[must_use]
    pub fn declared(&self, id: u32) -> DeclaredRef<'_> {
        DeclaredRef::new(self, id)
    }

    /// The number of declared events.
    #[must_use]
    pub fn event_count(&self) -> u32 {
        self.tables.count(Section::Events)
    }

    /// The number of lookups.
    #[must_use]
    pub fn lookup_count(&self) -> u32 {
        self.tables.count(Section::Lookups)
    }

    /// The number of regular expressions.
    #[must_use]
    pub fn regex_count(&self) -> u32 {
        self.tables.count(Section::Regexes)
    }

    /// The number of expressions.
    #[must_use]
    pub fn expr_count(&self) -> u32 {
        self.tables.count(Section::Expressions)
    }

    /// The number of event patterns.
    #[must_use]
    pub fn pattern_count(&self) -> u32 {
        self.tables.count(Section::Patterns)
    }

    /// The number of registers.
    #[must_use]
    pub fn register_count(&self) -> u32 {
        self.tables.count(Section::Registers)
    }

    /// The number of atoms.
    #[must_use]
    pub fn atom_count(&self) -> u32 {
        self.tables.count(Section::Atoms)
    }

    /// The number of automata.
    #[must_use]
    pub fn automaton_count(&self) -> u32 {
        self.tables.count(Section::Automata)
    }

    /// The number of deadlines of all contracts.
    #[must_use]
    pub fn deadline_count(&self) -> u32 {
        self.tables.count(Section::Deadlines)
    }

    /// A contract.
    #[must_use]
    pub fn contract(&self, id: u32) -> ContractRef<'_> {
        ContractRef::new(self, id)
    }

    /// The contracts, in order of the text.
    pub fn contracts(&self) -> impl ExactSizeIterator<Item = ContractRef<'_>> {
        (0..self.contract_count()).map(|id| self.contract(id))
    }

    /// A source file.
    #[must_use]
    pub fn source(&self, id: u32) -> SourceRef<'_> {
        SourceRef::new(self, id)
    }

    /// A tool.
    #[must_use]
    pub fn tool(&self, id: u32) -> ToolRef<'_> {
        ToolRef::new(self, id)
    }

    /// The name of a declared event.
    #[must_use]
    pub fn event_name(&self, id: u32) -> &str {
        let [name] = self.tables.record(Section::Events, id, 0);
        self.tables.text(name)
    }

    /// A lookup.
    #[must_use]
    pub fn lookup(&self, id: u32) -> LookupRef<'_> {
        LookupRef::new(self, id)
    }

    /// A regular expression, ready to search; `None` if out of range.
    #[must_use]
    pub fn regex(&self, id: u32) -> Option<&Regex<'a>> {
        self.regexes.get(id as usize)
    }

    /// The text of a regular expression.
    #[must_use]
    pub fn regex_text(&self, id: u32) -> &str {
        let [pattern] = self.tables.record(Section::Regexes, id, 0);
        self.tables.text(pattern)
    }

    /// A regular expression in the language of JSON Schema's `pattern`, where that has an equal.
    #[must_use]
    pub fn regex_ecma(&self, id: u32) -> Option<&str> {
        let [ecma] = self.tables.record(Section::Regexes, id, 3);
        optional(ecma).map(|text| self.tables.text(text))
    }

    /// The program of a regular expression ([`crate::regex::program`]); empty where it has none.
    #[must_use]
    pub fn regex_program(&self, id: u32) -> &[u8] {
        let [start, length] = self.tables.record(Section::Regexes, id, 1);
        self.tables.regex_bytes(start, length).unwrap_or_default()
    }

    /// An expression.
    #[must_use]
    pub fn expr(&self, id: u32) -> ExprRef<'_> {
        ExprRef::new(self, id)
    }

    /// An event pattern.
    #[must_use]
    pub fn pattern(&self, id: u32) -> PatternRef<'_> {
        PatternRef::new(self, id)
    }

    /// A register.
    #[must_use]
    pub fn register(&self, id: u32) -> RegisterRef {
        RegisterRef::new(self, id)
    }

    /// An atom.
    #[must_use]
    pub fn atom(&self, id: u32) -> AtomRef<'_> {
        AtomRef::new(self, id)
    }

    /// An atom's expression alone.
    pub(crate) fn atom_expr(&self, id: u32) -> u32 {
        let [expr] = self.tables.record(Section::Atoms, id, 0);
        expr
    }

    /// An automaton.
    #[must_use]
    pub fn automaton(&self, id: u32) -> AutomatonRef<'_> {
        AutomatonRef::new(self, id)
    }

    /// A deadline, by its index in the whole library.
    #[must_use]
    pub fn deadline(&self, id: u32) -> DeadlineRef<'_> {
        DeadlineRef::new(self, id)
    }

    /// The tools of that name, of any server: ids, ascending.
    #[must_use]
    pub fn tools_named(&self, name: &str) -> &[u32] {
        self.index.tools_named(self, name)
    }

    /// Whether the policy names a tool of that server.
    #[must_use]
    pub fn has_server(&self, server: &str) -> bool {
        self.index.has_server(self, server)
    }

    /// The declared event of that name.
    #[must_use]
    pub fn event_named(&self, name: &str) -> Option<u32> {
        self.index.event_named(self, name)
    }

    /// The lookup of that name.
    #[must_use]
    pub fn lookup_named(&self, name: &str) -> Option<u32> {
        self.index.lookup_named(self, name)
    }

    /// What an event may concern. `tools` are the ids of the tools that the event's tool is, or may
    /// be; the order does not matter. Nothing is allocated.
    #[must_use]
    pub fn dispatch<'l>(&'l self, kind: KindClass, tools: &'l [u32]) -> Dispatch<'l> {
        self.index.dispatch(kind, tools)
    }
}

impl fmt::Debug for Library<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Library")
            .field("compiler", &self.compiler().to_string())
            .field("contracts", &self.contract_count())
            .finish_non_exhaustive()
    }
}
