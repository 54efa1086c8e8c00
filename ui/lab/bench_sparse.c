// The global step alone: the matrix of the sample face, solved in every way we and CHOLMOD know.
#include "bench.h"

#include "base/base.h"
#include "math/kernels.h"
#include "mesh/stiffness.h"
#include "sparse/cholesky.h"
#include "sparse/lbfgs.h"
#include "sparse/spd.h"

#include <stdlib.h>

enum { REPEAT = 5, NPULL = 120 };

typedef struct subject {
  const bench *b;
  mi_arena arena;
  mien_host host;
  mi_csr plain, a; // as the face has it; ordered, lips last
  unsigned char *last;
  int32_t *order;
  int nfront, threads;
  mi_factor *factor;
  mi_gauss_seidel *sweeper;
  mi_lbfgs *history;
  float *rhs, *x;
  double *wide_rhs, *wide_x;
  mi_lowrank_rows lowrank_rows;
  mi_cholesky *peer;
} subject;

// -- the matrix -----------------------------------------------------------------------------------

static bool assemble(subject *s, const mien_face_info *face) {
  int nvert = face->nvert;
  float *weight = MI_PUSH(&s->arena, float, face->ntet);
  double *diagonal = MI_PUSH(&s->arena, double, nvert);
  s->last = MI_PUSH(&s->arena, unsigned char, nvert);
  s->order = MI_PUSH(&s->arena, int32_t, nvert);
  if (!weight || !diagonal || !s->last || !s->order) return false;
  mi_kernels_best()->measure_tets(face->positions.data, face->tets.data, face->ntet, weight, NULL);
  for (int t = 0; t < face->ntet; t++) weight[t] *= 15000; // Pa, against stretch and of volume
  s->nfront = nvert;
  for (int i = 0; i < nvert; i++) { // 60 frames a second, bone holds what is attached
    diagonal[i] = (double)face->masses.data[i] * 3600 * (1 + 25 * (double)face->attachment.data[i]);
    s->last[i] = i < face->nskin &&
                 (face->regions.data[i] & (MIEN_REGION_LIP_UPPER | MIEN_REGION_LIP_LOWER)) != 0;
    s->nfront -= s->last[i];
  }
  mi_stiffness_def def = {nvert,  face->ntet, face->tets.data, face->positions.data,
                          weight, NULL,       diagonal};
  return mi_stiffness_assemble(&def, &s->arena, &s->plain);
}

static bool fill_vectors(subject *s) {
  size_t nvert = (size_t)s->a.nrow;
  s->rhs = MI_PUSH(&s->arena, float, 4 * nvert);
  s->x = MI_PUSH(&s->arena, float, 4 * nvert);
  s->wide_rhs = MI_PUSH(&s->arena, double, 3 * nvert);
  s->wide_x = MI_PUSH(&s->arena, double, 3 * nvert);
  s->history = mi_lbfgs_create(s->a.nrow, 5, &s->arena);
  mi_lowrank *lowrank = MI_PUSH(&s->arena, mi_lowrank, NPULL);
  if (!s->rhs || !s->x || !s->wide_rhs || !s->wide_x || !s->history || !lowrank) return false;
  for (uint32_t i = 0; i < nvert; i++)
    for (uint32_t k = 0; k < 3; k++)
      s->wide_rhs[3 * i + k] = s->rhs[4 * i + k] = (float)(mi_random_unit(1, i, k) - 0.5);
  int nroot = s->a.nrow - s->nfront;
  for (int k = 0; k < NPULL; k++) // a lip vertex against a triangle of three others
    lowrank[k] = (mi_lowrank){{s->nfront + k * 7 % nroot, s->nfront + (k * 11 + 3) % nroot,
                               s->nfront + (k * 13 + 5) % nroot, s->nfront + (k * 17 + 9) % nroot},
                              {1, -0.3f, -0.3f, -0.4f},
                              1000};
  s->lowrank_rows = (mi_lowrank_rows){lowrank, NPULL};
  return true;
}

static int load(subject *s, const char *file) {
  mien_error err = {0};
  mien_face *face = NULL;
  mien_rig *rig = cli_load_rig(bench_args(s->b), cli_sample(file));
  if (!rig) return CLI_FAILED;
  mi_host_resolve(NULL, &s->host, NULL);
  mi_arena_init(&s->arena, &s->host);
  mien_result result = mien_face_create(rig, NULL, NULL, &face, &err);
  mien_rig_free(rig);
  if (result < 0) return cli_report(&err, "building the face");
  bool made = assemble(s, mien_face_get_info(face));
  mien_face_free(face);
  return made ? CLI_DONE : cli_fail("out of memory");
}

// -- what is timed --------------------------------------------------------------------------------

static int order(void *user) {
  subject *s = user;
  mi_arena scratch;
  mi_arena_init(&scratch, &s->host);
  bool done = mi_order_find(&s->plain, s->last, s->order, &scratch);
  mi_arena_free(&scratch);
  return !done;
}

static int factor(void *user) {
  subject *s = user;
  mi_factor_free(s->factor);
  return mi_factor_create(&s->a, s->nfront, &s->host, &s->factor, NULL) < 0;
}

static int solve(void *user) {
  subject *s = user;
  for (int i = 0; i < REPEAT; i++) mi_factor_solve(s->factor, s->rhs, s->threads, s->x);
  return 0;
}

static int set_pulls(void *user) {
  subject *s = user;
  for (int i = 0; i < REPEAT; i++)
    if (!mi_factor_set_lowrank(s->factor, &s->lowrank_rows, s->threads)) return 1;
  return 0;
}

