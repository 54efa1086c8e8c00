#include "shared_rigs.h"

#include "scene.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PARTS = 64 };

typedef struct source {
  char folder[400];
  json_t *json;
  unsigned char *shape_bytes;
  size_t shape_size;
  float *position;
  int32_t *corner, *face_size;
  int nvert, ncorner, nface;
  mien_part part[MOST_PARTS];
  int npart;
  mien_shape *shape;
  char (*name)[32];
  int32_t *index; // copies: the bytes need not be aligned
  float *delta;
  int nshape;
} source;

static unsigned char *read_all(const source *s, const char *name, size_t *size) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", s->folder, name);
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  long length = ftell(file);
  rewind(file);
  unsigned char *bytes = length >= 0 ? malloc((size_t)length + 1) : NULL;
  if (bytes && fread(bytes, 1, (size_t)length, file) != (size_t)length) {
    free(bytes);
    bytes = NULL;
  }
  fclose(file);
  if (bytes) bytes[length] = 0;
  if (bytes) *size = (size_t)length;
  return bytes;
}

// -- neutral.obj ----------------------------------------------------------------------------------

static void add_face(source *s, char *at) {
  int count = 0;
  for (char *end; *at && *at != '\n'; count++) {
    long v = strtol(at, &end, 10);
    if (end == at) break;
    s->corner[s->ncorner++] = (int32_t)(v - 1);
    at = end + strcspn(end, " \n"); // skips "/uv"
    while (*at == ' ') at++;
  }
  s->face_size[s->nface++] = count;
}

static void start_part(source *s, const char *at) {
  if (s->npart == MOST_PARTS) return;
  size_t length = strcspn(at, "\r\n");
  snprintf(s->name[s->nshape + s->npart], sizeof *s->name, "%.*s", (int)length, at);
  s->part[s->npart] =
      (mien_part){.name = s->name[s->nshape + s->npart], .first_triangle = s->nface};
  s->npart++;
}

static bool read_obj(source *s) {
  size_t size;
  char *text = (char *)read_all(s, "neutral.obj", &size);
  if (!text) return false;
  s->position = malloc((size / 6 + 8) * sizeof *s->position); // a number takes two bytes or more
  s->corner = malloc((size / 2 + 8) * sizeof *s->corner);
  s->face_size = malloc((size / 2 + 8) * sizeof *s->face_size);
  bool done = s->position && s->corner && s->face_size;
  for (char *line = text; done && *line;) {
    char *next = line + strcspn(line, "\n");
    if (*next) next++;
    char *at = line + 2;
    if (!strncmp(line, "v ", 2)) {
      for (int k = 0; k < 3; k++) s->position[3 * s->nvert + k] = strtof(at, &at);
      s->nvert++;
    }
    if (!strncmp(line, "f ", 2)) add_face(s, at);
    if (!strncmp(line, "g ", 2)) start_part(s, at);
    line = next;
  }
  free(text);
  return done;
}

// Vertices of a part: up to the first vertex of a later part. Parts are stored one after another,
// and a face may use vertices of a part before its own (sewn parts).
static void bound_parts(source *s) {
  int corner = 0, face = 0, high = 0;
  for (int p = 0; p < s->npart; p++) {
    int end_face = p + 1 < s->npart ? s->part[p + 1].first_triangle : s->nface;
    s->part[p].ntri = end_face - s->part[p].first_triangle;
    s->part[p].first_vertex = high;
    for (; face < end_face; face++)
      for (int k = 0; k < s->face_size[face]; k++, corner++)
        if (s->corner[corner] >= high) high = s->corner[corner] + 1;
    if (p + 1 == s->npart) high = s->nvert;
    s->part[p].nvert = high - s->part[p].first_vertex;
  }
}

// -- rig.json and shapes.bin ----------------------------------------------------------------------

static bool read_shapes(source *s, const shared_options *options) {
  json_t *list = json_object_get(s->json, "shapes");
  s->shape_bytes = read_all(s, "shapes.bin", &s->shape_size);
  if (!s->shape_bytes || !json_is_array(list)) return false;
  s->nshape = (int)json_array_size(list);
  s->shape = calloc((size_t)s->nshape + 1, sizeof *s->shape);
  s->name = calloc((size_t)s->nshape + MOST_PARTS, sizeof *s->name);
  s->index = malloc(s->shape_size + 4);
  s->delta = malloc(s->shape_size + 4);
  if (!s->shape || !s->name || !s->index || !s->delta) return false;
  size_t used = 0;
  for (int k = 0; k < s->nshape; k++) {
    json_t *entry = json_array_get(list, (size_t)k);
    size_t offset = (size_t)json_integer_value(json_object_get(entry, "offset"));
    size_t count = (size_t)json_integer_value(json_object_get(entry, "count"));
    const char *name = json_string_value(json_object_get(entry, "name"));
    if (!name || offset > s->shape_size || count > (s->shape_size - offset) / 16) return false;
    memcpy(s->index + used, s->shape_bytes + offset, 4 * count);
    memcpy(s->delta + 3 * used, s->shape_bytes + offset + 4 * count, 12 * count);
    snprintf(s->name[k], sizeof *s->name, "%s", name);
    if (options->leave_names) snprintf(s->name[k], sizeof *s->name, "shape_%03d", k);
    // a shape of no vertices still needs data, or it would mean "delta k belongs to vertex k"
    s->shape[k] = (mien_shape){
        s->name[k], {s->index + used, (int)count}, {s->delta + 3 * used, (int)count, 3}};
    used += count;
  }
  return true;
}

