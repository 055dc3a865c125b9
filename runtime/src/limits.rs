//! How much a session may remember, and how much work an event may ask for.
//!
//! An agent chooses what it calls, with which arguments and how often, so that everything that a
//! session keeps has a bound. None of them lets a violation pass: what cannot be remembered is
//! undefined from then on, and a condition that needs it refuses and says that a limit was reached.

/// The bounds of one session; see [`Session::set_limits`](crate::session::Session::set_limits).
///
/// ```
/// use ctr_runtime::limits::Limits;
///
/// let mut limits = Limits::default();
/// limits.keys = 10_000;
/// limits.remembered = 1 << 20;
/// ```
///
/// Sizes are in bytes and count what values hold (texts, and a fixed amount for each value), the
/// same on every machine; the allocator's own overhead comes on top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How many keys a register or a contract tells apart. An event with a further key is
    /// undetermined for that contract; an aggregate of a further key is undefined.
    pub keys: usize,
    /// How large the keys of one contract may be in all. A further key is treated as for `keys`.
    pub key_bytes: usize,
    /// How many members a window holds. A fuller one is undefined until its oldest have left.
    pub window: usize,
    /// How many distinct values `values(...)` holds; with more, what is not among them is undefined.
    pub values: usize,
    /// How many bytes of text `mentioned` searches, for each key; with more, what is not found is
    /// undefined.
    pub text: usize,
    /// How large all that the registers of a session remember may be. What comes beyond it is
    /// undefined for the aggregate that it belongs to.
    pub remembered: usize,
    /// How many calls may be in flight, refused ones that may still return included. A further call
    /// is an error ([`EventError::TooManyOpenCalls`](crate::session::EventError)).
    pub open_calls: usize,
    /// How large their names and arguments may be in all. A further call is the same error.
    pub open_bytes: usize,
    /// How many triggers of one deadline may be open for one key. Further ones are not told apart:
    /// an answer answers all, and without one those that are open fail the contract.
    pub triggers: usize,
    /// How many violations a contract keeps for its verdict; further ones are counted
    /// ([`ContractOutcome::untold`](crate::decision::ContractOutcome)), and it has failed all the same.
    /// Also how many events of ambiguous pairing are listed.
    pub violations: usize,
    /// How large their texts may be in all, for each contract; treated as `violations`.
    pub violation_bytes: usize,
    /// How much work the evaluation of one condition may take: expressions visited, list elements
    /// looked at, and each 16 bytes of text searched. A condition that needs more is undefined.
    pub work: u64,
}

impl Limits {
    /// The bounds that a session has unless its host sets others.
    pub const DEFAULT: Self = Self {
        keys: 1 << 20,
        key_bytes: 64 << 20,
        window: 1 << 16,
        values: 1 << 16,
        text: 8 << 20,
        remembered: 256 << 20,
        open_calls: 1 << 20,
        open_bytes: 64 << 20,
        triggers: 1 << 16,
        violations: 1 << 16,
        violation_bytes: 16 << 20,
        work: 1 << 24,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// What a value, a list's entry or a map's entry counts for, its text aside. Not what it takes on the
/// present machine, since the answers of a session must not depend on that.
pub(crate) const ENTRY: usize = 64;

/// Counts what is remembered, without looking at all of it for each event: additions are counted,
/// and only where these come to the limit is the whole measured anew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Budget {
    /// At most so much is remembered.
    pub(crate) used: u64,
    /// What was measured last.
    pub(crate) measured: u64,
    /// How many additions were refused since.
    pub(crate) refused: u64,
}

impl Budget {
    /// So many additions are refused before the whole is measured again.
    const PATIENCE: u64 = 1024;

    /// Whether so much more may be remembered, which is counted then.
    pub(crate) fn add(
        &mut self,
        bytes: usize,
        limit: usize,
        measure: impl FnOnce() -> u64,
    ) -> bool {
        let (bytes, limit) = (bytes as u64, limit as u64);
        if bytes == 0 {
            return true;
        }
        if self.used.saturating_add(bytes) <= limit {
            self.used += bytes;
            return true;
        }
        // Measuring takes as long as much has been remembered, so it must have a prospect.
        let grown = self.used.saturating_sub(self.measured);
        if grown < limit / 16 && self.refused < Self::PATIENCE {
            self.refused += 1;
            return false;
        }
        self.used = measure();
        self.measured = self.used;
        self.refused = 0;
        let fits = self.used.saturating_add(bytes) <= limit;
        if fits {
            self.used += bytes;
        } else {
            self.refused = 1;
        }
        fits
    }
}
