//! Finding, reading and unpacking trace files.

use std::fs::File;
use std::io::{self, Read};

use ctr_front::world::ReadError;
use ruzstd::decoding::StreamingDecoder;

use super::Unreadable;

/// A text of more bytes than this, unpacked, is refused.
pub const MAX_BYTES: u64 = 2 << 30;

/// Endings of files that hold sessions, looked for in folders (`.gz` and `.zst` may follow).
const ENDINGS: [&str; 4] = [".jsonl", ".json", ".ndjson", ".log"];

/// What paths name.
#[derive(Debug, Default)]
pub struct Found {
    /// Files to read.
    pub files: Vec<String>,
    /// Paths that are missing, and folders without session files.
    pub errors: Vec<Unreadable>,
    /// What was found in folders but left out on purpose, with the reason: pipes and devices under
    /// a session's name, links back to a folder that is searched already.
    pub skipped: Vec<String>,
}

/// The files that paths name: files as they are, folders searched to their depth in order of name,
/// `-` for standard input.
#[must_use]
pub fn find(paths: &[String]) -> Found {
    let mut found = Found::default();
    for path in paths {
        if path == "-" {
            found.files.push(path.clone());
            continue;
        }
        match std::fs::metadata(path) {
            Err(why) => found.errors.push(unreadable(path, describe(&why))),
            Ok(metadata) if metadata.is_dir() => found.folder(path),
            Ok(_) => found.files.push(path.clone()),
        }
    }
    found
}

impl Found {
    fn folder(&mut self, path: &str) {
        let (files, errors) = (self.files.len(), self.errors.len());
        for entry in walkdir::WalkDir::new(path)
            .sort_by_file_name()
            .follow_links(true)
        {
            match entry {
                Ok(entry) => {
                    let name = entry.path().to_string_lossy();
                    if entry.file_type().is_dir() || !is_trace_name(&name) {
                        continue;
                    }
                    if entry.path().to_str().is_none() {
                        let what = "the name is not UTF-8; rename the file";
                        self.errors.push(unreadable(&name, what.to_owned()));
                    } else if entry.file_type().is_file() {
                        self.files.push(name.into_owned());
                    } else {
                        self.skipped.push(format!("{name}: is no regular file"));
                    }
                }
                Err(why) => {
                    let name = why
                        .path()
                        .map_or(path.into(), |path| path.to_string_lossy());
                    match (why.loop_ancestor(), why.io_error()) {
                        (Some(ancestor), _) => self
                            .skipped
                            .push(format!("{name}: is a link back to {}", ancestor.display())),
                        (None, Some(error)) => {
                            let what = describe(error);
                            self.errors.push(unreadable(&name, what));
                        }
                        (None, None) => self.errors.push(unreadable(&name, why.to_string())),
                    }
                }
            }
        }
        if self.files.len() == files && self.errors.len() == errors {
            self.errors.push(unreadable(
                path,
                format!(
                    "the folder holds no session files (looked for {}, also with .gz or .zst)",
                    ENDINGS.join(", ")
                ),
            ));
        }
    }
}

fn unreadable(name: &str, what: String) -> Unreadable {
    Unreadable {
        name: name.to_owned(),
        line: None,
        what,
    }
}

