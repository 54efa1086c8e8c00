// Contact on a lip patch: two strips of 4k vertices, about 600 active pairs, one thread.
#include "bench.h"
#include "lip_strips.h"

#include "contact/separate.h"

#include <stdlib.h>
#include <string.h>

enum { TIMES = 20, MOST_ACTIVE = 1 << 14 };

static const double d_hat = 0.2e-3;

typedef struct subject subject;
struct subject {
  lip_strips strips;
  float *from, *to;
  double *gradient;
  mi_surface *surface;
  mi_broad *broad;
  mi_active active;
  mi_contact_hessian *hessian;
  mi_candidates still, swept;
  mi_separator separator;
  int nrefused;
  int threads;
  void (*work)(subject *s);
  double best; // seconds of the fastest single call: others use the machine too
};

// From nothing: no list of an earlier question is left.
static void find_still(subject *s) {
  mi_broad_leave_out(s->broad, NULL);
  s->still = mi_broad_find(s->broad, s->from, NULL, d_hat, s->threads);
}

static void find_swept(subject *s) {
  mi_broad_leave_out(s->broad, NULL);
  s->swept = mi_broad_find(s->broad, s->from, s->to, mi_separator_reach(&s->separator), s->threads);
}

static void find_active(subject *s) {
  mi_active_find(&s->active, s->surface, &s->still, s->from, d_hat, s->threads);
}

static void differentiate(subject *s) {
  const mi_barrier barrier = {d_hat, 1e9};
  memset(s->gradient, 0, 3 * (size_t)s->strips.nvert * sizeof(double));
  mi_active_gradient(&s->active, &barrier, s->from, s->gradient);
  mi_active_hessian(&s->active, &barrier, s->from, s->threads, s->hessian);
}

static void bound_motion(subject *s) {
  s->separator.count = 0;
  s->nrefused = mi_separate(&s->separator, &s->swept, s->from, s->to, s->threads);
}

static int repeat(void *user) {
  subject *s = user;
  for (int i = 0; i < TIMES; i++) {
    double start = cli_clock();
    s->work(s);
    double seconds = cli_clock() - start;
    if (!(s->best > 0) || seconds < s->best) s->best = seconds;
  }
  return s->still.is_full || s->swept.is_full || s->active.is_full;
}

static double time_of(bench *b, subject *s, void (*work)(subject *)) {
  s->work = work;
  s->best = 0;
  return bench_time(b, repeat, s) < 0 ? -1 : s->best;
}

static bool make(subject *s, mi_arena *arena) {
  if (!lip_strips_create(&lip_strips_usual, &s->strips)) return false;
  size_t nvert = (size_t)s->strips.nvert;
  s->from = s->strips.position;
  s->to = MI_PUSH(arena, float, 3 * nvert);
  s->gradient = MI_PUSH(arena, double, 3 * nvert);
  s->hessian = MI_PUSH(arena, mi_contact_hessian, MOST_ACTIVE);
  mi_surface_def def = {.nvert = s->strips.nvert,
                        .nsoft = s->strips.nvert,
                        .ntri = s->strips.ntri,
                        .tri = s->strips.tri,
                        .rest = s->strips.position};
  s->surface = mi_surface_create(&def, arena);
  if (!s->to || !s->gradient || !s->hessian || !s->surface) return false;
  lip_strips_close(&s->strips, 0.8e-3, s->to);
  s->broad = mi_broad_create(s->surface, 0, arena);
  if (!s->broad || !mi_active_create(&s->active, MOST_ACTIVE, arena)) return false;
  if (!mi_separator_create(&s->separator, s->surface, MOST_ACTIVE, arena)) return false;
  s->separator.slack = 0.01 * d_hat;
  s->separator.open = 0.1 * d_hat;
  return true;
}

typedef struct times {
  double still, active, derivatives, swept, bound;
} times;

static times measure(bench *b, subject *s, int threads) {
  times t;
  s->threads = threads;
  t.still = time_of(b, s, find_still);
  t.active = time_of(b, s, find_active);
  t.derivatives = time_of(b, s, differentiate);
  t.swept = time_of(b, s, find_swept);
  t.bound = time_of(b, s, bound_motion);
  return t;
}

static void report(bench *b, const subject *s, times one, times two) {
  static char what[4][96];
  snprintf(what[0], sizeof what[0], "contact: candidates, distances, gradient, Hessian, %d active",
           s->active.count);
  snprintf(what[1], sizeof what[1], "  %d vt + %d ee candidates", s->still.nvt, s->still.nee);
  snprintf(what[2], sizeof what[2], "  swept: %d vt + %d ee candidates", s->swept.nvt,
           s->swept.nee);
  snprintf(what[3], sizeof what[3], "bound of a 0.8 mm step: %d pairs get a plane", s->nrefused);
  double all_one = one.still + one.active + one.derivatives;
  double all_two = two.still + two.active + two.derivatives;
  bench_add(b, (bench_row){"P12b", what[0], all_one, 0, NULL, 3e-3});
  bench_add(b, (bench_row){"", what[1], one.still, 0, NULL, 0});
  bench_add(b, (bench_row){"", "  closest points of all, active set", one.active, 0, NULL, 0});
  bench_add(b, (bench_row){"", "  gradient and PSD Hessian", one.derivatives, 0, NULL, 0});
  bench_add(b, (bench_row){"", "  all of that on two threads", all_two, all_one, "one thread", 0});
  bench_add(b, (bench_row){"P12b", what[3], one.swept + one.bound, 0, NULL, 3e-3});
  bench_add(b, (bench_row){"", what[2], one.swept, 0, NULL, 0});
  bench_add(b, (bench_row){"", "  bound alone", one.bound, 0, NULL, 0});
  bench_add(b, (bench_row){"", "  all of that on two threads", two.swept + two.bound,
                           one.swept + one.bound, "one thread", 0});
}

int bench_contact(bench *b) {
  mien_host host;
  mien_error err = {0};
  if (mi_host_resolve(NULL, &host, &err) < 0) return cli_report(&err, "bench"), CLI_FAILED;
  mi_arena arena;
  mi_arena_init(&arena, &host);
  subject s = {0};
  int code = CLI_DONE;
  if (make(&s, &arena)) {
    times one = measure(b, &s, 1), two = measure(b, &s, 2);
    report(b, &s, one, two);
  } else {
    code = cli_fail("out of memory");
  }
  lip_strips_free(&s.strips);
  mi_arena_free(&arena);
  return code ? code : bench_pressed(b);
}
