// K1 on hard rigs: lips that cross in the neutral, lids inside the eyes, coarse and welded lips.
// The head is still and contact is on. The judge compares every frame, the first included, with the
// artist's pose by the exact test; its clauses say what contact owes (judge_check.c).
#include "claim_k1.h"

#include "hard.h"
#include "judge.h"
#include "judge_take.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FPS = 60 };

// -- A short take: pressed in the first frame, then open, then neutral ----------------------------

enum { PRESSED = 8, OPENED = 18, HELD = 26, CLOSED = 36, SHORT = 44 }; // frames

static const struct {
  const char *shape;
  float pressed, open; // weights
} SHORT_TAKE[] = {{"jawOpen", 0, 0.5f},         {"mouthClose", 0.09f, 0},
                  {"mouthPressLeft", 1, 0},     {"mouthPressRight", 1, 0},
                  {"mouthRollUpper", 0.12f, 0}, {"mouthRollLower", 0.12f, 0}};
enum { NSHORT = sizeof SHORT_TAKE / sizeof *SHORT_TAKE };

static float ramp(int frame, int first, int last) {
  return fminf(fmaxf((float)(frame - first) / (float)(last - first), 0), 1);
}

static void sample_short(const mien_rig *rig, int frame, float *weights) {
  float opened = ramp(frame, PRESSED, OPENED), closed = ramp(frame, HELD, CLOSED);
  for (int k = 0; k < NSHORT; k++) {
    int shape = judge_find_shape(rig, SHORT_TAKE[k].shape);
    if (shape < 0) continue;
    weights[shape] = (1 - opened) * SHORT_TAKE[k].pressed + (opened - closed) * SHORT_TAKE[k].open;
  }
}

// -- One rig --------------------------------------------------------------------------------------

typedef struct trial {
  experiment *e;
  const char *words; // of the rig
  mien_rig *rig;
  judge *judge;
  judge_summary summary;
  FILE *csv;
  k1_hard *out;
} trial;

static int open_trial(trial *t) {
  hard_options options;
  hard_rig made = {0};
  mien_error err = {0};
  char why[240];
  if (hard_options_read(&options, t->words) || hard_rig_create(&options, &made))
    return cli_fail("K1: the rig '%s' cannot be made", t->words);
  mien_result result = mien_rig_create(&made.def, NULL, &t->rig, &err);
  hard_rig_free(&made);
  if (result < 0) return cli_report(&err, "K1");
  t->judge = judge_open(t->rig, NULL, t->e->args->threads, why);
  return t->judge ? CLI_DONE : cli_fail("K1: %s: %s", t->words, why);
}

static void close_trial(trial *t) {
  judge_close(t->judge);
  mien_rig_free(t->rig);
}

static int step(trial *t, const char *take, int frame, const float *weights) {
  mien_step_opts opts;
  judge_frame got;
  char why[240];
  mien_step_opts_init(&opts);
  opts.dt = 1.0 / FPS;
  opts.contact = MIEN_CONTACT_PLANE;
  if (!judge_step(t->judge, weights, NULL, &opts, &got, why))
    return cli_fail("K1: %s: %s", t->words, why);
  got.frame = frame;
  judge_summary_add(&t->summary, &got, false);
  fprintf(t->csv, "\"%s\",%s,%d,%d,%d,%.6g\n", t->words, take, frame, got.pose.all, got.output.all,
          1e3 * got.farthest);
  return CLI_DONE;
}

static int play_short(trial *t) {
  float *weights = calloc((size_t)mien_rig_get_info(t->rig)->nshape + 1, sizeof *weights);
  int code = weights ? CLI_DONE : cli_fail("out of memory");
  for (int frame = 0; !code && frame < SHORT; frame++) {
    sample_short(t->rig, frame, weights);
    code = step(t, "short", frame, weights);
  }
  free(weights);
  return code;
}

static int play_file(trial *t, const char *name) {
  judge_take take;
  char why[240], file[64];
  snprintf(file, sizeof file, "%s.csv", name);
  if (!judge_take_open(&take, t->rig, cli_sample(file), NULL, why))
    return cli_fail("K1: %s: %s", name, why);
  int code = CLI_DONE, nframe = (int)floor(take.seconds * FPS + 1e-6) + 1;
  for (int frame = 0; !code && frame < nframe; frame++) {
    judge_take_sample(&take, frame / (double)FPS);
    code = step(t, name, frame, take.weights);
  }
  judge_take_close(&take);
  return code;
}

// The clauses that are violated, as notes.
static int check(trial *t, const char *take) {
  const judge_summary *s = &t->summary;
  char *text = NULL, *save = NULL;
  size_t size = 0;
  FILE *to = open_memstream(&text, &size);
  if (!to) return cli_fail("out of memory");
  int nviolated = judge_summary_check(s, JUDGE_ALL, to);
  if (fclose(to) || !text) return cli_fail("out of memory");
  t->out->nframe += s->nframe;
  t->out->nviolated += nviolated;
  if (s->most_pose > s->neutral.all) t->out->npressed++;
  experiment_note(
      t->e, "%s, %s: %d pairs cross in the neutral, at most %d posed, %d with contact%s", t->words,
      take, s->neutral.all, s->most_pose, s->most_output, nviolated ? ":" : "; all clauses hold");
  for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
    experiment_note(t->e, "  %s", line);
  free(text);
  return CLI_DONE;
}

static int play(trial *t, const char *take) {
  judge_restart(t->judge);
  judge_summary_begin(&t->summary, t->judge);
  int code = strcmp(take, "short") ? play_file(t, take) : play_short(t);
  return code ? code : check(t, take);
}

// -- All ------------------------------------------------------------------------------------------

static const char *const QUICK_RIGS[] = {"overlap=150", "lids,coarse,welded,overlap=20,seed=3",
                                         NULL};
static const char *const RIGS[] = {"overlap=0",
                                   "overlap=20,seed=1",
                                   "overlap=150",
                                   "lids,overlap=20,seed=1",
                                   "coarse,overlap=20,seed=3",
                                   "welded,overlap=20,seed=4",
                                   NULL};
static const char *const QUICK_TAKES[] = {"short", NULL};
static const char *const TAKES[] = {"short", "press", "phrase", NULL};

int k1_on_hard_rigs(experiment *e, k1_hard *out) {
  const char *path = experiment_path(e, "K1", "_hard.csv");
  *out = (k1_hard){0};
  trial t = {.e = e, .out = out, .csv = cli_create(path)};
  if (!t.csv) return CLI_FAILED;
  fprintf(t.csv, "rig,take,frame,pairs_posed,pairs_with_contact,mm_off_the_pose\n");
  int code = CLI_DONE;
  for (const char *const *rig = e->quick ? QUICK_RIGS : RIGS; !code && *rig; rig++) {
    t.words = *rig;
    code = open_trial(&t);
    for (const char *const *take = e->quick ? QUICK_TAKES : TAKES; !code && *take; take++)
      code = play(&t, *take);
    close_trial(&t);
    t.rig = NULL, t.judge = NULL;
    out->nrig++;
  }
  path = experiment_path(e, "K1", "_hard.csv");
  if (!code) return cli_commit(t.csv, path);
  cli_abandon(t.csv, path);
  return code;
}
