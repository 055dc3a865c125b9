//! What policies mean, as formulas.

use super::{built, clauses, ok};
use crate::check::print::Printer;
use crate::ir::{Coerce, Expected, Expr, Json, Library, Outcome, TestStepKind};
use crate::world::MemoryWorld;
use crate::{Compiled, compile};

fn one(policy: &str) -> String {
    let library = built(policy);
    let all = clauses(&library);
    assert_eq!(all.len(), 1, "{all:?}");
    all[0]
        .split_once(": ")
        .map(|(_, f)| f.to_owned())
        .unwrap_or_default()
}

fn formula(text: &str) -> String {
    one(&format!("contract c {{ guarantee {text} }}"))
}

#[test]
fn core_forms() {
    for (text, want) in [
        ("true", "true"),
        ("not call a and call b", "(!<call a> & <call b>)"),
        (
            "call a implies call b implies call c",
            "(<call a> -> (<call b> -> <call c>))",
        ),
        ("call a iff {ctx.x == 1}", "(<call a> <-> (ctx.x == 1))"),
        ("next call a", "X(<call a>)"),
        ("weak next call a", "WX(<call a>)"),
        (
            "always (call a implies weak previously call b)",
            "G((<call a> -> WY(<call b>)))",
        ),
        ("call a until call b", "(<call a> U <call b>)"),
        ("call a unless call b", "(<call a> W <call b>)"),
        ("call a release call b", "(<call a> R <call b>)"),
        (
            "always (call a implies (not call b since call c))",
            "G((<call a> -> (!<call b> S <call c>)))",
        ),
        (
            "eventually once historically previously call a",
            "F(O(H(Y(<call a>))))",
        ),
        ("always {true}", "G(true)"),
    ] {
        assert_eq!(formula(text), want, "{text}");
    }
}

#[test]
fn readable_forms() {
    for (text, want) in [
        ("never call a", "G(!<call a>)"),
        (
            "never call a after call b",
            "G((<call b> -> WX(G(!<call a>))))",
        ),
        (
            "call b only before call a",
            "G((<call a> -> WX(G(!<call b>))))",
        ),
        ("call a only after call b", "(!<call a> W <call b>)"),
        ("never call a before call b", "(!<call a> W <call b>)"),
        ("call a only if x == 1", "G(!<call a [!(args.x == 1)]>)"),
        (
            "(call a or call b) only if x == 1",
            "G(!(<call a [!(args.x == 1)]> | <call b [!(args.x == 1)]>))",
        ),
        (
            "call pay only while not call logout since success login",
            "G((<call pay> -> (!<call logout> S <success login>)))",
        ),
        ("call a leads to call b", "G((<call a> -> F(<call b>)))"),
        (
            "call a immediately leads to call b",
            "G((<call a> -> X(<call b>)))",
        ),
        (
            "call a leads to call b within 3 steps",
            "G((<call a> -> X((<call b> | X((<call b> | X(<call b>)))))))",
        ),
        (
            "call a leads to call b within 30s",
            "true deadline <call a> => <call b> in 30s",
        ),
        (
            "(call a leads to call b within 30s) and (never call c)",
            "G(!<call c>) deadline <call a> => <call b> in 30s",
        ),
        ("call a at most 0 times", "!F(<call a>)"),
        ("call a at least 2 times", "F((<call a> & X(F(<call a>))))"),
        (
            "call a exactly 1 time",
            "(!F((<call a> & X(F(<call a>)))) & F(<call a>))",
        ),
        (
            "call a at most 1 consecutive times",
            "G(!(<call a> & X(<call a>)))",
        ),
        (
            "(call a or call b) at most 2 times within 10min",
            "G(((<call a> | <call b>) -> (Count{(<call a> | <call b>), within 600s} <= 2)))",
        ),
    ] {
        assert_eq!(formula(text), want, "{text}");
    }
}

