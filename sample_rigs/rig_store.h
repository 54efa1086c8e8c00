// Owns the arrays behind a mien_rig_def while a sample rig is being made.
//
// Like mesh_builder, memory errors are sticky: look at the result of rig_store_define once.
#ifndef SAMPLE_RIGS_RIG_STORE_H
#define SAMPLE_RIGS_RIG_STORE_H

#include "mesh_builder.h"

#include <mien/mien.h>

enum { RIG_STORE_PARTS = 16, RIG_STORE_SHAPES = 64, RIG_STORE_MAPS = 8 };

// Must not be copied or moved: its definition points into it.
typedef struct rig_store {
  mesh_builder mesh;
  mien_part part[RIG_STORE_PARTS];
  mien_shape shape[RIG_STORE_SHAPES];
  mien_map map[RIG_STORE_MAPS];
  void *owned[2 * RIG_STORE_SHAPES + RIG_STORE_MAPS + 2];
  int npart, nshape, nmap, nowned;
  int failed;
  mien_rig_def def; // complete after rig_store_define
} rig_store;

void rig_store_init(rig_store *store);
void rig_store_free(rig_store *store);

// Everything added to the mesh since the last call becomes a part. Names are borrowed for ever.
void rig_store_part(rig_store *store, const char *name, mien_part_kind kind);

// Keeps the deltas (one per vertex of the whole mesh) longer than 1 micrometre.
void rig_store_shape(rig_store *store, const char *name, float (*delta)[3]);

// One value per vertex of the whole mesh; copied.
void rig_store_map(rig_store *store, const char *name, const float *value);

// Fills store->def, which stays valid until rig_store_free. 0, or -1 when memory ran out.
int rig_store_define(rig_store *store, const char *name);

#endif
