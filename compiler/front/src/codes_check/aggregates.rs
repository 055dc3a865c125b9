//! Aggregates and keys.

use crate::diagnostic::CodeDoc;

/// The codes.
pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "E0436",
        title: "this event inside an aggregate",
        meaning: "An aggregate's pattern and value read the remembered events. This event's fields are not seen there.",
        why: "What is remembered is kept for all later events, which have other fields.",
        fix: "Ask for members of a set: `item in values(...)`. Or correlate by keys: `for each k`, with the key bound in both patterns.",
        wrong: &[(
            "policy.ctr",
            r"predicate seen(x: string) = count(success search(id == x)) > 0
contract c { guarantee call buy only if seen(item) }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call buy only if item in values(success search, result.id) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0437",
        title: "`earlier` or `within` in the wrong place",
        meaning: r"`earlier P` and `P within 10min` stand inside aggregates, before and after the pattern; a window is a time, and `streak`, `first` and `elapsed`
have none.",
        why: "Elsewhere they would have no effect.",
        fix: "Move them into an aggregate that has a window, such as `count`.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call pay only if streak(call pay within 5min) < 3 }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call pay only if count(earlier call pay within 5min) < 3 }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0438",
        title: "aggregate in an aggregate",
        meaning: "An aggregate remembers events by their own fields. Another aggregate cannot stand in its pattern or value.",
        why: "Its value at a remembered event would have to be remembered with it.",
        fix: "Compare the aggregates with each other outside.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call pay only if count(call pay(amount > count(call log))) < 3 }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call pay only if count(call pay) < count(call log) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0439",
        title: "set where one value is needed",
        meaning: "`values(P, expr)` is the set of all values so far. It can be asked for members, for its `len`, and by `every` and `some`.",
        why: "A set equals no single value, so that the comparison would be false for ever.",
        fix: "Ask with `in`.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call pay only if to == values(success search, result.id) }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call pay only if to in values(success search, result.id) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0440",
        title: "not all keys bound",
        meaning: "In each pattern of a contract either every key is bound, by a condition `field == key`, or none is.",
        why: "With one key of two an event would belong to many instances in part.",
        fix: "Bind the other key too, or leave it out of `for each`.",
        wrong: &[(
            "policy.ctr",
            r"contract c for each (a, b) { guarantee never call pay(x == a) }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c for each (a, b) { guarantee never call pay(x == a, y == b) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0441",
        title: "key used without being bound",
        meaning: r"A pattern that does not bind the keys is seen by every instance. Keys can be read as values in patterns that bind them, in conditions in
braces, and in messages.",
        why: "Such a pattern has no one value of the key.",
        fix: "Bind the key with `field == key`.",
        wrong: &[(
            "policy.ctr",
            r"contract c for each a { guarantee call pay(x == a) only after call log(y != a) }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c for each a { guarantee call pay(x == a) only after call log(y == a) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0442",
        title: "key never bound",
        meaning: "A contract `for each k` has one instance for each value that a pattern binds.",
        why: "Without such a pattern it has no instance, and promises nothing.",
        fix: "Bind the key: `call pay(order_id == order)`.",
        wrong: &[(
            "policy.ctr",
            r"contract c for each order { guarantee never call pay }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c for each order { guarantee call pay(order_id == order) at most 1 time }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0443",
        title: "keyed and unkeyed patterns together",
        meaning: "What an aggregate or a bound in time remembers is kept once for each key, or once for the session: its patterns bind the key all or none.",
        why: "The events of one pattern would count for one key, those of the other for all.",
        fix: "Bind the key in all its patterns.",
        wrong: &[(
            "policy.ctr",
            r"contract c for each a { guarantee call pay(x == a) only if count((call log(y == a) or call note)) < 3 }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c for each a { guarantee call pay(x == a) only if count((call log(y == a) or call note(z == a))) < 3 }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0444",
        title: "value read in two ways",
        meaning: "The tools of the pattern declare the value differently.",
        why: "Values of different types cannot be kept together: no number equals a text.",
        fix: "Write an aggregate for each tool, or convert the values: `text(amount)`.",
        wrong: &[(
            "policy.ctr",
            r"tool pay(amount: number)
tool wire(amount: string)
contract c { guarantee call pay only if not amount in values(earlier call pay | wire, amount) }
",
        )],
        right: &[(
            "policy.ctr",
            r"tool pay(amount: number)
tool wire(amount: string)
contract c { guarantee call pay only if not amount in values(earlier call pay, amount) }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0445",
        title: "aggregate over something else than events",
        meaning: "The first argument of an aggregate is an event pattern, or patterns joined by `and`, `or` and `not` in parentheses.",
        why: "An aggregate remembers events.",
        fix: "Name the events: `count(call pay)`.",
        wrong: &[(
            "policy.ctr",
            r"contract c { guarantee call pay only if count(5) < 3 }
",
        )],
        right: &[(
            "policy.ctr",
            r"contract c { guarantee call pay only if count((call pay or call wire)) < 3 }
",
        )],
        exempt: None,
    },
    CodeDoc {
        code: "E0447",
        title: "two actions",
        meaning: "A contract has one action for its guarantee.",
        why: "Which of the two the runtime should take is not said.",
        fix: "Remove one, or split the contract.",
        wrong: &[(
            "policy.ctr",
            r#"contract c {
  guarantee never call pay
  otherwise block "no"
  otherwise warn "no"
}
"#,
        )],
        right: &[(
            "policy.ctr",
            r#"contract c {
  guarantee never call pay
  otherwise block "no"
}
"#,
        )],
        exempt: None,
    },
];
