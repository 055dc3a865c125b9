//! The standard library of contract templates, as source text.
//!
//! A library is a set of modules in the contract language that every program can import without
//! having the files at hand: `import std.declare` (language reference, section 8). This crate holds
//! their text and nothing else, so that whoever resolves imports (the compiler, the language server,
//! the build for browsers) takes it from one place.
//!
//! | module | what it has |
//! | --- | --- |
//! | `std.declare` | the templates of Declare, with their LTLf formulas |
//! | `std.dwyer` | the specification patterns of Dwyer, Avrunin and Corbett, in five scopes |

/// A module of the standard library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Module {
    /// The name that an `import` gives, for example `std.declare`.
    pub name: &'static str,
    /// The path under which messages show it, relative to this crate, with `/`.
    pub path: &'static str,
    /// Its source text.
    pub text: &'static str,
}

/// All modules, sorted by name.
pub const MODULES: &[Module] = &[
    Module {
        name: "std.declare",
        path: "std/declare.ctr",
        text: include_str!("../std/declare.ctr"),
    },
    Module {
        name: "std.dwyer",
        path: "std/dwyer.ctr",
        text: include_str!("../std/dwyer.ctr"),
    },
];

/// The module of that name, exactly as an `import` writes it; `None` where the standard library has
/// no such module.
#[must_use]
pub fn module(name: &str) -> Option<&'static Module> {
    MODULES.iter().find(|module| module.name == name)
}

/// The names of all modules, for suggestions.
pub fn names() -> impl Iterator<Item = &'static str> {
    MODULES.iter().map(|module| module.name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

    use std::collections::BTreeSet;
    use std::path::Path;

    use super::{MODULES, module, names};

    #[test]
    fn modules_are_found_by_their_exact_name() {
        assert_eq!(module("std.declare").unwrap().path, "std/declare.ctr");
        assert_eq!(module("std.dwyer").unwrap().path, "std/dwyer.ctr");
        assert!(module("std").is_none());
        assert!(module("std.Declare").is_none());
        assert!(module("std/declare.ctr").is_none());
    }

    #[test]
    fn names_are_sorted_and_distinct() {
        let sorted: BTreeSet<_> = names().collect();
        assert!(names().eq(sorted.into_iter()));
    }

    /// A file that is added to `std` but not to [`MODULES`] could never be imported.
    #[test]
    fn every_file_of_the_folder_is_a_module_that_names_itself() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("std");
        let on_disk: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".ctr") && !name.ends_with(".test.ctr"))
            .map(|name| format!("std/{name}"))
            .collect();
        let listed: BTreeSet<String> = MODULES.iter().map(|m| m.path.to_owned()).collect();
        assert_eq!(on_disk, listed);
        for m in MODULES {
            let line = format!("\nmodule {}\n", m.name);
            assert!(m.text.contains(&line), "{} does not name itself", m.path);
        }
    }

    /// Each template has a contract of its own in the tests beside its module.
    #[test]
    fn every_template_is_tested() {
        for m in MODULES {
            let tests =
                Path::new(env!("CARGO_MANIFEST_DIR")).join(m.path.replace(".ctr", ".test.ctr"));
            let tests = std::fs::read_to_string(tests).unwrap();
            let mut templates = 0;
            for line in m.text.lines() {
                let Some(rest) = line.strip_prefix("predicate ") else {
                    continue;
                };
                let name = rest.split('(').next().unwrap();
                templates += 1;
                for what in ["accepts", "rejects"] {
                    let test = format!("test \"{name} {what} ");
                    assert!(
                        tests.contains(&test),
                        "no test that {name} {what} a session"
                    );
                }
            }
            assert!(templates > 20, "{} has only {templates} templates", m.path);
        }
    }
}
