#include "solve/uninvert.h"

#include "math/vec.h"
#include "mesh/untangle.h"

#include <math.h>
#include <string.h>

enum { MOST_FREE = 300, MOST_TETS = 6000, MOST_VERTS = 4000, SWEEPS = 24 };
static const float TOO_LITTLE = 0.005f; // of a tetrahedron's volume at rest
static const double ENOUGH = 0.03;
// Looks at single tetrahedra, about 0.1 us each. A pose is what the artist made and is worth them,
// unless a step has so little time that whole frames would be late. So are the last few that keep
// flesh from coming back; more than a few are there for one frame of violent motion.
enum {
  NO_LIMIT = 0,
  OVER_BUDGET_EFFORT = 16000,
  MOST_RESUMED = 16,
  MOTION_EFFORT = 8000,
  FEW = 32
};

// The pose that was uninverted last, and how.
typedef struct uninverted {
  bool is_any;
  bool is_cut;     // there was no time for all of it
  bool is_resumed; // it began where one that was cut had ended
  int nresumed;    // times that this went on with one and the same pose
  float *from;     // m, before                                                        (nvert x 3)
  int nbad, ninverted, nfree;
  int32_t *vert; // that were free                                                  (most_free)
  float *to;     // m, where they went                                              (most_free x 3)
} uninverted;

struct mi_mender {
  int most_free, most_vert, most_tet;
  int32_t *local; // number in the patch, -1 = not in it                              (nvert)
  int32_t *vert;  // of the patch, free ones first                                    (most_vert)
  int32_t *tet, *corner;
  int32_t *bad, *next; // tetrahedra whose motion is shared, and those after them       (most_tet)
  uint8_t *is_seen;    //                                                               (ntet)
  double *inverse, *x, *memory;
  uninverted pose;
};

static int smaller(int a, int b) {
  return a < b ? a : b;
}

struct mi_mender *mi_mender_create(const mien_face *face, mi_arena *arena) {
  struct mi_mender *m = MI_PUSH(arena, struct mi_mender, 1);
  if (!m) return NULL;
  m->most_free = smaller(MOST_FREE, face->info.nvert);
  m->most_vert = smaller(MOST_VERTS, face->info.nvert);
  m->most_tet = smaller(MOST_TETS, face->info.ntet);
  m->local = MI_PUSH(arena, int32_t, face->info.nvert);
  m->vert = MI_PUSH(arena, int32_t, m->most_vert);
  m->tet = MI_PUSH(arena, int32_t, m->most_tet);
  m->corner = MI_PUSH(arena, int32_t, 4 * (size_t)m->most_tet);
  m->bad = MI_PUSH(arena, int32_t, m->most_tet);
  m->next = MI_PUSH(arena, int32_t, m->most_tet);
  m->is_seen = MI_PUSH(arena, uint8_t, face->info.ntet);
  m->inverse = MI_PUSH(arena, double, 9 * (size_t)m->most_tet);
  m->x = MI_PUSH(arena, double, 3 * (size_t)m->most_vert);
  m->memory = MI_PUSH(arena, double, mi_untangle_memory(m->most_free, m->most_vert));
  m->pose.from = MI_PUSH(arena, float, 3 * (size_t)face->info.nvert);
  m->pose.vert = MI_PUSH(arena, int32_t, m->most_free);
  m->pose.to = MI_PUSH(arena, float, 3 * (size_t)m->most_free);
  if (!m->pose.from || !m->pose.vert || !m->pose.to || !m->local || !m->vert || !m->tet ||
      !m->corner || !m->bad || !m->next || !m->is_seen || !m->inverse || !m->x || !m->memory)
    return NULL;
  for (int i = 0; i < face->info.nvert; i++) m->local[i] = -1;
  return m;
}

// -- the pose -------------------------------------------------------------------------------------

typedef struct patch {
  struct mi_mender *m;
  const mien_face *face;
  int nfree, nvert, ntet;
} patch;

static void free_vertex(patch *p, int i) {
  if (i < p->face->skin.nvert || p->m->local[i] >= 0 || p->nfree == p->m->most_free) return;
  p->m->local[i] = p->nfree;
  p->m->vert[p->nfree++] = i;
}

