// From what touches and sticks to rows of the solver.
#include "solve/contacts.h"

#include "math/vec.h"

#include <math.h>
#include <string.h>

// A contact is so much stiffer than the flesh around it: 5 % of an overlap remains, less than the
// thickness that is kept.
static const float STIFFER = 20;

typedef struct rows {
  mi_contacts *contacts;
  const mi_solver *solver;
  const mien_input *input;
  const mien_step_opts *opts;
  const mi_stick *stick;
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
                .stick = state->moving.stick,
                .lengths = mi_contact_lengths_of(state, opts)};
}

// -- A row ----------------------------------------------------------------------------------------

typedef struct row { // r = sum coef x
  int32_t vert[4];
  float coef[4];
} row;

static mi_vec3 apart(const row *r, const float *position) {
  mi_vec3 sum = {0, 0, 0};
  for (int k = 0; k < 4; k++)
    sum = mi_add_scaled(sum, r->coef[k], mi_vec3_load(position + 3 * (size_t)r->vert[k]));
  return sum;
}

static row row_of_stick(int vert, const mi_stick *stick) {
  const int32_t *v = stick->corner;
  const float *c = stick->coef;
  return (row){{vert, v[0], v[1], v[2]}, {1, -c[0], -c[1], -c[2]}};
}

static row row_of_contact(const mi_contact *contact) {
  row r;
  for (int k = 0; k < 4; k++) r.vert[k] = contact->vert[k], r.coef[k] = (float)contact->coef[k];
  return r;
}

// The row in the solver's order; what is rigid goes into the target, from where it is to go.
static void set_row(const rows *w, int at, const row *r) {
  mi_contacts *c = w->contacts;
  mi_pull *pull = c->pull + at;
  mi_vec3 fixed = {0, 0, 0};
  int count = 0;
  *pull = (mi_pull){.vert = {-1, -1, -1, -1}};
  for (int k = 0; k < 4; k++) {
    int v = r->vert[k];
    if (v >= c->nsoft) {
      fixed = mi_add_scaled(fixed, r->coef[k], mi_vec3_load(c->wanted + 3 * (size_t)v));
    } else if (r->coef[k] != 0) {
      pull->vert[count] = w->solver->place[c->flesh[v]];
      pull->coef[count++] = r->coef[k];
    }
  }
  mi_vec3_store(c->target + 3 * (size_t)at, mi_scale(-1, fixed));
  c->rule[at] = (mi_rule){.gap = 0};
}

// Stiffness of the flesh at a row, N / m: with what holds it still, or without its inertia.
static float stiffness_at(const rows *w, int at, bool with_inertia) {
  const mi_pull *pull = w->contacts->pull + at;
  float sum = 0, share = 0;
  for (int k = 0; k < 4 && pull->vert[k] >= 0; k++) {
    int v = pull->vert[k];
    float own = w->solver->diagonal[v] - (with_inertia ? 0 : w->solver->inertia[v]);
    sum += fabsf(pull->coef[k]) * own;
    share += fabsf(pull->coef[k]);
  }
  return share > 0 ? sum / share : 0;
}

// -- Springs --------------------------------------------------------------------------------------

static bool is_sealed(const rows *w, int soft) {
  float along = w->contacts->along[soft];
  double left = w->input->seal_left, right = w->input->seal_right;
  double seal = along > 0 ? left : right;
  if (fabsf(along) > 0.999f) seal = fmax(left, right); // the middle belongs to both
  return w->contacts->home[soft].corner[0] >= 0 && seal > 0 && fabsf(along) <= (float)seal;
}

static void add_springs(const rows *w) {
  mi_contacts *c = w->contacts;
  for (int i = 0; i < c->nsoft; i++) {
    bool sealed = is_sealed(w, i);
    const mi_stick *stick = sealed ? c->home + i : w->stick + i;
    if (stick->corner[0] < 0 || (!sealed && w->opts->sticky == 0)) continue;
    row r = row_of_stick(i, stick);
    set_row(w, c->nrow, &r);
    float strength = sealed ? 4 : 0.05f * (float)w->opts->sticky * c->strength[i];
    c->pull[c->nrow].weight = strength * stiffness_at(w, c->nrow, false);
    c->nrow += c->pull[c->nrow].weight > 0;
  }
}

bool mi_contacts_has_springs(const mien_state *state, const mien_input *input,
                             const mien_step_opts *opts) {
  const mi_contacts *c = state->contacts;
  rows w = {.contacts = state->contacts, .input = input};
  for (int i = 0; i < c->nsoft; i++) {
    bool sticks = opts->sticky > 0 && state->moving.stick[i].corner[0] >= 0;
    if (sticks || is_sealed(&w, i)) return true;
  }
  return false;
}

