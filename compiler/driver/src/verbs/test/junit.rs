//! Results as a JUnit report: `testsuites`, a `testsuite` a file, a `testcase` a test with `failure`, `error` or
//! `skipped`, and no attribute that Jenkins' schema (the strictest in use) does not have. The file is the
//! class of a test; the line of a failure stands in its text.

use std::fmt::Write as _;
use std::time::Duration;

use ctr_project::tests::TestResult;

/// What became of one file.
#[derive(Debug)]
pub(super) struct Suite {
    /// Its path.
    pub(super) file: String,
    /// Its tests that ran.
    pub(super) results: Vec<TestResult>,
    /// Tests that were left out.
    pub(super) skipped: Vec<String>,
    /// Why none of its tests could run.
    pub(super) error: Option<String>,
}

/// The report of some files.
pub(super) fn report(suites: &[Suite], took: Duration) -> String {
    let count = |of: &dyn Fn(&Suite) -> usize| suites.iter().map(of).sum::<usize>();
    let mut out = head(
        count(&Suite::tests),
        count(&Suite::failures),
        count(&Suite::errors),
        took,
    );
    for suite in suites {
        suite.write(&mut out);
    }
    out.push_str("</testsuites>\n");
    out
}

/// A report that says why nothing ran.
#[must_use]
pub fn failure(why: &str) -> String {
    let mut out = head(1, 0, 1, Duration::ZERO);
    let suite = Suite {
        file: "ctrc test".to_owned(),
        results: Vec::new(),
        skipped: Vec::new(),
        error: Some(why.to_owned()),
    };
    suite.write(&mut out);
    out.push_str("</testsuites>\n");
    out
}

fn head(tests: usize, failures: usize, errors: usize, took: Duration) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"ctrc test\" tests=\"{tests}\" \
         failures=\"{failures}\" errors=\"{errors}\" time=\"{:.3}\">\n",
        took.as_secs_f64()
    )
}

impl Suite {
    fn tests(&self) -> usize {
        self.results.len() + self.skipped.len() + self.errors()
    }

    fn failures(&self) -> usize {
        self.results.iter().filter(|r| !r.has_passed()).count()
    }

    fn errors(&self) -> usize {
        usize::from(self.error.is_some())
    }

    fn write(&self, out: &mut String) {
        let file = attribute(&self.file);
        let took: Duration = self.results.iter().map(|result| result.took).sum();
        let _ = writeln!(
            out,
            "  <testsuite name=\"{file}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3}\">",
            self.tests(),
            self.failures(),
            self.errors(),
            self.skipped.len(),
            took.as_secs_f64()
        );
        if let Some(error) = &self.error {
            let _ = writeln!(
                out,
                "    <testcase name=\"(policy)\" classname=\"{file}\" time=\"0.000\">\n      \
                 <error type=\"policy\" message=\"{}\">{}</error>\n    </testcase>",
                attribute(error.lines().next().unwrap_or_default()),
                text(error)
            );
        }
        for result in &self.results {
            let _ = write!(
                out,
                "    <testcase name=\"{}\" classname=\"{file}\" time=\"{:.3}\"",
                attribute(&result.name),
                result.took.as_secs_f64()
            );
            if result.has_passed() {
                out.push_str("/>\n");
                continue;
            }
            out.push_str(">\n");
            // One element: several are no part of what every reader takes.
            let lines: Vec<String> = result
                .failures
                .iter()
                .map(|failure| format!("{}:{}: {}", self.file, failure.line, failure.message))
                .collect();
            let first = result
                .failures
                .first()
                .map_or("", |failure| failure.message.as_str());
            let _ = writeln!(
                out,
                "      <failure type=\"expectation\" message=\"{}\">{}</failure>\n    </testcase>",
                attribute(first),
                text(&lines.join("\n"))
            );
        }
        for name in &self.skipped {
            let _ = writeln!(
                out,
                "    <testcase name=\"{}\" classname=\"{file}\" time=\"0.000\">\n      \
                 <skipped/>\n    </testcase>",
                attribute(name)
            );
        }
        out.push_str("  </testsuite>\n");
    }
}

/// Text between tags. Characters that XML 1.0 does not have at all are told by their number.
fn text(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    for c in raw.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // A bare one would be read as a line end.
            '\r' => out.push_str("&#13;"),
            '\t' | '\n' => out.push(c),
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// The same between double quotes, where line ends and tabs would be read as spaces.
fn attribute(raw: &str) -> String {
    text(raw)
        .replace('"', "&quot;")
        .replace('\n', "&#10;")
        .replace('\t', "&#9;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        assert_eq!(
            text("a<b> & ]]>\r\n\u{1b}[0m"),
            "a&lt;b&gt; &amp; ]]&gt;&#13;\n\\u{1b}[0m"
        );
        assert_eq!(attribute("\"x\"\n\ty"), "&quot;x&quot;&#10;&#9;y");
        assert_eq!(text("😀\u{ffff}"), "😀\\u{ffff}");
    }
}
