//! Fields, values and conditions.

use crate::diagnostic::CodeDoc;

/// The codes.
pub(super) const CODES: &[CodeDoc] = &[
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
];
