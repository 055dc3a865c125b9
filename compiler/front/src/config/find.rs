//! Which `ctrc.toml` counts for a file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Config, FILE_NAME, glob, read};
use crate::diagnostic::Diagnostic;
use crate::suggest;
use crate::world::{ReadError, World, folder, join};

/// Finds the `ctrc.toml` of files; what it has read it knows.
pub struct Finder<'w> {
    world: &'w dyn World,
    codes: Vec<&'static str>,
    /// The folder that relative paths are seen from.
    here: String,
    /// The real folder of a folder as it was written.
    real: BTreeMap<String, String>,
    /// What stands in a real folder.
    known: BTreeMap<String, Option<Arc<Config>>>,
    /// The folders that were looked through for files of other names.
    listed: BTreeSet<String>,
    /// What counts for every file, whatever stands in folders.
    only: Option<Option<Arc<Config>>>,
}

impl<'w> Finder<'w> {
    /// Nothing read yet; `codes` are all codes of the compiler.
    #[must_use]
    pub fn new(world: &'w dyn World, codes: Vec<&'static str>) -> Self {
        Self {
            world,
            codes,
            here: world.canonical("."),
            real: BTreeMap::new(),
            known: BTreeMap::new(),
            listed: BTreeSet::new(),
            only: None,
        }
    }

    /// From now on this counts for every file, or no settings where it is `None`.
    pub fn only(&mut self, config: Option<Arc<Config>>) {
        self.only = Some(config);
    }

    /// The nearest `ctrc.toml` of a file: in its folder, or the nearest folder above. A link counts where
    /// it stands, not where it leads.
    pub fn nearest(&mut self, path: &str) -> Option<Arc<Config>> {
        self.chain(path).into_iter().next()
    }

    /// All of them, nearest first.
    fn chain(&mut self, path: &str) -> Vec<Arc<Config>> {
        if let Some(only) = &self.only {
            return only.iter().cloned().collect();
        }
        let mut next = Some(self.real(folder(path)));
        let mut chain = Vec::new();
        while let Some(at) = next {
            chain.extend(self.of_folder(&at));
            next = parent(&at);
        }
        chain
    }

