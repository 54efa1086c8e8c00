// Painted materials: read, refused, diffused into the flesh, blended by weights, and used by every
// solver.
#include "face/face.h"
#include "scenes/scene.h"
#include "solve/solver.h"
#include "solve/state.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NVERT = 13 * 10 };

// A sheet with two shapes: "bulge" lifts its right half, "wave" its left.
typedef struct sheet {
  scene_mesh mesh;
  float bulge[3 * NVERT], wave[3 * NVERT];
  mien_shape shapes[2];
  mien_rig_def def;
} sheet;

static void make_sheet(sheet *s) {
  memset(s, 0, sizeof *s);
  s->mesh = scene_grid(12, 9, 0.2);
  assert_int_equal(s->mesh.nvert, NVERT);
  for (int i = 0; i < NVERT; i++) {
    float x = s->mesh.position[3 * i];
    if (x > 0) s->bulge[3 * i + 2] = 0.1f * x;
    if (x < 0) s->wave[3 * i + 2] = -0.1f * x;
  }
  s->shapes[0] = (mien_shape){"bulgeLeft", {NULL, 0}, {s->bulge, NVERT, 3}};
  s->shapes[1] = (mien_shape){"wave", {NULL, 0}, {s->wave, NVERT, 3}};
  s->def = scene_rig_def(&s->mesh);
  s->def.shapes = s->shapes;
  s->def.nshape = 2;
}

static mien_face *attach(sheet *s, const mien_map *maps, int nmap) {
  mien_rig *rig = NULL;
  mien_face *face = NULL;
  mien_error err;
  s->def.maps = maps;
  s->def.nmap = nmap;
  if (mien_rig_create(&s->def, NULL, &rig, &err) < 0) fail_msg("%s", err.text);
  mien_host host;
  mien_host_init(&host);
  host.threads = 1;
  if (mien_face_create(rig, NULL, &host, &face, &err) < 0) fail_msg("%s", err.text);
  mien_rig_free(rig);
  return face;
}

static bool says(const mien_face *face, const char *text) {
  const mien_face_info *info = mien_face_get_info(face);
  for (int i = 0; i < info->nremark; i++)
    if (strstr(info->remarks[i], text)) return true;
  return false;
}

static void paint_flows_into_the_flesh(void **state) {
  (void)state;
  sheet s;
  make_sheet(&s);
  float painted[NVERT];
  for (int i = 0; i < NVERT; i++) painted[i] = 2 + 10 * s.mesh.position[3 * i]; // 1 to 3 over x
  const mien_map map = {"density", 1, {painted, NVERT, 1}};
  mien_face *face = attach(&s, &map, 1);
  const float *density = face->materials.of[MI_DENSITY].neutral;
  assert_non_null(density);
  float least = 9, most = 0;
  for (int i = 0; i < NVERT; i++) {
    assert_near(density[i], painted[i], 1e-6); // the skin is what was painted
    // a field linear along the slab is harmonic up to its rim, whose sides heat does not pass
    float x = s.mesh.position[3 * i];
    if (fabsf(x) < 0.06f) assert_near(density[NVERT + i], painted[i], 0.02);
    least = fminf(least, density[NVERT + i]);
    most = fmaxf(most, density[NVERT + i]);
  }
  assert_true(least >= 1 - 1e-6f && most <= 3 + 1e-6f);
  // heavier where it is painted heavier
  const float *mass = mien_face_get_info(face)->masses.data;
  double left = 0, right = 0;
  for (int i = 0; i < 2 * NVERT; i++)
    *(s.mesh.position[3 * (i % NVERT)] > 0 ? &right : &left) += mass[i];
  assert_true(right > 1.4 * left);
  mien_face_free(face);
  scene_mesh_free(&s.mesh);
}

// What differs from vertex to vertex does not go deep: inside is the mean of what surrounds it.
static void paint_is_smoothed_on_its_way_in(void **state) {
  (void)state;
  sheet s;
  make_sheet(&s);
  float painted[NVERT];
  for (int i = 0; i < NVERT; i++) painted[i] = i % 2 ? 1 : 3;
  const mien_map map = {"density", 1, {painted, NVERT, 1}};
  mien_face *face = attach(&s, &map, 1);
  const float *density = face->materials.of[MI_DENSITY].neutral;
  double skin = 0, inside = 0;
  for (int i = 0; i < NVERT; i++) {
    skin += pow((double)density[i] - 2, 2) / NVERT;
    inside += pow((double)density[NVERT + i] - 2, 2) / NVERT;
  }
  print_message("spread %.3f on the skin, %.3f inside\n", sqrt(skin), sqrt(inside));
  assert_true(sqrt(inside) < 0.8 * sqrt(skin));
  mien_face_free(face);
  scene_mesh_free(&s.mesh);
}

