//! Tool schemas (group 4). The reader is tested where it is made, in `ctr-front` (`tests/schema`):
//!
//! | case | held by |
//! | --- | --- |
//! | 36, deep and cyclic schemas | `nested_properties`, `chains_of_references`, `depth_behind_references`, `doubling_references`, `multiplying_unions`, `references_that_say_nothing_are_errors`, `recursive_types_are_any_with_a_warning`; as a command here; `ui/schemas/deep` |
//! | 37, references and dialects | `local_references`, `bad_references_are_errors_at_the_reference`, `what_narrows_unseen_is_told`; `ui/schemas/remote_reference` |
//! | 38, `type` lists, `prefixItems`, `additionalProperties`, `required`, missing types, strange names, escapes, keys twice | `types`, `types_without_a_type_are_what_their_keywords_speak_of`, `lists`, `records`; escapes and keys here; `ui/schemas/key_twice` |
//! | 40, numbers | `numbers_and_their_bounds_are_exact`, `enumerations`; numbers of sessions here |
//! | all, any bytes | `damaged_files_give_findings_within_the_text`; `fuzz/src/inputs.rs` |

use ctr_tests::attempts::Attempts;

const POLICY: &str = "tools from \"tools.json\"\ncontract c {\n  guarantee never call t\n}\n";

/// What `ctrc check` finds in a tool list: `CODE:LINE:COLUMN` of each finding in it.
fn findings(t: &mut Attempts, tools: &str, code: i32) -> Vec<String> {
    t.file("a.ctr", POLICY);
    t.file("tools.json", tools);
    let got = t.run(
        &["check", "--format", "json", "a.ctr"],
        &[code],
        Some("tools.json").filter(|_| code != 0),
    );
    let value: serde_json::Value = serde_json::from_str(&got.stdout).unwrap_or_default();
    value
        .as_array()
        .into_iter()
        .flatten()
        .filter(|found| found["spans"][0]["path"] == "tools.json")
        .map(|found| {
            let at = &found["spans"][0];
            format!(
                "{}:{}:{}",
                found["code"].as_str().unwrap(),
                at["line"],
                at["column"]
            )
        })
        .collect()
}