static int sweep(void *user) {
  subject *s = user;
  return !mi_gauss_seidel_sweep(s->sweeper, NULL, s->rhs, REPEAT, s->threads, s->x);
}

static int recur(void *user) {
  subject *s = user;
  for (int i = 0; i < REPEAT; i++) {
    mi_lbfgs_forward(s->history, s->rhs, s->threads, s->x);
    mi_lbfgs_backward(s->history, s->x, s->rhs, s->threads);
  }
  return 0;
}

static int peer_factor(void *user) {
  subject *s = user;
  return !mi_cholesky_factor(s->peer, &s->plain);
}

static int peer_solve(void *user) {
  subject *s = user;
  for (int i = 0; i < REPEAT; i++)
    if (!mi_cholesky_solve(s->peer, 3, s->wide_rhs, s->wide_x)) return 1;
  return 0;
}

static double each(subject *s, bench_fn *fn, int threads) {
  s->threads = threads;
  return bench_time(s->b, fn, s) / REPEAT;
}

// -- the table ------------------------------------------------------------------------------------

typedef struct peer_times {
  double factor, supernodal, simplicial;
} peer_times;

static double time_peer(subject *s, mi_cholesky *peer, double *factored) {
  double seconds = 0;
  s->peer = peer;
  if (!peer) return 0;
  double one = bench_time(s->b, peer_factor, s);
  if (factored) *factored = one;
  if (one > 0) seconds = each(s, peer_solve, 1);
  mi_cholesky_free(peer);
  return seconds > 0 ? seconds : 0;
}

static peer_times time_peers(subject *s) {
  peer_times t = {0};
  if (!mi_cholesky_is_built()) return t;
  t.supernodal = time_peer(
      s, mi_cholesky_create(&s->plain, MI_CHOLESKY_SUPERNODAL, &s->arena.allocator), &t.factor);
  t.simplicial = time_peer(
      s, mi_cholesky_create(&s->plain, MI_CHOLESKY_SIMPLICIAL, &s->arena.allocator), NULL);
  return t;
}

static void add_solves(bench *b, subject *s, peer_times peer) {
  double one = each(s, solve, 1), two = each(s, solve, 2);
  bench_add(b, (bench_row){"", "solve x, y, z, one thread", one, peer.supernodal,
                           "CHOLMOD supernodal, double", 0});
  bench_add(b,
            (bench_row){"", "  the same", one, peer.simplicial, "CHOLMOD simplicial, double", 0});
  bench_add(b, (bench_row){"P6", "  on two threads", two, one, "one thread", 1 / 1.7});
  double lowrank_rows = each(s, set_pulls, 1), with = each(s, solve, 2);
  bench_add(b, (bench_row){"", "set 120 changing constraints, one thread", lowrank_rows, one,
                           "one solve", 0});
  bench_add(b, (bench_row){"", "solve with them, two threads", with, two, "without", 0});
}

static void add_others(bench *b, subject *s) {
  double one = each(s, sweep, 1), two = each(s, sweep, 2);
  bench_add(b, (bench_row){"", "Gauss-Seidel sweep, one thread", one, 0, NULL, 0});
  bench_add(b, (bench_row){"P6", "  on two threads", two, one, "one thread", 1 / 1.7});
  for (int k = 0; k < 5; k++) { // any pairs with s.y > 0 will do
    for (int i = 0; i < 4 * s->a.nrow; i++)
      s->x[i] = (float)(1 + 0.3 * mi_random_unit(2, (uint32_t)i, (uint32_t)k)) * s->rhs[i];
    mi_lbfgs_add(s->history, s->rhs, s->x, s->rhs, s->x, 1);
  }
  double once = each(s, recur, 1), twice = each(s, recur, 2);
  bench_add(b, (bench_row){"", "L-BFGS, five pairs, both loops, one thread", once, 0, NULL, 0});
  bench_add(b, (bench_row){"P6", "  on two threads", twice, once, "one thread", 1 / 1.7});
}

static int measure(bench *b, const char *file, const char *title) {
  subject s = {.b = b};
  int code = load(&s, file);
  if (!code) {
    double ordered = bench_time(b, order, &s);
    bool ready = ordered >= 0 && mi_csr_permute(&s.plain, s.order, &s.arena, &s.arena, &s.a) &&
                 fill_vectors(&s) && (s.sweeper = mi_gauss_seidel_create(&s.a, &s.arena));
    double factored = ready ? bench_time(b, factor, &s) : -1;
    if (factored < 0) code = cli_fail("the matrix of '%s' could not be factored", file);
    if (!code) {
      peer_times peer = time_peers(&s);
      mi_factor_info info = mi_factor_get_info(s.factor);
      bench_add_figure(b, (bench_row){"", title, (double)info.bytes / s.a.nrow, 0, NULL, 0},
                       "bytes of factor a vertex");
      bench_add(b, (bench_row){"", "order", ordered, 0, NULL, 0});
      bench_add(
          b, (bench_row){"", "factor, one thread", factored, peer.factor, "CHOLMOD supernodal", 0});
      add_solves(b, &s, peer);
      add_others(b, &s);
    }
  }
  mi_factor_free(s.factor);
  mi_arena_free(&s.arena);
  return code;
}

int bench_sparse(bench *b) {
  if (bench_is_quick(b)) return measure(b, "head_small.glb", "the matrix of the small head");
  int code = measure(b, "head.glb", "the matrix of the 14k face");
  return code ? code : measure(b, "head_large.glb", "that of the large head");
}
