// The matrix of a frame and its factor.
#include "textbook_parts.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
  int32_t row, column;
  double value;
} entry;

static int compare(const void *a, const void *b) {
  const entry *p = a, *q = b;
  if (p->row != q->row) return p->row < q->row ? -1 : 1;
  return (p->column > q->column) - (p->column < q->column);
}

// w c c' of every pull, entries in order and each place once
static int pull_entries(const mi_lowrank_rows *lowrank_rows, entry *out) {
  int count = 0, kept = 0;
  for (int k = 0; k < lowrank_rows->count; k++) {
    const mi_lowrank *p = lowrank_rows->lowrank + k;
    for (int a = 0; a < 4 && p->vert[a] >= 0; a++)
      for (int b = 0; b < 4 && p->vert[b] >= 0; b++)
        out[count++] = (entry){p->vert[a], p->vert[b],
                               (double)p->weight * (double)p->coef[a] * (double)p->coef[b]};
  }
  qsort(out, (size_t)count, sizeof *out, compare);
  for (int k = 0; k < count; k++)
    if (kept && !compare(out + kept - 1, out + k))
      out[kept - 1].value += out[k].value;
    else
      out[kept++] = out[k];
  return kept;
}

static bool add_lowrank(const mi_csr *a, const mi_lowrank_rows *lowrank_rows, mi_arena *arena,
                        mi_csr *sum) {
  entry *extra = MI_PUSH(arena, entry, 16 * (size_t)lowrank_rows->count);
  if (!extra) return false;
  int nextra = pull_entries(lowrank_rows, extra), at = 0, to = 0;
  size_t most = (size_t)a->first[a->nrow] + (size_t)nextra;
  *sum = (mi_csr){a->nrow, MI_PUSH(arena, int32_t, a->nrow + 1), MI_PUSH(arena, int32_t, most),
                  MI_PUSH(arena, double, most)};
  if (!sum->first || !sum->column || !sum->value) return false;
  for (int i = 0; i < a->nrow; i++) {
    int k = a->first[i];
    while (k < a->first[i + 1] || (at < nextra && extra[at].row == i)) {
      int own = k < a->first[i + 1] ? a->column[k] : INT32_MAX;
      int other = at < nextra && extra[at].row == i ? extra[at].column : INT32_MAX;
      sum->column[to] = own < other ? own : other;
      sum->value[to] = (own <= other ? a->value[k] : 0) + (other <= own ? extra[at].value : 0);
      k += own <= other;
      at += other <= own;
      to++;
    }
    sum->first[i + 1] = to;
  }
  return true;
}

bool textbook_factor(textbook *t, bool with_pulls, double *seconds) {
  mi_csr sum = t->matrix;
  with_pulls = with_pulls && t->lowrank_rows.count > 0;
  if (!mi_cholesky_is_built()) return false;
  mi_arena_free(&t->factored_arena);
  if (with_pulls && !add_lowrank(&t->matrix, &t->lowrank_rows, &t->factored_arena, &sum))
    return false;
  if (!t->factor || with_pulls || t->factored_pulls) {
    mi_cholesky_free(t->factor);
    t->factor = mi_cholesky_create(&sum, MI_CHOLESKY_SUPERNODAL, &t->arena.allocator);
  }
  t->factored_pulls = with_pulls;
  if (!t->factor) return false;
  double start = mi_clock();
  bool done = mi_cholesky_factor(t->factor, &sum);
  if (seconds) *seconds = mi_clock() - start;
  return done;
}

void textbook_apply_inverse(textbook *t, const float *q, float *s) {
  textbook_to_double(t->nvert, q, t->right);
  mi_cholesky_solve(t->factor, 3, t->right, t->solution);
  for (int i = 0; i < t->nvert; i++) {
    for (int k = 0; k < 3; k++) s[4 * (size_t)i + k] = (float)t->solution[3 * (size_t)i + k];
    s[4 * (size_t)i + 3] = 0;
  }
}
