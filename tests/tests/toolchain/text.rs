//! Text, bytes and positions.

use ctr_tests::attempts::Attempts;

/// Every length of character before a name: bytes, UTF-16 units and characters all differ.
#[test]
fn columns_after_wide_characters() {
    let mut t = Attempts::new();
    for text in ["…£😀क्षि", "𐐰", "é\u{301}", "\t日本"] {
        let line = format!(
            "/* {text} */ contract c {{ guarantee never call pay(to == \"{text}\" and nobody) }}"
        );
        t.file("a.ctr", format!("tool pay(to: string)\n{line}\n"));
        let before = line.split("nobody").next().unwrap();
        let characters = before.chars().count() + 1;
        let units = before.encode_utf16().count() + 1;
        for (format, pointer, column) in [
            ("json", "/0/spans/0/column", characters),
            (
                "sarif",
                "/runs/0/results/0/locations/0/physicalLocation/region/startColumn",
                units,
            ),
        ] {
            let got = t.run(&["check", "--format", format, "a.ctr"], &[1], None);
            let value: serde_json::Value = serde_json::from_str(&got.stdout).unwrap();
            let found = value.pointer(pointer).and_then(serde_json::Value::as_u64);
            t.expect(found == Some(column as u64), || {
                format!(
                    "{format}, {text:?}: column {found:?}, not {column}\n{}",
                    got.stdout
                )
            });
        }
    }
    t.finish();
}
