#include "fit/secants.h"

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

bool mi_secants_create(int nunknown, int nrow, int nflesh, mi_arena *arena, mi_secants *s) {
  bool done = true;
  *s = (mi_secants){.nunknown = nunknown, .nrow = nrow, .nflesh = nflesh};
  for (int k = 0; k < MI_MOST_SECANTS && done; k++) {
    mi_secant *a = s->of + k;
    a->step = MI_PUSH(arena, double, nunknown);
    a->row = MI_PUSH(arena, double, nunknown);
    a->seen = MI_PUSH(arena, double, nrow);
    a->all = MI_PUSH(arena, float, nflesh);
    done = a->step && a->row && a->seen && a->all;
  }
  return done;
}

mi_secant *mi_secants_next(mi_secants *s) {
  if (s->count == MI_MOST_SECANTS) s->count = 0;
  return s->of + s->count;
}

void mi_secants_keep(mi_secants *s, mi_secant *made) {
  made->square = dot(s->nunknown, made->step, made->step);
  s->count += made->square > 0;
}

void mi_secants_correct(const mi_secants *s, const double *residual, double *gradient,
                        double *matrix) {
  int n = s->nunknown;
  for (int k = 0; k < s->count; k++) {
    const mi_secant *a = s->of + k;
    double pull = dot(s->nrow, a->seen, residual) / a->square;
    for (int i = 0; i < n; i++) gradient[i] += pull * a->step[i];
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++)
        matrix[i * n + j] += (a->row[i] * a->step[j] + a->step[i] * a->row[j]) / a->square;
    for (int l = 0; l < s->count; l++) {
      const mi_secant *b = s->of + l;
      double both = dot(s->nrow, a->seen, b->seen) / (a->square * b->square);
      for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) matrix[i * n + j] += both * a->step[i] * b->step[j];
    }
  }
}

void mi_secants_move(const mi_secants *s, const double *u, float *x) {
  for (int k = 0; k < s->count; k++) {
    const mi_secant *a = s->of + k;
    float by = (float)(dot(s->nunknown, a->step, u) / a->square);
    for (int i = 0; i < s->nflesh; i++) x[i] += by * a->all[i];
  }
}
