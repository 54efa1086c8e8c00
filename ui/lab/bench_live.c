// From picture to simulated face: network, fit and step on drawn pictures of the sample head, stage
// by stage as `mien live` overlaps them. Of every picture the fastest of its repeats, as everywhere
// in the bench: a busy machine is not what is measured; of the pictures the slowest, because a rate
// is to be kept up.
#include "bench.h"

#include "live.h"

#include "picture.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { NPICTURE = 12, SIZE = 640 };
static const double rate = 60;

typedef struct scene {
  mien_rig *rig;
  mien_face *face;
  mien_state *state;
  mien_tracker *tracker;
  mien_fit *fit;
  picture *drawing;
  render_image image[NPICTURE];
  float *weights, *pose;
} scene;

// a mouth that opens and smiles, and lids that shut
static void set_weights(const scene *s, int k) {
  static const char *const names[] = {"jawOpen", "mouthSmileLeft", "mouthSmileRight",
                                      "eyeBlinkLeft"};
  double at = k < 0 ? 0 : sin(3.14159265358979323846 * k / NPICTURE);
  for (int n = 0; n < 4; n++) {
    int shape = mien_rig_find_shape(s->rig, names[n]);
    if (shape >= 0) s->weights[shape] = (float)((n == 0 ? 0.3 : 0.6) * at);
  }
}

static mien_result draw(scene *s, mien_error *err) {
  const mien_rig_info *rig = mien_rig_get_info(s->rig);
  picture_def def = {.rig = s->rig,
                     .npanel = 1,
                     .panels = {{.kind = PANEL_SKIN, .angle = {.zoom = 1}}},
                     .width = SIZE,
                     .height = SIZE,
                     .subject = RIG_VIEW_HEAD};
  mien_result result = picture_create(&def, &s->drawing, err);
  for (int k = 0; result >= 0 && k < NPICTURE; k++) {
    set_weights(s, k);
    mien_rig_pose(s->rig, s->weights, rig->nshape, s->pose, NULL);
    picture_pose pose = {.positions = {s->pose, rig->nvert, 3}, .head = {.rotation = {0, 0, 0, 1}}};
    result = picture_draw(s->drawing, &pose, &s->image[k], err);
  }
  return result;
}

static mien_result open_scene(scene *s, const cli_args *args, mien_error *err) {
  mien_host host, all;
  mien_fit_def def;
  mien_host_init(&host);
  cli_host(args, &all);
  mien_fit_def_init(&def);
  host.threads = 1; // network and fit: one core
  mien_result result = mien_tracker_create(NULL, &host, &s->tracker, err);
  if (result >= 0) result = mien_fit_create(s->rig, &def, &host, &s->fit, err);
  if (result >= 0) result = mien_face_create(s->rig, NULL, &all, &s->face, err);
  if (result >= 0) result = mien_state_create(s->face, &all, &s->state, err);
  return result >= 0 ? draw(s, err) : result;
}

// Steps as in mien live at 60 frames a second.
static mien_result simulate(scene *s, mien_f32s weights, const mien_rigid *head, live_pace *pace,
                            mien_error *err) {
  mien_step_opts opts;
  mien_input input;
  mien_step_opts_init(&opts);
  mien_input_init(&input);
  opts.dt = 1 / rate;
  opts.time_budget = live_pace_budget(pace);
  opts.contact = MIEN_CONTACT_PLANE;
  input.weights = weights;
  input.head = *head;
  return mien_step(s->state, &input, &opts, err);
}

typedef struct best_times {
  double track, fit, step[NPICTURE];
  int nseen;
} best_times;

static double slowest(const double step[NPICTURE]) {
  double most = 0;
  for (int k = 0; k < NPICTURE; k++) most = fmax(most, isfinite(step[k]) ? step[k] : 0);
  return most;
}

// One frame through all stages, one after the other.
static mien_result run_frame(scene *s, int f, live_pace *pace, best_times *best, mien_error *err) {
  const render_image *image = &s->image[f % NPICTURE];
  mien_image seen = {image->rgb, image->width, image->height, 0, 3, f / rate};
  static mien_points points; // 478 of them
  double begun = cli_clock();
  mien_result result = mien_tracker_see(s->tracker, &seen, &points, err);
  double tracked = cli_clock();
  if (result >= 0) result = mien_fit_frame(s->fit, &points, err);
  double fitted = cli_clock();
  if (result < 0) return result;
  const mien_fit_info *fit = mien_fit_get_info(s->fit);
  result = simulate(s, (mien_f32s){fit->weights, fit->nweight, 1}, &fit->head, pace, err);
  double stepped = cli_clock();
  if (points.count == 0 || fit->is_calibrating) return result; // not a frame of a performance
  live_pace_learn(pace, mien_state_get_info(s->state));
  best->nseen++;
  best->track = fmin(best->track, tracked - begun);
  best->fit = fmin(best->fit, fitted - tracked);
  double *step = best->step + f % NPICTURE;
  *step = fmin(*step, stepped - fitted);
  return result;
}

// The next picture is looked at beside the step, as a thread of mien live does.
typedef struct looking {
  scene *scene;
  int frame;
  mien_points points;
  mien_result result;
} looking;

