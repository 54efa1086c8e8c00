// A patch of a tetrahedral mesh that is untangled as a whole: vertices that may move, all
// tetrahedra at them, and the vertices that hold these.
#ifndef MI_UNTANGLE_PATCH_H
#define MI_UNTANGLE_PATCH_H

#include "mesh/untangle.h"

typedef struct mi_patch_mesh {
  int nvert, ntet;
  int nheld;                                    // the first vertices never move
  const int32_t *tets;                          // (ntet x 4)
  const float *rest, *rest_volume;              // m, (nvert x 3); m^3, (ntet)
  const int32_t *vertex_tet_first, *vertex_tet; // tetrahedra at a vertex
} mi_patch_mesh;

// Room for one patch of bounded size, and the patch that is open now.
typedef struct mi_patch {
  mi_patch_mesh mesh;
  int most_free, most_vert, most_tet;
  int nbad, nfree, nvert, ntet;
  int32_t *local; // number in the patch, -1 = not in it                                (nvert)
  int32_t *vert;  // of the patch, free ones first                                      (most_vert)
  int32_t *tet, *corner; //                                              (most_tet), (most_tet x 4)
  double *inverse, *x, *memory;
} mi_patch;

bool mi_patch_reserve(const mi_patch_mesh *mesh, mi_arena *arena, mi_patch *out);
// Opens the patch around the tetrahedra that have no more than `share` of their volume at rest:
// their own vertices and those of their neighbours are free. nbad = how many there are. False when
// there is none, or no room for all that is at free vertices; close it then, too.
bool mi_patch_open(mi_patch *patch, const float *volume, float share);
// Positions of its vertices, and what to solve: the caller sets limits.
mi_untangle mi_patch_load(const mi_patch *patch, const float *position);
// Moves free vertices of `position` and measures their tetrahedra. False when a limit cut it off.
bool mi_patch_solve(const mi_patch *patch, const mi_untangle *u, float *position, float *volume);
void mi_patch_close(mi_patch *patch);

// Lists tetrahedra at the vertices of others (count of them), each once: those with no more than
// `share` of their volume at rest, which is measured. Returns how many, at most `most`. `is_seen`
// is false before and after. (ntet)
int mi_patch_list_around(const mi_patch_mesh *mesh, const float *position, float share,
                         const int32_t *tets, int count, uint8_t *is_seen, float *volume,
                         int32_t *out, int most);

#endif
