#include "claim_b10_drift.h"

#include "drive/blendforce.h"
#include "drive/materials.h"
#include "drive/pose.h"
#include "face/carry.h"
#include "fit/stiffness.h"
#include "solve/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 400 };
static const double STILL = 1e-7; // m, rms of a step

// -- an expression and its forces -----------------------------------------------------------------

static void pose_shape(drift_bench *b, int shape) {
  mi_blendforce *d = b->d;
  const mien_face *face = b->face;
  memset(b->weights, 0, (size_t)face->rig->info.nshape * sizeof *b->weights);
  b->weights[shape] = 1;
  mi_bone_motion jaw = mi_bone_hinge(face, b->weights);
  mi_rig_pose(face->rig, b->weights, face->rig->info.nshape, b->rig);
  mi_carry(face, b->rig, &jaw, d->host.threads, d->artist);
  mi_blendvolumes_add(&face->blendvolumes, b->weights, d->artist);
  mi_bones_carry(face, &jaw, d->is_flesh, d->artist, d->bones);
  mi_blendforce_gather(b->solver, d->artist, d->x);
  mi_blendforce_gather(b->solver, d->bones, d->anchor);
  memcpy(b->posed, d->x, 4 * (size_t)d->nvert * sizeof *b->posed);
}

// Masses that hang on the bones, times the motion against them.
static void find_pull(drift_bench *b) {
  mi_blendforce *d = b->d;
  const mien_face *face = b->face;
  memset(d->force, 0, 4 * (size_t)d->nvert * sizeof *d->force);
  for (int k = 0; k < d->nvert; k++) {
    int i = b->solver->perm[k];
    float mass = (float)mi_fit_hung_mass(face, i);
    for (size_t c = 0; c < 3; c++)
      d->force[4 * (size_t)k + c] = mass * (d->x[4 * (size_t)k + c] - d->anchor[4 * (size_t)k + c]);
  }
}

static double dot(const float *a, const float *b, int nvert) {
  double sum = 0;
  for (int i = 0; i < 4 * nvert; i++) sum += (double)a[i] * (double)b[i];
  return sum;
}

// As hard as leaves least of the first step: c = argmin |A^-1 (g - c f)|, c >= 0.
static void scale_pull(drift_bench *b) {
  mi_blendforce *d = b->d;
  mi_blendforce_gradient(d, b->solver);
  mi_factor_solve(d->factor, d->gradient, d->host.threads, d->step);
  mi_factor_solve(d->factor, d->force, d->host.threads, b->move);
  double own = dot(b->move, b->move, d->nvert);
  float scale = own > 0 ? (float)fmax(0, dot(d->step, b->move, d->nvert) / own) : 0;
  for (int i = 0; i < 4 * d->nvert; i++) d->force[i] *= scale;
}

// -- rest -----------------------------------------------------------------------------------------

static double rms(const drift_bench *b, const float *from, const float *to, bool skin_only) {
  double sum = 0;
  int count = 0;
  for (int k = 0; k < b->d->nvert; k++) {
    int i = b->solver->perm[k];
    if (!b->d->is_flesh[i] || (skin_only && i >= b->face->skin.nvert)) continue;
    for (size_t c = 0; c < 3; c++)
      sum += pow((double)to[4 * (size_t)k + c] - (double)from[4 * (size_t)k + c], 2);
    count++;
  }
  return count ? sqrt(sum / count) : 0;
}

void drift_pose(drift_bench *b, int shape) {
  pose_shape(b, shape);
  find_pull(b);
  scale_pull(b);
}

// Local and global steps until nothing moves.
static drift settle(drift_bench *b, int shape) {
  mi_blendforce *d = b->d;
  drift_pose(b, shape);
  drift out = {.moved = rms(b, d->anchor, b->posed, false), .still = INFINITY};
  for (int k = 0; k < MOST && out.still > STILL; k++) {
    memcpy(b->move, d->x, 4 * (size_t)d->nvert * sizeof *b->move);
    mi_blendforce_gradient(d, b->solver);
    mi_blendforce_follow(d);
    out.still = rms(b, b->move, d->x, false);
  }
  out.flesh = rms(b, b->posed, d->x, false), out.skin = rms(b, b->posed, d->x, true);
  return out;
}

// -- the bench ------------------------------------------------------------------------------------

mien_result drift_open(drift_bench *b, mien_face *face, mien_error *err) {
  *b = (drift_bench){.face = face};
  mien_input input;
  mien_step_opts opts;
  const mien_rig_info *rig = &b->face->rig->info;
  mien_input_init(&input);
  mien_step_opts_init(&opts);
  mien_result result = mien_state_create((mien_face *)b->face, NULL, &b->state, err);
  if (result >= 0) result = mien_step(b->state, &input, &opts, err); // makes the solver
  if (result < 0) return result;
  b->solver = b->state->solver;
  size_t size = 4 * (size_t)b->solver->nvert;
  b->weights = calloc((size_t)rig->nshape, sizeof *b->weights);
  b->rig = malloc(3 * (size_t)rig->nvert * sizeof *b->rig);
  b->posed = malloc(size * sizeof *b->posed);
  b->move = malloc(size * sizeof *b->move);
  b->d = calloc(1, sizeof *b->d);
  if (!b->weights || !b->rig || !b->posed || !b->move || !b->d) return mi_fail_memory(err);
  *b->d = (mi_blendforce){.host = b->solver->host, .face = b->face, .nvert = b->solver->nvert};
  mi_arena_init(&b->d->arena, &b->solver->host);
  return mi_blendforce_build(b->d, b->solver, err);
}

void drift_close(drift_bench *b) {
  if (b->d) {
    mi_factor_free(b->d->factor);
    mi_arena_free(&b->d->arena);
  }
  free(b->d);
  free(b->weights);
  free(b->rig);
  free(b->posed);
  free(b->move);
  mien_state_free(b->state);
}

int drift_simulate(mien_face *face, drift *out) {
  drift_bench b;
  mien_error err;
  mien_result result = drift_open(&b, face, &err);
  for (int k = 0; result >= 0 && k < face->rig->info.nshape; k++) out[k] = settle(&b, k);
  drift_close(&b);
  return result < 0 ? cli_report(&err, "B10") : CLI_DONE;
}
