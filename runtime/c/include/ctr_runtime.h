/* C interface of ctr-runtime: judges an agent's tool calls against a compiled contract library.
 *
 * Made by cbindgen from src/lib.rs; a test checks that it is current
 * (CTR_WRITE_HEADER=1 cargo test -p ctr-runtime-c writes it anew).
 */

#ifndef CTR_RUNTIME_H
#define CTR_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

// What a function came to.
typedef enum {
  // It was done.
  CTR_STATUS_OK = 0,
  // A pointer that must not be null was.
  CTR_STATUS_NULL = 1,
  // A text is no UTF-8.
  CTR_STATUS_UTF8 = 2,
  // A text is no JSON, or no event.
  CTR_STATUS_JSON = 3,
  // The bytes are no contract library of this version, or damaged.
  CTR_STATUS_LIBRARY = 4,
  // The event makes no sense where it stands: it answers no call, or too many calls are open.
  CTR_STATUS_EVENT = 5,
  // The bytes are no saved session of this library, or damaged.
  CTR_STATUS_RESTORE = 6,
  // A fault of the runtime. The session that it happened in can only be freed: treat what was proposed as
  // refused.
  CTR_STATUS_PANIC = 7,
} CtrStatus;

// A contract library. Made by `ctr_library_load`; sessions keep what they need of it, so that it may
// be freed before them. May be used by several threads at once.
typedef struct CtrLibrary CtrLibrary;

// A session. Used by one thread at a time.
typedef struct CtrSession CtrSession;

// Answers a lookup: the name, and the arguments as a JSON list. Gives JSON text, which has to stay alive
// until the next call of this function, or null for no answer. It must not use the session.
typedef const char *(*CtrLookup)(void *data, const char *name, const char *arguments);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Loads a contract library (`.ctrb`). The bytes are copied and checked completely.
//
// # Safety
// `bytes` points to `length` bytes, `out` to a place for a pointer; each may be null, which is an error.
CtrStatus ctr_library_load(const uint8_t *bytes,
                           size_t length,
                           CtrLibrary **out);

// Frees a library; null is nothing to do.
//
// # Safety
// `library` is null, or from `ctr_library_load` and not freed before.
void ctr_library_free(CtrLibrary *library);

// Opens a session before its first event.
//
// # Safety
// `library` is null or from `ctr_library_load` and alive, `out` null or a place for a pointer.
CtrStatus ctr_session_open(const CtrLibrary *library, CtrSession **out);

// The session that `ctr_session_save` made the bytes of; its lookup function has to be set again.
//
// # Safety
// As `ctr_session_open`; `bytes` is null or points to `length` bytes.
CtrStatus ctr_session_restore(const CtrLibrary *library,
                              const uint8_t *bytes,
                              size_t length,
                              CtrSession **out);

// A session under a changed policy, brought to where a log ends that the host has kept: a JSON list, the oldest
// entry first, of `{"happened": EVENT}` (also approved and repaired calls, as they were made), `{"left_out": EVENT}`
// (refused calls, their returns, suppressed events), `{"context": FIELDS}` and `{"forgotten": true}`. Its later
// decisions are those of a session that has had this policy from the start. `limits` is as in
// `ctr_session_set_limits`, or null for the defaults; `lookup` (or null) answers as it did when the events occurred,
// and stays set. `findings` receives what the policy finds in the past, as a JSON list of what
// `ctr_session_commit` gives.
//
// Where the status is not `CTR_STATUS_OK` (`CTR_STATUS_EVENT`: the log is not complete, or a limit was reached) there
// is no new session, and the old one is as it was.
//
// # Safety
// As `ctr_session_open`; `log` and `limits` are null or texts that end with a zero, `findings` is null or a place
// for a pointer, and `lookup` may be called with `data` as long as the session lives.
CtrStatus ctr_session_take_over(const CtrLibrary *library,
                                const char *log,
                                const char *limits,
                                CtrLookup lookup,
                                void *data,
                                CtrSession **out,
                                char **findings);

// Frees a session; null is nothing to do.
//
// # Safety
// `session` is null, or from `ctr_session_open`, `ctr_session_restore` or `ctr_session_take_over`, and not freed before.
void ctr_session_free(CtrSession *session);

