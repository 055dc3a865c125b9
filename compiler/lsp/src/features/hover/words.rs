//! Keywords, signs, literals, codes: what the language itself means.

use ctr_front::diagnostic::CodeDoc;
use ctr_grammar::keywords::Keyword;
use ctr_grammar::meanings::{Word, sentence};

use super::text::{Text, code};

/// A keyword, with what it means where the session ends.
pub(crate) fn keyword(keyword: &Keyword, out: &mut Text) {
    out.code(if keyword.written.is_empty() {
        keyword.name
    } else {
        keyword.written
    });
    out.paragraph(&sentence(keyword.doc));
    if !keyword.ending.is_empty() {
        out.paragraph(&format!("**At the end of a session:** {}", keyword.ending));
    }
    out.section(keyword.section());
}

/// A sign, a function, or another word that is no keyword.
pub(crate) fn word(word: &Word, out: &mut Text) {
    out.code(word.written);
    out.paragraph(&sentence(word.doc));
    if !word.gives.is_empty() {
        out.paragraph(&format!("Gives: {}.", word.gives));
    }
    out.paragraph(word.ending);
    out.section(word.section());
}

/// What a code of the compiler's means.
pub(crate) fn diagnostic(doc: &CodeDoc, out: &mut Text) {
    out.paragraph(&format!("{} **{}**", code(doc.code), doc.title));
    out.paragraph(doc.meaning);
    if !doc.why.is_empty() {
        out.paragraph(&format!("**Why it matters.** {}", doc.why.trim()));
    }
    match doc.absolute_url() {
        Some(url) if out.is_markdown() => out.paragraph(&format!("[More]({url})")),
        _ => out.paragraph(&format!("`ctrc explain {}` tells more.", doc.code)),
    }
}

/// A length of time, in all its units.
pub(crate) fn duration(written: &str, nanos: i64, out: &mut Text) {
    const UNITS: [(i64, &str); 5] = [
        (86_400_000_000_000, "d"),
        (3_600_000_000_000, "h"),
        (60_000_000_000, "min"),
        (1_000_000_000, "s"),
        (1_000_000, "ms"),
    ];
    let mut parts = Vec::new();
    let mut rest = nanos;
    for (size, name) in UNITS {
        let count = rest / size;
        rest %= size;
        if count > 0 {
            parts.push(format!("{count} {name}"));
        }
    }
    if parts.is_empty() {
        parts.push("0 s".to_owned());
    }
    out.code(written);
    out.paragraph(&format!("A duration: {}.", parts.join(" ")));
}

/// A number with many digits, in groups.
pub(crate) fn number(written: &str, out: &mut Text) {
    out.code(written);
    let digits = written.chars().all(|c| c.is_ascii_digit());
    if digits && written.len() > 3 {
        let mut grouped = String::new();
        for (at, c) in written.chars().enumerate() {
            if at > 0 && (written.len() - at).is_multiple_of(3) {
                grouped.push(' ');
            }
            grouped.push(c);
        }
        out.paragraph(&format!("A number: {grouped}. Numbers are exact decimals."));
    } else {
        out.paragraph("A number. Numbers are exact decimals.");
    }
}

/// A regular expression: what its flags say.
pub(crate) fn regex(written: &str, out: &mut Text) {
    out.code(written);
    out.paragraph(
        "A regular expression, which is found anywhere in the text (write `^...$` for the whole of it), in linear time, in the syntax of the `regex` crate.",
    );
    let flags = written.rsplit('/').next().unwrap_or_default();
    let said: Vec<&str> = flags
        .chars()
        .filter_map(|flag| match flag {
            'i' => Some("`i`: upper and lower case are one"),
            'm' => Some("`m`: `^` and `$` are the ends of lines, too"),
            's' => Some("`s`: `.` is any character, line ends, too"),
            'x' => Some("`x`: white space and `#` comments in it do not count"),
            'u' => Some("`u`: letters of all languages"),
            'U' => Some("`U`: runs are as short as can be"),
            _ => None,
        })
        .collect();
    for flag in said {
        out.point(flag);
    }
}
