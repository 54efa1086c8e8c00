// How much of the sky each vertex sees, by casting rays through a tree of boxes.
#include "internal.h"

#include <stdlib.h>
#include <string.h>

#define NRAY 64 // over the whole sphere: about half of them leave a vertex
#define LEAF 4  // triangles

typedef struct box_node {
  float low[3], high[3];
  int first, count; // leaf: triangles order[first .. first + count]; inner: count 0, children first
} box_node;

typedef struct sky {
  mien_f32s positions;
  const int32_t *triangles;
  int ntri, nnode;
  box_node *nodes;
  int32_t *order;
  float *flat;     // first corner and two edges of each triangle, in order       (ntri x 9)
  rd_vec *normals; // of the vertices
  rd_vec rays[NRAY];
  float reach;
} sky;

static const float *corner_of(const sky *s, int triangle, int k) {
  return rd_element(s->positions, 3, s->triangles[3 * (ptrdiff_t)triangle + k]);
}

// -- Tree -----------------------------------------------------------------------------------------

static void fit_node(const sky *s, box_node *node) {
  for (int k = 0; k < 3; k++) node->low[k] = INFINITY, node->high[k] = -INFINITY;
  for (int i = node->first; i < node->first + node->count; i++) {
    for (int c = 0; c < 9; c++) {
      float value = corner_of(s, s->order[i], c / 3)[c % 3];
      node->low[c % 3] = rd_min(node->low[c % 3], value);
      node->high[c % 3] = rd_max(node->high[c % 3], value);
    }
  }
}

static float middle_of(const sky *s, int triangle, int axis) {
  return corner_of(s, triangle, 0)[axis] + corner_of(s, triangle, 1)[axis] +
         corner_of(s, triangle, 2)[axis];
}

// Moves triangles whose middle lies below the box's to the front; halves the row when none does.
static int part_triangles(sky *s, const box_node *node, int axis) {
  float limit = 1.5f * (node->low[axis] + node->high[axis]);
  int front = node->first, end = node->first + node->count;
  for (int i = node->first; i < end; i++) {
    if (middle_of(s, s->order[i], axis) >= limit) continue;
    int32_t keep = s->order[i];
    s->order[i] = s->order[front];
    s->order[front++] = keep;
  }
  int taken = front - node->first;
  return taken && taken < node->count ? taken : node->count / 2;
}

static void grow_tree(sky *s) {
  s->nodes[0] = (box_node){.first = 0, .count = s->ntri};
  s->nnode = 1;
  fit_node(s, &s->nodes[0]);
  for (int i = 0; i < s->nnode; i++) { // children come after their parent
    box_node *node = &s->nodes[i];
    if (node->count <= LEAF) continue;
    int axis = 0;
    for (int k = 1; k < 3; k++) {
      if (node->high[k] - node->low[k] > node->high[axis] - node->low[axis]) axis = k;
    }
    int taken = part_triangles(s, node, axis);
    box_node *left = &s->nodes[s->nnode], *right = left + 1;
    *left = (box_node){.first = node->first, .count = taken};
    *right = (box_node){.first = node->first + taken, .count = node->count - taken};
    fit_node(s, left);
    fit_node(s, right);
    node->first = s->nnode;
    node->count = 0;
    s->nnode += 2;
  }
}

// -- Rays -----------------------------------------------------------------------------------------

typedef struct ray {
  rd_vec from, to; // `to` of unit length
  float inverse[3], length;
} ray;

static bool meets_box(const ray *r, const box_node *node) {
  float from[3] = {r->from.x, r->from.y, r->from.z}, near = 0.0f, far = r->length;
  for (int k = 0; k < 3; k++) {
    float a = (node->low[k] - from[k]) * r->inverse[k];
    float b = (node->high[k] - from[k]) * r->inverse[k];
    near = rd_max(near, rd_min(a, b));
    far = rd_min(far, rd_max(a, b));
  }
  return near <= far;
}

// Moeller & Trumbore, "Fast, minimum storage ray/triangle intersection" (1997). Shortens the ray.
static void meet_triangle(const float *flat, ray *r) {
  rd_vec e1 = rd_at(flat + 3), e2 = rd_at(flat + 6), p = rd_cross(r->to, e2);
  float det = rd_dot(e1, p);
  if (det == 0.0f) return;
  float inverse = 1.0f / det;
  rd_vec away = rd_sub(r->from, rd_at(flat));
  float u = rd_dot(away, p) * inverse;
  if (!(u >= 0.0f && u <= 1.0f)) return;
  rd_vec q = rd_cross(away, e1);
  float v = rd_dot(r->to, q) * inverse, t = rd_dot(e2, q) * inverse;
  if (v >= 0.0f && u + v <= 1.0f && t > 0.0f && t < r->length) r->length = t;
}

static bool nearer(const ray *r, const box_node *a, const box_node *b) {
  rd_vec between = {b->low[0] + b->high[0] - a->low[0] - a->high[0],
                    b->low[1] + b->high[1] - a->low[1] - a->high[1],
                    b->low[2] + b->high[2] - a->low[2] - a->high[2]};
  return rd_dot(between, r->to) > 0.0f;
}

