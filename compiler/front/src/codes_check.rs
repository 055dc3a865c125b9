//! The documentation of the codes E0400 to E0599 and W0400 to W0599: names, types, formulas.
//!
//! Each text has an example that is wrong in this way alone and one that is right; the tests compile
//! both. `common.ctr` in them has a contract `shared` and a predicate `quiet(a: event)`.

use crate::diagnostic::CodeDoc;

/// Names, types, formulas.
pub const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "E0400",
        title: "unknown name",
        text: r##"Nothing of that name can be seen from here: no event, predicate, lookup, key, `let`, parameter or
built-in function. Names of an imported file stand behind its name: `common.name`.

Wrong:

```ctr
contract c { guarantee call pay only after aproval }
event approval(by: string)
```

Right:

```ctr
contract c { guarantee call pay only after approval }
event approval(by: string)
```"##,
    },
    CodeDoc {
        code: "E0401",
        title: "unknown tool",
        text: r##"The file declares tools, and none has this name. Names fit exactly, never as a prefix or a pattern. A
file without any tool declaration is not checked: its names are the tools of any server.

Wrong:

```ctr
tool refund(amount: number)
contract c { guarantee never call refnd }
```

Right:

```ctr
tool refund(amount: number)
contract c { guarantee never call refund }
```"##,
    },
    CodeDoc {
        code: "E0402",
        title: "ambiguous tool",
        text: r##"Two servers declare a tool of that name. Identity comes from the server: say which one is meant.

Wrong:

```ctr
tool shop.pay(amount: number)
tool bank.pay(amount: number)
contract c { guarantee never call pay }
```

Right:

```ctr
tool shop.pay(amount: number)
tool bank.pay(amount: number)
contract c { guarantee never call bank.pay }
```"##,
    },
    CodeDoc {
        code: "E0403",
        title: "unknown name in a module",
        text: r##"The imported file is there and has no such event, predicate, lookup, tool or group.

Wrong:

```ctr
import "common.ctr" as common
contract c { guarantee common.quite(call pay) }
```

Right:

```ctr
import "common.ctr" as common
contract c { guarantee common.quiet(call pay) }
```"##,
    },
    CodeDoc {
        code: "E0404",
        title: "declared twice",
        text: r##"Two things of one kind have the same name, so that nobody can tell which one is meant. Events,
predicates, lookups and imports share their names; so do tools and groups; fields of one record; keys and
`let`s of one contract.

Wrong:

```ctr
event done(by: string)
predicate done(a: event) = eventually a
contract c { guarantee never call pay }
```

Right:

```ctr
event done(by: string)
predicate finishes(a: event) = eventually a
contract c { guarantee never call pay }
```"##,
    },
    CodeDoc {
        code: "E0405",
        title: "two contracts of one name",
        text: r##"Two loaded files have a contract of this name. Verdicts and decisions name contracts, so that names are
unique in a library.

Wrong:

```ctr
include "common.ctr"
contract shared { guarantee never call pay }
```

Right:

```ctr
include "common.ctr"
contract own { guarantee never call pay }
```"##,
    },
    CodeDoc {
        code: "E0406",
        title: "recursion",
        text: r##"A predicate is replaced by its body, and a group by its tools. One that leads to itself would never end.

Wrong:

```ctr
predicate a(p: event) = b(p)
predicate b(p: event) = a(p)
contract c { guarantee a(call pay) }
```

Right:

```ctr
predicate a(p: event) = b(p)
predicate b(p: event) = never p
contract c { guarantee a(call pay) }
```"##,
    },
    CodeDoc {
        code: "E0407",
        title: "wrong number of arguments",
        text: r##"A predicate, function, aggregate or lookup takes another number of arguments, or is used without
parentheses.

Wrong:

```ctr
predicate both(a: event, b: event) = (eventually a) and (eventually b)
contract c { guarantee both(call pay) }
```

Right:

```ctr
predicate both(a: event, b: event) = (eventually a) and (eventually b)
contract c { guarantee both(call pay, call log) }
```"##,
    },
    CodeDoc {
        code: "E0408",
        title: "wrong kind of argument",
        text: r##"A parameter declared `event` takes a pattern, or a formula in parentheses, so that every reader sees
where it begins and ends.

Wrong:

```ctr
predicate quiet(a: event) = never a
contract c { guarantee quiet(5) }
```

Right:

```ctr
predicate quiet(a: event) = never a
contract c { guarantee quiet((call pay or call log)) }
```"##,
    },
    CodeDoc {
        code: "E0409",
        title: "unknown contract",
        text: r##"A test or an `include` names a contract that is not there. Contracts of an imported file are not loaded;
`include` loads them.

Wrong:

```ctr
contract c { guarantee never call pay }
test "t" { call pay expect block by d }
```

Right:

```ctr
contract c { guarantee never call pay }
test "t" { call pay expect block by c }
```"##,
    },
    CodeDoc {
        code: "E0410",
        title: "reserved name",
        text: r##"`args`, `result`, `ctx` and `event` say where a field is, and built-in functions have names of their own.
Nothing else can be called so.

Wrong:

```ctr
event count(n: int)
contract c { guarantee never call pay }
```

Right:

```ctr
event counted(n: int)
contract c { guarantee never call pay }
```"##,
    },
    CodeDoc {
        code: "E0411",
        title: "unknown attribute",
        text: r##"Contracts have the attributes `@id`, `@severity`, `@source`, `@tags` and `@agents`.

Wrong:

```ctr
@sevrity(high)
contract c { guarantee never call pay }
```

Right:

```ctr
@severity(high)
contract c { guarantee never call pay }
```"##,
    },
    CodeDoc {
        code: "E0412",
        title: "wrong attribute value",
        text: r##"An attribute takes other values, or another number of them. Severities are info, low, medium, high and
critical.

Wrong:

```ctr
@severity(urgent)
contract c { guarantee never call pay }
```

Right:

```ctr
@severity(critical)
@id("R-12")
@source("policy.md", "Refunds")
@tags("a", "b")
@agents("billing-*")
contract c { guarantee never call pay }
```"##,
    },
    CodeDoc {
        code: "E0413",
        title: "attribute in the wrong place",
        text: r##"Attributes describe contracts, and nothing else has any.

Wrong:

```ctr
@id("R-1")
event approval(by: string)
contract c { guarantee never call pay }
```

Right:

```ctr
event approval(by: string)
@id("R-1")
contract c { guarantee never call pay }
```"##,
    },
    CodeDoc {
        code: "E0414",
        title: "unknown annotation",
        text: r##"`tools where` selects tools by their MCP annotations: `destructive`, `read_only`, `idempotent` and
`open_world`, joined by `and`, `or` and `not`. A tool that says nothing counts as the specification of MCP
has it: not read-only, destructive, not idempotent, open to the world.

Wrong:

```ctr
tool pay(amount: number)
group g = tools where destuctive
contract c { guarantee never call g }
```

Right:

```ctr
tool pay(amount: number)
group g = tools where destructive and not read_only
contract c { guarantee never call g }
```"##,
    },
    CodeDoc {
        code: "E0420",
        title: "condition without braces",
        text: r##"A condition about the session's state that stands in a formula goes into braces, so that a reader can tell
what is judged at a step from what orders steps.

Wrong:

```ctr
contract c { guarantee call pay only while ctx.role == "admin" }
```

Right:

```ctr
contract c { guarantee call pay only while {ctx.role == "admin"} }
```"##,
    },
    CodeDoc {
        code: "E0421",
        title: "temporal operator in a condition",
        text: r##"A condition is judged at one event. Operators of time and readable forms order events: they belong into
the formula. What a condition can ask of the past is in aggregates: `count(call t) > 0`.

Wrong:

```ctr
contract c { guarantee call pay only if eventually amount > 5 }
```

Right:

```ctr
contract c { guarantee call pay only if amount > 5 }
```"##,
    },
    CodeDoc {
        code: "E0422",
        title: "event in a condition",
        text: r##"An event pattern is a formula. A condition compares values; it can count events, `count(call t) > 0`.

Wrong:

```ctr
contract c { guarantee call pay only if call login }
```

Right:

```ctr
contract c { guarantee call pay only if count(call login) > 0 }
```"##,
    },
    CodeDoc {
        code: "E0423",
        title: "field outside a pattern",
        text: r##"Arguments, results and fields belong to an event, and only inside the pattern of an event is it clear to
which. A condition in braces reads `ctx.`, `event.`, aggregates, lookups, keys and `let`s.

Wrong:

```ctr
contract c { guarantee call pay only while {args.amount <= 5} }
```

Right:

```ctr
contract c { guarantee call pay only if amount <= 5 }
```"##,
    },
    CodeDoc {
        code: "E0424",
        title: "result of a call",
        text: r##"When a call is proposed its result is not known. Put the obligation on the return.

Wrong:

```ctr
contract c { guarantee never call read(result.secret == true) }
```

Right:

```ctr
contract c { guarantee never success read(secret == true) }
```"##,
    },
    CodeDoc {
        code: "E0425",
        title: "no such part of this event",
        text: r##"Calls have `args.`, returns `args.` and `result.`, inputs and outputs `text`, declared events their fields.
All have `event.`.

Wrong:

```ctr
contract c { guarantee never input(args.x == 1) }
```

Right:

```ctr
contract c { guarantee never input(text contains "x") }
```"##,
    },
    CodeDoc {
        code: "E0426",
        title: "future under past",
        text: r##"Operators that look back are judged from what is known; under them nothing can look ahead. Past operators
may stand under future ones.

Wrong:

```ctr
contract c { guarantee always (call pay implies once (next call log)) }
```

Right:

```ctr
contract c { guarantee always (call pay implies next (once call log)) }
```"##,
    },
    CodeDoc {
        code: "E0427",
        title: "assumption about the agent",
        text: r##"An assumption is what the environment owes. Calls, outputs and aggregates over them are the agent's: what
follows from them belongs into the guarantee.

Wrong:

```ctr
contract c {
  assume never call debug
  guarantee never call pay
}
```

Right:

```ctr
contract c {
  guarantee (never call debug) implies (never call pay)
}
```"##,
    },
    CodeDoc {
        code: "E0428",
        title: "`only if` without one kind of event",
        text: r##"The condition after `only if` reads the fields of the event before it. That is a pattern, or several
patterns of one kind in parentheses.

Wrong:

```ctr
contract c { guarantee (call pay or success pay) only if amount < 5 }
```

Right:

```ctr
contract c { guarantee (call pay or call transfer) only if amount < 5 }
```"##,
    },
    CodeDoc {
        code: "E0429",
        title: "deadline inside a formula",
        text: r##"A response within a time is watched by the clock, not by the automaton of the formula. It stands at the
top of a clause or in a conjunction there. Within a number of steps it may stand anywhere.

Wrong:

```ctr
contract c { guarantee (call page leads to call ack within 30s) or (never call page) }
```

Right:

```ctr
contract c { guarantee call page leads to call ack within 30s }
```"##,
    },
    CodeDoc {
        code: "E0430",
        title: "bound in time on a formula",
        text: r##"What is bounded in time must be seen at one event: a pattern, or patterns joined by `and`, `or` and `not`.

Wrong:

```ctr
contract c { guarantee call page leads to (next call ack) within 30s }
```

Right:

```ctr
contract c { guarantee call page leads to (call ack or call resolve) within 30s }
```"##,
    },
    CodeDoc {
        code: "E0431",
        title: "number too large",
        text: r##"`at most n times` and `within n steps` are written out as formulas, whose automata grow with n. Larger
numbers are counted by an aggregate, which costs nothing.

Wrong:

```ctr
contract c { guarantee call pay at most 5000 times }
```

Right:

```ctr
contract c { guarantee call pay only if count(call pay) <= 5000 }
```"##,
    },
    CodeDoc {
        code: "E0432",
        title: "combination without meaning",
        text: r##"`consecutive` goes with `at most`; a window of time with `at most`, since a window ends at each event, the
first too.

Wrong:

```ctr
contract c { guarantee call pay at least 2 times within 10min }
```

Right:

```ctr
contract c { guarantee call pay at most 2 times within 10min }
```"##,
    },
    CodeDoc {
        code: "E0433",
        title: "value where a formula is needed",
        text: r##"Formulas are made of patterns, conditions in braces and operators. A number, a text, a key or a field is a
value.

Wrong:

```ctr
contract c { guarantee always 5 }
```

Right:

```ctr
contract c { guarantee always {ctx.level == 5} }
```"##,
    },
    CodeDoc {
        code: "E0434",
        title: "nested too deeply",
        text: r##"Expressions are nested more than 120 deep, predicates and `let`s expanded. The bound keeps the compiler and
what it makes safe on any machine. Split the expression into several clauses or `let`s."##,
    },
    CodeDoc {
        code: "E0435",
        title: "contract too large",
        text: r##"Predicates and `let`s expand to more than 200000 expressions in one contract, most likely because
predicates that use their parameters twice are nested. Split the contract."##,
    },
    CodeDoc {
        code: "E0436",
        title: "this event inside an aggregate",
        text: r##"An aggregate's pattern and value read the remembered events. This event and those are correlated by keys:
`for each k`, with the key bound in both patterns.

Wrong:

```ctr
predicate seen(x: string) = count(success search(id == x)) > 0
contract c { guarantee call buy only if seen(item) }
```

Right:

```ctr
contract c { guarantee call buy only if item in values(success search, result.id) }
```"##,
    },
    CodeDoc {
        code: "E0437",
        title: "`earlier` or `within` in the wrong place",
        text: r##"`earlier P` and `P within 10min` stand inside aggregates, before and after the pattern; a window is a time,
and `streak`, `first` and `elapsed` have none.

Wrong:

```ctr
contract c { guarantee call pay only if streak(call pay within 5min) < 3 }
```

Right:

```ctr
contract c { guarantee call pay only if count(earlier call pay within 5min) < 3 }
```"##,
    },
    CodeDoc {
        code: "E0438",
        title: "aggregate in an aggregate",
        text: r##"An aggregate remembers events by their own fields. Compare aggregates with each other outside.

Wrong:

```ctr
contract c { guarantee call pay only if count(call pay(amount > count(call log))) < 3 }
```

Right:

```ctr
contract c { guarantee call pay only if count(call pay) < count(call log) }
```"##,
    },
    CodeDoc {
        code: "E0439",
        title: "set where one value is needed",
        text: r##"`values(P, expr)` is the set of all values so far. It can be asked for members, for its `len`, and by
`every` and `some`.

Wrong:

```ctr
contract c { guarantee call pay only if to == values(success search, result.id) }
```

Right:

```ctr
contract c { guarantee call pay only if to in values(success search, result.id) }
```"##,
    },
    CodeDoc {
        code: "E0440",
        title: "not all keys bound",
        text: r##"In each pattern of a contract either every key is bound, by a condition `field == key`, or none is.

Wrong:

```ctr
contract c for each (a, b) { guarantee never call pay(x == a) }
```

Right:

```ctr
contract c for each (a, b) { guarantee never call pay(x == a, y == b) }
```"##,
    },
    CodeDoc {
        code: "E0441",
        title: "key used without being bound",
        text: r##"A pattern that does not bind the keys is seen by every instance, and has no one value of the key. Keys can
be read as values in patterns that bind them, in conditions in braces, and in messages.

Wrong:

```ctr
contract c for each a { guarantee call pay(x == a) only after call log(y != a) }
```

Right:

```ctr
contract c for each a { guarantee call pay(x == a) only after call log(y == a) }
```"##,
    },
    CodeDoc {
        code: "E0442",
        title: "key never bound",
        text: r##"A contract `for each k` has one instance for each value that a pattern binds. Without such a pattern it has
none, and promises nothing.

Wrong:

```ctr
contract c for each order { guarantee never call pay }
```

Right:

```ctr
contract c for each order { guarantee call pay(order_id == order) at most 1 time }
```"##,
    },
    CodeDoc {
        code: "E0443",
        title: "keyed and unkeyed patterns together",
        text: r##"What an aggregate or a bound in time remembers is kept once for each key, or once for the session: its
patterns bind the key all or none.

Wrong:

```ctr
contract c for each a { guarantee call pay(x == a) only if count((call log(y == a) or call note)) < 3 }
```

Right:

```ctr
contract c for each a { guarantee call pay(x == a) only if count((call log(y == a) or call note(z == a))) < 3 }
```"##,
    },
    CodeDoc {
        code: "E0444",
        title: "value read in two ways",
        text: r##"The tools of the pattern declare the value differently, so that their values cannot be kept together.

Wrong:

```ctr
tool pay(amount: number)
tool wire(amount: string)
contract c { guarantee never call pay(amount in values(call pay | wire, amount)) }
```

Right:

```ctr
tool pay(amount: number)
tool wire(amount: string)
contract c { guarantee never call pay(amount in values(call pay, amount)) }
```"##,
    },
    CodeDoc {
        code: "E0445",
        title: "aggregate over something else than events",
        text: r##"The first argument of an aggregate is an event pattern, or patterns joined by `and`, `or` and `not` in
parentheses.

Wrong:

```ctr
contract c { guarantee call pay only if count(5) < 3 }
```

Right:

```ctr
contract c { guarantee call pay only if count((call pay or call wire)) < 3 }
```"##,
    },
    CodeDoc {
        code: "E0447",
        title: "two actions",
        text: r##"A contract has one action for its guarantee.

Wrong:

```ctr
contract c {
  guarantee never call pay
  otherwise block "no"
  otherwise warn "no"
}
```

Right:

```ctr
contract c {
  guarantee never call pay
  otherwise block "no"
}
```"##,
    },
    CodeDoc {
        code: "E0500",
        title: "comparison of unlike types",
        text: r##"Values of unlike types are never equal and have no order, so that the comparison says nothing. Strings are
never read as numbers; a moment is written `timestamp("...")`; a duration has a unit.

Wrong:

```ctr
tool pay(amount: number)
contract c { guarantee never call pay(amount == "5") }
```

Right:

```ctr
tool pay(amount: number)
contract c { guarantee never call pay(amount == 5) }
```"##,
    },
    CodeDoc {
        code: "E0501",
        title: "unknown field",
        text: r##"The declared type has no such field. JSON Schemas that do not mention additional properties count as closed
here: a name that no property has is a slip.

Wrong:

```ctr
tool pay(amount: number)
contract c { guarantee never call pay(amout > 5) }
```

Right:

```ctr
tool pay(amount: number)
contract c { guarantee never call pay(amount > 5) }
```"##,
    },
    CodeDoc {
        code: "E0502",
        title: "unknown value",
        text: r##"The field has known values, and this is none of them, so that the comparison is the same for every event.

Wrong:

```ctr
tool pay(mode: enum("card", "cash"))
contract c { guarantee never call pay(mode == "crad") }
```

Right:

```ctr
tool pay(mode: enum("card", "cash"))
contract c { guarantee never call pay(mode == "card") }
```"##,
    },
    CodeDoc {
        code: "E0503",
        title: "unreadable regular expression",
        text: r##"Regular expressions have the syntax of the Rust crate `regex`, and the flags i, m, s, x, U and u.

Wrong:

```ctr
contract c { guarantee never call bash(command matches /rm (/) }
```

Right:

```ctr
contract c { guarantee never call bash(command matches /rm \(/i) }
```"##,
    },
    CodeDoc {
        code: "E0504",
        title: "look-around or back-reference",
        text: r##"Regular expressions are searched in linear time, whatever the text, so that nobody can stall the guard.
Look-around and back-references do not allow that. Two conditions do the work of a look-around.

Wrong:

```ctr
contract c { guarantee never call bash(command matches /rm(?! -i)/) }
```

Right:

```ctr
contract c { guarantee never call bash(command matches /rm/ and not command matches /rm -i/) }
```"##,
    },
    CodeDoc {
        code: "E0505",
        title: "regular expression out of place",
        text: r##"`matches` takes a regular expression between strokes, and nothing else does.

Wrong:

```ctr
contract c { guarantee never call bash(command == /rm/) }
```

Right:

```ctr
contract c { guarantee never call bash(command matches /rm/) }
```"##,
    },
    CodeDoc {
        code: "E0506",
        title: "product of two unknowns",
        text: r##"Arithmetic is linear: one factor of `*` is a constant, so that the compiler can decide whether contracts
contradict each other.

Wrong:

```ctr
contract c { guarantee never call buy(price * quantity > 100) }
```

Right:

```ctr
contract c { guarantee never call buy(price * 3 > 100) }
```"##,
    },
    CodeDoc {
        code: "E0507",
        title: "no number",
        text: r##"`+`, `-`, `*`, `sum`, `min` and `max` take numbers (and durations and timestamps where that has a meaning).

Wrong:

```ctr
tool pay(note: string)
contract c { guarantee never call pay(note + 1 > 5) }
```

Right:

```ctr
tool pay(note: string)
contract c { guarantee never call pay(number(note) + 1 > 5) }
```"##,
    },
    CodeDoc {
        code: "E0508",
        title: "no list",
        text: r##"`every`, `some`, `[*]` and `[0]` go into lists.

Wrong:

```ctr
tool pay(to: string)
contract c { guarantee never call pay(some x in to: x == "a") }
```

Right:

```ctr
tool pay(to: list<string>)
contract c { guarantee never call pay(some x in to: x == "a") }
```"##,
    },
    CodeDoc {
        code: "E0509",
        title: "wrong operand",
        text: r##"The operator is not for values of that type: `matches`, `like`, `starts with`, `ends with` and `inside` take
strings, `in` a list, `contains` a string or a list.

Wrong:

```ctr
tool pay(amount: number)
contract c { guarantee never call pay(amount like "5*") }
```

Right:

```ctr
tool pay(amount: number)
contract c { guarantee never call pay(text(amount) like "5*") }
```"##,
    },
    CodeDoc {
        code: "E0510",
        title: "no condition",
        text: r##"A condition is true or false. Only a field declared `bool` can stand alone.

Wrong:

```ctr
tool pay(amount: number, urgent: bool)
contract c { guarantee never call pay(amount) }
```

Right:

```ctr
tool pay(amount: number, urgent: bool)
contract c { guarantee never call pay(urgent) }
```"##,
    },
    CodeDoc {
        code: "E0511",
        title: "wrong type of argument",
        text: r##"A function, lookup or predicate takes a value of another type.

Wrong:

```ctr
tool pay(amount: number)
contract c { guarantee never call pay(lower(amount) == "x") }
```

Right:

```ctr
tool pay(amount: number)
contract c { guarantee never call pay(abs(amount) == 3) }
```"##,
    },
    CodeDoc {
        code: "E0512",
        title: "unreadable time",
        text: r##"A moment is written as RFC 3339 has it, with its offset: `2026-11-30T10:00:00Z`. A duration has one of the
units ms, s, min, h and d.

Wrong:

```ctr
contract c { guarantee never call pay(event.time > timestamp("30.11.2026")) }
```

Right:

```ctr
contract c { guarantee never call pay(event.time > timestamp("2026-11-30T10:00:00Z")) }
```"##,
    },
    CodeDoc {
        code: "E0513",
        title: "`has` of no field",
        text: r##"`has` asks whether a field is there.

Wrong:

```ctr
contract c { guarantee never call pay(has(amount + 1)) }
```

Right:

```ctr
contract c { guarantee never call pay(has(amount)) }
```"##,
    },
    CodeDoc {
        code: "E0514",
        title: "unknown context field",
        text: r##"The file declares what the host supplies, and this field is not among it. A file without `context` lines is
not checked; in a file without tools it is a warning (W0405).

Wrong:

```ctr
tool pay(amount: number)
context role: string
contract c { guarantee call pay only while {ctx.rol == "admin"} }
```

Right:

```ctr
context role: string
contract c { guarantee call pay only while {ctx.role == "admin"} }
```"##,
    },
    CodeDoc {
        code: "E0515",
        title: "unknown recorded fact",
        text: r##"The host records `event.agent`, `event.server`, `event.time`, `event.turn`, `event.depth` and
`event.tokens`.

Wrong:

```ctr
contract c { guarantee never call pay(event.agnt == "x") }
```

Right:

```ctr
contract c { guarantee never call pay(event.agent == "x") }
```"##,
    },
    CodeDoc {
        code: "E0516",
        title: "record in a condition",
        text: r##"A record is written out only in tests. Conditions compare field by field.

Wrong:

```ctr
contract c { guarantee never call pay(to == { name: "x" }) }
```

Right:

```ctr
contract c { guarantee never call pay(to.name == "x") }
```"##,
    },
    CodeDoc {
        code: "E0517",
        title: "unknown type",
        text: r##"Types are `string`, `int`, `number`, `bool`, `enum("a", "b")`, `list<T>`, `map<T>`, `{ field: T, other?: T }`,
`timestamp`, `duration`, `null`, `T | U` and `any`; a predicate's parameter may be an `event`.

Wrong:

```ctr
tool pay(amount: integer)
contract c { guarantee never call pay }
```

Right:

```ctr
tool pay(amount: int)
contract c { guarantee never call pay }
```"##,
    },
    CodeDoc {
        code: "E0531",
        title: "no plain value in a test",
        text: r##"A test is a session that is written out: its values are strings, numbers, `true`, `false`, `null`, lists and
records.

Wrong:

```ctr
contract c { guarantee never call pay }
test "t" { call pay(amount: 1 + 1) expect block }
```

Right:

```ctr
contract c { guarantee never call pay }
test "t" { call pay(amount: 2) expect block }
```"##,
    },
    CodeDoc {
        code: "E0532",
        title: "unknown expectation",
        text: r##"A step leads to allow, block, warn, escalate, redirect, repair, suppress or violation; the end of a session
to pending or satisfied.

Wrong:

```ctr
contract c { guarantee never call pay }
test "t" { call pay expect blocked by c }
```

Right:

```ctr
contract c { guarantee never call pay }
test "t" { call pay expect block by c }
```"##,
    },
    CodeDoc {
        code: "E0533",
        title: "unknown recorded fact in a test",
        text: r##"With a step of a test the host records `agent`, `server`, `time`, `turn`, `depth` and `tokens`.

Wrong:

```ctr
contract c { guarantee never call pay }
test "t" { call pay with agnt = "x" expect block }
```

Right:

```ctr
contract c { guarantee never call pay }
test "t" { call pay with agent = "x" expect block }
```"##,
    },
    CodeDoc {
        code: "E0534",
        title: "expectation about the end",
        text: r##"Whether obligations are open is asked at the end of the session.

Wrong:

```ctr
contract c { guarantee eventually call pay }
test "t" { call log expect pending }
```

Right:

```ctr
contract c { guarantee eventually call pay }
test "t" {
  call log
  end expect pending
}
```"##,
    },
    CodeDoc {
        code: "E0535",
        title: "tests that expect nothing",
        text: r##"A step without `expect` must be allowed. A file whose tests never expect anything else tests too little to be
trusted.

Wrong:

```ctr
contract c { guarantee never call pay }
test "t" { call log }
```

Right:

```ctr
contract c { guarantee never call pay }
test "t" {
  call log
  call pay expect block
}
```"##,
    },
    CodeDoc {
        code: "E0541",
        title: "wrong arguments of a redirect",
        text: r##"The call that is made instead is declared: it has its arguments, all that are required and no others.

Wrong:

```ctr
tool pay(amount: number)
tool ask(question: string)
contract c {
  guarantee never call pay
  otherwise redirect ask(qestion: "pay?", question: "pay?") "asking"
}
```

Right:

```ctr
tool pay(amount: number)
tool ask(question: string)
contract c {
  guarantee never call pay
  otherwise redirect ask(question: "pay {args.amount}?") "asking"
}
```"##,
    },
    CodeDoc {
        code: "W0400",
        title: "hidden field",
        text: r##"A key, a `let` or a parameter has the name of a declared field, and the bare name means the former. Write
`args.name` or `result.name` for the field.

Wrong:

```ctr
tool pay(limit: number, amount: number)
contract c {
  let limit = 5
  guarantee call pay only if amount <= limit
}
```

Right:

```ctr
tool pay(limit: number, amount: number)
contract c {
  let most = 5
  guarantee call pay only if amount <= most
}
```"##,
    },
    CodeDoc {
        code: "W0401",
        title: "optional field",
        text: r##"The field may be missing, and what is undefined is refused. Say what holds then, `(field ?? value)`, or ask
first, `has(field) and ...`.

Wrong:

```ctr
tool pay(amount?: number)
contract c { guarantee never call pay(amount > 5) }
```

Right:

```ctr
tool pay(amount?: number)
contract c { guarantee never call pay((amount ?? 0) > 5) }
```"##,
    },
    CodeDoc {
        code: "W0402",
        title: "undeclared argument in a test",
        text: r##"The test gives an argument that the tool does not declare. That may be what it tests, or a slip.

Wrong:

```ctr
tool pay(amount: number)
contract c { guarantee never call pay }
test "t" { call pay(amout: 5) expect block }
```

Right:

```ctr
tool pay(amount: number)
contract c { guarantee never call pay }
test "t" { call pay(amount: 5) expect block }
```"##,
    },
    CodeDoc {
        code: "W0403",
        title: "empty group",
        text: r##"No declared tool belongs to the group, so that whatever is said of it is said of no tool.

Wrong:

```ctr
tool pay(amount: number)
group safe = tools where read_only
contract c { guarantee never call pay }
```

Right:

```ctr
tool pay(amount: number)
group risky = tools where not read_only
contract c { guarantee never call risky }
```"##,
    },
    CodeDoc {
        code: "W0404",
        title: "contract without a promise",
        text: r##"The contract has no `guarantee` and no `assume`: every session keeps it.

Wrong:

```ctr
contract c { otherwise block "no" }
```

Right:

```ctr
contract c {
  guarantee never call pay
  otherwise block "no"
}
```"##,
    },
    CodeDoc {
        code: "W0405",
        title: "undeclared context field",
        text: r##"The file declares context fields, and this is none of them: perhaps a slip. In a file that declares tools it is
an error (E0514).

Wrong:

```ctr
context role: string
contract c { guarantee call pay only while {ctx.rol == "admin"} }
```

Right:

```ctr
context role: string
contract c { guarantee call pay only while {ctx.role == "admin"} }
```"##,
    },
];
