// Programs built with an older or a newer mien.h: their structs are shorter or longer than ours.
//
// Behind a shorter struct lie bytes of 0xff: numbers that are not finite, pointers to nowhere. A
// library that reads or writes there is found out.
#include "base/params.h"
#include "scenes/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 8192, NEWER = 16 };

static scene_flesh flesh;
static const char CACHE[] = "versions_cache.pc2";

// -- What a struct is used for --------------------------------------------------------------------

// Puts into a struct what its object cannot do without, and makes the object.
static mien_result use_host(void *given, mien_error *err) {
  mien_rig_def def = scene_rig_def(&flesh.mesh);
  mien_rig *rig = NULL;
  mien_result result = mien_rig_create(&def, given, &rig, err);
  mien_rig_free(rig);
  return result;
}

static mien_result use_rig_def(void *given, mien_error *err) {
  mien_rig_def *def = given, whole = scene_rig_def(&flesh.mesh);
  def->positions = whole.positions;
  def->faces = whole.faces;
  mien_rig *rig = NULL;
  mien_result result = mien_rig_create(def, NULL, &rig, err);
  if (rig) assert_int_equal(mien_rig_get_info(rig)->nvert, flesh.mesh.nvert);
  mien_rig_free(rig);
  return result;
}

static mien_result use_rig_opts(void *given, mien_error *err) {
  mien_rig *rig = NULL;
  mien_result result = mien_rig_import("no such file.glb", given, NULL, &rig, err);
  return result == MIEN_ERR_IO ? MIEN_OK : result;
}

static mien_result use_take_def(void *given, mien_error *err) {
  static const double times[] = {0, 1};
  mien_take_def *def = given;
  def->nframe = 2;
  def->times = times;
  mien_take *take = NULL;
  mien_result result = mien_take_create(def, NULL, &take, err);
  mien_take_free(take);
  return result;
}

static mien_result use_face_def(void *given, mien_error *err) {
  mien_face *face = NULL;
  mien_result result = mien_face_create(flesh.rig, given, NULL, &face, err);
  if (face) // with the defaults
    assert_true(mien_face_get_info(face)->hash == mien_face_get_info(flesh.face)->hash);
  mien_face_free(face);
  return result;
}

// A step with a short struct is a step with the defaults.
static mien_result step(const mien_input *input, const mien_step_opts *opts, mien_error *err) {
  mien_state_reset(flesh.state);
  assert_int_equal(mien_step(flesh.state, NULL, NULL, NULL), MIEN_OK);
  uint64_t wanted = mien_state_hash(flesh.state);
  mien_state_reset(flesh.state);
  mien_result result = mien_step(flesh.state, input, opts, err);
  if (result >= 0) assert_true(mien_state_hash(flesh.state) == wanted);
  return result;
}

static mien_result use_input(void *given, mien_error *err) {
  return step(given, NULL, err);
}

static mien_result use_step_opts(void *given, mien_error *err) {
  return step(NULL, given, err);
}

static mien_result use_cache_def(void *given, mien_error *err) {
  mien_cache_def *def = given;
  def->rig = flesh.rig;
  mien_cache *cache = NULL;
  mien_result result = mien_cache_create(CACHE, def, NULL, &cache, err);
  if (cache) assert_near(mien_cache_get_info(cache)->first_frame, 1, 0);
  mien_cache_free(cache);
  return result;
}

static mien_result use_stream_def(void *given, mien_error *err) {
  mien_stream_def *def = given;
  def->sends = 1;
  mien_stream *stream = NULL;
  mien_result result = mien_stream_create(def, NULL, &stream, err);
  mien_stream_free(stream);
  return result;
}

// Options are checked before anything else that this machine or this rig may lack.
static mien_result only_options(mien_result result) {
  return result == MIEN_ERR_OPTIONS ? result : MIEN_OK;
}

static mien_result use_tracker_def(void *given, mien_error *err) {
  mien_tracker *tracker = NULL;
  mien_result result = mien_tracker_create(given, NULL, &tracker, err);
  mien_tracker_free(tracker);
  return only_options(result);
}

static mien_result use_fit_def(void *given, mien_error *err) {
  mien_fit *fit = NULL;
  mien_result result = mien_fit_create(flesh.rig, given, NULL, &fit, err);
  mien_fit_free(fit);
  return only_options(result);
}

// -- All structs with a struct_size ---------------------------------------------------------------

typedef void init_fn(void *given, size_t size);
#define INIT(type)                                                                                 \
  static void init_##type(void *given, size_t size) {                                              \
    (mien_##type##_init)(given, size);                                                             \
  }