#[test]
fn templates_expand_where_they_are_used() {
    let policy = "predicate responds(a: event, b: event) = always (a implies eventually b)\n\
        predicate admin() = {ctx.role == \"admin\"}\n\
        predicate small(most: number) = args.amount <= most\n\
        predicate both(p: event) = responds(p, call log) and (p only while admin())\n";
    for (text, want) in [
        (
            "responds(call a, (call b or call c))",
            "G((<call a> -> F((<call b> | <call c>))))",
        ),
        (
            "call a only while admin()",
            "G((<call a> -> (ctx.role == \"admin\")))",
        ),
        (
            "call a only if admin() and small(5 + 1)",
            "G(!<call a [!((ctx.role == \"admin\") & (args.amount <= (5 + 1)))]>)",
        ),
        (
            "both(call pay(x == 1))",
            "(G((<call pay [(args.x == 1)]> -> F(<call log>))) & G((<call pay [(args.x == 1)]> -> (ctx.role == \"admin\"))))",
        ),
    ] {
        let want = format!("c Guarantee: {want}");
        let got = built(&format!("{policy}contract c {{ guarantee {text} }}"));
        assert_eq!(clauses(&got), [want], "{text}");
    }
}

#[test]
fn keys_are_bound_once_and_read_elsewhere() {
    assert_eq!(
        one("contract c for each (o, u) {\n\
             let spent = sum(call pay(order == o, user == u), amount)\n\
             guarantee call pay(order == o, u == args.user, amount > 0) only if spent <= 100 and o != \"x\"\n\
             otherwise block \"{o}: {spent} of {args.amount}\"\n}"),
        "G(!<call pay [k0=args.order; k1=args.user; ((args.amount > 0) & !((Sum{<call pay [k0=args.order; k1=args.user]>, args.amount, keys 2} <= 100) & (key0 != \"x\")))]>)"
    );
    // Through a template and a `let`.
    assert_eq!(
        one("predicate of(k: string) = args.order == k\n\
             contract c for each o {\n let mine = of(o)\n guarantee never call pay(mine and x == 1)\n}"),
        "G(!<call pay [k0=args.order; (args.x == 1)]>)"
    );
    // Bound twice: the second is a comparison.
    assert_eq!(
        one("contract c for each o { guarantee never call pay(a == o, b == o) }"),
        "G(!<call pay [k0=args.a; (args.b == key0)]>)"
    );
}

#[test]
fn aggregates() {
    for (text, want) in [
        ("count(call a) <= 3", "(Count{<call a>} <= 3)"),
        (
            "count(earlier call a within 1min) <= 3",
            "(earlier Count{<call a>, within 60s} <= 3)",
        ),
        ("streak(failure a) < 2", "(Streak{<failure a>} < 2)"),
        (
            "max(success a, result.n + 1) < 2",
            "(Max{<success a>, (result.n + 1)} < 2)",
        ),
        ("min(return a, args.n) < 2", "(Min{<return a>, args.n} < 2)"),
        ("elapsed(input) > 5min", "(Elapsed{<input>} > 300000ms)"),
        (
            "len(values(call a, x)) < 2",
            "(Len(Values{<call a>, args.x}) < 2)",
        ),
        (
            "every v in values(call a, x): v != 1",
            "every(Values{<call a>, args.x}: (var0 != 1))",
        ),
        (
            "mentioned(earlier input, ctx.x)",
            "earlier Texts{<input>} mentions ctx.x",
        ),
        (
            "latest(success a or success b, x).y == 1",
            "(Latest{(<success a> | <success b>), result.x}.y == 1)",
        ),
        (
            "sum(output, event.tokens) < 5",
            "(Sum{<output>, event.tokens} < 5)",
        ),
    ] {
        let text_ = text.replace("success a or success b", "(success a or success b)");
        assert_eq!(
            formula(&format!("always {{{text_}}}")),
            format!("G({want})"),
            "{text}"
        );
    }
}

