//! The module graph: what is loaded, once, and in which order; and what cannot be.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use ctr_front::diagnostic::Diagnostic;
use ctr_front::ir::Place;
use ctr_front::load::{Graph, Unit, load, load_with_limit};
use ctr_front::world::{MAX_FILE_BYTES, MemoryWorld, ReadError, World};

fn world(files: &[(&str, &str)]) -> MemoryWorld {
    files
        .iter()
        .fold(MemoryWorld::new(), |world, (path, text)| {
            world.with(path, *text)
        })
}

fn roots(paths: &[&str]) -> Vec<String> {
    paths.iter().map(|p| (*p).to_owned()).collect()
}

fn run(files: &[(&str, &str)], paths: &[&str]) -> (Graph, Vec<Diagnostic>) {
    load(&world(files), &roots(paths))
}

fn paths(graph: &Graph) -> Vec<&str> {
    graph.units.iter().map(|u| u.path.as_str()).collect()
}

fn unit<'a>(graph: &'a Graph, path: &str) -> &'a Unit {
    graph.units.iter().find(|u| u.path == path).unwrap()
}

/// `path:text` under a place.
fn at(graph: &Graph, place: Place) -> String {
    let source = &graph.sources[place.source.0 as usize];
    format!("{}:{}", source.path, place.span.text(&source.text))
}

/// `code path:text` of each finding.
fn findings(graph: &Graph, diagnostics: &[Diagnostic]) -> Vec<String> {
    diagnostics
        .iter()
        .map(|d| format!("{} {}", d.code, at(graph, d.primary.place)))
        .collect()
}

/// All labels of a finding: `path:text`.
fn labels(graph: &Graph, diagnostic: &Diagnostic) -> Vec<String> {
    std::iter::once(&diagnostic.primary)
        .chain(&diagnostic.secondary)
        .map(|l| at(graph, l.place))
        .collect()
}

/// What a unit imports and includes, as `alias=path`.
fn edges(graph: &Graph, path: &str) -> Vec<String> {
    let unit = unit(graph, path);
    let imports = unit
        .imports
        .iter()
        .map(|i| format!("{}={}", i.alias, graph.unit(i.unit).unwrap().path));
    let includes = unit
        .includes
        .iter()
        .map(|i| format!("+{}", graph.unit(i.unit).unwrap().path));
    imports.chain(includes).collect()
}

#[test]
fn imports_stand_before_importers_and_sources_in_load_order() {
    let (graph, found) = run(
        &[
            (
                "a.ctr",
                "module a\nimport \"lib/c.ctr\"\ninclude \"b.ctr\"\n",
            ),
            ("b.ctr", "import \"lib/c.ctr\" as x\n"),
            ("lib/c.ctr", "module lib.c\n"),
            ("z.ctr", ""),
        ],
        &["z.ctr", "a.ctr"],
    );
    assert_eq!(findings(&graph, &found), [""; 0]);
    assert_eq!(paths(&graph), ["z.ctr", "lib/c.ctr", "b.ctr", "a.ctr"]);
    let sources: Vec<&str> = graph.sources.iter().map(|s| s.path.as_str()).collect();
    assert_eq!(sources, ["z.ctr", "a.ctr", "lib/c.ctr", "b.ctr"]);
    assert_eq!(edges(&graph, "a.ctr"), ["c=lib/c.ctr", "+b.ctr"]);
    assert_eq!(edges(&graph, "b.ctr"), ["x=lib/c.ctr"]);
    let flags: Vec<bool> = graph.units.iter().map(|u| u.root).collect();
    assert_eq!(flags, [true, false, false, true]);
    assert_eq!(unit(&graph, "lib/c.ctr").module.as_deref(), Some("lib.c"));
    let in_order: Vec<&str> = graph
        .roots
        .iter()
        .map(|r| graph.unit(*r).unwrap().path.as_str())
        .collect();
    assert_eq!(in_order, ["z.ctr", "a.ctr"]);
    for unit in &graph.units {
        assert_eq!(graph.sources[unit.source.0 as usize].path, unit.path);
        assert_eq!(
            graph.text(unit.source),
            graph.sources[unit.source.0 as usize].text
        );
    }
}

