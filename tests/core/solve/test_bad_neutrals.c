// Neutrals that are wrong where skin can touch: it is said when the face is made, steps stay
// finite, and the artist's pose comes back when the cause goes away.
#include "crossings.h"
#include "scenes/touch.h"
#include "solve/contacts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool says(const char *const *remarks, int count, const char *words) {
  for (int i = 0; i < count; i++)
    if (strstr(remarks[i], words)) return true;
  return false;
}

static bool face_says(const mien_face *face, const char *words) {
  const mien_face_info *info = mien_face_get_info(face);
  return says(info->remarks, info->nremark, words);
}

// Balls modelled one in the other: their neutral is not pushed.
static void a_rest_that_crosses_is_left_alone(void **state) {
  touch_scene s = touch_balls(-0.006, NULL);
  const mien_face_info *face = mien_face_get_info(s.face);
  crossings_mesh neutral = {face->positions.data, face->skin_triangles.data,
                            face->skin_triangles.count / 3, NULL};
  char words[96];
  snprintf(words, sizeof words, "%d pairs of triangles of the skin that can touch cross each other",
           (int)crossings_within(&neutral).count);
  assert_true(face_says(s.face, words));
  mien_step_opts opts = touch_options(*state, 24);
  for (int frame = 0; frame < 20; frame++) touch_step(&s, &opts);
  assert_true(touch_is_artists(&s));
  for (int frame = 0; frame < 40; frame++) {
    s.weights[TOUCH_DOWN] = 0.4f * sinf(0.3f * (float)frame);
    touch_step(&s, &opts);
    assert_true(touch_is_finite(&s));
    assert_int_equal(touch_surface_crossings(&s), 0);
    assert_true(mien_state_get_info(s.state)->max_offset < 0.02);
  }
  s.weights[TOUCH_DOWN] = -1; // apart
  for (int frame = 0; frame < 200 && !touch_is_artists(&s); frame++) touch_step(&s, &opts);
  bool is_back = touch_is_artists(&s);
  touch_free(&s);
  assert_true(is_back);
}

// What the neutral needs is found once for a face: its second state reads what the first one reads,
// and both go the same way.
static void states_share_what_the_neutral_needs(void **state) {
  touch_scene s = touch_balls(-0.0005, NULL);
  mien_step_opts opts = touch_options(*state, 24);
  s.weights[TOUCH_DOWN] = 0.1f;
  mien_state *first = s.state, *second = NULL;
  assert_int_equal(mien_state_create(s.face, NULL, &second, NULL), MIEN_OK);
  touch_step(&s, &opts);
  s.state = second;
  touch_step(&s, &opts);
  s.state = first;
  const mi_inset *a = &first->contacts->inset, *b = &second->contacts->inset;
  bool is_shared = a->depth == b->depth && a->shifted == b->shifted && a->hint == b->hint &&
                   a->is_masked == b->is_masked &&
                   first->contacts->surface == second->contacts->surface;
  bool is_own = a->normal != b->normal, is_needed = a->ninset > 0;
  bool is_same =
      !memcmp(mien_state_get_info(first)->flesh.data, mien_state_get_info(second)->flesh.data,
              12 * (size_t)mien_face_get_info(s.face)->nvert);
  mien_state_free(second);
  touch_free(&s);
  assert_true(is_needed && is_shared && is_own && is_same);
}

static int64_t all_crossings(const touch_scene *s, const float *skin) {
  const mien_face_info *face = mien_face_get_info(s->face);
  crossings_mesh mesh = {skin, face->skin_triangles.data, face->skin_triangles.count / 3, NULL};
  return crossings_within(&mesh).count;
}

// m, by how much the lowest of the upper ball is below the highest of the lower one; those places
// are not over each other
static double overlap(const touch_scene *s, const float *skin) {
  const mien_face_info *face = mien_face_get_info(s->face);
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < face->nskin; i++) {
    const float *at = skin + 3 * (size_t)i;
    if (hypot((double)at[0], (double)at[2]) > 0.012) continue;
    if (face->skin.data[i] < s->mesh.nvert / 2)
      high = fmax(high, fabsf(at[1]) < 0.02f ? (double)at[1] : -INFINITY);
    else
      low = fmin(low, fabsf(at[1]) < 0.02f ? (double)at[1] : INFINITY);
  }
  return high - low;
}

// m, what both balls are pulled in by at most
static double modelled_depth(const touch_scene *s) {
  const mi_contacts *c = s->state->contacts;
  const mien_face_info *face = mien_face_get_info(s->face);
  double depth[2] = {0};
  for (int i = 0; i < c->nsoft; i++) {
    double *own = depth + (face->skin.data[c->flesh[i]] < s->mesh.nvert / 2);
    *own = fmax(*own, (double)c->inset.depth[i]);
  }
  return depth[0] + depth[1];
}

