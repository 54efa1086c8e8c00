// Rigs as they come: other axes, units, origins, names, everything in one mesh. All are the sample
// head, changed the way exporters and artists change heads.
#include "face/face.h"
#include "rig/regions.h"
#include "scenes/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct foreign {
  mien_rig *sample;
  float *positions;
  mien_shape *shapes;
  mien_part *parts;
  mien_rig_def def;
} foreign;

static void start(foreign *f) {
  mien_error err;
  *f = (foreign){0};
  if (mien_rig_load(MIEN_SAMPLE_DIR "/head_small.glb", NULL, &f->sample, &err) < 0)
    fail_msg("%s", err.text);
  const mien_rig_info *info = mien_rig_get_info(f->sample);
  f->positions = malloc(3 * (size_t)info->nvert * sizeof(float));
  memcpy(f->positions, info->positions.data, 3 * (size_t)info->nvert * sizeof(float));
  f->shapes = calloc((size_t)info->nshape, sizeof *f->shapes);
  for (int s = 0; s < info->nshape; s++) {
    size_t size = 3 * (size_t)info->shapes[s].deltas.count * sizeof(float);
    float *delta = malloc(size + 1);
    memcpy(delta, info->shapes[s].deltas.data, size);
    f->shapes[s] = info->shapes[s];
    f->shapes[s].deltas.data = delta;
  }
  f->parts = calloc((size_t)info->npart + 2, sizeof *f->parts);
  memcpy(f->parts, info->parts, (size_t)info->npart * sizeof *f->parts);
  mien_rig_def_init(&f->def);
  f->def.weld = 0;
  f->def.positions = (mien_f32s){f->positions, info->nvert, 3};
  f->def.faces = info->triangles;
  f->def.parts = f->parts;
  f->def.npart = info->npart;
  f->def.shapes = f->shapes;
  f->def.nshape = info->nshape;
  f->def.landmarks = info->landmarks;
  f->def.up = f->def.facing = MIEN_AXIS_FIND;
}

static void end(foreign *f) {
  for (int s = 0; s < f->def.nshape; s++) free((float *)f->shapes[s].deltas.data);
  free(f->positions);
  free(f->shapes);
  free(f->parts);
  mien_rig_free(f->sample);
}

// from[axis[k]] * sign[k] is what the file has as its axis k
static void turn(foreign *f, const int axis[3], const float sign[3], float scale) {
  for (int s = -1; s < f->def.nshape; s++) {
    float *v = s < 0 ? f->positions : (float *)f->shapes[s].deltas.data;
    int count = s < 0 ? f->def.positions.count : f->shapes[s].deltas.count;
    for (int i = 0; i < count; i++) {
      float was[3] = {v[3 * i], v[3 * i + 1], v[3 * i + 2]};
      for (int k = 0; k < 3; k++) v[3 * i + k] = scale * sign[k] * was[axis[k]];
    }
  }
}

static mien_rig *make(const foreign *f) {
  mien_rig *rig = NULL;
  mien_error err;
  if (mien_rig_create(&f->def, NULL, &rig, &err) < 0) fail_msg("%s", err.text);
  return rig;
}

static bool says(const mien_rig *rig, const char *what) {
  const mien_rig_info *info = mien_rig_get_info(rig);
  for (int i = 0; i < info->nremark; i++)
    if (strstr(info->remarks[i], what)) return true;
  return false;
}

static mien_face *attach(const mien_rig *rig) {
  mien_face *face = NULL;
  mien_error err;
  if (mien_face_create(rig, NULL, NULL, &face, &err) < 0) fail_msg("%s", err.text);
  return face;
}

static void any_axes_give_the_same_bits(void **state) {
  (void)state;
  static const int axis[3][3] = {{0, 2, 1}, {2, 0, 1}, {0, 1, 2}};
  static const float sign[3][3] = {
      {1, -1, 1}, {1, 1, 1}, {-1, 1, -1}}; // Z up; Z up, X out; from behind
  foreign plain;
  start(&plain);
  mien_rig *rig = make(&plain);
  mien_face *face = attach(rig);
  assert_false(says(rig, "it was turned"));
  for (int k = 0; k < 3; k++) {
    foreign other;
    start(&other);
    turn(&other, axis[k], sign[k], 1);
    mien_rig *turned = make(&other);
    assert_true(says(turned, "it was turned"));
    mien_face *same = attach(turned);
    const mien_face_info *a = mien_face_get_info(face), *b = mien_face_get_info(same);
    assert_int_equal(a->nskin, b->nskin);
    assert_memory_equal(a->regions.data, b->regions.data, (size_t)a->nskin * sizeof(int32_t));
    assert_memory_equal(rig->positions, turned->positions,
                        3 * (size_t)rig->info.nvert * sizeof(float));
    assert_true(a->hash == b->hash);
    mien_face_free(same);
    mien_rig_free(turned);
    end(&other);
  }
  mien_face_free(face);
  mien_rig_free(rig);
  end(&plain);
}

