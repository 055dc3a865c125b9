//! The index of names: what each name of a policy leads to.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use std::collections::BTreeSet;

use ctr_front::check::index;
use ctr_front::load::load;
use ctr_front::symbols::Symbols;
use ctr_front::world::MemoryWorld;

const DESK: &str = r#"
import "common.ctr" as common
include "more.ctr" { other }
tools from "tools.json" as shop

/// Pays.
tool pay(amount: number, to: { name: string, iban?: string }) -> { ok: bool }
tool log(text: string)
group money = { refund, pay }
event approved(by: string)
context tier: string
lookup owner(order: string) -> string

predicate heads(e: event, n: number) = {n > 1} implies (never e)

contract one for each order {
  let big = call refund(amount > 10, order_id == order)
  guarantee big only after success refund(args.order_id == order, ok)
  guarantee call pay(to.name == ctx.tier, some x in to.parts: x == args.amount) only if amount < 5 and owner(to.iban) == "a"
  guarantee heads(call money, 3)
  guarantee common.quiet(call shop.refund) and (approved(by == "a") or common.ready)
  guarantee {sum(call pay, amount) < 5 and count(call log) < 2}
  otherwise redirect log(text: "x") "No: {amount} of {order}."
}

test "t" for one, common.there {
  context ctx.tier = "a"
  lookup owner("a") = "b"
  approved(by: "a")
  call refund(order_id: "a", amount: 3) -> { ok: true } expect block by one, other
}
"#;

const COMMON: &str = r"
event ready()
context region: string
predicate quiet(e: event) = never e
contract there { guarantee never call t(a.b == ctx.region) }
";

const TOOLS: &str = r#"[{"name": "refund", "description": "Gives money back.", "inputSchema": {"type": "object", "properties":
 {"order_id": {"type": "string", "description": "Which order."}, "amount": {"type": "number"}}},
 "outputSchema": {"type": "object", "properties": {"ok": {"type": "boolean"}}}}]"#;

fn symbols() -> (Symbols, Vec<(String, String)>) {
    let world = MemoryWorld::new()
        .with("p.ctr", DESK)
        .with("common.ctr", COMMON)
        .with("more.ctr", "contract other { guarantee never call zap }")
        .with("tools.json", TOOLS);
    let (graph, diagnostics) = load(&world, &["p.ctr".to_owned()]);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let sources = graph
        .sources
        .iter()
        .map(|s| (s.path.clone(), s.text.clone()))
        .collect();
    (index(&graph), sources)
}

/// What the n-th occurrence of a text in `p.ctr` leads to: kind, and the text and file of its definitions.
fn leads(text: &str, n: usize) -> String {
    let (symbols, sources) = symbols();
    let file = sources
        .iter()
        .position(|(path, _)| path == "p.ctr")
        .unwrap();
    let at = DESK
        .match_indices(text)
        .nth(n)
        .unwrap_or_else(|| panic!("{text}"))
        .0;
    let source = ctr_front::ir::SourceId(u32::try_from(file).unwrap());
    let Some(mention) = symbols.at(source, u32::try_from(at).unwrap()) else {
        return "nothing".to_owned();
    };
    assert_eq!(
        usize::try_from(mention.place.span.start).unwrap(),
        at,
        "{text}"
    );
    let symbol = symbols.symbol(mention).unwrap();
    let places: Vec<String> = symbol
        .definitions
        .iter()
        .map(|place| {
            let (path, text) = &sources[place.source.0 as usize];
            let line = text[..place.span.start as usize].matches('\n').count() + 1;
            format!("{path}:{line}")
        })
        .collect();
    format!("{:?} {}", symbol.kind, places.join(" "))
}

