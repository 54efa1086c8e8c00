#include "golden/scenes.h"

#include "scenes/scene.h"

#include "base/base.h"
#include "hard.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALL "head_small"

// Scenes of one face stand together: it is made once.
const golden_scene golden_scenes[] = {
    {"kinematic", SMALL, NULL, "solver=kinematic", "phrase", "shake", 0.5, 2, 24, 0},
    {"contact_off", SMALL, NULL, "", "phrase", "shake", 0.5, 4, 24, GOLDEN_SIXTEEN},
    {"plane_press", SMALL, NULL, "contact=plane", "press", NULL, 0.8, 3, 24, GOLDEN_SIXTEEN},
    {"plane_shake", SMALL, NULL, "contact=plane contact_thickness=0.5 friction=1", "phrase",
     "shake", 0.5, 4, 24, 0},
    {"barrier_press", SMALL, NULL, "contact=barrier", "press", NULL, 0.8, 3, 24, 0},
    {"barrier_schur", SMALL, NULL, "contact=barrier barrier_step=schur", "press", "shake", 0.8, 2,
     24, GOLDEN_SIXTEEN},
    {"barrier_pcg", SMALL, NULL, "contact=barrier barrier_step=pcg", "press", "shake", 0.8, 2, 24,
     0},
    {"sticky", SMALL, NULL, "contact=plane sticky=1 sticky_length=0.5", "press", NULL, 1.9, 6, 12,
     0},
    {"seal", SMALL, NULL, "contact=plane", "phrase", NULL, 0.5, 3, 24, GOLDEN_SEAL},
    {"sweeps", SMALL, NULL, "solver=gauss_seidel contact=plane", "press", "shake", 0.8, 3, 24,
     GOLDEN_SIXTEEN},
    {"sweeps_offline", SMALL, NULL, "solver=gauss_seidel_offline offline_after=2", "phrase",
     "shake", 0.5, 4, 24, 0},
    {"prefactored", SMALL, NULL, "solver=prefactored", "phrase", "shake", 0.5, 4, 24,
     GOLDEN_SIXTEEN},
    {"energy_projection", SMALL, NULL, "energy_projection=on damping=3 contact=plane", "press",
     "shake", 0.8, 3, 24, GOLDEN_SIXTEEN},
    {"bdf2", SMALL, NULL, "integrator=bdf2 damping=4 drag=1", "phrase", "shake", 0.5, 3, 24, 0},
    {"midpoint", SMALL, NULL, "integrator=implicit_midpoint", "phrase", "shake", 0.5, 3, 24, 0},
    {"stabilised", SMALL, NULL, "integrator=stabilised_midpoint", "phrase", "shake", 0.5, 3, 24, 0},
    {"quasi_static", SMALL, NULL, "integrator=quasi_static gravity=0,-9.81,0", "phrase", NULL, 0.5,
     3, 24, 0},
    {"blendforce", SMALL, NULL, "drive=blendforce", "phrase", "shake", 0.5, 3, 24, GOLDEN_SIXTEEN},
    {"rebalance_off", SMALL, NULL, "rebalance=0 contact=plane", "phrase", NULL, 0.5, 3, 24, 0},
    {"substeps", SMALL, NULL, "substeps=2 contact=plane", "press", "shake", 0.8, 2, 24, 0},
    {"time_scale", SMALL, NULL, "time_scale=0.4 contact=plane", "phrase", "shake", 0.5, 3, 24, 0},
    {"keyed_time", SMALL, NULL, "", "phrase", "shake", 0.5, 4, 24, GOLDEN_KEYED},
    {"wind", SMALL, NULL, "wind=8,2,-5 gust=0.5", "phrase", NULL, 0.5, 3, 24, 0},
    {"gravity", SMALL, NULL, "gravity=0,-9.81,0 head_rotation=0.5,1,2", "phrase", "shake", 0.5, 3,
     60, 0},
    {"jaw", SMALL, NULL, "contact=plane", "phrase", NULL, 0.5, 3, 24, GOLDEN_JAW},
    {"collider", SMALL, NULL, "blendvolumes=off contact=plane friction=0.5", "phrase", NULL, 0.5, 4,
     24, GOLDEN_COLLIDER},
    {"preset_jowly", SMALL, "jowly", "blendvolumes=off", "phrase", "shake", 0.5, 3, 24, 0},
    {"simulate_at", "head", NULL, "simulate_at=2500 blendvolumes=off contact=plane", "press",
     "shake", 0.8, 2, 24, GOLDEN_SIXTEEN},
    {"newton", "cube", NULL, "solver=newton iterations=3", "still", "shake", 0.5, 3, 24, 0},
    {"overlap", "overlap=150,seed=3", NULL, "blendvolumes=off contact=plane", "press", "shake", 0.8,
     2, 24, 0},
};
const int golden_nscene = sizeof golden_scenes / sizeof *golden_scenes;

