#include "rig/skin_map.h"

#include "math/vec.h"

#include <stdlib.h>
#include <string.h>

enum { NEGLIGIBLE = 40 }; // of MI_MAP_ONE
enum { NEAR = MI_MAP_WIDTH + 1, CHUNK = 2048, MOST_OPEN = 4096 };

// Weights over simulated vertices for one render vertex.
typedef struct map_row {
  uint16_t source[MI_MAP_WIDTH];
  int16_t weight[MI_MAP_WIDTH]; // they add up to MI_MAP_ONE, or are all 0
} map_row;

typedef struct found {
  int source;
  double distance;
  int vert;
} found;

// One search after another over the same mesh.
typedef struct search {
  const mi_skin_map_def *def;
  float *distance; // from the current vertex, valid where `stamp` is current            (nvert)
  int32_t *stamp;  //                                                                (nvert)
  int32_t *heap;   // vertices by distance                                           (MOST_OPEN)
  int nheap, round;
} search;

static void push(search *s, int v, float distance) {
  if (s->stamp[v] == s->round && !(distance < s->distance[v])) return;
  if (s->nheap == MOST_OPEN) return; // far beyond what any vertex needs
  s->stamp[v] = s->round;
  s->distance[v] = distance;
  int at = s->nheap++;
  for (; at > 0 && s->distance[s->heap[(at - 1) / 2]] > distance; at = (at - 1) / 2)
    s->heap[at] = s->heap[(at - 1) / 2];
  s->heap[at] = v;
}

static int pop(search *s) {
  int first = s->heap[0], last = s->heap[--s->nheap], at = 0;
  for (;;) {
    int child = 2 * at + 1;
    if (child >= s->nheap) break;
    if (child + 1 < s->nheap && s->distance[s->heap[child + 1]] < s->distance[s->heap[child]])
      child++;
    if (s->distance[s->heap[child]] >= s->distance[last]) break;
    s->heap[at] = s->heap[child];
    at = child;
  }
  s->heap[at] = last;
  return first;
}

// The nearest simulated vertices along edges, nearest first.
static int find_near(search *s, int from, found out[NEAR]) {
  const mi_topology *topo = s->def->topo;
  int count = 0;
  s->round++;
  s->nheap = 0;
  push(s, from, 0);
  while (s->nheap && count < NEAR) {
    int v = pop(s);
    if (s->distance[v] < 0) continue; // seen
    float distance = s->distance[v];
    s->distance[v] = -1;
    if (s->def->source[v] >= 0) out[count++] = (found){s->def->source[v], (double)distance, v};
    for (int k = topo->nbr_first[v]; k < topo->nbr_first[v + 1]; k++) {
      int n = topo->nbr[k];
      if (s->stamp[n] == s->round && s->distance[n] < 0) continue;
      double length = mi_distance(mi_vec3_load(s->def->position + 3 * (size_t)v),
                                  mi_vec3_load(s->def->position + 3 * (size_t)n));
      push(s, n, distance + (float)length);
    }
  }
  return count;
}

// mu of A mu = (1, 0, 0); false when A is close to singular
static bool solve3(const double a[6], double mu[3]) {
  double c0 = a[3] * a[5] - a[4] * a[4], c1 = a[2] * a[4] - a[1] * a[5];
  double c2 = a[1] * a[4] - a[2] * a[3], det = a[0] * c0 + a[1] * c1 + a[2] * c2;
  if (!(fabs(det) > 1e-6 * a[0] * a[3] * a[5])) return false;
  mu[0] = c0 / det;
  mu[1] = c1 / det;
  mu[2] = c2 / det;
  return true;
}

