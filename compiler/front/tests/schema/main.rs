//! Tool schemas: what they become, and where their faults are shown.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use ctr_front::ir::{Json, SourceId};
use ctr_front::schema::{
    Decoded, MAX_FINDINGS, MAX_REF_HOPS, MAX_SCHEMA_DEPTH, MAX_SCHEMAS, read_tools, same_tool,
    with_server,
};
use ctr_front::types::{Range, Record, ToolDecl, Type};

fn json(value: &Json) -> String {
    match value {
        Json::Null => "null".into(),
        Json::Bool(b) => b.to_string(),
        Json::Number(n) => n.clone(),
        Json::Str(s) => format!("{s:?}"),
        Json::List(l) => format!("[{}]", l.iter().map(json).collect::<Vec<_>>().join(",")),
        Json::Record(r) => {
            let fields: Vec<String> = r.iter().map(|(k, v)| format!("{k}:{}", json(v))).collect();
            format!("{{{}}}", fields.join(","))
        }
    }
}

fn range(r: &Range) -> String {
    match (&r.min, &r.max) {
        (None, None) => String::new(),
        (min, max) => format!(
            "({}..{})",
            min.as_deref().unwrap_or(""),
            max.as_deref().unwrap_or("")
        ),
    }
}

fn record(r: &Record) -> String {
    let mut fields: Vec<String> = r
        .fields
        .iter()
        .map(|f| {
            format!(
                "{}{}: {}",
                f.name,
                if f.optional { "?" } else { "" },
                show(&f.ty)
            )
        })
        .collect();
    if r.open {
        fields.push("..".into());
    }
    format!("{{{}}}", fields.join(", "))
}

fn show(ty: &Type) -> String {
    match ty {
        Type::Any => "any".into(),
        Type::Null => "null".into(),
        Type::Bool => "bool".into(),
        Type::Int(r) => format!("int{}", range(r)),
        Type::Number(r) => format!("number{}", range(r)),
        Type::String => "string".into(),
        Type::Timestamp => "timestamp".into(),
        Type::Duration => "duration".into(),
        Type::Enum(v) => format!("enum({})", v.iter().map(json).collect::<Vec<_>>().join(",")),
        Type::List(t) => format!("list<{}>", show(t)),
        Type::Map(t) => format!("map<{}>", show(t)),
        Type::Record(r) => record(r),
        Type::Union(t) => t.iter().map(show).collect::<Vec<_>>().join(" | "),
    }
}

/// `code:text under the label` of each finding.
fn findings(decoded: &Decoded, text: &str) -> Vec<String> {
    let out: Vec<String> = decoded
        .diagnostics
        .iter()
        .map(|d| {
            assert_eq!(d.primary.place.source, SourceId(7));
            format!("{}:{}", d.code, d.primary.place.span.text(text))
        })
        .collect();
    let clean = decoded.diagnostics.iter().all(|d| !d.code.starts_with('E'));
    assert_eq!(decoded.complete, clean);
    out
}

fn read(text: &str) -> (Vec<ToolDecl>, Vec<String>) {
    let decoded = read_tools(SourceId(7), text);
    let found = findings(&decoded, text);
    (decoded.tools, found)
}

/// The type of the property `x` with the given schema; `rest` stands beside `properties`.
fn property(schema: &str, rest: &str) -> (String, Vec<String>) {
    let text = format!(
        r#"[{{"name":"t","inputSchema":{{"type":"object","properties":{{"x":{schema}}}{rest}}}}}]"#
    );
    let (tools, found) = read(&text);
    assert_eq!(tools.len(), 1, "{schema}: {found:?}");
    (show(&tools[0].params.fields[0].ty), found)
}

#[track_caller]
fn is(schema: &str, want: &str) {
    let (ty, found) = property(schema, "");
    assert_eq!(ty, want, "{schema}");
    assert_eq!(found, [""; 0], "{schema}");
}

#[track_caller]
fn faulty(schema: &str, want: &[&str]) {
    let (_, found) = property(schema, "");
    assert_eq!(found, want, "{schema}");
}

