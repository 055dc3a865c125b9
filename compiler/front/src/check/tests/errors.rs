//! Findings: what is said, where, and that one mistake gives one.

use super::{compiled, findings};
use crate::compile;
use crate::world::MemoryWorld;

fn only(policy: &str, want: &str) {
    assert_eq!(findings(policy), [want], "{policy}");
}

#[test]
fn errors_do_not_hide_each_other() {
    let found = findings(
        "tool pay(amount: number)\n\
         contract a { guarantee never call pai }\n\
         contract b { guarantee never call pay(amout > 5) }\n\
         contract c { guarantee never call pay(amount > \"5\" and amount == true) }\n\
         contract d { guarantee always pay }",
    );
    let codes: Vec<&str> = found.iter().filter_map(|f| f.split(' ').next()).collect();
    assert_eq!(
        codes,
        ["E0401", "E0501", "E0500", "E0500", "E0400"],
        "{found:#?}"
    );
}

#[test]
fn one_mistake_one_error() {
    only(
        "tool pay(amount: number)\ncontract c { guarantee call pay only if amout + 1 <= 5 and amout > 2 - amout\n otherwise block \"no\" }"
            .replace("amout > 2 - amout", "amount > 2")
            .as_str(),
        "E0501 `amout` `call pay` has no field `amout`",
    );
    // A wrong `let` is reported once, however often it is used.
    only(
        "contract c {\n let most = nope(5)\n guarantee call a only if x <= most\n guarantee call b only if x <= most\n otherwise block \"{most}\" }",
        "E0400 `nope` no function, predicate, lookup or event is called `nope`",
    );
    // And where it is not used.
    only(
        "contract c {\n let most = nope(5)\n guarantee never call a }",
        "E0400 `nope` no function, predicate, lookup or event is called `nope`",
    );
    // A predicate, used or not.
    only(
        "predicate p(a: event) = never b\ncontract c { guarantee p(call x) and p(call y) }",
        "E0400 `b` nothing is called `b` here",
    );
    only(
        "predicate p(a: event) = never b\ncontract c { guarantee never call x }",
        "E0400 `b` nothing is called `b` here",
    );
    // What could not be read is no second mistake.
    let found = findings("contract c { guarantee never call pay(amount == ) }");
    assert_eq!(found.len(), 1, "{found:#?}");
    let world = MemoryWorld::new().with(
        "p.ctr",
        "import \"no.ctr\" as m\ncontract c { guarantee m.p(call x) and m.e }",
    );
    let compiled = compile(&world, &["p.ctr".to_owned()]);
    assert_eq!(compiled.diagnostics.len(), 1, "{:#?}", compiled.diagnostics);
}

#[test]
fn places_and_fixes() {
    let policy = "tool pay(amount: number)\ncontract c { guarantee never call pay(amout > 5) }";
    let compiled = compiled(policy);
    let diagnostic = &compiled.diagnostics[0];
    assert_eq!(diagnostic.help, ["did you mean `amount`?"]);
    let (place, text) = &diagnostic.fixes[0].edits[0];
    assert_eq!(
        (place.span.text(policy), text.as_str()),
        ("amout", "amount")
    );
}

#[test]
fn templates_say_where_they_are_used() {
    let compiled = compiled(
        "predicate p(a: event) = once a\npredicate q(a: event) = p((next a))\ncontract c { guarantee q(call x) }",
    );
    let diagnostic = &compiled.diagnostics[0];
    assert_eq!(diagnostic.code, "E0426");
    let labels: Vec<&str> = diagnostic
        .secondary
        .iter()
        .map(|l| l.text.as_str())
        .collect();
    assert_eq!(labels, ["looks back", "where `q` is used"]);
}

#[test]
fn assumptions() {
    let compiled = compiled(
        "contract c {\n  assume {count(call pay) <= 3}\n  guarantee never call x\n  guarantee never call y\n}",
    );
    let diagnostic = &compiled.diagnostics[0];
    assert_eq!(diagnostic.code, "E0427");
    assert_eq!(
        diagnostic.help,
        [
            "write it into the guarantee: `guarantee ({count(call pay) <= 3}) implies ((never call x) and (never call y))`"
        ]
    );
}

#[test]
fn keyed_aggregates_need_the_key() {
    only(
        "contract c for each o {\n let n = count(call pay(order == o))\n guarantee call pay(order == o) leads to call log(x < n)\n}",
        "E0441 `count(call pay(order == o))` an aggregate of the contract's key is used in a pattern that does not bind it",
    );
    only(
        "tool a(k: string)\ntool b(k: number)\ncontract c for each o { guarantee call a(k == o) leads to call b(k == o) }",
        "E0500 `k` the key `o` is a number here and a string elsewhere, so that they are never equal",
    );
}

#[test]
fn values_are_taken_from_events_that_are_named() {
    for pattern in ["not call a", "not (call a or success b)", "true"] {
        only(
            &format!("contract c {{ guarantee call pay only if sum({pattern}, args.n) <= 3 }}"),
            "E0445 `args.n` no event is named whose value `sum` could take",
        );
    }
}

#[test]
fn this_event_is_not_the_remembered_one() {
    only(
        "contract c { guarantee call buy only if some x in items: count(success search(id == x)) > 0 }",
        "E0436 `x` `x` belongs to this event, and an aggregate's pattern and value read the remembered one",
    );
}

