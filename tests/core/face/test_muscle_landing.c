// The atlas on rigs that artists made, and against a published anatomy where that is present.
#include "scenes/scene.h"
#include "scenes/shared_rigs.h"

#include "math/vec.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const mien_muscle *find(const mien_face_info *face, const char *name) {
  for (int m = 0; m < face->nmuscle; m++)
    if (!strcmp(face->muscles[m].name, name)) return face->muscles + m;
  fail_msg("there is no muscle %s", name);
  return NULL;
}

static mi_vec3 end_of(const mien_muscle *muscle) {
  return mi_vec3_load(muscle->path.data + 3 * (size_t)(muscle->path.count - 1));
}

// m, from the left corner of the lips' slit to where muscles that pull at it end
static double corner_distance(const mien_face_info *face) {
  mi_vec3 corner = {-INFINITY, 0, 0};
  for (int k = 0; k < face->slit.count; k++) {
    mi_vec3 at = mi_vec3_load(face->positions.data + 3 * (size_t)face->slit.data[k]);
    if (at.x > corner.x) corner = at;
  }
  double farthest = 0;
  static const char *const pull[] = {"zygomaticus_major_left", "risorius_left",
                                     "depressor_anguli_oris_left", "buccinator_left"};
  for (int k = 0; k < 4; k++)
    farthest = fmax(farthest, mi_distance(corner, end_of(find(face, pull[k]))));
  return farthest;
}

static mien_face *attach(const mien_rig *rig) {
  mien_face *face = NULL;
  mien_error err;
  mien_face_def def;
  mien_face_def_init(&def);
  def.muscles = 1;
  def.blendvolumes = 0;
  if (mien_face_create(rig, &def, NULL, &face, &err) < 0) fail_msg("%s", err.text);
  return face;
}

static void check(const char *folder, const shared_options *options) {
  shared_truth truth;
  mien_rig *rig = shared_rig_load(folder, options, &truth);
  mien_face *face = attach(rig);
  const mien_face_info *info = mien_face_get_info(face);
  int nempty = 0;
  for (int m = 0; m < info->nmuscle; m++) nempty += info->muscles[m].ntet == 0;
  double corner = corner_distance(info);
  mi_vec3 left = end_of(find(info, "zygomaticus_major_left"));
  mi_vec3 right = end_of(find(info, "zygomaticus_major_right"));
  printf("%s: %d of %d muscles lie in the flesh; ends %.1f mm from the corner of the mouth\n",
         folder, info->nmuscle - nempty, info->nmuscle, 1e3 * corner);
  assert_int_equal(info->nmuscle, 44);
  assert_true(nempty <= 2);
  assert_true(corner < 0.012);
  assert_true(left.x > 0 && right.x < 0 && fabs(left.y - right.y) < 0.004);
  mien_face_free(face);
  mi_rig_release(rig);
}

static void by_landmarks(void **unused) {
  (void)unused;
  check("ict-facekit", &(shared_options){0});
}

static void by_what_is_found(void **unused) {
  (void)unused;
  check("ict-facekit", &(shared_options){.leave_landmarks = true});
  check("facecap-head", &(shared_options){0});
}

// Muscles that both have, and whether the anatomy's first end is the origin.
static const struct {
  const char *ours, *theirs;
  bool is_turned;
} anatomy[] = {
    {"zygomaticus_major_left", "left zygomaticus major", false},
    {"zygomaticus_minor_left", "left zygomaticus minor", false},
    {"levator_labii_superioris_left", "left levator labii superioris", false},
    {"risorius_left", "left risorius", false},
    {"depressor_anguli_oris_left", "left depressor anguli oris", false},
    {"corrugator_supercilii_left", "left corrugator supercilii", true},
};

// m; cm in the file
static mi_vec3 end_in(const json_t *part, bool is_second) {
  const json_t *end = json_object_get(part, is_second ? "end_b" : "end_a");
  return mi_scale(0.01, (mi_vec3){json_number_value(json_array_get(end, 0)),
                                  json_number_value(json_array_get(end, 1)),
                                  json_number_value(json_array_get(end, 2))});
}

static const json_t *find_part(const json_t *file, const char *name) {
  const json_t *parts = json_object_get(file, "parts");
  for (size_t k = 0; k < json_array_size(parts); k++) {
    const json_t *part = json_array_get(parts, k);
    if (!strcmp(json_string_value(json_object_get(part, "name")), name)) return part;
  }
  fail_msg("the anatomy has no %s", name);
  return NULL;
}

