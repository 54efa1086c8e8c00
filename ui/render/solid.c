// Tetrahedra: the surface around them, and the exact polygons where a plane cuts them.
#include "gl.h"

#include <stdlib.h>
#include <string.h>

// -- Surface --------------------------------------------------------------------------------------

typedef struct tet_face {
  int32_t key[3];    // sorted
  int32_t corner[3]; // counter-clockwise from outside
} tet_face;

static int compare_faces(const void *a, const void *b) {
  const int32_t *x = ((const tet_face *)a)->key, *y = ((const tet_face *)b)->key;
  for (int k = 0; k < 3; k++) {
    if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
  }
  return 0;
}

static void swap(int32_t *a, int32_t *b) {
  int32_t keep = *a;
  *a = *b;
  *b = keep;
}

static tet_face make_face(int32_t a, int32_t b, int32_t c) {
  tet_face face = {{a, b, c}, {a, b, c}};
  if (face.key[0] > face.key[1]) swap(&face.key[0], &face.key[1]);
  if (face.key[1] > face.key[2]) swap(&face.key[1], &face.key[2]);
  if (face.key[0] > face.key[1]) swap(&face.key[0], &face.key[1]);
  return face;
}

static bool is_right_handed(const float *positions, const int32_t *tet) {
  rd_vec p[4];
  for (int k = 0; k < 4; k++) p[k] = rd_at(positions + 3 * (ptrdiff_t)tet[k]);
  rd_vec normal = rd_cross(rd_sub(p[1], p[0]), rd_sub(p[2], p[0]));
  return rd_dot(normal, rd_sub(p[3], p[0])) > 0.0f;
}

