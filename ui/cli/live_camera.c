// Sources of `mien live`: a camera or a video, a tracker and the fit.
//
//   capture thread -> newest picture -> tracking thread (points, weights, head) -> newest frame
//
// Both hand over by a single place that the newest fills: what was not taken in time is dropped and
// counted. With --every the same work is done frame by frame by the caller.
#include "live.h"

#include "capture.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct camera_source {
  const cli_args *args;
  const mien_rig *rig;
  capture *capture;
  capture_finder *finder;
  mien_tracker *tracker;
  mien_fit *fit;
  mien_points points;
  live_frame work; // of the tracking thread
  double first;    // s of a file: when it began to play
  bool is_threaded, has_picture, has_frame, has_ended, has_failed, was_calibrated;
  atomic_bool is_ending; // read by the capturing thread without the lock
  pthread_t capturing, tracking;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  unsigned char *pixels, *taken; // newest picture, and the one being looked at
  size_t capacity, taken_capacity;
  mien_image picture, look;
  double arrived, look_arrived;
  live_frame ready; // newest frame
  int64_t ndropped;
  mien_error err;
} camera_source;

static bool keep_pixels(unsigned char **to, size_t *capacity, const mien_image *image) {
  size_t row = (size_t)image->width * (size_t)image->nchannel, size = row * (size_t)image->height;
  if (size > *capacity) {
    unsigned char *more = realloc(*to, size);
    if (!more) return false;
    *to = more;
    *capacity = size;
  }
  size_t stride = image->stride ? (size_t)image->stride : row;
  for (int y = 0; y < image->height; y++)
    memcpy(*to + (size_t)y * row, image->pixels + (size_t)y * stride, row);
  return true;
}

static void fail(camera_source *s, const mien_error *err) {
  pthread_mutex_lock(&s->lock);
  s->err = *err;
  s->has_failed = true;
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->lock);
}

// -- one picture ----------------------------------------------------------------------------------

// A picture, or NULL (nothing came: a camera that was pulled out), to weights and head.
static bool follow(camera_source *s, const mien_image *image, double time, double arrived,
                   mien_error *err) {
  double begun = cli_clock();
  if (image && mien_tracker_see(s->tracker, image, &s->points, err) < 0) return false;
  if (!image) {
    s->points.count = 0;
    s->points.time = time;
  }
  double tracked = cli_clock();
  if (mien_fit_frame(s->fit, &s->points, err) < 0) return false;
  const mien_fit_info *info = mien_fit_get_info(s->fit);
  memcpy(s->work.weights, info->weights, (size_t)info->nweight * sizeof *info->weights);
  if (info->is_calibrating)
    memset(s->work.weights, 0, (size_t)info->nweight * sizeof *info->weights);
  s->work.head = info->head;
  s->work.time = time;
  s->work.arrived = arrived;
  s->work.seconds_track = tracked - begun;
  s->work.seconds_fit = cli_clock() - tracked;
  s->work.confidence = info->confidence;
  s->work.sees_face = info->sees_face != 0;
  s->work.is_made_up = !image;
  if (info->calibrated && !s->was_calibrated) {
    const char *path = cli_value(s->args, "save-calibration", NULL);
    s->was_calibrated = true;
    if (path && mien_fit_save(s->fit, path, err) < 0) return false;
  }
  return true;
}

static void copy_frame(const camera_source *s, const live_frame *from, live_frame *to) {
  float *weights = to->weights;
  int nshape = mien_rig_get_info(s->rig)->nshape;
  *to = *from;
  to->weights = weights;
  memcpy(weights, from->weights, (size_t)nshape * sizeof *weights);
}

// -- threads --------------------------------------------------------------------------------------

// A file plays at its own speed.
static void wait_for(camera_source *s, double time) {
  if (capture_get_info(s->capture)->is_live) return;
  if (s->first == 0) s->first = cli_clock() - time;
  double left = s->first + time - cli_clock();
  if (left <= 0) return;
  struct timespec wait = {(time_t)left, (long)(1e9 * (left - floor(left)))};
  nanosleep(&wait, NULL);
}

