#include "scaled_rig.h"

mien_result scaled_rig(const mien_rig *rig, double scale, const mien_host *host, mien_rig **out,
                       mien_error *err) {
  const mien_rig_info *info = mien_rig_get_info(rig);
  mien_rig_def def;
  mien_rig_def_init(&def);
  def.name = info->name;
  def.metres_per_unit = scale;
  def.source_unit = info->source_unit;
  def.positions = info->positions;
  def.faces = info->triangles;
  def.parts = info->parts;
  def.npart = info->npart;
  def.shapes = info->shapes;
  def.nshape = info->nshape;
  def.maps = info->maps;
  def.nmap = info->nmap;
  def.landmarks = info->landmarks;
  def.jaw = info->jaw;
  for (int k = 0; k < 3; k++) def.jaw.hinge[k] = (float)(scale * (double)def.jaw.hinge[k]);
  def.weld = 0;
  return mien_rig_create(&def, host, out, err);
}

mien_f32s scaled_points(mien_f32s points, double scale, float *room) {
  if (scale == 1 || !points.data) return points;
  int stride = points.stride ? points.stride : 3;
  for (int i = 0; i < points.count; i++)
    for (int k = 0; k < 3; k++)
      room[3 * (size_t)i + (size_t)k] =
          (float)(scale * (double)points.data[(size_t)i * (size_t)stride + (size_t)k]);
  return (mien_f32s){room, points.count, 3};
}

mien_f32s moved_points(mien_f32s points, const mien_rigid *by, float *room) {
  const double *q = by->rotation, *t = by->translation;
  size_t stride = points.stride ? (size_t)points.stride : 3;
  for (int i = 0; i < points.count; i++) {
    const float *p = points.data + stride * (size_t)i;
    double half[3];
    for (int k = 0; k < 3; k++) {
      int a = (k + 1) % 3, c = (k + 2) % 3;
      half[k] = q[a] * (double)p[c] - q[c] * (double)p[a] + q[3] * (double)p[k];
    }
    for (int k = 0; k < 3; k++) { // x + 2 q x (q x x + w x) + t
      int a = (k + 1) % 3, c = (k + 2) % 3;
      room[3 * (size_t)i + (size_t)k] =
          (float)((double)p[k] + 2 * (q[a] * half[c] - q[c] * half[a]) + t[k]);
    }
  }
  return (mien_f32s){room, points.count, 3};
}
