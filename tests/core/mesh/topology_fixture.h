// A mesh of the scenes with its topology, in an arena of its own.
#ifndef MESH_TOPOLOGY_FIXTURE_H
#define MESH_TOPOLOGY_FIXTURE_H

#include "mesh/mesh.h"
#include "scenes/scene.h"

typedef struct fixture {
  mi_arena arena;
  mi_topology topo;
} fixture;

static inline fixture build(const scene_mesh *mesh) {
  fixture f;
  mien_host host;
  mi_host_resolve(NULL, &host, NULL);
  mi_arena_init(&f.arena, &host);
  assert_true(mi_topology_build(mesh->nvert, mesh->ntri, mesh->tri, &f.arena, &f.topo));
  return f;
}

#endif
