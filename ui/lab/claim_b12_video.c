#include "claim_b12_video.h"

#include "capture.h"
#include "contact_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1500, QUICK = 60, JUDGED_EVERY = 5 };
static const double LOST = 0.05; // of the frames

typedef struct chain {
  contact_scene scene; // its rig, face, state and judge of crossings
  capture *capture;
  capture_finder *finder;
  mien_tracker *tracker;
  mien_fit *fit;
  float *pose;
  int nframe, nlost, nwithout; // frames; without a face; before it was calibrated
  double seconds[MOST], rate;
  double off2, moved2, seen2; // of landmarks: m^2, m^2, pixels^2
  int nmark, nseen;
  int64_t ncross, nposed; // pairs of skin, and of the pose alone
} chain;

static int open_chain(const experiment *e, chain *c, const char *video) {
  mien_error err;
  mien_tracker_def tracker;
  mien_step_opts opts;
  capture_def def = {.what = video};
  const char *rig = e->quick ? "head_small.glb" : "head.glb";
  int code = contact_scene_open(&c->scene, e->args, rig, "phrase.csv", NULL);
  if (code) return code;
  mien_step_opts_init(&opts);
  opts.drive = MIEN_DRIVE_BLENDFORCE;
  opts.contact = MIEN_CONTACT_PLANE;
  contact_scene_start(&c->scene, &opts, 25);
  c->pose = calloc(3 * (size_t)mien_rig_get_info(c->scene.rig)->nvert, sizeof *c->pose);
  if (!c->pose) return cli_fail("out of memory");
  mien_tracker_def_init(&tracker);
  if (capture_finder_open(NULL, &c->finder, NULL) >= 0)
    tracker.find = capture_find, tracker.find_user = c->finder;
  if (mien_tracker_create(&tracker, NULL, &c->tracker, &err) < 0 ||
      mien_fit_create(c->scene.rig, NULL, NULL, &c->fit, &err) < 0 ||
      capture_open(&def, &c->capture, &err) < 0)
    return cli_report(&err, video);
  return CLI_DONE;
}

static void close_chain(chain *c) {
  capture_close(c->capture);
  mien_tracker_free(c->tracker);
  capture_finder_close(c->finder);
  mien_fit_free(c->fit);
  contact_scene_close(&c->scene);
  free(c->pose);
}

// Where the simulated skin is against the pose that the fit asks for: what markers and blendforces
// leave.
static void compare(chain *c, const mien_fit_info *fit) {
  const mien_rig_info *rig = mien_rig_get_info(c->scene.rig);
  const float *now = mien_state_get_info(c->scene.state)->positions.data;
  mien_rig_pose(c->scene.rig, fit->weights, rig->nshape, c->pose, NULL);
  for (int i = 0; i < 3 * rig->landmarks.count; i++) {
    if (rig->landmarks.data[i / 3] < 0) continue;
    size_t at = 3 * (size_t)rig->landmarks.data[i / 3] + (size_t)(i % 3);
    c->off2 += pow((double)(now[at] - c->pose[at]), 2);
    c->moved2 += pow((double)(c->pose[at] - rig->positions.data[at]), 2);
    c->nmark += i % 3 == 0;
  }
  c->seen2 += fit->rms * fit->rms;
  c->nseen++;
  if (c->nframe % JUDGED_EVERY) return;
  crossings skin = contact_scene_shown(&c->scene, now);
  crossings posed = contact_scene_shown(&c->scene, c->pose);
  c->ncross += skin.count < 0 ? 1 : skin.count;
  c->nposed += posed.count;
}

static mien_result play_frame(chain *c, const mien_image *image, mien_error *err) {
  static mien_points points;
  contact_scene *s = &c->scene;
  double begun = cli_clock();
  mien_result result = mien_tracker_see(c->tracker, image, &points, err);
  if (result >= 0) result = mien_fit_frame(c->fit, &points, err);
  if (result < 0) return result;
  const mien_fit_info *fit = mien_fit_get_info(c->fit);
  s->input.weights = (mien_f32s){fit->weights, fit->nweight, 1};
  s->input.head = fit->head;
  s->opts.dt = 1 / c->rate;
  result = mien_step(s->state, &s->input, &s->opts, err);
  c->seconds[c->nframe] = cli_clock() - begun;
  c->nlost += !fit->sees_face;
  c->nwithout += !fit->calibrated;
  if (result >= 0 && fit->calibrated && fit->sees_face) compare(c, fit);
  c->nframe++;
  return result;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static bool judge(experiment *e, chain *c, const char *video) {
  const char *name = strrchr(video, '/') ? strrchr(video, '/') + 1 : video;
  qsort(c->seconds, (size_t)c->nframe, sizeof *c->seconds, by_size);
  double middle = c->seconds[c->nframe / 2], late = c->seconds[(int)(0.95 * c->nframe)];
  experiment_note(
      e,
      "%.60s: %d frames at %.0f a second, %d without a face, %d while calibrating; from "
      "picture to face %.1f ms in the middle, %.1f ms in 19 frames of 20",
      name, c->nframe, c->rate, c->nlost, c->nwithout, 1e3 * middle, 1e3 * late);
  experiment_note(
      e,
      "  fitted to %.2f pixels; simulated landmarks %.2f mm from a pose that moves them "
      "by %.2f mm, rms; pairs that cross: %lld, of the pose alone %lld",
      sqrt(c->seen2 / fmax(1, c->nseen)), 1e3 * sqrt(c->off2 / fmax(1, c->nmark)),
      1e3 * sqrt(c->moved2 / fmax(1, c->nmark)), (long long)c->ncross, (long long)c->nposed);
  bool in_time = e->quick || middle * c->rate <= 1;
  return in_time && c->nseen > 0 && c->nlost <= LOST * c->nframe && c->ncross == 0 &&
         c->off2 < c->moved2;
}

int b12_video_play(experiment *e, const char *video, bool *holds) {
  chain *c = calloc(1, sizeof *c);
  mien_error err = {0};
  if (!c) return cli_fail("out of memory");
  int code = open_chain(e, c, video), ended = 0, most = e->quick ? QUICK : MOST;
  mien_result result = MIEN_OK;
  while (!code && result >= 0 && !ended && c->nframe < most) {
    mien_image image;
    result = capture_read(c->capture, &image, &ended, &err);
    c->rate = capture_get_info(c->capture)->rate;
    if (result == MIEN_OK) result = play_frame(c, &image, &err);
  }
  if (!code && result < 0) code = cli_report(&err, video);
  if (!code && c->nframe == 0) code = cli_fail("%s has no frames", video);
  if (!code && !judge(e, c, video)) *holds = false;
  close_chain(c);
  free(c);
  return code;
}
