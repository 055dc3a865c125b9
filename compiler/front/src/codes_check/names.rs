//! Names that are unknown, ambiguous or taken.

use crate::diagnostic::CodeDoc;

/// The codes.
pub(super) const CODES: &[CodeDoc] = &[
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
];
