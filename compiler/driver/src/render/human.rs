//! Findings for people, drawn by ariadne. Nothing of ariadne leaves this module.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use anstream::ColorChoice;
use anstream::adapter::strip_str;
use ariadne::{CharSet, Color, Config, IndexType, Label, Report, ReportKind};
use ctr_front::diagnostic::{self, Diagnostic, Severity};
use ctr_front::ir::{Place, Source};

use ctr_front::lines::Lines;

use crate::plain::line;

/// A line of more bytes than this is not drawn: the terminal could not show it and drawing would
/// take too long. The place is given in numbers instead.
const MAX_LINE: usize = 1000;

/// A finding with the lines of source that it speaks of, without a line end.
#[must_use]
pub fn diagnostic(sources: &[Source], diagnostic: &Diagnostic) -> String {
    let mut places = std::iter::once(&diagnostic.primary).chain(&diagnostic.secondary);
    let drawable = places.all(|label| {
        sources
            .get(label.place.source.0 as usize)
            .is_some_and(|source| is_drawable(&source.text, &span(&source.text, label.place)))
    });
    let drawn = if drawable {
        // The drawing library has panicked on odd spans; a finding must be told all the same.
        catch_unwind(AssertUnwindSafe(|| draw(sources, diagnostic)))
            .ok()
            .flatten()
    } else {
        None
    };
    drawn.unwrap_or_else(|| plain(sources, diagnostic))
}

/// Whether all lines of a span are short enough.
fn is_drawable(text: &str, span: &Range<usize>) -> bool {
    if text.trim().is_empty() {
        return false;
    }
    let start = text.get(..span.start).map_or(0, |before| {
        before.rfind('\n').map_or(0, |newline| newline + 1)
    });
    let end = text
        .get(span.end..)
        .and_then(|after| after.find('\n'))
        .map_or(text.len(), |newline| span.end + newline);
    text.get(start..end)
        .is_some_and(|lines| lines.lines().all(|line| line.len() <= MAX_LINE))
}

/// A span on character boundaries inside the text, not empty and not at a line end, where nothing
/// could be underlined: such a one is moved to the last character before it that can be seen, or
/// at the end of the file to the space behind that character (see [`canvas`]).
fn span(text: &str, place: Place) -> Range<usize> {
    let len = text.trim_end().len();
    let start = text.floor_char_boundary((place.span.start as usize).min(text.len()));
    let end = text.ceil_char_boundary((place.span.end as usize).min(text.len()));
    if start >= len {
        return len..len + 1;
    }
    let part = text.get(start..end).map_or("", str::trim_end);
    if !part.is_empty() {
        // Line ends after the last character would make the span one of several lines.
        return start..start + part.len();
    }
    match text.get(start..).and_then(|rest| rest.chars().next()) {
        Some(next) if !matches!(next, '\n' | '\r') => start..start + next.len_utf8(),
        _ => {
            let before = text.get(..start).map_or("", str::trim_end);
            let last = before.chars().next_back().map_or(1, char::len_utf8);
            before.len().saturating_sub(last)..before.len().max(1)
        }
    }
}

/// The length of the byte order mark, which no editor shows or counts.
fn mark(text: &str) -> usize {
    if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    }
}

/// What is drawn of a text: the whole lines that the findings touch, up to the last character of the text
/// that can be seen, and a space for labels at the end of the file. The lines before them are empty, so that lines keep
/// their numbers and a finding in a large file costs little more than its own lines.
struct Canvas {
    /// How much further in the text something stands than in the canvas, in bytes.
    ahead: usize,
    source: ariadne::Source<String>,
}

impl Canvas {
    /// `touched` counts in bytes after a byte order mark.
    fn of(text: &str, touched: &Range<usize>) -> Self {
        let text = text.trim_end();
        let text = text.get(mark(text)..).unwrap_or_default();
        let start = text
            .get(..touched.start.min(text.len()))
            .and_then(|before| before.rfind('\n'))
            .map_or(0, |at| at + 1);
        let end = text
            .get(touched.end.min(text.len())..)
            .and_then(|after| after.find('\n'))
            .map_or(text.len(), |at| touched.end + at);
        let lines_before = text.get(..start).map_or(0, |t| t.matches('\n').count());
        let lines = text.get(start..end).unwrap_or_default();
        let mut canvas = "\n".repeat(lines_before);
        canvas.push_str(&shown(lines.strip_suffix('\r').unwrap_or(lines)));
        canvas.push(' ');
        Self {
            ahead: start - lines_before,
            source: ariadne::Source::from(canvas),
        }
    }
}

