// Rows of the contact law "planes": one-sided springs between what is close, with friction.
#include "solve/descend.h"

#include "math/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A row is so much stiffer than the flesh around it: 5 % of an overlap remains, less than the
// thickness that is kept.
static const float STIFFER = 20;
// Friction of a plane is so much stiffer until it slides, that of all rows of a vertex together.
// (The barrier's, which presses from farther away, is as stiff as the flesh.)
static const float GRIPS = 2;

typedef struct rows {
  mi_contacts *contacts;
  const mi_solver *solver;
  const mien_input *input;
  const mien_step_opts *opts;
  const mi_colliders *rigid;
  mi_contact_lengths lengths;
} rows;

mi_contact_lengths mi_contact_lengths_of(const mien_state *state, const mien_step_opts *opts) {
  double size = state->face->skin.size;
  return (mi_contact_lengths){.thickness = opts->thickness > 0 ? opts->thickness : 1e-3 * size,
                              .l0 = opts->sticky_length > 0 ? opts->sticky_length : 1e-2 * size};
}

static rows rows_of(mien_state *state, const mien_input *input, const mien_step_opts *opts) {
  return (rows){.contacts = state->contacts,
                .solver = state->solver,
                .input = input,
                .opts = opts,
                .rigid = &state->face->colliders,
                .lengths = mi_contact_lengths_of(state, opts)};
}

// -- A row ----------------------------------------------------------------------------------------

static mi_vec3 combine(const mi_contact *contact, const float *position) {
  mi_vec3 sum = {0, 0, 0};
  for (int k = 0; k < 4; k++)
    sum =
        mi_add_scaled(sum, contact->coef[k], mi_vec3_load(position + 3 * (size_t)contact->vert[k]));
  return sum;
}

static double along_normal(const mi_contact *contact, const float *position) {
  mi_vec3 off = combine(contact, position);
  return contact->normal[0] * off.x + contact->normal[1] * off.y + contact->normal[2] * off.z;
}

// The row of a contact; what is rigid, and the shift of what is soft, is fixed.
static mi_row row_of(const rows *w, const mi_contact *contact) {
  const mi_contacts *c = w->contacts;
  mi_row row = {.vert = {-1, -1, -1, -1}};
  mi_vec3 fixed = {0, 0, 0};
  int count = 0;
  for (int k = 0; k < 4; k++) {
    int v = contact->vert[k];
    const float *by = (v < c->nsoft ? c->shift : c->pose) + 3 * (size_t)v;
    fixed = mi_add_scaled(fixed, contact->coef[k], mi_vec3_load(by));
    if (v >= c->nsoft || (float)contact->coef[k] == 0) continue;
    row.vert[count] = w->solver->iperm[c->flesh[v]];
    row.coef[count++] = (float)contact->coef[k];
  }
  mi_vec3_store(row.fixed, fixed);
  for (int k = 0; k < 3; k++) row.normal[k] = (float)contact->normal[k];
  mi_vec3_store(row.start, combine(contact, c->x0));
  return row;
}

// Stiffness of the flesh against a push along the row, N / m: its vertices give way one after the
// other, like springs in series. A mean of theirs would be far too stiff for the softest, and what
// is not in the matrix must not be.
static float own_stiffness(const mi_solver *s, const mi_row *row) {
  float compliance = 0;
  for (int k = 0; k < 4 && row->vert[k] >= 0; k++)
    compliance += row->coef[k] * row->coef[k] / s->diagonal[row->vert[k]];
  return compliance > 0 ? 1 / compliance : 0;
}

// In the part of the factor that takes rank-1 rows? A stiff row that is not in the matrix would
// spoil the descent of everything else; a soft one is enough for the few contacts outside (lids on
// eyes), which cannot cross either.
static bool is_inside(const mi_solver *s, const mi_row *row) {
  for (int k = 0; k < 4 && row->vert[k] >= 0; k++)
    if (s->factor && row->vert[k] < s->nfront) return false;
  return true;
}

