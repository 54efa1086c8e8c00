// Rows of S: the muscles that a tetrahedron may belong to, and their first shares. A muscle within
// 1 cm is a candidate (Dinev, 4.2.1): the subject's may lie elsewhere than in the atlas. A
// tetrahedron inside a muscle belongs to it, shared evenly where several overlap; the share falls
// to 0 over 3 mm. A shell of prisms stands for all flesh down to the bones: a muscle of the user's
// own that lies deeper belongs to the shell above it, as the atlas's are laid into it.
#include "face/face.h"

#include "math/mat3.h"
#include "math/small.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

static const double REACH = 0.010, FALL = 0.003; // m, on an adult face
static const double DEEP = 0.02; // m, the same: flesh of a cheek over the muscles that chew

typedef struct near_muscle {
  double distance; // m, from its surface; 0 = inside
  mi_vec3 fibre;   // unit
} near_muscle;

typedef struct rows {
  mi_face_build *b;
  const mi_muscle_body *bodies;
  mi_bvh **bvh; // of meshes                                                          (count)
  int count;
} rows;

static near_muscle near_paths(const mi_muscle_body *body, mi_vec3 p) {
  near_muscle near = {INFINITY, {1, 0, 0}};
  for (int path = 0; path < body->npath; path++)
    for (int k = body->path_first[path]; k + 1 < body->path_first[path + 1]; k++) {
      mi_vec3 a = mi_vec3_load(body->point + 3 * (size_t)k);
      mi_vec3 along = mi_sub(mi_vec3_load(body->point + 3 * (size_t)(k + 1)), a);
      double length2 = mi_dot(along, along);
      double t = length2 > 0 ? fmin(1, fmax(0, mi_dot(mi_sub(p, a), along) / length2)) : 0;
      double distance = mi_distance(p, mi_add_scaled(a, t, along));
      if (distance >= near.distance || !(length2 > 0)) continue;
      near.distance = distance;
      near.fibre = mi_unit(along);
    }
  near.distance = fmax(0, near.distance - body->radius);
  return near;
}

// A place in the flesh, and what lies below it and counts as this place.
typedef struct place {
  mi_vec3 at, inwards; // unit
  double deep;         // m
} place;

static bool is_beside(const mi_muscle_body *body, const place *p, double reach) {
  const double at[3] = {p->at.x, p->at.y, p->at.z};
  for (int c = 0; c < 3; c++)
    if (at[c] < body->low[c] - reach || at[c] > body->high[c] + reach) return true;
  return false;
}

// How far a point is from a place and the way down from it.
static double distance_below(const place *p, mi_vec3 point) {
  mi_vec3 to = mi_sub(point, p->at);
  double down = mi_dot(to, p->inwards);
  return mi_length(mi_add_scaled(to, -fmin(p->deep, fmax(0, down)), p->inwards));
}

static bool is_hit(const mi_bvh *bvh, mi_vec3 from, mi_vec3 way, double reach, bool *from_behind) {
  const double origin[3] = {from.x, from.y, from.z}, direction[3] = {way.x, way.y, way.z};
  mi_hit hit = mi_bvh_ray(bvh, origin, direction, reach, -1);
  *from_behind = hit.from_behind;
  return hit.tri >= 0;
}

static near_muscle near_mesh(const mi_muscle_body *body, const mi_bvh *bvh, const place *p,
                             double reach) {
  const mien_f32s *points = &body->mesh->positions;
  near_muscle near = {INFINITY, {body->axis[0], body->axis[1], body->axis[2]}};
  bool is_inside, is_above;
  if (is_beside(body, p, reach + p->deep)) return near;
  for (int k = 0; k < points->count; k++)
    near.distance = fmin(near.distance, distance_below(p, mi_vec3_load(mi_f32s_at(points, 3, k))));
  if (is_hit(bvh, p->at, (mi_vec3){0.123, 0.987, 0.104}, 1e3, &is_inside) && is_inside)
    near.distance = 0;
  if (p->deep > 0 && is_hit(bvh, p->at, p->inwards, p->deep, &is_above)) near.distance = 0;
  return near;
}

static near_muscle find_near(const rows *r, int muscle, const place *p, double reach) {
  const mi_muscle_body *body = r->bodies + muscle;
  return body->mesh ? near_mesh(body, r->bvh[muscle], p, reach) : near_paths(body, p->at);
}

// A frame along the fibre whose last axis is as close to the skin's normal as possible.
static void set_frame(const mien_face *face, int tet, mi_vec3 fibre, float *frame) {
  int skin = face->carrier[face->tets[4 * (size_t)tet]];
  mi_vec3 normal = mi_vec3_load(face->skin.normal + 3 * (size_t)skin);
  mi_vec3 across = mi_cross(normal, fibre);
  if (mi_length(across) < 1e-3)
    across = mi_cross(fabs(fibre.x) < 0.7 ? (mi_vec3){1, 0, 0} : (mi_vec3){0, 1, 0}, fibre);
  across = mi_unit(across);
  mi_vec3 through = mi_cross(fibre, across), column[3] = {fibre, across, through};
  for (int c = 0; c < 3; c++) {
    frame[c] = (float)column[c].x;
    frame[3 + c] = (float)column[c].y;
    frame[6 + c] = (float)column[c].z;
  }
}

