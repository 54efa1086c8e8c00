// Flesh between skin and bones (Kozlov et al., 6.1): the skin with capped openings is the outside,
// skull and jaw are holes; a tetrahedraliser of the host fills the space between.
#include "face/face.h"

#include "math/vec.h"

#include <stdlib.h>
#include <string.h>

typedef struct shell {
  mi_face_build *b;
  double *position; // skin, caps, bones
  int32_t *tri;
  double *hole;
  unsigned char *fixed; // 0 = free, 1 = skull, 2 = jaw, 3 = cap                        (nvert)
  int nvert, ntri, nhole;
} shell;

static int add_vertex(shell *s, mi_vec3 at, int fixed) {
  double *to = s->position + 3 * (size_t)s->nvert;
  to[0] = at.x, to[1] = at.y, to[2] = at.z;
  s->fixed[s->nvert] = (unsigned char)fixed;
  return s->nvert++;
}

static void add_triangle(shell *s, int a, int b, int c) {
  int32_t *to = s->tri + 3 * (size_t)s->ntri++;
  to[0] = a, to[1] = b, to[2] = c;
}

static mien_result add_skin(shell *s) {
  const mi_skin *skin = &s->b->face->skin;
  if (skin->topo.nnonmanifold || skin->topo.nflipped)
    return mi_fail(s->b->err, MIEN_ERR_ARGUMENT,
                   "volumetric flesh needs a manifold skin; %d edges have more than two triangles, "
                   "%d run the wrong way round",
                   skin->topo.nnonmanifold, skin->topo.nflipped);
  for (int i = 0; i < skin->nvert; i++)
    add_vertex(s, mi_vec3_load(skin->position + 3 * (size_t)i), 0);
  for (int t = 0; t < skin->ntri; t++)
    add_triangle(s, skin->tri[3 * t], skin->tri[3 * t + 1], skin->tri[3 * t + 2]);
  return MIEN_OK;
}

// The border edge that leaves each vertex in the direction of its triangle; -1 = inner vertex.
static mien_result follow_borders(shell *s, int32_t *next) {
  const mi_skin *skin = &s->b->face->skin;
  for (int i = 0; i < skin->nvert; i++) next[i] = -1;
  for (int t = 0; t < skin->ntri; t++)
    for (int c = 0; c < 3; c++) {
      int from = skin->tri[3 * t + c], to = skin->tri[3 * t + (c + 1) % 3];
      int e = mi_topology_edge(&skin->topo, from, to);
      if (e < 0 || skin->topo.edge_ntri[e] != 1) continue;
      if (next[from] >= 0)
        return mi_fail(s->b->err, MIEN_ERR_ARGUMENT,
                       "two open borders of the skin touch at vertex %d; volumetric flesh cannot "
                       "close them",
                       skin->vert[from]);
      next[from] = to;
    }
  return MIEN_OK;
}

// Closes every opening by a fan of triangles around its middle.
static mien_result add_caps(shell *s) {
  int nskin = s->b->face->skin.nvert;
  int32_t *next = MI_PUSH(&s->b->scratch, int32_t, nskin);
  if (!next) return mi_fail_memory(s->b->err);
  mien_result result = follow_borders(s, next);
  for (int start = 0; result == MIEN_OK && start < nskin; start++) {
    if (next[start] < 0) continue;
    mi_vec3 sum = {0, 0, 0};
    int count = 0, i = start;
    do {
      const double *at = s->position + 3 * (size_t)i;
      sum = mi_add(sum, (mi_vec3){at[0], at[1], at[2]});
      count++;
      i = next[i];
    } while (i != start && i >= 0 && count <= nskin);
    if (i != start) return mi_fail(s->b->err, MIEN_ERR_ARGUMENT, "an open border is not a loop");
    int middle = add_vertex(s, mi_scale(1.0 / count, sum), 3);
    do {
      int to = next[i];
      add_triangle(s, to, i, middle);
      next[i] = -1;
      i = to;
    } while (i != start);
  }
  return result;
}

// A point inside a bone: the middle of the longest ray through it from any of its triangles.
static mien_result add_hole(shell *s, const mien_part *part, const mi_topology *topo,
                            const int32_t *component, int wanted) {
  const float *position = s->b->face->rig->positions + 3 * (size_t)part->first_vertex;
  const mi_bvh *bvh = mi_bvh_build(topo->ntri, topo->tri, position, &s->b->scratch);
  if (!bvh) return mi_fail_memory(s->b->err);
  double longest = 0, *to = s->hole + 3 * (size_t)s->nhole++;
  for (int t = 0; t < topo->ntri; t++) {
    const int32_t *tri = topo->tri + 3 * (size_t)t;
    if (component[tri[0]] != wanted) continue;
    double n[3], origin[3], way[3], area = mi_triangle_area(position, tri);
    mi_triangle_normal(position, tri, n);
    for (int k = 0; k < 3; k++) {
      way[k] = area > 0 ? -n[k] / (2 * area) : 0;
      origin[k] = 1e-6 * way[k];
      for (int c = 0; c < 3; c++) origin[k] += position[3 * tri[c] + k] / 3.0;
    }
    mi_hit hit = mi_bvh_ray(bvh, origin, way, INFINITY, -1);
    if (hit.tri < 0 || hit.distance <= longest) continue;
    longest = hit.distance;
    for (int k = 0; k < 3; k++) to[k] = origin[k] + 0.5 * longest * way[k];
  }
  if (longest > 0) return MIEN_OK;
  return mi_fail(s->b->err, MIEN_ERR_ARGUMENT, "the inside of '%s' was not found", part->name);
}

