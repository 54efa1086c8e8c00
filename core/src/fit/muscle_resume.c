// Serialises a stopped fit: everything that changes from round to round, behind a hash of its
// inputs.
#include "fit/muscle_fit.h"

#include "io/io.h"

#include <string.h>
#include <unistd.h>

static const char MAGIC[8] = "mienmus2";

typedef struct header {
  char magic[8];
  uint64_t hash; // of what the fit starts from
  int64_t round, size;
  uint64_t sum; // hash of all that follows
} header;

static size_t expression_size(const mi_muscle_fit *fit) {
  const mi_balance *b = &fit->balance;
  return (MI_ACTIVATION * (size_t)b->nmuscle + 4 * (size_t)b->nvert) * sizeof(float) +
         MI_JAW * sizeof(double);
}

static size_t shares_size(const mi_muscle_fit *fit) {
  return (size_t)fit->face->muscles.nentry * sizeof(float);
}

static size_t errors_size(const mi_muscle_fit *fit) {
  return (size_t)fit->count * sizeof(float);
}

static size_t body_size(const mi_muscle_fit *fit) {
  return errors_size(fit) + shares_size(fit) + (size_t)fit->count * expression_size(fit);
}

static unsigned char *copy_out(unsigned char *to, const void *from, size_t size) {
  memcpy(to, from, size);
  return to + size;
}

static const unsigned char *copy_in(void *to, const unsigned char *from, size_t size) {
  memcpy(to, from, size);
  return from + size;
}

// Nothing of a file that says no is overwritten: it may be the user's face.
static mien_result check(const mi_muscle_fit *fit, const unsigned char *bytes, size_t size,
                         header *head, mien_error *err) {
  const char *path = fit->def->muscle_resume;
  if (size >= sizeof *head) memcpy(head, bytes, sizeof *head);
  if (size < sizeof *head || memcmp(head->magic, MAGIC, sizeof MAGIC))
    return mi_fail(err, MIEN_ERR_FORMAT, "%.150s keeps no fit of muscles: name another file", path);
  if (head->hash != fit->hash || head->size != (int64_t)(sizeof *head + body_size(fit)))
    return mi_fail(
        err, MIEN_ERR_MISMATCH,
        "%.150s keeps a fit of another rig, of other expressions or other settings: name "
        "another file, or delete it",
        path);
  if (size != sizeof *head + body_size(fit) || head->round < 0 || head->round > fit->rounds ||
      head->sum != mi_hash(0, bytes + sizeof *head, body_size(fit)))
    return mi_fail(err, MIEN_ERR_FORMAT, "%.150s is damaged: delete it, and the fit begins anew",
                   path);
  return MIEN_OK;
}

mien_result mi_muscle_fit_load(mi_muscle_fit *fit, bool *is_there, mien_error *err) {
  const mi_balance *b = &fit->balance;
  unsigned char *bytes;
  size_t size;
  header head;
  *is_there = false;
  if (!fit->def->muscle_resume || access(fit->def->muscle_resume, F_OK) != 0) return MIEN_OK;
  mien_result result = mi_file_read(fit->def->muscle_resume, &fit->arena, &bytes, &size, err);
  if (result >= 0) result = check(fit, bytes, size, &head, err);
  if (result < 0) return result;
  const unsigned char *at = copy_in(fit->errors_before, bytes + sizeof head, errors_size(fit));
  at = copy_in(fit->face->muscles.share, at, shares_size(fit));
  for (int k = 0; k < fit->count; k++) {
    mi_expression *e = fit->expressions + k;
    at = copy_in(e->activation, at, MI_ACTIVATION * (size_t)b->nmuscle * sizeof(float));
    at = copy_in(e->jaw, at, sizeof e->jaw);
    at = copy_in(e->x, at, 4 * (size_t)b->nvert * sizeof(float));
    mi_expression_measure(b, e);
  }
  fit->round = (int)head.round;
  *is_there = true;
  return MIEN_OK;
}

mien_result mi_muscle_fit_save(mi_muscle_fit *fit, mien_error *err) {
  const mi_balance *b = &fit->balance;
  mi_file *file;
  header head = {
      .hash = fit->hash, .round = fit->round, .size = (int64_t)(sizeof head + body_size(fit))};
  if (!fit->def->muscle_resume) return MIEN_OK;
  unsigned char *body = mi_arena_push_raw(&fit->arena, body_size(fit), 1), *at = body;
  if (!body) return mi_fail_memory(err);
  at = copy_out(at, fit->errors_before, errors_size(fit));
  at = copy_out(at, fit->face->muscles.share, shares_size(fit));
  for (int k = 0; k < fit->count; k++) {
    const mi_expression *e = fit->expressions + k;
    at = copy_out(at, e->activation, MI_ACTIVATION * (size_t)b->nmuscle * sizeof(float));
    at = copy_out(at, e->jaw, sizeof e->jaw);
    at = copy_out(at, e->x, 4 * (size_t)b->nvert * sizeof(float));
  }
  memcpy(head.magic, MAGIC, sizeof MAGIC);
  head.sum = mi_hash(0, body, body_size(fit));
  mien_result result = mi_file_create(fit->def->muscle_resume, &fit->face->host, &file, err);
  if (result < 0) return result;
  mi_file_write(file, &head, sizeof head);
  mi_file_write(file, body, body_size(fit));
  return mi_file_commit(file, err);
}
