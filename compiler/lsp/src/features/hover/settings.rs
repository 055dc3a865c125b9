//! Settings in a `ctrc.toml`.

use ctr_front::config::{Setting, setting_of};
use ctr_grammar::Span;

use super::text::Text;
use super::words;
use crate::features::completion::settings::{Line, line};

/// What stands at an offset of a `ctrc.toml`.
pub(crate) fn hover(text: &str, offset: u32, out: &mut Text) -> Option<Span> {
    let Line { table, key, .. } = line(text, offset);
    let (key, span) = key?;
    if span.start > offset || offset > span.end {
        return None;
    }
    if table == "lints" && !key.is_empty() && key != "lints" {
        let doc = crate::features::codes::find(&key)?;
        words::diagnostic(doc, out);
        return Some(span);
    }
    let found = if key == table {
        setting_of(&table, "")
    } else {
        setting_of(&table, &key)
    };
    setting(found?, out);
    Some(span)
}

/// A table or a key.
pub(crate) fn setting(setting: &Setting, out: &mut Text) {
    if setting.key.is_empty() {
        out.paragraph(&format!("`[{}]`", setting.table));
    } else {
        out.paragraph(&format!("`{} = {}`", setting.key, setting.value));
    }
    out.paragraph(setting.doc);
}
