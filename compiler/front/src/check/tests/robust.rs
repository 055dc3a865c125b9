//! Nothing that can be written makes the front end panic or hang.

use std::time::{Duration, Instant};

use super::compiled;

/// A policy with every construct.
const EVERYTHING: &str = r#"
module m
import std.declare
tool shop.pay(amount: number, to?: string, xs: list<{ n: int }>) -> { ok: bool, id: string }
tool log(text: string)
group money = { pay }
group risky = tools where destructive and not read_only
event tick(n: int)
context role: enum("admin", "user")
lookup owner(id: string) -> string
predicate p(a: event, n: number) = always (a implies {count(call log) < n})
@id("R-1") @severity(high)
contract c for each (k, l) {
  let spent = sum(call pay(amount == k, to == l), amount)
  assume never return pay(text(result) matches /x(y|z)+/i)
  guarantee call pay(amount == k, to == l, some x in xs: x.n > 5) only if spent - 2 * 3 <= 10 and (to ?? "x") like "*y"
  guarantee success pay(args.amount == k, args.to == l) at most 3 times within 10min
  guarantee (call money(amount == k, l == to) leads to tick within 30s) and p(call log, 5)
  otherwise redirect log(text: "{args.amount} of {spent}") "no {k} {l}"
}
test "t" for c {
  context role = "admin"
  lookup owner("x") = "y"
  call pay(amount: 5, xs: [{ n: 1 }]) -> { ok: true } expect block by c
  after 30s
  call log(text: "x") -> failure "no"
  end expect satisfied
}
"#;

/// A small generator of numbers (Marsaglia's xorshift), so that failures repeat.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % (n as u64)).unwrap()
    }
}

fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let length = if word(first) {
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (head, tail) = rest.split_at(length);
        words.push(head);
        rest = tail;
    }
    words
}

#[test]
fn the_whole_compiles() {
    let compiled = compiled(EVERYTHING);
    let found: Vec<String> = compiled
        .diagnostics
        .iter()
        .map(|d| super::shown(&compiled, d))
        .filter(|d| !d.starts_with("W0401") && !d.starts_with("W0414"))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn changed_texts_are_read_to_the_end() {
    let original = words(EVERYTHING);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let start = Instant::now();
    let mut tried = 0;
    while tried < 300 && start.elapsed() < Duration::from_secs(10) {
        tried += 1;
        let mut text = original.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(text.len());
            let other = original[random.below(original.len())];
            match random.below(3) {
                0 => {
                    text.remove(at);
                }
                1 => text[at] = other,
                _ => text.insert(at, other),
            }
        }
        let text: String = text.concat();
        let compiled = compiled(&text);
        for diagnostic in &compiled.diagnostics {
            for label in std::iter::once(&diagnostic.primary).chain(&diagnostic.secondary) {
                let source = compiled.graph.text(label.place.source);
                let span = label.place.span;
                assert!(
                    source.get(span.start as usize..span.end as usize).is_some(),
                    "{} has no place in\n{text}",
                    diagnostic.code
                );
            }
        }
        let errors = compiled
            .diagnostics
            .iter()
            .any(|d| d.severity == crate::diagnostic::Severity::Error);
        assert_eq!(compiled.library.is_none(), errors, "{text}");
    }
    assert!(tried > 20, "too slow: {tried}");
}

#[test]
fn what_is_not_read_is_said() {
    // A budget that runs out anywhere leaves an error, never a library with holes.
    for body in [
        "p(call x)",
        "always p(call x)",
        "call t only if c9()",
        "p(call x) leads to call y within 3s",
    ] {
        let mut text = String::from("predicate p0(a: event) = a\npredicate c0() = x == 1\n");
        for n in 1..=9 {
            let before = n - 1;
            let six = |call: &str| [call; 6].join(" or ");
            if body.contains("c9") {
                text.push_str(&format!(
                    "predicate c{n}() = {}\n",
                    six(&format!("c{before}()"))
                ));
            } else {
                text.push_str(&format!(
                    "predicate p{n}(a: event) = {}\n",
                    six(&format!("p{before}(a)"))
                ));
            }
        }
        text.push_str(&format!(
            "contract c {{ guarantee {} }}",
            body.replace("p(", "p9(")
        ));
        let compiled = compiled(&text);
        assert!(compiled.library.is_none(), "{body}");
        let codes: Vec<&str> = compiled.diagnostics.iter().map(|d| d.code).collect();
        assert_eq!(codes, ["E0435"], "{body}");
    }
}