// Skin that crosses in the neutral may overlap as deep as it was modelled to, and no deeper: the
// contact surface, which lies in it that deep, crosses nowhere. The neutral comes back with its
// crossings. Without contact the balls go deeper.
static void a_fold_of_the_neutral_gets_no_deeper(void **state) {
  touch_scene s = touch_balls(-0.0005, NULL);
  mien_step_opts opts = touch_options(*state, 24);
  const mien_state_info *info = mien_state_get_info(s.state);
  const float *rest = mien_face_get_info(s.face)->positions.data;
  int64_t neutral = all_crossings(&s, rest), most = 0;
  double deepest = 0, crossed = overlap(&s, rest);
  for (int frame = 0; frame < 36; frame++) {
    s.weights[TOUCH_DOWN] = 0.2f * fminf(1, (float)frame / 12);
    touch_step(&s, &opts);
    int64_t now = touch_surface_crossings(&s);
    most = now > most ? now : most;
    deepest = fmax(deepest, overlap(&s, info->flesh.data));
    assert_int_equal(touch_stood_down(&s), 0);
  }
  double modelled = modelled_depth(&s);
  s.weights[TOUCH_DOWN] = 0;
  bool is_back = touch_comes_back(&s, &opts);
  int64_t after = all_crossings(&s, info->flesh.data);
  opts.contact = MIEN_CONTACT_OFF;
  s.weights[TOUCH_DOWN] = 0.2f;
  touch_step(&s, &opts);
  double posed = overlap(&s, info->flesh.data);
  print_message(
      "overlap %.2f mm in the neutral, %.2f mm at most, pulled in by %.2f mm, %.2f mm posed\n",
      1e3 * crossed, 1e3 * deepest, 1e3 * modelled, 1e3 * posed);
  touch_free(&s);
  assert_true(neutral > 20 && posed > 2e-3); // or nothing was tried
  assert_int_equal(most, 0);
  assert_true(modelled < 1e-3 && deepest <= crossed + modelled);
  assert_true(is_back);
  assert_int_equal(after, neutral);
}

static uint64_t press_fold(void **state, int threads, int restore_at, int *nalloc) {
  scene_memory memory = {0};
  mien_host host = scene_counting_host(&memory);
  host.threads = threads;
  touch_scene s = touch_balls(-0.0005, &host);
  mien_step_opts opts = touch_options(*state, 24);
  int first = 0;
  for (int frame = 0; frame < 12; frame++) {
    if (frame == restore_at) touch_move_to_new_state(&s, &host);
    s.weights[TOUCH_DOWN] = 0.2f * fminf(1, (float)frame / 6);
    touch_step(&s, &opts);
    if (!frame) first = memory.nalloc;
  }
  *nalloc = memory.nalloc - first;
  uint64_t hash = mien_state_hash(s.state);
  touch_free(&s);
  return hash;
}

// What is pulled in hangs on the neutral, not on threads or on what was before a snapshot.
static void folds_have_the_same_bits_without_allocating(void **state) {
  int nalloc, ignored;
  uint64_t first = press_fold(state, 1, -1, &nalloc);
  assert_int_equal(nalloc, 0);
  assert_true(press_fold(state, 2, -1, &ignored) == first);
  assert_true(press_fold(state, 1, 5, &ignored) == first);
}

// Lips without a slit between them: sealed, sticky and shaken.
static void welded_lips_are_survived(void **state) {
  touch_scene s = touch_ball(NULL, NULL);
  // the slit of the ball has 48 edges (64 when it had 738 vertices instead of 410)
  assert_true(face_says(s.face, "welded into one: they share 48 edges"));
  mien_step_opts opts = touch_options(*state, 24);
  opts.sticky = 1;
  s.input.seal_left = s.input.seal_right = 1;
  for (int frame = 0; frame < 24; frame++) {
    s.input.head.translation[0] = 0.02 * sin(frame);
    touch_step(&s, &opts);
    assert_true(touch_is_finite(&s));
    assert_true(mien_state_get_info(s.state)->max_offset < 0.05);
  }
  s.input.seal_left = s.input.seal_right = opts.sticky = 0;
  bool is_back = touch_comes_back(&s, &opts);
  touch_free(&s);
  assert_true(is_back);
}

// The lower half of the sample head's slit becomes the upper one, vertex by vertex.
static void weld_slit(const touch_scene *s, int32_t *to) {
  const mien_face_info *face = mien_face_get_info(s->face);
  for (int i = 0; i < mien_rig_get_info(s->rig)->nvert; i++) to[i] = i;
  for (int i = 0; i < face->nslit; i++) {
    int a = face->slit.data[i];
    double nearest = INFINITY;
    for (int j = 0; j < face->nslit; j++) {
      int b = face->slit.data[j];
      double d2 = 0;
      if (face->regions.data[a] & ~face->regions.data[b] & MIEN_REGION_LIP_UPPER) continue;
      if (!(face->regions.data[b] & MIEN_REGION_LIP_UPPER)) continue;
      for (int k = 0; k < 3; k++)
        d2 += pow((double)face->positions.data[3 * a + k] - face->positions.data[3 * b + k], 2);
      if (d2 < nearest) nearest = d2, to[face->skin.data[a]] = face->skin.data[b];
    }
  }
}

