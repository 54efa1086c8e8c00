// The 3x3 SVD kernels on deformation gradients around rest, one thread.
#include "bench.h"

#include "base/base.h"
#include "math/kernels.h"

#include <stdlib.h>

enum { COUNT = 1 << 20, NBLOCK = COUNT / MI_SVD_LANES };

typedef struct subject {
  float *f;
  mi_svd3 *svd, *out;
} subject;

static int run_full(void *user) {
  subject *s = user;
  mi_kernels_best()->svd3->full(s->f, s->svd, NBLOCK);
  return 0;
}

static int run_taylor(void *user) {
  subject *s = user;
  mi_kernels_best()->svd3->taylor(s->f, s->svd, s->out, NBLOCK);
  return 0;
}

// the largest entry of F - U S V'
static double worst_error(const subject *s) {
  double worst = 0;
  for (size_t b = 0; b < NBLOCK; b++)
    for (int at = 0; at < 72; at++) {
      int l = at % 8, i = at / 24, j = at / 8 % 3;
      double error = -(double)s->f[72 * b + (size_t)at];
      for (int k = 0; k < 3; k++)
        error += (double)s->svd[b].u[8 * (3 * i + k) + l] * (double)s->svd[b].s[8 * k + l] *
                 (double)s->svd[b].v[8 * (3 * j + k) + l];
      if (!(error < worst && -error < worst)) worst = error < 0 ? -error : error;
    }
  return worst;
}

int bench_svd(bench *b) {
  subject s = {.f = malloc(72 * sizeof(float) * NBLOCK),
               .svd = malloc(sizeof(mi_svd3) * NBLOCK),
               .out = malloc(sizeof(mi_svd3) * NBLOCK)};
  int code = s.f && s.svd && s.out ? CLI_DONE : cli_fail("out of memory");
  if (!code) {
    for (uint32_t i = 0; i < 9 * COUNT; i++)
      s.f[i] = (float)((i / 8 % 9 % 4 == 0) + 0.4 * mi_random_unit(3, i, 0) - 0.2);
    double full = bench_time(b, run_full, &s), taylor = bench_time(b, run_taylor, &s);
    // 2^20 matrices at 44 ns; the error goes with the name, as what it says is only true with it
    static char what[80];
    snprintf(what, sizeof what, "full SVD of 2^20 matrices, error %.1e", worst_error(&s));
    bench_add(b, (bench_row){"P5", what, full, 0, NULL, 44e-9 * COUNT});
    bench_add(b, (bench_row){"P5", "first-order SVD", taylor, full, "full SVD", 0.5});
  }
  free(s.f);
  free(s.svd);
  free(s.out);
  return code;
}
