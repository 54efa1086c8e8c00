#include "bar.h"

#include "mesh/stiffness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double WIDTH = 0.04, DENSITY = 1100, HOLD_RATE = 4000; // m, kg / m^3, 1 / s
enum { HISTORY = 5 };

typedef struct making {
  bar *b;
  mi_arena scratch;
  float *rest, *strain, *volume, *mass; // block order, then solver order
  int32_t *tets;
  double *diagonal;
} making;

static bool reserve(making *m) {
  mi_solver *s = m->b->solver;
  size_t nvert = (size_t)s->nvert, ntet = (size_t)m->b->block.ntet;
  float **vectors[] = {&s->x,         &s->gradient, &s->trial,      &s->trial_gradient,
                       &s->direction, &s->forward,  &s->predicted,  &s->anchor,
                       &s->posed,     &m->b->rest,  &m->b->velocity};
  s->perm = MI_PUSH(&s->arena, int32_t, nvert);
  s->iperm = MI_PUSH(&s->arena, int32_t, nvert);
  s->inertia = MI_PUSH(&s->arena, float, nvert);
  s->attach_stiffness = MI_PUSH(&s->arena, float, nvert);
  s->sums = MI_PUSH(&s->arena, double, nvert / 256 + 4 + (size_t)mi_lbfgs_dot_sums(s->nvert));
  m->rest = MI_PUSH(&m->scratch, float, 3 * nvert);
  m->mass = MI_PUSH(&m->scratch, float, nvert);
  m->strain = MI_PUSH(&m->scratch, float, ntet);
  m->volume = MI_PUSH(&m->scratch, float, ntet);
  m->tets = MI_PUSH(&m->scratch, int32_t, 4 * ntet);
  m->diagonal = MI_PUSH(&m->scratch, double, nvert);
  bool done = s->perm && s->iperm && s->inertia && s->attach_stiffness && s->sums && m->rest &&
              m->mass && m->strain && m->volume && m->tets && m->diagonal;
  for (size_t k = 0; done && k < sizeof vectors / sizeof *vectors; k++)
    done = (*vectors[k] = MI_PUSH(&s->arena, float, 4 * nvert)) != NULL;
  return done;
}

static void weigh(making *m) {
  const tet_block *block = &m->b->block;
  for (int e = 0; e < block->ntet; e++) {
    double edge[3][3];
    for (int c = 0; c < 3; c++)
      for (int k = 0; k < 3; k++)
        edge[c][k] =
            block->position[block->tet[e][c + 1]][k] - block->position[block->tet[e][0]][k];
    double volume = (edge[0][0] * (edge[1][1] * edge[2][2] - edge[1][2] * edge[2][1]) -
                     edge[0][1] * (edge[1][0] * edge[2][2] - edge[1][2] * edge[2][0]) +
                     edge[0][2] * (edge[1][0] * edge[2][1] - edge[1][1] * edge[2][0])) /
                    6;
    m->strain[e] = (float)(m->b->def.stiffness * volume);
    m->volume[e] = (float)(m->b->def.volume_stiffness * volume);
    for (int c = 0; c < 4; c++) m->mass[block->tet[e][c]] += (float)(DENSITY * volume / 4);
  }
}

static bool is_held(const bar *b, double x) {
  double end = bar_length() / 2 - 1e-9;
  return x < -end || (b->def.both_ends && x > end);
}

// vertices in the order that keeps the factor sparse
static bool find_order(making *m) {
  mi_solver *s = m->b->solver;
  const tet_block *block = &m->b->block;
  double h2 = m->b->def.dt * m->b->def.dt;
  mi_csr unordered;
  for (int i = 0; i < s->nvert; i++) {
    bool held = is_held(m->b, block->position[i][0]);
    m->diagonal[i] = (double)m->mass[i] * (1 / h2 + (held ? HOLD_RATE * HOLD_RATE : 0));
    for (int k = 0; k < 3; k++) m->rest[3 * (size_t)i + k] = (float)block->position[i][k];
  }
  mi_stiffness_def stiffness = {s->nvert,  block->ntet, &block->tet[0][0], m->rest,
                                m->strain, m->volume,   m->diagonal};
  return mi_stiffness_assemble(&stiffness, &m->scratch, &unordered) &&
         mi_order_find(&unordered, NULL, s->perm, &m->scratch) &&
         mi_csr_permute(&unordered, s->perm, &s->arena, &m->scratch, &s->matrix);
}

