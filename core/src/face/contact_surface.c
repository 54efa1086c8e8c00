// The contact surface of a face.
#include "face/face.h"

#include "math/vec.h"

#include <math.h>
#include <string.h>

typedef struct build_ctx {
  const mien_face *face;
  mi_contact_surface *surface;
  mi_arena *arena, *scratch;
  int nsoft_tri;
} build_ctx;

// -- Triangles -----------------------------------------------------------------------------------

static bool is_soft_triangle(const build_ctx *m, const int32_t *tri) {
  return m->surface->soft[tri[0]] >= 0 && m->surface->soft[tri[1]] >= 0 &&
         m->surface->soft[tri[2]] >= 0;
}

static bool make_surface(build_ctx *m) {
  const mi_skin *skin = &m->face->skin;
  const mi_colliders *rigid = &m->face->colliders;
  mi_contact_surface *c = m->surface;
  float *rest = c->rest;
  int32_t *tri = MI_PUSH(m->scratch, int32_t, 3 * (size_t)(skin->ntri + rigid->ntri));
  if (!tri) return false;
  int ntri = 0;
  for (int i = 0; i < c->nsoft; i++)
    memcpy(rest + 3 * (size_t)i, skin->position + 3 * (size_t)c->flesh[i], 3 * sizeof *rest);
  memcpy(rest + 3 * (size_t)c->nsoft, rigid->position, 3 * (size_t)rigid->nvert * sizeof *rest);
  for (int t = 0; t < skin->ntri; t++) {
    const int32_t *corner = skin->tri + 3 * (size_t)t;
    for (int k = 0; k < 3 && is_soft_triangle(m, corner); k++)
      tri[ntri++] = m->surface->soft[corner[k]];
  }
  m->nsoft_tri = ntri / 3;
  for (int k = 0; k < 3 * rigid->ntri; k++) tri[ntri++] = c->nsoft + rigid->tri[k];
  mi_surface_def def = {
      .nvert = c->nvert, .nsoft = c->nsoft, .ntri = ntri / 3, .tri = tri, .rest = rest};
  c->mesh = mi_surface_create(&def, m->arena);
  return c->mesh != NULL;
}

static int32_t root_of(int32_t *component, int32_t i) {
  while (component[i] != i) i = component[i] = component[component[i]];
  return i;
}

// Connected components: lips, each pair of lids, each collider.
static void find_pieces(mi_contact_surface *c) {
  const mi_surface *s = c->mesh;
  for (int i = 0; i < c->nvert; i++) c->component[i] = i;
  for (int k = 0; k < 3 * s->ntri; k++) {
    int32_t a = root_of(c->component, s->tri[k]), b = root_of(c->component, s->tri[k / 3 * 3]);
    c->component[a > b ? a : b] = a > b ? b : a; // roots come before their children
  }
  for (int i = 0; i < c->nvert; i++) c->component[i] = root_of(c->component, i);
  // a root comes first in its component, so its number is known to the others
  for (int i = 0; i < c->nvert; i++)
    c->component[i] = c->component[i] == i ? c->ncomponent++ : c->component[c->component[i]];
}

// -- Crossings of the neutral ---------------------------------------------------------------------

static int32_t lip_of(const build_ctx *m, int soft) {
  return m->face->regions.bits[m->surface->flesh[soft]] &
         (MIEN_REGION_LIP_UPPER | MIEN_REGION_LIP_LOWER);
}

// The lip that a triangle is part of as a whole; 0 = none.
static int32_t lip_of_tri(const build_ctx *m, int tri) {
  const int32_t *vert = m->surface->mesh->tri + 3 * (size_t)tri;
  int32_t lip = lip_of(m, vert[0]);
  return lip == lip_of(m, vert[1]) && lip == lip_of(m, vert[2]) ? lip : 0;
}

// Keeps the triangle if it is the nearest of the vertex so far, with the square of its distance.
static void try_partner(mi_contact_surface *c, int soft, int tri, float *least) {
  double x[12];
  int32_t vert[4];
  mi_surface_vertices(c->mesh, (mi_pair){soft, tri}, false, vert);
  for (int i = 0; i < 12; i++) x[i] = c->rest[3 * (size_t)vert[i / 3] + (size_t)(i % 3)];
  double edge = 0, off = 0; // the first corner is that far, the others from it
  for (int k = 0; k < 3; k++) off += (x[k] - x[3 + k]) * (x[k] - x[3 + k]);
  for (int corner = 2; corner < 4; corner++) {
    double length = 0;
    for (int k = 0; k < 3; k++) length += pow(x[3 * corner + k] - x[3 + k], 2);
    edge = fmax(edge, length);
  }
  if (sqrt(off) - sqrt(edge) > sqrt((double)*least)) return;
  mi_closest closest = mi_closest_vertex_triangle(x);
  if (!((float)closest.d2 < *least)) return;
  *least = (float)closest.d2;
  for (int i = 0; i < 3; i++) {
    c->partner[soft].corner[i] = vert[1 + i];
    c->partner[soft].coef[i] = (float)-closest.coef[1 + i];
  }
}

