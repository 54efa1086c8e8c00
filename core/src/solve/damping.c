// Damping and drag, after a substep, on velocities against the head.
//
// Damping takes from what is not the body's own rigid motion v_cm + w x r (Dinev, eq. 3.52, whose
// print has the sign of w x r wrong), so that linear and angular momentum stay. Drag takes from
// all. Both are rates: what is left after h is exp(-rate h), whatever the length of the step.
#include "drive/materials.h"
#include "solve/step.h"

#include "math/rigid_body.h"

#include <math.h>
#include <string.h>

// Where damping is painted, the part beyond the common rate: more here and less there would push
// the body as a whole, so what became of its rigid motion is put back.
static void damp_painted(const mi_step_run *run, const mi_rigid_motion *rigid, float *against) {
  mien_state *state = run->state;
  const mien_face *face = state->face;
  float *velocity = state->dynamics.velocity;
  double rate = run->opts.damping * run->opts.dt;
  for (int i = 0; i < 3 * face->info.nvert; i++) velocity[i] -= against[i];
  for (int i = 0; i < face->info.nvert; i++) {
    float *v = against + 3 * (size_t)i;
    mi_vec3 body = mi_rigid_at(rigid, state->flesh + 3 * (size_t)i);
    double more = exp(-rate * ((double)mi_solver_damping(state->solver, face, i) - 1));
    mi_vec3_store(v, mi_add_scaled(body, more, mi_sub(mi_vec3_load(v), body)));
  }
  mi_rigid_motion off = mi_rigid_fit(face->info.nvert, face->mass, state->flesh, against);
  for (int i = 0; i < face->info.nvert; i++) {
    float *v = against + 3 * (size_t)i;
    mi_vec3 body = mi_rigid_at(rigid, state->flesh + 3 * (size_t)i);
    mi_vec3 became = mi_rigid_at(&off, state->flesh + 3 * (size_t)i);
    mi_vec3_store(v, mi_add(mi_vec3_load(v), mi_sub(body, became)));
  }
  for (int i = 0; i < 3 * face->info.nvert; i++) velocity[i] += against[i];
}

static void see_from_head(const mi_step_run *run, const float *x, float *v) {
  mi_drift frame_velocity = mi_integrate_frame_velocity(run);
  for (int i = 0; i < run->state->face->info.nvert; i++) {
    mi_vec3 head = mi_drift_at(&frame_velocity, mi_vec3_load(x + 3 * (size_t)i));
    float *own = v + 3 * (size_t)i;
    own[0] += (float)head.x, own[1] += (float)head.y, own[2] += (float)head.z;
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
  float *against = state->work[0]; // m / s, against the head
  memcpy(against, dynamics->velocity, 3 * (size_t)nvert * sizeof(float));
  for (int i = 0; i < 3 * nvert; i++) state->flesh[i] = dynamics->posed[i] + dynamics->offset[i];
  see_from_head(run, state->flesh, against);
  mi_rigid_motion rigid = mi_rigid_fit(nvert, face->mass, state->flesh, against);
  const mi_blend *painted = face->materials.of + MI_DAMPING;
  if (painted->neutral || painted->nvary) damp_painted(run, &rigid, against);
  for (int i = 0; i < nvert; i++) {
    float *v = dynamics->velocity + 3 * (size_t)i;
    mi_vec3 all = mi_vec3_load(against + 3 * (size_t)i);
    mi_vec3 body = mi_rigid_at(&rigid, state->flesh + 3 * (size_t)i);
    mi_vec3 left = mi_scale(slowed, mi_add_scaled(body, kept, mi_sub(all, body)));
    mi_vec3_store(v, mi_add(mi_vec3_load(v), mi_sub(left, all)));
  }
}