static void given_axes_win(void **state) {
  (void)state;
  foreign f;
  start(&f);
  f.def.up = MIEN_AXIS_Z;
  f.def.facing = MIEN_AXIS_X;
  mien_rig *rig = make(&f);
  for (int k = 0; k < 3; k++) { // up is Z, out is X, left is Y
    assert_true(rig->positions[3 * k] == f.positions[3 * k + 1]);
    assert_true(rig->positions[3 * k + 1] == f.positions[3 * k + 2]);
    assert_true(rig->positions[3 * k + 2] == f.positions[3 * k]);
  }
  mien_rig_free(rig);
  end(&f);
}

static void a_unit_is_read_off_the_face(void **state) {
  (void)state;
  static const int axis[3] = {0, 1, 2};
  static const float sign[3] = {1, 1, 1};
  foreign f;
  start(&f);
  mien_rig *rig = make(&f);
  double height = (double)(rig->info.box_max[1] - rig->info.box_min[1]);
  assert_false(says(rig, "is the unit right"));
  mien_rig_free(rig);
  turn(&f, axis, sign, 100); // centimetres, which no field says
  f.def.find_unit = 1;
  rig = make(&f);
  assert_true(says(rig, "are read as centimetres"));
  assert_true(fabs((double)(rig->info.box_max[1] - rig->info.box_min[1]) - height) < 1e-4);
  mien_rig_free(rig);
  f.def.find_unit = 0;
  turn(&f, axis, sign, 0.001f); // a tenth of a head, as the file says: questioned, not changed
  rig = make(&f);
  assert_true(says(rig, "is the unit right?"));
  assert_true(fabs((double)(rig->info.box_max[1] - rig->info.box_min[1]) - 0.1 * height) < 1e-4);
  mien_rig_free(rig);
  end(&f);
}

// A nod takes the nose the same way wherever the origin is.
static void a_nod_is_the_same_about_any_origin(void **state) {
  (void)state;
  double first[3] = {0, 0, 0};
  for (int k = 0; k < 3; k++) {
    foreign f;
    start(&f);
    for (int i = 0; i < f.def.positions.count; i++) f.positions[3 * i + 1] += 0.8f * (float)k;
    mien_rig *rig = make(&f);
    assert_string_equal(rig->info.pivot_source, "face");
    mien_rigid nod[2] = {{{0, 0, 0, 1}, {0, 0, 0}}, {{sin(0.1), 0, 0, cos(0.1)}, {0, 0, 0}}};
    mien_take_def def;
    mien_take_def_init(&def);
    def.nframe = 2;
    def.times = (double[]){0, 1};
    def.head = nod;
    def.about_pivot = 1;
    mien_take *take = NULL, *bound = NULL;
    assert_int_equal(mien_take_create(&def, NULL, &take, NULL), MIEN_OK);
    assert_int_equal(mien_take_bind(take, rig, &bound, NULL, NULL), MIEN_OK);
    const mien_rigid *head = &mien_take_get_info(bound)->head[1];
    const float *at = rig->positions; // some vertex
    double c = cos(0.2), s = sin(0.2);
    double moved[3] = {head->translation[0],
                       c * (double)at[1] - s * (double)at[2] + head->translation[1] - (double)at[1],
                       s * (double)at[1] + c * (double)at[2] + head->translation[2] -
                           (double)at[2]};
    for (int j = 0; j < 3 && !k; j++) first[j] = moved[j];
    for (int j = 0; j < 3; j++) assert_true(fabs(moved[j] - first[j]) < 2e-6);
    mien_take_free(take);
    mien_take_free(bound);
    mien_rig_free(rig);
    end(&f);
  }
}

// Vertices of eyes and teeth that the skin collides with.
static int count_soft_tissue_guards(const mien_face *face) {
  int count = 0;
  for (int k = 0; k < face->colliders.nvert; k++) {
    int kind = face->regions.kind[face->colliders.rig[k]];
    count += kind >= MIEN_PART_TEETH_UPPER && kind <= MIEN_PART_EYE_RIGHT;
  }
  return count;
}

