#include "contact/inset.h"

#include "math/vec.h"
#include "mesh/cross.h"

#include <math.h>
#include <string.h>

// Shares of the face's size: the first depth, and the most of skin and of colliders.
static const double FIRST = 2.5e-4, MOST_SOFT = 0.04, MOST_RIGID = 0.02;
// A depth grows by this share of itself in a round, and falls by SLOPE of the way along an edge.
static const float GROWTH = 0.15f, SLOPE = 0.5f;
// A hint counts so much against the normal.
static const float HINTED = 2;
// Shares of the face's size: two sides that moved no farther against each other are free as in the
// neutral; so far, and nothing of them is pulled in any more.
static const float SPARE = 5e-4f, GONE = 1.25e-3f;
// Depths that are not needed fall to this share in a round.
static const float RELAXED = 0.85f;
enum { ROUNDS = 120, SMOOTHING = 2, NORMAL_ROUNDS = 12, RELAXING = 24 };

typedef struct search {
  mi_inset *inset;
  const mi_surface *surface;
  const float *rest;
  unsigned char *is_marked; // it has to be pulled in further                        (nvert)
  unsigned char *is_kept;   // its depth is needed                                   (nvert)
  float *before;            // m, depths                                             (nvert)
  int32_t *first_nbr, *nbr; // of a vertex                       (nvert + 2), (2 nedge)
  float first, most_soft, most_rigid;
  bool is_relaxing; // depths are taken back: nothing is masked any more
} search;

// -- Normals --------------------------------------------------------------------------------------

static void set_unit(float *n) {
  mi_vec3 v = mi_vec3_load(n);
  double length = mi_length(v);
  mi_vec3_store(n, length > 0 ? mi_scale(1 / length, v) : v);
}

// Skin takes the mean over a neighbourhood: a lip goes up as a whole instead of shrinking.
static void smooth_normals(const mi_surface *s, float *normal, float *sum) {
  for (int round = 0; round < NORMAL_ROUNDS; round++) {
    memcpy(sum, normal, 3 * (size_t)s->nsoft * sizeof *sum);
    for (int e = 0; e < s->nedge; e++) {
      size_t a = 3 * (size_t)s->edge[2 * e], b = 3 * (size_t)s->edge[2 * e + 1];
      if (b >= 3 * (size_t)s->nsoft) continue; // the first vertex of an edge is the softer one
      for (size_t k = 0; k < 3; k++) {
        sum[a + k] += 0.5f * normal[b + k];
        sum[b + k] += 0.5f * normal[a + k];
      }
    }
    memcpy(normal, sum, 3 * (size_t)s->nsoft * sizeof *sum);
    for (int i = 0; i < s->nsoft; i++) set_unit(normal + 3 * (size_t)i);
  }
}

static void find_normals(const mi_surface *s, const float *position, float *normal) {
  memset(normal, 0, 3 * (size_t)s->nvert * sizeof *normal);
  for (int t = 0; t < s->ntri; t++) {
    const int32_t *v = s->tri + 3 * (size_t)t;
    mi_vec3 a = mi_vec3_load(position + 3 * (size_t)v[0]);
    mi_vec3 n = mi_cross(mi_sub(mi_vec3_load(position + 3 * (size_t)v[1]), a),
                         mi_sub(mi_vec3_load(position + 3 * (size_t)v[2]), a));
    for (int c = 0; c < 3; c++) {
      float *to = normal + 3 * (size_t)v[c];
      mi_vec3_store(to, mi_add(mi_vec3_load(to), n));
    }
  }
  for (int i = 0; i < s->nvert; i++) set_unit(normal + 3 * (size_t)i);
}

// From the normal to the way in. A hint that leads outwards is none.
static void turn_in(const float *hint, float *way) {
  float agree = 0;
  for (int k = 0; k < 3 && hint; k++) agree -= hint[k] * way[k];
  for (int k = 0; k < 3; k++) way[k] = (hint && agree > -0.2f ? HINTED * hint[k] : 0) - way[k];
  set_unit(way);
}

