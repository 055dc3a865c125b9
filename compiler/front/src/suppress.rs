//! Comments that allow a warning at one place: `// ctrc: allow(W0407) because REASON`.
//!
//! - A comment on a line of its own covers the whole of the item, clause or test step that follows it; where
//!   none begins there (in the middle of a clause) it covers the line that follows.
//! - A comment at the end of a line covers what is found on that line.
//! - A finding is where its primary place begins. Of several comments that cover it the one that covers least
//!   is the one that allows it.
//!
//! Only `//` comments count: block comments and documentation that look like one are told. Pure: the command
//! line and an editor call the same function.

use std::collections::BTreeSet;

use ctr_grammar::ast::ItemKind;
use ctr_grammar::{Comment, CommentKind, Span};

use crate::diagnostic::{Diagnostic, Fix, Severity};
use crate::ir::{Place, SourceId};
use crate::levels::{self, NameError};
use crate::load::{Graph, Unit};

/// What a comment of this kind says, for help texts.
const EXAMPLE: &str = "write it as in `// ctrc: allow(W0407) because the desk closes at night`";

/// A comment that allows warnings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// The comment.
    pub place: Place,
    /// The codes that it allows, each once.
    pub codes: Vec<String>,
    /// Where a finding must begin.
    covers: Span,
    /// What stands between the parentheses.
    list: Span,
    /// What goes where the comment goes: its line, or the spaces before it too.
    removal: Span,
    /// Whether the file was named, so that all that is found in it has been looked for.
    root: bool,
}

/// A comment, or some of its codes, that allowed nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unused {
    /// The comment.
    pub suppression: Suppression,
    /// The codes for which nothing was found.
    pub codes: Vec<String>,
}

/// The comments of the files of a compilation.
#[derive(Clone, Debug, Default)]
pub struct Suppressions {
    all: Vec<Suppression>,
    findings: Vec<Diagnostic>,
}

/// What is left of findings.
#[derive(Clone, Debug, Default)]
pub struct Applied {
    /// The findings that no comment allows, and those about comments that cannot be read.
    pub diagnostics: Vec<Diagnostic>,
    /// The comments that allowed nothing. A caller with several compilations of one file tells only those
    /// that allowed nothing in any.
    pub unused: Vec<Unused>,
    /// The comments that allowed something, each with a code.
    pub used: Vec<(Place, String)>,
}

/// Reads the comments of all policies of the user's; `codes` are all codes of the compiler.
#[must_use]
pub fn read(graph: &Graph, codes: &[&str]) -> Suppressions {
    let mut found = Suppressions::default();
    for unit in graph.units.iter().filter(|unit| !unit.library) {
        let text = graph.text(unit.source);
        let mut reader = Reader {
            text,
            unit,
            codes,
            nodes: None,
            found: &mut found,
        };
        for comment in unit.comments.iter() {
            reader.comment(*comment);
        }
    }
    found
}

impl Suppressions {
    /// Takes away what comments allow. Errors cannot be allowed.
    ///
    /// `looked_for` says of a code whether all that there is of it was found: a question that stayed open, or
    /// was not asked, leaves open whether a comment is of use. Nor is one told where something has an error,
    /// since what follows from it was not looked for.
    #[must_use]
    pub fn apply(
        &self,
        diagnostics: Vec<Diagnostic>,
        looked_for: &dyn Fn(&str) -> bool,
    ) -> Applied {
        let errors = diagnostics.iter().any(|d| d.severity == Severity::Error);
        let mut used: BTreeSet<(usize, &str)> = BTreeSet::new();
        let mut out = Applied::default();
        for found in diagnostics {
            match self.allows(&found) {
                Some(index) => {
                    used.insert((index, found.code));
                }
                None => out.diagnostics.push(found),
            }
        }
        for (index, suppression) in self.all.iter().enumerate() {
            let (yes, no): (Vec<&String>, Vec<&String>) = suppression
                .codes
                .iter()
                .partition(|code| used.contains(&(index, code.as_str())));
            let place = suppression.place;
            out.used.extend(yes.into_iter().map(|c| (place, c.clone())));
            let idle: Vec<String> = no.into_iter().filter(|c| looked_for(c)).cloned().collect();
            if suppression.root && !errors && !idle.is_empty() {
                out.unused.push(Unused {
                    suppression: suppression.clone(),
                    codes: idle,
                });
            }
        }
        out.diagnostics.extend(self.findings.iter().cloned());
        out
    }

