//! The disk, as the verbs see it: what is read is noted, so that `--watch` knows what to look at.

use ctr_front::world::{DiskWorld, ReadError, World};

use crate::watch;

/// The file system. Every reader of files that a verb depends on goes through it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl World for Disk {
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError> {
        watch::note(path);
        DiskWorld.read(path)
    }

    fn canonical(&self, path: &str) -> String {
        DiskWorld.canonical(path)
    }

    fn names(&self, folder: &str) -> Vec<String> {
        DiskWorld.names(folder)
    }
}
