// Which triangles are simulated: marked parts, unmarked rigs, and rigs without any skin.
#include "rig/regions.h"
#include "scenes/scene.h"

#include <stdlib.h>
#include <string.h>

// A grid of 20 cm (part 0), a sphere of 3 cm (part 1); the shape lifts part of the grid and, less,
// the sphere.
typedef struct pair {
  scene_mesh mesh;
  int ngrid, ngrid_tri;
  float *delta;
  mien_part part[2];
  mien_shape shape;
  mien_rig_def def;
} pair;

static void make_pair(pair *p) {
  scene_mesh grid = scene_grid(10, 10, 0.2), ball = scene_sphere(8, 12, 0.03);
  *p = (pair){.mesh = scene_join(&grid, &ball), .ngrid = grid.nvert, .ngrid_tri = grid.ntri};
  p->delta = calloc(3 * (size_t)p->mesh.nvert, sizeof *p->delta);
  for (int i = 0; i < p->mesh.nvert; i++) p->delta[3 * i + 1] = i < p->ngrid ? 0.01f : 0.002f;
  p->part[0] = (mien_part){"cloak", MIEN_PART_AUTO, 0, grid.nvert, 0, grid.ntri};
  p->part[1] = (mien_part){"ball", MIEN_PART_AUTO, grid.nvert, ball.nvert, grid.ntri, ball.ntri};
  p->shape = (mien_shape){"up", {NULL, 0}, {p->delta, p->mesh.nvert, 3}};
  p->def = scene_rig_def(&p->mesh);
  p->def.shapes = &p->shape;
  p->def.nshape = 1;
  p->def.weld = 0;
  p->def.parts = p->part;
  p->def.npart = 2;
  scene_mesh_free(&grid);
  scene_mesh_free(&ball);
}

static void free_pair(pair *p) {
  scene_mesh_free(&p->mesh);
  free(p->delta);
}

typedef struct outcome {
  mien_rig *rig;
  mi_arena arena;
  mi_remarks remarks;
  mi_skin skin;
  mien_result result;
  mien_error err;
} outcome;

static void build(const mien_rig_def *def, outcome *o) {
  *o = (outcome){0};
  if (mi_rig_create(def, NULL, &o->rig, &o->err) < 0) fail_msg("%s", o->err.text);
  mi_arena_init(&o->arena, &o->rig->host);
  o->remarks.arena = &o->arena;
  o->result = mi_skin_build(o->rig, &o->arena, &o->skin, &o->remarks, &o->err);
}

static void drop(outcome *o) {
  mi_arena_free(&o->arena);
  mi_rig_release(o->rig);
}

static void the_piece_that_moves_most_is_taken_and_said(void **state) {
  (void)state;
  pair p;
  outcome o;
  make_pair(&p);
  build(&p.def, &o);
  assert_int_equal(o.result, MIEN_OK);
  assert_int_equal(o.skin.nvert, p.ngrid);
  assert_int_equal(o.skin.ntri, p.ngrid_tri);
  assert_int_equal(o.remarks.count, 1);
  assert_non_null(strstr(o.remarks.text[0], "move most"));
  drop(&o);
  // now the ball moves: small, but it wins
  for (int i = 0; i < p.mesh.nvert; i++) p.delta[3 * i + 1] = i < p.ngrid ? 0 : 0.002f;
  build(&p.def, &o);
  assert_int_equal(o.skin.nvert, p.mesh.nvert - p.ngrid);
  for (int i = 0; i < o.skin.nvert; i++) {
    assert_int_equal(o.skin.vert[i], p.ngrid + i);
    assert_int_equal(o.skin.of_rig[p.ngrid + i], i);
  }
  drop(&o);
  // without shapes the largest is
  p.def.nshape = 0;
  build(&p.def, &o);
  assert_int_equal(o.skin.nvert, p.ngrid);
  assert_non_null(strstr(o.remarks.text[0], "largest"));
  drop(&o);
  free_pair(&p);
}

static void a_marked_part_wins_over_motion(void **state) {
  (void)state;
  pair p;
  outcome o;
  make_pair(&p);
  p.part[1].kind = MIEN_PART_SKIN;
  build(&p.def, &o);
  assert_int_equal(o.skin.nvert, p.mesh.nvert - p.ngrid);
  assert_int_equal(o.remarks.count, 0);
  drop(&o);
  p.part[0].kind = MIEN_PART_SKIN; // both
  build(&p.def, &o);
  assert_int_equal(o.skin.nvert, p.mesh.nvert);
  drop(&o);
  free_pair(&p);
}

