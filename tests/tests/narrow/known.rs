//! Policies with known schemas.

use crate::compare::{Owners, artifact, feed, load};
use ctr_runtime::event::Meta;
use ctr_runtime::session::{Session, Why};
use ctr_tests::oracle::model::{Line, Status};
use serde_json::{Value, json};

/// The schema of a tool after some lines, and what it leaves out.
pub fn schema(policy: &str, lines: &[Line], tool: &str) -> (Value, Vec<Why>) {
    let bytes = artifact(policy);
    let library = load(&bytes);
    let mut session = Session::new(&library);
    for line in lines {
        feed(&mut session, line, None);
    }
    let narrowed = session.schema(tool, &Meta::default(), &mut Owners).unwrap();
    let schema = serde_json::from_str(&narrowed.schema.to_string()).unwrap();
    (schema, narrowed.incomplete.iter().map(|i| i.why).collect())
}

fn call(id: &str, tool: &str, args: Value) -> Line {
    Line::Call(id.to_owned(), tool.to_owned(), args)
}

fn success(id: &str, result: Value) -> Line {
    Line::Return(id.to_owned(), Status::Success, Some(result))
}

fn of(policy: &str, lines: &[Line], tool: &str) -> Value {
    let (schema, incomplete) = schema(policy, lines, tool);
    assert!(incomplete.is_empty(), "{incomplete:?} {schema}");
    schema
}