static void *look(void *given) {
  looking *l = given;
  const render_image *image = &l->scene->image[l->frame % NPICTURE];
  mien_image seen = {image->rgb, image->width, image->height, 0, 3, l->frame / rate};
  l->result = mien_tracker_see(l->scene->tracker, &seen, &l->points, NULL);
  if (l->result >= 0) l->result = mien_fit_frame(l->scene->fit, &l->points, NULL);
  return NULL;
}

// Frames from `first` on: of every picture the fastest until both are done.
static bool run_beside(scene *s, int first, int count, double frame[NPICTURE], mien_error *err) {
  static looking next;
  live_pace pace = live_pace_start(rate, true);
  for (int k = 0; k < NPICTURE; k++) frame[k] = INFINITY;
  for (int f = first; f < first + count; f++) {
    const mien_fit_info *fit = mien_fit_get_info(s->fit);
    mien_rigid head = fit->head;
    pthread_t thread;
    next = (looking){.scene = s, .frame = f + 1};
    memcpy(s->weights, fit->weights, (size_t)fit->nweight * sizeof *s->weights);
    double begun = cli_clock();
    if (pthread_create(&thread, NULL, look, &next)) return false;
    mien_result result = simulate(s, (mien_f32s){s->weights, fit->nweight, 1}, &head, &pace, err);
    pthread_join(thread, NULL);
    double *best = frame + f % NPICTURE;
    *best = fmin(*best, cli_clock() - begun);
    if (result < 0 || next.result < 0) return false;
    live_pace_learn(&pace, mien_state_get_info(s->state));
  }
  return true;
}

static double mean(const double step[NPICTURE]) {
  double sum = 0;
  for (int k = 0; k < NPICTURE; k++) sum += step[k] / NPICTURE;
  return sum;
}

// Frames without a limit of time, then as many at the pace of mien live.
static int measure(bench *b, scene *s) {
  static char paced[96];
  best_times best[2];
  live_pace pace[2] = {live_pace_start(rate, false), live_pace_start(rate, true)};
  mien_error err;
  int nframe[2] = {360, 360};
  if (bench_is_quick(b)) nframe[0] = 90, nframe[1] = NPICTURE; // the first ones calibrate
  for (int k = 0; k < 2; k++) {
    best[k] = (best_times){.track = INFINITY, .fit = INFINITY};
    for (int n = 0; n < NPICTURE; n++) best[k].step[n] = INFINITY;
    for (int f = 0; f < nframe[k]; f++)
      if (run_frame(s, k * nframe[0] + f, pace + k, best + k, &err) < 0)
        return cli_report(&err, "live");
    if (!best[k].nseen) return cli_fail("the tracker did not see the drawn head");
  }
  double track = fmin(best[0].track, best[1].track), both = track + fmin(best[0].fit, best[1].fit);
  double whole = slowest(best[0].step), step = slowest(best[1].step);
  bench_add(b, (bench_row){"P16", "tracking: network and fit of a picture, one core", both, 0, NULL,
                           8e-3});
  bench_add(b, (bench_row){"", "  of that the network", track, 0, NULL, 0});
  snprintf(paced, sizeof paced, "live: the slowest stage at its pace, %.1f of %.1f iterations",
           (double)pace[1].niteration / (double)pace[1].nstep,
           (double)pace[0].niteration / (double)pace[0].nstep);
  bench_add(b, (bench_row){"P17", paced, fmax(both, step), 0, NULL, 1 / rate});
  bench_add(b, (bench_row){"P17", "live: the slowest stage with all iterations (--unpaced)",
                           fmax(both, whole), 0, NULL, 1 / rate});
  bench_add(b, (bench_row){"P17", "live: from picture to simulated face, all stages", both + step,
                           0, NULL, 50e-3});
  double frame[NPICTURE];
  if (!run_beside(s, nframe[0] + nframe[1], nframe[1], frame, &err))
    return cli_fail("live: a frame was refused");
  bench_add(b, (bench_row){"", "  slowest frame with the next picture tracked beside the step",
                           slowest(frame), 0, NULL, 0});
  bench_add(b, (bench_row){"", "  mean frame of that", mean(frame), 0, NULL, 0});
  return CLI_DONE;
}

int bench_live(bench *b) {
  scene s = {0};
  mien_error err;
  s.rig = cli_load_rig(bench_args(b), bench_is_quick(b) ? cli_sample("head_small.glb") : NULL);
  if (!s.rig) return CLI_FAILED;
  const mien_rig_info *rig = mien_rig_get_info(s.rig);
  s.weights = calloc((size_t)rig->nshape + 1, sizeof *s.weights);
  s.pose = calloc(3 * (size_t)rig->nvert, sizeof *s.pose);
  int code = s.weights && s.pose ? CLI_DONE : cli_fail("out of memory");
  if (!code) {
    mien_result result = open_scene(&s, bench_args(b), &err);
    if (result < 0 && !s.tracker) // nothing to measure is no failure
      fprintf(stderr, "mien: P16 and P17 are left out: %s\n", err.text);
    else
      code = result < 0 ? cli_report(&err, "live") : measure(b, &s);
  }
  for (int k = 0; k < NPICTURE; k++) render_image_free(&s.image[k]);
  picture_free(s.drawing);
  mien_state_free(s.state);
  mien_face_free(s.face);
  mien_fit_free(s.fit);
  mien_tracker_free(s.tracker);
  mien_rig_free(s.rig);
  free(s.weights);
  free(s.pose);
  return code;
}
