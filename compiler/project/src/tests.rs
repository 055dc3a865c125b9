//! Running `test` blocks (language reference, section 9).

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::time::{Duration, Instant};

use ctr_front::ir;
use ctr_front::lines::Lines;
use ctr_runtime::format::Library;
use ctr_runtime::format::model::Model;

use crate::playing;

/// What became of a test.
#[derive(Clone, Debug)]
pub struct TestResult {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub place: ir::Place,
    /// Its line, from 1.
    pub line: usize,
    /// What went wrong; nothing where the test passed.
    pub failures: Vec<Failure>,
    /// How long it ran.
    pub took: Duration,
}

/// Something that a test did not expect.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The step.
    pub place: ir::Place,
    /// Its line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl TestResult {
    /// Whether nothing went wrong.
    #[must_use]
    pub fn has_passed(&self) -> bool {
        self.failures.is_empty()
    }
}

/// Runs the tests of a library.
pub struct Runner<'a> {
    policy: &'a ir::Library,
    model: &'a Model,
    /// The artifacts that tests run on: one for each choice of contracts.
    loaded: BTreeMap<&'a [u32], Library<'static>>,
}

impl<'a> Runner<'a> {
    /// For a library and what was built from it.
    #[must_use]
    pub fn new(policy: &'a ir::Library, model: &'a Model) -> Self {
        Self {
            policy,
            model,
            loaded: BTreeMap::new(),
        }
    }

    /// Runs one of its tests.
    ///
    /// # Errors
    ///
    /// Where the contracts that it names do not fit an artifact of their own.
    pub fn run(&mut self, test: &'a ir::Test) -> Result<TestResult, String> {
        let policy = self.policy;
        let library = self.limited(&test.contracts)?;
        let start = Instant::now();
        let failures = playing::steps(policy, library, test);
        Ok(TestResult {
            name: test.name.clone(),
            place: test.place,
            line: line_of(policy, test.place),
            failures: failures
                .into_iter()
                .map(|(place, message)| Failure {
                    place,
                    line: line_of(policy, place),
                    message,
                })
                .collect(),
            took: start.elapsed(),
        })
    }

    /// The library with only these contracts; with all where none is named. The rest of the tables
    /// stays as it is: what no contract uses costs nothing.
    fn limited(&mut self, contracts: &'a [u32]) -> Result<&Library<'static>, String> {
        match self.loaded.entry(contracts) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => {
                let mut model = self.model.clone();
                if !contracts.is_empty() {
                    model.contracts = contracts
                        .iter()
                        .filter_map(|index| self.model.contracts.get(*index as usize).cloned())
                        .collect();
                }
                let bytes =
                    ctr_runtime::format::encode(&model).map_err(|error| error.to_string())?;
                let loaded = Library::load(bytes).map_err(|error| error.to_string())?;
                Ok(entry.insert(loaded))
            }
        }
    }
}

/// The line of a place, from 1; 0 where there is no such source.
#[must_use]
pub fn line_of(policy: &ir::Library, place: ir::Place) -> usize {
    policy
        .sources
        .get(place.source.0 as usize)
        .map_or(0, |source| {
            Lines::new(&source.text)
                .locate(place.span.start as usize)
                .line
        })
}
