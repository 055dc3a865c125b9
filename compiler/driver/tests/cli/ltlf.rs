//! `ctrc ltlf`: bare formulas.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::desk::Desk;

/// The members of the first core, as names.
fn names(core: &Value) -> Vec<&str> {
    let members = core.as_array().unwrap().iter();
    members.map(|m| m["name"].as_str().unwrap()).collect()
}

/// A line of figures of the human format.
fn line<'a>(text: &'a str, name: &str) -> &'a str {
    let found = text.lines().find_map(|l| l.strip_prefix(name));
    found.unwrap_or_else(|| panic!("{name}: {text}")).trim()
}

#[test]
fn automata() {
    let desk = Desk::new();
    desk.write("f.ltlf", "G(a -> F b) & F(a & X[!] a)\n");
    let run = desk.run(&["ltlf", "dfa", "f.ltlf"]).exits(0);
    assert_eq!(line(&run.out, "result"), "satisfiable");
    assert_eq!(line(&run.out, "empty trace"), "rejected");
    assert!(line(&run.out, "read in").ends_with(" s"), "{}", run.out);
    assert!(
        run.out.ends_with(
            "witness             2 steps (atoms that are not named are false)\n  1  a\n  2  a b\n"
        ),
        "{}",
        run.out
    );
    let json = desk
        .run(&["ltlf", "dfa", "--format", "json", "f.ltlf"])
        .exits(0)
        .json();
    assert_eq!(json["result"], "satisfiable");
    let states = json["states"].as_array().unwrap().len();
    assert_eq!(json["counts"]["states"], states);
    assert_eq!(
        line(&run.out, "states"),
        format!(
            "{states} ({} accepting)",
            json["counts"]["accepting_states"]
        )
    );
    assert_eq!(
        json["counts"]["nodes"],
        json["diagram"].as_array().unwrap().len()
    );
    for phase in ["read", "translate", "witness"] {
        assert!(json["seconds"][phase].as_f64().unwrap() > 0.0);
    }
    let steps = json["witness"].as_array().unwrap();
    assert_eq!(steps.len(), 2);
    assert_eq!(steps[1], json!({"true": ["a", "b"], "false": []}));
    let run = desk
        .run(&["ltlf", "dfa", "--format", "dot", "f.ltlf"])
        .exits(0);
    assert!(run.out.starts_with("digraph"), "{}", run.out);

    // An automaton is no finding, even one that accepts nothing.
    let run = desk.run_with(&["ltlf", "dfa", "-"], "G false").exits(0);
    assert_eq!(line(&run.out, "result"), "unsatisfiable");
    assert_eq!(line(&run.out, "empty trace"), "accepted");
    assert!(!run.out.contains("witness     "), "{}", run.out);
    let run = desk.run_with(&["ltlf", "dfa", "--format", "json", "-"], "false");
    assert_eq!(run.exits(0).json()["witness"], Value::Null);
}

#[test]
fn input_that_is_no_formula() {
    let desk = Desk::new();
    desk.write("bad.ltlf", "G(a ->\n")
        .write("empty.conj", "# nothing yet\n\n")
        .write("ahead.ltlf", "G (a ->\n  O (b & F c))");
    for verb in ["dfa", "sat", "cores", "mona"] {
        let told = |args: &[&str], what: &str| {
            let run = desk.run(args).exits(2);
            assert_eq!(run.out, "");
            assert!(run.err.starts_with(what), "{}", run.err);
        };
        told(
            &["ltlf", verb, "bad.ltlf"],
            "error: bad.ltlf:2:1: the formula ends",
        );
        told(&["ltlf", verb, "missing.ltlf"], "error: missing.ltlf: ");
        told(
            &["ltlf", verb, "empty.conj"],
            "error: empty.conj:3:1: there is no formula here",
        );
        told(&["ltlf", verb], "error: the following required arguments");
        let run = desk.run_with(&["ltlf", verb, "-"], "a &").exits(2);
        assert!(run.err.starts_with("error: <stdin>:1:4: "), "{}", run.err);
        if verb != "mona" {
            told(
                &["ltlf", verb, "ahead.ltlf"],
                "error: ahead.ltlf:2:10: `F c` looks ahead under `O (b & F c)`, which looks back",
            );
            // Also where folding would leave nothing of it.
            for text in ["O F true", "false & O F a", "a | true | Y (a & G b)"] {
                let run = desk.run_with(&["ltlf", verb, "-"], text).exits(2);
                assert!(run.err.contains("looks ahead under"), "{}", run.err);
            }
        }
    }
    for args in [
        &["ltlf", "dfa", "--timeout", "-1", "bad.ltlf"][..],
        &["ltlf", "sat", "--timeout", "soon", "bad.ltlf"],
        &["ltlf", "sat", "--engine", "magic", "bad.ltlf"],
        &["ltlf", "cores", "--limit", "0", "bad.ltlf"],
        &["ltlf", "cores", "--limit", "2", "--all", "bad.ltlf"],
        &["ltlf", "cores", "--format", "dot", "bad.ltlf"],
    ] {
        desk.run(args).exits(2);
    }
}