static void open_rest(source *s, double weight) {
  for (int k = 0; k < s->nshape; k++) {
    json_t *entry = json_array_get(json_object_get(s->json, "shapes"), (size_t)k);
    if (strcmp(json_string_value(json_object_get(entry, "name")), "jawOpen")) continue;
    mien_shape *shape = s->shape + k;
    float *delta = s->delta + (shape->deltas.data - s->delta);
    for (int i = 0; i < 3 * shape->deltas.count; i++) {
      s->position[3 * shape->indices.data[i / 3] + i % 3] += (float)weight * delta[i];
      delta[i] *= (float)(1 - weight);
    }
  }
}

static void read_landmarks(const source *s, shared_truth *truth) {
  json_t *list = json_object_get(s->json, "landmarks_multipie68");
  for (int k = 0; k < 68; k++) {
    json_t *at = json_array_get(list, (size_t)k);
    truth->landmark[k] = json_is_integer(at) ? (int)json_integer_value(at) : -1;
  }
}

static void read_jaw(const source *s, double unit, mien_jaw *jaw) {
  json_t *fit = json_object_get(json_object_get(s->json, "jaw_rigid_fit"), "jawOpen");
  if (!fit) return;
  jaw->is_known = 1;
  jaw->open_angle =
      (float)(json_number_value(json_object_get(fit, "angle_deg")) * 3.14159265358979 / 180);
  for (size_t k = 0; k < 3; k++) {
    jaw->axis[k] = (float)json_number_value(json_array_get(json_object_get(fit, "axis"), k));
    jaw->hinge[k] =
        (float)(unit * json_number_value(json_array_get(json_object_get(fit, "axis_point"), k)));
  }
}

static void read_part_truth(const source *s, shared_truth *truth) {
  for (int p = 0; p < s->npart; p++) {
    int end = s->part[p].first_vertex + s->part[p].nvert;
    bool is_bag = !strcmp(s->part[p].name, "mouth_socket");
    if (is_bag) truth->bag_first = s->part[p].first_vertex, truth->bag_end = end;
    if (strstr(s->part[p].name, "socket")) truth->sewn_end = end;
  }
}

static bool load(source *s, const shared_options *options, mien_rig **rig, shared_truth *truth,
                 char why[256]) {
  char path[512];
  json_error_t fault;
  snprintf(path, sizeof path, "%s/rig.json", s->folder);
  s->json = json_load_file(path, 0, &fault);
  if (!s->json || !read_shapes(s, options) || !read_obj(s)) {
    snprintf(why, 256, "the shared rig '%.180s' is damaged", s->folder);
    return false;
  }
  bound_parts(s);
  open_rest(s, options->rest_open);
  truth->unit = 0.01;
  read_landmarks(s, truth);
  read_jaw(s, truth->unit, &truth->jaw);
  read_part_truth(s, truth);
  mien_rig_def def;
  mien_rig_def_init(&def);
  def.name = "shared rig";
  def.metres_per_unit = truth->unit;
  def.weld = 0;
  def.positions = (mien_f32s){s->position, s->nvert, 3};
  def.faces = (mien_i32s){s->corner, s->ncorner};
  def.face_sizes = (mien_i32s){s->face_size, s->nface};
  def.shapes = s->shape;
  def.nshape = s->nshape;
  if (!options->one_part) def.parts = s->part, def.npart = s->npart;
  int32_t landmark[68];
  for (int k = 0; k < 68; k++) landmark[k] = truth->landmark[k];
  if (!options->leave_landmarks && landmark[0] >= 0) def.landmarks = (mien_i32s){landmark, 68};
  if (options->keep_jaw) def.jaw = truth->jaw;
  mien_error err = {0};
  if (mi_rig_create(&def, NULL, rig, &err) >= 0) return true;
  snprintf(why, 256, "%.250s", err.text);
  return false;
}

static void name_folder(const char *folder, char path[400]) {
  const char *root = getenv("MIEN_SHARED_DATA");
  snprintf(path, 400, "%.300s/%.80s", root ? root : MIEN_SOURCE_DIR "/../shared/data", folder);
}

bool shared_rig_is_there(const char *folder) {
  char path[400], file[420];
  name_folder(folder, path);
  snprintf(file, sizeof file, "%s/rig.json", path);
  if (access(file, F_OK) == 0) return true;
  print_message("SKIPPED: the shared rig '%s' is not on this machine (%s)\n", folder, file);
  return false;
}

mien_rig *shared_rig_load(const char *folder, const shared_options *options, shared_truth *truth) {
  static const shared_options usual = {0};
  source s = {0};
  char why[256];
  mien_rig *rig = NULL;
  if (!shared_rig_is_there(folder)) skip();
  *truth = (shared_truth){0};
  name_folder(folder, s.folder);
  bool done = load(&s, options ? options : &usual, &rig, truth, why);
  json_decref(s.json);
  free(s.shape_bytes);
  free(s.position);
  free(s.corner);
  free(s.face_size);
  free(s.shape);
  free(s.name);
  free(s.index);
  free(s.delta);
  if (!done) fail_msg("%s", why);
  return rig;
}
