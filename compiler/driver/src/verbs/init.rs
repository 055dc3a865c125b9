//! `ctrc init`: a policy to start from.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use ctr_front::config::FILE_NAME;
use ctr_project::Settings;
use ctr_trace::files::describe;

use crate::cli::Init;
use crate::exit::{Exit, Stop, message};
use crate::world::Disk;

/// What is written: name and text.
const FILES: [(&str, &str); 3] = [
    ("policy.ctr", include_str!("init/policy.ctr")),
    ("tools.json", include_str!("init/tools.json")),
    ("session.jsonl", include_str!("init/session.jsonl")),
];

/// Settings to start from. They are only written where no settings count yet: the nearest count wholly, so
/// that new ones would take the place of those of the project.
const SETTINGS: (&str, &str) = (FILE_NAME, include_str!("init/ctrc.toml"));

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
    let mut files = FILES.to_vec();
    let policy = folder.join("policy.ctr");
    if Settings::nearest(&Disk)
        .of(&policy.to_string_lossy())
        .is_none()
    {
        files.push(SETTINGS);
    }
    for (name, text) in &files {
        let path = folder.join(name);
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|error| fail(&path, &error))?;
    }
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    let names = match names.as_slice() {
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
        [] => String::new(),
    };
    let session = folder.join("session.jsonl");
    message(&format!(
        "wrote {names} to {}\nnext:\n  ctrc check {p}\n  ctrc test {p}\n  ctrc replay -l {p} {s}",
        folder.display(),
        p = policy.display(),
        s = session.display()
    ));
    Ok(Exit::Clean)
}
