//! Warnings: what is allowed and probably not meant.

use crate::diagnostic::CodeDoc;

/// The codes.
pub(super) const CODES: &[CodeDoc] = &[
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
