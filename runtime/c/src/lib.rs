//! C interface of `ctr-runtime`.
//!
//! This crate is the one place of the workspace with `unsafe` code: pointers that come from C cannot be read
//! without it. Each function checks its pointers for null, catches panics, and answers with a
//! [`CtrStatus`]; what it cannot check (that a pointer is what it says, and alive) is its caller's
//! promise, said in its documentation. After a panic a session refuses everything.

use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::Arc;

use ctr_runtime::format::Library;
use ctr_runtime::json;
use ctr_runtime::limits::Limits;
use ctr_runtime::session::{Host, Plan, Session};
use ctr_runtime::value::Value;
use ctr_runtime::wire::{self, OwnedEntry, OwnedEvent};

/// What a function came to.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CtrStatus {
    /// It was done.
    Ok = 0,
    /// A pointer that must not be null was.
    Null = 1,
    /// A text is no UTF-8.
    Utf8 = 2,
    /// A text is no JSON, or no event.
    Json = 3,
    /// The bytes are no contract library of this version, or damaged.
    Library = 4,
    /// The event makes no sense where it stands: it answers no call, or too many calls are open.
    Event = 5,
    /// The bytes are no saved session of this library, or damaged.
    Restore = 6,
    /// A fault of the runtime. The session that it happened in can only be freed: treat what was proposed as
    /// refused.
    Panic = 7,
}

/// A contract library. Made by `ctr_library_load`; sessions keep what they need of it, so that it may
/// be freed before them. May be used by several threads at once.
pub struct CtrLibrary {
    library: Arc<Library<'static>>,
}

/// A session. Used by one thread at a time.
pub struct CtrSession {
    /// Before `library`, on whose content it stands: fields are dropped in order.
    session: Session<'static>,
    library: Arc<Library<'static>>,
    lookup: Option<Lookup>,
    /// A panic has passed through it.
    broken: bool,
}

/// Answers a lookup: the name, and the arguments as a JSON list. Gives JSON text, which has to stay alive
/// until the next call of this function, or null for no answer. It must not use the session.
pub type CtrLookup = Option<
    unsafe extern "C" fn(
        data: *mut c_void,
        name: *const c_char,
        arguments: *const c_char,
    ) -> *const c_char,
>;

#[derive(Clone, Copy)]
struct Lookup {
    answer: unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *const c_char,
    data: *mut c_void,
}

struct Asking(Option<Lookup>);

impl Host for Asking {
    fn lookup(&mut self, name: &str, args: &[Value]) -> Option<Value> {
        let lookup = self.0?;
        let name = CString::new(name).ok()?;
        let args = json::to_string(&Value::List(args.to_vec()));
        let args = CString::new(args).ok()?;
        // SAFETY: both texts are alive and end with a zero; the rest is the host's promise when it set
        // the function.
        let found = unsafe { (lookup.answer)(lookup.data, name.as_ptr(), args.as_ptr()) };
        if found.is_null() {
            return None;
        }
        // SAFETY: by the function's contract a text that ends with a zero and is alive until the next
        // call.
        let found = unsafe { CStr::from_ptr(found) };
        json::parse(found.to_str().ok()?).ok()
    }
}

type Done = Result<(), CtrStatus>;

/// Runs a function's body; no panic leaves it.
fn guarded(body: impl FnOnce() -> Done) -> CtrStatus {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => CtrStatus::Ok,
        Ok(Err(status)) => status,
        Err(_) => CtrStatus::Panic,
    }
}

/// A text from C.
///
/// # Safety
/// Null, or a text that ends with a zero and is alive while the result is used.
unsafe fn text<'t>(from: *const c_char) -> Result<&'t str, CtrStatus> {
    if from.is_null() {
        return Err(CtrStatus::Null);
    }
    // SAFETY: not null, and the rest by this function's contract.
    let text = unsafe { CStr::from_ptr(from) };
    text.to_str().map_err(|_| CtrStatus::Utf8)
}

/// JSON from C.
///
/// # Safety
/// As [`text`].
unsafe fn json_text(from: *const c_char) -> Result<Value, CtrStatus> {
    // SAFETY: by this function's contract.
    let text = unsafe { text(from) }?;
    json::parse(text).map_err(|_| CtrStatus::Json)
}

