/* A session from C: everything that a host does, and what it may do wrong. */
#include "ctr_runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed = 0;

#define CHECK(what)                                                     \
  do {                                                                  \
    if (!(what)) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);        \
      failed = 1;                                                       \
    }                                                                   \
  } while (0)

/* Whether a call's answer has the status and, where it is good, holds a text. */
static int gives(CtrStatus status, char *text, const char *part) {
  int good = status == CTR_STATUS_OK && text != NULL && strstr(text, part) != NULL;
  if (!good) fprintf(stderr, "status %d: %s\n", (int)status, text ? text : "(nothing)");
  ctr_string_free(text);
  return good;
}

static const char *answer(void *data, const char *name, const char *arguments) {
  *(int *)data += 1;
  (void)name;
  (void)arguments;
  return "\"c1\"";
}

int main(int count, char **names) {
  if (count != 2) return 2;
  FILE *file = fopen(names[1], "rb");
  if (!file) return 2;
  static uint8_t bytes[1 << 16];
  size_t length = fread(bytes, 1, sizeof bytes, file);
  fclose(file);

  CtrLibrary *library = NULL;
  CtrSession *session = NULL;
  char *out = NULL;

  CHECK(ctr_library_load(NULL, 0, &library) == CTR_STATUS_NULL);
  CHECK(ctr_library_load(bytes, length, NULL) == CTR_STATUS_NULL);
  CHECK(ctr_library_load(bytes, length - 1, &library) == CTR_STATUS_LIBRARY);
  CHECK(library == NULL);
  CHECK(ctr_library_load(bytes, length, &library) == CTR_STATUS_OK);
  CHECK(ctr_session_open(NULL, &session) == CTR_STATUS_NULL);
  CHECK(ctr_session_open(library, NULL) == CTR_STATUS_NULL);
  CHECK(ctr_session_open(library, &session) == CTR_STATUS_OK);
  /* A session keeps what it needs of its library. */
  int asked = 0;
  CHECK(ctr_session_set_lookup(session, answer, &asked) == CTR_STATUS_OK);
  CHECK(ctr_session_set_context(session, "{\"role\": \"clerk\"}") == CTR_STATUS_OK);
  CHECK(ctr_session_set_context(session, "[]") == CTR_STATUS_JSON);

  const char *large = "{\"kind\":\"call\",\"id\":\"1\",\"tool\":\"pay\",\"args\":{\"amount\":150}}";
  const char *small = "{\"kind\":\"call\",\"id\":\"2\",\"tool\":\"pay\",\"args\":{\"amount\":50},\"time\":1700000000}";
  const char *back = "{\"kind\":\"return\",\"id\":\"2\",\"status\":\"success\",\"result\":{}}";

  CtrStatus status = ctr_session_propose(session, large, &out);
  CHECK(gives(status, out, "\"decision\":\"block\""));
  status = ctr_session_propose(session, large, &out);
  CHECK(gives(status, out, "\"proceeds\":false"));
  status = ctr_session_propose(session, large, &out);
  CHECK(gives(status, out, "\"args.amount\":150"));
  status = ctr_session_skip(session, large, &out);
  CHECK(gives(status, out, "\"event\":0"));
  status = ctr_session_propose(session, small, &out);
  CHECK(gives(status, out, "\"proceeds\":true"));
  status = ctr_session_commit(session, small, &out);
  CHECK(gives(status, out, "\"violations\":[]"));
  status = ctr_session_commit(session, back, &out);
  CHECK(gives(status, out, "\"event\":2"));

  status = ctr_session_schema(session, "pay", NULL, &out);
  CHECK(gives(status, out, "\"maximum\":100"));
  status = ctr_session_allowed(session, "{\"agent\":\"desk\"}", &out);
  CHECK(gives(status, out, "\"allowed\":\"some\""));
  status = ctr_session_finish(session, &out);
  CHECK(gives(status, out, "\"agent\":\"ACTIVE\""));

  /* What a host may do wrong. */
  out = NULL;
  CHECK(ctr_session_propose(NULL, small, &out) == CTR_STATUS_NULL);
  CHECK(ctr_session_propose(session, NULL, &out) == CTR_STATUS_NULL);
  CHECK(ctr_session_propose(session, small, NULL) == CTR_STATUS_NULL);
  CHECK(ctr_session_propose(session, "{", &out) == CTR_STATUS_JSON);
  CHECK(ctr_session_propose(session, "{\"kind\":\"call\"}", &out) == CTR_STATUS_JSON);
  CHECK(ctr_session_propose(session, "\xff", &out) == CTR_STATUS_UTF8);
  CHECK(ctr_session_commit(session, back, &out) == CTR_STATUS_EVENT);
  CHECK(ctr_session_schema(session, NULL, NULL, &out) == CTR_STATUS_NULL);
  CHECK(ctr_session_allowed(session, "7", &out) == CTR_STATUS_JSON);
  CHECK(out == NULL);

  /* Limits: a refused call counts as one in flight until it is forgotten. */
  CHECK(ctr_session_set_limits(session, "{\"open_calls\":1}") == CTR_STATUS_OK);
  CHECK(ctr_session_propose(session, small, &out) == CTR_STATUS_EVENT);
  CHECK(ctr_session_forget_refused(session) == CTR_STATUS_OK);
  status = ctr_session_propose(session, small, &out);
  CHECK(gives(status, out, "\"proceeds\":true"));
  out = NULL;
  CHECK(ctr_session_set_limits(session, "{\"open_cals\":1}") == CTR_STATUS_JSON);
  CHECK(ctr_session_set_limits(session, "{\"keys\":-1}") == CTR_STATUS_JSON);
  CHECK(ctr_session_set_limits(session, NULL) == CTR_STATUS_NULL);
  CHECK(ctr_session_forget_refused(NULL) == CTR_STATUS_NULL);

  /* A policy takes over. */
  CtrSession *taken = NULL;
  char *found = NULL;
  const char *log =
      "[{\"context\":{\"role\":\"clerk\"}},"
      "{\"happened\":{\"kind\":\"call\",\"id\":\"1\",\"tool\":\"pay\",\"args\":{\"amount\":150}}},"
      "{\"left_out\":{\"kind\":\"call\",\"id\":\"2\",\"tool\":\"pay\",\"args\":{\"amount\":170}}},"
      "{\"forgotten\":true}]";
  const char *cut = "[{\"happened\":{\"kind\":\"return\",\"id\":\"9\",\"status\":\"success\"}}]";
  CHECK(ctr_session_take_over(NULL, log, NULL, NULL, NULL, &taken, &found) == CTR_STATUS_NULL);
  CHECK(ctr_session_take_over(library, NULL, NULL, NULL, NULL, &taken, &found) == CTR_STATUS_NULL);
  CHECK(ctr_session_take_over(library, log, NULL, NULL, NULL, NULL, &found) == CTR_STATUS_NULL);
  CHECK(ctr_session_take_over(library, log, NULL, NULL, NULL, &taken, NULL) == CTR_STATUS_NULL);
  CHECK(ctr_session_take_over(library, "{}", NULL, NULL, NULL, &taken, &found) == CTR_STATUS_JSON);
  CHECK(ctr_session_take_over(library, "[{}]", NULL, NULL, NULL, &taken, &found) == CTR_STATUS_JSON);
  CHECK(ctr_session_take_over(library, log, "[]", NULL, NULL, &taken, &found) == CTR_STATUS_JSON);
  CHECK(ctr_session_take_over(library, log, "{\"open_calls\":1}", NULL, NULL, &taken, &found) == CTR_STATUS_EVENT);
  CHECK(ctr_session_take_over(library, cut, NULL, NULL, NULL, &taken, &found) == CTR_STATUS_EVENT);
  CHECK(taken == NULL && found == NULL);
  status = ctr_session_take_over(library, log, "{\"open_calls\":8}", answer, &asked, &taken, &found);
  CHECK(gives(status, found, "\"event\":0"));
  status = ctr_session_commit(taken, "{\"kind\":\"return\",\"id\":\"1\",\"status\":\"success\"}", &out);
  CHECK(gives(status, out, "\"event\":2"));
  status = ctr_session_finish(taken, &out);
  CHECK(gives(status, out, "\"agent\":\"FAIL\""));
  ctr_session_free(taken);
  out = NULL;

  /* Saved and restored. */
  uint8_t *saved = NULL;
  size_t size = 0;
  CtrSession *again = NULL;
  CHECK(ctr_session_save(session, &saved, &size) == CTR_STATUS_OK);
  CHECK(ctr_session_restore(library, saved, size - 1, &again) == CTR_STATUS_RESTORE);
  CHECK(ctr_session_restore(library, saved, size, &again) == CTR_STATUS_OK);
  ctr_bytes_free(saved, size);
  ctr_session_free(session);
  ctr_library_free(library);
  status = ctr_session_propose(again, large, &out);
  CHECK(gives(status, out, "\"decision\":\"block\""));
  ctr_session_free(again);

  ctr_session_free(NULL);
  ctr_library_free(NULL);
  ctr_string_free(NULL);
  ctr_bytes_free(NULL, 0);
  return failed;
}
