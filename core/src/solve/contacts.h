// Contact as a state has it: the surface that can touch, where it is safe, what touches, what
// sticks.
//
// Everything rests on one rule: the flesh a step starts from does not cross itself, and no step
// lets it. Vertices that can touch are moved only as far as mi_ccd_bound allows from one safe place
// to the next; what pushes between two safe places (planes, or the barrier) decides how well, not
// whether. A start that does cross (contact switched on over crossing lips) is first put back to
// the neutral, which is safe but for pairs that cross there: those are left out as long as they do.
#ifndef MI_CONTACTS_H
#define MI_CONTACTS_H

#include "contact/contact.h"
#include "contact/sticky.h"
#include "solve/solver.h"

struct mi_contacts {
  mi_surface *surface; // soft vertices first, then colliders
  mi_broad *broad;
  mi_active active;
  mi_candidates near; // of the last safe place and what it moved through
  int nsoft, nvert;
  int32_t *soft;     // skin vertex -> soft vertex, -1 = cannot touch                   (nskin)
  int32_t *flesh;    // soft vertex -> flesh vertex                                     (nsoft)
  float *rest;       // m, the neutral; NAN = a user's collider                         (nvert x 3)
  float *before;     // m, in the head's space, at the start of the step                (nvert x 3)
  float *safe;       // where nothing crosses                                           (nvert x 3)
  float *wanted;     // where the solver went                                           (nvert x 3)
  float *aim;        // of colliders, work space                                 (nvert - nsoft x 3)
  float *from;       // all flesh at the safe place, in the solver's order         (flesh nvert x 4)
  float *pace;       // work space: the share of its way that skin may go           (nskin)
  int32_t *doubtful; // candidates that may meet on the way to `wanted`          (candidates)
  int ndoubtful;     // of the way whose bound was found last
  float *asked;      // the same of what can touch, a round before                   (nsoft)
  float *least;      // m, work space                                                   (nvert)
  float *strength;   // 0-1, of sticking                                                (nsoft)
  float *along;      // 0 at a corner of the mouth, 1 in its middle; + left, - right; NAN = no lip
  mi_stick *home;    // what a lip vertex meets when the mouth is sealed                (nsoft)
  int npiece;
  int32_t *piece; // connected pieces of the surface                                  (nvert)
  bool *is_hit;   // of a piece: something of it crosses                              (npiece)
  bool *is_posed_across;    // the artist's pose makes it cross                          (npiece)
  bool *is_reset;           // it crossed where the step begins, and began at the neutral (npiece)
  bool is_pose_known;       // this was looked at in this substep
  bool is_pose_free;        // the artist's pose crosses nowhere
  double slack;             // m, added to offsets: 0, or mi_ccd_slack where pairs are stuck
  double stride;            // m: nobody goes farther at once when there are too many candidates
  bool is_start_free;       // nothing crosses where this step begins
  int nspring, nheld, nrow; // rows: springs, planes that push already, planes that may
  int npushed;              // planes whose gap is too small
  bool is_hurried;          // of the step: see mi_step_run
  int most;                 // rows
  mi_pull *pull;
  mi_rule *rule;
  float *target; // (nrow x 3)
  mi_bar *bar;
  struct mi_barrier_side *barrier; // NULL = not wanted yet
};

// A step's lengths, from its options and the face's size.
typedef struct mi_contact_lengths {
  double thickness, l0; // m
} mi_contact_lengths;
mi_contact_lengths mi_contact_lengths_of(const mien_state *state, const mien_step_opts *opts);

// contacts.c
// The surface, and what looks for what is close on it, of vertices at `rest`. `size`, m, of the
// face. False when memory ends.
bool mi_contacts_make_surface(mi_contacts *contacts, const int32_t *tri, int ntri, double size,
                              mi_arena *arena);
// What hangs together; `is_hit` gets room for them. False when memory ends.
bool mi_contacts_find_pieces(mi_contacts *contacts, mi_arena *arena);
// A user's collider has no place in the neutral.
void mi_contacts_forget_users(mi_contacts *contacts, const mi_colliders *rigid);
mien_result mi_contacts_create(const mien_face *face, const mien_host *host, mi_arena *arena,
                               mi_contacts **out, mien_error *err);
// Before the pose changes: where everything is at the start of the step.
void mi_contacts_remember(mien_state *state);
// Where colliders are to go in this step, from the posed rig and the input.
void mi_contacts_place(mien_state *state, const mien_input *input);

// contact_cross.c
// Pairs of triangles that cross at `position` and not in the neutral: how many. is_hit (or NULL):
// of a piece, something of it crosses (npiece).
int mi_contacts_cross(mi_contacts *contacts, const float *position, int threads, bool *is_hit);
// Each of them and of those that cross in the neutral, too, in order.
void mi_contacts_visit(mi_contacts *contacts, const float *position,
                       void (*fn)(void *task, int a, int b), void *task);

// contact_folds.c
// Folds that cross in the neutral and not at `position`, a safe place, are like all other skin
// until this is called again.
void mi_contacts_open_folds(mi_contacts *contacts, const float *position);
// Adds to the active set what crosses at the safe place and has to part, with the normals of the
// skin and distances below 0.
void mi_contacts_add_folds(mi_contacts *contacts);
bool mi_contacts_is_folded(mien_state *state); // there is any

// contact_safe.c
// What of the artist's pose crosses: is_posed_across, which planes ask for.
void mi_contacts_look_at_pose(mien_state *state);
// The same of the place where the step begins, if anything crosses there: the pose and what is
// carried along, for a step that has no time to look again.
void mi_contacts_guess_pose(mien_state *state);
bool mi_contacts_is_pose_free(mien_state *state);
// To the solver's x, but for pieces that would cross there: those go from `before` as far towards
// it as is safe, and x follows. `reach`, m: pairs closer than this are wanted.
void mi_contacts_start(mien_state *state, double reach);
// To the solver's x when nothing crosses there, or from the last safe place as far towards it as is
// safe; x follows.
void mi_contacts_advance(mien_state *state, double reach);
// The second, without a look whether anything crosses there.
void mi_contacts_advance_safely(mien_state *state, double reach);
// True when nothing crosses at the artist's pose and `share` of the offset; that is the safe place
// then.
bool mi_contacts_take(mien_state *state, float share, double reach);

// contact_limit.c
// Candidates of the way from `safe` to `wanted`, which is made shorter when there are too many.
void mi_contacts_look(mi_contacts *contacts, double reach, int threads);
// Changes in `wanted` what would be hit by one of these pairs on the way from `safe`, nothing else:
// it hardly moves, or `together` goes on as one, which may bring it into the way of others.
void mi_contacts_shorten(mi_contacts *contacts, const mi_candidates *near, int threads,
                         bool together);
// From the safe place as far towards `wanted`, where the solver is, as is safe; the solver's x
// follows. False when that was not all of the way.
bool mi_contacts_go_safely(mi_contacts *contacts, const mien_state *state, double reach);

// contact_rows.c
// Springs that stick, and planes between what is close at the safe place: the solver's pulls.
void mi_contacts_find(mien_state *state, const mien_input *input, const mien_step_opts *opts);
// For the barrier: springs that stick, and friction where it pushes at the safe place.
void mi_contacts_find_springs(mien_state *state, const mien_input *input,
                              const mien_step_opts *opts, const mi_barrier *barrier);
bool mi_contacts_has_springs(const mien_state *state, const mien_input *input,
                             const mien_step_opts *opts);
// After the step: springs break and form; contacts are counted.
void mi_contacts_finish(mien_state *state, const mien_step_opts *opts);

#endif
