#include "take_play.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const take_phase_names[TAKE_PHASES] = {"pose",   "rebalance", "contact", "local",
                                                   "global", "vectors",   "output"};
enum { LEAD_IN = 2 };

int take_stage_open(take_stage *stage, const cli_args *args, const char *sample) {
  mien_host host;
  mien_error err;
  *stage = (take_stage){.args = args};
  cli_host(args, &host);
  stage->rig = cli_load_rig(args, cli_sample(sample));
  if (!stage->rig) return CLI_FAILED;
  mien_result result = mien_face_create(stage->rig, NULL, &host, &stage->face, &err);
  return result < 0 ? cli_report(&err, sample) : CLI_DONE;
}

void take_stage_close(take_stage *stage) {
  mien_face_free(stage->face);
  mien_rig_free(stage->rig);
  *stage = (take_stage){0};
}

// -- One play -------------------------------------------------------------------------------------

typedef struct play {
  const take_stage *stage;
  const take_def *def;
  mien_take *take, *head;
  float *weights;
  mien_step_opts opts;
  int nframe;
} play;

static mien_take *load(const take_stage *stage, const char *name) {
  mien_take *take = cli_load_take(stage->args, strchr(name, '/') ? name : cli_sample(name));
  mien_take *bound = NULL;
  mien_error err;
  if (take && mien_take_bind(take, stage->rig, &bound, NULL, &err) < 0) cli_report(&err, name);
  mien_take_free(take);
  return bound;
}

static void close_play(play *p) {
  mien_take_free(p->take);
  mien_take_free(p->head);
  free(p->weights);
}

static int open_play(play *p, const take_stage *stage, const take_def *def) {
  *p = (play){.stage = stage, .def = def, .opts = def->opts};
  p->weights = calloc((size_t)mien_rig_get_info(stage->rig)->nshape + 1, sizeof *p->weights);
  if (!p->weights) return cli_fail("out of memory");
  p->take = load(stage, def->take);
  p->head = def->head ? load(stage, def->head) : NULL;
  if (!p->take || (def->head && !p->head)) return CLI_FAILED;
  const mien_take_info *info = mien_take_get_info(p->take);
  double seconds = info->end - info->start - def->begin;
  if (def->seconds > 0) seconds = fmin(seconds, def->seconds);
  p->nframe = LEAD_IN + (int)floor(fmax(seconds, 0) * def->fps + 1e-6);
  p->opts.dt = 1 / def->fps;
  return CLI_DONE;
}

static mien_state *create_state(const play *p) {
  mien_host host;
  mien_error err;
  mien_state *state = NULL;
  cli_host(p->stage->args, &host);
  host.threads = p->def->threads;
  if (mien_state_create(p->stage->face, &host, &state, &err) < 0) cli_report(&err, p->def->take);
  return state;
}

static void read_input(play *p, int frame, mien_input *input) {
  mien_input_init(input);
  double time = p->def->begin + frame / p->def->fps;
  mien_take_sample(p->take, mien_take_get_info(p->take)->start + time, p->weights, &input->head,
                   NULL);
  if (p->head)
    mien_take_sample(p->head, mien_take_get_info(p->head)->start + time, NULL, &input->head, NULL);
  input->weights = (mien_f32s){p->weights, mien_rig_get_info(p->stage->rig)->nshape, 1};
}

static int step(play *p, mien_state *state, const mien_step_opts *opts, int frame) {
  mien_input input;
  mien_error err;
  read_input(p, frame, &input);
  return mien_step(state, &input, opts, &err) < 0 ? cli_report(&err, p->def->take) : CLI_DONE;
}

// -- Times ----------------------------------------------------------------------------------------

static take_frame look(const mien_state_info *info) {
  take_frame f = {.seconds = info->seconds, .moves = info->iterations > 0};
  f.phase[TAKE_POSE] = info->seconds_pose;
  f.phase[TAKE_REBALANCE] = info->seconds_rebalance;
  f.phase[TAKE_CONTACT] = info->seconds_contact;
  f.phase[TAKE_LOCAL] = info->seconds_local;
  f.phase[TAKE_GLOBAL] = info->seconds_global;
  f.phase[TAKE_OUTPUT] = info->seconds_output;
  f.phase[TAKE_VECTORS] = info->seconds;
  for (int k = 0; k < TAKE_PHASES; k++)
    if (k != TAKE_VECTORS) f.phase[TAKE_VECTORS] -= f.phase[k];
  return f;
}