// Skin on skin, and on colliders of the user's. Teeth and eyes are wet.
static bool has_friction(const rows *w, const mi_contact *contact) {
  for (int k = 0; k < 4; k++) {
    int rigid = contact->vert[k] - w->contacts->nsoft;
    if (rigid >= 0 && w->rigid->user[rigid] < 0) return false;
  }
  return true;
}

// -- Gaps -----------------------------------------------------------------------------------------

// How deep the pose lets each component cross, as far as its contacts know.
static void find_depths(mi_contacts *c) {
  for (int k = 0; k < c->ncomponent; k++) c->deepest[k] = 0;
  for (int k = 0; k < c->active.count; k++) {
    const mi_contact *contact = c->active.contact + k;
    float *a = c->deepest + c->component[contact->vert[0]],
          *b = c->deepest + c->component[contact->vert[3]];
    if (!c->npose_hit[a - c->deepest] && !c->npose_hit[b - c->deepest]) continue;
    float depth = (float)along_normal(contact, c->pose);
    *a = fminf(*a, depth);
    *b = fminf(*b, depth);
  }
}

double mi_contacts_rest_gap(const mi_contacts *c, const mi_contact *contact, double thickness) {
  double room = 0.9 * mi_length(combine(contact, c->inset.shifted));
  return room < thickness ? room : thickness; // NAN: a collider without a neutral
}

// The gap of the pose, a little less, up to the thickness: a pose that is free is not pushed. Where
// it crosses a gap opens, the wider the deeper it does: nothing jumps when it begins to.
static double gap_of(const rows *w, const mi_contact *contact) {
  const mi_contacts *c = w->contacts;
  double posed = along_normal(contact, c->pose);
  double deepest = (double)fminf(c->deepest[c->component[contact->vert[0]]],
                                 c->deepest[c->component[contact->vert[3]]]);
  return fmin(mi_contacts_rest_gap(c, contact, w->lengths.thickness),
              fmax(0.9 * posed, -0.5 * deepest));
}

static void add_row(const rows *w, const mi_contact *contact, bool in_matrix) {
  mi_contacts *c = w->contacts;
  double gap = gap_of(w, contact), posed = along_normal(contact, c->pose);
  // Rank-1 rows leave sliding free, so rows that may push before long can be in the matrix, too:
  // the line search then hardly ever has to go back. On separating pairs they would act as damping.
  bool comes = w->solver->factor && contact->distance < 2 * gap && posed < gap;
  if ((contact->distance < gap || comes) != in_matrix || c->nrow == c->most) return;
  mi_row *row = c->row + c->nrow;
  *row = row_of(w, contact);
  float own = own_stiffness(w->solver, row);
  row->weight = (is_inside(w->solver, row) ? STIFFER : 1) * own;
  row->gap = (float)gap;
  if (!(row->weight > 0)) return;
  // nothing holds flesh off a pose that is free
  float friction = has_friction(w, contact) && posed < gap ? (float)w->opts->friction : 0;
  row->limit = friction * row->weight * fmaxf(0, (float)(gap - contact->distance));
  row->friction_stiffness = GRIPS * own;
  c->npushed += contact->distance < gap;
  c->nrow++;
}

// Friction is not in the matrix: together the rows of a vertex may be no stiffer than its flesh.
// With `weights` its planes, too, are together as stiff as one: pairs that come and go at the edge
// of reach then change nothing at once.
static void share_stiffness(mi_contacts *c, const mi_solver *solver, bool weights) {
  float *count = c->least;
  for (int i = 0; i < c->nsoft; i++) count[i] = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < c->nrow; k++) {
      mi_row *row = c->row + k;
      float most = 1;
      for (int v = 0; v < 4 && row->vert[v] >= 0; v++) {
        float *own = count + c->soft[solver->perm[row->vert[v]]];
        *own += pass ? 0 : fabsf(row->coef[v]);
        most = fmaxf(most, *own);
      }
      if (pass) row->friction_stiffness /= 2 * most;
      if (pass && weights) row->weight /= most, row->limit /= most;
    }
}

