// Surfaces: split at creases, normals from the faces around each vertex, buffers.
#include "gl.h"

#include <stdlib.h>
#include <string.h>

// -- Checks ---------------------------------------------------------------------------------------

static mien_result check_def(const render_mesh_def *def, mien_error *err) {
  if (!def || !def->positions.data || def->positions.count < 1 || def->triangles.count < 0 ||
      def->triangles.count % 3 || (def->triangles.count && !def->triangles.data)) {
    return rd_fail(err, MIEN_ERR_ARGUMENT, "A mesh to draw needs positions and triangles.");
  }
  for (int i = 0; i < def->triangles.count; i++) {
    int32_t vertex = def->triangles.data[i];
    if (vertex < 0 || vertex >= def->positions.count) {
      return rd_fail(err, MIEN_ERR_ARGUMENT, "Triangle %d uses vertex %d, but there are %d.", i / 3,
                     vertex, def->positions.count);
    }
  }
  return MIEN_OK;
}

static mien_result check_count(mien_f32s view, int nvert, const char *what, mien_error *err) {
  if (!view.data || view.count == nvert) return MIEN_OK;
  return rd_fail(err, MIEN_ERR_MISMATCH, "A mesh of %d vertices was given %d %s.", nvert,
                 view.count, what);
}

// -- Creases --------------------------------------------------------------------------------------

static rd_vec face_normal(mien_f32s positions, const int32_t *tri) { // not of unit length
  rd_vec a = rd_at(rd_element(positions, 3, tri[0])), b = rd_at(rd_element(positions, 3, tri[1]));
  return rd_cross(rd_sub(b, a), rd_sub(rd_at(rd_element(positions, 3, tri[2])), a));
}

typedef struct corner_ring {
  int32_t *first;  // corners around vertex i: item[first[i]] to item[first[i + 1]]
  int32_t *item;   // corner numbers, 3 * triangle + 0..2
  rd_vec *normals; // of the triangles, unit
  float limit;     // cosine of the crease angle
} corner_ring;

static void fill_ring(const render_mesh_def *def, corner_ring *ring) {
  int nvert = def->positions.count, ncorner = def->triangles.count;
  const int32_t *tri = def->triangles.data;
  for (int i = 0; i < ncorner; i++) ring->first[tri[i] + 1]++;
  for (int i = 0; i < nvert; i++) ring->first[i + 1] += ring->first[i];
  for (int i = 0; i < ncorner; i++) ring->item[ring->first[tri[i]]++] = i;
  memmove(ring->first + 1, ring->first, (size_t)nvert * sizeof *ring->first);
  ring->first[0] = 0;
  for (int i = 0; i < ncorner / 3; i++) {
    ring->normals[i] = rd_unit(face_normal(def->positions, tri + 3 * (ptrdiff_t)i));
  }
}

// Faces around a vertex that differ by less than the crease angle share one uploaded vertex: each
// corner joins the first earlier one that agrees with it.
static void split_vertex(render_mesh *mesh, const corner_ring *ring, int vertex) {
  for (int i = ring->first[vertex]; i < ring->first[vertex + 1]; i++) {
    int corner = ring->item[i], chosen = -1;
    for (int j = ring->first[vertex]; j < i && chosen < 0; j++) {
      rd_vec a = ring->normals[corner / 3], b = ring->normals[ring->item[j] / 3];
      if (rd_dot(a, b) >= ring->limit) chosen = mesh->corners[ring->item[j]];
    }
    if (chosen < 0) {
      chosen = mesh->ngpu++;
      mesh->source[chosen] = vertex;
    }
    mesh->corners[corner] = chosen;
  }
}

static mien_result split_creases(render_mesh *mesh, const render_mesh_def *def, mien_error *err) {
  int ncorner = def->triangles.count;
  corner_ring ring = {.first = RD_NEW(int32_t, mesh->nvert + 2),
                      .item = RD_NEW(int32_t, ncorner),
                      .normals = RD_NEW(rd_vec, ncorner / 3),
                      .limit = cosf(def->crease_angle * RD_PI / 180.0f)};
  mesh->source = RD_NEW(int32_t, ncorner);
  mien_result result = MIEN_OK;
  if (ring.first && ring.item && ring.normals && mesh->source) {
    fill_ring(def, &ring);
    for (int i = 0; i < mesh->nvert; i++) split_vertex(mesh, &ring, i);
  } else {
    result = rd_fail_memory(err);
  }
  free(ring.first);
  free(ring.item);
  free(ring.normals);
  return result;
}

