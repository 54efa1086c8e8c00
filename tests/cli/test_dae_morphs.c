#include "dae_morphs.h"
#include "scenes/scene.h"

#include <stdlib.h>
#include <string.h>

static const char *const skinned =
    "<COLLADA><library_geometries>"
    "<geometry id='base' name='face'><mesh/></geometry>"
    "<geometry id=\"t1\" name=\"jawOpen\"><mesh/></geometry>"
    "<geometry id=\"t2\"><mesh/></geometry></library_geometries>"
    "<library_controllers>"
    "<controller id=\"m\"><morph method=\"RELATIVE\" source=\"#base\">"
    "<source id=\"s\"><IDREF_array id=\"a\" count=\"2\"> t1\n t2 </IDREF_array></source></morph>"
    "</controller>"
    "<controller id=\"k\"><skin source=\"#m\"></skin></controller>"
    "</library_controllers>"
    "<library_visual_scenes><visual_scene id=\"S\"><node id=\"n\">"
    "<instance_controller url=\"#k\"><skeleton>#n</skeleton></instance_controller>"
    "</node></visual_scene></library_visual_scenes></COLLADA>";

static void targets_and_chains_of_controllers_are_found(void **state) {
  (void)state;
  dae_morphs m;
  assert_true(dae_has_morphs(skinned));
  assert_true(dae_morphs_read(skinned, &m));
  assert_int_equal(m.ntarget, 2);
  assert_string_equal(m.target[0].base, "base");
  assert_string_equal(m.target[0].mesh, "t1");
  assert_string_equal(m.target[0].name, "jawOpen");
  assert_true(m.target[0].is_relative);
  assert_string_equal(m.target[1].name, "t2");
  dae_morphs_free(&m);
}

static void controllers_leave_the_text_and_targets_enter_the_scene(void **state) {
  (void)state;
  dae_morphs m;
  assert_true(dae_morphs_read(skinned, &m));
  assert_int_equal(strlen(m.text), m.size);
  assert_null(strstr(m.text, "controller"));
  assert_non_null(strstr(m.text, "<instance_geometry url=\"#base\"><skeleton>#n</skeleton>"
                                 "</instance_geometry></node>"));
  assert_non_null(strstr(m.text, "name=\"" DAE_TARGET_NODE "1\"><instance_geometry url=\"#t2\"/>"));
  assert_non_null(strstr(m.text, "</node>\n</visual_scene></library_visual_scenes></COLLADA>"));
  dae_morphs_free(&m);
}

static void a_text_without_morphs_is_left_alone(void **state) {
  (void)state;
  const char *text = "<COLLADA><morphology/><visual_scene></visual_scene></COLLADA>";
  dae_morphs m;
  assert_false(dae_has_morphs(text));
  assert_true(dae_morphs_read(text, &m));
  assert_int_equal(m.ntarget, 0);
  assert_string_equal(m.text, text);
  dae_morphs_free(&m);
}

// Every prefix of the text, in a block of exactly its size: nothing may be read past the end.
static void a_text_that_breaks_off_does_no_harm(void **state) {
  (void)state;
  for (size_t length = 0; length < strlen(skinned); length++) {
    char *part = malloc(length + 1);
    assert_non_null(part);
    memcpy(part, skinned, length);
    part[length] = 0;
    dae_morphs m;
    assert_true(dae_morphs_read(part, &m));
    assert_true(m.ntarget <= 2);
    dae_morphs_free(&m);
    free(part);
  }
}

static void a_morph_without_a_source_has_no_base(void **state) {
  (void)state;
  dae_morphs m;
  assert_true(dae_morphs_read("<controller id=\"c\"><morph><IDREF_array>up</IDREF_array></morph>"
                              "</controller><instance_controller/>",
                              &m));
  assert_int_equal(m.ntarget, 1);
  assert_string_equal(m.target[0].base, "");
  assert_string_equal(m.target[0].mesh, "up");
  dae_morphs_free(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(targets_and_chains_of_controllers_are_found),
      cmocka_unit_test(controllers_leave_the_text_and_targets_enter_the_scene),
      cmocka_unit_test(a_text_without_morphs_is_left_alone),
      cmocka_unit_test(a_text_that_breaks_off_does_no_harm),
      cmocka_unit_test(a_morph_without_a_source_has_no_base)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