static place middle_of(const mien_face *face, int tet, double adult) {
  int skin = face->carrier[face->tets[4 * (size_t)tet]];
  mi_vec3 normal = mi_vec3_load(face->skin.normal + 3 * (size_t)skin);
  place p = {.inwards = mi_scale(-1, normal), .deep = face->is_prisms ? adult * DEEP : 0};
  for (int c = 0; c < 4; c++) {
    int vert = face->tets[4 * (size_t)tet + (size_t)c];
    p.at = mi_add_scaled(p.at, 0.25, mi_vec3_load(face->rest + 3 * (size_t)vert));
  }
  return p;
}

// Candidates of a tetrahedron; with `out` their entries are filled. Returns how many.
static int fill_row(const rows *r, int tet, mi_muscles *out) {
  const mien_face *face = r->b->face;
  double adult = face->skin.size / 0.18, sum = 0;
  place p = middle_of(face, tet, adult);
  int count = 0;
  for (int m = 0; m < r->count; m++) {
    near_muscle near = find_near(r, m, &p, adult * REACH);
    if (!(near.distance <= adult * REACH)) continue;
    double share = fmax(0, 1 - near.distance / (adult * FALL));
    sum += share;
    if (out) {
      size_t at = (size_t)(out->first[tet] + count);
      out->index[at] = m;
      out->share[at] = (float)share;
      set_frame(face, tet, near.fibre, out->frame + 9 * at);
    }
    count++;
  }
  for (int k = 0; out && sum > 1 && k < count; k++) out->share[out->first[tet] + k] /= (float)sum;
  return count;
}

static void count_range(void *user, int begin, int end) {
  const rows *r = user;
  for (int t = begin; t < end; t++) r->b->face->muscles.first[t + 1] = fill_row(r, t, NULL);
}

static void fill_range(void *user, int begin, int end) {
  const rows *r = user;
  for (int t = begin; t < end; t++) fill_row(r, t, &r->b->face->muscles);
}

// -- meshes ---------------------------------------------------------------------------------------

static bool take_meshes(rows *r, mi_muscle_body *bodies) {
  r->bvh = MI_PUSH(&r->b->scratch, mi_bvh *, r->count);
  if (!r->bvh) return false;
  for (int m = 0; m < r->count; m++) {
    const mien_muscle_mesh *mesh = bodies[m].mesh;
    if (!mesh) continue;
    double mean[3] = {0}, spread[9] = {0}, value[3], vector[9];
    for (int c = 0; c < 3; c++) bodies[m].low[c] = INFINITY, bodies[m].high[c] = -INFINITY;
    float *packed = MI_PUSH(&r->b->scratch, float, 3 * (size_t)mesh->positions.count);
    if (!packed) return false;
    for (int k = 0; k < 3 * mesh->positions.count; k++) {
      packed[k] = mi_f32s_at(&mesh->positions, 3, k / 3)[k % 3];
      mean[k % 3] += (double)packed[k] / mesh->positions.count;
      bodies[m].low[k % 3] = fmin(bodies[m].low[k % 3], (double)packed[k]);
      bodies[m].high[k % 3] = fmax(bodies[m].high[k % 3], (double)packed[k]);
    }
    for (int k = 0; k < 9 * mesh->positions.count; k++) {
      int i = k % 9 / 3, j = k % 3;
      const float *at = packed + 3 * (size_t)(k / 9);
      spread[k % 9] += ((double)at[i] - mean[i]) * ((double)at[j] - mean[j]);
    }
    mi_small_eigen(3, spread, value, vector);
    int longest =
        value[0] > value[1] ? (value[0] > value[2] ? 0 : 2) : (value[1] > value[2] ? 1 : 2);
    for (int c = 0; c < 3; c++) bodies[m].axis[c] = vector[3 * c + longest];
    int ntri = mesh->triangles.count / 3;
    if (!(r->bvh[m] = mi_bvh_build(ntri, mesh->triangles.data, packed, &r->b->scratch)))
      return false;
  }
  return true;
}

mien_result mi_muscles_find_rows(mi_face_build *b, const mi_muscle_body *bodies, int count) {
  mien_face *face = b->face;
  mi_muscles *muscles = &face->muscles;
  rows r = {.b = b, .bodies = bodies, .count = count};
  int ntet = face->info.ntet, threads = face->host.threads;
  muscles->count = count;
  muscles->first = MI_PUSH(&face->arena, int32_t, ntet + 1);
  if (!muscles->first || !take_meshes(&r, (mi_muscle_body *)bodies)) return mi_fail_memory(b->err);
  mi_parallel(threads, ntet, 256, count_range, &r);
  for (int t = 0; t < ntet; t++) muscles->first[t + 1] += muscles->first[t];
  muscles->nentry = muscles->first[ntet];
  muscles->index = MI_PUSH(&face->arena, int32_t, muscles->nentry);
  muscles->share = MI_PUSH(&face->arena, float, muscles->nentry);
  muscles->frame = MI_PUSH(&face->arena, float, 9 * (size_t)muscles->nentry);
  if (!muscles->index || !muscles->share || !muscles->frame) return mi_fail_memory(b->err);
  mi_parallel(threads, ntet, 256, fill_range, &r);
  return MIEN_OK;
}
