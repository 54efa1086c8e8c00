// The face: a rig with flesh under its skin.
//
//   rig -> skin, regions (rig/regions.h)
//       -> thickness: painted or uniform, limited by what lies opposite (thickness.c)
//       -> hypodermis: eq. 12 and 13 of Barrielle & Stoiber (hypodermis.c)
//       -> thinned and turned until every prism is sound (thin.c)
//       -> three tetrahedra per prism (prisms.c), or TetGen between skin and bones (volume.c)
//       -> masses, attachment (flesh.c), what holds thin flesh (support.c)
//       -> what can touch (contact_surface.c), and how far other skin may go (limits.c)
//       -> muscles (muscles.h)
#ifndef MI_FACE_H
#define MI_FACE_H

#include "face/blendvolumes.h"
#include "face/contact_surface.h"
#include "face/limits.h"
#include "face/materials.h"
#include "face/muscles.h"
#include "rig/embedding.h"
#include "rig/regions.h"

#include <pthread.h>

// Rigid surface that the skin may meet, outwards facing.
typedef struct mi_colliders {
  int nvert, ntri, nuser;
  float *position; // m, at rest: in the head's space, or in a user's collider's own (nvert x 3)
  int32_t *tri;    //                                                         (ntri x 3)
  int32_t *rig;    // rig vertex, whose pose it takes; -1 = of a user's       (nvert)
  int32_t *user;   // which of the user's colliders; -1 = of the rig          (nvert)
} mi_colliders;

// Data that solve/ makes for a face on first use and shares between its states.
typedef struct mi_face_shared {
  pthread_mutex_t lock; // guards the fields below
  struct mi_system *system;
  void (*free_system)(void *system);
} mi_face_shared;

struct mien_face {
  mien_face_info info; // public part; all pointers lead into the arena
  mien_host host;
  mi_arena arena;
  mi_remarks remarks;
  const mien_rig *rig; // shared; the coarser one when it is embedded
  mi_embedding embedding;
  mi_skin skin;
  mi_regions regions;
  float *thickness;        // m, as painted or uniform, before limits        (nskin)
  float *thickness_vector; // hypodermis minus skin, m; zero where there is no flesh  (nskin x 3)
  float *rest;             // flesh at rest, m                                        (nvert x 3)
  int32_t *tets;           //                                                         (ntet x 4)
  int32_t *vertex_tet_first, *vertex_tet; // tetrahedra around vertices, compressed rows
  float *volume;     // of tetrahedra at rest, m^3                              (ntet)
  float *mass;       // kg                                                      (nvert)
  float *attachment; // 0-1                                                     (nvert)
  float *jaw;        // 0-1                                                     (nvert)
  float *bone_share; // 0-1, how far bone carries a vertex while physics is off  (nvert)
  int32_t *carrier;  // the skin vertex that carries a flesh vertex             (nvert)
  float *lack;       // kg, of flesh too thin under a skin vertex, see support.c  (nskin)
  float *lost;       // kg, of flesh that triangles around it could not get     (nskin)
  mi_colliders colliders;
  mi_contact_surface contact;
  mi_limits limits; // of skin that does not collide
  mi_materials materials;
  float *fitted_stiffness, *fitted_volume; // factors from the shapes, or NULL             (nskin)
  mi_blendvolumes blendvolumes;
  mi_muscles muscles; // count 0 = none
  bool is_prisms;     // tetrahedra 3k, 3k + 1, 3k + 2 share six vertices
  int simulate_at;    // skin vertices wanted, 0 = all
  double stiffness, volume_stiffness, attachment_rate; // Pa, Pa, Hz
  double muscle_rate;   // Hz, attachment_rate of muscles and ligaments, at least (support.c)
  uint64_t inputs_hash; // of the hypodermis' sources
  atomic_int nuser;     // freed by the last state
  mi_face_shared *shared;
};

// The rig of the artist, which inputs and outputs speak of.
static inline const mien_rig *mi_face_render_skin(const mien_face *face) {
  return face->embedding.render_skin ? face->embedding.render_skin : face->rig;
}

// face.c
mien_result mi_face_create(const mien_rig *rig, const mien_face_def *def, const mien_host *host,
                           mien_face **out, mien_error *err);
mien_face *mi_face_share(const mien_face *face);
void mi_face_release(const mien_face *face);

// Passed along while a face is made.
typedef struct mi_face_build {
  const mien_face_def *def;
  mien_face *face;
  mien_error *err;
  mi_arena scratch;
  double uniform;      // m, thickness of unpainted skin
  float *limit;        // m, the most that fits                                   (nskin)
  unsigned char *kept; // does this skin triangle get flesh?                     (nskin tri)
} mi_face_build;

mien_result mi_thickness_want(mi_face_build *b);         // thickness.c: painted or uniform
mien_result mi_thickness_limit(mi_face_build *b);        // thickness.c: what fits
mien_result mi_hypodermis_find(mi_face_build *b);        // hypodermis.c
mien_result mi_hypodermis_thin(mi_face_build *b);        // thin.c
mien_result mi_prisms_build(mi_face_build *b);           // prisms.c
mien_result mi_volume_build(mi_face_build *b);           // volume.c
mien_result mi_colliders_build(mi_face_build *b);        // colliders.c
mien_result mi_contact_surface_build(mi_face_build *b);  // contact_surface.c
mien_result mi_limits_build(mi_face_build *b);           // limits.c
mien_result mi_neutral_check(mi_face_build *b);          // neutral.c: remarks
bool mi_flesh_reserve(mi_face_build *b);                 // flesh.c: arrays of info.nvert entries
mien_result mi_flesh_find_vertex_tets(mi_face_build *b); // flesh.c
mien_result mi_flesh_finish(mi_face_build *b);           // flesh.c

mien_result mi_support_find(mi_face_build *b); // support.c

// support.c: the rate of flesh on its bone, rad / s, and N / m of the spring that holds a vertex
double mi_support_rate(const mien_face *face, double attachment);
// (that of its pose with `is_posed`, else of the neutral)
double mi_support_hold(const mien_face *face, int vert, double attachment, bool is_posed);
// Is there too little flesh around a tetrahedron to steady it?
bool mi_support_is_frail(const mien_face *face, int tet);

// prisms.c: the three tetrahedra of the prism over a skin triangle; corners are flesh vertices
// (skin first, then hypodermis). Neighbouring prisms always agree on the diagonal of their common
// side.
void mi_prism_tets(const int32_t tri[3], int nskin, int32_t tets[3][4]);
// The share of each tetrahedron's volume in that of a straight prism's third: 1 = straight walls,
// <= 0 = inverted.
void mi_prism_quality(const mi_skin *skin, const float *thickness_vector, int t, double quality[3]);

// stored.c: maps that keep a face in a rig file, and a hypodermis taken from one
mien_result mi_face_maps(const mien_face *face, mi_arena *arena, mien_map **maps, int *nmap,
                         mien_error *err);
uint64_t mi_stored_hash(const mien_rig *rig, const char *key); // from its extras, 0 = none
int mi_stored_count(const mien_rig *rig); // skin vertices to simulate, from its extras; 0 = all
uint64_t mi_face_inputs_hash(const mi_face_build *b);
bool mi_face_take_stored(mi_face_build *b);

#endif
