//! What can go wrong besides what is found in policies.

use std::fmt;

/// A path that leads to no policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// It cannot be read.
    Unreadable {
        /// The path.
        path: String,
        /// Why, in plain words.
        why: String,
        /// A path beside it of nearly its name.
        near: Option<String>,
    },
    /// Something below it cannot be read.
    Below(String),
    /// Its name is no text.
    NotUtf8 {
        /// The name as far as it is text.
        path: String,
    },
    /// A folder without policies.
    Empty {
        /// The folder.
        path: String,
        /// Whether it has some that the settings leave out.
        left_out: bool,
    },
    /// A level for something that has none, or a code that there is not.
    Level(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { path, why, near } => {
                write!(f, "{path}: {why}")?;
                match near {
                    Some(near) => write!(f, "; did you mean `{near}`?"),
                    None => Ok(()),
                }
            }
            Self::Below(why) | Self::Level(why) => f.write_str(why),
            Self::NotUtf8 { path } => {
                write!(f, "{path}: the name is not UTF-8; rename the file")
            }
            Self::Empty {
                path,
                left_out: true,
            } => write!(
                f,
                "{path}: all policies of the folder are left out by the settings (`exclude`)"
            ),
            Self::Empty {
                path,
                left_out: false,
            } => write!(
                f,
                "{path}: the folder holds no policies (files ending in `.ctr`)"
            ),
        }
    }
}

impl std::error::Error for Error {}

/// A fault of the compiler, in words for whoever reports it: what it made itself it does not understand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(pub String);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Fault {}
