//! Tests of what fits where.

use super::*;

fn at(text: &str) -> Completion {
    let offset = text.find('|').unwrap_or(text.len());
    let text = text.replacen('|', "", 1);
    complete(&text, u32::try_from(offset).unwrap_or(0))
}

fn keywords(text: &str) -> Vec<&'static str> {
    at(text).keywords.iter().map(|k| k.name).collect()
}

fn in_contract(text: &str) -> Vec<&'static str> {
    keywords(&format!("contract c {{ guarantee {text}"))
}

#[test]
fn keywords_fit() {
    assert!(keywords("|").contains(&"contract"));
    assert_eq!(
        keywords("contract c { | }"),
        ["assume", "guarantee", "let", "otherwise"]
    );
    let formula = keywords("contract c { guarantee | }");
    assert!(
        formula.contains(&"never") && formula.contains(&"call"),
        "{formula:?}"
    );
    assert!(!formula.contains(&"and"), "{formula:?}");
    let after = keywords("contract c { guarantee call t on| }");
    assert!(
        after.contains(&"only after") && after.contains(&"at most"),
        "{after:?}"
    );
    assert!(!after.contains(&"call"), "{after:?}");
    assert!(keywords("contract c { otherwise | }").contains(&"block"));
    assert!(keywords("test \"t\" { | }").contains(&"call"));
    assert!(keywords("contract c { guarantee never call t }\n\n|").contains(&"test"));
}

/// What is left out because it could not become a formula, and what stays.
#[test]
fn only_what_can_become_a_formula() {
    let clause = ["assume", "guarantee", "let", "otherwise"];
    let rest = |text: &str| -> Vec<&'static str> {
        let mut all = in_contract(text);
        all.retain(|k| !clause.contains(k));
        all
    };
    // A readable form stands alone; its parts are patterns or parentheses.
    assert_eq!(rest("call a only after call b |"), ["within"]);
    assert_eq!(rest("call a leads to call b |"), ["within"]);
    assert_eq!(rest("call a immediately leads to call b |"), [""; 0]);
    assert_eq!(rest("never call a |"), ["after", "before"]);
    assert_eq!(rest("never call a after call b |"), [""; 0]);
    assert_eq!(rest("call a at most |"), [""; 0]);
    assert_eq!(rest("call a at most 3 |"), ["consecutive", "times"]);
    assert_eq!(rest("call a at most 1 |"), ["consecutive", "time"]);
    assert_eq!(rest("call a at most 3 times |"), ["within"]);
    assert_eq!(rest("call a at least 3 times |"), [""; 0]);
    assert_eq!(rest("call a leads to call b within 3 |"), ["steps"]);
    let parts = [
        "call", "failure", "input", "output", "return", "success", "unknown",
    ];
    for form in [
        "never |",
        "call a only after |",
        "call a leads to |",
        "never call a before |",
    ] {
        assert_eq!(rest(form), parts, "{form}");
    }
    // Scope is never guessed.
    assert_eq!(rest("always call a |"), [""; 0]);
    assert_eq!(rest("call a until call b |"), [""; 0]);
    assert_eq!(rest("call a and call b |"), ["and", "iff", "implies", "or"]);
    assert_eq!(
        rest("call a only if x == 3 |"),
        ["and", "iff", "implies", "or"]
    );
    let first = rest("call a |");
    assert!(first.contains(&"until") && first.contains(&"only if") && first.contains(&"and"));
    // Comparisons stand in conditions.
    assert!(!first.contains(&"matches"), "{first:?}");
    let condition = rest("never call a(x |");
    assert!(
        condition.contains(&"matches") && condition.contains(&"and"),
        "{condition:?}"
    );
    assert!(!condition.contains(&"until") && !condition.contains(&"leads to"));
    assert_eq!(rest("never call a(x == |"), ["false", "null", "true"]);
    assert_eq!(
        rest("never call a(|"),
        ["every", "false", "not", "some", "true"]
    );
    assert_eq!(
        rest("{count(call a |"),
        ["and", "iff", "implies", "or", "within"]
    );
    let events = rest("{count(|");
    assert!(
        events.contains(&"earlier") && events.contains(&"success") && !events.contains(&"always")
    );
    assert_eq!(rest("{sum(call a, |"), ["false", "null", "true"]);
    assert_eq!(rest("call |"), ["any", "any except"]);
}

