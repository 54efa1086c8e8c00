// Materials that follow the shapes' weights (Kozlov et al. eq. 3), in the minimiser: weights of the
// tetrahedra, masses, and what bone holds. Only what some shape changes is touched, and only when
// weights change. Muscles that shorten stiffen their tetrahedra on top of it.
//
// The matrix, its factor and the sweeps stay those of the neutral. L-BFGS learns what they lack and
// the line search keeps every step downhill, so only speed is at stake. Measured on a running head,
// error of the skin's motion after 8 iterations (and trials of the line search):
//
//   matrix of             neutral         geometric mean    stiffest
//   flesh at rest         3.9 % (7)        9.9 % (6)        19.3 % (6)      painted 10 times
//   flesh 10 times        5.6 % (12)       4.2 % (11)        3.8 % (8)
//   flesh at rest         3.9 % (7)       14.8 % (6)        26.4 % (6)      painted 30 times
//   flesh 30 times        7.8 % (18)       6.2 % (13)        4.0 % (8)
//
// A matrix that is too stiff makes every step too short, and nothing lengthens it; one that is too
// soft makes them too long, and the line search shortens them. A factor made in the background
// would win what the last column shows, but results would depend on the speed of the machine.
#include "drive/materials.h"

#include "solve/solver.h"

#include <math.h>
#include <string.h>

struct mi_solver_materials {
  int nshape;
  bool is_known;  // `weights` were applied
  float *weights; // as last applied                                          (nshape)
  float *value;   // of what varies, the longest property                     (most nvary)
  float *strain;  // N m of tetrahedra, in the neutral                        (ntet)
  float *volume;  // the same of those that vary                              (nvary)
  float *inertia, *attach_stiffness; // of the neutral, in flesh order (nvert)
  float *heavier, *held; // density and attachment against the neutral's             (nvert)
  float *stiffer;        // stiffness against the neutral's                          (ntet)
  float *damped;         // damping, a factor                                        (nvert)
  float *tensed;         // by muscles that shorten, a factor                        (ntet)
  float *activations;    // that these were found from, minus 1                  (nmuscle x 6)
  double stiffening;     // and how much stiffer they make; 0 = not at all
};

mien_result mi_solver_materials_create(mi_solver *solver, const mien_face *face, mien_error *err) {
  const mi_materials *of = &face->materials;
  if (!of->is_varying && !face->muscles.count) return MIEN_OK;
  size_t nactivation = MI_ACTIVATION * (size_t)face->muscles.count;
  int most = 0;
  for (int k = 0; k < MI_NMATERIAL; k++) most = of->of[k].nvary > most ? of->of[k].nvary : most;
  mi_solver_materials *m = MI_PUSH(&solver->arena, mi_solver_materials, 1);
  if (!m) return mi_fail_memory(err);
  int nvert = solver->nvert;
  m->nshape = face->rig->info.nshape;
  if (!MI_RESERVE(&solver->arena, MI_ROOM(m->weights, m->nshape), MI_ROOM(m->value, most),
                  MI_ROOM(m->strain, face->info.ntet),
                  MI_ROOM(m->volume, of->of[MI_VOLUME_STIFFNESS].nvary), MI_ROOM(m->inertia, nvert),
                  MI_ROOM(m->attach_stiffness, nvert), MI_ROOM(m->heavier, nvert),
                  MI_ROOM(m->held, nvert), MI_ROOM(m->stiffer, face->info.ntet),
                  MI_ROOM(m->damped, nvert), MI_ROOM(m->tensed, face->info.ntet),
                  MI_ROOM(m->activations, nactivation)))
    return mi_fail_memory(err);
  for (int t = 0; t < face->info.ntet; t++) {
    m->strain[t] = mi_elastic_strain(solver->elastic, t);
    m->stiffer[t] = m->tensed[t] = 1;
  }
  for (int k = 0; k < of->of[MI_VOLUME_STIFFNESS].nvary; k++)
    m->volume[k] = mi_elastic_volume(solver->elastic, of->of[MI_VOLUME_STIFFNESS].vary[k]);
  for (int i = 0; i < nvert; i++) {
    m->heavier[i] = m->held[i] = 1;
    m->damped[i] = mi_blend_neutral(of->of + MI_DAMPING, i);
  }
  solver->materials = m;
  mi_solver_forget_materials(solver);
  return MIEN_OK;
}

void mi_solver_forget_materials(mi_solver *solver) {
  mi_solver_materials *m = solver->materials;
  if (!m) return;
  m->is_known = false;
  for (int i = 0; i < solver->nvert; i++) {
    m->inertia[i] = solver->inertia[solver->iperm[i]];
    m->attach_stiffness[i] = solver->attach_stiffness[solver->iperm[i]];
  }
}

