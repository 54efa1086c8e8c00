// Whole frames: a head in the middle of a phrase while it is being shaken, against the textbook.
#include "bench.h"

#include "frame_scene.h"

#include "face/face.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAD_IN = 12, BETWEEN = 5, MOST_FRAMES = 4, MOST_ITERATIONS = 64 };

typedef struct measured {     // sums over the frames
  double alone, lowrank_rows; // s, of our whole step: without and with contacts
  double local, global, set_up, rest;
  double textbook, textbook_pulls, refactor; // s; 0 = no CHOLMOD
  int iterations;                            // that reached the textbook's energy at least
  double energy, textbook_energy;            // J, of the last frame
} measured;

static void set_threads(frame_scene *scene, int threads) {
  scene->state->host.threads = threads;
  if (scene->state->solver) scene->state->solver->host.threads = threads;
}

// seconds of `iterations` of the textbook from the start of the frame; x is where it ended
static double time_textbook(textbook *t, const frame_scene *scene, int repeats, double *x) {
  double best = INFINITY;
  for (int k = 0; k < repeats; k++) {
    textbook_to_double(scene->state->solver->nvert, scene->state->solver->predicted, x);
    double start = cli_clock();
    textbook_iterate(t, scene->opts.iterations, x);
    best = fmin(best, cli_clock() - start);
  }
  return best;
}

static double our_energy(const frame_scene *scene, textbook *t, double *x) {
  textbook_to_double(scene->state->solver->nvert, scene->state->solver->x, x);
  return textbook_energy(t, x, NULL);
}

// The textbook on the frame that was just stepped, and more iterations of ours when it got lower.
static bool compare_frame(frame_scene *scene, textbook *t, int repeats, measured *m) {
  double *x = malloc(3 * (size_t)scene->state->solver->nvert * sizeof *x), seconds;
  textbook_frame frame = frame_scene_frame(scene);
  if (!x) return false;
  textbook_set_frame(t, &frame);
  m->energy = our_energy(scene, t, x);
  bool done = textbook_factor(t, true, &seconds);
  if (done) {
    double spent = time_textbook(t, scene, repeats, x);
    m->textbook_energy = textbook_energy(t, x, NULL);
    if (frame.lowrank_rows.count) {
      m->textbook_pulls += spent + seconds;
      m->refactor += seconds;
    } else {
      m->textbook += spent;
    }
  }
  free(x);
  return true;
}

static void add_phases(const frame_scene *scene, measured *m) {
  const mien_state_info *info = &scene->fastest;
  double seen = info->seconds_local + info->seconds_global + info->seconds_set_up;
  m->local += info->seconds_local;
  m->global += info->seconds_global;
  m->set_up += info->seconds_set_up;
  m->rest += info->seconds - seen;
}

static bool measure_frame(frame_scene *scene, textbook *t, int repeats, int number, measured *m) {
  int textbook_repeats = repeats > 8 ? 3 : 2;
  double alone = frame_scene_time(scene, false, repeats);
  add_phases(scene, m);
  if (alone < 0 || (t && !compare_frame(scene, t, textbook_repeats, m))) return false;
  while (t && m->textbook > 0 && m->energy > m->textbook_energy &&
         scene->opts.iterations < MOST_ITERATIONS) {
    scene->opts.iterations++; // equal or lower energy is what is compared
    alone = frame_scene_time(scene, false, repeats);
    double *x = malloc(3 * (size_t)scene->state->solver->nvert * sizeof *x);
    if (alone < 0 || !x) return false;
    m->energy = our_energy(scene, t, x);
    free(x);
  }
  if (scene->opts.iterations > m->iterations) m->iterations = scene->opts.iterations;
  m->alone += alone;
  if (!frame_scene_make_pulls(scene, number)) return true; // no lips, no contacts
  double lowrank_rows = frame_scene_time(scene, true, repeats);
  if (lowrank_rows < 0 || (t && !compare_frame(scene, t, textbook_repeats, m))) return false;
  m->lowrank_rows += lowrank_rows;
  return frame_scene_pull(scene, false);
}

