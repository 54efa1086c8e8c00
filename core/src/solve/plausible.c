// Every vertex of the skin is checked after every step: how far it is from the pose and how fast
// it goes against the head. The bounds are far outside of what faces do (the sample heads swing by
// a fifteenth of their size in wind and on a run), so that what is beyond them is a mistake in the
// scene or in mien.
//
// The likely cause is found by tests that can be checked by hand, the surest first. None of them
// changes anything in the flesh.
#include "solve/plausible.h"

#include "math/vec.h"

#include <math.h>
#include <stdio.h>

static const double FAR = 0.2;       // of the face's size
static const double FAR_PASSIVE = 1; // tentacles swing by their own length
static const double FAST = 10;       // m / s, on a face of 0.25 m and on smaller ones
static const double SIZES = 40;      // of the face's size in a second, on larger ones
static const double LOOSE = 0.5;     // Hz: slower springs do not count as support
static const double LONG_STEP = 0.1; // s
static const double STRONG = 50;     // m / s^2 of gravity, m / s of wind
static const double PI = 3.14159265358979323846;

typedef struct worst {
  int count;              // skin vertices beyond a bound
  int vert;               // skin vertex, the one that is farthest beyond
  double beyond;          // times its bound
  double distance, speed; // m, m / s
} worst;

static double far_of(const mien_face *face, int vert) {
  bool is_passive = face->regions.bits[vert] & MIEN_REGION_PASSIVE;
  return (is_passive ? FAR_PASSIVE : FAR) * (double)face->skin.size;
}

// No speed limit in the first step: contact may move the pose at once.
static double fast_of(const mien_state *state) {
  if (state->dynamics.nstep <= 1) return INFINITY;
  return fmax(FAST, SIZES * (double)state->face->skin.size);
}

static worst find_worst(const mi_step_run *run) {
  const mien_state *state = run->state;
  mi_drift frame_velocity = mi_integrate_frame_velocity(run);
  double fast = fast_of(state);
  worst w = {.vert = -1};
  for (int i = 0; i < state->face->skin.nvert; i++) {
    mi_vec3 off = mi_vec3_load(state->dynamics.offset + 3 * (size_t)i);
    mi_vec3 head = mi_drift_at(&frame_velocity, mi_vec3_load(state->flesh + 3 * (size_t)i));
    mi_vec3 own = mi_vec3_load(state->dynamics.velocity + 3 * (size_t)i);
    double distance = mi_length(off), speed = mi_length(mi_add(own, head));
    double beyond = fmax(distance / far_of(state->face, i), speed / fast);
    if (!(beyond > 1)) continue;
    w.count++;
    if (beyond <= w.beyond) continue;
    w.vert = i;
    w.beyond = beyond;
    w.distance = distance;
    w.speed = speed;
  }
  return w;
}

// -- Causes ---------------------------------------------------------------------------------------

// No bone holds flesh within `reach` of it.
static bool hangs_on_nothing(const mi_step_run *run, int vert, double reach) {
  const mien_face *face = run->state->face;
  const mi_solver *solver = run->state->solver;
  double least = 2 * PI * LOOSE * solver->dt; // inertia is mass / dt^2
  mi_vec3 at = mi_vec3_load(face->rest + 3 * (size_t)vert);
  for (int k = 0; k < solver->nvert; k++) {
    if (!((double)solver->attach_stiffness[k] > least * least * (double)solver->inertia[k]))
      continue;
    if (solver->inertia[k] == 0) continue;
    mi_vec3 way = mi_sub(mi_vec3_load(face->rest + 3 * (size_t)solver->perm[k]), at);
    if (mi_dot(way, way) < reach * reach) return false;
  }
  return true;
}

// m: how far the head took a vertex in this step, as flesh feels it
static double way_of_head(const mi_step_run *run, int vert) {
  const mi_dynamics *dynamics = &run->state->dynamics;
  const float *at = dynamics->posed + 3 * (size_t)vert;
  mien_rigid from;
  float seen[3];
  mi_frame_attenuate(&run->head_before, &dynamics->head, run->opts.head_translation,
                     run->opts.head_rotation, &from);
  mi_frame_points(&from, &dynamics->head, 1, at, seen);
  return mi_distance(mi_vec3_load(seen), mi_vec3_load(at));
}

static bool is_touched(const mi_step_run *run, int vert) {
  const mien_state_info *info = &run->state->info;
  return run->touches && (run->state->face->regions.bits[vert] & MIEN_REGION_CONTACT) &&
         (info->ncontact || info->nresolved);
}

static void name_cause(const mi_step_run *run, int vert, char *text, size_t size) {
  const mien_step_opts *opts = &run->opts;
  double reach = far_of(run->state->face, vert), way = way_of_head(run, vert);
  const double *g = opts->gravity, *w = opts->wind;
  double gravity = mi_length((mi_vec3){g[0], g[1], g[2]});
  double wind = mi_length((mi_vec3){w[0], w[1], w[2]});
  if (hangs_on_nothing(run, vert, reach))
    snprintf(text, size, "flesh there hangs on nothing within %.0f mm: paint attachment",
             1e3 * reach);
  else if (way > reach)
    snprintf(text, size, "the head moves %.3g m in one step", way);
  else if (gravity > STRONG || wind > STRONG)
    snprintf(text, size, "gravity of %.3g m/s2 and wind of %.3g m/s pull at it", gravity, wind);
  else if (is_touched(run, vert))
    snprintf(text, size, "contact presses it; %d places touch", run->state->info.ncontact);
  else if (opts->dt > LONG_STEP)
    snprintf(text, size, "the time step of %.3g s is long: take substeps", opts->dt);
  else if (opts->integrator == MIEN_INTEGRATOR_IMPLICIT_MIDPOINT)
    snprintf(text, size, "implicit_midpoint can gain energy: take stabilised_midpoint or bdf2");
  else
    snprintf(text, size, "earlier motion, or flesh too soft: add stiffness, attachment or damping");
}

// -- The remark -----------------------------------------------------------------------------------

mien_result mi_plausible(const mi_step_run *run, mien_result result) {
  const mien_face *face = run->state->face;
  mien_state_info *info = &run->state->info;
  char cause[120];
  info->implausible_vertex = -1;
  if (result < 0) return result;
  if (result > 0)
    return mi_fail(
        run->err, result,
        "the step came to numbers that are not finite, or far too large; its motion was forgotten");
  worst w = find_worst(run);
  if (!w.count) return result;
  const mi_embedding *embedding = &face->embedding;
  info->nimplausible = w.count;
  info->implausible_vertex =
      embedding->render_skin ? embedding->skin[w.vert] : face->skin.vert[w.vert];
  info->implausible_distance = w.distance;
  info->implausible_speed = w.speed;
  name_cause(run, w.vert, cause, sizeof cause);
  return mi_fail(run->err, MIEN_REMARK,
                 "vertex %d is %.1f mm from its pose and moves at %.1f m/s: %s",
                 info->implausible_vertex, 1e3 * w.distance, w.speed, cause);
}
