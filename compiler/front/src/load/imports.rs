//! Where the lines `import`, `include` and `tools from` of a file lead.

use std::collections::HashMap;
use std::sync::Arc;

use ctr_grammar::Span;
use ctr_grammar::ast::{Import, Include, ItemKind, ModuleRef, Path, ToolsFrom};
use ctr_grammar::written::is_identifier;

use super::{
    Known, Loader, ResolvedImport, ResolvedInclude, ToolFile, UnitId, text, unreadable,
    unreadable_here,
};
use crate::diagnostic::Diagnostic;
use crate::ir::{Place, SourceId};
use crate::schema;
use crate::suggest::nearest;
use crate::world::{ReadError, folder, join, normalise};

/// The identity of a module that comes with the compiler; no path of a world contains a NUL.
fn library_identity(path: &str) -> String {
    format!("\0{path}")
}

/// `a.b`
pub(super) fn dotted(path: &Path) -> String {
    let parts: Vec<&str> = path.parts.iter().map(|part| part.name.as_str()).collect();
    parts.join(".")
}

/// A file that names others.
#[derive(Clone, Copy)]
struct From {
    unit: usize,
    source: SourceId,
}

impl From {
    fn at(self, span: Span) -> Place {
        Place {
            source: self.source,
            span,
        }
    }
}