#[test]
fn a_root_that_another_root_imports_comes_first() {
    let files = [("a.ctr", "include \"b.ctr\"\n"), ("b.ctr", "")];
    let (graph, found) = run(&files, &["a.ctr", "b.ctr"]);
    assert_eq!(found, []);
    assert_eq!(paths(&graph), ["b.ctr", "a.ctr"]);
    assert!(graph.units.iter().all(|u| u.root));
}

#[test]
fn one_file_by_many_ways_is_loaded_once() {
    let files = world(&[
        (
            "a.ctr",
            "include \"b.ctr\"\ninclude \"./b.ctr\"\ninclude \"sub/../b.ctr\"\ninclude \"link.ctr\"\ninclude \"dir/b.ctr\"\n",
        ),
        ("b.ctr", ""),
        ("sub/x.ctr", ""),
    ])
    .with_link("link.ctr", "b.ctr")
    .with_link("dir", ".");
    let (graph, found) = load(
        &files,
        &roots(&["a.ctr", "./a.ctr", "sub/../a.ctr", "dir/a.ctr"]),
    );
    assert_eq!(findings(&graph, &found), [""; 0]);
    assert_eq!(paths(&graph), ["b.ctr", "a.ctr"]);
    assert_eq!(graph.sources.len(), 2);
    assert_eq!(graph.roots.len(), 1);
    assert_eq!(edges(&graph, "a.ctr"), ["+b.ctr"; 5]);
}

#[test]
fn diamonds_are_fine() {
    let (graph, found) = run(
        &[
            ("a.ctr", "import \"b.ctr\"\nimport \"c.ctr\"\n"),
            ("b.ctr", "import \"d.ctr\"\n"),
            ("c.ctr", "import \"d.ctr\"\n"),
            ("d.ctr", ""),
        ],
        &["a.ctr"],
    );
    assert_eq!(found, []);
    assert_eq!(paths(&graph), ["d.ctr", "b.ctr", "c.ctr", "a.ctr"]);
}

mod cycles {
    use super::*;

    fn cycle(files: &MemoryWorld, root: &str) -> (Graph, Diagnostic) {
        let (graph, mut found) = load(files, &roots(&[root]));
        assert_eq!(found.len(), 1, "{:?}", findings(&graph, &found));
        let found = found.remove(0);
        assert_eq!(found.code, "E0206");
        // Nothing later can run in a circle.
        for (index, unit) in graph.units.iter().enumerate() {
            let targets = unit.imports.iter().map(|i| i.unit);
            for target in targets.chain(unit.includes.iter().map(|i| i.unit)) {
                assert!((target.0 as usize) < index);
            }
        }
        (graph, found)
    }

    #[test]
    fn of_one() {
        for line in [
            "include \"a.ctr\"",
            "import \"./a.ctr\" as me",
            "include \"sub/../a.ctr\"",
            "import a",
        ] {
            let text = format!("module a\n{line}\n");
            let files = world(&[("a.ctr", text.as_str()), ("sub/x.ctr", "")]);
            let (graph, found) = cycle(&files, "a.ctr");
            assert_eq!(found.message, "`a.ctr` names itself");
            assert_eq!(labels(&graph, &found), [format!("a.ctr:{line}")]);
        }
    }

    #[test]
    fn of_two_and_three_with_every_line() {
        let files = world(&[
            ("a.ctr", "import \"b.ctr\"\n"),
            ("b.ctr", "// first\ninclude \"a.ctr\"\n"),
        ]);
        let (graph, found) = cycle(&files, "a.ctr");
        assert_eq!(
            found.message,
            "files lead to each other in a cycle: `a.ctr` -> `b.ctr` -> `a.ctr`"
        );
        assert_eq!(
            labels(&graph, &found),
            ["a.ctr:import \"b.ctr\"", "b.ctr:include \"a.ctr\""]
        );
        assert_eq!(found.secondary[0].text, "`b.ctr` includes `a.ctr`");
        assert_eq!(unit(&graph, "a.ctr").imports.len(), 1);
        assert!(unit(&graph, "b.ctr").includes_incomplete);

        // The way into the cycle is no part of it.
        let files = world(&[
            ("r.ctr", "import \"a.ctr\"\n"),
            ("a.ctr", "import \"b.ctr\"\n"),
            ("b.ctr", "import \"c.ctr\"\n"),
            ("c.ctr", "import \"a.ctr\" as back\n"),
        ]);
        let (graph, found) = cycle(&files, "r.ctr");
        assert_eq!(
            labels(&graph, &found),
            [
                "a.ctr:import \"b.ctr\"",
                "b.ctr:import \"c.ctr\"",
                "c.ctr:import \"a.ctr\" as back"
            ]
        );
        assert_eq!(unit(&graph, "c.ctr").missing, ["back"]);
        assert_eq!(paths(&graph), ["c.ctr", "b.ctr", "a.ctr", "r.ctr"]);
    }