// The inside of what is bad, and what lies around it.
static int find_free(patch *p, const float *volume) {
  const mien_face *face = p->face;
  int nbad = 0;
  for (int t = 0; t < face->info.ntet; t++) {
    if (volume[t] > TOO_LITTLE * face->volume[t]) continue;
    nbad++;
    for (int c = 0; c < 4; c++) free_vertex(p, face->tets[4 * (size_t)t + (size_t)c]);
  }
  for (int v = 0, own = p->nfree; v < own; v++) {
    int i = p->m->vert[v];
    for (int k = face->vertex_tet_first[i]; k < face->vertex_tet_first[i + 1]; k++)
      for (int c = 0; c < 4; c++)
        free_vertex(p, face->tets[4 * (size_t)face->vertex_tet[k] + (size_t)c]);
  }
  return nbad;
}

static int number_corner(patch *p, int i) {
  if (p->m->local[i] < 0) {
    p->m->local[i] = p->nvert;
    p->m->vert[p->nvert++] = i;
  }
  return p->m->local[i];
}

// All tetrahedra at free vertices; false when there is no room for them.
static bool add_tets(patch *p) {
  const mien_face *face = p->face;
  p->nvert = p->nfree;
  for (int v = 0; v < p->nfree; v++) {
    int i = p->m->vert[v];
    for (int k = face->vertex_tet_first[i]; k < face->vertex_tet_first[i + 1]; k++) {
      int t = face->vertex_tet[k];
      const int32_t *tet = face->tets + 4 * (size_t)t;
      bool is_first = true; // at its first free corner only
      for (int c = 0; c < 4; c++) {
        int other = p->m->local[tet[c]];
        is_first &= !(other >= 0 && other < p->nfree && other < v);
      }
      if (!is_first) continue;
      if (p->ntet == p->m->most_tet || p->nvert + 4 > p->m->most_vert) return false;
      for (int c = 0; c < 4; c++)
        p->m->corner[4 * (size_t)p->ntet + (size_t)c] = number_corner(p, tet[c]);
      mi_untangle_inverse(face->rest, tet, p->m->inverse + 9 * (size_t)p->ntet);
      p->m->tet[p->ntet++] = t;
    }
  }
  return true;
}

static void measure_one(mien_state *state, const float *flesh, int t) {
  const int32_t *tet = state->face->tets + 4 * (size_t)t;
  const float *o = flesh + 3 * (size_t)tet[0];
  float e[3][3];
  for (int i = 0; i < 9; i++)
    e[i / 3][i % 3] = flesh[3 * (size_t)tet[1 + i / 3] + i % 3] - o[i % 3];
  const float *a = e[0], *b = e[1], *c = e[2];
  state->volume[t] = (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                      a[2] * (b[0] * c[1] - b[1] * c[0])) /
                     6;
}

static mi_untangle untangle_of(const patch *p, const mien_state *state, const float *flesh) {
  mi_untangle u = {.ntet = p->ntet,
                   .nfree = p->nfree,
                   .tets = p->m->corner,
                   .inverse = p->m->inverse,
                   .x = p->m->x,
                   .enough = ENOUGH,
                   .rounds = 12,
                   .steps = 20,
                   .threads = state->host.threads};
  for (int k = 0; k < 3 * p->nvert; k++)
    u.x[k] = flesh[3 * (size_t)p->m->vert[k / 3] + (size_t)(k % 3)];
  return u;
}

static bool solve_patch(const patch *p, mien_state *state, const mi_untangle *u, float *flesh) {
  mi_untangle_info info;
  mi_untangle_solve(u, p->nvert, p->m->memory, &info);
  for (int k = 0; k < 3 * p->nfree; k++)
    flesh[3 * (size_t)p->m->vert[k / 3] + (size_t)(k % 3)] = (float)u->x[k];
  for (int k = 0; k < p->ntet; k++) measure_one(state, flesh, p->m->tet[k]);
  return !info.is_cut;
}

static void close_patch(const patch *p) {
  for (int v = 0; v < p->nvert || v < p->nfree; v++) p->m->local[p->m->vert[v]] = -1;
}

