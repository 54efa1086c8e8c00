// B12: from video to a simulated face at the rate of the camera (Barrielle & Stoiber, 3.2 and 7).
// Videos drawn with known weights and a known pose, so that the error of what comes back can be
// told: landmarks -> fit -> simulation, each timed. A performer has not our head but one of other
// proportions, whose resting face has to be learned; in full our own is played, too. Recorded
// videos are named on the command line (claim_b12_video.c).
#include "claim_b12_video.h"

#include "overlay.h"
#include "plot.h"
#include "rig_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 600, SIZE = 448, SHOT = 480, STAGES = 3, NACT = 9, NSHOT = 6 };
static const double view = 35, away = 0.62, rest = 1.4, length = 0.9; // degrees, m, s, s an act

// The head performs these acts one after the other, each up and down again.
typedef struct act {
  const char *name, *shapes[3];
  double yaw, pitch; // rad
} act;
static const act acts[NACT] = {
    {"brows up", {"browInnerUp", "browOuterUpLeft", "browOuterUpRight"}, 0, 0},
    {"smile", {"mouthSmileLeft", "mouthSmileRight"}, 0, 0},
    {"jaw open", {"jawOpen"}, 0, 0},
    {"blink", {"eyeBlinkLeft", "eyeBlinkRight"}, 0, 0},
    {"pucker", {"mouthPucker"}, 0, 0},
    {"brows down", {"browDownLeft", "browDownRight"}, 0, 0},
    {"left smile", {"mouthSmileLeft"}, 0, 0},
    {"turn", {NULL}, 0.45, 0},
    {"nod", {"jawOpen"}, 0, 0.3},
};

typedef struct scene {
  mien_rig *rig;
  mien_face *face;
  mien_state *state;
  mien_tracker *tracker;
  mien_fit *fit;
  render_target *target;
  rig_view *rig_view;
  float *weights, *pose, *fit_pose, *drawn;
  bool is_stranger;
  mien_rigid head;
  int nframe;
  double fps, time[MOST], truth[MOST], fitted[MOST];
  double seconds[STAGES][MOST];
  double sum_xy[NACT], sum_xx[NACT], sum_all, angle;
  double sum_off, sum_moved, sum_seen; // of landmarks: m^2, m^2, pixels^2
  int nall, nlost, nmark, nseen;
  render_image shots[2 * NSHOT]; // the picture with its points, the simulated face
  int nshot;
} scene;

static double bump(double t) {
  return t > 0 && t < length ? pow(sin(3.141592653589793 * t / length), 2) : 0;
}

// Weights and head of a moment; returns the act.
static int set_truth(scene *s, double time) {
  int k = (int)floor((time - rest) / length);
  memset(s->weights, 0, (size_t)mien_rig_get_info(s->rig)->nshape * sizeof *s->weights);
  s->head = (mien_rigid){.rotation = {0, 0, 0, 1}};
  if (time < rest || k < 0 || k >= NACT) return -1;
  double size = bump(time - rest - k * length);
  for (int i = 0; i < 3 && acts[k].shapes[i]; i++) {
    int shape = mien_rig_find_shape(s->rig, acts[k].shapes[i]);
    if (shape >= 0) s->weights[shape] = (float)size;
  }
  s->head.rotation[1] = sin(0.5 * size * acts[k].yaw);
  s->head.rotation[0] = sin(0.5 * size * acts[k].pitch);
  s->head.rotation[3] = cos(0.5 * size * (acts[k].yaw + acts[k].pitch));
  return k;
}

// The performer: wider, with a long chin and a flat nose. Brows stay as high, or what they do would
// be drawn smaller than the truth says.
static void change_head(scene *s) {
  const mien_rig_info *rig = mien_rig_get_info(s->rig);
  const float *nose = rig->positions.data + 3 * (size_t)rig->landmarks.data[30];
  memcpy(s->drawn, s->pose, 3 * (size_t)rig->nvert * sizeof *s->drawn);
  for (int i = 0; s->is_stranger && i < rig->nvert; i++) {
    float *p = s->drawn + 3 * (size_t)i;
    p[0] *= 1.08f;
    p[1] = nose[1] + (p[1] - nose[1]) * (p[1] < nose[1] ? 1.1f : 1);
    p[2] *= 0.95f;
  }
}

