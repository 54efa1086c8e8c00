#include "solve/shown.h"

#include "math/vec.h"
#include "solve/contacts.h"

#include <math.h>
#include <string.h>

// Of the simulated skin's thickness: the gap that is opened where skin would cross. As little as
// can be, so that nothing jumps when it begins and ends.
static const double OPEN = 0.1;
// Of that: planes that are met again and again get so much room at most.
static const double MOST_OPEN = 8;
// s: so fast what was done to the skin goes by itself, when nothing is in the way any more.
static const double FADING = 0.04;
// Shares of a way, as the barrier has them: SHARE of a gap may be used up at once, LITTLE is as
// good as nothing.
static const double SHARE = 0.8, LITTLE = 0.1;

// Between what meets on the way: where it meets, with the sides it has at the safe place.
typedef struct plane {
  int32_t vert[4];
  float coef[4], normal[3];
  float gap; // m, to be kept
} plane;

struct mi_shown_planes {
  plane *plane; //                                                                    (capacity)
  int count, capacity;
  int32_t *of_pair; // of candidates, -1 = it has none                              (candidates)
  float *sum;       // m, of what was done to neighbours                            (nsoft x 3)
  int32_t *degree;  // neighbours                                                   (nsoft)
};

// -- Memory ---------------------------------------------------------------------------------------

static bool reserve(mi_contacts *c, mi_arena *arena) {
  size_t nvert = (size_t)c->nvert;
  c->most = 2 * c->nsoft + 1024;
  c->rest = MI_PUSH(arena, float, 3 * nvert);
  c->before = MI_PUSH(arena, float, 3 * nvert);
  c->safe = MI_PUSH(arena, float, 3 * nvert);
  c->wanted = MI_PUSH(arena, float, 3 * nvert);
  c->aim = MI_PUSH(arena, float, 3 * nvert);
  return c->rest && c->before && c->safe && c->wanted && c->aim;
}

static bool make(const mien_face *face, mi_contacts *c, mi_arena *arena, mi_arena *scratch) {
  const mi_embedding *e = &face->embedding;
  const mi_colliders *rigid = &face->colliders;
  c->nsoft = e->ntouch;
  c->nvert = e->ntouch + rigid->nvert;
  c->stride = 0.02 * (double)face->skin.size;
  size_t nsoft_index = 3 * (size_t)e->ntouch_tri;
  int32_t *tri = MI_PUSH(scratch, int32_t, nsoft_index + 3 * (size_t)rigid->ntri);
  if (!tri || !reserve(c, arena)) return false;
  memcpy(tri, e->touch_tri, nsoft_index * sizeof *tri);
  for (int k = 0; k < 3 * rigid->ntri; k++) tri[nsoft_index + (size_t)k] = c->nsoft + rigid->tri[k];
  for (int i = 0; i < c->nsoft; i++)
    memcpy(c->rest + 3 * (size_t)i, e->shown->positions + 3 * (size_t)e->touch[i],
           3 * sizeof *c->rest);
  memcpy(c->rest + 3 * (size_t)c->nsoft, rigid->position,
         3 * (size_t)rigid->nvert * sizeof *c->rest);
  int ntri = e->ntouch_tri + rigid->ntri;
  bool made = mi_contacts_make_surface(c, tri, ntri, (double)face->skin.size, arena) &&
              mi_contacts_find_pieces(c, arena);
  mi_contacts_forget_users(c, rigid);
  return made;
}

static bool make_planes(mien_state *state, const mi_contacts *c) {
  struct mi_shown_planes *made = MI_PUSH(&state->arena, struct mi_shown_planes, 1);
  if (!made) return false;
  made->capacity = 8 * c->nsoft;
  made->plane = MI_PUSH(&state->arena, plane, made->capacity);
  made->of_pair = MI_PUSH(&state->arena, int32_t, mi_broad_most(c->broad));
  made->sum = MI_PUSH(&state->arena, float, 3 * (size_t)c->nsoft);
  made->degree = MI_PUSH(&state->arena, int32_t, c->nsoft);
  if (!made->plane || !made->of_pair || !made->sum || !made->degree) return false;
  for (int k = 0; k < 2 * c->surface->nedge; k++) {
    int v = c->surface->edge[k];
    if (v < c->nsoft) made->degree[v]++;
  }
  state->shown_planes = made;
  return true;
}