/// Hands a text to C.
///
/// # Safety
/// Null, or a place for a pointer.
unsafe fn give(value: &Value, out: *mut *mut c_char) -> Done {
    let text = CString::new(json::to_string(value)).map_err(|_| CtrStatus::Json)?;
    // SAFETY: not null (checked by the callers before anything is done), and the rest by this function's
    // contract.
    unsafe { out.write(text.into_raw()) };
    Ok(())
}

/// Something with a session; a session that has panicked is left alone.
///
/// # Safety
/// `session` is null, or from this library, alive and not used by another thread.
unsafe fn with(session: *mut CtrSession, act: impl FnOnce(&mut CtrSession) -> Done) -> CtrStatus {
    // SAFETY: null or valid by this function's contract.
    let Some(session) = (unsafe { session.as_mut() }) else {
        return CtrStatus::Null;
    };
    if session.broken {
        return CtrStatus::Panic;
    }
    let status = guarded(|| act(&mut *session));
    session.broken = status == CtrStatus::Panic;
    status
}

/// Loads a contract library (`.ctrb`). The bytes are copied and checked completely.
///
/// # Safety
/// `bytes` points to `length` bytes, `out` to a place for a pointer; each may be null, which is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctr_library_load(
    bytes: *const u8,
    length: usize,
    out: *mut *mut CtrLibrary,
) -> CtrStatus {
    guarded(|| {
        if bytes.is_null() || out.is_null() {
            return Err(CtrStatus::Null);
        }
        // SAFETY: not null, and so long by this function's contract.
        let bytes = unsafe { std::slice::from_raw_parts(bytes, length) };
        let library = Library::load(bytes).map_err(|_| CtrStatus::Library)?;
        let library = Box::new(CtrLibrary {
            library: Arc::new(library.into_owned()),
        });
        // SAFETY: not null, and a place for a pointer by this function's contract.
        unsafe { out.write(Box::into_raw(library)) };
        Ok(())
    })
}

/// Frees a library; null is nothing to do.
///
/// # Safety
/// `library` is null, or from `ctr_library_load` and not freed before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctr_library_free(library: *mut CtrLibrary) {
    if !library.is_null() {
        // SAFETY: from `Box::into_raw`, once, by this function's contract.
        let library = unsafe { Box::from_raw(library) };
        guarded(|| {
            drop(library);
            Ok(())
        });
    }
}

fn opened(
    library: Arc<Library<'static>>,
    open: impl FnOnce(&'static Library<'static>) -> Result<Session<'static>, CtrStatus>,
) -> Result<Box<CtrSession>, CtrStatus> {
    // SAFETY: the reference lives in `session`, which is dropped before the `Arc` beside it that keeps the
    // library where it is; it never leaves `CtrSession`.
    let borrowed: &'static Library<'static> = unsafe { &*Arc::as_ptr(&library) };
    Ok(Box::new(CtrSession {
        session: open(borrowed)?,
        library,
        lookup: None,
        broken: false,
    }))
}

/// Opens a session before its first event.
///
/// # Safety
/// `library` is null or from `ctr_library_load` and alive, `out` null or a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctr_session_open(
    library: *const CtrLibrary,
    out: *mut *mut CtrSession,
) -> CtrStatus {
    guarded(|| {
        // SAFETY: null or alive by this function's contract.
        let library = unsafe { library.as_ref() }.ok_or(CtrStatus::Null)?;
        if out.is_null() {
            return Err(CtrStatus::Null);
        }
        let session = opened(library.library.clone(), |l| Ok(Session::new(l)))?;
        // SAFETY: not null, and a place for a pointer by this function's contract.
        unsafe { out.write(Box::into_raw(session)) };
        Ok(())
    })
}

/// The session that `ctr_session_save` made the bytes of; its lookup function has to be set again.
///
/// # Safety
/// As `ctr_session_open`; `bytes` is null or points to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctr_session_restore(
    library: *const CtrLibrary,
    bytes: *const u8,
    length: usize,
    out: *mut *mut CtrSession,
) -> CtrStatus {
    guarded(|| {
        // SAFETY: null or alive by this function's contract.
        let library = unsafe { library.as_ref() }.ok_or(CtrStatus::Null)?;
        if out.is_null() || bytes.is_null() {
            return Err(CtrStatus::Null);
        }
        // SAFETY: not null, and so long by this function's contract.
        let bytes = unsafe { std::slice::from_raw_parts(bytes, length) };
        let session = opened(library.library.clone(), |l| {
            Session::restore(l, bytes).map_err(|_| CtrStatus::Restore)
        })?;
        // SAFETY: not null, and a place for a pointer by this function's contract.
        unsafe { out.write(Box::into_raw(session)) };
        Ok(())
    })
}

