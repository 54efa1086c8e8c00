// The public functions of live streams: arguments are checked here and nowhere else.
#include "live/stream.h"

#include <math.h>

void(mien_stream_def_init)(mien_stream_def *def, size_t struct_size) {
  mi_struct_init(def, struct_size, &(mien_stream_def){0}, sizeof *def);
}

static mien_result check(const mien_stream_def *def, mien_error *err) {
  if (def->protocol != MIEN_PROTOCOL_LIVE_LINK && def->protocol != MIEN_PROTOCOL_IFACIALMOCAP &&
      def->protocol != MIEN_PROTOCOL_VMC)
    return mi_fail(err, MIEN_ERR_OPTIONS, "there is no protocol %d", (int)def->protocol);
  if (def->phone && def->sends)
    return mi_fail(err, MIEN_ERR_OPTIONS, "a phone is listened to, nothing is sent there");
  return MIEN_OK;
}

mien_result mien_stream_create(const mien_stream_def *given_def, const mien_host *given,
                               mien_stream **out, mien_error *err) {
  mi_error_clear(err);
  MI_USUAL_FLOATS;
  if (!given_def || !out)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no definition, or nowhere to put the stream");
  mien_stream_def def;
  mien_host host;
  mien_result result = MI_TAKE(mien_stream_def, &def, given_def, err);
  if (result >= 0) result = check(&def, err);
  if (result >= 0) result = mi_host_resolve(given, &host, err);
  return result >= 0 ? mi_stream_create(&def, &host, out, err) : result;
}

mien_result mien_stream_latest(mien_stream *stream, double wait, mien_error *err) {
  mi_error_clear(err);
  MI_USUAL_FLOATS;
  if (!stream) return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no stream");
  if (stream->sends) return mi_fail(err, MIEN_ERR_ARGUMENT, "this stream sends");
  if (!(wait >= 0 && wait <= 10))
    return mi_fail(err, MIEN_ERR_ARGUMENT, "a stream waits 0 to 10 seconds, not %g", wait);
  return mi_stream_latest(stream, wait) ? MIEN_OK : MIEN_NO_FRAME;
}

const mien_stream_info *mien_stream_get_info(const mien_stream *stream) {
  return stream ? &stream->info : NULL;
}

mien_result mien_stream_send(mien_stream *stream, const char *const *names, const float *weights,
                             int nweight, const mien_rigid *head, double time, mien_error *err) {
  mi_error_clear(err);
  MI_USUAL_FLOATS;
  if (!stream || !stream->sends)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no stream that sends");
  if (nweight < 0 || nweight > 10000 || (nweight && (!names || !weights)))
    return mi_fail(err, MIEN_ERR_ARGUMENT, "a frame needs a name for each of its weights");
  bool finite = isfinite(time);
  for (int i = 0; i < nweight; i++) {
    if (!names[i]) return mi_fail(err, MIEN_ERR_ARGUMENT, "weight %d has no name", i);
    finite = finite && isfinite(weights[i]);
  }
  for (int i = 0; head && i < 4; i++) finite = finite && isfinite(head->rotation[i]);
  for (int i = 0; head && i < 3; i++) finite = finite && isfinite(head->translation[i]);
  if (!finite) return mi_fail(err, MIEN_ERR_NOT_FINITE, "a frame to send is not finite");
  mi_live_message message = {names, weights, nweight, head, time};
  return mi_stream_send(stream, &message, err);
}

void mien_stream_free(mien_stream *stream) {
  if (stream) mi_stream_free(stream);
}
