//! `ctrc replay --html`: recorded sessions as pages to read in a browser (`docs/report.md`).
//!
//! A page is complete without scripts and loads nothing. [`data`] watches a session while it is judged,
//! [`findings`] lists what is wrong, and the others write HTML.

pub mod cards;
pub mod data;
pub mod escape;
pub mod findings;
pub mod index;
pub mod page;
pub mod pictures;
pub mod policy;
pub mod shell;
pub mod sources;
pub mod timeline;
pub mod tracks;

#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ctr_runtime::format::Library;

use crate::atomic::write_atomically;
use crate::cli::View;
use crate::exit::Stop;
use crate::plain::counted;
use ctr_trace::Unreadable;
use ctr_trace::files::describe;
use ctr_trace::judge::Report;
use data::Told;
use index::Entry;
use page::Setting;
use pictures::Pictures;
use sources::Sources;

/// The name of the page that lists the others.
pub const INDEX: &str = "index.html";
/// A session's name gives its page's name at most so many characters.
const MAX_NAME: usize = 60;

/// Writes the pages of a replay.
#[derive(Debug)]
pub struct Writer<'l> {
    library: &'l Library<'l>,
    sources: Sources,
    pictures: Pictures,
    view: View,
    place: Place,
    entries: Vec<Entry>,
}

#[derive(Debug)]
enum Place {
    /// One page.
    File(PathBuf, Mutex<Option<String>>),
    /// A page each, and an index.
    Folder(PathBuf),
}

impl<'l> Writer<'l> {
    /// Prepares to write: one page where the path ends in `.html` or `.htm`, else a folder, which is made.
    ///
    /// # Errors
    ///
    /// Where the folder cannot be made.
    pub fn new(
        path: &str,
        library: &'l Library<'l>,
        library_paths: &[String],
        view: View,
    ) -> Result<Self, Stop> {
        if path == "-" {
            return Err(Stop::Usage(
                "`--html` needs the path of a file or folder: standard output is for the results"
                    .to_owned(),
            ));
        }
        let place = PathBuf::from(path);
        let is_page = place.extension().is_some_and(|ending| {
            ending.eq_ignore_ascii_case("html") || ending.eq_ignore_ascii_case("htm")
        });
        let place = if is_page && !place.is_dir() {
            Place::File(place, Mutex::new(None))
        } else if place.is_file() {
            return Err(Stop::Usage(format!(
                "{path}: is a file; a folder is needed, or a name that ends in `.html`"
            )));
        } else {
            std::fs::create_dir_all(&place)
                .map_err(|error| Stop::Usage(format!("{path}: {}", describe(&error))))?;
            Place::Folder(place)
        };
        Ok(Self {
            library,
            sources: Sources::read(library, library_paths),
            pictures: Pictures::draw(library),
            view,
            place,
            entries: Vec::new(),
        })
    }

    /// Writes a session's page; may be called from several threads. `file` is the number of the session's file, `piece` its
    /// number there and `pieces` how many that file has. The page's name, from which the index links to it.
    ///
    /// # Errors
    ///
    /// Where it cannot be written.
    pub fn page(
        &self,
        told: &Told,
        file: usize,
        piece: usize,
        pieces: usize,
    ) -> Result<Option<String>, Stop> {
        let setting = |index| Setting {
            library: self.library,
            sources: &self.sources,
            pictures: &self.pictures,
            view: self.view,
            index,
        };
        match &self.place {
            Place::File(_, first) => {
                let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                if first.is_none() {
                    *first = Some(page::session(&setting(None), told));
                }
                Ok(None)
            }
            Place::Folder(folder) => {
                let name = page_name(&told.report.name, file, piece, pieces);
                let text = page::session(&setting(Some(INDEX)), told);
                write(&folder.join(&name), &text)?;
                Ok(Some(name))
            }
        }
    }

    /// Adds a session to the index, in the order in which it lists them.
    pub fn add(&mut self, result: &Result<Report, Unreadable>, page: Option<String>) {
        self.entries.push(Entry::new(result, page));
    }

    /// Writes what is left to write; what was written, in words.
    ///
    /// # Errors
    ///
    /// Where it cannot be written, or there are more sessions than one page can show.
    pub fn finish(self) -> Result<String, Stop> {
        match self.place {
            Place::File(path, page) => {
                let shown = path.display();
                if self.entries.len() > 1 {
                    return Err(Stop::Usage(format!(
                        "{shown}: {} sessions do not fit on one page; name a folder, as in `--html {}/`",
                        self.entries.len(),
                        path.with_extension("").display()
                    )));
                }
                match page.into_inner().unwrap_or_else(PoisonError::into_inner) {
                    Some(page) => {
                        write(&path, &page)?;
                        Ok(format!("wrote {shown}"))
                    }
                    None => Ok(format!(
                        "{shown} was not written: there is no session to show"
                    )),
                }
            }
            Place::Folder(folder) => {
                let path = folder.join(INDEX);
                write(&path, &index::page(self.library, self.view, &self.entries))?;
                let judged = self.entries.iter().filter(|entry| entry.is_read()).count();
                let mut told = format!(
                    "wrote {} for {}",
                    path.display(),
                    counted(judged as u64, "session")
                );
                if let unread @ 1.. = self.entries.len() - judged {
                    let _ = write!(told, "; it names {unread} more that could not be read");
                }
                Ok(told)
            }
        }
    }
}

/// A file's name that says which session it is and that no other session has.
fn page_name(session: &str, file: usize, piece: usize, pieces: usize) -> String {
    let last = session.rsplit(['/', '\\']).next().unwrap_or(session);
    let mut name = String::new();
    for c in last.chars() {
        if c.is_ascii_alphanumeric() || matches!(c, '.' | '_') {
            name.push(c);
        } else if !name.ends_with('-') {
            name.push('-');
        }
        if name.len() >= MAX_NAME {
            break;
        }
    }
    let name = name.trim_matches(['-', '.']);
    match pieces {
        1 => format!("{:04}-{name}.html", file + 1),
        _ => format!("{:04}-{:05}-{name}.html", file + 1, piece + 1),
    }
}

/// Writes a file as a whole or not at all.
fn write(path: &Path, text: &str) -> Result<(), Stop> {
    write_atomically(path, text.as_bytes())
        .map_err(|error| Stop::Usage(format!("{}: {}", path.display(), describe(&error))))
}