INIT(host)
INIT(rig_def)
INIT(rig_opts)
INIT(take_def)
INIT(face_def)
INIT(input)
INIT(step_opts)
INIT(play_opts)
INIT(cache_def)
INIT(stream_def)
INIT(tracker_def)
INIT(fit_def)

typedef struct kind {
  const char *name;
  init_fn *init;
  mien_result (*use)(void *given, mien_error *err);
  size_t size;
  size_t least; // the fields that `use` sets
  size_t end;   // of its last field
} kind;

#define END(type, field) (offsetof(mien_##type, field) + sizeof(((mien_##type *)0)->field))
#define KIND(type, least, last)                                                                    \
  { "mien_" #type, init_##type, use_##type, sizeof(mien_##type), least, END(type, last) }

static const kind kinds[] = {
    KIND(host, 8, user),
    KIND(rig_def, END(rig_def, faces), file_vertices),
    KIND(rig_opts, 8, pivot),
    KIND(take_def, END(take_def, times), about_pivot),
    KIND(face_def, 8, muscle_resume),
    KIND(input, 8, activations),
    KIND(step_opts, 8, muscle_stiffening),
    KIND(cache_def, END(cache_def, rig), tolerance),
    KIND(stream_def, 16, phone),
    KIND(tracker_def, 8, find_user),
    KIND(fit_def, 8, smoothness),
};
enum { NKIND = sizeof kinds / sizeof *kinds };

static uint32_t size_of(const void *given) {
  uint32_t size;
  memcpy(&size, given, sizeof size);
  return size;
}

static void older_programs_get_defaults(void **state) {
  (void)state;
  static _Alignas(16) unsigned char given[ROOM], around[ROOM];
  for (int k = 0; k < NKIND; k++)
    for (size_t size = kinds[k].least; size <= kinds[k].size; size += 8) {
      mien_error err;
      memset(around, 0xff, sizeof around);
      memset(given, 0xff, sizeof given);
      kinds[k].init(given, size);
      assert_int_equal(size_of(given), size);
      if (kinds[k].use(given, &err) < 0)
        fail_msg("%s of %zu bytes: %s", kinds[k].name, size, err.text);
      assert_memory_equal(given + size, around + size, ROOM - size); // not ours to write
    }
}

static void newer_programs_may_not_set_what_we_do_not_know(void **state) {
  (void)state;
  static _Alignas(16) unsigned char given[ROOM];
  for (int k = 0; k < NKIND; k++) {
    mien_error err;
    size_t size = kinds[k].size;
    memset(given, 0xff, sizeof given);
    kinds[k].init(given, size + NEWER);
    for (size_t i = 0; i < NEWER; i++) assert_int_equal(given[size + i], 0);
    if (kinds[k].use(given, &err) < 0) fail_msg("%s: %s", kinds[k].name, err.text);
    given[size + NEWER - 1] = 1;
    assert_int_equal(kinds[k].use(given, &err), MIEN_ERR_OPTIONS);
    assert_non_null(strstr(err.text, kinds[k].name));
    assert_non_null(strstr(err.text, "does not know"));
  }
}

static void what_was_not_set_up_is_refused(void **state) {
  (void)state;
  static _Alignas(16) unsigned char given[ROOM];
  static const uint32_t sizes[] = {0, 4, 7, 13, 4098, 5000, 0xffffffff};
  for (int k = 0; k < NKIND; k++)
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      mien_error err;
      kinds[k].init(given, kinds[k].size);
      memcpy(given, sizes + i, sizeof *sizes);
      assert_int_equal(kinds[k].use(given, &err), MIEN_ERR_OPTIONS);
      assert_non_null(strstr(err.text, "_init"));
    }
}

// Else a field that is appended could hide in the padding, and the size would not tell.
static void a_new_field_makes_a_struct_larger(void **state) {
  (void)state;
  for (int k = 0; k < NKIND; k++)
    if (kinds[k].end != kinds[k].size) fail_msg("%s ends in padding", kinds[k].name);
  assert_int_equal(END(play_opts, space_scale), sizeof(mien_play_opts));
}

// -- Settings: parts of any version, one behind the other -----------------------------------------

enum { PARTS = 4 };

typedef struct parts {
  size_t start[PARTS], size[PARTS], end;
} parts;

