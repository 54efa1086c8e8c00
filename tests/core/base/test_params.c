// The table of parameters: every row reaches its field and nothing else, by number, text and JSON.
#include "base/params.h"
#include "scenes/scene.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int count;
static const mien_param *params;

static int set_up(void **unused) {
  (void)unused;
  params = mien_params(&count);
  return count < 20;
}

// Where a parameter lies in settings of our own version.
static size_t place_of(const mien_param *p) {
  static const size_t start[] = {offsetof(mien_settings, face), offsetof(mien_settings, step),
                                 offsetof(mien_settings, input), offsetof(mien_settings, play)};
  return start[p->place] + p->offset;
}

// A value that is allowed and not the default.
static void other_value(const mien_param *p, double values[3]) {
  for (int k = 0; k < 3; k++) {
    double middle = p->soft_min + 0.375 * (p->soft_max - p->soft_min);
    if (p->kind != MIEN_PARAM_NUMBER && p->kind != MIEN_PARAM_VECTOR) middle = floor(middle);
    values[k] = middle != p->value[k] ? middle : p->soft_max;
  }
}

static void rows_make_sense(void **unused) {
  (void)unused;
  for (int i = 0; i < count; i++) {
    const mien_param *p = params + i;
    int width = p->kind == MIEN_PARAM_VECTOR ? 3 : 1;
    assert_true(p->name[0] && p->group[0] && p->help[0]);
    assert_true(p->min < p->max && p->soft_min < p->soft_max && p->to_si > 0);
    assert_true(p->soft_min >= p->min && p->soft_max <= p->max);
    for (int k = 0; k < width; k++) assert_true(p->value[k] >= p->min && p->value[k] <= p->max);
    assert_int_equal(p->choices != NULL, p->kind == MIEN_PARAM_CHOICE);
    if (p->choices) { // as many names as values
      int last = 0;
      for (const char *at = p->choices; *at; at++) last += *at == ',';
      assert_true(p->max == last);
    }
    if (p->map) {
      bool is_known = false;
      for (int j = 0; j < count; j++)
        is_known |= params[j].place == MIEN_PARAM_MAP && !strcmp(params[j].name, p->map);
      assert_true(is_known);
    }
    for (int j = 0; j < i; j++)
      if ((params[j].place == MIEN_PARAM_MAP) == (p->place == MIEN_PARAM_MAP))
        assert_string_not_equal(params[j].name, p->name);
    if (p->place == MIEN_PARAM_MAP) continue;
    size_t wanted = p->kind == MIEN_PARAM_VECTOR   ? 3 * sizeof(double)
                    : p->kind == MIEN_PARAM_NUMBER ? sizeof(double)
                                                   : sizeof(int);
    assert_true(p->size == wanted || (p->kind == MIEN_PARAM_WHOLE && p->size == sizeof(uint64_t)));
  }
}

static void setting_changes_the_field_alone(void **unused) {
  (void)unused;
  for (int i = 0; i < count; i++) {
    const mien_param *p = params + i;
    double values[3], again[3] = {0};
    mien_settings before, after;
    if (p->place == MIEN_PARAM_MAP) continue;
    memset(&before, 0, sizeof before); // padding, too
    mien_settings_init(&before);
    memcpy(&after, &before, sizeof after);
    other_value(p, values);
    assert_int_equal(mien_param_set(p, &after, values, NULL), MIEN_OK);
    mien_param_get(p, &after, again);
    for (int k = 0; k < (p->kind == MIEN_PARAM_VECTOR ? 3 : 1); k++)
      assert_true(fabs(again[k] - values[k]) <= 1e-12 * fabs(values[k]));
    const char *a = (const char *)&before, *b = (const char *)&after;
    size_t at = place_of(p), end = at + p->size;
    assert_memory_not_equal(a + at, b + at, p->size);
    assert_memory_equal(a, b, at);
    assert_memory_equal(a + end, b + end, sizeof after - end);
  }
}