    /// The comment that allows a finding.
    fn allows(&self, found: &Diagnostic) -> Option<usize> {
        if found.severity == Severity::Error {
            return None;
        }
        let Place { source, span } = found.primary.place;
        self.all
            .iter()
            .enumerate()
            .filter(|(_, s)| {
                s.place.source == source
                    && s.covers.start <= span.start
                    && (span.start < s.covers.end || span.start == s.covers.start)
                    && s.codes.iter().any(|code| code == found.code)
            })
            .min_by_key(|(_, s)| s.covers.end - s.covers.start)
            .map(|(index, _)| index)
    }
}

impl Unused {
    /// What is told of it: `W0803`, with a fix that takes it away.
    #[must_use]
    pub fn finding(&self) -> Diagnostic {
        let suppression = &self.suppression;
        let source = suppression.place.source;
        let at = |span| Place { source, span };
        let names: Vec<String> = self.codes.iter().map(|code| format!("`{code}`")).collect();
        let rest: Vec<&str> = suppression
            .codes
            .iter()
            .filter(|code| !self.codes.contains(code))
            .map(String::as_str)
            .collect();
        let fix = if rest.is_empty() {
            Fix {
                title: "remove the comment".to_owned(),
                edits: vec![(at(suppression.removal), String::new())],
                safe: true,
            }
        } else {
            Fix {
                title: if names.len() <= 3 {
                    format!("remove {}", names.join(", "))
                } else {
                    "remove the codes that allow nothing".to_owned()
                },
                edits: vec![(at(suppression.list), rest.join(", "))],
                safe: true,
            }
        };
        let help = fix.title.clone();
        Diagnostic::warning(
            "W0803",
            format!("there is no {} here to allow", listed(&names)),
            suppression.place,
            "allows nothing",
        )
        .with_help(help)
        .with_fix(fix)
    }
}

/// Some names in words: at most three of them.
fn listed(names: &[String]) -> String {
    match names {
        [a, b, c, rest @ ..] if !rest.is_empty() => {
            format!("{a}, {b}, {c} and {} more", rest.len())
        }
        _ => names.join(" and no "),
    }
}

struct Reader<'a> {
    text: &'a str,
    unit: &'a Unit,
    codes: &'a [&'a str],
    /// The items, clauses and steps of the file; `None` until they are asked for.
    nodes: Option<Vec<Span>>,
    found: &'a mut Suppressions,
}

impl<'a> Reader<'a> {
    fn comment(&mut self, comment: Comment) {
        let Some(whole) = self.slice(comment.span) else {
            return;
        };
        let marker = match comment.kind {
            CommentKind::Line | CommentKind::Block => 2,
            CommentKind::Doc | CommentKind::FileDoc => 3,
        };
        let body = whole.get(marker..).unwrap_or_default();
        let trimmed = body.trim_start();
        let Some(rest) = directive(trimmed) else {
            return;
        };
        let place = self.place(comment.span);
        if comment.kind != CommentKind::Line {
            let what = if comment.kind == CommentKind::Block {
                "a block comment"
            } else {
                "documentation"
            };
            self.malformed(place, &format!("{what} allows nothing"));
            return;
        }
        let from = comment.span.start + offset(whole.len() - rest.len());
        self.allow(comment, rest, from);
    }