static void against_anatomy(void **unused) {
  (void)unused;
  shared_truth truth;
  char path[500];
  const char *shared = getenv("MIEN_SHARED_DATA");
  snprintf(path, sizeof path, "%s/anatomy-on-ict/parts.json",
           shared ? shared : MIEN_SOURCE_DIR "/../shared/data");
  json_t *file = json_load_file(path, 0, NULL);
  if (!file) skip();
  mien_rig *rig = shared_rig_load("ict-facekit", &(shared_options){0}, &truth);
  mien_face *face = attach(rig);
  enum { COUNT = sizeof anatomy / sizeof *anatomy };
  double mean = 0, turned = 0;
  for (int k = 0; k < COUNT; k++) {
    const mien_muscle *muscle = find(mien_face_get_info(face), anatomy[k].ours);
    const json_t *part = find_part(file, anatomy[k].theirs);
    mi_vec3 a = mi_vec3_load(muscle->path.data), b = end_of(muscle);
    mi_vec3 c = end_in(part, anatomy[k].is_turned), d = end_in(part, !anatomy[k].is_turned);
    double off = (mi_distance(a, c) + mi_distance(b, d)) / 2;
    double angle = acos(mi_dot(mi_unit(mi_sub(b, a)), mi_unit(mi_sub(d, c)))) * 57.2958;
    printf("%-30s ends %.1f mm off, direction %.0f degrees\n", anatomy[k].ours, 1e3 * off, angle);
    mean += off / COUNT;
    turned += angle / COUNT;
  }
  printf("on average %.1f mm and %.0f degrees\n", 1e3 * mean, turned);
  assert_true(mean < 0.02);
  assert_true(turned < 30);
  json_decref(file);
  mien_face_free(face);
  mi_rig_release(rig);
}

// A fibre of the published finite-element face, as a direction; both faces look along +Z with +Y
// up.
static mi_vec3 fibre_of(const json_t *file, const char *name) {
  const json_t *muscles = json_object_get(file, "muscles");
  for (size_t k = 0; k < json_array_size(muscles); k++) {
    const json_t *muscle = json_array_get(muscles, k);
    if (strcmp(json_string_value(json_object_get(muscle, "name")), name)) continue;
    const json_t *fibre = json_array_get(json_object_get(muscle, "fibres"), 0);
    const json_t *end[2] = {json_array_get(fibre, 0),
                            json_array_get(fibre, json_array_size(fibre) - 1)};
    double way[3], across = json_number_value(json_array_get(end[0], 0)) +
                            json_number_value(json_array_get(end[1], 0));
    for (size_t c = 0; c < 3; c++)
      way[c] = json_number_value(json_array_get(end[1], c)) -
               json_number_value(json_array_get(end[0], c));
    return mi_unit((mi_vec3){across < 0 ? -way[0] : way[0], way[1], way[2]}); // on the left
  }
  fail_msg("the finite-element face has no %s", name);
  return (mi_vec3){0, 0, 0};
}

static void against_finite_elements(void **unused) {
  (void)unused;
  static const struct {
    const char *ours, *theirs;
  } both[] = {{"zygomaticus_major_left", "zygomaticus"},
              {"risorius_left", "risorius"},
              {"levator_anguli_oris_left", "levator anguli oris"},
              {"levator_labii_superioris_left", "levator labii superioris"},
              {"depressor_anguli_oris_left", "depressor anguli oris"},
              {"depressor_labii_inferioris_left", "depressor labii inferioris"}};
  enum { COUNT = sizeof both / sizeof *both };
  shared_truth truth;
  char path[500];
  const char *shared = getenv("MIEN_SHARED_DATA");
  snprintf(path, sizeof path, "%s/artisynth-face/model.json",
           shared ? shared : MIEN_SOURCE_DIR "/../shared/data");
  json_t *file = json_load_file(path, 0, NULL);
  if (!file) skip();
  mien_rig *rig = shared_rig_load("ict-facekit", &(shared_options){0}, &truth);
  mien_face *face = attach(rig);
  double turned = 0;
  for (int k = 0; k < COUNT; k++) {
    const mien_muscle *muscle = find(mien_face_get_info(face), both[k].ours);
    mi_vec3 way = mi_unit(mi_sub(end_of(muscle), mi_vec3_load(muscle->path.data)));
    double angle = acos(fmin(1, fabs(mi_dot(way, fibre_of(file, both[k].theirs))))) * 57.2958;
    printf("%-32s %.0f degrees from the finite-element face's\n", both[k].ours, angle);
    turned += angle / COUNT;
  }
  printf("on average %.0f degrees\n", turned);
  assert_true(turned < 35);
  json_decref(file);
  mien_face_free(face);
  mi_rig_release(rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_landmarks), cmocka_unit_test(by_what_is_found),
      cmocka_unit_test(against_anatomy), cmocka_unit_test(against_finite_elements)};
  if (!shared_rig_is_there("ict-facekit") || !shared_rig_is_there("facecap-head")) return 77;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