#[test]
fn hostile_schemas_end_with_findings_in_the_json() {
    let mut t = Attempts::new();
    let tool = |schema: &str| format!("[\n{{\"name\":\"t\",\"inputSchema\":\n{schema}}}]");
    let nested = |n: usize| {
        let open = r#"{"type":"object","properties":{"x":"#;
        tool(&format!("{}{{}}{}", open.repeat(n), "}}".repeat(n)))
    };
    let arrays = |n: usize| tool(&format!("{}{}", "[".repeat(n), "]".repeat(n)));
    let cases = [
        (nested(500), 1, "E0302:"),
        (nested(100_000), 1, "E0302:"),
        (arrays(100_000), 1, "E0302:"),
        ("[".repeat(1_000_000), 1, "E0302:"),
        (tool(r##"{"$ref":"#"}"##), 1, "E0309:3:9"),
        (
            tool(r##"{"properties":{"x":{"$ref":"#"}}}"##),
            0,
            "W0300:3:28",
        ),
        (
            tool(
                r##"{"properties":{"x":{"$ref":"#/$defs/A"}},"$defs":{"A":{"allOf":[{"$ref":"#/$defs/B"}]},"B":{"allOf":[{"$ref":"#/$defs/A"}]}}}"##,
            ),
            1,
            "E0309:3:",
        ),
        (
            tool(r#"{"properties":{"x":{"$ref":"https://example.com/s.json"}}}"#),
            1,
            "E0308:3:28",
        ),
        (
            tool(r#"{"$schema":"urn:own","type":"object"}"#),
            0,
            "W0302:3:12",
        ),
        (tool(r#"{"required":false}"#), 1, "E0306:3:13"),
        (
            tool(r#"{"properties":{"x":{"additionalProperties":"no"}}}"#),
            1,
            "E0306:3:44",
        ),
        // Escapes of half a character, in a name and in a value.
        (tool(r#"{"properties":{"\ud83d":{}}}"#), 1, "E03"),
        (tool(r#"{"properties":{"x":{"const":"\ud83d"}}}"#), 1, "E03"),
        (tool(r#"{"properties":{"\ud83d\ude00":{}}}"#), 0, ""),
        (tool(r#"{"properties":{"a::b":{"type":"string"}}}"#), 0, ""),
        // Keys twice, however they are written.
        (
            tool("{\"type\":\"object\",\n\"type\":\"object\"}"),
            1,
            "E03",
        ),
        (
            tool("{\"properties\":{\"a\":{},\n\"\\u0061\":{}}}"),
            1,
            "E03",
        ),
        (tool(r#"{"properties":{"x":{"minimum":NaN}}}"#), 1, "E03"),
        (tool(r#"{"properties":{"x":{"minimum":1-0.2}}}"#), 1, "E03"),
        (tool(r#"{"properties":{"x":{"minimum":.5}}}"#), 1, "E03"),
        (tool(r#"{"properties":{"x":{"minimum":01}}}"#), 1, "E03"),
    ];
    for (text, code, wanted) in cases {
        let found = findings(&mut t, &text, code);
        let shown: String = text.chars().take(120).collect();
        let fits = match wanted {
            "" => found.is_empty(),
            wanted => found.len() == 1 && found[0].starts_with(wanted),
        };
        t.expect(fits, || format!("{found:?}, wanted {wanted}\n{shown}"));
    }
    t.finish();
}

/// Numbers of sessions are those that stand there.
#[test]
fn numbers_of_sessions_are_exact() {
    let mut t = Attempts::new();
    t.file(
        "tools.json",
        r#"[{"name":"t","inputSchema":{"type":"object","properties":{"n":{"type":"integer"},"x":{"type":"number"},"e":{"enum":[1,"a",true,null,1.5]}}}}]"#,
    );
    // (condition, value, exit code)
    for (condition, value, code) in [
        ("n == 1", "1", 0),
        ("n == 1", "1.0", 0),
        ("n == 1", "10e-1", 0),
        ("n == 1", "1.0000000000000001", 1),
        ("n == 1000", "1e3", 0),
        ("n == 1000", "1E+3", 0),
        ("n < 9007199254740993", "9007199254740992", 0),
        ("n < 9007199254740993", "9007199254740993", 1),
        ("n == 9007199254740993", "9007199254740993", 0),
        ("n == 0", "-0.0", 0),
        ("n >= 0", "-0", 0),
        ("n < 10", "1e400", 1),
        // In a field declared numeric a text that is a JSON number is that number, and no other is.
        ("n < 10", "\"1\"", 0),
        ("n < 10", "\" 1\"", 1),
        ("n < 10", "\"01\"", 1),
        ("n < 10", "\"one\"", 1),
        ("n < 10", "NaN", 2),
        ("n < 10", "Infinity", 2),
        ("n < 10", "01", 2),
        ("n < 10", "1-0.2", 2),
        ("n < 10", "+1", 2),
        ("n < 10", ".5", 2),
        ("n < 10", "1.", 2),
        ("x == 0.3", "0.3", 0),
        ("x == 0.1 + 0.2", "0.3", 0),
        ("x == 0.1 + 0.2", "0.30000000000000004", 1),
        ("e == 1", "1.0", 0),
        ("e == 1", "true", 1),
        ("e == 1", "\"1\"", 1),
        ("e == true", "1", 1),
        ("e == null", "null", 0),
        ("e in [1.5, \"a\"]", "15e-1", 0),
    ] {
        let name = &condition[..1];
        t.file(
            "a.ctr",
            format!("tools from \"tools.json\"\ncontract c {{\n  guarantee call t only if {condition}\n}}\n"),
        );
        t.file(
            "s.jsonl",
            format!("{{\"kind\":\"call\",\"id\":\"1\",\"tool\":\"t\",\"args\":{{\"{name}\":{value}}}}}\n"),
        );
        let got = t.run(&["replay", "-l", "a.ctr", "s.jsonl"], &[code], None);
        let place =
            code != 2 || got.stderr.contains("s.jsonl:1: ") || got.stderr.contains("s.jsonl: ");
        t.expect(place, || format!("{value}: no place\n{}", got.stderr));
    }
    t.finish();
}
