// Evaluates blendshapes; finds shapes and parts by name.
#include "rig/rig.h"

#include "math/kernels.h"
#include "math/vec.h"

#include <string.h>

void mi_rig_pose(const mien_rig *rig, const float *weights, int nweight, float *out) {
  const mi_kernels *kernels = mi_kernels_best();
  memcpy(out, rig->positions, 3 * (size_t)rig->info.nvert * sizeof *out);
  for (int s = 0; s < nweight; s++) {
    if (weights[s] == 0) continue;
    const mi_shape_runs *runs = rig->runs + s;
    for (int r = 0; r < runs->nrun; r++)
      kernels->add_scaled(out + 3 * (size_t)runs->vert[r], runs->delta + 3 * (size_t)runs->first[r],
                          weights[s], 3 * runs->count[r]);
  }
}

void mi_rig_motion(const mien_rig *rig, float *motion) {
  for (int s = 0; s < rig->info.nshape; s++) {
    const mien_shape *shape = rig->info.shapes + s;
    for (int k = 0; k < shape->indices.count; k++) {
      float length = (float)mi_length(mi_vec3_load(mi_f32s_at(&shape->deltas, 3, k)));
      float *most = motion + shape->indices.data[k];
      if (length > *most) *most = length;
    }
  }
}

int mi_rig_find_shape(const mien_rig *rig, const char *name) {
  char wanted[128], has[128];
  for (int s = 0; s < rig->info.nshape; s++)
    if (!strcmp(rig->info.shapes[s].name, name)) return s;
  mi_name_fold(name, wanted, sizeof wanted);
  for (int s = 0; s < rig->info.nshape; s++) {
    mi_name_fold(rig->info.shapes[s].name, has, sizeof has);
    if (wanted[0] && !strcmp(wanted, has)) return s;
  }
  return -1;
}

int mi_rig_find_map(const mien_rig *rig, const char *name) {
  for (int m = 0; m < rig->info.nmap; m++)
    if (!strcmp(rig->info.maps[m].name, name)) return m;
  return -1;
}