// Weights of moving least squares. They fall to 0 at the distance of the first omitted vertex, so
// the map is continuous where the set of nearest vertices changes.
static int find_weights(const mi_skin_map_def *def, int v, const found *near, int count,
                        double weight[MI_MAP_WIDTH]) {
  int used = count < MI_MAP_WIDTH ? count : MI_MAP_WIDTH;
  double reach = count == NEAR ? near[NEAR - 1].distance : 2 * near[used - 1].distance, sum = 0;
  mi_vec3 o = mi_vec3_load(def->position + 3 * (size_t)v);
  mi_vec3 n = mi_vec3_load(def->normal + 3 * (size_t)v);
  mi_vec3 side = fabs(n.x) < 0.7 ? (mi_vec3){1, 0, 0} : (mi_vec3){0, 1, 0};
  mi_vec3 t1 = mi_unit(mi_cross(n, side)), t2 = mi_cross(n, t1);
  double a[6] = {0}, q[MI_MAP_WIDTH][2], mu[3], plain[MI_MAP_WIDTH], least = 0;
  for (int k = 0; k < used; k++) {
    double share = fmax(0, 1 - near[k].distance / (1.0001 * reach));
    plain[k] = share * share * share / (near[k].distance * near[k].distance);
    mi_vec3 way = mi_sub(mi_vec3_load(def->position + 3 * (size_t)near[k].vert), o);
    q[k][0] = mi_dot(way, t1) / reach;
    q[k][1] = mi_dot(way, t2) / reach;
    sum += plain[k];
  }
  for (int k = 0; k < used; k++) {
    plain[k] /= sum;
    double s = plain[k];
    a[0] += s;
    a[1] += s * q[k][0];
    a[2] += s * q[k][1];
    a[3] += s * q[k][0] * q[k][0];
    a[4] += s * q[k][0] * q[k][1];
    a[5] += s * q[k][1] * q[k][1];
  }
  bool is_linear = solve3(a, mu);
  for (int k = 0; k < used; k++) {
    weight[k] = plain[k] * (is_linear ? mu[0] + mu[1] * q[k][0] + mu[2] * q[k][1] : 1);
    least = fmin(least, weight[k]);
  }
  // a linear fit diverges outside of the simulated skin: blend towards the average
  double back = least < -0.2 ? 1 + 0.2 / least : 0;
  for (int k = 0; k < used; k++) weight[k] += back * (plain[k] - weight[k]);
  return used;
}

static void fill_row(search *s, int v, map_row *row) {
  found near[NEAR];
  double weight[MI_MAP_WIDTH] = {0}, sum = 0;
  int used = 0;
  if (s->def->source[v] >= 0) {
    near[0].source = s->def->source[v];
    weight[0] = used = 1;
  } else {
    int count = find_near(s, v, near);
    if (count) used = find_weights(s->def, v, near, count, weight);
  }
  for (int k = 0; k < used; k++) sum += weight[k];
  int left = used ? MI_MAP_ONE : 0, largest = 0;
  for (int k = 0; k < MI_MAP_WIDTH; k++) {
    row->source[k] = (uint16_t)(used ? near[k < used ? k : 0].source : 0);
    row->weight[k] = (int16_t)(k < used ? lrint(MI_MAP_ONE * weight[k] / sum) : 0);
    // negligible weights of far vertices would only cost memory
    if (abs(row->weight[k]) < NEGLIGIBLE) row->weight[k] = 0;
    left -= row->weight[k];
    if (row->weight[k] > row->weight[largest]) largest = k;
  }
  row->weight[largest] = (int16_t)(row->weight[largest] + left);
}

typedef struct fill_ctx {
  const mi_skin_map_def *def;
  map_row *rows;
  unsigned char *is_out_of_memory; // a byte a chunk
} fill_ctx;

static void fill_range(void *task, int begin, int end) {
  fill_ctx *f = task;
  int nvert = f->def->topo->nvert;
  mi_arena scratch;
  mi_arena_init(&scratch, f->def->host);
  search s = {.def = f->def,
              .distance = MI_PUSH(&scratch, float, nvert),
              .stamp = MI_PUSH(&scratch, int32_t, nvert),
              .heap = MI_PUSH(&scratch, int32_t, MOST_OPEN)};
  bool done = s.distance && s.stamp && s.heap;
  for (int v = begin; done && v < end; v++) fill_row(&s, v, f->rows + v);
  f->is_out_of_memory[begin / CHUNK] = !done;
  mi_arena_free(&scratch);
}

