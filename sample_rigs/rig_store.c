#include "rig_store.h"

#include <stdlib.h>
#include <string.h>

static const float SMALLEST_DELTA = 1e-6f; // m

void rig_store_init(rig_store *store) {
  memset(store, 0, sizeof *store);
  mesh_builder_init(&store->mesh);
}

void rig_store_free(rig_store *store) {
  mesh_builder_free(&store->mesh);
  for (int i = 0; i < store->nowned; i++) free(store->owned[i]);
  rig_store_init(store);
}

static void *own(rig_store *store, size_t count, size_t size) {
  const int room = (int)(sizeof store->owned / sizeof store->owned[0]);
  void *memory = store->nowned < room ? calloc(count ? count : 1, size) : NULL;
  if (memory)
    store->owned[store->nowned++] = memory;
  else
    store->failed = 1;
  return memory;
}

void rig_store_part(rig_store *store, const char *name, mien_part_kind kind) {
  if (store->npart == RIG_STORE_PARTS) {
    store->failed = 1;
    return;
  }
  mien_part part = {.name = name, .kind = kind};
  if (store->npart > 0) {
    const mien_part *last = &store->part[store->npart - 1];
    part.first_vertex = last->first_vertex + last->nvert;
    part.first_triangle = last->first_triangle + last->ntri;
  }
  part.nvert = store->mesh.nvert - part.first_vertex;
  part.ntri = store->mesh.ntri - part.first_triangle;
  store->part[store->npart++] = part;
}

static int is_moved(const float delta[3]) {
  float square = delta[0] * delta[0] + delta[1] * delta[1] + delta[2] * delta[2];
  return square > SMALLEST_DELTA * SMALLEST_DELTA;
}

void rig_store_shape(rig_store *store, const char *name, float (*delta)[3]) {
  int count = 0;
  for (int v = 0; v < store->mesh.nvert; v++) count += is_moved(delta[v]);
  int32_t *index = own(store, (size_t)count, sizeof *index);
  float(*kept)[3] = own(store, (size_t)count, sizeof *kept);
  if (!index || !kept || store->nshape == RIG_STORE_SHAPES) {
    store->failed = 1;
    return;
  }
  int k = 0;
  for (int v = 0; v < store->mesh.nvert; v++) {
    if (!is_moved(delta[v])) continue;
    index[k] = v;
    memcpy(kept[k++], delta[v], sizeof delta[v]);
  }
  store->shape[store->nshape++] = (mien_shape){
      .name = name, .indices = {index, count}, .deltas = {count ? kept[0] : NULL, count, 3}};
}

void rig_store_map(rig_store *store, const char *name, const float *value) {
  size_t count = (size_t)store->mesh.nvert;
  float *copy = own(store, count, sizeof *copy);
  if (!copy || store->nmap == RIG_STORE_MAPS) {
    store->failed = 1;
    return;
  }
  memcpy(copy, value, count * sizeof *copy);
  store->map[store->nmap++] =
      (mien_map){.name = name, .width = 1, .values = {copy, store->mesh.nvert, 1}};
}

int rig_store_define(rig_store *store, const char *name) {
  const mesh_builder *mesh = &store->mesh;
  float(*colour)[4] = own(store, (size_t)mesh->nvert, sizeof *colour);
  int32_t(*face)[3] = own(store, (size_t)mesh->ntri, sizeof *face);
  if (mesh->failed || store->failed || mesh->nvert == 0) return -1;
  for (int v = 0; v < mesh->nvert; v++) {
    memcpy(colour[v], mesh->colour[v], sizeof mesh->colour[v]);
    colour[v][3] = 1.0f;
  }
  for (int t = 0; t < mesh->ntri; t++) {
    for (int k = 0; k < 3; k++) face[t][k] = mesh->triangle[t][k];
  }
  mien_rig_def_init(&store->def);
  store->def.name = name;
  store->def.has_pivot = 1; // the origin is where the neck carries it
  store->def.positions = (mien_f32s){mesh->position[0], mesh->nvert, 3};
  store->def.colours = (mien_f32s){colour[0], mesh->nvert, 4};
  store->def.faces = (mien_i32s){face[0], 3 * mesh->ntri};
  store->def.parts = store->part;
  store->def.npart = store->npart;
  store->def.shapes = store->shape;
  store->def.nshape = store->nshape;
  store->def.maps = store->map;
  store->def.nmap = store->nmap;
  return 0;
}