mien_result mi_shown_prepare(mien_state *state, mien_error *err) {
  const mien_face *face = state->face;
  if (!face->embedding.shown || !face->embedding.ntouch_tri || state->shown) return MIEN_OK;
  mi_contacts *made = MI_PUSH(&state->arena, mi_contacts, 1);
  if (!made) return mi_fail_memory(err);
  mi_arena scratch;
  mi_arena_init(&scratch, &state->host);
  if (make(face, made, &state->arena, &scratch) && make_planes(state, made)) state->shown = made;
  mi_arena_free(&scratch);
  if (state->shown && !mi_left_out_prepare(state)) state->shown = NULL;
  return state->shown ? MIEN_OK : mi_fail_memory(err);
}

void mi_shown_forget(mien_state *state) {
  if (state->moving.napart)
    memset(state->moving.apart, 0, 3 * (size_t)state->moving.napart * sizeof(float));
}

// -- Where it is ----------------------------------------------------------------------------------

void mi_shown_read(const mien_state *state, float *to) {
  const mi_contacts *c = state->shown;
  const int32_t *touch = state->face->embedding.touch;
  for (int i = 0; i < c->nsoft; i++)
    memcpy(to + 3 * (size_t)i, state->moving.shown + 3 * (size_t)touch[i], 3 * sizeof *to);
  memcpy(to + 3 * (size_t)c->nsoft, state->moving.obstacle,
         3 * (size_t)(c->nvert - c->nsoft) * sizeof *to);
}

static void write(mien_state *state) {
  const mi_contacts *c = state->shown;
  const int32_t *touch = state->face->embedding.touch;
  for (int i = 0; i < c->nsoft; i++)
    memcpy(state->moving.shown + 3 * (size_t)touch[i], c->safe + 3 * (size_t)i,
           3 * sizeof *c->safe);
}

void mi_shown_remember(mien_state *state) {
  if (state->shown) mi_shown_read(state, state->shown->before);
}

// -- Planes ---------------------------------------------------------------------------------------

typedef struct parting {
  mi_contacts *contacts;
  struct mi_shown_planes *planes;
  double open;        // m
  const float *apart; // m, what was done to the skin in the step before             (nsoft x 3)
  float keep;         // the share of it that is left by itself
  int threads;
} parting;

// wanted = aim, and what is left of what was done before
static void set_out(const parting *p) {
  mi_contacts *c = p->contacts;
  memcpy(c->wanted, c->aim, 3 * (size_t)c->nvert * sizeof *c->wanted);
  for (int i = 0; i < 3 * c->nsoft; i++)
    if (p->apart[i] != 0) c->wanted[i] += p->keep * p->apart[i];
}

static double along(const plane *p, const float *position) {
  double sum = 0;
  for (int k = 0; k < 4; k++) {
    const float *at = position + 3 * (size_t)p->vert[k];
    for (int i = 0; i < 3; i++) sum += (double)p->coef[k] * p->normal[i] * (double)at[i];
  }
  return sum;
}

// What is closer in the neutral keeps what it has. (NAN: a collider without a neutral.)
static double room_of(const mi_contacts *c, const plane *p) {
  double d2 = 0;
  for (int i = 0; i < 3; i++) {
    double sum = 0;
    for (int k = 0; k < 4; k++)
      sum += (double)p->coef[k] * (double)c->rest[3 * (size_t)p->vert[k] + (size_t)i];
    d2 += sum * sum;
  }
  return 0.9 * sqrt(d2);
}

// Where the pair is when it has used up most of its gap. False when it never does.
static bool meet(const mi_contacts *c, mi_pair pair, bool is_edges, plane *out) {
  mi_ccd ccd = {.share = SHARE,
                .offset = mi_surface_offset(c->surface, pair, is_edges),
                .limit = 1,
                .most = 64};
  double from[12], to[12], at[12];
  mi_surface_vertices(c->surface, pair, is_edges, out->vert);
  for (int i = 0; i < 12; i++) {
    size_t k = 3 * (size_t)out->vert[i / 3] + (size_t)(i % 3);
    from[i] = c->safe[k];
    to[i] = c->wanted[k];
  }
  double time =
      is_edges ? mi_ccd_edge_edge(from, to, &ccd) : mi_ccd_vertex_triangle(from, to, &ccd);
  if (time >= 1) return false;
  for (int i = 0; i < 12; i++) at[i] = from[i] + time * (to[i] - from[i]);
  mi_closest near = is_edges ? mi_closest_edge_edge(at) : mi_closest_vertex_triangle(at);
  if (!(near.d2 > 0)) return false;
  for (int k = 0; k < 4; k++) out->coef[k] = (float)near.coef[k];
  for (int i = 0; i < 3; i++) out->normal[i] = (float)(near.r[i] / sqrt(near.d2));
  return true;
}

