// The matrix of an operator: inertia, what bone holds, and the elastic Laplacian of the neutral.
#include "solve/system.h"

#include "drive/drive.h"
#include "mesh/stiffness.h"

#include <math.h>
#include <string.h>

typedef struct build_ctx {
  const mien_face *face;
  const mi_system *system;
  mi_operator *op;
  mi_arena scratch;
  float *least;           // N / m, least stiffness of the drive; or NULL             (nvert)
  float *strain, *volume; // weights of tetrahedra in the matrix                       (ntet)
  double *diagonal;       // inertia and hold                                          (nvert)
} build_ctx;

float mi_operator_inertia(const mien_face *face, int vert, double span) {
  return (float)(face->mass[vert] / (span * span));
}

// Flesh follows its bone like a mass on a spring (face/support.c). A vertex in no tetrahedron
// follows the pose. A drive may add springs.
static float find_hold(const build_ctx *m, int i) {
  double held = m->system->bound[i] ? m->face->attachment[i] : 1;
  float attach_stiffness = (float)mi_support_hold(m->face, i, held, !m->op->key.holds_neutral);
  return m->least ? fmaxf(attach_stiffness, m->least[i]) : attach_stiffness;
}

static bool is_plain(const build_ctx *m) {
  return m->op->key.kind == MIEN_SOLVER_PREFACTORED;
}

// The matrix keeps the materials of the neutral while shapes change the flesh (see
// drive/materials.c), but plain PD has no line search: its matrix must never be the softer one.
static bool stiffen(build_ctx *m, mi_material material, float *weight) {
  const mi_blend *blend = m->face->materials.of + material;
  float *most = MI_PUSH(&m->scratch, float, blend->nvary);
  if (!most || !is_plain(m)) return most != NULL;
  mi_blend_most(blend, most);
  for (int k = 0; k < blend->nvary; k++)
    weight[blend->vary[k]] *= most[k] / mi_blend_neutral(blend, blend->vary[k]);
  return true;
}

// The same for masses and attachment stiffness.
static bool apply_masses(build_ctx *m) {
  const mi_blend *density = m->face->materials.of + MI_DENSITY;
  const mi_blend *attachment = m->face->materials.of + MI_ATTACHMENT;
  float *heavier = MI_PUSH(&m->scratch, float, density->nvary);
  float *held = MI_PUSH(&m->scratch, float, attachment->nvary);
  if (!heavier || !held) return false;
  for (int i = 0; i < m->system->nvert; i++) {
    float inertia = mi_operator_inertia(m->face, i, m->op->key.span);
    m->diagonal[i] = (double)inertia + find_hold(m, i);
  }
  if (!is_plain(m)) return true;
  mi_blend_most(density, heavier);
  mi_blend_most(attachment, held);
  double most = 1;
  for (int k = 0; k < density->nvary; k++)
    most = fmax(most, heavier[k] / mi_blend_neutral(density, density->vary[k]));
  for (int i = 0; i < m->system->nvert; i++) m->diagonal[i] *= most;
  for (int k = 0; k < attachment->nvary; k++) {
    double neutral = mi_blend_neutral(attachment, attachment->vary[k]);
    double more = mi_support_rate(m->face, held[k]) / mi_support_rate(m->face, fmax(neutral, 1e-6));
    m->diagonal[attachment->vary[k]] *= more * more;
  }
  return true;
}

// Plain PD needs the whole volume term in its matrix or it overshoots. The volume's true curvature
// is a ninth of that on average, most directions have none, and L-BFGS with its line search
// converges faster on less of it: measured on a jaw stepped by 4 mm, error after 10 iterations 1.9
// % with a quarter, 1.5 % with 0.06; with 0 the line search works more. A lone tetrahedron has no
// neighbours to steady it, and the energy of the whole does not feel where it goes: it gets the
// whole term, too.
static bool apply_stiffness(build_ctx *m) {
  size_t size = (size_t)m->face->info.ntet * sizeof(float);
  float share = is_plain(m) ? 1 : 0.06f;
  memcpy(m->strain, m->system->strain, size);
  memcpy(m->volume, m->system->volume, size);
  if (!stiffen(m, MI_STIFFNESS, m->strain) || !stiffen(m, MI_VOLUME_STIFFNESS, m->volume))
    return false;
  for (int t = 0; t < m->face->info.ntet; t++)
    if (!mi_support_is_frail(m->face, t)) m->volume[t] *= share;
  return true;
}

static bool reserve(build_ctx *m) {
  size_t nvert = (size_t)m->system->nvert, ntet = (size_t)m->face->info.ntet;
  mi_operator *op = m->op;
  return MI_RESERVE(&m->scratch, MI_ROOM(m->strain, ntet), MI_ROOM(m->volume, ntet),
                    MI_ROOM(m->diagonal, nvert)) &&
         MI_RESERVE(&op->arena, MI_ROOM(op->inertia, nvert), MI_ROOM(op->attach_stiffness, nvert),
                    MI_ROOM(op->diagonal, nvert));
}

static bool assemble(build_ctx *m, int threads) {
  const mien_face *face = m->face;
  const mi_system *system = m->system;
  mi_operator *op = m->op;
  mi_csr unordered;
  if (!reserve(m)) return false;
  const mi_drive *drive = op->key.held_by;
  if (drive) {
    m->least = MI_PUSH(&m->scratch, float, system->nvert);
    if (!m->least || !drive->stiffness(face, system->strain, threads, &m->scratch, m->least))
      return false;
  }
  if (!apply_stiffness(m) || !apply_masses(m)) return false;
  mi_stiffness_def stiffness = {.nvert = system->nvert,
                                .ntet = face->info.ntet,
                                .tets = face->tets,
                                .rest = face->rest,
                                .weight_a = m->strain,
                                .weight_b = m->volume,
                                .diagonal = m->diagonal};
  if (!mi_stiffness_assemble(&stiffness, &m->scratch, &unordered) ||
      !mi_csr_permute(&unordered, system->perm, &op->arena, &m->scratch, &op->matrix))
    return false;
  for (int k = 0; k < system->nvert; k++) {
    op->inertia[k] = mi_operator_inertia(face, system->perm[k], op->key.span);
    op->attach_stiffness[k] = find_hold(m, system->perm[k]);
    for (int p = op->matrix.first[k]; p < op->matrix.first[k + 1]; p++)
      if (op->matrix.column[p] == k) op->diagonal[k] = (float)op->matrix.value[p];
  }
  return true;
}

mien_result mi_operator_assemble(mi_operator *op, const mi_system *system, const mien_face *face,
                                 int threads, mien_error *err) {
  build_ctx m = {.face = face, .system = system, .op = op};
  mi_arena_init(&m.scratch, &system->host);
  bool done = assemble(&m, threads);
  mi_arena_free(&m.scratch);
  return done ? MIEN_OK : mi_fail_memory(err);
}
