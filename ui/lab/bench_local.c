// The local step alone: energy and forces of all tetrahedra of the sample head, with and without a
// decomposition, with and without a pose to aim at.
#include "bench.h"

#include "energy/elastic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 40 };

typedef struct subject {
  mi_elastic *elastic;
  int nvert, ntet, threads;
  mi_local local;
  double best;                 // seconds of the fastest single step: others use the machine too
  float *x, *posed, *gradient; // (nvert x 4)
} subject;

static int evaluate(void *user) {
  subject *s = user;
  mi_elastic_info info;
  for (int i = 0; i < TIMES; i++) {
    memset(s->gradient, 0, 4 * (size_t)s->nvert * sizeof(float));
    double start = cli_clock();
    mi_elastic_evaluate(s->elastic, s->x, s->local, s->threads, s->gradient, &info);
    double seconds = cli_clock() - start;
    if (!(s->best > 0) || seconds < s->best) s->best = seconds;
  }
  return !(info.energy > 0);
}

static double measure(bench *b, subject *s, mi_local local, int threads) {
  s->local = local;
  s->threads = threads;
  s->best = 0;
  return bench_time(b, evaluate, s) < 0 ? -1 : s->best;
}

// Stretched and bent smoothly by some per cent, with noise of 5 micrometres on top.
static void deform(subject *s, const float *rest) {
  for (int i = 0; i < s->nvert; i++) {
    const float *r = rest + 3 * (size_t)i;
    float *x = s->x + 4 * (size_t)i, *posed = s->posed + 4 * (size_t)i;
    x[0] = 1.08f * r[0] + 0.9f * r[1] * r[2];
    x[1] = 0.95f * r[1] + 0.006f * sinf(40 * r[0]);
    x[2] = 0.97f * r[2] + 0.004f * sinf(60 * r[1] + 30 * r[0]);
    posed[0] = 1.02f * r[0];
    posed[1] = 1.03f * r[1] + 0.004f * sinf(30 * r[0]);
    posed[2] = r[2];
    for (uint32_t k = 0; k < 3; k++)
      x[k] += 1e-5f * (float)(mi_random_unit(5, (uint32_t)i, k) - 0.5);
  }
}

static bool make(subject *s, const mien_face_info *info, mi_arena *arena) {
  s->nvert = info->nvert;
  s->ntet = info->ntet;
  float *strain = MI_PUSH(arena, float, s->ntet), *volume = MI_PUSH(arena, float, s->ntet);
  s->x = MI_PUSH(arena, float, 4 * (size_t)s->nvert);
  s->posed = MI_PUSH(arena, float, 4 * (size_t)s->nvert);
  s->gradient = MI_PUSH(arena, float, 4 * (size_t)s->nvert);
  if (!strain || !volume || !s->x || !s->posed || !s->gradient) return false;
  for (int t = 0; t < s->ntet; t++) {
    strain[t] = 1;
    volume[t] = 3;
  }
  deform(s, info->positions.data);
  mi_elastic_def def = {.nvert = s->nvert,
                        .ntet = s->ntet,
                        .rest = info->positions.data,
                        .tets = info->tets.data,
                        .strain = strain,
                        .volume = volume,
                        .is_prisms = 1,
                        .is_memoized = 1};
  s->elastic = mi_elastic_create(&def, arena);
  return s->elastic != NULL;
}

// The cheapest the paper's memoization can be (everything kept), and what it is when everything
// has to be corrected.
static void measure_memoized(bench *b, subject *s, double free_one) {
  mi_elastic_set_limits(s->elastic, (mi_svd_limits){0, 0});
  s->local = MI_LOCAL_MEMOIZED;
  evaluate(s);
  mi_elastic_set_limits(s->elastic, (mi_svd_limits){1e30f, 1e30f});
  double kept = measure(b, s, MI_LOCAL_MEMOIZED, 1);
  mi_elastic_set_limits(s->elastic, (mi_svd_limits){0, 1e30f});
  double taylor = measure(b, s, MI_LOCAL_MEMOIZED, 1);
  bench_add(b, (bench_row){"", "  memoized, every decomposition kept", kept, free_one,
                           "the SVD-free step", 0});
  bench_add(b, (bench_row){"", "  memoized, every decomposition corrected", taylor, free_one,
                           "the SVD-free step", 0});
}

static void measure_all(bench *b, subject *s) {
  double one = measure(b, s, MI_LOCAL_INVARIANTS, 1), two = measure(b, s, MI_LOCAL_INVARIANTS, 2);
  double svd = measure(b, s, MI_LOCAL_SVD, 1);
  static char what[2][80];
  snprintf(what[0], sizeof what[0], "local step without SVD, %.1f ns a tetrahedron",
           1e9 * one / s->ntet);
  snprintf(what[1], sizeof what[1], "  on two threads, %.1f ns a tetrahedron", 1e9 * two / s->ntet);
  bench_add(b, (bench_row){"P5", what[0], one, svd, "through the SVD", 0.5});
  bench_add(b, (bench_row){"P6", what[1], two, one, "one thread", 1 / 1.7});
  measure_memoized(b, s, one);
  mi_elastic_set_pose(s->elastic, s->posed, 1);
  double posed_one = measure(b, s, MI_LOCAL_INVARIANTS, 1);
  double posed_two = measure(b, s, MI_LOCAL_INVARIANTS, 2);
  double posed_svd = measure(b, s, MI_LOCAL_SVD, 1);
  bench_add(b, (bench_row){"P5", "local step towards a pose, without SVD", posed_one, posed_svd,
                           "through the SVD", 0.5});
  bench_add(b, (bench_row){"P6", "  on two threads", posed_two, posed_one, "one thread", 1 / 1.7});
}

int bench_local(bench *b) {
  mien_rig *rig =
      cli_load_rig(bench_args(b), cli_sample(bench_is_quick(b) ? "head_small.glb" : "head.glb"));
  if (!rig) return CLI_FAILED;
  int code = CLI_FAILED;
  subject s = {0};
  mi_arena arena = {0};
  mien_host host;
  mien_host_init(&host);
  mien_face *face = NULL;
  mien_error err = {0};
  if (mi_host_resolve(&host, &host, &err) < 0 ||
      mien_face_create(rig, NULL, &host, &face, &err) < 0) {
    cli_report(&err, "bench");
    goto done;
  }
  mi_arena_init(&arena, &host);
  if (make(&s, mien_face_get_info(face), &arena)) {
    measure_all(b, &s);
    code = CLI_DONE;
  } else {
    code = cli_fail("out of memory");
  }
done:
  mi_arena_free(&arena);
  mien_face_free(face);
  mien_rig_free(rig);
  return code;
}