// how much more there is of a property than in the neutral
static void find_ratios(mi_solver_materials *m, const mi_blend *blend) {
  mi_blend_at(blend, m->weights, m->value);
  for (int k = 0; k < blend->nvary; k++)
    m->value[k] /= fmaxf(mi_blend_neutral(blend, blend->vary[k]), 1e-6f);
}

// Inertia is proportional to mass. Attachment stiffness is proportional to the mass of the vertex
// and of the skin it carries, and to the square of its rate, which follows from attachment (see
// find_hold).
static void set_masses(mi_solver *solver, mi_solver_materials *m, const mien_face *face) {
  const mi_blend *density = face->materials.of + MI_DENSITY;
  const mi_blend *attachment = face->materials.of + MI_ATTACHMENT;
  if (!density->nvary && !attachment->nvary) return;
  find_ratios(m, density);
  for (int k = 0; k < density->nvary; k++) m->heavier[density->vary[k]] = m->value[k];
  mi_blend_at(attachment, m->weights, m->value);
  for (int k = 0; k < attachment->nvary; k++) {
    double neutral = fmax(mi_blend_neutral(attachment, attachment->vary[k]), 1e-6);
    m->held[attachment->vary[k]] =
        (float)(mi_support_rate(face, m->value[k]) / mi_support_rate(face, neutral));
  }
  for (int i = 0; i < solver->nvert; i++) {
    int carrier = face->carrier[i], at = solver->iperm[i];
    float own = face->mass[i], transported = face->mass[carrier];
    float heavier = (own * m->heavier[i] + transported * m->heavier[carrier]) / (own + transported);
    solver->inertia[at] = m->heavier[i] * m->inertia[i];
    solver->attach_stiffness[at] = heavier * m->held[i] * m->held[i] * m->attach_stiffness[i];
  }
}

static void set_strain(mi_solver *solver, int tet) {
  const mi_solver_materials *m = solver->materials;
  mi_elastic_set_strain(solver->elastic, tet, m->tensed[tet] * m->stiffer[tet] * m->strain[tet]);
}

void mi_solver_set_materials(mi_solver *solver, const mien_face *face, const float *weights) {
  mi_solver_materials *m = solver->materials;
  if (!m) return;
  size_t size = (size_t)m->nshape * sizeof *weights;
  if (m->is_known && !memcmp(m->weights, weights, size)) return;
  memcpy(m->weights, weights, size);
  m->is_known = true;
  const mi_blend *of = face->materials.of, *blend = of + MI_STIFFNESS;
  find_ratios(m, blend);
  for (int k = 0; k < blend->nvary; k++) {
    m->stiffer[blend->vary[k]] = m->value[k];
    set_strain(solver, blend->vary[k]);
  }
  blend = of + MI_VOLUME_STIFFNESS;
  find_ratios(m, blend);
  for (int k = 0; k < blend->nvary; k++)
    mi_elastic_set_volume(solver->elastic, blend->vary[k], m->value[k] * m->volume[k]);
  blend = of + MI_DAMPING;
  mi_blend_at(blend, m->weights, m->value);
  for (int k = 0; k < blend->nvary; k++) m->damped[blend->vary[k]] = m->value[k];
  set_masses(solver, m, face);
}

// Length that the muscles of a tetrahedron have lost, by their shares.
static float shortened(const mi_muscles *muscles, const float *activations, int tet) {
  float shorter = 0;
  for (int k = muscles->first[tet]; k < muscles->first[tet + 1]; k++) {
    float along = activations[MI_ACTIVATION * (size_t)muscles->index[k]];
    if (along < 0) shorter -= muscles->share[k] * along;
  }
  return shorter;
}

void mi_solver_stiffen(mi_solver *solver, const mien_face *face, const float *activations,
                       double stiffening) {
  mi_solver_materials *m = solver->materials;
  const mi_muscles *muscles = &face->muscles;
  size_t size = MI_ACTIVATION * (size_t)muscles->count * sizeof *activations;
  if (!muscles->count || (stiffening == 0 && m->stiffening == 0)) return;
  if (stiffening == m->stiffening && !memcmp(m->activations, activations, size)) return;
  memcpy(m->activations, activations, size);
  m->stiffening = stiffening;
  for (int t = 0; t < face->info.ntet; t++) {
    m->tensed[t] = 1 + (float)stiffening * shortened(muscles, activations, t);
    set_strain(solver, t);
  }
}

float mi_solver_damping(const mi_solver *solver, const mien_face *face, int vert) {
  const mi_solver_materials *m = solver->materials;
  return m ? m->damped[vert] : mi_blend_neutral(face->materials.of + MI_DAMPING, vert);
}
