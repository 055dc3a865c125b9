//! The contracts' automata as pictures within a page.

use std::fmt::Write as _;

use ctr_runtime::format::model::{Label, Model};
use ctr_runtime::format::{Library, decode};

use super::escape::Text;
use super::shell::base64;

/// Automata with more states are not drawn in a page: `ctrc graph` draws them.
const MAX_STATES: usize = 24;
/// A picture of more bytes is left out.
const MAX_BYTES: usize = 48 << 10;

/// Pictures of a library, made once for all pages.
#[derive(Debug)]
pub struct Pictures {
    /// For each contract: what side it is and the picture's address, which holds the picture.
    drawn: Vec<Vec<(&'static str, String, String)>>,
}

impl Pictures {
    /// Draws all contracts that are small enough.
    #[must_use]
    pub fn draw(library: &Library<'_>) -> Self {
        let model = decode(library);
        let drawn = model
            .contracts
            .iter()
            .map(|contract| {
                [
                    ("assume", contract.assume),
                    ("guarantee", contract.guarantee),
                ]
                .into_iter()
                .filter_map(|(side, id)| {
                    let title = format!("{} ({side})", contract.name);
                    let (address, states) = picture(&model, &title, id?)?;
                    let words = format!("Automaton of {title}: {states}");
                    Some((side, address, words))
                })
                .collect()
            })
            .collect();
        Self { drawn }
    }

    /// Writes the pictures of a contract.
    pub fn write(&self, out: &mut String, contract: u32) {
        let drawn = usize::try_from(contract)
            .ok()
            .and_then(|n| self.drawn.get(n));
        for (side, address, words) in drawn.into_iter().flatten() {
            let _ = write!(
                out,
                "<details class=picture><summary>Automaton of the {side}</summary><img loading=lazy alt=\"{}\" src=\"{address}\"></details>",
                Text(words)
            );
        }
    }
}

/// The picture's address, and how many states there are of each kind.
fn picture(model: &Model, title: &str, automaton: u32) -> Option<(String, String)> {
    let automaton = model.automata.get(automaton as usize)?;
    if automaton.states.len() > MAX_STATES {
        return None;
    }
    let svg = ctr_emit::automaton_to_svg(model, title, automaton).ok()?;
    if svg.len() > MAX_BYTES {
        return None;
    }
    let count = |label: Label| automaton.states.iter().filter(|s| s.label == label).count();
    let mut states = Vec::new();
    for (label, words) in [
        (Label::SatisfiedForGood, "satisfied for good"),
        (Label::Satisfied, "satisfied so far"),
        (Label::Pending, "pending"),
        (Label::ViolatedForGood, "violated for good"),
    ] {
        match count(label) {
            0 => {}
            n => states.push(format!("{n} {words}")),
        }
    }
    // The picture is an image of its own: nothing in it can reach the page.
    let address = format!("data:image/svg+xml;base64,{}", base64(svg.as_bytes()));
    Some((address, format!("states: {}", states.join(", "))))
}
