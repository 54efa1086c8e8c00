// Regions of the sample head against the labels it was modelled with, at all densities.
#include "head/head_rig.h"
#include "scenes/found.h"
#include "scenes/scene.h"

#include <math.h>

typedef struct options {
  int density;
  bool leave_landmarks, leave_kinds; // without landmarks; parts undecided and nameless
} options;

typedef struct sample {
  head_model model;
  head_rig made;
  mien_rig *rig;
  int32_t *model_vertex; // welded vertex of the rig -> skin vertex of the model; the arena's
  mi_arena arena;
} sample;

static void make_sample(const options *o, sample *s) {
  *s = (sample){0};
  mien_error err;
  assert_int_equal(head_model_create(&(head_options){.density = o->density}, &s->model), 0);
  assert_int_equal(head_rig_create(&s->model, "sample head", &s->made), 0);
  if (o->leave_landmarks) s->made.def.landmarks = (mien_i32s){NULL, 0};
  s->made.def.jaw = (mien_jaw){0}; // to be found
  for (int p = 0; o->leave_kinds && p < s->made.def.npart; p++) {
    s->made.parts[p].name = "piece";
    s->made.parts[p].kind = MIEN_PART_AUTO;
  }
  if (mi_rig_create(&s->made.def, NULL, &s->rig, &err) < 0) fail_msg("%s", err.text);
  mi_arena_init(&s->arena, &s->rig->host);
  s->model_vertex = MI_PUSH(&s->arena, int32_t, s->rig->info.nvert);
  assert_non_null(s->model_vertex);
  const head_part *skin = s->model.part;
  for (int r = 0; r < skin->nsplit; r++)
    s->model_vertex[s->rig->info.render_map.data[r]] = skin->split_vertex[r];
}

static void free_sample(sample *s) {
  mi_arena_free(&s->arena);
  mi_rig_release(s->rig);
  head_rig_free(&s->made);
  head_model_free(&s->model);
}

typedef struct overlap {
  int both, either;
} overlap;

static void count(overlap *o, bool is_true, bool is_found) {
  o->both += is_true && is_found;
  o->either += is_true || is_found;
}

static double share(overlap o) {
  return o.either ? (double)o.both / o.either : 0;
}

static void check_head(const options *o) {
  sample head;
  found f;
  make_sample(o, &head);
  found_make(head.rig, &f);
  found_check(&f);
  const head_labels *label = &head.model.label;
  assert_int_equal(f.skin.nvert, head.model.part[0].nvert);
  assert_true(f.regions.has_mouth);
  overlap upper = {0}, lower = {0}, bag = {0};
  double jaw_error = 0;
  for (int i = 0; i < f.skin.nvert; i++) {
    int v = head.model_vertex[f.skin.vert[i]], bits = f.regions.bits[i];
    count(&upper, label->lip_upper[v] > 0.5f, bits & MIEN_REGION_LIP_UPPER);
    count(&lower, label->lip_lower[v] > 0.5f, bits & MIEN_REGION_LIP_LOWER);
    count(&bag, label->mouth_bag[v] > 0.5f, bits & (MIEN_REGION_LIP_INNER | MIEN_REGION_MOUTH_BAG));
    jaw_error += fabs(label->jaw[v] - f.regions.jaw[i]);
    if (label->lid_upper[v] > 0.5f || label->eye_pocket[v] > 0.5f)
      assert_int_equal(bits & (MIEN_REGION_LIP_UPPER | MIEN_REGION_LIP_LOWER), 0);
  }
  assert_true(share(upper) >= 0.6);
  assert_true(share(lower) >= 0.6);
  assert_true(share(bag) >= 0.8);
  assert_true(jaw_error / f.skin.nvert < 0.03);
  const head_jaw_hinge *truth = &head.model.jaw;
  assert_near(f.regions.jaw_hinge.hinge[1], truth->point[1], 3e-3);
  assert_near(f.regions.jaw_hinge.hinge[2], truth->point[2], 3e-3);
  assert_near(f.regions.jaw_hinge.open_angle, truth->open_angle, 0.026);
  assert_near(f.skin.size, 0.18, 0.036);
  found_free(&f);
  free_sample(&head);
}

static void lips_bag_and_jaw_agree_with_the_model(void **state) {
  (void)state;
  for (int density = 0; density < 3; density++)
    check_head(&(options){.density = density, .leave_landmarks = true});
}

static void so_they_do_with_landmarks_and_without_part_names(void **state) {
  (void)state;
  check_head(&(options){.density = 1});
  check_head(&(options){.density = 1, .leave_landmarks = true, .leave_kinds = true});
}

// The file that the command line's other tests are too small for.
static void the_large_sample_is_read(void **state) {
  (void)state;
  mien_rig *rig = NULL;
  mien_error err;
  if (mien_rig_load(MIEN_SAMPLE_DIR "/head_large.glb", NULL, &rig, &err) < 0)
    fail_msg("%s", err.text);
  assert_true(mien_rig_get_info(rig)->nvert > 30000 && mien_rig_get_info(rig)->nshape > 50);
  mien_rig_free(rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lips_bag_and_jaw_agree_with_the_model),
      cmocka_unit_test(so_they_do_with_landmarks_and_without_part_names),
      cmocka_unit_test(the_large_sample_is_read),
  };
  return cmocka_run_group_tests_name("rig/regions_sample", tests, NULL, NULL);
}
