//! `ctrc fmt`: formats policies.

use std::io::Read as _;
use std::path::Path;

use crate::cli::Fmt;
use crate::exit::{Exit, Stop, data, message};
use crate::library;
use crate::trace::files::describe;
use crate::verbs::build::write_atomically;

/// Runs the verb.
///
/// # Errors
///
/// Where a path cannot be read or written, or standard input has syntax errors (nothing is printed
/// then).
pub fn run(args: &Fmt) -> Result<Exit, Stop> {
    if args.paths.iter().any(|path| path == "-") {
        if args.paths.len() > 1 {
            return Err(Stop::Usage(
                "`-` formats standard input alone; name it without other paths".to_owned(),
            ));
        }
        return standard_input(args);
    }
    let (mut files, found) = library::policies(&args.paths)?;
    files.extend(found);
    let mut exit = Exit::Clean;
    let mut changed = 0_usize;
    let mut kept = 0_usize;
    for path in &files {
        // A link is followed once, so that what is read and what is written are one file.
        let file = std::fs::canonicalize(path).unwrap_or_else(|_| path.into());
        let text = match read(&file) {
            Ok(text) => text,
            Err(what) => {
                message(&format!("error: {path}: {what}"));
                exit = exit.worse(Exit::Usage);
                continue;
            }
        };
        match ctr_grammar::format(&text) {
            Err(error) => {
                message(&format!("error: {path}: not formatted: {error}"));
                exit = exit.worse(Exit::Usage);
            }
            Ok(formatted) if formatted == text => kept += 1,
            Ok(formatted) => {
                if args.check {
                    changed += 1;
                    message(&format!("{path}: is not formatted"));
                    exit = exit.worse(Exit::Findings);
                } else if let Err(error) = write_atomically(&file, formatted.as_bytes()) {
                    message(&format!("error: {path}: {}", describe(&error)));
                    exit = exit.worse(Exit::Usage);
                } else {
                    changed += 1;
                }
            }
        }
    }
    let (done, rest) = if args.check {
        ("would change", "are formatted")
    } else {
        ("changed", "left as they were")
    };
    let failed = files.len().saturating_sub(changed + kept);
    let failed = match failed {
        0 => String::new(),
        failed => format!(", {failed} could not be formatted"),
    };
    message(&format!("{changed} {done}, {kept} {rest}{failed}"));
    Ok(exit)
}

fn read(path: &Path) -> Result<String, String> {
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

fn standard_input(args: &Fmt) -> Result<Exit, Stop> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .read_to_end(&mut bytes)
        .map_err(|error| Stop::Usage(format!("standard input: {}", describe(&error))))?;
    let text = utf8(bytes).map_err(|what| Stop::Usage(format!("standard input: {what}")))?;
    let formatted = ctr_grammar::format(&text)
        .map_err(|error| Stop::Usage(format!("standard input: not formatted: {error}")))?;
    if args.check {
        if formatted == text {
            return Ok(Exit::Clean);
        }
        message("standard input: is not formatted");
        return Ok(Exit::Findings);
    }
    data(&formatted)?;
    Ok(Exit::Clean)
}
