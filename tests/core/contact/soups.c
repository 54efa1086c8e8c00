#include "soups.h"

#include "lip_strips.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double number(uint32_t i, uint32_t j) {
  return 2 * mi_random_unit(77, i, j) - 1;
}

static scene_mesh allocate(int nvert, int ntri) {
  scene_mesh mesh = {malloc(3 * sizeof(float) * (size_t)nvert),
                     malloc(3 * sizeof(int32_t) * (size_t)ntri), nvert, ntri};
  assert_non_null(mesh.position);
  assert_non_null(mesh.tri);
  return mesh;
}

static scene_mesh random_triangles(void) {
  scene_mesh mesh = allocate(360, 150);
  for (uint32_t i = 0; i < 360; i++)
    for (uint32_t k = 0; k < 3; k++)
      mesh.position[3 * i + k] = (float)(number(i / 3, k) + 0.2 * number(i, 3 + k));
  // the last are shared, and some name a vertex twice
  for (uint32_t i = 0; i < 450; i++)
    mesh.tri[i] = i < 360 ? (int32_t)i : (int32_t)(360 * mi_random_unit(77, i, 9));
  return mesh;
}

static scene_mesh strips(void) {
  lip_strips made;
  const lip_strips_def def = {24, 9, 0.012, 0.005, 0.15e-3};
  assert_true(lip_strips_create(&def, &made));
  scene_mesh mesh = allocate(made.nvert, made.ntri);
  memcpy(mesh.position, made.position, 3 * sizeof(float) * (size_t)made.nvert);
  memcpy(mesh.tri, made.tri, 3 * sizeof(int32_t) * (size_t)made.ntri);
  lip_strips_free(&made);
  return mesh;
}

static scene_mesh tubes(void) {
  scene_mesh a = scene_sphere(12, 10, 0.01), b = scene_sphere(12, 10, 0.01);
  for (int i = 0; i < a.nvert; i++) {
    a.position[3 * i + 1] *= 6;
    b.position[3 * i + 1] *= 6;
    // bent, and beside the other one
    b.position[3 * i] += 0.0215f + 6 * b.position[3 * i + 1] * b.position[3 * i + 1];
  }
  scene_mesh both = scene_join(&a, &b);
  scene_mesh_free(&a);
  scene_mesh_free(&b);
  return both;
}

double soup_size(soup_kind kind) {
  const double size[] = {0.2, 0.5e-3, 4e-3, 1};
  return size[kind];
}

soup soup_create(soup_kind kind, bool has_offsets) {
  soup s = {.mesh = kind == SOUP_RANDOM   ? random_triangles()
                    : kind == SOUP_STRIPS ? strips()
                    : kind == SOUP_TUBES  ? tubes()
                                          : scene_grid(6, 6, 1)};
  int nvert = s.mesh.nvert;
  s.nsoft = kind == SOUP_RANDOM ? 2 * nvert / 3 : nvert;
  for (int i = 0; kind == SOUP_POINT && i < 3 * nvert; i++) s.mesh.position[i] = 0.25f;
  s.moved = malloc(3 * sizeof(float) * (size_t)nvert);
  s.offset = calloc((size_t)nvert, sizeof(float));
  assert_non_null(s.moved);
  assert_non_null(s.offset);
  for (uint32_t i = 0; i < 3 * (uint32_t)nvert; i++)
    s.moved[i] = s.mesh.position[i] + (float)(soup_size(kind) * number(i / 3, 20 + i % 3));
  for (int i = 0; has_offsets && i < nvert; i++)
    s.offset[i] = (float)(0.05 * soup_size(kind) * mi_random_unit(77, (uint32_t)i, 30));
  mien_host host;
  mi_host_resolve(NULL, &host, NULL);
  mi_arena_init(&s.arena, &host);
  mi_surface_def def = {nvert, s.nsoft, s.mesh.ntri, s.mesh.tri, s.mesh.position, s.offset};
  s.surface = mi_surface_create(&def, &s.arena);
  assert_non_null(s.surface);
  return s;
}

void soup_free(soup *s) {
  scene_mesh_free(&s->mesh);
  free(s->moved);
  free(s->offset);
  mi_arena_free(&s->arena);
}

mi_closest soup_closest(const soup *s, const float *position, mi_pair pair, bool is_edges) {
  int32_t vert[4];
  mi_surface_vertices(s->surface, pair, is_edges, vert);
  double x[12];
  for (int k = 0; k < 12; k++) x[k] = position[3 * vert[k / 3] + k % 3];
  return is_edges ? mi_closest_edge_edge(x) : mi_closest_vertex_triangle(x);
}

bool soup_may_meet(const soup *s, mi_pair pair, bool is_edges) {
  int32_t vert[4];
  mi_surface_vertices(s->surface, pair, is_edges, vert);
  int split = is_edges ? 2 : 1;
  for (int i = 0; i < split; i++)
    for (int j = split; j < 4; j++)
      if (vert[i] == vert[j]) return false;
  for (int i = 0; i < 4; i++)
    if (vert[i] < s->nsoft) return true;
  return false;
}