// -- Planes ---------------------------------------------------------------------------------------

// What is closer in the neutral keeps what it has. (NAN: a collider without a neutral.)
static double wanted_gap(const rows *w, const row *r) {
  double room = 0.9 * mi_length(apart(r, w->contacts->rest));
  return room < w->lengths.thickness ? room : w->lengths.thickness;
}

// Where the artist's pose has the two sides, along the normal of where they are.
static double posed_along(const rows *w, const row *r, const mi_contact *contact) {
  const mi_contacts *c = w->contacts;
  double along = 0;
  for (int k = 0; k < 4; k++) {
    int v = r->vert[k];
    const float *at = v < c->nsoft ? w->solver->posed + 4 * (size_t)w->solver->place[c->flesh[v]]
                                   : c->wanted + 3 * (size_t)v;
    for (int i = 0; i < 3; i++) along += (double)r->coef[k] * contact->normal[i] * (double)at[i];
  }
  return along;
}

static bool is_posed_across(const mi_contacts *c, const row *r) {
  return c->is_posed_across[c->piece[r->vert[0]]] || c->is_posed_across[c->piece[r->vert[3]]];
}

// In the part of the factor that takes bars? A stiff plane that is not in the matrix would spoil
// the descent of everything else; a soft one is enough for the few contacts outside (lids on eyes),
// which cannot go through either.
static bool is_inside(const rows *w, int at) {
  const mi_pull *pull = w->contacts->pull + at;
  for (int k = 0; k < 4 && pull->vert[k] >= 0; k++)
    if (w->solver->factor && pull->vert[k] < w->solver->nfront) return false;
  return true;
}

static void add_plane(const rows *w, const mi_contact *contact, bool pushing) {
  mi_contacts *c = w->contacts;
  row r = row_of_contact(contact);
  double gap = wanted_gap(w, &r);
  bool is_across = is_posed_across(c, &r);
  // what the artist's pose brings closer, but not across, may come so close
  if (!is_across) gap = fmin(gap, 0.9 * fmax(0, posed_along(w, &r, contact)));
  int at = c->nrow;
  // Bars leave sliding free, so planes that may push before long can be in the matrix, too: the
  // line search then hardly ever has to go back (2.7 evaluations an iteration become 1). In the way
  // of what parts they would be a brake. Sweeps take whole pulls, which would glue.
  bool comes = (is_across || c->nspring > 0) && w->solver->factor && contact->distance < 2 * gap;
  if ((contact->distance < gap || comes) != pushing) return;
  set_row(w, at, &r);
  float own = stiffness_at(w, at, true), weight = (is_inside(w, at) ? STIFFER : 1) * own;
  if (!(weight > 0)) return;
  mi_rule *rule = c->rule + at;
  for (int k = 0; k < 3; k++) rule->normal[k] = (float)contact->normal[k];
  rule->gap = (float)gap;
  // teeth and eyes are wet
  bool skin_only = true;
  for (int k = 0; k < 4; k++) skin_only &= r.vert[k] < c->nsoft;
  float friction = skin_only ? (float)w->opts->friction : 0;
  rule->drag = friction * weight * fmaxf(0, (float)(gap - contact->distance));
  rule->grip = own;
  mi_vec3_store(rule->start, apart(&r, c->before));
  c->pull[at].weight = weight;
  c->npushed += contact->distance < gap;
  c->nrow++;
}

// Of the many pairs around one place only those that say something new are counted and stick: the
// nearest triangle of each vertex, and edges that cross closer than their ends come to anything.
static void choose_contacts(mi_contacts *c) {
  mi_active *active = &c->active;
  float *least = c->least;
  for (int i = 0; i < c->nvert; i++) least[i] = INFINITY;
  for (int k = 0; k < active->count; k++) {
    const mi_contact *contact = active->contact + k;
    if (contact->is_edges) continue;
    for (int i = 0; i < 4; i++)
      if (i == 0 || contact->coef[i] < -0.3)
        least[contact->vert[i]] = fminf(least[contact->vert[i]], (float)contact->distance);
  }
  int kept = 0;
  for (int k = 0; k < active->count; k++) {
    const mi_contact *contact = active->contact + k;
    float distance = (float)contact->distance, ends = INFINITY;
    for (int i = 0; i < 4; i++) ends = fminf(ends, least[contact->vert[i]]);
    bool keep = contact->is_edges ? contact->support == 15 && distance < ends
                                  : distance <= least[contact->vert[0]];
    if (keep) active->contact[kept++] = *contact;
  }
  active->count = kept;
}

