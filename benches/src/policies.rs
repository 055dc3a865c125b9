//! Texts of policies whose size is a parameter.

use std::fmt::Write as _;

/// Contracts over one keyed pattern and one that all instances see.
pub const KEYED: &str = r#"
module bench.keyed
tool refund(order_id: string) -> { ok: bool }
tool check(order_id: string) -> { ok: bool }
tool unlock() -> { ok: bool }
contract checked for each order {
  guarantee call refund(order_id == order) only after success check(args.order_id == order)
}
contract locked for each order {
  guarantee call refund(order_id == order) only after success unlock
}
"#;

/// A contract that the returns of calls can violate, so that each call is asked what the calls in flight
/// would do.
pub const ONCE: &str = r#"
module bench.once
tool refund(order_id: string) -> { ok: bool }
tool look(order_id: string) -> { ok: bool }
contract once for each order { guarantee success refund(args.order_id == order) at most 1 time }
"#;

/// A contract of each common shape, over tools of its own.
pub const SHAPES: &str = r#"
module bench.shapes
tool login(user: string) -> { ok: bool }
tool read(user: string) -> { ok: bool }
tool ping(n: number) -> { ok: bool }
tool send(to: string) -> { ok: bool }
tool list(user: string) -> { names: list<string> }
tool open(name: string) -> { ok: bool }
contract precondition { guarantee call read only after success login(args.user == "ann") }
contract cap { guarantee call ping only if sum(call ping, args.n) <= 100000000 }
contract told { guarantee call send only if mentioned(input, to) }
contract listed { guarantee call open only if name in values(success list, result.names) }
"#;

/// A library of `count` preconditions, each over two tools that four contracts share.
#[must_use]
pub fn preconditions(count: usize) -> String {
    let mut text = String::from("module bench.preconditions\n\n");
    for tool in 0..count.div_ceil(4) {
        let _ = writeln!(
            text,
            "tool check{tool:03}(order_id: string, mode: string) -> {{ ok: bool, note: string }}\n\
             tool act{tool:03}(order_id: string, amount: number) -> {{ ok: bool }}"
        );
    }
    for n in 0..count {
        let tool = n / 4;
        let _ = writeln!(
            text,
            "\n/// Rule {n}.\n@id(\"BENCH-{n:03}\")\ncontract c{n:03} {{\n  guarantee call act{tool:03} \
             only after success check{tool:03}(args.mode == \"mode {n}\")\n  otherwise block \"Check the \
             order in mode {n} first; then act on {{args.order_id}}.\"\n}}"
        );
    }
    text
}

/// One contract that names the tool `act000`, and `count` that name others.
#[must_use]
pub fn unnamed(count: usize) -> String {
    let mut text = String::from(
        "module bench.unnamed\n\
         tool ask(mode: string) -> { ok: bool }\n\
         tool act(order_id: string) -> { ok: bool }\n\
         contract named { guarantee call act only after success ask(args.mode == \"m\") }\n",
    );
    for n in 0..count {
        let _ = writeln!(
            text,
            "tool ask{n}(mode: string) -> {{ ok: bool }}\n\
             tool act{n}(order_id: string) -> {{ ok: bool }}\n\
             contract c{n} {{ guarantee call act{n} only after success ask{n}(args.mode == \"m\") }}"
        );
    }
    text
}

/// `count` contracts that all name the tools `ask` and `act`, each with a condition of its own.
#[must_use]
pub fn named(count: usize) -> String {
    let mut text = String::from(
        "module bench.named\n\
         tool ask(mode: string) -> { ok: bool }\n\
         tool act(order_id: string, mode: string) -> { ok: bool }\n",
    );
    for n in 0..count {
        let _ = writeln!(
            text,
            "contract c{n} {{ guarantee call act(mode == \"m{n}\") only after success ask(args.mode == \"m{n}\") }}"
        );
    }
    text
}

/// A library for what `ctrc check` finds, and the names of the contracts that exclude each other.
#[derive(Debug)]
pub struct Planted {
    /// The policy.
    pub text: String,
    /// The one core of its conflict.
    pub core: Vec<String>,
}

/// `count` preconditions that share nothing, one of them in conflict with two more contracts.
#[must_use]
pub fn planted_unrelated(count: usize) -> Planted {
    let at = count / 2;
    let rule = |n| format!("call act{n} only after success ask{n}");
    planted(count, at, rule, &format!("act{at}"), &format!("ask{at}"))
}

/// `count` preconditions on one tool, one of them in conflict with two more contracts.
#[must_use]
pub fn planted_one_tool(count: usize) -> Planted {
    let at = count / 2;
    let rule = |n| format!("call act only after success ask{n}");
    planted(count, at, rule, "act", &format!("ask{at}"))
}

/// A chain of `count` preconditions, a link of it in conflict with two more contracts.
#[must_use]
pub fn planted_chain(count: usize) -> Planted {
    let at = count / 2;
    let rule = |n| format!("call act{n} only after success act{}", n + 1);
    let (wanted, banned) = (format!("act{at}"), format!("act{}", at + 1));
    planted(count, at, rule, &wanted, &banned)
}

fn planted(
    count: usize,
    at: usize,
    rule: impl Fn(usize) -> String,
    wanted: &str,
    banned: &str,
) -> Planted {
    let mut text = String::from("module bench.planted\n");
    for n in 0..count {
        let _ = writeln!(text, "contract c{n} {{ guarantee {} }}", rule(n));
    }
    let _ = writeln!(
        text,
        "contract wanted {{ guarantee eventually call {wanted} }}"
    );
    let _ = writeln!(text, "contract banned {{ guarantee never call {banned} }}");
    Planted {
        text,
        core: vec![format!("c{at}"), "wanted".to_owned(), "banned".to_owned()],
    }
}