static void out_of_range_is_refused(void **unused) {
  (void)unused;
  for (int i = 0; i < count; i++) {
    const mien_param *p = params + i;
    mien_settings before, after;
    mien_error err;
    if (p->place == MIEN_PARAM_MAP) continue;
    memset(&before, 0, sizeof before);
    mien_settings_init(&before);
    memcpy(&after, &before, sizeof after);
    const double bad[] = {p->max * 2 + 2, p->min * (p->min < 0 ? 2 : 1) - 1, NAN, INFINITY};
    for (int k = 0; k < 4; k++) {
      double values[3] = {bad[k], bad[k], bad[k]};
      assert_int_equal(mien_param_set(p, &after, values, &err), MIEN_ERR_OPTIONS);
      assert_non_null(strstr(err.text, p->name));
    }
    assert_memory_equal(&before, &after, sizeof after);
  }
}

static void text_is_read(void **unused) {
  (void)unused;
  mien_settings s;
  mien_error err;
  mien_settings_init(&s);
  assert_int_equal(mien_settings_set(&s, "gravity", "0,-9.81,0", NULL), MIEN_OK);
  assert_true(s.step.gravity[1] == -9.81);
  assert_int_equal(mien_settings_set(&s, "sticky_length", "3", NULL), MIEN_OK);
  assert_true(fabs(s.step.sticky_length - 0.003) < 1e-15);
  assert_int_equal(mien_settings_set(&s, "contact", "barrier", NULL), MIEN_OK);
  assert_int_equal(s.step.contact, MIEN_CONTACT_BARRIER);
  assert_int_equal(mien_settings_set(&s, "use_stored", "off", NULL), MIEN_OK);
  assert_int_equal(s.face.use_stored, 0);
  assert_int_equal(mien_settings_set(&s, "seed", "123456789012", NULL), MIEN_OK);
  assert_true(s.step.seed == 123456789012ull);
  static const char *const wrong[][3] = {
      {"stifness", "1", "is 'stiffness' meant?"},
      {"nonsense_of_any_kind", "1", "there is no parameter 'nonsense_of_any_kind'"},
      {"contact", "glue", "off,plane,barrier"},
      {"gravity", "0,1", "three numbers"},
      {"gravity", "0,1,2,3", "three numbers"},
      {"iterations", "2.5", "whole"},
      {"iterations", "many", "takes a number"},
      {"iterations", "", "takes a number"},
      {"use_stored", "maybe", "on or off"},
      {"thickness", "-1", "thickness is -1 mm; it must be 0 to"},
  };
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    assert_true(mien_settings_set(&s, wrong[k][0], wrong[k][1], &err) < 0);
    if (!strstr(err.text, wrong[k][2])) fail_msg("%s", err.text);
  }
  char flood[5000];
  memset(flood, 'x', sizeof flood - 1);
  flood[sizeof flood - 1] = 0;
  assert_int_equal(mien_settings_set(&s, flood, flood, &err), MIEN_ERR_OPTIONS);
}

// Found by fuzz_settings: "-0" was written as another text than what was read back of it.
static void zero_has_no_sign(void **unused) {
  (void)unused;
  mien_settings settings;
  char json[256];
  mien_settings_init(&settings);
  assert_int_equal(mien_settings_set(&settings, "damping", "-0", NULL), MIEN_OK);
  assert_false(signbit(settings.step.damping));
  mien_settings_write(&settings, json, sizeof json);
  assert_string_equal(json, "{}\n");
}

static void json_goes_there_and_back(void **unused) {
  (void)unused;
  mien_settings s, again;
  char json[8192], small[16];
  mien_settings_init(&s);
  size_t length = mien_settings_write(&s, json, sizeof json);
  assert_int_equal(length, 3);
  assert_string_equal(json, "{}\n"); // nothing differs from the defaults
  for (int i = 0; i < count; i++) {
    double values[3];
    if (params[i].place == MIEN_PARAM_MAP || params[i].flags & MIEN_PARAM_OF_HOST) continue;
    other_value(params + i, values);
    assert_int_equal(mien_param_set(params + i, &s, values, NULL), MIEN_OK);
  }
  length = mien_settings_write(&s, json, sizeof json);
  assert_true(length < sizeof json && length == strlen(json));
  assert_int_equal(mien_settings_write(&s, small, sizeof small), length);
  assert_int_equal(strlen(small), sizeof small - 1);
  mien_settings_init(&again);
  mien_error err;
  if (mien_settings_read(&again, json, length, &err) < 0) fail_msg("%s", err.text);
  for (int i = 0; i < count; i++) {
    if (params[i].place == MIEN_PARAM_MAP) continue;
    size_t at = place_of(params + i);
    assert_memory_equal((char *)&s + at, (char *)&again + at, params[i].size);
  }
}

