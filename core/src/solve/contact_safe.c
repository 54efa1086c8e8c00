// Moving what can touch without letting it cross.
#include "solve/contacts.h"

#include <math.h>
#include <string.h>

// -- Safe places ----------------------------------------------------------------------------------

static void read_wanted(mi_contacts *c, const mi_solver *solver) {
  for (int i = 0; i < c->nsoft; i++)
    memcpy(c->wanted + 3 * (size_t)i, solver->x + 4 * (size_t)solver->place[c->flesh[i]],
           3 * sizeof *c->wanted);
}

static void rest_at(mi_contacts *c, const float *position, double reach, int threads) {
  if (position != c->safe) memcpy(c->safe, position, 3 * (size_t)c->nvert * sizeof *c->safe);
  mi_contacts_open_folds(c, c->safe);
  c->near = mi_broad_find(c->broad, c->safe, NULL, reach, threads);
}

// Nobody goes farther than half a stride: nothing is jumped over.
static bool is_short(const mi_contacts *c) {
  float most = (float)(0.5 * c->stride);
  for (int i = 0; i < 3 * c->nvert; i++)
    if (!(fabsf(c->wanted[i] - c->safe[i]) < most)) return false;
  return true;
}

// A gap of less than a millionth of the face is lost to rounding sooner or later, and what is
// behind it then stays across for ever.
static bool has_room(mi_contacts *c, const mien_state *state, double reach) {
  double least = 2e-6 * (double)state->face->skin.size;
  int threads = state->solver->host.threads;
  mi_contacts_open_folds(c, c->wanted);
  c->near = mi_broad_find(c->broad, c->wanted, NULL, reach, threads);
  mi_active_find(&c->active, c->surface, &c->near, c->wanted, least, threads);
  if (c->active.count) mi_contacts_open_folds(c, c->safe);
  return c->active.count == 0;
}

// Most ends are free. On the way to one that is not, skin that would be hit is slowed down, which
// may put others in its way, and so on; in the end all that can touch together.
static void advance(mien_state *state, double reach, bool is_known_to_cross) {
  mi_contacts *c = state->contacts;
  mi_solver *solver = state->solver;
  double start = mi_clock();
  int threads = solver->host.threads;
  read_wanted(c, solver);
  if (is_known_to_cross || !is_short(c) || mi_contacts_cross(c, c->wanted, threads, NULL) ||
      !has_room(c, state, reach))
    state->info.nlimited += !mi_contacts_go_safely(c, state, reach);
  else
    memcpy(c->safe, c->wanted, 3 * (size_t)c->nvert * sizeof *c->safe);
  memcpy(c->from, solver->x, 4 * (size_t)solver->nvert * sizeof *c->from);
  state->info.seconds_contact += mi_clock() - start;
}

void mi_contacts_advance(mien_state *state, double reach) {
  advance(state, reach, false);
}

void mi_contacts_advance_safely(mien_state *state, double reach) {
  advance(state, reach, true);
}

// Pieces that cross nowhere go there whatever lies on a straight way to it: a lid that closes over
// an eye is animated along a chord.
static void skip_to_wanted(mi_contacts *c, int threads) {
  int nfree = 0;
  for (int i = 0; i < c->nvert; i++) {
    if (c->is_hit[c->piece[i]]) continue;
    memcpy(c->safe + 3 * (size_t)i, c->wanted + 3 * (size_t)i, 3 * sizeof *c->safe);
    nfree++;
  }
  // free pieces, where they are, against the others where they were
  if (nfree && mi_contacts_cross(c, c->safe, threads, NULL))
    memcpy(c->safe, c->before, 3 * (size_t)c->nvert * sizeof *c->safe);
}

// the artist's pose, and a share of the offset
static void read_posed(mi_contacts *c, const mien_state *state, float share) {
  for (int i = 0; i < 3 * c->nsoft; i++) {
    size_t at = 3 * (size_t)c->flesh[i / 3] + (size_t)(i % 3);
    c->wanted[i] = state->moving.posed[at] + share * state->moving.offset[at];
  }
}