/// At the margin, after something complete, an item begins.
#[test]
fn items_begin_at_the_margin() {
    let found = keywords("predicate p(a: event) = always a\n|");
    assert!(
        found.contains(&"contract") && !found.contains(&"and"),
        "{found:?}"
    );
    let found = keywords("predicate p(a: event) = a\n  |");
    assert!(found.contains(&"and"), "{found:?}");
    let found = keywords("predicate p(a: event) =\n|");
    assert!(found.contains(&"always"), "{found:?}");
    // What the parser would take and nobody means.
    assert_eq!(keywords("@severity(|"), [""; 0]);
    assert_eq!(
        keywords("test \"t\" { call a(x: |"),
        ["false", "null", "true"]
    );
    assert_eq!(keywords("test \"t\" { call a(|"), [""; 0]);
    // Nothing is offered right behind a slip.
    assert_eq!(keywords("contract c { guarantee call a onyl |"), [""; 0]);
    assert_eq!(keywords("test \"t\" { call a() -|"), [""; 0]);
    assert_eq!(
        keywords("@id(\"a\")\n|"),
        [
            "context",
            "contract",
            "event",
            "group",
            "import",
            "include",
            "lookup",
            "module",
            "predicate",
            "test",
            "tool",
            "tools from"
        ]
    );
}

/// Words of an operator that stand there already are completed together.
#[test]
fn phrases_go_on() {
    let phrases = |text: &str| -> Vec<(&'static str, u32)> {
        at(text)
            .phrases
            .iter()
            .map(|(k, start)| (k.name, *start))
            .collect()
    };
    let names = |text: &str| -> Vec<&'static str> {
        phrases(text).into_iter().map(|(name, _)| name).collect()
    };
    let c = "contract c { guarantee call t ";
    let start = u32::try_from(c.len()).unwrap_or(0);
    assert_eq!(
        phrases(&format!("{c}only |")),
        [
            ("only after", start),
            ("only before", start),
            ("only if", start),
            ("only while", start)
        ]
    );
    assert_eq!(
        names(&format!("{c}immediately leads t|")),
        ["immediately leads to"]
    );
    assert_eq!(names(&format!("{c}at |")), ["at most", "at least"]);
    assert_eq!(names("contract c { guarantee {x |"), [""; 0]);
    assert_eq!(names("contract c { guarantee {x.only |"), [""; 0]);
    assert_eq!(names("tools |"), ["tools from"]);
    assert_eq!(names("contract c for |"), ["for each"]);
}

#[test]
fn nothing_in_texts() {
    for text in [
        "contract c { otherwise block \"a | b",
        "// a |\ncontract c {",
        "/* a |",
        "/// ctrc: allow(|",
        "contract c { guarantee call t(a matches /x|",
        "contract c { guarantee call t(a matches \"x|",
        "contract c { guarantee call t at most 3|",
        "test \"a|",
    ] {
        let found = at(text);
        assert!(found.keywords.is_empty() && found.name.is_none(), "{text}");
    }
}

fn names(parts: &[&str]) -> Vec<String> {
    parts.iter().map(|p| (*p).to_owned()).collect()
}

#[test]
fn names_fit() {
    let part = |parts: &[&str]| Some(Wanted::Part(names(parts)));
    for (text, expected) in [
        ("contract c { guarantee never call | }", Some(Wanted::Tool)),
        ("contract c { guarantee never call a | | }", None),
        ("contract c { guarantee never call a(|", Some(Wanted::Value)),
        (
            "contract c { guarantee never call a(args.|",
            part(&["args"]),
        ),
        (
            "contract c { guarantee never call a(args.to.n|",
            part(&["args", "to"]),
        ),
        (
            "contract c { guarantee never call payments.|",
            Some(Wanted::ToolOf(names(&["payments"]))),
        ),
        ("contract c { guarantee {ctx.|} }", part(&["ctx"])),
        ("group g = { a, |", Some(Wanted::Tool)),
        ("group g = tools where |", Some(Wanted::Annotation)),
        ("tool t(a: |", Some(Wanted::Type(false))),
        ("predicate t(a: |", Some(Wanted::Type(true))),
        ("test \"t\" { call pay() with |", Some(Wanted::Fact)),
        ("tool |", Some(Wanted::New)),
        ("@|", Some(Wanted::Attribute)),
        ("@severity(|", Some(Wanted::Severity)),
        ("test \"t\" for |", Some(Wanted::Contract)),
        ("test \"t\" for a, |", Some(Wanted::Contract)),
        ("test \"t\" { call |", Some(Wanted::OneTool)),
        (
            "test \"t\" { call pay(|",
            Some(Wanted::Argument(names(&["pay"]), Vec::new())),
        ),
        (
            "test \"t\" { call pay(to: { |",
            Some(Wanted::Argument(names(&["pay"]), names(&["to"]))),
        ),
        (
            "test \"t\" { call pay(a: [1]) -> { |",
            Some(Wanted::Result(names(&["pay"]), Vec::new())),
        ),
        ("test \"t\" { call pay() expect |", Some(Wanted::Outcome)),
        (
            "test \"t\" { call pay() expect block by |",
            Some(Wanted::Contract),
        ),
        (
            "test \"t\" { call pay() expect block by a, |",
            Some(Wanted::Contract),
        ),
        (
            "test \"t\" { call pay() with agent = \"a\", |",
            Some(Wanted::Fact),
        ),
        ("test \"t\" { context |", Some(Wanted::Context)),
        ("test \"t\" { lookup |", Some(Wanted::Lookup)),
        (
            "contract c { guarantee never call a otherwise redirect b(|",
            Some(Wanted::Argument(names(&["b"]), Vec::new())),
        ),
        ("contract |", Some(Wanted::New)),
        ("contract c { otherwise |", Some(Wanted::New)),
        ("import |", Some(Wanted::Module)),
        ("import std.|", Some(Wanted::Module)),
        ("include \"a.ctr\" { |", Some(Wanted::Included)),
        ("include \"|", Some(Wanted::File(false))),
        ("tools from \"x/|", Some(Wanted::File(true))),
        (
            "// ctrc: allow(W0407, |",
            Some(Wanted::Code(names(&["W0407"]))),
        ),
        ("// ctrc: |", Some(Wanted::Allow("allow"))),
        ("// ctrc: allow(W0407) |", Some(Wanted::Allow("because"))),
        ("contract c { otherwise block \"{ar|", Some(Wanted::Value)),
        ("contract c { otherwise block \"{args.|", part(&["args"])),
        ("contract c { otherwise block \"\\{|", None),
        (
            "contract c { guarantee never call t(s == \"|",
            Some(Wanted::Literal),
        ),
    ] {
        assert_eq!(at(text).name, expected, "{text}");
    }
}

