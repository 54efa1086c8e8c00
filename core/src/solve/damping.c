// Damping and drag, after a substep, on velocities against the head.
//
// Damping takes from what is not the body's own rigid motion v_cm + w x r (Dinev, eq. 3.52, whose
// print has the sign of w x r wrong), so that linear and angular momentum stay. Drag takes from
// all. Both are rates: what is left after h is exp(-rate h), whatever the length of the step.
#include "solve/materials.h"
#include "solve/step.h"

#include "math/mat3.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

typedef struct rigid_motion {
  mi_vec3 centre, velocity, spin; // spin w: v(x) = velocity + w x (x - centre)
} rigid_motion;

static rigid_motion fit_rigid(int nvert, const float *mass, const float *x, const float *v) {
  rigid_motion fit = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  double all = 0, inertia[9] = {0}, inverse[9];
  mi_vec3 momentum = {0, 0, 0};
  for (int i = 0; i < nvert; i++) {
    all += mass[i];
    fit.centre = mi_add_scaled(fit.centre, mass[i], mi_vec3_load(x + 3 * (size_t)i));
    fit.velocity = mi_add_scaled(fit.velocity, mass[i], mi_vec3_load(v + 3 * (size_t)i));
  }
  if (!(all > 0)) return fit;
  fit.centre = mi_scale(1 / all, fit.centre);
  fit.velocity = mi_scale(1 / all, fit.velocity);
  for (int i = 0; i < nvert; i++) {
    mi_vec3 r = mi_sub(mi_vec3_load(x + 3 * (size_t)i), fit.centre);
    mi_vec3 turn = mi_cross(r, mi_vec3_load(v + 3 * (size_t)i));
    const double arm[3] = {r.x, r.y, r.z};
    momentum = mi_add_scaled(momentum, mass[i], turn);
    for (int k = 0; k < 9; k++)
      inertia[k] += mass[i] * ((k % 4 ? 0 : mi_dot(r, r)) - arm[k / 3] * arm[k % 3]);
  }
  if (mi_mat3_invert(inertia, inverse)) // else the masses lie on one line: no spin
    fit.spin =
        (mi_vec3){inverse[0] * momentum.x + inverse[1] * momentum.y + inverse[2] * momentum.z,
                  inverse[3] * momentum.x + inverse[4] * momentum.y + inverse[5] * momentum.z,
                  inverse[6] * momentum.x + inverse[7] * momentum.y + inverse[8] * momentum.z};
  return fit;
}

static mi_vec3 rigid_at(const rigid_motion *rigid, const float *x) {
  mi_vec3 r = mi_sub(mi_vec3_load(x), rigid->centre);
  return mi_add(rigid->velocity, mi_cross(rigid->spin, r));
}

// Where damping is painted, the part beyond the common rate: more here and less there would push
// the body as a whole, so what became of its rigid motion is put back.
static void damp_painted(const mi_step_run *run, const rigid_motion *rigid, float *against) {
  mien_state *state = run->state;
  const mien_face *face = state->face;
  float *velocity = state->dynamics.velocity;
  double rate = run->opts.damping * run->opts.dt;
  for (int i = 0; i < 3 * face->info.nvert; i++) velocity[i] -= against[i];
  for (int i = 0; i < face->info.nvert; i++) {
    float *v = against + 3 * (size_t)i;
    mi_vec3 body = rigid_at(rigid, state->flesh + 3 * (size_t)i);
    double more = exp(-rate * ((double)mi_solver_damping(state->solver, face, i) - 1));
    mi_vec3_store(v, mi_add_scaled(body, more, mi_sub(mi_vec3_load(v), body)));
  }
  rigid_motion off = fit_rigid(face->info.nvert, face->mass, state->flesh, against);
  for (int i = 0; i < face->info.nvert; i++) {
    float *v = against + 3 * (size_t)i;
    mi_vec3 body = rigid_at(rigid, state->flesh + 3 * (size_t)i);
    mi_vec3 became = rigid_at(&off, state->flesh + 3 * (size_t)i);
    mi_vec3_store(v, mi_add(mi_vec3_load(v), mi_sub(body, became)));
  }
  for (int i = 0; i < 3 * face->info.nvert; i++) velocity[i] += against[i];
}

static void see_from_head(const mi_step_run *run, const float *x, float *v) {
  mi_drift frame_velocity = mi_integrate_frame_velocity(run);
  for (int i = 0; i < run->state->face->info.nvert; i++) {
    mi_vec3 at = mi_vec3_load(x + 3 * (size_t)i);
    for (int c = 0; c < 3; c++) {
      const double *m = frame_velocity.m + 4 * c;
      v[3 * (size_t)i + (size_t)c] += (float)(m[0] * at.x + m[1] * at.y + m[2] * at.z + m[3]);
    }
  }
}

void mi_damp(const mi_step_run *run) {
  mien_state *state = run->state;
  const mien_face *face = state->face;
  mi_dynamics *dynamics = &state->dynamics;
  int nvert = face->info.nvert;
  double kept = exp(-run->opts.damping * run->opts.dt),
         slowed = exp(-run->opts.drag * run->opts.dt);
  if (kept == 1 && slowed == 1) return;
  float *against = state->transported; // m / s, against the head
  memcpy(against, dynamics->velocity, 3 * (size_t)nvert * sizeof(float));
  for (int i = 0; i < 3 * nvert; i++) state->flesh[i] = dynamics->posed[i] + dynamics->offset[i];
  see_from_head(run, state->flesh, against);
  rigid_motion rigid = fit_rigid(nvert, face->mass, state->flesh, against);
  const mi_blend *painted = face->materials.of + MI_DAMPING;
  if (painted->neutral || painted->nvary) damp_painted(run, &rigid, against);
  for (int i = 0; i < nvert; i++) {
    float *v = dynamics->velocity + 3 * (size_t)i;
    mi_vec3 all = mi_vec3_load(against + 3 * (size_t)i);
    mi_vec3 body = rigid_at(&rigid, state->flesh + 3 * (size_t)i);
    mi_vec3 left = mi_scale(slowed, mi_add_scaled(body, kept, mi_sub(all, body)));
    mi_vec3_store(v, mi_add(mi_vec3_load(v), mi_sub(left, all)));
  }
}
