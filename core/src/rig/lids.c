// Eyelids: the skin that blink shapes move most, or the skin around the eye landmarks.
#include "rig/finding.h"

#include <string.h>

static const double BLINK_SHARE = 0.3; // of the longest delta of a blink
static const double TOUCH = 2.5;       // mm between a closed lid and the skin under it
static const double LID_MARGIN = 3;    // mm of lid around both
static const double LID_HEIGHT = 7;    // mm around the landmarks of an eye

static bool is_blink(const char *name) {
  static const char *const WORDS[] = {"blink",   "eyeclose", "eyesclose", "closeeye", "lidclose",
                                      "eyeshut", "au45",     "au43",      NULL};
  char folded[128];
  mi_name_fold(name, folded, sizeof folded);
  for (int k = 0; WORDS[k]; k++)
    if (strstr(folded, WORDS[k])) return true;
  return false;
}

// Everything within `reach` along the skin of where `start` is zero.
static bool mark_near(mi_finding *f, const float *start, double reach, int *nmarked) {
  int nvert = f->skin->nvert;
  float *distance = MI_PUSH(&f->scratch, float, nvert);
  if (!distance ||
      !mi_geodesic(&f->skin->topo, f->skin->position, start, reach, &f->scratch, distance, NULL))
    return false;
  for (int i = 0; i < nvert; i++) {
    if (!(distance[i] < INFINITY)) continue;
    f->out->bits[i] |= MIEN_REGION_EYELID;
    (*nmarked)++;
  }
  return true;
}

// The lid that a blink moves, and the one that it meets, which hardly moves.
static bool mark_lid(mi_finding *f, const float *delta, double most, int *nmarked) {
  int nvert = f->skin->nvert, nlid = 0;
  float *start = MI_PUSH(&f->scratch, float, nvert);
  mi_vec3 *lid = MI_PUSH(&f->scratch, mi_vec3, nvert);
  if (!start || !lid) return false;
  mi_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (int i = 0; i < nvert; i++) {
    mi_vec3 step = mi_vec3_load(delta + 3 * (size_t)i);
    if (mi_length(step) < 0.6 * most) continue;
    lid[nlid] = mi_add(mi_skin_at(f, i), step);
    mi_box_include(&box, lid[nlid++], TOUCH * f->mm);
  }
  for (int i = 0; i < nvert; i++) {
    mi_vec3 x = mi_skin_at(f, i);
    bool is_moved = mi_length(mi_vec3_load(delta + 3 * (size_t)i)) >= BLINK_SHARE * most;
    start[i] = is_moved ? 0 : INFINITY;
    if (!mi_box_has(&box, x)) continue;
    for (int k = 0; k < nlid && start[i] > 0; k++)
      if (mi_distance(lid[k], x) < TOUCH * f->mm) start[i] = 0;
  }
  return mark_near(f, start, LID_MARGIN * f->mm, nmarked);
}

static bool mark_blinks(mi_finding *f, int *nmarked) {
  float *delta = MI_PUSH(&f->scratch, float, 3 * (size_t)f->skin->nvert);
  if (!delta) return false;
  for (int s = 0; s < f->rig->info.nshape; s++) {
    if (!is_blink(f->rig->info.shapes[s].name)) continue;
    double most = mi_shape_spread(f, s, delta);
    if (!(most > 1.5 * f->mm)) continue;
    if (!mark_lid(f, delta, most, nmarked)) return false;
  }
  return true;
}

static bool mark_landmarks(mi_finding *f, int *nmarked) {
  int nvert = f->skin->nvert, nknown = 0;
  float *start = MI_PUSH(&f->scratch, float, nvert);
  if (!start) return false;
  for (int i = 0; i < nvert; i++) start[i] = INFINITY;
  for (int k = 36; k < 48; k++) {
    if (f->landmark[k] < 0) continue;
    start[f->landmark[k]] = 0;
    nknown++;
  }
  if (!nknown) return true;
  return mark_near(f, start, LID_HEIGHT * f->mm, nmarked);
}

bool mi_find_lids(mi_finding *f) {
  int nmarked = 0;
  if (f->painted_any & MIEN_REGION_EYELID) return true;
  if (!mark_blinks(f, &nmarked)) return false;
  if (!nmarked && !mark_landmarks(f, &nmarked)) return false;
  return nmarked || mi_remark(f->remarks, "no eyelids found: no shape is called a blink and the "
                                          "landmarks 36 to 47 are unknown; paint them if lids "
                                          "should touch");
}