static void weights_blend(void **state) {
  (void)state;
  sheet s;
  make_sheet(&s);
  float neutral[NVERT], bulge[NVERT], wave[NVERT];
  for (int i = 0; i < NVERT; i++) {
    bool right = s.mesh.position[3 * i] > 0;
    neutral[i] = 2;
    bulge[i] = right ? 6 : 0; // not painted on the left
    wave[i] = right ? 0 : 1;
  }
  // a shape's name in another spelling, and the separator for hosts without a colon
  const mien_map maps[] = {{"stiffness", 1, {neutral, NVERT, 1}},
                           {"stiffness:BULGE_L", 1, {bulge, NVERT, 1}},
                           {"stiffness__wave", 1, {wave, NVERT, 1}}};
  mien_face *face = attach(&s, maps, 3);
  const mi_blend *blend = face->materials.of + MI_STIFFNESS;
  assert_true(face->materials.is_varying);
  assert_true(blend->nvary > 0 && blend->nvary <= face->info.ntet);
  float values[6 * NVERT];
  assert_true(blend->nvary < 6 * NVERT);
  static const float weights[][2] = {{0, 0}, {1, 0}, {0.5f, 1}, {-3, 0}};
  static const float expected[][2] = {{2, 2}, {6, 2}, {4, 1}, {0.02f, 2}}; // right, left
  for (int k = 0; k < 4; k++) {
    mi_blend_at(blend, weights[k], values);
    for (int v = 0; v < blend->nvary; v++) {
      float x = 0;
      for (int c = 0; c < 4; c++) x += face->rest[3 * face->tets[4 * blend->vary[v] + c]] / 4;
      if (fabsf(x) < 0.05f) continue; // where both meet
      assert_near(values[v], expected[k][x < 0], 0.02);
    }
  }
  mien_face *plain = attach(&s, NULL, 0);
  assert_int_equal(face->info.nremark, plain->info.nremark); // there is nothing to say of the maps
  mien_face_free(plain);
  mien_face_free(face);
  scene_mesh_free(&s.mesh);
}

static void bad_maps_are_named(void **state) {
  (void)state;
  sheet s;
  make_sheet(&s);
  float bad[NVERT], zero[NVERT] = {0}, vector[3 * NVERT] = {0};
  for (int i = 0; i < NVERT; i++) bad[i] = i % 2 ? 3 : i % 4 ? -1 : 1e9f;
  const mien_map maps[] = {{"stiffness", 1, {bad, NVERT, 1}},
                           {"volume_stiffness", 1, {zero, NVERT, 1}},
                           {"density:nobody", 1, {bad, NVERT, 1}},
                           {"damping", 3, {vector, NVERT, 3}},
                           {"stiffness_of_mine", 1, {bad, NVERT, 1}}};
  mien_face *face = attach(&s, maps, 5);
  assert_true(says(face, "'stiffness' is below 0 or above 1000 at 65 vertices"));
  assert_true(says(face, "'volume_stiffness' is 0 on all of the skin"));
  assert_true(says(face, "'density:nobody' is painted for a shape that the rig does not have"));
  assert_true(says(face, "'damping' has 3 numbers"));
  assert_false(says(face, "of_mine"));
  for (int t = 0; t < face->info.ntet; t++) {
    float factor = mi_blend_neutral(face->materials.of + MI_STIFFNESS, t);
    assert_true(factor >= 1 && factor <= 3);
  }
  mien_face_free(face);
  bad[7] = NAN;
  mien_rig *rig = NULL;
  mien_error err;
  s.def.maps = maps;
  s.def.nmap = 1;
  assert_int_equal(mien_rig_create(&s.def, NULL, &rig, &err), MIEN_ERR_NOT_FINITE);
  assert_non_null(strstr(err.text, "stiffness"));
  scene_mesh_free(&s.mesh);
}

static double pulled(mien_face *face, mien_solver solver, int iterations, double *start) {
  static const float weights[2] = {0.5f, 0};
  mien_state *made = NULL;
  mien_error err;
  mien_step_opts opts;
  mien_input input;
  mien_host host;
  mien_host_init(&host);
  host.threads = 1;
  assert_int_equal(mien_state_create(face, &host, &made, NULL), MIEN_OK);
  mien_step_opts_init(&opts);
  opts.solver = solver;
  opts.iterations = iterations;
  opts.tolerance = 1e-7;
  mien_input_init(&input);
  input.weights = (mien_f32s){weights, 2, 1};
  if (mien_step(made, &input, &opts, &err) < 0) fail_msg("%s", err.text); // feels no motion
  input.head = (mien_rigid){{0, sin(0.1), 0, cos(0.1)}, {0.02, 0.01, 0}};
  if (mien_step(made, &input, &opts, &err) < 0) fail_msg("%s", err.text);
  double energy = mien_state_get_info(made)->energy;
  *start = mien_state_get_info(made)->energy_start;
  mien_state_free(made);
  return energy;
}