// Sweeps know spring rows only, which hold sliding, too: a little of the weight is all they bear.
static void sweep_rows(const mi_contacts *c, mi_solver *solver) {
  for (int k = 0; k < c->nheld; k++) {
    mi_lowrank *lowrank = c->spring + c->nspring + k;
    memcpy(lowrank->vert, c->row[k].vert, sizeof lowrank->vert);
    memcpy(lowrank->coef, c->row[k].coef, sizeof lowrank->coef);
    lowrank->weight = 0.1f * c->row[k].weight;
  }
  solver->sweep_lowrank = (mi_lowrank_rows){c->spring, c->nspring + c->nheld};
}

static void set_rank1(mi_contacts *c, mi_solver *solver) {
  c->nrank1 = 0;
  for (int k = 0; k < c->nheld && solver->factor; k++) {
    mi_rank1 *rank1 = c->rank1 + c->nrank1++;
    rank1->weight = c->row[k].weight;
    for (int i = 0; i < 4; i++) {
      rank1->vert[i] = c->row[k].vert[i];
      for (int a = 0; a < 3; a++) rank1->vector[i][a] = c->row[k].coef[i] * c->row[k].normal[a];
    }
  }
  if (solver->factor)
    c->nrank1 = mi_factor_set_rank1(solver->factor, c->rank1, c->nrank1, solver->host.threads);
  for (int k = 0, taken = 0; k < c->nheld && taken < c->nrank1; k++) {
    c->row[k].in_matrix = !memcmp(c->rank1[taken].vert, c->row[k].vert, sizeof c->row[k].vert) &&
                          c->rank1[taken].weight == c->row[k].weight;
    taken += c->row[k].in_matrix;
  }
  if (!solver->factor) sweep_rows(c, solver);
}

// -- Which contacts get a row ---------------------------------------------------------------------

static int compare_distances(const void *a, const void *b) {
  const mi_contact *x = a, *y = b;
  if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
  int order = memcmp(x->vert, y->vert, sizeof x->vert);
  return order ? order : x->is_edges - y->is_edges;
}

static int compare_nearest(const void *a, const void *b) {
  const mi_nearest *x = a, *y = b;
  if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
  return compare_distances(x->contact, y->contact);
}

// Does a row at this vertex, kept before, push it nearly the same way?
static bool is_said(const mi_contacts *c, const mi_contact *contact, int k) {
  double sign = contact->coef[k] < 0 ? -1 : 1;
  for (int at = c->first_kept[contact->vert[k]]; at >= 0; at = c->next_kept[at]) {
    const mi_contact *kept = c->active.contact + at / 4;
    double other = kept->coef[at % 4] < 0 ? -1 : 1, along = 0;
    for (int i = 0; i < 3; i++) along += sign * contact->normal[i] * other * kept->normal[i];
    if (along > 0.85) return true;
  }
  return false;
}

// Pairs around one place say nearly the same, and the matrix costs the cube of their number. From
// the closest on, a contact is kept when one of the vertices that carry it is not pushed that way
// yet. The bound knows all pairs.
static bool is_new(const mi_contacts *c, const mi_contact *contact) {
  for (int i = 0; i < 4; i++)
    if (fabs(contact->coef[i]) > 0.3 && contact->vert[i] < c->nsoft && !is_said(c, contact, i))
      return true;
  return false;
}

static void keep(mi_contacts *c, const mi_contact *contact) {
  int at = (int)(contact - c->active.contact);
  for (int i = 0; i < 4; i++) {
    if (!(fabs(contact->coef[i]) > 0.3)) continue;
    c->next_kept[4 * at + i] = c->first_kept[contact->vert[i]];
    c->first_kept[contact->vert[i]] = 4 * at + i;
  }
}