static int time_once(play *p, take_times *out, bool is_first) {
  mien_state *state = create_state(p);
  if (!state) return CLI_FAILED;
  const mien_state_info *info = mien_state_get_info(state);
  int code = CLI_DONE;
  for (int frame = 0; !code && frame < p->nframe; frame++) {
    code = step(p, state, &p->opts, frame);
    if (!code && frame == 0 && is_first) out->set_up = info->seconds;
    if (code || frame < LEAD_IN) continue;
    take_frame *kept = out->frames + frame - LEAD_IN;
    if (is_first || info->seconds < kept->seconds) *kept = look(info);
  }
  mien_step_opts plain = p->opts;
  plain.solver = MIEN_SOLVER_KINEMATIC;
  for (int frame = LEAD_IN; !code && is_first && frame < p->nframe; frame++) {
    code = step(p, state, &plain, frame);
    out->kinematic += info->seconds / out->nframe;
  }
  mien_state_free(state);
  return code;
}

static int compare_doubles(const void *a, const void *b) {
  return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static int summarise(take_times *t) {
  double *sorted = malloc((size_t)t->nframe * sizeof *sorted);
  if (!sorted) return cli_fail("out of memory");
  for (int i = 0; i < t->nframe; i++) {
    sorted[i] = t->frames[i].seconds;
    t->mean += t->frames[i].seconds / t->nframe;
    for (int k = 0; k < TAKE_PHASES; k++) t->phase[k] += t->frames[i].phase[k] / t->nframe;
  }
  qsort(sorted, (size_t)t->nframe, sizeof *sorted, compare_doubles);
  t->p99 = sorted[(int)ceil(0.99 * t->nframe) - 1];
  t->worst = sorted[t->nframe - 1];
  free(sorted);
  return CLI_DONE;
}

int take_play(const take_stage *stage, const take_def *def, int repeats, take_times *out) {
  play p;
  *out = (take_times){0};
  int code = open_play(&p, stage, def);
  out->nframe = p.nframe - LEAD_IN;
  if (!code && out->nframe < 1) code = cli_fail("the take is too short");
  if (!code && !(out->frames = calloc((size_t)out->nframe, sizeof *out->frames)))
    code = cli_fail("out of memory");
  for (int k = 0; !code && k < repeats; k++) code = time_once(&p, out, k == 0);
  if (!code) code = summarise(out);
  close_play(&p);
  return code;
}

void take_times_free(take_times *times) {
  free(times->frames);
  *times = (take_times){0};
}

double take_mean_moving(const take_times *times, const take_times *reference) {
  double sum = 0;
  int count = 0;
  for (int i = 0; i < times->nframe && i < reference->nframe; i++) {
    if (!reference->frames[i].moves) continue;
    sum += times->frames[i].seconds;
    count++;
  }
  return count ? sum / count : 0;
}

// -- Distance from the converged motion -----------------------------------------------------------

typedef struct distance {
  double sum, motion, worst2;
  int64_t count;
} distance;

static void add_frame(distance *d, const mien_state *state, const mien_state *converged,
                      const mien_state *pose) {
  const mien_f32s a = mien_state_get_info(state)->positions;
  const float *b = mien_state_get_info(converged)->positions.data;
  const float *c = mien_state_get_info(pose)->positions.data;
  for (int i = 0; i < a.count; i++) {
    double off = 0, moved = 0;
    for (int k = 0; k < 3; k++) {
      size_t at = 3 * (size_t)i + (size_t)k;
      off += ((double)a.data[at] - b[at]) * ((double)a.data[at] - b[at]);
      moved += ((double)b[at] - c[at]) * ((double)b[at] - c[at]);
    }
    d->sum += off;
    d->motion += moved;
    d->worst2 = fmax(d->worst2, off);
  }
  d->count += a.count;
}

int take_compare(const take_stage *stage, const take_def *def, int iterations, take_error *out) {
  play p;
  distance d = {0};
  int code = open_play(&p, stage, def);
  mien_state *states[3] = {NULL}; // as users have it, converged, the pose alone
  mien_step_opts opts[3] = {p.opts, p.opts, p.opts};
  opts[1].iterations = iterations;
  opts[1].tolerance = opts[1].least_step = 0;
  opts[2].solver = MIEN_SOLVER_KINEMATIC;
  for (int k = 0; !code && k < 3; k++)
    if (!(states[k] = create_state(&p))) code = CLI_FAILED;
  for (int frame = 0; !code && frame < p.nframe; frame++) {
    for (int k = 0; !code && k < 3; k++) code = step(&p, states[k], opts + k, frame);
    if (!code) add_frame(&d, states[0], states[1], states[2]);
  }
  if (!code && d.count)
    *out = (take_error){sqrt(d.sum / (double)d.count), sqrt(d.worst2),
                        sqrt(d.motion / (double)d.count)};
  for (int k = 0; k < 3; k++) mien_state_free(states[k]);
  close_play(&p);
  return code;
}