#[test]
fn declared_types_decide_how_fields_are_read() {
    let tools = "tool pay(amount: number | null, at: timestamp, for_: duration, xs: list<number>, items: list<{ n: int }>, note: string, either: number | string)\n";
    for (text, want) in [
        ("amount == 1", "(args.amount:Number == 1)"),
        (
            "at > timestamp(\"1970-01-01T00:01:00Z\")",
            "(args.at:Timestamp > @60)",
        ),
        ("for_ < 5s", "(args.for_:Duration < 5000ms)"),
        ("5 in xs", "(5 in args.xs[*]:Number)"),
        ("xs contains 5", "(args.xs[*]:Number contains 5)"),
        ("every x in xs: x > 5", "every(args.xs: (var0:Number > 5))"),
        (
            "some i in items: i.n > 5",
            "some(args.items: (var0.n:Number > 5))",
        ),
        ("5 in items[*].n", "(5 in args.items[*].n:Number)"),
        ("items[0].n == 5", "(args.items[0].n:Number == 5)"),
        ("note == \"5\"", "(args.note == \"5\")"),
        ("either == 5", "(args.either == 5)"),
        (
            "every x in xs: some i in items: i.n == x",
            "every(args.xs: some(args.items: (var0.n:Number == var1:Number)))",
        ),
    ] {
        assert_eq!(
            one(&format!(
                "{tools}contract c {{ guarantee never call pay({text}) }}"
            )),
            format!("G(!<call pay [{want}]>)"),
            "{text}"
        );
    }
    assert_eq!(
        one(
            "lookup limit(id: string) -> number\ncontext most: number\ncontract c { guarantee always {limit(\"x\") < ctx.most} }"
        ),
        "G((limit(\"x\"):Number < ctx.most:Number))"
    );
}

#[test]
fn tools_of_one_pattern_are_read_each_by_its_types() {
    let tools = "tool pay(amount: number)\ntool wire(amount: number)\ntool note(amount: string)\ntool log(text: string)\n";
    assert_eq!(
        one(&format!(
            "{tools}contract c {{ guarantee never call pay | wire(amount > 5) }}"
        )),
        "G(!<call pay|wire [(args.amount:Number > 5)]>)"
    );
    assert_eq!(
        one(&format!(
            "{tools}contract c {{ guarantee never call pay | note(has(amount)) }}"
        )),
        "G(!(<call pay [has(args.amount:Number)]> | <call note [has(args.amount)]>))"
    );
    assert_eq!(
        one(&format!(
            "{tools}contract c {{ guarantee never call any(amount > 5) }}"
        )),
        "G(!(<call -pay|wire [(args.amount > 5)]> | <call pay|wire [(args.amount:Number > 5)]>))"
    );
    assert_eq!(
        one(&format!(
            "{tools}contract c {{ guarantee never call any except log(text(args) matches /x/) }}"
        )),
        "G(!<call -log [(Text(args) ~ /x/)]>)"
    );
    let library = ok(&format!(
        "{tools}contract c {{ guarantee never call any(amount > 5) }}"
    ));
    let texts: Vec<&str> = library.patterns.iter().map(|p| p.text.as_str()).collect();
    assert_eq!(texts, ["call any(amount > 5)"; 2]);
}

#[test]
fn groups_and_servers() {
    let tools = "tool shop.pay(amount: number)\ntool bank.pay(amount: number)\ntool bank.wire(amount: number)\n\
                 group money = { shop.pay, more }\ngroup more = { wire }\ngroup all = tools where destructive\n";
    assert_eq!(
        one(&format!(
            "{tools}contract c {{ guarantee never call money }}"
        )),
        "G(!<call shop.pay|bank.wire>)"
    );
    assert_eq!(
        one(&format!("{tools}contract c {{ guarantee never call all }}")),
        "G(!<call shop.pay|bank.pay|bank.wire>)"
    );
    assert_eq!(
        one(&format!(
            "{tools}contract c {{ guarantee never call `mcp__bank__pay` }}"
        )),
        "G(!<call bank.pay>)"
    );
    assert_eq!(
        one("contract c { guarantee never call `mcp__git_hub__delete__repo` }"),
        "G(!<call git_hub.delete__repo>)"
    );
    assert_eq!(
        one("contract c { guarantee never call ` pay ` }"),
        "G(!<call pay>)"
    );
}