// A plane for each pair that meets on the way from the safe place to `wanted`; one that has a plane
// already gets more room. Returns how many meet.
static int find_planes(const parting *p) {
  mi_contacts *c = p->contacts;
  struct mi_shown_planes *planes = p->planes;
  int count = mi_ccd_doubtful(c->surface, &c->near, c->safe, c->wanted, SHARE, p->threads,
                              c->doubtful, NULL);
  int nmet = 0;
  for (int k = 0; k < count; k++) {
    int i = c->doubtful[k];
    bool is_edges = i >= c->near.nvt;
    plane met;
    if (!meet(c, is_edges ? c->near.ee[i - c->near.nvt] : c->near.vt[i], is_edges, &met)) continue;
    nmet++;
    if (planes->of_pair[i] < 0 && planes->count == planes->capacity) continue;
    bool is_new = planes->of_pair[i] < 0;
    if (is_new) planes->of_pair[i] = planes->count++;
    plane *to = planes->plane + planes->of_pair[i];
    double gap = is_new ? fmin(p->open, fmax(0.25 * p->open, along(&met, c->aim)))
                        : fmin(2 * (double)to->gap, MOST_OPEN * p->open);
    double room = room_of(c, &met);
    met.gap = (float)(room < gap ? room : gap);
    *to = met;
  }
  return nmet;
}

static bool push(mi_contacts *c, const plane *p) {
  double now = along(p, c->wanted), give = 0;
  if (now >= (double)p->gap) return false;
  for (int k = 0; k < 4; k++)
    give += p->vert[k] < c->nsoft ? (double)p->coef[k] * (double)p->coef[k] : 0;
  if (!(give > 0)) return false;
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 3 && p->vert[k] < c->nsoft; i++)
      c->wanted[3 * (size_t)p->vert[k] + (size_t)i] +=
          (float)((double)p->coef[k] * ((double)p->gap - now) / give * (double)p->normal[i]);
  return true;
}

// Half of what is done to a vertex is what is done to its neighbours: no spikes, and nothing
// flickers.
static void smooth(const parting *p) {
  mi_contacts *c = p->contacts;
  float *sum = p->planes->sum;
  memset(sum, 0, 3 * (size_t)c->nsoft * sizeof *sum);
  for (int e = 0; e < c->surface->nedge; e++) {
    size_t a = 3 * (size_t)c->surface->edge[2 * e], b = 3 * (size_t)c->surface->edge[2 * e + 1];
    if (a >= 3 * (size_t)c->nsoft || b >= 3 * (size_t)c->nsoft) continue;
    for (size_t i = 0; i < 3; i++) {
      sum[a + i] += c->wanted[b + i] - c->aim[b + i];
      sum[b + i] += c->wanted[a + i] - c->aim[a + i];
    }
  }
  for (int i = 0; i < 3 * c->nsoft; i++) {
    float own = c->wanted[i] - c->aim[i],
          around = sum[i] / fmaxf(1, (float)p->planes->degree[i / 3]);
    if (own != 0 || around != 0) c->wanted[i] = c->aim[i] + 0.5f * (own + around);
  }
}

// wanted = aim, and of what was done to it before, moved out of all planes, smoothly.
static void project(const parting *p) {
  enum { ROUNDS = 5, SWEEPS = 8 };
  mi_contacts *c = p->contacts;
  set_out(p);
  for (int round = 0; round < ROUNDS; round++) {
    int npushed = 1;
    for (int sweep = 0; sweep < SWEEPS && npushed; sweep++) {
      npushed = 0;
      for (int k = 0; k < p->planes->count; k++) npushed += push(c, p->planes->plane + k);
    }
    if (round + 1 < ROUNDS) smooth(p);
  }
}

// -- Putting apart --------------------------------------------------------------------------------

// Planes alone: most often that is all.
static bool part_by_planes(parting *p) {
  enum { ATTEMPTS = 6 };
  mi_contacts *c = p->contacts;
  set_out(p);
  mi_contacts_look(c, 2 * p->open, p->threads);
  p->planes->count = 0;
  for (int i = 0; i < c->near.nvt + c->near.nee; i++) p->planes->of_pair[i] = -1;
  for (int k = 0; k < ATTEMPTS; k++) {
    if (!find_planes(p) && k) break; // no plane helps
    project(p);
    if (!mi_contacts_cross(c, c->wanted, p->threads, NULL)) return true;
  }
  return false;
}