    #[test]
    fn through_a_link() {
        let files = world(&[("a.ctr", "include \"l.ctr\"\n")]).with_link("l.ctr", "a.ctr");
        let (_, found) = cycle(&files, "a.ctr");
        assert_eq!(found.message, "`a.ctr` names itself");
    }

    #[test]
    fn two_cycles_are_two_errors() {
        let (graph, found) = run(
            &[
                ("a.ctr", "include \"b.ctr\"\ninclude \"c.ctr\"\n"),
                ("b.ctr", "include \"a.ctr\"\n"),
                ("c.ctr", "include \"a.ctr\"\n"),
            ],
            &["a.ctr"],
        );
        assert_eq!(found.len(), 2, "{:?}", findings(&graph, &found));
    }

    #[test]
    fn very_long() {
        let mut files = MemoryWorld::new();
        for i in 0..3_000 {
            files.insert(
                &format!("f{i}.ctr"),
                format!("include \"f{}.ctr\"\n", (i + 1) % 3_000),
            );
        }
        let (graph, found) = cycle(&files, "f0.ctr");
        assert_eq!(found.secondary.len(), 2_999);
        assert_eq!(graph.units.len(), 3_000);
    }
}

mod names {
    use super::*;

    #[test]
    fn the_library() {
        let (graph, found) = run(
            &[("a.ctr", "import std.declare\nimport std.declare as d\n")],
            &["a.ctr"],
        );
        assert_eq!(findings(&graph, &found), [""; 0]);
        let declare = ctr_stdlib::MODULES
            .iter()
            .find(|m| m.name == "std.declare")
            .unwrap();
        assert_eq!(paths(&graph), [declare.path, "a.ctr"]);
        assert_eq!(
            edges(&graph, "a.ctr"),
            [
                format!("declare={}", declare.path),
                format!("d={}", declare.path)
            ]
        );
        assert!(graph.units[0].library && !graph.units[1].library);
        assert_eq!(graph.text(graph.units[0].source), declare.text);
    }

    #[test]
    fn no_file_stands_for_std() {
        let (graph, found) = run(
            &[
                ("a.ctr", "import std.mine\nimport std.declar\n"),
                ("std/mine.ctr", ""),
            ],
            &["a.ctr"],
        );
        assert_eq!(
            findings(&graph, &found),
            ["E0205 a.ctr:std.mine", "E0205 a.ctr:std.declar"]
        );
        assert_eq!(found[1].help[0], "did you mean `std.declare`?");
        assert_eq!(unit(&graph, "a.ctr").missing, ["mine", "declar"]);
    }

    #[test]
    fn files_by_name_from_the_importer_up_to_the_root() {
        let files = [
            ("p/main.ctr", "include \"x/y/deep.ctr\"\n"),
            (
                "p/x/y/deep.ctr",
                "import near.a\nimport mid.b\nimport top.c\nimport out.d\n",
            ),
            ("p/x/y/near/a.ctr", "module near.a\n"),
            ("p/near/a.ctr", ""),
            ("p/x/mid/b.ctr", ""),
            ("p/top/c.ctr", "module other\n"),
            ("out/d.ctr", ""),
        ];
        let (graph, found) = run(&files, &["p/main.ctr"]);
        assert_eq!(
            findings(&graph, &found),
            ["W0200 p/x/y/deep.ctr:top.c", "E0205 p/x/y/deep.ctr:out.d"]
        );
        assert_eq!(
            found[1].help,
            ["looked for `p/x/y/out/d.ctr`, `p/x/out/d.ctr`, `p/out/d.ctr`"]
        );
        assert_eq!(
            edges(&graph, "p/x/y/deep.ctr"),
            ["a=p/x/y/near/a.ctr", "b=p/x/mid/b.ctr", "c=p/top/c.ctr"]
        );
    }

