// How firmly bone holds the flesh: firmly where no shape ever moves the skin except with the jaw,
// less the further some shape moves it.
#include "rig/finding.h"

#include <string.h>

static const double FIRM = 0.5; // mm, shapes are noisy far from where they act
static const double FREE = 9;   // mm, moved this far flesh is not held at all
static const float UNKNOWN = 0.5f;

static bool is_jaw_shape(const mi_finding *f, int s) {
  char meaning[128];
  if (s == f->out->jaw_shape) return true;
  mi_name_meaning(f->rig->info.shapes[s].name + f->rig->name_tag, meaning, sizeof meaning);
  return !strncmp(meaning, "jaw", 3);
}

// The motion of the bone itself in a shape of the jaw: the hinge for the one that opens it, for the
// others whatever rotation the skin that the jaw carries whole follows.
static bool bone_motion(mi_finding *f, int s, const float *delta, mi_turn *turn, bool *is_known) {
  const mien_jaw *hinge = &f->out->jaw_hinge;
  *is_known = false;
  if (!is_jaw_shape(f, s) || !hinge->is_known) return true;
  if (s == f->out->jaw_shape) {
    *turn = (mi_turn){mi_vec3_load(hinge->hinge), mi_vec3_load(hinge->axis), hinge->open_angle};
    *is_known = true;
    return true;
  }
  int nvert = f->skin->nvert;
  float *from = MI_PUSH(&f->scratch, float, 3 * (size_t)nvert);
  float *step = MI_PUSH(&f->scratch, float, 3 * (size_t)nvert);
  if (!from || !step) return false;
  mi_turn_points points = {from, step, 0, 1.5 * f->mm};
  for (int i = 0; i < nvert; i++) {
    if (f->out->jaw[i] < 0.8f) continue;
    memcpy(from + 3 * (size_t)points.count, f->skin->position + 3 * (size_t)i, 3 * sizeof *from);
    memcpy(step + 3 * (size_t)points.count, delta + 3 * (size_t)i, 3 * sizeof *step);
    points.count++;
  }
  double share;
  if (!mi_turn_fit(&points, &f->scratch, turn, &share)) return false;
  *is_known = share > 0.3;
  return true;
}

static bool note_motion(mi_finding *f, int s, float *delta, float *most) {
  mi_turn turn;
  bool is_known;
  mi_shape_spread(f, s, delta);
  if (!bone_motion(f, s, delta, &turn, &is_known)) return false;
  for (int i = 0; i < f->skin->nvert; i++) {
    mi_vec3 step = mi_vec3_load(delta + 3 * (size_t)i);
    if (is_known && f->out->jaw[i] > 0)
      step = mi_add_scaled(step, -f->out->jaw[i], mi_turn_move(&turn, mi_skin_at(f, i)));
    float length = (float)mi_length(step);
    if (length > most[i]) most[i] = length;
  }
  return true;
}

static float held_at(const mi_finding *f, double motion) {
  double t = (motion / f->mm - FIRM) / (FREE - FIRM);
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  return (float)((1 - t) * (1 - t));
}

bool mi_find_attachment(mi_finding *f) {
  // The mouth bag lies on gums, palate and jaw: unattached it would swing. Lips, lids and cheeks
  // have no bone close by, but muscles hold them; only passive skin is free.
  const float ON_GUMS = 0.8f;
  const int32_t FREE_BITS = MIEN_REGION_LIP_UPPER | MIEN_REGION_LIP_LOWER | MIEN_REGION_LIP_INNER |
                            MIEN_REGION_EYELID | MIEN_REGION_PASSIVE;
  int nvert = f->skin->nvert, nshape = f->rig->info.nshape;
  float *held = f->out->attachment;
  float *delta = MI_PUSH(&f->scratch, float, 3 * (size_t)nvert);
  float *most = MI_PUSH(&f->scratch, float, nvert);
  bool *is_free = MI_PUSH(&f->scratch, bool, nvert);
  if (!delta || !most || !is_free) return false;
  for (int s = 0; s < nshape; s++)
    if (!note_motion(f, s, delta, most)) return false;
  bool is_known = nshape > 0 && f->mm > 0;
  for (int i = 0; i < nvert; i++) {
    is_free[i] = f->out->bits[i] & FREE_BITS;
    held[i] = is_free[i] ? 0 : is_known ? held_at(f, most[i]) : UNKNOWN;
    if (!is_free[i] && (f->out->bits[i] & MIEN_REGION_MOUTH_BAG)) held[i] = ON_GUMS;
    if (!(f->out->bits[i] & MIEN_REGION_PASSIVE)) held[i] = fmaxf(held[i], MI_BY_MUSCLE);
  }
  if (!mi_smooth_over_skin(f, held, is_free, 6)) return false;
  const mien_map *map = mi_painted_map(f, "attachment");
  int nbeyond = 0;
  for (int i = 0; map && i < nvert; i++) {
    float painted = *mi_f32s_at(&map->values, 1, f->skin->vert[i]);
    held[i] = fminf(1, fmaxf(0, painted));
    nbeyond += fabsf(painted - held[i]) > 1e-3f; // more than rounding of a file
  }
  if (nbeyond && !mi_remark(f->remarks,
                            "the map 'attachment' is below 0 or above 1 at %d vertices and was "
                            "taken as 0 or 1 there",
                            nbeyond))
    return false;
  return is_known || map ||
         mi_remark(f->remarks, "the rig has no shapes to tell where bone holds the flesh: it is "
                               "half attached everywhere; paint the map 'attachment'");
}
