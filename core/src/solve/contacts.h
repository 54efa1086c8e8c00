// Contact of a state: begin, rows, bound, accept, end.
//
// One place x_free is known to cross nowhere. begin() finds it for a substep; rows() puts one-sided
// springs between what is close there; bound() shortens a trial step until every close pair has a
// separating direction for the way from x_free to it (contact/separate.h), so that the trial, too,
// crosses nowhere; accept() makes it the new x_free; end() ages and forms sticky springs. The rows
// decide how good a step is, the bound whether it is allowed.
//
// Positions are those of the contact surface: soft vertices (skin that can touch, pulled in where
// the neutral needs it, contact/inset.h), then vertices of colliders.
#ifndef MI_CONTACTS_H
#define MI_CONTACTS_H

#include "contact/contact.h"
#include "contact/inset.h"
#include "contact/separate.h"
#include "contact/sticky.h"
#include "solve/limits.h"
#include "solve/solver.h"

// A one-sided row: normal . (sum coef x + fixed) >= gap, with friction along the plane.
typedef struct mi_row {
  int32_t vert[4]; // in the solver's order, -1 = none
  float coef[4];
  float fixed[3];           // m, of the rigid side, where it is to go
  float normal[3];          // unit
  float gap;                // m; -INFINITY = friction alone
  float weight;             // N / m
  float limit;              // N, of friction
  float friction_stiffness; // N / m, stiffness of friction until it slides
  float start[3];           // m, sum coef x when the substep began
  bool in_matrix;           // its plane, not its friction
} mi_row;

typedef struct mi_nearest {
  double distance; // m
  mi_contact *contact;
} mi_nearest;

struct mi_contacts {
  // made with the face and shared by its states (face/contact_surface.h)
  const mi_surface *surface; // soft vertices first, then colliders
  int nsoft, nvert;
  const int32_t *soft;  // skin vertex -> soft vertex, -1 = cannot touch                  (nskin)
  const int32_t *flesh; // soft vertex -> flesh vertex                                    (nsoft)
  const float *rest; // m, the neutral; NAN = a user's collider                        (nvert x 3)
  const float *strength; // 0-1, of sticking                                               (nsoft)
  const float *along; // 0 at a corner of the mouth, 1 in its middle; + left, - right; NAN = no lip
  const mi_stick *partner; // what a lip vertex meets when the mouth is sealed               (nsoft)
  int ncomponent;          // connected components of the surface
  const int32_t
      *component; //                                                                (nvert)
  mi_inset inset;
  double slack; // m: gaps are kept above this

  mi_broad *broad;
  mi_active active;
  mi_limits_side limits; // of skin that does not collide
  mi_separator separator;
  float *pulled;   // m, the pose that `shift` and what crosses in it are of         (nvert x 3)
  bool is_pulled;  // there is one
  float *shift;    // m, from the flesh to the contact surface, in this pose         (nvert x 3)
  float *x0;       // m, where the surface was when the substep began                (nvert x 3)
  float *pose;     // m, at the artist's pose, colliders where they are to go        (nvert x 3)
  float *x_free;   // m, crosses nowhere                                             (nvert x 3)
  float *x_trial;  // m, of the trial looked at                                      (nvert x 3)
  float *x_rows;   // m, x_free when rows were found                                 (nvert x 3)
  float *x_target; // work space of the bound                                        (nvert x 3)
  float *x_from;   // m, all flesh where the substep sets out          (flesh x 4)
  float *step;     // work space: share of its way that skin may go                  (nskin)
  float *least;    // work space                                                     (nvert)
  int *nhit;       // of a component: pairs of it that cross, where the substep begins (ncomponent)
  int *npose_hit;  // the same of the artist's pose                                   (ncomponent)
  bool *is_masked; // of this substep: meets nothing                                 (nvert)
  bool *is_crossing;  // work space                                                     (nvert)
  int npose_crossing; // pairs that cross in the artist's pose, pulled in
  bool is_start_free; // nor did the place where this substep set out
  float *deepest; // m, of a component: least gap of its rows at the pose, <= 0      (ncomponent)
  double stride;  // m: the longest move when there are too many candidates
  double reach;   // m: pairs that are closer get rows
  int most;       // rows
  int nrow, nheld, npushed; // rows; those in the matrix; those whose gap is too small
  mi_row *row;
  mi_nearest *nearest;             // work space: contacts in order                  (active)
  int32_t *first_kept, *next_kept; // work space: rows at a vertex           (nvert), (4 active)
  int nspring;
  mi_lowrank *spring;   // sticky springs and seals, then rows for sweeps   (nspring + nheld)
  float *spring_target; //                                                            (nspring x 3)
  bool *is_sprung;      // of a soft vertex: a spring pulls at it                        (nvert)
  mi_rank1 *rank1;      // rows in the matrix
  int nrank1;
  double *stretch; // of rank-1 rows by steps of the history              (most x MI_LBFGS_MOST)
  float *total, *trial_total;      // gradients with contact                            (flesh x 4)
  struct mi_barrier_side *barrier; // NULL = not wanted yet
};