    #[test]
    fn aliases() {
        let files = [
            (
                "a.ctr",
                "import \"b.ctr\"\nimport sub.b\nimport \"b.ctr\"\nimport \"my-file.ctr\"\nimport \"my-file.ctr\" as m\n",
            ),
            ("b.ctr", ""),
            ("sub/b.ctr", ""),
            ("my-file.ctr", ""),
        ];
        let (graph, found) = run(&files, &["a.ctr"]);
        assert_eq!(
            findings(&graph, &found),
            ["E0208 a.ctr:import sub.b", "E0207 a.ctr:\"my-file.ctr\""]
        );
        assert_eq!(labels(&graph, &found[0])[1], "a.ctr:import \"b.ctr\"");
        assert_eq!(edges(&graph, "a.ctr"), ["b=b.ctr", "m=my-file.ctr"]);
    }

    #[test]
    fn a_second_module_line() {
        let (graph, found) = run(&[("a.ctr", "module a\nmodule b\n")], &["a.ctr"]);
        assert_eq!(findings(&graph, &found), ["E0209 a.ctr:module b"]);
        assert_eq!(labels(&graph, &found[0])[1], "a.ctr:module a");
        assert_eq!(graph.units[0].module.as_deref(), Some("a"));
    }
}

mod unreadable {
    use super::*;

    #[test]
    fn missing_files_are_shown_where_they_are_named() {
        let (graph, found) = run(
            &[
                (
                    "p/a.ctr",
                    "import \"none.ctr\"\ninclude \"gone.ctr\"\ntools from \"no.json\"\n",
                ),
                ("p/d/x.ctr", "include \"..\"\n"),
            ],
            &["p/a.ctr", "q.ctr", "p", "p/d/x.ctr"],
        );
        assert_eq!(
            findings(&graph, &found),
            [
                "E0200 p/a.ctr:\"none.ctr\"",
                "E0200 p/a.ctr:\"gone.ctr\"",
                "E0200 p/a.ctr:\"no.json\"",
                "E0200 q.ctr:",
                "E0201 p:",
                "E0201 p/d/x.ctr:\"..\"",
            ]
        );
        assert_eq!(found[0].message, "there is no file `p/none.ctr`");
        let unit = unit(&graph, "p/a.ctr");
        assert_eq!(unit.missing, ["none"]);
        assert!(unit.includes_incomplete && unit.tools_incomplete);
        assert_eq!(graph.roots.len(), 2);
    }

    #[test]
    fn a_bad_root_given_twice_is_reported_once() {
        let (graph, found) = run(&[], &["q.ctr", "./q.ctr"]);
        assert_eq!(findings(&graph, &found), ["E0200 q.ctr:"]);
        assert!(graph.units.is_empty() && graph.roots.is_empty());
    }

    #[test]
    fn text_that_is_none() {
        for (bytes, part, prefix) in [
            (
                &b"module a\nx\xff\xfe"[..],
                "byte 0xff at byte offset 10 begins no character",
                "module a\nx",
            ),
            (b"\xff\xfem\0", "UTF-16 (little endian)", ""),
            (b"\xfe\xff\0m", "UTF-16 (big endian)", ""),
            (b"\xff\xfe\0\0m\0\0\0", "UTF-32 (little endian)", ""),
            (b"m\0o\0", "NUL byte at byte offset 1", "m"),
            (b"m\0\xff", "NUL byte at byte offset 1", "m"),
            (
                b"\xc3",
                "byte 0xc3 at byte offset 0 begins no character",
                "",
            ),
        ] {
            let files = MemoryWorld::new().with("a.ctr", bytes);
            let (graph, found) = load(&files, &roots(&["a.ctr"]));
            assert_eq!(findings(&graph, &found), ["E0204 a.ctr:"]);
            assert!(found[0].message.contains(part), "{}", found[0].message);
            assert_eq!(graph.sources[0].text, prefix);
            assert_eq!(found[0].primary.place.span.start as usize, prefix.len());
        }
    }

