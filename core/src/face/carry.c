#include "face/carry.h"

#include "face/face.h"

#include <string.h>

mi_bone_motion mi_bone_motion_of(const mien_rigid *at) {
  double x = at->rotation[0], y = at->rotation[1], z = at->rotation[2], w = at->rotation[3];
  double n = 2 / (x * x + y * y + z * z + w * w);
  return (mi_bone_motion){.turn = {-n * (y * y + z * z), n * (x * y - z * w), n * (x * z + y * w),
                                   n * (x * y + z * w), -n * (x * x + z * z), n * (y * z - x * w),
                                   n * (x * z - y * w), n * (y * z + x * w), -n * (x * x + y * y)},
                          .shift = {at->translation[0], at->translation[1], at->translation[2]}};
}

mi_bone_motion mi_bone_hinge(const mien_face *face, const float *weights) {
  const mi_regions *regions = &face->regions;
  const mien_jaw *jaw = &regions->jaw_hinge;
  float weight = regions->jaw_shape < 0 ? 0 : weights[regions->jaw_shape];
  if (!jaw->is_known || weight == 0) return (mi_bone_motion){.is_none = true};
  double half = 0.5 * (double)jaw->open_angle * (double)weight, s = sin(half);
  mi_vec3 axis = mi_unit(mi_vec3_load(jaw->axis)), hinge = mi_vec3_load(jaw->hinge);
  mi_bone_motion m =
      mi_bone_motion_of(&(mien_rigid){{s * axis.x, s * axis.y, s * axis.z, cos(half)}, {0, 0, 0}});
  m.shift = mi_scale(-1, mi_bone_move(&m, hinge));
  return m;
}

enum { CHUNK = 1024 };

typedef struct carry_ctx {
  const mien_face *face;
  const float *rig;
  const mi_bone_motion *jaw;
  float *posed;
} carry_ctx;

// posed = rest + (1 - share) * skin's motion + share * bone's motion
static void carry_range(void *user, int begin, int end) {
  const carry_ctx *c = user;
  const mien_face *face = c->face;
  for (int i = begin; i < end; i++) {
    size_t v = 3 * (size_t)face->skin.vert[face->carrier[i]], at = 3 * (size_t)i;
    if (i < face->skin.nvert) { // the artist's to the last bit
      memcpy(c->posed + at, c->rig + 3 * (size_t)face->skin.vert[i], 3 * sizeof(float));
      continue;
    }
    mi_vec3 rest = mi_vec3_load(face->rest + at);
    mi_vec3 skin = mi_sub(mi_vec3_load(c->rig + v), mi_vec3_load(face->rig->positions + v));
    double held = face->bone_share[i];
    mi_vec3 moved = mi_add_scaled(rest, 1 - held, skin);
    if (!c->jaw->is_none && held > 0 && face->jaw[i] > 0)
      moved = mi_add_scaled(moved, held * face->jaw[i], mi_bone_move(c->jaw, rest));
    mi_vec3_store(c->posed + at, moved);
  }
}

void mi_carry(const mien_face *face, const float *rig, const mi_bone_motion *jaw, int threads,
              float *posed) {
  carry_ctx c = {face, rig, jaw, posed};
  mi_parallel(threads, face->info.nvert, CHUNK, carry_range, &c);
}
