#include "mesh_builder.h"

#include <stdlib.h>
#include <string.h>

void mesh_builder_init(mesh_builder *mesh) {
  memset(mesh, 0, sizeof *mesh);
}

void mesh_builder_free(mesh_builder *mesh) {
  free(mesh->position);
  free(mesh->uv);
  free(mesh->colour);
  free(mesh->triangle);
  mesh_builder_init(mesh);
}

// Grows one array; the old one stays valid when memory ran out.
static int grow(void **array, int capacity, size_t element) {
  void *bigger = realloc(*array, (size_t)capacity * element);
  if (!bigger) return 0;
  *array = bigger;
  return 1;
}

static int reserve_vertices(mesh_builder *mesh) {
  if (mesh->failed) return 0;
  if (mesh->nvert < mesh->vert_capacity) return 1;
  int capacity = mesh->vert_capacity ? 2 * mesh->vert_capacity : 256;
  void *position = mesh->position;
  void *uv = mesh->uv;
  void *colour = mesh->colour;
  int ok = grow(&position, capacity, sizeof *mesh->position) &&
           grow(&uv, capacity, sizeof *mesh->uv) && grow(&colour, capacity, sizeof *mesh->colour);
  mesh->position = position;
  mesh->uv = uv;
  mesh->colour = colour;
  if (ok) mesh->vert_capacity = capacity;
  mesh->failed = !ok;
  return ok;
}

static int reserve_triangles(mesh_builder *mesh) {
  if (mesh->failed) return 0;
  if (mesh->ntri < mesh->tri_capacity) return 1;
  int capacity = mesh->tri_capacity ? 2 * mesh->tri_capacity : 512;
  void *triangle = mesh->triangle;
  int ok = grow(&triangle, capacity, sizeof *mesh->triangle);
  mesh->triangle = triangle;
  if (ok) mesh->tri_capacity = capacity;
  mesh->failed = !ok;
  return ok;
}

int mesh_builder_vertex(mesh_builder *mesh, float x, float y, float z) {
  if (!reserve_vertices(mesh)) return -1;
  int v = mesh->nvert++;
  mesh->position[v][0] = x;
  mesh->position[v][1] = y;
  mesh->position[v][2] = z;
  mesh->uv[v][0] = mesh->uv[v][1] = 0.0f;
  mesh->colour[v][0] = mesh->colour[v][1] = mesh->colour[v][2] = 1.0f;
  return v;
}

void mesh_builder_triangle(mesh_builder *mesh, int a, int b, int c) {
  if (!reserve_triangles(mesh)) return;
  int *t = mesh->triangle[mesh->ntri++];
  t[0] = a;
  t[1] = b;
  t[2] = c;
}

static float squared_distance(const float a[3], const float b[3]) {
  float dx = a[0] - b[0];
  float dy = a[1] - b[1];
  float dz = a[2] - b[2];
  return dx * dx + dy * dy + dz * dz;
}

void mesh_builder_quad(mesh_builder *mesh, int a, int b, int c, int d) {
  if (mesh->failed) return;
  float ac = squared_distance(mesh->position[a], mesh->position[c]);
  float bd = squared_distance(mesh->position[b], mesh->position[d]);
  if (ac <= bd) {
    mesh_builder_triangle(mesh, a, b, c);
    mesh_builder_triangle(mesh, a, c, d);
  } else {
    mesh_builder_triangle(mesh, a, b, d);
    mesh_builder_triangle(mesh, b, c, d);
  }
}

void mesh_builder_bridge(mesh_builder *mesh, const int *lower, const int *upper, int count,
                         int closed) {
  int nquad = closed ? count : count - 1;
  for (int i = 0; i < nquad; i++) {
    int j = (i + 1) % count;
    mesh_builder_quad(mesh, lower[i], lower[j], upper[j], upper[i]);
  }
}

int mesh_builder_fan(mesh_builder *mesh, const int *loop, int count, const float centre[3]) {
  int c = mesh_builder_vertex(mesh, centre[0], centre[1], centre[2]);
  for (int i = 0; i < count && c >= 0; i++)
    mesh_builder_triangle(mesh, loop[i], loop[(i + 1) % count], c);
  return c;
}

void mesh_builder_paint(mesh_builder *mesh, int first, const float colour[3]) {
  for (int v = first; v < mesh->nvert; v++) memcpy(mesh->colour[v], colour, sizeof mesh->colour[v]);
}