impl Loader<'_> {
    /// Loads what a unit names.
    pub(super) fn follow(&mut self, unit: usize) {
        let Some(draft) = self.units.get(unit) else {
            return;
        };
        let from = From {
            unit,
            source: draft.unit.source,
        };
        let file = Arc::clone(&draft.unit.file);
        let mut aliases = HashMap::new();
        for item in &file.items {
            match &item.kind {
                ItemKind::Import(import) => self.import(from, import, item.span, &mut aliases),
                ItemKind::Include(include) => self.include(from, include, item.span),
                ItemKind::ToolsFrom(tools) => self.tools_from(from, tools),
                _ => {}
            }
        }
    }

    fn import(
        &mut self,
        from: From,
        import: &Import,
        span: Span,
        aliases: &mut HashMap<String, (Option<usize>, Span)>,
    ) {
        let target = self.resolve(from, &import.target);
        let alias = match (&import.alias, &import.target) {
            (Some(alias), _) => alias.name.clone(),
            (None, ModuleRef::Name(path)) => match path.parts.last() {
                Some(last) => last.name.clone(),
                None => return,
            },
            (None, ModuleRef::File(file)) => match stem(&file.value) {
                Some(stem) => stem.to_owned(),
                None => {
                    self.diagnostics.push(
                        Diagnostic::error(
                            "E0207",
                            format!("the file name `{}` is no name to import it by", file.value),
                            from.at(file.span),
                            "needs a name",
                        )
                        .with_help("add `as` and a name: `import \"...\" as name`"),
                    );
                    return;
                }
            },
        };
        if let Some((other, first)) = aliases.get(&alias) {
            // The same file by the same name twice does no harm.
            if target.is_none() || *other != target {
                self.diagnostics.push(
                    Diagnostic::error(
                        "E0208",
                        format!("two imports have the name `{alias}`"),
                        from.at(span),
                        format!("`{alias}` again"),
                    )
                    .with_label(from.at(*first), format!("`{alias}` is this import"))
                    .with_help("give one of them another name with `as`"),
                );
            }
            return;
        }
        aliases.insert(alias.clone(), (target, span));
        let Some(draft) = self.units.get_mut(from.unit) else {
            return;
        };
        match target {
            Some(target) => draft.unit.imports.push(ResolvedImport {
                alias,
                unit: unit_id(target),
                span,
            }),
            None => draft.unit.missing.push(alias),
        }
        let ModuleRef::Name(path) = &import.target else {
            return;
        };
        let name = dotted(path);
        let Some(found) = target.and_then(|t| self.units.get(t)) else {
            return;
        };
        if let Some(module) = &found.unit.module
            && *module != name
        {
            let diagnostic = Diagnostic::warning(
                "W0200",
                format!(
                    "`import {name}` found `{}`, which calls itself `{module}`",
                    found.unit.path
                ),
                from.at(path.span),
                format!("not `{module}`"),
            )
            .with_help("make the `module` line and the path agree, or import the file by its path");
            self.diagnostics.push(diagnostic);
        }
    }

    fn include(&mut self, from: From, include: &Include, span: Span) {
        let target = self.resolve(from, &include.target);
        let Some(draft) = self.units.get_mut(from.unit) else {
            return;
        };
        match target {
            Some(target) => draft.unit.includes.push(ResolvedInclude {
                unit: unit_id(target),
                only: include.only.clone(),
                span,
            }),
            None => draft.unit.includes_incomplete = true,
        }
    }

    /// The unit that an import or include names; `None` where there is none, which is reported.
    fn resolve(&mut self, from: From, target: &ModuleRef) -> Option<usize> {
        match target {
            ModuleRef::Name(path) => self.by_name(from, path),
            ModuleRef::File(file) => {
                let (base, library, root_folder) = self.base(from);
                let path = join(&base, &slashes(&file.value));
                let place = from.at(file.span);
                if library {
                    return self.library_module(|m| m.path == normalise(&path), root_folder, place);
                }
                self.by_path(path, &file.value, root_folder, place)
            }
        }
    }

    /// The folder of a unit, whether it comes with the compiler, and where its search ends.
    fn base(&self, from: From) -> (String, bool, String) {
        self.units.get(from.unit).map_or_else(
            || (String::new(), false, String::new()),
            |draft| {
                (
                    folder(&draft.unit.path).to_owned(),
                    draft.unit.library,
                    draft.root_folder.clone(),
                )
            },
        )
    }

    /// A file by its path; `written` is how the text names it.
    fn by_path(
        &mut self,
        path: String,
        written: &str,
        root_folder: String,
        place: Place,
    ) -> Option<usize> {
        match self.try_path(&path, &root_folder, place) {
            Ok(unit) => unit,
            Err(error) => {
                self.diagnostics
                    .push(unreadable_here(self.world, &path, written, &error, place));
                None
            }
        }
    }

    /// A file by its path; `Ok(None)` where it was read and is no text (reported).
    fn try_path(
        &mut self,
        path: &str,
        root_folder: &str,
        place: Place,
    ) -> Result<Option<usize>, ReadError> {
        let identity = self.world.canonical(path);
        match self.identities.get(&identity) {
            Some(Known::Unit(unit)) => return Ok(Some(*unit)),
            // A root that could not be read fails here again, with the place of this line; a file
            // that is no text is not worth a second report.
            Some(Known::Unreadable) => return self.world.read(path).map(|_| None),
            None => {}
        }
        let bytes = self.world.read(path)?;
        Ok(self.add_unit(
            identity,
            path.to_owned(),
            bytes,
            root_folder.to_owned(),
            false,
            Some(place),
        ))
    }

    /// A module by its name.
    fn by_name(&mut self, from: From, path: &Path) -> Option<usize> {
        let name = dotted(path);
        let place = from.at(path.span);
        let (base, library, root_folder) = self.base(from);
        let reserved = path.parts.first().is_some_and(|part| part.name == "std");
        let mut tried = Vec::new();
        if !reserved && !library {
            let parts: Vec<&str> = path.parts.iter().map(|p| p.name.as_str()).collect();
            let relative = format!("{}.ctr", parts.join("/"));
            for place_to_look in search_folders(&base, &root_folder) {
                let candidate = join(&place_to_look, &relative);
                match self.try_path(&candidate, &root_folder, place) {
                    Ok(unit) => return unit,
                    Err(ReadError::NotFound | ReadError::IsDirectory) => tried.push(candidate),
                    Err(error) => {
                        self.diagnostics
                            .push(unreadable(&candidate, None, &error, place));
                        return None;
                    }
                }
            }
        }
        if ctr_stdlib::MODULES.iter().any(|m| m.name == name) {
            return self.library_module(|m| m.name == name, root_folder, place);
        }
        let mut diagnostic = Diagnostic::error(
            "E0205",
            format!("there is no module `{name}`"),
            place,
            "not found",
        );
        if let Some(near) = nearest(&name, ctr_stdlib::MODULES.iter().map(|m| m.name)) {
            diagnostic = diagnostic.with_help(format!("did you mean `{near}`?"));
        }
        if tried.is_empty() {
            let names: Vec<String> = ctr_stdlib::MODULES
                .iter()
                .filter(|m| !reserved || m.name.starts_with("std."))
                .map(|m| format!("`{}`", m.name))
                .collect();
            if !names.is_empty() {
                diagnostic = diagnostic.with_help(format!(
                    "the modules that come with the compiler are {}",
                    names.join(", ")
                ));
            }
        } else {
            let tried: Vec<String> = tried.iter().map(|t| format!("`{t}`")).collect();
            diagnostic = diagnostic.with_help(format!("looked for {}", tried.join(", ")));
        }
        self.diagnostics.push(diagnostic);
        None
    }

    /// A module that comes with the compiler.
    fn library_module(
        &mut self,
        wanted: impl Fn(&ctr_stdlib::Module) -> bool,
        root_folder: String,
        place: Place,
    ) -> Option<usize> {
        let Some(module) = ctr_stdlib::MODULES.iter().find(|m| wanted(m)) else {
            self.diagnostics.push(Diagnostic::error(
                "E0205",
                "a module that comes with the compiler names a file that does not",
                place,
                "not found",
            ));
            return None;
        };
        let identity = library_identity(module.path);
        if let Some(Known::Unit(unit)) = self.identities.get(&identity) {
            return Some(*unit);
        }
        self.add_unit(
            identity,
            module.path.to_owned(),
            module.text.as_bytes().to_vec(),
            root_folder,
            true,
            Some(place),
        )
    }

    fn tools_from(&mut self, from: From, tools: &ToolsFrom) {
        let server = tools.server.as_ref().map(|s| s.name.as_str());
        let key = self.tool_file(from, tools);
        let file = key.and_then(|key| self.tool_files.get(&key));
        let Some(draft) = self.units.get_mut(from.unit) else {
            return;
        };
        let Some(file) = file else {
            draft.unit.tools_incomplete = true;
            return;
        };
        draft.unit.tools_incomplete |= !file.complete;
        // The same line twice does no harm.
        if draft.seen.insert((file.source, server.map(str::to_owned))) {
            let tools = file.tools.iter().cloned();
            draft
                .unit
                .tools
                .extend(tools.map(|tool| schema::with_server(tool, server)));
        }
    }

    /// Reads a tool schema, once; its key in [`Loader::tool_files`].
    fn tool_file(&mut self, from: From, tools: &ToolsFrom) -> Option<String> {
        let (base, library, _) = self.base(from);
        let path = join(&base, &slashes(&tools.file.value));
        let place = from.at(tools.file.span);
        let bundled = library
            .then(|| normalise(&path))
            .and_then(|path| ctr_stdlib::MODULES.iter().find(|m| m.path == path));
        let identity = match bundled {
            Some(module) => library_identity(module.path),
            None => self.world.canonical(&path),
        };
        if self.tool_files.contains_key(&identity) {
            return Some(identity);
        }
        let bytes = match bundled {
            Some(module) => module.text.as_bytes().to_vec(),
            None => match self.world.read(&path) {
                Ok(bytes) => bytes,
                Err(error) => {
                    self.diagnostics.push(unreadable_here(
                        self.world,
                        &path,
                        &tools.file.value,
                        &error,
                        place,
                    ));
                    return None;
                }
            },
        };
        if !self.room(&path, Some(place)) {
            return None;
        }
        let (source, decoded) = match text::decode(bytes) {
            Ok(text) => {
                let source = self.add_source(path.clone(), text);
                let text = self
                    .sources
                    .get(source.0 as usize)
                    .map_or("", |s| s.text.as_str());
                (source, schema::read_tools(source, text))
            }
            Err(bad) => {
                let source = SourceId(u32::try_from(self.sources.len()).unwrap_or(u32::MAX));
                self.bad_text(&path, bad, Some(place));
                (source, schema::Decoded::default())
            }
        };
        let mut diagnostics = decoded.diagnostics;
        // One that is about the file as a whole also shows which line asked for it.
        for diagnostic in &mut diagnostics {
            if matches!(diagnostic.code, "E0300" | "E0303") {
                diagnostic.secondary.push(crate::diagnostic::Label {
                    place,
                    text: "asked for here".to_owned(),
                });
            }
        }
        self.diagnostics.append(&mut diagnostics);
        self.tool_files.insert(
            identity.clone(),
            ToolFile {
                source,
                tools: decoded.tools,
                complete: decoded.complete,
            },
        );
        Some(identity)
    }
}

