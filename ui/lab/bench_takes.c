// Whole takes as users bake them: how long frames take, where the time goes, and how far from the
// converged motion they are.
#include "bench.h"

#include "frame_scene.h"
#include "take_play.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 120, CONVERGED = 40 };
static const double WANTED = 1 / 150.0, WANTED_PRESSED = 0.008;

typedef enum scene_of {
  PHRASE_OFF,
  PHRASE_PLANE,
  PHRASE_STICKY,
  PHRASE_BARRIER,
  PHRASE_FILM,
  PRESS,
  REEL,
  RUN,
  GIVEN,
  NSCENE
} scene_of;

static const struct scene {
  const char *id, *what, *take, *head;
  double fps, begin, quick, error; // s: where --quick and the error begin; how much the error sees
  mien_contact contact;
  double sticky, target; // target: s, of the 99th percentile
} scenes[NSCENE] = {
    [PHRASE_OFF] = {"", "phrase + shake, no contact", "phrase.csv", "shake.csv", 60, 0, 1.0, 0,
                    MIEN_CONTACT_OFF, 0, 0},
    [PHRASE_PLANE] = {"T1", "phrase + shake", "phrase.csv", "shake.csv", 60, 0, 1.0, 1.5,
                      MIEN_CONTACT_PLANE, 0, WANTED},
    [PHRASE_STICKY] = {"", "phrase + shake, sticky", "phrase.csv", "shake.csv", 60, 0, 1.0, 0,
                       MIEN_CONTACT_PLANE, 1, 0},
    [PHRASE_BARRIER] = {"", "phrase + shake, barrier", "phrase.csv", "shake.csv", 60, 0, 1.0, 0,
                        MIEN_CONTACT_BARRIER, 0, 0},
    [PHRASE_FILM] = {"", "phrase + shake at 24 fps", "phrase.csv", "shake.csv", 24, 0, 1.0, 1.5,
                     MIEN_CONTACT_PLANE, 0, 0},
    [PRESS] = {"T2", "press, sticky", "press.csv", NULL, 60, 0, 0.8, 1, MIEN_CONTACT_PLANE, 1,
               WANTED_PRESSED},
    [REEL] = {"", "reel, sticky", "reel.csv", NULL, 60, 0, 1.0, 1.5, MIEN_CONTACT_PLANE, 1, 0},
    [RUN] = {"", "phrase + run", "phrase.csv", "run.csv", 60, 0, 1.0, 1.5, MIEN_CONTACT_PLANE, 0,
             0},
    [GIVEN] = {"", "the take given", NULL, NULL, 60, 0, 0, 1.5, MIEN_CONTACT_PLANE, 0, 0},
};

typedef struct takes {
  bench *b;
  take_stage stage;
  take_times times[NSCENE];
  double textbook; // s, 8 iterations
} takes;

// Rows are printed when all is measured: their text has to last.
static const char *text(const char *format, const char *name) {
  static char kept[128][MOST_TEXT];
  static int used;
  char *out = kept[used++ % 128];
  snprintf(out, MOST_TEXT, format, name);
  return out;
}

static take_def def_of(const takes *t, const struct scene *scene, int threads) {
  take_def def = {.take = scene->take ? scene->take : cli_value(bench_args(t->b), "take", NULL),
                  .head = scene->head,
                  .fps = scene->fps,
                  .begin = scene->begin,
                  .threads = threads};
  mien_step_opts_init(&def.opts);
  def.opts.contact = scene->contact;
  def.opts.sticky = scene->sticky;
  if (bench_is_quick(t->b)) {
    def.begin = scene->quick;
    def.seconds = 0.05;
  }
  return def;
}

// -- Rows -----------------------------------------------------------------------------------------

static void add_scene(const takes *t, scene_of s) {
  const struct scene *scene = scenes + s;
  const take_times *times = t->times + s;
  bench *b = t->b;
  bench_add(b, (bench_row){scene->id, text("%s: 99th percentile", scene->what), times->p99, 0, NULL,
                           bench_is_quick(b) ? 0 : scene->target});
  bench_add(b, (bench_row){"", "  mean", times->mean, t->textbook, "textbook, plain step",
                           s == PHRASE_PLANE && t->textbook > 0 ? 0.06 : 0});
  bench_add(b, (bench_row){"", "  worst frame", times->worst, 0, NULL, 0});
  for (int k = 0; k < TAKE_PHASES; k++)
    bench_add(b, (bench_row){"", text("    %s", take_phase_names[k]), times->phase[k], times->mean,
                             "mean", 0});
}

