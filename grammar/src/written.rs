//! Names and texts as a policy writes them: what is read back as the same (language reference, section 2).

use crate::keywords;

/// Whether a text has the shape of a name, reserved words among them.
#[must_use]
pub fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A name: in back-ticks where it would be none without, or a reserved word.
#[must_use]
pub fn name(text: &str) -> String {
    if is_identifier(text) && !keywords::lookup(text).is_some_and(|keyword| keyword.reserved) {
        text.to_owned()
    } else {
        format!("`{text}`")
    }
}

/// A string literal. Not for messages, in which `{` begins an expression.
#[must_use]
pub fn string(text: &str) -> String {
    format!("\"{}\"", inside_quotes(text))
}

/// A text as it stands between quotes.
#[must_use]
pub fn inside_quotes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, reason = "tests")]

    use super::{name, string};
    use crate::ast::ExprKind;
    use crate::literal::decode_string;
    use crate::{Span, parse_expr};

    #[test]
    fn names_are_read_back() {
        for keyword in crate::keywords::KEYWORDS {
            let written = name(keyword.name);
            assert_eq!(
                written.starts_with('`'),
                keyword.reserved || keyword.name.contains(' ')
            );
        }
        for text in ["a", "_", "a_1", "1a", "a-b", "a.b", "é", "not", "any"] {
            let written = name(text);
            let (parsed, errors) = parse_expr(
                &written,
                Span::new(0, u32::try_from(written.len()).unwrap_or(u32::MAX)),
            );
            assert!(errors.is_empty(), "{written}: {errors:?}");
            match parsed.kind {
                ExprKind::Name(found) => assert_eq!(found.name, text),
                other => panic!("{written}: {other:?}"),
            }
        }
    }

    #[test]
    fn strings_are_read_back() {
        for text in ["", "a\"b\\", "\n\t\r\u{1}\u{7f}", "é 😀 {x}", "\\n"] {
            let mut errors = Vec::new();
            assert_eq!(decode_string(&string(text), 0, Some(&mut errors)), text);
            assert!(errors.is_empty(), "{text}: {errors:?}");
        }
    }
}
