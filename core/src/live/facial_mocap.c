// iFacialMocap, text:
//   mouthSmile_R-0|eyeBlink_L-7|...|=head#ex,ey,ez,px,py,pz|rightEye#ex,ey,ez|leftEye#ex,ey,ez|
// Weights are 0 to 100; version 2 writes name&value. Angles are degrees and, like positions, in
// Unity's left-handed axes, where +X is the subject's right: mirrored, x angles stay and the others
// change sign.
#include "live/live.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double degree = 3.14159265358979323846 / 180;

const char *mi_facial_mocap_hello(void) {
  return "iFacialMocap_sahuasouryya9218sauhuiayeta91555dy3719";
}

typedef struct field {
  const char *at, *end;
} field;

// The next token up to `separator`; false at the end.
static bool next_field(const char **at, const char *end, char separator, field *out) {
  if (*at >= end) return false;
  const char *stop = memchr(*at, separator, (size_t)(end - *at));
  *out = (field){*at, stop ? stop : end};
  *at = stop ? stop + 1 : end;
  return true;
}

static bool copy_name(const char *at, const char *end, char name[MI_LIVE_NAME]) {
  size_t length = (size_t)(end - at);
  if (length == 0 || length >= MI_LIVE_NAME || memchr(at, 0, length)) return false;
  memcpy(name, at, length);
  name[length] = 0;
  return true;
}

static bool read_weight(const field *f, char name[MI_LIVE_NAME], double *value) {
  const char *mark = memchr(f->at, '&', (size_t)(f->end - f->at));
  for (const char *at = f->at; !mark && at < f->end; at++)
    if (*at == '-') mark = at;
  if (!mark || !copy_name(f->at, mark, name)) return false;
  return mi_parse_double(mark + 1, f->end, value) == f->end && fabs(*value) <= 1000;
}

static bool read_head(const field *f, mien_rigid *head) {
  double v[6] = {0};
  const char *at = f->at;
  field number;
  int n = 0;
  while (next_field(&at, f->end, ',', &number)) {
    if (n == 6 || mi_parse_double(number.at, number.end, &v[n]) != number.end) return false;
    if (!(fabs(v[n++]) < 1e4)) return false;
  }
  if (n != 3 && n != 6) return false;
  mi_rotation_from_angles(-v[1] * degree, v[0] * degree, -v[2] * degree, head->rotation);
  head->translation[0] = -v[3];
  head->translation[1] = v[4];
  head->translation[2] = v[5];
  return true;
}

// One pass over the packet; `apply` is NULL when it is only being checked. Weights that were read
// are counted.
static int walk(const char *at, const char *end, mi_reading *apply) {
  int nweight = 0;
  field f;
  while (next_field(&at, end, '|', &f)) {
    if (f.at == f.end) continue;
    if (*f.at == '=') f.at++; // shapes end and bones begin
    char name[MI_LIVE_NAME];
    double value;
    const char *bone = memchr(f.at, '#', (size_t)(f.end - f.at));
    if (bone) {
      mien_rigid head = {.rotation = {0, 0, 0, 1}};
      bool is_head = bone - f.at == 4 && !memcmp(f.at, "head", 4);
      field numbers = {bone + 1, f.end};
      if (is_head && !read_head(&numbers, &head)) return -1;
      if (is_head && apply) {
        apply->frame.head = head;
        apply->frame.has_head = true;
      }
      continue;
    }
    if (!read_weight(&f, name, &value)) return -1;
    nweight++;
    int channel = apply ? mi_reading_channel(apply, name) : -1;
    if (channel >= 0) apply->frame.weight[channel] = (float)fmin(fmax(value / 100, 0), 1);
  }
  return nweight;
}

mi_packet mi_facial_mocap_read(mi_reading *reading, const uint8_t *bytes, size_t size) {
  const char *at = (const char *)bytes, *end = at + size;
  if (walk(at, end, NULL) <= 0) return MI_PACKET_BAD;
  walk(at, end, reading);
  return MI_PACKET_FRAME;
}

size_t mi_facial_mocap_write(const mi_live_message *message, uint8_t *out, int *next) {
  enum { MOST = 1400, LONGEST = 100 };
  char *at = (char *)out, *end = at + MOST;
  for (int i = 0; i < message->nweight && end - at > 2 * LONGEST; i++) {
    int shape = mi_arkit_find(message->names[i]);
    if (shape < 0) continue;
    const char *name = mi_arkit_name(shape), *side = "";
    int length = (int)strlen(name);
    if (length > 4 && !strcmp(name + length - 4, "Left"))
      side = "_L", length -= 4;
    else if (length > 5 && !strcmp(name + length - 5, "Right"))
      side = "_R", length -= 5;
    long value = lround(100 * fmin(fmax((double)message->weights[i], 0), 1));
    at += snprintf(at, LONGEST, "%.*s%s-%ld|", length, name, side, value);
  }
  if (message->head) {
    double yaw, pitch, roll;
    const double *p = message->head->translation;
    mi_angles_from_rotation(message->head->rotation, &yaw, &pitch, &roll);
    double v[6] = {pitch / degree, -yaw / degree, -roll / degree, -p[0], p[1], p[2]};
    *at++ = '=';
    memcpy(at, "head#", 5);
    at += 5;
    for (int i = 0; i < 6; i++) {
      at += mi_format_float(at, (float)v[i]);
      *at++ = i < 5 ? ',' : '|';
    }
  }
  *next = -1;
  return (size_t)(at - (char *)out);
}