// Turns the inside of flesh back where it is inverted; state->volume is that before and after.
// (With the bad ones' own vertices alone, a third of the patch, it is faster and ends in shapes
// in which motion would lock.)
void mi_uninvert_inside(mien_state *state, float *flesh, int effort) {
  patch p = {.m = state->mender, .face = state->face};
  if (find_free(&p, state->volume) && add_tets(&p)) {
    mi_untangle u = untangle_of(&p, state, flesh);
    u.effort = effort;
    solve_patch(&p, state, &u, flesh);
  }
  close_patch(&p);
}

// On from where uninverting the last pose was cut; false when that is no better place than the
// pose.
static bool resume(const patch *p, mi_untangle *u) {
  const uninverted *last = &p->m->pose;
  double least, other;
  int nbad;
  mi_untangle_measure(u, &least, &nbad);
  for (int v = 0; v < last->nfree; v++) {
    size_t from = 3 * (size_t)last->vert[v];
    int own = p->m->local[last->vert[v]];
    for (size_t k = 0; k < 3 && own >= 0 && own < p->nfree; k++)
      u->x[3 * (size_t)own + k] +=
          (double)last->to[3 * (size_t)v + k] - (double)last->from[from + k];
  }
  mi_untangle_measure(u, &other, &nbad);
  return other > least;
}

static void uninvert_new_pose(mien_state *state, float *posed, double deadline) {
  const mien_face *face = state->face;
  patch p = {.m = state->mender, .face = face};
  uninverted *pose = &state->mender->pose;
  size_t size = 3 * (size_t)face->info.nvert * sizeof *posed;
  mi_state_measure(state, posed);
  int nbad = find_free(&p, state->volume);
  bool was_cut = pose->is_any && pose->is_cut;
  pose->is_any = nbad && add_tets(&p);
  pose->nbad = nbad;
  if (pose->is_any) {
    mi_untangle u = untangle_of(&p, state, posed);
    pose->is_resumed = was_cut && deadline > 0 && resume(&p, &u);
    if (!pose->is_resumed) u = untangle_of(&p, state, posed);
    pose->nresumed = pose->is_resumed && !memcmp(pose->from, posed, size) ? pose->nresumed + 1 : 0;
    memcpy(pose->from, posed, size);
    u.effort = deadline > 0 ? OVER_BUDGET_EFFORT : NO_LIMIT;
    u.deadline = deadline;
    pose->is_cut = !solve_patch(&p, state, &u, posed) && pose->nresumed < MOST_RESUMED;
    pose->nfree = p.nfree;
    memcpy(pose->vert, p.m->vert, (size_t)p.nfree * sizeof *pose->vert);
    for (int k = 0; k < 3 * p.nfree; k++)
      pose->to[k] = posed[3 * (size_t)pose->vert[k / 3] + (size_t)(k % 3)];
  }
  close_patch(&p);
  pose->ninverted = 0;
  for (int t = 0; t < face->info.ntet && nbad; t++) pose->ninverted += !(state->volume[t] > 0);
}

// A pose that is held was uninverted already. One that took more than a step's time is not what it
// would be without a limit: that is for steps with one alone.
static bool is_uninverted(const mien_state *state, const float *posed, double deadline) {
  const uninverted *pose = &state->mender->pose;
  bool is_done = pose->is_any && !pose->is_cut && (!pose->is_resumed || deadline > 0);
  size_t size = 3 * (size_t)state->face->info.nvert * sizeof *posed;
  return is_done && !memcmp(pose->from, posed, size);
}

void mi_uninvert_pose(mien_state *state, float *posed, double deadline) {
  const uninverted *pose = &state->mender->pose;
  if (!state->face->blendvolumes.nshape) return;
  if (!is_uninverted(state, posed, deadline))
    uninvert_new_pose(state, posed, deadline);
  else
    for (int v = 0; v < pose->nfree; v++)
      memcpy(posed + 3 * (size_t)pose->vert[v], pose->to + 3 * (size_t)v, 3 * sizeof *posed);
  state->info.nposed_mended = pose->nbad;
  state->info.nposed_inverted = pose->ninverted;
}

// -- motion ---------------------------------------------------------------------------------------

