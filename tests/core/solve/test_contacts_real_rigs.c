// Pressed lips on real rigs, where they are present: finite, the contact surface crosses nowhere,
// and what crosses of the skin is the folds that cross in the neutral the artist made, nothing
// else, until they have parted. Skin may overlap as deep as in the neutral, and slide: a pair that
// crosses counts as a fold when both of its triangles touch both of one that crosses in the
// neutral.
#include "box_pairs.h"
#include "crossings.h"
#include "scenes/shared_rigs.h"
#include "scenes/touch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NFRAME = 12, OPENED = 2, CLOSED = 4, PRESSED = 10 }; // the last two are held

static crossings count(const mien_face *face, const float *flesh) {
  const mien_face_info *info = mien_face_get_info(face);
  crossings_mesh mesh = {flesh, info->skin_triangles.data, info->skin_triangles.count / 3,
                         info->positions.data};
  return crossings_within(&mesh);
}

typedef struct folds { // pairs of triangles of what can touch that cross
  int32_t (*pair)[2];
  int count, capacity;
} folds;

static bool touch(const int32_t *a, const int32_t *b) {
  for (int k = 0; k < 9; k++)
    if (a[k / 3] == b[k % 3]) return true;
  return false;
}

typedef struct search {
  const float *flesh;
  const int32_t *tri, *own;
  folds *found;
} search;

static void try_pair(void *user, int32_t first, int32_t second) {
  const search *s = user;
  const int32_t *a = s->tri + 3 * (size_t)first, *b = s->tri + 3 * (size_t)second;
  const float *x[3], *y[3];
  for (int k = 0; k < 3; k++)
    x[k] = s->flesh + 3 * (size_t)a[k], y[k] = s->flesh + 3 * (size_t)b[k];
  if (touch(a, b) || !crossings_of_two(x, y)) return;
  folds *f = s->found;
  assert_true(f->count < f->capacity);
  f->pair[f->count][0] = s->own[first];
  f->pair[f->count++][1] = s->own[second];
}

static void find_folds(const mien_face *face, const float *flesh, folds *f) {
  const mien_face_info *info = mien_face_get_info(face);
  int ntri = (int)(info->skin_triangles.count / 3), count = 0;
  int32_t *own = malloc((size_t)ntri * sizeof *own);
  int32_t *tri = malloc(3 * (size_t)ntri * sizeof *tri);
  box *boxes = malloc((size_t)ntri * sizeof *boxes);
  for (int t = 0; t < ntri; t++) {
    const int32_t *v = info->skin_triangles.data + 3 * (size_t)t;
    bool can_touch = true;
    for (int k = 0; k < 3; k++) can_touch &= (info->regions.data[v[k]] & MIEN_REGION_CONTACT) != 0;
    if (!can_touch) continue;
    memcpy(tri + 3 * (size_t)count, v, 3 * sizeof *tri);
    own[count++] = t;
  }
  f->count = 0;
  assert_true(box_bound(flesh, tri, count, boxes));
  assert_true(box_pairs_find(boxes, count, try_pair, &(search){flesh, tri, own, f}));
  free(boxes);
  free(tri);
  free(own);
}

// Pairs that cross now and belong to no fold of the neutral.
static int count_new(const mien_face *face, const folds *now, const folds *neutral) {
  const int32_t *tri = mien_face_get_info(face)->skin_triangles.data;
  int count = 0;
  for (int i = 0; i < now->count; i++) {
    const int32_t *a = tri + 3 * (size_t)now->pair[i][0], *b = tri + 3 * (size_t)now->pair[i][1];
    bool is_old = false;
    for (int k = 0; k < neutral->count && !is_old; k++) {
      const int32_t *c = tri + 3 * (size_t)neutral->pair[k][0];
      const int32_t *d = tri + 3 * (size_t)neutral->pair[k][1];
      is_old = (touch(a, c) && touch(b, d)) || (touch(a, d) && touch(b, c));
    }
    count += !is_old;
  }
  return count;
}

static void set(const mien_rig *rig, float *weights, const char *shape, double weight) {
  int at = mien_rig_find_shape(rig, shape);
  if (at >= 0) weights[at] = (float)weight;
}

typedef struct pressed { // the most in any frame
  int64_t crossing;      // pairs that do not cross in the neutral
  int nnew;              // of them beside its folds
  int64_t surface;       // pairs of the contact surface, with teeth and eyes
  int64_t last;          // pairs of skin that can touch, of all that cross, in the last frame
} pressed;

