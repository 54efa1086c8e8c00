// Springs of lips that stick or are sealed.
#include "solve/contacts.h"

#include <math.h>
#include <string.h>

// A film between lips pulls like so much flesh between them, of the vertex's area: a share of the
// face's size, the depth of a lip. (The matrix knows no such depth: beside a bone or a sliver its
// diagonal is a hundred times that of the lip around it, and such a spring would never break.)
static const float FILM = 0.05f;
static const double PI = 3.14159265358979323846;

typedef struct springs {
  const mien_face *face;
  mi_contacts *contacts;
  const mi_solver *solver;
  const mien_input *input;
  double sticky, l0; // m, where springs begin to break
} springs;

static bool is_sealed(const springs *w, int soft) {
  float along = w->contacts->along[soft];
  double left = w->input->seal_left, right = w->input->seal_right;
  double seal = along > 0 ? left : right;
  if (fabsf(along) > 0.999f) seal = fmax(left, right); // the middle belongs to both
  return w->contacts->partner[soft].corner[0] >= 0 && seal > 0 && fabsf(along) <= (float)seal;
}

// A film that has to be pulled open, N / m. It is no wider than it can be drawn out: a vertex whose
// triangles reach down the mouth bag does not stick with all of them.
static float film_stiffness(const springs *w, int soft) {
  const mi_contacts *c = w->contacts;
  float area = fminf(c->surface->vert_area[soft], (float)(PI * w->l0 * w->l0));
  float modulus = (float)(w->sticky * w->face->stiffness);
  return c->strength[soft] * modulus * area / (FILM * w->face->skin.size);
}

// A seal is stiffer than the flesh around it: lips stay together whatever they do.
static float seal_stiffness(const springs *w, const mi_lowrank *spring) {
  const mi_solver *s = w->solver;
  float sum = 0;
  for (int k = 0; k < 4; k++) {
    float own = s->diagonal[spring->vert[k]] - s->inertia[spring->vert[k]];
    sum += fabsf(spring->coef[k]) * own;
  }
  return 2 * sum; // four times the mean of both sides, whose shares are 1
}

static void add_spring(const springs *w, int soft, const mi_stick *stick, bool is_seal) {
  mi_contacts *c = w->contacts;
  mi_lowrank *spring = c->spring + c->nspring;
  const int32_t *place = w->solver->iperm;
  *spring = (mi_lowrank){.vert = {place[c->flesh[soft]]}, .coef = {1}};
  for (int k = 0; k < 3; k++) {
    spring->vert[1 + k] = place[c->flesh[stick->corner[k]]];
    spring->coef[1 + k] = -stick->coef[k];
  }
  spring->weight = is_seal ? seal_stiffness(w, spring) : film_stiffness(w, soft);
  memset(c->spring_target + 3 * (size_t)c->nspring, 0, 3 * sizeof *c->spring_target);
  if (!(spring->weight > 0)) return;
  c->is_sprung[soft] = true;
  for (int k = 0; k < 3; k++) c->is_sprung[stick->corner[k]] = true;
  c->nspring++;
}

void mi_contacts_find_springs(mien_state *state, const mien_input *input,
                              const mien_step_opts *opts) {
  mi_contacts *c = state->contacts;
  mi_solver *solver = state->solver;
  double l0 = mi_contact_lengths_of(state, opts).l0;
  springs w = {state->face, c, solver, input, opts->sticky, l0};
  c->nspring = 0;
  memset(c->is_sprung, 0, (size_t)c->nvert * sizeof *c->is_sprung);
  for (int i = 0; i < c->nsoft; i++) {
    bool sealed = is_sealed(&w, i);
    const mi_stick *stick = sealed ? c->partner + i : state->dynamics.stick + i;
    if (stick->corner[0] < 0 || (!sealed && opts->sticky == 0)) continue;
    add_spring(&w, i, stick, sealed);
  }
  int count = c->nspring;
  if (solver->factor && count > mi_factor_most_lowrank(solver->factor))
    count = mi_factor_most_lowrank(solver->factor); // the rest stays in the energy
  solver->lowrank_rows = (mi_lowrank_rows){c->spring, count};
  solver->nmore = c->nspring - count;
  solver->pull_target = c->spring_target;
  if (solver->factor)
    mi_factor_set_lowrank(solver->factor, &solver->lowrank_rows, solver->host.threads);
}

bool mi_contacts_has_springs(const mien_state *state, const mien_input *input,
                             const mien_step_opts *opts) {
  const mi_contacts *c = state->contacts;
  springs w = {.contacts = state->contacts, .input = input};
  for (int i = 0; i < c->nsoft; i++) {
    bool sticks = opts->sticky > 0 && state->dynamics.stick[i].corner[0] >= 0;
    if (sticks || is_sealed(&w, i)) return true;
  }
  return false;
}