/// The canvases of a finding, by path.
struct Canvases(BTreeMap<String, Canvas>);

impl ariadne::Cache<String> for Canvases {
    type Storage = String;

    fn fetch(&mut self, path: &String) -> Result<&ariadne::Source<String>, impl std::fmt::Debug> {
        self.0
            .get(path)
            .map(|canvas| &canvas.source)
            .ok_or("no such text")
    }

    fn display<'a>(&self, path: &'a String) -> Option<impl std::fmt::Display + 'a> {
        Some(path)
    }
}

/// A text that shows as it is counted: characters that end lines for the drawing library but not
/// for us, that move the cursor or turn the direction of writing are replaced by others of as many
/// bytes.
fn shown(text: &str) -> Cow<'_, str> {
    let replacement = |c: char, next: Option<char>| match c {
        '\n' | '\t' => None,
        '\r' if next == Some('\n') => None,
        '\0'..='\u{1f}' | '\u{7f}' => Some('?'),
        '\u{80}'..='\u{9f}' => Some('¿'),
        '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' => {
            Some('\u{fffd}')
        }
        _ => None,
    };
    let mut out: Option<String> = None;
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        match (replacement(c, next), &mut out) {
            (Some(other), Some(out)) => out.push(other),
            (Some(other), None) => {
                let mut begun = text.get(..at).unwrap_or_default().to_owned();
                begun.push(other);
                out = Some(begun);
            }
            (None, Some(out)) => out.push(c),
            (None, None) => {}
        }
    }
    out.map_or(Cow::Borrowed(text), Cow::Owned)
}

fn draw(sources: &[Source], diagnostic: &Diagnostic) -> Option<String> {
    let colour = colour(diagnostic.severity);
    let canvases = canvases(sources, diagnostic);
    let locate = |place: Place| -> Option<(String, Range<usize>)> {
        let source = sources.get(place.source.0 as usize)?;
        let span = marked_off(source, place);
        let ahead = canvases.0.get(&*line(&source.path))?.ahead;
        let span = span.start.saturating_sub(ahead)..span.end.saturating_sub(ahead);
        Some((line(&source.path).into_owned(), span))
    };
    let primary = locate(diagnostic.primary.place)?;
    let coloured = ColorChoice::global() != ColorChoice::Never;
    let config = Config::default()
        .with_index_type(IndexType::Byte)
        .with_char_set(CharSet::Unicode)
        .with_color(coloured);
    let kind = format!("{}[{}]", diagnostic.severity.name(), diagnostic.code);
    let mut report = Report::build(ReportKind::Custom(&kind, colour), primary.clone())
        .with_config(config)
        .with_message(shown(&diagnostic.message));

    // Labels of a file are drawn as one excerpt only where they come in order of their lines.
    let mut labels: Vec<(bool, &diagnostic::Label)> = std::iter::once((true, &diagnostic.primary))
        .chain(diagnostic.secondary.iter().map(|label| (false, label)))
        .collect();
    let main = diagnostic.primary.place.source;
    labels.sort_by_key(|(_, label)| {
        let Place { source, span } = label.place;
        (source != main, source.0, span.end, span.start)
    });
    for (is_primary, label) in labels {
        let colour = if is_primary { colour } else { Color::Blue };
        // A label without text is only underlined, which cannot be told from another's line.
        let text = if label.text.is_empty() && !diagnostic.secondary.is_empty() {
            Cow::Borrowed("here")
        } else {
            shown(&label.text)
        };
        report.add_label(
            Label::new(locate(label.place)?)
                .with_color(colour)
                .with_message(text),
        );
    }
    let mut out = Vec::new();
    report.finish().write(canvases, &mut out).ok()?;
    let mut drawn = tidy(&String::from_utf8(out).ok()?);

    let notes = notes(diagnostic);
    if !notes.is_empty() {
        let margin = drawn
            .lines()
            .nth(1)
            .map(|line| strip_str(line).to_string())
            .and_then(|line| line.find('╭'))
            .unwrap_or(3);
        let bar = paint(coloured, "38;5;246", "│");
        let _ = write!(drawn, "\n{:margin$}{bar}", "");
        for (name, text) in notes {
            let name = paint(coloured, "1", name);
            let mut lines = text.lines();
            let first = lines.next().unwrap_or_default();
            let _ = write!(drawn, "\n{:margin$}= {name}: {}", "", shown(first));
            for line in lines {
                let _ = write!(drawn, "\n{:margin$}        {}", "", shown(line));
            }
        }
    }
    Some(drawn)
}

