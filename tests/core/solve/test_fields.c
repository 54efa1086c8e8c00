// Every field of a state's list survives saving, restoring and copying, counts in the hash, and is
// refused where it holds nonsense.
#include "scenes/touch.h"
#include "solve/fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A face on which no array is empty: coarser than its rig, with lips, muscles and a user's
// collider.
typedef struct fixture {
  scene_mesh box;
  touch_scene scene;
  mien_state *other;
  unsigned char *bytes;
  size_t size;
} fixture;

static int open_face(void **state) {
  fixture *f = calloc(1, sizeof *f);
  mien_face_def def;
  f->box = scene_box(0.01, 0.01, 0.01);
  mien_collider collider = {
      "box", {f->box.position, f->box.nvert, 3}, {f->box.tri, 3 * f->box.ntri}};
  mien_face_def_init(&def);
  def.simulate_at = 1200;
  def.muscles = 1;
  def.colliders = &collider;
  def.ncollider = 1;
  f->scene = touch_head_of(&def, "press.csv");
  f->size = mien_state_size(f->scene.state);
  f->bytes = malloc(f->size);
  *state = f;
  return mien_state_create(f->scene.face, NULL, &f->other, NULL) != MIEN_OK || !f->bytes;
}

static int close_face(void **state) {
  fixture *f = *state;
  mien_state_free(f->other);
  free(f->bytes);
  touch_free(&f->scene);
  scene_mesh_free(&f->box);
  free(f);
  return 0;
}

// Something else that the field may hold, in its last element.
static void change(const mi_field *field) {
  void *last = (unsigned char *)field->data + mi_field_bytes(field) - field->size;
  switch (field->kind) {
  case MI_FIELD_NUMBER:
  case MI_FIELD_SPAN:
    *(double *)last += 0.25;
    return;
  case MI_FIELD_COUNT:
    *(int64_t *)last += 1;
    return;
  case MI_FIELD_FLAG:
    *(int64_t *)last = 1 - *(int64_t *)last;
    return;
  case MI_FIELD_ACCOUNT:
    ((mi_energy_budget *)last)->budget_due += 0.25;
    return;
  case MI_FIELD_RIGID:
    ((mien_rigid *)last)->translation[1] += 0.25;
    return;
  case MI_FIELD_FLOAT:
    *(float *)last += 0.25f;
    return;
  case MI_FIELD_STICK:
    ((mi_stick *)last)->strain += 0.25f;
    return;
  }
  fail();
}

static void ruin(const mi_field *field) {
  void *last = (unsigned char *)field->data + mi_field_bytes(field) - field->size;
  switch (field->kind) {
  case MI_FIELD_NUMBER:
    *(double *)last = NAN;
    return;
  case MI_FIELD_SPAN:
    *(double *)last = 1e9;
    return;
  case MI_FIELD_COUNT:
    *(int64_t *)last = -1;
    return;
  case MI_FIELD_FLAG:
    *(int64_t *)last = 2;
    return;
  case MI_FIELD_ACCOUNT:
    ((mi_energy_budget *)last)->accel[3] = INFINITY;
    return;
  case MI_FIELD_RIGID:
    ((mien_rigid *)last)->rotation[3] = 0;
    return;
  case MI_FIELD_FLOAT:
    *(float *)last = NAN;
    return;
  case MI_FIELD_STICK:
    ((mi_stick *)last)->corner[0] = 1 << 30;
    return;
  }
  fail();
}

static void every_field_is_kept(void **state) {
  fixture *f = *state;
  mien_state *one = f->scene.state;
  mi_field fields[MI_NFIELD], copies[MI_NFIELD];
  mi_fields_of(one, fields);
  mi_fields_of(f->other, copies);
  mien_state_reset(one);
  mien_state_reset(f->other);
  uint64_t rest = mien_state_hash(one);
  assert_true(mien_state_hash(f->other) == rest);
  for (int k = 0; k < MI_NFIELD; k++) {
    size_t size = mi_field_bytes(fields + k);
    if (!size) fail_msg("'%s' is empty: nothing is tested", fields[k].name);
    change(fields + k);
    uint64_t changed = mien_state_hash(one);
    if (changed == rest) fail_msg("'%s' does not count in the hash", fields[k].name);
    assert_int_equal(mien_state_write(one, f->bytes, f->size, NULL), MIEN_OK);
    assert_int_equal(mien_state_copy(f->other, one, NULL), MIEN_OK);
    assert_memory_equal(copies[k].data, fields[k].data, size);
    assert_true(mien_state_hash(f->other) == changed);
    mien_state_reset(f->other);
    if (mien_state_hash(f->other) != rest) fail_msg("'%s' is not reset", fields[k].name);
    assert_int_equal(mien_state_read(f->other, f->bytes, f->size, NULL), MIEN_OK);
    assert_memory_equal(copies[k].data, fields[k].data, size);
    assert_true(mien_state_hash(f->other) == changed);
    mien_state_reset(one);
    mien_state_reset(f->other);
  }
}

static void nonsense_is_refused_in_every_field(void **state) {
  fixture *f = *state;
  mi_field fields[MI_NFIELD];
  mi_fields_of(f->scene.state, fields);
  mien_state_reset(f->other);
  uint64_t rest = mien_state_hash(f->other);
  for (int k = 0; k < MI_NFIELD; k++) {
    mien_error err = {0};
    mien_state_reset(f->scene.state);
    ruin(fields + k);
    mien_state_write(f->scene.state, f->bytes, f->size, NULL);
    mien_result result = mien_state_read(f->other, f->bytes, f->size, &err);
    if (result != MIEN_ERR_FORMAT && result != MIEN_ERR_NOT_FINITE)
      fail_msg("nonsense in '%s' is taken", fields[k].name);
    assert_true(mien_state_hash(f->other) == rest);
  }
  mien_state_reset(f->scene.state);
}

// The list has every member of the struct: nothing dynamic stands beside it.
static void the_list_is_the_struct(void **state) {
  fixture *f = *state;
  mi_field fields[MI_NFIELD];
  size_t size = 0;
  mi_fields_of(f->scene.state, fields);
  for (int k = 0; k < MI_NFIELD; k++) size += fields[k].array ? sizeof(void *) : fields[k].size;
  assert_int_equal(size, sizeof(mi_dynamics));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_field_is_kept),
                                     cmocka_unit_test(nonsense_is_refused_in_every_field),
                                     cmocka_unit_test(the_list_is_the_struct)};
  return cmocka_run_group_tests(tests, open_face, close_face);
}