// Sets the function that answers lookups; null for none. `data` is handed to it.
//
// # Safety
// `session` is null or alive and used by no other thread; `lookup` may be called with `data` as long as
// the session lives.
CtrStatus ctr_session_set_lookup(CtrSession *session,
                                 CtrLookup lookup,
                                 void *data);

// Sets facts that the host supplies: a JSON object whose fields replace those of the same names.
//
// # Safety
// `session` is null or alive and used by no other thread; `fields` is null or a text that ends with a zero.
CtrStatus ctr_session_set_context(CtrSession *session,
                                  const char *fields);

// Sets how much the session may remember from now on: a JSON object with any of the fields of the limits
// (`keys`, `key_bytes`, `window`, `values`, `text`, `remembered`, `open_calls`, `open_bytes`, `triggers`, `violations`,
// `violation_bytes`, `work`); the others keep their defaults. No part of a saved session.
//
// # Safety
// `session` is null or alive and used by no other thread; `limits` is null or a text that ends with a zero.
CtrStatus ctr_session_set_limits(CtrSession *session,
                                 const char *limits);

// No refused call will return any more, so that none of them is remembered; until then each counts as a call in
// flight.
//
// # Safety
// `session` is null or alive and used by no other thread.
CtrStatus ctr_session_forget_refused(CtrSession *session);

// Judges an event that has not happened yet: JSON of the native trace format, for instance
// `{"kind": "call", "id": "c1", "tool": "pay", "args": {}, "time": 1700000000}`. `out` receives the decision as
// JSON; its field `proceeds` says whether the event may happen. Where the status is not
// `CTR_STATUS_OK` it must not.
//
// # Safety
// `session` is null or alive and used by no other thread; `event` is null or a text that ends with a zero;
// `out` is null or a place for a pointer.
CtrStatus ctr_session_propose(CtrSession *session,
                              const char *event,
                              char **out);

// Records an event that happened: one that was proposed and may proceed, a return, a message. `out`
// receives what came of it as JSON.
//
// # Safety
// As `ctr_session_propose`.
CtrStatus ctr_session_commit(CtrSession *session, const char *event, char **out);

// Leaves out an event that was refused or suppressed. `out` receives what came of it as JSON.
//
// # Safety
// As `ctr_session_propose`.
CtrStatus ctr_session_skip(CtrSession *session, const char *event, char **out);

// The verdicts if the session ended now, as JSON.
//
// # Safety
// `session` is null or alive and used by no other thread; `out` is null or a place for a pointer.
CtrStatus ctr_session_finish(CtrSession *session, char **out);

// Which tools could be called now, as a JSON list. `meta` is what would be recorded with the call (an object with
// any of `agent`, `server`, `time`, `turn`, `depth`, `tokens`), or null.
//
// # Safety
// As `ctr_session_propose`.
CtrStatus ctr_session_allowed(CtrSession *session,
                              const char *meta,
                              char **out);

// A tool's JSON Schema narrowed to what the contracts accept now, as JSON with `schema`, `incomplete` and
// `forbidding`. `meta` as in `ctr_session_allowed`.
//
// # Safety
// As `ctr_session_propose`; `tool` is null or a text that ends with a zero.
CtrStatus ctr_session_schema(CtrSession *session,
                             const char *tool,
                             const char *meta,
                             char **out);

// The whole state as bytes, bound to the library; freed by `ctr_bytes_free`.
//
// # Safety
// `session` is null or alive and used by no other thread; `out` and `length` are null or places for a pointer
// and a size.
CtrStatus ctr_session_save(CtrSession *session,
                           uint8_t **out,
                           size_t *length);

// Frees a text that a function of this library gave; null is nothing to do.
//
// # Safety
// `text` is null, or from this library and not freed before.
void ctr_string_free(char *text);

// Frees bytes that `ctr_session_save` gave; null is nothing to do.
//
// # Safety
// `bytes` is null, or from `ctr_session_save` with that length and not freed before.
void ctr_bytes_free(uint8_t *bytes, size_t length);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CTR_RUNTIME_H */
