#include "fixture.h"
#include "io/obj.h"

#include <math.h>
#include <string.h>

static mi_arena arena;

static mien_result parse(const char *text, mi_obj *obj, mien_error *err) {
  return mi_obj_parse(&(mi_obj_text){"face.obj", text, strlen(text)}, true, &arena, obj, err);
}

static void reads_all_spellings_of_a_face(void **state) {
  (void)state;
  mi_obj obj;
  mien_error err;
  if (parse("# comment\r\nmtllib x.mtl\nv 0 0 0\r\nv\t1 0 0 0.5 0.5 0.5\n v 1 1 0\nv 0 1e0 -0.0\n"
            "vt 0 0\nvt 1 0 0\nvn 0 0 1\n"
            "f 1 2 3\nf 1/1 2/2 3/1\nf 1//1 2//1 3//1\nf 1/1/1 2/2/1 3/2/1 4/1/1\n"
            "f -4/-2 -3 -2/-1/-1\nusemtl m\ns off\nl 1 2\n",
            &obj, &err) < 0)
    fail_msg("%s", err.text);
  assert_int_equal(obj.nvert, 4);
  assert_int_equal(obj.nuv, 2);
  assert_int_equal(obj.nface, 5);
  assert_int_equal(obj.face_size[3], 4);
  assert_memory_equal(obj.corner_vert + 13, ((const int32_t[]){0, 1, 2}), 12);
  assert_memory_equal(obj.corner_uv + 13, ((const int32_t[]){0, -1, 1}), 12);
  assert_memory_equal(obj.corner_uv + 6, ((const int32_t[]){-1, -1, -1}), 12);
  assert_true(obj.positions[10] == 1);
}

static void refuse(const char *text, const char *says) {
  mi_obj obj;
  mien_error err;
  assert_int_equal(parse(text, &obj, &err), MIEN_ERR_FORMAT);
  assert_text_has(err.text, "face.obj");
  assert_text_has(err.text, says);
}

static void damage_names_its_line(void **state) {
  (void)state;
  refuse("v 0 0 0\nv 0 x 0\n", "line 2: a number");
  refuse("v 0 0\n", "line 1");
  refuse("v 0 0 0\nf 1 2 3\n", "names vertex 2");
  refuse("v 0 0 0\nf 1 0 1\n", "line 2");
  refuse("v 0 0 0\nf 1 -2 1\n", "line 2");
  refuse("v 0 0 0\nf 1 1\n", "fewer than three");
  refuse("v 0 0 0\nf 1/1 1/1 1/1\n", "uv 1");
  refuse("v 0 0 0\nf 1 1 99999999999\n", "line 2");
  refuse("v 0 0 0\nf a b c\n", "line 2");
  refuse("# nothing\n", "no vertices");
  refuse("v 0 0 0\n", "no faces");
}

static int set_up(void **state) {
  (void)state;
  mien_host host = fixture_host();
  mi_arena_init(&arena, &host);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  mi_arena_free(&arena);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_all_spellings_of_a_face),
      cmocka_unit_test(damage_names_its_line),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