/// A session under a changed policy, brought to where a log ends that the host has kept: a JSON list, the oldest
/// entry first, of `{"happened": EVENT}` (also approved and repaired calls, as they were made), `{"left_out": EVENT}`
/// (refused calls, their returns, suppressed events), `{"context": FIELDS}` and `{"forgotten": true}`. Its later
/// decisions are those of a session that has had this policy from the start. `limits` is as in
/// `ctr_session_set_limits`, or null for the defaults; `lookup` (or null) answers as it did when the events occurred,
/// and stays set. `findings` receives what the policy finds in the past, as a JSON list of what
/// `ctr_session_commit` gives.
///
/// Where the status is not `CTR_STATUS_OK` (`CTR_STATUS_EVENT`: the log is not complete, or a limit was reached) there
/// is no new session, and the old one is as it was.
///
/// # Safety
/// As `ctr_session_open`; `log` and `limits` are null or texts that end with a zero, `findings` is null or a place
/// for a pointer, and `lookup` may be called with `data` as long as the session lives.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctr_session_take_over(
    library: *const CtrLibrary,
    log: *const c_char,
    limits: *const c_char,
    lookup: CtrLookup,
    data: *mut c_void,
    out: *mut *mut CtrSession,
    findings: *mut *mut c_char,
) -> CtrStatus {
    guarded(|| {
        // SAFETY: null or alive by this function's contract.
        let library = unsafe { library.as_ref() }.ok_or(CtrStatus::Null)?;
        if out.is_null() || findings.is_null() {
            return Err(CtrStatus::Null);
        }
        // SAFETY: by this function's contract.
        let log = unsafe { json_text(log) }?;
        let log = OwnedEntry::read_log(&log).map_err(|_| CtrStatus::Json)?;
        let limits = match limits.is_null() {
            true => Limits::DEFAULT,
            false => {
                // SAFETY: by this function's contract.
                let limits = unsafe { json_text(limits) }?;
                wire::read_limits(&limits).map_err(|_| CtrStatus::Json)?
            }
        };
        let lookup = lookup.map(|answer| Lookup { answer, data });
        let mut found = Value::Null;
        let mut session = opened(library.library.clone(), |l| {
            let log = log.iter().map(OwnedEntry::as_entry);
            let plan = Plan::new(l).into();
            let taken = Session::take_over(l, plan, limits, log, &mut Asking(lookup))
                .map_err(|_| CtrStatus::Event)?;
            found = wire::findings(l, &taken.findings);
            Ok(taken.session)
        })?;
        session.lookup = lookup;
        // SAFETY: neither is null, and both are places for pointers by this function's contract.
        unsafe {
            give(&found, findings)?;
            out.write(Box::into_raw(session));
        }
        Ok(())
    })
}

/// Frees a session; null is nothing to do.
///
/// # Safety
/// `session` is null, or from `ctr_session_open`, `ctr_session_restore` or `ctr_session_take_over`, and not freed before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctr_session_free(session: *mut CtrSession) {
    if !session.is_null() {
        // SAFETY: from `Box::into_raw`, once, by this function's contract.
        let session = unsafe { Box::from_raw(session) };
        guarded(|| {
            drop(session);
            Ok(())
        });
    }
}

/// Sets the function that answers lookups; null for none. `data` is handed to it.
///
/// # Safety
/// `session` is null or alive and used by no other thread; `lookup` may be called with `data` as long as
/// the session lives.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctr_session_set_lookup(
    session: *mut CtrSession,
    lookup: CtrLookup,
    data: *mut c_void,
) -> CtrStatus {
    // SAFETY: by this function's contract.
    unsafe {
        with(session, |session| {
            session.lookup = lookup.map(|answer| Lookup { answer, data });
            Ok(())
        })
    }
}

/// Sets facts that the host supplies: a JSON object whose fields replace those of the same names.
///
/// # Safety
/// `session` is null or alive and used by no other thread; `fields` is null or a text that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctr_session_set_context(
    session: *mut CtrSession,
    fields: *const c_char,
) -> CtrStatus {
    // SAFETY: by this function's contract.
    unsafe {
        with(session, |session| {
            let fields = json_text(fields)?;
            if !matches!(fields, Value::Record(_)) {
                return Err(CtrStatus::Json);
            }
            session.session.set_context(&fields);
            Ok(())
        })
    }
}