fn unit_id(index: usize) -> UnitId {
    UnitId(u32::try_from(index).unwrap_or(u32::MAX))
}

/// On Windows, `\` in a written path is `/`.
fn slashes(path: &str) -> String {
    if cfg!(windows) {
        path.replace('\\', "/")
    } else {
        path.to_owned()
    }
}

/// The folders in which `import a.b` looks for `a/b.ctr`, in order.
fn search_folders(base: &str, root_folder: &str) -> Vec<String> {
    let root = normalise(root_folder);
    let mut here = normalise(base);
    let below = root == here
        || (root == "." && !here.starts_with("..") && !here.starts_with('/'))
        || (root == "/" && here.starts_with('/'))
        || here
            .strip_prefix(&root)
            .is_some_and(|rest| rest.starts_with('/'));
    let shown = |path: &str| {
        if path == "." {
            String::new()
        } else {
            path.to_owned()
        }
    };
    let mut folders = vec![base.to_owned()];
    if !below {
        folders.push(shown(&root));
        return folders;
    }
    while here != root {
        here = normalise(folder(&here));
        folders.push(shown(&here));
    }
    folders
}

/// The part of a file's name before its first `.`, where that is an identifier.
fn stem(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next()?;
    let stem = name.split('.').next()?;
    is_identifier(stem).then_some(stem)
}

#[cfg(test)]
mod tests {
    use super::{search_folders, stem};

    #[test]
    fn folders_up_to_the_root() {
        assert_eq!(search_folders("", ""), [""]);
        assert_eq!(search_folders("a/b", ""), ["a/b", "a", ""]);
        assert_eq!(search_folders("r/a/b", "r"), ["r/a/b", "r/a", "r"]);
        assert_eq!(search_folders("/r/a", "/r"), ["/r/a", "/r"]);
        assert_eq!(search_folders("/r/a", "/"), ["/r/a", "/r", "/"]);
        assert_eq!(search_folders("../x/y", "r"), ["../x/y", "r"]);
        assert_eq!(search_folders("rest", "r"), ["rest", "r"]);
        assert_eq!(search_folders("../x", ""), ["../x", ""]);
    }

    #[test]
    fn stems() {
        assert_eq!(stem("a/common.ctr"), Some("common"));
        assert_eq!(stem("my-file.ctr"), None);
        assert_eq!(stem("1.ctr"), None);
        assert_eq!(stem(""), None);
    }
}
