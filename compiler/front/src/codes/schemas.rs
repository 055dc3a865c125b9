//! Tool schemas.

use crate::diagnostic::{CodeDoc, Exempt};

/// The codes.
pub(super) const CODES: &[CodeDoc] = &[
    CodeDoc {
        code: "E0300",
        title: "tool schema is not JSON",
        meaning: r#"A file named by `tools from` is not JSON (RFC 8259). The place is the first character that does not fit. Comments, trailing commas, single
quotes, `NaN`, leading zeros and half of a surrogate pair (`"\ud83d"`) are no JSON."#,
        why: "What readers make of such a file differs, so that the tools that the policy is checked against may not be those of the server.",
        fix: "Save what the server answers as it is, or mend the file at that place.",
        wrong: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r"{'tools': []}
",
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}}
}]}
"#,
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "E0301",
        title: "key twice in a JSON object",
        meaning: "An object of a tool schema has one key twice.",
        why: "Readers differ in which of the two counts, so that a server and this compiler could read two different schemas.",
        fix: "Remove one.",
        wrong: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"id": {"type": "string", "type": "number"}}}
}]}
"#,
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}}
}]}
"#,
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "E0302",
        title: "JSON nested too deep",
        meaning: "Lists and objects stand inside each other more than 128 deep.",
        why: "No tool needs that; it is a mistake of a generator, or an attempt to exhaust whoever reads the file.",
        fix: "Look at what made the file. Types that contain themselves are written with `$ref`.",
        wrong: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
",
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}}
}]}
"#,
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "E0303",
        title: "no list of tools",
        meaning: r#"The file is JSON, but not a list of tools. These are read:

- the result of MCP `tools/list`: `{"tools": [{"name", "inputSchema", ...}]}`, also inside its JSON-RPC response;
- the `tools` of an OpenAI request: `[{"type": "function", "function": {"name", "parameters"}}]`, or flat, as the Responses API has it;
- the `tools` of an Anthropic request: `[{"name", "input_schema"}]`;
- an object with one of these under `tools`, or a single tool."#,
        why: "Without the tools no name and no field of the policy can be checked.",
        fix: "Save one of these forms.",
        wrong: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"name": "refund-server", "version": "1.2"}
"#,
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}}
}]}
"#,
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "E0304",
        title: "malformed tool",
        meaning: "An entry of a list of tools has no `name`, a `name` that is empty or no string, or no schema of its arguments.",
        why: "Such a tool could not be named, or none of its arguments be checked.",
        fix: r#"Give the tool a name and a schema. A tool without arguments has the schema `{"type": "object", "additionalProperties": false}`."#,
        wrong: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [{"name": "refund"}]}
"#,
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [{"name": "refund", "inputSchema": {"type": "object", "additionalProperties": false}}]}
"#,
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "E0305",
        title: "tool twice in one file",
        meaning: "Two tools of one file have the same name (white space around it aside).",
        why: "A call could be of either, and the rule be checked against the wrong one.",
        fix: r#"Remove one, or put the tools of different servers into files of their own and name the servers: `tools from "a.json" as a`."#,
        wrong: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [
  {"name": "refund", "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}}},
  {"name": "refund", "inputSchema": {"type": "object", "properties": {"order": {"type": "string"}}}}
]}
"#,
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}}
}]}
"#,
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "E0306",
        title: "malformed schema",
        meaning: "A keyword of a JSON Schema has a value that it cannot have.",
        why: "Such a part could only be left out, and then a field would be less restricted than its author meant.",
        fix: r#"Write the keyword as JSON Schema has it. `"required": true` in a property is the style of draft 3; since then the object lists the names."#,
        wrong: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"id": {"type": "string", "required": true}}}
}]}
"#,
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
}]}
"#,
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "E0307",
        title: "unknown JSON Schema type",
        meaning: r"The types of JSON Schema are `string`, `number`, `integer`, `boolean`, `object`, `array` and `null`. Names of programming languages, such as `int`,
`float`, `dict` or `list`, are not among them.",
        why: "A type that nobody knows restricts nothing.",
        fix: "Write one of the seven. For any value leave `type` out.",
        wrong: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"count": {"type": "int"}}}
}]}
"#,
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"count": {"type": "integer"}}}
}]}
"#,
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "E0308",
        title: "reference into another document",
        meaning: "A `$ref` names another document. The compiler never fetches anything.",
        why: "What a policy means must not depend on what a server answers on the day of the build.",
        fix: r##"Copy the schema into `$defs` and refer to it there: `"$ref": "#/$defs/address"`."##,
        wrong: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"to": {"$ref": "https://example.com/address.json"}}}
}]}
"#,
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r##"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"to": {"$ref": "#/$defs/address"}},
    "$defs": {"address": {"type": "string"}}}
}]}
"##,
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "E0309",
        title: "reference that leads nowhere",
        meaning: r"A `$ref` names a part that is not there, or leads back to itself with nothing in between. References start from the schema of the tool