fn is_trace_name(name: &str) -> bool {
    let name = name
        .strip_suffix(".gz")
        .or_else(|| name.strip_suffix(".zst"))
        .unwrap_or(name);
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Reads a file (`-`: standard input), unpacks it by its first bytes, and checks that it is text.
/// A pipe that is named is read to its end, as the shell's `<(...)` makes them.
///
/// # Errors
///
/// Where it cannot be read or unpacked, is too large, or is not UTF-8.
pub fn read(path: &str) -> Result<String, Unreadable> {
    let packed = if path == "-" {
        limited(&mut io::stdin().lock())
    } else {
        open(path).and_then(|mut file| limited(&mut file))
    }
    .map_err(|why| unreadable(path, describe(&why)))?;
    let bytes = unpack(packed).map_err(|what| unreadable(path, what))?;
    String::from_utf8(bytes).map_err(|error| {
        unreadable(
            path,
            format!(
                "not UTF-8: the byte at offset {} does not belong there",
                error.utf8_error().valid_up_to()
            ),
        )
    })
}

fn open(path: &str) -> io::Result<File> {
    if std::fs::metadata(path)?.is_dir() {
        return Err(io::Error::other("it is a folder"));
    }
    File::open(path)
}

/// Unpacks gzip and zstd, told by the first bytes; other bytes are given back.
fn unpack(packed: Vec<u8>) -> Result<Vec<u8>, String> {
    match packed.as_slice() {
        [0x1f, 0x8b, ..] => limited(&mut flate2::read::MultiGzDecoder::new(packed.as_slice()))
            .map_err(|why| format!("the gzip data is damaged: {why}")),
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
            unzstd(&packed).map_err(|why| format!("the zstd data is damaged: {why}"))
        }
        _ => Ok(packed),
    }
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

/// Unpacks all frames; those to be skipped (RFC 8878, section 3.1.2) hold no data.
fn unzstd(packed: &[u8]) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut rest = packed;
    while !rest.is_empty() {
        if let [0x50..=0x5f, 0x2a, 0x4d, 0x18, a, b, c, d, data @ ..] = rest {
            let length = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
            rest = data
                .get(length..)
                .ok_or_else(|| io::Error::other("a frame to be skipped is cut off"))?;
            continue;
        }
        let mut decoder = StreamingDecoder::new(&mut rest).map_err(io::Error::other)?;
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
        // What this program says itself.
        _ if error.get_ref().is_some() => error.to_string(),
        io::ErrorKind::NotFound => "no such file or folder".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            "it, or what stands before it in the path, is a file and no folder".to_owned()
        }
        io::ErrorKind::InvalidFilename => "the name is too long, or not allowed".to_owned(),
        io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        io::ErrorKind::ReadOnlyFilesystem => "the disk can only be read".to_owned(),
        _ => error.to_string(),
    }
}

/// Why a world has no such file, in plain words.
#[must_use]
pub fn describe_read(error: &ReadError) -> String {
    match error {
        ReadError::NotFound => "no such file or folder".to_owned(),
        ReadError::IsDirectory => "is a folder".to_owned(),
        ReadError::Denied => "permission denied".to_owned(),
        ReadError::TooLarge { limit, .. } => format!("is larger than {limit} bytes"),
        ReadError::Other(why) => why.clone(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn gzip(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(text: &str) -> Vec<u8> {
        compress_to_vec(text.as_bytes(), CompressionLevel::Fastest)
    }

    #[test]
    fn unpacks_all_parts() {
        let skipped = [0x5e, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9];
        for packed in [
            b"one\ntwo\n".to_vec(),
            [gzip("one\n"), gzip("two\n")].concat(),
            [zstd("one\n"), zstd("two\n")].concat(),
            [&skipped[..], &zstd("one\n"), &skipped[..], &zstd("two\n")].concat(),
        ] {
            assert_eq!(
                unpack(packed.clone()),
                Ok(b"one\ntwo\n".to_vec()),
                "{packed:?}"
            );
        }
    }

    #[test]
    fn damage_is_told() {
        let cut = |mut bytes: Vec<u8>, by: usize| {
            bytes.truncate(bytes.len() - by);
            bytes
        };
        for packed in [
            cut(gzip("one two three"), 6),
            [gzip("one"), b"rubbish".to_vec()].concat(),
            cut(zstd("one two three"), 6),
            [zstd("one"), b"rubbish".to_vec()].concat(),
            vec![0x50, 0x2a, 0x4d, 0x18, 200, 0, 0, 0, 1],
        ] {
            let error = unpack(packed).unwrap_err();
            assert!(error.contains("damaged"), "{error}");
        }
    }

    #[test]
    fn folders_are_searched() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("b")).unwrap();
        for name in [
            "c.jsonl",
            "a.json.gz",
            "b/z.log",
            "b/y.ndjson.zst",
            "notes.txt",
        ] {
            std::fs::write(at(name), "").unwrap();
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.path(), at("b/loop")).unwrap();
            let socket = std::os::unix::net::UnixListener::bind(at("live.log"));
            assert!(socket.is_ok());
        }
        let path = folder.path().to_string_lossy().into_owned();
        let found = find(&[path.clone(), format!("{path}/missing"), "-".to_owned()]);
        let names: Vec<&str> = found
            .files
            .iter()
            .map(|file| {
                file.strip_prefix(&path)
                    .unwrap_or(file)
                    .trim_start_matches('/')
            })
            .collect();
        assert_eq!(
            names,
            ["a.json.gz", "b/y.ndjson.zst", "b/z.log", "c.jsonl", "-"]
        );
        assert_eq!(found.errors.len(), 1, "{:?}", found.errors);
        #[cfg(unix)]
        assert_eq!(found.skipped.len(), 2, "{:?}", found.skipped);
    }
}