// Opens, closes and presses; without contact as the artist poses it, judged where it is pressed.
static pressed press(const mien_rig *rig, const mien_face *face, mien_contact contact) {
  float weights[512] = {0};
  mien_state *state = NULL;
  mien_step_opts opts;
  mien_input input;
  mien_error err;
  pressed most = {0};
  folds neutral = {calloc(4096, sizeof *neutral.pair), 0, 4096}, folded = neutral;
  folded.pair = calloc(4096, sizeof *folded.pair);
  find_folds(face, mien_face_get_info(face)->positions.data, &neutral);
  mien_step_opts_init(&opts);
  mien_input_init(&input);
  opts.contact = contact;
  if (contact == MIEN_CONTACT_OFF) opts.solver = MIEN_SOLVER_KINEMATIC;
  assert_true(rig->info.nshape <= 512);
  input.weights = (mien_f32s){weights, rig->info.nshape, 1};
  assert_int_equal(mien_state_create(face, NULL, &state, NULL), MIEN_OK);
  const mien_state_info *info = mien_state_get_info(state);
  for (int frame = 0; frame < NFRAME; frame++) {
    double open = fmax(0, 0.3 * (1 - fabs((double)frame - OPENED) / OPENED));
    double shut = fmin(1, fmax(0, (frame - CLOSED) / (double)(PRESSED - CLOSED)));
    set(rig, weights, "jawOpen", open);
    set(rig, weights, "mouthClose", 0.08 * shut);
    set(rig, weights, "mouthPressLeft", shut);
    set(rig, weights, "mouthPressRight", shut);
    set(rig, weights, "mouthRollLower", 0.15 * shut);
    set(rig, weights, "mouthRollUpper", 0.15 * shut);
    if (mien_step(state, &input, &opts, &err) < 0) fail_msg("%s", err.text);
    if (contact == MIEN_CONTACT_OFF && frame < NFRAME - 1) continue;
    for (int i = 0; i < 3 * info->flesh.count; i++) assert_true(isfinite(info->flesh.data[i]));
    crossings now = count(face, info->flesh.data);
    assert_true(now.count >= 0);
    most.crossing = now.count > most.crossing ? now.count : most.crossing;
    if (contact == MIEN_CONTACT_OFF) continue;
    touch_scene scene = {.face = (mien_face *)(uintptr_t)face, .state = state};
    int64_t surface = touch_surface_crossings(&scene);
    most.surface = surface > most.surface ? surface : most.surface;
    find_folds(face, info->flesh.data, &folded);
    assert_int_equal(folded.count, now.count + now.apart); // nothing crosses elsewhere
    int nnew = count_new(face, &folded, &neutral);
    most.nnew = nnew > most.nnew ? nnew : most.nnew;
    most.last = folded.count;
  }
  mien_state_free(state);
  free(neutral.pair);
  free(folded.pair);
  return most;
}

static void check(const char *name) {
  shared_truth truth;
  mien_rig *rig = shared_rig_load(name, NULL, &truth);
  mien_face *face = NULL;
  mien_error err;
  if (mien_face_create(rig, NULL, NULL, &face, &err) < 0) fail_msg("%s", err.text);
  const mien_face_info *info = mien_face_get_info(face);
  int64_t neutral = count(face, info->positions.data).apart;
  pressed without = press(rig, face, MIEN_CONTACT_OFF);
  pressed with = press(rig, face, MIEN_CONTACT_PLANE);
  print_message(
      "%s: %d pairs cross in the neutral, %d more without contact, %d more with, %d of them "
      "in no fold of the neutral; %d in the end; %d of the contact surface\n",
      name, (int)neutral, (int)without.crossing, (int)with.crossing, with.nnew, (int)with.last,
      (int)with.surface);
  mien_face_free(face);
  mien_rig_free(rig);
  assert_true(without.crossing > 40); // or nothing was tried
  assert_int_equal(with.surface, 0);
  // skin may overlap as deep as it was modelled to: not in more places than in the neutral
  assert_true(with.crossing <= neutral && with.last <= neutral);
}

static void ict(void **state) {
  (void)state;
  check("ict-facekit");
}

static void facecap(void **state) {
  (void)state;
  check("facecap-head");
}

int main(void) {
  bool has_ict = shared_rig_is_there("ict-facekit"), has_cap = shared_rig_is_there("facecap-head");
  if (!has_ict && !has_cap) return 77; // CTest counts it as skipped
  const struct CMUnitTest tests[] = {cmocka_unit_test(ict), cmocka_unit_test(facecap)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
