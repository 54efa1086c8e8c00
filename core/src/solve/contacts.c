// The surface of a face that can touch, and where it is.
#include "solve/contacts.h"

#include "math/vec.h"
#include "solve/frame.h"

#include <math.h>
#include <string.h>

int mi_contacts_nsoft(const mien_face *face) {
  int count = 0;
  for (int i = 0; i < face->skin.nvert; i++)
    count += (face->regions.bits[i] & MIEN_REGION_CONTACT) != 0;
  return count;
}

typedef struct making {
  const mien_face *face;
  mi_contacts *contacts;
  mi_arena *arena;
  mi_arena scratch;
  int nsoft_tri;
} making;

// -- Surface --------------------------------------------------------------------------------------

static bool is_soft_triangle(const making *m, const int32_t *tri) {
  return m->contacts->soft[tri[0]] >= 0 && m->contacts->soft[tri[1]] >= 0 &&
         m->contacts->soft[tri[2]] >= 0;
}

// Of the face's size. Nothing ever comes closer than APART: normals of pairs nearer than that are
// rounding. Pairs closer than EXCLUDED in the neutral never push.
static const double APART = 2e-5, EXCLUDED = 1e-4;

bool mi_contacts_make_surface(mi_contacts *c, const int32_t *tri, int ntri, double size,
                              mi_arena *arena) {
  mi_arena scratch = {.allocator = arena->allocator, .limit = arena->limit};
  float *offset = MI_PUSH(&scratch, float, c->nvert);
  if (!offset) return false;
  for (int i = 0; i < c->nvert; i++) offset[i] = (float)(APART / 2) * (float)size;
  mi_surface_def def = {.nvert = c->nvert,
                        .nsoft = c->nsoft,
                        .ntri = ntri,
                        .tri = tri,
                        .rest = c->rest,
                        .offset = offset};
  c->surface = mi_surface_create(&def, arena);
  mi_arena_free(&scratch);
  if (c->surface) c->broad = mi_broad_create(c->surface, 0, 0, arena);
  if (!c->broad || !mi_active_create(&c->active, c->broad, c->most, arena)) return false;
  c->doubtful = MI_PUSH(arena, int32_t, mi_broad_most(c->broad));
  return c->doubtful && mi_surface_exclude(c->surface, c->rest, EXCLUDED * size, arena) >= 0;
}

static bool make_surface(making *m) {
  const mi_skin *skin = &m->face->skin;
  const mi_colliders *rigid = &m->face->colliders;
  mi_contacts *c = m->contacts;
  float *rest = c->rest;
  int32_t *tri = MI_PUSH(&m->scratch, int32_t, 3 * (size_t)(skin->ntri + rigid->ntri));
  if (!tri) return false;
  int ntri = 0;
  for (int i = 0; i < c->nsoft; i++)
    memcpy(rest + 3 * (size_t)i, skin->position + 3 * (size_t)c->flesh[i], 3 * sizeof *rest);
  memcpy(rest + 3 * (size_t)c->nsoft, rigid->position, 3 * (size_t)rigid->nvert * sizeof *rest);
  for (int t = 0; t < skin->ntri; t++) {
    const int32_t *corner = skin->tri + 3 * (size_t)t;
    for (int k = 0; k < 3 && is_soft_triangle(m, corner); k++)
      tri[ntri++] = m->contacts->soft[corner[k]];
  }
  m->nsoft_tri = ntri / 3;
  for (int k = 0; k < 3 * rigid->ntri; k++) tri[ntri++] = c->nsoft + rigid->tri[k];
  return mi_contacts_make_surface(c, tri, ntri / 3, (double)skin->size, m->arena);
}

static int32_t root_of(int32_t *piece, int32_t i) {
  while (piece[i] != i) i = piece[i] = piece[piece[i]];
  return i;
}