// N / m, of bone's springs at half of bulgeLeft, in flesh order.
static void find_holds(sheet *s, const mien_map *maps, int nmap, float hold[2 * NVERT]) {
  static const float weights[2] = {0.5f, 0};
  mien_face *face = attach(s, maps, nmap);
  mien_state *made = NULL;
  mien_error err;
  mien_step_opts opts;
  mien_input input;
  assert_int_equal(mien_state_create(face, NULL, &made, NULL), MIEN_OK);
  assert_int_equal(face->info.nvert, 2 * NVERT);
  mien_step_opts_init(&opts);
  mien_input_init(&input);
  input.weights = (mien_f32s){weights, 2, 1};
  for (int frame = 0; frame < 2; frame++) { // the first one feels no motion
    input.head = (mien_rigid){{0, 0, 0, 1}, {0.02 * frame, 0, 0}};
    if (mien_step(made, &input, &opts, &err) < 0) fail_msg("%s", err.text);
  }
  for (int i = 0; i < 2 * NVERT; i++)
    hold[i] = made->solver->attach_stiffness[made->solver->iperm[i]];
  mien_state_free(made);
  mien_face_free(face);
}

// Attachment that a shape changes holds as if it were painted for the neutral: by the square of its
// rate.
static void attachment_of_a_shape_holds(void **state) {
  (void)state;
  sheet s;
  make_sheet(&s);
  float loose[NVERT], firm[NVERT], between[NVERT], as_shape[2 * NVERT], as_painted[2 * NVERT];
  for (int i = 0; i < NVERT; i++) loose[i] = 0.3f, firm[i] = 0.7f, between[i] = 0.5f;
  const mien_map shape[] = {{"attachment", 1, {loose, NVERT, 1}},
                            {"attachment:bulgeLeft", 1, {firm, NVERT, 1}}};
  const mien_map neutral = {"attachment", 1, {between, NVERT, 1}};
  find_holds(&s, shape, 2, as_shape);
  find_holds(&s, &neutral, 1, as_painted);
  for (int i = NVERT; i < 2 * NVERT; i++) { // what lies below the skin
    assert_true(as_painted[i] > 0);
    assert_near(as_shape[i], as_painted[i], 1e-5 * (double)as_painted[i]);
  }
  scene_mesh_free(&s.mesh);
}

// A material reached by a weight is that material: every solver ends where Newton does, and where
// all of them end when the same values are painted for the neutral.
static void every_solver_uses_them(void **state) {
  (void)state;
  sheet s;
  make_sheet(&s);
  float held[NVERT], full[NVERT], half[NVERT], flat[NVERT], firm[NVERT];
  for (int i = 0; i < NVERT; i++) {
    held[i] = 0.3f, full[i] = 11, half[i] = 6;
    flat[i] = 0.02f, firm[i] = 1.98f; // between them 1, as where nothing is painted
  }
  const mien_map shape[] = {{"attachment", 1, {held, NVERT, 1}},
                            {"stiffness:bulgeLeft", 1, {full, NVERT, 1}},
                            {"volume_stiffness", 1, {flat, NVERT, 1}},
                            {"volume_stiffness:bulgeLeft", 1, {firm, NVERT, 1}},
                            {"density:bulgeLeft", 1, {full, NVERT, 1}}};
  const mien_map neutral[] = {{"attachment", 1, {held, NVERT, 1}},
                              {"stiffness", 1, {half, NVERT, 1}},
                              {"density", 1, {half, NVERT, 1}}};
  mien_face *blended = attach(&s, shape, 5), *painted = attach(&s, neutral, 3);
  double start, other, best = pulled(painted, MIEN_SOLVER_NEWTON, 60, &start);
  static const struct {
    mien_solver solver;
    int iterations;
  } cases[] = {{MIEN_SOLVER_NEWTON, 40},
               {MIEN_SOLVER_DIRECT, 150},
               {MIEN_SOLVER_GAUSS_SEIDEL, 300},
               {MIEN_SOLVER_PREFACTORED, 500}};
  for (int k = 0; k < 4; k++) {
    double energy = pulled(blended, cases[k].solver, cases[k].iterations, &other);
    print_message("solver %d: %.9g from %.9g (painted: %.9g from %.9g)\n", (int)cases[k].solver,
                  energy, other, best, start);
    assert_near(other, start, 1e-5 * start);
    assert_near(energy, best, 1e-4 * (start - best)); // volumes are worth 4e-4
  }
  mien_face_free(blended);
  mien_face_free(painted);
  scene_mesh_free(&s.mesh);
}

