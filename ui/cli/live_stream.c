// Sources of `mien live`: phones and other programs over the network.
#include "live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHANNELS = 256 };

typedef struct stream_source {
  const mien_rig *rig;
  mien_stream *stream;
  bool has_moved[MOST_CHANNELS]; // a channel that has not is taken for one that is not there
  int nrefused;
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

// A frame is the second one of a take, whose first says what has moved so far: names mean what
// they mean in takes, and shapes that follow others follow. Zeros where a take would be refused.
static void take_frame(stream_source *s, const mien_stream_info *info, float *weights) {
  static const double times[2] = {0, 1};
  float rows[2 * MOST_CHANNELS];
  int nshape = mien_rig_get_info(s->rig)->nshape, n = info->nchannel;
  n = n < MOST_CHANNELS ? n : MOST_CHANNELS;
  for (int c = 0; c < n; c++) {
    s->has_moved[c] |= info->weights[c] != 0;
    rows[c] = s->has_moved[c];
    rows[n + c] = info->weights[c];
  }
  mien_take_def def;
  mien_take *take = NULL, *bound = NULL;
  mien_take_def_init(&def);
  def.channels = info->channels;
  def.nchannel = n;
  def.nframe = 2;
  def.times = times;
  def.weights = rows;
  mien_error err;
  bool is_bound = mien_take_create(&def, NULL, &take, &err) >= 0 &&
                  mien_take_bind(take, s->rig, &bound, NULL, &err) >= 0;
  if (!is_bound && n && !s->nrefused++)
    fprintf(stderr, "\nnote: frames of the stream are left out: %s\n", err.text);
  memset(weights, 0, (size_t)nshape * sizeof *weights);
  if (is_bound)
    memcpy(weights, mien_take_get_info(bound)->weights + nshape, (size_t)nshape * sizeof *weights);
  mien_take_free(bound);
  mien_take_free(take);
}

static live_answer next(void *self, double wait, double until, live_frame *frame, mien_error *err) {
  stream_source *s = self;
  (void)until; // a phone does not wait
  mien_result result = mien_stream_latest(s->stream, wait, err);
  if (result < 0) return LIVE_BROKEN;
  const mien_stream_info *info = mien_stream_get_info(s->stream);
  if (!info->is_live || !info->sees_face) frame->sees_face = false;
  if (result != MIEN_OK || !info->sees_face) return LIVE_NOTHING;
  take_frame(s, info, frame->weights);
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