(`inputSchema`, `parameters`, ...), not from the file.",
        why: "Such a reference says nothing, and the field could hold anything.",
        fix: r##"Mend the path. In it `~1` stands for `/`, `~0` for `~`, and `%20` for a space: `"#/$defs/read~1write"` is the part `read/write` of `$defs`."##,
        wrong: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r##"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"to": {"$ref": "#/$defs/adress"}},
    "$defs": {"address": {"type": "string"}}}
}]}
"##,
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r##"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"to": {"$ref": "#/$defs/address"}},
    "$defs": {"address": {"type": "string"}}}
}]}
"##,
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "E0310",
        title: "schema too large",
        meaning: r"A limit was reached while a schema was read: 100 schemas inside each other with references followed, 64 references in a row, 250,000 schemas in a file (each
counted as often as it is referred to), 256 alternatives of one type, or parts of `allOf` that multiply. What is past the limit counts as any value.",
        why: "Schemas of tools are small. One like this is a mistake of its generator, or hostile.",
        fix: "Make the schema smaller: join alternatives, or leave out what policies do not read.",
        wrong: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r##"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"tree": {"$ref": "#/$defs/d0"}}, "$defs": {
    "d0": {"type": "object", "properties": {"a": {"$ref": "#/$defs/d1"}, "b": {"$ref": "#/$defs/d1"}, "c": {"$ref": "#/$defs/d1"}, "d": {"$ref": "#/$defs/d1"}}},
    "d1": {"type": "object", "properties": {"a": {"$ref": "#/$defs/d2"}, "b": {"$ref": "#/$defs/d2"}, "c": {"$ref": "#/$defs/d2"}, "d": {"$ref": "#/$defs/d2"}}},
    "d2": {"type": "object", "properties": {"a": {"$ref": "#/$defs/d3"}, "b": {"$ref": "#/$defs/d3"}, "c": {"$ref": "#/$defs/d3"}, "d": {"$ref": "#/$defs/d3"}}},
    "d3": {"type": "object", "properties": {"a": {"$ref": "#/$defs/d4"}, "b": {"$ref": "#/$defs/d4"}, "c": {"$ref": "#/$defs/d4"}, "d": {"$ref": "#/$defs/d4"}}},
    "d4": {"type": "object", "properties": {"a": {"$ref": "#/$defs/d5"}, "b": {"$ref": "#/$defs/d5"}, "c": {"$ref": "#/$defs/d5"}, "d": {"$ref": "#/$defs/d5"}}},
    "d5": {"type": "object", "properties": {"a": {"$ref": "#/$defs/d6"}, "b": {"$ref": "#/$defs/d6"}, "c": {"$ref": "#/$defs/d6"}, "d": {"$ref": "#/$defs/d6"}}},
    "d6": {"type": "object", "properties": {"a": {"$ref": "#/$defs/d7"}, "b": {"$ref": "#/$defs/d7"}, "c": {"$ref": "#/$defs/d7"}, "d": {"$ref": "#/$defs/d7"}}},
    "d7": {"type": "object", "properties": {"a": {"$ref": "#/$defs/d8"}, "b": {"$ref": "#/$defs/d8"}, "c": {"$ref": "#/$defs/d8"}, "d": {"$ref": "#/$defs/d8"}}},
    "d8": {"type": "object", "properties": {"a": {"$ref": "#/$defs/d9"}, "b": {"$ref": "#/$defs/d9"}, "c": {"$ref": "#/$defs/d9"}, "d": {"$ref": "#/$defs/d9"}}},
    "d9": {"type": "object", "properties": {"a": {"$ref": "#/$defs/d10"}, "b": {"$ref": "#/$defs/d10"}, "c": {"$ref": "#/$defs/d10"}, "d": {"$ref": "#/$defs/d10"}}},
    "d10": {"type": "string"}}}
}]}
"##,
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r##"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"tree": {"$ref": "#/$defs/d0"}}, "$defs": {
    "d0": {"type": "object", "properties": {"a": {"type": "string"}}}}}
}]}
"##,
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "E0311",
        title: "malformed annotation",
        meaning: "`annotations` of a tool is an object, and `destructiveHint`, `readOnlyHint`, `idempotentHint` and `openWorldHint` in it are `true` or `false`.",
        why: "Groups such as `tools where destructive` are made from them; a hint that cannot be read would silently leave a tool out of a rule.",
        fix: "Write `true` or `false`, without quotes.",
        wrong: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [{
  "name": "refund", "inputSchema": {"type": "object", "properties": {}},
  "annotations": {"destructiveHint": "true"}
}]}
"#,
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [{
  "name": "refund", "inputSchema": {"type": "object", "properties": {}},
  "annotations": {"destructiveHint": true}
}]}
"#,
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "E0312",
        title: "too many findings in a file",
        meaning: "A file of tools has more than 200 faults. The rest is not shown.",
        why: "A file like this is most likely not what it should be, and a thousand messages would say no more.",
        fix: "Look whether the file is a list of tools; otherwise mend what is shown and check again.",
        wrong: &[],
        right: &[],
        exempt: Some(Exempt {
            reason: "The two hundred findings before it are told as well.",
            test: "compiler/front/tests/schema/limits.rs::findings_are_bounded",
        }),
    },
    CodeDoc {
        code: "W0300",
        title: "recursive type",
        meaning: r"A schema contains itself, as a tree does. Types of policies are finite: at the place of the reference any value is accepted, and fields below it are
not checked.",
        why: "A misspelt field below that place is not noticed; it is undefined at run time, and what is undefined is refused.",
        fix: "Nothing, where no rule reads so deep. Otherwise write the levels that rules read out in the schema.",
        wrong: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r##"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"node": {"$ref": "#/$defs/node"}},
    "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}}}
}]}
"##,
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r##"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"node": {"$ref": "#/$defs/node"}},
    "$defs": {"node": {"type": "object", "properties": {"next": {"type": "string"}}}}}
}]}
"##,
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "W0301",
        title: "keyword not understood",
        meaning: r"A keyword of JSON Schema that narrows a value (`not`, `if`, `pattern`, `dependentSchemas`, `dependentRequired`, `contains`, `unevaluatedProperties`, dynamic
