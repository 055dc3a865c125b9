//! `ctrc graph`: pictures of automata.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::desk::Desk;

const DESK: &str = r#"
tool refund(order: string, amount: number)
tool verify()
contract ask {
  guarantee call refund(amount > 10 and order != "<b>&") only after success verify
  guarantee call refund at most 2 times
}
contract owed { assume never failure verify guarantee true }
contract open for each order { guarantee call refund(args.order == order) leads to success refund(args.order == order) within 30s }
"#;

/// What a picture shows, read back from it.
struct Shown {
    /// Each state with its title.
    states: Vec<(String, String)>,
    /// Each edge: from, to, title.
    edges: BTreeSet<(String, String, String)>,
}

fn read(svg: &str) -> Shown {
    let document = roxmltree::Document::parse(svg).unwrap();
    let title = |node: roxmltree::Node<'_, '_>| {
        let title = node
            .children()
            .find(|child| child.has_tag_name((NS, "title")));
        title.and_then(|t| t.text()).unwrap_or_default().to_owned()
    };
    let root = document.root_element();
    assert!(root.has_tag_name((NS, "svg")));
    assert!(
        !title(root).is_empty(),
        "a picture has a name for those who hear it"
    );
    let mut shown = Shown {
        states: Vec::new(),
        edges: BTreeSet::new(),
    };
    for node in document.descendants() {
        if let Some(state) = node.attribute("data-state") {
            shown.states.push((state.to_owned(), title(node)));
        }
        if let (Some(from), Some(to)) = (node.attribute("data-from"), node.attribute("data-to")) {
            shown
                .edges
                .insert((from.to_owned(), to.to_owned(), title(node)));
        }
        for attribute in node.attributes() {
            assert!(!attribute.value().contains("NaN") && !attribute.value().contains("inf"));
            assert_ne!(
                attribute.name(),
                "href",
                "a picture needs nothing outside it"
            );
        }
    }
    shown
}

const NS: &str = "http://www.w3.org/2000/svg";

#[test]
fn svg_is_drawn_without_other_programs() {
    let desk = Desk::new();
    desk.write("p.ctr", DESK);
    let run = desk.run(&["graph", "-l", "p.ctr", "ask"]).exits(0);
    assert!(run.err.is_empty(), "{}", run.err);
    let shown = read(&run.out);
    assert!(
        shown
            .states
            .contains(&("0".to_owned(), "state 0: satisfied so far".to_owned())),
        "{:?}",
        shown.states
    );
    let titles: Vec<&str> = shown.edges.iter().map(|(_, _, t)| t.as_str()).collect();
    assert!(
        titles
            .iter()
            .any(|t| t.contains(r#"call refund(amount > 10 and order != "<b>&")"#)),
        "{titles:?}"
    );
    assert!(titles.contains(&"0 to 0: any other step"), "{titles:?}");
    // One event is no call and return at once, so nothing of that kind is told.
    assert!(
        !titles
            .iter()
            .any(|t| t.contains("success verify and call refund")),
        "{titles:?}"
    );
    // The same bytes each time.
    assert_eq!(
        desk.run(&["graph", "-l", "p.ctr", "ask"]).exits(0).out,
        run.out
    );
    desk.run(&["graph", "-l", "p.ctr", "owed", "--side", "assume"])
        .exits(0);
    let run = desk.run(&["graph", "-l", "p.ctr", "owed"]).exits(2);
    assert!(
        run.out.is_empty() && run.err.contains("guarantee"),
        "{}",
        run.err
    );
}

#[test]
fn the_ending_says_the_format() {
    let desk = Desk::new();
    desk.write("p.ctr", DESK);
    for (file, begins) in [
        ("a.svg", "<svg "),
        ("a.dot", "digraph "),
        ("a.gv", "digraph "),
    ] {
        let run = desk
            .run(&["graph", "-l", "p.ctr", "ask", "-o", file])
            .exits(0);
        assert!(run.out.is_empty());
        let written = fs::read_to_string(desk.path(file)).unwrap();
        assert!(written.starts_with(begins), "{written}");
    }
    let run = desk
        .run(&["graph", "-l", "p.ctr", "ask", "-o", "a.png"])
        .exits(2);
    assert!(
        run.err.contains(".svg") && !desk.path("a.png").exists(),
        "{}",
        run.err
    );
    let args = [
        "graph", "-l", "p.ctr", "ask", "--format", "dot", "-o", "a.txt",
    ];
    desk.run(&args).exits(0);
    assert!(
        fs::read_to_string(desk.path("a.txt"))
            .unwrap()
            .starts_with("digraph ")
    );
}

#[test]
fn what_nobody_could_read_is_not_drawn() {
    let desk = Desk::new();
    desk.write(
        "p.ctr",
        "contract many { guarantee call t at most 900 times }\ncontract some { guarantee call t at most 120 times }",
    );
    let run = desk.run(&["graph", "-l", "p.ctr", "many"]).exits(2);
    assert!(
        run.out.is_empty() && run.err.contains("states") && run.err.contains("--format dot"),
        "{}",
        run.err
    );
    desk.run(&["graph", "-l", "p.ctr", "many", "--format", "dot"])
        .exits(0);
    let shown = read(&desk.run(&["graph", "-l", "p.ctr", "some"]).exits(0).out);
    assert_eq!(shown.states.len(), 122);
}

/// Every contract of the examples and of the shipped libraries has a picture, and the picture has each
/// of its states once.
#[test]
fn every_shipped_contract_has_a_picture() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let desk = Desk::new();
    let mut drawn = 0;
    for policy in [
        "examples/refund_desk/policy.ctr",
        "examples/deploy_gate/policy.ctr",
        "examples/mail_guard/policy.ctr",
        "examples/travel_desk/policy.ctr",
        "stdlib-contracts/tau2/retail.ctr",
        "stdlib-contracts/tau2/airline.ctr",
    ] {
        let policy = root.join(policy);
        let policy = policy.to_str().unwrap();
        desk.run(&["build", policy, "-o", "p.ctrb"]).exits(0);
        let model = desk
            .run(&["inspect", "p.ctrb", "--format", "json"])
            .exits(0)
            .json();
        for contract in model["contracts"].as_array().unwrap() {
            let name = contract["name"].as_str().unwrap();
            for side in ["assume", "guarantee"] {
                if contract[side].is_null() {
                    continue;
                }
                let run = desk
                    .run(&["graph", "-l", "p.ctrb", name, "--side", side])
                    .exits(0);
                let shown = read(&run.out);
                let names: BTreeSet<&String> = shown.states.iter().map(|(name, _)| name).collect();
                assert_eq!(names.len(), shown.states.len(), "{name}");
                for (from, to, _) in &shown.edges {
                    assert!(names.contains(from) && names.contains(to), "{name}");
                }
                drawn += 1;
            }
        }
    }
    assert!(drawn > 40, "{drawn}");
}