/// Sets how much the session may remember from now on: a JSON object with any of the fields of the limits
/// (`keys`, `key_bytes`, `window`, `values`, `text`, `remembered`, `open_calls`, `open_bytes`, `triggers`, `violations`,
/// `violation_bytes`, `work`); the others keep their defaults. No part of a saved session.
///
/// # Safety
/// `session` is null or alive and used by no other thread; `limits` is null or a text that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctr_session_set_limits(
    session: *mut CtrSession,
    limits: *const c_char,
) -> CtrStatus {
    // SAFETY: by this function's contract.
    unsafe {
        with(session, |session| {
            let limits = json_text(limits)?;
            let limits = wire::read_limits(&limits).map_err(|_| CtrStatus::Json)?;
            session.session.set_limits(limits);
            Ok(())
        })
    }
}

/// No refused call will return any more, so that none of them is remembered; until then each counts as a call in
/// flight.
///
/// # Safety
/// `session` is null or alive and used by no other thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctr_session_forget_refused(session: *mut CtrSession) -> CtrStatus {
    // SAFETY: by this function's contract.
    unsafe {
        with(session, |session| {
            session.session.forget_refused();
            Ok(())
        })
    }
}

#[derive(Clone, Copy)]
enum Step {
    Propose,
    Commit,
    Skip,
}

/// # Safety
/// As [`ctr_session_propose`].
unsafe fn step(
    session: *mut CtrSession,
    event: *const c_char,
    out: *mut *mut c_char,
    step: Step,
) -> CtrStatus {
    // SAFETY: by this function's contract.
    unsafe {
        with(session, |session| {
            if out.is_null() {
                return Err(CtrStatus::Null);
            }
            let event = OwnedEvent::read(&json_text(event)?).map_err(|_| CtrStatus::Json)?;
            let event = event.as_event();
            let mut host = Asking(session.lookup);
            let library = &session.library;
            let value = match step {
                Step::Propose => session
                    .session
                    .propose(&event, &mut host)
                    .map(|decision| wire::decision(library, &decision)),
                Step::Commit => session
                    .session
                    .commit(&event, &mut host)
                    .map(|report| wire::recorded(library, &report)),
                Step::Skip => session
                    .session
                    .skip(&event, &mut host)
                    .map(|report| wire::recorded(library, &report)),
            };
            give(&value.map_err(|_| CtrStatus::Event)?, out)
        })
    }
}

/// Judges an event that has not happened yet: JSON of the native trace format, for instance
/// `{"kind": "call", "id": "c1", "tool": "pay", "args": {}, "time": 1700000000}`. `out` receives the decision as
/// JSON; its field `proceeds` says whether the event may happen. Where the status is not
/// `CTR_STATUS_OK` it must not.
///
/// # Safety
/// `session` is null or alive and used by no other thread; `event` is null or a text that ends with a zero;
/// `out` is null or a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctr_session_propose(
    session: *mut CtrSession,
    event: *const c_char,
    out: *mut *mut c_char,
) -> CtrStatus {
    // SAFETY: by this function's contract.
    unsafe { step(session, event, out, Step::Propose) }
}

/// Records an event that happened: one that was proposed and may proceed, a return, a message. `out`
/// receives what came of it as JSON.
///
/// # Safety
/// As `ctr_session_propose`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctr_session_commit(
    session: *mut CtrSession,
    event: *const c_char,
    out: *mut *mut c_char,
) -> CtrStatus {
    // SAFETY: by this function's contract.
    unsafe { step(session, event, out, Step::Commit) }
}

/// Leaves out an event that was refused or suppressed. `out` receives what came of it as JSON.
///
/// # Safety
/// As `ctr_session_propose`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctr_session_skip(
    session: *mut CtrSession,
    event: *const c_char,
    out: *mut *mut c_char,
) -> CtrStatus {
    // SAFETY: by this function's contract.
    unsafe { step(session, event, out, Step::Skip) }
}

/// The verdicts if the session ended now, as JSON.
///
/// # Safety
/// `session` is null or alive and used by no other thread; `out` is null or a place for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctr_session_finish(
    session: *mut CtrSession,
    out: *mut *mut c_char,
) -> CtrStatus {
    // SAFETY: by this function's contract.
    unsafe {
        with(session, |session| {
            if out.is_null() {
                return Err(CtrStatus::Null);
            }
            give(
                &wire::outcome(&session.library, &session.session.finish()),
                out,
            )
        })
    }
}

