//! The contract runtime as a WebAssembly module without imports: a host hands over bytes through one
//! buffer, and reads answers from another.
//!
//! 1. [`ctr_buffer`] makes the input buffer so long, and gives its address; the host writes there.
//! 2. [`ctr_load`] takes it for an artifact and begins a session.
//! 3. [`ctr_gate`] takes it for an event (a line of a native trace) and decides; [`ctr_finish`] gives
//!    the verdicts.
//! 4. [`ctr_output`] and [`ctr_output_len`] say where the answer stands, a JSON text.
//!
//! One instance of the module holds one session; `ctr_load` begins a new one. Lookups have no answer.
//!
//! With the feature `full` there are also `ctr_allowed`, `ctr_schema`, `ctr_save`, `ctr_restore` and `ctr_take_over`.

// The standard library of `std` brings the words of panics with it, and an allocator that is larger than is
// needed: 30 kB. On other machines the crate is only compiled.
#![cfg_attr(target_family = "wasm", no_std)]

extern crate alloc;

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use ctr_runtime::format::Library;
use ctr_runtime::json;
use ctr_runtime::session::{Session, gate};
use ctr_runtime::value::Value;
use ctr_runtime::wire::{self, OwnedEvent};

#[cfg(feature = "full")]
mod full;
#[cfg(feature = "full")]
pub use full::{ctr_allowed, ctr_restore, ctr_save, ctr_schema, ctr_take_over};

/// Takes constant time and little code, and joins what is freed.
#[cfg(target_family = "wasm")]
#[global_allocator]
static HEAP: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

/// The runtime does not panic by itself; should it run out of memory, the module traps, and the host must not
/// let the call happen.
#[cfg(target_family = "wasm")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

struct State {
    input: Vec<u8>,
    output: Vec<u8>,
    library: Option<&'static Library<'static>>,
    session: Option<Session<'static>>,
}

/// Nobody waits for it: an instance has one thread, and no export calls another.
static STATE: spin::Mutex<State> = spin::Mutex::new(State {
    input: Vec::new(),
    output: Vec::new(),
    library: None,
    session: None,
});

/// The answer is in the output buffer.
const DONE: u32 = 0;
/// What is wrong is in the output buffer, as a text.
const FAILED: u32 = 1;

/// What is wrong without an artifact.
const NONE: &str = "no contract library is loaded";

/// What is wrong, as a text.
struct Fault(String);

impl<E: ToString> From<E> for Fault {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// Leaves an answer in the output buffer.
fn answer(state: &mut State, found: Result<Vec<u8>, Fault>) -> u32 {
    match found {
        Ok(bytes) => {
            state.output = bytes;
            DONE
        }
        Err(Fault(text)) => {
            state.output = text.into_bytes();
            FAILED
        }
    }
}

fn run(act: fn(&mut State) -> Result<Value, Fault>) -> u32 {
    let state = &mut *STATE.lock();
    let found = act(state).map(|value| json::to_string(&value).into_bytes());
    answer(state, found)
}

/// The input buffer's JSON.
fn input(state: &State) -> Result<Value, Fault> {
    Ok(json::parse(core::str::from_utf8(&state.input)?)?)
}

/// Makes the input buffer `len` bytes long, and gives its address.
#[expect(unsafe_code, reason = "an export needs its name")]
#[unsafe(no_mangle)]
pub extern "C" fn ctr_buffer(len: usize) -> *mut u8 {
    let state = &mut *STATE.lock();
    state.input.clear();
    state.input.resize(len, 0);
    state.input.as_mut_ptr()
}

/// Where the last answer stands.
#[expect(unsafe_code, reason = "an export needs its name")]
#[unsafe(no_mangle)]
pub extern "C" fn ctr_output() -> *const u8 {
    STATE.lock().output.as_ptr()
}

/// How many bytes it has.
#[expect(unsafe_code, reason = "an export needs its name")]
#[unsafe(no_mangle)]
pub extern "C" fn ctr_output_len() -> usize {
    STATE.lock().output.len()
}

/// Loads the artifact in the input buffer and begins a session; the answer is the names of its
/// contracts. 0, or 1 and what is wrong with it.
#[expect(unsafe_code, reason = "an export needs its name")]
#[unsafe(no_mangle)]
pub extern "C" fn ctr_load() -> u32 {
    run(|state| {
        let bytes = core::mem::take(&mut state.input);
        let library = Library::load(bytes)?;
        // A session borrows its library; the module has no end before which it could be dropped.
        let library: &'static Library<'static> = Box::leak(Box::new(library));
        state.library = Some(library);
        state.session = Some(Session::new(library));
        let names = library.contracts().map(|c| Value::from(c.name()));
        Ok(Value::List(names.collect()))
    })
}

/// Judges the event in the input buffer, and records it or leaves it out. The answer is that of
/// [`wire::decision`]: `{"decision": "block", "proceeds": false, "objections": [...], ...}`; `null` for an update of the
/// context. 0, or 1 and why the event cannot be taken: it is not allowed then.
#[expect(unsafe_code, reason = "an export needs its name")]
#[unsafe(no_mangle)]
pub extern "C" fn ctr_gate() -> u32 {
    run(|state| {
        let line = input(state)?;
        let session = state.session.as_mut().ok_or(NONE)?;
        if line.get("kind").and_then(Value::as_str) == Some("context") {
            session.set_context(line.get("set").unwrap_or(&Value::Null));
            return Ok(Value::Null);
        }
        let event = OwnedEvent::read(&line)?;
        let gated = gate(session, &event.as_event(), &mut ())?;
        Ok(wire::decision(session.library(), &gated.decision))
    })
}

/// The verdicts if the session ended now, as [`wire::outcome`] writes them. 0, or 1 where nothing is loaded.
#[expect(unsafe_code, reason = "an export needs its name")]
#[unsafe(no_mangle)]
pub extern "C" fn ctr_finish() -> u32 {
    run(|state| {
        let session = state.session.as_ref().ok_or(NONE)?;
        Ok(wire::outcome(session.library(), &session.finish()))
    })
}
