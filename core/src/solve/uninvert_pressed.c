// Flesh with contact, kept from turning inside out.
//
// Where lips are pressed through each other the energy's own minimum has inverted tetrahedra at the
// corners of the mouth: elements resist that no more than any other strain. So after each descent
// what is inverted is pushed out to a little of its volume, as shortly as can be (one tetrahedron
// after the other along the slope of its volume, until none is left: a tenth of a millimetre or
// two) and by the inside alone: skin is where contact wants it. Moving more of the inside, or into
// a better shape, is what made pressed lips tremble. Where skin itself is folded the inside cannot
// undo it: the corners then come nearer to one common offset from the pose, which takes a
// tetrahedron to its posed shape, and the bound of contact has the last word on where skin goes.
#include "solve/uninvert.h"

#include "drive/drive.h"
#include "mesh/mesh.h"
#include "solve/contacts.h"
#include "solve/solver.h"

#include <string.h>

// A tetrahedron below LEAST of its volume at rest is pushed out to AIM of it.
static const float LEAST = 0.001f, AIM = 0.03f;
// Each push goes so many times as far as it alone would need: with 1 a knot takes ten times as
// many, and one that goes on with one length is undone by another.
static const double OVER[] = {1.4, 1.15, 1.8};
enum { PUSHES = 2000, MOST_PUSHES = 3 * PUSHES }; // about 1 us each with what lies around them
enum { KNOT = 60000 };                            // evaluations of single tetrahedra
enum { ROUNDS = 6, SWEEPS = 24 };
// A vertex may be OUTLIER times as far off its pose as its neighbours are, and ALONE (a share of
// the face's size) more.
static const double OUTLIER = 2.5;
static const float ALONE = 3e-3f;

static void push_out(const mien_face *face, float *flesh, int t, double over) {
  const int32_t *tet = face->tets + 4 * (size_t)t;
  mi_vec3 slope[4];
  double give = 0;
  double missing = (double)AIM * (double)face->volume[t] - mi_tet_slope(flesh, tet, slope);
  for (int c = 0; c < 4; c++) give += tet[c] >= face->skin.nvert ? mi_dot(slope[c], slope[c]) : 0;
  if (!(missing > 0) || !(give > 0)) return;
  for (int c = 0; c < 4; c++) {
    float *corner = flesh + 3 * (size_t)tet[c];
    if (tet[c] >= face->skin.nvert)
      mi_vec3_store(corner, mi_add_scaled(mi_vec3_load(corner), over * missing / give, slope[c]));
  }
}

static void read_flesh(const mi_solver *solver, float *flesh) {
  for (int i = 0; i < solver->nvert; i++)
    memcpy(flesh + 3 * (size_t)i, solver->x + 4 * (size_t)solver->iperm[i], 3 * sizeof *flesh);
}

static void write_flesh(const mi_solver *solver, const float *flesh, int first, float *x) {
  for (int i = first; i < solver->nvert; i++)
    memcpy(x + 4 * (size_t)solver->iperm[i], flesh + 3 * (size_t)i, 3 * sizeof *flesh);
}

// Springs pull lips off their pose, and keep them there.
static bool is_sprung(const mien_state *state, int vert) {
  const mi_contacts *c = state->contacts;
  int soft = vert < state->face->skin.nvert ? c->soft[vert] : -1;
  return soft >= 0 && c->is_sprung[soft];
}

// The corners of a tetrahedron come nearer to one common offset from the pose, where it is sound:
// that of corners at springs, if there are any.
static void share_offset(const mien_state *state, float *flesh, int t, float share) {
  const mien_face *face = state->face;
  const int32_t *tet = face->tets + 4 * (size_t)t;
  float weight[4];
  bool is_held[4], is_any_held = false;
  for (int c = 0; c < 4; c++) is_any_held |= is_held[c] = is_sprung(state, tet[c]);
  for (int c = 0; c < 4; c++) weight[c] = is_held[c] == is_any_held ? face->mass[tet[c]] : 0;
  mi_uninvert_share(tet, weight, is_held, share, state->dynamics.posed, flesh);
}

static void share_offsets(mien_state *state, float *flesh, mi_uninvert_list list) {
  for (int sweep = 0; list.count && sweep < SWEEPS; sweep++) {
    for (int k = 0; k < list.count; k++) share_offset(state, flesh, list.tet[k], 0.5f);
    list = mi_uninvert_list_around(state, flesh, LEAST, list);
  }
}

// The inside alone.
static void push_all(mien_state *state, float *flesh, mi_uninvert_list list) {
  for (int npushed = 0; list.count && npushed < MOST_PUSHES; npushed += list.count) {
    double over = OVER[npushed / PUSHES];
    for (int k = 0; k < list.count; k++) push_out(state->face, flesh, list.tet[k], over);
    list = mi_uninvert_list_around(state, flesh, LEAST, list);
  }
  // a knot that no push undoes is untangled as a whole
  if (list.count && mi_state_measure(state, flesh)) mi_uninvert_inside(state, flesh, KNOT);
}

