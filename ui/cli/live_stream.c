// Sources of `mien live`: phones and other programs over the network.
#include "live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct stream_source {
  const mien_rig *rig;
  mien_stream *stream;
  struct {
    int shape[2]; // of the rig, -1 = none
    float share[2];
  } match[256]; // of a channel
  int nknown;
  double opened;
} stream_source;

void live_relax(live_frame *frame, int nshape, double lost, double dt) {
  static const double hold = 0.4, slack = 0.5; // s
  frame->sees_face = false;
  frame->confidence = 0;
  if (lost < hold) return;
  float left = (float)exp(-dt / slack);
  for (int s = 0; s < nshape; s++) frame->weights[s] *= left;
}

// Finds the shapes that a channel moves, as in a take that has it alone, whatever the rig calls it.
static void match_channel(stream_source *s, int channel, const char *name) {
  static const double zero[1] = {0};
  static const float one[1] = {1};
  mien_take_def def;
  mien_take *take = NULL, *bound = NULL;
  mien_take_def_init(&def);
  def.channels = &name;
  def.nchannel = 1;
  def.nframe = 1;
  def.times = zero;
  def.weights = one;
  bool is_bound = mien_take_create(&def, NULL, &take, NULL) >= 0 &&
                  mien_take_bind(take, s->rig, &bound, NULL, NULL) >= 0;
  const mien_take_info *info = is_bound ? mien_take_get_info(bound) : NULL;
  for (int k = 0; k < 2; k++) {
    bool is_matched = info && k < info->nmatch;
    s->match[channel].shape[k] =
        is_matched ? mien_rig_find_shape(s->rig, info->matches[k].shape) : -1;
    s->match[channel].share[k] = is_matched ? info->matches[k].share : 0;
  }
  mien_take_free(bound);
  mien_take_free(take);
}

// Channels the sender has named since.
static void learn_channels(stream_source *s, const mien_stream_info *info) {
  for (; s->nknown < info->nchannel && s->nknown < 256; s->nknown++)
    match_channel(s, s->nknown, info->channels[s->nknown]);
}

static live_answer next(void *self, double wait, double until, live_frame *frame, mien_error *err) {
  stream_source *s = self;
  (void)until; // a phone does not wait
  mien_result result = mien_stream_latest(s->stream, wait, err);
  if (result < 0) return LIVE_BROKEN;
  const mien_stream_info *info = mien_stream_get_info(s->stream);
  if (!info->is_live || !info->sees_face) frame->sees_face = false;
  if (result != MIEN_OK || !info->sees_face) return LIVE_NOTHING;
  learn_channels(s, info);
  memset(frame->weights, 0, (size_t)mien_rig_get_info(s->rig)->nshape * sizeof *frame->weights);
  for (int c = 0; c < s->nknown; c++)
    for (int k = 0; k < 2; k++)
      if (s->match[c].shape[k] >= 0)
        frame->weights[s->match[c].shape[k]] += s->match[c].share[k] * info->weights[c];
  if (info->has_head) frame->head = cli_head_about_pivot(s->rig, &info->head, -1);
  frame->time = info->time;
  frame->arrived = s->opened + info->time;
  frame->seconds_track = frame->seconds_fit = 0;
  frame->confidence = 1;
  frame->sees_face = true;
  return LIVE_NEW;
}

static int64_t ndropped(const void *self) {
  const mien_stream_info *info = mien_stream_get_info(((const stream_source *)self)->stream);
  return info->nmalformed + info->nlate + info->nforeign;
}

static void close_stream(void *self) {
  stream_source *s = self;
  mien_stream_free(s->stream);
  free(s);
}

int live_open_stream(const cli_args *args, const mien_rig *rig, live_source *out) {
  static const char *const words[] = {"livelink", "ifacialmocap", "vmc"};
  static const char *const names[] = {"Live Link Face", "iFacialMocap", "VMC"};
  mien_stream_def def;
  mien_error err;
  double port = 0;
  int k = 0;
  while (!cli_given(args, words[k])) k++;
  if (!cli_number(args, words[k], 0, 65535, 0, &port)) return CLI_USAGE;
  mien_stream_def_init(&def);
  def.protocol = (mien_protocol)k;
  def.port = (int)port;
  def.address = cli_value(args, "listen", NULL);
  def.phone = cli_value(args, "phone", NULL);
  stream_source *s = calloc(1, sizeof *s);
  if (!s) return cli_fail("out of memory");
  s->rig = rig;
  s->opened = cli_clock();
  if (mien_stream_create(&def, NULL, &s->stream, &err) < 0) {
    free(s);
    return cli_report(&err, names[k]);
  }
  *out = (live_source){.self = s, .next = next, .ndropped = ndropped, .close = close_stream};
  snprintf(out->name, sizeof out->name, "%s at UDP port %d of %s", names[k],
           mien_stream_get_info(s->stream)->port, def.address ? def.address : "localhost");
  return CLI_DONE;
}