#[test]
fn regular_expressions() {
    for (pattern, want) in [
        (
            "/a(?=b)/",
            "E0504 `(?=` regular expressions have no look-around",
        ),
        (
            "/(?<!a)b/i",
            "E0504 `(?<!` regular expressions have no look-around",
        ),
        (
            r"/(a)\1/",
            r"E0504 `\1` regular expressions have no back-references",
        ),
        (
            "/a(/",
            "E0503 `(` the regular expression cannot be read: a group `(...)` is not closed",
        ),
        ("/a/g", "E0503 `/a/g` regular expressions have no flag `g`"),
    ] {
        only(
            &format!("contract c {{ guarantee never call t(x matches {pattern}) }}"),
            want,
        );
    }
    for pattern in ["/a\\/b/", "/(?P<n>a)/imsxUu", "/\\p{Greek}+\\b/"] {
        super::ok(&format!(
            "contract c {{ guarantee never call t(x matches {pattern}) }}"
        ));
    }
}

#[test]
fn optional_fields() {
    let tool = "tool pay(amount?: number, to: { name?: string })\n";
    for (text, warns) in [
        ("amount > 5", true),
        ("has(amount) and amount > 5", false),
        ("amount > 5 and has(amount)", false),
        ("has(amount) implies amount > 5", false),
        ("not has(amount) or amount > 5", false),
        ("has(amount) or amount > 5", true),
        ("(amount ?? 0) > 5", false),
        ("to.name == \"x\"", true),
        ("has(to.name) and lower(to.name) == \"x\"", false),
        ("has(to) and to.name == \"x\"", true),
    ] {
        let found = findings(&format!(
            "{tool}contract c {{ guarantee never call pay({text}) }}"
        ));
        let codes: Vec<&str> = found.iter().filter_map(|f| f.split(' ').next()).collect();
        assert_eq!(
            codes,
            if warns { vec!["W0401"] } else { Vec::new() },
            "{text}: {found:?}"
        );
    }
    // What `values` reads and messages show may be missing.
    assert!(findings(&format!("{tool}contract c {{ guarantee call pay only if 5 in values(earlier call pay, amount) otherwise block \"{{args.amount}}\" }}")).is_empty());
}

#[test]
fn limits() {
    // Nesting: the parser has a limit of its own, which may come first.
    let deep = format!("contract c {{ guarantee {}call a }}", "not ".repeat(400));
    assert_eq!(compiled(&deep).diagnostics.len(), 1);
    // `let`s nest beyond what is written in one place.
    let mut chain = String::from("contract c {\n let a0 = args.x\n");
    for n in 1..=130 {
        chain.push_str(&format!(" let a{n} = a{} + 1\n", n - 1));
    }
    chain.push_str(" guarantee never call t(a130 > 5)\n}");
    let found = findings(&chain);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("E0434"), "{found:?}");
    let mut shallow = String::from("contract c {\n let a0 = args.x\n");
    for n in 1..=30 {
        shallow.push_str(&format!(" let a{n} = a{} + 1\n", n - 1));
    }
    shallow.push_str(" guarantee never call t(a30 > 5)\n}");
    super::ok(&shallow);
    // Doubling: 2^30 expressions.
    let mut wide = String::from("predicate p0(a: event) = eventually a\n");
    for n in 1..=30 {
        wide.push_str(&format!(
            "predicate p{n}(a: event) = p{0}(a) and p{0}(a)\n",
            n - 1
        ));
    }
    wide.push_str("contract c { guarantee p30(call x) }");
    let found = findings(&wide);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("E0435"), "{found:?}");
    // Counting.
    super::ok("contract c { guarantee call a at most 1000 times }");
    only(
        "contract c { guarantee call a leads to call b within 5000 steps }",
        "E0431 `5000 steps` a form can count to 1024 at most, and this is `5000`",
    );
}

#[test]
fn findings_are_in_order_and_stable() {
    let policy = "contract b { guarantee never nope }\ncontract a { guarantee always nada }\ncontract a { guarantee always {x} }";
    let first = findings(policy);
    assert_eq!(first, findings(policy));
    let codes: Vec<&str> = first.iter().filter_map(|f| f.split(' ').next()).collect();
    assert_eq!(codes, ["E0400", "E0400", "E0404", "E0423"], "{first:#?}");
}

#[test]
fn messages_are_read_like_conditions() {
    only(
        "tool pay(amount: number)\ncontract c { guarantee never call pay otherwise block \"no {args.amout} {result.x}\" }",
        "E0501 `amout` no tool that the contract speaks of has a field `amout`",
    );
    only(
        "context role: string\ncontract c { guarantee never call pay otherwise block \"no {role}\" }",
        "E0423 `role` a bare name in a message is an argument of the refused call, and `role` is a context field",
    );
    only(
        "contract c { guarantee never call pay otherwise block \"no {nope(1)}\" }",
        "E0400 `nope` no function, predicate, lookup or event is called `nope`",
    );
    super::ok(
        "contract c for each k { guarantee never call pay(x == k) otherwise block \"{k} {args.a} {count(call pay)} {event.agent}\" }",
    );
}
