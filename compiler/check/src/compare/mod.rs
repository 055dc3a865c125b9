//! Two libraries side by side: `ctrc diff` and `ctrc refine`.
//!
//! A library *allows* a session that none of its contracts fails: a contract whose guarantee is violated while its assumption
//! holds is not kept, one whose assumption does not hold is idle and forbids nothing. Two libraries allow the same sessions if
//! for each contract of the one no session that the other allows fails it. Contracts that mean the same word for word
//! need no question; every other one is a question to the component that it is in.

mod merge;
pub(crate) mod query;
mod refine;

use ctr_runtime::decision::Value3;
use ctr_runtime::format::Library as Artifact;
use ctr_runtime::format::model::Model;

use crate::replay::Concrete;
use crate::witness::House;
use crate::{Options, component};
pub use merge::{Merged, merge};
use query::{Outcome, Sides, Target, find};
pub use refine::{Half, Obligation, Refinement, refine};

/// What a note is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A tool that is declared in one of the libraries, or in two ways.
    Tool,
    /// A contract that has another name.
    Name,
    /// Another action.
    Action,
    /// The same action with another message.
    Message,
    /// Another severity.
    Severity,
    /// What is expected of the environment.
    Assumption,
    /// Sessions that were not compared: those in which a condition of the contract has no value.
    Undefined,
}

impl Kind {
    /// `tool`, `action`, ...
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Name => "name",
            Self::Action => "action",
            Self::Message => "message",
            Self::Severity => "severity",
            Self::Assumption => "assumption",
            Self::Undefined => "undefined",
        }
    }
}

/// What is to be known besides which sessions are allowed.
#[derive(Clone, Debug)]
pub struct Note {
    /// What it is about.
    pub kind: Kind,
    /// The contract or tool.
    pub about: String,
    /// In words.
    pub message: String,
    /// A session that shows it, as lines of the native trace format; empty where there is nothing to show.
    pub lines: Vec<String>,
}

impl Note {
    pub(crate) fn new(kind: Kind, about: &str, message: String) -> Self {
        Self {
            kind,
            about: about.to_owned(),
            message,
            lines: Vec::new(),
        }
    }
}

/// A session that one library allows and the other does not.
#[derive(Clone, Debug)]
pub struct Case {
    /// The contracts of the other library that it fails; the first is the one that was asked about.
    pub contracts: Vec<String>,
    /// Lines of the native trace format.
    pub lines: Vec<String>,
    /// How many events.
    pub events: usize,
    /// Whether it is proven that no session that fails the first contract is shorter.
    pub shortest: bool,
}

/// A question that stayed open.
#[derive(Clone, Debug)]
pub struct Open {
    /// The contract that a session might fail.
    pub contract: String,
    /// Why.
    pub reason: String,
}

/// How two libraries differ.
#[derive(Clone, Debug, Default)]
pub struct Difference {
    /// Sessions that the new one allows and the old one does not.
    pub new_allows: Vec<Case>,
    /// Sessions that the old one allows and the new one does not.
    pub old_allows: Vec<Case>,
    /// For contracts of the old library, whether the new one allows more.
    pub new_open: Vec<Open>,
    /// For contracts of the new library, whether the old one allows more.
    pub old_open: Vec<Open>,
    /// What else differs.
    pub notes: Vec<Note>,
}

impl Merged {
    /// Which contracts are the old library's, or the new one's.
    fn of(&self, new: bool) -> Vec<bool> {
        self.members
            .iter()
            .map(|member| !names(member, new).is_empty())
            .collect()
    }

    /// The first name of a contract in one of the libraries.
    fn name(&self, contract: usize, new: bool) -> String {
        self.members
            .get(contract)
            .and_then(|member| names(member, new).first())
            .cloned()
            .unwrap_or_default()
    }
}

fn names(member: &merge::Member, new: bool) -> &[String] {
    if new { &member.new } else { &member.old }
}