// Faces of one tetrahedron only are outside. Returns their number, the corners in `triangles`.
static int find_surface(const render_solid *solid, tet_face *faces, int32_t *triangles) {
  static const int side[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
  int nface = 0, nouter = 0;
  for (int t = 0; t < solid->ntet; t++) {
    const int32_t *tet = solid->tets + 4 * (ptrdiff_t)t;
    bool flip = !is_right_handed(solid->positions, tet);
    for (int s = 0; s < 4; s++) {
      int32_t a = tet[side[s][0]], b = tet[side[s][1]], c = tet[side[s][2]];
      faces[nface++] = flip ? make_face(a, c, b) : make_face(a, b, c);
    }
  }
  qsort(faces, (size_t)nface, sizeof *faces, compare_faces);
  for (int i = 0; i < nface;) {
    int end = i + 1;
    while (end < nface && !compare_faces(&faces[i], &faces[end])) end++;
    if (end == i + 1) {
      memcpy(triangles + 3 * (ptrdiff_t)nouter++, faces[i].corner, sizeof faces[i].corner);
    }
    i = end;
  }
  return nouter;
}

static mien_result make_surface(render_solid *solid, mien_f32s colours, mien_error *err) {
  tet_face *faces = RD_NEW(tet_face, 4 * (size_t)solid->ntet);
  int32_t *triangles = RD_NEW(int32_t, 12 * (size_t)solid->ntet);
  mien_result result = MIEN_OK;
  if (faces && triangles) {
    int ntri = find_surface(solid, faces, triangles);
    render_mesh_def def = {.positions = {solid->positions, solid->nvert, 3},
                           .triangles = {triangles, 3 * ntri},
                           .colours = colours,
                           .crease_angle = 50.0f};
    result = render_mesh_create(solid->target, &def, &solid->surface, err);
  } else {
    result = rd_fail_memory(err);
  }
  free(faces);
  free(triangles);
  return result;
}

static mien_result check_solid(const render_solid_def *def, mien_error *err) {
  if (!def || !def->positions.data || def->positions.count < 4 || def->tets.count < 4 ||
      def->tets.count % 4 || !def->tets.data) {
    return rd_fail(err, MIEN_ERR_ARGUMENT, "A solid to draw needs positions and tetrahedra.");
  }
  for (int i = 0; i < def->tets.count; i++) {
    int32_t vertex = def->tets.data[i];
    if (vertex >= 0 && vertex < def->positions.count) continue;
    return rd_fail(err, MIEN_ERR_ARGUMENT, "Tetrahedron %d uses vertex %d, but there are %d.",
                   i / 4, vertex, def->positions.count);
  }
  return MIEN_OK;
}

static void take_positions(render_solid *solid, mien_f32s positions) {
  for (int i = 0; i < solid->nvert; i++) {
    memcpy(solid->positions + 3 * (ptrdiff_t)i, rd_element(positions, 3, i), 3 * sizeof(float));
  }
}

mien_result render_solid_create(render_target *target, const render_solid_def *def,
                                render_solid **out, mien_error *err) {
  if (!target || !out) return rd_fail(err, MIEN_ERR_ARGUMENT, "A solid needs a target.");
  mien_result result = check_solid(def, err);
  if (result < 0) return result;
  render_solid *solid = RD_NEW(render_solid, 1);
  if (!solid) return rd_fail_memory(err);
  solid->target = target;
  solid->nvert = def->positions.count;
  solid->ntet = def->tets.count / 4;
  solid->tets = RD_NEW(int32_t, def->tets.count);
  solid->positions = RD_NEW(float, 3 * (size_t)solid->nvert);
  solid->colours = RD_NEW(float, 3 * (size_t)solid->nvert);
  if (solid->tets && solid->positions && solid->colours) {
    memcpy(solid->tets, def->tets.data, (size_t)def->tets.count * sizeof(int32_t));
    take_positions(solid, def->positions);
    result = make_surface(solid, def->colours, err);
  } else {
    result = rd_fail_memory(err);
  }
  if (result < 0) {
    render_solid_free(solid);
    return result;
  }
  for (int i = 0; i < solid->nvert; i++) {
    static const float white[3] = {1.0f, 1.0f, 1.0f};
    const float *from = def->colours.data ? rd_element(def->colours, 4, i) : white;
    memcpy(solid->colours + 3 * (ptrdiff_t)i, from, 3 * sizeof(float));
  }
  *out = solid;
  return MIEN_OK;
}

mien_result render_solid_move(render_solid *solid, mien_f32s positions, mien_error *err) {
  if (!solid) return rd_fail(err, MIEN_ERR_ARGUMENT, "There is no solid to move.");
  mien_result result = render_mesh_move(solid->surface, positions, err);
  if (result >= 0) take_positions(solid, positions);
  return result;
}

void render_solid_free(render_solid *solid) {
  if (!solid) return;
  render_mesh_free(solid->surface);
  free(solid->tets);
  free(solid->positions);
  free(solid->colours);
  free(solid);
}

// -- Section --------------------------------------------------------------------------------------

static float side_of(const float plane[4], const float *p) {
  return plane[0] * p[0] + plane[1] * p[1] + plane[2] * p[2] + plane[3];
}

// Where the plane meets the edge from a (kept) to b (removed).
static void cut_edge(const render_solid *solid, const float plane[4], int32_t a, int32_t b,
                     float out[10]) {
  const float *pa = solid->positions + 3 * (ptrdiff_t)a, *pb = solid->positions + 3 * (ptrdiff_t)b;
  const float *ca = solid->colours + 3 * (ptrdiff_t)a, *cb = solid->colours + 3 * (ptrdiff_t)b;
  float da = side_of(plane, pa), db = side_of(plane, pb), t = da / (da - db);
  for (int k = 0; k < 3; k++) {
    out[k] = pa[k] + t * (pb[k] - pa[k]);
    out[3 + k] = -plane[k];
    out[6 + k] = ca[k] + t * (cb[k] - ca[k]);
  }
  out[9] = 1.0f;
}

// The corners of one tetrahedron's polygon, in order around it: 0, 3 or 4 of them.
static int cut_tet(const render_solid *solid, const float plane[4], const int32_t *tet,
                   float out[4][10]) {
  int32_t kept[4], removed[4];
  int nkept = 0, nremoved = 0;
  for (int k = 0; k < 4; k++) {
    if (side_of(plane, solid->positions + 3 * (ptrdiff_t)tet[k]) >= 0.0f) {
      kept[nkept++] = tet[k];
    } else {
      removed[nremoved++] = tet[k];
    }
  }
  if (!nkept || !nremoved) return 0;
  if (nkept == 2) {
    static const int round[4][2] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}};
    for (int i = 0; i < 4; i++) {
      cut_edge(solid, plane, kept[round[i][0]], removed[round[i][1]], out[i]);
    }
    return 4;
  }
  for (int i = 0; i < 3; i++) {
    cut_edge(solid, plane, kept[nkept == 1 ? 0 : i], removed[nkept == 1 ? i : 0], out[i]);
  }
  return 3;
}