    /// Whether a file or folder that a search came upon is left out. Of the patterns of all `ctrc.toml`
    /// above it, the nearest that fits says so. What the user named is never asked about.
    pub fn excludes(&mut self, path: &str, is_folder: bool) -> bool {
        let chain = self.chain(path);
        if chain.iter().all(|config| config.exclude.is_empty()) {
            return false;
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        let full = join(&self.real(folder(path)), name);
        chain
            .iter()
            .find_map(|config| {
                let seen = below(&config.folder, &full)?;
                glob::excludes(&config.exclude, seen, is_folder)
            })
            .unwrap_or(false)
    }

    /// Whether a file is left out by a search that begins at the folder of some `ctrc.toml` above it:
    /// itself, or a folder that it lies in.
    pub fn excludes_deep(&mut self, path: &str) -> bool {
        if self.excludes(path, false) {
            return true;
        }
        let Some(top) = self.chain(path).pop().map(|config| config.folder.clone()) else {
            return false;
        };
        let mut at = self.real(folder(path));
        while at != top {
            if self.excludes(&at, true) {
                return true;
            }
            match parent(&at) {
                Some(up) => at = up,
                None => break,
            }
        }
        false
    }

    /// The file that the user named.
    ///
    /// # Errors
    ///
    /// Where it cannot be read.
    pub fn named(&mut self, path: &str) -> Result<Arc<Config>, ReadError> {
        let bytes = self.world.read(path)?;
        let text = String::from_utf8(bytes)
            .map_err(|_| ReadError::Other("is not text in UTF-8".to_owned()))?;
        let at = self.real(folder(path));
        Ok(Arc::new(read(path, &at, &text, &self.codes)))
    }

    /// A file beside a policy whose name is nearly `ctrc.toml`, where there is none of that name: it is
    /// not read, which its writer would not see. Told once for each folder.
    pub fn misnamed(&mut self, path: &str) -> Option<(String, Diagnostic)> {
        let at = self.real(folder(path));
        if self.only.is_some() || self.of_folder(&at).is_some() || !self.listed.insert(at.clone()) {
            return None;
        }
        let names = self.world.names(&at);
        let name = names.iter().find(|name| {
            let stem = ["toml", "tml", "yaml", "yml", "json"]
                .iter()
                .find_map(|ending| name.strip_suffix(&format!(".{ending}")));
            stem.is_some_and(|stem| {
                let stem = stem.trim_start_matches('.');
                matches!(stem, "ctrc" | "ctr")
                    || (name.ends_with(".toml") && suggest::nearest(stem, ["ctrc"]).is_some())
            })
        })?;
        let shown = join(folder(path), name);
        let found = Diagnostic::warning(
            "W0806",
            format!("`{name}` is not read"),
            Config::place(0, 0),
            "another name",
        )
        .with_help(format!("settings stand in a file called `{FILE_NAME}`"));
        Some((shown, found))
    }

    /// The real folder of one as it is written.
    fn real(&mut self, folder: &str) -> String {
        let folder = if folder.is_empty() { "." } else { folder };
        if let Some(known) = self.real.get(folder) {
            return known.clone();
        }
        let real = self.world.canonical(folder);
        self.real.insert(folder.to_owned(), real.clone());
        real
    }

    /// What stands in a real folder.
    fn of_folder(&mut self, at: &str) -> Option<Arc<Config>> {
        if let Some(known) = self.known.get(at) {
            return known.clone();
        }
        let path = join(at, FILE_NAME);
        let shown = self.shown(at);
        let unreadable = |why: &str| {
            let found = Diagnostic::error(
                "E0802",
                format!("`{shown}` cannot be read"),
                Config::place(0, 0),
                why,
            )
            .with_help("mend it, or leave it aside with `--no-config`");
            let mut config = Config {
                folder: at.to_owned(),
                findings: vec![found],
                ..Config::default()
            };
            config.source.path.clone_from(&shown);
            config
        };
        let config = match self.world.read(&path) {
            Ok(bytes) => Some(match String::from_utf8(bytes) {
                Ok(text) => read(&shown, at, &text, &self.codes),
                Err(_) => unreadable("is not text in UTF-8"),
            }),
            Err(ReadError::NotFound | ReadError::IsDirectory) => None,
            Err(ReadError::Denied) => Some(unreadable("permission denied")),
            Err(ReadError::TooLarge { .. }) => Some(unreadable("is too large")),
            Err(ReadError::Other(why)) => Some(unreadable(&why)),
        };
        let config = config.map(Arc::new);
        self.known.insert(at.to_owned(), config.clone());
        config
    }

    /// How messages call the `ctrc.toml` of a real folder: as seen from here, where it is here, below or
    /// above.
    fn shown(&self, at: &str) -> String {
        if at == self.here {
            return FILE_NAME.to_owned();
        }
        if let Some(rest) = below(&self.here, at) {
            return format!("{rest}/{FILE_NAME}");
        }
        match below(at, &self.here) {
            Some(rest) => "../".repeat(rest.split('/').count()) + FILE_NAME,
            None => join(at, FILE_NAME),
        }
    }
}

/// A path as seen from a folder above it; `None` where it is not below.
fn below<'p>(above: &str, path: &'p str) -> Option<&'p str> {
    if above == "." {
        return (!path.starts_with('/') && path != ".").then_some(path);
    }
    let rest = path.strip_prefix(above)?;
    let rest = if above.ends_with('/') {
        rest
    } else {
        rest.strip_prefix('/')?
    };
    (!rest.is_empty()).then_some(rest)
}