static void cast_ray(const sky *s, ray *r) {
  int stack[64], depth = 0;
  stack[depth++] = 0;
  while (depth) {
    const box_node *node = &s->nodes[stack[--depth]];
    if (!meets_box(r, node)) continue;
    for (int i = 0; i < node->count; i++) {
      meet_triangle(s->flat + 9 * (ptrdiff_t)(node->first + i), r);
    }
    if (node->count || depth > 61) continue;
    bool first_is_nearer = nearer(r, &s->nodes[node->first], &s->nodes[node->first + 1]);
    stack[depth++] = node->first + (first_is_nearer ? 1 : 0);
    stack[depth++] = node->first + (first_is_nearer ? 0 : 1);
  }
}

// The same directions for all vertices, weighted by the cosine with the normal: neighbours see
// nearly the same sky, so the result is smooth without smoothing.
static float open_sky(const sky *s, int vertex) {
  rd_vec normal = s->normals[vertex];
  rd_vec from = rd_at(rd_element(s->positions, 3, vertex));
  from = rd_add(from, rd_scale(normal, 0.01f * s->reach));
  float open = 0.0f, total = 0.0f;
  for (int i = 0; i < NRAY; i++) {
    float weight = rd_dot(normal, s->rays[i]);
    if (weight <= 0.02f) continue;
    rd_vec d = s->rays[i];
    ray r = {from, d, {1.0f / d.x, 1.0f / d.y, 1.0f / d.z}, s->reach};
    cast_ray(s, &r);
    open += weight * r.length / s->reach;
    total += weight;
  }
  return total > 0.0f ? open / total : 1.0f;
}

static void flatten(sky *s) {
  for (int i = 0; i < s->ntri; i++) {
    float *flat = s->flat + 9 * (ptrdiff_t)i;
    for (int k = 0; k < 3; k++) {
      flat[k] = corner_of(s, s->order[i], 0)[k];
      flat[3 + k] = corner_of(s, s->order[i], 1)[k] - flat[k];
      flat[6 + k] = corner_of(s, s->order[i], 2)[k] - flat[k];
    }
  }
}

static void aim_rays(sky *s) {
  const float turn = RD_PI * (3.0f - sqrtf(5.0f)); // golden angle: even over the sphere
  for (int i = 0; i < NRAY; i++) {
    float y = 1.0f - 2.0f * ((float)i + 0.5f) / NRAY, r = sqrtf(1.0f - y * y);
    s->rays[i] = (rd_vec){r * cosf(turn * (float)i), y, r * sinf(turn * (float)i)};
  }
}

static void sum_normals(sky *s) {
  for (int t = 0; t < s->ntri; t++) {
    rd_vec a = rd_at(corner_of(s, t, 0));
    rd_vec normal =
        rd_cross(rd_sub(rd_at(corner_of(s, t, 1)), a), rd_sub(rd_at(corner_of(s, t, 2)), a));
    for (int k = 0; k < 3; k++) {
      rd_vec *sum = &s->normals[s->triangles[3 * (ptrdiff_t)t + k]];
      *sum = rd_add(*sum, normal);
    }
  }
  for (int i = 0; i < s->positions.count; i++) s->normals[i] = rd_unit(s->normals[i]);
}

mien_result render_occlusion(mien_f32s positions, mien_i32s triangles, float reach, float *out,
                             mien_error *err) {
  if (!positions.data || !triangles.data || triangles.count < 3 || triangles.count % 3 || !out ||
      !(reach > 0.0f)) {
    return rd_fail(err, MIEN_ERR_ARGUMENT, "Occlusion needs a mesh and a reach above 0.");
  }
  for (int i = 0; i < triangles.count; i++) {
    if (triangles.data[i] >= 0 && triangles.data[i] < positions.count) continue;
    return rd_fail(err, MIEN_ERR_ARGUMENT, "Triangle %d uses vertex %d, but there are %d.", i / 3,
                   triangles.data[i], positions.count);
  }
  int ntri = triangles.count / 3;
  sky s = {.positions = positions,
           .triangles = triangles.data,
           .ntri = ntri,
           .nodes = RD_NEW(box_node, 2 * (size_t)ntri + 1),
           .order = RD_NEW(int32_t, ntri),
           .flat = RD_NEW(float, 9 * (size_t)ntri),
           .normals = RD_NEW(rd_vec, positions.count),
           .reach = reach};
  mien_result result = s.nodes && s.order && s.flat && s.normals ? MIEN_OK : rd_fail_memory(err);
  if (result >= 0) {
    for (int i = 0; i < ntri; i++) s.order[i] = i;
    aim_rays(&s);
    sum_normals(&s);
    grow_tree(&s);
    flatten(&s);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 256)
#endif
    for (int i = 0; i < positions.count; i++) out[i] = open_sky(&s, i);
  }
  free(s.nodes);
  free(s.order);
  free(s.flat);
  free(s.normals);
  return result;
}