static void *capture_all(void *given) {
  camera_source *s = given;
  int ended = 0;
  while (!ended && !s->is_ending) {
    mien_image image;
    mien_error err = {0};
    mien_result result = capture_read(s->capture, &image, &ended, &err);
    if (result < 0) {
      fail(s, &err);
      break;
    }
    if (result == MIEN_NO_FRAME && !ended) {
      struct timespec wait = {0, 10000000};
      nanosleep(&wait, NULL); // a camera that comes back
      continue;
    }
    if (result != MIEN_OK) break;
    wait_for(s, image.time);
    pthread_mutex_lock(&s->lock);
    s->ndropped += s->has_picture;
    if (keep_pixels(&s->pixels, &s->capacity, &image)) {
      s->picture = image;
      s->arrived = cli_clock();
      s->has_picture = true;
    }
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
  }
  pthread_mutex_lock(&s->lock);
  s->has_ended = true;
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->lock);
  return NULL;
}

// Waits for a picture for a tenth of a second: 1 = there is one, 0 = none came, -1 = the end.
static int take_picture(camera_source *s) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 100000000;
  if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
  pthread_mutex_lock(&s->lock);
  int waited = 0;
  while (!s->has_picture && !s->has_ended && !s->is_ending && !waited)
    waited = pthread_cond_timedwait(&s->changed, &s->lock, &until);
  int answer = s->has_picture ? 1 : s->has_ended || s->is_ending ? -1 : 0;
  if (answer > 0) {
    unsigned char *pixels = s->taken;
    size_t capacity = s->taken_capacity;
    s->look = s->picture;
    s->look_arrived = s->arrived;
    s->taken = s->pixels;
    s->taken_capacity = s->capacity;
    s->pixels = pixels;
    s->capacity = capacity;
    s->look.pixels = s->taken;
    s->look.stride = 0;
    s->has_picture = false;
  }
  pthread_mutex_unlock(&s->lock);
  return answer;
}

static void *track_all(void *given) {
  camera_source *s = given;
  double time = 0;
  for (int has; (has = take_picture(s)) >= 0;) {
    mien_error err = {0};
    time = has ? s->look.time : time + 0.1;
    if (!follow(s, has ? &s->look : NULL, time, has ? s->look_arrived : cli_clock(), &err)) {
      fail(s, &err);
      break;
    }
    pthread_mutex_lock(&s->lock);
    s->ndropped += s->has_frame && !s->ready.is_made_up;
    copy_frame(s, &s->work, &s->ready);
    s->has_frame = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
  }
  return NULL;
}

// -- the source -----------------------------------------------------------------------------------

static live_answer next_ready(camera_source *s, live_frame *frame, mien_error *err) {
  live_answer answer = LIVE_NOTHING;
  pthread_mutex_lock(&s->lock);
  if (s->has_failed) {
    *err = s->err;
    answer = LIVE_BROKEN;
  } else if (s->has_frame) {
    copy_frame(s, &s->ready, frame);
    s->has_frame = false;
    answer = LIVE_NEW;
  } else if (s->has_ended && !s->has_picture) {
    answer = LIVE_END;
  }
  pthread_mutex_unlock(&s->lock);
  return answer;
}

// Every frame of a file up to a time.
static live_answer next_every(camera_source *s, double until, live_frame *frame, mien_error *err) {
  live_answer answer = LIVE_NOTHING;
  while (!s->has_ended && (s->picture.width == 0 || s->picture.time <= until + 1e-9)) {
    int ended = 0;
    if (s->picture.width) {
      s->picture.pixels = s->pixels;
      s->picture.stride = 0;
      if (!follow(s, &s->picture, s->picture.time, s->arrived, err)) return LIVE_BROKEN;
      copy_frame(s, &s->work, frame);
      answer = LIVE_NEW;
    }
    mien_image image;
    mien_result result = capture_read(s->capture, &image, &ended, err);
    if (result < 0) return LIVE_BROKEN;
    s->has_ended = result != MIEN_OK;
    if (s->has_ended) break;
    s->arrived = cli_clock();
    if (!keep_pixels(&s->pixels, &s->capacity, &image)) return LIVE_BROKEN;
    s->picture = image;
  }
  return answer == LIVE_NOTHING && s->has_ended ? LIVE_END : answer;
}

static live_answer next(void *self, double wait, double until, live_frame *frame, mien_error *err) {
  camera_source *s = self;
  (void)wait;
  if (until >= 0) return next_every(s, until, frame, err);
  if (!s->is_threaded) {
    s->is_threaded = true;
    if (pthread_create(&s->capturing, NULL, capture_all, s) ||
        pthread_create(&s->tracking, NULL, track_all, s)) {
      snprintf(err->text, sizeof err->text, "no thread for the camera");
      return LIVE_BROKEN;
    }
  }
  return next_ready(s, frame, err);
}

static int64_t ndropped(const void *self) {
  return ((const camera_source *)self)->ndropped;
}