// The triangles that are part of a lip as a whole, to `tri` if that is not NULL. Returns how many.
static int list_lip(const build_ctx *m, int32_t lip, int32_t *tri) {
  int count = 0;
  for (int k = 0; k < m->nsoft_tri; k++) {
    if (lip_of_tri(m, k) != lip) continue;
    if (tri) tri[count] = k;
    count++;
  }
  return count;
}

// The nearest place of the other lip, within `reach`, for every vertex of a lip. False when memory
// ends.
static bool find_partners(build_ctx *m, double reach) {
  const int32_t lips[] = {MIEN_REGION_LIP_UPPER, MIEN_REGION_LIP_LOWER};
  mi_contact_surface *c = m->surface;
  for (int i = 0; i < c->nsoft; i++) c->partner[i] = mi_stick_none();
  for (int side = 0; side < 2; side++) {
    int32_t *tri = MI_PUSH(m->scratch, int32_t, list_lip(m, lips[1 - side], NULL));
    if (!tri) return false;
    int count = list_lip(m, lips[1 - side], tri);
    for (int i = 0; i < c->nsoft; i++) {
      float least = (float)(reach * reach);
      for (int k = 0; k < count && lip_of(m, i) == lips[side]; k++)
        try_partner(c, i, tri[k], &least);
    }
  }
  return true;
}

static void find_lip_lengths(build_ctx *m) {
  const mi_regions *regions = &m->face->regions;
  mi_contact_surface *c = m->surface;
  const float *rest = m->face->skin.position;
  mi_vec3 right = {0, 0, 0}, left = {0, 0, 0};
  if (regions->has_mouth) {
    right = mi_vec3_load(rest + 3 * (size_t)regions->slit[0]);
    left = mi_vec3_load(rest + 3 * (size_t)regions->slit[regions->nslit_upper - 1]);
  }
  mi_vec3 across = mi_sub(left, right);
  double length2 = mi_dot(across, across);
  for (int i = 0; i < c->nsoft; i++) {
    c->along[i] = NAN;
    if (!lip_of(m, i) || !(length2 > 0)) continue;
    mi_vec3 at = mi_sub(mi_vec3_load(rest + 3 * (size_t)c->flesh[i]), right);
    double t = fmin(1, fmax(0, mi_dot(at, across) / length2));
    c->along[i] = (float)(t > 0.5 ? fmax(1e-6, 2 - 2 * t) : -fmax(1e-6, 2 * t));
  }
}

// Direction in which the upper lip leaves the lower one: the mean normal of the skin along the
// slit.
static mi_vec3 parting_way(const build_ctx *m) {
  const mi_regions *regions = &m->face->regions;
  mi_vec3 sum = {0, 0, 0};
  for (int k = 0; regions->has_mouth && k < regions->nslit; k++) {
    double side = k < regions->nslit_upper ? -1 : 1;
    sum =
        mi_add_scaled(sum, side, mi_vec3_load(m->face->skin.normal + 3 * (size_t)regions->slit[k]));
  }
  double length = mi_length(sum);
  return length > 0 ? mi_scale(1 / length, sum) : sum;
}

// Separates overlapping lips by pulling them and the skin around them away from each other. False
// when memory ends.
static bool find_hints(build_ctx *m) {
  enum { ROUNDS = 8 };
  mi_contact_surface *c = m->surface;
  const mi_surface *s = c->mesh;
  size_t count = 3 * (size_t)c->nsoft;
  float *hint = MI_PUSH(m->arena, float, count), *sum = MI_PUSH(m->scratch, float, count);
  float *weight = MI_PUSH(m->scratch, float, c->nsoft);
  mi_vec3 way = parting_way(m);
  if (!hint || !sum || !weight) return false;
  for (int round = 0; round <= ROUNDS; round++) {
    for (int i = 0; i < c->nsoft; i++) {
      int32_t lip = lip_of(m, i);
      double side = lip == MIEN_REGION_LIP_UPPER ? 1 : lip == MIEN_REGION_LIP_LOWER ? -1 : 0;
      mi_vec3 mean = mi_scale(1 / fmax(1, (double)weight[i]), mi_vec3_load(sum + 3 * (size_t)i));
      mi_vec3_store(hint + 3 * (size_t)i, side == 0 ? mean : mi_scale(side, way));
      weight[i] = 0;
    }
    memset(sum, 0, count * sizeof *sum);
    for (int k = 0; k < 2 * s->nedge; k++) {
      int a = s->edge[k], b = s->edge[k ^ 1];
      if (a >= c->nsoft || b >= c->nsoft) continue;
      for (size_t i = 0; i < 3; i++) sum[3 * (size_t)a + i] += hint[3 * (size_t)b + i];
      weight[a] += 1;
    }
  }
  c->inset.hint = hint;
  return true;
}