// Few of thousands are kept: the list is ordered by what is small, and contacts move at the end.
static void choose_rows(mi_contacts *c) {
  mi_active *active = &c->active;
  for (int k = 0; k < active->count; k++)
    c->nearest[k] = (mi_nearest){active->contact[k].distance, active->contact + k};
  qsort(c->nearest, (size_t)active->count, sizeof *c->nearest, compare_nearest);
  for (int i = 0; i < c->nvert; i++) c->first_kept[i] = -1;
  int kept = 0;
  for (int k = 0; k < active->count; k++) {
    mi_contact *contact = c->nearest[k].contact;
    contact->is_kept = is_new(c, contact);
    if (contact->is_kept) keep(c, contact);
  }
  for (int k = 0; k < active->count; k++)
    if (active->contact[k].is_kept) active->contact[kept++] = active->contact[k];
  active->count = kept;
  qsort(active->contact, (size_t)kept, sizeof *active->contact, compare_distances);
}

void mi_contacts_find_rows(mien_state *state, const mien_input *input, const mien_step_opts *opts) {
  mi_contacts *c = state->contacts;
  mi_solver *solver = state->solver;
  double start = mi_clock();
  rows w = rows_of(state, input, opts);
  mi_contacts_find_active(c, c->x_free, c->reach, solver->host.threads);
  mi_active_merge(&c->active);
  find_depths(c);
  choose_rows(c);
  memcpy(c->x_rows, c->x_free, 3 * (size_t)c->nvert * sizeof *c->x_rows);
  c->nrow = c->npushed = 0;
  for (int k = 0; k < c->active.count; k++) add_row(&w, c->active.contact + k, true);
  c->nheld = c->nrow;
  for (int k = 0; k < c->active.count; k++) add_row(&w, c->active.contact + k, false);
  share_stiffness(c, solver, true);
  set_rank1(c, solver);
  state->info.seconds_contact += mi_clock() - start;
}

// Friction as the barrier presses at the start of the step (Li et al. 2020, section 5: lagged).
void mi_contacts_find_friction(mien_state *state, const mien_input *input,
                               const mien_step_opts *opts, const mi_barrier *barrier) {
  mi_contacts *c = state->contacts;
  rows w = rows_of(state, input, opts);
  c->nrow = c->nheld = 0;
  for (int k = 0; k < c->active.count && opts->friction > 0; k++) {
    const mi_contact *contact = c->active.contact + k;
    if (!has_friction(&w, contact) || c->nrow == c->most) continue;
    double slope = mi_barrier_at(contact->distance - (double)contact->offset, barrier->d_hat).first;
    mi_row *row = c->row + c->nrow;
    *row = row_of(&w, contact);
    row->gap = -INFINITY;
    row->limit = (float)(opts->friction * barrier->kappa * (double)contact->area * fabs(slope));
    row->friction_stiffness = own_stiffness(w.solver, row);
    c->nrow += row->limit > 0 && row->friction_stiffness > 0;
  }
  share_stiffness(c, state->solver, false);
}

// -- Energy ---------------------------------------------------------------------------------------

// A plane pushes one way only. Returns the energy; `force` is its derivative by `off`.
static double push_plane(const mi_row *row, const float off[3], float force[3]) {
  float along = 0;
  for (int k = 0; k < 3; k++) along += row->normal[k] * off[k];
  float depth = fmaxf(0, row->gap - along);
  for (int k = 0; k < 3; k++) force[k] = -row->weight * depth * row->normal[k];
  return 0.5 * (double)row->weight * depth * depth;
}

// Friction holds like a spring until it slides. Its force is added.
static double push_friction(const mi_row *row, const float off[3], float force[3]) {
  float slip[3], slip2 = 0, slipped = 0;
  if (!(row->limit > 0)) return 0;
  for (int k = 0; k < 3; k++) slipped += row->normal[k] * (off[k] - row->start[k]);
  for (int k = 0; k < 3; k++) {
    slip[k] = off[k] - row->start[k] - slipped * row->normal[k];
    slip2 += slip[k] * slip[k];
  }
  float far = sqrtf(slip2), stiffness = row->friction_stiffness;
  bool slides = far * stiffness > row->limit;
  for (int k = 0; k < 3; k++) force[k] += (slides ? row->limit / far : stiffness) * slip[k];
  return slides ? (double)row->limit * ((double)far - 0.5 * (double)(row->limit / stiffness))
                : 0.5 * (double)stiffness * (double)slip2;
}

