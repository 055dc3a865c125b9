//! Patterns of paths that are left out, as in a `.gitignore` file.
//!
//! | pattern | fits |
//! | --- | --- |
//! | `gen` | a file or folder of that name at any depth |
//! | `gen/` | a folder of that name at any depth |
//! | `/gen`, `a/gen` | only there, seen from the folder of the file that says so |
//! | `*`, `?`, `[a-z]`, `[!a-z]` | some characters, one, one of these, one of the others; never `/` |
//! | `**` | folders, any number of them |
//! | `!gen` | takes back what an earlier pattern left out |
//! | `\*` | the character itself |

/// A pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Takes back instead of leaving out.
    negated: bool,
    /// Fits folders alone.
    folders: bool,
    /// What the parts of a path must be.
    parts: Vec<Part>,
}

/// What fits a part of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// `**`: any number of parts.
    Any,
    /// One part.
    One(Vec<Piece>),
}

/// What fits characters of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    /// Itself.
    Char(char),
    /// `?`
    One,
    /// `*`
    Many,
    /// `[a-z]`; with `true` all others.
    Set(bool, Vec<(char, char)>),
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// Says in a few words what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let (negated, text) = match text.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (folders, text) = match text.strip_suffix('/') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        // A slash other than the last says where the pattern begins.
        let anchored = text.contains('/');
        let text = text.strip_prefix('/').unwrap_or(text);
        let text = text.strip_prefix("./").unwrap_or(text);
        if text.is_empty() {
            return Err("it fits nothing");
        }
        let mut parts = Vec::new();
        if !anchored {
            parts.push(Part::Any);
        }
        for part in text.split('/') {
            match part {
                "" => return Err("two slashes in a row fit nothing"),
                "." | ".." => return Err("`.` and `..` are no names of files"),
                "**" => {
                    if parts.last() != Some(&Part::Any) {
                        parts.push(Part::Any);
                    }
                }
                part => parts.push(Part::One(pieces(part)?)),
            }
        }
        // `a/**` is what lies in `a`, not `a`.
        if parts.last() == Some(&Part::Any) {
            parts.push(Part::One(vec![Piece::Many]));
        }
        Ok(Self {
            negated,
            folders,
            parts,
        })
    }

    /// Whether it fits a path, written with `/` and seen from the folder of the pattern.
    fn fits(&self, path: &[Vec<char>], is_folder: bool) -> bool {
        if self.folders && !is_folder {
            return false;
        }
        // `at[n]`: whether the pattern so far fits the first `n` parts.
        let mut at = vec![false; path.len() + 1];
        if let Some(first) = at.first_mut() {
            *first = true;
        }
        for part in &self.parts {
            match part {
                Part::Any => {
                    let mut reached = false;
                    for here in &mut at {
                        reached |= *here;
                        *here = reached;
                    }
                }
                Part::One(pieces) => {
                    let mut next = vec![false];
                    next.extend(
                        at.iter()
                            .zip(path)
                            .map(|(here, name)| *here && fits_name(pieces, name)),
                    );
                    at = next;
                }
            }
        }
        at.last().copied().unwrap_or(false)
    }
}

/// Whether patterns leave a path out: the last that fits says so; `None` where none fits.
///
/// `path` is written with `/` and seen from the folder of the patterns.
#[must_use]
pub fn excludes(patterns: &[Pattern], path: &str, is_folder: bool) -> Option<bool> {
    let parts: Vec<Vec<char>> = path.split('/').map(|part| part.chars().collect()).collect();
    patterns
        .iter()
        .rev()
        .find(|pattern| pattern.fits(&parts, is_folder))
        .map(|pattern| !pattern.negated)
}

fn fits_name(pieces: &[Piece], name: &[char]) -> bool {
    let mut at = vec![false; name.len() + 1];
    if let Some(first) = at.first_mut() {
        *first = true;
    }
    for piece in pieces {
        if *piece == Piece::Many {
            let mut reached = false;
            for here in &mut at {
                reached |= *here;
                *here = reached;
            }
            continue;
        }
        let mut next = vec![false];
        next.extend(
            at.iter()
                .zip(name)
                .map(|(here, c)| *here && fits_char(piece, *c)),
        );
        at = next;
    }
    at.last().copied().unwrap_or(false)
}

