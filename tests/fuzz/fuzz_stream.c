// Any bytes as a stream's life: packets of several senders at moments that go forwards. Counters
// add up, only one sender is heard at a time, and the face stays within its bounds. Each packet:
// sender (1 byte), time since the last (1 byte, 20 ms), length (2 bytes), bytes. Run: fuzz_stream
// corpus/live
#include "limited_host.h"
#include "live/stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static mien_stream *streams[2][3]; // with and without a phone named; sockets are made once

static void check(const mien_stream *s) {
  const mien_stream_info *info = &s->info;
  if (info->nframe + info->nmalformed + info->nlate + info->nforeign > info->npacket) abort();
  if (info->nchannel < 0 || info->nchannel > MI_LIVE_CHANNELS) abort();
  for (int i = 0; i < info->nchannel; i++)
    if (!(info->weights[i] >= 0 && info->weights[i] <= 1)) abort();
  double norm = 0;
  for (int k = 0; k < 4; k++) norm += info->head.rotation[k] * info->head.rotation[k];
  if (info->has_head && !(fabs(norm - 1) < 1e-3)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  int has_phone = data[0] / 3 % 2, protocol = data[0] % 3;
  mien_stream **at_stream = &streams[has_phone][protocol];
  mien_stream_def def;
  mien_stream_def_init(&def);
  def.protocol = (mien_protocol)protocol;
  def.port = -1;
  def.phone = has_phone ? "10.0.0.1" : NULL;
  mien_stream_free(*at_stream);
  *at_stream = NULL;
  if (mien_stream_create(&def, NULL, at_stream, NULL) < 0) return 0;
  mien_stream *s = *at_stream;
  double now = s->opened;
  const uint8_t *at = data + 1, *end = data + size;
  while (end - at >= 4) {
    mi_peer from = {0, (uint16_t)(at[0] >> 2)};
    char address[16] = "10.0.0.1";
    address[7] = (char)('1' + (at[0] & 3));
    if (!mi_peer_parse(address, from.port, &from)) abort();
    now += 0.02 * at[1];
    size_t length = (size_t)at[2] << 8 | at[3];
    at += 4;
    if (length > (size_t)(end - at)) length = (size_t)(end - at);
    uint8_t *packet = malloc(length ? length : 1);
    if (!packet) return 0;
    memcpy(packet, at, length);
    bool is_taken = mi_stream_take(s, packet, length, &from, now);
    if (is_taken && has_phone && (at[-4] & 3)) abort();
    free(packet);
    at += length;
    check(s);
  }
  return 0;
}
