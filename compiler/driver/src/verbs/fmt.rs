//! `ctrc fmt`: formats policies.

use std::collections::HashSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use ctr_front::ir::{Source, SourceId};
use ctr_front::load::syntax_finding;
use ctr_grammar::FormatError;
use ctr_project::Settings;
use ctr_trace::files::describe;

use crate::atomic;
use crate::cli::Fmt;
use crate::exit::{Exit, Stop, data, message};
use crate::fix::diff::unified;
use crate::flags::{LevelFlags, settings};
use crate::library;
use crate::render;

/// What standard input is called where it has no other name.
const STANDARD_INPUT: &str = "standard input";

/// How one file is formatted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// The columns that a line should keep to.
    pub width: usize,
    /// Not at all: it is excluded.
    pub excluded: bool,
}

/// The style of a file: what the flags say, else its settings, else the default.
///
/// `path` is the file as the user named it (for standard input what `--stdin-filename` says, or
/// nothing), from whose folder on settings are looked for. A name that an editor gives for standard input
/// may be that of a file which a search would leave out; a file that is named is formatted.
///
/// # Errors
///
/// Where settings have errors: they have been told.
pub fn style(args: &Fmt, settings: &Settings<'_>, path: Option<&Path>) -> Result<Style, Stop> {
    let name = path.map_or_else(String::new, |path| path.to_string_lossy().into_owned());
    let width = settings.width(&name);
    let (sources, found) = settings.findings();
    let counts = render::count(&found);
    if counts.errors > 0 {
        render::tell_human(&sources, &found);
        return Err(Stop::Usage(format!(
            "not formatted: the settings have {}",
            render::in_words(counts)
        )));
    }
    let asked = args.stdin_filename.is_some();
    Ok(Style {
        width: args
            .width
            .map(usize::from)
            .or(width)
            .unwrap_or(ctr_grammar::WIDTH),
        excluded: asked && settings.excludes_deep(&name),
    })
}

/// Runs the verb. All files are tried; the worst end counts.
///
/// # Errors
///
/// Where a path cannot be read or written, or standard input has syntax errors (nothing is printed
/// then).
pub fn run(args: &Fmt) -> Result<Exit, Stop> {
    let dash = args.paths.iter().any(|path| path == "-");
    if dash && args.paths.len() > 1 {
        return Err(Stop::Usage(
            "`-` formats standard input alone; name it without other paths".to_owned(),
        ));
    }
    if args.stdin_filename.is_some() && !dash && !args.paths.is_empty() {
        return Err(Stop::Usage(
            "`--stdin-filename` is a name for standard input; files are not read with it"
                .to_owned(),
        ));
    }
    let settings = settings(&args.config, &LevelFlags::default())?;
    if dash || args.stdin_filename.is_some() {
        return standard_input(args, &settings);
    }
    files(args, &settings)
}

fn files(args: &Fmt, settings: &Settings<'_>) -> Result<Exit, Stop> {
    let here = [".".to_owned()];
    let paths = if args.paths.is_empty() {
        &here
    } else {
        args.paths.as_slice()
    };
    let mut count = Count::default();
    let mut exit = Exit::Clean;
    // Each path by itself, so that a missing one does not keep the others from being formatted.
    let mut files = Vec::new();
    for path in paths {
        match library::policies(std::slice::from_ref(path), settings) {
            Ok((named, found)) => files.extend(named.into_iter().chain(found)),
            Err(Stop::Usage(what)) => {
                message(&format!("error: {what}"));
                exit = exit.worse(Exit::Usage);
            }
            Err(stop) => return Err(stop),
        }
    }
    let mut seen: HashSet<PathBuf> = HashSet::new();
    for path in &files {
        // A link is followed once, so that what is read and what is written are one file.
        let file = std::fs::canonicalize(path).unwrap_or_else(|_| path.into());
        if seen.contains(&file) {
            continue;
        }
        exit = exit.worse(one(args, settings, path, &file, &mut count)?);
        seen.insert(file);
    }
    if !files.is_empty() {
        message(&count.told(args.check || args.diff));
    }
    Ok(exit)
}

/// What became of the files.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    changed: usize,
    kept: usize,
    excluded: usize,
    failed: usize,
}

