#include "textbook_parts.h"

#include "math/mat3.h"
#include "mesh/stiffness.h"

#include <stdlib.h>
#include <string.h>

// -- making ---------------------------------------------------------------------------------------

static bool reserve(textbook *t) {
  size_t nvert = (size_t)t->nvert, ntet = (size_t)t->ntet;
  double **vectors[] = {&t->rest, &t->predicted, &t->anchor, &t->right, &t->solution};
  t->tet = MI_PUSH(&t->arena, textbook_tet, ntet);
  t->corner_first = MI_PUSH(&t->arena, int32_t, nvert + 1);
  t->corner = MI_PUSH(&t->arena, int32_t, 4 * ntet);
  t->inertia = MI_PUSH(&t->arena, double, nvert);
  t->attach_stiffness = MI_PUSH(&t->arena, double, nvert);
  t->element = MI_PUSH(&t->arena, double, 9 * ntet);
  t->element_energy = MI_PUSH(&t->arena, double, ntet);
  bool done = t->tet && t->corner_first && t->corner && t->inertia && t->attach_stiffness &&
              t->element && t->element_energy;
  for (size_t k = 0; done && k < sizeof vectors / sizeof *vectors; k++)
    done = (*vectors[k] = MI_PUSH(&t->arena, double, 3 * nvert)) != NULL;
  return done;
}

static void edges_of(const double *x, const int32_t *vert, double edges[9]) {
  for (int c = 0; c < 3; c++)
    for (int r = 0; r < 3; r++)
      edges[3 * r + c] = x[3 * (size_t)vert[c + 1] + r] - x[3 * (size_t)vert[0] + r];
}

static void set_identity(textbook_tet *e) {
  for (int k = 0; k < 9; k++) e->target[k] = k % 4 == 0;
  e->target_det = 1;
}

static void fill_tets(textbook *t, const textbook_def *def) {
  for (int i = 0; i < t->ntet; i++) {
    textbook_tet *e = t->tet + i;
    double edges[9];
    memcpy(e->vert, def->tets + 4 * (size_t)i, sizeof e->vert);
    edges_of(t->rest, e->vert, edges);
    if (mi_mat3_invert(edges, e->inverse)) {
      e->strain = def->strain[i];
      e->volume = def->volume[i];
    }
    set_identity(e);
  }
}

static void fill_corners(textbook *t) {
  for (int k = 0; k < 4 * t->ntet; k++) t->corner_first[t->tet[k / 4].vert[k % 4] + 1]++;
  for (int i = 0; i < t->nvert; i++) t->corner_first[i + 1] += t->corner_first[i];
  for (int k = 0; k < 4 * t->ntet; k++) t->corner[t->corner_first[t->tet[k / 4].vert[k % 4]]++] = k;
  for (int i = t->nvert; i > 0; i--) t->corner_first[i] = t->corner_first[i - 1];
  t->corner_first[0] = 0;
}

static bool assemble(textbook *t, const textbook_def *def) {
  double *diagonal = MI_PUSH(&t->arena, double, t->nvert);
  if (!diagonal) return false;
  for (int i = 0; i < t->nvert; i++) diagonal[i] = t->inertia[i] + t->attach_stiffness[i];
  mi_stiffness_def stiffness = {t->nvert,    t->ntet,     def->tets, def->rest,
                                def->strain, def->volume, diagonal};
  return mi_stiffness_assemble(&stiffness, &t->arena, &t->matrix);
}

textbook *textbook_create(const textbook_def *def) {
  mien_host host;
  mien_host_init(&host);
  textbook *t = calloc(1, sizeof *t);
  if (!t || mi_host_resolve(&host, &host, NULL) < 0) return t;
  mi_arena_init(&t->arena, &host);
  mi_arena_init(&t->factored_arena, &host);
  t->nvert = def->nvert, t->ntet = def->ntet, t->threads = def->threads;
  bool done = reserve(t);
  if (done) {
    for (int i = 0; i < 3 * t->nvert; i++) t->rest[i] = def->rest[i];
    for (int i = 0; i < t->nvert; i++)
      t->inertia[i] = def->inertia[i], t->attach_stiffness[i] = def->attach_stiffness[i];
    fill_tets(t, def);
    fill_corners(t);
    done = assemble(t, def);
  }
  if (done) return t;
  textbook_free(t);
  return NULL;
}