    #[test]
    fn a_bad_import_is_reported_once_in_its_own_file() {
        let files = MemoryWorld::new()
            .with("a.ctr", "include \"x.ctr\"\n")
            .with("b.ctr", "include \"x.ctr\"\n")
            .with("x.ctr", &b"\xff"[..]);
        let (graph, found) = load(&files, &roots(&["a.ctr", "b.ctr"]));
        assert_eq!(findings(&graph, &found), ["E0204 x.ctr:"]);
        assert_eq!(labels(&graph, &found[0])[1], "a.ctr:\"x.ctr\"");
        assert!(graph.units.iter().all(|u| u.includes_incomplete));
    }

    #[test]
    fn syntax_errors_are_kept_with_the_tree() {
        let (graph, found) = run(&[("a.ctr", "module a\n@@@ ((\n")], &["a.ctr"]);
        assert!(!found.is_empty());
        assert!(found.iter().all(|d| d.code < "E0200"), "{found:?}");
        assert!(graph.units[0].has_errors);
        assert_eq!(graph.units[0].module.as_deref(), Some("a"));
    }

    #[test]
    fn a_byte_order_mark_is_no_error() {
        let (graph, found) = run(&[("a.ctr", "\u{feff}module a\n")], &["a.ctr"]);
        assert_eq!(findings(&graph, &found), [""; 0]);
        assert_eq!(graph.units[0].module.as_deref(), Some("a"));
    }

    struct Odd;

    impl World for Odd {
        fn read(&self, path: &str) -> Result<Vec<u8>, ReadError> {
            match path {
                "denied" => Err(ReadError::Denied),
                "large" => Err(ReadError::TooLarge {
                    size: MAX_FILE_BYTES + 1,
                    limit: MAX_FILE_BYTES,
                }),
                "odd" => Err(ReadError::Other("it is odd".to_owned())),
                _ => Ok(b"include \"denied\"\nimport large\n".to_vec()),
            }
        }
        fn canonical(&self, path: &str) -> String {
            path.to_owned()
        }
    }

    #[test]
    fn other_reasons() {
        let (graph, found) = load(&Odd, &roots(&["denied", "large", "odd"]));
        assert_eq!(
            findings(&graph, &found),
            ["E0202 denied:", "E0203 large:", "E0202 odd:"]
        );
        assert_eq!(
            found[0].message,
            "`denied` cannot be read: permission denied"
        );
        assert_eq!(
            found[1].message,
            "`large` has 16777217 bytes; the limit is 16777216"
        );
        assert_eq!(found[2].message, "`odd` cannot be read: it is odd");
    }

    #[test]
    fn too_many_files() {
        let mut files = MemoryWorld::new();
        for i in 0..30 {
            files.insert(
                &format!("f{i}.ctr"),
                format!("include \"f{}.ctr\"\n", i + 1),
            );
        }
        files.insert("f30.ctr", "");
        let (graph, found) = load_with_limit(&files, &roots(&["f0.ctr"]), 31);
        assert_eq!(found, []);
        assert_eq!(graph.units.len(), 31);
        let (graph, found) = load_with_limit(&files, &roots(&["f0.ctr"]), 30);
        assert_eq!(findings(&graph, &found), ["E0210 f29.ctr:\"f30.ctr\""]);
        assert_eq!(graph.units.len(), 30);
    }

    #[test]
    fn one_bad_file_among_many() {
        let mut files = MemoryWorld::new();
        let mut names = Vec::new();
        for i in 0..300 {
            let name = format!("f{i}.ctr");
            let text = if i == 200 {
                "include \"none.ctr\"\n"
            } else {
                ""
            };
            files.insert(&name, text);
            names.push(name);
        }
        let (graph, found) = load(&files, &names);
        assert_eq!(findings(&graph, &found), ["E0200 f200.ctr:\"none.ctr\""]);
    }