// How deep a vertex is pulled in where the pose is at `position`.
static float depth_at(const mi_inset *inset, const float *position, int vert) {
  size_t mine = 3 * (size_t)vert, other = 3 * (size_t)inset->partner[vert];
  float moved = 0;
  for (size_t k = 0; k < 3 && inset->depth[vert] > 0; k++) {
    float way = position[mine + k] - inset->rest[mine + k];
    if (mine != other) way -= position[other + k] - inset->rest[other + k];
    moved += way * way;
  }
  float left = (inset->gone - sqrtf(moved)) / (inset->gone - inset->spare);
  return fminf(1, fmaxf(0, left)) * inset->depth[vert];
}

void mi_inset_shift(const mi_inset *inset, const mi_surface *s, const float *position,
                    float *shift) {
  if (!inset->ninset) {
    memset(shift, 0, 3 * (size_t)s->nvert * sizeof *shift);
    return;
  }
  find_normals(s, position, inset->normal);
  smooth_normals(s, inset->normal, shift);
  for (int i = 0; i < s->nvert; i++)
    turn_in(inset->hint && i < s->nsoft ? inset->hint + 3 * (size_t)i : NULL,
            inset->normal + 3 * (size_t)i);
  for (int i = 0; i < 3 * s->nvert; i++) {
    float depth = depth_at(inset, position, i / 3);
    shift[i] = depth > 0 ? depth * inset->normal[i] : 0;
  }
}

// -- What has to be pulled in ---------------------------------------------------------------------

static bool is_rigid(const mi_surface *s, int vert) {
  return vert >= s->nsoft;
}

static bool is_pulled_in(const search *m, const int32_t *vert, int count) {
  bool is_most = false;
  for (int k = 0; k < count; k++) is_most |= m->inset->depth[vert[k]] >= m->most_rigid;
  return is_most;
}

static void mark_all(unsigned char *flag, const int32_t *vert, int count) {
  for (int k = 0; k < count; k++) flag[vert[k]] = 1;
}

// The rigid side gives way to the soft one as far as it can. Skin that is deeper inside
// than that meets nothing: pulled in further an eye would be no eye any more, and would hold the
// lids in it.
static void mark(search *m, const int32_t *a, int na, const int32_t *b, int nb) {
  bool rigid_a = is_rigid(m->surface, a[0]), rigid_b = is_rigid(m->surface, b[0]);
  if (rigid_a && !rigid_b) {
    mark(m, b, nb, a, na);
    return;
  }
  bool gives_way = rigid_b && (m->is_relaxing || !is_pulled_in(m, b, nb));
  for (int k = 0; k < na && rigid_b && !gives_way; k++) m->inset->is_masked[a[k]] = true;
  if (!rigid_b) mark_all(m->is_marked, a, na);
  if (!rigid_b || gives_way) mark_all(m->is_marked, b, nb);
}

static void mark_crossing(void *task, int a, int b) {
  search *m = task;
  const int32_t *p = m->surface->tri + 3 * (size_t)a, *q = m->surface->tri + 3 * (size_t)b;
  mi_vec3 x[3], y[3];
  for (int k = 0; k < 3; k++) {
    x[k] = mi_vec3_load(m->inset->shifted + 3 * (size_t)p[k]);
    y[k] = mi_vec3_load(m->inset->shifted + 3 * (size_t)q[k]);
  }
  if (mi_triangles_cross(x, y)) mark(m, p, 3, q, 3);
}

// Is an edge between the two sides? Then they belong to one place and cannot be parted.
static bool is_local(const search *m, const mi_contact *c, int nfirst) {
  for (int a = 0; a < nfirst; a++)
    for (int k = m->first_nbr[c->vert[a]]; k < m->first_nbr[c->vert[a] + 1]; k++)
      for (int b = nfirst; b < 4; b++)
        if (m->nbr[k] == c->vert[b]) return true;
  return false;
}

static void mark_close(search *m, const mi_active *active) {
  for (int k = 0; k < active->count; k++) {
    const mi_contact *c = active->contact + k;
    int first = c->is_edges ? 2 : 1;
    if (is_local(m, c, first))
      m->inset->is_masked[c->vert[0]] = true; // a triangle without area
    else
      mark(m, c->vert, first, c->vert + first, 4 - first);
  }
}

