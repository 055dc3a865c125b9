//! Atoms that look like operators run together. They are read as atoms; a reader of such a text may
//! have meant something else.

use super::Kind;
use super::lexer::{Token, token_of};
use rustc_hash::FxHashSet;

/// A note for each atom that looks like operators and stands nowhere in quotes: operators before
/// their operand and then
///
/// - another atom of the text or a truth value (`Xb` beside `b`), or
/// - after two operators or more, a name that begins with a small letter (`GFa`);
///
/// also constants and ends of traces as other tools write them (`tt`, `ff`, `last`, `end`).
pub(super) fn notes(atoms: &[String], quoted: &[bool], kind: Kind) -> Vec<String> {
    let known: FxHashSet<&str> = atoms.iter().map(String::as_str).collect();
    let bare = atoms.iter().zip(quoted).filter(|(_, quoted)| !**quoted);
    bare.filter_map(|(name, _)| note(name, &known, kind))
        .collect()
}

fn note(name: &str, known: &FxHashSet<&str>, kind: Kind) -> Option<String> {
    let weak_next = match kind {
        Kind::Ltlf | Kind::Conj => "X",
        Kind::Pltl => "wX",
        Kind::AaltafUc => "N",
    };
    Some(match name {
        "tt" => "`tt` is an atom; write `true` for truth".to_owned(),
        "ff" => "`ff` is an atom; write `false` for falsehood".to_owned(),
        "last" | "end" => {
            format!("`{name}` is an atom; write `{weak_next} false` for the last step")
        }
        name => {
            let written = apart(name, known, kind)?;
            format!("`{name}` is an atom; write `{written}` for operators")
        }
    })
}

/// The name as operators and their operand, if it looks like them.
fn apart(name: &str, known: &FxHashSet<&str>, kind: Kind) -> Option<String> {
    let mut words: Vec<&str> = Vec::new();
    let mut rest = name;
    loop {
        let is_operand = known.contains(rest)
            || matches!(token_of(rest, kind), Token::True | Token::False)
            || words.len() >= 2 && rest.starts_with(|c: char| c.is_ascii_lowercase());
        if !words.is_empty() && is_operand {
            words.push(rest);
            return Some(words.join(" "));
        }
        // Operators have one letter, but for `wX`.
        let (operator, after) = [1, 2].into_iter().find_map(|len| {
            let (word, after) = rest.split_at_checked(len)?;
            let is_operator = matches!(token_of(word, kind), Token::Prefix(_));
            (is_operator && !after.is_empty()).then_some((word, after))
        })?;
        words.push(operator);
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

    use crate::ltlf::{Kind, parse};

    fn notes(text: &str, kind: Kind) -> Vec<String> {
        parse(text, kind).unwrap().notes
    }

    /// The text between the last pair of backticks of the only note.
    fn written(text: &str, kind: Kind) -> String {
        let notes = notes(text, kind);
        assert_eq!(notes.len(), 1, "{text}: {notes:?}");
        notes.concat().rsplit('`').nth(1).unwrap().to_owned()
    }

    #[test]
    fn operators_run_together() {
        assert_eq!(
            notes("GFa", Kind::Ltlf),
            ["`GFa` is an atom; write `G F a` for operators"]
        );
        assert_eq!(written("FGp | q", Kind::Ltlf), "F G p");
        assert_eq!(written("Xb & b", Kind::Ltlf), "X b");
        assert_eq!(written("x := Xb\ny := b", Kind::Conj), "X b");
        assert_eq!(written("G(A -> FA)", Kind::Ltlf), "F A");
        assert_eq!(written("Gtrue", Kind::Ltlf), "G true");
        assert_eq!(written("HOa & c", Kind::Pltl), "H O a");
        assert_eq!(written("G wXa & a", Kind::Pltl), "wX a");
        assert_eq!(written("r := NXa;", Kind::AaltafUc), "N X a");
        assert_eq!(written("tt", Kind::Ltlf), "true");
        assert_eq!(written("G ff", Kind::Ltlf), "false");
        assert_eq!(written("F last", Kind::Ltlf), "X false");
        assert_eq!(written("F last", Kind::Pltl), "wX false");
        assert_eq!(written("r := F end;", Kind::AaltafUc), "N false");
        assert_eq!(notes("GFa & Xb & b & tt", Kind::Ltlf).len(), 3);
    }

    #[test]
    fn ordinary_names() {
        for text in [
            "Gate & Floor & Xenon & Open & Halt & Yes & Zip",
            "FROM & GO & START & HOT & TX & OH & FOO & X1 & F_a & G.b & O2",
            "a & b & c & aUb & wXa & last_step & ending & ttl & off",
            "Fa & Gb & Xc",
            // Whoever writes quotes means the name.
            "\"GFa\" & \"tt\" & \"Xb\" & b & G (Xb -> tt)",
        ] {
            assert_eq!(notes(text, Kind::Ltlf), [""; 0], "{text}");
        }
        // No operators of this syntax.
        assert_eq!(notes("r := HOa & Ya & a & wXa;", Kind::AaltafUc), [""; 0]);
        // The names of formulas are no atoms.
        assert_eq!(notes("GFa := b\nXb := G b\nlast := b", Kind::Conj), [""; 0]);
    }
}
