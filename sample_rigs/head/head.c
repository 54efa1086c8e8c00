#include "head.h"

#include <stdlib.h>
#include <string.h>

#include "landmarks.h"
#include "paint.h"
#include "parts.h"
#include "shapes.h"

enum { NPART = 8, SKIN = 0, EYE_LEFT = 6, EYE_RIGHT = 7 };

static const float millimetre = 0.001f;

static const head_part part_names[NPART] = {
    {.name = "skin", .kind = HEAD_SKIN},
    {.name = "skull", .kind = HEAD_SKULL},
    {.name = "jaw", .kind = HEAD_JAW, .follows_jaw = 1},
    {.name = "teeth_upper", .kind = HEAD_TEETH},
    {.name = "teeth_lower", .kind = HEAD_TEETH, .follows_jaw = 1},
    {.name = "tongue", .kind = HEAD_TONGUE, .follows_jaw = 1},
    {.name = "eye_left", .kind = HEAD_EYEBALL},
    {.name = "eye_right", .kind = HEAD_EYEBALL},
};

static int make_skin_part(const skin *s, head_part *part) {
  part->nvert = s->nvert;
  part->ntri = s->ntri;
  part->position = malloc((size_t)s->nvert * sizeof *part->position);
  part->colour = malloc((size_t)s->nvert * sizeof *part->colour);
  part->triangle = malloc((size_t)s->ntri * sizeof *part->triangle);
  if (!part->position || !part->colour || !part->triangle) return -1;
  for (int v = 0; v < s->nvert; v++) {
    vec3 p = s->vert[v].p;
    part->position[v][0] = (float)p.x * millimetre;
    part->position[v][1] = (float)p.y * millimetre;
    part->position[v][2] = (float)p.z * millimetre;
  }
  memcpy(part->triangle, s->triangle, (size_t)s->ntri * sizeof *part->triangle);
  paint_skin(s, part->colour);
  return unwrap_skin(s, part);
}

// Takes the arrays of a builder; its texture coordinates become the split mesh, which has no seams
// here.
static int take_mesh(mesh_builder *mesh, head_part *part) {
  part->split_vertex = malloc((size_t)mesh->nvert * sizeof *part->split_vertex);
  part->split_triangle = malloc((size_t)mesh->ntri * sizeof *part->split_triangle);
  if (mesh->failed || !part->split_vertex || !part->split_triangle) {
    mesh_builder_free(mesh);
    return -1;
  }
  part->nvert = part->nsplit = mesh->nvert;
  part->ntri = mesh->ntri;
  part->position = mesh->position;
  part->colour = mesh->colour;
  part->triangle = mesh->triangle;
  part->split_uv = mesh->uv;
  for (int v = 0; v < mesh->nvert; v++) {
    part->split_vertex[v] = v;
    for (int k = 0; k < 3; k++) part->position[v][k] *= millimetre;
  }
  memcpy(part->split_triangle, part->triangle, (size_t)part->ntri * sizeof *part->triangle);
  return 0;
}

// A flat projection is enough for bones, teeth and eyes: they are coloured by vertex.
static void project_uv(mesh_builder *mesh) {
  for (int v = 0; v < mesh->nvert; v++) {
    mesh->uv[v][0] = 0.5f + mesh->position[v][0] / 200.0f;
    mesh->uv[v][1] = 0.5f + mesh->position[v][1] / 400.0f;
  }
}

static int make_part(int index, int fineness, head_part *part) {
  mesh_builder mesh;
  mesh_builder_init(&mesh);
  switch (index) {
  case 1:
    build_skull(&mesh, fineness);
    break;
  case 2:
    build_jaw_bone(&mesh, fineness);
    break;
  case 3:
    build_teeth(&mesh, 1, fineness);
    break;
  case 4:
    build_teeth(&mesh, 0, fineness);
    break;
  case 5:
    build_tongue(&mesh, fineness);
    break;
  default:
    build_eyeball(&mesh, index == EYE_LEFT, fineness);
    break;
  }
  project_uv(&mesh);
  return take_mesh(&mesh, part);
}

static int allocate_labels(head_labels *label, int nvert) {
  float **array[] = {&label->lip_upper, &label->lip_lower,  &label->mouth_bag, &label->lid_upper,
                     &label->lid_lower, &label->eye_pocket, &label->jaw};
  for (size_t i = 0; i < sizeof array / sizeof *array; i++)
    if (!(*array[i] = calloc((size_t)nvert, sizeof(float)))) return -1;
  return 0;
}

static void store(float out[3], vec3 d) {
  const double least = 1e-3; // a micrometre: below it a field has faded out
  if (v3_dot(d, d) < least * least) d = v3(0, 0, 0);
  out[0] = (float)d.x * millimetre;
  out[1] = (float)d.y * millimetre;
  out[2] = (float)d.z * millimetre;
}

static void shape_skin(const skin *s, const shape_point *point, const shape_entry *e,
                       float (*delta)[3]) {
  for (int v = 0; v < s->nvert; v++) {
    int mirrored = e->side == SHAPE_MIRRORED;
    vec3 d = e->field(&point[mirrored ? s->mirror[v] : v]);
    if (mirrored) d.x = -d.x;
    store(delta[v], d);
  }
}