#define MUST(call)                                                                                 \
  do {                                                                                             \
    mien_error err_ = {0};                                                                         \
    mien_error *err = &err_;                                                                       \
    if ((call) < 0) fail_msg("%s", err->text);                                                     \
  } while (0)

static const char *path_of(const char *name, const char *ending) {
  static char path[1024];
  snprintf(path, sizeof path, "%s/%s%s", MIEN_SAMPLE_DIR, name, ending);
  return path;
}

// -- Settings -------------------------------------------------------------------------------------

static void read_preset(mien_settings *settings, const char *name) {
  char path[1024], json[4096];
  snprintf(path, sizeof path, "%s/presets/%s.json", MIEN_SOURCE_DIR, name);
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("%s cannot be read", path);
  size_t size = fread(json, 1, sizeof json, file);
  fclose(file);
  MUST(mien_settings_read(settings, json, size, err));
}

static mien_settings read_settings(const golden_scene *scene) {
  mien_settings settings;
  char text[256];
  mien_settings_init(&settings);
  if (scene->preset) read_preset(&settings, scene->preset);
  snprintf(text, sizeof text, "%s", scene->settings);
  for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
    char *value = strchr(word, '=');
    *value++ = 0;
    MUST(mien_settings_set(&settings, word, value, err));
  }
  settings.step.dt = 1.0 / scene->fps;
  return settings;
}

// -- Faces ----------------------------------------------------------------------------------------

// Rigs stay as long as the program: no SIMD body has a part in them. Faces stay until another is
// asked for.
enum { MOST_RIGS = 8 };
static struct {
  const char *name;
  mien_rig *rig;
} rigs[MOST_RIGS];
static struct {
  mien_face *face;
  char flesh[1024]; // the settings it was made with, as JSON
} kept;

void golden_forget(void) {
  mien_face_free(kept.face);
  kept.face = NULL;
}

static void free_rigs(void) {
  for (int k = 0; k < MOST_RIGS; k++) mien_rig_free(rigs[k].rig);
}

static mien_rig *make_rig(const char *name) {
  mien_rig *rig = NULL;
  hard_options options;
  hard_rig made;
  if (!strchr(name, '=')) {
    MUST(mien_rig_load(path_of(name, ".glb"), NULL, &rig, err));
    return rig;
  }
  assert_int_equal(hard_options_read(&options, name), 0);
  assert_int_equal(hard_rig_create(&options, &made), 0);
  MUST(mien_rig_create(&made.def, NULL, &rig, err));
  hard_rig_free(&made);
  return rig;
}

// Face parameters that are not at their default, and whether there is a ball.
static void describe_flesh(const mien_face_def *def, char text[1024]) {
  mien_settings settings;
  mien_settings_init(&settings);
  settings.face = *def;
  size_t length = mien_settings_write(&settings, text, 1000);
  snprintf(text + length, 24, "%d", def->ncollider);
}

static const mien_rig *get_rig(const char *name) {
  int k = 0;
  while (k < MOST_RIGS && rigs[k].rig && strcmp(rigs[k].name, name) != 0) k++;
  assert_true(k < MOST_RIGS);
  if (!rigs[0].rig) atexit(free_rigs);
  if (!rigs[k].rig) rigs[k].rig = make_rig(name);
  rigs[k].name = name;
  return rigs[k].rig;
}

