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
  const mien_host *host;
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
  mi_surface_def def = {
      .nvert = c->nvert, .nsoft = c->nsoft, .ntri = ntri / 3, .tri = tri, .rest = rest};
  c->surface = mi_surface_create(&def, m->arena);
  if (c->surface) c->broad = mi_broad_create(c->surface, 0, 0, m->arena);
  return c->broad && mi_active_create(&c->active, c->broad, c->most, m->arena) &&
         mi_separator_create(&c->separator, c->surface, c->broad, 4 * c->most, m->arena);
}

static int32_t root_of(int32_t *piece, int32_t i) {
  while (piece[i] != i) i = piece[i] = piece[piece[i]];
  return i;
}

// Connected components: lips, each pair of lids, each collider.
static void find_pieces(mi_contacts *c) {
  const mi_surface *s = c->surface;
  for (int i = 0; i < c->nvert; i++) c->piece[i] = i;
  for (int k = 0; k < 3 * s->ntri; k++) {
    int32_t a = root_of(c->piece, s->tri[k]), b = root_of(c->piece, s->tri[k / 3 * 3]);
    c->piece[a > b ? a : b] = a > b ? b : a; // roots come before what hangs on them
  }
  for (int i = 0; i < c->nvert; i++) c->piece[i] = root_of(c->piece, i);
  // a root is the first of its own, so its number is known before anyone asks for it
  for (int i = 0; i < c->nvert; i++)
    c->piece[i] = c->piece[i] == i ? c->npiece++ : c->piece[c->piece[i]];
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
static void find_partners(making *m, const mi_candidates *near) {
  mi_contacts *c = m->contacts;
  float *least = c->least;
  for (int i = 0; i < c->nsoft; i++) c->partner[i] = mi_stick_none(), least[i] = INFINITY;
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
      c->partner[pair.a].corner[i] = vert[1 + i];
      c->partner[pair.a].coef[i] = (float)-closest.coef[1 + i];
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

// Which way the upper lip leaves the lower one: as the skin along the slit looks.
static mi_vec3 parting_way(const making *m) {
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

// Overlapping lips are parted by pulling them away from each other, and what lies around them
// along. False when memory ends.
static bool find_hints(making *m) {
  enum { ROUNDS = 8 };
  mi_contacts *c = m->contacts;
  const mi_surface *s = c->surface;
  size_t count = 3 * (size_t)c->nsoft;
  float *hint = MI_PUSH(m->arena, float, count), *sum = MI_PUSH(&m->scratch, float, count);
  float *weight = MI_PUSH(&m->scratch, float, c->nsoft);
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

static bool reserve_rows(making *m) {
  mi_contacts *c = m->contacts;
  size_t nsoft = (size_t)c->nsoft, most = (size_t)c->most;
  c->first_kept = MI_PUSH(m->arena, int32_t, c->nvert);
  c->next_kept = MI_PUSH(m->arena, int32_t, 4 * most);
  c->row = MI_PUSH(m->arena, mi_row, most);
  c->bar = MI_PUSH(m->arena, mi_bar, most);
  c->stretch = MI_PUSH(m->arena, double, most *MI_LBFGS_MOST);
  c->spring = MI_PUSH(m->arena, mi_pull, nsoft + most);
  c->spring_target = MI_PUSH(m->arena, float, 3 * nsoft);
  c->total = MI_PUSH(m->arena, float, 4 * (size_t)m->face->info.nvert);
  c->trial_total = MI_PUSH(m->arena, float, 4 * (size_t)m->face->info.nvert);
  c->x_from = MI_PUSH(m->arena, float, 4 * (size_t)m->face->info.nvert);
  return c->first_kept && c->next_kept && c->row && c->bar && c->stretch && c->spring &&
         c->spring_target && c->total && c->trial_total && c->x_from;
}

static bool reserve(making *m) {
  mi_contacts *c = m->contacts;
  size_t nvert = (size_t)c->nvert, nsoft = (size_t)c->nsoft;
  float **positions[] = {&c->rest,   &c->shift,   &c->before,   &c->pose,
                         &c->x_free, &c->x_trial, &c->x_wanted, &c->x_rows};
  bool **flags[] = {&c->is_masked, &c->is_crossing};
  int **counts[] = {&c->nhit, &c->npose_hit, &c->nrest_hit};
  bool has_room = true;
  c->most = 6 * c->nsoft + 1024;
  for (size_t k = 0; k < sizeof positions / sizeof *positions; k++)
    has_room &= (*positions[k] = MI_PUSH(m->arena, float, 3 * nvert)) != NULL;
  for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
    has_room &= (*flags[k] = MI_PUSH(m->arena, bool, nvert)) != NULL;
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
    has_room &= (*counts[k] = MI_PUSH(m->arena, int, nvert)) != NULL;
  c->flesh = MI_PUSH(m->arena, int32_t, nsoft);
  c->soft = MI_PUSH(m->arena, int32_t, m->face->skin.nvert);
  c->piece = MI_PUSH(m->arena, int32_t, nvert);
  c->least = MI_PUSH(m->arena, float, nvert);
  c->deepest = MI_PUSH(m->arena, float, nvert);
  c->step = MI_PUSH(m->arena, float, m->face->skin.nvert);
  c->strength = MI_PUSH(m->arena, float, nsoft);
  c->along = MI_PUSH(m->arena, float, nsoft);
  c->partner = MI_PUSH(m->arena, mi_stick, nsoft);
  return has_room && c->flesh && c->soft && c->piece && c->least && c->deepest && c->step &&
         c->strength && c->along && c->partner && reserve_rows(m);
}

// A user's collider has no place in the neutral.
static void forget_users(mi_contacts *c, const mi_colliders *rigid) {
  for (int i = 0; i < rigid->nvert; i++)
    for (int k = 0; k < 3 && rigid->user[i] >= 0; k++)
      c->rest[3 * (size_t)(c->nsoft + i) + (size_t)k] = NAN;
}

// Of the face's size, and of the largest coordinate: what rounding leaves of a gap.
static double slack_of(const mi_contacts *c, double size) {
  float most = 0;
  for (int i = 0; i < 3 * c->nvert; i++) most = fmaxf(most, fabsf(c->rest[i]));
  return 2e-6 * size + 4e-7 * (double)most;
}

static bool make(making *m) {
  const mien_face *face = m->face;
  mi_contacts *c = m->contacts;
  double size = face->skin.size;
  c->nsoft = mi_contacts_nsoft(face);
  c->nvert = c->nsoft + face->colliders.nvert;
  if (!reserve(m)) return false;
  int nsoft = 0;
  for (int i = 0; i < face->skin.nvert; i++) {
    bool touches = (face->regions.bits[i] & MIEN_REGION_CONTACT) != 0;
    c->soft[i] = touches ? nsoft : -1;
    if (touches) c->flesh[nsoft++] = i;
  }
  if (!make_surface(m)) return false;
  find_pieces(c);
  c->stride = 0.02 * size;
  c->separator.slack = c->slack = slack_of(c, size);
  mi_candidates near = mi_broad_find(c->broad, c->rest, NULL, 0.015 * size, 1);
  find_partners(m, &near);
  forget_users(c, &face->colliders);
  if (!find_hints(m)) return false;
  mi_contacts_cross(c, c->rest, 1, c->nrest_hit);
  if (!mi_inset_find(&c->inset, c->surface, c->broad, &c->active, c->rest, size, c->slack,
                     m->arena))
    return false;
  find_lip_lengths(m);
  find_strengths(m);
  return mi_limits_create(face, m->host, m->arena, &c->limits);
}

mien_result mi_contacts_create(const mien_face *face, const mien_host *host, mi_arena *arena,
                               mi_contacts **out, mien_error *err) {
  *out = MI_PUSH(arena, mi_contacts, 1);
  if (!*out) return mi_fail_memory(err);
  making m = {.face = face, .host = host, .contacts = *out, .arena = arena};
  mi_arena_init(&m.scratch, host);
  bool made = make(&m);
  mi_arena_free(&m.scratch);
  return made ? MIEN_OK : mi_fail_memory(err);
}

// -- Where it is ----------------------------------------------------------------------------------

// Components that cross nothing as they are stay as they are; the others are pulled in. The more of
// them crosses all the same, the less they are: a pose that presses lips further than the neutral
// has them is held apart, in the end, where the skin itself is.
static int pull_in(mi_contacts *c, float *position, int threads) {
  memcpy(c->is_masked, c->inset.is_masked, (size_t)c->nvert * sizeof *c->is_masked);
  mi_broad_leave_out(c->broad, c->is_masked);
  memset(c->shift, 0, 3 * (size_t)c->nvert * sizeof *c->shift);
  int ncrossing = mi_contacts_cross(c, position, threads, c->npose_hit);
  if (!ncrossing || !c->inset.ninset) return ncrossing;
  float *whole = c->x_wanted;
  mi_inset_shift(&c->inset, c->surface, position, c->shift);
  for (int i = 0; i < 3 * c->nvert; i++) {
    if (!c->npose_hit[c->piece[i / 3]]) c->shift[i] = 0;
    whole[i] = position[i] + c->shift[i];
  }
  ncrossing = mi_contacts_cross(c, whole, threads, c->npose_hit);
  for (int i = 0; i < 3 * c->nvert; i++) {
    int piece = c->piece[i / 3];
    float most = fmaxf(10, (float)c->nrest_hit[piece]);
    c->shift[i] *= fmaxf(0, 1 - (float)c->npose_hit[piece] / most);
    position[i] += c->shift[i];
  }
  return ncrossing ? mi_contacts_cross(c, position, threads, c->npose_hit) : 0;
}

// Where colliders of the face and the user's are to go, in the head's space.
static void place_colliders(const mien_state *state, const mien_input *input, float *to) {
  const mi_colliders *rigid = &state->face->colliders;
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

static void read_posed(const mien_state *state, float share, float *position) {
  const mi_contacts *c = state->contacts;
  for (int i = 0; i < 3 * c->nsoft; i++) {
    size_t at = 3 * (size_t)c->flesh[i / 3] + (size_t)(i % 3);
    position[i] = state->moving.posed[at] + share * state->moving.offset[at];
  }
}

void mi_contacts_remember(mien_state *state) {
  mi_contacts *c = state->contacts;
  const mi_moving *moving = &state->moving;
  size_t rigid = 3 * (size_t)c->nsoft;
  memcpy(c->pose + rigid, moving->obstacle, 3 * (size_t)moving->nobstacle * sizeof *c->pose);
  read_posed(state, 0, c->pose);
  pull_in(c, c->pose, state->host.threads);
  read_posed(state, 1, c->before);
  for (int i = 0; i < 3 * c->nsoft; i++) c->before[i] += c->shift[i];
  memcpy(c->before + rigid, c->pose + rigid, 3 * (size_t)(c->nvert - c->nsoft) * sizeof *c->pose);
}

void mi_contacts_place(mien_state *state, const mien_input *input) {
  mi_contacts *c = state->contacts;
  int threads = state->host.threads;
  double start = mi_clock();
  // a collider that the input does not name stays
  memcpy(c->pose + 3 * (size_t)c->nsoft, state->moving.obstacle,
         3 * (size_t)state->moving.nobstacle * sizeof *c->pose);
  place_colliders(state, input, c->pose + 3 * (size_t)c->nsoft);
  read_posed(state, 0, c->pose);
  c->is_pose_free = !pull_in(c, c->pose, threads);
  state->info.seconds_contact += mi_clock() - start;
}

void mi_contacts_read(const mien_state *state, const float *x, float *position) {
  const mi_contacts *c = state->contacts;
  const int32_t *place = state->solver->place;
  for (int i = 0; i < 3 * c->nsoft; i++)
    position[i] = x[4 * (size_t)place[c->flesh[i / 3]] + (size_t)(i % 3)] + c->shift[i];
}