// Rows begin .. begin + nlane as a block at the end of the stream. Returns how long that is then.
static uint32_t pack_block(const map_row *rows, int nlane, int16_t *stream, mi_map_block *block) {
  uint16_t source[MI_MAP_LANES * MI_MAP_WIDTH];
  int16_t weight[MI_MAP_LANES * MI_MAP_WIDTH][MI_MAP_LANES] = {{0}};
  int count = 0;
  for (int l = 0; l < nlane; l++)
    for (int k = 0; k < MI_MAP_WIDTH; k++) {
      if (!rows[l].weight[k]) continue;
      int at = 0;
      while (at < count && source[at] != rows[l].source[k]) at++;
      if (at == count) source[count++] = rows[l].source[k];
      weight[at][l] = (int16_t)(weight[at][l] + rows[l].weight[k]);
    }
  block->nsource = (uint16_t)count;
  block->nlane = (uint16_t)nlane;
  if (stream) {
    memcpy(stream + block->stream, source, (size_t)count * sizeof *stream);
    memcpy(stream + block->stream + count, weight, (size_t)count * sizeof *weight);
  }
  return block->stream + (uint32_t)count * (1 + MI_MAP_LANES);
}

// Once to count, once to fill.
static bool pack(const mi_skin_map_def *def, const map_row *rows, mi_arena *arena,
                 mi_skin_map *map) {
  int nrow = def->topo->nvert;
  map->blocks = MI_PUSH(arena, mi_map_block, nrow); // at most; most are eight times fewer
  if (!map->blocks) return false;
  for (int pass = 0; pass < 2; pass++) {
    uint32_t length = 0;
    map->nblock = 0;
    for (int i = 0, nlane; i < nrow; i += nlane) {
      for (nlane = 1; nlane < MI_MAP_LANES && i + nlane < nrow; nlane++)
        if (def->vert[i + nlane] != def->vert[i] + nlane) break;
      mi_map_block *block = map->blocks + map->nblock++;
      block->vert = def->vert[i];
      block->stream = length;
      length = pack_block(rows + i, nlane, map->stream, block);
    }
    if (!pass) map->stream = MI_PUSH(arena, int16_t, length);
    if (!map->stream) return false;
  }
  return true;
}

bool mi_skin_map_build(const mi_skin_map_def *def, mi_arena *arena, mi_skin_map *map) {
  int nrow = def->topo->nvert, nchunk = (nrow + CHUNK - 1) / CHUNK;
  mi_arena scratch;
  mi_arena_init(&scratch, def->host);
  *map = (mi_skin_map){.nvert = nrow, .nsource = def->nsource};
  fill_ctx f = {def, MI_PUSH(&scratch, map_row, nrow), MI_PUSH(&scratch, unsigned char, nchunk)};
  bool done = f.rows && f.is_out_of_memory;
  if (done) mi_parallel(def->host->threads, nrow, CHUNK, fill_range, &f);
  for (int k = 0; done && k < nchunk; k++) done = !f.is_out_of_memory[k];
  done = done && pack(def, f.rows, arena, map);
  mi_arena_free(&scratch);
  return done;
}

typedef struct apply_ctx {
  const mi_skin_map *map;
  const float *motion;
  float *positions;
} apply_ctx;

static void apply_range(void *task, int begin, int end) {
  const apply_ctx *a = task;
  mi_kernels_best()->map_blocks(a->map->blocks + begin, end - begin, a->map->stream, a->motion,
                                a->positions);
}

void mi_skin_map_apply(const mi_skin_map *map, const float *motion, int threads, float *positions) {
  enum { BLOCKS = 2048 };
  apply_ctx a = {map, motion, positions};
  mi_parallel(threads, map->nblock, BLOCKS, apply_range, &a);
}
