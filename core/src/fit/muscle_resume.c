// Serialises a stopped fit: everything that changes from round to round, behind a hash of its
// inputs.
#include "fit/muscle_fit.h"

#include "io/io.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char MAGIC[8] = "mienmus1";

typedef struct header {
  char magic[8];
  uint64_t hash;
  int64_t round, size;
} header;

static size_t expression_size(const mi_muscle_fit *fit) {
  const mi_balance *b = &fit->balance;
  return (MI_ACTIVATION * (size_t)b->nmuscle + 4 * (size_t)b->nvert) * sizeof(float) +
         MI_JAW * sizeof(double);
}

static size_t whole_size(const mi_muscle_fit *fit) {
  return sizeof(header) + (size_t)fit->face->muscles.nentry * sizeof(float) +
         (size_t)fit->count * expression_size(fit);
}

static bool are_finite(const unsigned char *at, size_t size) {
  float value;
  for (size_t k = 0; k < size; k += sizeof value) {
    memcpy(&value, at + k, sizeof value);
    if (!isfinite(value)) return false;
  }
  return true;
}

// Looked at before anything is taken: numbers that are not finite would end in the stored face.
static bool is_sound(const mi_muscle_fit *fit, const unsigned char *at) {
  size_t nentry = (size_t)fit->face->muscles.nentry * sizeof(float);
  size_t active = MI_ACTIVATION * (size_t)fit->balance.nmuscle * sizeof(float);
  bool is_good = are_finite(at, nentry);
  at += nentry;
  for (int k = 0; k < fit->count && is_good; k++, at += expression_size(fit)) {
    double jaw[MI_JAW];
    memcpy(jaw, at + active, sizeof jaw);
    for (int i = 0; i < MI_JAW; i++) is_good = is_good && isfinite(jaw[i]);
    size_t done = active + sizeof jaw;
    is_good =
        is_good && are_finite(at, active) && are_finite(at + done, expression_size(fit) - done);
  }
  return is_good;
}

bool mi_muscle_fit_load(mi_muscle_fit *fit) {
  const mi_balance *b = &fit->balance;
  unsigned char *at;
  size_t size = 0, nentry = (size_t)fit->face->muscles.nentry * sizeof(float);
  header head;
  if (!fit->def->muscle_resume ||
      mi_file_read(fit->def->muscle_resume, &fit->arena, &at, &size, NULL) < 0 ||
      size != whole_size(fit))
    return false;
  memcpy(&head, at, sizeof head);
  if (memcmp(head.magic, MAGIC, sizeof MAGIC) || head.hash != fit->hash || head.round < 0 ||
      head.round > fit->rounds || !is_sound(fit, at + sizeof head))
    return false;
  at += sizeof head;
  memcpy(fit->face->muscles.share, at, nentry);
  at += nentry;
  for (int k = 0; k < fit->count; k++, at += expression_size(fit)) {
    mi_expression *e = fit->expressions + k;
    size_t active = MI_ACTIVATION * (size_t)b->nmuscle * sizeof(float);
    memcpy(e->activation, at, active);
    memcpy(e->jaw, at + active, sizeof e->jaw);
    memcpy(e->x, at + active + sizeof e->jaw, 4 * (size_t)b->nvert * sizeof(float));
  }
  fit->round = (int)head.round;
  return true;
}

mien_result mi_muscle_fit_save(const mi_muscle_fit *fit, mien_error *err) {
  const mi_balance *b = &fit->balance;
  mi_file *file;
  header head = {.hash = fit->hash, .round = fit->round, .size = (int64_t)whole_size(fit)};
  if (!fit->def->muscle_resume) return MIEN_OK;
  memcpy(head.magic, MAGIC, sizeof MAGIC);
  mien_result result = mi_file_create(fit->def->muscle_resume, &fit->face->host, &file, err);
  if (result < 0) return result;
  mi_file_write(file, &head, sizeof head);
  mi_file_write(file, fit->face->muscles.share, (size_t)fit->face->muscles.nentry * sizeof(float));
  for (int k = 0; k < fit->count; k++) {
    const mi_expression *e = fit->expressions + k;
    mi_file_write(file, e->activation, MI_ACTIVATION * (size_t)b->nmuscle * sizeof(float));
    mi_file_write(file, e->jaw, sizeof e->jaw);
    mi_file_write(file, e->x, 4 * (size_t)b->nvert * sizeof(float));
  }
  return mi_file_commit(file, err);
}
