// Rigid parts within reach of the flesh: the rig's teeth, bones and eyes, and the user's own
// colliders.
#include "face/face.h"

#include "math/vec.h"

#include <math.h>
#include <string.h>

enum { SIDE = 64 };              // cells of the grid along each axis
static const double NEAR = 0.06; // of the face's size: farther rigid triangles are left out
typedef struct grid {
  mi_vec3 low;
  double cell;
  unsigned char *has; // (SIDE^3)
} grid;

// The number of the cell at a place; -1 = outside the grid.
static int cell_of(const grid *g, mi_vec3 at) {
  double x = (at.x - g->low.x) / g->cell, y = (at.y - g->low.y) / g->cell,
         z = (at.z - g->low.z) / g->cell;
  if (!(x >= 1 && y >= 1 && z >= 1 && x < SIDE - 1 && y < SIDE - 1 && z < SIDE - 1)) return -1;
  return ((int)z * SIDE + (int)y) * SIDE + (int)x;
}

static void mark_around(grid *g, int at) {
  for (int z = -1; z <= 1; z++)
    for (int y = -1; y <= 1; y++)
      for (int x = -1; x <= 1; x++) g->has[at + (z * SIDE + y) * SIDE + x] = 1;
}

// Cells where skin that can touch lies at rest, and those around them.
static bool mark_contact(const mien_face *face, mi_arena *scratch, grid *g) {
  const mi_skin *skin = &face->skin;
  mi_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
  for (int i = 0; i < skin->nvert; i++) {
    mi_vec3 at = mi_vec3_load(skin->position + 3 * (size_t)i);
    low = (mi_vec3){fmin(low.x, at.x), fmin(low.y, at.y), fmin(low.z, at.z)};
    high = (mi_vec3){fmax(high.x, at.x), fmax(high.y, at.y), fmax(high.z, at.z)};
  }
  double widest = fmax(high.x - low.x, fmax(high.y - low.y, high.z - low.z));
  g->cell = fmax(NEAR * (double)skin->size, widest / (SIDE - 5));
  g->low = mi_add_scaled(low, -2 * g->cell, (mi_vec3){1, 1, 1});
  g->has = MI_PUSH(scratch, unsigned char, SIDE *SIDE *SIDE);
  if (!g->has) return false;
  for (int i = 0; i < skin->nvert; i++) {
    int at = cell_of(g, mi_vec3_load(skin->position + 3 * (size_t)i));
    if (at >= 0 && (face->regions.bits[i] & MIEN_REGION_CONTACT)) mark_around(g, at);
  }
  return true;
}

typedef struct component { // of rigid surface
  const float *position;
  int stride, nvert, ntri;
  const int32_t *tri;
  int first_vertex;    // tri counts from here
  int user;            // which one; -1 = the rig's
  const bool *is_back; // of triangles, which do not count; NULL = none is
  const uint8_t *kind; // of the rig's vertices, of which those of `wanted` count; NULL = all do
  mien_part_kind wanted;
} component;

static mi_vec3 corner(const component *p, int t, int c) {
  return mi_vec3_load(p->position + (size_t)p->stride * (size_t)(p->tri[3 * t + c]));
}

static bool is_wanted(const component *p, int t) {
  return (!p->kind || p->kind[p->tri[3 * t]] == p->wanted) && !(p->is_back && p->is_back[t]);
}

// Outwards is where the volume is positive, seen from the middle: eyes are often open at the back.
static bool is_inside_out(const component *p) {
  double volume = 0;
  int count = 0;
  mi_vec3 middle = {0, 0, 0};
  for (int t = 0; t < p->ntri; t++) {
    if (!is_wanted(p, t)) continue;
    for (int c = 0; c < 3; c++) middle = mi_add(middle, corner(p, t, c));
    count += 3;
  }
  if (count) middle = mi_scale(1.0 / count, middle);
  for (int t = 0; t < p->ntri; t++)
    if (is_wanted(p, t))
      volume += mi_dot(mi_sub(corner(p, t, 0), middle),
                       mi_cross(mi_sub(corner(p, t, 1), middle), mi_sub(corner(p, t, 2), middle)));
  return volume < 0;
}

static bool is_near(const component *p, const grid *g, int t) {
  for (int c = 0; c < 3; c++) {
    int at = cell_of(g, corner(p, t, c));
    if (at >= 0 && g->has[at]) return true;
  }
  return false;
}

// Welding may have given a part's triangle a vertex of another part; then it is not the part's own.
static bool is_own(const component *p, int t) {
  for (int c = 0; c < 3; c++) {
    int own = p->tri[3 * t + c] - p->first_vertex;
    if (own < 0 || own >= p->nvert) return false;
  }
  return true;
}