#[test]
fn values_are_compared_with() {
    let way = |text: &str| {
        at(text)
            .compared
            .map(|c| (c.way.join("."), c.given.map(|g| g.kind)))
    };
    for (text, expected) in [
        (
            "contract c { guarantee never call t(s == |",
            Some(("s", None)),
        ),
        (
            "contract c { guarantee never call t(args.s != \"o|",
            Some(("args.s", None)),
        ),
        (
            "contract c { guarantee never call t(s in [\"a\", |",
            Some(("s", None)),
        ),
        ("test \"t\" { call t(s: |", Some(("s", Some("call")))),
        ("test \"t\" { call t(s: \"|", Some(("s", Some("call")))),
        ("test \"t\" { call t(a: { s: |", Some(("a.s", Some("call")))),
        (
            "test \"t\" { call t() -> { s: |",
            Some(("s", Some("return"))),
        ),
        ("test \"t\" { context tier = |", Some(("ctx.tier", None))),
        ("contract c { guarantee never call t(s |", None),
    ] {
        let expected = expected.map(|(way, kind)| (way.to_owned(), kind));
        assert_eq!(way(text), expected, "{text}");
    }
}

/// What is replaced: never half of a word, a name, a string.
#[test]
fn what_is_replaced() {
    for (text, word, whole) in [
        ("contract c { guarantee al|ways call t }", "al", "always"),
        ("contract c { guarantee |always call t }", "", "always"),
        (
            "contract c { guarantee call `cre|ate-x` }",
            "`cre",
            "`create-x`",
        ),
        (
            "contract c { guarantee call `cre| only after call `b` }",
            "`cre",
            "`cre",
        ),
        (
            "contract c { guarantee call t(s == \"o|pen\") }",
            "o",
            "open",
        ),
        (
            "contract c { guarantee call t(s == \"o\\\"|p\\\"en\") }",
            "o\\\"",
            "o\\\"p\\\"en",
        ),
        (
            "contract c { otherwise block \"\u{a3}\u{1f600} {a|rgs.x}\"",
            "a",
            "args",
        ),
        (
            "contract c { guarantee never call t\u{f6}|x }",
            "t\u{f6}",
            "t\u{f6}x",
        ),
    ] {
        let plain = text.replacen('|', "", 1);
        let found = at(text);
        assert_eq!(found.word.text(&plain), word, "{text}");
        assert_eq!(found.whole.text(&plain), whole, "{text}");
    }
}