static void add_ratio(const takes *t, const char *id, const char *what, scene_of s, double target) {
  const take_times *off = t->times + PHRASE_OFF;
  double with = take_mean_moving(t->times + s, off), without = take_mean_moving(off, off);
  bench_add(t->b, (bench_row){id, what, with, without, "no contact, same frames", target});
}

// -- Measurements ---------------------------------------------------------------------------------

static int find_textbook(takes *t) {
  frame_scene scene;
  textbook *book = NULL;
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  double seconds;
  const char *rig = bench_is_quick(t->b) ? "head_small.glb" : "head.glb";
  int code = frame_scene_open(&scene, bench_args(t->b), rig, 2);
  if (!code) code = frame_scene_start(&scene, &opts, 12);
  if (!code && !(book = textbook_of_state(scene.state))) code = cli_fail("out of memory");
  double *x = code ? NULL : malloc(3 * (size_t)scene.state->solver->nvert * sizeof *x);
  if (!code && !x) code = cli_fail("out of memory");
  textbook_frame frame;
  if (!code) {
    frame = frame_scene_frame(&scene);
    textbook_set_frame(book, &frame);
  }
  if (!code && textbook_factor(book, true, &seconds))
    for (int k = 0; k < (bench_is_quick(t->b) ? 1 : 3); k++) {
      textbook_to_double(scene.state->solver->nvert, scene.state->solver->predicted, x);
      double start = cli_clock();
      textbook_iterate(book, opts.iterations, x);
      double spent = cli_clock() - start;
      if (!k || spent < t->textbook) t->textbook = spent;
    }
  free(x);
  textbook_free(book);
  frame_scene_close(&scene);
  return code;
}

static bool is_played(const takes *t, scene_of s) {
  if (s == GIVEN) return cli_given(bench_args(t->b), "take");
  return !bench_is_quick(t->b) || s <= PHRASE_BARRIER || s == PRESS;
}

static int add_threads(takes *t) {
  take_def def = def_of(t, scenes + PHRASE_PLANE, 1);
  take_times one;
  int code = take_play(&t->stage, &def, 1, &one);
  if (!code)
    bench_add(t->b, (bench_row){"P6", "phrase + shake on 2 threads, moving frames",
                                take_mean_moving(t->times + PHRASE_PLANE, &one),
                                take_mean_moving(&one, &one), "1 thread", 1 / 1.7});
  take_times_free(&one);
  return code;
}

static int add_error(takes *t, scene_of s) {
  take_def def = def_of(t, scenes + s, 2);
  take_error error = {0};
  if (!bench_is_quick(t->b)) def.begin = scenes[s].quick, def.seconds = scenes[s].error;
  int code = take_compare(&t->stage, &def, CONVERGED, &error);
  bench_add_figure(t->b,
                   (bench_row){"T10", text("%s: rms off the converged motion", scenes[s].what),
                               1e3 * error.rms, 0, NULL, 0.05},
                   "mm");
  bench_add_figure(t->b, (bench_row){"", "  worst vertex", 1e3 * error.worst, 0, NULL, 0}, "mm");
  bench_add_figure(
      t->b, (bench_row){"", "  what physics adds, rms", 1e3 * error.motion, 0, NULL, 0}, "mm");
  return code;
}

int bench_takes(bench *b) {
  takes t = {.b = b};
  int repeats = bench_is_quick(b) ? 1 : 2;
  int code =
      take_stage_open(&t.stage, bench_args(b), bench_is_quick(b) ? "head_small.glb" : "head.glb");
  if (!code) code = find_textbook(&t);
  for (int s = 0; !code && s < NSCENE; s++) {
    if (!is_played(&t, (scene_of)s)) continue;
    take_def def = def_of(&t, scenes + s, 2);
    code = take_play(&t.stage, &def, repeats, t.times + s);
    if (!code) add_scene(&t, (scene_of)s);
  }
  if (!code) {
    add_ratio(&t, "T3", "contact and sticky lips, mean of moving frames", PHRASE_STICKY, 1.3);
    add_ratio(&t, "T4", "barrier, mean of moving frames", PHRASE_BARRIER, 2);
    bench_add(b,
              (bench_row){"", "plain blendshapes, mean of a frame", t.times[PHRASE_PLANE].kinematic,
                          t.times[PHRASE_PLANE].mean, "phrase + shake", 0});
    bench_add(
        b, (bench_row){"", "first step: order, factor, work space", t.times[0].set_up, 0, NULL, 0});
    code = add_threads(&t);
  }
  for (int s = 0; !code && s < NSCENE; s++)
    if (is_played(&t, (scene_of)s) && scenes[s].error > 0) code = add_error(&t, (scene_of)s);
  for (int s = 0; s < NSCENE; s++) take_times_free(t.times + s);
  take_stage_close(&t.stage);
  return code;
}
