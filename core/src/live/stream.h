// A socket with the state of its sender.
#ifndef MI_STREAM_H
#define MI_STREAM_H

#include "live/live.h"

struct mien_stream {
  mien_stream_info info;
  mi_arena arena;
  mi_reading reading;
  const char *channels[MI_LIVE_CHANNELS];
  mien_protocol protocol;
  bool sends, has_phone, has_sender;
  int socket;
  mi_peer to;     // where frames or, when listening, the phone's greeting go
  mi_peer sender; // the one that is listened to
  mi_peer only;   // whom the system lets through; address 0 = all
  uint32_t ndropped;
  double opened, heard, greeted;
  uint8_t packet[MI_PACKET_BYTES];
};

mien_result mi_stream_create(const mien_stream_def *def, const mien_host *host, mien_stream **out,
                             mien_error *err);
bool mi_stream_latest(mien_stream *stream, double wait); // true when there is a new frame
mien_result mi_stream_send(mien_stream *stream, const mi_live_message *message, mien_error *err);
void mi_stream_free(mien_stream *stream);
// One packet that arrived at `now` (s of mi_clock): true when it made a new frame.
bool mi_stream_take(mien_stream *stream, const uint8_t *bytes, size_t size, const mi_peer *from,
                    double now);

#endif