static mien_result draw_face(scene *s, const float *positions, render_image *image,
                             mien_error *err) {
  const mien_rig_info *rig = mien_rig_get_info(s->rig);
  const float *nose = rig->positions.data + 3 * (size_t)rig->landmarks.data[30];
  rig_view_opts opts;
  rig_view_opts_init(&opts);
  opts.camera = (render_camera){.eye = {0, nose[1], nose[2] + (float)away},
                                .at = {0, nose[1], nose[2]},
                                .up = {0, 1, 0},
                                .field_of_view = (float)view};
  opts.head = s->head;
  return rig_view_draw(s->rig_view, (mien_f32s){positions, rig->nvert, 3}, &opts, image, err);
}

// At the height of the first acts: points as seen and as fitted over the picture, and beside it the
// simulated face.
static mien_result shoot(scene *s, const render_image *image, const mien_points *points,
                         mien_error *err) {
  const mien_fit_info *fit = mien_fit_get_info(s->fit);
  render_image *with = s->shots + 2 * s->nshot, whole = {0};
  mien_result result = overlay_draw(image, points, fit, SHOT, with, err);
  mien_rigid truth = s->head;
  s->head = fit->head;
  if (result >= 0)
    result = draw_face(s, mien_state_get_info(s->state)->positions.data, &whole, err);
  if (result >= 0) result = overlay_crop(&whole, overlay_rect(points), SHOT, with + 1, err);
  render_image_free(&whole);
  s->head = truth;
  s->nshot += result >= 0;
  return result;
}

static int save_shots(const experiment *e, scene *s) {
  render_cell cells[2 * NSHOT];
  mien_error err;
  render_image sheet = {0};
  for (int k = 0; k < 2 * s->nshot; k++)
    cells[k] = (render_cell){s->shots + k, k % 2 ? "simulated" : acts[k / 2].name};
  render_sheet def = {.title = "Seen (blue), fitted (orange net), simulated",
                      .cells = cells,
                      .ncell = 2 * s->nshot,
                      .ncolumn = 4,
                      .cell_width = 320,
                      .cell_height = 320,
                      .gap = -1};
  mien_result done = render_sheet_draw(&def, &sheet, &err);
  if (done >= 0) done = render_image_save(&sheet, experiment_path(e, "B12", "_overlay.png"), &err);
  render_image_free(&sheet);
  return done < 0 ? cli_report(&err, "B12") : CLI_DONE;
}

static double turned(const double a[4], const double b[4]) {
  double dot = 0;
  for (int k = 0; k < 4; k++) dot += a[k] * b[k];
  return 2 * acos(fmin(1, fabs(dot)));
}

// The rig's landmarks as fitted against where they truly are, on the head.
static void compare_landmarks(scene *s, const mien_fit_info *fit) {
  const mien_rig_info *rig = mien_rig_get_info(s->rig);
  mien_rig_pose(s->rig, fit->weights, rig->nshape, s->fit_pose, NULL);
  for (int i = 0; i < rig->landmarks.count; i++) {
    if (rig->landmarks.data[i] < 0) continue;
    for (size_t c = 0; c < 3; c++) {
      size_t at = 3 * (size_t)rig->landmarks.data[i] + c;
      s->sum_off += pow((double)(s->fit_pose[at] - s->pose[at]), 2);
      s->sum_moved += pow((double)(s->pose[at] - rig->positions.data[at]), 2);
    }
    s->nmark++;
  }
  s->sum_seen += fit->rms * fit->rms;
  s->nseen++;
}

static void compare(scene *s, int f, int k, const mien_fit_info *fit) {
  int nshape = mien_rig_get_info(s->rig)->nshape;
  compare_landmarks(s, fit);
  s->truth[f] = s->fitted[f] = 0;
  for (int i = 0; i < nshape; i++) {
    double x = (double)s->weights[i], y = (double)fit->weights[i];
    s->sum_all += (x - y) * (x - y);
    s->nall++;
    if (k >= 0 && x > 0) {
      s->sum_xy[k] += x * y;
      s->sum_xx[k] += x * x;
    }
    if (x >= s->truth[f] && x > 0) s->truth[f] = x, s->fitted[f] = y;
  }
  s->angle = fmax(s->angle, turned(s->head.rotation, fit->head.rotation));
}

