//! The thread that builds automata and proves, a policy at a time.
//!
//! What it works on is given up as soon as a text changes that it read. What was proven is kept with the texts that it was
//! proven of, so that a text that comes back (a change that was undone, a file that is opened) is not proven again.

use std::collections::{HashMap, HashSet};
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;
use ctr_check::Cancel;
use ctr_front::diagnostic::Diagnostic;
use ctr_front::ir::Source;
use ctr_project::Fault;

use super::{Event, Job, pool, words};
use crate::findings::{Built, Findings};
use crate::overlay::Overlay;
use crate::snapshot::{Root, Snapshot};

/// Nothing is begun so soon after a change: the next one would end it.
const CALM: Duration = Duration::from_millis(80);

/// So many states of one policy's texts are kept.
const KEPT: usize = 4;

/// The thread, as others see it. It ends with this.
pub(super) struct Prover {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    events: Sender<Event>,
    jobs: Sender<Job>,
}

#[derive(Default)]
struct State {
    /// Where there is something to prove.
    snapshot: Option<Arc<Snapshot>>,
    /// Not before.
    calm: Option<Instant>,
    /// What is at work.
    at: Option<(Arc<Root>, Cancel)>,
    /// What was proven, by policy, newest last.
    known: HashMap<String, Vec<Arc<Known>>>,
    ended: bool,
}

/// What was proven, and of what.
struct Known {
    sources: Vec<Source>,
    timeout: Duration,
    max_states: usize,
    built: Arc<Built>,
    more: Vec<Diagnostic>,
}

impl Prover {
    /// Starts the thread; `jobs` are told when something was proven.
    pub(super) fn start(events: Sender<Event>, jobs: Sender<Job>) -> Self {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            changed: Condvar::new(),
            events,
            jobs,
        });
        spawn(&shared);
        Self { shared }
    }

    /// Another handle to the thread.
    pub(super) fn remote(&self) -> Remote {
        Remote(Arc::clone(&self.shared))
    }

    /// There is a new snapshot: what it no longer has is given up.
    pub(super) fn outdated(&self, snapshot: &Snapshot) {
        let mut state = self.shared.state();
        state.snapshot = None;
        state.cancel_unless_in(snapshot);
    }
}

impl Drop for Prover {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        state.ended = true;
        if let Some((_, cancel)) = &state.at {
            cancel.cancel();
        }
        self.shared.changed.notify_all();
    }
}

/// Gives the thread its work.
pub(super) struct Remote(Arc<Shared>);

impl Remote {
    /// The texts of this snapshot have been read: now it is proven.
    pub(super) fn prove(&self, snapshot: &Arc<Snapshot>) {
        let mut state = self.0.state();
        let is_newer = |other: &Arc<Snapshot>| other.generation > snapshot.generation;
        if state.snapshot.as_ref().is_some_and(is_newer) {
            return;
        }
        state.cancel_unless_in(snapshot);
        state.forget_unless_in(snapshot);
        state.snapshot = Some(Arc::clone(snapshot));
        state.calm = Instant::now().checked_add(CALM);
        self.0.changed.notify_all();
    }
}

impl State {
    fn cancel_unless_in(&self, snapshot: &Snapshot) {
        if let Some((root, cancel)) = &self.at
            && !snapshot
                .roots
                .values()
                .any(|other| Arc::ptr_eq(other, root))
        {
            cancel.cancel();
        }
    }

    /// Forgets what was proven of policies that are gone, where these are more than those that are there.
    fn forget_unless_in(&mut self, snapshot: &Snapshot) {
        if self.known.len() > 2 * snapshot.roots.len() {
            let roots = snapshot.roots.values();
            let paths: HashSet<&str> = roots.map(|root| root.path.as_str()).collect();
            self.known.retain(|path, _| paths.contains(path.as_str()));
        }
    }

    /// The policy to prove next: one that is open before others.
    fn next(&self) -> Option<(Arc<Snapshot>, Arc<Root>)> {
        let snapshot = self.snapshot.as_ref()?;
        let is_left = |root: &&Arc<Root>| root.known().is_some() && !root.is_final();
        let open = snapshot
            .documents
            .keys()
            .filter_map(|path| snapshot.roots.get(path));
        let root = open
            .into_iter()
            .find(is_left)
            .or_else(|| snapshot.in_order().find(is_left))?;
        Some((Arc::clone(snapshot), Arc::clone(root)))
    }
}

fn spawn(shared: &Arc<Shared>) {
    let own = Arc::clone(shared);
    if let Err(error) = pool::thread("proofs", move || run(&own)) {
        let what = format!("nothing can be proven: {error}");
        let _ = shared.events.send(Event::Fault(what));
    }
}