static bool measure(frame_scene *scene, textbook *t, int nframe, int repeats, measured *m) {
  *m = (measured){0};
  for (int k = 0; k < nframe; k++) {
    int wanted = scene->opts.iterations;
    if (!measure_frame(scene, t, repeats, k, m)) return false;
    scene->opts.iterations = wanted;
    frame_scene_rewind(scene);
    for (int i = 0; i < BETWEEN; i++)
      if (!frame_scene_step(scene)) return false;
    frame_scene_keep(scene);
  }
  double *sums[] = {&m->alone, &m->lowrank_rows, &m->local,          &m->global,  &m->set_up,
                    &m->rest,  &m->textbook,     &m->textbook_pulls, &m->refactor};
  for (size_t k = 0; k < sizeof sums / sizeof *sums; k++) *sums[k] /= nframe;
  return true;
}

// -- P4: convergence ------------------------------------------------------------------------------

// The jaw's anchors 4 mm down at once, flesh at rest, nothing moving; the flesh after so many
// iterations of a solver, which is made anew with the matrix it needs.
static bool jump(frame_scene *scene, mien_solver solver, int iterations, float *out) {
  const mien_face *face = scene->state->face;
  mien_step_opts opts = scene->opts;
  mien_state_info info = {0};
  mien_error err;
  opts.solver = solver;
  opts.iterations = iterations;
  opts.tolerance = opts.least_step = 0;
  if (mi_solver_prepare(scene->state, &opts, opts.dt, &err) < 0)
    return cli_report(&err, "P4") == CLI_DONE;
  mi_solver *s = scene->state->solver;
  for (int k = 0; k < s->nvert; k++)
    for (int c = 0; c < 3; c++) {
      size_t at = 4 * (size_t)k + (size_t)c;
      int i = s->perm[k];
      s->x[at] = s->predicted[at] = face->rest[3 * (size_t)i + (size_t)c];
      s->anchor[at] = s->x[at] - (c == 1 ? 0.004f * face->jaw[i] : 0);
    }
  mi_elastic_set_pose(s->elastic, NULL, s->host.threads);
  mi_solver_descend(s, &opts, 0, &info);
  for (int k = 0; k < s->nvert; k++)
    memcpy(out + 3 * (size_t)s->perm[k], s->x + 4 * (size_t)k, 3 * sizeof *out);
  return true;
}

static double rms(const float *a, const float *b, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
  return sqrt(sum / count);
}

static int bench_convergence(bench *b, frame_scene *scene) {
  enum { SETTLED = 300, MEASURED = 10 };
  int count = 3 * scene->state->solver->nvert;
  const float *start = scene->state->face->rest;
  float *x = malloc(3 * (size_t)count * sizeof *x);
  if (!x) return cli_fail("out of memory");
  float *end = x, *ours = x + count, *plain = x + 2 * (size_t)count;
  bool done = jump(scene, MIEN_SOLVER_PREFACTORED, MEASURED, plain) &&
              jump(scene, MIEN_SOLVER_DIRECT, SETTLED, end) &&
              jump(scene, MIEN_SOLVER_DIRECT, MEASURED, ours);
  double motion = done ? rms(start, end, count) : 1;
  if (done) {
    bench_add_figure(b,
                     (bench_row){"P4",
                                 "error after 10 iterations, jaw 4 mm, cold start, % of the motion",
                                 100 * rms(ours, end, count) / motion, 0, NULL, 1.6},
                     "%");
    bench_add_figure(b,
                     (bench_row){"", "  the same of plain Projective Dynamics",
                                 100 * rms(plain, end, count) / motion, 0, NULL, 0},
                     "%");
  }
  free(x);
  return done ? CLI_DONE : CLI_FAILED;
}

// -- P8, P9: memory -------------------------------------------------------------------------------

static int bench_memory(bench *b, frame_scene *scene) {
  int nvert = mien_face_get_info(scene->face)->nvert;
  int64_t before = scene->nalloc;
  for (int i = 0; i < 10; i++)
    if (!frame_scene_step(scene)) return CLI_FAILED;
  bench_add_figure(b,
                   (bench_row){"P8", "memory of face and state, a simulated vertex",
                               1e-3 * (double)scene->nbyte / nvert, 0, NULL, 2.5},
                   "kB");
  bench_add_figure(b,
                   (bench_row){"", "  of which all states of a face share",
                               1e-3 * (double)mi_system_get_info(scene->face).bytes / nvert, 0,
                               NULL, 0},
                   "kB");
  bench_add_figure(b,
                   (bench_row){"P9", "allocations in ten steps after the first",
                               (double)(scene->nalloc - before), 0, NULL, BENCH_NONE},
                   "calls");
  return CLI_DONE;
}