    /// Reads what follows `ctrc:`; `from` is where it starts.
    fn allow(&mut self, comment: Comment, text: &str, from: u32) {
        let place = self.place(comment.span);
        let inner = text
            .trim_start()
            .strip_prefix("allow")
            .and_then(|rest| rest.trim_start().strip_prefix('('));
        let Some(inner) = inner else {
            self.malformed(place, "not understood");
            return;
        };
        let Some((list, after)) = inner.split_once(')') else {
            self.malformed(place, "the `(` is not closed");
            return;
        };
        let start = from + offset(text.len() - inner.len());
        let mut codes: Vec<String> = Vec::new();
        let mut named = false;
        let mut at = start;
        for entry in list.split(',') {
            let name = entry.trim();
            let lead = offset(entry.len() - entry.trim_start().len());
            let span = Span::new(at + lead, at + lead + offset(name.len()));
            at += offset(entry.len()) + 1;
            if name.is_empty() {
                continue;
            }
            named = true;
            if codes.iter().any(|code| code == name) {
                let rest = list.split(',').map(str::trim).filter(|n| !n.is_empty());
                self.twice(
                    name,
                    span,
                    Span::new(start, start + offset(list.len())),
                    rest,
                );
            } else if self.is_warning(name, span) {
                codes.push(name.to_owned());
            }
        }
        if !named {
            self.malformed(place, "names no code");
            return;
        }
        if !has_reason(after) {
            let end = comment.span.end;
            let found = Diagnostic::warning(
                "W0800",
                "a warning is allowed without a reason",
                self.place(Span::new(from.min(end), end)),
                "no `because` with a reason",
            )
            .with_help("write `because` and the reason behind it, on the same line");
            self.found.findings.push(found);
        }
        if codes.is_empty() {
            return;
        }
        let own_line = self.is_alone(comment.span.start);
        let suppression = Suppression {
            place,
            codes,
            covers: if own_line {
                self.following(comment.span.end)
            } else {
                self.line(comment.span.start)
            },
            list: Span::new(start, start + offset(list.len())),
            removal: self.removal(comment.span, own_line),
            root: self.unit.root,
        };
        self.found.all.push(suppression);
    }

    /// Whether a name is the code of a warning; told where it is not.
    fn is_warning(&mut self, name: &str, span: Span) -> bool {
        let place = self.place(span);
        let shown: String = name.chars().filter(|c| *c != '`').take(60).collect();
        let unknown = |near: Option<String>| {
            let found = Diagnostic::warning(
                "W0801",
                format!("there is no code `{shown}`"),
                place,
                "unknown code",
            );
            match near {
                Some(near) => found
                    .with_help(format!("did you mean `{near}`?"))
                    .with_fix(Fix {
                        title: format!("write `{near}`"),
                        edits: vec![(place, near)],
                        safe: false,
                    }),
                None => found.with_help("a code stands in brackets before each message"),
            }
        };
        let found = match levels::check_name(name, self.codes) {
            Ok(()) if name == levels::WARNINGS => unknown(None),
            Ok(()) => return true,
            Err(NameError::Unknown(near)) => unknown(near.filter(|near| near != levels::WARNINGS)),
            Err(NameError::IsError) => Diagnostic::warning(
                "W0802",
                format!("`{name}` is an error and cannot be allowed"),
                place,
                "stays an error",
            )
            .with_help("mend what it tells of; only warnings can be allowed"),
        };
        self.found.findings.push(found);
        false
    }

