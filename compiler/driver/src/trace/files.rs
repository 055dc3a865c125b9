//! Finding, reading and unpacking trace files.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::Unreadable;

/// A text of more bytes than this, unpacked, is refused.
pub const MAX_BYTES: u64 = 2 << 30;

/// Endings of files that hold sessions, looked for in folders (`.gz` and `.zst` may follow).
const ENDINGS: [&str; 4] = [".jsonl", ".json", ".ndjson", ".log"];

/// The files that paths name: files as they are, folders searched to their depth in order of name,
/// `-` for standard input.
///
/// # Errors
///
/// For each path that is missing, or a folder without session files.
pub fn find(paths: &[String]) -> (Vec<String>, Vec<Unreadable>) {
    let mut files = Vec::new();
    let mut errors = Vec::new();
    let mut error = |name: &str, what: String| {
        errors.push(Unreadable {
            name: name.to_owned(),
            line: None,
            what,
        });
    };
    for path in paths {
        if path == "-" {
            files.push(path.clone());
            continue;
        }
        match std::fs::metadata(path) {
            Err(why) => error(path, describe(&why)),
            Ok(found) if found.is_dir() => {
                let before = files.len();
                for entry in walkdir::WalkDir::new(path)
                    .sort_by_file_name()
                    .follow_links(true)
                {
                    match entry {
                        Err(why) => error(path, why.to_string()),
                        Ok(entry) => {
                            let name = entry.path().to_string_lossy().into_owned();
                            if entry.file_type().is_file() && is_trace_name(&name) {
                                files.push(name);
                            }
                        }
                    }
                }
                if files.len() == before {
                    error(
                        path,
                        format!(
                            "the folder holds no session files (looked for {}, also with .gz or .zst)",
                            ENDINGS.join(", ")
                        ),
                    );
                }
            }
            Ok(_) => files.push(path.clone()),
        }
    }
    (files, errors)
}

fn is_trace_name(name: &str) -> bool {
    let name = name
        .strip_suffix(".gz")
        .or_else(|| name.strip_suffix(".zst"))
        .unwrap_or(name);
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Reads a file (`-`: standard input), unpacks it by its first bytes, and checks that it is text.
///
/// # Errors
///
/// Where it cannot be read or unpacked, is too large, or is not UTF-8.
pub fn read(path: &str) -> Result<String, Unreadable> {
    let unreadable = |what: String| Unreadable {
        name: path.to_owned(),
        line: None,
        what,
    };
    let packed = if path == "-" {
        limited(&mut io::stdin().lock())
    } else {
        regular_file(Path::new(path)).and_then(|mut file| limited(&mut file))
    }
    .map_err(|why| unreadable(describe(&why)))?;
    let bytes = match packed.as_slice() {
        [0x1f, 0x8b, ..] => limited(&mut flate2::read::MultiGzDecoder::new(packed.as_slice()))
            .map_err(|why| unreadable(format!("the gzip data is damaged: {why}")))?,
        [0x28, 0xb5, 0x2f, 0xfd, ..] => unzstd(&packed)
            .map_err(|why| unreadable(format!("the zstd data is damaged: {why}")))?,
        _ => packed,
    };
    String::from_utf8(bytes).map_err(|error| {
        unreadable(format!(
            "not UTF-8: the byte at offset {} does not belong there",
            error.utf8_error().valid_up_to()
        ))
    })
}

/// Opens a file that can end: a pipe or device named as a trace would hang or never end.
fn regular_file(path: &Path) -> io::Result<File> {
    let found = std::fs::metadata(path)?;
    if found.is_dir() {
        return Err(io::Error::other("it is a folder"));
    }
    File::open(path)
}

fn limited(source: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(format!(
            "more than {} GiB",
            MAX_BYTES >> 30
        )));
    }
    Ok(bytes)
}

/// Unpacks all frames.
fn unzstd(packed: &[u8]) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut rest = packed;
    while !rest.is_empty() {
        let mut decoder =
            ruzstd::decoding::StreamingDecoder::new(&mut rest).map_err(io::Error::other)?;
        let left = MAX_BYTES.saturating_sub(out.len() as u64);
        (&mut decoder).take(left + 1).read_to_end(&mut out)?;
        if out.len() as u64 > MAX_BYTES {
            return Err(io::Error::other(format!(
                "more than {} GiB when unpacked",
                MAX_BYTES >> 30
            )));
        }
    }
    Ok(out)
}

/// An I/O error in plain words.
#[must_use]
pub fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or folder".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}
