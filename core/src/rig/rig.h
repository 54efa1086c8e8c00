// The rig as the artist made it, welded and in metres, and the take that plays it.
#ifndef MI_RIG_H
#define MI_RIG_H

#include "base/base.h"
#include "rig/driven.h"

#include <stdatomic.h>

// A shape as runs of consecutive vertices: sparse like the artist's deltas, yet each run is one
// straight SIMD loop. Run r covers vertices run_vert[r] .. + run_count[r], its deltas start at
// 3 * run_first[r].
typedef struct mi_shape_runs {
  int nrun;
  const int32_t *vert, *count, *first;
  const float *delta;
} mi_shape_runs;

// A vertex at the end of a part's mesh in its file that is another part's, written again.
typedef struct mi_borrowed {
  int part, vertex, render;
} mi_borrowed;

struct mien_rig {
  mien_rig_info info; // public part; all pointers lead into the arena
  mien_host host;
  mi_arena arena;
  mi_remarks remarks;
  float *positions;    // (nvert x 3)
  int32_t *triangles;  // (ntri x 3)
  bool *is_back;       // the back of another triangle, which is the front; NULL = none  (ntri)
  mi_shape_runs *runs; // (nshape)
  bool *is_cut;        // of a coarser rig: no skin, because the artist's is not; NULL = find out
  size_t name_tag;     // length of what shapes' names begin with alike and that says nothing
  uint64_t hash;       // of positions, triangles and shapes
  bool *is_named;      // the kind of a part was read off its name                   (npart)
  // how the artist's file becomes the rig:
  // rig[k] = metres_per_unit * turn_sign[k] * file[turn_axis[k]]
  int turn_axis[3], turn_sign[3];
  double metres_per_unit;
  const char *source;          // the .glb or .gltf file it was read from; NULL = none
  mi_driven driven;            // shapes that follow others
  const mi_borrowed *borrowed; // (nborrowed)
  int nborrowed;
  atomic_int nuser; // freed by the last face
};

// rig.c
mien_result mi_rig_create(const mien_rig_def *def, const mien_host *host, mien_rig **out,
                          mien_error *err);
mien_rig *mi_rig_share(const mien_rig *rig);
void mi_rig_release(const mien_rig *rig);

// placement.c: arguments of a reader win over the file's own data
void mi_rig_def_use(mien_rig_def *def, const mien_rig_opts *opts);

// check.c: counts, indices and numbers of a definition, before anything is built
mien_result mi_rig_def_check(const mien_rig_def *def, mien_error *err);

// weld.c: render vertex -> welded vertex. Vertices are one when part, place and all deltas are the
// same bits. Returns the number of welded vertices, -1 when memory ends.
int mi_weld(const mien_rig_def *def, mi_arena *scratch, int32_t *weld);

// names.c: "eyeBlink_L", "EyeBlinkLeft", "eye_blink_left" all become "eyeblinkleft"
void mi_name_fold(const char *name, char *folded, size_t size);
// How much the names of all shapes begin with alike, up to a separator: "CTRL_expressions_". It
// says nothing where the names without it are known, and is a part of them where those with it are.
size_t mi_names_tag(const mien_shape *shapes, int nshape);
const char *mi_name_last_piece(const char *name); // "rig:head_blend.eyeBlink" -> "eyeBlink"
mien_part_kind mi_part_kind_from_name(const char *name);
bool mi_map_is_length(const char *name); // of thickness, hypodermis, blendvolume; a shape's, too

// conventions.c: the canonical name of a shape in any convention: "AU_12_L_LipCornerPuller",
// "AK_44_MouthSmileLeft" and "mouthSmile_L" are all "mouthsmileleft"
void mi_name_meaning(const char *name, char *meaning, size_t size);
// The meaning that stands in for another where a rig lacks it, or NULL.
const char *mi_name_stand_in(const char *meaning);

// pose.c
void mi_rig_pose(const mien_rig *rig, const float *weights, int nweight, float *out);
// Raises motion[nvert] to the largest delta of any shape, m.
void mi_rig_motion(const mien_rig *rig, float *motion);
int mi_rig_find_shape(const mien_rig *rig, const char *name); // any common spelling; -1 = none
int mi_rig_find_map(const mien_rig *rig, const char *name);   // exact; -1 = none

// take.c
struct mien_take {
  mien_take_info info;
  mien_host host;
  mi_arena arena;
};
mien_result mi_take_create(const mien_take_def *def, const mien_host *host, mien_take **out,
                           mien_error *err);
void mi_take_sample(const mien_take *take, double time, float *weights, mien_rigid *head);

// take_bind.c
// A motion that turns about a pivot, as one that turns about the origin.
mien_rigid mi_head_about(const mien_rigid *head, const double pivot[3]);
mien_result mi_take_bind(const mien_take *take, const mien_rig *rig, mien_take **out,
                         int *unmatched, mien_error *err);

// Reading a strided view without caring about the default stride.
static inline const float *mi_f32s_at(const mien_f32s *view, int width, int i) {
  return view->data + (size_t)i * (size_t)(view->stride ? view->stride : width);
}

#endif
