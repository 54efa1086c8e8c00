// Back from a simulated rig to a render mesh of 100k vertices, against copying that mesh.
#include "bench.h"

#include "mesh/decimate.h"
#include "rig/skin_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 320, NVERT = SIDE * SIDE, TARGET = 5000 };

typedef struct sheet {
  mien_host host;
  mi_arena arena;
  mi_skin_map map;
  float *position, *copy, *motion;
} sheet;

// a sheet with hills, so that it is not flat
static bool make(sheet *s) {
  int32_t *tri = MI_PUSH(&s->arena, int32_t, 6 * (SIDE - 1) * (SIDE - 1));
  int32_t *source = MI_PUSH(&s->arena, int32_t, NVERT), *vert = MI_PUSH(&s->arena, int32_t, NVERT);
  float *normal = MI_PUSH(&s->arena, float, 3 * NVERT);
  s->position = MI_PUSH(&s->arena, float, 3 * NVERT + 1);
  s->copy = MI_PUSH(&s->arena, float, 3 * NVERT + 1);
  mi_topology topo;
  mi_decimated coarse;
  if (!tri || !source || !vert || !normal || !s->position || !s->copy) return false;
  int ntri = 0;
  for (int i = 0; i < NVERT; i++) {
    double x = (double)(i % SIDE) / SIDE, y = (double)(i / SIDE) / SIDE;
    s->position[3 * i] = (float)(0.2 * x);
    s->position[3 * i + 1] = (float)(0.2 * y);
    s->position[3 * i + 2] = (float)(0.02 * sin(12 * x) * cos(9 * y));
    source[i] = -1;
    vert[i] = i;
    if (i % SIDE == SIDE - 1 || i / SIDE == SIDE - 1) continue;
    const int32_t quad[6] = {i, i + 1, i + SIDE, i + 1, i + SIDE + 1, i + SIDE};
    memcpy(tri + 3 * (size_t)ntri, quad, sizeof quad);
    ntri += 2;
  }
  mi_decimate_def def = {NVERT, ntri, s->position, tri, NULL, TARGET};
  if (!mi_topology_build(NVERT, ntri, tri, &s->arena, &topo) ||
      !mi_decimate(&def, &s->arena, &coarse))
    return false;
  mi_vertex_normals(&topo, s->position, normal);
  for (int i = 0; i < coarse.nvert; i++) source[coarse.vert[i]] = i;
  s->motion = MI_PUSH(&s->arena, float, 4 * (size_t)coarse.nvert);
  mi_skin_map_def map = {&topo, s->position, normal, vert, source, coarse.nvert, &s->host};
  if (!s->motion || !mi_skin_map_build(&map, &s->arena, &s->map)) return false;
  for (int i = 0; i < 4 * coarse.nvert; i++) s->motion[i] = i % 4 == 3 ? 0 : 1e-9f;
  return true;
}

static int map_back(void *user) {
  sheet *s = user;
  mi_skin_map_apply(&s->map, s->motion, s->host.threads, s->position);
  return 0;
}

static int copy(void *user) {
  sheet *s = user;
  memcpy(s->copy, s->position, 3 * NVERT * sizeof(float));
  // the compiler would drop a copy that is never read
  __asm__ volatile("" : : "r"(s->copy) : "memory");
  return 0;
}

// of many more repeats than elsewhere: these are fractions of a millisecond
static double fastest(const bench *b, bench_fn *fn, sheet *s) {
  double best = INFINITY;
  for (int k = 0; k < 20; k++) best = fmin(best, bench_time(b, fn, s));
  return best;
}

int bench_skin(bench *b) {
  sheet s = {0};
  mien_host given;
  mien_host_init(&given);
  if (mi_host_resolve(&given, &s.host, NULL) < 0) return cli_fail("out of memory");
  mi_arena_init(&s.arena, &s.host);
  int code = make(&s) ? CLI_DONE : cli_fail("out of memory");
  if (!code) {
    double copied = fastest(b, copy, &s), mapped = fastest(b, map_back, &s);
    s.host.threads = 1;
    double alone = fastest(b, map_back, &s);
    bench_add(b, (bench_row){"P14", "skin map of a 102k-vertex render mesh, all threads", mapped,
                             copied, "copying it", 3});
    bench_add(b, (bench_row){"", "  the same on one thread", alone, copied, "copying it", 0});
  }
  mi_arena_free(&s.arena);
  return code;
}
