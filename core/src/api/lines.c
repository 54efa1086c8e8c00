#include "api/lines.h"

#include "math/vec.h"
#include "solve/contacts.h"

typedef struct writer {
  mien_line *lines;
  int count, most;
} writer;

static void write_line(writer *w, mien_line_kind kind, mi_vec3 from, mi_vec3 to, float value) {
  if (w->count < w->most) {
    mien_line *line = w->lines + w->count;
    line->kind = kind;
    line->value = value;
    mi_vec3_store(line->from, from);
    mi_vec3_store(line->to, to);
  }
  w->count++;
}

// A vertex of the contact surface: skin is where the flesh is, colliders are where they were put.
static mi_vec3 position_of(const mien_state *state, int vert) {
  const mi_contacts *c = state->contacts;
  const float *at = vert < c->nsoft ? state->flesh + 3 * (size_t)c->flesh[vert]
                                    : state->dynamics.obstacle + 3 * (size_t)(vert - c->nsoft);
  return mi_vec3_load(at);
}

static void write_contacts(writer *w, const mien_state *state) {
  const mi_contacts *c = state->contacts;
  for (int k = 0; k < c->active.count; k++) {
    const mi_contact *contact = c->active.contact + k;
    mi_vec3 side[2] = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < 4; i++) {
      int other = contact->coef[i] < 0;
      double share = other ? -contact->coef[i] : contact->coef[i];
      side[other] = mi_add_scaled(side[other], share, position_of(state, contact->vert[i]));
    }
    write_line(w, MIEN_LINE_CONTACT, side[0], side[1], (float)contact->distance);
  }
}

static void write_springs(writer *w, const mien_state *state) {
  for (int i = 0; i < state->contacts->nsoft; i++) {
    const mi_stick *stick = state->dynamics.stick + i;
    if (stick->corner[0] < 0) continue;
    mi_vec3 to = {0, 0, 0};
    for (int k = 0; k < 3; k++)
      to = mi_add_scaled(to, (double)stick->coef[k], position_of(state, stick->corner[k]));
    float worn = stick->limit > 0 ? stick->strain / stick->limit : 0;
    write_line(w, MIEN_LINE_STICKY, position_of(state, i), to, worn);
  }
}

static void write_attachments(writer *w, const mien_state *state) {
  const mi_solver *solver = state->solver;
  for (int i = 0; i < solver->nvert; i++) {
    int place = solver->iperm[i];
    if (!(solver->attach_stiffness[place] > 0) || !(state->face->attachment[i] > 0)) continue;
    write_line(w, MIEN_LINE_ATTACHMENT, mi_vec3_load(solver->anchor + 4 * (size_t)place),
               mi_vec3_load(state->flesh + 3 * (size_t)i), state->face->attachment[i]);
  }
}

int mi_state_lines(const mien_state *state, unsigned kinds, mien_line *lines, int most) {
  writer w = {.lines = lines, .most = most};
  // without a contact in the last step the list is that of an earlier one
  bool touches = state->contacts && state->info.ncontact > 0;
  if (touches && (kinds & 1u << MIEN_LINE_CONTACT)) write_contacts(&w, state);
  if (state->contacts && (kinds & 1u << MIEN_LINE_STICKY)) write_springs(&w, state);
  if (state->solver && state->info.nstep > 0 && (kinds & 1u << MIEN_LINE_ATTACHMENT))
    write_attachments(&w, state);
  return w.count;
}