// The sample head with its lips welded, in place of the head it was.
static void weld_lips(touch_scene *s) {
  const mien_rig_info *rig = mien_rig_get_info(s->rig);
  int32_t *to = malloc((size_t)rig->nvert * sizeof *to);
  int32_t *tri = malloc(3 * (size_t)rig->ntri * sizeof *tri);
  mien_part *parts = malloc((size_t)rig->npart * sizeof *parts);
  weld_slit(s, to);
  int ntri = 0;
  for (int p = 0; p < rig->npart; p++) {
    const mien_part *from = rig->parts + p;
    parts[p] = *from;
    parts[p].first_triangle = ntri;
    for (int t = from->first_triangle; t < from->first_triangle + from->ntri; t++) {
      int32_t v[3];
      for (int k = 0; k < 3; k++) v[k] = to[rig->triangles.data[3 * t + k]];
      if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) continue;
      memcpy(tri + 3 * (size_t)ntri++, v, sizeof v);
    }
    parts[p].ntri = ntri - parts[p].first_triangle;
  }
  mien_rig_def def;
  mien_rig *welded = NULL;
  mien_error err;
  mien_rig_def_init(&def);
  def.positions = rig->positions;
  def.faces = (mien_i32s){tri, 3 * ntri};
  def.parts = parts;
  def.npart = rig->npart;
  def.shapes = rig->shapes;
  def.nshape = rig->nshape;
  if (mien_rig_create(&def, NULL, &welded, &err) < 0) fail_msg("%s", err.text);
  mien_state_free(s->state);
  s->rig = welded; // the one before is shared
  if (mien_face_create(s->rig, NULL, NULL, &s->face, &err) < 0) fail_msg("%s", err.text);
  if (mien_state_create(s->face, NULL, &s->state, &err) < 0) fail_msg("%s", err.text);
  free(to);
  free(tri);
  free(parts);
}

static void a_head_with_welded_lips_is_survived(void **state) {
  touch_scene s = touch_head("press.csv", NULL);
  assert_false(face_says(s.face, "welded") || face_says(s.face, "cross each other"));
  weld_lips(&s);
  assert_true(face_says(s.face, "upper and lower lip are welded into one"));
  mien_step_opts opts = touch_options(*state, 24);
  opts.sticky = 1;
  for (int frame = 1; frame <= 48; frame++) {
    touch_pose(&s, frame * opts.dt);
    touch_step(&s, &opts);
    assert_true(touch_is_finite(&s));
    assert_true(mien_state_get_info(s.state)->max_offset < 0.05);
  }
  touch_pose(&s, 0);
  opts.sticky = 0;
  bool is_back = touch_comes_back(&s, &opts);
  touch_free(&s);
  assert_true(is_back);
}

// -- Skin without area ----------------------------------------------------------------------------

// Near where the balls meet every fifth triangle's first corner is put onto the middle of the edge
// across from it.
static void flatten(scene_mesh *mesh) {
  float *x = mesh->position;
  for (int t = 0; t < mesh->ntri; t += 5) {
    const int32_t *tri = mesh->tri + 3 * (size_t)t;
    float *at = x + 3 * (size_t)tri[0];
    if (fabsf(at[1]) > 0.004f) continue;
    for (int k = 0; k < 3; k++)
      at[k] = (x[3 * (size_t)tri[1] + (size_t)k] + x[3 * (size_t)tri[2] + (size_t)k]) / 2;
  }
}

static void skin_without_area_is_survived(void **state) {
  touch_scene s = touch_spoiled_balls(0.002, flatten);
  assert_true(says(mien_rig_get_info(s.rig)->remarks, mien_rig_get_info(s.rig)->nremark,
                   "next to no area"));
  mien_step_opts opts = touch_options(*state, 24);
  int most = 0;
  for (int frame = 1; frame <= 30; frame++) {
    s.weights[TOUCH_DOWN] = 0.5f * fminf(1, (float)frame / 20);
    touch_step(&s, &opts);
    assert_true(touch_is_finite(&s));
    assert_int_equal(touch_surface_crossings(&s), 0);
    int ncontact = mien_state_get_info(s.state)->ncontact;
    most = ncontact > most ? ncontact : most;
  }
  double off = mien_state_get_info(s.state)->max_offset;
  s.weights[TOUCH_DOWN] = -1;
  bool is_back = touch_comes_back(&s, &opts);
  touch_free(&s);
  assert_true(most > 0);
  assert_true(off < 0.02);
  assert_true(is_back);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      EVERY_WAY(a_rest_that_crosses_is_left_alone),
      EVERY_WAY(states_share_what_the_neutral_needs),
      EVERY_WAY(a_fold_of_the_neutral_gets_no_deeper),
      WITH(planes, folds_have_the_same_bits_without_allocating),
      WITH(barrier, folds_have_the_same_bits_without_allocating),
      EVERY_WAY(welded_lips_are_survived),
      WITH(planes, a_head_with_welded_lips_is_survived),
      WITH(barrier, a_head_with_welded_lips_is_survived),
      WITH(planes, skin_without_area_is_survived),
      WITH(barrier, skin_without_area_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
