#include "hard.h"

#include "hard_mesh.h"

#include <stdlib.h>
#include <string.h>

// -- Options --------------------------------------------------------------------------------------

static int read_word(hard_options *o, const char *word, const char *value) {
  long number = value ? strtol(value, NULL, 10) : 1;
  const struct {
    const char *name;
    int *to;
  } words[] = {
      {"density", &o->density},
      {"overlap", &o->overlap},
      {"lids", &o->lids_through_eyes},
      {"thin_bag", &o->thin_bag},
      {"coarse", &o->coarse_lips},
      {"welded", &o->welded_corners},
      {"body", &o->body_offset},
      {"teeth_in_skin", &o->teeth_in_skin},
      {"deep", &o->deep},
      {"bag", &o->bag_through_teeth},
  };
  if (!strcmp(word, "up")) {
    o->axis_up_z = value && value[0] == 'z';
    return value && strchr("yz", value[0]) ? 0 : -1;
  }
  if (!strcmp(word, "seed")) {
    o->seed = (uint64_t)number;
    return 0;
  }
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (!strcmp(word, words[k].name)) {
      *words[k].to = (int)number;
      return 0;
    }
  return !strcmp(word, "clean") ? 0 : -1;
}

int hard_options_read(hard_options *options, const char *text) {
  *options = (hard_options){0};
  while (*text) {
    char word[64];
    size_t length = strcspn(text, ",");
    if (length >= sizeof word) return -1;
    memcpy(word, text, length);
    word[length] = 0;
    char *value = strchr(word, '=');
    if (value) *value++ = 0;
    if (read_word(options, word, value)) return -1;
    text += length + (text[length] == ',');
  }
  return 0;
}

// -- Axes -----------------------------------------------------------------------------------------

static void turn_up(float *p) {
  float y = p[1];
  p[1] = -p[2];
  p[2] = y;
}

static void place(hard_rig *rig, const hard_options *o) {
  static const float HEIGHT = 1.6f;
  hard_mesh *m = rig->mesh;
  mien_jaw *jaw = &rig->def.jaw;
  jaw->is_known = !o->teeth_in_skin && !o->thin_bag; // game rigs do not say
  memcpy(jaw->hinge, m->model.jaw.point, sizeof jaw->hinge);
  memcpy(jaw->axis, m->model.jaw.axis, sizeof jaw->axis);
  jaw->open_angle = m->model.jaw.open_angle;
  for (int i = 0; o->body_offset && i < m->nvert; i++) m->position[3 * i + 1] += HEIGHT;
  if (o->body_offset) jaw->hinge[1] += HEIGHT;
  if (!o->axis_up_z) return;
  turn_up(jaw->hinge);
  turn_up(jaw->axis);
  for (int i = 0; i < m->nvert; i++) {
    turn_up(m->position + 3 * i);
    for (int s = 0; s < m->nshape; s++) turn_up(m->delta[s] + 3 * i);
  }
}

// -- Rig ------------------------------------------------------------------------------------------

static int spoil(hard_mesh *m, const hard_options *o) {
  hard_chance chance = {o->seed};
  double amount[3] = {0.5, 0.5, 0.5};
  for (int k = 0; o->seed && k < 3; k++) amount[k] = hard_draw(&chance);
  if (o->coarse_lips && !hard_coarsen_lips(m, 25, 40)) return -1;
  if (o->lids_through_eyes) hard_sink_lids(m, 0.0005 + 0.0005 * amount[0]);
  if (o->thin_bag && !hard_thin_bag(m)) return -1;
  if (o->bag_through_teeth) hard_lead_bag(m, 1e-3 * o->bag_through_teeth);
  if (o->welded_corners) hard_weld_corners(m);
  if (o->seed) hard_vary(m, &chance);
  double left = 0.7 + 0.6 * amount[1], right = 0.7 + 0.6 * amount[2];
  if (o->deep)
    hard_push_lips(m, 5e-4 * o->deep, left, right);
  else if (!hard_overlap_lips(m, o->overlap, left, right))
    return -1;
  hard_keep_welds(m);
  return 0;
}

static void define(hard_rig *rig, const hard_options *o) {
  hard_mesh *m = rig->mesh;
  for (int s = 0; s < m->nshape; s++)
    m->shape[s] = (mien_shape){m->model.shape[s].name, {NULL, 0}, {m->delta[s], m->nvert, 3}};
  mien_rig_def_init(&rig->def);
  rig->def.name = "hard head";
  rig->def.has_pivot = 1; // the origin is where the neck carries it
  rig->def.positions = (mien_f32s){m->position, m->nvert, 3};
  rig->def.faces = (mien_i32s){m->tri, 3 * m->ntri};
  rig->def.parts = m->part;
  rig->def.npart = m->npart;
  rig->def.shapes = m->shape;
  rig->def.nshape = m->nshape;
  place(rig, o);
}

int hard_rig_create(const hard_options *options, hard_rig *rig) {
  *rig = (hard_rig){.neutral_pairs = -1};
  bool is_known = options->density >= 0 && options->density <= 1 && options->overlap >= 0 &&
                  options->deep >= 0 && options->bag_through_teeth >= 0 &&
                  !(options->coarse_lips && options->density);
  if (!is_known) return -1;
  rig->mesh = hard_mesh_create(options);
  if (!rig->mesh || spoil(rig->mesh, options)) {
    hard_rig_free(rig);
    return -1;
  }
  rig->neutral_pairs = hard_count(rig->mesh, false);
  rig->open_pairs = hard_count(rig->mesh, true);
  rig->overlap = rig->mesh->overlap;
  define(rig, options);
  return 0;
}

void hard_rig_free(hard_rig *rig) {
  hard_mesh_free(rig->mesh);
  *rig = (hard_rig){0};
}