// Eyes, teeth and tongue of the sample are parts; in one mesh they are found again.
static void organs_in_one_mesh_are_found(void **state) {
  (void)state;
  foreign f;
  start(&f);
  mien_rig *parted = make(&f);
  mien_face *named = attach(parted);
  mien_rig_free(parted);
  mien_part one = {"everything",         MIEN_PART_AUTO, 0, f.def.positions.count, 0,
                   f.def.faces.count / 3};
  f.def.parts = &one;
  f.def.npart = 1;
  mien_rig *rig = make(&f);
  mien_face *face = attach(rig);
  int nright = 0, nwrong = 0;
  for (int i = 0; i < rig->info.nvert; i++) {
    int wanted = named->regions.kind[i], found = face->regions.kind[i];
    bool collides = wanted >= MIEN_PART_TEETH_UPPER && wanted <= MIEN_PART_EYE_RIGHT;
    nright += collides && found == wanted;
    nwrong += collides != (found >= MIEN_PART_TEETH_UPPER && found <= MIEN_PART_EYE_RIGHT);
  }
  assert_true(nright > 100);
  assert_int_equal(nwrong, 0);
  assert_int_equal(count_soft_tissue_guards(face), count_soft_tissue_guards(named));
  mien_face_free(face);
  mien_face_free(named);
  mien_rig_free(rig);
  end(&f);
}

// A body that no shape moves is skin by its name and gets no flesh; a pick decides otherwise.
static void the_face_is_what_shapes_move(void **state) {
  (void)state;
  foreign f;
  start(&f);
  scene_mesh body = scene_sphere(12, 16, 0.5);
  int nvert = f.def.positions.count, ntri = f.def.faces.count / 3;
  float *positions = malloc(3 * (size_t)(nvert + body.nvert) * sizeof *positions);
  int32_t *faces = malloc(3 * (size_t)(ntri + body.ntri) * sizeof *faces);
  memcpy(positions, f.positions, 3 * (size_t)nvert * sizeof *positions);
  memcpy(faces, f.def.faces.data, 3 * (size_t)ntri * sizeof *faces);
  for (int i = 0; i < 3 * body.nvert; i++)
    positions[3 * nvert + i] = body.position[i] - (i % 3 == 1 ? 1 : 0);
  for (int i = 0; i < 3 * body.ntri; i++) faces[3 * ntri + i] = body.tri[i] + nvert;
  for (int p = 0; p < f.def.npart; p++)
    if (f.parts[p].kind == MIEN_PART_SKIN) f.parts[p].name = "Avatar_01", f.parts[p].kind = 0;
  f.parts[f.def.npart] = (mien_part){"Body", MIEN_PART_AUTO, nvert, body.nvert, ntri, body.ntri};
  f.def.npart++;
  f.def.positions = (mien_f32s){positions, nvert + body.nvert, 3};
  f.def.faces = (mien_i32s){faces, 3 * (ntri + body.ntri)};
  mien_rig *rig = make(&f);
  mien_face *face = attach(rig);
  for (int i = 0; i < face->skin.nvert; i++) assert_true(face->skin.vert[i] < nvert);
  assert_true(says(rig, "'Body' gets no flesh"));
  mien_face_free(face);
  mien_rig_free(rig);
  f.def.face_part = "Body";
  rig = make(&f);
  face = attach(rig);
  for (int i = 0; i < face->skin.nvert; i++) assert_true(face->skin.vert[i] >= nvert);
  mien_face_free(face);
  mien_rig_free(rig);
  f.def.face_part = "Hat";
  mien_error err;
  assert_int_equal(mien_rig_create(&f.def, NULL, &rig, &err), MIEN_ERR_ARGUMENT);
  assert_non_null(strstr(err.text, "Body"));
  free(positions);
  free(faces);
  scene_mesh_free(&body);
  end(&f);
}

// Faces that look inwards, and faces that are drawn from both sides.
static void any_winding_gives_the_same_face(void **state) {
  (void)state;
  static const char *const told[] = {"", "inside out", "from both sides"};
  mien_face *face[3];
  foreign f;
  start(&f);
  f.def.npart = 0;
  int ncorner = f.def.faces.count;
  int32_t *faces = malloc(2 * (size_t)ncorner * sizeof *faces);
  memcpy(faces, f.def.faces.data, (size_t)ncorner * sizeof *faces);
  for (int i = 0; i < ncorner; i++) faces[2 * ncorner - 1 - i] = faces[i];
  for (int k = 0; k < 3; k++) {
    f.def.faces = (mien_i32s){k == 1 ? faces + ncorner : faces, k == 2 ? 2 * ncorner : ncorner};
    mien_rig *rig = make(&f);
    if (k) assert_true(says(rig, told[k]));
    face[k] = attach(rig);
    const mien_face_info *a = mien_face_get_info(face[0]), *b = mien_face_get_info(face[k]);
    assert_int_equal(a->nskin, b->nskin);
    assert_int_equal(a->ntet, b->ntet);
    assert_true(fabs(a->mass - b->mass) < 1e-4 * a->mass);
    assert_memory_equal(a->regions.data, b->regions.data, (size_t)a->nskin * sizeof(int32_t));
    mien_rig_free(rig);
  }
  for (int k = 0; k < 3; k++) mien_face_free(face[k]);
  free(faces);
  end(&f);
}