static void swing(mien_face *face, double damping, float *flesh) {
  static const float weights[2] = {1, 0};
  mien_state *made = NULL;
  mien_step_opts opts;
  mien_input input;
  mien_error err;
  assert_int_equal(mien_state_create(face, NULL, &made, NULL), MIEN_OK);
  mien_step_opts_init(&opts);
  opts.damping = damping;
  mien_input_init(&input);
  input.weights = (mien_f32s){weights, 2, 1};
  for (int k = 0; k < 5; k++) {
    if (k) input.head = (mien_rigid){{0, sin(0.2), 0, cos(0.2)}, {0.02, 0, 0}};
    if (mien_step(made, &input, &opts, &err) < 0) fail_msg("%s", err.text);
  }
  memcpy(flesh, mien_state_get_info(made)->flesh.data, 6 * NVERT * sizeof *flesh);
  mien_state_free(made);
}

// Five times the damping by paint is five times the damping.
static void damping_follows_its_map(void **state) {
  (void)state;
  sheet s;
  make_sheet(&s);
  float five[NVERT], held[NVERT];
  for (int i = 0; i < NVERT; i++) five[i] = 5, held[i] = 0.2f;
  const mien_map maps[] = {{"attachment", 1, {held, NVERT, 1}},
                           {"damping", 1, {five, NVERT, 1}},
                           {"damping:bulgeLeft", 1, {five, NVERT, 1}}};
  mien_face *plain = attach(&s, maps, 1), *neutral = attach(&s, maps, 2);
  const mien_map shaped[] = {maps[0], maps[2]};
  mien_face *shape = attach(&s, shaped, 2);
  static float little[6 * NVERT], wanted[6 * NVERT], got[6 * NVERT];
  swing(plain, 3, little);
  swing(plain, 15, wanted);
  double differs = 0;
  for (int i = 0; i < 6 * NVERT; i++) differs = fmax(differs, fabs((double)little[i] - wanted[i]));
  print_message("damping changes up to %.3g m\n", differs);
  assert_true(differs > 1e-5);
  for (int k = 0; k < 2; k++) {
    swing(k ? shape : neutral, 3, got);
    for (int i = 0; i < 6 * NVERT; i++) assert_near(got[i], wanted[i], 0.02 * differs);
  }
  mien_face_free(plain);
  mien_face_free(neutral);
  mien_face_free(shape);
  scene_mesh_free(&s.mesh);
}

// glTF's attribute names are in capitals; extras bring back what the inner surface was made from.
static void a_file_keeps_them(void **state) {
  (void)state;
  static const char path[] = "materials.glb";
  sheet s;
  make_sheet(&s);
  float stiff[NVERT], thin[NVERT];
  for (int i = 0; i < NVERT; i++) {
    stiff[i] = s.mesh.position[3 * i] > 0 ? 5 : 0;
    thin[i] = 0.003f;
  }
  const mien_map maps[] = {{"stiffness:bulgeLeft", 1, {stiff, NVERT, 1}},
                           {"thickness", 1, {thin, NVERT, 1}}};
  mien_face *face = attach(&s, maps, 2), *again = NULL;
  mien_rig *rig = NULL;
  mien_error err;
  if (mien_rig_save(face->rig, face, NULL, path, &err) < 0) fail_msg("%s", err.text);
  if (mien_rig_load(path, NULL, &rig, &err) < 0) fail_msg("%s", err.text);
  char hash[40];
  snprintf(hash, sizeof hash, "\"hypodermis_hash\":\"%016" PRIx64 "\"", face->inputs_hash);
  assert_non_null(strstr(mien_rig_get_info(rig)->extras, hash));
  if (mien_face_create(rig, NULL, NULL, &again, &err) < 0) fail_msg("%s", err.text);
  assert_true(face->info.hash == again->info.hash);
  assert_int_equal(again->materials.of[MI_STIFFNESS].nvary, face->materials.of[MI_STIFFNESS].nvary);
  mien_face_free(again);
  mien_face_free(face);
  mien_rig_free(rig);
  remove(path);
  scene_mesh_free(&s.mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(paint_flows_into_the_flesh),
                                     cmocka_unit_test(paint_is_smoothed_on_its_way_in),
                                     cmocka_unit_test(weights_blend),
                                     cmocka_unit_test(bad_maps_are_named),
                                     cmocka_unit_test(attachment_of_a_shape_holds),
                                     cmocka_unit_test(every_solver_uses_them),
                                     cmocka_unit_test(damping_follows_its_map),
                                     cmocka_unit_test(a_file_keeps_them)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