static void place_vertices(making *m) {
  bar *b = m->b;
  mi_solver *s = b->solver;
  double h2 = b->def.dt * b->def.dt;
  for (int k = 0; k < s->nvert; k++) {
    int i = s->perm[k];
    s->iperm[i] = k;
    s->inertia[k] = (float)((double)m->mass[i] / h2);
    s->attach_stiffness[k] =
        is_held(b, b->block.position[i][0]) ? (float)(m->mass[i] * HOLD_RATE * HOLD_RATE) : 0;
    for (int c = 0; c < 3; c++) {
      float at = (float)b->block.position[i][c];
      m->rest[3 * (size_t)k + c] = b->rest[4 * (size_t)k + c] = s->x[4 * (size_t)k + c] = at;
      s->anchor[4 * (size_t)k + c] = s->predicted[4 * (size_t)k + c] = at;
    }
  }
  for (int e = 0; e < b->block.ntet; e++)
    for (int c = 0; c < 4; c++) m->tets[4 * (size_t)e + c] = s->iperm[b->block.tet[e][c]];
}

static bool build(making *m) {
  bar *b = m->b;
  mi_solver *s = b->solver;
  if (!reserve(m)) return false;
  weigh(m);
  if (!find_order(m)) return false;
  place_vertices(m);
  s->nfront = s->nvert;
  mi_elastic_def def = {.nvert = s->nvert,
                        .ntet = b->block.ntet,
                        .rest = m->rest,
                        .tets = m->tets,
                        .strain = m->strain,
                        .volume = m->volume};
  s->elastic = mi_elastic_create(&def, &s->arena);
  s->history = mi_lbfgs_create(s->nvert, HISTORY, &s->arena);
  textbook_def same = {s->nvert,  b->block.ntet, s->host.threads,    m->rest, m->tets, m->strain,
                       m->volume, s->inertia,    s->attach_stiffness};
  b->t = textbook_create(&same);
  return s->elastic && s->history && b->t &&
         mi_factor_create(&s->matrix, s->nfront, &s->host, &s->factor, NULL) == MIEN_OK;
}

bool bar_create(bar *b, const bar_def *def) {
  tet_block_def shape = {{bar_length(), WIDTH, WIDTH}, {5 * def->cells, def->cells, def->cells}, 6};
  mien_host host;
  *b = (bar){.def = *def};
  mien_host_init(&host);
  host.threads = def->threads;
  if (mi_host_resolve(&host, &host, NULL) < 0 || tet_block_create(&b->block, &shape)) return false;
  mi_arena arena;
  mi_arena_init(&arena, &host);
  b->solver = MI_PUSH(&arena, mi_solver, 1);
  if (!b->solver) return false;
  b->solver->arena = arena;
  b->solver->host = host;
  b->solver->kind = MIEN_SOLVER_DIRECT;
  b->solver->dt = def->dt;
  b->solver->nvert = b->block.nvert;
  making m = {.b = b};
  mi_arena_init(&m.scratch, &host);
  bool done = build(&m);
  mi_arena_free(&m.scratch);
  return done;
}

void bar_free(bar *b) {
  textbook_free(b->t);
  mi_solver_free(b->solver);
  tet_block_free(&b->block);
}

void bar_step(bar *b, double gravity, int iterations, bool plain) {
  mi_solver *s = b->solver;
  mi_lbfgs *history = s->history;
  mien_step_opts opts;
  mien_state_info info = {0};
  double h = b->def.dt;
  mien_step_opts_init(&opts);
  opts.iterations = iterations;
  for (int i = 0; i < 4 * s->nvert; i++) {
    float start = s->x[i];
    s->x[i] += (float)h * b->velocity[i] - (i % 4 == 1 ? (float)(h * h * gravity) : 0);
    s->predicted[i] = s->x[i];
    b->velocity[i] = -start / (float)h; // the rest of it is added below
  }
  if (plain) s->history = NULL, s->kind = MIEN_SOLVER_PREFACTORED;
  mi_solver_descend(s, &opts, 0, &info);
  s->history = history, s->kind = MIEN_SOLVER_DIRECT;
  for (int i = 0; i < 4 * s->nvert; i++) b->velocity[i] += s->x[i] / (float)h;
}

double bar_deflection(const bar *b) {
  double sum = 0;
  int count = 0;
  for (int k = 0; k < b->solver->nvert; k++) {
    if (b->rest[4 * (size_t)k] < bar_length() / 2 - 1e-6) continue;
    sum += (double)b->rest[4 * (size_t)k + 1] - b->solver->x[4 * (size_t)k + 1];
    count++;
  }
  return sum / count;
}

void bar_twist(bar *b, double angle) {
  mi_solver *s = b->solver;
  float c = (float)cos(angle), sn = (float)sin(angle);
  size_t size = 4 * (size_t)s->nvert * sizeof(float);
  memcpy(s->x, b->rest, size);
  memcpy(s->predicted, b->rest, size);
  memcpy(s->anchor, b->rest, size);
  for (int k = 0; k < s->nvert; k++) {
    const float *at = b->rest + 4 * (size_t)k;
    if (at[0] < bar_length() / 2 - 1e-6) continue;
    s->anchor[4 * (size_t)k + 1] = c * at[1] - sn * at[2];
    s->anchor[4 * (size_t)k + 2] = sn * at[1] + c * at[2];
  }
}
