//! What all pages have in common: head, security policy, style and script.

use std::fmt::Write as _;
use std::sync::LazyLock;

use ctr_runtime::decision::Value3;
use ctr_runtime::session::Standing;
use sha2::{Digest as _, Sha256};

use super::escape::Text;

/// The style of all pages.
pub const STYLE: &str = include_str!("assets/report.css");
/// The script of all pages. Pages can be read without it.
pub const SCRIPT: &str = include_str!("assets/report.js");

/// Nothing is loaded, and only the style and the script that are meant take effect, whatever else came to
/// stand in a page. Pictures are part of the page.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; img-src data:; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
});

fn hash(text: &str) -> String {
    format!("sha256-{}", base64(&Sha256::digest(text)))
}

/// RFC 4648, section 4.
#[must_use]
pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let word = three
            .iter()
            .zip([16, 8, 0])
            .fold(0u32, |word, (byte, by)| word | u32::from(*byte) << by);
        for (n, by) in [18, 12, 6, 0].into_iter().enumerate() {
            let letter = LETTERS.get((word >> by & 63) as usize);
            out.push(match letter {
                Some(letter) if n <= three.len() => char::from(*letter),
                _ => '=',
            });
        }
    }
    out
}

/// Everything before a page's own content. `kind` names the page to the script: `session` or `index`.
pub fn open(out: &mut String, kind: &str, title: &str) {
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=en data-page={kind}>\n<head>\n<meta charset=utf-8>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
         <meta name=viewport content=\"width=device-width, initial-scale=1\">\n\
         <meta name=referrer content=no-referrer>\n<title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n",
        *POLICY,
        Text(title)
    );
}

/// The buttons at the top right; they need the script.
pub fn tools(out: &mut String) {
    out.push_str(
        "<div class=tools hidden data-js>\
         <button type=button id=theme title=\"Switch between light and dark\"><span aria-hidden=true>\u{25d1}</span> <span class=word>Theme</span></button>\
         <button type=button id=helper aria-haspopup=dialog><kbd aria-hidden=true>?</kbd> Keys</button></div>\n",
    );
}

/// Everything after a page's own content.
pub fn close(out: &mut String, compiler: &str, keys: &[(&str, &str)]) {
    let _ = write!(
        out,
        "<footer><p>Written by {} <code>replay --html</code>. Nothing in this page is loaded from elsewhere.</p></footer>\n\
         <dialog id=help aria-labelledby=help-title><h2 id=help-title>Keys</h2><table><tbody>",
        Text(compiler)
    );
    for (key, does) in keys {
        let _ = write!(out, "<tr><th scope=row>");
        for (n, key) in key.split(' ').enumerate() {
            let gap = if n > 0 { " " } else { "" };
            let _ = write!(out, "{gap}<kbd>{}</kbd>", Text(key));
        }
        let _ = write!(out, "</th><td>{does}</td></tr>");
    }
    let _ = write!(
        out,
        "</tbody></table><p><label><input type=checkbox id=keys-on checked> Keys are on</label></p>\
         <form method=dialog><button>Close</button></form></dialog>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
    );
}

/// The letter of a standing's style.
#[must_use]
pub fn letter(standing: Option<Standing>) -> char {
    match standing {
        Some(Standing::Violated) => 'v',
        Some(Standing::Broken) => 'i',
        Some(Standing::Unmet) => 'u',
        Some(Standing::Pending) => 'p',
        Some(Standing::Satisfied) => 's',
        Some(Standing::SatisfiedForGood) => 'g',
        None => 'n',
    }
}

/// A standing's sign.
#[must_use]
pub fn sign(standing: Option<Standing>) -> char {
    match standing {
        Some(Standing::Violated) => '\u{2715}',
        Some(Standing::Broken) => '\u{2013}',
        Some(Standing::Unmet) => '\u{25cc}',
        Some(Standing::Pending) => '\u{25d0}',
        Some(Standing::Satisfied) => '\u{25cb}',
        Some(Standing::SatisfiedForGood) => '\u{2713}',
        None => '\u{b7}',
    }
}

/// A standing in words.
#[must_use]
pub fn words(standing: Option<Standing>) -> &'static str {
    standing.map_or("no instance yet", Standing::name)
}

/// A standing as a label with sign and words.
pub fn standing(out: &mut String, standing: Option<Standing>) {
    let _ = write!(
        out,
        "<span class=\"st st-{}\"><span aria-hidden=true>{}</span> {}</span>",
        letter(standing),
        sign(standing),
        words(standing)
    );
}

/// A verdict as a label.
pub fn verdict(out: &mut String, value: Value3) {
    let (class, sign) = verdict_style(value);
    let _ = write!(
        out,
        "<span class=\"verdict st-{class}\"><span aria-hidden=true>{sign}</span> {}</span>",
        value.name()
    );
}

/// The letter of a verdict's style, and its sign.
#[must_use]
pub fn verdict_style(value: Value3) -> (char, char) {
    match value {
        Value3::Fail => ('v', '\u{2715}'),
        Value3::Active => ('g', '\u{2713}'),
        Value3::Idle => ('i', '\u{2013}'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        for (plain, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("\u{ff}\u{3fe}", "w7/Pvg=="),
        ] {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }
}