// of one value a vertex, 3 apart: nearer to the mean of all four
static void share_one(const float *mass, const int32_t tet[4], float share, float *values) {
  float sum = 0, all = 0;
  for (int c = 0; c < 4; c++) {
    sum += mass[tet[c]] * values[3 * (size_t)tet[c]];
    all += mass[tet[c]];
  }
  for (int c = 0; c < 4; c++) {
    float *value = values + 3 * (size_t)tet[c];
    *value += share * (sum / all - *value);
  }
}

// Its corners go on more nearly together, as after a collision that takes energy and no momentum.
// (The velocity of the way they are put back by would be as large as substeps are short.)
static void share_motion(mien_state *state, int t, float share) {
  const mien_face *face = state->face;
  mi_dynamics *dynamics = &state->dynamics;
  const int32_t *tet = face->tets + 4 * (size_t)t;
  for (int k = 0; k < 3; k++) {
    share_one(face->mass, tet, share, dynamics->offset + k);
    share_one(face->mass, tet, share, dynamics->velocity + k);
  }
  for (int i = 0; i < 12; i++) {
    size_t at = 3 * (size_t)tet[i / 3] + (size_t)(i % 3);
    state->flesh[at] = dynamics->posed[at] + dynamics->offset[at];
  }
}

mi_uninvert_list mi_uninvert_list_inverted(mien_state *state) {
  struct mi_mender *m = state->mender;
  mi_uninvert_list list = {m->bad, 0};
  for (int t = 0; t < state->face->info.ntet && list.count < m->most_tet; t++)
    if (!(state->volume[t] > 0)) m->bad[list.count++] = t;
  return list;
}

mi_uninvert_list mi_uninvert_list_around(mien_state *state, const float *flesh, float share,
                                         mi_uninvert_list list) {
  const mien_face *face = state->face;
  struct mi_mender *m = state->mender;
  mi_uninvert_list found = {list.tet == m->bad ? m->next : m->bad, 0};
  for (int pass = 0; pass < 2; pass++) // find, then clear the marks
    for (int k = 0; k < 4 * list.count; k++) {
      int i = face->tets[4 * (size_t)list.tet[k / 4] + (size_t)(k % 4)];
      for (int at = face->vertex_tet_first[i]; at < face->vertex_tet_first[i + 1]; at++) {
        int t = face->vertex_tet[at];
        bool was_seen = m->is_seen[t];
        m->is_seen[t] = !pass;
        if (pass || was_seen) continue;
        measure_one(state, flesh, t);
        if (!(state->volume[t] > share * face->volume[t]) && found.count < m->most_tet)
          found.tet[found.count++] = t;
      }
    }
  return found;
}

// Sweep after sweep over what is inverted, until nothing is.
static void share_motions(mien_state *state) {
  mi_uninvert_list list = mi_uninvert_list_inverted(state);
  for (int sweep = 0; list.count && sweep < SWEEPS; sweep++) {
    for (int k = 0; k < list.count; k++)
      share_motion(state, list.tet[k], sweep < SWEEPS / 2 ? 0.5f : 1);
    list = mi_uninvert_list_around(state, state->flesh, 0, list);
  }
}

void mi_uninvert_motion(mien_state *state, bool skin_too, bool is_sound) {
  const mien_face *face = state->face;
  mi_dynamics *dynamics = &state->dynamics;
  int count = 3 * face->info.nvert;
  for (int i = 0; i < count; i++) state->flesh[i] = dynamics->posed[i] + dynamics->offset[i];
  state->is_sound = is_sound;
  int ninverted = is_sound ? 0 : mi_state_measure(state, state->flesh);
  state->info.nmended = ninverted;
  if (!ninverted) return;
  mi_uninvert_inside(state, state->flesh, ninverted > FEW ? MOTION_EFFORT : NO_LIMIT);
  for (int i = 3 * face->skin.nvert; i < count; i++) {
    if (state->flesh[i] == dynamics->posed[i] + dynamics->offset[i]) continue;
    dynamics->offset[i] = state->flesh[i] - dynamics->posed[i];
    state->flesh[i] = dynamics->posed[i] + dynamics->offset[i];
  }
  if (skin_too) share_motions(state);
}