#[test]
fn bounds_enumerations_and_patterns() {
    let policy = "contract a { guarantee call t only if n <= 5 and n > 1 }
contract b { guarantee never call t(s == \"x\" or s matches /^y+$/) }
contract c { guarantee call t only if k in [\"a\", \"b\"] }";
    assert_eq!(
        of(policy, &[], "t"),
        json!({
            "type": "object",
            "required": ["n", "s", "k"],
            "properties": {
                "n": {"type": "number", "exclusiveMinimum": 1, "maximum": 5},
                "s": {"type": "string", "not": {"anyOf": [{"const": "x"}, {"type": "string", "pattern": "^y+$"}]}},
                "k": {"enum": ["a", "b"]},
            }
        })
    );
}

#[test]
fn constants_come_from_results_and_context() {
    let policy = "context account: string
contract a for each o {
  let limit = latest(success check(args.order == o), result.limit)
  guarantee call refund(order == o) only if amount <= limit
}
contract b { guarantee call refund only if from == ctx.account }";
    let mut account = vec![Line::Context("account".to_owned(), json!("acc-1"))];
    let (nothing, _) = schema(policy, &account, "refund");
    assert_eq!(nothing, json!(false), "no limit is known yet");
    account.extend([
        call("1", "check", json!({"order": "o1"})),
        success("1", json!({"limit": 50})),
        call("2", "check", json!({"order": "o2"})),
        success("2", json!({"limit": 7.5})),
    ]);
    let schema = of(policy, &account, "refund");
    let text = schema.to_string();
    for part in [
        "\"o1\"",
        "\"maximum\":50",
        "\"o2\"",
        "\"maximum\":7.5",
        "\"acc-1\"",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let accepts = |args: Value| jsonschema::is_valid(&schema, &args);
    assert!(accepts(
        json!({"order": "o1", "amount": 50, "from": "acc-1"})
    ));
    assert!(!accepts(
        json!({"order": "o2", "amount": 50, "from": "acc-1"})
    ));
    assert!(!accepts(
        json!({"order": "o3", "amount": 1, "from": "acc-1"})
    ));
    assert!(!accepts(
        json!({"order": "o1", "amount": 5, "from": "acc-2"})
    ));
}

#[test]
fn the_tools_own_schema_is_narrowed() {
    let policy = "tool t(n: int, s?: string) -> { ok: bool }
contract a { guarantee call t only if n <= 5 }";
    assert_eq!(
        of(policy, &[], "t"),
        json!({
            "type": "object",
            "properties": {"n": {"type": "integer", "maximum": 5}, "s": {"type": "string"}},
            "required": ["n"],
            "additionalProperties": false,
        })
    );
}

#[test]
fn what_cannot_be_said_is_named() {
    for (condition, why) in [
        ("n + m <= 3", Why::Arithmetic),
        ("n == m", Why::TwoArguments),
        ("s matches /\\bab\\b/", Why::Regex),
        ("s < \"b\"", Why::TextOrder),
        ("owner(s) == \"me\"", Why::Lookup),
        ("lower(s) == \"ab\"", Why::Text),
        ("s inside \"/srv\"", Why::Paths),
        ("mentioned(success u, s)", Why::Mentioned),
        ("text(args) contains \"x\"", Why::Whole),
    ] {
        let policy = format!(
            "lookup owner(x: string) -> string\ncontract a {{ guarantee call t only if {condition} }}"
        );
        let (schema, incomplete) = schema(&policy, &[], "t");
        assert_eq!(incomplete, [why], "{condition}: {schema}");
    }
}

#[test]
fn lookups_are_asked_about_known_values() {
    let policy = "lookup owner(x: string) -> string
contract once for each o { guarantee success refund(args.order == o) at most 1 time }
contract seen for each o { guarantee call refund(order == o) only after success check(args.order == o) }
contract own { guarantee call refund only if owner(order) == \"me\" }";
    let lines = [
        call("1", "check", json!({"order": "A"})),
        success("1", json!({})),
        call("2", "check", json!({"order": "B"})),
        success("2", json!({})),
    ];
    let (schema, why) = schema(policy, &lines, "refund");
    assert_eq!(
        schema,
        json!({"type": "object", "required": ["order"], "properties": {"order": {"const": "A"}}})
    );
    assert_eq!(why, [Why::Lookup], "orders that nothing has named yet");
}

#[test]
fn sums_take_this_call_along() {
    let policy = "contract a { guarantee call pay only if sum(call pay, args.n) <= 10 }";
    let paid = [call("1", "pay", json!({"n": 4}))];
    assert_eq!(
        of(policy, &paid, "pay"),
        json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "number", "maximum": 6}}})
    );
}

#[test]
fn tools_by_what_they_allow() {
    use ctr_runtime::session::Extent;
    let policy = "tool a(n: int, s: string) -> any
tool b(n: int) -> any
tool c(n: int) -> any
tool d(s: string) -> any
contract x { guarantee call a only after success b }
contract y { guarantee call b only if n == 7 }
contract z { guarantee call d only if s < \"k\" }
contract w { guarantee call a only if s < \"k\" }";
    let bytes = artifact(policy);
    let library = load(&bytes);
    let mut session = Session::new(&library);
    let found = session.allowed(&Meta::default(), &mut Owners).unwrap();
    let extents: Vec<(&str, Extent)> = found.iter().map(|a| (a.tool.as_str(), a.extent)).collect();
    assert_eq!(
        extents,
        [
            ("a", Extent::No),
            ("b", Extent::Some),
            ("c", Extent::All),
            ("d", Extent::Unknown)
        ]
    );
    // One contract is certain, whatever cannot be said of the other.
    assert_eq!(found[0].forbidding, [0, 3]);
    assert!(found[0].incomplete.is_empty());
    assert_eq!(found[1].example.as_ref().unwrap().to_string(), "{\"n\":7}");
    assert_eq!(found[3].incomplete[0].why, Why::TextOrder);
}

#[test]
fn an_example_is_one_that_the_tool_takes() {
    let policy = "tool send(order: string, copies?: int, urgent: bool) -> any
contract receipt for each o { guarantee call send(order == o) at most 2 times }";
    let bytes = artifact(policy);
    let library = load(&bytes);
    let mut session = Session::new(&library);
    let found = session.allowed(&Meta::default(), &mut Owners).unwrap();
    let example = found[0].example.as_ref().expect("some call is accepted");
    assert_eq!(example.to_string(), "{\"order\":\"x\",\"urgent\":true}");
}

#[test]
fn a_tool_of_a_server_is_another_than_that_of_any_server() {
    let bare = "contract x { guarantee call pay only if n <= 10 }";
    let qualified = "contract y { guarantee never call bank.pay }";
    let tools = |policy: &str| {
        let bytes = artifact(policy);
        let library = load(&bytes);
        let mut session = Session::new(&library);
        let found = session.allowed(&Meta::default(), &mut Owners).unwrap();
        let mut tools: Vec<_> = found
            .into_iter()
            .map(|a| (a.server, a.tool, a.forbidding.len()))
            .collect();
        tools.sort();
        tools
    };
    let expected = [
        // A call that says nothing of its server may be the one that is forbidden.
        (None, "pay".to_owned(), 1),
        (Some("bank".to_owned()), "pay".to_owned(), 1),
    ];
    assert_eq!(tools(&format!("{bare}\n{qualified}")), expected);
    assert_eq!(tools(&format!("{qualified}\n{bare}")), expected);
}
