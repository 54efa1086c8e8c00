// A source of `mien live`: a take, played at its own speed or frame by frame.
#include "live.h"

#include <math.h>
#include <stdlib.h>

typedef struct take_source {
  mien_take *take;
  double started; // s of cli_clock; 0 = not yet
} take_source;

static live_answer next(void *self, double wait, double until, live_frame *frame, mien_error *err) {
  take_source *s = self;
  const mien_take_info *info = mien_take_get_info(s->take);
  (void)wait;
  double now = cli_clock();
  if (s->started == 0) s->started = now;
  double at = until >= 0 ? until : now - s->started;
  if (at > info->end - info->start + 1e-9) return LIVE_END;
  if (mien_take_sample(s->take, info->start + at, frame->weights, &frame->head, err) < 0)
    return LIVE_BROKEN;
  frame->time = at;
  frame->arrived = now;
  frame->seconds_track = frame->seconds_fit = 0;
  frame->confidence = 1;
  frame->sees_face = true;
  return LIVE_NEW;
}

static int64_t ndropped(const void *self) {
  (void)self;
  return 0;
}

static void close_take(void *self) {
  mien_take_free(((take_source *)self)->take);
  free(self);
}

int live_open_take(const cli_args *args, const mien_rig *rig, live_source *out) {
  const char *path = cli_value(args, "take", NULL);
  mien_error err;
  mien_take *take = cli_load_take(args, path);
  take_source *s = take ? calloc(1, sizeof *s) : NULL;
  if (!s) {
    mien_take_free(take);
    return CLI_FAILED;
  }
  mien_result result = mien_take_bind(take, rig, &s->take, NULL, &err);
  mien_take_free(take);
  if (result < 0) {
    free(s);
    return cli_report(&err, "take");
  }
  *out = (live_source){.self = s, .next = next, .ndropped = ndropped, .close = close_take};
  snprintf(out->name, sizeof out->name, "the take %.80s", path);
  return CLI_DONE;
}
