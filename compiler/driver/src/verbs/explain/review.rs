//! What there is to tell of a library: its contracts in words, with sessions.

use std::collections::BTreeMap;
use std::path::Path;

use ctr_check::Options;
use ctr_front::ir::{Contract, Library, Place};
use ctr_project::examples::{Example, example};
use ctr_runtime::decision::Value3;
use ctr_words::ContractWords;

use crate::cli::Explain;
use crate::exit::Stop;
use crate::library;

/// Contracts of a library in words.
#[derive(Debug)]
pub struct Review {
    /// The library's file, as it was named.
    pub path: String,
    /// The lines `//!` of the file.
    pub doc: String,
    /// The contracts, in order of the library.
    pub entries: Vec<Entry>,
    /// Whether only one of several was asked for.
    pub one: bool,
}

/// A contract in words.
#[derive(Debug)]
pub struct Entry {
    /// Its words.
    pub words: ContractWords,
    /// The contract itself.
    pub contract: Contract,
    /// Where it stands.
    pub at: Spot,
    /// Where the prose stands that it enforces.
    pub source: Option<SourceLink>,
    /// A session that it accepts and one that it rejects, where they were asked for.
    pub examples: Option<(Example, Example)>,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
}

/// What `@source` names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLink {
    /// The document as it is named.
    pub document: String,
    /// The section.
    pub section: Option<String>,
    /// Where that is, if the document lies beside the policy or in a folder above.
    pub at: Option<Spot>,
}

/// Puts a library into words.
///
/// # Errors
///
/// Where it has errors or no such contract.
pub fn of(path: &str, only: Option<&str>, args: &Explain) -> Result<Review, Stop> {
    let (ir, artifact) = library::open_policies(&[path.to_owned()])?;
    let chosen: Vec<usize> = (0..)
        .zip(&ir.contracts)
        .filter(|(_, contract)| only.is_none_or(|only| contract.name == only))
        .map(|(index, _)| index)
        .collect();
    if let (Some(only), true) = (only, chosen.is_empty()) {
        return Err(library::no_contract(&artifact.model, only));
    }
    let found = if args.no_sessions {
        Vec::new()
    } else {
        let options = Options {
            timeout: args.solver_timeout,
            ..Options::default()
        };
        ctr_check::examples(&ir, &artifact.model, &artifact.bytes, &options, &chosen)
            .map_err(Stop::Internal)?
    };
    let loaded = library::load(path, artifact.bytes.clone())?;
    let mut entries = Vec::new();
    for index in chosen {
        let Some(contract) = ir.contracts.get(index) else {
            continue;
        };
        let words = ctr_words::contract(&ir, contract);
        let shown = |session, value| {
            example(&loaded, index, &contract.name, session, value, words.timed)
                .map_err(|fault| Stop::Internal(fault.0))
        };
        let examples = match found.iter().find(|found| found.contract == index) {
            Some(found) => Some((
                shown(&found.accepted, Value3::Active)?,
                shown(&found.rejected, Value3::Fail)?,
            )),
            None => None,
        };
        entries.push(Entry {
            words,
            contract: contract.clone(),
            at: spot(&ir, contract.name_place),
            source: contract
                .source
                .as_ref()
                .map(|(document, section)| source(&ir, contract, document, section.as_deref())),
            examples,
        });
    }
    let doc: Vec<&str> = ir
        .sources
        .first()
        .map_or("", |source| source.text.as_str())
        .lines()
        .map_while(|line| line.trim_start().strip_prefix("//!"))
        .map(str::trim)
        .collect();
    Ok(Review {
        path: path.to_owned(),
        doc: doc.join("\n"),
        entries,
        one: only.is_some(),
    })
}

/// The line of a place.
pub fn spot(library: &Library, place: Place) -> Spot {
    match library.sources.get(place.source.0 as usize) {
        Some(source) => Spot {
            path: source.path.clone(),
            line: 1 + source
                .text
                .bytes()
                .take(place.span.start as usize)
                .filter(|byte| *byte == b'\n')
                .count(),
        },
        None => Spot {
            path: String::new(),
            line: 1,
        },
    }
}

/// Looks for a document beside the policy and in the folders above, as far as the policy's path names them.
fn source(
    library: &Library,
    contract: &Contract,
    document: &str,
    section: Option<&str>,
) -> SourceLink {
    let policy = library
        .sources
        .get(contract.place.source.0 as usize)
        .map_or("", |source| source.path.as_str());
    let inside = Path::new(document)
        .components()
        .all(|part| matches!(part, std::path::Component::Normal(_)));
    let at = Path::new(policy)
        .ancestors()
        .skip(1)
        .filter(|_| inside)
        .find_map(|folder| {
            let path = folder.join(document);
            let text = std::fs::read_to_string(&path).ok()?;
            let line = section.map_or(Some(1), |section| line_of(&text, section))?;
            Some(Spot {
                path: path.to_string_lossy().replace('\\', "/"),
                line,
            })
        });
    SourceLink {
        document: document.to_owned(),
        section: section.map(str::to_owned),
        at,
    }
}

/// The line of a section: its heading, else the first line that has its words.
fn line_of(text: &str, section: &str) -> Option<usize> {
    let wanted = section.to_lowercase();
    let heading = |line: &str| line.starts_with('#') && line.to_lowercase().contains(&wanted);
    let mention = |line: &str| line.to_lowercase().contains(&wanted);
    let at = text
        .lines()
        .position(heading)
        .or_else(|| text.lines().position(mention))?;
    Some(at + 1)
}

/// The tools that contracts are about, each with their names.
#[must_use]
pub fn by_tool(review: &Review) -> BTreeMap<&str, Vec<&str>> {
    let mut out: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for entry in &review.entries {
        for tool in &entry.words.tools {
            out.entry(tool).or_default().push(&entry.words.name);
        }
    }
    out
}