    #[test]
    fn odd_file_names() {
        let names = [
            "a b.ctr",
            "a#b.ctr",
            "a%20b.ctr",
            "😀.ctr",
            "-x.ctr",
            "noext",
            "X.CTR",
        ];
        let files = names.iter().fold(MemoryWorld::new(), |w, n| w.with(n, ""));
        let text: String = names.iter().map(|n| format!("include \"{n}\"\n")).collect();
        let files = files.with("root.ctr", text);
        let (graph, found) = load(&files, &roots(&["root.ctr"]));
        assert_eq!(findings(&graph, &found), [""; 0]);
        assert_eq!(graph.units.len(), names.len() + 1);
    }
}

mod tools {
    use super::*;

    const ONE: &str = r#"{"tools":[{"name":"pay","inputSchema":{"type":"object","properties":{"amount":{"type":"number"}}}}]}"#;

    fn names(unit: &Unit) -> Vec<String> {
        unit.tools
            .iter()
            .map(|t| format!("{}.{}", t.server.as_deref().unwrap_or("-"), t.name))
            .collect()
    }

    #[test]
    fn belong_to_the_file_that_asks_for_them() {
        let files = [
            ("a.ctr", "tools from \"s/t.json\"\ninclude \"b.ctr\"\n"),
            (
                "b.ctr",
                "tools from \"./s/t.json\" as bank\ntools from \"s/t.json\" as shop\ntools from \"s/../s/t.json\" as bank\n",
            ),
            ("s/t.json", ONE),
        ];
        let (graph, found) = run(&files, &["a.ctr"]);
        assert_eq!(findings(&graph, &found), [""; 0]);
        assert_eq!(names(unit(&graph, "a.ctr")), ["-.pay"]);
        assert_eq!(names(unit(&graph, "b.ctr")), ["bank.pay", "shop.pay"]);
        let place = unit(&graph, "b.ctr").tools[0].place;
        assert_eq!(at(&graph, place), "s/t.json:\"pay\"");
        assert_eq!(
            graph
                .sources
                .iter()
                .filter(|s| s.path.ends_with("json"))
                .count(),
            1
        );
    }

    #[test]
    fn faults_are_shown_in_the_json_once() {
        let files = [
            ("a.ctr", "tools from \"t.json\"\n"),
            ("b.ctr", "tools from \"t.json\" as x\n"),
            (
                "t.json",
                r#"[{"name":"pay","inputSchema":{"properties":{"a":{"type":"int"}}}}]"#,
            ),
            ("c.ctr", "tools from \"u.json\"\n"),
            ("u.json", "{"),
        ];
        let (graph, found) = run(&files, &["a.ctr", "b.ctr", "c.ctr"]);
        assert_eq!(
            findings(&graph, &found),
            ["E0307 t.json:\"int\"", "E0300 u.json:"]
        );
        assert_eq!(labels(&graph, &found[1])[1], "c.ctr:\"u.json\"");
        assert!(graph.units.iter().all(|u| u.tools_incomplete));
        assert_eq!(names(&graph.units[0]), ["-.pay"]);
    }

    #[test]
    fn a_schema_that_is_no_text() {
        let files = MemoryWorld::new()
            .with("a.ctr", "tools from \"t.json\"\n")
            .with("t.json", &b"{\"tools\": [\xff"[..]);
        let (graph, found) = load(&files, &roots(&["a.ctr"]));
        assert_eq!(findings(&graph, &found), ["E0204 t.json:"]);
        assert!(graph.units[0].tools_incomplete);
    }
}

/// Findings do not depend on anything but the texts.
#[test]
fn loading_is_deterministic() {
    let files = [
        (
            "a.ctr",
            "import \"b.ctr\"\nimport \"none.ctr\"\ntools from \"t.json\"\n",
        ),
        ("b.ctr", "import \"c.ctr\"\nimport \"none.ctr\"\n"),
        ("c.ctr", "import \"b.ctr\"\nimport std.declare\n"),
        ("t.json", "[1,2]"),
    ];
    let first = run(&files, &["a.ctr"]);
    for _ in 0..5 {
        assert_eq!(run(&files, &["a.ctr"]), first);
    }
    let mut sorted = first.1.clone();
    sorted.sort_by_key(|d| (d.primary.place.source, d.primary.place.span));
    assert_eq!(sorted, first.1);
}