static mien_result play_frame(scene *s, int f, render_image *image, mien_error *err) {
  static mien_points points;
  mien_input input;
  mien_step_opts opts;
  s->time[f] = f / s->fps;
  int k = set_truth(s, s->time[f]);
  mien_rig_pose(s->rig, s->weights, mien_rig_get_info(s->rig)->nshape, s->pose, NULL);
  change_head(s);
  mien_result result = draw_face(s, s->drawn, image, err);
  if (result < 0) return result;
  mien_image picture = {image->rgb, image->width, image->height, 0, 3, s->time[f]};
  double begun = cli_clock();
  result = mien_tracker_see(s->tracker, &picture, &points, err);
  double tracked = cli_clock();
  if (result >= 0) result = mien_fit_frame(s->fit, &points, err);
  double fitted = cli_clock();
  if (result < 0) return result;
  const mien_fit_info *fit = mien_fit_get_info(s->fit);
  s->nlost += !fit->sees_face;
  mien_input_init(&input);
  mien_step_opts_init(&opts);
  opts.dt = 1 / s->fps;
  opts.drive = MIEN_DRIVE_BLENDFORCE; // virtual markers (eq. 10), forces that bring the skin there
  opts.contact = MIEN_CONTACT_PLANE;
  input.weights = (mien_f32s){fit->weights, fit->nweight, 1};
  input.head = fit->head;
  result = mien_step(s->state, &input, &opts, err);
  s->seconds[0][f] = tracked - begun;
  s->seconds[1][f] = fitted - tracked;
  s->seconds[2][f] = cli_clock() - fitted;
  if (s->time[f] > rest) compare(s, f, k, fit);
  if (result >= 0 && k >= s->nshot && s->nshot < NSHOT && s->truth[f] > 0.9)
    result = shoot(s, image, &points, err);
  return result < 0 ? result : MIEN_OK;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// the tenth percentile: what a machine with nothing else to do takes
static double quick_time(const double *values, int count) {
  double sorted[MOST];
  memcpy(sorted, values, (size_t)count * sizeof *sorted);
  qsort(sorted, (size_t)count, sizeof *sorted, by_size);
  return sorted[count / 10];
}

static int draw(const experiment *e, const scene *s) {
  plot_series series[] = {
      {"truth", s->time, s->truth, s->nframe, PLOT_DASHED, 0},
      {"fitted", s->time, s->fitted, s->nframe, PLOT_LINE, 0},
  };
  plot p = {.title = "B12: largest true weight of each moment, and what came back",
            .x_label = "s",
            .y_label = "weight",
            .series = series,
            .nseries = 2};
  mien_error err;
  render_image image = {0};
  mien_result done = plot_draw(&p, &image, &err);
  if (done >= 0) done = render_image_save(&image, experiment_path(e, "B12", ".png"), &err);
  render_image_free(&image);
  return done < 0 ? cli_report(&err, "B12") : CLI_DONE;
}

static int write_csv(const experiment *e, const scene *s) {
  FILE *csv = cli_create(experiment_path(e, "B12", ".csv"));
  if (!csv) return CLI_FAILED;
  fprintf(csv, "time,truth,fitted,seconds_track,seconds_fit,seconds_simulate\n");
  for (int f = 0; f < s->nframe; f++)
    fprintf(csv, "%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", s->time[f], s->truth[f], s->fitted[f],
            s->seconds[0][f], s->seconds[1][f], s->seconds[2][f]);
  return cli_commit(csv, experiment_path(e, "B12", ".csv"));
}

static void judge(experiment *e, const scene *s) {
  double ms[STAGES], sum = 0, slowest = 0;
  for (int k = 0; k < STAGES; k++) {
    ms[k] = 1e3 * quick_time(s->seconds[k], s->nframe);
    sum += ms[k];
    slowest = fmax(slowest, k == 2 ? ms[2] : ms[0] + ms[1]);
  }
  for (int k = 0; k < NACT; k++)
    if (s->sum_xx[k] > 0)
      experiment_note(e, "%-10s comes back at %.2f of its size", acts[k].name,
                      s->sum_xy[k] / s->sum_xx[k]);
  double off = 1e3 * sqrt(s->sum_off / fmax(1, s->nmark));
  double moved = 1e3 * sqrt(s->sum_moved / fmax(1, s->nmark));
  experiment_note(e, "weights %.3f rms over all shapes, head within %.1f degrees, %d frames lost",
                  sqrt(s->sum_all / fmax(1, s->nall)), 57.29578 * s->angle, s->nlost);
  experiment_note(e, "landmarks %.2f mm off where they move by %.2f mm, rms; fitted to %.2f pixels",
                  off, moved, sqrt(s->sum_seen / fmax(1, s->nseen)));
  experiment_note(e,
                  "track %.1f ms, fit %.1f ms, simulate %.1f ms (a tenth of the frames is faster); "
                  "P16: %.1f ms",
                  ms[0], ms[1], ms[2], ms[0] + ms[1]);
  experiment_note(e, "bounds: 40 ms, the paper's rate, and no frame lost are the claim's. "
                     "Landmarks must be nearer to "
                     "what was done than to a face at rest. Our own: no act below 0.4 of its size");
  // tracking and simulation run beside each other: the slower sets the rate, both the latency
  e->holds = (e->quick || slowest <= 40) && s->nlost == 0 && off < 0.5 * moved;
  for (int k = 0; k < NACT; k++) // what a performer does is there, not only in time
    if (s->sum_xx[k] > 0 && !(s->sum_xy[k] > 0.4 * s->sum_xx[k])) e->holds = false;
  snprintf(e->ours, sizeof e->ours,
           "%.0f frames a second, %.0f ms from picture to face (%d vertices, %d tetrahedra); "
           "weights %.3f rms, landmarks %.1f of %.1f mm",
           1e3 / slowest, sum, mien_face_get_info(s->face)->nvert,
           mien_face_get_info(s->face)->ntet, sqrt(s->sum_all / fmax(1, s->nall)), off, moved);
}

static int measure(experiment *e, scene *s) {
  mien_error err = {0};
  render_image image = {0};
  mien_result result = MIEN_OK;
  for (int f = 0; result >= 0 && f < s->nframe; f++) result = play_frame(s, f, &image, &err);
  render_image_free(&image);
  if (result < 0) return cli_report(&err, "B12");
  judge(e, s);
  int code = write_csv(e, s);
  if (!code) code = draw(e, s);
  return code ? code : save_shots(e, s);
}

static int open_scene(const experiment *e, scene *s) {
  mien_error err;
  mien_fit_def fit;
  render_target_def target;
  mien_fit_def_init(&fit);
  fit.field_of_view = view;
  render_target_def_init(&target);
  target.width = target.height = SIZE;
  s->fps = e->quick ? 12 : 25;
  s->nframe = (int)((rest + NACT * length) * s->fps);
  s->rig = cli_load_rig(e->args, cli_sample(e->quick ? "head_small.glb" : "head.glb"));
  if (!s->rig) return CLI_FAILED;
  const mien_rig_info *rig = mien_rig_get_info(s->rig);
  s->weights = calloc((size_t)rig->nshape, sizeof *s->weights);
  s->pose = calloc(3 * (size_t)rig->nvert, sizeof *s->pose);
  s->fit_pose = calloc(3 * (size_t)rig->nvert, sizeof *s->fit_pose);
  s->drawn = calloc(3 * (size_t)rig->nvert, sizeof *s->drawn);
  if (!s->weights || !s->pose || !s->fit_pose || !s->drawn) return cli_fail("out of memory");
  if (mien_tracker_create(NULL, NULL, &s->tracker, &err) < 0) return cli_report(&err, "B12");
  if (mien_face_create(s->rig, NULL, NULL, &s->face, &err) < 0 ||
      mien_state_create(s->face, NULL, &s->state, &err) < 0 ||
      mien_fit_create(s->rig, &fit, NULL, &s->fit, &err) < 0 ||
      render_target_create(&target, &s->target, &err) < 0 ||
      rig_view_create(s->target, rig, mien_face_get_info(s->face), &s->rig_view, &err) < 0)
    return cli_report(&err, "B12");
  return CLI_DONE;
}

static void close_scene(scene *s) {
  rig_view_free(s->rig_view);
  render_target_free(s->target);
  mien_fit_free(s->fit);
  mien_tracker_free(s->tracker);
  mien_state_free(s->state);
  mien_face_free(s->face);
  mien_rig_free(s->rig);
  for (int k = 0; k < 2 * s->nshot; k++) render_image_free(s->shots + k);
  free(s->weights);
  free(s->pose);
  free(s->fit_pose);
  free(s->drawn);
}

static int play_performer(experiment *e, bool is_stranger) {
  static scene s;
  memset(&s, 0, sizeof s);
  s.is_stranger = is_stranger;
  experiment_note(e, "%s", is_stranger ? "a head of other proportions:" : "our own head:");
  int code = open_scene(e, &s);
  if (!code) code = measure(e, &s);
  close_scene(&s);
  return code;
}

static int run(experiment *e) {
  int code = CLI_DONE, nvideo = e->args->nargument - 1;
  if (!e->quick) code = play_performer(e, false);
  bool holds = e->holds || e->quick;
  if (!code) code = play_performer(e, true);
  e->holds &= holds;
  for (int k = 0; !code && k < nvideo; k++)
    code = b12_video_play(e, e->args->argument[k + 1], &e->holds);
  if (nvideo < 1) experiment_note(e, "no recorded video was named after B12");
  return code;
}

const claim claim_b12 = {
    "B12",
    "From video: landmarks, then identity, expression and pose, then a simulated face, at the rate "
    "of the camera",
    "25 frames a second",
    run,
    .limits = "recorded video, but where one is named after it; a performer that is drawn has our "
              "features",
    .judges_times = true,
};