static void wrong_json_changes_nothing(void **unused) {
  (void)unused;
  static const char *const wrong[][2] = {
      {"", "line 1"},
      {"[1]", "no JSON object"},
      {"{\"sticky\": 1,}", "line 1"},
      {"{\"sticky\": 1, \"stickyy\": 2}", "is 'sticky' meant?"},
      {"{\"sticky\": 1, \"iterations\": 0}", "iterations is 0; it must be a whole number from 1"},
      {"{\"sticky\": 1, \"gravity\": [1, 2]}", "list of three"},
      {"{\"sticky\": 1, \"gravity\": [1, 2, \"3\"]}", "list of three"},
      {"{\"sticky\": 1, \"contact\": 1}", "one of its names"},
      {"{\"sticky\": 1, \"contact\": \"glue\"}", "off,plane,barrier"},
      {"{\"sticky\": 1, \"use_stored\": 1}", "true or false"},
      {"{\"sticky\": 1, \"density\": \"heavy\"}", "a number"},
      {"{\"sticky\": 1, \"sticky\": 2}", "line 1"},
  };
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    mien_settings s;
    mien_error err;
    mien_settings_init(&s);
    assert_true(mien_settings_read(&s, wrong[k][0], strlen(wrong[k][0]), &err) < 0);
    if (!strstr(err.text, wrong[k][1])) fail_msg("%s: %s", wrong[k][0], err.text);
    assert_true(s.step.sticky == 0);
  }
  mien_settings s;
  memset(&s, 0, sizeof s);
  assert_int_equal(mien_settings_read(&s, "{}", 2, NULL), MIEN_ERR_OPTIONS);
  assert_int_equal(mien_settings_read(NULL, "{}", 2, NULL), MIEN_ERR_ARGUMENT);
}

static void presets_are_read(void **unused) {
  (void)unused;
  static const char *const names[] = {"skin", "fat", "jowly", "cartoon", "stiff"};
  double last = 0;
  for (int k = 0; k < 5; k++) {
    char path[512], json[4096];
    mien_settings s;
    mien_error err;
    snprintf(path, sizeof path, MIEN_SOURCE_DIR "/presets/%s.json", names[k]);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(json, 1, sizeof json, file);
    fclose(file);
    mien_settings_init(&s);
    if (mien_settings_read(&s, json, size, &err) < 0) fail_msg("%s: %s", names[k], err.text);
    assert_true(s.face.stiffness != last); // each is another flesh
    last = s.face.stiffness;
  }
}

// In a host with a decimal comma settings are the same text, and 0.5 is a half.
static void a_decimal_comma_changes_nothing(void **state) {
  (void)state;
  if (!scene_use_decimal_comma()) {
    print_message("skipped: no locale with a decimal comma can be made\n");
    skip();
  }
  char number[16], json[512];
  mien_settings settings, again;
  mien_error err;
  snprintf(number, sizeof number, "%g", 0.5);
  assert_string_equal(number, "0,5");
  mien_settings_init(&settings);
  assert_int_equal(mien_settings_set(&settings, "damping", "0.5", &err), MIEN_OK);
  assert_true(settings.step.damping == 0.5);
  assert_int_equal(mien_settings_set(&settings, "gravity", "0.25, -9.81,1e-1", &err), MIEN_OK);
  assert_true(settings.step.gravity[0] == 0.25 && settings.step.gravity[2] == 0.1);
  assert_true(mien_settings_set(&settings, "damping", "0,5", &err) < 0);
  size_t length = mien_settings_write(&settings, json, sizeof json);
  assert_non_null(strstr(json, "\"damping\": 0.5"));
  mien_settings_init(&again);
  assert_int_equal(mien_settings_read(&again, json, length, &err), MIEN_OK);
  assert_true(again.step.damping == 0.5 && again.step.gravity[1] == -9.81);
  setlocale(LC_ALL, "C");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_make_sense),
      cmocka_unit_test(setting_changes_the_field_alone),
      cmocka_unit_test(out_of_range_is_refused),
      cmocka_unit_test(text_is_read),
      cmocka_unit_test(zero_has_no_sign),
      cmocka_unit_test(json_goes_there_and_back),
      cmocka_unit_test(wrong_json_changes_nothing),
      cmocka_unit_test(presets_are_read),
      cmocka_unit_test(a_decimal_comma_changes_nothing),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