/// The span of a place, in bytes after a byte order mark.
fn marked_off(source: &Source, place: Place) -> Range<usize> {
    let span = span(&source.text, place);
    let mark = mark(&source.text);
    span.start.saturating_sub(mark)..span.end.saturating_sub(mark)
}

/// What is drawn of each text that a finding speaks of. Two sources of one path are one text.
fn canvases(sources: &[Source], diagnostic: &Diagnostic) -> Canvases {
    let mut touched: BTreeMap<&str, (&Source, Range<usize>)> = BTreeMap::new();
    for label in std::iter::once(&diagnostic.primary).chain(&diagnostic.secondary) {
        let Some(source) = sources.get(label.place.source.0 as usize) else {
            continue;
        };
        let span = marked_off(source, label.place);
        touched
            .entry(&source.path)
            .and_modify(|(_, all)| {
                *all = all.start.min(span.start)..all.end.max(span.end);
            })
            .or_insert((source, span));
    }
    Canvases(
        touched
            .into_iter()
            .map(|(path, (source, span))| {
                (line(path).into_owned(), Canvas::of(&source.text, &span))
            })
            .collect(),
    )
}

fn colour(severity: Severity) -> Color {
    match severity {
        Severity::Error => Color::Red,
        Severity::Warning => Color::Yellow,
        Severity::Note => Color::Cyan,
    }
}

fn paint(coloured: bool, style: &str, text: &str) -> String {
    if coloured {
        format!("\u{1b}[{style}m{text}\u{1b}[0m")
    } else {
        text.to_owned()
    }
}

/// The drawing without what the library adds for its own sake: the closing line, spaces at line
/// ends, and arrows that lead to no text.
fn tidy(drawn: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in drawn.lines() {
        let seen = strip_str(line).to_string();
        let seen = seen.trim();
        let leads_nowhere = seen.starts_with('│')
            && seen.trim_end_matches('─').ends_with('╰')
            && seen.matches('╰').count() == 1;
        if leads_nowhere
            && let Some(above) = lines.last_mut()
            && above.matches('┬').count() == 1
        {
            *above = above.replace('┬', "─");
            continue;
        }
        if seen.ends_with('╯') && seen.trim_end_matches('╯').chars().all(|c| c == '─') {
            continue;
        }
        lines.push(line.trim_end().to_owned());
    }
    lines.join("\n")
}

/// What stands under the excerpt: help, and fixes that say something else.
fn notes(diagnostic: &Diagnostic) -> Vec<(&'static str, &str)> {
    let help = diagnostic.help.iter().map(|help| ("help", help.as_str()));
    let fixes = diagnostic
        .fixes
        .iter()
        .filter(|fix| !diagnostic.help.contains(&fix.title))
        .map(|fix| ("fix", fix.title.as_str()));
    help.chain(fixes).collect()
}