static void offset_of(const mi_row *row, const float *x, float off[3]) {
  memcpy(off, row->fixed, sizeof row->fixed);
  for (int j = 0; j < 4 && row->vert[j] >= 0; j++)
    for (int k = 0; k < 3; k++) off[k] += row->coef[j] * x[4 * (size_t)row->vert[j] + (size_t)k];
}

static void add_force(const mi_row *row, const float force[3], float sign, float *gradient) {
  for (int j = 0; j < 4 && row->vert[j] >= 0; j++)
    for (int k = 0; k < 3; k++)
      gradient[4 * (size_t)row->vert[j] + (size_t)k] += sign * row->coef[j] * force[k];
}

double mi_contacts_add_held(const mi_contacts *c, const float *x, float *gradient) {
  double energy = 0;
  for (int r = 0; r < c->nheld; r++) {
    const mi_row *row = c->row + r;
    float off[3], force[3];
    if (!row->in_matrix) continue;
    offset_of(row, x, off);
    energy += push_plane(row, off, force);
    add_force(row, force, 1, gradient);
  }
  return energy;
}

double mi_contacts_add_loose(const mi_contacts *c, const float *x, float sign, float *gradient) {
  double energy = 0;
  for (int r = 0; r < c->nrow; r++) {
    const mi_row *row = c->row + r;
    float off[3], force[3] = {0, 0, 0};
    offset_of(row, x, off);
    if (!row->in_matrix) energy += push_plane(row, off, force);
    energy += push_friction(row, off, force);
    add_force(row, force, sign, gradient);
  }
  return energy;
}

double mi_contacts_add_rows(const mi_contacts *c, const float *x, float *gradient) {
  return mi_contacts_add_held(c, x, gradient) + mi_contacts_add_loose(c, x, 1, gradient);
}

// -- The law --------------------------------------------------------------------------------------

// Have vertices moved by more than `most` since rows were found?
static bool is_away(const mi_contacts *c, float most) {
  for (int i = 0; i < 3 * c->nvert; i++)
    if (!(fabsf(c->x_free[i] - c->x_rows[i]) < most)) return true;
  return false;
}

// Have two places in contact moved by more than `most` against each other since then?
static bool is_shifted(const mi_contacts *c, double most) {
  for (int k = 0; k < c->active.count; k++) {
    const mi_contact *contact = c->active.contact + k;
    mi_vec3 way = mi_sub(combine(contact, c->x_free), combine(contact, c->x_rows));
    if (!(mi_dot(way, way) < most * most)) return true;
  }
  return false;
}

// Rows are found anew when the bound had to change much, and every few iterations, as long as what
// is in contact shifts. Motion that both sides have in common changes no row.
static bool prepare(mi_descent *d) {
  enum { OFTEN = 3, MOST = 4 };
  mi_contacts *c = d->state->contacts;
  double most = c->reach / 8; // a quarter of the thickness
  bool is_cut = d->nmoved > c->nsoft / 100;
  if (d->nprepared && (d->nprepared >= MOST || (!is_cut && d->iteration % OFTEN))) return false;
  if (d->nprepared && !(is_cut ? is_away(c, (float)most) : is_shifted(c, most))) return false;
  if (d->nprepared) mi_contacts_add_loose(c, d->solver->x, -1, d->solver->gradient);
  mi_contacts_find_rows(d->state, d->input, d->opts);
  d->nprepared++;
  d->rank1 = c->rank1, d->nrank1 = c->nrank1, d->stretch = c->stretch;
  return true;
}

static double push(mi_descent *d, const float *x, const float *position, float *total) {
  (void)position; // rows are between vertices of the flesh
  return mi_contacts_add_held(d->state->contacts, x, total);
}

const mi_contact_law mi_contact_planes = {.prepare = prepare, .push = push};
