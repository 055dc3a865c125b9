//! Tool schemas.

use crate::diagnostic::CodeDoc;

/// The codes.
pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "E0300",
        title: "tool schema is not JSON",
        meaning: r#"A file named by `tools from` is not JSON (RFC 8259). The place is the first character that does not
fit. Comments, trailing commas, single quotes, `NaN`, leading zeros and half of a surrogate pair
(`"\ud83d"`) are no JSON."#,
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "E0301",
        title: "key twice in a JSON object",
        meaning: r"An object of a tool schema has one key twice. Readers differ in which of the two counts, so that a
server and this compiler could read two different schemas. Remove one.",
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "E0302",
        title: "JSON nested too deep",
        meaning: r"Lists and objects stand inside each other more than 128 deep. No tool needs that; it is a mistake
of a generator, or an attempt to exhaust whoever reads the file.",
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "E0303",
        title: "no list of tools",
        meaning: r#"The file is JSON, but not a list of tools. These are read:

- the result of MCP `tools/list`: `{"tools": [{"name", "inputSchema", ...}]}`, also inside its
JSON-RPC response;
- the `tools` of an OpenAI request: `[{"type": "function", "function": {"name", "parameters"}}]`, or
flat, as the Responses API has it;
- the `tools` of an Anthropic request: `[{"name", "input_schema"}]`;
- an object with one of these under `tools`, or a single tool."#,
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "E0304",
        title: "malformed tool",
        meaning: r#"An entry of a list of tools has no `name`, a `name` that is empty or no string, or no schema of its
arguments.

```json
{"name": "now"}
{"name": "now", "inputSchema": {"type": "object", "additionalProperties": false}}
```

The first is wrong, the second is a tool without arguments."#,
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "E0305",
        title: "tool twice in one file",
        meaning: r#"Two tools of one file have the same name (white space around it aside), so that a call of it could
be of either. Remove one, or put the tools of different servers into files of their own and name
the servers: `tools from "a.json" as a`."#,
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "E0306",
        title: "malformed schema",
        meaning: r#"A keyword of a JSON Schema has a value that it cannot have. Such a part could only be left out, and
then a field would be less restricted than its author meant; so it is an error.

```json
{"type": "object", "properties": {"id": {"type": "string", "required": true}}}
{"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
```

The first is wrong (it is the style of draft 3), the second right."#,
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "E0307",
        title: "unknown JSON Schema type",
        meaning: r"The types of JSON Schema are `string`, `number`, `integer`, `boolean`, `object`, `array` and `null`.
Names of programming languages, such as `int`, `float`, `dict` or `list`, are not among them. For
any value leave `type` out.",
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "E0308",
        title: "reference into another document",
        meaning: r##"A `$ref` names another document. The compiler never fetches anything: what a policy means must not
depend on what a server answers on the day of the build. Copy the schema into `$defs` and refer to
it there: `"$ref": "#/$defs/address"`."##,
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "E0309",
        title: "reference that leads nowhere",
        meaning: r##"A `$ref` names a part that is not there, or leads back to itself with nothing in between, so that it
says nothing.

References start from the schema of the tool (`inputSchema`, `parameters`, ...), not from the file.
In a path `~1` stands for `/`, `~0` for `~`, and `%20` for a space:
`"#/$defs/read~1write"` is the part `read/write` of `$defs`."##,
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "E0310",
        title: "schema too large",
        meaning: r"A limit was reached while a schema was read: 100 schemas inside each other with references followed,
64 references in a row, 250,000 schemas in a file (each counted as often as it is referred to),
256 alternatives of one type, or parts of `allOf` that multiply. What is past the limit counts as any value.

Schemas of tools are small. One like this is a mistake of its generator, or hostile.",
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "E0311",
        title: "malformed annotation",
        meaning: r"`annotations` of a tool is an object, and `destructiveHint`, `readOnlyHint`, `idempotentHint` and
`openWorldHint` in it are `true` or `false`. Groups such as `tools where destructive` are made from
them, so that a hint that cannot be read would silently leave a tool out of a rule.",
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "E0312",
        title: "too many findings in a file",
        meaning: r"A file of tools has more than 200 faults. The rest is not shown; mend what is, or look whether the
file is what it should be.",
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "W0300",
        title: "recursive type",
        meaning: r"A schema contains itself, as a tree does. Types of policies are finite: at the place of the
reference any value is accepted, and fields below it are not checked.",
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "W0301",
        title: "keyword not understood",
        meaning: r"A keyword of JSON Schema that narrows a value (`not`, `if`, `pattern`, `dependentSchemas`,
`dependentRequired`, `contains`, `unevaluatedProperties`, dynamic references) says something that a type of the policy language
cannot. The field accepts more values than the schema does; policies are still checked against the
rest of it.",
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "W0302",
        title: "unknown schema dialect",
        meaning: r"`$schema` names a dialect other than the drafts 4 to 2020-12 of JSON Schema. The schema is read as
draft 2020-12; keywords of its own are left out.",
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "W0303",
        title: "schema without values",
        meaning: r"Parts of a schema contradict each other: an enumerated value is not of the type beside it, a lower
bound is above the upper one, or `allOf` joins types that share no value. Such a field can never be
valid (or such a value never occur), which is hardly meant.",
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "W0304",
        title: "tool without a name",
        meaning: r"A list of tools has an entry for something that the provider of the model runs itself, such as a web
search. No call of it has a name that a policy could speak of; it is left out.",
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "W0305",
        title: "page of a longer list",
        meaning: r"The result of `tools/list` has a `nextCursor`: the server has more tools than this file. Ask for the
other pages as well, and put all tools into one list, or name each page in a `tools from` line.",
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
    CodeDoc {
        code: "W0306",
        title: "unknown keyword of a schema",
        meaning: r"A schema has a keyword that JSON Schema does not know, spelt nearly as one that it does: `tpye` for
`type`. Unknown keywords are left out, so that the field accepts any value and policies are not checked
against what was meant. Mend the spelling; words of a generator's own begin with `x-`.",
        why: "",
        fix: "",
        wrong: &[],
        right: &[],
        exempt: None,
    },
];
