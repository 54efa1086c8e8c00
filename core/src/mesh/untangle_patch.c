#include "mesh/untangle_patch.h"

#include "mesh/mesh.h"

enum { MOST_FREE = 300, MOST_TETS = 6000, MOST_VERTS = 4000 };

static int smaller(int a, int b) {
  return a < b ? a : b;
}

bool mi_patch_reserve(const mi_patch_mesh *mesh, mi_arena *arena, mi_patch *p) {
  *p = (mi_patch){.mesh = *mesh,
                  .most_free = smaller(MOST_FREE, mesh->nvert),
                  .most_vert = smaller(MOST_VERTS, mesh->nvert),
                  .most_tet = smaller(MOST_TETS, mesh->ntet)};
  if (!MI_RESERVE(arena, MI_ROOM(p->local, mesh->nvert), MI_ROOM(p->vert, p->most_vert),
                  MI_ROOM(p->tet, p->most_tet), MI_ROOM(p->corner, 4 * (size_t)p->most_tet),
                  MI_ROOM(p->inverse, 9 * (size_t)p->most_tet),
                  MI_ROOM(p->x, 3 * (size_t)p->most_vert),
                  MI_ROOM(p->memory, mi_untangle_memory(p->most_free, p->most_vert))))
    return false;
  for (int i = 0; i < mesh->nvert; i++) p->local[i] = -1;
  return true;
}

static void free_vertex(mi_patch *p, int i) {
  if (i < p->mesh.nheld || p->local[i] >= 0 || p->nfree == p->most_free) return;
  p->local[i] = p->nfree;
  p->vert[p->nfree++] = i;
}

static void free_corners(mi_patch *p, int tet) {
  for (int c = 0; c < 4; c++) free_vertex(p, p->mesh.tets[4 * (size_t)tet + (size_t)c]);
}

// The inside of what is bad, and what lies around it.
static void find_free(mi_patch *p, const float *volume, float share) {
  const mi_patch_mesh *mesh = &p->mesh;
  for (int t = 0; t < mesh->ntet; t++) {
    if (volume[t] > share * mesh->rest_volume[t]) continue;
    p->nbad++;
    free_corners(p, t);
  }
  for (int v = 0, own = p->nfree; v < own; v++) {
    int i = p->vert[v];
    for (int k = mesh->vertex_tet_first[i]; k < mesh->vertex_tet_first[i + 1]; k++)
      free_corners(p, mesh->vertex_tet[k]);
  }
}

static int number_corner(mi_patch *p, int i) {
  if (p->local[i] < 0) {
    p->local[i] = p->nvert;
    p->vert[p->nvert++] = i;
  }
  return p->local[i];
}

// All tetrahedra at free vertices; false when there is no room for them.
static bool add_tets(mi_patch *p) {
  const mi_patch_mesh *mesh = &p->mesh;
  p->nvert = p->nfree;
  for (int v = 0; v < p->nfree; v++) {
    int i = p->vert[v];
    for (int k = mesh->vertex_tet_first[i]; k < mesh->vertex_tet_first[i + 1]; k++) {
      const int32_t *tet = mesh->tets + 4 * (size_t)mesh->vertex_tet[k];
      bool is_first = true; // at its first free corner only
      for (int c = 0; c < 4; c++) {
        int other = p->local[tet[c]];
        is_first &= !(other >= 0 && other < p->nfree && other < v);
      }
      if (!is_first) continue;
      if (p->ntet == p->most_tet || p->nvert + 4 > p->most_vert) return false;
      for (int c = 0; c < 4; c++)
        p->corner[4 * (size_t)p->ntet + (size_t)c] = number_corner(p, tet[c]);
      mi_untangle_inverse(mesh->rest, tet, p->inverse + 9 * (size_t)p->ntet);
      p->tet[p->ntet++] = mesh->vertex_tet[k];
    }
  }
  return true;
}

bool mi_patch_open(mi_patch *p, const float *volume, float share) {
  p->nbad = p->nfree = p->nvert = p->ntet = 0;
  find_free(p, volume, share);
  return p->nbad && add_tets(p);
}

mi_untangle mi_patch_load(const mi_patch *p, const float *position) {
  mi_untangle u = {
      .ntet = p->ntet, .nfree = p->nfree, .tets = p->corner, .inverse = p->inverse, .x = p->x};
  for (int k = 0; k < 3 * p->nvert; k++)
    u.x[k] = position[3 * (size_t)p->vert[k / 3] + (size_t)(k % 3)];
  return u;
}

bool mi_patch_solve(const mi_patch *p, const mi_untangle *u, float *position, float *volume) {
  mi_untangle_info info;
  mi_untangle_solve(u, p->nvert, p->memory, &info);
  for (int k = 0; k < 3 * p->nfree; k++)
    position[3 * (size_t)p->vert[k / 3] + (size_t)(k % 3)] = (float)u->x[k];
  for (int k = 0; k < p->ntet; k++)
    volume[p->tet[k]] = mi_measure_tet(position, p->mesh.tets + 4 * (size_t)p->tet[k]);
  return !info.is_cut;
}

void mi_patch_close(mi_patch *p) {
  for (int v = 0; v < p->nvert || v < p->nfree; v++) p->local[p->vert[v]] = -1;
}

int mi_patch_list_around(const mi_patch_mesh *mesh, const float *position, float share,
                         const int32_t *tets, int count, uint8_t *is_seen, float *volume,
                         int32_t *out, int most) {
  int nfound = 0;
  for (int pass = 0; pass < 2; pass++) // find, then clear the marks
    for (int k = 0; k < 4 * count; k++) {
      int i = mesh->tets[4 * (size_t)tets[k / 4] + (size_t)(k % 4)];
      for (int at = mesh->vertex_tet_first[i]; at < mesh->vertex_tet_first[i + 1]; at++) {
        int t = mesh->vertex_tet[at];
        bool was_seen = is_seen[t];
        is_seen[t] = !pass;
        if (pass || was_seen) continue;
        volume[t] = mi_measure_tet(position, mesh->tets + 4 * (size_t)t);
        if (!(volume[t] > share * mesh->rest_volume[t]) && nfound < most) out[nfound++] = t;
      }
    }
  return nfound;
}