/// A counter of 20 bits that starts at 0, and its end, a million steps away.
fn counter() -> (String, String) {
    let bits = 20;
    let mut counter: Vec<String> = (0..bits).map(|i| format!("!b{i}")).collect();
    for i in 0..bits {
        let all: Vec<String> = (0..i).map(|j| format!("b{j}")).collect();
        let carry = if i == 0 {
            "true".to_owned()
        } else {
            all.join(" & ")
        };
        counter.push(format!(
            "G (X[!] true -> (X[!] b{i} <-> !(b{i} <-> ({carry}))))"
        ));
    }
    let all: Vec<String> = (0..bits).map(|i| format!("b{i}")).collect();
    (counter.join(" &\n"), all.join(" & "))
}

#[test]
fn limits_leave_it_undecided() {
    let desk = Desk::new();
    let (counter, ones) = counter();
    desk.write("counter.ltlf", format!("{counter} &\nF ({ones})"));
    desk.write("f.ltlf", "F (a & X[!] X[!] b)");
    let undecided = |args: &[&str], what: &str| {
        let run = desk.run(args).exits(4);
        assert_eq!(run.out, "");
        assert_eq!(run.err, format!("undecided: {what}\n"));
    };
    undecided(
        &["ltlf", "dfa", "--max-states", "1", "f.ltlf"],
        "f.ltlf: the automaton needs more than 1 states (--max-states)",
    );
    undecided(
        &["ltlf", "dfa", "--max-nodes", "2", "f.ltlf"],
        "f.ltlf: the automaton's diagrams need more than 2 nodes (--max-nodes)",
    );
    undecided(
        &[
            "ltlf",
            "sat",
            "--engine",
            "automata",
            "--max-states",
            "1",
            "f.ltlf",
        ],
        "f.ltlf: the automaton needs more than 1 states (--max-states)",
    );
    undecided(
        &[
            "ltlf",
            "sat",
            "--engine",
            "bounded",
            "--max-nodes",
            "2",
            "f.ltlf",
        ],
        "f.ltlf: the search needs more than a limit of 2 nodes allows (--max-nodes)",
    );
    for verb in ["dfa", "sat", "cores"] {
        undecided(
            &["ltlf", verb, "--timeout", "0.05", "counter.ltlf"],
            "counter.ltlf: no answer in 0.05 s (--timeout)",
        );
    }
    // Building so wide a formula does not look at the clock.
    let wide: Vec<String> = (0..20_000).map(|i| format!("(x{i} -> F y{i})")).collect();
    desk.write("wide.ltlf", wide.join(" & "));
    let start = Instant::now();
    desk.run(&["ltlf", "dfa", "--timeout", "0.1", "wide.ltlf"])
        .exits(4);
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn satisfiability() {
    let desk = Desk::new();
    desk.write(
        "s.conj",
        "one := G (a -> X[!] b)\ntwo := F a\n\nthree := G !c\n",
    )
    .write(
        "u.conj",
        "one := G (a -> X[!] b)\ntwo := F a\nthree := G !b\n",
    );
    let run = desk.run(&["ltlf", "sat", "s.conj"]).exits(0);
    assert_eq!(line(&run.out, "result"), "satisfiable");
    assert_eq!(line(&run.out, "members"), "3");
    assert!(
        run.out.ends_with(
            "witness             2 steps (atoms that are not named are false)\n  1  a\n  2  b\n"
        ),
        "{}",
        run.out
    );
    let json = desk
        .run(&["ltlf", "sat", "--format", "json", "s.conj"])
        .exits(0)
        .json();
    assert_eq!(json["result"], "satisfiable");
    assert_eq!(json["witness"], json!([["a"], ["b"]]));
    assert_eq!(json["conflict"], Value::Null);
    assert!(json["seconds"]["decide"].as_f64().unwrap() > 0.0);

    let run = desk.run(&["ltlf", "sat", "u.conj"]).exits(1);
    assert_eq!(line(&run.out, "result"), "unsatisfiable");
    assert!(run.out.contains("  three  line 3: G !b\n"), "{}", run.out);
    assert_eq!(run.err, "");
    let json = desk
        .run(&["ltlf", "sat", "--format", "json", "u.conj"])
        .exits(1)
        .json();
    assert_eq!(json["result"], "unsatisfiable");
    assert_eq!(json["witness"], Value::Null);
    assert_eq!(names(&json["conflict"]), ["one", "two", "three"]);
    // The empty trace does not count.
    desk.run_with(&["ltlf", "sat", "-"], "G false").exits(1);
}

#[test]
fn engines_agree() {
    let desk = Desk::new();
    desk.write("s.ltlf", "F (c & Y b) & G (b -> X[!] X[!] a) & !b")
        .write("u.ltlf", "G (a -> X[!] b) & F a & G !b");
    for engine in ["race", "automata", "bounded", "reachability"] {
        let sat = |file: &str| {
            let args = ["ltlf", "sat", "--format", "json", "--engine", engine, file];
            let run = desk.run(&args);
            (run.code, run.json())
        };
        let (code, json) = sat("s.ltlf");
        assert_eq!((code, &json["result"]), (0, &json!("satisfiable")));
        let witness = json["witness"].as_array().unwrap();
        assert_eq!(witness.len(), 4, "{engine}: {json}");
        if engine != "race" {
            assert_eq!(json["engine"], engine);
        }
        let (code, json) = sat("u.ltlf");
        assert_eq!((code, &json["result"]), (1, &json!("unsatisfiable")));
        let run = desk.run(&["ltlf", "cores", "--engine", engine, "u.ltlf"]);
        assert!(run.exits(1).out.contains("core 1: 3 members"), "{engine}");
    }
}

#[test]
fn all_syntaxes() {
    let desk = Desk::new();
    // Strong next at the last step is false, weak next true.
    desk.write("strong.ltlf", "G X[!] a")
        .write("weak.ltlf", "G X a")
        .write("strong.pltl", "G X a")
        .write("weak.pltl", "G wX a")
        .write("strong.conj", "f := G X[!] a\n")
        .write("weak.conj", "f := G X a\n")
        .write("strong.aaltafuc", "f := (G (X a));")
        .write("weak.aaltafuc", "f := (G (N a));");
    for ending in ["ltlf", "pltl", "conj", "aaltafuc"] {
        for (name, exit) in [("weak", 0), ("strong", 1)] {
            let file = format!("{name}.{ending}");
            desk.run(&["ltlf", "sat", &file]).exits(exit);
            desk.run(&["ltlf", "cores", &file]).exits(exit);
            let run = desk.run(&["ltlf", "dfa", &file]).exits(0);
            let satisfiable = line(&run.out, "result") == "satisfiable";
            assert_eq!(satisfiable, exit == 0, "{file}");
            let run = desk.run(&["ltlf", "mona", &file]).exits(0);
            assert!(run.out.starts_with("m2l-str;\nvar2 a;\n"), "{}", run.out);
        }
    }
}

#[test]
fn past_operators() {
    let desk = Desk::new();
    for (text, exit) in [
        ("F (b & Y a)", 0),
        ("Y a", 1),
        ("Z a", 0),
        ("F (b & Y a) & H !a & G !a", 1),
        ("F (b & (!c S a)) & G (a -> !b & X[!] c)", 1),
        ("F (b & (!c T a)) & G (b -> H a)", 0),
        ("G (a -> O b) & !b & F a & G (a -> H !b)", 1),
    ] {
        desk.run_with(&["ltlf", "sat", "-"], text).exits(exit);
        desk.run_with(&["ltlf", "cores", "-"], text).exits(exit);
        let run = desk.run_with(&["ltlf", "dfa", "-"], text).exits(0);
        let satisfiable = line(&run.out, "result") == "satisfiable";
        assert_eq!(satisfiable, exit == 0, "{text}");
    }
    let run = desk.run_with(&["ltlf", "sat", "-"], "F (b & Y (a & Y c))");
    assert!(
        run.out.ends_with("\n  1  c\n  2  a\n  3  b\n"),
        "{}",
        run.out
    );
}

#[test]
fn unsatisfiable_cores() {
    let desk = Desk::new();
    desk.write(
        "two.conj",
        "a1 := G a\nidle := F z\na2 := F !a\n\nb1 := G (b -> X[!] b)\nb2 := F b\n",
    );
    let run = desk.run(&["ltlf", "cores", "two.conj"]).exits(1);
    assert_eq!(line(&run.out, "result"), "unsatisfiable");
    assert_eq!(line(&run.out, "members"), "5");
    assert!(line(&run.out, "cores").starts_with("1 (there may be others"));
    assert!(
        run.out
            .contains("\ncore 1: 2 members that exclude each other\n")
    );
    assert!(!run.out.contains("idle"), "{}", run.out);

    let json = desk
        .run(&["ltlf", "cores", "--all", "--format", "json", "two.conj"])
        .exits(1)
        .json();
    assert_eq!(json["result"], "unsatisfiable");
    assert_eq!(json["complete"], true);
    for nothing in ["others_have", "stopped", "conflict"] {
        assert_eq!(json[nothing], Value::Null);
    }
    let cores = json["cores"].as_array().unwrap();
    let mut found: Vec<Vec<&str>> = cores.iter().map(names).collect();
    found.sort_unstable();
    assert_eq!(found, [["a1", "a2"], ["b1", "b2"]]);
    let core = cores.iter().find(|core| names(core)[0] == "b1").unwrap();
    assert_eq!(core[0]["line"], 5);
    assert_eq!(core[0]["formula"], "G (b -> X[!] b)");
    // Without b1 a single b will do, without b2 any step.
    assert_eq!(core[0]["without"], json!([["b"]]));
    assert_eq!(core[1]["without"], json!([[]]));
    let run = desk.run(&["ltlf", "cores", "--all", "two.conj"]).exits(1);
    assert_eq!(line(&run.out, "cores"), "2 (there is no other)");
    assert!(
        run.out
            .contains("  without b1, the others allow 1 step:\n    1  b\n")
    );
    let json = desk.run(&[
        "ltlf", "cores", "--limit", "2", "--format", "json", "two.conj",
    ]);
    assert_eq!(json.exits(1).json()["cores"].as_array().unwrap().len(), 2);
}

#[test]
fn cores_of_a_search_that_is_cut_short() {
    let desk = Desk::new();
    // Two ways from each atom to the next: 2^30 cores of 32 members.
    let ways = (0..30).flat_map(|i| {
        ["left", "right"].map(|way| format!("{way}{i} := G (a{i} -> X[!] a{})\n", i + 1))
    });
    let ways: String = ways.collect();
    desk.write(
        "many.conj",
        format!("start := a0\n{ways}end := G !a30\nidle := F b\n"),
    );
    let args = ["ltlf", "cores", "--all", "--timeout", "3", "many.conj"];
    let run = desk.run(&args).exits(1);
    assert_eq!(line(&run.out, "result"), "unsatisfiable");
    let cores = line(&run.out, "cores");
    let (count, others) = cores.split_once(' ').unwrap();
    assert!(count.parse::<usize>().unwrap() > 0, "{}", run.out);
    assert!(
        others.starts_with("so far (others have at least "),
        "{}",
        run.out
    );
    assert_eq!(
        line(&run.out, "stopped"),
        "the time is over (--timeout)",
        "{}",
        run.out
    );
    assert!(run.out.contains("\ncore 1: "), "{}", run.out);
    assert_eq!(run.err, "");
    let json = desk
        .run(&[&args[..], &["--format", "json"]].concat())
        .exits(1)
        .json();
    assert_eq!(json["result"], "unsatisfiable");
    assert_eq!(json["complete"], false);
    assert_eq!(json["stopped"], "timeout");
    assert!(json["others_have"].as_u64().unwrap() > 1, "{json}");
    assert_eq!(json["conflict"], Value::Null);
    assert!(!json["cores"].as_array().unwrap().is_empty());

    // All three exclude each other at a glance; that the first two do not takes a million steps.
    let (counter, ones) = counter();
    let counter = counter.replace('\n', " ");
    desk.write(
        "hard.conj",
        format!("counter := {counter}\nend := F ({ones})\nshort := X false\nidle := F b\n"),
    );
    let args = ["ltlf", "cores", "--timeout", "1", "hard.conj"];
    let run = desk.run(&args).exits(1);
    assert_eq!(line(&run.out, "result"), "unsatisfiable");
    assert_eq!(line(&run.out, "cores"), "none so far");
    assert_eq!(line(&run.out, "stopped"), "the time is over (--timeout)");
    assert_eq!(
        line(&run.out, "conflict"),
        "3 members, perhaps more than needed"
    );
    assert!(run.out.ends_with("  short    line 3: X false\n"));
    let json = desk
        .run(&[&args[..], &["--format", "json"]].concat())
        .exits(1)
        .json();
    assert_eq!(json["result"], "unsatisfiable");
    assert_eq!(json["cores"], json!([]));
    assert_eq!(names(&json["conflict"]), ["counter", "end", "short"]);
    assert_eq!(json["stopped"], "timeout");
    assert_eq!(json["others_have"], 1);
}

#[test]
fn conjuncts_are_members() {
    let desk = Desk::new();
    let text = "F idle\n& (G (a -> X[!] a)\n   & F a)";
    let json = desk
        .run_with(&["ltlf", "cores", "--format", "json", "-"], text)
        .exits(1)
        .json();
    assert_eq!(names(&json["cores"][0]), ["c2", "c3"]);
    assert_eq!(json["cores"][0][0]["line"], 2);
    assert_eq!(json["cores"][0][0]["formula"], "G (a -> X[!] a)");
    assert_eq!(json["cores"][0][1]["line"], 3);
}

#[test]
fn cores_of_one_and_of_none() {
    let desk = Desk::new();
    desk.write("one.conj", "fine := F a\nbad := F b & G !b\n")
        .write("none.conj", "fine := F a\nalso := G (a -> X b)\n");
    let run = desk.run(&["ltlf", "cores", "--all", "one.conj"]).exits(1);
    assert!(
        run.out
            .ends_with("\ncore 1: 1 member that no trace satisfies\n  bad  line 2: F b & G !b\n"),
        "{}",
        run.out
    );
    let run = desk.run(&["ltlf", "cores", "none.conj"]).exits(0);
    assert_eq!(line(&run.out, "result"), "satisfiable");
    assert_eq!(
        line(&run.out, "cores"),
        "none: one trace satisfies all members"
    );
    let json = desk
        .run(&["ltlf", "cores", "--format", "json", "none.conj"])
        .exits(0)
        .json();
    assert_eq!(json["result"], "satisfiable");
    assert_eq!(json["cores"], json!([]));
    assert_eq!(json["complete"], true);
}

#[test]
fn deep_formulas() {
    let desk = Desk::new();
    let parentheses = format!("{}a{}", "(".repeat(100_000), ")".repeat(100_000));
    let negations = format!("{}a", "!".repeat(100_000));
    let mixed = format!("{}a{}", "b & (c | ".repeat(2_000), ")".repeat(2_000));
    for text in [&parentheses, &negations, &mixed] {
        for verb in ["dfa", "sat", "cores", "mona"] {
            desk.run_with(&["ltlf", verb, "-"], text).exits(0);
        }
    }
}

#[test]
fn odd_names_stay_on_their_line() {
    let desk = Desk::new();
    let text = "\"a b\" & \"red\u{1b}[31m\" & X[!] \"\"";
    let run = desk.run_with(&["ltlf", "sat", "-"], text).exits(0);
    assert!(
        run.out
            .ends_with("\n  1  \"a b\" \"red\\u{1b}[31m\"\n  2  \"\"\n"),
        "{}",
        run.out
    );
    desk.write(
        "odd.conj",
        "\"two\nlines\" := \"\u{7}\"\nno := !\"\u{7}\"\n",
    );
    let run = desk.run(&["ltlf", "cores", "odd.conj"]).exits(1);
    assert!(
        run.out
            .contains("\n  \"two\\nlines\"  line 2: \"\\u{7}\"\n"),
        "{}",
        run.out
    );
}

#[test]
fn a_byte_order_mark_is_no_formula() {
    let desk = Desk::new();
    desk.write("marked.conj", "\u{feff}one := G a\r\ntwo := F !a\r\n");
    for verb in ["sat", "cores"] {
        desk.run(&["ltlf", verb, "marked.conj"]).exits(1);
    }
    for verb in ["dfa", "mona"] {
        desk.run(&["ltlf", verb, "marked.conj"]).exits(0);
    }
    let run = desk.run_with(&["ltlf", "sat", "-"], "a \u{feff}b").exits(2);
    assert!(
        run.err.contains("<stdin>:1:3: `\\u{feff}` means"),
        "{}",
        run.err
    );
}

#[test]
fn atoms_that_look_like_operators() {
    let desk = Desk::new();
    let told = "note: <stdin>: `GFa` is an atom; write `G F a` for operators\n\
                note: <stdin>: `tt` is an atom; write `true` for truth\n";
    for verb in ["dfa", "sat", "cores"] {
        let run = desk.run_with(&["ltlf", verb, "-"], "GFa & tt").exits(0);
        assert_eq!(run.err, told);
        assert_eq!(line(&run.out, "atoms"), "2");
        let args = ["ltlf", verb, "--format", "json", "-"];
        let run = desk.run_with(&args, "GFa & tt").exits(0);
        assert_eq!(run.err, "");
        let notes = run.json()["notes"].clone();
        let lines = told
            .lines()
            .map(|l| l.trim_start_matches("note: <stdin>: "));
        assert_eq!(notes, json!(lines.collect::<Vec<_>>()));
        let run = desk.run_with(&["ltlf", verb, "-"], "G F a & \"GFa\" & Gate & FOO");
        assert_eq!(run.exits(0).err, "");
        let run = desk.run_with(&args, "G F a").exits(0);
        assert_eq!(run.json()["notes"], json!([]));
    }
    let args = ["ltlf", "dfa", "--format", "dot", "-"];
    assert_eq!(desk.run_with(&args, "GFa & tt").exits(0).err, told);
    let many: Vec<String> = (0..9).map(|i| format!("FGa{i}")).collect();
    let run = desk.run_with(&["ltlf", "sat", "-"], &many.join(" & "));
    let err = run.exits(0).err;
    assert_eq!(err.lines().count(), 6, "{err}");
    assert!(
        err.ends_with("\nnote: <stdin>: 4 more such atoms\n"),
        "{err}"
    );
}

#[test]
fn the_syntax_can_be_named() {
    let desk = Desk::new();
    // Strong next in `.pltl` and `.aaltafuc`, weak in `.ltlf` and `.conj`.
    let one = "G X a";
    let set = "f := G X a;";
    for (syntax, text, exit) in [
        ("ltlf", one, 0),
        ("pltl", one, 1),
        ("conj", set, 0),
        ("aaltafuc", set, 1),
    ] {
        desk.write("formula.txt", text).write("formula.ltlf", text);
        for verb in ["sat", "cores", "dfa", "mona"] {
            let exit = if matches!(verb, "sat" | "cores") {
                exit
            } else {
                0
            };
            let run = desk.run_with(&["ltlf", verb, "--syntax", syntax, "-"], text);
            run.exits(exit);
            for file in ["formula.txt", "formula.ltlf"] {
                let run = desk.run(&["ltlf", verb, file, "--syntax", syntax]);
                run.exits(exit);
            }
        }
    }
    desk.run_with(&["ltlf", "sat", "--syntax", "ltlf", "-"], set)
        .exits(2);
    desk.run_with(&["ltlf", "sat", "--syntax", "smv", "-"], one)
        .exits(2);
}

#[test]
fn a_name_stands_once() {
    let desk = Desk::new();
    desk.write(
        "twice.conj",
        "one := G a\n# between\ntwo := F b\none := F c\n",
    )
    .write(
        "twice.aaltafuc",
        "one := G a; two := F b;\n  \"one\" := F c;\n",
    );
    for verb in ["dfa", "sat", "cores", "mona"] {
        for (file, place) in [("twice.conj", "4:1"), ("twice.aaltafuc", "2:3")] {
            let run = desk.run(&["ltlf", verb, file]).exits(2);
            assert_eq!(run.out, "");
            assert_eq!(
                run.err,
                format!(
                    "error: {file}:{place}: `one` is the name of the formula on line 1 already\n"
                )
            );
        }
    }
}

#[test]
fn times_that_are_no_times() {
    let desk = Desk::new();
    desk.write("f.ltlf", "F a");
    let told = |seconds: &str, what: &str| {
        let option = format!("--timeout={seconds}");
        let run = desk.run(&["ltlf", "sat", &option, "f.ltlf"]).exits(2);
        assert!(run.err.contains(what), "{}", run.err);
    };
    for large in ["1e20", "inf", "1e400"] {
        told(
            large,
            "this is too large; without the option there is no limit",
        );
    }
    for odd in ["-1", "soon", "nan", "-1e20"] {
        told(odd, "a number of seconds should stand here");
    }
    // As long as may be.
    desk.run(&["ltlf", "sat", "--timeout", "1e19", "f.ltlf"])
        .exits(0);
}

#[test]
fn a_witness_of_many_steps() {
    let desk = Desk::new();
    let text = format!("{}a", "X[!] ".repeat(5_000));
    let run = desk.run_with(&["ltlf", "sat", "-"], &text).exits(0);
    assert!(run.out.ends_with("\n  5001  a\n"));
}
