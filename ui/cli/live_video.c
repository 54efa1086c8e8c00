// The video of `mien live`.
#include "live_video.h"

#include "live_view.h"
#include "picture.h"
#include "render.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct live_video {
  live_video_def def;
  double rate;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool has_pose, is_ready, is_ending, has_failed;
  mien_error err;
  float *pose, *drawn; // m, every vertex of the rig                                 (nvert x 3)
  mien_rigid head;
  double time, first;
  bool has_first;
  int64_t ndropped;
};

static void fail(live_video *v, const mien_error *err) {
  pthread_mutex_lock(&v->lock);
  v->err = *err;
  v->has_failed = v->is_ready = true;
  pthread_cond_broadcast(&v->changed);
  pthread_mutex_unlock(&v->lock);
}

// Waits for a pose; false when there is none any more.
static bool take_pose(live_video *v, mien_rigid *head, double *time) {
  size_t size = 3 * (size_t)mien_rig_get_info(v->def.rig)->nvert * sizeof *v->pose;
  pthread_mutex_lock(&v->lock);
  while (!v->has_pose && !v->is_ending) pthread_cond_wait(&v->changed, &v->lock);
  bool has = v->has_pose;
  if (has) {
    memcpy(v->drawn, v->pose, size);
    *head = v->head;
    *time = v->time;
    v->has_pose = false;
    pthread_cond_broadcast(&v->changed);
  }
  pthread_mutex_unlock(&v->lock);
  return has;
}

// Every moment of the video up to `time` shows what was last drawn.
static mien_result fill(render_video *video, const render_image *image, int64_t upto,
                        int64_t *nadded, mien_error *err) {
  mien_result result = MIEN_OK;
  for (; video && result >= 0 && *nadded <= upto; ++*nadded)
    result = render_video_add(video, image, err);
  return result;
}

static mien_result draw_all(live_video *v, picture *p, render_video *video, mien_error *err) {
  render_image image = {0};
  mien_rigid head;
  double time;
  int64_t nadded = 0;
  mien_result result = MIEN_OK;
  while (result >= 0 && take_pose(v, &head, &time)) {
    int64_t slot = (int64_t)floor((time - v->first) * v->rate + 1e-6);
    if (nadded && slot > nadded) result = fill(video, &image, slot - 1, &nadded, err);
    if (result < 0 || (slot < nadded && !v->def.view)) continue;
    picture_pose pose = {.positions = {v->drawn, mien_rig_get_info(v->def.rig)->nvert, 3},
                         .head = head};
    result = picture_draw(p, &pose, &image, err);
    if (result >= 0 && v->def.view) live_view_show(v->def.view, &image);
    if (result >= 0) result = fill(video, &image, slot, &nadded, err);
  }
  render_image_free(&image);
  return result;
}

static void *work(void *given) {
  live_video *v = given;
  mien_error err = {0};
  picture *p = NULL;
  render_video *video = NULL;
  picture_def def = {.rig = v->def.rig,
                     .face = v->def.face,
                     .npanel = 1,
                     .panels = {{.kind = PANEL_SKIN, .angle = {.zoom = 1}}},
                     .width = v->def.size,
                     .height = v->def.size,
                     .subject = RIG_VIEW_HEAD,
                     .with_head = true};
  render_video_def file;
  render_video_def_init(&file);
  file.width = file.height = v->def.size;
  file.frame_rate = v->rate;
  mien_result result = picture_create(&def, &p, &err);
  if (result >= 0 && v->def.path) result = render_video_open(v->def.path, &file, &video, &err);
  if (result >= 0) {
    pthread_mutex_lock(&v->lock);
    v->is_ready = true;
    pthread_cond_broadcast(&v->changed);
    pthread_mutex_unlock(&v->lock);
    result = draw_all(v, p, video, &err);
    if (result >= 0 && video)
      result = render_video_close(video, &err);
    else if (video)
      render_video_abandon(video);
  }
  if (result < 0) fail(v, &err);
  picture_free(p);
  return NULL;
}

int live_video_open(const live_video_def *def, live_video **out) {
  size_t count = 3 * (size_t)mien_rig_get_info(def->rig)->nvert;
  live_video *v = calloc(1, sizeof *v);
  if (v) v->pose = malloc(count * sizeof *v->pose);
  if (v) v->drawn = malloc(count * sizeof *v->drawn);
  if (!v || !v->pose || !v->drawn) {
    if (v) free(v->pose);
    free(v);
    return cli_fail("out of memory");
  }
  v->def = *def;
  v->rate = fmin(def->fps, 30);
  pthread_mutex_init(&v->lock, NULL);
  pthread_cond_init(&v->changed, NULL);
  *out = v;
  if (pthread_create(&v->thread, NULL, work, v)) {
    v->has_failed = true;
    return cli_fail("no thread for the video");
  }
  // a wrong path or a missing ffmpeg shows now, not after the performance
  pthread_mutex_lock(&v->lock);
  while (!v->is_ready) pthread_cond_wait(&v->changed, &v->lock);
  pthread_mutex_unlock(&v->lock);
  return v->has_failed ? cli_report(&v->err, def->path ? def->path : "view") : CLI_DONE;
}

int live_video_add(live_video *v, const mien_state_info *state, double time, bool wait) {
  pthread_mutex_lock(&v->lock);
  while (wait && v->has_pose && !v->has_failed) pthread_cond_wait(&v->changed, &v->lock);
  v->ndropped += v->has_pose;
  memcpy(v->pose, state->positions.data, 3 * (size_t)state->positions.count * sizeof *v->pose);
  v->head = state->head;
  v->time = time;
  if (!v->has_first) v->first = time, v->has_first = true;
  v->has_pose = true;
  bool failed = v->has_failed;
  pthread_cond_broadcast(&v->changed);
  pthread_mutex_unlock(&v->lock);
  return failed ? cli_report(&v->err, v->def.path) : CLI_DONE;
}

int64_t live_video_ndropped(const live_video *v) {
  return v->ndropped;
}

int live_video_close(live_video *v) {
  if (!v) return CLI_DONE;
  pthread_mutex_lock(&v->lock);
  v->is_ending = true;
  pthread_cond_broadcast(&v->changed);
  pthread_mutex_unlock(&v->lock);
  if (v->thread) pthread_join(v->thread, NULL);
  int code = v->has_failed && !v->err.text[0] ? CLI_FAILED : CLI_DONE;
  if (v->has_failed && v->err.text[0]) code = cli_report(&v->err, v->def.path);
  pthread_mutex_destroy(&v->lock);
  pthread_cond_destroy(&v->changed);
  free(v->pose);
  free(v->drawn);
  free(v);
  return code;
}