static void add_polygon(rd_section *section, float corner[4][10], int ncorner) {
  // Seen from the removed side: turn the polygon over when it faces the kept one. The normal is
  // summed over the whole polygon, since corners coincide where the plane meets a vertex.
  rd_vec a = rd_at(corner[0]), out = rd_at(corner[0] + 3), normal = {0.0f, 0.0f, 0.0f};
  for (int i = 2; i < ncorner; i++) {
    rd_vec b = rd_sub(rd_at(corner[i - 1]), a), c = rd_sub(rd_at(corner[i]), a);
    normal = rd_add(normal, rd_cross(b, c));
  }
  bool turn = rd_dot(normal, out) < 0.0f;
  int first = section->nvert;
  for (int i = 0; i < ncorner; i++) {
    const float *from = corner[turn ? ncorner - 1 - i : i];
    memcpy(section->vertices + 10 * (ptrdiff_t)section->nvert++, from, 10 * sizeof(float));
    int32_t *line = section->lines + 2 * (ptrdiff_t)section->nline++;
    line[0] = first + i;
    line[1] = first + (i + 1) % ncorner;
  }
  for (int i = 2; i < ncorner; i++) {
    int32_t *tri = section->corners + 3 * (ptrdiff_t)section->ntri++;
    tri[0] = first, tri[1] = first + i - 1, tri[2] = first + i;
  }
}

bool rd_section_make(const render_solid *solid, const float plane[4], rd_section *out) {
  float corner[4][10];
  int npolygon = 0;
  for (int t = 0; t < solid->ntet; t++) {
    npolygon += cut_tet(solid, plane, solid->tets + 4 * (ptrdiff_t)t, corner) > 0;
  }
  rd_section section = {.vertices = RD_NEW(float, 40 * (size_t)npolygon),
                        .corners = RD_NEW(int32_t, 6 * (size_t)npolygon),
                        .lines = RD_NEW(int32_t, 8 * (size_t)npolygon)};
  if (!section.vertices || !section.corners || !section.lines) {
    rd_section_free(&section);
    return false;
  }
  for (int t = 0; t < solid->ntet; t++) {
    int ncorner = cut_tet(solid, plane, solid->tets + 4 * (ptrdiff_t)t, corner);
    if (ncorner) add_polygon(&section, corner, ncorner);
  }
  *out = section;
  return true;
}

void rd_section_free(rd_section *section) {
  free(section->vertices);
  free(section->corners);
  free(section->lines);
  *section = (rd_section){0};
}

double render_solid_section(const render_solid *solid, const float plane[4]) {
  rd_section section;
  if (!rd_section_make(solid, plane, &section)) return 0.0;
  double area = 0.0;
  for (int t = 0; t < section.ntri; t++) {
    rd_vec p[3];
    for (int k = 0; k < 3; k++) {
      p[k] = rd_at(section.vertices + 10 * (ptrdiff_t)section.corners[3 * (ptrdiff_t)t + k]);
    }
    area += 0.5 * (double)rd_length(rd_cross(rd_sub(p[1], p[0]), rd_sub(p[2], p[0])));
  }
  rd_section_free(&section);
  return area;
}
