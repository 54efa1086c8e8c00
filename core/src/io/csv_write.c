// A take as CSV: Time, the channels, the head. See io.h for the columns.
#include "base/number.h"
#include "io/io.h"
#include "rig/rig.h"

#include <math.h>
#include <string.h>

static void write_double(mi_file *file, double value) {
  char text[MI_NUMBER_CHARS];
  mi_file_write(file, text, (size_t)mi_format_double(text, value));
}

static void write_float(mi_file *file, float value) {
  char text[MI_NUMBER_CHARS];
  mi_file_write(file, text, (size_t)mi_format_float(text, value));
}

// A name holding what CSV itself uses is quoted.
static void write_name(mi_file *file, const char *name) {
  bool plain = !strpbrk(name, ",\"\r\n") && name[0] != ' ';
  mi_file_print(file, plain ? ",%s" : ",\"%s\"", name);
}

// yaw, pitch and roll with R = Ry(yaw) Rx(pitch) Rz(roll).
static void angles_from_rotation(const double q[4], double angle[3]) {
  double x = q[0], y = q[1], z = q[2], w = q[3];
  double r12 = 2 * (y * z - w * x);
  double sin_pitch = fmin(1, fmax(-1, -r12));
  angle[1] = asin(sin_pitch);
  if (fabs(sin_pitch) < 1 - 1e-12) {
    angle[0] = atan2(2 * (x * z + w * y), 1 - 2 * (x * x + y * y));
    angle[2] = atan2(2 * (x * y + w * z), 1 - 2 * (x * x + z * z));
  } else { // looking straight up or down: yaw and roll are one turn
    angle[0] = atan2(2 * (w * y - x * z), 1 - 2 * (y * y + z * z));
    angle[2] = 0;
  }
}

// Angles turn about the rig's pivot, a quaternion about its origin.
static void write_head(mi_file *file, const mien_rigid *head, bool about_pivot) {
  double value[7];
  memcpy(value, head->translation, 3 * sizeof *value);
  if (about_pivot)
    angles_from_rotation(head->rotation, value + 3);
  else
    memcpy(value + 3, head->rotation, 4 * sizeof *value);
  for (int i = 0; i < (about_pivot ? 6 : 7); i++) {
    mi_file_write(file, ",", 1);
    write_double(file, value[i]);
  }
}

static mien_result check_names(const mien_take_info *take, mien_error *err) {
  for (int c = 0; c < take->nchannel; c++) {
    if (strpbrk(take->channels[c], "\"\r\n"))
      return mi_fail(err, MIEN_ERR_ARGUMENT,
                     "the channel name %.80s holds a quote or a line end: CSV cannot hold it",
                     take->channels[c]);
    if (!mi_csv_is_channel(take->channels[c]))
      return mi_fail(err, MIEN_ERR_ARGUMENT,
                     "a channel named '%.80s' would be something else in a CSV file; rename it",
                     take->channels[c]);
  }
  return MIEN_OK;
}

mien_result mi_csv_write_take(const mien_take *take, const char *path, mien_error *err) {
  const mien_take_info *info = &take->info;
  mien_result result = check_names(info, err);
  if (result < 0) return result;
  mi_file *file;
  result = mi_file_create(path, &take->host, &file, err);
  if (result < 0) return result;
  mi_file_print(file, "Time");
  for (int c = 0; c < info->nchannel; c++) write_name(file, info->channels[c]);
  if (info->head)
    mi_file_print(file, ",HeadX,HeadY,HeadZ,%s",
                  info->about_pivot ? "HeadYaw,HeadPitch,HeadRoll" : "HeadQX,HeadQY,HeadQZ,HeadQW");
  for (int f = 0; f < info->nframe; f++) {
    mi_file_write(file, "\n", 1);
    write_double(file, info->times[f]);
    for (int c = 0; c < info->nchannel; c++) {
      mi_file_write(file, ",", 1);
      write_float(file, info->weights[(size_t)f * (size_t)info->nchannel + (size_t)c]);
    }
    if (info->head) write_head(file, &info->head[f], info->about_pivot);
  }
  mi_file_write(file, "\n", 1);
  return mi_file_commit(file, err);
}