#[test]
fn watching() {
    let library = built(
        "event tick(n: int)\nevent tock()\n\
        contract calls { guarantee never call a(count(success b) > 3) }\n\
        contract ticks { guarantee tick leads to input }\n\
        contract rest { guarantee call a only after success b within 5min }\n\
        contract all { guarantee always {ctx.x == 1} }",
    );
    let seen: Vec<(bool, bool, bool, bool, usize)> = library
        .contracts
        .iter()
        .map(|c| {
            (
                c.watch.calls,
                c.watch.returns,
                c.watch.inputs,
                c.watch.outputs,
                c.watch.events.len(),
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            (true, false, false, false, 0),
            (false, false, true, false, 1),
            (true, true, false, false, 0),
            (true, true, true, true, 2),
        ]
    );
    assert_eq!(library.contracts[2].patterns.len(), 2);
}

#[test]
fn contracts_keep_what_people_read() {
    let library = ok(
        "//! File.\nmodule desk\n\n/// First line.\n/// Second.\n@id(\"R-1\")\n@severity(high)\n@source(\"policy.md\", \"Refunds\")\n@tags(\"a\", b)\n@agents(\"billing-*\")\n\
        contract c for each o {\n  let most = 5 // why\n  guarantee call pay(order == o)   // comment\n    only if amount <= most\n\
        otherwise escalate \"{args.amount} is over {most} \\{o\\}\"\n}",
    );
    let contract = &library.contracts[0];
    assert_eq!(contract.module, "desk");
    assert_eq!(contract.doc.trim(), "First line.\nSecond.");
    assert_eq!(contract.id.as_deref(), Some("R-1"));
    assert_eq!(contract.severity.as_deref(), Some("high"));
    assert_eq!(
        contract.source,
        Some(("policy.md".to_owned(), Some("Refunds".to_owned())))
    );
    assert_eq!(contract.tags, ["a", "b"]);
    assert_eq!(contract.agents, ["billing-*"]);
    assert_eq!(
        contract.clauses[0].text,
        "guarantee call pay(order == o) only if amount <= most"
    );
    assert_eq!(
        library.patterns[0].text,
        "call pay(order == o, not (amount <= most))"
    );
    assert_eq!(
        Printer(&library).action(&contract.action),
        "escalate \"{args.amount} is over {5} {o}\""
    );
}

#[test]
fn redirects() {
    let library = ok(
        "tool pay(amount: number)\ntool ask(q: string, n?: number)\n\
        contract c { guarantee never call pay otherwise redirect ask(q: \"pay?\", n: amount) \"asking\" }",
    );
    assert_eq!(
        Printer(&library).action(&library.contracts[0].action),
        "redirect ask(q: \"pay?\", n: args.amount) \"asking\""
    );
}

#[test]
fn tables_hold_each_entry_once_and_children_first() {
    let library = ok(
        "contract a { guarantee never call x(n > 5) }\ncontract b { guarantee call y leads to call x(n > 5) }",
    );
    assert_eq!(library.patterns.len(), 2);
    assert_eq!(library.atoms.len(), 2);
    for (at, expr) in library.exprs.iter().enumerate() {
        let children: Vec<u32> = match expr {
            Expr::Path { base, coerce, .. } => {
                assert_eq!(*coerce, Coerce::None);
                vec![base.0]
            }
            Expr::Compare(_, a, b) => vec![a.0, b.0],
            _ => Vec::new(),
        };
        assert!(children.iter().all(|c| (*c as usize) < at));
    }
}

#[test]
fn what_is_spelt_in_two_ways_is_one_atom() {
    let library = built(
        "contract c {\n let most = 5\n\
        guarantee call t(x > 5) leads to call t( x>most )\n guarantee always {ctx.a==1}\n guarantee always { ctx.a == 1 }\n}\n\
        contract d { guarantee never call t(x>5) }",
    );
    assert_eq!(library.patterns.len(), 2);
    assert_eq!(library.atoms.len(), 3);
    assert_eq!(library.contracts[0].patterns.len(), 1);
    let texts: Vec<&str> = library.patterns.iter().map(|p| p.text.as_str()).collect();
    assert_eq!(texts, ["call t(x > 5)", "call t(x>5)"]);
}

fn files(files: &[(&str, &str)]) -> Compiled {
    let mut world = MemoryWorld::new();
    for (path, text) in files {
        world.insert(path, *text);
    }
    compile(&world, &["p.ctr".to_owned()])
}

fn names(library: &Library) -> Vec<&str> {
    library.contracts.iter().map(|c| c.name.as_str()).collect()
}

#[test]
fn modules() {
    let common = "tool pay(amount: number)\ngroup money = { pay }\nevent tick()\n\
        predicate quiet(a: event) = never a\nlookup f(x: string) -> number\n\
        contract one { guarantee never call pay }\ncontract two { guarantee never call money }\n";
    let all = files(&[
        (
            "p.ctr",
            "import \"common.ctr\" as common\ncontract c { guarantee common.quiet(call common.money(amount > common.f(\"x\"))) and (eventually common.tick) }",
        ),
        ("common.ctr", common),
    ]);
    let library = all
        .library
        .unwrap_or_else(|| panic!("{:#?}", all.diagnostics));
    assert_eq!(names(&library), ["c"]);
    assert_eq!(
        clauses(&library),
        ["c Guarantee: (G(!<call pay [(args.amount:Number > f(\"x\"):Number)]>) & F(<tick>))"]
    );
    let some = files(&[
        (
            "p.ctr",
            "contract a { guarantee never call x }\ninclude \"common.ctr\" { two }\ninclude \"common.ctr\" { two, one }\ncontract b { guarantee never call x }",
        ),
        ("common.ctr", common),
    ]);
    let library = some
        .library
        .unwrap_or_else(|| panic!("{:#?}", some.diagnostics));
    assert_eq!(names(&library), ["a", "two", "one", "b"]);
    let nested = files(&[
        ("p.ctr", "include \"q.ctr\""),
        (
            "q.ctr",
            "include \"common.ctr\"\ncontract q { guarantee never call x }",
        ),
        ("common.ctr", common),
    ]);
    let library = nested
        .library
        .unwrap_or_else(|| panic!("{:#?}", nested.diagnostics));
    assert_eq!(names(&library), ["one", "two", "q"]);
}

#[test]
fn the_first_file() {
    let all = files(&[
        (
            "p.ctr",
            r#"//! The refund desk's standard operating procedure.
module refund_desk

tools from "refund_desk.tools.json"

context customer_id: string

/// The customer's identity is verified before any money moves.
contract identity_before_refund {
  guarantee call issue_refund only after success verify_identity(verified)
  otherwise block "Verify the customer's identity first."
}

contract refund_within_limit for each order {
  let limit = latest(success check_policy(args.order_id == order), result.limit)
  guarantee call issue_refund(order_id == order) only if amount <= limit
  otherwise block "The refund of {args.amount} is above the limit of {limit}."
}

contract one_refund_per_order for each order {
  guarantee success issue_refund(args.order_id == order) at most 1 time
}

contract receipt_is_sent for each order {
  guarantee success issue_refund(args.order_id == order) leads to call send_receipt(order_id == order)
}

contract no_key_material {
  assume never return read_file(text(result) matches /BEGIN [A-Z ]*PRIVATE KEY/)
  guarantee call send_email only after success read_file
}

test "a refund without identity is blocked" {
  call issue_refund(order_id: "o1", amount: 20)
    expect block by identity_before_refund
}

test "refund above the limit is blocked" for refund_within_limit {
  context customer_id = "c1"
  input "please refund o1"
  call check_policy(order_id: "o1") -> { eligible: true, limit: 50 }
  call issue_refund(order_id: "o1", amount: 80)      expect block by refund_within_limit
  call issue_refund(order_id: "o1", amount: 50) -> { ok: true }
  end                                                expect pending receipt_is_sent
}
"#,
        ),
        (
            "refund_desk.tools.json",
            r#"{"tools": [
              {"name": "verify_identity", "inputSchema": {"type": "object", "properties": {"customer": {"type": "string"}}, "required": ["customer"]},
               "outputSchema": {"type": "object", "properties": {"verified": {"type": "boolean"}}, "required": ["verified"]}},
              {"name": "check_policy", "inputSchema": {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
               "outputSchema": {"type": "object", "properties": {"eligible": {"type": "boolean"}, "limit": {"type": "number"}}, "required": ["eligible", "limit"]}},
              {"name": "issue_refund", "inputSchema": {"type": "object", "properties": {"order_id": {"type": "string"}, "amount": {"type": "number"}}, "required": ["order_id", "amount"]}},
              {"name": "send_receipt", "inputSchema": {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}},
              {"name": "read_file", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}},
              {"name": "send_email", "inputSchema": {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}}
            ]}"#,
        ),
    ]);
    let found: Vec<String> = all
        .diagnostics
        .iter()
        .map(|d| super::shown(&all, d))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
    let library = all.library.expect("no errors");
    assert_eq!(library.contracts.len(), 5);
    assert_eq!(
        clauses(&library)[1],
        "refund_within_limit Guarantee: G(!<call issue_refund [k0=args.order_id; !(args.amount:Number <= Latest{<success check_policy [k0=args.order_id]>, result.limit:Number, keys 1})]>)"
    );
    let test = &library.tests[1];
    // `for` names one, the expectation at the end another.
    assert_eq!(test.contracts, [1, 3]);
    assert!(library.tests[0].contracts.is_empty());
    assert_eq!(test.steps.len(), 6);
    assert_eq!(test.steps[3].expect[0].by, [1]);
    assert_eq!(test.steps[5].expect[0].what, Expected::Pending);
    assert_eq!(test.steps[5].expect[0].by, [3]);
    let TestStepKind::Call(tool, args, outcome) = &test.steps[2].kind else {
        panic!("a call");
    };
    assert_eq!(tool.name, "check_policy");
    assert_eq!(
        *args,
        Json::Record(vec![("order_id".to_owned(), Json::Str("o1".to_owned()))])
    );
    assert_eq!(
        *outcome,
        Some(Outcome::Success(Json::Record(vec![
            ("eligible".to_owned(), Json::Bool(true)),
            ("limit".to_owned(), Json::Number("50".to_owned())),
        ])))
    );
}