#[track_caller]
fn params(schema: &str) -> (String, Vec<String>) {
    let (tools, found) = read(&format!(r#"[{{"name":"t","inputSchema":{schema}}}]"#));
    assert_eq!(tools.len(), 1, "{schema}: {found:?}");
    (record(&tools[0].params), found)
}

#[test]
fn types() {
    is(r#"{"type":"string"}"#, "string");
    is(r#"{"type":"integer"}"#, "int");
    is(r#"{"type":"number"}"#, "number");
    is(r#"{"type":"boolean"}"#, "bool");
    is(r#"{"type":"null"}"#, "null");
    is(r#"{"type":"array"}"#, "list<any>");
    is(r#"{"type":"object"}"#, "{..}");
    is(r#"{"type":["string","null"]}"#, "string | null");
    is(
        r#"{"type":["null","object"],"properties":{"a":{"type":"string"}}}"#,
        "null | {a?: string}",
    );
    is(r#"{"type":["integer","number"]}"#, "number");
    is(r#"{"type":["string","string"]}"#, "string");
    is("{}", "any");
    is("true", "any");
    is("false", "enum()");
    is(r#"{"description":"anything"}"#, "any");
    is(r#"{"type":"string","format":"date-time"}"#, "timestamp");
    is(r#"{"type":"string","format":"duration"}"#, "string");
    is(r#"{"type":"string","format":"email"}"#, "string");
    is(r#"{"type":"integer","format":"int64"}"#, "int");
    is(r#"{"type":"string","nullable":true}"#, "string | null");
    is(
        r#"{"type":"string","x-unknown":[1],"title":"X","default":3,"examples":[]}"#,
        "string",
    );
}

#[test]
fn types_without_a_type_are_what_their_keywords_speak_of() {
    is(
        r#"{"properties":{"a":{"type":"integer"}},"required":["a"]}"#,
        "{a: int}",
    );
    is(r#"{"items":{"type":"string"}}"#, "list<string>");
    is(r#"{"minimum":1}"#, "number(1..)");
    is(r#"{"maxLength":3}"#, "string");
    is(r#"{"enum":["a"]}"#, "enum(\"a\")");
}

#[test]
fn numbers_and_their_bounds_are_exact() {
    is(
        r#"{"type":"integer","minimum":1,"maximum":9007199254740993}"#,
        "int(1..9007199254740993)",
    );
    is(
        r#"{"type":"integer","minimum":0.5,"maximum":2.5}"#,
        "int(1..2)",
    );
    is(
        r#"{"type":"integer","exclusiveMinimum":1,"exclusiveMaximum":3.0}"#,
        "int(2..2)",
    );
    is(r#"{"type":"integer","exclusiveMinimum":-1.5}"#, "int(-1..)");
    is(
        r#"{"type":"integer","minimum":0,"exclusiveMinimum":true}"#,
        "int(1..)",
    );
    is(r#"{"type":"integer","minimum":1e3}"#, "int(1000..)");
    is(
        r#"{"type":"number","minimum":0.1,"exclusiveMaximum":1.50}"#,
        "number(0.1..1.50)",
    );
    is(r#"{"type":"number","minimum":-0.0}"#, "number(-0.0..)");
    is(
        r#"{"type":"number","minimum":1,"exclusiveMinimum":2}"#,
        "number(2..)",
    );
    faulty(r#"{"type":"number","minimum":"1"}"#, &["E0306:\"1\""]);
    faulty(
        r#"{"type":"integer","minimum":3,"maximum":2}"#,
        &["W0303:3"],
    );
    faulty(
        r#"{"type":"integer","minimum":0.2,"maximum":0.8}"#,
        &["W0303:0.2"],
    );
    is(
        r#"{"type":"number","minimum":0.2,"maximum":0.8}"#,
        "number(0.2..0.8)",
    );
}

#[test]
fn enumerations() {
    is(
        r#"{"type":"string","enum":["a","b","a"]}"#,
        "enum(\"a\",\"b\")",
    );
    is(
        r#"{"enum":[1,"a",true,null,1.0]}"#,
        "enum(1,\"a\",true) | null",
    );
    is(r#"{"const":"a"}"#, "enum(\"a\")");
    is(
        r#"{"type":["string","null"],"enum":["a",null]}"#,
        "enum(\"a\") | null",
    );
    is(
        r#"{"anyOf":[{"const":"a"},{"const":"b"},{"type":"null"}]}"#,
        "enum(\"a\",\"b\") | null",
    );
    is(r#"{"anyOf":[{"const":"a"},{"type":"string"}]}"#, "string");
    is(r#"{"type":"integer","enum":[1,2.0]}"#, "enum(1,2.0)");
    faulty(r#"{"type":"integer","enum":[1,"a"]}"#, &["W0303:[1,\"a\"]"]);
    faulty(r#"{"enum":[]}"#, &["E0306:[]"]);
    faulty(r#"{"enum":"a"}"#, &["E0306:\"a\""]);
}

#[test]
fn lists() {
    is(
        r#"{"type":"array","items":{"type":"integer"}}"#,
        "list<int>",
    );
    is(r#"{"type":"array","items":true}"#, "list<any>");
    is(
        r#"{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false}"#,
        "list<string | int>",
    );
    is(
        r#"{"type":"array","items":[{"type":"string"}],"additionalItems":{"type":"null"}}"#,
        "list<string | null>",
    );
    is(
        r#"{"anyOf":[{"type":"array","prefixItems":[{"type":"string"}]},{"type":"null"}]}"#,
        "list<string> | null",
    );
    faulty(r#"{"type":"array","items":3}"#, &["E0306:3"]);
    faulty(r#"{"type":"array","prefixItems":{}}"#, &["E0306:{}"]);
}

#[test]
fn records() {
    is(
        r#"{"type":"object","properties":{"a":{},"b":{}},"required":["b","c"]}"#,
        "{a?: any, b: any, c: any}",
    );
    is(
        r#"{"type":"object","properties":{"a":{}},"additionalProperties":true}"#,
        "{a?: any, ..}",
    );
    is(r#"{"type":"object","properties":{}}"#, "{}");
    is(r#"{"type":"object","additionalProperties":false}"#, "{}");
    is(
        r#"{"type":"object","additionalProperties":{"type":"integer"}}"#,
        "map<int>",
    );
    is(r#"{"type":"object","additionalProperties":{}}"#, "{..}");
    is(
        r#"{"type":"object","properties":{"a":{}},"additionalProperties":{"type":"integer"}}"#,
        "{a?: any, ..}",
    );
    is(
        r#"{"type":"object","patternProperties":{"^x":{"type":"integer"}}}"#,
        "map<int>",
    );
    is(
        r#"{"type":"object","properties":{"a::b":{"type":"string"},"":{}}}"#,
        "{a::b?: string, ?: any}",
    );
    faulty(r#"{"type":"object","required":false}"#, &["E0306:false"]);
    faulty(r#"{"type":"string","required":true}"#, &["E0306:true"]);
    faulty(r#"{"type":"object","required":[1]}"#, &["E0306:1"]);
    faulty(r#"{"type":"object","properties":[]}"#, &["E0306:[]"]);
    faulty(
        r#"{"type":"object","properties":{"a":"string"}}"#,
        &["E0306:\"string\""],
    );
    faulty(
        r#"{"type":"object","additionalProperties":"no"}"#,
        &["E0306:\"no\""],
    );
    faulty(
        r#"{"type":"object","additionalProperties":null}"#,
        &["E0306:null"],
    );
    faulty(
        r#"{"type":"object","additionalProperties":{"type":"strng"}}"#,
        &["E0307:\"strng\""],
    );
}

#[test]
fn unknown_types_are_errors_with_the_nearest_name() {
    for (name, near) in [
        ("str", "string"),
        ("String", "string"),
        ("int", "integer"),
        ("Integer", "integer"),
        ("float", "number"),
        ("dict", "object"),
        ("list", "array"),
        ("bool", "boolean"),
        ("interger", "integer"),
    ] {
        let text = format!(
            r#"[{{"name":"t","inputSchema":{{"properties":{{"x":{{"type":"{name}"}}}}}}}}]"#
        );
        let decoded = read_tools(SourceId(7), &text);
        assert_eq!(findings(&decoded, &text), [format!("E0307:\"{name}\"")]);
        assert_eq!(
            decoded.diagnostics[0].help,
            [format!("did you mean `{near}`?")]
        );
    }
    faulty(r#"{"type":"any"}"#, &["E0307:\"any\""]);
    faulty(r#"{"type":[]}"#, &["E0306:[]"]);
    faulty(r#"{"type":3}"#, &["E0306:3"]);
    faulty(
        r#"{"type":[{"type":"string"}]}"#,
        &["E0306:{\"type\":\"string\"}"],
    );
}

#[test]
fn compositions() {
    is(
        r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#,
        "string | null",
    );
    is(
        r#"{"oneOf":[{"type":"integer"},{"type":"string"}],"description":"d"}"#,
        "int | string",
    );
    is(
        r#"{"allOf":[{"type":"object","properties":{"a":{"type":"integer","minimum":1}},"required":["a"]},
            {"properties":{"a":{"type":"integer","maximum":5},"b":{}}}]}"#,
        "{a: int(1..5), b?: any}",
    );
    is(
        r#"{"type":"object","properties":{"a":{},"b":{}},"anyOf":[{"required":["a"]},{"required":["b"]}]}"#,
        "{a: any, b?: any} | {a?: any, b: any}",
    );
    is(
        r#"{"type":["string","integer"],"allOf":[{"type":["integer","null"]}]}"#,
        "int",
    );
    is(
        r#"{"type":"number","minimum":0.5,"allOf":[{"type":"integer"}]}"#,
        "int(1..)",
    );
    is(
        r#"{"type":["string","null"],"allOf":[{"minLength":1}]}"#,
        "string | null",
    );
    faulty(
        r#"{"allOf":[{"type":"string"},{"type":"integer"}]}"#,
        &["W0303:{"],
    );
    faulty(r#"{"anyOf":[]}"#, &["E0306:[]"]);
    faulty(r#"{"oneOf":{}}"#, &["E0306:{}"]);
    faulty(r#"{"anyOf":["string"]}"#, &["E0306:\"string\""]);
}

#[test]
fn what_narrows_unseen_is_told() {
    faulty(
        r#"{"type":"string","not":{"const":"a"}}"#,
        &["W0301:\"not\""],
    );
    faulty(
        r#"{"type":"string","if":{"minLength":1},"then":{"maxLength":2}}"#,
        &["W0301:\"if\""],
    );
    faulty(r##"{"$dynamicRef":"#a"}"##, &["W0301:\"$dynamicRef\""]);
    faulty(
        r#"{"dependentRequired":{"a":["b"]}}"#,
        &["W0301:\"dependentRequired\""],
    );
    // A keyword that is nearly one; words of a generator's own are no slips.
    faulty(r#"{"tpye":"string"}"#, &["W0306:\"tpye\""]);
    faulty(
        r#"{"type":"string","minLenght":2}"#,
        &["W0306:\"minLenght\""],
    );
    is(
        r#"{"type":"string","x-tpye":"a","title":"t","cache_control":{}}"#,
        "string",
    );
    let (_, found) = params(r#"{"$schema":"https://example.com/own","type":"object"}"#);
    assert_eq!(found, ["W0302:\"https://example.com/own\""]);
    for known in [
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2020-12/schema",
    ] {
        let (_, found) = params(&format!(r#"{{"$schema":"{known}","type":"object"}}"#));
        assert_eq!(found, [""; 0]);
    }
}

#[test]
fn local_references() {
    for (reference, defs) in [
        ("#/$defs/a", r#""$defs":{"a":{"type":"integer"}}"#),
        (
            "#/definitions/a",
            r#""definitions":{"a":{"type":"integer"}}"#,
        ),
        ("#/$defs/a~1b", r#""$defs":{"a/b":{"type":"integer"}}"#),
        ("#/$defs/a~0b", r#""$defs":{"a~b":{"type":"integer"}}"#),
        ("#/$defs/a~01", r#""$defs":{"a~1":{"type":"integer"}}"#),
        ("#/$defs/a%20b", r#""$defs":{"a b":{"type":"integer"}}"#),
        ("#/%24defs/%C3%A9", r#""$defs":{"é":{"type":"integer"}}"#),
        (
            "#/$defs/g/$defs/a",
            r#""$defs":{"g":{"$defs":{"a":{"type":"integer"}}}}"#,
        ),
        (
            "#/$defs/l/anyOf/1",
            r#""$defs":{"l":{"anyOf":[{},{"type":"integer"}]}}"#,
        ),
        (
            "#/$defs/a",
            r##""$defs":{"a":{"$ref":"#/$defs/b"},"b":{"type":"integer"}}"##,
        ),
        ("#n", r#""$defs":{"a":{"$anchor":"n","type":"integer"}}"#),
        (
            "http://x.example/s#/$defs/a",
            r#""$id":"http://x.example/s","$defs":{"a":{"type":"integer"}}"#,
        ),
    ] {
        let schema = format!(r#"{{"$ref":"{reference}"}}"#);
        let (ty, found) = property(&schema, &format!(",{defs}"));
        assert_eq!((ty.as_str(), found), ("int", Vec::new()), "{reference}");
    }
    let (ty, found) = property(
        r##"{"$ref":"#/$defs/a","maximum":5,"type":"integer","description":"beside"}"##,
        r#","$defs":{"a":{"type":"integer","minimum":1}}"#,
    );
    assert_eq!((ty.as_str(), found), ("int(1..5)", Vec::new()));
}

#[test]
fn bad_references_are_errors_at_the_reference() {
    for (reference, code) in [
        ("#/$defs/none", "E0309"),
        ("#/$defs/a/properties", "E0309"),
        ("#none", "E0309"),
        ("#/$defs/a~2", "E0309"),
        ("#/%zz", "E0309"),
        ("#/%ff", "E0309"),
        ("", "E0309"),
        ("https://example.com/schema.json", "E0308"),
        ("other.json#/$defs/a", "E0308"),
        ("file:///etc/passwd", "E0308"),
    ] {
        let schema = format!(r#"{{"$ref":"{reference}"}}"#);
        let (ty, found) = property(&schema, r#","$defs":{"a":{"type":"integer"}}"#);
        assert_eq!(
            (ty.as_str(), found),
            ("any", vec![format!("{code}:\"{reference}\"")])
        );
    }
    faulty(r#"{"$ref":3}"#, &["E0306:3"]);
    let text = r##"[{"name":"t","inputSchema":{"properties":{"x":{"$ref":"#/$defs/adress"}},"$defs":{"address":{}}}}]"##;
    let decoded = read_tools(SourceId(7), text);
    assert_eq!(decoded.diagnostics[0].help, ["did you mean `address`?"]);
    // A reference starts from its own tool's schema.
    let (_, found) = read(
        r##"[{"name":"a","inputSchema":{"$defs":{"d":{}}}},{"name":"b","inputSchema":{"properties":{"x":{"$ref":"#/$defs/d"}}}}]"##,
    );
    assert_eq!(found, ["E0309:\"#/$defs/d\""]);
}

#[test]
fn recursive_types_are_any_with_a_warning() {
    let node = r##"{"type":"object","properties":{"v":{"type":"string"},"kids":{"type":"array","items":{"$ref":"#/$defs/n"}}}}"##;
    let (ty, found) = property(
        r##"{"$ref":"#/$defs/n"}"##,
        &format!(r#","$defs":{{"n":{node}}}"#),
    );
    assert_eq!(ty, "{v?: string, kids?: list<any>}");
    assert_eq!(found, ["W0300:\"#/$defs/n\""]);
    let (ty, found) = property(r##"{"$ref":"#"}"##, "");
    assert_eq!(
        (ty.as_str(), found),
        ("any", vec!["W0300:\"#\"".to_owned()])
    );
    // Used twice, told once.
    let (_, found) = params(&format!(
        r##"{{"properties":{{"a":{{"$ref":"#/$defs/n"}},"b":{{"$ref":"#/$defs/n"}}}},"$defs":{{"n":{node}}}}}"##
    ));
    assert_eq!(found, ["W0300:\"#/$defs/n\""]);
}

#[test]
fn references_that_say_nothing_are_errors() {
    let (_, found) = params(r##"{"$ref":"#"}"##);
    assert_eq!(found, ["E0309:\"#\""]);
    let (_, found) = property(
        r##"{"$ref":"#/$defs/a"}"##,
        r##","$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"allOf":[{"$ref":"#/$defs/a"}]}}"##,
    );
    assert_eq!(found, ["E0309:\"#/$defs/a\""]);
    let (_, found) = property(
        r##"{"$ref":"#/$defs/a"}"##,
        r##","$defs":{"a":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/a"}]}}"##,
    );
    assert_eq!(found, ["E0309:\"#/$defs/a\""]);
}

#[test]
fn arguments_are_an_object() {
    let (ty, found) = params(r#"{"type":"object"}"#);
    assert_eq!((ty.as_str(), found), ("{..}", Vec::new()));
    let (ty, found) = params(
        r#"{"type":"object","oneOf":[{"properties":{"id":{"type":"string"}},"required":["id"]},{"properties":{"n":{"type":"integer"}},"required":["n"]}]}"#,
    );
    assert_eq!((ty.as_str(), found), ("{id?: string, n?: int}", Vec::new()));
    let (ty, found) = params(
        r#"{"oneOf":[{"properties":{"k":{"const":"a"}},"required":["k"]},{"properties":{"k":{"const":"b"}},"required":["k"]}]}"#,
    );
    assert_eq!((ty.as_str(), found), ("{k: enum(\"a\",\"b\")}", Vec::new()));
    let (ty, _) = params(r#"{"type":["object","null"],"properties":{"a":{}}}"#);
    assert_eq!(ty, "{a?: any}");
    for schema in [
        r#"{"type":"string"}"#,
        r#"{"type":["object","string"]}"#,
        r#"{"type":"null"}"#,
    ] {
        let (ty, found) = params(schema);
        assert_eq!((ty.as_str(), found), ("{..}", vec!["E0306:{".to_owned()]));
    }
    let (_, found) = params("[]");
    assert_eq!(found, ["E0306:[]"]);
}

#[test]
fn mcp_lists() {
    let text = include_str!("../data/mcp_list.json");
    let (tools, found) = read(text);
    assert_eq!(found, [""; 0]);
    assert_eq!(tools.len(), 2);
    let book = &tools[0];
    assert_eq!(book.name, "book_reservation");
    assert_eq!(book.place.span.text(text), "\"book_reservation\"");
    assert_eq!(book.annotations.destructive, Some(true));
    assert_eq!(book.annotations.read_only, Some(false));
    assert_eq!(book.annotations.open_world, None);
    assert_eq!(book.description.as_deref(), Some("Book a reservation."));
    let params = record(&book.params);
    assert!(
        params.starts_with("{user_id: string, origin: string"),
        "{params}"
    );
    assert!(
        params.contains("cabin: enum(\"basic_economy\",\"economy\",\"business\")"),
        "{params}"
    );
    assert!(
        params.contains("flights: list<{flight_number: string, date: string}>"),
        "{params}"
    );
    assert_eq!(book.result, Type::Any);
}

#[test]
fn the_examples_of_the_mcp_specification() {
    let (tools, found) = read(include_str!("../data/mcp_spec.json"));
    assert_eq!(found, [""; 0]);
    let shown: Vec<String> = tools
        .iter()
        .map(|t| format!("{}{} -> {}", t.name, record(&t.params), show(&t.result)))
        .collect();
    assert_eq!(
        shown,
        [
            "list_users{} -> list<{id: string, name: string, email: string}>",
            "find_resource{id?: string, name?: string} -> any",
            "calculate_sum{a: number, b: number} -> any",
            "get_current_time{} -> any",
            "get_weather_data{location: string} -> {temperature: number, conditions: string, humidity: number}",
        ]
    );
}

#[test]
fn all_shapes_of_lists() {
    let schema = r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}"#;
    for tool in [
        format!(r#"{{"name":"t","inputSchema":{schema}}}"#),
        format!(r#"{{"name":"t","description":"d","input_schema":{schema}}}"#),
        format!(r#"{{"type":"custom","name":"t","input_schema":{schema}}}"#),
        format!(
            r#"{{"type":"function","function":{{"name":"t","parameters":{schema},"strict":true}}}}"#
        ),
        format!(r#"{{"type":"function","name":"t","parameters":{schema}}}"#),
        format!(r#"{{"name":" t ","parameters":{schema}}}"#),
    ] {
        for file in [
            format!("[{tool}]"),
            format!(r#"{{"tools":[{tool}]}}"#),
            format!(r#"{{"model":"m","messages":[],"tools":[{tool}]}}"#),
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{tool}],"nextCursor":null}}}}"#
            ),
            format!("\u{feff}{tool}\n"),
        ] {
            let (tools, found) = read(&file);
            assert_eq!(found, [""; 0], "{file}");
            assert_eq!(tools.len(), 1, "{file}");
            assert_eq!(tools[0].name, "t");
            assert_eq!(record(&tools[0].params), "{a: string}");
        }
    }
    // Tools without schemas, as their formats allow it.
    for (tool, want) in [
        (r#"{"type":"function","function":{"name":"t"}}"#, "{}"),
        (r#"{"type":"function","name":"t","parameters":null}"#, "{}"),
        (r#"{"type":"custom","custom":{"name":"t"}}"#, "{..}"),
        (r#"{"type":"web_search_20250305","name":"t"}"#, "{..}"),
    ] {
        let (tools, found) = read(&format!("[{tool}]"));
        assert_eq!(found, [""; 0], "{tool}");
        assert_eq!(record(&tools[0].params), want, "{tool}");
    }
    let (tools, found) = read(r#"[{"type":"web_search"}]"#);
    assert_eq!(tools, []);
    assert_eq!(found, ["W0304:{"]);
    let (_, found) = read(r#"{"tools":[],"nextCursor":"p2"}"#);
    assert_eq!(found, ["W0305:\"nextCursor\""]);
    assert_eq!(read("[]"), (Vec::new(), Vec::new()));
}

#[test]
fn malformed_lists() {
    for (text, want) in [
        ("", "E0300:"),
        ("{", "E0300:"),
        ("3", "E0303:3"),
        ("{}", "E0303:{"),
        (r#"{"tools":{}}"#, "E0303:{"),
        (r#"{"result":{"content":[]}}"#, "E0303:{"),
        (r#"{"error":{"code":-32601}}"#, "E0303:{"),
        ("[1]", "E0304:1"),
        (r#"[{"inputSchema":{"type":"object"}}]"#, "E0304:{"),
        (r#"[{"name":3,"inputSchema":{"type":"object"}}]"#, "E0304:3"),
        (
            r#"[{"name":" ","inputSchema":{"type":"object"}}]"#,
            "E0304:\" \"",
        ),
        (r#"[{"name":"a"}]"#, "E0304:{"),
        (r#"[{"type":"function","function":"a"}]"#, "E0304:\"a\""),
        (
            r#"[{"name":"a","description":3,"inputSchema":{"type":"object"}}]"#,
            "E0304:3",
        ),
        (r#"[{"name":"a","inputSchema":null}]"#, "E0306:null"),
        (
            r#"[{"name":"a","inputSchema":{},"annotations":[]}]"#,
            "E0311:[]",
        ),
        (
            r#"[{"name":"a","inputSchema":{},"annotations":{"readOnlyHint":"yes"}}]"#,
            "E0311:\"yes\"",
        ),
        (
            r#"[{"name":"a","inputSchema":{},"outputSchema":3}]"#,
            "E0306:3",
        ),
        (
            r#"[{"name":"a","name":"b","inputSchema":{}}]"#,
            "E0301:\"name\"",
        ),
        (r#"[{"name":"\ud83d","inputSchema":{}}]"#, r"E0300:\ud83d"),
    ] {
        assert_eq!(read(text).1, [want], "{text}");
    }
}

#[test]
fn a_name_twice_is_an_error_with_both_places() {
    let text = r#"[{"name":"a","inputSchema":{}},{"name":"b","inputSchema":{}},{"name":"a ","inputSchema":{"type":"object"}}]"#;
    let decoded = read_tools(SourceId(7), text);
    assert_eq!(findings(&decoded, text), ["E0305:\"a \""]);
    assert_eq!(
        decoded.diagnostics[0].secondary[0].place.span.text(text),
        "\"a\""
    );
    assert_eq!(decoded.tools.len(), 2);
}

#[test]
fn servers_and_wire_names() {
    let (tools, _) = read(r#"[{"name":"mcp__git_hub__create__issue","inputSchema":{}}]"#);
    let named = |server| {
        let tool = with_server(tools[0].clone(), server);
        (tool.server.unwrap_or_default(), tool.name)
    };
    assert_eq!(
        named(None),
        ("git_hub".to_owned(), "create__issue".to_owned())
    );
    assert_eq!(
        named(Some("git_hub")),
        ("git_hub".to_owned(), "create__issue".to_owned())
    );
    assert_eq!(
        named(Some("git_hub__create")),
        ("git_hub__create".to_owned(), "issue".to_owned())
    );
    assert_eq!(
        named(Some("other")),
        ("other".to_owned(), "mcp__git_hub__create__issue".to_owned())
    );
    let (tools, _) = read(r#"[{"name":"mcp____x","inputSchema":{}}]"#);
    let plain = with_server(tools[0].clone(), None);
    assert_eq!((plain.server, plain.name.as_str()), (None, "mcp____x"));
}

#[test]
fn equal_tools() {
    let one = |schema: &str, rest: &str| {
        let (tools, found) = read(&format!(r#"[{{"name":"t","inputSchema":{schema}{rest}}}]"#));
        assert_eq!(found, [""; 0]);
        tools[0].clone()
    };
    let a = one(
        r#"{"properties":{"a":{"enum":["x","y"]},"b":{"type":["integer","null"],"minimum":1}},"required":["a"]}"#,
        "",
    );
    let b = one(
        r#"{"required":["a"],"properties":{"b":{"type":["null","integer"],"minimum":1.0},"a":{"enum":["y","x"],"description":"d"}}}"#,
        r#","description":"other words""#,
    );
    assert!(same_tool(&a, &b));
    for (schema, rest) in [
        (
            r#"{"properties":{"a":{"enum":["x","y"]},"b":{"type":["integer","null"],"minimum":2}},"required":["a"]}"#,
            "",
        ),
        (
            r#"{"properties":{"a":{"enum":["x","y"]},"b":{"type":["integer","null"],"minimum":1}}}"#,
            "",
        ),
        (
            r#"{"properties":{"a":{"enum":["x","y"]}},"required":["a"]}"#,
            "",
        ),
    ] {
        assert!(!same_tool(&a, &one(schema, rest)), "{schema}");
    }
    let plain = one(r#"{"type":"object"}"#, "");
    assert!(!same_tool(
        &plain,
        &one(
            r#"{"type":"object"}"#,
            r#","annotations":{"readOnlyHint":true}"#
        )
    ));
    assert!(!same_tool(
        &plain,
        &one(
            r#"{"type":"object"}"#,
            r#","outputSchema":{"type":"string"}"#
        )
    ));
    assert!(!same_tool(&plain, &with_server(plain.clone(), Some("s"))));
}

/// Hostile and huge schemas end quickly, with one finding.
mod limits;

/// Whatever is done to a file, it is read to an end, and every place is in the text.
#[test]
fn damaged_files_give_findings_within_the_text() {
    let whole = include_str!("../data/mcp_spec.json");
    let check = |text: &str| {
        let decoded = read_tools(SourceId(7), text);
        for d in &decoded.diagnostics {
            for label in std::iter::once(&d.primary).chain(&d.secondary) {
                let span = label.place.span;
                assert!(
                    text.get(span.start as usize..span.end as usize).is_some(),
                    "{d:?}"
                );
            }
        }
    };
    for at in (0..whole.len()).step_by(11) {
        check(&whole[..at]);
        for insert in ["", "\"", "{", "]", "é", "0", "\\", "null"] {
            check(&format!("{}{insert}{}", &whole[..at], &whole[at + 1..]));
        }
    }
}