/// Which tools could be called now, as a JSON list. `meta` is what would be recorded with the call (an object with
/// any of `agent`, `server`, `time`, `turn`, `depth`, `tokens`), or null.
///
/// # Safety
/// As `ctr_session_propose`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctr_session_allowed(
    session: *mut CtrSession,
    meta: *const c_char,
    out: *mut *mut c_char,
) -> CtrStatus {
    // SAFETY: by this function's contract.
    unsafe {
        with(session, |session| {
            if out.is_null() {
                return Err(CtrStatus::Null);
            }
            let meta = read_meta(meta)?;
            let mut host = Asking(session.lookup);
            let found = session.session.allowed(&meta.meta(), &mut host);
            let found = found.map_err(|_| CtrStatus::Event)?;
            give(&wire::allowed(&session.library, &found), out)
        })
    }
}

/// A tool's JSON Schema narrowed to what the contracts accept now, as JSON with `schema`, `incomplete` and
/// `forbidding`. `meta` as in `ctr_session_allowed`.
///
/// # Safety
/// As `ctr_session_propose`; `tool` is null or a text that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctr_session_schema(
    session: *mut CtrSession,
    tool: *const c_char,
    meta: *const c_char,
    out: *mut *mut c_char,
) -> CtrStatus {
    // SAFETY: by this function's contract.
    unsafe {
        with(session, |session| {
            let tool = text(tool)?;
            if out.is_null() {
                return Err(CtrStatus::Null);
            }
            let meta = read_meta(meta)?;
            let mut host = Asking(session.lookup);
            let found = session.session.schema(tool, &meta.meta(), &mut host);
            let found = found.map_err(|_| CtrStatus::Event)?;
            give(&wire::narrowed(&session.library, &found), out)
        })
    }
}

/// # Safety
/// Null, or a text that ends with a zero.
unsafe fn read_meta(meta: *const c_char) -> Result<OwnedEvent, CtrStatus> {
    let json = match meta.is_null() {
        true => Value::Record(ctr_runtime::value::Record::new()),
        // SAFETY: by this function's contract.
        false => unsafe { json_text(meta) }?,
    };
    OwnedEvent::read_meta(&json).map_err(|_| CtrStatus::Json)
}

/// The whole state as bytes, bound to the library; freed by `ctr_bytes_free`.
///
/// # Safety
/// `session` is null or alive and used by no other thread; `out` and `length` are null or places for a pointer
/// and a size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctr_session_save(
    session: *mut CtrSession,
    out: *mut *mut u8,
    length: *mut usize,
) -> CtrStatus {
    // SAFETY: by this function's contract.
    unsafe {
        with(session, |session| {
            if out.is_null() || length.is_null() {
                return Err(CtrStatus::Null);
            }
            let bytes = session.session.save().into_boxed_slice();
            length.write(bytes.len());
            out.write(Box::into_raw(bytes).cast());
            Ok(())
        })
    }
}

/// Frees a text that a function of this library gave; null is nothing to do.
///
/// # Safety
/// `text` is null, or from this library and not freed before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctr_string_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: from `CString::into_raw`, once, by this function's contract.
        drop(unsafe { CString::from_raw(text) });
    }
}

/// Frees bytes that `ctr_session_save` gave; null is nothing to do.
///
/// # Safety
/// `bytes` is null, or from `ctr_session_save` with that length and not freed before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ctr_bytes_free(bytes: *mut u8, length: usize) {
    if !bytes.is_null() {
        // SAFETY: from `Box::into_raw` of a slice of that length, once, by this function's contract.
        drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(bytes, length)) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_stays_inside_and_breaks_the_session() {
        let library = Arc::new(ctr_runtime::doc::library());
        let Ok(mut session) = opened(library, |l| Ok(Session::new(l))) else {
            unreachable!("it opens");
        };
        // SAFETY: the session is alive and used here alone.
        let status = unsafe {
            with(&raw mut *session, |_| {
                std::panic::resume_unwind(Box::new("a fault"))
            })
        };
        assert_eq!(status, CtrStatus::Panic);
        let event = c"{\"kind\":\"call\",\"tool\":\"pay\",\"args\":{\"amount\":1}}";
        let mut out = ptr::null_mut();
        // SAFETY: as above; the text and the place are alive.
        let status =
            unsafe { ctr_session_propose(&raw mut *session, event.as_ptr(), &raw mut out) };
        assert_eq!(status, CtrStatus::Panic);
        assert!(out.is_null());
    }
}