static void close_camera(void *self) {
  camera_source *s = self;
  pthread_mutex_lock(&s->lock);
  s->is_ending = true;
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->lock);
  if (s->capturing) pthread_join(s->capturing, NULL);
  if (s->tracking) pthread_join(s->tracking, NULL);
  capture_close(s->capture);
  capture_finder_close(s->finder);
  mien_tracker_free(s->tracker);
  mien_fit_free(s->fit);
  pthread_mutex_destroy(&s->lock);
  pthread_cond_destroy(&s->changed);
  free(s->pixels);
  free(s->taken);
  free(s->work.weights);
  free(s->ready.weights);
  free(s);
}

// Which of three names an option says, -1 = none of them; the first is the default.
static int choose(const cli_args *args, const char *option, const char *const names[3]) {
  const char *said = cli_value(args, option, names[0]);
  int k = 0;
  while (k < 3 && strcmp(said, names[k])) k++;
  if (k < 3) return k;
  cli_usage("'--%s' is %s, %s or %s, not '%s'", option, names[0], names[1], names[2], said);
  return -1;
}

static int open_fit(camera_source *s) {
  static const char *const filters[] = {"adaptive", "one_euro", "off"};
  const char *calibration = cli_value(s->args, "calibration", NULL);
  mien_fit_def def;
  mien_error err;
  mien_fit_def_init(&def);
  int filter = choose(s->args, "filter", filters);
  if (filter < 0) return CLI_USAGE;
  def.filter = (mien_filter)filter;
  if (!cli_number(s->args, "field-of-view", 5, 160, def.field_of_view, &def.field_of_view) ||
      !cli_number(s->args, "sparsity", 0, 1000, def.sparsity, &def.sparsity))
    return CLI_USAGE;
  if (mien_fit_create(s->rig, &def, NULL, &s->fit, &err) < 0) return cli_report(&err, "fit");
  if (calibration && mien_fit_load(s->fit, calibration, &err) < 0)
    return cli_report(&err, calibration);
  return CLI_DONE;
}

static int choose_face(const cli_args *args, mien_tracker_def *opts) {
  const char *at = cli_value(args, "face-at", NULL);
  if (!at) return CLI_DONE;
  int nread = 0;
  opts->is_chosen = 1;
  if (sscanf(at, "%f,%f%n", &opts->near_x, &opts->near_y, &nread) < 2 || at[nread] ||
      !(opts->near_x >= 0 && opts->near_x <= 1 && opts->near_y >= 0 && opts->near_y <= 1))
    return cli_usage("'--face-at' is two numbers from 0 to 1 like 0.25,0.5, not '%s'", at);
  return CLI_DONE;
}

static int open_tracker(camera_source *s) {
  static const char *const kinds[] = {"auto", "mesh", "ert"};
  mien_tracker_def opts;
  mien_error err;
  mien_tracker_def_init(&opts);
  int kind = choose(s->args, "tracker", kinds), code = choose_face(s->args, &opts);
  if (kind < 0 || code) return CLI_USAGE;
  opts.kind = (mien_tracker_kind)kind;
  if (capture_finder_open(NULL, &s->finder, NULL) >= 0) {
    opts.find = capture_find;
    opts.find_user = s->finder;
  }
  return mien_tracker_create(&opts, NULL, &s->tracker, &err) < 0 ? cli_report(&err, "tracking")
                                                                 : CLI_DONE;
}

int live_open_camera(const cli_args *args, const mien_rig *rig, live_source *out) {
  const char *what = cli_value(args, "camera", cli_value(args, "video", ""));
  capture_def def = {.what = what};
  mien_error err;
  size_t nshape = (size_t)mien_rig_get_info(rig)->nshape;
  camera_source *s = calloc(1, sizeof *s);
  if (s) s->work.weights = calloc(nshape + 1, sizeof(float));
  if (s) s->ready.weights = calloc(nshape + 1, sizeof(float));
  if (!s || !s->work.weights || !s->ready.weights) {
    if (s) free(s->work.weights);
    free(s);
    return cli_fail("out of memory");
  }
  s->args = args;
  s->rig = rig;
  s->work.head.rotation[3] = 1;
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->changed, NULL);
  *out = (live_source){.self = s, .next = next, .ndropped = ndropped, .close = close_camera};
  snprintf(out->name, sizeof out->name, "%s %.80s", cli_given(args, "camera") ? "camera" : "video",
           what);
  int code = open_tracker(s);
  if (!code) code = open_fit(s);
  if (!code && capture_open(&def, &s->capture, &err) < 0) code = cli_report(&err, what);
  return code;
}