// Where the way to the solver's x begins: at the neutral for what was put back there, and for what
// cannot touch and may lie around it.
static void read_start(mi_contacts *c, const mien_state *state, bool is_any_reset) {
  const mi_solver *solver = state->solver;
  for (int k = 0; k < solver->nvert; k++) {
    int vert = solver->order[k], soft = c->soft[state->face->carrier[vert]];
    bool is_reset = is_any_reset && (soft < 0 || c->is_reset[c->piece[soft]]);
    const float *from = is_reset ? state->face->rest : state->flesh;
    memcpy(c->from + 4 * (size_t)k, from + 3 * (size_t)vert, 3 * sizeof *from);
  }
  for (int i = 0; i < c->nsoft; i++)
    memcpy(c->from + 4 * (size_t)solver->place[c->flesh[i]], c->safe + 3 * (size_t)i,
           3 * sizeof *c->safe);
}

void mi_contacts_look_at_pose(mien_state *state) {
  mi_contacts *c = state->contacts;
  double start = mi_clock();
  read_posed(c, state, 0);
  c->is_pose_free =
      !mi_contacts_cross(c, c->wanted, state->solver->host.threads, c->is_posed_across);
  c->is_pose_known = true;
  state->info.seconds_contact += mi_clock() - start;
}

void mi_contacts_guess_pose(mien_state *state) {
  mi_contacts *c = state->contacts;
  if (c->is_start_free) {
    mi_contacts_look_at_pose(state);
    return;
  }
  memcpy(c->is_posed_across, c->is_hit, (size_t)c->npiece * sizeof *c->is_hit);
  c->is_pose_free = false;
  c->is_pose_known = true;
}

bool mi_contacts_is_pose_free(mien_state *state) {
  if (!state->contacts->is_pose_known) mi_contacts_look_at_pose(state);
  return state->contacts->is_pose_free;
}

// Pieces that cross where they were start from the neutral; all that can touch when the others
// are in their way there. Returns how many pairs crossed.
static int reset(mi_contacts *c, int threads) {
  int ncrossing = mi_contacts_cross(c, c->before, threads, c->is_reset);
  for (int all = 0; ncrossing && all < 2; all++) {
    for (int i = 0; i < 3 * c->nsoft; i++)
      if (c->is_reset[c->piece[i / 3]]) c->before[i] = c->rest[i];
    if (all || !mi_contacts_cross(c, c->before, threads, NULL)) break;
    for (int k = 0; k < c->npiece; k++) c->is_reset[k] = true;
  }
  return ncrossing;
}

void mi_contacts_start(mien_state *state, double reach) {
  mi_contacts *c = state->contacts;
  int threads = state->solver->host.threads;
  double start = mi_clock();
  read_wanted(c, state->solver);
  bool is_free = !mi_contacts_cross(c, c->wanted, threads, c->is_hit);
  int ncrossing = 0;
  c->is_pose_known = false;
  c->is_start_free = is_free;
  c->npushed = 0;
  if (is_free) {
    rest_at(c, c->wanted, reach, threads);
  } else {
    if (state->moving.is_doubtful) ncrossing = reset(c, threads);
    state->info.nresolved += ncrossing;
    memcpy(c->safe, c->before, 3 * (size_t)c->nvert * sizeof *c->safe);
    skip_to_wanted(c, threads);
    mi_contacts_open_folds(c, c->safe);
  }
  read_start(c, state, ncrossing > 0);
  state->moving.is_doubtful = ncrossing > 0; // look again until it does not
  state->info.seconds_contact += mi_clock() - start;
  if (!is_free) advance(state, reach, true);
}

bool mi_contacts_take(mien_state *state, float share, double reach) {
  mi_contacts *c = state->contacts;
  read_posed(c, state, share);
  int threads = state->solver->host.threads;
  bool is_free = !mi_contacts_cross(c, c->wanted, threads, NULL);
  rest_at(c, is_free ? c->wanted : c->safe, reach, threads);
  return is_free;
}
