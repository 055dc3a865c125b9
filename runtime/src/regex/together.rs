//! Many expressions that the same texts are asked for, searched for in one pass.
//!
//! A table of the form of a first stage ([`super::program`]) whose rows count for all of them: behind the entries it
//! has 64 bits (two words) for each row from that on in which ends are reached, which say of what. Each stage of each chain of each
//! expression has a bit, in this order. An expression of which all chains have one stage is decided by its bits; for a longer
//! chain its program is asked where all its stages occur somewhere. In front stands one word: for which texts it is exact.
//!
//! What is found is kept with a copy of the text, so that the next expression, and the next phase of the same event, need only
//! compare texts.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::Regex;
use super::program::{Exact, Place, Reader, Stage, Table, is_exact, table_of};
use crate::format::Library;

/// The most stages of all expressions of a table.
pub const MAX_BITS: usize = 64;
/// The longest text that is kept to compare with, in bytes; longer ones are searched for each expression.
const MAX_TEXT: usize = 1 << 16;

/// The bytes of a table, as an artifact has them.
#[must_use]
pub fn to_bytes(exact: Exact, stage: &Stage, ends: &[u64]) -> Vec<u8> {
    let mut out = Vec::from((exact as u32).to_le_bytes());
    stage.write(&mut out);
    for end in ends {
        out.extend_from_slice(&end.to_le_bytes());
    }
    out
}

/// Expressions that are searched for together.
#[derive(Clone, Debug)]
pub(crate) struct Together<'a> {
    bytes: Cow<'a, [u8]>,
    exact: Exact,
    place: Place,
    /// Where the bits of the rows with ends begin.
    ends: usize,
    members: Vec<Member>,
}

#[derive(Clone, Debug)]
struct Member {
    regex: u32,
    /// Any of these bits: it matches.
    decided: u64,
    /// All of these bits: a longer chain may match.
    chains: Vec<u64>,
}

impl<'a> Together<'a> {
    /// Reads a table, and checks all of it.
    pub(crate) fn new(
        bytes: Cow<'a, [u8]>,
        members: impl Iterator<Item = u32>,
        regexes: &[Regex<'_>],
    ) -> Result<Self, String> {
        let mut reader = Reader::new(&bytes);
        let exact = reader.exact()?;
        let place = reader.stage(true, false)?;
        let ends = reader.at();
        let mut bits = 0;
        let mut found = Vec::new();
        for id in members {
            let program = regexes
                .get(id as usize)
                .and_then(Regex::tables)
                .ok_or("one of its expressions has no tables")?;
            let known = program.exact();
            if known != Exact::Always && known != exact {
                return Err("one of its expressions is exact for fewer texts".into());
            }
            let mut member = Member {
                regex: id,
                decided: 0,
                chains: Vec::new(),
            };
            for stages in program.stages() {
                let mask = mask(stages) << bits.min(63);
                bits += stages;
                match stages {
                    1 => member.decided |= mask,
                    _ => member.chains.push(mask),
                }
                if bits > MAX_BITS {
                    return Err("its expressions have too many stages".into());
                }
            }
            found.push(member);
        }
        let all = mask(bits);
        let rows = reader.rest().as_chunks::<8>();
        let known = rows.0.iter().all(|b| u64::from_le_bytes(*b) & !all == 0);
        if !known || !rows.1.is_empty() || rows.0.len() != place.rows_with_ends() {
            return Err("its ends are not those of its expressions".into());
        }
        Ok(Self {
            exact,
            place,
            ends,
            members: found,
            bytes,
        })
    }

    pub(crate) fn into_owned(self) -> Together<'static> {
        Together {
            bytes: Cow::Owned(self.bytes.into_owned()),
            exact: self.exact,
            place: self.place,
            ends: self.ends,
            members: self.members,
        }
    }

    fn member(&self, regex: u32) -> Option<&Member> {
        let at = self
            .members
            .binary_search_by_key(&regex, |member| member.regex)
            .ok()?;
        self.members.get(at)
    }

    /// The bits of all stages that occur in a text for which the table is exact.
    fn search(&self, text: &[u8]) -> Option<u64> {
        let table: Table<'_> = table_of(&self.bytes, &self.place)?;
        let ends = self.bytes.get(self.ends..)?.as_chunks::<8>().0;
        Some(table.ends(text, ends))
    }
}

/// As many bits.
fn mask(bits: usize) -> u64 {
    match bits {
        0..64 => (1 << bits) - 1,
        _ => u64::MAX,
    }
}

/// What has been found in the last messages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Searches {
    /// For messages to the agent, and for those of the model.
    last: [Last; 2],
}

#[derive(Clone, Debug, Default)]
struct Last {
    text: String,
    /// `None` before the first text, and where the table is not made for the text.
    seen: Option<u64>,
    /// What programs have found: the expression and the answer.
    answers: Vec<(u32, bool)>,
}

impl Searches {
    /// [`Regex::is_match`] of a message's text. `output`: the message is one of the model.
    pub(crate) fn is_match(
        &mut self,
        library: &Library<'_>,
        output: bool,
        id: u32,
        text: &str,
    ) -> Option<bool> {
        let regex = library.regex(id)?;
        let shared = library
            .together(output)
            .filter(|_| text.len() <= MAX_TEXT)
            .and_then(|together| Some((together, together.member(id)?)));
        let Some((together, member)) = shared else {
            return regex.is_match(text);
        };
        let last = self.last.get_mut(usize::from(output))?;
        if last.seen.is_none() || last.text != text {
            last.text.clear();
            last.answers.clear();
            last.seen = is_exact(together.exact, text)
                .then(|| together.search(text.as_bytes()))
                .flatten();
            if last.seen.is_some() {
                last.text.push_str(text);
            }
        }
        let Some(seen) = last.seen else {
            return regex.is_match(text);
        };
        if seen & member.decided != 0 {
            return Some(true);
        }
        if !member.chains.iter().any(|mask| seen & mask == *mask) {
            return Some(false);
        }
        if let Some((_, answer)) = last.answers.iter().find(|(known, _)| *known == id) {
            return Some(*answer);
        }
        let answer = regex.is_match(text)?;
        last.answers.push((id, answer));
        Some(answer)
    }
}
