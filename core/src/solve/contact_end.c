// After a substep: sticky springs age and form, contacts are counted, colliders are remembered.
#include "solve/contacts.h"

#include "math/vec.h"

#include <math.h>
#include <string.h>

static double length_of(const mi_contacts *c, int vert, const mi_stick *stick) {
  mi_vec3 off = mi_vec3_load(c->x_free + 3 * (size_t)vert);
  for (int k = 0; k < 3; k++)
    off = mi_add_scaled(off, (double)-stick->coef[k],
                        mi_vec3_load(c->x_free + 3 * (size_t)stick->corner[k]));
  return mi_length(off);
}

static void age_springs(mien_state *state, const mien_step_opts *opts, double l0) {
  const mi_contacts *c = state->contacts;
  for (int i = 0; i < c->nsoft; i++) {
    mi_stick *stick = state->dynamics.stick + i;
    if (stick->corner[0] < 0) {
      stick->time_since_break = fminf(1e6f, stick->time_since_break + (float)opts->dt);
      continue;
    }
    bool broke = mi_stick_age(stick, length_of(c, i, stick), l0, opts->humidity, opts->dt);
    state->info.nbroken += broke;
    state->info.nstuck += !broke;
  }
}

// A vertex at a triangle of skin, and nothing it sticks to yet.
static bool can_stick(const mien_state *state, const mien_step_opts *opts,
                      const mi_contact *contact) {
  const mi_contacts *c = state->contacts;
  for (int k = 0; k < 4; k++)
    if (contact->vert[k] >= c->nsoft) return false;
  const mi_stick *stick = state->dynamics.stick + contact->vert[0];
  return !contact->is_edges && stick->corner[0] < 0 && c->strength[contact->vert[0]] > 0 &&
         (double)stick->time_since_break >= opts->stick_delay;
}

static void form_spring(mien_state *state, const mien_step_opts *opts, const mi_contact *contact) {
  mi_stick made = {.time_since_break = 0};
  uint32_t vert = (uint32_t)contact->vert[0];
  for (int k = 0; k < 3; k++) {
    made.corner[k] = contact->vert[1 + k];
    made.coef[k] = (float)-contact->coef[1 + k];
  }
  made.limit = mi_stick_draw_limit(opts->seed, (uint32_t)state->dynamics.nstep, vert);
  state->dynamics.stick[vert] = made;
  state->info.nstuck++;
}

// Many pairs stand for one place. Only the nearest triangle of each vertex is counted and sticks,
// and edges that are closer than their ends are to anything.
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

// A collider that flesh holds up may lag a little behind where it is wanted. One that is far away
// goes there all the same; what it crosses meets nothing until it is free again.
static void remember_colliders(mi_contacts *c, mi_dynamics *dynamics) {
  float *farthest = c->deepest; // of a component; free after the descent
  for (int k = 0; k < c->ncomponent; k++) farthest[k] = 0;
  for (int i = 3 * c->nsoft; i < 3 * c->nvert; i++) {
    float *most = farthest + c->component[i / 3], lag = fabsf(c->pose[i] - c->x_free[i]);
    if (!(lag <= *most)) *most = lag;
  }
  for (int i = 3 * c->nsoft; i < 3 * c->nvert; i++) {
    bool is_far = !(farthest[c->component[i / 3]] < (float)c->stride);
    dynamics->obstacle[i - 3 * c->nsoft] = (is_far ? c->pose[i] : c->x_free[i]) - c->shift[i];
  }
}

void mi_contacts_end(mien_state *state, const mien_step_opts *opts) {
  mi_contacts *c = state->contacts;
  mien_state_info *info = &state->info;
  double start = mi_clock();
  mi_contact_lengths lengths = mi_contact_lengths_of(state, opts);
  double thickness = lengths.thickness, reach = 1.25 * thickness;
  age_springs(state, opts, lengths.l0);
  mi_contacts_find_active(c, c->x_free, reach, state->host.threads);
  choose_contacts(c);
  for (int k = 0; k < c->active.count; k++) {
    const mi_contact *contact = c->active.contact + k;
    if (contact->distance > mi_contacts_rest_gap(c, contact, thickness) + 0.25 * thickness)
      continue;
    if (!info->ncontact || contact->distance < info->least_gap) info->least_gap = contact->distance;
    info->ncontact++;
    if (opts->sticky > 0 && can_stick(state, opts, contact)) form_spring(state, opts, contact);
  }
  remember_colliders(c, &state->dynamics);
  info->seconds_contact += mi_clock() - start;
}