references) says something that a type of the policy language cannot. Policies are still checked against the rest of the schema.",
        why: "The field accepts more values than the schema does: what is proven of a policy holds for those too, and a test may use one that the server refuses.",
        fix: "Nothing, where the rules do not depend on it. Otherwise say the restriction in a contract.",
        wrong: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"id": {"type": "string", "not": {"const": ""}}}}
}]}
"#,
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"id": {"type": "string", "minLength": 1}}}
}]}
"#,
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "W0302",
        title: "unknown schema dialect",
        meaning: r"`$schema` names a dialect other than the drafts 4 to 2020-12 of JSON Schema. The schema is read as draft 2020-12; keywords of its own are left
out.",
        why: "A word that means something else in that dialect is read wrongly.",
        fix: "Name the draft that the schema is written in, or leave `$schema` out.",
        wrong: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}},
    "$schema": "https://example.com/my-dialect"}
}]}
"#,
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}},
    "$schema": "https://json-schema.org/draft/2020-12/schema"}
}]}
"#,
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "W0303",
        title: "schema without values",
        meaning: r"Parts of a schema contradict each other: an enumerated value is not of the type beside it, a lower bound is above the upper one, or
`allOf` joins types that share no value.",
        why: "Such a field can never be valid (or such a value never occur), so that rules about it never apply.",
        fix: "Mend the part that is wrong.",
        wrong: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"count": {"type": "integer", "minimum": 10, "maximum": 1}}}
}]}
"#,
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"count": {"type": "integer", "minimum": 1, "maximum": 10}}}
}]}
"#,
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "W0304",
        title: "tool without a name",
        meaning: "A list of tools has an entry for something that the provider of the model runs itself, such as a web search. It is left out.",
        why: "No call of it has a name that a policy could speak of: nothing that it does is judged.",
        fix: "Remove the entry from the file if that is known, or give the agent a tool of your own for it.",
        wrong: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [
  {"type": "function", "name": "refund", "parameters": {"type": "object", "properties": {"id": {"type": "string"}}}},
  {"type": "web_search"}
]}
"#,
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [
  {"type": "function", "name": "refund", "parameters": {"type": "object", "properties": {"id": {"type": "string"}}}}
]}
"#,
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "W0305",
        title: "page of a longer list",
        meaning: "The result of `tools/list` has a `nextCursor`: the server has more tools than this file.",
        why: "Rules about the missing tools are errors, and groups such as `tools where destructive` leave them out.",
        fix: "Ask for the other pages as well, and put all tools into one list, or name each page in a `tools from` line.",
        wrong: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}}
}],
 "nextCursor": "page2"}
"#,
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}}
}]}
"#,
            ),
        ],
        exempt: None,
    },
    CodeDoc {
        code: "W0306",
        title: "unknown keyword of a schema",
        meaning: "A schema has a keyword that JSON Schema does not know, spelt nearly as one that it does: `tpye` for `type`. Unknown keywords are left out.",
        why: "The field accepts any value, and policies are not checked against what was meant.",
        fix: "Mend the spelling; words of a generator's own begin with `x-`.",
        wrong: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"id": {"tpye": "string"}}}
}]}
"#,
            ),
        ],
        right: &[
            (
                "policy.ctr",
                r#"tools from "tools.json"
contract c { guarantee never call refund }
"#,
            ),
            (
                "tools.json",
                r#"{"tools": [{
  "name": "refund",
  "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}}
}]}
"#,
            ),
        ],
        exempt: None,
    },
];
