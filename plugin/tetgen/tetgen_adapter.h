// Flesh between skin and bones through TetGen 1.5 (AGPL, so a build must ask for it).
#ifndef MIEN_TETGEN_ADAPTER_H
#define MIEN_TETGEN_ADAPTER_H

#include <mien/mien.h>

#ifdef __cplusplus
extern "C" {
#endif

// A mien_tetrahedralise_fn: hand it to mien_face_def.tetrahedralise. `user` is not used. The
// surface is kept as it is, no vertex is added on it; tetrahedra have positive volumes. Keeps no
// state: may run in several threads at once, each on a surface of its own.
int mien_tetgen(void *user, const mien_surface *surface, mien_tet_mesh *out, char why[160]);

#ifdef __cplusplus
}
#endif

#endif
