// Options that say how a rig's file is read, where the file does not or is wrong.
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool read_axis(const cli_args *args, const char *option, mien_axis *axis) {
  static const char *const names[] = {"x", "-x", "y", "-y", "z", "-z"};
  const char *text = cli_value(args, option, NULL);
  if (!text) return true;
  if (text[0] == '+') text++;
  for (int k = 0; k < 6; k++) {
    if (strcasecmp(text, names[k])) continue;
    *axis = (mien_axis)(MIEN_AXIS_X + k);
    return true;
  }
  cli_usage("'--%s' takes x, -x, y, -y, z or -z, not '%s'", option, text);
  return false;
}

bool cli_unit(const cli_args *args, const char *option, double *unit) {
  static const struct {
    const char *name;
    double metres;
  } named[] = {{"m", 1}, {"dm", 0.1}, {"cm", 0.01}, {"mm", 0.001}, {"in", 0.0254}};
  const char *text = cli_value(args, option, NULL);
  if (!text) return true;
  for (int i = 0; i < 5; i++)
    if (!strcasecmp(text, named[i].name)) {
      *unit = named[i].metres;
      return true;
    }
  char *end;
  *unit = strtod(text, &end);
  if (!*end && end != text && *unit >= 1e-6 && *unit <= 1e6) return true;
  cli_usage("'--%s' takes m, cm, mm, in, or metres as a number, not '%s'", option, text);
  return false;
}

bool cli_rig_options(const cli_args *args, mien_rig_opts *opts) {
  mien_rig_opts_init(opts);
  const char *pivot = cli_value(args, "pivot", NULL);
  char after;
  opts->face_part = cli_value(args, "face-part", NULL);
  if (!read_axis(args, "up", &opts->up) || !read_axis(args, "facing", &opts->facing) ||
      !cli_unit(args, "unit", &opts->unit))
    return false;
  if (!pivot) return true;
  opts->has_pivot = 1;
  if (sscanf(pivot, "%lf,%lf,%lf%c", opts->pivot, opts->pivot + 1, opts->pivot + 2, &after) == 3)
    return true;
  cli_usage("'--pivot' looks like 0,150,2, not '%s'", pivot);
  return false;
}

mien_rigid cli_head_about_pivot(const mien_rig *rig, const mien_rigid *head, int way) {
  const double *p = mien_rig_get_info(rig)->pivot, *q = head->rotation;
  double half[3];
  mien_rigid out = *head;
  for (int k = 0; k < 3; k++) {
    int a = (k + 1) % 3, b = (k + 2) % 3;
    half[k] = q[a] * p[b] - q[b] * p[a] + q[3] * p[k];
  }
  for (int k = 0; k < 3; k++) { // R p - p = 2 q x (q x p + w p)
    int a = (k + 1) % 3, b = (k + 2) % 3;
    out.translation[k] += way * 2 * (q[a] * half[b] - q[b] * half[a]);
  }
  return out;
}
