// The tables of a contact surface: edges, areas, offsets, and the orders of its three trees.
#include "contact/contact.h"

#include "mesh/box_tree.h"
#include "mesh/mesh.h"

#include <string.h>

static float *copy_floats(mi_arena *arena, const float *from, int count) {
  float *to = MI_PUSH(arena, float, count);
  if (to && from) memcpy(to, from, (size_t)count * sizeof *to);
  return to;
}

static int32_t *copy_ints(mi_arena *arena, const int32_t *from, size_t count) {
  int32_t *to = MI_PUSH(arena, int32_t, count);
  if (to) memcpy(to, from, count * sizeof *to);
  return to;
}

// A vertex and an edge own a third of every triangle at them.
static bool build_areas(mi_surface *s, const float *rest, mi_arena *arena) {
  float *vert = MI_PUSH(arena, float, s->nvert), *edge = MI_PUSH(arena, float, s->nedge);
  float *tri = MI_PUSH(arena, float, s->ntri);
  if (!vert || !edge || !tri) return false;
  for (int t = 0; t < s->ntri; t++) {
    tri[t] = (float)mi_triangle_area(rest, s->tri + 3 * (size_t)t);
    for (int c = 3 * t; c < 3 * t + 3; c++) {
      vert[s->tri[c]] += tri[t] / 3;
      if (s->tri_edge[c] >= 0) edge[s->tri_edge[c]] += tri[t] / 3;
    }
  }
  s->vert_area = vert;
  s->edge_area = edge;
  s->tri_area = tri;
  return true;
}

static bool build_offsets(mi_surface *s, const float *offset, mi_arena *arena) {
  float *edge = MI_PUSH(arena, float, s->nedge), *tri = MI_PUSH(arena, float, s->ntri);
  s->vert_offset = copy_floats(arena, offset, s->nvert);
  if (!s->vert_offset || !edge || !tri) return false;
  for (int e = 0; e < s->nedge; e++)
    edge[e] = (s->vert_offset[s->edge[2 * e]] + s->vert_offset[s->edge[2 * e + 1]]) / 2;
  for (int t = 0; t < s->ntri; t++) {
    const int32_t *v = s->tri + 3 * (size_t)t;
    tri[t] = (s->vert_offset[v[0]] + s->vert_offset[v[1]] + s->vert_offset[v[2]]) / 3;
  }
  s->edge_offset = edge;
  s->tri_offset = tri;
  return true;
}

static bool build_lengths(mi_surface *s, const float *rest, mi_arena *arena) {
  float *length2 = MI_PUSH(arena, float, s->nedge);
  if (!length2) return false;
  for (int e = 0; e < s->nedge; e++) {
    const float *a = rest + 3 * (size_t)s->edge[2 * e], *b = rest + 3 * (size_t)s->edge[2 * e + 1];
    for (int k = 0; k < 3; k++) length2[e] += (a[k] - b[k]) * (a[k] - b[k]);
  }
  s->edge_length2 = length2;
  return true;
}

// features of `size` vertices each; vertices without a triangle are left out
typedef struct features {
  int count, size;
  const int32_t *vert;
} features;

static mi_box_tree *build_tree(const mi_surface *s, features f, const float *rest,
                               const unsigned char *is_used, mi_arena *arena) {
  mi_arena scratch = {.allocator = arena->allocator, .limit = arena->limit};
  float *centre = MI_PUSH(&scratch, float, 3 * (size_t)f.count);
  int32_t *item = MI_PUSH(&scratch, int32_t, f.count);
  unsigned char *is_rigid = MI_PUSH(&scratch, unsigned char, f.count);
  mi_box_tree *tree = NULL;
  if (centre && item && is_rigid) {
    int nitem = 0;
    for (int i = 0; i < f.count; i++) {
      is_rigid[i] = 1;
      for (int c = 0; c < f.size; c++) {
        int v = f.vert ? f.vert[f.size * i + c] : i;
        is_rigid[i] &= v >= s->nsoft;
        for (int k = 0; k < 3; k++) centre[3 * i + k] += rest[3 * (size_t)v + (size_t)k];
      }
      if (f.vert || is_used[i]) item[nitem++] = i;
    }
    tree = mi_box_tree_create(nitem, item, centre, is_rigid, arena);
  }
  mi_arena_free(&scratch);
  return tree;
}

static bool build_trees(mi_surface *s, const float *rest, mi_arena *arena, mi_arena *scratch) {
  unsigned char *is_used = MI_PUSH(scratch, unsigned char, s->nvert);
  if (!is_used) return false;
  for (int i = 0; i < 3 * s->ntri; i++) is_used[s->tri[i]] = 1;
  s->vert_tree = build_tree(s, (features){s->nvert, 1, NULL}, rest, is_used, arena);
  s->tri_tree = build_tree(s, (features){s->ntri, 3, s->tri}, rest, NULL, arena);
  return s->vert_tree && s->tri_tree;
}

// Edges are numbered as they come in their tree: close ones share cache lines.
static bool build_edges(mi_surface *s, const float *rest, mi_arena *arena, mi_arena *scratch) {
  mi_topology topo;
  if (!mi_topology_build(s->nvert, s->ntri, s->tri, scratch, &topo)) return false;
  s->nedge = topo.nedge;
  mi_box_tree *tree = build_tree(s, (features){s->nedge, 2, topo.edge}, rest, NULL, arena);
  int32_t *tri_edge = MI_PUSH(arena, int32_t, 3 * (size_t)s->ntri);
  int32_t *edge = MI_PUSH(arena, int32_t, 2 * (size_t)s->nedge);
  int32_t *place = MI_PUSH(scratch, int32_t, s->nedge);
  if (!tree || !tri_edge || !edge || !place) return false;
  for (int e = 0; e < s->nedge; e++) {
    int from = tree->item[e];
    edge[2 * e] = topo.edge[2 * from];
    edge[2 * e + 1] = topo.edge[2 * from + 1];
    place[from] = e;
    tree->item[e] = e;
  }
  for (int i = 0; i < 3 * s->ntri; i++) {
    int e = mi_topology_edge(&topo, s->tri[i], s->tri[i / 3 * 3 + (i % 3 + 1) % 3]);
    tri_edge[i] = e < 0 ? -1 : place[e];
  }
  s->edge_tree = tree;
  s->edge = edge;
  s->tri_edge = tri_edge;
  return true;
}

mi_surface *mi_surface_create(const mi_surface_def *def, mi_arena *arena) {
  mi_surface *s = MI_PUSH(arena, mi_surface, 1);
  if (!s) return NULL;
  *s = (mi_surface){.nvert = def->nvert, .nsoft = def->nsoft, .ntri = def->ntri};
  s->tri = copy_ints(arena, def->tri, 3 * (size_t)def->ntri);
  mi_arena scratch = {.allocator = arena->allocator, .limit = arena->limit};
  bool is_done = s->tri && build_edges(s, def->rest, arena, &scratch) &&
                 build_trees(s, def->rest, arena, &scratch) && build_areas(s, def->rest, arena) &&
                 build_offsets(s, def->offset, arena) && build_lengths(s, def->rest, arena);
  mi_arena_free(&scratch);
  return is_done ? s : NULL;
}
