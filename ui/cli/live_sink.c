// Sinks of `mien live`: weights to other programs, a video.
#include "live.h"
#include "live_video.h"
#include "live_view.h"

#include <stdlib.h>
#include <string.h>

enum { NSENDER = 3 };

struct live_sinks {
  const mien_rig *rig;
  const char **names; // of the rig's shapes                                             (nshape)
  mien_stream *sender[NSENDER];
  live_video *video;
  live_view *view;
  int64_t nunsent;
};

// ADDRESS[:PORT]
static int open_sender(const char *option, const char *to, mien_protocol protocol,
                       mien_stream **out) {
  char address[64];
  const char *colon = strrchr(to, ':');
  mien_stream_def def;
  mien_error err;
  size_t length = colon ? (size_t)(colon - to) : strlen(to);
  char *end = NULL;
  long port = colon ? strtol(colon + 1, &end, 10) : 0;
  if (length >= sizeof address || (colon && (*end || port < 1 || port > 65535)))
    return cli_usage("'--%s' takes ADDRESS or ADDRESS:PORT, not '%s'", option, to);
  memcpy(address, to, length);
  address[length] = 0;
  mien_stream_def_init(&def);
  def.protocol = protocol;
  def.sends = 1;
  def.address = *address ? address : NULL;
  def.port = (int)port;
  return mien_stream_create(&def, NULL, out, &err) < 0 ? cli_report(&err, option) : CLI_DONE;
}

static int open_senders(live_sinks *s, const cli_args *args) {
  static const char *const options[NSENDER] = {"send-livelink", "send-ifacialmocap", "send-vmc"};
  int code = CLI_DONE;
  for (int k = 0; !code && k < NSENDER; k++) {
    const char *to = cli_value(args, options[k], NULL);
    if (to) code = open_sender(options[k], to, (mien_protocol)k, &s->sender[k]);
  }
  return code;
}

int live_sinks_open(const cli_args *args, const mien_rig *rig, const mien_face *face, double fps,
                    live_sinks **out) {
  const mien_rig_info *info = mien_rig_get_info(rig);
  const char *path = cli_value(args, "out", NULL);
  double size;
  if (!cli_number(args, "size", 64, 4096, 480, &size)) return CLI_USAGE;
  if (path && (strlen(path) < 5 || strcmp(path + strlen(path) - 4, ".mp4")))
    return cli_usage("'--out' is a .mp4 file, not '%s'", path);
  live_sinks *s = *out = calloc(1, sizeof *s);
  if (s) s->names = calloc((size_t)info->nshape + 1, sizeof *s->names);
  if (!s || !s->names) return cli_fail("out of memory");
  s->rig = rig;
  for (int k = 0; k < info->nshape; k++) s->names[k] = info->shapes[k].name;
  int code = open_senders(s, args);
  if (!code && cli_given(args, "view")) {
    double port;
    code = cli_number(args, "view", 0, 65535, 0, &port) ? live_view_open((int)port, &s->view)
                                                        : CLI_USAGE;
  }
  if (!code && (path || s->view)) {
    live_video_def def = {.path = path, .view = s->view, .rig = rig, .face = face, .fps = fps};
    def.size = 2 * (int)(size / 2); // H.264 wants even numbers
    code = live_video_open(&def, &s->video);
  }
  return code;
}

// A network that is down for a moment does not end the performance.
int live_sinks_add(live_sinks *s, const live_frame *frame, const mien_state_info *state,
                   double time, bool wait) {
  int nshape = mien_rig_get_info(s->rig)->nshape;
  for (int k = 0; k < NSENDER; k++)
    if (s->sender[k])
      s->nunsent += mien_stream_send(s->sender[k], s->names, frame->weights, nshape, &frame->head,
                                     time, NULL) < 0;
  return s->video ? live_video_add(s->video, state, time, wait) : CLI_DONE;
}

int64_t live_sinks_ndropped(const live_sinks *s) {
  return s->nunsent + (s->video ? live_video_ndropped(s->video) : 0);
}

int live_sinks_close(live_sinks *s) {
  if (!s) return CLI_DONE;
  int code = live_video_close(s->video);
  live_view_close(s->view);
  for (int k = 0; k < NSENDER; k++) mien_stream_free(s->sender[k]);
  free(s->names);
  free(s);
  return code;
}