// What hangs together: lips, each pair of lids, each collider.
bool mi_contacts_find_pieces(mi_contacts *c, mi_arena *arena) {
  const mi_surface *s = c->surface;
  c->piece = MI_PUSH(arena, int32_t, c->nvert);
  c->is_hit = MI_PUSH(arena, bool, c->nvert);
  if (!c->piece || !c->is_hit) return false;
  for (int i = 0; i < c->nvert; i++) c->piece[i] = i;
  for (int k = 0; k < 3 * s->ntri; k++) {
    int32_t a = root_of(c->piece, s->tri[k]), b = root_of(c->piece, s->tri[k / 3 * 3]);
    c->piece[a > b ? a : b] = a > b ? b : a; // roots come before what hangs on them
  }
  for (int i = 0; i < c->nvert; i++) c->piece[i] = root_of(c->piece, i);
  // a root is the first of its own, so its number is known before anyone asks for it
  for (int i = 0; i < c->nvert; i++)
    c->piece[i] = c->piece[i] == i ? c->npiece++ : c->piece[c->piece[i]];
  return true;
}

// -- What the neutral tells -----------------------------------------------------------------------

static int32_t lip_of(const making *m, int soft) {
  return m->face->regions.bits[m->contacts->flesh[soft]] &
         (MIEN_REGION_LIP_UPPER | MIEN_REGION_LIP_LOWER);
}

static bool is_other_lip(const making *m, int soft, int tri) {
  int32_t own = lip_of(m, soft), both = MIEN_REGION_LIP_UPPER | MIEN_REGION_LIP_LOWER;
  if (!own || own == both || tri >= m->nsoft_tri) return false;
  for (int k = 0; k < 3; k++)
    if (lip_of(m, m->contacts->surface->tri[3 * tri + k]) != (both & ~own)) return false;
  return true;
}

// The nearest place of the other lip for every vertex of a lip.
static void find_homes(making *m, const mi_candidates *near) {
  mi_contacts *c = m->contacts;
  float *least = c->before; // free until the first step
  for (int i = 0; i < c->nsoft; i++) c->home[i] = mi_stick_none(), least[i] = INFINITY;
  for (int k = 0; k < near->nvt; k++) {
    mi_pair pair = near->vt[k];
    if (pair.a >= c->nsoft || !is_other_lip(m, pair.a, pair.b)) continue;
    double x[12];
    int32_t vert[4];
    mi_surface_vertices(c->surface, pair, false, vert);
    for (int i = 0; i < 12; i++) x[i] = c->rest[3 * (size_t)vert[i / 3] + (size_t)(i % 3)];
    mi_closest closest = mi_closest_vertex_triangle(x);
    if ((float)closest.d2 >= least[pair.a]) continue;
    least[pair.a] = (float)closest.d2;
    for (int i = 0; i < 3; i++) {
      c->home[pair.a].corner[i] = vert[1 + i];
      c->home[pair.a].coef[i] = (float)-closest.coef[1 + i];
    }
  }
}