/// How two libraries differ. `model` and `bytes` are what `ctr_emit` built of the joint library.
///
/// # Errors
///
/// Where the bytes are no artifact.
pub fn diff(
    merged: &Merged,
    model: &Model,
    bytes: &[u8],
    options: &Options,
) -> Result<Difference, String> {
    let artifact = Artifact::load(bytes).map_err(|error| error.to_string())?;
    let keys = component::keys(&merged.library);
    let mut house = House::new(&merged.library, model, &keys, &artifact, options);
    let mut out = Difference {
        notes: merged.notes.clone(),
        ..Difference::default()
    };
    house.questions = differing(merged, true).len() + differing(merged, false).len();
    for new in [true, false] {
        let sides = Sides {
            allowed: merged.of(new),
            assumed: Vec::new(),
        };
        let (mut cases, mut open) = (Vec::new(), Vec::new());
        for contract in differing(merged, new) {
            match find(&mut house, &sides, Target::Fails(contract)) {
                Outcome::Session(session, shortest) => {
                    cases.push(case(&house, merged, session, shortest, contract, new));
                }
                Outcome::None { undefined: true } => {
                    not_compared(&merged.name(contract, !new), &mut out.notes);
                }
                Outcome::None { undefined: false } => {}
                Outcome::Open(reason) => open.push(Open {
                    contract: merged.name(contract, !new),
                    reason,
                }),
            }
        }
        if new {
            (out.new_allows, out.new_open) = (cases, open);
        } else {
            (out.old_allows, out.old_open) = (cases, open);
        }
    }
    if out.new_allows.is_empty() && out.old_allows.is_empty() {
        let found = assumptions(&mut house, merged);
        out.notes.extend(found);
    }
    Ok(out)
}

/// Notes once that the absence of a difference was proven for sessions without undefined conditions alone.
pub(crate) fn not_compared(contract: &str, notes: &mut Vec<Note>) {
    let message =
        format!("sessions in which a condition of `{contract}` has no value are not compared");
    if !notes.iter().any(|note| note.message == message) {
        notes.push(Note::new(Kind::Undefined, contract, message));
    }
}

/// The contracts that only the library other than `new` has.
fn differing(merged: &Merged, new: bool) -> Vec<usize> {
    let here = merged.of(new);
    let all = here.iter().enumerate().filter(|(_, here)| !**here);
    all.map(|(contract, _)| contract).collect()
}

/// A session as it is told: the contracts of the other library that it fails, that one first which was asked about.
fn case(
    house: &House<'_>,
    merged: &Merged,
    session: Concrete,
    shortest: bool,
    contract: usize,
    new: bool,
) -> Case {
    let mut contracts = vec![merged.name(contract, !new)];
    let mut session = session;
    for (other, said) in house.replay(&mut session).into_iter().enumerate() {
        if said.value == Value3::Fail && other != contract {
            let theirs = merged.members.get(other).map(|m| names(m, !new));
            contracts.extend(theirs.and_then(|names| names.first()).cloned());
        }
    }
    Case {
        contracts,
        lines: session.lines(),
        events: session.len(),
        shortest,
    }
}

/// Where the same sessions are allowed: assumptions that differ.
fn assumptions(house: &mut House<'_>, merged: &Merged) -> Vec<Note> {
    let mut notes = Vec::new();
    for new in [true, false] {
        let sides = Sides {
            allowed: Vec::new(),
            assumed: merged.of(new),
        };
        for contract in differing(merged, new) {
            if !refine::assumes(merged, contract) {
                continue;
            }
            if let Outcome::Session(session, _) = find(house, &sides, Target::Idle(contract)) {
                let name = merged.name(contract, !new);
                let (more, less) = if new { ("old", "new") } else { ("new", "old") };
                let message = format!(
                    "`{name}` of {more} assumes what {less} does not: it withholds an event of this session"
                );
                notes.push(Note {
                    lines: session.lines(),
                    ..Note::new(Kind::Assumption, &name, message)
                });
            }
        }
    }
    notes
}