static void names_mean_the_same(void **state) {
  (void)state;
  static const char *const same[][2] = {
      {"AK_25_JawOpen", "jawopen"},
      {"blendShape1.jawOpen", "jawopen"},
      {"SR_21_Jaw_Open", "jawopen"},
      {"AU_26_JawDrop", "jawopen"},
      {"AU26", "jawopen"},
      {"AU_12_L_LipCornerPuller", "mouthsmileleft"},
      {"AU12_R", "mouthsmileright"},
      {"mouthSmile_L", "mouthsmileleft"},
      {"Eye_Left_Blink", "eyeblinkleft"},
      {"blinkRight", "eyeblinkright"},
      {"Blink_L", "eyeblinkleft"},
      {"AA_VI_10_aa", "visemeaa"},
      {"viseme_aa", "visemeaa"},
      {"Fcl_MTH_A", "visemeaa"},
      {"Fcl_EYE_Close_R", "eyeblinkright"},
      {"まばたき", "eyeblink"},
      {"joy", "happy"},
      {"Mouth_Down_Lower_L", "mouthlowerdownleft"},
      {"Brow_Raise_Inner_R", "browinnerupright"},
      {"mouthCornerPullL", "mouthsmileleft"},
      {"eyeWidenR", "eyewideright"},
      {"jawLeft", "jawleft"},
      {"EyeLookInLeft", "eyelookinleft"},
  };
  for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
    char meaning[128];
    mi_name_meaning(same[k][0], meaning, sizeof meaning);
    assert_string_equal(meaning, same[k][1]);
  }
}

static mien_result bind_one(const mien_rig *rig, const char *channel, float weight, mien_take **out,
                            mien_error *err) {
  mien_take_def def;
  mien_take_def_init(&def);
  const char *names[] = {channel, "nobodyKnows"};
  def.channels = names;
  def.nchannel = 2;
  def.nframe = 1;
  def.times = (double[]){0};
  def.weights = (float[]){weight, 0.5f};
  mien_take *take = NULL;
  assert_int_equal(mien_take_create(&def, NULL, &take, NULL), MIEN_OK);
  mien_result result = mien_take_bind(take, rig, out, NULL, err);
  mien_take_free(take);
  return result;
}

static void strangers_and_percents_are_refused(void **state) {
  (void)state;
  foreign f;
  start(&f);
  mien_error err;
  mien_take *bound = NULL;
  assert_int_equal(bind_one(f.sample, "wings", 1, &bound, &err), MIEN_ERR_MISMATCH);
  assert_non_null(strstr(err.text, "wings"));
  assert_int_equal(bind_one(f.sample, "AU26", 500, &bound, &err), MIEN_ERR_ARGUMENT);
  assert_non_null(strstr(err.text, "500"));
  assert_int_equal(bind_one(f.sample, "AU26", 3, &bound, &err), MIEN_OK);
  const mien_take_info *info = mien_take_get_info(bound);
  assert_int_equal(info->nmissing, 1);
  assert_string_equal(info->missing[0], "nobodyKnows");
  assert_int_equal(info->nmatch, 1);
  assert_string_equal(info->matches[0].shape, "jawOpen");
  assert_int_equal(info->matches[0].kind, MIEN_MATCH_MEANING);
  assert_int_equal(info->nremark, 2); // what is missing, and a weight of 3
  mien_take_free(bound);
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_axes_give_the_same_bits),
      cmocka_unit_test(given_axes_win),
      cmocka_unit_test(a_unit_is_read_off_the_face),
      cmocka_unit_test(a_nod_is_the_same_about_any_origin),
      cmocka_unit_test(organs_in_one_mesh_are_found),
      cmocka_unit_test(the_face_is_what_shapes_move),
      cmocka_unit_test(any_winding_gives_the_same_face),
      cmocka_unit_test(names_mean_the_same),
      cmocka_unit_test(strangers_and_percents_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
