// The Virtual Motion Capture protocol: OSC messages, of which a face needs
//   /VMC/Ext/Blend/Val   name value, for every shape
//   /VMC/Ext/Blend/Apply the frame is whole
//   /VMC/Ext/Bone/Pos    "Head" x y z qx qy qz qw
//   /VMC/Ext/T           seconds        /VMC/Ext/OK 1 = there is somebody
// Axes are Unity's, left-handed with +X to the subject's right: x is mirrored on the way in and
// out.
#include "live/live.h"
#include "live/osc.h"

#include <math.h>
#include <string.h>

typedef struct pass {
  mi_reading *reading; // NULL = the packet is being checked
  bool is_vmc, is_sound, is_whole, sees_nobody;
} pass;

static bool has_types(const mi_osc_message *m, const char *types) {
  if (m->nargument < (int)strlen(types)) return false;
  for (int i = 0; types[i]; i++)
    if (m->argument[i].type != types[i]) return false;
  return true;
}

static void take_value(pass *p, const mi_osc_message *m) {
  if (!has_types(m, "sf")) {
    p->is_sound = false;
  } else if (p->reading) {
    int channel = mi_reading_channel(p->reading, m->argument[0].text);
    if (channel >= 0)
      p->reading->pending.weight[channel] = (float)fmin(fmax(m->argument[1].number, 0), 1);
  }
}

static void take_bone(pass *p, const mi_osc_message *m) {
  if (!has_types(m, "sfffffff")) {
    p->is_sound = false;
    return;
  }
  if (strcmp(m->argument[0].text, "Head")) return;
  double v[7], length = 0;
  for (int i = 0; i < 7; i++) v[i] = m->argument[1 + i].number;
  for (int i = 3; i < 7; i++) length += v[i] * v[i];
  length = sqrt(length);
  if (!(length > 0.1 && length < 10) || !(fabs(v[0]) + fabs(v[1]) + fabs(v[2]) < 1e4)) {
    p->is_sound = false;
    return;
  }
  if (!p->reading) return;
  p->reading->pending.head = (mien_rigid){
      .rotation = {v[3] / length, -v[4] / length, -v[5] / length, v[6] / length},
      .translation = {-v[0], v[1], v[2]},
  };
  p->reading->pending.has_head = true;
}

static void take_message(void *user, const mi_osc_message *m) {
  pass *p = user;
  if (strncmp(m->address, "/VMC/Ext/", 9)) return;
  const char *what = m->address + 9;
  p->is_vmc = true;
  if (!strcmp(what, "Blend/Val")) take_value(p, m);
  if (!strcmp(what, "Bone/Pos")) take_bone(p, m);
  if (!strcmp(what, "Blend/Apply")) {
    p->is_whole = true;
    if (p->reading) p->reading->frame = p->reading->pending;
  }
  if (!strcmp(what, "OK") && has_types(m, "i")) p->sees_nobody = m->argument[0].number == 0;
  if (!strcmp(what, "T") && has_types(m, "f") && p->reading) {
    p->reading->pending.time = m->argument[0].number;
    p->reading->pending.has_time = true;
  }
}

mi_packet mi_vmc_read(mi_reading *reading, const uint8_t *bytes, size_t size) {
  pass check = {.is_sound = true};
  if (!mi_osc_walk(bytes, size, take_message, &check) || !check.is_sound || !check.is_vmc)
    return MI_PACKET_BAD;
  pass p = {.reading = reading, .is_sound = true};
  mi_osc_walk(bytes, size, take_message, &p);
  if (p.is_whole) return MI_PACKET_FRAME;
  return p.sees_nobody ? MI_PACKET_NO_FACE : MI_PACKET_PART;
}

// A bundle stays below what one Ethernet packet carries; 52 shapes need two. The first carries what
// belongs to the frame as a whole, the last says that it is whole.
size_t mi_vmc_write(const mi_live_message *message, uint8_t *out, int *next) {
  enum { MOST = 1400, APPLY = 36 };
  mi_osc_writer writer;
  mi_osc_begin(&writer, out, MOST - APPLY);
  if (*next == 0) {
    mi_osc_add(&writer, "/VMC/Ext/OK", "i", NULL, (float[]){1});
    mi_osc_add(&writer, "/VMC/Ext/T", "f", NULL, (float[]){(float)message->time});
    if (message->head) {
      const double *q = message->head->rotation, *p = message->head->translation;
      float v[7] = {(float)-p[0], (float)p[1],  (float)p[2], (float)q[0],
                    (float)-q[1], (float)-q[2], (float)q[3]};
      mi_osc_add(&writer, "/VMC/Ext/Bone/Pos", "sfffffff", (const char *const[]){"Head"}, v);
    }
  }
  for (; *next < message->nweight; ++*next) {
    const char *name = message->names[*next];
    int shape = mi_arkit_find(name); // receivers match names by every letter
    if (shape >= 0) name = mi_arkit_name(shape);
    if (strlen(name) >= MI_LIVE_NAME) continue;
    if (!mi_osc_add(&writer, "/VMC/Ext/Blend/Val", "sf", &name, &message->weights[*next]))
      return writer.size;
  }
  writer.capacity = MOST;
  mi_osc_add(&writer, "/VMC/Ext/Blend/Apply", "", NULL, NULL);
  *next = -1;
  return writer.size;
}
