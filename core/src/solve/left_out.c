// Of a coarser simulated skin: what crosses there though nothing does where the camera looks.
//
// Triangles of a coarser lid cut into the eye it closes over; the artist's do not. Pushed apart, a
// pose that crosses nothing would come out wrong. So a piece (lips, a pair of lids) whose coarser
// pose crosses is left out of the flesh's contact while its shown pose does not cross. It stays out
// until its coarser pose is free again: a start that crosses is no safe place, and what crosses on
// the shown skin meanwhile is put apart there (solve/shown.c). Only when that takes more than a
// little the flesh has to give way, and then starts from the neutral.
#include "solve/contacts.h"
#include "solve/embed.h"
#include "solve/shown.h"

#include <math.h>
#include <string.h>

// Of the thickness: so far shown skin may be put apart before the flesh has to help.
static const double A_LITTLE = 2;

struct mi_left_out {
  int32_t *piece; // of the shown surface, for a vertex of the simulated; -1 = not there    (nsoft)
  bool *is_out;   //                                                                        (nvert)
  bool *is_shown; // work space: it crosses where it is shown                              (npiece)
  bool *is_far;   // work space: what is shown of it was put apart by more than a little   (npiece)
  bool *was_far;  // the same of a piece of the shown surface
};

// Both lists ascend.
static void find_pieces(const mien_state *state, struct mi_left_out *l) {
  const mi_contacts *c = state->contacts, *shown = state->shown;
  const mi_embedding *e = &state->face->embedding;
  int at = 0;
  for (int i = 0; i < c->nsoft; i++) {
    int32_t vert = e->skin[c->flesh[i]];
    while (at < e->ntouch && e->touch[at] < vert) at++;
    l->piece[i] = at < e->ntouch && e->touch[at] == vert ? shown->piece[at] : -1;
  }
}

bool mi_left_out_prepare(mien_state *state) {
  mi_arena *arena = &state->arena;
  struct mi_left_out *made = MI_PUSH(arena, struct mi_left_out, 1);
  if (!made) return false;
  made->piece = MI_PUSH(arena, int32_t, state->contacts->nsoft);
  made->is_out = MI_PUSH(arena, bool, state->contacts->nvert);
  made->is_shown = MI_PUSH(arena, bool, state->contacts->npiece);
  made->is_far = MI_PUSH(arena, bool, state->contacts->npiece);
  made->was_far = MI_PUSH(arena, bool, state->shown->npiece);
  if (!made->piece || !made->is_out || !made->is_shown || !made->is_far || !made->was_far)
    return false;
  find_pieces(state, made);
  state->left_out = made;
  return true;
}

// What of the artist's pose crosses where it is shown, and how far it was put apart before, by
// pieces of the simulated surface.
static void look_at_shown(mien_state *state, const mien_input *given, float little) {
  mi_contacts *c = state->contacts, *shown = state->shown;
  struct mi_left_out *l = state->left_out;
  mi_embed_show(state, given); // nothing has moved the rig's skin off its pose yet
  mi_shown_read(state, shown->aim);
  memcpy(shown->aim + 3 * (size_t)shown->nsoft, c->wanted + 3 * (size_t)c->nsoft,
         3 * (size_t)(c->nvert - c->nsoft) * sizeof *c->wanted);
  mi_contacts_cross(shown, shown->aim, state->host.threads, shown->is_hit);
  memset(l->was_far, 0, (size_t)shown->npiece * sizeof *l->was_far);
  for (int i = 0; i < 3 * shown->nsoft; i++)
    l->was_far[shown->piece[i / 3]] |= !(fabsf(state->moving.apart[i]) < little);
  memset(l->is_shown, 0, (size_t)c->npiece * sizeof *l->is_shown);
  memset(l->is_far, 0, (size_t)c->npiece * sizeof *l->is_far);
  for (int i = 0; i < c->nsoft; i++) {
    int at = l->piece[i];
    l->is_shown[c->piece[i]] |= at < 0 || shown->is_hit[at];
    l->is_far[c->piece[i]] |= at >= 0 && l->was_far[at];
  }
}

void mi_left_out_find(mien_state *state, const mien_input *given, const mien_step_opts *opts) {
  mi_contacts *c = state->contacts;
  struct mi_left_out *l = state->left_out;
  if (!l) return;
  double start = mi_clock();
  int threads = state->host.threads, nout = 0;
  mi_broad_leave_out(c->broad, NULL);
  mi_contacts_look_at_pose(state);
  bool crosses = false;
  for (int k = 0; k < c->npiece; k++) crosses |= c->is_posed_across[k];
  if (crosses) {
    look_at_shown(state, given, (float)(A_LITTLE * mi_contact_lengths_of(state, opts).thickness));
    mi_contacts_cross(c, c->before, threads, c->is_hit);
    bool was_on = !state->moving.is_doubtful; // so that what crosses was left out
    for (int i = 0; i < c->nsoft; i++) {
      int at = c->piece[i];
      bool stays = was_on && c->is_hit[at] && !l->is_far[at];
      l->is_out[i] = c->is_posed_across[at] && (!l->is_shown[at] || stays);
      state->moving.is_doubtful |= c->is_hit[at] && !l->is_out[i];
      nout += l->is_out[i];
    }
  }
  if (nout) mi_broad_leave_out(c->broad, l->is_out);
  state->info.seconds_contact += mi_clock() - start;
}
