// Barrier contact: whole frames of pressed lips against the same frames without contact, against
// conjugate gradients, and with a barrier ten times as stiff.
#include "bench.h"

#include "barrier_race.h"

#include <stdlib.h>

enum { OFF, PCG, WOODBURY, STIFF, NRUNNER };

static void add_rows(bench *b, const barrier_times t[NRUNNER]) {
  const barrier_times *w = t + WOODBURY;
  bench_add(b, (bench_row){"P12", "frame of pressed lips, barrier by Woodbury, 2 threads", w->total,
                           t[OFF].total, "contact off", 2});
  bench_add(b,
            (bench_row){"P12", "  the same", w->total, t[PCG].total, "conjugate gradients", 0.33});
  bench_add(b, (bench_row){"P12", "  its global step", w->global, t[PCG].global,
                           "conjugate gradients", 0.15});
  bench_add(
      b, (bench_row){"", "  constraint set, gradient, Hessian", w->contact, w->total, "frame", 0});
  bench_add(b, (bench_row){"", "  global step", w->global, w->total, "frame", 0});
  bench_add(b, (bench_row){"", "  candidates and bound", w->ccd, w->total, "frame", 0});
  bench_add(b, (bench_row){"", "  line search, trials turned down", w->line_search, w->total,
                           "frame", 0});
  bench_add(b,
            (bench_row){"", "  local step, pose, set-up, output", w->rest, w->total, "frame", 0});
  bench_add(b, (bench_row){"P13", "frame, barrier ten times as stiff", t[STIFF].total, w->total,
                           "default stiffness", 1.1});
  bench_add(
      b, (bench_row){"", "  its global step", t[STIFF].global, w->global, "default stiffness", 0});
}

int bench_barrier(bench *b) {
  const barrier_runner runners[NRUNNER] = {
      [OFF] = {.name = "off", .contact = MIEN_CONTACT_OFF, .stiffness = 1},
      [PCG] = {.name = "conjugate gradients",
               .contact = MIEN_CONTACT_BARRIER,
               .step = MIEN_BARRIER_PCG,
               .stiffness = 1},
      [WOODBURY] = {.name = "Woodbury", .contact = MIEN_CONTACT_BARRIER, .stiffness = 1},
      [STIFF] = {.name = "Woodbury, 10 x", .contact = MIEN_CONTACT_BARRIER, .stiffness = 10}};
  barrier_race_def def = {.rig = bench_is_quick(b) ? "head_small.glb" : "head.glb",
                          .threads = 2,
                          .every = bench_is_quick(b) ? 8 : 4,
                          .repeats = bench_is_quick(b) ? 3 : 8,
                          .pcg_repeats = bench_is_quick(b) ? 1 : 0};
  static char what[96]; // rows keep the pointer until they are printed
  barrier_race race;
  int code = barrier_race_run(&race, bench_args(b), &def, runners, NRUNNER);
  if (!code) {
    barrier_times t[NRUNNER];
    int contacts = 0;
    for (int k = 0; k < NRUNNER; k++) t[k] = barrier_race_mean(&race, k);
    for (int f = 0; f < race.nframe; f++) contacts += race.ncontact[f];
    add_rows(b, t);
    snprintf(what, sizeof what, "  contacts, mean of %d frames", race.nframe);
    bench_add_figure(b, (bench_row){"", what, (double)contacts / race.nframe, 0, NULL, 0}, "");
    bench_add_figure(b,
                     (bench_row){"", "  pairs of triangles that cross after these steps",
                                 (double)race.ncross, 0, NULL, BENCH_NONE},
                     "pairs");
  }
  barrier_race_close(&race);
  return code;
}