// -- the table ------------------------------------------------------------------------------------

static void add_head(bench *b, const measured *two, const measured *one) {
  bench_add(b, (bench_row){"P1", "frame without contact, 2 threads", two->alone, two->textbook,
                           "textbook", two->textbook > 0 ? 0.12 : 0});
  if (two->textbook > 0) {
    bench_add_figure(b,
                     (bench_row){"", "  iterations for at most the textbook's energy after 8",
                                 two->iterations, 0, NULL, 0},
                     "");
    bench_add_figure(b,
                     (bench_row){"", "  energy reached in the last frame", 1e6 * two->energy,
                                 1e6 * two->textbook_energy, "textbook", 0},
                     "uJ");
  }
  bench_add(b, (bench_row){"", "  local step and energy", two->local, two->alone, "frame", 0});
  bench_add(b, (bench_row){"", "  global solve", two->global, two->alone, "frame", 0});
  bench_add(b, (bench_row){"", "  pose, set-up", two->set_up, two->alone, "frame", 0});
  bench_add(b, (bench_row){"", "  L-BFGS, output", two->rest, two->alone, "frame", 0});
  bench_add(b, (bench_row){"P2", "frame, 50 contacts and 110 sticky springs, all new",
                           two->lowrank_rows, two->alone, "frame without", 1.2});
  if (two->textbook_pulls > 0)
    bench_add(b, (bench_row){"", "  the same", two->lowrank_rows, two->textbook_pulls,
                             "textbook, factored anew", 0});
  bench_add(
      b, (bench_row){"P3", "the same: 150 frames a second", two->lowrank_rows, 0, NULL, 1.0 / 150});
  bench_add(b,
            (bench_row){"P6", "frame on 2 threads", two->alone, one->alone, "1 thread", 1 / 1.7});
  if (two->textbook <= 0) fprintf(stderr, "note: the textbook is %s\n", mi_cholesky_missing);
}

// The main head, without `what`, has the rows with an id.
static int bench_size(bench *b, const char *sample, const char *what) {
  frame_scene scene;
  mien_step_opts opts;
  measured two = {0}, one = {0};
  textbook *t = NULL;
  bool is_head = !what;
  int nframe = bench_is_quick(b) || !is_head ? 1 : MOST_FRAMES,
      repeats = bench_is_quick(b) ? 5 : 15;
  mien_step_opts_init(&opts);
  opts.rebalance = 0; // the textbook has no such thing: it is measured apart (P10)
  int code = frame_scene_open(&scene, bench_args(b), sample, 2);
  if (!code) code = frame_scene_start(&scene, &opts, LEAD_IN);
  if (!code && is_head && !(t = textbook_of_state(scene.state))) code = cli_fail("out of memory");
  if (!code && !measure(&scene, t, nframe, repeats, &two)) code = CLI_FAILED;
  if (!code) set_threads(&scene, 1);
  if (!code) code = frame_scene_start(&scene, &opts, LEAD_IN);
  if (!code && !measure(&scene, NULL, nframe, repeats, &one)) code = CLI_FAILED;
  if (!code) set_threads(&scene, 2);
  if (!code && is_head) add_head(b, &two, &one);
  if (!code && !is_head) {
    bench_add(b, (bench_row){"", what, two.alone, 0, NULL, 0});
    bench_add(b, (bench_row){"", "  on 1 thread", one.alone, two.alone, "2 threads", 0});
    bench_add(b, (bench_row){"", "  with contacts, 2 threads", two.lowrank_rows, two.alone,
                             "without", 0});
  }
  if (!code && is_head) code = bench_convergence(b, &scene);
  if (!code && is_head) code = bench_memory(b, &scene);
  textbook_free(t);
  frame_scene_close(&scene);
  return code;
}

int bench_frame(bench *b) {
  if (bench_is_quick(b)) return bench_size(b, "head_small.glb", NULL);
  int code = bench_size(b, "head_small.glb", "frame of 10k tetrahedra, 2 threads");
  if (!code) code = bench_size(b, "head.glb", NULL);
  if (!code) code = bench_size(b, "head_large.glb", "frame of 300k tetrahedra, 2 threads");
  return code;
}