// Stickiness of each soft vertex: as painted; unpainted lips and passive parts have 1.
static void find_strengths(build_ctx *m) {
  const mien_rig *rig = m->face->rig;
  mi_contact_surface *c = m->surface;
  int map = mien_rig_find_map(rig, "sticky");
  const int32_t sticks = MIEN_REGION_LIP_UPPER | MIEN_REGION_LIP_LOWER | MIEN_REGION_PASSIVE;
  for (int i = 0; i < c->nsoft; i++) {
    int skin = c->flesh[i];
    c->strength[i] = (m->face->regions.bits[skin] & sticks) != 0;
    if (map < 0 || rig->info.maps[map].width != 1) continue;
    float painted = *mi_f32s_at(&rig->info.maps[map].values, 1, m->face->skin.vert[skin]);
    c->strength[i] = fminf(1, fmaxf(0, painted));
  }
}

// -- Making --------------------------------------------------------------------------------------

// A user's collider has no position in the neutral.
static void forget_users(mi_contact_surface *c, const mi_colliders *rigid) {
  for (int i = 0; i < rigid->nvert; i++)
    for (int k = 0; k < 3 && rigid->user[i] >= 0; k++)
      c->rest[3 * (size_t)(c->nsoft + i) + (size_t)k] = NAN;
}

// m: rounding error of a gap, by the face's size and the largest coordinate.
static double slack_of(const mi_contact_surface *c, double size) {
  float most = 0;
  for (int i = 0; i < 3 * c->nvert; i++) most = fmaxf(most, fabsf(c->rest[i]));
  return 2e-6 * size + 4e-7 * (double)most;
}

static bool reserve(build_ctx *m) {
  mi_contact_surface *c = m->surface;
  size_t nvert = (size_t)c->nvert, nsoft = (size_t)c->nsoft;
  c->rest = MI_PUSH(m->arena, float, 3 * nvert);
  c->flesh = MI_PUSH(m->arena, int32_t, nsoft);
  c->soft = MI_PUSH(m->arena, int32_t, m->face->skin.nvert);
  c->component = MI_PUSH(m->arena, int32_t, nvert);
  c->strength = MI_PUSH(m->arena, float, nsoft);
  c->along = MI_PUSH(m->arena, float, nsoft);
  c->partner = MI_PUSH(m->arena, mi_stick, nsoft);
  return c->rest && c->flesh && c->soft && c->component && c->strength && c->along && c->partner;
}

static void number_soft(build_ctx *m) {
  mi_contact_surface *c = m->surface;
  int nsoft = 0;
  for (int i = 0; i < m->face->skin.nvert; i++) {
    bool touches = (m->face->regions.bits[i] & MIEN_REGION_CONTACT) != 0;
    c->soft[i] = touches ? nsoft : -1;
    if (touches) c->flesh[nsoft++] = i;
  }
}

static bool make(build_ctx *m) {
  mi_contact_surface *c = m->surface;
  double size = m->face->skin.size;
  if (!reserve(m)) return false;
  number_soft(m);
  if (!make_surface(m)) return false;
  find_pieces(c);
  c->slack = slack_of(c, size);
  find_lip_lengths(m);
  find_strengths(m);
  mi_active active;
  mi_broad *broad = mi_broad_create(c->mesh, 0, m->scratch);
  if (!broad || !mi_active_create(&active, 6 * c->nsoft + 1024, m->scratch)) return false;
  if (!find_partners(m, 0.015 * size)) return false;
  forget_users(c, &m->face->colliders);
  return find_hints(m) &&
         mi_inset_find(&c->inset, c->mesh, broad, &active, c->rest, size, c->slack, m->arena);
}

mien_result mi_contact_surface_build(mi_face_build *b) {
  mien_face *face = b->face;
  mi_contact_surface *c = &face->contact;
  for (int i = 0; i < face->skin.nvert; i++)
    c->nsoft += (face->regions.bits[i] & MIEN_REGION_CONTACT) != 0;
  c->nvert = c->nsoft + face->colliders.nvert;
  if (!c->nsoft) return MIEN_OK;
  build_ctx m = {.face = face, .surface = c, .arena = &face->arena, .scratch = &b->scratch};
  return make(&m) ? MIEN_OK : mi_fail_memory(b->err);
}
