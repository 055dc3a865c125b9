//! `ctrc init`: a policy to start from.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use crate::cli::Init;
use crate::exit::{Exit, Stop, message};
use crate::trace::files::describe;

/// What is written: name and text.
const FILES: [(&str, &str); 3] = [
    ("policy.ctr", include_str!("init/policy.ctr")),
    ("tools.json", include_str!("init/tools.json")),
    ("session.jsonl", include_str!("init/session.jsonl")),
];

/// Runs the verb.
///
/// # Errors
///
/// Where the folder cannot be made or a file is there already; then nothing is written.
pub fn run(args: &Init) -> Result<Exit, Stop> {
    let folder = Path::new(&args.folder);
    let fail = |path: &Path, error: &std::io::Error| {
        Stop::Usage(format!("{}: {}", path.display(), describe(error)))
    };
    fs::create_dir_all(folder).map_err(|error| fail(folder, &error))?;
    if let Some((name, _)) = FILES.iter().find(|(name, _)| folder.join(name).exists()) {
        return Err(Stop::Usage(format!(
            "{}: is there already; nothing was written",
            folder.join(name).display()
        )));
    }
    for (name, text) in FILES {
        let path = folder.join(name);
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|error| fail(&path, &error))?;
    }
    let policy = folder.join("policy.ctr");
    let session = folder.join("session.jsonl");
    message(&format!(
        "wrote policy.ctr, tools.json and session.jsonl to {}\nnext:\n  ctrc check {p}\n  ctrc test {p}\n  ctrc replay -l {p} {s}",
        folder.display(),
        p = policy.display(),
        s = session.display()
    ));
    Ok(Exit::Clean)
}