// A step's lengths, from its options and the face's size.
typedef struct mi_contact_lengths {
  double thickness, l0; // m
} mi_contact_lengths;
mi_contact_lengths mi_contact_lengths_of(const mien_state *state, const mien_step_opts *opts);

// contacts.c
mien_result mi_contacts_create(const mien_face *face, mi_arena *arena, mi_contacts **out,
                               mien_error *err);
// Before the pose changes: where the surface is at the start of the substep.
void mi_contacts_remember(mien_state *state);
// The surface at the artist's pose, and what of it crosses; colliders where the input has them.
void mi_contacts_place(mien_state *state, const mien_input *input);
// The surface at the solver's x (four floats a vertex).
void mi_contacts_read(const mien_state *state, const float *x, float *position);

// Pairs that are closer than `reach` at `position` become the active set.
void mi_contacts_find_active(mi_contacts *contacts, const float *position, double reach,
                             int threads);

// contact_cross.c
// Pairs of triangles that cross at `position`: how many. ncrossing (or NULL): of a component, those
// in which it takes part (ncomponent).
int mi_contacts_cross(mi_contacts *contacts, const float *position, int threads, int *ncrossing);
// These vertices meet nothing; candidates of the same mask are kept.
void mi_contacts_mask(mi_contacts *contacts, const bool *is_masked);
// Vertices that cross at `position` meet nothing until the mask is set anew.
void mi_contacts_mask_crossing(mi_contacts *contacts, const float *position);

// contact_begin.c
// x_free for the substep; the solver's x sets out from there as far as is free. `moves`: flesh does
// so whatever touches.
void mi_contacts_begin(mien_state *state, bool moves);
// Is the pose with a share of the offset of each soft vertex (NULL: none of it) free? Then it is
// x_free.
bool mi_contacts_take(mien_state *state, const float *share);

// contact_bound.c
// Changes `trial` (the solver's order, four floats a vertex) until the way from x_free, where the
// flesh is at `x`, crosses nowhere; x_trial is the surface there. Returns how many soft vertices
// were changed.
int mi_contacts_bound(mien_state *state, const float *x, float *trial);
void mi_contacts_accept(mi_contacts *contacts); // x_trial is free

// contact_springs.c
// Springs that stick: the solver's spring rows.
void mi_contacts_find_springs(mien_state *state, const mien_input *input,
                              const mien_step_opts *opts);
bool mi_contacts_has_springs(const mien_state *state, const mien_input *input,
                             const mien_step_opts *opts);

// contact_rows.c
// The gap that planes keep: `thickness`, or most of that of the neutral where it is closer.
double mi_contacts_rest_gap(const mi_contacts *contacts, const mi_contact *contact,
                            double thickness);
// Rows between what is close at x_free.
void mi_contacts_find_rows(mien_state *state, const mien_input *input, const mien_step_opts *opts);
// For the barrier: friction where it pushes at x_free.
void mi_contacts_find_friction(mien_state *state, const mien_input *input,
                               const mien_step_opts *opts, const mi_barrier *barrier);
// Energy of all rows at x; their gradient is added.
double mi_contacts_add_rows(const mi_contacts *contacts, const float *x, float *gradient);
// Energy at x of the planes that are in the matrix; their gradient is added.
double mi_contacts_add_held(const mi_contacts *contacts, const float *x, float *gradient);
// The same of all that is not: other planes and friction. `sign` -1 takes the gradient off again.
double mi_contacts_add_loose(const mi_contacts *contacts, const float *x, float sign,
                             float *gradient);

// contact_end.c
// After the substep: springs break and form; contacts are counted.
void mi_contacts_end(mien_state *state, const mien_step_opts *opts);

#endif
