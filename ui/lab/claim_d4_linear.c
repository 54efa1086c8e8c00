#include "claim_d4.h"

#include "block_scene.h"
#include "energy/assemble.h"
#include "energy/laws.h"
#include "solve/energy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double STEP = 0.033; // s

typedef struct cube {
  block_scene scene;
  mi_arena arena;
  mi_assembly assembly;
  mi_term *term;
  int nvert;
  double *x, *v, *gradient, *matrix, *d; // 3 nvert; the matrix is dense
} cube;

static bool make_terms(cube *c) {
  const mien_face *face = c->scene.face;
  mi_arena scratch;
  mi_arena_init(&scratch, &c->scene.state->host);
  c->term = MI_PUSH(&c->arena, mi_term, 2 * (size_t)face->info.ntet);
  bool done = c->term != NULL;
  for (int e = 0; done && e < face->info.ntet; e++) {
    mi_term *strain = c->term + 2 * (size_t)e, *volume = strain + 1;
    double rest[12];
    for (int k = 0; k < 12; k++)
      rest[k] = face->rest[3 * (size_t)face->tets[4 * e + k / 3] + (size_t)(k % 3)];
    strain->law = &mi_law_strain;
    volume->law = &mi_law_volume;
    for (int k = 0; k < 4; k++) strain->vert[k] = volume->vert[k] = face->tets[4 * e + k];
    double size = mi_tet_volume(rest);
    done = mi_strain_set_up(&strain->stencil, rest, face->stiffness * size, NULL) &&
           mi_volume_set_up(&volume->stencil, rest, face->volume_stiffness * size, 1, 1);
  }
  done = done && mi_assembly_create(c->nvert, 2 * face->info.ntet, c->term, &c->arena, &scratch,
                                    &c->assembly);
  mi_arena_free(&scratch);
  return done;
}

static int open(cube *c, double spin, double stretch, double dt) {
  block_scene_def def = {.size = {0.1, 0.1, 0.1}, .cells = {3, 3, 3}, .stiffness = 8000};
  const double axis[3] = {0, 0, spin};
  mien_step_opts opts;
  mien_input input;
  def.threads = 1;
  mien_step_opts_init(&opts);
  mien_input_init(&input);
  opts.dt = dt;
  opts.energy_projection = 1;
  *c = (cube){0};
  if (block_scene_create(&c->scene, &def) < 0) return cli_report(&c->scene.err, "cube");
  block_scene_spin(&c->scene, axis, 1); // a first step makes the solver and all it needs
  if (mien_step(c->scene.state, &input, &opts, &c->scene.err) < 0)
    return cli_report(&c->scene.err, "cube");
  mien_state_reset(c->scene.state);
  block_scene_spin(&c->scene, axis, stretch);
  block_scene_measure(&c->scene); // anchors
  c->nvert = c->scene.face->info.nvert;
  size_t size = 3 * (size_t)c->nvert;
  mi_arena_init(&c->arena, &c->scene.state->host);
  double **vectors[] = {&c->x, &c->v, &c->gradient, &c->d};
  bool done = (c->matrix = MI_PUSH(&c->arena, double, size *size)) != NULL && make_terms(c);
  for (int k = 0; done && k < 4; k++)
    done = (*vectors[k] = MI_PUSH(&c->arena, double, size)) != NULL;
  for (size_t i = 0; done && i < size; i++) {
    const mi_dynamics *dynamics = &c->scene.state->dynamics;
    c->x[i] = (double)dynamics->posed[i] + dynamics->offset[i];
    c->v[i] = dynamics->velocity[i];
  }
  return done ? CLI_DONE : cli_fail("out of memory");
}

