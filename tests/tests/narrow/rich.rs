//! Random policies over all that conditions can say of an argument.

use crate::compare::{Tally, attempt, compare, feed, load, value};
use ctr_runtime::event::Meta;
use ctr_runtime::session::Session;
use ctr_tests::oracle::model::{Line, Status};
use ctr_tests::rng::{Rng, count, seed};
use serde_json::{Map, json};

const CONDITIONS: [&str; 47] = [
    "n <= 2",
    "n > 1",
    "n == 2",
    "n != 2",
    "n * 2 - 1 < 4",
    "-n <= -1",
    "3 - n >= n",
    "n + m <= 3",
    "abs(n) <= 1",
    "n in [1, 2, \"x\"]",
    "n not in [1]",
    "n == ctx.c",
    "n <= ctx.c",
    "s == \"a/b\"",
    "s matches /^[a-c]+$/",
    "s matches /a.b/i",
    "s matches /\\bab\\b/",
    "s like \"a*\"",
    "s like \"*/b*c\"",
    "s contains \".\"",
    "s starts with \"/srv\"",
    "s ends with \"b\"",
    "s inside \"/srv/data\"",
    "not (s inside \"/srv/data\")",
    "lower(s) == \"ab\"",
    "lower(s) like \"*b\"",
    "lower(s) in [\"ab\", \"x\"]",
    "len(s) <= 2",
    "len(s) != 2",
    "len(s) > 1.5",
    "s < \"b\"",
    "text(n) == \"2\"",
    "text(s) matches /b/",
    "has(s)",
    "not has(n)",
    "(n ?? 1) <= 1",
    "(s ?? \"a\") == \"a\"",
    "f",
    "not f",
    "f == (n <= 1)",
    "every x in l: x <= 2",
    "some x in l: x == 2 or x == \"q\"",
    "every x in l: x in [1, 2] and n <= 2",
    "\"q\" in l",
    "l contains 1",
    "every x in r.items[*].id: x > 1",
    "r.a.b == 1",
];

const MORE: [&str; 12] = [
    "owner(s) == \"me\"",
    "s in values(success u, args.s)",
    "n <= latest(success u, result.n)",
    "n + (sum(earlier call t, args.n) ?? 0) <= 5",
    "sum(call t, args.n) <= 4",
    "count(call t(n > 1)) <= 1",
    "mentioned(success u, s)",
    "latest(call t, args.n) <= 2",
    "first(call t, args.n) <= 2",
    "max(call t, args.n) <= 2",
    "len(l) + n <= 3",
    "text(args) contains \"a\"",
];

fn condition(rng: &mut Rng) -> String {
    let one = |rng: &mut Rng| match rng.chance(25) {
        true => (*rng.pick(&MORE)).to_owned(),
        false => (*rng.pick(&CONDITIONS)).to_owned(),
    };
    let a = one(rng);
    let b = one(rng);
    match rng.below(6) {
        0 => format!("({a}) and ({b})"),
        1 => format!("({a}) or ({b})"),
        2 => format!("not ({a}) or ({b})"),
        _ => a,
    }
}

fn contract(rng: &mut Rng, n: usize) -> String {
    let cond = condition(rng);
    let plain = (*rng.pick(&CONDITIONS)).to_owned();
    let keyed = rng.chance(30);
    let bind = if keyed { "args.s == key, " } else { "" };
    let clause = match rng.below(8) {
        0 | 1 => format!("call t({bind}has(args)) only if {cond}", bind = bind),
        2 => format!("never call t({bind}{cond})"),
        3 => format!("call t({bind}{plain}) only after success u"),
        4 => format!("call t({bind}{plain}) at most 1 time"),
        5 => format!("success t({bind}args.n == 2) at most 1 time"),
        6 => format!("never call t({bind}{cond}) after success u"),
        _ => format!("call t({bind}{plain}) only if {cond}"),
    };
    let clause = clause.replace("has(args)", "has(args.n) or true");
    let each = if keyed { " for each key" } else { "" };
    let action = *rng.pick(&["block", "warn", "escalate"]);
    let action = if rng.chance(80) { "block" } else { action };
    format!("contract c{n}{each} {{\n  guarantee {clause}\n  otherwise {action} \"no\"\n}}\n")
}