static void find_lip_lengths(making *m) {
  const mi_regions *regions = &m->face->regions;
  mi_contacts *c = m->contacts;
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

// Painted, or 1 on lips and on what swings freely.
static void find_strengths(making *m) {
  const mien_rig *rig = m->face->rig;
  mi_contacts *c = m->contacts;
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

// -- Making ---------------------------------------------------------------------------------------

static bool reserve(making *m) {
  mi_contacts *c = m->contacts;
  size_t nvert = (size_t)c->nvert, nsoft = (size_t)c->nsoft;
  c->most = 6 * c->nsoft + 1024;
  size_t nrow = nsoft + (size_t)c->most;
  c->flesh = MI_PUSH(m->arena, int32_t, nsoft);
  c->rest = MI_PUSH(m->arena, float, 3 * nvert);
  c->before = MI_PUSH(m->arena, float, 3 * nvert);
  c->safe = MI_PUSH(m->arena, float, 3 * nvert);
  c->wanted = MI_PUSH(m->arena, float, 3 * nvert);
  c->aim = MI_PUSH(m->arena, float, 3 * (nvert - nsoft) + 1);
  c->least = MI_PUSH(m->arena, float, nvert);
  c->strength = MI_PUSH(m->arena, float, nsoft);
  c->along = MI_PUSH(m->arena, float, nsoft);
  c->home = MI_PUSH(m->arena, mi_stick, nsoft);
  c->pull = MI_PUSH(m->arena, mi_pull, nrow);
  c->rule = MI_PUSH(m->arena, mi_rule, nrow);
  c->bar = MI_PUSH(m->arena, mi_bar, nrow);
  c->target = MI_PUSH(m->arena, float, 3 * nrow);
  c->soft = MI_PUSH(m->arena, int32_t, m->face->skin.nvert);
  c->from = MI_PUSH(m->arena, float, 4 * (size_t)m->face->info.nvert);
  c->pace = MI_PUSH(m->arena, float, m->face->skin.nvert);
  c->asked = MI_PUSH(m->arena, float, nsoft);
  c->is_reset = MI_PUSH(m->arena, bool, nvert);
  c->is_posed_across = MI_PUSH(m->arena, bool, nvert);
  return c->flesh && c->rest && c->before && c->safe && c->wanted && c->least && c->strength &&
         c->along && c->home && c->pull && c->rule && c->bar && c->target && c->soft && c->from &&
         c->pace && c->asked && c->aim && c->is_reset && c->is_posed_across;
}

void mi_contacts_forget_users(mi_contacts *c, const mi_colliders *rigid) {
  for (int i = 0; i < rigid->nvert; i++)
    for (int k = 0; k < 3 && rigid->user[i] >= 0; k++)
      c->rest[3 * (size_t)(c->nsoft + i) + (size_t)k] = NAN;
}

static bool make(making *m) {
  const mien_face *face = m->face;
  mi_contacts *c = m->contacts;
  c->nsoft = mi_contacts_nsoft(face);
  c->nvert = c->nsoft + face->colliders.nvert;
  if (!reserve(m)) return false;
  int nsoft = 0;
  for (int i = 0; i < face->skin.nvert; i++) {
    bool touches = (face->regions.bits[i] & MIEN_REGION_CONTACT) != 0;
    m->contacts->soft[i] = touches ? nsoft : -1;
    if (touches) c->flesh[nsoft++] = i;
  }
  if (!make_surface(m) || !mi_contacts_find_pieces(c, m->arena)) return false;
  double reach = 0.015 * (double)face->skin.size;
  mi_candidates near = mi_broad_find(c->broad, c->rest, NULL, reach, 1);
  find_homes(m, &near);
  memcpy(c->wanted, c->rest, 3 * (size_t)c->nvert * sizeof *c->rest);
  memcpy(c->safe, c->rest, 3 * (size_t)c->nvert * sizeof *c->rest);
  mi_contacts_forget_users(c, &face->colliders);
  c->stride = 0.02 * (double)face->skin.size;
  find_lip_lengths(m);
  find_strengths(m);
  return true;
}

mien_result mi_contacts_create(const mien_face *face, const mien_host *host, mi_arena *arena,
                               mi_contacts **out, mien_error *err) {
  *out = MI_PUSH(arena, mi_contacts, 1);
  if (!*out) return mi_fail_memory(err);
  making m = {.face = face, .contacts = *out, .arena = arena};
  mi_arena_init(&m.scratch, host);
  bool made = make(&m);
  mi_arena_free(&m.scratch);
  return made ? MIEN_OK : mi_fail_memory(err);
}

// -- Where it is ----------------------------------------------------------------------------------

void mi_contacts_remember(mien_state *state) {
  mi_contacts *c = state->contacts;
  const mi_moving *moving = &state->moving;
  size_t obstacle = 3 * (size_t)moving->nobstacle * sizeof *c->before;
  memcpy(c->before + 3 * (size_t)c->nsoft, moving->obstacle, obstacle);
  memcpy(c->safe + 3 * (size_t)c->nsoft, moving->obstacle, obstacle);
  for (int i = 0; i < 3 * c->nsoft; i++) {
    size_t at = 3 * (size_t)c->flesh[i / 3] + (size_t)(i % 3);
    c->before[i] = moving->posed[at] + moving->offset[at];
  }
}

void mi_contacts_place(mien_state *state, const mien_input *input) {
  mi_contacts *c = state->contacts;
  const mi_colliders *rigid = &state->face->colliders;
  float *to = c->wanted + 3 * (size_t)c->nsoft;
  for (int i = 0, end; i < rigid->nvert; i = end) {
    int user = rigid->user[i];
    for (end = i + 1; end < rigid->nvert && rigid->user[end] == user; end++) continue;
    if (user >= 0 && input->colliders)
      mi_frame_points(input->colliders + user, &input->head, end - i,
                      rigid->position + 3 * (size_t)i, to + 3 * (size_t)i);
    for (int k = i; k < end && user < 0; k++)
      memcpy(to + 3 * (size_t)k, state->moving.rig + 3 * (size_t)rigid->rig[k], 3 * sizeof *to);
  }
}