#[test]
fn patterns_around() {
    let found = at("contract c { guarantee {count(call a.b | c(x == len(|").patterns;
    let names = |n: usize| found.get(n).map(|p| (p.kind, p.names.len()));
    // The bar of the test text is the first one: the alternatives are spelt with a second.
    assert_eq!(names(0), Some(("", 1)));
    let found = complete("contract c { guarantee {count(call a.b | c(x == len(", 52).patterns;
    let names: Vec<(&str, usize)> = found.iter().map(|p| (p.kind, p.names.len())).collect();
    assert_eq!(names, [("", 1), ("call", 2), ("", 1)]);
    // Where no parentheses say it: what an aggregate takes, and what `only if` asks.
    let heads = |text: &str| -> Vec<(&'static str, Vec<Vec<String>>)> {
        at(text)
            .patterns
            .into_iter()
            .filter(|p| !p.kind.is_empty())
            .map(|p| (p.kind, p.names))
            .collect()
    };
    let pay = |kind| vec![(kind, vec![vec!["pay".to_owned()]])];
    assert_eq!(
        heads("contract c { guarantee {sum(success pay(x), |"),
        pay("success")
    );
    assert_eq!(
        heads("contract c { guarantee call pay only if |"),
        pay("call")
    );
    assert_eq!(
        heads("contract c { guarantee call pay(x) only if (a and |"),
        pay("call")
    );
}

#[test]
fn every_place_has_an_answer() {
    let text = "module m\ntool t(a: int) -> { b: string }\n@id(\"x\")\ncontract c for each k {\n  let l = call t(a == k)\n  guarantee l only after success t(args.a == k)\n  otherwise block \"no {a}\"\n}\ntest \"x\" for c { call t(a: 1) -> { b: \"\" } expect allow }\n";
    for offset in 0..=text.len() {
        let found = complete(text, u32::try_from(offset).unwrap_or(0));
        assert!(found.word.end as usize <= text.len());
        assert!(found.word.start == found.whole.start && found.word.end <= found.whole.end);
    }
}

/// What the agent decides cannot stand in an assumption, and nothing that looks forward under what looks back.
#[test]
fn what_an_operator_takes() {
    for text in ["|", "never |", "{count(|", "never success a and |", "(|"] {
        let words = keywords(&format!("contract c {{ assume {text}"));
        assert!(
            !words.contains(&"call") && !words.contains(&"output"),
            "{text}: {words:?}"
        );
    }
    assert!(keywords("contract c { assume |").contains(&"success"));
    assert!(keywords("contract c { assume never input guarantee |").contains(&"call"));
    for text in [
        "call a only while |",
        "once |",
        "previously (|",
        "call a since |",
        "call a only while (not |",
    ] {
        let words = in_contract(text);
        for word in ["always", "eventually", "next", "weak next", "never"] {
            assert!(!words.contains(&word), "{text}: {words:?}");
        }
    }
    assert!(in_contract("call a only while |").contains(&"once"));
    assert!(!in_contract("call a only while (call b |").contains(&"until"));
    assert!(in_contract("(once call a) and |").contains(&"eventually"));
}

/// Fields of elements, also of those that a variable stands for.
#[test]
fn ways_through_lists() {
    let way = |text: &str| match at(&format!("contract c {{ guarantee never call t({text}")).name {
        Some(Wanted::Part(way)) => way.join(" "),
        other => format!("{other:?}"),
    };
    assert_eq!(way("\"a\" in items[*].|"), "items [*]");
    assert_eq!(way("\"a\" in args.items[0].to.|"), "args items [*] to");
    assert_eq!(way("every x in items: x.|"), "items [*]");
    assert_eq!(
        way("every x in a.b: some y in x.c: y.d.|"),
        "a b [*] c [*] d"
    );
    assert_eq!(way("(every x in items: x > 3) and x.|"), "x");
    assert_eq!(way("len(a).|"), "Some(New)");
    let operand = |text: &str| at(&format!("contract c {{ guarantee never call t({text}")).operand;
    assert_eq!(operand("args.amount |"), ["args", "amount"]);
    assert_eq!(operand("every x in items: x.n |"), ["items", "[*]", "n"]);
    assert!(operand("amount > |").is_empty());
}

/// The expectations of a test's step, and what goes on from them.
#[test]
fn expectations() {
    let by = at("test \"t\" { call a() expect block |");
    assert!(by.keywords.iter().any(|k| k.name == "by"), "{by:?}");
    assert_eq!(
        at("test \"t\" { end expect pending |").name,
        Some(Wanted::Contract)
    );
    assert!(at("test \"t\" { call a() end expect |").ends);
    assert!(!at("test \"t\" { call a() expect |").ends);
}

/// The arguments of the call that is made instead are those of its tool; their values are read from the one that is refused.
#[test]
fn redirections() {
    let text = "contract c { guarantee never call pay(amount > 3) otherwise redirect ask(";
    assert_eq!(
        at(&format!("{text}|")).name,
        Some(Wanted::Argument(vec!["ask".to_owned()], vec![]))
    );
    let value = at(&format!("{text}why: |"));
    assert_eq!(value.name, Some(Wanted::Value));
    assert_eq!(
        value.patterns,
        [PatternHead {
            kind: "call",
            names: vec![vec!["pay".to_owned()]]
        }]
    );
}