fn fits_char(piece: &Piece, c: char) -> bool {
    match piece {
        Piece::Char(own) => *own == c,
        Piece::One | Piece::Many => true,
        Piece::Set(others, ranges) => {
            ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != *others
        }
    }
}

fn pieces(part: &str) -> Result<Vec<Piece>, &'static str> {
    let mut out = Vec::new();
    let mut chars = part.chars().peekable();
    while let Some(c) = chars.next() {
        let piece = match c {
            '*' => Piece::Many,
            '?' => Piece::One,
            '\\' => Piece::Char(chars.next().ok_or("nothing follows the last `\\`")?),
            '[' => {
                let others = chars.next_if(|c| matches!(c, '!' | '^')).is_some();
                let mut ranges = Vec::new();
                loop {
                    let mut from = chars.next().ok_or("a `[` is not closed")?;
                    if from == ']' && !ranges.is_empty() {
                        break;
                    }
                    if from == '\\' {
                        from = chars.next().ok_or("a `[` is not closed")?;
                    }
                    let mut ahead = chars.clone();
                    if ahead.next() == Some('-')
                        && let Some(to) = ahead.next()
                        && to != ']'
                    {
                        chars = ahead;
                        ranges.push((from, to));
                    } else {
                        ranges.push((from, from));
                    }
                }
                Piece::Set(others, ranges)
            }
            other => Piece::Char(other),
        };
        if !(piece == Piece::Many && out.last() == Some(&Piece::Many)) {
            out.push(piece);
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn fits(patterns: &[&str], path: &str, is_folder: bool) -> Option<bool> {
        let patterns: Vec<Pattern> = patterns
            .iter()
            .map(|p| Pattern::parse(p).unwrap())
            .collect();
        excludes(&patterns, path, is_folder)
    }

    #[test]
    fn as_git_does() {
        for (pattern, path, is_folder, wanted) in [
            ("gen", "gen", true, true),
            ("gen", "a/b/gen", false, true),
            ("gen", "a/gens", false, false),
            ("gen/", "a/gen", true, true),
            ("gen/", "a/gen", false, false),
            ("/gen", "gen", false, true),
            ("/gen", "a/gen", false, false),
            ("a/gen", "a/gen", false, true),
            ("a/gen", "b/a/gen", false, false),
            ("*.gen.ctr", "x/y.gen.ctr", false, true),
            ("*.gen.ctr", "y.ctr", false, false),
            ("a/*.ctr", "a/b.ctr", false, true),
            ("a/*.ctr", "a/b/c.ctr", false, false),
            ("a/**", "a/b/c.ctr", false, true),
            ("a/**", "a", true, false),
            ("**/b", "b", false, true),
            ("**/b", "a/c/b", false, true),
            ("a/**/b", "a/b", false, true),
            ("a/**/b", "a/x/y/b", false, true),
            ("a/**/b", "a/x/y/c", false, false),
            ("draft?.ctr", "draft1.ctr", false, true),
            ("draft?.ctr", "draft.ctr", false, false),
            ("v[0-9].ctr", "v7.ctr", false, true),
            ("v[!0-9].ctr", "v7.ctr", false, false),
            ("v[]x].ctr", "v].ctr", false, true),
            (r"a\*.ctr", "a*.ctr", false, true),
            (r"a\*.ctr", "ab.ctr", false, false),
            ("é*", "éa", false, true),
            ("**", "a", false, true),
        ] {
            let found = fits(&[pattern], path, is_folder).unwrap_or(false);
            assert_eq!(found, wanted, "{pattern} {path}");
        }
    }

    #[test]
    fn the_last_that_fits_counts() {
        let patterns = ["*.ctr", "!keep.ctr"];
        assert_eq!(fits(&patterns, "a/keep.ctr", false), Some(false));
        assert_eq!(fits(&patterns, "a/other.ctr", false), Some(true));
        assert_eq!(fits(&patterns, "a/tools.json", false), None);
    }

    #[test]
    fn what_is_no_pattern() {
        for text in ["", "!", "/", "a//b", "../a", "a/./b", "[ab", "a\\"] {
            assert!(Pattern::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn long_patterns_cost_little() {
        let pattern = "*a".repeat(200);
        let name = "a".repeat(5_000) + "b";
        assert_eq!(fits(&[&pattern], &name, false), None);
    }
}
