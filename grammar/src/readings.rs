//! What a text that readers take in several ways can be meant to say: a reading is shown only where it
//! can be written so.

use crate::error::SyntaxError;
use crate::parse::parse_plainly;

/// So many errors of one text have their readings tried; of the others they are shown as they are.
const MAX_TRIED: usize = 20;

/// A reading is mended so many times.
const MAX_MENDED: u32 = 4;

/// So many readings are shown.
const MAX_SHOWN: usize = 3;

/// What stands around a reading when it is tried.
const BEFORE: &str = "contract c { guarantee ";
const AFTER: &str = "\n}";

/// Writes the help of all errors that have readings.
pub(crate) fn explain(errors: &mut [SyntaxError]) {
    let mut tried = 0;
    for error in errors {
        let Some((_, list)) = &mut error.readings else {
            continue;
        };
        tried += 1;
        let mut shown: Vec<String> = Vec::new();
        if tried <= MAX_TRIED {
            for reading in list.iter() {
                written(reading, MAX_MENDED, &mut shown);
            }
        }
        // What was shortened cannot be tried.
        if shown.is_empty() && (tried > MAX_TRIED || list.iter().any(|r| r.contains('…'))) {
            shown.clone_from(list);
        }
        let mut once: Vec<String> = Vec::new();
        for reading in shown {
            if !once.contains(&reading) {
                once.push(reading);
            }
        }
        once.truncate(MAX_SHOWN);
        let texts: Vec<String> = once.iter().map(|reading| format!("`{reading}`")).collect();
        once.retain(|reading| !reading.contains('…'));
        *list = once;
        error.help = Some(if texts.is_empty() {
            "put each readable form into parentheses, and each side of it that is more than one pattern"
                .to_owned()
        } else {
            format!("write {}", texts.join(" or "))
        });
    }
}

/// Adds a reading as it can be written: as it is, or with what its own first mistake asks for.
fn written(reading: &str, left: u32, out: &mut Vec<String>) {
    if out.len() > MAX_SHOWN {
        return;
    }
    let text = format!("{BEFORE}{reading}{AFTER}");
    let errors = parse_plainly(&text).errors;
    let Some(first) = errors.first() else {
        out.push(reading.to_owned());
        return;
    };
    let Some(left) = left.checked_sub(1) else {
        return;
    };
    let edits: Vec<(crate::span::Span, &str)> = match (&first.readings, &first.fix) {
        (Some((span, list)), _) => list.iter().map(|r| (*span, r.as_str())).collect(),
        (None, Some((span, fix))) if matches!(first.code, "E0022" | "E0023" | "E0054") => {
            vec![(*span, fix.as_str())]
        }
        _ => Vec::new(),
    };
    for (span, replacement) in edits {
        let (Some(start), Some(end)) = (
            text.get(..span.start as usize),
            text.get(span.end as usize..),
        ) else {
            continue;
        };
        let mended = format!("{start}{replacement}{end}");
        let inner = mended
            .strip_prefix(BEFORE)
            .and_then(|t| t.strip_suffix(AFTER));
        if let Some(inner) = inner.filter(|inner| *inner != reading) {
            written(inner, left, out);
        }
    }
}