// Pairs around one place say nearly the same, and making a matrix of them grows with the cube of
// their number: for a single iteration, some of them from everywhere are as good as twice as many.
static int choose_bars(mi_contacts *c, int count) {
  enum { FEW = 256 };
  if (!c->is_hurried || count <= FEW) return count;
  for (int64_t k = 0; k < FEW; k++) c->bar[k] = c->bar[k * count / FEW];
  return FEW;
}

// Into the factor springs go as pulls, planes as bars; sweeps know pulls only. What does not fit
// stays in the energy.
static void hand_over(mi_contacts *c, mi_solver *solver) {
  int count = solver->factor ? c->nspring : c->nheld;
  if (solver->factor && count > mi_factor_most_pulls(solver->factor))
    count = mi_factor_most_pulls(solver->factor);
  solver->pulls = (mi_pulls){c->pull, count};
  solver->nmore = c->nrow - count;
  solver->pull_target = c->target;
  solver->pull_rule = c->rule;
  if (!solver->factor) return;
  for (int k = c->nspring; k < c->nheld; k++) {
    mi_bar *bar = c->bar + k - c->nspring;
    bar->weight = c->pull[k].weight;
    for (int i = 0; i < 4; i++) {
      bar->vert[i] = c->pull[k].vert[i];
      for (int a = 0; a < 3; a++) bar->vector[i][a] = c->pull[k].coef[i] * c->rule[k].normal[a];
    }
  }
  mi_factor_set_pulls(solver->factor, &solver->pulls, solver->host.threads);
  mi_factor_set_bars(solver->factor, c->bar, choose_bars(c, c->nheld - c->nspring),
                     solver->host.threads);
}

// Friction is not in the matrix: together the rows of a vertex may be no stiffer than its flesh.
// With `weights` its planes, too, are together as stiff as one: pairs that come and go at the edge
// of reach then change nothing at once.
static void spread(mi_contacts *c, const mi_solver *solver, bool weights) {
  float *count = c->least;
  for (int i = 0; i < c->nsoft; i++) count[i] = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int k = c->nspring; k < c->nrow; k++) {
      float most = 1;
      for (int v = 0; v < 4 && c->pull[k].vert[v] >= 0; v++) {
        float *own = count + c->soft[solver->order[c->pull[k].vert[v]]];
        *own += pass ? 0 : fabsf(c->pull[k].coef[v]);
        most = fmaxf(most, *own);
      }
      if (pass) c->rule[k].grip /= 2 * most;
      if (pass && weights) c->pull[k].weight /= most;
    }
}

void mi_contacts_find(mien_state *state, const mien_input *input, const mien_step_opts *opts) {
  mi_contacts *c = state->contacts;
  mi_solver *solver = state->solver;
  double start = mi_clock();
  rows w = rows_of(state, input, opts);
  mi_active_find(&c->active, c->surface, &c->near, c->safe, 2 * w.lengths.thickness,
                 solver->host.threads);
  mi_contacts_add_folds(c);
  c->nrow = c->npushed = 0;
  add_springs(&w);
  c->nspring = c->nrow; // planes ask for it
  for (int k = 0; k < c->active.count; k++) add_plane(&w, c->active.contact + k, true);
  c->nheld = c->nrow;
  for (int k = 0; k < c->active.count; k++) add_plane(&w, c->active.contact + k, false);
  spread(c, solver, true);
  hand_over(c, solver);
  state->info.seconds_contact += mi_clock() - start;
}

// Friction as the barrier presses at the start of the step (Li et al. 2020, section 5: lagged).
static void add_friction(const rows *w, const mi_contact *contact, const mi_barrier *barrier) {
  mi_contacts *c = w->contacts;
  row r = row_of_contact(contact);
  int at = c->nrow;
  for (int k = 0; k < 4; k++)
    if (r.vert[k] >= c->nsoft) return;
  double slope = mi_barrier_at(contact->distance - (double)contact->offset, barrier->d_hat).first;
  set_row(w, at, &r);
  mi_rule *rule = c->rule + at;
  for (int k = 0; k < 3; k++) rule->normal[k] = (float)contact->normal[k];
  rule->gap = -INFINITY;
  rule->drag = (float)(w->opts->friction * barrier->kappa * (double)contact->area * fabs(slope));
  rule->grip = stiffness_at(w, at, true);
  mi_vec3_store(rule->start, apart(&r, c->before));
  if (rule->drag > 0 && rule->grip > 0) c->nrow++;
}