static mien_result keep_vertices(render_mesh *mesh, const render_mesh_def *def, mien_error *err) {
  mesh->source = RD_NEW(int32_t, mesh->nvert);
  if (!mesh->source) return rd_fail_memory(err);
  for (int i = 0; i < mesh->nvert; i++) mesh->source[i] = i;
  if (def->triangles.count) {
    memcpy(mesh->corners, def->triangles.data, (size_t)def->triangles.count * sizeof(int32_t));
  }
  mesh->ngpu = mesh->nvert;
  return MIEN_OK;
}

// -- Moving ---------------------------------------------------------------------------------------

static float angle_between(rd_vec a, rd_vec b) {
  float size = sqrtf(rd_dot(a, a) * rd_dot(b, b));
  return size > 0.0f ? acosf(rd_clamp(rd_dot(a, b) / size, -1.0f, 1.0f)) : 0.0f;
}

// Face normals weighted by the angle at the vertex: the result does not depend on how polygons were
// cut into triangles.
static void compute_normals(render_mesh *mesh) {
  float *moving = mesh->moving;
  for (int i = 0; i < mesh->ngpu; i++) memset(moving + 6 * (ptrdiff_t)i + 3, 0, 3 * sizeof(float));
  for (int t = 0; t < mesh->ntri; t++) {
    const int32_t *corner = mesh->corners + 3 * (ptrdiff_t)t;
    rd_vec p[3];
    for (int k = 0; k < 3; k++) p[k] = rd_at(moving + 6 * (ptrdiff_t)corner[k]);
    rd_vec normal = rd_cross(rd_sub(p[1], p[0]), rd_sub(p[2], p[0]));
    float length = rd_length(normal);
    if (!(length > 0.0f)) continue;
    for (int k = 0; k < 3; k++) {
      rd_vec next = rd_sub(p[(k + 1) % 3], p[k]), last = rd_sub(p[(k + 2) % 3], p[k]);
      float weight = angle_between(next, last) / length;
      float *sum = moving + 6 * (ptrdiff_t)corner[k] + 3;
      sum[0] += weight * normal.x, sum[1] += weight * normal.y, sum[2] += weight * normal.z;
    }
  }
  for (int i = 0; i < mesh->ngpu; i++) {
    float *at = moving + 6 * (ptrdiff_t)i + 3;
    rd_vec normal = rd_unit(rd_at(at));
    at[0] = normal.x, at[1] = normal.y, at[2] = normal.z;
  }
}

static void send(GLuint buffer, const float *data, int count, int width) {
  GLsizeiptr size = (GLsizeiptr)count * width * (GLsizeiptr)sizeof(float);
  glBindBuffer(GL_ARRAY_BUFFER, buffer);
  glBufferData(GL_ARRAY_BUFFER, size, data, GL_DYNAMIC_DRAW);
}

mien_result render_mesh_move(render_mesh *mesh, mien_f32s positions, mien_error *err) {
  if (!mesh || !positions.data) return rd_fail(err, MIEN_ERR_ARGUMENT, "No positions were given.");
  mien_result result = check_count(positions, mesh->nvert, "positions", err);
  for (int i = 0; i < positions.count && result >= 0; i++) {
    const float *p = rd_element(positions, 3, i);
    if (isfinite(p[0] + p[1] + p[2])) continue;
    result = rd_fail(err, MIEN_ERR_NOT_FINITE, "Position %d to draw is not finite.", i);
  }
  if (result >= 0) result = rd_target_use(mesh->target, err);
  if (result < 0) return result;
  for (int k = 0; k < 3; k++) mesh->box_min[k] = INFINITY, mesh->box_max[k] = -INFINITY;
  for (int i = 0; i < mesh->ngpu; i++) {
    const float *from = rd_element(positions, 3, mesh->source[i]);
    for (int k = 0; k < 3; k++) {
      mesh->moving[6 * (ptrdiff_t)i + k] = from[k];
      mesh->box_min[k] = rd_min(mesh->box_min[k], from[k]);
      mesh->box_max[k] = rd_max(mesh->box_max[k], from[k]);
    }
  }
  compute_normals(mesh);
  send(mesh->moving_buffer, mesh->moving, mesh->ngpu, 6);
  return MIEN_OK;
}