#[test]
fn names_lead_to_their_declarations() {
    for (text, n, expected) in [
        ("common.quiet", 0, "Module p.ctr:2"),
        ("quiet(", 0, "Predicate common.ctr:4"),
        ("ready)", 0, "Event common.ctr:2"),
        ("there {", 0, "Contract common.ctr:5"),
        ("other }", 0, "Contract more.ctr:1"),
        ("refund, pay", 0, "Tool tools.json:1"),
        ("refund(amount", 0, "Tool tools.json:1"),
        ("refund) and", 0, "Tool tools.json:1"),
        ("pay }", 0, "Tool p.ctr:7"),
        ("money, 3", 0, "Group p.ctr:9"),
        ("approved(by ==", 0, "Event p.ctr:10"),
        ("by == \"a\"", 0, "EventField p.ctr:10"),
        ("tier,", 0, "Context p.ctr:11"),
        ("owner(to", 0, "Lookup p.ctr:12"),
        ("e)", 0, "Parameter p.ctr:14"),
        ("n > 1", 0, "Parameter p.ctr:14"),
        ("heads(call", 0, "Predicate p.ctr:14"),
        ("order)", 0, "Key p.ctr:16"),
        ("big only", 0, "Let p.ctr:17"),
        ("amount > 10", 0, "Argument "),
        ("order_id == order, ok", 0, "Argument "),
        ("ok)", 0, "ResultField "),
        ("name ==", 0, "Argument p.ctr:7"),
        ("to.name", 0, "Argument p.ctr:7"),
        ("x ==", 0, "Variable p.ctr:19"),
        ("amount) only", 0, "Argument p.ctr:7"),
        ("amount < 5", 0, "Argument p.ctr:7"),
        ("iban) ==", 0, "Argument p.ctr:7"),
        ("amount) < 5", 0, "Argument p.ctr:7"),
        ("text: \"x\"", 0, "Argument p.ctr:8"),
        ("log(text: \"x\"", 0, "Tool p.ctr:8"),
        ("order}.", 0, "Key p.ctr:16"),
        ("amount} of", 0, "Argument "),
        ("one, common", 0, "Contract p.ctr:16"),
        ("tier = ", 0, "Context p.ctr:11"),
        ("owner(\"a\")", 0, "Lookup p.ctr:12"),
        ("approved(by: \"a", 0, "Event p.ctr:10"),
        ("by: \"a\"", 0, "EventField p.ctr:10"),
        ("ok: true", 0, "ResultField "),
        ("one, other", 0, "Contract p.ctr:16"),
        ("other\n}", 0, "Contract more.ctr:1"),
    ] {
        let found = leads(text, n);
        assert!(found.starts_with(expected), "{text}: {found}");
    }
}

#[test]
fn what_is_written_about_names() {
    let (symbols, _) = symbols();
    let doc = |name: &str| {
        symbols
            .symbols
            .iter()
            .find(|s| s.name == name)
            .and_then(|s| s.doc.clone())
    };
    assert_eq!(doc("refund").unwrap(), "Gives money back.");
    assert_eq!(doc("pay").unwrap().trim(), "Pays.");
    assert_eq!(doc("order_id").unwrap(), "Which order.");
}

/// Every prefix has an index whose mentions are in order, apart, and lie in the text.
#[test]
fn damaged_files_have_an_index() {
    for end in (0..DESK.len()).filter(|end| DESK.is_char_boundary(*end)) {
        let text = &DESK[..end];
        let world = MemoryWorld::new()
            .with("p.ctr", text)
            .with("common.ctr", COMMON)
            .with("more.ctr", "contract other { guarantee never call zap }")
            .with("tools.json", TOOLS);
        let (graph, _) = load(&world, &["p.ctr".to_owned()]);
        let symbols = index(&graph);
        let mut seen = BTreeSet::new();
        for pair in symbols.mentions.windows(2) {
            assert!(
                (pair[0].place.source, pair[0].place.span)
                    < (pair[1].place.source, pair[1].place.span)
            );
        }
        for mention in &symbols.mentions {
            assert!(seen.insert((mention.place.source, mention.place.span)));
            let source = &graph.sources[mention.place.source.0 as usize].text;
            assert!(
                !mention.place.span.text(source).is_empty(),
                "{end}: {mention:?}"
            );
            assert!(symbols.symbol(mention).is_some());
        }
    }
}