// Towards `wanted` as far as nothing is hit.
static void go_on(parting *p) {
  mi_contacts *c = p->contacts;
  mi_contacts_look(c, 2 * p->open, p->threads);
  double time = 0;
  for (int together = 1; together >= 0 && time < LITTLE; together--) {
    mi_contacts_shorten(c, &c->near, p->threads, together);
    if (c->near.is_full) return;
    time = mi_ccd_bound(c->surface, &c->near, c->safe, c->wanted, SHARE, p->threads).time;
  }
  for (int i = 0; i < 3 * c->nvert; i++)
    c->safe[i] = time >= 1 ? c->wanted[i] : c->safe[i] + (float)time * (c->wanted[i] - c->safe[i]);
}

// A place where nothing crosses, to set out from: where the skin is now with what was done to it
// before; for pieces that cross there, where they were; the neutral.
static void find_safe(parting *p) {
  mi_contacts *c = p->contacts;
  size_t size = 3 * (size_t)c->nvert * sizeof *c->safe;
  memcpy(c->safe, c->aim, size);
  for (int i = 0; i < 3 * c->nsoft; i++) c->safe[i] += p->apart[i];
  if (!mi_contacts_cross(c, c->safe, p->threads, c->is_hit)) return;
  bool is_free = !mi_contacts_cross(c, c->before, p->threads, NULL);
  const float *from = is_free ? c->before : c->rest;
  for (int i = 0; i < c->nvert; i++)
    if (c->is_hit[c->piece[i]])
      memcpy(c->safe + 3 * (size_t)i, from + 3 * (size_t)i, 3 * sizeof *from);
  // those against the others, where these are now
  if (mi_contacts_cross(c, c->safe, p->threads, NULL)) memcpy(c->safe, from, size);
}

// Skin that hardly moved since it was put apart stays as it is: nothing trembles.
static bool rests(const parting *p, float near) {
  mi_contacts *c = p->contacts;
  for (int i = 0; i < 3 * c->nsoft; i++)
    if (!(fabsf(c->aim[i] + p->apart[i] - c->before[i]) < near)) return false;
  memcpy(c->safe, c->before, 3 * (size_t)c->nsoft * sizeof *c->safe);
  memcpy(c->safe + 3 * (size_t)c->nsoft, c->aim + 3 * (size_t)c->nsoft,
         3 * (size_t)(c->nvert - c->nsoft) * sizeof *c->safe);
  return !mi_contacts_cross(c, c->safe, p->threads, NULL);
}

static void part(parting *p) {
  enum { ROUNDS = 8 };
  mi_contacts *c = p->contacts;
  bool is_done = false;
  find_safe(p);
  for (int round = 0; round < ROUNDS && !is_done; round++) {
    is_done = part_by_planes(p);
    if (is_done)
      memcpy(c->safe, c->wanted, 3 * (size_t)c->nvert * sizeof *c->safe);
    else
      go_on(p);
  }
}

// Is anything left of what was done before?
static bool is_apart(const parting *p, float near) {
  for (int i = 0; i < 3 * p->contacts->nsoft; i++)
    if (p->keep * fabsf(p->apart[i]) > near) return true;
  return false;
}

void mi_shown_part(mien_state *state, const mien_step_opts *opts) {
  mi_contacts *c = state->shown;
  if (!c) return;
  double start = mi_clock();
  float near = 1e-4f * state->face->skin.size, *apart = state->moving.apart;
  parting p = {.contacts = c,
               .planes = state->shown_planes,
               .open = OPEN * mi_contact_lengths_of(state, opts).thickness,
               .apart = apart,
               .keep = (float)exp(-opts->dt / FADING),
               .threads = state->host.threads};
  mi_shown_read(state, c->aim);
  bool crosses = mi_contacts_cross(c, c->aim, p.threads, NULL);
  if (crosses || is_apart(&p, 0.1f * near)) {
    if (!crosses || !rests(&p, near)) { // what nothing asks for any more goes, though all is still
      part(&p);
      for (int i = 0; i < 3 * c->nsoft; i++) apart[i] = c->safe[i] - c->aim[i];
    }
    write(state);
  } else {
    memset(apart, 0, 3 * (size_t)c->nsoft * sizeof *apart);
  }
  state->info.seconds_contact += mi_clock() - start;
}
