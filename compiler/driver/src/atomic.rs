//! Writing files so that nobody sees half of one.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Seek as _, Write as _};
use std::path::{Path, PathBuf};

/// Writes a file so that a reader, or a crash, sees the old or the new content and nothing between:
/// a new file beside it takes its place. Through a link, the file that it names is replaced, not the
/// link. Mode and owner of an old file are kept; a new one has what the user's mask leaves of 0666.
///
/// Written in place, the old content being put back where that fails, are: a file with several
/// names (they would come apart), one whose owner or group could not be kept, and one in a folder
/// in which no file can be made. Devices and pipes are written to as they are.
///
/// # Errors
///
/// Where the file is read-only, or cannot be written; it is then as it was.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path: PathBuf = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(&path).ok();
    store(&path, old.as_ref(), bytes)
}

/// [`write_atomically`] for a file that has been read: `was` is what it held, `path` its own path
/// and no link.
///
/// # Errors
///
/// As [`write_atomically`], and where the file has become another one since, or a link.
pub fn replace(path: &Path, was: &[u8], bytes: &[u8]) -> io::Result<()> {
    let old = fs::symlink_metadata(path)?;
    if old.is_symlink() || old.is_file() && fs::read(path)? != was {
        return Err(io::Error::other(
            "it was changed by another program meanwhile, and is left as it is",
        ));
    }
    store(path, Some(&old), bytes)
}

fn store(path: &Path, old: Option<&Metadata>, bytes: &[u8]) -> io::Result<()> {
    let Some(old) = old else {
        let mut new = beside(path)?;
        new.write_all(bytes)?;
        return put(new, path);
    };
    if !old.is_file() {
        return fs::write(path, bytes);
    }
    if old.permissions().readonly() {
        return Err(io::Error::new(
            ErrorKind::PermissionDenied,
            "the file is read-only",
        ));
    }
    // A folder that may be written does not mean that the file may.
    let file = OpenOptions::new().write(true).open(path)?;
    if has_several_names(old) {
        return in_place(path, file, bytes);
    }
    let mut new = match beside(path) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            return in_place(path, file, bytes);
        }
        new => new?,
    };
    if !keep_owner(new.as_file(), old) {
        return in_place(path, file, bytes);
    }
    new.write_all(bytes)?;
    new.as_file().set_permissions(old.permissions())?;
    put(new, path)
}

/// An empty file in the folder of `path`, which goes away unless it is [`put`] somewhere.
fn beside(path: &Path) -> io::Result<tempfile::NamedTempFile> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ctrc-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(Permissions::from_mode(0o666));
    }
    // The error is told without the name that the new file would have had.
    builder
        .tempfile_in(folder)
        .map_err(|error| error.kind().into())
}

fn put(new: tempfile::NamedTempFile, path: &Path) -> io::Result<()> {
    new.as_file().sync_all()?;
    new.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Writes over a file's content; where that fails the old content is put back.
fn in_place(path: &Path, mut file: File, bytes: &[u8]) -> io::Result<()> {
    let old = fs::read(path)?;
    let mut written = 0;
    let Err(error) = overwrite(&mut file, bytes, &mut written) else {
        return Ok(());
    };
    // What has not been written over is still there.
    let lost = old.get(..written).unwrap_or(&old);
    match restore(&mut file, lost, old.len()) {
        Ok(()) => Err(error),
        Err(_) => Err(io::Error::new(
            error.kind(),
            format!("{error}; what stood in it could not be put back"),
        )),
    }
}

/// What is there is overwritten before the length changes, so that a full disk has room for the old
/// content. `written` counts the bytes on the way.
fn overwrite(file: &mut File, bytes: &[u8], written: &mut usize) -> io::Result<()> {
    file.rewind()?;
    while let Some(rest) = bytes.get(*written..).filter(|rest| !rest.is_empty()) {
        match file.write(rest) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(n) => *written += n,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    set_length(file, bytes.len())?;
    file.sync_all()
}

fn restore(file: &mut File, lost: &[u8], length: usize) -> io::Result<()> {
    file.rewind()?;
    file.write_all(lost)?;
    set_length(file, length)?;
    file.sync_all()
}

fn set_length(file: &File, length: usize) -> io::Result<()> {
    let length = u64::try_from(length).unwrap_or(u64::MAX);
    if file.metadata()?.len() == length {
        return Ok(());
    }
    file.set_len(length)
}

#[cfg(unix)]
fn has_several_names(file: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(file) > 1
}

#[cfg(not(unix))]
fn has_several_names(_: &Metadata) -> bool {
    false
}

/// Gives a new file the owner and group of the old one; says whether it has them now.
#[cfg(unix)]
fn keep_owner(new: &File, old: &Metadata) -> bool {
    use std::os::unix::fs::{MetadataExt as _, fchown};

    let same = new
        .metadata()
        .is_ok_and(|new| new.uid() == old.uid() && new.gid() == old.gid());
    same || fchown(new, Some(old.uid()), Some(old.gid())).is_ok()
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]

    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};

    use super::*;

    #[test]
    fn keeps_modes_links_and_names() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mode = |name: &str| fs::metadata(at(name)).unwrap().permissions().mode() & 0o777;

        // A new file has the mode that others made at the same time have.
        fs::write(at("other"), "").unwrap();
        write_atomically(&at("new"), b"1").unwrap();
        assert_eq!(mode("new"), mode("other"));

        fs::set_permissions(at("new"), Permissions::from_mode(0o640)).unwrap();
        symlink("new", at("link")).unwrap();
        write_atomically(&at("link"), b"2").unwrap();
        assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
        assert_eq!(fs::read(at("new")).unwrap(), b"2");
        assert_eq!(mode("new"), 0o640);

        fs::hard_link(at("new"), at("twin")).unwrap();
        write_atomically(&at("twin"), b"longer").unwrap();
        assert_eq!(fs::read(at("new")).unwrap(), b"longer");
        write_atomically(&at("twin"), b"3").unwrap();
        assert_eq!(fs::read(at("new")).unwrap(), b"3");
        assert_eq!(fs::metadata(at("new")).unwrap().nlink(), 2);

        fs::set_permissions(at("other"), Permissions::from_mode(0o444)).unwrap();
        let error = write_atomically(&at("other"), b"4").unwrap_err();
        assert_eq!(error.to_string(), "the file is read-only");
        assert_eq!(fs::read(at("other")).unwrap(), b"");
        // Nothing is left behind.
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
    }

    #[test]
    fn keeps_the_owner() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "old").unwrap();
        if chown(&file, Some(4321), Some(1234)).is_err() {
            eprintln!("SKIPPED: only root gives files away");
            return;
        }
        fs::set_permissions(&file, Permissions::from_mode(0o2660)).unwrap();
        write_atomically(&file, b"new").unwrap();
        let now = fs::metadata(&file).unwrap();
        assert_eq!((now.uid(), now.gid()), (4321, 1234));
        assert_eq!(now.permissions().mode() & 0o7777, 0o2660);
    }

    #[test]
    fn a_file_that_changed_meanwhile_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a"), "old").unwrap();
        replace(&at("a"), b"old", b"new").unwrap();
        assert!(replace(&at("a"), b"old", b"newer").is_err());
        assert_eq!(fs::read(at("a")).unwrap(), b"new");
        fs::write(at("b"), "new").unwrap();
        fs::remove_file(at("a")).unwrap();
        symlink("b", at("a")).unwrap();
        assert!(replace(&at("a"), b"new", b"newer").is_err());
        assert_eq!(fs::read(at("b")).unwrap(), b"new");
    }
}