static mien_result add_bone(shell *s, const mien_part *part) {
  const mien_rig *rig = s->b->face->rig;
  int32_t *tri = MI_PUSH(&s->b->scratch, int32_t, 3 * (size_t)part->ntri);
  int32_t *component = MI_PUSH(&s->b->scratch, int32_t, part->nvert);
  if (!tri || !component) return mi_fail_memory(s->b->err);
  for (int k = 0; k < 3 * part->ntri; k++)
    tri[k] = rig->triangles[3 * part->first_triangle + k] - part->first_vertex;
  mi_topology topo;
  if (!mi_topology_build(part->nvert, part->ntri, tri, &s->b->scratch, &topo))
    return mi_fail_memory(s->b->err);
  if (topo.nborder || topo.nnonmanifold)
    return mi_fail(s->b->err, MIEN_ERR_ARGUMENT,
                   "'%s' is not closed (%d open edges); volumetric flesh needs closed bones",
                   part->name, topo.nborder + topo.nnonmanifold);
  int ncomponent = mi_topology_components(&topo, &s->b->scratch, component), base = s->nvert;
  if (ncomponent < 0) return mi_fail_memory(s->b->err);
  for (int i = 0; i < part->nvert; i++)
    add_vertex(s, mi_vec3_load(rig->positions + 3 * (size_t)(part->first_vertex + i)),
               part->kind == MIEN_PART_JAW ? 2 : 1);
  for (int t = 0; t < part->ntri; t++)
    add_triangle(s, base + tri[3 * t], base + tri[3 * t + 1], base + tri[3 * t + 2]);
  mien_result result = MIEN_OK;
  for (int c = 0; result == MIEN_OK && c < ncomponent; c++)
    result = add_hole(s, part, &topo, component, c);
  return result;
}

static mien_result gather(shell *s) {
  const mien_rig_info *rig = &s->b->face->rig->info;
  const mi_skin *skin = &s->b->face->skin;
  size_t most = (size_t)skin->nvert + (size_t)skin->topo.nborder + (size_t)rig->nvert;
  size_t most_tri = (size_t)skin->ntri + (size_t)skin->topo.nborder + (size_t)rig->ntri;
  s->position = MI_PUSH(&s->b->scratch, double, 3 * most);
  s->fixed = MI_PUSH(&s->b->scratch, unsigned char, most);
  s->tri = MI_PUSH(&s->b->scratch, int32_t, 3 * most_tri);
  s->hole = MI_PUSH(&s->b->scratch, double, 3 * (size_t)rig->nvert);
  if (!s->position || !s->fixed || !s->tri || !s->hole) return mi_fail_memory(s->b->err);
  mien_result result = add_skin(s);
  if (result == MIEN_OK) result = add_caps(s);
  for (int p = 0; result == MIEN_OK && p < rig->npart; p++)
    if (rig->parts[p].kind == MIEN_PART_SKULL || rig->parts[p].kind == MIEN_PART_JAW)
      result = add_bone(s, rig->parts + p);
  if (result == MIEN_OK && !s->nhole)
    return mi_fail(s->b->err, MIEN_ERR_ARGUMENT,
                   "volumetric flesh needs a skull or a jaw part; this rig has neither");
  return result;
}

static mien_result check_mesh(const shell *s, const mien_tet_mesh *mesh) {
  mien_error *err = s->b->err;
  bool sound = mesh->nvert >= s->nvert && mesh->ntet > 0 && mesh->positions && mesh->tets;
  for (int k = 0; sound && k < 4 * mesh->ntet; k++)
    sound = mesh->tets[k] >= 0 && mesh->tets[k] < mesh->nvert;
  for (int i = 0; sound && i < 3 * mesh->nvert; i++) sound = isfinite(mesh->positions[i]);
  if (!sound) return mi_fail(err, MIEN_ERR_MISMATCH, "the tetrahedraliser's answer makes no sense");
  return MIEN_OK;
}