// Neighbours along edges. False when memory ends.
static bool list_neighbours(search *m, mi_arena *scratch) {
  const mi_surface *s = m->surface;
  m->first_nbr = MI_PUSH(scratch, int32_t, s->nvert + 2);
  m->nbr = MI_PUSH(scratch, int32_t, 2 * (size_t)s->nedge + 1);
  if (!m->first_nbr || !m->nbr) return false;
  for (int k = 0; k < 2 * s->nedge; k++) m->first_nbr[s->edge[k] + 2]++;
  for (int i = 0; i < s->nvert; i++) m->first_nbr[i + 2] += m->first_nbr[i + 1];
  for (int k = 0; k < 2 * s->nedge; k++) m->nbr[m->first_nbr[s->edge[k] + 1]++] = s->edge[k ^ 1];
  return true;
}

// -- Growing --------------------------------------------------------------------------------------

static int grow(search *m) {
  mi_inset *inset = m->inset;
  int count = 0;
  for (int i = 0; i < m->surface->nvert; i++) {
    if (!m->is_marked[i] || inset->is_masked[i]) continue;
    bool rigid = is_rigid(m->surface, i);
    float most = rigid ? m->most_rigid : m->most_soft;
    inset->is_masked[i] = !rigid && inset->depth[i] >= most;
    inset->depth[i] = fminf(most, inset->depth[i] + fmaxf(m->first, GROWTH * inset->depth[i]));
    count++;
  }
  return count;
}

static void smooth(const search *m) {
  const mi_surface *s = m->surface;
  float *depth = m->inset->depth;
  for (int round = 0; round < SMOOTHING; round++)
    for (int e = 0; e < s->nedge; e++) {
      const int32_t *v = s->edge + 2 * (size_t)e;
      float fall = SLOPE * sqrtf(s->edge_length2[e]);
      depth[v[0]] = fmaxf(depth[v[0]], depth[v[1]] - fall);
      depth[v[1]] = fmaxf(depth[v[1]], depth[v[0]] - fall);
    }
}

static void pull_in(const search *m) {
  mi_inset *inset = m->inset;
  inset->ninset = inset->nmasked = 0;
  for (int i = 0; i < m->surface->nvert; i++) {
    inset->ninset += inset->depth[i] > 0;
    inset->nmasked += inset->is_masked[i];
  }
  mi_inset_shift(inset, m->surface, m->rest, inset->shifted);
  for (int i = 0; i < 3 * m->surface->nvert; i++) inset->shifted[i] += m->rest[i];
}

// Marks what crosses or is too close with the depths of now.
static void find_marks(search *m, mi_broad *broad, mi_active *active, double slack) {
  pull_in(m);
  mi_broad_leave_out(broad, m->inset->is_masked);
  memset(m->is_marked, 0, (size_t)m->surface->nvert);
  mi_broad_triangles(broad, m->inset->shifted, 1, mark_crossing, m);
  mi_candidates near = mi_broad_find(broad, m->inset->shifted, NULL, 4 * slack, 1);
  mi_active_find(active, m->surface, &near, m->inset->shifted, 4 * slack, 1);
  mark_close(m, active);
}

// Depths that are not needed are taken back, a little at a time. What would be marked keeps what it
// had.
static void relax(search *m, mi_broad *broad, mi_active *active, double slack) {
  mi_inset *inset = m->inset;
  int nvert = m->surface->nvert;
  m->is_relaxing = true;
  for (int i = 0; i < nvert; i++) m->is_kept[i] = inset->depth[i] == 0;
  for (int round = 0; round < RELAXING && inset->ninset; round++) {
    memcpy(m->before, inset->depth, (size_t)nvert * sizeof *m->before);
    for (int i = 0; i < nvert; i++)
      if (!m->is_kept[i]) inset->depth[i] *= RELAXED;
    find_marks(m, broad, active, slack);
    bool is_any = false;
    for (int i = 0; i < nvert; i++) {
      is_any |= m->is_marked[i];
      m->is_kept[i] |= m->is_marked[i];
    }
    // the marked ones hold others up: all go back, and the marked ones stay there
    if (is_any) memcpy(inset->depth, m->before, (size_t)nvert * sizeof *m->before);
  }
  pull_in(m);
}

// -- The other side -------------------------------------------------------------------------------

static void meet(const search *m, const int32_t *a, int na, const int32_t *b, int nb) {
  int32_t *partner = m->inset->partner;
  for (int k = 0; k < na; k++)
    if (partner[a[k]] < 0) partner[a[k]] = b[0];
  for (int k = 0; k < nb; k++)
    if (partner[b[k]] < 0) partner[b[k]] = a[0];
}

