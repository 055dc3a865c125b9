//! Threads that answer requests.

use std::io;
use std::thread::{Builder, JoinHandle};

use crossbeam_channel::{Sender, unbounded};

/// Of each thread: trees may be deep, and debug builds use large frames.
const STACK: usize = 64 << 20;

/// Enough that one long answer does not hold up the others.
const THREADS: usize = 3;

/// Something to do.
pub(super) type Job = Box<dyn FnOnce() + Send>;

/// Some threads that take jobs in the order in which they come.
pub(super) struct Pool {
    jobs: Sender<Job>,
}

impl Pool {
    pub(super) fn new() -> Self {
        let (jobs, receiver) = unbounded::<Job>();
        for _ in 0..THREADS {
            let receiver = receiver.clone();
            // Without a single thread jobs are done where they are given.
            let _ = thread("answers", move || {
                while let Ok(job) = receiver.recv() {
                    job();
                }
            });
        }
        Self { jobs }
    }

    pub(super) fn run(&self, job: Job) {
        if let Err(rejected) = self.jobs.send(job) {
            (rejected.0)();
        }
    }
}

/// Starts a thread.
///
/// # Errors
///
/// Where the system has none to give.
pub(super) fn thread<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    Builder::new()
        .name(name.to_owned())
        .stack_size(STACK)
        .spawn(work)
}
