#include "block_scene.h"

#include "blocks/tet_block.h"
#include "solve/solver.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tet_block_def shape_of(const block_scene_def *def) {
  tet_block_def shape = {.tets_per_cell = 6};
  for (int k = 0; k < 3; k++) shape.size[k] = def->size[k], shape.cells[k] = def->cells[k];
  return shape;
}

// -- surface --------------------------------------------------------------------------------------

typedef struct surface {
  tet_block block;
  int32_t *place; // block vertex -> surface vertex, -1 = inside
  float *x;
  int32_t *tri;
  int nvert, ntri;
} surface;

static int is_outside(const tet_block *b, int i, int j, int k) {
  return i == 0 || j == 0 || k == 0 || i == b->cells[0] || j == b->cells[1] || k == b->cells[2];
}

static void add_vertices(surface *s) {
  const tet_block *b = &s->block;
  for (int k = 0; k <= b->cells[2]; k++)
    for (int j = 0; j <= b->cells[1]; j++)
      for (int i = 0; i <= b->cells[0]; i++) {
        int v = tet_block_vertex(b, i, j, k);
        s->place[v] = is_outside(b, i, j, k) ? s->nvert : -1;
        if (s->place[v] < 0) continue;
        for (int c = 0; c < 3; c++) s->x[3 * s->nvert + c] = (float)b->position[v][c];
        s->nvert++;
      }
}