fn run(shared: &Arc<Shared>) {
    while let Some((snapshot, root, cancel)) = shared.next() {
        let outcome =
            panic::catch_unwind(AssertUnwindSafe(|| shared.prove(&snapshot, &root, &cancel)));
        shared.state().at = None;
        let is_spent = cancel.is_cancelled() || outcome.is_err();
        let fault = match outcome {
            // Whatever it was, it is of no use any more.
            _ if cancel.is_cancelled() => None,
            Ok(Ok(())) => None,
            Ok(Err(Fault(what))) => Some(what),
            Err(payload) => Some(words(&*payload)),
        };
        if let Some(what) = fault {
            let told = format!("{}: {what}", root.path);
            let _ = shared.events.send(Event::Fault(told));
            // It would end in the same way again.
            if let Some(analysis) = root.known() {
                let world = Overlay::new(&snapshot.documents);
                let found = Findings::proven(&world, &analysis.read, Vec::new(), &root.path);
                root.set_proven(found);
            }
        }
        if root.is_final() {
            let _ = shared.jobs.send(Job::Proven);
        }
        if is_spent {
            // An interrupted solver is of no more use in the thread that it was used in.
            spawn(shared);
            return;
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for something to prove; `None` at the end.
    fn next(&self) -> Option<(Arc<Snapshot>, Arc<Root>, Cancel)> {
        let mut state = self.state();
        loop {
            if state.ended {
                return None;
            }
            let left = state.calm.map_or(Duration::ZERO, |calm| {
                calm.saturating_duration_since(Instant::now())
            });
            match state.next() {
                Some((snapshot, root)) if left.is_zero() => {
                    let cancel = Cancel::new();
                    state.at = Some((Arc::clone(&root), cancel.clone()));
                    return Some((snapshot, root, cancel));
                }
                Some(_) => {
                    let waited = self.changed.wait_timeout(state, left);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                None => {
                    // Nothing that was read for it is needed any more.
                    state.snapshot = None;
                    state = self
                        .changed
                        .wait(state)
                        .unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    fn prove(&self, snapshot: &Snapshot, root: &Root, cancel: &Cancel) -> Result<(), Fault> {
        let analysis = snapshot.analysis(root);
        let Some(library) = analysis.library() else {
            return Ok(());
        };
        let read = &analysis.read;
        let known = self.known(root, &read.raw.sources, read.timeout, read.max_states);
        let known = match known {
            Some(known) => known,
            None => {
                if super::faults::in_proofs(&read.raw.sources) {
                    super::faults::here();
                }
                let Some(built) = snapshot.built(root, cancel) else {
                    return Ok(());
                };
                let more = built.findings(library, read.timeout, cancel, &mut root.proofs())?;
                if cancel.is_cancelled() {
                    return Ok(());
                }
                let known = Arc::new(Known {
                    sources: read.raw.sources.clone(),
                    timeout: read.timeout,
                    max_states: read.max_states,
                    built,
                    more,
                });
                self.keep(root, &known);
                known
            }
        };
        root.set_built(Arc::clone(&known.built));
        let world = Overlay::new(&snapshot.documents);
        root.set_proven(Findings::proven(
            &world,
            read,
            known.more.clone(),
            &root.path,
        ));
        Ok(())
    }

    /// What was proven of these texts.
    fn known(
        &self,
        root: &Root,
        sources: &[Source],
        timeout: Duration,
        max_states: usize,
    ) -> Option<Arc<Known>> {
        let state = self.state();
        let mut all = state.known.get(&root.path)?.iter().rev();
        let known = all.find(|known| {
            known.timeout == timeout && known.max_states == max_states && known.sources == sources
        })?;
        Some(Arc::clone(known))
    }

    fn keep(&self, root: &Root, known: &Arc<Known>) {
        let mut state = self.state();
        let all = state.known.entry(root.path.clone()).or_default();
        if all.len() >= KEPT {
            all.remove(0);
        }
        all.push(Arc::clone(known));
    }
}

#[cfg(test)]
mod tests {
    use ctr_front::lines::Encoding;

    use super::*;
    use crate::documents::Documents;
    use crate::snapshot::Changes;

    #[test]
    fn policies_that_are_gone_are_forgotten() {
        let policies = [("/a.ctr".to_owned(), "/a.ctr".to_owned())];
        let snapshot =
            Snapshot::new(Encoding::Utf8).next(Documents::new(), &policies, &Changes::default());
        let mut state = State::default();
        for path in ["/a.ctr", "/b.ctr"] {
            state.known.insert(path.to_owned(), Vec::new());
        }
        state.forget_unless_in(&snapshot);
        assert_eq!(state.known.len(), 2, "few are kept: one may come back");
        state.known.insert("/c.ctr".to_owned(), Vec::new());
        state.forget_unless_in(&snapshot);
        assert!(state.known.keys().eq(["/a.ctr"]));
    }
}