bool textbook_find_elements(const mien_state *state, textbook_elements *out) {
  const mien_face *face = state->face;
  const mi_solver *solver = state->solver;
  size_t nvert = (size_t)solver->nvert, ntet = (size_t)face->info.ntet;
  out->rest = malloc((3 * nvert + 2 * ntet) * sizeof *out->rest);
  out->tets = malloc(4 * ntet * sizeof *out->tets);
  if (!out->rest || !out->tets) return false;
  out->strain = out->rest + 3 * nvert;
  out->volume = out->strain + ntet;
  for (size_t i = 0; i < 3 * nvert; i++)
    out->rest[i] = face->rest[3 * (size_t)solver->perm[i / 3] + i % 3];
  for (size_t k = 0; k < 4 * ntet; k++) out->tets[k] = solver->iperm[face->tets[k]];
  mi_kernels_best()->measure_tets(face->rest, face->tets, face->info.ntet, out->strain, NULL);
  for (size_t e = 0; e < ntet; e++) {
    out->volume[e] = (float)(face->volume_stiffness * out->strain[e]);
    out->strain[e] = (float)(face->stiffness * out->strain[e]);
  }
  return true;
}

void textbook_free_elements(textbook_elements *elements) {
  free(elements->rest);
  free(elements->tets);
}

textbook *textbook_of_state(const mien_state *state) {
  const mi_solver *solver = state->solver;
  textbook_elements e;
  textbook *t = NULL;
  if (textbook_find_elements(state, &e))
    t = textbook_create(&(textbook_def){solver->nvert, state->face->info.ntet, solver->host.threads,
                                        e.rest, e.tets, e.strain, e.volume, solver->inertia,
                                        solver->attach_stiffness});
  textbook_free_elements(&e);
  return t;
}

void textbook_free(textbook *t) {
  if (!t) return;
  mi_cholesky_free(t->factor);
  mi_arena_free(&t->factored_arena);
  mi_arena_free(&t->arena);
  free(t);
}

// -- the frame ------------------------------------------------------------------------------------

void textbook_to_double(int nvert, const float *x, double *out) {
  for (int i = 0; i < 3 * nvert; i++) out[i] = x[4 * (size_t)(i / 3) + (size_t)(i % 3)];
}

void textbook_set_frame(textbook *t, const textbook_frame *frame) {
  textbook_to_double(t->nvert, frame->predicted, t->predicted);
  textbook_to_double(t->nvert, frame->anchor, t->anchor);
  t->lowrank_rows = frame->lowrank_rows;
  t->pull_target = frame->pull_target;
  t->is_posed = frame->posed != NULL;
  if (frame->posed) textbook_to_double(t->nvert, frame->posed, t->right);
  for (int i = 0; i < t->ntet; i++) {
    textbook_tet *e = t->tet + i;
    double edges[9];
    set_identity(e);
    if (!frame->posed) continue;
    edges_of(t->right, e->vert, edges);
    mi_mat3_multiply(edges, e->inverse, e->target);
    e->target_det = mi_mat3_det(e->target);
  }
}

// right += pulls: w c (target), or with `x` the gradient w c (c x - target); returns the energy
static double add_lowrank(const textbook *t, const double *x, double *right) {
  double energy = 0;
  for (int k = 0; k < t->lowrank_rows.count; k++) {
    const mi_lowrank *p = t->lowrank_rows.lowrank + k;
    for (int r = 0; r < 3; r++) {
      double off = x ? -(double)t->pull_target[3 * k + r] : (double)t->pull_target[3 * k + r];
      for (int j = 0; x && j < 4 && p->vert[j] >= 0; j++)
        off += (double)p->coef[j] * x[3 * (size_t)p->vert[j] + r];
      energy += 0.5 * (double)p->weight * off * off;
      for (int j = 0; right && j < 4 && p->vert[j] >= 0; j++)
        right[3 * (size_t)p->vert[j] + r] += (double)p->weight * (double)p->coef[j] * off;
    }
  }
  return energy;
}

double textbook_energy(textbook *t, const double *x, double *gradient) {
  double energy = 0;
  textbook_local(t, x, true);
  for (int i = 0; i < t->ntet; i++) energy += t->element_energy[i];
  for (int i = 0; i < 3 * t->nvert; i++) {
    double a = x[i] - t->predicted[i], b = x[i] - t->anchor[i];
    energy += 0.5 * (t->inertia[i / 3] * a * a + t->attach_stiffness[i / 3] * b * b);
    if (gradient) gradient[i] = t->inertia[i / 3] * a + t->attach_stiffness[i / 3] * b;
  }
  if (gradient) textbook_gather(t, gradient);
  return energy + add_lowrank(t, x, gradient);
}

void textbook_iterate(textbook *t, int iterations, double *x) {
  for (int k = 0; k < iterations; k++) {
    textbook_local(t, x, false);
    for (int i = 0; i < 3 * t->nvert; i++)
      t->right[i] = t->inertia[i / 3] * t->predicted[i] + t->attach_stiffness[i / 3] * t->anchor[i];
    textbook_gather(t, t->right);
    add_lowrank(t, NULL, t->right);
    mi_cholesky_solve(t->factor, 3, t->right, x);
  }
}

const mi_csr *textbook_matrix(const textbook *t) {
  return &t->matrix;
}
