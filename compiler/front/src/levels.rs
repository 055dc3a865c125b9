//! How much a warning counts: levels of codes, from a project's settings and from flags.
//!
//! Pure: the command line and an editor lay the same levels over the same findings.

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, Severity};

/// The name that stands for all warnings in `[lints]` and in flags.
pub const WARNINGS: &str = "warnings";

/// How much a finding counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// It is not told.
    Allow,
    /// It is told and changes nothing.
    Note,
    /// It is told as probably wrong.
    Warn,
    /// It is told as an error: nothing is built.
    Deny,
}

impl Level {
    /// Their names, in order.
    pub const NAMES: [&'static str; 4] = ["allow", "note", "warn", "deny"];

    /// The level of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "allow" => Some(Self::Allow),
            "note" => Some(Self::Note),
            "warn" => Some(Self::Warn),
            "deny" => Some(Self::Deny),
            _ => None,
        }
    }
}

/// Why a name cannot be given a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameError {
    /// It is the code of an error, which says that there is no policy to build.
    IsError,
    /// There is no such code; with the nearest one.
    Unknown(Option<String>),
}

/// Whether a level can be given to a name: to `warnings` or to a code of `codes` that is no error.
///
/// # Errors
///
/// Says why not.
pub fn check_name(name: &str, codes: &[&str]) -> Result<(), NameError> {
    if name == WARNINGS {
        return Ok(());
    }
    if !codes.contains(&name) {
        return Err(NameError::Unknown(nearest_code(name, codes)));
    }
    if name.starts_with('E') {
        return Err(NameError::IsError);
    }
    Ok(())
}

/// The code that was most likely meant: the same in other letters or with the other letter in front, else
/// one that a single slip away. Codes are all alike, so that two slips say nothing.
#[must_use]
pub fn nearest_code(name: &str, codes: &[&str]) -> Option<String> {
    let upper = name.trim().to_ascii_uppercase();
    if upper.eq_ignore_ascii_case(WARNINGS) || upper == "WARNING" || upper == "ALL" {
        return Some(WARNINGS.to_owned());
    }
    if codes.contains(&upper.as_str()) {
        return Some(upper);
    }
    let digits = upper.trim_start_matches(|c: char| !c.is_ascii_digit());
    if !digits.is_empty() {
        for letter in ["W", "E"] {
            let other = format!("{letter}{digits:0>4}");
            if codes.contains(&other.as_str()) {
                return Some(other);
            }
        }
    }
    // Two neighbours changed places is the slip that a person makes; another digit is another code.
    codes
        .iter()
        .filter(|code| {
            code.len() == upper.len()
                && strsim::osa_distance(code, &upper) == 1
                && sorted(code) == sorted(&upper)
        })
        .min()
        .map(|code| (*code).to_owned())
}

fn sorted(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.sort_unstable();
    bytes
}

/// Levels of codes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    codes: BTreeMap<String, Level>,
    warnings: Option<Level>,
}

impl Levels {
    /// Gives a level to a code, or to `warnings`: all warnings that have none of their own.
    pub fn set(&mut self, name: &str, level: Level) {
        if name == WARNINGS {
            self.warnings = Some(level);
        } else {
            self.codes.insert(name.to_owned(), level);
        }
    }

    /// These with others laid over them: what the others say counts.
    #[must_use]
    pub fn under(&self, over: &Self) -> Self {
        let mut all = self.clone();
        all.codes.extend(over.codes.clone());
        all.warnings = over.warnings.or(all.warnings);
        all
    }

    /// These without `deny`: for a policy that is only the means, as when sessions are judged by it.
    #[must_use]
    pub fn without_deny(&self) -> Self {
        let soften = |level: Level| level.min(Level::Warn);
        Self {
            codes: self
                .codes
                .iter()
                .map(|(code, level)| (code.clone(), soften(*level)))
                .collect(),
            warnings: self.warnings.map(soften),
        }
    }

    /// How bad a finding is by these levels; `None` where it is not told. What is said of a code counts
    /// before what is said of all warnings. Errors stay errors.
    #[must_use]
    pub fn severity(&self, code: &str, severity: Severity) -> Option<Severity> {
        if severity == Severity::Error || code.starts_with('E') {
            return Some(severity);
        }
        let all = self.warnings.filter(|_| severity == Severity::Warning);
        match self.codes.get(code).copied().or(all) {
            None => Some(severity),
            Some(Level::Allow) => None,
            Some(Level::Note) => Some(Severity::Note),
            Some(Level::Warn) => Some(Severity::Warning),
            Some(Level::Deny) => Some(Severity::Error),
        }
    }

    /// A finding as these levels have it; `None` where it is not told.
    #[must_use]
    pub fn apply(&self, mut diagnostic: Diagnostic) -> Option<Diagnostic> {
        diagnostic.severity = self.severity(diagnostic.code, diagnostic.severity)?;
        Some(diagnostic)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODES: [&str; 4] = ["E0401", "W0407", "W0408", "W0700"];

    #[test]
    fn a_code_counts_before_all_warnings() {
        let mut levels = Levels::default();
        levels.set(WARNINGS, Level::Deny);
        levels.set("W0407", Level::Note);
        let of = |levels: &Levels, code| levels.severity(code, Severity::Warning);
        assert_eq!(of(&levels, "W0407"), Some(Severity::Note));
        assert_eq!(of(&levels, "W0408"), Some(Severity::Error));
        // What is a note by itself is no warning.
        assert_eq!(
            levels.severity("W0700", Severity::Note),
            Some(Severity::Note)
        );
        assert_eq!(
            levels.severity("E0401", Severity::Error),
            Some(Severity::Error)
        );
        let mut flags = Levels::default();
        flags.set("W0407", Level::Allow);
        flags.set(WARNINGS, Level::Warn);
        let both = levels.under(&flags);
        assert_eq!(of(&both, "W0407"), None);
        assert_eq!(of(&both, "W0408"), Some(Severity::Warning));
        let soft = levels.without_deny();
        assert_eq!(of(&soft, "W0408"), Some(Severity::Warning));
        assert_eq!(of(&soft, "W0407"), Some(Severity::Note));
    }

    #[test]
    fn names() {
        assert_eq!(check_name("W0407", &CODES), Ok(()));
        assert_eq!(check_name(WARNINGS, &CODES), Ok(()));
        assert_eq!(check_name("E0401", &CODES), Err(NameError::IsError));
        let near = |name: &str| match check_name(name, &CODES) {
            Err(NameError::Unknown(near)) => near,
            other => Some(format!("{other:?}")),
        };
        assert_eq!(near("w0407").as_deref(), Some("W0407"));
        assert_eq!(near("E0407").as_deref(), Some("W0407"));
        assert_eq!(near("W407").as_deref(), Some("W0407"));
        assert_eq!(near("W0470").as_deref(), Some("W0407"));
        assert_eq!(near("Warnings").as_deref(), Some(WARNINGS));
        for far in ["W0409", "W9999", "", "unused", "W"] {
            assert_eq!(near(far), None, "{far}");
        }
    }
}
