//! Hostile schemas meet limits.

use super::*;

#[test]
fn nested_properties() {
    let nested = |n: usize| {
        format!(
            "{}{{}}{}",
            r#"{"properties":{"x":"#.repeat(n),
            "}}".repeat(n)
        )
    };
    let (_, found) = params(&nested(60));
    assert_eq!(found, [""; 0]);
    let text = format!(r#"[{{"name":"t","inputSchema":{}}}]"#, nested(100_000));
    let (tools, found) = read(&text);
    assert_eq!(tools, []);
    assert_eq!(found, ["E0302:{"]);
}

/// Chains of references are longer than the text is deep.
#[test]
fn chains_of_references() {
    let chain = |n: u32| {
        let defs: Vec<String> = (0..n)
            .map(|i| format!(r##""d{i}":{{"$ref":"#/$defs/d{}"}}"##, i + 1))
            .collect();
        format!(
            r#","$defs":{{{},"d{n}":{{"type":"integer"}}}}"#,
            defs.join(",")
        )
    };
    let start = r##"{"$ref":"#/$defs/d0"}"##;
    let (ty, found) = property(start, &chain(MAX_REF_HOPS - 1));
    assert_eq!((ty.as_str(), found), ("int", Vec::new()));
    let (ty, found) = property(start, &chain(MAX_REF_HOPS));
    assert_eq!(ty, "any");
    assert_eq!(found, [format!("E0310:\"#/$defs/d{MAX_REF_HOPS}\"")]);
}

#[test]
fn depth_behind_references() {
    let links = 30;
    let defs: Vec<String> = (0..links)
        .map(|i| {
            format!(
                r##""d{i}":{{"properties":{{"a":{{"properties":{{"b":{{"items":{{"$ref":"#/$defs/d{}"}}}}}}}}}}}}"##,
                i + 1
            )
        })
        .collect();
    let rest = format!(r#","$defs":{{{},"d{links}":{{}}}}"#, defs.join(","));
    let (_, found) = property(r##"{"$ref":"#/$defs/d0"}"##, &rest);
    assert!(3 * links > MAX_SCHEMA_DEPTH as usize - 50);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("E0310:"), "{found:?}");
}

/// Thirty definitions that use the next one twice are a thousand million schemas.
#[test]
fn doubling_references() {
    let defs: Vec<String> = (0..30)
        .map(|i| {
            let next = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, i + 1);
            format!(r#""d{i}":{{"properties":{{"a":{next},"b":{next}}}}}"#)
        })
        .collect();
    let rest = format!(r#","$defs":{{{},"d30":{{}}}}"#, defs.join(","));
    let (_, found) = property(r##"{"$ref":"#/$defs/d0"}"##, &rest);
    assert_eq!(found.len(), 1, "{}", found.len());
    assert!(found[0].starts_with("E0310:"));
    const { assert!(MAX_SCHEMAS < 1 << 30) };
}

#[test]
fn multiplying_unions() {
    let choice = |i: usize| {
        let parts: Vec<String> = (0..20)
            .map(|j| format!(r#"{{"properties":{{"p{i}_{j}":{{"type":"string"}}}}}}"#))
            .collect();
        format!(r#"{{"anyOf":[{}]}}"#, parts.join(","))
    };
    let parts: Vec<String> = (0..10).map(choice).collect();
    let (_, found) = property(&format!(r#"{{"allOf":[{}]}}"#, parts.join(",")), "");
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("E0310:"));
}

#[test]
fn wide_schemas_are_read_in_linear_time() {
    let many: Vec<String> = (0..50_000)
        .map(|i| format!(r#""p{i}":{{"type":"string"}}"#))
        .collect();
    let required: Vec<String> = (0..50_000).map(|i| format!("\"p{i}\"")).collect();
    let (tools, found) = read(&format!(
        r#"[{{"name":"t","inputSchema":{{"properties":{{{}}},"required":[{}]}}}}]"#,
        many.join(","),
        required.join(",")
    ));
    assert_eq!(found, [""; 0]);
    assert_eq!(tools[0].params.fields.len(), 50_000);
    let parts: Vec<String> = (0..20_000)
        .map(|i| format!(r#"{{"properties":{{"p{i}":{{}}}}}}"#))
        .collect();
    let (ty, found) = property(&format!(r#"{{"allOf":[{}]}}"#, parts.join(",")), "");
    assert_eq!(found, [""; 0]);
    assert!(ty.len() > 20_000);
    let values: Vec<String> = (0..50_000).map(|i| format!("\"v{i}\"")).collect();
    let (ty, found) = property(
        &format!(r#"{{"type":"string","enum":[{}]}}"#, values.join(",")),
        "",
    );
    assert_eq!(found, [""; 0]);
    assert!(ty.len() > 50_000);
}

#[test]
fn findings_are_bounded() {
    let many: Vec<String> = (0..5_000)
        .map(|i| format!(r#""p{i}":{{"type":"wrong"}}"#))
        .collect();
    let text = format!(
        r#"[{{"name":"t","inputSchema":{{"properties":{{{}}}}}}}]"#,
        many.join(",")
    );
    let (_, found) = read(&text);
    assert_eq!(found.len(), MAX_FINDINGS + 1);
    assert_eq!(found[MAX_FINDINGS], "E0312:");
    let twice = format!("[{{{}\"a\":1}}]", "\"a\":1,".repeat(5_000));
    assert!(read(&twice).1.len() <= MAX_FINDINGS + 1);
}
