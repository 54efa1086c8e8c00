// Live Link Face, packets of version 6, all big-endian:
//   u8 6 | u32 n | n bytes device id | u32 m | m bytes subject | i32 frame | f32 subframe |
//   i32 rate numerator | i32 rate denominator | u8 61 | 61 x f32
// Without a face a packet ends after the frame rate.
#include "live/live.h"

#include <math.h>
#include <string.h>

enum { VERSION = 6, LONGEST_TEXT = 512, ANGLES = MI_ARKIT_SHAPES };

typedef struct cursor {
  const uint8_t *at, *end;
  bool failed;
} cursor;

static uint32_t read_u32(cursor *c) {
  if (c->end - c->at < 4) {
    c->failed = true;
    return 0;
  }
  const uint8_t *b = c->at;
  c->at += 4;
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static float read_f32(cursor *c) {
  uint32_t bits = read_u32(c);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static void skip_text(cursor *c) {
  uint32_t length = read_u32(c);
  if (c->failed || length > LONGEST_TEXT || (ptrdiff_t)length > c->end - c->at) {
    c->failed = true;
    return;
  }
  c->at += length;
}

static int read_u8(cursor *c) {
  if (c->at < c->end) return *c->at++;
  c->failed = true;
  return -1;
}

// A clock that runs backwards by less than this is a packet that was overtaken; by more, a phone
// that was started again.
static const double restarted = 2; // s

mi_packet mi_live_link_read(mi_reading *reading, const uint8_t *bytes, size_t size) {
  cursor c = {bytes, bytes + size, false};
  if (read_u8(&c) != VERSION) return MI_PACKET_BAD;
  skip_text(&c);
  skip_text(&c);
  double frame = (double)(int32_t)read_u32(&c), part = (double)read_f32(&c);
  double over = (double)(int32_t)read_u32(&c), under = (double)(int32_t)read_u32(&c);
  if (c.failed || !(part >= 0 && part <= 1) || over <= 0 || under <= 0) return MI_PACKET_BAD;
  if (c.at == c.end) return MI_PACKET_NO_FACE;
  if (read_u8(&c) != MI_LIVE_LINK_VALUES) return MI_PACKET_BAD;
  float value[MI_LIVE_LINK_VALUES];
  for (int i = 0; i < MI_LIVE_LINK_VALUES; i++) {
    value[i] = read_f32(&c);
    if (!(fabsf(value[i]) < 100)) return MI_PACKET_BAD; // NaN, infinite or not a face
  }
  if (c.failed || c.at != c.end) return MI_PACKET_BAD;
  double time = (frame + part) * under / over, behind = reading->frame.time - time;
  if (reading->frame.has_time && behind >= 0 && behind < restarted) return MI_PACKET_LATE;
  mi_live_frame *to = &reading->frame;
  for (int i = 0; i < MI_ARKIT_SHAPES; i++) to->weight[i] = fminf(fmaxf(value[i], 0), 1);
  mi_rotation_from_angles((double)value[ANGLES], (double)value[ANGLES + 1],
                          (double)value[ANGLES + 2], to->head.rotation);
  to->has_head = to->has_time = true;
  to->time = time;
  return MI_PACKET_FRAME;
}

static uint8_t *write_u32(uint8_t *to, uint32_t value) {
  for (int i = 0; i < 4; i++) to[i] = (uint8_t)(value >> (24 - 8 * i));
  return to + 4;
}

static uint8_t *write_f32(uint8_t *to, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return write_u32(to, bits);
}

static uint8_t *write_text(uint8_t *to, const char *text) {
  size_t length = strlen(text);
  to = write_u32(to, (uint32_t)length);
  memcpy(to, text, length);
  return to + length;
}

size_t mi_live_link_write(const mi_live_message *message, uint8_t *out, int *next) {
  enum { RATE = 60 };
  float value[MI_LIVE_LINK_VALUES] = {0};
  for (int i = 0; i < message->nweight; i++) {
    int shape = mi_arkit_find(message->names[i]);
    if (shape >= 0) value[shape] = message->weights[i];
  }
  if (message->head) {
    double yaw, pitch, roll;
    mi_angles_from_rotation(message->head->rotation, &yaw, &pitch, &roll);
    value[ANGLES] = (float)yaw;
    value[ANGLES + 1] = (float)pitch;
    value[ANGLES + 2] = (float)roll;
  }
  double frames = fmin(fmax(message->time * RATE, 0), 2e9), whole = floor(frames);
  uint8_t *at = out;
  *at++ = VERSION;
  at = write_text(at, "00000000-0000-0000-0000-6D69656E0000");
  at = write_text(at, "mien");
  at = write_u32(at, (uint32_t)whole);
  at = write_f32(at, (float)(frames - whole));
  at = write_u32(at, RATE);
  at = write_u32(at, 1);
  *at++ = MI_LIVE_LINK_VALUES;
  for (int i = 0; i < MI_LIVE_LINK_VALUES; i++) at = write_f32(at, value[i]);
  *next = -1;
  return (size_t)(at - out);
}