static void shape_part(const head_model *m, int index, const char *name, float (*delta)[3]) {
  const head_part *part = &m->part[index];
  int left = index == EYE_LEFT;
  double yaw;
  double pitch;
  int looks = part->kind == HEAD_EYEBALL && eye_shape_turn(name, left, &yaw, &pitch);
  vec3 centre = eye_centre();
  if (!left) centre.x = -centre.x;
  for (int v = 0; v < part->nvert; v++) {
    const float *f = part->position[v];
    vec3 p = v3_scale(v3(f[0], f[1], f[2]), 1000.0);
    vec3 d = v3(0, 0, 0);
    if (looks)
      d = v3_sub(v3_pitch(v3_yaw(p, centre, yaw), centre, pitch), p);
    else if (part->kind == HEAD_TONGUE)
      d = tongue_shape(name, p);
    else if (part->follows_jaw)
      d = jaw_shape_rigid(name, p);
    store(delta[v], d);
  }
}

static int make_shapes(const skin *s, const shape_point *point, head_model *m) {
  const shape_entry *table[] = {eye_shapes(), jaw_shapes(), mouth_shapes(), upper_face_shapes()};
  int ntable = sizeof table / sizeof *table;
  int count = 0;
  for (int i = 0; i < ntable; i++)
    for (const shape_entry *e = table[i]; e->name; e++) count++;
  m->shape = calloc((size_t)count, sizeof *m->shape);
  if (!m->shape) return -1;
  for (int i = 0; i < ntable; i++)
    for (const shape_entry *e = table[i]; e->name; e++) {
      head_shape *shape = &m->shape[m->nshape];
      shape->name = e->name;
      shape->delta = calloc((size_t)m->first_vertex[m->npart], sizeof *shape->delta);
      if (!shape->delta) return -1;
      m->nshape++;
      shape_skin(s, point, e, shape->delta);
      for (int p = 1; p < m->npart; p++)
        shape_part(m, p, e->name, shape->delta + m->first_vertex[p]);
    }
  return 0;
}

static int shape_from_skin(const skin *s, head_model *m) {
  shape_point *point = malloc((size_t)s->nvert * sizeof *point);
  if (!point) return -1;
  for (int v = 0; v < s->nvert; v++) point[v] = shape_point_at(&s->vert[v]);
  int status = make_shapes(s, point, m);
  free(point);
  return status;
}

static void note_joints(head_model *m) {
  vec3 hinge = v3_scale(jaw_hinge(), 0.001);
  m->jaw = (head_jaw_hinge){{(float)hinge.x, (float)hinge.y, (float)hinge.z},
                            {1.0f, 0.0f, 0.0f},
                            (float)jaw_open_angle()};
  vec3 eye = v3_scale(eye_centre(), 0.001);
  for (int i = 0; i < 2; i++) {
    m->eye_centre[i][0] = (float)(i == 0 ? eye.x : -eye.x);
    m->eye_centre[i][1] = (float)eye.y;
    m->eye_centre[i][2] = (float)eye.z;
  }
  m->eye_radius = (float)(0.001 * eye_ball_radius(v3(0, 0, -1)));
}

static int assemble(const cage *c, skin *s, int fineness, head_model *m) {
  m->part = calloc(NPART, sizeof *m->part);
  m->first_vertex = calloc(NPART + 1, sizeof *m->first_vertex);
  if (!m->part || !m->first_vertex) return -1;
  m->npart = NPART;
  memcpy(m->part, part_names, sizeof part_names);
  for (int p = 0; p < NPART; p++) {
    int status = p == SKIN ? make_skin_part(s, &m->part[p]) : make_part(p, fineness, &m->part[p]);
    if (status) return status;
    m->first_vertex[p + 1] = m->first_vertex[p] + m->part[p].nvert;
  }
  if (allocate_labels(&m->label, s->nvert)) return -1;
  label_skin(s, &m->label);
  find_landmarks(c, s, m->landmark);
  note_joints(m);
  m->mirror = s->mirror;
  s->mirror = NULL;
  return 0;
}

int head_model_create(const head_options *options, head_model *model) {
  static const int target[] = {0, 7250, 50000};
  memset(model, 0, sizeof *model);
  int density = options ? options->density : 1;
  if (density < 0 || density > 2) return -1;
  cage *c = malloc(sizeof *c);
  skin s;
  if (!c || cage_build(c)) {
    free(c);
    return -1;
  }
  int status = skin_create(c, target[density], &s);
  if (status == 0) {
    head_model made = {0};
    status = assemble(c, &s, 1 << density, &made);
    if (status == 0) {
      s.mirror = made.mirror;
      status = shape_from_skin(&s, &made);
      s.mirror = NULL;
    }
    if (status)
      head_model_free(&made);
    else
      *model = made;
    skin_free(&s);
  }
  free(c);
  return status;
}

void head_model_free(head_model *m) {
  for (int p = 0; p < m->npart; p++) {
    head_part *part = &m->part[p];
    free(part->position);
    free(part->colour);
    free(part->triangle);
    free(part->split_vertex);
    free(part->split_uv);
    free(part->split_triangle);
  }
  for (int i = 0; i < m->nshape; i++) free(m->shape[i].delta);
  float *label[] = {m->label.lip_upper, m->label.lip_lower,  m->label.mouth_bag, m->label.lid_upper,
                    m->label.lid_lower, m->label.eye_pocket, m->label.jaw};
  for (size_t i = 0; i < sizeof label / sizeof *label; i++) free(label[i]);
  free(m->part);
  free(m->first_vertex);
  free(m->shape);
  free(m->mirror);
  memset(m, 0, sizeof *m);
}