// Settings whose part `changed` is longer or shorter than ours, as its program would lay them out.
static parts lay_out(unsigned char *given, int changed, int by) {
  static init_fn *const init[PARTS] = {init_face_def, init_step_opts, init_input, init_play_opts};
  static const size_t sizes[PARTS] = {sizeof(mien_face_def), sizeof(mien_step_opts),
                                      sizeof(mien_input), sizeof(mien_play_opts)};
  parts p = {.end = offsetof(mien_settings, face)};
  memset(given, 0xff, ROOM);
  for (int k = 0; k < PARTS; k++) {
    p.start[k] = p.end;
    p.size[k] = (size_t)((int)sizes[k] + (k == changed ? by : 0));
    init[k](given + p.start[k], p.size[k]);
    p.end += p.size[k];
  }
  uint32_t whole = (uint32_t)p.end;
  memcpy(given, &whole, sizeof whole);
  return p;
}

static void check_row(const mien_param *row, unsigned char *given, const parts *p) {
  static unsigned char before[ROOM];
  mien_settings *settings = (mien_settings *)given;
  double values[3] = {row->soft_max, row->soft_max, row->soft_max}, again[3] = {0};
  bool is_known = row->offset + row->size <= p->size[row->place];
  memcpy(before, given, ROOM);
  mien_error err;
  mien_result result = mien_param_set(row, settings, values, &err);
  mien_param_get(row, settings, again);
  if (!is_known) {
    assert_int_equal(result, MIEN_ERR_OPTIONS);
    assert_non_null(strstr(err.text, "older"));
    assert_near(again[0], row->value[0], 0);
    assert_memory_equal(before, given, ROOM);
    return;
  }
  size_t at = p->start[row->place] + row->offset, after = at + row->size;
  assert_int_equal(result, MIEN_OK);
  assert_near(again[0], values[0], 1e-12 * values[0]);
  assert_memory_equal(before, given, at);
  assert_memory_equal(before + after, given + after, ROOM - after);
}

static void settings_of_any_version_are_set_where_they_are(void **state) {
  (void)state;
  static _Alignas(16) unsigned char given[ROOM];
  static const int by[] = {0, -8, -24, 8, 24};
  int count, nunknown = 0;
  const mien_param *rows = mien_params(&count);
  for (int k = 0; k < PARTS; k++)
    for (size_t b = 0; b < sizeof by / sizeof *by; b++)
      for (int i = 0; i < count; i++) {
        if (rows[i].place == MIEN_PARAM_MAP) continue;
        parts p = lay_out(given, k, by[b]);
        nunknown += rows[i].offset + rows[i].size > p.size[rows[i].place];
        check_row(rows + i, given, &p);
      }
  assert_true(nunknown > 4);
}

static void json_goes_into_settings_of_any_version(void **state) {
  (void)state;
  static _Alignas(16) unsigned char given[ROOM];
  static const char json[] = "{\"sticky\": 0.5, \"space_scale\": 2, \"seal_left\": 1}";
  mien_error err;
  char text[400];
  parts p = lay_out(given, MIEN_PARAM_STEP, -3 * (int)sizeof(double)); // no room for fat
  mien_settings *settings = (mien_settings *)given;
  if (mien_settings_read(settings, json, strlen(json), &err) < 0) fail_msg("%s", err.text);
  mien_play_opts *play = (mien_play_opts *)(given + p.start[MIEN_PARAM_PLAY]);
  assert_near(play->space_scale, 2, 0);
  mien_settings_write(settings, text, sizeof text);
  assert_non_null(strstr(text, "\"sticky\": 0.5"));
  assert_non_null(strstr(text, "\"seal_left\": 1"));
  static const char newer[] = "{\"sticky\": 0.25, \"fat\": 1.1}";
  assert_int_equal(mien_settings_read(settings, newer, strlen(newer), &err), MIEN_ERR_OPTIONS);
  mien_step_opts *opts = (mien_step_opts *)(given + p.start[MIEN_PARAM_STEP]);
  assert_near(opts->sticky, 0.5, 0); // refused whole
}

static int set_up(void **state) {
  (void)state;
  scene_mesh mesh = scene_grid(6, 6, 0.1);
  mien_rig_def def = scene_rig_def(&mesh);
  flesh = scene_flesh_create(mesh, &def, NULL);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  scene_flesh_free(&flesh);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(older_programs_get_defaults),
      cmocka_unit_test(newer_programs_may_not_set_what_we_do_not_know),
      cmocka_unit_test(what_was_not_set_up_is_refused),
      cmocka_unit_test(a_new_field_makes_a_struct_larger),
      cmocka_unit_test(settings_of_any_version_are_set_where_they_are),
      cmocka_unit_test(json_goes_into_settings_of_any_version),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