// Gauss elimination with pivots: the Hessian may be indefinite. False when it is singular.
static bool solve_dense(int n, double *a, double *b) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[(size_t)i * n + k]) > fabs(a[(size_t)best * n + k])) best = i;
    if (!(fabs(a[(size_t)best * n + k]) > 0)) return false;
    for (int j = k; best != k && j < n; j++) {
      double keep = a[(size_t)k * n + j];
      a[(size_t)k * n + j] = a[(size_t)best * n + j], a[(size_t)best * n + j] = keep;
    }
    double keep = b[k];
    b[k] = b[best], b[best] = keep;
    for (int i = k + 1; i < n; i++) {
      double f = a[(size_t)i * n + k] / a[(size_t)k * n + k];
      for (int j = k; f != 0 && j < n; j++) a[(size_t)i * n + j] -= f * a[(size_t)k * n + j];
      b[i] -= f * b[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) b[i] -= a[(size_t)i * n + j] * b[j];
    b[i] /= a[(size_t)i * n + i];
  }
  return true;
}

// (M / h^2 + H) d = M v / h - dE/dx
static bool step_linear(cube *c, double h) {
  int n = 3 * c->nvert;
  const mi_csr *hessian = &c->assembly.hessian;
  mi_assembly_gradient(&c->assembly, c->x, c->gradient);
  mi_assembly_fill_hessian(&c->assembly, c->x, false);
  memset(c->matrix, 0, (size_t)n * n * sizeof *c->matrix);
  for (int i = 0; i < n; i++) {
    double mass = c->scene.face->mass[i / 3];
    for (int k = hessian->first[i]; k < hessian->first[i + 1]; k++)
      c->matrix[(size_t)i * n + hessian->column[k]] += hessian->value[k];
    c->matrix[(size_t)i * n + i] += mass > 0 ? mass / (h * h) : 1;
    c->d[i] = mass * c->v[i] / h - c->gradient[i];
  }
  return solve_dense(n, c->matrix, c->d);
}

static double energy_of(const cube *c) {
  double sum = mi_assembly_value(&c->assembly, c->x);
  for (int i = 0; i < 3 * c->nvert; i++)
    sum += 0.5 * c->scene.face->mass[i / 3] * c->v[i] * c->v[i];
  return sum;
}

// the step just taken, handed to the library's projection
static void project(cube *c, double h) {
  mi_solver *solver = c->scene.state->solver;
  mi_motion *m = &c->scene.state->energy->motion;
  m->h = h;
  m->stays = false;
  m->wanted = energy_of(c);
  for (int k = 0; k < solver->nvert; k++)
    for (int a = 0; a < 3; a++) {
      size_t from = 3 * (size_t)solver->perm[k] + (size_t)a, to = 4 * (size_t)k + (size_t)a;
      m->start[to] = (float)c->x[from], m->first[to] = (float)c->v[from];
      solver->x[to] = (float)(c->x[from] + c->d[from]);
      m->velocity[to] = (float)(c->d[from] / h), m->accel[to] = 0;
    }
  mi_motion_prepare(solver, m);
  for (int k = 0; k < solver->nvert; k += MI_MOTION_CHUNK)
    mi_motion_begin_chunk(
        solver, m, k, k + MI_MOTION_CHUNK < solver->nvert ? k + MI_MOTION_CHUNK : solver->nvert);
  mi_motion_begin(solver, m);
  mi_motion_evaluate(solver, m);
  mi_fepr(solver, m);
  for (int k = 0; k < solver->nvert; k++)
    for (int a = 0; a < 3; a++) {
      size_t to = 3 * (size_t)solver->perm[k] + (size_t)a, from = 4 * (size_t)k + (size_t)a;
      c->x[to] = solver->x[from], c->v[to] = m->velocity[from];
    }
}

int linear_cube_run(bool projection, double spin, double stretch, int nstep, double *energy) {
  cube c;
  double dt = STEP;
  int code = open(&c, spin, stretch, dt);
  double start = code ? 1 : energy_of(&c);
  bool alive = !code;
  for (int k = 0; !code && k < nstep; k++) {
    alive = alive && step_linear(&c, dt);
    if (alive && projection) project(&c, dt);
    for (int i = 0; alive && !projection && i < 3 * c.nvert; i++)
      c.x[i] += c.d[i], c.v[i] = c.d[i] / dt;
    double now = alive ? energy_of(&c) / start : INFINITY;
    alive = alive && now < 1e6;
    energy[k] = alive ? now : 1e6; // it has exploded
  }
  if (c.nvert) mi_arena_free(&c.arena);
  block_scene_free(&c.scene);
  return code;
}
