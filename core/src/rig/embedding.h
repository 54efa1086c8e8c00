// A production rig simulated on a coarser one (Kozlov et al. 7): some of its skin vertices with
// their own shapes and maps, and the way back.
#ifndef MI_EMBEDDING_H
#define MI_EMBEDDING_H

#include "rig/rig.h"
#include "rig/skin_map.h"

typedef struct mi_embedding {
  const mien_rig *render_skin; // the artist's rig, shared; NULL = it is simulated itself
  int nsource;                 // vertices of the coarser rig
  int32_t *source;             // their vertices of the artist's, ascending                (nsource)
  int nskin;                   // simulated skin vertices
  int32_t *skin;               // their vertices of the artist's, ascending                (nskin)
  mi_skin_map map;             // to every vertex of the artist's skin
} mi_embedding;

// The coarser rig with about `target` skin vertices; vertices that can touch are all kept and come
// in addition. `*coarse` stays NULL when the skin is no larger. Negative when memory ends or
// decimation fails.
mien_result mi_embedding_create(const mien_rig *rig, int target, const mien_host *host,
                                mi_arena *arena, mien_rig **coarse, mi_embedding *out,
                                mien_error *err);

#endif