fn argument(rng: &mut Rng, name: &str) -> Option<serde_json::Value> {
    let pool: Vec<serde_json::Value> = match name {
        "n" | "m" => vec![
            json!(0),
            json!(1),
            json!(2),
            json!(3),
            json!(-1),
            json!(1.5),
            json!("2"),
            json!(null),
            json!(2.0),
        ],
        "s" => [
            "a",
            "ab",
            "AB",
            "a/b",
            "a.b",
            "axb",
            "/srv/data",
            "/srv/data/x",
            "/srv/data/../x",
            "/srv/database",
            "/etc",
            "rel",
            "",
            "x",
            "A",
            "K\u{212a}",
        ]
        .iter()
        .map(|s| json!(s))
        .chain([json!(5), json!(["a"]), json!({"a": 1})])
        .collect(),
        "f" => vec![json!(true), json!(false), json!("true")],
        "l" => vec![
            json!([]),
            json!([1]),
            json!([1, 2]),
            json!([3]),
            json!(["q"]),
            json!([1, "q", null]),
            json!({"q": 1}),
            json!("q1"),
        ],
        _ => vec![
            json!({"a": {"b": 1}}),
            json!({"a": {"b": 2}, "items": [{"id": 2}]}),
            json!({"items": [{"id": 2}, {"id": 0}]}),
            json!({"items": [{"id": 2}, {}]}),
            json!({"items": []}),
            json!([]),
        ],
    };
    rng.chance(88).then(|| rng.pick(&pool).clone())
}

fn arguments(rng: &mut Rng) -> serde_json::Value {
    let mut args = Map::new();
    for name in ["n", "m", "s", "f", "l", "r"] {
        if let Some(field) = argument(rng, name) {
            args.insert(name.to_owned(), field);
        }
    }
    serde_json::Value::Object(args)
}

#[test]
fn all_conditions() {
    let seed = seed(77_002);
    let mut rng = Rng::new(seed);
    let mut tally = Tally::default();
    for _ in 0..count(160) {
        let mut text = String::from("context c: number\nlookup owner(x: string) -> string\n");
        let typed = rng.chance(30);
        if typed {
            text += "tool t(n?: number, m?: number, s?: any, f?: any, l?: any, r?: any)\ntool u(s?: any) -> { n?: any }\n";
        }
        for n in 0..=rng.below(2) {
            text += &contract(&mut rng, n);
        }
        // Types make some combinations wrong.
        let Ok(bytes) = attempt(&text) else {
            continue;
        };
        let library = load(&bytes);
        let mut live = Session::new(&library);
        let mut lines = Vec::new();
        for n in 0..rng.below(7) {
            let id = n.to_string();
            lines.push(match rng.below(7) {
                0 => Line::Context("c".to_owned(), json!(rng.below(4))),
                1 | 2 => Line::Call(id, "t".to_owned(), arguments(&mut rng)),
                3 | 4 => Line::Call(id, "u".to_owned(), arguments(&mut rng)),
                _ if n > 0 => {
                    let status = *rng.pick(&[
                        Status::Success,
                        Status::Success,
                        Status::Failure,
                        Status::Unknown,
                    ]);
                    Line::Return(
                        rng.below(n).to_string(),
                        status,
                        Some(json!({"n": rng.below(4)})),
                    )
                }
                _ => Line::Input("hello".to_owned()),
            });
        }
        for line in &lines {
            feed(&mut live, line, None);
        }
        let mut calls: Vec<_> = (0..120).map(|_| arguments(&mut rng)).collect();
        calls.push(json!({}));
        calls.push(json!([]));
        let mut calls: Vec<_> = calls.into_iter().map(|c| (c.clone(), value(&c))).collect();
        if typed {
            // The tool's own schema does not allow them.
            calls.retain(|(c, _)| {
                ["n", "m"]
                    .iter()
                    .all(|f| c.get(f).is_none_or(serde_json::Value::is_number))
            });
            calls.retain(|(c, _)| c.is_object());
        }
        let about = || format!("seed {seed}\n{text}\n{lines:?}");
        for tool in ["t", "u"] {
            if typed && tool == "u" {
                continue;
            }
            compare(
                &mut live,
                tool,
                &Meta::default(),
                &calls,
                &about,
                &mut tally,
            );
        }
    }
    eprintln!("{tally:?}");
    assert!(tally.accepted > 1000 && tally.refused > 1000, "{tally:?}");
    assert!(tally.complete * 3 > tally.schemas, "{tally:?}");
}