static void meet_crossing(void *task, int a, int b) {
  const search *m = task;
  const int32_t *p = m->surface->tri + 3 * (size_t)a, *q = m->surface->tri + 3 * (size_t)b;
  mi_vec3 x[3], y[3];
  for (int k = 0; k < 3; k++) {
    x[k] = mi_vec3_load(m->rest + 3 * (size_t)p[k]);
    y[k] = mi_vec3_load(m->rest + 3 * (size_t)q[k]);
  }
  if (mi_triangles_cross(x, y)) meet(m, p, 3, q, 3);
}

// Triangles that cross in the neutral meet; what is pulled in around them goes with its neighbours.
static void find_partners(search *m, mi_broad *broad) {
  const mi_surface *s = m->surface;
  int32_t *partner = m->inset->partner;
  bool is_any = true;
  for (int i = 0; i < s->nvert; i++) partner[i] = -1;
  mi_broad_triangles(broad, m->rest, 1, meet_crossing, m);
  while (is_any) {
    is_any = false;
    for (int e = 0; e < s->nedge; e++)
      for (int k = 0; k < 2; k++) {
        int to = s->edge[2 * e + k], from = s->edge[2 * e + 1 - k];
        if (partner[to] >= 0 || partner[from] < 0 || !(m->inset->depth[to] > 0)) continue;
        partner[to] = partner[from];
        is_any = true;
      }
  }
  for (int i = 0; i < s->nvert; i++) partner[i] = partner[i] < 0 ? i : partner[i];
}

// Both sides go half of the spare way farther, if that does not bring them to anything else.
static void make_spare(search *m, mi_broad *broad, mi_active *active, double slack, float spare) {
  mi_inset *inset = m->inset;
  int nvert = m->surface->nvert, nmarked = 0;
  memcpy(m->before, inset->depth, (size_t)nvert * sizeof *m->before);
  for (int i = 0; i < nvert; i++) inset->depth[i] += inset->depth[i] > 0 ? spare / 2 : 0;
  find_marks(m, broad, active, slack);
  for (int i = 0; i < nvert; i++) nmarked += m->is_marked[i];
  inset->spare = nmarked ? 0 : spare;
  if (nmarked) memcpy(inset->depth, m->before, (size_t)nvert * sizeof *m->before);
  pull_in(m);
}

bool mi_inset_find(mi_inset *inset, const mi_surface *s, mi_broad *broad, mi_active *active,
                   const float *rest, double size, double slack, mi_arena *arena) {
  mi_arena scratch = {.allocator = arena->allocator, .limit = arena->limit};
  search m = {.inset = inset,
              .surface = s,
              .rest = rest,
              .is_marked = MI_PUSH(&scratch, unsigned char, s->nvert),
              .is_kept = MI_PUSH(&scratch, unsigned char, s->nvert),
              .before = MI_PUSH(&scratch, float, s->nvert),
              .first = (float)(FIRST * size),
              .most_soft = (float)(MOST_SOFT * size),
              .most_rigid = (float)(MOST_RIGID * size)};
  inset->rest = rest;
  inset->gone = GONE * (float)size;
  inset->partner = MI_PUSH(arena, int32_t, s->nvert);
  inset->depth = MI_PUSH(arena, float, s->nvert);
  inset->is_masked = MI_PUSH(arena, bool, s->nvert);
  inset->normal = MI_PUSH(arena, float, 3 * (size_t)s->nvert);
  inset->shifted = MI_PUSH(arena, float, 3 * (size_t)s->nvert);
  bool has_room = list_neighbours(&m, &scratch) && m.is_marked && m.is_kept && m.before &&
                  inset->partner && inset->depth && inset->is_masked && inset->normal &&
                  inset->shifted;
  for (int i = 0; i < s->nvert && has_room; i++) inset->partner[i] = i;
  for (int round = 0; round < ROUNDS && has_room; round++) {
    find_marks(&m, broad, active, slack);
    if (!grow(&m)) break;
    // what no depth has helped until now is left alone
    for (int i = 0; i < s->nvert && round == ROUNDS - 2; i++) inset->is_masked[i] |= m.is_marked[i];
    smooth(&m);
  }
  if (has_room) {
    relax(&m, broad, active, slack);
    find_partners(&m, broad);
    make_spare(&m, broad, active, slack, SPARE * (float)size);
  }
  mi_arena_free(&scratch);
  return has_room;
}