// Appends the piece's near triangles (all of a user's collider) and their vertices.
static void append(mi_colliders *to, const component *p, const grid *g, int32_t *number) {
  bool turned = is_inside_out(p);
  for (int i = 0; i < p->nvert; i++) number[i] = -1;
  for (int t = 0; t < p->ntri; t++) {
    if (!is_wanted(p, t) || !is_own(p, t) || (p->user < 0 && !is_near(p, g, t))) continue;
    for (int c = 0; c < 3; c++) {
      int v = p->tri[3 * t + (turned ? 2 - c : c)], own = v - p->first_vertex;
      if (number[own] < 0) {
        number[own] = to->nvert;
        memcpy(to->position + 3 * (size_t)to->nvert, p->position + (size_t)p->stride * (size_t)v,
               3 * sizeof(float));
        to->rig[to->nvert] = p->user < 0 ? v : -1;
        to->user[to->nvert++] = p->user;
      }
      to->tri[3 * (size_t)to->ntri + (size_t)c] = number[own];
    }
    to->ntri++;
  }
}

enum { NRIGID = MIEN_PART_EYE_RIGHT - MIEN_PART_SKULL + 1 };

// The triangles of one rigid kind in one part: a part may hold pieces of several kinds.
static component part_piece(const mien_face *face, int k) {
  const mien_rig_info *rig = &face->rig->info;
  const mien_part *part = rig->parts + k / NRIGID;
  const bool *back = face->rig->is_back;
  return (component){.position = rig->positions.data,
                     .stride = 3,
                     .nvert = part->nvert,
                     .ntri = part->ntri,
                     .tri = rig->triangles.data + 3 * (size_t)part->first_triangle,
                     .first_vertex = part->first_vertex,
                     .is_back = back ? back + part->first_triangle : NULL,
                     .kind = face->regions.kind,
                     .wanted = (mien_part_kind)(MIEN_PART_SKULL + k % NRIGID),
                     .user = -1};
}

// How many triangles of a part are rigid, of whatever kind.
static int count_rigid(const mien_face *face, const mien_part *part) {
  int count = 0;
  for (int t = part->first_triangle; t < part->first_triangle + part->ntri; t++) {
    int kind = face->regions.kind[face->rig->triangles[3 * (size_t)t]];
    count += kind >= MIEN_PART_SKULL && kind <= MIEN_PART_EYE_RIGHT;
  }
  return count;
}

static component user_piece(const mien_collider *c, int k) {
  return (component){.position = c->positions.data,
                     .stride = c->positions.stride ? c->positions.stride : 3,
                     .nvert = c->positions.count,
                     .ntri = c->triangles.count / 3,
                     .tri = c->triangles.data,
                     .user = k};
}

static mien_result check(const mien_collider *c, int k, mien_error *err) {
  const char *name = c->name ? c->name : "";
  int stride = c->positions.stride ? c->positions.stride : 3;
  if (c->positions.count < 1 || !c->positions.data || stride < 3 || c->triangles.count < 3 ||
      !c->triangles.data || c->triangles.count % 3)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "collider %d (%s) has no triangles", k, name);
  for (int i = 0; i < c->triangles.count; i++)
    if (c->triangles.data[i] < 0 || c->triangles.data[i] >= c->positions.count)
      return mi_fail(err, MIEN_ERR_ARGUMENT, "collider %d (%s): vertex %d of %d is out of range", k,
                     name, c->triangles.data[i], c->positions.count);
  for (int i = 0; i < c->positions.count; i++)
    for (int a = 0; a < 3; a++)
      if (!isfinite(c->positions.data[(size_t)stride * (size_t)i + (size_t)a]))
        return mi_fail(err, MIEN_ERR_NOT_FINITE, "collider %d (%s): vertex %d is not finite", k,
                       name, i);
  return MIEN_OK;
}

mien_result mi_colliders_build(mi_face_build *b) {
  mien_face *face = b->face;
  const mien_rig_info *rig = &face->rig->info;
  const mien_collider *given = b->def->colliders;
  mi_colliders *to = &face->colliders;
  int nvert = 0, ntri = 0, most = 0;
  to->nuser = b->def->ncollider;
  for (int p = 0; p < rig->npart; p++) {
    int nrigid = count_rigid(face, rig->parts + p);
    ntri += nrigid;
    nvert += nrigid ? rig->parts[p].nvert : 0;
    most = rig->parts[p].nvert > most ? rig->parts[p].nvert : most;
  }
  for (int k = 0; k < to->nuser; k++) {
    mien_result result = check(given + k, k, b->err);
    if (result != MIEN_OK) return result;
    ntri += given[k].triangles.count / 3;
    nvert += given[k].positions.count;
    most = given[k].positions.count > most ? given[k].positions.count : most;
  }
  grid g;
  int32_t *number = MI_PUSH(&b->scratch, int32_t, most);
  to->position = MI_PUSH(&face->arena, float, 3 * (size_t)nvert);
  to->rig = MI_PUSH(&face->arena, int32_t, nvert);
  to->user = MI_PUSH(&face->arena, int32_t, nvert);
  to->tri = MI_PUSH(&face->arena, int32_t, 3 * (size_t)ntri);
  if (!number || !to->position || !to->rig || !to->user || !to->tri ||
      !mark_contact(face, &b->scratch, &g))
    return mi_fail_memory(b->err);
  for (int k = 0; k < NRIGID * rig->npart; k++) {
    component p = part_piece(face, k);
    append(to, &p, &g, number);
  }
  for (int k = 0; k < to->nuser; k++) {
    component p = user_piece(given + k, k);
    append(to, &p, &g, number);
  }
  return MIEN_OK;
}