// sides of tetrahedra that no other has: a side is in the surface when its corners are on one face
static void add_triangles(surface *s) {
  static const int side[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  const tet_block *b = &s->block;
  for (int e = 0; e < b->ntet; e++)
    for (int f = 0; f < 4; f++) {
      const double *p[3];
      for (int c = 0; c < 3; c++) p[c] = b->position[b->tet[e][side[f][c]]];
      bool outside = false;
      for (int a = 0; a < 3; a++) {
        double end = fabs(b->position[0][a]);
        outside = outside || (fabs(fabs(p[0][a]) - end) < 1e-9 && fabs(p[1][a] - p[0][a]) < 1e-9 &&
                              fabs(p[2][a] - p[0][a]) < 1e-9);
      }
      for (int c = 0; outside && c < 3; c++)
        s->tri[3 * s->ntri + c] = s->place[b->tet[e][side[f][c]]];
      s->ntri += outside;
    }
}

static bool make_surface(surface *s, const block_scene_def *def) {
  tet_block_def shape = shape_of(def);
  *s = (surface){0};
  if (tet_block_create(&s->block, &shape)) return false;
  s->place = malloc((size_t)s->block.nvert * sizeof *s->place);
  s->x = malloc(3 * (size_t)(s->block.nvert + 4) * sizeof *s->x);
  s->tri = malloc(3 * (4 * (size_t)s->block.ntet + 4) * sizeof *s->tri);
  if (!s->place || !s->x || !s->tri) return false;
  add_vertices(s);
  add_triangles(s);
  return true;
}

static void free_surface(surface *s) {
  tet_block_free(&s->block);
  free(s->place);
  free(s->x);
  free(s->tri);
}

int block_scene_surface(const block_scene_def *def, float *x, int most) {
  surface s;
  int count = 0;
  if (make_surface(&s, def) && s.nvert <= most) {
    count = s.nvert;
    memcpy(x, s.x, 3 * (size_t)count * sizeof *x);
  }
  free_surface(&s);
  return count;
}

// -- rig and face ---------------------------------------------------------------------------------

// The library asks for bones; this one is so small that it lies inside a cell and holds nothing.
static void add_bone(surface *s) {
  static const int tri[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  double cell = 2 * fabs(s->block.position[0][0]) / s->block.cells[0];
  for (int v = 0; v < 4; v++)
    for (int c = 0; c < 3; c++)
      s->x[3 * (s->nvert + v) + c] = (float)(0.01 * cell * (v == c + 1)) + 0.001f * (float)cell;
  for (int k = 0; k < 12; k++) s->tri[3 * s->ntri + k] = s->nvert + tri[k];
}

static int fill(void *user, const mien_surface *given, mien_tet_mesh *out, char why[160]) {
  const surface *s = user;
  int ninside = s->block.nvert - s->nvert;
  out->nvert = given->nvert + ninside;
  out->ntet = s->block.ntet;
  out->positions = malloc(3 * (size_t)out->nvert * sizeof(double));
  out->tets = malloc(4 * (size_t)out->ntet * sizeof(int32_t));
  int32_t *number = malloc((size_t)s->block.nvert * sizeof *number);
  bool done = out->positions && out->tets && number && given->nvert == s->nvert + 4;
  if (done) memcpy(out->positions, given->positions, 3 * (size_t)given->nvert * sizeof(double));
  for (int v = 0, next = given->nvert; done && v < s->block.nvert; v++) {
    number[v] = s->place[v] >= 0 ? s->place[v] : next++;
    memcpy(out->positions + 3 * (size_t)number[v], s->block.position[v], 3 * sizeof(double));
  }
  for (int k = 0; done && k < 4 * out->ntet; k++) out->tets[k] = number[s->block.tet[k / 4][k % 4]];
  free(number);
  if (!done) snprintf(why, 160, "the block does not fit its surface");
  return done ? 0 : -1;
}

// a face never changes once a state shares it; this one has none yet
static void attach_stiffness(const block_scene_def *def, const surface *s, mien_face *face) {
  for (int i = 0; i < face->info.nvert; i++) {
    bool is_bone = i >= s->nvert && i < s->nvert + 4;
    bool end = def->is_held && face->rest[3 * (size_t)i] < -0.4999 * def->size[0];
    if (is_bone) face->mass[i] = 0; // it has no flesh
    if (!is_bone && (end || def->attach_stiffness > 0)) face->attachment[i] = 1;
  }
}

static mien_result build(block_scene *scene, const block_scene_def *def, surface *s) {
  const mien_part parts[2] = {{"skin", MIEN_PART_SKIN, 0, s->nvert, 0, s->ntri},
                              {"bone", MIEN_PART_SKULL, s->nvert, 4, s->ntri, 4}};
  mien_host host;
  mien_rig_def rig;
  mien_face_def flesh;
  mien_host_init(&host);
  host.threads = def->threads;
  mien_rig_def_init(&rig);
  rig.positions = (mien_f32s){s->x, s->nvert + 4, 3};
  rig.faces = (mien_i32s){s->tri, 3 * (s->ntri + 4)};
  rig.parts = parts;
  rig.npart = 2;
  rig.shapes = def->shapes;
  rig.nshape = def->nshape;
  rig.maps = def->maps;
  rig.nmap = def->nmap;
  rig.weld = 0;
  mien_face_def_init(&flesh);
  flesh.flesh = MIEN_FLESH_VOLUME;
  flesh.stiffness = def->stiffness;
  flesh.volume_stiffness = 3 * def->stiffness;
  flesh.attachment_rate = def->attach_stiffness > 0 ? def->attach_stiffness : 1000;
  flesh.tetrahedralise = fill;
  flesh.tetrahedralise_user = s;
  add_bone(s);
  mien_result result = mien_rig_create(&rig, &host, &scene->rig, &scene->err);
  if (result >= 0) result = mien_face_create(scene->rig, &flesh, &host, &scene->face, &scene->err);
  if (result >= 0) attach_stiffness(def, s, scene->face);
  return result < 0 ? result : mien_state_create(scene->face, &host, &scene->state, &scene->err);
}

mien_result block_scene_create(block_scene *scene, const block_scene_def *def) {
  surface s;
  *scene = (block_scene){0};
  mien_result result = MIEN_ERR_MEMORY;
  if (make_surface(&s, def)) result = build(scene, def, &s);
  free_surface(&s);
  return result;
}

void block_scene_free(block_scene *scene) {
  mien_state_free(scene->state);
  mien_face_free(scene->face);
  mien_rig_free(scene->rig);
}

// -- motion ---------------------------------------------------------------------------------------

void block_scene_spin(block_scene *scene, const double spin[3], double stretch) {
  mi_dynamics *dynamics = &scene->state->dynamics;
  for (int i = 0; i < scene->face->info.nvert; i++) {
    const float *rest = scene->face->rest + 3 * (size_t)i;
    float *offset = dynamics->offset + 3 * (size_t)i, *v = dynamics->velocity + 3 * (size_t)i;
    if (!(scene->face->mass[i] > 0)) continue; // the bone
    offset[0] = (float)((stretch - 1) * rest[0]);
    const double at[3] = {(double)rest[0] + offset[0], rest[1], rest[2]};
    for (int c = 0; c < 3; c++) {
      int a = (c + 1) % 3, b = (c + 2) % 3;
      v[c] = (float)(spin[a] * at[b] - spin[b] * at[a]);
    }
  }
}

block_motion block_scene_measure(block_scene *scene) {
  const mien_face *face = scene->face;
  const mi_dynamics *dynamics = &scene->state->dynamics;
  mi_solver *solver = scene->state->solver;
  block_motion m = {0};
  double all = 0;
  for (int i = 0; i < face->info.nvert; i++) {
    double mass = face->mass[i], x[3], v[3];
    for (int c = 0; c < 3; c++) {
      size_t at = 3 * (size_t)i + (size_t)c;
      x[c] = (double)dynamics->posed[at] + dynamics->offset[at];
      v[c] = dynamics->velocity[at];
      m.kinetic += 0.5 * mass * v[c] * v[c];
      m.momentum[c] += mass * v[c];
      m.centre[c] += mass * x[c];
    }
    for (int c = 0; c < 3; c++) {
      int a = (c + 1) % 3, b = (c + 2) % 3;
      m.turning[c] += mass * (x[a] * v[b] - x[b] * v[a]);
    }
    all += mass;
  }
  for (int c = 0; c < 3; c++) m.centre[c] /= all;
  if (!solver) return m; // no step yet
  mi_energies energies;
  for (int k = 0; k < solver->nvert; k++)
    for (int c = 0; c < 3; c++) {
      size_t at = 3 * (size_t)solver->perm[k] + (size_t)c;
      solver->anchor[4 * (size_t)k + (size_t)c] = dynamics->posed[at];
      solver->trial[4 * (size_t)k + (size_t)c] = dynamics->posed[at] + dynamics->offset[at];
    }
  mi_solver_evaluate(solver, solver->trial, solver->trial_gradient, &energies);
  m.elastic = energies.elastic + energies.attachment;
  return m;
}