// The solver's x goes to `flesh` as far as contact lets it.
static void go_to(mien_state *state, float *flesh) {
  mi_solver *solver = state->solver;
  size_t size = 4 * (size_t)solver->nvert * sizeof *solver->x;
  memcpy(solver->trial, solver->x, size);
  write_flesh(solver, flesh, 0, solver->trial);
  mi_contacts_bound(state, solver->x, solver->trial);
  mi_contacts_accept(state->contacts);
  memcpy(solver->x, solver->trial, size);
  read_flesh(solver, flesh);
}

static mi_uninvert_list list_inverted(mien_state *state, const float *flesh) {
  mi_state_measure(state, flesh);
  return mi_uninvert_list_inverted(state);
}

// -- Outliers -------------------------------------------------------------------------------------

static mi_vec3 offset_of(const mien_state *state, const float *flesh, int vert) {
  size_t at = 3 * (size_t)vert;
  return mi_sub(mi_vec3_load(flesh + at), mi_vec3_load(state->dynamics.posed + at));
}

// Where neighbours would take a vertex: to its pose; with muscles, which leave that behind, as far
// off it as they go together.
static mi_vec3 usual_offset(const mien_state *state, const float *flesh, const int32_t *nbr,
                            int count) {
  mi_vec3 sum = {0, 0, 0};
  if (!state->solver->drive->holds_neutral) return sum;
  for (int k = 0; k < count; k++)
    sum = mi_add_scaled(sum, 1.0 / count, offset_of(state, flesh, nbr[k]));
  return sum;
}

// One vertex of skin that planes pushed much farther off than its neighbours is a spike: it comes
// back to what they allow. Returns how many did.
static int pull_outliers(const mien_state *state, float *flesh) {
  const mi_topology *topo = &state->face->skin.topo;
  double alone = (double)(ALONE * state->face->skin.size);
  int count = 0;
  for (int i = 0; i < state->face->skin.nvert; i++) {
    const int32_t *nbr = topo->nbr + topo->nbr_first[i];
    int nnbr = topo->nbr_first[i + 1] - topo->nbr_first[i];
    if (!nnbr || is_sprung(state, i)) continue;
    mi_vec3 usual = usual_offset(state, flesh, nbr, nnbr);
    mi_vec3 own = mi_sub(offset_of(state, flesh, i), usual);
    double length = mi_length(own), sum = 0;
    if (length <= alone) continue;
    for (int k = 0; k < nnbr; k++) sum += mi_length(mi_sub(offset_of(state, flesh, nbr[k]), usual));
    double most = alone + OUTLIER * sum / nnbr;
    if (length <= most) continue;
    float *at = flesh + 3 * (size_t)i;
    mi_vec3_store(at, mi_add_scaled(mi_vec3_load(at), most / length - 1, own));
    count++;
  }
  return count;
}

// -- After a descent ------------------------------------------------------------------------------

// Keeps what the inside alone could mend: flesh in the second work space, the surface in x_rows, of
// which the descent has no more need.
static void keep_inside(mien_state *state, const float *flesh) {
  mi_contacts *c = state->contacts;
  memcpy(state->work[1], flesh, 3 * (size_t)state->solver->nvert * sizeof *flesh);
  memcpy(c->x_rows, c->x_free, 3 * (size_t)c->nvert * sizeof *c->x_free);
}

static void go_back_inside(mien_state *state) {
  mi_contacts *c = state->contacts;
  write_flesh(state->solver, state->work[1], 0, state->solver->x);
  memcpy(c->x_free, c->x_rows, 3 * (size_t)c->nvert * sizeof *c->x_free);
}

// Skin moves only where that mends all: what is tried in vain is tried anew in each frame, and
// pressed lips would tremble.
void mi_uninvert_pressed(mien_state *state) {
  const mi_solver *solver = state->solver;
  float *flesh = state->work[0];
  state->info.nmended = 0;
  read_flesh(solver, flesh);
  if (pull_outliers(state, flesh))
    go_to(state, flesh);
  else if (!solver->at_end.detail.nflat)
    return;
  mi_uninvert_list list = list_inverted(state, flesh);
  state->info.nmended = list.count;
  for (int round = 0; list.count && round < ROUNDS; round++) {
    if (round == 1) keep_inside(state, flesh);
    if (round) {
      share_offsets(state, flesh, list);
      go_to(state, flesh);
      list = list_inverted(state, flesh);
    }
    push_all(state, flesh, list);
    write_flesh(solver, flesh, state->face->skin.nvert, solver->x);
    list = list_inverted(state, flesh);
  }
  if (list.count) go_back_inside(state);
}