/// Without lines of source.
fn plain(sources: &[Source], diagnostic: &Diagnostic) -> String {
    let place = |place: Place| match sources.get(place.source.0 as usize) {
        Some(source) => {
            let at = Lines::new(&source.text).locate(place.span.start as usize);
            format!("{}:{}:{}", line(&source.path), at.line, at.column)
        }
        None => "?".to_owned(),
    };
    let mut out = format!(
        "{}[{}]: {}\n  at {}",
        diagnostic.severity.name(),
        diagnostic.code,
        shown(&diagnostic.message),
        place(diagnostic.primary.place)
    );
    if !diagnostic.primary.text.is_empty() {
        let _ = write!(out, ": {}", shown(&diagnostic.primary.text));
    }
    for label in &diagnostic.secondary {
        let _ = write!(out, "\n  at {}: {}", place(label.place), shown(&label.text));
    }
    for (name, text) in notes(diagnostic) {
        let _ = write!(out, "\n  = {name}: {}", shown(text));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::tests::{error, full, place, source};
    use super::*;

    fn drawn(text: &str, found: &Diagnostic) -> String {
        let drawn = diagnostic(&[source("a.ctr", text)], found);
        strip_str(&drawn).to_string()
    }

    #[test]
    fn labels_help_and_fixes() {
        let text = "tool y()\n\n\ncontract c {\n  guarantee call x only if z\n}\n";
        assert_eq!(
            drawn(text, &full(text, "x only", "y")),
            "\
error[E0401]: no tool is called `x`
   ╭─[ a.ctr:5:18 ]
   │
 1 │ tool y()
   │      ┬
   │      ╰── declared here
   │
 5 │   guarantee call x only if z
   │                  ───┬──
   │                     ╰──── unknown tool
   │
   = help: declare it
   = fix: write `y`"
        );
    }

    #[test]
    fn a_label_without_text_is_underlined() {
        let text = "a x b";
        assert_eq!(
            drawn(text, &error(text, "x", "")),
            "error[E0401]: no tool is called `x`\n   ╭─[ a.ctr:1:3 ]\n   │\n 1 │ a x b\n   │   ─"
        );
    }

    #[test]
    fn lines_before_and_after_cost_nothing_and_keep_their_numbers() {
        let before = "é line\r\n".repeat(40);
        let text = format!("\u{feff}{before}\tfoo bar\r\n{before}");
        let found = error(&text, "bar", "here");
        assert_eq!(
            drawn(&text, &found),
            "error[E0401]: no tool is called `x`\n    ╭─[ a.ctr:41:6 ]\n    │\n 41 │     foo bar\n    │         ─┬─\n    │          ╰─── here"
        );
    }

    #[test]
    fn tabs_and_wide_characters_keep_the_columns() {
        let text = "\t\"日本😀é\"\tx\r\n// c\r\n";
        assert_eq!(
            drawn(text, &error(text, "x", "here")),
            "\
error[E0401]: no tool is called `x`
   ╭─[ a.ctr:1:9 ]
   │
 1 │     \"日本😀é\" x
   │               ┬
   │               ╰── here"
        );
    }

    #[test]
    fn the_end_of_a_file() {
        for text in ["contract c {", "contract c {\n", "contract c {\r\n\r\n"] {
            let drawn = drawn(text, &error(text, "nowhere", "ends here"));
            assert!(
                drawn.ends_with(
                    " 1 │ contract c {\n   │             ┬\n   │             ╰── ends here"
                ),
                "{drawn}"
            );
        }
        let empty = drawn("", &error("", "nowhere", "it is empty"));
        assert_eq!(
            empty,
            "error[E0401]: no tool is called `x`\n  at a.ctr:1:1: it is empty"
        );
    }

    #[test]
    fn long_lines_are_given_by_their_place() {
        let text = format!("{} x", "y".repeat(MAX_LINE));
        let drawn = drawn(&text, &full(&text, " x", "y"));
        assert_eq!(
            drawn,
            "error[E0401]: no tool is called `x`\n  at a.ctr:1:1001: unknown tool\n  at a.ctr:1:1: declared here\n  = help: declare it\n  = fix: write `y`"
        );
    }

    #[test]
    fn lines_end_where_we_say() {
        let text = "a\u{2028}b\rc\u{85}d\u{c}e\u{1b}[31m\nx\n";
        let drawn = drawn(text, &error(text, "x", "here"));
        assert!(drawn.contains("[ a.ctr:2:1 ]"), "{drawn}");
        let first = self::drawn(text, &error(text, "d", "here"));
        assert!(first.contains(" 1 │ a\u{fffd}b?c¿d?e?[31m\n"), "{first}");
    }

    #[test]
    fn a_byte_order_mark_is_not_counted() {
        let text = "\u{feff}a x\n";
        for found in [error(text, "x", "here"), error(text, "a", "here")] {
            let drawn = drawn(text, &found);
            assert!(drawn.contains(" 1 │ a x\n"), "{drawn}");
        }
        let drawn = drawn(text, &error(text, "x", "here"));
        assert!(drawn.contains("[ a.ctr:1:3 ]"), "{drawn}");
    }

    #[test]
    fn every_span_of_awkward_texts_is_drawn() {
        let text = "é\u{200d}🏳\u{fe0f}\u{200d}🌈\r\n\tк̈\u{2029} क्षि\n\n\u{feff}x";
        for start in 0..=text.len() + 2 {
            for end in start..=text.len() + 2 {
                let mut found = full(text, "x", "é");
                found.primary.place.span.start = u32::try_from(start).unwrap_or(0);
                found.primary.place.span.end = u32::try_from(end).unwrap_or(0);
                let drawn = drawn(text, &found);
                assert!(
                    drawn.contains("= help: declare it"),
                    "{start}..{end}:\n{drawn}"
                );
                assert!(drawn.contains("╭─[ a.ctr:"), "{start}..{end}:\n{drawn}");
            }
        }
        let _ = place(text, "x");
    }
}