impl Count {
    fn told(self, only_looked: bool) -> String {
        let (done, rest) = match (only_looked, self.kept) {
            (true, 1) => ("would change", "is formatted"),
            (true, _) => ("would change", "are formatted"),
            (false, 1) => ("changed", "left as it was"),
            (false, _) => ("changed", "left as they were"),
        };
        let mut told = format!("{} {done}, {} {rest}", self.changed, self.kept);
        if self.excluded > 0 {
            told.push_str(&format!(", {} excluded", self.excluded));
        }
        if self.failed > 0 {
            told.push_str(&format!(", {} could not be formatted", self.failed));
        }
        told
    }
}

/// Formats one file: `path` as the user named it, `file` behind its links.
fn one(
    args: &Fmt,
    settings: &Settings<'_>,
    path: &str,
    file: &Path,
    count: &mut Count,
) -> Result<Exit, Stop> {
    let style = style(args, settings, Some(Path::new(path)))?;
    if style.excluded {
        count.excluded += 1;
        return Ok(Exit::Clean);
    }
    let text = match read(file) {
        Ok(text) => text,
        Err(what) => {
            message(&format!("error: {path}: {what}"));
            count.failed += 1;
            return Ok(Exit::Usage);
        }
    };
    let Some(formatted) = formatted(path, &text, style.width) else {
        count.failed += 1;
        return Ok(Exit::Usage);
    };
    if formatted == text {
        count.kept += 1;
        return Ok(Exit::Clean);
    }
    if args.check || args.diff {
        count.changed += 1;
        if args.check {
            message(&format!("{path}: is not formatted"));
        }
        if args.diff {
            data(&unified(path, &text, &formatted))?;
        }
        return Ok(Exit::Findings);
    }
    if let Err(error) = atomic::replace(file, text.as_bytes(), formatted.as_bytes()) {
        message(&format!("error: {path}: {}", describe(&error)));
        count.failed += 1;
        return Ok(Exit::Usage);
    }
    count.changed += 1;
    Ok(Exit::Clean)
}

/// The formatted text; `None` where there is none, which has been told.
fn formatted(name: &str, text: &str, width: usize) -> Option<String> {
    let error = match ctr_grammar::format_within(text, width) {
        Ok(formatted) => return Some(formatted),
        Err(error) => error,
    };
    match error {
        FormatError::Syntax(errors) => {
            let sources = [Source {
                path: name.to_owned(),
                text: text.to_owned(),
            }];
            let findings: Vec<_> = errors
                .into_iter()
                .map(|error| syntax_finding(error, SourceId(0)))
                .collect();
            render::tell_human(&sources, &findings);
            message(&format!(
                "error: {name}: not formatted: it has {}",
                render::in_words(render::count(&findings))
            ));
        }
        error @ FormatError::Unfaithful(_) => {
            message(&format!("error: {name}: not formatted: {error}"));
        }
    }
    None
}

fn read(path: &Path) -> Result<String, String> {
    let metadata = std::fs::metadata(path).map_err(|error| describe(&error))?;
    if !metadata.is_file() {
        return Err("is no regular file; `-` formats standard input".to_owned());
    }
    let bytes = std::fs::read(path).map_err(|error| describe(&error))?;
    utf8(bytes)
}

fn utf8(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|error| {
        format!(
            "not UTF-8: the byte at offset {} does not belong there",
            error.utf8_error().valid_up_to()
        )
    })
}

/// Formats standard input to standard output. A broken text gives nothing there.
fn standard_input(args: &Fmt, settings: &Settings<'_>) -> Result<Exit, Stop> {
    let name = args.stdin_filename.as_deref().unwrap_or(STANDARD_INPUT);
    let mut bytes = Vec::new();
    std::io::stdin()
        .read_to_end(&mut bytes)
        .map_err(|error| Stop::Usage(format!("{name}: {}", describe(&error))))?;
    let text = utf8(bytes).map_err(|what| Stop::Usage(format!("{name}: {what}")))?;
    let style = style(
        args,
        settings,
        args.stdin_filename.as_deref().map(Path::new),
    )?;
    let formatted = if style.excluded {
        text.clone()
    } else if let Some(formatted) = formatted(name, &text, style.width) {
        formatted
    } else {
        return Ok(Exit::Usage);
    };
    if args.check || args.diff {
        if formatted == text {
            return Ok(Exit::Clean);
        }
        if args.check {
            message(&format!("{name}: is not formatted"));
        }
        if args.diff {
            data(&unified(name, &text, &formatted))?;
        }
        return Ok(Exit::Findings);
    }
    data(&formatted)?;
    Ok(Exit::Clean)
}