mien_result render_mesh_paint(render_mesh *mesh, mien_f32s colours, mien_f32s occlusion,
                              mien_error *err) {
  if (!mesh) return rd_fail(err, MIEN_ERR_ARGUMENT, "There is no mesh to paint.");
  mien_result result = check_count(colours, mesh->nvert, "colours", err);
  if (result >= 0) result = check_count(occlusion, mesh->nvert, "occlusion values", err);
  if (result >= 0) result = rd_target_use(mesh->target, err);
  if (result < 0) return result;
  for (int i = 0; i < mesh->ngpu; i++) {
    float *paint = mesh->painted + 4 * (ptrdiff_t)i;
    int vertex = mesh->source[i];
    if (colours.data) memcpy(paint, rd_element(colours, 4, vertex), 3 * sizeof(float));
    if (occlusion.data) paint[3] = *rd_element(occlusion, 1, vertex);
  }
  send(mesh->painted_buffer, mesh->painted, mesh->ngpu, 4);
  return MIEN_OK;
}

mien_result render_mesh_measure(render_mesh *mesh, mien_f32s values, mien_error *err) {
  if (!mesh || !values.data) return rd_fail(err, MIEN_ERR_ARGUMENT, "No values were given.");
  mien_result result = check_count(values, mesh->nvert, "values", err);
  if (result >= 0) result = rd_target_use(mesh->target, err);
  if (result < 0) return result;
  for (int i = 0; i < mesh->ngpu; i++) mesh->values[i] = *rd_element(values, 1, mesh->source[i]);
  send(mesh->value_buffer, mesh->values, mesh->ngpu, 1);
  return MIEN_OK;
}

// -- Making ---------------------------------------------------------------------------------------

static mien_result make_buffers(render_mesh *mesh, mien_error *err) {
  mesh->moving = RD_NEW(float, 6 * (size_t)mesh->ngpu);
  mesh->painted = RD_NEW(float, 4 * (size_t)mesh->ngpu);
  mesh->values = RD_NEW(float, mesh->ngpu);
  if (!mesh->moving || !mesh->painted || !mesh->values) return rd_fail_memory(err);
  for (ptrdiff_t i = 0; i < 4 * (ptrdiff_t)mesh->ngpu; i++) mesh->painted[i] = 1.0f;
  mien_result result = rd_target_use(mesh->target, err);
  if (result < 0) return result;
  glGenBuffers(1, &mesh->moving_buffer);
  glGenBuffers(1, &mesh->painted_buffer);
  glGenBuffers(1, &mesh->value_buffer);
  glGenBuffers(1, &mesh->corner_buffer);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->corner_buffer);
  glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)mesh->ntri * 3 * (GLsizeiptr)sizeof(int32_t),
               mesh->corners, GL_STATIC_DRAW);
  send(mesh->value_buffer, mesh->values, mesh->ngpu, 1);
  return MIEN_OK;
}

mien_result render_mesh_create(render_target *target, const render_mesh_def *def, render_mesh **out,
                               mien_error *err) {
  if (!target || !out) return rd_fail(err, MIEN_ERR_ARGUMENT, "A mesh needs a target.");
  mien_result result = check_def(def, err);
  if (result < 0) return result;
  render_mesh *mesh = RD_NEW(render_mesh, 1);
  if (!mesh) return rd_fail_memory(err);
  mesh->target = target;
  mesh->nvert = def->positions.count;
  mesh->ntri = def->triangles.count / 3;
  mesh->corners = RD_NEW(int32_t, def->triangles.count);
  bool creased = def->crease_angle > 0.0f && def->crease_angle < 180.0f;
  if (!mesh->corners) {
    result = rd_fail_memory(err);
  } else {
    result = creased ? split_creases(mesh, def, err) : keep_vertices(mesh, def, err);
  }
  if (result >= 0) result = make_buffers(mesh, err);
  if (result >= 0) result = render_mesh_move(mesh, def->positions, err);
  if (result >= 0) result = render_mesh_paint(mesh, def->colours, def->occlusion, err);
  if (result < 0) {
    render_mesh_free(mesh);
    return result;
  }
  *out = mesh;
  return MIEN_OK;
}

void render_mesh_free(render_mesh *mesh) {
  if (!mesh) return;
  if (mesh->moving_buffer && rd_target_use(mesh->target, NULL) >= 0) {
    GLuint buffers[] = {mesh->moving_buffer, mesh->painted_buffer, mesh->value_buffer,
                        mesh->corner_buffer};
    glDeleteBuffers(4, buffers);
  }
  free(mesh->source);
  free(mesh->corners);
  free(mesh->moving);
  free(mesh->painted);
  free(mesh->values);
  free(mesh);
}
