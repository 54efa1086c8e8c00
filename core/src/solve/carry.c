// The artist's pose: of the rig by its shapes, of the flesh by its skin and its bones.
#include "solve/state.h"

#include "math/vec.h"

#include <string.h>

// How a bone moves points of the head's space away from the neutral.
typedef struct motion {
  double turn[9]; // rotation - 1, row-major
  mi_vec3 shift;
  bool is_none;
} motion;

static mi_vec3 move(const motion *m, mi_vec3 p) {
  const double *t = m->turn;
  return (mi_vec3){t[0] * p.x + t[1] * p.y + t[2] * p.z + m->shift.x,
                   t[3] * p.x + t[4] * p.y + t[5] * p.z + m->shift.y,
                   t[6] * p.x + t[7] * p.y + t[8] * p.z + m->shift.z};
}

static motion motion_of(const mien_rigid *at) {
  double x = at->rotation[0], y = at->rotation[1], z = at->rotation[2], w = at->rotation[3];
  double n = 2 / (x * x + y * y + z * z + w * w);
  return (motion){.turn = {-n * (y * y + z * z), n * (x * y - z * w), n * (x * z + y * w),
                           n * (x * y + z * w), -n * (x * x + z * z), n * (y * z - x * w),
                           n * (x * z - y * w), n * (y * z + x * w), -n * (x * x + y * y)},
                  .shift = {at->translation[0], at->translation[1], at->translation[2]}};
}

// About the jaw's hinge, as far as the jaw-open weight says.
static motion hinge_motion(const mien_state *state) {
  const mi_regions *regions = &state->face->regions;
  const mien_jaw *jaw = &regions->jaw_hinge;
  float weight = regions->jaw_shape < 0 ? 0 : state->weights[regions->jaw_shape];
  if (!jaw->is_known || weight == 0) return (motion){.is_none = true};
  double half = 0.5 * (double)jaw->open_angle * (double)weight, s = sin(half);
  mi_vec3 axis = mi_unit(mi_vec3_load(jaw->axis)), hinge = mi_vec3_load(jaw->hinge);
  motion m = motion_of(&(mien_rigid){{s * axis.x, s * axis.y, s * axis.z, cos(half)}, {0, 0, 0}});
  m.shift = mi_scale(-1, move(&m, hinge));
  return m;
}

// -- the rig
// ------------------------------------------------------------------------------------------

static void add_motion(float *at, double share, mi_vec3 by) {
  mi_vec3_store(at, mi_add_scaled(mi_vec3_load(at), share, by));
}

// What the shapes know of the jaw is its hinge; what its transform does beyond that is added to all
// that the jaw carries.
static void carry_rig(mien_state *state, const motion *jaw, const motion *hinge) {
  const mien_face *face = state->face;
  const mien_rig_info *rig = &face->rig->info;
  motion more = *jaw;
  for (int k = 0; k < 9; k++) more.turn[k] -= hinge->turn[k];
  more.shift = mi_sub(jaw->shift, hinge->shift);
  for (int i = 0; i < face->skin.nvert; i++) {
    size_t at = 3 * (size_t)face->skin.vert[i];
    double share = face->regions.jaw[i];
    if (share > 0)
      add_motion(state->moving.rig + at, share,
                 move(&more, mi_vec3_load(face->rig->positions + at)));
  }
  for (int p = 0; p < rig->npart; p++) {
    const mien_part *part = rig->parts + p;
    if (part->kind != MIEN_PART_JAW && part->kind != MIEN_PART_TEETH_LOWER &&
        part->kind != MIEN_PART_TONGUE)
      continue;
    for (int i = part->first_vertex; i < part->first_vertex + part->nvert; i++)
      add_motion(state->moving.rig + 3 * (size_t)i, 1,
                 move(&more, mi_vec3_load(face->rig->positions + 3 * (size_t)i)));
  }
}

// every rig vertex: evaluated here, or by the host
static void pose_rig(mien_state *state, const mien_input *input) {
  const mien_rig *rig = state->face->rig;
  for (int s = 0; s < rig->info.nshape; s++)
    state->weights[s] = input->weights.data ? *mi_f32s_at(&input->weights, 1, s) : 0;
  if (!input->pose.data) {
    mi_rig_pose(rig, state->weights, rig->info.nshape, state->moving.rig);
    return;
  }
  for (int i = 0; i < rig->info.nvert; i++)
    memcpy(state->moving.rig + 3 * (size_t)i, mi_f32s_at(&input->pose, 3, i), 3 * sizeof(float));
}

// -- the flesh
// ----------------------------------------------------------------------------------------

enum { CHUNK = 1024 };

typedef struct carrying {
  const mien_state *state;
  motion jaw;
  float *posed;
} carrying;

// posed = rest + (1 - share) * skin's motion + share * bone's motion
static void carry_range(void *user, int begin, int end) {
  const carrying *c = user;
  const mien_face *face = c->state->face;
  for (int i = begin; i < end; i++) {
    size_t v = 3 * (size_t)face->skin.vert[face->carrier[i]], at = 3 * (size_t)i;
    if (i < face->skin.nvert) { // the artist's to the last bit
      memcpy(c->posed + at, c->state->moving.rig + 3 * (size_t)face->skin.vert[i],
             3 * sizeof(float));
      continue;
    }
    mi_vec3 rest = mi_vec3_load(face->rest + at);
    mi_vec3 skin =
        mi_sub(mi_vec3_load(c->state->moving.rig + v), mi_vec3_load(face->rig->positions + v));
    double held = face->bone_share[i];
    mi_vec3 moved = mi_add_scaled(rest, 1 - held, skin);
    if (!c->jaw.is_none && held > 0 && face->jaw[i] > 0)
      moved = mi_add_scaled(moved, held * face->jaw[i], move(&c->jaw, rest));
    mi_vec3_store(c->posed + at, moved);
  }
}

static double farthest(const mien_state *state) {
  const mien_face *face = state->face;
  double largest2 = 0;
  for (int i = 0; i < face->skin.nvert; i++) {
    size_t v = 3 * (size_t)face->skin.vert[i];
    mi_vec3 off =
        mi_sub(mi_vec3_load(state->moving.rig + v), mi_vec3_load(face->rig->positions + v));
    double far2 = mi_dot(off, off);
    largest2 = far2 > largest2 ? far2 : largest2;
  }
  return sqrt(largest2);
}

void mi_input_pose(mien_state *state, const mien_input *input, float *posed) {
  pose_rig(state, input);
  carrying c = {state, hinge_motion(state), posed};
  if (input->has_jaw) {
    motion hinge = c.jaw;
    c.jaw = motion_of(&input->jaw);
    if (!input->pose.data) carry_rig(state, &c.jaw, &hinge);
  }
  mi_parallel(state->host.threads, state->face->info.nvert, CHUNK, carry_range, &c);
  state->info.max_displacement = farthest(state);
}