static mien_face *get_face(const golden_scene *scene, const mien_settings *settings) {
  char flesh[1024];
  const mien_rig *rig = get_rig(scene->rig);
  mien_face_def def = settings->face;
  scene_mesh ball = scene_sphere(8, 12, 0.02);
  mien_collider collider = {"ball", {ball.position, ball.nvert, 3}, {ball.tri, 3 * ball.ntri}};
  if (scene->extra & GOLDEN_COLLIDER) def.colliders = &collider, def.ncollider = 1;
  describe_flesh(&def, flesh);
  if (!kept.face || mien_face_get_info(kept.face)->rig != rig || strcmp(flesh, kept.flesh) != 0) {
    golden_forget();
    MUST(mien_face_create(rig, &def, NULL, &kept.face, err));
    memcpy(kept.flesh, flesh, sizeof flesh);
  }
  scene_mesh_free(&ball);
  return kept.face;
}

// -- Playing --------------------------------------------------------------------------------------

typedef struct player {
  const golden_scene *scene;
  mien_settings settings;
  mien_take *take, *head;
  mien_state *state;
  float *weights;
  int nweight;
} player;

static void open_player(player *p) {
  mien_take *loaded = NULL;
  p->settings = read_settings(p->scene);
  MUST(mien_state_create(get_face(p->scene, &p->settings), NULL, &p->state, err));
  MUST(mien_take_load(path_of(p->scene->take, ".csv"), NULL, &loaded, err));
  MUST(mien_take_bind(loaded, get_rig(p->scene->rig), &p->take, NULL, err));
  mien_take_free(loaded);
  if (p->scene->head) MUST(mien_take_load(path_of(p->scene->head, ".csv"), NULL, &p->head, err));
  p->nweight = mien_rig_get_info(get_rig(p->scene->rig))->nshape;
  p->weights = calloc((size_t)p->nweight, sizeof *p->weights);
}

static void close_player(player *p) {
  mien_state_free(p->state);
  mien_take_free(p->take);
  mien_take_free(p->head);
  free(p->weights);
}

static void step(player *p, int frame) {
  int extra = p->scene->extra;
  double time = p->scene->from + frame * p->settings.step.dt;
  mien_input input = p->settings.input;
  mien_step_opts opts = p->settings.step;
  mien_rigid ball = {{0, 0, 0, 1}, {0.035, 0, 0.125 - 0.004 * frame}};
  MUST(mien_take_sample(p->take, time, p->weights, NULL, err));
  if (p->head) MUST(mien_take_sample(p->head, time, NULL, &input.head, err));
  input.weights = (mien_f32s){p->weights, p->nweight, 1};
  if (extra & GOLDEN_COLLIDER) input.colliders = &ball, input.ncollider = 1;
  if (extra & GOLDEN_SEAL) input.seal_left = 0.25 * frame;
  if (extra & GOLDEN_JAW) {
    double angle = 0.04 * frame;
    input.has_jaw = 1;
    input.jaw = (mien_rigid){{sin(angle), 0, 0, cos(angle)}, {0, 0, 0}};
  }
  if (extra & GOLDEN_KEYED) opts.time_scale = 1 + 0.2 * frame, opts.substeps = 1 + frame % 3;
  MUST(mien_step(p->state, &input, &opts, err));
}

static uint64_t hash_view(uint64_t hash, mien_f32s view) {
  return mi_hash(hash, view.data, 3 * (size_t)view.count * sizeof(float));
}

uint64_t golden_play(const golden_scene *scene) {
  player p = {.scene = scene};
  uint64_t hash = 0;
  open_player(&p);
  for (int frame = 0; frame < scene->nframe; frame++) {
    step(&p, frame);
    const mien_state_info *info = mien_state_get_info(p.state);
    hash = hash_view(hash_view(hash, info->positions), info->flesh);
  }
  close_player(&p);
  return hash;
}
