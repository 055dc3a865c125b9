//! Modules of the library, and files beside a policy.

use std::collections::BTreeSet;
use std::path::Path;

use ctr_front::world::World as _;
use ctr_grammar::{Within, keywords, written};
use lsp_types::CompletionItemKind;

use super::list::{Doc, List};
use super::names::Names;
use crate::overlay::{self, Overlay};
use crate::uri;

/// The most files that are offered.
const MOST: usize = 500;

impl Names<'_> {
    /// The modules that come with the compiler, and files to import.
    pub(super) fn library_modules(&self, list: &mut List<'_>) {
        let text = &self.document.text;
        let before = text.get(..self.found.word.start as usize);
        let before = before.unwrap_or_default();
        let lead = before
            .rsplit(|c: char| c.is_whitespace())
            .next()
            .unwrap_or_default();
        for module in ctr_stdlib::MODULES {
            let Some(rest) = module.name.strip_prefix(lead) else {
                continue;
            };
            list.word(
                rest,
                CompletionItemKind::MODULE,
                "comes with the compiler",
                Doc::Module(module.name),
            );
        }
        if lead.is_empty() {
            let import = before.trim_end().ends_with("import");
            for path in self.paths("", false) {
                let name = path.rsplit('/').next().unwrap_or(&path);
                let name = name.strip_suffix(".ctr").unwrap_or(name);
                let quoted = list.string(&path);
                let is_word = keywords::lookup(name).is_none() && written::is_identifier(name);
                let text = match (import, is_word) {
                    (true, true) => format!("{quoted} as {name}"),
                    (true, false) => format!("{quoted} as other"),
                    _ => quoted,
                };
                list.text(&path, &text, CompletionItemKind::FILE, "", Doc::None);
            }
        }
    }

    /// The files that fit in the string at the place, or in one that is still to be written.
    pub(super) fn files(&self, schema: bool, list: &mut List<'_>) {
        let typed = match self.found.within {
            Within::Quotes => self.found.word.text(&self.document.text),
            _ => "",
        };
        let folder = typed.rsplit_once('/').map_or("", |(folder, _)| folder);
        for path in self.paths(folder, schema) {
            let kind = if path.ends_with('/') {
                CompletionItemKind::FOLDER
            } else {
                CompletionItemKind::FILE
            };
            let text = list.string(&path);
            list.text(&path, &text, kind, "", Doc::None);
        }
    }

    /// Paths from the document's folder: what is in a folder below or above it, and the policies of the workspace.
    fn paths(&self, folder: &str, schema: bool) -> Vec<String> {
        let Some(own) = uri::path(self.document.uri.as_str()) else {
            return Vec::new();
        };
        let own = overlay::canonical(&own);
        let Some((home, name)) = own.rsplit_once('/') else {
            return Vec::new();
        };
        let ending = if schema { ".json" } else { ".ctr" };
        let (lead, at) = if folder.is_empty() {
            (String::new(), home.to_owned())
        } else {
            let at = ctr_front::world::join(home, folder);
            (format!("{folder}/"), at)
        };
        let world = Overlay::new(&self.snapshot.documents);
        let mut out = Vec::new();
        let mut seen = BTreeSet::new();
        let mut names = world.names(&at);
        names.sort();
        for entry in names.into_iter().take(MOST) {
            let itself = folder.is_empty() && entry == name;
            if entry.starts_with('.') || itself {
                continue;
            }
            let path = format!("{lead}{entry}");
            if entry.ends_with(ending) {
                out.push(path);
            } else if !entry.contains('.') && Path::new(&format!("{at}/{entry}")).is_dir() {
                out.push(format!("{path}/"));
            }
        }
        if !schema && folder.is_empty() {
            for root in self.snapshot.roots.keys().take(MOST) {
                if *root != own && root.ends_with(ending) {
                    out.extend(relative(home, root));
                }
            }
        }
        out.retain(|path| seen.insert(path.clone()));
        // Files before folders, near ones before those far away.
        out.sort_by_key(|path| (path.ends_with('/'), path.matches('/').count()));
        out
    }
}

/// The way from a folder to a file, where they have something in common.
fn relative(folder: &str, path: &str) -> Option<String> {
    let from: Vec<&str> = folder.split('/').collect();
    let to: Vec<&str> = path.split('/').collect();
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    // Only the root of the disk.
    if common < 2 {
        return None;
    }
    let mut out = "../".repeat(from.len() - common);
    out.push_str(&to.get(common..)?.join("/"));
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::relative;

    #[test]
    fn ways() {
        for (folder, path, expected) in [
            ("/w/a", "/w/a/b.ctr", Some("b.ctr")),
            ("/w/a", "/w/c/b.ctr", Some("../c/b.ctr")),
            ("/w/a/d", "/w/a/b.ctr", Some("../b.ctr")),
            ("/w", "/x/b.ctr", None),
        ] {
            assert_eq!(relative(folder, path).as_deref(), expected);
        }
    }
}
