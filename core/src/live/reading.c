// The state of a sender, and the angles of its head.
#include "live/live.h"

#include <math.h>
#include <string.h>

void mi_reading_init(mi_reading *reading) {
  *reading = (mi_reading){.nchannel = MI_ARKIT_SHAPES};
  for (int i = 0; i < MI_ARKIT_SHAPES; i++)
    memcpy(reading->name[i], mi_arkit_name(i), strlen(mi_arkit_name(i)) + 1);
  reading->frame.head.rotation[3] = reading->pending.head.rotation[3] = 1;
}

int mi_reading_channel(mi_reading *reading, const char *name) {
  size_t length = strlen(name);
  if (length == 0 || length >= MI_LIVE_NAME || !mi_text_is_clean(name)) return -1;
  int channel = mi_arkit_find(name);
  if (channel >= 0) return channel;
  for (int i = MI_ARKIT_SHAPES; i < reading->nchannel; i++)
    if (!strcmp(reading->name[i], name)) return i;
  if (reading->nchannel == MI_LIVE_CHANNELS) return -1;
  memcpy(reading->name[reading->nchannel], name, length + 1);
  return reading->nchannel++;
}

mi_packet mi_packet_read(mi_reading *reading, mien_protocol protocol, const uint8_t *bytes,
                         size_t size) {
  switch (protocol) {
  case MIEN_PROTOCOL_LIVE_LINK:
    return mi_live_link_read(reading, bytes, size);
  case MIEN_PROTOCOL_IFACIALMOCAP:
    return mi_facial_mocap_read(reading, bytes, size);
  case MIEN_PROTOCOL_VMC:
    return mi_vmc_read(reading, bytes, size);
  }
  return MI_PACKET_BAD;
}

void mi_rotation_from_angles(double yaw, double pitch, double roll, double rotation[4]) {
  double cy = cos(yaw / 2), sy = sin(yaw / 2);
  double cp = cos(pitch / 2), sp = sin(pitch / 2);
  double cr = cos(roll / 2), sr = sin(roll / 2);
  rotation[0] = cy * sp * cr + sy * cp * sr;
  rotation[1] = sy * cp * cr - cy * sp * sr;
  rotation[2] = cy * cp * sr - sy * sp * cr;
  rotation[3] = cy * cp * cr + sy * sp * sr;
}

// From R = Ry Rx Rz: R12 = -sin(pitch), R02 / R22 = tan(yaw), R10 / R11 = tan(roll).
void mi_angles_from_rotation(const double q[4], double *yaw, double *pitch, double *roll) {
  double x = q[0], y = q[1], z = q[2], w = q[3];
  double sine = 2 * (w * x - y * z);
  *pitch = asin(fmax(-1, fmin(1, sine)));
  *yaw = atan2(2 * (x * z + w * y), 1 - 2 * (x * x + y * y));
  *roll = atan2(2 * (x * y + w * z), 1 - 2 * (x * x + z * z));
}
