//! Findings as commands of GitHub workflows, which show them as annotations of a change: one line
//! each, `::error file=..,line=..,endLine=..,col=..,endColumn=..,title=CODE::message`.

use ctr_front::diagnostic::{Diagnostic, Severity};
use ctr_front::ir::Source;

use ctr_front::lines::Lines;

/// A line a finding; nothing where there are none.
#[must_use]
pub fn diagnostics(sources: &[Source], diagnostics: &[Diagnostic]) -> String {
    diagnostics
        .iter()
        .map(|diagnostic| command(sources, diagnostic))
        .collect()
}

/// What a test that failed is told as.
#[must_use]
pub fn failed_test(path: &str, line: usize, test: &str, what: &str) -> String {
    let path = path.replace('\\', "/");
    format!(
        "::error file={},line={line},title={}::{}\n",
        property(path.strip_prefix("./").unwrap_or(&path)),
        property(&format!("test {test}")),
        escaped(what)
    )
}

/// A line a finding without commands: `path:line:column: error[CODE]: message`.
#[must_use]
pub fn plain(sources: &[Source], diagnostics: &[Diagnostic]) -> String {
    let index: Vec<Lines<'_>> = sources.iter().map(|s| Lines::new(&s.text)).collect();
    let lines: Vec<String> = diagnostics
        .iter()
        .map(|found| {
            let place = found.primary.place;
            let here = place.source.0 as usize;
            let at = sources
                .get(here)
                .zip(index.get(here))
                .map(|(source, lines)| {
                    let start = lines.locate(place.span.start as usize);
                    format!("{}:{}:{}: ", source.path, start.line, start.column)
                });
            format!(
                "{}{}[{}]: {}",
                at.unwrap_or_default(),
                found.severity.name(),
                found.code,
                found.message
            )
        })
        .collect();
    lines.join("\n")
}

fn command(sources: &[Source], diagnostic: &Diagnostic) -> String {
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let place = diagnostic.primary.place;
    let at = match sources.get(place.source.0 as usize) {
        Some(source) => {
            let lines = Lines::new(&source.text);
            let start = lines.locate(place.span.start as usize);
            let end = lines.locate(place.span.end as usize);
            let path = source.path.replace('\\', "/");
            format!(
                "file={},line={},endLine={},col={},endColumn={},",
                property(path.strip_prefix("./").unwrap_or(&path)),
                start.line,
                end.line,
                start.column,
                end.column
            )
        }
        None => String::new(),
    };
    let mut text = diagnostic.message.clone();
    if !diagnostic.primary.text.is_empty() {
        text.push_str(": ");
        text.push_str(&diagnostic.primary.text);
    }
    for help in &diagnostic.help {
        text.push_str("\nhelp: ");
        text.push_str(help);
    }
    format!(
        "::{level} {at}title={}::{}\n",
        property(diagnostic.code),
        escaped(&text)
    )
}

/// A message: what would end the line is escaped.
fn escaped(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// The value of a property, which `:` and `,` would end as well.
fn property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::super::tests::{error, full, source};
    use super::*;

    #[test]
    fn one_line_a_finding() {
        let text = "a\n😀 x é\n";
        let mut second = error(text, "nowhere", "100%\nsure");
        second.severity = Severity::Note;
        assert_eq!(
            diagnostics(
                &[source("./d:1/a,b.ctr", text)],
                &[full(text, "x", "a"), second]
            ),
            "::error file=d%3A1/a%2Cb.ctr,line=2,endLine=2,col=3,endColumn=4,title=E0401::\
             no tool is called `x`: unknown tool%0Ahelp: declare it\n\
             ::notice file=d%3A1/a%2Cb.ctr,line=3,endLine=3,col=1,endColumn=1,title=E0401::\
             no tool is called `x`: 100%25%0Asure\n"
        );
        assert_eq!(diagnostics(&[], &[]), "");
    }
}