static void teeth_modelled_into_the_head_are_left_out_and_said(void **state) {
  (void)state;
  pair p;
  outcome o;
  make_pair(&p);
  mien_part whole = {"head", MIEN_PART_SKIN, 0, p.mesh.nvert, 0, p.mesh.ntri};
  p.def.parts = &whole;
  p.def.npart = 1;
  build(&p.def, &o);
  assert_int_equal(o.skin.nvert, p.ngrid);
  assert_int_equal(o.remarks.count, 1);
  assert_non_null(strstr(o.remarks.text[0], "'head'"));
  drop(&o);
  free_pair(&p);
}

static void what_is_sewn_to_the_skin_comes_with_it(void **state) {
  (void)state;
  scene_mesh grid = scene_grid(10, 10, 0.2);
  mien_rig_def def = scene_rig_def(&grid);
  int half = grid.ntri / 2;
  mien_part part[2] = {{"skin", MIEN_PART_SKIN, 0, grid.nvert - 5, 0, half},
                       {"socket", MIEN_PART_OTHER, grid.nvert - 5, 5, half, grid.ntri - half}};
  def.parts = part;
  def.npart = 2;
  outcome o;
  build(&def, &o);
  assert_int_equal(o.result, MIEN_OK);
  assert_int_equal(o.skin.ntri, grid.ntri);
  assert_int_equal(o.remarks.count, 1);
  assert_non_null(strstr(o.remarks.text[0], "'socket'"));
  drop(&o);
  scene_mesh_free(&grid);
}

static void rigs_without_skin_are_refused(void **state) {
  (void)state;
  pair p;
  outcome o;
  make_pair(&p);
  p.part[0].kind = MIEN_PART_TEETH_UPPER;
  p.part[1].kind = MIEN_PART_EYE_LEFT;
  build(&p.def, &o);
  assert_int_equal(o.result, MIEN_ERR_ARGUMENT);
  assert_non_null(strstr(o.err.text, "mark one as skin"));
  drop(&o);
  mien_part part[2] = {{"skin", MIEN_PART_SKIN, 0, 0, 0, 0},
                       {"rest", MIEN_PART_OTHER, 0, p.mesh.nvert, 0, p.mesh.ntri}};
  p.def.parts = part;
  build(&p.def, &o);
  assert_int_equal(o.result, MIEN_ERR_ARGUMENT);
  assert_non_null(strstr(o.err.text, "no triangles"));
  drop(&o);
  free_pair(&p);
}

static void vertices_in_no_triangle_are_not_skin(void **state) {
  (void)state;
  float position[] = {0, 0, 0, 9, 9, 9, 1, 0, 0, 0, 1, 0};
  int32_t tri[] = {0, 2, 3};
  mien_rig_def def;
  mien_rig_def_init(&def);
  def.positions = (mien_f32s){position, 4, 3};
  def.faces = (mien_i32s){tri, 3};
  outcome o;
  build(&def, &o);
  assert_int_equal(o.result, MIEN_OK);
  assert_int_equal(o.skin.nvert, 3);
  assert_int_equal(o.skin.of_rig[1], -1);
  assert_near(o.skin.normal[2], 1, 1e-6);
  assert_true(o.skin.size > 0);
  drop(&o);
}

static mien_result make_skin(const mien_host *host, void *user) {
  mien_rig *rig;
  mien_error err;
  mien_result result = mi_rig_create(user, host, &rig, &err);
  if (result < 0) return result;
  mi_arena arena;
  mi_arena_init(&arena, &rig->host);
  mi_remarks remarks = {.arena = &arena};
  mi_skin skin;
  result = mi_skin_build(rig, &arena, &skin, &remarks, &err);
  mi_arena_free(&arena);
  mi_rig_release(rig);
  return result;
}

static void memory_may_end_anywhere(void **state) {
  (void)state;
  pair p;
  make_pair(&p);
  scene_fail_every_allocation(make_skin, &p.def);
  free_pair(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_piece_that_moves_most_is_taken_and_said),
      cmocka_unit_test(a_marked_part_wins_over_motion),
      cmocka_unit_test(teeth_modelled_into_the_head_are_left_out_and_said),
      cmocka_unit_test(what_is_sewn_to_the_skin_comes_with_it),
      cmocka_unit_test(rigs_without_skin_are_refused),
      cmocka_unit_test(vertices_in_no_triangle_are_not_skin),
      cmocka_unit_test(memory_may_end_anywhere),
  };
  return cmocka_run_group_tests_name("rig/skin", tests, NULL, NULL);
}