/// The folder above a real folder.
fn parent(at: &str) -> Option<String> {
    if at == "/" || at == "." || at == ".." || at.ends_with("/..") {
        return None;
    }
    match folder(at) {
        "" if at.ends_with(':') => None,
        "" => Some(".".to_owned()),
        up => Some(up.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::world::MemoryWorld;

    const CODES: [&str; 1] = ["W0407"];

    fn world() -> MemoryWorld {
        MemoryWorld::new()
            .with("ctrc.toml", "[fmt]\nwidth = 100\n[files]\nexclude = [\"gen/\", \"sub/old.ctr\", \"*.tmp.ctr\"]\n")
            .with("sub/ctrc.toml", "[files]\nexclude = [\"!keep.tmp.ctr\", \"/here.ctr\"]\n")
            .with("sub/deep/a.ctr", "")
            .with("other/a.ctr", "")
    }

    #[test]
    fn the_nearest_counts_wholly() {
        let world = world();
        let mut finder = Finder::new(&world, CODES.to_vec());
        let mut of = |path: &str| {
            finder
                .nearest(path)
                .map(|c| (c.source.path.clone(), c.width))
        };
        let root = Some(("ctrc.toml".to_owned(), Some(100)));
        let sub = Some(("sub/ctrc.toml".to_owned(), None));
        assert_eq!(of("a.ctr"), root);
        assert_eq!(of("./other/a.ctr"), root);
        assert_eq!(of("sub/deep/a.ctr"), sub);
        assert_eq!(of("other/../sub/a.ctr"), sub);
        assert_eq!(of("/elsewhere/a.ctr"), None);
    }

    #[test]
    fn what_is_left_out_adds_up() {
        let world = world();
        let mut finder = Finder::new(&world, CODES.to_vec());
        for (path, is_folder, wanted) in [
            ("gen", true, true),
            ("gen", false, false),
            ("sub/gen", true, true),
            ("sub/old.ctr", false, true),
            ("sub/a.ctr", false, false),
            ("a.tmp.ctr", false, true),
            ("keep.tmp.ctr", false, true),
            // The nearer file takes back what the farther one leaves out.
            ("sub/keep.tmp.ctr", false, false),
            ("sub/here.ctr", false, true),
            ("sub/deep/here.ctr", false, false),
        ] {
            assert_eq!(finder.excludes(path, is_folder), wanted, "{path}");
        }
        assert!(finder.excludes_deep("sub/gen/x/a.ctr"));
        assert!(finder.excludes_deep("gen/a.ctr"));
        assert!(!finder.excludes_deep("sub/deep/a.ctr"));
    }

    #[test]
    fn one_that_was_named_counts_for_all() {
        let world = world().with("strict.toml", "[fmt]\nwidth = 50\n");
        let mut finder = Finder::new(&world, CODES.to_vec());
        let strict = finder.named("strict.toml").unwrap();
        finder.only(Some(strict));
        assert_eq!(finder.nearest("sub/deep/a.ctr").unwrap().width, Some(50));
        assert!(!finder.excludes("gen", true));
        finder.only(None);
        assert!(finder.nearest("a.ctr").is_none());
    }

    #[test]
    fn other_names_are_told() {
        for (name, told) in [
            (".ctrc.toml", true),
            ("ctrc.yaml", true),
            ("ctr.toml", true),
            ("ctcr.toml", true),
            ("Ctrc.toml", true),
            ("Cargo.toml", false),
            ("tools.json", false),
        ] {
            let world = MemoryWorld::new().with(name, "").with("a.ctr", "");
            let found = Finder::new(&world, CODES.to_vec()).misnamed("a.ctr");
            assert_eq!(found.is_some(), told, "{name}");
        }
        let world = world();
        assert_eq!(Finder::new(&world, CODES.to_vec()).misnamed("a.ctr"), None);
    }

    #[test]
    fn what_is_no_text_is_told() {
        let world = MemoryWorld::new()
            .with("ctrc.toml", [0xff_u8, 0xfe])
            .with("ctrc.toml/x", "");
        let mut finder = Finder::new(&world, CODES.to_vec());
        let config = finder.nearest("a.ctr").unwrap();
        assert_eq!(config.findings.first().unwrap().code, "E0802");
        assert!(finder.named("ctrc.toml").is_err());
        assert!(finder.named("none.toml").is_err());
    }
}