void mi_contacts_find_springs(mien_state *state, const mien_input *input,
                              const mien_step_opts *opts, const mi_barrier *barrier) {
  mi_contacts *c = state->contacts;
  rows w = rows_of(state, input, opts);
  c->nrow = 0;
  add_springs(&w);
  c->nspring = c->nheld = c->nrow;
  mi_active_find(&c->active, c->surface, &c->near, c->safe, barrier->d_hat,
                 state->solver->host.threads);
  for (int k = 0; k < c->active.count && opts->friction > 0; k++)
    add_friction(&w, c->active.contact + k, barrier);
  spread(c, state->solver, false);
  hand_over(c, state->solver);
}

// -- After the step -------------------------------------------------------------------------------

static void age_springs(mien_state *state, const rows *w) {
  mi_contacts *c = w->contacts;
  for (int i = 0; i < c->nsoft; i++) {
    mi_stick *stick = state->moving.stick + i;
    if (stick->corner[0] < 0) {
      stick->alone = fminf(1e6f, stick->alone + (float)w->opts->dt);
      continue;
    }
    row r = row_of_stick(i, stick);
    double length = mi_length(apart(&r, c->safe));
    bool broke = mi_stick_age(stick, length, w->lengths.l0, w->opts->humidity, w->opts->dt);
    state->info.nbroken += broke;
    state->info.nstuck += !broke;
  }
}

// A vertex at a triangle of skin, and nothing it sticks to yet.
static bool can_stick(const mien_state *state, const rows *w, const mi_contact *contact) {
  const mi_contacts *c = w->contacts;
  for (int k = 0; k < 4; k++)
    if (contact->vert[k] >= c->nsoft) return false;
  const mi_stick *stick = state->moving.stick + contact->vert[0];
  return !contact->is_edges && stick->corner[0] < 0 && c->strength[contact->vert[0]] > 0 &&
         (double)stick->alone >= w->opts->stick_delay;
}

static void form_spring(mien_state *state, const rows *w, const mi_contact *contact) {
  mi_stick made = {.alone = 0};
  uint32_t vert = (uint32_t)contact->vert[0];
  for (int k = 0; k < 3; k++) {
    made.corner[k] = contact->vert[1 + k];
    made.coef[k] = (float)-contact->coef[1 + k];
  }
  made.limit = mi_stick_draw_limit(w->opts->seed, (uint32_t)state->moving.nstep, vert);
  state->moving.stick[vert] = made;
  state->info.nstuck++;
}

// A collider that flesh holds up may lag a little behind where it is wanted. One that is far away
// goes there all the same: what it crosses then is put right by the next step.
static void force_colliders(mi_contacts *c, mi_moving *moving) {
  bool is_far = false;
  for (int i = 3 * c->nsoft; i < 3 * c->nvert; i++)
    is_far |= !(fabsf(c->wanted[i] - c->safe[i]) < (float)c->stride);
  if (!is_far) return;
  memcpy(c->safe + 3 * (size_t)c->nsoft, c->wanted + 3 * (size_t)c->nsoft,
         3 * (size_t)(c->nvert - c->nsoft) * sizeof *c->safe);
  moving->is_doubtful = true;
}

void mi_contacts_finish(mien_state *state, const mien_step_opts *opts) {
  mi_contacts *c = state->contacts;
  mien_state_info *info = &state->info;
  double start = mi_clock();
  rows w = rows_of(state, NULL, opts);
  age_springs(state, &w);
  mi_active_find(&c->active, c->surface, &c->near, c->safe, 1.25 * w.lengths.thickness,
                 state->solver->host.threads);
  choose_contacts(c);
  for (int k = 0; k < c->active.count; k++) {
    const mi_contact *contact = c->active.contact + k;
    row r = row_of_contact(contact);
    if (contact->distance > wanted_gap(&w, &r) + 0.25 * w.lengths.thickness) continue;
    if (!info->ncontact || contact->distance < info->least_gap) info->least_gap = contact->distance;
    info->ncontact++;
    if (opts->sticky > 0 && can_stick(state, &w, contact)) form_spring(state, &w, contact);
  }
  force_colliders(c, &state->moving);
  memcpy(state->moving.obstacle, c->safe + 3 * (size_t)c->nsoft,
         3 * (size_t)state->moving.nobstacle * sizeof *c->safe);
  info->seconds_contact += mi_clock() - start;
}
