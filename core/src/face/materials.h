// Blendmaterials (Kozlov et al. 4.2, 6.2): what the flesh is made of, in the neutral and in every
// shape, blended by the shapes' weights in each frame:
//
//   p(w) = p_neutral + sum over shapes of w (p_shape - p_neutral)                            (3)
//
// Painted on the skin as maps "stiffness", "volume_stiffness", "density", "damping" (factors of the
// face's own value, 0 = not painted) and "attachment" (0-1), for a shape as "stiffness:SHAPE". The
// heat equation brings what is painted into the volume (diffuse.c).
#ifndef MI_MATERIALS_H
#define MI_MATERIALS_H

#include "base/base.h"

typedef enum mi_material {
  MI_STIFFNESS = 0, // of tetrahedra
  MI_VOLUME_STIFFNESS = 1,
  MI_DENSITY = 2, // of flesh vertices
  MI_DAMPING = 3,
  MI_ATTACHMENT = 4,
  MI_NMATERIAL = 5
} mi_material;

// One property of `count` tetrahedra or vertices. Shapes change few of them: only `vary` moves.
typedef struct mi_blend {
  int count, nvary;
  int nshape;        // of the rig; 0 = no shape changes anything
  float least, most; // limits of a sum of shapes
  float *neutral;    // NULL = 1 everywhere                                        (count)
  int32_t *vary;     // what some shape changes, ascending                         (nvary)
  int32_t *first;    // entries of shape s are first[s] .. first[s + 1]            (nshape + 1)
  int32_t *entry;    // place in `vary`
  float *delta;      // value at weight 1 minus the neutral's
} mi_blend;

typedef struct mi_materials {
  mi_blend of[MI_NMATERIAL];
  bool is_varying; // some shape changes something
} mi_materials;

static inline float mi_blend_neutral(const mi_blend *blend, int i) {
  return blend->neutral ? blend->neutral[i] : 1;
}
// values[k] = the property of vary[k] at these weights, one per shape
void mi_blend_at(const mi_blend *blend, const float *weights, float *values);
// The largest value that any one shape brings to vary[k], or the neutral's if that is larger.
void mi_blend_most(const mi_blend *blend, float *values);
uint64_t mi_materials_hash(const mi_materials *materials, uint64_t seed);

struct mi_face_build;
mien_result mi_materials_build(struct mi_face_build *b);

// materials_paint.c: painted values of a property
typedef struct mi_painted {
  const mien_map *neutral; // or NULL
  const mien_map **shape;  // NULL = not painted                                      (nshape)
  int nshape_painted;
} mi_painted;
// Fills `painted`; maps that cannot be used are named in a remark.
mien_result mi_paint_find(struct mi_face_build *b, const char *property, mi_painted *painted);
// Values on the skin (nskin), at most `most`; `otherwise` where unpainted or invalid. A remark
// names invalid paint.
mien_result mi_paint_read(struct mi_face_build *b, const mien_map *map, float most,
                          const float *otherwise, float *values);

// diffuse.c: from the skin into the volume by the heat equation, to its steady state
typedef struct mi_diffusion mi_diffusion;
mi_diffusion *mi_diffusion_create(struct mi_face_build *b); // NULL when memory ends
// values[0 .. nskin) are given; the others are found, between the least and largest given.
bool mi_diffuse(mi_diffusion *diffusion, float *values);

#endif
