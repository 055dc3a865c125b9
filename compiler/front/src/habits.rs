//! Names that are words of other languages: an unknown `None` is no misspelt field.

use crate::diagnostic::{Diagnostic, Fix};
use crate::ir::{Place, Source};

/// Values of other languages, and what they are here.
const VALUES: &[(&str, &str)] = &[
    ("None", "null"),
    ("nil", "null"),
    ("Null", "null"),
    ("NULL", "null"),
    ("undefined", "null"),
    ("True", "true"),
    ("TRUE", "true"),
    ("False", "false"),
    ("FALSE", "false"),
];

/// Methods of other languages, and how they are written here of `x`.
const METHODS: &[(&str, &str)] = &[
    ("length", "len(x)"),
    ("len", "len(x)"),
    ("size", "len(x)"),
    ("count", "len(x)"),
    ("contains", "x contains y"),
    ("includes", "x contains y"),
    ("has", "has(x.y)"),
    ("startsWith", "x starts with y"),
    ("startswith", "x starts with y"),
    ("starts_with", "x starts with y"),
    ("endsWith", "x ends with y"),
    ("endswith", "x ends with y"),
    ("ends_with", "x ends with y"),
    ("match", "x matches /y/"),
    ("matches", "x matches /y/"),
    ("test", "x matches /y/"),
    ("lower", "lower(x)"),
    ("toLowerCase", "lower(x)"),
    ("upper", "upper(x)"),
    ("toUpperCase", "upper(x)"),
    ("trim", "trim(x)"),
    ("strip", "trim(x)"),
    ("abs", "abs(x)"),
];

/// Says of unknown names that are words of other languages what they are here.
pub(crate) fn explain(sources: &[Source], diagnostics: &mut [Diagnostic]) {
    for diagnostic in diagnostics {
        if !matches!(diagnostic.code, "E0400" | "E0423" | "E0501") {
            continue;
        }
        let place = diagnostic.primary.place;
        let written = sources
            .get(place.source.0 as usize)
            .and_then(|s| {
                s.text
                    .get(place.span.start as usize..place.span.end as usize)
            })
            .unwrap_or_default();
        if let Some((_, meant)) = VALUES.iter().find(|(word, _)| *word == written) {
            diagnostic.help = vec![format!("`{written}` is written `{meant}` in this language")];
            diagnostic.fixes = vec![Fix {
                title: format!("write `{meant}`"),
                edits: vec![(place, (*meant).to_owned())],
                safe: false,
            }];
        } else if diagnostic.code == "E0400"
            && diagnostic.fixes.is_empty()
            && let Some((value, method)) = written.rsplit_once('.')
            && let Some((_, form)) = METHODS.iter().find(|(name, _)| *name == method)
        {
            // `x` stands in the forms for the value, and in no word of theirs but `x` itself.
            let form: Vec<String> = form
                .split_inclusive(|c: char| !c.is_alphanumeric())
                .map(|part| match part.strip_prefix('x') {
                    Some(end) if !end.starts_with(char::is_alphanumeric) => format!("{value}{end}"),
                    _ => part.to_owned(),
                })
                .collect();
            diagnostic.help = vec![format!("there are no methods; write `{}`", form.concat())];
        } else if diagnostic.code == "E0501"
            && diagnostic.fixes.is_empty()
            && matches!(written, "length" | "len" | "size" | "count")
            && let Some(value) = value_before(sources, place)
        {
            diagnostic.help = vec![format!("a length is asked with `len({value})`")];
        }
    }
}

/// The path that ends with the dot before a place.
fn value_before(sources: &[Source], place: Place) -> Option<&str> {
    let text = &sources.get(place.source.0 as usize)?.text;
    let before = text.get(..place.span.start as usize)?.strip_suffix('.')?;
    let path = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']' | '*');
    let value = before.get(before.trim_end_matches(path).len()..)?;
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use crate::compile;
    use crate::world::MemoryWorld;

    #[test]
    fn words_of_other_languages() {
        for (condition, help) in [
            ("to != None", "`None` is written `null` in this language"),
            (
                "(to == \"a\") == True",
                "`True` is written `true` in this language",
            ),
            (
                "to.startsWith(\"a\")",
                "there are no methods; write `to starts with y`",
            ),
            ("to.length() < 3", "there are no methods; write `len(to)`"),
            ("to.length < 3", "a length is asked with `len(to)`"),
            ("args.to.size < 3", "a length is asked with `len(args.to)`"),
            (
                "role == \"a\"",
                "`role` is a field of the context: write `ctx.role`",
            ),
            (
                "count(pay) < 3",
                "`pay` is a tool: write `call pay`, `success pay` or another event of it",
            ),
        ] {
            let text = format!(
                "tool pay(to: string)\ncontext role: string\ncontract c {{ guarantee call pay only if {condition} }}\n"
            );
            let world = MemoryWorld::new().with("a.ctr", text);
            let found = compile(&world, &["a.ctr".to_owned()]).diagnostics;
            assert!(
                found.iter().any(|d| d.help == [help]),
                "{condition}: {found:#?}"
            );
        }
    }
}