// Copies the mesh; tetrahedra get positive volumes.
static mien_result adopt(mi_face_build *b, const mien_tet_mesh *mesh) {
  mien_face *face = b->face;
  face->info.nvert = mesh->nvert;
  face->info.ntet = mesh->ntet;
  face->rest = MI_PUSH(&face->arena, float, 3 * (size_t)mesh->nvert);
  face->tets = MI_PUSH(&face->arena, int32_t, 4 * (size_t)mesh->ntet);
  if (!face->rest || !face->tets || !mi_flesh_reserve(b)) return mi_fail_memory(b->err);
  for (int i = 0; i < 3 * mesh->nvert; i++) face->rest[i] = (float)mesh->positions[i];
  memcpy(face->tets, mesh->tets, 4 * (size_t)mesh->ntet * sizeof *face->tets);
  for (int e = 0; e < mesh->ntet; e++) {
    int32_t *tet = face->tets + 4 * (size_t)e;
    mi_vec3 p[4];
    for (int c = 0; c < 4; c++) p[c] = mi_vec3_load(face->rest + 3 * (size_t)tet[c]);
    if (mi_det(p[0], p[1], p[2], p[3]) >= 0) continue;
    int32_t swapped = tet[0];
    tet[0] = tet[1];
    tet[1] = swapped;
  }
  return MIEN_OK;
}

// Fields known on skin and bones, averaged over tetrahedra between them (Jacobi sweeps, so that the
// order does not matter).
static mien_result spread_inwards(const shell *s, float *field) {
  const mien_face *face = s->b->face;
  int nvert = face->info.nvert;
  double *sum = MI_PUSH(&s->b->scratch, double, nvert);
  int32_t *count = MI_PUSH(&s->b->scratch, int32_t, nvert);
  if (!sum || !count) return mi_fail_memory(s->b->err);
  for (int k = 0; k < 4 * face->info.ntet; k++) count[face->tets[k]] += 3;
  for (int sweep = 0; sweep < 100; sweep++) {
    memset(sum, 0, (size_t)nvert * sizeof *sum);
    for (int e = 0; e < face->info.ntet; e++) {
      const int32_t *tet = face->tets + 4 * (size_t)e;
      double all = 0;
      for (int c = 0; c < 4; c++) all += field[tet[c]];
      for (int c = 0; c < 4; c++) sum[tet[c]] += all - field[tet[c]];
    }
    for (int i = s->nvert; i < nvert; i++)
      if (count[i]) field[i] = (float)(sum[i] / count[i]);
  }
  return MIEN_OK;
}

// For each flesh vertex, the skin vertex that is nearest along edges of tetrahedra.
static void find_carriers(const shell *s) {
  mien_face *face = s->b->face;
  int nskin = face->skin.nvert;
  for (int i = 0; i < face->info.nvert; i++) face->carrier[i] = i < nskin ? i : -1;
  for (bool again = true; again;) {
    again = false;
    for (int e = 0; e < face->info.ntet; e++) {
      const int32_t *tet = face->tets + 4 * (size_t)e;
      int from = -1;
      for (int c = 0; c < 4; c++)
        if (face->carrier[tet[c]] >= 0 && from < 0) from = face->carrier[tet[c]];
      for (int c = 0; from >= 0 && c < 4; c++) {
        if (face->carrier[tet[c]] >= 0) continue;
        face->carrier[tet[c]] = from;
        again = true;
      }
    }
  }
  for (int i = 0; i < face->info.nvert; i++)
    if (face->carrier[i] < 0) face->carrier[i] = 0; // in no tetrahedron at all
}

static mien_result hold(const shell *s) {
  mien_face *face = s->b->face;
  face->bone_share = MI_PUSH(&face->arena, float, face->info.nvert);
  if (!face->bone_share) return mi_fail_memory(s->b->err);
  for (int i = 0; i < s->nvert; i++) {
    face->attachment[i] = face->bone_share[i] = s->fixed[i] ? 1 : 0;
    face->jaw[i] = i < face->skin.nvert ? face->regions.jaw[i] : s->fixed[i] == 2;
  }
  mien_result result = spread_inwards(s, face->bone_share);
  if (result == MIEN_OK) result = spread_inwards(s, face->jaw);
  find_carriers(s);
  return result;
}

mien_result mi_volume_build(mi_face_build *b) {
  const mi_skin *skin = &b->face->skin;
  shell s = {.b = b};
  mien_result result = gather(&s);
  if (result != MIEN_OK) return result;
  double edge = mi_mean_edge_length(&skin->topo, skin->position);
  mien_surface surface = {s.position, s.tri, s.hole, s.nvert, s.ntri, s.nhole, edge * edge * edge};
  mien_tet_mesh mesh = {0};
  char why[160] = "";
  if (b->def->tetrahedralise(b->def->tetrahedralise_user, &surface, &mesh, why))
    result = mi_fail(b->err, MIEN_ERR_MISMATCH, "the flesh could not be filled: %s", why);
  if (result == MIEN_OK) result = check_mesh(&s, &mesh);
  if (result == MIEN_OK) result = adopt(b, &mesh);
  free(mesh.positions);
  free(mesh.tets);
  return result == MIEN_OK ? hold(&s) : result;
}