    fn twice<'n>(
        &mut self,
        name: &str,
        span: Span,
        list: Span,
        all: impl Iterator<Item = &'n str>,
    ) {
        let mut once: Vec<&str> = Vec::new();
        for other in all {
            if !once.contains(&other) {
                once.push(other);
            }
        }
        let found = Diagnostic::warning(
            "W0803",
            format!("`{name}` is allowed twice here"),
            self.place(span),
            "allows nothing more",
        )
        .with_help("remove it")
        .with_fix(Fix {
            title: "remove it".to_owned(),
            edits: vec![(self.place(list), once.join(", "))],
            safe: true,
        });
        self.found.findings.push(found);
    }

    fn malformed(&mut self, place: Place, label: &str) {
        let found = Diagnostic::warning(
            "W0804",
            "this comment looks as if it allowed a warning and does not",
            place,
            label,
        )
        .with_help(EXAMPLE);
        self.found.findings.push(found);
    }

    /// What a comment on a line of its own covers.
    fn following(&mut self, end: u32) -> Span {
        let next = self.next(end);
        let nodes = match self.nodes.take() {
            Some(nodes) => nodes,
            None => self.nodes(),
        };
        let node = nodes
            .iter()
            .filter(|node| node.start == next)
            .max_by_key(|node| node.end)
            .copied();
        self.nodes = Some(nodes);
        node.unwrap_or_else(|| self.line(next))
    }

    /// The items, clauses and test steps of the file. An item also begins after each of its attributes.
    fn nodes(&self) -> Vec<Span> {
        let mut all = Vec::new();
        for item in &self.unit.file.items {
            all.push(item.span);
            for attribute in &item.attributes {
                let start = self.next(attribute.span.end);
                all.push(Span::new(start, item.span.end));
            }
            match &item.kind {
                ItemKind::Contract(contract) => {
                    all.extend(contract.clauses.iter().map(|clause| clause.span));
                }
                ItemKind::Test(test) => all.extend(test.steps.iter().map(|step| step.span)),
                _ => {}
            }
        }
        all
    }

    /// Where the next word stands: past spaces and comments.
    fn next(&self, from: u32) -> u32 {
        let mut at = from;
        let mut comments = self
            .unit
            .comments
            .iter()
            .skip_while(|comment| comment.span.start < from);
        loop {
            let rest = self.text.get(at as usize..).unwrap_or_default();
            let spaces = rest.len() - rest.trim_start().len();
            at += offset(spaces);
            match comments.next() {
                Some(comment) if comment.span.start == at => at = comment.span.end,
                _ => return at,
            }
        }
    }

    /// The line of an offset, without its end.
    fn line(&self, at: u32) -> Span {
        let (before, after) = self.around(at);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let end = at as usize + after.find('\n').unwrap_or(after.len());
        Span::new(offset(start), offset(end))
    }

    /// Whether only spaces stand before an offset in its line.
    fn is_alone(&self, at: u32) -> bool {
        let (before, _) = self.around(at);
        let line = before.rsplit('\n').next().unwrap_or_default();
        line.trim_start_matches('\u{feff}').trim().is_empty()
    }

    fn removal(&self, comment: Span, own_line: bool) -> Span {
        let (before, _) = self.around(comment.start);
        if own_line {
            let start = before.rfind('\n').map_or_else(
                || before.len() - before.trim_start_matches('\u{feff}').len(),
                |newline| newline + 1,
            );
            let (_, after) = self.around(comment.end);
            let end = after.find('\n').map_or(after.len(), |newline| newline + 1);
            Span::new(offset(start), comment.end + offset(end))
        } else {
            Span::new(offset(before.trim_end().len()), comment.end)
        }
    }

    fn around(&self, at: u32) -> (&'a str, &'a str) {
        self.text
            .split_at_checked(at as usize)
            .unwrap_or((self.text, ""))
    }

    fn slice(&self, span: Span) -> Option<&'a str> {
        self.text.get(span.start as usize..span.end as usize)
    }

    fn place(&self, span: Span) -> Place {
        let source: SourceId = self.unit.source;
        Place { source, span }
    }
}

/// What follows `ctrc:` in a comment that begins with it, or with `ctrc allow(`.
fn directive(text: &str) -> Option<&str> {
    let head = text.get(..4)?;
    if !head.eq_ignore_ascii_case("ctrc") {
        return None;
    }
    let rest = text.get(4..)?;
    let trimmed = rest.trim_start();
    if let Some(after) = trimmed.strip_prefix(':') {
        return (head == "ctrc").then_some(after).or(Some("?"));
    }
    // Without the colon it is taken for one only where it cannot be prose.
    let word = trimmed.trim_start_matches(['-', ' ']);
    let looks = ["allow", "ignore", "disable", "suppress"]
        .iter()
        .any(|verb| {
            word.strip_prefix(verb)
                .is_some_and(|rest| rest.trim_start().starts_with(['(', '[', ':']))
        });
    looks.then_some("?")
}

/// Whether the words behind the parenthesis give a reason.
fn has_reason(text: &str) -> bool {
    text.trim_start()
        .strip_prefix("because")
        .filter(|reason| reason.starts_with(char::is_whitespace))
        .is_some_and(|reason| reason.chars().any(char::is_alphanumeric))
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