#[test]
fn the_predicates_of_the_paper() {
    for text in [
        "never call t(text(args) matches /p/)",
        "never call t(f matches /p/)",
        "call t only if path inside \"/srv/data\"",
        "call t only if every x in f: x in [\"a\", \"b\"]",
        "never return t(text(result) matches /p/)",
        "never output(text matches /p/)",
        "never input(text matches /p/)",
        "call t only if f == ctx.k",
        "always {ctx.k == \"v\"}",
        "always {\"P\" in ctx.permissions}",
        "call t only if d in values(return s, result.s)",
        "call t only if mentioned(return s, d)",
        "eventually return any(has(result.f))",
        "always {count(call t) < 3}",
        "always {streak(call t) < 3}",
        "call t only if f <= 42",
        "call t only if len(f) <= 500",
        "never input(len(text) > 1000)",
        "never output(len(text) > 1000)",
        "always {sum(output, event.tokens) < 1000}",
        "always {event.depth < 3}",
        "always {elapsed(input) < 5min}",
    ] {
        ok(&format!("contract c {{ guarantee {text} }}"));
    }
}

#[test]
fn the_standard_library_compiles() {
    let mut policy = String::new();
    for (n, module) in ctr_stdlib::MODULES.iter().enumerate() {
        policy.push_str(&format!("import {} as m{n}\n", module.name));
        let world = MemoryWorld::new().with("m.ctr", module.text);
        let compiled = compile(&world, &["m.ctr".to_owned()]);
        assert!(
            compiled.diagnostics.is_empty(),
            "{:#?}",
            compiled.diagnostics
        );
    }
    policy.push_str("contract c { guarantee m0.response(call a, call b) }");
    assert_eq!(one(&policy), "G((<call a> -> F(<call b>)))");
}

#[test]
fn lists_of_numbers_in_aggregates_are_read_as_numbers() {
    assert_eq!(
        one("tool find() -> { ids: list<int> }\ntool buy(id: int)\n\
             contract c { guarantee call buy only if id in values(success find, ids) and id in latest(success find, ids) }"),
        "G(!<call buy [!((args.id:Number in Values{<success find>, result.ids[*]:Number}) & (args.id:Number in Latest{<success find>, result.ids}[*]:Number))]>)"
    );
}
